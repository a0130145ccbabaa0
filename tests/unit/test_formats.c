// SPDX-License-Identifier: BSD-3-Clause
// Columns of text, arrays of NumPy, Rutherford-Boeing files, tar archives and
// files that are named only: accepted input, refused input, messages.
#include "lib/io/formats.h"
#include "lib/io/read.h"
#include "tests/support/formats.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- columns

static void test_formats__columns_of_text(void **state)
{
    static const double two[] = {1, -3, 0.5, 2, 4e2, -0.25};
    static const double one[] = {7};
    static const char *const texts[] = {
        "1 2\n-3 4e2\n.5 -0.25\n",
        "1,2\r\n-3,4e2\r\n.5,-0.25",
        "# x; y\n\n1;\t2\n % between\n-3 ; 4D2\n0.5 -.25\n\n",
        "% one comment\n+1 2\n-3 4e2\n5e-1 -0.25\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        test_expect_vectors(texts[i], strlen(texts[i]), 3, 2, two);
    test_expect_vectors("7", 1, 1, 1, one);
}

static void test_formats__wrong_columns_are_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"1 2\n3\n", "f:2: expected 2 numbers as in the lines before, found 1"},
        {"1\n2 3\n", "f:2: expected 1 number as in the lines before, found 2"},
        {"1\nx\n", "f:2: expected a number, found 'x'"},
        {"1\nnan\n", "f:2: expected a number"},
        {"1\n1e999\n", "f:2: expected a number"},
        {"1,,2\n3\n", "f:2: expected 2 numbers"},
        {"# nothing\n", "f:2: expected numbers, found none"},
        {"1 2x\n", "f:1: expected a number, found '2x'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        test_expect_refusal(cases[i].text, strlen(cases[i].text), false,
                            LCL_EFORMAT, cases[i].words);
    test_expect_refusal("1 2\n", 4, true, LCL_EFORMAT,
                        "expected '%%MatrixMarket'");
    test_expect_refusal("%MatrixMarket matrix\n1\n", 23, false, LCL_EFORMAT,
                        "expected '%%MatrixMarket'");
    test_expect_refusal("% matrixmarket\n1\n", 17, false, LCL_EFORMAT,
                        "expected '%%MatrixMarket'");
    test_expect_refusal("1\n\0\n", 4, false, LCL_EFORMAT, "NUL byte");
}

// ------------------------------------------------------------------- NumPy

static void put_float(struct test_file *F, float x, bool big)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    test_put_bits(F, bits, 4, big);
}

static void test_formats__numpy_arrays(void **state)
{
    static const double val[] = {1.5, -2, 1e-300, 4, 5, 6};
    (void)state;
    for (int big = 0; big < 2; ++big)
        for (int version = 1; version < 4; ++version) {
            struct test_file F =
                test_npy(version, big ? ">f8" : "<f8", "True", "(3, 2)");
            struct test_file R =
                test_npy(version, big ? ">f8" : "<f8", "False", "(3, 2)");
            for (int k = 0; k < 6; ++k)
                test_put_double(&F, val[k], big);
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 2; ++j)
                    test_put_double(&R, val[3 * j + i], big);
            test_expect_vectors(F.bytes, F.size, 3, 2, val);
            test_expect_vectors(R.bytes, R.size, 3, 2, val);
        }
}

static void test_formats__numpy_types(void **state)
{
    static const double val[] = {-2, 3}, positive[] = {254, 3};
    static const struct {
        const char *type;
        int bytes;
        bool big;
    } types[] = {{"|i1", 1, false}, {"<i2", 2, false}, {">i2", 2, true},
                 {"<i4", 4, false}, {"<i8", 8, false}, {">i8", 8, true}};
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        struct test_file F = test_npy(1, types[t].type, "False", "(2,)");
        test_put_bits(&F, (uint64_t)-2, types[t].bytes, types[t].big);
        test_put_bits(&F, 3, types[t].bytes, types[t].big);
        test_expect_vectors(F.bytes, F.size, 2, 1, val);
    }
    struct test_file F = test_npy(1, "|u1", "False", "(2,)");
    test_put_bits(&F, 254, 1, false);
    test_put_bits(&F, 3, 1, false);
    test_expect_vectors(F.bytes, F.size, 2, 1, positive);
    for (int big = 0; big < 2; ++big) {
        F = test_npy(1, big ? ">f4" : "<f4", "False", "(2,)");
        put_float(&F, -2, big);
        put_float(&F, 3, big);
        test_expect_vectors(F.bytes, F.size, 2, 1, val);
    }
}

static void test_formats__complex_numpy_arrays_are_pairs(void **state)
{
    static const double by_rows[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const double by_columns[] = {1, 2, 5, 6, 3, 4, 7, 8};
    (void)state;
    for (int big = 0; big < 2; ++big) {
        struct test_file F =
            test_npy(1, big ? ">c16" : "<c16", "True", "(2, 2)");
        struct test_file R =
            test_npy(1, big ? ">c8" : "<c8", "False", "(2, 2)");
        for (int k = 0; k < 8; ++k) {
            test_put_double(&F, by_rows[k], big);
            put_float(&R, (float)by_rows[k], big);
        }
        test_expect_vectors(F.bytes, F.size, 4, 2, by_rows);
        test_expect_vectors(R.bytes, R.size, 4, 2, by_columns);
    }
}

static void test_formats__other_numpy_arrays_are_refused(void **state)
{
    static const struct {
        const char *type, *order, *shape, *words;
        enum lcl_status st;
    } cases[] = {
        {"<c4", "False", "(2,)", "another type", LCL_EUNSUPPORTED},
        {"<c32", "False", "(2,)", "another type", LCL_EUNSUPPORTED},
        {"<f16", "False", "(2,)", "another type", LCL_EUNSUPPORTED},
        {"<c16", "False", "(1,)", "the end", LCL_EFORMAT},
        {"<c16", "False", "(1100000000,)", "2^31", LCL_ERANGE},
        {"|O", "False", "(2,)", "another type", LCL_EUNSUPPORTED},
        {"<f2", "False", "(2,)", "another type", LCL_EUNSUPPORTED},
        {"<i3", "False", "(2,)", "another type", LCL_EUNSUPPORTED},
        {"<U8", "False", "(2,)", "another type", LCL_EUNSUPPORTED},
        {"<f8", "Maybe", "(2,)", "the order", LCL_EFORMAT},
        {"<f8", "False", "()", "another shape", LCL_EUNSUPPORTED},
        {"<f8", "False", "(1, 2, 3)", "another shape", LCL_EUNSUPPORTED},
        {"<f8", "False", "(-1,)", "another shape", LCL_EUNSUPPORTED},
        {"<f8", "False", "(0, 2)", "an empty array", LCL_EFORMAT},
        {"<f8", "False", "(99999999999999999999, 1)", "2^31", LCL_ERANGE},
        {"<f8", "False", "(2147483647, 2147483647)", "the end", LCL_EFORMAT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct test_file F =
            test_npy(1, cases[i].type, cases[i].order, cases[i].shape);
        test_put_double(&F, 1, false);
        test_expect_refusal(F.bytes, F.size, false, cases[i].st,
                            cases[i].words);
    }
    struct test_file F = test_npy(1, "<f8", "False", "(2,)");
    test_expect_refusal(F.bytes, F.size, true, LCL_EUNSUPPORTED,
                        "a NumPy array");
    F.bytes[6] = 9;
    test_expect_refusal(F.bytes, F.size, false, LCL_EUNSUPPORTED,
                        "format 1 to 3");
    F = test_npy(1, "<f8", "False", "(1,)");
    test_put_double(&F, NAN, false);
    test_expect_refusal(F.bytes, F.size, false, LCL_EFORMAT, "a finite number");
}

static void test_formats__numpy_arrays_of_another_length(void **state)
{
    struct test_file F = test_npy(2, "<f8", "False", "(3,)");
    (void)state;
    for (int k = 0; k < 3; ++k)
        test_put_double(&F, k, false);
    for (size_t size = 6; size < F.size; ++size)
        test_expect_refusal(F.bytes, size, false, LCL_EFORMAT,
                            "the end of the file");
    test_put(&F, "", 1);
    test_expect_refusal(F.bytes, F.size, false, LCL_EFORMAT, "more bytes");
}

// ------------------------------------------------------------------- RB

// 3 x 3: (1, 1) 2, (2, 1) -1, (2, 2) 3, (3, 3) 4; pattern, values as said.
static const char rb_head[] = "Title                                          "
                              "                         Key     \n";
static const char rb_body[] = "(10I2)          (4I1)           (2E8.1)         "
                              "    \n"
                              " 1 3 4 5\n1223\n 2.0E+00-1.0D+00\n 3.0E+00 "
                              "4.0E+00\n";

static size_t rb(char text[1024], const char *counts, const char *type,
                 const char *sizes, const char *body)
{
    return (size_t)snprintf(text, 1024, "%s%s\n%s           %s\n%s", rb_head,
                            counts, type, sizes, body);
}

static struct test_outcome read_rb(const char *counts, const char *type,
                                   const char *sizes, const char *body)
{
    char text[1024];
    const size_t size = rb(text, counts, type, sizes, body);
    return test_read_bytes(text, size, true);
}

static void expect_entries(struct test_outcome out, int64_t nnz,
                           const int32_t *col_ind, const double *val)
{
    if (out.st != LCL_OK)
        fail_msg("%s", out.message);
    assert_int_equal(lcl_csr_check(&out.A, NULL), LCL_OK);
    assert_true(out.A.rows == 3 && out.A.cols == 3);
    assert_int_equal(out.A.nnz, nnz);
    for (int64_t k = 0; k < nnz; ++k) {
        assert_int_equal(out.A.col_ind[k], col_ind[k]);
        assert_true(out.A.val[k] == val[k]);
    }
    test_outcome_finish(&out);
}

static void test_formats__rutherford_boeing(void **state)
{
    static const int32_t general[] = {0, 0, 1, 2}, both[] = {0, 1, 0, 1, 2};
    static const double values[] = {2, -1, 3, 4}, twice[] = {2, -1, -1, 3, 4};
    static const double ones[] = {1, 1, 1, 1};
    const char pattern[] = "(10I2)          (4I1)\n 1 3 4 5\n1223\n";
    const char integers[] =
        "(10I2)          (2I1)           (4I3)\n 1 3 4 5\n12\n23\n  2 -1  3  4\n";
    const char rhs[] = "(10I2)          (4I1)           (2E8.1)             "
                       "(2E8.1)\nF   1 0\n 1 3 4 5\n1223\n 2.0E+00-1.0D+00\n "
                       "3.0E+00 4.0E+00\n 1.0E+00 1.0E+00\n 1.0E+00\n";
    (void)state;
    expect_entries(read_rb("4 1 1 2", "rua", "3 3 4 0", rb_body), 4, general,
                   values);
    expect_entries(read_rb("4 1 1 2", "RSA", "3 3 4 0", rb_body), 5, both,
                   twice);
    expect_entries(read_rb("2 1 1 0", "pua", "3 3 4 0", pattern), 4, general,
                   ones);
    expect_entries(read_rb("4 1 1 1", "iua", "3 3 4 0", integers), 4, general,
                   values);
    expect_entries(read_rb("6 1 1 2 2", "RUA", "3 3 4 0", rhs), 4, general,
                   values);
}

static void test_formats__wrong_rutherford_boeing(void **state)
{
    static const struct {
        const char *counts, *type, *sizes, *body, *words;
        enum lcl_status st;
    } cases[] = {
        {"4 1 1", "rua", "3 3 4 0", rb_body, "4 numbers", LCL_EFORMAT},
        {"4 1 1 2", "cua", "3 3 4 0", rb_body, "type 'cua'", LCL_EUNSUPPORTED},
        {"4 1 1 2", "rhe", "3 3 4 0", rb_body, "type 'rhe'", LCL_EUNSUPPORTED},
        {"4 1 1 2", "rua", "3 x 4 0", rb_body, "3 numbers", LCL_EFORMAT},
        {"4 1 1 2", "rua", "0 3 4 0", rb_body, "at least one", LCL_EFORMAT},
        {"4 1 1 2", "rsa", "4 3 4 0", rb_body, "square", LCL_EFORMAT},
        {"4 1 1 2", "rua", "3 3 5 0", rb_body, "1 to 6", LCL_EFORMAT},
        {"4 1 1 2", "rua", "2 3 4 0", rb_body, "1 to 2, found 3", LCL_EFORMAT},
        {"4 1 1 2", "rza", "3 3 4 0", rb_body, "diagonal", LCL_EFORMAT},
        {"4 1 1 2", "rua", "3 9999999999 4 0", rb_body, "at most", LCL_ERANGE},
        {"4 1 1 2", "rua", "2000000000 3 4 0", rb_body, "more than",
         LCL_ERANGE},
        {"4 1 1 2", "rua", "3 2000000000 900000000000 0", rb_body, "an integer",
         LCL_EFORMAT},
        {"4 1 1 2", "rua", "3 3 4 0", "(10X2)          (4I1)\n", "format",
         LCL_EUNSUPPORTED},
        {"4 1 1 2", "rua", "3 3 4 0", "(10I200)        (4I1)\n", "format",
         LCL_EUNSUPPORTED},
        {"4 1 1 2", "rua", "3 3 4 0", "(9999I2)        (4I1)\n", "format",
         LCL_EUNSUPPORTED},
        {"4 1 1 2", "rua", "3 3 4 0", "(10I2)          (4I1)\n", "format",
         LCL_EUNSUPPORTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct test_outcome out = read_rb(cases[i].counts, cases[i].type,
                                          cases[i].sizes, cases[i].body);
        if (out.st != cases[i].st || !strstr(out.message, cases[i].words))
            fail_msg("case %d: status %d, '%s'", (int)i, out.st, out.message);
        test_outcome_finish(&out);
    }
}

static void test_formats__cut_rutherford_boeing_files_are_refused(void **state)
{
    char text[1024];
    const size_t size = rb(text, "4 1 1 2", "rua", "3 3 4 0", rb_body);
    (void)state;
    for (size_t n = 0; n + 8 < size; ++n) {
        struct test_outcome out = test_read_bytes(text, n, true);
        assert_true(out.st < 0);
        test_outcome_finish(&out);
    }
    test_expect_refusal(text, size, false, LCL_EUNSUPPORTED, "a sparse matrix");
}

// ------------------------------------------------------------------- tar

static const char mm[] = "%%MatrixMarket matrix coordinate real general\n"
                         "1 1 1\n1 1 7\n";
static const char array[] =
    "%%MatrixMarket matrix array real general\n1 1\n8\n";

static void put_member(struct test_file *F, const char *name,
                       const char *content)
{
    char block[512] = "";
    const size_t size = strlen(content);
    snprintf(block, 100, "%s", name);
    snprintf(block + 124, 12, "%011o", (unsigned)size);
    block[156] = '0';
    memcpy(block + 257, "ustar", 5);
    test_put(F, block, sizeof block);
    memset(block, 0, sizeof block);
    test_put(F, content, size);
    if (size % 512)
        test_put(F, block, 512 - size % 512);
}

static void put_end(struct test_file *F)
{
    const char zeros[1024] = "";
    test_put(F, zeros, sizeof zeros);
}

static void test_formats__tar_archives(void **state)
{
    static const double eight[] = {8};
    struct test_file F = {.size = 0};
    (void)state;
    put_member(&F, "a/README.txt", "text");
    put_member(&F, "a/a_b.mtx", array);
    put_member(&F, "a/a.mtx", mm);
    put_end(&F);
    struct test_outcome out = test_read_bytes(F.bytes, F.size, true);
    assert_int_equal(out.st, LCL_OK);
    assert_true(out.A.nnz == 1 && out.A.val[0] == 7);
    test_outcome_finish(&out);
    test_expect_vectors(F.bytes, F.size, 1, 1, eight);
    for (size_t size = 512; size < 5 * 512 + sizeof mm - 2; ++size) {
        out = test_read_bytes(F.bytes, size, true);
        assert_true(out.st < 0);
        test_outcome_finish(&out);
    }
}

static void test_formats__other_tar_archives_are_refused(void **state)
{
    struct test_file F = {.size = 0};
    (void)state;
    put_member(&F, "a/b.mtx", mm);
    put_member(&F, "a.mtx", mm);
    put_member(&F, "a/a.txt", mm);
    put_end(&F);
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT, "no matrix");
    test_expect_refusal(F.bytes, F.size, false, LCL_EFORMAT,
                        "no right-hand side");
    memset(F.bytes + 124, 'x', 11);
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT,
                        "the header of a member");
    memset(F.bytes + 124, '7', 11);
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT, "within a member");
    F.size = 0;
    put_member(&F, "a/a.mtx", "");
    put_end(&F);
    test_expect_refusal(F.bytes, F.size, true, LCL_EFORMAT, "an empty file");
}

// ------------------------------------------------------------------- foreign

static void test_formats__other_files_are_named(void **state)
{
    static const struct {
        const char *bytes, *words;
    } cases[] = {
        {"MATLAB 5.0 MAT-file, Platform: GLNXA64", "f: this is a MATLAB file:"},
        {"MATLAB 7.3 MAT-file", "f: this is a MATLAB file of version 7.3"},
        {"\x89HDF\r\n\x1a\n", "f: this is an HDF5 file"},
        {"7z\xbc\xaf\x27\x1c", "f: this is a 7-Zip archive"},
        {"<!DOCTYPE html>", "f: this is a page of HTML"},
        {"version https://git-lfs.github.com/spec/v1\n", "Git LFS"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int matrix = 0; matrix < 2; ++matrix)
            test_expect_refusal(cases[i].bytes, strlen(cases[i].bytes), matrix,
                                LCL_EUNSUPPORTED, cases[i].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats__columns_of_text),
        cmocka_unit_test(test_formats__wrong_columns_are_refused),
        cmocka_unit_test(test_formats__numpy_arrays),
        cmocka_unit_test(test_formats__numpy_types),
        cmocka_unit_test(test_formats__complex_numpy_arrays_are_pairs),
        cmocka_unit_test(test_formats__other_numpy_arrays_are_refused),
        cmocka_unit_test(test_formats__numpy_arrays_of_another_length),
        cmocka_unit_test(test_formats__rutherford_boeing),
        cmocka_unit_test(test_formats__wrong_rutherford_boeing),
        cmocka_unit_test(test_formats__cut_rutherford_boeing_files_are_refused),
        cmocka_unit_test(test_formats__tar_archives),
        cmocka_unit_test(test_formats__other_tar_archives_are_refused),
        cmocka_unit_test(test_formats__other_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
