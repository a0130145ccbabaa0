// SPDX-License-Identifier: BSD-3-Clause
// The built-in problems: sizes, values computed by hand, refused names.
#include "lib/io/problems/problem.h"
#include "lib/io/problems/uniform.h"
#include "lib/matrix/pairs.h"
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <levelcl/matrix.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct lcl_csr make(const char *name)
{
    struct lcl_csr A = test_problem(name);
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    assert_int_equal(A.rows, A.cols);
    return A;
}

static double row_sum(const struct lcl_csr *A, int64_t i)
{
    double sum = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        sum += A->val[k];
    return sum;
}

static bool is_symmetric(const struct lcl_csr *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->val[k] != test_entry(A, A->col_ind[k], i))
                return false;
    return true;
}

static void test_problem__sizes_are_those_of_the_formulas(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t rows, nnz;
    } cases[] = {
        {"lap3d:1", 1, 1},
        {"lap3d:2", 8, 32},
        {"lap3d:20", 8000, 53600},
        {"lap3d:20,b=3", 24000, 482400},
        {"lap3d:4,b=1", 64, 352},
        {"lap3d:2x3x4", 24, 116},
        {"lap3d:2x3x4,b=3", 72, 1044},
        // as in Mehta et al., Tables 5.1 and 5.4
        {"laplacian1", 6291456, 131235840},
        {"lap3d:100", 1000000, 6940000}, // as in Chen, Liu and Yang
        {"convdiff:1x1x1", 1, 1},
        {"convdiff:2x3x4", 24, 116},
        {"convdiff:148x148x58", 1270432, 8814880}, // as ATMOSMODD
        {"parabolic", 525825, 3674625},
        {"convdiff:3,0.5", 27, 135},
        {"aniso:3,1e-3", 27, 135},
        {"jump:20,1e4", 8000, 53600},
        {"q1:2", 1, 1},
        {"q1:5", 64, 1000},
        {"helmholtz:1,2", 2, 4},
        {"helmholtz:3,2", 54, 540},
        {"blackoil:1", 3, 9},
        {"blackoil:5", 375, 6525},
        {"elasticity:1", 12, 144},
        {"elasticity:4", 300, 15210},
        {"q2:1", 1, 1},
        {"q2:2", 9, 49},
        {"q2:128", 65025, 1030225},
        {"kuhn:1,1,1,2", 2, 4},
        {"kuhn:2,2,2,1", 8, 46},
        {"kuhn:53,53,54,1", 151686, 2207664},
        {"rows:1x1,2x2", 3, 5},
        {"rows:14950x10,15050x64", 30000, 1112700},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct lcl_csr A = make(cases[i].name);
        assert_int_equal(A.rows, cases[i].rows);
        assert_int_equal(A.nnz, cases[i].nnz);
        lcl_csr_finish(&A);
    }
}

static void test_problem__lap3d_has_six_and_minus_one(void **state)
{
    (void)state;
    struct lcl_csr A = make("lap3d:3");
    for (int64_t i = 0; i < A.rows; ++i)
        assert_true(test_entry(&A, i, i) == 6);
    static const int neighbours[] = {4, 10, 12, 14, 16, 22};
    for (int k = 0; k < 6; ++k)
        assert_true(test_entry(&A, 13, neighbours[k]) == -1);
    assert_true(row_sum(&A, 13) == 0);
    assert_true(is_symmetric(&A));
    lcl_csr_finish(&A);
}

static void test_problem__lap3d_on_a_box_is_numbered_along_x(void **state)
{
    (void)state;
    struct lcl_csr A = make("lap3d:2x3x4");
    static const int neighbours[] = {2, 6, 9, 10, 14};
    for (int k = 0; k < 5; ++k)
        assert_true(test_entry(&A, 8, neighbours[k]) == -1);
    assert_int_equal(A.row_ptr[9] - A.row_ptr[8], 6);
    lcl_csr_finish(&A);
}

static void test_problem__lap3d_blocks_are_coupled_in_the_cell(void **state)
{
    (void)state;
    struct lcl_csr A = make("lap3d:2,b=3");
    for (int64_t r = 0; r < 3; ++r)
        for (int64_t s = 0; s < 3; ++s) {
            const double inside = r == s ? 6 + 0.1 * 2 : -0.1;
            assert_true(test_entry(&A, r, s) == inside);
            assert_true(test_entry(&A, r, 3 + s) == (r == s ? -1 : 0));
        }
    assert_int_equal(A.row_ptr[1], 12);
    assert_true(is_symmetric(&A));
    lcl_csr_finish(&A);
}

static void test_problem__convdiff_is_upwind(void **state)
{
    (void)state;
    static const struct {
        int64_t column;
        double value;
    } row[] = {{37 - 15, -1.25}, {37 - 5, -1.5}, {37 - 1, -2}, {37, 7.75},
               {37 + 1, -1},     {37 + 5, -1},   {37 + 15, -1}};
    struct lcl_csr A = make("convdiff:5x3x6");
    for (int k = 0; k < 7; ++k)
        assert_true(test_entry(&A, 37, row[k].column) == row[k].value);
    assert_true(!is_symmetric(&A));
    lcl_csr_finish(&A);
}

// 0 inside; on a face, minus the entry of the missing neighbour.
static void test_problem__convdiff_rows_sum_to_missing_neighbours(void **state)
{
    (void)state;
    static const double low[3] = {2, 1.5, 1.25};
    static const int n[3] = {50, 41, 60}; // several threads
    struct lcl_csr A = make("convdiff:50x41x60");
    for (int64_t i = 0; i < A.rows; ++i) {
        const int64_t node[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        double missing = 0;
        for (int d = 0; d < 3; ++d)
            missing += (node[d] == 0 ? low[d] : 0) + (node[d] == n[d] - 1);
        assert_true(row_sum(&A, i) == missing);
    }
    lcl_csr_finish(&A);
}

// The flow through a face leaves one cell and enters the other, so that the
// columns inside sum to 0; with PE = 0.5 some rows do not.
static void test_problem__recirculating_flow_is_conserved(void **state)
{
    (void)state;
    enum { N = 6 };
    struct lcl_csr A = make("convdiff:6,0.5");
    double most = 0;
    for (int64_t i = 0; i < A.rows; ++i) {
        const int64_t node[3] = {i % N, i / N % N, i / N / N};
        double column = 0;
        bool inside = true;
        for (int d = 0; d < 3; ++d)
            inside &= node[d] > 0 && node[d] < N - 1;
        for (int64_t r = 0; r < A.rows; ++r)
            column += test_entry(&A, r, i);
        assert_true(!inside || fabs(column) < 1e-14);
        most = fmax(most, inside ? fabs(row_sum(&A, i)) : 0);
    }
    assert_true(most > 1e-3);
    assert_true(!is_symmetric(&A));
    lcl_csr_finish(&A);
}

// Without flow it is the Laplacian.
static void test_problem__recirculating_flow_can_be_slow(void **state)
{
    (void)state;
    struct lcl_csr A = make("convdiff:4,1e-100"), B = make("lap3d:4");
    assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
    lcl_csr_finish(&A);
    lcl_csr_finish(&B);
}

static void test_problem__aniso_is_weak_along_y_and_z(void **state)
{
    (void)state;
    static const struct {
        int64_t column;
        double value;
    } row[] = {{4, -0.25}, {10, -0.25}, {12, -1},   {13, 3},
               {14, -1},   {16, -0.25}, {22, -0.25}};
    struct lcl_csr A = make("aniso:3,0.25");
    for (int k = 0; k < 7; ++k)
        assert_true(test_entry(&A, 13, row[k].column) == row[k].value);
    assert_true(is_symmetric(&A));
    lcl_csr_finish(&A);
}

// A corner, a face and the center of 3^3 cells of spacing 1 / 3.
static void test_problem__helmholtz_absorbs_at_the_boundary(void **state)
{
    (void)state;
    static const struct {
        int64_t cell;
        double re, im;
    } diagonal[] = {{0, 2.75, -1.5}, {4, 4.75, -0.5}, {13, 5.75, 0}};
    struct lcl_csr A = make("helmholtz:3,1.5");
    assert_int_equal(lcl_csr_check_pairs(&A, NULL), LCL_OK);
    for (int k = 0; k < 3; ++k) {
        const int64_t i = 2 * diagonal[k].cell;
        assert_true(fabs(test_entry(&A, i, i) - diagonal[k].re) < 1e-15);
        assert_true(fabs(test_entry(&A, i + 1, i) - diagonal[k].im) < 1e-15);
    }
    assert_true(test_entry(&A, 0, 2) == -1 && test_entry(&A, 0, 3) == 0);
    lcl_csr_finish(&A);
    assert_true(lcl_problem_is_complex("helmholtz:3,1.5"));
    assert_false(lcl_problem_is_complex("jump:3,1.5"));
    assert_false(lcl_problem_is_complex("helmholtz"));
    assert_false(lcl_problem_is_complex(NULL));
}

// Inside the cubes 1 or the contrast, between them 2 c / (1 + c).
static void test_problem__jump_has_harmonic_means_between_cubes(void **state)
{
    (void)state;
    struct lcl_csr A = make("jump:16,3");
    assert_true(test_entry(&A, 0, 1) == -1);
    assert_true(test_entry(&A, 8, 9) == -3);
    assert_true(test_entry(&A, 7, 8) == -1.5);
    assert_true(test_entry(&A, 0, 0) == 6);
    assert_true(test_entry(&A, 15, 15) == 18);
    assert_true(is_symmetric(&A));
    for (int64_t i = 0; i < A.rows; ++i) {
        const int64_t node[3] = {i % 16, i / 16 % 16, i / 256};
        bool inside = true;
        for (int d = 0; d < 3; ++d)
            inside &= node[d] > 0 && node[d] < 15;
        assert_true(row_sum(&A, i) >= (inside ? -1e-14 : 0.5));
        assert_true(!inside || row_sum(&A, i) <= 1e-14);
    }
    lcl_csr_finish(&A);
}

// The flow through a face leaves one cell and enters the other: the columns sum
// to the accumulation where there are all neighbours.
static void test_problem__blackoil_is_conserved(void **state)
{
    (void)state;
    static const double accumulation[3][3] = {
        {0.002, 1, 0}, {0.004, -1, -0.8}, {0.003, 0, 1}};
    struct lcl_csr A = make("blackoil:5");
    const int64_t cell = 2 + 5 * (2 + 5 * 2);
    for (int equation = 0; equation < 3; ++equation)
        for (int unknown = 0; unknown < 3; ++unknown) {
            double sum = 0;
            for (int64_t i = 0; i < A.rows / 3; ++i)
                sum += test_entry(&A, 3 * i + equation, 3 * cell + unknown);
            assert_true(fabs(sum - accumulation[equation][unknown]) < 1e-10);
        }
    assert_true(!is_symmetric(&A));
    lcl_csr_finish(&A);
}

// Trilinear elements: 8/3 on the diagonal, 0 to the faces, -1/6 to the edges
// and -1/12 to the corners of the cubes around a node.
static void test_problem__q1_is_the_trilinear_laplacian(void **state)
{
    (void)state;
    static const double expected[4] = {8.0 / 3, 0, -1.0 / 6, -1.0 / 12};
    struct lcl_csr A = make("q1:4");
    for (int64_t j = 0; j < A.rows; ++j) {
        const int64_t away = (j % 3 != 1) + (j / 3 % 3 != 1) + (j / 9 != 1);
        assert_true(fabs(test_entry(&A, 13, j) - expected[away]) < 1e-15);
    }
    assert_true(is_symmetric(&A));
    lcl_csr_finish(&A);
}

static void test_problem__parabolic_rows_sum_to_their_mass(void **state)
{
    (void)state;
    struct lcl_csr A = make("parabolic");
    const double m = 0x1p-20 / 12;
    const int64_t i = 5 + 1025 * 7;
    assert_int_equal(A.row_ptr[i + 1] - A.row_ptr[i], 7);
    assert_true(fabs(test_entry(&A, i, i) - (0.04 + 6 * m)) < 1e-15);
    assert_true(test_entry(&A, i, i + 1026) == m);
    assert_true(fabs(test_entry(&A, i, i + 1025) - (m - 0.01)) < 1e-17);
    assert_true(fabs(row_sum(&A, i) - 12 * m) < 1e-15);
    lcl_csr_finish(&A);
}

static void test_problem__q2_has_the_norm_of_the_published_matrix(void **state)
{
    (void)state;
    struct lcl_csr A = make("q2:128");
    double squares = 0;
    for (int64_t k = 0; k < A.nnz; ++k)
        squares += A.val[k] * A.val[k];
    assert_true(fabs(sqrt(squares) - 1154.208067) < 1e-6);
    lcl_csr_finish(&A);
}

static void test_problem__kuhn_is_the_same_each_time(void **state)
{
    (void)state;
    struct lcl_csr A = make("kuhn:3,4,2,2"), B = make("kuhn:3,4,2,2");
    assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const double shift = A.col_ind[k] == i ? 20 : 0;
            assert_true(A.val[k] >= shift - 0.5 && A.val[k] < shift + 0.5);
        }
    lcl_csr_finish(&A);
    lcl_csr_finish(&B);
}

// Threads skip to the random numbers of their part of the matrix.
static void test_problem__kuhn_draws_its_numbers_in_order(void **state)
{
    (void)state;
    struct lcl_csr A = make("kuhn:50,50,60,1");
    uint64_t random = LCL_KUHN_SEED;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const double shift = A.col_ind[k] == i ? 20 : 0;
            assert_true(A.val[k] == shift + lcl_uniform(&random) - 0.5);
        }
    lcl_csr_finish(&A);
}

static void test_problem__random_numbers_can_be_skipped(void **state)
{
    (void)state;
    const uint64_t seed = 42;
    uint64_t drawn = seed;
    for (int64_t n = 0; n < 1000; ++n) {
        assert_true(lcl_uniform_skip(seed, n) == drawn);
        lcl_uniform(&drawn);
    }
    const int64_t half = INT64_C(1) << 61;
    assert_true(lcl_uniform_skip(lcl_uniform_skip(seed, half), half) ==
                lcl_uniform_skip(seed, 2 * half));
}

static void test_problem__rows_have_their_lengths(void **state)
{
    (void)state;
    struct lcl_csr A = make("rows:12x4,9x5");
    for (int64_t i = 0; i < A.rows; ++i) {
        assert_int_equal(A.row_ptr[i + 1] - A.row_ptr[i], i < 12 ? 4 : 5);
        double rest = test_entry(&A, i, i);
        for (int64_t j = 0; j < A.cols; ++j)
            rest -= j == i ? 0 : fabs(test_entry(&A, i, j));
        assert_true(fabs(rest - 1) < 1e-14);
    }
    assert_true(is_symmetric(&A));
    assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
    lcl_csr_finish(&A);
}

static void test_problem__rows_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"rows:3x4,1x1", "problem 'rows:3x4,1x1': 3 rows cannot have 4 entries "
                         "each"},
        {"rows:1x1,5x2", "problem 'rows:1x1,5x2': expected an even number of "
                         "rows of 2 entries, found 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct test_capture capture;
        struct lcl_csr A;
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(lcl_csr_problem(&A, cases[i].name, &capture.log),
                         LCL_EINVAL);
        assert_string_equal(capture.last, cases[i].message);
        assert_true(A.rows == 0 && !A.row_ptr);
    }
}

static void test_problem__wrong_names_list_the_known_ones(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",           "foo",          "lap3d",
        "lap3d:",     "lap3d:0",      "lap3d:-1",
        "lap3d:8x",   "lap3d: 8",     "lap3d:8,",
        "lap3d:8,b=", "lap3d:8,b=0",  "lap3d:8,b=9",
        "lap3d:8x8",  "lap3d:1x0x1",  "lap3d:1x1x1,b=9",
        "laplacian",  "laplacian0",   "laplacian6",
        "parabolic:", "q2:",          "q2:0",
        "kuhn:1,2,3", "kuhn:1,2,3,9", "kuhn:1,2,3,4,5",
        "LAP3D:8",    "lap3d:1.5",    "rows:2x1",
        "convdiff:4", "convdiff:4x4", "convdiff:4,4,4",
        "convdiff:",  "convdiff:0x1", "convdiff:1x1x0",
        "q1:",        "q1:0",         "q1:3x",
        "aniso:8",    "aniso:8,",     "aniso:8,0",
        "aniso:8,-1", "aniso:8,nan",  "aniso:8,inf",
        "aniso:8,1x", "jump:8,1e400", "jump:8,1e-101",
        "jump:0,1",   "elasticity:0", "convdiff:4,0",
        "helmholtz:8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        struct test_capture capture;
        struct lcl_csr A = {.rows = 7};
        char message[400];
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(lcl_csr_problem(&A, names[i], &capture.log),
                         LCL_EINVAL);
        snprintf(
            message, sizeof message,
            "unknown problem '%s': expected lap3d:N or lap3d:NXxNYxNZ, also "
            "with ,b=B, laplacian1 to laplacian5, convdiff:NXxNYxNZ, convdiff:N,PE, parabolic, q1:N, q2:M, "
            "elasticity:N, blackoil:N, aniso:N,EPS, jump:N,CONTRAST, "
            "helmholtz:N,K, kuhn:NX,NY,NZ,B or rows:NxL,MxK, with whole numbers >= 1, others "
            "from 1e-100 to 1e100 and blocks B <= 8",
            names[i]);
        assert_string_equal(capture.last, message);
        assert_true(A.rows == 0 && !A.row_ptr);
    }
}

static void test_problem__q1_without_unknowns_is_refused(void **state)
{
    (void)state;
    struct test_capture capture;
    struct lcl_csr A;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_csr_problem(&A, "q1:1", &capture.log), LCL_EINVAL);
    assert_string_equal(capture.last, "problem 'q1:1' has no unknowns: "
                                      "expected N >= 2");
}

static void test_problem__absurd_sizes_are_out_of_range(void **state)
{
    (void)state;
    static const char *const names[] = {"lap3d:1291",
                                        "lap3d:1000,b=3",
                                        "lap3d:99999999999",
                                        "lap3d:99999999999999999999999",
                                        "convdiff:1291x1291x1291",
                                        "convdiff:9223372036854775807x1x2",
                                        "aniso:1291,1",
                                        "jump:99999999999,1",
                                        "convdiff:9223372036854775807,1",
                                        "q1:1292",
                                        "q1:9223372036854775807",
                                        "elasticity:99999999",
                                        "blackoil:900",
                                        "elasticity:9223372036854775807",
                                        "q2:23171",
                                        "q2:9223372036854775807",
                                        "kuhn:1,1,2147483648,1",
                                        "rows:2147483648x1,1x1",
                                        "rows:2147483647x1,1x1",
                                        "kuhn:9223372036854775807,1,1,8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        struct test_capture capture;
        struct lcl_csr A = {.rows = 7};
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(lcl_csr_problem(&A, names[i], &capture.log),
                         LCL_ERANGE);
        assert_non_null(strstr(capture.last, names[i]));
        assert_non_null(strstr(capture.last, "at most 2147483647 rows"));
        assert_true(A.rows == 0 && !A.row_ptr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problem__sizes_are_those_of_the_formulas),
        cmocka_unit_test(test_problem__lap3d_has_six_and_minus_one),
        cmocka_unit_test(test_problem__lap3d_on_a_box_is_numbered_along_x),
        cmocka_unit_test(test_problem__lap3d_blocks_are_coupled_in_the_cell),
        cmocka_unit_test(test_problem__convdiff_is_upwind),
        cmocka_unit_test(test_problem__convdiff_rows_sum_to_missing_neighbours),
        cmocka_unit_test(test_problem__recirculating_flow_is_conserved),
        cmocka_unit_test(test_problem__recirculating_flow_can_be_slow),
        cmocka_unit_test(test_problem__aniso_is_weak_along_y_and_z),
        cmocka_unit_test(test_problem__helmholtz_absorbs_at_the_boundary),
        cmocka_unit_test(test_problem__jump_has_harmonic_means_between_cubes),
        cmocka_unit_test(test_problem__blackoil_is_conserved),
        cmocka_unit_test(test_problem__q1_is_the_trilinear_laplacian),
        cmocka_unit_test(test_problem__parabolic_rows_sum_to_their_mass),
        cmocka_unit_test(test_problem__q2_has_the_norm_of_the_published_matrix),
        cmocka_unit_test(test_problem__kuhn_is_the_same_each_time),
        cmocka_unit_test(test_problem__kuhn_draws_its_numbers_in_order),
        cmocka_unit_test(test_problem__random_numbers_can_be_skipped),
        cmocka_unit_test(test_problem__rows_have_their_lengths),
        cmocka_unit_test(test_problem__rows_that_cannot_be_are_refused),
        cmocka_unit_test(test_problem__wrong_names_list_the_known_ones),
        cmocka_unit_test(test_problem__q1_without_unknowns_is_refused),
        cmocka_unit_test(test_problem__absurd_sizes_are_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
