// SPDX-License-Identifier: BSD-3-Clause
// Detection of triangle-free patterns, and dilu.cl, their factorisation,
// compared with the reference of the general factorisation.
#include "tests/support/device.h"
#include "tests/support/factors.h"

#include "lib/factor/triangle_free.h"
#include "lib/matrix/csr.h"

#include <stdlib.h>

// ------------------------------------------------------------------- mirrors

// Whether row i of subdomain first .. last-1 forms a triangle with j and m.
static bool row_has_triangle(const struct lcl_csr *B, int64_t i, int64_t first,
                             int64_t last)
{
    for (int64_t j = first; j < i; ++j)
        for (int64_t m = j + 1; m < last && lcl_csr_find(B, i, j) >= 0; ++m)
            if (m != i && lcl_csr_find(B, j, m) >= 0 &&
                lcl_csr_find(B, i, m) >= 0)
                return true;
    return false;
}

static bool has_triangle(const struct test_system *S)
{
    for (int64_t p = 0; p < S->P.parts; ++p)
        for (int64_t i = S->P.part_ptr[p]; i < S->P.part_ptr[p + 1]; ++i)
            if (row_has_triangle(&S->B, i, S->P.part_ptr[p],
                                 S->P.part_ptr[p + 1]))
                return true;
    return false;
}

static bool has_long_row(const struct lcl_host_schedule *L)
{
    for (int64_t s = 0; s < L->steps; ++s)
        if (L->step[s].lower_planes > LCL_TRIANGLE_FREE_PLANES ||
            L->step[s].upper_planes > LCL_TRIANGLE_FREE_PLANES + 1)
            return true;
    return false;
}

static void expect_row_mirrors(const struct test_factors *F,
                               const struct lcl_part *part, uint32_t r,
                               const uint32_t *mirror)
{
    const struct lcl_host_schedule *L = &F->schedule;
    const struct lcl_step *s = &L->step[part->step + L->step_of[part->row + r]];
    for (uint32_t k = 0; k < s->lower_planes; ++k) {
        const uint64_t at = part->slot + s->lower + k * s->rows + r - s->first;
        const int64_t found =
            L->source[at] >= LCL_FILL
                ? -1
                : lcl_csr_find(&F->system->B, part->row + L->col[at],
                               part->row + r);
        assert_int_equal(mirror[at], found < 0 ? LCL_PADDING : found);
    }
    assert_int_equal(mirror[part->slot + s->upper + r - s->first], LCL_PADDING);
}

static void expect_mirrors(const struct test_factors *F)
{
    const struct lcl_host_schedule *L = &F->schedule;
    uint32_t *mirror = calloc((size_t)L->slots, sizeof *mirror);
    assert_non_null(mirror);
    assert_int_equal(lcl_buffer_read(F->device.mirror, mirror,
                                     (size_t)L->slots * sizeof *mirror),
                     LCL_OK);
    for (int64_t p = 0; p < L->parts; ++p)
        for (uint32_t r = 0; r < L->part[p].rows; ++r)
            expect_row_mirrors(F, &L->part[p], r, mirror);
    free(mirror);
}

// ------------------------------------------------------------------- factors

static void expect_factors(lcl_context *ctx, struct test_system *S, int waves,
                           const struct lcl_precond_params *params)
{
    static const double tolerance[LCL_FACTOR_STORAGE_COUNT] = {1e-12, 1e-12,
                                                               1e-6, 1e-2};
    struct test_factors F;
    struct lcl_repairs repairs;
    S->dilu = true;
    test_factors_init(&F, ctx, S, test_group(ctx, waves), params);
    assert_int_equal(!F.device.mirror,
                     has_triangle(S) || has_long_row(&F.schedule));
    if (F.device.mirror) {
        assert_int_equal(!F.device.val,
                         params->storage > LCL_FACTOR_STORAGE_FP64);
        expect_mirrors(&F);
    }
    for (int pass = 0; pass < 2; ++pass) { // the second pass is an update
        assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
        assert_int_equal(repairs.count, F.ref.repaired);
        for (int64_t i = 0, found = 0; i < S->A.rows && found < 8; ++i)
            if (F.ref.bad[i])
                assert_int_equal(repairs.rows[found++], i);
        if (F.device.mirror || F.device.storage == LCL_FACTOR_STORAGE_FP64)
            test_factors_compare(&F, tolerance[params->storage]);
    }
    test_factors_finish(&F);
}

static void expect_all(lcl_context *ctx, int waves,
                       enum lcl_factor_storage storage)
{
    const struct lcl_precond_params params = {.storage = storage};
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, true);
        expect_factors(ctx, &S, waves, &params);
        test_system_finish(&S);
    }
}

static void test_dilu__groups_of_one_wave_match_the_reference(void **state)
{
    expect_all(*state, 1, LCL_FACTOR_STORAGE_FP64);
}

static void test_dilu__groups_of_two_waves_match_the_reference(void **state)
{
    expect_all(*state, 2, LCL_FACTOR_STORAGE_FP64);
}

static void test_dilu__fp32_is_stored_at_once(void **state)
{
    expect_all(*state, 1, LCL_FACTOR_STORAGE_FP32);
}

static void test_dilu__bf16_is_stored_at_once(void **state)
{
    expect_all(*state, 1, LCL_FACTOR_STORAGE_BF16);
}

// Entries in one triangle of the matrix only, rows without entries.
static void test_dilu__patterns_need_not_be_symmetric(void **state)
{
    const double one_sided[] = {
        2, 1, 0, 0, 0, 3, //
        0, 3, 1, 0, 0, 0, //
        0, 1, 4, 0, 0, 0, //
        0, 0, 0, 0, 0, 0, //
        1, 0, 0, 1, 5, 0, //
        0, 0, 0, 2, 0, 6, //
    };
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    for (int64_t rows = 3; rows <= 6; rows += 3) {
        struct test_system S;
        test_system_from(&S, test_csr_from_dense(6, one_sided), rows, true);
        expect_factors(*state, &S, 1, &params);
        test_system_finish(&S);
    }
}

// Rows longer than the kernel can hold use the general factorisation.
static void test_dilu__long_rows_are_left_alone(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    for (int length = LCL_TRIANGLE_FREE_PLANES;
         length <= LCL_TRIANGLE_FREE_PLANES + 1; ++length) {
        struct test_system S;
        struct test_factors F;
        test_system_from(&S, test_dense_row(length + 1, length), length + 1,
                         true);
        S.dilu = true;
        test_factors_init(&F, *state, &S, test_group(*state, 1), &params);
        assert_int_equal(!F.device.mirror, length > LCL_TRIANGLE_FREE_PLANES);
        test_factors_finish(&F);
        test_system_finish(&S);
    }
}

// ------------------------------------------------------------------- pivots

// A zero in the middle of the elimination, a tiny and a missing diagonal, all
// in the first of two subdomains of chains; the second has regular pivots.
static void test_dilu__small_pivots_are_repaired_by_every_policy(void **state)
{
    // clang-format off
    const double dense[] = {
        2, 1, 0,     0, 0, 0, 0, 0,
        2, 1, 3,     0, 0, 0, 0, 1,
        0, 4, 1e-14, 1, 0, 0, 0, 0,
        0, 0, 1,     0, 0, 0, 0, 0,
        0, 0, 0,     0, 3, 1, 0, 0,
        0, 0, 0,     0, 1, 3, 1, 0,
        0, 0, 0,     0, 0, 1, 3, 1,
        0, 1, 0,     0, 0, 0, 1, 3,
    };
    // clang-format on
    static const enum lcl_pivot policies[] = {
        LCL_PIVOT_BOOST, LCL_PIVOT_REPLACE, LCL_PIVOT_SHIFT};
    for (int i = 0; i < 3; ++i) {
        const struct lcl_precond_params params = {.pivot = policies[i],
                                                  .pivot_tol = 1e-3};
        struct test_system S;
        test_system_from(&S, test_csr_from_dense(8, dense), 4, true);
        expect_factors(*state, &S, 1, &params);
        test_system_finish(&S);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dilu__groups_of_one_wave_match_the_reference),
        cmocka_unit_test(test_dilu__groups_of_two_waves_match_the_reference),
        cmocka_unit_test(test_dilu__fp32_is_stored_at_once),
        cmocka_unit_test(test_dilu__bf16_is_stored_at_once),
        cmocka_unit_test(test_dilu__patterns_need_not_be_symmetric),
        cmocka_unit_test(test_dilu__long_rows_are_left_alone),
        cmocka_unit_test(test_dilu__small_pivots_are_repaired_by_every_policy),
    };
    return test_device_run(tests);
}
