// SPDX-License-Identifier: BSD-3-Clause
// nodes.cl, tentative.cl and to_entries.cl compared with the references.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/multilevel/nodes.h"
#include "lib/multilevel/tentative.h"
#include "lib/ref/nodes.h"
#include "lib/storage/to_entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *download(const lcl_buffer *buffer, int64_t count, size_t size)
{
    void *data = calloc((size_t)count + 1, size);
    assert_non_null(data);
    assert_int_equal(lcl_buffer_read(buffer, data, (size_t)count * size),
                     LCL_OK);
    return data;
}

// D as a dense array; columns must ascend.
static double *dense_of(const struct lcl_device_matrix *D)
{
    struct lcl_bsr got;
    double *dense = test_vector(D->n * D->block_cols);
    assert_int_equal(D->block, 1);
    assert_int_equal(lcl_device_matrix_read(&got, D, true, NULL), LCL_OK);
    for (int64_t i = 0; i < got.rows; ++i)
        for (int64_t k = got.row_ptr[i]; k < got.row_ptr[i + 1]; ++k) {
            assert_true(k == got.row_ptr[i] ||
                        got.col_ind[k] > got.col_ind[k - 1]);
            dense[i * got.cols + got.col_ind[k]] = got.val[k];
        }
    lcl_bsr_finish(&got);
    return dense;
}

// ------------------------------------------------------------------- entries

static void expect_rows(const struct lcl_bsr *got, const struct lcl_bsr *A)
{
    const int b = A->block_size;
    int64_t at = 0;
    for (int64_t i = 0; i < A->rows * b; ++i) {
        assert_int_equal(got->row_ptr[i], at);
        for (int64_t k = A->row_ptr[i / b]; k < A->row_ptr[i / b + 1]; ++k)
            for (int c = 0; c < b; ++c, ++at) {
                assert_int_equal(got->col_ind[at], A->col_ind[k] * b + c);
                assert_true(got->val[at] == A->val[k * b * b + i % b * b + c]);
            }
    }
    assert_int_equal(got->row_ptr[A->rows * b], at);
}

// Twice, the second time with other values.
static void expect_entries(lcl_context *ctx, const struct lcl_bsr *A)
{
    const int64_t values = A->nnz * lcl_block_values(A);
    struct lcl_device_matrix B, E;
    assert_int_equal(lcl_device_matrix_init(&B, ctx, A), LCL_OK);
    assert_int_equal(lcl_to_entries(&E, ctx, &B), LCL_OK);
    for (int turn = 0; turn < 2; ++turn) {
        struct lcl_bsr got;
        assert_int_equal(lcl_device_matrix_read(&got, &E, true, NULL), LCL_OK);
        expect_rows(&got, A);
        lcl_bsr_finish(&got);
        for (int64_t k = 0; k < values; ++k)
            A->val[k] = 3 - A->val[k];
        lcl_buffer_destroy(&B.val);
        B.val = test_upload(ctx, A->val, values, sizeof *A->val);
        assert_int_equal(lcl_to_entries_update(&E, ctx, &B), LCL_OK);
    }
    lcl_device_matrix_finish(&E);
    lcl_device_matrix_finish(&B);
}

static void test_nodes__blocks_become_entries(void **state)
{
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b) {
        struct lcl_csr A = test_stretched_csr(test_size(9, 150), 70, 3);
        struct lcl_bsr B = test_random_blocks(&A, b, (unsigned)b);
        expect_entries(*state, &B);
        test_bsr_finish(&B);
        test_csr_finish(&A);
    }
}

// ------------------------------------------------------------------- norms

static void expect_norms(lcl_context *ctx, const struct lcl_csr *A, int block)
{
    const int64_t nodes = A->rows / block;
    double *expected = test_vector(nodes * nodes);
    struct lcl_device_matrix D;
    struct lcl_nodes N;
    test_upload_csr(&D, ctx, A);
    assert_int_equal(lcl_nodes_init(&N, ctx, &D, block), LCL_OK);
    assert_int_equal(N.graph.n, nodes);
    lcl_ref_node_norms(expected, A, block);
    double *got = dense_of(&N.graph);
    for (int64_t k = 0; k < nodes * nodes; ++k)
        assert_true(fabs(got[k] - expected[k]) <= 1e-14 * expected[k]);
    free(got);
    free(expected);
    lcl_nodes_finish(&N);
    lcl_device_matrix_finish(&D);
}

static void test_nodes__norms_are_those_of_blocks(void **state)
{
    const int64_t n = test_size(24, 168);
    struct lcl_csr A = test_random_csr(n, 5, 11);
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b)
        if (n % b == 0)
            expect_norms(*state, &A, b);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= k % 3 == 0 ? 1e300 : k % 3 == 1 ? 1e-300 : 0;
    expect_norms(*state, &A, 4);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- filter

// Strong couplings as the library finds them, one flag for each two nodes.
static unsigned char *flags_of(const struct lcl_nodes *N,
                               const struct lcl_strength *S)
{
    struct lcl_bsr G;
    const int64_t n = N->graph.n;
    unsigned char *flags = calloc((size_t)(n * n) + 1, 1);
    unsigned char *strong = download(S->strong, S->nnz, 1);
    assert_non_null(flags);
    assert_int_equal(lcl_device_matrix_read(&G, &N->graph, true, NULL), LCL_OK);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = G.row_ptr[i]; k < G.row_ptr[i + 1]; ++k)
            flags[i * n + G.col_ind[k]] = strong[k];
    lcl_bsr_finish(&G);
    free(strong);
    return flags;
}

static void expect_filter(lcl_context *ctx, const struct lcl_csr *A, int block)
{
    const struct lcl_strength_params params = {.theta = 0.4};
    const double lambda = 1.75;
    struct lcl_device_matrix D, F;
    struct lcl_strength S;
    struct lcl_nodes N;
    lcl_buffer *value = test_upload(ctx, &lambda, 1, sizeof lambda);
    double *expected = test_vector(A->rows * A->rows);
    test_upload_csr(&D, ctx, A);
    assert_int_equal(lcl_nodes_init(&N, ctx, &D, block), LCL_OK);
    assert_int_equal(lcl_strength_init(&S, ctx, &N.graph, &params), LCL_OK);
    assert_int_equal(lcl_nodes_filter(&F, &N, &D, &S, value), LCL_OK);
    unsigned char *flags = flags_of(&N, &S);
    lcl_ref_node_filter(expected, A, block, flags, lambda);
    double *got = dense_of(&F);
    test_expect_near("F", got, expected, A->rows * A->rows, 1e-13);
    free(got);
    free(flags);
    free(expected);
    lcl_device_matrix_finish(&F);
    lcl_strength_finish(&S);
    lcl_nodes_finish(&N);
    lcl_device_matrix_finish(&D);
    lcl_buffer_destroy(&value);
}

// Also rows without a diagonal, or with zeros or weak couplings that turn it.
static void test_nodes__filters_are_those_of_nodes(void **state)
{
    const int64_t n = test_size(24, 120);
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b) {
        struct lcl_csr A = test_random_csr(n, 6, (unsigned)b);
        for (int64_t i = 0; i < n; i += 5)
            for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
                if (A.col_ind[k] == i)
                    A.val[k] = i % 2 == 0 ? 0 : -0.1;
        if (n % b == 0)
            expect_filter(*state, &A, b);
        test_csr_finish(&A);
    }
}

// A row whose diagonal is not stored gets one in F.
static void test_nodes__filters_have_a_diagonal(void **state)
{
    const double dense[] = {0, 2, 0, 1, 0, 3, 0, 4, 5};
    for (int b = 1; b <= 3; b += 2) {
        struct lcl_csr A = test_csr_from_dense(3, dense);
        expect_filter(*state, &A, b);
        test_csr_finish(&A);
    }
}

static void test_nodes__zeros_on_the_diagonal_become_ones(void **state)
{
    struct lcl_csr A = test_random_csr(test_size(40, 4000), 3, 8);
    struct lcl_device_matrix D;
    struct lcl_bsr got;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] = (i + A.col_ind[k]) % 3 == 0 ? 0 : A.val[k];
    test_upload_csr(&D, *state, &A);
    assert_int_equal(lcl_unit_diagonal(*state, &D), LCL_OK);
    assert_int_equal(lcl_device_matrix_read(&got, &D, true, NULL), LCL_OK);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i && A.val[k] == 0)
                A.val[k] = 1;
    test_expect_same("value", got.val, A.val, A.nnz);
    lcl_bsr_finish(&got);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- T

struct aggregation {
    int64_t nodes, aggregates;
    int32_t *aggregate;
};

// Aggregates of 1 to about 9 nodes at random places; every tenth node is in
// none.
static struct aggregation random_aggregation(int64_t nodes)
{
    struct aggregation G = {nodes, (nodes + 3) / 4,
                            calloc((size_t)nodes, sizeof *G.aggregate)};
    uint64_t random = 5;
    assert_non_null(G.aggregate);
    for (int64_t i = 0; i < nodes; ++i)
        G.aggregate[i] =
            i < G.aggregates ? (int32_t)i
            : i % 10 == 0
                ? -1
                : (int32_t)(test_random(&random) * (double)G.aggregates);
    return G;
}

// Rows of the aggregate q among the columns of T, and the vectors there.
static int64_t take_rows(double *Q, double *columns, const double *T,
                         const double *B, const struct aggregation *G,
                         int block, int k, int64_t q)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < G->nodes * block; ++i) {
        if (G->aggregate[i / block] != q)
            continue;
        for (int c = 0; c < k; ++c) {
            Q[rows * k + c] = B[i * k + c];
            columns[rows * k + c] = T[i * G->aggregates * k + q * k + c];
        }
        ++rows;
    }
    return rows;
}

static void expect_tentative(const double *T, const double *next,
                             const double *B, const struct aggregation *G,
                             int block, int k)
{
    double *Q = test_vector(G->nodes * block * k);
    double *columns = test_vector(G->nodes * block * k);
    int64_t entries = 0, found = 0;
    for (int64_t q = 0; q < G->aggregates; ++q) {
        double R[LCL_BLOCK_MAX * LCL_BLOCK_MAX];
        const int64_t rows = take_rows(Q, columns, T, B, G, block, k, q);
        lcl_ref_orthonormalise(Q, R, rows, k);
        test_expect_near("T", columns, Q, rows * k, 1e-9);
        test_expect_near("R", next + q * k * k, R, (int64_t)k * k, 1e-9);
        for (int64_t m = 0; m < rows * k; ++m)
            entries += columns[m] != 0;
    }
    for (int64_t m = 0; m < G->nodes * block * G->aggregates * k; ++m)
        found += T[m] != 0;
    assert_int_equal(found, entries);
    free(columns);
    free(Q);
}

static void expect_orthonormal(lcl_context *ctx, const double *B, int64_t nodes,
                               int block, int k)
{
    struct aggregation G = random_aggregation(nodes);
    struct lcl_near_null near = {block, k,
                                 test_upload(ctx, B, nodes * block * k,
                                             sizeof *B)},
                         next;
    struct lcl_aggregates A = {
        nodes, G.aggregates,
        test_upload(ctx, G.aggregate, nodes, sizeof *G.aggregate)};
    struct lcl_device_matrix T;
    assert_int_equal(lcl_tentative_init(&T, &next, ctx, &A, &near), LCL_OK);
    assert_true(next.block == k && next.count == k);
    assert_true(T.n == nodes * block && T.block_cols == G.aggregates * k);
    double *dense = dense_of(&T);
    double *R = download(next.vectors, G.aggregates * k * k, sizeof *R);
    expect_tentative(dense, R, B, &G, block, k);
    free(R);
    free(dense);
    free(G.aggregate);
    lcl_device_matrix_finish(&T);
    lcl_near_null_finish(&next);
    lcl_near_null_finish(&near);
    lcl_aggregates_finish(&A);
}

// Aggregates may have fewer rows than there are vectors.
static void test_nodes__tentative_columns_are_orthonormal(void **state)
{
    const int64_t nodes = test_size(12, 300);
    for (int b = 1; b <= 3; ++b)
        for (int k = 1; k <= LCL_BLOCK_MAX; k += b == 1 ? 1 : 3) {
            double *B =
                test_random_vector(nodes * b * k, (unsigned)(8 * b + k));
            expect_orthonormal(*state, B, nodes, b, k);
            free(B);
        }
}

// The third vector is the sum of the others, the fourth is zero.
static void test_nodes__dependent_vectors_are_zero(void **state)
{
    const int64_t nodes = test_size(12, 300);
    double *B = test_random_vector(nodes * 2 * 4, 9);
    for (int64_t i = 0; i < nodes * 2; ++i) {
        B[4 * i + 2] = B[4 * i] + B[4 * i + 1];
        B[4 * i + 3] = 0;
    }
    expect_orthonormal(*state, B, nodes, 2, 4);
    free(B);
}

static void test_nodes__vectors_start_as_constants(void **state)
{
    for (int b = 1; b <= LCL_BLOCK_MAX; ++b) {
        struct lcl_near_null B;
        const int64_t n = 23 * b;
        assert_int_equal(lcl_near_null_start(&B, *state, 23, b), LCL_OK);
        double *got = download(B.vectors, n * b, sizeof *got);
        for (int64_t i = 0; i < n; ++i)
            for (int c = 0; c < b; ++c)
                assert_true(got[i * b + c] == (i % b == c ? 1 : 0));
        free(got);
        lcl_near_null_finish(&B);
    }
}

static void test_nodes__vectors_are_scaled(void **state)
{
    double columns[] = {1e300, -4e300, 2e300, 0, 0, 5e-310};
    const double expected[] = {0.25, 0, -1, 0, 0.5, 1};
    const struct lcl_dense X = {3, 2, columns};
    struct lcl_near_null B;
    assert_int_equal(lcl_near_null_upload(&B, *state, &X, 1, NULL), LCL_OK);
    double *got = download(B.vectors, 6, sizeof *got);
    test_expect_near("vector", got, expected, 6, 1e-15);
    free(got);
    lcl_near_null_finish(&B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes__blocks_become_entries),
        cmocka_unit_test(test_nodes__norms_are_those_of_blocks),
        cmocka_unit_test(test_nodes__filters_are_those_of_nodes),
        cmocka_unit_test(test_nodes__filters_have_a_diagonal),
        cmocka_unit_test(test_nodes__zeros_on_the_diagonal_become_ones),
        cmocka_unit_test(test_nodes__tentative_columns_are_orthonormal),
        cmocka_unit_test(test_nodes__dependent_vectors_are_zero),
        cmocka_unit_test(test_nodes__vectors_start_as_constants),
        cmocka_unit_test(test_nodes__vectors_are_scaled),
    };
    return test_device_run(tests);
}
