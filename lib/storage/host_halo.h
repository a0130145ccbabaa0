// SPDX-License-Identifier: BSD-3-Clause
// The exchange of CU-Solver: the device copies each stage of a vector to the
// host as a whole; the host selects the elements that other ranks need,
// exchanges them and copies the received elements to the device, stage by
// stage. Source: Ma, Zhao, Le, Yuan, "A multi-GPU enabled solver in Kronecker
// product form for multiphysics problems" (2025), Algorithm 4.
#pragma once

#include "lib/storage/halo_plan.h"
#include "lib/vector/space.h"

struct lcl_host_halo {
    struct lcl_space space; // of the rank's part of a vector
    struct lcl_halo_plan plan;
    int block, stages;
    double *copy;    // one stage
    double *send[2]; // its elements for other ranks, in turn
    unsigned sent;   // exchanges
    double *arrived; // elements of others, one stage after the other
    struct lcl_exchange_plan messages;
    lcl_buffer *ghost; // the same on the device
};

// The rows of *plan are blocks of `block` elements. H owns *plan, also on
// error; H is fit for lcl_host_halo_finish() in any case. Returns LCL_OK,
// LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_host_halo_init(struct lcl_host_halo *H,
                                   const struct lcl_space *V,
                                   struct lcl_halo_plan *plan, int block,
                                   int stages);
void lcl_host_halo_finish(struct lcl_host_halo *H);

// The steps of an exchange, each for all stages in their order. Copies a stage
// of x to the host (blocking) ...
enum lcl_status lcl_host_halo_copy(struct lcl_host_halo *H, const lcl_buffer *x,
                                   int stage);
// ... exchanges the elements copied last (collective) ...
enum lcl_status lcl_host_halo_scatter(struct lcl_host_halo *H, int stage);
// ... and copies the elements of others to H->ghost (blocking).
enum lcl_status lcl_host_halo_upload(struct lcl_host_halo *H, int stage);
