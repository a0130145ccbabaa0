// SPDX-License-Identifier: BSD-3-Clause
// Factors on chunks of consecutive rows, computed by the reference with the row
// order of a device: with several lanes, packed orders rows from both ends.
#pragma once

#include "host/program.h"
#include "lib/ref/ildu0.h"
#include "tests/support/systems.h"

struct test_folded {
    struct test_system S;
    struct lcl_ref_ildu0 F;
    double *b, *x; // in the order of S.B
};

// A must outlive it.
void test_folded_init(struct test_folded *T, lcl_context *ctx,
                      const struct lcl_csr *A, int64_t part_rows,
                      const struct lcl_precond_params *params);
void test_folded_finish(struct test_folded *T);

// z = M^-1 r in A's order; `user` is a struct test_folded.
void test_folded_apply(void *user, const double *r, double *z);
