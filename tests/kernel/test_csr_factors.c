// SPDX-License-Identifier: BSD-3-Clause
// csr_factors.cl, which writes the input of the published solves, compared with
// the reference.
#include "tests/support/device.h"
#include "tests/support/factors.h"

#include "lib/trisolve/published/csr_factors.h"

#include <stdlib.h>
#include <string.h>

// The factors of a reference as row-major blocks; scalars are blocks of one.
struct blocks {
    const struct lcl_csr *B;
    const struct lcl_subdomains *P;
    int size, entries;
    const double *val, *inv_d;
};

static struct blocks blocks_of(const struct test_factors *F)
{
    const struct test_system *S = F->system;
    return (struct blocks){
        .B = &S->B,
        .P = &S->P,
        .size = S->block,
        .entries = S->block * S->block,
        .val = S->blocks ? F->ref_block.val : F->ref.val,
        .inv_d = S->blocks ? F->ref_block.inv_d : F->ref.inv_d,
    };
}

static double *read_blocks(const lcl_buffer *buffer, int64_t count)
{
    double *values = test_vector(count);
    assert_int_equal(
        lcl_buffer_read(buffer, values, (size_t)count * sizeof *values),
        LCL_OK);
    return values;
}

// A = A B
static void multiply(int b, double *A, const double *B)
{
    for (int i = 0; i < b; ++i) {
        double row[LCL_BLOCK_MAX] = {0};
        for (int j = 0; j < b; ++j)
            for (int k = 0; k < b; ++k)
                row[j] += A[i * b + k] * B[k * b + j];
        memcpy(A + i * b, row, (size_t)b * sizeof *A);
    }
}

// Compares the blocks of row i in columns from .. to-1 with the reference,
// times D_j if `with_d`. Returns their number.
static int64_t compare_row(const struct blocks *R, int64_t i, int64_t from,
                           int64_t to, bool with_d, double *got)
{
    int64_t count = 0;
    for (int64_t k = R->B->row_ptr[i]; k < R->B->row_ptr[i + 1]; ++k) {
        const int64_t j = R->B->col_ind[k];
        double *block = got + count * R->entries;
        if (j < from || j >= to)
            continue;
        if (with_d)
            multiply(R->size, block, R->inv_d + j * R->entries);
        test_expect_near("block", block, R->val + k * R->entries, R->entries,
                         1e-12);
        ++count;
    }
    return count;
}

// The rows of subdomain p in the order of a triangle.
static uint16_t *order_of(const struct lcl_csr_triangle *M, int64_t n)
{
    uint16_t *order = calloc((size_t)n + 1, sizeof *order);
    assert_non_null(order);
    assert_int_equal(
        lcl_buffer_read(M->order, order, (size_t)n * sizeof *order), LCL_OK);
    return order;
}

// The level of row i of a subdomain with the rows from .. to-1 in L or U: 0, or
// 1 + the largest level that it needs.
static int32_t level_of(const struct blocks *R, int64_t i, int64_t from,
                        int64_t to, const int32_t *level)
{
    int32_t own = 0;
    for (int64_t e = R->B->row_ptr[i]; e < R->B->row_ptr[i + 1]; ++e) {
        const int64_t j = R->B->col_ind[e];
        if (j >= from && j < to && level[j] >= own)
            own = level[j] + 1;
    }
    return own;
}

// The rows of each level, in bound[0] .. bound[levels], are in their level.
static void expect_part(const struct blocks *R, int64_t p, bool lower,
                        const uint32_t *bound, int64_t levels,
                        const uint16_t *order, int32_t *level)
{
    const int64_t from = R->P->part_ptr[p], to = R->P->part_ptr[p + 1];
    assert_int_equal(bound[0], from);
    assert_int_equal(bound[levels], to);
    for (int64_t l = 0; l < levels; ++l)
        for (uint32_t k = bound[l]; k < bound[l + 1]; ++k) {
            const int64_t i = from + order[k];
            level[i] =
                level_of(R, i, lower ? from : i + 1, lower ? i : to, level);
            assert_int_equal(level[i], l);
        }
}

// L and U have levels of their own.
static void expect_levels(const struct blocks *R,
                          const struct lcl_csr_triangle *M, bool lower)
{
    const int64_t n = R->B->rows, parts = R->P->parts;
    const size_t firsts = (size_t)parts + 1;
    uint16_t *order = order_of(M, n);
    int32_t *level = calloc((size_t)n + 1, sizeof *level);
    uint32_t *first = calloc(firsts, sizeof *first);
    uint32_t *bound = calloc((size_t)(n + parts) + 1, sizeof *bound);
    assert_true(level && first && bound);
    assert_int_equal(
        lcl_buffer_read(M->first_level, first, firsts * sizeof *first), LCL_OK);
    assert_int_equal(
        lcl_buffer_read(M->level_ptr, bound, first[parts] * sizeof *bound),
        LCL_OK);
    for (int64_t p = 0; p < parts; ++p) {
        const int64_t levels = first[p + 1] - first[p] - 1;
        assert_true(levels <= M->levels_max);
        expect_part(R, p, lower, bound + first[p], levels, order, level);
    }
    free(order);
    free(level);
    free(first);
    free(bound);
}

// The blocks of a triangle are stored row by row, in its order: U_ij, L_ij, or
// L_ij D_j.
static void expect_triangle(const struct blocks *R,
                            const struct lcl_csr_triangle *M, bool lower,
                            bool with_d)
{
    double *got = read_blocks(M->val, M->entries * R->entries);
    uint16_t *order = order_of(M, R->B->rows);
    int64_t count = 0;
    for (int64_t p = 0; p < R->P->parts; ++p) {
        const int64_t first = R->P->part_ptr[p], last = R->P->part_ptr[p + 1];
        for (int64_t k = first; k < last; ++k) {
            const int64_t i = first + order[k];
            count += compare_row(R, i, lower ? first : i + 1, lower ? i : last,
                                 with_d, got + count * R->entries);
        }
    }
    assert_int_equal(count, M->entries);
    free(order);
    free(got);
    expect_levels(R, M, lower);
}

static void expect_diagonal(const struct blocks *R, const lcl_buffer *inv_d)
{
    const int64_t count = R->B->rows * R->entries;
    double *got = read_blocks(inv_d, count);
    test_expect_near("D^-1", got, R->inv_d, count, 1e-12);
    free(got);
}

static void poison(struct lcl_csr_factors *C)
{
    assert_int_equal(lcl_buffer_fill(C->lower.val, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(C->upper.val, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(C->inv_d, 0xff), LCL_OK);
    assert_int_equal(lcl_buffer_fill(C->d, 0xff), LCL_OK);
}

static void expect_values(lcl_context *ctx, struct test_system *S,
                          enum lcl_csr_split split)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILU0};
    struct test_factors F;
    struct lcl_csr_factors C;
    struct lcl_repairs repairs;
    test_factors_init(&F, ctx, S, test_group(ctx, 2), &params);
    assert_int_equal(
        lcl_csr_factors_init(&C, ctx, &F.device, &F.schedule, true, split),
        LCL_OK);
    poison(&C);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_int_equal(lcl_csr_factors_update(&C), LCL_OK);
    const struct blocks R = blocks_of(&F);
    expect_triangle(&R, &C.lower, true, split == LCL_SPLIT_LD_U);
    expect_triangle(&R, &C.upper, false, false);
    expect_diagonal(&R, C.inv_d);
    lcl_csr_factors_finish(&C);
    test_factors_finish(&F);
}

// 1: scalars
static void expect_values_of(lcl_context *ctx, int block,
                             enum lcl_csr_split split)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, true);
        if (block > 1)
            test_system_expand(&S, block);
        expect_values(ctx, &S, split);
        test_system_finish(&S);
    }
}

static void test_csr_factors__L_takes_D_and_U_stays_unit(void **state)
{
    expect_values_of(*state, 1, LCL_SPLIT_LD_U);
    expect_values_of(*state, 3, LCL_SPLIT_LD_U);
    expect_values_of(*state, LCL_BLOCK_MAX, LCL_SPLIT_LD_U);
}

static void test_csr_factors__D_may_stay_apart(void **state)
{
    expect_values_of(*state, 1, LCL_SPLIT_L_D_U);
    expect_values_of(*state, 3, LCL_SPLIT_L_D_U);
}

// The diagonal blocks become cyclic permutations: without row exchanges their
// inversion finds no pivot.
static void permute_diagonal(struct test_system *S)
{
    const int b = S->block;
    for (int64_t i = 0; i < S->B.rows; ++i)
        for (int64_t k = S->B.row_ptr[i]; k < S->B.row_ptr[i + 1]; ++k)
            for (int e = 0; e < b * b && S->B.col_ind[k] == i; ++e)
                S->blocks[k * b * b + e] = e % b == (e / b + 1) % b;
}

static void test_csr_factors__diagonal_blocks_may_need_exchanges(void **state)
{
    for (int block = 2; block <= LCL_BLOCK_MAX; block += 3) {
        struct test_system S;
        test_system_from(&S, test_random_csr(2, 1, 7), 2, true);
        assert_int_equal(S.B.nnz, 4);
        test_system_expand(&S, block);
        permute_diagonal(&S);
        expect_values(*state, &S, LCL_SPLIT_LD_U);
        test_system_finish(&S);
    }
}

// Work-items step past the last entry by less than a group.
static void test_csr_factors__slots_that_32_bits_just_count_are_refused(
    void **state)
{
    const struct lcl_factor F = {.group = test_group(*state, 2), .block = 1};
    const struct lcl_host_schedule L = {.slots = UINT32_MAX - 5};
    struct lcl_csr_factors C;
    assert_int_equal(
        lcl_csr_factors_init(&C, *state, &F, &L, true, LCL_SPLIT_LD_U),
        LCL_EUNSUPPORTED);
    lcl_csr_factors_finish(&C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr_factors__L_takes_D_and_U_stays_unit),
        cmocka_unit_test(test_csr_factors__D_may_stay_apart),
        cmocka_unit_test(test_csr_factors__diagonal_blocks_may_need_exchanges),
        cmocka_unit_test(
            test_csr_factors__slots_that_32_bits_just_count_are_refused),
    };
    return test_device_run(tests);
}
