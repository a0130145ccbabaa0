// SPDX-License-Identifier: BSD-3-Clause
// The unknowns of a coarse space of several ranks.
#include "lib/multilevel/coarse_search.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "host/runtime.h"
#include "lib/multilevel/coarse_parts.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "the unknowns of several ranks";

static const struct lcl_log *log_of(const struct lcl_coarse_ranks *R)
{
    return lcl_context_log(R->space.ctx);
}

// ------------------------------------------------------------------- labels

struct labels {
    const struct lcl_coarse_search *s;
    const int32_t *perm, *part_agg;
    int64_t chunks;
};

static void label_chunk(void *arg, int64_t chunk)
{
    const struct labels *l = arg;
    const struct lcl_coarse_search *s = l->s;
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
static void label_rows(const struct lcl_coarse_search *s, const int32_t *perm,
                       const int32_t *part_agg)
{
    struct labels l = {s, perm, part_agg, lcl_chunks(s->S->halo->plan.rows)};
    lcl_parallel(l.chunks, label_chunk, &l);
}

static enum lcl_status find_order(int32_t *order,
                                  const struct lcl_coarse_search *s,
                                  const int32_t *perm,
                                  const struct lcl_log *log)
{
    const struct lcl_coarse_pattern *P = s->S->pattern;
    return P->part_agg ? lcl_buffer_read(P->part_agg, order,
                                         (size_t)P->parts * sizeof *order)
                       : lcl_coarse_parts_order(order, s->S->subdomains,
                                                s->S->block, perm, log);
}

static enum lcl_status find_labels(struct lcl_coarse_search *s,
                                   const struct lcl_log *log)
{
    int32_t *perm = NULL;
    enum lcl_status st;
    s->order = lcl_malloc((size_t)s->S->pattern->parts, sizeof *s->order);
    if (!s->order)
        return lcl_fail_memory(log, what);
    if ((st = lcl_numbering_rows(s->S->numbering, &perm)) == LCL_OK &&
        (st = find_order(s->order, s, perm, log)) == LCL_OK)
        label_rows(s, perm, s->order);
    lcl_free(perm);
    return st;
}

enum lcl_status lcl_coarse_search_begin(struct lcl_coarse_search *s,
                                        const struct lcl_coarse_ranks *R)
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
                                       struct lcl_coarse_search *s)
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

// ------------------------------------------------------------------- parts

// The unknowns whose first part is one of the rank's.
static int64_t count_begun(const struct lcl_coarse_search *s, int64_t first,
                           int64_t own)
{
    int64_t count = 0;
    for (int64_t p = 0; p < first + own; ++p) {
        int32_t *seen = &s->local[s->aggregate[p]];
        count += *seen < 0 && p >= first;
        *seen = 0;
    }
    return count * s->S->block;
}

// Merges the subdomains of all ranks; R->own and R->rows count parts before.
static enum lcl_status merge_parts(struct lcl_coarse_ranks *R,
                                   struct lcl_coarse_search *s)
{
    const int b = s->S->block;
    const struct lcl_coarse_parts Q = {.plan = &s->S->halo->plan,
                                       .first = R->first / b,
                                       .own = R->own / b,
                                       .total = R->rows / b,
                                       .row = s->row,
                                       .ghost = s->ghost,
                                       .block = b};
    int64_t count;
    s->aggregate = lcl_malloc((size_t)Q.total, sizeof *s->aggregate);
    s->local = lcl_malloc((size_t)Q.total, sizeof *s->local);
    if (!s->aggregate || !s->local)
        return lcl_fail_memory(log_of(R), what);
    const enum lcl_status st = lcl_coarse_parts_merge(
        s->aggregate, &count, &Q, s->S->most, R->space.comm);
    if (st < 0)
        return st;
    for (int64_t q = 0; q < count; ++q)
        s->local[q] = -1;
    R->own = count_begun(s, Q.first, Q.own);
    R->rows = count * b;
    return LCL_OK;
}

// Lists the unknowns of the rank's rows and ghosts.
static void list_unknowns(struct lcl_coarse_ranks *R,
                          const struct lcl_coarse_search *s)
{
    const int b = s->S->block;
    for (int64_t q = 0; q < R->rows / b; ++q)
        s->local[q] = -1;
    for (int64_t q = 0; q < R->plain; ++q)
        s->local[lcl_coarse_unknown_of(s, R->first + q) / b] = 0;
    for (int64_t g = 0; g < s->S->halo->plan.ghosts; ++g)
        s->local[lcl_coarse_unknown_of(s, s->ghost[g]) / b] = 0;
    for (int64_t q = 0; q < R->rows / b; ++q) {
        if (s->local[q] < 0)
            continue;
        s->local[q] = (int32_t)(R->local / b);
        for (int c = 0; c < b; ++c)
            R->unknown[R->local++] = (int32_t)(q * b + c);
    }
}

static int32_t local_of(const struct lcl_coarse_search *s, int64_t part)
{
    const int b = s->S->block;
    const int32_t unknown = lcl_coarse_unknown_of(s, part);
    return s->local[unknown / b] * b + unknown % b;
}

// The local unknowns of rows and ghosts instead of their parts.
static void localise_parts(const struct lcl_coarse_ranks *R,
                           struct lcl_coarse_search *s)
{
    const struct lcl_halo_plan *P = &s->S->halo->plan;
    for (int64_t i = 0; i < P->rows; ++i) {
        s->part[i] = s->row[i];
        s->row[i] = local_of(s, R->first + s->row[i]);
    }
    for (int64_t g = 0; g < P->ghosts; ++g)
        s->ghost[g] = local_of(s, s->ghost[g]);
}

// The aggregates that the pattern lacks.
static enum lcl_status complete_pattern(const struct lcl_coarse_ranks *R,
                                        const struct lcl_coarse_search *s)
{
    struct lcl_coarse_pattern *P = s->S->pattern;
    const int b = s->S->block;
    const size_t parts = (size_t)P->parts, size = sizeof(int32_t);
    int32_t *agg = lcl_malloc(parts, size), *sorted = lcl_malloc(parts, size);
    enum lcl_status st = LCL_ENOMEM;
    for (int64_t p = 0; agg && sorted && p < P->parts; ++p) {
        sorted[s->order[p]] = (int32_t)p;
        agg[p] = local_of(s, R->first + s->order[p] * b) / b;
    }
    if (agg && sorted &&
        (st = lcl_buffer_create_from(&P->part_agg, R->space.ctx, agg, P->parts,
                                     size, what)) == LCL_OK)
        st = lcl_buffer_create_from(&P->agg_parts, R->space.ctx, sorted,
                                    P->parts, size, what);
    lcl_free(sorted);
    lcl_free(agg);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(R), what) : st;
}

static enum lcl_status find_parts(struct lcl_coarse_ranks *R,
                                  struct lcl_coarse_search *s)
{
    const struct lcl_halo_plan *P = &s->S->halo->plan;
    const int64_t most = R->plain + P->ghosts * s->S->block;
    s->part = lcl_malloc((size_t)P->rows, sizeof *s->part);
    R->unknown = lcl_malloc((size_t)most, sizeof *R->unknown);
    if (!s->part || !R->unknown)
        return lcl_fail_memory(log_of(R), what);
    list_unknowns(R, s);
    localise_parts(R, s);
    const struct lcl_coarse_labels L = {.ghosts = R->local,
                                        .row = s->row,
                                        .ghost = s->ghost,
                                        .place = s->place,
                                        .part = s->part,
                                        .deflated = R->plain};
    const enum lcl_status st = complete_pattern(R, s);
    return st < 0 ? st : lcl_coarse_boundary_init(&R->boundary, s->S->halo, &L);
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
                                   const struct lcl_coarse_search *s)
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
                                        .place = s->place,
                                        .deflated = R->own};
    return lcl_coarse_boundary_init(&R->boundary, s->S->halo, &L);
}

// ------------------------------------------------------------------- all

enum lcl_status lcl_coarse_search_number(struct lcl_coarse_search *s,
                                         struct lcl_coarse_ranks *R)
{
    const enum lcl_status st = number_unknowns(R, s);
    return st < 0 || !lcl_coarse_has_parts(R) ? st : merge_parts(R, s);
}

enum lcl_status lcl_coarse_search_local(struct lcl_coarse_search *s,
                                        struct lcl_coarse_ranks *R)
{
    return lcl_coarse_has_parts(R) ? find_parts(R, s) : find_ghosts(R, s);
}

void lcl_coarse_search_finish(struct lcl_coarse_search *s)
{
    lcl_free(s->local);
    lcl_free(s->aggregate);
    lcl_free(s->part);
    lcl_free(s->order);
    lcl_free(s->firsts);
    lcl_free(s->ghost);
    lcl_free(s->place);
    lcl_free(s->row);
}
