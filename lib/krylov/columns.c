// SPDX-License-Identifier: BSD-3-Clause
// Several right-hand sides: together where the solver can, or one after the
// other.
#include "lib/krylov/column_pass.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/view.h"

void lcl_krylov_drop_histories(lcl_solver *S)
{
    for (int j = 0; j < S->columns; ++j)
        lcl_free(S->histories[j]);
    lcl_free(S->histories);
    S->histories = NULL;
    S->columns = 0;
}

enum { TOGETHER = 8 }; // columns that share a pass at most

// ------------------------------------------------------------------- checks

static bool overlap(const struct lcl_given_columns *c, int64_t n)
{
    const uintptr_t b = (uintptr_t)c->b, x = (uintptr_t)c->x;
    const int64_t last = c->count - 1;
    const uintptr_t of_b = (uintptr_t)(last * c->ldb + n) * sizeof(double);
    const uintptr_t of_x = (uintptr_t)(last * c->ldx + n) * sizeof(double);
    return b < x ? x - b < of_b : b - x < of_x;
}

static enum lcl_status check_shape(const lcl_operator *A,
                                   const struct lcl_given_columns *c,
                                   const char *function)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const int64_t n = A->range.n;
    if (c->count < 1 || c->ldb < n || c->ldx < n)
        return lcl_fail(log, LCL_EINVAL,
                        "%s: %d columns, leading dimensions %lld of B and %lld "
                        "of X: expected >= 1, and >= %lld each",
                        function, c->count, (long long)c->ldb,
                        (long long)c->ldx, (long long)n);
    const int64_t most = INT64_MAX / (int64_t)sizeof(double) / c->count;
    if (c->ldb > most || c->ldx > most)
        return lcl_fail(log, LCL_ERANGE,
                        "%s: %d columns with leading dimensions %lld and %lld: "
                        "expected at most 2^63 - 1 bytes",
                        function, c->count, (long long)c->ldb,
                        (long long)c->ldx);
    return overlap(c, n)
               ? lcl_fail(log, LCL_EINVAL, "%s: B and X overlap", function)
               : LCL_OK;
}

static enum lcl_status check(const lcl_operator *A,
                             const struct lcl_given_columns *c,
                             const char *function)
{
    const int64_t n = A->range.n;
    const enum lcl_status st = check_shape(A, c, function);
    for (int64_t j = 0; j < c->count && st == LCL_OK; ++j) {
        const bool sound = lcl_find_not_finite(c->b + j * c->ldb, n) < 0;
        if (sound && lcl_find_not_finite(c->x + j * c->ldx, n) < 0)
            continue;
        return lcl_fail(lcl_context_log(A->range.ctx), LCL_EFORMAT,
                        "the %s of column %lld contains NaN or Inf",
                        sound ? "start vector" : "right-hand side",
                        (long long)j);
    }
    return st;
}

enum lcl_status lcl_columns_check(const lcl_operator *A,
                                  const struct lcl_given_columns *c,
                                  const char *function)
{
    const struct lcl_common all[] = {{"columns", c->count}};
    const enum lcl_status st =
        lcl_space_expect_equal(&A->range, "a solve", all, 1);
    return st < 0
               ? st
               : lcl_space_agree(&A->range, check(A, c, function), "a solve");
}

// ------------------------------------------------------------------- solves

enum lcl_status lcl_krylov_make_histories(lcl_solver *S, int count)
{
    lcl_krylov_drop_histories(S);
    S->histories = lcl_calloc((size_t)count, sizeof *S->histories);
    if (!S->histories)
        return lcl_fail_memory(lcl_context_log(S->ctx), "histories");
    S->columns = count;
    return LCL_OK;
}

void lcl_krylov_keep_history(lcl_solver *S, int j)
{
    lcl_solver *own = S->member ? S->member[0] : S;
    S->histories[j] = own->history;
    own->history = NULL;
    own->history_count = own->history_room = 0;
}

static enum lcl_status solve_alone(lcl_solver *S,
                                   const struct lcl_given_columns *c, int j,
                                   struct lcl_report *report)
{
    const enum lcl_status st =
        lcl_solver_solve(S, c->b + j * c->ldb, c->x + j * c->ldx, report);
    if (st >= 0)
        lcl_krylov_keep_history(S, j);
    return st;
}

// Columns from j on, as many as a pass takes.
static struct lcl_given_columns from(const struct lcl_given_columns *c, int j)
{
    const int left = c->count - j;
    return (struct lcl_given_columns){c->b + j * c->ldb, c->ldb,
                                      c->x + j * c->ldx, c->ldx,
                                      left < TOGETHER ? left : TOGETHER};
}

// Solves some columns from j on, *done of them; reports[0] is that of j.
static enum lcl_status solve_some(lcl_solver *S,
                                  const struct lcl_given_columns *c, int j,
                                  int *done, struct lcl_report *reports)
{
    struct lcl_given_columns some = from(c, j);
    enum lcl_status st = LCL_EUNSUPPORTED;
    for (int width = TOGETHER; width > 1 && st == LCL_EUNSUPPORTED; width /= 2)
        if (some.count > width / 2) {
            if (some.count > width)
                some.count = width;
            st = lcl_column_pass(S, &some, width, reports, S->histories + j);
        }
    *done = st == LCL_EUNSUPPORTED ? 1 : some.count;
    return st == LCL_EUNSUPPORTED ? solve_alone(S, c, j, reports) : st;
}

static enum lcl_status solve_columns(lcl_solver *S,
                                     const struct lcl_given_columns *c,
                                     struct lcl_report *reports)
{
    lcl_solver *watched = S->member ? S->member[0] : S;
    enum lcl_status result = LCL_OK;
    bool interrupted = false;
    int done;
    for (int j = 0; j < c->count && !interrupted; j += done) {
        struct lcl_report some[TOGETHER] = {LCL_REPORT_INIT};
        watched->column = j;
        const enum lcl_status st = solve_some(S, c, j, &done, some);
        watched->column = 0;
        if (st < 0)
            return st;
        for (int k = 0; k < done; ++k) {
            if (reports)
                reports[j + k] = some[k];
            interrupted =
                interrupted || lcl_krylov_is_interrupted(some[k].stop);
        }
        if (result == LCL_OK)
            result = st;
    }
    return result;
}

enum lcl_status lcl_solver_solve_many(lcl_solver *S, const double *B,
                                      int64_t ldb, double *X, int64_t ldx,
                                      int count, struct lcl_report *reports)
{
    static const struct lcl_report none = LCL_REPORT_INIT;
    const struct lcl_given_columns c = {B, ldb, X, ldx, count};
    enum lcl_status st;
    if (!S || !B || !X)
        return lcl_misuse(S ? lcl_context_log(S->ctx) : NULL,
                          "lcl_solver_solve_many: an argument is NULL");
    const struct lcl_space *V = &S->A->range;
    if ((st = lcl_context_expect_free(S->ctx, "lcl_solver_solve_many")) < 0)
        return st;
    for (int j = 0; j < count && reports; ++j)
        reports[j] = none;
    if ((st = lcl_columns_check(S->A, &c, "lcl_solver_solve_many")) < 0 ||
        (st = lcl_space_agree(V, lcl_krylov_make_histories(S, count),
                              "a solve")) < 0)
        return st;
    return solve_columns(S, &c, reports);
}
