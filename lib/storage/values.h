// SPDX-License-Identifier: BSD-3-Clause
// Transfers new values from the caller's order into a matrix on the device.
#pragma once

#include "lib/storage/blocked.h"
#include "lib/vector/vector.h"

// All zero: the caller and the matrix have the same order of values.
struct lcl_values {
    lcl_context *ctx;
    int64_t entries; // number of the caller's values
    int64_t blocks;  // of the matrix
    lcl_buffer *map; // blocks, uint32: block of the matrix -> the caller's
    struct lcl_sources sources;     // or of its values
    int64_t part[LCL_LAYOUT_PARTS]; // as in struct lcl_blocked
    lcl_buffer *staged; // entries, in the caller's order; NULL without either
    lcl_buffer *spare;  // without a map: NULL, or for values of the matrix
    lcl_buffer *flag;   // int32 0, between calls; NULL until needed
    lcl_kernel *take, *compare; // NULL until needed
    struct lcl_vector_ops ops;
};

// Takes the sources and staged values of B.
void lcl_values_init(struct lcl_values *V, lcl_context *ctx,
                     struct lcl_blocked *B);
void lcl_values_finish(struct lcl_values *V);

// Moves the values of A to a new order, in which block k is block map[k] of the
// old one; later writes use the new order. Takes *map. Call it once, or after
// lcl_values_restore().
enum lcl_status lcl_values_reorder(struct lcl_values *V,
                                   struct lcl_device_matrix *A,
                                   lcl_buffer **map);

// Undoes lcl_values_reorder() for a matrix A in the first order, whose values
// are there: block k is block map[k] of the present order.
enum lcl_status lcl_values_restore(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   const int64_t *map);

// *to = the buffer for the caller's values that come from the host: in their
// order, and not that of A's values.
enum lcl_status lcl_values_staging(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   lcl_buffer ***to);

// *changed = whether the caller's values in V's order would change those of A.
// Without sources, only the first array has values. Waits.
enum lcl_status lcl_values_compare(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_given_arrays *given,
                                   bool *changed);

// Writes the arrays of a layout with several (V->part[0] > 0), of which those
// without values may be NULL, one after the other. Blocking.
enum lcl_status lcl_values_write_parts(const struct lcl_values *V,
                                       lcl_buffer *to,
                                       const double *const *val);

// Computes A's values from V->staged, if there is one. Enqueued.
enum lcl_status lcl_values_gather(struct lcl_values *V,
                                  const struct lcl_device_matrix *A);

// New values from buffers: *other is a buffer that the caller exchanges for
// A->val, to which the new values go.
enum lcl_status lcl_values_begin(struct lcl_values *V,
                                 const struct lcl_device_matrix *A,
                                 lcl_buffer ***other);
// Writes the values to A->val, and sets *V->flag unless they are finite.
// Without sources, only the first array has values. Enqueued.
enum lcl_status lcl_values_take(struct lcl_values *V,
                                const struct lcl_device_matrix *A,
                                const struct lcl_given_arrays *given);
// Waits; *set tells whether *V->flag was set, which it no longer is.
enum lcl_status lcl_values_end(struct lcl_values *V, bool *set);

uint64_t lcl_values_bytes(const struct lcl_values *V);
