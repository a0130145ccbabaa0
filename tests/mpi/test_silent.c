// SPDX-License-Identifier: BSD-3-Clause
// The last rank falls silent in the middle; the others stop with a sentence
// that names it. It sleeps, and goes on too late; or it exits or is killed, and
// the launcher is told to leave the others alone. Or it sleeps before the ranks
// meet.
// usage: LEVELCL_RANK_TIMEOUT=1 mpirun -n RANKS PROGRAM
//        sleeps|exits|is_killed|is_late
#include "host/clock.h"
#include "lib/comm/mpi.h"
#include "tests/mpi/check.h"
#include "tests/support/capture.h"
#include "tests/support/rank_cases.h"

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ALARM = 30, ROUNDS = 20, SLEEP = 5 };

#define CHECK(condition) CHECK_ON(C->rank, capture.last, condition)

static struct test_capture capture;

// Of a rank that waits: it, or another one before it, names the silent one.
static bool stops(struct lcl_comm *C, lcl_test_rank_fn *call)
{
    char silent[64];
    enum lcl_status st = LCL_OK;
    const double start = lcl_now();
    snprintf(silent, sizeof silent, "rank %d did not answer for 1 seconds",
             C->size - 1);
    while (st == LCL_OK)
        st = call(C);
    CHECK(st == LCL_EDEVICE);
    CHECK(strstr(capture.last, silent) ||
          strstr(capture.last, " ended with an error"));
    CHECK(C->size > 2 || strstr(capture.last, silent));
    CHECK(lcl_now() - start < SLEEP);
    CHECK(lcl_test_rank_sum(C) == LCL_EDEVICE &&
          lcl_test_rank_ring(C) == LCL_EDEVICE);
    return true;
}

// Of a rank that wakes up too late.
static bool is_refused(struct lcl_comm *C, lcl_test_rank_fn *call)
{
    enum lcl_status st = LCL_OK;
    sleep(SLEEP);
    while (st == LCL_OK)
        st = call(C);
    CHECK(st == LCL_EDEVICE);
    CHECK(strstr(capture.last, " ended with an error"));
    return true;
}

// Until the last rank is there again.
static bool stops_and_waits(struct lcl_comm *C, lcl_test_rank_fn *call)
{
    const double until = lcl_now() + SLEEP;
    if (!stops(C, call))
        return false;
    while (lcl_now() < until)
        sched_yield();
    return true;
}

static bool runs(struct lcl_comm *C, const char *how, lcl_test_rank_fn *call)
{
    for (int round = 0; round < ROUNDS; ++round)
        CHECK(call(C) == LCL_OK);
    if (C->rank < C->size - 1)
        return stops_and_waits(C, call);
    if (strcmp(how, "exits") == 0)
        _exit(0);
    if (strcmp(how, "is_killed") == 0)
        raise(SIGKILL);
    return is_refused(C, call);
}

// The others stop before the last rank comes.
static bool stops_at_once(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    const double start = lcl_now();
    int rank, size;
    struct lcl_comm *C;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (rank == size - 1) {
        sleep(SLEEP);
        return true;
    }
    return lcl_mpi_comm_create(&C, &world, &capture.log) == LCL_EDEVICE && !C &&
           strstr(capture.last, "another rank did not answer for 1 seconds") &&
           lcl_now() - start < SLEEP;
}

int main(int argc, char **argv)
{
    static lcl_test_rank_fn *const calls[] = {
        lcl_test_rank_sum, lcl_test_rank_sums, lcl_test_rank_ring};
    const MPI_Comm world = MPI_COMM_WORLD;
    const bool sleeps = strcmp(argv[argc - 1], "sleeps") == 0;
    const bool is_late = strcmp(argv[argc - 1], "is_late") == 0;
    struct lcl_comm *C;
    bool is_right = true;
    alarm(ALARM);
    test_capture_init(&capture, LCL_LOG_INFO);
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    if (is_late)
        is_right = stops_at_once();
    for (int c = 0; c < (sleeps ? 3 : !is_late) && is_right; ++c) {
        if (lcl_mpi_comm_create(&C, &world, &capture.log) != LCL_OK)
            return 1;
        is_right = runs(C, argv[argc - 1], calls[sleeps ? c : 2]);
        lcl_mpi_comm_destroy(&C);
    }
    if (is_right)
        puts("the others stopped");
    fflush(stdout);
    _exit(!is_right); // MPI_Finalize() would wait for the lost rank
}
