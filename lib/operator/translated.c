// SPDX-License-Identifier: BSD-3-Clause
// An operator in another numbering.
#include "lib/operator/translated.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/csr.h"

static enum lcl_status prepare(lcl_operator *A)
{
    struct lcl_translated *T = A->state;
    return lcl_operator_prepare(T->inner, LCL_APPLY);
}

// If the solve has stopped, y receives the inner operator's previous result:
// harmless, since only kernels that check the stopping flag read y.
static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_translated *T = A->state;
    const struct lcl_operands inner = {
        .x = T->x, .y = T->y, .stop = v->stop, .at = v->at};
    const int64_t n = A->range.n;
    enum lcl_status st;
    (void)mode;
    if ((st = lcl_gather(&T->vector, n, T->map, v->x, T->x)) < 0 ||
        (st = lcl_apply(T->inner, LCL_APPLY, &inner)) < 0)
        return st;
    return lcl_scatter(&T->vector, n, T->map, T->y, v->y);
}

static const struct lcl_operator_ops ops = {
    .prepare = prepare,
    .apply = apply,
};

// map[i] = the outer row of inner row i; both permutations lead to the caller's
// rows. `rows` becomes the map.
static void compose(int32_t *rows, const int32_t *outer, int32_t *inverse,
                    int64_t n)
{
    lcl_permutation_invert(inverse, outer, n);
    for (int64_t i = 0; i < n; ++i)
        rows[i] = inverse[rows[i]];
}

static enum lcl_status make_map(struct lcl_translated *T,
                                const struct lcl_numbering *numbering)
{
    lcl_context *ctx = T->op.range.ctx;
    const int64_t n = T->op.range.n;
    int32_t *rows = NULL, *outer = NULL;
    int32_t *inverse = lcl_malloc((size_t)n, sizeof *inverse);
    enum lcl_status st =
        inverse ? LCL_OK
                : lcl_fail_memory(lcl_context_log(ctx), "a permutation");
    if (st == LCL_OK &&
        (st = lcl_numbering_rows(T->inner->numbering, &rows)) == LCL_OK &&
        (st = lcl_numbering_rows(numbering, &outer)) == LCL_OK) {
        compose(rows, outer, inverse, n);
        st = lcl_buffer_create_from(&T->map, ctx, rows, n, sizeof *rows,
                                    "permutation");
    }
    lcl_free(rows);
    lcl_free(outer);
    lcl_free(inverse);
    return st;
}

enum lcl_status lcl_translated_init(struct lcl_translated *T,
                                    lcl_operator *inner,
                                    const struct lcl_numbering *numbering)
{
    enum lcl_status st;
    *T = (struct lcl_translated){.inner = inner};
    lcl_operator_init(&T->op, &ops, inner->range, inner->domain);
    T->op.state = T;
    T->op.numbering = numbering;
    T->op.launches = inner->launches + 2;
    if ((st = lcl_vector_ops_init(&T->vector, inner->range.ctx, 1)) < 0 ||
        (st = make_map(T, numbering)) < 0 ||
        (st = lcl_space_vector(&T->x, &inner->domain)) < 0)
        return st;
    return lcl_space_vector(&T->y, &inner->range);
}

void lcl_translated_finish(struct lcl_translated *T)
{
    lcl_operator_finish(&T->op);
    lcl_buffer_destroy(&T->map);
    lcl_buffer_destroy(&T->x);
    lcl_buffer_destroy(&T->y);
}
