// SPDX-License-Identifier: BSD-3-Clause
// Files in memory: written byte by byte, read as a matrix or as a vector.
#include "tests/support/formats.h"

#include "lib/io/read.h"
#include "tests/support/capture.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

void test_put(struct test_file *F, const void *bytes, size_t size)
{
    assert_true(F->size + size <= sizeof F->bytes);
    memcpy(F->bytes + F->size, bytes, size);
    F->size += size;
}

struct test_file test_npy(int version, const char *type, const char *order,
                          const char *shape)
{
    struct test_file F = {.size = 0};
    char text[256];
    const int n = snprintf(text, sizeof text,
                           "{'descr': '%s', 'fortran_order': %s, 'shape': %s, "
                           "}     \n",
                           type, order, shape);
    const unsigned char head[] = {0x93,
                                  'N',
                                  'U',
                                  'M',
                                  'P',
                                  'Y',
                                  (unsigned char)version,
                                  0,
                                  (unsigned char)n,
                                  0,
                                  0,
                                  0};
    test_put(&F, head, version == 1 ? 10 : 12);
    test_put(&F, text, (size_t)n);
    return F;
}

void test_put_bits(struct test_file *F, uint64_t bits, int bytes, bool big)
{
    for (int i = 0; i < bytes; ++i) {
        const int shift = 8 * (big ? bytes - 1 - i : i);
        const unsigned char byte = (unsigned char)(bits >> shift);
        test_put(F, &byte, 1);
    }
}

void test_put_double(struct test_file *F, double x, bool big)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    test_put_bits(F, bits, 8, big);
}

struct test_outcome test_read_bytes(const void *bytes, size_t size, bool matrix)
{
    struct test_outcome out = {.st = LCL_OK};
    struct test_capture capture;
    struct lcl_read_info info = {0};
    lcl_stream *stream;
    test_capture_init(&capture, LCL_LOG_ERROR);
    out.st = lcl_stream_open_memory(&stream, "f", bytes, size, &capture.log);
    if (out.st == LCL_OK)
        out.st = lcl_read_stream(matrix ? &out.A : NULL, matrix ? NULL : &out.X,
                                 stream, &info);
    lcl_stream_close(&stream);
    assert_int_equal(capture.messages, out.st != LCL_OK);
    if (out.st != LCL_OK) {
        snprintf(out.message, sizeof out.message, "%s", capture.last);
        assert_true(!out.A.row_ptr && !out.A.col_ind && !out.A.val);
        assert_true(!out.X.val);
    }
    return out;
}

void test_outcome_finish(struct test_outcome *out)
{
    lcl_csr_finish(&out->A);
    lcl_dense_finish(&out->X);
}

void test_expect_refusal(const void *bytes, size_t size, bool matrix,
                         enum lcl_status st, const char *words)
{
    struct test_outcome out = test_read_bytes(bytes, size, matrix);
    if (out.st != st || !strstr(out.message, words))
        fail_msg("status %d, '%s', expected '%s'", out.st, out.message, words);
    test_outcome_finish(&out);
}

void test_expect_vectors(const void *bytes, size_t size, int64_t rows,
                         int64_t cols, const double *val)
{
    struct test_outcome out = test_read_bytes(bytes, size, false);
    if (out.st != LCL_OK)
        fail_msg("%s", out.message);
    assert_int_equal(out.X.rows, rows);
    assert_int_equal(out.X.cols, cols);
    for (int64_t k = 0; k < rows * cols; ++k)
        if (out.X.val[k] != val[k])
            fail_msg("%d: got %g, expected %g", (int)k, out.X.val[k], val[k]);
    test_outcome_finish(&out);
}
