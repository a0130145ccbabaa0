// SPDX-License-Identifier: BSD-3-Clause
// A coarse space of several ranks.
#include "lib/multilevel/coarse_ranks.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/parallel.h"
#include "host/runtime.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "a coarse space of several ranks";

static const struct lcl_log *log_of(const struct lcl_coarse_ranks *R)
{
    return lcl_context_log(R->space.ctx);
}

// ------------------------------------------------------------------- labels

// What the symbolic phase knows on the host. `row` and `place` in the caller's
// numbering of the rank's rows.
struct search {
    const struct lcl_coarse_site *S;
    int32_t *row;    // own unknown of each row
    int32_t *place;  // row of the device
    int32_t *ghost;  // of ghosts, among those of all ranks; then the local ones
    int64_t *firsts; // by rank: its first unknown, then their total
};

static void search_finish(struct search *s)
{
    lcl_free(s->firsts);
    lcl_free(s->ghost);
    lcl_free(s->place);
    lcl_free(s->row);
}

struct labels {
    const struct search *s;
    const int32_t *perm, *part_agg;
    int64_t chunks;
};

static void label_chunk(void *arg, int64_t chunk)
{
    const struct labels *l = arg;
    const struct search *s = l->s;
    const struct lcl_subdomains *P = s->S->subdomains;
    const int b = s->S->block;
    const int64_t end = lcl_chunk_start(P->parts, l->chunks, chunk + 1);
    for (int64_t p = lcl_chunk_start(P->parts, l->chunks, chunk); p < end; ++p)
        for (int64_t i = P->part_ptr[p] * b; i < P->part_ptr[p + 1] * b; ++i) {
            s->row[l->perm[i]] = (int32_t)(l->part_agg[p] * b + i % b);
            s->place[l->perm[i]] = (int32_t)i;
        }
}

// The unknowns of the rows, from the aggregates of their subdomains.
static void label_rows(const struct search *s, const int32_t *perm,
                       const int32_t *part_agg)
{
    struct labels l = {s, perm, part_agg, lcl_chunks(s->S->halo->plan.rows)};
    lcl_parallel(l.chunks, label_chunk, &l);
}

static enum lcl_status find_labels(const struct search *s,
                                   const struct lcl_log *log)
{
    const size_t parts = (size_t)s->S->pattern->parts;
    int32_t *part_agg = lcl_malloc(parts, sizeof *part_agg), *perm = NULL;
    enum lcl_status st;
    if (!part_agg)
        return lcl_fail_memory(log, what);
    if ((st = lcl_buffer_read(s->S->pattern->part_agg, part_agg,
                              parts * sizeof *part_agg)) == LCL_OK &&
        (st = lcl_numbering_rows(s->S->numbering, &perm)) == LCL_OK)
        label_rows(s, perm, part_agg);
    lcl_free(perm);
    lcl_free(part_agg);
    return st;
}

// What needs no other rank.
static enum lcl_status begin(struct search *s, const struct lcl_coarse_ranks *R)
{
    const struct lcl_halo_plan *P = &s->S->halo->plan;
    const size_t rows = (size_t)P->rows;
    s->row = lcl_malloc(rows, sizeof *s->row);
    s->place = lcl_malloc(rows, sizeof *s->place);
    s->ghost = lcl_malloc((size_t)P->ghosts, sizeof *s->ghost);
    s->firsts = lcl_malloc((size_t)R->space.comm->size + 1, sizeof *s->firsts);
    return s->row && s->place && s->ghost && s->firsts
               ? find_labels(s, log_of(R))
               : lcl_fail_memory(log_of(R), what);
}

// Numbers the unknowns of all ranks, and learns those of the ghosts.
static enum lcl_status number_unknowns(struct lcl_coarse_ranks *R,
                                       struct search *s)
{
    struct lcl_comm *C = R->space.comm;
    const struct lcl_halo_plan *P = &s->S->halo->plan;
    enum lcl_status st = lcl_comm_gather(C, &R->own, sizeof R->own, s->firsts);
    for (int r = 0; r < C->size && st == LCL_OK; ++r) {
        const int64_t own = s->firsts[r];
        s->firsts[r] = R->rows;
        R->rows += own;
    }
    if (st < 0)
        return st;
    s->firsts[C->size] = R->rows;
    R->first = s->firsts[C->rank];
    if ((st = lcl_halo_plan_carry(P, C, s->row, sizeof *s->row, s->ghost)) < 0)
        return st;
    for (int k = 0; k < P->froms; ++k)
        for (int64_t t = 0; t < P->from[k].count; ++t)
            s->ghost[P->from[k].start + t] +=
                (int32_t)s->firsts[P->from[k].rank];
    return LCL_OK;
}

// ------------------------------------------------------------------- ghosts

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Lists the unknowns of the ghosts, each once, behind the own ones.
static void list_local(struct lcl_coarse_ranks *R, const int32_t *ghost,
                       int64_t ghosts)
{
    int32_t *listed = R->unknown + R->own;
    int64_t count = 0;
    for (int64_t q = 0; q < R->own; ++q)
        R->unknown[q] = (int32_t)(R->first + q);
    memcpy(listed, ghost, (size_t)ghosts * sizeof *ghost);
    qsort(listed, (size_t)ghosts, sizeof *listed, compare);
    for (int64_t g = 0; g < ghosts; ++g)
        if (g == 0 || listed[g] != listed[count - 1])
            listed[count++] = listed[g];
    R->local = R->own + count;
}

static void localise(const struct lcl_coarse_ranks *R, int32_t *ghost,
                     int64_t ghosts)
{
    const int32_t *listed = R->unknown + R->own;
    for (int64_t g = 0; g < ghosts; ++g) {
        const int32_t *at =
            bsearch(&ghost[g], listed, (size_t)(R->local - R->own),
                    sizeof *listed, compare);
        ghost[g] = (int32_t)(at - R->unknown);
    }
}

static enum lcl_status find_ghosts(struct lcl_coarse_ranks *R,
                                   const struct search *s)
{
    const int64_t ghosts = s->S->halo->plan.ghosts;
    R->unknown = lcl_malloc((size_t)(R->own + ghosts), sizeof *R->unknown);
    if (!R->unknown)
        return lcl_fail_memory(log_of(R), what);
    list_local(R, s->ghost, ghosts);
    localise(R, s->ghost, ghosts);
    const struct lcl_coarse_labels L = {.own = R->own,
                                        .ghosts = R->local - R->own,
                                        .row = s->row,
                                        .ghost = s->ghost,
                                        .place = s->place};
    return lcl_coarse_boundary_init(&R->boundary, s->S->halo, &L);
}

// ------------------------------------------------------------------- entries

// Positions in E of the values of the own columns, block by block, and of the
// pairs of the boundary.
static void fill_positions(int32_t (*position)[2],
                           const struct lcl_coarse_ranks *R,
                           const struct lcl_coarse_site *S, const int32_t *row,
                           const int32_t *col)
{
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
        position[at][0] = R->unknown[B->pair_row[m]];
        position[at++][1] = R->unknown[B->pair_col[m]];
    }
}

static enum lcl_status own_positions(int32_t (**position)[2],
                                     const struct lcl_coarse_ranks *R,
                                     const struct lcl_coarse_site *S)
{
    const struct lcl_coarse_pattern *P = S->pattern;
    const size_t count = (size_t)P->entries, size = sizeof(int32_t);
    int32_t *row = lcl_malloc(count, size), *col = lcl_malloc(count, size);
    enum lcl_status st = LCL_ENOMEM;
    *position =
        lcl_malloc((size_t)(R->values + R->boundary.pairs), sizeof **position);
    if (row && col && *position &&
        (st = lcl_buffer_read(P->entry_row, row, count * size)) == LCL_OK &&
        (st = lcl_buffer_read(P->entry_col, col, count * size)) == LCL_OK)
        fill_positions(*position, R, S, row, col);
    lcl_free(col);
    lcl_free(row);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
}

// ------------------------------------------------------------------- exchange

// What the ranks tell each other.
struct patterns {
    int32_t (*position)[2]; // of the own entries
    int64_t (*sizes)[2];    // of each rank: ghosts, entries
    int64_t most_ghosts;
    int32_t *ghosts; // of each rank: its ghost unknowns
};

static void patterns_finish(struct patterns *p)
{
    lcl_free(p->ghosts);
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

// The largest numbers of ghosts and entries; the positions without padding.
static enum lcl_status exchange_sizes(struct lcl_coarse_ranks *R,
                                      struct patterns *p, const int64_t *firsts)
{
    const int64_t own[2] = {R->boundary.ghosts, R->values + R->boundary.pairs};
    const int ranks = R->space.comm->size;
    const enum lcl_status st =
        lcl_comm_gather(R->space.comm, own, sizeof own, p->sizes);
    for (int r = 0; r < ranks && st == LCL_OK; ++r) {
        p->most_ghosts = larger(p->most_ghosts, p->sizes[r][0]);
        R->share = larger(R->share, firsts[r + 1] - firsts[r] + p->sizes[r][0]);
        R->most = larger(R->most, p->sizes[r][1]);
        R->counts[r] = p->sizes[r][1];
        R->entries += p->sizes[r][1];
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
                                         struct patterns *p,
                                         const int64_t *firsts)
{
    const size_t ranks = (size_t)R->space.comm->size;
    const struct lcl_coarse_boundary *B = &R->boundary;
    enum lcl_status st;
    if ((st = exchange_sizes(R, p, firsts)) < 0)
        return st;
    p->ghosts = lcl_malloc(ranks * (size_t)p->most_ghosts, sizeof *p->ghosts);
    R->position = lcl_malloc(ranks * (size_t)R->most, sizeof *R->position);
    if ((st = gather(R, p->ghosts, R->unknown + R->own, B->ghosts,
                     p->most_ghosts, sizeof *p->ghosts)) < 0 ||
        (st = gather(R, R->position, p->position, R->values + B->pairs, R->most,
                     sizeof *R->position)) < 0)
        return st;
    compact((char *)R->position, R, sizeof *R->position);
    return LCL_OK;
}

// ------------------------------------------------------------------- places

// Where the gathered vector has the numbers of each unknown.
struct places {
    uint32_t *own, *first, *all;
};

// Of each unknown: its own number, then those of the ranks that have it as a
// ghost.
static void fill_places(struct places *q, const struct lcl_coarse_ranks *R,
                        const struct patterns *p, const int64_t *firsts)
{
    const int ranks = R->space.comm->size;
    for (int r = 0; r < ranks; ++r) {
        const int32_t *ghost = p->ghosts + r * p->most_ghosts;
        for (int64_t i = firsts[r]; i < firsts[r + 1]; ++i)
            ++q->first[i + 2];
        for (int64_t j = 0; j < p->sizes[r][0]; ++j)
            ++q->first[ghost[j] + 2];
    }
    for (int64_t i = 0; i < R->rows; ++i)
        q->first[i + 2] += q->first[i + 1];
    for (int r = 0; r < ranks; ++r)
        for (int64_t i = firsts[r]; i < firsts[r + 1]; ++i) {
            q->own[i] = (uint32_t)(r * R->share + i - firsts[r]);
            q->all[q->first[i + 1]++] = q->own[i];
        }
    for (int r = 0; r < ranks; ++r)
        for (int64_t j = 0; j < p->sizes[r][0]; ++j)
            q->all[q->first[p->ghosts[r * p->most_ghosts + j] + 1]++] =
                (uint32_t)(r * R->share + firsts[r + 1] - firsts[r] + j);
}

static enum lcl_status upload_places(struct lcl_coarse_ranks *R,
                                     const struct places *q)
{
    lcl_context *ctx = R->space.ctx;
    const size_t size = sizeof(uint32_t);
    enum lcl_status st;
    if ((st = lcl_buffer_create_from(&R->own_place, ctx, q->own, R->rows, size,
                                     what)) < 0 ||
        (st = lcl_buffer_create_from(&R->first_place, ctx, q->first,
                                     R->rows + 1, size, what)) < 0)
        return st;
    return lcl_buffer_create_from(&R->place, ctx, q->all, q->first[R->rows],
                                  size, what);
}

static enum lcl_status find_places(struct lcl_coarse_ranks *R,
                                   const struct patterns *p,
                                   const int64_t *firsts)
{
    const size_t rows = (size_t)R->rows, ranks = (size_t)R->space.comm->size;
    struct places q = {
        .own = lcl_malloc(rows, sizeof *q.own),
        .first = lcl_calloc(rows + 2, sizeof *q.first),
        .all = lcl_malloc(ranks * (size_t)R->share, sizeof *q.all),
    };
    enum lcl_status st = LCL_ENOMEM;
    if (q.own && q.first && q.all) {
        fill_places(&q, R, p, firsts);
        st = upload_places(R, &q);
    }
    lcl_free(q.all);
    lcl_free(q.first);
    lcl_free(q.own);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
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
                                const struct search *s, struct patterns *p)
{
    const size_t ranks = (size_t)R->space.comm->size;
    enum lcl_status st;
    p->sizes = lcl_malloc(ranks, sizeof *p->sizes);
    R->counts = lcl_malloc(ranks, sizeof *R->counts);
    if (!p->sizes || !R->counts)
        return lcl_fail_memory(log_of(R), what);
    if ((st = find_ghosts(R, s)) < 0 || (st = get_kernels(R)) < 0 ||
        (st = compact_pattern(R, s->S->pattern->entries)) < 0)
        return st;
    return own_positions(&p->position, R, s->S);
}

static enum lcl_status find(struct lcl_coarse_ranks *R, struct search *s,
                            struct patterns *p, enum lcl_status own)
{
    const struct lcl_space *V = &R->space;
    enum lcl_status st;
    if (own == LCL_OK)
        own = begin(s, R);
    if ((st = lcl_space_agree(V, own, what)) < 0)
        return st;
    if ((st = number_unknowns(R, s)) < 0)
        return lcl_space_end(V, st);
    if ((st = lcl_space_agree(V, find_own(R, s, p), what)) < 0)
        return st;
    if ((st = exchange_patterns(R, p, s->firsts)) < 0)
        return lcl_space_end(V, st);
    return (st = find_places(R, p, s->firsts)) < 0 ? st : create_buffers(R);
}

enum lcl_status lcl_coarse_ranks_init(struct lcl_coarse_ranks *R,
                                      const struct lcl_coarse_site *S,
                                      enum lcl_status own)
{
    const int b = S->block;
    struct search s = {.S = S};
    struct patterns p = {.most_ghosts = 0};
    *R = (struct lcl_coarse_ranks){.space = S->halo->space,
                                   .own = S->pattern->aggregates * b,
                                   .values = S->pattern->entries * b * b};
    const enum lcl_status st = find(R, &s, &p, own);
    patterns_finish(&p);
    search_finish(&s);
    return st;
}

static lcl_buffer **buffer_at(struct lcl_coarse_ranks *R, size_t i)
{
    lcl_buffer **const all[] = {
        &R->list,        &R->given,       &R->all,         &R->own_place,
        &R->first_place, &R->place,       &R->entry_place, &R->entry_val,
        &R->compact_row, &R->compact_col, &R->compact,
    };
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void lcl_coarse_ranks_finish(struct lcl_coarse_ranks *R)
{
    for (size_t i = 0; buffer_at(R, i); ++i)
        lcl_buffer_destroy(buffer_at(R, i));
    lcl_gathering_finish(&R->gathering);
    lcl_coarse_boundary_finish(&R->boundary);
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
    if (!place)
        return lcl_fail_memory(log_of(R), what);
    for (int64_t m = 0; m < R->entries; ++m)
        place[m] = (uint32_t)(R->position[m][0] * stride + R->position[m][1]);
    const enum lcl_status st = lcl_buffer_create_from(
        &R->entry_place, R->space.ctx, place, R->entries, sizeof *place, what);
    lcl_free(place);
    lcl_free(R->position);
    R->position = NULL;
    return st;
}

enum lcl_status lcl_coarse_ranks_assemble(const struct lcl_coarse_ranks *R,
                                          lcl_buffer *matrix)
{
    const struct lcl_coarse_boundary *B = &R->boundary;
    const size_t size = sizeof *R->sent;
    enum lcl_status st =
        lcl_buffer_read(R->compact, R->sent, (size_t)R->values * size);
    if (st < 0)
        return st;
    memcpy(R->sent + R->values, B->e, (size_t)B->pairs * size);
    if ((st = lcl_comm_gather(R->space.comm, R->sent, (size_t)R->most * size,
                              R->received)) < 0)
        return st;
    compact((char *)R->received, R, size);
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
    const enum lcl_status st =
        lcl_gathering_run(&R->gathering, R->given, R->all);
    if (st < 0 || !deflated)
        return st < 0 ? st
                      : lcl_gather(&R->ops, R->rows, R->own_place, R->all, t);
    return LCL_LAUNCH(R->collect, R->space.groups, lcl_arg_long(R->rows),
                      lcl_arg_buffer(R->first_place), lcl_arg_buffer(R->place),
                      lcl_arg_buffer(R->all), lcl_arg_buffer(t),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
