// SPDX-License-Identifier: BSD-3-Clause
// cg_pipelined.cl: each kernel compared with the reference.
#include "tests/support/device.h"
#include "tests/support/recurrence.h"

#include "cl/krylov/cg_pipelined.cl.h"
#include "host/launch.h"
#include "lib/ref/cg_pipelined.h"

#include <math.h>
#include <string.h>

enum { V, M, Z, Q, S, P, X, R, U, W };
enum { GROUPS = TEST_RECURRENCE_GROUPS };

static lcl_kernel *kernel_of(lcl_context *ctx, const char *name)
{
    const struct lcl_spec spec = {
        .source = "cg_pipelined.cl",
        .kernel = name,
        .group = test_group(ctx, 2),
    };
    return test_kernel(ctx, &spec);
}

static void set_sums(struct test_recurrence *d, double ru, double wu, double rr)
{
    test_recurrence_set_sums(d, ru, wu);
    test_set_sums(d->sums + 2 * GROUPS, rr);
}

static void run(lcl_context *ctx, struct test_recurrence *d, int it, int count,
                bool plain)
{
    struct test_recurrence_device D = test_recurrence_upload(ctx, d);
    lcl_buffer **const v = D.vector;
    assert_int_equal(
        LCL_LAUNCH(
            kernel_of(ctx, "cg_pipelined"), GROUPS, lcl_arg_int(it),
            lcl_arg_long(d->n), lcl_arg_double(1e-3), lcl_arg_int(count),
            lcl_arg_int(plain), lcl_arg_buffer(D.sums), lcl_arg_buffer(D.next),
            lcl_arg_buffer(v[V]), lcl_arg_buffer(v[M]), lcl_arg_buffer(v[Z]),
            lcl_arg_buffer(v[Q]), lcl_arg_buffer(v[S]), lcl_arg_buffer(v[P]),
            lcl_arg_buffer(v[X]), lcl_arg_buffer(v[R]), lcl_arg_buffer(v[U]),
            lcl_arg_buffer(v[W]), lcl_arg_buffer(D.state),
            lcl_arg_buffer(D.stop)),
        LCL_OK);
    test_recurrence_download(&D, d);
}

// Without preconditioner u is r, m is w and q is s.
static struct lcl_ref_pipelined vectors_of(const struct test_recurrence *d,
                                           bool plain)
{
    double *const *v = d->vector;
    return (struct lcl_ref_pipelined){
        .n = d->n,
        .v = v[V],
        .m = v[plain ? W : M],
        .z = v[Z],
        .q = v[plain ? S : Q],
        .s = v[S],
        .p = v[P],
        .x = v[X],
        .r = v[R],
        .u = v[plain ? R : U],
        .w = v[W],
    };
}

static void expect_dots(const struct test_recurrence *d,
                        struct lcl_ref_pipelined_dots expected)
{
    const double all[] = {expected.ru, expected.wu, expected.rr};
    for (int row = 0; row < 3; ++row) {
        const double sum = test_sum_of(d->sums + row * GROUPS);
        test_expect_near("a sum", &sum, &all[row], 1, 1e-11 * expected.rr);
    }
}

// ------------------------------------------------------------------ dots

static void expect_first_dots(lcl_context *ctx, bool plain)
{
    struct test_recurrence d = test_recurrence_make();
    struct test_recurrence expected = test_recurrence_copy(&d);
    struct test_recurrence_device D = test_recurrence_upload(ctx, &d);
    const struct lcl_ref_pipelined ref = vectors_of(&expected, plain);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(ctx, "cg_pipelined_dots"), GROUPS,
                   lcl_arg_long(d.n), lcl_arg_int(plain),
                   lcl_arg_buffer(D.vector[R]), lcl_arg_buffer(D.vector[U]),
                   lcl_arg_buffer(D.vector[W]), lcl_arg_buffer(D.next)),
        LCL_OK);
    test_recurrence_download(&D, &d);
    expect_dots(&d, lcl_ref_cg_pipelined_dots(&ref));
    test_recurrence_settle(&d, &expected);
}

static void test_cg_pipelined_dots__are_those_of_r_u_and_w(void **state)
{
    expect_first_dots(*state, false);
    expect_first_dots(*state, true);
}

// ------------------------------------------------------------------ update

static void note(struct test_recurrence *d, int it, double ru, double alpha,
                 double rr, int reason)
{
    d->state[CG_PIPELINED_GAMMA + it % 2] = ru;
    d->state[CG_PIPELINED_ALPHA + it % 2] = alpha;
    d->state[KRYLOV_STEPS] = it;
    d->state[KRYLOV_RING + it % 256] = rr;
    d->stop[it % 2] = reason;
    if (reason)
        d->state[KRYLOV_REASON] = reason;
}

// Without preconditioner the vectors m, q and u are not touched.
static void update(struct test_recurrence *d, double beta, double alpha,
                   double step, bool plain)
{
    static const int same[][2] = {{M, W}, {Q, S}, {U, R}};
    const size_t bytes = (size_t)d->n * sizeof(double);
    struct test_recurrence full = test_recurrence_copy(d);
    struct lcl_ref_pipelined ref = vectors_of(&full, false);
    for (int k = 0; plain && k < 3; ++k)
        memcpy(full.vector[same[k][0]], full.vector[same[k][1]], bytes);
    lcl_ref_cg_pipelined_update(&ref, beta, alpha, step);
    for (int v = 0; v < TEST_RECURRENCE_VECTORS; ++v)
        if (!plain || (v != M && v != Q && v != U))
            memcpy(d->vector[v], full.vector[v], bytes);
    test_recurrence_finish(&full);
}

static void expect_step(lcl_context *ctx, int it, bool plain)
{
    const double ru = 3, wu = 40, rr = 2;
    struct test_recurrence d = test_recurrence_make();
    set_sums(&d, ru, wu, rr);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const double old_alpha =
        it ? d.state[CG_PIPELINED_ALPHA + (it + 1) % 2] : 1;
    const double beta =
        it ? ru / d.state[CG_PIPELINED_GAMMA + (it + 1) % 2] : 0;
    const double alpha = ru / (wu - beta * ru / old_alpha);
    update(&expected, beta, alpha, old_alpha, plain);
    note(&expected, it, ru, alpha, rr, 0);
    const struct lcl_ref_pipelined ref = vectors_of(&expected, plain);
    run(ctx, &d, it, GROUPS, plain);
    expect_dots(&d, lcl_ref_cg_pipelined_dots(&ref));
    test_recurrence_settle(&d, &expected);
}

static void test_cg_pipelined__update_is_the_reference_s(void **state)
{
    expect_step(*state, 0, false);
    expect_step(*state, 3, false);
    expect_step(*state, 258, false);
    expect_step(*state, 0, true);
    expect_step(*state, 4, true);
}

// One sum per row, as after a reduction over ranks.
static void test_cg_pipelined__takes_rows_of_one_sum(void **state)
{
    struct test_recurrence d = test_recurrence_make();
    set_sums(&d, 3, 40, 2);
    struct test_recurrence packed = test_recurrence_copy(&d);
    const double all[] = {3, 40, 2};
    memcpy(packed.sums, all, sizeof all);
    run(*state, &d, 5, GROUPS, false);
    run(*state, &packed, 5, 1, false);
    test_recurrence_settle(&packed, &d);
}

// ------------------------------------------------------------------ stops

// If the residual is finite, the kernel has done the step that led to it. What
// is not finite cannot be compared.
static void expect_stops(lcl_context *ctx, int it, const double sums[3],
                         int reason)
{
    struct test_recurrence d = test_recurrence_make();
    set_sums(&d, sums[0], sums[1], sums[2]);
    struct test_recurrence expected = test_recurrence_copy(&d);
    const double step = it ? d.state[CG_PIPELINED_ALPHA + (it + 1) % 2] : 1;
    for (int64_t i = 0; isfinite(sums[2]) && i < d.n; ++i)
        expected.vector[X][i] += step * d.vector[P][i];
    run(ctx, &d, it, GROUPS, false);
    assert_true(isnan(d.sums[0]) && isnan(d.sums[3 * GROUPS - 1]));
    note(&expected, it, d.state[CG_PIPELINED_GAMMA + it % 2],
         d.state[CG_PIPELINED_ALPHA + it % 2], d.state[KRYLOV_RING + it],
         reason);
    double *const words[] = {&d.state[CG_PIPELINED_GAMMA + it % 2],
                             &d.state[CG_PIPELINED_ALPHA + it % 2],
                             &d.state[KRYLOV_RING + it]};
    double *const copies[] = {&expected.state[CG_PIPELINED_GAMMA + it % 2],
                              &expected.state[CG_PIPELINED_ALPHA + it % 2],
                              &expected.state[KRYLOV_RING + it]};
    for (int w = 0; w < 3; ++w)
        if (!isfinite(*words[w]))
            *words[w] = *copies[w] = 0;
    test_recurrence_settle(&d, &expected);
}

static void test_cg_pipelined__reasons_to_stop_are_told_apart(void **state)
{
    static const struct {
        double sums[3]; // <r, u>, <w, u>, <r, r>
        int reason;
    } cases[] = {
        {{1, 9, 1e-3}, KRYLOV_CONVERGED},
        {{-1, 9, 1e-4}, KRYLOV_CONVERGED},
        {{0, 9, 1}, KRYLOV_INDEFINITE_M},
        {{NAN, 9, 1}, KRYLOV_NOT_FINITE},
        {{1, 9, INFINITY}, KRYLOV_NOT_FINITE},
        {{1, NAN, 1}, KRYLOV_NOT_FINITE},
        {{1, 0, 1}, KRYLOV_INDEFINITE_A},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
        for (int it = 0; it <= 3; it += 3)
            expect_stops(*state, it, cases[c].sums, cases[c].reason);
    const double sign[] = {-1e-9, 9, 1}, curvature[] = {1, -9, 1};
    expect_stops(*state, 3, sign, KRYLOV_INDEFINITE_M);
    expect_stops(*state, 3, curvature, KRYLOV_INDEFINITE_A);
}

static void test_cg_pipelined__hands_on_why_the_iteration_ended(void **state)
{
    for (int it = 1; it <= 2; ++it) {
        struct test_recurrence d = test_recurrence_make();
        d.stop[(it + 1) % 2] = KRYLOV_INDEFINITE_A;
        struct test_recurrence expected = test_recurrence_copy(&d);
        expected.stop[it % 2] = KRYLOV_INDEFINITE_A;
        run(*state, &d, it, GROUPS, false);
        test_recurrence_settle(&d, &expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg_pipelined_dots__are_those_of_r_u_and_w),
        cmocka_unit_test(test_cg_pipelined__update_is_the_reference_s),
        cmocka_unit_test(test_cg_pipelined__takes_rows_of_one_sum),
        cmocka_unit_test(test_cg_pipelined__reasons_to_stop_are_told_apart),
        cmocka_unit_test(test_cg_pipelined__hands_on_why_the_iteration_ended),
    };
    return test_device_run(tests);
}
