// SPDX-License-Identifier: BSD-3-Clause
// Block-Jacobi for Kronecker systems: the inverses of the dense blocks A (x)
// M_ii + tau B (x) L_ii, cl/dense/kron_blocks.cl. Singular blocks become the
// identity.
#include "lib/precond/kron_precond.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/bgje.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/operator/kron_pairs.h"

#include <string.h>

enum { MAX_GROUPS = 1 << 20 };

struct kron_blocks {
    enum lcl_pivot pivot;
    int64_t n;                // number of blocks
    int64_t by_row, by_stage; // strides of the vectors
    lcl_kernel *form, *apply;
    int64_t groups, apply_groups;
    struct lcl_bgje batch;
    lcl_buffer *pairs; // interleaved entries of M_ii and L_ii
    lcl_buffer *coef;
    lcl_buffer *inverse; // of the blocks, transposed
    lcl_buffer *singular;
};

// ------------------------------------------------------------------- gathering

static int64_t find_diagonal(const struct lcl_bsr *A, int64_t i)
{
    const struct lcl_csr pattern = lcl_bsr_pattern(A);
    return lcl_csr_find(&pattern, i, i);
}

static void gather_rows(void *arg, int64_t first, int64_t count, void *to)
{
    const struct lcl_kron *const *K = arg;
    const struct lcl_bsr *M = (*K)->M, *L = (*K)->L;
    double *pair = to;
    for (int64_t i = first; i < first + count; ++i) {
        lcl_pairs_put(pair, M, find_diagonal(M, i));
        lcl_pairs_put(pair + 1, L, find_diagonal(L, i));
        pair += 2 * lcl_block_values(M);
    }
}

static enum lcl_status take(struct lcl_precond *M, const struct lcl_kron *K)
{
    const struct kron_blocks *J = M->method;
    lcl_phase_enter(M->ctx, LCL_PHASE_UPLOAD);
    enum lcl_status st =
        lcl_buffer_fill_by(J->pairs, lcl_pairs_size(K->M), gather_rows, &K);
    if (st == LCL_OK)
        st = lcl_kron_write_coefficients(J->coef, K);
    lcl_phase_leave(M->ctx);
    return st;
}

// ------------------------------------------------------------------- creation

static enum lcl_status check(const struct lcl_kron *K,
                             const struct lcl_precond_params *params,
                             const struct lcl_log *log)
{
    const int s = K->stages, b = K->M->block_size;
    if (s * b > LCL_DIAGONAL_BLOCK_MAX)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "block-jacobi with %d stages and blocks of %d rows: "
                        "diagonal blocks have at most %d rows",
                        s, b, LCL_DIAGONAL_BLOCK_MAX);
    if (params->storage > LCL_FACTOR_STORAGE_FP32)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "block-jacobi of a system in Kronecker form with "
                        "factor storage %s",
                        lcl_factor_storage_name(params->storage));
    return LCL_OK;
}

static void describe(struct lcl_precond_info *info, const struct lcl_kron *K,
                     const struct lcl_precond_params *params)
{
    const bool single = params->storage == LCL_FACTOR_STORAGE_FP32;
    const int m = K->stages * K->M->block_size;
    for (int64_t i = 0; i < K->M->rows; ++i) {
        const bool in_m = find_diagonal(K->M, i) >= 0;
        const bool in_l = find_diagonal(K->L, i) >= 0;
        info->nnz_kept += (in_m + in_l) * lcl_block_values(K->M);
        info->missing_diagonals += in_m || in_l ? 0 : m;
    }
    info->diagonal_blocks = K->M->rows;
    info->diagonal_blocks_fp32 = single ? K->M->rows : 0;
    info->diagonal_block_rows_max = m;
    info->storage = single ? LCL_FACTOR_STORAGE_FP32 : LCL_FACTOR_STORAGE_FP64;
    info->launches = 1;
}

static enum lcl_status get_kernels(struct kron_blocks *J, lcl_context *ctx,
                                   const struct lcl_kron *K,
                                   enum lcl_factor_storage storage)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_spec spec = {
        .source = "kron_blocks.cl",
        .kernel = "form_blocks",
        .block = K->M->block_size,
        .storage = storage,
        .defines = {{"STAGES", K->stages}},
        .group = lcl_vector_group(caps),
    };
    const int64_t all = (lcl_kron_rows(K) + spec.group - 1) / spec.group;
    J->groups = J->apply_groups = lcl_vector_groups(caps);
    if (caps->width > 1)
        J->apply_groups = all < MAX_GROUPS ? all : MAX_GROUPS;
    const enum lcl_status st = lcl_kernel_get(&J->form, ctx, &spec);
    spec.kernel = "apply_blocks";
    return st < 0 ? st : lcl_kernel_get(&J->apply, ctx, &spec);
}

static enum lcl_status prepare_inversion(struct kron_blocks *J,
                                         lcl_context *ctx, int m, bool single)
{
    const struct lcl_batch_params params = {
        .precision =
            single ? LCL_BATCH_PRECISION_FP32 : LCL_BATCH_PRECISION_FP64};
    int64_t *ptr = lcl_malloc((size_t)J->n + 1, sizeof *ptr);
    if (!ptr)
        return lcl_fail_memory(lcl_context_log(ctx), "diagonal blocks");
    for (int64_t i = 0; i <= J->n; ++i)
        ptr[i] = i * m;
    const enum lcl_status st =
        lcl_bgje_init(&J->batch, ctx, ptr, J->n, &params, false);
    lcl_free(ptr);
    return st;
}

static enum lcl_status make_buffers(struct kron_blocks *J, lcl_context *ctx,
                                    const struct lcl_kron *K, size_t value)
{
    const int s = K->stages, b = K->M->block_size;
    const struct lcl_buffer_plan all[] = {
        {&J->pairs, J->n * (2 * b * b), sizeof(double), "diagonal blocks"},
        {&J->coef, 2 * s * s, sizeof(double), "coefficients"},
        {&J->inverse, J->n * (s * b * s * b), value,
         "inverses of diagonal blocks"},
        {&J->singular, J->n, sizeof(int32_t), "flags of diagonal blocks"},
    };
    return lcl_buffers_create(ctx, all, sizeof all / sizeof *all);
}

static enum lcl_status create(struct lcl_precond *M, const struct lcl_kron *K,
                              const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(M->ctx);
    const bool together = lcl_kron_ops_of(M->info.kron)->stages_innermost;
    const int s = K->stages, b = K->M->block_size;
    enum lcl_status st = check(K, params, log);
    if (st < 0)
        return st;
    struct kron_blocks *J = M->method = lcl_calloc(1, sizeof *J);
    if (!J)
        return lcl_fail_memory(log, "a preconditioner");
    J->pivot = params->pivot;
    J->n = K->M->rows;
    J->by_row = together ? s : 1;
    J->by_stage = together ? 1 : J->n * b;
    describe(&M->info, K, params);
    const bool single = M->info.storage == LCL_FACTOR_STORAGE_FP32;
    if ((st = get_kernels(J, M->ctx, K, M->info.storage)) < 0 ||
        (st = prepare_inversion(J, M->ctx, s * b, single)) < 0 ||
        (st = make_buffers(J, M->ctx, K,
                           single ? sizeof(float) : sizeof(double))) < 0)
        return st;
    M->info.factor_bytes = lcl_buffer_bytes(J->inverse);
    return LCL_OK;
}

// ------------------------------------------------------------------- values

// Counts the singular blocks and names each by its first row in the first
// stage.
static enum lcl_status count_singular(struct lcl_precond *M)
{
    const struct kron_blocks *J = M->method;
    struct lcl_precond_info *info = &M->info;
    const size_t bytes = (size_t)J->n * sizeof(int32_t);
    int32_t *singular = lcl_malloc(bytes, 1);
    if (!singular)
        return lcl_fail_memory(lcl_context_log(M->ctx), "block flags");
    const enum lcl_status st = lcl_buffer_read(J->singular, singular, bytes);
    info->pivots_repaired = 0;
    memset(info->repaired_rows, 0, sizeof info->repaired_rows);
    for (int64_t i = 0; st == LCL_OK && i < J->n; ++i)
        if (singular[i] && info->pivots_repaired++ < 8)
            info->repaired_rows[info->pivots_repaired - 1] =
                i * info->block_size;
    lcl_free(singular);
    return st;
}

static enum lcl_status update(struct lcl_precond *M)
{
    const struct kron_blocks *J = M->method;
    enum lcl_status st = LCL_LAUNCH(
        J->form, J->groups, lcl_arg_long(J->n), lcl_arg_buffer(J->pairs),
        lcl_arg_buffer(J->coef), lcl_arg_buffer(J->inverse));
    if (st < 0 ||
        (st = lcl_bgje_run(&J->batch, J->inverse, J->inverse, J->singular, NULL,
                           true)) < 0 ||
        (st = count_singular(M)) < 0)
        return st;
    return M->info.pivots_repaired > 0 && J->pivot == LCL_PIVOT_FAIL
               ? LCL_EPIVOT
               : LCL_OK;
}

static enum lcl_status apply(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at)
{
    const struct kron_blocks *J = M->method;
    return LCL_LAUNCH(J->apply, J->apply_groups, lcl_arg_long(J->n),
                      lcl_arg_buffer(J->inverse), lcl_arg_long(J->by_row),
                      lcl_arg_long(J->by_stage), lcl_arg_buffer(b),
                      lcl_arg_buffer(x), lcl_arg_buffer(stop), lcl_arg_int(at));
}

static void destroy(struct lcl_precond *M)
{
    struct kron_blocks *J = M->method;
    if (!J)
        return;
    lcl_bgje_finish(&J->batch);
    lcl_buffer_destroy(&J->pairs);
    lcl_buffer_destroy(&J->coef);
    lcl_buffer_destroy(&J->inverse);
    lcl_buffer_destroy(&J->singular);
    lcl_free(J);
}

static const struct lcl_precond_ops ops = {
    .update = update,
    .apply = apply,
    .destroy = destroy,
};

const struct lcl_kron_method lcl_kron_block_jacobi = {
    .ops = &ops,
    .create = create,
    .take = take,
};
