// SPDX-License-Identifier: BSD-3-Clause
// spin_loop_lds.cl, the published solve with spin waits, compared with the
// reference.
#include "tests/support/device.h"
#include "tests/support/trisolves.h"

#include "lib/trisolve/published/spin_loop.h"

#include <levelcl/published.h>

#include <stdlib.h>

static void regroup(struct lcl_trisolve_method *T, lcl_context *ctx, int group)
{
    struct lcl_spin_loop *S = T->state;
    assert_int_equal(lcl_spin_loop_kernels(S, ctx, group), LCL_OK);
}

static void expect_type(lcl_context *ctx, enum lcl_precond_type type, int waves)
{
    const struct test_trisolve want = {
        .name = LCL_TRISOLVE_SPIN_LOOP_LDS,
        .type = type,
        .regroup = waves > 0 ? regroup : NULL,
        .waves = waves,
    };
    test_trisolve_expect(ctx, &want);
}

static void test_spin_loop__one_wave_matches_the_reference(void **state)
{
    expect_type(*state, LCL_PRECOND_ILDU0, 1);
}

static void test_spin_loop__large_groups_match_the_reference(void **state)
{
    expect_type(*state, LCL_PRECOND_ILDU0, 0);
}

static void test_spin_loop__three_waves_apply_ilu0_factors(void **state)
{
    expect_type(*state, LCL_PRECOND_ILU0, 3);
}

static void expect_ascending(const lcl_buffer *buffer,
                             const struct lcl_subdomains *P)
{
    const int64_t n = P->part_ptr[P->parts];
    uint16_t *order = malloc((size_t)n * sizeof *order);
    assert_non_null(order);
    test_download(buffer, order, n, sizeof *order);
    for (int64_t p = 0; p < P->parts; ++p) {
        const int64_t first = P->part_ptr[p];
        for (int64_t k = first + 1; k < P->part_ptr[p + 1]; ++k)
            assert_true(P->row[first + order[k - 1]] <
                        P->row[first + order[k]]);
    }
    free(order);
}

// The rows of the factor are sorted by level.
static void test_spin_loop__rows_are_taken_as_the_matrix_has_them(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    if (!test_trisolve_supported(*state, LCL_TRISOLVE_SPIN_LOOP_LDS))
        skip();
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        struct test_factors F;
        struct lcl_trisolve_method T;
        test_system_init(&S, i, true);
        test_factors_init(&F, *state, &S, test_group(*state, 1), &params);
        const struct lcl_host_factor host = {.schedule = F.schedule,
                                             .row = S.P.row};
        assert_int_equal(lcl_trisolve_init(&T, LCL_TRISOLVE_SPIN_LOOP_LDS,
                                           *state, &F.device, &host),
                         LCL_OK);
        expect_ascending(((struct lcl_spin_loop *)T.state)->order, &S.P);
        lcl_trisolve_finish(&T);
        test_factors_finish(&F);
        test_system_finish(&S);
    }
}

// ------------------------------------------------------------------- blocks

static void expect_blocks(lcl_context *ctx, int block, int waves, int systems)
{
    const struct test_trisolve want = {
        .name = LCL_TRISOLVE_SPIN_LOOP_LDS,
        .type = LCL_PRECOND_ILDU0,
        .block = block,
        .regroup = waves > 0 ? regroup : NULL,
        .waves = waves,
        .systems = systems,
    };
    test_trisolve_expect(ctx, &want);
}

static void test_spin_loop__blocks_of_3_match_the_reference(void **state)
{
    expect_blocks(*state, 3, 0, (int)test_size(test_system_count(), 2));
    expect_blocks(*state, 3, 3, (int)test_size(3, 1));
}

static void test_spin_loop__blocks_of_each_size_match(void **state)
{
    expect_blocks(*state, 2, 0, (int)test_size(3, 1));
    expect_blocks(*state, 5, 1, (int)test_size(3, 1));
    expect_blocks(*state, LCL_BLOCK_MAX, 0, (int)test_size(3, 1));
}

// ------------------------------------------------------------------- devices

static void test_spin_loop__devices_without_progress_are_refused(void **state)
{
    struct lcl_caps caps = *lcl_context_caps(*state);
    caps.progress = LCL_PROGRESS_NONE;
    test_trisolve_refused(*state, LCL_TRISOLVE_SPIN_LOOP_LDS, &caps);
}

static void test_spin_loop__devices_without_local_sums_are_refused(void **state)
{
    struct lcl_caps caps = *lcl_context_caps(*state);
    caps.local_add = LCL_ATOMIC_ADD_NONE;
    test_trisolve_refused(*state, LCL_TRISOLVE_SPIN_LOOP_LDS, &caps);
}

// The last lane of a row reads the sums of the others, synchronised by a flag;
// oclgrind does not recognise this and reports a race.
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin_loop__one_wave_matches_the_reference),
        cmocka_unit_test(test_spin_loop__large_groups_match_the_reference),
        cmocka_unit_test(test_spin_loop__three_waves_apply_ilu0_factors),
        cmocka_unit_test(test_spin_loop__rows_are_taken_as_the_matrix_has_them),
        cmocka_unit_test(test_spin_loop__blocks_of_3_match_the_reference),
        cmocka_unit_test(test_spin_loop__blocks_of_each_size_match),
        cmocka_unit_test(test_spin_loop__devices_without_progress_are_refused),
        cmocka_unit_test(
            test_spin_loop__devices_without_local_sums_are_refused),
    };
    return getenv("OCLGRIND_DATA_RACES") ? 77 : test_device_run(tests);
}
