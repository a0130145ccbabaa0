// SPDX-License-Identifier: BSD-3-Clause
// Overlap of subdomains compared with distances in the graph of the matrix.
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/overlaps.h"
#include "tests/support/test.h"

#include "lib/partition/overlap.h"

#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------- expected

// inside[i] = 1 for the rows at most `layers` edges away from part p, where an
// edge leads from row i to column j of each entry.
static void expect_reach(char *inside, const struct lcl_subdomains *P,
                         int64_t p, const struct lcl_csr *A, int64_t layers)
{
    memset(inside, 0, (size_t)A->rows);
    for (int64_t k = P->part_ptr[p]; k < P->part_ptr[p + 1]; ++k)
        inside[P->row[k]] = 1;
    char *next = malloc((size_t)A->rows);
    assert_non_null(next);
    for (int64_t layer = 0; layer < layers; ++layer) {
        memcpy(next, inside, (size_t)A->rows);
        for (int64_t i = 0; i < A->rows; ++i)
            for (int64_t j = 0; j < A->rows && inside[i]; ++j)
                next[j] |= test_entry(A, i, j) != 0;
        if (memcmp(next, inside, (size_t)A->rows) == 0)
            break;
        memcpy(inside, next, (size_t)A->rows);
    }
    free(next);
}

static bool owns(const struct lcl_subdomains *P, int64_t p, int64_t row)
{
    for (int64_t k = P->part_ptr[p]; k < P->part_ptr[p + 1]; ++k)
        if (P->row[k] == row)
            return !P->owned || P->owned[k];
    return false;
}

static void expect_part(const struct lcl_subdomains *Q,
                        const struct lcl_subdomains *P, int64_t p,
                        const char *inside)
{
    int64_t k = Q->part_ptr[p];
    for (int64_t i = 0; i < P->n; ++i) {
        if (!inside[i])
            continue;
        assert_true(k < Q->part_ptr[p + 1]);
        assert_int_equal(Q->row[k], i);
        if (Q->owned)
            assert_int_equal(Q->owned[k], owns(P, p, i));
        ++k;
    }
    assert_int_equal(k, Q->part_ptr[p + 1]);
}

static void expect_overlap(const struct lcl_csr *A,
                           const struct lcl_subdomains *P, int layers)
{
    struct lcl_subdomains Q;
    char *inside = malloc((size_t)A->rows);
    assert_non_null(inside);
    assert_int_equal(lcl_subdomains_overlap(&Q, P, A, layers, NULL), LCL_OK);
    assert_int_equal(Q.n, P->n);
    assert_int_equal(Q.parts, P->parts);
    assert_int_equal(Q.part_ptr[0], 0);
    assert_int_equal(!Q.owned, lcl_subdomains_rows(&Q) == P->n);
    for (int64_t p = 0; p < P->parts; ++p) {
        expect_reach(inside, P, p, A, layers);
        expect_part(&Q, P, p, inside);
    }
    free(inside);
    lcl_subdomains_finish(&Q);
}

// ----------------------------------------------------------------------- cases

// Takes A over. More layers than rows exceed every diameter.
static void expect_all(struct lcl_csr A, int64_t parts)
{
    struct lcl_subdomains P = test_overlapping(&A, parts, 0, false);
    for (int layers = 0; layers <= 4; ++layers)
        expect_overlap(&A, &P, layers);
    expect_overlap(&A, &P, (int)A.rows + 1);
    expect_overlap(&A, &P, INT32_MAX);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_overlap__layers_are_distances_in_the_graph(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 6; ++seed)
        expect_all(test_random_csr(10 * seed, 1 + seed / 4.0, seed), seed);
    expect_all(test_laplacian(5, 4, 2), 4);
    expect_all(test_laplacian(40, 1, 1), 7);
}

static void test_overlap__hostile_graphs_match(void **state)
{
    const double one_way[] = {1, 0, 0, 0, 2, 1, 0, 0, 0, 3, 1, 0, 0, 0, 4, 1};
    const double empty[] = {0, 0, 0, 0, 0, 5, 0, 0, 0};
    (void)state;
    expect_all(test_identity(1), 1);
    expect_all(test_identity(13), 5);
    expect_all(test_dense_row(23, 7), 6);
    expect_all(test_random_csr(11, 10, 1), 3);
    expect_all(test_random_csr(29, 2, 3), 1);
    expect_all(test_csr_from_dense(4, one_way), 4);
    expect_all(test_csr_from_dense(3, empty), 3);
}

static void expect_equal(const struct lcl_subdomains *P,
                         const struct lcl_subdomains *Q)
{
    const size_t rows = (size_t)lcl_subdomains_rows(P);
    assert_memory_equal(P->part_ptr, Q->part_ptr,
                        ((size_t)P->parts + 1) * sizeof *P->part_ptr);
    assert_memory_equal(P->row, Q->row, rows * sizeof *P->row);
    assert_non_null(P->owned);
    assert_non_null(Q->owned);
    assert_memory_equal(P->owned, Q->owned, rows);
}

static void test_overlap__a_layer_upon_a_layer_is_two_layers(void **state)
{
    struct lcl_csr A = test_random_csr(57, 2, 4);
    struct lcl_subdomains P = test_overlapping(&A, 6, 0, false), one, both, two;
    (void)state;
    assert_int_equal(lcl_subdomains_overlap(&one, &P, &A, 1, NULL), LCL_OK);
    assert_int_equal(lcl_subdomains_overlap(&both, &one, &A, 1, NULL), LCL_OK);
    assert_int_equal(lcl_subdomains_overlap(&two, &P, &A, 2, NULL), LCL_OK);
    assert_true(lcl_subdomains_rows(&one) < lcl_subdomains_rows(&two));
    expect_equal(&both, &two);
    lcl_subdomains_finish(&one);
    lcl_subdomains_finish(&both);
    lcl_subdomains_finish(&two);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void expect_refused(const struct lcl_subdomains *P, int layers,
                           enum lcl_status status, const char *sentence)
{
    struct lcl_csr A = test_identity(3);
    struct lcl_subdomains Q;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_subdomains_overlap(&Q, P, &A, layers, &capture.log),
                     status);
    assert_int_equal(capture.messages, 1);
    test_capture_expect(&capture, sentence);
    assert_null(Q.row);
    assert_null(Q.part_ptr);
    test_csr_finish(&A);
}

static void test_overlap__impossible_sizes_are_refused(void **state)
{
    int64_t part_ptr[] = {0, INT64_C(1) << 31};
    int32_t row[] = {0, 1, 2};
    const struct lcl_subdomains P = {
        .n = 3, .parts = 1, .part_ptr = part_ptr, .row = row};
    (void)state;
    expect_refused(&P, 1, LCL_ERANGE, "more than 2147483647 rows");
    expect_refused(&P, -1, LCL_EINVAL, "-1 layers of overlap, expected >= 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap__layers_are_distances_in_the_graph),
        cmocka_unit_test(test_overlap__hostile_graphs_match),
        cmocka_unit_test(test_overlap__a_layer_upon_a_layer_is_two_layers),
        cmocka_unit_test(test_overlap__impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
