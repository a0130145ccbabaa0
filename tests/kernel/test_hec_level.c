// SPDX-License-Identifier: BSD-3-Clause
// hec_level.cl compared with the reference: triangular matrices of any shape.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/ref/hec.h"
#include "lib/trisolve/hec_level.h"

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------ triangles

// A lower triangular matrix, its rows divided by their diagonals, as the
// kernels find it in slots, and as the reference expects it.
struct triangle {
    lcl_context *ctx;
    struct lcl_csr L; // each row ends with 1 / t_ii
    double *slot_val; // and here with -1 / t_ii
    uint32_t *source;
    double *b, *x; // x: solution, in the order of b
    bool reversed;
};

static void append(struct triangle *M, int64_t col, double val, bool last)
{
    const int64_t k = M->L.nnz++;
    M->L.col_ind[k] = (int32_t)col;
    M->L.val[k] = val;
    M->source[k] = (uint32_t)k;
    M->slot_val[k] = last ? -val : val;
}

// The lower triangle of a pattern with random values; every third diagonal is
// 1 without a slot.
static void fill(struct triangle *M, const struct lcl_csr *A)
{
    uint64_t state = 7;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t first = A->row_ptr[i], count = A->row_ptr[i + 1] - first;
        for (int64_t k = first; k < first + count; ++k)
            if (A->col_ind[k] < i)
                append(M, A->col_ind[k],
                       (2 * test_random(&state) - 1) / (double)count, false);
        append(M, i, i % 3 ? 0.5 + test_random(&state) : 1, true);
        if (i % 3 == 0) {
            M->source[M->L.nnz - 1] = LCL_PADDING;
            M->slot_val[M->L.nnz - 1] = NAN;
        }
        M->L.row_ptr[i + 1] = M->L.nnz;
    }
}

static void swap_ends(double *v, int64_t n)
{
    for (int64_t i = 0; i < n / 2; ++i) {
        const double kept = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = kept;
    }
}

static void solve_reference(struct triangle *M)
{
    const int64_t n = M->L.rows;
    struct lcl_ref_hec H;
    assert_int_equal(lcl_ref_hec_create(&H, &M->L, 2, 1, (int32_t)n, NULL),
                     LCL_OK);
    lcl_ref_hec_solve(&H, M->b, M->x);
    lcl_ref_hec_finish(&H);
    if (M->reversed) {
        swap_ends(M->b, n);
        swap_ends(M->x, n);
    }
}

static void triangle_init(struct triangle *M, lcl_context *ctx,
                          const struct lcl_csr *A, bool reversed)
{
    const size_t n = (size_t)A->rows, most = (size_t)A->nnz + n;
    *M = (struct triangle){
        .ctx = ctx,
        .L = {.rows = A->rows,
              .cols = A->rows,
              .row_ptr = calloc(n + 1, sizeof *M->L.row_ptr),
              .col_ind = calloc(most, sizeof *M->L.col_ind),
              .val = calloc(most, sizeof *M->L.val)},
        .slot_val = test_vector((int64_t)most),
        .source = calloc(most, sizeof *M->source),
        .b = test_random_vector(A->rows, 4),
        .x = test_vector(A->rows + 1),
        .reversed = reversed,
    };
    assert_true(M->L.row_ptr && M->L.col_ind && M->L.val && M->source);
    fill(M, A);
    solve_reference(M);
}

static void triangle_finish(struct triangle *M)
{
    test_csr_finish(&M->L);
    free(M->slot_val);
    free(M->source);
    free(M->b);
    free(M->x);
}

// The solve leaves y unchanged if the stopping flag is set; b may be y.
static void expect_solution(const struct triangle *M,
                            const struct lcl_hec_triangle *T)
{
    const int64_t n = M->L.rows;
    double *y = test_vector(n);
    lcl_buffer *in = test_upload(M->ctx, M->b, n, sizeof *y);
    lcl_buffer *out = test_poisoned(M->ctx, n, sizeof *y);
    lcl_buffer *x = test_poisoned(M->ctx, n + 1, sizeof *y);
    lcl_buffer *go_on = test_stop_flag(M->ctx, 0);
    lcl_buffer *stop = test_stop_flag(M->ctx, 3);
    struct lcl_operands v = {.x = in, .y = out, .stop = stop};
    assert_int_equal(lcl_hec_triangle_solve(T, &v, x), LCL_OK);
    test_untouched(out);
    test_untouched(x);
    v.stop = go_on;
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(lcl_buffer_fill(x, 0), LCL_OK);
        assert_int_equal(lcl_hec_triangle_solve(T, &v, x), LCL_OK);
        test_download(v.y, y, n, sizeof *y);
        test_expect_near("y", y, M->x, n, 1e-12);
        v.y = in;
    }
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&x);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(y);
}

// As planned for few launches, by launches for levels, and every level in a
// launch of its own.
static void expect_plans(const struct triangle *M, struct lcl_hec_triangle *T)
{
    expect_solution(M, T);
    T->waits = false;
    expect_solution(M, T);
    assert_int_equal(lcl_levels_plan(&T->levels, 3, NULL), LCL_OK);
    expect_solution(M, T);
    assert_int_equal(lcl_levels_plan(&T->levels, 0, NULL), LCL_OK);
    assert_int_equal(T->levels.launches, T->levels.levels);
    expect_solution(M, T);
}

// PoCL runs the items of a group in order, so that rows may wait for earlier
// ones, although the probe finds that lanes may not.
static void allow_waiting(lcl_context *ctx)
{
    struct lcl_caps *caps = (struct lcl_caps *)lcl_context_caps(ctx);
    if (caps->type == LCL_DEVICE_CPU && caps->width > 1)
        caps->progress = LCL_PROGRESS_GROUP;
}

// hec_level: one launch for each level.
static void expect_launch_for_each_level(const struct triangle *M,
                                         const lcl_buffer *val, int64_t width)
{
    const struct lcl_hec_triangle_params params = {.width = width,
                                                   .reversed = M->reversed};
    struct lcl_hec_triangle T;
    assert_int_equal(
        lcl_hec_triangle_init(&T, M->ctx, &M->L, M->source, &params), LCL_OK);
    assert_int_equal(lcl_hec_triangle_update(&T, val), LCL_OK);
    assert_false(T.waits);
    assert_int_equal(T.levels.launches, T.levels.levels);
    expect_solution(M, &T);
    lcl_hec_triangle_finish(&T);
}

static void expect_solved(lcl_context *ctx, const struct lcl_csr *A,
                          bool reversed, int64_t width)
{
    const struct lcl_hec_triangle_params params = {
        .width = width, .reversed = reversed, .few_launches = true};
    struct triangle M;
    struct lcl_hec_triangle T;
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    triangle_init(&M, ctx, A, reversed);
    allow_waiting(ctx);
    lcl_buffer *val = test_upload(ctx, M.slot_val, M.L.nnz, sizeof *M.slot_val);
    assert_int_equal(lcl_hec_triangle_init(&T, ctx, &M.L, M.source, &params),
                     LCL_OK);
    assert_int_equal(lcl_hec_triangle_update(&T, val), LCL_OK);
    if (caps->progress != LCL_PROGRESS_NONE && caps->int64_atomics &&
        test_width(ctx) > 1 && T.levels.levels > 2)
        assert_true(T.waits);
    expect_plans(&M, &T);
    lcl_hec_triangle_finish(&T);
    expect_launch_for_each_level(&M, val, width);
    lcl_buffer_destroy(&val);
    triangle_finish(&M);
}

static void test_hec_level__triangles_of_all_systems_match(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        expect_solved(*state, &S.A, i % 2, 0);
        test_system_finish(&S);
    }
}

// The last row is dense, some others have the diagonal only.
static void test_hec_level__rows_of_any_length_match(void **state)
{
    const int64_t n = test_size(45, 1500);
    struct lcl_csr dense = test_dense_row(n, n - 1);
    struct lcl_csr stretched = test_stretched_csr(n, n, 3);
    for (int64_t width = 0; width < 4; ++width) {
        expect_solved(*state, &dense, width % 2, width);
        expect_solved(*state, &stretched, width % 2, width);
    }
    test_csr_finish(&dense);
    test_csr_finish(&stretched);
}

static void expect_levels(lcl_context *ctx, const struct lcl_csr *A,
                          int64_t levels, int64_t launches)
{
    struct triangle M;
    struct lcl_hec_triangle T;
    const struct lcl_hec_triangle_params few = {.few_launches = true};
    triangle_init(&M, ctx, A, false);
    assert_int_equal(lcl_hec_triangle_init(&T, ctx, &M.L, M.source, &few),
                     LCL_OK);
    assert_int_equal(T.levels.levels, levels);
    assert_int_equal(T.levels.launches, launches);
    lcl_hec_triangle_finish(&T);
    triangle_finish(&M);
    expect_solved(ctx, A, false, 0);
    expect_solved(ctx, A, true, 0);
}

static void test_hec_level__diagonal_matrix_is_one_level(void **state)
{
    static const int64_t sizes[] = {1, 31, 3000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct lcl_csr A = test_identity(sizes[i]);
        expect_levels(*state, &A, 1, 1);
        test_csr_finish(&A);
    }
}

static void test_hec_level__chain_is_one_launch(void **state)
{
    struct lcl_csr A = test_laplacian(test_size(37, 1025), 1, 1);
    expect_levels(*state, &A, A.rows, 1);
    test_csr_finish(&A);
}

// Chains of a few rows, of which the first one is needed by a level of more
// rows than the group that takes thin levels has items.
static void test_hec_level__wide_levels_interrupt_a_chain(void **state)
{
    enum { WIDE = 1500, BLOCK = WIDE + 3 };
    struct lcl_csr A = test_laplacian(2 * BLOCK, 1, 1);
    for (int64_t i = 0; i < A.rows; ++i)
        if (i % BLOCK >= 1 && i % BLOCK <= WIDE)
            A.col_ind[A.row_ptr[i]] = (int32_t)(i - i % BLOCK);
    expect_levels(*state, &A, 8, 5);
    test_csr_finish(&A);
}

// Rows of one entry beside the diagonal fill one column.
static void test_hec_level__widths_are_those_that_rows_fill(void **state)
{
    static const int64_t widths[] = {-1, 1, 2, INT64_MAX};
    struct lcl_csr A = test_laplacian(9, 1, 1);
    struct triangle M;
    triangle_init(&M, *state, &A, false);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        const struct lcl_hec_triangle_params params = {.width = widths[i]};
        struct lcl_hec_triangle T;
        assert_int_equal(
            lcl_hec_triangle_init(&T, *state, &M.L, M.source, &params),
            widths[i] < 0 ? LCL_EINVAL : LCL_OK);
        if (widths[i] > 0)
            assert_int_equal(T.hec.width, 1);
        lcl_hec_triangle_finish(&T);
    }
    triangle_finish(&M);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hec_level__triangles_of_all_systems_match),
        cmocka_unit_test(test_hec_level__rows_of_any_length_match),
        cmocka_unit_test(test_hec_level__diagonal_matrix_is_one_level),
        cmocka_unit_test(test_hec_level__chain_is_one_launch),
        cmocka_unit_test(test_hec_level__wide_levels_interrupt_a_chain),
        cmocka_unit_test(test_hec_level__widths_are_those_that_rows_fill),
    };
    return test_device_run(tests);
}
