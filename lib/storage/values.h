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
    lcl_buffer *map; // blocks, uint32: block of the matrix -> block of the
                     // caller
    struct lcl_sources sources;     // or sources of its values
    int64_t part[LCL_LAYOUT_PARTS]; // as in struct lcl_blocked
    lcl_buffer *staged; // entries, in the caller's order; NULL without map and
                        // sources
    lcl_buffer *spare;  // without a map: NULL, or for values of the matrix
    lcl_buffer *flag;   // int32 0, between calls; NULL until needed
    lcl_kernel *take, *compare; // NULL until needed
    struct lcl_vector_ops ops;
};

// Moves the sources and staged values of B to V.
void lcl_values_init(struct lcl_values *V, lcl_context *ctx,
                     struct lcl_blocked *B);
void lcl_values_finish(struct lcl_values *V);

// Moves the values of A to a new order: block k is block map[k] of the old one.
// Later writes use the new order. V owns *map. Call it once, or after
// lcl_values_restore().
enum lcl_status lcl_values_reorder(struct lcl_values *V,
                                   struct lcl_device_matrix *A,
                                   lcl_buffer **map);

// Undoes lcl_values_reorder() for a matrix A whose values are in the first
// order: block k is block map[k] of the present order.
enum lcl_status lcl_values_restore(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   const int64_t *map);

// *to = a buffer for the caller's values from the host, in the caller's order:
// not the buffer of A's values.
enum lcl_status lcl_values_staging(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   lcl_buffer ***to);

// *changed = whether the caller's values in V's order would change those of A.
// Without sources, only the first array has values. Waits.
enum lcl_status lcl_values_compare(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_given_arrays *given,
                                   bool *changed);

// Writes the arrays of a layout with several arrays (V->part[0] > 0) one after
// the other; arrays without values may be NULL. Blocking.
enum lcl_status lcl_values_write_parts(const struct lcl_values *V,
                                       lcl_buffer *to,
                                       const double *const *val);

// Computes A's values from V->staged, if V has it. Enqueued.
enum lcl_status lcl_values_gather(struct lcl_values *V,
                                  const struct lcl_device_matrix *A);

// First step for new values from buffers: *other is a buffer for the new
// values, which the caller exchanges for A->val.
enum lcl_status lcl_values_begin(struct lcl_values *V,
                                 const struct lcl_device_matrix *A,
                                 lcl_buffer ***other);
// Second step: writes the new values to A->val, and sets *V->flag unless they
// are finite. Without sources, only the first array has values. Enqueued.
enum lcl_status lcl_values_write(struct lcl_values *V,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_given_arrays *given);
// Last step: waits; *set reports whether *V->flag was set; clears the flag.
enum lcl_status lcl_values_end(struct lcl_values *V, bool *set);

uint64_t lcl_values_bytes(const struct lcl_values *V);
