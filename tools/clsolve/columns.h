// SPDX-License-Identifier: BSD-3-Clause
// Right-hand sides that are solved one after the other with one set-up.
#pragma once

#include <levelcl/chain.h>

#include <stdbool.h>
#include <stdint.h>

// The result for one of them.
struct column {
    enum lcl_status outcome;
    struct lcl_report report; // stop NONE: not solved, after an interrupt
    double *history;          // to which the report points
    struct lcl_attempt attempt[LCL_CHAIN_MAX];
    int attempts;
};

// Sums over all columns.
struct column_sums {
    int64_t iterations;
    double seconds;
    int failed; // number of columns that did not converge
};

// Takes the result of column k of the chain's last solve. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status column_take(struct column *column, const lcl_chain *chain,
                            int k, const struct lcl_report *report);

// Frees the history.
void column_clear(struct column *column);

// The number, from 0, of the column that is reported for all: one that did not
// converge before others, then that with the largest true residual.
int columns_worst(const struct column *column, int count);

struct column_sums columns_sum(const struct column *column, int count);
