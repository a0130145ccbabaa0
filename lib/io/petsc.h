// SPDX-License-Identifier: BSD-3-Clause
// PETSc binary files: big-endian; a class id, sizes, arrays. A matrix has rows,
// columns, entries; the length of each row; columns; values. A vector has its
// size and values. Source: PETSc manual pages MatLoad and VecLoad.
#pragma once

#include "lib/io/sink.h"
#include "lib/io/stream.h"
#include "lib/matrix/rows.h"

#include <levelcl/matrix.h>

enum { LCL_PETSC_MATRIX = 1211216, LCL_PETSC_VECTOR = 1211214 };

// Big-endian numbers in memory, on any host; compilers emit one instruction.
static inline uint32_t lcl_big32(const void *p)
{
    const unsigned char *b = p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

static inline uint64_t lcl_big64(const void *p)
{
    return (uint64_t)lcl_big32(p) << 32 | lcl_big32((const char *)p + 4);
}

static inline void lcl_put_big32(void *p, uint32_t x)
{
    unsigned char *b = p;
    for (int i = 0; i < 4; ++i)
        b[i] = (unsigned char)(x >> (24 - 8 * i));
}

static inline void lcl_put_big64(void *p, uint64_t x)
{
    lcl_put_big32(p, (uint32_t)(x >> 32));
    lcl_put_big32((char *)p + 4, (uint32_t)x);
}

// Whether a file that starts with these bytes is a PETSc file of any kind.
bool lcl_is_petsc(const char *bytes, size_t size);

// As lcl_read_stream().
enum lcl_status lcl_petsc_read(struct lcl_csr *A, struct lcl_dense *X,
                               lcl_stream *stream, struct lcl_read_info *info);

// Reads the rows of a rank; skips the columns and values of others. On error
// the caller finishes R. Returns as lcl_rows_read().
enum lcl_status lcl_petsc_read_rows(struct lcl_rows *R, lcl_stream *stream,
                                    const struct lcl_share *share);

// Writes a matrix; all values of a dense matrix, by columns, as a vector.
// Returns LCL_OK or LCL_ERANGE: sizes must fit into 32 bits.
enum lcl_status lcl_petsc_write_csr(lcl_sink *sink, const void *A);
enum lcl_status lcl_petsc_write_dense(lcl_sink *sink, const void *X);
