// SPDX-License-Identifier: BSD-3-Clause
// Offsets, columns and events of calls on OpenCL buffers, and solves that do
// not block.
#include "host/background.h"
#include "host/context.h"
#include "host/interop.h"
#include "host/runtime.h"
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include <levelcl/batch.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3, GAP = 5, BEFORE = 7 };

// A system, and columns of it behind BEFORE doubles of a buffer.
struct system {
    lcl_context *ctx;
    struct lcl_csr A;
    int64_t n, ldb, ldx, of_b, of_x;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    double *b, *x, *start;
    lcl_buffer *on_device[2];
    struct lcl_solve_cl solve;
    struct lcl_report report[COLUMNS];
    cl_event done;
};

static void upload_columns(struct system *t)
{
    t->of_b = BEFORE + COLUMNS * t->ldb;
    t->of_x = 2 * BEFORE + COLUMNS * t->ldx;
    t->b = test_random_vector(t->of_b, 5);
    t->start = test_random_vector(t->of_x, 6);
    t->x = test_vector(t->of_x);
    for (int k = 0; k < BEFORE; ++k)
        t->b[k] = NAN;
    t->on_device[0] = test_upload(t->ctx, t->b, t->of_b, sizeof(double));
    t->on_device[1] = test_upload(t->ctx, t->start, t->of_x, sizeof(double));
    t->solve = (struct lcl_solve_cl){
        .b = {lcl_buffer_mem(t->on_device[0]), BEFORE},
        .x = {lcl_buffer_mem(t->on_device[1]), 2 * BEFORE},
        .ldb = t->ldb,
        .ldx = t->ldx,
        .count = COLUMNS,
    };
}

static void open_system(struct system *t, lcl_context *ctx,
                        enum lcl_precond_type type,
                        const struct lcl_solver_params *params)
{
    const struct lcl_precond_params precond = {.type = type,
                                               .partition.rows = 64};
    *t = (struct system){.ctx = ctx, .A = test_laplacian(9, 8, 7)};
    t->n = t->A.rows;
    t->ldb = t->n + GAP;
    t->ldx = t->n + 2 * GAP;
    upload_columns(t);
    assert_int_equal(lcl_operator_create(&t->op, ctx, &t->A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&t->M, t->op, &precond), LCL_OK);
    assert_int_equal(lcl_solver_create(&t->S, t->op, t->M, params), LCL_OK);
}

static void close_system(struct system *t)
{
    lcl_solver_destroy(&t->S);
    lcl_precond_destroy(&t->M);
    lcl_operator_destroy(&t->op);
    lcl_buffer_destroy(&t->on_device[0]);
    lcl_buffer_destroy(&t->on_device[1]);
    test_csr_finish(&t->A);
    free(t->b);
    free(t->x);
    free(t->start);
}

static cl_int status_of(cl_event event)
{
    cl_int status = 1;
    assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                    sizeof status, &status, NULL),
                     CL_SUCCESS);
    return status;
}

// Waits for t->done and returns its status. The query of the context makes
// visible to ThreadSanitizer that the other thread is done, which the event,
// whose implementation it does not see, tells.
static cl_int await(struct system *t)
{
    (void)clWaitForEvents(1, &t->done);
    assert_int_equal(lcl_context_expect_free(t->ctx, "test"), LCL_OK);
    const cl_int status = status_of(t->done);
    clReleaseEvent(t->done);
    t->done = NULL;
    return status;
}

static enum lcl_status enqueue(struct system *t)
{
    t->solve.events.done = &t->done;
    return lcl_solver_enqueue_cl(t->S, &t->solve, t->report);
}

static cl_event user_event(cl_context context)
{
    cl_int code;
    cl_event event = clCreateUserEvent(context, &code);
    assert_int_equal(code, CL_SUCCESS);
    return event;
}

// NVIDIA's driver crashes where a user event ends without a status.
static void finish_user_event(cl_event *event)
{
    assert_int_equal(clSetUserEventStatus(*event, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(*event);
    *event = NULL;
}

// ------------------------------------------------------------------- columns

// Column j has the bits and the report of a solve on the host, from a system of
// its own.
static void expect_column(const struct system *t, struct system *host, int j)
{
    const struct lcl_report *many = &t->report[j];
    struct lcl_report report;
    double *one = host->start + 2 * BEFORE + j * t->ldx;
    assert_int_equal(
        lcl_solver_solve(host->S, t->b + BEFORE + j * t->ldb, one, &report),
        LCL_OK);
    test_expect_same("x", t->x + 2 * BEFORE + j * t->ldx, one, t->n);
    assert_int_equal(many->stop, report.stop);
    assert_int_equal(many->iterations, report.iterations);
    assert_int_equal(many->history_count, report.history_count);
    test_expect_same("history", many->history, report.history,
                     report.history_count);
}

static void expect_gaps(const struct system *t)
{
    test_expect_same("before", t->x, t->start, 2 * BEFORE);
    for (int j = 0; j < t->solve.count; ++j) {
        const int64_t end = 2 * BEFORE + j * t->ldx + t->n;
        test_expect_same("gap", t->x + end, t->start + end, t->ldx - t->n);
    }
}

static void expect_columns(struct system *t, enum lcl_precond_type type)
{
    struct system host;
    open_system(&host, t->ctx, type, NULL);
    test_download(t->on_device[1], t->x, t->of_x, sizeof *t->x);
    expect_gaps(t);
    for (int j = 0; j < t->solve.count; ++j)
        expect_column(t, &host, j);
    close_system(&host);
}

static void solve_columns(lcl_context *ctx, enum lcl_precond_type type,
                          int count, bool blocks)
{
    struct system t;
    open_system(&t, ctx, type, NULL);
    t.solve.count = count;
    if (count == 1)
        t.solve.ldb = t.solve.ldx = 0; // not used
    if (blocks) {
        assert_int_equal(lcl_solver_solve_cl(t.S, &t.solve, t.report), LCL_OK);
    } else {
        assert_int_equal(enqueue(&t), LCL_OK);
        assert_int_equal(await(&t), CL_COMPLETE);
    }
    expect_columns(&t, type);
    close_system(&t);
}

// ILDU(0) on subdomains renumbers the operator, Jacobi does not.
static void test_enqueue__columns_are_those_of_the_host(void **state)
{
    for (int count = 1; count <= COLUMNS; count += COLUMNS - 1)
        for (int blocks = 0; blocks < 2; ++blocks) {
            solve_columns(*state, LCL_PRECOND_ILDU0, count, blocks);
            solve_columns(*state, LCL_PRECOND_JACOBI, count, blocks);
        }
}

static void test_enqueue__values_may_begin_anywhere(void **state)
{
    struct system t;
    lcl_context *ctx = *state;
    open_system(&t, ctx, LCL_PRECOND_JACOBI, NULL);
    const int64_t nnz = t.A.nnz;
    double *val = test_random_vector(BEFORE + nnz, 8);
    double *got = test_vector(t.n), *expected = test_vector(t.n);
    for (int k = 0; k < BEFORE; ++k)
        val[k] = NAN;
    lcl_buffer *buffer = test_upload(ctx, val, BEFORE + nnz, sizeof *val);
    struct lcl_array_cl array = {lcl_buffer_mem(buffer), BEFORE};
    cl_event done = NULL;
    const struct lcl_events_cl events = {.done = &done};
    assert_int_equal(lcl_operator_update_cl(t.op, &array, &events), LCL_OK);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    assert_int_equal(lcl_operator_apply(t.op, t.start, got), LCL_OK);
    memcpy(t.A.val, val + BEFORE, (size_t)nnz * sizeof *val);
    lcl_csr_multiply(&t.A, t.start, expected);
    test_expect_near("y", got, expected, t.n, 1e-13);
    const int64_t wrong[] = {-1, BEFORE - 1, BEFORE + nnz, INT64_MAX,
                             INT64_MIN};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        array.offset = wrong[k];
        const enum lcl_status st =
            lcl_operator_update_cl(t.op, &array, &events);
        assert_int_equal(st, k == 1 ? LCL_EFORMAT : LCL_EINVAL);
        assert_null(done);
    }
    lcl_buffer_destroy(&buffer);
    free(val);
    free(got);
    free(expected);
    close_system(&t);
}

// ------------------------------------------------------------------- gates

// A monitor that waits until the test opens it.
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool reached, open, goes_on;
};

static void gate_init(struct gate *g)
{
    *g = (struct gate){.goes_on = true};
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->change, NULL);
}

static void gate_finish(struct gate *g)
{
    pthread_cond_destroy(&g->change);
    pthread_mutex_destroy(&g->lock);
}

static bool wait_at_gate(void *user, const struct lcl_progress_info *info)
{
    struct gate *g = user;
    (void)info;
    pthread_mutex_lock(&g->lock);
    g->reached = true;
    pthread_cond_broadcast(&g->change);
    while (!g->open)
        pthread_cond_wait(&g->change, &g->lock);
    const bool goes_on = g->goes_on;
    pthread_mutex_unlock(&g->lock);
    return goes_on;
}

static void await_monitor(struct gate *g)
{
    pthread_mutex_lock(&g->lock);
    while (!g->reached)
        pthread_cond_wait(&g->change, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void open_gate(struct gate *g, bool goes_on)
{
    pthread_mutex_lock(&g->lock);
    g->open = true;
    g->goes_on = goes_on;
    pthread_cond_broadcast(&g->change);
    pthread_mutex_unlock(&g->lock);
}

static void open_gated(struct system *t, struct gate *g, lcl_context *ctx)
{
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_CG, .monitor = wait_at_gate, .monitor_user = g};
    gate_init(g);
    open_system(t, ctx, LCL_PRECOND_JACOBI, &params);
    t->solve.count = 1;
}

// The monitor holds the solve: without another thread the call would not
// return.
static void test_enqueue__the_call_returns_before_the_solve(void **state)
{
    struct system t;
    struct gate g;
    open_gated(&t, &g, *state);
    assert_int_equal(enqueue(&t), LCL_OK);
    await_monitor(&g);
    assert_true(status_of(t.done) > CL_COMPLETE);
    open_gate(&g, true);
    assert_int_equal(await(&t), CL_COMPLETE);
    assert_int_equal(t.report[0].stop, LCL_STOP_RTOL);
    assert_true(t.report[0].true_residual <= 1e-8);
    close_system(&t);
    gate_finish(&g);
}

static enum lcl_status copy(void *user, const double *x, double *y)
{
    memcpy(y, x, *(const size_t *)user);
    return LCL_OK;
}

// What needs the context returns LCL_EBUSY.
static void expect_busy(struct system *t)
{
    cl_event none;
    struct lcl_solve_cl again = t->solve;
    const struct lcl_array_cl val = {lcl_buffer_mem(t->on_device[1]), 0};
    const struct lcl_array_cl *b = &t->solve.b, *x = &t->solve.x;
    size_t bytes = 8;
    const int64_t ptr[] = {0, 1};
    struct lcl_link link;
    int32_t part[1], level[1];
    double one = 1;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    again.events.done = &none;
    const enum lcl_status got[] = {
        lcl_solver_enqueue_cl(t->S, &again, NULL),
        lcl_solver_solve_cl(t->S, &again, NULL),
        lcl_solver_solve(t->S, t->b + BEFORE, t->x, NULL),
        lcl_solver_solve_many(t->S, t->b + BEFORE, t->n, t->x, t->n, 1, NULL),
        lcl_solver_set_tolerance(t->S, 1e-3, 0, 0),
        lcl_solver_create(&S, t->op, t->M, NULL),
        lcl_operator_create(&op, t->ctx, &t->A, NULL),
        lcl_operator_create_callback(&op, t->ctx, 1, 1, copy, &bytes),
        lcl_operator_update(t->op, t->A.val),
        lcl_operator_update_cl(t->op, &val, NULL),
        lcl_operator_set_nullspace(t->op, NULL),
        lcl_operator_set_near_nullspace(t->op, NULL),
        lcl_operator_multiply(&op, t->op, t->op),
        lcl_operator_apply(t->op, t->start, t->x),
        lcl_operator_apply_many(t->op, t->start, t->n, t->x, t->n, 1),
        lcl_operator_apply_cl(t->op, b, x, NULL),
        lcl_precond_create(&M, t->op, NULL),
        lcl_precond_create_callback(&M, t->op, copy, &bytes),
        lcl_precond_update(t->M),
        lcl_precond_apply(t->M, t->start, t->x),
        lcl_precond_apply_cl(t->M, b, x, NULL),
        lcl_precond_locate(t->M, part, level),
        lcl_batch_invert(t->ctx, &one, &one, ptr, 1, NULL, NULL),
        lcl_context_copy_bandwidth(t->ctx, &one),
        lcl_context_link(t->ctx, t->ctx, &link),
        lcl_self_test(t->ctx),
    };
    for (size_t k = 0; k < sizeof got / sizeof *got; ++k)
        if (got[k] != LCL_EBUSY)
            fail_msg("call %zu: %s", k, lcl_status_name(got[k]));
    assert_null(none);
    assert_null(S);
    assert_null(op);
    assert_null(M);
}

static void test_enqueue__other_calls_find_the_context_busy(void **state)
{
    struct system t;
    struct gate g;
    open_gated(&t, &g, *state);
    assert_int_equal(enqueue(&t), LCL_OK);
    await_monitor(&g);
    const struct lcl_log before = t.ctx->cl.log;
    t.ctx->cl.log.level = LCL_LOG_NONE; // many refusals
    expect_busy(&t);
    t.ctx->cl.log = before;
    open_gate(&g, true);
    assert_int_equal(await(&t), CL_COMPLETE);
    assert_int_equal(t.report[0].stop, LCL_STOP_RTOL);
    assert_int_equal(lcl_precond_update(t.M), LCL_OK);
    t.solve.count = COLUMNS;
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), CL_COMPLETE);
    close_system(&t);
    gate_finish(&g);
}

static void *open_later(void *arg)
{
    struct gate *g = arg;
    await_monitor(g);
    open_gate(g, true);
    return NULL;
}

// `wait` waits for the end of a solve that runs.
static void expect_wait(lcl_context *ctx, void (*wait)(struct system *t))
{
    struct system t;
    struct gate g;
    pthread_t thread;
    open_gated(&t, &g, ctx);
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(pthread_create(&thread, NULL, open_later, &g), 0);
    wait(&t);
    assert_int_equal(status_of(t.done), CL_COMPLETE);
    assert_int_equal(t.report[0].stop, LCL_STOP_RTOL);
    clReleaseEvent(t.done);
    pthread_join(thread, NULL);
    close_system(&t);
    gate_finish(&g);
}

static void destroy_solver(struct system *t)
{
    lcl_solver_destroy(&t->S);
}

static void test_enqueue__destroying_waits_for_the_solve(void **state)
{
    expect_wait(*state, destroy_solver);
}

static void trim_context(struct system *t)
{
    lcl_context_trim(t->ctx);
}

static void test_enqueue__trimming_waits_for_the_solve(void **state)
{
    expect_wait(*state, trim_context);
}

static void test_enqueue__a_solve_can_be_cancelled(void **state)
{
    struct system t;
    struct gate g;
    open_gated(&t, &g, *state);
    assert_int_equal(enqueue(&t), LCL_OK);
    await_monitor(&g);
    lcl_solver_cancel(t.S);
    open_gate(&g, true);
    assert_int_equal(await(&t), CL_COMPLETE);
    assert_int_equal(t.report[0].stop, LCL_STOP_CANCELLED);
    close_system(&t);
    gate_finish(&g);
}

static void test_enqueue__a_monitor_ends_all_columns(void **state)
{
    struct system t;
    struct gate g;
    open_gated(&t, &g, *state);
    t.solve.count = COLUMNS;
    assert_int_equal(enqueue(&t), LCL_OK);
    open_gate(&g, false);
    assert_int_equal(await(&t), CL_COMPLETE);
    assert_int_equal(t.report[0].stop, LCL_STOP_MONITOR);
    for (int j = 1; j < COLUMNS; ++j)
        assert_int_equal(t.report[j].stop, LCL_STOP_NONE);
    test_download(t.on_device[1], t.x, t.of_x, sizeof *t.x);
    const int64_t rest = 2 * BEFORE + t.ldx;
    test_expect_same("x", t.x + rest, t.start + rest, t.of_x - rest);
    close_system(&t);
    gate_finish(&g);
}

static void test_enqueue__solves_follow_each_other_at_once(void **state)
{
    enum { TIMES = 30 };
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    struct system t;
    open_system(&t, *state, LCL_PRECOND_JACOBI, &params);
    for (int k = 0; k < TIMES; ++k) {
        assert_int_equal(enqueue(&t), LCL_OK);
        assert_int_equal(await(&t), CL_COMPLETE);
        assert_int_equal(t.report[COLUMNS - 1].stop, LCL_STOP_RTOL);
    }
    close_system(&t);
}

// As on a GPU, whose thread sleeps instead of spinning.
static void test_enqueue__the_thread_may_rest(void **state)
{
    struct system t;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    const enum lcl_device_type type = t.ctx->caps.type;
    t.ctx->caps.type = LCL_DEVICE_GPU;
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), CL_COMPLETE);
    t.ctx->caps.type = type;
    expect_columns(&t, LCL_PRECOND_JACOBI);
    close_system(&t);
}

static void test_enqueue__a_failed_solve_tells_by_its_report(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG,
                                             .max_iters = 2};
    struct system t;
    open_system(&t, *state, LCL_PRECOND_JACOBI, &params);
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), CL_COMPLETE);
    for (int j = 0; j < COLUMNS; ++j)
        assert_int_equal(t.report[j].stop, LCL_STOP_MAX_ITERS);
    close_system(&t);
}

// A callback may use the context on the library's thread.
static enum lcl_status multiply(void *user, const double *x, double *y)
{
    return lcl_operator_apply(user, x, y);
}

static void test_enqueue__callbacks_use_the_context(void **state)
{
    struct system t;
    lcl_operator *op;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    lcl_solver_destroy(&t.S);
    assert_int_equal(
        lcl_operator_create_callback(&op, t.ctx, t.n, t.n, multiply, t.op),
        LCL_OK);
    assert_int_equal(lcl_solver_create(&t.S, op, t.M, NULL), LCL_OK);
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), CL_COMPLETE);
    for (int j = 0; j < COLUMNS; ++j)
        assert_int_equal(t.report[j].stop, LCL_STOP_RTOL);
    lcl_solver_destroy(&t.S);
    lcl_operator_destroy(&op);
    close_system(&t);
}

// ------------------------------------------------------------------- events

// The right-hand side is written by another queue before the wait list allows
// the solve; the caller's event is released at once.
static void test_enqueue__a_solve_waits_for_another_queue(void **state)
{
    struct system t;
    cl_int code;
    cl_event written, gate;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    cl_command_queue other =
        clCreateCommandQueue(t.ctx->context, t.ctx->device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    gate = user_event(t.ctx->context);
    for (int64_t i = BEFORE; i < t.of_b; ++i)
        t.b[i] = 1 + (double)(i % 3);
    assert_int_equal(clEnqueueWriteBuffer(other, t.solve.b.mem, CL_FALSE, 0,
                                          (size_t)t.of_b * sizeof *t.b, t.b, 1,
                                          &gate, &written),
                     CL_SUCCESS);
    assert_int_equal(clFlush(other), CL_SUCCESS);
    t.solve.events = (struct lcl_events_cl){.count = 1, .wait = &written};
    assert_int_equal(enqueue(&t), LCL_OK);
    clReleaseEvent(written);
    assert_true(status_of(t.done) > CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(await(&t), CL_COMPLETE);
    expect_columns(&t, LCL_PRECOND_JACOBI);
    clReleaseEvent(gate);
    clReleaseCommandQueue(other);
    close_system(&t);
}

// Work on another queue may wait for a solve.
static void test_enqueue__done_orders_another_queue(void **state)
{
    struct system t;
    cl_int code;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    cl_command_queue other =
        clCreateCommandQueue(t.ctx->context, t.ctx->device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    t.solve.events.done = &t.done;
    assert_int_equal(lcl_solver_solve_cl(t.S, &t.solve, t.report), LCL_OK);
    assert_int_equal(clEnqueueReadBuffer(other, t.solve.x.mem, CL_TRUE, 0,
                                         (size_t)t.of_x * sizeof *t.x, t.x, 1,
                                         &t.done, NULL),
                     CL_SUCCESS);
    clReleaseEvent(t.done);
    double *got = test_vector(t.of_x);
    memcpy(got, t.x, (size_t)t.of_x * sizeof *t.x);
    expect_columns(&t, LCL_PRECOND_JACOBI);
    test_expect_same("x", got, t.x, t.of_x);
    free(got);
    clReleaseCommandQueue(other);
    close_system(&t);
}

// Work that has failed leaves everything as it was.
static void test_enqueue__failed_events_change_nothing(void **state)
{
    struct system t;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    cl_event failed = user_event(t.ctx->context);
    cl_event done = failed;
    const struct lcl_events_cl events = {1, &failed, &done};
    const struct lcl_array_cl val = {lcl_buffer_mem(t.on_device[1]), 0};
    struct test_capture capture;
    const struct lcl_log before = t.ctx->cl.log;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(clSetUserEventStatus(failed, -5), CL_SUCCESS);
    t.ctx->cl.log = capture.log;
    t.solve.events = events;
    assert_int_equal(lcl_solver_solve_cl(t.S, &t.solve, t.report), LCL_EDEVICE);
    test_capture_expect(&capture, "an event in the wait list has failed");
    assert_null(done);
    assert_int_equal(lcl_operator_update_cl(t.op, &val, &events), LCL_EDEVICE);
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), LCL_EDEVICE);
    assert_int_equal(t.report[0].stop, LCL_STOP_NONE);
    t.ctx->cl.log = before;
    test_download(t.on_device[1], t.x, t.of_x, sizeof *t.x);
    test_expect_same("x", t.x, t.start, t.of_x);
    clReleaseEvent(failed);
    t.solve.events.count = 0;
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), CL_COMPLETE);
    expect_columns(&t, LCL_PRECOND_JACOBI);
    close_system(&t);
}

// An error on the library's thread: b is out of range.
static void test_enqueue__an_error_is_the_status_of_the_event(void **state)
{
    struct system t;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    struct test_capture capture;
    const struct lcl_log before = t.ctx->cl.log;
    test_capture_init(&capture, LCL_LOG_ERROR);
    t.ctx->cl.log = capture.log;
    t.solve.b.offset = 0; // the NaN before the columns
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), LCL_EFORMAT);
    test_capture_expect(&capture, "right-hand side");
    t.ctx->cl.log = before;
    close_system(&t);
}

// ------------------------------------------------------------------- misuse

static void refuse(struct system *t, const struct lcl_solve_cl *wrong,
                   enum lcl_status status, const char *part)
{
    struct test_capture capture;
    const struct lcl_log before = t->ctx->cl.log;
    struct lcl_solve_cl solve = *wrong;
    test_capture_init(&capture, LCL_LOG_ERROR);
    t->ctx->cl.log = capture.log;
    solve.events.done = &t->done;
    assert_int_equal(lcl_solver_solve_cl(t->S, &solve, NULL), status);
    test_capture_expect(&capture, part);
    assert_null(t->done);
    assert_int_equal(lcl_solver_enqueue_cl(t->S, &solve, NULL), status);
    assert_null(t->done);
    t->ctx->cl.log = before;
}

static void refuse_shapes(struct system *t)
{
    const struct lcl_solve_cl right = t->solve;
    struct lcl_solve_cl wrong = right;
    wrong.count = -1;
    refuse(t, &wrong, LCL_EINVAL, "-1 columns");
    wrong.count = COLUMNS + 1;
    refuse(t, &wrong, LCL_EINVAL, "buffer b has ");
    wrong.count = INT32_MAX;
    wrong.ldb = INT64_MAX;
    refuse(t, &wrong, LCL_ERANGE, "2^63 doubles");
    wrong = right;
    wrong.ldx = t->n - 1;
    refuse(t, &wrong, LCL_EINVAL, "leading dimension");
    wrong = right;
    wrong.ldb = INT64_MIN;
    refuse(t, &wrong, LCL_EINVAL, "leading dimension");
    wrong = right;
    wrong.x.offset = -1;
    refuse(t, &wrong, LCL_EINVAL, "buffer x has ");
    wrong.x.offset = INT64_MAX;
    refuse(t, &wrong, LCL_EINVAL, "buffer x has ");
    wrong = right;
    wrong.x = wrong.b;
    wrong.ldx = wrong.ldb;
    refuse(t, &wrong, LCL_EINVAL, "overlap");
    wrong.x.offset = 0;
    refuse(t, &wrong, LCL_EINVAL, "overlap");
}

static void test_enqueue__wrong_shapes_are_refused(void **state)
{
    struct system t;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    refuse_shapes(&t);
    assert_int_equal(enqueue(&t), LCL_OK);
    assert_int_equal(await(&t), CL_COMPLETE);
    expect_columns(&t, LCL_PRECOND_JACOBI);
    close_system(&t);
}

static void test_enqueue__wrong_wait_lists_are_refused(void **state)
{
    struct system t;
    cl_int code;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    cl_context other =
        clCreateContext(NULL, 1, &t.ctx->device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_event wait[] = {user_event(t.ctx->context), user_event(other)};
    struct lcl_solve_cl wrong = t.solve;
    wrong.events = (struct lcl_events_cl){.count = 2, .wait = wait};
    refuse(&t, &wrong, LCL_EINVAL,
           "event 1 of the wait list belongs to "
           "another OpenCL context");
    const struct lcl_array_cl val = {lcl_buffer_mem(t.on_device[1]), 0};
    assert_int_equal(lcl_operator_update_cl(t.op, &val, &wrong.events),
                     LCL_EINVAL);
    finish_user_event(&wait[1]);
    clReleaseContext(other);
    refuse(&t, &wrong, LCL_EINVAL,
           "event 1 of the wait list is not valid: "
           "CL_INVALID_EVENT");
    wrong.events.wait = NULL;
    assert_misuse(lcl_solver_solve_cl(t.S, &wrong, NULL));
    assert_misuse(lcl_operator_update_cl(t.op, &val, &wrong.events));
    finish_user_event(&wait[0]);
    close_system(&t);
}

static void test_enqueue__missing_arguments_are_misuse(void **state)
{
    struct system t;
    open_system(&t, *state, LCL_PRECOND_JACOBI, NULL);
    struct lcl_solve_cl wrong = t.solve;
    assert_misuse(lcl_solver_enqueue_cl(NULL, &wrong, NULL));
    assert_misuse(lcl_solver_enqueue_cl(t.S, NULL, NULL));
    assert_misuse(lcl_solver_enqueue_cl(t.S, &wrong, NULL)); // no `done`
    wrong.b.mem = NULL;
    assert_misuse(lcl_solver_solve_cl(t.S, &wrong, NULL));
    wrong = t.solve;
    wrong.x.mem = NULL;
    assert_misuse(lcl_solver_solve_cl(t.S, &wrong, NULL));
    close_system(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enqueue__columns_are_those_of_the_host),
        cmocka_unit_test(test_enqueue__values_may_begin_anywhere),
        cmocka_unit_test(test_enqueue__the_call_returns_before_the_solve),
        cmocka_unit_test(test_enqueue__other_calls_find_the_context_busy),
        cmocka_unit_test(test_enqueue__destroying_waits_for_the_solve),
        cmocka_unit_test(test_enqueue__trimming_waits_for_the_solve),
        cmocka_unit_test(test_enqueue__a_solve_can_be_cancelled),
        cmocka_unit_test(test_enqueue__a_monitor_ends_all_columns),
        cmocka_unit_test(test_enqueue__solves_follow_each_other_at_once),
        cmocka_unit_test(test_enqueue__the_thread_may_rest),
        cmocka_unit_test(test_enqueue__a_failed_solve_tells_by_its_report),
        cmocka_unit_test(test_enqueue__callbacks_use_the_context),
        cmocka_unit_test(test_enqueue__a_solve_waits_for_another_queue),
        cmocka_unit_test(test_enqueue__done_orders_another_queue),
        cmocka_unit_test(test_enqueue__failed_events_change_nothing),
        cmocka_unit_test(test_enqueue__an_error_is_the_status_of_the_event),
        cmocka_unit_test(test_enqueue__wrong_shapes_are_refused),
        cmocka_unit_test(test_enqueue__wrong_wait_lists_are_refused),
        cmocka_unit_test(test_enqueue__missing_arguments_are_misuse),
    };
    return test_device_run(tests);
}
