// SPDX-License-Identifier: BSD-3-Clause
// Extended+i interpolation on the device, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/matrix/csr.h"
#include "lib/multilevel/extended.h"
#include "lib/ref/extended.h"

#include "cl/multilevel/extended.cl.h"

#include <math.h>
#include <stdlib.h>

// Fails unless both matrices have the same bits.
static void expect_equal(const struct lcl_device_matrix *D,
                         const struct lcl_csr *E)
{
    struct lcl_bsr P;
    assert_int_equal(D->n, E->rows);
    assert_int_equal(D->block_cols, E->cols);
    assert_int_equal(D->blocks, E->nnz);
    assert_int_equal(lcl_device_matrix_read(&P, D, true, NULL), LCL_OK);
    for (int64_t i = 0; i <= E->rows; ++i)
        assert_int_equal(P.row_ptr[i], E->row_ptr[i]);
    for (int64_t k = 0; k < E->nnz; ++k)
        assert_int_equal(P.col_ind[k], E->col_ind[k]);
    test_expect_same("weight", P.val, E->val, E->nnz);
    lcl_bsr_finish(&P);
}

// Columns ascend and exist; coarse rows have one entry, 1; no row is longer
// than `most`.
static void expect_sound(const struct lcl_csr *P,
                         const struct lcl_ref_splitting *S, int most)
{
    for (int64_t i = 0; i < P->rows; ++i) {
        const int64_t from = P->row_ptr[i], to = P->row_ptr[i + 1];
        assert_true(to - from <= most);
        for (int64_t k = from; k < to; ++k) {
            assert_true(P->col_ind[k] < P->cols && isfinite(P->val[k]));
            assert_true(P->col_ind[k] > (k > from ? P->col_ind[k - 1] : -1));
        }
        if (S->coarse[i] >= 0)
            assert_true(to - from == 1 && P->col_ind[from] == S->coarse[i] &&
                        P->val[from] == 1);
    }
}

// A matrix with its splitting, on the device and on the host.
struct split {
    const struct lcl_csr *A;
    struct lcl_device_matrix D;
    struct lcl_splitting S;
    struct lcl_ref_splitting F;
};

static void split_init(struct split *T, lcl_context *ctx,
                       const struct lcl_csr *A)
{
    T->A = A;
    assert_int_equal(lcl_ref_splitting_init(&T->F, A, 0.25), LCL_OK);
    test_upload_csr(&T->D, ctx, A);
    assert_int_equal(lcl_splitting_init(&T->S, ctx, &T->D, NULL), LCL_OK);
}

static void split_finish(struct split *T)
{
    lcl_splitting_finish(&T->S);
    lcl_device_matrix_finish(&T->D);
    lcl_ref_splitting_finish(&T->F);
}

static void expect_weights(lcl_context *ctx, const struct split *T, int most)
{
    struct lcl_device_matrix P;
    struct lcl_csr E;
    assert_int_equal(lcl_ref_extended(&E, T->A, &T->F, most), LCL_OK);
    expect_sound(&E, &T->F, most);
    assert_int_equal(most == 4
                         ? lcl_extended_init(&P, ctx, &T->D, &T->S)
                         : lcl_extended_init_most(&P, ctx, &T->D, &T->S, most),
                     LCL_OK);
    expect_equal(&P, &E);
    lcl_device_matrix_finish(&P);
    lcl_csr_finish(&E);
}

static void expect_interpolation(lcl_context *ctx, const struct lcl_csr *A)
{
    struct split T;
    split_init(&T, ctx, A);
    expect_weights(ctx, &T, 4);
    split_finish(&T);
}

// Takes A over.
static void expect_all(lcl_context *ctx, struct lcl_csr A)
{
    const int most[] = {1, 4, EXTENDED_MOST};
    struct split T;
    split_init(&T, ctx, &A);
    for (size_t m = 0; m < sizeof most / sizeof *most; ++m)
        expect_weights(ctx, &T, most[m]);
    split_finish(&T);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = -A.val[k];
    expect_interpolation(ctx, &A);
    test_csr_finish(&A);
}

// All couplings become negative, with random sizes but every `positive`-th; the
// diagonal is `dominance` times their sum.
static struct lcl_csr m_matrix(struct lcl_csr A, double dominance, int positive)
{
    uint64_t seed = 9;
    for (int64_t i = 0; i < A.rows; ++i) {
        double sum = 0;
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            A.val[k] = -0.1 - test_random(&seed);
            if (positive > 0 && k % positive == 0)
                A.val[k] = -A.val[k];
            sum += A.col_ind[k] == i ? 0 : fabs(A.val[k]);
        }
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = dominance * sum;
    }
    return A;
}

// Equal weights: the smaller column stays.
static void test_extended__grids_match(void **state)
{
    const int64_t side = test_size(3, 14);
    expect_all(*state, test_laplacian(side, side, side));
    expect_all(*state, test_laplacian(2 * side, side + 1, 1));
    expect_all(*state, test_laplacian(test_size(17, 3000), 1, 1));
}

static void test_extended__random_grids_match(void **state)
{
    const int64_t side = test_size(3, 14);
    expect_all(*state, m_matrix(test_laplacian(side, side, side), 1, 0));
    expect_all(*state, m_matrix(test_laplacian(3 * side, side, 1), 1, 5));
}

static void test_extended__unsymmetric_patterns_match(void **state)
{
    const int64_t n = test_size(24, 900);
    expect_all(*state, test_random_csr(n, 0.4, 3));
    expect_all(*state, test_random_csr(n, 3, 4));
    expect_all(*state, m_matrix(test_random_csr(n, 6, 5), 1.01, 4));
    expect_all(*state, m_matrix(test_random_csr(n, 14, 6), 1, 0));
    expect_all(*state, test_stretched_csr(n, n, 8));
}

// Each hub depends on the other hubs and on `each` rows of its own, which no
// other hub depends on: with 150 rows, it has more candidates than places.
static struct lcl_csr many_candidates(int64_t hubs, int64_t each)
{
    const int64_t n = hubs + hubs * each;
    uint64_t seed = 3;
    double *dense = test_vector(n * n);
    for (int64_t i = 0; i < n; ++i)
        dense[i * n + i] = 3 * (double)each;
    for (int64_t h = 0; h < hubs; ++h) {
        for (int64_t g = 0; g < hubs; ++g)
            if (g != h)
                dense[h * n + g] = -1 - test_random(&seed) / 8;
        for (int64_t j = hubs + h * each; j < hubs + (h + 1) * each; ++j) {
            dense[h * n + j] = -1 - test_random(&seed) / 2;
            // couplings of a hub to rows of others that are weak, some positive
            for (int64_t g = 0; g < hubs; ++g)
                if (g != h && j % 3 > 0)
                    dense[g * n + j] = j % 3 == 1 ? 0.5 : -0.0625;
            // on which others depend, so that it is coarse
            for (int64_t l = j + 1; l < j + 3 && l < n; ++l)
                dense[l * n + j] = -1 - test_random(&seed);
        }
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

// How many fine rows have more candidates than places.
static int64_t rows_beyond(const struct lcl_csr *A)
{
    int64_t beyond = 0;
    struct lcl_ref_splitting S;
    uint8_t *seen = malloc((size_t)A->rows + 1);
    assert_non_null(seen);
    assert_int_equal(lcl_ref_splitting_init(&S, A, 0.25), LCL_OK);
    for (int64_t i = 0; i < A->rows; ++i) {
        int64_t count = 0;
        for (int64_t j = 0; j < A->rows; ++j)
            seen[j] = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            if (!S.strong[k])
                continue;
            seen[j] = 1;
            for (int64_t e = A->row_ptr[j]; e < A->row_ptr[j + 1]; ++e)
                if (S.strong[e] && S.coarse[j] < 0)
                    seen[A->col_ind[e]] = 1;
        }
        for (int64_t j = 0; j < A->rows; ++j)
            count += seen[j] && S.coarse[j] >= 0;
        beyond += S.coarse[i] < 0 && count >= EXTENDED_KEYS;
    }
    lcl_ref_splitting_finish(&S);
    free(seen);
    return beyond;
}

static void test_extended__rows_of_many_candidates_match(void **state)
{
    struct lcl_csr A = many_candidates(test_size(2, 4), 150);
    assert_true(rows_beyond(&A) > 0);
    expect_all(*state, A);
    expect_all(*state, many_candidates(4, 30));
    expect_all(*state, test_dense_row(test_size(24, 700), 5));
}

// Divisors that are zero, of rows and of their fine neighbours; diagonals that
// are negative or missing.
static void test_extended__any_diagonal_matches(void **state)
{
    const int64_t n = test_size(24, 400);
    struct lcl_csr A = m_matrix(test_random_csr(n, 5, 7), 1, 6);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] *= i % 7 == 3 ? 0 : i % 7 == 5 ? -1 : 1;
    expect_all(*state, A);
}

// Row 0 depends on row 1 only, and its weak couplings cancel the diagonal.
static void test_extended__a_divisor_of_zero_leaves_an_empty_row(void **state)
{
    enum { N = 10 };
    double dense[N * N] = {1, -1};
    for (int64_t i = 1; i < N; ++i) {
        dense[i * N + i] = 1;
        dense[i * N + 1] = i == 1 ? 1 : -1;
        if (i > 1)
            dense[i] = -0.125;
    }
    struct lcl_csr A = test_csr_from_dense(N, dense), P;
    struct lcl_ref_splitting S;
    assert_int_equal(lcl_ref_splitting_init(&S, &A, 0.25), LCL_OK);
    assert_int_equal(lcl_ref_extended(&P, &A, &S, 4), LCL_OK);
    assert_true(S.count == 1 && S.coarse[1] == 0);
    assert_true(P.row_ptr[1] == 0 && P.row_ptr[3] == 2);
    lcl_csr_finish(&P);
    lcl_ref_splitting_finish(&S);
    expect_all(*state, A);
}

// Sums of fine rows and divisors that are no normal numbers.
static void test_extended__tiny_rows_match(void **state)
{
    const int64_t n = test_size(3, 20);
    for (int every = 1; every <= 3; ++every) {
        struct lcl_csr A = m_matrix(test_laplacian(n, n, 2), 1, 0);
        for (int64_t i = 0; i < A.rows; i += every)
            for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
                A.val[k] *= 1e-310;
        expect_all(*state, A);
    }
}

static void test_extended__rows_without_couplings_are_empty(void **state)
{
    struct lcl_csr A = test_laplacian(3, 3, 1);
    expect_all(*state, test_identity(1));
    expect_all(*state, test_identity(21));
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = A.val[k] < 0 ? 0 : A.val[k];
    expect_all(*state, A);
}

static void test_extended__an_empty_matrix_has_none(void **state)
{
    int64_t row_ptr[] = {0};
    int32_t col = 0;
    double val = 0;
    const struct lcl_csr A = {0, 0, 0, row_ptr, &col, &val};
    expect_interpolation(*state, &A);
}

// Rows of sum 0 interpolate constants exactly, with weights of one sign.
static void test_extended__constants_are_kept(void **state)
{
    const int64_t side = test_size(5, 12);
    struct lcl_csr A = m_matrix(test_laplacian(side, side, side), 1, 0), P;
    struct lcl_ref_splitting S;
    assert_int_equal(lcl_ref_splitting_init(&S, &A, 0.25), LCL_OK);
    assert_int_equal(lcl_ref_extended(&P, &A, &S, 4), LCL_OK);
    for (int64_t i = 0; i < P.rows; ++i) {
        double sum = 0;
        for (int64_t k = P.row_ptr[i]; k < P.row_ptr[i + 1]; ++k) {
            assert_true(P.val[k] > 0);
            sum += P.val[k];
        }
        assert_true(fabs(sum - 1) < 1e-13);
    }
    lcl_csr_finish(&P);
    lcl_ref_splitting_finish(&S);
    test_csr_finish(&A);
    (void)state;
}

// ------------------------------------------------------------------- formula

// A dense copy of a small matrix, its strong couplings and coarse rows.
struct dense {
    int64_t n;
    const struct lcl_csr *A;
    const struct lcl_ref_splitting *S;
};

static double entry(const struct dense *D, int64_t i, int64_t j)
{
    return test_entry(D->A, i, j);
}

static bool depends(const struct dense *D, int64_t i, int64_t j)
{
    for (int64_t k = D->A->row_ptr[i]; k < D->A->row_ptr[i + 1]; ++k)
        if (D->A->col_ind[k] == j)
            return D->S->strong[k];
    return false;
}

static bool is_coarse(const struct dense *D, int64_t i)
{
    return D->S->coarse[i] >= 0;
}

// j in C_i'
static bool is_candidate(const struct dense *D, int64_t i, int64_t j)
{
    bool found = depends(D, i, j);
    for (int64_t k = 0; k < D->n; ++k)
        found =
            found || (depends(D, i, k) && !is_coarse(D, k) && depends(D, k, j));
    return found && is_coarse(D, j);
}

// b_kl of cl/multilevel/extended.cl
static double opposite(const struct dense *D, int64_t k, int64_t l)
{
    return entry(D, k, l) * entry(D, k, k) < 0 ? entry(D, k, l) : 0;
}

// sum over k in F_i of a_ik b_kj / s_k
static double through(const struct dense *D, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < D->n; ++k) {
        double s = opposite(D, k, i);
        if (!depends(D, i, k) || is_coarse(D, k))
            continue;
        for (int64_t l = 0; l < D->n; ++l)
            s += is_candidate(D, i, l) ? opposite(D, k, l) : 0;
        if (s != 0)
            sum += entry(D, i, k) * opposite(D, k, j) / s;
        else if (i == j)
            sum += entry(D, i, k);
    }
    return sum;
}

static double divisor(const struct dense *D, int64_t i)
{
    double d = entry(D, i, i) + through(D, i, i);
    for (int64_t j = 0; j < D->n; ++j)
        if (j != i && !depends(D, i, j) && !is_candidate(D, i, j))
            d += entry(D, i, j);
    return d;
}

// Every row with at most EXTENDED_MOST candidates has the weights of the
// formula. Returns how many do.
static int64_t expect_formula(const struct dense *D, const struct lcl_csr *P)
{
    int64_t compared = 0;
    for (int64_t i = 0; i < D->n; ++i) {
        int64_t candidates = 0;
        for (int64_t j = 0; j < D->n; ++j)
            candidates += is_candidate(D, i, j);
        if (is_coarse(D, i) || candidates > EXTENDED_MOST)
            continue;
        const double d = divisor(D, i);
        for (int64_t j = 0; j < D->n; ++j) {
            if (!is_candidate(D, i, j))
                continue;
            const double w = -(entry(D, i, j) + through(D, i, j)) / d;
            assert_true(fabs(test_entry(P, i, D->S->coarse[j]) - w) <=
                        1e-12 * fmax(1, fabs(w)));
            ++compared;
        }
    }
    return compared;
}

static void test_extended__weights_follow_the_formula(void **state)
{
    for (int positive = 0; positive <= 6; positive += 3) {
        struct lcl_csr A = m_matrix(positive == 3 ? test_random_csr(40, 3, 2)
                                                  : test_laplacian(7, 6, 1),
                                    1.1, positive);
        struct lcl_ref_splitting S;
        struct lcl_csr P;
        assert_int_equal(lcl_ref_splitting_init(&S, &A, 0.25), LCL_OK);
        assert_int_equal(lcl_ref_extended(&P, &A, &S, EXTENDED_MOST), LCL_OK);
        const struct dense D = {A.rows, &A, &S};
        assert_true(expect_formula(&D, &P) > 30);
        lcl_csr_finish(&P);
        lcl_ref_splitting_finish(&S);
        test_csr_finish(&A);
    }
    (void)state;
}

static void test_extended__wrong_numbers_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(3, 1, 1);
    struct lcl_device_matrix D, P;
    struct lcl_splitting S;
    test_upload_csr(&D, *state, &A);
    assert_int_equal(lcl_splitting_init(&S, *state, &D, NULL), LCL_OK);
    assert_int_equal(lcl_extended_init_most(&P, *state, &D, &S, 0), LCL_EINVAL);
    assert_int_equal(
        lcl_extended_init_most(&P, *state, &D, &S, EXTENDED_MOST + 1),
        LCL_EINVAL);
    assert_null(P.row_ptr);
    lcl_splitting_finish(&S);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extended__grids_match),
        cmocka_unit_test(test_extended__random_grids_match),
        cmocka_unit_test(test_extended__unsymmetric_patterns_match),
        cmocka_unit_test(test_extended__rows_of_many_candidates_match),
        cmocka_unit_test(test_extended__any_diagonal_matches),
        cmocka_unit_test(test_extended__a_divisor_of_zero_leaves_an_empty_row),
        cmocka_unit_test(test_extended__tiny_rows_match),
        cmocka_unit_test(test_extended__rows_without_couplings_are_empty),
        cmocka_unit_test(test_extended__an_empty_matrix_has_none),
        cmocka_unit_test(test_extended__constants_are_kept),
        cmocka_unit_test(test_extended__weights_follow_the_formula),
        cmocka_unit_test(test_extended__wrong_numbers_are_refused),
    };
    return test_device_run(tests);
}
