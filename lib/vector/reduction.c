// SPDX-License-Identifier: BSD-3-Clause
// A sum over the ranks in two halves.
#include "lib/vector/reduction.h"

#include "host/queue.h"

enum lcl_status lcl_reduction_init(struct lcl_reduction *R,
                                   const struct lcl_space *V, int rows)
{
    // lcl_space_reduce() sums, or nothing has to
    const bool whole = !V->comm || V->comm->size == 1 || V->comm->relay;
    *R = (struct lcl_reduction){
        .space = *V, .rows = rows, .count = whole ? V->groups : 1};
    enum lcl_status st =
        lcl_buffer_create(&R->sums, V->ctx, (int64_t)rows * V->groups,
                          sizeof(double), "partial sums");
    if (whole || st < 0 || (st = lcl_fork(V->ctx)) < 0) // for lcl_write_aux()
        return st;
    return lcl_window_create(&R->window, R->sums);
}

void lcl_reduction_finish(struct lcl_reduction *R)
{
    lcl_window_destroy(&R->window);
    lcl_buffer_destroy(&R->sums);
}

enum lcl_status lcl_reduction_begin(struct lcl_reduction *R)
{
    const struct lcl_space *V = &R->space;
    R->sent = false;
    return R->window ? lcl_window_post(R->window)
                     : lcl_space_reduce(V, R->sums, 0, R->rows, V->groups);
}

void lcl_reduction_cancel(struct lcl_reduction *R)
{
    const void *partial;
    if (R->window && !R->sent)
        (void)lcl_window_fetch(R->window, &partial);
}

enum lcl_status lcl_reduction_send(struct lcl_reduction *R)
{
    const struct lcl_space *V = &R->space;
    const void *partial;
    if (!R->window)
        return LCL_OK;
    const enum lcl_status st = lcl_window_fetch(R->window, &partial);
    R->sent = true;
    if (st < 0)
        return st;
    lcl_space_add_up(R->own, partial, R->rows, V->groups);
    return lcl_comm_start(V->comm, R->own, (size_t)R->rows * sizeof *R->own);
}

// The write does not wait for work that the device has begun meanwhile.
enum lcl_status lcl_reduction_end(struct lcl_reduction *R)
{
    const struct lcl_space *V = &R->space;
    enum lcl_status st;
    if (!R->window)
        return LCL_OK;
    if ((!R->sent && (st = lcl_reduction_send(R)) < 0) ||
        (st = lcl_space_sum(V, R->own, R->rows)) < 0)
        return st;
    return lcl_write_aux(V->ctx, R->sums, 0, R->own,
                         (size_t)R->rows * sizeof *R->own);
}
