// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the exchanges of an operator's ranks.
#include "host/log.h"
#include "host/runtime.h"
#include "lib/comm/relay.h"
#include "lib/distributed/team_operator.h"

// The sum over the rank's own thread and the thread of its relay.
static struct lcl_exchange_info exchanged(const struct lcl_comm *C)
{
    const struct lcl_exchange_info a = C->exchanged;
    const struct lcl_exchange_info b = lcl_relay_exchanged(C->relay);
    return (struct lcl_exchange_info){
        .halo_seconds = a.halo_seconds + b.halo_seconds,
        .sum_seconds = a.sum_seconds + b.sum_seconds,
        .exchanges = a.exchanges + b.exchanges,
        .sums = a.sums + b.sums,
        .sent_bytes = a.sent_bytes + b.sent_bytes,
        .taken_bytes = a.taken_bytes + b.taken_bytes,
    };
}

enum lcl_status lcl_operator_exchange_info(const lcl_operator *A, int device,
                                           struct lcl_exchange_info *info)
{
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    if (!A || !info)
        return lcl_misuse(log, "lcl_operator_exchange_info: an argument is "
                               "NULL");
    const enum lcl_status st =
        lcl_context_expect_free(A->range.ctx, "lcl_operator_exchange_info");
    if (st < 0)
        return st;
    const int count = A->team ? A->team->distribution.size : 1;
    *info = (struct lcl_exchange_info){0};
    if (device < 0 || device >= count)
        return lcl_fail(log, LCL_EINVAL,
                        "device %d: the operator is on %d devices", device,
                        count);
    const struct lcl_comm *C =
        A->team ? A->team->part[device]->range.comm : A->range.comm;
    if (C)
        *info = exchanged(C);
    return LCL_OK;
}
