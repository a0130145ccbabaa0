// SPDX-License-Identifier: BSD-3-Clause
// Data for tests that run one kernel of a Krylov method: vectors, partial sums,
// state[] and stop[] as in krylov.cl.h.
#pragma once

#include "host/buffer.h"

#include <stdint.h>

enum {
    TEST_RECURRENCE_GROUPS = 3, // number of groups in each launch
    TEST_RECURRENCE_ROWS = 3,   // of partial sums
    TEST_RECURRENCE_VECTORS = 10,
    TEST_RECURRENCE_STATES = 280,
    TEST_RECURRENCE_STOPS = 3,
};

struct test_recurrence {
    int64_t n;
    double *vector[TEST_RECURRENCE_VECTORS];
    // one row per dot product
    double sums[TEST_RECURRENCE_ROWS * TEST_RECURRENCE_GROUPS];
    double state[TEST_RECURRENCE_STATES];
    int32_t stop[TEST_RECURRENCE_STOPS];
};

// Random vectors, some state, no stopping flag set.
struct test_recurrence test_recurrence_make(void);
struct test_recurrence test_recurrence_copy(const struct test_recurrence *d);
void test_recurrence_finish(struct test_recurrence *d);

// Writes TEST_RECURRENCE_GROUPS partial sums with the total `sum`; returns
// their actual total.
void test_set_sums(double *sums, double sum);
double test_sum_of(const double *sums);

// Fails at the first row of partial sums whose total differs; single partial
// sums depend on the launch.
void test_expect_sums(const char *what, const double *got,
                      const double *expected, int rows);

// Writes partial sums with the totals `first` and `second`, the third row with
// 0.
void test_recurrence_set_sums(struct test_recurrence *d, double first,
                              double second);

// Fails if vectors, state or stop differ; does not compare sums.
void test_recurrence_expect(const struct test_recurrence *got,
                            const struct test_recurrence *expected);
// The same; then frees both.
void test_recurrence_settle(struct test_recurrence *got,
                            struct test_recurrence *expected);

struct test_recurrence_device {
    lcl_buffer *vector[TEST_RECURRENCE_VECTORS];
    lcl_buffer *sums, *next, *state, *stop; // next: poisoned, as large as sums
};

struct test_recurrence_device test_recurrence_upload(
    lcl_context *ctx, const struct test_recurrence *d);

// Reads everything back; d->sums are those of `next`.
void test_recurrence_download(struct test_recurrence_device *D,
                              struct test_recurrence *d);
