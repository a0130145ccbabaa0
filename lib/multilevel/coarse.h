// SPDX-License-Identifier: BSD-3-Clause
// Coarse correction of a preconditioner on subdomains, piecewise constant on
// aggregates of subdomains (Nicolaides, SIAM J. Numer. Anal. 24 (1987)).
#pragma once

#include "lib/dense/gemv.h"
#include "lib/dense/inverse.h"
#include "lib/multilevel/pattern.h"

#include <levelcl/precond.h>

// How E^-1 = (Z^T A Z)^-1 and the inner M^-1 are combined.
enum lcl_coarse_form {
    LCL_CORRECT_ADD,  // x = M^-1 r + Z E^-1 Z^T r
    LCL_CORRECT_MULT, // A-DEF1: e = E^-1 Z^T r, x = Z e + M^-1 (r - A Z e); not
                      // symmetric
};

struct lcl_coarse_params {
    enum lcl_coarse_form form;
    int block;    // rows and columns of a block, 1 .. 8
    int64_t most; // maximum number of coarse unknowns; 0: chosen for the device
    int tile;     // tile size of the inverse; 0: chosen
    enum lcl_gemv_method gemv;
};

// The inner preconditioner: enqueues x = M^-1 b unless stop[at] is not 0.
struct lcl_inner {
    enum lcl_status (*apply)(void *user, const lcl_buffer *b, lcl_buffer *x,
                             const lcl_buffer *stop, int at);
    void *user;
    bool prolongs; // apply() also adds the prolongation Z e
};

enum lcl_coarse_kernel {
    LCL_COARSE_KERNEL_W,
    LCL_COARSE_KERNEL_E,
    LCL_COARSE_KERNEL_RESTRICT,
    LCL_COARSE_KERNEL_DEFLATE,
    LCL_COARSE_KERNEL_RESIDUAL,
    LCL_COARSE_KERNEL_PROLONG,
    LCL_COARSE_KERNEL_PROLONG_DOT,
    LCL_COARSE_KERNEL_COUNT,
};

struct lcl_coarse_space {
    lcl_context *ctx;
    enum lcl_coarse_form form;
    int block;
    int64_t n, parts, aggregates; // n in block rows
    int64_t rows;                 // number of coarse unknowns
    int64_t runs, values;         // of W and of E
    lcl_kernel *kernels[LCL_COARSE_KERNEL_COUNT];
    int groups;         // of the kernels over vectors
    int64_t row_groups; // of the kernel with one work-item per row
    struct lcl_coarse_pattern pattern;
    lcl_buffer *w;               // `runs` blocks
    lcl_buffer *t, *e, *y;       // Z^T r, E^-1 Z^T r, r - W e
    lcl_buffer *never;           // one int32, 0
    struct lcl_inverse inverse;  // E^-1
    struct lcl_gemv exact, gemv; // for the check, for the apply
    double *host;                // 2 * rows
    int64_t pinned;              // unknowns left out because E is singular
    bool off;                    // E could not be inverted
    int launches;                // per application, without the inner
                                 // preconditioner
};

// Resolves `wanted` for a matrix of `rows` block rows in `parts` subdomains;
// `opposite` is the share of couplings whose sign is opposite to the diagonal.
// AUTO becomes MULT if that is likely to pay off, otherwise NONE.
enum lcl_coarse lcl_coarse_choose(enum lcl_coarse wanted, int64_t parts,
                                  int64_t rows, double opposite);

// Symbolic phase and all allocation. The values of B are not read; subdomain p
// has (block) rows part_ptr[p] .. part_ptr[p+1]-1. Statuses as
// lcl_precond_create(); on error *C is fit for lcl_coarse_finish().
enum lcl_status lcl_coarse_init(struct lcl_coarse_space *C, lcl_context *ctx,
                                const struct lcl_device_matrix *B,
                                const int64_t *part_ptr, int64_t parts,
                                const struct lcl_coarse_params *params);
void lcl_coarse_finish(struct lcl_coarse_space *C);

// Takes the values of A: nnz blocks, each in row-major order, in the order of
// B's. If the device fails to invert E, the host tries in its own memory; if
// that fails too, the correction is switched off with a warning and C->off is
// set. Returns LCL_OK, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_coarse_update(struct lcl_coarse_space *C,
                                  const lcl_buffer *val);

// Enqueues x = the corrected M^-1 r; r and x must be different buffers.
enum lcl_status lcl_coarse_apply(const struct lcl_coarse_space *C,
                                 const struct lcl_inner *M, const lcl_buffer *r,
                                 lcl_buffer *x, const lcl_buffer *stop, int at);

// A-DEF2, the form of MULT for CG with a symmetric A (Tang, Nabben, Vuik and
// Erlangga, J. Sci. Comput. 39 (2009)): z = M^-1 r,
// x = z + Z E^-1 Z^T (r - A z). Prepares it on the first call; statuses as
// lcl_coarse_init().
enum lcl_status lcl_coarse_prepare_deflated(struct lcl_coarse_space *C);

// Enqueues A-DEF2 and a partial sum of <r, x> for each of C->groups groups. The
// correction must not be off, and M must not prolong.
enum lcl_status lcl_coarse_apply_deflated(const struct lcl_coarse_space *C,
                                          const struct lcl_inner *M,
                                          const lcl_buffer *r, lcl_buffer *x,
                                          lcl_buffer *sums,
                                          const lcl_buffer *stop, int at);

// Enqueues x = x + Z E^-1 Z^T r for r = b - A x, the initial guess that A-DEF2
// needs; nothing if the correction is off.
enum lcl_status lcl_coarse_start(const struct lcl_coarse_space *C,
                                 const lcl_buffer *r, lcl_buffer *x);

uint64_t lcl_coarse_bytes(const struct lcl_coarse_space *C);

// Steps of an application, which the check of E^-1 uses as well. They are
// enqueued and do nothing if stop[at] is not 0.

// t = Z^T r
enum lcl_status lcl_coarse_restrict(const struct lcl_coarse_space *C,
                                    const lcl_buffer *r, const lcl_buffer *stop,
                                    int at);

// y = r - W e
enum lcl_status lcl_coarse_residual(const struct lcl_coarse_space *C,
                                    const lcl_buffer *r, const lcl_buffer *stop,
                                    int at);
