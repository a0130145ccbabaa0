// SPDX-License-Identifier: BSD-3-Clause
// Schedules on the device and on the host.
#include "lib/factor/schedule.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct lcl_step) == 16, "shared with kernels");
static_assert(sizeof(struct lcl_stage) == 8, "shared with kernels");
static_assert(sizeof(struct lcl_part) == 48, "shared with kernels");

void lcl_host_schedule_finish(struct lcl_host_schedule *L)
{
    lcl_free(L->part);
    lcl_free(L->step);
    lcl_free(L->stage);
    lcl_free(L->col);
    lcl_free(L->source);
    lcl_free(L->step_of);
    lcl_free(L->diagonal);
    *L = (struct lcl_host_schedule){0};
}

void lcl_schedule_finish(struct lcl_schedule *D)
{
    lcl_buffer **const buffers[] = {&D->part,     &D->step,   &D->stage,
                                    &D->col,      &D->source, &D->step_of,
                                    &D->diagonal, &D->mirror};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(D->subdomain);
    *D = (struct lcl_schedule){0};
}

// ------------------------------------------------------------------- checks

// Whether the steps cover the rows and the slots of their subdomain, each
// exactly once.
static bool steps_are_sound(const struct lcl_part *part,
                            const struct lcl_step *step)
{
    uint64_t rows = 0, slots = 0;
    for (uint32_t s = 0; s < part->steps; ++s) {
        const uint64_t lower = (uint64_t)step[s].rows * step[s].lower_planes;
        const uint64_t upper = (uint64_t)step[s].rows * step[s].upper_planes;
        if (step[s].first != rows || step[s].upper_planes == 0 ||
            step[s].lower + lower > part->slots ||
            step[s].upper + upper > part->slots)
            return false;
        rows += step[s].rows;
        slots += lower + upper;
    }
    return rows == part->rows && slots == part->slots;
}

static bool source_is_sound(uint32_t source, int64_t entries)
{
    return source < entries || source >= LCL_FILL;
}

static bool rows_are_sound(const struct lcl_host_schedule *L,
                           const struct lcl_part *part, int64_t entries)
{
    for (uint32_t r = 0; r < part->rows; ++r) {
        const int64_t i = (int64_t)part->row + r;
        if (L->step_of[i] >= part->steps)
            return false;
        const struct lcl_step *s = &L->step[part->step + L->step_of[i]];
        if (r < s->first || r >= (uint32_t)s->first + s->rows ||
            !source_is_sound(L->diagonal[i], entries))
            return false;
    }
    return true;
}

static bool slots_are_sound(const struct lcl_host_schedule *L,
                            const struct lcl_part *part, int64_t entries)
{
    for (uint64_t s = part->slot; s < part->slot + part->slots; ++s)
        if (L->col[s] >= part->rows || !source_is_sound(L->source[s], entries))
            return false;
    return true;
}

static bool is_sound(const struct lcl_host_schedule *L, int64_t entries)
{
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *part = &L->part[p];
        if (!steps_are_sound(part, L->step + part->step) ||
            !rows_are_sound(L, part, entries) ||
            !slots_are_sound(L, part, entries))
            return false;
    }
    return true;
}

// ------------------------------------------------------------------- download

static enum lcl_status allocate(struct lcl_host_schedule *L, lcl_context *ctx)
{
    const size_t n = (size_t)L->n, slots = (size_t)L->slots;
    L->part = lcl_malloc((size_t)L->parts, sizeof *L->part);
    L->step = lcl_malloc((size_t)L->steps, sizeof *L->step);
    L->stage = lcl_malloc((size_t)L->stages, sizeof *L->stage);
    L->col = lcl_malloc(slots, sizeof *L->col);
    L->source = lcl_malloc(slots, sizeof *L->source);
    L->step_of = lcl_malloc(n, sizeof *L->step_of);
    L->diagonal = lcl_malloc(n, sizeof *L->diagonal);
    return L->part && L->step && L->stage && L->col && L->source &&
                   L->step_of && L->diagonal
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(ctx), "the factor's schedule");
}

static enum lcl_status read_arrays(struct lcl_host_schedule *L,
                                   const struct lcl_schedule *D)
{
    const size_t n = (size_t)L->n, slots = (size_t)L->slots;
    const struct {
        const lcl_buffer *buffer;
        void *array;
        size_t bytes;
    } reads[] = {
        {D->step, L->step, (size_t)L->steps * sizeof *L->step},
        {D->stage, L->stage, (size_t)L->stages * sizeof *L->stage},
        {D->col, L->col, slots * sizeof *L->col},
        {D->source, L->source, slots * sizeof *L->source},
        {D->step_of, L->step_of, n * sizeof *L->step_of},
        {D->diagonal, L->diagonal, n * sizeof *L->diagonal},
    };
    enum lcl_status st = LCL_OK;
    memcpy(L->part, D->subdomain, (size_t)L->parts * sizeof *L->part);
    for (size_t i = 0; i < sizeof reads / sizeof *reads && st == LCL_OK; ++i)
        st = lcl_buffer_read(reads[i].buffer, reads[i].array, reads[i].bytes);
    return st;
}

enum lcl_status lcl_schedule_download(struct lcl_host_schedule *L,
                                      lcl_context *ctx,
                                      const struct lcl_schedule *D)
{
    enum lcl_status st;
    *L = (struct lcl_host_schedule){
        .n = D->n,
        .parts = D->parts,
        .steps = D->steps,
        .stages = D->stages,
        .slots = D->slots,
        .rows_max = D->rows_max,
        .stages_max = D->stages_max,
        .stage_entries = D->stage_entries,
        .lanes = D->lanes,
    };
    if ((st = allocate(L, ctx)) == LCL_OK &&
        (st = read_arrays(L, D)) == LCL_OK && !is_sound(L, D->entries))
        st = lcl_fail(lcl_context_log(ctx), LCL_ESELFTEST,
                      "%s computes wrong results: the schedule of the "
                      "factors is impossible",
                      lcl_context_caps(ctx)->name);
    if (st < 0)
        lcl_host_schedule_finish(L);
    return st;
}
