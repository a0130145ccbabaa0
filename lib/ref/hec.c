// SPDX-License-Identifier: BSD-3-Clause
// Reference of the HEC format, its product and its triangular solve.
#include "lib/ref/hec.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/spmv/hec.h"

static void append(struct lcl_csr *A, int32_t col, double val)
{
    A->col_ind[A->nnz] = col;
    A->val[A->nnz++] = val;
}

// Row i of A: its first entries to the slots, the others to the rest.
static void convert_row(struct lcl_ref_hec *H, const struct lcl_csr *A,
                        int64_t i, int kept, int32_t spare)
{
    const int64_t end = A->row_ptr[i + 1];
    int64_t k = A->row_ptr[i];
    for (int64_t c = 0; c < H->width; ++c) {
        const int64_t slot = c * H->stride + i;
        const int filled = k < end - kept;
        H->ell_col[slot] = filled ? A->col_ind[k] : spare;
        H->ell_val[slot] = filled ? A->val[k] : 0;
        k += filled;
    }
    for (; k < end; ++k)
        append(&H->rest, A->col_ind[k], A->val[k]);
    H->rest.row_ptr[i + 1] = H->rest.nnz;
}

enum lcl_status lcl_ref_hec_create(struct lcl_ref_hec *H,
                                   const struct lcl_csr *A, int64_t width,
                                   int kept, int32_t spare,
                                   const struct lcl_log *log)
{
    const int64_t lines = (A->rows + LCL_HEC_ALIGN - 1) / LCL_HEC_ALIGN;
    const size_t n = (size_t)A->rows, nnz = (size_t)A->nnz;
    const size_t slots = (size_t)(width * lines * LCL_HEC_ALIGN);
    *H = (struct lcl_ref_hec){
        .rows = A->rows,
        .width = width,
        .stride = lines * LCL_HEC_ALIGN,
        .ell_col = lcl_calloc(slots, sizeof *H->ell_col),
        .ell_val = lcl_calloc(slots, sizeof *H->ell_val),
        .rest = {.rows = A->rows,
                 .cols = A->cols,
                 .row_ptr = lcl_calloc(n + 1, sizeof *H->rest.row_ptr),
                 .col_ind = lcl_malloc(nnz, sizeof *H->rest.col_ind),
                 .val = lcl_malloc(nnz, sizeof *H->rest.val)},
    };
    if (!H->ell_col || !H->ell_val || !H->rest.row_ptr || !H->rest.col_ind ||
        !H->rest.val) {
        lcl_ref_hec_finish(H);
        return lcl_fail_memory(log, "a matrix in HEC");
    }
    for (int64_t i = 0; i < A->rows; ++i)
        convert_row(H, A, i, kept, spare);
    return LCL_OK;
}

void lcl_ref_hec_finish(struct lcl_ref_hec *H)
{
    lcl_free(H->ell_col);
    lcl_free(H->ell_val);
    lcl_csr_finish(&H->rest);
    *H = (struct lcl_ref_hec){0};
}

// Row i of the ELL part times x. x has an element for the spare column.
static double ell_dot(const struct lcl_ref_hec *H, int64_t i, const double *x)
{
    double sum = 0;
    for (int64_t c = 0; c < H->width; ++c)
        sum += H->ell_val[c * H->stride + i] * x[H->ell_col[c * H->stride + i]];
    return sum;
}

static double csr_dot(const struct lcl_csr *A, int64_t from, int64_t to,
                      const double *x)
{
    double sum = 0;
    for (int64_t k = from; k < to; ++k)
        sum += A->val[k] * x[A->col_ind[k]];
    return sum;
}

void lcl_ref_hec_solve(const struct lcl_ref_hec *H, const double *b, double *x)
{
    const int64_t *row_ptr = H->rest.row_ptr;
    for (int64_t i = 0; i < H->rows; ++i) {
        const int64_t diagonal = row_ptr[i + 1] - 1;
        x[i] = H->rest.val[diagonal] * b[i] - ell_dot(H, i, x) -
               csr_dot(&H->rest, row_ptr[i], diagonal, x);
    }
}
