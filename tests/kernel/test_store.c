// SPDX-License-Identifier: BSD-3-Clause
// store.cl, the storage formats of factor values, compared bitwise with the
// reference.
#include "tests/support/device.h"
#include "tests/support/factors.h"

#include "lib/factor/store.h"
#include "lib/ref/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Values that are hard to round to `digits` significant bits: halfway between
// two neighbours, next to that, at both ends of the range of a float. Values
// that are denormal as float are excluded, because devices may flush them.
static double hard_value(int kind, double random, int digits)
{
    const double step = ldexp(1, 1 - digits);
    const double tie = 1 + (floor(random * 64) + 0.5) * step;
    const double sign = random < 0.5 ? -1 : 1;
    switch (kind) {
    case 0:
        return sign * tie;
    case 1:
        return sign * nextafter(tie, 0);
    case 2:
        return sign * nextafter(tie, 8);
    case 3:
        return sign * (2 - step / 2);
    case 4:
        return sign * 0x1p127 * (2 - step * (1 - random / 2));
    case 5:
        return sign * 0x1p-126 * (1 + random);
    case 6:
        return sign * (random < 0.25 ? 0 : random < 0.75 ? 1e300 : INFINITY);
    default:
        return sign * ldexp(1 + random, (int)(random * 200) - 100);
    }
}

static double *hard_values(int64_t n, int digits)
{
    double *v = test_vector(n);
    uint64_t state = 11;
    for (int64_t i = 0; i < n; ++i)
        v[i] = hard_value((int)(test_random(&state) * 9), test_random(&state),
                          digits);
    return v;
}

static void expect_same_bytes(const struct test_factors *F,
                              const unsigned char *expected)
{
    const size_t bytes = lcl_buffer_bytes(F->device.stored);
    unsigned char *got = malloc(bytes);
    assert_non_null(got);
    assert_int_equal(lcl_buffer_read(F->device.stored, got, bytes), LCL_OK);
    for (size_t i = 0; i < bytes; ++i)
        if (got[i] != expected[i])
            fail_msg("byte %zu: got %02x, expected %02x", i, got[i],
                     expected[i]);
    free(got);
}

// Initial value of the counter: a few more fill its low half.
static const uint32_t counted[3] = {0, UINT32_MAX - 1, 0};

static void expect_lost(const struct test_factors *F, const double *val)
{
    const uint64_t entries = (uint64_t)(F->device.block * F->device.block);
    uint32_t counts[3];
    uint64_t lost = counted[1];
    for (int64_t p = 0; p < F->schedule.parts; ++p) {
        const struct lcl_part *part = &F->schedule.part[p];
        for (uint64_t i = part->slot * entries;
             i < (part->slot + part->slots) * entries; ++i)
            lost += lcl_ref_loses(val[i], F->device.storage);
    }
    assert_int_equal(lcl_buffer_read(F->device.counts, counts, sizeof counts),
                     LCL_OK);
    assert_int_equal(counts[0], 0);
    assert_true((counts[1] | (uint64_t)counts[2] << 32) == lost);
}

// Compares the stored hard values; the buffer held all ones before.
static void expect_stored(struct test_factors *F)
{
    const bool bf16 = F->device.storage == LCL_FACTOR_STORAGE_BF16;
    const int block = F->device.block;
    const int64_t count = F->schedule.slots * block * block;
    const size_t bytes = lcl_buffer_bytes(F->device.stored);
    double *val = hard_values(count, bf16 ? 8 : 24);
    void *expected = malloc(bytes);
    assert_non_null(expected);
    memset(expected, 0xff, bytes);
    if (bf16)
        lcl_ref_store_bf16(expected, &F->schedule, block, val);
    else
        lcl_ref_store_fp32(expected, &F->schedule, block, val);
    assert_int_equal(
        lcl_buffer_write(F->device.val, val, (size_t)count * sizeof *val),
        LCL_OK);
    assert_int_equal(lcl_buffer_fill(F->device.stored, 0xff), LCL_OK);
    assert_int_equal(
        lcl_buffer_write(F->device.counts, counted, sizeof counted), LCL_OK);
    assert_int_equal(lcl_store_run(&F->device), LCL_OK);
    expect_same_bytes(F, expected);
    expect_lost(F, val);
    free(expected);
    free(val);
}

static void expect_storage(lcl_context *ctx, enum lcl_factor_storage storage,
                           int block, int waves)
{
    const struct lcl_precond_params params = {.storage = storage};
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        struct test_factors F;
        test_system_init(&S, i, true);
        test_system_expand(&S, block);
        test_factors_init(&F, ctx, &S, test_group(ctx, waves), &params);
        expect_stored(&F);
        test_factors_finish(&F);
        test_system_finish(&S);
    }
}

static void test_store__fp32_is_rounded_to_nearest(void **state)
{
    for (int block = 1; block <= 4; block += 3)
        expect_storage(*state, LCL_FACTOR_STORAGE_FP32, block, 1);
}

static void test_store__bf16_is_rounded_to_nearest_beside_columns(void **state)
{
    for (int block = 1; block <= 5; ++block)
        expect_storage(*state, LCL_FACTOR_STORAGE_BF16, block, 2);
}

static void test_store__factors_are_stored_when_made(void **state)
{
    const struct lcl_precond_params params = {.storage =
                                                  LCL_FACTOR_STORAGE_FP32};
    struct test_system S;
    struct test_factors F;
    struct lcl_repairs repairs;
    test_system_from(&S, test_identity(1), 1, true);
    S.B.val[0] = 3;
    test_factors_init(&F, *state, &S, test_group(*state, 1), &params);
    assert_int_equal(lcl_buffer_fill(F.device.stored, 0xff), LCL_OK);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_ptr_equal(lcl_store_values(&F.device), F.device.stored);
    float stored;
    assert_int_equal(lcl_buffer_read(F.device.stored, &stored, sizeof stored),
                     LCL_OK);
    assert_true(stored == (float)(-1.0 / 3));
    test_factors_finish(&F);
    test_system_finish(&S);
}

static void test_store__fp64_is_what_was_factored(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    struct test_system S;
    struct test_factors F;
    test_system_from(&S, test_identity(4), 4, true);
    test_factors_init(&F, *state, &S, test_group(*state, 1), &params);
    assert_null(F.device.stored);
    assert_ptr_equal(lcl_store_values(&F.device), F.device.val);
    test_factors_finish(&F);
    test_system_finish(&S);
}

// Values at both ends of the range, and their stored results.
static void expect_range(lcl_context *ctx, enum lcl_factor_storage storage,
                         double pivot, bool fits)
{
    const struct lcl_precond_params params = {.storage = storage};
    struct test_system S;
    struct test_factors F;
    struct lcl_repairs repairs;
    for (int falls_back = 0; falls_back < 2; ++falls_back)
        for (int dilu = 0; dilu < 2; ++dilu) {
            test_system_from(&S, test_identity(1), 1, true);
            S.B.val[0] = pivot;
            S.dilu = dilu;
            test_factors_init(&F, ctx, &S, test_group(ctx, 1), &params);
            F.device.falls_back = falls_back;
            assert_int_equal(test_factors_run(&F, &repairs),
                             fits || falls_back ? LCL_OK : LCL_ERANGE);
            assert_int_equal(F.device.storage, fits || !falls_back
                                                   ? storage
                                                   : LCL_FACTOR_STORAGE_FP64);
            if (!fits && falls_back)
                test_factors_compare(&F, 1e-14);
            test_factors_finish(&F);
            test_system_finish(&S);
        }
}

static void test_store__what_does_not_fit_goes_to_fp64(void **state)
{
    static const struct {
        double inverse;
        bool fp32, bf16;
    } ends[] = {
        {0x1.fffffep127, true, false},     {0x1.ffffffp127, false, false},
        {-0x1.fep127, true, true},         {0x1.ffp127, true, false},
        {-0x1p128, false, false},          {0x1p-126, true, true},
        {-0x1.fffffffp-127, false, false}, {1e-300, false, false}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        const double pivot = 1 / ends[i].inverse;
        if (1 / pivot != ends[i].inverse)
            continue;
        expect_range(*state, LCL_FACTOR_STORAGE_FP32, pivot, ends[i].fp32);
        expect_range(*state, LCL_FACTOR_STORAGE_BF16, pivot, ends[i].bf16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store__fp32_is_rounded_to_nearest),
        cmocka_unit_test(test_store__bf16_is_rounded_to_nearest_beside_columns),
        cmocka_unit_test(test_store__factors_are_stored_when_made),
        cmocka_unit_test(test_store__fp64_is_what_was_factored),
        cmocka_unit_test(test_store__what_does_not_fit_goes_to_fp64),
    };
    return test_device_run(tests);
}
