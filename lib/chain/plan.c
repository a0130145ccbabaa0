// SPDX-License-Identifier: BSD-3-Clause
// The methods of a chain.
#include "lib/chain/plan.h"

#include "lib/chain/choose.h"

#include <limits.h>

// Iterations without progress after which the next method is tried.
enum { PATIENCE = 1000 };

static struct lcl_method *append(struct lcl_plan *P,
                                 const struct lcl_method *method)
{
    P->method[P->count] = *method;
    return &P->method[P->count++];
}

// A method with the caller's tolerances and monitor, all else by default.
static struct lcl_method *append_solver(struct lcl_plan *P,
                                        enum lcl_solver_type type,
                                        const char *variant)
{
    const struct lcl_solver_params *given = &P->method[0].solver;
    return append(P, &(struct lcl_method){.solver = {.type = type,
                                                     .rtol = given->rtol,
                                                     .atol = given->atol,
                                                     .idr_s = LCL_IDR_MAX_S,
                                                     .restart = 100},
                                          .variant = variant});
}

// The factors of the whole matrix, level by level; blocks: of subdomains.
static void factor_whole(struct lcl_precond_params *p, int block)
{
    p->storage = LCL_FACTOR_STORAGE_FP64;
    if (block > 1)
        return;
    p->trisolve = LCL_TRISOLVE_HEC_LEVEL;
    p->partition.type = LCL_PARTITION_NATURAL;
    p->partition.rows = INT_MAX;
}

// With the large entries on the diagonal; blocks have no transversal.
static void append_ilut(struct lcl_plan *P, enum lcl_solver_type solver, int p,
                        double tol, int block, const char *variant)
{
    struct lcl_method *m = append_solver(P, solver, variant);
    m->precond.type = LCL_PRECOND_ILUT;
    m->precond.ilut_p = p;
    m->precond.ilut_tol = tol;
    m->precond.transversal = block == 1;
    factor_whole(&m->precond, block);
}

static void append_general(struct lcl_plan *P, int block)
{
    struct lcl_method *m =
        append_solver(P, LCL_SOLVER_IDR, "fp64 factors, shifted pivots");
    m->precond.type = LCL_PRECOND_ILDU0;
    m->precond.storage = LCL_FACTOR_STORAGE_FP64;
    m->precond.pivot = LCL_PIVOT_SHIFT;
    append_ilut(P, LCL_SOLVER_IDR, 20, 1e-4, block, "p 20, tol 1e-4");
    append_ilut(P, LCL_SOLVER_GMRES, 200, 1e-6, block, "p 200, tol 1e-6");
    m = append_solver(P, LCL_SOLVER_GMRES, "");
    m->precond.type = LCL_PRECOND_NONE;
}

static void append_definite(struct lcl_plan *P, int block,
                            enum lcl_precond_type first)
{
    const bool multigrid = first == LCL_PRECOND_AMG;
    append_solver(P, LCL_SOLVER_CG, "")->precond.type =
        multigrid ? LCL_PRECOND_IC0 : LCL_PRECOND_AMG;
    if (block > 1)
        return;
    struct lcl_method *m =
        append_solver(P, LCL_SOLVER_CG, "of the whole matrix");
    m->precond.type = LCL_PRECOND_IC0;
    factor_whole(&m->precond, block);
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
    m->precond.transversal = lcl_lacks_diagonals(A);
}

// For Kronecker operators and callbacks.
static void choose_free(struct lcl_plan *P, const lcl_operator *A, bool alone)
{
    if (!alone) {
        append_solver(P, LCL_SOLVER_IDR, "");
        append_solver(P, LCL_SOLVER_GMRES, "");
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
    const int block = A->info.block_size;
    const enum lcl_status st = lcl_operator_look(A);
    if (st < 0)
        return st;
    lcl_choose(&first->precond, &first->solver, &P->reason, A);
    if (alone)
        return LCL_OK;
    P->definite = lcl_look_is_definite(&A->look, A->range.total);
    if (P->definite)
        append_definite(P, block, first->precond.type);
    if (A->look.symmetric)
        append_indefinite(P, A);
    append_general(P, block);
    return LCL_OK;
}

enum lcl_status lcl_plan_make(struct lcl_plan *P, lcl_operator *A,
                              const struct lcl_precond_params *precond,
                              const struct lcl_solver_params *solver)
{
    const bool alone = precond->type || solver->type;
    enum lcl_status st = LCL_OK;
    *P =
        (struct lcl_plan){.reason = "", .asked = lcl_wants_subdomains(precond)};
    append(P, &(struct lcl_method){*precond, *solver, ""});
    if (precond->type && solver->type)
        return LCL_OK;
    if (A->matrix || A->team)
        st = choose(P, A, alone);
    else
        choose_free(P, A, alone);
    for (int k = 0; k < P->count - 1; ++k)
        if (P->method[k].solver.stagnation == 0)
            P->method[k].solver.stagnation = PATIENCE;
    return st;
}
