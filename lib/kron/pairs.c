// SPDX-License-Identifier: BSD-3-Clause
// Two block matrices on the union of their patterns.
#include "lib/kron/pairs.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

// ------------------------------------------------------------------- merging

// Position of a merge of one row of both matrices.
struct merge {
    const struct lcl_bsr *M, *L;
    int64_t m, m_end, l, l_end;
};

static struct merge merge_row(const struct lcl_bsr *M, const struct lcl_bsr *L,
                              int64_t i)
{
    return (struct merge){M,
                          L,
                          M->row_ptr[i],
                          M->row_ptr[i + 1],
                          L->row_ptr[i],
                          L->row_ptr[i + 1]};
}

// Moves to the next column of the union; *in_m and *in_l are its blocks, -1 if
// missing. Returns false at the end.
static bool merge_next(struct merge *at, int32_t *column, int64_t *in_m,
                       int64_t *in_l)
{
    const bool m = at->m < at->m_end, l = at->l < at->l_end;
    if (!m && !l)
        return false;
    const int32_t of_m = m ? at->M->col_ind[at->m] : INT32_MAX;
    const int32_t of_l = l ? at->L->col_ind[at->l] : INT32_MAX;
    *column = of_m < of_l ? of_m : of_l;
    *in_m = of_m == *column ? at->m++ : -1;
    *in_l = of_l == *column ? at->l++ : -1;
    return true;
}

static int64_t merged_length(const struct lcl_bsr *M, const struct lcl_bsr *L,
                             int64_t i)
{
    struct merge at = merge_row(M, L, i);
    int64_t in_m, in_l, count = 0;
    int32_t column;
    while (merge_next(&at, &column, &in_m, &in_l))
        ++count;
    return count;
}

// ------------------------------------------------------------------- pattern

int64_t lcl_pairs_count(const struct lcl_bsr *M, const struct lcl_bsr *L)
{
    int64_t count = 0;
    for (int64_t i = 0; i < M->rows; ++i)
        count += merged_length(M, L, i);
    return count;
}

enum lcl_status lcl_pairs_pattern(struct lcl_bsr *out, const struct lcl_bsr *M,
                                  const struct lcl_bsr *L, int64_t count,
                                  const struct lcl_log *log)
{
    int64_t in_m, in_l, k = 0;
    *out = (struct lcl_bsr){
        .rows = M->rows,
        .cols = M->cols,
        .nnz = count,
        .block_size = M->block_size,
        .row_ptr = lcl_malloc((size_t)M->rows + 1, sizeof *out->row_ptr),
        .col_ind = lcl_malloc((size_t)count, sizeof *out->col_ind),
    };
    if (!out->row_ptr || !out->col_ind) {
        lcl_bsr_finish(out);
        return lcl_fail_memory(log, "the pattern of two matrices");
    }
    for (int64_t i = 0; i < M->rows; ++i) {
        struct merge at = merge_row(M, L, i);
        out->row_ptr[i] = k;
        while (merge_next(&at, out->col_ind + k, &in_m, &in_l))
            ++k;
    }
    out->row_ptr[M->rows] = k;
    return LCL_OK;
}

// ------------------------------------------------------------------- values

size_t lcl_pairs_size(const struct lcl_bsr *A)
{
    return 2 * (size_t)lcl_block_values(A) * sizeof *A->val;
}

void lcl_pairs_put(double *out, const struct lcl_bsr *A, int64_t k)
{
    const int values = A->block_size * A->block_size;
    for (int v = 0; v < values; ++v)
        out[2 * v] = k < 0 ? 0 : A->val[k * values + v];
}

void lcl_pairs_fill(void *arg, int64_t first, int64_t count, void *to)
{
    const struct lcl_pairs *P = arg;
    const int64_t pair = 2 * lcl_block_values(P->M), end = first + count;
    int64_t i = lcl_row_of(P->row_ptr, P->M->rows, first), k = P->row_ptr[i];
    double *out = to;
    for (; k < end; ++i) {
        struct merge at = merge_row(P->M, P->L, i);
        int64_t in_m, in_l;
        for (int32_t column; k < end && merge_next(&at, &column, &in_m, &in_l);
             ++k) {
            if (k < first)
                continue;
            lcl_pairs_put(out, P->M, in_m);
            lcl_pairs_put(out + 1, P->L, in_l);
            out += pair;
        }
    }
}
