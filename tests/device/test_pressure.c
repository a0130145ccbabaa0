// SPDX-License-Identifier: BSD-3-Clause
// Which unknown of a cell is a pressure.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/chain/pressure.h"

#include <stdio.h>

enum { B = 3 };

// By the device and by the host.
static void expect_pressure(lcl_context *ctx, const struct lcl_csr *A,
                            int expected)
{
    const struct lcl_operator_params params = {.block_size = B};
    lcl_operator *op;
    int pressure = 7;
    assert_int_equal(lcl_operator_create(&op, ctx, A, &params), LCL_OK);
    assert_int_equal(lcl_pressure_find(&pressure, op), LCL_OK);
    assert_int_equal(pressure, expected);
    pressure = 7;
    assert_int_equal(lcl_pressure_find_host(&pressure, A, B, NULL), LCL_OK);
    assert_int_equal(pressure, expected);
    lcl_operator_destroy(&op);
}

// The values of each full block with its columns or rows moved by one.
static void rotate(struct lcl_csr *A, bool columns)
{
    for (int64_t i = 0; i < A->rows; i += B)
        for (int64_t k = 0; k < A->row_ptr[i + 1] - A->row_ptr[i]; k += B) {
            double old[B][B];
            for (int r = 0; r < B; ++r)
                for (int c = 0; c < B; ++c)
                    old[r][c] = A->val[A->row_ptr[i + r] + k + c];
            for (int r = 0; r < B; ++r)
                for (int c = 0; c < B; ++c)
                    A->val[A->row_ptr[i + r] + k + c] =
                        columns ? old[r][(c + B - 1) % B]
                                : old[(r + B - 1) % B][c];
        }
}

// The second one has more cells than the sample.
static void test_pressure__of_a_reservoir(void **state)
{
    const int cells[] = {test_size(3, 5), test_size(4, 12)};
    for (size_t n = 0; n < sizeof cells / sizeof *cells; ++n) {
        char name[32];
        snprintf(name, sizeof name, "blackoil:%d", cells[n]);
        struct lcl_csr A = test_problem(name);
        for (int p = 0; p < B; ++p) {
            expect_pressure(*state, &A, p);
            rotate(&A, false);
            expect_pressure(*state, &A, p);
            rotate(&A, true);
        }
        lcl_csr_finish(&A);
    }
}

static void test_pressure__vectors_have_none(void **state)
{
    static const char *const names[] = {"elasticity:3", "lap3d:4,b=3",
                                        "kuhn:4,3,3,3"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        struct lcl_csr A = test_problem(names[k]);
        expect_pressure(*state, &A, -1);
        lcl_csr_finish(&A);
    }
}

// Without couplings, with singular cells, with couplings of the other sign.
static void test_pressure__not_of_any_reservoir(void **state)
{
    struct lcl_csr identity = test_identity(4 * B);
    expect_pressure(*state, &identity, -1);
    test_csr_finish(&identity);
    for (int change = 0; change < 2; ++change) {
        struct lcl_csr A = test_problem("blackoil:4");
        for (int64_t i = 0; i < A.rows; ++i)
            for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
                if (A.col_ind[k] / B == i / B)
                    A.val[k] *= change ? -1 : i % B > 0;
        expect_pressure(*state, &A, -1);
        lcl_csr_finish(&A);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure__of_a_reservoir),
        cmocka_unit_test(test_pressure__vectors_have_none),
        cmocka_unit_test(test_pressure__not_of_any_reservoir),
    };
    return test_device_run(tests);
}
