// SPDX-License-Identifier: BSD-3-Clause
// LU factors of a whole sparse matrix on the host, with partial pivoting inside
// its strong components and a fill-reducing order: KLU of SuiteSparse (Davis,
// Palamadai Natarajan, ACM TOMS 37 (2010)), if the library was built with it.
#pragma once

#include "host/log.h"

#include <levelcl/matrix.h>

#include <stdbool.h>

struct lcl_direct;

bool lcl_direct_there(void);

// Analyses the pattern of A, a square matrix without duplicates. Returns
// LCL_OK; LCL_EUNSUPPORTED (built without KLU); LCL_EPIVOT (each matrix of this
// pattern is singular); LCL_ERANGE or LCL_ENOMEM. On error *out is NULL.
enum lcl_status lcl_direct_create(struct lcl_direct **out,
                                  const struct lcl_csr *A,
                                  const struct lcl_log *log);
void lcl_direct_destroy(struct lcl_direct **D); // allowed on NULL

// About as many entries and operations as the factors take.
double lcl_direct_entries(const struct lcl_direct *D);
double lcl_direct_operations(const struct lcl_direct *D);

// Factors the values of the pattern, `val` in its order. Returns LCL_OK,
// LCL_EPIVOT (singular), LCL_ERANGE or LCL_ENOMEM; on error there are no
// factors.
enum lcl_status lcl_direct_factor(struct lcl_direct *D, const double *val,
                                  const struct lcl_log *log);

// Entries of the factors; 0 without factors.
int64_t lcl_direct_nnz(const struct lcl_direct *D);

// x = A^-1 x, with factors. Not for two threads at once.
enum lcl_status lcl_direct_solve(struct lcl_direct *D, double *x,
                                 const struct lcl_log *log);
