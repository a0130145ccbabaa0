// SPDX-License-Identifier: BSD-3-Clause
// The inside of a preconditioner: one table of functions a method.
#pragma once

#include "lib/operator/system.h"
#include "lib/vector/dot.h"

#include <levelcl/precond.h>

struct lcl_kron_method;
struct lcl_trisolve_method;

struct lcl_precond_ops {
    // Analyses A, in the blocks that it is to be used in, and sets up
    // M->system, M->info and M->method; then update() is called once. On error
    // the caller calls destroy().
    enum lcl_status (*create)(struct lcl_precond *M, const struct lcl_bsr *A,
                              const struct lcl_precond_params *params);
    // Factors the values in M->system.matrix.val.
    enum lcl_status (*update)(struct lcl_precond *M);
    // Enqueues x = M^-1 b in the system's numbering; nothing happens where
    // element `at` of `stop` (int32) is not 0.
    enum lcl_status (*apply)(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at);
    void (*destroy)(struct lcl_precond *M); // M->method, which may be NULL
    bool identity;                          // M = I
    // As lcl_precond_make_symmetric() and so on, symmetric.h; NULL where what
    // these do without them is all.
    enum lcl_status (*make_symmetric)(struct lcl_precond *M);
    enum lcl_status (*start)(struct lcl_precond *M, const lcl_buffer *r,
                             lcl_buffer *x, bool *changed);
    enum lcl_status (*apply_dot)(struct lcl_precond *M, const lcl_buffer *b,
                                 lcl_buffer *x, lcl_buffer *sums,
                                 const lcl_buffer *stop, int at);
};

struct lcl_precond {
    lcl_context *ctx;
    const struct lcl_precond_ops *ops;
    struct lcl_precond_info info;
    struct lcl_system system;
    void *method;      // the method's own state
    lcl_buffer *b, *x; // for vectors of the caller, made when first needed
    struct lcl_dot dot;
    int dot_launches; // of an application and the dot product that follows
    // Of one made of a lcl_kron: lib/precond/kron_precond.h; NULL without one.
    const struct lcl_kron_method *kron;
    uint64_t kron_pattern; // lcl_kron_pattern()
};

// What all functions that create one of A begin with: *out is NULL, params that
// are NULL become the defaults, arguments and parameters are checked. Returns
// LCL_OK, LCL_EINVAL or LCL_EUNSUPPORTED.
enum lcl_status lcl_precond_begin(lcl_precond **out, const lcl_context *ctx,
                                  const void *A, const char *function,
                                  const struct lcl_precond_params **params);

// Factors, and turns what was found into a status and a warning.
enum lcl_status lcl_precond_refactor(lcl_precond *M);

// How the factors of subdomains are applied; NULL for other preconditioners.
const struct lcl_trisolve_method *lcl_precond_trisolve(const lcl_precond *M);

extern const struct lcl_precond_ops lcl_precond_none;
extern const struct lcl_precond_ops lcl_precond_jacobi;
extern const struct lcl_precond_ops lcl_precond_block_jacobi;
extern const struct lcl_precond_ops lcl_precond_ilu;
