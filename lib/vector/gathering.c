// SPDX-License-Identifier: BSD-3-Clause
// Numbers of all ranks, gathered on the devices of all.
#include "lib/vector/gathering.h"

#include "host/alloc.h"
#include "host/log.h"

static const char what[] = "numbers of all ranks";

static enum lcl_status list_places(struct lcl_gathering *G)
{
    int32_t *place = lcl_malloc((size_t)G->count, sizeof *place);
    if (!place)
        return lcl_fail_memory(&G->space.comm->log, what);
    for (int64_t k = 0; k < G->count; ++k)
        place[k] = (int32_t)k;
    const enum lcl_status st = lcl_buffer_create_from(
        &G->place, G->space.ctx, place, G->count, sizeof *place, what);
    lcl_free(place);
    return st;
}

// An exchange of each rank with all, also with itself.
static enum lcl_status open_relay(struct lcl_gathering *G)
{
    const struct lcl_comm *C = G->space.comm;
    const size_t ranks = (size_t)C->size;
    struct lcl_halo_peer *to = lcl_malloc(ranks, sizeof *to);
    struct lcl_halo_peer *from = lcl_malloc(ranks, sizeof *from);
    const struct lcl_relay_plan plan = {
        G->count, C->size * G->count, 1, to, from, C->size, C->size};
    const bool enough = to && from;
    for (int r = 0; r < C->size && enough; ++r) {
        to[r] = (struct lcl_halo_peer){r, 0, G->count};
        from[r] = (struct lcl_halo_peer){r, r * G->count, G->count};
    }
    const enum lcl_status st =
        enough ? lcl_relay_open(&G->relayed, C->relay, &plan)
               : lcl_fail_memory(&C->log, what);
    lcl_free(from);
    lcl_free(to);
    return st;
}

enum lcl_status lcl_gathering_init(struct lcl_gathering *G,
                                   const struct lcl_space *V, int64_t count)
{
    *G = (struct lcl_gathering){.space = *V, .count = count};
    if (!V->comm->relay)
        return LCL_OK;
    const enum lcl_status st = list_places(G);
    return st < 0 ? st : open_relay(G);
}

void lcl_gathering_finish(struct lcl_gathering *G)
{
    lcl_relay_close(&G->relayed);
    lcl_buffer_destroy(&G->place);
}

static enum lcl_status gather_by_host(const struct lcl_gathering *G,
                                      const lcl_buffer *own, lcl_buffer *all)
{
    struct lcl_comm *C = G->space.comm;
    const size_t bytes = (size_t)G->count * sizeof(double);
    const size_t ranks = (size_t)C->size;
    char *room = lcl_comm_room(C, (ranks + 1) * bytes);
    enum lcl_status st;
    if (!room)
        return lcl_fail_memory(&C->log, what);
    if ((st = lcl_buffer_read(own, room, bytes)) < 0 ||
        (st = lcl_comm_gather(C, room, bytes, room + bytes)) < 0)
        return st;
    return lcl_buffer_write(all, room + bytes, ranks * bytes);
}

enum lcl_status lcl_gathering_run(const struct lcl_gathering *G,
                                  const lcl_buffer *own, lcl_buffer *all)
{
    if (!G->relayed)
        return gather_by_host(G, own, all);
    const enum lcl_status st = lcl_relay_send(G->relayed, G->place, own);
    return st < 0 ? st : lcl_relay_receive(G->relayed, all, 0, lcl_launch);
}
