// SPDX-License-Identifier: BSD-3-Clause
// What the kernels that find the pattern of the coarse correction
// (coarse_pattern.cl) and the host tell each other about each subdomain.
#pragma once

#include "types.cl.h"

struct lcl_coarse_part {
    lcl_u32 runs;    // of its rows
    lcl_u32 leaving; // of these, with columns of another label
    lcl_u32 pairs;   // different labels of its runs, its own always
    lcl_u32 run;     // where its runs start,
    lcl_u32 leave;   // those that leave,
    lcl_u32 pair;    // and its pairs: the host's
};

// A subdomain and a label of its columns. The first pair of a subdomain is the
// one with its own label, the others ascend.
struct lcl_coarse_pair {
    lcl_u32 label;
    lcl_u32 first;   // of the subdomain's sorted runs that leave
    lcl_u32 runs;    // of the subdomain with this label
    lcl_u32 entries; // of these; 0 in the first pair
};
