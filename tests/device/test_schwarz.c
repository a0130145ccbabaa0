// SPDX-License-Identifier: BSD-3-Clause
// ILU(k) and Schwarz preconditioners as their users see them, compared with
// dense arithmetic: by their definition, and with so much fill that the
// subdomains are solved exactly.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/solving.h"

#include "host/context.h"
#include "host/runtime.h"
#include "lib/matrix/csr.h"
#include "lib/partition/overlap.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>

enum { COMPLETE = 1000 }; // a level of fill that nothing reaches

// ------------------------------------------------------------ dense reference

// A subdomain as a dense matrix with levels of fill.
struct dense {
    int64_t n;
    double *a;
    int *level;
};

static void eliminate(struct dense *D, int64_t i, int64_t m, int most)
{
    double *row = D->a + i * D->n;
    const double *pivot = D->a + m * D->n;
    const int *level = D->level + i * D->n, *of_pivot = D->level + m * D->n;
    row[m] /= pivot[m];
    for (int64_t j = m + 1; j < D->n; ++j)
        if (level[j] <= most && of_pivot[j] <= most)
            row[j] -= row[m] * pivot[j];
}

static void find_levels(struct dense *D, int64_t i, int64_t m)
{
    int *level = D->level + i * D->n;
    for (int64_t j = m + 1; j < D->n; ++j) {
        const int fill = level[m] + D->level[m * D->n + j] + 1;
        if (fill < level[j])
            level[j] = fill;
    }
}

// L and U of ILU(k) in place of A: first the levels, then the entries of level
// `most` and below.
static void factor(struct dense *D, int most)
{
    for (int64_t i = 0; i < D->n; ++i)
        for (int64_t m = 0; m < i; ++m)
            if (D->level[i * D->n + m] <= most)
                find_levels(D, i, m);
    for (int64_t i = 0; i < D->n; ++i)
        for (int64_t m = 0; m < i; ++m)
            if (D->level[i * D->n + m] <= most)
                eliminate(D, i, m, most);
}

static void solve(const struct dense *D, double *x, int most)
{
    for (int64_t i = 0; i < D->n; ++i)
        for (int64_t j = 0; j < i; ++j)
            if (D->level[i * D->n + j] <= most)
                x[i] -= D->a[i * D->n + j] * x[j];
    for (int64_t i = D->n - 1; i >= 0; --i) {
        for (int64_t j = i + 1; j < D->n; ++j)
            if (D->level[i * D->n + j] <= most)
                x[i] -= D->a[i * D->n + j] * x[j];
        x[i] /= D->a[i * D->n + i];
    }
}

static struct dense extract_part(const struct lcl_csr *A, const int32_t *row,
                                 int64_t n)
{
    struct dense D = {n, test_vector(n * n),
                      calloc((size_t)(n * n), sizeof *D.level)};
    assert_non_null(D.level);
    for (int64_t k = 0; k < n * n; ++k) {
        D.a[k] = test_entry(A, row[k / n], row[k % n]);
        D.level[k] = D.a[k] != 0 ? 0 : 2 * COMPLETE;
    }
    return D;
}

static void add_part(const struct lcl_csr *A, const struct lcl_subdomains *P,
                     int64_t p, int level, bool restricted, const double *b,
                     double *x)
{
    const int64_t first = P->part_ptr[p], n = P->part_ptr[p + 1] - first;
    const int32_t *row = P->row + first;
    struct dense D = extract_part(A, row, n);
    double *y = test_vector(n);
    for (int64_t i = 0; i < n; ++i)
        y[i] = b[row[i]];
    factor(&D, level);
    solve(&D, y, level);
    for (int64_t i = 0; i < n; ++i)
        x[row[i]] += !restricted || !P->owned || P->owned[first + i] ? y[i] : 0;
    free(y);
    free(D.level);
    free(D.a);
}

// Chunks of `rows` rows, which divide the number of rows, extended by `overlap`
// layers.
static struct lcl_subdomains make_parts(const struct lcl_csr *A, int64_t rows,
                                        int overlap)
{
    struct lcl_subdomains P = {0}, Q;
    const int64_t parts = (A->rows + rows - 1) / rows;
    assert_int_equal(lcl_subdomains_allocate(&P, A->rows, parts, NULL), LCL_OK);
    P.parts = parts;
    for (int64_t p = 0; p <= parts; ++p)
        P.part_ptr[p] = p * rows < A->rows ? p * rows : A->rows;
    for (int64_t i = 0; i < A->rows; ++i)
        P.row[i] = (int32_t)i;
    assert_int_equal(lcl_subdomains_overlap(&Q, &P, A, overlap, NULL), LCL_OK);
    lcl_subdomains_finish(&P);
    return Q;
}

// ------------------------------------------------------------------ comparison

struct method {
    enum lcl_precond_type type;
    int level, overlap;
};

static struct lcl_precond_params params_of(const struct method *m, int64_t rows)
{
    return (struct lcl_precond_params){
        .type = m->type,
        .ilu_level = m->level,
        .overlap = m->overlap,
        .storage = LCL_FACTOR_STORAGE_FP64,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = rows},
    };
}

static int overlap_of(const struct method *m)
{
    return m->overlap > 0 ? m->overlap : m->type != LCL_PRECOND_ILUK;
}

// `rows` of a subdomain: block rows if the operator stores blocks.
static void expect_method(lcl_context *ctx, const struct lcl_csr *A, int block,
                          int64_t rows, const struct method *m)
{
    const struct lcl_precond_params params = params_of(m, rows);
    const struct lcl_operator_params op = {.block_size = block};
    double *b = test_random_vector(A->rows, 3), *x = test_vector(A->rows);
    double *expected = test_vector(A->rows);
    struct lcl_subdomains P = make_parts(A, rows * block, overlap_of(m));
    lcl_precond *M;
    assert_int_equal(test_precond_create_from(&M, ctx, A, &op, &params),
                     LCL_OK);
    for (int64_t i = 0; i < A->rows; ++i)
        x[i] = NAN;
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    for (int64_t p = 0; p < P.parts; ++p)
        add_part(A, &P, p, m->level, m->type != LCL_PRECOND_AS, b, expected);
    test_expect_near("x", x, expected, A->rows, 1e-10);
    const struct lcl_precond_info *info = lcl_precond_info(M);
    assert_int_equal(info->factors.parts, P.parts);
    assert_int_equal(info->factors.rows, lcl_subdomains_rows(&P));
    assert_int_equal(info->factors.ilu_level, m->level);
    assert_int_equal(info->factors.overlap, overlap_of(m));
    assert_true(info->factors.nnz >= info->nnz_kept);
    test_precond_destroy(&M);
    lcl_subdomains_finish(&P);
    free(b);
    free(x);
    free(expected);
}

static void test_schwarz__complete_fill_solves_the_subdomains(void **state)
{
    struct lcl_csr A = test_laplacian(6, 5, 2);
    struct lcl_csr B = test_expand_blocks(&A, 2);
    for (int64_t i = 0; i < B.rows; ++i) // blocks that are not singular
        for (int64_t k = B.row_ptr[i]; k < B.row_ptr[i + 1]; ++k)
            B.val[k] *= B.col_ind[k] == i ? 4 : 1;
    for (int overlap = 1; overlap <= 2; ++overlap) {
        const struct method methods[] = {
            {LCL_PRECOND_ILUK, COMPLETE, 0},
            {LCL_PRECOND_ILUK, COMPLETE, overlap},
            {LCL_PRECOND_RAS, COMPLETE, overlap},
            {LCL_PRECOND_AS, COMPLETE, overlap},
        };
        for (int i = 0; i < 4; ++i)
            expect_method(*state, &A, 1, 12, &methods[i]);
        expect_method(*state, &B, 2, 12, &methods[2]);
    }
    test_csr_finish(&B);
    test_csr_finish(&A);
}

static void test_schwarz__levels_of_fill_are_those_of_the_definition(
    void **state)
{
    struct lcl_csr A = test_random_csr(60, 3, 4);
    struct lcl_csr B = test_laplacian(7, 4, 2);
    for (int level = 1; level <= 3; ++level) {
        const struct method methods[] = {
            {LCL_PRECOND_ILUK, level, 0},
            {LCL_PRECOND_RAS, level, 1},
        };
        const struct method symmetric = {LCL_PRECOND_AS, level, 2};
        for (int i = 0; i < 2; ++i) {
            expect_method(*state, &A, 1, 15, &methods[i]);
            expect_method(*state, &B, 1, 56, &methods[i]);
        }
        expect_method(*state, &B, 1, 8, &symmetric);
    }
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// ---------------------------------------------------------------------- ILUT

static void expect_same_solution(lcl_precond *const *M, const double *b,
                                 int64_t n)
{
    double *x = test_vector(n), *expected = test_vector(n);
    assert_int_equal(lcl_precond_apply(M[0], b, expected), LCL_OK);
    assert_int_equal(lcl_precond_apply(M[1], b, x), LCL_OK);
    test_expect_near("x", x, expected, n, 1e-10);
    free(x);
    free(expected);
}

// Complete factors by ILU(k) and by ILUT, also with new values.
static void expect_complete(lcl_context *ctx, struct lcl_csr *A, int block,
                            enum lcl_precond_type type)
{
    const struct lcl_operator_params op = {.block_size = block};
    struct lcl_precond_params params[2];
    double *b = test_random_vector(A->rows, 5);
    lcl_operator *O;
    lcl_precond *M[2];
    for (int i = 0; i < 2; ++i)
        params[i] = (struct lcl_precond_params){
            .type = type == LCL_PRECOND_RAS ? type
                    : i == 0                ? LCL_PRECOND_ILUK
                                            : LCL_PRECOND_ILUT,
            .ilu_level = i == 0 ? COMPLETE : 0,
            .ilut_p = i == 1 ? 10000 : 0,
            .ilut_tol = i == 1 ? 1e-300 : 0,
            .storage = LCL_FACTOR_STORAGE_FP64,
            .partition = {.type = LCL_PARTITION_NATURAL, .rows = 12},
        };
    assert_int_equal(lcl_operator_create(&O, ctx, A, &op), LCL_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(lcl_precond_create(&M[i], O, &params[i]), LCL_OK);
    assert_int_equal(lcl_precond_info(M[1])->factors.ilut_p, 10000);
    expect_same_solution(M, b, A->rows);
    for (int64_t i = 0; i < A->rows; ++i)
        A->val[lcl_csr_find(A, i, i)] *= 1.5;
    assert_int_equal(lcl_operator_update(O, A->val), LCL_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(lcl_precond_update(M[i]), LCL_OK);
    expect_same_solution(M, b, A->rows);
    for (int i = 0; i < 2; ++i)
        lcl_precond_destroy(&M[i]);
    lcl_operator_destroy(&O);
    free(b);
}

static void test_schwarz__complete_ilut_solves_the_subdomains(void **state)
{
    struct lcl_csr A = test_laplacian(6, 5, 2);
    struct lcl_csr B = test_expand_blocks(&A, 2);
    for (int64_t i = 0; i < B.rows; ++i)
        for (int64_t k = B.row_ptr[i]; k < B.row_ptr[i + 1]; ++k)
            B.val[k] *= B.col_ind[k] == i ? 4 : 1;
    expect_complete(*state, &A, 1, LCL_PRECOND_ILUT);
    expect_complete(*state, &A, 1, LCL_PRECOND_RAS);
    expect_complete(*state, &B, 2, LCL_PRECOND_ILUT);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// At most p entries of L and of U beside the diagonal, and a large threshold
// leaves only diagonals.
static void test_schwarz__ilut_bounds_its_fill(void **state)
{
    struct lcl_csr A = test_laplacian(12, 11, 3);
    for (int p = 1; p <= 3; ++p)
        for (int i = 0; i < 2; ++i) {
            const struct lcl_precond_params params = {
                .type = LCL_PRECOND_ILUT,
                .ilut_p = p,
                .ilut_tol = i == 0 ? 1e-300 : 10,
                .partition = {.type = LCL_PARTITION_NATURAL, .rows = 100},
            };
            lcl_precond *M;
            assert_int_equal(test_precond_create(&M, *state, &A, &params),
                             LCL_OK);
            const int64_t nnz = lcl_precond_info(M)->factors.nnz;
            assert_true(i == 0 ? nnz <= (2 * p + 1) * A.rows && nnz > A.rows
                               : nnz == A.rows);
            test_precond_destroy(&M);
        }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------------ use

// Two preconditioners of one operator, the first of which renumbers it.
static void test_schwarz__shares_an_operator_with_another_one(void **state)
{
    struct lcl_csr A = test_laplacian(12, 9, 5);
    const struct method m = {LCL_PRECOND_RAS, 0, 1};
    const struct lcl_precond_params ras = params_of(&m, 60);
    const struct lcl_precond_params ildu0 = {
        .type = LCL_PRECOND_ILDU0,
        .partition = {.type = LCL_PARTITION_METIS, .rows = 60}};
    double *b = test_random_vector(A.rows, 1);
    int iterations[2];
    lcl_operator *op;
    lcl_precond *M[2];
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M[0], op, &ildu0), LCL_OK);
    assert_int_equal(lcl_precond_create(&M[1], op, &ras), LCL_OK);
    for (int i = 0; i < 2; ++i) {
        double *x = test_vector(A.rows);
        struct lcl_report report;
        lcl_solver *S;
        assert_int_equal(lcl_solver_create(&S, op, M[i], NULL), LCL_OK);
        assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
        iterations[i] = report.iterations;
        lcl_solver_destroy(&S);
        free(x);
    }
    assert_true(iterations[1] < iterations[0]);
    for (int i = 0; i < 2; ++i)
        lcl_precond_destroy(&M[i]);
    lcl_operator_destroy(&op);
    free(b);
    test_csr_finish(&A);
}

static void test_schwarz__refuses_what_it_does_not_support(void **state)
{
    const struct {
        struct lcl_precond_params params;
        enum lcl_status expected;
    } cases[] = {
        {{.type = LCL_PRECOND_RAS, .overlap = -1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILUK, .ilu_level = -1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILDU0, .overlap = 1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_JACOBI, .ilu_level = 1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_RAS, .coarse = LCL_COARSE_MULT},
         LCL_EUNSUPPORTED},
        {{.type = LCL_PRECOND_AS, .trisolve = LCL_TRISOLVE_DAG_EC_LDS},
         LCL_EUNSUPPORTED},
        {{.type = LCL_PRECOND_AS}, LCL_EUNSUPPORTED},
        {{.type = LCL_PRECOND_ILUT, .ilut_p = -1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILUT, .ilut_tol = -1e-3}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILUT, .ilut_tol = NAN}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILUT, .ilut_tol = INFINITY}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILUT, .ilu_level = 1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_RAS, .ilut_p = 2, .ilu_level = 1}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILUK, .ilut_p = 2}, LCL_EINVAL},
        {{.type = LCL_PRECOND_AS, .ilut_p = 2}, LCL_EINVAL},
        {{.type = LCL_PRECOND_ILUT, .coarse = LCL_COARSE_ADD},
         LCL_EUNSUPPORTED},
    };
    struct lcl_csr A = test_random_csr(50, 3, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        test_precond_expect_refused(*state, &A, &cases[i].params,
                                    cases[i].expected);
    test_csr_finish(&A);
}

static void test_schwarz__cg_takes_as_and_refuses_ras(void **state)
{
    const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    struct lcl_csr A = test_laplacian(9, 8, 3);
    for (int type = LCL_PRECOND_RAS; type <= LCL_PRECOND_AS; ++type) {
        const struct lcl_precond_params params = {
            .type = (enum lcl_precond_type)type, .partition = {.rows = 50}};
        const bool symmetric = type == LCL_PRECOND_AS;
        lcl_precond *M;
        lcl_solver *S;
        assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
        assert_int_equal(test_solver_create(&S, M, &cg),
                         symmetric ? LCL_OK : LCL_EUNSUPPORTED);
        if (symmetric) {
            double *b = test_random_vector(A.rows, 2);
            double *x = test_vector(A.rows);
            assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_OK);
            free(x);
            free(b);
        }
        lcl_solver_destroy(&S);
        test_precond_destroy(&M);
    }
    test_csr_finish(&A);
}

// Overlap beyond the graph: each subdomain is the whole of it.
static void test_schwarz__overlap_may_exceed_the_graph(void **state)
{
    const struct method m = {LCL_PRECOND_RAS, COMPLETE, 100};
    struct lcl_csr A = test_laplacian(5, 4, 1);
    expect_method(*state, &A, 1, 5, &m);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- sizes

// Whether M^-1 b solves A x = b.
static void expect_exact(lcl_context *ctx, const struct lcl_csr *A,
                         const struct lcl_precond_params *params)
{
    lcl_precond *M;
    double *b = test_random_vector(A->rows, 4), *x = test_vector(A->rows);
    assert_int_equal(test_precond_create(&M, ctx, A, params), LCL_OK);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    assert_true(test_residual(A, b, x) <= 1e-14);
    test_precond_destroy(&M);
    free(x);
    free(b);
}

// Rows beside the first and the last one have only a diagonal; the last one has
// fill in columns that the first one stores, near the end.
static struct lcl_csr far_fill(int64_t n)
{
    struct lcl_csr A = {.rows = n,
                        .cols = n,
                        .nnz = n + 3,
                        .row_ptr = calloc((size_t)n + 1, sizeof *A.row_ptr),
                        .col_ind = calloc((size_t)n + 3, sizeof *A.col_ind),
                        .val = calloc((size_t)n + 3, sizeof *A.val)};
    const int32_t last = (int32_t)(n - 1);
    int64_t k = 0;
    assert_true(A.row_ptr && A.col_ind && A.val);
    for (int32_t i = 0; i <= last; ++i) {
        if (i == last)
            A.col_ind[k++] = 0;
        A.col_ind[k++] = i;
        for (int32_t j = last - 2; i == 0 && j < last; ++j)
            A.col_ind[k++] = j;
        A.row_ptr[i + 1] = k;
    }
    for (k = 0; k < A.nnz; ++k)
        A.val[k] = 1 + 0.25 * (double)(k % 5);
    return A;
}

static void test_schwarz__fill_reaches_beyond_16_bits(void **state)
{
    const struct lcl_precond_params cases[] = {
        {.type = LCL_PRECOND_ILUK}, {.type = LCL_PRECOND_ILUT, .ilut_p = 4}};
    struct lcl_csr A = far_fill(70000);
    for (int i = 0; i < 2; ++i) {
        struct lcl_precond_params params = cases[i];
        params.trisolve = LCL_TRISOLVE_HEC_LEVEL;
        params.partition.type = LCL_PARTITION_NATURAL;
        params.partition.rows = A.rows;
        expect_exact(*state, &A, &params);
    }
    test_csr_finish(&A);
}

// Labels that are far apart; the numbers between them would be empty.
static void test_schwarz__subdomains_may_have_one_row(void **state)
{
    enum { N = 60 };
    int32_t labels[N];
    struct lcl_csr A = test_laplacian(5, 4, 3);
    double *b = test_random_vector(N, 3), *x = test_vector(N);
    for (int i = 0; i < N; ++i)
        labels[i] = 1000 * (N - i);
    for (int i = 0; i < 4; ++i) {
        const struct lcl_precond_params params = {
            .type = i < 2 ? LCL_PRECOND_ILUK : LCL_PRECOND_ILUT,
            .trisolve = i % 2 ? LCL_TRISOLVE_HEC_LEVEL : LCL_TRISOLVE_PACKED,
            .partition = {.type = LCL_PARTITION_LABELS,
                          .labels = labels,
                          .labels_count = N}};
        lcl_precond *M;
        assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
        assert_int_equal(lcl_precond_info(M)->factors.parts, N);
        assert_int_equal(lcl_precond_info(M)->factors.part_rows_max, 1);
        assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
        for (int k = 0; k < N; ++k)
            assert_true(fabs(x[k] - b[k] / 6) <= 1e-7);
        test_precond_destroy(&M);
    }
    free(x);
    free(b);
    test_csr_finish(&A);
}

// A device of little memory: the set-up ends before it allocates any factors.
static void test_schwarz__factors_beyond_the_memory_are_refused(void **state)
{
    static const enum lcl_precond_type types[] = {
        LCL_PRECOND_ILUK, LCL_PRECOND_ILUT, LCL_PRECOND_RAS, LCL_PRECOND_AS};
    (void)state;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params context = {.log = capture.log};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    lcl_context *ctx;
    assert_int_equal(lcl_runtime_create(&ctx, &context, &lcl_cl_loader),
                     LCL_OK);
    ctx->caps.global_bytes = 14 * (uint64_t)A.nnz - 1;
    for (int i = 0; i < 8; ++i) {
        const struct lcl_precond_params params = {
            .type = types[i / 2],
            .trisolve = i % 2 ? LCL_TRISOLVE_HEC_LEVEL : LCL_TRISOLVE_PACKED,
            .partition = {.type = LCL_PARTITION_NATURAL, .rows = A.rows}};
        test_precond_expect_refused(ctx, &A, &params, LCL_EDEVMEM);
        test_capture_expect(&capture, "the most that fit the device's memory; "
                                      "use less fill or less overlap");
    }
    lcl_context_destroy(&ctx);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schwarz__complete_fill_solves_the_subdomains),
        cmocka_unit_test(
            test_schwarz__levels_of_fill_are_those_of_the_definition),
        cmocka_unit_test(test_schwarz__shares_an_operator_with_another_one),
        cmocka_unit_test(test_schwarz__refuses_what_it_does_not_support),
        cmocka_unit_test(test_schwarz__complete_ilut_solves_the_subdomains),
        cmocka_unit_test(test_schwarz__ilut_bounds_its_fill),
        cmocka_unit_test(test_schwarz__cg_takes_as_and_refuses_ras),
        cmocka_unit_test(test_schwarz__overlap_may_exceed_the_graph),
        cmocka_unit_test(test_schwarz__fill_reaches_beyond_16_bits),
        cmocka_unit_test(test_schwarz__subdomains_may_have_one_row),
        cmocka_unit_test(test_schwarz__factors_beyond_the_memory_are_refused),
    };
    return test_device_run(tests);
}
