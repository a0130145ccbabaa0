// SPDX-License-Identifier: BSD-3-Clause
// Reference of the coarse correction, by its definition.
#include "lib/ref/coarse.h"

#include "host/alloc.h"
#include "lib/dense/host_inverse.h"

// The coarse unknown of row i: the column of Z with a 1 in row i.
static int64_t unknown_of(const struct lcl_ref_coarse *C, int64_t i)
{
    return (int64_t)C->label[i / C->block] * C->block + i % C->block;
}

// E = Z^T A Z
static void assemble(const struct lcl_ref_coarse *C, double *E)
{
    const struct lcl_csr *A = C->A;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            E[unknown_of(C, i) * C->rows + unknown_of(C, A->col_ind[k])] +=
                A->val[k];
}

enum lcl_status lcl_ref_coarse_init(struct lcl_ref_coarse *C,
                                    const struct lcl_csr *A,
                                    const int32_t *label, int64_t aggregates,
                                    int block)
{
    const size_t n = (size_t)A->rows, rows = (size_t)(aggregates * block);
    enum lcl_status st = LCL_ENOMEM;
    *C = (struct lcl_ref_coarse){
        .A = A,
        .label = label,
        .block = block,
        .rows = (int64_t)rows,
        .inverse = lcl_calloc(rows * rows, sizeof(double)),
        .t = lcl_calloc(rows, sizeof(double)),
        .e = lcl_calloc(rows, sizeof(double)),
        .y = lcl_calloc(n, sizeof(double)),
        .z = lcl_calloc(n, sizeof(double)),
    };
    double *E = lcl_calloc(rows * rows, sizeof *E);
    if (E && C->inverse && C->t && C->e && C->y && C->z) {
        assemble(C, E);
        st = lcl_host_inverse(C->inverse, E, C->rows, C->rows, &C->pinned);
    }
    lcl_free(E);
    if (st < 0)
        lcl_ref_coarse_finish(C);
    return st;
}

void lcl_ref_coarse_finish(struct lcl_ref_coarse *C)
{
    lcl_free(C->inverse);
    lcl_free(C->t);
    lcl_free(C->e);
    lcl_free(C->y);
    lcl_free(C->z);
    *C = (struct lcl_ref_coarse){0};
}

void lcl_ref_coarse_start(struct lcl_ref_coarse *C, const double *b, double *x)
{
    for (int64_t q = 0; q < C->rows; ++q)
        C->t[q] = 0;
    for (int64_t i = 0; i < C->A->rows; ++i)
        C->t[unknown_of(C, i)] += b[i];
    for (int64_t q = 0; q < C->rows; ++q) {
        C->e[q] = 0;
        for (int64_t p = 0; p < C->rows; ++p)
            C->e[q] += C->inverse[q * C->rows + p] * C->t[p];
    }
    for (int64_t i = 0; i < C->A->rows; ++i)
        x[i] = C->e[unknown_of(C, i)];
}

// y = r - A z
static void residual(struct lcl_ref_coarse *C, const double *r, const double *z)
{
    lcl_csr_multiply(C->A, z, C->y);
    for (int64_t i = 0; i < C->A->rows; ++i)
        C->y[i] = r[i] - C->y[i];
}

static void add(const struct lcl_ref_coarse *C, double *x)
{
    for (int64_t i = 0; i < C->A->rows; ++i)
        x[i] += C->z[i];
}

void lcl_ref_coarse_add(struct lcl_ref_coarse *C, const struct lcl_ref_inner *M,
                        const double *r, double *x)
{
    M->apply(M->user, r, x);
    lcl_ref_coarse_start(C, r, C->z);
    add(C, x);
}

void lcl_ref_coarse_mult(struct lcl_ref_coarse *C,
                         const struct lcl_ref_inner *M, const double *r,
                         double *x)
{
    lcl_ref_coarse_start(C, r, C->z);
    residual(C, r, C->z);
    M->apply(M->user, C->y, x);
    add(C, x);
}

void lcl_ref_coarse_deflated(struct lcl_ref_coarse *C,
                             const struct lcl_ref_inner *M, const double *r,
                             double *x)
{
    M->apply(M->user, r, x);
    residual(C, r, x);
    lcl_ref_coarse_start(C, C->y, C->z);
    add(C, x);
}
