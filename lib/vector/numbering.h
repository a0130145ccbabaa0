// SPDX-License-Identifier: BSD-3-Clause
// The numbering of a square operator's vectors on the device; permutes vectors
// from and to the caller's numbering.
#pragma once

#include "lib/vector/vector.h"

struct lcl_numbering {
    lcl_context *ctx;
    int64_t n;
    int block; // rows that stay together
    // NULL if the numbering is the caller's:
    lcl_buffer *perm; // n / block, uint32: block row i is the caller's perm[i]
    lcl_buffer *vector; // n, a vector in the caller's numbering
    // of few rows on a CPU, else NULL
    int32_t *rows; // row i is the caller's rows[i]
    double *room;  // for two vectors, from an aligned place on
    struct lcl_vector_ops ops;
};

// Numbers n rows in blocks of `block` as the caller does.
void lcl_numbering_init(struct lcl_numbering *N, lcl_context *ctx, int64_t n,
                        int block);

// Switches from the caller's numbering to another one and takes *perm.
// Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_numbering_adopt(struct lcl_numbering *N, lcl_buffer **perm);
void lcl_numbering_finish(struct lcl_numbering *N);

// Whether both number the rows in the same order.
bool lcl_numbering_equal(const struct lcl_numbering *a,
                         const struct lcl_numbering *b);

// Downloads the permutation of the rows: row i is the caller's (*perm)[i]. The
// caller frees it with lcl_free(). Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_numbering_rows(const struct lcl_numbering *N,
                                   int32_t **perm);

// Replaces `count` of the caller's rows by the rows of the device. Returns
// LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_numbering_places(const struct lcl_numbering *N,
                                     int32_t *rows, int64_t count);

// Copy a vector from host memory in the caller's numbering, and back.
enum lcl_status lcl_numbering_write(const struct lcl_numbering *N,
                                    const double *host, lcl_buffer *vector);
enum lcl_status lcl_numbering_read(const struct lcl_numbering *N,
                                   const lcl_buffer *vector, double *host);
// The same for device buffers in the caller's numbering; enqueued.
enum lcl_status lcl_numbering_gather(const struct lcl_numbering *N,
                                     const lcl_buffer *given,
                                     lcl_buffer *vector);
enum lcl_status lcl_numbering_scatter(const struct lcl_numbering *N,
                                      const lcl_buffer *vector,
                                      lcl_buffer *given);

// Two vectors of the host, for the rows that N->rows numbers.
struct lcl_numbering_pair {
    double *x, *y;
};
struct lcl_numbering_pair lcl_numbering_room(const struct lcl_numbering *N);

uint64_t lcl_numbering_bytes(const struct lcl_numbering *N);
