// SPDX-License-Identifier: BSD-3-Clause
// KSPLEVELCL: solvers of levelcl, whose vectors stay on the device.
#include "tools/petsc/adapter.h"

#include <petsc/private/kspimpl.h>

#include <float.h>
#include <limits.h>

struct solver {
    struct lcl_options options; // those of the solver
};

// --------------------------------------------------------------------- set-up

static PetscErrorCode KSPSetUp_LEVELCL(KSP ksp)
{
    struct system *S;
    PetscFunctionBegin;
    PetscCall(system_of(ksp->pc, &S));
    PetscCheck(S, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
               "-ksp_type levelcl needs -pc_type levelcl; "
               "-pc_levelcl_precond none is no preconditioner");
    PetscMPIInt size;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
    PetscCheck(size == 1 || S->whole, PetscObjectComm((PetscObject)ksp),
               PETSC_ERR_SUP,
               "-ksp_type levelcl solves on several ranks only with the whole "
               "matrix: levelcl built with MPI, and no -pc_levelcl_local");
    PetscCheck(ksp->converged == KSPConvergedDefault,
               PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
               "-ksp_type levelcl knows the default convergence test only");
    PetscFunctionReturn(0);
}

// Amat's operator with its present values.
static PetscErrorCode take_amat(KSP ksp, struct system *S, lcl_operator **op,
                                enum lcl_status *st)
{
    Mat amat, pmat;
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &amat, &pmat));
    struct matrix *A = amat == pmat ? &S->pmat : &S->amat;
    PetscCheck(A != &S->pmat || matrix_change(A, amat) != CHANGE_PATTERN,
               PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
               "the preconditioner is of a matrix with another pattern");
    PetscCall(system_take(S, A, amat, st));
    *op = A->op;
    PetscFunctionReturn(0);
}

// 0 would mean a default.
static double limit(PetscReal tolerance)
{
    return tolerance > 0 ? tolerance : DBL_MIN;
}

static struct lcl_solver_params params_of(KSP ksp)
{
    Mat amat;
    const KSPConvergedDefaultCtx *test = ksp->cnvP;
    const struct solver *own = ksp->data;
    struct lcl_solver_params params = own->options.solver;
    PetscBool set = PETSC_FALSE, definite = PETSC_FALSE;
    if (params.type == LCL_SOLVER_DEFAULT &&
        !KSPGetOperators(ksp, &amat, NULL) &&
        !MatIsSPDKnown(amat, &set, &definite) && set && definite)
        params.type = LCL_SOLVER_CG;
    if (test && (test->initialrtol || test->mininitialrtol))
        params.relative_to = LCL_RELATIVE_TO_R0;
    return params;
}

static PetscErrorCode create_solver(KSP ksp, struct system *S, lcl_operator *op)
{
    struct lcl_solver_params params = params_of(ksp);
    struct lcl_precond_params precond = {
        .type = S->M ? lcl_precond_info(S->M)->type : LCL_PRECOND_NONE};
    const struct messages *messages = &S->device->messages;
    enum lcl_status st;
    Mat amat;
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &amat, NULL));
    PetscCall(nullspace_set(op, amat, &st));
    PetscCall(messages_check(messages, st));
    PetscCall(MatGetNullSpace(amat, &S->nullspace));
    PetscCall(
        messages_check(messages, lcl_choose_method(op, &precond, &params)));
    PetscCall(
        messages_check(messages, lcl_solver_create(&S->S, op, S->M, &params)));
    PetscFunctionReturn(0);
}

static PetscErrorCode need_solver(KSP ksp, struct system *S, lcl_operator *op)
{
    MatNullSpace space;
    Mat amat;
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &amat, NULL));
    PetscCall(MatGetNullSpace(amat, &space));
    if (space != S->nullspace)
        lcl_solver_destroy(&S->S);
    if (!S->S)
        PetscCall(create_solver(ksp, S, op));
    PetscCall(messages_check(
        &S->device->messages,
        lcl_solver_set_tolerance(S->S, limit(ksp->rtol), limit(ksp->abstol),
                                 (int)PetscMin(ksp->max_it, INT_MAX))));
    PetscFunctionReturn(0);
}

// ---------------------------------------------------------------------- solve

static const struct {
    enum lcl_stop stop;
    KSPConvergedReason reason;
} reasons[] = {
    {LCL_STOP_RTOL, KSP_CONVERGED_RTOL},
    {LCL_STOP_ATOL, KSP_CONVERGED_ATOL},
    {LCL_STOP_ZERO_RHS, KSP_CONVERGED_ATOL},
    {LCL_STOP_MAX_ITERS, KSP_DIVERGED_ITS},
    {LCL_STOP_NOT_FINITE, KSP_DIVERGED_NANORINF},
    {LCL_STOP_INDEFINITE_MATRIX, KSP_DIVERGED_INDEFINITE_MAT},
    {LCL_STOP_INDEFINITE_PRECOND, KSP_DIVERGED_INDEFINITE_PC},
    {LCL_STOP_DIVERGED, KSP_DIVERGED_DTOL},
};

// All others are breakdowns and stagnation.
static KSPConvergedReason reason_of(enum lcl_stop stop)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
        if (reasons[i].stop == stop)
            return reasons[i].reason;
    return KSP_DIVERGED_BREAKDOWN;
}

// Residual history and monitors of all iterations at once, after the solve.
static PetscErrorCode tell(KSP ksp, const struct lcl_report *report)
{
    const KSPConvergedDefaultCtx *test = ksp->cnvP;
    PetscFunctionBegin;
    for (int i = 0; i < report->history_count; ++i) {
        ksp->its = i;
        ksp->rnorm = report->history[i] * report->norm_b;
        PetscCall(KSPLogResidualHistory(ksp, ksp->rnorm));
        PetscCall(KSPMonitor(ksp, i, ksp->rnorm));
    }
    ksp->its = report->iterations;
    ksp->rnorm = report->true_residual * report->norm_b;
    ksp->reason = reason_of(report->stop);
    if (ksp->reason == KSP_DIVERGED_ITS && test && test->convmaxits)
        ksp->reason = KSP_CONVERGED_ITS;
    PetscFunctionReturn(0);
}

static PetscErrorCode run(KSP ksp, struct system *S, struct lcl_report *report,
                          enum lcl_status *st)
{
    const PetscScalar *b;
    PetscScalar *x;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(ksp->vec_rhs, &b));
    PetscCall(VecGetArray(ksp->vec_sol, &x));
    *st = lcl_solver_solve(S->S, b, x, report);
    PetscCall(VecRestoreArray(ksp->vec_sol, &x));
    PetscCall(VecRestoreArrayRead(ksp->vec_rhs, &b));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(KSP ksp, struct system *S)
{
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_operator *op = NULL;
    enum lcl_status st;
    PetscFunctionBegin;
    PetscCall(take_amat(ksp, S, &op, &st));
    if (st >= 0) {
        PetscCall(need_solver(ksp, S, op));
        PetscCall(run(ksp, S, &report, &st));
    }
    if (st == LCL_EFORMAT) { // Inf or NaN in a matrix or vector
        ksp->reason = KSP_DIVERGED_NANORINF;
        PetscFunctionReturn(0);
    }
    PetscCall(messages_check(&S->device->messages, st));
    PetscCall(tell(ksp, &report));
    PetscFunctionReturn(0);
}

static PetscErrorCode KSPSolve_LEVELCL(KSP ksp)
{
    struct system *S;
    PCFailedReason why;
    PetscFunctionBegin;
    PetscCheck(!ksp->transpose_solve, PetscObjectComm((PetscObject)ksp),
               PETSC_ERR_SUP, "levelcl does not solve transposed systems");
    PetscCall(PCGetFailedReason(ksp->pc, &why));
    if (why) {
        ksp->reason = KSP_DIVERGED_PC_FAILED;
        PetscCall(VecSetInf(ksp->vec_sol));
        PetscFunctionReturn(0);
    }
    PetscCall(system_of(ksp->pc, &S));
    PetscCall(solve(ksp, S));
    PetscFunctionReturn(0);
}

// -------------------------------------------------------------- options, view

static PetscErrorCode KSPSetFromOptions_LEVELCL(
    KSP ksp, PetscOptionItems *PetscOptionsObject)
{
    struct solver *own = ksp->data;
    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "levelcl");
    PetscCall(options_read(PetscOptionsObject, "-ksp_levelcl_", "solver.",
                           &own->options));
    PetscOptionsHeadEnd();
    PetscFunctionReturn(0);
}

static PetscErrorCode KSPView_LEVELCL(KSP ksp, PetscViewer viewer)
{
    struct system *S;
    PetscBool ascii;
    PetscFunctionBegin;
    PetscCall(
        PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    PetscCall(system_of(ksp->pc, &S));
    if (ascii && S && S->S)
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  %s of levelcl\n",
            lcl_solver_name(lcl_solver_info(S->S)->type)));
    PetscFunctionReturn(0);
}

// ------------------------------------------------------------ create, destroy

PetscErrorCode KSPCreate_LEVELCL(KSP ksp)
{
    struct solver *own;
    PC pc;
    PetscFunctionBegin;
    PetscCall(PetscNew(&own));
    ksp->data = own;
    PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 3));
    PetscCall(KSPGetPC(ksp, &pc));
    if (!((PetscObject)pc)->type_name)
        PetscCall(PCSetType(pc, LEVELCL));
    ksp->ops->setup = KSPSetUp_LEVELCL;
    ksp->ops->solve = KSPSolve_LEVELCL;
    ksp->ops->setfromoptions = KSPSetFromOptions_LEVELCL;
    ksp->ops->view = KSPView_LEVELCL;
    ksp->ops->destroy = KSPDestroyDefault;
    ksp->ops->buildsolution = KSPBuildSolutionDefault;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
    PetscFunctionReturn(0);
}
