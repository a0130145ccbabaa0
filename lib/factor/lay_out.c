// SPDX-License-Identifier: BSD-3-Clause
// Second part of the analysis on the device: from the census of the subdomains
// to the layout of their factors.
#include "lib/factor/analysis.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/triangle_free.h"

#include <assert.h>

static_assert(sizeof(struct lcl_census) == 56, "as the device sees it");
static_assert(sizeof(struct lcl_extent) == 24, "as the device sees it");

static enum lcl_status fail_device(const struct lcl_analysis *a,
                                   const char *what)
{
    return lcl_fail(lcl_context_log(a->ctx), LCL_ESELFTEST,
                    "%s gives impossible %s: it computes wrong results",
                    lcl_context_caps(a->ctx)->name, what);
}

// ------------------------------------------------------------------- census

struct totals {
    int64_t entries, kept, diagonals, levels, long_rows;
    double kept_weight, dropped_weight, couplings, opposite;
};

static bool census_is_sound(const struct lcl_census *C, int64_t rows)
{
    return C->levels >= 1 && C->levels <= rows && C->steps >= 1 &&
           C->steps <= rows && C->diagonals <= rows &&
           C->kept >= C->diagonals && C->kept <= C->entries;
}

// Sets the places of a subdomain, except for slots and stages.
static enum lcl_status place_part(struct lcl_analysis *a, int64_t p,
                                  const struct lcl_census *C, struct totals *T)
{
    struct lcl_device_layout *D = &a->S->layout;
    const int64_t rows = lcl_analysis_rows(a, p);
    if (!census_is_sound(C, rows))
        return fail_device(a, "levels");
    if (C->entries > INT32_MAX)
        return lcl_fail(lcl_context_log(a->ctx), LCL_ERANGE,
                        "subdomain %lld has %lld rows and %lld entries, "
                        "expected at most 65535 and 2147483647",
                        (long long)p, (long long)rows, (long long)C->entries);
    D->subdomain[p] = (struct lcl_part){.entry = (uint64_t)T->entries,
                                        .row = (uint32_t)a->P->part_ptr[p],
                                        .rows = (uint32_t)rows,
                                        .step = (uint32_t)D->steps,
                                        .steps = C->steps};
    D->steps += C->steps;
    a->S->levels_max = lcl_analysis_max(a->S->levels_max, C->levels);
    T->entries += C->entries;
    T->kept += C->kept;
    T->diagonals += C->diagonals;
    T->levels += C->levels;
    T->kept_weight += C->kept_weight;
    T->dropped_weight += C->dropped_weight;
    T->couplings += C->couplings;
    T->opposite += C->opposite;
    return LCL_OK;
}

static void describe(struct lcl_analysis *a, const struct totals *T)
{
    const int64_t dropped = T->entries - T->kept;
    const int64_t couplings = T->entries - T->diagonals;
    const double weight = T->kept_weight + T->dropped_weight;
    a->S->drop = (struct lcl_drop_info){
        .kept = T->kept,
        .share = couplings ? (double)dropped / (double)couplings : 0,
        .weight = weight > 0 ? T->dropped_weight / weight : 0,
        .missing_diagonals = a->P->n - T->diagonals,
        .opposite = T->couplings > 0 ? T->opposite / T->couplings : 0,
    };
    a->S->levels_mean = (double)T->levels / (double)a->P->parts;
}

static enum lcl_status write_parts(const struct lcl_analysis *a)
{
    const struct lcl_device_layout *D = &a->S->layout;
    return lcl_buffer_write(D->part, D->subdomain,
                            (size_t)D->parts * sizeof *D->subdomain);
}

enum lcl_status lcl_analysis_read_census(struct lcl_analysis *a)
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
    a->stage_limit = lcl_stage_limit(T.kept - T.diagonals, a->P->n);
    describe(a, &T);
    return write_parts(a);
}

// ------------------------------------------------------------------- layout

static enum lcl_status run_steps(struct lcl_analysis *a)
{
    struct lcl_device_layout *D = &a->S->layout;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&D->step, a->ctx, D->steps,
                                sizeof(struct lcl_step), "steps")) < 0 ||
        (st = lcl_buffer_create(&a->first_stage, a->ctx, 2 * D->steps,
                                sizeof(uint32_t), "places of stages")) < 0)
        return st;
    return LCL_LAUNCH(a->kernels[LCL_ANALYSIS_STEPS], D->parts,
                      lcl_arg_buffer(D->part), lcl_arg_buffer(a->S->level),
                      lcl_arg_buffer(a->start), lcl_arg_buffer(a->sides),
                      lcl_arg_int(a->params.group), lcl_arg_buffer(D->step),
                      lcl_arg_buffer(D->step_of));
}

enum lcl_status lcl_analysis_place_slots(struct lcl_analysis *a,
                                         struct lcl_part *part,
                                         const struct lcl_extent *E)
{
    struct lcl_device_layout *D = &a->S->layout;
    if (E->slots > INT32_MAX)
        return lcl_fail(lcl_context_log(a->ctx), LCL_ERANGE,
                        "a subdomain needs %llu slots, expected at most 2^31 - "
                        "1",
                        (unsigned long long)E->slots);
    part->slot = (uint64_t)D->slots;
    part->slots = (uint32_t)E->slots;
    part->stage = (uint32_t)D->stages;
    part->stages = E->stages;
    D->slots += (int64_t)((E->slots + LCL_SLOT_ALIGN - 1) / LCL_SLOT_ALIGN *
                          LCL_SLOT_ALIGN);
    D->stages += E->stages;
    D->stages_max = lcl_analysis_max(D->stages_max, E->stages);
    D->planes_max = (int)lcl_analysis_max(D->planes_max, E->planes);
    D->stage_entries =
        D->planes_max < a->stage_limit ? D->planes_max : a->stage_limit;
    return LCL_OK;
}

// At least one slot for 1/d and one stage in each step; at most as many planes
// as rows.
static bool extent_is_sound(const struct lcl_extent *E,
                            const struct lcl_part *part)
{
    return E->planes < part->rows && E->slots >= part->rows &&
           E->slots <= (uint64_t)part->rows * (2 * E->planes + 1u) &&
           E->stages >= part->steps && E->stages <= E->unshared &&
           E->unshared <= (uint64_t)part->steps * (2 * E->planes + 1u);
}

// Computes the needs of the subdomains; stages[0] is the total, stages[1] the
// total with one lane per row.
static enum lcl_status find_extents(const struct lcl_analysis *a,
                                    struct lcl_extent *extent,
                                    int64_t stages[2])
{
    const struct lcl_device_layout *D = &a->S->layout;
    enum lcl_status st;
    stages[0] = stages[1] = 0;
    if ((st = LCL_LAUNCH(a->kernels[LCL_ANALYSIS_PLACES], D->parts,
                         lcl_arg_buffer(D->part), lcl_arg_buffer(D->step),
                         lcl_arg_buffer(a->first_stage),
                         lcl_arg_buffer(a->extent), lcl_arg_int(a->stage_limit),
                         lcl_arg_int(D->lanes))) < 0 ||
        (st = lcl_buffer_read(a->extent, extent,
                              (size_t)D->parts * sizeof *extent)) < 0)
        return st;
    for (int64_t p = 0; p < D->parts; ++p) {
        if (!extent_is_sound(&extent[p], &D->subdomain[p]))
            return fail_device(a, "steps");
        stages[0] += extent[p].stages;
        stages[1] += extent[p].unshared;
    }
    return LCL_OK;
}

static enum lcl_status run_places(struct lcl_analysis *a)
{
    struct lcl_device_layout *D = &a->S->layout;
    int64_t stages[2];
    enum lcl_status st;
    struct lcl_extent *extent = lcl_malloc((size_t)D->parts, sizeof *extent);
    if (!extent)
        return lcl_fail_memory(lcl_context_log(a->ctx), "subdomains");
    D->lanes = a->params.lanes;
    st = find_extents(a, extent, stages);
    if (st == LCL_OK && !lcl_sharing_pays(stages[0], stages[1])) {
        D->lanes = 1;
        if (stages[0] < stages[1])
            st = find_extents(a, extent, stages);
    }
    for (int64_t p = 0; p < D->parts && st == LCL_OK; ++p)
        st = lcl_analysis_place_slots(a, &D->subdomain[p], &extent[p]);
    lcl_free(extent);
    if (st == LCL_OK && D->stages > UINT32_MAX)
        return lcl_fail(lcl_context_log(a->ctx), LCL_ERANGE,
                        "the factors need %lld stages, expected at most 2^32 - "
                        "1",
                        (long long)D->stages);
    // padding: a kernel may read ahead
    D->slots += 2 * LCL_SLOT_ALIGN * a->params.group;
    return st;
}

static enum lcl_status run_fill(struct lcl_analysis *a)
{
    struct lcl_device_layout *D = &a->S->layout;
    const struct lcl_reordered *B = &a->S->B;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&D->stage, a->ctx, D->stages,
                                sizeof(struct lcl_stage), "stages")) < 0 ||
        (st = lcl_buffer_create(&D->col, a->ctx, D->slots, sizeof(uint16_t),
                                "factor columns")) < 0 ||
        (st = lcl_buffer_create(&D->source, a->ctx, D->slots, sizeof(int32_t),
                                "slot sources")) < 0 ||
        (st = LCL_LAUNCH(a->kernels[LCL_ANALYSIS_STAGES], D->parts,
                         lcl_arg_buffer(D->part), lcl_arg_buffer(D->step),
                         lcl_arg_buffer(a->first_stage),
                         lcl_arg_buffer(D->stage), lcl_arg_int(a->stage_limit),
                         lcl_arg_int(D->lanes))) < 0)
        return st;
    return LCL_LAUNCH(a->kernels[LCL_ANALYSIS_FILL], D->parts,
                      lcl_arg_buffer(D->part), lcl_arg_buffer(D->step),
                      lcl_arg_buffer(D->step_of), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_long(D->slots),
                      lcl_arg_buffer(D->col), lcl_arg_buffer(D->source),
                      lcl_arg_buffer(D->diagonal));
}

enum lcl_status lcl_analysis_lay_out(struct lcl_analysis *a)
{
    enum lcl_status st;
    if ((st = run_steps(a)) < 0 || (st = run_places(a)) < 0 ||
        (st = write_parts(a)) < 0 || (st = run_fill(a)) < 0)
        return st;
    // only one factorisation exists for blocks
    return a->A->block > 1
               ? LCL_OK
               : lcl_find_mirrors(&a->S->layout, a->ctx,
                                  a->kernels[LCL_ANALYSIS_FIND_MIRRORS]);
}
