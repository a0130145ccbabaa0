// SPDX-License-Identifier: BSD-3-Clause
// Subdomains of random rows that overlap.
#include "tests/support/overlaps.h"

#include "lib/partition/overlap.h"
#include "lib/partition/partition.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <stdlib.h>

static struct lcl_subdomains scatter(const struct lcl_csr *A, int64_t parts)
{
    struct lcl_subdomains P;
    uint64_t seed = 5;
    int32_t *label = calloc((size_t)A->rows, sizeof *label);
    assert_non_null(label);
    for (int64_t i = 0; i < A->rows; ++i)
        label[i] = (int32_t)(test_random(&seed) * (double)parts);
    const struct lcl_partition_params params = {
        .type = LCL_PARTITION_LABELS, .labels = label, .labels_count = A->rows};
    assert_int_equal(lcl_partition_create(&P, A, &params, A->rows, NULL), 0);
    free(label);
    return P;
}

static void shuffle(struct lcl_subdomains *P)
{
    uint64_t seed = 3;
    for (int64_t p = 0; p < P->parts; ++p)
        for (int64_t i = P->part_ptr[p + 1] - 1; i > P->part_ptr[p]; --i) {
            const int64_t j =
                P->part_ptr[p] + (int64_t)(test_random(&seed) *
                                           (double)(i - P->part_ptr[p] + 1));
            const int32_t row = P->row[i];
            P->row[i] = P->row[j];
            P->row[j] = row;
            if (P->owned) {
                const uint8_t owned = P->owned[i];
                P->owned[i] = P->owned[j];
                P->owned[j] = owned;
            }
        }
}

struct lcl_subdomains test_overlapping(const struct lcl_csr *A, int64_t parts,
                                       int layers, bool shuffled)
{
    struct lcl_subdomains P = scatter(A, parts), Q;
    assert_int_equal(lcl_subdomains_overlap(&Q, &P, A, layers, NULL), LCL_OK);
    lcl_subdomains_finish(&P);
    if (shuffled)
        shuffle(&Q);
    return Q;
}
