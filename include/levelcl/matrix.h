/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices in host memory, and how they are read, made and written.
 *
 * Letters used throughout: n rows, nnz stored entries, A x = b, r = b - A x.
 * All indices are zero-based, columns of a row ascend, no column repeats.
 *
 * Thread-safety: an object is used by one thread at a time. */
#ifndef LEVELCL_MATRIX_H
#define LEVELCL_MATRIX_H

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdint.h>

LCL_BEGIN_DECLS

/* Compressed sparse rows. A plain struct: fill it from your own arrays, or let
 * the readers and generators below fill it. Row i holds the entries
 * row_ptr[i] .. row_ptr[i+1]-1 of col_ind and val; row_ptr[rows] == nnz. */
struct lcl_csr {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int64_t *row_ptr; /* rows + 1 */
    int32_t *col_ind; /* nnz */
    double *val;      /* nnz */
};

/* Compressed sparse rows of square blocks. Everything is counted in blocks:
 * block row i holds the blocks row_ptr[i] .. row_ptr[i+1]-1, and rows *
 * block_size are the rows of the matrix. With b = block_size, entry (r, c) of
 * block k is val[(k * b + r) * b + c]. A plain struct, as above. */
struct lcl_bsr {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int block_size;   /* rows and columns of a block, 1 to LCL_BLOCK_MAX */
    int64_t *row_ptr; /* rows + 1 */
    int32_t *col_ind; /* nnz */
    double *val;      /* nnz * block_size * block_size */
};

#define LCL_BLOCK_MAX 8

/* A dense matrix by columns: entry (i, j) is val[i + j * rows]. */
struct lcl_dense {
    int64_t rows;
    int64_t cols;
    double *val;
};

#define LCL_CSR_INIT   LCL_ZERO
#define LCL_BSR_INIT   LCL_ZERO
#define LCL_DENSE_INIT LCL_ZERO

/* What a reader saw besides the matrix itself. */
struct lcl_read_info {
    int64_t entries;        /* entries in the file */
    int64_t duplicates;     /* entries summed into an earlier one */
    int64_t explicit_zeros; /* stored entries equal to zero, kept */
    int64_t bytes;          /* bytes of uncompressed text */
    int symmetric;          /* header said symmetric (or skew-symmetric: -1) */
    int pattern;            /* header said pattern: values are 1 */
};

/* Frees the arrays of a struct that the library filled, and zeroes it. */
LCL_API void lcl_csr_finish(struct lcl_csr *A);
LCL_API void lcl_bsr_finish(struct lcl_bsr *A);
LCL_API void lcl_dense_finish(struct lcl_dense *X);

/* Checks that A is a well-formed CSR matrix: counts, ascending row pointers,
 * ascending columns in range, finite values.
 * Returns LCL_OK, LCL_EINVAL (A or an array is NULL) or LCL_EFORMAT, and logs
 * the first offending row. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_check(const struct lcl_csr *A,
                                                    const struct lcl_log *log);

/* The same for blocks: also that block_size is one, and that rows and columns
 * times block_size stay below 2^31. Offending rows and columns are those of
 * blocks. Returns as above. */
LCL_NODISCARD LCL_API enum lcl_status lcl_bsr_check(const struct lcl_bsr *A,
                                                    const struct lcl_log *log);

/* The largest b from 1 to LCL_BLOCK_MAX for which A consists of full b x b
 * blocks, so that lcl_bsr_from_csr() adds no entry; b divides rows and columns,
 * and blocks start at its multiples. 1 where there is none, where A has no
 * entries and where it is NULL; else A is well-formed (lcl_csr_check()). */
LCL_API int lcl_csr_natural_block(const struct lcl_csr *A);

/* The same matrix in blocks: every block that holds an entry of A is stored,
 * entries that it lacks are zeros. A is well-formed (lcl_csr_check()) and stays
 * as it is. On success the caller owns *out; on error *out is all zero.
 * Returns LCL_OK; LCL_EINVAL (an argument is NULL, block_size is not from 1 to
 * LCL_BLOCK_MAX or does not divide the rows and the columns of A); LCL_ENOMEM.
 */
LCL_NODISCARD LCL_API enum lcl_status lcl_bsr_from_csr(
    struct lcl_bsr *out, const struct lcl_csr *A, int block_size,
    const struct lcl_log *log);

/* Reads a Matrix Market file, plain or compressed (recognised by content: gzip
 * and xz). Coordinate format; real, integer or pattern; general, symmetric or
 * skew-symmetric (expanded to both triangles). Duplicates are summed. The path
 * "-" is the standard input. `info` may be NULL. On success the caller owns *A;
 * on error *A is all zero. Source: Boisvert, Pozo, Remington, "The Matrix
 * Market exchange formats", NISTIR 5935 (1996). Returns LCL_OK; LCL_EIO (path,
 * decompression); LCL_EFORMAT (the message names file, line and what was
 * expected); LCL_EUNSUPPORTED (complex, Hermitian, array format); LCL_ERANGE;
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_read(struct lcl_csr *A,
                                                   const char *path,
                                                   struct lcl_read_info *info,
                                                   const struct lcl_log *log);

/* Reads a dense matrix or vector: Matrix Market array format, or coordinate
 * format with the missing entries zero. Ownership and errors as above. */
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_read(struct lcl_dense *X,
                                                     const char *path,
                                                     struct lcl_read_info *info,
                                                     const struct lcl_log *log);

/* Reads a square matrix from three text files of numbers with white space
 * between them, plain or compressed: rows + 1 row pointers, the columns, the
 * values. Row pointers and columns count from 0. Columns of a row may come in
 * any order; duplicates are summed. `info` may be NULL. Ownership and errors as
 * lcl_csr_read(). Source of the input: Gogusdere, "MMI713 Term Project - Phase
 * 3 Report" (METU 2025), V.B. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_read_text(
    struct lcl_csr *A, const char *row_ptr, const char *col_ind,
    const char *val, struct lcl_read_info *info, const struct lcl_log *log);

/* Reads all numbers of such a file as one column. */
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_read_text(
    struct lcl_dense *X, const char *path, const struct lcl_log *log);

/* Writes X as a Matrix Market array, 17 significant digits. A file is written
 * under a temporary name in its folder and renamed, so that no partial file is
 * left; one that exists keeps its mode, and a symbolic link stays and its file
 * is replaced. "-" and "/dev/stdout" are the standard output, "/dev/stderr" is
 * the standard error output, and "/dev/null" discards X.
 * Returns LCL_OK, LCL_EIO (also for any other device, a FIFO, a directory and a
 * link to a missing file) or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_write(
    const struct lcl_dense *X, const char *path, const struct lcl_log *log);

/* Makes a built-in problem from its name: "lap3d:N", "lap3d:N,b=3",
 * "parabolic", "q2:M", "kuhn:NX,NY,NZ,b", "rows:NxL,MxK". Ownership as
 * lcl_csr_read.
 * Returns LCL_OK, LCL_EINVAL (unknown name, bad number), LCL_ERANGE or
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_problem(
    struct lcl_csr *A, const char *name, const struct lcl_log *log);

/* y = A x in plain sequential C; x has cols, y has rows entries. */
LCL_API void lcl_csr_multiply(const struct lcl_csr *A, const double *x,
                              double *y);

/* The same; x has cols * block_size, y has rows * block_size entries. */
LCL_API void lcl_bsr_multiply(const struct lcl_bsr *A, const double *x,
                              double *y);

LCL_END_DECLS

#endif
