// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase on the device.
#include "lib/factor/symbolic.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/factor/symbolic_phase.h"

#include <assert.h>

enum {
    ROWS_PER_LANE = 4, // with more rows per lane, the group size doubles
    MOST_LANES = 128,
    ROW_BYTES = 8, // of the local memory of symbolic.cl for each row
    SPARE = 64,    // local memory that the driver may use itself
};

static const char *const kernel_names[LCL_SYMBOLIC_KERNELS] = {
    [LCL_SYMBOLIC_INVERT] = "invert",
    [LCL_SYMBOLIC_CENSUS] = "census",
    [LCL_SYMBOLIC_LEVELS] = "levels",
    [LCL_SYMBOLIC_REVERSE] = "reverse",
    [LCL_SYMBOLIC_FOLD] = "fold",
    [LCL_SYMBOLIC_ORDER] = "order",
    [LCL_SYMBOLIC_ROW_POINTERS] = "row_pointers",
    [LCL_SYMBOLIC_REORDER_ROWS] = "reorder_rows",
    [LCL_SYMBOLIC_SORT_LONG] = "sort_long",
    [LCL_SYMBOLIC_STEPS] = "steps",
    [LCL_SYMBOLIC_PLACES] = "places",
    [LCL_SYMBOLIC_STAGES] = "stages",
    [LCL_SYMBOLIC_SLOTS] = "slots",
    [LCL_SYMBOLIC_FIND_MIRRORS] = "find_mirrors",
};

// ------------------------------------------------------------------- kernels

static int lanes_for(const struct lcl_caps *caps, int64_t rows)
{
    int lanes = caps->width;
    while (caps->width > 1 && 2 * lanes <= MOST_LANES &&
           2 * lanes <= caps->max_group_size &&
           (int64_t)lanes * ROWS_PER_LANE < rows)
        lanes *= 2;
    return lanes;
}

// Rows whose arrays are in local memory; 0: they are in global memory, because
// the width is 1 or they do not fit.
static int local_rows(const struct lcl_symbolic_phase *phase)
{
    const struct lcl_caps *caps = lcl_context_caps(phase->ctx);
    const int rows = lcl_local_rows(phase->S->schedule.rows_max);
    const uint64_t bytes = (uint64_t)rows * ROW_BYTES + SPARE;
    return caps->width > 1 && bytes <= caps->local_bytes ? rows : 0;
}

static enum lcl_status get_kernels(struct lcl_symbolic_phase *phase)
{
    const struct lcl_caps *caps = lcl_context_caps(phase->ctx);
    const int64_t rows = phase->S->schedule.rows_max;
    struct lcl_spec spec = {
        .source = "symbolic.cl",
        .group = lanes_for(caps, rows),
        .block = phase->params.block > 1 ? phase->params.block : 0};
    enum lcl_status st = LCL_OK;
    lcl_spec_set(&spec, "SUBDOMAIN_ROWS", local_rows(phase));
    lcl_spec_set(&spec, "GLOBAL_ROWS",
                 caps->width > 1 && local_rows(phase) == 0);
    lcl_spec_set(&spec, "PATTERN_ONLY", !phase->val);
    lcl_spec_set(&spec, "SOURCES", phase->pattern->source != NULL);
    phase->groups = lcl_vector_groups(caps);
    for (int k = 0; k < LCL_SYMBOLIC_KERNELS && st == LCL_OK; ++k) {
        spec.kernel = kernel_names[k];
        st = lcl_kernel_get(&phase->kernels[k], phase->ctx, &spec);
    }
    return st;
}

// ------------------------------------------------------------------- sizes

static enum lcl_status check_sizes(struct lcl_symbolic_phase *phase)
{
    const struct lcl_log *log = lcl_context_log(phase->ctx);
    struct lcl_schedule *D = &phase->S->schedule;
    if (lcl_needs_wide(phase->pattern->nnz))
        return lcl_refuse_wide(phase->pattern->nnz, "factors on subdomains",
                               log);
    for (int64_t p = 0; p < D->parts; ++p)
        D->rows_max = lcl_larger(D->rows_max, lcl_symbolic_rows(phase, p));
    if (D->rows_max > UINT16_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "a subdomain has %lld rows, expected at most 65535",
                        (long long)D->rows_max);
    return LCL_OK;
}

static void count_up(void *unused, int64_t first, int64_t count, void *to)
{
    int32_t *number = to;
    (void)unused;
    for (int64_t i = 0; i < count; ++i)
        number[i] = (int32_t)(first + i);
}

// The rows by part: the rows of A, or the extended rows in their own order.
static enum lcl_status first_order(struct lcl_symbolic_phase *phase)
{
    const int64_t n = phase->pattern->rows;
    lcl_buffer **perm = &phase->S->B.perm;
    const lcl_buffer *rows = phase->P->device;
    if (!phase->pattern->source && !rows)
        return lcl_buffer_create_from(perm, phase->ctx, phase->P->row, n,
                                      sizeof(int32_t), "permutation");
    const enum lcl_status st =
        lcl_buffer_create(perm, phase->ctx, n, sizeof(int32_t), "permutation");
    if (st < 0)
        return st;
    return phase->pattern->source
               ? lcl_buffer_fill_by(*perm, sizeof(int32_t), count_up, NULL)
               : lcl_buffer_copy(*perm, rows);
}

static enum lcl_status allocate(struct lcl_symbolic_phase *phase)
{
    lcl_context *ctx = phase->ctx;
    struct lcl_symbolic *S = phase->S;
    const int64_t n = phase->pattern->rows, nnz = phase->pattern->nnz;
    const int64_t parts = phase->P->parts;
    static const int32_t zero = 0;
    const struct lcl_buffer_plan buffers[] = {
        {&phase->inverse, n, sizeof(int32_t), "inverse permutation"},
        {&phase->sides, n, sizeof(uint32_t), "lengths of rows"},
        {&phase->start, 2 * n, sizeof(int32_t), "starts of levels"},
        {&phase->census, parts, sizeof(struct lcl_census), "census"},
        {&phase->extent, parts, sizeof(struct lcl_extent), "extents"},
        {&phase->long_rows, n, sizeof(int32_t), "long rows"},
        {&S->level, n, sizeof(int32_t), "levels"},
        {&S->B.row_ptr, n + 1, sizeof(uint32_t), "row pointers"},
        {&S->B.col, nnz, sizeof(int32_t), "columns"},
        {&S->B.map, nnz, sizeof(uint32_t), "map of entries"},
        {&S->schedule.part, parts, sizeof(struct lcl_part), "subdomains"},
        {&S->schedule.step_of, n, sizeof(uint16_t), "steps of rows"},
        {&S->schedule.diagonal, n, sizeof(int32_t), "diagonals"},
    };
    enum lcl_status st =
        lcl_buffers_create(ctx, buffers, sizeof buffers / sizeof *buffers);
    if (st < 0 ||
        (st =
             lcl_buffer_create_narrow(&phase->part_ptr, ctx, phase->P->part_ptr,
                                      parts + 1, "subdomains")) < 0 ||
        (st = first_order(phase)) < 0 ||
        (st = lcl_buffer_create_from(&phase->long_count, ctx, &zero, 1,
                                     sizeof zero, "count of long rows")) < 0)
        return st;
    S->schedule.subdomain = lcl_calloc((size_t)parts, sizeof(struct lcl_part));
    return S->schedule.subdomain
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(ctx), "subdomains");
}

// ------------------------------------------------------------------- levels

static enum lcl_status invert(const struct lcl_symbolic_phase *phase,
                              const lcl_buffer *perm)
{
    return LCL_LAUNCH(phase->kernels[LCL_SYMBOLIC_INVERT], phase->groups,
                      lcl_arg_long(phase->pattern->rows), lcl_arg_buffer(perm),
                      lcl_arg_buffer(phase->inverse));
}

static enum lcl_status launch_census(const struct lcl_symbolic_phase *phase)
{
    const struct lcl_pattern *A = phase->pattern;
    return LCL_LAUNCH(
        phase->kernels[LCL_SYMBOLIC_CENSUS], phase->P->parts,
        lcl_arg_buffer(phase->part_ptr), lcl_arg_buffer(phase->S->B.perm),
        lcl_arg_buffer(phase->inverse), lcl_arg_buffer(A->row_ptr),
        lcl_arg_buffer(A->col), lcl_arg_buffer(phase->val),
        lcl_arg_buffer(phase->sides), lcl_arg_buffer(phase->census),
        lcl_arg_buffer(phase->long_rows), lcl_arg_buffer(phase->long_count));
}

// Computes the levels of the rows in the order of `perm`; phase->inverse must
// be its inverse.
static enum lcl_status find_levels(const struct lcl_symbolic_phase *phase,
                                   const lcl_buffer *perm, lcl_buffer *level)
{
    return LCL_LAUNCH(
        phase->kernels[LCL_SYMBOLIC_LEVELS], phase->P->parts,
        lcl_arg_buffer(phase->part_ptr), lcl_arg_buffer(perm),
        lcl_arg_buffer(phase->inverse), lcl_arg_buffer(phase->pattern->row_ptr),
        lcl_arg_buffer(phase->pattern->col), lcl_arg_buffer(level),
        lcl_arg_buffer(phase->start), lcl_arg_buffer(phase->census),
        lcl_arg_int(phase->params.group), lcl_arg_buffer(phase->room));
}

// Sorts the rows of each subdomain by level, into new buffers.
static enum lcl_status sort_rows(struct lcl_symbolic_phase *phase)
{
    const int64_t n = phase->pattern->rows;
    struct lcl_symbolic *S = phase->S;
    lcl_buffer *perm = NULL, *level = NULL, *sides = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&perm, phase->ctx, n, sizeof(int32_t),
                                "permutation")) < 0 ||
        (st = lcl_buffer_create(&level, phase->ctx, n, sizeof(int32_t),
                                "levels")) < 0 ||
        (st = lcl_buffer_create(&sides, phase->ctx, n, sizeof(uint32_t),
                                "lengths of rows")) < 0)
        goto out;
    st = LCL_LAUNCH(phase->kernels[LCL_SYMBOLIC_ORDER], phase->P->parts,
                    lcl_arg_buffer(phase->part_ptr), lcl_arg_buffer(S->B.perm),
                    lcl_arg_buffer(S->level), lcl_arg_buffer(phase->sides),
                    lcl_arg_buffer(perm), lcl_arg_buffer(phase->inverse),
                    lcl_arg_buffer(level), lcl_arg_buffer(sides),
                    lcl_arg_buffer(phase->room));
    lcl_buffer_swap(&S->B.perm, &perm);
    lcl_buffer_swap(&S->level, &level);
    lcl_buffer_swap(&phase->sides, &sides);
out:
    lcl_buffer_destroy(&perm);
    lcl_buffer_destroy(&level);
    lcl_buffer_destroy(&sides);
    return st;
}

// Computes levels from both ends, and the order of each subdomain's rows.
static enum lcl_status fold_rows(struct lcl_symbolic_phase *phase)
{
    const int64_t n = phase->pattern->rows;
    struct lcl_symbolic *S = phase->S;
    lcl_buffer *reversed = NULL, *level = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&reversed, phase->ctx, n, sizeof(int32_t),
                                "permutation")) < 0 ||
        (st = lcl_buffer_create(&level, phase->ctx, n, sizeof(int32_t),
                                "levels")) < 0 ||
        (st = lcl_buffer_fill(phase->sides, 0)) < 0 || // counted later
        (st = find_levels(phase, S->B.perm, S->level)) < 0 ||
        (st = LCL_LAUNCH(phase->kernels[LCL_SYMBOLIC_REVERSE], phase->P->parts,
                         lcl_arg_buffer(phase->part_ptr),
                         lcl_arg_buffer(S->B.perm), lcl_arg_buffer(reversed))) <
            0 ||
        (st = invert(phase, reversed)) < 0 ||
        (st = find_levels(phase, reversed, level)) < 0 ||
        (st = LCL_LAUNCH(phase->kernels[LCL_SYMBOLIC_FOLD], phase->P->parts,
                         lcl_arg_buffer(phase->part_ptr), lcl_arg_buffer(level),
                         lcl_arg_buffer(S->level))) < 0)
        goto out;
    st = sort_rows(phase);
out:
    lcl_buffer_destroy(&level);
    lcl_buffer_destroy(&reversed);
    return st;
}

// Global memory for the arrays of rows, unless they are in local memory.
static enum lcl_status make_room(struct lcl_symbolic_phase *phase)
{
    const int64_t n = phase->pattern->rows;
    const bool serial = lcl_context_caps(phase->ctx)->width == 1;
    return local_rows(phase) > 0
               ? LCL_OK
               : lcl_buffer_create(&phase->room, phase->ctx, serial ? 2 * n : n,
                                   ROW_BYTES, "keys of rows");
}

static enum lcl_status order_rows(struct lcl_symbolic_phase *phase)
{
    enum lcl_status st;
    if ((st = make_room(phase)) < 0 ||
        (st = invert(phase, phase->S->B.perm)) < 0 ||
        (phase->params.folded && (st = fold_rows(phase)) < 0) ||
        (st = launch_census(phase)) < 0 ||
        (st = find_levels(phase, phase->S->B.perm, phase->S->level)) < 0)
        return st;
    st = sort_rows(phase);
    lcl_buffer_destroy(&phase->room);
    return st;
}

// ------------------------------------------------------------------- reorder

static enum lcl_status run_reorder(const struct lcl_symbolic_phase *phase)
{
    const struct lcl_pattern *A = phase->pattern;
    const struct lcl_reordered *B = &phase->S->B;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(
             phase->kernels[LCL_SYMBOLIC_ROW_POINTERS], phase->P->parts,
             lcl_arg_buffer(phase->S->schedule.part), lcl_arg_buffer(B->perm),
             lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(B->row_ptr))) < 0 ||
        (st = LCL_LAUNCH(
             phase->kernels[LCL_SYMBOLIC_REORDER_ROWS], phase->groups,
             lcl_arg_long(phase->pattern->rows), lcl_arg_buffer(B->perm),
             lcl_arg_buffer(phase->inverse), lcl_arg_buffer(A->row_ptr),
             lcl_arg_buffer(A->col), lcl_arg_buffer(B->row_ptr),
             lcl_arg_buffer(B->col), lcl_arg_buffer(B->map))) < 0)
        return st;
    return LCL_LAUNCH(phase->kernels[LCL_SYMBOLIC_SORT_LONG],
                      phase->long_rows_count, lcl_arg_buffer(phase->long_rows),
                      lcl_arg_buffer(phase->inverse),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(B->map));
}

// ------------------------------------------------------------------- phase

// Reads A, for its levels and dropped entries; writes B and the levels.
static uint64_t pattern_bytes(const struct lcl_symbolic_phase *phase)
{
    const struct lcl_reordered *B = &phase->S->B;
    const uint64_t pattern =
        lcl_buffer_bytes(B->row_ptr) + lcl_buffer_bytes(B->col);
    return 2 * pattern + lcl_buffer_bytes(phase->val) +
           lcl_buffer_bytes(B->map) + lcl_buffer_bytes(B->perm) +
           lcl_buffer_bytes(phase->S->level);
}

static enum lcl_status analyse(struct lcl_symbolic_phase *phase)
{
    enum lcl_status st;
    if ((st = check_sizes(phase)) < 0 || (st = get_kernels(phase)) < 0 ||
        (st = allocate(phase)) < 0 || (st = order_rows(phase)) < 0 ||
        (st = lcl_symbolic_read_census(phase)) < 0 ||
        (st = run_reorder(phase)) < 0)
        return st;
    lcl_task_bytes(phase->ctx, pattern_bytes(phase));
    lcl_task_next(phase->ctx, LCL_TASK_SCHEDULE);
    return lcl_symbolic_schedule(phase);
}

static void phase_finish(struct lcl_symbolic_phase *phase)
{
    lcl_buffer **const buffers[] = {&phase->part_ptr,    &phase->inverse,
                                    &phase->sides,       &phase->start,
                                    &phase->census,      &phase->extent,
                                    &phase->long_rows,   &phase->long_count,
                                    &phase->first_stage, &phase->room};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
}

enum lcl_status lcl_symbolic_init(struct lcl_symbolic *S, lcl_context *ctx,
                                  const struct lcl_pattern *pattern,
                                  const struct lcl_subdomains *P,
                                  const lcl_buffer *val,
                                  const struct lcl_symbolic_params *params)
{
    struct lcl_symbolic_phase phase = {.ctx = ctx,
                                       .pattern = pattern,
                                       .P = P,
                                       .val = val,
                                       .params = *params,
                                       .S = S};
    assert((params->group & (params->group - 1)) == 0);
    assert(pattern->rows == lcl_subdomains_rows(P));
    *S = (struct lcl_symbolic){.schedule = {.n = pattern->rows,
                                            .entries = pattern->entries,
                                            .parts = P->parts}};
    const enum lcl_status st = analyse(&phase);
    phase_finish(&phase);
    if (st < 0)
        lcl_symbolic_finish(S);
    return st;
}

void lcl_symbolic_finish(struct lcl_symbolic *S)
{
    lcl_buffer_destroy(&S->B.perm);
    lcl_buffer_destroy(&S->B.row_ptr);
    lcl_buffer_destroy(&S->B.col);
    lcl_buffer_destroy(&S->B.map);
    lcl_buffer_destroy(&S->level);
    lcl_schedule_finish(&S->schedule);
    *S = (struct lcl_symbolic){.levels_max = 0};
}
