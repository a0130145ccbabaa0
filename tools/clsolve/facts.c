// SPDX-License-Identifier: BSD-3-Clause
// Computes properties of a matrix.
#include "tools/clsolve/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note_row(int64_t *count, int64_t *first, int64_t row)
{
    if ((*count)++ == 0)
        *first = row + 1;
}

static void look_at_row(struct facts *facts, const struct lcl_csr *A, int64_t i)
{
    bool zero = true;
    bool diagonal = i >= A->cols; // rows below a square have no diagonal
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        zero = zero && A->val[k] == 0;
        if (A->col_ind[k] != i)
            continue;
        diagonal = true;
        facts->negative_diagonals += A->val[k] < 0;
        facts->positive_diagonals += A->val[k] > 0;
    }
    if (zero)
        note_row(&facts->zero_rows, &facts->first_zero_row, i);
    if (!diagonal)
        note_row(&facts->missing_diagonals, &facts->first_missing_diagonal, i);
}

void facts_rows(struct facts *facts, const struct lcl_csr *A)
{
    *facts = (struct facts){.row_min = A->rows > 0 ? INT64_MAX : 0};
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t length = A->row_ptr[i + 1] - A->row_ptr[i];
        if (length < facts->row_min)
            facts->row_min = length;
        if (length > facts->row_max)
            facts->row_max = length;
        look_at_row(facts, A, i);
    }
}

// Rows are processed in order, so the partners a_ji of the entries a_ij, j > i,
// are found in row j from left to right: next[j] is the first one not yet
// found.
struct walk {
    const struct lcl_csr *A;
    int64_t *next;
    int64_t single;    // entries without a partner
    double difference; // the largest |a_ij - a_ji|
};

static void see(struct walk *walk, double difference)
{
    if (fabs(difference) > walk->difference)
        walk->difference = fabs(difference);
}

// Skips the entries of row j, left of column i, that have no partner.
static void skip_singles(struct walk *walk, int64_t j, int64_t i)
{
    const struct lcl_csr *A = walk->A;
    while (walk->next[j] < A->row_ptr[j + 1] && A->col_ind[walk->next[j]] < i) {
        see(walk, A->val[walk->next[j]++]);
        ++walk->single;
    }
}

static void match(struct walk *walk, int64_t i, int64_t k)
{
    const struct lcl_csr *A = walk->A;
    const int64_t j = A->col_ind[k];
    skip_singles(walk, j, i);
    const int64_t partner = walk->next[j];
    if (partner < A->row_ptr[j + 1] && A->col_ind[partner] == i) {
        see(walk, A->val[k] - A->val[partner]);
        ++walk->next[j];
        return;
    }
    see(walk, A->val[k]);
    ++walk->single;
}

static double largest(const struct lcl_csr *A)
{
    double most = 0;
    for (int64_t k = 0; k < A->nnz; ++k)
        most = fmax(most, fabs(A->val[k]));
    return most;
}

enum lcl_status facts_symmetry(struct facts *facts, const struct lcl_csr *A)
{
    struct walk walk = {.A = A};
    walk.next = calloc((size_t)A->rows + 1, sizeof *walk.next);
    if (!walk.next)
        return LCL_ENOMEM;
    memcpy(walk.next, A->row_ptr, (size_t)A->rows * sizeof *walk.next);
    for (int64_t i = 0; i < A->rows; ++i) {
        skip_singles(&walk, i, i);
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->col_ind[k] > i)
                match(&walk, i, k);
    }
    free(walk.next);
    const double most = largest(A);
    facts->pattern_symmetric = walk.single == 0;
    facts->asymmetry = most > 0 ? walk.difference / most : 0;
    return LCL_OK;
}
