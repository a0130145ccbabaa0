// SPDX-License-Identifier: BSD-3-Clause
// Ranks that MPI connects: the cases of any transport, and a rank that fails.
// usage: mpirun -n RANKS PROGRAM. Each rank ends with 0 if all is right; a rank
// that waits is ended by the alarm.
#include "lib/comm/mpi.h"
#include "tests/mpi/check.h"
#include "tests/support/capture.h"
#include "tests/support/rank_cases.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 30, ROUNDS = 100 };

#define CHECK CHECK_HERE

static struct test_capture capture;

// ------------------------------------------------------------------- creation

static bool refuses(MPI_Comm mpi, const char *message)
{
    struct lcl_comm *C;
    test_capture_init(&capture, LCL_LOG_ERROR);
    CHECK(lcl_mpi_comm_create(&C, &mpi, &capture.log) == LCL_EINVAL);
    CHECK(!C && strstr(capture.last, message));
    lcl_mpi_comm_destroy(&C);
    return true;
}

static struct lcl_comm *create(void)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    struct lcl_comm *C;
    test_capture_init(&capture, LCL_LOG_INFO);
    if (lcl_mpi_comm_create(&C, &world, &capture.log) != LCL_OK)
        fprintf(stderr, "%s\n", capture.last);
    return C;
}

// -------------------------------------------------------------------- failures

// One rank ends after some rounds. The others get an error, perhaps before they
// have done as many, and from all calls after it.
static bool ends_the_others(struct lcl_comm *C, lcl_test_rank_fn *call,
                            int failing)
{
    char message[64];
    enum lcl_status st = LCL_OK;
    const bool is_failing = C->rank == failing;
    for (int round = 0; st == LCL_OK && !(is_failing && round == ROUNDS);
         ++round)
        st = call(C);
    if (is_failing)
        lcl_comm_fail(C);
    snprintf(message, sizeof message, "rank %d ended with an error", failing);
    CHECK(st == (is_failing ? LCL_OK : LCL_EDEVICE));
    CHECK(is_failing || !strcmp(capture.last, message));
    CHECK(lcl_test_rank_sum(C) == LCL_EDEVICE);
    CHECK(lcl_test_rank_ring(C) == LCL_EDEVICE);
    CHECK(!strcmp(capture.last, message));
    return true;
}

static bool check_failures(int size)
{
    static lcl_test_rank_fn *const calls[] = {
        lcl_test_rank_sum, lcl_test_rank_sums, lcl_test_rank_ring};
    for (int failing = 0; size > 1 && failing < size; failing += size - 1)
        for (int c = 0; c < 3; ++c) {
            struct lcl_comm *C = create();
            CHECK(C);
            const bool is_right = ends_the_others(C, calls[c], failing);
            lcl_mpi_comm_destroy(&C);
            CHECK(is_right && !C);
        }
    return true;
}

// ------------------------------------------------------------------- the cases

static bool check_cases(void)
{
    struct lcl_comm *C = create();
    CHECK(C);
    for (const struct lcl_test_rank_case *c = lcl_test_rank_cases; c->name;
         ++c) {
        const enum lcl_status st = c->run(C);
        if (st != LCL_OK) {
            fprintf(stderr, "rank %d: %s: %s: %s\n", C->rank, c->name,
                    lcl_status_str(st), capture.last);
            lcl_comm_fail(C);
            return false;
        }
    }
    lcl_mpi_comm_destroy(&C);
    return true;
}

int main(int argc, char **argv)
{
    int size;
    bool is_right = refuses(MPI_COMM_WORLD, "MPI is not running");
    alarm(SECONDS);
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_right = is_right && refuses(MPI_COMM_NULL, "one group") &&
               check_cases() && check_failures(size) && check_cases();
    if (!is_right)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return !refuses(MPI_COMM_WORLD, "MPI is not running");
}
