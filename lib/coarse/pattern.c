// SPDX-License-Identifier: BSD-3-Clause
// Which entries of A make W and E: the device lists what each subdomain is
// coupled to, the host merges subdomains and places the entries of E.
#include "lib/coarse/pattern.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/coarse/aggregate.h"

#include "cl/coarse.cl.h"

#include <assert.h>

static_assert(sizeof(struct lcl_coarse_part) == 24, "as the device sees it");
static_assert(sizeof(struct lcl_coarse_pair) == 16, "as the device sees it");

enum {
    WAVES = 4, // a few rows of a subdomain an item
};

enum kernel {
    LABEL_ROWS,
    COUNT_RUNS,
    FILL_RUNS,
    SORT_LEAVING,
    LIST_PAIRS,
    ORDER_RUNS,
    KERNELS,
};

static const char *const kernel_names[KERNELS] = {
    [LABEL_ROWS] = "label_rows", [COUNT_RUNS] = "count_runs",
    [FILL_RUNS] = "fill_runs",   [SORT_LEAVING] = "sort_leaving",
    [LIST_PAIRS] = "list_pairs", [ORDER_RUNS] = "order_runs",
};

// A search under way: what it needs besides its results.
struct search {
    lcl_context *ctx;
    const struct lcl_device_matrix *B;
    struct lcl_coarse_pattern *C;
    lcl_kernel *kernels[KERNELS];
    lcl_buffer *label, *leave_ptr, *parts, *keys, *pairs, *place;
    int64_t leaving, pair_count;
    // on the host
    int32_t *part_agg;
    struct lcl_coarse_part *part;
    struct lcl_coarse_pair *pair;
    int32_t *row, *col;    // of pairs: entries of E
    uint32_t *by_row, *by; // pairs in the order of the entries
    uint32_t *start;       // of the pairs of an aggregate
};

static enum lcl_status fail_device(const struct search *s, const char *what)
{
    return lcl_fail(lcl_context_log(s->ctx), LCL_ESELFTEST,
                    "%s gives %s that cannot be: it computes wrong results",
                    lcl_context_caps(s->ctx)->name, what);
}

static enum lcl_status fail_memory(const struct search *s)
{
    return lcl_fail_memory(lcl_context_log(s->ctx), "the coarse pattern");
}

static enum lcl_status create(const struct search *s, lcl_buffer **out,
                              int64_t count, size_t size)
{
    return lcl_buffer_create(out, s->ctx, count, size, "coarse pattern");
}

static enum lcl_status upload(const struct search *s, lcl_buffer **out,
                              const void *data, int64_t count)
{
    return lcl_buffer_create_from(out, s->ctx, data, count, sizeof(int32_t),
                                  "coarse pattern");
}

// Places 0 .. n-1 sorted by key, equal keys in their old order: out[] is a
// permutation of in[], or of 0 .. n-1 where that is NULL; group q begins at
// start[q]. `start` has room for keys + 2.
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

// ------------------------------------------------------------------- start

static enum lcl_status check_size(const struct search *s)
{
    // wide row pointers begin a little earlier
    if (lcl_buffer_bytes(s->B->row_ptr) !=
        (size_t)(s->C->n + 1) * sizeof(uint32_t))
        return lcl_fail(lcl_context_log(s->ctx), LCL_ERANGE,
                        "%lld entries: a coarse correction takes 2^32 - 1",
                        (long long)s->B->blocks);
    return LCL_OK;
}

static struct lcl_spec spec_of(lcl_context *ctx, const char *kernel)
{
    return (struct lcl_spec){
        .source = "coarse_pattern.cl",
        .kernel = kernel,
        .group = lcl_wave_group(lcl_context_caps(ctx), WAVES),
    };
}

static enum lcl_status get_kernels(struct search *s)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < KERNELS && st == LCL_OK; ++k) {
        const struct lcl_spec spec = spec_of(s->ctx, kernel_names[k]);
        st = lcl_kernel_get(&s->kernels[k], s->ctx, &spec);
    }
    return st;
}

static enum lcl_status upload_part_ptr(const struct search *s,
                                       const int64_t *part_ptr)
{
    const int64_t parts = s->C->parts;
    int32_t *narrow = lcl_malloc((size_t)parts + 1, sizeof *narrow);
    if (!narrow)
        return fail_memory(s);
    for (int64_t p = 0; p <= parts; ++p)
        narrow[p] = (int32_t)part_ptr[p];
    const enum lcl_status st = upload(s, &s->C->part_ptr, narrow, parts + 1);
    lcl_free(narrow);
    return st;
}

static enum lcl_status allocate(struct search *s, const int64_t *part_ptr)
{
    const int64_t n = s->C->n, parts = s->C->parts;
    enum lcl_status st;
    s->part_agg = lcl_malloc((size_t)parts, sizeof *s->part_agg);
    s->part = lcl_malloc((size_t)parts, sizeof *s->part);
    if (!s->part_agg || !s->part)
        return fail_memory(s);
    for (int64_t p = 0; p < parts; ++p)
        s->part_agg[p] = (int32_t)p;
    if ((st = upload_part_ptr(s, part_ptr)) < 0 ||
        (st = create(s, &s->C->part_agg, parts, sizeof(int32_t))) < 0 ||
        (st = create(s, &s->C->run_ptr, n + 1, sizeof(uint32_t))) < 0 ||
        (st = create(s, &s->label, n, sizeof(int32_t))) < 0 ||
        (st = create(s, &s->leave_ptr, n, sizeof(uint32_t))) < 0)
        return st;
    return create(s, &s->parts, parts, sizeof *s->part);
}

// ------------------------------------------------------------------- runs

static enum lcl_status count_runs(const struct search *s)
{
    const struct lcl_coarse_pattern *C = s->C;
    enum lcl_status st;
    if ((st = lcl_buffer_write(C->part_agg, s->part_agg,
                               (size_t)C->parts * sizeof *s->part_agg)) < 0 ||
        (st = LCL_LAUNCH(
             s->kernels[LABEL_ROWS], C->parts, lcl_arg_buffer(C->part_ptr),
             lcl_arg_buffer(C->part_agg), lcl_arg_buffer(s->label))) < 0)
        return st;
    return LCL_LAUNCH(s->kernels[COUNT_RUNS], C->parts,
                      lcl_arg_buffer(C->part_ptr), lcl_arg_buffer(C->part_agg),
                      lcl_arg_buffer(s->label), lcl_arg_buffer(s->B->row_ptr),
                      lcl_arg_buffer(s->B->col), lcl_arg_buffer(C->run_ptr),
                      lcl_arg_buffer(s->leave_ptr), lcl_arg_buffer(s->parts));
}

static size_t part_bytes(const struct search *s)
{
    return (size_t)s->C->parts * sizeof *s->part;
}

static enum lcl_status place_runs(struct search *s)
{
    struct lcl_coarse_pattern *C = s->C;
    const enum lcl_status st =
        lcl_buffer_read(s->parts, s->part, part_bytes(s));
    if (st < 0)
        return st;
    C->runs = s->leaving = 0;
    for (int64_t p = 0; p < C->parts; ++p) {
        struct lcl_coarse_part *part = &s->part[p];
        part->run = (uint32_t)C->runs;
        part->leave = (uint32_t)s->leaving;
        C->runs += part->runs;
        s->leaving += part->leaving;
        if (part->leaving > part->runs || C->runs > s->B->blocks)
            return fail_device(s, "runs of columns");
    }
    return lcl_buffer_write(s->parts, s->part, part_bytes(s));
}

static enum lcl_status fill_runs(struct search *s)
{
    struct lcl_coarse_pattern *C = s->C;
    enum lcl_status st;
    if ((st = create(s, &C->run_first, C->runs + 1, sizeof(uint32_t))) < 0 ||
        (st = create(s, &C->run_agg, C->runs, sizeof(int32_t))) < 0 ||
        (st = create(s, &s->keys, s->leaving, sizeof(uint64_t))) < 0 ||
        (st = LCL_LAUNCH(
             s->kernels[FILL_RUNS], C->parts, lcl_arg_buffer(C->part_ptr),
             lcl_arg_buffer(C->part_agg), lcl_arg_buffer(s->label),
             lcl_arg_buffer(s->B->row_ptr), lcl_arg_buffer(s->B->col),
             lcl_arg_buffer(s->parts), lcl_arg_buffer(C->run_ptr),
             lcl_arg_buffer(s->leave_ptr), lcl_arg_buffer(C->run_first),
             lcl_arg_buffer(C->run_agg), lcl_arg_buffer(s->keys))) < 0)
        return st;
    return LCL_LAUNCH(s->kernels[SORT_LEAVING], C->parts,
                      lcl_arg_buffer(s->parts), lcl_arg_buffer(s->keys));
}

// ------------------------------------------------------------------- pairs

static enum lcl_status place_pairs(struct search *s)
{
    const enum lcl_status st =
        lcl_buffer_read(s->parts, s->part, part_bytes(s));
    int64_t runs = 0, leaving = 0;
    if (st < 0)
        return st;
    s->pair_count = 0;
    for (int64_t p = 0; p < s->C->parts; ++p) {
        struct lcl_coarse_part *part = &s->part[p];
        if (part->run != runs || part->leave != leaving || part->pairs < 1 ||
            part->leaving > part->runs || part->pairs - 1 > part->leaving)
            return fail_device(s, "pairs of subdomains");
        part->pair = (uint32_t)s->pair_count;
        s->pair_count += part->pairs;
        runs += part->runs;
        leaving += part->leaving;
    }
    if (runs != s->C->runs || leaving != s->leaving ||
        s->pair_count > UINT32_MAX)
        return fail_device(s, "pairs of subdomains");
    return lcl_buffer_write(s->parts, s->part, part_bytes(s));
}

static bool pairs_are_sound(const struct search *s, int64_t p)
{
    const struct lcl_coarse_part *part = &s->part[p];
    const struct lcl_coarse_pair *pair = s->pair + part->pair;
    uint64_t first = 0;
    if (pair[0].label != (uint32_t)s->part_agg[p] ||
        pair[0].runs != part->runs - part->leaving)
        return false;
    for (uint32_t e = 1; e < part->pairs; ++e) {
        if (pair[e].label >= (uint64_t)s->C->aggregates || pair[e].runs < 1 ||
            pair[e].entries < pair[e].runs || pair[e].first != first)
            return false;
        first += pair[e].runs;
    }
    return first == part->leaving;
}

static enum lcl_status list_pairs(struct search *s)
{
    enum lcl_status st;
    const size_t size = sizeof *s->pair;
    s->pair = lcl_malloc((size_t)s->pair_count, size);
    if (!s->pair)
        return fail_memory(s);
    if ((st = create(s, &s->pairs, s->pair_count, size)) < 0 ||
        (st = LCL_LAUNCH(s->kernels[LIST_PAIRS], s->C->parts,
                         lcl_arg_buffer(s->C->part_agg),
                         lcl_arg_buffer(s->parts), lcl_arg_buffer(s->keys),
                         lcl_arg_buffer(s->C->run_first),
                         lcl_arg_buffer(s->pairs))) < 0 ||
        (st = lcl_buffer_read(s->pairs, s->pair,
                              (size_t)s->pair_count * size)) < 0)
        return st;
    for (int64_t p = 0; p < s->C->parts; ++p)
        if (!pairs_are_sound(s, p))
            return fail_device(s, "pairs of subdomains");
    return LCL_OK;
}

// ------------------------------------------------------------------- survey

// Runs and pairs for the labels of subdomains that are in part_agg.
static enum lcl_status survey(struct search *s)
{
    enum lcl_status st;
    if ((st = count_runs(s)) < 0 || (st = place_runs(s)) < 0 ||
        (st = fill_runs(s)) < 0 || (st = place_pairs(s)) < 0)
        return st;
    return list_pairs(s);
}

static void survey_finish(struct search *s)
{
    lcl_buffer_destroy(&s->C->run_first);
    lcl_buffer_destroy(&s->C->run_agg);
    lcl_buffer_destroy(&s->keys);
    lcl_buffer_destroy(&s->pairs);
    lcl_free(s->pair);
    s->pair = NULL;
}

// The graph of the subdomains from their pairs.
static enum lcl_status take_graph(struct lcl_csr *G, const struct search *s)
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
        return fail_memory(s);
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

// Where there are too many subdomains, those that are coupled most become one
// aggregate, and what is known of runs is for nothing.
static enum lcl_status merge(struct search *s, int64_t most)
{
    struct lcl_csr G;
    if (s->C->parts <= most)
        return LCL_OK;
    enum lcl_status st = take_graph(&G, s);
    if (st == LCL_OK)
        st = lcl_aggregate_graph(s->part_agg, &s->C->aggregates, &G, most,
                                 lcl_context_log(s->ctx));
    lcl_csr_finish(&G);
    survey_finish(s);
    return st < 0 ? st : survey(s);
}

// ------------------------------------------------------------------- entries

static enum lcl_status upload_aggregates(struct search *s)
{
    struct lcl_coarse_pattern *C = s->C;
    const int64_t aggregates = C->aggregates;
    uint32_t *start = lcl_malloc((size_t)aggregates + 2, sizeof *start);
    uint32_t *members = lcl_malloc((size_t)C->parts, sizeof *members);
    enum lcl_status st = LCL_ENOMEM;
    if (start && members) {
        sort_by(members, start, NULL, s->part_agg, C->parts, aggregates);
        st = upload(s, &C->agg_ptr, start, aggregates + 1);
        if (st == LCL_OK)
            st = upload(s, &C->agg_parts, members, C->parts);
    }
    lcl_free(members);
    lcl_free(start);
    return st == LCL_ENOMEM ? fail_memory(s) : st;
}

// Two stable sorts: by the aggregate of the row, then by that of the columns.
// The runs of one entry are those of its pairs, subdomain by subdomain.
static enum lcl_status sort_pairs(struct search *s)
{
    const size_t count = (size_t)s->pair_count;
    s->row = lcl_malloc(count, sizeof *s->row);
    s->col = lcl_malloc(count, sizeof *s->col);
    s->by_row = lcl_malloc(count, sizeof *s->by_row);
    s->by = lcl_malloc(count, sizeof *s->by);
    s->start = lcl_malloc((size_t)s->C->aggregates + 2, sizeof *s->start);
    if (!s->row || !s->col || !s->by_row || !s->by || !s->start)
        return fail_memory(s);
    for (int64_t p = 0; p < s->C->parts; ++p)
        for (uint32_t e = 0; e < s->part[p].pairs; ++e) {
            const uint32_t k = s->part[p].pair + e;
            s->row[k] = s->part_agg[p];
            s->col[k] = (int32_t)s->pair[k].label;
        }
    sort_by(s->by_row, s->start, NULL, s->row, s->pair_count, s->C->aggregates);
    sort_by(s->by, s->start, s->by_row, s->col, s->pair_count,
            s->C->aggregates);
    return LCL_OK;
}

struct entries {
    uint32_t *ptr, *col_ptr, *place;
    int32_t *row, *col;
};

static void place_entries(struct search *s, struct entries *E)
{
    uint32_t at = 0;
    int64_t last = -1;
    for (int64_t m = 0; m < s->pair_count; ++m) {
        const uint32_t k = s->by[m];
        E->place[k] = at;
        if (s->pair[k].runs == 0)
            continue;
        if (last < 0 || E->row[last] != s->row[k] ||
            E->col[last] != s->col[k]) {
            ++last;
            E->ptr[last] = at;
            E->row[last] = s->row[k];
            E->col[last] = s->col[k];
        }
        at += s->pair[k].runs;
        E->col_ptr[s->col[k] + 1] = at;
    }
    s->C->entries = last + 1;
    E->ptr[last + 1] = at;
    // columns without runs
    for (int64_t q = 0; q < s->C->aggregates; ++q)
        if (E->col_ptr[q + 1] < E->col_ptr[q])
            E->col_ptr[q + 1] = E->col_ptr[q];
}

static enum lcl_status upload_entries(struct search *s)
{
    struct lcl_coarse_pattern *C = s->C;
    const size_t count = (size_t)s->pair_count;
    struct entries E = {
        .ptr = lcl_malloc(count + 1, sizeof *E.ptr),
        .col_ptr = lcl_calloc((size_t)C->aggregates + 1, sizeof *E.col_ptr),
        .place = lcl_malloc(count, sizeof *E.place),
        .row = lcl_malloc(count, sizeof *E.row),
        .col = lcl_malloc(count, sizeof *E.col),
    };
    enum lcl_status st;
    if (!E.ptr || !E.col_ptr || !E.place || !E.row || !E.col) {
        st = fail_memory(s);
        goto out;
    }
    place_entries(s, &E);
    if ((st = upload(s, &C->entry_ptr, E.ptr, C->entries + 1)) < 0 ||
        (st = upload(s, &C->entry_row, E.row, C->entries)) < 0 ||
        (st = upload(s, &C->entry_col, E.col, C->entries)) < 0 ||
        (st = upload(s, &C->col_ptr, E.col_ptr, C->aggregates + 1)) < 0)
        goto out;
    st = upload(s, &s->place, E.place, s->pair_count);
out:
    lcl_free(E.col);
    lcl_free(E.row);
    lcl_free(E.place);
    lcl_free(E.col_ptr);
    lcl_free(E.ptr);
    return st;
}

// ------------------------------------------------------------------- order

static enum lcl_status order_runs(struct search *s)
{
    struct lcl_coarse_pattern *C = s->C;
    const enum lcl_status st = create(s, &C->order, C->runs, sizeof(uint32_t));
    if (st < 0)
        return st;
    return LCL_LAUNCH(s->kernels[ORDER_RUNS], C->parts,
                      lcl_arg_buffer(C->part_ptr), lcl_arg_buffer(C->part_agg),
                      lcl_arg_buffer(s->parts), lcl_arg_buffer(C->run_ptr),
                      lcl_arg_buffer(s->leave_ptr), lcl_arg_buffer(C->run_agg),
                      lcl_arg_buffer(s->keys), lcl_arg_buffer(s->pairs),
                      lcl_arg_buffer(s->place), lcl_arg_buffer(C->order));
}

// ------------------------------------------------------------------- all of it

static enum lcl_status find(struct search *s, const int64_t *part_ptr,
                            int64_t most)
{
    enum lcl_status st;
    if ((st = check_size(s)) < 0 || (st = get_kernels(s)) < 0 ||
        (st = allocate(s, part_ptr)) < 0 || (st = survey(s)) < 0 ||
        (st = merge(s, most)) < 0 || (st = upload_aggregates(s)) < 0 ||
        (st = sort_pairs(s)) < 0 || (st = upload_entries(s)) < 0)
        return st;
    return order_runs(s);
}

static void search_finish(struct search *s)
{
    lcl_buffer **const buffers[] = {&s->label, &s->leave_ptr, &s->parts,
                                    &s->keys,  &s->pairs,     &s->place};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
        lcl_buffer_destroy(buffers[i]);
    lcl_free(s->start);
    lcl_free(s->by);
    lcl_free(s->by_row);
    lcl_free(s->col);
    lcl_free(s->row);
    lcl_free(s->pair);
    lcl_free(s->part);
    lcl_free(s->part_agg);
}

enum lcl_status lcl_coarse_pattern_init(struct lcl_coarse_pattern *C,
                                        lcl_context *ctx,
                                        const struct lcl_device_matrix *B,
                                        const int64_t *part_ptr, int64_t parts,
                                        int64_t most)
{
    struct search s = {.ctx = ctx, .B = B, .C = C};
    *C = (struct lcl_coarse_pattern){
        .n = B->block_rows, .parts = parts, .aggregates = parts};
    const enum lcl_status st = find(&s, part_ptr, most);
    search_finish(&s);
    if (st < 0)
        lcl_coarse_pattern_finish(C);
    return st;
}

enum lcl_status lcl_coarse_pattern_find_rows(struct lcl_coarse_pattern *C,
                                             lcl_context *ctx)
{
    const struct lcl_spec spec = spec_of(ctx, "rows_of_runs");
    lcl_kernel *kernel;
    enum lcl_status st;
    if (C->run_row)
        return LCL_OK;
    if ((st = lcl_kernel_get(&kernel, ctx, &spec)) < 0 ||
        (st = lcl_buffer_create(&C->run_row, ctx, C->runs, sizeof(int32_t),
                                "coarse pattern")) < 0)
        return st;
    return LCL_LAUNCH(kernel, lcl_vector_groups(lcl_context_caps(ctx)),
                      lcl_arg_long(C->n), lcl_arg_buffer(C->run_ptr),
                      lcl_arg_buffer(C->run_row));
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
