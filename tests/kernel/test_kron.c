// SPDX-License-Identifier: BSD-3-Clause
// one_pass.cl and okp.cl compared with the explicit matrix.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/products.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "host/runtime.h"
#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/kron.h"

#include <levelcl/published.h>

#include <stdlib.h>

// Reorders v: from consecutive stages to all stages of an unknown together.
static void bring_stages_together(double *v, int64_t n, int s)
{
    double *old = test_vector(n);
    for (int64_t k = 0; k < n; ++k)
        old[k] = v[k];
    for (int64_t r = 0; r < n / s; ++r)
        for (int j = 0; j < s; ++j)
            v[r * s + j] = old[j * (n / s) + r];
    free(old);
}

static void renumber(struct test_product *p, int s)
{
    bring_stages_together(p->x, p->n, s);
    bring_stages_together(p->w, p->n, s);
    bring_stages_together(p->ax, p->n, s);
    lcl_buffer_destroy(&p->device_x);
    lcl_buffer_destroy(&p->device_w);
    p->device_x = test_upload(p->ctx, p->x, p->n, sizeof *p->x);
    p->device_w = test_upload(p->ctx, p->w, p->n, sizeof *p->w);
}

// All modes of one type, with the current values of the operator.
static void expect_products(lcl_context *ctx, lcl_operator *P,
                            const struct lcl_kron *K)
{
    struct lcl_csr A;
    struct test_product p;
    assert_int_equal(lcl_ref_kron_csr(&A, K, lcl_context_log(ctx)), LCL_OK);
    const struct lcl_bsr whole = lcl_bsr_of_csr(&A);
    test_product_init(&p, ctx, &whole);
    if (lcl_kron_of(P)->ops->stages_innermost)
        renumber(&p, K->stages);
    P->range.groups = TEST_PRODUCT_GROUPS;
    p.op = P;
    test_product_expect_all(&p);
    test_product_finish(&p);
    lcl_csr_finish(&A);
}

static enum lcl_status create(lcl_operator **P, lcl_context *ctx,
                              const struct lcl_kron *K, enum lcl_kron_type type)
{
    const struct lcl_operator_params params = {.kron = type};
    return lcl_operator_create_kron(P, ctx, K, &params);
}

static void expect_type(lcl_context *ctx, int s, int b,
                        enum test_kron_patterns patterns,
                        enum lcl_kron_type type)
{
    struct test_kron T;
    lcl_operator *P;
    if (test_width(ctx) > 1 && b > test_width(ctx))
        return;
    test_kron_init(&T, s, b, test_size(9, 40), patterns);
    assert_int_equal(create(&P, ctx, &T.K, type), LCL_OK);
    expect_products(ctx, P, &T.K);
    T.K.tau = -2;
    for (int64_t k = 0; k < T.M.nnz * b * b; ++k)
        T.M.val[k] = 1 - 3 * T.M.val[k];
    assert_int_equal(lcl_operator_update_kron(P, &T.K), LCL_OK);
    expect_products(ctx, P, &T.K);
    lcl_operator_destroy(&P);
    test_kron_finish(&T);
}

// Stages, and rows of a block.
static const int shapes[][2] = {{2, 4}, {3, 2}, {1, 3}, {6, 3},
                                {8, 4}, {4, 1}, {2, 8}, {5, 7}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static void expect_shapes(lcl_context *ctx, enum test_kron_patterns patterns,
                          enum lcl_kron_type type)
{
    const int count = test_size(4, SHAPES);
    for (int k = 0; k < count; ++k)
        expect_type(ctx, shapes[k][0], shapes[k][1], patterns, type);
}

static void test_kron__one_pass_matches(void **state)
{
    expect_shapes(*state, TEST_KRON_EQUAL, LCL_KRON_ONE_PASS);
}

static void test_kron__patterns_that_differ_little_are_united(void **state)
{
    expect_type(*state, 2, 4, TEST_KRON_NEAR, LCL_KRON_ONE_PASS);
}

static void test_kron__patterns_that_differ_take_two_passes(void **state)
{
    expect_type(*state, 3, 2, TEST_KRON_FAR, LCL_KRON_ONE_PASS);
    expect_type(*state, 2, 4, TEST_KRON_FAR, LCL_KRON_ONE_PASS);
}

static void test_kron__okp_matches(void **state)
{
    expect_shapes(*state, TEST_KRON_NEAR, LCL_KRON_OKP);
    expect_type(*state, 3, 2, TEST_KRON_FAR, LCL_KRON_OKP);
}

static void test_kron__cu_matches(void **state)
{
    expect_type(*state, 2, 4, TEST_KRON_NEAR, LCL_KRON_CU);
    expect_type(*state, 3, 1, TEST_KRON_FAR, LCL_KRON_CU);
}

static void test_kron__sixteen_stages_match(void **state)
{
    expect_type(*state, 16, 2, TEST_KRON_EQUAL, LCL_KRON_ONE_PASS);
    expect_type(*state, 16, 2, TEST_KRON_EQUAL, LCL_KRON_OKP);
}

static void test_kron__blocks_of_more_rows_than_lanes_are_refused(void **state)
{
    const int width = test_width(*state);
    const enum lcl_log_level level =
        lcl_context_set_log_level(*state, LCL_LOG_NONE);
    for (int k = 0; k < TEST_KRON_TYPES; ++k) {
        struct test_kron T;
        lcl_operator *P;
        test_kron_init(&T, 2, 8, 5, TEST_KRON_NEAR);
        assert_int_equal(create(&P, *state, &T.K, test_kron_types[k]),
                         width > 1 && width < 8 ? LCL_EUNSUPPORTED : LCL_OK);
        lcl_operator_destroy(&P);
        test_kron_finish(&T);
    }
    lcl_context_set_log_level(*state, level);
}

// ------------------------------------------------------- wide row pointers

enum { STAGES = 2, BLOCK = 2 };

// Two matrices with the same pattern, a vector and coefficients, on the device.
struct wide {
    struct lcl_bsr M, L;
    int64_t n;                   // rows
    double *x, *coef, *expected; // consecutive stages
    lcl_buffer *row_ptr, *col;
    lcl_buffer *val; // of M, or pairs of both
    lcl_buffer *device_x, *device_coef, *y, *go_on;
};

static lcl_buffer *upload_values(lcl_context *ctx, const struct wide *W,
                                 bool paired)
{
    const int64_t count = W->M.nnz * BLOCK * BLOCK;
    double *pairs = test_vector(2 * count);
    for (int64_t k = 0; k < count; ++k) {
        pairs[2 * k] = W->M.val[k];
        pairs[2 * k + 1] = W->L.val[k];
    }
    lcl_buffer *val = paired ? test_upload(ctx, pairs, 2 * count, sizeof *pairs)
                             : test_upload(ctx, W->M.val, count, sizeof *pairs);
    free(pairs);
    return val;
}

static void wide_init(struct wide *W, lcl_context *ctx, bool paired)
{
    struct lcl_csr pattern = test_random_csr(test_size(9, 40), 4, 9);
    *W = (struct wide){.M = test_random_blocks(&pattern, BLOCK, 3),
                       .L = test_random_blocks(&pattern, BLOCK, 4)};
    W->n = W->M.rows * BLOCK;
    W->x = test_random_vector(STAGES * W->n, 5);
    W->coef = test_random_vector(2 * STAGES * STAGES, 6);
    W->expected = test_vector(STAGES * W->n);
    W->row_ptr = test_upload(ctx, W->M.row_ptr, W->M.rows + 1, sizeof(int64_t));
    W->col = test_upload(ctx, W->M.col_ind, W->M.nnz, sizeof(int32_t));
    W->val = upload_values(ctx, W, paired);
    W->y = test_poisoned(ctx, STAGES * W->n, sizeof(double));
    W->go_on = test_stop_flag(ctx, 0);
    test_csr_finish(&pattern);
}

static void wide_upload(struct wide *W, lcl_context *ctx)
{
    W->device_x = test_upload(ctx, W->x, STAGES * W->n, sizeof *W->x);
    W->device_coef =
        test_upload(ctx, W->coef, 2 * STAGES * STAGES, sizeof *W->coef);
}

static void wide_compare(struct wide *W)
{
    double *got = test_vector(STAGES * W->n);
    test_download(W->y, got, STAGES * W->n, sizeof *got);
    test_expect_near("y", got, W->expected, STAGES * W->n, 1e-12);
    free(got);
}

static void wide_finish(struct wide *W)
{
    lcl_buffer **const all[] = {&W->row_ptr,  &W->col,         &W->val,
                                &W->device_x, &W->device_coef, &W->y,
                                &W->go_on};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(all[i]);
    test_bsr_finish(&W->M);
    test_bsr_finish(&W->L);
    free(W->x);
    free(W->coef);
    free(W->expected);
}

static void test_kron__okp_matches_with_wide_row_pointers(void **state)
{
    const struct lcl_spec spec = {.source = "okp.cl",
                                  .kernel = "okp_multiply",
                                  .block = BLOCK,
                                  .group = test_group(*state, 2),
                                  .wide = 1,
                                  .defines = {{"STAGES", STAGES}}};
    struct wide W;
    wide_init(&W, *state, false);
    wide_upload(&W, *state);
    for (int j = 0; j < STAGES; ++j)
        lcl_bsr_multiply(&W.M, W.x + j * W.n, W.expected + j * W.n);
    assert_int_equal(
        LCL_LAUNCH(test_kernel(*state, &spec), 2, lcl_arg_long(W.M.rows),
                   lcl_arg_buffer(W.row_ptr), lcl_arg_buffer(W.col),
                   lcl_arg_buffer(W.val), lcl_arg_long(W.M.rows),
                   lcl_arg_int(0), lcl_arg_buffer(W.device_x),
                   lcl_arg_buffer(W.y), lcl_arg_int(0), lcl_arg_buffer(W.go_on),
                   lcl_arg_int(0)),
        LCL_OK);
    wide_compare(&W);
    wide_finish(&W);
}

// --------------------------------------------------- columns of other ranks

// Stages of y before a product with half as many block columns as block rows,
// and after it.
struct halved {
    struct lcl_bsr A;
    double *t, *y, *expected;
    int64_t rows, cols; // of a stage of y and of t
};

static void halved_init(struct halved *H)
{
    struct lcl_csr pattern = test_random_csr(test_size(9, 40), 4, 9);
    *H = (struct halved){.A = test_random_blocks(&pattern, BLOCK, 3)};
    H->A.cols = (H->A.rows + 1) / 2;
    for (int64_t k = 0; k < H->A.nnz; ++k)
        H->A.col_ind[k] /= 2;
    H->rows = H->A.rows * BLOCK;
    H->cols = H->A.cols * BLOCK;
    H->t = test_random_vector(STAGES * H->cols, 5);
    H->y = test_random_vector(STAGES * H->rows, 6);
    H->expected = test_vector(STAGES * H->rows);
    test_csr_finish(&pattern);
}

static void halved_finish(struct halved *H)
{
    test_bsr_finish(&H->A);
    free(H->t);
    free(H->y);
    free(H->expected);
}

// Adds A t to stages first .. first + count - 1 of y; others keep their values.
static void expect_added(lcl_context *ctx, int first, int count)
{
    const struct lcl_spec spec = {.source = "okp.cl",
                                  .kernel = "okp_multiply",
                                  .block = BLOCK,
                                  .group = test_group(ctx, 2),
                                  .defines = {{"STAGES", count}}};
    struct lcl_device_matrix D;
    struct halved H;
    halved_init(&H);
    for (int j = 0; j < STAGES; ++j) {
        double *y = H.expected + j * H.rows;
        if (j >= first && j < first + count)
            lcl_bsr_multiply(&H.A, H.t + j * H.cols, y);
        for (int64_t k = 0; k < H.rows; ++k)
            y[k] += H.y[j * H.rows + k];
    }
    lcl_buffer *t = test_upload(ctx, H.t, STAGES * H.cols, sizeof *H.t);
    lcl_buffer *y = test_upload(ctx, H.y, STAGES * H.rows, sizeof *H.y);
    lcl_buffer *go_on = test_stop_flag(ctx, 0);
    assert_int_equal(lcl_device_matrix_init(&D, ctx, &H.A), LCL_OK);
    assert_int_equal(
        LCL_LAUNCH(test_kernel(ctx, &spec), 2, lcl_arg_long(H.A.rows),
                   lcl_arg_buffer(D.row_ptr), lcl_arg_buffer(D.col),
                   lcl_arg_buffer(D.val), lcl_arg_long(H.A.cols),
                   lcl_arg_int(first), lcl_arg_buffer(t), lcl_arg_buffer(y),
                   lcl_arg_int(1), lcl_arg_buffer(go_on), lcl_arg_int(0)),
        LCL_OK);
    test_download(y, H.y, STAGES * H.rows, sizeof *H.y);
    test_expect_near("y", H.y, H.expected, STAGES * H.rows, 1e-12);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&y);
    lcl_buffer_destroy(&t);
    lcl_device_matrix_finish(&D);
    halved_finish(&H);
}

static void test_kron__columns_of_other_ranks_are_added(void **state)
{
    expect_added(*state, 0, STAGES); // OKP-Solver
    expect_added(*state, 1, 1);      // CU-Solver
}

// expected += C T x for the coefficients of one term.
static void add_term(struct wide *W, const struct lcl_bsr *T, int term)
{
    double *u = test_vector(W->n);
    for (int l = 0; l < STAGES; ++l) {
        lcl_bsr_multiply(T, W->x + l * W->n, u);
        for (int j = 0; j < STAGES; ++j)
            for (int64_t k = 0; k < W->n; ++k)
                W->expected[j * W->n + k] +=
                    W->coef[(term * STAGES + l) * STAGES + j] * u[k];
    }
    free(u);
}

static void expect_wide_one_pass(lcl_context *ctx, bool paired)
{
    const int waves = 2, width = test_width(ctx);
    const struct lcl_spec spec = {
        .source = "one_pass.cl",
        .kernel = "one_pass",
        .block = BLOCK,
        .group = test_group(ctx, waves),
        .wide = 1,
        .defines = {{"STAGES", STAGES}, {"ONE_TERM", !paired}}};
    const int64_t rows = width == 1 ? 4 : waves * (width / BLOCK);
    struct wide W;
    wide_init(&W, ctx, paired);
    add_term(&W, &W.M, 0);
    if (paired)
        add_term(&W, &W.L, 1);
    bring_stages_together(W.x, STAGES * W.n, STAGES);
    bring_stages_together(W.expected, STAGES * W.n, STAGES);
    wide_upload(&W, ctx);
    assert_int_equal(
        LCL_LAUNCH(test_kernel(ctx, &spec), (W.M.rows + rows - 1) / rows,
                   lcl_arg_long(W.M.rows), lcl_arg_buffer(W.row_ptr),
                   lcl_arg_buffer(W.col), lcl_arg_buffer(W.val),
                   lcl_arg_buffer(W.device_coef), lcl_arg_buffer(W.device_x),
                   lcl_arg_buffer(W.y), lcl_arg_int(0), lcl_arg_buffer(W.go_on),
                   lcl_arg_int(0)),
        LCL_OK);
    wide_compare(&W);
    wide_finish(&W);
}

static void test_kron__one_pass_matches_with_wide_row_pointers(void **state)
{
    expect_wide_one_pass(*state, true);
    expect_wide_one_pass(*state, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron__one_pass_matches),
        cmocka_unit_test(test_kron__patterns_that_differ_little_are_united),
        cmocka_unit_test(test_kron__patterns_that_differ_take_two_passes),
        cmocka_unit_test(test_kron__okp_matches),
        cmocka_unit_test(test_kron__cu_matches),
        cmocka_unit_test(test_kron__sixteen_stages_match),
        cmocka_unit_test(test_kron__blocks_of_more_rows_than_lanes_are_refused),
        cmocka_unit_test(test_kron__okp_matches_with_wide_row_pointers),
        cmocka_unit_test(test_kron__columns_of_other_ranks_are_added),
        cmocka_unit_test(test_kron__one_pass_matches_with_wide_row_pointers),
    };
    return test_device_run(tests);
}
