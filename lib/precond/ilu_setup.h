// SPDX-License-Identifier: BSD-3-Clause
// Set-up of incomplete factors on subdomains, up to their schedule: partition,
// overlap, fill, levels.
#pragma once

#include "lib/distributed/overlap_rows.h"
#include "lib/factor/symbolic.h"
#include "lib/precond/precond.h"
#include "lib/trisolve/trisolve.h"

// Rows and entries are block rows and blocks.
struct lcl_ilu_setup {
    struct lcl_bsr A;     // arrays and values only if they are used
    struct lcl_csr graph; // the pattern of A, with values if METIS uses weights
    double *norms;        // of the blocks, used by METIS with weights and ILUT
    struct lcl_subdomains subdomains;
    // Rows of A that belong to this rank: `own` rows from `low` on
    int64_t low, own;
    bool extended; // the factors have rows and a pattern of their own
    bool leveled;  // they are factors in levels, analysed on the host
    // For `extended` and `leveled` factors:
    struct lcl_subdomains overlapping;
    struct lcl_pattern pattern;
    struct lcl_symbolic symbolic; // `leveled`: B, unless extended, and `drop`
    struct lcl_host_factor host;  // for methods that read it on the host
};

// Partitions M->matrix and finds the pattern of the factors and, unless they
// are in levels, their levels and schedule; describes them in M->info, whose
// trisolve, fill and overlap are set. `around` has rows of other ranks, so that
// subdomains may overlap across ranks; NULL: they do not. Statuses as
// lcl_precond_create(); *a is fit for lcl_ilu_setup_finish() in any case.
enum lcl_status lcl_ilu_setup_init(struct lcl_ilu_setup *a, lcl_precond *M,
                                   const struct lcl_overlap_rows *around,
                                   const struct lcl_partition_params *params);
void lcl_ilu_setup_finish(struct lcl_ilu_setup *a);

// Sets trisolve, fill and overlap of info, whose type and block_size are set.
// Returns LCL_OK or LCL_EUNSUPPORTED.
enum lcl_status lcl_ilu_choose(struct lcl_precond_info *info,
                               const struct lcl_precond_params *params,
                               const struct lcl_log *log);

// Numbers a->A, whose entries are single, a->graph and a->subdomains by the
// subdomains; makes a->symbolic.B. Returns LCL_OK, LCL_ENOMEM, LCL_EDEVMEM or
// LCL_EDEVICE.
enum lcl_status lcl_ilu_reorder(struct lcl_ilu_setup *a, lcl_context *ctx);

// Sets `opposite` and `mixed` of a->symbolic.drop from the values of a->A.
void lcl_ilu_find_signs(struct lcl_ilu_setup *a);
