// SPDX-License-Identifier: BSD-3-Clause
// Whole cycles of the passes and steps of GMRES compared with the reference,
// also in chunks of columns.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/krylov/arnoldi.h"
#include "lib/krylov/pipeline.h"
#include "lib/ref/gmres.h"

#include <math.h>
#include <stdlib.h>

// A basis with the state and flags of a method.
struct cycle {
    struct lcl_arnoldi A;
    lcl_buffer *state, *stop, *r, *sums, *u;
};

static void cycle_open(struct cycle *c, lcl_context *ctx, int64_t n, int m,
                       enum lcl_basis_storage storage,
                       enum lcl_orthogonalisation method, bool flexible)
{
    const int words = KRYLOV_OWN + GMRES_WORDS;
    double *r = test_random_vector(n, 1), sums[2] = {0, 0};
    for (int64_t i = 0; i < n; ++i)
        sums[1] += r[i] * r[i];
    const struct lcl_space V = lcl_space_of(ctx, n);
    assert_int_equal(lcl_arnoldi_init(&c->A, &V, m, storage, method, flexible),
                     LCL_OK);
    c->A.state = c->state = test_poisoned(ctx, words, sizeof(double));
    c->A.stop = c->stop = test_poisoned(ctx, 2, sizeof(int32_t));
    assert_int_equal(lcl_buffer_fill(c->state, 0), LCL_OK);
    assert_int_equal(lcl_buffer_fill(c->stop, 0), LCL_OK);
    c->r = test_upload(ctx, r, n, sizeof *r);
    c->u = test_upload(ctx, r, n, sizeof *r);
    c->sums = test_upload(ctx, sums, 2, sizeof *sums);
    assert_int_equal(lcl_arnoldi_begin(&c->A, 0, 0, 1, c->sums, c->r), LCL_OK);
    free(r);
}

static void cycle_close(struct cycle *c)
{
    lcl_arnoldi_finish(&c->A);
    lcl_buffer_destroy(&c->state);
    lcl_buffer_destroy(&c->stop);
    lcl_buffer_destroy(&c->r);
    lcl_buffer_destroy(&c->u);
    lcl_buffer_destroy(&c->sums);
}

// V or Z, converted to double.
static double *columns_of(const struct lcl_arnoldi *A, const lcl_buffer *B)
{
    const size_t count = (size_t)A->ld * (size_t)A->m;
    double *V = test_vector((int64_t)count);
    if (A->storage == LCL_BASIS_FP64) {
        assert_int_equal(lcl_buffer_read(B, V, count * sizeof *V), LCL_OK);
        return V;
    }
    float *narrow = calloc(count, sizeof *narrow);
    assert_non_null(narrow);
    assert_int_equal(lcl_buffer_read(B, narrow, count * sizeof *narrow),
                     LCL_OK);
    for (size_t i = 0; i < count; ++i)
        V[i] = narrow[i];
    free(narrow);
    return V;
}

// Columns of random vectors: V^T V = I and w_j = V h_j + nu v_{j+1}; R and the
// rotations result from them. Compares the residual with the reference.
static void expect_cycle(lcl_context *ctx, int m,
                         enum lcl_basis_storage storage,
                         enum lcl_orthogonalisation method, bool flexible)
{
    const int64_t n = test_size(53, 2011);
    const double tolerance = storage == LCL_BASIS_FP32 ? 3e-6 : 1e-13;
    struct cycle c;
    cycle_open(&c, ctx, n, m, storage, method, flexible);
    const size_t words = 6 * (size_t)m + 1 + (size_t)m * ((size_t)m + 1) / 2;
    double *h = test_vector((int64_t)words),
           *R_ref = test_vector((int64_t)words);
    struct lcl_ref_gmres_scalars s = {R_ref, R_ref + m * (m + 1) / 2,
                                      R_ref + m * (m + 1) / 2 + m,
                                      R_ref + m * (m + 1) / 2 + 2 * m};
    double *dots = test_vector(m + 1);
    for (int j = 0; j < m; ++j) {
        double *w = test_random_vector(n, (unsigned)j + 20);
        assert_int_equal(lcl_buffer_write(c.A.w, w, (size_t)n * sizeof *w),
                         LCL_OK);
        assert_int_equal(
            lcl_arnoldi_step(&c.A, j, j, 0, c.r,
                             j == 0 ? GMRES_STOP_BEGIN : GMRES_STOP_STEP,
                             GMRES_STOP_STEP),
            LCL_OK);
        double *V = columns_of(&c.A, c.A.V), nu = 0;
        assert_int_equal(lcl_buffer_read(c.A.h, h, words * sizeof *h), LCL_OK);
        if (j == 0)
            s.g[0] = sqrt(h[3 * m] * h[3 * m] + h[3 * m + 1] * h[3 * m + 1]);
        lcl_ref_gmres_dots(n, c.A.ld, j + 1, V, w, dots);
        lcl_ref_gmres_sum(n, c.A.ld, j + 1, -1, V, dots, w);
        for (int64_t i = 0; i < n; ++i)
            nu += w[i] * w[i];
        lcl_ref_gmres_rotate(&s, j, dots, sqrt(nu));
        const size_t at = (size_t)j * ((size_t)j + 1) / 2;
        test_expect_near("R", h + 6 * m + 1 + at, s.R + at, j + 1,
                         100 * tolerance);
        test_expect_near("g", h + 3 * m, s.g, j + 2, 100 * tolerance);
        if (j + 1 < m) {
            for (int64_t i = 0; i < n; ++i)
                w[i] /= sqrt(nu);
            test_expect_near("column", V + (j + 1) * c.A.ld, w, n,
                             10 * tolerance);
            lcl_ref_gmres_dots(n, c.A.ld, j + 1, V, V + (j + 1) * c.A.ld, dots);
            for (int k = 0; k <= j; ++k)
                assert_true(fabs(dots[k]) <= tolerance);
        }
        free(V);
        free(w);
    }
    free(dots);
    free(h);
    free(R_ref);
    cycle_close(&c);
}

static void test_gmres__cycles_are_the_reference_s(void **state)
{
    const int most[] = {(int)test_size(37, 70), (int)test_size(19, 70)};
    for (int s = LCL_BASIS_FP64; s < LCL_BASIS_COUNT; ++s)
        for (int o = LCL_ORTHOGONALISATION_CGS2;
             o < LCL_ORTHOGONALISATION_COUNT; ++o) {
            const enum lcl_basis_storage storage = (enum lcl_basis_storage)s;
            const enum lcl_orthogonalisation method =
                (enum lcl_orthogonalisation)o;
            expect_cycle(*state, 1, storage, method, false);
            expect_cycle(*state, 12, storage, method, true);
            expect_cycle(*state, most[s > LCL_BASIS_FP64], storage, method,
                         s == 1);
        }
}

// u = V y in chunks, for every number of columns.
static void test_gmres__columns_are_combined_in_chunks(void **state)
{
    const int m = (int)test_size(35, 67);
    const int64_t n = test_size(103, 2011);
    const size_t words = 6 * (size_t)m + 1 + (size_t)m * ((size_t)m + 1) / 2;
    struct cycle c;
    cycle_open(&c, *state, n, m, LCL_BASIS_FP64, LCL_ORTHOGONALISATION_CGS2,
               false);
    double *V = test_random_vector(c.A.ld * m, 2);
    double *h = test_random_vector((int64_t)words, 3);
    double *got = test_vector(n);
    assert_int_equal(
        lcl_buffer_write(c.A.V, V, (size_t)(c.A.ld * m) * sizeof *V), LCL_OK);
    assert_int_equal(lcl_buffer_write(c.A.h, h, words * sizeof *h), LCL_OK);
    for (int k = 1; k <= m; k += k < 30 ? 5 : 1) {
        double *expected = test_vector(n);
        lcl_ref_gmres_sum(n, c.A.ld, k, 1, V, h + 2 * m, expected);
        const struct lcl_operands v = {
            .x = c.A.V, .y = c.u, .stop = c.stop, .at = GMRES_STOP_STEP};
        assert_int_equal(lcl_arnoldi_combine(&c.A, k, false, &v), LCL_OK);
        test_download(c.u, got, n, sizeof *got);
        test_expect_near("u", got, expected, n, 1e-11);
        free(expected);
    }
    free(V);
    free(h);
    free(got);
    cycle_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmres__cycles_are_the_reference_s),
        cmocka_unit_test(test_gmres__columns_are_combined_in_chunks),
    };
    return test_device_run(tests);
}
