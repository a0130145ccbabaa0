// SPDX-License-Identifier: BSD-3-Clause
// Whether a system that no method solved has a solution.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

// For a vector y of norm 1, every x has
//     ||x|| >= (|<y, b>| - ||b - A x||) / ||A^T y||.
struct singularity {
    bool found;     // such an x is so large that rounding errors of A x exceed
                    // the tolerance by far
    bool overflows; // ||b|| / ||A||, and with it ||x||, is beyond all doubles
    bool constant;  // y is constant, and A y is zero as well
    int64_t components; // y is a sum of indicator vectors of so many, of
                        // several; 0: it is not
    double share;       // |<y, b>| / ||b||
    double gradient;    // ||A^T y|| / ||A||
};

// Searches y among what costs few products: indicator vectors of components, or
// the constant vector; of large matrices not at all. Finds nothing unless it
// finds a y for each of the columns b; *out is of the last one.
void singular_look(struct singularity *out, const struct lcl_csr *A,
                   const double *b, int columns, double rtol);

// Searches y: the same for all matrices, then the residual of x, whose part in
// the range of A is removed by CGLS. Its effort is bounded, and small for
// regular matrices. `rtol` is that of the solve, relative to b. Without memory,
// nothing is found.
void singular_find(struct singularity *out, const struct lcl_csr *A,
                   const double *b, const double *x, double rtol);
