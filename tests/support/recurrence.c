// SPDX-License-Identifier: BSD-3-Clause
// Data for tests of the kernels of Krylov methods.
#include "tests/support/recurrence.h"

#include "tests/support/device.h"
#include "tests/support/systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS = TEST_RECURRENCE_GROUPS,
    VECTORS = TEST_RECURRENCE_VECTORS,
    STATES = TEST_RECURRENCE_STATES,
    STOPS = TEST_RECURRENCE_STOPS,
    SUMS = TEST_RECURRENCE_ROWS * TEST_RECURRENCE_GROUPS,
};

struct test_recurrence test_recurrence_make(void)
{
    struct test_recurrence d = {.n = test_size(61, 9973)};
    for (unsigned v = 0; v < VECTORS; ++v)
        d.vector[v] = test_random_vector(d.n, v + 1);
    for (int s = 0; s < STATES; ++s)
        d.state[s] = 0.5 + s;
    d.state[7] = 0; // the norm of the tolerance is norm 2
    return d;
}

struct test_recurrence test_recurrence_copy(const struct test_recurrence *d)
{
    struct test_recurrence copy = *d;
    for (int v = 0; v < VECTORS; ++v) {
        copy.vector[v] = test_vector(d->n);
        memcpy(copy.vector[v], d->vector[v], (size_t)d->n * sizeof(double));
    }
    return copy;
}

void test_recurrence_finish(struct test_recurrence *d)
{
    for (int v = 0; v < VECTORS; ++v)
        free(d->vector[v]);
}

void test_set_sums(double *sums, double sum)
{
    sums[0] = sums[2] = 0.25 * sum;
    sums[1] = 0.5 * sum;
}

double test_sum_of(const double *sums)
{
    return sums[0] + sums[1] + sums[2];
}

void test_expect_sums(const char *what, const double *got,
                      const double *expected, int rows)
{
    for (int row = 0; row < rows; ++row) {
        const double sum = test_sum_of(got + row * GROUPS);
        const double right = test_sum_of(expected + row * GROUPS);
        if (!(fabs(sum - right) <= 1e-9 * (1 + fabs(right))))
            fail_msg("%s %d adds up to %g, expected %g", what, row, sum, right);
    }
}

void test_recurrence_set_sums(struct test_recurrence *d, double first,
                              double second)
{
    test_set_sums(d->sums, first);
    test_set_sums(d->sums + GROUPS, second);
    test_set_sums(d->sums + 2 * GROUPS, 0);
}

void test_recurrence_expect(const struct test_recurrence *got,
                            const struct test_recurrence *expected)
{
    char name[] = "vector 0";
    for (int v = 0; v < VECTORS; ++v) {
        name[sizeof name - 2] = (char)('0' + v);
        test_expect_near(name, got->vector[v], expected->vector[v], got->n,
                         1e-13);
    }
    test_expect_near("state", got->state, expected->state, STATES, 1e-14);
    for (int s = 0; s < STOPS; ++s)
        assert_int_equal(got->stop[s], expected->stop[s]);
}

void test_recurrence_settle(struct test_recurrence *got,
                            struct test_recurrence *expected)
{
    test_recurrence_expect(got, expected);
    test_recurrence_finish(got);
    test_recurrence_finish(expected);
}

struct test_recurrence_device test_recurrence_upload(
    lcl_context *ctx, const struct test_recurrence *d)
{
    struct test_recurrence_device D = {
        .sums = test_upload(ctx, d->sums, SUMS, sizeof *d->sums),
        .next = test_poisoned(ctx, SUMS, sizeof *d->sums),
        .state = test_upload(ctx, d->state, STATES, sizeof *d->state),
        .stop = test_upload(ctx, d->stop, STOPS, sizeof *d->stop),
    };
    for (int v = 0; v < VECTORS; ++v)
        D.vector[v] = test_upload(ctx, d->vector[v], d->n, sizeof(double));
    return D;
}

void test_recurrence_download(struct test_recurrence_device *D,
                              struct test_recurrence *d)
{
    test_download(D->next, d->sums, SUMS, sizeof *d->sums);
    test_download(D->state, d->state, STATES, sizeof *d->state);
    test_download(D->stop, d->stop, STOPS, sizeof *d->stop);
    for (int v = 0; v < VECTORS; ++v) {
        test_download(D->vector[v], d->vector[v], d->n, sizeof(double));
        lcl_buffer_destroy(&D->vector[v]);
    }
    lcl_buffer_destroy(&D->sums);
    lcl_buffer_destroy(&D->next);
    lcl_buffer_destroy(&D->state);
    lcl_buffer_destroy(&D->stop);
}
