// SPDX-License-Identifier: BSD-3-Clause
// Two devices whose sums and messages are enqueued ahead, on contexts that
// share the default device; a CPU needs a core for each waiting kernel.
#include "host/context.h"
#include "host/runtime.h"
#include "host/shared.h"
#include "lib/comm/carrier.h"
#include "lib/comm/team.h"
#include "lib/distributed/team_operator.h"
#include "tests/support/device.h"
#include "tests/support/fake_cl.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>
#include <levelcl/solver.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEVICES = 2 };

struct pair {
    lcl_context *ctx[DEVICES];
    struct lcl_csr A;
    lcl_operator *op;
    double *b, *x, *y;
};

static void open_contexts(struct pair *t, struct lcl_csr A)
{
    *t = (struct pair){.A = A,
                       .b = test_random_vector(A.rows, 5),
                       .x = test_vector(A.rows),
                       .y = test_vector(A.rows)};
    for (int k = 0; k < DEVICES; ++k)
        t->ctx[k] = test_context(k);
    if (lcl_context_caps(t->ctx[0])->compute_units < DEVICES)
        skip();
}

static void pair_close(struct pair *t)
{
    lcl_operator_destroy(&t->op);
    free(t->b);
    free(t->x);
    free(t->y);
    test_csr_finish(&t->A);
}

// Whether the host sees what a device writes to memory that is mapped.
static bool shares_memory(lcl_context *ctx)
{
    struct lcl_shared S;
    assert_int_equal(lcl_shared_init(&S, ctx, 1, "a word"), LCL_OK);
    assert_int_equal(lcl_buffer_fill(S.buffer, 0xff), LCL_OK);
    assert_int_equal(lcl_context_wait(ctx), LCL_OK);
    const bool seen = S.words[0] == UINT64_MAX;
    lcl_shared_finish(&S);
    return seen;
}

// Devices that do not share memory with the host are refused.
static void expect_ahead(struct pair *t, enum lcl_status created)
{
    if (!shares_memory(t->ctx[0])) {
        assert_int_equal(created, LCL_EUNSUPPORTED);
        pair_close(t);
        skip();
    }
    assert_int_equal(created, LCL_OK);
    assert_int_equal(lcl_operator_info(t->op)->communication,
                     LCL_COMMUNICATION_AHEAD);
}

static void make_operator(struct pair *t)
{
    const struct lcl_operator_params ahead = {.communication =
                                                  LCL_COMMUNICATION_AHEAD};
    expect_ahead(t, lcl_operator_create_distributed(&t->op, t->ctx, DEVICES,
                                                    &t->A, &ahead));
}

static void pair_open(struct pair *t, struct lcl_csr A)
{
    open_contexts(t, A);
    make_operator(t);
}

static void pair_open_kron(struct pair *t, const struct lcl_kron *K,
                           enum lcl_kron_type type,
                           enum lcl_kron_exchange_type exchange)
{
    const struct lcl_operator_params ahead = {.kron = type,
                                              .communication =
                                                  LCL_COMMUNICATION_AHEAD,
                                              .kron_exchange = exchange};
    open_contexts(t, test_kron_whole(K));
    expect_ahead(t, lcl_operator_create_kron_distributed(&t->op, t->ctx,
                                                         DEVICES, K, &ahead));
}

// On two queues ghosts arrive beside the product with the own columns, for
// which a CPU needs more cores.
static void expect_products(struct pair *t, double tolerance)
{
    double *expected = test_vector(t->A.rows);
    lcl_csr_multiply(&t->A, t->b, expected);
    for (int time = 0; time < 6; ++time) {
        for (int k = 0; k < DEVICES; ++k)
            t->ctx[k]->caps.queues_overlap =
                time / 2 % 2 == 1 && t->ctx[k]->caps.compute_units > DEVICES;
        memset(t->y, 0xff, (size_t)t->A.rows * sizeof *t->y);
        assert_int_equal(lcl_operator_apply(t->op, t->b, t->y), LCL_OK);
        test_expect_near("A b", t->y, expected, t->A.rows, tolerance);
    }
    free(expected);
}

// What one device sends the other one takes, in each of `products`.
static void expect_exchanged(const struct pair *t,
                             const struct lcl_exchange_info *before,
                             int products)
{
    struct lcl_exchange_info now[DEVICES];
    for (int k = 0; k < DEVICES; ++k) {
        assert_int_equal(lcl_operator_exchange_info(t->op, k, &now[k]), LCL_OK);
        assert_int_equal(now[k].exchanges - before[k].exchanges, products);
        assert_true(now[k].sent_bytes > before[k].sent_bytes);
        assert_true(now[k].halo_seconds > before[k].halo_seconds);
    }
    assert_int_equal(now[0].sent_bytes - before[0].sent_bytes,
                     now[1].taken_bytes - before[1].taken_bytes);
}

static void test_ahead__products_are_the_host_s(void **state)
{
    struct pair t;
    struct lcl_exchange_info before[DEVICES];
    (void)state;
    pair_open(&t, test_random_csr(90, 5, 2));
    for (int k = 0; k < DEVICES; ++k)
        assert_int_equal(lcl_operator_exchange_info(t.op, k, &before[k]),
                         LCL_OK);
    expect_products(&t, 1e-13);
    expect_exchanged(&t, before, 6);
    pair_close(&t);
}

// Twice, with the same bits.
static void expect_solved(struct pair *t, enum lcl_solver_type type,
                          enum lcl_precond_type precond, enum lcl_coarse coarse)
{
    const struct lcl_precond_params p = {
        .type = precond, .partition = {.rows = 64}, .coarse = coarse};
    const struct lcl_solver_params s = {.type = type, .max_iters = 400};
    struct lcl_report report = LCL_REPORT_INIT;
    double *first = test_vector(t->A.rows);
    lcl_precond *M;
    lcl_solver *S;
    assert_true(lcl_precond_create(&M, t->op, &p) >= LCL_OK);
    assert_int_equal(lcl_solver_create(&S, t->op, M, &s), LCL_OK);
    for (int time = 0; time < 2; ++time) {
        memset(t->x, 0, (size_t)t->A.rows * sizeof *t->x);
        assert_int_equal(lcl_solver_solve(S, t->b, t->x, &report), LCL_OK);
        assert_true(test_residual(&t->A, t->b, t->x) <= 1e-8 * (1 + 1e-6));
        if (time == 0)
            memcpy(first, t->x, (size_t)t->A.rows * sizeof *first);
        test_expect_same("x", t->x, first, t->A.rows);
    }
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    free(first);
}

// Few iterations: on a CPU each step of a waiting kernel takes a time slice.
static void test_ahead__solvers_converge(void **state)
{
    struct pair t;
    (void)state;
    pair_open(&t, test_laplacian(3, 2, 2));
    expect_solved(&t, LCL_SOLVER_CG, LCL_PRECOND_IC0, LCL_COARSE_NONE);
    expect_solved(&t, LCL_SOLVER_GMRES, LCL_PRECOND_JACOBI, LCL_COARSE_NONE);
    pair_close(&t);
}

// The host gathers the coarse residual in between.
static void test_ahead__preconditioners_reach_the_other_device(void **state)
{
    struct pair t;
    (void)state;
    pair_open(&t, test_laplacian(3, 2, 2));
    expect_solved(&t, LCL_SOLVER_CG, LCL_PRECOND_IC0, LCL_COARSE_MULT);
    expect_solved(&t, LCL_SOLVER_GMRES, LCL_PRECOND_RAS, LCL_COARSE_NONE);
    pair_close(&t);
}

static void test_ahead__kronecker_systems_by_all_exchanges(void **state)
{
    static const struct {
        enum lcl_kron_type type;
        enum lcl_kron_exchange_type exchange;
    } all[] = {{LCL_KRON_ONE_PASS, LCL_KRON_EXCHANGE_BATCHED},
               {LCL_KRON_ONE_PASS, LCL_KRON_EXCHANGE_STAGED},
               {LCL_KRON_OKP, LCL_KRON_EXCHANGE_BATCHED},
               {LCL_KRON_OKP, LCL_KRON_EXCHANGE_STAGED},
               {LCL_KRON_CU, LCL_KRON_EXCHANGE_STAGED}};
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 3, 2, 12, TEST_KRON_NEAR);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        struct pair t;
        pair_open_kron(&t, &T.K, all[k].type, all[k].exchange);
        expect_products(&t, 1e-12);
        if (k % 2 == 0)
            expect_solved(&t, LCL_SOLVER_BICGSTAB, LCL_PRECOND_BLOCK_JACOBI,
                          LCL_COARSE_NONE);
        pair_close(&t);
    }
    test_kron_finish(&T);
}

// Values that are not finite, or a rank that fails, must not leave a kernel
// waiting.
static void test_ahead__a_rank_that_fails_ends_all(void **state)
{
    struct pair t;
    (void)state;
    pair_open(&t, test_laplacian(3, 2, 2));
    const double value = t.A.val[t.A.nnz - 1];
    t.A.val[t.A.nnz - 1] = NAN;
    assert_int_equal(lcl_operator_update(t.op, t.A.val), LCL_EFORMAT);
    t.A.val[t.A.nnz - 1] = value;
    assert_int_equal(lcl_operator_update(t.op, t.A.val), LCL_OK);
    expect_solved(&t, LCL_SOLVER_CG, LCL_PRECOND_JACOBI, LCL_COARSE_NONE);
    pair_close(&t);
}

// A kernel of the first device waits for the second one, which comes later than
// the thread's patience allows.
static enum lcl_status wait_in_vain(void *arg, int rank)
{
    const struct pair *t = arg;
    const struct lcl_space *V = &t->op->team->part[rank]->range;
    double sum = 0;
    lcl_buffer *sums;
    if (rank > 0) {
        sleep(2);
        return LCL_OK;
    }
    assert_int_equal(lcl_space_sums(&sums, V), LCL_OK);
    assert_int_equal(lcl_buffer_fill(sums, 0), LCL_OK);
    assert_int_equal(lcl_space_reduce(V, sums, 0, 1, V->groups), LCL_OK);
    assert_int_equal(lcl_buffer_read(sums, &sum, sizeof sum), LCL_OK);
    assert_true(isnan(sum));
    const enum lcl_status st = lcl_space_reduce(V, sums, 0, 1, V->groups);
    lcl_buffer_destroy(&sums);
    return st;
}

static void test_ahead__an_answer_that_does_not_come_ends_the_wait(void **state)
{
    struct pair t;
    (void)state;
    pair_open(&t, test_laplacian(3, 2, 2));
    lcl_team *team = t.op->team->team;
    for (int r = 0; r < DEVICES; ++r)
        lcl_team_comm(team, r)->relay->patience = 0.3;
    assert_int_equal(lcl_team_run(team, wait_in_vain, &t), LCL_EDEVICE);
    for (int r = 0; r < DEVICES; ++r)
        lcl_team_comm(team, r)->relay->patience = LCL_RELAY_PATIENCE;
    expect_solved(&t, LCL_SOLVER_CG, LCL_PRECOND_JACOBI, LCL_COARSE_NONE);
    pair_close(&t);
}

// The first device's program has a mistake, or it has no fence: devices that
// may be chosen to work ahead wait in step.
static void expect_refused(struct pair *t)
{
    const struct lcl_operator_params ahead = {.communication =
                                                  LCL_COMMUNICATION_AHEAD};
    assert_int_equal(
        lcl_operator_create_distributed(&t->op, t->ctx, DEVICES, &t->A, &ahead),
        LCL_EUNSUPPORTED);
    assert_int_equal(
        lcl_operator_create_distributed(&t->op, t->ctx, DEVICES, &t->A, NULL),
        LCL_OK);
    assert_int_equal(lcl_operator_info(t->op)->communication,
                     LCL_COMMUNICATION_STEP);
    expect_products(t, 1e-14);
}

static void test_ahead__without_a_fence_devices_step(void **state)
{
    struct pair t;
    (void)state;
    open_contexts(&t, test_laplacian(3, 2, 2));
    const enum lcl_fence fence = t.ctx[1]->caps.fence;
    t.ctx[1]->caps.fence = LCL_FENCE_NONE;
    expect_refused(&t);
    t.ctx[1]->caps.fence = fence;
    pair_close(&t);
}

// As of a device whose last writes the host sees too late.
static void test_ahead__messages_of_the_trial_are_compared(void **state)
{
    const struct lcl_context_params context = {.no_cache = true};
    struct pair t;
    (void)state;
    open_contexts(&t, test_laplacian(3, 2, 2));
    fake_cl = (struct fake_cl){
        .real_platform = true,
        .edit = {"    for (RANGE(k, count))\n        data[k] = x",
                 "    for (RANGE(k, count-1))\n      data[k] = x"}};
    assert_int_equal(lcl_runtime_create(&t.ctx[1], &context, &fake_cl_api),
                     LCL_OK);
    expect_refused(&t);
    pair_close(&t);
    lcl_context_destroy(&t.ctx[1]);
    fake_cl = (struct fake_cl){0};
}

// A launch that waits for the queue of the second device must not keep the
// threads from answering the kernels in it.
static void test_ahead__a_queue_may_be_full(void **state)
{
    const struct lcl_context_params context = {.no_cache = true};
    struct pair t;
    (void)state;
    open_contexts(&t, test_laplacian(3, 2, 2));
    fake_cl = (struct fake_cl){.real_platform = true, .queue_most = 3};
    assert_int_equal(lcl_runtime_create(&t.ctx[1], &context, &fake_cl_api),
                     LCL_OK);
    make_operator(&t);
    fake_cl.full = 0;
    expect_products(&t, 1e-14);
    expect_solved(&t, LCL_SOLVER_CG, LCL_PRECOND_JACOBI, LCL_COARSE_NONE);
    assert_true(fake_cl.full > 20);
    pair_close(&t);
    lcl_context_destroy(&t.ctx[1]);
    fake_cl = (struct fake_cl){0};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ahead__products_are_the_host_s),
        cmocka_unit_test(test_ahead__solvers_converge),
        cmocka_unit_test(test_ahead__kronecker_systems_by_all_exchanges),
        cmocka_unit_test(test_ahead__preconditioners_reach_the_other_device),
        cmocka_unit_test(test_ahead__a_rank_that_fails_ends_all),
        cmocka_unit_test(
            test_ahead__an_answer_that_does_not_come_ends_the_wait),
        cmocka_unit_test(test_ahead__without_a_fence_devices_step),
        cmocka_unit_test(test_ahead__messages_of_the_trial_are_compared),
        cmocka_unit_test(test_ahead__a_queue_may_be_full),
    };
    return test_device_run(tests);
}
