// SPDX-License-Identifier: BSD-3-Clause
// The next matrix R (A P) of a level of several ranks: the pattern once, values
// as often as those of A change.
#pragma once

#include "lib/multilevel/rank_matrix.h"
#include "lib/storage/spgemm.h"

struct lcl_rank_product {
    struct lcl_device_matrix P;   // with the rows of the ghosts of A
    struct lcl_device_matrix AP;  // the rank's rows
    struct lcl_device_matrix all; // these, and the rows of the ghosts of R
    struct lcl_device_matrix C;   // the rank's rows of R (A P)
    struct lcl_halo_plan columns; // of `all` and C, not connected
    struct lcl_ghost_rows ghosts; // of `all`
    struct lcl_spgemm times_P, times_AP;
};

// The matrices of a level, and the halos of their columns.
struct lcl_rank_factors {
    const struct lcl_device_matrix *A, *P, *R;
    const struct lcl_level_halo *A_halo, *P_halo, *R_halo;
    bool plain; // P is the tentative prolongation
};

// Makes all but the values of C, if A P and C have at most `most` entries each
// on all ranks, INT64_MAX: any number; *fits, the same on all ranks, tells
// whether. Collective, with the statuses of lcl_ghost_rows_init() and
// lcl_spgemm_init(); the caller finishes *W in any case.
enum lcl_status lcl_rank_product_init(struct lcl_rank_product *W,
                                      const struct lcl_rank_factors *F,
                                      int64_t most, bool *fits);
void lcl_rank_product_finish(struct lcl_rank_product *W);

// Takes new values of A. Collective.
enum lcl_status lcl_rank_product_update(const struct lcl_rank_product *W,
                                        const struct lcl_rank_factors *F);

// val = the values of C, scaled if F is plain; zeros on its diagonal become 1:
// vectors that depend on others have left rows of zeros. Enqueued.
enum lcl_status lcl_rank_product_multiply(const struct lcl_rank_product *W,
                                          const struct lcl_rank_factors *F,
                                          lcl_buffer *val);

uint64_t lcl_rank_product_bytes(const struct lcl_rank_product *W);
