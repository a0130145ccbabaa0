// SPDX-License-Identifier: BSD-3-Clause
// Several lanes for each row of the numeric factorisation.
#include "lib/factor/ildu0_team.h"

#include "host/runtime.h"

enum {
    LONG_ROW = 5, // mean entries of a row of L from which on lanes share a row
    ENTRIES_LEAST = 16, // in local memory; powers of two: fewer programs
    SPARE = 64,         // bytes of local memory that a driver adds
};

static int power_of_two(int64_t least, int from)
{
    while (from < least)
        from *= 2;
    return from;
}

// Local memory of a group with teams of `lanes` and rows of L and U of
// `entries` each.
static uint64_t local_bytes(int group, int lanes, int entries)
{
    const uint64_t columns = 2 * (uint64_t)entries + 1;
    const uint64_t row = columns * sizeof(double) +
                         (uint64_t)entries * 2 * sizeof(double) +
                         columns * sizeof(uint16_t) + sizeof(double);
    return (uint64_t)(group / lanes) * row + (uint64_t)group * sizeof(double) +
           SPARE;
}

bool lcl_ildu0_team_spec(struct lcl_spec *spec, const struct lcl_factor *F)
{
    const struct lcl_caps *caps = lcl_context_caps(F->ctx);
    const int64_t mean = F->n > 0 ? (F->slots / F->n - 1) / 2 : 0;
    const int entries = power_of_two(F->planes_max, ENTRIES_LEAST);
    int lanes = power_of_two(mean, 1), group = F->group;
    if (mean < LONG_ROW || caps->width == 1 || F->relax > 0)
        return false;
    lanes = lanes < caps->width ? lanes : caps->width;
    while (group > caps->width &&
           local_bytes(group, lanes, entries) > caps->local_bytes)
        group /= 2;
    *spec = (struct lcl_spec){
        .source = "ildu0_team.cl", .kernel = "ildu0_team", .group = group};
    lcl_spec_set(spec, "LANES_PER_ROW", lanes);
    lcl_spec_set(spec, "ROW_ENTRIES", entries);
    return local_bytes(group, lanes, entries) <= caps->local_bytes;
}
