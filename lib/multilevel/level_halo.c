// SPDX-License-Identifier: BSD-3-Clause
// The ghosts of vectors in fp32 of a level of several ranks.
#include "lib/multilevel/level_halo.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

static const char what[] = "ghosts of a level";

enum lcl_status lcl_ghosts_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *name)
{
    return lcl_vector_kernel(out, ctx, "ghosts.cl", name);
}

// What the plan sends is packed before: element k is that of row sent[k].
static enum lcl_status take_sends(struct lcl_level_halo *H,
                                  struct lcl_halo_plan *P)
{
    int32_t *packed = lcl_malloc((size_t)P->sends, sizeof *packed);
    if (!packed)
        return lcl_fail_memory(&H->halo.space.comm->log, what);
    for (int64_t k = 0; k < P->sends; ++k)
        packed[k] = (int32_t)k;
    H->sent = P->send;
    P->send = packed;
    return LCL_OK;
}

static enum lcl_status begin(struct lcl_level_halo *H,
                             const struct lcl_space *V, struct lcl_halo_plan *P)
{
    enum lcl_status st;
    H->halo.space = *V;
    if ((st = take_sends(H, P)) < 0 ||
        (st = lcl_ghosts_kernel(&H->widen, V->ctx, "ghosts_widen")) < 0 ||
        (st = lcl_ghosts_kernel(&H->narrow, V->ctx, "ghosts_narrow")) < 0 ||
        (st = lcl_buffer_create(&H->packed, V->ctx, P->sends, sizeof(double),
                                what)) < 0)
        return st;
    return lcl_buffer_create_from(&H->send, V->ctx, H->sent, P->sends,
                                  sizeof *H->sent, what);
}

enum lcl_status lcl_level_halo_init(struct lcl_level_halo *H,
                                    const struct lcl_space *V,
                                    struct lcl_halo_plan *plan)
{
    static const struct lcl_halo_layout single = {1, 1, 1, 1};
    *H = (struct lcl_level_halo){.rows = V->n};
    const enum lcl_status st = begin(H, V, plan);
    if (st == LCL_OK)
        return lcl_halo_init(&H->halo, V, plan, &single, LCL_HALO_ROWS);
    lcl_halo_plan_finish(plan);
    return st;
}

void lcl_level_halo_finish(struct lcl_level_halo *H)
{
    lcl_halo_finish(&H->halo);
    lcl_buffer_destroy(&H->send);
    lcl_buffer_destroy(&H->packed);
    lcl_free(H->sent);
}

enum lcl_status lcl_level_halo_fetch(struct lcl_level_halo *H, lcl_buffer *x)
{
    const struct lcl_halo_plan *P = &H->halo.plan;
    const int groups = H->halo.space.groups;
    enum lcl_status st = LCL_OK;
    if (P->sends > 0)
        st = LCL_LAUNCH(H->widen, groups, lcl_arg_long(P->sends),
                        lcl_arg_buffer(H->send), lcl_arg_buffer(x),
                        lcl_arg_buffer(H->packed));
    if (st < 0 || (st = lcl_halo_begin(&H->halo, H->packed)) < 0 ||
        (st = lcl_halo_receive(&H->halo)) < 0 || P->ghosts == 0)
        return st;
    return LCL_LAUNCH(H->narrow, groups, lcl_arg_long(P->ghosts),
                      lcl_arg_long(H->rows), lcl_arg_buffer(H->halo.ghost),
                      lcl_arg_buffer(x));
}

static enum lcl_status carry(const struct lcl_level_halo *H, double *packed,
                             double *ghost, lcl_buffer *t)
{
    const struct lcl_halo_plan *P = &H->halo.plan;
    const size_t size = sizeof *packed;
    enum lcl_status st;
    if ((st = lcl_gather(&H->halo.ops, P->sends, H->send, t, H->packed)) < 0 ||
        (st = lcl_buffer_read(H->packed, packed, (size_t)P->sends * size)) <
            0 ||
        (st = lcl_halo_plan_carry(P, H->halo.space.comm, packed, size, ghost)) <
            0)
        return st;
    return lcl_buffer_write_at(t, (size_t)H->rows * size, ghost,
                               (size_t)P->ghosts * size);
}

enum lcl_status lcl_level_halo_complete(const struct lcl_level_halo *H,
                                        lcl_buffer *t)
{
    const struct lcl_halo_plan *P = &H->halo.plan;
    double *packed = lcl_malloc((size_t)P->sends, sizeof *packed);
    double *ghost = lcl_malloc((size_t)P->ghosts, sizeof *ghost);
    const enum lcl_status st =
        packed && ghost ? carry(H, packed, ghost, t)
                        : lcl_fail_memory(&H->halo.space.comm->log, what);
    lcl_free(ghost);
    lcl_free(packed);
    return st;
}

int lcl_level_halo_launches(const struct lcl_level_halo *H)
{
    const struct lcl_halo_plan *P = &H->halo.plan;
    return (P->sends > 0) + lcl_halo_launches(&H->halo) + (P->ghosts > 0);
}

uint64_t lcl_level_halo_bytes(const struct lcl_level_halo *H)
{
    return lcl_halo_bytes(&H->halo) + lcl_buffer_bytes(H->send) +
           lcl_buffer_bytes(H->packed);
}
