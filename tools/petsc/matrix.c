// SPDX-License-Identifier: BSD-3-Clause
// Matrices of PETSc as operators: AIJ, types that convert to AIJ, and shells.
#include "tools/petsc/adapter.h"

#include <petsc/private/petscimpl.h> // PetscObjectStateGet()

enum change matrix_change(const struct matrix *A, Mat source)
{
    PetscObjectId id;
    PetscObjectState state, nonzero_state;
    if (PetscObjectGetId((PetscObject)source, &id) ||
        PetscObjectStateGet((PetscObject)source, &state) ||
        MatGetNonzeroState(source, &nonzero_state))
        return CHANGE_PATTERN;
    if (!A->op || id != A->id || nonzero_state != A->nonzero_state)
        return CHANGE_PATTERN;
    return state == A->state ? CHANGE_NONE : CHANGE_VALUES;
}

static PetscErrorCode remember(struct matrix *A, Mat source)
{
    PetscFunctionBegin;
    PetscCall(PetscObjectGetId((PetscObject)source, &A->id));
    PetscCall(PetscObjectStateGet((PetscObject)source, &A->state));
    PetscCall(MatGetNonzeroState(source, &A->nonzero_state));
    PetscFunctionReturn(0);
}

// ----------------------------------------------------------------------- rows

static PetscErrorCode is_aij(Mat A, PetscBool *yes, PetscBool *parallel)
{
    PetscBool sequential;
    PetscFunctionBegin;
    PetscCall(
        PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &sequential));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, parallel));
    *yes = sequential || *parallel ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(0);
}

// Brings the rows of this rank up to date; of an AIJ matrix of one rank they
// are the matrix itself.
static PetscErrorCode read_aij(struct matrix *A, Mat aij, PetscBool parallel,
                               PetscBool whole)
{
    Mat own = aij;
    PetscFunctionBegin;
    if (parallel && whole) {
        PetscCall(MatMPIAIJGetLocalMat(
            aij, A->rows ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &A->rows));
        PetscFunctionReturn(0);
    }
    if (parallel)
        PetscCall(MatGetDiagonalBlock(aij, &own));
    PetscCall(PetscObjectReference((PetscObject)own));
    PetscCall(MatDestroy(&A->rows));
    A->rows = own;
    PetscFunctionReturn(0);
}

static PetscErrorCode read_rows(struct matrix *A, Mat source, PetscBool whole)
{
    PetscBool aij, parallel;
    Mat copy = NULL;
    PetscFunctionBegin;
    PetscCall(is_aij(source, &aij, &parallel));
    if (!aij) {
        PetscCall(MatConvert(source, MATAIJ, MAT_INITIAL_MATRIX, &copy));
        PetscCall(is_aij(copy, &aij, &parallel));
    }
    PetscCall(read_aij(A, copy ? copy : source, parallel, whole));
    PetscCall(MatDestroy(&copy));
    PetscFunctionReturn(0);
}

// The arrays of the rows, borrowed from PETSc.
struct borrowed {
    PetscInt n, nnz;
    const PetscInt *ptr, *col;
    const PetscScalar *val;
};

static PetscErrorCode borrow(Mat rows, struct borrowed *B)
{
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(MatGetRowIJ(rows, 0, PETSC_FALSE, PETSC_FALSE, &B->n, &B->ptr,
                          &B->col, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "the matrix does not show its pattern");
    B->nnz = B->ptr[B->n];
    PetscCall(MatSeqAIJGetArrayRead(rows, &B->val));
    PetscFunctionReturn(0);
}

static PetscErrorCode give_back(Mat rows, struct borrowed *B)
{
    PetscBool done;
    PetscFunctionBegin;
    PetscCall(MatSeqAIJRestoreArrayRead(rows, &B->val));
    PetscCall(MatRestoreRowIJ(rows, 0, PETSC_FALSE, PETSC_FALSE, &B->n, &B->ptr,
                              &B->col, &done));
    PetscFunctionReturn(0);
}

// ------------------------------------------------------------------- operator

struct place {
    lcl_context *ctx;
    const struct lcl_operator_params *params;
};

static PetscErrorCode create_alone(lcl_operator **op, Mat rows,
                                   struct place place, enum lcl_status *st)
{
    struct borrowed B;
    struct lcl_csr A = LCL_CSR_INIT;
    PetscInt cols;
    PetscFunctionBegin;
    PetscCall(MatGetSize(rows, NULL, &cols));
    PetscCall(borrow(rows, &B));
    A.rows = B.n;
    A.cols = cols;
    A.nnz = B.nnz;
    A.val = (double *)B.val; // is only read
    PetscCall(PetscMalloc2(B.n + 1, &A.row_ptr, B.nnz, &A.col_ind));
    for (PetscInt i = 0; i <= B.n; ++i)
        A.row_ptr[i] = B.ptr[i];
    for (PetscInt k = 0; k < B.nnz; ++k)
        A.col_ind[k] = (int32_t)B.col[k];
    *st = lcl_operator_create(op, place.ctx, &A, place.params);
    PetscCall(PetscFree2(A.row_ptr, A.col_ind));
    PetscCall(give_back(rows, &B));
    PetscFunctionReturn(0);
}

#ifdef LEVELCL_PETSC_MPI
static PetscErrorCode need_rows(Mat source)
{
    const PetscInt *first;
    PetscMPIInt size;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)source), &size));
    PetscCall(MatGetOwnershipRanges(source, &first));
    for (PetscMPIInt r = 0; r < size; ++r)
        PetscCheck(first[r] < first[r + 1],
                   PetscObjectComm((PetscObject)source), PETSC_ERR_SUP,
                   "rank %d has no rows, which levelcl takes only with "
                   "-pc_levelcl_local",
                   r);
    PetscFunctionReturn(0);
}

static PetscErrorCode create_whole(lcl_operator **op, Mat rows, Mat source,
                                   struct place place, enum lcl_status *st)
{
    struct borrowed B;
    struct lcl_rows R = LCL_ROWS_INIT;
    const MPI_Comm comm = PetscObjectComm((PetscObject)source);
    lcl_ranks *ranks = NULL;
    PetscInt first, total;
    PetscFunctionBegin;
    PetscCall(need_rows(source));
    PetscCall(MatGetOwnershipRange(source, &first, NULL));
    PetscCall(MatGetSize(source, &total, NULL));
    PetscCall(borrow(rows, &B));
    R.first = first;
    R.rows = B.n;
    R.total = total;
    R.val = (double *)B.val; // is only read
    PetscCall(PetscMalloc2(B.n + 1, &R.row_ptr, B.nnz, &R.col));
    for (PetscInt i = 0; i <= B.n; ++i)
        R.row_ptr[i] = B.ptr[i];
    for (PetscInt k = 0; k < B.nnz; ++k)
        R.col[k] = B.col[k];
    *st = lcl_ranks_create(&ranks, &comm, NULL);
    if (*st == LCL_OK)
        *st = lcl_operator_create_ranks(op, place.ctx, ranks, &R, place.params);
    lcl_ranks_destroy(&ranks);
    PetscCall(PetscFree2(R.row_ptr, R.col));
    PetscCall(give_back(rows, &B));
    PetscFunctionReturn(0);
}
#endif

static PetscErrorCode create_of_rows(struct matrix *A, Mat source,
                                     PetscBool whole, struct place place,
                                     enum lcl_status *st)
{
    PetscMPIInt size;
    PetscInt n;
    PetscFunctionBegin;
    PetscCall(read_rows(A, source, whole));
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)source), &size));
#ifdef LEVELCL_PETSC_MPI
    if (size > 1 && whole) {
        PetscCall(create_whole(&A->op, A->rows, source, place, st));
        PetscFunctionReturn(0);
    }
#endif
    PetscCall(MatGetSize(A->rows, &n, NULL));
    if (n > 0) // a rank may have none
        PetscCall(create_alone(&A->op, A->rows, place, st));
    PetscFunctionReturn(0);
}

// ------------------------------------------------------------------- function

static PetscErrorCode multiply(struct matrix *A, const double *x, double *y)
{
    PetscFunctionBegin;
    PetscCall(VecPlaceArray(A->x, x));
    PetscCall(VecPlaceArray(A->y, y));
    PetscCall(MatMult(A->function, A->x, A->y));
    PetscCall(VecResetArray(A->x));
    PetscCall(VecResetArray(A->y));
    PetscFunctionReturn(0);
}

static enum lcl_status call_multiply(void *user, const double *x, double *y)
{
    return multiply(user, x, y) ? LCL_EDEVICE : LCL_OK;
}

static PetscErrorCode create_of_function(struct matrix *A, Mat source,
                                         lcl_context *ctx, enum lcl_status *st)
{
    PetscMPIInt size;
    PetscInt rows, cols;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)source), &size));
    PetscCheck(size == 1, PetscObjectComm((PetscObject)source), PETSC_ERR_SUP,
               "KSPLEVELCL applies matrices without entries on one rank only");
    PetscCall(MatGetSize(source, &rows, &cols));
    PetscCall(MatCreateVecs(source, &A->x, &A->y));
    PetscCall(PetscObjectReference((PetscObject)source));
    A->function = source;
    *st =
        lcl_operator_create_callback(&A->op, ctx, rows, cols, call_multiply, A);
    PetscFunctionReturn(0);
}

// ---------------------------------------------------------------------- calls

PetscErrorCode matrix_create(struct matrix *A, Mat source, PetscBool whole,
                             lcl_context *ctx,
                             const struct lcl_operator_params *params,
                             enum lcl_status *st)
{
    PetscBool function;
    PetscFunctionBegin;
    *st = LCL_OK;
    PetscCall(matrix_reset(A));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)source, &function,
                                        MATSHELL, MATMFFD, ""));
    if (function)
        PetscCall(create_of_function(A, source, ctx, st));
    else
        PetscCall(
            create_of_rows(A, source, whole, (struct place){ctx, params}, st));
    PetscCall(remember(A, source));
    PetscFunctionReturn(0);
}

PetscErrorCode matrix_update(struct matrix *A, Mat source, PetscBool whole,
                             enum lcl_status *st)
{
    const PetscScalar *val;
    PetscFunctionBegin;
    *st = LCL_OK;
    PetscCall(remember(A, source));
    if (A->function)
        PetscFunctionReturn(0);
    PetscCall(read_rows(A, source, whole));
    PetscCall(MatSeqAIJGetArrayRead(A->rows, &val));
    *st = lcl_operator_update(A->op, val);
    PetscCall(MatSeqAIJRestoreArrayRead(A->rows, &val));
    PetscFunctionReturn(0);
}

PetscErrorCode matrix_reset(struct matrix *A)
{
    PetscFunctionBegin;
    lcl_operator_destroy(&A->op);
    PetscCall(MatDestroy(&A->rows));
    PetscCall(MatDestroy(&A->function));
    PetscCall(VecDestroy(&A->x));
    PetscCall(VecDestroy(&A->y));
    PetscFunctionReturn(0);
}
