// SPDX-License-Identifier: BSD-3-Clause
// The matching, step by step and as a whole, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/alloc.h"
#include "lib/matrix/bsr.h"
#include "lib/partition/match.h"
#include "lib/partition/matcher.h"
#include "lib/ref/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10 }; // aggregates

static void expect_ints(const char *what, const int32_t *got,
                        const int32_t *expected, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (got[i] != expected[i])
            fail_msg("%s[%lld]: %d, expected %d", what, (long long)i, got[i],
                     expected[i]);
}

static void upload(struct lcl_device_matrix *D, lcl_context *ctx,
                   const struct lcl_bsr *A)
{
    assert_int_equal(lcl_device_matrix_init(D, ctx, A), LCL_OK);
}

// ------------------------------------------------------------------- matrices

// A symmetric star: row 0 is coupled to all others.
static struct lcl_csr star(int64_t n)
{
    struct lcl_csr A = test_dense_row(n, 0);
    int64_t *row_ptr = calloc((size_t)n + 1, sizeof *row_ptr);
    int32_t *col_ind = calloc((size_t)(3 * n), sizeof *col_ind);
    double *val = calloc((size_t)(3 * n), sizeof *val);
    int64_t k = 0;
    assert_true(row_ptr && col_ind && val);
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j)
            if (i == 0 || j == 0 || i == j) {
                col_ind[k] = j;
                val[k++] = i == j ? 2 : -1.0 / (1 + i + j);
            }
        row_ptr[i + 1] = k;
    }
    test_csr_finish(&A);
    return (struct lcl_csr){n, n, k, row_ptr, col_ind, val};
}

static int32_t column_of(double share, int64_t n)
{
    const int32_t j = (int32_t)((double)n * share * share * share * share);
    return j < n ? j : (int32_t)n - 1;
}

// Columns that get rarer with their number, so that few vertices have most
// edges; the pattern is not symmetric.
static struct lcl_csr power_law(int64_t n, unsigned seed)
{
    uint64_t state = seed;
    int64_t *row_ptr = calloc((size_t)n + 1, sizeof *row_ptr);
    int32_t *col_ind = calloc((size_t)(4 * n), sizeof *col_ind);
    double *val = calloc((size_t)(4 * n), sizeof *val);
    int64_t k = 0;
    assert_true(row_ptr && col_ind && val);
    for (int64_t i = 0; i < n; ++i) {
        char stored[4096] = {0};
        assert_true(n <= (int64_t)sizeof stored);
        stored[i] = stored[column_of(test_random(&state), n)] = 1;
        stored[column_of(test_random(&state), n)] = 1;
        for (int32_t j = 0; j < n; ++j)
            if (stored[j]) {
                col_ind[k] = j;
                val[k++] = i == j ? 4 : test_random(&state) - 0.5;
            }
        row_ptr[i + 1] = k;
    }
    return (struct lcl_csr){n, n, k, row_ptr, col_ind, val};
}

// Chains of `length` rows that are not coupled to each other.
static struct lcl_csr chains(int64_t n, int64_t length)
{
    struct lcl_csr A = test_laplacian(n, 1, 1);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] / length != i / length)
                A.col_ind[k] = -1;
    int64_t at = 0;
    for (int64_t i = 0, k = 0; i < n; ++i) {
        for (; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] >= 0) {
                A.col_ind[at] = A.col_ind[k];
                A.val[at++] = A.val[k];
            }
        A.row_ptr[i + 1] = at;
    }
    A.nnz = at;
    return A;
}

// ------------------------------------------------------------------- steps

// A matrix on the device and on the host, with its graph.
struct setting {
    struct lcl_csr A;
    struct lcl_device_matrix D;
    struct lcl_matcher m;
    struct lcl_match_graph G;
    struct lcl_ref_graph E;
};

// Scratch buffers start as NaN or -1.
static void setting_init(struct setting *S, lcl_context *ctx, struct lcl_csr A)
{
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    S->A = A;
    upload(&S->D, ctx, &B);
    assert_int_equal(lcl_matcher_init(&S->m, ctx, &S->D), LCL_OK);
    lcl_buffer *const scratch[] = {
        S->m.scratch.counts,  S->m.sum.sums,
        S->m.scratch.mate,    S->m.scratch.picked,
        S->m.scratch.open,    S->m.scratch.number,
        S->m.scratch.members, S->m.scratch.coarse_size,
        S->m.scratch.length,  S->m.scratch.row_ptr};
    for (size_t b = 0; b < sizeof scratch / sizeof *scratch; ++b)
        assert_int_equal(lcl_buffer_fill(scratch[b], 0xff), LCL_OK);
    assert_int_equal(lcl_match_graph_init(&S->G, &S->m, true), LCL_OK);
    assert_int_equal(lcl_ref_match_graph(&S->E, &B, true), LCL_OK);
}

static void setting_finish(struct setting *S)
{
    lcl_ref_graph_finish(&S->E);
    lcl_match_graph_finish(&S->G);
    lcl_matcher_finish(&S->m);
    lcl_device_matrix_finish(&S->D);
    test_csr_finish(&S->A);
}

static void setting_of(struct setting *S, lcl_context *ctx, int which)
{
    const int64_t n = test_size(50, 1400);
    struct lcl_csr A = which == 0   ? test_laplacian(test_size(5, 14), 5, 4)
                       : which == 1 ? test_random_csr(n, 6, 3)
                       : which == 2 ? power_law(n, 4)
                                    : chains(n, 3);
    setting_init(S, ctx, A);
}

enum { SETTINGS = 4 };

struct edge {
    int32_t to;
    uint32_t weight;
};

static int by_neighbour(const void *left, const void *right)
{
    const struct edge *l = left, *r = right;
    return l->to < r->to ? -1 : l->to > r->to;
}

// The edges of a graph, those of each vertex sorted; start[n + 1].
static struct edge *edges_of(int64_t *start, const struct lcl_ref_graph *G)
{
    struct edge *edge = calloc((size_t)G->ptr[G->n] + 1, sizeof *edge);
    assert_non_null(edge);
    start[0] = 0;
    for (int64_t i = 0; i < G->n; ++i) {
        int64_t at = start[i];
        for (uint32_t k = G->ptr[i]; k < G->ptr[i + 1]; ++k)
            if (G->weight[k] > 0)
                edge[at++] = (struct edge){G->adj[k], G->weight[k]};
        qsort(edge + start[i], (size_t)(at - start[i]), sizeof *edge,
              by_neighbour);
        start[i + 1] = at;
    }
    return edge;
}

static void download(struct lcl_ref_graph *H, const struct lcl_match_graph *G)
{
    assert_int_equal(lcl_ref_graph_init(H, G->n, G->entries), LCL_OK);
    const size_t n = (size_t)G->n, entries = (size_t)G->entries;
    assert_int_equal(lcl_buffer_read(G->row_ptr, H->ptr, 4 * (n + 1)), LCL_OK);
    assert_int_equal(lcl_buffer_read(G->size, H->size, 4 * n), LCL_OK);
    if (entries > 0) {
        assert_int_equal(lcl_buffer_read(G->col, H->adj, 4 * entries), LCL_OK);
        assert_int_equal(lcl_buffer_read(G->weight, H->weight, 4 * entries),
                         LCL_OK);
    }
    assert_int_equal(H->ptr[n], entries);
}

static void expect_graph(const struct lcl_match_graph *G,
                         const struct lcl_ref_graph *E)
{
    struct lcl_ref_graph H;
    assert_int_equal(G->n, E->n);
    download(&H, G);
    int64_t *got_start = calloc((size_t)E->n + 1, sizeof *got_start);
    int64_t *start = calloc((size_t)E->n + 1, sizeof *start);
    assert_true(got_start && start);
    struct edge *got = edges_of(got_start, &H), *expected = edges_of(start, E);
    for (int64_t i = 0; i < E->n; ++i) {
        assert_int_equal(H.size[i], E->size[i]);
        assert_int_equal(got_start[i + 1], start[i + 1]);
        for (int64_t k = start[i]; k < start[i + 1]; ++k) {
            assert_int_equal(got[k].to, expected[k].to);
            assert_int_equal(got[k].weight, expected[k].weight);
        }
    }
    free(expected);
    free(got);
    free(start);
    free(got_start);
    lcl_ref_graph_finish(&H);
}

static void test_match__graphs_have_the_edges_of_both_triangles(void **state)
{
    for (int which = 0; which < SETTINGS; ++which) {
        struct setting S;
        setting_of(&S, *state, which);
        expect_graph(&S.G, &S.E);
        setting_finish(&S);
    }
}

static void expect_pairs(struct setting *S, uint32_t limit, bool leaves,
                         int64_t most)
{
    int32_t *mate = lcl_malloc((size_t)S->E.n, sizeof *mate);
    int32_t *coarse = lcl_malloc((size_t)S->E.n, sizeof *coarse);
    const struct lcl_match_pairing how = {limit, leaves};
    assert_true(mate && coarse);
    assert_int_equal(lcl_ref_match_pairs(mate, &S->E, limit, leaves), LCL_OK);
    assert_int_equal(lcl_match_pairs(&S->m, &S->G, how), LCL_OK);
    const int64_t count = lcl_ref_match_number(coarse, mate, S->E.n);
    if (count < most) {
        assert_int_equal(lcl_ref_match_cut(mate, &S->E, most), LCL_OK);
        assert_int_equal(lcl_match_cut(&S->m, &S->G, most), LCL_OK);
        assert_int_equal(lcl_ref_match_number(coarse, mate, S->E.n), most);
    }
    test_expect_words("mate", S->m.scratch.mate, mate, S->E.n);
    lcl_free(coarse);
    lcl_free(mate);
}

static void test_match__pairs_and_the_best_of_them(void **state)
{
    for (int which = 0; which < SETTINGS; ++which) {
        struct setting S;
        setting_of(&S, *state, which);
        expect_pairs(&S, 2, false, 0);
        expect_pairs(&S, 1, true, 0);
        expect_pairs(&S, UINT32_MAX, true, 0);
        expect_pairs(&S, 2, true, S.E.n - 1);
        expect_pairs(&S, 2, true, S.E.n - 5);
        setting_finish(&S);
    }
}

// Contracts twice: edges of the second graph have sums as weights.
static void test_match__contraction_adds_weights(void **state)
{
    for (int which = 0; which < SETTINGS; ++which) {
        struct setting S;
        setting_of(&S, *state, which);
        for (int level = 0; level < 2; ++level) {
            const size_t n = (size_t)S.E.n;
            struct lcl_match_graph C;
            struct lcl_ref_graph F;
            int32_t *mate = lcl_malloc(n, sizeof *mate);
            int32_t *coarse = lcl_malloc(n, sizeof *coarse);
            assert_true(mate && coarse);
            expect_pairs(&S, UINT32_MAX, true, 0);
            assert_int_equal(lcl_ref_match_pairs(mate, &S.E, UINT32_MAX, true),
                             LCL_OK);
            const int64_t count =
                lcl_ref_match_number(coarse, mate, (int64_t)n);
            lcl_buffer *map = test_poisoned(*state, (int64_t)n, sizeof *coarse);
            assert_int_equal(lcl_match_contract(&C, map, &S.m, &S.G), LCL_OK);
            assert_int_equal(lcl_ref_match_contract(&F, &S.E, coarse, count),
                             LCL_OK);
            test_expect_words("coarse", map, coarse, (int64_t)n);
            expect_graph(&C, &F);
            lcl_match_graph_finish(&S.G);
            lcl_ref_graph_finish(&S.E);
            S.G = C;
            S.E = F;
            lcl_buffer_destroy(&map);
            lcl_free(coarse);
            lcl_free(mate);
        }
        setting_finish(&S);
    }
}

// Parts of random vertices, which all want to leave them.
static void test_match__refinement_moves_the_same_vertices(void **state)
{
    for (int which = 0; which < SETTINGS; ++which) {
        struct setting S;
        struct lcl_match_parts P;
        setting_of(&S, *state, which);
        const int64_t n = S.E.n, parts = 7, limit = n / parts + 9;
        int32_t *part = calloc((size_t)n, sizeof *part);
        uint32_t *rows = calloc((size_t)n, sizeof *rows);
        assert_true(part && rows);
        for (int64_t i = 0; i < n; ++i)
            ++rows[part[i] = (int32_t)(i * 5 % 11 % parts)];
        assert_int_equal(lcl_match_parts_init(&P, &S.m, &S.G, n), LCL_OK);
        assert_int_equal(lcl_buffer_write(P.part, part, 4 * (size_t)n), LCL_OK);
        assert_int_equal(lcl_buffer_write(P.rows, rows, 4 * (size_t)n), LCL_OK);
        for (uint32_t r = 0; r < 9; ++r) {
            assert_int_equal(
                lcl_ref_match_refine(part, rows, n, &S.E, (uint32_t)limit, r),
                LCL_OK);
            assert_int_equal(
                lcl_match_refine(&P, &S.m, &S.G, (uint32_t)limit, r), LCL_OK);
            test_expect_words("part", P.part, part, n);
            test_expect_words("rows", P.rows, (const int32_t *)rows, n);
        }
        int64_t moved = 0;
        for (int64_t i = 0; i < n; ++i)
            moved += part[i] != i * 5 % 11 % parts;
        assert_true(moved > n / 5);
        free(rows);
        free(part);
        lcl_match_parts_finish(&P);
        setting_finish(&S);
    }
}

// ------------------------------------------------------------------- whole

static void expect_sound(const struct lcl_ref_match *E, int64_t limit)
{
    char *seen = calloc((size_t)E->n, 1);
    assert_non_null(seen);
    assert_int_equal(E->part_ptr[E->parts], E->n);
    for (int64_t p = 0; p < E->parts; ++p) {
        const int64_t rows = E->part_ptr[p + 1] - E->part_ptr[p];
        assert_in_range(rows, 1, limit);
        assert_in_range(E->aggregate[p], 0, E->aggregates - 1);
        if (p > 0)
            assert_in_range(E->aggregate[p] - E->aggregate[p - 1], 0, 1);
        for (int64_t i = E->part_ptr[p]; i < E->part_ptr[p + 1]; ++i) {
            assert_in_range(E->perm[i], 0, E->n - 1);
            assert_true(i == E->part_ptr[p] || E->perm[i] > E->perm[i - 1]);
            ++seen[E->perm[i]];
        }
    }
    for (int64_t i = 0; i < E->n; ++i)
        assert_int_equal(seen[i], 1);
    free(seen);
}

static void expect_match(lcl_context *ctx, const struct lcl_bsr *A,
                         int64_t limit, enum lcl_weights weights)
{
    const struct lcl_match_params params = {
        .limit = limit, .most = MOST, .weights = weights};
    struct lcl_device_matrix D;
    struct lcl_ref_match E;
    struct lcl_match M;
    assert_int_equal(lcl_ref_match_init(&E, A, (uint32_t)limit,
                                        weights != LCL_WEIGHTS_OFF, MOST),
                     LCL_OK);
    expect_sound(&E, limit);
    upload(&D, ctx, A);
    assert_int_equal(lcl_match_init(&M, ctx, &D, &params), LCL_OK);
    assert_int_equal(M.n, E.n);
    assert_int_equal(M.parts, E.parts);
    assert_int_equal(M.aggregates, E.aggregates);
    assert_true(M.aggregates <= MOST);
    test_expect_words("perm", M.perm, E.perm, E.n);
    for (int64_t p = 0; p <= E.parts; ++p)
        assert_int_equal(M.part_ptr[p], E.part_ptr[p]);
    expect_ints("aggregate", M.aggregate, E.aggregate, E.parts);
    lcl_match_finish(&M);
    lcl_device_matrix_finish(&D);
    lcl_ref_match_finish(&E);
}

// Most subdomains have half of the limit or more.
static void expect_few_parts(struct lcl_csr A, int64_t limit)
{
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    struct lcl_ref_match E;
    assert_int_equal(lcl_ref_match_init(&E, &B, (uint32_t)limit, true, MOST),
                     LCL_OK);
    assert_in_range(E.parts, (A.rows + limit - 1) / limit,
                    2 * (A.rows + limit - 1) / limit);
    lcl_ref_match_finish(&E);
    test_csr_finish(&A);
}

static void test_match__parts_fill_their_limit(void **state)
{
    (void)state;
    expect_few_parts(test_laplacian(20, 20, 20), 100);
    expect_few_parts(test_laplacian(100, 60, 1), 64);
    expect_few_parts(star(2000), 50);
    expect_few_parts(power_law(2000, 1), 50);
    expect_few_parts(test_identity(2000), 50);
    expect_few_parts(chains(2000, 3), 50);
}

// With several limits, from one row to all; with one only for simulators.
static void expect_matches(lcl_context *ctx, struct lcl_csr A)
{
    const int64_t limits[] = {7, 1, 2, 40, A.rows}, count = test_size(1, 5);
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    for (int64_t l = 0; l < count; ++l)
        expect_match(ctx, &B, limits[l], LCL_WEIGHTS_AUTO);
    if (count > 1)
        expect_match(ctx, &B, 16, LCL_WEIGHTS_OFF);
    test_csr_finish(&A);
}

static void test_match__grids_and_random_matrices(void **state)
{
    const int64_t n = test_size(40, 2000);
    expect_matches(*state, test_identity(1));
    expect_matches(*state, test_laplacian(test_size(5, 20), 4, 3));
    expect_matches(*state, test_laplacian(test_size(6, 40), 7, 1));
    expect_matches(*state, test_random_csr(n, 3, 1));
    expect_matches(*state, test_random_csr(n, 12, 2));
}

static void test_match__stars_and_power_laws_shrink(void **state)
{
    const int64_t n = test_size(60, 1500);
    expect_matches(*state, star(n));
    expect_matches(*state, power_law(n, 3));
    expect_matches(*state, test_dense_row(n, n / 2));
    expect_matches(*state, test_long_rows(3, test_size(20, 700), 4));
}

static void test_match__disconnected_graphs(void **state)
{
    const int64_t n = test_size(70, 1300);
    expect_matches(*state, test_identity(n));
    expect_matches(*state, chains(n, 1));
    expect_matches(*state, chains(n, 2));
    expect_matches(*state, chains(n, 9));
}

static void set_values(struct lcl_csr *A, const double *values, int count)
{
    for (int64_t k = 0; k < A->nnz; ++k)
        A->val[k] = values[k * 7 % 11 % count];
}

static void test_match__any_values_have_a_weight(void **state)
{
    static const double zeros[] = {0, 0, -1};
    static const double extremes[] = {1e308, -1e308, 5e-324, 1e-300, -3};
    static const double invalid[] = {NAN, INFINITY, -INFINITY, 1, 0};
    struct {
        const double *values;
        int count;
    } cases[] = {{zeros, 1}, {zeros, 3}, {extremes, 5}, {invalid, 5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        struct lcl_csr A = test_laplacian(test_size(4, 12), 5, 3);
        struct lcl_csr B = test_random_csr(test_size(40, 500), 4, 5);
        set_values(&A, cases[c].values, cases[c].count);
        set_values(&B, cases[c].values, cases[c].count);
        expect_matches(*state, A);
        expect_matches(*state, B);
    }
}

static void test_match__blocks_are_vertices(void **state)
{
    for (int block = 2; block <= 3; ++block) {
        struct lcl_csr A = test_laplacian(test_size(4, 15), 6, 2);
        struct lcl_csr B = test_random_csr(test_size(30, 700), 5, 6);
        struct lcl_bsr C = test_random_blocks(&A, block, 7);
        struct lcl_bsr D = test_random_blocks(&B, block, 8);
        expect_match(*state, &C, 12, LCL_WEIGHTS_ON);
        expect_match(*state, &D, 12, LCL_WEIGHTS_ON);
        test_bsr_finish(&D);
        test_bsr_finish(&C);
        test_csr_finish(&B);
        test_csr_finish(&A);
    }
}

// ------------------------------------------------------------------- partition

static void expect_partition(lcl_context *ctx, const struct lcl_csr *A,
                             const struct lcl_device_matrix *D)
{
    const struct lcl_partition_params params = {.type = LCL_PARTITION_MATCH,
                                                .rows = 30};
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    struct lcl_ref_match E;
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_match(&P, ctx, D, A, &params, 50, MOST),
                     LCL_OK);
    assert_int_equal(lcl_ref_match_init(&E, &B, 30, true, MOST), LCL_OK);
    assert_int_equal(P.parts, E.parts);
    assert_true(P.weighted);
    assert_int_equal(P.aggregates, E.aggregates);
    expect_ints("aggregate", P.aggregate, E.aggregate, E.parts);
    assert_null(P.row);
    assert_int_equal(lcl_subdomains_download(&P, NULL), LCL_OK);
    expect_ints("perm", P.row, E.perm, E.n);
    for (int64_t p = 0; p <= P.parts; ++p)
        assert_int_equal(P.part_ptr[p], E.part_ptr[p]);
    lcl_ref_match_finish(&E);
    lcl_subdomains_finish(&P);
}

static void test_match__is_a_method_of_partitioning(void **state)
{
    struct lcl_csr A = test_laplacian(test_size(5, 14), 5, 4);
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    struct lcl_device_matrix D;
    upload(&D, *state, &B);
    expect_partition(*state, &A, &D);
    expect_partition(*state, &A, NULL);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

static void test_match__refuses_what_it_does_not_support(void **state)
{
    const struct lcl_match_params good = {.limit = 9, .most = 9};
    const struct lcl_match_params no_rows = {.limit = 0, .most = 9};
    struct lcl_csr A = test_identity(5);
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    struct lcl_device_matrix D;
    struct lcl_match M;
    upload(&D, *state, &B);
    assert_int_equal(lcl_match_init(&M, *state, &D, &no_rows), LCL_EINVAL);
    D.wide = true;
    assert_int_equal(lcl_match_init(&M, *state, &D, &good), LCL_EUNSUPPORTED);
    D.wide = false;
    D.block_cols = 6;
    assert_int_equal(lcl_match_init(&M, *state, &D, &good), LCL_ERANGE);
    assert_null(M.perm);
    lcl_device_matrix_finish(&D);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match__graphs_have_the_edges_of_both_triangles),
        cmocka_unit_test(test_match__pairs_and_the_best_of_them),
        cmocka_unit_test(test_match__contraction_adds_weights),
        cmocka_unit_test(test_match__refinement_moves_the_same_vertices),
        cmocka_unit_test(test_match__parts_fill_their_limit),
        cmocka_unit_test(test_match__grids_and_random_matrices),
        cmocka_unit_test(test_match__stars_and_power_laws_shrink),
        cmocka_unit_test(test_match__disconnected_graphs),
        cmocka_unit_test(test_match__any_values_have_a_weight),
        cmocka_unit_test(test_match__blocks_are_vertices),
        cmocka_unit_test(test_match__is_a_method_of_partitioning),
        cmocka_unit_test(test_match__refuses_what_it_does_not_support),
    };
    return test_device_run(tests);
}
