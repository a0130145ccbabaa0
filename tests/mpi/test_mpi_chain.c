// SPDX-License-Identifier: BSD-3-Clause
// Chains on the ranks of MPI that end early: whatever one rank notices first,
// all end alike, and what follows works.
#include <levelcl/levelcl.h>

#include "tests/mpi/check.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define CHECK CHECK_HERE

static lcl_ranks *world; // all ranks

struct system {
    int rank, size;
    lcl_context *ctx;
    struct lcl_rows rows;
    lcl_operator *A;
    lcl_chain *C;
    double *b, *x; // the rank's parts
    struct lcl_report report;
    int64_t launches, at; // the last rank cancels at that launch; 0: none
};

// Counts launches by their messages.
static void count(void *user, enum lcl_log_level level, const char *text)
{
    struct system *s = user;
    if (level == LCL_LOG_TRACE && strstr(text, "clEnqueueNDRangeKernel") &&
        ++s->launches == s->at && s->rank == s->size - 1)
        lcl_chain_cancel(s->C);
}

static bool open(struct system *s, const char *problem)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->size);
    const struct lcl_context_params params = {
        .log = {.fn = count, .user = s, .level = LCL_LOG_TRACE}};
    CHECK(lcl_context_create(&s->ctx, &params) == LCL_OK);
    CHECK(lcl_rows_problem(&s->rows, problem, s->rank, s->size, NULL) ==
          LCL_OK);
    const size_t n = (size_t)s->rows.rows;
    s->b = calloc(n, sizeof *s->b);
    s->x = calloc(n, sizeof *s->x);
    CHECK(s->b && s->x);
    for (size_t i = 0; i < n; ++i)
        s->b[i] = sin(1.0 + 7.3 * (double)(s->rows.first + (int64_t)i));
    CHECK(lcl_operator_create_ranks(&s->A, s->ctx, world, &s->rows, NULL) ==
          LCL_OK);
    return true;
}

static void finish(struct system *s)
{
    lcl_chain_destroy(&s->C);
    lcl_operator_destroy(&s->A);
    lcl_rows_finish(&s->rows);
    lcl_context_destroy(&s->ctx);
    free(s->b);
    free(s->x);
}

static bool is_common(int number)
{
    int least, most;
    MPI_Allreduce(&number, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&number, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return least == most;
}

static enum lcl_status solve(struct system *s)
{
    memset(s->x, 0, (size_t)s->rows.rows * sizeof *s->x);
    return lcl_chain_solve(s->C, s->b, s->x, &s->report);
}

static int64_t next(int64_t n)
{
    return n + 1 + n / 5;
}

static bool ends_by_time(void)
{
    const struct lcl_solver_params late = {.time_limit = 1e-9};
    struct system s = {.rank = 0};
    CHECK(open(&s, "lap3d:8"));
    CHECK(lcl_chain_create(&s.C, s.A, NULL, &late) == LCL_ECANCELLED);
    CHECK(!s.C);
    CHECK(lcl_chain_create(&s.C, s.A, NULL, NULL) >= LCL_OK);
    CHECK(solve(&s) == LCL_OK);
    finish(&s);
    return true;
}

// Limits at which some ranks may have seen that they are over, others not.
static bool ends_together(void)
{
    struct lcl_solver_params params = {.max_iters = 6, .rtol = 1e-15};
    struct system s = {.rank = 0};
    CHECK(open(&s, "lap3d:12"));
    for (int k = 1; k <= 20; ++k) {
        params.time_limit = 1e-3 * k;
        const enum lcl_status st = lcl_chain_create(&s.C, s.A, NULL, &params);
        CHECK(is_common(st));
        if (st >= LCL_OK) {
            CHECK(is_common(solve(&s)));
            CHECK(is_common(s.report.stop));
        }
        lcl_chain_destroy(&s.C);
    }
    finish(&s);
    return true;
}

// Updates of a preconditioner that ends at each of its launches.
static bool cancels_updates(enum lcl_precond_type precond)
{
    const struct lcl_precond_params params = {
        .type = precond,
        .coarse = precond == LCL_PRECOND_IC0 ? LCL_COARSE_MULT : 0,
        .amg = {.refresh = LCL_AMG_REFRESH_FULL}};
    struct system s = {.rank = 0};
    enum lcl_status st = LCL_ECANCELLED;
    int64_t at = 1;
    CHECK(open(&s, "lap3d:12"));
    CHECK(lcl_chain_create(&s.C, s.A, &params, NULL) >= LCL_OK);
    for (; st == LCL_ECANCELLED; at = next(at)) {
        CHECK(solve(&s) == LCL_OK);
        for (int64_t k = 0; k < s.rows.row_ptr[s.rows.rows]; ++k)
            s.rows.val[k] *= 2;
        CHECK(lcl_operator_update(s.A, s.rows.val) == LCL_OK);
        s.at = at;
        s.launches = 0;
        st = lcl_chain_update(s.C);
        s.at = 0;
        CHECK(st >= LCL_OK || st == LCL_ECANCELLED);
        CHECK(is_common(st));
        CHECK(st >= LCL_OK || !lcl_chain_precond(s.C));
    }
    CHECK(at > 4);
    finish(&s);
    return true;
}

static int count_attempts(const struct system *s)
{
    int attempts = 0;
    while (lcl_chain_attempt(s->C, attempts))
        ++attempts;
    return attempts;
}

// No method solves the system within the iterations: one is set up after the
// other, until the last rank cancels.
static bool cancels_solves(void)
{
    const struct lcl_solver_params few = {.max_iters = 6, .rtol = 1e-15};
    struct system s = {.rank = 0};
    CHECK(open(&s, "lap3d:12"));
    CHECK(lcl_chain_create(&s.C, s.A, NULL, &few) >= LCL_OK);
    s.report.stop = LCL_STOP_CANCELLED;
    for (int64_t at = 1; s.report.stop == LCL_STOP_CANCELLED; at = next(at)) {
        s.at = at;
        s.launches = 0;
        CHECK(solve(&s) == LCL_ITERATION_LIMIT);
        s.at = 0;
        CHECK(is_common(s.report.stop));
        CHECK(is_common(s.report.iterations));
        CHECK(is_common(count_attempts(&s)));
    }
    CHECK(s.report.stop == LCL_STOP_MAX_ITERS);
    CHECK(count_attempts(&s) > 2);
    finish(&s);
    return true;
}

int main(int argc, char **argv)
{
    int devices = 0;
    MPI_Init(&argc, &argv);
    if (lcl_device_count(&devices, NULL) < 0 || devices == 0) {
        MPI_Finalize();
        return 77;
    }
    const MPI_Comm all = MPI_COMM_WORLD;
    const bool connected = lcl_ranks_create(&world, &all, NULL) == LCL_OK;
    const bool passed = connected && ends_by_time() && ends_together() &&
                        cancels_solves() && cancels_updates(LCL_PRECOND_IC0) &&
                        cancels_updates(LCL_PRECOND_AMG);
    if (!passed)
        MPI_Abort(MPI_COMM_WORLD, 1);
    lcl_ranks_destroy(&world);
    MPI_Finalize();
    return 0;
}
