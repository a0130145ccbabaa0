// SPDX-License-Identifier: BSD-3-Clause
// The methods of a chain.
#include "lib/chain/plan.h"

#include "lib/chain/choose.h"
#include "lib/chain/pressure.h"

#include <math.h>

// Iterations without progress after which the next method is tried; BiCGSTAB
// takes 380 of them on utm5940, which it then solves.
enum { PATIENCE = 500 };

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

static void append(struct lcl_plan *P, const struct lcl_method *method)
{
    P->method[P->count++] = *method;
}

// Of the caller's parameters those that any type takes and that do not make a
// method what it is.
static struct lcl_precond_params complete(
    const struct lcl_precond_params *own,
    const struct lcl_precond_params *given)
{
    if (!own->type)
        return *given;
    struct lcl_precond_params p = *own;
    p.elimination = given->elimination;
    p.pivot_tol = given->pivot_tol;
    p.refresh = given->refresh;
    p.block_jacobi = given->block_jacobi;
    p.amg = given->amg;
    if (own->amg.coarse_rows)
        p.amg.coarse_rows = own->amg.coarse_rows;
    p.cpr = given->cpr;
    return p;
}

// With larger bases unless the caller says how large they are. Blocks have no
// transversal and no order.
static void append_later(struct lcl_plan *P, const lcl_operator *A,
                         const struct lcl_later *L)
{
    const struct lcl_method *first = &P->method[0];
    struct lcl_method m = {.precond = complete(&L->precond, &first->precond),
                           .solver = first->solver,
                           .variant = L->variant,
                           .dropped = L->dropped};
    m.solver.type = L->solver;
    if (m.solver.idr_s == 0)
        m.solver.idr_s = LCL_IDR_MAX_S;
    if (m.solver.restart == 0)
        m.solver.restart = 100;
    if (L->precond.type && A->info.block_size > 1) {
        m.precond.transversal = false;
        m.precond.order = LCL_ORDER_NONE;
    }
    append(P, &m);
}

static void append_all(struct lcl_plan *P, const lcl_operator *A,
                       enum lcl_shape shape)
{
    const struct lcl_method *first = &P->method[0];
    const struct lcl_setting setting = {A, first->solver.type,
                                        first->precond.type, P->asked};
    for (int k = 0; k < lcl_later_count; ++k) {
        const struct lcl_later *L = &lcl_later[k];
        if ((L->shape & shape) && (!L->holds || L->holds(&setting)))
            append_later(P, A, L);
    }
}

// For Kronecker operators and callbacks.
static void choose_free(struct lcl_plan *P, const lcl_operator *A, bool alone)
{
    struct lcl_method *first = &P->method[0];
    if (first->precond.type == LCL_PRECOND_DEFAULT)
        first->precond.type =
            A->info.kron ? LCL_PRECOND_ILDU0 : LCL_PRECOND_NONE;
    if (first->solver.type == LCL_SOLVER_DEFAULT)
        first->solver.type = LCL_SOLVER_BICGSTAB;
    if (!alone)
        append_all(P, A, LCL_SHAPE_FREE);
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
    const enum lcl_shape shape = lcl_shape_of(&traits);
    P->definite = shape == LCL_SHAPE_DEFINITE;
    append_all(P, A, shape);
    return LCL_OK;
}

static bool is_same(const struct lcl_method *a, const struct lcl_method *b)
{
    const struct lcl_precond_params *p = &a->precond, *q = &b->precond;
    return a->solver.type == b->solver.type && p->type == q->type &&
           p->trisolve == q->trisolve && p->ilu_level == q->ilu_level &&
           p->partition.rows == q->partition.rows && p->ilut_p == q->ilut_p &&
           p->ilut_tol == q->ilut_tol && p->transversal == q->transversal &&
           p->order == q->order && p->cpr.pressure == q->cpr.pressure;
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
    for (int k = 0; P->count > 1 && k < P->count; ++k)
        if (P->method[k].solver.stagnation == 0)
            P->method[k].solver.stagnation = PATIENCE;
    return st;
}
