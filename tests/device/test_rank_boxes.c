// SPDX-License-Identifier: BSD-3-Clause
// Subdomains that are boxes of a grid, of which ranks have any rows.
#include "lib/precond/precond.h"
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"
#include "tests/support/solving.h"

#include <stdlib.h>

enum { BOX = 3 }; // cells along each axis

#define BOXES(of, ...)                                                         \
 {                                                                             \
  .type = LCL_PRECOND_##of, .partition = {                                     \
      .type = LCL_PARTITION_GEOMETRIC,                                         \
      .box = {BOX, BOX, BOX},                                                  \
      __VA_ARGS__                                                              \
  }                                                                            \
 }

static int64_t box_of_cell(const int64_t grid[3], int64_t cell)
{
    const int64_t x = cell % grid[0], y = cell / grid[0] % grid[1];
    const int64_t z = cell / grid[0] / grid[1];
    return (z / BOX * grid[1] + y / BOX) * grid[0] + x / BOX;
}

// What a rank has of a grid: row i is row perm[first + i] of all, or first + i.
struct rows {
    const int64_t *grid;
    int64_t unknowns; // of a cell
    int64_t first, count;
    const int32_t *perm;
};

static int64_t box_of_row(const struct rows *R, int64_t i)
{
    const int64_t row = R->perm ? R->perm[R->first + i] : R->first + i;
    return box_of_cell(R->grid, row / R->unknowns);
}

static int64_t count_boxes(const struct rows *R)
{
    int64_t count = 0;
    for (int64_t i = 0; i < R->count; ++i) {
        int64_t j = 0;
        while (box_of_row(R, j) != box_of_row(R, i))
            ++j;
        count += j == i;
    }
    return count;
}

// Rows of the rank are in one subdomain if they are in one box.
static void expect_boxes(const lcl_precond *M, const struct rows *R)
{
    const size_t n = (size_t)R->count;
    int32_t *part = calloc(n, sizeof *part), *level = calloc(n, sizeof *level);
    assert_true(part && level);
    assert_int_equal(lcl_precond_info(M)->factors.partition,
                     LCL_PARTITION_GEOMETRIC);
    assert_int_equal(lcl_precond_info(M)->factors.parts, count_boxes(R));
    assert_int_equal(lcl_precond_locate(M, part, level), LCL_OK);
    for (int64_t i = 0; i < R->count; ++i)
        for (int64_t j = 0; j < i; ++j)
            assert_int_equal(part[i] == part[j],
                             box_of_row(R, i) == box_of_row(R, j));
    free(level);
    free(part);
}

// ------------------------------------------------------------------- ranks

enum { NX = 9, NY = 8, NZ = 7, CELLS = NX * NY * NZ };
static const int64_t grid[] = {NX, NY, NZ};
// The second rank starts within a line, the third one at a layer.
static const int64_t from[] = {0, 103, 4 * NX *NY, CELLS};
enum { RANKS = 3 };

static enum lcl_status make(struct test_ranks *R,
                            const struct lcl_precond_params *precond,
                            const struct lcl_operator_params *params)
{
    static const struct lcl_solver_params bicgstab = {.type =
                                                          LCL_SOLVER_BICGSTAB};
    assert_int_equal(test_ranks_operators(R, params), LCL_OK);
    return test_ranks_solvers(R, precond, &bicgstab);
}

static void expect_boxes_of_ranks(const struct test_ranks *R, int64_t unknowns)
{
    for (int r = 0; r < R->size; ++r) {
        const struct rows own = {.grid = grid,
                                 .unknowns = unknowns,
                                 .first = R->rows[r].first,
                                 .count = R->rows[r].rows};
        expect_boxes(R->M[r], &own);
    }
}

// The factors drop little more than on one rank.
static void test_rank_boxes__factors_are_of_boxes(void **state)
{
    static const struct lcl_precond_params all[] = {
        BOXES(ILDU0, ),
        BOXES(ILDU0, .grid = {NX, NY, NZ}),
        BOXES(ILUT, ),
        BOXES(RAS, ),
    };
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        int iterations[2];
        for (int several = 0; several < 2; ++several) {
            struct test_ranks R;
            test_ranks_open(&R, several ? RANKS : 1, &A, several ? from : NULL);
            assert_int_equal(make(&R, &all[k], NULL), LCL_OK);
            expect_boxes_of_ranks(&R, 1);
            iterations[several] = test_ranks_expect_solved(&R);
            test_ranks_close(&R);
        }
        assert_in_range(iterations[1], 1, iterations[0] + 4);
    }
    test_csr_finish(&A);
}

// Of a matrix that a preconditioner has reordered.
static void test_rank_boxes__of_a_reordered_matrix(void **state)
{
    static const struct lcl_precond_params boxes = BOXES(ILDU0, ),
                                           other = {.type = LCL_PRECOND_ILDU0,
                                                    .partition.rows = 50};
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    struct test_ranks R;
    lcl_precond *first[RANKS];
    (void)state;
    test_ranks_open(&R, RANKS, &A, from);
    assert_int_equal(make(&R, &other, NULL), LCL_OK);
    for (int r = 0; r < RANKS; ++r) {
        lcl_solver_destroy(&R.S[r]);
        first[r] = R.M[r];
        assert_non_null(R.op[r]->part->own.perm);
    }
    assert_int_equal(test_ranks_solvers(&R, &boxes,
                                        &(struct lcl_solver_params){
                                            .type = LCL_SOLVER_BICGSTAB}),
                     LCL_OK);
    expect_boxes_of_ranks(&R, 1);
    test_ranks_expect_solved(&R);
    for (int r = 0; r < RANKS; ++r)
        lcl_precond_destroy(&first[r]);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static struct lcl_csr make_blocks(void)
{
    struct lcl_csr cells = test_laplacian(NX, NY, NZ);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] += A.col_ind[k] == i ? 30 : 0;
    test_csr_finish(&cells);
    return A;
}

static void test_rank_boxes__blocks_are_cells(void **state)
{
    static const int64_t blocks_from[] = {0, 3 * 103, 3 * 4 * NX * NY,
                                          3 * CELLS};
    static const struct lcl_precond_params all[] = {BOXES(ILDU0, ),
                                                    BOXES(CPR, )};
    static const struct lcl_operator_params blocks = {.block_size = 3};
    struct lcl_csr A = make_blocks();
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, RANKS, &A, blocks_from);
    assert_int_equal(make(&R, &all[0], &blocks), LCL_OK);
    expect_boxes_of_ranks(&R, 3);
    test_ranks_expect_solved(&R);
    test_ranks_drop(&R);
    assert_int_equal(make(&R, &all[1], &blocks), LCL_OK);
    test_ranks_expect_solved(&R);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// The third rank starts within a cell: the ranks find blocks of other sizes,
// and cannot agree on cells.
static void test_rank_boxes__ranks_may_share_a_cell(void **state)
{
    static const int64_t cell_from[] = {0, 303, 604, 3 * CELLS};
    static const struct lcl_precond_params found = BOXES(ILDU0, );
    static const struct lcl_precond_params given =
        BOXES(ILDU0, .grid = {NX, NY, NZ});
    struct lcl_csr A = make_blocks();
    struct test_capture capture;
    struct test_ranks R;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params context = {.log = capture.log};
    test_ranks_open(&R, 3, &A, cell_from);
    assert_int_equal(lcl_context_create(&R.ctx[0], &context), LCL_OK);
    assert_int_equal(make(&R, &found, NULL), LCL_EINVAL);
    test_ranks_expect(&R, LCL_EINVAL);
    test_capture_expect(&capture, "the blocks of the ranks differ in size");
    assert_int_equal(R.op[0]->part->info.block_size, 3);
    assert_int_equal(R.op[1]->part->info.block_size, 1);
    test_ranks_drop(&R);
    assert_int_equal(make(&R, &given, NULL), LCL_OK);
    expect_boxes_of_ranks(&R, 3);
    test_ranks_expect_solved(&R);
    test_ranks_close(&R);
    lcl_context_destroy(&R.ctx[0]);
    test_csr_finish(&A);
}

// The first cells have no couplings along z, so that the first rank does not
// know how many cells a layer has.
static void test_rank_boxes__ranks_know_a_part_of_the_stencil(void **state)
{
    static const struct lcl_precond_params boxes = BOXES(ILDU0, );
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    const int64_t first = NX * NY;
    struct test_ranks R;
    int64_t kept = 0, start = 0;
    (void)state;
    for (int64_t i = 0; i < A.rows; ++i) {
        for (int64_t k = start; k < A.row_ptr[i + 1]; ++k) {
            const int64_t j = A.col_ind[k], low = i < j ? i : j;
            if (low < from[1] && i + j - 2 * low == first)
                continue;
            A.col_ind[kept] = A.col_ind[k];
            A.val[kept++] = A.val[k];
        }
        start = A.row_ptr[i + 1];
        A.row_ptr[i + 1] = kept;
    }
    A.nnz = kept;
    test_ranks_open(&R, RANKS, &A, from);
    assert_int_equal(make(&R, &boxes, NULL), LCL_OK);
    expect_boxes_of_ranks(&R, 1);
    test_ranks_expect_solved(&R);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void test_rank_boxes__of_a_transversal(void **state)
{
    struct lcl_precond_params boxes = BOXES(ILDU0, );
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    struct test_ranks R;
    (void)state;
    boxes.transversal = true;
    test_ranks_open(&R, RANKS, &A, from);
    assert_int_equal(make(&R, &boxes, NULL), LCL_OK);
    expect_boxes_of_ranks(&R, 1);
    test_ranks_expect_solved(&R);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// An entry that no rank but one has, in its own columns or in those of another.
static void test_rank_boxes__other_patterns_are_refused(void **state)
{
    static const struct lcl_precond_params boxes = BOXES(ILDU0, );
    static const int64_t rows[] = {50, 150, 4 * NX * NY - 1, 4 * NX * NY, 400};
    struct lcl_csr A = test_laplacian(NX, NY, NZ);
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        const bool last = rows[k] == 4 * NX * NY - 1;
        int32_t *col =
            &A.col_ind[A.row_ptr[rows[k] + last] - last]; // the first or last
        struct test_ranks R;
        *col += last ? 1 : -1;
        test_ranks_open(&R, RANKS, &A, from);
        assert_int_equal(make(&R, &boxes, NULL), LCL_EINVAL);
        test_ranks_expect(&R, LCL_EINVAL);
        test_ranks_close(&R);
        *col -= last ? 1 : -1;
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- devices

enum { DEVICES = 4 };

static void open_contexts(lcl_context **ctx)
{
    for (int k = 0; k < DEVICES; ++k)
        ctx[k] = test_context(k);
}

static struct rows rows_of(const lcl_operator *op, const int64_t *of, int rank)
{
    const struct lcl_distribution *D = &op->team->distribution;
    return (struct rows){.grid = of,
                         .unknowns = 1,
                         .first = D->first[rank],
                         .count = D->first[rank + 1] - D->first[rank],
                         .perm = D->perm};
}

static void expect_solved(lcl_operator *op, lcl_precond *M,
                          const struct lcl_csr *A)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_BICGSTAB};
    double *b = test_random_vector(A->rows, 4), *x = test_vector(A->rows);
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_solver *S;
    assert_int_equal(lcl_solver_create(&S, op, M, &params), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    assert_true(test_residual(A, b, x) <= 1e-8);
    lcl_solver_destroy(&S);
    free(x);
    free(b);
}

// With the grid derived and with the grid given.
static void expect_boxes_of_devices(const int64_t of[3], bool reordered)
{
    struct lcl_csr A = test_laplacian(of[0], of[1], of[2]);
    lcl_context *ctx[DEVICES];
    lcl_operator *op;
    open_contexts(ctx);
    assert_int_equal(
        lcl_operator_create_distributed(&op, ctx, DEVICES, &A, NULL), LCL_OK);
    assert_int_equal(op->team->distribution.perm != NULL, reordered);
    for (int given = 0; given < 2; ++given) {
        struct lcl_precond_params boxes = BOXES(ILDU0, );
        lcl_precond *M;
        for (int d = 0; d < 3; ++d)
            boxes.partition.grid[d] = given ? of[d] : 0;
        assert_int_equal(lcl_precond_create(&M, op, &boxes), LCL_OK);
        for (int r = 0; r < DEVICES; ++r) {
            const struct rows own = rows_of(op, of, r);
            expect_boxes(lcl_precond_member(M, r), &own);
        }
        expect_solved(op, M, &A);
        lcl_precond_destroy(&M);
    }
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

static void test_rank_boxes__of_devices_in_the_order_of_the_matrix(void **state)
{
    static const int64_t high[] = {3, 4, 90};
    (void)state;
    expect_boxes_of_devices(high, false);
}

// METIS cuts the long axis, which numbers adjacent cells.
static void test_rank_boxes__of_devices_in_another_order(void **state)
{
    static const int64_t wide[] = {40, 6, 5};
    (void)state;
    expect_boxes_of_devices(wide, true);
}

// ------------------------------------------------------------------- stages

static void expect_stages(const struct lcl_kron *K, enum lcl_kron_type type,
                          const int64_t of[3])
{
    static const struct lcl_precond_params boxes = BOXES(ILDU0, );
    const struct lcl_operator_params params = {.kron = type};
    struct lcl_csr A = test_kron_whole(K);
    lcl_context *ctx[DEVICES];
    lcl_operator *op;
    lcl_precond *M;
    open_contexts(ctx);
    assert_int_equal(
        lcl_operator_create_kron_distributed(&op, ctx, DEVICES, K, &params),
        LCL_OK);
    assert_non_null(op->team->distribution.perm);
    assert_int_equal(lcl_precond_create(&M, op, &boxes), LCL_OK);
    for (int r = 0; r < DEVICES; ++r) {
        const struct rows own = rows_of(op, of, r);
        const struct lcl_precond_info *info =
            lcl_precond_info(lcl_precond_member(M, r));
        assert_int_equal(info->factors.partition, LCL_PARTITION_GEOMETRIC);
        assert_int_equal(info->factors.parts, K->stages * count_boxes(&own));
    }
    expect_solved(op, M, &A);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    lcl_csr_finish(&A);
}

// L has no couplings, or all of them.
static void test_rank_boxes__of_stages(void **state)
{
    static const int64_t wide[] = {24, 4, 3};
    struct lcl_csr p = test_laplacian(24, 4, 3), q = test_identity(p.rows);
    (void)state;
    for (int k = 0; k < 2 * TEST_KRON_TYPES; ++k) {
        struct test_kron T;
        test_kron_of(&T, 2, 2, &p, k % 2 ? &q : &p);
        expect_stages(&T.K, test_kron_types[k / 2], wide);
        test_kron_finish(&T);
    }
    test_csr_finish(&q);
    test_csr_finish(&p);
}

// An entry of L between cells of one device.
static void test_rank_boxes__other_stages_are_refused(void **state)
{
    static const struct lcl_precond_params boxes = BOXES(ILDU0, );
    struct lcl_csr p = test_laplacian(24, 4, 3), q = test_laplacian(24, 4, 3);
    lcl_context *ctx[DEVICES];
    (void)state;
    open_contexts(ctx);
    q.col_ind[1] = 2; // of row 0
    for (int k = 0; k < TEST_KRON_TYPES; ++k) {
        const struct lcl_operator_params params = {.kron = test_kron_types[k]};
        struct test_kron T;
        lcl_operator *op;
        lcl_precond *M;
        test_kron_of(&T, 2, 2, &p, &q);
        assert_int_equal(lcl_operator_create_kron_distributed(&op, ctx, DEVICES,
                                                              &T.K, &params),
                         LCL_OK);
        assert_int_equal(lcl_precond_create(&M, op, &boxes), LCL_EINVAL);
        assert_null(M);
        lcl_operator_destroy(&op);
        test_kron_finish(&T);
    }
    test_csr_finish(&q);
    test_csr_finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_boxes__factors_are_of_boxes),
        cmocka_unit_test(test_rank_boxes__of_a_reordered_matrix),
        cmocka_unit_test(test_rank_boxes__blocks_are_cells),
        cmocka_unit_test(test_rank_boxes__ranks_may_share_a_cell),
        cmocka_unit_test(test_rank_boxes__ranks_know_a_part_of_the_stencil),
        cmocka_unit_test(test_rank_boxes__of_a_transversal),
        cmocka_unit_test(test_rank_boxes__other_patterns_are_refused),
        cmocka_unit_test(
            test_rank_boxes__of_devices_in_the_order_of_the_matrix),
        cmocka_unit_test(test_rank_boxes__of_devices_in_another_order),
        cmocka_unit_test(test_rank_boxes__of_stages),
        cmocka_unit_test(test_rank_boxes__other_stages_are_refused),
    };
    return test_device_run(tests);
}
