// SPDX-License-Identifier: BSD-3-Clause
// Public interface of Krylov solvers: parameters, vectors, report and status.
#include "lib/krylov/cycles.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/best.h"
#include "lib/krylov/methods.h"
#include "lib/krylov/team_solver.h"
#include "lib/krylov/verify.h"
#include "lib/matrix/view.h"
#include "lib/operator/modes.h"
#include "lib/vector/segments.h"

#include <float.h>
#include <math.h>

// Reports a NULL argument; the object itself may be NULL.
static enum lcl_status refuse_null(const lcl_solver *S, const char *function)
{
    return lcl_misuse(S ? lcl_context_log(S->ctx) : NULL,
                      "%s: an argument is NULL", function);
}

// ------------------------------------------------------------------- create

static enum lcl_status check_limits(const struct lcl_solver_params *p,
                                    const struct lcl_log *log)
{
    if (!(p->time_limit >= 0))
        return lcl_fail(log, LCL_EINVAL, "time_limit %g: expected >= 0",
                        p->time_limit);
    if (!(p->rtol >= 0 && p->rtol < 1) || !(p->atol >= 0) || isinf(p->atol))
        return lcl_fail(
            log, LCL_EINVAL,
            "rtol %g, atol %g: expected 0 <= rtol < 1 and finite atol >= 0",
            p->rtol, p->atol);
    if (p->relative_to == LCL_RELATIVE_TO_REFERENCE &&
        (!(p->reference > 0) || isinf(p->reference)))
        return lcl_fail(log, LCL_EINVAL,
                        "reference %g: expected a positive number",
                        p->reference);
    if ((unsigned)p->relative_to >= LCL_RELATIVE_TO_COUNT)
        return lcl_misuse(log, "lcl_solver_create: unknown relative_to %d",
                          (int)p->relative_to);
    if (p->monitor_every < 0)
        return lcl_fail(log, LCL_EINVAL, "monitor_every %d: expected >= 0",
                        p->monitor_every);
    if (!(p->divergence >= 0))
        return lcl_fail(log, LCL_EINVAL, "divergence %g: expected >= 0",
                        p->divergence);
    if (p->max_iters < 0 || p->stagnation < 0)
        return lcl_fail(log, LCL_EINVAL,
                        "max_iters %d, stagnation %d: expected >= 0",
                        p->max_iters, p->stagnation);
    return LCL_OK;
}

static void resolve_limits(struct lcl_solver_params *p)
{
    if (p->rtol == 0 && !p->rtol_may_be_zero)
        p->rtol = 1e-8;
    if (p->max_iters == 0)
        p->max_iters = LCL_MAX_ITERS;
}

enum lcl_status lcl_krylov_set_limits(struct lcl_solver_params *p, double rtol,
                                      double atol, int max_iters,
                                      const struct lcl_log *log)
{
    struct lcl_solver_params next = *p;
    next.rtol = rtol;
    next.atol = atol;
    next.max_iters = max_iters;
    const enum lcl_status st = check_limits(&next, log);
    if (st < 0)
        return st;
    resolve_limits(&next);
    *p = next;
    return LCL_OK;
}

static enum lcl_status copy_params(struct lcl_solver_params *p,
                                   const struct lcl_solver_params *params,
                                   const struct lcl_log *log)
{
    static const struct lcl_solver_params defaults = LCL_SOLVER_PARAMS_INIT;
    enum lcl_status st;
    *p = params ? *params : defaults;
    if ((unsigned)p->type >= LCL_SOLVER_COUNT)
        return lcl_misuse(log, "lcl_solver_create: unknown type %d",
                          (int)p->type);
    if ((st = check_limits(p, log)) < 0)
        return st;
    if (p->idr_s < 0 || p->idr_s > LCL_IDR_MAX_S)
        return lcl_fail(log, LCL_EINVAL,
                        "idr_s %d: expected 1 to %d, or 0 for the default",
                        p->idr_s, (int)LCL_IDR_MAX_S);
    if (p->restart < 0 || p->restart > LCL_GMRES_MAX_RESTART)
        return lcl_fail(log, LCL_EINVAL,
                        "restart %d: expected 1 to %d, or 0 for the default",
                        p->restart, (int)LCL_GMRES_MAX_RESTART);
    if ((unsigned)p->basis >= LCL_BASIS_COUNT)
        return lcl_misuse(log, "lcl_solver_create: unknown basis storage %d",
                          (int)p->basis);
    if ((unsigned)p->orthogonalisation >= LCL_ORTHOGONALISATION_COUNT)
        return lcl_misuse(log,
                          "lcl_solver_create: unknown orthogonalisation %d",
                          (int)p->orthogonalisation);
    if ((unsigned)p->side >= LCL_SIDE_COUNT)
        return lcl_misuse(log, "lcl_solver_create: unknown side %d",
                          (int)p->side);
    if ((unsigned)p->norm >= LCL_NORM_COUNT)
        return lcl_misuse(log, "lcl_solver_create: unknown norm %d",
                          (int)p->norm);
    if (p->type == LCL_SOLVER_DEFAULT)
        p->type = LCL_SOLVER_BICGSTAB;
    resolve_limits(p);
    if (p->stagnation == 0)
        p->stagnation = 2000;
    if (p->divergence == 0)
        p->divergence = 1 / DBL_EPSILON;
    if (p->idr_s == 0)
        p->idr_s = 4;
    if (p->restart == 0)
        p->restart = 30;
    if (p->basis == LCL_BASIS_DEFAULT)
        p->basis = LCL_BASIS_FP64;
    if (p->orthogonalisation == LCL_ORTHOGONALISATION_DEFAULT)
        p->orthogonalisation = LCL_ORTHOGONALISATION_CGS2;
    if (p->side == LCL_SIDE_DEFAULT)
        p->side = LCL_SIDE_RIGHT;
    return LCL_OK;
}

static enum lcl_status allocate(lcl_solver *S)
{
    const struct lcl_space *V = &S->A->range;
    lcl_buffer **const vectors[] = {&S->b, &S->x, &S->r, &S->correction};
    const int count = S->start ? 4 : 3;
    enum lcl_status st;
    if ((st = lcl_krylov_vectors(S, vectors, count)) < 0 ||
        (S->start && (st = lcl_modes_kernel(&S->add, S->ctx)) < 0) ||
        (st = lcl_best_init(&S->kept, S)) < 0 ||
        (st = lcl_verify_init(&S->verify, S)) < 0 ||
        (st = lcl_space_sums(&S->sums, V)) < 0)
        return st;
    S->host_sums = lcl_malloc(2 * (size_t)V->groups, sizeof *S->host_sums);
    return S->host_sums
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(S->ctx), "partial sums");
}

// *op = an operator in A's numbering, through T if it has another one.
static enum lcl_status translate(lcl_operator **op, struct lcl_translated *T,
                                 lcl_operator *in, const lcl_operator *A)
{
    *op = in;
    if (lcl_numbering_equal(in->numbering, A->numbering))
        return LCL_OK;
    const enum lcl_status st = lcl_translated_init(T, in, A->numbering);
    *op = &T->op;
    return st;
}

// The symmetric forms. A-DEF2 is for CG and the matrix of M itself.
static enum lcl_status set_symmetric_forms(lcl_solver *S)
{
    const lcl_precond *M = S->precond;
    const lcl_operator *A = S->A;
    enum lcl_status st =
        translate(&S->additive, &S->translated[0], M->additive, A);
    S->M = S->additive;
    if (st < 0 || S->method->facts.definite_precond ||
        !lcl_precond_is_of(M, A) || !M->deflated)
        return st;
    if ((st = translate(&S->deflated, &S->translated[1], M->deflated, A)) < 0)
        return st;
    S->M = S->deflated;
    return translate(&S->start, &S->translated[2], M->start, A);
}

static enum lcl_status project_nullspace(lcl_solver *S)
{
    const lcl_operator *A = S->A;
    lcl_projected_init(&S->projected, A, &S->right_null);
    const enum lcl_status st = lcl_projection_init(&S->right_null, A, &A->null);
    return st < 0 ? st : lcl_projection_init(&S->left_null, A, &A->left_null);
}

// Sets S->M, or the symmetric forms, from the preconditioner.
static enum lcl_status set_precond(lcl_solver *S)
{
    lcl_precond *M = S->precond;
    lcl_identity_init(&S->none, S->A->range, S->A->numbering);
    S->M = &S->none;
    if (!M || M->op.identity)
        return LCL_OK;
    if (S->method->facts.symmetric && M->additive)
        return set_symmetric_forms(S);
    if (S->method->facts.definite_precond && M->absolute)
        return translate(&S->M, &S->translated[0], M->absolute, S->A);
    return translate(&S->M, &S->translated[0], &M->op, S->A);
}

static enum lcl_status check_symmetric(const lcl_precond *M,
                                       enum lcl_solver_type type,
                                       const struct lcl_log *log)
{
    if (!M || !lcl_solver_facts(type)->symmetric)
        return LCL_OK;
    if (M->info.factors.transversal)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s needs a symmetric preconditioner: no transversal",
                        lcl_solver_name(type));
    if (M->info.type == LCL_PRECOND_RAS || M->info.type == LCL_PRECOND_CPR)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s needs a symmetric preconditioner: take %s instead "
                        "of %s",
                        lcl_solver_name(type),
                        M->info.type == LCL_PRECOND_RAS ? "as" : "amg",
                        lcl_precond_name(M->info.type));
    return LCL_OK;
}

static enum lcl_status check(const lcl_operator *A, const lcl_precond *M,
                             const struct lcl_log *log)
{
    if (A->range.n != A->domain.n)
        return lcl_fail(
            log, LCL_EFORMAT,
            "the operator is %lld x %lld: expected a square operator",
            (long long)A->range.n, (long long)A->domain.n);
    if (!M)
        return LCL_OK;
    if (M->op.range.ctx != A->range.ctx)
        return lcl_misuse(log, "lcl_solver_create: A and M have different "
                               "contexts");
    if (M->op.range.n != A->range.n)
        return lcl_fail(
            log, LCL_EINVAL,
            "the operator has %lld rows, but the preconditioner has %lld",
            (long long)A->range.n, (long long)M->op.range.n);
    return LCL_OK;
}

// Whether there are null vectors that are not constant: sums over ranks make
// these orthonormal.
static bool has_vectors(const struct lcl_null_vectors *N)
{
    return N->count > 0 && !(N->value > 0);
}

static enum lcl_status check_reproducible(const lcl_operator *A,
                                          const struct lcl_solver_params *p,
                                          const struct lcl_log *log)
{
    const char *what =
        !lcl_krylov_method(p->type)->names_dots ? lcl_solver_name(p->type)
        : p->basis != LCL_BASIS_FP64            ? "a basis in fp32"
        : p->orthogonalisation == LCL_ORTHOGONALISATION_MGS
            ? "modified Gram-Schmidt"
        : p->side == LCL_SIDE_LEFT ? "preconditioning from the left"
        : p->norm == LCL_NORM_1    ? "the norm 1"
        : has_vectors(&A->null) || has_vectors(&A->left_null)
            ? "null vectors that are not constant"
            : NULL;
    return A->range.segments && what ? lcl_segments_refuse(what, log) : LCL_OK;
}

// Launches of a callback are unknown.
static bool has_callback(const lcl_solver *S)
{
    return S->A->info.callback ||
           (S->precond && S->precond->info.type == LCL_PRECOND_CALLBACK);
}

// Builds the kernels of A for an iteration and the true residual.
static enum lcl_status prepare(lcl_operator *A)
{
    const enum lcl_status st = lcl_operator_prepare(A, LCL_APPLY_DOT_NORM);
    return st < 0 ? st : lcl_operator_prepare(A, LCL_RESIDUAL);
}

// That of recurrences.
static enum lcl_norm_type loop_norm(enum lcl_norm_type norm)
{
    return norm == LCL_NORM_1 || norm == LCL_NORM_MAX ? norm : LCL_NORM_2;
}

static enum lcl_status create(lcl_solver **out, lcl_operator *A, lcl_precond *M,
                              const struct lcl_solver_params *params)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    struct lcl_solver_params p;
    enum lcl_status st;
    if ((st = check(A, M, log)) < 0 ||
        (st = copy_params(&p, params, log)) < 0 ||
        (st = check_symmetric(M, p.type, log)) < 0 ||
        (st = check_reproducible(A, &p, log)) < 0)
        return st;
    if (p.norm == LCL_NORM_ROWS && A->info.callback)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "norm rows needs the entries of A, which a callback "
                        "does not have");
    if (A->team)
        return lcl_team_solver_create(out, A, M, params);
    lcl_solver *S = lcl_calloc(1, sizeof *S);
    if (!S)
        return lcl_fail_memory(log, "a solver");
    *S = (lcl_solver){.ctx = A->range.ctx,
                      .A = A,
                      .precond = M,
                      .method = lcl_krylov_method(p.type),
                      .params = p};
    lcl_operator_use(A, 1);
    *out = S;
    if ((st = prepare(A)) < 0 || (st = project_nullspace(S)) < 0 ||
        (st = set_precond(S)) < 0)
        return st;
    lcl_krylov_use(S, S->M);
    if ((st = allocate(S)) < 0 || (st = lcl_krylov_create(S)) < 0 ||
        (st = lcl_norm_init(&S->norm, &A->range, loop_norm(p.norm))) < 0)
        return st;
    S->launches += S->norm.launches;
    if (has_callback(S))
        S->launches = 0;
    return LCL_OK;
}

// The length of batches depends on the launches and on whether a device is a
// CPU: it has to be the same on all ranks.
static enum lcl_status agree_on_batches(lcl_solver *S)
{
    const struct lcl_space *V = &S->A->range;
    int64_t launches = S->launches;
    int64_t eager = lcl_context_is_cpu(S->ctx);
    enum lcl_status st;
    if ((st = lcl_space_max(V, &launches)) < 0 ||
        (st = lcl_space_max(V, &eager)) < 0)
        return st;
    S->launches = (int)launches;
    S->eager = eager != 0;
    return LCL_OK;
}

static enum lcl_status expect_equal(const lcl_operator *A, const lcl_precond *M,
                                    const struct lcl_solver_params *params)
{
    static const struct lcl_solver_params defaults = LCL_SOLVER_PARAMS_INIT;
    const struct lcl_solver_params *p = params ? params : &defaults;
    const struct lcl_common all[] = {
        {"a preconditioner", M != NULL},
        {"type", p->type},
        {"rtol", p->rtol},
        {"atol", p->atol},
        {"relative_to", p->relative_to},
        {"reference", p->reference},
        {"max_iters", p->max_iters},
        {"stagnation", p->stagnation},
        {"idr_s", p->idr_s},
        {"restart", p->restart},
        {"basis", p->basis},
        {"orthogonalisation", p->orthogonalisation},
        {"side", p->side},
        {"monitor_every", p->monitor_every},
        {"norm", p->norm},
        {"divergence", p->divergence},
        {"time_limit", p->time_limit},
        {"rtol_may_be_zero", p->rtol_may_be_zero},
    };
    return lcl_space_expect_equal(&A->range, "a solver", all,
                                  sizeof all / sizeof *all);
}

enum lcl_status lcl_solver_create(lcl_solver **out, lcl_operator *A,
                                  lcl_precond *M,
                                  const struct lcl_solver_params *params)
{
    const struct lcl_log *log = A ? lcl_context_log(A->range.ctx) : NULL;
    if (out)
        *out = NULL;
    if (!out || !A)
        return lcl_misuse(log, "lcl_solver_create: an argument is NULL");
    enum lcl_status st =
        lcl_context_expect_free(A->range.ctx, "lcl_solver_create");
    if (st < 0 || (st = expect_equal(A, M, params)) < 0)
        return st;
    st = lcl_space_agree(&A->range, create(out, A, M, params), "a solver");
    if (st == LCL_OK)
        st = agree_on_batches(*out);
    if (st < 0)
        lcl_solver_destroy(out);
    return st;
}

enum lcl_status lcl_solver_set_tolerance(lcl_solver *S, double rtol,
                                         double atol, int max_iters)
{
    if (!S)
        return refuse_null(S, "lcl_solver_set_tolerance");
    const enum lcl_status st =
        lcl_context_expect_free(S->ctx, "lcl_solver_set_tolerance");
    return st < 0 ? st
                  : lcl_krylov_set_limits(&S->params, rtol, atol, max_iters,
                                          lcl_context_log(S->ctx));
}

void lcl_solver_cancel(lcl_solver *S)
{
    if (S)
        atomic_store(S->member ? &S->member[0]->cancelled : &S->cancelled,
                     true);
}

const struct lcl_solver_params *lcl_solver_info(const lcl_solver *S)
{
    return S ? &S->params : NULL;
}

void lcl_solver_destroy(lcl_solver **solver)
{
    if (!solver || !*solver)
        return;
    lcl_solver *S = *solver;
    if (!lcl_context_lets_go(S->ctx, solver, "lcl_solver_destroy"))
        return;
    if (S->A->team)
        lcl_team_solver_finish(S);
    else
        lcl_krylov_destroy(S);
    lcl_buffer_destroy(&S->b);
    lcl_buffer_destroy(&S->x);
    lcl_buffer_destroy(&S->r);
    lcl_buffer_destroy(&S->sums);
    lcl_buffer_destroy(&S->correction);
    for (int k = 0; k < 3; ++k)
        lcl_translated_finish(&S->translated[k]);
    lcl_projection_finish(&S->right_null);
    lcl_projection_finish(&S->left_null);
    lcl_best_finish(&S->kept);
    lcl_norm_finish(&S->norm);
    lcl_verify_finish(&S->verify);
    lcl_operator_use(S->A, -1);
    lcl_free(S->host_sums);
    lcl_free(S->history);
    lcl_krylov_drop_histories(S);
    lcl_free(S);
    *solver = NULL;
}

// ------------------------------------------------------------------- solve

static bool all_finite(const double *v, int64_t n)
{
    return lcl_find_not_finite(v, n) < 0;
}

bool lcl_krylov_is_zero(const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (v[i] != 0)
            return false;
    return true;
}

enum lcl_status lcl_krylov_finish(lcl_solver *S, struct lcl_report *report)
{
    const bool zero = S->stop == LCL_STOP_ZERO_RHS;
    const bool alone = S->params.norm == LCL_NORM_ROWS;
    const lcl_precond *M = S->precond;
    atomic_store(&S->cancelled, false); // too late for this solve
    if (M)
        lcl_precond_record(S->precond, S->iterations, S->stop > 0,
                           sqrt(S->start_rr), sqrt(S->rr));
    const int last = S->history_count - 1;
    const struct lcl_report full = {
        .stop = S->stop,
        .iterations = S->iterations,
        .x_iteration = S->x_iteration,
        .restarts = S->restarts,
        .exhausted = S->exhausted && S->stop > 0,
        .norm_b = ldexp(S->norm_b, S->unit),
        .norm_removed = ldexp(S->norm_removed, S->unit),
        .residual = zero || last < 0 ? 0 : S->history[last],
        .true_residual = zero    ? 0
                         : alone ? S->backward
                                 : sqrt(S->rr) / S->norm_b,
        .backward_error = zero ? 0 : S->backward,
        .norm = lcl_krylov_norm(S),
        .seconds = lcl_now() - S->started,
        .history = S->history,
        .history_count = S->history_count,
        .launches = S->launches,
        .precond_solves = M ? M->solves : 0,
        .precond_updates = M ? lcl_precond_lag(M) : 0,
    };
    if (report)
        *report = full;
    return lcl_stop_status(S->stop);
}

void lcl_krylov_keep_start(lcl_solver *S)
{
    S->rr = S->start_rr;
    S->backward = S->start_backward;
    S->x_iteration = 0;
}

// Whether x is better than the caller's, by the measure of the verdict.
static bool is_better(const lcl_solver *S)
{
    return S->params.norm == LCL_NORM_ROWS
               ? isfinite(S->rr) && S->backward < S->start_backward
               : S->rr < S->start_rr;
}

enum lcl_status lcl_krylov_solve(lcl_solver *S, struct lcl_report *report,
                                 bool *improved)
{
    enum lcl_status st = S->precond ? lcl_precond_refresh(S->precond) : LCL_OK;
    if (st < 0 ||
        (!S->at_zero && (st = lcl_verify_scale(S, S->x, -S->unit)) < 0) ||
        (st = lcl_krylov_run(S)) < 0 ||
        (st = lcl_verify_scale(S, S->x, S->unit)) < 0)
        return st;
    *improved = S->stop > 0 || is_better(S);
    if (!*improved)
        lcl_krylov_keep_start(S);
    return lcl_krylov_finish(S, report);
}

// After measuring b: takes the start vector, unless it is zero on all ranks.
static enum lcl_status read_start(lcl_solver *S, const double *x)
{
    const struct lcl_numbering *N = S->A->numbering;
    S->at_zero = lcl_krylov_is_zero(x, N->n);
    const enum lcl_status st = lcl_space_all(&S->A->range, &S->at_zero);
    return st < 0 || S->at_zero ? st : lcl_numbering_write(N, x, S->x);
}

static enum lcl_status solve_host(lcl_solver *S, const double *b, double *x,
                                  struct lcl_report *report)
{
    const struct lcl_numbering *N = S->A->numbering;
    bool improved;
    enum lcl_status st, got;
    if ((st = lcl_numbering_write(N, b, S->b)) < 0 ||
        (st = lcl_krylov_measure_b(S)) < 0 || (st = read_start(S, x)) < 0 ||
        (st = lcl_krylov_solve(S, report, &improved)) < 0)
        return st;
    got = improved ? lcl_numbering_read(N, S->x, x) : LCL_OK;
    return got < 0 ? got : st;
}

static enum lcl_status check_finite(const lcl_solver *S, const double *b,
                                    const double *x)
{
    const int64_t n = S->A->range.n;
    const bool sound = all_finite(b, n);
    return sound && all_finite(x, n)
               ? LCL_OK
               : lcl_fail(lcl_context_log(S->ctx), LCL_EFORMAT,
                          "the %s contains NaN or Inf",
                          sound ? "start vector" : "right-hand side");
}

enum lcl_status lcl_solver_solve(lcl_solver *S, const double *b, double *x,
                                 struct lcl_report *report)
{
    if (!S || !b || !x)
        return refuse_null(S, "lcl_solver_solve");
    enum lcl_status st = lcl_context_expect_free(S->ctx, "lcl_solver_solve");
    if (st < 0)
        return st;
    if (S->member)
        return lcl_team_solver_solve(S, b, x, report);
    if ((st = lcl_space_agree(&S->A->range, check_finite(S, b, x), "a solve")) <
        0)
        return st;
    lcl_task_enter(S->ctx, LCL_TASK_SOLVE);
    st = solve_host(S, b, x, report);
    lcl_task_leave(S->ctx);
    return lcl_space_end(&S->A->range, st);
}
