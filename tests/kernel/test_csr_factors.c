// SPDX-License-Identifier: BSD-3-Clause
// csr_factors.cl, which writes the input of the published solves, compared with
// the reference.
#include "tests/support/device.h"
#include "tests/support/factors.h"

#include "lib/trisolve/csr_factors.h"

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

// The blocks of a triangle are stored row by row: U_ij, L_ij, or L_ij D_j.
static void expect_triangle(const struct blocks *R,
                            const struct lcl_csr_triangle *M, bool lower,
                            bool with_d)
{
    double *got = read_blocks(M->val, M->entries * R->entries);
    int64_t count = 0;
    for (int64_t p = 0; p < R->P->parts; ++p) {
        const int64_t first = R->P->part_ptr[p], last = R->P->part_ptr[p + 1];
        for (int64_t i = first; i < last; ++i)
            count += compare_row(R, i, lower ? first : i + 1, lower ? i : last,
                                 with_d, got + count * R->entries);
    }
    assert_int_equal(count, M->entries);
    free(got);
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
        lcl_csr_factors_init(&C, ctx, &F.device, &F.schedule, S->level, split),
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
        lcl_csr_factors_init(&C, *state, &F, &L, NULL, LCL_SPLIT_LD_U),
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
