// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market files: accepted input, refused input and the messages.
#include "lib/io/read.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

#define BANNER(kind) "%%MatrixMarket matrix " kind "\n"
#define GENERAL      BANNER("coordinate real general")
#define SYMMETRIC    BANNER("coordinate real symmetric")
#define ARRAY        BANNER("array real general")

struct refusal {
    const char *text;
    enum lcl_status status;
    const char *message;
};

static enum lcl_status read_csr(struct lcl_csr *A, const char *text,
                                struct lcl_read_info *info,
                                const struct lcl_log *log)
{
    *A = (struct lcl_csr){0};
    *info = (struct lcl_read_info){0};
    lcl_stream *stream;
    enum lcl_status st =
        lcl_stream_open_memory(&stream, "m", text, strlen(text), log);
    assert_int_equal(st, LCL_OK);
    st = lcl_read_stream(A, NULL, stream, info);
    lcl_stream_close(&stream);
    return st;
}

static enum lcl_status read_dense(struct lcl_dense *X, const char *text,
                                  struct lcl_read_info *info,
                                  const struct lcl_log *log)
{
    *X = (struct lcl_dense){0};
    *info = (struct lcl_read_info){0};
    lcl_stream *stream;
    enum lcl_status st =
        lcl_stream_open_memory(&stream, "m", text, strlen(text), log);
    assert_int_equal(st, LCL_OK);
    st = lcl_read_stream(NULL, X, stream, info);
    lcl_stream_close(&stream);
    return st;
}

// A as text, zero-based "row:col=val".
static void expect_csr(const char *text, const char *expected,
                       struct lcl_read_info *info)
{
    struct lcl_csr A;
    char got[512] = "";
    assert_int_equal(read_csr(&A, text, info, NULL), LCL_OK);
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    size_t used = (size_t)sprintf(got, "%dx%d", (int)A.rows, (int)A.cols);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            used += (size_t)sprintf(got + used, " %d:%d=%g", (int)i,
                                    A.col_ind[k], A.val[k]);
    assert_string_equal(got, expected);
    lcl_csr_finish(&A);
}

static void expect_dense(const char *text, const char *expected)
{
    struct lcl_dense X;
    struct lcl_read_info info;
    char got[512] = "";
    assert_int_equal(read_dense(&X, text, &info, NULL), LCL_OK);
    size_t used = (size_t)sprintf(got, "%dx%d", (int)X.rows, (int)X.cols);
    for (int64_t k = 0; k < X.rows * X.cols; ++k)
        used += (size_t)sprintf(got + used, " %g", X.val[k]);
    assert_string_equal(got, expected);
    lcl_dense_finish(&X);
}

static void expect_csr_refusals(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        struct test_capture capture;
        struct lcl_read_info info;
        struct lcl_csr A;
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(read_csr(&A, cases[i].text, &info, &capture.log),
                         cases[i].status);
        assert_string_equal(capture.last, cases[i].message);
        assert_int_equal(capture.messages, 1);
        assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val);
    }
}

static void expect_dense_refusals(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        struct test_capture capture;
        struct lcl_read_info info;
        struct lcl_dense X;
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(read_dense(&X, cases[i].text, &info, &capture.log),
                         cases[i].status);
        assert_string_equal(capture.last, cases[i].message);
        assert_true(X.rows == 0 && X.cols == 0 && !X.val);
    }
}

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

// ---- what is read

static void test_matrix_market__general_matrix_is_read(void **state)
{
    (void)state;
    struct lcl_read_info info;
    expect_csr(GENERAL "2 3 3\n2 3 -1.5e2\n1 1 4\n2 1 .5\n",
               "2x3 0:0=4 1:0=0.5 1:2=-150", &info);
    assert_int_equal(info.entries, 3);
    assert_int_equal(info.duplicates, 0);
    assert_int_equal(info.symmetric, 0);
    assert_int_equal(info.pattern, 0);
    assert_int_equal(info.bytes, strlen(GENERAL) + 30);
}

static void test_matrix_market__symmetric_matrix_is_expanded(void **state)
{
    (void)state;
    struct lcl_read_info info;
    expect_csr(SYMMETRIC "2 2 2\n1 1 4\n2 1 3\n", "2x2 0:0=4 0:1=3 1:0=3",
               &info);
    assert_int_equal(info.symmetric, 1);
    assert_int_equal(info.entries, 2);
}

static void test_matrix_market__skew_matrix_changes_sign(void **state)
{
    (void)state;
    struct lcl_read_info info;
    expect_csr(BANNER("coordinate integer skew-symmetric") "2 2 1\n2 1 3\n",
               "2x2 0:1=-3 1:0=3", &info);
    assert_int_equal(info.symmetric, -1);
}

static void test_matrix_market__pattern_has_ones(void **state)
{
    (void)state;
    struct lcl_read_info info;
    expect_csr(BANNER("coordinate pattern symmetric") "2 2 2\n2 1\n2 2\n",
               "2x2 0:1=1 1:0=1 1:1=1", &info);
    assert_int_equal(info.pattern, 1);
}

static void test_matrix_market__layout_of_the_text_is_free(void **state)
{
    (void)state;
    struct lcl_read_info info;
    expect_csr("%%matrixmarket\tMATRIX Coordinate  REAL general \r\n"
               "% a comment\r\n\r\n   \r\n%\r\n  % another\r\n"
               " 2\t2  2 \r\n\r\n\t1 1   4 \r\n \t \r\n+2 2 1\r\n\r\n \r\n",
               "2x2 0:0=4 1:1=1", &info);
    expect_csr(GENERAL "1 1 1\n1 1 1", "1x1 0:0=1", &info);
    expect_csr(GENERAL "2 1 0\n", "2x1", &info);
    assert_int_equal(info.entries, 0);
}

static void test_matrix_market__duplicates_are_summed_and_counted(void **state)
{
    (void)state;
    struct lcl_read_info info;
    expect_csr(GENERAL "2 2 4\n2 1 1\n1 1 4\n2 1 2\n2 1 4\n", "2x2 0:0=4 1:0=7",
               &info);
    assert_int_equal(info.duplicates, 2);
    expect_csr(SYMMETRIC "2 2 3\n2 1 1\n2 1 2\n2 2 1\n",
               "2x2 0:1=3 1:0=3 1:1=1", &info);
    assert_int_equal(info.duplicates, 1);
    // more entries than matrix elements
    expect_csr(GENERAL "1 1 3\n1 1 4\n1 1 2\n1 1 1\n", "1x1 0:0=7", &info);
    assert_int_equal(info.duplicates, 2);
    expect_csr(SYMMETRIC "2 2 4\n1 1 1\n2 2 1\n2 1 1\n2 1 2\n",
               "2x2 0:0=1 0:1=3 1:0=3 1:1=1", &info);
}

static void test_matrix_market__explicit_zeros_are_kept_and_counted(
    void **state)
{
    (void)state;
    struct lcl_read_info info;
    expect_csr(GENERAL "2 2 3\n1 1 0\n2 2 1\n2 1 0.0\n",
               "2x2 0:0=0 1:0=0 1:1=1", &info);
    assert_int_equal(info.explicit_zeros, 2);
}

static void test_matrix_market__arrays_are_read_by_columns(void **state)
{
    (void)state;
    expect_dense(ARRAY "2 2\n1\n2\n\n3\n4\n", "2x2 1 2 3 4");
    expect_dense(BANNER("array integer symmetric") "2 2\n1\n2\n3\n",
                 "2x2 1 2 2 3");
    expect_dense(BANNER("array real skew-symmetric") "2 2\n5\n",
                 "2x2 0 5 -5 0");
    expect_dense(BANNER("array real skew-symmetric") "1 1\n", "1x1 0");
}

static void test_matrix_market__sparse_vector_is_filled_with_zeros(void **state)
{
    (void)state;
    expect_dense(GENERAL "4 1 2\n3 1 7\n1 1 2\n", "4x1 2 0 7 0");
    expect_dense(GENERAL "2 2 2\n1 2 7\n1 2 2\n", "2x2 0 0 9 0");
    expect_dense(GENERAL "2 1 0\n", "2x1 0 0");
}

// ---- what is refused

static void test_matrix_market__bad_banners_are_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"", LCL_EFORMAT,
         "m:1: expected '%%MatrixMarket', found an empty file"},
        {"1 1 1\n", LCL_EFORMAT, "m:1: expected '%%MatrixMarket', found '1'"},
        {"%%MatrixMarketplace matrix\n", LCL_EFORMAT,
         "m:1: expected '%%MatrixMarket', found '%%MatrixMarketplace'"},
        {"%%MatrixMarket vector\n", LCL_EFORMAT,
         "m:1: expected 'matrix', found 'vector'"},
        {BANNER("dense real general"), LCL_EFORMAT,
         "m:1: expected 'coordinate' or 'array', found 'dense'"},
        {BANNER("coordinate"), LCL_EFORMAT,
         "m:1: expected 'real', 'complex', 'integer' or 'pattern', found the "
         "end of the line"},
        {BANNER("coordinate real diagonal"), LCL_EFORMAT,
         "m:1: expected 'general', 'symmetric', 'skew-symmetric' or "
         "'Hermitian', found 'diagonal'"},
        {BANNER("coordinate real general x"), LCL_EFORMAT,
         "m:1: expected the end of the line, found 'x'"},
        {BANNER("array pattern general"), LCL_EFORMAT,
         "m:1: expected 'real', 'complex' or 'integer' for an array, found "
         "'pattern'"},
        {BANNER("coordinate pattern skew-symmetric"), LCL_EFORMAT,
         "m:1: expected 'general' or 'symmetric' for a pattern, found "
         "'skew-symmetric'"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__unsupported_kinds_are_named(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {ARRAY "2 2\n1\n2\n3\n4\n", LCL_EUNSUPPORTED,
         "m:2: expected a matrix in coordinate format, found a dense one in "
         "array format"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__bad_size_lines_are_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {GENERAL "% only\n", LCL_EFORMAT,
         "m:3: expected the sizes of the matrix, found the end of the file"},
        {GENERAL "%\n\n3\n", LCL_EFORMAT,
         "m:4: expected the number of columns, found the end of the line"},
        {GENERAL "-3 3 1\n", LCL_EFORMAT,
         "m:2: expected the number of rows, found '-3'"},
        {GENERAL "3 3.5 1\n", LCL_EFORMAT,
         "m:2: expected the number of columns, found '3.5'"},
        {GENERAL "3 3 -1\n", LCL_EFORMAT,
         "m:2: expected the number of entries, found '-1'"},
        {GENERAL "3 3 1 1\n", LCL_EFORMAT,
         "m:2: expected the end of the line, found '1'"},
        {SYMMETRIC "3 2 1\n", LCL_EFORMAT,
         "m:2: expected a square matrix, because it is symmetric, found 3 x 2"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__empty_matrix_is_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {GENERAL "0 3 0\n", LCL_EFORMAT,
         "m:2: expected at least one row and column, found an empty matrix"},
        {GENERAL "3 0 0\n", LCL_EFORMAT,
         "m:2: expected at least one row and column, found an empty matrix"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__absurd_sizes_are_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {GENERAL "1000000000000 1000000000000 3\n", LCL_ERANGE,
         "m:2: expected at most 2147483647 rows and columns, found "
         "1000000000000 x 1000000000000"},
        {GENERAL "99999999999999999999 3 3\n", LCL_ERANGE,
         "m:2: expected fewer than 2^63 rows, found '99999999999999999999'"},
        {GENERAL "3 3 1000000000000000000\n", LCL_ERANGE,
         "m:2: expected at most 144115188075855871 entries, found "
         "1000000000000000000"},
        {GENERAL "3 3 100000000000000000\n1 1 1\n", LCL_EFORMAT,
         "m:4: expected 100000000000000000 entries, found the end of the file "
         "after 1"},
        {GENERAL "2000000000 2000000000 3\n1 1 1\n2 2 2\n3 3 3\n", LCL_ERANGE,
         "m:2: expected more than 3 entries for 2000000000 rows"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__bad_entries_are_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {GENERAL "3 3 1\n0 1 1\n", LCL_EFORMAT,
         "m:3: expected a row from 1 to 3, found '0'"},
        {GENERAL "3 3 2\n1 1 1\n\n1 4 1\n", LCL_EFORMAT,
         "m:5: expected a column from 1 to 3, found '4'"},
        {GENERAL "3 3 1\n1.0 1 1\n", LCL_EFORMAT,
         "m:3: expected a row from 1 to 3, found '1.0'"},
        {GENERAL "3 3 1\n1 99999999999999999999 1\n", LCL_EFORMAT,
         "m:3: expected a column from 1 to 3, found '99999999999999999999'"},
        {GENERAL "3 3 1\n1 1\n", LCL_EFORMAT,
         "m:3: expected a finite value, found the end of the line"},
        {GENERAL "3 3 1\n1 1 1 junk\n", LCL_EFORMAT,
         "m:3: expected the end of the line, found 'junk'"},
        {GENERAL "3 3 1\n1 1 1x\n", LCL_EFORMAT,
         "m:3: expected a finite value, found '1x'"},
        {BANNER("coordinate integer general") "3 3 1\n1 1 1.5\n", LCL_EFORMAT,
         "m:3: expected an integer value, found '1.5'"},
        {BANNER("coordinate pattern general") "3 3 1\n1 1 1\n", LCL_EFORMAT,
         "m:3: expected the end of the line, found '1'"},
        {GENERAL "3 3 1\n% late\n1 1 1\n", LCL_EFORMAT,
         "m:3: expected a row from 1 to 3, found '%'"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__values_must_be_finite(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {GENERAL "3 3 1\n1 1 nan\n", LCL_EFORMAT,
         "m:3: expected a finite value, found 'nan'"},
        {GENERAL "3 3 1\n1 1 -Inf\n", LCL_EFORMAT,
         "m:3: expected a finite value, found '-Inf'"},
        {GENERAL "3 3 1\n1 1 1e309\n", LCL_EFORMAT,
         "m:3: expected a finite value, found '1e309'"},
        {GENERAL "2 2 2\n2 1 1e308\n2 1 1e308\n", LCL_EFORMAT,
         "m: expected duplicates with a finite sum, found inf at (2, 1)"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__wrong_number_of_entries_is_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {GENERAL "3 3 3\n1 1 1\n2 2 2\n", LCL_EFORMAT,
         "m:5: expected 3 entries, found the end of the file after 2"},
        {GENERAL "900000 900000 100000000000\n1 1 1\n", LCL_EFORMAT,
         "m:4: expected 100000000000 entries, found the end of the file after "
         "1"},
        {GENERAL "3 3 1\n1 1 1\n\n2 2 2\n", LCL_EFORMAT,
         "m:5: expected the end of the file after entry 1, found '2'"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__wrong_triangle_is_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {SYMMETRIC "3 3 1\n1 2 1\n", LCL_EFORMAT,
         "m:3: expected an entry on or below the diagonal, because the matrix "
         "is symmetric, found (1, 2)"},
        {BANNER("coordinate real skew-symmetric") "3 3 1\n2 2 1\n", LCL_EFORMAT,
         "m:3: expected an entry below the diagonal, because the matrix is "
         "skew-symmetric, found (2, 2)"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__found_text_is_made_printable(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {"\x7fz\xff\n", LCL_EFORMAT,
         "m:1: expected '%%MatrixMarket', found '?z?'"},
        {"a234567890123456789012345678901234567890123456789\n", LCL_EFORMAT,
         "m:1: expected '%%MatrixMarket', found "
         "'a2345678901234567890123456789012345678901...'"},
    };
    expect_csr_refusals(cases, COUNT(cases));
}

static void test_matrix_market__bad_arrays_are_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {ARRAY "3 1\n1\n2\n", LCL_EFORMAT,
         "m:5: expected 3 entries, found the end of the file after 2"},
        {ARRAY "1 1\n1\n2\n", LCL_EFORMAT,
         "m:4: expected the end of the file after entry 1, found '2'"},
        {ARRAY "2 1\n1 2\n", LCL_EFORMAT,
         "m:3: expected the end of the line, found '2'"},
        {ARRAY "1 1\ninf\n", LCL_EFORMAT,
         "m:3: expected a finite value, found 'inf'"},
        {ARRAY "2000000000 2000000000\n1\n", LCL_ERANGE,
         "m:2: expected at most 144115188075855871 entries, found "
         "4000000000000000000"},
        {ARRAY "2000000000 50000000\n1\n", LCL_EFORMAT,
         "m:4: expected 100000000000000000 entries, found the end of the "
         "file after 1"},
        {GENERAL "100000 100000 1\n1 1 1\n", LCL_ERANGE,
         "m:2: expected a vector or a dense matrix, found a sparse one of "
         "100000 x 100000 with 1 entries"},
        {ARRAY "0 1\n", LCL_EFORMAT,
         "m:2: expected at least one row and column, found an empty matrix"},
    };
    expect_dense_refusals(cases, COUNT(cases));
}

// ---- files

static void test_matrix_market__compressed_matrix_is_read(void **state)
{
    (void)state;
    const char *text = SYMMETRIC "2 2 2\n1 1 4\n2 1 3\n";
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "A.mtx.z");
    for (int xz = 0; xz < 2; ++xz) {
        size_t size;
        void *bytes =
            xz ? lcl_test_xz(text, &size) : lcl_test_gzip(text, &size);
        lcl_test_write_file(path, bytes, size);
        struct lcl_csr A;
        struct lcl_read_info info;
        assert_int_equal(lcl_csr_read(&A, path, &info, NULL), LCL_OK);
        assert_int_equal(A.nnz, 3);
        assert_int_equal(info.bytes, strlen(text));
        lcl_csr_finish(&A);
        assert_int_equal(lcl_csr_read(&A, path, NULL, NULL), LCL_OK);
        lcl_csr_finish(&A);
        free(bytes);
    }
    assert_int_equal(unlink(path), 0);
}

static void test_matrix_market__missing_file_is_an_error(void **state)
{
    (void)state;
    struct lcl_csr A = {.rows = 7};
    struct lcl_dense X = {.rows = 7};
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "missing");
    assert_int_equal(lcl_csr_read(&A, path, NULL, NULL), LCL_EIO);
    assert_int_equal(lcl_dense_read(&X, path, NULL, NULL), LCL_EIO);
    assert_true(A.rows == 0 && X.rows == 0);
}

static void test_matrix_market__written_values_come_back(void **state)
{
    (void)state;
    double val[] = {1.0 / 3, -0.0, 4.9e-324,    1.7976931348623157e308,
                    1e16,    0.1,  -123456.789, 2.2250738585072014e-308};
    const struct lcl_dense X = {4, 2, val};
    struct lcl_dense Y;
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "X.mtx");
    for (int again = 0; again < 2; ++again) {
        assert_int_equal(lcl_dense_write(&X, path, NULL), LCL_OK);
        assert_int_equal(lcl_test_folder_count(&test_folder), 1);
        assert_int_equal(lcl_dense_read(&Y, path, NULL, NULL), LCL_OK);
        assert_int_equal(Y.rows, 4);
        assert_int_equal(Y.cols, 2);
        assert_memory_equal(Y.val, val, sizeof val);
        lcl_dense_finish(&Y);
    }
    assert_int_equal(unlink(path), 0);
}

static void test_matrix_market__decimal_comma_changes_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") &&
        !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        skip();
    // more digits than the fast path supports
    double val[] = {0.12345678901234567, 1.5};
    const struct lcl_dense X = {2, 1, val};
    struct lcl_dense Y;
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "X.mtx");
    assert_int_equal(lcl_dense_write(&X, path, NULL), LCL_OK);
    assert_int_equal(lcl_dense_read(&Y, path, NULL, NULL), LCL_OK);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_NUMERIC, "C");
    assert_memory_equal(Y.val, val, sizeof val);
    lcl_dense_finish(&Y);
    assert_int_equal(unlink(path), 0);
}

static void test_matrix_market__full_disk_leaves_nothing_behind(void **state)
{
    (void)state;
    const struct lcl_dense X = {5000, 1, calloc(5000, sizeof(double))};
    const struct rlimit small = {1000, RLIM_INFINITY};
    struct rlimit before;
    struct test_capture capture;
    char path[LCL_TEST_PATH], message[LCL_TEST_PATH + 64];
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_test_path(path, &test_folder, "X.mtx");
    // a file size limit simulates a full disk; its signal is ignored
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const enum lcl_status st = lcl_dense_write(&X, path, &capture.log);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(st, LCL_EIO);
    snprintf(message, sizeof message, "%s: cannot write: File too large", path);
    assert_string_equal(capture.last, message);
    assert_int_equal(lcl_test_folder_count(&test_folder), 0);
    free(X.val);
}

static void test_matrix_market__bad_targets_are_refused(void **state)
{
    (void)state;
    double one = 1;
    const struct lcl_dense X = {1, 1, &one};
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_dense_write(&X, "/no/such/dir/x", &capture.log),
                     LCL_EIO);
    assert_string_equal(
        capture.last,
        "/no/such/dir/x: cannot write: No such file or directory");
    assert_int_equal(lcl_dense_write(&X, "/dev/zero", &capture.log), LCL_EIO);
    assert_string_equal(capture.last,
                        "/dev/zero: cannot write: it is not a regular file");
    assert_int_equal(lcl_dense_write(&X, test_folder.path, NULL), LCL_EIO);
    assert_int_equal(lcl_test_folder_count(&test_folder), 0);
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "X.mtx");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(lcl_dense_write(&X, path, NULL), LCL_EIO);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("missing", path), 0);
    assert_int_equal(lcl_dense_write(&X, path, &capture.log), LCL_EIO);
    assert_non_null(
        strstr(capture.last, "it is a symbolic link to a missing file"));
    assert_int_equal(unlink(path), 0);
}

static void test_matrix_market__dev_null_stays_a_device(void **state)
{
    (void)state;
    double one = 1;
    const struct lcl_dense X = {1, 1, &one};
    struct stat info;
    assert_int_equal(lcl_dense_write(&X, "/dev/null", NULL), LCL_OK);
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void test_matrix_market__link_and_mode_of_a_target_stay(void **state)
{
    (void)state;
    double val[] = {1, 2};
    const struct lcl_dense X = {2, 1, val};
    struct lcl_dense Y;
    struct stat info;
    char file[LCL_TEST_PATH], link[LCL_TEST_PATH];
    lcl_test_path(file, &test_folder, "X.mtx");
    lcl_test_path(link, &test_folder, "link");
    lcl_test_write_file(file, "old", 3);
    assert_int_equal(chmod(file, 0606), 0);
    assert_int_equal(symlink("X.mtx", link), 0);
    assert_int_equal(lcl_dense_write(&X, link, NULL), LCL_OK);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(file, &info), 0);
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(info.st_mode & 0777, 0606);
    assert_int_equal(lcl_dense_read(&Y, file, NULL, NULL), LCL_OK);
    assert_int_equal(Y.rows, 2);
    lcl_dense_finish(&Y);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(unlink(file), 0);
}

// In a child process without root rights, so that modes apply.
static enum lcl_status write_as_nobody(const struct lcl_dense *X,
                                       const char *path)
{
    const pid_t child = fork();
    int code;
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && seteuid(NOBODY) != 0)
            _exit(127);
        _exit(-lcl_dense_write(X, path, NULL));
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    return (enum lcl_status) - WEXITSTATUS(code);
}

static void test_matrix_market__files_and_folders_that_are_read_only(void **s)
{
    (void)s;
    double one = 1;
    const struct lcl_dense X = {1, 1, &one};
    char path[LCL_TEST_PATH];
    size_t size;
    lcl_test_path(path, &test_folder, "X.mtx");
    assert_int_equal(chmod(test_folder.path, 0777), 0);
    assert_int_equal(write_as_nobody(&X, path), LCL_OK);
    assert_int_equal(unlink(path), 0);
    lcl_test_write_file(path, "old", 3);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(write_as_nobody(&X, path), LCL_EIO);
    free(lcl_test_read_file(path, &size));
    assert_int_equal(size, 3);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(chmod(test_folder.path, 0555), 0);
    assert_int_equal(write_as_nobody(&X, path), LCL_EIO);
    assert_int_equal(chmod(test_folder.path, 0700), 0);
    assert_int_equal(lcl_test_folder_count(&test_folder), 0);
}

// The standard streams of a child process, redirected to files.
static void test_matrix_market__dash_is_a_standard_stream(void **state)
{
    (void)state;
    const char *text = GENERAL "1 1 1\n1 1 7\n";
    char in[LCL_TEST_PATH], out[LCL_TEST_PATH];
    struct lcl_dense Y;
    int code;
    lcl_test_path(in, &test_folder, "in.mtx");
    lcl_test_path(out, &test_folder, "out.mtx");
    lcl_test_write_file(in, text, strlen(text));
    fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen(in, "r", stdin) || !freopen(out, "w", stdout) ||
            lcl_dense_read(&Y, "-", NULL, NULL) < 0 ||
            lcl_dense_write(&Y, "-", NULL) < 0 ||
            lcl_dense_write(&Y, "/dev/stdout", NULL) < 0)
            _exit(1);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    size_t size;
    char *written = lcl_test_read_file(out, &size);
    const char *once = ARRAY "1 1\n7\n";
    assert_int_equal(size, 2 * strlen(once));
    assert_memory_equal(written, once, strlen(once));
    assert_memory_equal(written + strlen(once), once, strlen(once));
    free(written);
    assert_int_equal(unlink(in), 0);
    assert_int_equal(unlink(out), 0);
}

// Readable and writable according to umask(), like any other file.
static void test_matrix_market__written_file_has_usual_rights(void **state)
{
    (void)state;
    double one = 1;
    const struct lcl_dense X = {1, 1, &one};
    struct stat info;
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "X.mtx");
    const mode_t before = umask(027);
    assert_int_equal(lcl_dense_write(&X, path, NULL), LCL_OK);
    umask(before);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_market__general_matrix_is_read),
        cmocka_unit_test(test_matrix_market__symmetric_matrix_is_expanded),
        cmocka_unit_test(test_matrix_market__skew_matrix_changes_sign),
        cmocka_unit_test(test_matrix_market__pattern_has_ones),
        cmocka_unit_test(test_matrix_market__layout_of_the_text_is_free),
        cmocka_unit_test(test_matrix_market__duplicates_are_summed_and_counted),
        cmocka_unit_test(
            test_matrix_market__explicit_zeros_are_kept_and_counted),
        cmocka_unit_test(test_matrix_market__arrays_are_read_by_columns),
        cmocka_unit_test(
            test_matrix_market__sparse_vector_is_filled_with_zeros),
        cmocka_unit_test(test_matrix_market__bad_banners_are_refused),
        cmocka_unit_test(test_matrix_market__unsupported_kinds_are_named),
        cmocka_unit_test(test_matrix_market__bad_size_lines_are_refused),
        cmocka_unit_test(test_matrix_market__empty_matrix_is_refused),
        cmocka_unit_test(test_matrix_market__absurd_sizes_are_refused),
        cmocka_unit_test(test_matrix_market__bad_entries_are_refused),
        cmocka_unit_test(test_matrix_market__values_must_be_finite),
        cmocka_unit_test(
            test_matrix_market__wrong_number_of_entries_is_refused),
        cmocka_unit_test(test_matrix_market__wrong_triangle_is_refused),
        cmocka_unit_test(test_matrix_market__found_text_is_made_printable),
        cmocka_unit_test(test_matrix_market__bad_arrays_are_refused),
        cmocka_unit_test(test_matrix_market__compressed_matrix_is_read),
        cmocka_unit_test(test_matrix_market__missing_file_is_an_error),
        cmocka_unit_test(test_matrix_market__written_values_come_back),
        cmocka_unit_test(test_matrix_market__decimal_comma_changes_nothing),
        cmocka_unit_test(test_matrix_market__full_disk_leaves_nothing_behind),
        cmocka_unit_test(test_matrix_market__bad_targets_are_refused),
        cmocka_unit_test(test_matrix_market__dash_is_a_standard_stream),
        cmocka_unit_test(
            test_matrix_market__files_and_folders_that_are_read_only),
        cmocka_unit_test(test_matrix_market__link_and_mode_of_a_target_stay),
        cmocka_unit_test(test_matrix_market__dev_null_stays_a_device),
        cmocka_unit_test(test_matrix_market__written_file_has_usual_rights),
    };
    return cmocka_run_group_tests(tests, test_folder_setup,
                                  test_folder_teardown);
}
