// SPDX-License-Identifier: BSD-3-Clause
// Ranks that read one file together have the rows of lcl_rows_read().
#include "lib/comm/team.h"
#include "lib/io/shared.h"
#include "tests/support/capture.h"
#include "tests/support/folder.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 7, TEXT = 1 << 18 };

static struct test_capture capture[RANKS];

// ------------------------------------------------------------------- reading

struct reading {
    lcl_team *team;
    const char *path[RANKS];
    int block[RANKS];
    struct lcl_rows R[RANKS];
    enum lcl_status st[RANKS];
};

static enum lcl_status read_rank(void *arg, int rank)
{
    struct reading *D = arg;
    D->st[rank] =
        lcl_rows_read_shared(&D->R[rank], D->path[rank], D->block[rank],
                             lcl_team_comm(D->team, rank));
    return D->st[rank];
}

static struct reading prepare(const char *path, int block)
{
    struct reading D = {.team = NULL};
    for (int r = 0; r < RANKS; ++r) {
        D.path[r] = path;
        D.block[r] = block;
    }
    return D;
}

static void run(struct reading *D, int size)
{
    struct lcl_log log[RANKS];
    for (int r = 0; r < size; ++r) {
        test_capture_init(&capture[r], LCL_LOG_ERROR);
        log[r] = capture[r].log;
    }
    assert_int_equal(lcl_team_create(&D->team, size, log), LCL_OK);
    (void)lcl_team_run(D->team, read_rank, D);
    lcl_team_destroy(&D->team);
}

static void expect_rows(struct lcl_rows *R, const char *path, int block,
                        int rank, int size)
{
    struct lcl_rows E;
    assert_int_equal(lcl_rows_read(&E, path, block, rank, size, NULL), LCL_OK);
    assert_true(R->first == E.first && R->rows == E.rows &&
                R->total == E.total && R->is_complex == E.is_complex);
    const size_t nnz = (size_t)E.row_ptr[E.rows];
    assert_memory_equal(R->row_ptr, E.row_ptr,
                        (size_t)(E.rows + 1) * sizeof *E.row_ptr);
    assert_memory_equal(R->col, E.col, nnz * sizeof *E.col);
    assert_memory_equal(R->val, E.val, nnz * sizeof *E.val);
    lcl_rows_finish(&E);
    lcl_rows_finish(R);
}

static void expect_read(const char *path, int block)
{
    static const int sizes[] = {1, 2, 3, RANKS};
    for (int s = 0; s < 4; ++s) {
        struct reading D = prepare(path, block);
        run(&D, sizes[s]);
        for (int r = 0; r < sizes[s]; ++r) {
            if (D.st[r] != LCL_OK)
                fail_msg("rank %d: %s", r, capture[r].last);
            expect_rows(&D.R[r], path, block, r, sizes[s]);
        }
    }
}

// All ranks get the status, and one of them the message.
static void expect_refused(struct reading *D, int size, enum lcl_status st,
                           const char *message)
{
    int said = 0;
    run(D, size);
    for (int r = 0; r < size; ++r) {
        assert_int_equal(D->st[r], st);
        assert_null(D->R[r].val);
        said += strstr(capture[r].last, message) != NULL;
    }
    if (said == 0)
        fail_msg("nobody said '%s', rank 0: %s", message, capture[0].last);
}

// ------------------------------------------------------------------- files

// Appends a line to a text of TEXT bytes.
static void append(char *text, const char *format, int row, int col, double val)
{
    const size_t at = strlen(text);
    snprintf(text + at, TEXT - at, format, row, col, val);
}

// n x n, entries in any order, some of them twice, blank lines and comments;
// `symmetry`: "general", "symmetric" or "skew-symmetric".
static void write_matrix(char path[LCL_TEST_PATH], const char *name,
                         const char *symmetry, int n, int entries)
{
    char *text = calloc(TEXT, 1);
    uint64_t random = 7;
    assert_non_null(text);
    snprintf(text, TEXT,
             "%%%%MatrixMarket matrix coordinate real %s\n%% a comment\n\n"
             "%d %d %d\n",
             symmetry, n, n, entries);
    for (int k = 0; k < entries; ++k) {
        int row = 1 + (int)(test_random(&random) * n);
        int col = 1 + (int)(test_random(&random) * n);
        const bool skew = symmetry[1] == 'k', lower = symmetry[0] == 's';
        if (lower && col > row) {
            const int other = row;
            row = col;
            col = other;
        }
        if (skew && row == col)
            row = col < n ? col + 1 : n, col = row - 1;
        append(text, k % 7 ? "%d %d %.17g\n" : "  %d\t%d %.9g\n\n", row, col,
               2 * test_random(&random) - 1);
    }
    lcl_test_path(path, &test_folder, name);
    lcl_test_write_file(path, text, strlen(text));
    free(text);
}

static void test_shared__rows_are_those_of_the_whole_file(void **state)
{
    (void)state;
    static const char *const symmetries[] = {"general", "symmetric",
                                             "skew-symmetric"};
    char path[LCL_TEST_PATH];
    for (int k = 0; k < 3; ++k) {
        write_matrix(path, "some.mtx", symmetries[k], 60, 900);
        expect_read(path, 1);
        expect_read(path, 4);
        write_matrix(path, "few.mtx", symmetries[k], 30, 5);
        expect_read(path, 1);
    }
}

// 20 x 20, lower triangle by rows, real on the diagonal.
static void write_complex(char path[LCL_TEST_PATH], const char *symmetry)
{
    enum { N = 20 };
    char *text = calloc(TEXT, 1);
    const int skew = symmetry[1] == 'k';
    assert_non_null(text);
    snprintf(text, TEXT,
             "%%%%MatrixMarket matrix coordinate complex %s\n%d %d "
             "%d\n",
             symmetry, N, N, N * (N + 1) / 2 - (skew ? N : 0));
    for (int i = 1; i <= N; ++i)
        for (int j = 1; j <= i - skew; ++j)
            append(text, i == j ? "%d %d %g 0\n" : "%d %d 2 %g\n", i, j,
                   i + 0.01 * j);
    lcl_test_path(path, &test_folder, "complex.mtx");
    lcl_test_write_file(path, text, strlen(text));
    free(text);
}

static void test_shared__rows_of_complex_files_are_whole_pairs(void **state)
{
    (void)state;
    static const char *const symmetries[] = {"general", "symmetric",
                                             "skew-symmetric", "hermitian"};
    char path[LCL_TEST_PATH];
    for (int k = 0; k < 4; ++k) {
        write_complex(path, symmetries[k]);
        expect_read(path, 1);
        expect_read(path, 4);
    }
}

static void test_shared__other_files_are_read_by_each_rank(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], other[LCL_TEST_PATH];
    struct lcl_csr A = test_problem("convdiff:5,2");
    static const char *const names[] = {"a.petsc", "a.mtx.gz", "a.mtx.xz",
                                        "a.mtx"};
    for (int k = 0; k < 4; ++k) {
        lcl_test_path(path, &test_folder, names[k]);
        assert_int_equal(lcl_csr_write(&A, path, NULL), LCL_OK);
        expect_read(path, 1);
    }
    lcl_test_path(other, &test_folder, "none.mtx");
    struct reading D = prepare(other, 1);
    expect_refused(&D, 3, LCL_EIO, "cannot open");
    lcl_csr_finish(&A);
}

static void write_text(char path[LCL_TEST_PATH], const char *name,
                       const char *text)
{
    lcl_test_path(path, &test_folder, name);
    lcl_test_write_file(path, text, strlen(text));
}

#define HEAD "%%MatrixMarket matrix coordinate real general\n"

// 8 x 8, 1 on the diagonal and below.
static const char rutherford_boeing[] =
    "Eight rows                                                              8\n"
    "2 1 1 0\npua           8 8 15 0\n(9I3)           (15I3)\n"
    "  1  3  5  7  9 11 13 15 16\n"
    "  1  2  2  3  3  4  4  5  5  6  6  7  7  8  8\n";

// An archive of one matrix.
static void write_archive(char path[LCL_TEST_PATH], const char *member)
{
    static const char text[] = HEAD "8 8 3\n1 1 1\n8 8 2\n3 4 5\n";
    char archive[4 * 512] = "";
    snprintf(archive, 100, "%s", member);
    snprintf(archive + 124, 12, "%011o", (unsigned)strlen(text));
    archive[156] = '0';
    memcpy(archive + 257, "ustar", 5);
    memcpy(archive + 512, text, strlen(text));
    lcl_test_path(path, &test_folder, "a.tar");
    lcl_test_write_file(path, archive, sizeof archive);
}

static void test_shared__plain_files_of_other_formats_are_read(void **state)
{
    char path[LCL_TEST_PATH];
    (void)state;
    write_text(path, "a.rb", rutherford_boeing);
    expect_read(path, 1);
    write_archive(path, "a/a.mtx");
    expect_read(path, 1);
    write_archive(path, "%/%.mtx");
    expect_read(path, 1);
}

// ------------------------------------------------------------------- errors

static void test_shared__messages_name_the_line_of_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        enum lcl_status st;
    } cases[] = {
        {HEAD "8 8 4\n1 1 1\n2 2 1\n3 3 1\n4 9 1\n",
         ":6: expected a column from 1 to 8", LCL_EFORMAT},
        {HEAD "8 8 4\n1 1 1\n\n2 2 x\n3 3 1\n4 9 1\n",
         ":5: expected a finite value", LCL_EFORMAT},
        {HEAD "8 8 4\n1 1 1\n2 2 1\n3 3 1\n", "expected 4 entries, found 3",
         LCL_EFORMAT},
        {HEAD "8 8 2\n1 1 1\n2 2 1\n3 3 1\n", "expected", LCL_EFORMAT},
        {HEAD "8 8 2\n", "expected 2 entries, found 0", LCL_EFORMAT},
        {HEAD "8 8 2\n7 7 1e308\n7 7 1e308\n", "(7, 7)", LCL_EFORMAT},
        {HEAD "8 9 1\n7 7 1\n", "a square matrix", LCL_EFORMAT},
        {HEAD "2 2 1\n1 1 1\n", "3 ranks cannot share", LCL_EINVAL},
        {HEAD "8 8\n", ":2: expected the number of entries", LCL_EFORMAT},
        {"%%MatrixMarket matrix array real general\n8 8\n", "array format",
         LCL_EUNSUPPORTED},
        {"8 8 1\n1 1 1\n", ":1: expected '%%MatrixMarket', found '8'",
         LCL_EFORMAT},
        {"", "an empty file", LCL_EFORMAT},
        {"MATLAB 5.0 MAT-file", "this is a MATLAB file", LCL_EUNSUPPORTED},
        {"%PDF-1.4\n", "this is a PDF file", LCL_EUNSUPPORTED},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char path[LCL_TEST_PATH];
        write_text(path, "bad.mtx", cases[k].text);
        struct reading D = prepare(path, 1);
        expect_refused(&D, 3, cases[k].st, cases[k].message);
    }
}

static void test_shared__ranks_with_other_files_are_refused(void **state)
{
    (void)state;
    char path[LCL_TEST_PATH], other[LCL_TEST_PATH], none[LCL_TEST_PATH];
    write_text(path, "one.mtx", HEAD "8 8 1\n1 1 1\n");
    write_text(other, "two.mtx", HEAD "8 8 1\n1 1 11\n");
    lcl_test_path(none, &test_folder, "none.mtx");
    struct reading D = prepare(path, 1);
    D.path[2] = other;
    expect_refused(&D, 3, LCL_EINVAL, "the size of the file is");
    D = prepare(path, 1);
    D.path[1] = none;
    expect_refused(&D, 3, LCL_EIO, "cannot open");
    D = prepare(path, 1);
    D.block[1] = 2;
    expect_refused(&D, 3, LCL_EINVAL, "the block size is");
    D.block[1] = 0;
    expect_refused(&D, 3, LCL_EINVAL, "blocks of at least one row");
}

// n x n with n entries; one of line `changed` is another one.
static void write_lines(char path[LCL_TEST_PATH], const char *name, int n,
                        int changed)
{
    char *text = calloc(TEXT, 1);
    assert_non_null(text);
    snprintf(text, TEXT, "%s%d %d %d\n", HEAD, n, n, n);
    for (int k = 1; k <= n; ++k)
        append(text, "%d %d %g\n", k, k == changed ? 11 : 10, 1);
    write_text(path, name, text);
    free(text);
}

// Ranks first .. end - 1 have the other file: a line of theirs that differs is
// noticed, and no other one is read.
static void expect_other(const char *path, const char *other, int size,
                         int first, int end)
{
    struct reading D = prepare(path, 1);
    for (int r = first; r < end; ++r)
        D.path[r] = other;
    run(&D, size);
    for (int r = 0; r < size; ++r) {
        assert_int_equal(D.st[r], D.st[0]);
        if (D.st[r] == LCL_OK)
            expect_rows(&D.R[r], path, 1, r, size);
        else
            test_capture_expect(&capture[r], "have files that differ");
    }
    assert_true(D.st[0] == LCL_EINVAL || (D.st[0] == LCL_OK && size > 2));
}

// Files of the same size.
static void test_shared__a_line_that_differs_is_not_read(void **state)
{
    enum { LINES = 40 };
    char path[LCL_TEST_PATH], other[LCL_TEST_PATH];
    (void)state;
    write_lines(path, "lines.mtx", 10 + LINES, 0);
    for (int k = 11; k <= 10 + LINES; k += 3) {
        write_lines(other, "changed.mtx", 10 + LINES, k);
        for (int size = 2; size <= RANKS; ++size)
            for (int first = 0; first < size; ++first)
                for (int count = 1; 2 * count <= size && first + count <= size;
                     ++count)
                    expect_other(path, other, size, first, first + count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared__rows_are_those_of_the_whole_file),
        cmocka_unit_test(test_shared__rows_of_complex_files_are_whole_pairs),
        cmocka_unit_test(test_shared__other_files_are_read_by_each_rank),
        cmocka_unit_test(test_shared__plain_files_of_other_formats_are_read),
        cmocka_unit_test(test_shared__messages_name_the_line_of_the_file),
        cmocka_unit_test(test_shared__ranks_with_other_files_are_refused),
        cmocka_unit_test(test_shared__a_line_that_differs_is_not_read),
    };
    return cmocka_run_group_tests(tests, test_folder_setup,
                                  test_folder_teardown);
}
