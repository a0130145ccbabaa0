// SPDX-License-Identifier: BSD-3-Clause
// The unknowns of a coarse space of several ranks.
#include "lib/multilevel/coarse_unknowns.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/multilevel/aggregate.h"

#include <string.h>

static const char what[] = "a coarse space of several ranks";

// What only the set-up needs.
struct search {
    const struct lcl_coarse_site *S;
    int32_t *part_number;    // of each subdomain of the rank, by blocks
    int32_t *place, *number; // of boundary rows: row of the device, own number
    int32_t *sent; // of rows that others need: numbers among those of all ranks
    int32_t *label; // of the columns from `first` on, the ghosts being the last
                    // ones: the same, then their local unknowns
    int64_t first, columns;
};

static const struct lcl_halo_plan *plan_of(const struct search *s)
{
    return &s->S->halo->plan;
}

static const struct lcl_space *space_of(const struct search *s)
{
    return &s->S->halo->space;
}

static const struct lcl_log *log_of(const struct search *s)
{
    return lcl_context_log(space_of(s)->ctx);
}

static bool has_parts(const struct search *s)
{
    return space_of(s)->segments;
}

// ------------------------------------------------------------------- own rows

// Of rows of the caller: the rows of the device, and their numbers.
static enum lcl_status number_rows(const struct search *s, const int32_t *row,
                                   int64_t count, int32_t *place,
                                   int32_t *number)
{
    const struct lcl_coarse_site *S = s->S;
    const struct lcl_subdomains *P = S->subdomains;
    const int b = S->block;
    memcpy(place, row, (size_t)count * sizeof *row);
    const enum lcl_status st = lcl_numbering_places(S->numbering, place, count);
    for (int64_t k = 0; k < count && st == LCL_OK; ++k) {
        const int64_t p = lcl_row_of(P->part_ptr, P->parts, place[k] / b);
        number[k] = s->part_number[p] * b + place[k] % b;
    }
    return st;
}

static enum lcl_status number_sent(struct search *s)
{
    const struct lcl_halo_plan *P = plan_of(s);
    int32_t *place = lcl_malloc((size_t)P->sends, sizeof *place);
    const enum lcl_status st =
        place ? number_rows(s, P->send, P->sends, place, s->sent)
              : lcl_fail_memory(log_of(s), what);
    lcl_free(place);
    return st;
}

static enum lcl_status begin(struct search *s)
{
    const struct lcl_halo_plan *P = plan_of(s);
    const struct lcl_coarse_pattern *C = s->S->pattern;
    const size_t size = sizeof(int32_t), boundary = (size_t)P->boundary;
    enum lcl_status st;
    s->first = has_parts(s) ? 0 : P->rows;
    s->columns = P->rows + P->ghosts - s->first;
    s->part_number = lcl_malloc((size_t)C->parts, size);
    s->place = lcl_malloc(boundary, size);
    s->number = lcl_malloc(boundary, size);
    s->sent = lcl_malloc((size_t)P->sends, size);
    s->label = lcl_malloc((size_t)s->columns, size);
    if (!s->part_number || !s->place || !s->number || !s->sent || !s->label)
        return lcl_fail_memory(log_of(s), what);
    if ((st = lcl_buffer_read(C->part_agg, s->part_number,
                              (size_t)C->parts * size)) < 0 ||
        (st = number_rows(s, P->row, P->boundary, s->place, s->number)) < 0)
        return st;
    return number_sent(s);
}

// ------------------------------------------------------------------- ghosts

// Carries the numbers of listed rows to the ranks that have them as ghosts.
static enum lcl_status carry(struct search *s)
{
    const struct lcl_halo_plan *P = plan_of(s);
    struct lcl_halo_plan listed = *P;
    enum lcl_status st = lcl_halo_plan_send_in_order(&listed, log_of(s));
    if (st == LCL_OK)
        st =
            lcl_halo_plan_carry(&listed, space_of(s)->comm, s->sent,
                                sizeof *s->sent, s->label + P->rows - s->first);
    lcl_free(listed.send);
    return st;
}

// The numbers of the columns among those of all ranks.
static enum lcl_status label_columns(struct lcl_coarse_unknowns *U,
                                     struct search *s)
{
    const struct lcl_halo_plan *P = plan_of(s);
    struct lcl_ownership O = {.first = NULL};
    enum lcl_status st = lcl_ownership_init(&O, space_of(s)->comm, U->numbers);
    if (st == LCL_OK) {
        U->first = O.first[O.comm->rank];
        U->own = U->numbers;
        U->rows = lcl_owned_by_all(&O);
        for (int64_t k = 0; k < P->sends; ++k)
            s->sent[k] += (int32_t)U->first;
        st = carry(s);
    }
    for (int64_t r = 0; r < P->boundary && has_parts(s); ++r)
        s->label[P->row[r]] = (int32_t)U->first + s->number[r];
    lcl_ownership_finish(&O);
    return st;
}

// ------------------------------------------------------------------- merging

static int32_t *divided(const int32_t *number, int64_t count, int by)
{
    int32_t *out = lcl_malloc((size_t)count, sizeof *out);
    for (int64_t k = 0; out && k < count; ++k)
        out[k] = number[k] / by;
    return out;
}

// G = the rank's rows of the graph of the subdomains of all ranks: how many
// entries couple them.
static enum lcl_status couple_parts(struct lcl_bsr *G,
                                    const struct lcl_coarse_unknowns *U,
                                    const struct search *s)
{
    const int b = U->block;
    int32_t *row = divided(s->number, plan_of(s)->boundary, b);
    int32_t *column = divided(s->label, s->columns, b);
    const struct lcl_ghost_labels L = {.place = s->place,
                                       .number = row,
                                       .numbers = U->numbers / b,
                                       .unknown = column,
                                       .unknowns = U->rows / b,
                                       .counted = true};
    struct lcl_ghost_level level;
    enum lcl_status st = LCL_ENOMEM;
    if (row && column) {
        st = lcl_ghost_level_init(&level, s->S->halo, &L);
        if (st == LCL_OK)
            st = lcl_device_matrix_read(G, &level.product.C, true, log_of(s));
        lcl_ghost_level_finish(&level);
    }
    lcl_free(column);
    lcl_free(row);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(s), what) : st;
}

static enum lcl_status gather_graph(struct lcl_bsr *all,
                                    const struct lcl_coarse_unknowns *U,
                                    const struct search *s)
{
    struct lcl_bsr own = {.rows = 0};
    struct lcl_ownership O = {.first = NULL};
    enum lcl_status st;
    if ((st = couple_parts(&own, U, s)) == LCL_OK &&
        (st = lcl_ownership_init(&O, space_of(s)->comm,
                                 U->numbers / U->block)) == LCL_OK)
        st = lcl_gather_rows(all, &own, &O);
    lcl_ownership_finish(&O);
    lcl_bsr_finish(&own);
    return st;
}

static enum lcl_status merge_graph(struct lcl_coarse_unknowns *U,
                                   const struct search *s, int64_t *count)
{
    struct lcl_bsr all = {.rows = 0};
    enum lcl_status st = gather_graph(&all, U, s);
    struct lcl_csr G = {.rows = all.rows, // takes the arrays
                        .cols = all.cols,
                        .nnz = all.nnz,
                        .row_ptr = all.row_ptr,
                        .col_ind = all.col_ind,
                        .val = all.val};
    if (st == LCL_OK)
        st =
            lcl_aggregate_graph(U->aggregate, count, &G, s->S->most, log_of(s));
    lcl_csr_finish(&G);
    return st;
}

// The aggregates whose first subdomain is one of the rank's.
static enum lcl_status count_begun(struct lcl_coarse_unknowns *U,
                                   const struct search *s, int64_t count)
{
    const int64_t first = U->first / U->block;
    const int64_t end = first + U->numbers / U->block;
    bool *seen = lcl_calloc((size_t)count, sizeof *seen);
    int64_t begun = 0;
    if (!seen)
        return lcl_fail_memory(log_of(s), what);
    for (int64_t p = 0; p < end; ++p) {
        begun += !seen[U->aggregate[p]] && p >= first;
        seen[U->aggregate[p]] = true;
    }
    lcl_free(seen);
    U->own = begun * U->block;
    U->rows = count * U->block;
    return LCL_OK;
}

// Merges the subdomains of all ranks.
static enum lcl_status merge_parts(struct lcl_coarse_unknowns *U,
                                   const struct search *s)
{
    int64_t count = U->rows / U->block;
    enum lcl_status st = LCL_OK;
    U->aggregate = lcl_malloc((size_t)count, sizeof *U->aggregate);
    if (!U->aggregate)
        return lcl_fail_memory(log_of(s), what);
    for (int64_t p = 0; p < count; ++p)
        U->aggregate[p] = (int32_t)p;
    if (count > s->S->most)
        st = merge_graph(U, s, &count);
    return st < 0 ? st : count_begun(U, s, count);
}

// ------------------------------------------------------------------- local

// The own unknowns come first, unless aggregates belong to several ranks.
static int64_t listed_first(const struct lcl_coarse_unknowns *U)
{
    return U->aggregate ? 0 : U->own;
}

// Behind those listed first: each once, with segments also the own ones, and
// all components of an aggregate.
static enum lcl_status list_local(struct lcl_coarse_unknowns *U,
                                  const struct search *s)
{
    const int64_t head = listed_first(U), ghosts = plan_of(s)->ghosts;
    const int32_t *ghost = s->label + s->columns - ghosts;
    const int all = U->aggregate ? U->block : 1;
    int64_t count = 0;
    U->unknown =
        lcl_malloc((size_t)(U->numbers + ghosts * all), sizeof *U->unknown);
    if (!U->unknown)
        return lcl_fail_memory(log_of(s), what);
    for (int64_t q = 0; q < U->numbers; ++q)
        U->unknown[count++] = lcl_coarse_unknown_of(U, U->first + q);
    for (int64_t g = 0; g < ghosts; ++g)
        for (int c = 0; c < all; ++c)
            U->unknown[count++] =
                lcl_coarse_unknown_of(U, ghost[g] / all * all + c);
    U->local = head + lcl_sort_once_int32(U->unknown + head, count - head);
    return LCL_OK;
}

static int32_t local_of(const struct lcl_coarse_unknowns *U, int64_t number)
{
    const int64_t head = listed_first(U);
    const int32_t unknown = lcl_coarse_unknown_of(U, number);
    if (!U->aggregate && unknown >= U->first && unknown < U->first + U->own)
        return (int32_t)(unknown - U->first);
    return (int32_t)lcl_seek(U->unknown, head, U->local, unknown);
}

// Gives the subdomains their local aggregates.
static enum lcl_status localise_parts(const struct lcl_coarse_unknowns *U,
                                      const struct search *s)
{
    const struct lcl_coarse_pattern *P = s->S->pattern;
    const int b = U->block;
    for (int64_t p = 0; p < P->parts; ++p)
        s->part_number[p] = local_of(U, U->first + s->part_number[p] * b) / b;
    return lcl_buffer_write(P->part_agg, s->part_number,
                            (size_t)P->parts * sizeof *s->part_number);
}

static enum lcl_status make_level(struct lcl_coarse_unknowns *U,
                                  struct lcl_ghost_level *G, struct search *s)
{
    enum lcl_status st = list_local(U, s);
    if (st == LCL_OK && U->aggregate)
        st = localise_parts(U, s);
    if (st < 0)
        return st;
    for (int64_t k = 0; k < s->columns; ++k)
        s->label[k] = local_of(U, s->label[k]);
    const struct lcl_ghost_labels L = {.place = s->place,
                                       .number = s->number,
                                       .numbers = U->numbers,
                                       .unknown = s->label,
                                       .first = s->first,
                                       .unknowns = U->local,
                                       .together =
                                           U->aggregate ? U->block : INT32_MAX};
    return lcl_ghost_level_init(G, s->S->halo, &L);
}

// ------------------------------------------------------------------- all

static enum lcl_status number_all(struct lcl_coarse_unknowns *U,
                                  struct search *s)
{
    const enum lcl_status st = label_columns(U, s);
    return st < 0 || !has_parts(s) ? st : merge_parts(U, s);
}

static enum lcl_status find(struct lcl_coarse_unknowns *U,
                            struct lcl_ghost_level *G, struct search *s,
                            enum lcl_status own)
{
    const struct lcl_space *V = space_of(s);
    enum lcl_status st = own < 0 ? own : begin(s);
    if ((st = lcl_space_agree(V, st, what)) < 0)
        return st;
    st = lcl_space_agree(V, lcl_space_end(V, number_all(U, s)), what);
    return st < 0 ? st : make_level(U, G, s);
}

enum lcl_status lcl_coarse_unknowns_init(struct lcl_coarse_unknowns *U,
                                         struct lcl_ghost_level *G,
                                         const struct lcl_coarse_site *S,
                                         enum lcl_status own)
{
    struct search s = {.S = S};
    *U = (struct lcl_coarse_unknowns){
        .numbers = S->pattern->aggregates * S->block, .block = S->block};
    *G = (struct lcl_ghost_level){.halo = S->halo};
    const enum lcl_status st = find(U, G, &s, own);
    lcl_free(s.label);
    lcl_free(s.sent);
    lcl_free(s.number);
    lcl_free(s.place);
    lcl_free(s.part_number);
    return st;
}

void lcl_coarse_unknowns_finish(struct lcl_coarse_unknowns *U)
{
    lcl_free(U->aggregate);
    lcl_free(U->unknown);
}
