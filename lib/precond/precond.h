// SPDX-License-Identifier: BSD-3-Clause
// Internals of a preconditioner, an operator that is created from an operator:
// one table of functions per method.
#pragma once

#include "lib/distributed/team_operator.h"
#include "lib/spmv/matrix_operator.h"

#include <levelcl/precond.h>

struct lcl_trisolve_method;

// Numberings of the matrix that a method supports.
enum lcl_precond_numbering {
    LCL_NUMBERING_ANY,   // any
    LCL_NUMBERING_GIVEN, // the caller's
    LCL_NUMBERING_OWN,   // the method calls lcl_operator_renumber()
};

struct lcl_precond_ops {
    // y = M^-1 x in the numbering of M->matrix; destroy() frees M->op.state.
    struct lcl_operator_ops op;
    enum lcl_precond_numbering numbering;
    // Analyses M->matrix (for a lcl_kron: creates it from M->A if the method
    // needs one) and sets up M->info and M->op; the caller then calls update()
    // once. On error the caller calls op.destroy(). NULL: nothing to do.
    enum lcl_status (*create)(lcl_precond *M,
                              const struct lcl_precond_params *params);
    // The part of the creation that requires create() to have succeeded on all
    // ranks. Collective if M->whole is set; the ranks then agree on the status.
    // NULL: nothing to do.
    enum lcl_status (*join)(lcl_precond *M);
    // Factors the current values of M->A; collective under the same condition.
    // NULL: nothing to do.
    enum lcl_status (*update)(lcl_precond *M);
    // Whether update() is worthwhile although M already has the current values.
    // NULL: never.
    bool (*is_worn)(const lcl_precond *M);
    // Whether M is symmetric for any A.
    bool symmetric;
    // Creates the same method for T = A^T, without factors. Returns
    // LCL_EUNSUPPORTED also if M^T is not of this method. NULL: unsupported.
    enum lcl_status (*transposed)(const lcl_precond *M, lcl_precond **out,
                                  lcl_operator *T);
    // lcl_precond_locate(). NULL: there are no subdomains.
    enum lcl_status (*locate)(const lcl_precond *M, int32_t *part,
                              int32_t *level);
};

struct lcl_precond {
    lcl_operator op; // first: a preconditioner is an operator
    const struct lcl_precond_ops *ops;
    lcl_operator *A;      // from which M was created
    lcl_operator *whole;  // the distributed operator with A as its part; NULL:
                          // one device, or M is part of another one
    lcl_operator *matrix; // with the matrix that M factors: A, or M's own
    lcl_operator *blocks; // A, or M's copy of it, whose single entries `matrix`
                          // has; NULL: it has the blocks of A
    lcl_buffer *copied; // block of M's copy -> block of A; NULL: there is none
    struct lcl_vector_ops copy;
    // Forms in which CG applies M with a coarse correction; NULL: as op, which
    // is symmetric.
    lcl_operator *additive;  // symmetric for any A
    lcl_operator *deflated;  // A-DEF2 or NULL, if A is M->A and M is current:
    lcl_operator *start;     // needs the initial guess x + start (b - A x)
    lcl_operator *absolute;  // positive definite for any A; NULL: no such form,
                             // or op
    uint64_t version;        // of the values of A from which M was created
    lcl_precond *transposed; // M^T, for an operator of M->matrix; or NULL
    uint64_t transposed_version; // of the values of A in M^T
    enum lcl_status status;      // of the last update; below 0: no factors
    enum lcl_refresh refresh;
    int solves; // since the last refresh
    // Iterations for a factor e of the residual, of the first solve that
    // converged since the last refresh, and since the last full set-up of AMG;
    // 0: none
    double fresh_rate, first_rate;
    double last_folds; // the last solve reduced the residual by e^last_folds
    bool failed;       // the last solve
    bool lagged;       // it had other values than M
    struct lcl_precond_info info;
};

// M->transposed = M^-T for the values of A in M; also reports whether M is its
// own transpose. Statuses as lcl_precond_apply_transpose().
enum lcl_status lcl_precond_transpose(lcl_precond *M);
bool lcl_precond_is_symmetric(const lcl_precond *M);

// lcl_precond_create() without factors; `params` are checked.
enum lcl_status lcl_precond_analyse(lcl_precond **out, lcl_operator *A,
                                    const struct lcl_precond_params *params);

// Whether the last solve with M failed or took more than 1.5 times the
// iterations, plus one, that the rate `first` > 0 predicts: the rate of a solve
// when M, or the part of M in question, was new. Tolerances may differ.
static inline bool lcl_precond_is_slow(const lcl_precond *M, double first)
{
    return first > 0 && (M->failed || M->info.last_iterations >
                                          1.5 * first * M->last_folds + 1);
}

// Number of updates of A that M does not contain.
static inline int lcl_precond_lag(const lcl_precond *M)
{
    return (int)(M->A->version - M->version);
}

// Updates M if its parameters request an update before a solve. Statuses as
// lcl_precond_update().
enum lcl_status lcl_precond_refresh(lcl_precond *M);

// Records a solve with M that has reduced the residual from `start` to `end`.
void lcl_precond_record(lcl_precond *M, int iterations, bool converged,
                        double start, double end);

// Factors the current values; reports repaired pivots by the status and a
// warning.
enum lcl_status lcl_precond_refactor(lcl_precond *M);

// Whether the factors have rows and a pattern of their own, through overlap or
// fill.
static inline bool lcl_precond_is_extended(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_ILUK || type == LCL_PRECOND_ILUT ||
           type == LCL_PRECOND_RAS || type == LCL_PRECOND_AS;
}

// The kind of factors on a subdomain. Type IC0 requires a symmetric matrix and
// positive pivots.
static inline enum lcl_precond_type lcl_precond_factors(
    enum lcl_precond_type type)
{
    return type == LCL_PRECOND_AS          ? LCL_PRECOND_IC0
           : lcl_precond_is_extended(type) ? LCL_PRECOND_ILDU0
                                           : type;
}

// Whether the method supports single entries only. Blocks of M->A that the
// caller has not declared are then split into entries; declared ones are an
// error of the method.
bool lcl_precond_needs_entries(const struct lcl_precond_params *p);

// Factors the current values of M->A without messages about pivots.
enum lcl_status lcl_precond_factor(lcl_precond *M);

// Refuses numbers that differ between the ranks of V. Returns as
// lcl_comm_expect_equal().
enum lcl_status lcl_precond_expect_equal(const struct lcl_space *V,
                                         const struct lcl_precond_params *p);

// Whether M was created from A.
static inline bool lcl_precond_is_of(const lcl_precond *M,
                                     const lcl_operator *A)
{
    return (M->whole ? M->whole : M->A) == A;
}

// Whether M was created from A's current values.
static inline bool lcl_precond_is_current(const lcl_precond *M,
                                          const lcl_operator *A)
{
    return lcl_precond_is_of(M, A) && M->version == M->A->version;
}

// The preconditioner of one rank; M has the method lcl_precond_team.
lcl_precond *lcl_precond_member(const lcl_precond *M, int rank);

// The method that applies the factors of subdomains; NULL for other
// preconditioners.
struct lcl_trisolve_method *lcl_precond_trisolve(lcl_precond *M);

// For scalar factors on subdomains of one device: the row of A, in the caller's
// numbering, of each row of the factors in the order of elimination, subdomain
// by subdomain. The caller frees *rows with lcl_free(). Returns LCL_OK,
// LCL_ENOMEM or LCL_EDEVICE; on error *rows is NULL.
enum lcl_status lcl_precond_factor_rows(const lcl_precond *M, int32_t **rows);

// The smoother of AMG for a matrix with so many rows.
enum lcl_amg_smoother lcl_amg_smoother_of(const struct lcl_amg_params *amg,
                                          const struct lcl_properties *look,
                                          double rows);

extern const struct lcl_precond_ops lcl_precond_none;
extern const struct lcl_precond_ops lcl_precond_jacobi;
extern const struct lcl_precond_ops lcl_precond_block_jacobi;
extern const struct lcl_precond_ops lcl_precond_ilu;
extern const struct lcl_precond_ops lcl_precond_schwarz;
extern const struct lcl_precond_ops lcl_precond_amg;
extern const struct lcl_precond_ops lcl_precond_cpr;
extern const struct lcl_precond_ops lcl_precond_lu;
extern const struct lcl_precond_ops lcl_precond_permuted;
extern const struct lcl_precond_ops lcl_precond_team;
extern const struct lcl_precond_ops lcl_precond_kron_block_jacobi;
extern const struct lcl_precond_ops lcl_precond_kron_stages;
