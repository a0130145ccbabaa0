// SPDX-License-Identifier: BSD-3-Clause
// The unknowns of a coarse space of several ranks.
#include "lib/multilevel/coarse_search.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/multilevel/coarse_parts.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "the unknowns of several ranks";

static const struct lcl_log *log_of(const struct lcl_coarse_ranks *R)
{
    return lcl_context_log(R->space.ctx);
}

// ------------------------------------------------------------------- rows

// The rows whose unknowns matter: boundary rows, their columns, and what other
// ranks need.
struct listing {
    uint64_t *seen; // bits of rows
    int32_t *row;   // each once
    int64_t count;
};

static void list(struct listing *l, int32_t row)
{
    const uint64_t bit = UINT64_C(1) << (row % 64);
    if (l->seen[row / 64] & bit)
        return;
    l->seen[row / 64] |= bit;
    l->row[l->count++] = row;
}

static enum lcl_status list_rows(struct listing *l,
                                 const struct lcl_halo_plan *P,
                                 const struct lcl_log *log)
{
    const bool all = P->boundary == P->rows;
    const int64_t most = P->boundary + P->sends + (all ? 0 : P->entries);
    const int64_t rows = most < P->rows ? most : P->rows;
    *l = (struct listing){
        .seen = lcl_calloc((size_t)P->rows / 64 + 1, sizeof *l->seen),
        .row = lcl_malloc((size_t)rows, sizeof *l->row),
    };
    if (!l->seen || !l->row)
        return lcl_fail_memory(log, what);
    for (int64_t r = 0; r < P->boundary; ++r)
        list(l, P->row[r]);
    for (int64_t k = 0; k < P->sends; ++k)
        list(l, P->send[k]);
    for (int64_t k = 0; k < P->entries && !all; ++k)
        if (P->col[k] < P->rows)
            list(l, P->col[k]);
    return LCL_OK;
}

static void listing_finish(struct listing *l)
{
    lcl_free(l->row);
    lcl_free(l->seen);
}

// ------------------------------------------------------------------- labels

// The subdomain of block row SHARE * i, for each i.
enum { SHARE = 64 };

static int32_t *index_parts(const struct lcl_subdomains *P)
{
    const int64_t rows = lcl_subdomains_rows(P);
    int32_t *part = lcl_malloc((size_t)(rows / SHARE) + 1, sizeof *part);
    int64_t p = 0;
    for (int64_t i = 0; part && i < rows; i += SHARE) {
        while (P->part_ptr[p + 1] <= i)
            ++p;
        part[i / SHARE] = (int32_t)p;
    }
    return part;
}

// The unknowns of the listed rows, from the aggregates of their subdomains;
// place[k] is the row of the device.
static void label_rows(const struct lcl_coarse_search *s,
                       const struct listing *l, const int32_t *place,
                       const int32_t *index)
{
    const struct lcl_subdomains *P = s->S->subdomains;
    const int b = s->S->block;
    for (int64_t k = 0; k < l->count; ++k) {
        const int32_t i = place[k] / b;
        int32_t p = index[i / SHARE];
        while (P->part_ptr[p + 1] <= i)
            ++p;
        s->row[l->row[k]] = s->order[p] * b + place[k] % b;
        s->place[l->row[k]] = place[k];
    }
}

static enum lcl_status find_labels(const struct lcl_coarse_search *s,
                                   const struct listing *l,
                                   const struct lcl_log *log)
{
    int32_t *place = lcl_malloc((size_t)l->count, sizeof *place);
    int32_t *index = index_parts(s->S->subdomains);
    enum lcl_status st;
    if (place && index) {
        memcpy(place, l->row, (size_t)l->count * sizeof *place);
        st = lcl_numbering_places(s->S->numbering, place, l->count);
    } else {
        st = lcl_fail_memory(log, what);
    }
    if (st == LCL_OK)
        label_rows(s, l, place, index);
    lcl_free(index);
    lcl_free(place);
    return st;
}

// ------------------------------------------------------------------- order

static enum lcl_status order_parts(const struct lcl_coarse_search *s,
                                   const struct lcl_log *log)
{
    int32_t *perm;
    enum lcl_status st = lcl_numbering_rows(s->S->numbering, &perm);
    if (st == LCL_OK)
        st = lcl_coarse_parts_order(s->order, s->S->subdomains, s->S->block,
                                    perm, log);
    lcl_free(perm);
    return st;
}

static enum lcl_status find_order(const struct lcl_coarse_search *s,
                                  const struct lcl_log *log)
{
    const struct lcl_coarse_pattern *P = s->S->pattern;
    return P->part_agg ? lcl_buffer_read(P->part_agg, s->order,
                                         (size_t)P->parts * sizeof *s->order)
                       : order_parts(s, log);
}

static enum lcl_status find_rows(const struct lcl_coarse_search *s,
                                 const struct lcl_log *log)
{
    struct listing l;
    enum lcl_status st = find_order(s, log);
    if (st < 0)
        return st;
    if ((st = list_rows(&l, &s->S->halo->plan, log)) == LCL_OK)
        st = find_labels(s, &l, log);
    listing_finish(&l);
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
    s->order = lcl_malloc((size_t)s->S->pattern->parts, sizeof *s->order);
    return s->row && s->place && s->ghost && s->firsts && s->order
               ? find_rows(s, log_of(R))
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

// Lists the unknowns of the ghosts, each once, behind the own ones.
static void list_local(struct lcl_coarse_ranks *R, const int32_t *ghost,
                       int64_t ghosts)
{
    int32_t *listed = R->unknown + R->own;
    for (int64_t q = 0; q < R->own; ++q)
        R->unknown[q] = (int32_t)(R->first + q);
    memcpy(listed, ghost, (size_t)ghosts * sizeof *ghost);
    R->local = R->own + lcl_sort_once_int32(listed, ghosts);
}

static void localise(const struct lcl_coarse_ranks *R, int32_t *ghost,
                     int64_t ghosts)
{
    const int32_t *listed = R->unknown + R->own;
    for (int64_t g = 0; g < ghosts; ++g) {
        const int32_t *at =
            bsearch(&ghost[g], listed, (size_t)(R->local - R->own),
                    sizeof *listed, lcl_order_int32);
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
