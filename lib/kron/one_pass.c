// SPDX-License-Identifier: BSD-3-Clause
// The Kronecker operator in one pass over both matrices: cl/one_pass.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/format/bsr.h"
#include "lib/kron/kron.h"
#include "lib/kron/pairs.h"
#include "lib/spmv/product_sums.h"

// Matrix t in passes of its own, or both in one.
struct one_pass {
    bool paired;
    int terms; // passes
    lcl_kernel *kernel[2], *sums;
    struct lcl_device_matrix term[2];
    int64_t *row_ptr;    // of the union, on the host; NULL where not paired
    lcl_buffer *coef[2]; // of each pass
    int64_t groups;
};

enum { WAVES = 8 }; // of a group, whose block rows share columns

// The union stores zeros for what one of the two lacks.
static bool is_worth_pairing(const struct lcl_kron *K)
{
    return 20 * lcl_pairs_count(K->M, K->L) <= 11 * (K->M->nnz + K->L->nnz);
}

// ------------------------------------------------------------------- creation

static enum lcl_status get_kernel(struct one_pass *P, lcl_context *ctx,
                                  const struct lcl_kron *K)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int width = caps->width, b = K->M->block_size;
    struct lcl_spec spec = {
        .source = "one_pass.cl",
        .kernel = "one_pass",
        .block = b,
        .vectors = K->stages,
        .group = lcl_wave_group(caps, WAVES),
        .mode = P->paired ? 0 : 1,
    };
    enum lcl_status st = LCL_OK;
    if (width > 1 && b > width)
        return lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                        "blocks of %d rows: a wave of this device has %d lanes",
                        b, width);
    for (int t = 0; t < P->terms && st == LCL_OK; ++t) {
        spec.wide = P->term[t].wide;
        st = lcl_kernel_get(&P->kernel[t], ctx, &spec);
    }
    const int64_t rows = width > 1 ? spec.group / width : 1;
    P->groups = (K->M->rows + rows - 1) / rows;
    if (width == 1 || P->groups > INT32_MAX)
        P->groups = lcl_vector_groups(caps);
    return st < 0 ? st : lcl_product_sums_kernel(&P->sums, ctx);
}

static enum lcl_status upload_union(struct one_pass *P, lcl_context *ctx,
                                    const struct lcl_kron *K)
{
    struct lcl_bsr both;
    enum lcl_status st =
        lcl_pairs_pattern(&both, K->M, K->L, lcl_context_log(ctx));
    if (st < 0)
        return st;
    if ((st = lcl_device_pattern_init(&P->term[0], ctx, &both)) == LCL_OK)
        st = lcl_buffer_create(&P->term[0].val, ctx,
                               2 * both.nnz * lcl_block_values(&both),
                               sizeof(double), "values");
    P->row_ptr = both.row_ptr;
    both.row_ptr = NULL;
    lcl_bsr_finish(&both);
    return st;
}

static uint64_t bytes_of(const struct lcl_device_matrix *D)
{
    return lcl_buffer_bytes(D->row_ptr) + lcl_buffer_bytes(D->col) +
           lcl_buffer_bytes(D->val);
}

static enum lcl_status create(struct lcl_spmv *S, const struct lcl_kron *K)
{
    struct one_pass *P = S->state = lcl_calloc(1, sizeof *P);
    const int64_t coefficients = 2 * (int64_t)K->stages * K->stages;
    enum lcl_status st;
    if (!P)
        return lcl_fail_memory(lcl_context_log(S->ctx), "a product");
    P->paired = is_worth_pairing(K);
    P->terms = P->paired ? 1 : 2;
    if (P->paired)
        st = upload_union(P, S->ctx, K);
    else if ((st = lcl_device_matrix_init(&P->term[0], S->ctx, K->M)) == LCL_OK)
        st = lcl_device_matrix_init(&P->term[1], S->ctx, K->L);
    for (int t = 0; t < P->terms && st == LCL_OK; ++t) {
        st = lcl_buffer_create(&P->coef[t], S->ctx, coefficients,
                               sizeof(double), "coefficients");
        S->traffic += bytes_of(&P->term[t]);
    }
    S->bytes = S->traffic;
    return st < 0 ? st : get_kernel(P, S->ctx, K);
}

// ------------------------------------------------------------------- values

static enum lcl_status write_pairs(const struct one_pass *P, lcl_context *ctx,
                                   const struct lcl_kron *K)
{
    const size_t bytes = lcl_buffer_bytes(P->term[0].val);
    double *val = lcl_malloc(bytes, 1);
    if (!val)
        return lcl_fail_memory(lcl_context_log(ctx), "values");
    lcl_pairs_values(val, P->row_ptr, K->M, K->L);
    const enum lcl_status st = lcl_buffer_write(P->term[0].val, val, bytes);
    lcl_free(val);
    return st;
}

static enum lcl_status write_values(const struct lcl_device_matrix *D,
                                    const struct lcl_bsr *A)
{
    return lcl_buffer_write(D->val, A->val, lcl_buffer_bytes(D->val));
}

// A pass over L reads its coefficients where those of M are for a pass over M.
static enum lcl_status write_coefficients(const struct one_pass *P,
                                          const struct lcl_kron *K)
{
    struct lcl_kron swapped = *K;
    double tau_b[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
    enum lcl_status st = lcl_kron_write_coefficients(P->coef[0], K);
    if (st < 0 || P->paired)
        return st;
    for (int k = 0; k < K->stages * K->stages; ++k)
        tau_b[k] = K->tau * K->B[k];
    swapped.A = tau_b;
    return lcl_kron_write_coefficients(P->coef[1], &swapped);
}

static enum lcl_status update(struct lcl_spmv *S, const struct lcl_kron *K)
{
    const struct one_pass *P = S->state;
    enum lcl_status st;
    if (P->paired)
        st = write_pairs(P, S->ctx, K);
    else if ((st = write_values(&P->term[0], K->M)) == LCL_OK)
        st = write_values(&P->term[1], K->L);
    return st < 0 ? st : write_coefficients(P, K);
}

// ------------------------------------------------------------------- product

static enum lcl_status multiply(const struct lcl_spmv *S,
                                enum lcl_product product,
                                const struct lcl_operands *v)
{
    const struct one_pass *P = S->state;
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < P->terms && st == LCL_OK; ++t) {
        const struct lcl_device_matrix *D = &P->term[t];
        st = LCL_LAUNCH(P->kernel[t], P->groups, lcl_arg_long(D->block_rows),
                        lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                        lcl_arg_buffer(D->val), lcl_arg_buffer(P->coef[t]),
                        lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                        lcl_arg_int(t), lcl_arg_buffer(v->stop),
                        lcl_arg_int(v->at));
    }
    return st < 0 ? st : lcl_product_sums(P->sums, S, product, v);
}

static void destroy(struct lcl_spmv *S)
{
    struct one_pass *P = S->state;
    if (!P)
        return;
    for (int t = 0; t < 2; ++t) {
        lcl_device_matrix_finish(&P->term[t]);
        lcl_buffer_destroy(&P->coef[t]);
    }
    lcl_free(P->row_ptr);
    lcl_free(P);
}

const struct lcl_kron_ops lcl_kron_one_pass = {
    .product = {.multiply = multiply, .destroy = destroy},
    .create = create,
    .update = update,
    .stages_innermost = true,
};
