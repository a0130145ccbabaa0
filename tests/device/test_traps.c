// SPDX-License-Identifier: BSD-3-Clause
// A host that traps floating-point exceptions: SIGFPE ends this program. It
// opens the OpenCL driver itself, so that threads of a CPU driver trap as well.
#define _GNU_SOURCE // feenableexcept()
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solver_checks.h"
#include "tests/support/trisolves.h"

#include <levelcl/opencl.h>

#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

// Solves and expects no error; whether the solve converges is not asked.
static void solve(lcl_context *ctx, const struct lcl_csr *A,
                  const struct lcl_precond_params *precond,
                  const struct lcl_solver_params *solver)
{
    double *b = test_random_vector(A->rows, 3);
    struct test_solve s;
    test_solve_open(&s, ctx, A, precond, solver);
    test_solve_run(&s, b);
    test_solve_close(&s);
    free(b);
}

static void test_traps__every_solver_runs(void **state)
{
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    for (int t = LCL_SOLVER_DEFAULT; t < LCL_SOLVER_COUNT; ++t) {
        const struct lcl_solver_params params = {
            .type = (enum lcl_solver_type)t, .max_iters = 100};
        if (test_solver_works(*state, params.type))
            solve(*state, &A, &none, &params);
    }
    test_csr_finish(&A);
}

static void test_traps__every_preconditioner_runs(void **state)
{
    struct lcl_csr grid = test_laplacian(9, 8, 7), blocks = test_block_grid();
    for (int t = LCL_PRECOND_DEFAULT; t < LCL_PRECOND_CALLBACK; ++t)
        for (int c = LCL_COARSE_NONE; c < LCL_COARSE_COUNT; ++c) {
            const struct lcl_precond_params params = {
                .type = (enum lcl_precond_type)t,
                TEST_PARTS,
                .coarse = (enum lcl_coarse)c,
            };
            const struct lcl_solver_params solver = {.type = LCL_SOLVER_CG};
            if ((t >= LCL_PRECOND_ILUK && c > LCL_COARSE_NONE) ||
                t == LCL_PRECOND_LU)
                continue;             // refused, or missing
            if (t != LCL_PRECOND_CPR) // refuses single entries
                solve(*state, &grid, &params, NULL);
            solve(*state, &blocks, &params, NULL);
            if (t == LCL_PRECOND_IC0 || t == LCL_PRECOND_AS)
                solve(*state, &grid, &params, &solver);
        }
    test_csr_finish(&grid);
    test_csr_finish(&blocks);
}

// Several levels, rows without couplings among them.
static void test_traps__multigrid_runs(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_AMG,
                                              .amg = {.coarse_rows = 10}};
    const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    struct lcl_csr A = test_laplacian(12, 9, 7);
    struct lcl_csr E = test_problem("elasticity:4");
    solve(*state, &E, &params, &cg);
    lcl_csr_finish(&E);
    E = test_problem("convdiff:8,5");
    solve(*state, &E, &params, NULL);
    lcl_csr_finish(&E);
    solve(*state, &A, &params, &cg);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] != i && (i % 5 == 0 || A.col_ind[k] % 5 == 0))
                A.val[k] = 0;
    solve(*state, &A, &params, &cg);
    test_csr_finish(&A);
}

static void test_traps__every_triangular_solve_runs(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    for (int t = LCL_TRISOLVE_DEFAULT; t < LCL_TRISOLVE_COUNT; ++t) {
        const struct lcl_precond_params params = {
            .type = LCL_PRECOND_ILDU0,
            .trisolve = (enum lcl_trisolve)t,
            TEST_PARTS,
        };
        solve(*state, &A, &params, NULL);
    }
    test_csr_finish(&A);
}

// Quotients that do not exist: each solver breaks down.
static void test_traps__breakdowns_divide_by_no_zero(void **state)
{
    const double skew[] = {0, 1, -1, 0}, singular[] = {1, 1, 1, 1};
    const double *const dense[] = {skew, singular};
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    for (size_t m = 0; m < sizeof dense / sizeof *dense; ++m)
        for (int t = LCL_SOLVER_DEFAULT; t < LCL_SOLVER_COUNT; ++t) {
            const struct lcl_solver_params params = {
                .type = (enum lcl_solver_type)t, .max_iters = 100};
            struct lcl_csr A = test_csr_from_dense(2, dense[m]);
            const bool symmetric = lcl_solver_facts(params.type)->symmetric;
            if (test_solver_works(*state, params.type) &&
                (!symmetric || dense[m] != skew)) // they refuse it
                solve(*state, &A, &none, &params);
            test_csr_finish(&A);
        }
}

// Zero pivots, singular blocks, and zero diagonals.
static void test_traps__repaired_pivots_divide_by_no_zero(void **state)
{
    struct lcl_csr A = test_random_csr(300, 5, 4);
    const struct lcl_solver_params few = {.max_iters = 3};
    for (int64_t i = 0; i < A.rows; i += 3)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i || i % 9 == 0)
                A.val[k] = 0;
    for (int t = LCL_PRECOND_DEFAULT; t < LCL_PRECOND_CALLBACK; ++t) {
        const struct lcl_precond_params params = {
            .type = (enum lcl_precond_type)t, TEST_PARTS};
        if (t != LCL_PRECOND_IC0 && t != LCL_PRECOND_AS &&
            t != LCL_PRECOND_CPR && t != LCL_PRECOND_LU)
            solve(*state, &A, &params, &few); // those refuse the matrix
    }
    test_csr_finish(&A);
}

// Mesa 25.0.7 has exceptions in clGetPlatformIDs(), before any call of ours.
static void driver_traps(int signal)
{
    (void)signal;
    _exit(77);
}

// Opens all platforms before the library does, with traps on.
static void open_drivers(void)
{
    cl_platform_id platforms[16];
    cl_device_id device;
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return;
    for (cl_uint p = 0; p < count && p < 16; ++p)
        (void)clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device,
                             NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traps__every_solver_runs),
        cmocka_unit_test(test_traps__every_preconditioner_runs),
        cmocka_unit_test(test_traps__multigrid_runs),
        cmocka_unit_test(test_traps__every_triangular_solve_runs),
        cmocka_unit_test(test_traps__breakdowns_divide_by_no_zero),
        cmocka_unit_test(test_traps__repaired_pivots_divide_by_no_zero),
    };
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    signal(SIGFPE, driver_traps);
    open_drivers();
    signal(SIGFPE, SIG_DFL);
    return test_device_run(tests);
}
