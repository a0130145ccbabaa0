// SPDX-License-Identifier: BSD-3-Clause
// Null spaces and near-null vectors that a program has attached to its matrix.
#include "tools/petsc/adapter.h"

// Constants first, then the vectors; each rank has its own rows. The caller
// frees V->val.
static PetscErrorCode collect(MatNullSpace space, PetscInt rows,
                              struct lcl_dense *V)
{
    PetscBool constant;
    PetscInt count, own;
    const Vec *vecs;
    const PetscScalar *from;
    PetscFunctionBegin;
    PetscCall(MatNullSpaceGetVecs(space, &constant, &count, &vecs));
    const PetscInt first = constant ? 1 : 0;
    V->rows = rows;
    V->cols = first + count;
    PetscCall(PetscMalloc1(V->rows * V->cols, &V->val));
    for (PetscInt i = 0; i < first * rows; ++i)
        V->val[i] = 1;
    for (PetscInt k = 0; k < count; ++k) {
        PetscCall(VecGetLocalSize(vecs[k], &own));
        PetscCheck(own == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
                   "a null vector has %" PetscInt_FMT
                   " rows, the matrix %" PetscInt_FMT,
                   own, rows);
        PetscCall(VecGetArrayRead(vecs[k], &from));
        PetscCall(PetscArraycpy(V->val + (first + k) * rows, from, rows));
        PetscCall(VecRestoreArrayRead(vecs[k], &from));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode near_nullspace_set(lcl_operator *op, Mat A, MatNullSpace modes,
                                  enum lcl_status *st)
{
    struct lcl_dense B = LCL_DENSE_INIT;
    MatNullSpace space;
    PetscInt rows;
    PetscFunctionBegin;
    *st = LCL_OK;
    PetscCall(MatGetNearNullSpace(A, &space));
    if (!space)
        space = modes;
    if (!space || !op)
        PetscFunctionReturn(0);
    PetscCall(MatGetLocalSize(A, &rows, NULL));
    PetscCall(collect(space, rows, &B));
    if (B.cols <= LCL_BLOCK_MAX)
        *st = lcl_operator_set_near_nullspace(op, &B);
    PetscCall(PetscFree(B.val));
    PetscFunctionReturn(0);
}

PetscErrorCode nullspace_set(lcl_operator *op, Mat A, enum lcl_status *st)
{
    struct lcl_nullspace N = LCL_NULLSPACE_INIT;
    struct lcl_dense right = LCL_DENSE_INIT, left = LCL_DENSE_INIT;
    MatNullSpace space, transposed;
    PetscInt rows;
    PetscFunctionBegin;
    PetscCall(MatGetNullSpace(A, &space));
    PetscCall(MatGetTransposeNullSpace(A, &transposed));
    if (!space) {
        *st = lcl_operator_set_nullspace(op, NULL);
        PetscFunctionReturn(0);
    }
    PetscCall(MatGetLocalSize(A, &rows, NULL));
    PetscCall(collect(space, rows, &right));
    N.right = &right;
    if (transposed)
        PetscCall(collect(transposed, rows, &left));
    N.left = transposed ? &left : NULL;
    *st = lcl_operator_set_nullspace(op, &N);
    // PETSc takes right vectors alone of unsymmetric matrices, too, and leaves
    // b to the program
    if (*st == LCL_EINVAL && !transposed)
        *st = lcl_operator_set_nullspace(op, NULL);
    PetscCall(PetscFree(right.val));
    PetscCall(PetscFree(left.val));
    PetscFunctionReturn(0);
}
