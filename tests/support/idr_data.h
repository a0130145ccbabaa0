// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of IDR(s) work on, for tests that run one of them. Partial
// sums are those of recurrence.h.
#pragma once

#include "host/program.h"
#include "tests/support/recurrence.h"

#include <stdint.h>

// Constants as in idr.cl.h and krylov.cl.h.
enum { IDR_STOP_R, IDR_STOP_U, IDR_STOP_O, IDR_STOPS };
enum {
    IDR_CONVERGED = 1,
    IDR_BREAKDOWN_ALPHA = 3,
    IDR_BREAKDOWN_OMEGA,
    IDR_NOT_FINITE,
};
enum { IDR_STEPS, IDR_REASON, IDR_RING = 8, IDR_OMEGA = 264, IDR_C };

// Vectors; s of them in G and U; s + 1 rows of partial sums, and one; state[].
enum test_idr_vector {
    IDR_R,
    IDR_V,
    IDR_Y,
    IDR_U1,
    IDR_T,
    IDR_X,
    IDR_G,
    IDR_U,
    IDR_ROWS,
    IDR_NORM,
    IDR_STATE,
    IDR_VECTORS,
};

struct test_idr {
    int64_t n;
    int s;
    double *vector[IDR_VECTORS];
    uint32_t *words; // of the shadow vectors
    int32_t stop[IDR_STOPS];
};

// Each s that kernels are tried with.
enum { TEST_IDR_SIZES = 3 };
extern const int test_idr_sizes[TEST_IDR_SIZES];

// Random vectors, m not singular, nothing stopped.
struct test_idr test_idr_make(int s);
struct test_idr test_idr_copy(const struct test_idr *d);

// Fails where vectors, state, what sums add up to, or stop differ; frees both.
void test_idr_expect(struct test_idr *got, struct test_idr *expected);

// Doubles in a vector.
int64_t test_idr_length(const struct test_idr *d, int v);

// A row of partial sums; c, f before step k, and m_ij of the small system, on
// whose diagonal are reciprocals.
double *test_idr_row(const struct test_idr *d, int row);
double *test_idr_c(const struct test_idr *d);
double *test_idr_f(const struct test_idr *d, int k);
double *test_idr_m(const struct test_idr *d, int i, int j);

// Sets the rows to <p_j, v> for all shadow vectors, and <v, v>.
void test_idr_set_shadow_rows(struct test_idr *d, const double *v);

struct test_idr_device {
    lcl_buffer *vector[IDR_VECTORS], *words, *stop;
};

struct test_idr_device test_idr_upload(lcl_context *ctx,
                                       const struct test_idr *d);
// Takes everything back.
void test_idr_download(struct test_idr_device *D, struct test_idr *d);

// A kernel of a source for groups of two waves.
lcl_kernel *test_idr_kernel(lcl_context *ctx, int s, const char *source,
                            const char *name);

// What a kernel that learns ||r||^2 leaves.
void test_idr_note(struct test_idr *d, int it, double rr, int at, int reason);
// What is not finite compares with nothing: the norm that step `it` learnt.
void test_idr_forget(struct test_idr *d, struct test_idr *expected, int it);
