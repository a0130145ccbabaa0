// SPDX-License-Identifier: BSD-3-Clause
// gmres_step.cl: each kernel compared with the reference.
#include "tests/support/device.h"
#include "tests/support/recurrence.h"
#include "tests/support/systems.h"

#include "cl/krylov/gmres_state.cl.h"
#include "host/launch.h"
#include "lib/ref/gmres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = TEST_RECURRENCE_GROUPS, M = 9, LIMIT_2 = 1 };
enum { STATES = KRYLOV_OWN + GMRES_WORDS };
enum { H2 = GMRES_H2(M), Y = GMRES_SOLUTION(M), G = GMRES_RIGHT_SIDE(M) };
enum { COSINE = GMRES_COSINE(M), SINE = GMRES_SINE(M) };
enum { R = GMRES_TRIANGLE(M), WORDS = GMRES_COLUMN(M, M) };

static int column(int j)
{
    return GMRES_COLUMN(M, j);
}

// Scalars in host memory; each row has GROUPS partial sums.
struct data {
    double h[WORDS], state[STATES], rows[(M + 1) * GROUPS];
    int32_t stop[2];
};

static struct data data_make(void)
{
    struct data d = {.stop = {0, 0}};
    double *all = test_random_vector(WORDS + STATES, 11);
    memcpy(d.h, all, sizeof d.h);
    memcpy(d.state, all + WORDS, sizeof d.state);
    d.state[KRYLOV_NORM] = 0;
    free(all);
    for (int k = 0; k < M; ++k) {
        const double angle = d.h[COSINE + k];
        d.h[COSINE + k] = cos(angle);
        d.h[SINE + k] = sin(angle);
        d.h[column(k) + k] += 3;
    }
    return d;
}

static void set_row(struct data *d, int row, double sum)
{
    test_set_sums(d->rows + row * GROUPS, sum);
}

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name, int storage)
{
    const struct lcl_spec spec = {
        .source = "gmres_step.cl",
        .kernel = name,
        .group = test_group(ctx, 8),
        .storage = storage,
    };
    return test_kernel(ctx, &spec);
}

struct device {
    lcl_buffer *h, *state, *rows, *stop;
};

static struct device upload(lcl_context *ctx, const struct data *d)
{
    return (struct device){
        .h = test_upload(ctx, d->h, WORDS, sizeof *d->h),
        .state = test_upload(ctx, d->state, STATES, sizeof *d->state),
        .rows = test_upload(ctx, d->rows, (M + 1) * GROUPS, sizeof *d->rows),
        .stop = test_upload(ctx, d->stop, 2, sizeof *d->stop),
    };
}

static void download(struct device *D, struct data *d)
{
    test_download(D->h, d->h, WORDS, sizeof *d->h);
    test_download(D->state, d->state, STATES, sizeof *d->state);
    test_download(D->rows, d->rows, (M + 1) * GROUPS, sizeof *d->rows);
    test_download(D->stop, d->stop, 2, sizeof *d->stop);
    lcl_buffer_destroy(&D->h);
    lcl_buffer_destroy(&D->state);
    lcl_buffer_destroy(&D->rows);
    lcl_buffer_destroy(&D->stop);
}

static void expect_data(const struct data *got, const struct data *expected)
{
    test_expect_near("h", got->h, expected->h, WORDS, 1e-11);
    test_expect_near("state", got->state, expected->state, STATES, 1e-11);
    assert_int_equal(got->stop[0], expected->stop[0]);
    assert_int_equal(got->stop[1], expected->stop[1]);
}

// ------------------------------------------------------------------ begin

static void run_begin(lcl_context *ctx, struct data *d, int it, int64_t n,
                      double rr, const double *r, double *v, int storage,
                      lcl_buffer **V)
{
    double sums[2 * GROUPS] = {NAN, NAN, NAN};
    test_set_sums(sums + GROUPS, rr);
    struct device D = upload(ctx, d);
    lcl_buffer *in = test_upload(ctx, r, n, sizeof *r);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *v);
    lcl_buffer *norm = test_upload(ctx, sums, 2 * GROUPS, sizeof *sums);
    *V = test_poisoned(ctx, n, storage == 2 ? sizeof(float) : sizeof(double));
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "gmres_begin", storage), GROUPS,
                   lcl_arg_int(it), lcl_arg_int(M), lcl_arg_long(n),
                   lcl_arg_double(LIMIT_2), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(norm), lcl_arg_buffer(in), lcl_arg_buffer(*V),
                   lcl_arg_buffer(out), lcl_arg_buffer(D.h),
                   lcl_arg_buffer(D.state), lcl_arg_buffer(D.stop)),
        LCL_OK);
    download(&D, d);
    test_download(out, v, n, sizeof *v);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&norm);
}

static void expect_begin(lcl_context *ctx, int it, int storage)
{
    const int64_t n = test_size(77, 9973);
    double *r = test_random_vector(n, 1), *v = test_vector(n);
    double *expected_v = test_vector(n);
    struct data d = data_make(), expected = d;
    lcl_buffer *V;
    expected.h[G] = 4;
    expected.state[GMRES_COLUMNS] = 0;
    expected.state[GMRES_START] = 16;
    if (it == 0) {
        expected.state[KRYLOV_STEPS] = 0;
        expected.state[KRYLOV_RING] = 16;
    } else {
        expected.state[GMRES_RESTARTS] += 1;
    }
    for (int64_t i = 0; i < n; ++i)
        expected_v[i] = storage == 2 ? (float)(r[i] / 4) : r[i] / 4;
    run_begin(ctx, &d, it, n, 16, r, v, storage, &V);
    expect_data(&d, &expected);
    test_expect_same("v", v, expected_v, n);
    if (storage == 1) {
        test_download(V, v, n, sizeof *v);
        test_expect_same("V", v, expected_v, n);
    }
    lcl_buffer_destroy(&V);
    free(r);
    free(v);
    free(expected_v);
}

static void test_gmres_begin__scales_the_residual(void **state)
{
    for (int storage = 1; storage <= 2; ++storage) {
        expect_begin(*state, 0, storage);
        expect_begin(*state, 27, storage);
    }
}

static void expect_begin_stops(lcl_context *ctx, double rr, int32_t before,
                               int reason)
{
    enum { N = 5 };
    const double r[N] = {1, 2, 3, 4, 5};
    double v[N];
    struct data d = data_make();
    lcl_buffer *V;
    d.stop[1] = before;
    const struct data old = d;
    run_begin(ctx, &d, 9, N, rr, r, v, 1, &V);
    assert_int_equal(d.stop[0], reason);
    if (before)
        test_expect_same("h", d.h, old.h, WORDS);
    else
        assert_true(d.state[KRYLOV_REASON] == reason &&
                    d.state[GMRES_COLUMNS] == 0);
    for (int i = 0; i < N; ++i)
        assert_true(isnan(v[i]));
    test_untouched(V);
    lcl_buffer_destroy(&V);
}

static void test_gmres_begin__reasons_to_stop_are_told_apart(void **state)
{
    expect_begin_stops(*state, 1, 0, KRYLOV_CONVERGED);
    expect_begin_stops(*state, 0, 0, KRYLOV_CONVERGED);
    expect_begin_stops(*state, NAN, 0, KRYLOV_NOT_FINITE);
    expect_begin_stops(*state, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_begin_stops(*state, 9, KRYLOV_BREAKDOWN_SPACE,
                       KRYLOV_BREAKDOWN_SPACE);
}

// ------------------------------------------------------------------ reduce

static void test_gmres_reduce__adds_up_the_rows(void **state)
{
    struct data d = data_make();
    for (int k = 0; k <= M; ++k)
        set_row(&d, k, k + 1);
    struct data expected = d;
    for (int k = 0; k < 6; ++k)
        expected.h[k] = k + 1;
    struct device D = upload(*state, &d);
    assert_int_equal(LCL_LAUNCH(kernel_of(*state, "gmres_reduce", 1), 6,
                                lcl_arg_int(GROUPS), lcl_arg_buffer(D.rows),
                                lcl_arg_buffer(D.h), lcl_arg_buffer(D.stop),
                                lcl_arg_int(0)),
                     LCL_OK);
    download(&D, &d);
    expect_data(&d, &expected);
}

// ------------------------------------------------------------------ step

static void run_passes(lcl_context *ctx, struct data *d, int it, int j,
                       int before, int second_pass)
{
    struct device D = upload(ctx, d);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "gmres_step", 1), 1,
                                lcl_arg_int(it), lcl_arg_int(j), lcl_arg_int(M),
                                lcl_arg_int(second_pass),
                                lcl_arg_double(LIMIT_2), lcl_arg_int(GROUPS),
                                lcl_arg_buffer(D.rows), lcl_arg_buffer(D.h),
                                lcl_arg_buffer(D.state), lcl_arg_buffer(D.stop),
                                lcl_arg_int(before)),
                     LCL_OK);
    download(&D, d);
}

static void run_step(lcl_context *ctx, struct data *d, int it, int j,
                     int before)
{
    run_passes(ctx, d, it, j, before, 1);
}

// Column j from h1, unchanged, and h2, after which little remains except nu.
static struct data step_make(int j, double nu)
{
    struct data d = data_make();
    double second = 0;
    for (int k = 0; k <= j; ++k) {
        const double h2 = 1e-9 * (k + 1);
        set_row(&d, k, h2);
        second += h2 * h2;
    }
    set_row(&d, j + 1, nu * nu + second);
    d.h[G + j] = 10;
    return d;
}

static double reference_step(struct data *d, int j, double nu)
{
    double h[M];
    struct lcl_ref_gmres_scalars s = {d->h + R, d->h + COSINE, d->h + SINE,
                                      d->h + G};
    for (int k = 0; k <= j; ++k) {
        d->h[H2 + k] = 1e-9 * (k + 1);
        h[k] = d->h[k] + d->h[H2 + k];
    }
    return lcl_ref_gmres_rotate(&s, j, h, nu);
}

static void expect_step(lcl_context *ctx, int it, int j, double nu, int reason)
{
    struct data d = step_make(j, nu), expected = d;
    reference_step(&expected, j, nu);
    const double g = expected.h[G + j + 1];
    expected.state[GMRES_COLUMNS] = j + 1;
    expected.state[GMRES_INV_NU] = nu > 0 ? 1 / nu : 0;
    expected.state[GMRES_EXHAUSTED] = nu == 0;
    expected.state[KRYLOV_STEPS] = it + 1;
    expected.state[KRYLOV_RING + (it + 1) % 256] = g * g;
    if (reason)
        expected.state[KRYLOV_REASON] = reason;
    expected.stop[1] = reason;
    run_step(ctx, &d, it, j, j == 0 ? 0 : 1);
    expect_data(&d, &expected);
}

static void test_gmres_step__rotates_every_column(void **state)
{
    for (int j = 0; j < M; ++j)
        expect_step(*state, 500 + j, j, 2, 0);
}

static void test_gmres_step__small_residuals_have_converged(void **state)
{
    expect_step(*state, 7, 4, 0.01, KRYLOV_CONVERGED);
}

static void test_gmres_step__nothing_left_is_exhausted(void **state)
{
    struct data d = step_make(3, 0), expected = d;
    reference_step(&expected, 3, 0);
    run_step(*state, &d, 5, 3, 1);
    assert_int_equal(d.stop[1], KRYLOV_CONVERGED);
    assert_true(d.state[GMRES_EXHAUSTED] == 1 && d.state[GMRES_COLUMNS] == 4);
    assert_true(d.state[GMRES_INV_NU] == 0 && d.h[G + 4] == 0);
    test_expect_near("R", d.h + R, expected.h + R, M * (M + 1) / 2, 1e-8);
}

// Column 0 alone: h1 = t, <w, w> = ww, h2 = 0.
static void expect_step_stops(lcl_context *ctx, double t, double ww,
                              int32_t before, int reason)
{
    struct data d = data_make();
    d.h[0] = t;
    d.state[GMRES_COLUMNS] = 0;
    set_row(&d, 0, 0);
    set_row(&d, 1, ww);
    d.h[G] = 10;
    d.stop[0] = before;
    const struct data old = d;
    run_step(ctx, &d, 6, 0, 0);
    assert_int_equal(d.stop[1], reason);
    assert_true(d.state[GMRES_COLUMNS] == 0);
    assert_true(d.state[KRYLOV_STEPS] == old.state[KRYLOV_STEPS]);
    assert_true(d.h[G] == 10);
    if (before)
        test_expect_same("h", d.h, old.h, WORDS);
    else
        assert_true(d.state[KRYLOV_REASON] == reason);
}

static void test_gmres_step__reasons_to_stop_are_told_apart(void **state)
{
    expect_step_stops(*state, 0, 0, 0, KRYLOV_BREAKDOWN_SPACE);
    expect_step_stops(*state, NAN, 1, 0, KRYLOV_NOT_FINITE);
    expect_step_stops(*state, 1, NAN, 0, KRYLOV_NOT_FINITE);
    expect_step_stops(*state, 1, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_step_stops(*state, 1e200, 1, 0, KRYLOV_NOT_FINITE);
    expect_step_stops(*state, 1, 1, KRYLOV_BREAKDOWN_SPACE,
                      KRYLOV_BREAKDOWN_SPACE);
}

// ------------------------------------------------------------------ solve

static void run_solve(lcl_context *ctx, struct data *d, int k)
{
    struct device D = upload(ctx, d);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, "gmres_solve", 1), 1,
                                lcl_arg_int(k), lcl_arg_int(M),
                                lcl_arg_buffer(D.h), lcl_arg_buffer(D.stop),
                                lcl_arg_int(1)),
                     LCL_OK);
    download(&D, d);
}

static void test_gmres_solve__takes_the_columns_that_are_done(void **state)
{
    for (int k = 1; k <= M; ++k) {
        struct data d = data_make(), expected = d;
        struct lcl_ref_gmres_scalars s = {expected.h + R, expected.h + COSINE,
                                          expected.h + SINE, expected.h + G};
        lcl_ref_gmres_solve(&s, k, expected.h + Y);
        run_solve(*state, &d, k);
        expect_data(&d, &expected);
    }
}

static void test_gmres_solve__overflow_leaves_zeros(void **state)
{
    struct data d = data_make(), expected;
    d.h[column(3) + 3] = 1e-320;
    d.h[G + 3] = 1e10;
    expected = d;
    memset(expected.h + Y, 0, 5 * sizeof *expected.h);
    run_solve(*state, &d, 5);
    expect_data(&d, &expected);
    d.stop[1] = KRYLOV_CONVERGED;
    d.h[Y] = expected.h[Y] = 7;
    expected.stop[1] = KRYLOV_CONVERGED;
    run_solve(*state, &d, 5);
    expect_data(&d, &expected);
}

static void test_gmres_add__adds(void **state)
{
    const int64_t n = test_size(77, 9973);
    double *z = test_random_vector(n, 1), *x = test_random_vector(n, 2);
    for (int32_t stopped = 0; stopped <= 1; ++stopped) {
        lcl_buffer *in = test_upload(*state, z, n, sizeof *z);
        lcl_buffer *out = test_upload(*state, x, n, sizeof *x);
        lcl_buffer *stop = test_stop_flag(*state, stopped);
        double *got = test_vector(n), *expected = test_vector(n);
        for (int64_t i = 0; i < n; ++i)
            expected[i] = stopped ? x[i] : x[i] + z[i];
        assert_int_equal(LCL_LAUNCH(kernel_of(*state, "gmres_add", 1), GROUPS,
                                    lcl_arg_long(n), lcl_arg_buffer(in),
                                    lcl_arg_buffer(out), lcl_arg_buffer(stop),
                                    lcl_arg_int(0)),
                         LCL_OK);
        test_download(out, got, n, sizeof *got);
        test_expect_same("x", got, expected, n);
        free(got);
        free(expected);
        lcl_buffer_destroy(&in);
        lcl_buffer_destroy(&out);
        lcl_buffer_destroy(&stop);
    }
    free(z);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmres_begin__scales_the_residual),
        cmocka_unit_test(test_gmres_begin__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_gmres_reduce__adds_up_the_rows),
        cmocka_unit_test(test_gmres_step__rotates_every_column),
        cmocka_unit_test(test_gmres_step__small_residuals_have_converged),
        cmocka_unit_test(test_gmres_step__nothing_left_is_exhausted),
        cmocka_unit_test(test_gmres_step__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_gmres_solve__takes_the_columns_that_are_done),
        cmocka_unit_test(test_gmres_solve__overflow_leaves_zeros),
        cmocka_unit_test(test_gmres_add__adds),
    };
    return test_device_run(tests);
}
