// SPDX-License-Identifier: BSD-3-Clause
// idr_step.cl: the kernels of an inner step, each compared with its formulas on
// the host, for several s.
#include "tests/support/device.h"
#include "tests/support/idr_data.h"

#include "host/launch.h"
#include "lib/ref/idr.h"
#include "lib/ref/vector.h"

#include <math.h>
#include <string.h>

enum { GROUPS = TEST_RECURRENCE_GROUPS };

// ------------------------------------------------------------------ launching

static lcl_kernel *kernel_of(lcl_context *ctx, int s, const char *name)
{
    return test_idr_kernel(ctx, s, "idr_step.cl", name);
}

static void run_v(lcl_context *ctx, struct test_idr *d)
{
    struct test_idr_device D = test_idr_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d->s, "idr_v"), GROUPS, lcl_arg_long(d->n),
                   lcl_arg_int(GROUPS), lcl_arg_buffer(D.vector[IDR_ROWS]),
                   lcl_arg_buffer(D.vector[IDR_R]),
                   lcl_arg_buffer(D.vector[IDR_G]),
                   lcl_arg_buffer(D.vector[IDR_V]),
                   lcl_arg_buffer(D.vector[IDR_STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_idr_download(&D, d);
}

static void run_u(lcl_context *ctx, struct test_idr *d, int it, int k)
{
    struct test_idr_device D = test_idr_upload(ctx, d);
    const enum test_idr_vector from = k == 0 ? IDR_ROWS : IDR_NORM;
    assert_int_equal(
        LCL_LAUNCH(
            kernel_of(ctx, d->s, "idr_u"), GROUPS, lcl_arg_int(it),
            lcl_arg_int(k), lcl_arg_long(d->n), lcl_arg_double(1e-3),
            lcl_arg_int(GROUPS), lcl_arg_int(k == 0 ? d->s : 0),
            lcl_arg_buffer(D.vector[from]), lcl_arg_buffer(D.vector[IDR_Y]),
            lcl_arg_buffer(D.vector[IDR_U]), lcl_arg_buffer(D.vector[IDR_U1]),
            lcl_arg_buffer(D.vector[IDR_STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_idr_download(&D, d);
}

static void run_step(lcl_context *ctx, struct test_idr *d, int k)
{
    struct test_idr_device D = test_idr_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(
            kernel_of(ctx, d->s, "idr_step"), GROUPS, lcl_arg_int(k),
            lcl_arg_long(d->n), lcl_arg_int(GROUPS),
            lcl_arg_buffer(D.vector[IDR_ROWS]), lcl_arg_buffer(D.vector[IDR_T]),
            lcl_arg_buffer(D.vector[IDR_U1]), lcl_arg_buffer(D.vector[IDR_G]),
            lcl_arg_buffer(D.vector[IDR_U]), lcl_arg_buffer(D.vector[IDR_X]),
            lcl_arg_buffer(D.vector[IDR_R]), lcl_arg_buffer(D.vector[IDR_V]),
            lcl_arg_buffer(D.vector[IDR_NORM]),
            lcl_arg_buffer(D.vector[IDR_STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_idr_download(&D, d);
}

// ------------------------------------------------------------------ idr_v

// c = m^-1 c for rows and columns >= k; m stores reciprocals on its diagonal.
static void solve_small(const struct test_idr *d, double *c, int k)
{
    for (int i = k; i < d->s; ++i) {
        for (int j = k; j < i; ++j)
            c[i] -= *test_idr_m(d, i, j) * c[j];
        c[i] *= *test_idr_m(d, i, i);
    }
}

// v = r - sum_{j>=k} c_j g_j
static void expect_v(struct test_idr *d, const double *c, int k)
{
    for (int64_t i = 0; i < d->n; ++i) {
        double v = d->vector[IDR_R][i];
        for (int j = k; j < d->s; ++j)
            v -= c[j] * d->vector[IDR_G][j * d->n + i];
        d->vector[IDR_V][i] = v;
    }
}

static void test_idr_v__takes_the_directions_out_of_the_residual(void **state)
{
    for (int i = 0; i < TEST_IDR_SIZES; ++i) {
        struct test_idr d = test_idr_make(test_idr_sizes[i]),
                        expected = test_idr_copy(&d);
        double *c = test_idr_c(&expected);
        for (int j = 0; j < d.s; ++j)
            test_idr_f(&expected, 0)[j] = c[j] =
                test_sum_of(test_idr_row(&d, j));
        solve_small(&d, c, 0);
        expect_v(&expected, c, 0);
        run_v(*state, &d);
        test_idr_expect(&d, &expected);
    }
}

static void test_idr_v__hands_on_why_the_method_ended(void **state)
{
    struct test_idr d = test_idr_make(3);
    d.stop[IDR_STOP_O] = KRYLOV_BREAKDOWN_OMEGA;
    struct test_idr expected = test_idr_copy(&d);
    expected.stop[IDR_STOP_R] = KRYLOV_BREAKDOWN_OMEGA;
    run_v(*state, &d);
    test_idr_expect(&d, &expected);
}

// ------------------------------------------------------------------ idr_u

static void expect_u(lcl_context *ctx, int s, int it, int k)
{
    struct test_idr d = test_idr_make(s);
    test_set_sums(k == 0 ? test_idr_row(&d, s) : d.vector[IDR_NORM], 2);
    struct test_idr expected = test_idr_copy(&d);
    const double omega = it < s ? 1 : d.vector[IDR_STATE][IDR_OMEGA];
    for (int64_t i = 0; i < d.n; ++i) {
        double u = omega * d.vector[IDR_Y][i];
        for (int j = k; j < s; ++j)
            u += test_idr_c(&d)[j] * d.vector[IDR_U][j * d.n + i];
        expected.vector[IDR_U1][i] = u;
    }
    test_idr_note(&expected, it, 2, IDR_STOP_U, 0);
    run_u(ctx, &d, it, k);
    test_idr_expect(&d, &expected);
}

static void test_idr_u__follows_the_formula_in_every_step(void **state)
{
    for (int i = 0; i < TEST_IDR_SIZES; ++i)
        for (int k = 0; k < test_idr_sizes[i]; ++k)
            expect_u(*state, test_idr_sizes[i],
                     30 * (test_idr_sizes[i] + 1) + k, k);
}

static void test_idr_u__first_cycle_has_no_omega(void **state)
{
    expect_u(*state, 3, 0, 0);
    expect_u(*state, 3, 2, 2);
}

static void expect_u_stops(lcl_context *ctx, double rr, int32_t before,
                           int reason)
{
    struct test_idr d = test_idr_make(3);
    test_set_sums(d.vector[IDR_NORM], rr);
    d.stop[IDR_STOP_R] = before;
    struct test_idr expected = test_idr_copy(&d);
    if (before)
        expected.stop[IDR_STOP_U] = before;
    else
        test_idr_note(&expected, 5, rr, IDR_STOP_U, reason);
    run_u(ctx, &d, 5, 1);
    if (!isfinite(rr))
        test_idr_forget(&d, &expected, 5);
    test_idr_expect(&d, &expected);
}

static void test_idr_u__reasons_to_stop_are_told_apart(void **state)
{
    expect_u_stops(*state, 1e-3, 0, KRYLOV_CONVERGED);
    expect_u_stops(*state, 0, 0, KRYLOV_CONVERGED);
    expect_u_stops(*state, NAN, 0, KRYLOV_NOT_FINITE);
    expect_u_stops(*state, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_u_stops(*state, 1, KRYLOV_BREAKDOWN_ALPHA, KRYLOV_BREAKDOWN_ALPHA);
}

// ------------------------------------------------------------------ idr_step

// Column k of m, f and c from rows h. alpha is computed sequentially, as
// published.
static double small_step(struct test_idr *d, int k, double *alpha)
{
    const int s = d->s;
    double h[LCL_REF_IDR_MAX_S] = {0};
    const double *f = test_idr_f(d, k);
    for (int i = 0; i < s; ++i)
        h[i] = test_sum_of(test_idr_row(d, i));
    for (int j = 0; j < k; ++j) {
        alpha[j] = h[j] * *test_idr_m(d, j, j);
        for (int i = j + 1; i < s; ++i)
            h[i] -= alpha[j] * *test_idr_m(d, i, j);
    }
    const double beta = f[k] / h[k];
    double *c = test_idr_c(d);
    *test_idr_m(d, k, k) = 1 / h[k];
    for (int i = k + 1; i < s; ++i) {
        *test_idr_m(d, i, k) = h[i];
        c[i] = test_idr_f(d, k + 1)[i] = f[i] - beta * h[i];
    }
    solve_small(d, c, k + 1);
    return beta;
}

static void expect_step(lcl_context *ctx, int s, int k)
{
    struct test_idr d = test_idr_make(s), expected = test_idr_copy(&d);
    double alpha[LCL_REF_IDR_MAX_S];
    double *g = expected.vector[IDR_G] + k * d.n,
           *u = expected.vector[IDR_U] + k * d.n;
    const double beta = small_step(&expected, k, alpha);
    memcpy(g, d.vector[IDR_T], (size_t)d.n * sizeof *g);
    memcpy(u, d.vector[IDR_U1], (size_t)d.n * sizeof *u);
    for (int j = 0; j < k; ++j) {
        lcl_ref_axpy(d.n, -alpha[j], d.vector[IDR_G] + j * d.n, g);
        lcl_ref_axpy(d.n, -alpha[j], d.vector[IDR_U] + j * d.n, u);
    }
    lcl_ref_axpy(d.n, beta, u, expected.vector[IDR_X]);
    lcl_ref_axpy(d.n, -beta, g, expected.vector[IDR_R]);
    if (k + 1 < s)
        expect_v(&expected, test_idr_c(&expected), k + 1);
    test_set_sums(
        expected.vector[IDR_NORM],
        lcl_ref_dot(d.n, expected.vector[IDR_R], expected.vector[IDR_R]));
    run_step(ctx, &d, k);
    test_idr_expect(&d, &expected);
}

static void test_idr_step__does_what_the_published_loop_does(void **state)
{
    for (int i = 0; i < TEST_IDR_SIZES; ++i)
        for (int k = 0; k < test_idr_sizes[i]; ++k)
            expect_step(*state, test_idr_sizes[i], k);
}

// In the first step of a cycle, where h is the pivot, <t, t> = tt.
static void expect_step_stops(lcl_context *ctx, double pivot, double tt,
                              int32_t before, int reason)
{
    struct test_idr d = test_idr_make(3);
    test_set_sums(test_idr_row(&d, 0), pivot);
    test_set_sums(test_idr_row(&d, 3), tt);
    d.stop[IDR_STOP_U] = before;
    struct test_idr expected = test_idr_copy(&d);
    expected.stop[IDR_STOP_R] = reason;
    if (!before)
        expected.vector[IDR_STATE][KRYLOV_REASON] = reason;
    run_step(ctx, &d, 0);
    const int kept = (int)test_idr_length(&d, IDR_STATE) - IDR_C;
    for (int w = 0; w < kept && !before; ++w) // unused from here on
        test_idr_c(&d)[w] = test_idr_c(&expected)[w];
    for (int row = 0; row <= 3; row += 3) {
        test_set_sums(test_idr_row(&d, row), 0);
        test_set_sums(test_idr_row(&expected, row), 0);
    }
    test_idr_expect(&d, &expected);
}

static void test_idr_step__reasons_to_stop_are_told_apart(void **state)
{
    expect_step_stops(*state, 0, 1, 0, KRYLOV_BREAKDOWN_ALPHA);
    expect_step_stops(*state, 0, 0, 0, KRYLOV_BREAKDOWN_ALPHA);
    expect_step_stops(*state, 1e-17, 1, 0, KRYLOV_BREAKDOWN_ALPHA);
    expect_step_stops(*state, 1e-310, 1e-320, 0, KRYLOV_BREAKDOWN_ALPHA);
    expect_step_stops(*state, NAN, 1, 0, KRYLOV_NOT_FINITE);
    expect_step_stops(*state, 1, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_step_stops(*state, 1, 1, KRYLOV_CONVERGED, KRYLOV_CONVERGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idr_v__takes_the_directions_out_of_the_residual),
        cmocka_unit_test(test_idr_v__hands_on_why_the_method_ended),
        cmocka_unit_test(test_idr_u__follows_the_formula_in_every_step),
        cmocka_unit_test(test_idr_u__first_cycle_has_no_omega),
        cmocka_unit_test(test_idr_u__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_idr_step__does_what_the_published_loop_does),
        cmocka_unit_test(test_idr_step__reasons_to_stop_are_told_apart),
    };
    return test_device_run(tests);
}
