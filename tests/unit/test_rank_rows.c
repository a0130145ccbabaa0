// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of rows with columns of the whole matrix, and their numbering,
// compared with the definition.
#include "lib/matrix/bsr.h"
#include "lib/multilevel/rank_rows.h"
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "host/alloc.h"

#include <stdlib.h>

enum { ROWS = 40, PER_ROW = 7 };

// Random columns of `total`; those of the first third of a row are its own.
static struct lcl_rows random_rows(const struct lcl_halo_plan *own,
                                   unsigned seed)
{
    const size_t nnz = ROWS * PER_ROW;
    struct lcl_rows A = {.rows = ROWS,
                         .total = own->total,
                         .row_ptr = calloc(ROWS + 1, sizeof *A.row_ptr),
                         .col = calloc(nnz, sizeof *A.col),
                         .val = calloc(nnz, sizeof *A.val)};
    uint64_t state = seed;
    assert_true(A.row_ptr && A.col && A.val);
    for (int64_t i = 0; i < ROWS; ++i) {
        A.row_ptr[i + 1] = (i + 1) * PER_ROW;
        for (int64_t k = i * PER_ROW; k < (i + 1) * PER_ROW; ++k) {
            const bool here = k % PER_ROW < 2 && own->rows > 0;
            const double at = test_random(&state);
            A.col[k] = here ? own->first + (int64_t)(at * (double)own->rows)
                            : (int64_t)(at * (double)own->total);
            A.val[k] = (double)k + 0.5;
        }
    }
    return A;
}

static void rows_close(struct lcl_rows *A)
{
    free(A->row_ptr);
    free(A->col);
    free(A->val);
}

static bool has_node(const struct lcl_rows *A, const struct lcl_halo_plan *own,
                     int64_t node, int block)
{
    for (int64_t k = 0; k < A->row_ptr[A->rows]; ++k)
        if (A->col[k] / block == node && !lcl_halo_plan_owns(own, A->col[k]))
            return true;
    return false;
}

static bool has_ghost(const struct lcl_halo_plan *P, int64_t column)
{
    int64_t g = 0;
    while (g < P->ghosts && P->ghost[g] != column)
        ++g;
    return g < P->ghosts;
}

// The ghosts are the columns of the nodes of all columns that are not own,
// ascending. The work does not depend on the size of the whole matrix.
static void expect_ghosts(const struct lcl_halo_plan *own, int block)
{
    struct lcl_rows A = random_rows(own, 3);
    struct lcl_halo_plan P;
    assert_int_equal(lcl_ghosts_of(&P, own, &A, block, NULL), LCL_OK);
    assert_true(P.rows == own->rows && P.first == own->first &&
                P.total == own->total);
    for (int64_t g = 0; g < P.ghosts; ++g) {
        assert_true(g == 0 || P.ghost[g - 1] < P.ghost[g]);
        assert_true(has_node(&A, own, P.ghost[g] / block, block));
    }
    for (int64_t k = 0; k < A.row_ptr[A.rows]; ++k)
        for (int c = 0; c < block && !lcl_halo_plan_owns(own, A.col[k]); ++c)
            assert_true(has_ghost(&P, A.col[k] / block * block + c));
    lcl_halo_plan_finish(&P);
    rows_close(&A);
}

static void test_rank_rows__ghosts_are_all_other_columns(void **state)
{
    static const struct lcl_halo_plan own[] = {
        {.rows = 30, .first = 0, .total = 300},
        {.rows = 60, .first = 90, .total = 600},
        {.rows = 600, .first = 0, .total = 600}, // none
        {.rows = 0, .first = 30, .total = 30},
        {.rows = 300, .first = 300000, .total = 6000000}};
    (void)state;
    for (size_t k = 0; k < sizeof own / sizeof *own - 1; ++k)
        for (int block = 1; block <= 3; ++block)
            expect_ghosts(&own[k], block);
    expect_ghosts(&own[4], 1);
}

// Ghosts of a plan and those of rows together.
static void test_rank_rows__ghosts_of_both(void **state)
{
    int64_t ghost[] = {5, 63, 64, 200};
    const struct lcl_halo_plan base = {
        .rows = 10, .first = 10, .total = 201, .ghost = ghost, .ghosts = 4};
    int64_t row_ptr[] = {0, 3}, col[] = {64, 12, 0};
    const struct lcl_rows A = {.rows = 1, .row_ptr = row_ptr, .col = col};
    static const int64_t expected[] = {0, 5, 63, 64, 200};
    struct lcl_halo_plan P;
    int32_t number[4];
    (void)state;
    assert_int_equal(lcl_ghosts_of(&P, &base, &A, 1, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 5);
    assert_memory_equal(P.ghost, expected, sizeof expected);
    lcl_ghosts_number(number, &P, &base);
    for (int g = 0; g < 4; ++g)
        assert_int_equal(number[g], g + 1);
    lcl_halo_plan_finish(&P);
}

// Ghosts of a plan and columns that are marked.
static void test_rank_rows__ghosts_of_marks(void **state)
{
    int64_t ghost[] = {5, 63, 64, 200};
    const struct lcl_halo_plan base = {
        .rows = 10, .first = 10, .total = 701, .ghost = ghost, .ghosts = 4};
    static const uint64_t bits[] = {UINT64_C(1) << 63, 9, 0, 2};
    static const int64_t expected[] = {5, 63, 64, 127, 128, 131, 200, 257};
    static const int64_t marked[] = {127, 128, 131, 257};
    const struct lcl_halo_plan none = {.rows = 10, .first = 10, .total = 701};
    struct lcl_halo_plan P;
    (void)state;
    assert_int_equal(lcl_ghosts_join(&P, &base, 64, bits, 4, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 8);
    assert_memory_equal(P.ghost, expected, sizeof expected);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_join(&P, &none, 64, bits, 4, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 4);
    assert_memory_equal(P.ghost, marked, sizeof marked);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_join(&P, &base, 0, NULL, 0, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 4);
    assert_memory_equal(P.ghost, ghost, sizeof ghost);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_join(&P, &none, 0, NULL, 0, NULL), LCL_OK);
    assert_int_equal(P.ghosts, 0);
    lcl_halo_plan_finish(&P);
}

static void test_rank_rows__too_many_ghosts_are_refused(void **state)
{
    int64_t ghost[] = {0, 2};
    const struct lcl_halo_plan base = {.rows = INT32_MAX - 3,
                                       .first = 10,
                                       .total = INT64_C(1) << 32,
                                       .ghost = ghost,
                                       .ghosts = 2};
    struct test_capture capture;
    struct lcl_halo_plan P;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_ghosts_of(&P, &base, NULL, 1, &capture.log), LCL_OK);
    lcl_halo_plan_finish(&P);
    assert_int_equal(lcl_ghosts_of(&P, &base, NULL, 2, &capture.log),
                     LCL_ERANGE);
    test_capture_expect(&capture, "2147483644 rows and more than 2 ghosts");
    lcl_halo_plan_finish(&P);
}

// ------------------------------------------------------------------- numbering

static int64_t local(const struct lcl_halo_plan *P, int64_t column)
{
    if (lcl_halo_plan_owns(P, column))
        return column - P->first;
    for (int64_t g = 0; g < P->ghosts; ++g)
        if (P->ghost[g] == column)
            return P->rows + g;
    return -1;
}

// All entries in columns of P, each from its row, in ascending order.
static void expect_numbers(const struct lcl_rows *A,
                           const struct lcl_halo_plan *P)
{
    struct lcl_bsr B;
    int64_t *map;
    assert_int_equal(lcl_rows_number(&B, &map, A, P, NULL), LCL_OK);
    assert_true(B.rows == A->rows && B.cols == P->rows + P->ghosts);
    for (int64_t i = 0; i < A->rows; ++i) {
        int64_t kept = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            kept += local(P, A->col[k]) >= 0;
        assert_int_equal(B.row_ptr[i + 1] - B.row_ptr[i], kept);
        for (int64_t k = B.row_ptr[i]; k < B.row_ptr[i + 1]; ++k) {
            assert_in_range(map[k], A->row_ptr[i], A->row_ptr[i + 1] - 1);
            assert_int_equal(B.col_ind[k], local(P, A->col[map[k]]));
            assert_true(B.val[k] == A->val[map[k]]);
            assert_true(k == B.row_ptr[i] || B.col_ind[k - 1] <= B.col_ind[k]);
        }
    }
    assert_int_equal(B.nnz, B.row_ptr[B.rows]);
    lcl_free(map);
    lcl_bsr_finish(&B);
}

static void test_rank_rows__local_columns_ascend(void **state)
{
    const struct lcl_halo_plan own = {.rows = 50, .first = 70, .total = 400};
    struct lcl_rows A = random_rows(&own, 5), other = random_rows(&own, 7);
    struct lcl_halo_plan P;
    (void)state;
    expect_numbers(&A, &own); // without ghosts
    assert_int_equal(lcl_ghosts_of(&P, &own, &A, 1, NULL), LCL_OK);
    expect_numbers(&A, &P);
    expect_numbers(&other, &P); // lacks some of its columns
    lcl_halo_plan_finish(&P);
    rows_close(&other);
    rows_close(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_rows__ghosts_are_all_other_columns),
        cmocka_unit_test(test_rank_rows__ghosts_of_both),
        cmocka_unit_test(test_rank_rows__ghosts_of_marks),
        cmocka_unit_test(test_rank_rows__too_many_ghosts_are_refused),
        cmocka_unit_test(test_rank_rows__local_columns_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
