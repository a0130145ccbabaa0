// SPDX-License-Identifier: BSD-3-Clause
// Reference of the slices of sliced.cl.h.
#include "lib/ref/sliced.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/matrix/bsr.h"

// A slice while it is filled.
struct slice {
    const struct lcl_bsr *A;
    int rows;
    int64_t base;
    int64_t near, far; // slots
    int16_t *near_col;
    int32_t *far_col;
    double *val;
};

static int64_t base_of(const struct lcl_bsr *A, int64_t s, int rows)
{
    const int64_t first = s * rows, last = A->cols > 0 ? A->cols - 1 : 0;
    return first < last ? first : last;
}

static bool is_near(int64_t col, int64_t base)
{
    return col - base >= INT16_MIN && col - base <= INT16_MAX;
}

static void count_slots(const struct lcl_bsr *A, int64_t s, int rows,
                        uint32_t count[2])
{
    const int64_t base = base_of(A, s, rows);
    int64_t longest = 0, far = 0;
    for (int64_t i = s * rows; i < (s + 1) * rows && i < A->rows; ++i) {
        const int64_t length = A->row_ptr[i + 1] - A->row_ptr[i];
        int64_t own = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            own += !is_near(A->col_ind[k], base);
        longest = length > longest ? length : longest;
        far = own > far ? own : far;
    }
    count[0] = (uint32_t)(longest - far);
    count[1] = (uint32_t)far;
}

// Stores block k in the slot of a row, or zeros if k is negative.
static void put_values(struct slice *S, int64_t slot, int lane, int64_t k)
{
    const int values = lcl_block_values(S->A);
    for (int e = 0; e < values; ++e)
        S->val[(slot * values + e) * S->rows + lane] =
            k < 0 ? 0 : S->A->val[k * values + e];
}

static void fill_row(struct slice *S, int64_t i, int lane)
{
    const struct lcl_bsr *A = S->A;
    const int64_t from = i < A->rows ? A->row_ptr[i] : 0;
    const int64_t to = i < A->rows ? A->row_ptr[i + 1] : 0;
    int64_t near = 0, far = 0, spare = 0;
    for (int64_t k = from; k < to; ++k) {
        const int32_t col = A->col_ind[k];
        if (is_near(col, S->base) && near < S->near) {
            spare = col - S->base;
            S->near_col[near * S->rows + lane] = (int16_t)spare;
            put_values(S, near++, lane, k);
        } else {
            S->far_col[far * S->rows + lane] = col;
            put_values(S, S->near + far++, lane, k);
        }
    }
    for (; near < S->near; ++near) {
        S->near_col[near * S->rows + lane] = (int16_t)spare;
        put_values(S, near, lane, -1);
    }
    for (; far < S->far; ++far) {
        S->far_col[far * S->rows + lane] =
            from < to ? A->col_ind[from] : (int32_t)S->base;
        put_values(S, S->near + far, lane, -1);
    }
}

static void fill_slice(struct lcl_ref_sliced *L, const struct lcl_bsr *A,
                       int64_t s, int rows)
{
    const uint32_t *at = L->start + 2 * s;
    struct slice S = {
        .A = A,
        .rows = rows,
        .base = base_of(A, s, rows),
        .near = at[2] - at[0],
        .far = at[3] - at[1],
        .near_col = L->near_col + (int64_t)at[0] * rows,
        .far_col = L->far_col + (int64_t)at[1] * rows,
        .val = L->val + ((int64_t)at[0] + at[1]) * rows * lcl_block_values(A),
    };
    for (int lane = 0; lane < rows; ++lane)
        fill_row(&S, s * rows + lane, lane);
}

enum lcl_status lcl_ref_sliced_create(struct lcl_ref_sliced *L,
                                      const struct lcl_bsr *A, int rows,
                                      const struct lcl_log *log)
{
    *L = (struct lcl_ref_sliced){.slices = (A->rows + rows - 1) / rows};
    L->start = lcl_calloc(2 * (size_t)L->slices + 2, sizeof *L->start);
    if (!L->start)
        goto no_memory;
    for (int64_t s = 0; s < L->slices; ++s) {
        uint32_t *at = L->start + 2 * s, count[2];
        count_slots(A, s, rows, count);
        at[2] = at[0] + count[0];
        at[3] = at[1] + count[1];
    }
    const uint32_t *end = L->start + 2 * L->slices;
    const size_t near = (size_t)end[0] * (size_t)rows;
    const size_t far = (size_t)end[1] * (size_t)rows;
    L->near_col = lcl_malloc(near, sizeof *L->near_col);
    L->far_col = lcl_malloc(far, sizeof *L->far_col);
    L->val =
        lcl_malloc((near + far) * (size_t)lcl_block_values(A), sizeof *L->val);
    if (!L->near_col || !L->far_col || !L->val)
        goto no_memory;
    for (int64_t s = 0; s < L->slices; ++s)
        fill_slice(L, A, s, rows);
    return LCL_OK;
no_memory:
    lcl_ref_sliced_finish(L);
    return lcl_fail_memory(log, "slices");
}

void lcl_ref_sliced_finish(struct lcl_ref_sliced *L)
{
    lcl_free(L->val);
    lcl_free(L->far_col);
    lcl_free(L->near_col);
    lcl_free(L->start);
    *L = (struct lcl_ref_sliced){0};
}
