// SPDX-License-Identifier: BSD-3-Clause
// Data for tests that run one kernel of IDR(s). Partial sums are those of
// recurrence.h.
#pragma once

#include "cl/krylov/idr_state.cl.h"
#include "host/program.h"
#include "tests/support/recurrence.h"

#include <stdint.h>

// Vectors; s of them in G and U; s + 1 rows of partial sums and one more;
// state[].
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
    uint32_t *words; // the shadow vectors
    int32_t stop[IDR_STOPS];
};

// The values of s that tests use.
enum { TEST_IDR_SIZES = 3 };
extern const int test_idr_sizes[TEST_IDR_SIZES];

// Random vectors, a nonsingular m, no stopping flag set.
struct test_idr test_idr_make(int s);
struct test_idr test_idr_copy(const struct test_idr *d);

// Fails if vectors, state, totals of the sums, or stop differ; frees both.
void test_idr_expect(struct test_idr *got, struct test_idr *expected);

// Number of doubles in a vector.
int64_t test_idr_length(const struct test_idr *d, int v);

// A row of partial sums; c, f before step k, and m_ij of the small system,
// which stores reciprocals on its diagonal.
double *test_idr_row(const struct test_idr *d, int row);
double *test_idr_c(const struct test_idr *d);
double *test_idr_f(const struct test_idr *d, int k);
double *test_idr_m(const struct test_idr *d, int i, int j);

// Sets the rows to <p_j, v> for all shadow vectors, and to <v, v>.
void test_idr_set_shadow_rows(struct test_idr *d, const double *v);

struct test_idr_device {
    lcl_buffer *vector[IDR_VECTORS], *words, *stop;
};

struct test_idr_device test_idr_upload(lcl_context *ctx,
                                       const struct test_idr *d);
// Reads everything back.
void test_idr_download(struct test_idr_device *D, struct test_idr *d);

// A kernel of a source for groups of two waves.
lcl_kernel *test_idr_kernel(lcl_context *ctx, int s, const char *source,
                            const char *name);

// Sets the state that a kernel leaves that computes ||r||^2.
void test_idr_note(struct test_idr *d, int it, double rr, int at, int reason);
// Checks that the norm stored for step `it` is not finite and clears it in
// both, since numbers that are not finite cannot be compared.
void test_idr_forget(struct test_idr *d, struct test_idr *expected, int it);
