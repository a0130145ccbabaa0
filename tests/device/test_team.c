// SPDX-License-Identifier: BSD-3-Clause
// Operators on several devices of one process, through the public interface.
// The contexts share the default device.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include "host/context.h"
#include "host/interop.h"
#include "lib/matrix/csr.h"

#include <levelcl/chain.h>
#include <levelcl/opencl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 3 };

struct team {
    lcl_context *ctx[DEVICES];
    struct lcl_csr A;
    lcl_operator *op;
    double *b, *x, *y;
};

static void team_open_with(struct team *t, struct lcl_csr A, int count,
                           const struct lcl_operator_params *params)
{
    *t = (struct team){.A = A,
                       .b = test_random_vector(A.rows, 5),
                       .x = test_vector(A.rows),
                       .y = test_vector(A.rows)};
    for (int k = 0; k < count; ++k)
        t->ctx[k] = test_context(k);
    assert_int_equal(
        lcl_operator_create_distributed(&t->op, t->ctx, count, &A, params),
        LCL_OK);
    assert_int_equal(lcl_operator_info(t->op)->devices, count);
}

static void team_open(struct team *t, struct lcl_csr A, int count)
{
    team_open_with(t, A, count, NULL);
}

static void team_close(struct team *t)
{
    lcl_operator_destroy(&t->op);
    free(t->b);
    free(t->x);
    free(t->y);
    test_csr_finish(&t->A);
}

// Rows and columns in a random order: METIS finds a better one.
static struct lcl_csr shuffled(void)
{
    struct lcl_csr A = test_laplacian(8, 7, 6);
    int32_t *perm = test_random_permutation(A.rows, 3);
    double *dense = test_vector(A.rows * A.rows);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            dense[perm[i] * A.rows + perm[A.col_ind[k]]] = A.val[k];
    struct lcl_csr B = test_csr_from_dense(A.rows, dense);
    free(dense);
    free(perm);
    test_csr_finish(&A);
    return B;
}

static void expect_product(struct team *t)
{
    double *expected = test_vector(t->A.rows);
    lcl_csr_multiply(&t->A, t->b, expected);
    assert_int_equal(lcl_operator_apply(t->op, t->b, t->y), LCL_OK);
    test_expect_near("A b", t->y, expected, t->A.rows, 1e-13);
    free(expected);
}

static void test_team__products_are_the_host_s(void **state)
{
    struct team t;
    (void)state;
    for (int count = 1; count <= DEVICES; ++count) {
        team_open(&t, test_random_csr(90, 5, 2), count);
        expect_product(&t);
        team_close(&t);
        team_open(&t, shuffled(), count);
        expect_product(&t);
        team_close(&t);
    }
}

// Solves by the chain's own choice, then with new values.
static void count_trials(void *user, enum lcl_log_level level,
                         const char *message)
{
    int *trials = user;
    (void)level;
    *trials += strstr(message, "by METIS") != NULL;
}

// How often METIS is asked for a distribution of A.
static int trials_of(struct lcl_csr A)
{
    int trials = 0;
    struct team t;
    team_open(&t, A, DEVICES);
    lcl_operator_destroy(&t.op);
    const struct lcl_log before = t.ctx[0]->cl.log;
    t.ctx[0]->cl.log = (struct lcl_log){
        .fn = count_trials, .user = &trials, .level = LCL_LOG_DEBUG};
    assert_int_equal(
        lcl_operator_create_distributed(&t.op, t.ctx, DEVICES, &t.A, NULL),
        LCL_OK);
    t.ctx[0]->cl.log = before;
    team_close(&t);
    return trials;
}

static void test_team__metis_is_asked_where_it_may_gain(void **state)
{
    (void)state;
    assert_int_equal(trials_of(test_laplacian(12, 12, 12)), 0);
    assert_int_equal(trials_of(shuffled()), 1);
}

static void expect_solves(struct lcl_csr A)
{
    struct team t;
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_chain *C;
    team_open(&t, A, DEVICES);
    assert_true(lcl_chain_create(&C, t.op, NULL, NULL) >= LCL_OK);
    for (int values = 1; values <= 2; ++values) {
        memset(t.x, 0, (size_t)A.rows * sizeof *t.x);
        assert_int_equal(lcl_chain_solve(C, t.b, t.x, &report), LCL_OK);
        assert_true(test_residual(&t.A, t.b, t.x) <= 1e-8 * (1 + 1e-6));
        for (int64_t k = 0; k < A.nnz; ++k)
            t.A.val[k] *= 3;
        assert_int_equal(lcl_operator_update(t.op, t.A.val), LCL_OK);
        assert_true(lcl_chain_update(C) >= LCL_OK);
    }
    lcl_chain_destroy(&C);
    team_close(&t);
}

static void test_team__chains_solve_and_take_new_values(void **state)
{
    (void)state;
    expect_solves(test_laplacian(9, 8, 7));
    expect_solves(test_random_csr(300, 5, 3));
    expect_solves(shuffled());
}

static void expect_choice(struct lcl_csr A, enum lcl_communication way,
                          enum lcl_precond_type precond)
{
    const struct lcl_operator_params params = {.communication = way};
    struct team t;
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_chain *C;
    team_open_with(&t, A, 2, &params);
    assert_int_equal(lcl_chain_create(&C, t.op, NULL, NULL), LCL_OK);
    assert_int_equal(lcl_precond_info(lcl_chain_precond(C))->type, precond);
    assert_int_equal(lcl_chain_solve(C, t.b, t.x, &report), LCL_OK);
    assert_true(test_residual(&t.A, t.b, t.x) <= 1e-8 * (1 + 1e-6));
    lcl_chain_destroy(&C);
    team_close(&t);
}

// Small levels wait for each other, and sums of multigrid depend on the ranks.
static void test_team__multigrid_is_for_large_systems(void **state)
{
    (void)state;
    expect_choice(test_laplacian(32, 32, 32), LCL_COMMUNICATION_DEFAULT,
                  LCL_PRECOND_AMG);
    expect_choice(test_laplacian(32, 32, 31), LCL_COMMUNICATION_DEFAULT,
                  LCL_PRECOND_IC0);
    expect_choice(test_laplacian(32, 32, 32), LCL_COMMUNICATION_REPRODUCIBLE,
                  LCL_PRECOND_IC0);
}

static void test_team__preconditioners_add_up(void **state)
{
    static const struct lcl_precond_params ildu0 = {.type = LCL_PRECOND_ILDU0,
                                                    .partition = {.rows = 40}};
    struct team t;
    lcl_precond *M;
    (void)state;
    team_open(&t, test_laplacian(9, 8, 7), DEVICES);
    assert_int_equal(lcl_precond_create(&M, t.op, &ildu0), LCL_OK);
    const struct lcl_precond_info *info = lcl_precond_info(M);
    assert_int_equal(info->rows, t.A.rows);
    assert_in_range(info->factors.parts, t.A.rows / 40, t.A.rows);
    assert_int_equal(lcl_precond_apply(M, t.b, t.x), LCL_OK);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    assert_int_equal(lcl_precond_apply(M, t.b, t.y), LCL_OK);
    test_expect_same("M^-1 b", t.y, t.x, t.A.rows);
    lcl_precond_destroy(&M);
    team_close(&t);
}

static void test_team__failures_change_nothing(void **state)
{
    struct team t;
    lcl_solver *S;
    (void)state;
    team_open(&t, test_laplacian(6, 5, 4), DEVICES);
    assert_int_equal(lcl_solver_create(&S, t.op, NULL, NULL), LCL_OK);
    t.x[3] = 7;
    t.b[t.A.rows - 1] = NAN;
    assert_int_equal(lcl_solver_solve(S, t.b, t.x, NULL), LCL_EFORMAT);
    for (int64_t i = 0; i < t.A.rows; ++i)
        assert_true(t.x[i] == (i == 3 ? 7 : 0));
    t.b[t.A.rows - 1] = 1;
    assert_int_equal(lcl_solver_solve(S, t.b, t.x, NULL), LCL_OK);
    t.A.val[t.A.nnz - 1] = INFINITY;
    assert_int_equal(lcl_operator_update(t.op, t.A.val), LCL_EFORMAT);
    t.A.val[t.A.nnz - 1] = 6;
    expect_product(&t);
    lcl_solver_destroy(&S);
    team_close(&t);
}

static bool stop_at_once(void *user, const struct lcl_progress_info *info)
{
    ++*(int *)user;
    return info->iteration < 0;
}

static void test_team__the_monitor_stops_all(void **state)
{
    int calls = 0;
    const struct lcl_solver_params params = {.monitor = stop_at_once,
                                             .monitor_user = &calls};
    struct lcl_report report = LCL_REPORT_INIT;
    struct team t;
    lcl_solver *S;
    (void)state;
    team_open(&t, test_laplacian(9, 8, 7), DEVICES);
    assert_int_equal(lcl_solver_create(&S, t.op, NULL, &params), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, t.b, t.x, &report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(report.stop, LCL_STOP_MONITOR);
    assert_int_equal(calls, 1);
    lcl_solver_destroy(&S);
    team_close(&t);
}

// Each column has the bits of a solve of its own.
static void test_team__several_columns_are_solved(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    struct lcl_report report[2];
    lcl_solver *S = NULL;
    struct team t;
    (void)state;
    team_open(&t, test_laplacian(8, 7, 6), 2);
    const int64_t n = t.A.rows;
    double *B = test_random_vector(2 * n, 7), *X = test_vector(2 * n);
    assert_int_equal(lcl_solver_create(&S, t.op, NULL, &params), LCL_OK);
    assert_int_equal(lcl_solver_solve_many(S, B, n, X, n, 2, report), LCL_OK);
    for (int j = 0; j < 2; ++j) {
        for (int64_t i = 0; i < n; ++i)
            t.x[i] = 0;
        assert_int_equal(lcl_solver_solve(S, B + j * n, t.x, NULL), LCL_OK);
        test_expect_same("x", X + j * n, t.x, n);
        assert_true(report[j].stop == LCL_STOP_RTOL);
        assert_true(report[j].history[0] == 1);
    }
    lcl_solver_destroy(&S);
    free(X);
    free(B);
    team_close(&t);
}

static void expect_refused(lcl_context *const *ctx, int count,
                           const struct lcl_csr *A, enum lcl_status status)
{
    lcl_operator *op = NULL;
    assert_int_equal(lcl_operator_create_distributed(&op, ctx, count, A, NULL),
                     status);
    assert_null(op);
}

static void test_team__bad_input_is_refused(void **state)
{
    struct team t;
    struct lcl_csr two = test_identity(2);
    const int64_t lengths[] = {1, 2};
    struct lcl_csr wide = test_rows_of_lengths(2, 3, lengths);
    (void)state;
    team_open(&t, test_identity(9), DEVICES);
    lcl_context *const twice[] = {t.ctx[0], t.ctx[0]};
    expect_refused(twice, 2, &t.A, LCL_EINVAL);
    expect_refused(t.ctx, DEVICES, &two, LCL_EINVAL);
    expect_refused(t.ctx, 2, &wide, LCL_EFORMAT);
    t.A.col_ind[4] = 9;
    expect_refused(t.ctx, DEVICES, &t.A, LCL_EFORMAT);
    t.A.col_ind[4] = 4;
    test_csr_finish(&wide);
    test_csr_finish(&two);
    team_close(&t);
}

// Devices with a log each.
struct listeners {
    struct test_capture capture[DEVICES];
    lcl_context *ctx[DEVICES];
};

// The message of a check on the host, from one device at least.
static void expect_fault(struct listeners *l, const struct lcl_csr *A)
{
    static const struct lcl_operator_params step = {.communication =
                                                        LCL_COMMUNICATION_STEP};
    struct test_capture host;
    lcl_operator *op = NULL;
    bool same = false;
    test_capture_init(&host, LCL_LOG_ERROR);
    assert_int_equal(lcl_csr_check(A, &host.log), LCL_EFORMAT);
    assert_int_equal(
        lcl_operator_create_distributed(&op, l->ctx, DEVICES, A, &step),
        LCL_EFORMAT);
    assert_null(op);
    for (int r = 0; r < DEVICES; ++r) {
        same = same || strcmp(l->capture[r].last, host.last) == 0;
        l->capture[r].last[0] = 0;
    }
    assert_true(same);
}

static void expect_faults(struct listeners *l, const struct lcl_csr *A,
                          int64_t k)
{
    const int32_t column = A->col_ind[k];
    const double value = A->val[k];
    A->val[k] = k % 2 ? NAN : -INFINITY;
    expect_fault(l, A);
    A->val[k] = value;
    A->col_ind[k] = k % 2 ? -1 : (int32_t)A->cols;
    expect_fault(l, A);
    A->col_ind[k] = column;
    if (A->row_ptr[lcl_csr_row_of(A, k)] == k)
        return;
    A->col_ind[k] = A->col_ind[k - 1];
    expect_fault(l, A);
    A->col_ind[k] = column;
}

static void listeners_open(struct listeners *l, enum lcl_device_type type)
{
    for (int r = 0; r < DEVICES; ++r) {
        test_capture_init(&l->capture[r], LCL_LOG_ERROR);
        const struct lcl_context_params params = {.log = l->capture[r].log};
        assert_int_equal(lcl_context_create(&l->ctx[r], &params), LCL_OK);
        l->ctx[r]->caps.type = type;
    }
}

// In rows of one device, and at the boundary of two; METIS reorders the second
// matrix. The host checks for CPUs, others check themselves.
static void test_team__malformed_entries_are_named(void **state)
{
    static const enum lcl_device_type types[] = {LCL_DEVICE_CPU,
                                                 LCL_DEVICE_GPU};
    struct lcl_csr all[] = {test_laplacian(1, 1, 150), test_laplacian(8, 7, 6)};
    struct listeners l;
    (void)state;
    for (int t = 0; t < 2; ++t) {
        listeners_open(&l, types[t]);
        for (size_t m = 0; m < sizeof all / sizeof *all; ++m)
            for (int64_t k = 0; k < all[m].nnz; k += m == 0 ? 4 : 31)
                expect_faults(&l, &all[m], k + (k < all[m].nnz - 1 ? t : 0));
        for (int r = 0; r < DEVICES; ++r)
            lcl_context_destroy(&l.ctx[r]);
    }
    for (size_t m = 0; m < sizeof all / sizeof *all; ++m)
        test_csr_finish(&all[m]);
}

// Multigrid on each device, with the vectors of its rows.
static struct lcl_exchange_info exchanged(const lcl_operator *A, int device)
{
    struct lcl_exchange_info info;
    assert_int_equal(lcl_operator_exchange_info(A, device, &info), LCL_OK);
    return info;
}

// A grid of 8 x 8 x 8 in the order of its layers, of which a device sends one.
static void test_team__exchanges_are_counted(void **state)
{
    struct team t;
    struct lcl_exchange_info before[2], after;
    lcl_operator *alone;
    team_open(&t, test_laplacian(8, 8, 8), 2);
    for (int k = 0; k < 2; ++k)
        before[k] = exchanged(t.op, k);
    expect_product(&t);
    for (int k = 0; k < 2; ++k) {
        after = exchanged(t.op, k);
        assert_int_equal(after.exchanges - before[k].exchanges, 1);
        assert_int_equal(after.sums - before[k].sums, 0);
        assert_int_equal(after.sent_bytes - before[k].sent_bytes, 8 * 64);
        assert_int_equal(after.taken_bytes - before[k].taken_bytes, 8 * 64);
        assert_true(after.halo_seconds > before[k].halo_seconds);
        assert_true(after.sum_seconds > 0);
    }
    assert_int_equal(lcl_operator_exchange_info(t.op, 2, &after), LCL_EINVAL);
    assert_int_equal(lcl_operator_exchange_info(t.op, -1, &after), LCL_EINVAL);
    assert_misuse(lcl_operator_exchange_info(NULL, 0, &after));
    assert_int_equal(lcl_operator_create(&alone, *state, &t.A, NULL), LCL_OK);
    assert_int_equal(exchanged(alone, 0).exchanges, 0);
    lcl_operator_destroy(&alone);
    team_close(&t);
}

static void test_team__near_null_vectors_are_distributed(void **state)
{
    static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG};
    static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    struct lcl_csr A = test_problem("elasticity:12");
    struct lcl_dense nodes, modes;
    int iterations[2];
    (void)state;
    assert_int_equal(lcl_problem_coordinates(&nodes, "elasticity:12", NULL),
                     LCL_OK);
    assert_int_equal(lcl_rigid_body_modes(&modes, &nodes, NULL), LCL_OK);
    struct team t;
    team_open(&t, A, DEVICES);
    for (int k = 0; k < 2; ++k) {
        struct lcl_report report = LCL_REPORT_INIT;
        lcl_precond *M;
        lcl_solver *S;
        assert_int_equal(
            lcl_operator_set_near_nullspace(t.op, k ? &modes : NULL), LCL_OK);
        assert_int_equal(lcl_precond_create(&M, t.op, &amg), LCL_OK);
        assert_int_equal(lcl_solver_create(&S, t.op, M, &cg), LCL_OK);
        memset(t.x, 0, (size_t)A.rows * sizeof *t.x);
        assert_int_equal(lcl_solver_solve(S, t.b, t.x, &report), LCL_OK);
        iterations[k] = report.iterations;
        lcl_solver_destroy(&S);
        lcl_precond_destroy(&M);
    }
    assert_true(iterations[1] < iterations[0]);
    lcl_dense_finish(&modes);
    lcl_dense_finish(&nodes);
    team_close(&t);
}

// There is nothing to exchange or to sum.
static void test_team__one_device_works_as_a_plain_operator(void **state)
{
    struct team t;
    (void)state;
    team_open(&t, test_laplacian(8, 7, 6), 1);
    const struct lcl_dense ones = {t.A.rows, 1, t.x};
    for (int64_t i = 0; i < t.A.rows; ++i)
        t.x[i] = 1;
    assert_int_equal(lcl_operator_set_near_nullspace(t.op, &ones), LCL_OK);
    expect_product(&t);
    assert_int_equal(exchanged(t.op, 0).exchanges, 0);
    assert_int_equal(exchanged(t.op, 0).sums, 0);
    assert_int_equal(lcl_operator_info(t.op)->devices, 1);
    t.A.val[t.A.nnz - 1] = NAN; // on one device nobody else checks it
    lcl_operator *op = t.op;
    assert_int_equal(lcl_operator_create_distributed(&op, t.ctx, 1, &t.A, NULL),
                     LCL_EFORMAT);
    assert_null(op);
    team_close(&t);
}

// Vectors of several devices are in host memory.
static void refuse_buffers(struct team *t)
{
    lcl_buffer *v = test_upload(t->ctx[0], t->b, t->A.rows, sizeof *t->b);
    lcl_solver *S;
    cl_event done;
    const struct lcl_array_cl array = {lcl_buffer_mem(v), 0};
    const struct lcl_solve_cl solve = {
        .b = array, .x = array, .events = {.done = &done}};
    assert_int_equal(lcl_solver_create(&S, t->op, NULL, NULL), LCL_OK);
    assert_int_equal(lcl_solver_solve_cl(S, &solve, NULL), LCL_EUNSUPPORTED);
    assert_int_equal(lcl_solver_enqueue_cl(S, &solve, NULL), LCL_EUNSUPPORTED);
    assert_null(done);
    assert_misuse(lcl_operator_update_cl(t->op, &array, NULL));
    assert_int_equal(
        lcl_operator_apply_transpose_cl(t->op, &array, &array, NULL),
        LCL_EUNSUPPORTED);
    lcl_solver_destroy(&S);
    lcl_buffer_destroy(&v);
}

static void test_team__what_needs_one_device_is_refused(void **state)
{
    struct team t;
    lcl_operator *C = NULL;
    (void)state;
    team_open(&t, test_identity(9), DEVICES);
    assert_int_equal(lcl_operator_multiply(&C, t.op, t.op), LCL_EUNSUPPORTED);
    assert_null(C);
    const struct lcl_dense short_one = {1, 1, (double[]){1}};
    assert_int_equal(lcl_operator_set_near_nullspace(t.op, &short_one),
                     LCL_EINVAL);
    refuse_buffers(&t);
    team_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_team__several_columns_are_solved),
        cmocka_unit_test(test_team__products_are_the_host_s),
        cmocka_unit_test(test_team__metis_is_asked_where_it_may_gain),
        cmocka_unit_test(test_team__chains_solve_and_take_new_values),
        cmocka_unit_test(test_team__multigrid_is_for_large_systems),
        cmocka_unit_test(test_team__preconditioners_add_up),
        cmocka_unit_test(test_team__failures_change_nothing),
        cmocka_unit_test(test_team__the_monitor_stops_all),
        cmocka_unit_test(test_team__bad_input_is_refused),
        cmocka_unit_test(test_team__malformed_entries_are_named),
        cmocka_unit_test(test_team__exchanges_are_counted),
        cmocka_unit_test(test_team__near_null_vectors_are_distributed),
        cmocka_unit_test(test_team__one_device_works_as_a_plain_operator),
        cmocka_unit_test(test_team__what_needs_one_device_is_refused),
    };
    return test_device_run(tests);
}
