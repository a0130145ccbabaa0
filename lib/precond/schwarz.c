// SPDX-License-Identifier: BSD-3-Clause
// Additive Schwarz methods.
#include "lib/precond/schwarz.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

// ------------------------------------------------------------------- maps

// The maps on the host; `order` as in lcl_schwarz_init().
struct maps {
    int32_t *order;
    uint32_t *row, *first, *place;
};

static void maps_finish(struct maps *m)
{
    lcl_free(m->place);
    lcl_free(m->first);
    lcl_free(m->row);
    lcl_free(m->order);
}

static bool counts(const struct lcl_subdomains *P, int32_t k,
                   enum lcl_schwarz_form form)
{
    return form == LCL_SCHWARZ_SUM || !P->owned || P->owned[k];
}

// Index of row i of the matrix of P in vectors; rows of other ranks follow the
// n rows of vectors.
static uint32_t vector_row(const struct lcl_schwarz *S, int32_t i)
{
    if (i >= S->low + S->n)
        return (uint32_t)i;
    return (uint32_t)(i < S->low ? i + S->n : i - S->low);
}

// A counting sort of the extended rows by row.
static void fill_maps(struct maps *m, const struct lcl_schwarz *S,
                      const struct lcl_subdomains *P,
                      enum lcl_schwarz_form form)
{
    const int64_t rows = lcl_subdomains_rows(P);
    for (int64_t k = 0; k < rows; ++k) {
        m->row[k] = vector_row(S, P->row[m->order[k]]);
        m->first[m->row[k] + 2] += counts(P, m->order[k], form);
    }
    for (int64_t i = 0; i < P->n; ++i)
        m->first[i + 2] += m->first[i + 1];
    for (int64_t k = 0; k < rows; ++k)
        if (counts(P, m->order[k], form))
            m->place[m->first[m->row[k] + 1]++] = (uint32_t)k;
}

static enum lcl_status maps_init(struct maps *m, const struct lcl_schwarz *S,
                                 const struct lcl_subdomains *P,
                                 const lcl_buffer *order,
                                 enum lcl_schwarz_form form)
{
    const struct lcl_log *log = lcl_context_log(S->inner->range.ctx);
    const size_t rows = (size_t)lcl_subdomains_rows(P);
    m->order = lcl_malloc(rows, sizeof *m->order);
    m->row = lcl_malloc(rows, sizeof *m->row);
    m->first = lcl_calloc((size_t)P->n + 2, sizeof *m->first);
    m->place = lcl_malloc(rows, sizeof *m->place);
    if (!m->order || !m->row || !m->first || !m->place)
        return lcl_fail_memory(log, "overlapping subdomains");
    for (size_t k = 0; k < rows && !order; ++k)
        m->order[k] = (int32_t)k;
    const enum lcl_status st =
        order ? lcl_buffer_read(order, m->order, rows * sizeof *m->order)
              : LCL_OK;
    if (st == LCL_OK)
        fill_maps(m, S, P, form);
    return st;
}

static enum lcl_status make_maps(struct lcl_schwarz *S,
                                 const struct lcl_subdomains *P,
                                 const lcl_buffer *order,
                                 enum lcl_schwarz_form form)
{
    static const char what[] = "overlapping subdomains";
    lcl_context *ctx = S->inner->range.ctx;
    struct maps m = {.order = NULL};
    enum lcl_status st = maps_init(&m, S, P, order, form);
    if (st == LCL_OK &&
        (st = lcl_buffer_create_from(&S->row, ctx, m.row, S->rows,
                                     sizeof *m.row, what)) == LCL_OK &&
        (st = lcl_buffer_create_from(&S->first, ctx, m.first, S->sums + 1,
                                     sizeof *m.first, what)) == LCL_OK)
        st = lcl_buffer_create_from(&S->place, ctx, m.place, m.first[S->sums],
                                    sizeof *m.place, what);
    maps_finish(&m);
    return st;
}

// ------------------------------------------------------------------- operator

// Fetches the entries of v->x that other ranks own.
static enum lcl_status fetch(const struct lcl_schwarz *S,
                             const struct lcl_operands *v)
{
    if (!S->around)
        return LCL_OK;
    const enum lcl_status st = lcl_halo_begin(&S->around->halo, v->x);
    return st < 0 ? st : lcl_halo_receive(&S->around->halo);
}

static enum lcl_status extend(const struct lcl_schwarz *S,
                              const struct lcl_operands *v)
{
    return LCL_LAUNCH(
        S->extend, S->groups, lcl_arg_long(S->rows), lcl_arg_buffer(S->row),
        lcl_arg_buffer(v->x), lcl_arg_long(S->op.range.n),
        lcl_arg_buffer(S->around ? S->around->halo.ghost : NULL),
        lcl_arg_buffer(S->x), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// Collects y from the rank's parts, or the sums over all ranks.
static enum lcl_status collect(const struct lcl_schwarz *S,
                               const struct lcl_operands *v)
{
    const enum lcl_status st = LCL_LAUNCH(
        S->collect, S->groups, lcl_arg_long(S->sums), lcl_arg_buffer(S->first),
        lcl_arg_buffer(S->place), lcl_arg_buffer(S->y),
        lcl_arg_buffer(S->adds ? S->around->sum : v->y),
        lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
    return st < 0 || !S->adds ? st : lcl_overlap_rows_sum(S->around, v);
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_schwarz *S = A->state;
    const struct lcl_operands inner = {
        .x = S->x, .y = S->y, .stop = v->stop, .at = v->at};
    enum lcl_status st;
    (void)mode;
    if ((st = fetch(S, v)) < 0 || (st = extend(S, v)) < 0 ||
        (st = lcl_apply(S->inner, LCL_APPLY, &inner)) < 0)
        return st;
    return collect(S, v);
}

static enum lcl_status get_kernels(struct lcl_schwarz *S, lcl_context *ctx,
                                   int block)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_kernel_plan all[] = {
        {&S->extend, "schwarz_extend"},
        {&S->collect, "schwarz_collect"},
    };
    const struct lcl_spec spec = {.source = "schwarz.cl",
                                  .group = lcl_vector_group(caps),
                                  .block = block > 1 ? block : 0};
    S->groups = lcl_vector_groups(caps);
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

enum lcl_status lcl_schwarz_init(struct lcl_schwarz *S, lcl_operator *inner,
                                 const struct lcl_subdomains *P,
                                 const lcl_buffer *order, int block,
                                 enum lcl_schwarz_form form,
                                 struct lcl_overlap_rows *around)
{
    static const struct lcl_operator_ops ops = {.apply = apply};
    lcl_context *ctx = inner->range.ctx;
    const int64_t n = around ? around->halo.plan.rows / block : P->n;
    const bool adds = around && form == LCL_SCHWARZ_SUM;
    const struct lcl_space V = lcl_space_of(ctx, n * block);
    enum lcl_status st;
    *S = (struct lcl_schwarz){.inner = inner,
                              .rows = lcl_subdomains_rows(P),
                              .n = n,
                              .adds = adds,
                              .sums = adds ? P->n : n,
                              .low = around ? around->low / block : 0,
                              .around = around};
    lcl_operator_init(&S->op, &ops, V, V);
    S->op.state = S;
    S->op.launches = inner->launches + 2 + (around != NULL) + adds;
    if ((adds && (st = lcl_overlap_rows_make_sums(around)) < 0) ||
        (st = get_kernels(S, ctx, block)) < 0 ||
        (st = make_maps(S, P, order, form)) < 0 ||
        (st = lcl_buffer_create(&S->x, ctx, S->rows * block, sizeof(double),
                                "extended vector")) < 0)
        return st;
    return lcl_buffer_create(&S->y, ctx, S->rows * block, sizeof(double),
                             "extended vector");
}

void lcl_schwarz_finish(struct lcl_schwarz *S)
{
    lcl_buffer_destroy(&S->row);
    lcl_buffer_destroy(&S->first);
    lcl_buffer_destroy(&S->place);
    lcl_buffer_destroy(&S->x);
    lcl_buffer_destroy(&S->y);
}

enum lcl_status lcl_schwarz_places(const struct lcl_schwarz *S, uint32_t *place)
{
    const size_t n = (size_t)S->n, bytes = lcl_buffer_bytes(S->place);
    uint32_t *first = lcl_malloc(n, sizeof *first);
    uint32_t *all = lcl_malloc(bytes, 1);
    enum lcl_status st = LCL_ENOMEM;
    if (first && all &&
        (st = lcl_buffer_read(S->first, first, n * sizeof *first)) == LCL_OK &&
        (st = lcl_buffer_read(S->place, all, bytes)) == LCL_OK)
        for (size_t i = 0; i < n; ++i)
            place[i] = all[first[i]];
    lcl_free(first);
    lcl_free(all);
    return st;
}

uint64_t lcl_schwarz_bytes(const struct lcl_schwarz *S)
{
    return lcl_buffer_bytes(S->row) + lcl_buffer_bytes(S->first) +
           lcl_buffer_bytes(S->place) + lcl_buffer_bytes(S->x) +
           lcl_buffer_bytes(S->y);
}
