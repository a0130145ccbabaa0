// SPDX-License-Identifier: BSD-3-Clause
// PETSc binary files: accepted input, refused input and the messages.
#include "lib/io/petsc.h"
#include "lib/io/read.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file that is put together number by number.
struct file {
    char bytes[512];
    size_t size;
};

static void put32(struct file *F, int64_t number)
{
    lcl_put_big32(F->bytes + F->size, (uint32_t)number);
    F->size += 4;
}

static void put_value(struct file *F, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    lcl_put_big64(F->bytes + F->size, bits);
    F->size += 8;
}

enum { ROWS = 2, COLS = 3, NNZ = 4 };
// Offsets of the arrays of this matrix, and its size.
enum { LENGTHS = 16, COLUMNS = 24, VALUES = 40, SIZE = 72 };

// Row 0 holds columns 2, 0 and 2, row 1 column 1.
static struct file matrix(void)
{
    static const int numbers[] = {
        LCL_PETSC_MATRIX, ROWS, COLS, NNZ, 3, 1, 2, 0, 2, 1};
    struct file F = {.size = 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        put32(&F, numbers[i]);
    put_value(&F, 1.5);
    put_value(&F, -1.0 / 3);
    put_value(&F, 2);
    put_value(&F, 0);
    assert_int_equal(F.size, SIZE);
    return F;
}

static struct file vector(void)
{
    struct file F = {.size = 0};
    put32(&F, LCL_PETSC_VECTOR);
    put32(&F, 3);
    put_value(&F, DBL_MIN / 4);
    put_value(&F, -0.0);
    put_value(&F, DBL_MAX);
    return F;
}

static enum lcl_status read_file(struct lcl_csr *A, struct lcl_dense *X,
                                 const struct file *F,
                                 struct lcl_read_info *info,
                                 const struct lcl_log *log)
{
    lcl_stream *stream;
    *info = (struct lcl_read_info){0};
    assert_int_equal(
        lcl_stream_open_memory(&stream, "p", F->bytes, F->size, log), LCL_OK);
    const enum lcl_status st = lcl_read_stream(A, X, stream, info);
    lcl_stream_close(&stream);
    return st;
}

static void test_petsc__rows_are_sorted_and_summed(void **state)
{
    (void)state;
    const struct file F = matrix();
    static const int64_t row_ptr[] = {0, 2, 3};
    static const int32_t col[] = {0, 2, 1};
    static const double val[] = {-1.0 / 3, 3.5, 0};
    struct lcl_csr A = {0};
    struct lcl_read_info info;
    assert_int_equal(read_file(&A, NULL, &F, &info, NULL), LCL_OK);
    assert_true(A.rows == ROWS && A.cols == COLS && A.nnz == 3);
    assert_memory_equal(A.row_ptr, row_ptr, sizeof row_ptr);
    assert_memory_equal(A.col_ind, col, sizeof col);
    assert_memory_equal(A.val, val, sizeof val);
    assert_true(info.entries == NNZ && info.duplicates == 1 &&
                info.explicit_zeros == 1 && info.bytes == SIZE);
    lcl_csr_finish(&A);
}

static void test_petsc__vector_is_one_column(void **state)
{
    (void)state;
    const struct file F = vector();
    static const double val[] = {DBL_MIN / 4, -0.0, DBL_MAX};
    struct lcl_dense X = {0};
    struct lcl_read_info info;
    assert_int_equal(read_file(NULL, &X, &F, &info, NULL), LCL_OK);
    assert_true(X.rows == 3 && X.cols == 1 && info.bytes == (int64_t)F.size);
    assert_memory_equal(X.val, val, sizeof val);
    lcl_dense_finish(&X);
}

static void test_petsc__content_decides_between_matrix_and_vector(void **state)
{
    (void)state;
    const struct file files[] = {matrix(), vector()};
    for (int f = 0; f < 2; ++f) {
        struct lcl_csr A = {0};
        struct lcl_dense X = {0};
        struct lcl_read_info info;
        assert_int_equal(read_file(&A, &X, &files[f], &info, NULL), LCL_OK);
        assert_true((A.row_ptr != NULL) == (f == 0));
        assert_true((X.val != NULL) == (f == 1));
        lcl_csr_finish(&A);
        lcl_dense_finish(&X);
    }
}

static void test_petsc__rows_may_be_empty(void **state)
{
    (void)state;
    struct file F = {.size = 0};
    struct lcl_csr A = {0};
    struct lcl_read_info info;
    const int numbers[] = {LCL_PETSC_MATRIX, 2, 1, 0, 0, 0};
    for (int i = 0; i < 6; ++i)
        put32(&F, numbers[i]);
    assert_int_equal(read_file(&A, NULL, &F, &info, NULL), LCL_OK);
    assert_true(A.rows == 2 && A.nnz == 0);
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    lcl_csr_finish(&A);
}

// ------------------------------------------------------------------- refusals

static void expect_refusal(const struct file *F, enum lcl_status status,
                           const char *message)
{
    struct test_capture capture;
    struct lcl_csr A = {0};
    struct lcl_dense X = {0};
    struct lcl_read_info info;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(read_file(&A, &X, F, &info, &capture.log), status);
    assert_string_equal(capture.last, message);
    assert_int_equal(capture.messages, 1);
    assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val && !X.val);
}

// One number of the matrix at `offset` is replaced.
struct change {
    size_t offset;
    int32_t number;
    enum lcl_status status;
    const char *message;
};

// clang-format off
static const struct change changes[] = {
    {0, 1211218, LCL_EUNSUPPORTED,
     "p: byte 0: expected the PETSc class id of a matrix or vector, found "
     "1211218"},
    {4, -2, LCL_EFORMAT,
     "p: byte 4: expected the number of rows, at least 1, found -2"},
    {4, 0, LCL_EFORMAT,
     "p: byte 4: expected the number of rows, at least 1, found 0"},
    {4, 3, LCL_EFORMAT,
     "p: byte 16: expected row lengths that add up to 4, found 6"},
    {4, INT32_MAX, LCL_EFORMAT,
     "p: byte 72: expected row lengths, found the end of the file"},
    {8, INT32_MIN, LCL_EFORMAT,
     "p: byte 8: expected the number of columns, at least 1, found "
     "-2147483648"},
    {8, 2, LCL_EFORMAT, "p: byte 24: expected a column from 0 to 1, found 2"},
    {12, -1, LCL_EUNSUPPORTED,
     "p: byte 12: dense matrices are not supported, expected the number of "
     "entries of a sparse one, found -1"},
    {12, -2, LCL_EFORMAT,
     "p: byte 12: expected the number of entries, at least 0, found -2"},
    {12, 3, LCL_EFORMAT,
     "p: byte 16: expected row lengths that add up to 3, found 4"},
    {12, INT32_MAX, LCL_EFORMAT,
     "p: byte 16: expected row lengths that add up to 2147483647, found 4"},
    {LENGTHS + 4, -1, LCL_EFORMAT,
     "p: byte 20: expected the length of a row, at least 0, found -1"},
    {LENGTHS, INT32_MAX, LCL_EFORMAT,
     "p: byte 16: expected row lengths that add up to 4, found 2147483648"},
    {COLUMNS + 8, 3, LCL_EFORMAT,
     "p: byte 32: expected a column from 0 to 2, found 3"},
    {COLUMNS + 12, -1, LCL_EFORMAT,
     "p: byte 36: expected a column from 0 to 2, found -1"},
    {VALUES + 8, 0x7ff80000, LCL_EFORMAT,
     "p: byte 48: expected a finite value, found nan"},
    {VALUES + 24, (int32_t)0xfff00000u, LCL_EFORMAT,
     "p: byte 64: expected a finite value, found -inf"},
};
// clang-format on

static void test_petsc__refusals_name_the_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        struct file F = matrix();
        lcl_put_big32(F.bytes + changes[i].offset, (uint32_t)changes[i].number);
        expect_refusal(&F, changes[i].status, changes[i].message);
    }
}

static void test_petsc__sums_must_be_finite(void **state)
{
    (void)state;
    struct file F = matrix();
    F.size = VALUES;
    put_value(&F, DBL_MAX);
    put_value(&F, 1);
    put_value(&F, DBL_MAX);
    put_value(&F, 1);
    expect_refusal(&F, LCL_EFORMAT,
                   "p: expected duplicates with a finite sum, found inf at "
                   "(0, 2)");
}

// From the shortest file that is recognised.
static void test_petsc__truncated_files_are_refused(void **state)
{
    (void)state;
    for (size_t size = 4; size < SIZE; ++size) {
        static const char *const what[] = {"the number of rows",
                                           "the number of columns",
                                           "the number of entries"};
        const char *missing = size < LENGTHS   ? what[size / 4 - 1]
                              : size < COLUMNS ? "row lengths"
                              : size < VALUES  ? "columns"
                                               : "values";
        struct file F = matrix();
        char message[128];
        F.size = size;
        snprintf(message, sizeof message,
                 "p: byte %zu: expected %s, found the end of the file", size,
                 missing);
        expect_refusal(&F, LCL_EFORMAT, message);
    }
}

static void test_petsc__nothing_may_follow(void **state)
{
    (void)state;
    struct file files[] = {matrix(), vector()};
    for (int f = 0; f < 2; ++f) {
        char message[256];
        snprintf(message, sizeof message,
                 "p: byte %zu: expected the end of the file, found more bytes: "
                 "a file holds one matrix or vector of real numbers in double "
                 "precision",
                 files[f].size);
        files[f].bytes[files[f].size++] = 0;
        expect_refusal(&files[f], LCL_EFORMAT, message);
    }
}

static void test_petsc__wide_indices_are_refused(void **state)
{
    (void)state;
    for (int id = LCL_PETSC_VECTOR; id <= LCL_PETSC_MATRIX; id += 2) {
        struct file F = {.size = 0};
        put32(&F, 0);
        put32(&F, id);
        put32(&F, 0);
        put32(&F, 3);
        expect_refusal(&F, LCL_EUNSUPPORTED,
                       "p: byte 0: PETSc files with 64-bit indices are not "
                       "supported, expected 32-bit ones");
    }
}

static void test_petsc__matrix_and_vector_are_not_confused(void **state)
{
    (void)state;
    const struct file files[] = {matrix(), vector()};
    struct test_capture capture;
    struct lcl_csr A = {0};
    struct lcl_dense X = {0};
    struct lcl_read_info info;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(read_file(&A, NULL, &files[1], &info, &capture.log),
                     LCL_EUNSUPPORTED);
    assert_string_equal(capture.last,
                        "p: byte 0: expected the PETSc class id of a matrix, "
                        "found 1211214 (a vector)");
    assert_int_equal(read_file(NULL, &X, &files[0], &info, &capture.log),
                     LCL_EUNSUPPORTED);
    assert_string_equal(capture.last,
                        "p: byte 0: expected the PETSc class id of a vector, "
                        "found 1211216 (a matrix)");
}

// A vector that claims 16 GB needs no memory.
static void test_petsc__huge_headers_need_no_memory(void **state)
{
    (void)state;
    struct file F = vector();
    lcl_put_big32(F.bytes + 4, INT32_MAX);
    expect_refusal(&F, LCL_EFORMAT,
                   "p: byte 32: expected values, found the end of the file");
}

// ------------------------------------------------------------------- files

static void expect_same(const struct lcl_csr *A, const struct lcl_csr *B)
{
    const size_t nnz = (size_t)A->nnz;
    assert_true(A->rows == B->rows && A->cols == B->cols && A->nnz == B->nnz);
    assert_memory_equal(A->row_ptr, B->row_ptr,
                        ((size_t)A->rows + 1) * sizeof *A->row_ptr);
    assert_memory_equal(A->col_ind, B->col_ind, nnz * sizeof *A->col_ind);
    assert_memory_equal(A->val, B->val, nnz * sizeof *A->val);
}

static const char *const suffixes[] = {
    ".petsc", ".petsc.gz", ".petsc.xz", ".mtx", ".mtx.gz", ".mtx.xz", ""};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

// More rows, entries and bytes than any block of the readers and writers.
static void test_petsc__written_matrices_come_back(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("lap3d:30"), B;
    char path[LCL_TEST_PATH], name[32];
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] /= 3 + (double)k;
    for (int s = 0; s < SUFFIXES; ++s) {
        snprintf(name, sizeof name, "A%s", suffixes[s]);
        lcl_test_path(path, &test_folder, name);
        assert_int_equal(lcl_csr_write(&A, path, NULL), LCL_OK);
        assert_int_equal(lcl_csr_read(&B, path, NULL, NULL), LCL_OK);
        expect_same(&A, &B);
        lcl_csr_finish(&B);
    }
    lcl_csr_finish(&A);
}

// Several columns become one in a PETSc file.
static void test_petsc__written_vectors_come_back(void **state)
{
    (void)state;
    enum { N = 30000 };
    struct lcl_dense X = {N / 2, 2, malloc(N * sizeof(double))}, Y;
    char path[LCL_TEST_PATH], name[32];
    for (int k = 0; k < N; ++k)
        X.val[k] = 1 / (k + 0.5);
    for (int s = 0; s < SUFFIXES; ++s) {
        const bool is_petsc = strstr(suffixes[s], "petsc") != NULL;
        snprintf(name, sizeof name, "x%s", suffixes[s]);
        lcl_test_path(path, &test_folder, name);
        assert_int_equal(lcl_dense_write(&X, path, NULL), LCL_OK);
        assert_int_equal(lcl_dense_read(&Y, path, NULL, NULL), LCL_OK);
        assert_int_equal(Y.rows, is_petsc ? N : N / 2);
        assert_int_equal(Y.cols, is_petsc ? 1 : 2);
        assert_memory_equal(Y.val, X.val, N * sizeof(double));
        lcl_dense_finish(&Y);
    }
    free(X.val);
}

static void test_petsc__written_bytes_are_those_of_the_format(void **state)
{
    (void)state;
    const struct file F = vector();
    struct lcl_dense X = {0};
    struct lcl_read_info info;
    char path[LCL_TEST_PATH];
    size_t size;
    lcl_test_path(path, &test_folder, "bytes.petsc");
    assert_int_equal(read_file(NULL, &X, &F, &info, NULL), LCL_OK);
    assert_int_equal(lcl_dense_write(&X, path, NULL), LCL_OK);
    char *bytes = lcl_test_read_file(path, &size);
    assert_int_equal(size, F.size);
    assert_memory_equal(bytes, F.bytes, size);
    free(bytes);
    lcl_dense_finish(&X);
}

// A compressed file that is cut is not a short PETSc file.
static void test_petsc__damaged_compression_is_reported_as_such(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("lap3d:20"), B;
    struct test_capture capture;
    char path[LCL_TEST_PATH];
    size_t size;
    lcl_test_path(path, &test_folder, "cut.petsc.gz");
    assert_int_equal(lcl_csr_write(&A, path, NULL), LCL_OK);
    char *bytes = lcl_test_read_file(path, &size);
    lcl_test_write_file(path, bytes, size - 100);
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_csr_read(&B, path, NULL, &capture.log), LCL_EIO);
    test_capture_expect(&capture, "the gzip data are truncated");
    free(bytes);
    lcl_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_petsc__rows_are_sorted_and_summed),
        cmocka_unit_test(test_petsc__vector_is_one_column),
        cmocka_unit_test(test_petsc__content_decides_between_matrix_and_vector),
        cmocka_unit_test(test_petsc__rows_may_be_empty),
        cmocka_unit_test(test_petsc__refusals_name_the_byte),
        cmocka_unit_test(test_petsc__sums_must_be_finite),
        cmocka_unit_test(test_petsc__truncated_files_are_refused),
        cmocka_unit_test(test_petsc__nothing_may_follow),
        cmocka_unit_test(test_petsc__wide_indices_are_refused),
        cmocka_unit_test(test_petsc__matrix_and_vector_are_not_confused),
        cmocka_unit_test(test_petsc__huge_headers_need_no_memory),
        cmocka_unit_test(test_petsc__written_matrices_come_back),
        cmocka_unit_test(test_petsc__written_vectors_come_back),
        cmocka_unit_test(test_petsc__written_bytes_are_those_of_the_format),
        cmocka_unit_test(test_petsc__damaged_compression_is_reported_as_such),
    };
    return cmocka_run_group_tests(tests, test_folder_setup,
                                  test_folder_teardown);
}
