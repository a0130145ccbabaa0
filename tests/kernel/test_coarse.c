// SPDX-License-Identifier: BSD-3-Clause
// coarse.cl, coarse_columns.cl and the forms of two levels compared with the
// reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "lib/matrix/bsr.h"
#include "lib/multilevel/two_level.h"
#include "lib/ref/aggregate.h"
#include "lib/ref/coarse.h"
#include "lib/vector/interleaved.h"

#include <math.h>
#include <stdlib.h>

// A block matrix: the pattern of its block rows, and the same matrix with
// scalar entries.
struct problem {
    struct test_system S; // S.B is the pattern
    int block;
    struct lcl_csr A; // S.B with scalar entries
    double *val;      // values of S.B, block by block
    int32_t *label;   // aggregate of each block row
    int64_t aggregates;
};

// Diagonal blocks are changed so that the components differ.
static double value_of(const struct lcl_csr *B, int64_t i, int64_t k, int u,
                       int v)
{
    const double a = B->val[k] * (u == v ? 1 : 0.1 + 0.02 * u - 0.03 * v);
    return B->col_ind[k] == i && u == v ? 1.3 * a : a;
}

static void fill_values(struct problem *P)
{
    const struct lcl_csr *B = &P->S.B;
    const int b = P->block;
    P->A = test_expand_blocks(B, b);
    P->val = test_vector(B->nnz * b * b);
    for (int64_t i = 0; i < B->rows; ++i)
        for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
            for (int u = 0; u < b; ++u)
                for (int v = 0; v < b; ++v) {
                    const int64_t before = k - B->row_ptr[i];
                    const double a = value_of(B, i, k, u, v);
                    P->val[(k * b + u) * b + v] = a;
                    P->A.val[P->A.row_ptr[i * b + u] + before * b + v] = a;
                }
}

static void find_labels(struct problem *P, int64_t most)
{
    const struct lcl_subdomains *parts = &P->S.P;
    int32_t *aggregate = calloc((size_t)parts->parts, sizeof *aggregate);
    P->label = calloc((size_t)P->S.B.rows, sizeof *P->label);
    assert_non_null(aggregate);
    assert_non_null(P->label);
    assert_int_equal(lcl_ref_aggregate(aggregate, &P->aggregates, &P->S.B,
                                       parts->part_ptr, parts->parts, most,
                                       NULL),
                     LCL_OK);
    for (int64_t p = 0; p < parts->parts; ++p)
        for (int64_t i = parts->part_ptr[p]; i < parts->part_ptr[p + 1]; ++i)
            P->label[i] = aggregate[p];
    free(aggregate);
}

static void problem_init(struct problem *P, struct lcl_csr A, int64_t part_rows,
                         int block, int64_t most)
{
    *P = (struct problem){.block = block};
    test_system_from(&P->S, A, part_rows, false);
    fill_values(P);
    find_labels(P, most);
}

static void problem_finish(struct problem *P)
{
    test_system_finish(&P->S);
    test_csr_finish(&P->A);
    free(P->val);
    free(P->label);
}

// ------------------------------------------------------------------ the inner

// M = diag(2 + i mod 3), on the device and in plain C.
struct diagonal {
    int64_t n;
    double *inv_d;
    const struct lcl_subdomains *parts; // of the sums of columns; NULL: none
    lcl_kernel *scale;
    lcl_operator op; // y = D^-1 x
    lcl_buffer *buffer;
};

static enum lcl_status apply_device(lcl_operator *A, enum lcl_mode mode,
                                    const struct lcl_operands *v)
{
    const struct diagonal *D = A->state;
    (void)mode;
    return LCL_LAUNCH(D->scale, 3, lcl_arg_long(D->n),
                      lcl_arg_buffer(D->buffer), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// Over each subdomain, as packed_columns.cl leaves them.
static void write_sums(const struct diagonal *D, int columns,
                       const struct lcl_operands *v)
{
    const struct lcl_subdomains *S = D->parts;
    const int64_t n = D->n * columns, count = 2 * columns * S->parts;
    double *x = test_vector(n), *y = test_vector(n), *sums = test_vector(count);
    test_download(v->x, x, n, sizeof *x);
    test_download(v->y, y, n, sizeof *y);
    for (int64_t p = 0; p < S->parts; ++p)
        for (int64_t k = S->part_ptr[p] * columns;
             k < S->part_ptr[p + 1] * columns; ++k) {
            sums[k % columns * S->parts + p] += x[k] * y[k];
            sums[(columns + k % columns) * S->parts + p] += x[k];
        }
    assert_int_equal(
        lcl_buffer_write(v->sums, sums, (size_t)count * sizeof *sums), LCL_OK);
    free(x);
    free(y);
    free(sums);
}

static enum lcl_status apply_columns(lcl_operator *A, enum lcl_mode mode,
                                     const struct lcl_operands *v)
{
    const struct diagonal *D = A->state;
    const int columns = (int)(A->range.n / D->n);
    lcl_kernel *kernel;
    assert_int_equal(
        lcl_interleaved_kernel(&kernel, A->range.ctx, columns, "columns_scale"),
        LCL_OK);
    const enum lcl_status st =
        LCL_LAUNCH(kernel, 3, lcl_arg_long(D->n), lcl_arg_buffer(D->buffer),
                   lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                   lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
    if (mode == LCL_APPLY_DOT)
        write_sums(D, columns, v);
    return st;
}

static const struct lcl_operator_ops columns_ops = {.apply = apply_columns};

static enum lcl_status interleave_device(lcl_operator *out, lcl_operator *A,
                                         int columns)
{
    const struct diagonal *D = A->state;
    (void)columns;
    out->ops = &columns_ops;
    out->state = A->state;
    out->modes = D->parts ? LCL_MODE_BIT(LCL_APPLY_DOT) : 0;
    return LCL_OK;
}

static const struct lcl_operator_ops smoother_ops = {
    .apply = apply_device,
    .interleave = interleave_device,
};

static void diagonal_init(struct diagonal *D, lcl_context *ctx, int64_t n)
{
    const struct lcl_spec spec = {
        .source = "vector.cl", .kernel = "scale", .group = test_group(ctx, 2)};
    *D = (struct diagonal){.n = n, .inv_d = test_vector(n)};
    for (int64_t i = 0; i < n; ++i)
        D->inv_d[i] = 1 / (double)(2 + i % 3);
    D->scale = test_kernel(ctx, &spec);
    D->buffer = test_upload(ctx, D->inv_d, n, sizeof *D->inv_d);
    const struct lcl_space V = lcl_space_of(ctx, n);
    lcl_operator_init(&D->op, &smoother_ops, V, V);
    D->op.state = D;
}

static void diagonal_finish(struct diagonal *D)
{
    free(D->inv_d);
    lcl_buffer_destroy(&D->buffer);
}

static void apply_host(void *user, const double *r, double *z)
{
    const struct diagonal *D = user;
    for (int64_t i = 0; i < D->n; ++i)
        z[i] = D->inv_d[i] * r[i];
}

// ------------------------------------------------------------------ comparing

static void (*const references[])(struct lcl_ref_coarse *C,
                                  const struct lcl_ref_inner *M,
                                  const double *r, double *x) = {
    [LCL_TWO_LEVEL_ADD] = lcl_ref_coarse_add,
    [LCL_TWO_LEVEL_MULT] = lcl_ref_coarse_mult,
};

static void poison(struct lcl_coarse_space *C)
{
    lcl_buffer *const all[] = {C->w, C->t, C->e, C->y, C->inverse.matrix};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        assert_int_equal(lcl_buffer_fill(all[i], 0xff), LCL_OK);
}

static void coarse_init(struct lcl_coarse_space *C, lcl_context *ctx,
                        const struct problem *P,
                        const struct lcl_coarse_params *params)
{
    struct lcl_bsr B = lcl_bsr_of_csr(&P->S.B);
    struct lcl_device_matrix D;
    B.block_size = P->block;
    B.val = P->val;
    assert_int_equal(lcl_device_matrix_init(&D, ctx, &B), LCL_OK);
    assert_int_equal(lcl_coarse_init(C, ctx, &D, &P->S.P, params), LCL_OK);
    lcl_device_matrix_finish(&D);
    assert_int_equal(C->pattern.aggregates, P->aggregates);
    poison(C);
}

static void update(struct lcl_coarse_space *C, const struct problem *P)
{
    lcl_buffer *val = test_upload(C->ctx, P->val, P->A.nnz, sizeof *P->val);
    assert_int_equal(lcl_coarse_update(C, val), LCL_OK);
    lcl_buffer_destroy(&val);
}

struct vectors {
    double *r, *expected, *x[2];
    lcl_buffer *in, *out, *go_on, *stop;
};

static void vectors_init(struct vectors *v, lcl_context *ctx, int64_t n)
{
    *v = (struct vectors){
        .r = test_random_vector(n, 5),
        .expected = test_vector(n),
        .x = {test_vector(n), test_vector(n)},
        .go_on = test_stop_flag(ctx, 0),
        .stop = test_stop_flag(ctx, 7),
    };
    v->in = test_upload(ctx, v->r, n, sizeof *v->r);
}

static void vectors_finish(struct vectors *v)
{
    lcl_buffer_destroy(&v->in);
    lcl_buffer_destroy(&v->out);
    lcl_buffer_destroy(&v->go_on);
    lcl_buffer_destroy(&v->stop);
    free(v->r);
    free(v->expected);
    free(v->x[0]);
    free(v->x[1]);
}

static enum lcl_status apply(struct lcl_two_level *T, const struct vectors *v,
                             const lcl_buffer *stop)
{
    const struct lcl_operands operands = {
        .x = v->in, .y = v->out, .stop = stop};
    return lcl_apply(&T->op, LCL_APPLY, &operands);
}

// Checks that a set stopping flag prevents any change; then that two
// applications are near the reference and bitwise equal.
static void expect_apply(struct lcl_coarse_space *C, const struct problem *P,
                         enum lcl_two_level_form form, double tolerance)
{
    const int64_t n = P->A.rows;
    struct diagonal D;
    struct vectors v;
    struct lcl_ref_coarse R;
    struct lcl_two_level T;
    diagonal_init(&D, C->ctx, n);
    vectors_init(&v, C->ctx, n);
    assert_int_equal(lcl_two_level_init(&T, C, &D.op, form), LCL_OK);
    const struct lcl_ref_inner ref_inner = {apply_host, &D};
    for (int i = 0; i < 2; ++i) {
        lcl_buffer_destroy(&v.out);
        v.out = test_poisoned(C->ctx, n, sizeof(double));
        assert_int_equal(apply(&T, &v, v.stop), LCL_OK);
        test_untouched(v.out);
        assert_int_equal(apply(&T, &v, v.go_on), LCL_OK);
        test_download(v.out, v.x[i], n, sizeof(double));
    }
    assert_int_equal(
        lcl_ref_coarse_init(&R, &P->A, P->label, P->aggregates, P->block),
        LCL_OK);
    references[form](&R, &ref_inner, v.r, v.expected);
    test_expect_near("x", v.x[0], v.expected, n, tolerance);
    test_expect_same("x of the second apply", v.x[1], v.x[0], n);
    lcl_ref_coarse_finish(&R);
    vectors_finish(&v);
    diagonal_finish(&D);
}

// The same for A-DEF2 and the dot product that follows it.
static void expect_deflated(struct lcl_coarse_space *C, const struct problem *P)
{
    const int64_t n = P->A.rows;
    struct diagonal D;
    struct vectors v;
    struct lcl_ref_coarse R;
    double *sums = test_vector(C->groups), dots[2] = {0, 0};
    diagonal_init(&D, C->ctx, n);
    vectors_init(&v, C->ctx, n);
    v.out = test_poisoned(C->ctx, n, sizeof(double));
    lcl_buffer *partial = test_poisoned(C->ctx, C->groups, sizeof *sums);
    struct lcl_two_level T;
    struct lcl_operands dot = {
        .x = v.in, .w = v.in, .y = v.out, .sums = partial, .stop = v.stop};
    const struct lcl_ref_inner ref_inner = {apply_host, &D};
    assert_int_equal(lcl_two_level_init(&T, C, &D.op, LCL_TWO_LEVEL_DEFLATED),
                     LCL_OK);
    assert_int_equal(lcl_apply(&T.op, LCL_APPLY_DOT, &dot), LCL_OK);
    test_untouched(v.out);
    test_untouched(partial);
    dot.stop = v.go_on;
    assert_int_equal(lcl_apply(&T.op, LCL_APPLY_DOT, &dot), LCL_OK);
    test_download(v.out, v.x[0], n, sizeof(double));
    test_download(partial, sums, C->groups, sizeof *sums);
    assert_int_equal(
        lcl_ref_coarse_init(&R, &P->A, P->label, P->aggregates, P->block),
        LCL_OK);
    lcl_ref_coarse_deflated(&R, &ref_inner, v.r, v.expected);
    test_expect_near("x", v.x[0], v.expected, n, 1e-11);
    for (int g = 0; g < C->groups; ++g)
        dots[0] += sums[g];
    for (int64_t i = 0; i < n; ++i)
        dots[1] += v.r[i] * v.expected[i];
    test_expect_near("<r, x>", &dots[0], &dots[1], 1, 1e-9);
    assert_int_equal(apply(&T, &v, v.go_on), LCL_OK);
    test_download(v.out, v.x[1], n, sizeof(double));
    test_expect_same("x without the dot product", v.x[1], v.x[0], n);
    lcl_buffer_destroy(&partial);
    lcl_ref_coarse_finish(&R);
    vectors_finish(&v);
    diagonal_finish(&D);
    free(sums);
}

// The correction alone: Z E^-1 Z^T r.
// Nothing behind it: the correction alone clears its result first.
static lcl_buffer *poisoned_vector(lcl_context *ctx, int64_t n)
{
    const struct lcl_space V = lcl_space_of(ctx, n);
    lcl_buffer *v;
    assert_int_equal(lcl_space_vector(&v, &V), LCL_OK);
    assert_int_equal(lcl_buffer_fill(v, 0xff), LCL_OK);
    return v;
}

static void expect_coarse(struct lcl_coarse_space *C, const struct problem *P)
{
    const int64_t n = P->A.rows;
    struct vectors v;
    struct lcl_ref_coarse R;
    struct lcl_two_level T;
    vectors_init(&v, C->ctx, n);
    v.out = poisoned_vector(C->ctx, n);
    assert_int_equal(lcl_two_level_init(&T, C, NULL, LCL_TWO_LEVEL_COARSE),
                     LCL_OK);
    assert_int_equal(apply(&T, &v, v.go_on), LCL_OK);
    assert_int_equal(lcl_buffer_read(v.out, v.x[0], (size_t)n * sizeof(double)),
                     LCL_OK);
    assert_int_equal(
        lcl_ref_coarse_init(&R, &P->A, P->label, P->aggregates, P->block),
        LCL_OK);
    lcl_ref_coarse_start(&R, v.r, v.expected);
    test_expect_near("correction", v.x[0], v.expected, n, 1e-11);
    lcl_ref_coarse_finish(&R);
    vectors_finish(&v);
}

// ------------------------------------------------------------------ columns

// expected = the result of the reference for each of the columns of r
static void refer_columns(struct lcl_ref_coarse *R,
                          const struct lcl_ref_inner *inner,
                          enum lcl_two_level_form form, int columns,
                          const struct vectors *v)
{
    const int64_t n = R->A->rows;
    double *r = test_vector(n), *x = test_vector(n);
    for (int q = 0; q < columns; ++q) {
        for (int64_t i = 0; i < n; ++i)
            r[i] = v->r[i * columns + q];
        if (form == LCL_TWO_LEVEL_ADD)
            lcl_ref_coarse_add(R, inner, r, x);
        else if (form == LCL_TWO_LEVEL_DEFLATED)
            lcl_ref_coarse_deflated(R, inner, r, x);
        else
            lcl_ref_coarse_start(R, r, x);
        for (int64_t i = 0; i < n; ++i)
            v->expected[i * columns + q] = x[i];
    }
    free(r);
    free(x);
}

// Row q of the partial sums adds up to <r_q, x_q>.
static void expect_dots(const struct vectors *v, int64_t n, int columns,
                        const lcl_buffer *partial, int groups, double tolerance)
{
    double *sums = test_vector(groups * columns);
    test_download(partial, sums, groups * columns, sizeof *sums);
    for (int q = 0; q < columns; ++q) {
        double got = 0, expected = 0;
        for (int g = 0; g < groups; ++g)
            got += sums[q * groups + g];
        for (int64_t i = 0; i < n; ++i)
            expected += v->r[i * columns + q] * v->expected[i * columns + q];
        test_expect_near("<r, x>", &got, &expected, 1, tolerance);
    }
    free(sums);
}

// x += Z e as the operator leaves it to its caller.
static void add_late(const lcl_operator *W, int64_t n, int columns,
                     int64_t aggregates, double *x)
{
    double *e = test_vector(aggregates * columns);
    int32_t *owner = calloc((size_t)n, sizeof *owner);
    assert_non_null(owner);
    assert_int_equal(
        lcl_buffer_read(W->late.e, e,
                        (size_t)(aggregates * columns) * sizeof *e),
        LCL_OK);
    assert_int_equal(
        lcl_buffer_read(W->late.owner, owner, (size_t)n * sizeof *owner),
        LCL_OK);
    for (int64_t i = 0; i < n; ++i)
        for (int q = 0; q < columns; ++q)
            x[i * columns + q] += e[owner[i] * columns + q];
    free(e);
    free(owner);
}

static void expect_columns(struct lcl_coarse_space *C, const struct problem *P,
                           enum lcl_two_level_form form, int columns,
                           bool sums_of_parts, double tolerance)
{
    const int64_t n = P->A.rows;
    struct diagonal D;
    struct vectors v;
    struct lcl_ref_coarse R;
    struct lcl_two_level T;
    lcl_operator W;
    diagonal_init(&D, C->ctx, n);
    D.parts = sums_of_parts ? &P->S.P : NULL;
    vectors_init(&v, C->ctx, n * columns);
    v.out = poisoned_vector(C->ctx, n * columns);
    lcl_buffer *sums =
        test_poisoned(C->ctx, C->groups * columns, sizeof(double));
    struct lcl_operands dot = {
        .x = v.in, .w = v.in, .y = v.out, .sums = sums, .stop = v.stop};
    const struct lcl_ref_inner inner = {apply_host, &D};
    assert_int_equal(lcl_two_level_init(&T, C, &D.op, form), LCL_OK);
    assert_int_equal(lcl_operator_interleave(&W, &T.op, columns), LCL_OK);
    const bool has_dot = lcl_operator_has(&W, LCL_APPLY_DOT);
    assert_int_equal(has_dot, form != LCL_TWO_LEVEL_COARSE);
    const enum lcl_mode mode = has_dot ? LCL_APPLY_DOT : LCL_APPLY;
    assert_int_equal(lcl_apply(&W, mode, &dot), LCL_OK);
    test_untouched(sums);
    dot.stop = v.go_on;
    assert_int_equal(lcl_apply(&W, mode, &dot), LCL_OK);
    assert_int_equal(
        lcl_buffer_read(v.out, v.x[0], (size_t)(n * columns) * sizeof(double)),
        LCL_OK);
    assert_int_equal(lcl_ref_coarse_init(&R, &P->A, P->label, P->aggregates, 1),
                     LCL_OK);
    if (has_dot)
        add_late(&W, n, columns, P->aggregates, v.x[0]);
    refer_columns(&R, &inner, form, columns, &v);
    test_expect_near("columns of x", v.x[0], v.expected, n * columns,
                     tolerance);
    if (has_dot)
        expect_dots(&v, n, columns, sums, C->groups, 100 * tolerance);
    lcl_operator_finish(&W);
    lcl_buffer_destroy(&sums);
    lcl_ref_coarse_finish(&R);
    vectors_finish(&v);
    diagonal_finish(&D);
}

static void expect_forms_of_columns(lcl_context *ctx, int64_t rows,
                                    int64_t most, enum lcl_gemv_method gemv)
{
    static const enum lcl_two_level_form forms[] = {
        LCL_TWO_LEVEL_ADD, LCL_TWO_LEVEL_DEFLATED, LCL_TWO_LEVEL_COARSE};
    const struct lcl_coarse_params params = {
        .block = 1, .most = most, .tile = (int)test_size(8, 0), .gemv = gemv};
    const int64_t side = test_size(3, 12);
    struct lcl_coarse_space C;
    struct problem P;
    problem_init(&P, test_laplacian(side, side, side), rows, 1, most);
    coarse_init(&C, ctx, &P, &params);
    update(&C, &P);
    for (int f = 0; f < 3; ++f)
        for (int columns = 2; columns <= 8; columns *= 2)
            expect_columns(&C, &P, forms[f], columns, columns != 4,
                           gemv == LCL_GEMV_SINGLE ? 1e-5 : 1e-11);
    lcl_coarse_finish(&C);
    problem_finish(&P);
}

static void test_coarse__interleaved_columns_match(void **state)
{
    expect_forms_of_columns(*state, test_size(2, 61), 1000, LCL_GEMV_DOUBLE);
    expect_forms_of_columns(*state, 3, test_size(6, 100), LCL_GEMV_DOUBLE);
    expect_forms_of_columns(*state, 3, test_size(6, 100), LCL_GEMV_SINGLE);
}

static void expect_form(lcl_context *ctx, const struct problem *P,
                        const struct lcl_coarse_params *params,
                        enum lcl_two_level_form form, bool symmetric)
{
    struct lcl_coarse_space C;
    coarse_init(&C, ctx, P, params);
    for (int i = 0; i < 2; ++i) {
        update(&C, P);
        assert_false(C.off);
        expect_apply(&C, P, form, 1e-11);
    }
    if (symmetric)
        expect_deflated(&C, P);
    expect_coarse(&C, P);
    lcl_coarse_finish(&C);
}

// Every form for one problem; A-DEF2 requires a symmetric matrix.
static void expect_forms(lcl_context *ctx, const struct problem *P,
                         int64_t most, bool symmetric)
{
    for (int f = 0; f <= LCL_TWO_LEVEL_MULT; ++f) {
        const struct lcl_coarse_params params = {
            .block = P->block,
            .most = most,
            .tile = (int)test_size(8, 0),
        };
        expect_form(ctx, P, &params, (enum lcl_two_level_form)f, symmetric);
    }
}

static void test_coarse__forms_match_on_every_system(void **state)
{
    enum { ALL = 1000 };
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        struct problem P;
        test_system_init(&S, i, false);
        const int64_t rows = S.P.part_ptr[1];
        problem_init(&P, S.A, rows, 1, ALL);
        S.A = (struct lcl_csr){0};
        test_system_finish(&S);
        expect_forms(*state, &P, ALL, false);
        problem_finish(&P);
    }
}

// A grid divided into slabs of `rows` cells.
static void expect_grid(lcl_context *ctx, int64_t rows, int block, int64_t most)
{
    const int64_t side = test_size(3, 12);
    struct problem P;
    problem_init(&P, test_laplacian(side, side, side), rows, block, most);
    expect_forms(ctx, &P, most, block == 1);
    problem_finish(&P);
}

static void test_coarse__forms_match_on_a_grid(void **state)
{
    expect_grid(*state, test_size(2, 61), 1, 1000);
}

static void test_coarse__merged_subdomains_match(void **state)
{
    expect_grid(*state, 3, 1, test_size(6, 100));
    expect_grid(*state, 7, 1, 1);
}

static void test_coarse__blocks_match(void **state)
{
    const int first = (int)test_size(3, 2), step = (int)test_size(5, 1);
    for (int block = first; block <= 8; block += step)
        expect_grid(*state, test_size(4, 61), block, test_size(4, 20));
}

static void test_coarse__single_precision_is_near(void **state)
{
    const struct lcl_coarse_params params = {
        .block = 1, .tile = (int)test_size(8, 0), .gemv = LCL_GEMV_SINGLE};
    struct lcl_coarse_space C;
    struct problem P;
    problem_init(&P, test_laplacian(4, 4, 4), 5, 1, 1000);
    coarse_init(&C, *state, &P, &params);
    update(&C, &P);
    expect_apply(&C, &P, LCL_TWO_LEVEL_MULT, 1e-5);
    lcl_coarse_finish(&C);
    problem_finish(&P);
}

// ------------------------------------------------------------------ hard ones

// Each row is a subdomain, so E is A.
static void small_init(struct lcl_coarse_space *C, lcl_context *ctx,
                       struct problem *P, int64_t n, const double *dense)
{
    const struct lcl_coarse_params params = {.block = 1, .tile = 2};
    problem_init(P, test_csr_from_dense(n, dense), 1, 1, 1000);
    for (int64_t k = 0; k < P->A.nnz; ++k)
        P->val[k] = P->A.val[k] = P->S.B.val[k];
    coarse_init(C, ctx, P, &params);
    update(C, P);
}

static void test_coarse__a_null_space_is_pinned(void **state)
{
    const double dense[] = {1, -1, 0, 0,  -1, 3, -2, 0,
                            0, -2, 5, -3, 0,  0, -3, 3};
    struct lcl_coarse_space C;
    struct problem P;
    small_init(&C, *state, &P, 4, dense);
    assert_false(C.off);
    assert_int_equal(C.pinned, 1);
    expect_apply(&C, &P, LCL_TWO_LEVEL_MULT, 1e-10);
    lcl_coarse_finish(&C);
    problem_finish(&P);
}

// Tiles of two rows: the first has no pivot at all.
static void test_coarse__pivots_out_of_a_tile_are_found_on_the_host(
    void **state)
{
    const double dense[] = {0, 0, 2, 1, 0, 0, 1, 3, 1, 0, 0, 0, 0, 4, 0, 0};
    struct lcl_coarse_space C;
    struct problem P;
    small_init(&C, *state, &P, 4, dense);
    assert_false(C.off);
    assert_int_equal(C.pinned, 0);
    expect_apply(&C, &P, LCL_TWO_LEVEL_MULT, 1e-12);
    lcl_coarse_finish(&C);
    problem_finish(&P);
}

static void test_coarse__what_cannot_be_inverted_is_switched_off(void **state)
{
    const double dense[] = {1, 2, 3, 4};
    struct lcl_coarse_space C;
    struct problem P;
    struct diagonal D;
    struct vectors v;
    small_init(&C, *state, &P, 2, dense);
    assert_false(C.off);
    P.val[1] = NAN;
    update(&C, &P);
    assert_true(C.off);
    diagonal_init(&D, *state, 2);
    vectors_init(&v, *state, 2);
    v.out = test_poisoned(*state, 2, sizeof(double));
    struct lcl_two_level T, alone;
    assert_int_equal(lcl_two_level_init(&T, &C, &D.op, LCL_TWO_LEVEL_MULT),
                     LCL_OK);
    assert_int_equal(
        lcl_two_level_init(&alone, &C, &D.op, LCL_TWO_LEVEL_COARSE), LCL_OK);
    assert_int_equal(apply(&T, &v, v.go_on), LCL_OK);
    test_download(v.out, v.x[0], 2, sizeof(double));
    apply_host(&D, v.r, v.expected);
    test_expect_near("x", v.x[0], v.expected, 2, 1e-15);
    lcl_buffer_destroy(&v.out);
    v.out = poisoned_vector(*state, 2);
    assert_int_equal(apply(&alone, &v, v.go_on), LCL_OK);
    assert_int_equal(lcl_buffer_read(v.out, v.x[1], 2 * sizeof(double)),
                     LCL_OK);
    assert_true(v.x[1][0] == 0 && v.x[1][1] == 0);
    P.val[1] = 2;
    update(&C, &P);
    assert_false(C.off);
    vectors_finish(&v);
    diagonal_finish(&D);
    lcl_coarse_finish(&C);
    problem_finish(&P);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse__forms_match_on_every_system),
        cmocka_unit_test(test_coarse__forms_match_on_a_grid),
        cmocka_unit_test(test_coarse__merged_subdomains_match),
        cmocka_unit_test(test_coarse__blocks_match),
        cmocka_unit_test(test_coarse__interleaved_columns_match),
        cmocka_unit_test(test_coarse__single_precision_is_near),
        cmocka_unit_test(test_coarse__a_null_space_is_pinned),
        cmocka_unit_test(
            test_coarse__pivots_out_of_a_tile_are_found_on_the_host),
        cmocka_unit_test(test_coarse__what_cannot_be_inverted_is_switched_off),
    };
    return test_device_run(tests);
}
