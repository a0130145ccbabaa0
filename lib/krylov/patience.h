// SPDX-License-Identifier: BSD-3-Clause
// Whether a method still makes progress though its residual has no new minimum.
#pragma once

#include <stdbool.h>

// What the steps of CG have taken from ||x* - x||_A^2, at two iterations
// `stagnation` / 2 apart or more.
struct lcl_patience {
    bool judged; // there was no new minimum for `stagnation` iterations
    bool halves; // of CG: the later half took at most half of the earlier one
    int at;      // the later iteration
    double sum, taken;
};

// Begins a cycle of CG, whose sums start from 0.
void lcl_patience_begin(struct lcl_patience *P, int iteration);

// Reports the sum of all steps of the cycle up to `iteration`.
void lcl_patience_note(struct lcl_patience *P, int iteration, double sum,
                       int stagnation);

// Whether a method should stop `waited` iterations after the minimum of the
// `count` residuals of its history: at some time `stagnation` iterations have
// brought no new minimum, and in the last ones neither the error of CG in the
// norm of A has halved in half of them nor the mean of log ||r||^2 fallen by
// log 2 from their first half to their second. At this rate a method takes some
// 10,000 iterations for 8 digits with the patience of a chain. New minima do
// not count from then on: MINRES with JACOBI finds them for thousands of
// iterations on tuma1 after its residual has grown, ever more slowly.
bool lcl_patience_is_over(struct lcl_patience *P, int waited, int stagnation,
                          const double *history, int count);
