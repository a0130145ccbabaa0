// SPDX-License-Identifier: BSD-3-Clause
// coarse_pattern.cl, which computes the pattern of the coarse correction on the
// device, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/multilevel/pattern.h"
#include "lib/ref/coarse_pattern.h"

#include <stdlib.h>

enum { ALL = 100000 };

// A matrix on the device; with blocks, only its pattern is used.
static void matrix_init(struct lcl_device_matrix *D, lcl_context *ctx,
                        const struct lcl_csr *B, int block)
{
    double *val = test_random_vector(B->nnz * block * block, 3);
    struct lcl_bsr A = lcl_bsr_of_csr(B);
    A.block_size = block;
    A.val = val;
    assert_int_equal(lcl_device_matrix_init(D, ctx, &A), LCL_OK);
    free(val);
}

static void expect_unsigned(const char *what, const lcl_buffer *buffer,
                            const uint32_t *expected, int64_t count)
{
    test_expect_words(what, buffer, (const int32_t *)expected, count);
}

static void expect_same(const struct lcl_coarse_pattern *C,
                        const struct lcl_ref_coarse_pattern *E, bool rows)
{
    assert_int_equal(C->n, E->n);
    assert_int_equal(C->parts, E->parts);
    assert_int_equal(C->aggregates, E->aggregates);
    assert_int_equal(C->runs, E->runs);
    assert_int_equal(C->entries, E->entries);
    test_expect_words("part_ptr", C->part_ptr, E->part_ptr, E->parts + 1);
    test_expect_words("part_agg", C->part_agg, E->part_agg, E->parts);
    test_expect_words("agg_ptr", C->agg_ptr, E->agg_ptr, E->aggregates + 1);
    test_expect_words("agg_parts", C->agg_parts, E->agg_parts, E->parts);
    expect_unsigned("run_ptr", C->run_ptr, E->run_ptr, E->n + 1);
    expect_unsigned("run_first", C->run_first, E->run_first, E->runs + 1);
    test_expect_words("run_agg", C->run_agg, E->run_agg, E->runs);
    expect_unsigned("order", C->order, E->order, E->runs);
    expect_unsigned("entry_ptr", C->entry_ptr, E->entry_ptr, E->entries + 1);
    test_expect_words("entry_row", C->entry_row, E->entry_row, E->entries);
    test_expect_words("entry_col", C->entry_col, E->entry_col, E->entries);
    expect_unsigned("col_ptr", C->col_ptr, E->col_ptr, E->aggregates + 1);
    if (rows)
        test_expect_words("run_row", C->run_row, E->run_row, E->runs);
    else
        assert_null(C->run_row);
}

static void expect_pattern(lcl_context *ctx, const struct lcl_csr *B,
                           const struct lcl_subdomains *P, int64_t most,
                           int block)
{
    struct lcl_ref_coarse_pattern E;
    struct lcl_device_matrix D;
    assert_int_equal(lcl_ref_coarse_pattern_init(&E, B, P, most, NULL), LCL_OK);
    matrix_init(&D, ctx, B, block);
    struct lcl_coarse_pattern C;
    assert_int_equal(lcl_coarse_pattern_init(&C, ctx, &D, P, most), LCL_OK);
    expect_same(&C, &E, false);
    for (int again = 0; again < 2; ++again) {
        assert_int_equal(lcl_coarse_pattern_find_rows(&C, ctx), LCL_OK);
        expect_same(&C, &E, true);
    }
    assert_true(lcl_coarse_pattern_bytes(&C) > 0);
    lcl_coarse_pattern_finish(&C);
    assert_null(C.order);
    lcl_device_matrix_finish(&D);
    lcl_ref_coarse_pattern_finish(&E);
}

// Chunks of `rows` rows.
static struct lcl_subdomains chunks(int64_t n, int64_t rows)
{
    struct lcl_subdomains P = {.n = n, .parts = (n + rows - 1) / rows};
    P.part_ptr = calloc((size_t)P.parts + 1, sizeof *P.part_ptr);
    assert_non_null(P.part_ptr);
    for (int64_t p = 0; p <= P.parts; ++p)
        P.part_ptr[p] = p * rows < n ? p * rows : n;
    return P;
}

static void expect_chunks(lcl_context *ctx, const struct lcl_csr *B,
                          int64_t rows, int64_t most, int block)
{
    struct lcl_subdomains P = chunks(B->rows, rows);
    expect_pattern(ctx, B, &P, most, block);
    free(P.part_ptr);
}

// As many aggregates as subdomains, fewer, one; subdomains of one row.
static void expect_all(lcl_context *ctx, struct lcl_csr B, int64_t rows)
{
    expect_chunks(ctx, &B, rows, ALL, 1);
    expect_chunks(ctx, &B, rows, B.rows / rows / 3 + 1, 1);
    expect_chunks(ctx, &B, rows, 1, 1);
    if (B.rows <= 100) {
        expect_chunks(ctx, &B, 1, ALL, 1);
        expect_chunks(ctx, &B, 1, B.rows / 4 + 1, 1);
    }
    test_csr_finish(&B);
}

static void test_coarse_pattern__matches_on_every_system(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, true);
        expect_pattern(*state, &S.B, &S.P, ALL, 1);
        expect_pattern(*state, &S.B, &S.P, S.P.parts / 2 + 1, 1);
        test_system_finish(&S);
    }
}

static void test_coarse_pattern__matches_on_grids(void **state)
{
    const int64_t side = test_size(4, 16);
    expect_all(*state, test_laplacian(side, side, side), test_size(7, 61));
    expect_all(*state, test_laplacian(side, side, 1), test_size(3, 5));
}

// Most runs lead to other subdomains, and to many of them.
static void test_coarse_pattern__unsymmetric_patterns_match(void **state)
{
    const int64_t n = test_size(61, 2003);
    expect_all(*state, test_random_csr(n, 5, 3), test_size(7, 40));
    expect_all(*state, test_random_csr(n, 12, 4), test_size(20, 700));
    expect_all(*state, test_random_csr(n, 0.3, 5), 5);
}

static void test_coarse_pattern__long_rows_match(void **state)
{
    const int64_t n = test_size(75, 1500);
    expect_all(*state, test_dense_row(n, n / 3), 8);
    expect_all(*state, test_dense_row(n, 0), n);
}

static void test_coarse_pattern__blocks_match(void **state)
{
    struct lcl_csr B = test_random_csr(test_size(40, 400), 4, 8);
    for (int block = 2; block <= 8; block += 3) {
        expect_chunks(*state, &B, test_size(6, 30), ALL, block);
        expect_chunks(*state, &B, test_size(6, 30), 4, block);
    }
    test_csr_finish(&B);
}

static void test_coarse_pattern__rows_without_entries_match(void **state)
{
    const double holes[] = {
        0, 0, 0, 0, 0, 0, // empty
        1, 0, 0, 2, 0, 0, // no diagonal
        0, 3, 4, 0, 0, 1, //
        0, 0, 0, 0, 0, 0, // empty
        5, 0, 6, 0, 7, 0, //
        0, 0, 0, 0, 0, 0, // empty, at the end
    };
    const double nothing[] = {0, 0, 0, 0};
    expect_all(*state, test_csr_from_dense(6, holes), 2);
    expect_all(*state, test_csr_from_dense(6, holes), 3);
    expect_all(*state, test_csr_from_dense(2, nothing), 1);
    expect_all(*state, test_identity(19), 4);
    expect_all(*state, test_identity(1), 1);
}

// Aggregates of three consecutive subdomains; too many are not used.
static void test_coarse_pattern__takes_given_aggregates(void **state)
{
    struct lcl_csr B = test_random_csr(test_size(60, 900), 4, 3);
    struct lcl_subdomains P = chunks(B.rows, 7);
    P.aggregates = (P.parts + 2) / 3;
    P.aggregate = calloc((size_t)P.parts, sizeof *P.aggregate);
    assert_non_null(P.aggregate);
    for (int64_t p = 0; p < P.parts; ++p)
        P.aggregate[p] = (int32_t)(p / 3);
    expect_pattern(*state, &B, &P, P.aggregates, 1);
    expect_pattern(*state, &B, &P, P.aggregates - 1, 1);
    free(P.aggregate);
    free(P.part_ptr);
    test_csr_finish(&B);
}

// ------------------------------------------------------------------- errors

static void expect_refused(lcl_context *ctx, const struct lcl_device_matrix *D,
                           enum lcl_status expected)
{
    int64_t part_ptr[] = {0, 20, 50};
    const struct lcl_subdomains P = {.n = 50, .parts = 2, .part_ptr = part_ptr};
    struct lcl_coarse_pattern C;
    assert_int_equal(lcl_coarse_pattern_init(&C, ctx, D, &P, ALL), expected);
    assert_null(C.part_ptr);
    assert_null(C.run_ptr);
}

static void test_coarse_pattern__more_runs_than_entries_are_refused(
    void **state)
{
    struct lcl_csr B = test_random_csr(50, 4, 2);
    struct lcl_device_matrix D;
    matrix_init(&D, *state, &B, 1);
    D.blocks = 49;
    expect_refused(*state, &D, LCL_ESELFTEST);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&B);
}

static void test_coarse_pattern__wide_row_pointers_are_refused(void **state)
{
    struct lcl_csr B = test_random_csr(50, 4, 2);
    struct lcl_device_matrix D;
    matrix_init(&D, *state, &B, 1);
    lcl_buffer_destroy(&D.row_ptr);
    D.row_ptr = test_poisoned(*state, B.rows + 1, sizeof(uint64_t));
    D.wide = true;
    expect_refused(*state, &D, LCL_EUNSUPPORTED);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse_pattern__takes_given_aggregates),
        cmocka_unit_test(test_coarse_pattern__matches_on_every_system),
        cmocka_unit_test(test_coarse_pattern__matches_on_grids),
        cmocka_unit_test(test_coarse_pattern__unsymmetric_patterns_match),
        cmocka_unit_test(test_coarse_pattern__long_rows_match),
        cmocka_unit_test(test_coarse_pattern__blocks_match),
        cmocka_unit_test(test_coarse_pattern__rows_without_entries_match),
        cmocka_unit_test(
            test_coarse_pattern__more_runs_than_entries_are_refused),
        cmocka_unit_test(test_coarse_pattern__wide_row_pointers_are_refused),
    };
    return test_device_run(tests);
}
