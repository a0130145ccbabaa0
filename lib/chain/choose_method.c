// SPDX-License-Identifier: BSD-3-Clause
// The method that a matrix suggests, for callers who solve without a chain.
#include "host/log.h"
#include "host/runtime.h"
#include "lib/chain/plan.h"

// For any Krylov method: M is symmetric if A is, and definite if it may be.
static enum lcl_status any_solver(struct lcl_solver_params *solver,
                                  lcl_operator *A)
{
    enum lcl_status st;
    solver->type = LCL_SOLVER_GMRES;
    if (!lcl_operator_is_matrix(A))
        return LCL_OK;
    if ((st = lcl_operator_look(A)) == LCL_OK &&
        lcl_properties_is_definite(&A->look, A->range.total))
        solver->type = LCL_SOLVER_CG;
    return st;
}

enum lcl_status lcl_choose_method(lcl_operator *A,
                                  struct lcl_precond_params *precond,
                                  struct lcl_solver_params *solver)
{
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    struct lcl_solver_params any = LCL_SOLVER_PARAMS_INIT;
    struct lcl_plan P;
    enum lcl_status st;
    if (!A || !precond)
        return lcl_misuse(log, "lcl_choose_method: an argument is NULL");
    if ((st = lcl_context_expect_free(A->range.ctx, "lcl_choose_method")) < 0)
        return st;
    if (!solver && precond->type) // nothing is left to choose
        return LCL_OK;
    if ((!solver && (st = any_solver(&any, A)) < 0) ||
        (st = lcl_plan_make(&P, A, precond, solver ? solver : &any)) < 0)
        return st;
    *precond = P.method[0].precond;
    if (solver)
        solver->type = P.method[0].solver.type;
    return LCL_OK;
}
