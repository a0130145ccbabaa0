// SPDX-License-Identifier: BSD-3-Clause
// The rows of a Kronecker system that belong to one rank.
#include "lib/kron/rows.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/view.h"

#include <inttypes.h>
#include <string.h>

// ------------------------------------------------------------------- checks

struct lcl_kron lcl_kron_rows_coefficients(const struct lcl_kron_rows *K)
{
    return (struct lcl_kron){
        .stages = K->stages, .A = K->A, .B = K->B, .tau = K->tau};
}

static enum lcl_status check_sizes(const struct lcl_kron_rows *K,
                                   const struct lcl_log *log)
{
    const struct lcl_rows *M = K->M, *L = K->L;
    const int64_t each = (int64_t)K->stages * K->block_size;
    if (L->first != M->first || L->rows != M->rows || L->total != M->total)
        return lcl_fail(log, LCL_EFORMAT,
                        "M has %" PRId64 " block rows after %" PRId64
                        " of %" PRId64 ", L has %" PRId64 " after %" PRId64
                        " of %" PRId64 ": expected the same",
                        M->rows, M->first, M->total, L->rows, L->first,
                        L->total);
    if (M->rows > INT32_MAX / each)
        return lcl_fail(log, LCL_ERANGE,
                        "%" PRId64 " rows in all stages on one rank: expected "
                        "at most 2^31 - 1",
                        M->rows * each);
    return LCL_OK;
}

enum lcl_status lcl_kron_rows_check(const struct lcl_kron_rows *K,
                                    const struct lcl_log *log)
{
    const int b = K->block_size;
    enum lcl_status st;
    if (!K->A || !K->B || !K->M || !K->L)
        return lcl_fail(log, LCL_EINVAL, "a matrix of the system is NULL");
    const struct lcl_kron coefficients = lcl_kron_rows_coefficients(K);
    if ((st = lcl_kron_check_stages(&coefficients, log)) < 0)
        return st;
    if (b < 1 || b > LCL_BLOCK_MAX)
        return lcl_fail(log, LCL_EFORMAT, "blocks of %d rows: expected 1 to %d",
                        b, LCL_BLOCK_MAX);
    const struct lcl_view M = lcl_view_of_rows(K->M, b * b);
    const struct lcl_view L = lcl_view_of_rows(K->L, b * b);
    if ((st = lcl_view_check_rank(&M, log)) < 0 ||
        (st = lcl_view_check_rank(&L, log)) < 0)
        return st;
    return check_sizes(K, log);
}

static uint64_t hash_rows(uint64_t h, const struct lcl_rows *R)
{
    for (int64_t i = 0; i <= R->rows; ++i)
        h = lcl_kron_hash(h, (uint64_t)R->row_ptr[i]);
    for (int64_t k = 0; k < R->row_ptr[R->rows]; ++k)
        h = lcl_kron_hash(h, (uint64_t)R->col[k]);
    return h;
}

uint64_t lcl_kron_rows_pattern(const struct lcl_kron_rows *K)
{
    uint64_t h = lcl_kron_hash(LCL_KRON_HASH, (uint64_t)K->stages);
    h = lcl_kron_hash(h, (uint64_t)K->block_size);
    h = lcl_kron_hash(h, (uint64_t)K->M->first);
    return hash_rows(hash_rows(h, K->M), K->L);
}

// ------------------------------------------------------------------- union

// Writes the columns of row i of the union; returns their number.
static int64_t merge_row(int64_t *col, const struct lcl_kron_rows *K, int64_t i)
{
    const struct lcl_rows *M = K->M, *L = K->L;
    int64_t m = M->row_ptr[i], l = L->row_ptr[i], count = 0;
    while (m < M->row_ptr[i + 1] || l < L->row_ptr[i + 1]) {
        const int64_t of_m = m < M->row_ptr[i + 1] ? M->col[m] : INT64_MAX;
        const int64_t of_l = l < L->row_ptr[i + 1] ? L->col[l] : INT64_MAX;
        col[count] = of_m < of_l ? of_m : of_l;
        m += of_m == col[count];
        l += of_l == col[count++];
    }
    return count;
}

enum lcl_status lcl_kron_rows_union(struct lcl_rows *out,
                                    const struct lcl_kron_rows *K,
                                    const struct lcl_log *log)
{
    const struct lcl_rows *M = K->M, *L = K->L;
    const int64_t most = M->row_ptr[M->rows] + L->row_ptr[L->rows];
    *out = (struct lcl_rows){
        .first = M->first,
        .rows = M->rows,
        .total = M->total,
        .row_ptr = lcl_malloc((size_t)M->rows + 1, sizeof *out->row_ptr),
        .col = lcl_malloc((size_t)most, sizeof *out->col),
    };
    if (!out->row_ptr || !out->col)
        return lcl_fail_memory(log, "the pattern of two matrices");
    out->row_ptr[0] = 0;
    for (int64_t i = 0; i < M->rows; ++i)
        out->row_ptr[i + 1] =
            out->row_ptr[i] + merge_row(out->col + out->row_ptr[i], K, i);
    return LCL_OK;
}

// ------------------------------------------------------------------- own
// blocks

static bool is_own(const struct lcl_rows *R, int64_t k)
{
    return R->col[k] >= R->first && R->col[k] < R->first + R->rows;
}

static void list_blocks(struct lcl_own_blocks *own, const struct lcl_rows *R)
{
    struct lcl_bsr *A = &own->A;
    for (int64_t i = 0; i < R->rows; ++i) {
        const int64_t end = R->row_ptr[i + 1];
        int64_t k = R->row_ptr[i];
        while (k < end && R->col[k] < R->first)
            ++k;
        own->start[i] = k;
        A->row_ptr[i] = A->nnz;
        for (; k < end && is_own(R, k); ++k)
            A->col_ind[A->nnz++] = (int32_t)(R->col[k] - R->first);
    }
    A->row_ptr[R->rows] = A->nnz;
}

enum lcl_status lcl_own_blocks_init(struct lcl_own_blocks *own,
                                    const struct lcl_rows *R, int block_size,
                                    const struct lcl_log *log)
{
    struct lcl_bsr *A = &own->A;
    size_t count = 0;
    for (int64_t k = 0; k < R->row_ptr[R->rows]; ++k)
        count += is_own(R, k);
    *A = (struct lcl_bsr){
        .rows = R->rows, .cols = R->rows, .block_size = block_size};
    A->row_ptr = lcl_malloc((size_t)R->rows + 1, sizeof *A->row_ptr);
    A->col_ind = lcl_malloc(count, sizeof *A->col_ind);
    A->val = lcl_malloc(count, (size_t)lcl_block_values(A) * sizeof *A->val);
    own->start = lcl_malloc((size_t)R->rows, sizeof *own->start);
    if (!A->row_ptr || !A->col_ind || !A->val || !own->start)
        return lcl_fail_memory(log, "the blocks of a rank");
    list_blocks(own, R);
    return LCL_OK;
}

void lcl_own_blocks_finish(struct lcl_own_blocks *own)
{
    lcl_bsr_finish(&own->A);
    lcl_free(own->start);
    own->start = NULL;
}

void lcl_own_blocks_fill(struct lcl_own_blocks *own, const double *val)
{
    const struct lcl_bsr *A = &own->A;
    const int64_t values = lcl_block_values(A);
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t blocks = A->row_ptr[i + 1] - A->row_ptr[i];
        if (blocks > 0)
            memcpy(A->val + A->row_ptr[i] * values,
                   val + own->start[i] * values,
                   (size_t)(blocks * values) * sizeof *val);
    }
}
