// SPDX-License-Identifier: BSD-3-Clause
// A matrix on the device, as CSR or BSR.
#pragma once

#include "host/buffer.h"

#include <levelcl/matrix.h>

// Up to this many entries or slots, indices have 32 bits: slightly fewer than
// 2^32, since lanes step past the end of a row.
#define LCL_NARROW_MOST (INT64_C(0xffffffff) - 1024)

static inline bool lcl_needs_wide(int64_t entries)
{
    return entries > LCL_NARROW_MOST;
}

struct lcl_device_matrix {
    int64_t n;           // number of rows
    int block;           // rows per block
    int64_t block_rows;  // n / block
    int64_t block_cols;  // number of block columns
    int64_t blocks;      // number of stored blocks
    lcl_buffer *row_ptr; // block_rows + 1, uint32, or uint64 if `wide`
    lcl_buffer *col;     // blocks, int32
    lcl_buffer *val;     // blocks * block * block, as in struct lcl_bsr
    bool wide;           // lcl_needs_wide(blocks)
    int groups;          // lcl_vector_groups() of a kernel over its vectors
};

// All fields but the arrays and `groups`, which depends on the device.
struct lcl_device_matrix lcl_device_matrix_shape(const struct lcl_bsr *A);

// A reordered matrix B: row i is row perm[i] of A, entry k is entry map[k] of
// A, columns ascend.
struct lcl_reordered {
    lcl_buffer *perm;    // n, int32
    lcl_buffer *row_ptr; // n + 1, uint32
    lcl_buffer *col;     // nnz, int32
    lcl_buffer *map;     // nnz, uint32
};

// Upload A: the first row pointers and columns only, the second also the
// values.
enum lcl_status lcl_device_pattern_init(struct lcl_device_matrix *D,
                                        lcl_context *ctx,
                                        const struct lcl_bsr *A);
enum lcl_status lcl_device_matrix_init(struct lcl_device_matrix *D,
                                       lcl_context *ctx,
                                       const struct lcl_bsr *A);
// D = a matrix with one entry for each block of A and the same row pointers and
// columns; its values are uninitialised. Enqueued; on error *D is finished.
enum lcl_status lcl_device_pattern_copy(struct lcl_device_matrix *D,
                                        lcl_context *ctx,
                                        const struct lcl_device_matrix *A);
void lcl_device_matrix_finish(struct lcl_device_matrix *D);

// Reads the block_rows + 1 row pointers of D. Returns LCL_OK, LCL_ENOMEM or
// LCL_EDEVICE.
enum lcl_status lcl_device_row_ptr_read(int64_t *row_ptr,
                                        const struct lcl_device_matrix *D,
                                        const struct lcl_log *log);

// Reads D into *out; without values, out->val is NULL. The caller frees *out
// with lcl_bsr_finish(), also on error. Returns LCL_OK, LCL_ENOMEM or
// LCL_EDEVICE.
enum lcl_status lcl_device_matrix_read(struct lcl_bsr *out,
                                       const struct lcl_device_matrix *D,
                                       bool values, const struct lcl_log *log);

// Returns LCL_EUNSUPPORTED with a message if `entries` needs wide row pointers;
// for kernels, named by `what`, that support 32-bit row pointers only.
enum lcl_status lcl_refuse_wide(int64_t entries, const char *what,
                                const struct lcl_log *log);

// The mean number of values of a row, without fractions.
static inline int64_t lcl_row_values(const struct lcl_device_matrix *D)
{
    return D->block_rows > 0 ? D->blocks / D->block_rows * D->block : 0;
}

// Binary logarithm of the number of work-items per row, for kernels whose
// work-items share the `mean` elements of a row: 0 at width 1.
int lcl_row_shift(const lcl_context *ctx, int64_t mean);

// Number of groups of one wave for kernels in which each of `rows` rows has a
// wave: one per row, or lcl_vector_groups() at width 1.
int64_t lcl_wave_groups(const lcl_context *ctx, int64_t rows);

// Bytes of the matrix's arrays.
uint64_t lcl_device_matrix_bytes(const struct lcl_device_matrix *D);
