// SPDX-License-Identifier: BSD-3-Clause
// Reference of the HEC format (cl/spmv/hec.cl.h), its product and its
// triangular solve.
#pragma once

#include <levelcl/log.h>
#include <levelcl/matrix.h>

struct lcl_ref_hec {
    int64_t rows, width, stride;
    int32_t *ell_col; // width * stride
    double *ell_val;
    struct lcl_csr rest;
};

// Converts A; `kept` entries at the end of each row stay in CSR, `spare` is the
// column of empty slots. Returns LCL_OK or LCL_ENOMEM; *H is then all zero.
enum lcl_status lcl_ref_hec_create(struct lcl_ref_hec *H,
                                   const struct lcl_csr *A, int64_t width,
                                   int kept, int32_t spare,
                                   const struct lcl_log *log);
void lcl_ref_hec_finish(struct lcl_ref_hec *H);

// Solves T x = b, row by row, for H made of a lower triangular T: row i holds
// t_ij / t_ii and ends with 1 / t_ii, which is kept in CSR:
//     x_i = b_i / t_ii - sum_{j<i} (t_ij / t_ii) x_j
// x has an element for the spare column, which is 0.
void lcl_ref_hec_solve(const struct lcl_ref_hec *H, const double *b, double *x);
