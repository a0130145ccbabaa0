// SPDX-License-Identifier: BSD-3-Clause
// transpose_values.cl: blocks in another order, each transposed.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/spgemm.h"

#include <stdlib.h>

enum { GROUPS = 3 };

static lcl_kernel *kernel_of(lcl_context *ctx, int block, int numbers)
{
    struct lcl_spec spec = {.source = "transpose_values.cl",
                            .kernel = "transpose_values",
                            .group = test_group(ctx, 2),
                            .block = block > 1 ? block : 0};
    if (numbers > 1)
        lcl_spec_set(&spec, "NUMBERS", numbers);
    return test_kernel(ctx, &spec);
}

static void expect_values(lcl_context *ctx, int64_t n, int block)
{
    const int64_t values = n * block * block;
    double *x = test_random_vector(values, 3), *y = test_vector(values);
    double *expected = test_vector(values);
    int32_t *perm = test_random_permutation(n, 4);
    lcl_buffer *map = test_upload(ctx, perm, n, sizeof *perm);
    lcl_buffer *in = test_upload(ctx, x, values, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, values, sizeof *y);
    lcl_ref_transpose_values(expected, x, perm, n, block);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, block, 1), GROUPS,
                                lcl_arg_long(n), lcl_arg_buffer(map),
                                lcl_arg_buffer(in), lcl_arg_buffer(out)),
                     LCL_OK);
    test_download(out, y, values, sizeof *y);
    test_expect_same("value", y, expected, values);
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(x);
    free(y);
    free(expected);
    free(perm);
}

// Of two matrices at once, as of each alone.
static void expect_pairs(lcl_context *ctx, int64_t n, int block)
{
    const int64_t values = n * block * block;
    double *x = test_random_vector(2 * values, 3), *y = test_vector(2 * values);
    double *one = test_vector(values), *expected = test_vector(values);
    int32_t *perm = test_random_permutation(n, 4);
    lcl_buffer *map = test_upload(ctx, perm, n, sizeof *perm);
    lcl_buffer *in = test_upload(ctx, x, 2 * values, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, 2 * values, sizeof *y);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, block, 2), GROUPS,
                                lcl_arg_long(n), lcl_arg_buffer(map),
                                lcl_arg_buffer(in), lcl_arg_buffer(out)),
                     LCL_OK);
    test_download(out, y, 2 * values, sizeof *y);
    for (int t = 0; t < 2; ++t) {
        for (int64_t v = 0; v < values; ++v)
            one[v] = x[2 * v + t];
        lcl_ref_transpose_values(expected, one, perm, n, block);
        for (int64_t v = 0; v < values; ++v)
            one[v] = y[2 * v + t];
        test_expect_same("value", one, expected, values);
    }
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(x);
    free(y);
    free(one);
    free(expected);
    free(perm);
}

static void test_transpose_values__blocks_of_all_sizes(void **state)
{
    static const int blocks[] = {1, 2, 3, 8};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) {
        expect_values(*state, 1, blocks[b]);
        expect_values(*state, test_size(37, 2003), blocks[b]);
        expect_pairs(*state, test_size(31, 1009), blocks[b]);
    }
    expect_values(*state, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose_values__blocks_of_all_sizes),
    };
    return test_device_run(tests);
}
