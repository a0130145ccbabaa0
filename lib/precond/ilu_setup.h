// SPDX-License-Identifier: BSD-3-Clause
// Set-up of incomplete factors on subdomains, up to their schedule: partition,
// overlap, fill, levels.
#pragma once

#include "lib/factor/symbolic.h"
#include "lib/precond/precond.h"

// Rows and entries are block rows and blocks.
struct lcl_ilu_setup {
    struct lcl_bsr A;     // arrays and values only if they are used
    struct lcl_csr graph; // the pattern of A, with values if METIS uses weights
    double *norms;        // of the blocks, used by METIS with weights and ILUT
    struct lcl_subdomains subdomains;
    bool extended; // the factors have rows and a pattern of their own:
    struct lcl_subdomains overlapping;
    struct lcl_pattern pattern;
    struct lcl_symbolic symbolic;
    // Host copies, for methods that read them:
    struct lcl_host_schedule schedule;
    int32_t *level;
};

// Partitions M->matrix and finds pattern, levels and schedule of the factors;
// describes them in M->info, whose trisolve, fill and overlap are set.
// Statuses as lcl_precond_create(); *a is fit for lcl_ilu_setup_finish() in any
// case.
enum lcl_status lcl_ilu_setup_init(struct lcl_ilu_setup *a, lcl_precond *M,
                                   const struct lcl_partition_params *params);
void lcl_ilu_setup_finish(struct lcl_ilu_setup *a);
