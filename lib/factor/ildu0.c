// SPDX-License-Identifier: BSD-3-Clause
// Incomplete factors of all subdomains on the device.
#include "lib/factor/ildu0.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/ildu0_team.h"
#include "lib/factor/level_ildu0.h"
#include "lib/factor/store.h"

#include "cl/factor/pivot.cl.h"

#include <string.h>

// The first shift is this share of a row's scale (pivot.cl.h); it doubles each
// round.
#define FIRST_SHIFT 1e-3
enum { SHIFT_ROUNDS = 16 };

// Indices into F->counts; the last two are halves of one number.
enum { REPAIRED, LOST, LOST_HIGH, COUNTS };

static enum lcl_pivot pivot_of(const struct lcl_precond_params *params)
{
    return params->pivot                     ? params->pivot
           : params->type == LCL_PRECOND_IC0 ? LCL_PIVOT_SHIFT
                                             : LCL_PIVOT_BOOST;
}

// The pivot policy as the kernels expect it.
static int policy_of(const struct lcl_factor *F)
{
    return (int)F->pivot + (F->definite ? LCL_PIVOT_DEFINITE : 0);
}

// Takes sizes from D and moves the buffers that the factor needs.
static void move_schedule(struct lcl_factor *F, struct lcl_schedule *D)
{
    F->n = D->n;
    F->parts = D->parts;
    F->slots = D->slots;
    F->rows_max = D->rows_max;
    F->stages_max = D->stages_max;
    F->stage_entries = D->stage_entries;
    F->planes_max = D->planes_max;
    F->lanes = D->lanes;
    F->part = D->part;
    F->step = D->step;
    F->stage = D->stage;
    F->col = D->col;
    F->step_of = D->step_of;
    F->source = D->source;
    F->diagonal = D->diagonal;
    F->mirror = D->mirror;
    D->part = D->step = D->stage = D->col = NULL;
    D->step_of = D->source = D->diagonal = D->mirror = NULL;
}

static bool dilu_fits(const struct lcl_factor *F)
{
    const struct lcl_caps *caps = lcl_context_caps(F->ctx);
    return caps->width == 1 ||
           (uint64_t)lcl_local_rows(F->rows_max) * sizeof(double) + 64 <=
               caps->local_bytes;
}

// Number of values 1/d: at width 1 and in ildu0.cl, rows read 1/d from there.
static int64_t inverses(const struct lcl_factor *F)
{
    const bool wide = lcl_context_caps(F->ctx)->width > 1;
    return F->block > 1 || F->levels || (F->mirror && wide) ? 0 : F->n;
}

static bool needs_val(const struct lcl_factor *F)
{
    return !F->mirror || F->storage == LCL_FACTOR_STORAGE_FP64;
}

static enum lcl_status make_val(struct lcl_factor *F)
{
    const size_t entry = (size_t)(F->block * F->block) * sizeof(double);
    const enum lcl_status st =
        lcl_buffer_create(&F->val, F->ctx, F->slots, entry, "factor values");
    return st < 0 ? st : lcl_buffer_fill(F->val, 0);
}

static enum lcl_status allocate(struct lcl_factor *F)
{
    lcl_context *ctx = F->ctx;
    enum lcl_status st;
    if ((needs_val(F) && (st = make_val(F)) < 0) ||
        (inverses(F) > 0 &&
         (st = lcl_buffer_create(&F->inv_d, ctx, F->n, sizeof(double),
                                 "inverse diagonal")) < 0) ||
        (st = lcl_buffer_create(&F->shift, ctx, F->parts, sizeof(double),
                                "diagonal shifts")) < 0 ||
        (st = lcl_buffer_fill(F->shift, 0)) < 0 ||
        (st = lcl_buffer_create(&F->repaired, ctx, F->parts, sizeof(int32_t),
                                "pivot counts")) < 0 ||
        (st = lcl_buffer_create(&F->counts, ctx, COUNTS, sizeof(int32_t),
                                "pivot counts")) < 0 ||
        (st = lcl_buffer_create(&F->bad, ctx, F->n, 1, "pivot flags")) < 0)
        return st;
    F->small = lcl_calloc((size_t)F->parts, sizeof *F->small);
    F->shifts = lcl_calloc((size_t)F->parts, sizeof *F->shifts);
    return F->small && F->shifts
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(ctx), "pivot counts");
}

// One lane for each row.
static struct lcl_spec lane_spec(const struct lcl_factor *F)
{
    struct lcl_spec spec = {
        .source = "ildu0.cl", .kernel = "ildu0", .group = F->group};
    if (F->block > 1) {
        spec.source = "ildu0_block.cl";
        spec.kernel = "ildu0_block";
        spec.block = F->block;
    } else if (F->mirror) {
        spec.source = "dilu.cl";
        spec.kernel = "dilu";
        spec.storage = (int)F->storage;
        lcl_spec_set(&spec, "ROW_ENTRIES",
                     F->planes_max > 1 ? F->planes_max : 1);
        if (lcl_context_caps(F->ctx)->width > 1)
            lcl_spec_set(&spec, "SUBDOMAIN_ROWS", lcl_local_rows(F->rows_max));
    }
    return spec;
}

static enum lcl_status get_kernel(struct lcl_factor *F)
{
    struct lcl_spec spec;
    F->team = lcl_ildu0_team_spec(&spec, F);
    if (!F->team)
        spec = lane_spec(F);
    return lcl_kernel_get(&F->kernel, F->ctx, &spec);
}

static enum lcl_status check_relax(const struct lcl_factor *F)
{
    return F->relax > 0 && F->block > 1
               ? lcl_fail(lcl_context_log(F->ctx), LCL_EUNSUPPORTED,
                          "relax requires block size 1, but the matrix is "
                          "stored in blocks of %d rows",
                          F->block)
               : LCL_OK;
}

static struct lcl_factor factor_of(lcl_context *ctx, int block,
                                   const struct lcl_precond_params *params)
{
    return (struct lcl_factor){
        .ctx = ctx,
        .pivot = pivot_of(params),
        .definite = params->type == LCL_PRECOND_IC0 && block == 1,
        .pivot_tol = params->pivot_tol > 0 ? params->pivot_tol : 1e-10,
        .relax = params->relax,
        .storage = params->storage ? params->storage : LCL_FACTOR_STORAGE_FP64,
        .block = block,
    };
}

enum lcl_status lcl_factor_init(struct lcl_factor *F, lcl_context *ctx,
                                struct lcl_schedule *schedule, int group,
                                int block,
                                const struct lcl_precond_params *params)
{
    enum lcl_status st;
    *F = factor_of(ctx, block, params);
    F->group = group;
    move_schedule(F, schedule);
    if (!dilu_fits(F) || F->relax > 0)
        lcl_buffer_destroy(&F->mirror);
    if ((st = check_relax(F)) < 0 || (st = allocate(F)) < 0 ||
        (st = get_kernel(F)) < 0 || (st = lcl_store_init(F)) < 0)
        lcl_factor_finish(F);
    return st;
}

enum lcl_status lcl_factor_init_levels(struct lcl_factor *F, lcl_context *ctx,
                                       struct lcl_host_pattern *H,
                                       const struct lcl_subdomains *P,
                                       const struct lcl_precond_params *params)
{
    enum lcl_status st;
    *F = factor_of(ctx, 1, params);
    F->n = H->rows;
    F->parts = P->parts;
    if ((st = lcl_level_factor_create(F, H, P)) < 0 || (st = allocate(F)) < 0)
        lcl_factor_finish(F);
    else
        F->group = F->levels->group;
    return st;
}

void lcl_factor_finish(struct lcl_factor *F)
{
    lcl_buffer **const buffers[] = {
        &F->part,     &F->stage,   &F->step,   &F->col,      &F->val,
        &F->inv_d,    &F->step_of, &F->source, &F->diagonal, &F->shift,
        &F->repaired, &F->bad,     &F->stored, &F->mirror,   &F->counts,
    };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_level_factor_destroy(&F->levels);
    lcl_free(F->small);
    lcl_free(F->shifts);
    *F = (struct lcl_factor){0};
}

// ------------------------------------------------------------------- launches

// Of ildu0.cl; the last argument is not one of ildu0_team.cl.
static enum lcl_status launch_scalar(struct lcl_factor *F,
                                     const lcl_buffer *val, bool retry)
{
    const struct lcl_arg all[] = {
        lcl_arg_buffer(F->part),      lcl_arg_buffer(F->step),
        lcl_arg_buffer(F->col),       lcl_arg_buffer(F->step_of),
        lcl_arg_buffer(F->source),    lcl_arg_buffer(F->diagonal),
        lcl_arg_buffer(val),          lcl_arg_buffer(F->val),
        lcl_arg_buffer(F->inv_d),     lcl_arg_buffer(F->shift),
        lcl_arg_buffer(F->repaired),  lcl_arg_buffer(F->counts),
        lcl_arg_buffer(F->bad),       lcl_arg_int(policy_of(F)),
        lcl_arg_double(F->pivot_tol), lcl_arg_int(retry),
        lcl_arg_double(F->relax),
    };
    const int count = (int)(sizeof all / sizeof *all);
    return lcl_launch(F->kernel, F->parts, all, F->team ? count - 1 : count);
}

static enum lcl_status launch_dilu(struct lcl_factor *F, const lcl_buffer *val)
{
    return LCL_LAUNCH(F->kernel, F->parts, lcl_arg_buffer(F->part),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(F->col),
                      lcl_arg_buffer(F->source), lcl_arg_buffer(F->mirror),
                      lcl_arg_buffer(F->diagonal), lcl_arg_buffer(val),
                      lcl_arg_buffer(lcl_store_values(F)),
                      lcl_arg_buffer(F->inv_d), lcl_arg_buffer(F->shift),
                      lcl_arg_buffer(F->repaired), lcl_arg_buffer(F->counts),
                      lcl_arg_buffer(F->bad), lcl_arg_int(policy_of(F)),
                      lcl_arg_double(F->pivot_tol));
}

static enum lcl_status launch_block(struct lcl_factor *F, const lcl_buffer *val)
{
    return LCL_LAUNCH(F->kernel, F->parts, lcl_arg_buffer(F->part),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(F->col),
                      lcl_arg_buffer(F->step_of), lcl_arg_buffer(F->source),
                      lcl_arg_buffer(F->diagonal), lcl_arg_buffer(val),
                      lcl_arg_buffer(F->val), lcl_arg_buffer(F->shift),
                      lcl_arg_buffer(F->repaired), lcl_arg_buffer(F->counts),
                      lcl_arg_buffer(F->bad), lcl_arg_int((int)F->pivot),
                      lcl_arg_double(F->pivot_tol));
}

// Reads the values of A, columns and sources of the slots; writes the factors.
static uint64_t numeric_bytes(const struct lcl_factor *F, const lcl_buffer *val)
{
    return lcl_buffer_bytes(val) + lcl_buffer_bytes(F->col) +
           lcl_buffer_bytes(F->source) + lcl_buffer_bytes(F->inv_d) +
           lcl_buffer_bytes(lcl_store_values(F));
}

// Factors and stores all subdomains. The host reads back the counts only. A
// retry may skip subdomains without small pivots, and the remaining rows of
// subdomains with one.
static enum lcl_status factor_once(struct lcl_factor *F, const lcl_buffer *val,
                                   bool retry, int32_t counts[COUNTS])
{
    enum lcl_status st = lcl_buffer_fill(F->counts, 0);
    if (st < 0)
        return st;
    lcl_task_bytes(F->ctx, numeric_bytes(F, val));
    st = F->levels      ? lcl_level_factor_run(F, policy_of(F), val)
         : F->block > 1 ? launch_block(F, val)
         : F->mirror    ? launch_dilu(F, val)
                        : launch_scalar(F, val, retry);
    if (st < 0 || (st = lcl_store_run(F)) < 0)
        return st;
    return lcl_buffer_read(F->counts, counts, COUNTS * sizeof *counts);
}

// ------------------------------------------------------------------- storage

// Frees the stored values only after everything that fp64 needs exists.
enum lcl_status lcl_factor_fall_back(struct lcl_factor *F,
                                     const lcl_buffer *val)
{
    const enum lcl_factor_storage before = F->storage;
    lcl_kernel *kernel = F->kernel;
    int32_t counts[COUNTS];
    enum lcl_status st;
    if (!F->falls_back || before == LCL_FACTOR_STORAGE_FP64)
        return LCL_OK;
    lcl_info(lcl_context_log(F->ctx),
             "%llu factor values%s are out of the range of %s; the factors are "
             "stored in fp64",
             (unsigned long long)F->lost,
             F->lost > 0 ? "" : " here, but some of other ranks",
             lcl_factor_storage_name(before));
    F->storage = LCL_FACTOR_STORAGE_FP64;
    if ((!F->val && (st = make_val(F)) < 0) || (st = get_kernel(F)) < 0) {
        F->storage = before;
        F->kernel = kernel;
        if (F->mirror)
            lcl_buffer_destroy(&F->val);
        return st;
    }
    lcl_buffer_destroy(&F->stored);
    return F->mirror ? factor_once(F, val, false, counts) : LCL_OK;
}

static enum lcl_status check_storage(const struct lcl_factor *F)
{
    return F->lost == 0 || F->falls_back
               ? LCL_OK
               : lcl_fail(lcl_context_log(F->ctx), LCL_ERANGE,
                          "%llu factor values are out of the range of %s; "
                          "store them in fp64",
                          (unsigned long long)F->lost,
                          lcl_factor_storage_name(F->storage));
}

// ------------------------------------------------------------------- pivots

static enum lcl_status find_repaired(const struct lcl_factor *F,
                                     struct lcl_repairs *repairs)
{
    const int most = sizeof repairs->rows / sizeof *repairs->rows;
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

// Raises the shift of every subdomain with small pivots.
static enum lcl_status raise_shifts(struct lcl_factor *F)
{
    const size_t parts = (size_t)F->parts;
    const enum lcl_status st =
        lcl_buffer_read(F->repaired, F->small, parts * sizeof *F->small);
    if (st < 0)
        return st;
    for (size_t p = 0; p < parts; ++p)
        if (F->small[p] > 0)
            F->shifts[p] = F->shifts[p] == 0 ? FIRST_SHIFT : 2 * F->shifts[p];
    F->shifted = true;
    return lcl_buffer_write(F->shift, F->shifts, parts * sizeof *F->shifts);
}

static enum lcl_status drop_shifts(struct lcl_factor *F)
{
    if (!F->shifted)
        return LCL_OK;
    memset(F->shifts, 0, (size_t)F->parts * sizeof *F->shifts);
    F->shifted = false;
    return lcl_buffer_fill(F->shift, 0);
}

enum lcl_status lcl_factor_numeric(struct lcl_factor *F, const lcl_buffer *val,
                                   struct lcl_repairs *repairs)
{
    int32_t counts[COUNTS];
    enum lcl_status st;
    *repairs = (struct lcl_repairs){0};
    F->lost = 0;
    if ((st = drop_shifts(F)) < 0 ||
        (st = factor_once(F, val, false, counts)) < 0)
        return st;
    repairs->count = counts[REPAIRED];
    if (repairs->count > 0 && (st = find_repaired(F, repairs)) < 0)
        return st;
    if (repairs->count > 0 && F->pivot == LCL_PIVOT_FAIL)
        return LCL_EPIVOT;
    for (int round = 0; round < SHIFT_ROUNDS && counts[REPAIRED] > 0 &&
                        F->pivot == LCL_PIVOT_SHIFT;
         ++round)
        if ((st = raise_shifts(F)) < 0 ||
            (st = factor_once(F, val, round < SHIFT_ROUNDS - 1, counts)) < 0)
            return st;
    F->lost = (uint32_t)counts[LOST] | (uint64_t)counts[LOST_HIGH] << 32;
    return check_storage(F);
}

uint64_t lcl_factor_bytes(const struct lcl_factor *F)
{
    return lcl_buffer_bytes(F->part) + lcl_buffer_bytes(F->step) +
           lcl_buffer_bytes(F->stage) + lcl_buffer_bytes(F->col) +
           lcl_buffer_bytes(F->val) + lcl_buffer_bytes(F->inv_d) +
           lcl_buffer_bytes(F->stored) + lcl_buffer_bytes(F->mirror) +
           lcl_level_factor_bytes(F->levels);
}
