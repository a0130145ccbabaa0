// SPDX-License-Identifier: BSD-3-Clause
// Applications of operators: modes, and vectors of the caller.
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/modes.h"
#include "lib/operator/operator.h"

#include "cl/storage/properties.cl.h"

void lcl_operator_init(lcl_operator *A, const struct lcl_operator_ops *ops,
                       struct lcl_space range, struct lcl_space domain)
{
    *A = (lcl_operator){
        .ops = ops,
        .modes = LCL_MODE_BIT(LCL_APPLY),
        .range = range,
        .domain = domain,
        .launches = 1,
    };
}

void lcl_operator_finish(lcl_operator *A)
{
    lcl_operator_destroy(&A->transposed.op);
    lcl_buffer_destroy(&A->transposed.map[0]);
    lcl_buffer_destroy(&A->transposed.map[1]);
    if (A->ops && A->ops->destroy)
        A->ops->destroy(A);
    if (A->comm)
        A->end_comm(&A->comm);
    lcl_numbering_finish(&A->own);
    lcl_buffer_destroy(&A->x);
    lcl_buffer_destroy(&A->y);
    lcl_dense_finish(&A->near_null);
    lcl_dense_finish(&A->null.vectors);
    lcl_dense_finish(&A->left_null.vectors);
}

// ------------------------------------------------------------------- modes

enum lcl_status lcl_operator_prepare(lcl_operator *A, enum lcl_mode mode)
{
    const enum lcl_status st = A->ops->prepare ? A->ops->prepare(A) : LCL_OK;
    return st < 0 || lcl_operator_has(A, mode)
               ? st
               : lcl_modes_kernel(&A->complete, A->range.ctx);
}

enum lcl_status lcl_apply(lcl_operator *A, enum lcl_mode mode,
                          const struct lcl_operands *v)
{
    enum lcl_status st;
    if (lcl_operator_has(A, mode))
        return A->ops->apply(A, mode, v);
    if ((!A->complete &&
         (st = lcl_modes_kernel(&A->complete, A->range.ctx)) < 0) ||
        (st = A->ops->apply(A, LCL_APPLY, v)) < 0)
        return st;
    return lcl_modes_complete(A->complete, &A->range, mode, v);
}

int lcl_operator_launches(const lcl_operator *A, enum lcl_mode mode)
{
    return A->launches + !lcl_operator_has(A, mode);
}

// ---------------------------------------------------------------- interleaved

static const struct lcl_operator_ops no_ops;

// The space of vectors with `columns` columns of V and the same number of
// partial sums.
static struct lcl_space space_of_columns(const struct lcl_space *V, int columns)
{
    struct lcl_space W = *V;
    W.n *= columns;
    W.total *= columns;
    return W;
}

enum lcl_status lcl_operator_interleave(lcl_operator *out, lcl_operator *A,
                                        int columns)
{
    lcl_operator_init(out, &no_ops, space_of_columns(&A->range, columns),
                      space_of_columns(&A->domain, columns));
    return A->ops->interleave && !A->range.comm
               ? A->ops->interleave(out, A, columns)
               : LCL_EUNSUPPORTED;
}

// ------------------------------------------------------------------- identity

static enum lcl_status interleave_identity(lcl_operator *out, lcl_operator *A,
                                           int columns)
{
    (void)A, (void)columns;
    out->identity = true;
    out->launches = 0;
    return LCL_OK;
}

// Copies even if the solve has stopped: harmless, since only kernels that check
// the stopping flag read y.
static enum lcl_status copy(lcl_operator *A, enum lcl_mode mode,
                            const struct lcl_operands *v)
{
    (void)A, (void)mode;
    return lcl_buffer_copy(v->y, v->x);
}

static const struct lcl_operator_ops identity = {
    .apply = copy,
    .interleave = interleave_identity,
};

void lcl_identity_init(lcl_operator *A, struct lcl_space V,
                       const struct lcl_numbering *numbering)
{
    lcl_operator_init(A, &identity, V, V);
    A->numbering = numbering;
    A->launches = 0;
    A->identity = true;
}

// ------------------------------------------------------------------- vectors

static enum lcl_status make_vectors(lcl_operator *A)
{
    enum lcl_status st = LCL_OK;
    if (!A->x)
        st = lcl_space_vector(&A->x, &A->domain);
    return st < 0 || A->y ? st : lcl_space_vector(&A->y, &A->range);
}

static enum lcl_status apply_plain(lcl_operator *A, const lcl_buffer *x,
                                   lcl_buffer *y)
{
    const struct lcl_operands v = {
        .x = x, .y = y, .stop = lcl_context_no_stop(A->range.ctx)};
    return lcl_apply(A, LCL_APPLY, &v);
}

// Only square operators have a numbering.
static bool is_renumbered(const lcl_operator *A)
{
    return A->numbering && A->numbering->perm;
}

typedef enum lcl_status apply_fn(lcl_operator *A, const lcl_buffer *x,
                                 lcl_buffer *y);

// Applies A to vectors in host memory, which a CPU reads and writes in place.
static enum lcl_status apply_in_place(apply_fn *apply, lcl_operator *A,
                                      const double *x, double *y)
{
    const size_t bytes = (size_t)A->range.n * sizeof *x;
    lcl_context *ctx = A->range.ctx;
    lcl_buffer *from = NULL, *to = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_view(&from, ctx, x, bytes, false, "x")) == LCL_OK &&
        (st = lcl_buffer_view(&to, ctx, y, bytes, true, "y")) == LCL_OK &&
        (st = apply(A, from, to)) == LCL_OK)
        st = lcl_buffer_show(to);
    lcl_buffer_destroy(&to);
    lcl_buffer_destroy(&from);
    return st;
}

static enum lcl_status apply_few(lcl_operator *A, const double *x, double *y)
{
    const int32_t *rows = A->numbering->rows;
    const struct lcl_numbering_pair room = lcl_numbering_room(A->numbering);
    for (int64_t i = 0; i < A->range.n; ++i)
        room.x[i] = x[rows[i]];
    const enum lcl_status st = apply_in_place(apply_plain, A, room.x, room.y);
    for (int64_t i = 0; i < A->range.n && st == LCL_OK; ++i)
        y[rows[i]] = room.y[i];
    return st;
}

// On a CPU, changes the numbering while reading from and writing to host
// memory.
static enum lcl_status apply_renumbered(lcl_operator *A, const double *x,
                                        double *y)
{
    return A->numbering->rows ? apply_few(A, x, y)
                              : apply_in_place(lcl_apply_buffers, A, x, y);
}

enum lcl_status lcl_apply_host(lcl_operator *A, const double *x, double *y)
{
    const size_t cols = (size_t)A->domain.n, rows = (size_t)A->range.n;
    const bool renumbered = is_renumbered(A);
    enum lcl_status st;
    if (A->ops->apply_host)
        return A->ops->apply_host(A, x, y);
    if (renumbered && A->range.n > 0 && lcl_context_is_cpu(A->range.ctx))
        return apply_renumbered(A, x, y);
    if ((st = make_vectors(A)) < 0)
        return st;
    st = renumbered ? lcl_numbering_write(A->numbering, x, A->x)
                    : lcl_buffer_write(A->x, x, cols * sizeof *x);
    if (st < 0 || (st = apply_plain(A, A->x, A->y)) < 0)
        return st;
    return renumbered ? lcl_numbering_read(A->numbering, A->y, y)
                      : lcl_buffer_read(A->y, y, rows * sizeof *y);
}

enum lcl_status lcl_apply_buffers(lcl_operator *A, const lcl_buffer *x,
                                  lcl_buffer *y)
{
    enum lcl_status st;
    if (!is_renumbered(A))
        return apply_plain(A, x, y);
    if ((st = make_vectors(A)) < 0 ||
        (st = lcl_numbering_gather(A->numbering, x, A->x)) < 0 ||
        (st = apply_plain(A, A->x, A->y)) < 0)
        return st;
    return lcl_numbering_scatter(A->numbering, A->y, y);
}

// ------------------------------------------------------------------- look

// Columns of lone rows; a rank does not know those of others.
static bool may_set_aside(const lcl_operator *A)
{
    return !A->range.comm && !A->ops->add_asymmetry &&
           A->range.n == A->domain.n && A->matrix->block == 1;
}

static enum lcl_status look_at_matrix(lcl_operator *A)
{
    double sum[PROPERTIES_SUMS];
    enum lcl_status st = lcl_properties_sums(sum, A->range.ctx, A->matrix);
    if (st < 0)
        return lcl_space_end(&A->range, st);
    if (A->ops->add_asymmetry)
        A->ops->add_asymmetry(A, sum + PROPERTIES_ASYMMETRY);
    st = lcl_space_sum(&A->range, sum, PROPERTIES_SUMS);
    lcl_properties_from_sums(&A->look, sum);
    return st == LCL_OK && may_set_aside(A)
               ? lcl_properties_aside(&A->look, A->range.ctx, A->matrix)
               : st;
}

enum lcl_status lcl_operator_look(lcl_operator *A)
{
    const struct lcl_properties *look = &A->look;
    enum lcl_status st;
    if (A->looked)
        return LCL_OK;
    if ((st = A->ops->look ? A->ops->look(A) : look_at_matrix(A)) < 0)
        return st;
    A->looked = true;
    lcl_info(
        lcl_context_log(A->range.ctx),
        "the matrix is%s symmetric%s, %lld diagonal entries > 0, %lld < 0, "
        "%lld rows not dominated, %lld far from it, couplings of opposite "
        "sign %.3f",
        look->symmetric ? "" : " not",
        look->aside ? " without prescribed unknowns" : "",
        (long long)look->positive, (long long)look->negative,
        (long long)look->close, (long long)look->loose, look->opposite);
    return LCL_OK;
}

enum lcl_status lcl_operator_require_symmetric(lcl_operator *A, const char *who)
{
    enum lcl_status st;
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    if (A->info.kron)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s needs a symmetric matrix, and levelcl cannot test "
                        "a Kronecker system for symmetry; use bicgstab, idr "
                        "or gmres",
                        who);
    if (!A->matrix)
        return LCL_OK;
    if ((st = lcl_operator_look(A)) < 0 || A->look.symmetric)
        return st;
    return lcl_fail(log, LCL_EUNSUPPORTED,
                    "%s needs a symmetric matrix, but the asymmetry of this "
                    "one is %.1e, expected at most %.1e",
                    who, A->look.asymmetry, LCL_SYMMETRY_TOLERANCE);
}
