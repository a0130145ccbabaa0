// SPDX-License-Identifier: BSD-3-Clause
// How fast a residual falls, by its last samples.
#pragma once

enum { CONVERGENCE_SAMPLES = 32 };

struct convergence {
    struct convergence_sample {
        int iteration;
        double residual, seconds;
    } sample[CONVERGENCE_SAMPLES]; // a ring
    int count;                     // of all samples so far
};

// Adds a sample; one of an earlier iteration than the last one starts anew.
void convergence_note(struct convergence *C, int iteration, double residual,
                      double seconds);

// The factor by which an iteration changes the residual; NaN: unknown.
double convergence_rate(const struct convergence *C);

// The seconds until the residual is at most `tolerance` at this rate; INFINITY
// if it does not fall; NaN: unknown.
double convergence_seconds_left(const struct convergence *C, double tolerance);
