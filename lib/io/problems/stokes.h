// SPDX-License-Identifier: BSD-3-Clause
// The matrices of unsteady Stokes flow.
#pragma once

#include <levelcl/log.h>
#include <levelcl/matrix.h>

enum { LCL_STOKES_UNKNOWNS = 4 }; // three velocities and the pressure

// M, the mass of the velocities, and L, viscosity, pressure and divergence, on
// N x N x N nodes, which must fit; the pressure is in units of nu / h. Both
// have the same pattern. Returns LCL_OK, LCL_EINVAL (N < 3), LCL_ERANGE or
// LCL_ENOMEM.
enum lcl_status lcl_problem_stokes(struct lcl_bsr *M, struct lcl_bsr *L,
                                   const char *name, int64_t n,
                                   const struct lcl_log *log);
