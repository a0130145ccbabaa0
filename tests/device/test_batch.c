// SPDX-License-Identifier: BSD-3-Clause
// Batched inversion as its users see it: states of blocks, wrong arguments.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/misuse.h"

#include "host/runtime.h"

#include <levelcl/batch.h>
#include <levelcl/published.h>

#include <math.h>
#include <string.h>

enum { BLOCKS = 4, ENTRIES = 15 };

// Blocks of 1, 3, 2 and 1 rows; those of 3 and 2 rows need exchanges.
static const int64_t block_ptr[] = {0, 1, 4, 6, 7};
static const double regular[ENTRIES] = {
    4,                            //
    0,    2, 0, 0, 0, 8, 1, 0, 0, //
    0,    1, 1, 1,                //
    -0.5,
};
static const double inverse[ENTRIES] = {
    0.25,                               //
    0,    0, 1, 0.5, 0, 0, 0, 0.125, 0, //
    -1,   1, 1, 0,                      //
    -2,
};

static void expect_entries(const double *got, const double *expected)
{
    for (int i = 0; i < ENTRIES; ++i)
        if (!(got[i] == expected[i]))
            fail_msg("entry %d: got %g, expected %g", i, got[i], expected[i]);
}

// ------------------------------------------------------------------- inverses

static void test_batch__inverses_come_in_the_layout_of_the_blocks(void **state)
{
    for (int p = 0; p < LCL_BATCH_PRECISION_COUNT; ++p)
        for (int k = 0; k < LCL_BATCH_KERNEL_COUNT; ++k) {
            const struct lcl_batch_params params = {
                .kernel = (enum lcl_batch_kernel)k,
                .precision = (enum lcl_batch_precision)p};
            double X[ENTRIES] = {0};
            int32_t info[BLOCKS] = {-1, -1, -1, -1};
            assert_int_equal(lcl_batch_invert(*state, X, regular, block_ptr,
                                              BLOCKS, info, &params),
                             LCL_OK);
            expect_entries(X, inverse);
            for (int b = 0; b < BLOCKS; ++b)
                assert_int_equal(info[b], 0);
        }
}

static void test_batch__defaults_and_one_array_will_do(void **state)
{
    double X[ENTRIES];
    memcpy(X, regular, sizeof X);
    assert_int_equal(
        lcl_batch_invert(*state, X, X, block_ptr, BLOCKS, NULL, NULL), LCL_OK);
    expect_entries(X, inverse);
}

static void test_batch__no_blocks_are_no_work(void **state)
{
    double X = 7;
    int32_t info = 9;
    assert_int_equal(
        lcl_batch_invert(*state, &X, &X, block_ptr, 0, &info, NULL), LCL_OK);
    assert_true(X == 7 && info == 9);
}

// ------------------------------------------------------------------- failures

// A context whose messages are kept.
static lcl_context *talking(struct test_capture *capture)
{
    lcl_context *ctx;
    test_capture_init(capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {.log = capture->log};
    assert_int_equal(lcl_runtime_create(&ctx, &params, &lcl_cl_loader), LCL_OK);
    return ctx;
}

// The second block has no third pivot, the last is not a number.
static void make_singular(double *A)
{
    memcpy(A, regular, ENTRIES * sizeof *A);
    A[6] = 0;
    A[14] = NAN;
}

static void test_batch__first_block_without_inverse_is_named(void **state)
{
    struct test_capture capture;
    lcl_context *ctx = talking(&capture);
    double A[ENTRIES], X[ENTRIES] = {0};
    const double untouched[ENTRIES] = {0};
    int32_t info[BLOCKS];
    (void)state;
    make_singular(A);
    assert_int_equal(lcl_batch_invert(ctx, X, A, block_ptr, BLOCKS, info, NULL),
                     LCL_EPIVOT);
    test_capture_expect(&capture, "2 of 4 blocks have no inverse, first block "
                                  "1");
    expect_entries(X, untouched);
    assert_int_equal(info[0], 0);
    assert_in_range(info[1], 1, 3);
    assert_int_equal(info[2], 0);
    assert_int_equal(info[3], 1);
    lcl_context_destroy(&ctx);
}

static void test_batch__policies_say_what_takes_its_place(void **state)
{
    double A[ENTRIES], X[ENTRIES];
    struct lcl_batch_params params = {.singular = LCL_BATCH_SINGULAR_IDENTITY};
    make_singular(A);
    assert_int_equal(
        lcl_batch_invert(*state, X, A, block_ptr, BLOCKS, NULL, &params),
        LCL_PIVOTS_REPAIRED);
    double expected[ENTRIES];
    memcpy(expected, inverse, sizeof expected);
    for (int i = 0; i < 9; ++i)
        expected[1 + i] = i % 4 == 0;
    expected[14] = 1;
    expect_entries(X, expected);
    params.singular = LCL_BATCH_SINGULAR_KEEP;
    assert_int_equal(
        lcl_batch_invert(*state, X, A, block_ptr, BLOCKS, NULL, &params),
        LCL_PIVOTS_REPAIRED);
    assert_memory_equal(X + 1, A + 1, 9 * sizeof *X);
    assert_true(X[0] == 0.25 && isnan(X[14]));
}

static void test_batch__overflow_of_fp32_is_no_inverse(void **state)
{
    const int64_t ends[] = {0, 1, 2};
    const double A[] = {1e-42, 1e300};
    double X[2];
    int32_t info[2];
    struct lcl_batch_params params = {.precision = LCL_BATCH_PRECISION_FP32};
    assert_int_equal(lcl_batch_invert(*state, X, A, ends, 2, info, &params),
                     LCL_EPIVOT);
    assert_true(info[0] == 1 && info[1] == 1);
    params.precision = LCL_BATCH_PRECISION_FP64;
    assert_int_equal(lcl_batch_invert(*state, X, A, ends, 2, info, &params),
                     LCL_OK);
}

// ------------------------------------------------------------ wrong arguments

static void test_batch__null_and_foreign_enums_are_refused(void **state)
{
    double X[ENTRIES] = {0};
    const struct lcl_batch_params foreign[] = {
        {.kernel = LCL_BATCH_KERNEL_COUNT},
        {.precision = LCL_BATCH_PRECISION_COUNT},
        {.singular = (enum lcl_batch_singular) - 1},
    };
    assert_misuse(
        lcl_batch_invert(NULL, X, regular, block_ptr, BLOCKS, NULL, NULL));
    assert_misuse(
        lcl_batch_invert(*state, NULL, regular, block_ptr, BLOCKS, NULL, NULL));
    assert_misuse(
        lcl_batch_invert(*state, X, NULL, block_ptr, BLOCKS, NULL, NULL));
    assert_misuse(
        lcl_batch_invert(*state, X, regular, NULL, BLOCKS, NULL, NULL));
    assert_misuse(
        lcl_batch_invert(*state, X, regular, block_ptr, -1, NULL, NULL));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i)
        assert_misuse(lcl_batch_invert(*state, X, regular, block_ptr, BLOCKS,
                                       NULL, &foreign[i]));
}

static void test_batch__rotten_block_pointers_are_refused(void **state)
{
    static const struct {
        int64_t ptr[3];
        const char *message;
    } cases[] = {
        {{1, 2, 3}, "block_ptr[0] is 1"},
        {{0, 0, 1}, "block 0 has rows 0 to -1"},
        {{0, 2, 1}, "block 1 has rows 2 to 0"},
        {{0, 1, 66}, "block 1 has rows 1 to 65: expected 1 to 64 rows"},
        {{0, INT64_MAX, INT64_MIN}, "block 0"},
        {{0, INT64_MIN, 3}, "block 0"},
        {{0, 1, INT64_MIN}, "block 1"},
    };
    struct test_capture capture;
    lcl_context *ctx = talking(&capture);
    double X[2] = {3, 3};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(
            lcl_batch_invert(ctx, X, X, cases[i].ptr, 2, NULL, NULL),
            LCL_EFORMAT);
        test_capture_expect(&capture, cases[i].message);
        assert_true(X[0] == 3 && X[1] == 3);
    }
    lcl_context_destroy(&ctx);
}

static void test_batch__published_kernels_refuse_larger_blocks(void **state)
{
    const int64_t ptr[] = {0, 32, 65};
    const struct lcl_batch_params params = {.kernel = LCL_BATCH_KERNEL_BGJE};
    const struct lcl_batch_params mpw = {.kernel = LCL_BATCH_KERNEL_BGJE_MPW};
    struct test_capture capture;
    lcl_context *ctx = talking(&capture);
    double X[32 * 32 + 33 * 33] = {3};
    (void)state;
    assert_int_equal(lcl_batch_invert(ctx, X, X, ptr, 2, NULL, &params),
                     LCL_EUNSUPPORTED);
    test_capture_expect(&capture, "bgje inverts blocks of at most 32 rows, "
                                  "block 1 has 33");
    assert_int_equal(lcl_batch_invert(ctx, X, X, ptr, 2, NULL, &mpw),
                     LCL_EUNSUPPORTED);
    test_capture_expect(&capture, "bgje_mpw inverts blocks of at most 32 rows");
    assert_true(X[0] == 3);
    lcl_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batch__inverses_come_in_the_layout_of_the_blocks),
        cmocka_unit_test(test_batch__defaults_and_one_array_will_do),
        cmocka_unit_test(test_batch__no_blocks_are_no_work),
        cmocka_unit_test(test_batch__first_block_without_inverse_is_named),
        cmocka_unit_test(test_batch__policies_say_what_takes_its_place),
        cmocka_unit_test(test_batch__overflow_of_fp32_is_no_inverse),
        cmocka_unit_test(test_batch__null_and_foreign_enums_are_refused),
        cmocka_unit_test(test_batch__rotten_block_pointers_are_refused),
        cmocka_unit_test(test_batch__published_kernels_refuse_larger_blocks),
    };
    return test_device_run(tests);
}
