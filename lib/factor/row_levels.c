// SPDX-License-Identifier: BSD-3-Clause
// The subdomain and the level of each row of the factors.
#include "lib/factor/row_levels.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/level_ildu0.h"

#include <string.h>

// ------------------------------------------------------------------- packed

// The sizes that the factor has not kept follow from its last subdomain.
static enum lcl_status download(struct lcl_host_schedule *L,
                                const struct lcl_factor *F)
{
    const size_t parts = (size_t)F->parts;
    struct lcl_part *part = lcl_malloc(parts, sizeof *part);
    if (!part)
        return lcl_fail_memory(lcl_context_log(F->ctx), "subdomains");
    enum lcl_status st = lcl_buffer_read(F->part, part, parts * sizeof *part);
    if (st == LCL_OK) {
        const struct lcl_part *last = &part[F->parts - 1];
        const struct lcl_schedule D = {
            .n = F->n,
            .parts = F->parts,
            .steps = (int64_t)last->step + last->steps,
            .stages = (int64_t)last->stage + last->stages,
            .slots = F->slots,
            .entries = LCL_FILL, // unknown
            .subdomain = part,
            .step = F->step,
            .stage = F->stage,
            .col = F->col,
            .source = F->source,
            .step_of = F->step_of,
            .diagonal = F->diagonal,
        };
        st = lcl_schedule_download(L, F->ctx, &D);
    }
    lcl_free(part);
    return st;
}

static void raise(int32_t *level, int32_t least)
{
    if (*level < least)
        *level = least;
}

// level[i] = 1 + the largest level[j] with j < i and l_ij or, unless
// `of_lower`, u_ji stored; the levels of earlier steps are final. Padding has j
// = i.
static void place_step(const struct lcl_step *step, const uint16_t *col,
                       int32_t *level, bool of_lower)
{
    const int64_t rows = step->rows;
    for (int64_t k = 0; k < rows * step->lower_planes; ++k) {
        const int64_t i = step->first + k % rows, j = col[step->lower + k];
        if (j < i)
            raise(&level[i], level[j] + 1);
    }
    for (int64_t k = rows; k < rows * step->upper_planes && !of_lower; ++k) {
        const int64_t j = step->first + k % rows, i = col[step->upper + k];
        if (j < i)
            raise(&level[i], level[j] + 1);
    }
}

static void place_packed(const struct lcl_host_schedule *L, int32_t *part,
                         int32_t *level, bool of_lower)
{
    memset(level, 0, (size_t)L->n * sizeof *level);
    for (int64_t p = 0; p < L->parts; ++p) {
        const struct lcl_part *at = &L->part[p];
        for (uint32_t r = 0; r < at->rows; ++r)
            part[at->row + r] = (int32_t)p;
        for (uint32_t s = 0; s < at->steps; ++s)
            place_step(&L->step[at->step + s], L->col + at->slot,
                       level + at->row, of_lower);
    }
}

// ------------------------------------------------------------------- all

static enum lcl_status place_leveled(const struct lcl_factor *F, int32_t *part,
                                     int32_t *level)
{
    const struct lcl_levels *L = &F->levels->levels;
    for (int64_t l = 0; l < L->levels; ++l)
        for (int64_t k = L->level_ptr[l]; k < L->level_ptr[l + 1]; ++k)
            level[L->perm[k]] = (int32_t)l;
    return lcl_buffer_read(F->levels->part_of, part,
                           (size_t)F->n * sizeof *part);
}

enum lcl_status lcl_factor_row_levels(const struct lcl_factor *F, int32_t *part,
                                      int32_t *level, bool of_lower)
{
    struct lcl_host_schedule L;
    if (F->levels)
        return place_leveled(F, part, level);
    const enum lcl_status st = download(&L, F);
    if (st < 0)
        return st;
    place_packed(&L, part, level, of_lower);
    lcl_host_schedule_finish(&L);
    return LCL_OK;
}
