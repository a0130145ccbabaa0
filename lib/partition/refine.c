// SPDX-License-Identifier: BSD-3-Clause
// Refinement of the parts from level to level.
#include "lib/partition/matcher.h"

#include "host/runtime.h"

enum lcl_status lcl_match_parts_init(struct lcl_match_parts *P,
                                     struct lcl_matcher *m,
                                     const struct lcl_match_graph *G, int64_t n)
{
    const int64_t classes = G->n * MATCH_CLASSES;
    enum lcl_status st;
    *P = (struct lcl_match_parts){.count = G->n};
    if ((st = lcl_match_buffer(m, &P->part, n)) < 0 ||
        (st = lcl_match_buffer(m, &P->finer, n)) < 0 ||
        (st = lcl_match_buffer(m, &P->rows, G->n)) < 0 ||
        (st = lcl_match_buffer(m, &P->next, G->n)) < 0 ||
        (st = lcl_match_buffer(m, &P->demand, classes)) < 0 ||
        (st = lcl_match_buffer(m, &P->after, classes)) < 0 ||
        (st = lcl_match_buffer(m, &P->to, n)) < 0 ||
        (st = lcl_match_buffer(m, &P->class, n)) < 0 ||
        (st = lcl_match_copy(m, P->rows, G->size, G->n)) < 0 ||
        (st = lcl_match_fill(m, P->demand, classes, 0)) < 0)
        return st;
    return lcl_match_count_up(m, P->part, G->n, 0, 1);
}

void lcl_match_parts_finish(struct lcl_match_parts *P)
{
    lcl_buffer **const all[] = {&P->part,   &P->finer, &P->rows, &P->next,
                                &P->demand, &P->after, &P->to,   &P->class};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(all[i]);
}

enum lcl_status lcl_match_project(struct lcl_match_parts *P,
                                  struct lcl_matcher *m, int64_t n,
                                  const lcl_buffer *coarse)
{
    lcl_buffer_swap(&P->part, &P->finer);
    return LCL_MATCH_LAUNCH(m, LCL_MATCH_PROJECT, LCL_MATCH_FEW,
                            lcl_arg_long(n), lcl_arg_buffer(coarse),
                            lcl_arg_buffer(P->finer), lcl_arg_buffer(P->part));
}

enum lcl_status lcl_match_refine(struct lcl_match_parts *P,
                                 struct lcl_matcher *m,
                                 const struct lcl_match_graph *G,
                                 uint32_t limit, uint32_t round)
{
    const enum lcl_match_variant variant = lcl_match_variant_of(G);
    enum lcl_status st;
    lcl_task_bytes(m->ctx, lcl_match_graph_bytes(G));
    if ((st = LCL_MATCH_LAUNCH(
             m, LCL_MATCH_CHOOSE, variant, lcl_arg_long(G->n),
             lcl_arg_long(P->count), lcl_arg_int((int32_t)limit),
             lcl_arg_int((int32_t)round), lcl_arg_buffer(G->row_ptr),
             lcl_arg_buffer(G->col), lcl_arg_buffer(G->weight),
             lcl_arg_buffer(G->size), lcl_arg_buffer(P->part),
             lcl_arg_buffer(P->rows), lcl_arg_buffer(P->next),
             lcl_arg_buffer(P->to), lcl_arg_buffer(P->class),
             lcl_arg_buffer(P->demand))) < 0 ||
        (st = LCL_MATCH_LAUNCH(
             m, LCL_MATCH_MOVE, variant, lcl_arg_long(G->n),
             lcl_arg_long(P->count), lcl_arg_int((int32_t)limit),
             lcl_arg_buffer(G->size), lcl_arg_buffer(P->to),
             lcl_arg_buffer(P->class), lcl_arg_buffer(P->rows),
             lcl_arg_buffer(P->demand), lcl_arg_buffer(P->part),
             lcl_arg_buffer(P->next), lcl_arg_buffer(P->after))) < 0)
        return st;
    lcl_buffer_swap(&P->rows, &P->next);
    lcl_buffer_swap(&P->demand, &P->after);
    return LCL_OK;
}
