// SPDX-License-Identifier: BSD-3-Clause
// Rows of matrices on the devices that ranks send each other. Columns and
// values go from device to device through messages; the host counts.
#pragma once

#include "host/kernel.h"
#include "lib/storage/halo_plan.h"
#include "lib/storage/matrix.h"

// Rows that have come, in the order of the ghosts of a plan.
struct lcl_came_rows {
    int64_t rows, entries;
    lcl_buffer *row_ptr; // rows + 1, uint32
    lcl_buffer *col; // entries, int64: ascending columns of the whole matrix
    lcl_buffer *val; // entries, fp64
};

// Row place[k] of a matrix is row k of those that `plan` sends, which is
// connected and sends its own rows in order.
struct lcl_row_route {
    lcl_context *ctx;
    struct lcl_comm *comm;
    const struct lcl_halo_plan *plan;
    const lcl_buffer *place; // int32
};

// Entries of rows in ascending columns of the whole matrix.
struct lcl_whole_columns {
    lcl_buffer *col, *val; // int64, fp64
    lcl_buffer *ghost;     // ghosts of the rank's columns, int64
    int64_t first;         // own columns
    int32_t own, lower;    // how many; ghosts below them
};

// W = the entries of A, whose columns are numbered by `columns`; enqueued.
// Statuses as lcl_kernel_get() and lcl_buffer_create_from(); the caller
// finishes *W in any case.
enum lcl_status lcl_whole_columns_init(struct lcl_whole_columns *W,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       const struct lcl_halo_plan *columns);

// Takes new values of A; enqueued.
enum lcl_status lcl_whole_columns_update(const struct lcl_whole_columns *W,
                                         lcl_context *ctx,
                                         const struct lcl_device_matrix *A);
void lcl_whole_columns_finish(struct lcl_whole_columns *W);
uint64_t lcl_whole_columns_bytes(const struct lcl_whole_columns *W);

struct lcl_row_exchange {
    struct lcl_row_route route;
    struct lcl_came_rows came;
    // what goes to other ranks
    struct lcl_device_matrix listed; // with the rank's columns
    struct lcl_whole_columns out;
    int64_t *sent, *taken; // entries before those of each peer, and all
};

// Sends the rows of A, whose columns are numbered by `columns`. Collective, and
// need not be left by all ranks: one with an error has to call lcl_comm_fail().
// What `route` names must outlive *X. Returns LCL_OK, LCL_EUNSUPPORTED (2^32
// entries), LCL_ESELFTEST, LCL_EDEVMEM, LCL_EBUILD, LCL_EDEVICE, LCL_ENOMEM or
// the statuses of a transport; the caller finishes *X in any case.
enum lcl_status lcl_row_exchange_init(struct lcl_row_exchange *X,
                                      const struct lcl_row_route *route,
                                      const struct lcl_device_matrix *A,
                                      const struct lcl_halo_plan *columns);

// Sends new values of A.
enum lcl_status lcl_row_exchange_update(const struct lcl_row_exchange *X,
                                        const struct lcl_device_matrix *A);

void lcl_row_exchange_finish(struct lcl_row_exchange *X);
uint64_t lcl_row_exchange_bytes(const struct lcl_row_exchange *X);

// The kernel `name` of ghost_rows.cl.
enum lcl_status lcl_ghost_rows_kernel(lcl_kernel **out, lcl_context *ctx,
                                      const char *name);

// *ghost = the ghosts of a plan, int64, and how many are below the own columns.
enum lcl_status lcl_upload_ghosts(lcl_buffer **ghost, int32_t *lower,
                                  lcl_context *ctx,
                                  const struct lcl_halo_plan *columns);
