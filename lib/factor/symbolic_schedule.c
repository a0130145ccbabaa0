// SPDX-License-Identifier: BSD-3-Clause
// Second part of the symbolic phase: from the census of the subdomains
// to the schedule of their factors.
#include "lib/factor/symbolic_phase.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/factor/triangle_free.h"

#include <assert.h>

static_assert(sizeof(struct lcl_census) == 56, "shared with kernels");
static_assert(sizeof(struct lcl_extent) == 24, "shared with kernels");

static enum lcl_status fail_device(const struct lcl_symbolic_phase *phase,
                                   const char *what)
{
    return lcl_fail(
        lcl_context_log(phase->ctx), LCL_ESELFTEST,
        "%s computes wrong results: impossible %s in the symbolic phase",
        lcl_context_caps(phase->ctx)->name, what);
}

// ------------------------------------------------------------------- census

struct totals {
    int64_t entries, kept, diagonals, levels, long_rows;
    double kept_weight, dropped_weight, couplings, opposite;
    uint32_t signs;
};

static bool census_is_sound(const struct lcl_census *C, int64_t rows)
{
    return C->levels >= 1 && C->levels <= rows && C->steps >= 1 &&
           C->steps <= rows && C->diagonals <= rows &&
           C->kept >= C->diagonals && C->kept <= C->entries && C->signs <= 3;
}

// Sets the places of a subdomain, except for slots and stages.
static enum lcl_status place_part(struct lcl_symbolic_phase *phase, int64_t p,
                                  const struct lcl_census *C, struct totals *T)
{
    struct lcl_schedule *D = &phase->S->schedule;
    const int64_t rows = lcl_symbolic_rows(phase, p);
    if (!census_is_sound(C, rows))
        return fail_device(phase, "levels");
    D->subdomain[p] = (struct lcl_part){.entry = (uint64_t)T->entries,
                                        .row = (uint32_t)phase->P->part_ptr[p],
                                        .rows = (uint32_t)rows,
                                        .step = (uint32_t)D->steps,
                                        .steps = C->steps};
    D->steps += C->steps;
    phase->S->levels_max = lcl_larger(phase->S->levels_max, C->levels);
    T->entries += C->entries;
    T->kept += C->kept;
    T->diagonals += C->diagonals;
    T->levels += C->levels;
    T->kept_weight += C->kept_weight;
    T->dropped_weight += C->dropped_weight;
    T->couplings += C->couplings;
    T->opposite += C->opposite;
    T->signs |= C->signs;
    return LCL_OK;
}

static void describe(struct lcl_symbolic_phase *phase, const struct totals *T)
{
    const int64_t dropped = T->entries - T->kept;
    const int64_t couplings = T->entries - T->diagonals;
    const double weight = T->kept_weight + T->dropped_weight;
    phase->S->drop = (struct lcl_drop_info){
        .kept = T->kept,
        .share = couplings ? (double)dropped / (double)couplings : 0,
        .weight = weight > 0 ? T->dropped_weight / weight : 0,
        .missing_diagonals = phase->pattern->rows - T->diagonals,
        .opposite = T->couplings > 0 ? T->opposite / T->couplings : 0,
        .mixed = T->signs == 3,
    };
    phase->S->levels_mean = (double)T->levels / (double)phase->P->parts;
}

static enum lcl_status write_parts(const struct lcl_symbolic_phase *phase)
{
    const struct lcl_schedule *D = &phase->S->schedule;
    return lcl_buffer_write(D->part, D->subdomain,
                            (size_t)D->parts * sizeof *D->subdomain);
}

enum lcl_status lcl_symbolic_read_census(struct lcl_symbolic_phase *phase)
{
    const int64_t parts = phase->P->parts;
    struct totals T = {0};
    struct lcl_census *census = lcl_malloc((size_t)parts, sizeof *census);
    if (!census)
        return lcl_fail_memory(lcl_context_log(phase->ctx), "subdomains");
    enum lcl_status st =
        lcl_buffer_read(phase->census, census, (size_t)parts * sizeof *census);
    if (st == LCL_OK)
        st = lcl_buffer_read(phase->long_count, &phase->long_rows_count,
                             sizeof phase->long_rows_count);
    for (int64_t p = 0; p < parts && st == LCL_OK; ++p)
        st = place_part(phase, p, &census[p], &T);
    lcl_free(census);
    if (st < 0)
        return st;
    if (T.entries != phase->pattern->nnz || phase->long_rows_count < 0 ||
        phase->long_rows_count > phase->pattern->rows)
        return fail_device(phase, "rows");
    phase->stage_limit =
        lcl_stage_limit(T.kept - T.diagonals, phase->pattern->rows);
    describe(phase, &T);
    return write_parts(phase);
}

// ------------------------------------------------------------------- schedule

static enum lcl_status run_steps(struct lcl_symbolic_phase *phase)
{
    struct lcl_schedule *D = &phase->S->schedule;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&D->step, phase->ctx, D->steps,
                                sizeof(struct lcl_step), "steps")) < 0 ||
        (st = lcl_buffer_create(&phase->first_stage, phase->ctx, 2 * D->steps,
                                sizeof(uint32_t), "places of stages")) < 0)
        return st;
    return LCL_LAUNCH(
        phase->kernels[LCL_SYMBOLIC_STEPS], D->parts, lcl_arg_buffer(D->part),
        lcl_arg_buffer(phase->S->level), lcl_arg_buffer(phase->start),
        lcl_arg_buffer(phase->sides), lcl_arg_int(phase->params.group),
        lcl_arg_buffer(D->step), lcl_arg_buffer(D->step_of));
}

enum lcl_status lcl_symbolic_place_slots(struct lcl_symbolic_phase *phase,
                                         struct lcl_part *part,
                                         const struct lcl_extent *E)
{
    struct lcl_schedule *D = &phase->S->schedule;
    if (E->slots > INT32_MAX)
        return lcl_fail(lcl_context_log(phase->ctx), LCL_ERANGE,
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
    D->stages_max = lcl_larger(D->stages_max, E->stages);
    D->planes_max = (int)lcl_larger(D->planes_max, E->planes);
    D->stage_entries =
        D->planes_max < phase->stage_limit ? D->planes_max : phase->stage_limit;
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
static enum lcl_status find_extents(const struct lcl_symbolic_phase *phase,
                                    struct lcl_extent *extent,
                                    int64_t stages[2])
{
    const struct lcl_schedule *D = &phase->S->schedule;
    enum lcl_status st;
    stages[0] = stages[1] = 0;
    if ((st = LCL_LAUNCH(
             phase->kernels[LCL_SYMBOLIC_PLACES], D->parts,
             lcl_arg_buffer(D->part), lcl_arg_buffer(D->step),
             lcl_arg_buffer(phase->first_stage), lcl_arg_buffer(phase->extent),
             lcl_arg_int(phase->stage_limit), lcl_arg_int(D->lanes))) < 0 ||
        (st = lcl_buffer_read(phase->extent, extent,
                              (size_t)D->parts * sizeof *extent)) < 0)
        return st;
    for (int64_t p = 0; p < D->parts; ++p) {
        if (!extent_is_sound(&extent[p], &D->subdomain[p]))
            return fail_device(phase, "steps");
        stages[0] += extent[p].stages;
        stages[1] += extent[p].unshared;
    }
    return LCL_OK;
}

static enum lcl_status run_places(struct lcl_symbolic_phase *phase)
{
    struct lcl_schedule *D = &phase->S->schedule;
    int64_t stages[2];
    enum lcl_status st;
    struct lcl_extent *extent = lcl_malloc((size_t)D->parts, sizeof *extent);
    if (!extent)
        return lcl_fail_memory(lcl_context_log(phase->ctx), "subdomains");
    D->lanes = phase->params.lanes;
    st = find_extents(phase, extent, stages);
    if (st == LCL_OK && !lcl_sharing_pays(stages[0], stages[1])) {
        D->lanes = 1;
        if (stages[0] < stages[1])
            st = find_extents(phase, extent, stages);
    }
    for (int64_t p = 0; p < D->parts && st == LCL_OK; ++p)
        st = lcl_symbolic_place_slots(phase, &D->subdomain[p], &extent[p]);
    lcl_free(extent);
    if (st == LCL_OK && D->stages > UINT32_MAX)
        return lcl_fail(lcl_context_log(phase->ctx), LCL_ERANGE,
                        "the factors need %lld stages, expected at most 2^32 - "
                        "1",
                        (long long)D->stages);
    // padding: a kernel may read ahead
    D->slots += 2 * LCL_SLOT_ALIGN * phase->params.group;
    return st;
}

static enum lcl_status run_slots(struct lcl_symbolic_phase *phase)
{
    struct lcl_schedule *D = &phase->S->schedule;
    const struct lcl_reordered *B = &phase->S->B;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&D->stage, phase->ctx, D->stages,
                                sizeof(struct lcl_stage), "stages")) < 0 ||
        (st = lcl_buffer_create(&D->col, phase->ctx, D->slots, sizeof(uint16_t),
                                "factor columns")) < 0 ||
        (st = lcl_buffer_create(&D->source, phase->ctx, D->slots,
                                sizeof(uint32_t), "slot sources")) < 0 ||
        (st = LCL_LAUNCH(
             phase->kernels[LCL_SYMBOLIC_STAGES], D->parts,
             lcl_arg_buffer(D->part), lcl_arg_buffer(D->step),
             lcl_arg_buffer(phase->first_stage), lcl_arg_buffer(D->stage),
             lcl_arg_int(phase->stage_limit), lcl_arg_int(D->lanes))) < 0)
        return st;
    return LCL_LAUNCH(phase->kernels[LCL_SYMBOLIC_SLOTS], D->parts,
                      lcl_arg_buffer(D->part), lcl_arg_buffer(D->step),
                      lcl_arg_buffer(D->step_of), lcl_arg_buffer(B->row_ptr),
                      lcl_arg_buffer(B->col), lcl_arg_buffer(B->map),
                      lcl_arg_buffer(phase->pattern->source),
                      lcl_arg_long(D->slots), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->source), lcl_arg_buffer(D->diagonal));
}

// Reads B, writes columns and sources of the slots, steps and diagonals.
static uint64_t schedule_bytes(const struct lcl_symbolic_phase *phase)
{
    const struct lcl_schedule *D = &phase->S->schedule;
    const struct lcl_reordered *B = &phase->S->B;
    return lcl_buffer_bytes(B->row_ptr) + lcl_buffer_bytes(B->col) +
           lcl_buffer_bytes(B->map) + lcl_buffer_bytes(D->col) +
           lcl_buffer_bytes(D->source) + lcl_buffer_bytes(D->step_of) +
           lcl_buffer_bytes(D->diagonal);
}

enum lcl_status lcl_symbolic_schedule(struct lcl_symbolic_phase *phase)
{
    enum lcl_status st;
    if ((st = run_steps(phase)) < 0 || (st = run_places(phase)) < 0 ||
        (st = write_parts(phase)) < 0 || (st = run_slots(phase)) < 0)
        return st;
    lcl_task_bytes(phase->ctx, schedule_bytes(phase));
    // only one factorisation exists for blocks
    return phase->params.block > 1
               ? LCL_OK
               : lcl_find_mirrors(&phase->S->schedule, phase->ctx,
                                  phase->kernels[LCL_SYMBOLIC_FIND_MIRRORS]);
}
