// SPDX-License-Identifier: BSD-3-Clause
// Numbers of all ranks, gathered on the devices of all.
#pragma once

#include "lib/comm/relay.h"
#include "lib/vector/space.h"

struct lcl_gathering {
    struct lcl_space space;
    int64_t count;               // of each rank
    lcl_relay_exchange *relayed; // NULL: the host waits for the numbers
    lcl_buffer *place;           // with `relayed`: 0, 1, ...
};

// Collective, also the other functions. V has ranks. Statuses as
// lcl_relay_open(). *G is fit for lcl_gathering_finish() in any case.
enum lcl_status lcl_gathering_init(struct lcl_gathering *G,
                                   const struct lcl_space *V, int64_t count);
void lcl_gathering_finish(struct lcl_gathering *G);

// The numbers from r * count on of `all` become those of `own` on rank r.
// Enqueued with a relay, else blocking. Statuses as lcl_comm_gather(),
// lcl_buffer_read() and lcl_relay_sum().
enum lcl_status lcl_gathering_run(const struct lcl_gathering *G,
                                  const lcl_buffer *own, lcl_buffer *all);
