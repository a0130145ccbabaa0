// SPDX-License-Identifier: BSD-3-Clause
// Subdomains as large as 64 KiB of local memory hold: the sizes of Mehta et al.
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/trisolves.h"

#include "host/alloc.h"
#include "host/context.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"
#include "lib/precond/precond.h"
#include "lib/ref/ildu0_block.h"

#include <levelcl/published.h>

#include <stdlib.h>
#include <string.h>

enum { LOCAL = 64 * 1024, PARTS = 2 };

static uint64_t whole; // local memory of the device

// --------------------------------------------------------------------- system

// Random blocks; the diagonal dominates.
static struct lcl_bsr random_system(struct lcl_csr pattern, int block)
{
    struct lcl_bsr A = test_random_blocks(&pattern, block, 7);
    for (int64_t i = 0; i < A.rows; ++i) {
        const int64_t from = A.row_ptr[i], to = A.row_ptr[i + 1];
        for (int64_t k = from; k < to; ++k)
            for (int c = 0; c < block && A.col_ind[k] == i; ++c)
                A.val[k * lcl_block_values(&A) + c * (block + 1)] +=
                    (double)(2 * block * (to - from));
    }
    test_csr_finish(&pattern);
    return A;
}

// x = M^-1 b in the order of M's rows, which `perm` has, by the reference.
static void solve_reference(const struct lcl_bsr *A, const int32_t *perm,
                            const double *b, double *x)
{
    const int values = lcl_block_values(A);
    const int64_t part_ptr[] = {0, A->rows / PARTS, A->rows};
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    const struct lcl_csr pattern = lcl_bsr_pattern(A);
    struct lcl_ref_ildu0_block F;
    struct lcl_csr B;
    int64_t *map;
    assert_int_equal(lcl_csr_reorder(&B, &map, &pattern, perm, NULL), LCL_OK);
    double *val = test_vector(A->nnz * values);
    for (int64_t k = 0; k < A->nnz * values; ++k)
        val[k] = A->val[map[k / values] * values + k % values];
    assert_int_equal(lcl_ref_ildu0_block_init(&F, &B, val, A->block_size,
                                              part_ptr, PARTS, &params),
                     LCL_OK);
    lcl_ref_trisolve_block(&F, b, x);
    lcl_ref_ildu0_block_finish(&F);
    free(val);
    lcl_free(map);
    lcl_csr_finish(&B);
}

// The block rows of M in their order.
static int32_t *order_of(const lcl_precond *M, int64_t rows, int block)
{
    int32_t *row;
    assert_int_equal(lcl_precond_factor_rows(M, &row), LCL_OK);
    for (int64_t i = 0; i < rows; ++i)
        row[i] = row[i * block] / block;
    return row;
}

static void expect_applied(lcl_precond *M, const struct lcl_bsr *A)
{
    const int block = A->block_size;
    const int64_t n = A->rows * block;
    int32_t *perm = order_of(M, A->rows, block);
    double *b = test_random_vector(n, 3), *x = test_vector(n);
    double *mine = test_vector(n), *got = test_vector(n);
    double *expected = test_vector(n);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t at = (int64_t)perm[i / block] * block + i % block;
        mine[i] = b[at];
        got[i] = x[at];
    }
    solve_reference(A, perm, mine, expected);
    test_expect_near("x", got, expected, n, 1e-11);
    lcl_free(perm);
    free(b);
    free(x);
    free(mine);
    free(got);
    free(expected);
}

static void expect_rows(lcl_context *ctx, enum lcl_trisolve name,
                        const struct lcl_bsr *A)
{
    const struct lcl_precond_params params = {
        .type = LCL_PRECOND_ILDU0,
        .trisolve = name,
        .coarse = LCL_COARSE_NONE,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = A->rows / PARTS},
    };
    lcl_precond *M;
    assert_int_equal(test_precond_create_bsr(&M, ctx, A, &params), LCL_OK);
    assert_int_equal(lcl_precond_info(M)->factors.part_rows_max,
                     A->rows / PARTS);
    assert_int_equal(lcl_precond_info(M)->factors.parts, PARTS);
    expect_applied(M, A);
    test_precond_destroy(&M);
}

// ---------------------------------------------------------------------- cases

static const enum lcl_trisolve methods[] = {
    LCL_TRISOLVE_DAG_EC_NO_LDS,      LCL_TRISOLVE_DAG_EC_LDS,
    LCL_TRISOLVE_DAG_EC_LDS_UD,      LCL_TRISOLVE_DAG_EC_ILD_U0,
    LCL_TRISOLVE_DAG_EC_ILDU0_FUSED, LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
};

static void expect_all(lcl_context *ctx, struct lcl_csr pattern, int block)
{
    struct lcl_bsr A = random_system(pattern, block);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
        if (test_trisolve_supported(ctx, methods[i]))
            expect_rows(ctx, methods[i], &A);
    test_bsr_finish(&A);
}

// At width 1 nothing is in local memory.
static void test_local_memory__64_KiB_hold_8192_rows(void **state)
{
    if (test_width(*state) == 1 || whole < LOCAL)
        skip();
    expect_all(*state, test_random_csr((int64_t)PARTS * 8192, 4, 5), 1);
    expect_all(*state, test_laplacian(32, 32, 16), 1);
}

static void test_local_memory__64_KiB_hold_2048_blocks_of_3(void **state)
{
    if (test_width(*state) == 1)
        skip();
    expect_all(*state, test_laplacian(16, 16, 16), 3);
}

// Each method is charged for what its kernels keep.
static void test_local_memory__each_method_has_its_own_limit(void **state)
{
    const struct lcl_caps caps = {
        .width = 64, .max_group_size = 1024, .local_bytes = LOCAL};
    (void)state;
    for (int t = LCL_TRISOLVE_SPIN_LOOP_LDS;
         t <= (int)LCL_TRISOLVE_DAG_EC_ILDU0_FUSED; ++t) {
        const bool global = t == LCL_TRISOLVE_DAG_EC_NO_LDS;
        const enum lcl_trisolve name = (enum lcl_trisolve)t;
        assert_int_equal(lcl_trisolve_rows_most(name, &caps, 1),
                         global ? UINT16_MAX : 8192);
        assert_in_range(lcl_trisolve_rows_most(name, &caps, 3), 2048,
                        global ? UINT16_MAX : LOCAL / 24);
    }
    assert_in_range(lcl_trisolve_rows_most(LCL_TRISOLVE_PACKED, &caps, 1), 512,
                    8191);
    assert_int_equal(lcl_trisolve_rows_most(LCL_TRISOLVE_HEC_LEVEL, &caps, 1),
                     INT32_MAX);
}

static void test_local_memory__a_warning_says_what_is_cut(void **state)
{
    lcl_context *ctx = *state;
    const struct lcl_log log = ctx->cl.log;
    const struct lcl_precond_params params = {
        .type = LCL_PRECOND_ILDU0,
        .trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED,
        .coarse = LCL_COARSE_NONE,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 9000},
    };
    struct test_capture capture;
    struct lcl_csr A = test_identity(9000);
    lcl_precond *M;
    if (ctx->caps.width == 1)
        skip();
    test_capture_init(&capture, LCL_LOG_WARN);
    ctx->cl.log = capture.log;
    const enum lcl_status st = test_precond_create(&M, ctx, &A, &params);
    ctx->cl.log = log;
    assert_int_equal(st, LCL_OK);
    assert_int_equal(capture.messages, 1);
    test_capture_expect(&capture, "at most 8192 rows instead of 9000: "
                                  "trisolve dag_vc_ILDU0_fused");
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

// Local memory is limited to 64 KiB, beside the bytes that NVIDIA's driver adds
// to those of each kernel.
static int enter(void **state)
{
    test_device_enter(state);
    struct lcl_caps *caps = &((lcl_context *)*state)->caps;
    const uint64_t most = LOCAL + (strstr(caps->vendor, "NVIDIA") ? 32 : 0);
    whole = caps->local_bytes;
    if (caps->local_bytes > most)
        caps->local_bytes = most;
    return 0;
}

static int leave(void **state)
{
    ((lcl_context *)*state)->caps.local_bytes = whole;
    return test_device_leave(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_memory__64_KiB_hold_8192_rows),
        cmocka_unit_test(test_local_memory__64_KiB_hold_2048_blocks_of_3),
        cmocka_unit_test(test_local_memory__each_method_has_its_own_limit),
        cmocka_unit_test(test_local_memory__a_warning_says_what_is_cut),
    };
    return test_device_create() ? cmocka_run_group_tests(tests, enter, leave)
                                : 77;
}
