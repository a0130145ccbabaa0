// SPDX-License-Identifier: BSD-3-Clause
// norm.cl: norms 1 and max, compared with plain C.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS = 3, NORM = 7, STATE = 264 };

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name, int max)
{
    const struct lcl_spec spec = {.source = "norm.cl",
                                  .kernel = name,
                                  .group = test_group(ctx, 2),
                                  .defines = {{"NORM_MAX", max}}};
    return test_kernel(ctx, &spec);
}

static double expected_norm(const double *r, int64_t n, int max)
{
    double norm = 0;
    for (int64_t i = 0; i < n; ++i)
        norm = max ? fmax(norm, fabs(r[i])) : norm + fabs(r[i]);
    return norm;
}

// The squared norm that the kernels leave; `stopped` ones must leave nothing.
static double run(lcl_context *ctx, const double *r, int64_t n, int max,
                  int32_t stopped)
{
    double state[STATE];
    lcl_buffer *v = test_upload(ctx, r, n, sizeof *r);
    lcl_buffer *sums = test_poisoned(ctx, GROUPS, sizeof *r);
    lcl_buffer *words = test_poisoned(ctx, STATE, sizeof *r);
    lcl_buffer *stop = test_stop_flag(ctx, stopped);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "norm_share", max), GROUPS,
                                lcl_arg_long(n), lcl_arg_buffer(v),
                                lcl_arg_buffer(sums), lcl_arg_buffer(stop),
                                lcl_arg_int(0)),
                     LCL_OK);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "norm_square", max), 1,
                                lcl_arg_int(GROUPS), lcl_arg_buffer(sums),
                                lcl_arg_buffer(words), lcl_arg_buffer(stop),
                                lcl_arg_int(0)),
                     LCL_OK);
    if (stopped) {
        test_untouched(sums);
        test_untouched(words);
    }
    test_download(words, state, STATE, sizeof *state);
    lcl_buffer_destroy(&v);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&words);
    lcl_buffer_destroy(&stop);
    return state[NORM];
}

static void test_norm__shares_join_to_the_norm(void **state)
{
    const int64_t sizes[] = {1, 2, 61, test_size(130, 9973)};
    for (int k = 0; k < 8; ++k) {
        const int64_t n = sizes[k / 2];
        double *r = test_random_vector(n, 7 + (unsigned)k);
        const double norm = expected_norm(r, n, k % 2);
        const double expected = norm * norm, got = run(*state, r, n, k % 2, 0);
        test_expect_near("norm", &got, &expected, 1, 1e-13 * (double)n * norm);
        free(r);
    }
}

static void test_norm__not_a_number_is_kept(void **state)
{
    const int64_t n = test_size(61, 997), places[] = {0, n / 2, n - 1};
    for (int k = 0; k < 6; ++k) {
        double *r = test_random_vector(n, 5);
        r[places[k / 2]] = NAN;
        assert_true(isnan(run(*state, r, n, k % 2, 0)));
        free(r);
    }
}

static void test_norm__stopped_kernels_change_nothing(void **state)
{
    double *r = test_random_vector(61, 3);
    (void)run(*state, r, 61, 0, 1);
    (void)run(*state, r, 61, 1, 1);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norm__shares_join_to_the_norm),
        cmocka_unit_test(test_norm__not_a_number_is_kept),
        cmocka_unit_test(test_norm__stopped_kernels_change_nothing),
    };
    return test_device_run(tests);
}
