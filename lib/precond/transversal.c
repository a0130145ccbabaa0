// SPDX-License-Identifier: BSD-3-Clause
// Factors of B = R A C Q, where the permutation Q and the scalings R and C
// bring large entries to the diagonal (lib/matrix/transversal.h):
//     M^-1 = C Q M_B^-1 R
#include "lib/matrix/transversal.h"
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/limit.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/csr.h"
#include "lib/precond/precond.h"

struct permuted {
    struct lcl_transversal T;
    int64_t *map; // entry k of B is entry map[k] of A
    lcl_operator *B;
    lcl_precond *factors;       // M_B
    lcl_buffer *rows, *columns; // R and C, n fp64
    lcl_buffer *place;          // of a column of B in A, n int32
    lcl_buffer *s, *t;          // n fp64
    lcl_kernel *scale;
    struct lcl_vector_ops vector;
    bool fresh; // B has the values of A
};

// ------------------------------------------------------------------- set-up

// The values of A, scaled, in the order of B.
static void scale_values(const struct permuted *P, const struct lcl_csr *A,
                         const struct lcl_csr *B, double *val)
{
    for (int64_t i = 0; i < B->rows; ++i)
        for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
            const int64_t from = P->map[k];
            val[k] = P->T.row_scale[i] * A->val[from] *
                     P->T.column_scale[A->col_ind[from]];
        }
}

// B = A with its columns in the order of the transversal.
static enum lcl_status permute(struct lcl_csr *B, int64_t **map,
                               const struct lcl_transversal *T,
                               const struct lcl_csr *A,
                               const struct lcl_log *log)
{
    const size_t n = (size_t)A->rows;
    int32_t *inverse = lcl_malloc(n, sizeof *inverse);
    int32_t *same = lcl_malloc(n, sizeof *same);
    int32_t *col = lcl_malloc((size_t)A->nnz, sizeof *col);
    const struct lcl_csr renamed = {.rows = A->rows,
                                    .cols = A->rows,
                                    .nnz = A->nnz,
                                    .row_ptr = A->row_ptr,
                                    .col_ind = col};
    enum lcl_status st = LCL_ENOMEM;
    if (inverse && same && col) {
        lcl_permutation_invert(inverse, T->column, A->rows);
        for (size_t i = 0; i < n; ++i)
            same[i] = (int32_t)i;
        for (int64_t k = 0; k < A->nnz; ++k)
            col[k] = inverse[A->col_ind[k]];
        st = lcl_csr_reorder(B, map, &renamed, same, log);
    } else {
        lcl_fail_memory(log, "a permuted matrix");
    }
    lcl_free(inverse);
    lcl_free(same);
    lcl_free(col);
    return st;
}

static enum lcl_status make_matrix(struct permuted *P, lcl_context *ctx,
                                   const struct lcl_csr *A, int hec_width)
{
    const struct lcl_operator_params params = {
        .spmv = LCL_SPMV_CSR, .block_size = 1, .hec_width = hec_width};
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_csr B = LCL_CSR_INIT;
    enum lcl_status st;
    if ((st = lcl_transversal_find(&P->T, A, lcl_context_limit(ctx), log)) <
            0 ||
        (st = permute(&B, &P->map, &P->T, A, log)) < 0)
        return st;
    B.val = lcl_malloc((size_t)B.nnz, sizeof *B.val);
    if (B.val) {
        scale_values(P, A, &B, B.val);
        st = lcl_operator_create(&P->B, ctx, &B, &params);
    } else {
        st = lcl_fail_memory(log, "a permuted matrix");
    }
    P->fresh = st == LCL_OK;
    lcl_csr_finish(&B);
    return st;
}

static enum lcl_status upload(struct permuted *P, lcl_context *ctx)
{
    const struct lcl_transversal *T = &P->T;
    const size_t size = sizeof(double);
    enum lcl_status st;
    if ((st = lcl_buffer_create_from(&P->rows, ctx, T->row_scale, T->n, size,
                                     "scalings")) < 0 ||
        (st = lcl_buffer_create_from(&P->columns, ctx, T->column_scale, T->n,
                                     size, "scalings")) < 0 ||
        (st = lcl_buffer_create_from(&P->place, ctx, T->column, T->n,
                                     sizeof *T->column, "permutation")) < 0 ||
        (st = lcl_buffer_create(&P->s, ctx, T->n, size, "a vector")) < 0)
        return st;
    return lcl_buffer_create(&P->t, ctx, T->n, size, "a vector");
}

static enum lcl_status get_kernels(struct permuted *P, lcl_context *ctx)
{
    const struct lcl_spec spec = {
        .source = "vector.cl",
        .kernel = "scale",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    const enum lcl_status st = lcl_kernel_get(&P->scale, ctx, &spec);
    return st < 0 ? st : lcl_vector_ops_init(&P->vector, ctx, 1);
}

static enum lcl_status set_up(lcl_precond *M, const struct lcl_csr *A,
                              const struct lcl_precond_params *params)
{
    struct permuted *P = M->op.state;
    lcl_context *ctx = M->op.range.ctx;
    struct lcl_precond_params own = *params;
    enum lcl_status st;
    own.transversal = false;
    if ((st = make_matrix(P, ctx, A, M->matrix->hec_width)) < 0 ||
        (st = upload(P, ctx)) < 0 || (st = get_kernels(P, ctx)) < 0)
        return st;
    P->B->share = M->A->share; // the rows are the same
    return lcl_precond_analyse(&P->factors, P->B, &own);
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    struct lcl_bsr A;
    enum lcl_status st;
    if (M->A->info.kron)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "Kronecker systems have no transversal");
    if (M->info.block_size > 1)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "a transversal requires block size 1, but the matrix "
                        "is stored in blocks of %d rows",
                        M->info.block_size);
    M->op.state = lcl_calloc(1, sizeof(struct permuted));
    if (!M->op.state)
        return lcl_fail_memory(log, "a preconditioner");
    if ((st = lcl_operator_download(M->matrix, &A, true)) < 0)
        return st;
    const struct lcl_csr rows = {A.rows,    A.cols,    A.nnz,
                                 A.row_ptr, A.col_ind, A.val};
    st = set_up(M, &rows, params);
    lcl_bsr_finish(&A);
    return st;
}

// ------------------------------------------------------------------- values

static enum lcl_status take_values(lcl_precond *M)
{
    struct permuted *P = M->op.state;
    struct lcl_bsr A;
    enum lcl_status st = lcl_operator_download(M->matrix, &A, true);
    if (st < 0)
        return st;
    double *val = lcl_malloc((size_t)A.nnz, sizeof *val);
    const struct lcl_csr rows = {A.rows,    A.cols,    A.nnz,
                                 A.row_ptr, A.col_ind, A.val};
    if (val) {
        scale_values(P, &rows, &rows, val);
        st = lcl_operator_update(P->B, val);
    } else {
        st = lcl_fail_memory(lcl_context_log(M->op.range.ctx), "values");
    }
    lcl_free(val);
    lcl_bsr_finish(&A);
    return st;
}

// Both matrices have the same row pointers.
static enum lcl_status update(lcl_precond *M)
{
    struct permuted *P = M->op.state;
    enum lcl_status st = P->fresh ? LCL_OK : take_values(M);
    P->fresh = false;
    if (st < 0)
        return st;
    st = lcl_precond_take_values(P->factors);
    M->info = P->factors->info;
    M->info.transversal = true;
    M->info.launches += 5;
    return st;
}

// ------------------------------------------------------------------- use

static enum lcl_status scale(const struct permuted *P, const lcl_operator *A,
                             const lcl_buffer *by, const lcl_buffer *x,
                             lcl_buffer *y, const struct lcl_operands *v)
{
    return LCL_LAUNCH(P->scale, A->range.groups, lcl_arg_long(A->range.n),
                      lcl_arg_buffer(by), lcl_arg_buffer(x), lcl_arg_buffer(y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// If the solve has stopped, s and t receive old results, but y nothing.
static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct permuted *P = A->state;
    const struct lcl_numbering *N = P->factors->op.numbering;
    const struct lcl_operands inner = {
        .x = P->t, .y = P->s, .stop = v->stop, .at = v->at};
    enum lcl_status st;
    (void)mode;
    if ((st = scale(P, A, P->rows, v->x, P->s, v)) < 0 ||
        (st = lcl_numbering_gather(N, P->s, P->t)) < 0 ||
        (st = lcl_apply(&P->factors->op, LCL_APPLY, &inner)) < 0 ||
        (st = lcl_numbering_scatter(N, P->s, P->t)) < 0 ||
        (st = lcl_scatter(&P->vector, A->range.n, P->place, P->t, P->s)) < 0)
        return st;
    return scale(P, A, P->columns, P->s, v->y, v);
}

static enum lcl_status prepare(lcl_operator *A)
{
    struct permuted *P = A->state;
    return lcl_operator_prepare(&P->factors->op, LCL_APPLY);
}

static void destroy(lcl_operator *A)
{
    struct permuted *P = A->state;
    if (!P)
        return;
    lcl_precond_destroy(&P->factors);
    lcl_operator_destroy(&P->B);
    lcl_transversal_finish(&P->T);
    lcl_buffer **const buffers[] = {&P->rows, &P->columns, &P->place, &P->s,
                                    &P->t};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k)
        lcl_buffer_destroy(buffers[k]);
    lcl_free(P->map);
    lcl_free(P);
}

// The rows of B are those of A.
static enum lcl_status locate(const lcl_precond *M, int32_t *part,
                              int32_t *level)
{
    const struct permuted *P = M->op.state;
    return lcl_precond_locate(P->factors, part, level);
}

const struct lcl_precond_ops lcl_precond_transversal = {
    .op = {.prepare = prepare, .apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .update = update,
    .locate = locate,
};
