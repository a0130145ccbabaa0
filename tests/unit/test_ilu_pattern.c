// SPDX-License-Identifier: BSD-3-Clause
// The pattern of ILU(k) on subdomains compared with the definition.
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/overlaps.h"
#include "tests/support/test.h"

#include "lib/factor/ilu_pattern.h"
#include "lib/matrix/csr.h"
#include "lib/ref/fill.h"

#include <stdlib.h>

#include "cl/factor/factor.cl.h"

// The levels of fill of the rows row[0 .. n-1] of A.
static int32_t *levels_of(const struct lcl_csr *A, const int32_t *row,
                          int64_t n)
{
    int32_t *level = malloc((size_t)(n * n) * sizeof *level);
    assert_non_null(level);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            level[i * n + j] =
                lcl_csr_find(A, row[i], row[j]) >= 0 ? 0 : LCL_REF_NEVER_FILLED;
    lcl_ref_fill(level, n);
    return level;
}

static void expect_row(const struct lcl_host_pattern *H,
                       const struct lcl_csr *A, const struct lcl_subdomains *P,
                       int64_t p, int64_t i, const int32_t *level, int k)
{
    const int64_t first = P->part_ptr[p], n = P->part_ptr[p + 1] - first;
    int64_t e = H->row_ptr[first + i];
    for (int64_t j = 0; j < n; ++j) {
        const int32_t own = level[i * n + j];
        if (own > k || own == LCL_REF_NEVER_FILLED)
            continue;
        const int64_t at =
            lcl_csr_find(A, P->row[first + i], P->row[first + j]);
        assert_true(e < H->row_ptr[first + i + 1]);
        assert_int_equal(H->col[e], first + j);
        assert_int_equal(H->source[e], at >= 0 ? at : LCL_FILL);
        ++e;
    }
    assert_int_equal(e, H->row_ptr[first + i + 1]);
}

static void expect_pattern(const struct lcl_csr *A,
                           const struct lcl_subdomains *P, int k)
{
    struct lcl_host_pattern H;
    assert_int_equal(lcl_ilu_pattern(&H, A, P, k, NULL, NULL), LCL_OK);
    assert_int_equal(H.rows, lcl_subdomains_rows(P));
    assert_int_equal(H.entries, A->nnz);
    assert_int_equal(H.row_ptr[0], 0);
    assert_int_equal(H.nnz, H.row_ptr[H.rows]);
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t n = P->part_ptr[p + 1] - P->part_ptr[p];
        int32_t *level = levels_of(A, P->row + P->part_ptr[p], n);
        for (int64_t i = 0; i < n; ++i)
            expect_row(&H, A, P, p, i, level, k);
        free(level);
    }
    lcl_host_pattern_finish(&H);
}

// Takes A over.
static void expect_all(struct lcl_csr A, int64_t parts)
{
    for (int layers = 0; layers <= 2; ++layers)
        for (int shuffled = 0; shuffled < 2; ++shuffled) {
            struct lcl_subdomains P =
                test_overlapping(&A, parts, layers, shuffled);
            for (int k = 0; k <= 4; ++k)
                expect_pattern(&A, &P, k);
            expect_pattern(&A, &P, (int)A.rows);
            expect_pattern(&A, &P, INT32_MAX);
            lcl_subdomains_finish(&P);
        }
    test_csr_finish(&A);
}

static void test_ilu_pattern__random_matrices_match_the_definition(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 6; ++seed)
        expect_all(test_random_csr(12 * seed, 1 + seed / 3.0, seed), seed);
}

static void test_ilu_pattern__grids_match_the_definition(void **state)
{
    (void)state;
    expect_all(test_laplacian(9, 7, 1), 1);
    expect_all(test_laplacian(5, 4, 3), 3);
}

// Enough rows for several threads.
static void test_ilu_pattern__threads_join_their_parts(void **state)
{
    struct lcl_csr A = test_laplacian(44, 40, 40);
    struct lcl_subdomains P = test_overlapping(&A, 3500, 0, true);
    (void)state;
    expect_pattern(&A, &P, 1);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_ilu_pattern__hostile_matrices_match(void **state)
{
    const double holes[] = {
        0, 0, 0, 0, 0, 0, // empty
        1, 0, 0, 2, 0, 0, // no diagonal
        0, 3, 0, 0, 0, 1, //
        0, 0, 5, 0, 0, 0, //
        5, 0, 6, 0, 7, 0, //
        0, 0, 0, 0, 8, 0,
    };
    (void)state;
    expect_all(test_identity(1), 1);
    expect_all(test_identity(9), 4);
    expect_all(test_dense_row(23, 0), 1); // fills nothing, or everything
    expect_all(test_dense_row(23, 22), 3);
    expect_all(test_random_csr(15, 14, 1), 2);
    expect_all(test_csr_from_dense(6, holes), 1);
    expect_all(test_csr_from_dense(6, holes), 2);
}

// An arrow whose head comes first fills completely, at level 1.
static void test_ilu_pattern__an_arrow_fills_by_its_order(void **state)
{
    enum { N = 40 };
    double dense[N * N] = {0};
    struct lcl_host_pattern H;
    int64_t part_ptr[] = {0, N};
    int32_t row[N];
    const struct lcl_subdomains P = {
        .n = N, .parts = 1, .part_ptr = part_ptr, .row = row};
    (void)state;
    for (int i = 0; i < N; ++i)
        dense[i] = dense[i * N] = dense[i * N + i] = 1;
    struct lcl_csr A = test_csr_from_dense(N, dense);
    for (int last = 0; last < 2; ++last) {
        for (int i = 0; i < N; ++i)
            row[i] = last ? N - 1 - i : i;
        assert_int_equal(lcl_ilu_pattern(&H, &A, &P, 1, NULL, NULL), LCL_OK);
        assert_int_equal(H.nnz, last ? A.nnz : N * N);
        lcl_host_pattern_finish(&H);
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- refusals

static void expect_refused(const struct lcl_csr *A, int k,
                           enum lcl_status status, const char *sentence)
{
    int64_t part_ptr[] = {0, 1};
    int32_t row[] = {0};
    const struct lcl_subdomains P = {
        .n = 1, .parts = 1, .part_ptr = part_ptr, .row = row};
    struct lcl_host_pattern H;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_ilu_pattern(&H, A, &P, k, NULL, &capture.log), status);
    assert_int_equal(capture.messages, 1);
    test_capture_expect(&capture, sentence);
    assert_null(H.row_ptr);
    assert_null(H.col);
}

static void test_ilu_pattern__impossible_requests_are_refused(void **state)
{
    struct lcl_csr A = test_identity(1);
    (void)state;
    expect_refused(&A, -1, LCL_EINVAL, "a level of fill of -1, expected >= 0");
    A.nnz = LCL_NARROW_MOST + 1;
    expect_refused(&A, 0, LCL_EUNSUPPORTED, "factors on subdomains: ");
    A.nnz = 1;
    test_csr_finish(&A);
}

static void test_ilu_pattern__entries_beyond_32_bits_are_refused(void **state)
{
    struct lcl_host_pattern H = {.nnz = LCL_NARROW_MOST - 5,
                                 .capacity = LCL_NARROW_MOST};
    struct test_capture capture;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_host_pattern_reserve(&H, 5, &capture.log), LCL_OK);
    assert_int_equal(capture.messages, 0);
    assert_int_equal(lcl_host_pattern_reserve(&H, 6, &capture.log),
                     LCL_EUNSUPPORTED);
    assert_int_equal(capture.messages, 1);
    test_capture_expect(&capture, "use less fill or less overlap");
}

// With one part and with one for each thread.
static void test_ilu_pattern__entries_beyond_the_memory_are_refused(
    void **state)
{
    struct lcl_csr A = test_laplacian(24, 20, 20);
    (void)state;
    for (int64_t parts = 1; parts <= 400; parts += 399) {
        struct lcl_subdomains P = test_overlapping(&A, parts, 0, false);
        struct lcl_host_pattern H;
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(lcl_ilu_pattern(&H, &A, &P, 2, NULL, NULL), LCL_OK);
        const int64_t nnz = H.nnz;
        lcl_host_pattern_finish(&H);
        assert_int_equal(lcl_ilu_pattern(&H, &A, &P, 2,
                                         &(struct lcl_fill_limit){.most = nnz},
                                         NULL),
                         LCL_OK);
        lcl_host_pattern_finish(&H);
        for (int64_t most = nnz - 1; most > 0; most /= 9) {
            assert_int_equal(
                lcl_ilu_pattern(&H, &A, &P, 2,
                                &(struct lcl_fill_limit){.most = most},
                                &capture.log),
                LCL_EDEVMEM);
            test_capture_expect(&capture, "fit the device's memory");
            assert_null(H.col);
        }
        lcl_subdomains_finish(&P);
    }
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_ilu_pattern__random_matrices_match_the_definition),
        cmocka_unit_test(test_ilu_pattern__grids_match_the_definition),
        cmocka_unit_test(test_ilu_pattern__threads_join_their_parts),
        cmocka_unit_test(test_ilu_pattern__hostile_matrices_match),
        cmocka_unit_test(test_ilu_pattern__an_arrow_fills_by_its_order),
        cmocka_unit_test(test_ilu_pattern__impossible_requests_are_refused),
        cmocka_unit_test(test_ilu_pattern__entries_beyond_32_bits_are_refused),
        cmocka_unit_test(
            test_ilu_pattern__entries_beyond_the_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
