// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems on several ranks.
#include "tests/support/kron_ranks.h"

#include "lib/kron/distributed.h"
#include "tests/support/device.h"

#include <stdlib.h>
#include <string.h>

void test_kron_ranks_split(struct test_kron_ranks *R)
{
    const int64_t rows = R->K->M->rows;
    for (int r = 0; r < R->size; ++r) {
        const int64_t first = rows * r / R->size;
        test_kron_part_finish(&R->part[r]);
        test_kron_part_init(&R->part[r], R->K, first,
                            rows * (r + 1) / R->size - first);
    }
}

void test_kron_ranks_open(struct test_kron_ranks *R, int size,
                          const struct lcl_kron *K, const struct lcl_log *log)
{
    static const struct lcl_log silent[TEST_RANKS];
    *R = (struct test_kron_ranks){.size = size, .K = K};
    assert_int_equal(lcl_team_create(&R->team, size, log ? log : silent),
                     LCL_OK);
    for (int r = 0; r < size; ++r)
        R->ctx[r] = test_context(r);
    test_kron_ranks_split(R);
}

void test_kron_ranks_drop(struct test_kron_ranks *R)
{
    for (int r = 0; r < R->size; ++r) {
        lcl_solver_destroy(&R->S[r]);
        lcl_precond_destroy(&R->M[r]);
        lcl_operator_destroy(&R->op[r]);
    }
}

void test_kron_ranks_close(struct test_kron_ranks *R)
{
    test_kron_ranks_drop(R);
    for (int r = 0; r < R->size; ++r)
        test_kron_part_finish(&R->part[r]);
    lcl_team_destroy(&R->team);
}

void test_kron_ranks_expect(const struct test_kron_ranks *R,
                            enum lcl_status status)
{
    for (int r = 0; r < R->size; ++r)
        assert_int_equal(R->status[r], status);
}

// ------------------------------------------------------------------- calls

// What a call takes on each rank.
struct call {
    struct test_kron_ranks *R;
    enum lcl_status (*fn)(const struct call *c, int r);
    const void *first, *second;
    double *out;
};

static enum lcl_status keep_status(void *arg, int r)
{
    const struct call *c = arg;
    return c->R->status[r] = c->fn(c, r);
}

static enum lcl_status run(struct call c)
{
    return lcl_team_run(c.R->team, keep_status, &c);
}

static enum lcl_status make_operator(const struct call *c, int r)
{
    struct test_kron_ranks *R = c->R;
    return lcl_kron_distributed_create(&R->op[r], R->ctx[r],
                                       lcl_team_comm(R->team, r), &R->part[r].K,
                                       c->first);
}

enum lcl_status test_kron_ranks_operators(
    struct test_kron_ranks *R, const struct lcl_operator_params *params)
{
    static const struct lcl_operator_params defaults;
    return run((struct call){R, make_operator, params ? params : &defaults,
                             NULL, NULL});
}

static enum lcl_status make_solver(const struct call *c, int r)
{
    struct test_kron_ranks *R = c->R;
    const enum lcl_status st = lcl_precond_create(&R->M[r], R->op[r], c->first);
    return st < 0 ? st
                  : lcl_solver_create(&R->S[r], R->op[r], R->M[r], c->second);
}

enum lcl_status test_kron_ranks_solvers(struct test_kron_ranks *R,
                                        const struct lcl_precond_params *M,
                                        const struct lcl_solver_params *S)
{
    return run((struct call){R, make_solver, M, S, NULL});
}

static enum lcl_status update(const struct call *c, int r)
{
    return lcl_operator_update_kron_rows(c->R->op[r], &c->R->part[r].K);
}

enum lcl_status test_kron_ranks_update(struct test_kron_ranks *R)
{
    return run((struct call){R, update, NULL, NULL, NULL});
}

// ------------------------------------------------------------------- vectors

// Copies a rank's part from a whole vector, or to it.
static void copy_part(const struct test_kron_ranks *R, int r, double *part,
                      double *whole, bool from)
{
    const int b = R->K->M->block_size;
    const int64_t n = R->K->M->rows * b;
    const int64_t first = R->part[r].M.first * b, rows = R->part[r].M.rows * b;
    for (int j = 0; j < R->K->stages; ++j) {
        double *a = part + j * rows, *of_whole = whole + j * n + first;
        memcpy(from ? a : of_whole, from ? of_whole : a,
               (size_t)rows * sizeof *a);
    }
}

// Calls lcl_operator_apply(), or lcl_solver_solve() from c->out.
static enum lcl_status work(const struct call *c, int r)
{
    struct test_kron_ranks *R = c->R;
    const int64_t n = lcl_operator_info(R->op[r])->rows;
    double *in = calloc((size_t)(2 * n), sizeof *in), *out = in + n;
    if (!in)
        return LCL_ENOMEM;
    copy_part(R, r, in, (double *)c->first, true);
    copy_part(R, r, out, c->out, true);
    const enum lcl_status st = c->second
                                   ? lcl_solver_solve(R->S[r], in, out, NULL)
                                   : lcl_operator_apply(R->op[r], in, out);
    copy_part(R, r, out, c->out, false);
    free(in);
    return st;
}

enum lcl_status test_kron_ranks_apply(struct test_kron_ranks *R,
                                      const double *x, double *y)
{
    return run((struct call){R, work, x, NULL, y});
}

enum lcl_status test_kron_ranks_solve(struct test_kron_ranks *R,
                                      const double *b, double *x)
{
    return run((struct call){R, work, b, R->S, x});
}
