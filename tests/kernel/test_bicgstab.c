// SPDX-License-Identifier: BSD-3-Clause
// bicgstab.cl: each of the three kernels compared with its formulas on the
// host.
#include "tests/support/device.h"
#include "tests/support/recurrence.h"

#include "cl/krylov/bicgstab.cl.h"
#include "host/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { R, V, P, Y, Z, T, R0, X };
enum { GROUPS = TEST_RECURRENCE_GROUPS };

// ------------------------------------------------------------------ launching

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    const struct lcl_spec spec = {
        .source = "bicgstab.cl",
        .kernel = name,
        .group = test_group(ctx, 2),
    };
    return test_kernel(ctx, &spec);
}

static void run_p(lcl_context *ctx, struct test_recurrence *d, int it,
                  double rr0, double limit)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "bicgstab_p"), GROUPS, lcl_arg_int(it),
                   lcl_arg_long(d->n), lcl_arg_double(rr0),
                   lcl_arg_double(limit), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(D.vector[R]),
                   lcl_arg_buffer(D.vector[V]), lcl_arg_buffer(D.vector[P]),
                   lcl_arg_buffer(D.state), lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_recurrence_download(&D, d);
}

static void run_s(lcl_context *ctx, struct test_recurrence *d, int it)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "bicgstab_s"), GROUPS, lcl_arg_int(it),
                   lcl_arg_long(d->n), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(D.vector[V]),
                   lcl_arg_buffer(D.vector[R]), lcl_arg_buffer(D.state),
                   lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_recurrence_download(&D, d);
}

static void run_x(lcl_context *ctx, struct test_recurrence *d)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "bicgstab_x"), GROUPS, lcl_arg_long(d->n),
                   lcl_arg_int(GROUPS), lcl_arg_buffer(D.sums),
                   lcl_arg_buffer(D.vector[Y]), lcl_arg_buffer(D.vector[Z]),
                   lcl_arg_buffer(D.vector[T]), lcl_arg_buffer(D.vector[R0]),
                   lcl_arg_buffer(D.vector[X]), lcl_arg_buffer(D.vector[R]),
                   lcl_arg_buffer(D.next), lcl_arg_buffer(D.state),
                   lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_recurrence_download(&D, d);
}

// ------------------------------------------------------------------ bicgstab_p

// Compares the state and the stopping flag after the kernel.
static void note_p(struct test_recurrence *d, int it, double rho, double rr,
                   int reason)
{
    d->state[BICGSTAB_RHO + it % 2] = rho;
    d->state[KRYLOV_STEPS] = it;
    if (reason)
        d->state[KRYLOV_REASON] = reason;
    d->state[KRYLOV_RING + it % 256] = rr;
    d->stop[BICGSTAB_STOP_P] = reason;
}

static void test_bicgstab_p__first_direction_is_the_residual(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, NAN, 4);
    struct test_recurrence expected = test_recurrence_copy(&d);
    memcpy(expected.vector[P], d.vector[R], (size_t)d.n * sizeof(double));
    note_p(&expected, 0, 4, 4, 0);
    run_p(*state, &d, 0, 4, 1e-3);
    test_recurrence_settle(&d, &expected);
}

static void test_bicgstab_p__later_directions_follow_the_formula(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, -3, 2);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const int it = 257;
    const double beta = -3 / d.state[BICGSTAB_RHO + (it + 1) % 2] *
                        (d.state[BICGSTAB_ALPHA] / d.state[BICGSTAB_OMEGA]);
    for (int64_t i = 0; i < d.n; ++i)
        expected.vector[P][i] =
            d.vector[R][i] +
            beta * (d.vector[P][i] - d.state[BICGSTAB_OMEGA] * d.vector[V][i]);
    note_p(&expected, it, -3, 2, 0);
    run_p(*state, &d, it, 4, 1e-3);
    test_recurrence_settle(&d, &expected);
}

static void expect_p_stops(lcl_context *ctx, double rho, double rr,
                           double omega, int reason)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, rho, rr);
    d.state[BICGSTAB_OMEGA] = omega;
    struct test_recurrence expected = test_recurrence_copy(&d);
    note_p(&expected, 3, rho, rr, reason);
    run_p(ctx, &d, 3, 4, 1e-3);
    // numbers that are not finite cannot be compared
    if (reason == KRYLOV_NOT_FINITE) {
        assert_false(isfinite(d.state[BICGSTAB_RHO + 1]) &&
                     isfinite(d.state[KRYLOV_RING + 3]));
        d.state[BICGSTAB_RHO + 1] = expected.state[BICGSTAB_RHO + 1] = 0;
        d.state[KRYLOV_RING + 3] = expected.state[KRYLOV_RING + 3] = 0;
    }
    test_recurrence_settle(&d, &expected);
}

static void test_bicgstab_p__reasons_to_stop_are_told_apart(void **state)
{
    expect_p_stops(*state, 1, 1e-3, 1, KRYLOV_CONVERGED);
    expect_p_stops(*state, 0, 1e-4, 0, KRYLOV_CONVERGED);
    expect_p_stops(*state, 1, 1, 0, KRYLOV_BREAKDOWN_OMEGA);
    expect_p_stops(*state, 0, 1, 1, KRYLOV_BREAKDOWN_RHO);
    expect_p_stops(*state, 1e-17, 1, 1, KRYLOV_BREAKDOWN_RHO);
    expect_p_stops(*state, NAN, 1, 1, KRYLOV_NOT_FINITE);
    expect_p_stops(*state, 1, INFINITY, 1, KRYLOV_NOT_FINITE);
}

static void test_bicgstab_p__hands_on_why_the_iteration_ended(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    d.stop[BICGSTAB_STOP_X] = KRYLOV_NOT_FINITE;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[BICGSTAB_STOP_P] = KRYLOV_NOT_FINITE;
    run_p(*state, &d, 1, 4, 1e-3);
    test_recurrence_settle(&d, &expected);
}

// ------------------------------------------------------------------ bicgstab_s

static void test_bicgstab_s__takes_alpha_v_from_the_residual(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, 5, NAN);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const double alpha = d.state[BICGSTAB_RHO + 1] / 5;
    expected.state[BICGSTAB_ALPHA] = alpha;
    for (int64_t i = 0; i < d.n; ++i)
        expected.vector[R][i] -= alpha * d.vector[V][i];
    run_s(*state, &d, 7);
    test_recurrence_settle(&d, &expected);
}

static void expect_s_stops(lcl_context *ctx, double r0v, int32_t before,
                           int reason)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, r0v, NAN);
    d.stop[BICGSTAB_STOP_P] = before;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[BICGSTAB_STOP_S] = reason;
    if (!before)
        expected.state[KRYLOV_REASON] = reason;
    run_s(ctx, &d, 0);
    if (!before) {
        assert_false(isfinite(d.state[BICGSTAB_ALPHA]));
        d.state[BICGSTAB_ALPHA] = expected.state[BICGSTAB_ALPHA];
    }
    test_recurrence_settle(&d, &expected);
}

static void test_bicgstab_s__reasons_to_stop_are_told_apart(void **state)
{
    expect_s_stops(*state, 0, 0, KRYLOV_BREAKDOWN_ALPHA);
    expect_s_stops(*state, NAN, 0, KRYLOV_NOT_FINITE);
    expect_s_stops(*state, 1, KRYLOV_CONVERGED, KRYLOV_CONVERGED);
}

// ------------------------------------------------------------------ bicgstab_x

// Compares the kernel's sums with <r0, r> and <r, r>.
static void expect_next(const struct test_recurrence *got,
                        const struct test_recurrence *expected)
{
    double sums[2] = {0, 0}, dots[2] = {0, 0};
    for (int g = 0; g < 2 * GROUPS; ++g)
        sums[g / GROUPS] += got->sums[g];
    for (int64_t i = 0; i < got->n; ++i) {
        const double r = expected->vector[R][i];
        dots[0] += expected->vector[R0][i] * r;
        dots[1] += r * r;
    }
    test_expect_near("<r0, r>, <r, r>", sums, dots, 2, 1e-11);
}

static void expect_x(lcl_context *ctx, double tr, double tt, double omega)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, tr, tt);
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.state[BICGSTAB_OMEGA] = omega;
    for (int64_t i = 0; i < d.n; ++i) {
        expected.vector[X][i] +=
            d.state[BICGSTAB_ALPHA] * d.vector[Y][i] + omega * d.vector[Z][i];
        expected.vector[R][i] -= omega * d.vector[T][i];
    }
    run_x(ctx, &d);
    test_recurrence_expect(&d, &expected);
    expect_next(&d, &expected);
    test_recurrence_finish(&d);
    test_recurrence_finish(&expected);
}

static void test_bicgstab_x__adds_both_steps_and_sums_the_residual(void **state)
{
    expect_x(*state, 3, 4, 0.75);
}

static void test_bicgstab_x__takes_the_first_step_alone_where_t_is_zero(
    void **state)
{
    expect_x(*state, 0, 0, 0);
}

static void expect_x_stops(lcl_context *ctx, double tr, double tt,
                           int32_t before, int reason)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, tr, tt);
    d.stop[BICGSTAB_STOP_S] = before;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[BICGSTAB_STOP_X] = reason;
    if (!before)
        expected.state[KRYLOV_REASON] = reason;
    run_x(ctx, &d);
    d.state[BICGSTAB_OMEGA] =
        expected.state[BICGSTAB_OMEGA]; // unused from here on
    test_recurrence_expect(&d, &expected);
    assert_true(isnan(d.sums[0]) && isnan(d.sums[2 * GROUPS - 1]));
    test_recurrence_finish(&d);
    test_recurrence_finish(&expected);
}

static void test_bicgstab_x__reasons_to_stop_are_told_apart(void **state)
{
    expect_x_stops(*state, NAN, 1, 0, KRYLOV_NOT_FINITE);
    expect_x_stops(*state, 1, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_x_stops(*state, 1, 1, KRYLOV_BREAKDOWN_ALPHA,
                   KRYLOV_BREAKDOWN_ALPHA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicgstab_p__first_direction_is_the_residual),
        cmocka_unit_test(test_bicgstab_p__later_directions_follow_the_formula),
        cmocka_unit_test(test_bicgstab_p__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_bicgstab_p__hands_on_why_the_iteration_ended),
        cmocka_unit_test(test_bicgstab_s__takes_alpha_v_from_the_residual),
        cmocka_unit_test(test_bicgstab_s__reasons_to_stop_are_told_apart),
        cmocka_unit_test(
            test_bicgstab_x__adds_both_steps_and_sums_the_residual),
        cmocka_unit_test(
            test_bicgstab_x__takes_the_first_step_alone_where_t_is_zero),
        cmocka_unit_test(test_bicgstab_x__reasons_to_stop_are_told_apart),
    };
    return test_device_run(tests);
}
