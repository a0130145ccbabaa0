// SPDX-License-Identifier: BSD-3-Clause
// Set-ups and solves of chains that end early, on one device and on several:
// wherever it happens, all ranks end, and the next solve works.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include <levelcl/chain.h>

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2 };

// Counts launches by their messages and cancels at one of them.
struct trigger {
    _Atomic(lcl_chain *) C;
    atomic_long at;               // 0: none
    atomic_long launches, before; // in all, until it was cancelled
};

static void count(void *user, enum lcl_log_level level, const char *text)
{
    struct trigger *t = user;
    if (level != LCL_LOG_TRACE || !strstr(text, "clEnqueueNDRangeKernel"))
        return;
    if (atomic_fetch_add(&t->launches, 1) + 1 != atomic_load(&t->at))
        return;
    lcl_chain_cancel(atomic_load(&t->C));
    atomic_store(&t->before, atomic_load(&t->launches));
}

struct run {
    struct trigger trigger;
    struct lcl_csr A;
    int devices;
    lcl_context *ctx[DEVICES];
    lcl_operator *op;
    lcl_chain *C;
    double *b, *x;
    struct lcl_report report;
};

static void run_open(struct run *r, int devices,
                     const struct lcl_precond_params *precond,
                     const struct lcl_solver_params *solver)
{
    struct lcl_csr A = test_laplacian(10, 9, 8);
    *r = (struct run){.A = A,
                      .devices = devices,
                      .b = test_random_vector(A.rows, 9),
                      .x = test_vector(A.rows)};
    const struct lcl_context_params params = {
        .log = {.fn = count, .user = &r->trigger, .level = LCL_LOG_TRACE}};
    for (int k = 0; k < devices; ++k)
        assert_int_equal(lcl_context_create(&r->ctx[k], &params), LCL_OK);
    assert_int_equal(
        lcl_operator_create_distributed(&r->op, r->ctx, devices, &r->A, NULL),
        LCL_OK);
    assert_true(lcl_chain_create(&r->C, r->op, precond, solver) >= LCL_OK);
    atomic_store(&r->trigger.C, r->C);
}

static void run_close(struct run *r)
{
    lcl_chain_destroy(&r->C);
    lcl_operator_destroy(&r->op);
    for (int k = 0; k < r->devices; ++k)
        lcl_context_destroy(&r->ctx[k]);
    test_csr_finish(&r->A);
    free(r->b);
    free(r->x);
}

// From now on.
static void cancel_at(struct run *r, long launch)
{
    atomic_store(&r->trigger.launches, 0);
    atomic_store(&r->trigger.at, launch);
}

static enum lcl_status solve(struct run *r)
{
    memset(r->x, 0, (size_t)r->A.rows * sizeof *r->x);
    return lcl_chain_solve(r->C, r->b, r->x, &r->report);
}

// All of the first few, then fewer and fewer.
static long next(long n)
{
    return n + 1 + n / 5;
}

// ------------------------------------------------------------------- updates

// Whether the update was cancelled at the launch. Each rank may be between its
// look at the limit and its launch.
static bool cancel_update(struct run *r, long launch)
{
    for (int64_t k = 0; k < r->A.nnz; ++k)
        r->A.val[k] *= 2;
    assert_int_equal(lcl_operator_update(r->op, r->A.val), LCL_OK);
    cancel_at(r, launch);
    const enum lcl_status st = lcl_chain_update(r->C);
    const long more =
        atomic_load(&r->trigger.launches) - atomic_load(&r->trigger.before);
    cancel_at(r, 0);
    if (st < LCL_OK && st != LCL_ECANCELLED)
        fail_msg("launch %ld: %s", launch, lcl_status_str(st));
    if (st == LCL_ECANCELLED) {
        assert_in_range(more, 0, r->devices - 1);
        assert_null(lcl_chain_precond(r->C));
        assert_int_equal(solve(r), LCL_OK);
    }
    return st == LCL_ECANCELLED;
}

static void test_limits__an_update_ends_at_its_next_launch(void **state)
{
    static const struct lcl_precond_params preconds[] = {
        {.type = LCL_PRECOND_IC0, .coarse = LCL_COARSE_MULT},
        {.type = LCL_PRECOND_AMG,
         .amg = {.refresh = LCL_AMG_REFRESH_FULL, .coarse_rows = 50}}};
    (void)state;
    for (int k = 0; k < 4; ++k) {
        struct run r;
        long launch = 1;
        run_open(&r, 1 + k / 2, &preconds[k % 2], NULL);
        assert_int_equal(solve(&r), LCL_OK);
        while (cancel_update(&r, launch))
            launch = next(launch);
        assert_true(launch > 6);
        run_close(&r);
    }
}

// ------------------------------------------------------------------- solves

// Solves that no method can do within the iterations, so that one is set up
// after the other. Whether the solve was cancelled at the launch.
static bool cancel_solve(struct run *r, long launch, int all)
{
    int attempts = 0;
    cancel_at(r, launch);
    assert_int_equal(solve(r), LCL_ITERATION_LIMIT);
    const bool reached = atomic_load(&r->trigger.launches) >= launch;
    const bool cancelled = r->report.stop == LCL_STOP_CANCELLED;
    cancel_at(r, 0);
    assert_true(reached || !cancelled);
    assert_true(r->report.true_residual <= 1 || isnan(r->report.true_residual));
    while (lcl_chain_attempt(r->C, attempts))
        ++attempts;
    assert_true(attempts <= all && (cancelled || attempts == all));
    return cancelled;
}

static int count_attempts(struct run *r)
{
    int attempts = 0;
    assert_int_equal(solve(r), LCL_ITERATION_LIMIT);
    assert_int_equal(r->report.stop, LCL_STOP_MAX_ITERS);
    while (lcl_chain_attempt(r->C, attempts))
        ++attempts;
    return attempts;
}

static void test_limits__a_solve_ends_in_its_set_ups(void **state)
{
    const struct lcl_solver_params few = {.max_iters = 8, .rtol = 1e-18};
    (void)state;
    for (int devices = 1; devices <= DEVICES; ++devices) {
        struct run r;
        run_open(&r, devices, NULL, &few);
        const int all = count_attempts(&r);
        assert_true(all > 2);
        for (long launch = 1; cancel_solve(&r, launch, all);)
            launch = next(launch);
        assert_int_equal(count_attempts(&r), all);
        run_close(&r);
    }
}

static void test_limits__time_ends_a_set_up_on_all_devices(void **state)
{
    const struct lcl_solver_params late = {.time_limit = 1e-9};
    struct run r;
    lcl_chain *C;
    (void)state;
    run_open(&r, DEVICES, NULL, NULL);
    assert_int_equal(lcl_chain_create(&C, r.op, NULL, &late), LCL_ECANCELLED);
    assert_null(C);
    assert_int_equal(solve(&r), LCL_OK);
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits__an_update_ends_at_its_next_launch),
        cmocka_unit_test(test_limits__a_solve_ends_in_its_set_ups),
        cmocka_unit_test(test_limits__time_ends_a_set_up_on_all_devices),
    };
    return test_device_run(tests);
}
