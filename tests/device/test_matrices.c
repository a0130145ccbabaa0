// SPDX-License-Identifier: BSD-3-Clause
// Real matrices: which are solved, which are not, and that neither is told
// wrongly. They are in a folder beside the source tree or in
// LEVELCL_TEST_DATA; without it the test is skipped.
#include "tests/support/device.h"
#include "tests/support/solving.h"

#include <stdio.h>
#include <stdlib.h>

#include <sys/stat.h>

enum outcome { SOLVED, NOT_SOLVED, EITHER };

// With the default method, rtol 1e-8 and at most 2000 iterations; without a
// file of its own b is that of x_i = 1 + i mod 7.
static const struct {
    const char *name, *rhs;
    enum outcome outcome;
} matrices[] = {
    {"bodyy5", NULL, SOLVED},
    {"sherman5", "sherman5_b", SOLVED},
    {"epb1", NULL, SOLVED},
    {"nos3", NULL, SOLVED},
    {"bcsstk27", NULL, SOLVED},
    {"SPE01_fasp_bsr3", "SPE01_fasp_bsr3_rhs", SOLVED},
    {"raefsky1", "raefsky1_b", SOLVED},
    {"wathen100", NULL, SOLVED},
    {"stokes64", NULL, EITHER}, // indefinite: hundreds of erratic iterations
    {"west0989", NULL, NOT_SOLVED}, // 984 rows without a diagonal
};

static const char *folder;

static const char *path_of(char path[512], const char *name)
{
    assert_in_range(snprintf(path, 512, "%s/%s.mtx.xz", folder, name), 1, 511);
    return path;
}

static double *right_side(const struct lcl_csr *A, const char *name)
{
    char path[512];
    struct lcl_dense B;
    if (!name)
        return test_right_side(A);
    assert_int_equal(lcl_dense_read(&B, path_of(path, name), NULL, NULL),
                     LCL_OK);
    assert_int_equal(B.rows, A->rows);
    double *b = test_vector(B.rows);
    for (int64_t i = 0; i < B.rows; ++i)
        b[i] = B.val[i];
    lcl_dense_finish(&B);
    return b;
}

// test_solve_run() compares what is told with the host's own residual.
static void expect_outcome(lcl_context *ctx, const char *name, const char *rhs,
                           enum outcome expected)
{
    const struct lcl_solver_params params = {.max_iters = 2000};
    char path[512];
    struct lcl_csr A;
    struct test_solve s;
    assert_int_equal(lcl_csr_read(&A, path_of(path, name), NULL, NULL), LCL_OK);
    double *b = right_side(&A, rhs);
    test_solve_open(&s, ctx, &A, NULL, &params);
    const enum lcl_status status = test_solve_run(&s, b);
    print_message("%s: %s after %d iterations, residual %.2e\n", name,
                  lcl_stop_name(s.report.stop), s.report.iterations,
                  s.report.true_residual);
    if (expected != EITHER)
        assert_int_equal(status == LCL_OK ? SOLVED : NOT_SOLVED, expected);
    test_solve_close(&s);
    lcl_csr_finish(&A);
    free(b);
}

static void test_matrices__end_as_they_are_known_to(void **state)
{
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i)
        expect_outcome(*state, matrices[i].name, matrices[i].rhs,
                       matrices[i].outcome);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices__end_as_they_are_known_to),
    };
    struct stat info;
    folder = getenv("LEVELCL_TEST_DATA");
    if (!folder && argc > 1)
        folder = argv[1];
    if (!folder || stat(folder, &info) != 0)
        return 77;
    return test_device_run(tests);
}
