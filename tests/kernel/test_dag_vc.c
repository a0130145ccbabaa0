// SPDX-License-Identifier: BSD-3-Clause
// dag_vc_ILDU0_fused.cl, the published apply, against the reference.
#include "tests/support/device.h"
#include "tests/support/factors.h"

#include "lib/ref/trisolve.h"
#include "lib/trisolve/trisolve.h"

#include <stdlib.h>

static void expect_apply(lcl_context *ctx, const struct test_factors *F,
                         const struct lcl_trisolve_method *T)
{
    const int64_t n = F->layout.n;
    double *b = test_random_vector(n, 8);
    double *x = test_vector(n), *expected = test_vector(n);
    lcl_buffer *in = test_upload(ctx, b, n, sizeof *b);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *x);
    lcl_buffer *go_on = test_stop_flag(ctx, 0), *stop = test_stop_flag(ctx, 1);
    assert_int_equal(lcl_trisolve_apply(T, in, out, stop, 0), LCL_OK);
    test_untouched(out);
    assert_int_equal(lcl_trisolve_apply(T, in, out, go_on, 0), LCL_OK);
    test_download(out, x, n, sizeof *x);
    lcl_ref_trisolve(&F->ref, b, expected);
    test_expect_near("x", x, expected, n, 1e-11);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(b);
    free(x);
    free(expected);
}

static void expect_all(lcl_context *ctx, int waves)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        struct test_factors F;
        struct lcl_trisolve_method T;
        struct lcl_repairs repairs;
        test_system_init(&S, i, true);
        test_factors_init(&F, ctx, &S, test_group(ctx, waves), &params);
        assert_int_equal(lcl_trisolve_init(&T, LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
                                           ctx, &F.device, &F.layout, S.level),
                         LCL_OK);
        assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
        assert_int_equal(lcl_trisolve_update(&T), LCL_OK);
        expect_apply(ctx, &F, &T);
        lcl_trisolve_finish(&T);
        test_factors_finish(&F);
        test_system_finish(&S);
    }
}

static void test_dag_vc__groups_of_one_wave_match_the_reference(void **state)
{
    expect_all(*state, 1);
}

static void test_dag_vc__groups_of_two_waves_match_the_reference(void **state)
{
    expect_all(*state, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dag_vc__groups_of_one_wave_match_the_reference),
        cmocka_unit_test(test_dag_vc__groups_of_two_waves_match_the_reference),
    };
    return test_device_run(tests);
}
