// SPDX-License-Identifier: BSD-3-Clause
// row_union.cl compared with plain C.
#include "lib/storage/row_union.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include <stdlib.h>

enum { COLS = 9 }; // of every composed matrix, whatever its parts have

struct parts {
    const struct lcl_csr *A, *B; // NULL: none
    const int32_t *place;
    int64_t rows, limit;
};

static void append(struct lcl_csr *C, const struct lcl_csr *from, int64_t row,
                   int64_t limit)
{
    for (int64_t k = from->row_ptr[row]; k < from->row_ptr[row + 1]; ++k)
        if (from->col_ind[k] < limit) {
            C->col_ind[C->nnz] = from->col_ind[k];
            C->val[C->nnz++] = from->val[k];
        }
}

// Rows of B occur at most once.
static struct lcl_csr compose(const struct parts *p)
{
    const size_t most =
        (size_t)((p->A ? p->A->nnz : 0) + (p->B ? p->B->nnz : 0)) + 1;
    struct lcl_csr C = {.rows = p->rows,
                        .cols = COLS,
                        .row_ptr =
                            calloc((size_t)p->rows + 1, sizeof *C.row_ptr),
                        .col_ind = calloc(most, sizeof *C.col_ind),
                        .val = calloc(most, sizeof *C.val)};
    assert_true(C.row_ptr && C.col_ind && C.val);
    for (int64_t i = 0; i < p->rows; ++i) {
        if (p->A && i < p->A->rows)
            append(&C, p->A, i, p->limit);
        if (p->B && p->place[i] >= 0)
            append(&C, p->B, p->place[i], INT64_MAX);
        C.row_ptr[i + 1] = C.nnz;
    }
    return C;
}

static void double_values(const struct lcl_csr *A)
{
    for (int64_t k = 0; A && k < A->nnz; ++k)
        A->val[k] *= 2;
}

static void write_values(const struct lcl_device_matrix *D,
                         const struct lcl_csr *A)
{
    if (A)
        assert_int_equal(
            lcl_buffer_write(D->val, A->val, (size_t)A->nnz * sizeof *A->val),
            LCL_OK);
}

// Also with new values.
static void expect_composition(lcl_context *ctx, const struct parts *p)
{
    struct lcl_device_matrix A = {.n = 0}, B = {.n = 0}, C;
    lcl_buffer *place = NULL;
    struct lcl_csr expected = compose(p);
    if (p->A)
        test_upload_csr(&A, ctx, p->A);
    if (p->B) {
        test_upload_csr(&B, ctx, p->B);
        place = test_upload(ctx, p->place, p->rows, sizeof *p->place);
    }
    const struct lcl_composition from = {.A = p->A ? &A : NULL,
                                         .limit = p->limit,
                                         .B = p->B ? &B : NULL,
                                         .place = place};
    assert_int_equal(lcl_compose(&C, ctx, p->rows, COLS, &from), LCL_OK);
    test_expect_csr(&C, &expected, true);
    double_values(p->A);
    double_values(p->B);
    double_values(&expected);
    write_values(&A, p->A);
    write_values(&B, p->B);
    assert_int_equal(lcl_buffer_fill(C.val, 0xff), LCL_OK);
    assert_int_equal(lcl_compose_values(&C, ctx, &from), LCL_OK);
    test_expect_csr(&C, &expected, true);
    lcl_buffer_destroy(&place);
    lcl_device_matrix_finish(&C);
    lcl_device_matrix_finish(&B);
    lcl_device_matrix_finish(&A);
    test_csr_finish(&expected);
}

// ------------------------------------------------------------------- cases

static void expect_limits(lcl_context *ctx, struct lcl_csr A)
{
    const int64_t limits[] = {0, 1, A.cols / 2, A.cols};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; ++k) {
        const struct parts p = {.A = &A, .rows = A.rows, .limit = limits[k]};
        expect_composition(ctx, &p);
    }
    test_csr_finish(&A);
}

static void test_row_union__entries_below_a_column(void **state)
{
    const int64_t n = test_size(30, 3000);
    expect_limits(*state, test_identity(1));
    for (int per_row = 1; per_row < 40; per_row = 3 * per_row + 1)
        expect_limits(*state, test_random_csr(n, per_row, 7));
    expect_limits(*state, test_dense_row(test_size(50, 2000), 3));
}

// Rows of B in any order.
static void test_row_union__listed_rows(void **state)
{
    const int64_t n = test_size(40, 4000);
    struct lcl_csr B = test_random_csr(n, 6, 5);
    int32_t *place = test_random_permutation(n, 3);
    for (int64_t rows = 0; rows <= n; rows += n / 4) {
        const struct parts p = {.B = &B, .place = place, .rows = rows};
        expect_composition(*state, &p);
    }
    free(place);
    test_csr_finish(&B);
}

// Every third row has no row of B, and the last rows none of A.
static void test_row_union__rows_of_both(void **state)
{
    const int64_t n = test_size(40, 4000);
    struct lcl_csr A = test_random_csr(n, 4, 5), B = test_random_csr(n, 9, 7);
    int32_t *place = test_random_permutation(n + n / 2, 3);
    for (int64_t i = 0; i < n + n / 2; ++i)
        if (i % 3 == 0 || place[i] >= n)
            place[i] = -1;
    const struct parts p = {.A = &A,
                            .B = &B,
                            .place = place,
                            .rows = n + n / 2,
                            .limit = 2 * n / 3};
    expect_composition(*state, &p);
    free(place);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

static void test_row_union__no_entries(void **state)
{
    int64_t none[] = {0, 0, 0, 0};
    const int32_t place[] = {2, -1, 0};
    const struct lcl_csr empty = {.rows = 3, .cols = 3, .row_ptr = none};
    const struct parts parts[] = {
        {.A = &empty, .rows = 3, .limit = 3},
        {.B = &empty, .rows = 3, .place = place},
        {.A = &empty, .B = &empty, .rows = 3, .place = place, .limit = 2}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k)
        expect_composition(*state, &parts[k]);
}

static void test_row_union__places_of_rows(void **state)
{
    const int64_t rows = test_size(40, 4000), count = rows / 3;
    int32_t *row = test_random_permutation(rows, 7);
    int32_t *expected = calloc((size_t)rows, sizeof *expected);
    lcl_buffer *place;
    assert_non_null(expected);
    for (int64_t i = 0; i < rows; ++i)
        expected[i] = -1;
    for (int64_t k = 0; k < count; ++k)
        expected[row[k]] = (int32_t)k;
    assert_int_equal(lcl_place_rows(&place, *state, rows, row, count), LCL_OK);
    test_expect_words("place", place, expected, rows);
    lcl_buffer_destroy(&place);
    free(expected);
    free(row);
}

static void test_row_union__too_many_entries_are_refused(void **state)
{
    const struct lcl_device_matrix A = {.n = 1,
                                        .blocks = LCL_NARROW_MOST / 2 + 1};
    const struct lcl_composition from = {.A = &A, .B = &A};
    struct lcl_device_matrix C;
    assert_int_equal(lcl_compose(&C, *state, 1, 1, &from), LCL_EUNSUPPORTED);
    assert_true(!C.row_ptr && !C.col && !C.val);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_union__entries_below_a_column),
        cmocka_unit_test(test_row_union__listed_rows),
        cmocka_unit_test(test_row_union__rows_of_both),
        cmocka_unit_test(test_row_union__no_entries),
        cmocka_unit_test(test_row_union__places_of_rows),
        cmocka_unit_test(test_row_union__too_many_entries_are_refused),
    };
    return test_device_run(tests);
}
