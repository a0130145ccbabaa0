// SPDX-License-Identifier: BSD-3-Clause
// Reference of sparse products and of transposition.
#include "lib/ref/spgemm.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"

#include <math.h>
#include <stdlib.h>

static bool allocate(struct lcl_csr *C, int64_t rows, int64_t cols)
{
    *C = (struct lcl_csr){
        .rows = rows,
        .cols = cols,
        .row_ptr = lcl_calloc((size_t)rows + 1, sizeof *C->row_ptr),
    };
    return C->row_ptr != NULL;
}

static bool allocate_entries(struct lcl_csr *C)
{
    C->nnz = C->row_ptr[C->rows];
    C->col_ind = lcl_malloc((size_t)C->nnz, sizeof *C->col_ind);
    C->val = lcl_calloc((size_t)C->nnz, sizeof *C->val);
    return C->col_ind && C->val;
}

// ------------------------------------------------------------------- product

// Lists the columns of row i of A B that `seen` does not mark with i + 1, and
// marks them; returns their number.
static int64_t list_columns(int32_t *list, int64_t *seen, int64_t i,
                            const struct lcl_csr *A, const struct lcl_csr *B)
{
    int64_t count = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        for (int64_t e = B->row_ptr[j]; e < B->row_ptr[j + 1]; ++e) {
            const int32_t column = B->col_ind[e];
            if (seen[column] == i + 1)
                continue;
            seen[column] = i + 1;
            if (list)
                list[count] = column;
            ++count;
        }
    }
    return count;
}

// c_ij = sum over k of a_ik b_kj for all j; place[j] is the entry of C.
static void multiply_row(struct lcl_csr *C, int64_t *place, int64_t i,
                         const struct lcl_csr *A, const struct lcl_csr *B)
{
    for (int64_t k = C->row_ptr[i]; k < C->row_ptr[i + 1]; ++k)
        place[C->col_ind[k]] = k;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        for (int64_t e = B->row_ptr[j]; e < B->row_ptr[j + 1]; ++e) {
            double *c = &C->val[place[B->col_ind[e]]];
            *c = fma(A->val[k], B->val[e], *c);
        }
    }
}

static void fill_row(struct lcl_csr *C, int64_t *seen, int64_t *place,
                     int64_t i, const struct lcl_csr *A,
                     const struct lcl_csr *B)
{
    int32_t *list = C->col_ind + C->row_ptr[i];
    const int64_t count = list_columns(list, seen, i, A, B);
    lcl_sort_int32(list, count);
    multiply_row(C, place, i, A, B);
}

enum lcl_status lcl_ref_spgemm(struct lcl_csr *C, const struct lcl_csr *A,
                               const struct lcl_csr *B,
                               const struct lcl_log *log)
{
    const size_t cols = (size_t)B->cols;
    int64_t *seen = lcl_calloc(cols, sizeof *seen);
    int64_t *place = lcl_calloc(cols, sizeof *place);
    enum lcl_status st = LCL_ENOMEM;
    if (!allocate(C, A->rows, B->cols) || !seen || !place)
        goto out;
    for (int64_t i = 0; i < A->rows; ++i)
        C->row_ptr[i + 1] = C->row_ptr[i] + list_columns(NULL, seen, i, A, B);
    if (!allocate_entries(C))
        goto out;
    for (size_t j = 0; j < cols; ++j)
        seen[j] = 0;
    for (int64_t i = 0; i < A->rows; ++i)
        fill_row(C, seen, place, i, A, B);
    st = LCL_OK;
out:
    lcl_free(place);
    lcl_free(seen);
    return st < 0 ? lcl_fail_memory(log, "a product of matrices") : st;
}

// ------------------------------------------------------------------- transpose

static void place_rows(struct lcl_csr *T, int64_t *map, int64_t *next,
                       const struct lcl_csr *A)
{
    for (int64_t j = 0; j < A->cols; ++j)
        next[j] = T->row_ptr[j];
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t to = next[A->col_ind[k]]++;
            T->col_ind[to] = (int32_t)i;
            T->val[to] = A->val[k];
            map[to] = k;
        }
}

enum lcl_status lcl_ref_transpose(struct lcl_csr *T, int64_t **map,
                                  const struct lcl_csr *A,
                                  const struct lcl_log *log)
{
    int64_t *next = lcl_malloc((size_t)A->cols, sizeof *next);
    enum lcl_status st = LCL_ENOMEM;
    *map = lcl_malloc((size_t)A->nnz, sizeof **map);
    if (!allocate(T, A->cols, A->rows) || !*map || !next)
        goto out;
    for (int64_t k = 0; k < A->nnz; ++k)
        ++T->row_ptr[A->col_ind[k] + 1];
    for (int64_t j = 0; j < A->cols; ++j)
        T->row_ptr[j + 1] += T->row_ptr[j];
    if (!allocate_entries(T))
        goto out;
    place_rows(T, *map, next, A);
    st = LCL_OK;
out:
    lcl_free(next);
    return st < 0 ? lcl_fail_memory(log, "a transpose") : st;
}

void lcl_ref_transpose_values(double *y, const double *x, const int32_t *map,
                              int64_t n, int block)
{
    for (int64_t k = 0; k < n; ++k)
        for (int r = 0; r < block; ++r)
            for (int c = 0; c < block; ++c)
                y[(k * block + r) * block + c] =
                    x[((int64_t)map[k] * block + c) * block + r];
}
