// SPDX-License-Identifier: BSD-3-Clause
// Strong couplings and aggregates on the device, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "cl/multilevel/aggregate.cl.h"
#include "lib/multilevel/aggregates.h"
#include "lib/ref/aggregates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- matrices

static bool is_stored(const struct lcl_csr *A, int64_t i, int32_t j)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == j)
            return true;
    return false;
}

// A + A^T; takes A over.
static struct lcl_csr symmetrised(struct lcl_csr A)
{
    const int64_t n = A.rows;
    struct lcl_csr B = {n, n, 0, calloc((size_t)n + 1, 8), NULL, NULL};
    B.col_ind = calloc((size_t)A.nnz * 2 + 1, sizeof *B.col_ind);
    B.val = calloc((size_t)A.nnz * 2 + 1, sizeof *B.val);
    assert_true(B.row_ptr && B.col_ind && B.val);
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j)
            if (is_stored(&A, i, j) || is_stored(&A, j, i)) {
                B.col_ind[B.nnz] = j;
                B.val[B.nnz++] = test_entry(&A, i, j) + test_entry(&A, j, i);
            }
        B.row_ptr[i + 1] = B.nnz;
    }
    test_csr_finish(&A);
    return B;
}

// Row `centre` is coupled to all others.
static struct lcl_csr star(int64_t n, int64_t centre)
{
    struct lcl_csr A = symmetrised(test_dense_row(n, centre));
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = -1;
    return A;
}

// Couplings of row i to about `per_row` rows of lower number, lower ones
// preferred: a few rows have most couplings.
static struct lcl_csr power_law(int64_t n, int per_row, unsigned seed)
{
    uint64_t state = seed;
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] = 9;
        for (int e = 0; e < per_row && i > 0; ++e) {
            const double s = test_random(&state);
            const int64_t j = (int64_t)((double)i * s * s * s);
            dense[i * n + j] = dense[j * n + i] = -1 - test_random(&state);
        }
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

// Couplings in x are `ratio` times those in y.
static struct lcl_csr anisotropic(int64_t side, double ratio)
{
    struct lcl_csr A = test_laplacian(side, side, 1);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (llabs(A.col_ind[k] - i) == 1)
                A.val[k] *= ratio;
            else if (A.col_ind[k] == i)
                A.val[k] = 2 * (1 + ratio);
    return A;
}

// ------------------------------------------------------------------- compare

static void expect_doubles(const char *what, const lcl_buffer *buffer,
                           const double *expected, int64_t count)
{
    double *got = test_vector(count);
    assert_int_equal(lcl_buffer_read(buffer, got, (size_t)count * sizeof *got),
                     LCL_OK);
    test_expect_same(what, got, expected, count);
    free(got);
}

// The smallest number of strong couplings between row i and each row, up to 3.
static void distances(uint8_t *distance, const struct lcl_csr *A,
                      const uint8_t *strong, int64_t i)
{
    memset(distance, 3, (size_t)A->rows);
    distance[i] = 0;
    for (int64_t a = A->row_ptr[i]; a < A->row_ptr[i + 1]; ++a) {
        const int64_t j = A->col_ind[a];
        if (!(strong[a] & COUPLING_STRONG))
            continue;
        distance[j] = 1;
        for (int64_t b = A->row_ptr[j]; b < A->row_ptr[j + 1]; ++b)
            if ((strong[b] & COUPLING_STRONG) && distance[A->col_ind[b]] > 2)
                distance[A->col_ind[b]] = 2;
    }
}

// Of a symmetric graph: roots of the first set are more than 2 apart, every row
// with strong couplings is within 2 of one, and their neighbours are in their
// aggregates.
static void expect_distance_2_set(const struct lcl_csr *A,
                                  const struct lcl_ref_strength *S,
                                  const struct lcl_ref_aggregates *G)
{
    uint8_t *distance = malloc((size_t)A->rows + 1);
    assert_non_null(distance);
    for (int64_t i = 0; i < A->rows; ++i) {
        int roots = 0;
        distances(distance, A, S->strong, i);
        for (int64_t j = 0; j < A->rows; ++j) {
            if (distance[j] == 3 || G->root[j] != 1)
                continue;
            ++roots;
            assert_true(G->root[i] != 1 || i == j);
            if (distance[j] == 1)
                assert_int_equal(G->aggregate[i], G->aggregate[j]);
        }
        assert_true(roots > 0 || S->strong_count[i] <= 0);
    }
    free(distance);
}

// Whether row i has a coupling of the filtered matrix to a row of its
// aggregate.
static bool is_coupled(const struct lcl_csr *A,
                       const struct lcl_ref_strength *S,
                       const struct lcl_ref_aggregates *G, int64_t i)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if ((S->strong[k] & COUPLING_FILTERED) &&
            G->aggregate[A->col_ind[k]] == G->aggregate[i])
            return true;
    return false;
}

static bool has_filtered(const struct lcl_csr *A,
                         const struct lcl_ref_strength *S, int64_t i)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (S->strong[k])
            return true;
    return false;
}

// Every row with couplings is in one aggregate, and no aggregate is empty. In a
// symmetric graph, rows without couplings in the filtered matrix have their
// own, other rows without strong couplings have that of a neighbour.
static void expect_all_rows(const struct lcl_csr *A,
                            const struct lcl_ref_strength *S,
                            const struct lcl_ref_aggregates *G, bool symmetric)
{
    int64_t *size = calloc((size_t)G->aggregates + 1, sizeof *size);
    assert_non_null(size);
    for (int64_t i = 0; i < A->rows; ++i) {
        const int32_t q = G->aggregate[i];
        assert_true(S->strong_count[i] < 0 ? q == -1
                                           : q >= 0 && q < G->aggregates);
        if (q >= 0)
            ++size[q];
    }
    for (int64_t q = 0; q < G->aggregates; ++q)
        assert_true(size[q] > 0);
    for (int64_t i = 0; i < A->rows; ++i)
        if (symmetric && S->strong_count[i] == 0 && size[G->aggregate[i]] > 1)
            assert_true(is_coupled(A, S, G, i));
        else if (symmetric && S->strong_count[i] == 0)
            assert_true(!has_filtered(A, S, i));
    free(size);
}

struct how {
    double theta;
    bool both, symmetric;
    int second;
};

static void expect_aggregates(lcl_context *ctx, const struct lcl_csr *A,
                              struct how how)
{
    const struct lcl_strength_params params = {how.theta, how.both};
    const struct lcl_aggregates_params aggregates = {how.second};
    struct lcl_device_matrix D;
    struct lcl_strength S;
    struct lcl_aggregates G;
    struct lcl_ref_strength E;
    struct lcl_ref_aggregates F;
    assert_int_equal(lcl_ref_strength_init(&E, A, how.theta, how.both), LCL_OK);
    assert_int_equal(lcl_ref_aggregates_init(&F, A, &E, how.second), LCL_OK);
    test_upload_csr(&D, ctx, A);
    assert_int_equal(lcl_strength_init(&S, ctx, &D, &params), LCL_OK);
    test_expect_bytes("strong", S.strong, E.strong, A->nnz);
    expect_doubles("inv_diag", S.inv_diag, E.inv_diag, A->rows);
    test_expect_words("strong_count", S.strong_count, E.strong_count, A->rows);
    assert_int_equal(lcl_aggregates_init(&G, ctx, &D, &S, &aggregates), LCL_OK);
    assert_int_equal(G.aggregates, F.aggregates);
    test_expect_words("aggregate", G.aggregate, F.aggregate, A->rows);
    expect_all_rows(A, &E, &F, how.symmetric);
    if (how.symmetric)
        expect_distance_2_set(A, &E, &F);
    lcl_aggregates_finish(&G);
    lcl_strength_finish(&S);
    lcl_device_matrix_finish(&D);
    lcl_ref_aggregates_finish(&F);
    lcl_ref_strength_finish(&E);
}

// Every coupling is strong, and none.
static void expect_extreme_thresholds(lcl_context *ctx, const struct lcl_csr *A,
                                      bool symmetric)
{
    expect_aggregates(ctx, A, (struct how){0, false, symmetric, 0});
    expect_aggregates(ctx, A, (struct how){2, true, symmetric, 0});
}

// Takes A over. A symmetric matrix needs no `both`.
static void expect_all(lcl_context *ctx, struct lcl_csr A, bool symmetric)
{
    for (int second = 0; second <= 4; second += (int)test_size(4, 2))
        expect_aggregates(ctx, &A,
                          (struct how){0.16, !symmetric, symmetric, second});
    expect_aggregates(ctx, &A, (struct how){0.5, symmetric, symmetric, 3});
    if (test_size(0, 1))
        expect_extreme_thresholds(ctx, &A, symmetric);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- tests

static void test_aggregates__grids_match(void **state)
{
    const int64_t side = test_size(4, 14);
    expect_all(*state, test_laplacian(side, side, side), true);
    expect_all(*state, test_laplacian(2 * side, side + 1, 1), true);
    expect_all(*state, test_laplacian(test_size(17, 300), 1, 1), true);
    expect_all(*state, anisotropic(test_size(5, 30), 1000), true);
}

static void test_aggregates__random_graphs_match(void **state)
{
    const int64_t n = test_size(24, 900);
    expect_all(*state, symmetrised(test_random_csr(n, 2, 1)), true);
    expect_all(*state, symmetrised(test_random_csr(n, 9, 2)), true);
    expect_all(*state, symmetrised(test_random_csr(n, 0.4, 3)), true);
}

static void test_aggregates__unsymmetric_patterns_match(void **state)
{
    const int64_t n = test_size(24, 1200);
    expect_all(*state, test_random_csr(n, 3, 4), false);
    expect_all(*state, test_random_csr(n, 14, 5), false);
    expect_all(*state, test_dense_row(n, n / 3), false);
}

static void test_aggregates__rows_with_many_couplings_match(void **state)
{
    const int64_t n = test_size(24, 700);
    expect_all(*state, star(n, 0), true);
    expect_all(*state, star(n, n - 1), true);
    expect_all(*state, power_law(n, 3, 6), true);
}

// Two centres: the second sees the first at distance 2 and then joins by the
// rule for long rows.
static void test_aggregates__long_rows_join(void **state)
{
    const int64_t n = 300;
    double *dense = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] = 4;
        for (int64_t c = 0; c < 2; ++c)
            if (i != c)
                dense[i * n + c] = dense[c * n + i] = -1 - (double)i / 999;
    }
    for (int64_t i = 2; i + 3 < n; i += 5)
        dense[i * n + i + 3] = dense[(i + 3) * n + i] = -1;
    expect_all(*state, test_csr_from_dense(n, dense), true);
    free(dense);
}

// Weak couplings that exceed the diagonal, diagonals that are negative, zero or
// missing.
static void test_aggregates__any_diagonal_matches(void **state)
{
    const int64_t n = test_size(24, 400);
    struct lcl_csr A = symmetrised(test_random_csr(n, 12, 7));
    uint64_t seed = 1;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = i % 7 == 3 ? 0 : test_random(&seed) - 0.5;
    expect_extreme_thresholds(*state, &A, true);
    expect_all(*state, A, true);
    expect_all(*state, symmetrised(test_stretched_csr(n, n, 8)), true);
}

// Couplings of a million in two pairs; the last row has small ones to both.
static void test_aggregates__rows_of_small_couplings_join(void **state)
{
    const double dense[] = {
        1e6 + 1, -1e6, 0,    0,    -1,   //
        -1e6,    1e6,  0,    0,    0,    //
        0,       0,    1e6,  -1e6, -0.9, //
        0,       0,    -1e6, 1e6,  0,    //
        -1,      0,    -0.9, 0,    2,    //
    };
    struct lcl_csr A = test_csr_from_dense(5, dense);
    struct lcl_ref_strength S;
    struct lcl_ref_aggregates G;
    assert_int_equal(lcl_ref_strength_init(&S, &A, 0.25, false), LCL_OK);
    assert_int_equal(lcl_ref_aggregates_init(&G, &A, &S, 0), LCL_OK);
    assert_int_equal(S.strong_count[4], 0);
    assert_int_equal(G.aggregates, 2);
    assert_int_equal(G.aggregate[4], G.aggregate[0]);
    lcl_ref_aggregates_finish(&G);
    lcl_ref_strength_finish(&S);
    expect_all(*state, A, true);
}

static void test_aggregates__extreme_values_match(void **state)
{
    const double scales[] = {1e-305, 1e-300, 1e150, 1e305};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
        struct lcl_csr A = test_laplacian(4, 4, test_size(1, 4));
        for (int64_t i = 0; i < A.rows; ++i)
            for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
                A.val[k] *= (i + A.col_ind[k]) % 3 == 0 ? scales[s] : 1;
        expect_all(*state, A, true);
    }
}

static void test_aggregates__matrices_without_couplings_match(void **state)
{
    const double holes[] = {
        1, 0, 0, 0, // no coupling
        0, 1, 0, 1, //
        0, 0, 0, 0, // empty
        0, 1, 0, 1, //
    };
    struct lcl_csr A = test_laplacian(3, 3, 1);
    expect_all(*state, test_identity(1), true);
    expect_all(*state, test_identity(21), true);
    expect_all(*state, test_csr_from_dense(4, holes), true);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = A.val[k] < 0 ? 0 : A.val[k];
    expect_all(*state, A, true);
}

static void test_aggregates__an_empty_matrix_has_none(void **state)
{
    int64_t row_ptr[] = {0};
    int32_t col = 0;
    double val = 0;
    const struct lcl_csr A = {0, 0, 0, row_ptr, &col, &val};
    expect_aggregates(*state, &A, (struct how){0.16, true, true, 4});
}

static void test_aggregates__blocks_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(3, 1, 1);
    struct lcl_bsr B = test_random_blocks(&A, 2, 1);
    const struct lcl_strength_params params = {.theta = 0.16};
    struct lcl_device_matrix D;
    struct lcl_strength S;
    assert_int_equal(lcl_device_matrix_init(&D, *state, &B), LCL_OK);
    assert_int_equal(lcl_strength_init(&S, *state, &D, &params),
                     LCL_EUNSUPPORTED);
    assert_null(S.strong);
    lcl_device_matrix_finish(&D);
    test_bsr_finish(&B);
    test_csr_finish(&A);
}

// A grid of one kind of coupling becomes about 11 rows per aggregate.
static void test_aggregates__grids_shrink(void **state)
{
    const int64_t side = test_size(5, 24);
    struct lcl_csr A = test_laplacian(side, side, side);
    struct lcl_ref_strength E;
    struct lcl_ref_aggregates F;
    assert_int_equal(lcl_ref_strength_init(&E, &A, 0.16, false), LCL_OK);
    for (int second = 0; second <= 4; second += 4) {
        assert_int_equal(lcl_ref_aggregates_init(&F, &A, &E, second), LCL_OK);
        const double rows = (double)A.rows / (double)F.aggregates;
        assert_true(rows > 5 && rows < 14);
        lcl_ref_aggregates_finish(&F);
    }
    lcl_ref_strength_finish(&E);
    test_csr_finish(&A);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aggregates__grids_match),
        cmocka_unit_test(test_aggregates__random_graphs_match),
        cmocka_unit_test(test_aggregates__unsymmetric_patterns_match),
        cmocka_unit_test(test_aggregates__rows_with_many_couplings_match),
        cmocka_unit_test(test_aggregates__long_rows_join),
        cmocka_unit_test(test_aggregates__any_diagonal_matches),
        cmocka_unit_test(test_aggregates__rows_of_small_couplings_join),
        cmocka_unit_test(test_aggregates__extreme_values_match),
        cmocka_unit_test(test_aggregates__matrices_without_couplings_match),
        cmocka_unit_test(test_aggregates__an_empty_matrix_has_none),
        cmocka_unit_test(test_aggregates__blocks_are_refused),
        cmocka_unit_test(test_aggregates__grids_shrink),
    };
    return test_device_run(tests);
}
