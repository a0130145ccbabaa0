// SPDX-License-Identifier: BSD-3-Clause
// A layout is converted and becomes an operator while the n-th host allocation
// fails, for every n: out of memory is reported, and nothing is left behind.
#include "tests/support/cache_folder.h"
#include "tests/support/capture.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/layouts.h"
#include "tests/support/test.h"

#include "host/runtime.h"

static enum lcl_status use(lcl_context *ctx, const struct test_layout *T)
{
    struct lcl_csr A;
    lcl_operator *op = NULL;
    enum lcl_status st = lcl_csr_from_layout(&A, &T->L, NULL);
    if (st == LCL_OK)
        st = lcl_operator_create_layout(&op, ctx, &T->L, NULL);
    if (st == LCL_OK)
        st = lcl_operator_update(op, T->val);
    lcl_operator_destroy(&op);
    lcl_csr_finish(&A);
    return st;
}

// Whether the n-th allocation failed.
static bool fail_alloc(lcl_context *ctx, const struct test_layout *T, long n)
{
    const long objects = fake_cl.objects;
    lcl_test_fail_alloc_at(n);
    const enum lcl_status st = use(ctx, T);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    assert_int_equal(st, failed ? LCL_ENOMEM : LCL_OK);
    if (n > 0)
        assert_int_equal(fake_cl.objects, objects);
    return failed;
}

static void test_alloc_layout__any_allocation_may_fail(void **state)
{
    const struct lcl_layout L = {.type = LCL_LAYOUT_COO,
                                 .triangle = LCL_TRIANGLE_LOWER,
                                 .rows = 30,
                                 .nnz = 90};
    struct test_capture capture;
    struct test_layout T;
    lcl_context *ctx;
    long n = 0;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {
        .log = capture.log, .cache_dir = test_cache.path, .no_pool = true};
    fake_cl = (struct fake_cl){0};
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    test_layout_init(&T, &L, false, false, 3);
    assert_false(fail_alloc(ctx, &T, 0)); // builds the kernels
    while (fail_alloc(ctx, &T, ++n))
        continue;
    assert_true(n > 20);
    test_layout_finish(&T);
    lcl_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_layout__any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, test_cache_create, test_cache_remove);
}
