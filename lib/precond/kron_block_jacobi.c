// SPDX-License-Identifier: BSD-3-Clause
// Block-Jacobi for Kronecker systems: the inverses of the dense blocks A (x)
// M_ii + tau B (x) L_ii, cl/dense/kron_blocks.cl. Singular blocks become the
// identity.
#include "lib/precond/kron_values.h"
#include "lib/precond/precond.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/bgje.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

#include <string.h>

enum { MAX_GROUPS = 1 << 20 };

struct kron_blocks {
    enum lcl_pivot pivot;
    int64_t n;                // number of blocks
    int64_t by_row, by_stage; // strides of the vectors
    lcl_kernel *form, *apply;
    int64_t groups, apply_groups;
    struct lcl_bgje batch;
    struct lcl_kron_values values; // of M_ii and L_ii
    lcl_buffer *pairs;             // interleaved entries of these
    lcl_buffer *inverse;           // of the blocks, transposed
    lcl_buffer *singular;
};

// ------------------------------------------------------------------- diagonal

// of[i] = the diagonal block of block row i of a term.
static enum lcl_status find_diagonal(uint32_t *of, lcl_context *ctx,
                                     const struct lcl_device_matrix *D)
{
    struct lcl_bsr A;
    const enum lcl_status st =
        lcl_device_matrix_read(&A, D, false, lcl_context_log(ctx));
    const struct lcl_csr pattern = lcl_bsr_pattern(&A);
    for (int64_t i = 0; i < A.rows && st == LCL_OK; ++i) {
        const int64_t k = lcl_csr_find(&pattern, i, i);
        of[i] = k < 0 ? LCL_NO_BLOCK : (uint32_t)k;
    }
    lcl_bsr_finish(&A);
    return st;
}

// If M and L are paired, missing blocks are stored as zeros and count as
// present.
static void describe_diagonal(struct lcl_precond_info *info,
                              const struct lcl_kron_operator *K,
                              const uint32_t *of_m, const uint32_t *of_l)
{
    for (int64_t i = 0; i < K->term[0].block_rows; ++i) {
        const bool in_m = of_m[i] != LCL_NO_BLOCK;
        const bool in_l = of_l[i] != LCL_NO_BLOCK;
        info->nnz_kept += (in_m + in_l) * K->block * K->block;
        info->missing_diagonals += in_m || in_l ? 0 : K->stages * K->block;
    }
}

static enum lcl_status prepare_values(lcl_precond *M,
                                      const struct lcl_kron_operator *K)
{
    struct kron_blocks *J = M->op.state;
    lcl_context *ctx = M->op.range.ctx;
    uint32_t *of_m = lcl_malloc((size_t)J->n, sizeof *of_m);
    uint32_t *of_l = lcl_malloc((size_t)J->n, sizeof *of_l);
    enum lcl_status st;
    if (!of_m || !of_l)
        st = lcl_fail_memory(lcl_context_log(ctx), "the diagonal blocks");
    else if ((st = find_diagonal(of_m, ctx, &K->term[0])) == LCL_OK &&
             (st = find_diagonal(of_l, ctx, &K->term[K->paired ? 0 : 1])) ==
                 LCL_OK) {
        describe_diagonal(&M->info, K, of_m, of_l);
        st = lcl_kron_values_init(&J->values, ctx, K, J->n, of_m, of_l);
    }
    lcl_free(of_m);
    lcl_free(of_l);
    return st;
}

// ------------------------------------------------------------------- creation

static enum lcl_status check(const struct lcl_kron_operator *K,
                             const struct lcl_precond_params *params,
                             const struct lcl_log *log)
{
    if (K->stages * K->block > LCL_DIAGONAL_BLOCK_MAX)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "block-jacobi: %d stages and blocks of %d rows give "
                        "diagonal blocks of %d rows, expected at most %d",
                        K->stages, K->block, K->stages * K->block,
                        LCL_DIAGONAL_BLOCK_MAX);
    if (params->storage > LCL_FACTOR_STORAGE_FP32)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "block-jacobi of a Kronecker system does not support "
                        "factor storage %s; use fp64 or fp32",
                        lcl_factor_storage_name(params->storage));
    return LCL_OK;
}

static void describe(struct lcl_precond_info *info,
                     const struct lcl_kron_operator *K,
                     const struct lcl_precond_params *params)
{
    const bool single = params->storage == LCL_FACTOR_STORAGE_FP32;
    info->blocks.count = K->term[0].block_rows;
    info->blocks.fp32 = single ? info->blocks.count : 0;
    info->blocks.rows_max = K->stages * K->block;
    info->storage = single ? LCL_FACTOR_STORAGE_FP32 : LCL_FACTOR_STORAGE_FP64;
    info->launches = 1;
}

static enum lcl_status get_kernels(lcl_precond *M,
                                   const struct lcl_kron_operator *K)
{
    struct kron_blocks *J = M->op.state;
    const struct lcl_caps *caps = lcl_context_caps(M->op.range.ctx);
    const struct lcl_kernel_plan kernels[] = {{&J->form, "form_blocks"},
                                              {&J->apply, "apply_blocks"}};
    const struct lcl_spec spec = {
        .source = "kron_blocks.cl",
        .block = K->block,
        .storage = M->info.storage,
        .defines = {{"STAGES", K->stages}},
        .group = lcl_vector_group(caps),
    };
    const int64_t all = (M->op.range.n + spec.group - 1) / spec.group;
    J->groups = J->apply_groups = lcl_vector_groups(caps);
    if (caps->width > 1)
        J->apply_groups = all < MAX_GROUPS ? all : MAX_GROUPS;
    return lcl_kernels_get(M->op.range.ctx, &spec, kernels, 2);
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
                                    const struct lcl_kron_operator *K,
                                    bool single)
{
    const int b = K->block, m = K->stages * b;
    const struct lcl_buffer_plan all[] = {
        {&J->pairs, J->n * (2 * b * b), sizeof(double), "diagonal blocks"},
        {&J->inverse, J->n * (m * m), single ? sizeof(float) : sizeof(double),
         "inverses of diagonal blocks"},
        {&J->singular, J->n, sizeof(int32_t), "flags of diagonal blocks"},
    };
    return lcl_buffers_create(ctx, all, sizeof all / sizeof *all);
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    const struct lcl_kron_operator *K = lcl_kron_of(M->A);
    lcl_context *ctx = M->op.range.ctx;
    enum lcl_status st = check(K, params, lcl_context_log(ctx));
    if (st < 0)
        return st;
    struct kron_blocks *J = M->op.state = lcl_calloc(1, sizeof *J);
    if (!J)
        return lcl_fail_memory(lcl_context_log(ctx), "a preconditioner");
    const bool together = K->ops->stages_innermost;
    J->pivot = params->pivot;
    J->n = K->term[0].block_rows;
    J->by_row = together ? K->stages : 1;
    J->by_stage = together ? 1 : J->n * K->block;
    describe(&M->info, K, params);
    const bool single = M->info.storage == LCL_FACTOR_STORAGE_FP32;
    if ((st = get_kernels(M, K)) < 0 ||
        (st = prepare_inversion(J, ctx, K->stages * K->block, single)) < 0 ||
        (st = make_buffers(J, ctx, K, single)) < 0 ||
        (st = prepare_values(M, K)) < 0)
        return st;
    M->info.bytes = lcl_buffer_bytes(J->inverse);
    return LCL_OK;
}

// ------------------------------------------------------------------- values

// Counts the singular blocks and records each by its first row in the first
// stage.
static enum lcl_status count_singular(lcl_precond *M)
{
    const struct kron_blocks *J = M->op.state;
    struct lcl_precond_info *info = &M->info;
    const size_t bytes = (size_t)J->n * sizeof(int32_t);
    int32_t *singular = lcl_malloc(bytes, 1);
    if (!singular)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx), "block flags");
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

static enum lcl_status update(lcl_precond *M)
{
    const struct kron_blocks *J = M->op.state;
    enum lcl_status st = lcl_kron_pair_values(&J->values, J->pairs);
    if (st < 0 ||
        (st = LCL_LAUNCH(J->form, J->groups, lcl_arg_long(J->n),
                         lcl_arg_buffer(J->pairs),
                         lcl_arg_buffer(J->values.K->coef),
                         lcl_arg_buffer(J->inverse))) < 0 ||
        (st = lcl_bgje_run(&J->batch, J->inverse, J->inverse, J->singular, NULL,
                           true)) < 0 ||
        (st = count_singular(M)) < 0)
        return st;
    return M->info.pivots_repaired > 0 && J->pivot == LCL_PIVOT_FAIL
               ? LCL_EPIVOT
               : LCL_OK;
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct kron_blocks *J = A->state;
    (void)mode;
    return LCL_LAUNCH(J->apply, J->apply_groups, lcl_arg_long(J->n),
                      lcl_arg_buffer(J->inverse), lcl_arg_long(J->by_row),
                      lcl_arg_long(J->by_stage), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

static void destroy(lcl_operator *A)
{
    struct kron_blocks *J = A->state;
    if (!J)
        return;
    lcl_bgje_finish(&J->batch);
    lcl_kron_values_finish(&J->values);
    lcl_buffer_destroy(&J->pairs);
    lcl_buffer_destroy(&J->inverse);
    lcl_buffer_destroy(&J->singular);
    lcl_free(J);
}

const struct lcl_precond_ops lcl_precond_kron_block_jacobi = {
    .op = {.apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_ANY,
    .create = create,
    .update = update,
};
