// SPDX-License-Identifier: BSD-3-Clause
// The grid of a 7-point pattern from the rows of several ranks.
#include "lib/partition/grid.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <stdlib.h>

enum { NX = 7, NY = 5, NZ = 6, CELLS = NX * NY * NZ };

static struct lcl_grid_rows all_rows(const struct lcl_csr *A)
{
    return (struct lcl_grid_rows){
        .rows = A->rows, .row_ptr = A->row_ptr, .col = A->col_ind};
}

static void expect_grid(const int64_t grid[3], int64_t nx, int64_t ny,
                        int64_t nz)
{
    assert_int_equal(grid[0], nx);
    assert_int_equal(grid[1], ny);
    assert_int_equal(grid[2], nz);
}

static struct lcl_distances distances(int64_t count, int64_t a, int64_t b,
                                      int64_t c)
{
    return (struct lcl_distances){.value = {a, b, c}, .count = count};
}

static void test_grid__distances_determine_the_grid(void **state)
{
    struct lcl_distances D = distances(3, 1, 7, 35);
    int64_t grid[3];
    (void)state;
    assert_true(lcl_grid_of_distances(grid, &D, 210));
    expect_grid(grid, 7, 5, 6);
    D.count = 2;
    assert_true(lcl_grid_of_distances(grid, &D, 210));
    expect_grid(grid, 7, 30, 1);
    D.count = 1;
    assert_true(lcl_grid_of_distances(grid, &D, 210));
    expect_grid(grid, 210, 1, 1);
}

static void test_grid__other_distances_have_none(void **state)
{
    const struct lcl_distances bad[] = {
        distances(0, 0, 0, 0),  distances(1, 2, 0, 0),  distances(2, 7, 35, 0),
        distances(2, 1, 11, 0), distances(3, 1, 7, 36), distances(3, 1, 7, 49),
        distances(4, 1, 7, 35)};
    int64_t grid[3];
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        assert_false(lcl_grid_of_distances(grid, &bad[k], 210));
}

// Ranks know some distances each; together they know all.
static void test_grid__distances_of_ranks_are_merged(void **state)
{
    const struct lcl_distances of_rank[] = {
        distances(2, 1, 35, 0), distances(0, 0, 0, 0), distances(2, 1, 7, 0)};
    const struct lcl_distances other = distances(1, 3, 0, 0),
                               many = distances(4, 1, 7, 35);
    struct lcl_distances D = {.count = 0}, E = {.count = 0};
    (void)state;
    for (int r = 0; r < 3; ++r)
        lcl_distances_merge(&D, &of_rank[r]);
    assert_int_equal(D.count, 3);
    expect_grid(D.value, 1, 7, 35);
    lcl_distances_merge(&D, &other);
    assert_int_equal(D.count, 4);
    lcl_distances_merge(&E, &many);
    assert_int_equal(E.count, 4);
}

static void test_grid__rows_without_couplings_have_no_distances(void **state)
{
    struct lcl_csr I = test_identity(9);
    const struct lcl_grid_rows rows = all_rows(&I);
    struct lcl_distances D = {.count = 0};
    (void)state;
    lcl_distances_add(&D, &rows);
    assert_int_equal(D.count, 0);
    test_csr_finish(&I);
}

// The rows of a rank from any cell on, whose first column is number 0, which
// lacks the columns of others.
static void test_grid__rows_start_at_any_cell(void **state)
{
    static const int64_t grid[] = {NX, NY, NZ}, other[] = {NX, NZ, NY};
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    (void)state;
    for (int64_t first = 0; first + NX * NY < A.rows; first += 11) {
        struct lcl_csr own = {.rows = A.rows - first};
        own.row_ptr = calloc((size_t)own.rows + 1, sizeof *own.row_ptr);
        own.col_ind = calloc((size_t)A.nnz, sizeof *own.col_ind);
        assert_true(own.row_ptr && own.col_ind);
        for (int64_t i = first; i < A.rows; ++i) {
            for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
                if (A.col_ind[k] >= first)
                    own.col_ind[own.nnz++] = (int32_t)(A.col_ind[k] - first);
            own.row_ptr[i - first + 1] = own.nnz;
        }
        struct lcl_grid_rows rows = all_rows(&own);
        struct lcl_distances D = {.count = 0};
        rows.first = first;
        lcl_distances_add(&D, &rows);
        assert_int_equal(D.count, 3);
        expect_grid(D.value, 1, NX, NX * NY);
        assert_true(lcl_grid_fits(&rows, grid));
        assert_false(lcl_grid_fits(&rows, other));
        ++rows.first; // then some entries wrap around an edge
        assert_false(lcl_grid_fits(&rows, grid));
        free(own.row_ptr);
        free(own.col_ind);
    }
    test_csr_finish(&A);
}

// Numbers in another order, and rows that are a few of them.
static void test_grid__numbers_may_have_any_order(void **state)
{
    static const int64_t grid[] = {NX, NY, NZ};
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    int32_t *of_cell = test_random_permutation(A.rows, 5);
    int64_t cell[CELLS], ptr[CELLS + 1] = {0};
    int32_t row[CELLS], count = 0;
    int32_t *col = calloc((size_t)A.nnz, sizeof *col);
    (void)state;
    assert_non_null(col);
    for (int32_t i = 0; i < CELLS; ++i)
        cell[of_cell[i]] = i;
    for (int32_t i = 0; i < CELLS; i += 1 + i % 3) {
        row[count++] = of_cell[i];
        ptr[count] = ptr[count - 1];
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            col[ptr[count]++] = of_cell[A.col_ind[k]];
    }
    const struct lcl_grid_rows rows = {
        .rows = count, .row_ptr = ptr, .col = col, .row = row, .cell = cell};
    struct lcl_distances D = {.count = 0};
    lcl_distances_add(&D, &rows);
    assert_int_equal(D.count, 3);
    expect_grid(D.value, 1, NX, NX * NY);
    assert_true(lcl_grid_fits(&rows, grid));
    for (int32_t r = 0; r < count; r += 7) {
        const int64_t swapped = cell[row[r]];
        cell[row[r]] = (swapped + 2) % CELLS;
        assert_false(lcl_grid_fits(&rows, grid));
        cell[row[r]] = swapped;
    }
    free(col);
    free(of_cell);
    test_csr_finish(&A);
}

// Equal steps of numbers need not be equal steps of cells.
static void test_grid__every_row_counts_in_another_order(void **state)
{
    static const int64_t ptr[] = {0, 2, 4}, cell[] = {0, 1, 8};
    static const int32_t col[] = {0, 1, 1, 2};
    const struct lcl_grid_rows rows = {
        .rows = 2, .row_ptr = ptr, .col = col, .cell = cell};
    static const int64_t line[] = {9, 1, 1}, wide[] = {7, 2, 1};
    struct lcl_distances D = {.count = 0};
    (void)state;
    lcl_distances_add(&D, &rows);
    assert_int_equal(D.count, 2);
    assert_int_equal(D.value[1], 7);
    assert_true(lcl_grid_fits(&rows, wide));
    assert_false(lcl_grid_fits(&rows, line));
}

// One entry at one of its ends: the row of a line's last cell repeats the one
// before, or a layer's last line is coupled with the next layer's first one.
static void test_grid__no_entry_wraps_around_an_edge(void **state)
{
    static const int64_t at[][2] = {{NX - 1, NX},
                                    {NX * NY - NX, NX * NY},
                                    {NX * NY, NX * NY - NX},
                                    {NX, NX - 1}};
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    int64_t grid[3];
    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; ++k) {
        double *dense = calloc((size_t)CELLS * CELLS, sizeof *dense);
        assert_non_null(dense);
        for (int64_t i = 0; i < CELLS; ++i)
            for (int64_t e = A.row_ptr[i]; e < A.row_ptr[i + 1]; ++e)
                dense[i * CELLS + A.col_ind[e]] = 1;
        struct lcl_csr B = test_csr_from_dense(CELLS, dense);
        assert_true(lcl_grid_find(grid, &B));
        expect_grid(grid, NX, NY, NZ);
        test_csr_finish(&B);
        dense[at[k][0] * CELLS + at[k][1]] = 1;
        B = test_csr_from_dense(CELLS, dense);
        assert_false(lcl_grid_find(grid, &B));
        test_csr_finish(&B);
        free(dense);
    }
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid__distances_determine_the_grid),
        cmocka_unit_test(test_grid__other_distances_have_none),
        cmocka_unit_test(test_grid__distances_of_ranks_are_merged),
        cmocka_unit_test(test_grid__rows_without_couplings_have_no_distances),
        cmocka_unit_test(test_grid__rows_start_at_any_cell),
        cmocka_unit_test(test_grid__numbers_may_have_any_order),
        cmocka_unit_test(test_grid__every_row_counts_in_another_order),
        cmocka_unit_test(test_grid__no_entry_wraps_around_an_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
