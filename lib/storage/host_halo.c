// SPDX-License-Identifier: BSD-3-Clause
// The exchange of CU-Solver, through memory of the host.
#include "lib/storage/host_halo.h"

#include "host/alloc.h"
#include "host/log.h"

#include <string.h>

// ------------------------------------------------------------------- creation

static enum lcl_status allocate(struct lcl_host_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    const size_t block = (size_t)H->block * sizeof(double);
    H->copy = lcl_malloc((size_t)P->rows, block);
    H->send[0] = lcl_malloc((size_t)P->sends, block);
    H->send[1] = lcl_malloc((size_t)P->sends, block);
    H->arrived = lcl_malloc((size_t)(P->ghosts * H->stages), block);
    return H->copy && H->send[0] && H->send[1] && H->arrived
               ? LCL_OK
               : lcl_fail_memory(&H->space.comm->log, "messages");
}

enum lcl_status lcl_host_halo_init(struct lcl_host_halo *H,
                                   const struct lcl_space *V,
                                   struct lcl_halo_plan *plan, int block,
                                   int stages)
{
    enum lcl_status st;
    *H = (struct lcl_host_halo){
        .space = *V, .plan = *plan, .block = block, .stages = stages};
    *plan = (struct lcl_halo_plan){.rows = 0};
    if ((st = lcl_halo_plan_messages(&H->messages, &H->plan, &V->comm->log)) <
            0 ||
        (st = allocate(H)) < 0)
        return st;
    return lcl_buffer_create(&H->ghost, V->ctx, H->plan.ghosts * block * stages,
                             sizeof(double), "ghosts");
}

void lcl_host_halo_finish(struct lcl_host_halo *H)
{
    lcl_buffer_destroy(&H->ghost);
    lcl_free(H->messages.out);
    lcl_free(H->messages.in);
    lcl_free(H->copy);
    lcl_free(H->send[0]);
    lcl_free(H->send[1]);
    lcl_free(H->arrived);
    lcl_halo_plan_finish(&H->plan);
}

// ------------------------------------------------------------------- exchange

enum lcl_status lcl_host_halo_copy(struct lcl_host_halo *H, const lcl_buffer *x,
                                   int stage)
{
    const size_t bytes = (size_t)(H->plan.rows * H->block) * sizeof *H->copy;
    return H->plan.sends > 0
               ? lcl_buffer_read_at(x, (size_t)stage * bytes, H->copy, bytes)
               : LCL_OK;
}

// Elements on their way to a rank must not change before the next exchange with
// that rank has ended, hence two buffers in turn.
static double *pack(struct lcl_host_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    double *send = H->send[H->sent++ % 2];
    for (int64_t k = 0; k < P->sends; ++k)
        for (int c = 0; c < H->block; ++c)
            send[k * H->block + c] =
                H->copy[(int64_t)P->send[k] * H->block + c];
    return send;
}

enum lcl_status lcl_host_halo_scatter(struct lcl_host_halo *H, int stage)
{
    const struct lcl_halo_plan *P = &H->plan;
    struct lcl_comm *C = H->space.comm;
    double *arrived = H->arrived + stage * P->ghosts * H->block;
    enum lcl_status st;
    lcl_halo_plan_address(&H->messages, P, pack(H),
                          (size_t)H->block * sizeof(double));
    if ((st = lcl_comm_begin(C, &H->messages)) < 0 ||
        (st = lcl_comm_end(C, &H->messages)) < 0)
        return st;
    for (int k = 0; k < P->froms; ++k)
        memcpy(arrived + P->from[k].start * H->block, H->messages.in[k].data,
               H->messages.in[k].bytes);
    return LCL_OK;
}

enum lcl_status lcl_host_halo_upload(struct lcl_host_halo *H, int stage)
{
    const int64_t count = H->plan.ghosts * H->block, first = stage * count;
    return lcl_buffer_write_at(H->ghost, (size_t)first * sizeof(double),
                               H->arrived + first,
                               (size_t)count * sizeof(double));
}
