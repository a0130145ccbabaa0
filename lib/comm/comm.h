// SPDX-License-Identifier: BSD-3-Clause
// Ranks that solve one system together, each with a device and a part of the
// rows. A transport carries bytes between them: lib/comm/team.h,
// lib/comm/mpi.h.
//
// All ranks call the same functions in the same order; these are collective,
// and all ranks get the same bits of every sum. A rank that cannot go on calls
// lcl_comm_fail(), which ends the calls of the others with an error.
#pragma once

#include "host/clock.h"

#include <levelcl/log.h>
#include <levelcl/operator.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lcl_comm;

// Bytes for or from a rank. Two ranks have at most one message in each
// direction.
struct lcl_message {
    int peer;
    const void *data; // received: set by lcl_comm_end()
    size_t bytes;
};

struct lcl_exchange_plan {
    struct lcl_message *out, *in;
    int outs, ins;
};

// What goes to or comes from a rank in an exchange of numbers: `count` of them,
// from `start` on.
struct lcl_halo_peer {
    int rank;
    int64_t start, count;
};

struct lcl_comm_ops {
    // all + r * bytes = `own` of rank r.
    enum lcl_status (*gather)(struct lcl_comm *C, const void *own, size_t bytes,
                              void *all);
    // The halves of an exchange, without another collective call in between.
    enum lcl_status (*begin)(struct lcl_comm *C, struct lcl_exchange_plan *P);
    enum lcl_status (*end)(struct lcl_comm *C, struct lcl_exchange_plan *P);
    void (*give_up)(struct lcl_comm *C);
    // NULL: lcl_comm_start() does nothing.
    enum lcl_status (*start)(struct lcl_comm *C, const void *own, size_t bytes);
};

struct lcl_relay;

struct lcl_comm {
    const struct lcl_comm_ops *ops;
    int rank, size;
    struct lcl_relay *relay; // lib/comm/relay.h; NULL: none
    struct lcl_log log;      // of the rank's context
    struct lcl_exchange_info exchanged;
    char *room; // lcl_comm_room()
    size_t room_bytes;
};

// Statuses of all collective calls: LCL_OK; LCL_EDEVICE (another rank has
// failed, or the transport); LCL_EINVAL (messages of different lengths);
// LCL_ERANGE (a message that is too long for the transport); LCL_ENOMEM.

static inline enum lcl_status lcl_comm_gather(struct lcl_comm *C,
                                              const void *own, size_t bytes,
                                              void *all)
{
    const double start = lcl_now();
    const enum lcl_status st = C->ops->gather(C, own, bytes, all);
    C->exchanged.sum_seconds += lcl_now() - start;
    ++C->exchanged.sums;
    return st;
}

// Starts the next gather, of the same bytes and at most LCL_COMM_STARTED, so
// that it makes progress while an exchange runs, where the transport can do so.
enum { LCL_COMM_STARTED = 56 };
static inline enum lcl_status lcl_comm_start(struct lcl_comm *C,
                                             const void *own, size_t bytes)
{
    return C->ops->start ? C->ops->start(C, own, bytes) : LCL_OK;
}

// Sends what P->out names. It must not change before the next gather or the
// next exchange with the same receivers has ended, and must outlive the work of
// all ranks, also if one of them fails.
static inline enum lcl_status lcl_comm_begin(struct lcl_comm *C,
                                             struct lcl_exchange_plan *P)
{
    const double start = lcl_now();
    const enum lcl_status st = C->ops->begin(C, P);
    C->exchanged.halo_seconds += lcl_now() - start;
    ++C->exchanged.exchanges;
    for (int k = 0; k < P->outs; ++k)
        C->exchanged.sent_bytes += P->out[k].bytes;
    for (int k = 0; k < P->ins; ++k)
        C->exchanged.taken_bytes += P->in[k].bytes;
    return st;
}

// Waits for the messages P->in and sets their `data`, valid until the next
// collective call.
static inline enum lcl_status lcl_comm_end(struct lcl_comm *C,
                                           struct lcl_exchange_plan *P)
{
    const double start = lcl_now();
    const enum lcl_status st = C->ops->end(C, P);
    C->exchanged.halo_seconds += lcl_now() - start;
    return st;
}

// In a team: returns when no other rank reads messages of this one any more.
static inline void lcl_comm_fail(struct lcl_comm *C)
{
    C->ops->give_up(C);
}

// Memory for at least `bytes` bytes that is kept for the next call; NULL: none.
void *lcl_comm_room(struct lcl_comm *C, size_t bytes);

// Frees what the functions of this file have allocated.
void lcl_comm_finish(struct lcl_comm *C);

// *all = `bytes` bytes of each rank, in their order, valid until the next use
// of the room; `own` is not in it. A rank that fails tells the others.
enum lcl_status lcl_comm_all(struct lcl_comm *C, const void *own, size_t bytes,
                             const void **all);

// sum[i] = the sum of sum[i] over all ranks, in their order.
enum lcl_status lcl_comm_sum(struct lcl_comm *C, double *sum, int count);

// Replaces *data, `bytes` bytes, by that of rank 0, valid until the next
// collective call.
enum lcl_status lcl_comm_first(struct lcl_comm *C, const void **data,
                               size_t bytes);

// *largest = the largest of all ranks.
enum lcl_status lcl_comm_max(struct lcl_comm *C, int64_t *largest);

// The same status on all ranks: the error of the lowest rank that has one, of
// those other than LCL_EDEVICE if there are any, for a rank has that when
// another one has failed; else the largest of all. `what` names the work in the
// message on the others.
enum lcl_status lcl_comm_agree(struct lcl_comm *C, enum lcl_status own,
                               const char *what);

// Messages of transports. Return LCL_EINVAL and LCL_EDEVICE; a rank that ends
// with an error has said why.
enum lcl_status lcl_comm_refuse_length(const struct lcl_comm *C, int peer,
                                       size_t got, size_t expected);
enum lcl_status lcl_comm_refuse_rank(const struct lcl_comm *C, int peer);
