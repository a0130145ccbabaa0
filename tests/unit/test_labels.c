// SPDX-License-Identifier: BSD-3-Clause
// The reader of partition files.
#include "tests/support/capture.h"
#include "tests/support/misuse.h"
#include "tests/support/test.h"

#include <levelcl/precond.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Writes `size` bytes to a new file; the caller unlinks and frees the name.
static char *write_file(const char *text, size_t size)
{
    char *path = strdup("/tmp/levelcl-labels-XXXXXX");
    assert_non_null(path);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
    close(fd);
    return path;
}

static void expect_labels(const char *text, const int32_t *expected, int64_t n)
{
    char *path = write_file(text, strlen(text));
    int32_t *labels;
    int64_t count;
    assert_int_equal(lcl_labels_read(&labels, &count, path, NULL), LCL_OK);
    assert_int_equal(count, n);
    assert_memory_equal(labels, expected, (size_t)n * sizeof *expected);
    lcl_labels_free(&labels);
    assert_null(labels);
    unlink(path);
    free(path);
}

static void expect_refused(const char *text, size_t size, const char *place)
{
    char *path = write_file(text, size), expected[128];
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    int32_t *labels = (int32_t *)path;
    int64_t count = 1;
    assert_int_equal(lcl_labels_read(&labels, &count, path, &capture.log),
                     LCL_EFORMAT);
    assert_null(labels);
    assert_int_equal(count, 0);
    snprintf(expected, sizeof expected, "%s:%s: expected one integer >= 0",
             path, place);
    test_capture_expect(&capture, expected);
    unlink(path);
    free(path);
}

static void test_labels__one_integer_a_line_is_read(void **state)
{
    (void)state;
    const int32_t expected[] = {3, 0, 2147483647, 1};
    expect_labels("3\n0\n2147483647\n1\n", expected, 4);
    expect_labels("3\n0\n2147483647\n1", expected, 4);
    expect_labels(" 3\r\n0 \r\n2147483647\r\n+1\t\r\n", expected, 4);
}

static void test_labels__long_files_are_read_whole(void **state)
{
    (void)state;
    enum { N = 5000 };
    static char text[6 * N];
    static int32_t expected[N];
    int length = 0;
    for (int32_t i = 0; i < N; ++i) {
        expected[i] = i;
        length += sprintf(text + length, "%d\n", (int)i);
    }
    expect_labels(text, expected, N);
}

static void test_labels__a_bad_line_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place;
    } cases[] = {
        {"", "1"},          {"\n", "1"},
        {"0\n\n1\n", "2"},  {"0\n-1\n", "2"},
        {"0\n1\nx\n", "3"}, {"0 1\n", "1"},
        {"1.5\n", "1"},     {"0\n2147483648\n", "2"},
        {"0x1\n", "1"},     {"1\n99999999999999999999999\n", "2"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        expect_refused(cases[c].text, strlen(cases[c].text), cases[c].place);
}

static void test_labels__zero_bytes_and_endless_lines_are_refused(void **state)
{
    (void)state;
    char spaces[300];
    memset(spaces, ' ', sizeof spaces);
    spaces[0] = '1';
    expect_refused(spaces, sizeof spaces, "1");
    expect_refused("1\n2\0003\n", 6, "2");
    expect_refused("\0\n", 2, "1");
}

static void test_labels__a_missing_file_and_a_folder_are_io_errors(void **state)
{
    (void)state;
    static const char *const paths[] = {"/nonexistent/labels", "/"};
    for (size_t c = 0; c < 2; ++c) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        int32_t *labels;
        int64_t count;
        assert_int_equal(
            lcl_labels_read(&labels, &count, paths[c], &capture.log), LCL_EIO);
        assert_null(labels);
        test_capture_expect(&capture, paths[c]);
    }
}

static void test_labels__null_arguments_are_refused(void **state)
{
    (void)state;
    int32_t *labels;
    int64_t count;
    assert_misuse(lcl_labels_read(NULL, &count, "/", NULL));
    assert_misuse(lcl_labels_read(&labels, NULL, "/", NULL));
    assert_misuse(lcl_labels_read(&labels, &count, NULL, NULL));
    lcl_labels_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels__one_integer_a_line_is_read),
        cmocka_unit_test(test_labels__long_files_are_read_whole),
        cmocka_unit_test(test_labels__a_bad_line_is_named),
        cmocka_unit_test(test_labels__zero_bytes_and_endless_lines_are_refused),
        cmocka_unit_test(
            test_labels__a_missing_file_and_a_folder_are_io_errors),
        cmocka_unit_test(test_labels__null_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
