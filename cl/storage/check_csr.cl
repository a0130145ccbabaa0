// SPDX-License-Identifier: BSD-3-Clause
// Matrices in buffers of the caller:
//     check_csr  sets *bad unless the row pointers ascend from 0 to nnz, the
//                columns of each row ascend within 0 .. cols - 1, and all
//                values are finite; reads no array out of bounds
//     narrow     32-bit copy of n + 1 row pointers
//
// Data:   CSR; the row pointers of narrow have 64 bits.
// Launch: any number of groups; in check_csr 2^shift items per row.
// Determinism: exact.
#include "spmv.cl.h"

static inline bool is_sound(long from, long to, long cols, uint lane,
                            uint lanes, global const int *col,
                            global const double *val)
{
    bool sound = true;
    for (long k = from + lane; sound && k < to; k += lanes)
        sound = col[k] >= 0 && col[k] < cols && isfinite(val[k]) &&
                (k == from || col[k - 1] < col[k]);
    return sound;
}

WORK_GROUP
kernel void check_csr(long rows, long cols, long nnz, int shift,
                      global const index_t *restrict row_ptr,
                      global const int *restrict col,
                      global const double *restrict val,
                      volatile global int *bad)
{
    const uint lanes = 1u << shift;
    for (RANGE(u, rows << shift)) {
        const long i = u >> shift;
        const long from = (long)row_ptr[i], to = (long)row_ptr[i + 1];
        const bool ordered = from >= 0 && from <= to && to <= nnz &&
                             (i > 0 || from == 0) &&
                             (i < rows - 1 || to == nnz);
        if (!ordered ||
            !is_sound(from, to, cols, (uint)u & (lanes - 1), lanes, col, val))
            atomic_or(bad, 1);
    }
}

WORK_GROUP
kernel void narrow(long n, global const long *restrict row_ptr,
                   global uint *restrict out)
{
    for (RANGE(i, n + 1))
        out[i] = (uint)row_ptr[i];
}
