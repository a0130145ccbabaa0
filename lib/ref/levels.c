// SPDX-License-Identifier: BSD-3-Clause
// Reference of the level assignment (Mehta et al., Algorithm 4.2) and of the
// resulting order.
#include "lib/ref/levels.h"

#include "host/alloc.h"

#include <stdlib.h>
#include <string.h>

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Settles the level of row i, once the rows before it (`up`: after it) have
// theirs: its level exceeds theirs for each entry in their columns; the row
// then raises the levels of the rows after it for each entry in their columns.
static int32_t settle_row(const struct lcl_csr *B, int64_t i, int64_t first,
                          int64_t last, bool up, int32_t *level)
{
    int32_t own = level[i - first];
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
        const int64_t j = B->col_ind[k];
        if (j >= first && j < last && (up ? j > i : j < i))
            own = larger(own, level[j - first] + 1);
    }
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
        const int64_t j = B->col_ind[k];
        if (j >= first && j < last && (up ? j < i : j > i))
            level[j - first] = larger(level[j - first], own + 1);
    }
    return level[i - first] = own;
}

static int32_t find_levels(const struct lcl_csr *B, int64_t first, int64_t last,
                           bool up, int32_t *level)
{
    int32_t levels = 0;
    for (int64_t i = first; i < last; ++i)
        level[i - first] = 0;
    for (int64_t k = 0; k < last - first; ++k) {
        const int64_t i = up ? last - 1 - k : first + k;
        levels = larger(levels, settle_row(B, i, first, last, up, level) + 1);
    }
    return levels;
}

int32_t lcl_ref_levels(const struct lcl_csr *B, int64_t first, int64_t last,
                       int32_t *level)
{
    return find_levels(B, first, last, false, level);
}

int32_t lcl_ref_levels_from_the_end(const struct lcl_csr *B, int64_t first,
                                    int64_t last, int32_t *level)
{
    return find_levels(B, first, last, true, level);
}

// ------------------------------------------------------------------- order

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t entries_inside(const struct lcl_csr *B, int64_t i, int64_t first,
                              int64_t last)
{
    int64_t count = 0;
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        count += B->col_ind[k] >= first && B->col_ind[k] < last &&
                 B->col_ind[k] != i;
    return count;
}

// Sort keys of the rows of a subdomain: level, then with `longest` entries
// inside the subdomain descending, then row number.
static void sort_range(uint64_t *key, const int32_t *level,
                       const struct lcl_csr *B, int64_t first, int64_t last,
                       bool longest)
{
    for (int64_t i = first; i < last; ++i) {
        const int64_t entries = longest ? entries_inside(B, i, first, last) : 0;
        const uint64_t shortness =
            entries < UINT16_MAX ? UINT16_MAX - (uint64_t)entries : 0;
        key[i - first] =
            (uint64_t)level[i] << 40 | shortness << 24 | (uint64_t)(i - first);
    }
    qsort(key, (size_t)(last - first), sizeof *key, compare_keys);
}

enum lcl_status lcl_ref_order(struct lcl_subdomains *P, int32_t *level,
                              const struct lcl_csr *B, bool longest)
{
    uint64_t *key = lcl_malloc((size_t)P->n, sizeof *key);
    int32_t *old = lcl_malloc((size_t)P->n, sizeof *old);
    for (int64_t p = 0; p < P->parts && key && old; ++p) {
        const int64_t first = P->part_ptr[p], last = P->part_ptr[p + 1];
        sort_range(key, level, B, first, last, longest);
        memcpy(old, P->row + first, (size_t)(last - first) * sizeof *old);
        for (int64_t i = first; i < last; ++i) {
            const uint64_t k = key[i - first];
            level[i] = (int32_t)(k >> 40);
            P->row[i] = old[k & 0xffffff];
        }
    }
    const bool done = key && old;
    lcl_free(key);
    lcl_free(old);
    return done ? LCL_OK : LCL_ENOMEM;
}
