// SPDX-License-Identifier: BSD-3-Clause
// packed.cl, packed_serial.cl and packed_columns.cl, the fused application,
// compared with the reference.
#include "tests/support/device.h"
#include "tests/support/trisolves.h"

#include "lib/trisolve/packed.h"

#include <stdlib.h>

// A form of the kernel. At width 1 only `storage` has an effect.
struct form {
    enum lcl_factor_storage storage;
    int waves;
    bool ring;
    bool global_table; // the table of stages stays in global memory
    bool some;         // only the last systems, for fewer programs
    bool shared;       // lanes share rows
    int columns;       // interleaved; 0: one vector
};

static void packed_init(struct lcl_trisolve_method *T, lcl_context *ctx,
                        const struct test_factors *F, const struct form *form)
{
    assert_int_equal(
        lcl_trisolve_init(T, LCL_TRISOLVE_PACKED, ctx, &F->device, NULL),
        LCL_OK);
    if (test_width(ctx) == 1)
        return;
    struct lcl_spec spec =
        lcl_packed_spec(lcl_context_caps(ctx), &F->device, form->ring);
    if (form->global_table)
        lcl_spec_set(&spec, "LOCAL_STAGES", 0);
    ((struct lcl_packed *)T->state)->kernel = test_kernel(ctx, &spec);
}

static void expect_system(lcl_context *ctx, struct test_system *S,
                          const struct form *form)
{
    const struct lcl_precond_params params = {.storage = form->storage};
    struct lcl_trisolve_method T;
    struct test_factors F;
    struct lcl_repairs repairs;
    test_factors_init(&F, ctx, S, test_group(ctx, form->waves), &params);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_true(F.device.lanes > 1 || !form->shared || test_width(ctx) == 1);
    test_factors_adopt(&F);
    packed_init(&T, ctx, &F, form);
    if (form->columns > 0)
        test_trisolve_columns(ctx, &F, &T, form->columns);
    else
        test_trisolve_apply(ctx, &F, &T);
    lcl_trisolve_finish(&T);
    test_factors_finish(&F);
}

static void expect_form(lcl_context *ctx, const struct form *form)
{
    const int first = form->some ? test_system_count() - 2 : 0;
    for (int i = first; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, true);
        expect_system(ctx, &S, form);
        test_system_finish(&S);
    }
}

static void test_packed__straight_from_global_memory(void **state)
{
    for (int waves = 1; waves <= 2; ++waves)
        expect_form(*state, &(struct form){.waves = waves});
}

static void test_packed__through_the_ring(void **state)
{
    for (int waves = 1; waves <= 2; ++waves)
        expect_form(*state, &(struct form){.waves = waves, .ring = true});
}

static void test_packed__tables_in_global_memory(void **state)
{
    for (int ring = 0; ring < 2; ++ring)
        expect_form(
            *state,
            &(struct form){.waves = 2, .ring = ring, .global_table = true});
}

static void test_packed__fp32_storage_rounds_values_alone(void **state)
{
    for (int ring = 0; ring < 2; ++ring)
        expect_form(*state, &(struct form){.storage = LCL_FACTOR_STORAGE_FP32,
                                           .waves = 1,
                                           .ring = ring,
                                           .some = true});
}

static void test_packed__bf16_storage_rounds_values_alone(void **state)
{
    for (int ring = 0; ring < 2; ++ring)
        expect_form(*state, &(struct form){.storage = LCL_FACTOR_STORAGE_BF16,
                                           .waves = 1,
                                           .ring = ring,
                                           .some = true});
}

static void test_packed__lanes_share_long_rows(void **state)
{
    const struct form forms[] = {
        {.waves = 1, .shared = true},
        {.waves = 2, .ring = true, .shared = true},
        {.storage = LCL_FACTOR_STORAGE_FP32, .waves = 2, .shared = true},
        {.storage = LCL_FACTOR_STORAGE_BF16,
         .waves = 1,
         .ring = true,
         .shared = true},
    };
    const int64_t part = test_size(40, 130);
    struct test_system S;
    test_system_from(&S, test_long_rows(test_size(3, 7), part, 3), part, true);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
        expect_system(*state, &S, &forms[i]);
    test_system_finish(&S);
}

static void test_packed__interleaved_columns(void **state)
{
    expect_form(*state, &(struct form){.waves = 1, .columns = 8});
    expect_form(*state, &(struct form){.waves = 2, .columns = 4, .some = true});
    expect_form(*state, &(struct form){.storage = LCL_FACTOR_STORAGE_BF16,
                                       .waves = 1,
                                       .columns = 2,
                                       .some = true});
}

static void test_packed__columns_of_long_rows(void **state)
{
    const struct form form = {.waves = 1, .shared = true, .columns = 4};
    const int64_t part = test_size(40, 130);
    struct test_system S;
    test_system_from(&S, test_long_rows(test_size(3, 7), part, 3), part, true);
    expect_system(*state, &S, &form);
    test_system_finish(&S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed__straight_from_global_memory),
        cmocka_unit_test(test_packed__through_the_ring),
        cmocka_unit_test(test_packed__tables_in_global_memory),
        cmocka_unit_test(test_packed__fp32_storage_rounds_values_alone),
        cmocka_unit_test(test_packed__bf16_storage_rounds_values_alone),
        cmocka_unit_test(test_packed__lanes_share_long_rows),
        cmocka_unit_test(test_packed__interleaved_columns),
        cmocka_unit_test(test_packed__columns_of_long_rows),
    };
    return test_device_run(tests);
}
