// SPDX-License-Identifier: BSD-3-Clause
// Large text files, parsed in pieces: the same elements and messages as line by
// line, with threads and without.
#include "lib/io/pieces.h"
#include "lib/io/read.h"
#include "lib/io/text.h"
#include "tests/support/capture.h"
#include "tests/support/fail_threads.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file of several batches.
enum { ENTRIES = 300000, ROWS = 1000, LINE = 64 };

struct text {
    char *bytes;
    size_t size;
};

static void append(struct text *T, const char *line)
{
    const size_t size = strlen(line);
    memcpy(T->bytes + T->size, line, size);
    T->size += size;
}

// Entry k of the matrix, which has duplicates.
static int row_of(int k)
{
    return (int)((unsigned)k * 7919u % ROWS);
}

static double value_of(int k)
{
    return k * 0.37 - 1000;
}

static struct text matrix_text(const char *ends, int announced)
{
    struct text T = {malloc((size_t)ENTRIES * LINE + 2 * LCL_LINE_MAX), 0};
    char line[LINE];
    assert_non_null(T.bytes);
    append(&T, "%%MatrixMarket matrix coordinate real general\n");
    snprintf(line, sizeof line, "%d %d %d\n", ROWS, ROWS, announced);
    append(&T, line);
    for (int k = 0; k < ENTRIES; ++k) {
        snprintf(line, sizeof line, "%d %d %.17g%s", row_of(k) + 1,
                 k % ROWS + 1, value_of(k), ends);
        append(&T, line);
    }
    return T;
}

// A copy in which a line, counted from 1, is `instead`.
static struct text with_line(const struct text *T, int line,
                             const char *instead)
{
    const size_t length = strlen(instead);
    struct text U = {malloc(T->size + length), 0};
    const char *p = T->bytes, *end = T->bytes + T->size;
    assert_non_null(U.bytes);
    for (; line > 1; --line)
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    const char *rest = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    U.size = (size_t)(p - T->bytes);
    memcpy(U.bytes, T->bytes, U.size);
    append(&U, instead);
    memcpy(U.bytes + U.size, rest, (size_t)(end - rest));
    U.size += (size_t)(end - rest);
    return U;
}

static enum lcl_status read_matrix(struct lcl_csr *A, const struct text *T,
                                   const struct lcl_log *log)
{
    struct lcl_read_info info = {0};
    lcl_stream *stream;
    *A = (struct lcl_csr){0};
    assert_int_equal(
        lcl_stream_open_memory(&stream, "m", T->bytes, T->size, log), LCL_OK);
    const enum lcl_status st = lcl_read_stream(A, NULL, stream, &info);
    if (st == LCL_OK)
        assert_int_equal(info.entries, ENTRIES);
    lcl_stream_close(&stream);
    return st;
}

// Sums in the order of the file, entry by entry.
static void expect_sums(const struct lcl_csr *A)
{
    double *sum = calloc(ROWS * ROWS, sizeof *sum);
    assert_non_null(sum);
    for (int k = 0; k < ENTRIES; ++k)
        sum[row_of(k) * ROWS + k % ROWS] += value_of(k);
    assert_int_equal(lcl_csr_check(A, NULL), LCL_OK);
    for (int64_t i = 0; i < ROWS; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            assert_true(A->val[k] == sum[i * ROWS + A->col_ind[k]]);
    free(sum);
}

static void expect_message(struct text T, const char *message)
{
    struct test_capture capture;
    struct lcl_csr A;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_true(read_matrix(&A, &T, &capture.log) < 0);
    assert_string_equal(capture.last, message);
    assert_int_equal(capture.messages, 1);
    assert_true(!A.row_ptr && !A.col_ind && !A.val);
    free(T.bytes);
}

static void expect_matrix(struct text T)
{
    struct lcl_csr A;
    assert_int_equal(read_matrix(&A, &T, NULL), LCL_OK);
    lcl_csr_finish(&A);
    free(T.bytes);
}

static void test_pieces__entries_keep_their_order(void **state)
{
    (void)state;
    static const char *const ends[] = {"\n", "\r\n", "  \n\n \t\r\n\n"};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; ++e) {
        struct text T = matrix_text(ends[e], ENTRIES);
        for (int fail = 0; fail < 2; ++fail) {
            struct lcl_csr A;
            lcl_test_threads_left(fail ? 0 : -1);
            assert_int_equal(read_matrix(&A, &T, NULL), LCL_OK);
            expect_sums(&A);
            lcl_csr_finish(&A);
        }
        free(T.bytes);
    }
    lcl_test_threads_left(-1);
}

// Lines of errors: in the first and the last piece and between.
static const int places[] = {3, 5000, 200001, ENTRIES + 2};
enum { PLACES = sizeof places / sizeof *places };

// The first error counts; it may be behind two blank lines.
static void test_pieces__messages_name_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
        int skipped;
    } cases[] = {
        {"1 x 2\n", "expected a column from 1 to 1000, found 'x'", 0},
        {"1 1 2 \001\n", "expected the end of the line, found '?'", 0},
        {"\n\r\n1 1\n", "expected a finite value, found the end of the line",
         2},
    };
    struct text T = matrix_text("\n", ENTRIES);
    append(&T, "a later error\n");
    for (int p = 0; p < PLACES; ++p)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
            char message[128];
            snprintf(message, sizeof message, "m:%d: %s",
                     places[p] + cases[c].skipped, cases[c].message);
            expect_message(with_line(&T, places[p], cases[c].line), message);
        }
    free(T.bytes);
}

static void test_pieces__wrong_counts_are_refused(void **state)
{
    (void)state;
    expect_message(matrix_text("\n", ENTRIES + 1),
                   "m:300003: expected 300001 entries, found the end of the "
                   "file after 300000");
    expect_message(matrix_text("\n\n", 200000),
                   "m:400003: expected the end of the file after entry 200000, "
                   "found '1'");
    struct text T = matrix_text("\n", ENTRIES);
    --T.size; // no line end
    expect_matrix(T);
}

// An entry and blanks, `size` bytes with the line end.
static char *long_line(size_t size)
{
    char *line = malloc(size + 1);
    assert_non_null(line);
    memset(line, ' ', size);
    memcpy(line, "1 1 1", 5);
    strcpy(line + size - 1, "\n");
    return line;
}

static void test_pieces__lines_have_a_maximum_length(void **state)
{
    (void)state;
    char *longest = long_line(LCL_LINE_MAX);
    char *too_long = long_line(LCL_LINE_MAX + 1);
    struct text T = matrix_text("\n", ENTRIES);
    for (int p = 0; p < PLACES; ++p) {
        char message[128];
        expect_matrix(with_line(&T, places[p], longest));
        snprintf(message, sizeof message,
                 "m:%d: expected a line of less than 1048576 bytes", places[p]);
        expect_message(with_line(&T, places[p], too_long), message);
    }
    too_long[LCL_LINE_MAX] = '\0'; // the last line has no end
    expect_message(with_line(&T, places[PLACES - 1], too_long),
                   "m:300002: expected a line of less than 1048576 bytes");
    free(T.bytes);
    free(longest);
    free(too_long);
}

static void test_pieces__nul_bytes_are_found(void **state)
{
    (void)state;
    struct text T = matrix_text("\n", ENTRIES);
    for (int p = 0; p < PLACES; ++p) {
        struct text U = with_line(&T, places[p], "1 1 1 #\n");
        char message[128];
        *(char *)memchr(U.bytes, '#', U.size) = '\0';
        snprintf(message, sizeof message,
                 "m:%d: expected text, found a NUL byte in column 7",
                 places[p]);
        expect_message(U, message);
    }
    free(T.bytes);
}

static void expect_cut_gzip(struct text T, const char *message)
{
    struct text Z = {NULL, 0};
    T.bytes[T.size - 1] = '\0';
    Z.bytes = lcl_test_gzip(T.bytes, &Z.size);
    Z.size -= 1000;
    expect_message(Z, message);
    free(T.bytes);
}

// An error in the text precedes an error of decompression behind it.
static void test_pieces__compressed_files_end_early(void **state)
{
    (void)state;
    struct text T = matrix_text("\n", ENTRIES);
    expect_cut_gzip(with_line(&T, 10, "1 1 1\n"),
                    "m: the gzip data are truncated");
    expect_cut_gzip(with_line(&T, 10, "1 1 x\n"),
                    "m:10: expected a finite value, found 'x'");
    free(T.bytes);
}

// ------------------------------------------------------------------- words

// Row pointers 0, 2, 4, ..., ten per line.
static struct text row_ptr_text(void)
{
    struct text T = {malloc((size_t)ENTRIES * LINE), 0};
    assert_non_null(T.bytes);
    for (int k = 0; k < ENTRIES; ++k) {
        char word[LINE];
        snprintf(word, sizeof word, "%8d%s", 2 * k,
                 k % 10 == 9 ? "\n"
                 : k % 3     ? " "
                             : "\t");
        append(&T, word);
    }
    return T;
}

static enum lcl_status read_rows(const struct text *T, const char *columns,
                                 const struct lcl_log *log)
{
    lcl_stream *stream[3];
    struct lcl_csr A = {0};
    struct lcl_read_info info = {0};
    const char *bytes[] = {T->bytes, columns, ""};
    const size_t size[] = {T->size, strlen(columns), 0};
    for (int f = 0; f < 3; ++f)
        assert_int_equal(lcl_stream_open_memory(&stream[f], f ? "c" : "p",
                                                bytes[f], size[f], log),
                         LCL_OK);
    const enum lcl_status st =
        lcl_csr_read_text_streams(&A, stream[0], stream[1], stream[2], &info);
    for (int f = 0; f < 3; ++f)
        lcl_stream_close(&stream[f]);
    lcl_csr_finish(&A);
    return st;
}

// A row pointer is compared with the one before, also in another piece.
static void test_pieces__row_pointers_ascend(void **state)
{
    (void)state;
    enum { BYTES = 9 };
    struct text T = row_ptr_text();
    for (int odd = 1; odd < ENTRIES; odd += odd < 30000 ? 1777 : 31111) {
        struct test_capture capture;
        char word[LINE], message[128];
        char *at = T.bytes + (size_t)odd * BYTES;
        snprintf(word, sizeof word, "%8d", 2 * odd - 3);
        memcpy(at, word, BYTES - 1);
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(read_rows(&T, "", &capture.log), LCL_EFORMAT);
        snprintf(message, sizeof message,
                 "p:%d: expected a row pointer from %d to 1125899906842624, "
                 "counted from 0, found %d",
                 odd / 10 + 1, 2 * odd - 2, 2 * odd - 3);
        assert_string_equal(capture.last, message);
        snprintf(word, sizeof word, "%8d", 2 * odd);
        memcpy(at, word, BYTES - 1);
    }
    free(T.bytes);
}

static void test_pieces__words_are_counted(void **state)
{
    (void)state;
    struct test_capture capture;
    struct text T = row_ptr_text();
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(read_rows(&T, "0 1\n2", &capture.log), LCL_EFORMAT);
    assert_string_equal(capture.last, "c:3: expected 599998 numbers, found the "
                                      "end of the file after 3");
    free(T.bytes);
}

static void test_pieces__values_of_a_vector_keep_their_order(void **state)
{
    (void)state;
    struct text T = row_ptr_text();
    for (int fail = 0; fail < 2; ++fail) {
        struct lcl_dense X = {0};
        lcl_stream *stream;
        lcl_test_threads_left(fail ? 0 : -1);
        assert_int_equal(
            lcl_stream_open_memory(&stream, "b", T.bytes, T.size, NULL),
            LCL_OK);
        assert_int_equal(lcl_dense_read_text_stream(&X, stream), LCL_OK);
        assert_int_equal(X.rows, ENTRIES);
        for (int k = 0; k < ENTRIES; ++k)
            assert_true(X.val[k] == 2 * k);
        lcl_dense_finish(&X);
        lcl_stream_close(&stream);
    }
    lcl_test_threads_left(-1);
    free(T.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces__entries_keep_their_order),
        cmocka_unit_test(test_pieces__messages_name_their_line),
        cmocka_unit_test(test_pieces__wrong_counts_are_refused),
        cmocka_unit_test(test_pieces__lines_have_a_maximum_length),
        cmocka_unit_test(test_pieces__nul_bytes_are_found),
        cmocka_unit_test(test_pieces__compressed_files_end_early),
        cmocka_unit_test(test_pieces__row_pointers_ascend),
        cmocka_unit_test(test_pieces__words_are_counted),
        cmocka_unit_test(test_pieces__values_of_a_vector_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
