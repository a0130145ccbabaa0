// SPDX-License-Identifier: BSD-3-Clause
// References of the sparse product and the transpose.
#include "lib/ref/spgemm.h"

#include "host/alloc.h"
#include "lib/matrix/csr.h"

#include <stdbool.h>

// The entries of one row of C, by column.
struct row {
    double *sum;
    bool *present;
};

static void add_row(struct row *w, const struct lcl_csr *A,
                    const struct lcl_csr *B, int64_t i)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        for (int64_t e = B->row_ptr[j]; e < B->row_ptr[j + 1]; ++e) {
            w->present[B->col_ind[e]] = true;
            w->sum[B->col_ind[e]] += A->val[k] * B->val[e];
        }
    }
}

// Appends the row to C, if that has space, and clears it; returns its length.
static int64_t take_row(struct row *w, struct lcl_csr *C, int64_t cols)
{
    int64_t found = 0;
    for (int64_t c = 0; c < cols; ++c) {
        if (!w->present[c])
            continue;
        if (C) {
            C->col_ind[C->nnz] = (int32_t)c;
            C->val[C->nnz++] = w->sum[c];
        }
        ++found;
        w->present[c] = false;
        w->sum[c] = 0;
    }
    return found;
}

static enum lcl_status allocate(struct lcl_csr *C, int64_t rows, int64_t cols,
                                int64_t nnz)
{
    *C = (struct lcl_csr){
        .rows = rows,
        .cols = cols,
        .row_ptr = lcl_calloc((size_t)rows + 1, sizeof *C->row_ptr),
        .col_ind = lcl_malloc((size_t)nnz, sizeof *C->col_ind),
        .val = lcl_malloc((size_t)nnz, sizeof *C->val),
    };
    if (C->row_ptr && C->col_ind && C->val)
        return LCL_OK;
    lcl_csr_finish(C);
    return LCL_ENOMEM;
}

enum lcl_status lcl_ref_spgemm(struct lcl_csr *C, const struct lcl_csr *A,
                               const struct lcl_csr *B)
{
    struct row w = {lcl_calloc((size_t)B->cols, sizeof *w.sum),
                    lcl_calloc((size_t)B->cols, sizeof *w.present)};
    enum lcl_status st = LCL_ENOMEM;
    int64_t nnz = 0;
    *C = (struct lcl_csr){.rows = 0};
    if (w.sum && w.present) {
        for (int64_t i = 0; i < A->rows; ++i) {
            add_row(&w, A, B, i);
            nnz += take_row(&w, NULL, B->cols);
        }
        st = allocate(C, A->rows, B->cols, nnz);
    }
    for (int64_t i = 0; i < A->rows && st == LCL_OK; ++i) {
        add_row(&w, A, B, i);
        take_row(&w, C, B->cols);
        C->row_ptr[i + 1] = C->nnz;
    }
    lcl_free(w.sum);
    lcl_free(w.present);
    return st;
}

enum lcl_status lcl_ref_transpose(struct lcl_csr *T, const struct lcl_csr *A)
{
    const enum lcl_status st = allocate(T, A->cols, A->rows, A->nnz);
    if (st < 0)
        return st;
    for (int64_t c = 0; c < A->cols; ++c) {
        for (int64_t i = 0; i < A->rows; ++i) {
            const int64_t k = lcl_csr_find(A, i, c);
            if (k < 0)
                continue;
            T->col_ind[T->nnz] = (int32_t)i;
            T->val[T->nnz++] = A->val[k];
        }
        T->row_ptr[c + 1] = T->nnz;
    }
    return LCL_OK;
}
