// SPDX-License-Identifier: BSD-3-Clause
// Three ranks, one of which has a failing OpenCL call: all end with an error,
// and what is created or solved next works.
#include "host/context.h"
#include "tests/support/device.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/kept_programs.h"
#include "tests/support/kron_ranks.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"
#include "tests/support/solving.h"
#include "tests/support/test.h"

#include <stdlib.h>

enum { RANKS = 3, FAILING = 1 };

static int setup(void **state)
{
    (void)state;
    test_need_device();
    kept_programs_start();
    return 0;
}

struct method {
    struct lcl_precond_params precond;
    struct lcl_solver_params solver;
};
static const struct method general = {
    {.partition = {.rows = 30}, .coarse = LCL_COARSE_MULT},
    {.type = LCL_SOLVER_BICGSTAB}};
static const struct method boxes = {
    {.partition = {.type = LCL_PARTITION_GEOMETRIC, .box = {3, 3, 3}}},
    {.type = LCL_SOLVER_BICGSTAB}};
static const struct method symmetric = {{.type = LCL_PRECOND_JACOBI},
                                        {.type = LCL_SOLVER_CG_PIPELINED}};

// A context for *ctx that uses the functions that fail. It
// keeps no binaries: PoCL 3.1 aborts where it is asked for one while another
// context runs the same kernel.
static void replace(lcl_context **ctx)
{
    const struct lcl_context_params context = {.no_cache = true};
    assert_int_equal(lcl_runtime_create(ctx, &context, &fake_cl_api), LCL_OK);
}

// The failing rank alone uses the functions that fail.
static void open_ranks(struct test_ranks *R, const struct lcl_csr *A)
{
    fake_cl = (struct fake_cl){0};
    test_ranks_open(R, RANKS, A, NULL);
    replace(&R->ctx[FAILING]);
}

static void close_ranks(struct test_ranks *R)
{
    test_ranks_close(R);
    lcl_context_destroy(&R->ctx[FAILING]);
    assert_int_equal(fake_cl.objects, 0);
}

static void fail_call(long n)
{
    const long objects = fake_cl.objects;
    fake_cl = (struct fake_cl){.fail_at = n,
                               .function = FAKE_CL_ANY,
                               .code = CL_OUT_OF_RESOURCES,
                               .objects = objects};
}

// All of the first few, then fewer and fewer.
static long next(long n)
{
    return n + 1 + n / 3;
}

static enum lcl_status create(struct test_ranks *R, const struct method *m)
{
    const enum lcl_status st = test_ranks_operators(R, NULL);
    return st < 0 ? st : test_ranks_solvers(R, &m->precond, &m->solver);
}

static enum lcl_status solve(struct test_ranks *R, double *residual)
{
    const int64_t n = R->A->rows;
    double *b = test_random_vector(n, 4), *x = test_vector(n);
    struct lcl_report report;
    const enum lcl_status st = test_ranks_solve(R, b, x, &report);
    *residual = test_residual(R->A, b, x);
    free(x);
    free(b);
    return st;
}

static void expect_solved(struct test_ranks *R)
{
    double residual;
    fail_call(0);
    assert_int_equal(solve(R, &residual), LCL_OK);
    test_ranks_expect(R, LCL_OK);
    assert_true(residual <= 1e-8);
}

// Whether the n-th call of a solve failed.
static bool fail_solve(struct test_ranks *R, const struct method *m, long n)
{
    double residual;
    fail_call(0);
    assert_int_equal(create(R, m), LCL_OK);
    fail_call(n);
    const enum lcl_status st = solve(R, &residual);
    const bool failed = fake_cl.failed;
    test_ranks_expect(R, failed ? LCL_EDEVICE : LCL_OK);
    assert_int_equal(st, failed ? LCL_EDEVICE : LCL_OK);
    if (failed)
        expect_solved(R); // by the same solvers
    test_ranks_drop(R);
    return failed;
}

static void fail_solves(struct lcl_csr A, const struct method *m)
{
    struct test_ranks R;
    long n = 1;
    open_ranks(&R, &A);
    while (fail_solve(&R, m, n))
        n = next(n);
    assert_true(n > 100);
    close_ranks(&R);
    test_csr_finish(&A);
}

static void test_cl_ranks__a_solve_ends_on_all_ranks(void **state)
{
    (void)state;
    fail_solves(test_random_csr(240, 4, 3), &general);
}

static void test_cl_ranks__sums_under_way_end_on_all_ranks(void **state)
{
    (void)state;
    fail_solves(test_laplacian(7, 6, 5), &symmetric);
}

// From the n-th call of a solve on every call fails: nothing works any more,
// and all is given back. Returns whether there was such a call.
static bool lose_device(const struct lcl_csr *A, long n)
{
    struct test_ranks R;
    double residual;
    open_ranks(&R, A);
    assert_int_equal(create(&R, &general), LCL_OK);
    fail_call(n);
    fake_cl.lost = true;
    const enum lcl_status st = solve(&R, &residual);
    const bool failed = fake_cl.failed;
    test_ranks_expect(&R, failed ? LCL_EDEVICE : LCL_OK);
    assert_int_equal(st, failed ? LCL_EDEVICE : LCL_OK);
    if (failed)
        assert_int_equal(solve(&R, &residual), LCL_EDEVICE);
    close_ranks(&R);
    return failed;
}

static void test_cl_ranks__a_lost_device_ends_all_ranks(void **state)
{
    struct lcl_csr A = test_random_csr(240, 4, 3);
    long n = 1;
    (void)state;
    while (lose_device(&A, n))
        n = 2 * n + 1;
    assert_true(n > 100);
    test_csr_finish(&A);
}

// One device has too little memory for its part: all ranks have this status.
static bool fill_device(const struct lcl_csr *A, long n)
{
    struct test_ranks R;
    open_ranks(&R, A);
    fake_cl = (struct fake_cl){.fail_at = n,
                               .function = FAKE_clCreateBuffer,
                               .code = CL_MEM_OBJECT_ALLOCATION_FAILURE,
                               .objects = fake_cl.objects};
    const enum lcl_status st = create(&R, &general);
    const bool failed = fake_cl.failed;
    assert_int_equal(st, failed ? LCL_EDEVMEM : LCL_OK);
    test_ranks_expect(&R, st);
    test_ranks_drop(&R);
    fail_call(0);
    close_ranks(&R);
    return failed;
}

static void test_cl_ranks__a_device_is_too_small(void **state)
{
    struct lcl_csr A = test_random_csr(240, 4, 3);
    long n = 1;
    (void)state;
    while (fill_device(&A, n))
        n = next(n);
    assert_true(n > 20);
    test_csr_finish(&A);
}

// Kernels are built once per context: the first creation covers their calls
// only if each is in a fresh one.
static bool fail_creation(const struct lcl_csr *A, const struct method *m,
                          long n)
{
    struct test_ranks R;
    open_ranks(&R, A);
    fail_call(n);
    const enum lcl_status st = create(&R, m);
    const bool failed = fake_cl.failed;
    assert_true(failed || st == LCL_OK);
    if (st < 0) {
        test_ranks_expect(&R, st);
        test_ranks_drop(&R);
        fail_call(0);
        assert_int_equal(create(&R, m), LCL_OK);
    }
    expect_solved(&R);
    close_ranks(&R);
    return failed;
}

static void fail_creations(struct lcl_csr A, const struct method *m)
{
    long n = 1;
    while (fail_creation(&A, m, n))
        n = next(n);
    assert_true(n > 50);
    test_csr_finish(&A);
}

static void test_cl_ranks__a_creation_ends_on_all_ranks(void **state)
{
    (void)state;
    fail_creations(test_random_csr(240, 4, 3), &general);
    fail_creations(test_laplacian(8, 6, 5), &boxes);
}

// ------------------------------------------------------------------- Kronecker

static enum lcl_status create_kron(struct test_kron_ranks *R)
{
    const enum lcl_status st = test_kron_ranks_operators(R, NULL);
    return st < 0 ? st
                  : test_kron_ranks_solvers(R, &test_kron_methods[1],
                                            &general.solver);
}

static enum lcl_status solve_kron(struct test_kron_ranks *R,
                                  const struct lcl_csr *A, double *residual)
{
    double *b = test_random_vector(A->rows, 4), *x = test_vector(A->rows);
    const enum lcl_status st = test_kron_ranks_solve(R, b, x);
    *residual = test_residual(A, b, x);
    free(x);
    free(b);
    return st;
}

// Whether the n-th call of creation, update and solve failed; then all of them
// succeed.
static bool fail_kron(const struct lcl_kron *K, const struct lcl_csr *A, long n)
{
    struct test_kron_ranks R;
    double residual;
    fake_cl = (struct fake_cl){0};
    test_kron_ranks_open(&R, RANKS, K, NULL);
    replace(&R.ctx[FAILING]);
    fail_call(n);
    enum lcl_status st = create_kron(&R);
    if (st == LCL_OK && (st = test_kron_ranks_update(&R)) == LCL_OK)
        st = solve_kron(&R, A, &residual);
    const bool failed = fake_cl.failed;
    assert_true(failed || st == LCL_OK);
    test_kron_ranks_expect(&R, st);
    test_kron_ranks_drop(&R);
    fail_call(0);
    assert_int_equal(create_kron(&R), LCL_OK);
    assert_int_equal(solve_kron(&R, A, &residual), LCL_OK);
    assert_true(residual <= 1e-8 * (1 + 1e-6));
    test_kron_ranks_close(&R);
    lcl_context_destroy(&R.ctx[FAILING]);
    assert_int_equal(fake_cl.objects, 0);
    return failed;
}

static void test_cl_ranks__a_kronecker_system_ends_on_all_ranks(void **state)
{
    struct test_kron T;
    long n = 1;
    (void)state;
    test_kron_init(&T, 3, 2, 36, TEST_KRON_NEAR);
    struct lcl_csr A = test_kron_whole(&T.K);
    while (fail_kron(&T.K, &A, n))
        n = next(n);
    assert_true(n > 100);
    lcl_csr_finish(&A);
    test_kron_finish(&T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cl_ranks__a_solve_ends_on_all_ranks),
        cmocka_unit_test(test_cl_ranks__sums_under_way_end_on_all_ranks),
        cmocka_unit_test(test_cl_ranks__a_lost_device_ends_all_ranks),
        cmocka_unit_test(test_cl_ranks__a_device_is_too_small),
        cmocka_unit_test(test_cl_ranks__a_creation_ends_on_all_ranks),
        cmocka_unit_test(test_cl_ranks__a_kronecker_system_ends_on_all_ranks),
    };
    setenv("LEVELCL_POOL", "0", 1); // each object counts, on GPUs too
    return cmocka_run_group_tests(tests, setup, test_device_leave);
}
