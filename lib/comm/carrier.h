// SPDX-License-Identifier: BSD-3-Clause
// The thread of a relay: reads what the devices of all ranks wrote to host
// memory and writes the answers for its own device. It makes no OpenCL call.
// Only for lib/comm/relay.c.
#pragma once

#include "host/shared.h"
#include "lib/comm/comm.h"

#include <pthread.h>
#include <stdatomic.h>

// Seconds for which a thread waits for another rank, which may be compiling
// kernels.
#define LCL_RELAY_PATIENCE 30.0

// Maximum number of exchanges that are open at once.
enum { LCL_RELAY_MOST = 256 };

struct lcl_relay_exchange {
    struct lcl_relay *relay;
    int place; // index in relay->exchange, the same on all ranks
    int64_t sends, ghosts;
    struct lcl_halo_peer *to, *from;
    int tos, froms;
    struct lcl_shared out, in;
    long long begun;     // messages that the rank has sent
    long long received;  // messages that the rank has waited for
    atomic_llong served; // messages that the thread has answered
};

struct lcl_relay {
    lcl_context *ctx;
    const struct lcl_relays *all;
    int rank;
    struct lcl_kernel *sum, *pack, *unpack;
    struct lcl_shared ask, reply;
    long long sums, summed; // begun by the rank, answered by the thread
    int64_t polls;          // after so many a kernel gives up
    double patience;        // seconds after which the thread gives up
    atomic_int lost;        // 1 + rank that did not answer; 0: none
    atomic_bool ends;       // the thread has nothing more to do
    pthread_t thread;
    struct lcl_exchange_info exchanged; // by the thread
    // Held by the thread and the rank; threads of other ranks read the open
    // exchanges without it.
    pthread_mutex_t lock;
    int places; // entries of `exchange` that have been used so far
    _Atomic(struct lcl_relay_exchange *) exchange[LCL_RELAY_MOST];
};

struct lcl_relays {
    int size;
    atomic_int *failed; // nonzero once a rank has failed
    struct lcl_relay **rank;
};

// The thread's function; arg is the relay.
void *lcl_carrier_run(void *arg);
