// SPDX-License-Identifier: BSD-3-Clause
// Incomplete factors of subdomains of any size, computed level by level over
// all of them (cl/factor/level_ildu0.cl).
#pragma once

#include "lib/factor/factor.h"
#include "lib/factor/levels.h"
#include "lib/factor/pattern.h"
#include "lib/partition/subdomains.h"

// Its arrays on the device; slots of the factor are entries of its pattern.
struct lcl_level_factor {
    struct lcl_levels levels; // of L, over all subdomains
    double levels_mean;       // mean over the subdomains of the levels of each
    lcl_buffer *row_ptr, *col, *source, *diagonal, *part_of;
    lcl_buffer *perm, *level_ptr;
    lcl_kernel *level, *chain;
    int group; // of `level`
};

// Initialises *F, for the subdomains P of the rows of H, which gets the
// diagonals that it lacks. Entries are single. Reads params as
// lcl_factor_init(); storage must be FP64 or DEFAULT. Returns LCL_OK,
// LCL_EUNSUPPORTED (over LCL_NARROW_MOST entries), LCL_EDEVMEM, LCL_EDEVICE,
// LCL_EBUILD or LCL_ENOMEM; on error *F is all zero.
enum lcl_status lcl_factor_init_levels(struct lcl_factor *F, lcl_context *ctx,
                                       struct lcl_host_pattern *H,
                                       const struct lcl_subdomains *P,
                                       const struct lcl_precond_params *params);

// For lib/factor/ildu0.c:
enum lcl_status lcl_level_factor_create(struct lcl_factor *F,
                                        struct lcl_host_pattern *H,
                                        const struct lcl_subdomains *P);
void lcl_level_factor_destroy(struct lcl_level_factor **L);
uint64_t lcl_level_factor_bytes(const struct lcl_level_factor *L);
// Enqueues the factorisation of the values `val` of A.
enum lcl_status lcl_level_factor_run(const struct lcl_factor *F, int policy,
                                     const lcl_buffer *val);
