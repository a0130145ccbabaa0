// SPDX-License-Identifier: BSD-3-Clause
// cpr.cl compared with plain C.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/storage/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 5 };

struct fixture {
    lcl_context *ctx;
    struct lcl_bsr A;
    struct lcl_device_matrix D;
    int b, pressure;
    bool wide;
    int64_t cells, rows;
};

static void open(struct fixture *F, lcl_context *ctx, int b, bool wide)
{
    struct lcl_csr pattern = test_random_csr(test_size(20, 700), 4, 3);
    *F = (struct fixture){.ctx = ctx, .b = b, .pressure = b / 2, .wide = wide};
    F->A = test_random_blocks(&pattern, b, (unsigned)b);
    F->cells = F->A.rows;
    F->rows = F->cells * b;
    assert_int_equal(lcl_device_matrix_init(&F->D, ctx, &F->A), LCL_OK);
    if (wide) {
        lcl_buffer_destroy(&F->D.row_ptr);
        F->D.row_ptr =
            test_upload(ctx, F->A.row_ptr, F->cells + 1, sizeof *F->A.row_ptr);
    }
    test_csr_finish(&pattern);
}

static void close(struct fixture *F)
{
    lcl_device_matrix_finish(&F->D);
    test_bsr_finish(&F->A);
}

static lcl_kernel *kernel_of(const struct fixture *F, const char *name)
{
    const struct lcl_spec spec = {
        .source = "cpr.cl",
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(F->ctx)),
        .block = F->b,
        .wide = F->wide,
        .defines = {{"PRESSURE", F->pressure}},
    };
    return test_kernel(F->ctx, &spec);
}

// ------------------------------------------------------------------- weights

static const double *diagonal_block(const struct fixture *F, int64_t i)
{
    for (int64_t k = F->A.row_ptr[i]; k < F->A.row_ptr[i + 1]; ++k)
        if (F->A.col_ind[k] == i)
            return F->A.val + k * F->b * F->b;
    return NULL;
}

static double *weights_of(const struct fixture *F, const double *given)
{
    lcl_buffer *out = test_poisoned(F->ctx, F->rows, sizeof(double));
    lcl_buffer *blocks =
        given ? test_upload(F->ctx, given, F->rows * F->b, sizeof *given)
              : NULL;
    double *w = test_vector(F->rows);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(F, "cpr_weights"), GROUPS, lcl_arg_long(F->cells),
                   lcl_arg_buffer(F->D.row_ptr), lcl_arg_buffer(F->D.col),
                   lcl_arg_buffer(F->D.val), lcl_arg_buffer(blocks),
                   lcl_arg_buffer(out)),
        LCL_OK);
    test_download(out, w, F->rows, sizeof *w);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&blocks);
    return w;
}

// B^T w is a multiple of e_p, positive, and the largest entry of w is 1.
static void expect_weights(const struct fixture *F, const double *w,
                           const double *block)
{
    double most = 0;
    for (int r = 0; r < F->b; ++r)
        most = fmax(most, fabs(w[r]));
    assert_true(fabs(most - 1) < 1e-14);
    for (int c = 0; c < F->b; ++c) {
        double sum = 0, size = 0;
        for (int r = 0; r < F->b; ++r) {
            sum += w[r] * block[r * F->b + c];
            size += fabs(w[r] * block[r * F->b + c]);
        }
        assert_true(c == F->pressure ? sum > 0 : fabs(sum) < 1e-9 * size);
    }
}

static void test_cpr__weights_decouple_the_pressure(void **state)
{
    for (int b = 2; b <= LCL_BLOCK_MAX; b += 2)
        for (int wide = 0; wide < 2; ++wide) {
            struct fixture F;
            open(&F, *state, b, wide);
            double *given = test_random_vector(F.rows * b, 9);
            double *w = weights_of(&F, NULL), *v = weights_of(&F, given);
            for (int64_t i = 0; i < F.cells; ++i) {
                expect_weights(&F, w + i * b, diagonal_block(&F, i));
                expect_weights(&F, v + i * b, given + i * b * b);
            }
            free(w);
            free(v);
            free(given);
            close(&F);
        }
}

// Zeros, equal rows and infinite pivots: the equation of the pressure alone.
static void test_cpr__singular_blocks_have_one_weight(void **state)
{
    struct fixture F;
    open(&F, *state, 3, false);
    double *given = test_vector(F.rows * 3);
    for (int64_t i = 0; i < F.cells; ++i)
        for (int k = 0; k < 9; ++k)
            given[i * 9 + k] = i % 3 == 0   ? 0
                               : i % 3 == 1 ? 1
                                            : (k % 4 == 0 ? 1e-310 : 0);
    double *w = weights_of(&F, given);
    for (int64_t i = 0; i < F.rows; ++i)
        assert_true(w[i] == (i % 3 == F.pressure ? 1 : 0));
    free(w);
    free(given);
    close(&F);
}

// ------------------------------------------------------------------- matrix

static void test_cpr__pressures_have_their_matrix(void **state)
{
    for (int b = 2; b <= LCL_BLOCK_MAX; b += 3) {
        struct fixture F;
        open(&F, *state, b, b == 5);
        double *w = test_random_vector(F.rows, 2);
        double *got = test_vector(F.A.nnz), *expected = test_vector(F.A.nnz);
        lcl_buffer *weights = test_upload(F.ctx, w, F.rows, sizeof *w);
        lcl_buffer *out = test_poisoned(F.ctx, F.A.nnz, sizeof(double));
        assert_int_equal(
            LCL_LAUNCH(kernel_of(&F, "cpr_matrix"), GROUPS,
                       lcl_arg_long(F.cells), lcl_arg_buffer(F.D.row_ptr),
                       lcl_arg_buffer(weights), lcl_arg_buffer(F.D.val),
                       lcl_arg_buffer(out)),
            LCL_OK);
        for (int64_t i = 0; i < F.cells; ++i)
            for (int64_t k = F.A.row_ptr[i]; k < F.A.row_ptr[i + 1]; ++k)
                for (int r = 0; r < b; ++r)
                    expected[k] +=
                        w[i * b + r] * F.A.val[(k * b + r) * b + F.pressure];
        test_download(out, got, F.A.nnz, sizeof *got);
        test_expect_near("pressure matrix", got, expected, F.A.nnz, 1e-14);
        lcl_buffer_destroy(&weights);
        lcl_buffer_destroy(&out);
        free(w);
        free(got);
        free(expected);
        close(&F);
    }
}

// ------------------------------------------------------------------- stages

// Each stage, or nothing if it is stopped.
static void expect_stages(lcl_context *ctx, int b, int32_t stopped)
{
    struct fixture F;
    open(&F, ctx, b, b == 5);
    double *w = test_random_vector(F.rows, 2),
           *v = test_random_vector(F.rows, 3);
    double *p = test_random_vector(F.cells, 4), *got = test_vector(F.rows);
    double *sums = test_vector(F.cells), *rest = test_vector(F.rows);
    lcl_buffer *weights = test_upload(ctx, w, F.rows, sizeof *w);
    lcl_buffer *in = test_upload(ctx, v, F.rows, sizeof *v);
    lcl_buffer *pressures = test_upload(ctx, p, F.cells, sizeof *p);
    lcl_buffer *r = test_poisoned(ctx, F.cells, sizeof(double));
    lcl_buffer *out = test_poisoned(ctx, F.rows, sizeof(double));
    lcl_buffer *flag = test_stop_flag(ctx, stopped);
    const struct lcl_arg cells = lcl_arg_long(F.cells);
    const struct lcl_arg stop = lcl_arg_buffer(flag), at = lcl_arg_int(0);
    assert_int_equal(LCL_LAUNCH(kernel_of(&F, "cpr_restrict"), GROUPS, cells,
                                lcl_arg_buffer(weights), lcl_arg_buffer(in),
                                lcl_arg_buffer(r), stop, at),
                     LCL_OK);
    assert_int_equal(
        LCL_LAUNCH(kernel_of(&F, "cpr_residual"), GROUPS, cells,
                   lcl_arg_buffer(F.D.row_ptr), lcl_arg_buffer(F.D.col),
                   lcl_arg_buffer(F.D.val), lcl_arg_buffer(pressures),
                   lcl_arg_buffer(in), lcl_arg_buffer(out), stop, at),
        LCL_OK);
    assert_int_equal(LCL_LAUNCH(kernel_of(&F, "cpr_add"), GROUPS, cells,
                                lcl_arg_buffer(pressures), lcl_arg_buffer(in),
                                stop, at),
                     LCL_OK);
    for (int64_t i = 0; i < F.cells; ++i)
        for (int k = 0; k < b; ++k) {
            sums[i] += w[i * b + k] * v[i * b + k];
            rest[i * b + k] = v[i * b + k];
            for (int64_t e = F.A.row_ptr[i]; e < F.A.row_ptr[i + 1]; ++e)
                rest[i * b + k] -=
                    F.A.val[(e * b + k) * b + F.pressure] * p[F.A.col_ind[e]];
        }
    for (int64_t i = 0; i < F.cells && !stopped; ++i)
        v[i * b + F.pressure] += p[i];
    if (stopped) {
        test_untouched(r);
        test_untouched(out);
    } else {
        test_download(r, got, F.cells, sizeof *got);
        test_expect_near("restriction", got, sums, F.cells, 1e-14);
        test_download(out, got, F.rows, sizeof *got);
        test_expect_near("residual", got, rest, F.rows, 1e-13);
    }
    test_download(in, got, F.rows, sizeof *got);
    test_expect_same("sum", got, v, F.rows);
    lcl_buffer *const buffers[] = {weights, in, pressures, r, out, flag};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; ++k) {
        lcl_buffer *buffer = buffers[k];
        lcl_buffer_destroy(&buffer);
    }
    double *const vectors[] = {w, v, p, got, sums, rest};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        free(vectors[k]);
    close(&F);
}

static void test_cpr__stages_are_right(void **state)
{
    for (int b = 2; b <= LCL_BLOCK_MAX; b += 3)
        for (int32_t stopped = 0; stopped < 2; ++stopped)
            expect_stages(*state, b, stopped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpr__weights_decouple_the_pressure),
        cmocka_unit_test(test_cpr__singular_blocks_have_one_weight),
        cmocka_unit_test(test_cpr__pressures_have_their_matrix),
        cmocka_unit_test(test_cpr__stages_are_right),
    };
    return test_device_run(tests);
}
