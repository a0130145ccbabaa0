// SPDX-License-Identifier: BSD-3-Clause
// Halo plans on several ranks, which are threads of a team.
#pragma once

#include "lib/storage/halo_plan.h"
#include "tests/support/ranks.h"

struct test_plans {
    int size;
    int values; // of an entry, 1
    lcl_team *team;
    struct lcl_rows rows[TEST_RANKS];  // of each rank
    struct lcl_rows given[TEST_RANKS]; // to lcl_halo_plan_init()
    struct lcl_halo_plan plan[TEST_RANKS];
    enum lcl_status status[TEST_RANKS];
};

// Rank r has the rows from[r] .. from[r+1]-1 of A; NULL: about equally many.
// Its messages go to log[r]; NULL: nowhere.
void test_plans_open(struct test_plans *P, int size, const struct lcl_csr *A,
                     const int64_t *from, const struct lcl_log *log);

// Makes the plans of all ranks from P->given; returns the status of the team.
enum lcl_status test_plans_make(struct test_plans *P);
void test_plans_drop(struct test_plans *P);

// Also drops the plans.
void test_plans_close(struct test_plans *P);
