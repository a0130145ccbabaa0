// SPDX-License-Identifier: BSD-3-Clause
// Internals of a preconditioner: one table of functions per method.
#pragma once

#include "lib/operator/system.h"
#include "lib/vector/dot.h"

#include <levelcl/precond.h>

struct lcl_kron_method;
struct lcl_trisolve_method;

struct lcl_precond_ops {
    // Analyses A, in the blocks of the preconditioner, and sets up M->system,
    // M->info and M->method; the caller then calls update() once. On error the
    // caller calls destroy().
    enum lcl_status (*create)(struct lcl_precond *M, const struct lcl_bsr *A,
                              const struct lcl_precond_params *params);
    // Factors the values in M->system.matrix.val.
    enum lcl_status (*update)(struct lcl_precond *M);
    // Enqueues x = M^-1 b in the system's numbering; does nothing if stop[at]
    // (int32) is not 0.
    enum lcl_status (*apply)(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at);
    void (*destroy)(struct lcl_precond *M); // frees M->method, may be NULL
    bool identity;                          // M = I
    // The method's part of lcl_precond_make_symmetric() and so on, symmetric.h;
    // NULL if their default suffices.
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
    void *method;      // state of the method
    lcl_buffer *b, *x; // for vectors of the caller, allocated on first use
    struct lcl_dot dot;
    int dot_launches; // per application with the dot product that follows
    // Set if created from a lcl_kron: lib/precond/kron_precond.h; else NULL.
    const struct lcl_kron_method *kron;
    uint64_t kron_pattern; // lcl_kron_pattern()
};

// Common start of all functions that create a preconditioner from A: sets *out
// to NULL, replaces NULL params by the defaults, checks arguments and
// parameters. Returns LCL_OK, LCL_EINVAL or LCL_EUNSUPPORTED.
enum lcl_status lcl_precond_begin(lcl_precond **out, const lcl_context *ctx,
                                  const void *A, const char *function,
                                  const struct lcl_precond_params **params);

// Factors the current values, and turns the findings into a status and a
// warning.
enum lcl_status lcl_precond_refactor(lcl_precond *M);

// The method that applies the factors of subdomains; NULL for other
// preconditioners.
const struct lcl_trisolve_method *lcl_precond_trisolve(const lcl_precond *M);

extern const struct lcl_precond_ops lcl_precond_none;
extern const struct lcl_precond_ops lcl_precond_jacobi;
extern const struct lcl_precond_ops lcl_precond_block_jacobi;
extern const struct lcl_precond_ops lcl_precond_ilu;
