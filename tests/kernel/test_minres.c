// SPDX-License-Identifier: BSD-3-Clause
// minres.cl: each kernel compared with its formulas on the host.
#include "tests/support/device.h"
#include "tests/support/recurrence.h"

#include "cl/krylov/minres.cl.h"
#include "host/launch.h"

#include <math.h>
#include <string.h>

// Vectors: v', v'', w' and w'' share theirs.
enum { Q, V, V_OLD, Z, W, W_OLD, X, R };
enum { GROUPS = TEST_RECURRENCE_GROUPS };

struct scalars {
    double b, c, s, d, e, phi;
};

static const struct scalars some = {1.5, 0.8, 0.6, -0.7, 0.4, 3};
static const struct scalars before = {2.5, 0.28, 0.96, 0.1, 0.2, 5};

static double *scalars_at(struct test_recurrence *d, int it)
{
    return d->state + MINRES_SCALARS + 6 * (it % 2);
}

static void set_scalars(struct test_recurrence *d, int it,
                        const struct scalars *t)
{
    memcpy(scalars_at(d, it), t, sizeof *t);
}

// Data of iteration `it`: scalars of this one and of the one before.
static struct test_recurrence make(int it, const struct scalars *t)
{
    struct test_recurrence d = test_recurrence_make();
    set_scalars(&d, it, t);
    set_scalars(&d, it + 1, &before);
    d.state[MINRES_ALPHA] = -1.75;
    return d;
}

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    const struct lcl_spec spec = {
        .source = "minres.cl",
        .kernel = name,
        .group = test_group(ctx, 2),
    };
    return test_kernel(ctx, &spec);
}

// Reads everything back; the kernels write to `sums`.
static void download(struct test_recurrence_device *D,
                     struct test_recurrence *d)
{
    double sums[TEST_RECURRENCE_ROWS * GROUPS];
    test_download(D->sums, sums, TEST_RECURRENCE_ROWS * GROUPS, sizeof *sums);
    test_recurrence_download(D, d);
    memcpy(d->sums, sums, sizeof sums);
}

static void run_v(lcl_context *ctx, struct test_recurrence *d, int it,
                  bool plain, double zq)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    double dots[GROUPS];
    test_set_sums(dots, zq);
    lcl_buffer *on_device = test_upload(ctx, dots, GROUPS, sizeof *dots);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "minres_v"), GROUPS, lcl_arg_int(it),
                   lcl_arg_long(d->n), lcl_arg_double(1e-3),
                   lcl_arg_int(GROUPS), lcl_arg_int(plain),
                   lcl_arg_buffer(on_device), lcl_arg_buffer(D.sums),
                   lcl_arg_buffer(D.vector[Q]), lcl_arg_buffer(D.vector[V]),
                   lcl_arg_buffer(D.vector[V_OLD]), lcl_arg_buffer(D.state),
                   lcl_arg_buffer(D.stop)),
        LCL_OK);
    lcl_buffer_destroy(&on_device);
    download(&D, d);
}

static void run_x(lcl_context *ctx, struct test_recurrence *d, int it,
                  bool plain)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "minres_x"), GROUPS, lcl_arg_int(it),
                   lcl_arg_long(d->n), lcl_arg_int(GROUPS), lcl_arg_int(plain),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(D.vector[Z]),
                   lcl_arg_buffer(D.vector[V]), lcl_arg_buffer(D.vector[W]),
                   lcl_arg_buffer(D.vector[W_OLD]), lcl_arg_buffer(D.vector[X]),
                   lcl_arg_buffer(D.vector[R]), lcl_arg_buffer(D.state),
                   lcl_arg_buffer(D.stop)),
        LCL_OK);
    download(&D, d);
}

// ------------------------------------------------------------------ minres_v

// The state and the stopping flag after the kernel.
static void note_v(struct test_recurrence *d, int it, double alpha, double rr,
                   int reason)
{
    d->state[MINRES_ALPHA] = alpha;
    d->state[KRYLOV_STEPS] = it;
    d->state[KRYLOV_RING + it % 256] = rr;
    d->stop[MINRES_STOP_V] = reason;
    if (reason)
        d->state[KRYLOV_REASON] = reason;
}

static void add_q_and_v(struct test_recurrence *d, double alpha, double b,
                        double of_old)
{
    for (int64_t i = 0; i < d->n; ++i)
        d->vector[V_OLD][i] = d->vector[Q][i] / b -
                              alpha / fabs(b) * d->vector[V][i] -
                              of_old * d->vector[V_OLD][i];
}

// <v'', v''> where z is v; nothing else changes the partial sums.
static void expect_v_sums(const struct test_recurrence *d,
                          const struct test_recurrence *expected, bool plain)
{
    double sum = test_sum_of(d->sums), right = test_sum_of(expected->sums);
    if (plain) {
        const double *v = expected->vector[V_OLD];
        right = 0;
        for (int64_t i = 0; i < expected->n; ++i)
            right += v[i] * v[i];
    }
    test_expect_near("<v, z>", &sum, &right, 1, 1e-11 * fabs(right));
    sum = test_sum_of(d->sums + GROUPS);
    right = test_sum_of(expected->sums + GROUPS);
    test_expect_near("<r, r>", &sum, &right, 1, 0);
}

// Iteration 0 takes b from <v, z>, or from <r, r> if z is v.
static void expect_first(lcl_context *ctx, double vz, bool plain)
{
    struct test_recurrence d = make(0, &some);
    test_recurrence_set_sums(&d, plain ? 77 : vz, 4);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const double b = plain ? 2 : copysign(sqrt(fabs(vz)), vz);
    const double alpha = 3 / (b * b);
    const struct scalars t = {b, -1, 0, 0, 0, fabs(b)};
    set_scalars(&expected, 0, &t);
    add_q_and_v(&expected, alpha, b, 0);
    note_v(&expected, 0, alpha, 4, 0);
    run_v(ctx, &d, 0, plain, 3);
    expect_v_sums(&d, &expected, plain);
    test_recurrence_settle(&d, &expected);
}

static void test_minres_v__first_scalars_follow_from_the_sums(void **state)
{
    expect_first(*state, 9, false);
    expect_first(*state, -9, false);
    expect_first(*state, 9, true);
}

// With a negative definite M both b are negative.
static void expect_vector(lcl_context *ctx, int it, bool plain, double sign)
{
    struct scalars t = some;
    t.b *= sign;
    struct test_recurrence d = make(it, &t);
    scalars_at(&d, it + 1)[0] *= sign;
    test_recurrence_set_sums(&d, 6, 2);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const double alpha = -0.9 / (t.b * t.b);
    add_q_and_v(&expected, alpha, t.b, some.b / before.b);
    note_v(&expected, it, alpha, plain ? t.phi * t.phi : 2, 0);
    run_v(ctx, &d, it, plain, -0.9);
    expect_v_sums(&d, &expected, plain);
    test_recurrence_settle(&d, &expected);
}

static void test_minres_v__next_vector_follows_the_formula(void **state)
{
    for (int it = 257; it < 259; ++it)
        for (int plain = 0; plain < 2; ++plain) {
            expect_vector(*state, it, plain, 1);
            expect_vector(*state, it, plain, -1);
        }
}

static void expect_v_stops(lcl_context *ctx, double b, double zq, double rr,
                           int reason)
{
    const int it = 4;
    struct scalars t = some;
    t.b = b;
    struct test_recurrence d = make(it, &t);
    test_recurrence_set_sums(&d, 1, rr);
    struct test_recurrence expected = test_recurrence_copy(&d);
    note_v(&expected, it, d.state[MINRES_ALPHA], rr, reason);
    run_v(ctx, &d, it, false, zq);
    // numbers that are not finite cannot be compared; alpha is unused
    assert_true(isfinite(rr) == isfinite(d.state[KRYLOV_RING + it]));
    d.state[MINRES_ALPHA] = expected.state[MINRES_ALPHA];
    if (!isfinite(rr))
        d.state[KRYLOV_RING + it] = expected.state[KRYLOV_RING + it] = 0;
    if (!isfinite(b))
        scalars_at(&d, it)[0] = scalars_at(&expected, it)[0] = 0;
    test_recurrence_settle(&d, &expected);
}

static void test_minres_v__reasons_to_stop_are_told_apart(void **state)
{
    expect_v_stops(*state, 1, 1, 1e-3, KRYLOV_CONVERGED);
    expect_v_stops(*state, 0, 0, 1e-4, KRYLOV_CONVERGED);
    expect_v_stops(*state, 1, NAN, 1e-4, KRYLOV_CONVERGED);
    expect_v_stops(*state, 0, 0, 1, KRYLOV_INDEFINITE_M);
    expect_v_stops(*state, 1, NAN, 1, KRYLOV_NOT_FINITE);
    expect_v_stops(*state, 1, INFINITY, 1, KRYLOV_NOT_FINITE);
    expect_v_stops(*state, NAN, 1, 1, KRYLOV_NOT_FINITE);
    expect_v_stops(*state, 1, 1, NAN, KRYLOV_NOT_FINITE);
}

static void test_minres_v__zero_first_product_is_an_indefinite_precond(
    void **state)
{
    struct test_recurrence d = make(0, &some);
    test_recurrence_set_sums(&d, 0, 4);
    run_v(*state, &d, 0, false, 3);
    assert_int_equal(d.stop[MINRES_STOP_V], KRYLOV_INDEFINITE_M);
    test_recurrence_finish(&d);
}

static void test_minres_v__hands_on_why_the_iteration_ended(void **state)
{
    struct test_recurrence d = make(1, &some);
    d.stop[MINRES_STOP_X] = KRYLOV_INDEFINITE_M;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[MINRES_STOP_V] = KRYLOV_INDEFINITE_M;
    run_v(*state, &d, 1, false, 1);
    test_recurrence_settle(&d, &expected);
}

// ------------------------------------------------------------------ minres_x

// The column (e, d, rho) of the triangular factor, and the next scalars.
static struct scalars rotated(const struct scalars *t, double alpha, double b,
                              double *d, double *rho)
{
    const double before_it = t->s * t->d - t->c * alpha;
    *rho = sqrt(before_it * before_it + b * b);
    *d = t->c * t->d + t->s * alpha;
    return (struct scalars){b,
                            before_it / *rho,
                            fabs(b) / *rho,
                            -t->c * fabs(b),
                            t->s * fabs(b),
                            fabs(b) / *rho * t->phi};
}

static void expect_step(lcl_context *ctx, int it, bool plain, double sign)
{
    struct scalars t = some;
    t.b *= sign;
    struct test_recurrence data = make(it, &t);
    test_recurrence_set_sums(&data, sign * 1.21, 0);
    struct test_recurrence expected = test_recurrence_copy(&data);
    double d, rho, rr = 0, sum;
    const struct scalars u =
        rotated(&t, data.state[MINRES_ALPHA], sign * 1.1, &d, &rho);
    double *const *v = expected.vector;
    for (int64_t i = 0; i < data.n; ++i) {
        v[W_OLD][i] = (v[Z][i] / t.b - d * v[W][i] - t.e * v[W_OLD][i]) / rho;
        v[X][i] += u.c * t.phi * v[W_OLD][i];
        if (!plain)
            v[R][i] = u.s * u.s * v[R][i] - u.c * t.phi / rho * v[V][i];
        rr += v[R][i] * v[R][i];
    }
    set_scalars(&expected, it + 1, &u);
    expected.stop[MINRES_STOP_X] = 0;
    run_x(ctx, &data, it, plain);
    sum = test_sum_of(data.sums + GROUPS);
    rr = plain ? 0 : rr;
    test_expect_near("<r, r>", &sum, &rr, 1, 1e-11 * rr);
    sum = test_sum_of(data.sums);
    test_expect_near("<v, z>", &sum, &(double){sign * 1.21}, 1, 1e-15);
    test_recurrence_settle(&data, &expected);
}

static void test_minres_x__step_and_residual_follow_the_formulas(void **state)
{
    for (int it = 6; it < 8; ++it)
        for (int plain = 0; plain < 2; ++plain) {
            expect_step(*state, it, plain, 1);
            expect_step(*state, it, plain, -1);
        }
}

// The Krylov space ends with the solution: no residual is left.
static void test_minres_x__zero_next_vector_leaves_no_residual(void **state)
{
    struct test_recurrence d = make(2, &some);
    memset(d.vector[V], 0, (size_t)d.n * sizeof *d.vector[V]);
    test_recurrence_set_sums(&d, 0, 7);
    run_x(*state, &d, 2, false);
    assert_int_equal(d.stop[MINRES_STOP_X], 0);
    assert_true(test_sum_of(d.sums + GROUPS) == 0);
    assert_true(scalars_at(&d, 3)[5] == 0);
    test_recurrence_finish(&d);
}

// `alpha` and <v'', z''> make the diagonal of the column.
static void expect_x_stops(lcl_context *ctx, double alpha, double vz,
                           int32_t flag, int reason)
{
    const int it = 3;
    struct scalars t = some;
    t.c = -1;
    t.s = 0;
    struct test_recurrence d = make(it, &t);
    d.state[MINRES_ALPHA] = alpha;
    d.stop[MINRES_STOP_V] = flag;
    test_recurrence_set_sums(&d, vz, NAN);
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[MINRES_STOP_X] = reason;
    if (!flag)
        expected.state[KRYLOV_REASON] = reason;
    run_x(ctx, &d, it, false);
    // unused from here on
    memcpy(scalars_at(&d, it + 1), scalars_at(&expected, it + 1),
           sizeof(struct scalars));
    assert_true(isnan(d.sums[GROUPS]) && isnan(d.sums[2 * GROUPS - 1]));
    test_recurrence_settle(&d, &expected);
}

static void test_minres_x__reasons_to_stop_are_told_apart(void **state)
{
    expect_x_stops(*state, 1, -1e-9, 0, KRYLOV_INDEFINITE_M);
    expect_x_stops(*state, 1, NAN, 0, KRYLOV_NOT_FINITE);
    expect_x_stops(*state, 1, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_x_stops(*state, 0, 0, 0, KRYLOV_BREAKDOWN_SPACE);
    expect_x_stops(*state, 1e-17, 1e-36, 0, KRYLOV_BREAKDOWN_SPACE);
    expect_x_stops(*state, 1, 1, KRYLOV_CONVERGED, KRYLOV_CONVERGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minres_v__first_scalars_follow_from_the_sums),
        cmocka_unit_test(test_minres_v__next_vector_follows_the_formula),
        cmocka_unit_test(test_minres_v__reasons_to_stop_are_told_apart),
        cmocka_unit_test(
            test_minres_v__zero_first_product_is_an_indefinite_precond),
        cmocka_unit_test(test_minres_v__hands_on_why_the_iteration_ended),
        cmocka_unit_test(test_minres_x__step_and_residual_follow_the_formulas),
        cmocka_unit_test(test_minres_x__zero_next_vector_leaves_no_residual),
        cmocka_unit_test(test_minres_x__reasons_to_stop_are_told_apart),
    };
    return test_device_run(tests);
}
