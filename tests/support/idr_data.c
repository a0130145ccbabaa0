// SPDX-License-Identifier: BSD-3-Clause
// Data for tests of the IDR(s) kernels.
#include "tests/support/idr_data.h"

#include "lib/ref/idr.h"
#include "lib/ref/vector.h"
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = TEST_RECURRENCE_GROUPS };

const int test_idr_sizes[TEST_IDR_SIZES] = {1, 3, 8};

int64_t test_idr_length(const struct test_idr *d, int v)
{
    const int64_t s = d->s;
    switch (v) {
    case IDR_G:
    case IDR_U:
        return s * d->n;
    case IDR_ROWS:
        return (s + 1) * GROUPS;
    case IDR_NORM:
        return GROUPS;
    case IDR_STATE:
        return IDR_C + 3 * s + s * s;
    default:
        return d->n;
    }
}

double *test_idr_row(const struct test_idr *d, int row)
{
    return d->vector[IDR_ROWS] + row * GROUPS;
}

double *test_idr_c(const struct test_idr *d)
{
    return d->vector[IDR_STATE] + IDR_C;
}

double *test_idr_f(const struct test_idr *d, int k)
{
    return test_idr_c(d) + d->s + k % 2 * d->s;
}

double *test_idr_m(const struct test_idr *d, int i, int j)
{
    return test_idr_c(d) + 3 * d->s + i * d->s + j;
}

static uint32_t *words_of(int64_t n, int s)
{
    uint32_t *words = calloc((size_t)n, sizeof *words);
    assert_non_null(words);
    lcl_ref_idr_words(n, s, words);
    return words;
}

struct test_idr test_idr_make(int s)
{
    struct test_idr d = {.n = test_size(61, 9973), .s = s};
    for (int v = 0; v < IDR_VECTORS; ++v)
        d.vector[v] =
            test_random_vector(test_idr_length(&d, v), (unsigned)v + 1);
    d.vector[IDR_STATE][7] = 0; // the norm of the tolerance is norm 2
    for (int i = 0; i < s; ++i)
        *test_idr_m(&d, i, i) += 3;
    d.words = words_of(d.n, s);
    return d;
}

struct test_idr test_idr_copy(const struct test_idr *d)
{
    struct test_idr copy = *d;
    for (int v = 0; v < IDR_VECTORS; ++v) {
        const int64_t length = test_idr_length(d, v);
        copy.vector[v] = test_vector(length);
        memcpy(copy.vector[v], d->vector[v], (size_t)length * sizeof(double));
    }
    copy.words = words_of(d->n, d->s);
    return copy;
}

static void finish(struct test_idr *d)
{
    for (int v = 0; v < IDR_VECTORS; ++v)
        free(d->vector[v]);
    free(d->words);
}

void test_idr_expect(struct test_idr *got, struct test_idr *expected)
{
    static const char *const names[] = {"r", "v", "y",    "u",    "t",    "x",
                                        "G", "U", "rows", "norm", "state"};
    for (int v = 0; v < IDR_VECTORS; ++v)
        if (v != IDR_ROWS && v != IDR_NORM)
            test_expect_near(names[v], got->vector[v], expected->vector[v],
                             test_idr_length(got, v), 1e-11);
    test_expect_sums("row", test_idr_row(got, 0), test_idr_row(expected, 0),
                     got->s + 1);
    test_expect_sums("norm", got->vector[IDR_NORM], expected->vector[IDR_NORM],
                     1);
    for (int s = 0; s < IDR_STOPS; ++s)
        assert_int_equal(got->stop[s], expected->stop[s]);
    finish(got);
    finish(expected);
}

void test_idr_set_shadow_rows(struct test_idr *d, const double *v)
{
    double *p = test_vector(d->n);
    for (int j = 0; j < d->s; ++j) {
        lcl_ref_idr_vector(d->n, d->words, j, p);
        test_set_sums(test_idr_row(d, j), lcl_ref_dot(d->n, p, v));
    }
    test_set_sums(test_idr_row(d, d->s), lcl_ref_dot(d->n, v, v));
    free(p);
}

struct test_idr_device test_idr_upload(lcl_context *ctx,
                                       const struct test_idr *d)
{
    struct test_idr_device D = {
        .words = test_upload(ctx, d->words, d->n, sizeof *d->words),
        .stop = test_upload(ctx, d->stop, IDR_STOPS, sizeof *d->stop),
    };
    for (int v = 0; v < IDR_VECTORS; ++v)
        D.vector[v] = test_upload(ctx, d->vector[v], test_idr_length(d, v),
                                  sizeof(double));
    return D;
}

void test_idr_download(struct test_idr_device *D, struct test_idr *d)
{
    test_download(D->stop, d->stop, IDR_STOPS, sizeof *d->stop);
    for (int v = 0; v < IDR_VECTORS; ++v) {
        test_download(D->vector[v], d->vector[v], test_idr_length(d, v),
                      sizeof(double));
        lcl_buffer_destroy(&D->vector[v]);
    }
    lcl_buffer_destroy(&D->words);
    lcl_buffer_destroy(&D->stop);
}

lcl_kernel *test_idr_kernel(lcl_context *ctx, int s, const char *source,
                            const char *name)
{
    const struct lcl_spec spec = {
        .source = source,
        .kernel = name,
        .group = test_group(ctx, 2),
        .defines = {{"IDR_S", s}},
    };
    return test_kernel(ctx, &spec);
}

void test_idr_note(struct test_idr *d, int it, double rr, int at, int reason)
{
    d->vector[IDR_STATE][KRYLOV_STEPS] = it;
    d->vector[IDR_STATE][KRYLOV_RING + it % 256] = rr;
    d->stop[at] = reason;
    if (reason)
        d->vector[IDR_STATE][KRYLOV_REASON] = reason;
}

void test_idr_forget(struct test_idr *d, struct test_idr *expected, int it)
{
    const int word = KRYLOV_RING + it;
    assert_false(isfinite(d->vector[IDR_STATE][word]));
    d->vector[IDR_STATE][word] = expected->vector[IDR_STATE][word] = 0;
    test_set_sums(d->vector[IDR_NORM], 0);
    test_set_sums(expected->vector[IDR_NORM], 0);
}
