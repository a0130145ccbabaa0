// SPDX-License-Identifier: BSD-3-Clause
// The method that a matrix suggests.
#include "lib/chain/choose.h"

// From so many rows on, multigrid is faster than IC(0) on a GPU, set-up
// included, if so much of the weight of the couplings has the sign that a
// discretised elliptic operator has.
enum { ELLIPTIC_ROWS = 4096 };
#define ELLIPTIC_WEIGHT 0.9

bool lcl_wants_subdomains(const struct lcl_precond_params *p)
{
    return p->trisolve || p->partition.type || p->partition.weights ||
           p->partition.rows > 0 || p->pivot || p->pivot_tol > 0 ||
           p->relax > 0 || (int)p->coarse > 0 || p->storage || p->transversal;
}

// On several devices each has a multigrid method of its own, which then is no
// better than IC(0).
static bool is_elliptic(const struct lcl_traits *T)
{
    return !T->distributed && T->n >= ELLIPTIC_ROWS &&
           T->look->opposite >= ELLIPTIC_WEIGHT && T->look->close > 0;
}

bool lcl_lacks_diagonals(const struct lcl_traits *T)
{
    return T->block_size == 1 && T->look->positive + T->look->negative < T->n;
}

// Whether M of this type is symmetric and definite if A is.
static bool suits_cg(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_NONE || type == LCL_PRECOND_JACOBI ||
           type == LCL_PRECOND_BLOCK_JACOBI || type == LCL_PRECOND_IC0 ||
           type == LCL_PRECOND_AS || type == LCL_PRECOND_AMG;
}

static bool is_cg(enum lcl_solver_type type)
{
    return type == LCL_SOLVER_CG || type == LCL_SOLVER_CG_PIPELINED;
}

// As suits_cg() if A is only symmetric.
static bool suits_minres(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_NONE || type == LCL_PRECOND_JACOBI;
}

// |D| is definite for any A, IC(0) if the diagonal has one sign.
static enum lcl_precond_type for_minres(const struct lcl_precond_params *p)
{
    return lcl_wants_subdomains(p) ? LCL_PRECOND_IC0 : LCL_PRECOND_JACOBI;
}

void lcl_choose(struct lcl_precond_params *precond,
                struct lcl_solver_params *solver, const char **reason,
                const struct lcl_traits *T)
{
    const bool definite = lcl_look_is_definite(T->look, T->n);
    const bool indefinite = T->look->symmetric && !definite;
    const bool elliptic = definite && is_elliptic(T);
    const bool chosen = precond->type == LCL_PRECOND_DEFAULT;
    const bool for_cg =
        definite && !precond->transversal &&
        (solver->type == LCL_SOLVER_DEFAULT || is_cg(solver->type));
    *reason = elliptic   ? "the matrix is symmetric, its diagonal has one sign "
                           "and its couplings have the other"
              : definite ? "the matrix is symmetric and its diagonal has one "
                           "sign"
              : T->look->symmetric
                  ? "the matrix is symmetric, but its diagonal has both signs "
                    "or zeros"
                  : "the matrix is not symmetric";
    if (precond->type == LCL_PRECOND_DEFAULT)
        precond->type =
            solver->type == LCL_SOLVER_CG_PUBLISHED ? LCL_PRECOND_NONE
            : solver->type == LCL_SOLVER_MINRES     ? for_minres(precond)
            : indefinite && !solver->type && !lcl_wants_subdomains(precond)
                ? LCL_PRECOND_JACOBI
            : !for_cg                                    ? LCL_PRECOND_ILDU0
            : elliptic && !lcl_wants_subdomains(precond) ? LCL_PRECOND_AMG
                                                         : LCL_PRECOND_IC0;
    if (precond->type == LCL_PRECOND_ILDU0 && chosen &&
        lcl_lacks_diagonals(T) && !lcl_wants_subdomains(precond))
        precond->transversal = true;
    if (solver->type == LCL_SOLVER_DEFAULT)
        solver->type = definite && suits_cg(precond->type) ? LCL_SOLVER_CG
                       : indefinite && suits_minres(precond->type)
                           ? LCL_SOLVER_MINRES
                           : LCL_SOLVER_BICGSTAB;
}
