// SPDX-License-Identifier: BSD-3-Clause
// Overlap of subdomains: breadth-first search from the rows of each part.
#include "lib/partition/overlap.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct lcl_subdomains *in;
    const struct lcl_csr *A;
    struct lcl_subdomains *out;
    int64_t capacity;  // of out->row and out->owned
    int32_t *seen_by;  // n: the last part, counted from 1, with the row
    int32_t *added;    // n: rows added to the current part
    int64_t additions; // their number
    const struct lcl_log *log;
};

// ------------------------------------------------------------------- growth

// Makes space for `rows` more rows after the first `used` ones of s->out.
static enum lcl_status reserve(struct search *s, int64_t used, int64_t rows)
{
    const int64_t needed = used + rows;
    if (needed > INT32_MAX)
        return lcl_fail(s->log, LCL_ERANGE,
                        "the overlapping subdomains have more than %lld rows "
                        "in all; use fewer layers",
                        (long long)INT32_MAX);
    if (needed <= s->capacity)
        return LCL_OK;
    const int64_t capacity =
        needed > 2 * s->capacity ? needed : 2 * s->capacity;
    int32_t *row =
        lcl_realloc(s->out->row, (size_t)capacity, sizeof *s->out->row);
    if (row)
        s->out->row = row;
    uint8_t *owned = lcl_realloc(s->out->owned, (size_t)capacity, 1);
    if (owned)
        s->out->owned = owned;
    if (!row || !owned)
        return lcl_fail_memory(s->log, "the overlapping subdomains");
    s->capacity = capacity;
    return LCL_OK;
}

// ------------------------------------------------------------------- search

// Adds the columns of row i that the part, numbered from 1, does not contain
// yet.
static void add_columns(struct search *s, int32_t part, int32_t i)
{
    const struct lcl_csr *A = s->A;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int32_t j = A->col_ind[k];
        if (s->seen_by[j] == part)
            continue;
        s->seen_by[j] = part;
        s->added[s->additions++] = j;
    }
}

// Fills s->added; each layer starts from the rows that the layer before added.
static void search_layers(struct search *s, int64_t p, int layers)
{
    const struct lcl_subdomains *in = s->in;
    const int32_t part = (int32_t)p + 1;
    s->additions = 0;
    if (layers == 0)
        return;
    for (int64_t i = in->part_ptr[p]; i < in->part_ptr[p + 1]; ++i)
        s->seen_by[in->row[i]] = part;
    for (int64_t i = in->part_ptr[p]; i < in->part_ptr[p + 1]; ++i)
        add_columns(s, part, in->row[i]);
    int64_t from = 0, to = s->additions;
    for (int layer = 1; layer < layers && from < to; ++layer) {
        for (; from < to; ++from)
            add_columns(s, part, s->added[from]);
        to = s->additions;
    }
}

// Merges the rows of part p and the added rows, in ascending order, to place
// `at` and following.
static void merge_rows(struct search *s, int64_t p, int64_t at)
{
    const struct lcl_subdomains *in = s->in;
    int64_t i = in->part_ptr[p], k = 0;
    lcl_sort_int32(s->added, s->additions);
    while (i < in->part_ptr[p + 1] || k < s->additions) {
        const bool old = k == s->additions ||
                         (i < in->part_ptr[p + 1] && in->row[i] < s->added[k]);
        s->out->owned[at] = old && (!in->owned || in->owned[i]);
        s->out->row[at++] = old ? in->row[i++] : s->added[k++];
    }
}

static enum lcl_status extend_parts(struct search *s, int layers)
{
    const int64_t *part_ptr = s->in->part_ptr;
    int64_t *out_ptr = s->out->part_ptr;
    enum lcl_status st = reserve(s, 0, lcl_subdomains_rows(s->in));
    for (int64_t p = 0; p < s->in->parts && st == LCL_OK; ++p) {
        search_layers(s, p, layers);
        const int64_t rows = part_ptr[p + 1] - part_ptr[p] + s->additions;
        out_ptr[p + 1] = out_ptr[p] + rows;
        if ((st = reserve(s, out_ptr[p], rows)) == LCL_OK)
            merge_rows(s, p, out_ptr[p]);
    }
    return st;
}

enum lcl_status lcl_subdomains_overlap(struct lcl_subdomains *out,
                                       const struct lcl_subdomains *in,
                                       const struct lcl_csr *A, int layers,
                                       const struct lcl_log *log)
{
    struct search s = {.in = in, .A = A, .out = out, .log = log};
    enum lcl_status st;
    *out = (struct lcl_subdomains){0};
    if (layers < 0)
        return lcl_fail(log, LCL_EINVAL, "%d layers of overlap, expected >= 0",
                        layers);
    out->n = in->n;
    out->parts = in->parts;
    out->weighted = in->weighted;
    out->part_ptr = lcl_calloc((size_t)in->parts + 1, sizeof *out->part_ptr);
    s.seen_by = lcl_calloc((size_t)in->n, sizeof *s.seen_by);
    s.added = lcl_malloc((size_t)in->n, sizeof *s.added);
    st = out->part_ptr && s.seen_by && s.added
             ? extend_parts(&s, layers)
             : lcl_fail_memory(log, "the overlapping subdomains");
    lcl_free(s.seen_by);
    lcl_free(s.added);
    if (st < 0) {
        lcl_subdomains_finish(out);
    } else if (!in->owned &&
               lcl_subdomains_rows(out) == lcl_subdomains_rows(in)) {
        lcl_free(out->owned);
        out->owned = NULL;
    }
    return st;
}
