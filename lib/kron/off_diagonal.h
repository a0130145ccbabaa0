// SPDX-License-Identifier: BSD-3-Clause
// The off-diagonal parts of M and L on a rank: the entries of its rows in
// columns of other ranks. OKP-Solver and CU-Solver multiply them apart from the
// main-diagonal parts, with the elements of t = x A^T, and of x B^T, that the
// other ranks send. Source: Ma, Zhao, Le, Yuan, "A multi-GPU enabled solver in
// Kronecker product form for multiphysics problems" (2025), Figure 5,
// Algorithms 4 to 6.
#pragma once

#include "lib/storage/halo.h"
#include "lib/storage/host_halo.h"
#include "lib/storage/matrix.h"

#include <levelcl/kron.h>

struct lcl_off_diagonal {
    bool through_host;               // CU-Solver
    struct lcl_halo halo;            // of OKP-Solver
    struct lcl_host_halo copied;     // of CU-Solver
    int64_t *block;                  // for each block, its index in the rank's
                                     // rows
    struct lcl_device_matrix matrix; // block column g is ghost g
};

// Plans the exchanges of both parts, before anything else is created.
// Collective; statuses as lcl_halo_plan_init(). The caller finishes the plans,
// also on error.
enum lcl_status lcl_off_diagonal_plans(struct lcl_halo_plan plan[2],
                                       struct lcl_comm *comm,
                                       const struct lcl_kron_rows *K);

// Creates the part of M or of L without values. D owns *plan, also on error; D
// is fit for lcl_off_diagonal_finish() in any case. Statuses as
// lcl_halo_init().
enum lcl_status lcl_off_diagonal_init(struct lcl_off_diagonal *D,
                                      const struct lcl_space *V,
                                      struct lcl_halo_plan *plan,
                                      const struct lcl_kron_rows *K,
                                      const struct lcl_operator_params *params);
void lcl_off_diagonal_finish(struct lcl_off_diagonal *D);

// Copies the values of the rank's rows of M or L.
enum lcl_status lcl_off_diagonal_update(struct lcl_off_diagonal *D,
                                        const double *val);

uint64_t lcl_off_diagonal_bytes(const struct lcl_off_diagonal *D);

// Number of kernels that a product launches in addition to those of one device.
int lcl_off_diagonal_launches(const struct lcl_off_diagonal *D);

// The ghosts, one stage after the other.
const lcl_buffer *lcl_off_diagonal_ghosts(const struct lcl_off_diagonal *D);
