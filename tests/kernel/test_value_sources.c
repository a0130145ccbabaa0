// SPDX-License-Identifier: BSD-3-Clause
// value_sources.cl: values of a matrix from those of the caller.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/value_sources.h"
#include "lib/storage/value_sources.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Random sources: a fifth of the values has none, a fifth is a sum of up to
// `longest` values.
struct sources {
    int64_t n, entries, groups;
    uint32_t *of, *start, *list;
    bool is_signed;
};

static uint32_t below(uint64_t *state, int64_t limit)
{
    return (uint32_t)(test_random(state) * (double)limit);
}

static void sources_init(struct sources *S, int64_t n, int64_t entries,
                         uint32_t longest)
{
    const size_t words = (size_t)n + 1;
    uint64_t state = 7;
    *S = (struct sources){
        .n = n,
        .entries = entries,
        .of = calloc(words, sizeof *S->of),
        .start = calloc(words, sizeof *S->start),
        .list = calloc(words * longest, sizeof *S->list),
    };
    assert_true(S->of && S->start && S->list);
    for (int64_t v = 0; v < n; ++v) {
        const uint32_t kind = below(&state, 5);
        S->of[v] = kind == 0 ? UINT32_MAX : below(&state, entries);
        if (kind != 1)
            continue;
        uint32_t end = S->start[S->groups];
        for (uint32_t left = 1 + below(&state, longest); left > 0; --left)
            S->list[end++] = below(&state, entries);
        S->of[v] = (uint32_t)(entries + S->groups++);
        S->start[S->groups] = end;
    }
}

static void sources_finish(struct sources *S)
{
    free(S->of);
    free(S->start);
    free(S->list);
}

static struct lcl_sources upload(lcl_context *ctx, const struct sources *S)
{
    const size_t size = sizeof *S->of;
    return (struct lcl_sources){
        .ctx = ctx,
        .values = S->n,
        .entries = S->entries,
        .is_signed = S->is_signed,
        .of = test_upload(ctx, S->of, S->n, size),
        .start = test_upload(ctx, S->start, S->groups + 1, size),
        .list = test_upload(ctx, S->list, S->start[S->groups], size),
    };
}

// `count` doubles, selected behind `before` NaN.
static lcl_buffer *behind(lcl_context *ctx, const double *x, int64_t count,
                          int before)
{
    const size_t at = (size_t)before * sizeof *x;
    double *all = test_vector(before + count);
    for (int k = 0; k < before; ++k)
        all[k] = NAN;
    memcpy(all + before, x, (size_t)count * sizeof *x);
    lcl_buffer *buffer = test_upload(ctx, all, before + count, sizeof *all);
    lcl_buffer_select(buffer, at, lcl_buffer_bytes(buffer) - at);
    free(all);
    return buffer;
}

// The caller's values in arrays that end at `second`, `third` and the end.
static void expect_gathered(struct lcl_sources *D, const struct sources *S,
                            int64_t second, int64_t third)
{
    double *x = test_random_vector(S->entries, 3), *val = test_vector(S->n);
    double *expected = test_vector(S->n);
    const int64_t from[] = {0, second, third, S->entries};
    lcl_buffer *all[] = {NULL, NULL, NULL,
                         test_poisoned(D->ctx, S->n, sizeof *val)};
    for (int p = 0; p < 3; ++p)
        all[p] = behind(D->ctx, x + from[p], from[p + 1] - from[p], p);
    const struct lcl_given_arrays given = {second, third, all[0], all[1],
                                           all[2]};
    lcl_ref_sources(expected, S->n, S->entries, S->of, S->start, S->list, x,
                    S->is_signed);
    assert_int_equal(lcl_sources_gather(D, &given, all[3], NULL), LCL_OK);
    test_download(all[3], val, S->n, sizeof *val);
    test_expect_same("value", val, expected, S->n);
    for (int p = 0; p < 3; ++p)
        lcl_buffer_select(all[p], 0,
                          lcl_buffer_bytes(all[p]) + (size_t)p * sizeof *x);
    for (int i = 0; i < 4; ++i)
        lcl_buffer_destroy(&all[i]);
    free(x);
    free(val);
    free(expected);
}

static void test_value_sources__values_are_gathered_and_summed(void **state)
{
    static const int64_t small[][2] = {{1, 1}, {60, 40}, {61, 300}, {0, 0}};
    static const int64_t large[][2] = {{1, 3}, {20011, 9973}, {0, 0}};
    const int64_t(*size)[2] = test_size(1, 0) ? small : large;
    for (; (*size)[0] > 0; ++size) {
        struct sources S;
        sources_init(&S, (*size)[0], (*size)[1], 9);
        struct lcl_sources D = upload(*state, &S);
        expect_gathered(&D, &S, S.entries, S.entries);
        expect_gathered(&D, &S, S.entries / 3, S.entries / 2);
        lcl_sources_finish(&D);
        sources_finish(&S);
    }
}

// Bit 31 of every other source and of every third value of a sum.
static void change_signs(struct sources *S)
{
    S->is_signed = true;
    for (int64_t v = 0; v < S->n; v += 2)
        if (S->of[v] < (uint32_t)S->entries)
            S->of[v] |= LCL_NEGATED;
    for (uint32_t k = 0; k < S->start[S->groups]; k += 3)
        S->list[k] |= LCL_NEGATED;
}

static void test_value_sources__signs_change(void **state)
{
    struct sources S;
    sources_init(&S, test_size(60, 20011), 40, 9);
    change_signs(&S);
    struct lcl_sources D = upload(*state, &S);
    expect_gathered(&D, &S, S.entries, S.entries);
    expect_gathered(&D, &S, S.entries / 3, S.entries / 2);
    lcl_sources_finish(&D);
    sources_finish(&S);
}

static void test_value_sources__no_values(void **state)
{
    struct sources S;
    sources_init(&S, 0, 5, 1);
    struct lcl_sources D = upload(*state, &S);
    expect_gathered(&D, &S, 2, 2);
    lcl_sources_finish(&D);
    sources_finish(&S);
}

static void expect_order(lcl_context *ctx, int64_t blocks, int block)
{
    struct sources S, T;
    sources_init(&S, blocks * block, 100, 3);
    sources_init(&T, blocks * block, 100, 3);
    int32_t *perm = test_random_permutation(blocks, 4);
    lcl_buffer *map = test_upload(ctx, perm, blocks, sizeof *perm);
    struct lcl_sources D = upload(ctx, &S);
    for (int64_t k = 0; k < blocks; ++k)
        memcpy(T.of + k * block, S.of + (int64_t)perm[k] * block,
               (size_t)block * sizeof *T.of);
    assert_int_equal(lcl_sources_reorder(&D, block, map), LCL_OK);
    expect_gathered(&D, &T, 30, 60);
    lcl_sources_finish(&D);
    lcl_buffer_destroy(&map);
    free(perm);
    sources_finish(&S);
    sources_finish(&T);
}

static void test_value_sources__blocks_keep_their_sources(void **state)
{
    const int64_t n = test_size(17, 3001);
    expect_order(*state, n, 1);
    expect_order(*state, n, 9);
}

// Twice as many values, of which every other one has no source.
static void expect_places(lcl_context *ctx, const struct sources *S,
                          struct lcl_sources *D)
{
    struct sources T = *S;
    uint32_t *place = calloc((size_t)S->n, sizeof *place);
    T.n = 2 * S->n;
    T.of = calloc((size_t)T.n, sizeof *T.of);
    assert_true(place && T.of);
    memset(T.of, 0xff, (size_t)T.n * sizeof *T.of);
    for (int64_t k = 0; k < S->n; ++k) {
        place[k] = (uint32_t)(2 * (S->n - 1 - k));
        T.of[place[k]] = S->of[k];
    }
    lcl_buffer *places = test_upload(ctx, place, S->n, sizeof *place);
    assert_int_equal(lcl_sources_place(D, ctx, places, S->n, T.n, 1), LCL_OK);
    assert_int_equal(D->values, T.n);
    expect_gathered(D, &T, 10, 20);
    lcl_buffer_destroy(&places);
    free(place);
    free(T.of);
}

static void test_value_sources__places_of_a_larger_matrix(void **state)
{
    struct sources S;
    sources_init(&S, 40, 40, 3);
    struct lcl_sources D = upload(*state, &S), none = {0};
    expect_places(*state, &S, &D);
    for (int64_t v = 0; v < S.n; ++v)
        S.of[v] = (uint32_t)v;
    expect_places(*state, &S, &none);
    lcl_sources_finish(&none);
    lcl_sources_finish(&D);
    sources_finish(&S);
}

// ------------------------------------------------------------------- checks

static int32_t flag_of(const lcl_buffer *bad)
{
    int32_t flag;
    test_download(bad, &flag, 1, sizeof flag);
    return flag != 0;
}

static lcl_buffer *new_flag(lcl_context *ctx)
{
    const int32_t none = 0;
    return test_upload(ctx, &none, 1, sizeof none);
}

static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -0.0, 5e-324};
enum { ODD = sizeof odd / sizeof *odd };

// Value k is odd, and in use.
static void expect_checked(struct lcl_sources *D, int64_t entries, int64_t k)
{
    double *x = test_random_vector(entries, 3);
    lcl_buffer *val = test_poisoned(D->ctx, D->values, sizeof *x);
    for (int b = 0; b < ODD; ++b) {
        x[k] = odd[b];
        lcl_buffer *a = test_upload(D->ctx, x, entries, sizeof *x);
        lcl_buffer *bad = new_flag(D->ctx);
        const struct lcl_given_arrays given = lcl_given_array(D, a);
        assert_int_equal(lcl_sources_gather(D, &given, val, bad), LCL_OK);
        assert_int_equal(flag_of(bad), !isfinite(odd[b]));
        lcl_buffer_destroy(&bad);
        lcl_buffer_destroy(&a);
    }
    lcl_buffer_destroy(&val);
    free(x);
}

// The second value of a sum, and the source of a value.
static void test_value_sources__values_are_checked(void **state)
{
    struct sources S;
    sources_init(&S, 61, 300, 9);
    struct lcl_sources D = upload(*state, &S);
    int64_t group = 0, v = S.n - 1;
    while (S.start[group + 1] - S.start[group] < 2)
        ++group;
    while (S.of[v] >= (uint32_t)S.entries)
        --v;
    expect_checked(&D, S.entries, S.list[S.start[group] + 1]);
    expect_checked(&D, S.entries, S.of[v]);
    lcl_sources_finish(&D);
    sources_finish(&S);
}

// Rows of full blocks, whose values follow each other, in another order.
static void expect_runs(lcl_context *ctx, int64_t runs, int row)
{
    struct sources S;
    struct lcl_sources D = {0};
    sources_init(&S, runs * row, runs * row, 1);
    int32_t *perm = test_random_permutation(runs, 4);
    uint32_t *place = calloc((size_t)S.n, sizeof *place);
    assert_non_null(place);
    for (int64_t k = 0; k < S.n; ++k) {
        place[k] = (uint32_t)(perm[k / row] * row + k % row);
        S.of[place[k]] = (uint32_t)k;
    }
    lcl_buffer *places = test_upload(ctx, place, S.n, sizeof *place);
    assert_int_equal(lcl_sources_place(&D, ctx, places, S.n, S.n, row), LCL_OK);
    expect_gathered(&D, &S, S.entries, S.entries);
    expect_checked(&D, S.entries, S.n - 1);
    lcl_buffer_destroy(&places);
    lcl_sources_finish(&D);
    free(place);
    free(perm);
    sources_finish(&S);
}

static void test_value_sources__rows_of_full_blocks_are_runs(void **state)
{
    expect_runs(*state, 1, 2);
    expect_runs(*state, test_size(17, 3001), 3);
    expect_runs(*state, test_size(5, 1001), 8);
}

// Blocks `block` in the order of map, or without it, behind NaN.
static void expect_taken(lcl_context *ctx, int64_t blocks, int block,
                         const int32_t *map, double one)
{
    const struct lcl_spec spec = {.source = "value_sources.cl",
                                  .kernel = "take_values",
                                  .group = test_group(ctx, 2),
                                  .block = block > 1 ? block : 0};
    const int64_t n = blocks * block;
    double *x = test_random_vector(n, 5), *expected = test_vector(n);
    double *got = test_vector(n);
    x[n / 2] = one;
    for (int64_t k = 0; k < n; ++k)
        expected[k] = x[(map ? map[k / block] : k / block) * block + k % block];
    lcl_buffer *from = behind(ctx, x, n, 2), *bad = new_flag(ctx);
    lcl_buffer *to = test_poisoned(ctx, n, sizeof *got);
    lcl_buffer *places = map ? test_upload(ctx, map, blocks, 4) : NULL;
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), 3, lcl_arg_long(n),
                                lcl_arg_buffer(places), lcl_arg_long(2),
                                lcl_arg_buffer(from), lcl_arg_buffer(to),
                                lcl_arg_buffer(bad)),
                     LCL_OK);
    test_download(to, got, n, sizeof *got);
    assert_memory_equal(got, expected, (size_t)n * sizeof *got);
    assert_int_equal(flag_of(bad), !isfinite(one));
    lcl_buffer_select(from, 0, lcl_buffer_bytes(from) + 2 * sizeof *x);
    lcl_buffer *const all[] = {from, bad, to, places};
    for (int i = 0; i < 4; ++i)
        lcl_buffer_destroy(&(lcl_buffer *){all[i]});
    free(x);
    free(expected);
    free(got);
}

static void test_value_sources__values_are_taken_and_checked(void **state)
{
    const int64_t n = test_size(17, 3001);
    int32_t *map = test_random_permutation(n, 4);
    for (int b = 0; b < ODD; ++b) {
        expect_taken(*state, n, 1, NULL, odd[b]);
        expect_taken(*state, n, 1, map, odd[b]);
        expect_taken(*state, n, 9, map, odd[b]);
    }
    expect_taken(*state, 1, 1, NULL, 2);
    free(map);
}

// `was` holds what take_values would write, but for value `other` of n.
static void expect_compared(lcl_context *ctx, int64_t blocks, int block,
                            const int32_t *map, int64_t other)
{
    const struct lcl_spec spec = {.source = "value_sources.cl",
                                  .kernel = "find_change",
                                  .group = test_group(ctx, 2),
                                  .block = block > 1 ? block : 0};
    const int64_t n = blocks * block;
    double *x = test_random_vector(n, 5), *was = test_vector(n);
    for (int64_t k = 0; k < n; ++k)
        was[k] = x[(map ? map[k / block] : k / block) * block + k % block];
    if (other < n)
        was[other] = nextafter(was[other], 9);
    lcl_buffer *const all[] = {behind(ctx, x, n, 2), new_flag(ctx),
                               test_upload(ctx, was, n, sizeof *was),
                               map ? test_upload(ctx, map, blocks, 4) : NULL};
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), 3, lcl_arg_long(n),
                                lcl_arg_buffer(all[3]), lcl_arg_long(2),
                                lcl_arg_buffer(all[0]), lcl_arg_buffer(all[2]),
                                lcl_arg_buffer(all[1])),
                     LCL_OK);
    assert_int_equal(flag_of(all[1]), other < n);
    lcl_buffer_select(all[0], 0, lcl_buffer_bytes(all[0]) + 2 * sizeof *x);
    for (int i = 0; i < 4; ++i)
        lcl_buffer_destroy(&(lcl_buffer *){all[i]});
    free(x);
    free(was);
}

static void test_value_sources__one_bit_is_a_change(void **state)
{
    const int64_t n = test_size(17, 3001);
    int32_t *map = test_random_permutation(n, 4);
    const int64_t other[] = {0, n / 2, n - 1, n * 9};
    for (int k = 0; k < 4; ++k) {
        expect_compared(*state, n, 1, NULL, k == 3 ? n : other[k]);
        expect_compared(*state, n, 1, map, k == 3 ? n : other[k]);
        expect_compared(*state, n, 9, map, other[k]);
    }
    free(map);
}

// `val` holds what is gathered, but for value `other` of n.
static void expect_gathered_change(struct lcl_sources *D,
                                   const struct sources *S, int64_t other)
{
    double *x = test_random_vector(S->entries, 3), *val = test_vector(S->n);
    lcl_buffer *const given = behind(D->ctx, x, S->entries, 2);
    lcl_buffer *const flag = new_flag(D->ctx);
    const struct lcl_given_arrays arrays = lcl_given_array(D, given);
    lcl_ref_sources(val, S->n, S->entries, S->of, S->start, S->list, x,
                    S->is_signed);
    if (other < S->n)
        val[other] = nextafter(val[other], 9);
    lcl_buffer *const was = test_upload(D->ctx, val, S->n, sizeof *val);
    assert_int_equal(lcl_sources_compare(D, &arrays, was, flag), LCL_OK);
    assert_int_equal(flag_of(flag), other < S->n);
    lcl_buffer_select(given, 0, lcl_buffer_bytes(given) + 2 * sizeof *x);
    lcl_buffer *const all[] = {given, flag, was};
    for (int i = 0; i < 3; ++i)
        lcl_buffer_destroy(&(lcl_buffer *){all[i]});
    free(x);
    free(val);
}

static void test_value_sources__one_bit_of_a_sum_is_a_change(void **state)
{
    const int64_t n = test_size(60, 20011);
    struct sources S;
    sources_init(&S, n, n / 2, 9);
    struct lcl_sources D = upload(*state, &S);
    const int64_t other[] = {0, n / 2, n - 1, n};
    for (int k = 0; k < 4; ++k)
        expect_gathered_change(&D, &S, other[k]);
    lcl_sources_finish(&D);
    sources_finish(&S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_sources__values_are_gathered_and_summed),
        cmocka_unit_test(test_value_sources__signs_change),
        cmocka_unit_test(test_value_sources__no_values),
        cmocka_unit_test(test_value_sources__blocks_keep_their_sources),
        cmocka_unit_test(test_value_sources__places_of_a_larger_matrix),
        cmocka_unit_test(test_value_sources__values_are_checked),
        cmocka_unit_test(test_value_sources__rows_of_full_blocks_are_runs),
        cmocka_unit_test(test_value_sources__values_are_taken_and_checked),
        cmocka_unit_test(test_value_sources__one_bit_is_a_change),
        cmocka_unit_test(test_value_sources__one_bit_of_a_sum_is_a_change),
    };
    return test_device_run(tests);
}
