// SPDX-License-Identifier: BSD-3-Clause
// The matching, step by step and as a whole, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/partition/match.h"
#include "lib/partition/matcher.h"
#include "lib/ref/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10 }; // aggregates

static void expect_ints(const char *what, const int32_t *got,
                        const int32_t *expected, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (got[i] != expected[i])
            fail_msg("%s[%lld]: %d, expected %d", what, (long long)i, got[i],
                     expected[i]);
}

static void upload(struct lcl_device_matrix *D, lcl_context *ctx,
                   const struct lcl_bsr *A)
{
    assert_int_equal(lcl_device_matrix_init(D, ctx, A), LCL_OK);
}

// ------------------------------------------------------------------- whole

static void expect_sound(const struct lcl_ref_match *E, int64_t limit)
{
    char *seen = calloc((size_t)E->n, 1);
    assert_non_null(seen);
    assert_int_equal(E->part_ptr[E->parts], E->n);
    for (int64_t p = 0; p < E->parts; ++p) {
        const int64_t rows = E->part_ptr[p + 1] - E->part_ptr[p];
        assert_in_range(rows, 1, limit);
        assert_in_range(E->aggregate[p], 0, E->aggregates - 1);
        if (p > 0)
            assert_in_range(E->aggregate[p] - E->aggregate[p - 1], 0, 1);
        for (int64_t i = E->part_ptr[p]; i < E->part_ptr[p + 1]; ++i) {
            assert_in_range(E->perm[i], 0, E->n - 1);
            assert_true(i == E->part_ptr[p] || E->perm[i] > E->perm[i - 1]);
            ++seen[E->perm[i]];
        }
    }
    for (int64_t i = 0; i < E->n; ++i)
        assert_int_equal(seen[i], 1);
    free(seen);
}

static void expect_match(lcl_context *ctx, const struct lcl_bsr *A,
                         int64_t limit, enum lcl_weights weights)
{
    const struct lcl_match_params params = {
        .limit = limit, .most = MOST, .weights = weights};
    struct lcl_device_matrix D;
    struct lcl_ref_match E;
    struct lcl_match M;
    assert_int_equal(lcl_ref_match_init(&E, A, (uint32_t)limit,
                                        weights != LCL_WEIGHTS_OFF, MOST),
                     LCL_OK);
    expect_sound(&E, limit);
    upload(&D, ctx, A);
    assert_int_equal(lcl_match_init(&M, ctx, &D, &params), LCL_OK);
    assert_int_equal(M.n, E.n);
    assert_int_equal(M.parts, E.parts);
    assert_int_equal(M.aggregates, E.aggregates);
    assert_true(M.aggregates <= MOST);
    test_expect_words("perm", M.perm, E.perm, E.n);
    for (int64_t p = 0; p <= E.parts; ++p)
        assert_int_equal(M.part_ptr[p], E.part_ptr[p]);
    expect_ints("aggregate", M.aggregate, E.aggregate, E.parts);
    lcl_match_finish(&M);
    lcl_device_matrix_finish(&D);
    lcl_ref_match_finish(&E);
}

// With several limits, from one row to all.
static void expect_matches(lcl_context *ctx, struct lcl_csr A)
{
    const int64_t limits[] = {1, 2, 7, 40, A.rows};
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    for (size_t l = 0; l < sizeof limits / sizeof *limits; ++l)
        expect_match(ctx, &B, limits[l], LCL_WEIGHTS_AUTO);
    expect_match(ctx, &B, 16, LCL_WEIGHTS_OFF);
    test_csr_finish(&A);
}

static void test_match__grids_and_random_matrices(void **state)
{
    const int64_t n = test_size(40, 2000);
    expect_matches(*state, test_identity(1));
    expect_matches(*state, test_laplacian(test_size(5, 20), 4, 3));
    expect_matches(*state, test_laplacian(test_size(6, 40), 7, 1));
    expect_matches(*state, test_random_csr(n, 3, 1));
    expect_matches(*state, test_random_csr(n, 12, 2));
}

// A symmetric star: row 0 is coupled to all others.
static struct lcl_csr star(int64_t n)
{
    struct lcl_csr A = test_dense_row(n, 0);
    int64_t *row_ptr = calloc((size_t)n + 1, sizeof *row_ptr);
    int32_t *col_ind = calloc((size_t)(3 * n), sizeof *col_ind);
    double *val = calloc((size_t)(3 * n), sizeof *val);
    int64_t k = 0;
    assert_true(row_ptr && col_ind && val);
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j)
            if (i == 0 || j == 0 || i == j) {
                col_ind[k] = j;
                val[k++] = i == j ? 2 : -1.0 / (1 + i + j);
            }
        row_ptr[i + 1] = k;
    }
    test_csr_finish(&A);
    return (struct lcl_csr){n, n, k, row_ptr, col_ind, val};
}

static int32_t column_of(double share, int64_t n)
{
    const int32_t j = (int32_t)((double)n * share * share * share * share);
    return j < n ? j : (int32_t)n - 1;
}

// Columns that get rarer with their number, so that few vertices have most
// edges; the pattern is not symmetric.
static struct lcl_csr power_law(int64_t n, unsigned seed)
{
    uint64_t state = seed;
    int64_t *row_ptr = calloc((size_t)n + 1, sizeof *row_ptr);
    int32_t *col_ind = calloc((size_t)(4 * n), sizeof *col_ind);
    double *val = calloc((size_t)(4 * n), sizeof *val);
    int64_t k = 0;
    assert_true(row_ptr && col_ind && val);
    for (int64_t i = 0; i < n; ++i) {
        char stored[4096] = {0};
        assert_true(n <= (int64_t)sizeof stored);
        stored[i] = stored[column_of(test_random(&state), n)] = 1;
        stored[column_of(test_random(&state), n)] = 1;
        for (int32_t j = 0; j < n; ++j)
            if (stored[j]) {
                col_ind[k] = j;
                val[k++] = i == j ? 4 : test_random(&state) - 0.5;
            }
        row_ptr[i + 1] = k;
    }
    return (struct lcl_csr){n, n, k, row_ptr, col_ind, val};
}

static void test_match__stars_and_power_laws_shrink(void **state)
{
    const int64_t n = test_size(60, 1500);
    expect_matches(*state, star(n));
    expect_matches(*state, power_law(n, 3));
    expect_matches(*state, test_dense_row(n, n / 2));
    expect_matches(*state, test_long_rows(3, test_size(20, 700), 4));
}

// Chains of `length` rows that are not coupled to each other.
static struct lcl_csr chains(int64_t n, int64_t length)
{
    struct lcl_csr A = test_laplacian(n, 1, 1);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] / length != i / length)
                A.col_ind[k] = -1;
    int64_t at = 0;
    for (int64_t i = 0, k = 0; i < n; ++i) {
        for (; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] >= 0) {
                A.col_ind[at] = A.col_ind[k];
                A.val[at++] = A.val[k];
            }
        A.row_ptr[i + 1] = at;
    }
    A.nnz = at;
    return A;
}

static void test_match__disconnected_graphs(void **state)
{
    const int64_t n = test_size(70, 1300);
    expect_matches(*state, test_identity(n));
    expect_matches(*state, chains(n, 1));
    expect_matches(*state, chains(n, 2));
    expect_matches(*state, chains(n, 9));
}

static void set_values(struct lcl_csr *A, const double *values, int count)
{
    for (int64_t k = 0; k < A->nnz; ++k)
        A->val[k] = values[k * 7 % 11 % count];
}

static void test_match__any_values_have_a_weight(void **state)
{
    static const double zeros[] = {0, 0, -1};
    static const double extremes[] = {1e308, -1e308, 5e-324, 1e-300, -3};
    static const double invalid[] = {NAN, INFINITY, -INFINITY, 1, 0};
    struct {
        const double *values;
        int count;
    } cases[] = {{zeros, 1}, {zeros, 3}, {extremes, 5}, {invalid, 5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        struct lcl_csr A = test_laplacian(test_size(4, 12), 5, 3);
        struct lcl_csr B = test_random_csr(test_size(40, 500), 4, 5);
        set_values(&A, cases[c].values, cases[c].count);
        set_values(&B, cases[c].values, cases[c].count);
        expect_matches(*state, A);
        expect_matches(*state, B);
    }
}

static void test_match__blocks_are_vertices(void **state)
{
    for (int block = 2; block <= 3; ++block) {
        struct lcl_csr A = test_laplacian(test_size(4, 15), 6, 2);
        struct lcl_csr B = test_random_csr(test_size(30, 700), 5, 6);
        struct lcl_bsr C = test_random_blocks(&A, block, 7);
        struct lcl_bsr D = test_random_blocks(&B, block, 8);
        expect_match(*state, &C, 12, LCL_WEIGHTS_ON);
        expect_match(*state, &D, 12, LCL_WEIGHTS_ON);
        test_bsr_finish(&D);
        test_bsr_finish(&C);
        test_csr_finish(&B);
        test_csr_finish(&A);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match__grids_and_random_matrices),
        cmocka_unit_test(test_match__stars_and_power_laws_shrink),
        cmocka_unit_test(test_match__disconnected_graphs),
        cmocka_unit_test(test_match__any_values_have_a_weight),
        cmocka_unit_test(test_match__blocks_are_vertices),
    };
    return test_device_run(tests);
}
