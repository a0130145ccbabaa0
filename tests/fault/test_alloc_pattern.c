// SPDX-License-Identifier: BSD-3-Clause
// Overlap and the pattern of ILU(k) while the n-th host allocation fails, for
// every n: out of memory is reported, once, and nothing is left behind; a
// sanitizer finds no leak.
#include "tests/support/capture.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/matrices.h"
#include "tests/support/overlaps.h"
#include "tests/support/test.h"

#include "lib/factor/ilu_pattern.h"
#include "lib/partition/overlap.h"

static enum lcl_status overlap(const struct lcl_csr *A,
                               const struct lcl_subdomains *P,
                               const struct lcl_log *log)
{
    struct lcl_subdomains Q;
    const enum lcl_status st = lcl_subdomains_overlap(&Q, P, A, 2, log);
    if (st < 0) {
        assert_null(Q.part_ptr);
        assert_null(Q.row);
        assert_null(Q.owned);
    }
    lcl_subdomains_finish(&Q);
    return st;
}

static enum lcl_status fill(const struct lcl_csr *A,
                            const struct lcl_subdomains *P,
                            const struct lcl_log *log)
{
    struct lcl_host_pattern H;
    const enum lcl_status st = lcl_ilu_pattern(&H, A, P, 3, NULL, log);
    if (st < 0) {
        assert_null(H.row_ptr);
        assert_null(H.col);
        assert_null(H.source);
    }
    lcl_host_pattern_finish(&H);
    return st;
}

typedef enum lcl_status step_fn(const struct lcl_csr *A,
                                const struct lcl_subdomains *P,
                                const struct lcl_log *log);

static void expect_each_failure(step_fn *step)
{
    struct lcl_csr A = test_random_csr(60, 3, 2);
    struct lcl_subdomains P = test_overlapping(&A, 4, 0, false);
    bool failed = true;
    long n = 0;
    while (failed) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        lcl_test_fail_alloc_at(++n);
        const enum lcl_status st = step(&A, &P, &capture.log);
        failed = lcl_test_alloc_failed();
        lcl_test_fail_alloc_at(0);
        assert_int_equal(st, failed ? LCL_ENOMEM : LCL_OK);
        assert_int_equal(capture.messages, failed);
    }
    assert_true(n > 5); // the arrays, and those that grow
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_alloc_pattern__any_allocation_of_overlap_may_fail(void **state)
{
    (void)state;
    expect_each_failure(overlap);
}

static void test_alloc_pattern__any_allocation_of_fill_may_fail(void **state)
{
    (void)state;
    expect_each_failure(fill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_alloc_pattern__any_allocation_of_overlap_may_fail),
        cmocka_unit_test(test_alloc_pattern__any_allocation_of_fill_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
