// SPDX-License-Identifier: BSD-3-Clause
// The exchange of a distributed operator: sends entries of x to the ranks that
// need them, receives ghosts, and computes the boundary rows. The device packs
// the outgoing elements, and the product with own columns runs while the
// messages are on their way. With a relay nothing blocks.
#pragma once

#include "lib/comm/relay.h"
#include "lib/storage/halo_plan.h"
#include "lib/vector/numbering.h"
#include "lib/vector/operands.h"
#include "lib/vector/space.h"

#include <levelcl/operator.h>

// Layout of a row of the plan in vectors: elements c < block in stages j <
// `stages`, element c of row i in stage j at (i block + c) by_row + j by_stage.
struct lcl_halo_layout {
    int block, stages;
    int64_t by_row, by_stage;
};

// How the stages of a vector are exchanged.
enum lcl_halo_order {
    LCL_HALO_ROWS,   // in one exchange, all stages of an element together
    LCL_HALO_STAGES, // in one exchange, in each message stage after stage: Ma
                     // et al. (2025), Algorithms 5 and 6
    LCL_HALO_STAGED, // in one exchange per stage
};

// One exchange: the elements of all stages, or of one stage.
enum { LCL_HALO_ROUNDS = 16 };
struct lcl_halo_round {
    lcl_buffer *send;   // places of the elements for other ranks, by peer
    lcl_buffer *packed; // these elements
    lcl_window *window; // onto `packed`; NULL: nothing to send
    bool posted;        // a read is posted and its data not fetched yet
    lcl_relay_exchange *relayed; // instead of `packed` and `window`; or NULL
};

struct lcl_halo {
    struct lcl_space space; // of the rank's part of a vector
    struct lcl_halo_plan plan;
    enum lcl_halo_order order;
    struct lcl_halo_layout layout, ghost_layout;
    int rounds;      // exchanges
    int64_t per_row; // elements of a row in an exchange
    struct lcl_halo_round round[LCL_HALO_ROUNDS];
    struct lcl_exchange_plan messages;
    lcl_buffer *ghost;
    // LCL_HALO_STAGES: ghosts in the order of the messages, and the place there
    // of each element of `ghost`; else NULL
    lcl_buffer *arrived, *place;
    bool beside; // a product runs between the two halves
    bool forked; // a second queue unpacks ghosts meanwhile
    struct lcl_vector_ops ops;
    // The boundary rows of a matrix, in the numbering of the device
    lcl_buffer *row, *row_ptr, *col, *val;
    lcl_kernel *plain, *dot;
    double *host; // their values
};

// Collective. H owns *plan, also on error; H is fit for lcl_halo_finish() in
// any case. Statuses as lcl_buffer_create() and lcl_kernel_get().
enum lcl_status lcl_halo_init(struct lcl_halo *H, const struct lcl_space *V,
                              struct lcl_halo_plan *plan,
                              const struct lcl_halo_layout *layout,
                              enum lcl_halo_order order);
void lcl_halo_finish(struct lcl_halo *H);

// Adds the boundary rows of a matrix; each row of the plan is one row of it.
enum lcl_status lcl_halo_add_rows(struct lcl_halo *H);

// Renumbers the halo for the numbering N of the rank's rows.
enum lcl_status lcl_halo_renumber(struct lcl_halo *H,
                                  const struct lcl_numbering *N);

// Whether lcl_halo_update() would change anything.
bool lcl_halo_differs(const struct lcl_halo *H, const double *val);

// Copies the values of the boundary rows from those of the rank's rows, in the
// caller's order.
enum lcl_status lcl_halo_update(struct lcl_halo *H, const double *val);

// The halves of an application in mode APPLY or APPLY_DOT; between them the
// caller enqueues the product with the own columns in the same mode.
enum lcl_status lcl_halo_begin(struct lcl_halo *H, const lcl_buffer *x);
enum lcl_status lcl_halo_end(struct lcl_halo *H, enum lcl_mode mode,
                             const struct lcl_operands *v);

// The second half without boundary rows: work enqueued later finds the ghosts
// in H->ghost.
enum lcl_status lcl_halo_receive(struct lcl_halo *H);

// Replaces lcl_halo_end() if the product failed.
void lcl_halo_cancel(struct lcl_halo *H);

// Adds the entries in columns of other ranks to the sums of the asymmetry
// (lib/storage/properties.h), with rows of the whole matrix as indices.
void lcl_halo_asymmetry(const struct lcl_halo *H, double sum[2]);

uint64_t lcl_halo_bytes(const struct lcl_halo *H);

enum lcl_communication lcl_halo_communication(const struct lcl_halo *H);

// Number of kernels that an application launches in addition to the product
// with own columns.
int lcl_halo_launches(const struct lcl_halo *H);
