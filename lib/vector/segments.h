// SPDX-License-Identifier: BSD-3-Clause
// Inner products whose bits do not depend on how many devices share the rows:
// those of LCL_SEGMENTS segments of consecutive rows, in the caller's order,
// added up in their order. A segment is one rank's, and one work-group's.
#pragma once

#include "lib/comm/comm.h"
#include "lib/vector/dots.h"
#include "lib/vector/vector.h"

enum { LCL_SEGMENTS = 1024 };

// The rows of a rank, each of `stages` elements of vectors: that of row i in
// stage j is element i by_row + j by_stage.
struct lcl_segment_rows {
    int block;                  // rows of a block
    int64_t first, rows, total; // of the rank, of all
    int stages;
    int64_t by_row, by_stage;
};

struct lcl_segments {
    lcl_context *ctx;
    struct lcl_comm *comm;
    struct lcl_segment_rows rows;
    int count, most;   // segments of the rank, at most of a rank
    lcl_buffer *start; // their first rows among those of the rank
    lcl_buffer *sums;  // `most` of each inner product, zeros behind the rank's
    lcl_buffer *place; // where the caller's block rows are; NULL: in order
    lcl_kernel *kernel;
};

// LCL_EUNSUPPORTED: sums by segments do not work with `with`.
enum lcl_status lcl_segments_refuse(const char *with,
                                    const struct lcl_log *log);

// The first row of a rank of `size`: that of a segment, whose rows are whole
// blocks.
int64_t lcl_segments_cut(int64_t total, int block, int rank, int size);

// Collective. Returns LCL_OK; LCL_EUNSUPPORTED (other rows than those of the
// rank's segments); statuses as lcl_buffer_create() and lcl_kernel_get(). *G is
// fit for lcl_segments_finish() in any case.
enum lcl_status lcl_segments_init(struct lcl_segments *G, lcl_context *ctx,
                                  struct lcl_comm *comm,
                                  const struct lcl_segment_rows *rows);
void lcl_segments_finish(struct lcl_segments *G);

// The number, among those of all ranks, of element i of a vector of the rank;
// both in the caller's order, stage by stage.
int64_t lcl_segments_element(const struct lcl_segments *G, int64_t i);

// From now on block row i of `blocks`, each of `block` rows, is the caller's
// perm[i]. For one stage.
enum lcl_status lcl_segments_renumber(struct lcl_segments *G,
                                      const struct lcl_vector_ops *ops,
                                      const lcl_buffer *perm, int64_t blocks,
                                      int block);

// sum[q] = <a_j, b> for j = from + q, q < count <= LCL_SEGMENT_SUMS. Collective
// and blocking; statuses as lcl_comm_gather() and lcl_buffer_read().
enum { LCL_SEGMENT_SUMS = 32 };
enum lcl_status lcl_segments_sum(const struct lcl_segments *G, double *sum,
                                 const struct lcl_dots *dots, int from,
                                 int count);
