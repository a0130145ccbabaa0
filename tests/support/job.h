// SPDX-License-Identifier: BSD-3-Clause
// A complete job on a small system: context, preconditioner, solver, solution.
#pragma once

#include "host/runtime.h"

#include <levelcl/solver.h>

enum { TEST_JOB_ROWS = 216, TEST_JOB_COLUMNS = 3 };

// A line of cells that needs few iterations: rows -1, 3, -1, and b = A x for
// the solution that the job must find. It must not move.
struct test_line {
    struct lcl_csr A;
    int64_t row_ptr[TEST_JOB_ROWS + 1];
    int32_t col_ind[3 * TEST_JOB_ROWS];
    double val[3 * TEST_JOB_ROWS];
    double b[TEST_JOB_ROWS];
};
void test_line_init(struct test_line *line);

struct test_job {
    struct lcl_context_params context;
    struct lcl_operator_params op;
    struct lcl_precond_params precond;
    bool chain;  // by a chain with these parameters
    int columns; // equal right-hand sides, solved together; 0: one
    enum lcl_solver_type solver;
    const struct lcl_cl_api *api; // NULL: that of the loader
    double x[TEST_JOB_ROWS];      // result
    struct lcl_build_info builds; // result
    struct lcl_caps caps;         // result
};

// Exits with 77, as a skipped test, if OpenCL has no device.
void test_need_device(void);
// The same as the set-up of a group of tests.
int test_device_setup(void **state);

// Runs the job and frees everything. Returns the first status other than
// LCL_OK.
enum lcl_status test_job_run(struct test_job *job);

// Fails if x is not near the solution.
void test_job_expect_solved(const double x[TEST_JOB_ROWS]);
