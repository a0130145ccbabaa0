// SPDX-License-Identifier: BSD-3-Clause
// The packed apply: lower solve, scaling and upper solve of all subdomains in
// one launch over slabs packed by level.
#pragma once

#include "lib/partition/partition.h"
#include "lib/trisolve/packed_state.h"
#include "lib/trisolve/trisolve.h"

// The pattern to partition, of blocks of `block` rows and columns.
struct lcl_packed_rows {
    const struct lcl_csr *A;           // rows are block rows
    const struct lcl_device_matrix *D; // the same matrix on the device, or NULL
    const struct lcl_share *share;     // as for lcl_partition_create_share()
    int block;
};

// Partitions rows into subdomains of at most `limit` rows. If `params` does not
// set their size, it is chosen for the device (smaller for small systems, so
// that every compute unit has work). The caller's labels may cover all scalar
// rows. With D, MATCH reads only the number of rows of A. MATCH makes at most
// `aggregates` aggregates. Statuses as lcl_partition_create().
enum lcl_status lcl_packed_partition(struct lcl_subdomains *P, lcl_context *ctx,
                                     const struct lcl_packed_rows *rows,
                                     const struct lcl_partition_params *params,
                                     int64_t limit, int64_t aggregates);

// The type of a partition of n rows (blocks of `block` rows), where DEFAULT is
// resolved for the device. Matching does not pay off on a few cores: for
// lap3d:64 it takes 0.7 s on two cores, METIS takes 0.5 s; on an H200 matching
// takes 5 ms. What is one subdomain needs neither.
enum lcl_partition_type lcl_packed_partition_type(
    const struct lcl_caps *caps, const struct lcl_partition_params *params,
    int64_t n, int block);

// Maximum rows (blocks of `block` rows) of a subdomain on a device.
int64_t lcl_packed_rows_most(const struct lcl_caps *caps, int block);

// The rows that a subdomain gets unless the caller says so, for n rows.
int64_t lcl_packed_rows_usual(const struct lcl_caps *caps, int64_t n,
                              int block);

// Work-group size for subdomains of `rows` rows.
int lcl_packed_group(const struct lcl_caps *caps, int64_t rows);

// lcl_operator_interleave() of the packed apply. Its partial sums are those of
// subdomains; after <x, y>, row columns + q has the sums of x_q.
enum lcl_status lcl_packed_interleave(lcl_operator *out,
                                      const struct lcl_trisolve_method *T,
                                      int columns);

// Build options of the kernel. `ring` does not change the result.
struct lcl_spec lcl_packed_spec(const struct lcl_caps *caps,
                                const struct lcl_factor *factor, bool ring);
