// SPDX-License-Identifier: BSD-3-Clause
// Operators in another numbering than the caller's: vectors and new values on
// their way into it and back, and copies of the matrix in the first order.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/interop.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/spmv/matrix_operator.h"

#include <levelcl/opencl.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A matrix of random blocks, the same in another numbering, and an operator.
struct numbered {
    struct lcl_bsr A, B;
    int32_t *perm;
    int64_t *map;
    lcl_operator *op;
};

// The blocks of B are those of A, as map says.
static void copy_blocks(struct numbered *t)
{
    const size_t values = (size_t)lcl_block_values(&t->A);
    for (int64_t k = 0; k < t->A.nnz; ++k)
        memcpy(t->B.val + (size_t)k * values,
               t->A.val + (size_t)t->map[k] * values,
               values * sizeof *t->B.val);
}

static void renumber(struct numbered *t, lcl_context *ctx)
{
    struct lcl_reordered B = {
        .perm = test_upload(ctx, t->perm, t->B.rows, sizeof *t->perm),
        .col = test_upload(ctx, t->B.col_ind, t->B.nnz, sizeof(int32_t)),
    };
    assert_int_equal(lcl_buffer_create_narrow(&B.row_ptr, ctx, t->B.row_ptr,
                                              t->B.rows + 1, "row pointers"),
                     LCL_OK);
    assert_int_equal(
        lcl_buffer_create_narrow(&B.map, ctx, t->map, t->B.nnz, "map"), LCL_OK);
    assert_int_equal(lcl_operator_renumber(t->op, &B), LCL_OK);
    lcl_buffer_destroy(&B.map); // where the operator has no use for it
}

// `place`: of struct lcl_blocked.
static void numbered_init(struct numbered *t, lcl_context *ctx, int64_t rows,
                          int block, const int64_t *place, int64_t entries,
                          enum lcl_spmv_type type)
{
    const struct lcl_operator_params params = {.spmv = type};
    struct lcl_csr pattern = test_random_csr(rows, 4, 1), reordered;
    struct lcl_blocked given;
    t->A = test_random_blocks(&pattern, block, 2);
    t->perm = test_random_permutation(rows, 3);
    assert_int_equal(
        lcl_csr_reorder(&reordered, &t->map, &pattern, t->perm, NULL), LCL_OK);
    t->B = test_random_blocks(&reordered, block, 4);
    copy_blocks(t);
    assert_int_equal(lcl_blocked_from_bsr(&given, ctx, &t->A, 0), LCL_OK);
    if (place) {
        given.entries = entries;
        given.staged = test_poisoned(ctx, entries, sizeof(double));
        lcl_buffer *places;
        assert_int_equal(
            lcl_buffer_create_narrow(&places, ctx, place, entries, "places"),
            LCL_OK);
        assert_int_equal(lcl_sources_place(&given.sources, ctx, places, entries,
                                           t->A.nnz * block * block, block),
                         LCL_OK);
        lcl_buffer_destroy(&places);
    }
    assert_int_equal(lcl_matrix_operator_create(&t->op, ctx, &given, &params),
                     LCL_OK);
    lcl_blocked_finish(&given);
    lcl_csr_finish(&reordered);
    test_csr_finish(&pattern);
}

static void numbered_finish(struct numbered *t)
{
    lcl_operator_destroy(&t->op);
    test_bsr_finish(&t->A);
    test_bsr_finish(&t->B);
    free(t->perm);
    lcl_free(t->map);
}

static void expect_values(const struct lcl_device_matrix *D,
                          const double *expected, int64_t count)
{
    double *val = test_vector(count);
    assert_int_equal(lcl_buffer_read(D->val, val, (size_t)count * sizeof *val),
                     LCL_OK);
    test_expect_same("value", val, expected, count);
    free(val);
}

static void renew(struct numbered *t, unsigned seed)
{
    const int64_t count = t->A.nnz * lcl_block_values(&t->A);
    double *val = test_random_vector(count, seed);
    memcpy(t->A.val, val, (size_t)count * sizeof *val);
    copy_blocks(t);
    free(val);
}

// y = A x by the host and by the operator, through host vectors and buffers.
static void expect_products(struct numbered *t, lcl_context *ctx)
{
    const int64_t n = t->A.rows * t->A.block_size;
    double *x = test_random_vector(n, 5), *y = test_vector(n);
    double *expected = test_vector(n);
    lcl_bsr_multiply(&t->A, x, expected);
    assert_int_equal(lcl_operator_apply(t->op, x, y), LCL_OK);
    test_expect_near("y", y, expected, n, 1e-12);
    assert_int_equal(lcl_operator_apply_many(t->op, x, n, y, n, 1), LCL_OK);
    test_expect_near("Y", y, expected, n, 1e-12);
    lcl_buffer *in = test_upload(ctx, x, n, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *y);
    assert_int_equal(lcl_apply_buffers(t->op, in, out), LCL_OK);
    test_download(out, y, n, sizeof *y);
    test_expect_near("y in a buffer", y, expected, n, 1e-12);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(x);
    free(y);
    free(expected);
}

// ------------------------------------------------------------------ vectors

static void expect_vectors(lcl_context *ctx, int64_t rows_of_blocks, int block)
{
    struct numbered t;
    numbered_init(&t, ctx, rows_of_blocks, block, NULL, 0, LCL_SPMV_CSR);
    expect_products(&t, ctx);
    renumber(&t, ctx);
    const int64_t n = rows_of_blocks * block;
    const struct lcl_numbering *N = t.op->numbering;
    double *x = test_random_vector(n, 5), *y = test_vector(n);
    double *expected = test_vector(n);
    int32_t *rows;
    lcl_buffer *vector = test_poisoned(ctx, n, sizeof *x);
    assert_int_equal(lcl_numbering_write(N, x, vector), LCL_OK);
    test_download(vector, y, n, sizeof *y);
    assert_int_equal(lcl_numbering_rows(N, &rows), LCL_OK);
    for (int64_t i = 0; i < n; ++i) {
        assert_int_equal(rows[i],
                         (int64_t)t.perm[i / block] * block + i % block);
        expected[i] = x[rows[i]];
    }
    test_expect_same("written", y, expected, n);
    assert_int_equal(lcl_numbering_read(N, vector, y), LCL_OK);
    test_expect_same("read", y, x, n);
    expect_products(&t, ctx);
    lcl_buffer_destroy(&vector);
    lcl_free(rows);
    numbered_finish(&t);
    free(x);
    free(y);
    free(expected);
}

static void test_numbering__vectors_go_there_and_back(void **state)
{
    for (int b = 1; b <= 4; ++b)
        expect_vectors(*state, 37, b);
    // too many for the host to permute
    expect_vectors(*state, 16385, 1);
    expect_vectors(*state, 8193, 2);
}

// ------------------------------------------------------------------ values

// From a buffer, behind a value that nobody may take, and then with `bad`,
// which changes nothing.
static void expect_taken(struct numbered *t, lcl_context *ctx, double bad)
{
    const int64_t count = t->A.nnz * lcl_block_values(&t->A);
    const struct lcl_log before = ctx->cl.log;
    struct test_capture capture;
    double *val = test_vector(count + 1);
    val[0] = NAN;
    memcpy(val + 1, t->A.val, (size_t)count * sizeof *val);
    lcl_buffer *buffer = test_upload(ctx, val, count + 1, sizeof *val);
    const struct lcl_array_cl array = {lcl_buffer_mem(buffer), 1};
    assert_int_equal(lcl_operator_update_cl(t->op, &array, NULL), LCL_OK);
    for (int64_t k = 1; k <= count; ++k)
        val[k] = k == 1 + count / 3 ? bad : -1;
    assert_int_equal(
        lcl_buffer_write(buffer, val, (size_t)(count + 1) * sizeof *val),
        LCL_OK);
    test_capture_init(&capture, LCL_LOG_ERROR);
    ctx->cl.log = capture.log;
    assert_int_equal(lcl_operator_update_cl(t->op, &array, NULL), LCL_EFORMAT);
    ctx->cl.log = before;
    lcl_buffer_destroy(&buffer);
    free(val);
}

static void expect_new_values(lcl_context *ctx, int block,
                              enum lcl_spmv_type type)
{
    struct numbered t;
    numbered_init(&t, ctx, 41, block, NULL, 0, type);
    const int64_t count = t.A.nnz * block * block;
    expect_values(t.op->matrix, t.A.val, count);
    expect_products(&t, ctx);
    renew(&t, 5);
    expect_taken(&t, ctx, INFINITY);
    expect_values(t.op->matrix, t.A.val, count);
    expect_products(&t, ctx);
    renumber(&t, ctx);
    expect_values(t.op->matrix, t.B.val, count);
    renew(&t, 6);
    assert_int_equal(lcl_operator_update(t.op, t.A.val), LCL_OK);
    expect_values(t.op->matrix, t.B.val, count);
    renew(&t, 7);
    assert_int_equal(lcl_buffer_write(lcl_operator_staging(t.op), t.A.val,
                                      (size_t)count * sizeof(double)),
                     LCL_OK);
    assert_int_equal(lcl_operator_commit_staged(t.op), LCL_OK);
    expect_values(t.op->matrix, t.B.val, count);
    for (unsigned seed = 8; seed < 10; ++seed) {
        renew(&t, seed);
        expect_taken(&t, ctx, NAN);
        expect_values(t.op->matrix, t.B.val, count);
        expect_products(&t, ctx);
    }
    numbered_finish(&t);
}

static void test_numbering__new_values_come_in_blocks(void **state)
{
    for (int b = 1; b <= 3; ++b) {
        expect_new_values(*state, b, LCL_SPMV_CSR);
        expect_new_values(*state, b, LCL_SPMV_SLICED);
    }
}

// Every second value of A is an entry of the caller's, the last one first; the
// others are padding.
static void expect_entries(lcl_context *ctx, bool reordered)
{
    enum { ROWS = 29, SIZE = 3 };
    struct numbered t;
    struct lcl_csr pattern = test_random_csr(ROWS, 4, 1);
    const int64_t count = pattern.nnz * SIZE * SIZE, entries = count / 2;
    double *val = test_random_vector(entries, 7);
    int64_t *place = calloc((size_t)entries, sizeof *place);
    assert_non_null(place);
    for (int64_t k = 0; k < entries; ++k)
        place[k] = 2 * (entries - 1 - k);
    numbered_init(&t, ctx, ROWS, SIZE, place, entries, LCL_SPMV_CSR);
    if (reordered)
        renumber(&t, ctx);
    assert_int_equal(lcl_operator_info(t.op)->nnz, entries);
    expect_values(t.op->matrix, reordered ? t.B.val : t.A.val, count);
    memset(t.A.val, 0, (size_t)count * sizeof *t.A.val);
    for (int64_t k = 0; k < entries; ++k)
        t.A.val[place[k]] = val[k];
    copy_blocks(&t);
    assert_int_equal(lcl_operator_update(t.op, val), LCL_OK);
    expect_values(t.op->matrix, reordered ? t.B.val : t.A.val, count);
    numbered_finish(&t);
    test_csr_finish(&pattern);
    free(place);
    free(val);
}

static void test_numbering__new_values_come_as_entries(void **state)
{
    expect_entries(*state, false);
    expect_entries(*state, true);
}

// ------------------------------------------------------------------ copies

static void expect_copy(lcl_context *ctx, int block, bool reordered)
{
    struct numbered t;
    lcl_operator *copy;
    lcl_buffer *map;
    numbered_init(&t, ctx, 31, block, NULL, 0, LCL_SPMV_CSR);
    if (reordered)
        renumber(&t, ctx);
    assert_int_equal(lcl_operator_copy(&copy, &map, t.op), LCL_OK);
    const int64_t nnz = t.A.nnz;
    uint32_t *of = calloc((size_t)nnz, sizeof *of);
    struct lcl_bsr back;
    assert_non_null(of);
    assert_int_equal(lcl_buffer_read(map, of, (size_t)nnz * sizeof *of),
                     LCL_OK);
    for (int64_t k = 0; k < nnz; ++k)
        assert_int_equal(reordered ? t.map[of[k]] : of[k], k);
    assert_int_equal(lcl_operator_download(copy, &back, true), LCL_OK);
    assert_memory_equal(back.row_ptr, t.A.row_ptr,
                        (size_t)(t.A.rows + 1) * sizeof *back.row_ptr);
    assert_memory_equal(back.col_ind, t.A.col_ind,
                        (size_t)nnz * sizeof *back.col_ind);
    test_expect_same("value of the copy", back.val, t.A.val,
                     nnz * block * block);
    lcl_bsr_finish(&back);
    free(of);
    lcl_buffer_destroy(&map);
    lcl_operator_destroy(&copy);
    numbered_finish(&t);
}

static void test_numbering__copies_are_in_the_first_order(void **state)
{
    for (int b = 1; b <= 3; ++b) {
        expect_copy(*state, b, false);
        expect_copy(*state, b, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbering__vectors_go_there_and_back),
        cmocka_unit_test(test_numbering__new_values_come_in_blocks),
        cmocka_unit_test(test_numbering__new_values_come_as_entries),
        cmocka_unit_test(test_numbering__copies_are_in_the_first_order),
    };
    return test_device_run(tests);
}
