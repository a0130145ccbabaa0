// SPDX-License-Identifier: BSD-3-Clause
// projection.cl: the components along null vectors, compared with the
// reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/projection.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, MOST = 8 };

// The data of one case; without N all entries of the only column are `value`.
struct projection {
    int64_t n;
    int count;
    double value;
    double *N, *z;
    double wanted[MOST], sums[MOST];
};

static struct projection make(int64_t n, int count, bool constant)
{
    struct projection p = {.n = n,
                           .count = count,
                           .value = constant ? 0.125 : 0,
                           .N = test_random_vector(n * count, 3),
                           .z = test_random_vector(n, 4)};
    double *wanted = test_random_vector(count, 5);
    memcpy(p.wanted, wanted, (size_t)count * sizeof *wanted);
    free(wanted);
    for (int64_t i = 0; i < n && constant; ++i)
        p.N[i] = p.value;
    return p;
}

static void finish(struct projection *p)
{
    free(p->N);
    free(p->z);
}

static lcl_kernel *kernel_of(lcl_context *ctx, const struct projection *p,
                             const char *name)
{
    const struct lcl_spec spec = {
        .source = "projection.cl",
        .kernel = name,
        .group = test_group(ctx, 2),
        .defines = {{"VECTORS", p->count}, {"CONSTANT", p->value > 0}},
    };
    return test_kernel(ctx, &spec);
}

// Runs both kernels on the device; p->sums and p->z receive the results.
static void run(lcl_context *ctx, struct projection *p, int32_t stopped)
{
    const int64_t n = p->n, count = p->count;
    double partial[MOST * GROUPS];
    lcl_buffer *N = p->value > 0
                        ? test_poisoned(ctx, n, sizeof *p->N)
                        : test_upload(ctx, p->N, n * count, sizeof *p->N);
    lcl_buffer *z = test_upload(ctx, p->z, n, sizeof *p->z);
    lcl_buffer *wanted = test_upload(ctx, p->wanted, count, sizeof *p->wanted);
    lcl_buffer *sums = test_poisoned(ctx, count * GROUPS, sizeof *partial);
    lcl_buffer *stop = test_stop_flag(ctx, stopped);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, p, "projection_dots"), GROUPS,
                                lcl_arg_long(n), lcl_arg_double(p->value),
                                lcl_arg_buffer(N), lcl_arg_buffer(z),
                                lcl_arg_buffer(sums), lcl_arg_buffer(stop),
                                lcl_arg_int(0)),
                     LCL_OK);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, p, "projection_take"), GROUPS,
                                lcl_arg_long(n), lcl_arg_double(p->value),
                                lcl_arg_buffer(N), lcl_arg_buffer(sums),
                                lcl_arg_buffer(wanted), lcl_arg_buffer(z),
                                lcl_arg_buffer(stop), lcl_arg_int(0)),
                     LCL_OK);
    if (stopped)
        test_untouched(sums);
    test_download(sums, partial, count * GROUPS, sizeof *partial);
    for (int k = 0; k < count; ++k) {
        p->sums[k] = 0;
        for (int g = 0; g < GROUPS; ++g)
            p->sums[k] += partial[k * GROUPS + g];
    }
    test_download(z, p->z, n, sizeof *p->z);
    lcl_buffer_destroy(&N);
    lcl_buffer_destroy(&z);
    lcl_buffer_destroy(&wanted);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&stop);
}

static void expect(lcl_context *ctx, int64_t n, int count, bool constant)
{
    struct projection p = make(n, count, constant);
    struct projection expected = make(n, count, constant);
    lcl_ref_projection(n, count, expected.N, expected.wanted, expected.z,
                       expected.sums);
    run(ctx, &p, 0);
    test_expect_near("N^T z", p.sums, expected.sums, count, 1e-12 * (double)n);
    test_expect_near("z", p.z, expected.z, n, 1e-12 * (double)n);
    finish(&p);
    finish(&expected);
}

static void test_projection__components_are_taken(void **state)
{
    const int64_t sizes[] = {1, 61, test_size(130, 9973)};
    for (int k = 0; k < 3; ++k) {
        expect(*state, sizes[k], 1, false);
        expect(*state, sizes[k], 3, false);
        expect(*state, sizes[k], MOST, false);
        expect(*state, sizes[k], 1, true);
    }
}

static void test_projection__stopped_kernels_change_nothing(void **state)
{
    struct projection p = make(61, 3, false), before = make(61, 3, false);
    run(*state, &p, 1);
    test_expect_same("z", p.z, before.z, 61);
    finish(&p);
    finish(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection__components_are_taken),
        cmocka_unit_test(test_projection__stopped_kernels_change_nothing),
    };
    return test_device_run(tests);
}
