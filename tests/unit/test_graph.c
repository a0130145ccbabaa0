// SPDX-License-Identifier: BSD-3-Clause
// The graph of a matrix, of a window of rows, and of a subset of vertices.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/partition/graph.h"

#include <stdlib.h>
#include <string.h>

static idx_t expected_weight(const struct lcl_csr *A,
                             const struct lcl_weighing *W, int64_t i, int64_t j)
{
    const double a = test_entry(A, i, j), b = test_entry(A, j, i);
    if (i == j || (a == 0 && b == 0))
        return 0;
    if (!W->root)
        return 1;
    return (idx_t)(1 + W->scale * fmax(lcl_strength(W, a, i, j),
                                       lcl_strength(W, b, j, i)));
}

// The weight of the edge v-u, 0 if there is none.
static idx_t stored_weight(const struct lcl_graph *G, idx_t v, idx_t u)
{
    for (idx_t k = G->ptr[v]; k < G->ptr[v + 1]; ++k)
        if (G->adj[k] == u)
            return G->weight ? G->weight[k] : 1;
    return 0;
}

static void expect_graph(const struct lcl_csr *A, int64_t first, int64_t last,
                         enum lcl_weights weights)
{
    struct lcl_weighing W;
    struct lcl_graph G;
    assert_int_equal(lcl_weighing_create(&W, A, weights, INT32_MAX, NULL), 0);
    assert_int_equal(lcl_graph_create(&G, A, first, last, &W, NULL), 0);
    assert_int_equal(G.n, last - first);
    idx_t edges = 0;
    for (idx_t v = 0; v < G.n; ++v)
        for (idx_t u = 0; u < G.n; ++u) {
            const idx_t weight = expected_weight(A, &W, first + v, first + u);
            assert_int_equal(stored_weight(&G, v, u), weight);
            edges += weight > 0;
        }
    assert_int_equal(G.ptr[G.n], edges);
    lcl_graph_finish(&G);
    lcl_weighing_finish(&W);
}

static void test_graph__edges_are_those_of_a_plus_its_transpose(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 8; ++seed) {
        struct lcl_csr A = test_random_csr(10 * seed, seed, seed);
        expect_graph(&A, 0, A.rows, LCL_WEIGHTS_OFF);
        expect_graph(&A, 0, A.rows, LCL_WEIGHTS_ON);
        expect_graph(&A, A.rows / 3, A.rows, LCL_WEIGHTS_OFF);
        expect_graph(&A, A.rows / 4, A.rows / 2, LCL_WEIGHTS_ON);
        test_csr_finish(&A);
    }
}

static void test_graph__one_row_and_diagonals_have_no_edges(void **state)
{
    (void)state;
    struct lcl_csr one = test_identity(1), many = test_identity(9);
    expect_graph(&one, 0, 1, LCL_WEIGHTS_ON);
    expect_graph(&many, 0, 9, LCL_WEIGHTS_OFF);
    expect_graph(&many, 4, 5, LCL_WEIGHTS_OFF);
    test_csr_finish(&many);
    test_csr_finish(&one);
}

static void test_graph__windows_are_as_long_as_the_edges_allow(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(200, 4, 1);
    for (int64_t edges = 0; edges < 3 * A.nnz; edges = 2 * edges + 1)
        for (int64_t first = 0, last; first < A.rows; first = last) {
            last = lcl_graph_window(&A, first, edges);
            assert_in_range(last, first + 1, A.rows);
            if (last > first + 1)
                assert_true(A.row_ptr[last] - A.row_ptr[first] <= edges / 2);
            if (last < A.rows)
                assert_true(A.row_ptr[last + 1] - A.row_ptr[first] > edges / 2);
        }
    test_csr_finish(&A);
}

static void test_graph__an_extract_keeps_the_edges_inside(void **state)
{
    (void)state;
    enum { N = 90 };
    struct lcl_csr A = test_random_csr(N, 5, 4);
    struct lcl_weighing W;
    struct lcl_graph G, S;
    assert_int_equal(
        lcl_weighing_create(&W, &A, LCL_WEIGHTS_ON, INT32_MAX, NULL), 0);
    assert_int_equal(lcl_graph_create(&G, &A, 0, N, &W, NULL), 0);
    idx_t member[N / 3], position[N];
    for (idx_t m = 0; m < N / 3; ++m)
        member[m] = 3 * m + m % 3;
    memset(position, -1, sizeof position);
    assert_int_equal(lcl_graph_extract(&S, &G, member, N / 3, position, NULL),
                     0);
    for (idx_t v = 0; v < N / 3; ++v)
        for (idx_t u = 0; u < N / 3; ++u)
            assert_int_equal(stored_weight(&S, v, u),
                             stored_weight(&G, member[v], member[u]));
    for (int i = 0; i < N; ++i)
        assert_int_equal(position[i], -1);
    lcl_graph_finish(&S);
    lcl_graph_finish(&G);
    lcl_weighing_finish(&W);
    test_csr_finish(&A);
}

static void test_groups__members_ascend_and_empty_groups_stay(void **state)
{
    (void)state;
    const idx_t label[] = {3, 0, 3, 1, 0, 3};
    const idx_t start[] = {0, 2, 3, 3, 6}, member[] = {1, 4, 3, 0, 2, 5};
    struct lcl_groups groups;
    assert_int_equal(lcl_groups_create(&groups, label, 6, 4, NULL), LCL_OK);
    assert_memory_equal(groups.start, start, sizeof start);
    assert_memory_equal(groups.member, member, sizeof member);
    lcl_groups_finish(&groups);
    assert_null(groups.start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph__edges_are_those_of_a_plus_its_transpose),
        cmocka_unit_test(test_graph__one_row_and_diagonals_have_no_edges),
        cmocka_unit_test(test_graph__windows_are_as_long_as_the_edges_allow),
        cmocka_unit_test(test_graph__an_extract_keeps_the_edges_inside),
        cmocka_unit_test(test_groups__members_ascend_and_empty_groups_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
