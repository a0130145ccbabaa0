// SPDX-License-Identifier: BSD-3-Clause
// The judge: residuals in 226 bits, norms in 113, with code of its own.
#pragma once

#include <levelcl/kron.h>
#include <levelcl/solver.h>

// Its exponents hold the squares of products of doubles.
__extension__ typedef __float128 quad;

// A matrix as the sum of its terms; several may have the same position.
struct exact {
    int64_t n;
    int64_t *row_ptr; // n + 1
    int64_t *col;
    quad *val;
};

struct exact exact_of_csr(const struct lcl_csr *A, const double *val);
struct exact exact_of_kron(const struct lcl_kron *K);
void exact_finish(struct exact *E);

// What is known of one column.
struct ruling {
    quad b;         // ||b||, of what is left of b
    quad r;         // ||b - A x||
    quad magnitude; // || |b| + |A| |x| ||: unit of rounding errors
    quad backward;  // the largest |b - A x|_i / (|b| + |A| |x|)_i
};

struct question {
    const struct exact *E; // NULL: the product is `product`
    const double *product;
    int64_t n;
    enum lcl_norm_type norm;
    bool remove_mean; // of b: the null space is that of the constants
    const double *b, *x;
};

struct ruling judge(const struct question *q);
