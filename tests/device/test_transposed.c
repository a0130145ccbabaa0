// SPDX-License-Identifier: BSD-3-Clause
// Applications of A^T and M^-T.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include "host/context.h"
#include "host/interop.h"
#include "host/runtime.h"
#include "lib/precond/precond.h"
#include "tests/support/krons.h"

#include <levelcl/opencl.h>
#include <levelcl/published.h>

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ operators

// The same bits by buffers; x and y of `rows` and `cols` doubles.
static void expect_on_device(lcl_operator *op, const double *x, int64_t rows,
                             const double *y, int64_t cols)
{
    lcl_context *ctx = op->range.ctx;
    lcl_buffer *in = test_upload(ctx, x, rows, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, cols, sizeof *y);
    double *got = test_vector(cols);
    const struct lcl_array_cl from = {lcl_buffer_mem(in), 0},
                              to = {lcl_buffer_mem(out), 0};
    assert_int_equal(lcl_operator_apply_transpose_cl(op, &from, &to, NULL),
                     LCL_OK);
    test_download(out, got, cols, sizeof *got);
    test_expect_same("A^T x of buffers", got, y, cols);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(got);
}

static void expect_product(lcl_operator *op, const struct lcl_bsr *A,
                           unsigned seed)
{
    const int b = A->block_size;
    const int64_t rows = A->rows * b, cols = A->cols * b;
    double *x = test_random_vector(rows, seed), *y = test_vector(cols);
    double *again = test_vector(cols), *expected = test_vector(cols);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            for (int r = 0; r < b; ++r)
                for (int c = 0; c < b; ++c)
                    expected[A->col_ind[k] * b + c] +=
                        A->val[(k * b + r) * b + c] * x[i * b + r];
    assert_int_equal(lcl_operator_apply_transpose(op, x, y), LCL_OK);
    test_expect_near("A^T x", y, expected, cols, 1e-13);
    assert_int_equal(lcl_operator_apply_transpose(op, x, again), LCL_OK);
    test_expect_same("A^T x again", again, y, cols);
    expect_on_device(op, x, rows, y, cols);
    free(x);
    free(y);
    free(again);
    free(expected);
}

static void renew(lcl_operator *op, struct lcl_bsr *A)
{
    const int64_t count = A->nnz * A->block_size * A->block_size;
    double *val = test_random_vector(count, 9);
    memcpy(A->val, val, (size_t)count * sizeof *val);
    assert_int_equal(lcl_operator_update(op, A->val), LCL_OK);
    free(val);
}

static void expect_operator(lcl_context *ctx, const struct lcl_csr *pattern,
                            int block)
{
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR};
    struct lcl_bsr A = test_random_blocks(pattern, block, 5);
    lcl_operator *op;
    assert_int_equal(lcl_operator_create_bsr(&op, ctx, &A, &params), LCL_OK);
    const uint64_t bytes = lcl_operator_info(op)->bytes;
    expect_product(op, &A, 3);
    assert_true(lcl_operator_info(op)->bytes > bytes);
    renew(op, &A);
    expect_product(op, &A, 4);
    lcl_operator_destroy(&op);
    test_bsr_finish(&A);
}

static void test_transposed__products_of_all_shapes(void **state)
{
    struct lcl_csr square = test_random_csr(50, 4, 2);
    struct lcl_csr wide = test_stretched_csr(31, 70, 3);
    struct lcl_csr tall = test_stretched_csr(70, 31, 3);
    struct lcl_csr one = test_identity(1), dense = test_dense_row(40, 7);
    for (int b = 1; b <= 3; b += 2) {
        expect_operator(*state, &square, b);
        expect_operator(*state, &wide, b);
        expect_operator(*state, &tall, b);
    }
    expect_operator(*state, &one, 1);
    expect_operator(*state, &dense, 1);
    test_csr_finish(&square);
    test_csr_finish(&wide);
    test_csr_finish(&tall);
    test_csr_finish(&one);
    test_csr_finish(&dense);
}

// Before and while the operator has another numbering, and after it again.
static void test_transposed__products_in_any_numbering(void **state)
{
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR};
    const struct lcl_precond_params ilu = {.partition.rows = 16,
                                           .coarse = LCL_COARSE_NONE};
    struct lcl_csr pattern = test_random_csr(60, 4, 2);
    struct lcl_bsr A = test_random_blocks(&pattern, 2, 5);
    lcl_operator *op;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create_bsr(&op, *state, &A, &params), LCL_OK);
    expect_product(op, &A, 2);
    assert_true(lcl_precond_create(&M, op, &ilu) >= LCL_OK);
    assert_non_null(op->own.perm);
    expect_product(op, &A, 3);
    renew(op, &A);
    expect_product(op, &A, 4);
    lcl_precond_destroy(&M);
    const struct lcl_precond_params blocks = {.type = LCL_PRECOND_BLOCK_JACOBI};
    assert_int_equal(lcl_precond_create(&M, op, &blocks), LCL_OK);
    assert_null(op->own.perm);
    expect_product(op, &A, 5);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

// ----------------------------------------------------------- Kronecker systems

static void expect_kron_product(lcl_operator *op, const struct lcl_kron *K)
{
    struct lcl_csr whole = test_kron_whole(K);
    const int64_t n = whole.rows;
    double *x = test_random_vector(n, 4), *y = test_vector(n);
    double *expected = test_vector(n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = whole.row_ptr[i]; k < whole.row_ptr[i + 1]; ++k)
            expected[whole.col_ind[k]] += whole.val[k] * x[i];
    assert_int_equal(lcl_operator_apply_transpose(op, x, y), LCL_OK);
    test_expect_near("A^T x", y, expected, n, 1e-12);
    expect_on_device(op, x, n, y, n);
    free(x);
    free(y);
    free(expected);
    test_csr_finish(&whole);
}

static void expect_kron(lcl_context *ctx, int stages, int b,
                        enum test_kron_patterns patterns,
                        enum lcl_kron_type type)
{
    const struct lcl_operator_params params = {.kron = type};
    struct test_kron T;
    lcl_operator *op;
    test_kron_init(&T, stages, b, 12, patterns);
    assert_int_equal(lcl_operator_create_kron(&op, ctx, &T.K, &params), LCL_OK);
    const uint64_t bytes = lcl_operator_info(op)->bytes;
    expect_kron_product(op, &T.K);
    assert_true(lcl_operator_info(op)->bytes > bytes);
    test_kron_change(&T);
    assert_int_equal(lcl_operator_update_kron(op, &T.K), LCL_OK);
    expect_kron_product(op, &T.K);
    lcl_operator_destroy(&op);
    test_kron_finish(&T);
}

// With one pass over both matrices, whose patterns are near, and with two.
static void test_transposed__products_of_kronecker_systems(void **state)
{
    for (int t = 0; t < TEST_KRON_TYPES; ++t)
        for (int p = 0; p < TEST_KRON_PATTERNS; ++p)
            expect_kron(*state, 3, 2, (enum test_kron_patterns)p,
                        test_kron_types[t]);
    expect_kron(*state, 1, 1, TEST_KRON_NEAR, LCL_KRON_ONE_PASS);
    expect_kron(*state, 2, 4, TEST_KRON_FAR, LCL_KRON_ONE_PASS);
}

// ------------------------------------------------------------- preconditioners

typedef enum lcl_status apply_fn(lcl_precond *M, const double *b, double *x);

// Its columns, one after the other.
static double *matrix_of(lcl_precond *M, apply_fn *apply)
{
    const int64_t n = lcl_precond_info(M)->rows;
    double *columns = test_vector(n * n), *e = test_vector(n);
    for (int64_t j = 0; j < n; ++j) {
        e[j] = 1;
        assert_int_equal(apply(M, e, columns + j * n), LCL_OK);
        e[j] = 0;
    }
    free(e);
    return columns;
}

static cl_mem make_mem(const lcl_context *ctx, double *x, int64_t n)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(ctx->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       (size_t)n * sizeof *x, x, &code);
    assert_int_equal(code, CL_SUCCESS);
    return mem;
}

static void expect_mem(const lcl_context *ctx, cl_mem mem, const double *x,
                       int64_t n)
{
    double *got = test_vector(n);
    assert_int_equal(clEnqueueReadBuffer(ctx->queue, mem, CL_TRUE, 0,
                                         (size_t)n * sizeof *got, got, 0, NULL,
                                         NULL),
                     CL_SUCCESS);
    test_expect_same("M^-T b of buffers", got, x, n);
    free(got);
    clReleaseMemObject(mem);
}

// The same bits by buffers, also in place.
static void expect_transpose_on_device(lcl_precond *M)
{
    const lcl_context *ctx = M->op.range.ctx;
    const int64_t n = lcl_precond_info(M)->rows;
    double *b = test_random_vector(n, 3), *x = test_vector(n);
    const struct lcl_array_cl of_b = {make_mem(ctx, b, n), 0},
                              of_x = {make_mem(ctx, x, n), 0};
    assert_int_equal(lcl_precond_apply_transpose(M, b, x), LCL_OK);
    assert_int_equal(lcl_precond_apply_transpose_cl(M, &of_b, &of_x, NULL),
                     LCL_OK);
    assert_int_equal(lcl_precond_apply_transpose_cl(M, &of_b, &of_b, NULL),
                     LCL_OK);
    expect_mem(ctx, of_x.mem, x, n);
    expect_mem(ctx, of_b.mem, x, n);
    free(b);
    free(x);
}

static void expect_transpose(lcl_precond *M, double tolerance)
{
    const int64_t n = lcl_precond_info(M)->rows;
    double *plain = matrix_of(M, lcl_precond_apply);
    double *got = matrix_of(M, lcl_precond_apply_transpose);
    double *expected = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            expected[i * n + j] = plain[j * n + i];
    test_expect_near("M^-T", got, expected, n * n, tolerance);
    expect_transpose_on_device(M);
    free(plain);
    free(got);
    free(expected);
}

static void scale_values(lcl_operator *op, const struct lcl_csr *A)
{
    double *val = test_vector(A->nnz);
    for (int64_t k = 0; k < A->nnz; ++k)
        val[k] = A->val[k] * (k % 3 + 2);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            val[k] = A->col_ind[k] == i ? 5 * A->val[k] : val[k];
    assert_int_equal(lcl_operator_update(op, val), LCL_OK);
    free(val);
}

// Factors of old values keep their transpose; the first use needs values of the
// same age.
static void expect_lagging(lcl_operator *op, lcl_precond *M,
                           const struct lcl_csr *A, double tolerance)
{
    double *x = test_random_vector(A->rows, 3), *y = test_vector(A->rows);
    scale_values(op, A);
    expect_transpose(M, tolerance);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    assert_int_equal(lcl_operator_update(op, A->val), LCL_OK);
    const bool own = M->matrix != M->A;
    assert_int_equal(lcl_precond_apply_transpose(M, x, y),
                     M->ops->symmetric || own ? LCL_OK : LCL_EINVAL);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    expect_transpose(M, tolerance);
    free(x);
    free(y);
}

static void expect_precond(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *params, int block,
                           double tolerance)
{
    const struct lcl_operator_params of_op = {.spmv = LCL_SPMV_CSR,
                                              .block_size = block};
    lcl_operator *op;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&op, ctx, A, &of_op), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, params), LCL_OK);
    expect_transpose(M, tolerance);
    if (params->type != LCL_PRECOND_IC0)
        expect_lagging(op, M, A, tolerance);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
}

static void test_transposed__preconditioners_are_adjoint(void **state)
{
    static const enum lcl_precond_type types[] = {
        LCL_PRECOND_NONE, LCL_PRECOND_JACOBI, LCL_PRECOND_BLOCK_JACOBI,
        LCL_PRECOND_ILU0, LCL_PRECOND_ILDU0};
    struct lcl_csr A = test_random_csr(48, 4, 2);
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        const struct lcl_precond_params params = {.type = types[t],
                                                  .partition.rows = 20,
                                                  .coarse = LCL_COARSE_NONE,
                                                  .storage =
                                                      LCL_FACTOR_STORAGE_FP64};
        expect_precond(*state, &A, &params, 1, 1e-12);
    }
    test_csr_finish(&A);
}

static void test_transposed__blocks_and_short_storage(void **state)
{
    struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0,
                                        .partition.rows = 10,
                                        .coarse = LCL_COARSE_NONE};
    struct lcl_csr A = test_random_csr(48, 4, 2);
    expect_precond(*state, &A, &params, 3, 1e-6);
    params.type = LCL_PRECOND_ILU0;
    expect_precond(*state, &A, &params, 1, 1e-6);
    params.type = LCL_PRECOND_BLOCK_JACOBI;
    params.storage = LCL_FACTOR_STORAGE_FP64;
    expect_precond(*state, &A, &params, 3, 1e-12);
    test_csr_finish(&A);
    A = test_laplacian(6, 4, 2);
    params.type = LCL_PRECOND_IC0;
    expect_precond(*state, &A, &params, 1, 1e-12);
    test_csr_finish(&A);
}

// The second preconditioner of an operator has a matrix of its own.
static void test_transposed__second_preconditioners(void **state)
{
    const struct lcl_operator_params of_op = {.spmv = LCL_SPMV_CSR,
                                              .block_size = 1};
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0,
                                              .partition.rows = 20,
                                              .coarse = LCL_COARSE_NONE,
                                              .storage =
                                                  LCL_FACTOR_STORAGE_FP64};
    struct lcl_csr A = test_random_csr(48, 4, 2);
    lcl_operator *op;
    lcl_precond *first, *second;
    assert_int_equal(lcl_operator_create(&op, *state, &A, &of_op), LCL_OK);
    assert_int_equal(lcl_precond_create(&first, op, &params), LCL_OK);
    assert_int_equal(lcl_precond_create(&second, op, &params), LCL_OK);
    assert_true(second->matrix != op);
    expect_transpose(first, 1e-12);
    expect_transpose(second, 1e-12);
    expect_lagging(op, second, &A, 1e-12);
    lcl_precond_destroy(&first);
    lcl_precond_destroy(&second);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ refusals

static enum lcl_status refuse(void *user, const double *x, double *y)
{
    (void)user, (void)x, (void)y;
    return LCL_EINVAL;
}

static void expect_refusal(lcl_operator *op,
                           const struct lcl_precond_params *params)
{
    double x[48] = {1}, y[48];
    lcl_precond *M;
    const enum lcl_status st = lcl_precond_create(&M, op, params);
    // a device without atomic sums in local memory has no published solves
    if (st == LCL_EUNSUPPORTED && params->trisolve == LCL_TRISOLVE_DAG_EC_LDS)
        return;
    assert_true(st >= LCL_OK);
    assert_int_equal(lcl_precond_apply_transpose(M, x, y), LCL_EUNSUPPORTED);
    assert_int_equal(lcl_precond_apply_transpose(M, x, y), LCL_EUNSUPPORTED);
    assert_int_equal(lcl_precond_apply(M, x, y), LCL_OK);
    lcl_precond_destroy(&M);
}

static void test_transposed__others_are_refused(void **state)
{
    const struct lcl_precond_params all[] = {
        {.type = LCL_PRECOND_ILUK},
        {.type = LCL_PRECOND_RAS},
        {.type = LCL_PRECOND_AMG},
        {.transversal = true},
        {.partition.rows = 8, .coarse = LCL_COARSE_ADD},
        {.relax = 0.5, .coarse = LCL_COARSE_NONE},
        {.trisolve = LCL_TRISOLVE_DAG_EC_LDS, .coarse = LCL_COARSE_NONE},
    };
    const struct lcl_operator_params of_op = {.spmv = LCL_SPMV_CSR,
                                              .block_size = 1};
    struct lcl_csr A = test_random_csr(48, 4, 2);
    double *x = test_vector(48), *y = test_vector(48);
    lcl_operator *op, *callback;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&op, *state, &A, &of_op), LCL_OK);
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        expect_refusal(op, &all[i]);
    assert_int_equal(lcl_precond_create_callback(&M, op, refuse, NULL), LCL_OK);
    assert_int_equal(lcl_precond_apply_transpose(M, x, y), LCL_EUNSUPPORTED);
    lcl_precond_destroy(&M);
    assert_int_equal(
        lcl_operator_create_callback(&callback, *state, 48, 48, refuse, NULL),
        LCL_OK);
    assert_int_equal(lcl_operator_apply_transpose(callback, x, y),
                     LCL_EUNSUPPORTED);
    assert_misuse(lcl_operator_apply_transpose(NULL, x, y));
    assert_misuse(lcl_operator_apply_transpose(op, NULL, y));
    assert_misuse(lcl_operator_apply_transpose(op, x, NULL));
    assert_misuse(lcl_precond_apply_transpose(NULL, x, y));
    const struct lcl_array_cl few = {make_mem(op->range.ctx, x, 1), 0},
                              other = {make_mem(op->range.ctx, x, 1), 0};
    assert_misuse(lcl_operator_apply_transpose_cl(NULL, &few, &other, NULL));
    assert_misuse(lcl_operator_apply_transpose_cl(op, NULL, &other, NULL));
    assert_misuse(lcl_operator_apply_transpose_cl(op, &few, NULL, NULL));
    assert_misuse(lcl_precond_apply_transpose_cl(NULL, &few, &other, NULL));
    assert_int_equal(lcl_operator_apply_transpose_cl(op, &few, &other, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_operator_apply_transpose_cl(op, &few, &few, NULL),
                     LCL_EINVAL);
    assert_int_equal(
        lcl_operator_apply_transpose_cl(callback, &few, &other, NULL),
        LCL_EUNSUPPORTED);
    clReleaseMemObject(few.mem);
    clReleaseMemObject(other.mem);
    lcl_operator_destroy(&callback);
    lcl_operator_destroy(&op);
    free(x);
    free(y);
    test_csr_finish(&A);
}

// Small beside the largest entry of its row, but not of its column.
static void test_transposed__repaired_pivots_are_refused(void **state)
{
    static const double dense[] = {1e-12, 1, 0, 1};
    const struct lcl_precond_params params = {.coarse = LCL_COARSE_NONE};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    double x[] = {1, 2}, y[2];
    lcl_operator *op;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &params), LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_apply_transpose(M, x, y), LCL_EUNSUPPORTED);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transposed__products_of_all_shapes),
        cmocka_unit_test(test_transposed__products_in_any_numbering),
        cmocka_unit_test(test_transposed__products_of_kronecker_systems),
        cmocka_unit_test(test_transposed__preconditioners_are_adjoint),
        cmocka_unit_test(test_transposed__blocks_and_short_storage),
        cmocka_unit_test(test_transposed__second_preconditioners),
        cmocka_unit_test(test_transposed__others_are_refused),
        cmocka_unit_test(test_transposed__repaired_pivots_are_refused),
    };
    return test_device_run(tests);
}
