// SPDX-License-Identifier: BSD-3-Clause
// Contexts, preconditioners and solvers on the caller's own OpenCL objects.
#include "host/clock.h"
#include "host/context.h"
#include "lib/spmv/autotune.h"
#include "tests/support/capture.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/own_cl.h"
#include "tests/support/preconds.h"
#include "tests/support/products.h"
#include "tests/support/test.h"

#include <levelcl/opencl.h>
#include <levelcl/published.h>

#include <string.h>

enum { BYTES = TEST_JOB_ROWS * sizeof(double) };

// Of each test, on the context of test_own.
static lcl_precond *M;
static lcl_solver *S;

// Reference counts of context and queue, combined in one number.
static cl_uint references(void)
{
    cl_uint context = 0, queue = 0;
    clGetContextInfo(test_own.context, CL_CONTEXT_REFERENCE_COUNT,
                     sizeof context, &context, NULL);
    clGetCommandQueueInfo(test_own.queue, CL_QUEUE_REFERENCE_COUNT,
                          sizeof queue, &queue, NULL);
    return 1000 * context + queue;
}

static cl_uint buffer_references(cl_mem mem)
{
    cl_uint count = 0;
    clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

// PoCL releases the objects of a command shortly after it finishes, and a queue
// with the last buffer that used it.
static void wait_for_driver(cl_uint expected)
{
    const double end = lcl_now() + 5;
    while (references() != expected && lcl_now() < end)
        continue;
}

static int create_with(int block_size, const struct lcl_precond_params *precond)
{
    const struct lcl_operator_params op = {.block_size = block_size};
    test_own_create(NULL);
    assert_int_equal(test_precond_create_from(&M, test_own.ctx,
                                              &test_own.line.A, &op, precond),
                     LCL_OK);
    assert_int_equal(test_solver_create(&S, M, NULL), LCL_OK);
    return 0;
}

static int create(void **state)
{
    (void)state;
    return create_with(
        0, &(struct lcl_precond_params){.partition.rows = TEST_JOB_ROWS / 4});
}

static int create_in_blocks(void **state)
{
    (void)state;
    return create_with(
        3, &(struct lcl_precond_params){.type = LCL_PRECOND_JACOBI});
}

static int destroy(void **state)
{
    (void)state;
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    return test_own_destroy(NULL);
}

static enum lcl_status solve(cl_mem b, cl_mem x, struct lcl_report *report)
{
    const struct lcl_solve_cl whole = {.b = {b, 0}, .x = {x, 0}};
    return lcl_solver_solve_cl(S, &whole, report);
}

static enum lcl_status apply(cl_mem b, cl_mem x)
{
    const struct lcl_array_cl from = {b, 0}, to = {x, 0};
    return lcl_precond_apply_cl(M, &from, &to, NULL);
}

static void read_back(cl_mem mem, double x[TEST_JOB_ROWS])
{
    assert_int_equal(clEnqueueReadBuffer(test_own.queue, mem, CL_TRUE, 0, BYTES,
                                         x, 0, NULL, NULL),
                     CL_SUCCESS);
}

static void test_interop__buffers_give_the_solution_of_host_vectors(
    void **state)
{
    (void)state;
    double host[TEST_JOB_ROWS] = {0}, device[TEST_JOB_ROWS] = {0};
    cl_mem b = test_own_buffer(BYTES, test_own.line.b),
           x = test_own_buffer(BYTES, device);
    assert_int_equal(lcl_solver_solve(S, test_own.line.b, host, NULL), LCL_OK);
    assert_int_equal(solve(b, x, NULL), LCL_OK);
    read_back(x, device);
    test_job_expect_solved(host);
    assert_memory_equal(device, host, sizeof host);
    clReleaseMemObject(b);
    clReleaseMemObject(x);
}

static void test_interop__buffers_give_the_apply_of_host_vectors(void **state)
{
    (void)state;
    double host[TEST_JOB_ROWS], device[TEST_JOB_ROWS];
    cl_mem b = test_own_buffer(BYTES, test_own.line.b),
           x = test_own_buffer(BYTES, NULL);
    assert_int_equal(lcl_precond_apply(M, test_own.line.b, host), LCL_OK);
    assert_int_equal(apply(b, x), LCL_OK);
    read_back(x, device);
    assert_memory_equal(device, host, sizeof host);
    clReleaseMemObject(b);
    clReleaseMemObject(x);
}

static void test_interop__a_zero_right_hand_side_gives_zero(void **state)
{
    (void)state;
    double zero[TEST_JOB_ROWS] = {0}, x[TEST_JOB_ROWS];
    struct lcl_report report;
    cl_mem b = test_own_buffer(BYTES, zero),
           start = test_own_buffer(BYTES, test_own.line.b);
    assert_int_equal(solve(b, start, &report), LCL_OK);
    assert_int_equal(report.stop, LCL_STOP_ZERO_RHS);
    read_back(start, x);
    assert_memory_equal(x, zero, sizeof x);
    clReleaseMemObject(b);
    clReleaseMemObject(start);
}

static void test_interop__small_buffers_are_refused(void **state)
{
    (void)state;
    cl_mem right = test_own_buffer(BYTES, test_own.line.b),
           small = test_own_buffer(8, NULL);
    const struct lcl_array_cl whole = {right, 0}, beyond = {right, 1},
                              before = {right, -1};
    assert_int_equal(solve(right, small, NULL), LCL_EINVAL);
    assert_int_equal(solve(small, right, NULL), LCL_EINVAL);
    assert_int_equal(apply(right, small), LCL_EINVAL);
    assert_int_equal(apply(small, right), LCL_EINVAL);
    assert_int_equal(lcl_precond_apply_cl(M, &whole, &beyond, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_precond_apply_cl(M, &before, &whole, NULL),
                     LCL_EINVAL);
    clReleaseMemObject(right);
    clReleaseMemObject(small);
}

// b and x, n doubles each, from doubles `of_b` and `of_x` of one buffer on; x
// is compared with M^-1 b, and all other doubles stay.
static void expect_apply_within(int of_b, int of_x)
{
    enum { ROOM = 3 * TEST_JOB_ROWS };
    double all[ROOM], host[TEST_JOB_ROWS], got[ROOM];
    for (int i = 0; i < ROOM; ++i)
        all[i] = 1 + i % 5;
    assert_int_equal(lcl_precond_apply(M, all + of_b, host), LCL_OK);
    cl_mem mem = test_own_buffer(sizeof all, all);
    const struct lcl_array_cl b = {mem, of_b}, x = {mem, of_x};
    cl_event done = NULL;
    const struct lcl_events_cl events = {.done = &done};
    assert_int_equal(lcl_precond_apply_cl(M, &b, &x, &events), LCL_OK);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(test_own.queue, mem, CL_TRUE, 0,
                                         sizeof got, got, 0, NULL, NULL),
                     CL_SUCCESS);
    memcpy(all + of_x, host, sizeof host);
    assert_memory_equal(got, all, sizeof got);
    clReleaseEvent(done);
    clReleaseMemObject(mem);
}

static void test_interop__arrays_are_parts_of_buffers(void **state)
{
    (void)state;
    const int n = TEST_JOB_ROWS;
    expect_apply_within(0, n + 1);
    expect_apply_within(n + 3, 1);
    expect_apply_within(2, 2);     // in place
    expect_apply_within(0, n / 2); // overlapping
    expect_apply_within(n / 2, 0);
}

// Expects solve and apply to refuse the two buffers with a message that
// contains `part`.
static void expect_refused(cl_mem b, cl_mem x, const char *part)
{
    test_capture_init(&test_own.capture, LCL_LOG_ERROR);
    assert_int_equal(solve(b, x, NULL), LCL_EINVAL);
    test_capture_expect(&test_own.capture, part);
    test_capture_init(&test_own.capture, LCL_LOG_ERROR);
    assert_int_equal(apply(b, x), LCL_EINVAL);
    test_capture_expect(&test_own.capture, part);
}

static void test_interop__buffers_of_another_context_are_refused(void **state)
{
    (void)state;
    cl_int code, code2;
    cl_context other =
        clCreateContext(NULL, 1, &test_own.device, NULL, NULL, &code);
    cl_mem right = test_own_buffer(BYTES, test_own.line.b);
    cl_mem wrong =
        clCreateBuffer(other, CL_MEM_READ_WRITE, BYTES, NULL, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    expect_refused(right, wrong, "buffer x belongs to another OpenCL context");
    expect_refused(wrong, right, "buffer b belongs to another OpenCL context");
    clReleaseMemObject(right);
    clReleaseMemObject(wrong);
    clReleaseContext(other);
}

static void test_interop__buffers_without_the_access_are_refused(void **state)
{
    (void)state;
    cl_int code, code2;
    cl_mem right = test_own_buffer(BYTES, test_own.line.b);
    cl_mem read_only =
        clCreateBuffer(test_own.context, CL_MEM_READ_ONLY, BYTES, NULL, &code);
    cl_mem write_only = clCreateBuffer(test_own.context, CL_MEM_WRITE_ONLY,
                                       BYTES, NULL, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    expect_refused(right, read_only, "buffer x must be writable, but");
    expect_refused(write_only, right, "buffer b must be readable, but");
    assert_int_equal(apply(right, write_only), LCL_OK);
    assert_int_equal(clFinish(test_own.queue), CL_SUCCESS);
    clReleaseMemObject(right);
    clReleaseMemObject(read_only);
    clReleaseMemObject(write_only);
}

// Expects the creation of a context on the queue to fail with a message that
// contains `part`.
static void expect_queue_refused(cl_context context, cl_command_queue queue,
                                 const char *part)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {
        .no_cache = true, .no_self_test = true, .log = capture.log};
    lcl_context *ctx;
    assert_int_equal(
        lcl_context_create_cl(&ctx, context, test_own.device, queue, &params),
        LCL_EINVAL);
    assert_null(ctx);
    test_capture_expect(&capture, part);
}

static void test_interop__queues_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    cl_int code, code2;
    cl_context other =
        clCreateContext(NULL, 1, &test_own.device, NULL, NULL, &code);
    cl_command_queue unordered =
        clCreateCommandQueue(test_own.context, test_own.device,
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code2);
    assert_int_equal(code, CL_SUCCESS);
    expect_queue_refused(other, test_own.queue,
                         "belongs to another OpenCL context");
    if (code2 == CL_SUCCESS) { // devices may lack it
        expect_queue_refused(test_own.context, unordered, "in-order queue");
        clReleaseCommandQueue(unordered);
    }
    clReleaseContext(other);
}

static void test_interop__destroying_gives_every_reference_back(void **state)
{
    // the driver may still hold references for commands of earlier tests
    assert_int_equal(test_own_close(state), 0);
    assert_int_equal(test_own_open(state), 0);
    const cl_uint before = references();
    cl_mem b = test_own_buffer(BYTES, test_own.line.b),
           x = test_own_buffer(BYTES, test_own.line.b);
    create(state);
    assert_int_equal(solve(b, x, NULL), LCL_OK);
    assert_true(references() > before);
    destroy(state);
    assert_int_equal(buffer_references(b), 1);
    assert_int_equal(buffer_references(x), 1);
    clReleaseMemObject(b);
    clReleaseMemObject(x);
    wait_for_driver(before);
    assert_int_equal(references(), before);
}

static void test_interop__null_objects_are_misuse(void **state)
{
    (void)state;
    lcl_context *ctx;
    assert_misuse(lcl_context_create_cl(&ctx, NULL, test_own.device,
                                        test_own.queue, NULL));
    assert_misuse(lcl_context_create_cl(&ctx, test_own.context, NULL,
                                        test_own.queue, NULL));
    assert_misuse(lcl_context_create_cl(&ctx, test_own.context, test_own.device,
                                        NULL, NULL));
    assert_misuse(lcl_solver_solve_cl(NULL, NULL, NULL));
    assert_misuse(lcl_precond_apply_cl(NULL, NULL, NULL, NULL));
}

// The second queue is synchronised with the caller's.
static void test_interop__a_product_on_two_queues_matches(void **state)
{
    (void)state;
    static const int64_t length[] = {3, 20, 5, 90, 40, 0};
    struct lcl_csr pattern = test_rows_of_lengths(6, 90, length);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    struct test_product p;
    test_own.ctx->caps.queues_overlap = true;
    test_product_init(&p, test_own.ctx, &A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_BINNED, test_own.ctx, &p.D),
                     LCL_OK);
    test_product_expect_all(&p);
    assert_true(test_own.ctx->queue == test_own.queue &&
                test_own.ctx->aux != test_own.queue && test_own.ctx->aux);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_interop__buffers_give_the_solution_of_host_vectors, create,
            destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__buffers_give_the_apply_of_host_vectors, create,
            destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__buffers_give_the_solution_of_host_vectors,
            create_in_blocks, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__buffers_give_the_apply_of_host_vectors,
            create_in_blocks, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__a_zero_right_hand_side_gives_zero, create, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__a_product_on_two_queues_matches, create, destroy),
        cmocka_unit_test_setup_teardown(test_interop__small_buffers_are_refused,
                                        create, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__arrays_are_parts_of_buffers, create, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__buffers_of_another_context_are_refused, create,
            destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__buffers_without_the_access_are_refused, create,
            destroy),
        cmocka_unit_test(test_interop__queues_that_do_not_fit_are_refused),
        cmocka_unit_test(test_interop__destroying_gives_every_reference_back),
        cmocka_unit_test(test_interop__null_objects_are_misuse),
    };
    return cmocka_run_group_tests(tests, test_own_open, test_own_close);
}
