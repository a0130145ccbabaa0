// SPDX-License-Identifier: BSD-3-Clause
// prolongator.cl and cycle.cl compared with the references.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/multilevel/prolongator.h"
#include "lib/ref/aggregates.h"
#include "lib/ref/prolongator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ lambda

static double estimate(lcl_context *ctx, const struct lcl_csr *A)
{
    struct lcl_device_matrix D;
    lcl_buffer *lambda = test_poisoned(ctx, 1, sizeof(double));
    double found;
    test_upload_csr(&D, ctx, A);
    assert_int_equal(lcl_lambda(lambda, ctx, &D), LCL_OK);
    test_download(lambda, &found, 1, sizeof found);
    lcl_buffer_destroy(&lambda);
    lcl_device_matrix_finish(&D);
    return found;
}

// Of D^-1 A, where D = 6 I; the largest is 1 + cos(pi / (n + 1)) on a cube.
static void test_multigrid__lambda_of_a_grid_is_bounded(void **state)
{
    const int64_t n = test_size(5, 20);
    struct lcl_csr A = test_laplacian(n, n, n);
    const double largest = 1 + cos(acos(-1.0) / (double)(n + 1));
    const double found = estimate(*state, &A);
    assert_true(found > 0.95 * largest && found <= 2);
    test_csr_finish(&A);
}

// Diagonals of any sign and size do not matter; where there are none, D is 1.
static void test_multigrid__lambda_of_diagonals_is_one(void **state)
{
    struct lcl_csr A = test_identity(37);
    for (int64_t i = 0; i < A.rows; ++i)
        A.val[i] = (i % 2 ? -1 : 1) * pow(10, (double)(i - 18));
    assert_true(fabs(estimate(*state, &A) - 1) < 1e-12);
    for (int64_t i = 0; i < A.rows; ++i)
        A.val[i] = 0;
    assert_true(estimate(*state, &A) == 1);
    test_csr_finish(&A);
}

static void test_multigrid__values_are_scaled(void **state)
{
    struct lcl_csr A = test_random_csr(test_size(40, 900), 3, 5);
    struct lcl_device_matrix D;
    struct lcl_bsr got;
    test_upload_csr(&D, *state, &A);
    assert_int_equal(lcl_scale_matrix(*state, &D, 0.75), LCL_OK);
    assert_int_equal(lcl_device_matrix_read(&got, &D, true, NULL), LCL_OK);
    for (int64_t k = 0; k < A.nnz; ++k)
        assert_true(got.val[k] == 0.75 * A.val[k]);
    lcl_bsr_finish(&got);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------
// prolongator

// A matrix, its aggregates and its prolongation.
struct coarsening {
    lcl_context *ctx;
    const struct lcl_csr *A;
    struct lcl_device_matrix D, P;
    struct lcl_strength S;
    struct lcl_aggregates G;
    lcl_buffer *lambda;
};

static void coarsening_init(struct coarsening *C, lcl_context *ctx,
                            const struct lcl_csr *A)
{
    const struct lcl_strength_params strength = {.theta = 0.25};
    const struct lcl_aggregates_params params = {.second = 0};
    const double lambda = 1.75;
    *C = (struct coarsening){.ctx = ctx, .A = A};
    test_upload_csr(&C->D, ctx, A);
    assert_int_equal(lcl_strength_init(&C->S, ctx, &C->D, &strength), LCL_OK);
    assert_int_equal(lcl_aggregates_init(&C->G, ctx, &C->D, &C->S, &params),
                     LCL_OK);
    C->lambda = test_upload(ctx, &lambda, 1, sizeof lambda);
    assert_int_equal(
        lcl_prolongator_init(&C->P, ctx, &C->D, &C->S, &C->G, C->lambda),
        LCL_OK);
}

static void coarsening_finish(struct coarsening *C)
{
    lcl_device_matrix_finish(&C->P);
    lcl_device_matrix_finish(&C->D);
    lcl_aggregates_finish(&C->G);
    lcl_strength_finish(&C->S);
    lcl_buffer_destroy(&C->lambda);
}

static void *download(const lcl_buffer *buffer, int64_t count, size_t size)
{
    void *data = calloc((size_t)count + 1, size);
    assert_non_null(data);
    test_download(buffer, data, count, size);
    return data;
}

static void expect_same_matrix(const struct lcl_device_matrix *D,
                               const struct lcl_csr *expected)
{
    struct lcl_bsr got;
    assert_int_equal(D->blocks, expected->nnz);
    assert_int_equal(lcl_device_matrix_read(&got, D, true, NULL), LCL_OK);
    for (int64_t i = 0; i <= got.rows; ++i)
        assert_int_equal(got.row_ptr[i], expected->row_ptr[i]);
    test_expect_words("column", D->col, expected->col_ind, got.nnz);
    test_expect_near("value", got.val, expected->val, got.nnz, 1e-12);
    lcl_bsr_finish(&got);
}

static void expect_prolongator(lcl_context *ctx, const struct lcl_csr *A)
{
    struct coarsening C;
    struct lcl_csr P;
    coarsening_init(&C, ctx, A);
    int32_t *aggregate = download(C.G.aggregate, A->rows, sizeof *aggregate);
    uint8_t *strong = download(C.S.strong, A->nnz, 1);
    double *inv_diag = download(C.S.inv_diag, A->rows, sizeof *inv_diag);
    assert_int_equal(lcl_ref_prolongator(&P, A, strong, inv_diag, aggregate,
                                         C.G.aggregates, 1.75),
                     LCL_OK);
    expect_same_matrix(&C.P, &P);
    lcl_csr_finish(&P);
    free(inv_diag);
    free(strong);
    free(aggregate);
    coarsening_finish(&C);
}

// Couplings of row i have the size 10^(i % 3), symmetric.
static struct lcl_csr uneven(int64_t nx, int64_t ny, int64_t nz)
{
    struct lcl_csr A = test_laplacian(nx, ny, nz);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= pow(10, (double)((i + A.col_ind[k]) % 3));
    return A;
}

static void test_multigrid__prolongators_match_the_reference(void **state)
{
    const int64_t n = test_size(4, 16);
    struct lcl_csr grid = test_laplacian(n, n, n), other = uneven(n, n, 2);
    expect_prolongator(*state, &grid);
    expect_prolongator(*state, &other);
    test_csr_finish(&grid);
    test_csr_finish(&other);
}

// ------------------------------------------------------------------ cycle

// The levels of a hierarchy on the host.
struct host_levels {
    int levels;
    bool jacobi;
    struct lcl_bsr A[LCL_LEVELS_MOST], P[LCL_LEVELS_MOST];
    double lambda[LCL_LEVELS_MOST];
};

static void host_init(struct host_levels *T, const struct lcl_hierarchy *H)
{
    *T = (struct host_levels){.levels = H->levels,
                              .jacobi = H->params.smoother == LCL_AMG_JACOBI};
    for (int l = 0; l < H->levels; ++l) {
        const struct lcl_level *L = &H->level[l];
        assert_int_equal(lcl_device_matrix_read(&T->A[l], L->A, true, NULL),
                         LCL_OK);
        if (l == H->levels - 1)
            break;
        assert_int_equal(lcl_device_matrix_read(&T->P[l], &L->P, true, NULL),
                         LCL_OK);
        test_download(L->lambda, &T->lambda[l], 1, sizeof(double));
    }
}

static void host_finish(struct host_levels *T)
{
    for (int l = 0; l < T->levels; ++l) {
        lcl_bsr_finish(&T->A[l]);
        lcl_bsr_finish(&T->P[l]);
    }
}

static struct lcl_csr view(const struct lcl_bsr *A)
{
    struct lcl_csr C = lcl_bsr_pattern(A);
    C.val = A->val;
    return C;
}

// x = A^-1 b by elimination without pivoting.
static void solve_dense(const struct lcl_csr *A, const double *b, double *x)
{
    const int64_t n = A->rows;
    double *m = calloc((size_t)(n * n), sizeof *m);
    assert_non_null(m);
    for (int64_t i = 0; i < n; ++i) {
        x[i] = b[i];
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            m[i * n + A->col_ind[k]] = A->val[k];
    }
    for (int64_t k = 0; k < n; ++k)
        for (int64_t i = k + 1; i < n; ++i) {
            const double factor = m[i * n + k] / m[k * n + k];
            for (int64_t j = k; j < n; ++j)
                m[i * n + j] -= factor * m[k * n + j];
            x[i] -= factor * x[k];
        }
    for (int64_t i = n; i-- > 0;) {
        for (int64_t j = i + 1; j < n; ++j)
            x[i] -= m[i * n + j] * x[j];
        x[i] /= m[i * n + i];
    }
    free(m);
}

// x += (4 / (3 lambda)) D^-1 (b - A x)
static void jacobi(const struct lcl_csr *A, double lambda, const double *b,
                   double *x, double *r)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        double diagonal = 1;
        r[i] = b[i];
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            r[i] -= A->val[k] * x[A->col_ind[k]];
            diagonal = A->col_ind[k] == i ? A->val[k] : diagonal;
        }
        r[i] *= 4 / (3 * lambda) / diagonal;
    }
    for (int64_t i = 0; i < A->rows; ++i)
        x[i] += r[i];
}

static void smooth(const struct host_levels *T, int l, const double *b,
                   double *x, double *r, double *d)
{
    const struct lcl_csr A = view(&T->A[l]);
    if (T->jacobi)
        jacobi(&A, T->lambda[l], b, x, r);
    else
        lcl_ref_chebyshev(&A, T->lambda[l], b, x, r, d);
}

// The V-cycle from level l on: x = M^-1 b.
static void cycle(const struct host_levels *T, int l, const double *b,
                  double *x)
{
    const struct lcl_csr A = view(&T->A[l]);
    if (l == T->levels - 1) {
        solve_dense(&A, b, x);
        return;
    }
    const struct lcl_csr P = view(&T->P[l]);
    double *r = test_vector(A.rows), *d = test_vector(A.rows);
    double *bc = test_vector(P.cols), *xc = test_vector(P.cols);
    for (int64_t i = 0; i < A.rows; ++i)
        x[i] = 0;
    smooth(T, l, b, x, r, d);
    for (int64_t i = 0; i < A.rows; ++i) {
        double residual = b[i];
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            residual -= A.val[k] * x[A.col_ind[k]];
        for (int64_t k = P.row_ptr[i]; k < P.row_ptr[i + 1]; ++k)
            bc[P.col_ind[k]] += P.val[k] * residual;
    }
    cycle(T, l + 1, bc, xc);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = P.row_ptr[i]; k < P.row_ptr[i + 1]; ++k)
            x[i] += P.val[k] * xc[P.col_ind[k]];
    smooth(T, l, b, x, r, d);
    free(r);
    free(d);
    free(bc);
    free(xc);
}

// With x times `scale`: the cycle is linear, also where fp32 would underflow.
static void expect_cycle(lcl_context *ctx, const struct lcl_hierarchy *H,
                         const double *x, const double *expected, int64_t n,
                         double scale)
{
    double *scaled = test_vector(n), *y = test_vector(n);
    double largest = 0;
    for (int64_t i = 0; i < n; ++i) {
        scaled[i] = scale * x[i];
        largest = fmax(largest, fabs(expected[i]));
    }
    lcl_buffer *in = test_upload(ctx, scaled, n, sizeof *x);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *x);
    lcl_buffer *go_on = test_stop_flag(ctx, 0), *stop = test_stop_flag(ctx, 1);
    struct lcl_operands v = {.x = in, .y = out, .stop = stop};
    assert_int_equal(lcl_cycle_apply(&H->cycle, &v), LCL_OK);
    test_untouched(out);
    v.stop = go_on;
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(lcl_cycle_apply(&H->cycle, &v), LCL_OK);
        test_download(out, y, n, sizeof *y);
        for (int64_t i = 0; i < n; ++i)
            assert_true(fabs(y[i] / scale - expected[i]) <= 1e-5 * largest);
    }
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(scaled);
    free(y);
}

static void expect_hierarchy(lcl_context *ctx, const struct lcl_csr *A,
                             const struct lcl_hierarchy_params *params,
                             int levels, bool scaled)
{
    struct lcl_device_matrix D;
    struct lcl_hierarchy H;
    struct host_levels T;
    test_upload_csr(&D, ctx, A);
    assert_int_equal(lcl_hierarchy_init(&H, ctx, &D, params), LCL_OK);
    assert_true(H.levels >= levels);
    assert_int_equal(lcl_hierarchy_update(&H), LCL_OK);
    host_init(&T, &H);
    double *x = test_random_vector(A->rows, 3), *y = test_vector(A->rows);
    cycle(&T, 0, x, y);
    expect_cycle(ctx, &H, x, y, A->rows, 1);
    for (int k = -1; k <= 1 && scaled; k += 2)
        expect_cycle(ctx, &H, x, y, A->rows, pow(10, 200 * k));
    free(x);
    free(y);
    host_finish(&T);
    lcl_hierarchy_finish(&H);
    lcl_device_matrix_finish(&D);
}

static void test_multigrid__cycles_match_the_reference(void **state)
{
    const int64_t n = test_size(4, 16);
    const struct lcl_hierarchy_params few = {.coarse_rows = 30},
                                      two = {.levels = 2, .coarse_rows = 1},
                                      other_way = {.coarsening =
                                                       LCL_AMG_CLASSICAL,
                                                   .smoother = LCL_AMG_JACOBI,
                                                   .coarse_rows = 30};
    struct lcl_csr grid = test_laplacian(n, n, n), other = uneven(n, 4, 3);
    expect_hierarchy(*state, &grid, &few, 2, true);
    expect_hierarchy(*state, &grid, &two, 2, false);
    expect_hierarchy(*state, &other, &few, 2, false);
    expect_hierarchy(*state, &grid, &other_way, 2, true);
    expect_hierarchy(*state, &other, &other_way, 2, false);
    test_csr_finish(&grid);
    test_csr_finish(&other);
}

static void test_multigrid__small_matrices_are_inverted(void **state)
{
    const struct lcl_hierarchy_params defaults = {.levels = 0};
    struct lcl_csr one = test_identity(1), grid = test_laplacian(4, 3, 2);
    one.val[0] = -4;
    expect_hierarchy(*state, &one, &defaults, 1, true);
    expect_hierarchy(*state, &grid, &defaults, 1, false);
    test_csr_finish(&one);
    test_csr_finish(&grid);
}

// <e, P^T A P e> of a vector of ones, or with P NULL <e, A e>.
static double energy_of_ones(const struct lcl_bsr *A, const struct lcl_bsr *P)
{
    const int64_t n = A->rows, coarse = P ? P->cols : n;
    double *e = test_vector(coarse), *x = test_vector(n), *y = test_vector(n);
    double energy = 0;
    for (int64_t i = 0; i < coarse; ++i)
        e[i] = 1;
    if (P)
        lcl_bsr_multiply(P, e, x);
    else
        memcpy(x, e, (size_t)n * sizeof *x);
    lcl_bsr_multiply(A, x, y);
    for (int64_t i = 0; i < n; ++i)
        energy += x[i] * y[i];
    free(y);
    free(x);
    free(e);
    return energy;
}

static void test_multigrid__plain_aggregation_is_overcorrected(void **state)
{
    const struct lcl_hierarchy_params two = {
        .levels = 2, .coarsening = LCL_AMG_SA, .coarse_rows = 1};
    struct lcl_csr A = test_power_law(test_size(500, 2000));
    struct lcl_device_matrix D;
    struct lcl_hierarchy H;
    struct host_levels T;
    test_upload_csr(&D, *state, &A);
    assert_int_equal(lcl_hierarchy_init(&H, *state, &D, &two), LCL_OK);
    assert_int_equal(lcl_hierarchy_update(&H), LCL_OK);
    assert_int_equal(H.levels, 2);
    assert_true(H.level[0].plain);
    host_init(&T, &H);
    const double expected = energy_of_ones(&T.A[0], &T.P[0]) / 1.5;
    const double found = energy_of_ones(&T.A[1], NULL);
    assert_true(fabs(found - expected) <= 1e-6 * expected);
    host_finish(&T);
    lcl_hierarchy_finish(&H);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multigrid__lambda_of_a_grid_is_bounded),
        cmocka_unit_test(test_multigrid__values_are_scaled),
        cmocka_unit_test(test_multigrid__lambda_of_diagonals_is_one),
        cmocka_unit_test(test_multigrid__prolongators_match_the_reference),
        cmocka_unit_test(test_multigrid__cycles_match_the_reference),
        cmocka_unit_test(test_multigrid__small_matrices_are_inverted),
        cmocka_unit_test(test_multigrid__plain_aggregation_is_overcorrected),
    };
    return test_device_run(tests);
}
