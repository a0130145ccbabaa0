// SPDX-License-Identifier: BSD-3-Clause
// The methods of a chain.
#include "lib/chain/plan.h"

#include "host/runtime.h"
#include "lib/chain/choose.h"
#include "lib/chain/pressure.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/trisolve/hec_level.h"

#include <limits.h>
#include <math.h>

// Iterations without progress after which the next method is tried; BiCGSTAB
// takes 380 of them on utm5940, which it then solves.
enum { PATIENCE = 500 };

enum { THIN = 20 }; // entries that ILUT keeps of each row of L and of U, first

// Many lanes invert so many rows in the time of some thousand iterations.
enum { DENSE_ROWS = 8192 };

// From this share on, one layer of overlap halved the iterations of IDR(8) or
// better (fidap036, utm5940).
#define MUCH_DROPPED 0.05

// What a set-up after the first method may cost: so many times the methods
// before it, or so many passes over A if those are more. Operations and not
// seconds, so that results repeat.
enum { BUDGET = 5, BUDGET_PASSES = 2000 };

int64_t lcl_chain_budget(double before, int64_t nnz)
{
    const double most = BUDGET * fmax(before, BUDGET_PASSES * (double)nnz);
    return (int64_t)fmin(most, 0x1p62);
}

bool lcl_method_suits(const struct lcl_method *m, double share)
{
    return m->dropped == LCL_DROPPED_ANY ||
           (share >= MUCH_DROPPED) == (m->dropped == LCL_DROPPED_MUCH);
}

static struct lcl_method *append(struct lcl_plan *P,
                                 const struct lcl_method *method)
{
    P->method[P->count] = *method;
    return &P->method[P->count++];
}

// The caller's parameters without those that other types refuse or that make a
// method what it is.
static struct lcl_precond_params for_any_type(
    const struct lcl_precond_params *given)
{
    struct lcl_precond_params p = *given;
    p.type = LCL_PRECOND_DEFAULT;
    p.trisolve = LCL_TRISOLVE_DEFAULT;
    p.partition = (struct lcl_partition_params){.rows = 0};
    p.pivot = LCL_PIVOT_DEFAULT;
    p.relax = p.ilut_tol = 0;
    p.ilu_level = p.ilut_p = p.overlap = 0;
    p.transversal = false;
    p.coarse = LCL_COARSE_AUTO;
    p.storage = LCL_FACTOR_STORAGE_DEFAULT;
    return p;
}

// A method with the caller's parameters, and larger bases unless the caller
// says how large they are.
static struct lcl_method *append_solver(struct lcl_plan *P,
                                        enum lcl_solver_type type,
                                        const char *variant)
{
    const struct lcl_method *first = &P->method[0];
    struct lcl_method m = {.precond = for_any_type(&first->precond),
                           .solver = first->solver,
                           .variant = variant};
    m.solver.type = type;
    if (m.solver.idr_s == 0)
        m.solver.idr_s = LCL_IDR_MAX_S;
    if (m.solver.restart == 0)
        m.solver.restart = 100;
    return append(P, &m);
}

// Overlapping subdomains, where many couplings between them were dropped.
static void append_schwarz(struct lcl_plan *P, enum lcl_solver_type solver,
                           enum lcl_precond_type type)
{
    struct lcl_method *m =
        append_solver(P, solver, "overlap 1, fp64 factors, shifted pivots");
    m->precond.type = type;
    m->precond.overlap = 1;
    m->precond.storage = LCL_FACTOR_STORAGE_FP64;
    m->precond.pivot = LCL_PIVOT_SHIFT;
    m->dropped = LCL_DROPPED_MUCH;
}

// Whether factors of the whole matrix with so many entries per row fit half of
// the device's memory; blocks have none.
static bool whole_fits(const lcl_operator *A, double row_entries)
{
    const struct lcl_caps *caps = lcl_context_caps(A->range.ctx);
    const double n = (double)A->range.n;
    return A->info.block_size == 1 &&
           n * fmin(row_entries, n) * LCL_LEVEL_ENTRY_BYTES <=
               0.5 * (double)caps->global_bytes;
}

// Multigrid of one level.
static void append_inverse(struct lcl_plan *P, const struct lcl_traits *T)
{
    const bool tried =
        P->method[0].precond.type == LCL_PRECOND_AMG && T->n <= LCL_COARSE_ROWS;
    if (P->asked || T->serial || T->distributed || tried || T->n > DENSE_ROWS)
        return;
    struct lcl_method *m = append_solver(P, LCL_SOLVER_GMRES, "dense inverse");
    m->precond.type = LCL_PRECOND_AMG;
    m->precond.amg.coarse_rows = DENSE_ROWS;
}

// Level by level.
static void factor_whole(struct lcl_precond_params *p)
{
    p->trisolve = LCL_TRISOLVE_HEC_WAIT;
    p->partition.type = LCL_PARTITION_NATURAL;
    p->partition.rows = INT_MAX;
}

// Whether the factors are of the whole matrix. Many lanes wait in its levels
// far longer than a few more iterations take; there it is the last resort, with
// the most fill.
static bool whole_pays(const lcl_operator *A,
                       const struct lcl_precond_params *fill)
{
    const bool serial = lcl_context_caps(A->range.ctx)->width == 1;
    return (serial || fill->ilut_p > THIN) &&
           whole_fits(A, 2 * fill->ilut_p + 1);
}

// With the large entries on the diagonal; blocks have no transversal.
static void append_ilut(struct lcl_plan *P, const lcl_operator *A,
                        enum lcl_solver_type solver,
                        const struct lcl_precond_params *fill,
                        const char *of_whole, const char *of_subdomains)
{
    const bool whole = whole_pays(A, fill);
    struct lcl_method *m =
        append_solver(P, solver, whole ? of_whole : of_subdomains);
    m->precond.type = LCL_PRECOND_ILUT;
    m->precond.ilut_p = fill->ilut_p;
    m->precond.ilut_tol = fill->ilut_tol;
    m->precond.storage = LCL_FACTOR_STORAGE_FP64;
    m->precond.transversal = A->info.block_size == 1;
    if (whole)
        factor_whole(&m->precond);
}

// The next step from ILDU(0) without overlap; of no use after fill.
static void append_unfilled(struct lcl_plan *P)
{
    append_schwarz(P, LCL_SOLVER_IDR, LCL_PRECOND_RAS);
    struct lcl_method *m =
        append_solver(P, LCL_SOLVER_IDR, "fp64 factors, shifted pivots");
    m->precond.type = LCL_PRECOND_ILDU0;
    m->precond.storage = LCL_FACTOR_STORAGE_FP64;
    m->precond.pivot = LCL_PIVOT_SHIFT;
    m->dropped = LCL_DROPPED_LITTLE;
}

static void append_general(struct lcl_plan *P, const lcl_operator *A)
{
    static const struct lcl_precond_params thin = {.ilut_p = THIN,
                                                   .ilut_tol = 1e-4},
                                           thick = {.ilut_p = 200,
                                                    .ilut_tol = 1e-6};
    const enum lcl_precond_type first = P->method[0].precond.type;
    if (first != LCL_PRECOND_ILUK && first != LCL_PRECOND_ILUT)
        append_unfilled(P);
    append_ilut(P, A, LCL_SOLVER_IDR, &thin, "p 20, tol 1e-4",
                "p 20, tol 1e-4, of subdomains");
    append_ilut(P, A, LCL_SOLVER_GMRES, &thick, "p 200, tol 1e-6",
                "p 200, tol 1e-6, of subdomains");
    append_solver(P, LCL_SOLVER_GMRES, "")->precond.type = LCL_PRECOND_NONE;
}

static void append_definite(struct lcl_plan *P, const lcl_operator *A,
                            enum lcl_precond_type first)
{
    append_solver(P, LCL_SOLVER_CG, "")->precond.type =
        first == LCL_PRECOND_IC0 ? LCL_PRECOND_AMG : LCL_PRECOND_IC0;
    append_schwarz(P, LCL_SOLVER_CG, LCL_PRECOND_AS);
    if (!whole_fits(A, (double)A->info.nnz / (double)A->range.n))
        return;
    struct lcl_method *m =
        append_solver(P, LCL_SOLVER_CG, "of the whole matrix");
    m->precond.type = LCL_PRECOND_IC0;
    m->precond.storage = LCL_FACTOR_STORAGE_FP64;
    factor_whole(&m->precond);
}

// For symmetric matrices: MINRES, or what follows if it came first.
static void append_indefinite(struct lcl_plan *P, const lcl_operator *A)
{
    if (P->method[0].solver.type != LCL_SOLVER_MINRES) {
        append_solver(P, LCL_SOLVER_MINRES, "")->precond.type =
            LCL_PRECOND_JACOBI;
        return;
    }
    struct lcl_method *m = append_solver(P, LCL_SOLVER_BICGSTAB, "");
    m->precond.type = LCL_PRECOND_ILDU0;
    const struct lcl_traits traits = lcl_traits_of(A);
    m->precond.transversal = lcl_lacks_diagonals(&traits);
}

// For Kronecker operators and callbacks.
static void choose_free(struct lcl_plan *P, const lcl_operator *A, bool alone)
{
    if (!alone) {
        const struct lcl_precond_params *given = &P->method[0].precond;
        append_solver(P, LCL_SOLVER_IDR, "")->precond = *given;
        append_solver(P, LCL_SOLVER_GMRES, "")->precond = *given;
    }
    if (P->method[0].solver.type == LCL_SOLVER_DEFAULT)
        P->method[0].solver.type = LCL_SOLVER_BICGSTAB;
    for (int k = 0; k < P->count; ++k)
        if (P->method[k].precond.type == LCL_PRECOND_DEFAULT)
            P->method[k].precond.type =
                A->info.kron ? LCL_PRECOND_ILDU0 : LCL_PRECOND_NONE;
}

// For an operator with a matrix.
static enum lcl_status choose(struct lcl_plan *P, lcl_operator *A, bool alone)
{
    struct lcl_method *first = &P->method[0];
    enum lcl_status st = lcl_operator_look(A);
    if (st < 0)
        return st;
    struct lcl_traits traits = lcl_traits_of(A);
    traits.modes = lcl_operator_has_near_nullspace(A);
    if ((st = lcl_space_all(&A->range, &traits.modes)) < 0)
        return st;
    if (lcl_seeks_pressure(&traits, &first->precond, first->solver.type) &&
        (st = lcl_pressure_find(&traits.pressure, A)) < 0)
        return st;
    lcl_choose(&first->precond, &first->solver, &P->reason, &traits);
    if (alone)
        return LCL_OK;
    P->definite = lcl_look_is_definite(&A->look, A->range.total);
    if (P->definite)
        append_definite(P, A, first->precond.type);
    if (A->look.symmetric)
        append_indefinite(P, A);
    append_inverse(P, &traits);
    append_general(P, A);
    return LCL_OK;
}

static bool is_same(const struct lcl_method *a, const struct lcl_method *b)
{
    const struct lcl_precond_params *p = &a->precond, *q = &b->precond;
    return a->solver.type == b->solver.type && p->type == q->type &&
           p->trisolve == q->trisolve && p->ilut_p == q->ilut_p &&
           p->ilut_tol == q->ilut_tol && p->transversal == q->transversal &&
           p->cpr.pressure == q->cpr.pressure;
}

bool lcl_plan_is_same(const struct lcl_plan *P, const struct lcl_plan *Q)
{
    bool same = P->count == Q->count;
    for (int k = 0; k < P->count && same; ++k)
        same = is_same(&P->method[k], &Q->method[k]);
    return same;
}

enum lcl_status lcl_plan_make(struct lcl_plan *P, lcl_operator *A,
                              const struct lcl_precond_params *precond,
                              const struct lcl_solver_params *solver)
{
    const bool alone = precond->type || solver->type;
    enum lcl_status st = LCL_OK;
    *P =
        (struct lcl_plan){.reason = "", .asked = lcl_wants_subdomains(precond)};
    append(P, &(struct lcl_method){
                  .precond = *precond, .solver = *solver, .variant = ""});
    if (precond->type && solver->type)
        return LCL_OK;
    if (lcl_operator_is_matrix(A))
        st = choose(P, A, alone);
    else
        choose_free(P, A, alone);
    for (int k = 0; k < P->count - 1; ++k)
        if (P->method[k].solver.stagnation == 0)
            P->method[k].solver.stagnation = PATIENCE;
    return st;
}
