// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners as CG needs them: symmetric for a symmetric matrix, with the
// dot product that follows.
#pragma once

#include "lib/precond/precond.h"

// Prepares the functions below; may be called again. Sets M->dot_launches.
// Statuses as lcl_solver_create().
enum lcl_status lcl_precond_make_symmetric(lcl_precond *M);

// Enqueues x = x + what a start needs, r being b - A x: the symmetric form of a
// multiplicative correction, A-DEF2, asks for Z^T (b - A x) = 0. *changed tells
// whether it was anything.
enum lcl_status lcl_precond_start(lcl_precond *M, const lcl_buffer *r,
                                  lcl_buffer *x, bool *changed);

// Enqueues x = M^-1 b and a partial sum of <b, x> for each of
// M->system.matrix.groups groups; nothing happens where stop[at] is not 0.
enum lcl_status lcl_precond_apply_dot(lcl_precond *M, const lcl_buffer *b,
                                      lcl_buffer *x, lcl_buffer *sums,
                                      const lcl_buffer *stop, int at);

// The same by apply() and a kernel for the dot product alone.
enum lcl_status lcl_precond_apply_then_dot(lcl_precond *M, const lcl_buffer *b,
                                           lcl_buffer *x, lcl_buffer *sums,
                                           const lcl_buffer *stop, int at);

// Measures the symmetry of the matrix unless that was done since its values
// changed. Returns LCL_OK; LCL_EUNSUPPORTED where it is not symmetric, which
// `who` needs; or what lcl_symmetry_measure() returns.
enum lcl_status lcl_precond_require_symmetric(lcl_precond *M, const char *who);
