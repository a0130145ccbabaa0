// SPDX-License-Identifier: BSD-3-Clause
// Patterns with rows that repeat and with fill, from the pattern of ILU(k) to
// the factors on the device, compared with the references.
#include "tests/support/device.h"
#include "tests/support/factors.h"
#include "tests/support/overlaps.h"
#include "tests/support/schedules.h"

#include "host/alloc.h"
#include "lib/factor/ilu_pattern.h"
#include "lib/factor/symbolic.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/ref/schedule.h"

#include <stdlib.h>

enum { BLOCK = 3, MOST_PARTS = 4 };

// A matrix on overlapping subdomains, and the pattern of its ILU(k).
struct problem {
    struct lcl_bsr A;
    struct lcl_subdomains P;
    struct lcl_host_pattern H;
    struct test_system S; // of extended rows
};

// ---------------------------------------------------------------------- values

static double *block_of(const struct lcl_bsr *A, int64_t k)
{
    return A->val + k * A->block_size * A->block_size;
}

// Makes the diagonal of each row of A larger than the sum of the row.
static void dominate(struct lcl_bsr *A)
{
    const int b = A->block_size;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            for (int r = 0; r < b && A->col_ind[k] == i; ++r)
                block_of(A, k)[r * b + r] =
                    (double)(b * (A->row_ptr[i + 1] - A->row_ptr[i])) + r;
}

// Sources name the values in an order of the device's own: entry k of A is
// number place[k].
static lcl_buffer *upload_values(lcl_context *ctx, const struct lcl_bsr *A,
                                 struct lcl_host_pattern *H)
{
    const int values = A->block_size * A->block_size;
    int32_t *place = test_random_permutation(A->nnz, 8);
    double *val = test_vector(A->nnz * values);
    for (int64_t k = 0; k < A->nnz; ++k)
        for (int e = 0; e < values; ++e)
            val[place[k] * values + e] = block_of(A, k)[e];
    for (int64_t e = 0; e < H->nnz; ++e)
        if (H->source[e] != LCL_FILL)
            H->source[e] = (uint32_t)place[H->source[e]];
    lcl_buffer *buffer = test_upload(ctx, val, A->nnz * values, sizeof *val);
    free(place);
    free(val);
    return buffer;
}

// -------------------------------------------------------------------- problems

// The pattern H as a matrix with the values of A, 0 where it is filled.
static struct lcl_csr matrix_of(const struct lcl_host_pattern *H,
                                const struct lcl_bsr *A)
{
    struct lcl_csr M = {.rows = H->rows, .cols = H->rows, .nnz = H->nnz};
    M.row_ptr = calloc((size_t)M.rows + 1, sizeof *M.row_ptr);
    M.col_ind = calloc((size_t)M.nnz + 1, sizeof *M.col_ind);
    M.val = test_vector(M.nnz);
    assert_non_null(M.row_ptr);
    assert_non_null(M.col_ind);
    for (int64_t i = 0; i <= M.rows; ++i)
        M.row_ptr[i] = H->row_ptr[i];
    for (int64_t e = 0; e < M.nnz; ++e) {
        M.col_ind[e] = H->col[e];
        if (H->source[e] != LCL_FILL)
            M.val[e] = block_of(A, H->source[e])[0];
    }
    return M;
}

// The extended rows, part by part.
static struct lcl_subdomains extended(const struct lcl_subdomains *P)
{
    struct lcl_subdomains E = {.parts = P->parts};
    assert_int_equal(
        lcl_subdomains_allocate(&E, lcl_subdomains_rows(P), P->parts, NULL),
        LCL_OK);
    for (int64_t p = 0; p <= P->parts; ++p)
        E.part_ptr[p] = P->part_ptr[p];
    for (int64_t i = 0; i < E.n; ++i)
        E.row[i] = (int32_t)i;
    return E;
}

static void take_blocks(struct problem *T)
{
    const int values = T->A.block_size * T->A.block_size;
    T->S.block = T->A.block_size;
    T->S.blocks = test_vector(T->H.nnz * values);
    for (int64_t k = 0; k < T->H.nnz; ++k) {
        const uint32_t source = T->H.source[T->S.map[k]];
        for (int e = 0; e < values && source != LCL_FILL; ++e)
            T->S.blocks[k * values + e] = block_of(&T->A, source)[e];
    }
}

struct choice {
    int64_t parts;
    int layers, k, block;
    bool shuffled, folded;
};

static void problem_init(struct problem *T, const struct lcl_csr *A,
                         const struct choice *c)
{
    T->A = test_random_blocks(A, c->block, 7);
    T->P = test_overlapping(A, c->parts, c->layers, c->shuffled);
    dominate(&T->A);
    assert_int_equal(lcl_ilu_pattern(&T->H, A, &T->P, c->k, NULL, NULL),
                     LCL_OK);
    test_system_of(&T->S, matrix_of(&T->H, &T->A), extended(&T->P), !c->folded);
    if (c->folded) {
        test_system_fold(&T->S);
        test_system_sort(&T->S);
    }
    if (c->block > 1)
        take_blocks(T);
}

static void problem_finish(struct problem *T)
{
    test_system_finish(&T->S);
    lcl_host_pattern_finish(&T->H);
    lcl_subdomains_finish(&T->P);
    test_bsr_finish(&T->A);
}

// ------------------------------------------------------------------ comparison

// The reference's sources are entries of S.B; the device's are those of H.
static void translate(struct lcl_host_schedule *L, const struct problem *T)
{
    for (int64_t s = 0; s < L->slots; ++s)
        if (L->source[s] != LCL_PADDING)
            L->source[s] = T->H.source[T->S.map[L->source[s]]];
    for (int64_t i = 0; i < L->n; ++i)
        if (L->diagonal[i] != LCL_PADDING)
            L->diagonal[i] = T->H.source[T->S.map[L->diagonal[i]]];
}

static void expect_schedule(lcl_context *ctx, const struct lcl_schedule *D,
                            const struct problem *T, int group)
{
    struct lcl_host_schedule L;
    const int lanes = T->A.block_size > 1 ? 1 : test_width(ctx);
    assert_int_equal(lcl_ref_schedule(&L, &T->S.B, T->S.P.part_ptr,
                                      T->S.P.parts, T->S.level, group, lanes),
                     LCL_OK);
    translate(&L, T);
    test_expect_schedule(ctx, D, &L);
    lcl_host_schedule_finish(&L);
}

// Slots of fill hold columns of their own; the others without an entry are
// padding, whose column is the row itself, and 1/d.
static void expect_told_apart(lcl_context *ctx, const struct lcl_schedule *D,
                              const struct lcl_host_pattern *H)
{
    struct lcl_host_schedule L;
    int64_t fill = 0, expected = 0;
    assert_int_equal(lcl_schedule_download(&L, ctx, D), LCL_OK);
    for (int64_t s = 0; s < L.slots; ++s)
        fill += L.source[s] == LCL_FILL;
    for (int64_t i = 0; i < L.n; ++i)
        fill += L.diagonal[i] == LCL_FILL;
    for (int64_t e = 0; e < H->nnz; ++e)
        expected += H->source[e] == LCL_FILL;
    assert_int_equal(fill, expected);
    lcl_host_schedule_finish(&L);
}

static void expect_info(const struct lcl_symbolic *S, const struct problem *T)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < T->S.B.rows; ++i)
        missing += lcl_csr_find(&T->S.B, i, i) < 0;
    assert_int_equal(S->drop.kept, T->H.nnz);
    assert_int_equal(S->drop.missing_diagonals, missing);
    assert_true(S->drop.share == 0 && S->drop.weight == 0 &&
                S->drop.opposite == 0);
}

// The symbolic phase of T on the device; compares its results.
static void analyse(struct lcl_symbolic *S, lcl_context *ctx,
                    const struct problem *T, int group, bool folded)
{
    struct lcl_pattern pattern;
    const struct lcl_symbolic_params params = {
        .block = T->A.block_size,
        .group = group,
        .lanes = T->A.block_size > 1 ? 1 : test_width(ctx),
        .folded = folded,
    };
    assert_int_equal(lcl_pattern_upload(&pattern, ctx, &T->H), LCL_OK);
    assert_int_equal(lcl_symbolic_init(S, ctx, &pattern, &T->P, NULL, &params),
                     LCL_OK);
    test_expect_words("perm", S->B.perm, T->S.P.row, T->S.P.n);
    test_expect_words("level", S->level, T->S.level, T->S.P.n);
    expect_info(S, T);
    expect_schedule(ctx, &S->schedule, T, group);
    expect_told_apart(ctx, &S->schedule, &T->H);
    lcl_pattern_finish(&pattern);
}

// Returns whether the pattern turned out to be triangle-free.
static bool expect_factors(lcl_context *ctx, const struct lcl_csr *A,
                           const struct choice *c, int waves)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    const int group = test_group(ctx, waves);
    struct problem T;
    struct lcl_symbolic S;
    struct test_factors F;
    struct lcl_repairs repairs;
    problem_init(&T, A, c);
    lcl_buffer *val = upload_values(ctx, &T.A, &T.H);
    analyse(&S, ctx, &T, group, c->folded);
    test_factors_init_from(&F, ctx, &T.S, group, &params, &S.schedule, val);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_int_equal(repairs.count, 0);
    test_factors_compare(&F, 1e-11);
    const bool triangle_free = F.device.mirror;
    test_factors_finish(&F);
    lcl_symbolic_finish(&S);
    problem_finish(&T);
    return triangle_free;
}

// Takes A over.
static void expect_all(lcl_context *ctx, struct lcl_csr A, int64_t parts,
                       int block)
{
    for (int layers = 0; layers <= 2; ++layers)
        for (int k = 0; k <= 2; ++k) {
            const struct choice c = {.parts = parts,
                                     .layers = layers,
                                     .k = k,
                                     .block = block,
                                     .shuffled = (layers + k) % 2};
            expect_factors(ctx, &A, &c, 1 + layers % 2);
        }
    test_csr_finish(&A);
}

// ----------------------------------------------------------------------- cases

static void test_pattern__random_matrices_match_the_reference(void **state)
{
    expect_all(*state, test_random_csr(test_size(31, 503), 3, 1), 3, 1);
    expect_all(*state, test_random_csr(test_size(40, 409), 2, 2), 1, 1);
}

static void test_pattern__grids_match_the_reference(void **state)
{
    expect_all(*state, test_laplacian(test_size(7, 24), 5, 1), 2, 1);
    expect_all(*state, test_laplacian(4, 3, test_size(3, 20)), MOST_PARTS, 1);
}

static void test_pattern__blocks_match_the_reference(void **state)
{
    expect_all(*state, test_random_csr(test_size(23, 211), 2, 3), 3, BLOCK);
    expect_all(*state, test_laplacian(4, test_size(4, 30), 1), 2, BLOCK);
}

static void test_pattern__hostile_matrices_match_the_reference(void **state)
{
    expect_all(*state, test_identity(1), 1, 1);
    expect_all(*state, test_identity(9), MOST_PARTS, 1);
    expect_all(*state, test_dense_row(test_size(19, 211), 0), 2, 1);
    expect_all(*state, test_dense_row(test_size(13, 70), 9), 3, BLOCK);
    const int64_t n = test_size(20, 300);
    expect_all(*state, test_random_csr(n, n < 40 ? (double)n - 1 : 39, 4), 3,
               1);
}

// Without fill, as for matrices: half the levels.
static void test_pattern__overlap_without_fill_may_be_folded(void **state)
{
    struct lcl_csr A = test_laplacian(5, test_size(5, 30), 2);
    for (int layers = 0; layers <= 2; ++layers) {
        const struct choice c = {
            .parts = 3, .layers = layers, .block = 1, .folded = true};
        assert_true(expect_factors(*state, &A, &c, 1));
    }
    test_csr_finish(&A);
}

// Both factorisations; fill closes triangles.
static void test_pattern__grids_have_triangles_by_fill(void **state)
{
    struct lcl_csr A = test_laplacian(6, test_size(5, 30), 1);
    for (int layers = 0; layers <= 2; ++layers)
        for (int k = 0; k <= 1; ++k) {
            const struct choice c = {
                .parts = 1, .layers = layers, .k = k, .block = 1};
            assert_int_equal(expect_factors(*state, &A, &c, 1), k == 0);
        }
    test_csr_finish(&A);
}

// Diagonals that are fill: of rows with and without triangles.
static void test_pattern__missing_diagonals_are_filled(void **state)
{
    const double chain[] = {4, 1, 0, 0, 1, 0, 2, 0, 0, 2, 0, 3, 0, 0, 3, 0};
    const double full[] = {4, 1, 2, 0, 1, 0, 3, 0, 5, 1, 0, 2, 0, 1, 2, 0};
    for (int k = 0; k <= 2; ++k) {
        const struct choice c = {.parts = 1, .k = k, .block = 1};
        struct lcl_csr A = test_csr_from_dense(4, chain);
        assert_true(expect_factors(*state, &A, &c, 1));
        test_csr_finish(&A);
        A = test_csr_from_dense(4, full);
        assert_false(expect_factors(*state, &A, &c, 1));
        test_csr_finish(&A);
    }
}

// ----------------------------------------------------------------- complete LU

// The entry (i, j) of L, of D^-1 or of U, 0 if it is not stored.
static double factor_entry(const struct test_factors *F, int64_t i, int64_t j)
{
    const int64_t at = lcl_csr_find(&F->system->B, i, j);
    return i == j ? F->ref.inv_d[i] : at < 0 ? 0 : F->ref.val[at];
}

// (L D U)_ij
static double product(const struct test_factors *F, int64_t i, int64_t j,
                      int64_t first)
{
    double sum = 0;
    for (int64_t m = first; m <= i && m <= j; ++m)
        sum += (m == i ? 1 : factor_entry(F, i, m)) / factor_entry(F, m, m) *
               (m == j ? 1 : factor_entry(F, m, j));
    return sum;
}

// L D U = A on each part, for all positions of the dense block.
static void expect_exact(const struct test_factors *F, const struct problem *T)
{
    const struct lcl_subdomains *E = &T->S.P;
    const struct lcl_csr A = lcl_bsr_pattern(&T->A);
    for (int64_t p = 0; p < E->parts; ++p)
        for (int64_t i = E->part_ptr[p]; i < E->part_ptr[p + 1]; ++i)
            for (int64_t j = E->part_ptr[p]; j < E->part_ptr[p + 1]; ++j) {
                const int64_t k =
                    lcl_csr_find(&A, T->P.row[E->row[i]], T->P.row[E->row[j]]);
                const double got = product(F, i, j, E->part_ptr[p]);
                const double expected = k < 0 ? 0 : T->A.val[k];
                test_expect_near("L D U", &got, &expected, 1, 1e-11);
            }
}

// The factors of the device, with the level of fill n, are the LU factors.
static void expect_lu(lcl_context *ctx, struct lcl_csr A, int layers)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    const struct choice c = {.parts = 2,
                             .layers = layers,
                             .k = (int)A.rows,
                             .block = 1,
                             .shuffled = true};
    struct problem T;
    struct lcl_symbolic S;
    struct test_factors F;
    struct lcl_repairs repairs;
    problem_init(&T, &A, &c);
    lcl_buffer *val = upload_values(ctx, &T.A, &T.H);
    analyse(&S, ctx, &T, test_group(ctx, 1), false);
    test_factors_init_from(&F, ctx, &T.S, test_group(ctx, 1), &params,
                           &S.schedule, val);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    test_factors_adopt(&F);
    expect_exact(&F, &T);
    test_factors_finish(&F);
    lcl_symbolic_finish(&S);
    problem_finish(&T);
    test_csr_finish(&A);
}

static void test_pattern__complete_fill_gives_the_lu_factors(void **state)
{
    for (int layers = 0; layers <= 2; ++layers) {
        expect_lu(*state, test_random_csr(23, 2, 5), layers);
        expect_lu(*state, test_laplacian(4, 4, 2), layers);
        expect_lu(*state, test_dense_row(17, 0), layers);
    }
}

// --------------------------------------------------------------------- upload

static void test_pattern__no_entries_are_a_pattern(void **state)
{
    const double nothing[] = {0, 0, 0, 0};
    struct lcl_csr A = test_csr_from_dense(2, nothing);
    const struct choice c = {.parts = 1, .layers = 1, .k = 1, .block = 1};
    struct problem T;
    struct lcl_symbolic S;
    problem_init(&T, &A, &c);
    assert_int_equal(T.H.nnz, 0);
    analyse(&S, *state, &T, test_group(*state, 1), false);
    lcl_symbolic_finish(&S);
    problem_finish(&T);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern__random_matrices_match_the_reference),
        cmocka_unit_test(test_pattern__grids_match_the_reference),
        cmocka_unit_test(test_pattern__blocks_match_the_reference),
        cmocka_unit_test(test_pattern__hostile_matrices_match_the_reference),
        cmocka_unit_test(test_pattern__overlap_without_fill_may_be_folded),
        cmocka_unit_test(test_pattern__grids_have_triangles_by_fill),
        cmocka_unit_test(test_pattern__missing_diagonals_are_filled),
        cmocka_unit_test(test_pattern__complete_fill_gives_the_lu_factors),
        cmocka_unit_test(test_pattern__no_entries_are_a_pattern),
    };
    return test_device_run(tests);
}
