// SPDX-License-Identifier: BSD-3-Clause
// Over-full parts shrink to the limit at little cost.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/partition/balance.h"

#include <stdlib.h>

static struct lcl_graph graph_of(const struct lcl_csr *A)
{
    const struct lcl_weighing unweighted = {0};
    struct lcl_graph G;
    assert_int_equal(lcl_graph_create(&G, A, 0, A->rows, &unweighted, NULL),
                     LCL_OK);
    return G;
}

static void expect_within(const idx_t *label, idx_t n, idx_t parts, idx_t limit)
{
    idx_t *size = calloc((size_t)parts, sizeof *size);
    assert_non_null(size);
    for (idx_t v = 0; v < n; ++v) {
        assert_in_range(label[v], 0, parts - 1);
        assert_true(++size[label[v]] <= limit);
    }
    free(size);
}

static idx_t cut_edges(const struct lcl_graph *G, const idx_t *label)
{
    idx_t cut = 0;
    for (idx_t v = 0; v < G->n; ++v)
        for (idx_t k = G->ptr[v]; k < G->ptr[v + 1]; ++k)
            cut += label[v] != label[G->adj[k]];
    return cut / 2;
}

static void test_balance__a_boundary_moves_by_the_excess_only(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(20, 1, 1);
    struct lcl_graph G = graph_of(&A);
    idx_t label[20];
    for (int v = 0; v < 20; ++v)
        label[v] = v >= 13;
    assert_int_equal(lcl_partition_balance(label, 2, 10, &G, NULL), LCL_OK);
    for (int v = 0; v < 20; ++v)
        assert_int_equal(label[v], v >= 10);
    lcl_graph_finish(&G);
    test_csr_finish(&A);
}

static void test_balance__the_loosest_vertex_moves_first(void **state)
{
    (void)state;
    // Vertices 0 and 1 have one edge each to the part of 4 and 5, vertex 3 two.
    const double dense[] = {
        1, 1, 1, 0, 1, 0, //
        1, 1, 1, 0, 1, 0, //
        1, 1, 1, 1, 0, 0, //
        0, 0, 1, 1, 1, 1, //
        1, 1, 0, 1, 1, 1, //
        0, 0, 0, 1, 1, 1, //
    };
    const idx_t expected[] = {0, 0, 0, 1, 1, 1};
    struct lcl_csr A = test_csr_from_dense(6, dense);
    struct lcl_graph G = graph_of(&A);
    idx_t label[] = {0, 0, 0, 0, 1, 1};
    assert_int_equal(lcl_partition_balance(label, 2, 3, &G, NULL), LCL_OK);
    assert_memory_equal(label, expected, sizeof expected);
    lcl_graph_finish(&G);
    test_csr_finish(&A);
}

static void test_balance__parts_within_the_limit_stay(void **state)
{
    (void)state;
    struct lcl_csr A = test_random_csr(30, 3, 1);
    struct lcl_graph G = graph_of(&A);
    idx_t label[30];
    for (int v = 0; v < 30; ++v)
        label[v] = v % 3;
    assert_int_equal(lcl_partition_balance(label, 3, 10, &G, NULL), LCL_OK);
    for (int v = 0; v < 30; ++v)
        assert_int_equal(label[v], v % 3);
    lcl_graph_finish(&G);
    test_csr_finish(&A);
}

static void test_balance__everything_in_one_part_is_spread(void **state)
{
    (void)state;
    struct lcl_csr matrices[] = {test_identity(100), test_dense_row(100, 3),
                                 test_random_csr(100, 2, 1),
                                 test_laplacian(10, 10, 1)};
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; ++m) {
        struct lcl_graph G = graph_of(&matrices[m]);
        for (idx_t limit = 1; limit <= 100; limit += 9) {
            const idx_t parts = (100 + limit - 1) / limit;
            idx_t label[100];
            for (int v = 0; v < 100; ++v)
                label[v] = parts - 1;
            assert_int_equal(
                lcl_partition_balance(label, parts, limit, &G, NULL), LCL_OK);
            expect_within(label, 100, parts, limit);
        }
        lcl_graph_finish(&G);
        test_csr_finish(&matrices[m]);
    }
}

static void test_balance__a_slightly_full_grid_keeps_a_small_cut(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(24, 24, 1);
    struct lcl_graph G = graph_of(&A);
    idx_t label[576];
    for (int v = 0; v < 576; ++v) // columns of 9, 7 and 8 cells
        label[v] = v % 24 < 9 ? 0 : v % 24 < 16 ? 1 : 2;
    const idx_t before = cut_edges(&G, label);
    assert_int_equal(lcl_partition_balance(label, 3, 200, &G, NULL), LCL_OK);
    expect_within(label, 576, 3, 200);
    assert_true(cut_edges(&G, label) <= before + before / 2);
    lcl_graph_finish(&G);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance__a_boundary_moves_by_the_excess_only),
        cmocka_unit_test(test_balance__the_loosest_vertex_moves_first),
        cmocka_unit_test(test_balance__parts_within_the_limit_stay),
        cmocka_unit_test(test_balance__everything_in_one_part_is_spread),
        cmocka_unit_test(test_balance__a_slightly_full_grid_keeps_a_small_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
