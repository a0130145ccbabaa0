// SPDX-License-Identifier: BSD-3-Clause
// kron_values.cl against the values of M and L on the host.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"

#include "lib/kron/pairs.h"
#include "lib/matrix/bsr.h"
#include "lib/precond/kron_values.h"

#include <stdlib.h>

// The operator, the union of its patterns, and where its blocks come from.
struct values {
    struct test_kron T;
    lcl_operator *op;
    struct lcl_bsr both;
    uint32_t *of_m, *of_l;
    struct lcl_kron_values V;
};

static uint32_t find(const struct lcl_bsr *A, int64_t i, int32_t column)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == column)
            return (uint32_t)k;
    return LCL_NO_BLOCK;
}

static void find_blocks(struct values *v)
{
    const struct lcl_bsr *M = &v->T.M, *L = &v->T.L;
    const int64_t count = lcl_pairs_count(M, L);
    assert_int_equal(lcl_pairs_pattern(&v->both, M, L, count, NULL), LCL_OK);
    v->of_m = calloc((size_t)count, sizeof *v->of_m);
    v->of_l = calloc((size_t)count, sizeof *v->of_l);
    assert_non_null(v->of_m);
    assert_non_null(v->of_l);
    for (int64_t i = 0; i < v->both.rows; ++i)
        for (int64_t k = v->both.row_ptr[i]; k < v->both.row_ptr[i + 1]; ++k) {
            v->of_m[k] = find(M, i, v->both.col_ind[k]);
            v->of_l[k] = find(L, i, v->both.col_ind[k]);
        }
}

static void values_init(struct values *v, lcl_context *ctx, int b,
                        enum test_kron_patterns patterns,
                        enum lcl_kron_type type)
{
    const struct lcl_operator_params params = {.kron = type};
    test_kron_init(&v->T, 3, b, 12, patterns);
    assert_int_equal(lcl_operator_create_kron(&v->op, ctx, &v->T.K, &params),
                     LCL_OK);
    find_blocks(v);
    const bool paired = lcl_kron_of(v->op)->paired;
    assert_int_equal(lcl_kron_values_init(&v->V, ctx, lcl_kron_of(v->op),
                                          v->both.nnz, paired ? NULL : v->of_m,
                                          paired ? NULL : v->of_l),
                     LCL_OK);
}

static void values_finish(struct values *v)
{
    lcl_kron_values_finish(&v->V);
    lcl_operator_destroy(&v->op);
    lcl_bsr_finish(&v->both);
    test_kron_finish(&v->T);
    free(v->of_m);
    free(v->of_l);
}

static double entry(const struct lcl_bsr *A, uint32_t block, int e)
{
    return block == LCL_NO_BLOCK ? 0 : A->val[block * lcl_block_values(A) + e];
}

static void expect_stages(const struct values *v, lcl_context *ctx)
{
    const struct lcl_kron *K = &v->T.K;
    const int s = K->stages, size = lcl_block_values(K->M);
    const int64_t blocks = v->both.nnz, count = s * blocks * size;
    double *got = test_vector(count), *expected = test_vector(count);
    lcl_buffer *val = test_poisoned(ctx, count, sizeof *got);
    assert_int_equal(lcl_kron_stage_values(&v->V, val), LCL_OK);
    test_download(val, got, count, sizeof *got);
    for (int j = 0; j < s; ++j)
        for (int64_t k = 0; k < blocks; ++k)
            for (int e = 0; e < size; ++e) {
                const int at = j * (s + 1);
                expected[(j * blocks + k) * size + e] =
                    K->A[at] * entry(K->M, v->of_m[k], e) +
                    K->tau * K->B[at] * entry(K->L, v->of_l[k], e);
            }
    test_expect_same("a_jj M + tau b_jj L", got, expected, count);
    lcl_buffer_destroy(&val);
    free(got);
    free(expected);
}

static void expect_pairs(const struct values *v, lcl_context *ctx)
{
    const int size = lcl_block_values(v->T.K.M);
    const int64_t count = 2 * v->both.nnz * size;
    double *got = test_vector(count), *expected = test_vector(count);
    lcl_buffer *pairs = test_poisoned(ctx, count, sizeof *got);
    assert_int_equal(lcl_kron_pair_values(&v->V, pairs), LCL_OK);
    test_download(pairs, got, count, sizeof *got);
    for (int64_t k = 0; k < v->both.nnz; ++k)
        for (int e = 0; e < size; ++e) {
            expected[2 * (k * size + e)] = entry(v->T.K.M, v->of_m[k], e);
            expected[2 * (k * size + e) + 1] = entry(v->T.K.L, v->of_l[k], e);
        }
    test_expect_same("pairs", got, expected, count);
    lcl_buffer_destroy(&pairs);
    free(got);
    free(expected);
}

static void test_kron_values__match_on_every_pattern(void **state)
{
    for (int p = 0; p < TEST_KRON_PATTERNS; ++p)
        for (int t = 0; t < TEST_KRON_TYPES; ++t) {
            struct values v;
            values_init(&v, *state, 1 + p, (enum test_kron_patterns)p,
                        test_kron_types[t]);
            expect_stages(&v, *state);
            expect_pairs(&v, *state);
            values_finish(&v);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron_values__match_on_every_pattern),
    };
    return test_device_run(tests);
}
