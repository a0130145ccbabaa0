// SPDX-License-Identifier: BSD-3-Clause
// All Krylov methods, and their common functions.
#pragma once

#include "host/names.h"
#include "lib/krylov/krylov.h"

// X(constant, name) of each method, in the order of help texts. Method `name`
// is the table lcl_NAME at the end of its file.
#define LCL_KRYLOV_METHODS(X)                                                  \
 X(BICGSTAB, bicgstab)                                                         \
 X(CG, cg)                                                                     \
 X(CG_PIPELINED, cg_pipelined)                                                 \
 X(CG_PUBLISHED, cg_published)                                                 \
 X(MINRES, minres)                                                             \
 X(IDR, idr)                                                                   \
 X(GMRES, gmres)                                                               \
 X(FGMRES, fgmres)

#define LCL_KRYLOV_DECLARE(type, name)                                         \
 extern const struct lcl_krylov_method lcl_##name;
LCL_KRYLOV_METHODS(LCL_KRYLOV_DECLARE)

extern const struct lcl_names lcl_solver_names;

// The method of a type other than DEFAULT.
const struct lcl_krylov_method *lcl_krylov_method(enum lcl_solver_type type);

// Makes S->state: struct, kernels, vectors and sums of S->method; sets
// S->launches. On error the caller calls lcl_krylov_destroy().
enum lcl_status lcl_krylov_create(struct lcl_solver *S);
void lcl_krylov_destroy(struct lcl_solver *S);

// Runs a cycle, as lcl_krylov_method.cycle says.
enum lcl_status lcl_krylov_cycle(struct lcl_solver *S);
