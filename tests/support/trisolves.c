// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves of every test system compared with the reference.
#include "tests/support/trisolves.h"

#include "lib/ref/trisolve.h"
#include "tests/support/device.h"

#include <levelcl/published.h>

#include <stdlib.h>

typedef enum lcl_status (*solve_fn)(const struct lcl_trisolve_method *T,
                                    const struct lcl_operands *v);

// The second run uses the state that the first one left in the method.
static void expect_solve(lcl_context *ctx, const struct lcl_trisolve_method *T,
                         solve_fn solve, const double *b,
                         const double *expected, int64_t n, double tolerance)
{
    double *x = test_vector(n);
    lcl_buffer *in = test_upload(ctx, b, n, sizeof *b);
    lcl_buffer *go_on = test_stop_flag(ctx, 0), *stop = test_stop_flag(ctx, 1);
    for (int i = 0; i < 2; ++i) {
        lcl_buffer *out = test_poisoned(ctx, n, sizeof *x);
        struct lcl_operands v = {.x = in, .y = out, .stop = stop};
        assert_int_equal(solve(T, &v), LCL_OK);
        test_untouched(out);
        v.stop = go_on;
        assert_int_equal(solve(T, &v), LCL_OK);
        test_download(out, x, n, sizeof *x);
        test_expect_near("x", x, expected, n, tolerance);
        lcl_buffer_destroy(&out);
    }
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(x);
}

static void solve_reference(const struct test_factors *F, const double *b,
                            double *x)
{
    if (F->system->blocks)
        lcl_ref_trisolve_block(&F->ref_block, b, x);
    else
        lcl_ref_trisolve(&F->ref, b, x);
}

static void expect_nothing_done(lcl_context *ctx, const lcl_buffer *b,
                                int64_t n, const struct lcl_trisolve_method *T)
{
    lcl_buffer *out = test_poisoned(ctx, n, sizeof(double));
    lcl_buffer *stop = test_stop_flag(ctx, 4);
    const struct lcl_operands v = {.x = b, .y = out, .stop = stop};
    assert_int_equal(T->ops->apply(T, &v), LCL_OK);
    test_untouched(out);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&stop);
}

void test_trisolve_apply(lcl_context *ctx, const struct test_factors *F,
                         const struct lcl_trisolve_method *T)
{
    const int64_t n = F->schedule.n * F->device.block;
    double *b = test_random_vector(n, 5), *expected = test_vector(n);
    double *x[2] = {test_vector(n), test_vector(n)};
    lcl_buffer *in = test_upload(ctx, b, n, sizeof *b);
    lcl_buffer *go_on = test_stop_flag(ctx, 0);
    for (int i = 0; i < 2; ++i) {
        lcl_buffer *out = test_poisoned(ctx, n, sizeof(double));
        const struct lcl_operands v = {.x = in, .y = out, .stop = go_on};
        assert_int_equal(T->ops->apply(T, &v), LCL_OK);
        test_download(out, x[i], n, sizeof(double));
        lcl_buffer_destroy(&out);
    }
    solve_reference(F, b, expected);
    test_expect_near("x", x[0], expected, n, 1e-11);
    test_expect_same("x of the second apply", x[1], x[0], n);
    expect_nothing_done(ctx, in, n, T);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&go_on);
    free(b);
    free(expected);
    free(x[0]);
    free(x[1]);
}

// expected = the solution for each of the interleaved columns
static void solve_columns(const struct test_factors *F, int columns,
                          const double *b, double *expected)
{
    const int64_t n = F->schedule.n;
    double *one = test_vector(n), *x = test_vector(n);
    for (int q = 0; q < columns; ++q) {
        for (int64_t i = 0; i < n; ++i)
            one[i] = b[i * columns + q];
        solve_reference(F, one, x);
        for (int64_t i = 0; i < n; ++i)
            expected[i * columns + q] = x[i];
    }
    free(one);
    free(x);
}

// Row q of sums is <b_q, x_q> over each subdomain, row columns + q the sum of
// b_q.
static void expect_sums(const struct test_factors *F, int columns,
                        const double *b, const double *x,
                        const lcl_buffer *sums)
{
    const struct lcl_subdomains *D = &F->system->P;
    const int64_t count = 2 * columns * D->parts;
    double *got = test_vector(count), *expected = test_vector(count);
    test_download(sums, got, count, sizeof *got);
    for (int64_t p = 0; p < D->parts; ++p)
        for (int64_t k = D->part_ptr[p] * columns;
             k < D->part_ptr[p + 1] * columns; ++k) {
            expected[k % columns * D->parts + p] += b[k] * x[k];
            expected[(columns + k % columns) * D->parts + p] += b[k];
        }
    test_expect_near("sums", got, expected, count, 1e-10);
    free(got);
    free(expected);
}

void test_trisolve_columns(lcl_context *ctx, const struct test_factors *F,
                           struct lcl_trisolve_method *T, int columns)
{
    const int64_t n = F->schedule.n * columns;
    double *b = test_random_vector(n, 6), *expected = test_vector(n);
    double *x = test_vector(n);
    lcl_buffer *in = test_upload(ctx, b, n, sizeof *b);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *x);
    lcl_buffer *go_on = test_stop_flag(ctx, 0), *stop = test_stop_flag(ctx, 9);
    lcl_buffer *sums =
        test_poisoned(ctx, 2 * columns * F->device.parts, sizeof *x);
    struct lcl_operands v = {.x = in, .y = out, .sums = sums, .stop = stop};
    lcl_operator W;
    assert_int_equal(lcl_operator_interleave(&W, &T->op, columns), LCL_OK);
    assert_true(lcl_operator_has(&W, LCL_APPLY_DOT));
    assert_int_equal(lcl_apply(&W, LCL_APPLY_DOT, &v), LCL_OK);
    test_untouched(out);
    v.stop = go_on;
    assert_int_equal(lcl_apply(&W, LCL_APPLY, &v), LCL_OK);
    test_untouched(sums);
    test_download(out, x, n, sizeof *x);
    solve_columns(F, columns, b, expected);
    test_expect_near("columns of x", x, expected, n, 1e-11);
    assert_int_equal(W.range.groups, F->device.parts);
    assert_int_equal(lcl_apply(&W, LCL_APPLY_DOT, &v), LCL_OK);
    test_download(out, expected, n, sizeof *x);
    test_expect_same("columns of x with sums", expected, x, n);
    expect_sums(F, columns, b, x, sums);
    lcl_buffer_destroy(&sums);
    lcl_operator_finish(&W);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(b);
    free(expected);
    free(x);
}

static void lower_reference(const struct test_factors *F, bool with_d,
                            const double *b, double *x)
{
    if (F->system->blocks)
        lcl_ref_lower_block(&F->ref_block, with_d, b, x);
    else
        lcl_ref_lower(&F->ref, with_d, b, x);
}

static void expect_solves(lcl_context *ctx, const struct test_factors *F,
                          const struct lcl_trisolve_method *T,
                          const struct test_trisolve *want)
{
    const int64_t n = F->schedule.n * F->device.block;
    const double tolerance = want->tolerance > 0 ? want->tolerance : 1e-11;
    double *b = test_random_vector(n, 8), *expected = test_vector(n);
    solve_reference(F, b, expected);
    expect_solve(ctx, T, T->ops->apply, b, expected, n, tolerance);
    if (T->ops->lower) {
        lower_reference(F, !want->unit_lower, b, expected);
        expect_solve(ctx, T, T->ops->lower, b, expected, n, tolerance);
    }
    free(b);
    free(expected);
}

static void expect_on(lcl_context *ctx, struct test_system *S,
                      const struct test_trisolve *want)
{
    const struct lcl_precond_params params = {.type = want->type};
    const int group = test_group(ctx, want->waves > 0 ? want->waves : 1);
    struct test_factors F;
    struct lcl_trisolve_method T;
    struct lcl_repairs repairs;
    test_factors_init(&F, ctx, S, group, &params);
    const struct lcl_host_factor host = {.schedule = F.schedule,
                                         .row = F.system->P.row};
    assert_int_equal(lcl_trisolve_init(&T, want->name, ctx, &F.device, &host),
                     LCL_OK);
    if (want->regroup)
        want->regroup(&T, ctx, group);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_int_equal(lcl_trisolve_update(&T), LCL_OK);
    expect_solves(ctx, &F, &T, want);
    lcl_trisolve_finish(&T);
    test_factors_finish(&F);
}

bool test_trisolve_supported(lcl_context *ctx, enum lcl_trisolve name)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    if (caps->width == 1 || name == LCL_TRISOLVE_PACKED ||
        name == LCL_TRISOLVE_DAG_VC_ILDU0_FUSED)
        return true;
    if (name == LCL_TRISOLVE_DAG_EC_NO_LDS)
        return caps->int64_atomics || caps->local_add == LCL_ATOMIC_ADD_NV_PTX;
    return caps->local_add != LCL_ATOMIC_ADD_NONE &&
           (name != LCL_TRISOLVE_SPIN_LOOP_LDS ||
            caps->progress != LCL_PROGRESS_NONE);
}

void test_trisolve_expect(lcl_context *ctx, const struct test_trisolve *want)
{
    if (!test_trisolve_supported(ctx, want->name))
        skip();
    const int count = test_system_count();
    const int systems = want->systems > 0 ? want->systems : count;
    if (want->block > 1)
        print_message("blocks of %d\n", want->block);
    for (int i = count - systems; i < count; ++i) {
        struct test_system S;
        test_system_init(&S, i, true);
        if (want->block > 1)
            test_system_expand(&S, want->block);
        expect_on(ctx, &S, want);
        test_system_finish(&S);
    }
}

void test_trisolve_refused(lcl_context *ctx, enum lcl_trisolve name,
                           const struct lcl_caps *caps)
{
    // the context and its capabilities belong to the test
    struct lcl_caps *own = (struct lcl_caps *)lcl_context_caps(ctx);
    const struct lcl_caps kept = *own;
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    struct test_system S;
    struct test_factors F;
    struct lcl_trisolve_method T;
    if (own->width == 1)
        skip();
    test_system_init(&S, 0, true);
    test_factors_init(&F, ctx, &S, test_group(ctx, 1), &params);
    *own = *caps;
    const struct lcl_host_factor host = {.schedule = F.schedule,
                                         .row = F.system->P.row};
    const enum lcl_status st =
        lcl_trisolve_init(&T, name, ctx, &F.device, &host);
    *own = kept;
    lcl_trisolve_finish(&T);
    test_factors_finish(&F);
    test_system_finish(&S);
    assert_int_equal(st, LCL_EUNSUPPORTED);
}
