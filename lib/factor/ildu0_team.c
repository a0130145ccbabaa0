// SPDX-License-Identifier: BSD-3-Clause
// Several lanes for each row of the numeric factorisation.
#include "lib/factor/ildu0_team.h"

#include "host/geometry.h"
#include "host/runtime.h"

enum {
    LONG_ROW = 5, // mean entries of a row of L from which on lanes share a row
    ENTRIES_STEP = 16, // rounding of local array sizes: fewer programs
    PIVOT_BYTES = 12,  // struct pivot of ildu0_team.cl.h
    SPARE = 64,        // bytes of local memory that a driver adds
};

static int power_of_two(int64_t least)
{
    int power = 1;
    while (power < least)
        power *= 2;
    return power;
}

// Local memory for the row of a team.
static uint64_t row_bytes(int rows, int entries, int block)
{
    const uint64_t blocks = 2 * (uint64_t)entries + 1;
    return blocks * (uint64_t)(block * block) * sizeof(double) +
           (uint64_t)entries * (PIVOT_BYTES + 2) + (uint64_t)rows * 2 +
           sizeof(double);
}

static bool fits(const struct lcl_caps *caps, int group, int lanes,
                 uint64_t bytes)
{
    return (uint64_t)(group / lanes) * bytes +
               (uint64_t)group * sizeof(double) + SPARE <=
           caps->local_bytes;
}

bool lcl_ildu0_team_spec(struct lcl_spec *spec, const struct lcl_factor *F)
{
    const struct lcl_caps *caps = lcl_context_caps(F->ctx);
    const int64_t mean = F->n > 0 ? (F->slots / F->n - 1) / 2 : 0;
    const int entries = (int)lcl_round_up(F->planes_max, ENTRIES_STEP);
    const int rows = lcl_local_rows(F->rows_max);
    int lanes = power_of_two(mean), group = F->group;
    if (mean < LONG_ROW || caps->width == 1 || F->relax > 0 ||
        (F->block == 1 && F->mirror))
        return false;
    lanes = lanes < caps->width ? lanes : caps->width;
    const uint64_t bytes = row_bytes(rows, entries, F->block);
    while (group > caps->width && !fits(caps, group, lanes, bytes))
        group /= 2;
    *spec = (struct lcl_spec){
        .source = "ildu0_team.cl", .kernel = "ildu0_team", .group = group};
    if (F->block > 1) {
        spec->source = "ildu0_block_team.cl";
        spec->kernel = "ildu0_block_team";
        spec->block = F->block;
    }
    lcl_spec_set(spec, "LANES_PER_ROW", lanes);
    lcl_spec_set(spec, "ROW_ENTRIES", entries);
    lcl_spec_set(spec, "SUBDOMAIN_ROWS", rows);
    return fits(caps, group, lanes, bytes);
}
