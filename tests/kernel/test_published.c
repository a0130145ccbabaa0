// SPDX-License-Identifier: BSD-3-Clause
// The published solves of dag_ec.cl and dag_vc_ILDU0_fused.cl, and the values
// that csr_factors.cl takes for them, against the reference.
#include "tests/support/device.h"
#include "tests/support/trisolves.h"

#include "lib/trisolve/dag_ec.h"

#include <stdlib.h>

static void regroup(struct lcl_trisolve_method *T, lcl_context *ctx, int group)
{
    struct lcl_dag_ec *E = T->state;
    assert_int_equal(lcl_dag_ec_kernels(E, ctx, T->name, group), LCL_OK);
}

// In groups as the device has them, of several waves, and of one wave.
static void expect_dag_ec(lcl_context *ctx, enum lcl_trisolve name)
{
    struct test_trisolve want = {
        .name = name,
        .type = LCL_PRECOND_ILDU0,
        .unit_lower = name == LCL_TRISOLVE_DAG_EC_LDS_UD,
    };
    test_trisolve_expect(ctx, &want);
    want.regroup = regroup;
    want.waves = 1;
    test_trisolve_expect(ctx, &want);
}

static void expect_ilu0(lcl_context *ctx, enum lcl_trisolve name)
{
    const struct test_trisolve want = {.name = name, .type = LCL_PRECOND_ILU0};
    test_trisolve_expect(ctx, &want);
}

static void test_dag_vc_ILDU0_fused__matches_the_reference(void **state)
{
    const struct test_trisolve want = {
        .name = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
        .type = LCL_PRECOND_ILDU0,
    };
    test_trisolve_expect(*state, &want);
}

static void test_dag_ec_no_lds__matches_the_reference(void **state)
{
    expect_dag_ec(*state, LCL_TRISOLVE_DAG_EC_NO_LDS);
}

static void test_dag_ec_no_lds__applies_ilu0_factors(void **state)
{
    expect_ilu0(*state, LCL_TRISOLVE_DAG_EC_NO_LDS);
}

static void test_dag_ec_lds__matches_the_reference(void **state)
{
    expect_dag_ec(*state, LCL_TRISOLVE_DAG_EC_LDS);
}

static void test_dag_ec_lds__applies_ilu0_factors(void **state)
{
    expect_ilu0(*state, LCL_TRISOLVE_DAG_EC_LDS);
}

static void test_dag_ec_lds_ud__matches_the_reference(void **state)
{
    expect_dag_ec(*state, LCL_TRISOLVE_DAG_EC_LDS_UD);
}

static void test_dag_ec_ILD_U0__matches_the_reference(void **state)
{
    expect_dag_ec(*state, LCL_TRISOLVE_DAG_EC_ILD_U0);
}

static void test_dag_ec_ILDU0_fused__matches_the_reference(void **state)
{
    expect_dag_ec(*state, LCL_TRISOLVE_DAG_EC_ILDU0_FUSED);
}

static void test_dag_ec__devices_without_atomic_sums_are_refused(void **state)
{
    struct lcl_caps caps = *lcl_context_caps(*state);
    caps.local_add = LCL_ATOMIC_ADD_NONE;
    test_trisolve_refused(*state, LCL_TRISOLVE_DAG_EC_LDS, &caps);
    test_trisolve_refused(*state, LCL_TRISOLVE_DAG_EC_ILDU0_FUSED, &caps);
    caps.int64_atomics = false;
    test_trisolve_refused(*state, LCL_TRISOLVE_DAG_EC_NO_LDS, &caps);
}

// ------------------------------------------------------------------- values

// The entries of a triangle, row by row: l_ij d_j, or u_ij.
static void expect_values(const struct test_factors *F,
                          const struct lcl_csr_triangle *M, bool lower)
{
    const struct lcl_csr *B = F->ref.B;
    double *got = test_vector(M->entries), *expected = test_vector(M->entries);
    int64_t at = 0;
    for (int64_t p = 0; p < F->ref.parts; ++p) {
        const int64_t first = F->ref.part_ptr[p], last = F->ref.part_ptr[p + 1];
        for (int64_t i = first; i < last; ++i)
            for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
                const int64_t j = B->col_ind[k];
                if (lower && j >= first && j < i)
                    expected[at++] = F->ref.val[k] / F->ref.inv_d[j];
                if (!lower && j > i && j < last)
                    expected[at++] = F->ref.val[k];
            }
    }
    assert_int_equal(at, M->entries);
    assert_int_equal(
        lcl_buffer_read(M->val, got, (size_t)M->entries * sizeof *got), LCL_OK);
    test_expect_near("value", got, expected, M->entries, 1e-12);
    free(got);
    free(expected);
}

static void test_csr_factors__L_takes_D_and_U_stays_unit(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILU0};
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        struct test_factors F;
        struct lcl_csr_factors C;
        struct lcl_repairs repairs;
        test_system_init(&S, i, true);
        test_factors_init(&F, *state, &S, test_group(*state, 2), &params);
        assert_int_equal(lcl_csr_factors_init(&C, *state, &F.device, &F.layout,
                                              S.level, LCL_SPLIT_LD_U),
                         LCL_OK);
        assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
        assert_int_equal(lcl_csr_factors_update(&C), LCL_OK);
        expect_values(&F, &C.lower, true);
        expect_values(&F, &C.upper, false);
        lcl_csr_factors_finish(&C);
        test_factors_finish(&F);
        test_system_finish(&S);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dag_vc_ILDU0_fused__matches_the_reference),
        cmocka_unit_test(test_dag_ec_no_lds__matches_the_reference),
        cmocka_unit_test(test_dag_ec_no_lds__applies_ilu0_factors),
        cmocka_unit_test(test_dag_ec_lds__matches_the_reference),
        cmocka_unit_test(test_dag_ec_lds__applies_ilu0_factors),
        cmocka_unit_test(test_dag_ec_lds_ud__matches_the_reference),
        cmocka_unit_test(test_dag_ec_ILD_U0__matches_the_reference),
        cmocka_unit_test(test_dag_ec_ILDU0_fused__matches_the_reference),
        cmocka_unit_test(test_dag_ec__devices_without_atomic_sums_are_refused),
        cmocka_unit_test(test_csr_factors__L_takes_D_and_U_stays_unit),
    };
    return test_device_run(tests);
}
