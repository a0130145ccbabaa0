// SPDX-License-Identifier: BSD-3-Clause
// Orders of elimination; reverse Cuthill-McKee against a dense one.
#include "lib/partition/order.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 60 };

// ------------------------------------------------------------------ reference

struct dense {
    int n;
    bool edge[MOST][MOST]; // of A + A^T
    int degree[MOST];
    bool placed[MOST];
};

static void take_graph(struct dense *D, const struct lcl_csr *A)
{
    memset(D, 0, sizeof *D);
    D->n = (int)A->rows;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->col_ind[k] != i)
                D->edge[i][A->col_ind[k]] = D->edge[A->col_ind[k]][i] = true;
    for (int i = 0; i < D->n; ++i)
        for (int j = 0; j < D->n; ++j)
            D->degree[i] += D->edge[i][j];
}

// Whether u comes before v among vertices that are alike otherwise.
static bool precedes(const struct dense *D, int u, int v)
{
    return D->degree[u] != D->degree[v] ? D->degree[u] < D->degree[v] : u < v;
}

// The distance from `root` of all vertices; -1: there is no path. Returns the
// largest one.
static int distances(const struct dense *D, int root, int *distance)
{
    int most = 0;
    for (int v = 0; v < D->n; ++v)
        distance[v] = v == root ? 0 : -1;
    for (int step = 0; step < D->n; ++step)
        for (int u = 0; u < D->n; ++u)
            for (int v = 0; v < D->n && distance[u] == step; ++v)
                if (D->edge[u][v] && distance[v] < 0)
                    distance[v] = most = step + 1;
    return most;
}

static int start_of(const struct dense *D, int root)
{
    int distance[MOST];
    for (int before = -1;;) {
        const int most = distances(D, root, distance);
        int end = -1;
        for (int v = 0; v < D->n; ++v)
            if (distance[v] == most && (end < 0 || precedes(D, v, end)))
                end = v;
        if (most <= before)
            return root;
        before = most;
        root = end;
    }
}

// The neighbour of v to be placed next, or -1.
static int next_of(const struct dense *D, int v)
{
    int next = -1;
    for (int u = 0; u < D->n; ++u)
        if (D->edge[v][u] && !D->placed[u] &&
            (next < 0 || precedes(D, u, next)))
            next = u;
    return next;
}

static void reverse_cuthill_mckee(struct dense *D, int32_t *perm)
{
    int32_t forward[MOST];
    int end = 0;
    for (int v = 0; v < D->n; ++v) {
        if (D->placed[v])
            continue;
        int at = end;
        forward[end++] = start_of(D, v);
        D->placed[forward[at]] = true;
        for (; at < end; ++at)
            for (int u; (u = next_of(D, forward[at])) >= 0;) {
                D->placed[u] = true;
                forward[end++] = u;
            }
    }
    for (int i = 0; i < D->n; ++i)
        perm[i] = forward[D->n - 1 - i];
}

// ---------------------------------------------------------------------- tests

static void expect_permutation(const int32_t *perm, int64_t n)
{
    char *seen = calloc((size_t)n, 1);
    assert_non_null(seen);
    for (int64_t i = 0; i < n; ++i) {
        assert_true(perm[i] >= 0 && perm[i] < n && !seen[perm[i]]);
        seen[perm[i]] = 1;
    }
    free(seen);
}

static void expect_reference(const struct lcl_csr *A)
{
    int32_t perm[MOST], expected[MOST];
    struct dense D;
    take_graph(&D, A);
    reverse_cuthill_mckee(&D, expected);
    assert_int_equal(lcl_order_find(perm, A, LCL_ORDER_RCM, NULL), LCL_OK);
    for (int64_t i = 0; i < A->rows; ++i)
        assert_int_equal(perm[i], expected[i]);
}

static void test_order__rcm_is_that_of_the_reference(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 200; ++seed) { // most have components
        struct lcl_csr A =
            test_random_csr(1 + seed % MOST, 0.5 + 0.01 * seed, seed);
        expect_reference(&A);
        test_csr_finish(&A);
    }
    struct lcl_csr special[] = {test_identity(1), test_identity(7),
                                test_laplacian(6, 9, 1), test_dense_row(20, 11),
                                test_power_law(MOST)};
    for (size_t k = 0; k < sizeof special / sizeof *special; ++k) {
        expect_reference(&special[k]);
        test_csr_finish(&special[k]);
    }
}

static int64_t bandwidth(const struct lcl_csr *A, const int32_t *perm)
{
    int64_t most = 0;
    int64_t *inverse = calloc((size_t)A->rows, sizeof *inverse);
    assert_non_null(inverse);
    for (int64_t i = 0; i < A->rows; ++i)
        inverse[perm[i]] = i;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t d = llabs(inverse[i] - inverse[A->col_ind[k]]);
            most = d > most ? d : most;
        }
    free(inverse);
    return most;
}

// Of a grid of 8 x 100 points the bandwidth is at least 8.
static void test_order__rcm_finds_the_short_side_of_a_grid(void **state)
{
    struct lcl_csr A = test_laplacian(100, 8, 1);
    int32_t *perm = calloc((size_t)A.rows, sizeof *perm);
    (void)state;
    assert_non_null(perm);
    assert_int_equal(lcl_order_find(perm, &A, LCL_ORDER_NONE, NULL), LCL_OK);
    assert_int_equal(bandwidth(&A, perm), 100);
    assert_int_equal(lcl_order_find(perm, &A, LCL_ORDER_RCM, NULL), LCL_OK);
    assert_true(bandwidth(&A, perm) <= 9);
    free(perm);
    test_csr_finish(&A);
}

// Entries of the complete factor L of a symmetric pattern.
static int64_t fill(const struct lcl_csr *A, const int32_t *perm)
{
    const int64_t n = A->rows;
    char *L = calloc((size_t)(n * n), 1);
    int64_t *inverse = calloc((size_t)n, sizeof *inverse), count = 0;
    assert_non_null(L);
    assert_non_null(inverse);
    for (int64_t i = 0; i < n; ++i)
        inverse[perm[i]] = i;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            L[inverse[i] * n + inverse[A->col_ind[k]]] = 1;
    for (int64_t k = 0; k < n; ++k)
        for (int64_t i = k + 1; i < n; ++i)
            for (int64_t j = k + 1; j < n && L[i * n + k]; ++j)
                L[i * n + j] |= L[j * n + k];
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j)
            count += L[i * n + j];
    free(L);
    free(inverse);
    return count;
}

static void test_order__nested_dissection_has_less_fill(void **state)
{
    struct lcl_csr A = test_laplacian(24, 24, 1);
    int32_t *perm = calloc((size_t)A.rows, sizeof *perm);
    (void)state;
    assert_non_null(perm);
    assert_int_equal(lcl_order_find(perm, &A, LCL_ORDER_NONE, NULL), LCL_OK);
    const int64_t natural = fill(&A, perm);
    assert_int_equal(lcl_order_find(perm, &A, LCL_ORDER_ND, NULL), LCL_OK);
    expect_permutation(perm, A.rows);
    assert_true(2 * fill(&A, perm) < natural);
    free(perm);
    test_csr_finish(&A);
}

static void test_order__nested_dissection_takes_any_graph(void **state)
{
    (void)state;
    struct lcl_csr all[] = {test_identity(1), test_identity(50),
                            test_dense_row(60, 3), test_random_csr(60, 1, 5)};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        int32_t perm[MOST];
        assert_int_equal(lcl_order_find(perm, &all[k], LCL_ORDER_ND, NULL),
                         LCL_OK);
        expect_permutation(perm, all[k].rows);
        test_csr_finish(&all[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order__rcm_is_that_of_the_reference),
        cmocka_unit_test(test_order__rcm_finds_the_short_side_of_a_grid),
        cmocka_unit_test(test_order__nested_dissection_has_less_fill),
        cmocka_unit_test(test_order__nested_dissection_takes_any_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
