// SPDX-License-Identifier: BSD-3-Clause
// Reference of the schedule of the factors of all subdomains.
#include "lib/ref/schedule.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"

// The range of rows first .. last-1 of B.
struct range {
    const struct lcl_csr *B;
    int64_t first, last;
};

struct counts {
    int lower, upper;
};

static struct counts count_row(const struct range *range, int64_t i)
{
    struct counts c = {0, 0};
    for (int64_t k = range->B->row_ptr[i]; k < range->B->row_ptr[i + 1]; ++k) {
        const int32_t j = range->B->col_ind[k];
        c.lower += j >= range->first && j < i;
        c.upper += j > i && j < range->last;
    }
    return c;
}

// End of the step that starts at row i: after `group` rows, at the end of the
// level or of the range.
static int64_t step_end(const struct range *range, const int32_t *level,
                        int group, int64_t i)
{
    int64_t end = i + 1;
    while (end < range->last && end - i < group && level[end] == level[i])
        ++end;
    return end;
}

static int64_t count_steps(const struct range *range, const int32_t *level,
                           int group)
{
    int64_t steps = 0;
    for (int64_t i = range->first; i < range->last;
         i = step_end(range, level, group, i))
        ++steps;
    return steps;
}

// Computes sizes and positions of all subdomains: part[], except for slots.
static enum lcl_status place_parts(struct lcl_host_schedule *L,
                                   const struct lcl_csr *B,
                                   const int64_t *part_ptr,
                                   const int32_t *level, int group,
                                   const struct lcl_log *log)
{
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct range range = {B, part_ptr[p], part_ptr[p + 1]};
        const int64_t rows = range.last - range.first;
        if (rows > UINT16_MAX)
            return lcl_fail(log, LCL_ERANGE,
                            "subdomain %lld: %lld rows; at most 65535 fit",
                            (long long)p, (long long)rows);
        const int64_t steps = count_steps(&range, level, group);
        L->part[p] =
            (struct lcl_part){.entry = (uint64_t)B->row_ptr[range.first],
                              .row = (uint32_t)range.first,
                              .rows = (uint32_t)rows,
                              .step = (uint32_t)L->steps,
                              .steps = (uint32_t)steps};
        L->steps += steps;
        L->rows_max = lcl_larger(L->rows_max, rows);
    }
    if (L->steps > UINT32_MAX)
        return lcl_fail(log, LCL_ERANGE, "%lld steps: at most 2^32 - 1 fit",
                        (long long)L->steps);
    return LCL_OK;
}

// A step of L has as many planes as its longest row has entries; a step of U
// one more, for 1/d.
static void size_step(struct lcl_step *s, const struct range *range,
                      int64_t first, int64_t last)
{
    int lower = 0, upper = 0;
    for (int64_t i = first; i < last; ++i) {
        const struct counts c = count_row(range, i);
        lower = c.lower > lower ? c.lower : lower;
        upper = c.upper > upper ? c.upper : upper;
    }
    *s = (struct lcl_step){.first = (uint16_t)(first - range->first),
                           .rows = (uint16_t)(last - first),
                           .lower_planes = (uint16_t)lower,
                           .upper_planes = (uint16_t)(upper + 1)};
}

static int longest_stage(const struct lcl_step *s, int limit, int entries)
{
    const int64_t planes = lcl_larger(s->lower_planes, s->upper_planes - 1);
    return planes > limit ? limit : (int)lcl_larger(planes, entries);
}

static uint32_t size_steps(struct lcl_host_schedule *L, struct lcl_step *step,
                           const struct range *range, const int32_t *level,
                           int group, int limit)
{
    uint32_t s = 0;
    for (int64_t i = range->first; i < range->last; ++s) {
        const int64_t end = step_end(range, level, group, i);
        size_step(&step[s], range, i, end);
        for (; i < end; ++i)
            L->step_of[i] = (uint16_t)s;
        L->stage_entries = longest_stage(&step[s], limit, L->stage_entries);
    }
    return s;
}

// Fills the slots of one subdomain: L in ascending, U in descending order of
// steps.
static enum lcl_status place_steps(struct lcl_host_schedule *L,
                                   struct lcl_part *part,
                                   const struct range *range,
                                   const int32_t *level, int group, int limit,
                                   const struct lcl_log *log)
{
    struct lcl_step *step = L->step + part->step;
    const uint32_t steps = size_steps(L, step, range, level, group, limit);
    uint64_t slots = 0;
    for (uint32_t s = 0; s < steps; ++s) {
        step[s].lower = (uint32_t)slots;
        slots += (uint64_t)step[s].rows * step[s].lower_planes;
    }
    for (uint32_t s = steps; s-- > 0;) {
        step[s].upper = (uint32_t)slots;
        slots += (uint64_t)step[s].rows * step[s].upper_planes;
    }
    if (slots > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "a subdomain needs %llu slots: at most 2^31 - 1 fit",
                        (unsigned long long)slots);
    part->slot = (uint64_t)L->slots;
    part->slots = (uint32_t)slots;
    L->slots += (int64_t)((slots + LCL_SLOT_ALIGN - 1) / LCL_SLOT_ALIGN *
                          LCL_SLOT_ALIGN);
    return LCL_OK;
}

// ------------------------------------------------------------------- stages

// Limits of a stage.
struct limits {
    int entries; // per lane
    int lanes;   // for all rows
};

// Number of lanes per row: enough to finish the longest row in one stage, if
// available.
static int lanes_of_row(int rows, int entries, struct limits limit)
{
    const int wanted = (entries + limit.entries - 1) / limit.entries;
    const int most = limit.lanes / rows;
    if (entries <= LCL_SHORT_ROW || most <= 1)
        return 1;
    return wanted < most ? wanted : most;
}

// Splits `entries` planes of a step of L, or of a step of U with its 1/d, into
// stages written to `out`, which may be NULL; returns their number.
static uint32_t split_step(struct lcl_stage *out, const struct lcl_step *s,
                           int entries, bool upper, struct limits limit)
{
    const int most = limit.entries * lanes_of_row(s->rows, entries, limit);
    uint32_t count = 0;
    for (int k = 0; k < entries || (upper && k == 0); ++count) {
        const bool diagonal = upper && k == 0;
        const int own = entries - k < most ? entries - k : most;
        const int lanes = (own + limit.entries - 1) / limit.entries;
        if (out)
            out[count] =
                (struct lcl_stage){.first = s->first,
                                   .rows = s->rows,
                                   .planes = (uint16_t)(own + diagonal),
                                   .flags = diagonal ? LCL_STAGE_DIAGONAL : 0,
                                   .lanes = (uint8_t)lcl_larger(lanes, 1)};
        k += own > 0 ? own : 1;
    }
    return count;
}

// Writes the stages of a subdomain to `out`, which may be NULL; returns their
// number.
static uint32_t split_part(struct lcl_stage *out, const struct lcl_step *step,
                           uint32_t steps, struct limits limit)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < steps; ++s)
        count += split_step(out ? out + count : NULL, &step[s],
                            step[s].lower_planes, false, limit);
    for (uint32_t s = steps; s-- > 0;)
        count += split_step(out ? out + count : NULL, &step[s],
                            step[s].upper_planes - 1, true, limit);
    return count;
}

static int64_t count_stages(const struct lcl_host_schedule *L,
                            struct limits limit)
{
    int64_t stages = 0;
    for (int64_t p = 0; p < L->parts; ++p)
        stages += split_part(NULL, L->step + L->part[p].step, L->part[p].steps,
                             limit);
    return stages;
}

static enum lcl_status place_stages(struct lcl_host_schedule *L,
                                    struct limits limit,
                                    const struct lcl_log *log)
{
    const struct limits alone = {limit.entries, 1};
    if (!lcl_sharing_pays(count_stages(L, limit), count_stages(L, alone)))
        limit = alone;
    for (int64_t p = 0; p < L->parts; ++p) {
        struct lcl_part *part = &L->part[p];
        part->stage = (uint32_t)L->stages;
        part->stages =
            split_part(NULL, L->step + part->step, part->steps, limit);
        L->stages += part->stages;
        L->stages_max = lcl_larger(L->stages_max, part->stages);
    }
    if (L->stages > UINT32_MAX)
        return lcl_fail(log, LCL_ERANGE, "%lld stages: at most 2^32 - 1 fit",
                        (long long)L->stages);
    L->stage = lcl_malloc((size_t)L->stages, sizeof *L->stage);
    if (!L->stage)
        return lcl_fail_memory(log, "the factor's stages");
    for (int64_t p = 0; p < L->parts; ++p)
        split_part(L->stage + L->part[p].stage, L->step + L->part[p].step,
                   L->part[p].steps, limit);
    L->lanes = limit.lanes;
    return LCL_OK;
}

// ------------------------------------------------------------------- slots

static void put_row(struct lcl_host_schedule *L, const struct lcl_part *part,
                    const struct range *range, int64_t i)
{
    const struct lcl_step *s = &L->step[part->step + L->step_of[i]];
    const uint64_t self = (uint64_t)(i - range->first), lane = self - s->first;
    const uint64_t diagonal = part->slot + s->upper + lane;
    const uint64_t base[2] = {part->slot + s->lower + lane, diagonal + s->rows};
    const int planes[2] = {s->lower_planes, s->upper_planes - 1};
    int filled[2] = {0, 0};
    L->diagonal[i] = LCL_PADDING;
    L->col[diagonal] = (uint16_t)self;
    for (int64_t k = range->B->row_ptr[i]; k < range->B->row_ptr[i + 1]; ++k) {
        const int32_t j = range->B->col_ind[k];
        if (j < range->first || j >= range->last)
            continue;
        if (j == i) {
            L->diagonal[i] = (uint32_t)k;
            continue;
        }
        const int u = j > i;
        const uint64_t at = base[u] + (uint64_t)filled[u]++ * s->rows;
        L->col[at] = (uint16_t)(j - range->first);
        L->source[at] = (uint32_t)k;
    }
    for (int u = 0; u < 2; ++u)
        for (; filled[u] < planes[u]; ++filled[u])
            L->col[base[u] + (uint64_t)filled[u] * s->rows] = (uint16_t)self;
}

static enum lcl_status allocate_slots(struct lcl_host_schedule *L,
                                      const struct lcl_log *log)
{
    L->col = lcl_calloc((size_t)L->slots, sizeof *L->col);
    L->source = lcl_malloc((size_t)L->slots, sizeof *L->source);
    if (!L->col || !L->source)
        return lcl_fail_memory(log, "the factor's schedule");
    for (int64_t s = 0; s < L->slots; ++s)
        L->source[s] = LCL_PADDING;
    return LCL_OK;
}

static int64_t count_entries(const struct lcl_csr *B, const int64_t *part_ptr,
                             int64_t parts)
{
    int64_t entries = 0;
    for (int64_t p = 0; p < parts; ++p) {
        const struct range range = {B, part_ptr[p], part_ptr[p + 1]};
        for (int64_t i = range.first; i < range.last; ++i) {
            const struct counts c = count_row(&range, i);
            entries += c.lower + c.upper;
        }
    }
    return entries;
}

static enum lcl_status make_schedule(struct lcl_host_schedule *L,
                                     const struct lcl_csr *B,
                                     const int64_t *part_ptr,
                                     const int32_t *level, int group, int lanes,
                                     const struct lcl_log *log)
{
    const struct limits limit = {
        lcl_stage_limit(count_entries(B, part_ptr, L->parts), B->rows), lanes};
    enum lcl_status st = place_parts(L, B, part_ptr, level, group, log);
    if (st < 0)
        return st;
    L->step = lcl_calloc((size_t)L->steps, sizeof *L->step);
    if (!L->step)
        return lcl_fail_memory(log, "the factor's steps");
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct range range = {B, part_ptr[p], part_ptr[p + 1]};
        if ((st = place_steps(L, &L->part[p], &range, level, group,
                              limit.entries, log)) < 0)
            return st;
    }
    L->slots += 2 * LCL_SLOT_ALIGN * group;
    if ((st = place_stages(L, limit, log)) < 0 ||
        (st = allocate_slots(L, log)) < 0)
        return st;
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct range range = {B, part_ptr[p], part_ptr[p + 1]};
        for (int64_t i = range.first; i < range.last; ++i)
            put_row(L, &L->part[p], &range, i);
    }
    return LCL_OK;
}

enum lcl_status lcl_ref_schedule(struct lcl_host_schedule *L,
                                 const struct lcl_csr *B,
                                 const int64_t *part_ptr, int64_t parts,
                                 const int32_t *level, int group, int lanes)
{
    enum lcl_status st;
    *L = (struct lcl_host_schedule){.n = B->rows, .parts = parts};
    L->part = lcl_calloc((size_t)parts, sizeof *L->part);
    L->step_of = lcl_malloc((size_t)L->n, sizeof *L->step_of);
    L->diagonal = lcl_malloc((size_t)L->n, sizeof *L->diagonal);
    st = L->part && L->step_of && L->diagonal
             ? make_schedule(L, B, part_ptr, level, group, lanes, NULL)
             : lcl_fail_memory(NULL, "the factor's schedule");
    if (st < 0)
        lcl_host_schedule_finish(L);
    return st;
}
