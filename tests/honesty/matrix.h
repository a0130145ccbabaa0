// SPDX-License-Identifier: BSD-3-Clause
// Random numbers, and small matrices that are made entry by entry.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

struct rng {
    uint64_t state;
};

void rng_start(struct rng *g, uint64_t seed);
double rng_real(struct rng *g);                // in [0, 1)
double rng_sign(struct rng *g);                // in [-1, 1)
int rng_int(struct rng *g, int low, int high); // low and high included
bool rng_chance(struct rng *g, double probability);
double rng_decade(struct rng *g, double low, double high); // 10^u, low <= u

// A square matrix in dense storage with a mark for each stored entry.
struct maker {
    int n;
    double *val; // n x n by rows
    bool *stored;
};

enum { MAKER_ROWS_MAX = 400 };

void maker_start(struct maker *M, int n); // 1 <= n <= MAKER_ROWS_MAX
void maker_finish(struct maker *M);
void maker_set(struct maker *M, int i, int j, double value);
void maker_add(struct maker *M, int i, int j, double value);
double maker_get(const struct maker *M, int i, int j);
void maker_drop(struct maker *M, int i, int j);
bool maker_symmetric(const struct maker *M);

// Values that are not finite become the largest finite ones. Freed with
// free_csr().
struct lcl_csr maker_csr(const struct maker *M);
void free_csr(struct lcl_csr *A);
