// SPDX-License-Identifier: BSD-3-Clause
// packed_block.cl, the fused application of block factors, compared with the
// reference.
#include "tests/support/device.h"
#include "tests/support/trisolves.h"

#include "lib/trisolve/packed.h"
#include "lib/trisolve/packed_block.h"

#include <stdlib.h>

// A form of the kernel. At width 1 waves and table have no effect.
struct form {
    int block;
    enum lcl_factor_storage storage;
    int waves;
    bool global_table; // the table of stages stays in global memory
    int systems;       // number of systems, from the last; each size requires a
                       // program
};

static void packed_init(struct lcl_trisolve_method *T, lcl_context *ctx,
                        const struct test_factors *F, const struct form *form)
{
    assert_int_equal(
        lcl_trisolve_init(T, LCL_TRISOLVE_PACKED, ctx, &F->device, NULL),
        LCL_OK);
    if (!form->global_table || test_width(ctx) == 1)
        return;
    struct lcl_spec spec =
        lcl_packed_block_spec(lcl_context_caps(ctx), &F->device);
    lcl_spec_set(&spec, "LOCAL_STAGES", 0);
    ((struct lcl_packed *)T->state)->kernel = test_kernel(ctx, &spec);
}

static void expect_form(lcl_context *ctx, const struct form *form)
{
    const struct lcl_precond_params params = {.storage = form->storage};
    print_message("blocks of %d, %s\n", form->block,
                  lcl_factor_storage_name(form->storage));
    const int count = test_system_count();
    for (int i = count - form->systems; i < count; ++i) {
        struct test_system S;
        struct test_factors F;
        struct lcl_trisolve_method T;
        struct lcl_repairs repairs;
        test_system_init(&S, i, true);
        test_system_expand(&S, form->block);
        test_factors_init(&F, ctx, &S, test_group(ctx, form->waves), &params);
        assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
        test_factors_adopt(&F);
        packed_init(&T, ctx, &F, form);
        test_trisolve_apply(ctx, &F, &T);
        lcl_trisolve_finish(&T);
        test_factors_finish(&F);
        test_system_finish(&S);
    }
}

static void expect_blocks(lcl_context *ctx, struct form form, const int *blocks)
{
    for (; *blocks; ++blocks) {
        form.block = *blocks;
        expect_form(ctx, &form);
    }
}

static void test_packed_block__groups_of_one_wave_match(void **state)
{
    const struct form form = {.waves = 1, .systems = 1};
    expect_blocks(*state, form, (const int[]){2, 4, 5, LCL_BLOCK_MAX, 0});
}

static void test_packed_block__all_systems_match(void **state)
{
    const struct form form = {.waves = 1, .systems = test_system_count()};
    expect_blocks(*state, form, (const int[]){3, 0});
}

static void test_packed_block__groups_of_two_waves_match(void **state)
{
    const struct form form = {
        .waves = 2, .systems = (int)test_size(test_system_count(), 2)};
    expect_blocks(*state, form, (const int[]){3, 5, 0});
}

static void test_packed_block__tables_in_global_memory_match(void **state)
{
    const struct form form = {.waves = 2,
                              .global_table = true,
                              .systems =
                                  (int)test_size(test_system_count(), 2)};
    expect_blocks(*state, form, (const int[]){3, 0});
}

static void test_packed_block__fp32_storage_rounds_values_alone(void **state)
{
    const struct form form = {
        .storage = LCL_FACTOR_STORAGE_FP32, .waves = 1, .systems = 1};
    expect_blocks(*state, form, (const int[]){4, 0});
}

static void test_packed_block__bf16_storage_rounds_values_alone(void **state)
{
    const struct form form = {
        .storage = LCL_FACTOR_STORAGE_BF16, .waves = 1, .systems = 1};
    expect_blocks(*state, form, (const int[]){2, 3, 0});
}

// ------------------------------------------------------------------- limits

static void test_packed_block__subdomains_fit_the_device(void **state)
{
    const struct lcl_caps *caps = lcl_context_caps(*state);
    struct lcl_csr A = test_laplacian(20, 20, 20);
    for (int block = 2; block <= LCL_BLOCK_MAX; ++block) {
        const struct lcl_partition_params params = {.type =
                                                        LCL_PARTITION_NATURAL};
        const struct lcl_packed_rows rows = {.A = &A, .block = block};
        struct lcl_subdomains P;
        assert_int_equal(lcl_packed_partition(&P, *state, &rows, &params,
                                              lcl_packed_rows_most(caps, block),
                                              1),
                         LCL_OK);
        for (int64_t p = 0; p < P.parts && caps->width > 1; ++p)
            assert_true((uint64_t)(P.part_ptr[p + 1] - P.part_ptr[p]) *
                            (uint64_t)block * sizeof(double) <
                        caps->local_bytes);
        assert_int_equal(P.part_ptr[P.parts], A.rows);
        lcl_subdomains_finish(&P);
    }
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_block__groups_of_one_wave_match),
        cmocka_unit_test(test_packed_block__all_systems_match),
        cmocka_unit_test(test_packed_block__groups_of_two_waves_match),
        cmocka_unit_test(test_packed_block__tables_in_global_memory_match),
        cmocka_unit_test(test_packed_block__fp32_storage_rounds_values_alone),
        cmocka_unit_test(test_packed_block__bf16_storage_rounds_values_alone),
        cmocka_unit_test(test_packed_block__subdomains_fit_the_device),
    };
    return test_device_run(tests);
}
