// SPDX-License-Identifier: BSD-3-Clause
// diagonal.cl against a search on the host.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/matrix/csr.h"

#include <stdlib.h>

enum { GROUPS = 3 };

static void expect_places(lcl_context *ctx, const struct lcl_csr *A, int block,
                          bool wide)
{
    const struct lcl_spec spec = {
        .source = "diagonal.cl",
        .kernel = "diagonal_places",
        .group = test_group(ctx, 2),
        .block = block > 1 ? block : 0,
        .wide = wide,
    };
    const int64_t n = A->rows * block;
    int64_t *got = calloc((size_t)n, sizeof *got);
    lcl_buffer *row_ptr, *col, *place = test_poisoned(ctx, n, sizeof *got);
    assert_non_null(got);
    if (wide)
        row_ptr = test_upload(ctx, A->row_ptr, A->rows + 1, sizeof(int64_t));
    else
        assert_int_equal(lcl_buffer_create_narrow(&row_ptr, ctx, A->row_ptr,
                                                  A->rows + 1, "row pointers"),
                         LCL_OK);
    col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    assert_int_equal(LCL_LAUNCH(test_kernel(ctx, &spec), GROUPS,
                                lcl_arg_long(A->rows), lcl_arg_buffer(row_ptr),
                                lcl_arg_buffer(col), lcl_arg_buffer(place)),
                     LCL_OK);
    test_download(place, got, n, sizeof *got);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t k = lcl_csr_find(A, i / block, i / block);
        const int64_t r = i % block;
        assert_int_equal(got[i], k < 0 ? -1 : (k * block + r) * block + r);
    }
    lcl_buffer_destroy(&row_ptr);
    lcl_buffer_destroy(&col);
    lcl_buffer_destroy(&place);
    free(got);
}

static void test_diagonal__places_are_found(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        expect_places(*state, &S.A, 1, false);
        expect_places(*state, &S.A, 3, true);
        test_system_finish(&S);
    }
}

static void test_diagonal__missing_entries_are_marked(void **state)
{
    const double dense[] = {0, 1, 0, 1, 2, 0, 0, 0, 0};
    struct lcl_csr A = test_csr_from_dense(3, dense);
    struct lcl_csr wide = test_stretched_csr(31, 31, 4);
    expect_places(*state, &A, 1, false);
    expect_places(*state, &A, 2, false);
    expect_places(*state, &wide, 1, true);
    test_csr_finish(&A);
    test_csr_finish(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagonal__places_are_found),
        cmocka_unit_test(test_diagonal__missing_entries_are_marked),
    };
    return test_device_run(tests);
}
