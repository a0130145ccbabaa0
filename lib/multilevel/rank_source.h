// SPDX-License-Identifier: BSD-3-Clause
// The rank's rows of a distributed operator on the device, with single entries:
// those of its part, then the entries of boundary rows in ghosts.
#pragma once

#include "lib/multilevel/rank_rows.h"
#include "lib/operator/operator.h"
#include "lib/storage/row_union.h"

struct lcl_rank_source {
    const lcl_operator *whole;
    const struct lcl_device_matrix *part; // of `whole`, by the caller's rows
    struct lcl_device_matrix entries;     // of a part with larger blocks
    struct lcl_device_matrix ghosts; // of boundary rows, one after the other
    lcl_buffer *place;               // of the rows in `ghosts`
};

// A = the rank's rows; *columns number them and are connected, with all rows of
// nodes of `block` rows. `part` is the matrix of whole->part by the caller's
// rows; both must outlive *S. Collective; a rank with an error has to call
// lcl_comm_fail(). Statuses as lcl_rank_matrix_connect(); the caller finishes
// *S, *A and *columns in any case.
enum lcl_status lcl_rank_source_init(struct lcl_rank_source *S,
                                     struct lcl_device_matrix *A,
                                     struct lcl_halo_plan *columns,
                                     const lcl_operator *whole,
                                     const struct lcl_device_matrix *part,
                                     const struct lcl_ownership *O, int block);
void lcl_rank_source_finish(struct lcl_rank_source *S);

// Takes the current values to the rank's rows, which may be the first of A.
enum lcl_status lcl_rank_source_update(const struct lcl_rank_source *S,
                                       const struct lcl_device_matrix *A);

uint64_t lcl_rank_source_bytes(const struct lcl_rank_source *S);
