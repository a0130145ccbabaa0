// SPDX-License-Identifier: BSD-3-Clause
// kron_blocks.cl compared with lib/ref/kron_blocks.c.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/bgje.h"
#include "lib/ref/kron_blocks.h"

#include <stdlib.h>

enum { MAX = LCL_DIAGONAL_BLOCK_MAX * LCL_DIAGONAL_BLOCK_MAX };

// A system and its blocks, transposed, as the reference computes them.
struct blocks {
    lcl_context *ctx;
    struct test_kron T;
    int s, b, m;
    int64_t n;
    bool single;
    double *formed, *inverse; // n m^2
};

static double *store_transposed(double *out, const double *D, int m)
{
    for (int p = 0; p < m; ++p)
        for (int q = 0; q < m; ++q)
            *out++ = D[q * m + p];
    return out;
}

static void init(struct blocks *K, lcl_context *ctx, int s, int b, bool single)
{
    double D[MAX];
    int perm[LCL_DIAGONAL_BLOCK_MAX];
    *K = (struct blocks){
        .ctx = ctx, .s = s, .b = b, .m = s * b, .single = single};
    test_kron_init(&K->T, s, b, test_size(6, 60), TEST_KRON_FAR);
    K->n = K->T.M.rows;
    double *formed = K->formed = test_vector(K->n * K->m * K->m);
    double *inverse = K->inverse = test_vector(K->n * K->m * K->m);
    for (int64_t i = 0; i < K->n; ++i) {
        lcl_ref_kron_block(D, &K->T.K, i);
        formed = store_transposed(formed, D, K->m);
        assert_int_equal(lcl_ref_bgje(D, D, perm, K->m), 0);
        inverse = store_transposed(inverse, D, K->m);
    }
}

static void finish(struct blocks *K)
{
    test_kron_finish(&K->T);
    free(K->formed);
    free(K->inverse);
}

static lcl_kernel *kernel_of(const struct blocks *K, const char *name)
{
    const struct lcl_spec spec = {
        .source = "kron_blocks.cl",
        .kernel = name,
        .block = K->b,
        .storage =
            K->single ? LCL_FACTOR_STORAGE_FP32 : LCL_FACTOR_STORAGE_FP64,
        .group = test_group(K->ctx, 2),
        .defines = {{"STAGES", K->s}},
    };
    return test_kernel(K->ctx, &spec);
}

// ------------------------------------------------------------------- numbers

static size_t real_size(const struct blocks *K)
{
    return K->single ? sizeof(float) : sizeof(double);
}

static void expect_values(const struct blocks *K, const lcl_buffer *buffer,
                          const double *expected)
{
    const int64_t count = K->n * K->m * K->m;
    double *got = test_vector(count);
    test_download_reals(buffer, got, count, real_size(K));
    test_expect_near("blocks", got, expected, count, K->single ? 1e-6 : 1e-14);
    free(got);
}

// The diagonal blocks of T, with a stride of two numbers.
static void put_diagonal(double *pairs, const struct lcl_bsr *T)
{
    const int size = lcl_block_values(T);
    for (int64_t i = 0; i < T->rows; ++i)
        for (int64_t k = T->row_ptr[i]; k < T->row_ptr[i + 1]; ++k)
            for (int e = 0; T->col_ind[k] == i && e < size; ++e)
                pairs[2 * (i * size + e)] = T->val[k * size + e];
}

static lcl_buffer *upload_pairs(const struct blocks *K)
{
    const int64_t count = 2 * K->n * K->b * K->b;
    double *pairs = test_vector(count);
    put_diagonal(pairs, &K->T.M);
    put_diagonal(pairs + 1, &K->T.L);
    lcl_buffer *buffer = test_upload(K->ctx, pairs, count, sizeof *pairs);
    free(pairs);
    return buffer;
}

// ------------------------------------------------------------------- kernels

static void expect_formed(const struct blocks *K, int groups)
{
    const int64_t count = K->n * K->m * K->m;
    lcl_buffer *pairs = upload_pairs(K);
    lcl_buffer *coef =
        test_poisoned(K->ctx, 2 * (int64_t)K->s * K->s, sizeof(double));
    lcl_buffer *formed = test_poisoned(K->ctx, count, real_size(K));
    assert_int_equal(lcl_kron_write_coefficients(coef, &K->T.K), LCL_OK);
    assert_int_equal(LCL_LAUNCH(kernel_of(K, "form_blocks"), groups,
                                lcl_arg_long(K->n), lcl_arg_buffer(pairs),
                                lcl_arg_buffer(coef), lcl_arg_buffer(formed)),
                     LCL_OK);
    expect_values(K, formed, K->formed);
    lcl_buffer_destroy(&pairs);
    lcl_buffer_destroy(&coef);
    lcl_buffer_destroy(&formed);
}

// v as the kernels expect it: all stages of an unknown together, or unchanged.
static double *renumbered(const struct blocks *K, const double *v,
                          bool together)
{
    const int64_t rows = K->n * K->b;
    double *out = test_vector(K->s * rows);
    for (int j = 0; j < K->s; ++j)
        for (int64_t r = 0; r < rows; ++r)
            out[together ? r * K->s + j : j * rows + r] = v[j * rows + r];
    return out;
}

static void launch_apply(const struct blocks *K, bool together, int groups,
                         const lcl_buffer *inverse, const lcl_buffer *x,
                         lcl_buffer *y, int32_t stopped)
{
    lcl_buffer *stop = test_stop_flag(K->ctx, stopped);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(K, "apply_blocks"), groups, lcl_arg_long(K->n),
                   lcl_arg_buffer(inverse), lcl_arg_long(together ? K->s : 1),
                   lcl_arg_long(together ? 1 : K->n * K->b), lcl_arg_buffer(x),
                   lcl_arg_buffer(y), lcl_arg_buffer(stop), lcl_arg_int(0)),
        LCL_OK);
    lcl_buffer_destroy(&stop);
}

static void expect_applied(const struct blocks *K, bool together, int groups)
{
    const int64_t rows = K->n * K->m;
    double *x = test_random_vector(rows, 5), *y = test_vector(rows);
    assert_int_equal(lcl_ref_kron_block_jacobi(&K->T.K, x, y), 0);
    double *moved_x = renumbered(K, x, together);
    double *moved_y = renumbered(K, y, together), *got = test_vector(rows);
    lcl_buffer *inverse =
        test_upload_reals(K->ctx, K->inverse, K->n * K->m * K->m, real_size(K));
    lcl_buffer *in = test_upload(K->ctx, moved_x, rows, sizeof *x);
    lcl_buffer *out = test_poisoned(K->ctx, rows, sizeof *y);
    launch_apply(K, together, groups, inverse, in, out, 1);
    test_untouched(out);
    launch_apply(K, together, groups, inverse, in, out, 0);
    test_download(out, got, rows, sizeof *got);
    test_expect_near("y", got, moved_y, rows, K->single ? 1e-6 : 1e-13);
    lcl_buffer_destroy(&inverse);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(got);
    free(moved_y);
    free(moved_x);
    free(y);
    free(x);
}

// ------------------------------------------------------------------- tests

// Stages, and rows of a block; 1 to 32 rows together.
static const int shapes[][2] = {{1, 1}, {2, 4}, {3, 2}, {16, 2}, {1, 5},
                                {4, 1}, {5, 6}, {8, 4}, {4, 8},  {16, 1}};

static int shape_count(void)
{
    return (int)test_size(4, sizeof shapes / sizeof *shapes);
}

static void test_kron_blocks__blocks_are_formed(void **state)
{
    for (int k = 0; k < shape_count(); ++k) {
        struct blocks K;
        init(&K, *state, shapes[k][0], shapes[k][1], false);
        expect_formed(&K, 1);
        expect_formed(&K, 3);
        finish(&K);
    }
}

static void test_kron_blocks__inverses_are_applied(void **state)
{
    for (int k = 0; k < shape_count(); ++k) {
        struct blocks K;
        init(&K, *state, shapes[k][0], shapes[k][1], false);
        expect_applied(&K, true, 3);
        expect_applied(&K, false, 1);
        finish(&K);
    }
}

static void test_kron_blocks__floats_do_the_same(void **state)
{
    struct blocks K;
    init(&K, *state, 2, 4, true);
    expect_formed(&K, 2);
    expect_applied(&K, true, 2);
    expect_applied(&K, false, 2);
    finish(&K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron_blocks__blocks_are_formed),
        cmocka_unit_test(test_kron_blocks__inverses_are_applied),
        cmocka_unit_test(test_kron_blocks__floats_do_the_same),
    };
    return test_device_run(tests);
}
