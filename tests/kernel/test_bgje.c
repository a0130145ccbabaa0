// SPDX-License-Identifier: BSD-3-Clause
// bgje.cl compared with the reference: each kernel in both precisions, blocks
// of all sizes, singular blocks.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/dense/bgje.h"
#include "lib/ref/bgje.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = LCL_BATCH_ROWS_MAX, AREA = LARGEST * LARGEST };

// --------------------------------------------------------------------- batches

struct batch {
    int64_t count, entries;
    int64_t *block_ptr, *at;
    double *blocks, *inverse; // the latter from the device
    int32_t *info;
    double *norms; // two per block; NULL: not requested
};

static struct batch batch_of(const int *sizes, int64_t count)
{
    struct batch B = {.count = count};
    B.block_ptr = calloc((size_t)count + 1, sizeof *B.block_ptr);
    B.at = calloc((size_t)count + 1, sizeof *B.at);
    B.info = calloc((size_t)count + 1, sizeof *B.info);
    assert_true(B.block_ptr && B.at && B.info);
    for (int64_t b = 0; b < count; ++b) {
        B.block_ptr[b + 1] = B.block_ptr[b] + sizes[b];
        B.at[b + 1] = B.at[b] + sizes[b] * sizes[b];
    }
    B.entries = B.at[count];
    B.blocks = test_random_vector(B.entries, (unsigned)count);
    B.inverse = test_vector(B.entries);
    return B;
}

static void batch_free(struct batch *B)
{
    free(B->block_ptr);
    free(B->at);
    free(B->info);
    free(B->blocks);
    free(B->inverse);
    free(B->norms);
}

static int rows_of(const struct batch *B, int64_t b)
{
    return (int)(B->block_ptr[b + 1] - B->block_ptr[b]);
}

static double *block(const struct batch *B, int64_t b)
{
    return B->blocks + B->at[b];
}

static struct batch equal_blocks(int rows, int64_t count)
{
    int *sizes = calloc((size_t)count + 1, sizeof *sizes);
    assert_non_null(sizes);
    for (int64_t b = 0; b < count; ++b)
        sizes[b] = rows;
    struct batch B = batch_of(sizes, count);
    free(sizes);
    return B;
}

// ---------------------------------------------------------------------- device

static size_t entry_size(const struct lcl_batch_params *params)
{
    return params->precision == LCL_BATCH_PRECISION_FP32 ? sizeof(float)
                                                         : sizeof(double);
}

static void run(lcl_context *ctx, struct batch *B,
                const struct lcl_batch_params *params, bool in_place)
{
    struct lcl_bgje device;
    const bool identity = params->singular == LCL_BATCH_SINGULAR_IDENTITY;
    const size_t size = entry_size(params);
    lcl_buffer *in = test_upload_reals(ctx, B->blocks, B->entries, size);
    lcl_buffer *out = in_place ? in : test_poisoned(ctx, B->entries, size);
    lcl_buffer *info = test_poisoned(ctx, B->count, sizeof *B->info);
    lcl_buffer *norms = test_poisoned(ctx, 2 * B->count, size);
    assert_int_equal(lcl_bgje_init(&device, ctx, B->block_ptr, B->count, params,
                                   B->norms != NULL),
                     LCL_OK);
    assert_int_equal(lcl_bgje_run(&device, in, out, info, norms, identity),
                     LCL_OK);
    test_download_reals(out, B->inverse, B->entries, size);
    test_download(info, B->info, B->count, sizeof *B->info);
    if (B->norms)
        test_download_reals(norms, B->norms, 2 * B->count, size);
    else
        test_untouched(norms);
    lcl_bgje_finish(&device);
    lcl_buffer_destroy(&in);
    if (!in_place)
        lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&info);
    lcl_buffer_destroy(&norms);
}

// ----------------------------------------------------------------- comparisons

static double norm(const double *A, int m)
{
    double largest = 0;
    for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int j = 0; j < m; ++j)
            sum += fabs(A[i * m + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

// The allowed error of an entry is tolerance * condition * the largest entry of
// the inverse.
static void expect_inverse(const struct batch *B, int64_t b, double tolerance)
{
    const int m = rows_of(B, b);
    double *X = test_vector(AREA);
    const double *got = B->inverse + B->at[b];
    int perm[LARGEST];
    assert_int_equal(lcl_ref_bgje(X, block(B, b), perm, m), 0);
    assert_int_equal(B->info[b], 0);
    const double size = norm(X, m);
    const double allowed = tolerance * size * norm(block(B, b), m) * size;
    for (int i = 0; i < m * m; ++i)
        if (!(fabs(got[i] - X[i]) <= allowed))
            fail_msg("block %d of %d rows, entry %d: got %.17g, expected "
                     "%.17g, tolerance %.3g",
                     (int)b, m, i, got[i], X[i], allowed);
    free(X);
}

static void expect_inverses(const struct batch *B, double tolerance)
{
    for (int64_t b = 0; b < B->count; ++b)
        expect_inverse(B, b, tolerance);
}

typedef void check(lcl_context *ctx, const struct lcl_batch_params *params,
                   double tolerance);

// Each kernel in each precision.
static void with_each_kernel(lcl_context *ctx, check *each)
{
    for (int kernel = 0; kernel < LCL_BATCH_KERNEL_COUNT; ++kernel)
        for (int p = LCL_BATCH_PRECISION_FP64; p < LCL_BATCH_PRECISION_COUNT;
             ++p) {
            const struct lcl_batch_params params = {
                .kernel = (enum lcl_batch_kernel)kernel,
                .precision = (enum lcl_batch_precision)p};
            each(ctx, &params, p == LCL_BATCH_PRECISION_FP32 ? 1e-6 : 1e-14);
        }
}

// ----------------------------------------------------------------------- sizes

// The kernels for blocks of equal size.
static void check_equal(lcl_context *ctx, const struct lcl_batch_params *params,
                        double tolerance)
{
    static const int small[] = {3, 8, 0}, large[] = {5, 12, 0};
    for (const int *m = test_size(1, 0) ? small : large; *m > 0; ++m) {
        struct batch B = equal_blocks(*m, 21);
        run(ctx, &B, params, false);
        expect_inverses(&B, tolerance);
        batch_free(&B);
    }
}

static void test_bgje__blocks_of_equal_sizes_are_inverted(void **state)
{
    with_each_kernel(*state, check_equal);
}

// All sizes up to 32 and some larger ones, if the kernel inverts them; only a
// few in simulators.
static struct batch mixed(enum lcl_batch_kernel kernel)
{
    static const int small[] = {1, 4, 3, 1, 3, 5, 7, 2, 4, 17, 7, 1, 3, 6, 1};
    static const int large[] = {32, 1,  4,  17, 2,  64, 31, 8,  16, 12, 3,  33,
                                5,  24, 48, 1,  30, 7,  9,  2,  20, 6,  4,  13,
                                32, 18, 5,  1,  1,  29, 3,  8,  63, 11, 2,  25,
                                10, 14, 15, 19, 21, 22, 23, 26, 27, 28, 16, 16};
    int sizes[sizeof large / sizeof *large];
    const int most = lcl_bgje_is_published(kernel)
                         ? LCL_BATCH_PUBLISHED_ROWS_MAX
                         : LCL_BATCH_ROWS_MAX;
    if (test_size(1, 0))
        return batch_of(small, sizeof small / sizeof *small);
    for (size_t b = 0; b < sizeof large / sizeof *large; ++b)
        sizes[b] = large[b] < most ? large[b] : most;
    return batch_of(sizes, sizeof large / sizeof *large);
}

static void check_mix(lcl_context *ctx, const struct lcl_batch_params *params,
                      double tolerance)
{
    struct batch B = mixed(params->kernel);
    double *first = test_vector(B.entries);
    run(ctx, &B, params, false);
    expect_inverses(&B, tolerance);
    memcpy(first, B.inverse, (size_t)B.entries * sizeof *first);
    run(ctx, &B, params, true);
    test_expect_same("inverses in place", B.inverse, first, B.entries);
    free(first);
    batch_free(&B);
}

static void test_bgje__sizes_may_be_mixed(void **state)
{
    with_each_kernel(*state, check_mix);
}

// Blocks that fit the registers of a wave of any width, padded or not. The
// inverse of block 2 overflows: its last column is reported.
static void check_padding(lcl_context *ctx,
                          const struct lcl_batch_params *given,
                          double tolerance)
{
    static const int sizes[] = {1, 4, 2, 3, 1, 7, 5, 2, 6, 1, 1, 3};
    const bool single = given->precision == LCL_BATCH_PRECISION_FP32;
    const double tiny = single ? 1e-30 : 1e-200;
    struct lcl_batch_params params = *given;
    struct batch B = batch_of(sizes, sizeof sizes / sizeof *sizes);
    params.singular = LCL_BATCH_SINGULAR_KEEP;
    memcpy(block(&B, 2), (double[]){tiny, 1 / tiny, 0, 1}, 4 * sizeof tiny);
    run(ctx, &B, &params, false);
    assert_int_equal(B.info[2], 2);
    for (int64_t b = 0; b < B.count; ++b)
        if (b != 2)
            expect_inverse(&B, b, tolerance);
    batch_free(&B);
}

static void test_bgje__padding_does_not_reach_a_block(void **state)
{
    with_each_kernel(*state, check_padding);
}

// The number of blocks need not fill the last wave.
static void test_bgje__any_number_of_blocks_will_do(void **state)
{
    const struct lcl_batch_params params = {0};
    for (int count = 1; count <= test_size(9, 70); ++count) {
        struct batch B = equal_blocks(3, count);
        run(*state, &B, &params, false);
        expect_inverses(&B, 1e-14);
        batch_free(&B);
    }
}

// The norms of the block and of its computed inverse; the last block is
// singular.
static void check_norms(lcl_context *ctx, const struct lcl_batch_params *given,
                        double tolerance)
{
    struct lcl_batch_params params = *given;
    struct batch B = mixed(params.kernel);
    const int64_t last = B.count - 1;
    params.singular = LCL_BATCH_SINGULAR_KEEP;
    B.norms = test_vector(2 * B.count);
    for (int64_t i = B.at[last]; i < B.entries; ++i)
        B.blocks[i] = 0;
    run(ctx, &B, &params, false);
    for (int64_t b = 0; b < last; ++b) {
        const int m = rows_of(&B, b);
        const double expected[] = {norm(block(&B, b), m),
                                   norm(B.inverse + B.at[b], m)};
        expect_inverse(&B, b, tolerance);
        for (int i = 0; i < 2; ++i)
            if (!(fabs(B.norms[2 * b + i] - expected[i]) <=
                  tolerance * m * expected[i]))
                fail_msg("block %d of %d rows, norm %d: got %.17g, expected "
                         "%.17g",
                         (int)b, m, i, B.norms[2 * b + i], expected[i]);
    }
    assert_true(B.norms[2 * last] == 0 && isinf(B.norms[2 * last + 1]));
    batch_free(&B);
}

static void test_bgje__norms_are_those_of_blocks_and_inverses(void **state)
{
    const struct lcl_batch_params single = {.precision =
                                                LCL_BATCH_PRECISION_FP32};
    check_norms(*state, &(struct lcl_batch_params){0}, 1e-14);
    check_norms(*state, &single, 1e-6);
}

// ---------------------------------------------------------------------- pivots

// One entry per row and column, powers of two that fp32 also holds.
static void fill_monomial(double *A, double *inverse, int m, unsigned seed)
{
    int32_t *perm = test_random_permutation(m, seed);
    uint64_t state = seed;
    for (int i = 0; i < m * m; ++i)
        A[i] = inverse[i] = 0;
    for (int i = 0; i < m; ++i) {
        const double v =
            ldexp(i % 2 ? -1 : 1, (int)(120 * test_random(&state)) - 60);
        A[i * m + perm[i]] = v;
        inverse[perm[i] * m + i] = 1 / v;
    }
    free(perm);
}

static void check_permutations(lcl_context *ctx,
                               const struct lcl_batch_params *params,
                               double tolerance)
{
    struct batch B = mixed(params->kernel);
    double *inverse = test_vector(B.entries);
    (void)tolerance;
    for (int64_t b = 0; b < B.count; ++b)
        fill_monomial(block(&B, b), inverse + B.at[b], rows_of(&B, b),
                      (unsigned)b + 1);
    run(ctx, &B, params, false);
    for (int64_t i = 0; i < B.entries; ++i)
        assert_true(B.inverse[i] == inverse[i]);
    free(inverse);
    batch_free(&B);
}

static void test_bgje__scaled_permutations_are_inverted_exactly(void **state)
{
    with_each_kernel(*state, check_permutations);
}

// Without row exchanges, growth beyond 1e30: 1e-30 on the diagonal.
static void check_tiny_diagonals(lcl_context *ctx,
                                 const struct lcl_batch_params *params,
                                 double tolerance)
{
    struct batch B = mixed(params->kernel);
    for (int64_t b = 0; b < B.count; ++b)
        for (int i = 0; i < rows_of(&B, b); ++i)
            block(&B, b)[i * rows_of(&B, b) + i] = 1e-30;
    run(ctx, &B, params, false);
    expect_inverses(&B, tolerance);
    batch_free(&B);
}

static void test_bgje__tiny_diagonals_are_no_pivots(void **state)
{
    with_each_kernel(*state, check_tiny_diagonals);
}

// (2^-k A)^-1 = 2^k A^-1 bitwise.
static void check_scaling(lcl_context *ctx,
                          const struct lcl_batch_params *params,
                          double tolerance)
{
    const bool single = params->precision == LCL_BATCH_PRECISION_FP32;
    const double scale = ldexp(1, single ? -60 : -600);
    struct batch B = mixed(params->kernel);
    double *plain = test_vector(B.entries);
    (void)tolerance;
    run(ctx, &B, params, false);
    for (int64_t i = 0; i < B.entries; ++i) {
        plain[i] = B.inverse[i] / scale;
        B.blocks[i] = scale * (single ? (float)B.blocks[i] : B.blocks[i]);
    }
    run(ctx, &B, params, false);
    for (int64_t i = 0; i < B.entries; ++i)
        assert_true(B.inverse[i] == plain[i]);
    free(plain);
    batch_free(&B);
}

static void test_bgje__powers_of_two_as_factors_change_no_bit(void **state)
{
    with_each_kernel(*state, check_scaling);
}

// -------------------------------------------------------------------- failures

// Ways to make a block of m rows singular.
static void spoil(double *A, int m, int how)
{
    const int at = m / 2;
    for (int i = 0; i < m; ++i) {
        if (how == 0) // no column and no row of A has a pivot
            A[i * m + at] = A[at * m + i] = 0;
        if (how == 1 && m > 1) // two equal rows and columns
            A[i * m + at] = A[i * m + (at + 1) % m];
        if (how == 1 && m == 1)
            A[0] = 0;
    }
    if (how == 2)
        A[at * m] = NAN;
    if (how == 3)
        A[m - 1] = INFINITY;
    if (how == 4)
        memset(A, 0, (size_t)(m * m) * sizeof *A);
}

// Rows of integers, so that the elimination produces exact zeros.
static void fill_integers(struct batch *B)
{
    for (int64_t b = 0; b < B->count; ++b)
        for (int i = 0; i < rows_of(B, b); ++i)
            for (int j = 0; j < rows_of(B, b); ++j)
                block(B, b)[i * rows_of(B, b) + j] =
                    i == j                            ? 2
                    : i > j && i + j == rows_of(B, b) ? 1
                                                      : 0;
}

static void expect_instead(const struct batch *B, int64_t b, bool identity)
{
    const int m = rows_of(B, b);
    const double *got = B->inverse + B->at[b];
    assert_in_range(B->info[b], 1, m);
    for (int i = 0; i < m * m; ++i) {
        const double expected = identity ? i / m == i % m : block(B, b)[i];
        if (!(got[i] == expected || (isnan(got[i]) && isnan(expected))))
            fail_msg("block %d of %d rows, entry %d: got %g, expected %g",
                     (int)b, m, i, got[i], expected);
    }
}

static void check_failures(lcl_context *ctx,
                           const struct lcl_batch_params *given,
                           double tolerance)
{
    struct lcl_batch_params params = *given;
    for (int identity = 0; identity < 2; ++identity) {
        struct batch B = mixed(params.kernel);
        params.singular =
            identity ? LCL_BATCH_SINGULAR_IDENTITY : LCL_BATCH_SINGULAR_KEEP;
        fill_integers(&B);
        for (int64_t b = 0; b < B.count; ++b)
            if (b % 3 != 1)
                spoil(block(&B, b), rows_of(&B, b), (int)(b % 5));
        run(ctx, &B, &params, identity);
        for (int64_t b = 0; b < B.count; ++b)
            if (b % 3 != 1)
                expect_instead(&B, b, identity);
            else
                expect_inverse(&B, b, tolerance);
        batch_free(&B);
    }
}

static void test_bgje__blocks_without_inverse_are_told(void **state)
{
    with_each_kernel(*state, check_failures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bgje__blocks_of_equal_sizes_are_inverted),
        cmocka_unit_test(test_bgje__sizes_may_be_mixed),
        cmocka_unit_test(test_bgje__padding_does_not_reach_a_block),
        cmocka_unit_test(test_bgje__any_number_of_blocks_will_do),
        cmocka_unit_test(test_bgje__norms_are_those_of_blocks_and_inverses),
        cmocka_unit_test(test_bgje__scaled_permutations_are_inverted_exactly),
        cmocka_unit_test(test_bgje__tiny_diagonals_are_no_pivots),
        cmocka_unit_test(test_bgje__powers_of_two_as_factors_change_no_bit),
        cmocka_unit_test(test_bgje__blocks_without_inverse_are_told),
    };
    return test_device_run(tests);
}
