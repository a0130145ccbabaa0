// SPDX-License-Identifier: BSD-3-Clause
// Entries of a matrix by cells, and grids of problems.
#include "tests/support/matrices.h"
#include "tests/support/test.h"
#include "tools/clsolve/density.h"
#include "tools/clsolve/grid.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- density

// Counts again, entry by entry.
static void expect_counts(const struct density *D, const struct lcl_csr *A,
                          const int32_t *group, int64_t groups)
{
    const size_t cells = (size_t)D->cells;
    int64_t *count = calloc(cells * cells, sizeof *count);
    assert_non_null(count);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            const int64_t y = (group ? group[i] : i) * D->cells / groups;
            const int64_t x = (group ? group[j] : j) * D->cells / groups;
            ++count[y * D->cells + x];
        }
    assert_memory_equal(D->count, count, cells * cells * sizeof *count);
    free(count);
}

static void expect_shades(const struct density *D)
{
    for (int k = 0; k < D->cells * D->cells; ++k) {
        assert_int_equal(D->shade[k] > 0, D->count[k] > 0);
        assert_in_range(D->shade[k], 0, DENSITY_SHADES);
        if (D->count[k] == 0)
            continue;
        assert_in_range(D->count[k], D->least, D->most);
        if (D->count[k] == D->most)
            assert_int_equal(D->shade[k], DENSITY_SHADES);
        else if (D->count[k] == D->least)
            assert_int_equal(D->shade[k], 1);
    }
}

static void expect_density(const struct lcl_csr *A, const int32_t *group,
                           int64_t groups, int cells)
{
    struct density D;
    assert_int_equal(density_count(&D, A, group, groups), LCL_OK);
    assert_int_equal(D.cells, cells);
    expect_counts(&D, A, group, group ? groups : A->rows);
    expect_shades(&D);
    density_finish(&D);
    assert_null(D.count);
}

static void test_density__counts_every_entry_once(void **state)
{
    (void)state;
    static const int64_t rows[] = {1, 2, 127, 128, 129, 1000};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        struct lcl_csr A = test_random_csr(rows[k], 4, 1 + (unsigned)k);
        expect_density(&A, NULL, 0, rows[k] < 128 ? (int)rows[k] : 128);
        test_csr_finish(&A);
    }
}

// Group 2 of 5 is empty.
static void test_density__counts_by_groups(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    struct lcl_csr A = test_random_csr(ROWS, 5, 9);
    int32_t group[ROWS];
    for (int i = 0; i < ROWS; ++i)
        group[i] = (i * 7 % 4 + 3) % 5;
    expect_density(&A, group, 5, 5);
    for (int i = 0; i < ROWS; ++i)
        group[i] = i * 7 % ROWS;
    expect_density(&A, group, ROWS, 128);
    test_csr_finish(&A);
}

static void test_density__matrix_without_entries_is_empty(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 0, 0};
    const struct lcl_csr A = {.rows = 2, .cols = 2, .row_ptr = row_ptr};
    struct density D;
    assert_int_equal(density_count(&D, &A, NULL, 0), LCL_OK);
    assert_int_equal(D.most, 0);
    for (int k = 0; k < 4; ++k)
        assert_int_equal(D.shade[k], 0);
    density_finish(&D);
}

// ---------------------------------------------------------------- grids

static void expect_grid(const char *name, int64_t nx, int64_t ny, int64_t nz,
                        int64_t rows)
{
    const struct cli cli = {.problem = name};
    struct grid grid;
    assert_true(grid_find(&grid, &cli, nx * ny * nz * rows));
    assert_int_equal(grid.n[0], nx);
    assert_int_equal(grid.n[1], ny);
    assert_int_equal(grid.n[2], nz);
    assert_int_equal(grid.rows, rows);
}

// Of the problems themselves.
static void expect_grid_of_problem(const char *name, int64_t rows)
{
    const struct cli cli = {.problem = name};
    struct lcl_csr A = test_problem(name);
    struct grid grid;
    assert_true(grid_find(&grid, &cli, A.rows));
    assert_int_equal(grid.rows, rows);
    // the largest distance along x, then y, is that of a stencil
    for (int64_t k = 0; k < A.row_ptr[1]; ++k) {
        const int64_t cell = A.col_ind[k] / rows;
        assert_in_range(cell % grid.n[0], 0, 2);
        assert_in_range(cell / grid.n[0] % grid.n[1], 0, 2);
        assert_in_range(cell / grid.n[0] / grid.n[1], 0, 2);
    }
    lcl_csr_finish(&A);
}

static void test_grid__is_that_of_the_problem(void **state)
{
    (void)state;
    expect_grid("lap3d:12", 12, 12, 12, 1);
    expect_grid("lap3d:12,b=3", 12, 12, 12, 3);
    expect_grid("convdiff:4x5x6", 4, 5, 6, 1);
    expect_grid("convdiff:7,2.5", 7, 7, 7, 1);
    expect_grid("aniso:9,0.01", 9, 9, 9, 1);
    expect_grid("parabolic", 1025, 513, 1, 1);
    expect_grid_of_problem("lap3d:7,b=2", 2);
    expect_grid_of_problem("convdiff:4x5x6", 1);
    expect_grid_of_problem("kuhn:4,5,6,3", 3);
    expect_grid_of_problem("q1:7", 1);
    expect_grid_of_problem("q2:5", 1);
    expect_grid_of_problem("elasticity:5", 3);
    expect_grid_of_problem("blackoil:5", 3);
    expect_grid_of_problem("jump:9,100", 1);
    expect_grid_of_problem("helmholtz:6,2", 2);
}

static void test_grid__is_unknown_where_the_rows_do_not_fit(void **state)
{
    (void)state;
    static const char *const names[] = {"lap3d:", "lap3d:-3",
                                        "lap3d:99999999999999999999",
                                        "rows:10x3", "q1:1"};
    struct grid grid;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        const struct cli cli = {.problem = names[k]};
        assert_false(grid_find(&grid, &cli, 1000));
    }
    const struct cli cube = {.problem = "lap3d:10"}, none = {0};
    assert_false(grid_find(&grid, &cube, 1001));
    assert_false(grid_find(&grid, &cube, 999));
    assert_false(grid_find(&grid, &none, 1000));
    struct cli given = {0};
    given.options.precond.partition.grid[0] = 10;
    given.options.precond.partition.grid[1] = 20;
    given.options.precond.partition.grid[2] = 5;
    assert_true(grid_find(&grid, &given, 1000));
    assert_int_equal(grid.n[1], 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density__counts_every_entry_once),
        cmocka_unit_test(test_density__counts_by_groups),
        cmocka_unit_test(test_density__matrix_without_entries_is_empty),
        cmocka_unit_test(test_grid__is_that_of_the_problem),
        cmocka_unit_test(test_grid__is_unknown_where_the_rows_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
