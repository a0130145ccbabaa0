// SPDX-License-Identifier: BSD-3-Clause
// Kinds of random matrices, and random changes of them.
#pragma once

#include "tests/honesty/matrix.h"

struct kind {
    const char *name;
    void (*make)(struct maker *M, struct rng *g);
};

extern const struct kind kinds[];
extern const int kinds_count;

// One change at random; returns its name.
const char *change_matrix(struct maker *M, struct rng *g);
