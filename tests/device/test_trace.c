// SPDX-License-Identifier: BSD-3-Clause
// The times of launches by the device's clock.
#include "host/alloc.h"
#include "host/runtime.h"
#include "host/trace.h"
#include "tests/support/job.h"
#include "tests/support/preconds.h"
#include "tests/support/test.h"

#include <string.h>

static lcl_context *ctx;

static int setup(void **state)
{
    (void)state;
    test_need_device();
    return lcl_runtime_create(&ctx, NULL, &lcl_cl_loader) < 0;
}

static int teardown(void **state)
{
    (void)state;
    lcl_context_destroy(&ctx);
    return 0;
}

// A product under label 3 between two without a label.
static void multiply(lcl_operator *A)
{
    double x[TEST_JOB_ROWS] = {1}, y[TEST_JOB_ROWS];
    assert_int_equal(lcl_operator_apply(A, x, y), LCL_OK);
    assert_int_equal(lcl_trace_label(ctx, 3), 0);
    assert_int_equal(lcl_operator_apply(A, x, y), LCL_OK);
    assert_int_equal(lcl_trace_label(ctx, 0), 3);
    assert_int_equal(lcl_operator_apply(A, x, y), LCL_OK);
}

static void expect_spans(const struct lcl_span *spans, size_t count)
{
    size_t labelled = 0;
    assert_true(count >= 3);
    for (size_t k = 0; k < count; ++k) {
        assert_true(spans[k].label == 0 || spans[k].label == 3);
        assert_true(spans[k].end >= spans[k].start);
        assert_true(k == 0 || spans[k].start >= spans[k - 1].end);
        assert_true(strlen(spans[k].kernel) > 0);
        labelled += spans[k].label == 3;
    }
    assert_true(spans[0].start == 0);
    assert_int_equal(3 * labelled, count);
}

static void test_trace__launches_have_times_and_labels(void **state)
{
    (void)state;
    static struct test_line line;
    lcl_operator *A;
    struct lcl_span *spans;
    size_t count;
    double x[TEST_JOB_ROWS] = {1}, y[TEST_JOB_ROWS];
    test_line_init(&line);
    assert_int_equal(lcl_operator_create(&A, ctx, &line.A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_apply(A, x, y), LCL_OK); // compiles
    assert_int_equal(lcl_trace_begin(ctx), LCL_OK);
    multiply(A);
    assert_int_equal(lcl_trace_end(ctx, &spans, &count), LCL_OK);
    expect_spans(spans, count);
    lcl_free(spans);
    lcl_operator_destroy(&A);
}

static void test_trace__without_a_trace_nothing_is_kept(void **state)
{
    (void)state;
    struct lcl_span *spans;
    size_t count = 7;
    assert_int_equal(lcl_trace_label(ctx, 5), 0);
    assert_int_equal(lcl_trace_end(ctx, &spans, &count), LCL_OK);
    assert_true(!spans && count == 0);
}

static void test_trace__one_at_a_time(void **state)
{
    (void)state;
    struct lcl_span *spans;
    size_t count;
    assert_int_equal(lcl_trace_begin(ctx), LCL_OK);
    assert_true(lcl_trace_begin(ctx) < 0);
    assert_int_equal(lcl_trace_end(ctx, &spans, &count), LCL_OK);
    assert_int_equal(count, 0);
    lcl_free(spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace__launches_have_times_and_labels),
        cmocka_unit_test(test_trace__without_a_trace_nothing_is_kept),
        cmocka_unit_test(test_trace__one_at_a_time),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
