// SPDX-License-Identifier: BSD-3-Clause
// cg.cl and cg_published.cl: each kernel compared with its formulas on the
// host.
#include "tests/support/device.h"
#include "tests/support/recurrence.h"

#include "cl/krylov/cg.cl.h"
#include "host/launch.h"
#include "host/runtime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { R, V, P, Z, X };
enum { GROUPS = TEST_RECURRENCE_GROUPS };

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    const struct lcl_spec spec = {
        .source = "cg.cl",
        .kernel = name,
        .group = test_group(ctx, 2),
    };
    return test_kernel(ctx, &spec);
}

static void run_p(lcl_context *ctx, struct test_recurrence *d, int it,
                  bool plain)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(
            kernel_of(ctx, "cg_p"), GROUPS, lcl_arg_int(it), lcl_arg_long(d->n),
            lcl_arg_double(1e-3), lcl_arg_int(GROUPS), lcl_arg_int(plain),
            lcl_arg_buffer(D.sums), lcl_arg_buffer(D.vector[plain ? R : Z]),
            lcl_arg_buffer(D.vector[P]), lcl_arg_buffer(D.vector[X]),
            lcl_arg_buffer(D.state), lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_recurrence_download(&D, d);
}

static void run_r(lcl_context *ctx, struct test_recurrence *d, int it)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "cg_r"), GROUPS, lcl_arg_int(it),
                   lcl_arg_long(d->n), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.sums), lcl_arg_buffer(D.vector[V]),
                   lcl_arg_buffer(D.vector[R]), lcl_arg_buffer(D.next),
                   lcl_arg_buffer(D.state), lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_recurrence_download(&D, d);
}

// ------------------------------------------------------------------ cg_p

// Compares the state and the stopping flag after the kernel.
static void note_p(struct test_recurrence *d, int it, double rho, double rr,
                   int reason)
{
    const int before = (it + 1) % 2;
    if (it > 0)
        d->state[CG_ENERGY] +=
            fabs(d->state[CG_ALPHA + before] * d->state[CG_RHO + before]);
    d->state[CG_RHO + it % 2] = rho;
    d->state[KRYLOV_STEPS] = it;
    d->state[KRYLOV_RING + it % 256] = rr;
    d->stop[CG_STOP_P] = reason;
    if (reason)
        d->state[KRYLOV_REASON] = reason;
}

static void add_step(struct test_recurrence *d, int it)
{
    const double alpha = d->state[CG_ALPHA + (it + 1) % 2];
    for (int64_t i = 0; i < d->n; ++i)
        d->vector[X][i] += alpha * d->vector[P][i];
}

static void test_cg_p__first_direction_is_z(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, 3, 4);
    struct test_recurrence expected = test_recurrence_copy(&d);
    memcpy(expected.vector[P], d.vector[Z], (size_t)d.n * sizeof(double));
    note_p(&expected, 0, 3, 4, 0);
    run_p(*state, &d, 0, false);
    test_recurrence_settle(&d, &expected);
}

static void test_cg_p__step_and_direction_follow_the_formulas(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, 3, 2);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const int it = 257;
    const double beta = 3 / d.state[CG_RHO + (it + 1) % 2];
    add_step(&expected, it);
    for (int64_t i = 0; i < d.n; ++i)
        expected.vector[P][i] = d.vector[Z][i] + beta * d.vector[P][i];
    note_p(&expected, it, 3, 2, 0);
    run_p(*state, &d, it, false);
    test_recurrence_settle(&d, &expected);
}

static void test_cg_p__without_preconditioner_z_is_r(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, NAN, 2);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const double beta = 2 / d.state[CG_RHO + 1];
    add_step(&expected, 4);
    for (int64_t i = 0; i < d.n; ++i)
        expected.vector[P][i] = d.vector[R][i] + beta * d.vector[P][i];
    note_p(&expected, 4, 2, 2, 0);
    run_p(*state, &d, 4, true);
    test_recurrence_settle(&d, &expected);
}

// If the residual is finite, the kernel has done the step that led to it.
static void expect_p_stops(lcl_context *ctx, int it, double rho, double rr,
                           int reason)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, rho, rr);
    struct test_recurrence expected = test_recurrence_copy(&d);
    if (isfinite(rr) && it > 0)
        add_step(&expected, it);
    note_p(&expected, it, rho, rr, reason);
    run_p(ctx, &d, it, false);
    // numbers that are not finite cannot be compared
    double *const words[] = {
        &d.state[CG_RHO + it % 2], &d.state[KRYLOV_RING + it],
        &expected.state[CG_RHO + it % 2], &expected.state[KRYLOV_RING + it]};
    if (reason == KRYLOV_NOT_FINITE) {
        assert_false(isfinite(*words[0]) && isfinite(*words[1]));
        for (int w = 0; w < 4; ++w)
            *words[w] = 0;
    }
    test_recurrence_settle(&d, &expected);
}

static void test_cg_p__reasons_to_stop_are_told_apart(void **state)
{
    for (int it = 0; it <= 3; it += 3) {
        expect_p_stops(*state, it, 1, 1e-3, KRYLOV_CONVERGED);
        expect_p_stops(*state, it, -1, 1e-4, KRYLOV_CONVERGED);
        expect_p_stops(*state, it, 0, 1, KRYLOV_INDEFINITE_M);
        expect_p_stops(*state, it, NAN, 1, KRYLOV_NOT_FINITE);
        expect_p_stops(*state, it, 1, INFINITY, KRYLOV_NOT_FINITE);
    }
    expect_p_stops(*state, 3, -1e-9, 1, KRYLOV_INDEFINITE_M);
}

static void test_cg_p__hands_on_why_the_iteration_ended(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    d.stop[CG_STOP_R] = KRYLOV_INDEFINITE_A;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[CG_STOP_P] = KRYLOV_INDEFINITE_A;
    run_p(*state, &d, 1, false);
    test_recurrence_settle(&d, &expected);
}

// ------------------------------------------------------------------ cg_r

static void test_cg_r__takes_alpha_v_and_sums_the_residual(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, 5, NAN);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const double alpha = d.state[CG_RHO + 1] / 5;
    double rr = 0, sum = 0;
    expected.state[CG_ALPHA + 1] = alpha;
    for (int64_t i = 0; i < d.n; ++i) {
        expected.vector[R][i] -= alpha * d.vector[V][i];
        rr += expected.vector[R][i] * expected.vector[R][i];
    }
    run_r(*state, &d, 7);
    for (int g = 0; g < GROUPS; ++g) {
        assert_true(isnan(d.sums[g]));
        sum += d.sums[GROUPS + g];
    }
    test_expect_near("<r, r>", &sum, &rr, 1, 1e-11 * rr);
    test_recurrence_settle(&d, &expected);
}

static void expect_r_stops(lcl_context *ctx, int it, double pv, int32_t before,
                           int reason)
{
    struct test_recurrence d = test_recurrence_make();
    test_recurrence_set_sums(&d, pv, NAN);
    d.stop[CG_STOP_P] = before;
    struct test_recurrence expected = test_recurrence_copy(&d);
    expected.stop[CG_STOP_R] = reason;
    if (!before)
        expected.state[KRYLOV_REASON] = reason;
    run_r(ctx, &d, it);
    // unused from here on
    d.state[CG_ALPHA + it % 2] = expected.state[CG_ALPHA + it % 2];
    assert_true(isnan(d.sums[GROUPS]) && isnan(d.sums[2 * GROUPS - 1]));
    test_recurrence_settle(&d, &expected);
}

static void test_cg_r__reasons_to_stop_are_told_apart(void **state)
{
    for (int it = 0; it < 2; ++it) {
        expect_r_stops(*state, it, 0, 0, KRYLOV_INDEFINITE_A);
        expect_r_stops(*state, it, 1e-310, 0, KRYLOV_INDEFINITE_A);
        expect_r_stops(*state, it, NAN, 0, KRYLOV_NOT_FINITE);
        expect_r_stops(*state, it, INFINITY, 0, KRYLOV_NOT_FINITE);
        expect_r_stops(*state, it, 1, KRYLOV_CONVERGED, KRYLOV_CONVERGED);
    }
    expect_r_stops(*state, 1, -2, 0, KRYLOV_INDEFINITE_A);
}

// ------------------------------------------------------------------ published

static lcl_kernel *published(lcl_context *ctx, const char *name, int single)
{
    const struct lcl_spec spec = {
        .source = "cg_published.cl",
        .kernel = name,
        .group = test_group(ctx, 3),
        .add = LCL_ATOMIC_ADD_CAS,
        .single = single,
    };
    return test_kernel(ctx, &spec);
}

static void skip_without_atomics(lcl_context *ctx)
{
    if (!lcl_context_caps(ctx)->int64_atomics)
        skip();
}

static void test_vector_dot__adds_to_what_is_there(void **state)
{
    skip_without_atomics(*state);
    struct test_recurrence d = test_recurrence_make();
    struct test_recurrence_device D = test_recurrence_upload(*state, &d);
    double got = 0.25, expected = 0.25;
    lcl_buffer *result = test_upload(*state, &got, 1, sizeof got);
    for (int64_t i = 0; i < d.n; ++i)
        expected += d.vector[R][i] * d.vector[V][i];
    assert_int_equal(LCL_LAUNCH(published(*state, "vector_dot", 0), 7,
                                lcl_arg_long(d.n), lcl_arg_buffer(D.vector[R]),
                                lcl_arg_buffer(D.vector[V]),
                                lcl_arg_buffer(result)),
                     LCL_OK);
    test_download(result, &got, 1, sizeof got);
    test_expect_near("<r, v>", &got, &expected, 1, 1e-11);
    test_recurrence_download(&D, &d);
    lcl_buffer_destroy(&result);
    test_recurrence_finish(&d);
}

static void expect_combined(lcl_context *ctx, const char *name, double x_share,
                            double y_share)
{
    struct test_recurrence d = test_recurrence_make();
    struct test_recurrence expected = test_recurrence_copy(&d);
    struct test_recurrence_device D = test_recurrence_upload(ctx, &d);
    for (int64_t i = 0; i < d.n; ++i)
        expected.vector[P][i] =
            x_share * d.vector[Z][i] + y_share * d.vector[P][i];
    assert_int_equal(LCL_LAUNCH(published(ctx, name, 0), 7, lcl_arg_long(d.n),
                                lcl_arg_double(-0.75),
                                lcl_arg_buffer(D.vector[Z]),
                                lcl_arg_buffer(D.vector[P])),
                     LCL_OK);
    test_recurrence_download(&D, &d);
    test_recurrence_settle(&d, &expected);
}

static void test_vector_axpy__adds_a_multiple(void **state)
{
    skip_without_atomics(*state);
    expect_combined(*state, "vector_axpy", -0.75, 1);
}

static void test_vector_scale_add__scales_what_is_there(void **state)
{
    skip_without_atomics(*state);
    expect_combined(*state, "vector_scale_add", 1, -0.75);
}

// ------------------------------------------------------------------ in fp32

// The kernels do not change the last element.
enum { N = 1001 };

static void test_vector_dot__in_fp32_adds_to_what_is_there(void **state)
{
    double *a = test_random_vector(N, 1), *b = test_random_vector(N, 2);
    double got = 0.25, expected = 0.25;
    lcl_buffer *A = test_upload_reals(*state, a, N, sizeof(float));
    lcl_buffer *B = test_upload_reals(*state, b, N, sizeof(float));
    lcl_buffer *result = test_upload_reals(*state, &got, 1, sizeof(float));
    for (int i = 0; i < N - 1; ++i)
        expected += a[i] * b[i];
    assert_int_equal(LCL_LAUNCH(published(*state, "vector_dot", 1), 7,
                                lcl_arg_long(N - 1), lcl_arg_buffer(A),
                                lcl_arg_buffer(B), lcl_arg_buffer(result)),
                     LCL_OK);
    test_download_reals(result, &got, 1, sizeof(float));
    test_expect_near("<a, b>", &got, &expected, 1, 1e-4);
    lcl_buffer_destroy(&A);
    lcl_buffer_destroy(&B);
    lcl_buffer_destroy(&result);
    free(a);
    free(b);
}

// b = a_share a + b_share b.
static void expect_singles(lcl_context *ctx, const char *name, double a_share,
                           double b_share)
{
    double *a = test_random_vector(N, 1), *b = test_random_vector(N, 2);
    double *got = test_vector(N);
    lcl_buffer *A = test_upload_reals(ctx, a, N, sizeof(float));
    lcl_buffer *B = test_upload_reals(ctx, b, N, sizeof(float));
    assert_int_equal(LCL_LAUNCH(published(ctx, name, 1), 7, lcl_arg_long(N - 1),
                                lcl_arg_float(-0.75f), lcl_arg_buffer(A),
                                lcl_arg_buffer(B)),
                     LCL_OK);
    test_download_reals(B, got, N, sizeof(float));
    for (int i = 0; i < N - 1; ++i)
        b[i] = a_share * a[i] + b_share * b[i];
    test_expect_near(name, got, b, N, 1e-6);
    lcl_buffer_destroy(&A);
    lcl_buffer_destroy(&B);
    free(a);
    free(b);
    free(got);
}

static void test_vectors__in_fp32_are_combined(void **state)
{
    expect_singles(*state, "vector_axpy", -0.75, 1);
    expect_singles(*state, "vector_scale_add", 1, -0.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg_p__first_direction_is_z),
        cmocka_unit_test(test_cg_p__step_and_direction_follow_the_formulas),
        cmocka_unit_test(test_cg_p__without_preconditioner_z_is_r),
        cmocka_unit_test(test_cg_p__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_cg_p__hands_on_why_the_iteration_ended),
        cmocka_unit_test(test_cg_r__takes_alpha_v_and_sums_the_residual),
        cmocka_unit_test(test_cg_r__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_vector_dot__adds_to_what_is_there),
        cmocka_unit_test(test_vector_axpy__adds_a_multiple),
        cmocka_unit_test(test_vector_scale_add__scales_what_is_there),
        cmocka_unit_test(test_vector_dot__in_fp32_adds_to_what_is_there),
        cmocka_unit_test(test_vectors__in_fp32_are_combined),
    };
    return test_device_run(tests);
}
