// SPDX-License-Identifier: BSD-3-Clause
// dense.cl: the inverse and the products, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/blas.h"
#include "host/context.h"
#include "lib/dense/gemv.h"
#include "lib/dense/host_inverse.h"
#include "lib/dense/inverse.h"

#include <stdlib.h>

enum { TILE = 8 };

// The tested sizes, terminated by 0: less than a tile, whole tiles, more.
static const int64_t *sizes(void)
{
    static const int64_t small[] = {1, 5, 8, 19, 0};
    static const int64_t large[] = {1, 31, 32, 97, 256, 0};
    return test_size(1, 0) ? small : large;
}

// ------------------------------------------------------------------ matrices

typedef double *maker(int64_t n, unsigned seed);

// Not symmetric, with a dominant diagonal.
static double *dominant(int64_t n, unsigned seed)
{
    double *A = test_random_vector(n * n, seed);
    for (int64_t i = 0; i < n; ++i)
        A[i * n + i] += (double)n;
    return A;
}

// Any entry may be the pivot.
static double *random_matrix(int64_t n, unsigned seed)
{
    return test_random_vector(n * n, seed);
}

// B B^T + I
static double *positive_definite(int64_t n, unsigned seed)
{
    double *B = test_random_vector(n * n, seed), *A = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            A[i * n + j] = i == j;
            for (int64_t k = 0; k < n; ++k)
                A[i * n + j] += B[i * n + k] * B[j * n + k];
        }
    free(B);
    return A;
}

// A path with weights from 1 to 2: constants are in the null space.
static double *neumann(int64_t n, unsigned seed)
{
    uint64_t state = seed;
    double *A = test_vector(n * n);
    for (int64_t i = 0; i + 1 < n; ++i) {
        const double weight = 1 + test_random(&state);
        A[i * n + i] += weight;
        A[(i + 1) * n + i + 1] += weight;
        A[i * n + i + 1] = A[(i + 1) * n + i] = -weight;
    }
    return A;
}

// C = A B
static double *multiply(int64_t n, const double *A, const double *B)
{
    double *C = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 0; k < n; ++k)
            for (int64_t j = 0; j < n; ++j)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
    return C;
}

// ------------------------------------------------------------------ inverse

// Uploads the rows of the matrix, which have the stride `stride` on the device.
static void copy_rows(double *to, int64_t to_stride, const double *from,
                      int64_t from_stride, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            to[i * to_stride + j] = from[i * from_stride + j];
}

// X = the device's inverse of A. Returns the number of pinned unknowns.
static int64_t invert(lcl_context *ctx, const double *A, double *X, int64_t n)
{
    struct lcl_inverse V;
    int64_t pinned;
    assert_int_equal(lcl_inverse_init(&V, ctx, n, test_size(TILE, 0)), LCL_OK);
    const size_t bytes = (size_t)(V.stride * V.stride) * sizeof(double);
    double *all = test_vector(V.stride * V.stride);
    copy_rows(all, V.stride, A, n, n);
    assert_int_equal(lcl_buffer_fill(V.scales, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(V.pivot, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(V.column, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(V.pinned, 0xff), LCL_OK);
    assert_int_equal(lcl_inverse_clear(&V), LCL_OK);
    assert_int_equal(lcl_buffer_write(V.matrix, all, bytes), LCL_OK);
    assert_int_equal(lcl_inverse_run(&V, &pinned), LCL_OK);
    assert_int_equal(lcl_buffer_read(V.matrix, all, bytes), LCL_OK);
    copy_rows(X, n, all, V.stride, n);
    lcl_inverse_finish(&V);
    free(all);
    return pinned;
}

// Two inversions: both near the reference and bitwise equal.
static void expect_inverse(lcl_context *ctx, maker *make, double tolerance)
{
    for (const int64_t *n = sizes(); *n > 0; ++n) {
        double *A = make(*n, 7), *expected = test_vector(*n * *n);
        double *X = test_vector(*n * *n), *again = test_vector(*n * *n);
        int64_t pinned;
        assert_int_equal(invert(ctx, A, X, *n), 0);
        assert_int_equal(invert(ctx, A, again, *n), 0);
        assert_int_equal(lcl_host_inverse(expected, A, *n, *n, &pinned),
                         LCL_OK);
        assert_int_equal(pinned, 0);
        test_expect_near("inverse", X, expected, *n * *n, tolerance);
        test_expect_same("second inverse", again, X, *n * *n);
        free(A);
        free(X);
        free(again);
        free(expected);
    }
}

static void test_dense__inverse_of_dominant_matrices_matches(void **state)
{
    expect_inverse(*state, dominant, 1e-12);
}

static void test_dense__inverse_of_definite_matrices_matches(void **state)
{
    expect_inverse(*state, positive_definite, 1e-10);
}

// Within a tile, all pivots are available for any matrix.
static void test_dense__rows_are_exchanged_inside_a_tile(void **state)
{
    for (int64_t n = 1; n <= TILE; ++n) {
        double *A = random_matrix(n, (unsigned)n), *X = test_vector(n * n);
        double *expected = test_vector(n * n);
        int64_t pinned;
        A[0] = 0;
        if (n == 1)
            A[0] = -3;
        assert_int_equal(invert(*state, A, X, n), 0);
        assert_int_equal(lcl_host_inverse(expected, A, n, n, &pinned), LCL_OK);
        test_expect_near("inverse", X, expected, n * n, 1e-10);
        free(A);
        free(X);
        free(expected);
    }
}

// A X A = A for any choice of pinned unknowns.
static void expect_generalized(lcl_context *ctx, const double *A, int64_t n,
                               int64_t pinned)
{
    double *X = test_vector(n * n), *reference = test_vector(n * n);
    int64_t reference_pinned;
    assert_int_equal(lcl_host_inverse(reference, A, n, n, &reference_pinned),
                     LCL_OK);
    assert_int_equal(reference_pinned, pinned);
    assert_int_equal(invert(ctx, A, X, n), pinned);
    const double *const both[] = {X, reference};
    for (int i = 0; i < 2; ++i) {
        double *AX = multiply(n, A, both[i]), *AXA = multiply(n, AX, A);
        test_expect_near("A X A", AXA, A, n * n, 1e-10);
        free(AX);
        free(AXA);
    }
    free(X);
    free(reference);
}

static void test_dense__singular_matrices_have_pinned_unknowns(void **state)
{
    for (const int64_t *n = sizes(); *n > 0; ++n) {
        double *A = neumann(*n, 3), *zero = test_vector(*n * *n);
        expect_generalized(*state, A, *n, 1);
        expect_generalized(*state, zero, *n, *n);
        free(A);
        free(zero);
    }
}

static void test_dense__an_empty_row_and_column_are_pinned(void **state)
{
    const int64_t n = sizes()[2];
    double *A = dominant(n, 5);
    for (int64_t i = 0; i < n; ++i)
        A[3 * n + i] = A[i * n + 3] = 0;
    expect_generalized(*state, A, n, 1);
    free(A);
}

// ------------------------------------------------------------------ products

// Our kernels write n numbers; the CLBlast product clears all of y.
static void run_product(const struct lcl_gemv *G, const lcl_buffer *x,
                        double *y)
{
    lcl_context *ctx = G->ctx;
    lcl_buffer *go_on = test_stop_flag(ctx, 0), *stop = test_stop_flag(ctx, 1);
    lcl_buffer *out = test_poisoned(ctx, G->rows, sizeof *y);
    const struct lcl_operands v = {.x = x, .y = out, .stop = go_on};
    const struct lcl_operands stopped = {.x = x, .y = out, .stop = stop};
    if (G->method == LCL_GEMV_CLBLAST) {
        assert_int_equal(lcl_gemv_apply(G, &v), LCL_OK);
        assert_int_equal(lcl_buffer_read(out, y, (size_t)G->n * sizeof *y),
                         LCL_OK);
    } else {
        assert_int_equal(lcl_gemv_apply(G, &stopped), LCL_OK);
        test_untouched(out);
        assert_int_equal(lcl_gemv_apply(G, &v), LCL_OK);
        test_download(out, y, G->rows, sizeof *y);
    }
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
}

static void expect_product(lcl_context *ctx, enum lcl_gemv_method method,
                           int64_t n, double tolerance)
{
    const int64_t stride = n + 3;
    struct lcl_gemv G;
    double *A = test_random_vector(stride * stride, 2);
    double *x = test_random_vector(n, 3), *y = test_vector(n);
    double *expected = test_vector(n);
    lcl_buffer *matrix = test_upload(ctx, A, stride * stride, sizeof *A);
    lcl_buffer *in = test_upload(ctx, x, n, sizeof *x);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            expected[i] += A[i * stride + j] * x[j];
    assert_int_equal(lcl_gemv_init(&G, ctx, method, matrix, n, stride), LCL_OK);
    assert_int_equal(lcl_gemv_update(&G), LCL_OK);
    run_product(&G, in, y);
    test_expect_near("y", y, expected, n, tolerance);
    lcl_gemv_finish(&G);
    lcl_buffer_destroy(&matrix);
    lcl_buffer_destroy(&in);
    free(A);
    free(x);
    free(y);
    free(expected);
}

static void test_dense__products_match(void **state)
{
    for (const int64_t *n = sizes(); *n > 0; ++n) {
        expect_product(*state, LCL_GEMV_DOUBLE, *n, 1e-13);
        expect_product(*state, LCL_GEMV_SINGLE, *n, 1e-5);
    }
}

// Every third row, from the last one on.
static void expect_listed(lcl_context *ctx, int64_t n)
{
    const int64_t stride = n + 3, rows = (n + 2) / 3;
    struct lcl_gemv G;
    double *A = test_random_vector(stride * stride, 2);
    double *x = test_random_vector(n, 3), *y = test_vector(rows);
    double *expected = test_vector(rows);
    int32_t *list = calloc((size_t)rows, sizeof *list);
    assert_non_null(list);
    for (int64_t i = 0; i < rows; ++i) {
        list[i] = (int32_t)(n - 1 - 3 * i);
        for (int64_t j = 0; j < n; ++j)
            expected[i] += A[list[i] * stride + j] * x[j];
    }
    lcl_buffer *matrix = test_upload(ctx, A, stride * stride, sizeof *A);
    lcl_buffer *in = test_upload(ctx, x, n, sizeof *x);
    lcl_buffer *listed = test_upload(ctx, list, rows, sizeof *list);
    assert_int_equal(
        lcl_gemv_init_rows(&G, ctx, matrix, n, stride, listed, rows), LCL_OK);
    run_product(&G, in, y);
    test_expect_near("y", y, expected, rows, 1e-13);
    lcl_gemv_finish(&G);
    lcl_buffer_destroy(&listed);
    lcl_buffer_destroy(&matrix);
    lcl_buffer_destroy(&in);
    free(list);
    free(A);
    free(x);
    free(y);
    free(expected);
}

static void test_dense__products_with_listed_rows_match(void **state)
{
    for (const int64_t *n = sizes(); *n > 0; ++n)
        expect_listed(*state, *n);
}

static void test_dense__clblast_s_products_match(void **state)
{
    // takes minutes to compile in a simulator
    if (!lcl_blas_there() || getenv("OCLGRIND_UNINITIALIZED"))
        skip();
    for (const int64_t *n = sizes(); *n > 0; ++n)
        expect_product(*state, LCL_GEMV_CLBLAST, *n, 1e-12);
}

// With 32 KB of local memory a region of the default tiles does not fit.
static void test_dense__tiles_fit_the_local_memory(void **state)
{
    lcl_context *ctx = *state;
    const uint64_t all = ctx->caps.local_bytes;
    const double A[] = {4, 1, 1, 0.5};
    double X[4];
    struct lcl_inverse V;
    ctx->caps.local_bytes = 32 * 1024;
    assert_int_equal(lcl_inverse_init(&V, ctx, 40, 0), LCL_OK);
    assert_int_equal(V.tile_rows, ctx->caps.width == 1 ? 32 : 16);
    lcl_inverse_finish(&V);
    assert_int_equal(invert(ctx, A, X, 2), 0);
    ctx->caps.local_bytes = all;
    test_expect_near("inverse", X, (const double[]){0.5, -1, -1, 4}, 4, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense__inverse_of_dominant_matrices_matches),
        cmocka_unit_test(test_dense__inverse_of_definite_matrices_matches),
        cmocka_unit_test(test_dense__rows_are_exchanged_inside_a_tile),
        cmocka_unit_test(test_dense__singular_matrices_have_pinned_unknowns),
        cmocka_unit_test(test_dense__an_empty_row_and_column_are_pinned),
        cmocka_unit_test(test_dense__tiles_fit_the_local_memory),
        cmocka_unit_test(test_dense__products_match),
        cmocka_unit_test(test_dense__products_with_listed_rows_match),
        cmocka_unit_test(test_dense__clblast_s_products_match),
    };
    return test_device_run(tests);
}
