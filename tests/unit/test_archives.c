// SPDX-License-Identifier: BSD-3-Clause
// Zip archives of matrices and of arrays of NumPy and SciPy.
#include "tests/support/formats.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum { STORED = 0, DEFLATED = 8, HEADER = 30 };

static const char matrix[] = "%%MatrixMarket matrix coordinate real general\n"
                             "1 1 1\n1 1 7\n";
static const char vector[] =
    "%%MatrixMarket matrix array real general\n1 1\n8\n";

// ------------------------------------------------------------------- writing

static size_t deflate_raw(unsigned char *out, size_t room, const void *bytes,
                          size_t size)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes,
                  .avail_in = (uInt)size,
                  .next_out = out,
                  .avail_out = (uInt)room};
    assert_int_equal(
        deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
        Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

// `wide`: with sizes of 64 bits behind another extra field.
static void put_member(struct test_file *F, const char *name, int method,
                       bool wide, const void *bytes, size_t size)
{
    unsigned char packed[4096];
    const uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)size);
    size_t length = size;
    memcpy(packed, bytes, size);
    if (method == DEFLATED)
        length = deflate_raw(packed, sizeof packed, bytes, size);
    test_put(F, "PK\x03\x04\x2d\x00\x00\x00", 8);
    test_put_bits(F, (uint64_t)method, 2, false);
    test_put_bits(F, 0, 4, false); // time
    test_put_bits(F, crc, 4, false);
    test_put_bits(F, wide ? UINT32_MAX : length, 4, false);
    test_put_bits(F, wide ? UINT32_MAX : size, 4, false);
    test_put_bits(F, strlen(name), 2, false);
    test_put_bits(F, wide ? 6 + 20 : 0, 2, false);
    test_put(F, name, strlen(name));
    if (wide) {
        test_put(F, "\x99\x00\x02\x00xx\x01\x00\x10\x00", 10);
        test_put_bits(F, size, 8, false);
        test_put_bits(F, length, 8, false);
    }
    test_put(F, packed, length);
}

static void put_text(struct test_file *F, const char *name, int method,
                     const char *text)
{
    put_member(F, name, method, false, text, strlen(text));
}

// The directory, as far as it is read.
static void put_end(struct test_file *F)
{
    const char zeros[64] = "";
    test_put(F, "PK\x01\x02", 4);
    test_put(F, zeros, sizeof zeros);
}

// ------------------------------------------------------------------- members

static void expect_seven(const struct test_file *F)
{
    struct test_outcome out = test_read_bytes(F->bytes, F->size, true);
    if (out.st != LCL_OK)
        fail_msg("%s", out.message);
    assert_true(out.A.nnz == 1 && out.A.val[0] == 7);
    test_outcome_finish(&out);
}

static void test_archives__a_member_is_read(void **state)
{
    static const double eight[] = {8};
    (void)state;
    for (int method = STORED; method <= DEFLATED; method += DEFLATED)
        for (int wide = 0; wide < 2; ++wide) {
            struct test_file F = {.size = 0};
            put_text(&F, "a/", STORED, "");
            put_text(&F, "a/README.txt", method, "text");
            put_member(&F, "a/x_b.mtx", method, wide, vector, strlen(vector));
            put_member(&F, "a/x.mtx", method, wide, matrix, strlen(matrix));
            put_end(&F);
            expect_seven(&F);
            test_expect_vectors(F.bytes, F.size, 1, 1, eight);
        }
}

// Of one member behind its name of 5 bytes; the last bits of the last byte may
// be unused.
static void test_archives__damage_is_found(void **state)
{
    (void)state;
    for (int method = STORED; method <= DEFLATED; method += DEFLATED) {
        struct test_file F = {.size = 0};
        put_text(&F, "x.mtx", method, matrix);
        const size_t end = F.size;
        put_end(&F);
        for (size_t k = HEADER + 5; k < end; ++k) {
            F.bytes[k] ^= 1;
            test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "are damaged");
            F.bytes[k] ^= 1;
        }
        for (size_t k = 14; k < 18; ++k) {
            F.bytes[k] ^= 1; // the checksum
            test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "are damaged");
            F.bytes[k] ^= 1;
        }
        for (size_t size = 4; size < end; ++size)
            test_expect_refusal(F.bytes, size, true, LCL_EIO, "are truncated");
        expect_seven(&F);
    }
}

static void test_archives__sizes_that_lie_are_found(void **state)
{
    static const unsigned char huge[] = {0xfe, 0xff, 0xff, 0x7f};
    (void)state;
    for (int method = STORED; method <= DEFLATED; method += DEFLATED) {
        struct test_file F = {.size = 0};
        put_text(&F, "x.mtx", method, matrix);
        put_end(&F);
        for (int by = -1; by < 2; by += 2) {
            F.bytes[22] = (unsigned char)(F.bytes[22] + by);
            test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "are damaged");
            F.bytes[22] = (unsigned char)(F.bytes[22] - by);
        }
        memcpy(F.bytes + 22, huge, sizeof huge);
        test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "are damaged");
        memcpy(F.bytes + 18, huge, sizeof huge);
        test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "are truncated");
    }
}

static void expect_change(size_t at, int value, enum lcl_status st,
                          const char *words)
{
    struct test_file F = {.size = 0};
    put_text(&F, "x.mtx", STORED, matrix);
    put_end(&F);
    F.bytes[at] = (unsigned char)value;
    test_expect_refusal(F.bytes, F.size, true, st, words);
}

static void test_archives__other_archives_are_refused(void **state)
{
    struct test_file F = {.size = 0};
    (void)state;
    expect_change(6, 1, LCL_EUNSUPPORTED, "encrypted");
    expect_change(6, 8, LCL_EUNSUPPORTED, "has no sizes");
    expect_change(8, 12, LCL_EUNSUPPORTED, "found method 12");
    expect_change(26, 0, LCL_EFORMAT, "the header of a member");
    put_text(&F, "x.txt", STORED, matrix);
    const size_t end = F.size;
    put_end(&F);
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT, "has no matrix");
    test_expect_refusal(F.bytes, F.size, false, LCL_EFORMAT,
                        "no right-hand side");
    F.bytes[end] = 'x';
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT, "other bytes");
    F.size = 0;
    put_text(&F, "x.mtx", DEFLATED, matrix);
    memset(F.bytes + 18, 0, 4); // nothing is packed
    test_expect_refusal(F.bytes, F.size, true, LCL_EIO, "are damaged");
    F.size = 0;
    put_text(&F, "x.mtx", DEFLATED, "");
    put_end(&F);
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT, "an empty file");
}

// ------------------------------------------------------------------- NumPy

static void put_array(struct test_file *F, const char *name,
                      const struct test_file *array)
{
    put_member(F, name, DEFLATED, true, array->bytes, array->size);
}

// Integers of `bytes` bytes, or doubles (0).
static void put_numbers(struct test_file *F, const char *name, int bytes,
                        const double *x, int count)
{
    char shape[32];
    snprintf(shape, sizeof shape, "(%d,)", count);
    struct test_file array = test_npy(1,
                                      bytes == 4   ? "<i4"
                                      : bytes == 8 ? "<i8"
                                                   : "<f8",
                                      "False", shape);
    for (int k = 0; k < count; ++k)
        if (bytes)
            test_put_bits(&array, (uint64_t)(int64_t)x[k], bytes, false);
        else
            test_put_double(&array, x[k], false);
    put_array(F, name, &array);
}

static void put_word(struct test_file *F, const char *word, bool wide)
{
    struct test_file array =
        test_npy(wide ? 2 : 1, wide ? "<U3" : "|S3", "False", "()");
    for (const char *p = word; *p; ++p)
        test_put_bits(&array, (unsigned char)*p, wide ? 4 : 1, false);
    put_array(F, "format.npy", &array);
}

// [1 0 2; 0 0 3], in arrays that tests change.
struct sparse {
    const char *format;
    double shape[2], data[3], first[4], second[3];
    int first_count;
};

static const struct sparse sparse[] = {
    {"csr", {2, 3}, {1, 2, 3}, {0, 2, 3}, {0, 2, 2}, 3},
    {"csc", {2, 3}, {1, 2, 3}, {0, 1, 1, 3}, {0, 0, 1}, 4},
    {"coo", {2, 3}, {1, 2, 3}, {0, 0, 1}, {0, 2, 2}, 3},
};

// Values x + i (x + 1).
static void put_pairs(struct test_file *F, const char *name, const double *x,
                      int count)
{
    char shape[32];
    snprintf(shape, sizeof shape, "(%d,)", count);
    struct test_file array = test_npy(1, "<c16", "False", shape);
    for (int k = 0; k < count; ++k) {
        test_put_double(&array, x[k], false);
        test_put_double(&array, x[k] + 1, false);
    }
    put_array(F, name, &array);
}

static struct test_file pack(const struct sparse *S, bool wide, bool pairs)
{
    struct test_file F = {.size = 0};
    const bool coo = strcmp(S->format, "coo") == 0;
    const int bytes = wide ? 8 : 4;
    put_numbers(&F, coo ? "row.npy" : "indptr.npy", bytes, S->first,
                S->first_count);
    put_word(&F, S->format, wide);
    put_numbers(&F, coo ? "col.npy" : "indices.npy", bytes, S->second, 3);
    put_numbers(&F, "shape.npy", 8, S->shape, 2);
    if (pairs)
        put_pairs(&F, "data.npy", S->data, 3);
    else
        put_numbers(&F, "data.npy", 0, S->data, 3);
    put_end(&F);
    return F;
}

static void test_archives__sparse_matrices_of_scipy(void **state)
{
    static const int64_t row_ptr[] = {0, 2, 3};
    static const int32_t col_ind[] = {0, 2, 2};
    static const double val[] = {1, 2, 3};
    (void)state;
    for (int f = 0; f < 3; ++f)
        for (int wide = 0; wide < 2; ++wide) {
            struct test_file F = pack(&sparse[f], wide, false);
            struct test_outcome out = test_read_bytes(F.bytes, F.size, true);
            if (out.st != LCL_OK)
                fail_msg("%s: %s", sparse[f].format, out.message);
            assert_true(out.A.rows == 2 && out.A.cols == 3 && out.A.nnz == 3);
            assert_memory_equal(out.A.row_ptr, row_ptr, sizeof row_ptr);
            assert_memory_equal(out.A.col_ind, col_ind, sizeof col_ind);
            assert_memory_equal(out.A.val, val, sizeof val);
            test_outcome_finish(&out);
            test_expect_refusal(F.bytes, F.size, false, LCL_EUNSUPPORTED,
                                "found a sparse matrix");
        }
}

static void test_archives__complex_matrices_of_scipy(void **state)
{
    static const int64_t row_ptr[] = {0, 4, 8, 10, 12};
    static const int32_t col_ind[] = {0, 1, 4, 5, 0, 1, 4, 5, 4, 5, 4, 5};
    static const double val[] = {1, -2, 2, -3, 2, 1, 3, 2, 3, -4, 4, 3};
    (void)state;
    for (int f = 0; f < 3; ++f) {
        struct test_file F = pack(&sparse[f], true, true);
        struct test_outcome out = test_read_bytes(F.bytes, F.size, true);
        if (out.st != LCL_OK)
            fail_msg("%s: %s", sparse[f].format, out.message);
        assert_true(out.A.rows == 4 && out.A.cols == 6 && out.A.nnz == 12);
        assert_memory_equal(out.A.row_ptr, row_ptr, sizeof row_ptr);
        assert_memory_equal(out.A.col_ind, col_ind, sizeof col_ind);
        assert_memory_equal(out.A.val, val, sizeof val);
        test_outcome_finish(&out);
    }
}

static void expect_sparse_refusal(const struct sparse *S, enum lcl_status st,
                                  const char *words)
{
    struct test_file F = pack(S, true, false);
    test_expect_refusal(F.bytes, F.size, true, st, words);
}

static void test_archives__wrong_sparse_matrices_are_refused(void **state)
{
    (void)state;
    for (int f = 0; f < 3; ++f) {
        const char *words = f < 2 ? "expected pointers that ascend"
                                  : "expected a row and a column";
        struct sparse S = sparse[f];
        S.second[1] = 3;
        expect_sparse_refusal(&S, LCL_EFORMAT, words);
        S.second[1] = -1;
        expect_sparse_refusal(&S, LCL_EFORMAT, words);
        S = sparse[f];
        S.first[1] = 4e15;
        expect_sparse_refusal(&S, LCL_EFORMAT, words);
        S.first[1] = -1;
        expect_sparse_refusal(&S, LCL_EFORMAT, words);
        S = sparse[f];
        --S.first_count;
        expect_sparse_refusal(&S, LCL_EFORMAT, words);
        for (int side = 0; side < 2; ++side) {
            S = sparse[f];
            S.shape[side] = 0;
            expect_sparse_refusal(&S, LCL_EFORMAT, "expected a shape");
            S.shape[side] = 3e9;
            expect_sparse_refusal(&S, LCL_EFORMAT, "expected a shape");
        }
        S = sparse[f];
        S.shape[0] = 2e9;
        expect_sparse_refusal(&S, LCL_ERANGE, "expected more than 3 entries");
    }
    struct test_file F = {.size = 0};
    put_pairs(&F, "indptr.npy", sparse[0].first, 3);
    put_word(&F, "csr", true);
    put_numbers(&F, "indices.npy", 8, sparse[0].second, 3);
    put_numbers(&F, "shape.npy", 8, sparse[0].shape, 2);
    put_pairs(&F, "data.npy", sparse[0].data, 3);
    put_end(&F);
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT, "not complex");
    struct sparse S = sparse[0];
    S.first[0] = 1;
    expect_sparse_refusal(&S, LCL_EFORMAT, "expected pointers that ascend");
    S.format = "bsr";
    expect_sparse_refusal(&S, LCL_EUNSUPPORTED, "found 'bsr'");
}

static void test_archives__vectors_of_numpy(void **state)
{
    static const double x[] = {1.5, -2};
    static const char *const names[] = {"arr_0.npy", "b.npy", "data.npy"};
    struct test_file F;
    (void)state;
    for (int k = 0; k < 3; ++k) {
        F = (struct test_file){.size = 0};
        put_numbers(&F, names[k], 0, x, 2);
        put_end(&F);
        test_expect_vectors(F.bytes, F.size, 2, 1, x);
        test_expect_refusal(F.bytes, F.size, true, LCL_EUNSUPPORTED,
                            "found other arrays");
    }
    F.size = 0;
    put_numbers(&F, "a.npy", 0, x, 2);
    put_text(&F, "note.txt", DEFLATED, "text");
    put_numbers(&F, "b.npy", 0, x, 2);
    put_end(&F);
    test_expect_refusal(F.bytes, F.size, false, LCL_EUNSUPPORTED, "found 2");
    F.size = 0;
    put_numbers(&F, "data.npy", 0, x, 2);
    put_numbers(&F, "data.npy", 0, x, 2);
    put_end(&F);
    test_expect_refusal(F.bytes, F.size, false, LCL_EFORMAT,
                        "one array of each name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archives__a_member_is_read),
        cmocka_unit_test(test_archives__damage_is_found),
        cmocka_unit_test(test_archives__sizes_that_lie_are_found),
        cmocka_unit_test(test_archives__other_archives_are_refused),
        cmocka_unit_test(test_archives__sparse_matrices_of_scipy),
        cmocka_unit_test(test_archives__complex_matrices_of_scipy),
        cmocka_unit_test(test_archives__wrong_sparse_matrices_are_refused),
        cmocka_unit_test(test_archives__vectors_of_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
