// SPDX-License-Identifier: BSD-3-Clause
// The coarse space at the boundary of a rank.
#include "lib/multilevel/coarse_boundary.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/storage/matrix.h"

#include <stdlib.h>

static const char what[] = "coarse unknowns at the boundary of a rank";

// Entries of a row, where they are assumed.
enum { RESIDUAL_MEAN = 2, DEFLATION_MEAN = 64 };

static const struct lcl_log *log_of(const struct lcl_coarse_boundary *B)
{
    return &B->halo->space.comm->log;
}

// ------------------------------------------------------------------- runs

// State of the symbolic phase: run k is in boundary row `boundary[k]`, row
// place[boundary row] of the device, and belongs to local unknown `unknown[k]`.
struct search {
    const struct lcl_coarse_labels *L;
    const struct lcl_halo_plan *P;
    int64_t *run_ptr; // boundary + 1
    int32_t *unknown, *boundary;
    int64_t *last; // by unknown: its last run
};

static int32_t unknown_of(const struct search *s, int32_t column)
{
    return column < s->P->rows ? s->L->row[column]
                               : s->L->ghost[column - s->P->rows];
}

static void find_runs(struct lcl_coarse_boundary *B, struct search *s)
{
    const struct lcl_halo_plan *P = s->P;
    int64_t at = 0;
    for (int64_t u = 0; u < s->L->own + s->L->ghosts; ++u)
        s->last[u] = -1;
    for (int64_t r = 0; r < P->boundary; ++r) {
        s->run_ptr[r] = at;
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k) {
            const int32_t u = unknown_of(s, P->col[k]);
            if (s->last[u] < s->run_ptr[r]) {
                s->last[u] = at;
                s->boundary[at] = (int32_t)r;
                s->unknown[at++] = u;
            }
            B->entry_run[k] = (int32_t)s->last[u];
        }
    }
    s->run_ptr[P->boundary] = B->runs = at;
}

static enum lcl_status search_init(struct search *s,
                                   struct lcl_coarse_boundary *B)
{
    const size_t entries = (size_t)s->P->entries;
    s->run_ptr = lcl_malloc((size_t)s->P->boundary + 1, sizeof *s->run_ptr);
    s->unknown = lcl_malloc(entries, sizeof *s->unknown);
    s->boundary = lcl_malloc(entries, sizeof *s->boundary);
    s->last = lcl_malloc((size_t)(s->L->own + s->L->ghosts), sizeof *s->last);
    B->entry_run = lcl_malloc(entries, sizeof *B->entry_run);
    if (!s->run_ptr || !s->unknown || !s->boundary || !s->last || !B->entry_run)
        return lcl_fail_memory(log_of(B), what);
    find_runs(B, s);
    B->w = lcl_malloc((size_t)B->runs, sizeof *B->w);
    return B->w ? LCL_OK : lcl_fail_memory(log_of(B), what);
}

static void search_finish(struct search *s)
{
    lcl_free(s->last);
    lcl_free(s->boundary);
    lcl_free(s->unknown);
    lcl_free(s->run_ptr);
}

// ------------------------------------------------------------------- pairs

// Ghost runs by their entry of E.
struct keyed {
    int64_t key;
    int32_t run;
};

static int compare(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

static int64_t list_ghost_runs(struct keyed *all,
                               const struct lcl_coarse_boundary *B,
                               const struct search *s)
{
    const int32_t *labels = s->L->part ? s->L->part : s->L->row;
    int64_t count = 0;
    for (int64_t k = 0; k < B->runs; ++k) {
        const int64_t row = labels[s->P->row[s->boundary[k]]];
        B->run_pair[k] = -1;
        if (s->unknown[k] >= B->own)
            all[count++] = (struct keyed){
                row * (B->own + B->ghosts) + s->unknown[k], (int32_t)k};
    }
    if (count > 0)
        qsort(all, (size_t)count, sizeof *all, compare);
    return count;
}

static void number_pairs(struct lcl_coarse_boundary *B, const struct keyed *all,
                         int64_t count)
{
    const int64_t unknowns = B->own + B->ghosts;
    for (int64_t m = 0; m < count; ++m) {
        if (m == 0 || all[m].key != all[m - 1].key) {
            B->pair_row[B->pairs] = (int32_t)(all[m].key / unknowns);
            B->pair_col[B->pairs++] = (int32_t)(all[m].key % unknowns);
        }
        B->run_pair[all[m].run] = (int32_t)(B->pairs - 1);
    }
}

static enum lcl_status find_pairs(struct lcl_coarse_boundary *B,
                                  const struct search *s)
{
    const size_t runs = (size_t)B->runs;
    struct keyed *all = lcl_malloc(runs, sizeof *all);
    B->run_pair = lcl_malloc(runs, sizeof *B->run_pair);
    B->pair_row = lcl_malloc(runs, sizeof *B->pair_row);
    B->pair_col = lcl_malloc(runs, sizeof *B->pair_col);
    B->e = lcl_malloc(runs, sizeof *B->e);
    const bool there = all && B->run_pair && B->pair_row && B->pair_col && B->e;
    if (there)
        number_pairs(B, all, list_ghost_runs(all, B, s));
    lcl_free(all);
    return there ? LCL_OK : lcl_fail_memory(log_of(B), what);
}

// ------------------------------------------------------------------- rows

// Listed rows while they are made.
struct listing {
    int32_t *row, *col;
    int64_t *ptr;
};

static enum lcl_status listing_init(struct listing *l, struct lcl_run_rows *R,
                                    const struct lcl_log *log)
{
    const size_t entries = (size_t)R->entries;
    l->row = lcl_malloc((size_t)R->rows, sizeof *l->row);
    l->ptr = lcl_calloc((size_t)R->rows + 2, sizeof *l->ptr);
    l->col = lcl_malloc(entries, sizeof *l->col);
    R->source = lcl_malloc(entries, sizeof *R->source);
    R->host = lcl_malloc(entries, sizeof *R->host);
    return l->row && l->ptr && l->col && R->source && R->host
               ? LCL_OK
               : lcl_fail_memory(log, what);
}

static void listing_finish(struct listing *l)
{
    lcl_free(l->col);
    lcl_free(l->ptr);
    lcl_free(l->row);
}

// `mean` entries in a row.
static enum lcl_status upload(struct lcl_run_rows *R, lcl_context *ctx,
                              const struct listing *l, int64_t mean)
{
    struct lcl_spec spec = {.source = "halo.cl",
                            .kernel = "halo_plain",
                            .group = lcl_vector_group(lcl_context_caps(ctx))};
    enum lcl_status st;
    lcl_spec_set(&spec, "LANES_PER_ROW", 1 << lcl_row_shift(ctx, mean));
    if ((st = lcl_buffer_create_from(&R->row, ctx, l->row, R->rows,
                                     sizeof *l->row, what)) < 0 ||
        (st = lcl_buffer_create_narrow(&R->row_ptr, ctx, l->ptr, R->rows + 1,
                                       what)) < 0 ||
        (st = lcl_buffer_create_from(&R->col, ctx, l->col, R->entries,
                                     sizeof *l->col, what)) < 0 ||
        (st = lcl_buffer_create(&R->val, ctx, R->entries, sizeof(double),
                                what)) < 0)
        return st;
    return lcl_kernel_get(&R->kernel, ctx, &spec);
}

// Entry 1 for x_i, then the runs of the row, whose columns are behind those of
// x.
static void list_residual(struct listing *l, struct lcl_run_rows *R,
                          const struct search *s)
{
    int64_t at = 0;
    for (int64_t r = 0; r < R->rows; ++r) {
        l->row[r] = l->col[at] = s->L->place[s->P->row[r]];
        l->ptr[r] = at;
        R->source[at++] = -1;
        for (int64_t k = s->run_ptr[r]; k < s->run_ptr[r + 1]; ++k) {
            l->col[at] = (int32_t)s->P->rows + s->unknown[k];
            R->source[at++] = (int32_t)k;
        }
    }
    l->ptr[R->rows] = at;
}

// The number of the deflation to which run k contributes; -1: none.
static int64_t deflated_by(const struct lcl_coarse_boundary *B,
                           const struct search *s, int64_t k)
{
    return s->L->part                ? B->run_pair[k]
           : s->unknown[k] >= B->own ? s->unknown[k] - B->own
                                     : -1;
}

// The runs of each number, a counting sort.
static void list_deflation(struct listing *l, struct lcl_run_rows *R,
                           const struct lcl_coarse_boundary *B,
                           const struct search *s)
{
    for (int64_t k = 0; k < B->runs; ++k)
        if (deflated_by(B, s, k) >= 0)
            ++l->ptr[deflated_by(B, s, k) + 2];
    for (int64_t j = 0; j < R->rows; ++j) {
        l->row[j] = (int32_t)(s->L->deflated + j);
        l->ptr[j + 2] += l->ptr[j + 1];
    }
    for (int64_t k = 0; k < B->runs; ++k)
        if (deflated_by(B, s, k) >= 0) {
            const int64_t at = l->ptr[deflated_by(B, s, k) + 1]++;
            l->col[at] = s->L->place[s->P->row[s->boundary[k]]];
            R->source[at] = (int32_t)k;
        }
}

static int64_t ghost_runs(const struct lcl_coarse_boundary *B)
{
    int64_t count = 0;
    for (int64_t k = 0; k < B->runs; ++k)
        count += B->run_pair[k] >= 0;
    return count;
}

// How many lanes share a row must not depend on what the rank has if there are
// parts.
static int64_t mean_of(const struct lcl_run_rows *R, const struct search *s,
                       int64_t of_parts)
{
    return s->L->part ? of_parts : R->rows > 0 ? R->entries / R->rows : 1;
}

static enum lcl_status make_rows(struct lcl_coarse_boundary *B,
                                 const struct search *s)
{
    lcl_context *ctx = B->halo->space.ctx;
    struct listing l, g = {.row = NULL};
    enum lcl_status st;
    B->residual.rows = s->P->boundary;
    B->residual.entries = B->runs + s->P->boundary;
    B->deflation.rows = s->L->part ? B->pairs : B->ghosts;
    B->deflation.entries = ghost_runs(B);
    if ((st = listing_init(&l, &B->residual, log_of(B))) == LCL_OK) {
        list_residual(&l, &B->residual, s);
        st = upload(&B->residual, ctx, &l,
                    mean_of(&B->residual, s, RESIDUAL_MEAN));
    }
    if (st == LCL_OK &&
        (st = listing_init(&g, &B->deflation, log_of(B))) == LCL_OK) {
        list_deflation(&g, &B->deflation, B, s);
        st = upload(&B->deflation, ctx, &g,
                    mean_of(&B->deflation, s, DEFLATION_MEAN));
    }
    listing_finish(&g);
    listing_finish(&l);
    return st;
}

// ------------------------------------------------------------------- set-up

enum lcl_status lcl_coarse_boundary_init(struct lcl_coarse_boundary *B,
                                         const struct lcl_halo *H,
                                         const struct lcl_coarse_labels *L)
{
    struct search s = {.L = L, .P = &H->plan};
    enum lcl_status st;
    *B = (struct lcl_coarse_boundary){
        .halo = H, .own = L->own, .ghosts = L->ghosts};
    if ((st = search_init(&s, B)) == LCL_OK &&
        (st = find_pairs(B, &s)) == LCL_OK)
        st = make_rows(B, &s);
    search_finish(&s);
    return st;
}

static void rows_finish(struct lcl_run_rows *R)
{
    lcl_buffer_destroy(&R->row);
    lcl_buffer_destroy(&R->row_ptr);
    lcl_buffer_destroy(&R->col);
    lcl_buffer_destroy(&R->val);
    lcl_free(R->source);
    lcl_free(R->host);
}

void lcl_coarse_boundary_finish(struct lcl_coarse_boundary *B)
{
    rows_finish(&B->deflation);
    rows_finish(&B->residual);
    lcl_free(B->e);
    lcl_free(B->pair_col);
    lcl_free(B->pair_row);
    lcl_free(B->run_pair);
    lcl_free(B->w);
    lcl_free(B->entry_run);
}

static uint64_t rows_bytes(const struct lcl_run_rows *R)
{
    return lcl_buffer_bytes(R->row) + lcl_buffer_bytes(R->row_ptr) +
           lcl_buffer_bytes(R->col) + lcl_buffer_bytes(R->val);
}

uint64_t lcl_coarse_boundary_bytes(const struct lcl_coarse_boundary *B)
{
    return rows_bytes(&B->residual) + rows_bytes(&B->deflation);
}

// ------------------------------------------------------------------- values

static void sum_runs(struct lcl_coarse_boundary *B)
{
    for (int64_t k = 0; k < B->runs; ++k)
        B->w[k] = 0;
    for (int64_t k = 0; k < B->halo->plan.entries; ++k)
        B->w[B->entry_run[k]] += B->halo->host[k];
    for (int64_t m = 0; m < B->pairs; ++m)
        B->e[m] = 0;
    for (int64_t k = 0; k < B->runs; ++k)
        if (B->run_pair[k] >= 0)
            B->e[B->run_pair[k]] += B->w[k];
}

static enum lcl_status update_rows(const struct lcl_run_rows *R,
                                   const double *w)
{
    for (int64_t k = 0; k < R->entries; ++k)
        R->host[k] = R->source[k] < 0 ? 1 : -w[R->source[k]];
    return lcl_buffer_write(R->val, R->host,
                            (size_t)R->entries * sizeof *R->host);
}

enum lcl_status lcl_coarse_boundary_update(struct lcl_coarse_boundary *B)
{
    sum_runs(B);
    const enum lcl_status st = update_rows(&B->residual, B->w);
    return st < 0 ? st : update_rows(&B->deflation, B->w);
}

// ------------------------------------------------------------------- products

// y_i = the sum of row r times x for listed row r, i = row[r]; column n + k is
// element k of `behind`.
static enum lcl_status multiply(const struct lcl_coarse_boundary *B,
                                const struct lcl_run_rows *R,
                                const lcl_buffer *x, const lcl_buffer *behind,
                                const lcl_buffer *y,
                                const struct lcl_operands *v)
{
    if (R->rows == 0)
        return LCL_OK;
    return LCL_LAUNCH(R->kernel, B->halo->space.groups, lcl_arg_long(R->rows),
                      lcl_arg_buffer(R->row), lcl_arg_buffer(R->row_ptr),
                      lcl_arg_buffer(R->col), lcl_arg_buffer(R->val),
                      lcl_arg_long(B->halo->plan.rows), lcl_arg_buffer(x),
                      lcl_arg_buffer(behind), lcl_arg_buffer(NULL),
                      lcl_arg_buffer(y), lcl_arg_buffer(NULL),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

enum lcl_status lcl_coarse_boundary_residual(
    const struct lcl_coarse_boundary *B, const lcl_buffer *e,
    const struct lcl_operands *v)
{
    return multiply(B, &B->residual, v->x, e, v->y, v);
}

enum lcl_status lcl_coarse_boundary_deflate(const struct lcl_coarse_boundary *B,
                                            const lcl_buffer *t,
                                            const struct lcl_operands *v)
{
    return multiply(B, &B->deflation, v->y, NULL, t, v);
}
