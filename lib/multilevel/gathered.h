// SPDX-License-Identifier: BSD-3-Clause
// The first small level of several ranks: each rank gathers its matrix, and
// solves with it what it gathers of the vectors.
#pragma once

#include "lib/multilevel/gathered_rows.h"
#include "lib/multilevel/level.h"
#include "lib/vector/gathering.h"
#include "lib/vector/vector.h"

// Enqueues y = M^-1 x on the gathered level, for fp64.
typedef enum lcl_status lcl_gathered_fn(const void *user,
                                        const struct lcl_operands *v);

struct lcl_gathered {
    const struct lcl_level *L;         // the rank's rows
    bool descends;                     // from levels above
    struct lcl_device_matrix all;      // of all ranks
    struct lcl_gathered_rows rows;     // that `all` is made of
    struct lcl_device_matrix unscaled; // the rank's rows without entries: a
                                       // cycle scales no vectors by it
    struct lcl_dense near_null;        // of a system, of all ranks
    lcl_gathered_fn *solve;
    const void *user;
    struct lcl_gathering gathering;
    lcl_buffer *given, *parts, *place, *list, *own, *b, *x;
    lcl_kernel *widen, *narrow;
    struct lcl_vector_ops ops;
};

// L has ranks and must outlive *G. The functions are collective and need not be
// left by all ranks: one with an error has to call lcl_comm_fail(). Statuses as
// lcl_gathered_rows_init(); *G is fit for lcl_gathered_finish() in any case.
enum lcl_status lcl_gathered_init(struct lcl_gathered *G,
                                  const struct lcl_level *L, bool descends);
void lcl_gathered_finish(struct lcl_gathered *G);

// Takes new values of L->A to G->all.
enum lcl_status lcl_gathered_update(const struct lcl_gathered *G);

// v->y = M^-1 v->x for the rank's part of vectors; enqueued with a relay.
enum lcl_status lcl_gathered_apply(const struct lcl_gathered *G,
                                   const struct lcl_operands *v);

// The same for b and x in fp32: an lcl_cycle_below_fn for `arg`, a struct
// lcl_gathered.
enum lcl_status lcl_gathered_descend(const void *arg, const lcl_buffer *b,
                                     lcl_buffer *x,
                                     const struct lcl_operands *v);

// Kernels of an application besides those of the solve.
int lcl_gathered_launches(const struct lcl_gathered *G);
uint64_t lcl_gathered_bytes(const struct lcl_gathered *G);
