// SPDX-License-Identifier: BSD-3-Clause
// vector.cl: gather and scatter, dot products, the diagonal preconditioner.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/jacobi.h"
#include "lib/vector/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3 };

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name, int block)
{
    const struct lcl_spec spec = {
        .source = "vector.cl",
        .kernel = name,
        .group = test_group(ctx, 2),
        .block = block > 1 ? block : 0,
    };
    return test_kernel(ctx, &spec);
}

// The tested sizes, terminated by 0.
static const int64_t *sizes(void)
{
    static const int64_t small[] = {1, 2, 61, 0}, large[] = {1, 9973, 0};
    return test_size(1, 0) ? small : large;
}

// ------------------------------------------------------------------ numberings

typedef enum lcl_status mover(const struct lcl_vector_ops *ops, int64_t n,
                              const lcl_buffer *map, const lcl_buffer *x,
                              lcl_buffer *y);

enum { BEFORE = 3 }; // doubles before a vector in its buffer

// A buffer of BEFORE doubles that nobody may use and those of x, which are
// selected; x NULL: `count` poisoned ones.
static lcl_buffer *behind(lcl_context *ctx, const double *x, int64_t count)
{
    const size_t size = sizeof *x;
    double *all = test_vector(BEFORE + count);
    for (int64_t k = 0; k < BEFORE + count; ++k)
        all[k] = x && k >= BEFORE ? x[k - BEFORE] : NAN;
    lcl_buffer *buffer = test_upload(ctx, all, BEFORE + count, size);
    free(all);
    lcl_buffer_select(buffer, BEFORE * size, (size_t)count * size);
    return buffer;
}

// Reads the doubles of behind() if y is not NULL, and expects those before them
// as they were.
static void finish_behind(lcl_buffer *buffer, double *y, int64_t count)
{
    double *all = test_vector(BEFORE + count);
    lcl_buffer_select(buffer, 0, (size_t)(BEFORE + count) * sizeof *y);
    test_download(buffer, all, BEFORE + count, sizeof *all);
    for (int k = 0; k < BEFORE; ++k)
        assert_true(isnan(all[k]));
    if (y)
        memcpy(y, all + BEFORE, (size_t)count * sizeof *y);
    free(all);
    lcl_buffer_destroy(&buffer);
}

// A gather reads the part of a buffer, and a scatter writes it.
static double *moved(lcl_context *ctx, mover *move, const double *x,
                     const int32_t *perm, int64_t n, int block)
{
    const bool gathers = move == lcl_gather;
    const int64_t all = n * block;
    const struct lcl_vector_ops ops = {
        .gather = kernel_of(ctx, "gather", block),
        .scatter = kernel_of(ctx, "scatter", block),
        .groups = GROUPS,
    };
    double *y = test_vector(all);
    lcl_buffer *map = test_upload(ctx, perm, n, sizeof *perm);
    lcl_buffer *part = behind(ctx, gathers ? x : NULL, all);
    lcl_buffer *whole = gathers ? test_poisoned(ctx, all, sizeof *y)
                                : test_upload(ctx, x, all, sizeof *x);
    assert_int_equal(
        move(&ops, n, map, gathers ? part : whole, gathers ? whole : part),
        LCL_OK);
    if (gathers)
        test_download(whole, y, all, sizeof *y);
    finish_behind(part, gathers ? NULL : y, all);
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&whole);
    return y;
}

static void expect_moves(lcl_context *ctx, int64_t n, int block)
{
    int32_t *perm = test_random_permutation(n, 3);
    double *x = test_random_vector(n * block, 4);
    double *expected = test_vector(n * block);
    for (int64_t i = 0; i < n; ++i)
        for (int c = 0; c < block; ++c)
            expected[i * block + c] = x[(int64_t)perm[i] * block + c];
    double *y = moved(ctx, lcl_gather, x, perm, n, block);
    test_expect_same("gathered", y, expected, n * block);
    double *back = moved(ctx, lcl_scatter, y, perm, n, block);
    test_expect_same("scattered", back, x, n * block);
    free(perm);
    free(x);
    free(expected);
    free(y);
    free(back);
}

static void test_vector__gather_and_scatter_are_inverse(void **state)
{
    for (const int64_t *n = sizes(); *n > 0; ++n)
        expect_moves(*state, *n, 1);
}

static void test_vector__blocks_move_as_they_are(void **state)
{
    static const int blocks[] = {2, 3, 25, 64};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b)
        for (const int64_t *n = sizes(); *n > 0; ++n)
            expect_moves(*state, *n, blocks[b]);
}

// ------------------------------------------------------------------ maps

// A map inverted, and places moved by it.
static void expect_maps(lcl_context *ctx, int64_t n, int block)
{
    const struct lcl_vector_ops ops = {
        .invert = kernel_of(ctx, "invert_map", block),
        .places = kernel_of(ctx, "move_places", block),
        .groups = GROUPS,
    };
    const int64_t all = n * block;
    int32_t *perm = test_random_permutation(n, 3);
    int32_t *place = test_random_permutation(all, 4);
    uint32_t *got = calloc((size_t)all, sizeof *got);
    assert_non_null(got);
    lcl_buffer *map = test_upload(ctx, perm, n, sizeof *perm);
    lcl_buffer *inverse = test_poisoned(ctx, n, sizeof *got);
    lcl_buffer *places = test_upload(ctx, place, all, sizeof *place);
    assert_int_equal(lcl_map_invert(&ops, n, map, inverse), LCL_OK);
    test_download(inverse, got, n, sizeof *got);
    for (int64_t i = 0; i < n; ++i)
        assert_int_equal(got[perm[i]], i);
    assert_int_equal(lcl_map_places(&ops, all, map, places), LCL_OK);
    test_download(places, got, all, sizeof *got);
    for (int64_t k = 0; k < all; ++k)
        assert_int_equal(got[k],
                         perm[place[k] / block] * block + place[k] % block);
    lcl_buffer_destroy(&map);
    lcl_buffer_destroy(&inverse);
    lcl_buffer_destroy(&places);
    free(perm);
    free(place);
    free(got);
}

static void test_vector__maps_are_inverted_and_composed(void **state)
{
    for (const int64_t *n = sizes(); *n > 0; ++n) {
        expect_maps(*state, *n, 1);
        expect_maps(*state, *n, 9);
    }
}

// ------------------------------------------------------------------ diagonal

static void test_vector__scale_multiplies_unless_stopped(void **state)
{
    lcl_kernel *scale = kernel_of(*state, "scale", 1);
    const int32_t flags[] = {0, 3};
    lcl_buffer *stop = test_upload(*state, flags, 2, sizeof *flags);
    for (const int64_t *n = sizes(); *n > 0; ++n) {
        double *b = test_random_vector(*n, 5), *d = test_random_vector(*n, 6);
        double *x = test_vector(*n);
        lcl_buffer *in = test_upload(*state, b, *n, sizeof *b);
        lcl_buffer *inv_d = test_upload(*state, d, *n, sizeof *d);
        lcl_buffer *out = test_poisoned(*state, *n, sizeof *x);
        for (int at = 1; at >= 0; --at) {
            assert_int_equal(LCL_LAUNCH(scale, GROUPS, lcl_arg_long(*n),
                                        lcl_arg_buffer(inv_d),
                                        lcl_arg_buffer(in), lcl_arg_buffer(out),
                                        lcl_arg_buffer(stop), lcl_arg_int(at)),
                             LCL_OK);
            if (at == 1)
                test_untouched(out);
        }
        test_download(out, x, *n, sizeof *x);
        for (int64_t i = 0; i < *n; ++i)
            b[i] *= d[i];
        test_expect_same("x", x, b, *n);
        lcl_buffer_destroy(&in);
        lcl_buffer_destroy(&inv_d);
        lcl_buffer_destroy(&out);
        free(b);
        free(d);
        free(x);
    }
    lcl_buffer_destroy(&stop);
}

// Position of each diagonal entry, -1 if it is not stored.
static void find_diagonal(const struct lcl_csr *A, int64_t *at)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        at[i] = -1;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->col_ind[k] == i)
                at[i] = k;
    }
}

static void test_vector__inverse_diagonal_matches_the_reference(void **state)
{
    // regular; missing; zero; too small to invert; negative
    const double dense[] = {4, 1, 0, 0, 0, 1,      0, 0, 0, 0, 0, 0,   1,
                            0, 0, 0, 1, 0, 1e-310, 0, 0, 0, 0, 0, -0.5};
    struct lcl_csr A = test_csr_from_dense(5, dense);
    int64_t at[5];
    double inv_d[5], expected[5];
    unsigned char bad[5], expected_bad[5];
    A.val[3] = 0;
    find_diagonal(&A, at);
    lcl_buffer *diagonal = test_upload(*state, at, 5, sizeof *at);
    lcl_buffer *val = test_upload(*state, A.val, A.nnz, sizeof *A.val);
    lcl_buffer *out = test_poisoned(*state, 5, sizeof *inv_d);
    lcl_buffer *out_bad = test_poisoned(*state, 5, 1);
    assert_int_equal(LCL_LAUNCH(kernel_of(*state, "invert_diagonal", 1), GROUPS,
                                lcl_arg_long(5), lcl_arg_buffer(diagonal),
                                lcl_arg_buffer(val), lcl_arg_buffer(out),
                                lcl_arg_buffer(out_bad)),
                     LCL_OK);
    test_download(out, inv_d, 5, sizeof *inv_d);
    test_download(out_bad, bad, 5, 1);
    assert_int_equal(lcl_ref_jacobi(&A, expected, expected_bad), 3);
    test_expect_near("1/d", inv_d, expected, 5, 0);
    assert_memory_equal(bad, expected_bad, 5);
    lcl_buffer_destroy(&diagonal);
    lcl_buffer_destroy(&val);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&out_bad);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ dot

// x = D^-1 b with <b, x>; no change if the stopping flag is set.
static void expect_dot(lcl_context *ctx, int64_t n)
{
    const int32_t flags[] = {0, 3};
    double *b = test_random_vector(n, 5), *d = test_random_vector(n, 6);
    double *x = test_vector(n), sums[GROUPS], sum = 0, expected = 0;
    lcl_buffer *stop = test_upload(ctx, flags, 2, sizeof *flags);
    lcl_buffer *in = test_upload(ctx, b, n, sizeof *b);
    lcl_buffer *inv_d = test_upload(ctx, d, n, sizeof *d);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *x);
    lcl_buffer *partial = test_poisoned(ctx, GROUPS, sizeof *sums);
    for (int at = 1; at >= 0; --at) {
        assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "scale_dot", 1), GROUPS,
                                    lcl_arg_long(n), lcl_arg_buffer(inv_d),
                                    lcl_arg_buffer(in), lcl_arg_buffer(out),
                                    lcl_arg_buffer(partial),
                                    lcl_arg_buffer(stop), lcl_arg_int(at)),
                         LCL_OK);
        if (at == 0)
            continue;
        test_untouched(out);
        test_untouched(partial);
    }
    test_download(partial, sums, GROUPS, sizeof *sums);
    for (int g = 0; g < GROUPS; ++g)
        sum += sums[g];
    for (int64_t i = 0; i < n; ++i)
        expected += d[i] * b[i] * b[i];
    test_expect_near("dot", &sum, &expected, 1, 1e-12 * (double)n);
    test_download(out, x, n, sizeof *x);
    for (int64_t i = 0; i < n; ++i)
        b[i] *= d[i];
    test_expect_same("x", x, b, n);
    lcl_buffer *all[] = {stop, in, inv_d, out, partial};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(&all[i]);
    free(b);
    free(d);
    free(x);
}

static void test_vector__dot_products_add_up_unless_stopped(void **state)
{
    for (const int64_t *n = sizes(); *n > 0; ++n)
        expect_dot(*state, *n);
}

// ------------------------------------------------------------------ keep

// state[] of keep_best: the residual, then two pairs.
enum { RING, FROM, TO = FROM + 2, STATE = TO + 2 };

// Whether step 7 with residual rr replaces the contents of `from`, or `start`,
// if stop[at] is 0; `from` stays unchanged.
static void expect_kept(lcl_context *ctx, int64_t n, double rr,
                        const double from[2], double start, bool better)
{
    const int32_t flags[] = {0, 3};
    double state[STATE] = {rr, from[0], from[1], -1, -1};
    const double expected[STATE] = {
        rr,
        from[0],
        from[1],
        better        ? rr
        : from[1] > 0 ? from[0]
                      : start,
        better ? 7 : from[1],
    };
    double *x = test_random_vector(n, 8), *kept = test_vector(n);
    lcl_buffer *stop = test_upload(ctx, flags, 2, sizeof *flags);
    lcl_buffer *words = test_upload(ctx, state, STATE, sizeof *state);
    lcl_buffer *in = test_upload(ctx, x, n, sizeof *x);
    lcl_buffer *best = test_poisoned(ctx, n, sizeof *x);
    for (int at = 1; at >= 0; --at) {
        assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "keep_best", 1), GROUPS,
                                    lcl_arg_long(n), lcl_arg_int(7),
                                    lcl_arg_int(RING), lcl_arg_int(FROM),
                                    lcl_arg_int(TO), lcl_arg_double(start),
                                    lcl_arg_buffer(in), lcl_arg_buffer(best),
                                    lcl_arg_buffer(words), lcl_arg_buffer(stop),
                                    lcl_arg_int(at)),
                         LCL_OK);
        if (at == 1 || !better)
            test_untouched(best);
    }
    test_download(words, state, STATE, sizeof *state);
    test_expect_same("state", state, expected, STATE);
    if (better) {
        test_download(best, kept, n, sizeof *kept);
        test_expect_same("best", kept, x, n);
    }
    lcl_buffer *all[] = {stop, words, in, best};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(&all[i]);
    free(x);
    free(kept);
}

static void test_vector__the_best_iterate_is_kept(void **state)
{
    const double none[] = {0, 0}, some[] = {2, 4};
    for (const int64_t *n = sizes(); *n > 0; ++n) {
        expect_kept(*state, *n, 3, none, 4, true);
        expect_kept(*state, *n, 3, none, 3, false);
        expect_kept(*state, *n, 3, some, 4, false);
        expect_kept(*state, *n, 1, some, 4, true);
        expect_kept(*state, *n, NAN, some, 4, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector__gather_and_scatter_are_inverse),
        cmocka_unit_test(test_vector__blocks_move_as_they_are),
        cmocka_unit_test(test_vector__maps_are_inverted_and_composed),
        cmocka_unit_test(test_vector__scale_multiplies_unless_stopped),
        cmocka_unit_test(test_vector__inverse_diagonal_matches_the_reference),
        cmocka_unit_test(test_vector__dot_products_add_up_unless_stopped),
        cmocka_unit_test(test_vector__the_best_iterate_is_kept),
    };
    return test_device_run(tests);
}
