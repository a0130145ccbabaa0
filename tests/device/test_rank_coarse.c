// SPDX-License-Identifier: BSD-3-Clause
// The coarse space that several ranks have together, compared with the plain
// reference of the whole matrix.
#include "host/context.h"
#include "lib/distributed/distributed.h"
#include "lib/multilevel/two_level.h"
#include "lib/ref/coarse.h"
#include "lib/vector/segments.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = LCL_TWO_LEVEL_COARSE + 1 };

// The coarse spaces of all ranks, with subdomains of about `part_rows` block
// rows.
struct spaces {
    struct test_ranks R;
    struct lcl_subdomains P[TEST_RANKS];
    struct lcl_coarse_space C[TEST_RANKS];
    int64_t part_rows, most;
    const double *x;
    double *y;
    enum lcl_two_level_form form;
    double *alone; // y of one rank, of each form; NULL: may differ
};

static struct lcl_subdomains cut(int64_t n, int64_t part_rows)
{
    struct lcl_subdomains P;
    const int64_t parts = (n + part_rows - 1) / part_rows;
    memset(&P, 0, sizeof P);
    assert_int_equal(lcl_subdomains_allocate(&P, n, parts, NULL), LCL_OK);
    P.parts = parts;
    for (int64_t i = 0; i < n; ++i)
        P.row[i] = (int32_t)i;
    for (int64_t p = 0; p <= parts; ++p)
        P.part_ptr[p] = n * p / parts;
    return P;
}

static enum lcl_status make(void *arg, int r)
{
    struct spaces *s = arg;
    const lcl_operator *A = s->R.op[r];
    const struct lcl_device_matrix *B = A->part->matrix;
    const struct lcl_coarse_params params = {.block = B->block,
                                             .most = s->most,
                                             .halo = lcl_distributed_halo(A),
                                             .numbering = A->numbering};
    return lcl_coarse_init(&s->C[r], s->R.ctx[r], B, &s->P[r], &params);
}

static enum lcl_status update(void *arg, int r)
{
    struct spaces *s = arg;
    return lcl_coarse_update(&s->C[r], s->R.op[r]->part->matrix->val);
}

static void make_spaces(struct spaces *s,
                        const struct lcl_operator_params *params)
{
    assert_int_equal(test_ranks_operators(&s->R, params), LCL_OK);
    for (int r = 0; r < s->R.size; ++r)
        s->P[r] = cut(s->R.op[r]->part->matrix->block_rows, s->part_rows);
    assert_int_equal(test_ranks_run(&s->R, make, s), LCL_OK);
    for (int r = 0; r < s->R.size; ++r)
        assert_int_equal(lcl_buffer_fill(s->C[r].ranks.t.given, 0xff), LCL_OK);
    assert_int_equal(test_ranks_run(&s->R, update, s), LCL_OK);
}

static void spaces_open(struct spaces *s, int size, const struct lcl_csr *A,
                        const int64_t *from, int64_t part_rows, int64_t most)
{
    memset(s, 0, sizeof *s);
    s->most = most;
    s->part_rows = part_rows;
    test_ranks_open(&s->R, size, A, from);
    make_spaces(s, NULL);
}

static void spaces_close(struct spaces *s)
{
    for (int r = 0; r < s->R.size; ++r) {
        lcl_coarse_finish(&s->C[r]);
        lcl_subdomains_finish(&s->P[r]);
    }
    test_ranks_close(&s->R);
}

// The coarse unknown of each row of the whole matrix.
static int32_t *labels_of(const struct spaces *s)
{
    int32_t *label = calloc((size_t)s->R.A->rows, sizeof *label);
    int64_t unknowns = 0;
    assert_non_null(label);
    for (int r = 0; r < s->R.size; ++r) {
        const struct lcl_coarse_space *C = &s->C[r];
        const int64_t parts = C->pattern.parts;
        int32_t *part_agg = calloc((size_t)parts, sizeof *part_agg);
        assert_non_null(part_agg);
        test_download(C->pattern.part_agg, part_agg, parts, sizeof *part_agg);
        for (int64_t p = 0; p < parts; ++p)
            for (int64_t i = s->P[r].part_ptr[p] * C->block;
                 i < s->P[r].part_ptr[p + 1] * C->block; ++i)
                label[s->R.rows[r].first + i] =
                    C->ranks.unknowns
                        .unknown[part_agg[p] * C->block + i % C->block];
        unknowns += lcl_coarse_own(C);
        free(part_agg);
    }
    assert_int_equal(unknowns, s->C[0].rows);
    return label;
}

// ------------------------------------------------------------------- forms

static enum lcl_status apply(void *arg, int r)
{
    struct spaces *s = arg;
    lcl_context *ctx = s->R.ctx[r];
    const int64_t first = s->R.rows[r].first, n = s->R.rows[r].rows;
    const size_t bytes = (size_t)n * sizeof(double);
    struct lcl_two_level T;
    lcl_operator smoother; // M = I
    lcl_buffer *x = NULL, *y = NULL;
    const struct lcl_space V = lcl_space_of(ctx, n);
    enum lcl_status st;
    lcl_identity_init(&smoother, V, NULL);
    if ((st = lcl_two_level_init(&T, &s->C[r], &smoother, s->form)) == LCL_OK &&
        (st = lcl_buffer_create_from(&x, ctx, s->x + first, n, sizeof *s->x,
                                     "x")) == LCL_OK &&
        (st = lcl_space_vector(&y, &V)) == LCL_OK &&
        (st = lcl_buffer_fill(y, 0xff)) == LCL_OK) {
        const struct lcl_operands v = {
            .x = x, .y = y, .stop = lcl_context_no_stop(ctx)};
        if ((st = lcl_apply(&T.op, LCL_APPLY, &v)) == LCL_OK)
            st = lcl_buffer_read(y, s->y + first, bytes);
    }
    lcl_buffer_destroy(&y);
    lcl_buffer_destroy(&x);
    return st;
}

static void copy(void *user, const double *r, double *z)
{
    memcpy(z, r, (size_t) * (const int64_t *)user * sizeof *z);
}

static void apply_reference(struct lcl_ref_coarse *C,
                            enum lcl_two_level_form form, const double *x,
                            double *y)
{
    int64_t n = C->A->rows;
    const struct lcl_ref_inner inner = {copy, &n};
    switch (form) {
    case LCL_TWO_LEVEL_ADD:
        lcl_ref_coarse_add(C, &inner, x, y);
        return;
    case LCL_TWO_LEVEL_MULT:
        lcl_ref_coarse_mult(C, &inner, x, y);
        return;
    case LCL_TWO_LEVEL_DEFLATED:
        lcl_ref_coarse_deflated(C, &inner, x, y);
        return;
    case LCL_TWO_LEVEL_COARSE:
        lcl_ref_coarse_start(C, x, y);
        return;
    }
}

static void expect_alone(struct spaces *s)
{
    const int64_t n = s->R.A->rows;
    double *alone = s->alone + s->form * n;
    if (s->R.size == 1)
        memcpy(alone, s->y, (size_t)n * sizeof *alone);
    else
        test_expect_same("y", s->y, alone, n);
}

// All forms that suit A, each twice, in another order.
static void expect_forms(struct spaces *s, bool symmetric)
{
    const struct lcl_csr *A = s->R.A;
    int32_t *label = labels_of(s);
    struct lcl_ref_coarse C;
    double *x = test_random_vector(A->rows, 3), *y = test_vector(A->rows);
    double *expected = test_vector(A->rows);
    assert_int_equal(lcl_ref_coarse_init(&C, A, label, s->C[0].rows, 1),
                     LCL_OK);
    s->x = x;
    s->y = y;
    for (int k = 0; k < 2 * FORMS; ++k) {
        s->form = (enum lcl_two_level_form)(3 * k % FORMS);
        if (s->form == LCL_TWO_LEVEL_DEFLATED && !symmetric)
            continue;
        assert_int_equal(test_ranks_run(&s->R, apply, s), LCL_OK);
        apply_reference(&C, s->form, x, expected);
        test_expect_near("y", y, expected, A->rows, 1e-9);
        if (s->alone)
            expect_alone(s);
    }
    lcl_ref_coarse_finish(&C);
    free(expected);
    free(y);
    free(x);
    free(label);
}

// Frees A.
static void expect_ranks(int size, struct lcl_csr A, int64_t part_rows,
                         int64_t most, bool symmetric)
{
    struct spaces s;
    spaces_open(&s, size, &A, NULL, part_rows, most);
    for (int r = 0; r < size; ++r) {
        assert_false(s.C[r].off);
        assert_true(s.C[r].pattern.aggregates <= most);
    }
    expect_forms(&s, symmetric);
    spaces_close(&s);
    test_csr_finish(&A);
}

static void test_rank_coarse__all_forms_are_the_reference_s(void **state)
{
    (void)state;
    for (int size = 1; size <= TEST_RANKS; size += 2)
        expect_ranks(size, test_laplacian(7, 6, 5), 9, 100, true);
    expect_ranks(2, test_random_csr(150, 4, 1), 7, 100, false);
}

static void test_rank_coarse__few_aggregates(void **state)
{
    (void)state;
    expect_ranks(3, test_laplacian(7, 6, 5), 5, 4, true);
    expect_ranks(2, test_laplacian(6, 5, 4), 5, 1, true);
}

static void test_rank_coarse__every_row_is_an_unknown(void **state)
{
    (void)state;
    expect_ranks(3, test_random_csr(40, 3, 2), 1, 100, false);
}

// The last ghost is coupled to every rank.
static void test_rank_coarse__a_dense_row(void **state)
{
    (void)state;
    expect_ranks(3, test_dense_row(40, 7), 4, 100, false);
}

// Ranks without boundary rows.
static void test_rank_coarse__ranks_without_couplings(void **state)
{
    (void)state;
    expect_ranks(3, test_identity(30), 4, 100, true);
}

// ------------------------------------------------------------------- blocks

// The cells of a grid with blocks of 3 rows, regular.
static struct lcl_csr blocks_of(int64_t nx, int64_t ny, int64_t nz)
{
    struct lcl_csr cells = test_laplacian(nx, ny, nz);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    uint64_t random = 5;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] = A.col_ind[k] == i ? 30 : test_random(&random) - 0.5;
    test_csr_finish(&cells);
    return A;
}

// Ranks with blocks of 3 and of 1.
static void test_rank_coarse__blocks_of_different_sizes(void **state)
{
    static const int64_t from[][4] = {
        {0, 60, 120, 180}, {0, 61, 119, 180}, {0, 60, 121, 180}};
    struct lcl_csr A = blocks_of(5, 4, 3);
    (void)state;
    for (int k = 0; k < 3; ++k) {
        struct spaces s;
        spaces_open(&s, 3, &A, from[k], 4, 100);
        assert_int_equal(s.C[0].block, k == 1 ? 1 : 3);
        expect_forms(&s, false);
        spaces_close(&s);
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- parts

// Ranks whose sums have segments; `same`: their borders cut no subdomain. Frees
// A.
static void expect_segments(struct lcl_csr A, int64_t part_rows, int64_t most,
                            int block, bool same, bool symmetric)
{
    const struct lcl_operator_params params = {
        .block_size = block, .communication = LCL_COMMUNICATION_REPRODUCIBLE};
    double *alone = test_vector(FORMS * A.rows);
    for (int size = 1; size <= 4; ++size) {
        int64_t from[TEST_RANKS + 1];
        struct spaces s = {.most = most, .part_rows = part_rows};
        for (int r = 0; r <= size; ++r)
            from[r] = lcl_segments_cut(A.rows, block, r, size);
        s.alone = same && size != 3 ? alone : NULL;
        test_ranks_open(&s.R, size, &A, from);
        make_spaces(&s, &params);
        assert_false(s.C[0].off);
        assert_true(s.C[0].rows <= most * block);
        expect_forms(&s, symmetric);
        spaces_close(&s);
    }
    free(alone);
    test_csr_finish(&A);
}

static void test_rank_coarse__same_bits_on_any_number_of_ranks(void **state)
{
    (void)state;
    expect_segments(test_laplacian(16, 8, 4), 16, 100, 1, true, true);
    expect_segments(test_laplacian(16, 8, 4), 16, 5, 1, true, true);
    expect_segments(blocks_of(8, 4, 4), 4, 9, 3, true, false);
    expect_segments(test_laplacian(7, 6, 5), 9, 7, 1, false, true);
    expect_segments(test_dense_row(40, 7), 4, 100, 1, false, false);
}

// ------------------------------------------------------------------- values

static void test_rank_coarse__new_values(void **state)
{
    struct lcl_csr A = test_random_csr(150, 4, 4);
    struct spaces s;
    (void)state;
    spaces_open(&s, 3, &A, NULL, 7, 100);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1 + 0.1 * (double)(k % 7);
    assert_int_equal(test_ranks_update(&s.R, A.val), LCL_OK);
    assert_int_equal(test_ranks_run(&s.R, update, &s), LCL_OK);
    expect_forms(&s, false);
    spaces_close(&s);
    test_csr_finish(&A);
}

// Without a diagonal shift: E is singular for constant vectors, so that an
// unknown is left out on all ranks alike.
static void test_rank_coarse__a_singular_coarse_matrix(void **state)
{
    struct lcl_csr A = test_laplacian(6, 5, 4);
    struct spaces s;
    (void)state;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = (double)(A.row_ptr[i + 1] - A.row_ptr[i] - 1);
    spaces_open(&s, 3, &A, NULL, 10, 100);
    for (int r = 0; r < 3; ++r) {
        assert_false(s.C[r].off);
        assert_int_equal(s.C[r].pinned, 1);
    }
    spaces_close(&s);
    test_csr_finish(&A);
}

// Their iterations repay a larger inverse.
static void test_rank_coarse__large_systems_on_gpus_have_more_unknowns(
    void **state)
{
    enum { SMALL = 2000000, LARGE = 10000000 };
    lcl_context *ctx;
    (void)state;
    assert_int_equal(lcl_context_create(&ctx, NULL), LCL_OK);
    const int width = ctx->caps.width;
    ctx->caps.width = 32;
    const int64_t usual = lcl_coarse_usual(&ctx->caps, 1);
    const struct lcl_space all[] = {
        lcl_space_of_rank(ctx, NULL, SMALL, SMALL),
        lcl_space_of_rank(ctx, NULL, SMALL / 2, SMALL),
        lcl_space_of_rank(ctx, NULL, LARGE, LARGE),
        lcl_space_of_rank(ctx, NULL, LARGE / 2, LARGE),
    };
    assert_int_equal(lcl_coarse_most(&all[0], 1), usual);
    assert_int_equal(lcl_coarse_most(&all[1], 1), usual / 2);
    assert_int_equal(lcl_coarse_most(&all[2], 1), usual);
    assert_int_equal(lcl_coarse_most(&all[3], 1), usual);
    ctx->caps.width = width;
    lcl_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_coarse__all_forms_are_the_reference_s),
        cmocka_unit_test(test_rank_coarse__few_aggregates),
        cmocka_unit_test(test_rank_coarse__every_row_is_an_unknown),
        cmocka_unit_test(test_rank_coarse__a_dense_row),
        cmocka_unit_test(test_rank_coarse__ranks_without_couplings),
        cmocka_unit_test(test_rank_coarse__blocks_of_different_sizes),
        cmocka_unit_test(test_rank_coarse__same_bits_on_any_number_of_ranks),
        cmocka_unit_test(test_rank_coarse__new_values),
        cmocka_unit_test(test_rank_coarse__a_singular_coarse_matrix),
        cmocka_unit_test(
            test_rank_coarse__large_systems_on_gpus_have_more_unknowns),
    };
    return test_device_run(tests);
}
