/* SPDX-License-Identifier: BSD-3-Clause */
/* Krylov solvers: create -> solve -> report. */
#ifndef LEVELCL_SOLVER_H
#define LEVELCL_SOLVER_H

#include <levelcl/precond.h>

LCL_BEGIN_DECLS

/* <levelcl/published.h> has another one. */
enum lcl_solver_type {
    LCL_SOLVER_DEFAULT = 0, /* BICGSTAB; lcl_chain_create() chooses */
    LCL_SOLVER_BICGSTAB,    /* right-preconditioned; van der Vorst, SIAM J. Sci.
                               Stat. Comput. 13 (1992) */
    LCL_SOLVER_CG,          /* for symmetric definite A, positive or negative;
                               Hestenes and Stiefel, J. Res. NBS 49 (1952) */
    LCL_SOLVER_IDR = 4,     /* IDR(s), biorthogonal, right-preconditioned; van
                               Gijzen and Sonneveld, ACM TOMS 38 (2011) */
    LCL_SOLVER_GMRES,       /* GMRES(m), right-preconditioned; Saad and
                               Schultz, SIAM J. Sci. Stat. Comput. 7 (1986);
                               orthogonalised twice by classical Gram-Schmidt
                               */
    LCL_SOLVER_FGMRES,      /* GMRES(m) that keeps M^-1 v of each column; Saad,
                               SIAM J. Sci. Comput. 14 (1993). One application
                               of M less per restart, twice the memory */
    LCL_SOLVER_MINRES,      /* for symmetric A, definite or not, and definite M;
                               Paige and Saunders, SIAM J. Numer. Anal. 12
                               (1975). JACOBI takes the absolute values of the
                               diagonal */
    LCL_SOLVER_CG_PIPELINED, /* CG with one reduction per iteration, which
                                runs beside the product and the preconditioner:
                                for many ranks; more vectors and a little less
                                accurate than CG. Ghysels and Vanroose, Parallel
                                Computing 40 (2014), Algorithm 4; restarts from
                                the true residual where rounding needs it */
    LCL_SOLVER_COUNT,
};

/* What a method needs. */
struct lcl_solver_facts {
    bool symmetric;        /* A and M have to be symmetric */
    bool definite;         /* A has to be definite */
    bool definite_precond; /* M has to be definite, A need not be */
    bool no_precond;       /* M has to be NULL or NONE */
    bool idr_s, restart;   /* the parameter that it has */
    int products; /* with A in an iteration, each with an application of M */
};

/* Maximum number of shadow vectors of IDR(s). */
enum { LCL_IDR_MAX_S = 8 };

/* Maximum number of columns of a GMRES basis. */
enum { LCL_GMRES_MAX_RESTART = 1024 };

/* How GMRES stores its basis; all arithmetic is in fp64. */
enum lcl_basis_storage {
    LCL_BASIS_DEFAULT = 0, /* FP64 */
    LCL_BASIS_FP64,
    LCL_BASIS_FP32, /* halves the basis, which takes most of the time; more
                       restarts for tolerances below about 1e-7. Aliaga et al.,
                       Compressed basis GMRES on high-performance graphics
                       processing units, IJHPCA (2022) */
    LCL_BASIS_COUNT,
};

/* How GMRES and FGMRES make a vector orthogonal to their basis. Saad and
 * Schultz, SIAM J. Sci. Stat. Comput. 7 (1986), have the modified form. */
enum lcl_orthogonalisation {
    LCL_ORTHOGONALISATION_DEFAULT = 0, /* CGS2 */
    LCL_ORTHOGONALISATION_CGS2, /* classical Gram-Schmidt, twice: two sums
                                   over the devices a step; orthogonal to
                                   rounding */
    LCL_ORTHOGONALISATION_MGS,  /* modified Gram-Schmidt: a launch and a
                                   sum for each vector of the basis; loses
                                   orthogonality as A M^-1 is
                                   ill-conditioned. Not with
                                   LCL_COMMUNICATION_REPRODUCIBLE */
    LCL_ORTHOGONALISATION_COUNT,
};

/* On which side IDR preconditions. */
enum lcl_side {
    LCL_SIDE_DEFAULT = 0, /* RIGHT */
    LCL_SIDE_RIGHT,       /* A M^-1 y = b: the recurrence has b - A x */
    LCL_SIDE_LEFT, /* M^-1 A x = M^-1 b: the recurrence has M^-1 (b - A x), the
                      history its norm, scaled to that of b - A x at the start.
                      A cycle that meets the tolerance so ends, and the next one
                      begins if the true residual does not. One device */
    LCL_SIDE_COUNT,
};

/* State passed to the monitor, which the host reads every few iterations. */
struct lcl_progress_info {
    int iteration;
    double residual; /* ||r|| / ||b|| by the recurrence */
    double seconds;  /* since the solve began */
    int column;      /* of several right-hand sides, from 0; the first one of
                        those that are solved together */
};

/* What rtol is relative to. */
enum lcl_relative_to {
    LCL_RELATIVE_TO_DEFAULT = 0, /* B */
    LCL_RELATIVE_TO_B,           /* ||b|| */
    LCL_RELATIVE_TO_R0,          /* ||b - A x|| of the initial guess */
    LCL_RELATIVE_TO_REFERENCE,   /* the number `reference` */
    LCL_RELATIVE_TO_COUNT,
};

/* The norm of ||r|| and ||b|| wherever this header has one: in tolerances, in
 * the report, its history and the monitor. */
enum lcl_norm_type {
    LCL_NORM_DEFAULT = 0, /* 2; and ROWS besides if a row with hardly any
                             couplings has a diagonal entry 1e5 times those of
                             the other rows or more, as penalties leave it,
                             where the method was chosen by the values of A or
                             needs a symmetric A */
    LCL_NORM_2,           /* the square root of the sum of r_i^2 */
    LCL_NORM_1,           /* the sum of |r_i| */
    LCL_NORM_MAX,         /* the largest |r_i| */
    LCL_NORM_ROWS,        /* success by rows: |r_i| <= rtol (|A| |x| + |b|)_i in
                             each, where ||b|| of some rows would hide the rest;
                             the componentwise backward error (Oettli and Prager,
                             Numer. Math. 6 (1964)). atol and relative_to are not
                             used, ||b||, history and monitor are in norm 2, and
                             true_residual is the backward error. Not for a
                             callback */
    LCL_NORM_COUNT,
};

/* What a convergence test of the caller says. */
enum lcl_verdict { LCL_CONTINUE = 0, LCL_CONVERGED, LCL_GIVE_UP };

struct lcl_solver_params {
    enum lcl_solver_type type;
    double rtol;                      /* ||b - A x|| <= rtol ||b||; 0: 1e-8 */
    double atol;                      /* or ||b - A x|| <= atol; 0: unused */
    enum lcl_relative_to relative_to; /* instead of ||b|| */
    double reference;                 /* > 0, for LCL_RELATIVE_TO_REFERENCE */
    int max_iters;                    /* 0: 10000 */
    int stagnation; /* iterations without progress, after which a method stops;
                       0: 2000. The residual has no new minimum, and neither has
                       the error of CG in the norm of A halved in half of them
                       (Hestenes and Stiefel, J. Res. NBS 49 (1952), theorem
                       6:1) nor the mean of log ||r||^2 fallen by log 2 from
                       their first half to their second. From the first time
                       without a new minimum on, only the latter two count.
                       lcl_solver_solve_many() with common passes counts new
                       minima alone */
    int idr_s;      /* of IDR(s): 1 to LCL_IDR_MAX_S; 0: 4. Fewer if the system
                       has fewer rows than the next power of two */
    int restart;    /* columns of the basis of GMRES, m: 1 to
                       LCL_GMRES_MAX_RESTART; 0: 30. At most the number of rows.
                       Memory: m vectors, FGMRES 2 m */
    enum lcl_basis_storage basis; /* of GMRES and FGMRES */
    enum lcl_orthogonalisation orthogonalisation;
    enum lcl_side side; /* of IDR */
    /* Called between batches of iterations; returning false stops the solve
     * with LCL_ITERATION_LIMIT. May be NULL. It, and `test`, may call
     * lcl_solver_cancel(), functions that read host memory only (infos, names,
     * the caller's matrices), whatever has another context, and, unless the
     * rows are distributed, lcl_operator_apply() and lcl_precond_apply() or
     * their forms for buffers. Anything else with a context of the solve
     * returns LCL_EBUSY, and functions that destroy leave object and pointer as
     * they are; the solve goes on. */
    bool (*monitor)(void *user, const struct lcl_progress_info *info);
    void *monitor_user;
    /* A convergence test besides the tolerances, called at the same times after
     * the monitor: LCL_CONVERGED ends the solve with LCL_STOP_TEST and LCL_OK,
     * LCL_GIVE_UP like a monitor that returns false. The steps that are
     * enqueued already still improve x. May be NULL. */
    enum lcl_verdict (*test)(void *user, const struct lcl_progress_info *info);
    void *test_user;
    /* Iterations between these calls at most; 0: up to 16. Small numbers cost
     * time. */
    int monitor_every;
    /* Norms 1 and max read r once more per iteration. Methods whose
     * recurrences have no vector r, GMRES and FGMRES, take ||r||_2 times the
     * ratio of both norms at the last restart; for success the norm of the true
     * residual counts with all methods. norm_removed of the report is always
     * in norm 2. */
    enum lcl_norm_type norm;
    /* The solve ends with LCL_STOP_DIVERGED once ||r|| by the recurrence has
     * grown to so many times that of the initial guess; 0: 2^52, where rounding
     * leaves nothing of b in r: the attainable residual is about 2^-52 of the
     * largest one (Greenbaum, SIAM J. Matrix Anal. Appl. 18 (1997)). */
    double divergence;
    /* Seconds after which a solve ends with LCL_STOP_TIME_LIMIT and
     * LCL_ITERATION_LIMIT, within a few iterations; 0: none. For a chain, see
     * lcl_chain_solve(). */
    double time_limit;
    /* rtol 0 means 0: for atol alone, for a fixed number of iterations, or for
     * a test of the caller. */
    bool rtol_may_be_zero;
};

#define LCL_SOLVER_PARAMS_INIT LCL_ZERO

/* Why a solve ended: > 0 converged, < 0 failed. Success means that the true
 * residual, not only the recurrence residual, is within the tolerance. If
 * rounding leaves it above, the solver restarts from the true residual as long
 * as this makes progress. */
enum lcl_stop {
    LCL_STOP_NONE = 0,     /* not run */
    LCL_STOP_RTOL = 1,     /* true residual within rtol ||b|| */
    LCL_STOP_ATOL = 2,     /* true residual within atol */
    LCL_STOP_ZERO_RHS = 3, /* b = 0, x = 0; with a null space b has no other
                              component than the one removed, and x is the
                              initial guess's component in it */
    LCL_STOP_TEST = 4,     /* the caller's convergence test */
    LCL_STOP_MAX_ITERS = -1,
    LCL_STOP_STAGNATION = -2,
    LCL_STOP_BREAKDOWN_RHO = -3,   /* <r0, r> = 0 */
    LCL_STOP_BREAKDOWN_ALPHA = -4, /* <r0, A M^-1 p> = 0; IDR: <p_k, g_k> = 0 */
    LCL_STOP_BREAKDOWN_OMEGA = -5, /* A M^-1 s = 0 or orthogonal to s */
    LCL_STOP_NOT_FINITE = -6,
    LCL_STOP_MONITOR = -7,
    LCL_STOP_INDEFINITE_MATRIX = -8,  /* <p, A p> is 0 or changes its sign: A is
                                         not definite */
    LCL_STOP_INDEFINITE_PRECOND = -9, /* so does <r, M^-1 r>: M is not */
    LCL_STOP_BREAKDOWN_KRYLOV = -10,  /* the Krylov space is exhausted without a
                                         solution: A M^-1 is singular */
    LCL_STOP_DIVERGED = -11,          /* ||r|| grew, see `divergence` */
    LCL_STOP_CANCELLED = -12,  /* lcl_solver_cancel(), lcl_chain_cancel() */
    LCL_STOP_TIME_LIMIT = -13, /* time_limit of the parameters */
};

struct lcl_report {
    enum lcl_stop stop;
    int iterations;  /* complete iterations; BiCGSTAB applies M and A twice in
                        each, the others once */
    int x_iteration; /* the iteration that produced x: the last one after
                        success, the best one seen after a failure */
    int restarts;    /* with r0 = b - A x, after a breakdown or a drift; for
                        GMRES also those after m iterations */
    bool exhausted;  /* GMRES: the Krylov space could not grow further and so
                        contains the solution */
    double norm_b;   /* of the part of b that A can reach */
    double norm_removed;  /* of the rest; 0 without lcl_operator_set_nullspace()
                           */
    double residual;      /* ||r|| / ||b|| by the recurrence */
    double true_residual; /* ||b - A x|| / ||b||, computed at the end in three
                             times the working precision; of a callback by its
                             own product. Infinite if its square overflows */
    double seconds;
    const double
        *history; /* residual after each iteration; history[0] = 1 at x = 0,
                     except for CG with coarse "mult", which corrects x first;
                     owned by the solver, valid until its next solve */
    int history_count;
    int launches; /* kernel launches per iteration; 0: unknown */
    /* How old M is: solves with its factors, this one included, and updates of
     * values that they do not contain. */
    int precond_solves, precond_updates;
    /* The largest |b - A x|_i / (|A| |x| + |b|)_i: the smallest relative change
     * of the entries of A and b with which x is a solution (Oettli and Prager,
     * Numer. Math. 6 (1964)). NaN for a callback, whose |A| is unknown. */
    double backward_error;
    enum lcl_norm_type norm; /* of the verdict; DEFAULT: not run */
};

#define LCL_REPORT_INIT LCL_ZERO

/* Thread-safety: that of its context. */
typedef struct lcl_solver lcl_solver;

/* Prepares to solve with A, preconditioned by M; NULL: without preconditioner.
 * Both must outlive the solver. M may have been made from another operator of
 * the same size and context than A, e.g. from a matrix that approximates a
 * callback. NULL params mean the defaults. Returns LCL_OK, LCL_EINVAL (also if
 * A and M differ in size or context), LCL_EFORMAT (A not square),
 * LCL_EUNSUPPORTED (CG_PUBLISHED with a preconditioner, or without 64-bit
 * atomics), LCL_EDEVMEM (for the GMRES basis, detected before any allocation),
 * LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM. On error *out is NULL. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_create(
    lcl_solver **out, lcl_operator *A, lcl_precond *M,
    const struct lcl_solver_params *params);

/* Solves A x = b for host vectors of n doubles in the caller's numbering. x
 * holds the initial guess on entry and the solution on return. `report` may be
 * NULL.
 * Returns LCL_OK only if the true residual is within the tolerance;
 * LCL_ITERATION_LIMIT, LCL_STAGNATION, LCL_BREAKDOWN, LCL_NOT_FINITE or
 * LCL_DIVERGED, where x is the best of the initial guess, the last iterate and
 * checkpoints at most 128 iterations apart (GMRES: at restarts), and its true
 * residual never exceeds that of the initial guess; LCL_EINVAL; LCL_EFORMAT (b
 * or x holds NaN or Inf); LCL_EUNSUPPORTED (CG or MINRES with A not symmetric,
 * also without the columns of prescribed unknowns as in lcl_chain_create():
 * for two fixed pseudo-random vectors u and w, <u, A w> and <w, A u> differ by
 * more than 1e-10 of the sum of |a_ij| (|u_i w_j| + |w_i u_j|); tested once per
 * set of values; or one of them with A in Kronecker form); LCL_EDEVMEM;
 * LCL_EDEVICE; LCL_ENOMEM; or what a callback returned. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_solve(
    lcl_solver *S, const double *b, double *x, struct lcl_report *report);

/* Solves A X = B for `count` >= 1 right-hand sides: column j is at B[j * ldb]
 * and X[j * ldx], with ldb and ldx at least the length of a column. B and X may
 * not overlap; the gaps between columns are not written. Each column is solved
 * as by lcl_solver_solve(), and a column that fails does not end the others.
 *
 * CG in norm 2, on one device and without a null space, for a matrix without
 * blocks, solves up to 8 columns at a time with passes over the matrix and the
 * preconditioner that they share, if that is none, JACOBI, or factors on
 * subdomains that do not overlap applied by PACKED, with or without coarse
 * correction, and the device has memory for 6 or 7 vectors more for each
 * column. Each column has scalars, a tolerance and a stop reason of its own;
 * block CG, which shares the Krylov space too, needs more work per iteration
 * and as many iterations where there is a coarse correction. The monitor and
 * the convergence test see the largest residual of these columns; what they or
 * lcl_solver_cancel() decide holds for all of them, and `seconds` of a report
 * is a share of their time. All other solvers take one column after the other.
 *
 * Columns after those that the monitor, the convergence test or
 * lcl_solver_cancel() gave up are left as they are. `reports` has `count`
 * entries or is NULL; the stop reason of a column that was not solved is NONE;
 * the histories are valid until the next lcl_solver_solve_many().
 * Returns LCL_OK if all columns were solved, else the status of the first that
 * was not; LCL_EINVAL, LCL_ERANGE (more than 2^63 - 1 bytes) or LCL_EFORMAT (a
 * column holds NaN or Inf) before any solve; or an error of a solve, after
 * which the columns before it are solved. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_solve_many(
    lcl_solver *S, const double *B, int64_t ldb, double *X, int64_t ldx,
    int count, struct lcl_report *reports);

/* Replaces these limits from the next solve on; 0 means as in the parameters.
 * What they are relative to stays. Returns LCL_OK or LCL_EINVAL. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_set_tolerance(lcl_solver *S,
                                                               double rtol,
                                                               double atol,
                                                               int max_iters);

/* Ends the solve in progress, or if there is none the next one, within a few
 * iterations with LCL_STOP_CANCELLED and LCL_ITERATION_LIMIT. May be called
 * from any thread and from a signal handler while S exists. NULL: no effect. */
LCL_API void lcl_solver_cancel(lcl_solver *S);

/* The parameters in use: type and zeros are replaced by what they mean. They
 * live as long as the solver. */
LCL_API const struct lcl_solver_params *lcl_solver_info(const lcl_solver *S);

LCL_API void lcl_solver_destroy(lcl_solver **S);

LCL_API const char *lcl_solver_name(enum lcl_solver_type type);
/* Never NULL; of DEFAULT and unknown types all members are 0. */
LCL_API const struct lcl_solver_facts *lcl_solver_facts(
    enum lcl_solver_type type);
LCL_API const char *lcl_norm_name(enum lcl_norm_type norm);
LCL_API const char *lcl_basis_storage_name(enum lcl_basis_storage storage);
LCL_API const char *lcl_orthogonalisation_name(
    enum lcl_orthogonalisation method);
LCL_API const char *lcl_side_name(enum lcl_side side);
/* The name of a stop reason and a sentence that explains it. */
LCL_API const char *lcl_stop_name(enum lcl_stop stop);
LCL_API const char *lcl_stop_str(enum lcl_stop stop);
/* What a solve returns that ends by `stop`: LCL_OK, or why there is no
 * solution; LCL_EINVAL: no stop reason. */
LCL_API enum lcl_status lcl_stop_status(enum lcl_stop stop);

LCL_END_DECLS

#endif
