// SPDX-License-Identifier: BSD-3-Clause
// Finds the entries of A that form W and E: the device surveys the couplings,
// then the host merges subdomains and places the entries of E.
#include "lib/multilevel/survey.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/multilevel/aggregate.h"
#include "lib/multilevel/pattern.h"

// State of a search: the survey, and its pairs grouped by entries of E.
struct search {
    struct lcl_coarse_survey survey;
    lcl_buffer *place;
    int32_t *row, *col;    // pair k belongs to entry (row[k], col[k]) of E
    uint32_t *by_row, *by; // pairs in the order of the entries
    uint32_t *start;       // start of each aggregate's pairs
};

static enum lcl_status fail_memory(lcl_context *ctx)
{
    return lcl_fail_memory(lcl_context_log(ctx), "the coarse pattern");
}

static enum lcl_status upload(lcl_context *ctx, lcl_buffer **out,
                              const void *data, int64_t count)
{
    return lcl_buffer_create_from(out, ctx, data, count, sizeof(int32_t),
                                  "coarse pattern");
}

// Stable counting sort of 0 .. n-1 by key: out[] is a permutation of in[], or
// of 0 .. n-1 if `in` is NULL; group q starts at start[q]. `start` has room for
// keys + 2.
static void sort_by(uint32_t *out, uint32_t *start, const uint32_t *in,
                    const int32_t *key, int64_t n, int64_t keys)
{
    for (int64_t q = 0; q < keys + 2; ++q)
        start[q] = 0;
    for (int64_t m = 0; m < n; ++m)
        ++start[key[m] + 2];
    for (int64_t q = 0; q < keys; ++q)
        start[q + 2] += start[q + 1];
    for (int64_t m = 0; m < n; ++m) {
        const uint32_t k = in ? in[m] : (uint32_t)m;
        out[start[key[k] + 1]++] = k;
    }
}

// ------------------------------------------------------------------- merging

// Uses the aggregates of the tree of matchings, if there are few enough.
static bool take_aggregates(struct lcl_coarse_survey *s,
                            const struct lcl_subdomains *P, int64_t most)
{
    if (!P->aggregate || P->aggregates > most)
        return false;
    s->C->aggregates = P->aggregates;
    for (int64_t p = 0; p < P->parts; ++p)
        s->part_agg[p] = P->aggregate[p];
    return true;
}

// Builds the graph of the subdomains from their pairs.
static enum lcl_status take_graph(struct lcl_csr *G,
                                  const struct lcl_coarse_survey *s)
{
    const int64_t parts = s->C->parts, edges = s->pair_count - parts;
    *G = (struct lcl_csr){
        .rows = parts,
        .cols = parts,
        .row_ptr = lcl_calloc((size_t)parts + 1, sizeof *G->row_ptr),
        .col_ind = lcl_malloc((size_t)edges, sizeof *G->col_ind),
        .val = lcl_malloc((size_t)edges, sizeof *G->val),
    };
    if (!G->row_ptr || !G->col_ind || !G->val)
        return fail_memory(s->ctx);
    for (int64_t p = 0; p < parts; ++p) {
        const struct lcl_coarse_pair *pair = s->pair + s->part[p].pair;
        for (uint32_t e = 1; e < s->part[p].pairs; ++e) {
            G->col_ind[G->nnz] = (int32_t)pair[e].label;
            G->val[G->nnz++] = pair[e].entries;
        }
        G->row_ptr[p + 1] = G->nnz;
    }
    return LCL_OK;
}

// If there are too many subdomains, merges the most strongly coupled ones into
// aggregates and repeats the survey; the runs found before are discarded.
static enum lcl_status merge(struct lcl_coarse_survey *s, int64_t most)
{
    struct lcl_csr G;
    if (s->C->parts <= most)
        return LCL_OK;
    enum lcl_status st = take_graph(&G, s);
    if (st == LCL_OK)
        st = lcl_aggregate_graph(s->part_agg, &s->C->aggregates, &G, most,
                                 lcl_context_log(s->ctx));
    lcl_csr_finish(&G);
    return st < 0 ? st : lcl_coarse_survey_run(s);
}

// ------------------------------------------------------------------- entries

static enum lcl_status upload_aggregates(const struct lcl_coarse_survey *s)
{
    struct lcl_coarse_pattern *C = s->C;
    const int64_t aggregates = C->aggregates;
    uint32_t *start = lcl_malloc((size_t)aggregates + 2, sizeof *start);
    uint32_t *members = lcl_malloc((size_t)C->parts, sizeof *members);
    enum lcl_status st = LCL_ENOMEM;
    if (start && members) {
        sort_by(members, start, NULL, s->part_agg, C->parts, aggregates);
        st = upload(s->ctx, &C->agg_ptr, start, aggregates + 1);
        if (st == LCL_OK)
            st = upload(s->ctx, &C->agg_parts, members, C->parts);
    }
    lcl_free(members);
    lcl_free(start);
    return st == LCL_ENOMEM ? fail_memory(s->ctx) : st;
}

// Two stable sorts: by the aggregate of the row, then by that of the columns.
// The runs of one entry are the runs of its pairs, subdomain by subdomain.
static enum lcl_status sort_pairs(struct search *s)
{
    const struct lcl_coarse_survey *v = &s->survey;
    const int64_t aggregates = v->C->aggregates;
    const size_t count = (size_t)v->pair_count;
    s->row = lcl_malloc(count, sizeof *s->row);
    s->col = lcl_malloc(count, sizeof *s->col);
    s->by_row = lcl_malloc(count, sizeof *s->by_row);
    s->by = lcl_malloc(count, sizeof *s->by);
    s->start = lcl_malloc((size_t)aggregates + 2, sizeof *s->start);
    if (!s->row || !s->col || !s->by_row || !s->by || !s->start)
        return fail_memory(v->ctx);
    for (int64_t p = 0; p < v->C->parts; ++p)
        for (uint32_t e = 0; e < v->part[p].pairs; ++e) {
            const uint32_t k = v->part[p].pair + e;
            s->row[k] = v->part_agg[p];
            s->col[k] = (int32_t)v->pair[k].label;
        }
    sort_by(s->by_row, s->start, NULL, s->row, v->pair_count, aggregates);
    sort_by(s->by, s->start, s->by_row, s->col, v->pair_count, aggregates);
    return LCL_OK;
}

struct entries {
    uint32_t *ptr, *col_ptr, *place;
    int32_t *row, *col;
};

static void place_entries(struct search *s, struct entries *E)
{
    const struct lcl_coarse_survey *v = &s->survey;
    uint32_t at = 0;
    int64_t last = -1;
    for (int64_t m = 0; m < v->pair_count; ++m) {
        const uint32_t k = s->by[m];
        E->place[k] = at;
        if (v->pair[k].runs == 0)
            continue;
        if (last < 0 || E->row[last] != s->row[k] ||
            E->col[last] != s->col[k]) {
            ++last;
            E->ptr[last] = at;
            E->row[last] = s->row[k];
            E->col[last] = s->col[k];
        }
        at += v->pair[k].runs;
        E->col_ptr[s->col[k] + 1] = at;
    }
    v->C->entries = last + 1;
    E->ptr[last + 1] = at;
    // columns without runs start where the preceding ones end
    for (int64_t q = 0; q < v->C->aggregates; ++q)
        if (E->col_ptr[q + 1] < E->col_ptr[q])
            E->col_ptr[q + 1] = E->col_ptr[q];
}

static enum lcl_status upload_entries(struct search *s)
{
    lcl_context *ctx = s->survey.ctx;
    struct lcl_coarse_pattern *C = s->survey.C;
    const size_t count = (size_t)s->survey.pair_count;
    struct entries E = {
        .ptr = lcl_malloc(count + 1, sizeof *E.ptr),
        .col_ptr = lcl_calloc((size_t)C->aggregates + 1, sizeof *E.col_ptr),
        .place = lcl_malloc(count, sizeof *E.place),
        .row = lcl_malloc(count, sizeof *E.row),
        .col = lcl_malloc(count, sizeof *E.col),
    };
    enum lcl_status st;
    if (!E.ptr || !E.col_ptr || !E.place || !E.row || !E.col) {
        st = fail_memory(ctx);
        goto out;
    }
    place_entries(s, &E);
    if ((st = upload(ctx, &C->entry_ptr, E.ptr, C->entries + 1)) < 0 ||
        (st = upload(ctx, &C->entry_row, E.row, C->entries)) < 0 ||
        (st = upload(ctx, &C->entry_col, E.col, C->entries)) < 0 ||
        (st = upload(ctx, &C->col_ptr, E.col_ptr, C->aggregates + 1)) < 0)
        goto out;
    st = upload(ctx, &s->place, E.place, s->survey.pair_count);
out:
    lcl_free(E.col);
    lcl_free(E.row);
    lcl_free(E.place);
    lcl_free(E.col_ptr);
    lcl_free(E.ptr);
    return st;
}

// ------------------------------------------------------------------- pattern

static enum lcl_status find(struct search *s, const struct lcl_subdomains *P,
                            int64_t most)
{
    struct lcl_coarse_survey *v = &s->survey;
    enum lcl_status st;
    if ((st = lcl_coarse_survey_init(v, P->part_ptr)) < 0)
        return st;
    const bool given = take_aggregates(v, P, most);
    if ((st = lcl_coarse_survey_run(v)) < 0 ||
        (!given && (st = merge(v, most)) < 0) ||
        (st = upload_aggregates(v)) < 0 || (st = sort_pairs(s)) < 0 ||
        (st = upload_entries(s)) < 0)
        return st;
    return lcl_coarse_survey_order(v, s->place);
}

static void search_finish(struct search *s)
{
    lcl_buffer_destroy(&s->place);
    lcl_free(s->start);
    lcl_free(s->by);
    lcl_free(s->by_row);
    lcl_free(s->col);
    lcl_free(s->row);
    lcl_coarse_survey_finish(&s->survey);
}

enum lcl_status lcl_coarse_pattern_init(struct lcl_coarse_pattern *C,
                                        lcl_context *ctx,
                                        const struct lcl_device_matrix *B,
                                        const struct lcl_subdomains *P,
                                        int64_t most)
{
    struct search s = {.survey = {.ctx = ctx, .B = B, .C = C}};
    *C = (struct lcl_coarse_pattern){
        .n = B->block_rows, .parts = P->parts, .aggregates = P->parts};
    const enum lcl_status st = find(&s, P, most);
    search_finish(&s);
    if (st < 0)
        lcl_coarse_pattern_finish(C);
    return st;
}

// ------------------------------------------------------------------- parts

// The subdomains in the order of their first rows; row i of the device is the
// caller's perm[i].
static void sort_parts(struct lcl_keyed *part, const struct lcl_subdomains *P,
                       const int32_t *perm, int block)
{
    for (int64_t p = 0; p < P->parts; ++p) {
        part[p] = (struct lcl_keyed){INT64_MAX, p};
        for (int64_t i = P->part_ptr[p]; i < P->part_ptr[p + 1]; ++i)
            if (perm[i * block] < part[p].key)
                part[p].key = perm[i * block];
    }
    lcl_sort_keyed(part, P->parts);
}

static enum lcl_status upload_parts(struct lcl_coarse_pattern *C,
                                    lcl_context *ctx,
                                    const struct lcl_keyed *part)
{
    const size_t count = (size_t)C->parts, size = sizeof(int32_t);
    int32_t *own = lcl_malloc(count + 1, size);
    int32_t *member = lcl_malloc(count, size), *place = lcl_malloc(count, size);
    enum lcl_status st = LCL_ENOMEM;
    for (size_t q = 0; own && member && place && q < count; ++q) {
        own[q] = (int32_t)q;
        member[q] = (int32_t)part[q].value;
        place[member[q]] = (int32_t)q;
    }
    if (own && member && place) {
        own[count] = (int32_t)count;
        if ((st = upload(ctx, &C->agg_ptr, own, C->parts + 1)) == LCL_OK &&
            (st = upload(ctx, &C->agg_parts, member, C->parts)) == LCL_OK)
            st = upload(ctx, &C->part_agg, place, C->parts);
    }
    lcl_free(place);
    lcl_free(member);
    lcl_free(own);
    return st == LCL_ENOMEM ? fail_memory(ctx) : st;
}

enum lcl_status lcl_coarse_pattern_init_parts(struct lcl_coarse_pattern *C,
                                              lcl_context *ctx,
                                              const struct lcl_subdomains *P,
                                              const struct lcl_numbering *N)
{
    const int64_t parts = P->parts;
    struct lcl_keyed *part = lcl_malloc((size_t)parts, sizeof *part);
    int32_t *perm = NULL;
    *C = (struct lcl_coarse_pattern){
        .n = P->n, .parts = parts, .aggregates = parts};
    enum lcl_status st = part ? lcl_numbering_rows(N, &perm) : fail_memory(ctx);
    if (st == LCL_OK) {
        sort_parts(part, P, perm, (int)(N->n / P->n));
        st = upload_parts(C, ctx, part);
    }
    if (st == LCL_OK)
        st = lcl_buffer_create_narrow(&C->part_ptr, ctx, P->part_ptr, parts + 1,
                                      "coarse pattern");
    lcl_free(perm);
    lcl_free(part);
    return st;
}

// ------------------------------------------------------------------- all

enum lcl_status lcl_coarse_rows_of_runs(lcl_buffer *run_row, lcl_context *ctx,
                                        int64_t n, const lcl_buffer *row,
                                        const lcl_buffer *run_ptr)
{
    const struct lcl_spec spec =
        lcl_coarse_spec(ctx, "coarse_pattern.cl", "rows_of_runs");
    lcl_kernel *kernel;
    const enum lcl_status st = lcl_kernel_get(&kernel, ctx, &spec);
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, lcl_vector_groups(lcl_context_caps(ctx)),
                            lcl_arg_long(n), lcl_arg_buffer(row),
                            lcl_arg_buffer(run_ptr), lcl_arg_buffer(run_row));
}

enum lcl_status lcl_coarse_pattern_find_rows(struct lcl_coarse_pattern *C,
                                             lcl_context *ctx)
{
    if (C->run_row || C->runs == 0)
        return LCL_OK;
    const enum lcl_status st = lcl_buffer_create(
        &C->run_row, ctx, C->runs, sizeof(int32_t), "coarse pattern");
    return st < 0 ? st
                  : lcl_coarse_rows_of_runs(C->run_row, ctx, C->n, NULL,
                                            C->run_ptr);
}

static lcl_buffer **buffer_at(struct lcl_coarse_pattern *C, size_t i)
{
    lcl_buffer **const all[] = {
        &C->part_ptr,  &C->part_agg,  &C->agg_ptr, &C->agg_parts, &C->run_ptr,
        &C->run_first, &C->run_agg,   &C->run_row, &C->order,     &C->entry_ptr,
        &C->entry_row, &C->entry_col, &C->col_ptr,
    };
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void lcl_coarse_pattern_finish(struct lcl_coarse_pattern *C)
{
    for (size_t i = 0; buffer_at(C, i); ++i)
        lcl_buffer_destroy(buffer_at(C, i));
    *C = (struct lcl_coarse_pattern){.n = 0};
}

uint64_t lcl_coarse_pattern_bytes(const struct lcl_coarse_pattern *C)
{
    struct lcl_coarse_pattern copy = *C;
    uint64_t bytes = 0;
    for (size_t i = 0; buffer_at(&copy, i); ++i)
        bytes += lcl_buffer_bytes(*buffer_at(&copy, i));
    return bytes;
}
