// SPDX-License-Identifier: BSD-3-Clause
// Matrices in text files: accepted input, refused input and the messages.
#include "lib/io/number.h"
#include "lib/io/text.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"ptr", "col", "val"};

static enum lcl_status read_csr(struct lcl_csr *A, const char *const text[3],
                                struct lcl_read_info *info,
                                const struct lcl_log *log)
{
    lcl_stream *stream[3];
    *A = (struct lcl_csr){0};
    *info = (struct lcl_read_info){0};
    for (int f = 0; f < 3; ++f)
        assert_int_equal(lcl_stream_open_memory(&stream[f], names[f], text[f],
                                                strlen(text[f]), log),
                         LCL_OK);
    const enum lcl_status st =
        lcl_csr_read_text_streams(A, stream[0], stream[1], stream[2], info);
    for (int f = 0; f < 3; ++f)
        lcl_stream_close(&stream[f]);
    return st;
}

static void expect_row(const struct lcl_csr *A, int64_t i, int64_t count,
                       const int32_t *col, const double *val)
{
    assert_int_equal(A->row_ptr[i + 1] - A->row_ptr[i], count);
    for (int64_t k = 0; k < count; ++k) {
        assert_int_equal(A->col_ind[A->row_ptr[i] + k], col[k]);
        assert_true(A->val[A->row_ptr[i] + k] == val[k]);
    }
}

// Any white space, any order in a row, decimal indices, duplicates.
static void test_csr_text__numbers_make_a_matrix(void **state)
{
    (void)state;
    static const char *const text[] = {"0 2\n2\t5.0\r\n\n 6e0", "1 0\n2 0 2\n1",
                                       "  -1.5 2\n\n3d0 4 5 0"};
    struct lcl_csr A;
    struct lcl_read_info info;
    assert_int_equal(read_csr(&A, text, &info, NULL), LCL_OK);
    assert_true(A.rows == 4 && A.cols == 4 && A.nnz == 5);
    expect_row(&A, 0, 2, (int32_t[]){0, 1}, (double[]){2, -1.5});
    expect_row(&A, 1, 0, NULL, NULL);
    expect_row(&A, 2, 2, (int32_t[]){0, 2}, (double[]){4, 8});
    expect_row(&A, 3, 1, (int32_t[]){1}, (double[]){0});
    assert_true(info.entries == 6 && info.duplicates == 1 &&
                info.explicit_zeros == 1);
    assert_int_equal(info.bytes,
                     strlen(text[0]) + strlen(text[1]) + strlen(text[2]));
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    lcl_csr_finish(&A);
}

static void test_csr_text__no_entries_are_a_matrix(void **state)
{
    (void)state;
    static const char *const text[] = {"0 0 0", "\n", ""};
    struct lcl_csr A;
    struct lcl_read_info info;
    assert_int_equal(read_csr(&A, text, &info, NULL), LCL_OK);
    assert_true(A.rows == 2 && A.nnz == 0);
    lcl_csr_finish(&A);
}

struct refusal {
    const char *text[3];
    const char *message;
};

// clang-format off
static const struct refusal refusals[] = {
    {{"", "", ""},
     "ptr:1: expected 2 numbers, found the end of the file after 0"},
    {{"0", "", ""},
     "ptr:2: expected 2 numbers, found the end of the file after 1"},
    {{"1 2 3", "1 2", "1 1"},
     "ptr:1: expected 0 as the first row pointer, found 1: row pointers and "
     "columns must be counted from 0"},
    {{"-3 1", "0", "1"},
     "ptr:1: expected 0 as the first row pointer, found -3"},
    {{"0\n2\n1", "0 1", "1 1"},
     "ptr:3: expected a row pointer from 2 to 1125899906842624, counted from "
     "0, found 1"},
    {{"0 1.5", "0", "1"},
     "ptr:1: expected a row pointer from 0 to 1125899906842624, counted from "
     "0, found 1.5"},
    {{"0 1e300", "0", "1"},
     "ptr:1: expected a row pointer from 0 to 1125899906842624, counted from "
     "0, found 1.0000000000000001e+300"},
    {{"0 x", "0", "1"}, "ptr:1: expected a row pointer, found 'x'"},
    {{"0 1,2", "0", "1"}, "ptr:1: expected a row pointer, found '1,2'"},
    {{"0 nan", "0", "1"}, "ptr:1: expected a row pointer, found 'nan'"},
    {{"0 1 2", "0\n2", "1 1"},
     "col:2: expected a column from 0 to 1, counted from 0, found 2"},
    {{"0 1 2", "0 -1", "1 1"},
     "col:1: expected a column from 0 to 1, counted from 0, found -1"},
    {{"0 1 2", "0", "1 1"},
     "col:2: expected 2 numbers, found the end of the file after 1"},
    {{"0 1 2", "0 1 0", "1 1"},
     "col:1: expected the end of the file after 2 numbers, found '0'"},
    {{"0 999999999999", "0", "1"},
     "col:2: expected 999999999999 numbers, found the end of the file after 1"},
    {{"0 1 2", "0 1", "1"},
     "val:2: expected 2 numbers, found the end of the file after 1"},
    {{"0 1 2", "0 1", "1\n1\n1"},
     "val:3: expected the end of the file after 2 numbers, found '1'"},
    {{"0 1 2", "0 1", "1 1e999"},
     "val:1: expected a finite value, found '1e999'"},
    {{"0 1 2", "0 1", "1 1/2"},
     "val:1: expected a finite value, found '1/2'"},
    {{"0 2", "0 0", "1e308 1e308"},
     "val: expected duplicates with a finite sum, found inf at (0, 0)"},
};
// clang-format on

static void test_csr_text__refusals_say_what_was_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        struct test_capture capture;
        struct lcl_csr A;
        struct lcl_read_info info;
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(read_csr(&A, refusals[i].text, &info, &capture.log),
                         LCL_EFORMAT);
        assert_string_equal(capture.last, refusals[i].message);
        assert_int_equal(capture.messages, 1);
        assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val);
    }
}

static void test_csr_text__a_nul_is_no_end(void **state)
{
    (void)state;
    struct test_capture capture;
    struct lcl_dense X = {0};
    lcl_stream *stream;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(
        lcl_stream_open_memory(&stream, "b", "1\0002", 3, &capture.log),
        LCL_OK);
    assert_int_equal(lcl_dense_read_text_stream(&X, stream), LCL_EFORMAT);
    assert_null(X.val);
    lcl_stream_close(&stream);
}

// ------------------------------------------------------------------- files

static void write_files(const struct lcl_test_folder *folder,
                        char path[3][LCL_TEST_PATH])
{
    static const char *const text[] = {"0 1 3", "0 0 1", "4 1 5"};
    for (int f = 0; f < 3; ++f) {
        lcl_test_path(path[f], folder, names[f]);
        lcl_test_write_file(path[f], text[f], strlen(text[f]));
    }
}

static void test_csr_text__files_may_be_compressed(void **state)
{
    (void)state;
    struct lcl_test_folder folder;
    char path[3][LCL_TEST_PATH];
    struct lcl_csr A;
    size_t size;
    lcl_test_folder_create(&folder);
    write_files(&folder, path);
    void *bytes = lcl_test_gzip("0\n0\n1\n", &size);
    lcl_test_write_file(path[1], bytes, size);
    free(bytes);
    assert_int_equal(
        lcl_csr_read_text(&A, path[0], path[1], path[2], NULL, NULL), LCL_OK);
    assert_true(A.rows == 2 && A.nnz == 3 && A.val[2] == 5);
    lcl_csr_finish(&A);
    struct lcl_dense b;
    assert_int_equal(lcl_dense_read_text(&b, path[2], NULL), LCL_OK);
    assert_true(b.rows == 3 && b.cols == 1 && b.val[2] == 5);
    lcl_dense_finish(&b);
    lcl_test_folder_remove(&folder);
}

static void test_csr_text__missing_files_are_named(void **state)
{
    (void)state;
    struct lcl_test_folder folder;
    struct test_capture capture;
    char path[3][LCL_TEST_PATH];
    struct lcl_csr A;
    struct lcl_dense b;
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_test_folder_create(&folder);
    write_files(&folder, path);
    assert_int_equal(
        lcl_csr_read_text(&A, path[0], "/nowhere", path[2], NULL, &capture.log),
        LCL_EIO);
    test_capture_expect(&capture, "/nowhere: cannot ");
    assert_null(A.row_ptr);
    assert_int_equal(lcl_dense_read_text(&b, "/nowhere", NULL), LCL_EIO);
    lcl_test_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr_text__numbers_make_a_matrix),
        cmocka_unit_test(test_csr_text__no_entries_are_a_matrix),
        cmocka_unit_test(test_csr_text__refusals_say_what_was_expected),
        cmocka_unit_test(test_csr_text__a_nul_is_no_end),
        cmocka_unit_test(test_csr_text__files_may_be_compressed),
        cmocka_unit_test(test_csr_text__missing_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
