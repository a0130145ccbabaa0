// SPDX-License-Identifier: BSD-3-Clause
// Subdomains that overlap across ranks: the preconditioner of one device with
// the same subdomains, bit for bit unless several ranks add to a row.
#include "lib/precond/precond.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"

#include <levelcl/published.h>

#include <stdlib.h>

// Chunks of consecutive rows, the same on any number of ranks that have whole
// chunks.
#define OVERLAP(chunk, ...)                                                    \
 {                                                                             \
  .type = LCL_PRECOND_RAS,                                                     \
  .partition = {.type = LCL_PARTITION_NATURAL, .rows = (chunk)},               \
  .storage = LCL_FACTOR_STORAGE_FP64, __VA_ARGS__                              \
 }

static const struct lcl_precond_params overlaps[] = {
    OVERLAP(20, .overlap = 1),
    OVERLAP(20, .overlap = 2, .ilu_level = 1),
    OVERLAP(20, .overlap = 3, .ilut_p = 6, .ilut_tol = 1e-3),
    OVERLAP(20, .overlap = 100),
    OVERLAP(20, .overlap = 2, .trisolve = LCL_TRISOLVE_HEC_LEVEL),
};
enum { OVERLAPS = sizeof overlaps / sizeof *overlaps };

struct application {
    struct test_ranks *R;
    const double *x;
    double *y;
};

static enum lcl_status apply(void *arg, int r)
{
    const struct application *a = arg;
    const int64_t first = a->R->rows[r].first;
    return lcl_precond_apply(a->R->M[r], a->x + first, a->y + first);
}

// y = M^-1 x by the preconditioners of ranks whose rows end at whole chunks.
static void apply_ranks(struct test_ranks *R, const double *x, double *y)
{
    struct application a = {R, x, y};
    for (int64_t i = 0; i < R->A->rows; ++i)
        y[i] = 7;
    assert_int_equal(test_ranks_run(R, apply, &a), LCL_OK);
}

static void make_preconds(struct test_ranks *R,
                          const struct lcl_precond_params *precond)
{
    static const struct lcl_solver_params bicgstab = {.type =
                                                          LCL_SOLVER_BICGSTAB};
    assert_int_equal(test_ranks_operators(R, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(R, precond, &bicgstab), LCL_OK);
}

// The same on one device.
struct plain {
    lcl_operator *op;
    lcl_precond *M;
};

static void plain_open(struct plain *D, lcl_context *ctx,
                       const struct lcl_csr *A,
                       const struct lcl_precond_params *precond)
{
    assert_int_equal(lcl_operator_create(&D->op, ctx, A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&D->M, D->op, precond), LCL_OK);
}

static void plain_close(struct plain *D)
{
    lcl_precond_destroy(&D->M);
    lcl_operator_destroy(&D->op);
}

// Other values, symmetric if those of A are.
static double *new_values(const struct lcl_csr *A)
{
    double *val = test_vector(A->nnz);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            val[k] = A->val[k] * (1 + 0.01 * (double)((i + A->col_ind[k]) % 5));
    return val;
}

// Bit for bit where a row is the work of one lane, except for sums of ranks and
// rows of the HEC format, whose width depends on all rows of a rank.
static void expect_vector(lcl_context *ctx, const double *y,
                          const double *expected, int64_t n,
                          const struct lcl_precond_params *precond)
{
    const bool hec = precond->trisolve == LCL_TRISOLVE_HEC_LEVEL;
    if (hec || precond->type == LCL_PRECOND_AS || test_width(ctx) > 1)
        test_expect_near("M^-1 x", y, expected, n, hec ? 1e-11 : 1e-13);
    else
        test_expect_same("M^-1 x", y, expected, n);
}

// Fails unless ranks compute what one device does, twice, with new values in
// between.
static void expect_device_s(struct test_ranks *R, lcl_context *ctx,
                            const struct lcl_precond_params *precond)
{
    const struct lcl_csr *A = R->A;
    double *x = test_random_vector(A->rows, 6), *y = test_vector(A->rows);
    double *expected = test_vector(A->rows), *val = new_values(A);
    struct plain D;
    plain_open(&D, ctx, A, precond);
    make_preconds(R, precond);
    for (int values = 0; values < 2; ++values) {
        assert_int_equal(lcl_precond_apply(D.M, x, expected), LCL_OK);
        apply_ranks(R, x, y);
        expect_vector(ctx, y, expected, A->rows, precond);
        assert_int_equal(lcl_operator_update(D.op, val), LCL_OK);
        assert_int_equal(lcl_precond_update(D.M), LCL_OK);
        assert_int_equal(test_ranks_update(R, val), LCL_OK);
    }
    test_ranks_drop(R);
    plain_close(&D);
    free(val);
    free(expected);
    free(y);
    free(x);
}

// For all of several preconditioners. Frees A.
static void expect_overlaps(lcl_context *ctx, struct lcl_csr A, int size,
                            const int64_t *from,
                            const struct lcl_precond_params *all, int count)
{
    struct test_ranks R;
    test_ranks_open(&R, size, &A, from);
    for (int k = 0; k < count; ++k)
        expect_device_s(&R, ctx, &all[k]);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void test_rank_overlap__reaches_other_ranks(void **state)
{
    static const int64_t from[] = {0, 100, 140, 240};
    expect_overlaps(*state, test_random_csr(240, 3, 8), 3, from, overlaps,
                    OVERLAPS);
    expect_overlaps(*state, test_laplacian(10, 6, 4), 3, from, overlaps, 2);
}
static void test_rank_overlap__of_ranks_without_couplings(void **state)
{
    static const int64_t from[] = {0, 20, 40};
    expect_overlaps(*state, test_identity(40), 2, from, overlaps, 1);
}

// Chunks of 8 blocks of 3 rows.
static void test_rank_overlap__of_blocks(void **state)
{
    static const int64_t from[] = {0, 48, 120, 240};
    static const struct lcl_precond_params blocks[] = {
        OVERLAP(8, .overlap = 1), OVERLAP(8, .overlap = 2),
        OVERLAP(24, .overlap = 2, .trisolve = LCL_TRISOLVE_HEC_LEVEL)};
    struct lcl_csr cells = test_laplacian(5, 4, 4);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    uint64_t random = 5;
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] += test_random(&random) - 0.5;
    test_csr_finish(&cells);
    expect_overlaps(*state, A, 3, from, blocks, 3);
}

// Rows that many ranks have, with contributions of each.
static void test_rank_overlap__ranks_add_results(void **state)
{
    static const int64_t from[] = {0, 40, 80, 140, 240};
    static const struct lcl_precond_params sums[] = {
        {.type = LCL_PRECOND_AS,
         .partition = {.type = LCL_PARTITION_NATURAL, .rows = 20}},
        {.type = LCL_PRECOND_AS,
         .overlap = 3,
         .ilu_level = 1,
         .partition = {.type = LCL_PARTITION_NATURAL, .rows = 20}}};
    expect_overlaps(*state, test_laplacian(10, 6, 4), 4, from, sums, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_overlap__reaches_other_ranks),
        cmocka_unit_test(test_rank_overlap__of_ranks_without_couplings),
        cmocka_unit_test(test_rank_overlap__of_blocks),
        cmocka_unit_test(test_rank_overlap__ranks_add_results),
    };
    return test_device_run(tests);
}
