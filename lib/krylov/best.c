// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the best iterate.
#include "lib/krylov/best.h"
#include "lib/krylov/verify.h"

#include "host/geometry.h"
#include "host/launch.h"

#include <math.h>

// Checkpoints at steps 4, 8, ..., 128, then every 128: on a GPU each costs
// about a third of a CG iteration, for the copy and the data that it evicts
// from the cache.
enum { FIRST = 4, MOST_APART = 128 };

enum lcl_status lcl_best_init(struct lcl_best *B, const struct lcl_solver *S)
{
    const struct lcl_caps *caps = lcl_context_caps(S->ctx);
    const struct lcl_spec spec = {
        .source = "vector.cl",
        .kernel = "keep_best",
        .group = lcl_vector_group(caps),
    };
    lcl_buffer **const x = &B->x;
    const enum lcl_status st = lcl_kernel_get(&B->kernel, S->ctx, &spec);
    B->groups = lcl_vector_groups(caps);
    B->scale = 1;
    return st < 0 ? st : lcl_krylov_vectors(S, &x, 1);
}

void lcl_best_finish(struct lcl_best *B)
{
    lcl_buffer_destroy(&B->x);
}

enum lcl_status lcl_best_begin(struct lcl_solver *S)
{
    struct lcl_best *B = &S->kept;
    B->next = FIRST;
    B->slot = 0;
    B->scale = 1;
    if (S->iterations > 0 && !(S->rr < B->rr))
        return LCL_OK;
    B->rr = S->rr;
    B->at = S->iterations;
    return lcl_buffer_copy(B->x, S->x);
}

static bool is_due(struct lcl_best *B, int it)
{
    if (it < B->next)
        return false;
    B->next = it + (it < MOST_APART ? it : MOST_APART);
    return true;
}

enum lcl_status lcl_best_offer(struct lcl_solver *S, double rr)
{
    struct lcl_best *B = &S->kept;
    if (!(rr < B->rr) || !is_due(B, S->iterations))
        return LCL_OK;
    B->rr = rr;
    B->at = S->iterations;
    return lcl_buffer_copy(B->x, S->x);
}

enum lcl_status lcl_best_checkpoint(struct lcl_solver *S, int it,
                                    lcl_buffer *state, const lcl_buffer *stop,
                                    int at)
{
    struct lcl_best *B = &S->kept;
    if (!is_due(B, it))
        return LCL_OK;
    const int from = KRYLOV_BEST + 2 * B->slot;
    const int to = KRYLOV_BEST + 2 * (1 - B->slot);
    B->slot = 1 - B->slot;
    return LCL_LAUNCH(
        B->kernel, B->groups, lcl_arg_long(S->A->range.n), lcl_arg_int(it),
        lcl_arg_int(KRYLOV_RING + it % KRYLOV_RING_SIZE), lcl_arg_int(from),
        lcl_arg_int(to), lcl_arg_double(B->rr / B->scale), lcl_arg_buffer(S->x),
        lcl_arg_buffer(B->x), lcl_arg_buffer(state), lcl_arg_buffer(stop),
        lcl_arg_int(at));
}

void lcl_best_look(struct lcl_best *B, const double *state, int first)
{
    for (int slot = 0; slot < 2; ++slot) {
        const double *words = state + KRYLOV_BEST + 2 * slot;
        const double rr = B->scale * words[0];
        if (words[1] > 0 && rr < B->rr) {
            B->rr = rr;
            B->at = first + (int)words[1];
        }
    }
}

enum lcl_status lcl_best_restore(struct lcl_solver *S)
{
    struct lcl_best *B = &S->kept;
    const double last = S->rr, backward = S->backward;
    S->x_iteration = S->iterations;
    if (B->at == S->iterations || B->rr >= last)
        return LCL_OK;
    lcl_buffer_swap(&S->x, &B->x);
    const enum lcl_status st = lcl_verify(S);
    if (st < 0)
        return st;
    if (S->rr < last || !isfinite(last)) {
        S->x_iteration = B->at;
        return LCL_OK;
    }
    lcl_buffer_swap(&S->x, &B->x);
    S->rr = last;
    S->backward = backward;
    return LCL_OK;
}
