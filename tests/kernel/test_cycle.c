// SPDX-License-Identifier: BSD-3-Clause
// The matrix of a level of a V-cycle in fp32 and bf16, and the steps with it
// (cycle.cl), compared with plain C.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/runtime.h"
#include "lib/ref/cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double lambda = 1.875;

// A matrix on the host, scaled and rounded, and on the device.
struct fixture {
    lcl_context *ctx;
    struct lcl_csr A; // with rounded values
    double *rest, loss;
    struct lcl_device_matrix D;
    struct lcl_cycle_matrix M;
    uint32_t lost[2]; // beyond fp32; bits of the loss
};

static double *scales_of(const struct lcl_csr *A)
{
    double *t = test_vector(A->rows);
    for (int64_t i = 0; i < A->rows; ++i) {
        const double d = test_entry(A, i, i);
        t[i] = d == 0 ? 1 : copysign(1 / sqrt(fabs(d)), d);
    }
    return t;
}

static void store(struct fixture *F, const double *t, int at)
{
    const uint32_t zero[2] = {0, 0};
    lcl_buffer *scale = test_upload(F->ctx, t, F->A.rows, sizeof *t);
    lcl_buffer *lost = test_upload(F->ctx, zero, 2, sizeof *zero);
    assert_int_equal(lcl_cycle_store(&F->M, scale, scale, lost, at), LCL_OK);
    test_download(lost, F->lost, 2, sizeof *zero);
    lcl_buffer_destroy(&scale);
    lcl_buffer_destroy(&lost);
}

// Takes A over; at most 65536 entries.
static void open(struct fixture *F, lcl_context *ctx, struct lcl_csr A,
                 enum lcl_factor_storage storage, bool wide)
{
    double *val = test_vector(A.nnz), *t = scales_of(&A);
    *F = (struct fixture){.ctx = ctx, .A = A, .rest = test_vector(A.rows)};
    test_upload_csr(&F->D, ctx, &A);
    if (wide) {
        lcl_buffer_destroy(&F->D.row_ptr);
        F->D.row_ptr = test_upload_row_ptr(ctx, A.row_ptr, A.rows, true);
        F->D.wide = true;
    }
    assert_int_equal(
        lcl_cycle_matrix_init(&F->M, ctx, &F->D, LCL_CYCLE_LEVEL, storage),
        LCL_OK);
    store(F, t, storage == LCL_FACTOR_STORAGE_BF16);
    F->loss = lcl_ref_cycle_store(&A, storage, val, F->rest);
    memcpy(F->A.val, val, (size_t)A.nnz * sizeof *val);
    if (storage != LCL_FACTOR_STORAGE_BF16)
        memset(F->rest, 0, (size_t)A.rows * sizeof *F->rest);
    free(val);
    free(t);
}

static void close(struct fixture *F)
{
    lcl_cycle_matrix_finish(&F->M);
    lcl_device_matrix_finish(&F->D);
    test_csr_finish(&F->A);
    free(F->rest);
}

// ------------------------------------------------------------------ values

static double bf16_value(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void expect_rounded(const struct fixture *F)
{
    const int64_t n = F->A.rows, nnz = F->A.nnz;
    uint16_t *half = calloc((size_t)nnz + 1, sizeof *half);
    double *val = test_vector(nnz), *rest = test_vector(n);
    float loss;
    assert_non_null(half);
    assert_int_equal(lcl_buffer_read(F->M.val, half, (size_t)nnz * 2), LCL_OK);
    for (int64_t k = 0; k < nnz; ++k)
        val[k] = bf16_value(half[k]);
    test_expect_same("value", val, F->A.val, nnz);
    test_download_reals(F->M.rest, rest, n, sizeof(float));
    test_expect_near("rest", rest, F->rest, n, 1e-7);
    memcpy(&loss, &F->lost[1], sizeof loss);
    assert_true(fabs(loss - F->loss) <= 1e-6 * F->loss);
    assert_int_equal(F->lost[0], 0);
    free(half);
    free(val);
    free(rest);
}

// Rows and columns scaled by powers of two, so that diagonals differ; some are
// negative, some missing.
static struct lcl_csr uneven(int64_t n, double per_row, unsigned seed)
{
    struct lcl_csr A = test_random_csr(n, per_row, seed);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const int64_t j = A.col_ind[k];
            A.val[k] *= pow(2, (double)(i % 5 + j % 5)) * (i % 3 ? 1 : -1);
            if (i == j && i % 11 == 4)
                A.val[k] = 0;
        }
    return A;
}

static int make_cases(struct lcl_csr *A)
{
    const int64_t n = test_size(40, 3000);
    int count = 0;
    A[count++] = test_identity(1);
    A[count++] = test_laplacian(test_size(3, 12), 4, 5);
    A[count++] = uneven(n, 6, 3);
    A[count++] = uneven(n, test_size(15, 20), 5);
    A[count++] = test_dense_row(n, n / 2);
    A[count++] = test_stretched_csr(n, n, 7);
    return count;
}

static void test_cycle__bf16_values_match_the_reference(void **state)
{
    struct lcl_csr A[6];
    const int count = make_cases(A);
    for (int c = 0; c < count; ++c) {
        struct fixture F;
        open(&F, *state, A[c], LCL_FACTOR_STORAGE_BF16, c == 2);
        expect_rounded(&F);
        close(&F);
    }
}

// ------------------------------------------------------------------ steps

static void run(const struct fixture *F, enum lcl_cycle_step step,
                lcl_buffer *const *vectors, lcl_buffer *out)
{
    lcl_buffer *number = test_upload(F->ctx, &lambda, 1, sizeof lambda);
    lcl_buffer *go_on = test_stop_flag(F->ctx, 0);
    lcl_buffer *stop = test_stop_flag(F->ctx, 1);
    lcl_buffer *idle = test_poisoned(F->ctx, F->A.rows, sizeof(float));
    struct lcl_cycle_vectors all = {.lambda = number,
                                    .b = vectors[0],
                                    .x = vectors[1],
                                    .y = vectors[2],
                                    .out = idle};
    struct lcl_operands v = {.stop = stop};
    assert_int_equal(lcl_cycle_step(&F->M, step, &all, &v), LCL_OK);
    test_untouched(idle);
    v.stop = go_on;
    all.out = out;
    assert_int_equal(lcl_cycle_step(&F->M, step, &all, &v), LCL_OK);
    lcl_buffer_destroy(&number);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    lcl_buffer_destroy(&idle);
}

// A step that adds to its output finds numbers there, the others NaN.
static void expect_step(const struct fixture *F, enum lcl_cycle_step step)
{
    const int64_t n = F->A.rows;
    double *v[4], *got = test_vector(n);
    lcl_buffer *vectors[4];
    for (int q = 0; q < 4; ++q) {
        v[q] = test_random_vector(n, 20 + (unsigned)q);
        vectors[q] = test_upload_reals(F->ctx, v[q], n, sizeof(float));
    }
    lcl_buffer *out = step == LCL_CYCLE_PROLONG
                          ? vectors[3]
                          : test_poisoned(F->ctx, n, sizeof(float));
    run(F, step, vectors, out);
    test_download_reals(out, got, n, sizeof(float));
    lcl_ref_cycle_step(&F->A, F->rest, step, lambda, v[0], v[1], v[2], v[3]);
    test_expect_near("row", got, v[3], n, 2e-5);
    if (step != LCL_CYCLE_PROLONG)
        lcl_buffer_destroy(&out);
    for (int q = 0; q < 4; ++q) {
        lcl_buffer_destroy(&vectors[q]);
        free(v[q]);
    }
    free(got);
}

static void test_cycle__steps_match_the_reference(void **state)
{
    for (int rounds = 0; rounds < 2; ++rounds) {
        struct lcl_csr A[6];
        const int count = make_cases(A);
        for (int c = 0; c < count; ++c) {
            struct fixture F;
            open(&F, *state, A[c],
                 rounds ? LCL_FACTOR_STORAGE_BF16 : LCL_FACTOR_STORAGE_FP32,
                 c == 3);
            for (int step = 0; step < LCL_CYCLE_STEPS; ++step)
                expect_step(&F, (enum lcl_cycle_step)step);
            close(&F);
        }
    }
}

// ------------------------------------------------------------------ row sums

// A times ones in bf16 is what it is without rounding.
static void test_cycle__bf16_keeps_row_sums(void **state)
{
    const int64_t n = test_size(40, 3000);
    struct lcl_csr A = uneven(n, 9, 11);
    double *ones = test_vector(n), *sum = test_vector(n), *t = scales_of(&A);
    double *got = test_vector(n), *rounded = test_vector(n), worst = 0;
    struct fixture F;
    for (int64_t i = 0; i < n; ++i) {
        ones[i] = 1;
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            sum[i] += A.val[k] * t[i] * fabs(t[A.col_ind[k]]);
    }
    open(&F, *state, A, LCL_FACTOR_STORAGE_BF16, false);
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            rounded[i] += F.A.val[k];
        worst = fmax(worst, fabs(rounded[i] - sum[i]));
    }
    lcl_buffer *x = test_upload_reals(*state, ones, n, sizeof(float));
    lcl_buffer *const vectors[] = {x, x, x};
    lcl_buffer *out = test_poisoned(*state, n, sizeof(float));
    run(&F, LCL_CYCLE_RESTRICT, vectors, out);
    test_download_reals(out, got, n, sizeof(float));
    test_expect_near("row sum", got, sum, n, 1e-5);
    assert_true(worst > 1e-3); // without the rests
    lcl_buffer_destroy(&x);
    lcl_buffer_destroy(&out);
    close(&F);
    free(ones);
    free(sum);
    free(t);
    free(got);
    free(rounded);
}

// ------------------------------------------------------------------ range

static void expect_lost(lcl_context *ctx, double large,
                        enum lcl_factor_storage storage, uint32_t beyond,
                        double least, double most)
{
    struct lcl_csr A = test_laplacian(4, 3, 1);
    struct fixture F;
    float loss;
    A.val[A.row_ptr[5]] = large;
    open(&F, ctx, A, storage, false);
    memcpy(&loss, &F.lost[1], sizeof loss);
    assert_int_equal(F.lost[0], beyond);
    assert_true(isnan(most) ? isnan(loss) : loss >= least && loss <= most);
    close(&F);
}

// 1e30 is in the range of bf16, but the diagonal beside it is lost.
static void test_cycle__losses_of_bf16_are_found(void **state)
{
    const enum lcl_factor_storage bf16 = LCL_FACTOR_STORAGE_BF16,
                                  fp32 = LCL_FACTOR_STORAGE_FP32;
    expect_lost(*state, -1, bf16, 0, 1e-5, 0.01);
    expect_lost(*state, 1e30, bf16, 0, 1e24, 1e28);
    expect_lost(*state, 1e40, bf16, 0, HUGE_VAL, HUGE_VAL);
    expect_lost(*state, NAN, bf16, 0, 0, NAN);
    expect_lost(*state, 1e30, fp32, 0, 0, 0);
    expect_lost(*state, 1e40, fp32, 1, 0, 0);
    expect_lost(*state, NAN, fp32, 1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle__bf16_values_match_the_reference),
        cmocka_unit_test(test_cycle__steps_match_the_reference),
        cmocka_unit_test(test_cycle__bf16_keeps_row_sums),
        cmocka_unit_test(test_cycle__losses_of_bf16_are_found),
    };
    return test_device_run(tests);
}
