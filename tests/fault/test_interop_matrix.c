// SPDX-License-Identifier: BSD-3-Clause
// Operators on matrices and values in the caller's own OpenCL buffers.
#include "lib/spmv/matrix_operator.h"
#include "tests/support/capture.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/own_cl.h"
#include "tests/support/test.h"

#include <levelcl/opencl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum lcl_status update(lcl_operator *A, cl_mem val)
{
    const struct lcl_array_cl whole = {val, 0};
    return lcl_operator_update_cl(A, &whole, NULL);
}

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
    cl_mem mem = clCreateBuffer(test_own.context, access | CL_MEM_COPY_HOST_PTR,
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
    assert_int_equal(lcl_operator_create(&expected, test_own.ctx, A, &params),
                     LCL_OK);
    assert_int_equal(
        lcl_operator_create_cl(&got, test_own.ctx, &device, &params, NULL),
        LCL_OK);
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

static void test_interop_matrix__matrices_in_buffers_are_those_of_the_host(
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

static void test_interop_matrix__a_matrix_in_buffers_is_solved(void **state)
{
    (void)state;
    const struct lcl_csr_cl A =
        make_matrix(&test_own.line.A, 0, CL_MEM_READ_WRITE);
    double x[TEST_JOB_ROWS] = {0};
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    assert_int_equal(lcl_operator_create_cl(&op, test_own.ctx, &A, NULL, NULL),
                     LCL_OK);
    release_matrix(&A);
    assert_int_equal(lcl_precond_create(&M, op, NULL), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, op, M, NULL), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, test_own.line.b, x, NULL), LCL_OK);
    test_job_expect_solved(x);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
}

// A preconditioner on subdomains changes the numbering of its operator.
static void test_interop_matrix__values_in_buffers_follow_the_numbering(
    void **state)
{
    (void)state;
    const struct lcl_precond_params subdomains = {.partition.rows =
                                                      TEST_JOB_ROWS / 4};
    struct lcl_csr *A = &test_own.line.A;
    for (int block_size = 1; block_size <= 3; block_size += 2) {
        const struct lcl_operator_params params = {.block_size = block_size};
        lcl_operator *got, *expected;
        lcl_precond *M, *N;
        assert_int_equal(lcl_operator_create(&got, test_own.ctx, A, &params),
                         LCL_OK);
        assert_int_equal(
            lcl_operator_create(&expected, test_own.ctx, A, &params), LCL_OK);
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
    test_capture_init(&test_own.capture, LCL_LOG_ERROR);
    assert_int_equal(update(A, val), status);
    test_capture_expect(&test_own.capture, part);
}

static void test_interop_matrix__bad_values_in_buffers_change_nothing(
    void **state)
{
    (void)state;
    cl_int code, code2;
    const struct lcl_csr *A = &test_own.line.A;
    const size_t bytes = (size_t)A->nnz * sizeof *A->val;
    cl_context other =
        clCreateContext(NULL, 1, &test_own.device, NULL, NULL, &code);
    cl_mem foreign =
        clCreateBuffer(other, CL_MEM_READ_WRITE, bytes, NULL, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    cl_mem blind =
        clCreateBuffer(test_own.context, CL_MEM_WRITE_ONLY, bytes, NULL, &code);
    lcl_operator *op, *same;
    assert_int_equal(lcl_operator_create(&op, test_own.ctx, A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&same, test_own.ctx, A, NULL), LCL_OK);
    const double last = A->val[A->nnz - 1];
    A->val[A->nnz - 1] = NAN;
    cl_mem infinite = test_own_buffer(bytes, A->val);
    A->val[A->nnz - 1] = last;
    cl_mem small = test_own_buffer(bytes - 8, NULL);
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

static void test_interop_matrix__operators_without_values_take_none(
    void **state)
{
    (void)state;
    size_t bytes = 2 * sizeof(double);
    lcl_operator *op;
    cl_mem val = test_own_buffer(bytes, NULL);
    assert_int_equal(
        lcl_operator_create_callback(&op, test_own.ctx, 2, 2, copy, &bytes),
        LCL_OK);
    assert_misuse(update(op, val));
    lcl_operator_destroy(&op);
    clReleaseMemObject(val);
}

static void
test_interop_matrix__matrices_without_entries_need_row_pointers_only(
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
    assert_int_equal(lcl_operator_create_cl(&op, test_own.ctx, &A, NULL, NULL),
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
    lcl_operator *op;
    test_capture_init(&test_own.capture, LCL_LOG_ERROR);
    assert_int_equal(
        lcl_operator_create_cl(&op, test_own.ctx, A, &params, NULL), status);
    assert_null(op);
    test_capture_expect(&test_own.capture, part);
}

static void test_interop_matrix__bad_matrices_in_buffers_are_refused(
    void **state)
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

static void test_interop_matrix__buffers_that_hold_no_matrix_are_refused(
    void **state)
{
    (void)state;
    cl_int code, code2;
    cl_context other =
        clCreateContext(NULL, 1, &test_own.device, NULL, NULL, &code);
    cl_mem foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, 64, NULL, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    cl_mem small = test_own_buffer(8, NULL);
    cl_mem blind =
        clCreateBuffer(test_own.context, CL_MEM_WRITE_ONLY, 64, NULL, &code);
    const struct lcl_csr_cl right = make_matrix(&test_own.line.A, 0, 0);
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

static void test_interop_matrix__missing_buffers_are_misuse(void **state)
{
    (void)state;
    lcl_operator *op;
    const struct lcl_csr_cl right = make_matrix(&test_own.line.A, 0, 0);
    struct lcl_csr_cl wrong = right;
    assert_misuse(
        lcl_operator_create_cl(NULL, test_own.ctx, &right, NULL, NULL));
    assert_misuse(lcl_operator_create_cl(&op, NULL, &right, NULL, NULL));
    assert_misuse(lcl_operator_create_cl(&op, test_own.ctx, NULL, NULL, NULL));
    wrong.row_ptr.mem = NULL;
    assert_misuse(
        lcl_operator_create_cl(&op, test_own.ctx, &wrong, NULL, NULL));
    wrong = right;
    wrong.col_ind.mem = NULL;
    assert_misuse(
        lcl_operator_create_cl(&op, test_own.ctx, &wrong, NULL, NULL));
    wrong = right;
    wrong.val.mem = NULL;
    assert_misuse(
        lcl_operator_create_cl(&op, test_own.ctx, &wrong, NULL, NULL));
    assert_null(op);
    release_matrix(&right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__matrices_in_buffers_are_those_of_the_host,
            test_own_create, test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__a_matrix_in_buffers_is_solved, test_own_create,
            test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__values_in_buffers_follow_the_numbering,
            test_own_create, test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__bad_values_in_buffers_change_nothing,
            test_own_create, test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__operators_without_values_take_none,
            test_own_create, test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__matrices_without_entries_need_row_pointers_only,
            test_own_create, test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__bad_matrices_in_buffers_are_refused,
            test_own_create, test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__buffers_that_hold_no_matrix_are_refused,
            test_own_create, test_own_destroy),
        cmocka_unit_test_setup_teardown(
            test_interop_matrix__missing_buffers_are_misuse, test_own_create,
            test_own_destroy),
    };
    return cmocka_run_group_tests(tests, test_own_open, test_own_close);
}
