// SPDX-License-Identifier: BSD-3-Clause
// The published solves with block factors compared with the reference.
#include "tests/support/device.h"
#include "tests/support/trisolves.h"

#include "lib/trisolve/published/dag_ec.h"

#include <levelcl/published.h>

static void regroup(struct lcl_trisolve_method *T, lcl_context *ctx, int group)
{
    struct lcl_dag_ec *E = T->state;
    assert_int_equal(lcl_dag_ec_kernels(E, ctx, T->name, group), LCL_OK);
}

// Groups of `waves` waves; 0: of the device's default size.
static void expect_blocks(lcl_context *ctx, enum lcl_trisolve name, int block,
                          int waves, int systems)
{
    const struct test_trisolve want = {
        .name = name,
        .type = LCL_PRECOND_ILDU0,
        .block = block,
        .unit_lower = name == LCL_TRISOLVE_DAG_EC_LDS_UD,
        .regroup = waves > 0 ? regroup : NULL,
        .waves = waves,
        .systems = systems,
    };
    test_trisolve_expect(ctx, &want);
}

// Each size of a large system requires a program, so fewer systems. dag_vc
// supports only groups of the device's default size.
static void expect_each_size(lcl_context *ctx, enum lcl_trisolve name)
{
    const int few = (int)test_size(2, 1);
    const int waves = name == LCL_TRISOLVE_DAG_VC_ILDU0_FUSED ? 0 : 1;
    expect_blocks(ctx, name, 3, 0, (int)test_size(test_system_count(), 2));
    expect_blocks(ctx, name, 2, waves, few);
    expect_blocks(ctx, name, 5, 0, few);
    expect_blocks(ctx, name, LCL_BLOCK_MAX, waves, few);
}

static void test_dag_vc_ILDU0_fused__blocks_match_the_reference(void **state)
{
    expect_each_size(*state, LCL_TRISOLVE_DAG_VC_ILDU0_FUSED);
}

static void test_dag_ec_no_lds__blocks_match_the_reference(void **state)
{
    expect_each_size(*state, LCL_TRISOLVE_DAG_EC_NO_LDS);
}

static void test_dag_ec_lds__blocks_match_the_reference(void **state)
{
    expect_each_size(*state, LCL_TRISOLVE_DAG_EC_LDS);
}

// The other methods use kernels of the same program.
static void test_dag_ec__all_methods_apply_blocks_of_3(void **state)
{
    for (int t = LCL_TRISOLVE_DAG_EC_LDS_UD;
         t <= (int)LCL_TRISOLVE_DAG_EC_ILDU0_FUSED; ++t)
        expect_blocks(*state, (enum lcl_trisolve)t, 3, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dag_vc_ILDU0_fused__blocks_match_the_reference),
        cmocka_unit_test(test_dag_ec_no_lds__blocks_match_the_reference),
        cmocka_unit_test(test_dag_ec_lds__blocks_match_the_reference),
        cmocka_unit_test(test_dag_ec__all_methods_apply_blocks_of_3),
    };
    return test_device_run(tests);
}
