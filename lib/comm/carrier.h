// SPDX-License-Identifier: BSD-3-Clause
// The thread of a relay: takes what the devices of all ranks wrote to memory of
// the host and writes the answers for its own device. It makes no call of
// OpenCL. Only for lib/comm/relay.c.
#pragma once

#include "host/shared.h"
#include "lib/comm/comm.h"

#include <pthread.h>
#include <stdatomic.h>

// Seconds for which a thread waits for another rank, which may compile kernels.
#define LCL_RELAY_PATIENCE 30.0

// Exchanges that may be open at once.
enum { LCL_RELAY_MOST = 256 };

struct lcl_relay_exchange {
    struct lcl_relay *relay;
    int place; // in relay->exchange, the same on all ranks
    int64_t sends, ghosts;
    struct lcl_halo_peer *to, *from;
    int tos, froms;
    struct lcl_shared out, in;
    long long begun;     // messages sent by the rank
    long long received;  // and waited for
    atomic_llong served; // and answered by the thread
};

struct lcl_relay {
    lcl_context *ctx;
    const struct lcl_relays *all;
    int rank;
    struct lcl_kernel *sum, *pack, *unpack;
    struct lcl_shared ask, reply;
    long long sums, summed; // begun by the rank, answered by the thread
    int64_t polls;          // after which a kernel gives up
    double patience;        // seconds after which the thread does
    atomic_int lost;        // 1 + rank that did not answer; 0: none
    atomic_bool ends;       // the thread has nothing more to do
    pthread_t thread;
    struct lcl_exchange_info exchanged; // by the thread
    // for the thread and the rank; other ranks' threads read what is open
    pthread_mutex_t lock;
    int places; // of `exchange` that have been in use
    _Atomic(struct lcl_relay_exchange *) exchange[LCL_RELAY_MOST];
};

struct lcl_relays {
    int size;
    atomic_int *failed; // not 0: a rank has failed
    struct lcl_relay **rank;
};

// The thread's function; arg is the relay.
void *lcl_carrier_run(void *arg);
