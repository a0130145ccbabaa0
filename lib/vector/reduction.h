// SPDX-License-Identifier: BSD-3-Clause
// A sum over the ranks in two halves, between which the device computes.
#pragma once

#include "lib/vector/space.h"

enum { LCL_REDUCTION_ROWS = 4 }; // at most

struct lcl_reduction {
    struct lcl_space space;
    lcl_buffer *sums; // `rows` rows of partial sums, space.groups in each
    int rows;
    int count;                      // of a row after lcl_reduction_end()
    lcl_window *window;             // onto `sums`; NULL: one rank
    double own[LCL_REDUCTION_ROWS]; // of this rank, once `sent`
    bool sent;
};

// R is fit for lcl_reduction_finish() in any case.
// Statuses as lcl_buffer_create().
enum lcl_status lcl_reduction_init(struct lcl_reduction *R,
                                   const struct lcl_space *V, int rows);
void lcl_reduction_finish(struct lcl_reduction *R);

// The halves of a reduction of the sums that the kernels enqueued so far leave
// in R->sums; both collective, with no other collective call in between but
// applications of operators. R->sums then has `count` sums per row, the same
// bits on all ranks. With one rank they do nothing. Statuses as
// lcl_space_reduce().
enum lcl_status lcl_reduction_begin(struct lcl_reduction *R);
enum lcl_status lcl_reduction_end(struct lcl_reduction *R);

// Between the halves, once the device has work: waits for the partial sums and
// sends them ahead. Without it lcl_reduction_end() does.
enum lcl_status lcl_reduction_send(struct lcl_reduction *R);

// Instead of lcl_reduction_end(), after an error.
void lcl_reduction_cancel(struct lcl_reduction *R);
