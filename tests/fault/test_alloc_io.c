// SPDX-License-Identifier: BSD-3-Clause
// Reading, writing and generating matrices while the n-th allocation fails, for
// every n: the library reports out of memory, and a sanitizer finds no leak.
#include "tests/support/fail_alloc.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <levelcl/kron.h>
#include <levelcl/matrix.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 3\n"
#define ARRAY "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"

static char path[LCL_TEST_PATH];

static int setup(void **state)
{
    (void)state;
    lcl_test_folder_create(&test_folder);
    lcl_test_path(path, &test_folder, "file");
    return 0;
}

static enum lcl_status read_csr(const char *name)
{
    struct lcl_csr A;
    const enum lcl_status st = lcl_csr_read(&A, name, NULL, NULL);
    if (st < 0)
        assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val);
    lcl_csr_finish(&A);
    return st;
}

static enum lcl_status read_dense(const char *name)
{
    struct lcl_dense X;
    const enum lcl_status st = lcl_dense_read(&X, name, NULL, NULL);
    if (st < 0)
        assert_true(X.rows == 0 && !X.val);
    lcl_dense_finish(&X);
    return st;
}

// Row pointers 0, 1; the file is both the column and the value.
static enum lcl_status read_text(const char *name)
{
    struct lcl_csr A;
    char row_ptr[LCL_TEST_PATH];
    lcl_test_path(row_ptr, &test_folder, "row_ptr");
    lcl_test_write_file(row_ptr, "0 1", 3);
    const enum lcl_status st =
        lcl_csr_read_text(&A, row_ptr, name, name, NULL, NULL);
    unlink(row_ptr);
    if (st < 0)
        assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val);
    lcl_csr_finish(&A);
    return st;
}

static enum lcl_status read_text_vector(const char *name)
{
    struct lcl_dense X;
    const enum lcl_status st = lcl_dense_read_text(&X, name, NULL);
    if (st < 0)
        assert_true(X.rows == 0 && !X.val);
    lcl_dense_finish(&X);
    return st;
}

static enum lcl_status write_dense(const char *name)
{
    double val[] = {1, 2};
    const struct lcl_dense X = {2, 1, val};
    const enum lcl_status st = lcl_dense_write(&X, name, NULL);
    assert_int_equal(lcl_test_folder_count(&test_folder), st == LCL_OK);
    return st;
}

static enum lcl_status write_csr(const char *name)
{
    int64_t row_ptr[] = {0, 1};
    int32_t col_ind[] = {0};
    double val[] = {2};
    const struct lcl_csr A = {1, 1, 1, row_ptr, col_ind, val};
    const enum lcl_status st = lcl_csr_write(&A, name, NULL);
    assert_int_equal(lcl_test_folder_count(&test_folder), st == LCL_OK);
    return st;
}

static enum lcl_status read_any(const char *name)
{
    struct lcl_csr A;
    struct lcl_dense X;
    const enum lcl_status st = lcl_file_read(&A, &X, name, NULL, NULL);
    if (st < 0)
        assert_true(!A.row_ptr && !A.col_ind && !A.val && !X.val);
    lcl_csr_finish(&A);
    lcl_dense_finish(&X);
    return st;
}

static enum lcl_status make_problem(const char *name)
{
    struct lcl_csr A;
    const enum lcl_status st = lcl_csr_problem(&A, name, NULL);
    if (st < 0)
        assert_true(A.rows == 0 && !A.row_ptr && !A.col_ind && !A.val);
    lcl_csr_finish(&A);
    return st;
}

static enum lcl_status make_kron(const char *name)
{
    struct lcl_kron_data D;
    const enum lcl_status st = lcl_kron_problem(&D, name, NULL);
    if (st < 0)
        assert_true(D.K.stages == 0 && !D.M.row_ptr && !D.L.val);
    lcl_kron_data_finish(&D);
    return st;
}

static enum lcl_status make_blocks(const char *name)
{
    struct lcl_csr A;
    struct lcl_bsr B = {0};
    enum lcl_status st = lcl_csr_problem(&A, name, NULL);
    if (st == LCL_OK)
        st = lcl_bsr_from_csr(&B, &A, 2, NULL);
    if (st < 0)
        assert_true(B.rows == 0 && !B.row_ptr && !B.col_ind && !B.val);
    lcl_bsr_finish(&B);
    lcl_csr_finish(&A);
    return st;
}

// Returns the number of allocations that the call makes.
static long fail_each(enum lcl_status (*call)(const char *), const char *name)
{
    for (long n = 1;; ++n) {
        lcl_test_fail_alloc_at(n);
        const enum lcl_status st = call(name);
        const bool failed = lcl_test_alloc_failed();
        lcl_test_fail_alloc_at(0);
        assert_int_equal(st, failed ? LCL_ENOMEM : LCL_OK);
        if (!failed)
            return n - 1;
    }
}

static void write_text(const char *text)
{
    lcl_test_write_file(path, text, strlen(text));
}

static void test_alloc_io__plain_matrix(void **state)
{
    (void)state;
    write_text(SMALL);
    assert_in_range(fail_each(read_csr, path), 8, 12);
}

static void test_alloc_io__compressed_matrix(void **state)
{
    (void)state;
    size_t size;
    void *bytes = lcl_test_gzip(SMALL, &size);
    lcl_test_write_file(path, bytes, size);
    free(bytes);
    assert_in_range(fail_each(read_csr, path), 9, 20);
    bytes = lcl_test_xz(SMALL, &size);
    lcl_test_write_file(path, bytes, size);
    free(bytes);
    assert_in_range(fail_each(read_csr, path), 9, 30);
}

// Covers the growth of the entries and the scratch memory of a long row in
// reverse order.
static void test_alloc_io__long_disordered_row(void **state)
{
    (void)state;
    enum { N = 5000 };
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate pattern general\n");
    fprintf(file, "1 %d %d\n", N, N);
    for (int j = N; j > 0; --j)
        fprintf(file, "1 %d\n", j);
    assert_int_equal(fclose(file), 0);
    assert_in_range(fail_each(read_csr, path), 10, 14);
}

static void test_alloc_io__dense_matrix(void **state)
{
    (void)state;
    write_text(ARRAY);
    assert_in_range(fail_each(read_dense, path), 6, 10);
    write_text(SMALL);
    assert_in_range(fail_each(read_dense, path), 9, 13);
}

static void test_alloc_io__text(void **state)
{
    (void)state;
    write_text("0\n");
    assert_in_range(fail_each(read_text, path), 15, 24);
    assert_in_range(fail_each(read_text_vector, path), 5, 8);
}

static void test_alloc_io__written_matrix(void **state)
{
    (void)state;
    unlink(path);
    assert_in_range(fail_each(write_dense, path), 1, 4);
}

// Every file of the folder that this build reads.
static void test_alloc_io__all_formats(void **state)
{
    if (!*state)
        skip();
    DIR *folder = opendir(*state);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[LCL_TEST_PATH + 256];
        snprintf(name, sizeof name, "%s/%s", (char *)*state, entry->d_name);
        if (read_any(name) < 0)
            continue;
        assert_in_range(fail_each(read_any, name), 4, 100);
        ++count;
    }
    closedir(folder);
    assert_true(count > 30);
}

// Matrix and vector, plain and compressed; each is read again.
static void test_alloc_io__suffixes(void **state)
{
    (void)state;
    static const char *const names[] = {"A.mtx", "A.petsc", "A.petsc.gz",
                                        "A.petsc.xz", "A.mtx.gz"};
    unlink(path);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char name[LCL_TEST_PATH];
        lcl_test_path(name, &test_folder, names[i]);
        assert_in_range(fail_each(write_csr, name), 2, 30);
        assert_in_range(fail_each(read_any, name), 6, 30);
        assert_int_equal(unlink(name), 0);
        assert_in_range(fail_each(write_dense, name), 2, 30);
        assert_in_range(fail_each(read_any, name), 4, 30);
        assert_int_equal(unlink(name), 0);
    }
}

static enum lcl_status make_modes(const char *name)
{
    struct lcl_dense X, B = {0};
    enum lcl_status st = lcl_problem_coordinates(&X, name, NULL);
    if (st == LCL_OK)
        st = lcl_rigid_body_modes(&B, &X, NULL);
    assert_true(st == LCL_OK || !B.val);
    lcl_dense_finish(&B);
    lcl_dense_finish(&X);
    return st;
}

static void test_alloc_io__problems(void **state)
{
    (void)state;
    assert_int_equal(fail_each(make_problem, "lap3d:3,b=2"), 4);
    assert_int_equal(fail_each(make_problem, "q2:3"), 7);
    assert_int_equal(fail_each(make_problem, "rows:4x2,3x3"), 4);
    assert_int_equal(fail_each(make_problem, "elasticity:2"), 4);
    assert_int_equal(fail_each(make_modes, "elasticity:2"), 3);
    assert_int_equal(fail_each(make_kron, "kron:2,2,2,2"), 7);
    assert_int_equal(fail_each(make_kron, "radau:2,2"), 7);
}

static enum lcl_status finish_rows(struct lcl_rows *R, enum lcl_status st)
{
    if (st < 0)
        assert_true(R->total == 0 && !R->row_ptr && !R->col && !R->val);
    lcl_rows_finish(R);
    return st;
}

static enum lcl_status make_rows(const char *name)
{
    struct lcl_rows R;
    return finish_rows(&R, lcl_rows_problem(&R, name, 1, 2, NULL));
}

static enum lcl_status read_rows(const char *name)
{
    struct lcl_rows R;
    return finish_rows(&R, lcl_rows_read(&R, name, 1, 1, 2, NULL));
}

static void test_alloc_io__rows_of_a_rank(void **state)
{
    (void)state;
    char petsc[LCL_TEST_PATH];
    struct lcl_csr A;
    lcl_test_path(petsc, &test_folder, "A.petsc");
    assert_int_equal(lcl_csr_problem(&A, "lap3d:2", NULL), LCL_OK);
    assert_int_equal(lcl_csr_write(&A, petsc, NULL), LCL_OK);
    lcl_csr_finish(&A);
    assert_int_equal(fail_each(make_rows, "lap3d:3,b=2"), 4);
    assert_int_equal(fail_each(make_rows, "q2:3"), 10);
    assert_in_range(fail_each(read_rows, petsc), 7, 12);
    write_text(SMALL);
    assert_in_range(fail_each(read_rows, path), 11, 15);
    assert_int_equal(unlink(petsc), 0);
}

// Except the copy of the name.
static void test_alloc_io__systems_out_of_range_allocate_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"kron:16,1000,1000,34", "radau:9,391"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        lcl_test_fail_alloc_at(2);
        assert_int_equal(make_kron(names[i]), LCL_ERANGE);
        assert_false(lcl_test_alloc_failed());
        lcl_test_fail_alloc_at(0);
    }
}

static void test_alloc_io__blocks(void **state)
{
    (void)state;
    assert_int_equal(fail_each(make_blocks, "lap3d:2,b=2"), 8);
}

// usage: alloc_io FOLDER
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_io__plain_matrix),
        cmocka_unit_test(test_alloc_io__compressed_matrix),
        cmocka_unit_test(test_alloc_io__long_disordered_row),
        cmocka_unit_test(test_alloc_io__dense_matrix),
        cmocka_unit_test(test_alloc_io__text),
        cmocka_unit_test(test_alloc_io__written_matrix),
        cmocka_unit_test_prestate(test_alloc_io__all_formats,
                                  argc > 1 ? argv[1] : NULL),
        cmocka_unit_test(test_alloc_io__suffixes),
        cmocka_unit_test(test_alloc_io__problems),
        cmocka_unit_test(test_alloc_io__systems_out_of_range_allocate_nothing),
        cmocka_unit_test(test_alloc_io__rows_of_a_rank),
        cmocka_unit_test(test_alloc_io__blocks),
    };
    return cmocka_run_group_tests(tests, setup, test_folder_teardown);
}
