// SPDX-License-Identifier: BSD-3-Clause
// Projection of vectors along the null space of an operator.
#include "lib/krylov/projection.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <math.h>

// ------------------------------------------------------------------- creating

static enum lcl_status get_kernels(struct lcl_projection *P)
{
    lcl_context *ctx = P->space.ctx;
    const struct lcl_spec spec = {
        .source = "projection.cl",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .defines = {{"VECTORS", P->count}, {"CONSTANT", P->value > 0}},
    };
    const struct lcl_kernel_plan all[] = {{&P->dots, "projection_dots"},
                                          {&P->take, "projection_take"}};
    return lcl_kernels_get(ctx, &spec, all, 2);
}

// val, n rows by columns, in the order of perm; NULL: in its own.
static void permute(double *to, const struct lcl_dense *X, const int32_t *perm)
{
    for (int64_t j = 0; j < X->cols; ++j)
        for (int64_t i = 0; i < X->rows; ++i)
            to[j * X->rows + i] = X->val[j * X->rows + (perm ? perm[i] : i)];
}

static enum lcl_status upload(struct lcl_projection *P, const lcl_operator *A,
                              const struct lcl_dense *X)
{
    lcl_context *ctx = P->space.ctx;
    const int64_t values = X->rows * X->cols;
    int32_t *perm = NULL;
    double *rows = lcl_malloc((size_t)values, sizeof *rows);
    enum lcl_status st =
        rows ? LCL_OK : lcl_fail_memory(lcl_context_log(ctx), "null vectors");
    if (st == LCL_OK && A->numbering->perm)
        st = lcl_numbering_rows(A->numbering, &perm);
    if (st == LCL_OK) {
        permute(rows, X, perm);
        st = lcl_buffer_create_from(&P->basis, ctx, rows, values, sizeof *rows,
                                    "null vectors");
    }
    lcl_free(perm);
    lcl_free(rows);
    return st;
}

// The only vector, whose entries are all the same.
static enum lcl_status upload_constant(struct lcl_projection *P)
{
    const struct lcl_space *V = &P->space;
    double *rows = lcl_malloc((size_t)V->n, sizeof *rows);
    if (!rows)
        return lcl_fail_memory(lcl_context_log(V->ctx), "null vectors");
    for (int64_t i = 0; i < V->n; ++i)
        rows[i] = P->value;
    const enum lcl_status st = lcl_buffer_create_from(
        &P->basis, V->ctx, rows, V->n, sizeof *rows, "null vectors");
    lcl_free(rows);
    return st;
}

enum lcl_status lcl_projection_init(struct lcl_projection *P,
                                    const lcl_operator *A,
                                    const struct lcl_null_vectors *N)
{
    lcl_context *ctx = A->range.ctx;
    const int64_t count = N->count, sums = count * A->range.groups;
    *P = (struct lcl_projection){
        .space = A->range, .count = N->count, .value = N->value};
    const struct lcl_buffer_plan all[] = {
        {&P->sums, sums, sizeof(double), "partial sums"},
        {&P->zeros, count, sizeof(double), "zeros"},
        {&P->wanted, count, sizeof(double), "coefficients of null vectors"},
    };
    enum lcl_status st;
    if (P->count == 0)
        return LCL_OK;
    if ((st = get_kernels(P)) < 0 ||
        (st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_fill(P->zeros, 0)) < 0 ||
        (st = lcl_buffer_fill(P->wanted, 0)) < 0)
        return st;
    if (N->value > 0)
        return P->space.segments ? upload_constant(P) : LCL_OK;
    return upload(P, A, &N->vectors);
}

void lcl_projection_finish(struct lcl_projection *P)
{
    lcl_buffer **const buffers[] = {&P->basis, &P->sums, &P->zeros, &P->wanted};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
}

// ------------------------------------------------------------------- passes

// For kernels that do not touch it.
static const lcl_buffer *basis_of(const struct lcl_projection *P)
{
    return P->basis ? P->basis : P->zeros;
}

// P->sums: the partial sums of N^T z.
static enum lcl_status dots(const struct lcl_projection *P, const lcl_buffer *z,
                            const lcl_buffer *stop, int at)
{
    const struct lcl_space *V = &P->space;
    const enum lcl_status st = LCL_LAUNCH(
        P->dots, V->groups, lcl_arg_long(V->n), lcl_arg_double(P->value),
        lcl_arg_buffer(basis_of(P)), lcl_arg_buffer(z), lcl_arg_buffer(P->sums),
        lcl_arg_buffer(stop), lcl_arg_int(at));
    const struct lcl_dots all = {basis_of(P), z, P->count, V->n};
    return st < 0 ? st
                  : lcl_space_reduce_dots(V, P->sums, 0, &all, 1, V->groups);
}

// z = z - N (N^T z - wanted)
static enum lcl_status project(const struct lcl_projection *P,
                               const lcl_buffer *wanted, lcl_buffer *z,
                               const lcl_buffer *stop, int at)
{
    const struct lcl_space *V = &P->space;
    const enum lcl_status st = dots(P, z, stop, at);
    if (st < 0)
        return st;
    return LCL_LAUNCH(P->take, V->groups, lcl_arg_long(V->n),
                      lcl_arg_double(P->value), lcl_arg_buffer(basis_of(P)),
                      lcl_arg_buffer(P->sums), lcl_arg_buffer(wanted),
                      lcl_arg_buffer(z), lcl_arg_buffer(stop), lcl_arg_int(at));
}

enum lcl_status lcl_projection_apply(const struct lcl_projection *P,
                                     lcl_buffer *z, const lcl_buffer *stop,
                                     int at)
{
    return project(P, P->zeros, z, stop, at);
}

// c = N^T z
static enum lcl_status read_coefficients(const struct lcl_projection *P,
                                         const lcl_buffer *z,
                                         double c[LCL_BLOCK_MAX])
{
    lcl_context *ctx = P->space.ctx;
    const size_t sums = (size_t)P->count * (size_t)P->space.groups;
    double *partial = lcl_malloc(sums, sizeof *partial);
    if (!partial)
        return lcl_fail_memory(lcl_context_log(ctx), "partial sums");
    enum lcl_status st = dots(P, z, lcl_context_no_stop(ctx), 0);
    if (st == LCL_OK)
        st = lcl_buffer_read(P->sums, partial, sums * sizeof *partial);
    if (st == LCL_OK)
        lcl_space_add_up(c, partial, P->count, P->space.groups);
    lcl_free(partial);
    return st;
}

enum lcl_status lcl_projection_norm(const struct lcl_projection *P,
                                    const lcl_buffer *z, double *norm)
{
    double c[LCL_BLOCK_MAX];
    const enum lcl_status st = read_coefficients(P, z, c);
    *norm = 0;
    for (int k = 0; k < P->count && st == LCL_OK; ++k)
        *norm = hypot(*norm, c[k]);
    return st;
}

enum lcl_status lcl_projection_keep(const struct lcl_projection *P,
                                    const lcl_buffer *x)
{
    double c[LCL_BLOCK_MAX];
    const enum lcl_status st = read_coefficients(P, x, c);
    return st < 0
               ? st
               : lcl_buffer_write(P->wanted, c, (size_t)P->count * sizeof *c);
}

enum lcl_status lcl_projection_restore(const struct lcl_projection *P,
                                       lcl_buffer *x)
{
    return project(P, P->wanted, x, lcl_context_no_stop(P->space.ctx), 0);
}

// ------------------------------------------------------------------- operator

static enum lcl_status prepare(lcl_operator *A)
{
    const struct lcl_projected *T = A->state;
    return lcl_operator_prepare(T->inner, LCL_APPLY);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_projected *T = A->state;
    const enum lcl_status st = lcl_apply(T->inner, LCL_APPLY, v);
    (void)mode;
    return st < 0 ? st
                  : lcl_projection_apply(T->projection, v->y, v->stop, v->at);
}

static const struct lcl_operator_ops ops = {
    .prepare = prepare,
    .apply = apply,
};

void lcl_projected_init(struct lcl_projected *T, const lcl_operator *A,
                        const struct lcl_projection *P)
{
    *T = (struct lcl_projected){.projection = P};
    lcl_operator_init(&T->op, &ops, A->range, A->domain);
    T->op.state = T;
    T->op.numbering = A->numbering;
}

void lcl_projected_attach(struct lcl_projected *T, lcl_operator *M)
{
    T->inner = M;
    T->op.launches = M->launches + 2;
}
