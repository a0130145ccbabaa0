// SPDX-License-Identifier: BSD-3-Clause
// Jacobi: M = diag(A), in the caller's numbering; diagonal entries that are
// missing, zero or not finite are replaced by 1 and reported.
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

struct jacobi {
    lcl_kernel *invert, *scale, *scale_dot;
    lcl_buffer *diagonal, *inv_d, *bad;
};

static enum lcl_status get_kernels(struct jacobi *J, lcl_context *ctx)
{
    struct lcl_spec spec = {.source = "vector.cl",
                            .kernel = "invert_diagonal",
                            .group = lcl_vector_group(lcl_context_caps(ctx))};
    const enum lcl_status st = lcl_kernel_get(&J->invert, ctx, &spec);
    if (st < 0)
        return st;
    spec.kernel = "scale";
    return lcl_kernel_get(&J->scale, ctx, &spec);
}

static enum lcl_status make_symmetric(struct lcl_precond *M)
{
    struct jacobi *J = M->method;
    const struct lcl_spec spec = {
        .source = "vector.cl",
        .kernel = "scale_dot",
        .group = lcl_vector_group(lcl_context_caps(M->ctx)),
    };
    M->dot_launches = 1;
    return lcl_kernel_get(&J->scale_dot, M->ctx, &spec);
}

// Uploads entry (r, r) of the diagonal block of each block row.
static enum lcl_status upload_diagonal(struct lcl_precond *M,
                                       const struct lcl_bsr *A)
{
    struct jacobi *J = M->method;
    const struct lcl_csr pattern = lcl_bsr_pattern(A);
    const int64_t n = M->system.n, b = A->block_size;
    int64_t *at = lcl_malloc((size_t)n, sizeof *at);
    if (!at)
        return lcl_fail_memory(lcl_context_log(M->ctx), "the diagonal");
    for (int64_t i = 0; i < n; ++i) {
        const int64_t block = lcl_csr_find(&pattern, i / b, i / b);
        at[i] = block < 0 ? -1 : (block * b + i % b) * b + i % b;
        M->info.missing_diagonals += block < 0;
    }
    const enum lcl_status st = lcl_buffer_create_from(
        &J->diagonal, M->ctx, at, n, sizeof *at, "places of the diagonal");
    lcl_free(at);
    return st;
}

static enum lcl_status create(struct lcl_precond *M, const struct lcl_bsr *A,
                              const struct lcl_precond_params *params)
{
    enum lcl_status st;
    struct jacobi *J = M->method = lcl_calloc(1, sizeof *J);
    (void)params;
    if (!J)
        return lcl_fail_memory(lcl_context_log(M->ctx), "a preconditioner");
    if ((st = lcl_system_init(&M->system, M->ctx, A, NULL, NULL)) < 0 ||
        (st = get_kernels(J, M->ctx)) < 0 || (st = upload_diagonal(M, A)) < 0 ||
        (st = lcl_buffer_create(&J->inv_d, M->ctx, M->system.n, sizeof(double),
                                "inverse diagonal")) < 0 ||
        (st = lcl_buffer_create(&J->bad, M->ctx, M->system.n, 1,
                                "pivot flags")) < 0)
        return st;
    M->info.launches = 1;
    M->info.nnz_kept = M->system.n - M->info.missing_diagonals;
    M->info.factor_bytes = lcl_buffer_bytes(J->inv_d);
    return LCL_OK;
}

static enum lcl_status report_bad(struct lcl_precond *M)
{
    const struct jacobi *J = M->method;
    const size_t n = (size_t)M->system.n;
    unsigned char *bad = lcl_malloc(n, 1);
    if (!bad)
        return lcl_fail_memory(lcl_context_log(M->ctx), "pivot flags");
    const enum lcl_status st = lcl_buffer_read(J->bad, bad, n);
    M->info.pivots_repaired = 0;
    for (size_t i = 0; i < n && st == LCL_OK; ++i)
        if (bad[i] && M->info.pivots_repaired++ < 8)
            M->info.repaired_rows[M->info.pivots_repaired - 1] = (int64_t)i;
    lcl_free(bad);
    return st;
}

static enum lcl_status update(struct lcl_precond *M)
{
    struct jacobi *J = M->method;
    const enum lcl_status st = LCL_LAUNCH(
        J->invert, M->system.matrix.groups, lcl_arg_long(M->system.n),
        lcl_arg_buffer(J->diagonal), lcl_arg_buffer(M->system.matrix.val),
        lcl_arg_buffer(J->inv_d), lcl_arg_buffer(J->bad));
    return st < 0 ? st : report_bad(M);
}

static enum lcl_status apply(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at)
{
    const struct jacobi *J = M->method;
    return LCL_LAUNCH(J->scale, M->system.matrix.groups,
                      lcl_arg_long(M->system.n), lcl_arg_buffer(J->inv_d),
                      lcl_arg_buffer(b), lcl_arg_buffer(x),
                      lcl_arg_buffer(stop), lcl_arg_int(at));
}

static enum lcl_status apply_dot(struct lcl_precond *M, const lcl_buffer *b,
                                 lcl_buffer *x, lcl_buffer *sums,
                                 const lcl_buffer *stop, int at)
{
    const struct jacobi *J = M->method;
    return LCL_LAUNCH(
        J->scale_dot, M->system.matrix.groups, lcl_arg_long(M->system.n),
        lcl_arg_buffer(J->inv_d), lcl_arg_buffer(b), lcl_arg_buffer(x),
        lcl_arg_buffer(sums), lcl_arg_buffer(stop), lcl_arg_int(at));
}

static void destroy(struct lcl_precond *M)
{
    struct jacobi *J = M->method;
    if (!J)
        return;
    lcl_buffer_destroy(&J->diagonal);
    lcl_buffer_destroy(&J->inv_d);
    lcl_buffer_destroy(&J->bad);
    lcl_free(J);
}

const struct lcl_precond_ops lcl_precond_jacobi = {
    .create = create,
    .update = update,
    .apply = apply,
    .destroy = destroy,
    .make_symmetric = make_symmetric,
    .apply_dot = apply_dot,
};
