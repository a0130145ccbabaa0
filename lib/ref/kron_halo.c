// SPDX-License-Identifier: BSD-3-Clause
// Reference of the boundary rows of a distributed Kronecker operator.
#include "lib/ref/kron_halo.h"

// The elements of a vector with ghosts behind those of x.
struct operand {
    int64_t n;
    struct lcl_ref_stages x, ghost;
};

static double element(const struct operand *in, int64_t block, int64_t b,
                      int64_t c, int64_t stage)
{
    const struct lcl_ref_stages *from = block < in->n ? &in->x : &in->ghost;
    const int64_t i = (block < in->n ? block : block - in->n) * b + c;
    return from->v[i * from->by_row + stage * from->by_stage];
}

// Row q of block row r of T, times a stage.
static double row_times(const struct lcl_bsr *T, int64_t r, int64_t q,
                        const struct operand *in, int64_t stage)
{
    const int64_t b = T->block_size;
    double sum = 0;
    for (int64_t k = T->row_ptr[r]; k < T->row_ptr[r + 1]; ++k)
        for (int64_t c = 0; c < b; ++c)
            sum += T->val[(k * b + q) * b + c] *
                   element(in, T->col_ind[k], b, c, stage);
    return sum;
}

static double result(const struct lcl_kron *K, int64_t r, int64_t q, int j,
                     const struct operand *in)
{
    const int s = K->stages;
    double sum = 0;
    for (int l = 0; l < s; ++l)
        sum += K->A[j * s + l] * row_times(K->M, r, q, in, l) +
               K->tau * K->B[j * s + l] * row_times(K->L, r, q, in, l);
    return sum;
}

void lcl_ref_kron_halo(const struct lcl_kron *K, const int32_t *row, int64_t n,
                       struct lcl_ref_stages x, struct lcl_ref_stages ghost,
                       struct lcl_ref_stages y)
{
    const struct operand in = {n, x, ghost};
    const int64_t b = K->M->block_size;
    for (int64_t r = 0; r < K->M->rows; ++r)
        for (int64_t q = 0; q < b; ++q)
            for (int j = 0; j < K->stages; ++j)
                y.v[(row[r] * b + q) * y.by_row + j * y.by_stage] =
                    result(K, r, q, j, &in);
}
