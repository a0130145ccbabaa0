// SPDX-License-Identifier: BSD-3-Clause
// Systems on several ranks.
#include "tests/support/ranks.h"
#include "tests/support/solving.h"

#include "lib/distributed/distributed.h"
#include "tests/support/device.h"

#include <stdlib.h>
#include <string.h>

struct lcl_rows test_rows_of(const struct lcl_csr *A, int64_t first,
                             int64_t rows)
{
    const int64_t start = A->row_ptr[first];
    const size_t nnz = (size_t)(A->row_ptr[first + rows] - start);
    struct lcl_rows R = {
        .first = first,
        .rows = rows,
        .total = A->rows,
        .row_ptr = calloc((size_t)rows + 1, sizeof *R.row_ptr),
        .col = calloc(nnz + 1, sizeof *R.col),
        .val = calloc(nnz + 1, sizeof *R.val),
    };
    assert_true(R.row_ptr && R.col && R.val);
    for (int64_t i = 0; i <= rows; ++i)
        R.row_ptr[i] = A->row_ptr[first + i] - start;
    for (size_t k = 0; k < nnz; ++k) {
        R.col[k] = A->col_ind[(size_t)start + k];
        R.val[k] = A->val[(size_t)start + k];
    }
    return R;
}

void test_rows_finish(struct lcl_rows *rows)
{
    free(rows->row_ptr);
    free(rows->col);
    free(rows->val);
}

void test_rows_split(struct lcl_rows *rows, int size, const struct lcl_csr *A,
                     const int64_t *from)
{
    assert_in_range(size, 1, TEST_RANKS);
    for (int r = 0; r < size; ++r) {
        const int64_t first = from ? from[r] : A->rows * r / size;
        const int64_t end = from ? from[r + 1] : A->rows * (r + 1) / size;
        rows[r] = test_rows_of(A, first, end - first);
    }
}

void test_ranks_open(struct test_ranks *R, int size, const struct lcl_csr *A,
                     const int64_t *from)
{
    static const struct lcl_log silent[TEST_RANKS];
    *R = (struct test_ranks){.size = size, .A = A};
    assert_int_equal(lcl_team_create(&R->team, size, silent), LCL_OK);
    test_rows_split(R->rows, size, A, from);
    for (int r = 0; r < size; ++r)
        R->ctx[r] = test_context(r);
}

void test_ranks_close(struct test_ranks *R)
{
    test_ranks_drop(R);
    for (int r = 0; r < R->size; ++r)
        test_rows_finish(&R->rows[r]);
    lcl_team_destroy(&R->team);
}

// ------------------------------------------------------------------- calls

struct call {
    struct test_ranks *R;
    lcl_team_fn *fn;
    void *arg;
};

static enum lcl_status keep_status(void *arg, int r)
{
    const struct call *c = arg;
    return c->R->status[r] = c->fn(c->arg, r);
}

enum lcl_status test_ranks_run(struct test_ranks *R, lcl_team_fn *fn, void *arg)
{
    struct call c = {R, fn, arg};
    return lcl_team_run(R->team, keep_status, &c);
}

void test_ranks_expect(const struct test_ranks *R, enum lcl_status status)
{
    for (int r = 0; r < R->size; ++r)
        assert_int_equal(R->status[r], status);
}

// ------------------------------------------------------------------- objects

struct making {
    struct test_ranks *R;
    const void *first, *second;
};

static enum lcl_status make_operator(void *arg, int r)
{
    const struct making *m = arg;
    struct test_ranks *R = m->R;
    const struct lcl_view rows = lcl_view_of_rows(&R->rows[r], 1);
    return lcl_distributed_create(&R->op[r], R->ctx[r],
                                  lcl_team_comm(R->team, r), &rows, m->first);
}

enum lcl_status test_ranks_operators(struct test_ranks *R,
                                     const struct lcl_operator_params *params)
{
    static const struct lcl_operator_params defaults;
    struct making m = {R, params ? params : &defaults, NULL};
    return test_ranks_run(R, make_operator, &m);
}

static enum lcl_status make_solver(void *arg, int r)
{
    const struct making *m = arg;
    struct test_ranks *R = m->R;
    enum lcl_status st =
        m->first ? lcl_precond_create(&R->M[r], R->op[r], m->first) : LCL_OK;
    return st < 0 ? st
                  : lcl_solver_create(&R->S[r], R->op[r], R->M[r], m->second);
}

enum lcl_status test_ranks_solvers(struct test_ranks *R,
                                   const struct lcl_precond_params *precond,
                                   const struct lcl_solver_params *params)
{
    struct making m = {R, precond, params};
    return test_ranks_run(R, make_solver, &m);
}

void test_ranks_drop(struct test_ranks *R)
{
    for (int r = 0; r < R->size; ++r) {
        lcl_solver_destroy(&R->S[r]);
        lcl_precond_destroy(&R->M[r]);
        lcl_operator_destroy(&R->op[r]);
    }
}

// ------------------------------------------------------------------- runs

struct run {
    struct test_ranks *R;
    const double *in;
    double *out;
    struct lcl_report report[TEST_RANKS];
};

struct values {
    struct test_ranks *R;
    const double *val;
};

static enum lcl_status update(void *arg, int r)
{
    const struct values *u = arg;
    const struct test_ranks *R = u->R;
    const enum lcl_status st =
        lcl_operator_update(R->op[r], u->val + R->A->row_ptr[R->rows[r].first]);
    return st < 0 || !R->M[r] ? st : lcl_precond_update(R->M[r]);
}

enum lcl_status test_ranks_update(struct test_ranks *R, const double *val)
{
    struct values u = {R, val};
    return test_ranks_run(R, update, &u);
}

static enum lcl_status apply(void *arg, int r)
{
    const struct run *u = arg;
    const int64_t first = u->R->rows[r].first;
    return lcl_operator_apply(u->R->op[r], u->in + first, u->out + first);
}

enum lcl_status test_ranks_apply(struct test_ranks *R, const double *x,
                                 double *y)
{
    struct run u = {.R = R, .in = x, .out = y};
    return test_ranks_run(R, apply, &u);
}

static enum lcl_status solve(void *arg, int r)
{
    struct run *u = arg;
    const int64_t first = u->R->rows[r].first;
    return lcl_solver_solve(u->R->S[r], u->in + first, u->out + first,
                            &u->report[r]);
}

static void expect_same_report(const struct lcl_report *a,
                               const struct lcl_report *b)
{
    assert_int_equal(a->stop, b->stop);
    assert_int_equal(a->iterations, b->iterations);
    assert_true(a->true_residual == b->true_residual);
    assert_int_equal(a->history_count, b->history_count);
    assert_memory_equal(a->history, b->history,
                        (size_t)a->history_count * sizeof *a->history);
}

enum lcl_status test_ranks_solve(struct test_ranks *R, const double *b,
                                 double *x, struct lcl_report *report)
{
    struct run u = {.R = R, .in = b, .out = x};
    const enum lcl_status st = test_ranks_run(R, solve, &u);
    for (int r = 1; r < R->size && st >= 0; ++r)
        expect_same_report(&u.report[0], &u.report[r]);
    *report = u.report[0];
    return st;
}

void test_rescale(const struct lcl_csr *A)
{
    double *s = test_random_vector(A->rows, 9);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            A->val[k] *= (1 + s[i] / 2) * (1 + s[A->col_ind[k]] / 2);
    free(s);
}

int test_ranks_expect_solved(struct test_ranks *R)
{
    const int64_t n = R->A->rows;
    double *b = test_random_vector(n, 4), *x = test_vector(n);
    struct lcl_report report;
    assert_int_equal(test_ranks_solve(R, b, x, &report), LCL_OK);
    test_ranks_expect(R, LCL_OK);
    assert_true(test_residual(R->A, b, x) <= 1e-8);
    free(x);
    free(b);
    return report.iterations;
}
