// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners that reach across ranks while the n-th allocation of all
// ranks fails: all ranks end with an error, and what is created next works.
#include "lib/vector/segments.h"
#include "tests/support/device.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"
#include "tests/support/solving.h"

#include <stdlib.h>

// All of the first few, then fewer and fewer.
static long next(long n)
{
    return n + 1 + n / 40;
}

static void expect_all_failed(const struct test_ranks *R, enum lcl_status st)
{
    assert_true(st == LCL_ENOMEM || st == LCL_EDEVICE);
    for (int r = 0; r < R->size; ++r)
        assert_true(R->status[r] < 0);
}

static void expect_solved(struct test_ranks *R)
{
    double *b = test_random_vector(R->A->rows, 4);
    double *x = test_vector(R->A->rows);
    struct lcl_report report;
    assert_int_equal(test_ranks_solve(R, b, x, &report), LCL_OK);
    assert_true(test_residual(R->A, b, x) <= 1e-8);
    free(x);
    free(b);
}

static void drop_preconds(struct test_ranks *R)
{
    for (int r = 0; r < R->size; ++r) {
        lcl_solver_destroy(&R->S[r]);
        lcl_precond_destroy(&R->M[r]);
    }
}

// Whether the n-th allocation failed while preconditioners and solvers were
// made.
static bool fail_alloc(struct test_ranks *R,
                       const struct lcl_precond_params *precond, long n)
{
    static const struct lcl_solver_params bicgstab = {.type =
                                                          LCL_SOLVER_BICGSTAB};
    lcl_test_fail_alloc_at(n);
    const enum lcl_status st = test_ranks_solvers(R, precond, &bicgstab);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    if (st < 0)
        expect_all_failed(R, st);
    else
        expect_solved(R);
    drop_preconds(R);
    return failed;
}

enum { RANKS = 3 };

// Frees A.
static void expect_failures_of(struct lcl_csr A,
                               const struct lcl_operator_params *params,
                               const struct lcl_precond_params *precond)
{
    struct test_ranks R;
    int64_t from[RANKS + 1];
    long n = 1;
    for (int r = 0; r <= RANKS; ++r)
        from[r] = lcl_segments_cut(A.rows, 1, r, RANKS);
    test_ranks_open(&R, RANKS, &A, from);
    assert_int_equal(test_ranks_operators(&R, params), LCL_OK);
    assert_false(fail_alloc(&R, precond, 0)); // compiles the kernels
    while (fail_alloc(&R, precond, n))
        n = next(n);
    assert_true(n > 100);
    assert_false(fail_alloc(&R, precond, 0));
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void expect_failures(struct lcl_csr A,
                            const struct lcl_precond_params *precond)
{
    expect_failures_of(A, NULL, precond);
}

// More subdomains than a CPU has aggregates.
static void test_alloc_ranks__reproducible_coarse_correction(void **state)
{
    static const struct lcl_operator_params same_bits = {
        .block_size = 1, .communication = LCL_COMMUNICATION_REPRODUCIBLE};
    static const struct lcl_precond_params mult = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 1},
        .coarse = LCL_COARSE_MULT};
    (void)state;
    expect_failures_of(test_laplacian(13, 10, 8), &same_bits, &mult);
}

static void test_alloc_ranks__coarse_correction(void **state)
{
    static const struct lcl_precond_params mult = {.partition = {.rows = 20},
                                                   .coarse = LCL_COARSE_MULT};
    (void)state;
    expect_failures(test_random_csr(240, 4, 3), &mult);
}

static void test_alloc_ranks__overlap(void **state)
{
    static const struct lcl_precond_params ras = {
        .type = LCL_PRECOND_RAS, .overlap = 2, .partition = {.rows = 20}};
    static const struct lcl_precond_params as = {.type = LCL_PRECOND_AS,
                                                 .partition = {.rows = 20}};
    (void)state;
    expect_failures(test_random_csr(240, 4, 3), &ras);
    expect_failures(test_laplacian(8, 6, 5), &as);
}

static void test_alloc_ranks__boxes(void **state)
{
    static const struct lcl_precond_params boxes = {
        .partition = {.type = LCL_PARTITION_GEOMETRIC, .box = {3, 3, 3}}};
    (void)state;
    expect_failures(test_laplacian(8, 6, 5), &boxes);
}

static void test_alloc_ranks__multigrid(void **state)
{
    static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG,
                                                  .amg = {.coarse_rows = 2}};
    (void)state;
    expect_failures(test_laplacian(8, 6, 5), &amg);
}

// ------------------------------------------------------------------- values

// Whether the n-th allocation failed while all took new values, for the first
// time since the set-up; then they take them.
static bool fail_update(struct test_ranks *R,
                        const struct lcl_precond_params *precond, long n)
{
    static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    assert_int_equal(test_ranks_solvers(R, precond, &cg), LCL_OK);
    for (int64_t k = 0; k < R->A->nnz; ++k)
        R->A->val[k] *= 1 + 0x1p-52;
    lcl_test_fail_alloc_at(n);
    const enum lcl_status st = test_ranks_update(R, R->A->val);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    if (st < 0) {
        expect_all_failed(R, st);
        assert_int_equal(test_ranks_update(R, R->A->val), LCL_OK);
    }
    expect_solved(R);
    drop_preconds(R);
    return failed;
}

static void test_alloc_ranks__new_values_of_multigrid(void **state)
{
    static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG,
                                                  .amg = {.coarse_rows = 2}};
    struct lcl_csr A = test_laplacian(8, 6, 5);
    struct test_ranks R;
    long n = 1;
    (void)state;
    test_ranks_open(&R, 3, &A, NULL);
    assert_int_equal(test_ranks_operators(&R, NULL), LCL_OK);
    assert_false(fail_update(&R, &amg, 0)); // compiles the kernels
    while (fail_update(&R, &amg, n))
        n = next(n);
    assert_true(n > 100);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_ranks__coarse_correction),
        cmocka_unit_test(test_alloc_ranks__reproducible_coarse_correction),
        cmocka_unit_test(test_alloc_ranks__overlap),
        cmocka_unit_test(test_alloc_ranks__boxes),
        cmocka_unit_test(test_alloc_ranks__multigrid),
        cmocka_unit_test(test_alloc_ranks__new_values_of_multigrid),
    };
    return test_device_run(tests);
}
