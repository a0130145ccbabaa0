// SPDX-License-Identifier: BSD-3-Clause
// Connected components of the graph of a matrix, and which of them are singular
// because their rows and columns add up to 0.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

struct components {
    int64_t count;
    int64_t singular; // components whose indicator vector v has A v = A^T v = 0
    int32_t *label;   // of each row: the number of its singular component, or
                      // -1
};

// Finds the components of A, square, an edge for each entry; sums count as 0 up
// to rounding. Returns false if memory runs out; *C needs components_finish()
// in any case.
bool components_find(struct components *C, const struct lcl_csr *A);

// The indicator vectors of the singular components, as columns, which the
// caller frees; NULL if memory runs out.
double *components_indicators(const struct components *C, int64_t rows);

void components_finish(struct components *C);
