// SPDX-License-Identifier: BSD-3-Clause
// Symbolic analysis of a pattern on the device.
#include "lib/factor/symbolic.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/analysis.h"

#include <assert.h>

enum {
    ROWS_STEP = 128,   // rounding of local array sizes: fewer programs
    ROWS_PER_LANE = 4, // with more rows per lane, the group size doubles
    MOST_LANES = 128,
};

static const struct {
    const char *source, *name;
} kernel_names[LCL_ANALYSIS_KERNELS] = {
    [LCL_ANALYSIS_INVERT] = {"symbolic.cl", "invert"},
    [LCL_ANALYSIS_CENSUS] = {"symbolic.cl", "census"},
    [LCL_ANALYSIS_LEVELS] = {"symbolic.cl", "levels"},
    [LCL_ANALYSIS_REVERSE] = {"symbolic.cl", "reverse"},
    [LCL_ANALYSIS_FOLD] = {"symbolic.cl", "fold"},
    [LCL_ANALYSIS_ORDER] = {"symbolic.cl", "order"},
    [LCL_ANALYSIS_ROW_POINTERS] = {"reorder.cl", "row_pointers"},
    [LCL_ANALYSIS_REORDER_ROWS] = {"reorder.cl", "reorder_rows"},
    [LCL_ANALYSIS_SORT_LONG] = {"reorder.cl", "sort_long"},
    [LCL_ANALYSIS_STEPS] = {"layout.cl", "steps"},
    [LCL_ANALYSIS_PLACES] = {"layout.cl", "places"},
    [LCL_ANALYSIS_STAGES] = {"layout.cl", "stages"},
    [LCL_ANALYSIS_FILL] = {"layout.cl", "fill"},
    [LCL_ANALYSIS_FIND_MIRRORS] = {"layout.cl", "find_mirrors"},
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

// Sizes of local arrays and of entries matter only to the kernels up to ORDER.
static enum lcl_status get_kernels(struct lcl_analysis *a)
{
    const struct lcl_caps *caps = lcl_context_caps(a->ctx);
    const int64_t rows = a->S->layout.rows_max;
    const int step = (int)(rows + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP;
    struct lcl_spec spec = {.group = lanes_for(caps, rows)};
    enum lcl_status st = LCL_OK;
    a->groups = lcl_vector_groups(caps);
    for (int k = 0; k < LCL_ANALYSIS_KERNELS && st == LCL_OK; ++k) {
        const bool first = k <= LCL_ANALYSIS_ORDER;
        spec.source = kernel_names[k].source;
        spec.kernel = kernel_names[k].name;
        lcl_spec_set(&spec, "SUBDOMAIN_ROWS",
                     first && caps->width > 1 ? step : 0);
        spec.block = first && a->A->block > 1 ? a->A->block : 0;
        st = lcl_kernel_get(&a->kernels[k], a->ctx, &spec);
    }
    return st;
}

// ------------------------------------------------------------------- sizes

static enum lcl_status check_sizes(struct lcl_analysis *a)
{
    const struct lcl_log *log = lcl_context_log(a->ctx);
    struct lcl_device_layout *D = &a->S->layout;
    if (a->A->wide)
        return lcl_refuse_wide(a->A->blocks, "factors on subdomains take", log);
    for (int64_t p = 0; p < D->parts; ++p)
        D->rows_max = lcl_analysis_max(D->rows_max, lcl_analysis_rows(a, p));
    if (D->rows_max > UINT16_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "a subdomain has %lld rows, expected at most 65535",
                        (long long)D->rows_max);
    return LCL_OK;
}

static enum lcl_status allocate(struct lcl_analysis *a)
{
    lcl_context *ctx = a->ctx;
    struct lcl_symbolic *S = a->S;
    const int64_t n = a->P->n, parts = a->P->parts;
    static const int32_t zero = 0;
    const struct lcl_buffer_plan buffers[] = {
        {&a->inverse, n, sizeof(int32_t), "inverse permutation"},
        {&a->sides, n, sizeof(uint32_t), "lengths of rows"},
        {&a->start, 2 * n, sizeof(int32_t), "starts of levels"},
        {&a->census, parts, sizeof(struct lcl_census), "census"},
        {&a->extent, parts, sizeof(struct lcl_extent), "extents"},
        {&a->long_rows, n, sizeof(int32_t), "long rows"},
        {&S->level, n, sizeof(int32_t), "levels"},
        {&S->B.row_ptr, n + 1, sizeof(uint32_t), "row pointers"},
        {&S->B.col, a->A->blocks, sizeof(int32_t), "columns"},
        {&S->B.map, a->A->blocks, sizeof(uint32_t), "map of entries"},
        {&S->layout.part, parts, sizeof(struct lcl_part), "subdomains"},
        {&S->layout.step_of, n, sizeof(uint16_t), "steps of rows"},
        {&S->layout.diagonal, n, sizeof(int32_t), "diagonals"},
    };
    enum lcl_status st =
        lcl_buffers_create(ctx, buffers, sizeof buffers / sizeof *buffers);
    if (st < 0 ||
        (st = lcl_buffer_create_narrow(&a->part_ptr, ctx, a->P->part_ptr,
                                       parts + 1, "subdomains")) < 0 ||
        (st = lcl_buffer_create_from(&S->B.perm, ctx, a->P->perm, n,
                                     sizeof(int32_t), "permutation")) < 0 ||
        (st = lcl_buffer_create_from(&a->long_count, ctx, &zero, 1, sizeof zero,
                                     "count of long rows")) < 0)
        return st;
    S->layout.subdomain = lcl_calloc((size_t)parts, sizeof(struct lcl_part));
    return S->layout.subdomain
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(ctx), "subdomains");
}

// ------------------------------------------------------------------- levels

static enum lcl_status invert(const struct lcl_analysis *a,
                              const lcl_buffer *perm)
{
    return LCL_LAUNCH(a->kernels[LCL_ANALYSIS_INVERT], a->groups,
                      lcl_arg_long(a->P->n), lcl_arg_buffer(perm),
                      lcl_arg_buffer(a->inverse));
}

static enum lcl_status take_census(const struct lcl_analysis *a)
{
    const struct lcl_device_matrix *A = a->A;
    return LCL_LAUNCH(a->kernels[LCL_ANALYSIS_CENSUS], a->P->parts,
                      lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(a->S->B.perm),
                      lcl_arg_buffer(a->inverse), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(a->sides), lcl_arg_buffer(a->census),
                      lcl_arg_buffer(a->long_rows),
                      lcl_arg_buffer(a->long_count));
}

// Computes the levels of the rows in the order of `perm`; a->inverse must be
// its inverse.
static enum lcl_status find_levels(const struct lcl_analysis *a,
                                   const lcl_buffer *perm, lcl_buffer *level)
{
    return LCL_LAUNCH(a->kernels[LCL_ANALYSIS_LEVELS], a->P->parts,
                      lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(perm),
                      lcl_arg_buffer(a->inverse), lcl_arg_buffer(a->A->row_ptr),
                      lcl_arg_buffer(a->A->col), lcl_arg_buffer(level),
                      lcl_arg_buffer(a->start), lcl_arg_buffer(a->census),
                      lcl_arg_int(a->params.group));
}

static void swap(lcl_buffer **a, lcl_buffer **b)
{
    lcl_buffer *kept = *a;
    *a = *b;
    *b = kept;
}

// Sorts the rows of each subdomain by level, into new buffers.
static enum lcl_status sort_rows(struct lcl_analysis *a)
{
    const int64_t n = a->P->n;
    struct lcl_symbolic *S = a->S;
    lcl_buffer *perm = NULL, *level = NULL, *sides = NULL, *keys = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&perm, a->ctx, n, sizeof(int32_t),
                                "permutation")) < 0 ||
        (st = lcl_buffer_create(&level, a->ctx, n, sizeof(int32_t), "levels")) <
            0 ||
        (st = lcl_buffer_create(&sides, a->ctx, n, sizeof(uint32_t),
                                "lengths of rows")) < 0)
        goto out;
    if (lcl_context_caps(a->ctx)->width == 1 &&
        (st = lcl_buffer_create(&keys, a->ctx, 2 * n, sizeof(uint64_t),
                                "keys of rows")) < 0)
        goto out;
    st = LCL_LAUNCH(a->kernels[LCL_ANALYSIS_ORDER], a->P->parts,
                    lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(S->B.perm),
                    lcl_arg_buffer(a->A->row_ptr), lcl_arg_buffer(S->level),
                    lcl_arg_buffer(a->sides), lcl_arg_buffer(perm),
                    lcl_arg_buffer(a->inverse), lcl_arg_buffer(level),
                    lcl_arg_buffer(sides), lcl_arg_buffer(keys));
    swap(&S->B.perm, &perm);
    swap(&S->level, &level);
    swap(&a->sides, &sides);
out:
    lcl_buffer_destroy(&perm);
    lcl_buffer_destroy(&level);
    lcl_buffer_destroy(&sides);
    lcl_buffer_destroy(&keys);
    return st;
}

// Computes levels from both ends, and the order of each subdomain's rows.
static enum lcl_status fold_rows(struct lcl_analysis *a)
{
    const int64_t n = a->P->n;
    struct lcl_symbolic *S = a->S;
    lcl_buffer *reversed = NULL, *level = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&reversed, a->ctx, n, sizeof(int32_t),
                                "permutation")) < 0 ||
        (st = lcl_buffer_create(&level, a->ctx, n, sizeof(int32_t), "levels")) <
            0 ||
        (st = lcl_buffer_fill(a->sides, 0)) < 0 || // counted later; no sort key
                                                   // here
        (st = find_levels(a, S->B.perm, S->level)) < 0 ||
        (st = LCL_LAUNCH(a->kernels[LCL_ANALYSIS_REVERSE], a->P->parts,
                         lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(S->B.perm),
                         lcl_arg_buffer(reversed))) < 0 ||
        (st = invert(a, reversed)) < 0 ||
        (st = find_levels(a, reversed, level)) < 0 ||
        (st = LCL_LAUNCH(a->kernels[LCL_ANALYSIS_FOLD], a->P->parts,
                         lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(level),
                         lcl_arg_buffer(S->level))) < 0)
        goto out;
    st = sort_rows(a);
out:
    lcl_buffer_destroy(&level);
    lcl_buffer_destroy(&reversed);
    return st;
}

static enum lcl_status order_rows(struct lcl_analysis *a)
{
    enum lcl_status st;
    if ((st = invert(a, a->S->B.perm)) < 0 ||
        (a->params.folded && (st = fold_rows(a)) < 0) ||
        (st = take_census(a)) < 0 ||
        (st = find_levels(a, a->S->B.perm, a->S->level)) < 0)
        return st;
    return sort_rows(a);
}

// ------------------------------------------------------------------- reorder

static enum lcl_status run_reorder(const struct lcl_analysis *a)
{
    const struct lcl_device_matrix *A = a->A;
    const struct lcl_reordered *B = &a->S->B;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(a->kernels[LCL_ANALYSIS_ROW_POINTERS], a->P->parts,
                         lcl_arg_buffer(a->S->layout.part),
                         lcl_arg_buffer(B->perm), lcl_arg_buffer(A->row_ptr),
                         lcl_arg_buffer(B->row_ptr))) < 0 ||
        (st = LCL_LAUNCH(a->kernels[LCL_ANALYSIS_REORDER_ROWS], a->groups,
                         lcl_arg_long(a->P->n), lcl_arg_buffer(B->perm),
                         lcl_arg_buffer(a->inverse), lcl_arg_buffer(A->row_ptr),
                         lcl_arg_buffer(A->col), lcl_arg_buffer(B->row_ptr),
                         lcl_arg_buffer(B->col), lcl_arg_buffer(B->map))) < 0)
        return st;
    return LCL_LAUNCH(a->kernels[LCL_ANALYSIS_SORT_LONG], a->long_rows_count,
                      lcl_arg_buffer(a->long_rows), lcl_arg_buffer(a->inverse),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(B->map));
}

// ------------------------------------------------------------------- all of it

static enum lcl_status analyse(struct lcl_analysis *a)
{
    enum lcl_status st;
    if ((st = check_sizes(a)) < 0 || (st = get_kernels(a)) < 0 ||
        (st = allocate(a)) < 0 || (st = order_rows(a)) < 0 ||
        (st = lcl_analysis_read_census(a)) < 0 || (st = run_reorder(a)) < 0)
        return st;
    return lcl_analysis_lay_out(a);
}

static void analysis_finish(struct lcl_analysis *a)
{
    lcl_buffer **const buffers[] = {
        &a->part_ptr, &a->inverse,   &a->sides,      &a->start,      &a->census,
        &a->extent,   &a->long_rows, &a->long_count, &a->first_stage};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
}

enum lcl_status lcl_symbolic_init(struct lcl_symbolic *S, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_partition *P,
                                  const struct lcl_symbolic_params *params)
{
    struct lcl_analysis a = {
        .ctx = ctx, .A = A, .P = P, .params = *params, .S = S};
    assert((params->group & (params->group - 1)) == 0);
    *S = (struct lcl_symbolic){
        .layout = {.n = P->n, .nnz = A->blocks, .parts = P->parts}};
    const enum lcl_status st = analyse(&a);
    analysis_finish(&a);
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
    lcl_device_layout_finish(&S->layout);
    *S = (struct lcl_symbolic){.levels_max = 0};
}
