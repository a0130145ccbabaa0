// SPDX-License-Identifier: BSD-3-Clause
// The tile table of the adaptive product: every row once, few bins, long rows
// split into parts.
#include "lib/spmv/tiles.h"
#include "tests/support/test.h"

#include <stdlib.h>

enum { CHUNKS = 5, ROWS = 4000 };

static int class_of(int32_t length)
{
    int c = 0;
    while (c < LCL_ROW_CLASSES - 1 && length > INT32_C(1) << c)
        ++c;
    return c;
}

static void count(struct lcl_row_classes *C, const int32_t *length)
{
    *C = (struct lcl_row_classes){
        .chunks = CHUNKS,
        .count = calloc(LCL_ROW_CLASSES * CHUNKS, sizeof *C->count)};
    assert_non_null(C->count);
    for (int64_t i = 0; i < ROWS; ++i) {
        const int c = class_of(length[i]);
        ++C->count[c * CHUNKS + i * CHUNKS / ROWS];
        ++C->rows[c];
    }
}

// The lists that the device computes.
static void make_lists(struct lcl_row_bins *B, const struct lcl_tiles *T,
                       const int32_t *length, int32_t list[ROWS])
{
    int64_t at = 0;
    *B = (struct lcl_row_bins){
        .count = LCL_TILE_BINS,
        .chunks = CHUNKS,
        .place = calloc(LCL_TILE_BINS * CHUNKS, sizeof *B->place)};
    assert_non_null(B->place);
    for (int b = 0; b < LCL_TILE_BINS; ++b) {
        int64_t i = 0;
        B->first[b] = at;
        for (int g = 0; g < CHUNKS; ++g) {
            B->place[b * CHUNKS + g] = (uint32_t)at;
            for (; i * CHUNKS / ROWS == g && i < ROWS; ++i)
                if (T->bin_of[class_of(length[i])] == b)
                    list[at++] = (int32_t)i;
        }
        B->rows[b] = at - B->first[b];
    }
}

struct seen {
    int times[ROWS]; // number of occurrences of a row
    int bins;
};

static void see_tile(struct seen *S, const struct lcl_tiles *T,
                     const struct lcl_tile *t, const int32_t *length,
                     const int32_t *list)
{
    if (t->kind >= LCL_TILE_WHOLE) {
        assert_true(length[t->row] > T->longest);
        assert_int_equal(t->kind == LCL_TILE_WHOLE, length[t->row] <= 4096);
        ++S->times[t->row];
        return;
    }
    S->bins |= 1 << t->kind;
    for (int32_t k = t->first; k < t->first + t->count; ++k) {
        const int32_t row = T->as_they_are ? k : list[k];
        S->times[row] += length[row] <= T->longest;
    }
}

// Checks that the parts of each row cover its entries in order.
static void expect_parts(const struct lcl_tiles *T, const int32_t *length)
{
    int32_t end = 0;
    for (int p = 0; p < T->parts_count; ++p) {
        const struct lcl_row_part *part = &T->parts[p];
        assert_int_equal(part->slot, p);
        assert_int_equal(part->from, end);
        assert_in_range(part->to - part->from, 1, 4096);
        end = part->to < length[part->row] ? part->to : 0;
    }
    assert_int_equal(end, 0);
}

static int bits(int set)
{
    int n = 0;
    for (; set; set &= set - 1)
        ++n;
    return n;
}

// Returns the number of different lane counts; -1 if lists are not used.
static int expect_each_row_once(const int32_t *length, int width, int group)
{
    static struct seen S;
    static int32_t list[ROWS], lengths[ROWS];
    struct lcl_row_classes C;
    struct lcl_row_bins B;
    struct lcl_tiles T;
    S = (struct seen){.bins = 0};
    count(&C, length);
    lcl_tiles_choose(&T, &C, width, group);
    make_lists(&B, &T, length, list);
    for (int64_t k = 0; k < B.rows[0]; ++k)
        lengths[k] = length[list[k]];
    assert_int_equal(lcl_tiles_fill(&T, &B, ROWS, list, lengths, NULL), LCL_OK);
    for (int t = 0; t < T.count; ++t)
        see_tile(&S, &T, &T.table[t], length, list);
    for (int i = 0; i < ROWS; ++i)
        if (S.times[i] != 1)
            fail_msg("row %d of %d entries is met %d times", i, length[i],
                     S.times[i]);
    expect_parts(&T, length);
    const int bins = T.as_they_are ? -1 : bits(S.bins);
    lcl_tiles_finish(&T);
    free(B.place);
    free(C.count);
    return bins;
}

static int32_t lengths[ROWS];

static void test_tiles__all_lengths_make_six_bins(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; ++i)
        lengths[i] = (1 << i % 10) - i % 2;
    assert_int_equal(expect_each_row_once(lengths, 32, 192), 6);
    assert_int_equal(expect_each_row_once(lengths, 64, 256), 6);
    assert_int_equal(expect_each_row_once(lengths, 4, 8), 3);
    assert_int_equal(expect_each_row_once(lengths, 1, 1), -1);
}

static void test_tiles__equal_rows_need_no_lists(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; ++i)
        lengths[i] = i % 100 == 0 ? 4 : 7;
    assert_int_equal(expect_each_row_once(lengths, 32, 192), -1);
    for (int i = 0; i < ROWS; ++i)
        lengths[i] = i == 5 ? 100000 : i % 100 == 0 ? 9 : 7;
    assert_int_equal(expect_each_row_once(lengths, 32, 192), -1);
    assert_int_equal(expect_each_row_once(lengths, 1, 1), -1);
}

static void test_tiles__a_few_wide_rows_keep_their_lanes(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; ++i)
        lengths[i] = i == 5 ? 500 : 3;
    assert_int_equal(expect_each_row_once(lengths, 32, 192), 2);
}

static void test_tiles__long_rows_among_others(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; ++i)
        lengths[i] = i % 7 == 0 ? 4095 + i % 3 : i % 5 == 0 ? 30 : i % 3;
    lengths[ROWS - 1] = INT32_MAX;
    assert_int_equal(expect_each_row_once(lengths, 32, 192), 2);
    assert_int_equal(expect_each_row_once(lengths, 1, 1), -1);
}

static void test_tiles__empty_rows_are_met(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; ++i)
        lengths[i] = 0;
    assert_int_equal(expect_each_row_once(lengths, 32, 192), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles__all_lengths_make_six_bins),
        cmocka_unit_test(test_tiles__equal_rows_need_no_lists),
        cmocka_unit_test(test_tiles__a_few_wide_rows_keep_their_lanes),
        cmocka_unit_test(test_tiles__long_rows_among_others),
        cmocka_unit_test(test_tiles__empty_rows_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
