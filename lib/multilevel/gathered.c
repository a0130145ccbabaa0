// SPDX-License-Identifier: BSD-3-Clause
// The first small level of several ranks.
#include "lib/multilevel/gathered.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"

static const char what[] = "levels of all ranks";

static const struct lcl_log *log_of(const struct lcl_gathered *G)
{
    return lcl_context_log(G->L->space.ctx);
}

// ------------------------------------------------------------------- set-up

// From vectors row by row, of the rank's rows, to columns of all rows.
static enum lcl_status gather_near_null(struct lcl_gathered *G)
{
    const struct lcl_level *L = G->L;
    const struct lcl_near_null *B = &L->near_null;
    const int64_t rows = L->space.total, cols = B->count;
    const size_t bytes = (size_t)(L->A->n * cols) * sizeof(double);
    double *own = lcl_malloc(bytes, 1);
    double *val = lcl_malloc((size_t)(rows * cols), sizeof *val);
    void *all = NULL;
    enum lcl_status st = own && val ? lcl_buffer_read(B->vectors, own, bytes)
                                    : lcl_fail_memory(log_of(G), what);
    if (st == LCL_OK)
        st = lcl_gather_parts(&all, own, (int64_t)bytes, L->space.comm);
    for (int64_t i = 0; i < rows && st == LCL_OK; ++i)
        for (int64_t c = 0; c < cols; ++c)
            val[i + c * rows] = ((const double *)all)[i * cols + c];
    G->near_null = (struct lcl_dense){rows, cols, val};
    lcl_free(all);
    lcl_free(own);
    return st;
}

// Places of the rank's rows: among themselves, in the order of all ranks; and
// where the gathered parts, of `share` numbers each, have all rows.
static enum lcl_status make_places(struct lcl_gathered *G, int64_t share)
{
    const struct lcl_comm *comm = G->L->space.comm;
    const int64_t *first = G->L->rows.first;
    const int64_t own = lcl_owned(&G->L->rows), rows = first[comm->size];
    const size_t size = sizeof(uint32_t);
    uint32_t *place = lcl_malloc((size_t)rows, size);
    uint32_t *list = lcl_malloc((size_t)(2 * own), size);
    enum lcl_status st = LCL_ENOMEM;
    for (int r = 0; place && r < comm->size; ++r)
        for (int64_t i = first[r]; i < first[r + 1]; ++i)
            place[i] = (uint32_t)(r * share + i - first[r]);
    for (int64_t i = 0; list && i < own; ++i) {
        list[i] = (uint32_t)i;
        list[own + i] = (uint32_t)(first[comm->rank] + i);
    }
    if (place && list &&
        (st = lcl_buffer_create_from(&G->place, G->L->space.ctx, place, rows,
                                     size, what)) == LCL_OK &&
        (st = lcl_buffer_create_from(&G->list, G->L->space.ctx, list, own, size,
                                     what)) == LCL_OK)
        st = lcl_buffer_create_from(&G->own, G->L->space.ctx, list + own, own,
                                    size, what);
    lcl_free(list);
    lcl_free(place);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(G), what) : st;
}

static enum lcl_status make_vectors(struct lcl_gathered *G)
{
    lcl_context *ctx = G->L->space.ctx;
    const int64_t *first = G->L->rows.first;
    const int ranks = G->L->space.comm->size;
    int64_t share = 1;
    enum lcl_status st;
    for (int r = 0; r < ranks; ++r)
        if (first[r + 1] - first[r] > share)
            share = first[r + 1] - first[r];
    const struct lcl_buffer_plan all[] = {
        {&G->given, share, sizeof(double), what},
        {&G->parts, ranks * share, sizeof(double), what},
        {&G->b, first[ranks], sizeof(double), what},
        {&G->x, first[ranks], sizeof(double), what},
    };
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_fill(G->given, 0)) < 0 ||
        (st = make_places(G, share)) < 0 ||
        (st = lcl_vector_ops_init(&G->ops, ctx, 1)) < 0 ||
        (st = lcl_ghosts_kernel(&G->widen, ctx, "ghosts_widen")) < 0 ||
        (st = lcl_ghosts_kernel(&G->narrow, ctx, "ghosts_narrow")) < 0)
        return st;
    return lcl_gathering_init(&G->gathering, &G->L->space, share);
}

static enum lcl_status make_unscaled(struct lcl_gathered *G)
{
    const int64_t rows = G->L->space.n;
    struct lcl_bsr none = {.rows = rows, .cols = rows, .block_size = 1};
    none.row_ptr = lcl_calloc((size_t)rows + 1, sizeof *none.row_ptr);
    const enum lcl_status st =
        none.row_ptr
            ? lcl_device_matrix_init(&G->unscaled, G->L->space.ctx, &none)
            : lcl_fail_memory(log_of(G), what);
    lcl_bsr_finish(&none);
    return st;
}

static enum lcl_status gather_all(struct lcl_gathered *G)
{
    const struct lcl_level *L = G->L;
    const enum lcl_status st = lcl_gathered_rows_init(
        &G->rows, &G->all, L->space.ctx, L->A, &L->A_halo.plan, &L->rows);
    return st == LCL_OK && lcl_level_is_system(L) ? gather_near_null(G) : st;
}

enum lcl_status lcl_gathered_init(struct lcl_gathered *G,
                                  const struct lcl_level *L, bool descends)
{
    enum lcl_status st;
    *G = (struct lcl_gathered){.L = L, .descends = descends};
    lcl_task_enter(L->space.ctx, LCL_TASK_GATHERING);
    if ((st = gather_all(G)) == LCL_OK && (st = make_vectors(G)) == LCL_OK &&
        descends)
        st = make_unscaled(G);
    lcl_task_leave(L->space.ctx);
    return st;
}

static lcl_buffer **buffer_at(struct lcl_gathered *G, size_t k)
{
    lcl_buffer **const all[] = {&G->given, &G->parts, &G->place, &G->list,
                                &G->own,   &G->b,     &G->x};
    return k < sizeof all / sizeof *all ? all[k] : NULL;
}

void lcl_gathered_finish(struct lcl_gathered *G)
{
    lcl_gathering_finish(&G->gathering);
    lcl_gathered_rows_finish(&G->rows);
    for (size_t k = 0; buffer_at(G, k); ++k)
        lcl_buffer_destroy(buffer_at(G, k));
    lcl_device_matrix_finish(&G->all);
    lcl_device_matrix_finish(&G->unscaled);
    lcl_dense_finish(&G->near_null);
}

uint64_t lcl_gathered_bytes(const struct lcl_gathered *G)
{
    struct lcl_gathered copy = *G;
    uint64_t bytes = lcl_device_matrix_bytes(&G->all) +
                     lcl_device_matrix_bytes(&G->unscaled) +
                     lcl_whole_columns_bytes(&G->rows.own);
    for (size_t k = 0; buffer_at(&copy, k); ++k)
        bytes += lcl_buffer_bytes(*buffer_at(&copy, k));
    return bytes;
}

enum lcl_status lcl_gathered_update(const struct lcl_gathered *G)
{
    return lcl_gathered_rows_update(&G->rows, &G->all, G->L->A);
}

// ------------------------------------------------------------------- solve

// G->x = what the levels below make of the gathered vectors G->given.
static enum lcl_status solve(const struct lcl_gathered *G,
                             const struct lcl_operands *v)
{
    const struct lcl_operands below = {
        .x = G->b, .y = G->x, .stop = v->stop, .at = v->at};
    enum lcl_status st;
    if ((st = lcl_gathering_run(&G->gathering, G->given, G->parts)) < 0 ||
        (st = lcl_gather(&G->ops, G->L->space.total, G->place, G->parts,
                         G->b)) < 0)
        return st;
    return G->solve(G->user, &below);
}

enum lcl_status lcl_gathered_descend(const void *arg, const lcl_buffer *b,
                                     lcl_buffer *x,
                                     const struct lcl_operands *v)
{
    const struct lcl_gathered *G = arg;
    const struct lcl_space *V = &G->L->space;
    enum lcl_status st;
    if ((st = LCL_LAUNCH(G->widen, V->groups, lcl_arg_long(V->n),
                         lcl_arg_buffer(G->list), lcl_arg_buffer(b),
                         lcl_arg_buffer(G->given))) < 0 ||
        (st = solve(G, v)) < 0 ||
        (st = lcl_gather(&G->ops, V->n, G->own, G->x, G->given)) < 0)
        return st;
    return LCL_LAUNCH(G->narrow, V->groups, lcl_arg_long(V->n), lcl_arg_long(0),
                      lcl_arg_buffer(G->given), lcl_arg_buffer(x));
}

enum lcl_status lcl_gathered_apply(const struct lcl_gathered *G,
                                   const struct lcl_operands *v)
{
    const int64_t n = G->L->space.n;
    enum lcl_status st;
    if ((st = lcl_gather(&G->ops, n, G->list, v->x, G->given)) < 0 ||
        (st = solve(G, v)) < 0)
        return st;
    return lcl_gather(&G->ops, n, G->own, G->x, v->y);
}

int lcl_gathered_launches(const struct lcl_gathered *G)
{
    return (G->descends ? 4 : 3) + (G->gathering.relayed ? 2 : 0);
}
