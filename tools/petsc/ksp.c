// SPDX-License-Identifier: BSD-3-Clause
// KSPLEVELCL: solvers of levelcl, whose vectors stay on the device. Where Amat
// is Pmat a chain of methods solves; otherwise one method, with M.
#include "tools/petsc/adapter.h"

#include <petsc/private/kspimpl.h>

#include <float.h>
#include <limits.h>
#include <stdbool.h>

struct solver {
    struct lcl_options options; // those of the solver
    PetscBool divtol;           // -ksp_divtol is there
};

// PETSc's default for dtol.
static const PetscReal default_divtol = 1e4;

// --------------------------------------------------------------------- set-up

// 0 would mean a default.
static double limit(PetscReal tolerance)
{
    return tolerance > 0 ? tolerance : DBL_MIN;
}

// PETSc does not report whether a program has set dtol: its default counts as
// not set, unless an option names it.
static bool has_divtol(KSP ksp)
{
    const struct solver *own = ksp->data;
    return own->divtol || ksp->divtol != default_divtol;
}

static struct lcl_solver_params params_of(KSP ksp)
{
    const KSPConvergedDefaultCtx *test = ksp->cnvP;
    const struct solver *own = ksp->data;
    struct lcl_solver_params params = own->options.solver;
    if (test && (test->initialrtol || test->mininitialrtol))
        params.relative_to = LCL_RELATIVE_TO_R0;
    if (params.divergence == 0 && has_divtol(ksp))
        params.divergence = limit(ksp->divtol);
    return params;
}

// C and S keep the parameters with which they were made, except tolerances:
// other changes end them.
static void apply_params(struct system *S, const struct lcl_solver_params *next)
{
    const struct lcl_solver_params *now = &S->options.solver;
    if (next->divergence != now->divergence ||
        next->relative_to != now->relative_to) {
        lcl_solver_destroy(&S->S);
        lcl_chain_destroy(&S->C);
    }
    S->options.solver = *next;
}

// Before the PC is set up, which makes the chain.
static PetscErrorCode choose_form(KSP ksp, struct system *S)
{
    Mat amat, pmat;
    const struct lcl_solver_params params = params_of(ksp);
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &amat, &pmat));
    S->chained = amat == pmat ? PETSC_TRUE : PETSC_FALSE;
    apply_params(S, &params);
    PetscFunctionReturn(0);
}

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
    PetscCall(choose_form(ksp, S));
    PetscFunctionReturn(0);
}

// Amat's operator with its present values.
static PetscErrorCode read_amat(KSP ksp, struct system *S, lcl_operator **op,
                                enum lcl_status *st)
{
    Mat amat, pmat;
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &amat, &pmat));
    struct matrix *A = amat == pmat ? &S->pmat : &S->amat;
    PetscCheck(A != &S->pmat || matrix_change(A, amat) != CHANGE_PATTERN,
               PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
               "the preconditioner is of a matrix with another pattern");
    PetscCall(system_adopt(S, A, amat, st));
    *op = A->op;
    PetscFunctionReturn(0);
}

// Of a function that a program knows to be definite.
static enum lcl_solver_type known_type(Mat amat)
{
    PetscBool set = PETSC_FALSE, definite = PETSC_FALSE;
    const bool known = !MatIsSPDKnown(amat, &set, &definite) && set && definite;
    return known ? LCL_SOLVER_CG : LCL_SOLVER_DEFAULT;
}

static enum lcl_status create_solver(struct system *S, lcl_operator *op,
                                     Mat amat)
{
    struct lcl_solver_params params = S->options.solver;
    struct lcl_precond_params precond = {
        .type = S->M ? lcl_precond_info(S->M)->type : LCL_PRECOND_NONE};
    if (params.type == LCL_SOLVER_DEFAULT)
        params.type = known_type(amat);
    const enum lcl_status st = lcl_choose_method(op, &precond, &params);
    return st < 0 ? st : lcl_solver_create(&S->S, op, S->M, &params);
}

static enum lcl_status set_tolerance(const struct system *S, KSP ksp)
{
    const double rtol = limit(ksp->rtol), atol = limit(ksp->abstol);
    const int most = (int)PetscMin(ksp->max_it, INT_MAX);
    return S->C ? lcl_chain_set_tolerance(S->C, rtol, atol, most)
                : lcl_solver_set_tolerance(S->S, rtol, atol, most);
}

// A chain that a new null space has ended is made here; else the PC has it.
static PetscErrorCode need_solver(KSP ksp, struct system *S, lcl_operator *op,
                                  enum lcl_status *st)
{
    Mat amat;
    PetscFunctionBegin;
    PetscCall(KSPGetOperators(ksp, &amat, NULL));
    PetscCall(system_nullspace(S, op, amat, st));
    if (*st >= 0 && S->chained && !S->C)
        *st = system_factor(S);
    if (*st >= 0 && !S->chained && !S->S)
        *st = create_solver(S, op, amat);
    if (*st >= 0)
        *st = set_tolerance(S, ksp);
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
    *st = S->C ? lcl_chain_solve(S->C, b, x, report)
               : lcl_solver_solve(S->S, b, x, report);
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
    PetscCall(read_amat(ksp, S, &op, &st));
    if (st >= 0)
        PetscCall(need_solver(ksp, S, op, &st));
    if (st >= 0)
        PetscCall(run(ksp, S, &report, &st));
    if (st == LCL_EFORMAT || st == LCL_EPIVOT) {
        // Inf or NaN in a matrix or vector, or values without factors
        ksp->reason =
            st == LCL_EFORMAT ? KSP_DIVERGED_NANORINF : KSP_DIVERGED_PC_FAILED;
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
    PetscCall(choose_form(ksp, S));
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
    PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options,
                                  ((PetscObject)ksp)->prefix, "-ksp_divtol",
                                  &own->divtol));
    PetscFunctionReturn(0);
}

// The methods of the last solve.
static PetscErrorCode view_attempts(const lcl_chain *C, PetscViewer viewer)
{
    const struct lcl_attempt *a;
    PetscFunctionBegin;
    for (int k = 0; (a = lcl_chain_attempt(C, k)); ++k)
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  tried %s with %s: %s after %d iterations\n",
            lcl_solver_name(a->solver), lcl_precond_name(a->precond),
            a->stop ? lcl_stop_name(a->stop) : lcl_status_name(a->status),
            a->iterations));
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
    if (!ascii || !S)
        PetscFunctionReturn(0);
    const lcl_solver *solver = S->C ? lcl_chain_solver(S->C) : S->S;
    if (solver)
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  %s of levelcl\n",
            lcl_solver_name(lcl_solver_info(solver)->type)));
    if (S->C)
        PetscCall(view_attempts(S->C, viewer));
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
    ksp->setupnewmatrix = PETSC_TRUE; // Amat may be Pmat no more
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
