// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners for single entries on matrices whose blocks were detected:
// those of the same matrix with block size 1, bit for bit.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include <stdlib.h>

// Chunks of rows that cut blocks of 3.
#define CHUNKS .partition = {.type = LCL_PARTITION_NATURAL, .rows = 50}

static const char problem[] = "lap3d:6,b=3";

static const struct lcl_precond_params methods[] = {
    {.trisolve = LCL_TRISOLVE_HEC_LEVEL, CHUNKS},
    {.trisolve = LCL_TRISOLVE_HEC_WAIT, CHUNKS},
    {.type = LCL_PRECOND_RAS, .trisolve = LCL_TRISOLVE_HEC_LEVEL, CHUNKS},
    {.type = LCL_PRECOND_ILUT, .trisolve = LCL_TRISOLVE_HEC_LEVEL, CHUNKS},
    {.trisolve = LCL_TRISOLVE_HEC_LEVEL, .coarse = LCL_COARSE_MULT, CHUNKS},
    {.relax = 1, CHUNKS},
    {.transversal = true, CHUNKS},
    {.type = LCL_PRECOND_AMG, .amg.coarsening = LCL_AMG_CLASSICAL},
};
enum { METHODS = sizeof methods / sizeof *methods };

// Two operators with the same matrix: in blocks, and in entries.
struct pair {
    lcl_operator *blocks, *entries;
    double *x, *y, *expected;
    int64_t n;
};

static void pair_open(struct pair *P, lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_operator_params single = {.block_size = 1};
    assert_int_equal(lcl_operator_create(&P->blocks, ctx, A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&P->entries, ctx, A, &single), LCL_OK);
    P->n = A->rows;
    P->x = test_random_vector(P->n, 7);
    P->y = test_vector(P->n);
    P->expected = test_vector(P->n);
}

static void pair_close(struct pair *P)
{
    lcl_operator_destroy(&P->blocks);
    lcl_operator_destroy(&P->entries);
    free(P->x);
    free(P->y);
    free(P->expected);
}

static void pair_update(const struct pair *P, const double *val)
{
    assert_int_equal(lcl_operator_update(P->blocks, val), LCL_OK);
    assert_int_equal(lcl_operator_update(P->entries, val), LCL_OK);
}

static double *new_values(const struct lcl_csr *A)
{
    double *val = test_vector(A->nnz);
    for (int64_t k = 0; k < A->nnz; ++k)
        val[k] = A->val[k] * (1 + (double)(k % 7) / 50);
    return val;
}

static void expect_same_product(const struct pair *P, lcl_precond *M,
                                lcl_precond *expected)
{
    assert_int_equal(lcl_precond_apply(M, P->x, P->y), LCL_OK);
    assert_int_equal(lcl_precond_apply(expected, P->x, P->expected), LCL_OK);
    test_expect_same("M^-1 x", P->y, P->expected, P->n);
}

// Of the values that the operators have, then of others.
static void expect_same(const struct pair *P, const struct lcl_csr *A,
                        const struct lcl_precond_params *params)
{
    double *val = new_values(A);
    lcl_precond *M, *expected;
    assert_int_equal(lcl_precond_create(&M, P->blocks, params), LCL_OK);
    assert_int_equal(lcl_precond_create(&expected, P->entries, params), LCL_OK);
    assert_int_equal(lcl_operator_info(P->blocks)->block_size, 3);
    assert_int_equal(lcl_precond_info(M)->block_size, 1);
    assert_int_equal(lcl_precond_info(M)->nnz, A->nnz);
    assert_int_equal(lcl_precond_info(M)->factors.parts,
                     lcl_precond_info(expected)->factors.parts);
    expect_same_product(P, M, expected);
    pair_update(P, val);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    assert_int_equal(lcl_precond_update(expected), LCL_OK);
    expect_same_product(P, M, expected);
    pair_update(P, A->val);
    lcl_precond_destroy(&M);
    lcl_precond_destroy(&expected);
    free(val);
}

static void test_detected__blocks_are_taken_apart(void **state)
{
    struct lcl_csr A = test_problem(problem);
    struct pair P;
    pair_open(&P, *state, &A);
    for (int k = 0; k < METHODS; ++k)
        expect_same(&P, &A, &methods[k]);
    pair_close(&P);
    lcl_csr_finish(&A);
}

// Factors of blocks have renumbered the operator, and stay as they are.
static void test_detected__blocks_have_other_users(void **state)
{
    struct lcl_csr A = test_problem(problem);
    struct pair P;
    lcl_precond *other;
    pair_open(&P, *state, &A);
    double *before = test_vector(P.n), *after = test_vector(P.n);
    assert_int_equal(lcl_precond_create(&other, P.blocks, NULL), LCL_OK);
    assert_int_equal(lcl_precond_info(other)->block_size, 3);
    assert_int_equal(lcl_precond_apply(other, P.x, before), LCL_OK);
    for (int k = 0; k < METHODS; ++k)
        expect_same(&P, &A, &methods[k]);
    assert_int_equal(lcl_precond_apply(other, P.x, after), LCL_OK);
    test_expect_same("M^-1 x", after, before, P.n);
    lcl_precond_destroy(&other);
    free(before);
    free(after);
    pair_close(&P);
    lcl_csr_finish(&A);
}

static void test_detected__systems_are_solved(void **state)
{
    struct lcl_csr A = test_problem(problem);
    double *b = test_right_side(&A);
    for (int k = 0; k < METHODS; ++k) {
        struct test_solve s;
        test_solve_open(&s, *state, &A, &methods[k], NULL);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        test_solve_close(&s);
    }
    free(b);
    lcl_csr_finish(&A);
}

static void test_detected__declared_blocks_are_refused(void **state)
{
    const struct lcl_operator_params declared = {.block_size = 3};
    struct lcl_csr A = test_problem(problem);
    struct lcl_bsr B;
    lcl_operator *op[2];
    lcl_precond *M;
    assert_int_equal(lcl_bsr_from_csr(&B, &A, 3, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&op[0], *state, &A, &declared),
                     LCL_OK);
    assert_int_equal(lcl_operator_create_bsr(&op[1], *state, &B, NULL), LCL_OK);
    for (int k = 0; k < 2 * METHODS; ++k) {
        assert_int_equal(lcl_precond_create(&M, op[k % 2], &methods[k / 2]),
                         LCL_EUNSUPPORTED);
        assert_null(M);
    }
    lcl_operator_destroy(&op[0]);
    lcl_operator_destroy(&op[1]);
    lcl_bsr_finish(&B);
    lcl_csr_finish(&A);
}

// The pressures of a cell need its block.
static void test_detected__cpr_keeps_its_blocks(void **state)
{
    const struct lcl_precond_params levels = {
        .type = LCL_PRECOND_CPR, .trisolve = LCL_TRISOLVE_HEC_LEVEL};
    struct lcl_csr A = test_problem(problem);
    lcl_operator *op;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &levels), LCL_EUNSUPPORTED);
    lcl_operator_destroy(&op);
    lcl_csr_finish(&A);
}

static void expect_product(lcl_context *ctx, const struct lcl_csr *A,
                           enum lcl_spmv_type type, int block_size)
{
    const struct lcl_operator_params params = {.spmv = type};
    double *x = test_random_vector(A->rows, 5);
    double *y = test_vector(A->rows), *expected = test_vector(A->rows);
    lcl_operator *op;
    assert_int_equal(lcl_operator_create(&op, ctx, A, &params), LCL_OK);
    assert_int_equal(lcl_operator_info(op)->block_size, block_size);
    assert_int_equal(lcl_operator_apply(op, x, y), LCL_OK);
    lcl_csr_multiply(A, x, expected);
    test_expect_near("A x", y, expected, A->rows, 1e-13);
    lcl_operator_destroy(&op);
    free(x);
    free(y);
    free(expected);
}

static void test_detected__products_of_entries_leave_blocks_alone(void **state)
{
    struct lcl_csr A = test_problem(problem);
    expect_product(*state, &A, LCL_SPMV_CSR, 3);
    expect_product(*state, &A, LCL_SPMV_SLICED, 3);
    expect_product(*state, &A, LCL_SPMV_BINNED, 1);
    expect_product(*state, &A, LCL_SPMV_ADAPTIVE, 1);
    expect_product(*state, &A, LCL_SPMV_HEC, 1);
    lcl_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_detected__blocks_are_taken_apart),
        cmocka_unit_test(test_detected__blocks_have_other_users),
        cmocka_unit_test(test_detected__systems_are_solved),
        cmocka_unit_test(test_detected__declared_blocks_are_refused),
        cmocka_unit_test(test_detected__cpr_keeps_its_blocks),
        cmocka_unit_test(test_detected__products_of_entries_leave_blocks_alone),
    };
    return test_device_run(tests);
}
