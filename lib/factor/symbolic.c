// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a pattern, on the device.
#include "lib/factor/symbolic.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/format/csr.h"

#include "cl/symbolic.cl.h"

#include <assert.h>

static_assert(sizeof(struct lcl_census) == 40, "as the device sees it");
static_assert(sizeof(struct lcl_extent) == 24, "as the device sees it");

enum {
    ROWS_STEP = 128,   // sizes of local arrays: fewer programs
    ROWS_PER_LANE = 4, // more rows than this a lane: twice the group
    MOST_LANES = 128,
};

enum kernel {
    INVERT,
    CENSUS,
    LEVELS,
    REVERSE,
    FOLD,
    ORDER,
    ROW_POINTERS,
    REORDER_ROWS,
    SORT_LONG,
    STEPS,
    PLACES,
    SWEEPS,
    FILL,
    KERNELS,
};

static const char *const kernel_names[KERNELS] = {
    [INVERT] = "invert",
    [CENSUS] = "census",
    [LEVELS] = "levels",
    [REVERSE] = "reverse",
    [FOLD] = "fold",
    [ORDER] = "order",
    [ROW_POINTERS] = "row_pointers",
    [REORDER_ROWS] = "reorder_rows",
    [SORT_LONG] = "sort_long",
    [STEPS] = "steps",
    [PLACES] = "places",
    [SWEEPS] = "sweeps",
    [FILL] = "fill",
};

// An analysis under way: what it needs besides its results.
struct analysis {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    const struct lcl_partition *P;
    struct lcl_symbolic_params params;
    struct lcl_symbolic *S;
    lcl_kernel *kernels[KERNELS];
    int groups; // of a kernel over all rows
    lcl_buffer *part_ptr, *inverse, *sides, *start;
    lcl_buffer *census, *extent;
    lcl_buffer *long_rows, *long_count;
    lcl_buffer *first_sweep;
    int32_t long_rows_count;
    int sweep_limit; // lcl_sweep_limit()
};

static enum lcl_status fail_device(const struct analysis *a, const char *what)
{
    return lcl_fail(lcl_context_log(a->ctx), LCL_ESELFTEST,
                    "%s gives %s that cannot be: it computes wrong results",
                    lcl_context_caps(a->ctx)->name, what);
}

static int64_t part_rows(const struct analysis *a, int64_t p)
{
    return a->P->part_ptr[p + 1] - a->P->part_ptr[p];
}

static int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

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

static enum lcl_status get_kernels(struct analysis *a)
{
    const struct lcl_caps *caps = lcl_context_caps(a->ctx);
    const int64_t rows = a->S->layout.rows_max;
    struct lcl_spec spec = {.source = "symbolic.cl",
                            .group = lanes_for(caps, rows)};
    enum lcl_status st = LCL_OK;
    if (a->A->block > 1)
        spec.block = a->A->block;
    if (caps->width > 1)
        spec.rows = (int)(rows + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP;
    a->groups = lcl_vector_groups(caps);
    for (int k = 0; k < KERNELS && st == LCL_OK; ++k) {
        spec.kernel = kernel_names[k];
        st = lcl_kernel_get(&a->kernels[k], a->ctx, &spec);
    }
    return st;
}

// ------------------------------------------------------------------- sizes

static enum lcl_status check_sizes(struct analysis *a)
{
    const struct lcl_log *log = lcl_context_log(a->ctx);
    struct lcl_device_layout *D = &a->S->layout;
    // wide row pointers begin a little earlier
    if (lcl_buffer_bytes(a->A->row_ptr) !=
        (size_t)(a->P->n + 1) * sizeof(uint32_t))
        return lcl_fail(log, LCL_ERANGE,
                        "%lld entries: reordering is limited to 2^32 - 1",
                        (long long)a->A->blocks);
    for (int64_t p = 0; p < D->parts; ++p)
        D->rows_max = max_of(D->rows_max, part_rows(a, p));
    if (D->rows_max > UINT16_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "a subdomain has %lld rows: at most 65535 fit",
                        (long long)D->rows_max);
    return LCL_OK;
}

static enum lcl_status upload_part_ptr(struct analysis *a)
{
    const struct lcl_partition *P = a->P;
    int32_t *narrow = lcl_malloc((size_t)P->parts + 1, sizeof *narrow);
    if (!narrow)
        return lcl_fail_memory(lcl_context_log(a->ctx), "subdomains");
    for (int64_t p = 0; p <= P->parts; ++p)
        narrow[p] = (int32_t)P->part_ptr[p];
    const enum lcl_status st =
        lcl_buffer_create_from(&a->part_ptr, a->ctx, narrow, P->parts + 1,
                               sizeof *narrow, "subdomains");
    lcl_free(narrow);
    return st;
}

static enum lcl_status allocate(struct analysis *a)
{
    lcl_context *ctx = a->ctx;
    struct lcl_symbolic *S = a->S;
    const int64_t n = a->P->n, parts = a->P->parts;
    static const int32_t zero = 0;
    const struct {
        lcl_buffer **buffer;
        int64_t count;
        size_t size;
        const char *what;
    } buffers[] = {
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
    enum lcl_status st = LCL_OK;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && st == LCL_OK;
         ++i)
        st = lcl_buffer_create(buffers[i].buffer, ctx, buffers[i].count,
                               buffers[i].size, buffers[i].what);
    if (st < 0 || (st = upload_part_ptr(a)) < 0 ||
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

static enum lcl_status invert(const struct analysis *a, const lcl_buffer *perm)
{
    return LCL_LAUNCH(a->kernels[INVERT], a->groups, lcl_arg_long(a->P->n),
                      lcl_arg_buffer(perm), lcl_arg_buffer(a->inverse));
}

static enum lcl_status take_census(const struct analysis *a)
{
    const struct lcl_device_matrix *A = a->A;
    return LCL_LAUNCH(a->kernels[CENSUS], a->P->parts,
                      lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(a->S->B.perm),
                      lcl_arg_buffer(a->inverse), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(a->sides), lcl_arg_buffer(a->census),
                      lcl_arg_buffer(a->long_rows),
                      lcl_arg_buffer(a->long_count));
}

// Levels of the rows in the order of `perm`, which `inverse` follows.
static enum lcl_status find_levels(const struct analysis *a,
                                   const lcl_buffer *perm, lcl_buffer *level)
{
    return LCL_LAUNCH(a->kernels[LEVELS], a->P->parts,
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

// The rows of each subdomain by level, in buffers of their own.
static enum lcl_status sort_rows(struct analysis *a)
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
    st = LCL_LAUNCH(a->kernels[ORDER], a->P->parts, lcl_arg_buffer(a->part_ptr),
                    lcl_arg_buffer(S->B.perm), lcl_arg_buffer(a->A->row_ptr),
                    lcl_arg_buffer(S->level), lcl_arg_buffer(a->sides),
                    lcl_arg_buffer(perm), lcl_arg_buffer(a->inverse),
                    lcl_arg_buffer(level), lcl_arg_buffer(sides),
                    lcl_arg_buffer(keys));
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

// Levels from both ends, and the rows of each subdomain in their order.
static enum lcl_status fold_rows(struct analysis *a)
{
    const int64_t n = a->P->n;
    struct lcl_symbolic *S = a->S;
    lcl_buffer *reversed = NULL, *level = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&reversed, a->ctx, n, sizeof(int32_t),
                                "permutation")) < 0 ||
        (st = lcl_buffer_create(&level, a->ctx, n, sizeof(int32_t), "levels")) <
            0 ||
        (st = lcl_buffer_fill(a->sides, 0)) < 0 || // follow, and do not count
        (st = find_levels(a, S->B.perm, S->level)) < 0 ||
        (st = LCL_LAUNCH(a->kernels[REVERSE], a->P->parts,
                         lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(S->B.perm),
                         lcl_arg_buffer(reversed))) < 0 ||
        (st = invert(a, reversed)) < 0 ||
        (st = find_levels(a, reversed, level)) < 0 ||
        (st = LCL_LAUNCH(a->kernels[FOLD], a->P->parts,
                         lcl_arg_buffer(a->part_ptr), lcl_arg_buffer(level),
                         lcl_arg_buffer(S->level))) < 0)
        goto out;
    st = sort_rows(a);
out:
    lcl_buffer_destroy(&level);
    lcl_buffer_destroy(&reversed);
    return st;
}

static enum lcl_status order_rows(struct analysis *a)
{
    enum lcl_status st;
    if ((st = invert(a, a->S->B.perm)) < 0 ||
        (a->params.folded && (st = fold_rows(a)) < 0) ||
        (st = take_census(a)) < 0 ||
        (st = find_levels(a, a->S->B.perm, a->S->level)) < 0)
        return st;
    return sort_rows(a);
}

// ------------------------------------------------------------------- census

struct totals {
    int64_t entries, kept, diagonals, levels, long_rows;
    double kept_weight, dropped_weight;
};

static bool census_is_sound(const struct lcl_census *C, int64_t rows)
{
    return C->levels >= 1 && C->levels <= rows && C->steps >= 1 &&
           C->steps <= rows && C->diagonals <= rows &&
           C->kept >= C->diagonals && C->kept <= C->entries;
}

// The places of a subdomain but for slots and sweeps.
static enum lcl_status place_part(struct analysis *a, int64_t p,
                                  const struct lcl_census *C, struct totals *T)
{
    struct lcl_device_layout *D = &a->S->layout;
    const int64_t rows = part_rows(a, p);
    if (!census_is_sound(C, rows))
        return fail_device(a, "levels");
    if (C->entries > INT32_MAX)
        return lcl_fail(lcl_context_log(a->ctx), LCL_ERANGE,
                        "subdomain %lld: %lld rows and %lld entries; at most "
                        "65535 and 2147483647 fit",
                        (long long)p, (long long)rows, (long long)C->entries);
    D->subdomain[p] = (struct lcl_part){.entry = (uint64_t)T->entries,
                                        .row = (uint32_t)a->P->part_ptr[p],
                                        .rows = (uint32_t)rows,
                                        .step = (uint32_t)D->steps,
                                        .steps = C->steps};
    D->steps += C->steps;
    a->S->levels_max = max_of(a->S->levels_max, C->levels);
    T->entries += C->entries;
    T->kept += C->kept;
    T->diagonals += C->diagonals;
    T->levels += C->levels;
    T->kept_weight += C->kept_weight;
    T->dropped_weight += C->dropped_weight;
    return LCL_OK;
}

static void describe(struct analysis *a, const struct totals *T)
{
    const int64_t dropped = T->entries - T->kept;
    const int64_t couplings = T->entries - T->diagonals;
    const double weight = T->kept_weight + T->dropped_weight;
    a->S->drop = (struct lcl_drop_info){
        .kept = T->kept,
        .share = couplings ? (double)dropped / (double)couplings : 0,
        .weight = weight > 0 ? T->dropped_weight / weight : 0,
        .missing_diagonals = a->P->n - T->diagonals,
    };
    a->S->levels_mean = (double)T->levels / (double)a->P->parts;
}

static enum lcl_status read_census(struct analysis *a)
{
    const int64_t parts = a->P->parts;
    struct totals T = {0};
    struct lcl_census *census = lcl_malloc((size_t)parts, sizeof *census);
    if (!census)
        return lcl_fail_memory(lcl_context_log(a->ctx), "subdomains");
    enum lcl_status st =
        lcl_buffer_read(a->census, census, (size_t)parts * sizeof *census);
    if (st == LCL_OK)
        st = lcl_buffer_read(a->long_count, &a->long_rows_count,
                             sizeof a->long_rows_count);
    for (int64_t p = 0; p < parts && st == LCL_OK; ++p)
        st = place_part(a, p, &census[p], &T);
    lcl_free(census);
    if (st < 0)
        return st;
    if (T.entries != a->A->blocks || a->long_rows_count < 0 ||
        a->long_rows_count > a->P->n)
        return fail_device(a, "rows");
    a->sweep_limit = lcl_sweep_limit(T.kept - T.diagonals, a->P->n);
    describe(a, &T);
    return LCL_OK;
}

static enum lcl_status write_parts(const struct analysis *a)
{
    const struct lcl_device_layout *D = &a->S->layout;
    return lcl_buffer_write(D->part, D->subdomain,
                            (size_t)D->parts * sizeof *D->subdomain);
}

// ------------------------------------------------------------------- reorder

static enum lcl_status run_reorder(const struct analysis *a)
{
    const struct lcl_device_matrix *A = a->A;
    const struct lcl_reordered *B = &a->S->B;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(a->kernels[ROW_POINTERS], a->P->parts,
                         lcl_arg_buffer(a->S->layout.part),
                         lcl_arg_buffer(B->perm), lcl_arg_buffer(A->row_ptr),
                         lcl_arg_buffer(B->row_ptr))) < 0 ||
        (st = LCL_LAUNCH(a->kernels[REORDER_ROWS], a->groups,
                         lcl_arg_long(a->P->n), lcl_arg_buffer(B->perm),
                         lcl_arg_buffer(a->inverse), lcl_arg_buffer(A->row_ptr),
                         lcl_arg_buffer(A->col), lcl_arg_buffer(B->row_ptr),
                         lcl_arg_buffer(B->col), lcl_arg_buffer(B->map))) < 0)
        return st;
    return LCL_LAUNCH(a->kernels[SORT_LONG], a->long_rows_count,
                      lcl_arg_buffer(a->long_rows), lcl_arg_buffer(a->inverse),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_buffer(B->map));
}

// ------------------------------------------------------------------- layout

static enum lcl_status run_steps(struct analysis *a)
{
    struct lcl_device_layout *D = &a->S->layout;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&D->step, a->ctx, D->steps,
                                sizeof(struct lcl_step), "steps")) < 0 ||
        (st = lcl_buffer_create(&a->first_sweep, a->ctx, 2 * D->steps,
                                sizeof(uint32_t), "places of sweeps")) < 0)
        return st;
    return LCL_LAUNCH(a->kernels[STEPS], D->parts, lcl_arg_buffer(D->part),
                      lcl_arg_buffer(a->S->level), lcl_arg_buffer(a->start),
                      lcl_arg_buffer(a->sides), lcl_arg_int(a->params.group),
                      lcl_arg_buffer(D->step), lcl_arg_buffer(D->step_of));
}

static enum lcl_status place_slots(struct analysis *a, struct lcl_part *part,
                                   const struct lcl_extent *E)
{
    struct lcl_device_layout *D = &a->S->layout;
    if (E->slots > INT32_MAX)
        return lcl_fail(lcl_context_log(a->ctx), LCL_ERANGE,
                        "a subdomain needs %llu slots: at most 2^31 - 1 fit",
                        (unsigned long long)E->slots);
    part->slot = (uint64_t)D->slots;
    part->slots = (uint32_t)E->slots;
    part->sweep = (uint32_t)D->sweeps;
    part->sweeps = E->sweeps;
    D->slots += (int64_t)((E->slots + LCL_SLOT_ALIGN - 1) / LCL_SLOT_ALIGN *
                          LCL_SLOT_ALIGN);
    D->sweeps += E->sweeps;
    D->sweeps_max = max_of(D->sweeps_max, E->sweeps);
    if (E->planes > (uint32_t)D->sweep_entries)
        D->sweep_entries =
            (int)E->planes < a->sweep_limit ? (int)E->planes : a->sweep_limit;
    return LCL_OK;
}

// A slot for 1/d and a sweep in each step at least; as many planes as rows at
// most.
static bool extent_is_sound(const struct lcl_extent *E,
                            const struct lcl_part *part)
{
    return E->planes < part->rows && E->slots >= part->rows &&
           E->slots <= (uint64_t)part->rows * (2 * E->planes + 1u) &&
           E->sweeps >= part->steps && E->sweeps <= E->unshared &&
           E->unshared <= (uint64_t)part->steps * (2 * E->planes + 1u);
}

// What the subdomains need; sweeps[0] of all, sweeps[1] with a lane a row.
static enum lcl_status find_extents(const struct analysis *a,
                                    struct lcl_extent *extent,
                                    int64_t sweeps[2])
{
    const struct lcl_device_layout *D = &a->S->layout;
    enum lcl_status st;
    sweeps[0] = sweeps[1] = 0;
    if ((st =
             LCL_LAUNCH(a->kernels[PLACES], D->parts, lcl_arg_buffer(D->part),
                        lcl_arg_buffer(D->step), lcl_arg_buffer(a->first_sweep),
                        lcl_arg_buffer(a->extent), lcl_arg_int(a->sweep_limit),
                        lcl_arg_int(D->lanes))) < 0 ||
        (st = lcl_buffer_read(a->extent, extent,
                              (size_t)D->parts * sizeof *extent)) < 0)
        return st;
    for (int64_t p = 0; p < D->parts; ++p) {
        if (!extent_is_sound(&extent[p], &D->subdomain[p]))
            return fail_device(a, "steps");
        sweeps[0] += extent[p].sweeps;
        sweeps[1] += extent[p].unshared;
    }
    return LCL_OK;
}

static enum lcl_status run_places(struct analysis *a)
{
    struct lcl_device_layout *D = &a->S->layout;
    int64_t sweeps[2];
    enum lcl_status st;
    struct lcl_extent *extent = lcl_malloc((size_t)D->parts, sizeof *extent);
    if (!extent)
        return lcl_fail_memory(lcl_context_log(a->ctx), "subdomains");
    D->lanes = a->params.lanes;
    st = find_extents(a, extent, sweeps);
    if (st == LCL_OK && !lcl_sharing_pays(sweeps[0], sweeps[1])) {
        D->lanes = 1;
        if (sweeps[0] < sweeps[1])
            st = find_extents(a, extent, sweeps);
    }
    for (int64_t p = 0; p < D->parts && st == LCL_OK; ++p)
        st = place_slots(a, &D->subdomain[p], &extent[p]);
    lcl_free(extent);
    if (st == LCL_OK && D->sweeps > UINT32_MAX)
        return lcl_fail(lcl_context_log(a->ctx), LCL_ERANGE,
                        "%lld sweeps: at most 2^32 - 1 fit",
                        (long long)D->sweeps);
    // a kernel may read ahead
    D->slots += 2 * LCL_SLOT_ALIGN * a->params.group;
    return st;
}

static enum lcl_status run_fill(struct analysis *a)
{
    struct lcl_device_layout *D = &a->S->layout;
    const struct lcl_reordered *B = &a->S->B;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&D->sweep, a->ctx, D->sweeps,
                                sizeof(struct lcl_sweep), "sweeps")) < 0 ||
        (st = lcl_buffer_create(&D->col, a->ctx, D->slots, sizeof(uint16_t),
                                "factor columns")) < 0 ||
        (st = lcl_buffer_create(&D->source, a->ctx, D->slots, sizeof(int32_t),
                                "slot sources")) < 0 ||
        (st =
             LCL_LAUNCH(a->kernels[SWEEPS], D->parts, lcl_arg_buffer(D->part),
                        lcl_arg_buffer(D->step), lcl_arg_buffer(a->first_sweep),
                        lcl_arg_buffer(D->sweep), lcl_arg_int(a->sweep_limit),
                        lcl_arg_int(D->lanes))) < 0)
        return st;
    return LCL_LAUNCH(a->kernels[FILL], D->parts, lcl_arg_buffer(D->part),
                      lcl_arg_buffer(D->step), lcl_arg_buffer(D->step_of),
                      lcl_arg_buffer(B->row_ptr), lcl_arg_buffer(B->col),
                      lcl_arg_long(D->slots), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->source), lcl_arg_buffer(D->diagonal));
}

// ------------------------------------------------------------------- all of it

static enum lcl_status analyse(struct analysis *a)
{
    enum lcl_status st;
    if ((st = check_sizes(a)) < 0 || (st = get_kernels(a)) < 0 ||
        (st = allocate(a)) < 0 || (st = order_rows(a)) < 0 ||
        (st = read_census(a)) < 0 || (st = write_parts(a)) < 0 ||
        (st = run_reorder(a)) < 0 || (st = run_steps(a)) < 0 ||
        (st = run_places(a)) < 0 || (st = write_parts(a)) < 0)
        return st;
    return run_fill(a);
}

static void analysis_finish(struct analysis *a)
{
    lcl_buffer **const buffers[] = {
        &a->part_ptr, &a->inverse,   &a->sides,      &a->start,      &a->census,
        &a->extent,   &a->long_rows, &a->long_count, &a->first_sweep};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
}

enum lcl_status lcl_symbolic_init(struct lcl_symbolic *S, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_partition *P,
                                  const struct lcl_symbolic_params *params)
{
    struct analysis a = {.ctx = ctx, .A = A, .P = P, .params = *params, .S = S};
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
