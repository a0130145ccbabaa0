// SPDX-License-Identifier: BSD-3-Clause
// The methods that partition the rows of a matrix into subdomains.
#pragma once

#include "lib/comm/share.h"
#include "lib/partition/subdomains.h"
#include "lib/storage/matrix.h"

#include <levelcl/precond.h>

// Partitions the rows of A (square) into nonempty subdomains of at most
// `max_rows` rows; params->rows, if set, lowers the limit. No row repeats; rows
// keep their order within a subdomain; subdomains are ordered by their first
// rows. Returns LCL_OK, LCL_EINVAL, LCL_ERANGE, LCL_ENOMEM or, for MATCH,
// LCL_EUNSUPPORTED, with a logged reason.
enum lcl_status lcl_partition_create(struct lcl_subdomains *P,
                                     const struct lcl_csr *A,
                                     const struct lcl_partition_params *params,
                                     int64_t max_rows,
                                     const struct lcl_log *log);

// The same for the block rows A of a rank; `share` may be NULL. With it,
// GEOMETRIC needs params->grid, the cells of the whole matrix, and makes one
// subdomain of the rank's rows in each box, in the order of boxes; other
// methods ignore `share`.
enum lcl_status lcl_partition_create_share(
    struct lcl_subdomains *P, const struct lcl_csr *A,
    const struct lcl_share *share, const struct lcl_partition_params *params,
    int64_t max_rows, const struct lcl_log *log);

// The checks of lcl_partition_create() that do not read A's entries.
enum lcl_status lcl_partition_check(const struct lcl_csr *A,
                                    const struct lcl_partition_params *params,
                                    int64_t max_rows,
                                    const struct lcl_log *log);

// Partitions the block rows of D, or of A if D is NULL, by MATCH. Subdomains
// are ordered along the tree of matchings, which also defines at most
// `aggregates` aggregates of subdomains. The rows stay on the device.
enum lcl_status lcl_partition_match(struct lcl_subdomains *P, lcl_context *ctx,
                                    const struct lcl_device_matrix *D,
                                    const struct lcl_csr *A,
                                    const struct lcl_partition_params *params,
                                    int64_t max_rows, int64_t aggregates);

// Methods; all respect the limit `rows` or params->rows, from 1 to n. These
// fill *P themselves:
enum lcl_status lcl_partition_natural(struct lcl_subdomains *P,
                                      const struct lcl_csr *A, int64_t rows,
                                      const struct lcl_log *log);
enum lcl_status lcl_partition_geometric(
    struct lcl_subdomains *P, const struct lcl_csr *A,
    const struct lcl_share *share, const struct lcl_partition_params *params,
    const struct lcl_log *log);
// These fill label[0 .. n-1] with part numbers below n, in any numbering; only
// the caller's labels may exceed the limit:
enum lcl_status lcl_partition_labels(int32_t *label, const struct lcl_csr *A,
                                     const struct lcl_partition_params *params,
                                     const struct lcl_log *log);
enum lcl_status lcl_partition_boxes(int32_t *label,
                                    const struct lcl_share *share,
                                    const struct lcl_partition_params *params,
                                    const struct lcl_log *log);
enum lcl_status lcl_partition_metis(int32_t *label, const struct lcl_csr *A,
                                    enum lcl_weights weights, int64_t rows,
                                    bool *weighted, const struct lcl_log *log);

// Derives the labels of `rows` block rows from those of all scalar rows, which
// must agree within a block. The caller frees *out with lcl_free(). Returns
// LCL_OK, LCL_EINVAL or LCL_ENOMEM.
enum lcl_status lcl_labels_of_blocks(int32_t **out, const int32_t *labels,
                                     int64_t rows, int block,
                                     const struct lcl_log *log);

// Whether the partitioner needs only the number of rows; MATCH counts as such
// if the matrix is on the device. DEFAULT has been resolved.
static inline bool lcl_partition_counts(
    const struct lcl_partition_params *params)
{
    return params->type == LCL_PARTITION_NATURAL ||
           params->type == LCL_PARTITION_LABELS ||
           params->type == LCL_PARTITION_MATCH ||
           (params->type == LCL_PARTITION_GEOMETRIC && params->grid[0] != 0);
}

// Whether the partitioner reads couplings, so that the matrix must have values.
static inline bool lcl_partition_weighs(
    const struct lcl_partition_params *params)
{
    return (params->type <= LCL_PARTITION_METIS ||
            params->type == LCL_PARTITION_MATCH) &&
           params->weights != LCL_WEIGHTS_OFF;
}
