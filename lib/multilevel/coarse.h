// SPDX-License-Identifier: BSD-3-Clause
// The coarse space of a preconditioner on subdomains, piecewise constant on
// aggregates of subdomains (Nicolaides, SIAM J. Numer. Anal. 24 (1987)): Z,
// W = A Z and the inverse of E = Z^T A Z.
#pragma once

#include "lib/dense/gemv.h"
#include "lib/dense/inverse.h"
#include "lib/multilevel/coarse_shared.h"
#include "lib/multilevel/pattern.h"

#include <levelcl/precond.h>

struct lcl_coarse_params {
    int block;    // rows and columns of a block, 1 .. 8
    int64_t most; // maximum number of aggregates; 0: lcl_coarse_most()
    int tile;     // tile size of the inverse; 0: chosen
    enum lcl_gemv_method gemv;
    // Of several ranks, which have one space together: NULL on one device
    const struct lcl_halo *halo;
    const struct lcl_numbering *numbering; // of B
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
    int block;
    int64_t n;      // in block rows
    int64_t rows;   // number of coarse unknowns, of all ranks
    int64_t values; // of E
    lcl_kernel *kernels[LCL_COARSE_KERNEL_COUNT];
    int groups;         // of the kernels over vectors
    int64_t row_groups; // of the kernel with one work-item per row
    struct lcl_coarse_pattern pattern;
    lcl_buffer *w;         // a block for each run
    lcl_buffer *t, *e, *y; // Z^T r, E^-1 Z^T r, r - W e
    bool shared; // by ranks: t has the unknowns of all, e the local ones
    bool whole;  // rows of ranks whose sums have segments: `ranks` alone has
                 // W and E, and the aggregates are its subdomains
    struct lcl_coarse_shared ranks;
    struct lcl_inverse inverse;  // E^-1
    struct lcl_gemv exact, gemv; // for the check, for the apply
    double *host;                // 2 * rows
    int64_t pinned;              // unknowns left out because E is singular
    bool off;                    // E could not be inverted
};

// Resolves `wanted` for a matrix of `rows` block rows in `parts` subdomains;
// `opposite` is the share of couplings whose sign is opposite to the diagonal.
// AUTO becomes MULT if that is likely to pay off, otherwise NONE.
enum lcl_coarse lcl_coarse_choose(enum lcl_coarse wanted, int64_t parts,
                                  int64_t rows, double opposite);

// Number of aggregates of a coarse space that a device inverts fast, for blocks
// of `block` rows; and the share of a rank's vectors V, at least 1.
int64_t lcl_coarse_usual(const struct lcl_caps *caps, int block);
int64_t lcl_coarse_most(const struct lcl_space *V, int block);

// Symbolic phase and all allocation. B is numbered by P; its values are not
// read. Collective if there are ranks, which then have to agree on the result.
// Statuses as lcl_precond_create(); on error *C is fit for lcl_coarse_finish().
enum lcl_status lcl_coarse_init(struct lcl_coarse_space *C, lcl_context *ctx,
                                const struct lcl_device_matrix *B,
                                const struct lcl_subdomains *P,
                                const struct lcl_coarse_params *params);
void lcl_coarse_finish(struct lcl_coarse_space *C);

// Takes the values of A: nnz blocks, each in row-major order, in the order of
// B's. If the device fails to invert E, the host tries in its own memory; if
// that fails too, the correction is switched off with a warning and C->off is
// set. Collective. Returns LCL_OK, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_coarse_update(struct lcl_coarse_space *C,
                                  const lcl_buffer *val);

uint64_t lcl_coarse_bytes(const struct lcl_coarse_space *C);

// The coarse unknowns that count as those of the rank.
int64_t lcl_coarse_own(const struct lcl_coarse_space *C);

// Steps of an application, which the check of E^-1 uses as well; enqueued. With
// ranks, those that set t are collective.

// t = Z^T x
enum lcl_status lcl_coarse_restrict(const struct lcl_coarse_space *C,
                                    const struct lcl_operands *v);

// t = Z^T x - W^T y
enum lcl_status lcl_coarse_deflate(const struct lcl_coarse_space *C,
                                   const struct lcl_operands *v);

// C->y = x - W e, where W = A Z
enum lcl_status lcl_coarse_residual(const struct lcl_coarse_space *C,
                                    const struct lcl_operands *v);
