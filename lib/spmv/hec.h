// SPDX-License-Identifier: BSD-3-Clause
// Matrices in HEC format (cl/spmv/hec.cl.h), and the product with them.
#pragma once

#include "lib/spmv/spmv.h"

// Rows to which the columns of ELL are rounded up.
#define LCL_HEC_ALIGN 32

// How the entries of each row are divided between the two parts.
struct lcl_hec_split {
    int64_t rows;
    int64_t width;    // entries per row in ELL
    int64_t *csr_ptr; // rows + 1
};

// Divides rows of the given lengths. Each row keeps its last `kept` entries in
// CSR, if it has as many: 1 for a lower triangular matrix, whose diagonal stays
// there. `width` 0: as many columns of ELL as a third of the rows have entries
// for. Returns LCL_OK, LCL_EINVAL (width < 0, or more than the longest row can
// fill) or LCL_ENOMEM; *H is fit for lcl_hec_split_finish() in any case.
enum lcl_status lcl_hec_split_init(struct lcl_hec_split *H,
                                   const int64_t *row_ptr, int64_t rows,
                                   int kept, int64_t width,
                                   const struct lcl_log *log);
void lcl_hec_split_finish(struct lcl_hec_split *H);

struct lcl_hec {
    int64_t rows, width, stride;
    lcl_buffer *ell_col, *ell_val; // width * stride
    lcl_buffer *csr_ptr; // rows + 1, of the type of the row pointers of A
    lcl_buffer *csr_col, *csr_val;
    lcl_kernel *values;
};

// Converts the pattern of A, whose entries are single; `spare` is the column of
// empty slots. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or
// LCL_ENOMEM; *H is fit for lcl_hec_finish() in any case.
enum lcl_status lcl_hec_init(struct lcl_hec *H, lcl_context *ctx,
                             const struct lcl_device_matrix *A,
                             const struct lcl_hec_split *split, int32_t spare);
void lcl_hec_finish(struct lcl_hec *H);

// Converts the values of A.
enum lcl_status lcl_hec_update(const struct lcl_hec *H,
                               const struct lcl_device_matrix *A);

uint64_t lcl_hec_bytes(const struct lcl_hec *H);

// lcl_spmv_study() for LCL_SPMV_HEC with a given width of the ELL part; 0: the
// width of lcl_hec_split_init(). Returns LCL_OK, LCL_EINVAL, LCL_EUNSUPPORTED
// (blocks), LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_hec_study(struct lcl_spmv *S, lcl_context *ctx,
                              const struct lcl_device_matrix *A, int width);
