// SPDX-License-Identifier: BSD-3-Clause
// What came of one right-hand side: the attempts of a chain's methods, and the
// report of all of them.
#pragma once

#include <levelcl/chain.h>

struct lcl_outcome {
    struct lcl_attempt attempt[LCL_CHAIN_MAX];
    int attempts;
    struct lcl_report report; // of all methods
    double *history;          // to which the report points
};

// Starts anew, in the memory of the history.
void lcl_outcome_begin(struct lcl_outcome *o);
void lcl_outcome_finish(struct lcl_outcome *o);

// Adds the report of a method. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_outcome_add(struct lcl_outcome *o,
                                const struct lcl_report *r,
                                const struct lcl_log *log);

// Whether a method has found that the matrix is not definite.
bool lcl_outcome_is_indefinite(const struct lcl_outcome *o);

// Whether LU was tried: a set-up that it refused for its work may be within the
// budget later.
bool lcl_outcome_is_factored(const struct lcl_outcome *o);
