// SPDX-License-Identifier: BSD-3-Clause
// Sums and agreements over the ranks, on top of any transport.
#include "lib/comm/comm.h"

#include "host/alloc.h"
#include "host/log.h"

void *lcl_comm_room(struct lcl_comm *C, size_t bytes)
{
    if (bytes > C->room_bytes || !C->room) {
        char *larger = lcl_realloc(C->room, bytes, 1);
        if (!larger)
            return NULL;
        C->room = larger;
        C->room_bytes = bytes;
    }
    return C->room;
}

void lcl_comm_finish(struct lcl_comm *C)
{
    lcl_free(C->room);
    C->room = NULL;
    C->room_bytes = 0;
}

enum lcl_status lcl_comm_all(struct lcl_comm *C, const void *own, size_t bytes,
                             const void **all)
{
    void *room = lcl_comm_room(C, (size_t)C->size * bytes);
    const enum lcl_status st =
        room ? lcl_comm_gather(C, own, bytes, room)
             : lcl_fail_memory(&C->log, "numbers of all ranks");
    *all = room;
    if (st < 0)
        lcl_comm_fail(C);
    return st;
}

enum lcl_status lcl_comm_sum(struct lcl_comm *C, double *sum, int count)
{
    const void *room;
    const enum lcl_status st =
        lcl_comm_all(C, sum, (size_t)count * sizeof *sum, &room);
    if (st < 0)
        return st;
    const double *all = room;
    for (int i = 0; i < count; ++i) {
        sum[i] = all[i];
        for (int r = 1; r < C->size; ++r)
            sum[i] += all[r * count + i];
    }
    return LCL_OK;
}

enum lcl_status lcl_comm_first(struct lcl_comm *C, const void **data,
                               size_t bytes)
{
    const void *all;
    const enum lcl_status st = lcl_comm_all(C, *data, bytes, &all);
    if (st == LCL_OK)
        *data = all;
    return st;
}

enum lcl_status lcl_comm_max(struct lcl_comm *C, int64_t *largest)
{
    const void *room;
    const enum lcl_status st = lcl_comm_all(C, largest, sizeof *largest, &room);
    if (st < 0)
        return st;
    const int64_t *all = room;
    for (int r = 0; r < C->size; ++r)
        if (all[r] > *largest)
            *largest = all[r];
    return LCL_OK;
}

// The rank whose status becomes the status of all.
static int find_status(const int32_t *all, int size)
{
    int found = 0;
    for (int r = 1; r < size; ++r) {
        const bool tells_more =
            all[found] == LCL_EDEVICE && all[r] < 0 && all[r] != LCL_EDEVICE;
        const bool is_worse =
            all[found] >= 0 && (all[r] < 0 || all[r] > all[found]);
        if (tells_more || is_worse)
            found = r;
    }
    return found;
}

enum lcl_status lcl_comm_agree(struct lcl_comm *C, enum lcl_status own,
                               const char *what)
{
    const int32_t mine = own;
    const void *room;
    const enum lcl_status st = lcl_comm_all(C, &mine, sizeof mine, &room);
    if (st < 0)
        return own < 0 ? own : st;
    const int32_t *all = room;
    const int r = find_status(all, C->size);
    const enum lcl_status agreed = (enum lcl_status)all[r];
    if (agreed < 0) // rank r has logged the reason
        lcl_info(&C->log, "%s: rank %d failed: %s", what, r,
                 lcl_status_str(agreed));
    return agreed;
}

enum lcl_status lcl_comm_refuse_length(const struct lcl_comm *C, int peer,
                                       size_t got, size_t expected)
{
    return lcl_fail(&C->log, LCL_EINVAL,
                    "a message of %zu bytes from rank %d, expected %zu", got,
                    peer, expected);
}

enum lcl_status lcl_comm_refuse_rank(const struct lcl_comm *C, int peer)
{
    lcl_info(&C->log, "rank %d ended with an error", peer);
    return LCL_EDEVICE;
}
