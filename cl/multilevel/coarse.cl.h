// SPDX-License-Identifier: BSD-3-Clause
// Data on each subdomain that the host and the kernels for the pattern of the
// coarse correction (coarse_pattern.cl) exchange.
#pragma once

#include "types.cl.h"

struct lcl_coarse_part {
    lcl_u32 runs;    // of its rows
    lcl_u32 leaving; // of these, with columns of another label
    lcl_u32 pairs;   // distinct labels of its runs, always including its own
    lcl_u32 run;     // first run; set by the host, as are
    lcl_u32 leave;   // first leaving run
    lcl_u32 pair;    // first pair
};

// A pair of a subdomain and a label of its columns. The first pair of a
// subdomain has the subdomain's own label; the labels of the others ascend.
struct lcl_coarse_pair {
    lcl_u32 label;
    lcl_u32 first;   // first of the subdomain's sorted leaving runs
    lcl_u32 runs;    // of the subdomain with this label
    lcl_u32 entries; // of these; 0 in the first pair
};
