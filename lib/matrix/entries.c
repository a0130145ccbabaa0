// SPDX-License-Identifier: BSD-3-Clause
// Converts unordered entries to CSR: counting sort by row, then sort by column
// within each row.
#include "lib/matrix/entries.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/matrix/csr.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Rows up to this length are sorted by insertion.
enum { SHORT_ROW = 48 };

// One entry of a long row; `order` keeps the sort stable.
struct item {
    int64_t order;
    double val;
    int32_t col;
};

void lcl_entries_finish(struct lcl_entries *E)
{
    lcl_free(E->at);
    *E = (struct lcl_entries){0};
}

// Whether entry e also represents its mirror image.
static bool has_mirror(const struct lcl_entry *e, enum lcl_symmetry symmetry)
{
    return symmetry != LCL_GENERAL && e->row != e->col;
}

// ------------------------------------------------------------------- rows

// Counting sort by row. The entries are cut into parts; in the array of a part,
// element i counts its entries in row i, then says where the next of them goes.
// The last part uses row_ptr itself.
struct sort {
    const struct lcl_entries *E;
    struct lcl_csr *A;
    enum lcl_symmetry symmetry;
    int64_t parts;
    int64_t *others; // of the other parts, one after the other
};

// As many parts as threads, but no more memory than half of the entries.
static int64_t part_count(const struct lcl_entries *E, int64_t rows)
{
    const int64_t threads = lcl_threads(), most = E->count / rows + 1;
    if (E->count < 2 * LCL_CHUNK_LEAST)
        return 1;
    return threads < most ? threads : most;
}

static int64_t *next_of_part(const struct sort *S, int64_t part)
{
    return part == S->parts - 1 ? S->A->row_ptr : S->others + part * S->A->rows;
}

static void count_part(void *arg, int64_t part)
{
    const struct sort *S = arg;
    const struct lcl_entry *at = S->E->at;
    int64_t *count = next_of_part(S, part);
    const int64_t to = lcl_chunk_start(S->E->count, S->parts, part + 1);
    int64_t k = lcl_chunk_start(S->E->count, S->parts, part);
    for (; k < to; ++k) {
        ++count[at[k].row];
        if (has_mirror(&at[k], S->symmetry))
            ++count[at[k].col];
    }
}

static int64_t start_rows(const struct sort *S)
{
    int64_t start = 0;
    for (int64_t i = 0; i < S->A->rows; ++i)
        for (int64_t p = 0; p < S->parts; ++p) {
            int64_t *next = next_of_part(S, p) + i;
            const int64_t count = *next;
            *next = start;
            start += count;
        }
    return start;
}

static void put(struct lcl_csr *A, int64_t k, int32_t col, double val)
{
    A->col_ind[k] = col;
    A->val[k] = val;
}

static void scatter_part(void *arg, int64_t part)
{
    const struct sort *S = arg;
    const double sign = S->symmetry == LCL_SKEW_SYMMETRIC ? -1 : 1;
    int64_t *next = next_of_part(S, part);
    const int64_t to = lcl_chunk_start(S->E->count, S->parts, part + 1);
    int64_t k = lcl_chunk_start(S->E->count, S->parts, part);
    for (; k < to; ++k) {
        const struct lcl_entry *e = &S->E->at[k];
        put(S->A, next[e->row]++, e->col, e->val);
        if (has_mirror(e, S->symmetry))
            put(S->A, next[e->col]++, e->row, sign * e->val);
    }
}

// Afterwards row_ptr holds the ends of the rows and is shifted.
static enum lcl_status sort_by_row(struct sort *S, const struct lcl_log *log)
{
    struct lcl_csr *A = S->A;
    lcl_parallel(S->parts, count_part, S);
    A->nnz = start_rows(S);
    A->col_ind = lcl_malloc((size_t)A->nnz, sizeof *A->col_ind);
    A->val = lcl_malloc((size_t)A->nnz, sizeof *A->val);
    if (!A->col_ind || !A->val)
        return lcl_fail_memory(log, "the matrix");
    lcl_parallel(S->parts, scatter_part, S);
    memmove(A->row_ptr + 1, A->row_ptr, (size_t)A->rows * sizeof *A->row_ptr);
    A->row_ptr[0] = 0;
    return LCL_OK;
}

// ------------------------------------------------------------------- columns

static void sort_short_row(int32_t *col, double *val, int64_t n)
{
    for (int64_t i = 1; i < n; ++i) {
        const int32_t c = col[i];
        const double v = val[i];
        int64_t k = i;
        for (; k > 0 && col[k - 1] > c; --k) {
            col[k] = col[k - 1];
            val[k] = val[k - 1];
        }
        col[k] = c;
        val[k] = v;
    }
}

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->col != b->col)
        return a->col < b->col ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void sort_long_row(int32_t *col, double *val, int64_t n,
                          struct item *scratch)
{
    for (int64_t k = 0; k < n; ++k)
        scratch[k] = (struct item){k, val[k], col[k]};
    qsort(scratch, (size_t)n, sizeof *scratch, compare_items);
    for (int64_t k = 0; k < n; ++k) {
        col[k] = scratch[k].col;
        val[k] = scratch[k].val;
    }
}

static bool ascends(const int32_t *col, int64_t n)
{
    for (int64_t k = 1; k < n; ++k)
        if (col[k - 1] > col[k])
            return false;
    return true;
}

static bool has_equal(const int32_t *col, int64_t n)
{
    uint32_t equal = 0;
    for (int64_t k = 1; k < n; ++k)
        equal |= col[k - 1] == col[k];
    return equal != 0;
}

static int64_t longest_row(const struct lcl_csr *A, int64_t first, int64_t last)
{
    int64_t longest = 0;
    for (int64_t i = first; i < last; ++i) {
        const int64_t n = A->row_ptr[i + 1] - A->row_ptr[i];
        longest = n > longest ? n : longest;
    }
    return longest;
}

// Files are usually sorted by row or by column; then the rows arrive here
// already in order. Sets whether rows first to last-1 have duplicates.
static enum lcl_status sort_rows(struct lcl_csr *A, int64_t first, int64_t last,
                                 bool *has_duplicates)
{
    struct item *scratch = NULL;
    for (int64_t i = first; i < last; ++i) {
        const int64_t n = A->row_ptr[i + 1] - A->row_ptr[i];
        int32_t *col = A->col_ind + A->row_ptr[i];
        double *val = A->val + A->row_ptr[i];
        const bool in_order = ascends(col, n);
        if (!in_order && n > SHORT_ROW && !scratch) {
            const size_t longest = (size_t)longest_row(A, i, last);
            scratch = lcl_malloc(longest, sizeof *scratch);
            if (!scratch)
                return LCL_ENOMEM;
        }
        if (!in_order && n <= SHORT_ROW)
            sort_short_row(col, val, n);
        else if (!in_order)
            sort_long_row(col, val, n, scratch);
        *has_duplicates = *has_duplicates || has_equal(col, n);
    }
    lcl_free(scratch);
    return LCL_OK;
}

// Chunks of rows with about the same number of entries.
struct order {
    struct lcl_csr *A;
    int64_t chunks;
    enum lcl_status status[LCL_CHUNKS_MAX];
    bool has_duplicates[LCL_CHUNKS_MAX];
};

static int64_t first_row(const struct order *O, int64_t chunk)
{
    const struct lcl_csr *A = O->A;
    if (chunk == 0 || chunk == O->chunks)
        return chunk == 0 ? 0 : A->rows;
    return lcl_csr_row_of(A, lcl_chunk_start(A->nnz, O->chunks, chunk));
}

static void sort_chunk(void *arg, int64_t chunk)
{
    struct order *O = arg;
    O->status[chunk] =
        sort_rows(O->A, first_row(O, chunk), first_row(O, chunk + 1),
                  &O->has_duplicates[chunk]);
}

// Sums equal columns of each row in place. A duplicate has two images in a
// symmetric matrix; only the one in the lower triangle is counted.
static int64_t sum_duplicates(struct lcl_csr *A, enum lcl_symmetry symmetry)
{
    int64_t out = 0, duplicates = 0;
    for (int64_t i = 0, next = 0; i < A->rows; ++i) {
        const int64_t start = out;
        int64_t k = next;
        next = A->row_ptr[i + 1];
        for (; k < next; ++k) {
            const int32_t col = A->col_ind[k];
            if (out > start && A->col_ind[out - 1] == col) {
                A->val[out - 1] += A->val[k];
                duplicates += symmetry == LCL_GENERAL || col <= i;
                continue;
            }
            A->col_ind[out] = col;
            A->val[out++] = A->val[k];
        }
        A->row_ptr[i + 1] = out;
    }
    A->nnz = out;
    return duplicates;
}

enum lcl_status lcl_csr_order(struct lcl_csr *A, enum lcl_symmetry symmetry,
                              int64_t *duplicates, const struct lcl_log *log)
{
    struct order O = {.A = A, .chunks = lcl_chunks(A->nnz)};
    bool has_duplicates = false;
    lcl_parallel(O.chunks, sort_chunk, &O);
    for (int64_t c = 0; c < O.chunks; ++c) {
        if (O.status[c] < 0)
            return lcl_fail_memory(log, "the sort of a row");
        has_duplicates = has_duplicates || O.has_duplicates[c];
    }
    *duplicates = has_duplicates ? sum_duplicates(A, symmetry) : 0;
    return LCL_OK;
}

enum lcl_status lcl_csr_from_entries(struct lcl_csr *A,
                                     const struct lcl_entries *E,
                                     enum lcl_symmetry symmetry,
                                     int64_t *duplicates,
                                     const struct lcl_log *log)
{
    struct sort S = {
        .E = E, .A = A, .symmetry = symmetry, .parts = part_count(E, A->rows)};
    A->row_ptr = lcl_calloc((size_t)A->rows + 1, sizeof *A->row_ptr);
    if (S.parts > 1)
        S.others = lcl_calloc((size_t)(S.parts - 1) * (size_t)A->rows,
                              sizeof *S.others);
    enum lcl_status st;
    if (!A->row_ptr || (S.parts > 1 && !S.others))
        st = lcl_fail_memory(log, "the row pointers");
    else
        st = sort_by_row(&S, log);
    lcl_free(S.others);
    return st < 0 ? st : lcl_csr_order(A, symmetry, duplicates, log);
}
