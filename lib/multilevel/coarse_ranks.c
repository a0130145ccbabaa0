// SPDX-License-Identifier: BSD-3-Clause
// A coarse space of several ranks.
#include "lib/multilevel/coarse_ranks.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/coarse_search.h"

#include <string.h>

static const char what[] = "a coarse space of several ranks";

static const struct lcl_log *log_of(const struct lcl_coarse_ranks *R)
{
    return lcl_context_log(R->space.ctx);
}

// ------------------------------------------------------------------- entries

// The unknown to which number q of the plain ones that the rank gives belongs.
static int32_t given_for(const struct lcl_coarse_ranks *R,
                         const struct lcl_coarse_search *s, int64_t q)
{
    return lcl_coarse_has_parts(R) ? lcl_coarse_unknown_of(s, R->first + q)
                                   : R->unknown[q];
}

// Positions in E of the values of the own columns, block by block, and of the
// pairs of the boundary.
static void fill_positions(int32_t (*position)[2],
                           const struct lcl_coarse_ranks *R,
                           const struct lcl_coarse_search *s,
                           const int32_t *row, const int32_t *col)
{
    const struct lcl_coarse_site *S = s->S;
    const struct lcl_coarse_boundary *B = &R->boundary;
    const int b = S->block;
    int64_t at = 0;
    for (int64_t m = 0; m < S->pattern->entries; ++m)
        for (int i = 0; i < b; ++i)
            for (int j = 0; j < b; ++j) {
                position[at][0] = (int32_t)(R->first + row[m] * b + i);
                position[at++][1] = (int32_t)(R->first + col[m] * b + j);
            }
    for (int64_t m = 0; m < B->pairs; ++m) {
        position[at][0] = given_for(R, s, B->pair_row[m]);
        position[at++][1] = R->unknown[B->pair_col[m]];
    }
}

static enum lcl_status own_positions(int32_t (**position)[2],
                                     const struct lcl_coarse_ranks *R,
                                     const struct lcl_coarse_search *s)
{
    const struct lcl_coarse_pattern *P = s->S->pattern;
    const size_t count = (size_t)P->entries, size = sizeof(int32_t);
    int32_t *row = lcl_malloc(count, size), *col = lcl_malloc(count, size);
    enum lcl_status st = LCL_ENOMEM;
    *position =
        lcl_malloc((size_t)(R->values + R->boundary.pairs), sizeof **position);
    if (row && col && *position &&
        (count == 0 ||
         ((st = lcl_buffer_read(P->entry_row, row, count * size)) == LCL_OK &&
          (st = lcl_buffer_read(P->entry_col, col, count * size)) == LCL_OK))) {
        fill_positions(*position, R, s, row, col);
        st = LCL_OK;
    }
    lcl_free(col);
    lcl_free(row);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
}

// ------------------------------------------------------------------- exchange

// What the ranks tell each other.
struct patterns {
    int32_t (*position)[2]; // of the own entries
    int32_t *target;        // of the numbers that the rank gives: unknowns
    // Of each rank: plain numbers, all numbers, entries
    int64_t (*sizes)[3];
    int32_t *targets; // of each rank
};

static void patterns_finish(struct patterns *p)
{
    lcl_free(p->targets);
    lcl_free(p->target);
    lcl_free(p->sizes);
    lcl_free(p->position);
}

// all = `count` elements of each rank, of which this one gives `own`.
static enum lcl_status gather(const struct lcl_coarse_ranks *R, void *all,
                              const void *data, int64_t own, int64_t count,
                              size_t size)
{
    const size_t bytes = (size_t)count * size;
    char *padded = lcl_calloc((size_t)count, size);
    enum lcl_status st = LCL_ENOMEM;
    if (all && padded) {
        memcpy(padded, data, (size_t)own * size);
        st = lcl_comm_gather(R->space.comm, padded, bytes, all);
    }
    lcl_free(padded);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t numbers_given(const struct lcl_coarse_ranks *R)
{
    return R->plain + R->boundary.deflation.rows;
}

static enum lcl_status find_targets(struct patterns *p,
                                    const struct lcl_coarse_ranks *R,
                                    const struct lcl_coarse_search *s)
{
    const struct lcl_coarse_boundary *B = &R->boundary;
    p->target = lcl_malloc((size_t)numbers_given(R), sizeof *p->target);
    if (!p->target)
        return lcl_fail_memory(log_of(R), what);
    for (int64_t q = 0; q < R->plain; ++q)
        p->target[q] = given_for(R, s, q);
    for (int64_t j = 0; j < B->deflation.rows; ++j)
        p->target[R->plain + j] =
            R->unknown[lcl_coarse_has_parts(R) ? B->pair_col[j] : R->own + j];
    return LCL_OK;
}

// The largest numbers of numbers and entries.
static enum lcl_status exchange_sizes(struct lcl_coarse_ranks *R,
                                      struct patterns *p)
{
    const int64_t own[3] = {R->plain, numbers_given(R),
                            R->values + R->boundary.pairs};
    const int ranks = R->space.comm->size;
    const enum lcl_status st =
        lcl_comm_gather(R->space.comm, own, sizeof own, p->sizes);
    for (int r = 0; r < ranks && st == LCL_OK; ++r) {
        R->share = larger(R->share, p->sizes[r][1]);
        R->most = larger(R->most, p->sizes[r][2]);
        R->counts[r] = p->sizes[r][2];
        R->entries += p->sizes[r][2];
    }
    return st;
}

// Removes the padding between the parts of the ranks.
static void compact(char *all, const struct lcl_coarse_ranks *R, size_t size)
{
    char *to = all;
    for (int r = 0; r < R->space.comm->size; ++r) {
        const size_t bytes = (size_t)R->counts[r] * size;
        memmove(to, all + (size_t)r * (size_t)R->most * size, bytes);
        to += bytes;
    }
}

static enum lcl_status exchange_patterns(struct lcl_coarse_ranks *R,
                                         struct patterns *p)
{
    const size_t ranks = (size_t)R->space.comm->size;
    enum lcl_status st;
    if ((st = exchange_sizes(R, p)) < 0)
        return st;
    p->targets = lcl_malloc(ranks * (size_t)R->share, sizeof *p->targets);
    R->position = lcl_malloc(ranks * (size_t)R->most, sizeof *R->position);
    if ((st = gather(R, p->targets, p->target, numbers_given(R), R->share,
                     sizeof *p->targets)) < 0 ||
        (st = gather(R, R->position, p->position, R->values + R->boundary.pairs,
                     R->most, sizeof *R->position)) < 0)
        return st;
    compact((char *)R->position, R, sizeof *R->position);
    return LCL_OK;
}

// ------------------------------------------------------------------- places

// Visits the plain numbers of all ranks, then, with `all`, the others: counts
// those of each unknown in first[i + 2], or lists them from first[i + 1] on.
static void visit_places(uint32_t *first, uint32_t *place, bool all,
                         const struct lcl_coarse_ranks *R,
                         const struct patterns *p)
{
    for (int round = 0; round <= (int)all; ++round)
        for (int r = 0; r < R->space.comm->size; ++r) {
            const int64_t from = round > 0 ? p->sizes[r][0] : 0;
            for (int64_t j = from; j < p->sizes[r][round]; ++j) {
                const int64_t i = p->targets[r * R->share + j];
                if (place)
                    place[first[i + 1]++] = (uint32_t)(r * R->share + j);
                else
                    ++first[i + 2];
            }
        }
}

static enum lcl_status upload_places(struct lcl_coarse_places *P,
                                     const struct lcl_coarse_ranks *R,
                                     const uint32_t *first,
                                     const uint32_t *place)
{
    const size_t size = sizeof *first;
    const enum lcl_status st = lcl_buffer_create_from(
        &P->first, R->space.ctx, first, R->rows + 1, size, what);
    return st < 0 ? st
                  : lcl_buffer_create_from(&P->place, R->space.ctx, place,
                                           first[R->rows], size, what);
}

static enum lcl_status list_places(struct lcl_coarse_places *P, bool all,
                                   const struct lcl_coarse_ranks *R,
                                   const struct patterns *p)
{
    const size_t ranks = (size_t)R->space.comm->size;
    const size_t most = ranks * (size_t)R->share;
    uint32_t *first = lcl_calloc((size_t)R->rows + 2, sizeof *first);
    uint32_t *place = lcl_malloc(most, sizeof *place);
    enum lcl_status st = LCL_ENOMEM;
    if (first && place) {
        visit_places(first, NULL, all, R, p);
        for (int64_t i = 0; i < R->rows; ++i)
            first[i + 2] += first[i + 1];
        visit_places(first, place, all, R, p);
        st = upload_places(P, R, first, place);
    }
    lcl_free(place);
    lcl_free(first);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
}

static enum lcl_status find_places(struct lcl_coarse_ranks *R,
                                   const struct patterns *p)
{
    const enum lcl_status st = list_places(&R->restricted, false, R, p);
    return st < 0 ? st : list_places(&R->deflated, true, R, p);
}

// ------------------------------------------------------------------- set-up

static enum lcl_status get_kernels(struct lcl_coarse_ranks *R)
{
    lcl_context *ctx = R->space.ctx;
    const struct lcl_spec spec = {.source = "schwarz.cl",
                                  .kernel = "schwarz_collect",
                                  .group =
                                      lcl_vector_group(lcl_context_caps(ctx))};
    const enum lcl_status st = lcl_kernel_get(&R->collect, ctx, &spec);
    return st < 0 ? st : lcl_vector_ops_init(&R->ops, ctx, 1);
}

// Entry m of a matrix with one column of blocks is that of row m: the kernel
// that computes E stores its values one after the other.
static enum lcl_status compact_pattern(struct lcl_coarse_ranks *R,
                                       int64_t entries)
{
    lcl_context *ctx = R->space.ctx;
    int32_t *row = lcl_malloc((size_t)entries, sizeof *row);
    int32_t *col = lcl_calloc((size_t)entries, sizeof *col);
    enum lcl_status st = LCL_ENOMEM;
    for (int64_t m = 0; row && m < entries; ++m)
        row[m] = (int32_t)m;
    if (row && col &&
        (st = lcl_buffer_create_from(&R->compact_row, ctx, row, entries,
                                     sizeof *row, what)) == LCL_OK)
        st = lcl_buffer_create_from(&R->compact_col, ctx, col, entries,
                                    sizeof *col, what);
    lcl_free(col);
    lcl_free(row);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
}

static enum lcl_status create_buffers(struct lcl_coarse_ranks *R)
{
    lcl_context *ctx = R->space.ctx;
    const int64_t ranks = R->space.comm->size;
    const struct lcl_buffer_plan all[] = {
        {&R->given, R->share, sizeof(double), what},
        {&R->all, ranks * R->share, sizeof(double), what},
        {&R->compact, R->values, sizeof(double), what},
        {&R->entry_val, R->entries, sizeof(double), what},
    };
    const enum lcl_status st =
        lcl_buffers_create(ctx, all, sizeof all / sizeof *all);
    if (st < 0)
        return st;
    R->sent = lcl_calloc((size_t)R->most, sizeof *R->sent);
    R->received = lcl_malloc((size_t)(ranks * R->most), sizeof *R->received);
    if (!R->sent || !R->received)
        return lcl_fail_memory(log_of(R), what);
    const enum lcl_status listed = lcl_buffer_create_from(
        &R->list, ctx, R->unknown, R->local, sizeof *R->unknown, what);
    return listed < 0 ? listed
                      : lcl_gathering_init(&R->gathering, &R->space, R->share);
}

// The rank's work between the exchanges.
static enum lcl_status find_own(struct lcl_coarse_ranks *R,
                                struct lcl_coarse_search *s, struct patterns *p)
{
    const size_t ranks = (size_t)R->space.comm->size;
    enum lcl_status st;
    p->sizes = lcl_malloc(ranks, sizeof *p->sizes);
    R->counts = lcl_malloc(ranks, sizeof *R->counts);
    if (!p->sizes || !R->counts)
        return lcl_fail_memory(log_of(R), what);
    if ((st = lcl_coarse_search_local(s, R)) < 0 || (st = get_kernels(R)) < 0 ||
        (st = compact_pattern(R, s->S->pattern->entries)) < 0 ||
        (st = find_targets(p, R, s)) < 0)
        return st;
    return own_positions(&p->position, R, s);
}

static enum lcl_status find(struct lcl_coarse_ranks *R,
                            struct lcl_coarse_search *s, struct patterns *p,
                            enum lcl_status own)
{
    const struct lcl_space *V = &R->space;
    enum lcl_status st;
    if (own == LCL_OK)
        own = lcl_coarse_search_begin(s, R);
    if ((st = lcl_space_agree(V, own, what)) < 0)
        return st;
    R->plain = R->own;
    if ((st = lcl_coarse_search_number(s, R)) < 0)
        return lcl_space_end(V, st);
    if ((st = lcl_space_agree(V, find_own(R, s, p), what)) < 0)
        return st;
    if ((st = exchange_patterns(R, p)) < 0)
        return lcl_space_end(V, st);
    return (st = find_places(R, p)) < 0 ? st : create_buffers(R);
}

enum lcl_status lcl_coarse_ranks_init(struct lcl_coarse_ranks *R,
                                      const struct lcl_coarse_site *S,
                                      enum lcl_status own)
{
    const int b = S->block;
    struct lcl_coarse_search s = {.S = S};
    struct patterns p = {.target = NULL};
    *R = (struct lcl_coarse_ranks){.space = S->halo->space,
                                   .own = S->pattern->aggregates * b,
                                   .values = S->pattern->entries * b * b};
    const enum lcl_status st = find(R, &s, &p, own);
    patterns_finish(&p);
    lcl_coarse_search_finish(&s);
    return st;
}

static lcl_buffer **buffer_at(struct lcl_coarse_ranks *R, size_t i)
{
    lcl_buffer **const all[] = {
        &R->list,
        &R->given,
        &R->all,
        &R->restricted.first,
        &R->restricted.place,
        &R->deflated.first,
        &R->deflated.place,
        &R->entry_place,
        &R->entry_val,
        &R->compact_row,
        &R->compact_col,
        &R->compact,
    };
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void lcl_coarse_ranks_finish(struct lcl_coarse_ranks *R)
{
    for (size_t i = 0; buffer_at(R, i); ++i)
        lcl_buffer_destroy(buffer_at(R, i));
    lcl_gathering_finish(&R->gathering);
    lcl_coarse_boundary_finish(&R->boundary);
    lcl_free(R->added);
    lcl_free(R->received);
    lcl_free(R->sent);
    lcl_free(R->position);
    lcl_free(R->counts);
    lcl_free(R->unknown);
}

uint64_t lcl_coarse_ranks_bytes(const struct lcl_coarse_ranks *R)
{
    struct lcl_coarse_ranks copy = *R;
    uint64_t bytes = lcl_coarse_boundary_bytes(&R->boundary);
    for (size_t i = 0; buffer_at(&copy, i); ++i)
        bytes += lcl_buffer_bytes(*buffer_at(&copy, i));
    return bytes;
}

// ------------------------------------------------------------------- values

enum lcl_status lcl_coarse_ranks_place(struct lcl_coarse_ranks *R,
                                       int64_t stride)
{
    uint32_t *place = lcl_malloc((size_t)R->entries, sizeof *place);
    enum lcl_status st = LCL_OK;
    if (!place)
        return lcl_fail_memory(log_of(R), what);
    for (int64_t m = 0; m < R->entries; ++m)
        place[m] = (uint32_t)(R->position[m][0] * stride + R->position[m][1]);
    R->stride = stride;
    if (lcl_coarse_has_parts(R))
        R->added = place;
    else {
        st = lcl_buffer_create_from(&R->entry_place, R->space.ctx, place,
                                    R->entries, sizeof *place, what);
        lcl_free(place);
    }
    lcl_free(R->position);
    R->position = NULL;
    return st;
}

// Adds the entries of all parts, in their order.
static enum lcl_status add_entries(const struct lcl_coarse_ranks *R,
                                   lcl_buffer *matrix)
{
    const size_t count = (size_t)(R->rows * R->stride);
    double *E = lcl_calloc(count, sizeof *E);
    if (!E)
        return lcl_fail_memory(log_of(R), what);
    for (int64_t m = 0; m < R->entries; ++m)
        E[R->added[m]] += R->received[m];
    const enum lcl_status st = lcl_buffer_write(matrix, E, count * sizeof *E);
    lcl_free(E);
    return st;
}

static enum lcl_status take_own_entries(const struct lcl_coarse_ranks *R)
{
    const struct lcl_coarse_boundary *B = &R->boundary;
    const size_t size = sizeof *R->sent;
    memcpy(R->sent + R->values, B->e, (size_t)B->pairs * size);
    return lcl_coarse_has_parts(R)
               ? LCL_OK
               : lcl_buffer_read(R->compact, R->sent, (size_t)R->values * size);
}

enum lcl_status lcl_coarse_ranks_assemble(const struct lcl_coarse_ranks *R,
                                          lcl_buffer *matrix)
{
    const size_t size = sizeof *R->sent;
    enum lcl_status st;
    if ((st = take_own_entries(R)) < 0 ||
        (st = lcl_comm_gather(R->space.comm, R->sent, (size_t)R->most * size,
                              R->received)) < 0)
        return st;
    compact((char *)R->received, R, size);
    if (lcl_coarse_has_parts(R))
        return add_entries(R, matrix);
    if ((st = lcl_buffer_write(R->entry_val, R->received,
                               (size_t)R->entries * size)) < 0)
        return st;
    return lcl_scatter(&R->ops, R->entries, R->entry_place, R->entry_val,
                       matrix);
}

// ------------------------------------------------------------------- t

enum lcl_status lcl_coarse_ranks_gather(const struct lcl_coarse_ranks *R,
                                        bool deflated, lcl_buffer *t,
                                        const struct lcl_operands *v)
{
    const struct lcl_coarse_places *P =
        deflated ? &R->deflated : &R->restricted;
    const enum lcl_status st =
        lcl_gathering_run(&R->gathering, R->given, R->all);
    return st < 0
               ? st
               : LCL_LAUNCH(R->collect, R->space.groups, lcl_arg_long(R->rows),
                            lcl_arg_buffer(P->first), lcl_arg_buffer(P->place),
                            lcl_arg_buffer(R->all), lcl_arg_buffer(t),
                            lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
