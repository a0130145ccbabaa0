// SPDX-License-Identifier: BSD-3-Clause
// The row-binned product of Gogusdere, "MMI713 Term Project - Phase 3 Report"
// (METU 2025): two bins, two kernels, two queues.
#include "lib/spmv/binned.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/log.h"
#include "host/queue.h"
#include "host/runtime.h"
#include "lib/operator/modes.h"
#include "lib/spmv/row_bins.h"

#include <levelcl/published.h>

// Rows of up to 2^4 entries count as sparse.
enum { THRESHOLD_CLASS = 4, WAVES_OF_BIN1 = 4, MAX_GROUPS = 1 << 20 };

struct binned {
    lcl_context *ctx;
    struct lcl_row_bins bins;
    lcl_kernel *kernel[2];
    int64_t groups[2];
    lcl_kernel *sums;
};

static enum lcl_status get_kernels(struct binned *R,
                                   const struct lcl_device_matrix *A,
                                   bool single)
{
    const struct lcl_caps *caps = lcl_context_caps(R->ctx);
    const struct lcl_spec bin0 = {
        .source = "binned.cl",
        .kernel = "spmv_bin0",
        .group = lcl_vector_group(caps),
        .wide = A->wide,
        .single = single,
    };
    struct lcl_spec bin1 = bin0;
    enum lcl_status st;
    bin1.kernel = "spmv_bin1";
    bin1.group = lcl_wave_group(caps, WAVES_OF_BIN1);
    if ((st = lcl_kernel_get(&R->kernel[0], R->ctx, &bin0)) < 0 ||
        (st = lcl_kernel_get(&R->kernel[1], R->ctx, &bin1)) < 0)
        return st;
    return single ? LCL_OK : lcl_modes_kernel(&R->sums, R->ctx);
}

// One round of work per group, up to the maximum number of groups. On a CPU,
// where each work-item handles many rows, as many groups as a vector kernel.
static int64_t groups_of(const struct lcl_caps *caps, int bin, int64_t rows)
{
    const int64_t each =
        bin == 0 ? lcl_vector_group(caps)
                 : lcl_wave_group(caps, WAVES_OF_BIN1) / caps->width;
    const int64_t groups = (rows + each - 1) / each;
    const int64_t most =
        caps->width == 1 ? lcl_vector_groups(caps) : MAX_GROUPS;
    return groups < most ? groups : most;
}

static enum lcl_status list_rows(struct binned *R,
                                 const struct lcl_device_matrix *A,
                                 enum lcl_binned_rows rows)
{
    int bin_of[LCL_ROW_CLASSES];
    struct lcl_row_classes C;
    for (int c = 0; c < LCL_ROW_CLASSES; ++c)
        bin_of[c] = rows == LCL_BINNED_BOTH ? c > THRESHOLD_CLASS
                                            : rows == LCL_BINNED_ONLY_BIN1;
    enum lcl_status st = lcl_row_classes_init(&C, R->ctx, A);
    if (st == LCL_OK &&
        (st = lcl_row_bins_init(&R->bins, R->ctx, &C, bin_of, 2)) == LCL_OK)
        st = lcl_row_bins_list(&R->bins, R->ctx, A, bin_of);
    lcl_row_classes_finish(&C);
    for (int b = 0; b < 2; ++b)
        R->groups[b] = groups_of(lcl_context_caps(R->ctx), b, R->bins.rows[b]);
    return st;
}

static enum lcl_status study(struct lcl_spmv *S, lcl_context *ctx)
{
    return lcl_refuse_blocks(S, ctx, "the row-binned product");
}

// Traffic: reads of A and of the list, that is entries, a row number and two
// pointers per row.
static enum lcl_status create_bins(struct lcl_spmv *S, lcl_context *ctx,
                                   enum lcl_binned_rows rows, bool single)
{
    const struct lcl_device_matrix *A = S->A;
    const uint64_t n = (uint64_t)A->block_rows, pointer = A->wide ? 8 : 4;
    struct binned *R = S->state = lcl_calloc(1, sizeof *R);
    if (!R)
        return lcl_fail_memory(lcl_context_log(ctx), "a product");
    R->ctx = ctx;
    S->bytes = n * sizeof(int32_t);
    S->traffic = (single ? 8 : 12) * (uint64_t)A->blocks + n * (4 + pointer);
    const enum lcl_status st = get_kernels(R, A, single);
    return st < 0 ? st : list_rows(R, A, rows);
}

static enum lcl_status create(struct lcl_spmv *S, lcl_context *ctx)
{
    return create_bins(S, ctx, LCL_BINNED_BOTH, false);
}

static enum lcl_status multiply_bin(const struct lcl_spmv *S, int bin,
                                    lcl_launch_fn *launch,
                                    const struct lcl_operands *v)
{
    const struct binned *R = S->state;
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH_BY(
        launch, R->kernel[bin], R->groups[bin], lcl_arg_buffer(R->bins.list),
        lcl_arg_long(R->bins.first[bin]), lcl_arg_long(R->bins.rows[bin]),
        lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
        lcl_arg_buffer(A->val), lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
        lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static enum lcl_status multiply_both(const struct lcl_spmv *S,
                                     const struct lcl_operands *v)
{
    lcl_context *ctx = ((const struct binned *)S->state)->ctx;
    enum lcl_status st = lcl_fork(ctx);
    if (st < 0)
        return st;
    if ((st = multiply_bin(S, 1, lcl_launch_aux, v)) == LCL_OK)
        st = multiply_bin(S, 0, lcl_launch, v);
    const enum lcl_status joined = lcl_join(ctx);
    return st < 0 ? st : joined;
}

static enum lcl_status multiply(const struct lcl_spmv *S, enum lcl_mode mode,
                                const struct lcl_operands *v)
{
    const struct binned *R = S->state;
    const enum lcl_status st =
        R->groups[0] > 0 && R->groups[1] > 0
            ? multiply_both(S, v)
            : multiply_bin(S, R->groups[1] > 0, lcl_launch, v);
    const struct lcl_space range = {
        .ctx = R->ctx, .n = S->A->n, .groups = S->groups};
    return st < 0 ? st : lcl_modes_complete(R->sums, &range, mode, v);
}

static void destroy(struct lcl_spmv *S)
{
    struct binned *R = S->state;
    if (R)
        lcl_row_bins_finish(&R->bins);
    lcl_free(R);
}

const struct lcl_spmv_ops lcl_spmv_binned = {
    .study = study,
    .create = create,
    .multiply = multiply,
    .destroy = destroy,
};

static enum lcl_status init(struct lcl_spmv *S, lcl_context *ctx,
                            const struct lcl_device_matrix *A,
                            enum lcl_binned_rows rows, bool single)
{
    const enum lcl_status st = lcl_spmv_study(S, LCL_SPMV_BINNED, ctx, A);
    return st < 0 ? st : create_bins(S, ctx, rows, single);
}

enum lcl_status lcl_binned_init(struct lcl_spmv *S, lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                enum lcl_binned_rows rows)
{
    return init(S, ctx, A, rows, false);
}

enum lcl_status lcl_binned_init_fp32(struct lcl_spmv *S, lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     enum lcl_binned_rows rows)
{
    return init(S, ctx, A, rows, true);
}

int64_t lcl_binned_rows(const struct lcl_spmv *S, int bin)
{
    const struct binned *R = S->state;
    return R->bins.rows[bin];
}
