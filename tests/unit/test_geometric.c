// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a Cartesian grid, and the derivation of the grid from a pattern.
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/partitions.h"
#include "tests/support/test.h"

#include <stdlib.h>

static struct lcl_partition_params boxes(int64_t x, int64_t y, int64_t z)
{
    return (struct lcl_partition_params){
        .type = LCL_PARTITION_GEOMETRIC, .rows = 4096, .box = {x, y, z}};
}

static struct lcl_partition_params on_grid(struct lcl_partition_params params,
                                           int64_t nx, int64_t ny, int64_t nz)
{
    params.grid[0] = nx;
    params.grid[1] = ny;
    params.grid[2] = nz;
    return params;
}

static void expect_label(const struct lcl_csr *A,
                         const struct lcl_partition_params *params,
                         const int32_t *expected)
{
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, A, params, 4096, NULL), LCL_OK);
    test_partition_valid(&P, A->rows, 4096);
    int32_t *label = test_part_of_rows(&P);
    for (int64_t i = 0; i < A->rows; ++i)
        assert_int_equal(label[i], expected[i]);
    free(label);
    lcl_subdomains_finish(&P);
}

static void expect_refused(const struct lcl_csr *A,
                           struct lcl_partition_params params,
                           enum lcl_status status, const char *sentence)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, A, &params, 4096, &capture.log),
                     status);
    test_capture_expect(&capture, sentence);
}

// clang-format off
static const int32_t boxes_2x2x1_of_4x3x2[] = {
    0, 0, 1, 1,
    0, 0, 1, 1,
    2, 2, 3, 3,

    4, 4, 5, 5,
    4, 4, 5, 5,
    6, 6, 7, 7,
};
static const int32_t boxes_2x2_of_5x3[] = {
    0, 0, 1, 1, 2,
    0, 0, 1, 1, 2,
    3, 3, 4, 4, 5,
};
// clang-format on

static void test_geometric__labels_are_those_of_algorithm_3_1(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(4, 3, 2);
    const struct lcl_partition_params found = boxes(2, 2, 1);
    const struct lcl_partition_params given = on_grid(found, 4, 3, 2);
    expect_label(&A, &found, boxes_2x2x1_of_4x3x2);
    expect_label(&A, &given, boxes_2x2x1_of_4x3x2);
    test_csr_finish(&A);
}

static void test_geometric__a_five_point_grid_is_found(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(5, 3, 1);
    const struct lcl_partition_params params = boxes(2, 2, 1);
    expect_label(&A, &params, boxes_2x2_of_5x3);
    test_csr_finish(&A);
}

static void test_geometric__a_tridiagonal_matrix_is_a_line(void **state)
{
    (void)state;
    const int32_t expected[] = {0, 0, 0, 1, 1, 1, 2};
    struct lcl_csr A = test_laplacian(7, 1, 1);
    const struct lcl_partition_params params = boxes(3, 1, 1);
    expect_label(&A, &params, expected);
    test_csr_finish(&A);
}

static void test_geometric__unknowns_of_a_cell_stay_together(void **state)
{
    (void)state;
    struct lcl_csr cells = test_laplacian(4, 3, 2);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    const struct lcl_partition_params params = on_grid(boxes(2, 2, 1), 4, 3, 2);
    int32_t expected[72];
    for (int i = 0; i < 72; ++i)
        expected[i] = boxes_2x2x1_of_4x3x2[i / 3];
    expect_label(&A, &params, expected);
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

static void test_geometric__sizes_that_do_not_divide_give_valid_parts(void **s)
{
    (void)s;
    struct lcl_csr A = test_laplacian(7, 5, 6);
    for (int64_t size = 1; size <= 8; ++size) {
        const struct lcl_partition_params params = boxes(size, size, 2);
        struct lcl_subdomains P;
        assert_int_equal(lcl_partition_create(&P, &A, &params, 4096, NULL), 0);
        test_partition_valid(&P, 210, 2 * size * size);
        const int64_t bx = (7 + size - 1) / size, by = (5 + size - 1) / size;
        assert_int_equal(P.parts, bx * by * 3);
        lcl_subdomains_finish(&P);
    }
    test_csr_finish(&A);
}

static void test_geometric__other_patterns_need_a_grid(void **state)
{
    (void)state;
    struct lcl_csr matrices[] = {
        test_identity(8),
        test_dense_row(8, 3),
        test_random_csr(64, 5, 1),
        test_laplacian(1, 1, 1),
    };
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; ++m) {
        expect_refused(&matrices[m], boxes(2, 2, 2), LCL_EINVAL,
                       "not a 7-point stencil");
        test_csr_finish(&matrices[m]);
    }
}

static void test_geometric__entries_that_wrap_around_are_noticed(void **state)
{
    (void)state;
    // Offsets 1 and 3 as on a 3 x 2 grid, but cells 2 and 3 are coupled.
    const double dense[] = {
        4, 1, 0, 1, 0, 0, //
        1, 4, 1, 0, 1, 0, //
        0, 1, 4, 1, 0, 1, //
        1, 0, 1, 4, 1, 0, //
        0, 1, 0, 1, 4, 1, //
        0, 0, 1, 0, 1, 4, //
    };
    struct lcl_csr A = test_csr_from_dense(6, dense);
    expect_refused(&A, boxes(2, 2, 2), LCL_EINVAL, "not a 7-point stencil");
    test_csr_finish(&A);
}

// In each of many chunks of lines.
static void test_geometric__one_entry_off_the_stencil_is_noticed(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(31, 32, 33);
    const struct lcl_partition_params params = boxes(8, 8, 8);
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, &A, &params, 4096, NULL), LCL_OK);
    lcl_subdomains_finish(&P);
    for (int64_t i = 31 * 32; i < A.rows; i += 491) {
        ++A.col_ind[A.row_ptr[i]];
        expect_refused(&A, params, LCL_EINVAL, "not a 7-point stencil");
        --A.col_ind[A.row_ptr[i]];
    }
    assert_int_equal(lcl_partition_create(&P, &A, &params, 4096, NULL), LCL_OK);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_geometric__boxes_above_the_limit_are_refused(void **state)
{
    (void)state;
    struct lcl_csr cells = test_laplacian(8, 8, 8);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    struct lcl_partition_params params = boxes(4, 4, 4);
    params.rows = 63;
    expect_refused(&cells, params, LCL_ERANGE, "4 x 4 x 4");
    params.rows = 64;
    expect_refused(&A, on_grid(params, 8, 8, 8), LCL_ERANGE,
                   "exceeds the limit of 64 rows");
    params = boxes(INT64_MAX, INT64_MAX, INT64_MAX);
    params.rows = 511;
    expect_refused(&cells, params, LCL_ERANGE, "8 x 8 x 8");
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

static void test_geometric__hostile_sizes_are_refused(void **state)
{
    (void)state;
    const int64_t most = INT64_MAX;
    struct lcl_csr A = test_laplacian(4, 3, 2);
    expect_refused(&A, boxes(0, 0, 0), LCL_EINVAL, "box size 1 is 0");
    expect_refused(&A, boxes(2, -2, 1), LCL_EINVAL, "box size 2 is -2");
    expect_refused(&A, on_grid(boxes(2, 2, 2), 4, 3, 0), LCL_EINVAL,
                   "grid size 3 is 0");
    expect_refused(&A, on_grid(boxes(2, 2, 2), -4, -3, 2), LCL_EINVAL,
                   "grid size 1 is -4");
    expect_refused(&A, on_grid(boxes(2, 2, 2), 5, 3, 2), LCL_EINVAL,
                   "24 rows are not a multiple of 5 x 3 x 2");
    expect_refused(&A, on_grid(boxes(2, 2, 2), 4, 3, 4), LCL_EINVAL,
                   "not a multiple");
    expect_refused(&A, on_grid(boxes(2, 2, 2), most, most, most), LCL_EINVAL,
                   "not a multiple");
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- shares

enum { NX = 7, NY = 5, NZ = 6, CELLS = NX * NY * NZ };

// Of 3 x 2 x 4 cells, so that no side of the grid is a multiple.
static int64_t box_of_cell(int64_t cell)
{
    const int64_t x = cell % NX, y = cell / NX % NY, z = cell / NX / NY;
    return (z / 4 * 3 + y / 2) * 3 + x / 3;
}

static enum lcl_status partition_share(struct lcl_subdomains *P, int64_t n,
                                       const struct lcl_share *share,
                                       const struct lcl_log *log)
{
    const struct lcl_partition_params params =
        on_grid(boxes(3, 2, 4), NX, NY, NZ);
    const struct lcl_csr A = {.rows = n, .cols = n}; // is not read
    return lcl_partition_create_share(P, &A, share, &params, 4096, log);
}

// Rows of the rank, `block` of the share each, are in one subdomain if their
// cells are in one box.
static void expect_share(int64_t first, int64_t end, int64_t unknowns,
                         int64_t block, const int32_t *perm)
{
    const int64_t n = end - first;
    const struct lcl_share share = {.first = first * block,
                                    .rows = n * block,
                                    .total = CELLS * unknowns * block,
                                    .perm = perm};
    struct lcl_subdomains P;
    assert_int_equal(partition_share(&P, n, &share, NULL), LCL_OK);
    test_partition_covers(&P, n, 24 * unknowns);
    int32_t *part = test_part_of_rows(&P);
    int64_t *box = calloc((size_t)n, sizeof *box);
    assert_non_null(box);
    for (int64_t i = 0; i < n; ++i)
        box[i] = box_of_cell((perm ? perm[first + i] : first + i) / unknowns);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            assert_int_equal(part[i] == part[j], box[i] == box[j]);
    free(box);
    free(part);
    lcl_subdomains_finish(&P);
}

// Between cells, within lines and layers and between them.
static const int64_t cuts[] = {0, 1, 17, 35, 36, 70, 77, 140, 209, CELLS};
enum { CUTS = sizeof cuts / sizeof *cuts };

static void test_geometric__ranks_have_the_rows_of_boxes(void **state)
{
    (void)state;
    for (int64_t unknowns = 1; unknowns <= 3; unknowns += 2)
        for (int64_t block = 1; block <= 2; ++block)
            for (int r = 0; r + 1 < CUTS; ++r)
                for (int64_t off = 0; off < unknowns; ++off)
                    expect_share(cuts[r] * unknowns + off,
                                 cuts[r + 1] * unknowns, unknowns, block, NULL);
    expect_share(0, CELLS, 1, 1, NULL);
}

// In an order in which no rows of a rank follow each other, and in one of
// parts of a partition, whose rows ascend.
static void test_geometric__ranks_have_rows_in_another_order(void **state)
{
    (void)state;
    int32_t *random = test_random_permutation(CELLS, 3), halves[CELLS];
    int at = 0;
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < CELLS; ++i)
            if ((i % NX > 3) == side)
                halves[at++] = i;
    for (int r = 0; r + 1 < CUTS; ++r) {
        expect_share(cuts[r], cuts[r + 1], 1, 1, random);
        expect_share(cuts[r], cuts[r + 1], 1, 1, halves);
    }
    free(random);
}

static void test_geometric__other_methods_ignore_the_share(void **state)
{
    (void)state;
    const struct lcl_share share = {.first = 12, .rows = 24, .total = 48};
    const struct lcl_partition_params params = {.type = LCL_PARTITION_NATURAL,
                                                .rows = 10};
    struct lcl_csr A = test_laplacian(4, 3, 2);
    struct lcl_subdomains P;
    assert_int_equal(
        lcl_partition_create_share(&P, &A, &share, &params, 24, NULL), LCL_OK);
    test_partition_valid(&P, 24, 8);
    assert_int_equal(P.parts, 3);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void expect_share_refused(const struct lcl_share *share, int64_t n,
                                 const char *sentence)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    struct lcl_subdomains P;
    assert_int_equal(partition_share(&P, n, share, &capture.log), LCL_EINVAL);
    test_capture_expect(&capture, sentence);
}

static void test_geometric__shares_that_are_no_cells_are_refused(void **state)
{
    (void)state;
    struct lcl_share share = {.first = 4, .rows = 30, .total = 3 * CELLS};
    expect_share_refused(&share, 10,
                         "the blocks of 3 rows of this rank, from row 5 on, "
                         "are none of the whole matrix");
    share.first = 3;
    share.total = 3 * CELLS + 1;
    expect_share_refused(&share, 10, "are none of the whole matrix");
    expect_share_refused(&share, 30, "631 rows are not a multiple");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometric__labels_are_those_of_algorithm_3_1),
        cmocka_unit_test(test_geometric__a_five_point_grid_is_found),
        cmocka_unit_test(test_geometric__a_tridiagonal_matrix_is_a_line),
        cmocka_unit_test(test_geometric__unknowns_of_a_cell_stay_together),
        cmocka_unit_test(
            test_geometric__sizes_that_do_not_divide_give_valid_parts),
        cmocka_unit_test(test_geometric__other_patterns_need_a_grid),
        cmocka_unit_test(test_geometric__entries_that_wrap_around_are_noticed),
        cmocka_unit_test(test_geometric__one_entry_off_the_stencil_is_noticed),
        cmocka_unit_test(test_geometric__boxes_above_the_limit_are_refused),
        cmocka_unit_test(test_geometric__hostile_sizes_are_refused),
        cmocka_unit_test(test_geometric__ranks_have_the_rows_of_boxes),
        cmocka_unit_test(test_geometric__ranks_have_rows_in_another_order),
        cmocka_unit_test(test_geometric__other_methods_ignore_the_share),
        cmocka_unit_test(test_geometric__shares_that_are_no_cells_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
