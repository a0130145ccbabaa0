/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains: a system is solved by the method that its matrix suggests and, where
 * that fails, by the next one. */
#ifndef LEVELCL_CHAIN_H
#define LEVELCL_CHAIN_H

#include <levelcl/solver.h>

LCL_BEGIN_DECLS

/* Maximum number of methods. */
#define LCL_CHAIN_MAX 12

/* What came of one method. */
struct lcl_attempt {
    enum lcl_solver_type solver;   /* never DEFAULT */
    enum lcl_precond_type precond; /* never DEFAULT */
    int parameter;       /* s of IDR(s), m of GMRES(m) and FGMRES(m); else 0 */
    const char *variant; /* what else is special, e.g. "fp64 factors"; or "" */
    enum lcl_status status; /* of the set-up if it failed, else of the solve */
    enum lcl_stop stop;     /* NONE: the set-up failed */
    int iterations;
    double true_residual; /* ||b - A x|| / ||b|| of the best x so far; NaN: no
                             method has run */
    double setup_seconds; /* 0: it was set up before */
    double solve_seconds;
};

/* Thread-safety: that of its context. */
typedef struct lcl_chain lcl_chain;

/* Prepares to solve with A, which must outlive the chain, and sets up the first
 * method. NULL parameters mean the defaults.
 *
 * A type that is DEFAULT is chosen by the values of A. A symmetric matrix whose
 * diagonal has one sign counts as definite, positive or negative: CG, unless M
 * is not symmetric. On one device, a matrix of block size 1 is symmetric and
 * definite, too, if it is so without the columns of prescribed unknowns, whose
 * rows have no entries but that of the diagonal. Other symmetric matrices:
 * MINRES if M is JACOBI or NONE. All others, Kronecker operators, with ILDU0,
 * and callbacks: BiCGSTAB. Of a matrix, the first rule that holds decides on M:
 *   the solver is CG_PUBLISHED: NONE
 *   the solver is MINRES, and parameters of subdomains are given: IC0
 *   the solver is MINRES: JACOBI
 *   parameters of subdomains are given, and the solver may be CG: IC0
 *   parameters of subdomains are given: ILDU0
 *   the matrix is symmetric and lacks diagonal entries, which fill of the whole
 *     matrix replaces: ILUK, level 3, of the whole matrix
 *   the matrix is symmetric, but its diagonal has both signs or zeros: JACOBI
 *   the matrix is symmetric and its diagonal dominates every row: JACOBI
 *   the matrix is symmetric, its diagonal has one sign and its inverse is
 *     small: AMG
 *   the matrix is symmetric, its diagonal has one sign and near-null vectors
 *     are given: AMG
 *   the matrix is symmetric, its diagonal has one sign and its couplings have
 *     the other: AMG
 *   the matrix is symmetric, its diagonal has one sign and its rows are long
 *     and few: BLOCK-JACOBI, 32 rows
 *   the matrix is symmetric and its diagonal has one sign: IC0
 *   the matrix is not symmetric, and its diagonal dominates every row: JACOBI
 *   the matrix is not symmetric, and its inverse is small: AMG
 *   the matrix is not symmetric, and its rows are long and few: JACOBI
 *   the matrix is not symmetric, and one unknown of each block is coupled like
 *     a pressure: CPR
 *   the matrix is not symmetric and lacks diagonal entries, to whose places
 *     large ones are permuted: ILUT, p 50, tol 1e-5, transversal,
 *     order rcm
 *   the matrix is not symmetric and lacks diagonal entries, to whose places
 *     large ones are permuted: ILUT, p 20, tol 1e-4, transversal
 *   the matrix is not symmetric and lacks diagonal entries, which fill of the
 *     whole matrix replaces: ILUK, level 3, of the whole matrix
 *   the matrix is not symmetric and lacks diagonal entries, which fill
 *     replaces: ILUK
 *   the matrix is not symmetric, and its diagonal dominates nearly every row:
 *     JACOBI
 *   the matrix is not symmetric, and a few rows with far more entries than
 *     others cause most of the fill: ILUT, p 20, tol 1e-4, order rcm
 *   the matrix is not symmetric, and a few rows with far more entries than
 *     others cause most of the fill: ILUT, p 20, tol 1e-4
 *   the matrix is not symmetric, its couplings have the sign opposite to the
 *     diagonal and exceed it by far in many rows: ILUT, p 20, tol 1e-4,
 *     transversal, order rcm
 *   the matrix is not symmetric: ILDU0
 *
 * lcl_chain_reason() is the sentence of the rule for the matrix alone. If the
 * caller names a solver, rules for matrices that are not symmetric apply to
 * symmetric ones, too, where none before them holds.
 *
 * The diagonal dominates a row if its couplings add up to at most 0.9 of its
 * diagonal entry: the condition number of D^-1 A is below 19 if it dominates
 * every row. It dominates nearly every row if they add up to more in at most
 * half of the rows, on a CPU a tenth, and to more than 1.5 of it in at most
 * 0.01 of them; on a CPU not if 0.9 of their weight have the sign opposite to
 * the diagonal, and never if A is symmetric.
 * An inverse is small, and AMG of one level a dense inverse, for up to 1000
 * rows, except on a CPU, on several devices and where diagonal entries are
 * missing. Rows are long and few for up to 32768 rows of at least 10 couplings
 * on average, with the same exceptions and not for blocks: factors have too
 * many levels.
 * Near-null vectors and signs of couplings count for definite A of 4096 rows or
 * more, 32768 on several devices and on a CPU unless its rows are as short as
 * those of problems in the plane, without reproducible communication; signs, if
 * at least 0.9 of the weight of its couplings has the sign opposite to the
 * diagonal and they add up to more than 1.5 of the diagonal entry in at most
 * 0.1 of the rows: most rows of badly scaled matrices are such.
 * An unknown p is coupled like a pressure in matrices of 4096 blocks of 2 to 4
 * rows or more, on a CPU 16384, on one device, if in nearly all of a sample of
 * rows of blocks the diagonal entries (p, p) of A_ii^-1 A_ij, j /= i, add up to
 * 0.9 to 1.5 with negative sign, and to less for all others.
 * Large entries are permuted to the diagonal on a CPU (p 50) if more than half
 * of the diagonal entries are missing, on one other device (p 20) if any are.
 * Blocks lack no diagonal entries. A few rows cause most of the fill if an
 * entry lies, on average, in a row at least 4 times as long as the mean row;
 * not for blocks. On a CPU, and not for blocks, couplings exceed the diagonal
 * by far in many rows if in at least 0.1 of all rows they add up to more
 * than 1.5 of the diagonal entry; then at least 0.8 of their weight must have
 * the opposite sign. ILUK has level 1, and
 * level 3 of the whole matrix on a CPU for up to 65536 rows.
 *
 * If one type is named, there is one method. If both are DEFAULT, methods
 * follow that are slower but solve more matrices. All take the parameters of
 * the solver, with idr_s 8 and restart 100 where those are 0; of precond the
 * later ones take elimination, refresh, pivot_tol, block_jacobi, amg and cpr.
 * Their order depends on the matrix and the device alone, so that results
 * repeat. The later methods are those of these that apply, in this order:
 *   definite, after IC0: CG with AMG
 *   definite, after others: CG with IC0
 *   definite, much was dropped: CG with AS, overlap 1, fp64 factors, shifted
 *     pivots
 *   definite, if its factors fit: CG with IC0, of the whole matrix, order
 *     rcm
 *   symmetric, not after MINRES: MINRES with JACOBI
 *   symmetric, after MINRES: BICGSTAB with ILDU0
 *   symmetric, after MINRES, if diagonal entries are missing, on a CPU:
 *     BICGSTAB with ILUK, level 3, of the whole matrix
 *   symmetric, after MINRES, if diagonal entries are missing, otherwise:
 *     BICGSTAB with ILDU0, transversal
 *   any, up to 8192 rows, on one device, not a CPU: GMRES with AMG, dense
 *     inverse
 *   any, on a CPU, if its factors fit and SuiteSparse is there: GMRES with LU
 *   any, on a CPU, if its factors fit: IDR with ILUT, p 20, tol 1e-4,
 *     transversal, order rcm
 *   any, not after ILUK and ILUT, much was dropped: IDR with RAS, overlap 1,
 *     fp64 factors, shifted pivots
 *   any, not after ILUK and ILUT, little was dropped: IDR with ILDU0, fp64
 *     factors, shifted pivots
 *   any, otherwise: IDR with ILUT, p 20, tol 1e-4, of subdomains, transversal
 *   any, on one device, unless tried, if its factors fit and SuiteSparse is
 *     there: GMRES with LU
 *   any, if its factors fit: GMRES with ILUT, p 200, tol 1e-6, transversal,
 *     order rcm
 *   any, otherwise: GMRES with ILUT, p 200, tol 1e-6, of subdomains,
 *     transversal
 *   any: GMRES with NONE
 *   no matrix: IDR with that of the first
 *   no matrix: GMRES with that of the first
 *
 * Definite and symmetric are as above. Once CG has found that a matrix is not
 * definite, MINRES follows instead of further CG; until then MINRES is left out
 * if A looks definite. The dense inverse is left out after AMG of one level and
 * if precond names something of subdomains. Blocks have no transversals and
 * no order.
 *
 * Much was dropped if the factors before dropped at least 0.05 of the couplings
 * between subdomains (dropped_share of lcl_factors_info). Factors of the whole
 * matrix must fit half of the device's memory at 32 bytes per entry, where
 * ILUT(p, tol) counts as 2 p + 1 entries per row: otherwise, and for blocks,
 * ILUT works on subdomains, and there is no IC0 of the whole matrix.
 *
 * A callback has no preconditioner. max_iters applies to the sum of iterations,
 * of which each method but the last may take half of what is left. Without
 * params->stagnation, a method ends after 500 iterations
 * without progress. What the parameters point to must live as long as the
 * chain.
 *
 * Returns the statuses of lcl_precond_create() and lcl_solver_create() of the
 * first method; one that refuses the matrix is left out unless precond names
 * something of its subdomains. On error *out is NULL. */
LCL_NODISCARD LCL_API enum lcl_status lcl_chain_create(
    lcl_chain **out, lcl_operator *A, const struct lcl_precond_params *precond,
    const struct lcl_solver_params *solver);

/* Takes the values that A has now, as lcl_precond_update(). What
 * lcl_chain_create() chose by values is chosen anew: if that gives other
 * methods, the first one of them is set up; otherwise the method in use stays.
 * If the one in use refuses them and others follow, the next solve sets up the
 * next one; lcl_chain_precond() is NULL until then. */
LCL_NODISCARD LCL_API enum lcl_status lcl_chain_update(lcl_chain *C);

/* As lcl_solver_set_tolerance(), for all methods of the chain. */
LCL_NODISCARD LCL_API enum lcl_status lcl_chain_set_tolerance(lcl_chain *C,
                                                              double rtol,
                                                              double atol,
                                                              int max_iters);

/* Ends the solve in progress, that of all columns, or the update, which returns
 * LCL_ECANCELLED; if there is none, the next one that has something to do. Ends
 * in an iteration as lcl_solver_cancel(), and in a set-up within the time of a
 * kernel or of what the host does between two looks at the clock. Of the ranks
 * of MPI, one has to call it, and better all: a set-up ends where they agree,
 * after the subdomains, the levels of multigrid and the numeric phase, and the
 * one that is first waits for the others. All ranks return the same status. May
 * be called from any thread and from a signal handler while C exists. NULL: no
 * effect. */
LCL_API void lcl_chain_cancel(lcl_chain *C);

/* Solves as lcl_solver_solve(), which see, with the method that succeeded last
 * and then with those after it, each from the best x so far. A method whose
 * set-up fails for reasons of the matrix or for lack of device memory is left
 * out, and so is one of ILUK or ILUT, after another method, whose pattern takes
 * more than 5 times the operations with entries of the iterations before it,
 * and of 2000 passes over A; its status is LCL_ECANCELLED.
 *
 * params->time_limit bounds the solve with its set-ups, the one of
 * lcl_chain_create() or lcl_chain_update() before it included, and those
 * functions alone, which return LCL_ECANCELLED then; a set-up ends as by
 * lcl_chain_cancel(), on all ranks once the time of one is over. A solve that
 * it ends in a set-up returns LCL_ITERATION_LIMIT with LCL_STOP_TIME_LIMIT and
 * the best x so far; its residuals are NaN if no method has run. The next solve
 * begins with the first method again. The report has the sums over all methods;
 * its history is valid until the next solve. Returns the status of the last
 * method that ran, or an error. */
LCL_NODISCARD LCL_API enum lcl_status lcl_chain_solve(
    lcl_chain *C, const double *b, double *x, struct lcl_report *report);

/* Solves A X = B as lcl_solver_solve_many(), each column as by
 * lcl_chain_solve(). If lcl_solver_solve_many() lets columns share passes with
 * the method in use and the tolerance is not relative to ||r0||, that method
 * first solves all of them; a column that it does not solve goes on with the
 * next methods, alone. Columns after those that the monitor, the convergence
 * test, the time limit or lcl_chain_cancel() gave up are left as they are.
 * `reports` has `count` entries or is NULL; the stop reason of a column that
 * was not solved is NONE; the histories are valid until the next solve or
 * update. Returns as lcl_solver_solve_many(). */
LCL_NODISCARD LCL_API enum lcl_status lcl_chain_solve_many(
    lcl_chain *C, const double *B, int64_t ldb, double *X, int64_t ldx,
    int count, struct lcl_report *reports);

/* Attempt number `index` of the last solve, from 0, the second one for one of
 * several columns, from 0; NULL past the end. Valid until the next solve or
 * update. */
LCL_API const struct lcl_attempt *lcl_chain_attempt(const lcl_chain *C,
                                                    int index);
LCL_API const struct lcl_attempt *lcl_chain_column_attempt(const lcl_chain *C,
                                                           int column,
                                                           int index);

/* Replaces types that are DEFAULT by those with which lcl_chain_create() begins
 * and sets the parameters that belong to them, for callers who create M and S
 * themselves. Without `solver`, M is for any Krylov method of the caller's:
 * symmetric and definite if A looks so. Looks at the matrix if a type is to be
 * chosen and that was not done; with a communicator all ranks call it. Returns
 * LCL_OK, LCL_EINVAL for NULL, or an error of the device; then nothing is
 * changed. */
LCL_NODISCARD LCL_API enum lcl_status lcl_choose_method(
    lcl_operator *A, struct lcl_precond_params *precond,
    struct lcl_solver_params *solver);

/* A sentence that says why the first method was chosen; "": it was named. */
LCL_API const char *lcl_chain_reason(const lcl_chain *C);

/* The preconditioner and the solver in use, which the chain owns and the next
 * solve may replace; NULL if none is set up. */
LCL_API const lcl_precond *lcl_chain_precond(const lcl_chain *C);
LCL_API const lcl_solver *lcl_chain_solver(const lcl_chain *C);

LCL_API void lcl_chain_destroy(lcl_chain **C);

LCL_END_DECLS

#endif
