// SPDX-License-Identifier: BSD-3-Clause
// The next matrix R (A P) of a level, on one device or on several ranks: the
// pattern once, values as often as those of A change.
#pragma once

#include "lib/multilevel/rank_matrix.h"
#include "lib/storage/spgemm.h"

// The matrices of a level and the halos of their columns, which are NULL on one
// device.
struct lcl_galerkin_factors {
    lcl_context *ctx;
    const struct lcl_device_matrix *A, *P, *R;
    const struct lcl_level_halo *A_halo, *P_halo, *R_halo;
    bool plain;  // P is the tentative prolongation: C is scaled
    bool system; // C may have zeros on its diagonal, which become 1: vectors
                 // that depend on others have left rows of zeros
};

struct lcl_galerkin {
    struct lcl_device_matrix AP; // the rank's rows
    struct lcl_device_matrix C;  // the rank's rows of R (A P)
    struct lcl_spgemm times_P, times_AP;
    // On ranks only
    struct lcl_device_matrix P;   // with the rows of the ghosts of A
    struct lcl_device_matrix all; // AP with the rows of the ghosts of R
    struct lcl_halo_plan columns; // of `all` and C, not connected
    struct lcl_ghost_rows ghosts; // of `all`
};

// Makes all but the values of C, if A P and C have at most `most` entries each
// on all ranks, INT64_MAX: any number; *fits, the same on all ranks, tells
// whether. The functions are collective, with the statuses of
// lcl_ghost_rows_init() and lcl_spgemm_init(); the caller finishes *W in any
// case.
enum lcl_status lcl_galerkin_init(struct lcl_galerkin *W,
                                  const struct lcl_galerkin_factors *F,
                                  int64_t most, bool *fits);
void lcl_galerkin_finish(struct lcl_galerkin *W);

// Enqueues the values of C.
enum lcl_status lcl_galerkin_multiply(const struct lcl_galerkin *W,
                                      const struct lcl_galerkin_factors *F,
                                      const struct lcl_device_matrix *C);

// Frees what only new values need; the caller has taken W->C.
void lcl_galerkin_release(struct lcl_galerkin *W,
                          const struct lcl_galerkin_factors *F);

// Takes new values of A to the values of `next`, whose first rows are the rows
// of C; makes first what has been released.
enum lcl_status lcl_galerkin_update(struct lcl_galerkin *W,
                                    const struct lcl_galerkin_factors *F,
                                    const struct lcl_device_matrix *next);

uint64_t lcl_galerkin_bytes(const struct lcl_galerkin *W);
