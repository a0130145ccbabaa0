// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of sizes at and beyond 2^29, 2^31 and 2^33 entries, without
// allocating the arrays.
#include "host/buffer.h"
#include "host/launch.h"
#include "host/parallel.h"
#include "lib/factor/symbolic_phase.h"
#include "lib/io/problems/grid.h"
#include "lib/krylov/arnoldi.h"
#include "lib/matrix/bsr.h"
#include "lib/partition/graph.h"
#include "lib/spmv/slices.h"
#include "lib/storage/matrix.h"
#include "tests/support/test.h"

#include <stdlib.h>

#define TWO(exponent) (INT64_C(1) << (exponent))

static const int64_t entries[] = {TWO(29), TWO(31), TWO(33)};
enum { COUNTS = sizeof entries / sizeof *entries };

// ------------------------------------------------------------------ buffers

// 34.9 GiB, the largest buffer of an H200.
static void test_sizes__buffers_hold_what_their_bytes_admit(void **state)
{
    const uint64_t limit = UINT64_C(37440454656);
    (void)state;
    for (int i = 0; i < COUNTS; ++i) {
        assert_true(lcl_buffer_fits(entries[i], 4, limit));
        assert_int_equal(lcl_buffer_fits(entries[i], 8, limit), i < 2);
    }
    assert_true(lcl_buffer_fits((int64_t)(limit / 8), 8, limit));
    assert_false(lcl_buffer_fits((int64_t)(limit / 8) + 1, 8, limit));
    assert_false(lcl_buffer_fits(INT64_MAX, 8, UINT64_MAX));
    assert_false(lcl_buffer_fits(-1, 1, UINT64_MAX));
}

// --------------------------------------------------------------- row pointers

static void test_sizes__row_pointers_are_wide_before_two_to_the_32(void **state)
{
    static const struct {
        int64_t entries;
        bool wide;
    } cases[] = {
        {TWO(29) - 1, false}, {TWO(29), false},        {TWO(31) - 1, false},
        {TWO(31), false},     {TWO(32) - 1025, false}, {TWO(32) - 1024, true},
        {TWO(32), true},      {TWO(33), true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int b = 1; b <= LCL_BLOCK_MAX; ++b) {
            const struct lcl_bsr A = {.rows = TWO(27),
                                      .cols = TWO(26),
                                      .nnz = cases[i].entries,
                                      .block_size = b};
            const struct lcl_device_matrix D = lcl_device_matrix_shape(&A);
            assert_int_equal(D.wide, cases[i].wide);
            assert_true(D.blocks == cases[i].entries && D.block == b);
            assert_true(D.n == b * TWO(27) && D.block_rows == TWO(27) &&
                        D.block_cols == TWO(26));
        }
}

// --------------------------------------------------------------------- slices

// lap3d:512 on waves of 32: 7 slots per slice.
static void test_sizes__slots_of_millions_of_slices_add_up(void **state)
{
    enum { SLICES = 1 << 22, ROWS = 32 };
    struct lcl_slots *start = calloc(SLICES + 1, sizeof *start);
    (void)state;
    assert_non_null(start);
    for (int s = 0; s < SLICES; ++s)
        start[s] = (struct lcl_slots){5, 2};
    const struct lcl_slot_sums sums =
        lcl_sum_slots(start, SLICES, ROWS, TWO(27));
    assert_true(sums.near == 5 * TWO(22) && sums.far == 2 * TWO(22));
    assert_true(sums.of_rows == 7 * (uint64_t)TWO(27));
    assert_int_equal(sums.longest, 7);
    assert_true(lcl_slots_fit(&sums, ROWS));
    for (int s = 0; s <= SLICES; ++s)
        assert_true(start[s].near == 5u * (unsigned)s &&
                    start[s].far == 2u * (unsigned)s);
    free(start);
}

static void test_sizes__slots_beyond_32_bits_do_not_fit(void **state)
{
    // each slice has a row of 2^30 entries
    struct lcl_slots start[5];
    (void)state;
    for (int slices = 1; slices <= 4; ++slices) {
        for (int s = 0; s < slices; ++s)
            start[s] = (struct lcl_slots){1u << 29, 1u << 29};
        const struct lcl_slot_sums sums =
            lcl_sum_slots(start, slices, 8, 8 * slices);
        assert_true(sums.near + sums.far == slices * TWO(30));
        assert_true(sums.of_rows == (uint64_t)slices * TWO(33));
        assert_int_equal(lcl_slots_fit(&sums, 1), slices < 4);
        assert_int_equal(lcl_slots_fit(&sums, 3), slices < 4);
        assert_false(lcl_slots_fit(&sums, 4)); // for the values of one slice
    }
}

// -------------------------------------------------------------------- factors

// Subdomains of 512 rows, as for lap3d in boxes of 8 x 8 x 8 cells.
static void test_sizes__slots_of_factors_are_counted_in_64_bits(void **state)
{
    const struct lcl_extent E = {
        .slots = 3581, .stages = 90, .unshared = 90, .planes = 3};
    const int64_t each = 3584;
    struct lcl_symbolic S = {.levels_max = 0};
    struct lcl_symbolic_phase a = {.S = &S, .stage_limit = 3};
    int64_t p = 0;
    (void)state;
    for (int i = 0; i < COUNTS; ++i)
        for (; p * each <= entries[i]; ++p) {
            struct lcl_part part = {.row = 0};
            assert_int_equal(lcl_symbolic_place_slots(&a, &part, &E), LCL_OK);
            assert_true(part.slot == (uint64_t)(p * each));
            assert_true(part.slots == 3581);
            assert_true(part.stage == (uint32_t)(90 * p));
            assert_true(S.schedule.slots == (p + 1) * each);
            assert_true(S.schedule.stages == (p + 1) * 90);
        }
    assert_true(S.schedule.slots > TWO(33));
    assert_int_equal(S.schedule.planes_max, 3);
}

static void test_sizes__short_rows_are_short_at_any_size(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTS; ++i) {
        assert_int_equal(lcl_stage_limit(6 * entries[i], entries[i]), 3);
        assert_int_equal(lcl_stage_limit(6 * entries[i] + 1, entries[i]), 7);
        assert_true(lcl_sharing_pays(7 * entries[i], 8 * entries[i]));
        assert_false(lcl_sharing_pays(7 * entries[i] + 1, 8 * entries[i]));
    }
}

// ------------------------------------------------------------------- launches

static void test_sizes__launches_have_31_bits_of_work_items(void **state)
{
    static const int groups[] = {1, 32, 128, 256, 1000};
    (void)state;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
        const int64_t most = lcl_launch_most(groups[g]);
        assert_true(most * groups[g] <= INT32_MAX);
        assert_true((most + 1) * groups[g] > INT32_MAX);
        for (int i = 0; i < COUNTS; ++i) {
            const int64_t n = entries[i];
            const int64_t got = lcl_launch_groups(n, 8, groups[g]);
            assert_true(got == (n / 8 < most ? n / 8 : most));
        }
    }
    assert_true(
        lcl_launch_groups(INT32_MAX, 128, 128) ==
        lcl_launch_most(128)); // 2^24 - 1 groups, so one more is too many
}

static void test_sizes__chunks_cover_billions(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTS; ++i)
        for (int64_t count = entries[i] - 1; count <= entries[i] + 1; ++count) {
            const int64_t chunks = lcl_chunks(count);
            assert_true(chunks == LCL_CHUNKS_MAX);
            assert_true(lcl_chunk_start(count, chunks, 0) == 0);
            assert_true(lcl_chunk_start(count, chunks, chunks) == count);
            for (int64_t c = 0; c < chunks; ++c) {
                const int64_t own = lcl_chunk_start(count, chunks, c + 1) -
                                    lcl_chunk_start(count, chunks, c);
                assert_true(own == count / chunks || own == count / chunks + 1);
            }
        }
}

// ---------------------------------------------------------------------- others

static void test_sizes__bases_take_what_their_columns_take(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTS; ++i) {
        const uint64_t n = (uint64_t)entries[i];
        assert_true(lcl_arnoldi_bytes(entries[i], 100, LCL_BASIS_FP64, false) ==
                    800 * n);
        assert_true(lcl_arnoldi_bytes(entries[i], 100, LCL_BASIS_FP32, true) ==
                    800 * n);
    }
}

// N^3 cells have 7 N^3 - 6 N^2 neighbours, including themselves.
static void test_sizes__grids_of_billions_of_entries_are_counted(void **state)
{
    static const struct {
        int64_t n, rows;
    } cases[] = {{424, 76225024},    {440, 85184000},    {512, 134217728},
                 {1000, 1000000000}, {1290, 2146689000}, {1291, -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int64_t n = cases[i].n;
        const struct lcl_grid grid = {{n, n, n}, 1};
        assert_true(lcl_grid_rows(&grid) == cases[i].rows);
        assert_true(lcl_grid_blocks(&grid, &lcl_seven_point) ==
                    7 * n * n * n - 6 * n * n);
    }
    const struct lcl_grid blocks = {{512, 512, 512}, 8};
    assert_true(lcl_grid_rows(&blocks) == TWO(30));
    const struct lcl_grid line = {{TWO(31) - 1, 1, 1}, 1};
    assert_true(lcl_grid_rows(&line) == TWO(31) - 1);
    assert_true(lcl_grid_blocks(&line, &lcl_seven_point) ==
                3 * (TWO(31) - 1) - 2);
}

// METIS accepts graphs whose number of edges fits its index type.
static void test_sizes__windows_of_a_graph_stay_below_their_edges(void **state)
{
    enum { ROWS = 16 };
    int64_t row_ptr[ROWS + 1];
    (void)state;
    for (int i = 0; i < COUNTS; ++i) {
        for (int64_t r = 0; r <= ROWS; ++r)
            row_ptr[r] = r * (entries[i] / ROWS);
        const struct lcl_csr A = {
            .rows = ROWS, .cols = ROWS, .nnz = entries[i], .row_ptr = row_ptr};
        const int64_t edges = TWO(31) - 1, each = entries[i] / ROWS;
        const int64_t fit = edges / 2 / each;
        assert_true(lcl_graph_window(&A, 0, edges) ==
                    (fit < ROWS ? fit : ROWS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes__buffers_hold_what_their_bytes_admit),
        cmocka_unit_test(
            test_sizes__row_pointers_are_wide_before_two_to_the_32),
        cmocka_unit_test(test_sizes__slots_of_millions_of_slices_add_up),
        cmocka_unit_test(test_sizes__slots_beyond_32_bits_do_not_fit),
        cmocka_unit_test(test_sizes__slots_of_factors_are_counted_in_64_bits),
        cmocka_unit_test(test_sizes__short_rows_are_short_at_any_size),
        cmocka_unit_test(test_sizes__launches_have_31_bits_of_work_items),
        cmocka_unit_test(test_sizes__chunks_cover_billions),
        cmocka_unit_test(test_sizes__bases_take_what_their_columns_take),
        cmocka_unit_test(test_sizes__grids_of_billions_of_entries_are_counted),
        cmocka_unit_test(test_sizes__windows_of_a_graph_stay_below_their_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
