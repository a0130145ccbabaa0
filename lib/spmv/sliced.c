// SPDX-License-Identifier: BSD-3-Clause
// The product of a matrix in sliced storage: sliced.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/spmv/autotune.h"
#include "lib/spmv/slices.h"

#include <stdio.h>

enum {
    CPU_ROWS = 8,   // rows per slice at width 1: ROWS of sliced.cl.h
    FEW_SLOTS = 4,  // in flight at once: enough if there are many waves
    MOST_SLOTS = 8, // as many as fit in 64 registers
    REGISTERS = 48,
    BLOCK_REGISTERS = 40,
};
static const double most_fill = 2;

struct sliced {
    int rows;                // per slice
    int64_t slices;          // number of slices
    struct lcl_slots *start; // slices + 1, until uploaded to the device
    int64_t near, far;       // slots of all slices
    double fill;             // slots of all rows / entries
    lcl_buffer *start_on_device, *near_col, *far_col, *val;
    lcl_kernel *place_values, *take_values;
    lcl_kernel *kernels[LCL_PRODUCT_MODES];
    int slots_at_once;
};

static int32_t last_col(const struct lcl_device_matrix *A)
{
    return A->block_cols > 0 ? (int32_t)(A->block_cols - 1) : 0;
}

static int block_values(const struct lcl_device_matrix *A)
{
    return A->block * A->block;
}

static enum lcl_status get_slices_kernel(lcl_kernel **out, lcl_context *ctx,
                                         const struct lcl_device_matrix *A,
                                         const char *name)
{
    const struct lcl_spec spec = {
        .source = "slices.cl",
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = A->block > 1 ? A->block : 0,
        .wide = A->wide,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

// ------------------------------------------------------------------- study

// start[s] = slots of slice s
static enum lcl_status count_slots(struct sliced *L, lcl_context *ctx,
                                   const struct lcl_device_matrix *A)
{
    lcl_buffer *count = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = get_slices_kernel(&kernel, ctx, A, "count_slots")) == LCL_OK &&
        (st = lcl_buffer_create(&count, ctx, L->slices,
                                sizeof(struct lcl_slots), "slots of slices")) ==
            LCL_OK &&
        (st = LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->block_rows),
                         lcl_arg_int(last_col(A)), lcl_arg_buffer(A->row_ptr),
                         lcl_arg_buffer(A->col), lcl_arg_buffer(count))) ==
            LCL_OK)
        st = lcl_buffer_read(count, L->start,
                             (size_t)L->slices * sizeof(struct lcl_slots));
    lcl_buffer_destroy(&count);
    return st;
}

static enum lcl_status check_fit(const struct sliced *L, lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_slot_sums *sums)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    if (L->fill > most_fill)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "the sliced product would store %.3g times the "
                        "entries of the matrix, because its rows differ in "
                        "length: expected at most %g; use csr or adaptive",
                        L->fill, most_fill);
    if (!lcl_slots_fit(sums, L->rows * block_values(A)))
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "the slots of the sliced product of %lld entries "
                        "exceed 32-bit counters; use csr",
                        (long long)A->blocks);
    return LCL_OK;
}

static int log2_of(uint64_t value)
{
    int log = 0;
    while (value >>= 1)
        ++log;
    return log;
}

static enum lcl_status study(struct lcl_spmv *S, lcl_context *ctx)
{
    const struct lcl_device_matrix *A = S->A;
    const int width = lcl_context_caps(ctx)->width;
    struct sliced *L = S->state = lcl_calloc(1, sizeof *L);
    enum lcl_status st;
    if (!L)
        return lcl_fail_memory(lcl_context_log(ctx), "a product");
    L->rows = width > 1 ? width : CPU_ROWS;
    L->slices = (A->block_rows + L->rows - 1) / L->rows;
    L->start = lcl_malloc((size_t)L->slices + 1, sizeof *L->start);
    if (!L->start)
        return lcl_fail_memory(lcl_context_log(ctx), "slots of slices");
    if ((st = count_slots(L, ctx, A)) < 0)
        return st;
    const struct lcl_slot_sums sums =
        lcl_sum_slots(L->start, L->slices, L->rows, A->block_rows);
    L->near = sums.near;
    L->far = sums.far;
    L->fill = A->blocks > 0 ? (double)sums.of_rows / (double)A->blocks : 1;
    snprintf(S->traits, sizeof S->traits, "fill %.1f, log2 of longest %d",
             L->fill, log2_of(sums.longest));
    return check_fit(L, ctx, A, &sums);
}

// ------------------------------------------------------------------- matrix

static enum lcl_status upload_start(struct sliced *L, lcl_context *ctx)
{
    const enum lcl_status st = lcl_buffer_create_from(
        &L->start_on_device, ctx, L->start, L->slices + 1, sizeof *L->start,
        "starts of slices");
    lcl_free(L->start);
    L->start = NULL;
    return st;
}

static enum lcl_status make_matrix(struct sliced *L, lcl_context *ctx,
                                   const struct lcl_device_matrix *A)
{
    lcl_kernel *place;
    enum lcl_status st;
    if ((st = upload_start(L, ctx)) < 0 ||
        (st = lcl_buffer_create(&L->near_col, ctx, L->near * L->rows,
                                sizeof(int16_t), "near columns")) < 0 ||
        (st = lcl_buffer_create(&L->far_col, ctx, L->far * L->rows,
                                sizeof(int32_t), "far columns")) < 0 ||
        (st = lcl_buffer_create(&L->val, ctx,
                                (L->near + L->far) * L->rows * block_values(A),
                                sizeof(double), "values in slices")) < 0 ||
        (st = get_slices_kernel(&L->place_values, ctx, A, "place_values")) <
            0 ||
        (st = get_slices_kernel(&L->take_values, ctx, A, "take_values")) < 0 ||
        (st = get_slices_kernel(&place, ctx, A, "place_columns")) < 0)
        return st;
    return LCL_LAUNCH(place, A->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_int(last_col(A)), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col),
                      lcl_arg_buffer(L->start_on_device),
                      lcl_arg_buffer(L->near_col), lcl_arg_buffer(L->far_col));
}

static enum lcl_status update(struct lcl_spmv *S)
{
    const struct sliced *L = S->state;
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH(L->place_values, A->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_int(last_col(A)), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(L->start_on_device),
                      lcl_arg_buffer(L->val));
}

static enum lcl_status update_from(struct lcl_spmv *S,
                                   const struct lcl_new_values *val)
{
    const struct sliced *L = S->state;
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH(
        L->take_values, A->groups, lcl_arg_long(A->block_rows),
        lcl_arg_int(last_col(A)), lcl_arg_buffer(A->row_ptr),
        lcl_arg_buffer(A->col), lcl_arg_buffer(L->start_on_device),
        lcl_arg_buffer(L->val), lcl_arg_buffer(val->map),
        lcl_arg_long(lcl_buffer_first(val->val)), lcl_arg_buffer(val->val),
        lcl_arg_buffer(A->val), lcl_arg_buffer(val->bad));
}

// ------------------------------------------------------------------- kernels

static struct lcl_spec spec_of(const struct lcl_caps *caps,
                               const struct lcl_device_matrix *A, int slots)
{
    const bool blocks = A->block > 1;
    return (struct lcl_spec){
        .source = "sliced.cl",
        .group =
            lcl_vector_group_of(caps, blocks ? BLOCK_REGISTERS : REGISTERS),
        .block = blocks ? A->block : 0,
        .defines = {{"SLOTS_AT_ONCE", caps->width > 1 ? slots : 0}},
    };
}

static enum lcl_status get_kernels(lcl_kernel *kernels[LCL_PRODUCT_MODES],
                                   lcl_context *ctx,
                                   const struct lcl_device_matrix *A, int slots)
{
    const struct lcl_spec spec = spec_of(lcl_context_caps(ctx), A, slots);
    return lcl_product_kernels(kernels, ctx, &spec, "sliced");
}

static enum lcl_status launch(lcl_kernel *kernel, const struct lcl_spmv *S,
                              const struct lcl_operands *v)
{
    const struct sliced *L = S->state;
    return LCL_LAUNCH(
        kernel, S->groups, lcl_arg_long(S->A->block_rows),
        lcl_arg_int(last_col(S->A)), lcl_arg_buffer(L->start_on_device),
        lcl_arg_buffer(L->near_col), lcl_arg_buffer(L->far_col),
        lcl_arg_buffer(L->val), lcl_arg_buffer(v->x), lcl_arg_buffer(v->w),
        lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
        lcl_arg_int(v->at));
}

enum { FORMS = 2 }; // few slots in flight, or an average row

struct forms {
    const struct lcl_spmv *S;
    lcl_kernel *kernels[FORMS][LCL_PRODUCT_MODES];
};

static enum lcl_status launch_form(void *arg, int which,
                                   const struct lcl_operands *v)
{
    const struct forms *F = arg;
    return launch(F->kernels[which][LCL_APPLY], F->S, v);
}

// Autotunes the number of slots. Block rows and short rows keep enough loads in
// flight with few slots.
static enum lcl_status choose_slots(struct lcl_spmv *S, lcl_context *ctx)
{
    struct sliced *L = S->state;
    struct forms F = {.S = S};
    const int64_t mean =
        L->slices ? (L->near + L->far + L->slices - 1) / L->slices : 0;
    const int slots[FORMS] = {FEW_SLOTS,
                              mean < MOST_SLOTS ? (int)mean : MOST_SLOTS};
    char what[32];
    int best = 0;
    enum lcl_status st = LCL_OK;
    if (S->A->block > 1 || lcl_context_caps(ctx)->width == 1 ||
        mean <= FEW_SLOTS || lcl_spmv_is_small(S->A))
        goto out;
    snprintf(what, sizeof what, "slots at once %d %d", slots[0], slots[1]);
    if (lcl_spmv_recall(&best, ctx, S->A, what, FORMS))
        goto out;
    for (int f = 0; f < FORMS && st == LCL_OK; ++f)
        st = get_kernels(F.kernels[f], ctx, S->A, slots[f]);
    if (st == LCL_OK)
        st = lcl_spmv_measure(&best, ctx, S->A, what, FORMS, launch_form, &F);
out:
    L->slots_at_once = slots[best];
    return st;
}

// ------------------------------------------------------------------- table

static enum lcl_status create(struct lcl_spmv *S, lcl_context *ctx)
{
    struct sliced *L = S->state;
    enum lcl_status st;
    if ((st = make_matrix(L, ctx, S->A)) < 0 || (st = choose_slots(S, ctx)) < 0)
        return st;
    S->bytes = lcl_buffer_bytes(L->start_on_device) +
               lcl_buffer_bytes(L->near_col) + lcl_buffer_bytes(L->far_col) +
               lcl_buffer_bytes(L->val);
    S->traffic = S->bytes;
    return get_kernels(L->kernels, ctx, S->A, L->slots_at_once);
}

static enum lcl_status multiply(const struct lcl_spmv *S, enum lcl_mode mode,
                                const struct lcl_operands *v)
{
    const struct sliced *L = S->state;
    return launch(L->kernels[mode], S, v);
}

static enum lcl_status multiply_many(const struct lcl_spmv *S,
                                     const struct lcl_columns *v, int64_t first,
                                     int vectors)
{
    const struct sliced *L = S->state;
    const struct lcl_device_matrix *A = S->A;
    const int slots = L->slots_at_once / vectors;
    struct lcl_spec spec =
        spec_of(lcl_context_caps(S->ctx), A, slots > 1 ? slots : 1);
    lcl_kernel *kernel;
    spec.kernel = "sliced_many";
    lcl_spec_set(&spec, "VECTORS", vectors);
    const enum lcl_status st = lcl_kernel_get(&kernel, S->ctx, &spec);
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        kernel, S->groups, lcl_arg_long(A->block_rows),
        lcl_arg_int(last_col(A)), lcl_arg_buffer(L->start_on_device),
        lcl_arg_buffer(L->near_col), lcl_arg_buffer(L->far_col),
        lcl_arg_buffer(L->val), lcl_arg_buffer(v->x), lcl_arg_long(v->ldx),
        lcl_arg_buffer(v->y), lcl_arg_long(v->ldy), lcl_arg_long(first));
}

static void destroy(struct lcl_spmv *S)
{
    struct sliced *L = S->state;
    if (!L)
        return;
    lcl_buffer_destroy(&L->val);
    lcl_buffer_destroy(&L->far_col);
    lcl_buffer_destroy(&L->near_col);
    lcl_buffer_destroy(&L->start_on_device);
    lcl_free(L->start);
    lcl_free(L);
}

const struct lcl_spmv_ops lcl_spmv_sliced = {
    .study = study,
    .create = create,
    .update = update,
    .update_from = update_from,
    .multiply = multiply,
    .multiply_many = multiply_many,
    .destroy = destroy,
};
