// SPDX-License-Identifier: BSD-3-Clause
// Lines of plain and compressed files, also of damaged ones.
#include "lib/io/codec.h"
#include "lib/io/stream.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct test_capture capture;

static int setup(void **state)
{
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_test_folder_create(&test_folder);
    return 0;
}

// Reads all lines of an open stream into `text`, joined by '|'; closes it.
static enum lcl_status drain(lcl_stream *stream, char *text, size_t size)
{
    char *begin, *end;
    enum lcl_status st;
    size_t used = 0;
    text[0] = '\0';
    while ((st = lcl_stream_line(stream, &begin, &end)) == LCL_OK && begin) {
        assert_int_equal(*end, '\0');
        if (used + (size_t)(end - begin) + 2 < size)
            used += (size_t)sprintf(text + used, "%s|", begin);
    }
    lcl_stream_close(&stream);
    assert_null(stream);
    return st;
}

static enum lcl_status drain_memory(const void *bytes, size_t size, char *text,
                                    size_t room)
{
    lcl_stream *stream;
    const enum lcl_status st =
        lcl_stream_open_memory(&stream, "m", bytes, size, &capture.log);
    return st < 0 ? st : drain(stream, text, room);
}

static enum lcl_status drain_file(const char *path, char *text, size_t room)
{
    lcl_stream *stream;
    const enum lcl_status st = lcl_stream_open(&stream, path, &capture.log);
    return st < 0 ? st : drain(stream, text, room);
}

static void test_stream__nul_byte_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } cases[] = {
        {"1 1 1\n1 1 1\0 2\n", 15,
         "m:2: expected text, found a NUL byte in column 6"},
        {"\0", 1, "m:1: expected text, found a NUL byte in column 1"},
        {"a\0\r\n", 4, "m:1: expected text, found a NUL byte in column 2"},
    };
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(
            drain_memory(cases[i].text, cases[i].size, text, sizeof text),
            LCL_EFORMAT);
        assert_string_equal(capture.last, cases[i].message);
    }
}

static void test_stream__lines_lose_their_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
    } cases[] = {{"", ""},       {"a", "a|"},        {"a\n", "a|"},
                 {"\n\n", "||"}, {"a\r\n", "a|"},    {"a\rb\n", "a\rb|"},
                 {"\r", "|"},    {"a\n\nb", "a||b|"}};
    char text[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const size_t size = strlen(cases[i].text);
        assert_int_equal(drain_memory(cases[i].text, size, text, sizeof text),
                         LCL_OK);
        assert_string_equal(text, cases[i].lines);
    }
}

static void test_stream__lines_cross_buffers(void **state)
{
    (void)state;
    enum { LINES = 300000, LENGTH = 11 };
    char *bytes = malloc(LINES * LENGTH + 1);
    for (int i = 0; i < LINES; ++i)
        sprintf(bytes + (size_t)i * LENGTH, "%010d\n", i);
    lcl_stream *stream;
    assert_int_equal(
        lcl_stream_open_memory(&stream, "m", bytes, LINES * LENGTH, NULL),
        LCL_OK);
    char *begin, *end;
    for (int i = 0; i < LINES; ++i) {
        assert_int_equal(lcl_stream_line(stream, &begin, &end), LCL_OK);
        assert_int_equal(end - begin, LENGTH - 1);
        assert_int_equal(atoi(begin), i);
    }
    assert_int_equal(lcl_stream_line(stream, &begin, &end), LCL_OK);
    assert_null(begin);
    assert_int_equal(lcl_stream_bytes(stream), LINES * LENGTH);
    lcl_stream_close(&stream);
    free(bytes);
}

static void test_stream__endless_line_is_refused(void **state)
{
    (void)state;
    char text[64];
    assert_int_equal(drain_file("/dev/zero", text, sizeof text), LCL_EFORMAT);
    assert_string_equal(capture.last, "/dev/zero:1: expected a line of less "
                                      "than 1048576 bytes");
}

static void test_stream__longest_line_is_read(void **state)
{
    (void)state;
    char *bytes = malloc(LCL_LINE_MAX);
    memset(bytes, 'x', LCL_LINE_MAX);
    bytes[LCL_LINE_MAX - 1] = '\n';
    char text[64];
    assert_int_equal(drain_memory(bytes, LCL_LINE_MAX, text, sizeof text),
                     LCL_OK);
    free(bytes);
}

static void *compress(bool xz, const char *text, size_t *size)
{
    return xz ? lcl_test_xz(text, size) : lcl_test_gzip(text, size);
}

static void test_stream__compressed_files_are_recognised(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], text[64];
    lcl_test_path(path, &test_folder, "any_name");
    for (int xz = 0; xz < 2; ++xz) {
        size_t size;
        void *bytes = compress(xz, "one\ntwo\n", &size);
        lcl_test_write_file(path, bytes, size);
        assert_int_equal(drain_file(path, text, sizeof text), LCL_OK);
        assert_string_equal(text, "one|two|");
        free(bytes);
    }
}

static void test_stream__concatenated_members_are_one_text(void **state)
{
    (void)state;
    char text[64];
    for (int xz = 0; xz < 2; ++xz) {
        size_t first, second;
        char *a = compress(xz, "one\ntw", &first);
        char *b = compress(xz, "o\nthree\n", &second);
        a = realloc(a, first + second);
        memcpy(a + first, b, second);
        assert_int_equal(drain_memory(a, first + second, text, sizeof text),
                         LCL_OK);
        assert_string_equal(text, "one|two|three|");
        free(a);
        free(b);
    }
}

// The magic bytes alone identify compressed data.
static void test_stream__truncation_anywhere_is_an_error(void **state)
{
    (void)state;
    static const char *const message[] = {"m: the gzip data are truncated",
                                          "m: the xz data are truncated"};
    static const size_t magic[] = {2, 6};
    char text[64];
    for (int xz = 0; xz < 2; ++xz) {
        size_t size;
        char *bytes = compress(xz, "one\ntwo\nthree\nfour\n", &size);
        for (size_t n = magic[xz]; n < size; ++n) {
            assert_int_equal(drain_memory(bytes, n, text, sizeof text),
                             LCL_EIO);
            assert_string_equal(capture.last, message[xz]);
        }
        free(bytes);
    }
}

static void test_stream__damage_is_an_error(void **state)
{
    (void)state;
    static const char *const message[] = {"m: the gzip data are damaged",
                                          "m: the xz data are damaged"};
    char text[64];
    for (int xz = 0; xz < 2; ++xz) {
        size_t size;
        char *bytes = compress(xz, "one\ntwo\nthree\nfour\n", &size);
        bytes[size - 6] ^= 0x10; // the checksum of gzip, the footer of xz
        assert_int_equal(drain_memory(bytes, size, text, sizeof text), LCL_EIO);
        assert_string_equal(capture.last, message[xz]);
        bytes[size - 6] ^= 0x10;
        bytes = realloc(bytes, size + 8);
        memcpy(bytes + size, "garbage", 8);
        assert_int_equal(drain_memory(bytes, size + 8, text, sizeof text),
                         LCL_EIO);
        free(bytes);
    }
}

static void test_stream__other_compressions_are_named(void **state)
{
    (void)state;
    char text[64];
    assert_int_equal(drain_memory("BZh91AY", 7, text, sizeof text),
                     LCL_EUNSUPPORTED);
    assert_string_equal(capture.last, "m: bzip2 compression is not supported, "
                                      "expected plain text, gzip or xz; bzcat "
                                      "unpacks it");
    assert_int_equal(drain_memory("\x28\xb5\x2f\xfd", 4, text, sizeof text),
                     LCL_EUNSUPPORTED);
}

static void test_stream__missing_file_and_folder_are_errors(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], text[64], message[LCL_TEST_PATH + 64];
    lcl_test_path(path, &test_folder, "missing");
    assert_int_equal(drain_file(path, text, sizeof text), LCL_EIO);
    snprintf(message, sizeof message,
             "%s: cannot open: No such file or directory", path);
    assert_string_equal(capture.last, message);
    assert_int_equal(drain_file(test_folder.path, text, sizeof text), LCL_EIO);
    snprintf(message, sizeof message, "%s: is a directory", test_folder.path);
    assert_string_equal(capture.last, message);
}

// Writes two lines in small pieces, like a process at the other end of a pipe.
static void write_slowly(const char *path)
{
    const int fd = open(path, O_WRONLY);
    for (const char *p = "first\nsecond\n"; *p; ++p)
        if (write(fd, p, 1) != 1)
            _exit(1);
    close(fd);
    _exit(0);
}

static void test_stream__fifo_is_read_to_its_end(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], text[64];
    int status;
    lcl_test_path(path, &test_folder, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t child = fork();
    if (child == 0)
        write_slowly(path);
    assert_int_equal(drain_file(path, text, sizeof text), LCL_OK);
    assert_string_equal(text, "first|second|");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream__nul_byte_is_refused_with_its_place),
        cmocka_unit_test(test_stream__lines_lose_their_ends),
        cmocka_unit_test(test_stream__lines_cross_buffers),
        cmocka_unit_test(test_stream__endless_line_is_refused),
        cmocka_unit_test(test_stream__longest_line_is_read),
        cmocka_unit_test(test_stream__compressed_files_are_recognised),
        cmocka_unit_test(test_stream__concatenated_members_are_one_text),
        cmocka_unit_test(test_stream__truncation_anywhere_is_an_error),
        cmocka_unit_test(test_stream__damage_is_an_error),
        cmocka_unit_test(test_stream__other_compressions_are_named),
        cmocka_unit_test(test_stream__missing_file_and_folder_are_errors),
        cmocka_unit_test(test_stream__fifo_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, setup, test_folder_teardown);
}
