// SPDX-License-Identifier: BSD-3-Clause
// y = A x for A in HEC, and the conversion from CSR:
//     hec_columns   the columns of both parts; `spare` is that of empty slots
//     hec_values    their values
//     hec_plain ..  the four products as in spmv.cl.h
//
// Data:   hec.cl.h. The lengths of rows in CSR decide how many of their entries
//         are in ELL: csr_ptr is given.
// Launch: any number of groups; one work-item per row.
// Determinism: fixed order for a given number of groups.
#include "hec.cl.h"

// Number of entries of row i that are in ELL.
static inline index_t ell_entries(long i, global const index_t *row_ptr,
                                  global const index_t *csr_ptr)
{
    return (row_ptr[i + 1] - row_ptr[i]) - (csr_ptr[i + 1] - csr_ptr[i]);
}

WORK_GROUP
kernel void hec_columns(long n, uint width, long stride, int spare,
                        global const index_t *restrict row_ptr,
                        global const int *restrict col,
                        global const index_t *restrict csr_ptr,
                        global int *restrict ell_col,
                        global int *restrict csr_col)
{
    for (RANGE(i, n)) {
        const index_t count = ell_entries(i, row_ptr, csr_ptr);
        const index_t first = row_ptr[i], rest = first + count;
        for (uint k = 0; k < width; ++k)
            ell_col[k * stride + i] = k < count ? col[first + k] : spare;
        for (index_t k = csr_ptr[i]; k < csr_ptr[i + 1]; ++k)
            csr_col[k] = col[rest + (k - csr_ptr[i])];
    }
}

WORK_GROUP
kernel void hec_values(long n, uint width, long stride,
                       global const index_t *restrict row_ptr,
                       global const double *restrict val,
                       global const index_t *restrict csr_ptr,
                       global double *restrict ell_val,
                       global double *restrict csr_val)
{
    for (RANGE(i, n)) {
        const index_t count = ell_entries(i, row_ptr, csr_ptr);
        const index_t first = row_ptr[i], rest = first + count;
        for (uint k = 0; k < width; ++k)
            ell_val[k * stride + i] = k < count ? val[first + k] : 0;
        for (index_t k = csr_ptr[i]; k < csr_ptr[i + 1]; ++k)
            csr_val[k] = val[rest + (k - csr_ptr[i])];
    }
}

#define HEC_KERNEL(name, mode)                                                 \
 WORK_GROUP                                                                    \
 kernel void name(                                                             \
     long n, uint width, long stride, global const int *restrict ell_col,      \
     global const double *restrict ell_val,                                    \
     global const index_t *restrict csr_ptr,                                   \
     global const int *restrict csr_col,                                       \
     global const double *restrict csr_val, global const double *restrict x,   \
     global const double *restrict w, global double *restrict y,               \
     global double *restrict sums, global const int *stop, int at)             \
 {                                                                             \
  local double scratch[LCL_GROUP];                                             \
  struct spmv_sums s = {0, 0};                                                 \
  if (stop[at])                                                                \
   return;                                                                     \
  for (RANGE(i, n)) {                                                          \
   const double w_i = spmv_operand(mode, w, i);                                \
   const double dot =                                                          \
       ell_dot(i, width, stride, ell_col, ell_val, x) +                        \
       csr_dot(csr_ptr[i], csr_ptr[i + 1], csr_col, csr_val, x);               \
   spmv_row(mode, i, dot, w_i, y, &s);                                         \
  }                                                                            \
  spmv_finish(mode, s, sums, scratch);                                         \
 }

HEC_KERNEL(hec_plain, MODE_APPLY)
HEC_KERNEL(hec_dot, MODE_APPLY_DOT)
HEC_KERNEL(hec_dot_norm, MODE_APPLY_DOT_NORM)
HEC_KERNEL(hec_residual, MODE_RESIDUAL)
