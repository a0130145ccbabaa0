// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems on several ranks: what a rank may get wrong is an error on
// all, and they can go on.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/kron_ranks.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include <math.h>
#include <stdlib.h>

enum { RANKS = 3 };

static void expect_product(struct test_kron_ranks *R)
{
    const struct lcl_kron *K = R->K;
    const int64_t n = K->stages * K->M->rows * K->M->block_size;
    double *x = test_random_vector(n, 1), *y = test_vector(n);
    double *expected = test_vector(n);
    assert_int_equal(lcl_kron_multiply(K, x, expected), LCL_OK);
    assert_int_equal(test_kron_ranks_apply(R, x, y), LCL_OK);
    test_expect_near("y", y, expected, n, 1e-12);
    free(expected);
    free(y);
    free(x);
}

// ------------------------------------------------------------------- refusals

static void no_stages(struct test_kron_part *p)
{
    p->K.stages = 0;
}

static void fewer_stages(struct test_kron_part *p)
{
    p->K.stages = 2;
}

static void smaller_blocks(struct test_kron_part *p)
{
    p->K.block_size = 1;
}

static void large_blocks(struct test_kron_part *p)
{
    p->K.block_size = LCL_BLOCK_MAX + 1;
}

static void other_tau(struct test_kron_part *p)
{
    p->K.tau *= 2;
}

static void endless_tau(struct test_kron_part *p)
{
    p->K.tau = INFINITY;
}

static void other_coefficients(struct test_kron_part *p)
{
    static const double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    p->K.B = ones;
}

static void no_matrix(struct test_kron_part *p)
{
    p->K.L = NULL;
}

static void no_values(struct test_kron_part *p)
{
    free(p->L.val);
    p->L.val = NULL;
}

static void other_rows(struct test_kron_part *p)
{
    --p->L.rows;
}

static void other_total(struct test_kron_part *p)
{
    ++p->L.total;
}

static void gap(struct test_kron_part *p)
{
    --p->M.rows;
    --p->L.rows;
}

static void no_rows(struct test_kron_part *p)
{
    p->M.rows = p->L.rows = 0;
}

static void wrong_column(struct test_kron_part *p)
{
    p->L.col[p->L.row_ptr[p->L.rows] - 1] = p->L.total;
}

static void nan_value(struct test_kron_part *p)
{
    p->M.val[4 * p->M.row_ptr[p->M.rows] - 1] = NAN;
}

static const struct fault {
    void (*spoil)(struct test_kron_part *p);
    enum lcl_status status;
    const char *message;
} faults[] = {
    {no_stages, LCL_EFORMAT, "0 stages: expected 1 to 16"},
    {fewer_stages, LCL_EINVAL, "stages is 3 on rank 0, but 2 on rank 2"},
    {smaller_blocks, LCL_EINVAL, "block_size is 2 on rank 0, but 1 on rank 2"},
    {large_blocks, LCL_EFORMAT, "blocks of 9 rows: expected 1 to 8"},
    {other_tau, LCL_EINVAL, "tau is 0.125 on rank 0, but 0.25 on rank 2"},
    {endless_tau, LCL_EFORMAT, "tau is not finite"},
    {other_coefficients, LCL_EINVAL, "an entry of B is "},
    {no_matrix, LCL_EINVAL, "is NULL"},
    {no_values, LCL_EINVAL, "lack an array"},
    {other_rows, LCL_EFORMAT, "expected the same"},
    {other_total, LCL_EFORMAT, "expected the same"},
    {gap, LCL_EFORMAT, "the ranks have 39 rows, the matrix 40"},
    {no_rows, LCL_EFORMAT, "expected at least one"},
    {wrong_column, LCL_EFORMAT,
     "block matrix: row 39 has column 40, expected 0 to 39"},
    {nan_value, LCL_EFORMAT, "expected a finite one"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

// The last rank is wrong and says why.
static void test_kron_distributed__bad_input_of_one_rank_is_refused_on_all(
    void **state)
{
    struct test_capture capture;
    struct lcl_log log[RANKS] = {{.fn = NULL}};
    struct test_kron_ranks R;
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 3, 2, 36, TEST_KRON_NEAR);
    assert_int_equal(T.M.rows, 40);
    test_capture_init(&capture, LCL_LOG_ERROR);
    log[RANKS - 1] = capture.log;
    test_kron_ranks_open(&R, RANKS, &T.K, log);
    for (int f = 0; f < FAULTS; ++f) {
        test_kron_ranks_split(&R);
        faults[f].spoil(&R.part[RANKS - 1]);
        assert_int_equal(test_kron_ranks_operators(&R, NULL), faults[f].status);
        test_kron_ranks_expect(&R, faults[f].status);
        test_capture_expect(&capture, faults[f].message);
        for (int r = 0; r < RANKS; ++r)
            assert_null(R.op[r]);
    }
    test_kron_ranks_split(&R);
    assert_int_equal(test_kron_ranks_operators(&R, NULL), LCL_OK);
    expect_product(&R);
    test_kron_ranks_close(&R);
    test_kron_finish(&T);
}

// ------------------------------------------------------------------- updates

static void expect_refused_update(struct test_kron_ranks *R,
                                  void (*spoil)(struct test_kron_part *p),
                                  enum lcl_status status)
{
    test_kron_ranks_split(R);
    spoil(&R->part[1]);
    assert_int_equal(test_kron_ranks_update(R), status);
    test_kron_ranks_expect(R, status);
    expect_product(R);
}

static void other_pattern(struct test_kron_part *p)
{
    p->L.col[0] -= p->L.first > 0; // of the rank before
}

static void test_kron_distributed__new_values_on_all_ranks_or_on_none(
    void **state)
{
    struct test_kron_ranks R;
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 3, 2, 36, TEST_KRON_NEAR);
    test_kron_ranks_open(&R, RANKS, &T.K, NULL);
    assert_int_equal(test_kron_ranks_operators(&R, NULL), LCL_OK);
    expect_refused_update(&R, other_pattern, LCL_EFORMAT);
    expect_refused_update(&R, nan_value, LCL_EFORMAT);
    expect_refused_update(&R, other_tau, LCL_EINVAL);
    assert_misuse(lcl_operator_update_kron(R.op[0], &T.K));
    test_kron_change(&T);
    test_kron_ranks_split(&R);
    assert_int_equal(test_kron_ranks_update(&R), LCL_OK);
    expect_product(&R);
    test_kron_ranks_close(&R);
    test_kron_finish(&T);
}

// Vectors that are not finite on one rank.
static void test_kron_distributed__bad_vectors_change_nothing(void **state)
{
    const struct lcl_solver_params bicgstab = {.type = LCL_SOLVER_BICGSTAB};
    struct test_kron_ranks R;
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 3, 2, 36, TEST_KRON_NEAR);
    struct lcl_csr A = test_kron_whole(&T.K);
    double *b = test_random_vector(A.rows, 2), *x = test_vector(A.rows);
    test_kron_ranks_open(&R, RANKS, &T.K, NULL);
    assert_int_equal(test_kron_ranks_operators(&R, NULL), LCL_OK);
    assert_int_equal(
        test_kron_ranks_solvers(&R, &test_kron_methods[1], &bicgstab), LCL_OK);
    const double before = b[A.rows - 1];
    b[A.rows - 1] = NAN;
    assert_int_equal(test_kron_ranks_solve(&R, b, x), LCL_EFORMAT);
    test_kron_ranks_expect(&R, LCL_EFORMAT);
    b[A.rows - 1] = before;
    assert_int_equal(test_kron_ranks_solve(&R, b, x), LCL_OK);
    assert_true(test_residual(&A, b, x) <= 1e-8 * (1 + 1e-6));
    test_kron_ranks_close(&R);
    free(x);
    free(b);
    lcl_csr_finish(&A);
    test_kron_finish(&T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_kron_distributed__bad_input_of_one_rank_is_refused_on_all),
        cmocka_unit_test(
            test_kron_distributed__new_values_on_all_ranks_or_on_none),
        cmocka_unit_test(test_kron_distributed__bad_vectors_change_nothing),
    };
    return test_device_run(tests);
}
