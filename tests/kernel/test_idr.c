// SPDX-License-Identifier: BSD-3-Clause
// idr.cl: the shadow vectors, the outer step and the final check, each kernel
// compared with its formulas on the host, for several s.
#include "tests/support/device.h"
#include "tests/support/idr_data.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/ref/idr.h"
#include "lib/ref/vector.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS = TEST_RECURRENCE_GROUPS };

// ------------------------------------------------------------------ launching

static lcl_kernel *kernel_of(lcl_context *ctx, int s, const char *name)
{
    return test_idr_kernel(ctx, s, "idr.cl", name);
}

static void run_dot(lcl_context *ctx, struct test_idr *d)
{
    struct test_idr_device D = test_idr_upload(ctx, d);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, d->s, "idr_dot"), GROUPS, lcl_arg_long(d->n),
                   lcl_arg_buffer(D.words), lcl_arg_buffer(D.vector[IDR_T]),
                   lcl_arg_buffer(D.vector[IDR_ROWS]), lcl_arg_buffer(D.stop),
                   lcl_arg_int(IDR_STOP_U)),
        LCL_OK);
    test_idr_download(&D, d);
}

// The sums of the product arrive as two rows of `products`.
static void run_omega(lcl_context *ctx, struct test_idr *d, int it, double tr,
                      double tt)
{
    double products[2 * GROUPS];
    test_set_sums(products, tr);
    test_set_sums(products + GROUPS, tt);
    struct test_idr_device D = test_idr_upload(ctx, d);
    lcl_buffer *sums = test_upload(ctx, products, 2 * GROUPS, sizeof tr);
    assert_int_equal(
        LCL_LAUNCH(
            kernel_of(ctx, d->s, "idr_omega"), GROUPS, lcl_arg_int(it),
            lcl_arg_long(d->n), lcl_arg_double(1e-3), lcl_arg_int(GROUPS),
            lcl_arg_buffer(D.vector[IDR_NORM]), lcl_arg_int(GROUPS),
            lcl_arg_buffer(sums), lcl_arg_buffer(D.words),
            lcl_arg_buffer(D.vector[IDR_Y]), lcl_arg_buffer(D.vector[IDR_T]),
            lcl_arg_buffer(D.vector[IDR_X]), lcl_arg_buffer(D.vector[IDR_R]),
            lcl_arg_buffer(D.vector[IDR_ROWS]),
            lcl_arg_buffer(D.vector[IDR_STATE]), lcl_arg_buffer(D.stop)),
        LCL_OK);
    lcl_buffer_destroy(&sums);
    test_idr_download(&D, d);
}

static void run_last(lcl_context *ctx, struct test_idr *d, int it, int at)
{
    struct test_idr_device D = test_idr_upload(ctx, d);
    assert_int_equal(LCL_LAUNCH(kernel_of(ctx, d->s, "idr_last"), 1,
                                lcl_arg_int(it), lcl_arg_double(1e-3),
                                lcl_arg_int(GROUPS), lcl_arg_int(d->s),
                                lcl_arg_buffer(D.vector[IDR_ROWS]),
                                lcl_arg_buffer(D.vector[IDR_STATE]),
                                lcl_arg_buffer(D.stop), lcl_arg_int(at)),
                     LCL_OK);
    test_idr_download(&D, d);
}

// ------------------------------------------------------------------ shadow

static void test_idr__shadow_words_are_the_reference_s(void **state)
{
    const int64_t n = test_size(61, 9973);
    uint32_t *expected = calloc((size_t)n, sizeof *expected);
    for (int i = 0; i < TEST_IDR_SIZES; ++i) {
        lcl_buffer *words = test_poisoned(*state, n, sizeof *expected);
        lcl_ref_idr_words(n, test_idr_sizes[i], expected);
        assert_int_equal(
            LCL_LAUNCH(kernel_of(*state, test_idr_sizes[i], "idr_shadow"),
                       GROUPS, lcl_arg_long(n), lcl_arg_buffer(words)),
            LCL_OK);
        test_expect_words("word", words, (const int32_t *)expected, n);
        lcl_buffer_destroy(&words);
    }
    free(expected);
}

static void test_idr_dot__rows_are_the_products_with_the_shadow(void **state)
{
    for (int i = 0; i < TEST_IDR_SIZES; ++i) {
        struct test_idr d = test_idr_make(test_idr_sizes[i]),
                        expected = test_idr_copy(&d);
        test_idr_set_shadow_rows(&expected, d.vector[IDR_T]);
        run_dot(*state, &d);
        test_idr_expect(&d, &expected);
    }
}

static void test_idr_dot__does_nothing_where_the_method_has_stopped(
    void **state)
{
    struct test_idr d = test_idr_make(3);
    d.stop[IDR_STOP_U] = KRYLOV_CONVERGED;
    struct test_idr expected = test_idr_copy(&d);
    run_dot(*state, &d);
    test_idr_expect(&d, &expected);
}

// ------------------------------------------------------------------ products

static void test_idr_products__are_those_of_two_vectors(void **state)
{
    struct test_idr d = test_idr_make(3);
    struct test_idr_device D = test_idr_upload(*state, &d);
    lcl_buffer *sums = test_poisoned(*state, 2 * GROUPS, sizeof(double));
    double got[2 * GROUPS], expected[2] = {0}, size[2] = {0};
    for (int64_t i = 0; i < d.n; ++i)
        for (int k = 0; k < 2; ++k) {
            const double t = d.vector[IDR_T][i];
            const double v = t * (k == 0 ? d.vector[IDR_R][i] : t);
            expected[k] += v;
            size[k] += fabs(v);
        }
    assert_int_equal(
        LCL_LAUNCH(kernel_of(*state, 3, "idr_products"), GROUPS,
                   lcl_arg_long(d.n), lcl_arg_buffer(D.vector[IDR_R]),
                   lcl_arg_buffer(D.vector[IDR_T]), lcl_arg_buffer(sums),
                   lcl_arg_buffer(D.stop), lcl_arg_int(IDR_STOP_R)),
        LCL_OK);
    test_download(sums, got, 2 * GROUPS, sizeof *got);
    for (int k = 0; k < 2; ++k) {
        double sum = 0;
        for (int g = 0; g < GROUPS; ++g)
            sum += got[k * GROUPS + g];
        assert_true(fabs(sum - expected[k]) <= 1e-13 * size[k]);
    }
    struct test_idr same = test_idr_copy(&d);
    test_idr_download(&D, &d);
    test_idr_expect(&d, &same);
    lcl_buffer_destroy(&sums);
}

// ------------------------------------------------------------------ idr_omega

static void expect_omega(lcl_context *ctx, int s, double tr, double tt,
                         double omega)
{
    struct test_idr d = test_idr_make(s);
    test_set_sums(d.vector[IDR_NORM], 4);
    struct test_idr expected = test_idr_copy(&d);
    lcl_ref_axpy(d.n, omega, d.vector[IDR_Y], expected.vector[IDR_X]);
    lcl_ref_axpy(d.n, -omega, d.vector[IDR_T], expected.vector[IDR_R]);
    test_idr_set_shadow_rows(&expected, expected.vector[IDR_R]);
    test_idr_note(&expected, 261, 4, IDR_STOP_O, 0);
    expected.vector[IDR_STATE][IDR_OMEGA] = omega;
    run_omega(ctx, &d, 261, tr, tt);
    test_idr_expect(&d, &expected);
}

static void test_idr_omega__takes_the_step_to_the_shortest_residual(
    void **state)
{
    for (int i = 0; i < TEST_IDR_SIZES; ++i)
        expect_omega(*state, test_idr_sizes[i], 3.2, 4, 0.8);
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
    struct test_idr d = test_idr_make(3);
    test_set_sums(d.vector[IDR_NORM], rr);
    d.stop[IDR_STOP_R] = before;
    struct test_idr expected = test_idr_copy(&d);
    if (before)
        expected.stop[IDR_STOP_O] = before;
    else
        test_idr_note(&expected, 7, rr, IDR_STOP_O, reason);
    run_omega(ctx, &d, 7, tr, tt);
    if (!before) // unused from here on
        d.vector[IDR_STATE][IDR_OMEGA] = expected.vector[IDR_STATE][IDR_OMEGA];
    if (!isfinite(rr))
        test_idr_forget(&d, &expected, 7);
    test_idr_expect(&d, &expected);
}

static void test_idr_omega__reasons_to_stop_are_told_apart(void **state)
{
    expect_omega_stops(*state, 1e-3, 0, 0, 0, KRYLOV_CONVERGED);
    expect_omega_stops(*state, NAN, 1, 1, 0, KRYLOV_NOT_FINITE);
    expect_omega_stops(*state, 1, NAN, 1, 0, KRYLOV_NOT_FINITE);
    expect_omega_stops(*state, 1, 1, INFINITY, 0, KRYLOV_NOT_FINITE);
    expect_omega_stops(*state, 1, 0, 0, 0, KRYLOV_BREAKDOWN_OMEGA);
    expect_omega_stops(*state, 1, 1e-17, 1, 0, KRYLOV_BREAKDOWN_OMEGA);
    expect_omega_stops(*state, 1, 1, 1, KRYLOV_NOT_FINITE, KRYLOV_NOT_FINITE);
}

// ------------------------------------------------------------------ idr_last

static void expect_last(lcl_context *ctx, double rr, int32_t before, int reason)
{
    struct test_idr d = test_idr_make(3);
    test_set_sums(test_idr_row(&d, 3), rr);
    d.stop[IDR_STOP_O] = before;
    struct test_idr expected = test_idr_copy(&d);
    if (before)
        expected.stop[IDR_STOP_U] = before;
    else
        test_idr_note(&expected, 300, rr, IDR_STOP_U, reason);
    run_last(ctx, &d, 300, IDR_STOP_O);
    test_idr_expect(&d, &expected);
}

static void test_idr_last__judges_the_last_residual(void **state)
{
    expect_last(*state, 1e-3, 0, KRYLOV_CONVERGED);
    expect_last(*state, 1, 0, 0);
    expect_last(*state, 1, KRYLOV_BREAKDOWN_OMEGA, KRYLOV_BREAKDOWN_OMEGA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idr__shadow_words_are_the_reference_s),
        cmocka_unit_test(test_idr_products__are_those_of_two_vectors),
        cmocka_unit_test(test_idr_dot__rows_are_the_products_with_the_shadow),
        cmocka_unit_test(
            test_idr_dot__does_nothing_where_the_method_has_stopped),
        cmocka_unit_test(
            test_idr_omega__takes_the_step_to_the_shortest_residual),
        cmocka_unit_test(test_idr_omega__goes_farther_where_the_angle_is_wide),
        cmocka_unit_test(test_idr_omega__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_idr_last__judges_the_last_residual),
    };
    return test_device_run(tests);
}
