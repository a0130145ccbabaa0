// SPDX-License-Identifier: BSD-3-Clause
// Reference of the coarse correction, by its definition.
#pragma once

#include <levelcl/matrix.h>

// A has scalar entries; its rows are the `block` components of each block row.
// Block row i is in aggregate label[i], row i in label[i / block].
struct lcl_ref_coarse {
    const struct lcl_csr *A;
    const int32_t *label; // rows / block
    int block;
    int64_t rows;    // coarse unknowns
    double *inverse; // rows x rows: (Z^T A Z)^-1
    int64_t pinned;
    double *t, *e; // rows, scratch
    double *y, *z; // A->rows, scratch
};

// z = M^-1 r
struct lcl_ref_inner {
    void (*apply)(void *user, const double *r, double *z);
    void *user;
};

// C refers to A and label, which must outlive it; aggregates are numbered 0 ..
// aggregates-1. Returns LCL_OK or LCL_ENOMEM; *C is then all zero.
enum lcl_status lcl_ref_coarse_init(struct lcl_ref_coarse *C,
                                    const struct lcl_csr *A,
                                    const int32_t *label, int64_t aggregates,
                                    int block);
void lcl_ref_coarse_finish(struct lcl_ref_coarse *C);

// x = M^-1 r + Z E^-1 Z^T r
void lcl_ref_coarse_add(struct lcl_ref_coarse *C, const struct lcl_ref_inner *M,
                        const double *r, double *x);
// e = E^-1 Z^T r,  x = Z e + M^-1 (r - A Z e)
void lcl_ref_coarse_mult(struct lcl_ref_coarse *C,
                         const struct lcl_ref_inner *M, const double *r,
                         double *x);
// z = M^-1 r,  x = z + Z E^-1 Z^T (r - A z)
void lcl_ref_coarse_deflated(struct lcl_ref_coarse *C,
                             const struct lcl_ref_inner *M, const double *r,
                             double *x);
// x = Z E^-1 Z^T b
void lcl_ref_coarse_start(struct lcl_ref_coarse *C, const double *b, double *x);
