// SPDX-License-Identifier: BSD-3-Clause
// The last rank falls silent; lcl_ranks_agree() on the others ends within the
// time limit and says so, and a rank with an error of its own keeps it.
// usage: LEVELCL_RANK_TIMEOUT=1 mpirun -n RANKS PROGRAM sleeps|is_killed
#include "host/clock.h"
#include "tests/mpi/check.h"
#include "tests/support/capture.h"

#include <levelcl/ranks.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ALARM = 30, SLEEP = 10 };

static struct test_capture capture;
static int rank, size;

#define CHECK(condition) CHECK_ON(rank, capture.last, condition)

static bool loses(lcl_ranks *R)
{
    struct lcl_ranks_failure failure = {.text = "not an error"};
    char silent[64];
    double x = 1, all[8];
    const double start = lcl_now();
    snprintf(silent, sizeof silent, "rank %d did not answer for 1 seconds",
             size - 1);
    CHECK(lcl_ranks_agree(R, LCL_OK, &failure) == LCL_EDEVICE);
    CHECK(failure.rank == -1 && !*failure.text);
    CHECK(strstr(capture.last, silent) ||
          strstr(capture.last, " ended with an error"));
    CHECK(size > 2 || strstr(capture.last, silent));
    CHECK(lcl_now() - start < 4);
    CHECK(lcl_ranks_gather(R, &x, sizeof x, all) == LCL_EDEVICE);
    return true;
}

// The error of the rank, its text and what the log has stay.
static bool keeps_error(lcl_ranks *R, const char *text, double limit)
{
    struct lcl_ranks_failure failure = {.code = 3};
    const double start = lcl_now();
    snprintf(failure.text, sizeof failure.text, "%s", text);
    snprintf(capture.last, sizeof capture.last, "why");
    CHECK(lcl_ranks_agree(R, LCL_EIO, &failure) == LCL_EIO);
    CHECK(failure.rank == -1 && failure.code == 3);
    CHECK(strcmp(failure.text, text) == 0);
    CHECK(!*text || strcmp(capture.last, "why") == 0);
    CHECK(lcl_now() - start < limit);
    return true;
}

static bool is_refused(lcl_ranks *R)
{
    struct lcl_ranks_failure failure = {.code = 0};
    enum lcl_status st = LCL_OK;
    sleep(SLEEP);
    while (st == LCL_OK) // the message of another rank may be there
        st = lcl_ranks_agree(R, LCL_OK, &failure);
    CHECK(st == LCL_EDEVICE);
    CHECK(failure.rank == -1);
    return true;
}

int main(int argc, char **argv)
{
    lcl_ranks *R[3];
    bool is_right;
    alarm(ALARM);
    test_capture_init(&capture, LCL_LOG_INFO);
    for (int k = 0; k < 3; ++k)
        if (lcl_ranks_create(&R[k], NULL, &capture.log) != LCL_OK)
            return 1;
    rank = lcl_ranks_rank(R[0]);
    size = lcl_ranks_count(R[0]);
    if (rank < size - 1) {
        const double until = lcl_now() + SLEEP;
        is_right = loses(R[0]) && keeps_error(R[1], "a disk", 3) &&
                   keeps_error(R[2], "", 6);
        while (lcl_now() < until)
            sched_yield();
    } else {
        if (strcmp(argv[argc - 1], "is_killed") == 0)
            raise(SIGKILL);
        is_right = is_refused(R[0]);
    }
    for (int k = 0; k < 3; ++k)
        lcl_ranks_destroy(&R[k]);
    if (is_right)
        puts("the others stopped");
    fflush(stdout);
    _exit(!is_right);
}
