// SPDX-License-Identifier: BSD-3-Clause
// A Krylov basis on the device and the passes of GMRES over it; the kernels are
// in cl/krylov/gmres.cl, gmres_step.cl and gmres_modified.cl.
#pragma once

#include "cl/krylov/gmres_state.cl.h"
#include "host/buffer.h"
#include "host/program.h"
#include "lib/vector/operands.h"
#include "lib/vector/space.h"

#include <levelcl/solver.h>

// Kernels of gmres.cl for chunks of 8, 16 and 32 columns; at width 1 one set
// handles all columns at once.
enum { LCL_ARNOLDI_SIZES = 3 };
struct lcl_arnoldi_kernels {
    lcl_kernel *dots, *dots_keep, *orthogonalise, *sum, *extend;
};

// V and Z have m columns of ld values, fp64 or fp32 depending on `storage`.
struct lcl_arnoldi {
    struct lcl_space space;
    int64_t n, ld;
    int m;
    enum lcl_basis_storage storage;
    enum lcl_orthogonalisation orthogonalisation;
    bool flexible;
    int groups; // of all kernels except the small ones
    int chunk;  // maximum number of columns per launch
    struct lcl_arnoldi_kernels pass[LCL_ARNOLDI_SIZES];
    lcl_kernel *begin, *reduce, *step, *solve, *add;
    lcl_kernel *modified;     // of modified Gram-Schmidt, or NULL
    lcl_buffer *V, *Z;        // Z: M^-1 V if flexible
    lcl_buffer *v, *w;        // the last column in fp64; A M^-1 v
    lcl_buffer *h;            // scalars, see gmres_state.cl.h
    lcl_buffer *rows;         // partial sums: m + 1 rows, one sum per group
    lcl_buffer *state, *stop; // owned by the caller, set after
                              // lcl_arnoldi_init()
};

// Device memory of a basis of m columns, in bytes.
uint64_t lcl_arnoldi_bytes(int64_t n, int m, enum lcl_basis_storage storage,
                           bool flexible);

// For vectors of the space V; m is at least 1 and at most V->total and
// LCL_GMRES_MAX_RESTART. Returns LCL_OK,
// LCL_EDEVMEM (the basis cannot fit; checked before any allocation),
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *A is fit for lcl_arnoldi_finish() in
// any case.
enum lcl_status lcl_arnoldi_init(struct lcl_arnoldi *A,
                                 const struct lcl_space *V, int m,
                                 enum lcl_basis_storage storage,
                                 enum lcl_orthogonalisation method,
                                 bool flexible);
void lcl_arnoldi_finish(struct lcl_arnoldi *A);

// Computes v and column 0 from r after `it` iterations. The second half of
// `sums`, `groups` partial sums per half, adds up to ||r||^2.
enum lcl_status lcl_arnoldi_begin(const struct lcl_arnoldi *A, int it,
                                  double limit, int groups,
                                  const lcl_buffer *sums, const lcl_buffer *r);

// Computes column j of R from w, and residual it + 1; then v, column j + 1 of
// V, unless j + 1 = m. z is M^-1 v, kept if A is flexible. Kernels up to
// gmres_step check stopping flag `before`, those after it `after`.
enum lcl_status lcl_arnoldi_step(const struct lcl_arnoldi *A, int it, int j,
                                 double limit, const lcl_buffer *z, int before,
                                 int after);

// y = R^-1 g for the k columns computed so far.
enum lcl_status lcl_arnoldi_solve(const struct lcl_arnoldi *A, int k,
                                  const lcl_buffer *stop, int at);
// v->y = B y, or v->y + B y if `keep` is set, for k columns of B = v->x: V or
// Z.
enum lcl_status lcl_arnoldi_combine(const struct lcl_arnoldi *A, int k,
                                    bool keep, const struct lcl_operands *v);
