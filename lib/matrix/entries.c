// SPDX-License-Identifier: BSD-3-Clause
// Converts unordered entries to CSR: counting sort by row, then sort by column
// within each row.
#include "lib/matrix/entries.h"

#include "host/alloc.h"
#include "host/log.h"

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

// row_ptr[i + 1] = number of entries of row i, then the prefix sums.
static void count_rows(struct lcl_csr *A, const struct lcl_entries *E,
                       enum lcl_symmetry symmetry)
{
    for (int64_t k = 0; k < E->count; ++k) {
        ++A->row_ptr[E->at[k].row + 1];
        if (has_mirror(&E->at[k], symmetry))
            ++A->row_ptr[E->at[k].col + 1];
    }
    for (int64_t i = 0; i < A->rows; ++i)
        A->row_ptr[i + 1] += A->row_ptr[i];
    A->nnz = A->row_ptr[A->rows];
}

static void put(struct lcl_csr *A, int32_t row, int32_t col, double val)
{
    const int64_t k = A->row_ptr[row]++;
    A->col_ind[k] = col;
    A->val[k] = val;
}

// row_ptr serves as the cursor of each row and is shifted back at the end.
static void scatter(struct lcl_csr *A, const struct lcl_entries *E,
                    enum lcl_symmetry symmetry)
{
    const double sign = symmetry == LCL_SKEW_SYMMETRIC ? -1 : 1;
    for (int64_t k = 0; k < E->count; ++k) {
        const struct lcl_entry *e = &E->at[k];
        put(A, e->row, e->col, e->val);
        if (has_mirror(e, symmetry))
            put(A, e->col, e->row, sign * e->val);
    }
    memmove(A->row_ptr + 1, A->row_ptr, (size_t)A->rows * sizeof *A->row_ptr);
    A->row_ptr[0] = 0;
}

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

static int64_t longest_row(const struct lcl_csr *A)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t n = A->row_ptr[i + 1] - A->row_ptr[i];
        longest = n > longest ? n : longest;
    }
    return longest;
}

// Files are usually sorted by row or by column; then the rows arrive here
// already in order.
static enum lcl_status sort_rows(struct lcl_csr *A)
{
    const int64_t longest = longest_row(A);
    struct item *scratch = NULL;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t n = A->row_ptr[i + 1] - A->row_ptr[i];
        int32_t *col = A->col_ind + A->row_ptr[i];
        double *val = A->val + A->row_ptr[i];
        if (ascends(col, n))
            continue;
        if (n <= SHORT_ROW) {
            sort_short_row(col, val, n);
            continue;
        }
        if (!scratch)
            scratch = lcl_malloc((size_t)longest, sizeof *scratch);
        if (!scratch)
            return LCL_ENOMEM;
        sort_long_row(col, val, n, scratch);
    }
    lcl_free(scratch);
    return LCL_OK;
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

enum lcl_status lcl_csr_from_entries(struct lcl_csr *A,
                                     const struct lcl_entries *E,
                                     enum lcl_symmetry symmetry,
                                     int64_t *duplicates,
                                     const struct lcl_log *log)
{
    A->row_ptr = lcl_calloc((size_t)A->rows + 1, sizeof *A->row_ptr);
    if (!A->row_ptr)
        return lcl_fail_memory(log, "the row pointers");
    count_rows(A, E, symmetry);
    A->col_ind = lcl_malloc((size_t)A->nnz, sizeof *A->col_ind);
    A->val = lcl_malloc((size_t)A->nnz, sizeof *A->val);
    if (!A->col_ind || !A->val)
        return lcl_fail_memory(log, "the matrix");
    scatter(A, E, symmetry);
    if (sort_rows(A) < 0)
        return lcl_fail_memory(log, "the sort of a row");
    *duplicates = sum_duplicates(A, symmetry);
    return LCL_OK;
}
