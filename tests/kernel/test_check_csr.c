// SPDX-License-Identifier: BSD-3-Clause
// check_csr.cl against the checks on the host: what passes, and the messages.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/context.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/matrix/view.h"
#include "lib/storage/blocked.h"
#include "lib/storage/device_csr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void upload(struct lcl_device_csr *D, lcl_context *ctx,
                   const struct lcl_csr *A)
{
    *D = (struct lcl_device_csr){
        .rows = A->rows,
        .cols = A->cols,
        .nnz = A->nnz,
        .row_ptr = test_upload(ctx, A->row_ptr, A->rows + 1, sizeof(int64_t)),
        .col_ind = test_upload(ctx, A->col_ind, A->nnz, sizeof(int32_t)),
        .val = test_upload(ctx, A->val, A->nnz, sizeof(double)),
    };
}

static void finish(struct lcl_device_csr *D)
{
    lcl_buffer_destroy(&D->row_ptr);
    lcl_buffer_destroy(&D->col_ind);
    lcl_buffer_destroy(&D->val);
}

// The checks of a matrix in buffers of the caller, and of one that is uploaded
// to a GPU.
static enum lcl_status check_in_buffers(lcl_context *ctx,
                                        const struct lcl_csr *A)
{
    struct lcl_device_csr D;
    upload(&D, ctx, A);
    const enum lcl_status st = lcl_device_csr_check(&D, ctx);
    finish(&D);
    return st;
}

static enum lcl_status check_uploaded(lcl_context *ctx, const struct lcl_csr *A)
{
    struct lcl_blocked B;
    const enum lcl_device_type type = ctx->caps.type;
    ctx->caps.type = LCL_DEVICE_GPU;
    const enum lcl_status st = lcl_blocked_from_csr(&B, ctx, A, 1);
    ctx->caps.type = type;
    lcl_blocked_finish(&B);
    return st;
}

// The status and the message of the host.
static void expect_same_check(lcl_context *ctx, const struct lcl_csr *A)
{
    static enum lcl_status (*const all[])(
        lcl_context *, const struct lcl_csr *) = {check_in_buffers,
                                                  check_uploaded};
    struct test_capture host, device;
    const struct lcl_log before = ctx->cl.log;
    test_capture_init(&host, LCL_LOG_ERROR);
    const enum lcl_status expected = lcl_csr_check(A, &host.log);
    for (int way = 0; way < 2; ++way) {
        test_capture_init(&device, LCL_LOG_ERROR);
        ctx->cl.log = device.log;
        assert_int_equal(all[way](ctx, A), expected);
        ctx->cl.log = before;
        assert_string_equal(device.last, host.last);
    }
}

// The matrix with row_ptr[i], col_ind[k] or val[k] replaced.
static void expect_with_row_ptr(lcl_context *ctx, struct lcl_csr *A, int64_t i,
                                int64_t value)
{
    const int64_t before = A->row_ptr[i];
    A->row_ptr[i] = value;
    expect_same_check(ctx, A);
    A->row_ptr[i] = before;
}

static void expect_with_column(lcl_context *ctx, struct lcl_csr *A, int64_t k,
                               int32_t value)
{
    const int32_t before = A->col_ind[k];
    A->col_ind[k] = value;
    expect_same_check(ctx, A);
    A->col_ind[k] = before;
}

static void expect_with_value(lcl_context *ctx, struct lcl_csr *A, int64_t k,
                              double value)
{
    const double before = A->val[k];
    A->val[k] = value;
    expect_same_check(ctx, A);
    A->val[k] = before;
}

static void test_check_csr__sound_matrices_pass(void **state)
{
    const int64_t n = test_size(30, 900);
    struct lcl_csr all[] = {test_random_csr(n, 9, 1), test_identity(1),
                            test_stretched_csr(n, 2 * n, 2),
                            test_dense_row(n, 3)};
    for (size_t m = 0; m < sizeof all / sizeof *all; ++m) {
        assert_int_equal(lcl_csr_check(&all[m], NULL), LCL_OK);
        expect_same_check(*state, &all[m]);
        test_csr_finish(&all[m]);
    }
}

static void test_check_csr__bad_row_pointers_are_named(void **state)
{
    struct lcl_csr A = test_random_csr(9, 3, 3);
    const int64_t bad[] = {-1,        A.nnz + 1, INT64_MAX,
                           INT64_MIN, A.nnz / 2, INT64_C(1) << 32};
    for (int64_t i = 0; i <= A.rows; ++i)
        for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b)
            expect_with_row_ptr(*state, &A, i, bad[b]);
    test_csr_finish(&A);
}

static void test_check_csr__bad_columns_are_named(void **state)
{
    struct lcl_csr A = test_random_csr(9, 6, 4);
    const int32_t bad[] = {-1, 9, INT32_MAX, INT32_MIN};
    for (int64_t k = 0; k < A.nnz; ++k) {
        for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b)
            expect_with_column(*state, &A, k, bad[b]);
        if (k > 0) {
            expect_with_column(*state, &A, k, A.col_ind[k - 1]);
            expect_with_column(*state, &A, k, 0);
        }
    }
    test_csr_finish(&A);
}

static void test_check_csr__values_that_are_not_finite_are_named(void **state)
{
    struct lcl_csr A = test_random_csr(9, 6, 5);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -0.0, 5e-324};
    for (int64_t k = 0; k < A.nnz; k += 3)
        for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b)
            expect_with_value(*state, &A, k, bad[b]);
    test_csr_finish(&A);
}

static void test_check_csr__counts_and_sizes_are_checked(void **state)
{
    lcl_context *ctx = *state;
    struct test_capture capture;
    struct lcl_device_csr D;
    struct lcl_csr A = test_identity(5);
    const struct lcl_log before = ctx->cl.log;
    upload(&D, ctx, &A);
    test_capture_init(&capture, LCL_LOG_ERROR);
    ctx->cl.log = capture.log;
    D.rows = 0;
    assert_int_equal(lcl_device_csr_check(&D, ctx), LCL_EFORMAT);
    D.rows = INT64_C(1) << 31;
    assert_int_equal(lcl_device_csr_check(&D, ctx), LCL_EFORMAT);
    D.rows = 5000;
    assert_int_equal(lcl_device_csr_check(&D, ctx), LCL_EINVAL);
    test_capture_expect(&capture, "buffer row_ptr has ");
    D.rows = 5;
    D.nnz = INT64_MAX;
    assert_int_equal(lcl_device_csr_check(&D, ctx), LCL_EINVAL);
    test_capture_expect(&capture, "buffer col_ind has ");
    lcl_buffer *val = D.val;
    D.nnz = 5;
    D.val = test_poisoned(ctx, 0, 1);
    D.nnz = (int64_t)(lcl_buffer_bytes(D.val) / sizeof(double)) + 1;
    assert_int_equal(lcl_device_csr_check(&D, ctx), LCL_EINVAL);
    test_capture_expect(&capture, "buffer val has ");
    ctx->cl.log = before;
    lcl_buffer_destroy(&val);
    finish(&D);
    test_csr_finish(&A);
}

// The copy, which is what an upload of the same matrix gives.
static void test_check_csr__copies_are_exact(void **state)
{
    lcl_context *ctx = *state;
    struct lcl_csr A = test_random_csr(test_size(30, 900), 5, 6);
    struct lcl_device_csr D;
    struct lcl_device_matrix copy;
    struct lcl_bsr got;
    upload(&D, ctx, &A);
    assert_int_equal(lcl_device_csr_copy(&copy, ctx, &D), LCL_OK);
    finish(&D);
    assert_true(copy.blocks == A.nnz && copy.n == A.rows && copy.block == 1);
    assert_int_equal(lcl_device_matrix_read(&got, &copy, true, NULL), LCL_OK);
    assert_memory_equal(got.row_ptr, A.row_ptr,
                        (size_t)(A.rows + 1) * sizeof *A.row_ptr);
    assert_memory_equal(got.col_ind, A.col_ind,
                        (size_t)A.nnz * sizeof *A.col_ind);
    test_expect_same("value", got.val, A.val, A.nnz);
    lcl_bsr_finish(&got);
    lcl_device_matrix_finish(&copy);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_csr__sound_matrices_pass),
        cmocka_unit_test(test_check_csr__bad_row_pointers_are_named),
        cmocka_unit_test(test_check_csr__bad_columns_are_named),
        cmocka_unit_test(test_check_csr__values_that_are_not_finite_are_named),
        cmocka_unit_test(test_check_csr__counts_and_sizes_are_checked),
        cmocka_unit_test(test_check_csr__copies_are_exact),
    };
    return test_device_run(tests);
}
