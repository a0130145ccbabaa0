// SPDX-License-Identifier: BSD-3-Clause
// Solvers on several devices: one on each rank, which run the same method.
#include "lib/krylov/team_solver.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#include <math.h>
#include <string.h>

struct creation {
    lcl_solver *S;
    const struct lcl_solver_params *params;
};

static enum lcl_status create_member(void *arg, int rank)
{
    const struct creation *c = arg;
    lcl_solver *S = c->S;
    lcl_precond *M = S->precond ? lcl_precond_member(S->precond, rank) : NULL;
    return lcl_solver_create(&S->member[rank], S->A->team->part[rank], M,
                             c->params);
}

enum lcl_status lcl_team_solver_create(lcl_solver **out, lcl_operator *A,
                                       lcl_precond *M,
                                       const struct lcl_solver_params *params)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const struct lcl_team_operator *T = A->team;
    lcl_solver *S = *out = lcl_calloc(1, sizeof *S);
    struct creation c = {S, params};
    if (!S)
        return lcl_fail_memory(log, "a solver");
    *S = (lcl_solver){.ctx = A->range.ctx, .A = A, .precond = M};
    lcl_operator_use(A, 1);
    S->member = lcl_calloc((size_t)T->distribution.size, sizeof(lcl_solver *));
    if (!S->member)
        return lcl_fail_memory(log, "a solver");
    const enum lcl_status st = lcl_team_run(T->team, create_member, &c);
    if (st >= 0)
        S->params = S->member[0]->params;
    return st;
}

void lcl_team_solver_finish(lcl_solver *S)
{
    const int size = S->A->team->distribution.size;
    for (int r = 0; S->member && r < size; ++r)
        lcl_solver_destroy(&S->member[r]);
    lcl_free(S->member);
}

// ------------------------------------------------------------------- solve

struct solving {
    lcl_solver *S;
    const double *b;
    double *x;
    struct lcl_report *report; // of rank 0
};

static enum lcl_status solve_member(void *arg, int rank)
{
    const struct solving *s = arg;
    const int64_t first = lcl_team_first(s->S->A->team, rank);
    lcl_solver *own = s->S->member[rank];
    own->params = s->S->params;
    return lcl_solver_solve(own, s->b + first, s->x + first,
                            rank == 0 ? s->report : NULL);
}

enum lcl_status lcl_team_solver_solve(lcl_solver *S, const double *b, double *x,
                                      struct lcl_report *report)
{
    const struct lcl_team_operator *T = S->A->team;
    struct lcl_report own = LCL_REPORT_INIT;
    struct solving s = {S, lcl_team_spread(T, b, T->in), T->out, &own};
    const double *start = lcl_team_spread(T, x, T->out);
    if (start == x)
        memcpy(T->out, x, (size_t)S->A->range.n * sizeof *x);
    const enum lcl_status st = lcl_team_run(T->team, solve_member, &s);
    if (st < 0)
        return st;
    lcl_team_collect(T, x);
    lcl_team_note_products(S->A);
    if (S->precond)
        lcl_precond_record(S->precond, own.iterations, own.stop > 0,
                           sqrt(S->member[0]->start_rr),
                           sqrt(S->member[0]->rr));
    if (report)
        *report = own;
    return st;
}
