// SPDX-License-Identifier: BSD-3-Clause
// transpose_values.cl: blocks in another order, each transposed.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/spgemm.h"

#include <stdlib.h>

enum { GROUPS = 3 };

static void expect_values(lcl_context *ctx, int64_t n, int block)
{
    const struct lcl_spec spec = {.source = "transpose_values.cl",
                                  .kernel = "transpose_values",
                                  .group = test_group(ctx, 2),
                                  .block = block > 1 ? block : 0};
    const int64_t values = n * block * block;
    double *x = test_random_vector(values, 3), *y = test_vector(values);
    double *expected = test_vector(values);
    int32_t *perm = test_random_permutation(n, 4);
    lcl_buffer *map = test_upload(ctx, perm, n, sizeof *perm);
    lcl_buffer *in = test_upload(ctx, x, values, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, values, sizeof *y);
    lcl_ref_transpose_values(expected, x, perm, n, block);
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), GROUPS,
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

static void test_transpose_values__blocks_of_all_sizes(void **state)
{
    static const int blocks[] = {1, 2, 3, 8};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) {
        expect_values(*state, 1, blocks[b]);
        expect_values(*state, test_size(37, 2003), blocks[b]);
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
