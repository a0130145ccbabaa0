// SPDX-License-Identifier: BSD-3-Clause
// Matrices in blocks as users of the library see them: found, asked for, given
// and refused.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/solving.h"
#include "tests/support/trisolves.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>

static const enum lcl_precond_type types[] = {LCL_PRECOND_NONE,
                                              LCL_PRECOND_JACOBI};

// ------------------------------------------------------------------ solving

// test_solve_run() holds the residual against that of the entries.
static void expect_solved(lcl_context *ctx, const struct lcl_csr *A, int asked,
                          int used)
{
    for (int t = 0; t < 2; ++t) {
        const struct lcl_precond_params params = {.type = types[t]};
        const struct lcl_operator_params op = {.block_size = asked};
        double *b = test_right_side(A);
        struct test_solve s;
        test_solve_open_from(&s, ctx, A, &op, &params, NULL);
        assert_int_equal(lcl_precond_info(s.M)->block_size, used);
        assert_int_equal(lcl_precond_info(s.M)->rows, A->rows);
        assert_int_equal(lcl_precond_info(s.M)->nnz, A->nnz);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        test_solve_close(&s);
        free(b);
    }
}

static void test_blocks__natural_blocks_are_found_and_solve(void **state)
{
    struct lcl_csr A = test_problem("lap3d:6,b=3");
    expect_solved(*state, &A, 0, 3);
    lcl_csr_finish(&A);
    A = test_problem("lap3d:6");
    expect_solved(*state, &A, 0, 1);
    lcl_csr_finish(&A);
}

static void test_blocks__blocks_that_are_asked_for_solve(void **state)
{
    struct lcl_csr A = test_problem("lap3d:6,b=3");
    expect_solved(*state, &A, 1, 1);
    expect_solved(*state, &A, 3, 3);
    expect_solved(*state, &A, 2, 2); // with zeros
    expect_solved(*state, &A, 8, 8);
    lcl_csr_finish(&A);
}

// ------------------------------------------------------------------ new values

static void renew(struct lcl_csr *A)
{
    for (int64_t k = 0; k < A->nnz; ++k)
        A->val[k] *= 1 + (double)(k % 11) / 50;
}

// The system of the new values is solved, and what it is preconditioned with is
// theirs: x = D^-1 b.
static void expect_update(lcl_context *ctx, struct lcl_csr *A, int block_size)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_JACOBI};
    const struct lcl_operator_params op = {.block_size = block_size};
    double *b = test_right_side(A), *x = test_vector(A->rows);
    double *expected = test_vector(A->rows);
    struct test_solve s;
    test_solve_open_from(&s, ctx, A, &op, &params, NULL);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    renew(A);
    assert_int_equal(test_precond_update(s.M, A->val), LCL_OK);
    for (int64_t i = 0; i < A->rows; ++i)
        expected[i] = 1 / test_entry(A, i, i) * b[i];
    assert_int_equal(lcl_precond_apply(s.M, b, x), LCL_OK);
    test_expect_near("D^-1 b", x, expected, A->rows, 1e-15);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_solve_close(&s);
    free(b);
    free(x);
    free(expected);
}

static void test_blocks__new_values_come_in_the_order_of_entries(void **state)
{
    static const int sizes[] = {0, 1, 2, 4};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct lcl_csr A = test_problem("lap3d:6,b=3");
        expect_update(*state, &A, sizes[i]);
        lcl_csr_finish(&A);
        A = test_random_csr(240, 6, 1);
        expect_update(*state, &A, sizes[i]);
        test_csr_finish(&A);
    }
}

static void test_blocks__values_that_are_not_finite_are_refused(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_JACOBI};
    const struct lcl_operator_params op = {.block_size = 2};
    struct lcl_csr A = test_random_csr(8, 1, 1);
    lcl_precond *M;
    assert_int_equal(test_precond_create_from(&M, *state, &A, &op, &params),
                     LCL_OK);
    A.val[A.nnz - 1] = NAN;
    assert_int_equal(test_precond_update(M, A.val), LCL_EFORMAT);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ given

// What lcl_operator_create() makes of the entries, lcl_operator_create_bsr()
// makes of the blocks, before and after new values.
static void expect_same_solves(lcl_context *ctx, const struct lcl_csr *A,
                               struct lcl_bsr *B)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_JACOBI};
    double *b = test_right_side(A), *x = test_vector(A->rows);
    struct test_solve s;
    test_solve_open(&s, ctx, A, &params, NULL);
    lcl_solver_destroy(&s.S);
    test_precond_destroy(&s.M);
    assert_int_equal(test_precond_create_bsr(&s.M, ctx, B, &params), LCL_OK);
    assert_int_equal(lcl_precond_info(s.M)->block_size, B->block_size);
    assert_int_equal(test_solver_create(&s.S, s.M, NULL), LCL_OK);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    for (int64_t v = 0; v < B->nnz * B->block_size * B->block_size; ++v)
        B->val[v] *= 2;
    assert_int_equal(test_precond_update(s.M, B->val), LCL_OK);
    assert_int_equal(lcl_solver_solve(s.S, b, x, NULL), LCL_OK);
    for (int64_t i = 0; i < A->rows; ++i)
        x[i] *= 2;
    assert_true(test_residual(A, b, x) < 1e-7);
    test_solve_close(&s);
    free(b);
    free(x);
}

static void test_blocks__a_matrix_may_be_given_in_blocks(void **state)
{
    struct lcl_csr A = test_problem("lap3d:6,b=3");
    for (int b = 1; b <= 4; ++b) {
        struct lcl_bsr B;
        assert_int_equal(lcl_bsr_from_csr(&B, &A, b, NULL), LCL_OK);
        expect_same_solves(*state, &A, &B);
        lcl_bsr_finish(&B);
    }
    lcl_csr_finish(&A);
}

static void test_blocks__ilu_solves_blocks_of_one_entry(void **state)
{
    struct lcl_csr A = test_problem("lap3d:6");
    struct lcl_bsr B;
    lcl_precond *M;
    assert_int_equal(lcl_bsr_from_csr(&B, &A, 1, NULL), LCL_OK);
    assert_int_equal(test_precond_create_bsr(&M, *state, &B, NULL), LCL_OK);
    assert_int_equal(lcl_precond_info(M)->type, LCL_PRECOND_ILDU0);
    test_precond_destroy(&M);
    lcl_bsr_finish(&B);
    lcl_csr_finish(&A);
}

// ------------------------------------------------------------------ ilu

// 216 rows of blocks on four subdomains, solved.
static void expect_ilu_solved(lcl_context *ctx, enum lcl_precond_type type,
                              enum lcl_trisolve trisolve)
{
    const struct lcl_precond_params params = {
        .type = type,
        .trisolve = trisolve,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 60},
    };
    struct lcl_csr A = test_problem("lap3d:6,b=3");
    double *b = test_right_side(&A);
    struct test_solve s;
    test_solve_open(&s, ctx, &A, &params, NULL);
    assert_int_equal(lcl_precond_info(s.M)->block_size, 3);
    assert_int_equal(lcl_precond_info(s.M)->factors.trisolve, trisolve);
    assert_int_equal(lcl_precond_info(s.M)->factors.parts, 4);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_solve_close(&s);
    lcl_csr_finish(&A);
    free(b);
}

// hec_level and hec_wait have no blocks.
static void test_blocks__every_other_trisolve_solves_with_ildu0(void **state)
{
    for (int t = LCL_TRISOLVE_PACKED; t < (int)LCL_TRISOLVE_HEC_LEVEL; ++t)
        if (test_trisolve_supported(*state, (enum lcl_trisolve)t))
            expect_ilu_solved(*state, LCL_PRECOND_ILDU0, (enum lcl_trisolve)t);
}

static void test_blocks__methods_of_LD_and_U_solve_with_ilu0(void **state)
{
    static const enum lcl_trisolve methods[] = {
        LCL_TRISOLVE_PACKED,        LCL_TRISOLVE_SPIN_LOOP_LDS,
        LCL_TRISOLVE_DAG_EC_NO_LDS, LCL_TRISOLVE_DAG_EC_LDS,
        LCL_TRISOLVE_DAG_EC_ILD_U0,
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
        if (test_trisolve_supported(*state, methods[i]))
            expect_ilu_solved(*state, LCL_PRECOND_ILU0, methods[i]);
}

// A subdomain of one row more than fit: its vector is b numbers a row.
static void test_blocks__large_subdomains_are_refused(void **state)
{
    const struct lcl_caps *caps = lcl_context_caps(*state);
    const int64_t n = (int64_t)(caps->local_bytes / (8 * sizeof(double))) + 1;
    struct lcl_csr A = test_identity(8 * n);
    int32_t *labels = calloc((size_t)A.rows, sizeof *labels);
    const struct lcl_precond_params params = {
        .trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
        .partition = {.type = LCL_PARTITION_LABELS,
                      .labels = labels,
                      .labels_count = A.rows},
    };
    const struct lcl_operator_params op = {.block_size = 8};
    lcl_precond *M;
    assert_non_null(labels);
    const enum lcl_status st =
        test_precond_create_from(&M, *state, &A, &op, &params);
    assert_int_equal(st, caps->width > 1 ? LCL_ERANGE : LCL_OK);
    test_precond_destroy(&M);
    test_csr_finish(&A);
    free(labels);
}

// ------------------------------------------------------------------ refused

static enum lcl_status create(lcl_context *ctx, const struct lcl_csr *A,
                              enum lcl_precond_type type, int block_size)
{
    const struct lcl_precond_params params = {.type = type};
    const struct lcl_operator_params op = {.block_size = block_size};
    lcl_precond *M;
    const enum lcl_status st =
        test_precond_create_from(&M, ctx, A, &op, &params);
    assert_true(st < 0 ? !M : M != NULL);
    test_precond_destroy(&M);
    return st;
}

static void test_blocks__wrong_block_sizes_are_refused(void **state)
{
    struct lcl_csr A = test_identity(12);
    assert_int_equal(create(*state, &A, LCL_PRECOND_NONE, -1), LCL_EINVAL);
    assert_int_equal(create(*state, &A, LCL_PRECOND_NONE, 9), LCL_EINVAL);
    assert_int_equal(create(*state, &A, LCL_PRECOND_NONE, 5), LCL_EINVAL);
    assert_int_equal(create(*state, &A, LCL_PRECOND_NONE, 6), LCL_OK);
    test_csr_finish(&A);
}

static void test_blocks__ilu_takes_blocks_as_asked(void **state)
{
    struct lcl_csr A = test_problem("lap3d:3,b=3");
    const enum lcl_precond_type ilu[] = {LCL_PRECOND_DEFAULT, LCL_PRECOND_ILU0,
                                         LCL_PRECOND_ILDU0};
    for (int t = 0; t < 3; ++t)
        for (int block = 0; block <= 3; block += 3) {
            const struct lcl_precond_params params = {.type = ilu[t]};
            const struct lcl_operator_params op = {.block_size = block};
            lcl_precond *M;
            assert_int_equal(
                test_precond_create_from(&M, *state, &A, &op, &params), LCL_OK);
            assert_int_equal(lcl_precond_info(M)->block_size, 3);
            test_precond_destroy(&M);
        }
    lcl_csr_finish(&A);
}

static void test_blocks__unfit_matrices_are_refused(void **state)
{
    int64_t row_ptr[] = {0, 1, 2};
    int32_t col[] = {0, 1};
    double val[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct lcl_operator_params other = {.block_size = 4};
    const struct lcl_bsr good = {2, 2, 2, 2, row_ptr, col, val};
    const struct lcl_bsr wide = {2, 3, 2, 2, row_ptr, col, val};
    const struct lcl_bsr huge = {2, 2, 2, 9, row_ptr, col, val};
    lcl_operator *P;
    lcl_precond *M;
    assert_int_equal(test_precond_create_bsr(&M, *state, &wide, NULL),
                     LCL_EFORMAT);
    assert_null(M);
    assert_int_equal(lcl_operator_create_bsr(&P, *state, &huge, NULL),
                     LCL_EFORMAT);
    assert_int_equal(lcl_operator_create_bsr(&P, *state, &good, &other),
                     LCL_EINVAL);
    assert_misuse(lcl_operator_create_bsr(&P, *state, NULL, NULL));
    assert_misuse(lcl_operator_create_bsr(NULL, *state, &good, NULL));
    assert_misuse(lcl_operator_create_bsr(&P, NULL, &good, NULL));
    val[7] = INFINITY;
    assert_int_equal(lcl_operator_create_bsr(&P, *state, &good, NULL),
                     LCL_EFORMAT);
    assert_null(P);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks__natural_blocks_are_found_and_solve),
        cmocka_unit_test(test_blocks__blocks_that_are_asked_for_solve),
        cmocka_unit_test(test_blocks__new_values_come_in_the_order_of_entries),
        cmocka_unit_test(test_blocks__values_that_are_not_finite_are_refused),
        cmocka_unit_test(test_blocks__a_matrix_may_be_given_in_blocks),
        cmocka_unit_test(test_blocks__ilu_solves_blocks_of_one_entry),
        cmocka_unit_test(test_blocks__every_other_trisolve_solves_with_ildu0),
        cmocka_unit_test(test_blocks__methods_of_LD_and_U_solve_with_ilu0),
        cmocka_unit_test(test_blocks__large_subdomains_are_refused),
        cmocka_unit_test(test_blocks__wrong_block_sizes_are_refused),
        cmocka_unit_test(test_blocks__ilu_takes_blocks_as_asked),
        cmocka_unit_test(test_blocks__unfit_matrices_are_refused),
    };
    return test_device_run(tests);
}
