// SPDX-License-Identifier: BSD-3-Clause
// The self-test of a device: solves a system with a known solution, by the
// kernels that nearly every solve takes, so that a first start compiles little
// else.
#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/solver.h>

#include <math.h>

enum { N = 12, ROWS = N * N * N };

// Computes b = A x for the 7-point Laplacian with x_i = 1 + i mod 7, and the
// largest error of the computed x.
static enum lcl_status solve(lcl_context *ctx, const struct lcl_csr *A,
                             double *error)
{
    const struct lcl_precond_params pp = {.type = LCL_PRECOND_JACOBI};
    const struct lcl_solver_params sp = {.type = LCL_SOLVER_CG, .rtol = 1e-10};
    double b[ROWS], x[ROWS];
    lcl_operator *op = NULL;
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    enum lcl_status st;
    for (int i = 0; i < ROWS; ++i)
        x[i] = 1 + i % 7;
    lcl_csr_multiply(A, x, b);
    for (int i = 0; i < ROWS; ++i)
        x[i] = 0;
    if ((st = lcl_operator_create(&op, ctx, A, NULL)) >= 0 &&
        (st = lcl_precond_create(&M, op, &pp)) >= 0 &&
        (st = lcl_solver_create(&S, op, M, &sp)) >= 0)
        st = lcl_solver_solve(S, b, x, NULL);
    *error = 0;
    for (int i = 0; i < ROWS; ++i)
        *error = fmax(*error, fabs(x[i] - (1 + i % 7)));
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    return st;
}

// Errors of the matrix, which is right, and impossible results.
static bool is_wrong(enum lcl_status st)
{
    return st > 0 || st == LCL_EFORMAT || st == LCL_ERANGE ||
           st == LCL_EPIVOT || st == LCL_ESELFTEST;
}

enum lcl_status lcl_self_test(lcl_context *ctx)
{
    struct lcl_csr A;
    double error;
    if (!ctx)
        return lcl_misuse(NULL, "lcl_self_test: the context is NULL");
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st = lcl_context_expect_free(ctx, "lcl_self_test");
    if (st < 0)
        return st;
    st = lcl_csr_problem(&A, "lap3d:12", log);
    if (st < 0)
        return st;
    st = solve(ctx, &A, &error);
    lcl_csr_finish(&A);
    if (st < 0 && !is_wrong(st))
        return st;
    if (is_wrong(st) || !(error < 1e-6))
        return lcl_fail(log, LCL_ESELFTEST,
                        "%s failed the self-test and is refused: the solution "
                        "of a known system of %d rows has an error of %g, "
                        "expected < 1e-6 (%s)",
                        lcl_context_caps(ctx)->name, ROWS, error,
                        lcl_status_str(st));
    return LCL_OK;
}
