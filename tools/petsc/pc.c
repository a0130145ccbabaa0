// SPDX-License-Identifier: BSD-3-Clause
// PCLEVELCL: preconditioners of levelcl.
#include "tools/petsc/adapter.h"

#include <petsc/private/pcimpl.h>

#include <inttypes.h>

PetscErrorCode system_of(PC pc, struct system **S)
{
    PetscBool same;
    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, LEVELCL, &same));
    *S = same ? pc->data : NULL;
    PetscFunctionReturn(0);
}

// --------------------------------------------------------------------- system

static PetscErrorCode drop_methods(struct system *S)
{
    PetscFunctionBegin;
    lcl_solver_destroy(&S->S);
    lcl_chain_destroy(&S->C);
    lcl_precond_destroy(&S->M);
    S->nullspace = NULL;
    PetscFunctionReturn(0);
}

PetscErrorCode system_reset(struct system *S)
{
    PetscFunctionBegin;
    PetscCall(drop_methods(S));
    PetscCall(matrix_reset(&S->amat));
    PetscCall(matrix_reset(&S->pmat));
    S->device = NULL;
    PetscFunctionReturn(0);
}

PetscErrorCode system_adopt(struct system *S, struct matrix *matrix, Mat source,
                            enum lcl_status *st)
{
    PetscFunctionBegin;
    *st = LCL_OK;
    if (!S->device)
        PetscCall(device_of(S->name, &S->device));
    const enum change change = matrix_change(matrix, source);
    if (change == CHANGE_VALUES)
        PetscCall(matrix_update(matrix, source, S->whole, st));
    if (change != CHANGE_PATTERN)
        PetscFunctionReturn(0);
    if (matrix == &S->pmat)
        PetscCall(drop_methods(S));
    lcl_solver_destroy(&S->S);
    PetscCall(matrix_create(matrix, source, S->whole, S->device->ctx,
                            &S->options.op, st));
    PetscFunctionReturn(0);
}

PetscErrorCode system_nullspace(struct system *S, lcl_operator *op, Mat amat,
                                enum lcl_status *st)
{
    MatNullSpace space;
    PetscFunctionBegin;
    *st = LCL_OK;
    PetscCall(MatGetNullSpace(amat, &space));
    if (space != S->nullspace) {
        lcl_solver_destroy(&S->S);
        lcl_chain_destroy(&S->C);
    }
    if (!S->S && !S->C)
        PetscCall(nullspace_set(op, amat, st));
    S->nullspace = space;
    PetscFunctionReturn(0);
}

// --------------------------------------------------------------------- set-up

// Values that cannot be factored fail the solve, not the program: a nonlinear
// solver may try another step.
static PetscErrorCode report(PC pc, struct system *S, enum lcl_status st)
{
    PetscFunctionBegin;
    if (st == LCL_EPIVOT || st == LCL_EFORMAT) {
        PetscCall(PCSetFailedReason(pc, st == LCL_EPIVOT
                                            ? PC_FACTOR_NUMERIC_ZEROPIVOT
                                            : PC_FACTOR_OTHER));
        PetscCall(PetscInfo(pc, "levelcl: %s\n", S->device->messages.error));
        PetscFunctionReturn(0);
    }
    PetscCall(messages_check(&S->device->messages, st));
    PetscCall(PCSetFailedReason(pc, PC_NOERROR));
    PetscFunctionReturn(0);
}

static enum lcl_status create(struct system *S)
{
    struct lcl_precond_params params = S->options.precond;
    ++S->setups;
    if (S->chained)
        return lcl_chain_create(&S->C, S->pmat.op, &params, &S->options.solver);
    const enum lcl_status st = lcl_choose_method(S->pmat.op, &params, NULL);
    return st < 0 ? st : lcl_precond_create(&S->M, S->pmat.op, &params);
}

// Values that the present type refuses may suggest another one.
static enum lcl_status update(struct system *S)
{
    struct lcl_precond_params params = S->options.precond;
    ++S->updates;
    if (S->chained)
        return lcl_chain_update(S->C);
    const enum lcl_precond_type type = lcl_precond_info(S->M)->type;
    const enum lcl_status st = lcl_precond_update(S->M);
    if (st >= 0 || params.type != LCL_PRECOND_DEFAULT ||
        lcl_choose_method(S->pmat.op, &params, NULL) < 0 || params.type == type)
        return st;
    lcl_solver_destroy(&S->S);
    lcl_precond_destroy(&S->M);
    return create(S);
}

// There is a chain or M, so that `factored` is of one.
static void drop_others(struct system *S)
{
    if (!S->chained) {
        lcl_chain_destroy(&S->C);
        return;
    }
    lcl_solver_destroy(&S->S);
    lcl_precond_destroy(&S->M);
}

enum lcl_status system_factor(struct system *S)
{
    enum lcl_status st = LCL_OK;
    if (!S->pmat.op)
        return LCL_OK; // a rank without rows
    drop_others(S);
    if (S->chained ? !S->C : !S->M)
        st = create(S);
    else if (S->factored != S->pmat.state)
        st = update(S);
    if (st >= 0)
        S->factored = S->pmat.state;
    return st;
}

static PetscErrorCode PCSetUp_LEVELCL(PC pc)
{
    struct system *S = pc->data;
    enum lcl_status st;
    PetscFunctionBegin;
    PetscCall(system_adopt(S, &S->pmat, pc->pmat, &st));
    if (st >= 0 && !S->M && !S->C)
        PetscCall(near_nullspace_set(S->pmat.op, pc->pmat, S->modes, &st));
    if (st >= 0 && S->chained)
        PetscCall(system_nullspace(S, S->pmat.op, pc->pmat, &st));
    if (st >= 0)
        st = system_factor(S);
    PetscCall(report(pc, S, st));
    PetscFunctionReturn(0);
}

// ---------------------------------------------------------------------- apply

// The preconditioner alone, after solves by a chain.
static PetscErrorCode need_precond(PC pc, struct system *S)
{
    PetscFunctionBegin;
    if (!S->chained)
        PetscFunctionReturn(0);
    S->chained = PETSC_FALSE;
    PetscCall(report(pc, S, system_factor(S)));
    PetscFunctionReturn(0);
}

static PetscErrorCode PCApply_LEVELCL(PC pc, Vec b, Vec x)
{
    struct system *S = pc->data;
    const PetscScalar *from;
    PetscScalar *to;
    PetscFunctionBegin;
    PetscCall(need_precond(pc, S));
    if (pc->failedreason) // PETSc's solvers find Inf and ask for the reason
        PetscCall(VecSetInf(x));
    if (pc->failedreason || !S->M) // or a rank without rows
        PetscFunctionReturn(0);
    PetscCall(VecGetArrayRead(b, &from));
    PetscCall(VecGetArrayWrite(x, &to));
    const enum lcl_status st = lcl_precond_apply(S->M, from, to);
    PetscCall(VecRestoreArrayWrite(x, &to));
    PetscCall(VecRestoreArrayRead(b, &from));
    PetscCall(messages_check(&S->device->messages, st));
    PetscFunctionReturn(0);
}

// -------------------------------------------------------------- options, view

static PetscErrorCode PCSetFromOptions_LEVELCL(
    PC pc, PetscOptionItems *PetscOptionsObject)
{
    struct system *S = pc->data;
    PetscBool local = S->whole ? PETSC_FALSE : PETSC_TRUE;
    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "levelcl");
    PetscCall(PetscOptionsString("-pc_levelcl_device",
                                 "number or name of the device", LEVELCL,
                                 S->name, S->name, sizeof S->name, NULL));
#ifdef LEVELCL_PETSC_MPI
    PetscCall(PetscOptionsBool("-pc_levelcl_local",
                               "block-Jacobi: couplings between ranks dropped",
                               LEVELCL, local, &local, NULL));
#endif
    S->whole = local ? PETSC_FALSE : PETSC_TRUE;
    PetscCall(
        options_read(PetscOptionsObject, "-pc_levelcl_", "op.", &S->options));
    PetscCall(options_read(PetscOptionsObject, "-pc_levelcl_", "precond.",
                           &S->options));
    PetscOptionsHeadEnd();
    PetscFunctionReturn(0);
}

static PetscErrorCode view_factors(const struct lcl_precond_info *info,
                                   PetscViewer viewer)
{
    PetscFunctionBegin;
    if (info->factors.parts > 0)
        PetscCall(PetscViewerASCIIPrintf(
            viewer,
            "  %" PRId64 " subdomains of %" PRId64 " to %" PRId64
            " rows, %" PRId64 " values in %.1f MiB, %s\n",
            info->factors.parts, info->factors.part_rows_min,
            info->factors.part_rows_max, info->factors.nnz,
            (double)info->bytes / 1048576.0,
            lcl_factor_storage_name(info->storage)));
    if (info->coarse.rows > 0)
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  coarse correction %s of %" PRId64 " unknowns\n",
            lcl_coarse_name(info->coarse.type), info->coarse.rows));
    if (info->amg.levels > 0)
        PetscCall(PetscViewerASCIIPrintf(
            viewer, "  %d levels, operator complexity %.2f, %.1f MiB\n",
            info->amg.levels, info->amg.complexity,
            (double)info->amg.bytes / 1048576.0));
    PetscFunctionReturn(0);
}

static const lcl_precond *precond_of(const struct system *S)
{
    return S->chained ? lcl_chain_precond(S->C) : S->M;
}

static PetscErrorCode view_ascii(const struct system *S, PetscViewer viewer)
{
    const struct lcl_precond_info *info = lcl_precond_info(precond_of(S));
    const struct lcl_operator_info *op = lcl_operator_info(S->pmat.op);
    PetscFunctionBegin;
    PetscCall(PetscViewerASCIIPrintf(
        viewer, "  %s on %s, of %s\n", lcl_precond_name(info->type),
        lcl_context_caps(S->device->ctx)->name,
        S->whole ? "the whole matrix" : "the rows of each rank"));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  first rank: %" PRId64 " rows, %" PRId64
                                     " entries, blocks of %d, %.1f MiB\n",
                                     op->rows, op->nnz, op->block_size,
                                     (double)op->bytes / 1048576.0));
    PetscCall(view_factors(info, viewer));
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "  set up %" PetscInt_FMT
                                     " times, new values taken %" PetscInt_FMT
                                     " times\n",
                                     S->setups, S->updates));
    PetscFunctionReturn(0);
}

static PetscErrorCode PCView_LEVELCL(PC pc, PetscViewer viewer)
{
    const struct system *S = pc->data;
    PetscBool ascii;
    PetscFunctionBegin;
    PetscCall(
        PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
    if (ascii && precond_of(S))
        PetscCall(view_ascii(S, viewer));
    PetscFunctionReturn(0);
}

// ---------------------------------------------------------------- coordinates

// `count` nodes of this rank with `axes` coordinates each, node by node. They
// matter only if the unknowns are the displacements of the nodes.
static PetscErrorCode set_coordinates(PC pc, PetscInt axes, PetscInt count,
                                      PetscReal *coordinates)
{
    struct system *S = pc->data;
    PetscInt block, rows;
    Vec nodes;
    PetscScalar *to;
    PetscFunctionBegin;
    PetscCall(MatNullSpaceDestroy(&S->modes));
    PetscCheck(pc->pmat, PetscObjectComm((PetscObject)pc),
               PETSC_ERR_ARG_WRONGSTATE,
               "coordinates follow KSPSetOperators()");
    PetscCall(MatGetBlockSize(pc->pmat, &block));
    if (!coordinates || axes != block || axes < 2 || axes > 3)
        PetscFunctionReturn(0);
    PetscCall(MatGetLocalSize(pc->pmat, &rows, NULL));
    PetscCheck(axes * count == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "coordinates of %" PetscInt_FMT " nodes for %" PetscInt_FMT
               " rows",
               count, rows);
    PetscCall(VecCreate(PetscObjectComm((PetscObject)pc), &nodes));
    PetscCall(VecSetSizes(nodes, axes * count, PETSC_DETERMINE));
    PetscCall(VecSetBlockSize(nodes, axes));
    PetscCall(VecSetFromOptions(nodes));
    PetscCall(VecGetArrayWrite(nodes, &to));
    for (PetscInt k = 0; k < axes * count; ++k)
        to[k] = coordinates[k];
    PetscCall(VecRestoreArrayWrite(nodes, &to));
    PetscCall(MatNullSpaceCreateRigidBody(nodes, &S->modes));
    PetscCall(VecDestroy(&nodes));
    PetscFunctionReturn(0);
}

// ------------------------------------------------------------ create, destroy

static PetscErrorCode PCReset_LEVELCL(PC pc)
{
    PetscFunctionBegin;
    PetscCall(system_reset(pc->data));
    PetscFunctionReturn(0);
}

static PetscErrorCode PCDestroy_LEVELCL(PC pc)
{
    struct system *S = pc->data;
    PetscFunctionBegin;
    PetscCall(system_reset(S));
    PetscCall(MatNullSpaceDestroy(&S->modes));
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSetCoordinates_C",
                                         NULL));
    PetscCall(PetscFree(pc->data));
    PetscFunctionReturn(0);
}

PetscErrorCode PCCreate_LEVELCL(PC pc)
{
    struct system *S;
    PetscFunctionBegin;
    PetscCall(PetscNew(&S));
#ifdef LEVELCL_PETSC_MPI
    S->whole = PETSC_TRUE;
#endif
    pc->data = S;
    pc->ops->setup = PCSetUp_LEVELCL;
    pc->ops->apply = PCApply_LEVELCL;
    pc->ops->setfromoptions = PCSetFromOptions_LEVELCL;
    pc->ops->view = PCView_LEVELCL;
    pc->ops->reset = PCReset_LEVELCL;
    pc->ops->destroy = PCDestroy_LEVELCL;
    PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCSetCoordinates_C",
                                         set_coordinates));
    PetscFunctionReturn(0);
}
