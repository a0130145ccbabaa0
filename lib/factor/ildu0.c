// SPDX-License-Identifier: BSD-3-Clause
// ILU(0) and ILDU(0) factors of all subdomains on the device.
#include "lib/factor/ildu0.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/store.h"

// A shift starts at this share of a row's largest entry and doubles.
#define FIRST_SHIFT 1e-3
enum { SHIFT_ROUNDS = 16 };

// As in pivot.cl.h.
enum { POSITIVE = 8 };

static enum lcl_pivot pivot_of(const struct lcl_precond_params *params)
{
    return params->pivot                     ? params->pivot
           : params->type == LCL_PRECOND_IC0 ? LCL_PIVOT_SHIFT
                                             : LCL_PIVOT_BOOST;
}

// What the factor holds of a layout, which is left without it.
static void take_layout(struct lcl_factor *F, struct lcl_device_layout *D)
{
    F->part = D->part;
    F->step = D->step;
    F->sweep = D->sweep;
    F->col = D->col;
    F->step_of = D->step_of;
    F->source = D->source;
    F->diagonal = D->diagonal;
    D->part = D->step = D->sweep = D->col = NULL;
    D->step_of = D->source = D->diagonal = NULL;
}

static enum lcl_status allocate(struct lcl_factor *F)
{
    lcl_context *ctx = F->ctx;
    const size_t entry = (size_t)(F->block * F->block) * sizeof(double);
    enum lcl_status st;
    if ((st = lcl_buffer_create(&F->val, ctx, F->slots, entry,
                                "factor values")) < 0 ||
        (st = lcl_buffer_fill(F->val, 0)) < 0 ||
        (st = lcl_buffer_create(&F->inv_d, ctx, F->block == 1 ? F->n : 0,
                                sizeof(double), "inverse diagonal")) < 0 ||
        (st = lcl_buffer_create(&F->shift, ctx, F->parts, sizeof(double),
                                "diagonal shifts")) < 0 ||
        (st = lcl_buffer_create(&F->repaired, ctx, F->parts, sizeof(int32_t),
                                "pivot counts")) < 0 ||
        (st = lcl_buffer_create(&F->bad, ctx, F->n, 1, "pivot flags")) < 0)
        return st;
    F->counts = lcl_calloc((size_t)F->parts, sizeof *F->counts);
    F->shifts = lcl_calloc((size_t)F->parts, sizeof *F->shifts);
    return F->counts && F->shifts
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(ctx), "pivot counts");
}

static enum lcl_status get_kernel(struct lcl_factor *F)
{
    struct lcl_spec spec = {
        .source = "ildu0.cl", .kernel = "ildu0", .group = F->group};
    if (F->block > 1) {
        spec.source = "ildu0_block.cl";
        spec.kernel = "ildu0_block";
        spec.block = F->block;
    }
    return lcl_kernel_get(&F->kernel, F->ctx, &spec);
}

enum lcl_status lcl_factor_init(struct lcl_factor *F, lcl_context *ctx,
                                struct lcl_device_layout *layout, int group,
                                int block,
                                const struct lcl_precond_params *params)
{
    enum lcl_status st;
    *F = (struct lcl_factor){
        .ctx = ctx,
        .pivot = pivot_of(params),
        .positive = params->type == LCL_PRECOND_IC0 && block == 1,
        .pivot_tol = params->pivot_tol > 0 ? params->pivot_tol : 1e-10,
        .storage = params->storage ? params->storage : LCL_FACTOR_STORAGE_FP64,
        .block = block,
        .n = layout->n,
        .parts = layout->parts,
        .slots = layout->slots,
        .rows_max = layout->rows_max,
        .sweeps_max = layout->sweeps_max,
        .sweep_entries = layout->sweep_entries,
        .group = group,
    };
    take_layout(F, layout);
    if ((st = allocate(F)) < 0 || (st = get_kernel(F)) < 0 ||
        (st = lcl_store_init(F)) < 0)
        lcl_factor_finish(F);
    return st;
}

void lcl_factor_finish(struct lcl_factor *F)
{
    lcl_buffer **const buffers[] = {
        &F->part,     &F->sweep,   &F->step,   &F->col,      &F->val,
        &F->inv_d,    &F->step_of, &F->source, &F->diagonal, &F->shift,
        &F->repaired, &F->bad,     &F->stored,
    };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(F->counts);
    lcl_free(F->shifts);
    *F = (struct lcl_factor){0};
}

static enum lcl_status launch(struct lcl_factor *F, const lcl_buffer *val)
{
    return LCL_LAUNCH(F->kernel, F->parts, lcl_arg_buffer(F->part),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(F->col),
                      lcl_arg_buffer(F->step_of), lcl_arg_buffer(F->source),
                      lcl_arg_buffer(F->diagonal), lcl_arg_buffer(val),
                      lcl_arg_buffer(F->val), lcl_arg_buffer(F->inv_d),
                      lcl_arg_buffer(F->shift), lcl_arg_buffer(F->repaired),
                      lcl_arg_buffer(F->bad),
                      lcl_arg_int((int)F->pivot + (F->positive ? POSITIVE : 0)),
                      lcl_arg_double(F->pivot_tol));
}

static enum lcl_status launch_block(struct lcl_factor *F, const lcl_buffer *val)
{
    return LCL_LAUNCH(F->kernel, F->parts, lcl_arg_buffer(F->part),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(F->col),
                      lcl_arg_buffer(F->step_of), lcl_arg_buffer(F->source),
                      lcl_arg_buffer(F->diagonal), lcl_arg_buffer(val),
                      lcl_arg_buffer(F->val), lcl_arg_buffer(F->shift),
                      lcl_arg_buffer(F->repaired), lcl_arg_buffer(F->bad),
                      lcl_arg_int((int)F->pivot), lcl_arg_double(F->pivot_tol));
}

// Factors the subdomains whose shift is not negative; returns what the device
// counted in F->counts.
static enum lcl_status factor_once(struct lcl_factor *F, const lcl_buffer *val)
{
    enum lcl_status st = lcl_buffer_write(F->shift, F->shifts,
                                          (size_t)F->parts * sizeof *F->shifts);
    if (st < 0)
        return st;
    st = F->block > 1 ? launch_block(F, val) : launch(F, val);
    if (st < 0)
        return st;
    return lcl_buffer_read(F->repaired, F->counts,
                           (size_t)F->parts * sizeof *F->counts);
}

static enum lcl_status find_repaired(const struct lcl_factor *F,
                                     struct lcl_repairs *repairs)
{
    const int most = sizeof repairs->rows / sizeof *repairs->rows;
    for (int64_t p = 0; p < F->parts; ++p)
        repairs->count += F->counts[p];
    if (repairs->count == 0)
        return LCL_OK;
    unsigned char *bad = lcl_malloc((size_t)F->n, 1);
    if (!bad)
        return lcl_fail_memory(lcl_context_log(F->ctx), "pivot flags");
    const enum lcl_status st = lcl_buffer_read(F->bad, bad, (size_t)F->n);
    for (int64_t i = 0, found = 0; st == LCL_OK && i < F->n && found < most;
         ++i)
        if (bad[i])
            repairs->rows[found++] = i;
    lcl_free(bad);
    return st;
}

// Gives every subdomain with small pivots a larger shift, the others a rest.
// Returns how many are left.
static int64_t raise_shifts(struct lcl_factor *F)
{
    int64_t left = 0;
    for (int64_t p = 0; p < F->parts; ++p) {
        const bool again = F->shifts[p] >= 0 && F->counts[p] > 0;
        const double last = F->shifts[p];
        F->shifts[p] = !again ? -1 : last == 0 ? FIRST_SHIFT : 2 * last;
        left += again;
    }
    return left;
}

enum lcl_status lcl_factor_numeric(struct lcl_factor *F, const lcl_buffer *val,
                                   struct lcl_repairs *repairs)
{
    enum lcl_status st;
    *repairs = (struct lcl_repairs){0};
    for (int64_t p = 0; p < F->parts; ++p)
        F->shifts[p] = 0;
    if ((st = factor_once(F, val)) < 0 || (st = find_repaired(F, repairs)) < 0)
        return st;
    if (repairs->count > 0 && F->pivot == LCL_PIVOT_FAIL)
        return LCL_EPIVOT;
    for (int round = 0; round < SHIFT_ROUNDS && repairs->count > 0 &&
                        F->pivot == LCL_PIVOT_SHIFT && raise_shifts(F) > 0;
         ++round)
        if ((st = factor_once(F, val)) < 0)
            return st;
    return lcl_store_run(F);
}

uint64_t lcl_factor_bytes(const struct lcl_factor *F)
{
    return lcl_buffer_bytes(F->part) + lcl_buffer_bytes(F->step) +
           lcl_buffer_bytes(F->sweep) + lcl_buffer_bytes(F->col) +
           lcl_buffer_bytes(F->val) + lcl_buffer_bytes(F->inv_d) +
           (F->stored ? lcl_buffer_bytes(F->stored) : 0);
}
