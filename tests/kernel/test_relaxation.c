// SPDX-License-Identifier: BSD-3-Clause
// relaxation.cl and power.cl compared with plain C.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"

#include <math.h>
#include <stdlib.h>

struct fixture {
    lcl_context *ctx;
    int64_t n;
    int32_t *perm; // NULL: the same order
    double *t, *v;
    lcl_buffer *perm_buffer, *t_buffer, *v_buffer;
};

// Scales of both signs and all sizes; a vector v.
static void open(struct fixture *F, lcl_context *ctx, int64_t n, bool permuted,
                 size_t size)
{
    *F = (struct fixture){.ctx = ctx,
                          .n = n,
                          .t = test_random_vector(n, 3),
                          .v = test_random_vector(n, 4)};
    for (int64_t i = 0; i < n; ++i) {
        F->t[i] = (F->t[i] < 0 ? -1 : 1) * ldexp(1, (int)(i % 40) - 20);
        F->v[i] = (float)F->v[i];
    }
    if (permuted) {
        F->perm = test_random_permutation(n, 5);
        F->perm_buffer = test_upload(ctx, F->perm, n, sizeof *F->perm);
    }
    F->t_buffer = test_upload(ctx, F->t, n, sizeof *F->t);
    F->v_buffer = test_upload_reals(ctx, F->v, n, size);
}

static void close(struct fixture *F)
{
    lcl_buffer_destroy(&F->perm_buffer);
    lcl_buffer_destroy(&F->t_buffer);
    lcl_buffer_destroy(&F->v_buffer);
    free(F->perm);
    free(F->t);
    free(F->v);
}

static lcl_kernel *kernel_of(lcl_context *ctx, const char *source,
                             const char *name)
{
    const struct lcl_spec spec = {
        .source = source,
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    return test_kernel(ctx, &spec);
}

static int64_t place(const struct fixture *F, int64_t p)
{
    return F->perm ? F->perm[p] : p;
}

static void expect_entered(lcl_context *ctx, int64_t n, bool permuted,
                           int32_t stopped)
{
    struct fixture F;
    open(&F, ctx, n, permuted, sizeof(float));
    lcl_buffer *in = test_poisoned(ctx, n, sizeof(double));
    lcl_buffer *stop = test_stop_flag(ctx, stopped);
    double *got = test_vector(n), *expected = test_vector(n);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "relaxation.cl", "relaxation_enter"), 5,
                   lcl_arg_long(n), lcl_arg_buffer(F.perm_buffer),
                   lcl_arg_buffer(F.t_buffer), lcl_arg_buffer(F.v_buffer),
                   lcl_arg_buffer(in), lcl_arg_buffer(stop), lcl_arg_int(0)),
        LCL_OK);
    for (int64_t p = 0; p < n; ++p)
        expected[p] = F.v[place(&F, p)] / F.t[place(&F, p)];
    if (stopped)
        test_untouched(in);
    else {
        test_download(in, got, n, sizeof *got);
        test_expect_same("in", got, expected, n);
    }
    lcl_buffer_destroy(&stop);
    lcl_buffer_destroy(&in);
    free(got);
    free(expected);
    close(&F);
}

static void test_relaxation__enters_unscaled(void **state)
{
    const int64_t n = test_size(60, 5003);
    for (int k = 0; k < 4; ++k)
        expect_entered(*state, n, k % 2 == 0, k / 2);
}

// Without damping if the order is given.
static void expect_left(lcl_context *ctx, int64_t n, bool permuted, bool add)
{
    const double d = permuted ? 1 : 0.75;
    struct fixture F;
    open(&F, ctx, n, permuted, sizeof(double));
    double *before = test_random_vector(n, 7), *got = test_vector(n);
    double *expected = test_vector(n);
    for (int64_t i = 0; i < n; ++i)
        before[i] = (float)before[i];
    lcl_buffer *x = add ? test_upload_reals(ctx, before, n, sizeof(float))
                        : test_poisoned(ctx, n, sizeof(float));
    lcl_buffer *damping = permuted ? NULL : test_upload(ctx, &d, 1, sizeof d);
    lcl_buffer *stop = test_stop_flag(ctx, 0);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "relaxation.cl", "relaxation_leave"), 5,
                   lcl_arg_long(n), lcl_arg_buffer(F.perm_buffer),
                   lcl_arg_buffer(F.t_buffer), lcl_arg_buffer(damping),
                   lcl_arg_buffer(F.v_buffer), lcl_arg_int(add),
                   lcl_arg_buffer(x), lcl_arg_buffer(stop), lcl_arg_int(0)),
        LCL_OK);
    for (int64_t p = 0; p < n; ++p) {
        const int64_t i = place(&F, p);
        expected[i] =
            (float)((add ? before[i] : 0) + d * F.v[p] / fabs(F.t[i]));
    }
    test_download_reals(x, got, n, sizeof(float));
    test_expect_near("x", got, expected, n, 1e-6);
    lcl_buffer_destroy(&stop);
    lcl_buffer_destroy(&damping);
    lcl_buffer_destroy(&x);
    free(before);
    free(got);
    free(expected);
    close(&F);
}

static void test_relaxation__leaves_damped_and_scaled(void **state)
{
    const int64_t n = test_size(60, 5003);
    for (int k = 0; k < 4; ++k)
        expect_left(*state, n, k % 2 == 0, k / 2 == 0);
}

// What `name` makes of `before` for vectors whose norm grows by the factor
// `growth`.
static double estimate(lcl_context *ctx, const char *name, double growth,
                       double before)
{
    enum { GROUPS = 7 };
    const int64_t n = test_size(90, 4001);
    double *x = test_random_vector(n, 1), *y = test_vector(n), found;
    for (int64_t i = 0; i < n; ++i)
        y[i] = -growth * (float)x[i];
    lcl_buffer *a = test_upload_reals(ctx, x, n, sizeof(float));
    lcl_buffer *b = test_upload_reals(ctx, y, n, sizeof(float));
    lcl_buffer *sums = test_poisoned(ctx, 2 * GROUPS, sizeof(double));
    lcl_buffer *out = test_upload(ctx, &before, 1, sizeof before);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "power.cl", "power_growth"),
                                GROUPS, lcl_arg_long(n), lcl_arg_buffer(a),
                                lcl_arg_buffer(b), lcl_arg_buffer(sums)),
                     LCL_OK);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "power.cl", name), 1,
                                lcl_arg_int(GROUPS), lcl_arg_buffer(sums),
                                lcl_arg_buffer(out)),
                     LCL_OK);
    test_download(out, &found, 1, sizeof found);
    lcl_buffer_destroy(&a);
    lcl_buffer_destroy(&b);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&out);
    free(x);
    free(y);
    return found;
}

static double damping_of(lcl_context *ctx, double growth)
{
    return estimate(ctx, "power_damping", growth, NAN);
}

static void test_relaxation__damping_is_at_most_one(void **state)
{
    assert_true(damping_of(*state, 0) == 1);
    assert_true(damping_of(*state, 1) == 1);
    assert_true(damping_of(*state, 1.4) == 1);
    assert_true(fabs(damping_of(*state, 3) - 1.5 / 3.15) < 1e-6);
    assert_true(damping_of(*state, INFINITY) == 1);
    assert_true(damping_of(*state, NAN) == 1);
}

static void test_relaxation__lambda_can_only_grow(void **state)
{
    const char *name = "power_lambda";
    assert_true(estimate(*state, name, 1.5, 2) == 2);
    assert_true(fabs(estimate(*state, name, 2, 2) - 2.2) < 1e-6);
    assert_true(estimate(*state, name, INFINITY, 2) == 2);
    assert_true(estimate(*state, name, NAN, 2) == 2);
}

// Different numbers, of both signs.
static void test_relaxation__starts_with_any_vector(void **state)
{
    const int64_t n = test_size(90, 4001);
    double *got = test_vector(n), sum = 0, squares = 0;
    lcl_buffer *x = test_poisoned(*state, n, sizeof(float));
    assert_int_equal(LCL_LAUNCH(kernel_of(*state, "power.cl", "power_start"), 3,
                                lcl_arg_long(n), lcl_arg_buffer(x)),
                     LCL_OK);
    test_download_reals(x, got, n, sizeof(float));
    for (int64_t i = 0; i < n; ++i) {
        assert_true(fabs(got[i]) <= 1);
        sum += got[i];
        squares += got[i] * got[i];
    }
    assert_true(fabs(sum) < 0.2 * (double)n);
    assert_true(fabs(squares / (double)n - 1.0 / 3) < 0.1);
    lcl_buffer_destroy(&x);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relaxation__enters_unscaled),
        cmocka_unit_test(test_relaxation__leaves_damped_and_scaled),
        cmocka_unit_test(test_relaxation__damping_is_at_most_one),
        cmocka_unit_test(test_relaxation__lambda_can_only_grow),
        cmocka_unit_test(test_relaxation__starts_with_any_vector),
    };
    return test_device_run(tests);
}
