// SPDX-License-Identifier: BSD-3-Clause
// Jacobi: M = diag(A), in the numbering of A; diagonal entries that are
// missing, zero or not finite are replaced by 1 and reported. The absolute form
// is a positive diagonal, see cl/storage/diagonal.cl; it exists once prepared.
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/interleaved.h"

#include <string.h>

struct jacobi {
    lcl_kernel *find, *invert, *invert_absolute, *scale, *scale_dot;
    lcl_buffer *places; // of the diagonal among the values, int64
    lcl_buffer *inv_d, *bad;
    const lcl_operator *matrix;
    lcl_operator absolute;
    lcl_buffer *absolute_d; // its inverse; NULL: not prepared
};

static enum lcl_status get_kernels(struct jacobi *J, lcl_context *ctx)
{
    const struct lcl_device_matrix *A = J->matrix->matrix;
    const struct lcl_kernel_plan of_vectors[] = {
        {&J->invert, "invert_diagonal"},
        {&J->scale, "scale"},
        {&J->scale_dot, "scale_dot"},
    };
    const struct lcl_kernel_plan of_matrix[] = {
        {&J->find, "diagonal_places"},
        {&J->invert_absolute, "invert_absolute"},
    };
    struct lcl_spec spec = {
        .source = "vector.cl",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    const enum lcl_status st = lcl_kernels_get(ctx, &spec, of_vectors, 3);
    spec.source = "diagonal.cl";
    spec.block = A->block > 1 ? A->block : 0;
    spec.wide = A->wide;
    return st < 0 ? st : lcl_kernels_get(ctx, &spec, of_matrix, 2);
}

static enum lcl_status find_diagonal(const struct jacobi *J)
{
    const struct lcl_device_matrix *A = J->matrix->matrix;
    return LCL_LAUNCH(J->find, A->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(J->places));
}

static enum lcl_status count_missing(lcl_precond *M)
{
    const struct jacobi *J = M->op.state;
    const size_t n = (size_t)M->op.range.n;
    int64_t *places = lcl_malloc(n, sizeof *places);
    if (!places)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "the diagonal");
    const enum lcl_status st =
        lcl_buffer_read(J->places, places, n * sizeof *places);
    for (size_t i = 0; i < n && st == LCL_OK; ++i)
        M->info.missing_diagonals += places[i] < 0;
    lcl_free(places);
    return st;
}

// Records the first rows of `bad`, in the caller's numbering.
static enum lcl_status name_bad(lcl_precond *M, const unsigned char *bad)
{
    int32_t *row;
    const enum lcl_status st = lcl_numbering_rows(M->matrix->numbering, &row);
    if (st < 0)
        return st;
    int named = 0;
    for (int64_t i = 0; i < M->op.range.n && named < 8; ++i)
        if (bad[i])
            M->info.repaired_rows[named++] = row[i];
    lcl_free(row);
    return LCL_OK;
}

static enum lcl_status report_bad(lcl_precond *M)
{
    const struct jacobi *J = M->op.state;
    const size_t n = (size_t)M->op.range.n;
    unsigned char *bad = lcl_malloc(n, 1);
    if (!bad)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx), "pivot flags");
    enum lcl_status st = lcl_buffer_read(J->bad, bad, n);
    M->info.pivots_repaired = 0;
    memset(M->info.repaired_rows, 0, sizeof M->info.repaired_rows);
    for (size_t i = 0; i < n && st == LCL_OK; ++i)
        M->info.pivots_repaired += bad[i];
    if (st == LCL_OK && M->info.pivots_repaired > 0)
        st = name_bad(M, bad);
    lcl_free(bad);
    return st;
}

static enum lcl_status update_absolute(const struct jacobi *J)
{
    const struct lcl_device_matrix *A = J->matrix->matrix;
    return LCL_LAUNCH(J->invert_absolute, A->groups, lcl_arg_long(A->n),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(J->places),
                      lcl_arg_buffer(J->absolute_d));
}

static enum lcl_status update(lcl_precond *M)
{
    const struct jacobi *J = M->op.state;
    enum lcl_status st = LCL_LAUNCH(
        J->invert, M->op.range.groups, lcl_arg_long(M->op.range.n),
        lcl_arg_buffer(J->places), lcl_arg_buffer(M->matrix->matrix->val),
        lcl_arg_buffer(J->inv_d), lcl_arg_buffer(J->bad));
    if (st < 0 || (st = report_bad(M)) < 0 || !J->absolute_d)
        return st;
    return update_absolute(J);
}

// ------------------------------------------------------------------- forms

// The kernel computes the dot product with x only: w = x.
static enum lcl_status scale(const struct jacobi *J, const lcl_buffer *inv_d,
                             enum lcl_mode mode, const struct lcl_operands *v)
{
    const struct lcl_space *V = &J->matrix->range;
    if (mode == LCL_APPLY)
        return LCL_LAUNCH(J->scale, V->groups, lcl_arg_long(V->n),
                          lcl_arg_buffer(inv_d), lcl_arg_buffer(v->x),
                          lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                          lcl_arg_int(v->at));
    return LCL_LAUNCH(J->scale_dot, V->groups, lcl_arg_long(V->n),
                      lcl_arg_buffer(inv_d), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct jacobi *J = A->state;
    return scale(J, J->inv_d, mode, v);
}

static enum lcl_status apply_absolute(lcl_operator *A, enum lcl_mode mode,
                                      const struct lcl_operands *v)
{
    const struct jacobi *J = A->state;
    return scale(J, J->absolute_d, mode, v);
}

static enum lcl_status prepare_absolute(lcl_operator *A)
{
    struct jacobi *J = A->state;
    if (J->absolute_d)
        return LCL_OK;
    const enum lcl_status st = lcl_space_vector(&J->absolute_d, &A->range);
    return st < 0 ? st : update_absolute(J);
}

static const struct lcl_operator_ops absolute_ops = {
    .prepare = prepare_absolute,
    .apply = apply_absolute,
};

static void make_absolute(lcl_precond *M)
{
    struct jacobi *J = M->op.state;
    lcl_operator_init(&J->absolute, &absolute_ops, M->op.range, M->op.domain);
    J->absolute.modes |= LCL_MODE_BIT(LCL_APPLY_DOT);
    J->absolute.launches = 1;
    J->absolute.state = J;
    M->absolute = &J->absolute;
}

// ---------------------------------------------------------------- interleaved

// For vectors of interleaved columns.
struct scaling {
    const struct jacobi *jacobi;
    lcl_kernel *kernel;
};

static enum lcl_status scale_columns(lcl_operator *A, enum lcl_mode mode,
                                     const struct lcl_operands *v)
{
    const struct scaling *S = A->state;
    const struct lcl_space *V = &S->jacobi->matrix->range;
    (void)mode;
    return LCL_LAUNCH(S->kernel, V->groups, lcl_arg_long(V->n),
                      lcl_arg_buffer(S->jacobi->inv_d), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

static void end_scaling(lcl_operator *A)
{
    lcl_free(A->state);
}

static const struct lcl_operator_ops scaling_ops = {
    .apply = scale_columns,
    .destroy = end_scaling,
};

static enum lcl_status interleave(lcl_operator *out, lcl_operator *A,
                                  int columns)
{
    struct scaling *S = lcl_calloc(1, sizeof *S);
    if (!S)
        return lcl_fail_memory(lcl_context_log(A->range.ctx), "columns");
    *S = (struct scaling){.jacobi = A->state};
    out->ops = &scaling_ops;
    out->state = S;
    return lcl_interleaved_kernel(&S->kernel, A->range.ctx, columns,
                                  "columns_scale");
}

// ------------------------------------------------------------------- create

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    lcl_context *ctx = M->op.range.ctx;
    const int64_t n = M->op.range.n;
    struct jacobi *J = M->op.state = lcl_calloc(1, sizeof *J);
    enum lcl_status st;
    (void)params;
    if (!J)
        return lcl_fail_memory(lcl_context_log(ctx), "a preconditioner");
    const struct lcl_buffer_plan all[] = {
        {&J->places, n, sizeof(int64_t), "places of the diagonal"},
        {&J->inv_d, n, sizeof(double), "inverse diagonal"},
        {&J->bad, n, 1, "pivot flags"},
    };
    J->matrix = M->matrix;
    make_absolute(M);
    if ((st = get_kernels(J, ctx)) < 0 ||
        (st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = find_diagonal(J)) < 0 || (st = count_missing(M)) < 0)
        return st;
    M->op.modes |= LCL_MODE_BIT(LCL_APPLY_DOT);
    M->info.launches = 1;
    M->info.nnz_kept = n - M->info.missing_diagonals;
    M->info.bytes = lcl_buffer_bytes(J->inv_d);
    return LCL_OK;
}

static void destroy(lcl_operator *A)
{
    struct jacobi *J = A->state;
    if (!J)
        return;
    lcl_operator_finish(&J->absolute);
    lcl_buffer_destroy(&J->absolute_d);
    lcl_buffer_destroy(&J->places);
    lcl_buffer_destroy(&J->inv_d);
    lcl_buffer_destroy(&J->bad);
    lcl_free(J);
}

const struct lcl_precond_ops lcl_precond_jacobi = {
    .op = {.apply = apply, .interleave = interleave, .destroy = destroy},
    .numbering = LCL_NUMBERING_ANY,
    .symmetric = true,
    .create = create,
    .update = update,
};
