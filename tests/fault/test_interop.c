// SPDX-License-Identifier: BSD-3-Clause
// Contexts, preconditioners and solvers on the caller's own OpenCL objects.
#include "host/cl.h"
#include "host/clock.h"
#include "host/context.h"
#include "lib/matrix/bsr.h"
#include "lib/spmv/autotune.h"
#include "lib/spmv/matrix_operator.h"
#include "tests/support/capture.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/products.h"
#include "tests/support/test.h"

#include <levelcl/opencl.h>
#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = TEST_JOB_ROWS * sizeof(double) };

// The caller's objects, and the levelcl objects made from them.
struct owned {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    lcl_context *ctx;
    lcl_precond *M;
    lcl_solver *S;
    struct test_line line;
};

static struct owned own;

// Reference counts of context and queue, combined in one number.
static cl_uint references(void)
{
    cl_uint context = 0, queue = 0;
    clGetContextInfo(own.context, CL_CONTEXT_REFERENCE_COUNT, sizeof context,
                     &context, NULL);
    clGetCommandQueueInfo(own.queue, CL_QUEUE_REFERENCE_COUNT, sizeof queue,
                          &queue, NULL);
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

static cl_mem make_buffer(size_t bytes, void *data)
{
    cl_int code;
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem = clCreateBuffer(own.context, flags, bytes, data, &code);
    assert_int_equal(code, CL_SUCCESS);
    return mem;
}

static int open_own_objects(void **state)
{
    (void)state;
    cl_platform_id platform;
    cl_int code, code2;
    test_need_device();
    assert_int_equal(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    assert_int_equal(
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &own.device, NULL),
        CL_SUCCESS);
    own.context = clCreateContext(NULL, 1, &own.device, NULL, NULL, &code);
    own.queue = clCreateCommandQueue(own.context, own.device, 0, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    return 0;
}

static int close_own_objects(void **state)
{
    (void)state;
    clReleaseCommandQueue(own.queue);
    clReleaseContext(own.context);
    return 0;
}

static int create_with(int block_size, const struct lcl_precond_params *precond)
{
    const struct lcl_context_params params = {.no_cache = true,
                                              .no_self_test = true};
    const struct lcl_operator_params op = {.block_size = block_size};
    test_line_init(&own.line);
    assert_int_equal(lcl_context_create_cl(&own.ctx, own.context, own.device,
                                           own.queue, &params),
                     LCL_OK);
    assert_int_equal(
        test_precond_create_from(&own.M, own.ctx, &own.line.A, &op, precond),
        LCL_OK);
    assert_int_equal(test_solver_create(&own.S, own.M, NULL), LCL_OK);
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
    lcl_solver_destroy(&own.S);
    test_precond_destroy(&own.M);
    lcl_context_destroy(&own.ctx);
    return 0;
}

static enum lcl_status solve(cl_mem b, cl_mem x, struct lcl_report *report)
{
    const struct lcl_solve_cl whole = {.b = {b, 0}, .x = {x, 0}};
    return lcl_solver_solve_cl(own.S, &whole, report);
}

static enum lcl_status apply(cl_mem b, cl_mem x)
{
    const struct lcl_array_cl from = {b, 0}, to = {x, 0};
    return lcl_precond_apply_cl(own.M, &from, &to, NULL);
}

static enum lcl_status update(lcl_operator *A, cl_mem val)
{
    const struct lcl_array_cl whole = {val, 0};
    return lcl_operator_update_cl(A, &whole, NULL);
}

static void read_back(cl_mem mem, double x[TEST_JOB_ROWS])
{
    assert_int_equal(clEnqueueReadBuffer(own.queue, mem, CL_TRUE, 0, BYTES, x,
                                         0, NULL, NULL),
                     CL_SUCCESS);
}

static void test_interop__buffers_give_the_solution_of_host_vectors(
    void **state)
{
    (void)state;
    double host[TEST_JOB_ROWS] = {0}, device[TEST_JOB_ROWS] = {0};
    cl_mem b = make_buffer(BYTES, own.line.b), x = make_buffer(BYTES, device);
    assert_int_equal(lcl_solver_solve(own.S, own.line.b, host, NULL), LCL_OK);
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
    cl_mem b = make_buffer(BYTES, own.line.b), x = make_buffer(BYTES, NULL);
    assert_int_equal(lcl_precond_apply(own.M, own.line.b, host), LCL_OK);
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
    cl_mem b = make_buffer(BYTES, zero), start = make_buffer(BYTES, own.line.b);
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
    cl_mem right = make_buffer(BYTES, own.line.b), small = make_buffer(8, NULL);
    const struct lcl_array_cl whole = {right, 0}, beyond = {right, 1},
                              before = {right, -1};
    assert_int_equal(solve(right, small, NULL), LCL_EINVAL);
    assert_int_equal(solve(small, right, NULL), LCL_EINVAL);
    assert_int_equal(apply(right, small), LCL_EINVAL);
    assert_int_equal(apply(small, right), LCL_EINVAL);
    assert_int_equal(lcl_precond_apply_cl(own.M, &whole, &beyond, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_precond_apply_cl(own.M, &before, &whole, NULL),
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
    assert_int_equal(lcl_precond_apply(own.M, all + of_b, host), LCL_OK);
    cl_mem mem = make_buffer(sizeof all, all);
    const struct lcl_array_cl b = {mem, of_b}, x = {mem, of_x};
    cl_event done = NULL;
    const struct lcl_events_cl events = {.done = &done};
    assert_int_equal(lcl_precond_apply_cl(own.M, &b, &x, &events), LCL_OK);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(own.queue, mem, CL_TRUE, 0, sizeof got,
                                         got, 0, NULL, NULL),
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
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_log before = own.ctx->cl.log;
    own.ctx->cl.log = capture.log;
    assert_int_equal(solve(b, x, NULL), LCL_EINVAL);
    test_capture_expect(&capture, part);
    assert_int_equal(apply(b, x), LCL_EINVAL);
    test_capture_expect(&capture, part);
    own.ctx->cl.log = before;
}

static void test_interop__buffers_of_another_context_are_refused(void **state)
{
    (void)state;
    cl_int code, code2;
    cl_context other = clCreateContext(NULL, 1, &own.device, NULL, NULL, &code);
    cl_mem right = make_buffer(BYTES, own.line.b);
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
    cl_mem right = make_buffer(BYTES, own.line.b);
    cl_mem read_only =
        clCreateBuffer(own.context, CL_MEM_READ_ONLY, BYTES, NULL, &code);
    cl_mem write_only =
        clCreateBuffer(own.context, CL_MEM_WRITE_ONLY, BYTES, NULL, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    expect_refused(right, read_only, "buffer x must be writable, but");
    expect_refused(write_only, right, "buffer b must be readable, but");
    assert_int_equal(apply(right, write_only), LCL_OK);
    assert_int_equal(clFinish(own.queue), CL_SUCCESS);
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
        lcl_context_create_cl(&ctx, context, own.device, queue, &params),
        LCL_EINVAL);
    assert_null(ctx);
    test_capture_expect(&capture, part);
}

static void test_interop__queues_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    cl_int code, code2;
    cl_context other = clCreateContext(NULL, 1, &own.device, NULL, NULL, &code);
    cl_command_queue unordered =
        clCreateCommandQueue(own.context, own.device,
                             CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code2);
    assert_int_equal(code, CL_SUCCESS);
    expect_queue_refused(other, own.queue, "belongs to another OpenCL context");
    if (code2 == CL_SUCCESS) { // devices may lack it
        expect_queue_refused(own.context, unordered, "in-order queue");
        clReleaseCommandQueue(unordered);
    }
    clReleaseContext(other);
}

static void test_interop__destroying_gives_every_reference_back(void **state)
{
    const cl_uint before = references();
    cl_mem b = make_buffer(BYTES, own.line.b),
           x = make_buffer(BYTES, own.line.b);
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
    assert_misuse(
        lcl_context_create_cl(&ctx, NULL, own.device, own.queue, NULL));
    assert_misuse(
        lcl_context_create_cl(&ctx, own.context, NULL, own.queue, NULL));
    assert_misuse(
        lcl_context_create_cl(&ctx, own.context, own.device, NULL, NULL));
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
    own.ctx->caps.queues_overlap = true;
    test_product_init(&p, own.ctx, &A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_BINNED, own.ctx, &p.D),
                     LCL_OK);
    test_product_expect_all(&p);
    assert_true(own.ctx->queue == own.queue && own.ctx->aux != own.queue &&
                own.ctx->aux);
    test_product_finish(&p);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

// ------------------------------------------------------------------ matrices

// An array behind `before` bytes of a buffer, which is a little larger than
// needed.
static cl_mem make_array_at(size_t before, const void *data, size_t bytes,
                            cl_mem_flags access)
{
    cl_int code;
    const size_t room = before + bytes + 24;
    char *padded = calloc(1, room);
    assert_non_null(padded);
    memcpy(padded + before, data, bytes);
    cl_mem mem = clCreateBuffer(own.context, access | CL_MEM_COPY_HOST_PTR,
                                room, padded, &code);
    assert_int_equal(code, CL_SUCCESS);
    free(padded);
    return mem;
}

static cl_mem make_array(const void *data, size_t bytes, cl_mem_flags access)
{
    return make_array_at(0, data, bytes, access);
}

static struct lcl_array_cl make_entries(int64_t offset, const void *data,
                                        int64_t count, size_t size,
                                        cl_mem_flags access)
{
    return (struct lcl_array_cl){make_array_at((size_t)offset * size, data,
                                               (size_t)count * size, access),
                                 offset};
}

// A matrix in buffers of `access`, in each from entry `offset` on.
static struct lcl_csr_cl make_matrix(const struct lcl_csr *A, int64_t offset,
                                     cl_mem_flags access)
{
    return (struct lcl_csr_cl){
        .rows = A->rows,
        .cols = A->cols,
        .nnz = A->nnz,
        .row_ptr = make_entries(offset, A->row_ptr, A->rows + 1,
                                sizeof *A->row_ptr, access),
        .col_ind = make_entries(offset, A->col_ind, A->nnz, sizeof *A->col_ind,
                                access),
        .val = make_entries(offset, A->val, A->nnz, sizeof *A->val, access),
    };
}

static void release_matrix(const struct lcl_csr_cl *A)
{
    clReleaseMemObject(A->row_ptr.mem);
    clReleaseMemObject(A->col_ind.mem);
    clReleaseMemObject(A->val.mem);
}

// Both hold the same matrix on the device, bit for bit.
static void expect_equal(const lcl_operator *A, const lcl_operator *B)
{
    struct lcl_bsr a, b;
    assert_int_equal(lcl_operator_download(A, &a, true), LCL_OK);
    assert_int_equal(lcl_operator_download(B, &b, true), LCL_OK);
    assert_true(a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz &&
                a.block_size == b.block_size);
    const size_t values =
        (size_t)(a.nnz * a.block_size * a.block_size) * sizeof *a.val;
    assert_memory_equal(a.row_ptr, b.row_ptr,
                        (size_t)(a.rows + 1) * sizeof *a.row_ptr);
    assert_memory_equal(a.col_ind, b.col_ind,
                        (size_t)a.nnz * sizeof *a.col_ind);
    assert_memory_equal(a.val, b.val, values);
    lcl_bsr_finish(&a);
    lcl_bsr_finish(&b);
}

// Gives both operators the values of A, one of them from a buffer.
static void update_both(lcl_operator *from_buffer, lcl_operator *from_host,
                        const struct lcl_csr *A, cl_mem_flags access)
{
    cl_mem val = make_array(A->val, (size_t)A->nnz * sizeof *A->val, access);
    assert_int_equal(update(from_buffer, val), LCL_OK);
    clReleaseMemObject(val);
    assert_int_equal(lcl_operator_update(from_host, A->val), LCL_OK);
    expect_equal(from_buffer, from_host);
}

// The operator of buffers and that of the host's arrays, also after new values.
static void expect_operator_of_buffers(struct lcl_csr *A, int block_size,
                                       int64_t offset, cl_mem_flags access)
{
    const struct lcl_operator_params params = {.block_size = block_size};
    const struct lcl_csr_cl device = make_matrix(A, offset, access);
    lcl_operator *got, *expected;
    assert_int_equal(lcl_operator_create(&expected, own.ctx, A, &params),
                     LCL_OK);
    assert_int_equal(
        lcl_operator_create_cl(&got, own.ctx, &device, &params, NULL), LCL_OK);
    release_matrix(&device);
    assert_int_equal(lcl_operator_info(got)->block_size,
                     lcl_operator_info(expected)->block_size);
    assert_int_equal(lcl_operator_info(got)->nnz, A->nnz);
    expect_equal(got, expected);
    for (int64_t k = 0; k < A->nnz; ++k)
        A->val[k] = 1 + (double)(k % 7);
    assert_int_equal(lcl_operator_update(got, A->val), LCL_OK);
    assert_int_equal(lcl_operator_update(expected, A->val), LCL_OK);
    expect_equal(got, expected);
    for (int64_t k = 0; k < A->nnz; ++k)
        A->val[k] = -1 - (double)(k % 11);
    update_both(got, expected, A, access);
    lcl_operator_destroy(&got);
    lcl_operator_destroy(&expected);
}

static void test_interop__matrices_in_buffers_are_those_of_the_host(
    void **state)
{
    (void)state;
    const cl_mem_flags access[] = {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY,
                                   CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS};
    struct lcl_csr cells = test_random_csr(12, 3, 1);
    for (int a = 0; a < 3; ++a) {
        struct lcl_csr A = test_expand_blocks(&cells, 2);
        expect_operator_of_buffers(&A, 0, a, access[a]);
        expect_operator_of_buffers(&A, 1, a, access[a]);
        expect_operator_of_buffers(&A, 4, a, access[a]);
        test_csr_finish(&A);
    }
    struct lcl_csr wide = test_stretched_csr(24, 36, 2);
    expect_operator_of_buffers(&wide, 0, 0, CL_MEM_READ_WRITE);
    expect_operator_of_buffers(&wide, 6, 0, CL_MEM_READ_WRITE);
    test_csr_finish(&wide);
    test_csr_finish(&cells);
}

static void test_interop__a_matrix_in_buffers_is_solved(void **state)
{
    (void)state;
    const struct lcl_csr_cl A = make_matrix(&own.line.A, 0, CL_MEM_READ_WRITE);
    double x[TEST_JOB_ROWS] = {0};
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(lcl_operator_create_cl(&op, own.ctx, &A, NULL, NULL),
                     LCL_OK);
    release_matrix(&A);
    assert_int_equal(lcl_precond_create(&M, op, NULL), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, op, M, NULL), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, own.line.b, x, NULL), LCL_OK);
    test_job_expect_solved(x);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
}

// A preconditioner on subdomains changes the numbering of its operator.
static void test_interop__values_in_buffers_follow_the_numbering(void **state)
{
    (void)state;
    const struct lcl_precond_params subdomains = {.partition.rows =
                                                      TEST_JOB_ROWS / 4};
    struct lcl_csr *A = &own.line.A;
    for (int block_size = 1; block_size <= 3; block_size += 2) {
        const struct lcl_operator_params params = {.block_size = block_size};
        lcl_operator *got, *expected;
        lcl_precond *M, *N;
        assert_int_equal(lcl_operator_create(&got, own.ctx, A, &params),
                         LCL_OK);
        assert_int_equal(lcl_operator_create(&expected, own.ctx, A, &params),
                         LCL_OK);
        assert_int_equal(lcl_precond_create(&M, got, &subdomains), LCL_OK);
        assert_int_equal(lcl_precond_create(&N, expected, &subdomains), LCL_OK);
        for (int64_t k = 0; k < A->nnz; ++k)
            A->val[k] *= 1 + (double)(k % 5);
        update_both(got, expected, A, CL_MEM_READ_ONLY);
        lcl_precond_destroy(&M);
        lcl_precond_destroy(&N);
        lcl_operator_destroy(&got);
        lcl_operator_destroy(&expected);
    }
}

static void expect_values_refused(lcl_operator *A, cl_mem val,
                                  enum lcl_status status, const char *part)
{
    struct test_capture capture;
    const struct lcl_log before = own.ctx->cl.log;
    test_capture_init(&capture, LCL_LOG_ERROR);
    own.ctx->cl.log = capture.log;
    assert_int_equal(update(A, val), status);
    own.ctx->cl.log = before;
    test_capture_expect(&capture, part);
}

static void test_interop__bad_values_in_buffers_change_nothing(void **state)
{
    (void)state;
    cl_int code, code2;
    const struct lcl_csr *A = &own.line.A;
    const size_t bytes = (size_t)A->nnz * sizeof *A->val;
    cl_context other = clCreateContext(NULL, 1, &own.device, NULL, NULL, &code);
    cl_mem foreign =
        clCreateBuffer(other, CL_MEM_READ_WRITE, bytes, NULL, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    cl_mem blind =
        clCreateBuffer(own.context, CL_MEM_WRITE_ONLY, bytes, NULL, &code);
    lcl_operator *op, *same;
    assert_int_equal(lcl_operator_create(&op, own.ctx, A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&same, own.ctx, A, NULL), LCL_OK);
    const double last = A->val[A->nnz - 1];
    A->val[A->nnz - 1] = NAN;
    cl_mem infinite = make_buffer(bytes, A->val);
    A->val[A->nnz - 1] = last;
    cl_mem small = make_buffer(bytes - 8, NULL);
    expect_values_refused(op, infinite, LCL_EFORMAT, "value is not finite");
    expect_values_refused(op, small, LCL_EINVAL, "buffer val has ");
    expect_values_refused(op, blind, LCL_EINVAL, "buffer val must be readable");
    expect_values_refused(op, foreign, LCL_EINVAL,
                          "buffer val belongs to another OpenCL context");
    expect_equal(op, same);
    assert_misuse(lcl_operator_update_cl(op, NULL, NULL));
    assert_misuse(update(op, NULL));
    assert_misuse(update(NULL, infinite));
    clReleaseMemObject(infinite);
    clReleaseMemObject(small);
    clReleaseMemObject(blind);
    clReleaseMemObject(foreign);
    clReleaseContext(other);
    lcl_operator_destroy(&op);
    lcl_operator_destroy(&same);
}

static enum lcl_status copy(void *user, const double *x, double *y)
{
    memcpy(y, x, *(size_t *)user);
    return LCL_OK;
}

static void test_interop__operators_without_values_take_none(void **state)
{
    (void)state;
    size_t bytes = 2 * sizeof(double);
    lcl_operator *op;
    cl_mem val = make_buffer(bytes, NULL);
    assert_int_equal(
        lcl_operator_create_callback(&op, own.ctx, 2, 2, copy, &bytes), LCL_OK);
    assert_misuse(update(op, val));
    lcl_operator_destroy(&op);
    clReleaseMemObject(val);
}

static void test_interop__matrices_without_entries_need_row_pointers_only(
    void **state)
{
    (void)state;
    int64_t row_ptr[3] = {0};
    const struct lcl_csr_cl A = {
        .rows = 2,
        .cols = 3,
        .row_ptr.mem = make_array(row_ptr, sizeof row_ptr, CL_MEM_READ_WRITE)};
    lcl_operator *op;
    double x[3] = {1, 2, 3}, y[2] = {1, 2};
    assert_int_equal(lcl_operator_create_cl(&op, own.ctx, &A, NULL, NULL),
                     LCL_OK);
    assert_int_equal(lcl_operator_apply(op, x, y), LCL_OK);
    assert_true(y[0] == 0 && y[1] == 0);
    lcl_operator_destroy(&op);
    clReleaseMemObject(A.row_ptr.mem);
}

static void expect_matrix_refused(const struct lcl_csr_cl *A, int block_size,
                                  enum lcl_status status, const char *part)
{
    const struct lcl_operator_params params = {.block_size = block_size};
    struct test_capture capture;
    const struct lcl_log before = own.ctx->cl.log;
    lcl_operator *op;
    test_capture_init(&capture, LCL_LOG_ERROR);
    own.ctx->cl.log = capture.log;
    assert_int_equal(lcl_operator_create_cl(&op, own.ctx, A, &params, NULL),
                     status);
    own.ctx->cl.log = before;
    assert_null(op);
    test_capture_expect(&capture, part);
}

static void test_interop__bad_matrices_in_buffers_are_refused(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 2, 3};
    const int32_t good[] = {0, 1, 1}, unordered[] = {1, 0, 1};
    const double val[] = {1, 2, 3}, infinite[] = {1, 2, HUGE_VAL};
    const cl_mem_flags hidden = CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    const struct lcl_csr_cl right = {
        .rows = 2,
        .cols = 2,
        .nnz = 3,
        .row_ptr.mem = make_array(row_ptr, sizeof row_ptr, hidden),
        .col_ind.mem = make_array(good, sizeof good, hidden),
        .val.mem = make_array(val, sizeof val, hidden),
    };
    struct lcl_csr_cl wrong = right;
    wrong.col_ind.mem = make_array(unordered, sizeof unordered, hidden);
    expect_matrix_refused(&wrong, 0, LCL_EFORMAT,
                          "matrix: row 0 has column 0 after 1, expected "
                          "ascending columns");
    clReleaseMemObject(wrong.col_ind.mem);
    wrong = right;
    wrong.val.mem = make_array(infinite, sizeof infinite, hidden);
    expect_matrix_refused(&wrong, 0, LCL_EFORMAT,
                          "matrix: row 1, column 1 has value inf");
    clReleaseMemObject(wrong.val.mem);
    wrong = right;
    wrong.nnz = 2;
    expect_matrix_refused(&wrong, 0, LCL_EFORMAT, "matrix: row 1 ends at");
    wrong.rows = 0;
    expect_matrix_refused(&wrong, 0, LCL_EFORMAT, "at least one row");
    expect_matrix_refused(&right, 4, LCL_EINVAL, "block size 4 does not");
    release_matrix(&right);
}

static void test_interop__buffers_that_hold_no_matrix_are_refused(void **state)
{
    (void)state;
    cl_int code, code2;
    cl_context other = clCreateContext(NULL, 1, &own.device, NULL, NULL, &code);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, 64, NULL, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    cl_mem small = make_buffer(8, NULL);
    cl_mem blind =
        clCreateBuffer(own.context, CL_MEM_WRITE_ONLY, 64, NULL, &code);
    const struct lcl_csr_cl right = make_matrix(&own.line.A, 0, 0);
    struct lcl_csr_cl wrong = right;
    wrong.row_ptr.mem = foreign;
    expect_matrix_refused(&wrong, 0, LCL_EINVAL,
                          "buffer row_ptr belongs to another OpenCL context");
    wrong.row_ptr.mem = small;
    expect_matrix_refused(&wrong, 0, LCL_EINVAL, "buffer row_ptr has 8 bytes");
    wrong = right;
    wrong.col_ind.mem = small;
    expect_matrix_refused(&wrong, 0, LCL_EINVAL, "buffer col_ind has 8 bytes");
    wrong = right;
    wrong.val.mem = blind;
    expect_matrix_refused(&wrong, 0, LCL_EINVAL, "buffer val must be readable");
    wrong.val.mem = small;
    expect_matrix_refused(&wrong, 0, LCL_EINVAL, "buffer val has 8 bytes");
    release_matrix(&right);
    clReleaseMemObject(small);
    clReleaseMemObject(blind);
    clReleaseMemObject(foreign);
    clReleaseContext(other);
}

static void test_interop__missing_buffers_are_misuse(void **state)
{
    (void)state;
    lcl_operator *op;
    const struct lcl_csr_cl right = make_matrix(&own.line.A, 0, 0);
    struct lcl_csr_cl wrong = right;
    assert_misuse(lcl_operator_create_cl(NULL, own.ctx, &right, NULL, NULL));
    assert_misuse(lcl_operator_create_cl(&op, NULL, &right, NULL, NULL));
    assert_misuse(lcl_operator_create_cl(&op, own.ctx, NULL, NULL, NULL));
    wrong.row_ptr.mem = NULL;
    assert_misuse(lcl_operator_create_cl(&op, own.ctx, &wrong, NULL, NULL));
    wrong = right;
    wrong.col_ind.mem = NULL;
    assert_misuse(lcl_operator_create_cl(&op, own.ctx, &wrong, NULL, NULL));
    wrong = right;
    wrong.val.mem = NULL;
    assert_misuse(lcl_operator_create_cl(&op, own.ctx, &wrong, NULL, NULL));
    assert_null(op);
    release_matrix(&right);
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
        cmocka_unit_test_setup_teardown(
            test_interop__matrices_in_buffers_are_those_of_the_host, create,
            destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__a_matrix_in_buffers_is_solved, create, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__values_in_buffers_follow_the_numbering, create,
            destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__bad_values_in_buffers_change_nothing, create,
            destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__operators_without_values_take_none, create, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__matrices_without_entries_need_row_pointers_only,
            create, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__bad_matrices_in_buffers_are_refused, create, destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__buffers_that_hold_no_matrix_are_refused, create,
            destroy),
        cmocka_unit_test_setup_teardown(
            test_interop__missing_buffers_are_misuse, create, destroy),
        cmocka_unit_test(test_interop__queues_that_do_not_fit_are_refused),
        cmocka_unit_test(test_interop__destroying_gives_every_reference_back),
        cmocka_unit_test(test_interop__null_objects_are_misuse),
    };
    return cmocka_run_group_tests(tests, open_own_objects, close_own_objects);
}
