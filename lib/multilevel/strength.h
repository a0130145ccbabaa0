// SPDX-License-Identifier: BSD-3-Clause
// Strong couplings of a matrix on the device and the diagonal of its filtered
// matrix (Vanek, Mandel, Brezina, 1996), with thresholds relative to the
// largest couplings of both rows.
#pragma once

#include "lib/storage/matrix.h"

#include "host/program.h"

// Entry (i, j), i /= j, is strong if abs(a_ij) > theta sqrt(m_i m_j), m_i =
// max_{k /= i} abs(a_ik): aggregates grow along these. The filtered matrix A_F
// has them and the entries with abs(a_ij) > theta m_i: beside a region of large
// coefficients, row i of small ones follows row j there. The diagonal df_i of
// A_F is a_ii plus the other couplings of row i if this has the sign of a_ii
// and more than a tenth of its size, otherwise a_ii.
struct lcl_strength_params {
    double theta; // 0 and more
    // Also strong if a_ji is stored and strong, for matrices of unsymmetric
    // values; an entry (i, j) without an entry (j, i) counts on its own.
    bool both;
};

struct lcl_strength {
    int64_t n, nnz;
    lcl_buffer *strong;   // nnz, uint8: COUPLING_ bits of aggregate.cl.h; 0 for
                          // entries that A_F has not, and on the diagonal
    lcl_buffer *inv_diag; // n, double: 1 / df_i; 0 if df_i is not normal
    // n, int32: strong couplings of a row; -1 if it has no couplings but zeros
    lcl_buffer *strong_count;
};

// Enqueues the kernels; A has block size 1. Returns LCL_OK, LCL_EUNSUPPORTED
// (blocks), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *S is
// all zero.
enum lcl_status lcl_strength_init(struct lcl_strength *S, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_strength_params *params);
void lcl_strength_finish(struct lcl_strength *S);

// Build options of the kernels of `source` with a team of lanes per row of A.
struct lcl_spec lcl_row_team_spec(lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const char *source);
// Number of groups for them: at least 1, enough for all rows, at most
// A->groups.
int64_t lcl_row_team_groups(const struct lcl_spec *spec,
                            const struct lcl_device_matrix *A);
