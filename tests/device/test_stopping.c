// SPDX-License-Identifier: BSD-3-Clause
// Tolerances, convergence tests and cancellation as a caller wants them.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include "lib/krylov/methods.h"

#include <levelcl/chain.h>
#include <levelcl/published.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct system {
    struct lcl_csr A;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    double *b, *x, *r;
    struct lcl_report report;
};

static void open_system(struct system *t, lcl_context *ctx,
                        const struct lcl_solver_params *params)
{
    *t = (struct system){.A = test_laplacian(9, 8, 7)};
    t->b = test_random_vector(t->A.rows, 5);
    t->x = test_random_vector(t->A.rows, 6);
    t->r = test_vector(t->A.rows);
    assert_int_equal(lcl_operator_create(&t->op, ctx, &t->A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&t->M, t->op, NULL), LCL_OK);
    assert_int_equal(lcl_solver_create(&t->S, t->op, t->M, params), LCL_OK);
}

static void close_system(struct system *t)
{
    lcl_solver_destroy(&t->S);
    lcl_precond_destroy(&t->M);
    lcl_operator_destroy(&t->op);
    test_csr_finish(&t->A);
    free(t->b);
    free(t->x);
    free(t->r);
}

// ||b - A x||
static double residual(const struct system *t)
{
    double sum = 0;
    lcl_csr_multiply(&t->A, t->x, t->r);
    for (int64_t i = 0; i < t->A.rows; ++i)
        sum += (t->b[i] - t->r[i]) * (t->b[i] - t->r[i]);
    return sqrt(sum);
}

static double norm(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static enum lcl_status solve(struct system *t)
{
    return lcl_solver_solve(t->S, t->b, t->x, &t->report);
}

static void expect_within(const struct system *t, double tolerance)
{
    const double r = residual(t);
    if (!(r <= tolerance * (1 + 1e-6)))
        fail_msg("residual %g, tolerance %g", r, tolerance);
}

// ------------------------------------------------------------------- limits

static void test_stopping__tolerances_change_without_a_new_solver(void **state)
{
    struct system t;
    open_system(&t, *state, NULL);
    const double norm_b = norm(t.b, t.A.rows);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 1e-2, 0, 0), LCL_OK);
    assert_int_equal(solve(&t), LCL_OK);
    const int few = t.report.iterations;
    expect_within(&t, 1e-2 * norm_b);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 1e-10, 0, 0), LCL_OK);
    assert_int_equal(solve(&t), LCL_OK);
    assert_true(t.report.iterations > few);
    expect_within(&t, 1e-10 * norm_b);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 1e-12, 0, 1), LCL_OK);
    memset(t.x, 0, (size_t)t.A.rows * sizeof *t.x);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    assert_int_equal(t.report.iterations, 1);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 0, 0, 0), LCL_OK);
    assert_true(lcl_solver_info(t.S)->rtol == 1e-8);
    assert_int_equal(lcl_solver_info(t.S)->max_iters, 10000);
    close_system(&t);
}

static void test_stopping__wrong_tolerances_keep_the_old_ones(void **state)
{
    struct system t;
    open_system(&t, *state, NULL);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 1e-3, 2, 7), LCL_OK);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 1, 0, 0), LCL_EINVAL);
    assert_int_equal(lcl_solver_set_tolerance(t.S, NAN, 0, 0), LCL_EINVAL);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 0, -1, 0), LCL_EINVAL);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 0, INFINITY, 0), LCL_EINVAL);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 0, 0, -1), LCL_EINVAL);
    assert_misuse(lcl_solver_set_tolerance(NULL, 0, 0, 0));
    assert_true(lcl_solver_info(t.S)->rtol == 1e-3);
    assert_true(lcl_solver_info(t.S)->atol == 2);
    assert_int_equal(lcl_solver_info(t.S)->max_iters, 7);
    close_system(&t);
}

static void test_stopping__rtol_may_be_relative_to_something_else(void **state)
{
    struct system t;
    struct lcl_solver_params params = {.rtol = 1e-3,
                                       .relative_to = LCL_RELATIVE_TO_R0};
    open_system(&t, *state, &params);
    for (int64_t i = 0; i < t.A.rows; ++i)
        t.x[i] *= 1e6;
    const double start = residual(&t);
    assert_int_equal(solve(&t), LCL_OK);
    assert_int_equal(t.report.stop, LCL_STOP_RTOL);
    expect_within(&t, 1e-3 * start);
    assert_true(residual(&t) > norm(t.b, t.A.rows));
    close_system(&t);
    params.relative_to = LCL_RELATIVE_TO_REFERENCE;
    params.reference = 1e-4;
    open_system(&t, *state, &params);
    assert_int_equal(solve(&t), LCL_OK);
    expect_within(&t, 1e-7);
    close_system(&t);
}

static void test_stopping__wrong_references_are_refused(void **state)
{
    struct system t;
    lcl_solver *S;
    open_system(&t, *state, NULL);
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; ++k) {
        const struct lcl_solver_params params = {
            .relative_to = LCL_RELATIVE_TO_REFERENCE, .reference = wrong[k]};
        assert_int_equal(lcl_solver_create(&S, t.op, NULL, &params),
                         LCL_EINVAL);
        assert_null(S);
    }
    assert_int_equal(
        lcl_solver_create(&S, t.op, NULL,
                          &(struct lcl_solver_params){.monitor_every = -1}),
        LCL_EINVAL);
    close_system(&t);
}

// ------------------------------------------------------------------- norms

static double norm_of(const double *v, int64_t n, enum lcl_norm_type type)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum = type == LCL_NORM_MAX ? fmax(sum, fabs(v[i])) : sum + fabs(v[i]);
    return sum;
}

// The true residual meets the tolerance in the norm, which is reported, and the
// iteration before did not meet it. GMRES estimates other norms, and goes on
// where an estimate was too low.
static void expect_norm(lcl_context *ctx, enum lcl_solver_type type,
                        enum lcl_norm_type chosen)
{
    struct system t;
    const bool no_precond = lcl_solver_facts(type)->no_precond;
    const bool estimates = lcl_krylov_method(type)->estimates;
    const struct lcl_solver_params params = {
        .type = type, .norm = chosen, .rtol = 1e-7};
    open_system(&t, ctx, &(struct lcl_solver_params){.rtol = 1e-7});
    lcl_solver_destroy(&t.S);
    assert_int_equal(
        lcl_solver_create(&t.S, t.op, no_precond ? NULL : t.M, &params),
        LCL_OK);
    assert_int_equal(solve(&t), LCL_OK);
    const int64_t n = t.A.rows;
    const double norm_b = norm_of(t.b, n, chosen);
    residual(&t);
    for (int64_t i = 0; i < n; ++i)
        t.r[i] = t.b[i] - t.r[i];
    const double got = norm_of(t.r, n, chosen) / norm_b;
    if (!(got <= 1e-7 * (1 + 1e-6)))
        fail_msg("%s: %g in norm %s", lcl_solver_name(type), got,
                 lcl_norm_name(chosen));
    assert_true(fabs(t.report.norm_b - norm_b) <= 1e-12 * norm_b);
    assert_true(fabs(t.report.true_residual - got) <= 1e-3 * got);
    if (!estimates) {
        const double *last = t.report.history + t.report.history_count - 1;
        assert_true(fabs(t.report.residual - got) <= 1e-3 * got);
        assert_true(t.report.iterations == 0 || last[-1] > 1e-7);
    }
    close_system(&t);
}

static void test_stopping__other_norms_decide(void **state)
{
    for (int type = LCL_SOLVER_BICGSTAB; type < LCL_SOLVER_COUNT; ++type)
        if (test_solver_works(*state, (enum lcl_solver_type)type))
            for (int k = LCL_NORM_1; k <= LCL_NORM_MAX; ++k)
                expect_norm(*state, (enum lcl_solver_type)type,
                            (enum lcl_norm_type)k);
}

static void test_stopping__unknown_norms_are_refused(void **state)
{
    struct system t;
    lcl_solver *S = NULL;
    const struct lcl_solver_params params = {
        .norm = (enum lcl_norm_type)LCL_NORM_COUNT};
    open_system(&t, *state, NULL);
    assert_misuse(lcl_solver_create(&S, t.op, NULL, &params));
    assert_null(S);
    close_system(&t);
}

// ------------------------------------------------------------------- callbacks

struct calls {
    int count, last;
    enum lcl_verdict verdict; // from the third call on
};

static enum lcl_verdict count_calls(void *user,
                                    const struct lcl_progress_info *info)
{
    struct calls *calls = user;
    calls->last = info->iteration;
    return ++calls->count < 3 ? LCL_CONTINUE : calls->verdict;
}

static void expect_verdict(lcl_context *ctx, enum lcl_solver_type type,
                           enum lcl_verdict verdict, enum lcl_stop stop,
                           enum lcl_status status)
{
    struct system t;
    struct calls calls = {.verdict = verdict};
    const struct lcl_solver_params params = {.type = type,
                                             .rtol = 1e-14,
                                             .test = count_calls,
                                             .test_user = &calls,
                                             .monitor_every = 1};
    open_system(&t, ctx, &params);
    const double start = residual(&t);
    assert_int_equal(solve(&t), status);
    assert_int_equal(t.report.stop, stop);
    assert_int_equal(calls.count, 3);
    assert_true(calls.last <= 4);
    assert_true(residual(&t) < start);
    close_system(&t);
}

static void test_stopping__the_caller_s_test_decides(void **state)
{
    expect_verdict(*state, LCL_SOLVER_BICGSTAB, LCL_CONVERGED, LCL_STOP_TEST,
                   LCL_OK);
    expect_verdict(*state, LCL_SOLVER_BICGSTAB, LCL_GIVE_UP, LCL_STOP_MONITOR,
                   LCL_ITERATION_LIMIT);
    expect_verdict(*state, LCL_SOLVER_GMRES, LCL_CONVERGED, LCL_STOP_TEST,
                   LCL_OK);
}

// -------------------------------------------------------------------
// cancelling

static void test_stopping__a_cancelled_solve_ends_once(void **state)
{
    struct system t;
    const struct lcl_solver_params params = {.rtol = 1e-12, .monitor_every = 1};
    open_system(&t, *state, &params);
    lcl_solver_cancel(NULL);
    lcl_solver_cancel(t.S);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    assert_int_equal(t.report.stop, LCL_STOP_CANCELLED);
    assert_int_equal(solve(&t), LCL_OK);
    close_system(&t);
}

static void test_stopping__time_is_limited(void **state)
{
    struct system t;
    const struct lcl_solver_params params = {.time_limit = 1e-9,
                                             .monitor_every = 1};
    const struct lcl_solver_params bad[] = {{.time_limit = -1},
                                            {.time_limit = NAN}};
    open_system(&t, *state, &params);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    assert_int_equal(t.report.stop, LCL_STOP_TIME_LIMIT);
    for (int k = 0; k < 2; ++k) {
        lcl_solver *S;
        assert_int_equal(lcl_solver_create(&S, t.op, t.M, &bad[k]), LCL_EINVAL);
    }
    close_system(&t);
}

// Iterations in a fixed number, or up to atol.
static void test_stopping__rtol_may_be_zero(void **state)
{
    struct system t;
    const struct lcl_solver_params params = {.rtol_may_be_zero = true,
                                             .max_iters = 7};
    open_system(&t, *state, &params);
    assert_true(lcl_solver_info(t.S)->rtol == 0);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    assert_int_equal(t.report.iterations, 7);
    assert_int_equal(lcl_solver_set_tolerance(t.S, 0, 1e-3, 0), LCL_OK);
    assert_int_equal(solve(&t), LCL_OK);
    assert_int_equal(t.report.stop, LCL_STOP_ATOL);
    assert_true(residual(&t) <= 1e-3);
    close_system(&t);
}

static atomic_bool runs;

static bool note_run(void *user, const struct lcl_progress_info *info)
{
    (void)user, (void)info;
    atomic_store(&runs, true);
    return true;
}

static void *cancel_when_it_runs(void *arg)
{
    while (!atomic_load(&runs))
        ;
    lcl_solver_cancel(arg);
    return NULL;
}

// The tolerance is out of reach.
static void test_stopping__another_thread_may_cancel(void **state)
{
    struct system t;
    pthread_t thread;
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG_PUBLISHED,
                                             .rtol = 1e-300,
                                             .max_iters = 100000000,
                                             .stagnation = 100000000,
                                             .monitor = note_run};
    if (!test_solver_works(*state, params.type))
        skip();
    atomic_store(&runs, false);
    open_system(&t, *state, NULL);
    lcl_solver_destroy(&t.S);
    assert_int_equal(lcl_solver_create(&t.S, t.op, NULL, &params), LCL_OK);
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_it_runs, t.S),
                     0);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(t.report.stop, LCL_STOP_CANCELLED);
    close_system(&t);
}

// ------------------------------------------------------------------- chains

// The second method starts from a better x, but has the tolerance of the first.
static void test_stopping__chains_are_relative_to_their_first_residual(
    void **state)
{
    struct system t;
    lcl_chain *C;
    const struct lcl_solver_params params = {
        .rtol = 1e-9, .max_iters = 12, .relative_to = LCL_RELATIVE_TO_R0};
    open_system(&t, *state, NULL);
    const double start = residual(&t);
    assert_true(lcl_chain_create(&C, t.op, NULL, &params) >= LCL_OK);
    const enum lcl_status st = lcl_chain_solve(C, t.b, t.x, &t.report);
    if (st == LCL_OK)
        expect_within(&t, 1e-9 * start);
    else
        assert_true(residual(&t) > 1e-9 * start);
    lcl_chain_destroy(&C);
    close_system(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopping__tolerances_change_without_a_new_solver),
        cmocka_unit_test(test_stopping__wrong_tolerances_keep_the_old_ones),
        cmocka_unit_test(test_stopping__other_norms_decide),
        cmocka_unit_test(test_stopping__unknown_norms_are_refused),
        cmocka_unit_test(test_stopping__rtol_may_be_relative_to_something_else),
        cmocka_unit_test(test_stopping__wrong_references_are_refused),
        cmocka_unit_test(test_stopping__the_caller_s_test_decides),
        cmocka_unit_test(test_stopping__a_cancelled_solve_ends_once),
        cmocka_unit_test(test_stopping__time_is_limited),
        cmocka_unit_test(test_stopping__rtol_may_be_zero),
        cmocka_unit_test(test_stopping__another_thread_may_cancel),
        cmocka_unit_test(
            test_stopping__chains_are_relative_to_their_first_residual),
    };
    return test_device_run(tests);
}
