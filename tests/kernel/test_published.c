// SPDX-License-Identifier: BSD-3-Clause
// The published solves of dag_ec.cl and dag_vc_ILDU0_fused.cl compared with the
// reference; for blocks see test_published_block.c.
#include "tests/support/device.h"
#include "tests/support/trisolves.h"

#include "lib/trisolve/published/dag_ec.h"

#include <levelcl/published.h>

static void regroup(struct lcl_trisolve_method *T, lcl_context *ctx, int group)
{
    struct lcl_dag_ec *E = T->state;
    assert_int_equal(lcl_dag_ec_kernels(E, ctx, T->name, group), LCL_OK);
}

// Groups of the device's default size, of several waves, and of one wave.
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
    };
    return test_device_run(tests);
}
