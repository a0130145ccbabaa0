// SPDX-License-Identifier: BSD-3-Clause
// Reference of IDR(s), biorthogonal variant (van Gijzen and Sonneveld, ACM TOMS
// 38(1), 2011, Algorithm 913), right-preconditioned.
#pragma once

#include <levelcl/matrix.h>

enum { LCL_REF_IDR_MAX_S = 8 };

struct lcl_ref_idr {
    void (*apply)(void *user, const double *r, double *z); // z = M^-1 r
    void *user;
    int s; // 1 .. LCL_REF_IDR_MAX_S
    double rtol;
    int max_iters;   // products with A
    double *history; // max_iters + 1: ||r|| / ||b|| after each product
    int iterations;  // set: history[iterations] is the last element written
};

// Number of shadow vectors for a system of n rows, at most s: with w the
// smallest power of two >= s, it is s if n >= w, else the largest power of two
// <= n.
int lcl_ref_idr_room(int64_t n, int s);

// Number of words of the shadow vectors, and vector j of them; see
// cl/krylov/idr.cl.
void lcl_ref_idr_words(int64_t n, int s, uint32_t *words);
void lcl_ref_idr_vector(int64_t n, const uint32_t *words, int j, double *p);

// Solves A x = b from the given x, without restarts. Returns LCL_OK (the
// recurrence met rtol), LCL_ITERATION_LIMIT, LCL_BREAKDOWN, LCL_NOT_FINITE or
// LCL_ENOMEM.
enum lcl_status lcl_ref_idr(struct lcl_ref_idr *K, const struct lcl_csr *A,
                            const double *b, double *x);
