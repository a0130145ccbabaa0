// SPDX-License-Identifier: BSD-3-Clause
// symbolic.cl, the symbolic phase on the device, compared with the references.
#include "tests/support/device.h"
#include "tests/support/schedules.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "host/context.h"
#include "lib/factor/symbolic.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/ref/drop.h"
#include "lib/ref/levels.h"
#include "lib/ref/schedule.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 3, VALUES = BLOCK * BLOCK };

// -------------------------------------------------------------------- expected

// The results of the references for a matrix.
struct expected {
    struct lcl_subdomains P;
    struct lcl_csr B;
    int64_t *map;
    int32_t *level;
    int64_t levels, levels_max; // of all subdomains, and the maximum of one
    struct lcl_host_schedule schedule;
};

static void reorder(struct expected *E, const struct lcl_csr *A)
{
    lcl_csr_finish(&E->B);
    lcl_free(E->map);
    assert_int_equal(lcl_csr_reorder(&E->B, &E->map, A, E->P.row, NULL),
                     LCL_OK);
}

// Orders the rows by the smaller of their levels from both ends.
static void fold(struct expected *E, const struct lcl_csr *A)
{
    int32_t *back = calloc((size_t)A->rows, sizeof *back);
    assert_non_null(back);
    for (int64_t p = 0; p < E->P.parts; ++p) {
        const int64_t first = E->P.part_ptr[p], last = E->P.part_ptr[p + 1];
        lcl_ref_levels(&E->B, first, last, E->level + first);
        lcl_ref_levels_from_the_end(&E->B, first, last, back + first);
    }
    for (int64_t i = 0; i < A->rows; ++i)
        if (back[i] < E->level[i])
            E->level[i] = back[i];
    assert_int_equal(lcl_ref_order(&E->P, E->level, &E->B, false), LCL_OK);
    reorder(E, A);
    free(back);
}

static void expected_init(struct expected *E, const struct lcl_csr *A,
                          const struct lcl_partition_params *partition,
                          const struct lcl_symbolic_params *params)
{
    *E = (struct expected){.level = calloc((size_t)A->rows, sizeof *E->level)};
    assert_non_null(E->level);
    assert_int_equal(lcl_partition_create(&E->P, A, partition, A->rows, NULL),
                     LCL_OK);
    reorder(E, A);
    if (params->folded)
        fold(E, A);
    for (int64_t p = 0; p < E->P.parts; ++p) {
        const int64_t first = E->P.part_ptr[p];
        const int32_t levels = lcl_ref_levels(
            &E->B, first, E->P.part_ptr[p + 1], E->level + first);
        E->levels += levels;
        E->levels_max = levels > E->levels_max ? levels : E->levels_max;
    }
    assert_int_equal(lcl_ref_order(&E->P, E->level, &E->B, true), LCL_OK);
    reorder(E, A);
    assert_int_equal(lcl_ref_schedule(&E->schedule, &E->B, E->P.part_ptr,
                                      E->P.parts, E->level, params->group,
                                      params->lanes),
                     LCL_OK);
}

static void expected_finish(struct expected *E)
{
    lcl_host_schedule_finish(&E->schedule);
    free(E->level);
    lcl_free(E->map);
    lcl_csr_finish(&E->B);
    lcl_subdomains_finish(&E->P);
}

// ------------------------------------------------------------------ comparison

static void expect_wide(const char *what, const lcl_buffer *buffer,
                        const int64_t *expected, int64_t count)
{
    int32_t *narrow = malloc((size_t)count * sizeof *narrow + 1);
    assert_non_null(narrow);
    for (int64_t i = 0; i < count; ++i)
        narrow[i] = (int32_t)expected[i];
    test_expect_words(what, buffer, narrow, count);
    free(narrow);
}

static void expect_drop(const struct lcl_drop_info *got,
                        const struct lcl_drop_info *expected)
{
    assert_int_equal(got->kept, expected->kept);
    assert_int_equal(got->missing_diagonals, expected->missing_diagonals);
    test_expect_near("dropped share", &got->share, &expected->share, 1, 1e-14);
    test_expect_near("weight", &got->weight, &expected->weight, 1, 1e-12);
    assert_int_equal(got->mixed, expected->mixed);
    test_expect_near("opposite share", &got->opposite, &expected->opposite, 1,
                     1e-12);
}

// On the device A has `blocks`, or entries if that is NULL.
static void expect_symbolic(lcl_context *ctx, const struct lcl_csr *A,
                            double *blocks,
                            const struct lcl_partition_params *partition,
                            const struct lcl_symbolic_params *params)
{
    struct lcl_subdomains P;
    struct lcl_device_matrix D;
    struct lcl_symbolic S;
    struct expected E;
    expected_init(&E, A, partition, params);
    assert_int_equal(lcl_partition_create(&P, A, partition, A->rows, NULL),
                     LCL_OK);
    struct lcl_bsr bsr = lcl_bsr_of_csr(A);
    if (blocks) {
        bsr.block_size = BLOCK;
        bsr.val = blocks;
    }
    assert_int_equal(lcl_device_matrix_init(&D, ctx, &bsr), LCL_OK);
    const struct lcl_pattern pattern = lcl_pattern_of(&D);
    assert_int_equal(lcl_symbolic_init(&S, ctx, &pattern, &P, D.val, params),
                     LCL_OK);
    const struct lcl_drop_info drop = lcl_ref_drop(&E.P, &E.B);
    test_expect_words("perm", S.B.perm, E.P.row, A->rows);
    test_expect_words("level", S.level, E.level, A->rows);
    expect_wide("row_ptr", S.B.row_ptr, E.B.row_ptr, A->rows + 1);
    test_expect_words("col", S.B.col, E.B.col_ind, A->nnz);
    expect_wide("map", S.B.map, E.map, A->nnz);
    test_expect_schedule(ctx, &S.schedule, &E.schedule);
    expect_drop(&S.drop, &drop);
    assert_int_equal(S.levels_max, E.levels_max);
    assert_true(fabs(S.levels_mean * (double)P.parts - (double)E.levels) <
                1e-6);
    lcl_symbolic_finish(&S);
    lcl_device_matrix_finish(&D);
    lcl_subdomains_finish(&P);
    expected_finish(&E);
}

// Steps of one and of two waves, with one row per lane and with lanes that
// share rows; folded.
static void expect_all(lcl_context *ctx, const struct lcl_csr *A,
                       const struct lcl_partition_params *partition)
{
    for (int waves = 1; waves <= 2; ++waves) {
        const struct lcl_symbolic_params params = {
            .group = test_group(ctx, waves),
            .lanes = waves == 1 ? 1 : test_width(ctx)};
        expect_symbolic(ctx, A, NULL, partition, &params);
    }
    const struct lcl_symbolic_params folded = {
        .group = test_group(ctx, 1), .lanes = test_width(ctx), .folded = true};
    expect_symbolic(ctx, A, NULL, partition, &folded);
}

// ----------------------------------------------------------------------- cases

static void test_symbolic__chunks_match_the_references(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        const struct lcl_partition_params chunks = {
            .type = LCL_PARTITION_NATURAL,
            .rows = S.P.part_ptr[1],
        };
        expect_all(*state, &S.A, &chunks);
        test_system_finish(&S);
    }
}

// Rows that do not fit in local memory have their arrays in global memory.
static void test_symbolic__large_subdomains_match_the_references(void **state)
{
    lcl_context *ctx = *state;
    const uint64_t all = ctx->caps.local_bytes;
    const struct lcl_partition_params chunks = {
        .type = LCL_PARTITION_NATURAL,
        .rows = 1024,
    };
    if (ctx->caps.width == 1)
        skip();
    struct lcl_csr A = test_random_csr(1500, 4, 11);
    ctx->caps.local_bytes = 8 * (uint64_t)chunks.rows;
    const struct lcl_symbolic_params params = {
        .group = test_group(ctx, 1), .lanes = test_width(ctx), .folded = true};
    expect_symbolic(ctx, &A, NULL, &chunks, &params);
    ctx->caps.local_bytes = all;
    test_csr_finish(&A);
}

// Subdomains of rows from everywhere.
static void expect_scattered(lcl_context *ctx, struct lcl_csr A, int64_t parts)
{
    uint64_t seed = 9;
    int32_t *label = calloc((size_t)A.rows, sizeof *label);
    assert_non_null(label);
    for (int64_t i = 0; i < A.rows; ++i)
        label[i] = (int32_t)(test_random(&seed) * (double)parts);
    const struct lcl_partition_params scattered = {
        .type = LCL_PARTITION_LABELS,
        .labels = label,
        .labels_count = A.rows,
    };
    expect_all(ctx, &A, &scattered);
    free(label);
    test_csr_finish(&A);
}

static void test_symbolic__scattered_parts_match_the_references(void **state)
{
    const int64_t n = test_size(61, 2003);
    expect_scattered(*state, test_random_csr(n, 5, 3), 4);
    expect_scattered(*state, test_random_csr(n, 5, 4), 1);
    expect_scattered(*state, test_laplacian(5, 4, 3), 3);
    expect_scattered(*state, test_identity(n), 5);
}

static void test_symbolic__one_row_subdomains_match(void **state)
{
    const struct lcl_partition_params single = {
        .type = LCL_PARTITION_NATURAL,
        .rows = 1,
    };
    struct lcl_csr A = test_random_csr(19, 3, 6);
    expect_all(*state, &A, &single);
    test_csr_finish(&A);
}

// Rows longer than one work-item sorts, of many lengths.
static void test_symbolic__long_rows_match(void **state)
{
    const int64_t n = test_size(75, 1500);
    expect_scattered(*state, test_random_csr(n, 33, 5), 3);
    expect_scattered(*state, test_random_csr(n, 70, 6), 2);
    expect_scattered(*state, test_dense_row(n, n / 3), 2);
    expect_scattered(*state, test_dense_row(test_size(64, 70001), 7), 300);
}

// Many row lengths and step widths, so that lanes share rows in many ways.
static void test_symbolic__shared_rows_match(void **state)
{
    const struct lcl_partition_params chunks = {
        .type = LCL_PARTITION_NATURAL,
        .rows = test_size(40, 130),
    };
    struct lcl_csr A = test_long_rows(test_size(3, 9), chunks.rows, 3);
    expect_all(*state, &A, &chunks);
    test_csr_finish(&A);
}

static void test_symbolic__empty_rows_and_missing_diagonals_match(void **state)
{
    const double holes[] = {
        0, 0, 0, 0, 0, 0, // empty
        1, 0, 0, 2, 0, 0, // no diagonal
        0, 3, 4, 0, 0, 1, //
        0, 0, 0, 0, 0, 0, // empty
        5, 0, 6, 0, 7, 0, //
        0, 0, 0, 0, 8, 0,
    };
    const double nothing[] = {0, 0, 0, 0};
    expect_scattered(*state, test_csr_from_dense(6, holes), 1);
    expect_scattered(*state, test_csr_from_dense(6, holes), 2);
    expect_scattered(*state, test_csr_from_dense(2, nothing), 1);
}

// One triangle only, in either direction.
static void test_symbolic__triangular_patterns_match(void **state)
{
    const double upper[] = {1, 0, 2, 0, 0, 1, 0, 3, 0, 0, 1, 4, 0, 0, 0, 1};
    const double lower[] = {1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 0, 3, 4, 1};
    expect_scattered(*state, test_csr_from_dense(4, upper), 1);
    expect_scattered(*state, test_csr_from_dense(4, lower), 1);
}

static void test_symbolic__blocks_weigh_what_their_norms_are(void **state)
{
    const struct lcl_partition_params chunks = {
        .type = LCL_PARTITION_NATURAL,
        .rows = test_size(20, 128),
    };
    const struct lcl_symbolic_params params = {.block = BLOCK,
                                               .group = test_group(*state, 1)};
    struct lcl_csr A = test_random_csr(test_size(53, 1009), 4, 8);
    double *blocks = test_random_vector(A.nnz * VALUES, 4);
    for (int64_t k = 0; k < A.nnz; ++k) {
        const double *b = blocks + k * VALUES;
        double sum = 0, trace = 0;
        for (int e = 0; e < VALUES; ++e)
            sum += b[e] * b[e];
        for (int c = 0; c < BLOCK; ++c)
            trace += b[c * (BLOCK + 1)];
        A.val[k] = copysign(sqrt(sum), trace);
    }
    expect_symbolic(*state, &A, blocks, &chunks, &params);
    free(blocks);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- errors

static void test_symbolic__too_many_rows_in_a_subdomain_are_refused(
    void **state)
{
    const struct lcl_partition_params whole = {.type = LCL_PARTITION_NATURAL};
    const struct lcl_symbolic_params params = {.group = test_group(*state, 1)};
    struct lcl_csr A = test_identity(65536);
    struct lcl_subdomains P;
    struct lcl_device_matrix D;
    struct lcl_symbolic S;
    assert_int_equal(lcl_partition_create(&P, &A, &whole, A.rows, NULL),
                     LCL_OK);
    const struct lcl_bsr bsr = lcl_bsr_of_csr(&A);
    assert_int_equal(lcl_device_matrix_init(&D, *state, &bsr), LCL_OK);
    const struct lcl_pattern pattern = lcl_pattern_of(&D);
    assert_int_equal(
        lcl_symbolic_init(&S, *state, &pattern, &P, D.val, &params),
        LCL_ERANGE);
    assert_null(S.level);
    lcl_device_matrix_finish(&D);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_symbolic__wide_row_pointers_are_refused(void **state)
{
    const struct lcl_symbolic_params params = {.group = test_group(*state, 1)};
    struct lcl_symbolic S;
    int64_t part_ptr[] = {0, 3};
    const struct lcl_subdomains P = {.n = 3, .parts = 1, .part_ptr = part_ptr};
    const struct lcl_pattern pattern = {.rows = 3, .nnz = LCL_NARROW_MOST + 1};
    assert_int_equal(lcl_symbolic_init(&S, *state, &pattern, &P, NULL, &params),
                     LCL_EUNSUPPORTED);
    assert_null(S.level);
}

// A device that writes 0xff or 0x7f to all of one array.
static void expect_refused(lcl_context *ctx, const struct lcl_schedule *D,
                           lcl_buffer *spoiled)
{
    struct lcl_host_schedule L;
    for (int byte = 0x7f; byte <= 0xff; byte += 0x80) {
        assert_int_equal(lcl_buffer_fill(spoiled, (unsigned char)byte), LCL_OK);
        const enum lcl_status st = lcl_schedule_download(&L, ctx, D);
        // all ones are LCL_PADDING
        if (byte == 0xff && (spoiled == D->source || spoiled == D->diagonal))
            lcl_host_schedule_finish(&L);
        else
            assert_int_equal(st, LCL_ESELFTEST);
        assert_null(L.part);
    }
}

static void test_symbolic__a_schedule_that_cannot_be_is_refused(void **state)
{
    struct test_system T;
    struct lcl_device_matrix A;
    struct lcl_symbolic S;
    const struct lcl_symbolic_params params = {.group = test_group(*state, 1)};
    for (int i = 0; i < 5; ++i) {
        test_system_from(&T, test_random_csr(50, 4, 2), 17, false);
        const struct lcl_bsr bsr = lcl_bsr_of_csr(&T.A);
        assert_int_equal(lcl_device_matrix_init(&A, *state, &bsr), LCL_OK);
        const struct lcl_pattern pattern = lcl_pattern_of(&A);
        assert_int_equal(
            lcl_symbolic_init(&S, *state, &pattern, &T.P, A.val, &params),
            LCL_OK);
        lcl_buffer *const spoiled[] = {S.schedule.step, S.schedule.step_of,
                                       S.schedule.col, S.schedule.source,
                                       S.schedule.diagonal};
        expect_refused(*state, &S.schedule, spoiled[i]);
        lcl_symbolic_finish(&S);
        lcl_device_matrix_finish(&A);
        test_system_finish(&T);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbolic__chunks_match_the_references),
        cmocka_unit_test(test_symbolic__large_subdomains_match_the_references),
        cmocka_unit_test(test_symbolic__scattered_parts_match_the_references),
        cmocka_unit_test(test_symbolic__one_row_subdomains_match),
        cmocka_unit_test(test_symbolic__long_rows_match),
        cmocka_unit_test(test_symbolic__shared_rows_match),
        cmocka_unit_test(test_symbolic__empty_rows_and_missing_diagonals_match),
        cmocka_unit_test(test_symbolic__triangular_patterns_match),
        cmocka_unit_test(test_symbolic__blocks_weigh_what_their_norms_are),
        cmocka_unit_test(
            test_symbolic__too_many_rows_in_a_subdomain_are_refused),
        cmocka_unit_test(test_symbolic__wide_row_pointers_are_refused),
        cmocka_unit_test(test_symbolic__a_schedule_that_cannot_be_is_refused),
    };
    return test_device_run(tests);
}
