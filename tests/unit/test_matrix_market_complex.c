// SPDX-License-Identifier: BSD-3-Clause
// Complex Matrix Market files: real form, refused input, what is written.
#include "lib/io/read.h"
#include "lib/matrix/pairs.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BANNER(kind) "%%MatrixMarket matrix " kind "\n"
#define GENERAL      BANNER("coordinate complex general")
#define HERMITIAN    BANNER("coordinate complex hermitian")
#define ARRAY        BANNER("array complex general")

struct example {
    const char *text;
    const char *expected;
};

struct refusal {
    const char *text;
    enum lcl_status status;
    const char *message;
};

static enum lcl_status read_text(struct lcl_csr *A, struct lcl_dense *X,
                                 const char *text, struct lcl_read_info *info,
                                 const struct lcl_log *log)
{
    lcl_stream *stream;
    *info = (struct lcl_read_info){0};
    enum lcl_status st =
        lcl_stream_open_memory(&stream, "m", text, strlen(text), log);
    assert_int_equal(st, LCL_OK);
    st = lcl_read_stream(A, X, stream, info);
    lcl_stream_close(&stream);
    return st;
}

// The complex entries as text, zero-based "row:col=re,im".
static void expect_matrix(const struct example *e, struct lcl_read_info *info)
{
    struct lcl_csr A = LCL_CSR_INIT;
    char got[512] = "";
    assert_int_equal(read_text(&A, NULL, e->text, info, NULL), LCL_OK);
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    assert_int_equal(lcl_csr_check_pairs(&A, NULL), LCL_OK);
    assert_true(info->is_complex);
    size_t used = (size_t)sprintf(got, "%dx%d", (int)A.rows, (int)A.cols);
    for (int64_t i = 1; i < A.rows; i += 2)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k += 2)
            used += (size_t)sprintf(got + used, " %d:%d=%g,%g", (int)i / 2,
                                    A.col_ind[k] / 2, A.val[k + 1], A.val[k]);
    assert_string_equal(got, e->expected);
    lcl_csr_finish(&A);
}

static void expect_dense(const struct example *e)
{
    struct lcl_dense X = LCL_DENSE_INIT;
    struct lcl_read_info info;
    char got[512] = "";
    assert_int_equal(read_text(NULL, &X, e->text, &info, NULL), LCL_OK);
    assert_true(info.is_complex);
    size_t used = (size_t)sprintf(got, "%dx%d", (int)X.rows, (int)X.cols);
    for (int64_t k = 0; k < X.rows * X.cols; ++k)
        used += (size_t)sprintf(got + used, " %g", X.val[k]);
    assert_string_equal(got, e->expected);
    lcl_dense_finish(&X);
}

static void expect_refusals(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        struct test_capture capture;
        struct lcl_read_info info;
        struct lcl_csr A = LCL_CSR_INIT;
        struct lcl_dense X = LCL_DENSE_INIT;
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(read_text(&A, &X, cases[i].text, &info, &capture.log),
                         cases[i].status);
        assert_string_equal(capture.last, cases[i].message);
        assert_int_equal(capture.messages, 1);
        assert_true(!A.row_ptr && !A.col_ind && !A.val && !X.val);
    }
}

static void test_complex__matrices_are_read_in_real_form(void **state)
{
    (void)state;
    static const struct example cases[] = {
        {GENERAL "2 3 3\n2 3 1 -2\n1 1 3 4\n2 1 0 5\n",
         "4x6 0:0=3,4 1:0=0,5 1:2=1,-2"},
        {BANNER("coordinate complex symmetric") "2 2 2\n1 1 1 2\n2 1 3 4\n",
         "4x4 0:0=1,2 0:1=3,4 1:0=3,4"},
        {HERMITIAN "2 2 2\n1 1 1 0\n2 1 3 4\n", "4x4 0:0=1,0 0:1=3,-4 1:0=3,4"},
        {BANNER("coordinate complex skew-symmetric") "2 2 1\n2 1 3 4\n",
         "4x4 0:1=-3,-4 1:0=3,4"},
        {GENERAL "1 1 0\n", "2x2"},
    };
    struct lcl_read_info info;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        expect_matrix(&cases[k], &info);
}

static void test_complex__duplicates_and_zeros_count_pairs(void **state)
{
    (void)state;
    const struct example e = {
        HERMITIAN "3 3 5\n2 1 1 1\n2 1 2 3\n3 3 0 0\n3 1 0 1\n1 1 1 0\n",
        "6x6 0:0=1,0 0:1=3,-4 0:2=0,-1 1:0=3,4 2:0=0,1 2:2=0,0"};
    struct lcl_read_info info;
    expect_matrix(&e, &info);
    assert_int_equal(info.entries, 5);
    assert_int_equal(info.duplicates, 1);
    assert_int_equal(info.explicit_zeros, 1);
    assert_int_equal(info.symmetric, 2);
}

static void test_complex__vectors_are_pairs(void **state)
{
    (void)state;
    static const struct example cases[] = {
        {ARRAY "2 2\n1 2\n3 4\n5 6\n7 8\n", "4x2 1 2 3 4 5 6 7 8"},
        {GENERAL "3 1 2\n3 1 5 6\n1 1 0 1\n", "6x1 0 1 0 0 5 6"},
        {GENERAL "2 2 2\n2 1 5 6\n1 2 7 8\n", "4x2 0 0 5 6 7 8 0 0"},
        {BANNER("array complex symmetric") "2 2\n1 2\n3 4\n5 6\n",
         "4x2 1 2 3 4 3 4 5 6"},
        {BANNER("array complex hermitian") "2 2\n1 0\n3 4\n5 0\n",
         "4x2 1 0 3 4 3 -4 5 0"},
        {BANNER("array complex skew-symmetric") "2 2\n3 4\n",
         "4x2 0 0 3 4 -3 -4 0 0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        expect_dense(&cases[k]);
}

static void test_complex__bad_headers_are_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {BANNER("coordinate real hermitian"), LCL_EFORMAT,
         "m:1: expected 'complex' for a Hermitian matrix"},
        {BANNER("coordinate pattern hermitian"), LCL_EFORMAT,
         "m:1: expected 'complex' for a Hermitian matrix"},
        {HERMITIAN "3 2 1\n", LCL_EFORMAT,
         "m:2: expected a square matrix, because it is Hermitian, found 3 x 2"},
        {GENERAL "1100000000 1 1\n1 1 1 1\n", LCL_ERANGE,
         "m:2: expected at most 1073741823 rows and columns, found "
         "1100000000 x 1"},
        {GENERAL "3 3 100000000000000000\n1 1 1 1\n", LCL_EFORMAT,
         "m:4: expected 100000000000000000 entries, found the end of the file "
         "after 1"},
        {GENERAL "1000000000 1000000000 1\n1 1 1 1\n", LCL_ERANGE,
         "m:2: expected more than 1 entries for 1000000000 rows"},
        {ARRAY "1000000000 1000000000\n1 1\n", LCL_ERANGE,
         "m:2: expected at most 144115188075855871 entries, found "
         "1000000000000000000"},
    };
    expect_refusals(cases, sizeof cases / sizeof *cases);
}

static void test_complex__bad_entries_are_refused(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {GENERAL "3 3 1\n1 1 1\n", LCL_EFORMAT,
         "m:3: expected a finite value, found the end of the line"},
        {GENERAL "3 3 1\n1 1 1 inf\n", LCL_EFORMAT,
         "m:3: expected a finite value, found 'inf'"},
        {GENERAL "3 3 1\n1 1 1 2 3\n", LCL_EFORMAT,
         "m:3: expected the end of the line, found '3'"},
        {GENERAL "3 3 2\n1 1 1 2\n", LCL_EFORMAT,
         "m:4: expected 2 entries, found the end of the file after 1"},
        {GENERAL "2 2 2\n2 1 0 1e308\n2 1 0 1e308\n", LCL_EFORMAT,
         "m: expected duplicates with a finite sum, found -inf at (2, 1)"},
        {HERMITIAN "3 3 1\n2 2 1 2\n", LCL_EFORMAT,
         "m:3: expected a real entry on the diagonal, because the matrix is "
         "Hermitian, found an imaginary part of 2"},
        {HERMITIAN "3 3 1\n1 2 1 2\n", LCL_EFORMAT,
         "m:3: expected an entry on or below the diagonal, because the matrix "
         "is Hermitian, found (1, 2)"},
        {ARRAY "2 1\n1 2\n3\n", LCL_EFORMAT,
         "m:4: expected a finite value, found the end of the line"},
        {BANNER("array complex hermitian") "2 2\n1 0\n3 4\n5 1\n", LCL_EFORMAT,
         "m: expected a real diagonal, because the matrix is Hermitian, found "
         "an imaginary part of 1 in row 2"},
    };
    expect_refusals(cases, sizeof cases / sizeof *cases);
}

static void test_complex__written_matrix_comes_back(void **state)
{
    (void)state;
    static const char text[] =
        GENERAL "2 3 3\n1 1 3.25 4\n2 1 0 5\n2 3 1 -0.1\n";
    struct lcl_csr A = LCL_CSR_INIT, B;
    struct lcl_read_info info;
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "A.mtx");
    assert_int_equal(read_text(&A, NULL, text, &info, NULL), LCL_OK);
    assert_int_equal(lcl_csr_write_complex(&A, path, NULL), LCL_OK);
    assert_int_equal(lcl_csr_read(&B, path, &info, NULL), LCL_OK);
    assert_true(info.is_complex && info.entries == 3 && B.nnz == A.nnz);
    assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
    assert_memory_equal(A.col_ind, B.col_ind,
                        (size_t)A.nnz * sizeof *A.col_ind);
    lcl_csr_finish(&B);
    A.val[1] = 7;
    assert_int_equal(lcl_csr_write_complex(&A, path, NULL), LCL_EFORMAT);
    lcl_csr_finish(&A);
    assert_int_equal(unlink(path), 0);
}

static void test_complex__written_vector_comes_back(void **state)
{
    (void)state;
    double val[] = {1.0 / 3, -0.0, 4.9e-324, 1e308};
    const struct lcl_dense X = {2, 2, val}, odd = {1, 1, val};
    struct lcl_dense Y;
    struct lcl_read_info info;
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "X.mtx");
    assert_int_equal(lcl_dense_write_complex(&X, path, NULL), LCL_OK);
    assert_int_equal(lcl_dense_read(&Y, path, &info, NULL), LCL_OK);
    assert_true(info.is_complex && Y.rows == 2 && Y.cols == 2);
    assert_memory_equal(Y.val, val, sizeof val);
    lcl_dense_finish(&Y);
    assert_int_equal(lcl_dense_write_complex(&odd, path, NULL), LCL_EFORMAT);
    assert_int_equal(unlink(path), 0);
}

static void test_complex__rows_of_ranks_do_not_cut_pairs(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH];
    lcl_test_path(path, &test_folder, "R.mtx");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(GENERAL "3 3 3\n1 1 1 1\n2 2 2 2\n3 3 3 3\n", file);
    fclose(file);
    for (int rank = 0; rank < 2; ++rank) {
        struct lcl_rows R;
        assert_int_equal(lcl_rows_read(&R, path, 1, rank, 2, NULL), LCL_OK);
        assert_true(R.is_complex && R.total == 6);
        assert_int_equal(R.first, rank * 4);
        assert_int_equal(R.rows, rank ? 2 : 4);
        lcl_rows_finish(&R);
    }
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complex__matrices_are_read_in_real_form),
        cmocka_unit_test(test_complex__duplicates_and_zeros_count_pairs),
        cmocka_unit_test(test_complex__vectors_are_pairs),
        cmocka_unit_test(test_complex__bad_headers_are_refused),
        cmocka_unit_test(test_complex__bad_entries_are_refused),
        cmocka_unit_test(test_complex__written_matrix_comes_back),
        cmocka_unit_test(test_complex__written_vector_comes_back),
        cmocka_unit_test(test_complex__rows_of_ranks_do_not_cut_pairs),
    };
    return cmocka_run_group_tests(tests, test_folder_setup,
                                  test_folder_teardown);
}
