// SPDX-License-Identifier: BSD-3-Clause
// Jacobi: M = diag(A), in the numbering of A; diagonal entries that are
// missing, zero or not finite are replaced by 1 and reported.
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <string.h>

struct jacobi {
    lcl_kernel *invert, *scale, *scale_dot;
    lcl_buffer *places; // of the diagonal among the values, int64
    lcl_buffer *inv_d, *bad;
};

static enum lcl_status get_kernels(struct jacobi *J, lcl_context *ctx)
{
    const struct lcl_kernel_plan all[] = {
        {&J->invert, "invert_diagonal"},
        {&J->scale, "scale"},
        {&J->scale_dot, "scale_dot"},
    };
    const struct lcl_spec spec = {
        .source = "vector.cl",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

static enum lcl_status find_diagonal(const lcl_precond *M)
{
    const struct jacobi *J = M->op.state;
    const struct lcl_device_matrix *A = M->matrix->matrix;
    lcl_context *ctx = M->op.range.ctx;
    const struct lcl_spec spec = {
        .source = "diagonal.cl",
        .kernel = "diagonal_places",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = A->block > 1 ? A->block : 0,
        .wide = A->wide,
    };
    lcl_kernel *find;
    const enum lcl_status st = lcl_kernel_get(&find, ctx, &spec);
    return st < 0
               ? st
               : LCL_LAUNCH(find, A->groups, lcl_arg_long(A->block_rows),
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
    if ((st = get_kernels(J, ctx)) < 0 ||
        (st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = find_diagonal(M)) < 0 || (st = count_missing(M)) < 0)
        return st;
    M->op.modes |= LCL_MODE_BIT(LCL_APPLY_DOT);
    M->info.launches = 1;
    M->info.nnz_kept = n - M->info.missing_diagonals;
    M->info.factor_bytes = lcl_buffer_bytes(J->inv_d);
    return LCL_OK;
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

static enum lcl_status update(lcl_precond *M)
{
    const struct jacobi *J = M->op.state;
    const enum lcl_status st = LCL_LAUNCH(
        J->invert, M->op.range.groups, lcl_arg_long(M->op.range.n),
        lcl_arg_buffer(J->places), lcl_arg_buffer(M->matrix->matrix->val),
        lcl_arg_buffer(J->inv_d), lcl_arg_buffer(J->bad));
    return st < 0 ? st : report_bad(M);
}

// The kernel computes the dot product with x only: w = x.
static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct jacobi *J = A->state;
    if (mode == LCL_APPLY)
        return LCL_LAUNCH(J->scale, A->range.groups, lcl_arg_long(A->range.n),
                          lcl_arg_buffer(J->inv_d), lcl_arg_buffer(v->x),
                          lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                          lcl_arg_int(v->at));
    return LCL_LAUNCH(J->scale_dot, A->range.groups, lcl_arg_long(A->range.n),
                      lcl_arg_buffer(J->inv_d), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static void destroy(lcl_operator *A)
{
    struct jacobi *J = A->state;
    if (!J)
        return;
    lcl_buffer_destroy(&J->places);
    lcl_buffer_destroy(&J->inv_d);
    lcl_buffer_destroy(&J->bad);
    lcl_free(J);
}

const struct lcl_precond_ops lcl_precond_jacobi = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_ANY,
    .create = create,
    .update = update,
};
