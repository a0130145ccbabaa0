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

// ---------------------------------------------------------------- compression

#define WORDS "one\ntwo\nthree\nfour\n"

static const unsigned char zstd_words[] = {
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x68, 0x99, 0x00, 0x00, 0x6f, 0x6e,
    0x65, 0x0a, 0x74, 0x77, 0x6f, 0x0a, 0x74, 0x68, 0x72, 0x65, 0x65,
    0x0a, 0x66, 0x6f, 0x75, 0x72, 0x0a, 0x02, 0x6e, 0x77, 0x5a};
static const unsigned char bzip2_words[] = {
    0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xd1,
    0xfb, 0xd0, 0x8e, 0x00, 0x00, 0x05, 0xc1, 0x80, 0x00, 0x10, 0x03,
    0x41, 0x96, 0x80, 0x20, 0x00, 0x22, 0x06, 0x99, 0x1a, 0x10, 0x03,
    0x0a, 0x4a, 0xe1, 0x0c, 0xd2, 0xc6, 0xb6, 0x20, 0xaf, 0x17, 0x72,
    0x45, 0x38, 0x50, 0x90, 0xd1, 0xfb, 0xd0, 0x8e};

// WORDS, `copies` times one after the other.
struct packed {
    const struct lcl_codec *codec;
    unsigned char *bytes;
    size_t size;
};

static const struct lcl_codec *const codecs[] = {
    &lcl_codec_gzip, &lcl_codec_xz, &lcl_codec_zstd, &lcl_codec_bzip2};
enum { CODECS = sizeof codecs / sizeof *codecs };

static struct packed pack(int k, int copies)
{
    struct packed p = {.codec = codecs[k]};
    size_t size;
    void *made = NULL;
    const void *once = k == 2 ? zstd_words : bzip2_words;
    if (k < 2)
        once = made =
            k ? lcl_test_xz(WORDS, &size) : lcl_test_gzip(WORDS, &size);
    else
        size = k == 2 ? sizeof zstd_words : sizeof bzip2_words;
    p.size = (size_t)copies * size;
    p.bytes = malloc(p.size);
    assert_non_null(p.bytes);
    for (int c = 0; c < copies; ++c)
        memcpy(p.bytes + (size_t)c * size, once, size);
    free(made);
    return p;
}

// Builds without a library name the program that unpacks its files.
static bool is_supported(const struct packed *p)
{
    char text[64], message[128];
    if (p->codec->create)
        return true;
    assert_int_equal(drain_memory(p->bytes, p->size, text, sizeof text),
                     LCL_EUNSUPPORTED);
    snprintf(message, sizeof message,
             "m: %s compression is not supported by this build; %s",
             p->codec->name, p->codec->remedy);
    assert_string_equal(capture.last, message);
    return false;
}

static void expect_damage(const struct packed *p, size_t size, const char *what)
{
    char text[64], message[64];
    assert_int_equal(drain_memory(p->bytes, size, text, sizeof text), LCL_EIO);
    snprintf(message, sizeof message, "m: the %s data are %s", p->codec->name,
             what);
    assert_string_equal(capture.last, message);
}

static void test_stream__compressed_files_are_recognised(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], text[64];
    lcl_test_path(path, &test_folder, "any_name");
    for (int k = 0; k < CODECS; ++k) {
        struct packed p = pack(k, 1);
        if (is_supported(&p)) {
            lcl_test_write_file(path, p.bytes, p.size);
            assert_int_equal(drain_file(path, text, sizeof text), LCL_OK);
            assert_string_equal(text, "one|two|three|four|");
        }
        free(p.bytes);
    }
}

static void test_stream__concatenated_members_are_one_text(void **state)
{
    (void)state;
    char text[64];
    for (int k = 0; k < CODECS; ++k) {
        struct packed p = pack(k, 2);
        if (is_supported(&p)) {
            assert_int_equal(drain_memory(p.bytes, p.size, text, sizeof text),
                             LCL_OK);
            assert_string_equal(text, "one|two|three|four|"
                                      "one|two|three|four|");
        }
        free(p.bytes);
    }
}

// The magic bytes alone identify compressed data.
static void test_stream__truncation_anywhere_is_an_error(void **state)
{
    (void)state;
    for (int k = 0; k < CODECS; ++k) {
        struct packed p = pack(k, 1);
        for (size_t n = p.codec->magic_size; is_supported(&p) && n < p.size;
             ++n)
            expect_damage(&p, n, "truncated");
        free(p.bytes);
    }
}

static void test_stream__damage_is_an_error(void **state)
{
    (void)state;
    char text[64];
    for (int k = 0; k < CODECS; ++k) {
        struct packed p = pack(k, 2);
        if (is_supported(&p)) {
            // in or before the checksum of the last member, the footer of xz
            p.bytes[p.size - 6] ^= 0x10;
            expect_damage(&p, p.size, "damaged");
            p.bytes[p.size - 6] ^= 0x10;
            memcpy(p.bytes + p.size / 2, "garbage", 8);
            assert_int_equal(
                drain_memory(p.bytes, p.size / 2 + 8, text, sizeof text),
                LCL_EIO);
        }
        free(p.bytes);
    }
}

static void test_stream__large_windows_are_refused(void **state)
{
    (void)state;
    // a frame of an empty block with a window of 2^29 bytes
    static const char frame[] = "\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00";
    char text[64];
    if (!lcl_codec_zstd.create)
        return;
    assert_int_equal(drain_memory(frame, sizeof frame - 1, text, sizeof text),
                     LCL_EUNSUPPORTED);
    assert_string_equal(capture.last,
                        "m: the zstd data need more than 256 MiB of memory");
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
        cmocka_unit_test(test_stream__large_windows_are_refused),
        cmocka_unit_test(test_stream__missing_file_and_folder_are_errors),
        cmocka_unit_test(test_stream__fifo_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, setup, test_folder_teardown);
}
