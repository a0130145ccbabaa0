// SPDX-License-Identifier: BSD-3-Clause
// Connected components of the graph of a matrix.
#include "tools/clsolve/components.h"

#include <math.h>
#include <stdlib.h>

// Sums below so many times the largest sum of magnitudes of the component are
// 0.
#define ROUNDING 1e-12

struct work {
    int32_t *parent;          // of the forest; a root is its own parent
    double *row, *column;     // sums of entries
    double *size, *magnitude; // sums of magnitudes by rows; of a root: largest
};

// ---------------------------------------------------------------- forest

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The smaller number is the root.
static void join(int32_t *parent, int32_t i, int32_t j)
{
    i = root_of(parent, i);
    j = root_of(parent, j);
    parent[i > j ? i : j] = i > j ? j : i;
}

static void visit(struct work *W, const struct lcl_csr *A)
{
    for (int32_t i = 0; i < A->rows; ++i)
        W->parent[i] = i;
    for (int32_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            W->row[i] += A->val[k];
            W->size[i] += fabs(A->val[k]);
            W->column[A->col_ind[k]] += A->val[k];
            if (A->col_ind[k] != i)
                join(W->parent, i, A->col_ind[k]);
        }
}

// ---------------------------------------------------------------- sums

static void find_magnitudes(struct work *W, int64_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        const int32_t root = root_of(W->parent, i);
        W->magnitude[root] = fmax(W->magnitude[root], W->size[i]);
    }
}

// A root is regular, -1, if one of its sums is not 0; else it gets a number. A
// sum that is not finite is not 0.
static void number(struct components *C, struct work *W, int64_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        const int32_t root = root_of(W->parent, i);
        const double most = ROUNDING * W->magnitude[root];
        if (!(isfinite(most) && fabs(W->row[i]) <= most &&
              fabs(W->column[i]) <= most))
            C->label[root] = -1;
    }
    for (int32_t i = 0; i < n; ++i) {
        const int32_t root = root_of(W->parent, i);
        C->count += root == i;
        if (root == i && C->label[i] >= 0)
            C->label[i] = (int32_t)C->singular++;
        else
            C->label[i] = C->label[root]; // roots come before their rows
    }
}

static bool allocate(struct components *C, struct work *W, size_t n)
{
    C->label = calloc(n, sizeof *C->label);
    W->parent = calloc(n, sizeof *W->parent);
    W->row = calloc(n, sizeof *W->row);
    W->column = calloc(n, sizeof *W->column);
    W->size = calloc(n, sizeof *W->size);
    W->magnitude = calloc(n, sizeof *W->magnitude);
    return C->label && W->parent && W->row && W->column && W->size &&
           W->magnitude;
}

bool components_find(struct components *C, const struct lcl_csr *A)
{
    struct work W = {.parent = NULL};
    *C = (struct components){.count = 0};
    const bool found = allocate(C, &W, (size_t)A->rows);
    if (found) {
        visit(&W, A);
        find_magnitudes(&W, A->rows);
        number(C, &W, A->rows);
    }
    free(W.parent);
    free(W.row);
    free(W.column);
    free(W.size);
    free(W.magnitude);
    return found;
}

double *components_indicators(const struct components *C, int64_t rows)
{
    double *val = calloc((size_t)(rows * C->singular), sizeof *val);
    for (int64_t i = 0; i < rows && val; ++i)
        if (C->label[i] >= 0)
            val[C->label[i] * rows + i] = 1;
    return val;
}

void components_finish(struct components *C)
{
    free(C->label);
    *C = (struct components){.count = 0};
}
