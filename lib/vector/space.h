// SPDX-License-Identifier: BSD-3-Clause
// Where vectors live.
#pragma once

#include "host/buffer.h"
#include "lib/comm/consistency.h"
#include "lib/vector/dots.h"

// Vectors of n doubles on the device of a context; with `comm`, the rank's part
// of vectors of `total` doubles. A reduction leaves one partial sum per group.
struct lcl_space {
    lcl_context *ctx;
    int64_t n, total;
    int groups;                          // lcl_vector_groups() of the device
    struct lcl_comm *comm;               // NULL: one device
    const struct lcl_segments *segments; // of sums that must not depend on the
                                         // number of ranks; else NULL
};

struct lcl_space lcl_space_of(lcl_context *ctx, int64_t n);

// A rank's n of `total` doubles.
struct lcl_space lcl_space_of_rank(lcl_context *ctx, struct lcl_comm *comm,
                                   int64_t n, int64_t total);

// Creates a vector, uninitialised. Statuses as lcl_buffer_create().
enum lcl_status lcl_space_vector(lcl_buffer **out, const struct lcl_space *V);

// Creates room for two partial sums per group.
enum lcl_status lcl_space_sums(lcl_buffer **out, const struct lcl_space *V);

// sum[q] = the sum of row q of partial sums, in order.
void lcl_space_add_up(double *sum, const double *partial, int rows, int groups);

// The same for partial sums on the device. Returns LCL_OK, LCL_ENOMEM or
// LCL_EDEVICE.
enum lcl_status lcl_read_sums(double *sum, const lcl_buffer *partial, int rows,
                              int groups, const struct lcl_log *log);

// The functions below are collective and do nothing on one device.

// Replaces the rows first .. first + rows - 1 of partial sums, `groups` in
// each, by sums over all ranks, so that kernels that add up a row get the same
// bits on all of them. Blocking without a relay. Statuses as lcl_comm_gather(),
// lcl_buffer_read() and lcl_relay_sum().
enum lcl_status lcl_space_reduce(const struct lcl_space *V, lcl_buffer *sums,
                                 int first, int rows, int groups);

// The same for inner products that kernels have left there, a row each, in
// this order. With segments they are computed again, by segments.
enum lcl_status lcl_space_reduce_dots(const struct lcl_space *V,
                                      lcl_buffer *sums, int first,
                                      const struct lcl_dots *dots, int count,
                                      int groups);

// Adds up numbers over the ranks, in their order.
enum lcl_status lcl_space_sum(const struct lcl_space *V, double *sum,
                              int count);

// *largest = the largest of all ranks.
enum lcl_status lcl_space_max(const struct lcl_space *V, int64_t *largest);

// Replaces *data by that of rank 0, valid until the next collective call:
// devices of different makers may compute different results from the same sums.
enum lcl_status lcl_space_first(const struct lcl_space *V, const void **data,
                                size_t bytes);

// *all = whether it holds on all ranks.
enum lcl_status lcl_space_all(const struct lcl_space *V, bool *all);

// lcl_comm_agree(); in a set-up whose limit is over on any rank,
// LCL_ECANCELLED on all of them
enum lcl_status lcl_space_agree(const struct lcl_space *V, enum lcl_status own,
                                const char *what);

// lcl_comm_expect_equal()
enum lcl_status lcl_space_expect_equal(const struct lcl_space *V,
                                       const char *what,
                                       const struct lcl_common *all, int count);

// Tells the other ranks if `st` is an error of this one alone; returns `st`.
enum lcl_status lcl_space_end(const struct lcl_space *V, enum lcl_status st);
