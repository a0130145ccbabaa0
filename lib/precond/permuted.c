// SPDX-License-Identifier: BSD-3-Clause
// Factors of B = P R A C Q P^T, where the permutation Q and the scalings R and
// C bring large entries to the diagonal (lib/matrix/transversal.h) and P is an
// order of the rows for factors with less fill (lib/partition/order.h):
//     M^-1 = C Q P^T M_B^-1 P R
// Without a transversal Q, R and C are identities; M is symmetric if M_B is.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/limit.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/csr.h"
#include "lib/matrix/transversal.h"
#include "lib/partition/order.h"
#include "lib/precond/precond.h"

#include <string.h>

struct permuted {
    struct lcl_transversal T;
    int32_t *order;   // P: row i of B is row order[i] of A
    int64_t *row_ptr; // of B
    int64_t *map;     // entry k of B is entry map[k] of A
    lcl_operator *B;
    lcl_precond *factors; // M_B
    lcl_buffer *rows;     // R, n fp64; NULL: 1
    lcl_buffer *columns;  // C, n fp64
    lcl_buffer *perm;     // as `order`; NULL: that of A
    lcl_buffer *place;    // of a column of B in A, n int32
    lcl_buffer *s, *t;    // n fp64
    lcl_kernel *scale;
    struct lcl_vector_ops vector;
    bool fresh; // B has the values of A
};

// ------------------------------------------------------------------- set-up

// The values of A, scaled, in the order of B.
static void scale_values(const struct permuted *P, const struct lcl_csr *A,
                         double *val)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = P->row_ptr[i]; k < P->row_ptr[i + 1]; ++k) {
            const int64_t from = P->map[k];
            val[k] = P->T.row_scale[P->order[i]] * A->val[from] *
                     P->T.column_scale[A->col_ind[from]];
        }
}

// col = the columns of A in the numbering of the transversal.
static enum lcl_status rename_columns(int32_t *col,
                                      const struct lcl_transversal *T,
                                      const struct lcl_csr *A,
                                      const struct lcl_log *log)
{
    int32_t *inverse = lcl_malloc((size_t)A->rows, sizeof *inverse);
    if (!inverse)
        return lcl_fail_memory(log, "a permuted matrix");
    lcl_permutation_invert(inverse, T->column, A->rows);
    for (int64_t k = 0; k < A->nnz; ++k)
        col[k] = inverse[A->col_ind[k]];
    lcl_free(inverse);
    return LCL_OK;
}

// P->order = the order of elimination for the pattern A, whose columns need not
// ascend.
static enum lcl_status find_order(struct permuted *P, const struct lcl_csr *A,
                                  enum lcl_order order,
                                  const struct lcl_log *log)
{
    struct lcl_csr sorted = LCL_CSR_INIT;
    int64_t *map = NULL;
    enum lcl_status st =
        lcl_order_find(P->order, A, LCL_ORDER_NONE, log); // 0, 1, ...
    if (order <= LCL_ORDER_NONE || st < 0)
        return st;
    if ((st = lcl_csr_reorder(&sorted, &map, A, P->order, log)) == LCL_OK)
        st = lcl_order_find(P->order, &sorted, order, log);
    lcl_free(map);
    lcl_csr_finish(&sorted);
    return st;
}

// B = A, with columns permuted by the transversal and then rows and columns
// permuted by the order.
static enum lcl_status permute(struct permuted *P, struct lcl_csr *B,
                               const struct lcl_csr *A, enum lcl_order order,
                               const struct lcl_log *log)
{
    int32_t *col = lcl_malloc((size_t)A->nnz, sizeof *col);
    const struct lcl_csr renamed = {.rows = A->rows,
                                    .cols = A->rows,
                                    .nnz = A->nnz,
                                    .row_ptr = A->row_ptr,
                                    .col_ind = col};
    enum lcl_status st;
    P->order = lcl_malloc((size_t)A->rows, sizeof *P->order);
    if (!col || !P->order)
        st = lcl_fail_memory(log, "a permuted matrix");
    else if ((st = rename_columns(col, &P->T, A, log)) == LCL_OK &&
             (st = find_order(P, &renamed, order, log)) == LCL_OK)
        st = lcl_csr_reorder(B, &P->map, &renamed, P->order, log);
    lcl_free(col);
    return st;
}

// T = the identity, for factors without a transversal.
static enum lcl_status stay(struct lcl_transversal *T, int64_t n,
                            const struct lcl_log *log)
{
    T->n = n;
    T->column = lcl_malloc((size_t)n, sizeof *T->column);
    T->row_scale = lcl_malloc((size_t)n, sizeof *T->row_scale);
    T->column_scale = lcl_malloc((size_t)n, sizeof *T->column_scale);
    if (!T->column || !T->row_scale || !T->column_scale)
        return lcl_fail_memory(log, "a permuted matrix");
    for (int64_t i = 0; i < n; ++i) {
        T->column[i] = (int32_t)i;
        T->row_scale[i] = T->column_scale[i] = 1;
    }
    return LCL_OK;
}

static enum lcl_status make_matrix(struct permuted *P, const lcl_precond *M,
                                   const struct lcl_csr *A,
                                   const struct lcl_precond_params *p)
{
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR,
                                               .block_size = 1,
                                               .hec_width =
                                                   M->matrix->hec_width};
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_csr B = LCL_CSR_INIT;
    enum lcl_status st =
        p->transversal
            ? lcl_transversal_find(&P->T, A, lcl_context_limit(ctx), log)
            : stay(&P->T, A->rows, log);
    if (st < 0 || (st = permute(P, &B, A, p->order, log)) < 0)
        return st;
    B.val = lcl_malloc((size_t)B.nnz, sizeof *B.val);
    P->row_ptr = B.row_ptr;
    if (B.val) {
        scale_values(P, A, B.val);
        st = lcl_operator_create(&P->B, ctx, &B, &params);
    } else {
        st = lcl_fail_memory(log, "a permuted matrix");
    }
    P->fresh = st == LCL_OK;
    B.row_ptr = NULL; // kept
    lcl_csr_finish(&B);
    return st;
}

// place[i] = the column of A that is column i of B.
static enum lcl_status upload_place(struct permuted *P, lcl_context *ctx)
{
    const int64_t n = P->T.n;
    int32_t *place = lcl_malloc((size_t)n, sizeof *place);
    if (!place)
        return lcl_fail_memory(lcl_context_log(ctx), "a permutation");
    for (int64_t i = 0; i < n; ++i)
        place[i] = P->T.column[P->order[i]];
    const enum lcl_status st = lcl_buffer_create_from(
        &P->place, ctx, place, n, sizeof *place, "permutation");
    lcl_free(place);
    return st;
}

static enum lcl_status upload(struct permuted *P, lcl_context *ctx,
                              const struct lcl_precond_params *p)
{
    const struct lcl_transversal *T = &P->T;
    const size_t size = sizeof(double);
    const bool ordered = p->order > LCL_ORDER_NONE;
    enum lcl_status st;
    if ((p->transversal &&
         (st = lcl_buffer_create_from(&P->rows, ctx, T->row_scale, T->n, size,
                                      "scalings")) < 0) ||
        (st = lcl_buffer_create_from(&P->columns, ctx, T->column_scale, T->n,
                                     size, "scalings")) < 0 ||
        (ordered &&
         (st = lcl_buffer_create_from(&P->perm, ctx, P->order, T->n,
                                      sizeof *P->order, "permutation")) < 0) ||
        (st = upload_place(P, ctx)) < 0 ||
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
    own.order = LCL_ORDER_NONE;
    if (lcl_precond_factors(params->type) == LCL_PRECOND_IC0)
        own.coarse = LCL_COARSE_NONE; // CG would need its symmetric forms
    if ((st = make_matrix(P, M, A, params)) < 0 ||
        (st = upload(P, ctx, params)) < 0 || (st = get_kernels(P, ctx)) < 0)
        return st;
    if (!P->perm)
        P->B->share = M->A->share; // the rows are the same
    return lcl_precond_analyse(&P->factors, P->B, &own);
}

static enum lcl_status check(const lcl_precond *M,
                             const struct lcl_precond_params *p)
{
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    const char *what = p->transversal ? "a transversal" : "an order of rows";
    const bool boxes = p->partition.type == LCL_PARTITION_GEOMETRIC ||
                       p->partition.type == LCL_PARTITION_LABELS;
    const bool ordered = p->order > LCL_ORDER_NONE;
    if (M->A->info.kron)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "Kronecker systems do not support %s", what);
    if (M->info.block_size > 1)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s requires block size 1, but the matrix is stored in "
                        "blocks of %d rows",
                        what, M->info.block_size);
    if (ordered && boxes)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "the partition %s does not support an order of rows",
                        lcl_partition_name(p->partition.type));
    if (ordered && p->coarse > LCL_COARSE_NONE &&
        lcl_precond_factors(p->type) == LCL_PRECOND_IC0)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s with an order of rows has no coarse correction",
                        lcl_precond_name(p->type));
    return LCL_OK;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    struct lcl_bsr A;
    enum lcl_status st = check(M, params);
    if (st < 0)
        return st;
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

static enum lcl_status update_values(lcl_precond *M)
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
        scale_values(P, &rows, val);
        st = lcl_operator_update(P->B, val);
    } else {
        st = lcl_fail_memory(lcl_context_log(M->op.range.ctx), "values");
    }
    lcl_free(val);
    lcl_bsr_finish(&A);
    return st;
}

// Copies the properties of the factors; row numbers refer to B.
static void describe(lcl_precond *M)
{
    const struct permuted *P = M->op.state;
    struct lcl_precond_info *info = &M->info;
    const bool transversal = info->factors.transversal;
    const enum lcl_order order = info->factors.order;
    *info = P->factors->info;
    info->factors.transversal = transversal;
    info->factors.order = order;
    info->launches += 4 + (P->rows != NULL) + (P->perm != NULL);
    for (int i = 0; i < 8 && i < info->pivots_repaired; ++i)
        info->repaired_rows[i] = P->order[info->repaired_rows[i]];
}

static enum lcl_status update(lcl_precond *M)
{
    struct permuted *P = M->op.state;
    enum lcl_status st = P->fresh ? LCL_OK : update_values(M);
    P->fresh = false;
    if (st < 0)
        return st;
    st = lcl_precond_factor(P->factors);
    describe(M);
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

// s = P R x
static enum lcl_status enter(struct permuted *P, const lcl_operator *A,
                             const struct lcl_operands *v)
{
    const lcl_buffer *x = v->x;
    lcl_buffer *scaled = P->perm ? P->t : P->s;
    if (P->rows) {
        const enum lcl_status st = scale(P, A, P->rows, x, scaled, v);
        if (st < 0)
            return st;
        x = scaled;
    }
    return P->perm ? lcl_gather(&P->vector, A->range.n, P->perm, x, P->s)
                   : LCL_OK;
}

// If the solve has stopped, s and t receive old results, but y is not written.
static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    struct permuted *P = A->state;
    const struct lcl_numbering *N = P->factors->op.numbering;
    const struct lcl_operands inner = {
        .x = P->t, .y = P->s, .stop = v->stop, .at = v->at};
    enum lcl_status st;
    (void)mode;
    if ((st = enter(P, A, v)) < 0 ||
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
    lcl_buffer **const buffers[] = {&P->rows,  &P->columns, &P->perm,
                                    &P->place, &P->s,       &P->t};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k)
        lcl_buffer_destroy(buffers[k]);
    lcl_free(P->order);
    lcl_free(P->row_ptr);
    lcl_free(P->map);
    lcl_free(P);
}

// Replaces rows of B by rows of A, in place.
static void locate_rows(const struct permuted *P, int32_t *of, int32_t *scratch)
{
    for (int64_t i = 0; i < P->T.n; ++i)
        scratch[P->order[i]] = of[i];
    memcpy(of, scratch, (size_t)P->T.n * sizeof *of);
}

static enum lcl_status locate(const lcl_precond *M, int32_t *part,
                              int32_t *level)
{
    const struct permuted *P = M->op.state;
    int32_t *scratch = lcl_malloc((size_t)P->T.n, sizeof *scratch);
    if (!scratch)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx), "row numbers");
    const enum lcl_status st = lcl_precond_locate(P->factors, part, level);
    if (st == LCL_OK) {
        locate_rows(P, part, scratch);
        locate_rows(P, level, scratch);
    }
    lcl_free(scratch);
    return st;
}

const struct lcl_precond_ops lcl_precond_permuted = {
    .op = {.prepare = prepare, .apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_GIVEN,
    .create = create,
    .update = update,
    .locate = locate,
};
