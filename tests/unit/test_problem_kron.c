// SPDX-License-Identifier: BSD-3-Clause
// The built-in systems in Kronecker form: sizes, values computed by hand,
// refused names.
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/test.h"

#include "lib/io/problems/radau.h"

#include <levelcl/kron.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void make(struct lcl_kron_data *D, const char *name)
{
    assert_int_equal(lcl_kron_problem(D, name, NULL), LCL_OK);
    assert_int_equal(lcl_kron_check(&D->K, NULL), LCL_OK);
    assert_true(D->K.M == &D->M && D->K.L == &D->L);
    assert_true(D->K.A == D->A && D->K.B == D->B);
    assert_int_equal(D->M.block_size, 4);
}

static bool have_one_pattern(const struct lcl_bsr *M, const struct lcl_bsr *L)
{
    return M->rows == L->rows && M->nnz == L->nnz &&
           memcmp(M->row_ptr, L->row_ptr,
                  ((size_t)M->rows + 1) * sizeof *M->row_ptr) == 0 &&
           memcmp(M->col_ind, L->col_ind,
                  (size_t)M->nnz * sizeof *M->col_ind) == 0;
}

// Entry (r, c) of block (i, j).
static double at(const struct lcl_bsr *A, int64_t i, int64_t j, int r, int c)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == j)
            return A->val[(k * A->block_size + r) * A->block_size + c];
    return 0;
}

// ---------------------------------------------------------------- kron

static void test_problem_kron__sizes_are_those_of_the_mesh(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int stages;
        int64_t rows, blocks;
    } cases[] = {
        {"kron:1,1,1,1", 1, 1, 1},      {"kron:16,2,2,2", 16, 8, 46},
        {"kron:3,3,4,2", 3, 24, 186},   {"kron:2", 2, 151686, 2207664},
        {"radau:1,1", 1, 1, 1},         {"radau:9,2", 9, 8, 32},
        {"radau:5,20", 5, 8000, 53600}, {"stokes:2,3", 2, 27, 223},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct lcl_kron_data D;
        make(&D, cases[i].name);
        assert_int_equal(D.K.stages, cases[i].stages);
        assert_int_equal(D.M.rows, cases[i].rows);
        assert_int_equal(D.M.nnz, cases[i].blocks);
        assert_true(have_one_pattern(&D.M, &D.L));
        lcl_kron_data_finish(&D);
        assert_true(D.K.stages == 0 && !D.M.row_ptr && !D.L.val);
    }
}

static void test_problem_kron__M_is_the_kuhn_matrix(void **state)
{
    (void)state;
    struct lcl_kron_data D;
    struct lcl_csr A = test_problem("kuhn:3,4,2,4");
    struct lcl_bsr B;
    make(&D, "kron:2,3,4,2");
    assert_int_equal(lcl_bsr_from_csr(&B, &A, 4, NULL), LCL_OK);
    assert_true(have_one_pattern(&D.M, &B));
    assert_memory_equal(D.M.val, B.val, (size_t)B.nnz * 16 * sizeof *B.val);
    lcl_csr_finish(&A);
    lcl_bsr_finish(&B);
    lcl_kron_data_finish(&D);
}

static void expect_kuhn_values(const struct lcl_bsr *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = 16 * A->row_ptr[i]; k < 16 * A->row_ptr[i + 1]; ++k) {
            const bool on = A->col_ind[k / 16] == i && k % 16 % 5 == 0;
            const double shift = on ? 20 : 0;
            assert_true(A->val[k] >= shift - 0.5 && A->val[k] < shift + 0.5);
        }
}

static void test_problem_kron__values_are_random_and_differ(void **state)
{
    (void)state;
    struct lcl_kron_data D, again;
    make(&D, "kron:3,3,4,2");
    make(&again, "kron:3,3,4,2");
    expect_kuhn_values(&D.L);
    int equal = 0;
    for (int64_t k = 0; k < 16 * D.M.nnz; ++k)
        equal += D.M.val[k] == D.L.val[k];
    assert_int_equal(equal, 0);
    for (int k = 0; k < 9; ++k) {
        assert_true(D.A[k] >= 0 && D.A[k] < 1 && D.B[k] >= 0 && D.B[k] < 1);
        assert_true(D.A[k] != D.B[k] && D.A[k] == again.A[k]);
    }
    assert_memory_equal(D.L.val, again.L.val,
                        (size_t)D.L.nnz * 16 * sizeof *D.L.val);
    assert_true(D.K.tau == 0.125);
    lcl_kron_data_finish(&D);
    lcl_kron_data_finish(&again);
}

// ---------------------------------------------------------------- radau

static void test_problem_kron__radau_has_the_butcher_matrix(void **state)
{
    (void)state;
    for (int s = 1; s <= LCL_RADAU_MAX; ++s) {
        char name[32];
        struct lcl_kron_data D;
        double c[LCL_RADAU_MAX], matrix[LCL_RADAU_MAX * LCL_RADAU_MAX];
        snprintf(name, sizeof name, "radau:%d,2", s);
        make(&D, name);
        lcl_radau(s, c, matrix);
        for (int k = 0; k < s * s; ++k) {
            assert_true(D.B[k] == matrix[k]);
            assert_true(D.A[k] == (k % (s + 1) == 0));
        }
        assert_true(D.K.tau > 0);
        lcl_kron_data_finish(&D);
    }
}

// Sums over the neighbours inside the cube: h^3 for the mass, -h^3 R for L.
static void test_problem_kron__radau_rows_sum_to_mass_and_reaction(void **state)
{
    (void)state;
    struct lcl_kron_data D;
    make(&D, "radau:2,3");
    const double h3 = 1.0 / 64;
    for (int c = 0; c < 4; ++c) {
        double total = 0;
        for (int r = 0; r < 4; ++r) {
            double mass = 0, rest = 0;
            for (int64_t j = 0; j < D.M.rows; ++j) {
                mass += at(&D.M, 13, j, r, c);
                rest += at(&D.L, 13, j, r, c);
            }
            assert_true(fabs(mass - (r == c ? h3 : 0)) < 1e-17);
            assert_true(r == c ? rest > 0 : rest <= 0);
            total += rest;
        }
        assert_true(fabs(total) < 1e-15);
    }
    lcl_kron_data_finish(&D);
}

static void test_problem_kron__radau_mass_is_symmetric_positive(void **state)
{
    (void)state;
    struct lcl_kron_data D;
    make(&D, "radau:1,3");
    for (int64_t i = 0; i < D.M.rows; ++i)
        for (int r = 0; r < 4; ++r) {
            double sum = 0;
            for (int64_t j = 0; j < D.M.rows; ++j) {
                const double entry = at(&D.M, i, j, r, r);
                assert_true(entry >= 0 && entry == at(&D.M, j, i, r, r));
                assert_true(at(&D.M, i, j, r, (r + 1) % 4) == 0);
                sum += i == j ? entry : -entry;
            }
            assert_true(sum > -1e-18);
        }
    lcl_kron_data_finish(&D);
}

// Diffusion D_r h (6, -1), and the loss by reaction on the diagonal.
static void test_problem_kron__radau_couples_unknowns_in_a_cycle(void **state)
{
    (void)state;
    struct lcl_kron_data D;
    make(&D, "radau:1,3");
    const double h = 0.25, mass = h * h * h / 2;
    assert_true(fabs(at(&D.L, 13, 13, 0, 0) - (6 * h + mass)) < 1e-15);
    assert_true(fabs(at(&D.L, 13, 14, 0, 0) - (-h + mass / 6)) < 1e-15);
    for (int u = 0; u < 4; ++u)
        for (int r = 0; r < 4; ++r) {
            const double entry = at(&D.L, 13, 13, r, u);
            assert_true(r == u             ? entry > 0
                        : r == (u + 1) % 4 ? entry < 0
                                           : entry == 0);
        }
    lcl_kron_data_finish(&D);
}

// ---------------------------------------------------------------- stokes

enum { NODES = 5, MIDDLE = 62, P = 3 }; // of "stokes:S,5"; node (2, 2, 2)

static const double viscosity = 1, width = 0.25;

static void test_problem_kron__stokes_has_mass_and_viscosity(void **state)
{
    (void)state;
    const double mass = width * width * width, flow = viscosity * width;
    struct lcl_kron_data D;
    make(&D, "stokes:2,5");
    assert_true(have_one_pattern(&D.M, &D.L));
    assert_true(D.K.tau == 0.125 && D.A[0] == 1 && D.A[1] == 0);
    for (int d = 0; d < 3; ++d) {
        double of_mass = 0, of_flow = 0;
        for (int64_t j = 0; j < D.M.rows; ++j) {
            of_mass += at(&D.M, MIDDLE, j, d, d);
            of_flow += at(&D.L, MIDDLE, j, d, d);
            assert_true(at(&D.M, MIDDLE, j, P, P) == 0);
        }
        assert_true(fabs(of_mass - mass) < 1e-15);
        assert_true(fabs(of_flow) < 1e-15);
        assert_true(fabs(at(&D.L, MIDDLE, MIDDLE, d, d) - 6 * flow) < 1e-14);
        assert_true(fabs(at(&D.L, MIDDLE, MIDDLE + 1, d, d) + flow) < 1e-14);
    }
    lcl_kron_data_finish(&D);
}

// The divergence of (x, 0, 0) is 1, of a constant 0; the gradient is the
// negative transpose of the divergence.
static void test_problem_kron__stokes_has_a_divergence(void **state)
{
    (void)state;
    static const int64_t step[3] = {1, NODES, NODES * NODES};
    struct lcl_kron_data D;
    make(&D, "stokes:1,5");
    for (int d = 0; d < 3; ++d) {
        double constant = 0, linear = 0;
        for (int64_t j = 0; j < D.L.rows; ++j) {
            const double entry = at(&D.L, MIDDLE, j, P, d);
            assert_true(entry == -at(&D.L, j, MIDDLE, d, P));
            constant += entry;
            linear += entry * (double)(j / step[d] % NODES);
        }
        assert_true(fabs(constant) < 1e-15);
        assert_true(fabs(linear - viscosity * width) < 1e-15);
    }
    lcl_kron_data_finish(&D);
}

// It is symmetric and sees no constant.
static void test_problem_kron__stokes_stabilises_the_pressure(void **state)
{
    (void)state;
    struct lcl_kron_data D;
    make(&D, "stokes:1,5");
    for (int64_t i = 0; i < D.L.rows; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < D.L.rows; ++j) {
            const double entry = at(&D.L, i, j, P, P);
            assert_true(fabs(entry - at(&D.L, j, i, P, P)) < 1e-17);
            sum += entry;
        }
        assert_true(at(&D.L, i, i, P, P) > 0 && fabs(sum) < 1e-16);
    }
    lcl_kron_data_finish(&D);
}

// Inlet and walls: rows and columns of given velocities have a diagonal only.
static void test_problem_kron__stokes_velocities_are_given(void **state)
{
    (void)state;
    struct lcl_kron_data D;
    make(&D, "stokes:1,5");
    for (int64_t i = 0; i < D.L.rows; ++i) {
        const int64_t x = i % 5, y = i / 5 % 5, z = i / 25;
        const bool given = x == 0 || y % 4 == 0 || z % 4 == 0;
        double others = 0;
        for (int64_t j = 0; j < D.L.rows; ++j)
            for (int c = 0; c < 4; ++c)
                others += j == i && c == 0 ? 0
                                           : fabs(at(&D.L, i, j, 0, c)) +
                                                 fabs(at(&D.L, j, i, c, 0)) +
                                                 fabs(at(&D.M, i, j, 0, c));
        assert_true(given == (others == 0));
        assert_true(at(&D.L, i, i, 0, 0) > 0 && at(&D.M, i, i, 0, 0) > 0);
    }
    lcl_kron_data_finish(&D);
}

static void test_problem_kron__stokes_needs_three_nodes(void **state)
{
    (void)state;
    struct test_capture capture;
    struct lcl_kron_data D;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_kron_problem(&D, "stokes:2,2", &capture.log),
                     LCL_EINVAL);
    assert_non_null(strstr(capture.last, "expected N >= 3"));
    assert_true(D.K.stages == 0 && !D.M.row_ptr);
}

// ---------------------------------------------------------------- names

static void test_problem_kron__wrong_names_list_the_known_ones(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "foo",
                                        "kron",
                                        "kron:",
                                        "kron:0",
                                        "kron:17",
                                        "kron:-1",
                                        "kron:2x",
                                        "kron: 2",
                                        "kron:2,",
                                        "kron:2,3",
                                        "kron:2,3,4",
                                        "kron:2,0,1,1",
                                        "kron:2,3,4,5,6",
                                        "KRON:2",
                                        "kron:99999999999999999999",
                                        "radau",
                                        "radau:2",
                                        "radau:2,",
                                        "radau:2,0",
                                        "radau:0,2",
                                        "radau:10,2",
                                        "radau:2,2x",
                                        "radau:2,2,2",
                                        "radau:2,1.5",
                                        "stokes:2",
                                        "stokes:10,3",
                                        "stokes:2,3x",
                                        "kuhn:2,2,2,4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        struct test_capture capture;
        struct lcl_kron_data D = {.K.stages = 7};
        char message[256];
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(lcl_kron_problem(&D, names[i], &capture.log),
                         LCL_EINVAL);
        snprintf(message, sizeof message,
                 "unknown problem '%s': expected kron:S or kron:S,NX,NY,NZ "
                 "with at most 16 stages S, or radau:S,N or stokes:S,N "
                 "with at most 9; numbers >= 1",
                 names[i]);
        assert_string_equal(capture.last, message);
        assert_true(D.K.stages == 0 && !D.M.row_ptr);
    }
}

static void test_problem_kron__absurd_sizes_are_out_of_range(void **state)
{
    (void)state;
    static const char *const names[] = {"kron:1,2147483647,1,1",
                                        "kron:16,1000,1000,34",
                                        "kron:2,1,1,9223372036854775807",
                                        "kron:2,99999999999999999999,1,1",
                                        "radau:1,813",
                                        "radau:9,391",
                                        "stokes:1,813",
                                        "radau:2,99999999999999999999"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        struct test_capture capture;
        struct lcl_kron_data D;
        test_capture_init(&capture, LCL_LOG_ERROR);
        assert_int_equal(lcl_kron_problem(&D, names[i], &capture.log),
                         LCL_ERANGE);
        assert_non_null(strstr(capture.last, names[i]));
        assert_non_null(strstr(capture.last, "at most 2147483647 rows"));
        assert_true(D.K.stages == 0 && !D.M.row_ptr);
    }
}

static void test_problem_kron__null_is_refused(void **state)
{
    (void)state;
    struct lcl_kron_data D;
    lcl_kron_data_finish(NULL);
    assert_misuse(lcl_kron_problem(NULL, "kron:2", NULL));
    assert_misuse(lcl_kron_problem(&D, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problem_kron__sizes_are_those_of_the_mesh),
        cmocka_unit_test(test_problem_kron__M_is_the_kuhn_matrix),
        cmocka_unit_test(test_problem_kron__values_are_random_and_differ),
        cmocka_unit_test(test_problem_kron__radau_has_the_butcher_matrix),
        cmocka_unit_test(
            test_problem_kron__radau_rows_sum_to_mass_and_reaction),
        cmocka_unit_test(test_problem_kron__radau_mass_is_symmetric_positive),
        cmocka_unit_test(test_problem_kron__radau_couples_unknowns_in_a_cycle),
        cmocka_unit_test(test_problem_kron__stokes_has_mass_and_viscosity),
        cmocka_unit_test(test_problem_kron__stokes_has_a_divergence),
        cmocka_unit_test(test_problem_kron__stokes_stabilises_the_pressure),
        cmocka_unit_test(test_problem_kron__stokes_velocities_are_given),
        cmocka_unit_test(test_problem_kron__stokes_needs_three_nodes),
        cmocka_unit_test(test_problem_kron__wrong_names_list_the_known_ones),
        cmocka_unit_test(test_problem_kron__absurd_sizes_are_out_of_range),
        cmocka_unit_test(test_problem_kron__null_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
