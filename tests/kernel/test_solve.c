// SPDX-License-Identifier: BSD-3-Clause
// Runs all kernels one after another, one or two iterations on a small system,
// so that simulators check the data passed between them.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"
#include "tests/support/trisolves.h"

#include <levelcl/published.h>

#include <stdlib.h>

static void expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                          const struct lcl_precond_params *precond,
                          enum lcl_solver_type type)
{
    const struct lcl_solver_params params = {.type = type, .rtol = 0.05};
    double *b = test_right_side(A);
    struct test_solve s;
    test_solve_open(&s, ctx, A, precond, &params);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_solve_close(&s);
    free(b);
}

static void expect_applied(lcl_context *ctx, enum lcl_trisolve trisolve)
{
    const struct lcl_precond_params precond = {
        .trisolve = trisolve,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 17},
    };
    if (!test_trisolve_supported(ctx, trisolve))
        skip();
    struct lcl_csr A = test_laplacian(4, 4, 3);
    expect_solved(ctx, &A, &precond, LCL_SOLVER_BICGSTAB);
    test_csr_finish(&A);
}

static void test_solve__packed_applies_lead_to_the_solution(void **state)
{
    expect_applied(*state, LCL_TRISOLVE_PACKED);
}

static void test_solve__dag_vc_applies_lead_to_the_solution(void **state)
{
    expect_applied(*state, LCL_TRISOLVE_DAG_VC_ILDU0_FUSED);
}

static void test_solve__blocks_lead_to_the_solution(void **state)
{
    const struct lcl_precond_params precond = {.type = LCL_PRECOND_JACOBI};
    struct lcl_csr A = test_problem("lap3d:3,b=2");
    expect_solved(*state, &A, &precond, LCL_SOLVER_BICGSTAB);
    lcl_csr_finish(&A);
}

static void test_solve__dag_ec_applies_lead_to_the_solution(void **state)
{
    expect_applied(*state, LCL_TRISOLVE_DAG_EC_LDS_UD);
}

static void test_solve__cg_leads_to_the_solution(void **state)
{
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    const struct lcl_precond_params ic0 = {
        .type = LCL_PRECOND_IC0,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 9},
    };
    struct lcl_csr A = test_laplacian(3, 3, 2);
    expect_solved(*state, &A, &none, LCL_SOLVER_CG);
    expect_solved(*state, &A, &ic0, LCL_SOLVER_CG);
    expect_solved(*state, &A, &none, LCL_SOLVER_CG_PIPELINED);
    expect_solved(*state, &A, &ic0, LCL_SOLVER_CG_PIPELINED);
    test_csr_finish(&A);
}

static void test_solve__minres_leads_to_the_solution(void **state)
{
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
    struct lcl_csr A = test_laplacian(3, 3, 2);
    for (int64_t i = 0; i < A.rows; ++i) // eigenvalues of both signs
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] -= A.col_ind[k] == i ? 4.5 : 0;
    expect_solved(*state, &A, &none, LCL_SOLVER_MINRES);
    expect_solved(*state, &A, &jacobi, LCL_SOLVER_MINRES);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve__packed_applies_lead_to_the_solution),
        cmocka_unit_test(test_solve__dag_vc_applies_lead_to_the_solution),
        cmocka_unit_test(test_solve__blocks_lead_to_the_solution),
        cmocka_unit_test(test_solve__dag_ec_applies_lead_to_the_solution),
        cmocka_unit_test(test_solve__cg_leads_to_the_solution),
        cmocka_unit_test(test_solve__minres_leads_to_the_solution),
    };
    return test_device_run(tests);
}
