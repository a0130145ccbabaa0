// SPDX-License-Identifier: BSD-3-Clause
// The source of each value of a matrix on the device, so that one pass writes
// new values of the caller: value v is the caller's value of[v], its negative,
// the sum of several, or 0 (value_sources.cl).
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/matrix/layout.h"

// All zero: value v is the caller's value v.
struct lcl_sources {
    lcl_context *ctx;
    int64_t values;    // of the matrix
    int64_t entries;   // values of the caller
    bool is_signed;    // of may have LCL_NEGATED (lib/matrix/layout.h)
    lcl_buffer *of;    // values, uint32; NULL: the caller's order
    lcl_buffer *start; // uint32, of each sum and of the end
    lcl_buffer *list;  // uint32, the values of all sums
    int run;           // the sources of so many values, from each multiple of
                       // it on, are consecutive in the caller's only array; 0,
                       // 1: unknown
    lcl_kernel *gather, *compare; // NULL until needed
};

// Uploads the sources in C. On error *S is empty.
enum lcl_status lcl_sources_init(struct lcl_sources *S, lcl_context *ctx,
                                 const struct lcl_composed *C);
void lcl_sources_finish(struct lcl_sources *S);

// Composes S with a conversion: value k of the matrix, k < count, becomes value
// place[k], uint32, of a matrix with `values` values in blocks with rows of
// `row` values. Its other values are 0. On error *S is unchanged.
enum lcl_status lcl_sources_place(struct lcl_sources *S, lcl_context *ctx,
                                  const lcl_buffer *place, int64_t count,
                                  int64_t values, int row);

// Composes S with a permutation: the new block k, of `block` values, is the old
// block map[k], uint32. S is not empty. On error *S is unchanged.
enum lcl_status lcl_sources_reorder(struct lcl_sources *S, int block,
                                    const lcl_buffer *map);

// Arrays of the caller on the device, maybe selected parts of buffers; `second`
// and `third` are the numbers of the first values of b and c.
struct lcl_given_arrays {
    int64_t second, third;
    const lcl_buffer *a, *b, *c;
};

// All values of the caller in one buffer.
static inline struct lcl_given_arrays lcl_given_array(
    const struct lcl_sources *S, const lcl_buffer *a)
{
    return (struct lcl_given_arrays){S->entries, S->entries, a, a, a};
}

// Computes the values of the matrix. Sets `bad`, an int32 or NULL, to a nonzero
// value if one of the caller's values is not finite. Enqueued; S is not empty.
enum lcl_status lcl_sources_gather(struct lcl_sources *S,
                                   const struct lcl_given_arrays *x,
                                   lcl_buffer *val, lcl_buffer *bad);

// Sets *changed, an int32, if lcl_sources_gather() would write values that
// differ from `val`. Enqueued; S is not empty.
enum lcl_status lcl_sources_compare(struct lcl_sources *S,
                                    const struct lcl_given_arrays *x,
                                    const lcl_buffer *val, lcl_buffer *changed);

uint64_t lcl_sources_bytes(const struct lcl_sources *S);
