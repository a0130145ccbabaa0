// SPDX-License-Identifier: BSD-3-Clause
// idr.cl and idr_step.cl: each kernel against its formulas on the host, for
// several s.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/idr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Constants as in idr.cl.h and krylov.cl.h.
enum { STOP_R, STOP_U, STOP_O, STOPS };
enum {
    CONVERGED = 1,
    BREAKDOWN_ALPHA = 3,
    BREAKDOWN_OMEGA,
    NOT_FINITE,
};
enum { STEPS, REASON, RING = 8, OMEGA = 264, C };

enum vector { R, V, Y, U1, T, X, G, U, ROWS, NORM, STATE, VECTORS };
enum { GROUPS = 3, MAX_S = LCL_REF_IDR_MAX_S };

static const int sizes[] = {1, 3, 8};
enum { SIZES = sizeof sizes / sizeof *sizes };

// All that the kernels work on, in host memory.
struct data {
    int64_t n;
    int s;
    double *vector[VECTORS];
    uint32_t *words;
    int32_t stop[STOPS];
};

static int64_t length(const struct data *d, int v)
{
    const int64_t s = d->s;
    switch (v) {
    case G:
    case U:
        return s * d->n;
    case ROWS:
        return (s + 1) * GROUPS;
    case NORM:
        return GROUPS;
    case STATE:
        return C + 3 * s + s * s;
    default:
        return d->n;
    }
}

static double *f_of(const struct data *d, int k)
{
    return d->vector[STATE] + C + d->s + k % 2 * d->s;
}

static double *m_of(const struct data *d, int i, int j)
{
    return d->vector[STATE] + C + 3 * d->s + i * d->s + j;
}

static struct data data_make(int s)
{
    struct data d = {.n = test_size(61, 9973), .s = s};
    for (unsigned v = 0; v < VECTORS; ++v)
        d.vector[v] = test_random_vector(length(&d, (int)v), v + 1);
    for (int i = 0; i < s; ++i)
        *m_of(&d, i, i) += 3;
    d.words = calloc((size_t)d.n, sizeof *d.words);
    assert_non_null(d.words);
    lcl_ref_idr_words(d.n, s, d.words);
    return d;
}

static struct data data_copy(const struct data *d)
{
    struct data copy = *d;
    for (int v = 0; v < VECTORS; ++v) {
        copy.vector[v] = test_vector(length(d, v));
        memcpy(copy.vector[v], d->vector[v],
               (size_t)length(d, v) * sizeof(double));
    }
    copy.words = NULL;
    return copy;
}

static void data_finish(struct data *d)
{
    for (int v = 0; v < VECTORS; ++v)
        free(d->vector[v]);
    free(d->words);
}

// Partial sums that add up to `sum`.
static void set_sums(double *sums, double sum)
{
    sums[0] = sums[2] = 0.25 * sum;
    sums[1] = 0.5 * sum;
}

static double *row_of(const struct data *d, int row)
{
    return d->vector[ROWS] + row * GROUPS;
}

static double sum_of(const double *sums)
{
    return sums[0] + sums[1] + sums[2];
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

// Partial sums one by one are a matter of the launch: only what they add up to
// is compared.
static void expect_data(const struct data *got, const struct data *expected)
{
    static const char *const names[] = {"r", "v", "y",    "u",    "t",    "x",
                                        "G", "U", "rows", "norm", "state"};
    for (int v = 0; v < VECTORS; ++v)
        if (v != ROWS && v != NORM)
            test_expect_near(names[v], got->vector[v], expected->vector[v],
                             length(got, v), 1e-11);
    for (int row = 0; row <= got->s; ++row) {
        const double sum = sum_of(row_of(expected, row));
        if (!(fabs(sum_of(row_of(got, row)) - sum) <= 1e-9 * (1 + fabs(sum))))
            fail_msg("row %d: got %g, expected %g", row,
                     sum_of(row_of(got, row)), sum);
    }
    const double sum = sum_of(expected->vector[NORM]);
    assert_true(fabs(sum_of(got->vector[NORM]) - sum) <=
                1e-9 * (1 + fabs(sum)));
    for (int s = 0; s < STOPS; ++s)
        assert_int_equal(got->stop[s], expected->stop[s]);
}

static void finish_both(struct data *d, struct data *expected)
{
    expect_data(d, expected);
    data_finish(d);
    data_finish(expected);
}

// ------------------------------------------------------------------ launching

struct device {
    lcl_buffer *vector[VECTORS], *words, *stop;
};

static struct device upload(lcl_context *ctx, const struct data *d)
{
    struct device D = {
        .words = test_upload(ctx, d->words, d->n, sizeof *d->words),
        .stop = test_upload(ctx, d->stop, STOPS, sizeof *d->stop),
    };
    for (int v = 0; v < VECTORS; ++v)
        D.vector[v] =
            test_upload(ctx, d->vector[v], length(d, v), sizeof(double));
    return D;
}

static void download(struct device *D, struct data *d)
{
    test_download(D->stop, d->stop, STOPS, sizeof *d->stop);
    for (int v = 0; v < VECTORS; ++v) {
        test_download(D->vector[v], d->vector[v], length(d, v), sizeof(double));
        lcl_buffer_destroy(&D->vector[v]);
    }
    lcl_buffer_destroy(&D->words);
    lcl_buffer_destroy(&D->stop);
}

static lcl_kernel *kernel_of(lcl_context *ctx, int s, const char *source,
                             const char *name)
{
    const struct lcl_spec spec = {
        .source = source,
        .kernel = name,
        .group = test_group(ctx, 2),
        .mode = s,
    };
    return test_kernel(ctx, &spec);
}

static void run_v(lcl_context *ctx, struct data *d)
{
    struct device D = upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d->s, "idr_step.cl", "idr_v"), GROUPS,
                   lcl_arg_long(d->n), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.vector[ROWS]), lcl_arg_buffer(D.vector[R]),
                   lcl_arg_buffer(D.vector[G]), lcl_arg_buffer(D.vector[V]),
                   lcl_arg_buffer(D.vector[STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    download(&D, d);
}

static void run_u(lcl_context *ctx, struct data *d, int it, int k)
{
    struct device D = upload(ctx, d);
    const enum vector from = k == 0 ? ROWS : NORM;
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d->s, "idr_step.cl", "idr_u"), GROUPS,
                   lcl_arg_int(it), lcl_arg_int(k), lcl_arg_long(d->n),
                   lcl_arg_double(1e-3), lcl_arg_int(GROUPS),
                   lcl_arg_int(k == 0 ? d->s : 0),
                   lcl_arg_buffer(D.vector[from]), lcl_arg_buffer(D.vector[Y]),
                   lcl_arg_buffer(D.vector[U]), lcl_arg_buffer(D.vector[U1]),
                   lcl_arg_buffer(D.vector[STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    download(&D, d);
}

static void run_dot(lcl_context *ctx, struct data *d)
{
    struct device D = upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d->s, "idr.cl", "idr_dot"), GROUPS,
                   lcl_arg_long(d->n), lcl_arg_buffer(D.words),
                   lcl_arg_buffer(D.vector[T]), lcl_arg_buffer(D.vector[ROWS]),
                   lcl_arg_buffer(D.stop), lcl_arg_int(STOP_U)),
        LCL_OK);
    download(&D, d);
}

static void run_step(lcl_context *ctx, struct data *d, int k)
{
    struct device D = upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d->s, "idr_step.cl", "idr_step"), GROUPS,
                   lcl_arg_int(k), lcl_arg_long(d->n), lcl_arg_int(GROUPS),
                   lcl_arg_buffer(D.vector[ROWS]), lcl_arg_buffer(D.vector[T]),
                   lcl_arg_buffer(D.vector[U1]), lcl_arg_buffer(D.vector[G]),
                   lcl_arg_buffer(D.vector[U]), lcl_arg_buffer(D.vector[X]),
                   lcl_arg_buffer(D.vector[R]), lcl_arg_buffer(D.vector[V]),
                   lcl_arg_buffer(D.vector[NORM]),
                   lcl_arg_buffer(D.vector[STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    download(&D, d);
}

// The sums of the product come as two rows of `products`.
static void run_omega(lcl_context *ctx, struct data *d, int it, double tr,
                      double tt)
{
    double products[2 * GROUPS];
    set_sums(products, tr);
    set_sums(products + GROUPS, tt);
    struct device D = upload(ctx, d);
    lcl_buffer *sums = test_upload(ctx, products, 2 * GROUPS, sizeof tr);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d->s, "idr.cl", "idr_omega"), GROUPS,
                   lcl_arg_int(it), lcl_arg_long(d->n), lcl_arg_double(1e-3),
                   lcl_arg_int(GROUPS), lcl_arg_buffer(D.vector[NORM]),
                   lcl_arg_int(GROUPS), lcl_arg_buffer(sums),
                   lcl_arg_buffer(D.words), lcl_arg_buffer(D.vector[Y]),
                   lcl_arg_buffer(D.vector[T]), lcl_arg_buffer(D.vector[X]),
                   lcl_arg_buffer(D.vector[R]), lcl_arg_buffer(D.vector[ROWS]),
                   lcl_arg_buffer(D.vector[STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    lcl_buffer_destroy(&sums);
    download(&D, d);
}

static void run_last(lcl_context *ctx, struct data *d, int it, int at)
{
    struct device D = upload(ctx, d);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, d->s, "idr.cl", "idr_last"), 1,
                                lcl_arg_int(it), lcl_arg_double(1e-3),
                                lcl_arg_int(GROUPS), lcl_arg_int(d->s),
                                lcl_arg_buffer(D.vector[ROWS]),
                                lcl_arg_buffer(D.vector[STATE]),
                                lcl_arg_buffer(D.stop), lcl_arg_int(at)),
                     LCL_OK);
    download(&D, d);
}

// What a kernel that learns ||r||^2 leaves.
static void note(struct data *d, int it, double rr, int at, int reason)
{
    d->vector[STATE][STEPS] = it;
    d->vector[STATE][RING + it % 256] = rr;
    d->stop[at] = reason;
    if (reason)
        d->vector[STATE][REASON] = reason;
}

// What is not finite compares with nothing.
static void forget(struct data *d, struct data *expected, int word)
{
    assert_false(isfinite(d->vector[STATE][word]));
    d->vector[STATE][word] = expected->vector[STATE][word] = 0;
}

// ------------------------------------------------------------------ shadow

static void test_idr__shadow_words_are_the_reference_s(void **state)
{
    const int64_t n = test_size(61, 9973);
    uint32_t *expected = calloc((size_t)n, sizeof *expected);
    for (int i = 0; i < SIZES; ++i) {
        lcl_buffer *words = test_poisoned(*state, n, sizeof *expected);
        lcl_ref_idr_words(n, sizes[i], expected);
        assert_int_equal(
            LCL_LAUNCH(kernel_of(*state, sizes[i], "idr.cl", "idr_shadow"),
                       GROUPS, lcl_arg_long(n), lcl_arg_buffer(words)),
            LCL_OK);
        test_expect_words("word", words, (const int32_t *)expected, n);
        lcl_buffer_destroy(&words);
    }
    free(expected);
}

// Rows <p_j, v> and <v, v>.
static void shadow_rows(const struct data *d, const uint32_t *words,
                        const double *v, struct data *expected)
{
    double *p = test_vector(d->n);
    for (int j = 0; j < d->s; ++j) {
        lcl_ref_idr_vector(d->n, words, j, p);
        set_sums(row_of(expected, j), dot(d->n, p, v));
    }
    set_sums(row_of(expected, d->s), dot(d->n, v, v));
    free(p);
}

static void test_idr_dot__rows_are_the_products_with_the_shadow(void **state)
{
    for (int i = 0; i < SIZES; ++i) {
        struct data d = data_make(sizes[i]), expected = data_copy(&d);
        shadow_rows(&d, d.words, d.vector[T], &expected);
        run_dot(*state, &d);
        finish_both(&d, &expected);
    }
}

static void test_idr_dot__does_nothing_where_the_method_has_stopped(
    void **state)
{
    struct data d = data_make(3);
    d.stop[STOP_U] = CONVERGED;
    struct data expected = data_copy(&d);
    run_dot(*state, &d);
    finish_both(&d, &expected);
}

// ------------------------------------------------------------------ idr_v

// c = m^-1 c for rows and columns from k on; reciprocals on the diagonal.
static void solve_small(const struct data *d, double *c, int k)
{
    for (int i = k; i < d->s; ++i) {
        for (int j = k; j < i; ++j)
            c[i] -= *m_of(d, i, j) * c[j];
        c[i] *= *m_of(d, i, i);
    }
}

// v = r - sum_{j>=k} c_j g_j
static void expect_v(struct data *d, const double *c, int k)
{
    for (int64_t i = 0; i < d->n; ++i) {
        double v = d->vector[R][i];
        for (int j = k; j < d->s; ++j)
            v -= c[j] * d->vector[G][j * d->n + i];
        d->vector[V][i] = v;
    }
}

static void test_idr_v__takes_the_directions_out_of_the_residual(void **state)
{
    for (int i = 0; i < SIZES; ++i) {
        struct data d = data_make(sizes[i]), expected = data_copy(&d);
        double *c = expected.vector[STATE] + C;
        for (int j = 0; j < d.s; ++j)
            f_of(&expected, 0)[j] = c[j] = sum_of(row_of(&d, j));
        solve_small(&d, c, 0);
        expect_v(&expected, c, 0);
        run_v(*state, &d);
        finish_both(&d, &expected);
    }
}

static void test_idr_v__hands_on_why_the_method_ended(void **state)
{
    struct data d = data_make(3);
    d.stop[STOP_O] = BREAKDOWN_OMEGA;
    struct data expected = data_copy(&d);
    expected.stop[STOP_R] = BREAKDOWN_OMEGA;
    run_v(*state, &d);
    finish_both(&d, &expected);
}

// ------------------------------------------------------------------ idr_u

static void expect_u(lcl_context *ctx, int s, int it, int k)
{
    struct data d = data_make(s);
    set_sums(k == 0 ? row_of(&d, s) : d.vector[NORM], 2);
    struct data expected = data_copy(&d);
    const double omega = it < s ? 1 : d.vector[STATE][OMEGA];
    for (int64_t i = 0; i < d.n; ++i) {
        double u = omega * d.vector[Y][i];
        for (int j = k; j < s; ++j)
            u += d.vector[STATE][C + j] * d.vector[U][j * d.n + i];
        expected.vector[U1][i] = u;
    }
    note(&expected, it, 2, STOP_U, 0);
    run_u(ctx, &d, it, k);
    finish_both(&d, &expected);
}

static void test_idr_u__follows_the_formula_in_every_step(void **state)
{
    for (int i = 0; i < SIZES; ++i)
        for (int k = 0; k < sizes[i]; ++k)
            expect_u(*state, sizes[i], 30 * (sizes[i] + 1) + k, k);
}

static void test_idr_u__first_cycle_has_no_omega(void **state)
{
    expect_u(*state, 3, 0, 0);
    expect_u(*state, 3, 2, 2);
}

static void expect_u_stops(lcl_context *ctx, double rr, int32_t before,
                           int reason)
{
    struct data d = data_make(3);
    set_sums(d.vector[NORM], rr);
    d.stop[STOP_R] = before;
    struct data expected = data_copy(&d);
    if (before)
        expected.stop[STOP_U] = before;
    else
        note(&expected, 5, rr, STOP_U, reason);
    run_u(ctx, &d, 5, 1);
    if (!isfinite(rr)) {
        forget(&d, &expected, RING + 5);
        set_sums(d.vector[NORM], 0);
        set_sums(expected.vector[NORM], 0);
    }
    finish_both(&d, &expected);
}

static void test_idr_u__reasons_to_stop_are_told_apart(void **state)
{
    expect_u_stops(*state, 1e-3, 0, CONVERGED);
    expect_u_stops(*state, 0, 0, CONVERGED);
    expect_u_stops(*state, NAN, 0, NOT_FINITE);
    expect_u_stops(*state, INFINITY, 0, NOT_FINITE);
    expect_u_stops(*state, 1, BREAKDOWN_ALPHA, BREAKDOWN_ALPHA);
}

// ------------------------------------------------------------------ idr_step

static void axpy(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; ++i)
        y[i] += a * x[i];
}

// Column k of m, f and c, from rows h. alpha one after the other, as published.
static double small_step(struct data *d, int k, double *alpha)
{
    const int s = d->s;
    double h[MAX_S];
    const double *f = f_of(d, k);
    for (int i = 0; i < s; ++i)
        h[i] = sum_of(row_of(d, i));
    for (int j = 0; j < k; ++j) {
        alpha[j] = h[j] * *m_of(d, j, j);
        for (int i = j + 1; i < s; ++i)
            h[i] -= alpha[j] * *m_of(d, i, j);
    }
    const double beta = f[k] / h[k];
    double *c = d->vector[STATE] + C;
    *m_of(d, k, k) = 1 / h[k];
    for (int i = k + 1; i < s; ++i) {
        *m_of(d, i, k) = h[i];
        c[i] = f_of(d, k + 1)[i] = f[i] - beta * h[i];
    }
    solve_small(d, c, k + 1);
    return beta;
}

static void expect_step(lcl_context *ctx, int s, int k)
{
    struct data d = data_make(s), expected = data_copy(&d);
    double alpha[MAX_S];
    double *g = expected.vector[G] + k * d.n, *u = expected.vector[U] + k * d.n;
    const double beta = small_step(&expected, k, alpha);
    memcpy(g, d.vector[T], (size_t)d.n * sizeof *g);
    memcpy(u, d.vector[U1], (size_t)d.n * sizeof *u);
    for (int j = 0; j < k; ++j) {
        axpy(d.n, -alpha[j], d.vector[G] + j * d.n, g);
        axpy(d.n, -alpha[j], d.vector[U] + j * d.n, u);
    }
    axpy(d.n, beta, u, expected.vector[X]);
    axpy(d.n, -beta, g, expected.vector[R]);
    if (k + 1 < s)
        expect_v(&expected, expected.vector[STATE] + C, k + 1);
    set_sums(expected.vector[NORM],
             dot(d.n, expected.vector[R], expected.vector[R]));
    run_step(ctx, &d, k);
    finish_both(&d, &expected);
}

static void test_idr_step__does_what_the_published_loop_does(void **state)
{
    for (int i = 0; i < SIZES; ++i)
        for (int k = 0; k < sizes[i]; ++k)
            expect_step(*state, sizes[i], k);
}

// In the first step of a cycle, where h is the pivot, <t, t> = tt.
static void expect_step_stops(lcl_context *ctx, double pivot, double tt,
                              int32_t before, int reason)
{
    struct data d = data_make(3);
    set_sums(row_of(&d, 0), pivot);
    set_sums(row_of(&d, 3), tt);
    d.stop[STOP_U] = before;
    struct data expected = data_copy(&d);
    expected.stop[STOP_R] = reason;
    if (!before)
        expected.vector[STATE][REASON] = reason;
    run_step(ctx, &d, 0);
    const int kept = (int)length(&d, STATE) - C; // nobody looks any more
    for (int w = 0; w < kept && !before; ++w)
        d.vector[STATE][C + w] = expected.vector[STATE][C + w];
    for (int row = 0; row <= 3; row += 3) {
        set_sums(row_of(&d, row), 0);
        set_sums(row_of(&expected, row), 0);
    }
    finish_both(&d, &expected);
}

static void test_idr_step__reasons_to_stop_are_told_apart(void **state)
{
    expect_step_stops(*state, 0, 1, 0, BREAKDOWN_ALPHA);
    expect_step_stops(*state, 0, 0, 0, BREAKDOWN_ALPHA);
    expect_step_stops(*state, 1e-17, 1, 0, BREAKDOWN_ALPHA);
    expect_step_stops(*state, 1e-310, 1e-320, 0, BREAKDOWN_ALPHA);
    expect_step_stops(*state, NAN, 1, 0, NOT_FINITE);
    expect_step_stops(*state, 1, INFINITY, 0, NOT_FINITE);
    expect_step_stops(*state, 1, 1, CONVERGED, CONVERGED);
}

// ------------------------------------------------------------------ idr_omega

static void expect_omega(lcl_context *ctx, int s, double tr, double tt,
                         double omega)
{
    struct data d = data_make(s);
    set_sums(d.vector[NORM], 4);
    struct data expected = data_copy(&d);
    axpy(d.n, omega, d.vector[Y], expected.vector[X]);
    axpy(d.n, -omega, d.vector[T], expected.vector[R]);
    shadow_rows(&expected, d.words, expected.vector[R], &expected);
    note(&expected, 261, 4, STOP_O, 0);
    expected.vector[STATE][OMEGA] = omega;
    run_omega(ctx, &d, 261, tr, tt);
    finish_both(&d, &expected);
}

static void test_idr_omega__takes_the_step_to_the_shortest_residual(
    void **state)
{
    for (int i = 0; i < SIZES; ++i)
        expect_omega(*state, sizes[i], 3.2, 4, 0.8);
    expect_omega(*state, 3, -3.2, 4, -0.8);
}

// ||t|| = 2, ||r|| = 2: cosines of 0.2 and 0.1 become 0.7.
static void test_idr_omega__goes_farther_where_the_angle_is_wide(void **state)
{
    expect_omega(*state, 3, 0.8, 4, 0.7);
    expect_omega(*state, 3, -0.4, 4, -0.7);
}

static void expect_omega_stops(lcl_context *ctx, double rr, double tr,
                               double tt, int32_t before, int reason)
{
    struct data d = data_make(3);
    set_sums(d.vector[NORM], rr);
    d.stop[STOP_R] = before;
    struct data expected = data_copy(&d);
    if (before)
        expected.stop[STOP_O] = before;
    else
        note(&expected, 7, rr, STOP_O, reason);
    run_omega(ctx, &d, 7, tr, tt);
    if (!before) // nobody looks at it any more
        d.vector[STATE][OMEGA] = expected.vector[STATE][OMEGA];
    if (!isfinite(rr)) {
        forget(&d, &expected, RING + 7);
        set_sums(d.vector[NORM], 0);
        set_sums(expected.vector[NORM], 0);
    }
    finish_both(&d, &expected);
}

static void test_idr_omega__reasons_to_stop_are_told_apart(void **state)
{
    expect_omega_stops(*state, 1e-3, 0, 0, 0, CONVERGED);
    expect_omega_stops(*state, NAN, 1, 1, 0, NOT_FINITE);
    expect_omega_stops(*state, 1, NAN, 1, 0, NOT_FINITE);
    expect_omega_stops(*state, 1, 1, INFINITY, 0, NOT_FINITE);
    expect_omega_stops(*state, 1, 0, 0, 0, BREAKDOWN_OMEGA);
    expect_omega_stops(*state, 1, 1e-17, 1, 0, BREAKDOWN_OMEGA);
    expect_omega_stops(*state, 1, 1, 1, NOT_FINITE, NOT_FINITE);
}

// ------------------------------------------------------------------ idr_last

static void expect_last(lcl_context *ctx, double rr, int32_t before, int reason)
{
    struct data d = data_make(3);
    set_sums(row_of(&d, 3), rr);
    d.stop[STOP_O] = before;
    struct data expected = data_copy(&d);
    if (before)
        expected.stop[STOP_U] = before;
    else
        note(&expected, 300, rr, STOP_U, reason);
    run_last(ctx, &d, 300, STOP_O);
    finish_both(&d, &expected);
}

static void test_idr_last__judges_the_last_residual(void **state)
{
    expect_last(*state, 1e-3, 0, CONVERGED);
    expect_last(*state, 1, 0, 0);
    expect_last(*state, 1, BREAKDOWN_OMEGA, BREAKDOWN_OMEGA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idr__shadow_words_are_the_reference_s),
        cmocka_unit_test(test_idr_dot__rows_are_the_products_with_the_shadow),
        cmocka_unit_test(
            test_idr_dot__does_nothing_where_the_method_has_stopped),
        cmocka_unit_test(test_idr_v__takes_the_directions_out_of_the_residual),
        cmocka_unit_test(test_idr_v__hands_on_why_the_method_ended),
        cmocka_unit_test(test_idr_u__follows_the_formula_in_every_step),
        cmocka_unit_test(test_idr_u__first_cycle_has_no_omega),
        cmocka_unit_test(test_idr_u__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_idr_step__does_what_the_published_loop_does),
        cmocka_unit_test(test_idr_step__reasons_to_stop_are_told_apart),
        cmocka_unit_test(
            test_idr_omega__takes_the_step_to_the_shortest_residual),
        cmocka_unit_test(test_idr_omega__goes_farther_where_the_angle_is_wide),
        cmocka_unit_test(test_idr_omega__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_idr_last__judges_the_last_residual),
    };
    return test_device_run(tests);
}
