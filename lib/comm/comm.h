// SPDX-License-Identifier: BSD-3-Clause
// Ranks that solve one system together, each with a device and a part of the
// rows. A transport carries bytes between them: lib/comm/team.h,
// lib/comm/mpi.h.
//
// All ranks call the collective functions in the same order, and all get the
// same bits of every sum. A rank that cannot continue calls lcl_comm_fail();
// the calls of the other ranks then return an error.
#pragma once

#include "host/clock.h"

#include <levelcl/log.h>
#include <levelcl/operator.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lcl_comm;

// Bytes for or from a rank. Between two ranks there is at most one message in
// each direction.
struct lcl_message {
    int peer;
    const void *data; // received: set by lcl_comm_end()
    size_t bytes;
};

struct lcl_exchange_plan {
    struct lcl_message *out, *in;
    int outs, ins;
};

// Numbers that an exchange sends to a rank or receives from it: `count`,
// starting at `start`.
struct lcl_halo_peer {
    int rank;
    int64_t start, count;
};

struct lcl_comm_ops {
    // Copies `own` of each rank r to all + r * bytes.
    enum lcl_status (*gather)(struct lcl_comm *C, const void *own, size_t bytes,
                              void *all);
    // The two halves of an exchange, with no other collective call in between.
    enum lcl_status (*begin)(struct lcl_comm *C, struct lcl_exchange_plan *P);
    enum lcl_status (*end)(struct lcl_comm *C, struct lcl_exchange_plan *P);
    void (*give_up)(struct lcl_comm *C);
    // NULL: lcl_comm_start() has no effect.
    enum lcl_status (*start)(struct lcl_comm *C, const void *own, size_t bytes);
};

struct lcl_relay;

struct lcl_comm {
    const struct lcl_comm_ops *ops;
    int rank, size;
    struct lcl_relay *relay; // lib/comm/relay.h; NULL: none
    struct lcl_log log;      // log of the rank's context
    struct lcl_exchange_info exchanged;
    char *room; // lcl_comm_room()
    size_t room_bytes;
};

// Statuses of all collective calls: LCL_OK; LCL_EDEVICE (another rank or the
// transport has failed); LCL_EINVAL (messages of different lengths); LCL_ERANGE
// (a message exceeds the limit of the transport); LCL_ENOMEM.

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

// Starts the next gather, of the same bytes and at most LCL_COMM_STARTED of
// them. If the transport supports it, the gather makes progress while an
// exchange runs.
enum { LCL_COMM_STARTED = 56 };
static inline enum lcl_status lcl_comm_start(struct lcl_comm *C,
                                             const void *own, size_t bytes)
{
    return C->ops->start ? C->ops->start(C, own, bytes) : LCL_OK;
}

// Sends the messages P->out. Their data must not change before the next gather
// or the next exchange with the same receivers has ended, and must outlive the
// work of all ranks, even if one of them fails.
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

// Waits for the messages P->in and sets their `data`, which are valid until the
// next collective call.
static inline enum lcl_status lcl_comm_end(struct lcl_comm *C,
                                           struct lcl_exchange_plan *P)
{
    const double start = lcl_now();
    const enum lcl_status st = C->ops->end(C, P);
    C->exchanged.halo_seconds += lcl_now() - start;
    return st;
}

// In a team this returns once no other rank reads messages of this rank.
static inline void lcl_comm_fail(struct lcl_comm *C)
{
    C->ops->give_up(C);
}

// At least `bytes` bytes of memory, reused by the next call; NULL: out of
// memory.
void *lcl_comm_room(struct lcl_comm *C, size_t bytes);

// Frees the memory that the functions of this file have allocated.
void lcl_comm_finish(struct lcl_comm *C);

// *all = `bytes` bytes of each rank, in the order of the ranks, valid until the
// next use of the room, which must not contain `own`. If one rank fails, all
// do.
enum lcl_status lcl_comm_all(struct lcl_comm *C, const void *own, size_t bytes,
                             const void **all);

// Replaces each sum[i] by its sum over all ranks, in the order of the ranks.
enum lcl_status lcl_comm_sum(struct lcl_comm *C, double *sum, int count);

// Replaces the `bytes` bytes at *data by those of rank 0, valid until the next
// collective call.
enum lcl_status lcl_comm_first(struct lcl_comm *C, const void **data,
                               size_t bytes);

// *largest = the maximum over all ranks.
enum lcl_status lcl_comm_max(struct lcl_comm *C, int64_t *largest);

// Returns the same status on all ranks: the error of the lowest rank with one;
// an error other than LCL_EDEVICE takes precedence, since LCL_EDEVICE may only
// report that another rank has failed. Without errors, the largest status.
// `what` names the work in the message of the other ranks.
enum lcl_status lcl_comm_agree(struct lcl_comm *C, enum lcl_status own,
                               const char *what);

// Messages of transports. Return LCL_EINVAL and LCL_EDEVICE. The failed rank
// itself has logged the reason.
enum lcl_status lcl_comm_refuse_length(const struct lcl_comm *C, int peer,
                                       size_t got, size_t expected);
enum lcl_status lcl_comm_refuse_rank(const struct lcl_comm *C, int peer);
