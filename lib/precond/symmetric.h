// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners for CG: symmetric for a symmetric matrix, fused with the dot
// product that follows.
#pragma once

#include "lib/precond/precond.h"

// Prepares the functions below; may be called repeatedly. Sets M->dot_launches.
// Statuses as lcl_solver_create().
enum lcl_status lcl_precond_make_symmetric(lcl_precond *M);

// Enqueues the correction of the initial guess x, with r = b - A x: A-DEF2, the
// symmetric form of a multiplicative correction, requires Z^T (b - A x) = 0.
// *changed is set to whether x was changed.
enum lcl_status lcl_precond_start(lcl_precond *M, const lcl_buffer *r,
                                  lcl_buffer *x, bool *changed);

// Enqueues x = M^-1 b and a partial sum of <b, x> for each of
// M->system.matrix.groups groups; does nothing if stop[at] is not 0.
enum lcl_status lcl_precond_apply_dot(lcl_precond *M, const lcl_buffer *b,
                                      lcl_buffer *x, lcl_buffer *sums,
                                      const lcl_buffer *stop, int at);

// The same with apply() and a separate kernel for the dot product.
enum lcl_status lcl_precond_apply_then_dot(lcl_precond *M, const lcl_buffer *b,
                                           lcl_buffer *x, lcl_buffer *sums,
                                           const lcl_buffer *stop, int at);

// Measures the symmetry of the matrix, if not done since its values changed.
// Returns LCL_OK; LCL_EUNSUPPORTED if it is not symmetric, which `who`
// requires; or a status of lcl_symmetry_measure().
enum lcl_status lcl_precond_require_symmetric(lcl_precond *M, const char *who);
