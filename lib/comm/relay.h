// SPDX-License-Identifier: BSD-3-Clause
// Sums and exchanges of the ranks of a team that are enqueued like kernels and
// do not block. A device writes to memory of its host, a thread of the rank
// carries the data to the receivers' memory, and a kernel of each receiver
// waits for it (cl/comm/relay.cl). The threads make no OpenCL call, so that a
// full queue cannot block them.
//
// All ranks enqueue the same calls in the same order. If a rank fails or does
// not answer for half a minute, the kernels of the others get NaN instead of an
// answer, so that every queue runs empty; the next call to this file or to
// lib/comm/comm.h reports the error.
#pragma once

#include "host/launch.h"
#include "lib/comm/carrier.h"

typedef struct lcl_relay lcl_relay;
typedef struct lcl_relay_exchange lcl_relay_exchange;

// Creates the relay of one rank on the device of ctx. Returns LCL_OK,
// LCL_EUNSUPPORTED (no known fence for the device, or its writes do not reach
// the host), LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error *out
// is NULL.
enum lcl_status lcl_relay_create(lcl_relay **out, lcl_context *ctx,
                                 const struct lcl_relays *all, int rank);
void lcl_relay_destroy(lcl_relay **relay); // accepts NULL inside

// Call before any of the relays starts, while all queues are empty.
void lcl_relays_reset(const struct lcl_relays *all);

// Start and end the thread; accept NULL. lcl_relay_end() waits for the rank's
// queue. Return LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_relay_start(lcl_relay *R);
enum lcl_status lcl_relay_end(lcl_relay *R);

// Replaces rows first .. first + rows - 1 of `sums`, `groups` doubles each, by
// a sum over all ranks and zeros. Statuses as lcl_launch(); LCL_EDEVICE also if
// a rank did not answer.
enum lcl_status lcl_relay_sum(lcl_relay *R, lcl_buffer *sums, int first,
                              int rows, int groups);

// Messages that this rank sends (`to`, parts of `sends` rows) and receives
// (`from`, parts of `ghosts` rows); both sides use the same length, and a row
// has `per_row` doubles. All ranks open and close exchanges in the same order.
// Statuses as lcl_relay_create(); LCL_ERANGE (too many exchanges).
struct lcl_relay_plan {
    int64_t sends, ghosts, per_row;
    const struct lcl_halo_peer *to, *from;
    int tos, froms;
};
enum lcl_status lcl_relay_open(lcl_relay_exchange **out, lcl_relay *R,
                               const struct lcl_relay_plan *plan);
void lcl_relay_close(lcl_relay_exchange **exchange); // accepts NULL inside

// The halves of an exchange, once each. The first sends x[place[k]] for all
// doubles k of `sends` rows. The second waits for the doubles of `ghosts` rows
// and stores them from ghost[at] on, in a kernel that `launch` enqueues.
// Statuses as lcl_relay_sum().
enum lcl_status lcl_relay_send(lcl_relay_exchange *X, const lcl_buffer *place,
                               const lcl_buffer *x);
enum lcl_status lcl_relay_receive(lcl_relay_exchange *X, lcl_buffer *ghost,
                                  int64_t at, lcl_launch_fn *launch);

// Amount of data that the thread has carried and the time that it has waited;
// call it between runs. NULL: zeros.
struct lcl_exchange_info lcl_relay_exchanged(const lcl_relay *R);

uint64_t lcl_relay_bytes(const lcl_relay_exchange *X);
