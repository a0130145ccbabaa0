// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads: the cases of any transport, and what is special to
// threads: failures, repeated runs, threads that cannot be created.
#include "lib/comm/mpi.h"
#include "lib/comm/team.h"
#include "tests/support/capture.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fail_threads.h"
#include "tests/support/misuse.h"
#include "tests/support/rank_cases.h"
#include "tests/support/test.h"

#include <levelcl/ranks.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 8 };

// What the ranks of a run share.
struct job {
    lcl_team *team;
    lcl_test_rank_fn *run;
    int failing; // rank
    atomic_int calls;
    enum lcl_status seen[RANKS];
};

static struct test_capture capture[RANKS];

static void create(struct job *J, int size)
{
    struct lcl_log log[RANKS];
    *J = (struct job){.failing = -1};
    for (int r = 0; r < size; ++r) {
        test_capture_init(&capture[r], LCL_LOG_INFO);
        log[r] = capture[r].log;
    }
    assert_int_equal(lcl_team_create(&J->team, size, log), LCL_OK);
}

static enum lcl_status run_case(void *arg, int rank)
{
    struct job *J = arg;
    return J->run(lcl_team_comm(J->team, rank));
}

static void test_comm__all_cases_on_teams_of_all_sizes(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, RANKS};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        struct job J;
        create(&J, sizes[s]);
        const struct lcl_test_rank_case *c = lcl_test_rank_cases;
        for (; c->name; ++c) {
            J.run = c->run;
            const enum lcl_status st = lcl_team_run(J.team, run_case, &J);
            if (st != LCL_OK)
                fail_msg("%s, %d ranks: %s", c->name, sizes[s],
                         lcl_status_str(st));
        }
        lcl_team_destroy(&J.team);
        assert_null(J.team);
    }
}

// ------------------------------------------------------------------- failures

static enum lcl_status run_mix(struct lcl_comm *C)
{
    double sum[3] = {1, 2, 3};
    const enum lcl_status st = lcl_test_rank_mix(C, 20);
    return st < 0 ? st : lcl_comm_sum(C, sum, 3);
}

// One rank fails in the middle, the others would go on for hours.
static enum lcl_status fail_in_gathers(void *arg, int rank)
{
    struct job *J = arg;
    struct lcl_comm *C = lcl_team_comm(J->team, rank);
    enum lcl_status st = LCL_OK;
    for (int64_t round = 0; st == LCL_OK && round < INT32_MAX; ++round) {
        double x = 1;
        if (rank == J->failing && round == 100)
            return LCL_EIO;
        st = lcl_comm_sum(C, &x, 1);
    }
    return J->seen[rank] = st;
}

// The failing rank sends nothing, but goes on for a while.
static enum lcl_status fail_in_exchange(void *arg, int rank)
{
    struct job *J = arg;
    struct lcl_comm *C = lcl_team_comm(J->team, rank);
    struct lcl_message in = {J->failing, NULL, 0}, out = {J->failing, NULL, 0};
    struct lcl_exchange_plan P = {&out, &in, 1, 1};
    if (rank == J->failing) {
        lcl_comm_fail(C);
        return LCL_EIO;
    }
    enum lcl_status st = lcl_comm_begin(C, &P);
    if (st == LCL_OK)
        st = lcl_comm_end(C, &P);
    return J->seen[rank] = st;
}

static void expect_ended(struct job *J, int size)
{
    char message[64];
    snprintf(message, sizeof message, "rank %d ended with an error",
             J->failing);
    for (int r = 0; r < size; ++r) {
        if (r == J->failing)
            continue;
        assert_int_equal(J->seen[r], LCL_EDEVICE);
        assert_string_equal(capture[r].last, message);
    }
}

static void expect_failure(lcl_team_fn *fn, int size, int failing)
{
    struct job J;
    create(&J, size);
    J.failing = failing;
    assert_int_equal(lcl_team_run(J.team, fn, &J), LCL_EIO);
    expect_ended(&J, size);
    J.run = run_mix;
    assert_int_equal(lcl_team_run(J.team, run_case, &J), LCL_OK);
    lcl_team_destroy(&J.team);
}

static void test_comm__a_rank_that_fails_ends_the_others(void **state)
{
    (void)state;
    for (int size = 1; size <= RANKS; size += size < 3 ? 1 : 5)
        for (int failing = 0; failing < size; ++failing) {
            expect_failure(fail_in_gathers, size, failing);
            expect_failure(fail_in_exchange, size, failing);
        }
}

// The receiver's message is not in the plan of the sender.
static enum lcl_status expect_missing(void *arg, int rank)
{
    struct job *J = arg;
    struct lcl_message in = {0, NULL, 24};
    struct lcl_exchange_plan P = {NULL, &in, 0, rank == 1};
    struct lcl_comm *C = lcl_team_comm(J->team, rank);
    enum lcl_status st = lcl_comm_begin(C, &P);
    if (st == LCL_OK)
        st = lcl_comm_end(C, &P);
    return st;
}

static void test_comm__missing_messages_are_refused(void **state)
{
    (void)state;
    struct job J;
    create(&J, 2);
    assert_int_equal(lcl_team_run(J.team, expect_missing, &J), LCL_EINVAL);
    assert_string_equal(capture[1].last,
                        "a message of 0 bytes from rank 0, expected 24");
    lcl_team_destroy(&J.team);
}

// ------------------------------------------------------------------- runs

static enum lcl_status return_rank(void *arg, int rank)
{
    struct job *J = arg;
    atomic_fetch_add(&J->calls, 1);
    J->seen[rank] = LCL_ITERATION_LIMIT;
    return rank == 1 ? LCL_BREAKDOWN : LCL_OK;
}

static void test_comm__a_run_returns_the_largest_status(void **state)
{
    (void)state;
    struct job J;
    create(&J, 3);
    for (int run = 1; run < 50; ++run) {
        assert_int_equal(lcl_team_run(J.team, return_rank, &J), LCL_BREAKDOWN);
        assert_int_equal(J.calls, 3 * run);
    }
    lcl_team_destroy(&J.team);
}

static enum lcl_status look_at_signals(void *arg, int rank)
{
    struct job *J = arg;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    J->seen[rank] =
        sigismember(&blocked, SIGTERM) == 1 ? LCL_STAGNATION : LCL_OK;
    return LCL_OK;
}

static void test_comm__only_the_callers_thread_gets_signals(void **state)
{
    (void)state;
    struct job J;
    create(&J, 3);
    assert_int_equal(lcl_team_run(J.team, look_at_signals, &J), LCL_OK);
    assert_int_equal(J.seen[0], LCL_OK);
    assert_int_equal(J.seen[1], LCL_STAGNATION);
    assert_int_equal(J.seen[2], LCL_STAGNATION);
    lcl_team_destroy(&J.team);
}

static void test_comm__threads_that_cannot_be_created(void **state)
{
    (void)state;
    struct job J;
    create(&J, RANKS);
    for (int created = 0; created < RANKS - 1; ++created) {
        lcl_test_threads_left(created);
        assert_int_equal(lcl_team_run(J.team, return_rank, &J), LCL_ENOMEM);
        assert_int_equal(J.calls, 0);
        test_capture_expect(&capture[0], "a thread");
    }
    lcl_test_threads_left(-1);
    assert_int_equal(lcl_team_run(J.team, return_rank, &J), LCL_BREAKDOWN);
    lcl_team_destroy(&J.team);
}

// A build without MPI refuses, one with MPI too as long as it is not running.
static void test_comm__mpi_is_refused(void **state)
{
    (void)state;
    const void *const no_communicator = NULL;
    struct lcl_comm *C = (struct lcl_comm *)&capture[0];
    test_capture_init(&capture[0], LCL_LOG_ERROR);
    const enum lcl_status st =
        lcl_mpi_comm_create(&C, &no_communicator, &capture[0].log);
    assert_null(C);
    if (st == LCL_EUNSUPPORTED)
        test_capture_expect(&capture[0],
                            "this build of the library has no MPI");
    else
        test_capture_expect(&capture[0], "MPI is not running");
    assert_true(st == LCL_EUNSUPPORTED || st == LCL_EINVAL);
    lcl_mpi_comm_destroy(&C);
}

// The same of <levelcl/ranks.h>, whose functions refuse to work without ranks.
static void test_comm__ranks_are_refused(void **state)
{
    (void)state;
    const void *const no_communicator = NULL;
    const struct lcl_ranks_rows rows = {.first = -1, .columns = -1};
    struct lcl_ranks_failure failure = {.code = 1};
    lcl_ranks *R = (lcl_ranks *)&capture[0];
    double x = 0;
    test_capture_init(&capture[0], LCL_LOG_ERROR);
    const enum lcl_status st =
        lcl_ranks_create(&R, &no_communicator, &capture[0].log);
    assert_null(R);
    assert_true(st == LCL_EUNSUPPORTED || st == LCL_EINVAL);
    test_capture_expect(&capture[0], st == LCL_EUNSUPPORTED
                                         ? "this build of the library has no "
                                           "MPI"
                                         : "MPI is not running");
    assert_int_equal(lcl_ranks_count(R), 1);
    lcl_ranks_abort(R, 1); // nothing to end
    assert_misuse(lcl_ranks_agree(R, LCL_OK, &failure));
    assert_misuse(lcl_ranks_gather(R, &x, SIZE_MAX, &x));
    assert_misuse(lcl_ranks_scatter_rows(R, &rows, &x, &x));
    assert_misuse(lcl_ranks_gather_rows(R, &rows, &x, &x));
    lcl_ranks_destroy(&R);
}

// ------------------------------------------------------------------- memory

// A rank calls on after an error, as if to report it: no rank may wait for it.
static enum lcl_status call_on(struct lcl_comm *C)
{
    double sum[30] = {0};
    const enum lcl_status st = lcl_comm_sum(C, sum, 30);
    const enum lcl_status all = lcl_comm_agree(C, st, "sums");
    return st < 0 ? st : all;
}

static enum lcl_status run_once(lcl_test_rank_fn *run, int size)
{
    static const struct lcl_log silent[RANKS];
    struct job J = {.run = run};
    enum lcl_status st = lcl_team_create(&J.team, size, silent);
    if (st == LCL_OK)
        st = lcl_team_run(J.team, run_case, &J);
    lcl_team_destroy(&J.team);
    return st;
}

static long fail_each(lcl_test_rank_fn *run, int size)
{
    for (long n = 1;; ++n) {
        lcl_test_fail_alloc_at(n);
        const enum lcl_status st = run_once(run, size);
        const bool failed = lcl_test_alloc_failed();
        lcl_test_fail_alloc_at(0);
        assert_int_equal(st, failed ? LCL_ENOMEM : LCL_OK);
        if (!failed)
            return n - 1;
    }
}

static void test_comm__allocations_that_fail(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3};
    for (int s = 0; s < 3; ++s) {
        assert_in_range(fail_each(run_mix, sizes[s]), 3 * sizes[s], 30);
        assert_in_range(fail_each(call_on, sizes[s]), 3 * sizes[s], 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comm__all_cases_on_teams_of_all_sizes),
        cmocka_unit_test(test_comm__a_rank_that_fails_ends_the_others),
        cmocka_unit_test(test_comm__missing_messages_are_refused),
        cmocka_unit_test(test_comm__a_run_returns_the_largest_status),
        cmocka_unit_test(test_comm__only_the_callers_thread_gets_signals),
        cmocka_unit_test(test_comm__threads_that_cannot_be_created),
        cmocka_unit_test(test_comm__mpi_is_refused),
        cmocka_unit_test(test_comm__ranks_are_refused),
        cmocka_unit_test(test_comm__allocations_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
