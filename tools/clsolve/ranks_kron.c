// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems in several processes: each has its block rows, or has
// generated the system as a whole and takes them.
#include "tools/clsolve/ranks.h"

#include <inttypes.h>
#include <stdlib.h>

enum lcl_status ranks_share_kron(struct job *job)
{
    const struct lcl_kron *K = &job->kron.K;
    const int b = K->M->block_size;
    struct ranks *R = job->ranks;
    struct lcl_rows *rows = &R->rows;
    if (K->M->rows < R->size)
        return messages_fail(&job->messages, LCL_EINVAL,
                             "%s: %d processes for %" PRId64
                             " blocks of rows: expected at most one process "
                             "for each",
                             job_title(job), R->size, K->M->rows);
    lcl_rows_share(K->M->rows * b, b, R->rank, R->size, &rows->first,
                   &rows->rows);
    rows->total = K->M->rows * b;
    R->start = rows->first;
    R->stages = K->stages;
    R->blocks = (struct job_blocks){K->M->nnz, K->L->nnz};
    job->unknowns = K->stages * rows->total;
    return LCL_OK;
}

// ---------------------------------------------------------------- files

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int ranks_common_cut(int64_t total, int ranks)
{
    int64_t cut = 1;
    for (int b = 2; b <= LCL_BLOCK_MAX; ++b) {
        const int64_t next = cut / common_divisor(cut, b) * b;
        if (total % b == 0 && total / next >= ranks)
            cut = next;
    }
    return (int)cut;
}

enum lcl_status ranks_csr_of(struct job *job, struct lcl_csr *A,
                             const struct lcl_rows *R)
{
    const int64_t nnz = R->row_ptr[R->rows];
    *A = (struct lcl_csr){.rows = R->rows,
                          .cols = R->total,
                          .nnz = nnz,
                          .row_ptr = R->row_ptr,
                          .val = R->val};
    if (R->total > INT32_MAX)
        return messages_fail(&job->messages, LCL_ERANGE,
                             "%" PRId64 " rows of a stage: expected at most %d",
                             R->total, INT32_MAX);
    A->col_ind = malloc((size_t)(nnz > 0 ? nnz : 1) * sizeof *A->col_ind);
    if (!A->col_ind)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the rows of a rank");
    for (int64_t k = 0; k < nnz; ++k)
        A->col_ind[k] = (int32_t)R->col[k];
    return LCL_OK;
}

// ---------------------------------------------------------------- block rows

static bool cut(struct lcl_rows *R, const struct lcl_bsr *A,
                const struct ranks *ranks)
{
    const int b = A->block_size;
    const int64_t first = ranks->start / b, rows = ranks->rows.rows / b;
    const int64_t start = A->row_ptr[first];
    const int64_t blocks = A->row_ptr[first + rows] - start;
    *R = (struct lcl_rows){
        .total = A->cols, .first = ranks->rows.first / b, .rows = rows};
    R->row_ptr = malloc(((size_t)rows + 1) * sizeof *R->row_ptr);
    R->col = malloc((size_t)(blocks > 0 ? blocks : 1) * sizeof *R->col);
    R->val = A->val + start * b * b;
    if (!R->row_ptr || !R->col)
        return false;
    for (int64_t i = 0; i <= rows; ++i)
        R->row_ptr[i] = A->row_ptr[first + i] - start;
    for (int64_t k = 0; k < blocks; ++k)
        R->col[k] = A->col_ind[start + k];
    return true;
}

enum lcl_status ranks_cut_kron(struct job *job, struct ranks_kron *part)
{
    const struct lcl_kron *K = &job->kron.K;
    *part = (struct ranks_kron){.K = {K->stages, K->A, K->B, K->tau,
                                      K->M->block_size, &part->M, &part->L}};
    return cut(&part->M, K->M, job->ranks) && cut(&part->L, K->L, job->ranks)
               ? LCL_OK
               : messages_fail(&job->messages, LCL_ENOMEM,
                               "out of memory: no room for block rows");
}

static void finish(struct lcl_rows *R)
{
    R->val = NULL; // the system's
    free(R->row_ptr);
    free(R->col);
}

void ranks_finish_kron(struct ranks_kron *part)
{
    finish(&part->M);
    finish(&part->L);
}

// ---------------------------------------------------------------- products

static double sum(const double *x, int count)
{
    double all = 0;
    for (int j = 0; j < count; ++j)
        all += x[j];
    return all;
}

static double sum_row(const struct lcl_bsr *A, int64_t row)
{
    const int b = A->block_size;
    const int64_t i = row / b;
    double all = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        all += sum(A->val + (k * b + row % b) * b, b);
    return all;
}

void ranks_multiply_ones_kron(const struct ranks *R, const struct lcl_kron *K,
                              double *y)
{
    const int64_t n = R->rows.rows;
    const int s = K->stages;
    for (int64_t i = 0; i < n; ++i) {
        const double m = sum_row(K->M, R->start + i);
        const double l = sum_row(K->L, R->start + i);
        for (int j = 0; j < s; ++j)
            y[j * n + i] =
                sum(K->A + j * s, s) * m + K->tau * sum(K->B + j * s, s) * l;
    }
}
