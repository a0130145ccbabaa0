// SPDX-License-Identifier: BSD-3-Clause
// kron_halo.cl, boundary rows of a distributed Kronecker operator, compared
// with the plain reference.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/kron/kron.h"
#include "lib/kron/pairs.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/kron_halo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3 };

// Some of n block rows, in any order, with blocks in n columns and in ghosts.
struct boundary {
    lcl_context *ctx;
    struct test_kron T; // its M and L have the listed rows
    int64_t n, ghosts;
    int32_t *row;
    struct lcl_ref_stages x, ghost, y;
    lcl_buffer *device_row, *row_ptr, *col, *val, *coef;
    lcl_buffer *device_x, *device_ghost;
};

// With all stages of an unknown together, or one stage after the other.
static struct lcl_ref_stages vector(int64_t rows, int stages, bool together,
                                    unsigned seed)
{
    return (struct lcl_ref_stages){
        .v = test_random_vector(rows * stages, seed),
        .by_row = together ? stages : 1,
        .by_stage = together ? 1 : rows,
    };
}

static lcl_buffer *upload(const struct boundary *B,
                          const struct lcl_ref_stages *v, int64_t blocks)
{
    return test_upload(B->ctx, v->v, blocks * B->T.M.block_size * B->T.K.stages,
                       sizeof *v->v);
}

static void upload_matrices(struct boundary *B)
{
    const struct test_kron *T = &B->T;
    const int64_t count = lcl_pairs_count(&T->M, &T->L);
    struct lcl_bsr both;
    assert_int_equal(lcl_pairs_pattern(&both, &T->M, &T->L, count, NULL),
                     LCL_OK);
    struct lcl_pairs pairs = {&T->M, &T->L, both.row_ptr};
    const size_t size = lcl_pairs_size(&T->M);
    char *val = calloc((size_t)count + 1, size);
    assert_non_null(val);
    if (count > 0)
        lcl_pairs_fill(&pairs, 0, count, val);
    B->row_ptr = test_upload_row_ptr(B->ctx, both.row_ptr, both.rows, false);
    B->col = test_upload(B->ctx, both.col_ind, count, sizeof *both.col_ind);
    B->val = test_upload(B->ctx, val, count, size);
    free(val);
    lcl_bsr_finish(&both);
}

// M gets the pattern of p, L that of q.
static void boundary_init(struct boundary *B, lcl_context *ctx, int stages,
                          int b, const struct lcl_csr *p,
                          const struct lcl_csr *q, int64_t n)
{
    const int64_t coefficients = 2 * (int64_t)stages * stages;
    *B = (struct boundary){
        .ctx = ctx,
        .n = n,
        .ghosts = p->cols - n,
        .row = test_random_permutation(n, 9),
        .x = vector(n * b, stages, stages % 2, 1),
        .ghost = vector((p->cols - n) * b, stages, stages < 4, 2),
        .y = vector(n * b, stages, stages % 2, 3),
    };
    test_kron_of(&B->T, stages, b, p, q);
    B->device_row = test_upload(ctx, B->row, p->rows, sizeof *B->row);
    upload_matrices(B);
    assert_int_equal(lcl_buffer_create(&B->coef, ctx, coefficients,
                                       sizeof(double), "coefficients"),
                     LCL_OK);
    assert_int_equal(lcl_kron_write_coefficients(B->coef, &B->T.K), LCL_OK);
    B->device_x = upload(B, &B->x, n);
    B->device_ghost = upload(B, &B->ghost, B->ghosts);
}

static void boundary_finish(struct boundary *B)
{
    lcl_buffer **const all[] = {&B->device_row,  &B->row_ptr, &B->col,
                                &B->val,         &B->coef,    &B->device_x,
                                &B->device_ghost};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    free(B->row);
    free(B->x.v);
    free(B->ghost.v);
    free(B->y.v);
    test_kron_finish(&B->T);
}

static void launch(const struct boundary *B, int lanes, const lcl_buffer *y,
                   int at)
{
    static const int32_t flags[] = {0, 7};
    lcl_buffer *stop = test_upload(B->ctx, flags, 2, sizeof *flags);
    const struct lcl_spec spec = {
        .source = "kron_halo.cl",
        .kernel = "kron_halo",
        .block = B->T.M.block_size,
        .group = test_group(B->ctx, 2),
        .defines = {{"STAGES", B->T.K.stages}, {"LANES_PER_ROW", lanes}},
    };
    assert_int_equal(
        LCL_LAUNCH(
            test_kernel(B->ctx, &spec), GROUPS, lcl_arg_long(B->T.M.rows),
            lcl_arg_buffer(B->device_row), lcl_arg_buffer(B->row_ptr),
            lcl_arg_buffer(B->col), lcl_arg_buffer(B->val),
            lcl_arg_buffer(B->coef), lcl_arg_long(B->n),
            lcl_arg_long(B->x.by_row), lcl_arg_long(B->x.by_stage),
            lcl_arg_buffer(B->device_x), lcl_arg_long(B->ghost.by_row),
            lcl_arg_long(B->ghost.by_stage), lcl_arg_buffer(B->device_ghost),
            lcl_arg_buffer(y), lcl_arg_buffer(stop), lcl_arg_int(at)),
        LCL_OK);
    lcl_buffer_destroy(&stop);
}

static void spoil(const struct boundary *B, struct lcl_ref_stages *y)
{
    const int b = B->T.M.block_size;
    for (int64_t r = 0; r < B->T.M.rows; ++r)
        for (int q = 0; q < b; ++q)
            for (int j = 0; j < B->T.K.stages; ++j)
                y->v[(B->row[r] * b + q) * y->by_row + j * y->by_stage] = NAN;
}

// Rows of the list start as NaN, the others stay as they are.
static void expect_rows(const struct boundary *B, int lanes)
{
    const int64_t all = B->n * B->T.M.block_size * B->T.K.stages;
    struct lcl_ref_stages expected = B->y;
    double *y = test_vector(all);
    expected.v = test_vector(all);
    memcpy(expected.v, B->y.v, (size_t)all * sizeof *y);
    spoil(B, &expected);
    lcl_buffer *out = upload(B, &expected, B->n);
    launch(B, lanes, out, 0);
    lcl_ref_kron_halo(&B->T.K, B->row, B->n, B->x, B->ghost, expected);
    test_download(out, y, all, sizeof *y);
    test_expect_near("y", y, expected.v, all, 1e-11);
    lcl_buffer_destroy(&out);
    free(expected.v);
    free(y);
}

static void expect_stopped(const struct boundary *B)
{
    const int64_t all = B->n * B->T.M.block_size * B->T.K.stages;
    lcl_buffer *y = test_poisoned(B->ctx, all, sizeof(double));
    launch(B, 1, y, 1);
    test_untouched(y);
    lcl_buffer_destroy(&y);
}

// With all numbers of lanes.
static void expect_boundary(lcl_context *ctx, int stages, int b,
                            const struct lcl_csr *p, const struct lcl_csr *q,
                            int64_t n)
{
    struct boundary B;
    boundary_init(&B, ctx, stages, b, p, q, n);
    for (int lanes = 1; lanes <= test_width(ctx); lanes *= 2)
        expect_rows(&B, lanes);
    expect_stopped(&B);
    boundary_finish(&B);
}

// ------------------------------------------------------------------- cases

static const struct shape {
    int stages, b;
} shapes[] = {{1, 1}, {2, 4}, {3, 2}, {4, 3}, {5, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void test_kron_halo__random_rows_are_the_reference_s(void **state)
{
    const int64_t n = test_size(20, 300);
    struct lcl_csr p = test_stretched_csr(n - 1, 2 * n, 1);
    struct lcl_csr q = test_stretched_csr(n - 1, 2 * n, 2);
    for (int k = 0; k < SHAPES; ++k) {
        const struct shape *s = &shapes[k];
        expect_boundary(*state, s->stages, s->b, &p, &q, n);
        expect_boundary(*state, s->stages, s->b, &p, &p, n / 2 + n);
    }
    test_csr_finish(&q);
    test_csr_finish(&p);
}

static void test_kron_halo__an_empty_list_changes_nothing(void **state)
{
    struct lcl_csr p = test_rows_of_lengths(0, 20, NULL);
    expect_boundary(*state, 3, 2, &p, &p, 20);
    expect_boundary(*state, 3, 2, &p, &p, 15);
    test_csr_finish(&p);
}

static void test_kron_halo__one_row(void **state)
{
    static const int64_t full[] = {9};
    struct lcl_csr p = test_rows_of_lengths(1, 9, full);
    expect_boundary(*state, 3, 2, &p, &p, 1);
    expect_boundary(*state, 3, 2, &p, &p, 8);
    test_csr_finish(&p);
}

// Block rows without blocks become 0; L may lack what M has.
static void test_kron_halo__rows_of_very_different_lengths(void **state)
{
    const int64_t cols = test_size(30, 700);
    const int64_t of_m[] = {0, cols, 1, 0, 3, 17, cols / 2, 0};
    const int64_t of_l[] = {0, 1, cols, 2, 3, 0, cols / 3, 0};
    struct lcl_csr p = test_rows_of_lengths(8, cols, of_m);
    struct lcl_csr q = test_rows_of_lengths(8, cols, of_l);
    expect_boundary(*state, 3, 2, &p, &q, cols / 3);
    expect_boundary(*state, 3, 2, &q, &p, 8);
    test_csr_finish(&q);
    test_csr_finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron_halo__random_rows_are_the_reference_s),
        cmocka_unit_test(test_kron_halo__an_empty_list_changes_nothing),
        cmocka_unit_test(test_kron_halo__one_row),
        cmocka_unit_test(test_kron_halo__rows_of_very_different_lengths),
    };
    return test_device_run(tests);
}
