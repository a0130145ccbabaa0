// SPDX-License-Identifier: BSD-3-Clause
// The packed-level layout of the factors of all subdomains.
#include "lib/factor/layout.h"

#include "host/alloc.h"
#include "host/log.h"

#include <assert.h>

static_assert(sizeof(struct lcl_step) == 16, "as the device sees it");
static_assert(sizeof(struct lcl_part) == 32, "as the device sees it");

// What the functions below work on: the rows first .. last-1 of B.
struct window {
    const struct lcl_csr *B;
    int64_t first, last;
};

struct counts {
    int lower, upper;
};

static struct counts count_row(const struct window *w, int64_t i)
{
    struct counts c = {0, 0};
    for (int64_t k = w->B->row_ptr[i]; k < w->B->row_ptr[i + 1]; ++k) {
        const int32_t j = w->B->col_ind[k];
        c.lower += j >= w->first && j < i;
        c.upper += j > i && j < w->last;
    }
    return c;
}

// Where the step that starts at row i ends: at `group` rows, at the end of the
// level, at the end of the window.
static int64_t step_end(const struct window *w, const int32_t *level, int group,
                        int64_t i)
{
    int64_t end = i + 1;
    while (end < w->last && end - i < group && level[end] == level[i])
        ++end;
    return end;
}

static int64_t count_steps(const struct window *w, const int32_t *level,
                           int group)
{
    int64_t steps = 0;
    for (int64_t i = w->first; i < w->last; i = step_end(w, level, group, i))
        ++steps;
    if (group == 1)
        return steps;
    return (steps + LCL_STEP_MULTIPLE - 1) / LCL_STEP_MULTIPLE *
           LCL_STEP_MULTIPLE;
}

static int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Sizes and places of all subdomains: part[] but for slots.
static enum lcl_status place_parts(struct lcl_layout *L,
                                   const struct lcl_csr *B,
                                   const int64_t *part_ptr,
                                   const int32_t *level, int group,
                                   const struct lcl_log *log)
{
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct window w = {B, part_ptr[p], part_ptr[p + 1]};
        const int64_t rows = w.last - w.first;
        const int64_t entries = B->row_ptr[w.last] - B->row_ptr[w.first];
        if (rows > UINT16_MAX || entries > INT32_MAX)
            return lcl_fail(log, LCL_ERANGE,
                            "subdomain %lld: %lld rows and %lld entries; at "
                            "most 65535 and 2147483647 fit",
                            (long long)p, (long long)rows, (long long)entries);
        const int64_t steps = count_steps(&w, level, group);
        L->part[p] =
            (struct lcl_part){.entry = (uint64_t)B->row_ptr[w.first],
                              .row = (uint32_t)w.first,
                              .rows = (uint32_t)rows,
                              .step = (uint32_t)L->steps,
                              .steps = (uint32_t)steps};
        L->steps += steps;
        L->rows_max = max_of(L->rows_max, rows);
        L->steps_max = max_of(L->steps_max, steps);
    }
    if (L->steps > UINT32_MAX)
        return lcl_fail(log, LCL_ERANGE, "%lld steps: at most 2^32 - 1 fit",
                        (long long)L->steps);
    return LCL_OK;
}

// A step has as many slots a row as its longest row needs.
static void size_step(struct lcl_step *s, const struct window *w, int64_t first,
                      int64_t last)
{
    int lower = 0, upper = 0;
    for (int64_t i = first; i < last; ++i) {
        const struct counts c = count_row(w, i);
        lower = c.lower > lower ? c.lower : lower;
        upper = c.upper > upper ? c.upper : upper;
    }
    *s = (struct lcl_step){.first = (uint16_t)(first - w->first),
                           .rows = (uint16_t)(last - first),
                           .lower_slots = (uint16_t)lower,
                           .upper_slots = (uint16_t)upper};
}

// Steps of one subdomain; its slots of L come first, those of U follow. There is
// at least one slot, so that a kernel may load what it has no use for.
static enum lcl_status place_steps(struct lcl_layout *L, struct lcl_part *part,
                                   const struct window *w, const int32_t *level,
                                   int group, const struct lcl_log *log)
{
    struct lcl_step *step = L->step + part->step;
    uint64_t slots = 0;
    uint32_t s = 0;
    for (int64_t i = w->first; i < w->last; ++s) {
        const int64_t end = step_end(w, level, group, i);
        size_step(&step[s], w, i, end);
        step[s].lower = (uint32_t)slots;
        slots += (uint64_t)step[s].rows * step[s].lower_slots;
        for (; i < end; ++i)
            L->step_of[i] = (uint16_t)s;
        L->row_slots_max = max_of(
            L->row_slots_max, max_of(step[s].lower_slots, step[s].upper_slots));
    }
    for (uint32_t t = 0; t < s; ++t) {
        step[t].upper = (uint32_t)slots;
        slots += (uint64_t)step[t].rows * step[t].upper_slots;
    }
    part->slot = (uint64_t)L->slots;
    L->slots += slots > 0 ? (int64_t)slots : 1;
    return slots <= INT32_MAX
               ? LCL_OK
               : lcl_fail(log, LCL_ERANGE,
                          "a subdomain needs %llu slots: at most 2^31 - 1 fit",
                          (unsigned long long)slots);
}

static void fill_row(struct lcl_layout *L, const struct lcl_part *part,
                     const struct window *w, int64_t i)
{
    const struct lcl_step *s = &L->step[part->step + L->step_of[i]];
    const uint64_t self = (uint64_t)(i - w->first), lane = self - s->first;
    const uint64_t base[2] = {part->slot + s->lower + lane,
                              part->slot + s->upper + lane};
    const int slots[2] = {s->lower_slots, s->upper_slots};
    int filled[2] = {0, 0};
    L->diagonal[i] = -1;
    for (int64_t k = w->B->row_ptr[i]; k < w->B->row_ptr[i + 1]; ++k) {
        const int32_t j = w->B->col_ind[k];
        const int32_t source = (int32_t)(k - (int64_t)part->entry);
        if (j < w->first || j >= w->last)
            continue;
        if (j == i) {
            L->diagonal[i] = source;
            continue;
        }
        const int u = j > i;
        const uint64_t at = base[u] + (uint64_t)filled[u]++ * s->rows;
        L->col[at] = (uint16_t)(j - w->first);
        L->source[at] = source;
    }
    for (int u = 0; u < 2; ++u)
        for (; filled[u] < slots[u]; ++filled[u]) {
            const uint64_t at = base[u] + (uint64_t)filled[u] * s->rows;
            L->col[at] = (uint16_t)self;
            L->source[at] = -1;
        }
}

static enum lcl_status allocate_slots(struct lcl_layout *L,
                                      const struct lcl_log *log)
{
    L->col = lcl_calloc((size_t)L->slots, sizeof *L->col);
    L->source = lcl_calloc((size_t)L->slots, sizeof *L->source);
    return L->col && L->source ? LCL_OK
                               : lcl_fail_memory(log, "the factor's layout");
}

static enum lcl_status lay_out(struct lcl_layout *L, const struct lcl_csr *B,
                               const int64_t *part_ptr, const int32_t *level,
                               int group, const struct lcl_log *log)
{
    enum lcl_status st = place_parts(L, B, part_ptr, level, group, log);
    if (st < 0)
        return st;
    L->step = lcl_calloc((size_t)L->steps, sizeof *L->step);
    if (!L->step)
        return lcl_fail_memory(log, "the factor's steps");
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct window w = {B, part_ptr[p], part_ptr[p + 1]};
        if ((st = place_steps(L, &L->part[p], &w, level, group, log)) < 0)
            return st;
    }
    if ((st = allocate_slots(L, log)) < 0)
        return st;
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct window w = {B, part_ptr[p], part_ptr[p + 1]};
        for (int64_t i = w.first; i < w.last; ++i)
            fill_row(L, &L->part[p], &w, i);
    }
    return LCL_OK;
}

enum lcl_status lcl_layout_init(struct lcl_layout *L, const struct lcl_csr *B,
                                const int64_t *part_ptr, int64_t parts,
                                const int32_t *level, int group,
                                const struct lcl_log *log)
{
    enum lcl_status st;
    *L = (struct lcl_layout){.n = B->rows, .parts = parts};
    L->part = lcl_calloc((size_t)parts, sizeof *L->part);
    L->step_of = lcl_malloc((size_t)L->n, sizeof *L->step_of);
    L->diagonal = lcl_malloc((size_t)L->n, sizeof *L->diagonal);
    st = L->part && L->step_of && L->diagonal
             ? lay_out(L, B, part_ptr, level, group, log)
             : lcl_fail_memory(log, "the factor's layout");
    if (st < 0)
        lcl_layout_finish(L);
    return st;
}

void lcl_layout_finish(struct lcl_layout *L)
{
    lcl_free(L->part);
    lcl_free(L->step);
    lcl_free(L->col);
    lcl_free(L->source);
    lcl_free(L->step_of);
    lcl_free(L->diagonal);
    *L = (struct lcl_layout){0};
}
