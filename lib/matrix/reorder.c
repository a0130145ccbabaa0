// SPDX-License-Identifier: BSD-3-Clause
// Symmetric permutation of a matrix (Mehta et al., Algorithm 3.2).
#include "lib/matrix/csr.h"

#include "host/alloc.h"
#include "host/log.h"

#include <stdlib.h>

// An entry of one row: new column in the high half, position in A's row in the
// low half, so that sorting the keys sorts the row.
typedef uint64_t entry_key;

enum { SHORT_ROW = 48 }; // insertion sort is faster up to about here

static int ascending(const void *a, const void *b)
{
    const entry_key x = *(const entry_key *)a, y = *(const entry_key *)b;
    return (x > y) - (x < y);
}

static void sort(entry_key *key, size_t count)
{
    if (count > SHORT_ROW) {
        qsort(key, count, sizeof *key, ascending);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        const entry_key taken = key[i];
        size_t hole = i;
        for (; hole > 0 && key[hole - 1] > taken; --hole)
            key[hole] = key[hole - 1];
        key[hole] = taken;
    }
}

static int64_t row_length(const struct lcl_csr *A, int64_t i)
{
    return A->row_ptr[i + 1] - A->row_ptr[i];
}

static int64_t longest_row(const struct lcl_csr *A)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < A->rows; ++i)
        if (row_length(A, i) > longest)
            longest = row_length(A, i);
    return longest;
}

// Row i of B = row `old` of A with renumbered columns, sorted.
static void reorder_row(struct lcl_csr *B, int64_t *map, entry_key *key,
                        int64_t i, const struct lcl_csr *A, int64_t old,
                        const int32_t *inverse)
{
    const int64_t from = A->row_ptr[old], to = B->row_ptr[i];
    const int64_t length = row_length(A, old);
    for (int64_t k = 0; k < length; ++k)
        key[k] = (entry_key)inverse[A->col_ind[from + k]] << 32 | (uint64_t)k;
    sort(key, (size_t)length);
    for (int64_t k = 0; k < length; ++k) {
        const int64_t source = from + (int64_t)(key[k] & UINT32_MAX);
        B->col_ind[to + k] = (int32_t)(key[k] >> 32);
        if (A->val)
            B->val[to + k] = A->val[source];
        map[to + k] = source;
    }
    B->row_ptr[i + 1] = to + length;
}

void lcl_permutation_invert(int32_t *inverse, const int32_t *perm, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        inverse[perm[i]] = (int32_t)i;
}

enum lcl_status lcl_csr_reorder(struct lcl_csr *B, int64_t **map,
                                const struct lcl_csr *A, const int32_t *perm,
                                const struct lcl_log *log)
{
    const size_t n = (size_t)A->rows, nnz = (size_t)A->nnz;
    struct lcl_csr C = {
        .rows = A->rows,
        .cols = A->cols,
        .nnz = A->nnz,
        .row_ptr = lcl_calloc(n + 1, sizeof *C.row_ptr),
        .col_ind = lcl_malloc(nnz, sizeof *C.col_ind),
        .val = A->val ? lcl_malloc(nnz, sizeof *C.val) : NULL,
    };
    int64_t *from = lcl_malloc(nnz, sizeof *from);
    int32_t *inverse = lcl_malloc(n, sizeof *inverse); // old -> new
    entry_key *key = lcl_malloc((size_t)longest_row(A), sizeof *key);
    enum lcl_status st = LCL_OK;
    *B = (struct lcl_csr){0};
    *map = NULL;
    if (!C.row_ptr || !C.col_ind || (A->val && !C.val) || !from || !inverse ||
        !key) {
        st = lcl_fail_memory(log, "the reordered matrix");
        goto out;
    }
    lcl_permutation_invert(inverse, perm, A->rows);
    for (int64_t i = 0; i < A->rows; ++i)
        reorder_row(&C, from, key, i, A, perm[i], inverse);
    *B = C;
    *map = from;
    C = (struct lcl_csr){0};
    from = NULL;
out:
    lcl_free(key);
    lcl_free(inverse);
    lcl_free(from);
    lcl_free(C.val);
    lcl_free(C.col_ind);
    lcl_free(C.row_ptr);
    return st;
}
