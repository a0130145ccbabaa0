// SPDX-License-Identifier: BSD-3-Clause
// Estimates of memory and traffic for a device that does not exist.
#include <levelcl/estimate.h>

#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include <string.h>

static const struct lcl_caps gpu = {
    .name = "a device",
    .type = LCL_DEVICE_GPU,
    .compute_units = 100,
    .width = 32,
    .max_group_size = 1024,
    .global_bytes = UINT64_C(1) << 34,
    .local_bytes = 48 << 10,
    .fp64 = true,
};

static struct lcl_estimate estimate(const struct lcl_csr *A,
                                    const struct lcl_options *options,
                                    int devices)
{
    struct lcl_estimate e;
    uint64_t sum = 0;
    assert_int_equal(lcl_estimate_solve(&e, &gpu, A, options, devices, NULL),
                     LCL_OK);
    for (int k = 0; k < LCL_ESTIMATE_COUNT; ++k)
        sum += e.bytes[k];
    assert_true(e.total == sum);
    assert_true(e.bytes[LCL_ESTIMATE_MATRIX] >
                (uint64_t)A->nnz / (uint64_t)devices * 8);
    assert_true(e.traffic > (uint64_t)A->nnz / (uint64_t)devices * 8);
    return e;
}

// The first row prescribes its unknown; its column is not eliminated.
static void test_estimate__prescribed_unknowns_are_set_aside(void **state)
{
    struct lcl_csr A = test_problem("lap3d:16");
    (void)state;
    for (int64_t k = A.row_ptr[0]; k < A.row_ptr[1]; ++k)
        A.val[k] = A.col_ind[k] == 0 ? 1 : 0;
    assert_int_equal(estimate(&A, NULL, 1).solver, LCL_SOLVER_CG);
    assert_int_equal(estimate(&A, NULL, 2).solver, LCL_SOLVER_BICGSTAB);
    lcl_csr_finish(&A);
}

static void test_estimate__takes_the_method_of_a_chain(void **state)
{
    struct lcl_csr elliptic = test_problem("lap3d:16"),
                   other = test_problem("convdiff:11,5");
    struct lcl_estimate e = estimate(&elliptic, NULL, 1);
    (void)state;
    assert_int_equal(e.solver, LCL_SOLVER_CG);
    assert_int_equal(e.precond, LCL_PRECOND_AMG);
    assert_true(e.bytes[LCL_ESTIMATE_MULTIGRID] > 0 && e.parts == 0);
    assert_non_null(strstr(e.reason, "symmetric"));
    e = estimate(&elliptic, NULL, 2);
    assert_int_equal(e.precond, LCL_PRECOND_IC0);
    assert_int_equal(e.rows, 2048);
    e = estimate(&other, NULL, 1);
    assert_int_equal(e.solver, LCL_SOLVER_BICGSTAB);
    assert_int_equal(e.precond, LCL_PRECOND_ILDU0);
    assert_true(e.bytes[LCL_ESTIMATE_FACTORS] > 0 && e.parts >= 1);
    lcl_csr_finish(&elliptic);
    lcl_csr_finish(&other);
}

static void test_estimate__every_method_has_one(void **state)
{
    struct lcl_csr A = test_problem("lap3d:6,b=2");
    struct lcl_options o = LCL_OPTIONS_INIT;
    (void)state;
    for (int m = 1; m < LCL_PRECOND_CALLBACK; ++m)
        for (int s = 1; s < LCL_SOLVER_COUNT; ++s) {
            o.precond.type = (enum lcl_precond_type)m;
            o.solver.type = (enum lcl_solver_type)s;
            const struct lcl_estimate e = estimate(&A, &o, 1);
            assert_true(e.bytes[LCL_ESTIMATE_KRYLOV] >= 6 * 432 * 8);
            assert_string_equal(e.reason, "");
        }
    lcl_csr_finish(&A);
}

// Of twice the basis, twice the layers, or shorter factors.
static void test_estimate__follows_the_parameters(void **state)
{
    struct lcl_csr A = test_problem("lap3d:12");
    struct lcl_options o = {.solver.type = LCL_SOLVER_GMRES,
                            .precond.type = LCL_PRECOND_ILUK};
    const struct lcl_estimate usual = estimate(&A, &o, 1);
    (void)state;
    o.solver.restart = 200;
    assert_true(estimate(&A, &o, 1).bytes[LCL_ESTIMATE_KRYLOV] >
                3 * usual.bytes[LCL_ESTIMATE_KRYLOV]);
    o.precond.ilu_level = 3;
    assert_true(estimate(&A, &o, 1).bytes[LCL_ESTIMATE_FACTORS] >
                usual.bytes[LCL_ESTIMATE_FACTORS]);
    o.precond.ilu_level = 1;
    o.precond.storage = LCL_FACTOR_STORAGE_BF16;
    o.precond.partition.rows = 100;
    const struct lcl_estimate small = estimate(&A, &o, 1);
    assert_true(small.bytes[LCL_ESTIMATE_FACTORS] <
                usual.bytes[LCL_ESTIMATE_FACTORS]);
    assert_int_equal(small.parts, 18);
    o.op.spmv = LCL_SPMV_CSR;
    assert_true(estimate(&A, &o, 1).bytes[LCL_ESTIMATE_PRODUCT] == 0);
    lcl_csr_finish(&A);
}

static void test_estimate__refuses_what_does_not_fit(void **state)
{
    struct lcl_csr A = test_problem("lap3d:8");
    struct lcl_caps small = gpu;
    struct lcl_estimate e;
    struct test_capture capture;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    small.global_bytes = 10000;
    assert_int_equal(lcl_estimate_solve(&e, &small, &A, NULL, 1, &capture.log),
                     LCL_EDEVMEM);
    test_capture_expect(&capture, "the system does not fit");
    assert_true(e.total > 10000);
    small.global_bytes = e.total;
    assert_int_equal(lcl_estimate_solve(&e, &small, &A, NULL, 1, NULL), LCL_OK);
    lcl_csr_finish(&A);
}

static void test_estimate__refuses_wrong_arguments(void **state)
{
    const struct lcl_csr empty = LCL_CSR_INIT;
    struct lcl_csr A = test_problem("lap3d:2");
    struct lcl_estimate e;
    (void)state;
    assert_misuse(lcl_estimate_solve(NULL, &gpu, &A, NULL, 1, NULL));
    assert_misuse(lcl_estimate_solve(&e, NULL, &A, NULL, 1, NULL));
    assert_misuse(lcl_estimate_solve(&e, &gpu, NULL, NULL, 1, NULL));
    assert_int_equal(lcl_estimate_solve(&e, &gpu, &empty, NULL, 1, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_estimate_solve(&e, &gpu, &A, NULL, 0, NULL),
                     LCL_EINVAL);
    assert_string_equal(lcl_estimate_name(LCL_ESTIMATE_KRYLOV), "krylov");
    assert_string_equal(lcl_estimate_name(LCL_ESTIMATE_COUNT), "unknown");
    lcl_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate__prescribed_unknowns_are_set_aside),
        cmocka_unit_test(test_estimate__takes_the_method_of_a_chain),
        cmocka_unit_test(test_estimate__every_method_has_one),
        cmocka_unit_test(test_estimate__follows_the_parameters),
        cmocka_unit_test(test_estimate__refuses_what_does_not_fit),
        cmocka_unit_test(test_estimate__refuses_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
