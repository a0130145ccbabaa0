// SPDX-License-Identifier: BSD-3-Clause
// bicgstab_pairs.cl: each of the kernels compared with its formulas in complex
// arithmetic on the host.
#include "tests/support/device.h"
#include "tests/support/recurrence.h"

#include "cl/krylov/bicgstab.cl.h"
#include "host/launch.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { R, V, P, Y, Z, T, R0, X };
enum { GROUPS = TEST_RECURRENCE_GROUPS };

typedef double _Complex number;

// ------------------------------------------------------------------ launching

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    const struct lcl_spec spec = {
        .source = "bicgstab_pairs.cl",
        .kernel = name,
        .group = test_group(ctx, 3),
    };
    return test_kernel(ctx, &spec);
}

// Partial sums with this total.
static lcl_buffer *upload_sums(lcl_context *ctx, double sum)
{
    double sums[GROUPS];
    test_set_sums(sums, sum);
    return test_upload(ctx, sums, GROUPS, sizeof *sums);
}

static void run_p(lcl_context *ctx, struct test_recurrence *d, int it,
                  double im, double limit)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    lcl_buffer *cross = upload_sums(ctx, im);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "bicgstab_pairs_p"), GROUPS, lcl_arg_int(it),
                   lcl_arg_long(d->n / 2), lcl_arg_double(4),
                   lcl_arg_double(limit), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(cross),
                   lcl_arg_buffer(D.vector[R]), lcl_arg_buffer(D.vector[V]),
                   lcl_arg_buffer(D.vector[P]), lcl_arg_buffer(D.state),
                   lcl_arg_buffer(D.stop)),
        LCL_OK);
    lcl_buffer_destroy(&cross);
    test_recurrence_download(&D, d);
}

static void run_s(lcl_context *ctx, struct test_recurrence *d, int it,
                  double im)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    lcl_buffer *cross = upload_sums(ctx, im);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "bicgstab_pairs_s"), GROUPS, lcl_arg_int(it),
                   lcl_arg_long(d->n / 2), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(cross),
                   lcl_arg_buffer(D.vector[V]), lcl_arg_buffer(D.vector[R]),
                   lcl_arg_buffer(D.state), lcl_arg_buffer(D.stop)),
        LCL_OK);
    lcl_buffer_destroy(&cross);
    test_recurrence_download(&D, d);
}

// next_im receives the sums of the imaginary part.
static void run_x(lcl_context *ctx, struct test_recurrence *d, double im,
                  double next_im[GROUPS])
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    lcl_buffer *cross = upload_sums(ctx, im);
    lcl_buffer *next = test_poisoned(ctx, GROUPS, sizeof *next_im);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "bicgstab_pairs_x"), GROUPS,
                   lcl_arg_long(d->n / 2), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(cross),
                   lcl_arg_buffer(D.vector[Y]), lcl_arg_buffer(D.vector[Z]),
                   lcl_arg_buffer(D.vector[T]), lcl_arg_buffer(D.vector[R0]),
                   lcl_arg_buffer(D.vector[X]), lcl_arg_buffer(D.vector[R]),
                   lcl_arg_buffer(D.next), lcl_arg_buffer(next),
                   lcl_arg_buffer(D.state), lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_download(next, next_im, GROUPS, sizeof *next_im);
    lcl_buffer_destroy(&cross);
    lcl_buffer_destroy(&next);
    test_recurrence_download(&D, d);
}

// ------------------------------------------------------------------ numbers

// An odd last element belongs to no number.
static number *numbers(const struct test_recurrence *d, int vector)
{
    return (number *)d->vector[vector];
}

static number word(const struct test_recurrence *d, int at)
{
    return d->state[at] + I * d->state[at + BICGSTAB_IMAGINARY];
}

static void set_word(struct test_recurrence *d, int at, number value)
{
    d->state[at] = creal(value);
    d->state[at + BICGSTAB_IMAGINARY] = cimag(value);
}

// ------------------------------------------------------------------ cross

static void test_bicgstab_pairs_cross__is_an_imaginary_part(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    struct test_recurrence_device D = test_recurrence_upload(*state, &d);
    lcl_buffer *im = test_poisoned(*state, GROUPS, sizeof(double));
    for (int stopped = 1; stopped >= 0; --stopped) {
        double sums[GROUPS];
        const int32_t stop = stopped;
        lcl_buffer *flag = test_upload(*state, &stop, 1, sizeof stop);
        assert_int_equal(
            LCL_LAUNCH(kernel_of(*state, "bicgstab_pairs_cross"), GROUPS,
                       lcl_arg_long(d.n / 2), lcl_arg_buffer(D.vector[R0]),
                       lcl_arg_buffer(D.vector[V]), lcl_arg_buffer(im),
                       lcl_arg_buffer(flag), lcl_arg_int(0)),
            LCL_OK);
        test_download(im, sums, GROUPS, sizeof *sums);
        lcl_buffer_destroy(&flag);
        number expected = 0;
        for (int64_t k = 0; k < d.n / 2; ++k)
            expected += conj(numbers(&d, R0)[k]) * numbers(&d, V)[k];
        if (stopped)
            assert_true(isnan(sums[0]) && isnan(sums[GROUPS - 1]));
        else
            assert_true(fabs(test_sum_of(sums) - cimag(expected)) < 1e-10);
    }
    lcl_buffer_destroy(&im);
    test_recurrence_download(&D, &d);
    test_recurrence_finish(&d);
}

// ------------------------------------------------------------------ p

static void note_p(struct test_recurrence *d, int it, number rho, double rr,
                   int reason)
{
    set_word(d, BICGSTAB_RHO + it % 2, rho);
    d->state[KRYLOV_STEPS] = it;
    if (reason)
        d->state[KRYLOV_REASON] = reason;
    d->state[KRYLOV_RING + it % 256] = rr;
    d->stop[BICGSTAB_STOP_P] = reason;
}

static void test_bicgstab_pairs_p__first_direction_is_the_residual(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, NAN, 4);
    struct test_recurrence expected = test_recurrence_copy(&d);
    memcpy(expected.vector[P], d.vector[R], (size_t)(d.n / 2) * sizeof(number));
    note_p(&expected, 0, 4, 4, 0);
    run_p(*state, &d, 0, NAN, 1e-3);
    test_recurrence_settle(&d, &expected);
}

static void test_bicgstab_pairs_p__later_directions_follow_the_formula(
    void **state)
{
    struct test_recurrence d = test_recurrence_make();
    const int it = 257;
    const number rho = -3 + 5 * I;
    test_recurrence_set_sums(&d, creal(rho), 2);
    set_word(&d, BICGSTAB_OMEGA, 0.5 - 2 * I);
    set_word(&d, BICGSTAB_ALPHA, -1 + 0.25 * I);
    set_word(&d, BICGSTAB_RHO + (it + 1) % 2, 2 * I);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const number omega = word(&d, BICGSTAB_OMEGA);
    const number beta = rho / word(&d, BICGSTAB_RHO + (it + 1) % 2) *
                        (word(&d, BICGSTAB_ALPHA) / omega);
    for (int64_t k = 0; k < d.n / 2; ++k)
        numbers(&expected, P)[k] =
            numbers(&d, R)[k] +
            beta * (numbers(&d, P)[k] - omega * numbers(&d, V)[k]);
    note_p(&expected, it, rho, 2, 0);
    run_p(*state, &d, it, cimag(rho), 1e-3);
    test_recurrence_settle(&d, &expected);
}

static void expect_p_stops(lcl_context *ctx, number rho, double rr,
                           number omega, int reason)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, creal(rho), rr);
    set_word(&d, BICGSTAB_OMEGA, omega);
    struct test_recurrence expected = test_recurrence_copy(&d);
    note_p(&expected, 3, rho, rr, reason);
    run_p(ctx, &d, 3, cimag(rho), 1e-3);
    // numbers that are not finite cannot be compared
    if (reason == KRYLOV_NOT_FINITE) {
        d.state[KRYLOV_RING + 3] = expected.state[KRYLOV_RING + 3] = 0;
        set_word(&d, BICGSTAB_RHO + 1, 0);
        set_word(&expected, BICGSTAB_RHO + 1, 0);
    }
    test_recurrence_settle(&d, &expected);
}

static void test_bicgstab_pairs_p__reasons_to_stop_are_told_apart(void **state)
{
    expect_p_stops(*state, I, 1e-3, 1, KRYLOV_CONVERGED);
    expect_p_stops(*state, 1, 1, 0, KRYLOV_BREAKDOWN_OMEGA);
    expect_p_stops(*state, 0, 1, I, KRYLOV_BREAKDOWN_RHO);
    expect_p_stops(*state, 1e-17 * I, 1, 1, KRYLOV_BREAKDOWN_RHO);
    expect_p_stops(*state, NAN, 1, 1, KRYLOV_NOT_FINITE);
    expect_p_stops(*state, 1, INFINITY, 1, KRYLOV_NOT_FINITE);
}

// ------------------------------------------------------------------ s

static void expect_s(lcl_context *ctx, number rho, number r0v)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, creal(r0v), NAN);
    set_word(&d, BICGSTAB_RHO + 1, rho);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const number alpha = rho / r0v;
    set_word(&expected, BICGSTAB_ALPHA, alpha);
    for (int64_t k = 0; k < d.n / 2; ++k)
        numbers(&expected, R)[k] -= alpha * numbers(&d, V)[k];
    run_s(ctx, &d, 7, cimag(r0v));
    test_recurrence_settle(&d, &expected);
}

static void test_bicgstab_pairs_s__takes_alpha_v_from_the_residual(void **state)
{
    expect_s(*state, 2 - 3 * I, 5 + I);
    expect_s(*state, 2, 4 * I);
    expect_s(*state, 1e-200 * I, 3e-200 + 1e-200 * I);
    expect_s(*state, 1e200 * I, 3e200 - 1e200 * I);
}

static void expect_s_stops(lcl_context *ctx, number r0v, int32_t before,
                           int reason)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, creal(r0v), NAN);
    d.stop[BICGSTAB_STOP_P] = before;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[BICGSTAB_STOP_S] = reason;
    if (!before)
        expected.state[KRYLOV_REASON] = reason;
    run_s(ctx, &d, 0, cimag(r0v));
    if (!before) {
        assert_false(isfinite(d.state[BICGSTAB_ALPHA]));
        set_word(&d, BICGSTAB_ALPHA, 0);
        set_word(&expected, BICGSTAB_ALPHA, 0);
    }
    test_recurrence_settle(&d, &expected);
}

static void test_bicgstab_pairs_s__reasons_to_stop_are_told_apart(void **state)
{
    expect_s_stops(*state, 0, 0, KRYLOV_BREAKDOWN_ALPHA);
    expect_s_stops(*state, NAN, 0, KRYLOV_NOT_FINITE);
    expect_s_stops(*state, 1, KRYLOV_CONVERGED, KRYLOV_CONVERGED);
}

// ------------------------------------------------------------------ x

static void expect_x(lcl_context *ctx, number tr, double tt, number omega)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, creal(tr), tt);
    set_word(&d, BICGSTAB_ALPHA, 0.5 - 2 * I);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const number alpha = word(&d, BICGSTAB_ALPHA);
    number r0r = 0, rr = 0;
    double next_im[GROUPS];
    set_word(&expected, BICGSTAB_OMEGA, omega);
    for (int64_t k = 0; k < d.n / 2; ++k) {
        numbers(&expected, X)[k] +=
            alpha * numbers(&d, Y)[k] + omega * numbers(&d, Z)[k];
        const number r = numbers(&expected, R)[k] -= omega * numbers(&d, T)[k];
        r0r += conj(numbers(&d, R0)[k]) * r;
        rr += conj(r) * r;
    }
    run_x(ctx, &d, cimag(tr), next_im);
    test_recurrence_expect(&d, &expected);
    const double sums[] = {test_sum_of(d.sums), test_sum_of(d.sums + GROUPS),
                           test_sum_of(next_im)};
    const double right[] = {creal(r0r), creal(rr), cimag(r0r)};
    test_expect_near("<r0, r>, <r, r>", sums, right, 3, 1e-11);
    test_recurrence_finish(&d);
    test_recurrence_finish(&expected);
}

static void test_bicgstab_pairs_x__adds_both_steps_and_sums_the_residual(
    void **state)
{
    expect_x(*state, 3 - I, 4, 0.75 - 0.25 * I);
    expect_x(*state, 0, 0, 0);
}

static void expect_x_stops(lcl_context *ctx, number tr, double tt,
                           int32_t before, int reason)
{
    struct test_recurrence d = test_recurrence_make();
    double next_im[GROUPS];
    test_recurrence_set_sums(&d, creal(tr), tt);
    d.stop[BICGSTAB_STOP_S] = before;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[BICGSTAB_STOP_X] = reason;
    if (!before)
        expected.state[KRYLOV_REASON] = reason;
    run_x(ctx, &d, cimag(tr), next_im);
    set_word(&d, BICGSTAB_OMEGA, word(&expected, BICGSTAB_OMEGA));
    test_recurrence_expect(&d, &expected);
    assert_true(isnan(d.sums[0]) && isnan(next_im[GROUPS - 1]));
    test_recurrence_finish(&d);
    test_recurrence_finish(&expected);
}

static void test_bicgstab_pairs_x__reasons_to_stop_are_told_apart(void **state)
{
    expect_x_stops(*state, NAN, 1, 0, KRYLOV_NOT_FINITE);
    expect_x_stops(*state, 1, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_x_stops(*state, 1, 1, KRYLOV_BREAKDOWN_ALPHA,
                   KRYLOV_BREAKDOWN_ALPHA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bicgstab_pairs_cross__is_an_imaginary_part),
        cmocka_unit_test(
            test_bicgstab_pairs_p__first_direction_is_the_residual),
        cmocka_unit_test(
            test_bicgstab_pairs_p__later_directions_follow_the_formula),
        cmocka_unit_test(test_bicgstab_pairs_p__reasons_to_stop_are_told_apart),
        cmocka_unit_test(
            test_bicgstab_pairs_s__takes_alpha_v_from_the_residual),
        cmocka_unit_test(test_bicgstab_pairs_s__reasons_to_stop_are_told_apart),
        cmocka_unit_test(
            test_bicgstab_pairs_x__adds_both_steps_and_sums_the_residual),
        cmocka_unit_test(test_bicgstab_pairs_x__reasons_to_stop_are_told_apart),
    };
    return test_device_run(tests);
}
