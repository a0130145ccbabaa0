// SPDX-License-Identifier: BSD-3-Clause
// The factors of a system by the reference and on the device.
#pragma once

#include "lib/factor/ildu0.h"
#include "lib/ref/ildu0.h"
#include "lib/ref/ildu0_block.h"
#include "tests/support/systems.h"

struct test_factors {
    struct test_system *system;
    struct lcl_ref_ildu0 ref;
    struct lcl_ref_ildu0_block ref_block; // if the system has blocks
    struct lcl_host_schedule schedule;
    struct test_place *place; // of each slot
    struct lcl_factor device;
    lcl_buffer *val; // entries of B
};

// Positions of the entries of a slot's block among the values.
struct test_place {
    int64_t first, stride;
};

// Computes and uploads the schedule; the device's factors are NaN until
// factored. `group`: work-items per group.
void test_factors_init(struct test_factors *F, lcl_context *ctx,
                       struct test_system *S, int group,
                       const struct lcl_precond_params *params);

// The same with a schedule and the values of A that its sources refer to, which
// it takes over; the schedule must have the slots of the reference, whose
// sources are entries of S->B.
void test_factors_init_from(struct test_factors *F, lcl_context *ctx,
                            struct test_system *S, int group,
                            const struct lcl_precond_params *params,
                            struct lcl_schedule *schedule, lcl_buffer *val);

// Factors on the device; returns the status.
enum lcl_status test_factors_run(struct test_factors *F,
                                 struct lcl_repairs *repairs);

// Compares the counts and flags of rows with small pivots with the reference.
int64_t test_factors_repaired(const struct test_factors *F);
bool test_factors_bad(const struct test_factors *F, int64_t i);

// Fails unless all values of the device are within `tolerance` of the reference
// and the padding is 0.
void test_factors_compare(const struct test_factors *F, double tolerance);

// Replaces the values of the reference by those of the device, rounded to their
// storage format: for tests of the application.
void test_factors_adopt(struct test_factors *F);

void test_factors_finish(struct test_factors *F);
