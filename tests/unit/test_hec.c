// SPDX-License-Identifier: BSD-3-Clause
// How HEC divides rows between its parts.
#include "lib/spmv/hec.h"
#include "tests/support/capture.h"
#include "tests/support/test.h"

// Row pointers of ROWS rows with 4, 0, 1, 2, 2 and 9 entries.
enum { ROWS = 6 };
static const int64_t row_ptr[] = {0, 4, 4, 5, 7, 9, 18};

static void expect_split(int kept, int64_t width, int64_t expected,
                         const int64_t rest[ROWS])
{
    struct lcl_hec_split H;
    assert_int_equal(lcl_hec_split_init(&H, row_ptr, ROWS, kept, width, NULL),
                     LCL_OK);
    assert_int_equal(H.width, expected);
    assert_int_equal(H.csr_ptr[0], 0);
    for (int i = 0; i < ROWS; ++i)
        assert_int_equal(H.csr_ptr[i + 1] - H.csr_ptr[i], rest[i]);
    lcl_hec_split_finish(&H);
}

// Two of six rows have 4 entries, none but the last has 5.
static void test_hec__a_third_of_the_rows_fills_the_last_column(void **state)
{
    (void)state;
    expect_split(0, 0, 4, (const int64_t[]){0, 0, 0, 0, 0, 5});
    expect_split(1, 0, 3, (const int64_t[]){1, 0, 1, 1, 1, 6});
}

static void test_hec__rows_keep_their_last_entries(void **state)
{
    (void)state;
    expect_split(0, 1, 1, (const int64_t[]){3, 0, 0, 1, 1, 8});
    expect_split(1, 1, 1, (const int64_t[]){3, 0, 1, 1, 1, 8});
    expect_split(1, 8, 8, (const int64_t[]){1, 0, 1, 1, 1, 1});
    expect_split(9, 0, 0, (const int64_t[]){4, 0, 1, 2, 2, 9});
}

static void test_hec__matrices_without_entries_have_no_ell_part(void **state)
{
    static const int64_t none[] = {0, 0, 0};
    struct lcl_hec_split H;
    (void)state;
    for (int64_t rows = 0; rows < 3; ++rows) {
        assert_int_equal(lcl_hec_split_init(&H, none, rows, 0, 0, NULL),
                         LCL_OK);
        assert_int_equal(H.width, 0);
        assert_int_equal(H.csr_ptr[rows], 0);
        lcl_hec_split_finish(&H);
    }
}

// A third of the rows would fill more columns than a width that is chosen has.
static void test_hec__the_chosen_width_is_limited(void **state)
{
    static const int64_t two_long[] = {0, 3000, 6000, 6001};
    struct lcl_hec_split H;
    (void)state;
    assert_int_equal(lcl_hec_split_init(&H, two_long, 3, 0, 0, NULL), LCL_OK);
    assert_int_equal(H.width, 1024);
    assert_int_equal(H.csr_ptr[3], 2 * (3000 - 1024));
    lcl_hec_split_finish(&H);
}

static void expect_refused(int kept, int64_t width, const char *part)
{
    struct lcl_hec_split H;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(
        lcl_hec_split_init(&H, row_ptr, ROWS, kept, width, &capture.log),
        LCL_EINVAL);
    assert_int_equal(capture.messages, 1);
    test_capture_expect(&capture, part);
    lcl_hec_split_finish(&H);
}

static void test_hec__impossible_widths_are_refused(void **state)
{
    (void)state;
    expect_refused(0, -1,
                   "an ELL part of -1 columns: the longest row of the "
                   "matrix has entries for 0 to 9");
    expect_refused(0, 10, "an ELL part of 10 columns");
    expect_refused(1, 9,
                   "the longest row of the matrix has entries for 0 to 8");
    expect_refused(0, INT64_MAX, "9223372036854775807 columns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hec__a_third_of_the_rows_fills_the_last_column),
        cmocka_unit_test(test_hec__rows_keep_their_last_entries),
        cmocka_unit_test(test_hec__matrices_without_entries_have_no_ell_part),
        cmocka_unit_test(test_hec__the_chosen_width_is_limited),
        cmocka_unit_test(test_hec__impossible_widths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
