// SPDX-License-Identifier: BSD-3-Clause
// hec_level: level-scheduled solve with a lower triangular matrix in HEC, one
// work-item per row (Chen, Liu, Yang, "Parallel triangular solvers on GPU",
// Algorithm 2):
//     hec_take     the values of the matrix, from those of a factor
//     hec_level    the rows of one level
//     hec_chain    the rows of `levels` levels from `first` on, for levels of
//                  few rows: one launch instead of many
//
// Data:   hec.cl.h. Rows are sorted by level: row j is row i = perm[j] of b and
//         y. They are divided by their diagonals t_jj; the last entry of a row,
//         in CSR, is 1/t_jj:
//             x_j = b_i / t_jj - sum_{k<j} (t_jk / t_jj) x_k,   y_i = x_j
//         Empty slots have column n; x[n] is 0. Level l has the rows
//         level_ptr[l] .. level_ptr[l + 1] - 1. An upper triangular matrix is a
//         lower one, its rows and columns in reverse order.
// Launch: hec_chain one group, the others any number of groups.
// Determinism: bitwise; one sum per row.
// b may be y. If the stopping flag `stop[at]` is nonzero, the solves do
// nothing.
#include "factor.cl.h"
#include "hec.cl.h"

// source[k] is the slot of entry k of the sorted rows, of the last entry of a
// row that of -1/t_jj; LCL_PADDING: t_jj is 1.
WORK_GROUP
kernel void hec_take(long n, global const index_t *restrict row_ptr,
                     global const uint *restrict source,
                     global const double *restrict slot_val,
                     global double *restrict val)
{
    for (RANGE(j, n)) {
        const index_t last = row_ptr[j + 1] - 1;
        for (index_t k = row_ptr[j]; k < last; ++k)
            val[k] = slot_val[source[k]];
        val[last] = source[last] == LCL_PADDING ? 1 : -slot_val[source[last]];
    }
}

struct triangle {
    uint width;
    long stride;
    global const int *ell_col;
    global const double *ell_val;
    global const index_t *csr_ptr;
    global const int *csr_col;
    global const double *csr_val;
    global const int *perm;
};

static inline void solve_row(long j, struct triangle T, global const double *b,
                             global double *x, global double *y)
{
    const index_t last = T.csr_ptr[j + 1] - 1;
    const int i = T.perm[j];
    const double b_i = b[i];
    const double sum = ell_dot(j, T.width, T.stride, T.ell_col, T.ell_val, x) +
                       csr_dot(T.csr_ptr[j], last, T.csr_col, T.csr_val, x);
    x[j] = y[i] = T.csr_val[last] * b_i - sum;
}

WORK_GROUP
kernel void hec_level(global const uint *level_ptr, int first, int levels,
                      uint width, long stride, global const int *ell_col,
                      global const double *ell_val,
                      global const index_t *csr_ptr, global const int *csr_col,
                      global const double *csr_val, global const int *perm,
                      global const double *b, global double *x,
                      global double *y, global const int *stop, int at)
{
    const struct triangle T = {width,   stride,  ell_col, ell_val,
                               csr_ptr, csr_col, csr_val, perm};
    const long from = level_ptr[first];
    if (stop[at])
        return;
    for (RANGE(r, level_ptr[first + 1] - from))
        solve_row(from + r, T, b, x, y);
}

WORK_GROUP
kernel void hec_chain(global const uint *level_ptr, int first, int levels,
                      uint width, long stride, global const int *ell_col,
                      global const double *ell_val,
                      global const index_t *csr_ptr, global const int *csr_col,
                      global const double *csr_val, global const int *perm,
                      global const double *b, global double *x,
                      global double *y, global const int *stop, int at)
{
    const struct triangle T = {width,   stride,  ell_col, ell_val,
                               csr_ptr, csr_col, csr_val, perm};
    if (stop[at])
        return;
    for (int l = first; l < first + levels; ++l) {
        const uint end = level_ptr[l + 1];
        for (uint j = level_ptr[l] + get_local_id(0); j < end; j += LCL_GROUP)
            solve_row(j, T, b, x, y);
        GROUP_BARRIER_GLOBAL();
    }
}
