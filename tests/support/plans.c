// SPDX-License-Identifier: BSD-3-Clause
// Halo plans on several ranks.
#include "tests/support/plans.h"

#include "tests/support/test.h"

void test_plans_open(struct test_plans *P, int size, const struct lcl_csr *A,
                     const int64_t *from, const struct lcl_log *log)
{
    static const struct lcl_log silent[TEST_RANKS];
    *P = (struct test_plans){.size = size, .values = 1};
    assert_int_equal(lcl_team_create(&P->team, size, log ? log : silent),
                     LCL_OK);
    test_rows_split(P->rows, size, A, from);
    for (int r = 0; r < size; ++r)
        P->given[r] = P->rows[r];
}

static enum lcl_status make(void *arg, int r)
{
    struct test_plans *P = arg;
    const struct lcl_view rows = lcl_view_of_rows(&P->given[r], P->values);
    P->status[r] = lcl_halo_plan_init(&P->plan[r], lcl_team_comm(P->team, r),
                                      &rows, false);
    if (P->status[r] < 0)
        lcl_halo_plan_finish(&P->plan[r]); // while others may still work
    return P->status[r];
}

enum lcl_status test_plans_make(struct test_plans *P)
{
    return lcl_team_run(P->team, make, P);
}

void test_plans_drop(struct test_plans *P)
{
    for (int r = 0; r < P->size; ++r)
        lcl_halo_plan_finish(&P->plan[r]);
}

void test_plans_close(struct test_plans *P)
{
    test_plans_drop(P);
    for (int r = 0; r < P->size; ++r)
        test_rows_finish(&P->rows[r]);
    lcl_team_destroy(&P->team);
}
