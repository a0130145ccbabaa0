// SPDX-License-Identifier: BSD-3-Clause
// The exchange of a distributed operator: entries of x that other ranks need go
// there, ghosts come back, and the boundary rows are computed. What a rank
// sends is packed on the device, and the product with its own columns runs
// while the messages are on their way. With a relay nothing blocks.
#pragma once

#include "lib/comm/relay.h"
#include "lib/operator/halo_plan.h"
#include "lib/operator/numbering.h"
#include "lib/vector/operands.h"
#include "lib/vector/space.h"

struct lcl_halo {
    struct lcl_space space; // of the rank's part of a vector
    struct lcl_halo_plan plan;
    struct lcl_exchange_plan messages;
    // in the numbering of the device
    lcl_buffer *send, *row, *row_ptr, *col, *val;
    lcl_buffer *ghost;
    lcl_relay_exchange *relayed; // NULL: the host waits for the messages
    // of the host's messages
    lcl_buffer *packed;
    lcl_window *window; // onto `packed`; NULL: nothing to send
    struct lcl_vector_ops ops;
    lcl_kernel *plain, *dot;
    double *host; // values of the boundary rows
};

// Collective. Takes *plan in any case; H is fit for lcl_halo_finish() in any
// case. Statuses as lcl_buffer_create() and lcl_kernel_get().
enum lcl_status lcl_halo_init(struct lcl_halo *H, const struct lcl_space *V,
                              struct lcl_halo_plan *plan);
void lcl_halo_finish(struct lcl_halo *H);

// Follows the numbering N of the rank's rows.
enum lcl_status lcl_halo_renumber(struct lcl_halo *H,
                                  const struct lcl_numbering *N);

// Takes the values of the rank's rows, in the caller's order.
enum lcl_status lcl_halo_update(struct lcl_halo *H, const double *val);

// The halves of an application in mode APPLY or APPLY_DOT; between them the
// caller enqueues the product with the own columns in the same mode.
enum lcl_status lcl_halo_begin(struct lcl_halo *H, const lcl_buffer *x);
enum lcl_status lcl_halo_end(struct lcl_halo *H, enum lcl_mode mode,
                             const struct lcl_operands *v);

// Instead of lcl_halo_end(), if the product failed.
void lcl_halo_cancel(struct lcl_halo *H);

// Adds the entries in columns of other ranks to the sums of
// lcl_symmetry_sums(); with rows of the whole matrix as indices.
void lcl_halo_asymmetry(const struct lcl_halo *H, double sum[2]);

uint64_t lcl_halo_bytes(const struct lcl_halo *H);
