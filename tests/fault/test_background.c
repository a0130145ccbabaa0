// SPDX-License-Identifier: BSD-3-Clause
// Faults of a solve that does not block: no thread, events that the driver
// refuses, OpenCL calls that fail on either thread.
#include "host/background.h"
#include "host/context.h"
#include "host/interop.h"
#include "host/runtime.h"
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fail_threads.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"

#include <levelcl/opencl.h>

#include <stdlib.h>

static struct {
    struct test_capture capture;
    lcl_context *ctx;
    struct lcl_csr A;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    double *b;
    lcl_buffer *on_device[2];
    struct lcl_solve_cl solve;
    cl_event wait[1], done;
} own;

static void create_solver(void)
{
    const struct lcl_precond_params precond = {.type = LCL_PRECOND_JACOBI};
    const struct lcl_solver_params solver = {.type = LCL_SOLVER_CG};
    own.A = test_laplacian(5, 4, 3);
    own.b = test_random_vector(2 * own.A.rows, 3);
    assert_int_equal(lcl_operator_create(&own.op, own.ctx, &own.A, NULL),
                     LCL_OK);
    assert_int_equal(lcl_precond_create(&own.M, own.op, &precond), LCL_OK);
    assert_int_equal(lcl_solver_create(&own.S, own.op, own.M, &solver), LCL_OK);
    for (int k = 0; k < 2; ++k)
        own.on_device[k] =
            test_upload(own.ctx, own.b, 2 * own.A.rows, sizeof(double));
    own.solve = (struct lcl_solve_cl){
        .b = {lcl_buffer_mem(own.on_device[0]), 0},
        .x = {lcl_buffer_mem(own.on_device[1]), 0},
        .events = {.count = 1, .wait = own.wait, .done = &own.done},
    };
}

static int setup(void **state)
{
    (void)state;
    cl_int code;
    test_need_device();
    test_capture_init(&own.capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {.no_cache = true,
                                              .log = own.capture.log};
    fake_cl = (struct fake_cl){0};
    assert_int_equal(lcl_runtime_create(&own.ctx, &params, &fake_cl_api),
                     LCL_OK);
    create_solver();
    own.wait[0] = clCreateUserEvent(own.ctx->context, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(own.wait[0], CL_COMPLETE),
                     CL_SUCCESS);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fake_cl.fail_at = 0;
    lcl_solver_destroy(&own.S);
    lcl_precond_destroy(&own.M);
    lcl_operator_destroy(&own.op);
    lcl_buffer_destroy(&own.on_device[0]);
    lcl_buffer_destroy(&own.on_device[1]);
    clReleaseEvent(own.wait[0]);
    lcl_context_destroy(&own.ctx);
    test_csr_finish(&own.A);
    free(own.b);
    assert_int_equal(fake_cl.objects, 0);
    return 0;
}

static void fail_call(enum fake_cl_function function, long n)
{
    const long objects = fake_cl.objects;
    fake_cl = (struct fake_cl){.function = function,
                               .fail_at = n,
                               .code = CL_OUT_OF_RESOURCES,
                               .objects = objects};
    own.capture.messages = 0;
}

// The status of a solve that does not block, and its report.
static enum lcl_status run(struct lcl_report *report)
{
    cl_int status;
    enum lcl_status st = lcl_solver_enqueue_cl(own.S, &own.solve, report);
    if (st < 0) {
        assert_null(own.done);
        return st;
    }
    (void)clWaitForEvents(1, &own.done);
    lcl_background_wait(own.ctx); // it releases the event, too
    assert_int_equal(clGetEventInfo(own.done, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                    sizeof status, &status, NULL),
                     CL_SUCCESS);
    fake_cl_api.clReleaseEvent(own.done);
    return (enum lcl_status)status;
}

static void expect_solved(void)
{
    struct lcl_report report;
    fail_call(FAKE_CL_ANY, 0);
    assert_int_equal(run(&report), LCL_OK);
    assert_true(report.stop > 0);
}

static void test_background__without_a_thread_nothing_happens(void **state)
{
    (void)state;
    struct lcl_report report;
    const long objects = fake_cl.objects;
    fail_call(FAKE_CL_ANY, 0);
    lcl_test_threads_left(0);
    assert_int_equal(run(&report), LCL_ENOMEM);
    lcl_test_threads_left(-1);
    test_capture_expect(&own.capture, "a thread");
    assert_int_equal(report.stop, LCL_STOP_NONE);
    assert_int_equal(fake_cl.objects, objects);
    assert_int_equal(fake_cl.calls[FAKE_clCreateUserEvent], 1);
    assert_int_equal(fake_cl.calls[FAKE_clSetUserEventStatus], 1);
    expect_solved();
}

// As for an event that was released before the call, where the driver knows.
static void test_background__events_may_be_invalid(void **state)
{
    (void)state;
    const long objects = fake_cl.objects;
    fail_call(FAKE_clGetEventInfo, 1);
    fake_cl.code = CL_INVALID_EVENT;
    assert_int_equal(run(NULL), LCL_EINVAL);
    test_capture_expect(&own.capture, "event 0 of the wait list is not valid: "
                                      "CL_INVALID_EVENT");
    assert_int_equal(fake_cl.objects, objects);
    expect_solved();
}

static void test_background__any_call_may_fail(void **state)
{
    (void)state;
    long n = 0;
    expect_solved(); // compiles
    do {
        fail_call(FAKE_CL_ANY, ++n);
        const enum lcl_status st = run(NULL);
        if (st > 0 || (st == LCL_OK) != (own.capture.messages == 0))
            fail_msg("call %ld: %s, %d messages", n, lcl_status_name(st),
                     own.capture.messages);
    } while (fake_cl.failed);
    assert_true(n > 20);
    expect_solved();
}

// Two columns keep their histories.
static void test_background__any_allocation_may_fail(void **state)
{
    (void)state;
    long n = 0;
    bool failed;
    own.solve.count = 2;
    own.solve.ldb = own.solve.ldx = own.A.rows;
    do {
        struct lcl_report reports[2];
        fail_call(FAKE_CL_ANY, 0);
        lcl_test_fail_alloc_at(++n);
        const enum lcl_status st = run(reports);
        failed = lcl_test_alloc_failed();
        lcl_test_fail_alloc_at(0);
        if (st != LCL_OK && (st != LCL_ENOMEM || !failed))
            fail_msg("allocation %ld: %s", n, lcl_status_name(st));
    } while (failed);
    assert_true(n > 3);
    own.solve.count = 1;
    expect_solved();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_background__without_a_thread_nothing_happens),
        cmocka_unit_test(test_background__events_may_be_invalid),
        cmocka_unit_test(test_background__any_call_may_fail),
        cmocka_unit_test(test_background__any_allocation_may_fail),
    };
    setenv("LEVELCL_POOL", "0", 1); // each object counts, on GPUs too
    return cmocka_run_group_tests(tests, setup, teardown);
}
