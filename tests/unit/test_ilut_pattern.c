// SPDX-License-Identifier: BSD-3-Clause
// The pattern of ILUT on subdomains compared with the definition.
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/overlaps.h"
#include "tests/support/test.h"

#include "host/limit.h"
#include "lib/factor/ilut_pattern.h"
#include "lib/matrix/csr.h"
#include "lib/ref/ilut.h"

#include <math.h>
#include <stdlib.h>

#include "cl/factor/factor.cl.h"

// The rows row[0 .. n-1] of A as a dense matrix; couplings negative if
// `comparison`.
static void densify(double *a, bool *stored, const struct lcl_csr *A,
                    const int32_t *row, int64_t n, bool comparison)
{
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const int64_t at = lcl_csr_find(A, row[i], row[j]);
            const double value = at >= 0 ? A->val[at] : 0;
            stored[i * n + j] = at >= 0;
            a[i * n + j] = comparison && i != j ? -value : value;
        }
}

static void expect_part(const struct lcl_host_pattern *H,
                        const struct lcl_csr *A, const struct lcl_subdomains *P,
                        int64_t p, const struct lcl_ilut *T)
{
    const int64_t first = P->part_ptr[p], n = P->part_ptr[p + 1] - first;
    const int32_t *row = P->row + first;
    double *a = malloc((size_t)(n * n) * sizeof *a);
    bool *stored = malloc((size_t)(n * n)), *keep = malloc((size_t)(n * n));
    assert_true(a && stored && keep);
    densify(a, stored, A, row, n, T->comparison);
    assert_true(lcl_ref_ilut(keep, a, stored, n, T->p, T->tol));
    for (int64_t i = 0; i < n; ++i) {
        int64_t e = H->row_ptr[first + i];
        for (int64_t j = 0; j < n; ++j) {
            if (!keep[i * n + j])
                continue;
            assert_true(e < H->row_ptr[first + i + 1]);
            assert_int_equal(H->col[e], first + j);
            const int64_t at = lcl_csr_find(A, row[i], row[j]);
            assert_int_equal(H->source[e++], at >= 0 ? at : LCL_FILL);
        }
        assert_int_equal(e, H->row_ptr[first + i + 1]);
    }
    free(a);
    free(stored);
    free(keep);
}

static void expect_pattern(const struct lcl_csr *A,
                           const struct lcl_subdomains *P,
                           const struct lcl_ilut *T)
{
    struct lcl_host_pattern H;
    assert_int_equal(lcl_ilut_pattern(&H, A, A->val, P, T, NULL, NULL), LCL_OK);
    assert_int_equal(H.rows, lcl_subdomains_rows(P));
    assert_int_equal(H.entries, A->nnz);
    assert_int_equal(H.nnz, H.row_ptr[H.rows]);
    for (int64_t p = 0; p < P->parts; ++p)
        expect_part(&H, A, P, p, T);
    lcl_host_pattern_finish(&H);
}

// Takes A over.
static void expect_all(struct lcl_csr A, int64_t parts)
{
    static const struct lcl_ilut all[] = {
        {1, 0, false},    {2, 1e-2, false},        {4, 1e-3, true},
        {3, 0.3, false},  {1000, 0, false},        {1000, 0.05, false},
        {1000, 2, false}, {INT32_MAX, 1e-9, true},
    };
    for (int layers = 0; layers <= 1; ++layers)
        for (int shuffled = 0; shuffled < 2; ++shuffled) {
            struct lcl_subdomains P =
                test_overlapping(&A, parts, layers, shuffled);
            for (size_t t = 0; t < sizeof all / sizeof *all; ++t)
                expect_pattern(&A, &P, &all[t]);
            lcl_subdomains_finish(&P);
        }
    test_csr_finish(&A);
}

static void test_ilut_pattern__matrices_match_the_definition(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 6; ++seed)
        expect_all(test_random_csr(12 * seed, 1 + seed / 3.0, seed), seed);
    expect_all(test_laplacian(9, 7, 1), 1); // equal values: ties
    expect_all(test_laplacian(5, 4, 3), 3);
    expect_all(test_identity(9), 4);
    expect_all(test_dense_row(23, 0), 1);
    expect_all(test_dense_row(23, 22), 3);
}

// Zeros, missing diagonals, empty rows, values that overflow.
static void test_ilut_pattern__hostile_matrices_match(void **state)
{
    const double holes[] = {
        0, 0, 0,      0, 0,      0, // empty
        1, 0, 0,      2, 0,      0, // no diagonal
        0, 3, 0,      0, 0,      1, //
        0, 0, 1e300,  0, 1e-300, 0, //
        5, 0, 1e-300, 0, 1e300,  0, //
        0, 0, 0,      0, 8,      0,
    };
    (void)state;
    expect_all(test_csr_from_dense(6, holes), 1);
    expect_all(test_csr_from_dense(6, holes), 2);
}

// Enough rows for several threads.
static void test_ilut_pattern__threads_join_their_parts(void **state)
{
    static const struct lcl_ilut T = {3, 1e-2, false};
    struct lcl_csr A = test_laplacian(44, 40, 40);
    struct lcl_subdomains P = test_overlapping(&A, 3500, 0, true);
    (void)state;
    expect_pattern(&A, &P, &T);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_ilut_pattern__bad_parameters_are_refused(void **state)
{
    static const struct lcl_ilut bad[] = {
        {0, 1e-3, false}, {-1, 1e-3, false},    {5, -1e-3, false},
        {5, NAN, false},  {5, INFINITY, false}, {INT32_MIN, 0, false},
    };
    struct lcl_csr A = test_laplacian(3, 3, 1);
    struct lcl_subdomains P = test_overlapping(&A, 2, 0, false);
    struct test_capture capture;
    struct lcl_host_pattern H;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(
            lcl_ilut_pattern(&H, &A, A.val, &P, &bad[i], NULL, &capture.log),
            LCL_EINVAL);
        test_capture_expect(&capture, "ILUT(");
        assert_null(H.row_ptr);
    }
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static enum lcl_status make_within(const struct lcl_csr *A,
                                   const struct lcl_subdomains *P,
                                   const struct lcl_limit *time)
{
    const struct lcl_ilut T = {20, 0, false};
    const struct lcl_fill_limit limit = {.time = time};
    struct lcl_host_pattern H;
    const enum lcl_status st =
        lcl_ilut_pattern(&H, A, A->val, P, &T, &limit, NULL);
    assert_true(st == LCL_OK || !H.row_ptr);
    lcl_host_pattern_finish(&H);
    return st;
}

static void test_ilut_pattern__limits_end_it(void **state)
{
    struct lcl_csr A = test_random_csr(900, 5, 3);
    struct lcl_subdomains P = test_overlapping(&A, 3, 0, false);
    atomic_bool cancelled = false;
    const struct lcl_limit by_another = {.cancelled = &cancelled};
    struct lcl_limit work = {.work = 1};
    (void)state;
    assert_int_equal(make_within(&A, &P, &(struct lcl_limit){.deadline = 1e-9}),
                     LCL_ECANCELLED);
    assert_int_equal(make_within(&A, &P, &by_another), LCL_OK);
    atomic_store(&cancelled, true);
    assert_int_equal(make_within(&A, &P, &by_another), LCL_ECANCELLED);
    while (make_within(&A, &P, &work) == LCL_ECANCELLED)
        work.work *= 2;
    assert_in_range(work.work, A.nnz, 20 * 20 * 2 * A.nnz);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ilut_pattern__matrices_match_the_definition),
        cmocka_unit_test(test_ilut_pattern__hostile_matrices_match),
        cmocka_unit_test(test_ilut_pattern__threads_join_their_parts),
        cmocka_unit_test(test_ilut_pattern__limits_end_it),
        cmocka_unit_test(test_ilut_pattern__bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
