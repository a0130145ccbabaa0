// SPDX-License-Identifier: BSD-3-Clause
// Matrices in layouts of the caller: conversion, operators and new values.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/layouts.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include "host/context.h"
#include "host/interop.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/spmv/matrix_operator.h"

#include <levelcl/opencl.h>
#include <levelcl/precond.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// All layouts that differ in the way they are composed.
struct form {
    struct lcl_layout L;
    bool lower, wide;
};
// clang-format off
static const struct form forms[] = {
    {.L = {.rows = 40, .cols = 61, .nnz = 300}, .wide = true},
    {.L = {.rows = 61, .nnz = 200, .base = 1}},
    {.L = {.rows = 1, .nnz = 50}},
    {.L = {.rows = 7, .nnz = 0}, .wide = true},
    {.L = {.triangle = LCL_TRIANGLE_LOWER, .rows = 60, .nnz = 200}},
    {.L = {.triangle = LCL_TRIANGLE_UPPER, .rows = 20, .nnz = 80,
           .block_size = 3}, .wide = true},
    {.L = {.type = LCL_LAYOUT_COO, .rows = 50, .cols = 30, .nnz = 400,
           .base = 1}},
    {.L = {.type = LCL_LAYOUT_COO, .rows = 60, .nnz = 100, .block_size = 1}},
    {.L = {.type = LCL_LAYOUT_COO, .triangle = LCL_TRIANGLE_UPPER, .rows = 40,
           .nnz = 90}},
    {.L = {.type = LCL_LAYOUT_COO, .triangle = LCL_TRIANGLE_LOWER,
           .order = LCL_BLOCK_BY_COLUMNS, .block_size = 2, .rows = 30,
           .nnz = 70}},
    {.L = {.type = LCL_LAYOUT_COO, .order = LCL_BLOCK_BY_COMPONENTS,
           .block_size = 3, .rows = 20, .cols = 25, .nnz = 100}},
    {.L = {.order = LCL_BLOCK_BY_COLUMNS, .block_size = 3, .rows = 21,
           .nnz = 60}},
    {.L = {.type = LCL_LAYOUT_LDU, .rows = 60, .nnz = 170}, .lower = true},
    {.L = {.type = LCL_LAYOUT_LDU, .rows = 60, .nnz = 110, .base = 1}},
    {.L = {.type = LCL_LAYOUT_LDU, .rows = 6, .nnz = 0}, .lower = true},
    {.L = {.type = LCL_LAYOUT_LDU, .order = LCL_BLOCK_BY_COMPONENTS,
           .block_size = 3, .rows = 20, .nnz = 40}, .lower = true},
    {.L = {.type = LCL_LAYOUT_LDU, .order = LCL_BLOCK_BY_COLUMNS,
           .block_size = 2, .rows = 30, .nnz = 50}},
    {.L = {.rows = 20, .cols = 31, .nnz = 100, .is_complex = true},
     .wide = true},
    {.L = {.triangle = LCL_TRIANGLE_LOWER, .rows = 30, .nnz = 100,
           .is_complex = true}},
    {.L = {.type = LCL_LAYOUT_COO, .triangle = LCL_TRIANGLE_UPPER, .rows = 30,
           .nnz = 90, .base = 1, .is_complex = true, .hermitian = true}},
    {.L = {.type = LCL_LAYOUT_COO, .order = LCL_BLOCK_BY_COMPONENTS,
           .triangle = LCL_TRIANGLE_LOWER, .block_size = 2, .rows = 20,
           .nnz = 50, .is_complex = true, .hermitian = true}},
    {.L = {.type = LCL_LAYOUT_LDU, .rows = 30, .nnz = 60, .is_complex = true},
     .lower = true},
    {.L = {.type = LCL_LAYOUT_LDU, .order = LCL_BLOCK_BY_COLUMNS,
           .block_size = 3, .rows = 20, .nnz = 30, .is_complex = true}},
};
// clang-format on
enum { FORMS = sizeof forms / sizeof *forms };

static void open_layout(struct test_layout *T, int form)
{
    const struct form *f = &forms[form];
    test_layout_init(T, &f->L, f->lower, f->wide, (unsigned)form + 1);
}

// Bit for bit: the sums have an order.
static void expect_csr(const struct lcl_csr *A, const double *dense)
{
    double *got = calloc((size_t)(A->rows * A->cols), sizeof *got);
    assert_non_null(got);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            got[i * A->cols + A->col_ind[k]] = A->val[k];
    test_expect_same("entry", got, dense, A->rows * A->cols);
    free(got);
}

static void test_layout__conversion_sums_in_order(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; ++f) {
        struct test_layout T;
        struct lcl_csr A;
        open_layout(&T, f);
        double *dense = test_layout_dense(&T);
        assert_int_equal(lcl_csr_from_layout(&A, &T.L, NULL), LCL_OK);
        assert_int_equal(lcl_csr_check(&A, NULL), LCL_OK);
        expect_csr(&A, dense);
        lcl_csr_finish(&A);
        free(dense);
        test_layout_finish(&T);
    }
}

// ------------------------------------------------------------------ operators

// The values of the device, bit for bit, and a product.
static void expect_operator(lcl_operator *op, const struct test_layout *T)
{
    const struct lcl_operator_info *info = lcl_operator_info(op);
    double *dense = test_layout_dense(T);
    double *x = test_random_vector(info->cols, 3), *y = test_vector(info->rows);
    double *expected = test_vector(info->rows);
    assert_int_equal(info->nnz, T->values);
    for (int64_t i = 0; i < info->rows; ++i)
        for (int64_t j = 0; j < info->cols; ++j)
            expected[i] += dense[i * info->cols + j] * x[j];
    assert_int_equal(lcl_operator_apply(op, x, y), LCL_OK);
    test_expect_near("y", y, expected, info->rows, 1e-12);
    free(x);
    free(y);
    free(expected);
    free(dense);
}

static void expect_same_values(lcl_operator *op, const struct test_layout *T)
{
    struct lcl_bsr B;
    double *dense = test_layout_dense(T);
    assert_int_equal(lcl_operator_download(op, &B, true), LCL_OK);
    const int b = B.block_size;
    for (int64_t i = 0; i < B.rows; ++i)
        for (int64_t k = B.row_ptr[i]; k < B.row_ptr[i + 1]; ++k)
            for (int r = 0; r < b; ++r)
                test_expect_same("value", B.val + (k * b + r) * b,
                                 dense + (i * b + r) * B.cols * b +
                                     (int64_t)B.col_ind[k] * b,
                                 b);
    lcl_bsr_finish(&B);
    free(dense);
}

enum { BEFORE = 3 }; // doubles before an array in its buffer

// `count` doubles behind others that nobody may take.
static lcl_buffer *upload_behind(lcl_context *ctx, const double *v,
                                 int64_t count)
{
    double *all = calloc((size_t)(BEFORE + count), sizeof *all);
    assert_non_null(all);
    for (int k = 0; k < BEFORE; ++k)
        all[k] = NAN;
    memcpy(all + BEFORE, v, (size_t)count * sizeof *v);
    lcl_buffer *buffer = test_upload(ctx, all, BEFORE + count, sizeof *all);
    free(all);
    return buffer;
}

static void update_cl(lcl_operator *op, lcl_context *ctx,
                      const struct test_layout *T)
{
    lcl_buffer *behind = upload_behind(ctx, T->val, T->values);
    const struct lcl_array_cl val = {lcl_buffer_mem(behind), BEFORE};
    assert_int_equal(lcl_operator_update_cl(op, &val, NULL), LCL_OK);
    lcl_buffer_destroy(&behind);
}

// Of the three arrays, one begins its buffer.
static void update_ldu_cl(lcl_operator *op, lcl_context *ctx,
                          const struct test_layout *T)
{
    const struct lcl_layout *L = &T->L;
    const int64_t entries = L->block_size ? L->block_size * L->block_size : 1;
    const int64_t size = entries * (L->is_complex ? 2 : 1);
    lcl_buffer *of[] = {
        upload_behind(ctx, L->val, L->rows * size),
        test_upload(ctx, L->upper, L->nnz * size, sizeof(double)),
        L->lower ? upload_behind(ctx, L->lower, L->nnz * size) : NULL,
    };
    const struct lcl_array_cl diagonal = {lcl_buffer_mem(of[0]), BEFORE};
    const struct lcl_array_cl upper = {lcl_buffer_mem(of[1]), 0};
    const struct lcl_array_cl lower = {lcl_buffer_mem(of[2]), BEFORE};
    assert_int_equal(lcl_operator_update_ldu_cl(op, &diagonal, &upper,
                                                of[2] ? &lower : NULL, NULL),
                     LCL_OK);
    for (int p = 0; p < 3; ++p)
        lcl_buffer_destroy(&of[p]);
}

// Buffers with one value that is not finite leave the operator as it is.
static void expect_refused(lcl_operator *op, lcl_context *ctx,
                           const struct test_layout *T)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const struct lcl_log before = ctx->cl.log;
    struct test_capture capture;
    double *val = test_vector(T->values);
    test_capture_init(&capture, LCL_LOG_ERROR);
    ctx->cl.log = capture.log;
    for (int64_t k = 0; k < T->values; k += 1 + T->values / 7) {
        for (int64_t j = 0; j < T->values; ++j)
            val[j] = j == k ? bad[k % 3] : 1;
        lcl_buffer *behind = upload_behind(ctx, val, T->values);
        const struct lcl_array_cl array = {lcl_buffer_mem(behind), BEFORE};
        assert_int_equal(lcl_operator_update_cl(op, &array, NULL), LCL_EFORMAT);
        test_capture_expect(&capture, "a value is not finite");
        lcl_buffer_destroy(&behind);
        expect_operator(op, T);
    }
    ctx->cl.log = before;
    free(val);
}

// Values that are those of the operator change nothing.
static void expect_change(lcl_operator *op, lcl_context *ctx,
                          struct test_layout *T)
{
    const uint64_t before = op->version;
    assert_int_equal(lcl_operator_update(op, T->val), LCL_OK);
    update_cl(op, ctx, T);
    assert_int_equal(op->version, before);
    for (int turn = 1; turn <= 2 && T->values > 0; ++turn) {
        T->val[turn == 1 ? 0 : T->values - 1] += 1;
        if (turn == 1)
            assert_int_equal(lcl_operator_update(op, T->val), LCL_OK);
        else
            update_cl(op, ctx, T);
        assert_int_equal(op->version, before + (uint64_t)turn);
        expect_operator(op, T);
    }
}

// In all ways that the library has.
static void expect_updates(lcl_operator *op, lcl_context *ctx,
                           struct test_layout *T)
{
    test_layout_renew(T, 77);
    assert_int_equal(lcl_operator_update(op, T->val), LCL_OK);
    expect_operator(op, T);
    test_layout_renew(T, 78);
    update_cl(op, ctx, T);
    expect_operator(op, T);
    expect_refused(op, ctx, T);
    expect_change(op, ctx, T);
    if (T->L.type != LCL_LAYOUT_LDU)
        return;
    test_layout_renew(T, 79);
    assert_int_equal(
        lcl_operator_update_ldu(op, T->L.val, T->L.upper, T->L.lower), LCL_OK);
    expect_operator(op, T);
    test_layout_renew(T, 80);
    update_ldu_cl(op, ctx, T);
    expect_operator(op, T);
}

static void test_layout__operators_take_values_as_they_came(void **state)
{
    for (int f = 0; f < FORMS; ++f) {
        const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR};
        struct test_layout T;
        lcl_operator *op;
        open_layout(&T, f);
        assert_int_equal(lcl_operator_create_layout(&op, *state, &T.L, &params),
                         LCL_OK);
        expect_operator(op, &T);
        expect_same_values(op, &T);
        expect_updates(op, *state, &T);
        expect_same_values(op, &T);
        lcl_operator_destroy(&op);
        test_layout_finish(&T);
    }
}

// Single entries that the library pads to blocks.
static void test_layout__entries_become_blocks(void **state)
{
    static const int all[] = {4, 12, 13};
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR,
                                               .block_size = 3};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        struct test_layout T;
        lcl_operator *op;
        open_layout(&T, all[i]);
        assert_int_equal(lcl_operator_create_layout(&op, *state, &T.L, &params),
                         LCL_OK);
        assert_int_equal(lcl_operator_info(op)->block_size, 3);
        expect_same_values(op, &T);
        expect_updates(op, *state, &T);
        lcl_operator_destroy(&op);
        test_layout_finish(&T);
    }
}

// A preconditioner renumbers the operator; a second one restores it.
static void expect_renumbered(lcl_context *ctx, int form, int block)
{
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR,
                                               .block_size = block};
    const struct lcl_precond_params ilu = {.type = LCL_PRECOND_ILDU0,
                                           .partition.rows = 16,
                                           .coarse = LCL_COARSE_NONE};
    struct test_layout T;
    lcl_operator *op;
    lcl_precond *M;
    open_layout(&T, form);
    assert_int_equal(lcl_operator_create_layout(&op, ctx, &T.L, &params),
                     LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &ilu), LCL_OK);
    assert_non_null(op->own.perm);
    expect_updates(op, ctx, &T);
    lcl_precond_destroy(&M);
    assert_int_equal(lcl_operator_restore(op), LCL_OK);
    assert_null(op->own.perm);
    expect_operator(op, &T);
    expect_updates(op, ctx, &T);
    lcl_operator_destroy(&op);
    test_layout_finish(&T);
}

static void test_layout__renumbered_operators_take_values(void **state)
{
    expect_renumbered(*state, 12, 1);
    expect_renumbered(*state, 13, 3);
    expect_renumbered(*state, 15, 0);
    expect_renumbered(*state, 21, 0);
    expect_renumbered(*state, 22, 6);
}

// Sorted rows need no map.
static void test_layout__sorted_rows_have_no_sources(void **state)
{
    struct lcl_csr A = test_random_csr(60, 4, 2);
    const struct lcl_layout L = {.rows = A.rows,
                                 .nnz = A.nnz,
                                 .row_ptr = A.row_ptr,
                                 .col = A.col_ind,
                                 .val = A.val};
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR,
                                               .block_size = 1};
    lcl_operator *plain, *op;
    assert_int_equal(lcl_operator_create(&plain, *state, &A, &params), LCL_OK);
    assert_int_equal(lcl_operator_create_layout(&op, *state, &L, &params),
                     LCL_OK);
    assert_int_equal(lcl_operator_info(op)->bytes,
                     lcl_operator_info(plain)->bytes);
    lcl_operator_destroy(&op);
    lcl_operator_destroy(&plain);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ refusals

// Of a list (CSR with `ptr`), with one thing changed.
struct refusal {
    enum lcl_status status;
    struct lcl_layout L;
};

static const int32_t ptr[] = {0, 1, 2}, late[] = {1, 1, 2}, falls[] = {0, 2, 1},
                     stops[] = {0, 1, 1};
static const int64_t both[] = {0, 1, 2};
static const int32_t row[] = {0, 1}, col[] = {1, 0}, up[] = {1, 1},
                     out[] = {0, 2}, negative[] = {-1, 0};
static const double values[8] = {1, 2};
static const double not_finite[8] = {1, NAN};
// clang-format off
static const struct refusal refusals[] = {
    {LCL_EINVAL, {.block_size = 9, .rows = 2}},
    {LCL_EINVAL, {.block_size = 5, .rows = 2, .is_complex = true}},
    {LCL_EINVAL, {.rows = 2, .hermitian = true}},
    {LCL_EFORMAT, {.rows = INT32_MAX / 2 + 1, .is_complex = true}},
    {LCL_ERANGE, {.rows = 2, .nnz = INT64_C(1) << 29, .is_complex = true}},
    {LCL_EINVAL, {.base = 2, .rows = 2}},
    {LCL_EFORMAT, {.rows = 0}},
    {LCL_EFORMAT, {.rows = 2, .cols = -1}},
    {LCL_EFORMAT, {.rows = 2, .nnz = -1}},
    {LCL_EFORMAT, {.rows = INT64_C(1) << 31}},
    {LCL_EFORMAT, {.rows = INT32_MAX / 3 + 1, .block_size = 3}},
    {LCL_ERANGE, {.rows = 2, .nnz = INT64_C(1) << 31}},
    {LCL_ERANGE, {.rows = 2, .nnz = INT64_MAX}},
    {LCL_ERANGE, {.rows = 2, .nnz = INT64_C(1) << 27, .block_size = 8}},
    {LCL_ERANGE, {.type = LCL_LAYOUT_LDU, .rows = 2, .nnz = INT32_MAX - 2}},
    {LCL_EINVAL, {.rows = 2, .nnz = 2, .row_ptr = both, .row_ptr32 = ptr,
     .col = col, .val = values}},
    {LCL_EFORMAT, {.rows = 2, .nnz = 2, .row_ptr32 = late, .col = col,
     .val = values}},
    {LCL_EFORMAT, {.rows = 2, .nnz = 2, .row_ptr32 = falls, .col = col,
     .val = values}},
    {LCL_EFORMAT, {.rows = 2, .nnz = 2, .row_ptr32 = stops, .col = col,
     .val = values}},
    {LCL_EFORMAT, {.rows = 2, .nnz = 2, .row_ptr32 = ptr, .col = out,
     .val = values}},
    {LCL_EFORMAT, {.rows = 2, .nnz = 2, .row_ptr32 = ptr, .col = negative,
     .val = values}},
    {LCL_EFORMAT, {.rows = 2, .nnz = 2, .row_ptr32 = ptr, .col = col,
     .val = not_finite}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_COO, .rows = 2, .nnz = 2, .row = out,
     .col = col, .val = values}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_COO, .rows = 2, .nnz = 2, .row = row,
     .col = col, .val = values, .triangle = LCL_TRIANGLE_LOWER}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_COO, .rows = 2, .nnz = 2, .row = row,
     .col = col, .val = values, .triangle = LCL_TRIANGLE_UPPER}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_COO, .rows = 2, .nnz = 2, .base = 1,
     .row = row, .col = col, .val = values}},
    {LCL_EINVAL, {.type = LCL_LAYOUT_COO, .rows = 2, .cols = 3, .nnz = 2,
     .row = row, .col = col, .val = values, .triangle = LCL_TRIANGLE_LOWER}},
    {LCL_EINVAL, {.type = LCL_LAYOUT_LDU, .rows = 2, .cols = 3, .nnz = 1,
     .row = row, .col = col, .val = values, .upper = values}},
    {LCL_EINVAL, {.type = LCL_LAYOUT_LDU, .rows = 2, .nnz = 1, .row = row,
     .col = col, .val = values, .upper = values,
     .triangle = LCL_TRIANGLE_LOWER}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_LDU, .rows = 2, .nnz = 2, .row = row,
     .col = col, .val = values, .upper = values}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_LDU, .rows = 2, .nnz = 1, .row = up,
     .col = up, .val = values, .upper = values}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_LDU, .rows = 2, .nnz = 1, .row = row,
     .col = col, .val = values, .upper = not_finite + 1}},
    {LCL_EFORMAT, {.type = LCL_LAYOUT_LDU, .rows = 2, .nnz = 1, .row = row,
     .col = col, .val = values, .upper = values, .lower = not_finite + 1}},
};
// clang-format on

static void test_layout__bad_input_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        struct lcl_csr A;
        lcl_operator *op = (lcl_operator *)&A;
        const enum lcl_status st =
            lcl_csr_from_layout(&A, &refusals[i].L, NULL);
        if (st != refusals[i].status)
            print_error("layout %zu\n", i);
        assert_int_equal(st, refusals[i].status);
        assert_true(!A.row_ptr && !A.col_ind && !A.val && !A.rows);
        assert_int_equal(
            lcl_operator_create_layout(&op, *state, &refusals[i].L, NULL),
            refusals[i].status);
        assert_null(op);
    }
}

static void test_layout__null_arrays_are_misuse(void **state)
{
    static const int32_t two[] = {0, 1, 2};
    static const double val[] = {1, 2};
    const struct lcl_layout csr = {
        .rows = 2, .nnz = 2, .row_ptr32 = two, .col = two, .val = val};
    struct lcl_layout bad[11];
    struct lcl_csr A;
    lcl_operator *op;
    for (int i = 0; i < 11; ++i)
        bad[i] = csr;
    bad[0].row_ptr32 = NULL;
    bad[1].col = NULL;
    bad[2].val = NULL;
    bad[3].type = LCL_LAYOUT_COO; // without rows
    bad[4].type = LCL_LAYOUT_LDU; // without owners
    bad[5].type = LCL_LAYOUT_LDU; // without `upper`
    bad[5].row = two;
    bad[6] = bad[5]; // without diagonal
    bad[6].upper = val;
    bad[6].nnz = 0;
    bad[6].val = NULL;
    bad[7].type = LCL_LAYOUT_COUNT;
    bad[8].triangle = LCL_TRIANGLE_COUNT;
    bad[9].order = LCL_BLOCK_ORDER_COUNT;
    bad[10].type = (enum lcl_layout_type) - 1;
    for (int i = 0; i < 11; ++i)
        assert_misuse(lcl_csr_from_layout(&A, &bad[i], NULL));
    assert_misuse(lcl_csr_from_layout(NULL, &csr, NULL));
    assert_misuse(lcl_csr_from_layout(&A, NULL, NULL));
    assert_misuse(lcl_operator_create_layout(NULL, *state, &csr, NULL));
    assert_misuse(lcl_operator_create_layout(&op, NULL, &csr, NULL));
    assert_misuse(lcl_operator_create_layout(&op, *state, NULL, NULL));
    assert_misuse(lcl_operator_create_layout(&op, *state, &bad[1], NULL));
}

static void test_layout__block_sizes_must_fit(void **state)
{
    const struct lcl_operator_params params = {.block_size = 2};
    static const int all[] = {1, 5};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        struct test_layout T;
        lcl_operator *op;
        open_layout(&T, all[i]);
        assert_int_equal(lcl_operator_create_layout(&op, *state, &T.L, &params),
                         LCL_EINVAL);
        assert_null(op);
        test_layout_finish(&T);
    }
}

static void test_layout__new_values_are_checked(void **state)
{
    struct test_layout T, list;
    lcl_operator *op, *other;
    open_layout(&T, 13);
    open_layout(&list, 7);
    assert_int_equal(lcl_operator_create_layout(&op, *state, &T.L, NULL),
                     LCL_OK);
    assert_int_equal(lcl_operator_create_layout(&other, *state, &list.L, NULL),
                     LCL_OK);
    const struct lcl_layout *L = &T.L;
    assert_misuse(lcl_operator_update_ldu(NULL, L->val, L->upper, NULL));
    assert_misuse(lcl_operator_update_ldu(op, NULL, L->upper, NULL));
    assert_misuse(lcl_operator_update_ldu(op, L->val, NULL, NULL));
    assert_misuse(lcl_operator_update_ldu(op, L->val, L->upper, L->upper));
    assert_misuse(lcl_operator_update_ldu(other, L->val, L->upper, NULL));
    assert_misuse(lcl_operator_update_ldu_cl(op, NULL, NULL, NULL, NULL));
    lcl_buffer *few = test_upload(*state, L->val, 3, sizeof(double));
    const struct lcl_array_cl small = {lcl_buffer_mem(few), 0};
    assert_int_equal(lcl_operator_update_ldu_cl(op, &small, &small, NULL, NULL),
                     LCL_EINVAL);
    const double kept = T.val[T.values - 1];
    T.val[T.values - 1] = INFINITY;
    assert_int_equal(lcl_operator_update_ldu(op, L->val, L->upper, NULL),
                     LCL_EFORMAT);
    assert_int_equal(lcl_operator_update(op, T.val), LCL_EFORMAT);
    T.val[T.values - 1] = kept;
    expect_operator(op, &T);
    lcl_buffer_destroy(&few);
    lcl_operator_destroy(&op);
    lcl_operator_destroy(&other);
    test_layout_finish(&T);
    test_layout_finish(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout__conversion_sums_in_order),
        cmocka_unit_test(test_layout__operators_take_values_as_they_came),
        cmocka_unit_test(test_layout__entries_become_blocks),
        cmocka_unit_test(test_layout__renumbered_operators_take_values),
        cmocka_unit_test(test_layout__sorted_rows_have_no_sources),
        cmocka_unit_test(test_layout__bad_input_is_refused),
        cmocka_unit_test(test_layout__null_arrays_are_misuse),
        cmocka_unit_test(test_layout__block_sizes_must_fit),
        cmocka_unit_test(test_layout__new_values_are_checked),
    };
    return test_device_run(tests);
}
