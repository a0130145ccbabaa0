// SPDX-License-Identifier: BSD-3-Clause
// Several lanes for each row of the numeric factorisation.
#include "lib/factor/ildu0_team.h"

#include "host/runtime.h"

enum {
    LONG_ROW = 5, // mean entries of a row of L from which on lanes share a row
    ENTRIES_STEP = 16, // rounding of local array sizes: fewer programs
    ROWS_STEP = 128,
    SPARE = 64, // bytes of local memory that a driver adds
};

static int power_of_two(int64_t least)
{
    int power = 1;
    while (power < least)
        power *= 2;
    return power;
}

static int round_up(int64_t n, int step)
{
    return (int)((n + step - 1) / step) * step;
}

// Local memory of a group with teams of `lanes`.
static uint64_t local_bytes(int group, int lanes, int rows, int entries)
{
    const uint64_t row = (2 * (uint64_t)entries + 1) * sizeof(double) +
                         (uint64_t)entries * (2 * sizeof(double) + 2) +
                         (uint64_t)rows * 2 + sizeof(double);
    return (uint64_t)(group / lanes) * row + (uint64_t)group * sizeof(double) +
           SPARE;
}

bool lcl_ildu0_team_spec(struct lcl_spec *spec, const struct lcl_factor *F)
{
    const struct lcl_caps *caps = lcl_context_caps(F->ctx);
    const int64_t mean = F->n > 0 ? (F->slots / F->n - 1) / 2 : 0;
    const int entries = round_up(F->planes_max, ENTRIES_STEP);
    const int rows = round_up(F->rows_max, ROWS_STEP);
    int lanes = power_of_two(mean), group = F->group;
    if (mean < LONG_ROW || caps->width == 1 || F->relax > 0)
        return false;
    lanes = lanes < caps->width ? lanes : caps->width;
    while (group > caps->width &&
           local_bytes(group, lanes, rows, entries) > caps->local_bytes)
        group /= 2;
    *spec = (struct lcl_spec){
        .source = "ildu0_team.cl", .kernel = "ildu0_team", .group = group};
    lcl_spec_set(spec, "LANES_PER_ROW", lanes);
    lcl_spec_set(spec, "ROW_ENTRIES", entries);
    lcl_spec_set(spec, "SUBDOMAIN_ROWS", rows);
    return local_bytes(group, lanes, rows, entries) <= caps->local_bytes;
}
