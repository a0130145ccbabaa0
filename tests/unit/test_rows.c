// SPDX-License-Identifier: BSD-3-Clause
// The rows of one rank are those of the whole matrix, generated or read.
#include "lib/io/petsc.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <stdlib.h>
#include <string.h>

static struct test_capture capture;
static const int sizes[] = {1, 2, 3, 7};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int setup(void **state)
{
    (void)state;
    lcl_test_folder_create(&test_folder);
    test_capture_init(&capture, LCL_LOG_ERROR);
    return 0;
}

// ------------------------------------------------------------------- shares

static void expect_shares(int64_t total, int block, int size)
{
    const int64_t blocks = (total + block - 1) / block;
    int64_t end = 0;
    for (int r = 0; r < size; ++r) {
        int64_t first, rows;
        lcl_rows_share(total, block, r, size, &first, &rows);
        assert_int_equal(first, end);
        end = first + rows;
        assert_true(first % block == 0 || first == total);
        const int64_t least = blocks / size;
        const int64_t own = (rows + block - 1) / block;
        assert_true(own == least || own == least + 1);
    }
    assert_int_equal(end, total);
}

static void test_rows__shares_are_equal_up_to_a_block(void **state)
{
    (void)state;
    static const int64_t totals[] = {0, 1, 7, 24, 100, INT64_C(8000000001)};
    for (size_t t = 0; t < sizeof totals / sizeof *totals; ++t)
        for (int block = 1; block <= 8; ++block)
            for (int size = 1; size <= 9; ++size)
                expect_shares(totals[t], block, size);
}

// ------------------------------------------------------------------- compare

static void expect_rows(const struct lcl_rows *R, const struct lcl_csr *A)
{
    assert_int_equal(R->total, A->rows);
    assert_int_equal(R->row_ptr[0], 0);
    for (int64_t i = 0; i < R->rows; ++i) {
        const int64_t from = A->row_ptr[R->first + i], own = R->row_ptr[i];
        const int64_t count = A->row_ptr[R->first + i + 1] - from;
        assert_int_equal(R->row_ptr[i + 1] - own, count);
        assert_memory_equal(R->val + own, A->val + from,
                            (size_t)count * sizeof *A->val);
        for (int64_t k = 0; k < count; ++k)
            assert_int_equal(R->col[own + k], A->col_ind[from + k]);
    }
}

static void expect_share(struct lcl_rows *R, const struct lcl_csr *A, int block,
                         int rank, int size)
{
    int64_t first, rows;
    lcl_rows_share(A->rows, block, rank, size, &first, &rows);
    assert_int_equal(R->first, first);
    assert_int_equal(R->rows, rows);
    expect_rows(R, A);
    lcl_rows_finish(R);
    assert_true(!R->row_ptr && !R->col && !R->val && R->total == 0);
}

static void expect_refusal(enum lcl_status st, enum lcl_status expected,
                           struct lcl_rows *R, const char *message)
{
    assert_int_equal(st, expected);
    test_capture_expect(&capture, message);
    assert_true(R->total == 0 && !R->row_ptr && !R->col && !R->val);
}

// ------------------------------------------------------------------- problems

static void test_rows__problems_are_those_of_one_rank(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int block;
    } cases[] = {
        {"lap3d:5", 1},
        {"lap3d:3,b=4", 4},
        {"convdiff:4x3x5", 1},
        {"kuhn:3,4,5,3", 3},
        {"kuhn:20,20,20,1", 1},
        {"q2:5", 1},
        {"rows:12x5,20x3", 1},
        {"aniso:4,0.01", 1},
        {"jump:10,1000", 1},
        {"convdiff:6,2", 1},
        {"q1:4", 1},
        {"elasticity:3", 3},
        {"blackoil:3", 3},
        {"helmholtz:4,5", 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        struct lcl_csr A = test_problem(cases[c].name);
        for (int s = 0; s < SIZES; ++s)
            for (int r = 0; r < sizes[s]; ++r) {
                struct lcl_rows R;
                assert_int_equal(
                    lcl_rows_problem(&R, cases[c].name, r, sizes[s], NULL),
                    LCL_OK);
                expect_share(&R, &A, cases[c].block, r, sizes[s]);
            }
        lcl_csr_finish(&A);
    }
}

// 8e9 rows, far more than 32 bits count; rank 500,001 of a million has 8,000.
static void test_rows__problems_may_exceed_32_bits(void **state)
{
    (void)state;
    const int64_t n = 2000, first = INT64_C(4000008000);
    const int64_t row[] = {-n * n, -n, -1, 0, 1, n, n * n};
    struct lcl_rows R;
    assert_int_equal(lcl_rows_problem(&R, "lap3d:2000", 500001, 1000000, NULL),
                     LCL_OK);
    assert_true(R.total == n * n * n && R.first == first && R.rows == 8000);
    const int64_t k = R.row_ptr[n + 1]; // not at the end of a line
    assert_int_equal(R.row_ptr[n + 2] - k, 7);
    for (int q = 0; q < 7; ++q) {
        assert_true(R.col[k + q] == first + n + 1 + row[q]);
        assert_true(R.val[k + q] == (q == 3 ? 6 : -1));
    }
    lcl_rows_finish(&R);
}

static void test_rows__impossible_shares_are_refused(void **state)
{
    (void)state;
    struct lcl_rows R;
    expect_refusal(lcl_rows_problem(&R, "lap3d:2,b=2", 0, 9, &capture.log),
                   LCL_EINVAL, &R,
                   "9 ranks cannot share 16 rows in blocks of 2: expected at "
                   "most 8 ranks");
    expect_refusal(lcl_rows_problem(&R, "q2:2", 0, 10, &capture.log),
                   LCL_EINVAL, &R, "10 ranks cannot share 9 rows");
    expect_refusal(lcl_rows_problem(&R, "q2:2", 3, 3, &capture.log), LCL_EINVAL,
                   &R, "there is no rank 3 of 3 ranks");
    expect_refusal(lcl_rows_problem(&R, "q2:2", -1, 3, &capture.log),
                   LCL_EINVAL, &R, "there is no rank -1 of 3 ranks");
    expect_refusal(lcl_rows_problem(&R, "lap3d:200000", 0, 3, &capture.log),
                   LCL_ERANGE, &R, "expected at most 1125899906842624 rows");
    expect_refusal(lcl_rows_problem(&R, "lap4d:2", 0, 3, &capture.log),
                   LCL_EINVAL, &R, "unknown problem 'lap4d:2'");
    expect_refusal(lcl_rows_read(&R, "none.mtx", 0, 0, 3, &capture.log),
                   LCL_EINVAL, &R, "blocks of at least one row, found 0");
    expect_refusal(lcl_rows_read(&R, "none.mtx", 1, 0, 3, &capture.log),
                   LCL_EIO, &R, "none.mtx: cannot open");
}

static void test_rows__slices_of_a_matrix(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("lap3d:3");
    struct lcl_rows R;
    for (int64_t first = 0; first <= A.rows; ++first)
        for (int64_t rows = 0; rows <= A.rows - first; ++rows) {
            assert_int_equal(lcl_rows_of_csr(&R, &A, first, rows, NULL),
                             LCL_OK);
            assert_true(R.first == first && R.rows == rows);
            expect_rows(&R, &A);
            lcl_rows_finish(&R);
        }
    expect_refusal(lcl_rows_of_csr(&R, &A, 27, 1, &capture.log), LCL_EINVAL, &R,
                   "rows 28 to 28 of 27 x 27");
    expect_refusal(lcl_rows_of_csr(&R, &A, -1, 1, &capture.log), LCL_EINVAL, &R,
                   "rows 0 to 0");
    A.cols = 28;
    expect_refusal(lcl_rows_of_csr(&R, &A, 0, 1, &capture.log), LCL_EINVAL, &R,
                   "27 x 28: expected rows of a square matrix");
    lcl_csr_finish(&A);
}

// ------------------------------------------------------------------- files

static void write_problem(char path[LCL_TEST_PATH], struct lcl_csr *A,
                          const char *problem, const char *name)
{
    lcl_test_path(path, &test_folder, name);
    *A = test_problem(problem);
    assert_int_equal(lcl_csr_write(A, path, NULL), LCL_OK);
}

// Large enough that columns and values exceed the buffers of a stream.
static void test_rows__files_are_read_in_shares(void **state)
{
    (void)state;
    static const char *const names[] = {"A.petsc", "A.petsc.gz", "A.mtx"};
    for (int f = 0; f < 3; ++f) {
        struct lcl_csr A;
        char path[LCL_TEST_PATH];
        write_problem(path, &A, "lap3d:20", names[f]);
        for (int s = 0; s < SIZES; ++s)
            for (int r = 0; r < sizes[s]; ++r) {
                struct lcl_rows R;
                const int block = s % 3 + 1;
                assert_int_equal(
                    lcl_rows_read(&R, path, block, r, sizes[s], NULL), LCL_OK);
                expect_share(&R, &A, block, r, sizes[s]);
            }
        lcl_csr_finish(&A);
    }
}

// A PETSc file of lap3d:2: 8 rows of 4 entries.
enum { LENGTHS_AT = 16, COLUMNS_AT = LENGTHS_AT + 4 * 8, ENTRIES = 32 };

// Replaces four bytes and removes the last `cut`.
static void write_damaged(char path[LCL_TEST_PATH], size_t at, uint32_t value,
                          size_t cut)
{
    struct lcl_csr A;
    size_t size;
    write_problem(path, &A, "lap3d:2", "damaged.petsc");
    lcl_csr_finish(&A);
    char *bytes = lcl_test_read_file(path, &size);
    assert_int_equal(size, COLUMNS_AT + 12 * ENTRIES);
    lcl_put_big32(bytes + at, value);
    lcl_test_write_file(path, bytes, size - cut);
    free(bytes);
}

static void test_rows__truncated_files_are_refused_on_all_ranks(void **state)
{
    (void)state;
    struct lcl_rows R;
    char path[LCL_TEST_PATH];
    for (size_t cut = 1; cut <= 12 * ENTRIES + 4 * 8 + 12; ++cut) {
        write_damaged(path, 0, LCL_PETSC_MATRIX, cut);
        for (int r = 0; r < 3; ++r)
            expect_refusal(lcl_rows_read(&R, path, 1, r, 3, &capture.log),
                           LCL_EFORMAT, &R, "found the end of the file");
    }
}

static void test_rows__damaged_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        enum lcl_status status;
        const char *message;
    } cases[] = {
        {0, LCL_PETSC_VECTOR, LCL_EUNSUPPORTED,
         "the PETSc class id of a matrix"},
        {8, 9, LCL_EFORMAT, "byte 8: expected 8 columns as there are rows"},
        {4, 3, LCL_EFORMAT, "byte 8: expected 3 columns"},
        {LENGTHS_AT, 5, LCL_EFORMAT, "lengths that add up to 32, found 33"},
        {LENGTHS_AT + 28, (uint32_t)-1, LCL_EFORMAT, "the length of a row"},
    };
    struct lcl_rows R;
    char path[LCL_TEST_PATH];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        write_damaged(path, cases[c].at, cases[c].value, 0);
        for (int r = 0; r < 3; ++r)
            expect_refusal(lcl_rows_read(&R, path, 1, r, 3, &capture.log),
                           cases[c].status, &R, cases[c].message);
    }
    write_damaged(path, 0, LCL_PETSC_MATRIX, 0);
    expect_refusal(lcl_rows_read(&R, path, 1, 0, 9, &capture.log), LCL_EINVAL,
                   &R, "9 ranks cannot share 8 rows");
}

// Only the rank that has the row looks at its columns.
static void test_rows__columns_are_checked_by_their_rank(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH];
    write_damaged(path, COLUMNS_AT + 4 * 17, 8, 0);
    for (int r = 0; r < 4; ++r) {
        struct lcl_rows R;
        const enum lcl_status st =
            lcl_rows_read(&R, path, 1, r, 4, &capture.log);
        if (r == 2)
            expect_refusal(st, LCL_EFORMAT, &R,
                           "byte 116: expected a column from 0 to 7, found 8");
        else
            assert_int_equal(st, LCL_OK);
        lcl_rows_finish(&R);
    }
}

// A header that promises 2^31 - 1 rows.
static void test_rows__huge_headers_need_no_memory(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], bytes[1024] = {0};
    struct lcl_rows R;
    lcl_put_big32(bytes, LCL_PETSC_MATRIX);
    for (int k = 1; k < 4; ++k)
        lcl_put_big32(bytes + 4 * k, INT32_MAX);
    lcl_test_path(path, &test_folder, "huge.petsc");
    lcl_test_write_file(path, bytes, sizeof bytes);
    expect_refusal(lcl_rows_read(&R, path, 1, 0, 2, &capture.log), LCL_EFORMAT,
                   &R, "expected row lengths, found the end of the file");
}

static void test_rows__rectangular_files_are_refused(void **state)
{
    (void)state;
    static const char text[] =
        "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 1\n";
    char path[LCL_TEST_PATH];
    struct lcl_rows R;
    lcl_test_path(path, &test_folder, "wide.mtx");
    lcl_test_write_file(path, text, strlen(text));
    expect_refusal(lcl_rows_read(&R, path, 1, 0, 2, &capture.log), LCL_EFORMAT,
                   &R, "expected a square matrix, found 2 x 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows__shares_are_equal_up_to_a_block),
        cmocka_unit_test(test_rows__problems_are_those_of_one_rank),
        cmocka_unit_test(test_rows__problems_may_exceed_32_bits),
        cmocka_unit_test(test_rows__impossible_shares_are_refused),
        cmocka_unit_test(test_rows__slices_of_a_matrix),
        cmocka_unit_test(test_rows__files_are_read_in_shares),
        cmocka_unit_test(test_rows__truncated_files_are_refused_on_all_ranks),
        cmocka_unit_test(test_rows__damaged_files_are_refused),
        cmocka_unit_test(test_rows__columns_are_checked_by_their_rank),
        cmocka_unit_test(test_rows__huge_headers_need_no_memory),
        cmocka_unit_test(test_rows__rectangular_files_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, test_folder_teardown);
}
