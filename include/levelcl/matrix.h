/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices in host memory: readers, generators, checks and writers.
 *
 * Letters used throughout: n rows, nnz stored entries, A x = b, r = b - A x.
 * Indices are zero-based. The columns of a row ascend without duplicates.
 *
 * A complex matrix or vector is in its real form, which all functions take like
 * any other one: entry a + i b of a matrix is the block [[a, -b], [b, a]] of
 * real numbers, and a vector holds pairs, the real before the imaginary part,
 * as arrays of double _Complex and std::complex<double> do. Rows and columns
 * 2 k and 2 k + 1 are complex row and column k; sizes count real numbers. The
 * 2-norm of a vector is that of its pairs.
 *
 * Thread-safety: one thread at a time may use an object. */
#ifndef LEVELCL_MATRIX_H
#define LEVELCL_MATRIX_H

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>
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

/* Compressed sparse rows of square blocks. rows, cols and nnz count blocks:
 * block row i holds the blocks row_ptr[i] .. row_ptr[i+1]-1, and the matrix has
 * rows * block_size rows. With b = block_size, entry (r, c) of block k is
 * val[(k * b + r) * b + c]. A plain struct, as above. */
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

/* Rows first .. first + rows - 1 of a square matrix of `total` rows: what one
 * rank has of a matrix that several ranks share. Row first + i holds the
 * entries row_ptr[i] .. row_ptr[i+1]-1 of col and val, by ascending columns of
 * the whole matrix. A plain struct, as above. */
struct lcl_rows {
    int64_t first;
    int64_t rows;
    int64_t total;
    int64_t *row_ptr; /* rows + 1, from 0 */
    int64_t *col;     /* row_ptr[rows] */
    double *val;      /* row_ptr[rows] */
    bool is_complex;  /* of a complex matrix in real form: `first` and `rows`
                         are even */
};

#define LCL_CSR_INIT   LCL_ZERO
#define LCL_BSR_INIT   LCL_ZERO
#define LCL_DENSE_INIT LCL_ZERO
#define LCL_ROWS_INIT  LCL_ZERO

/* What a reader found in the file besides the matrix. */
struct lcl_read_info {
    int64_t entries;        /* entries in the file */
    int64_t duplicates;     /* entries summed into an earlier one */
    int64_t explicit_zeros; /* stored entries equal to zero, kept */
    int64_t bytes;          /* bytes of the file, uncompressed */
    int symmetric;          /* header said symmetric (or skew-symmetric: -1,
                               Hermitian: 2) */
    int pattern;            /* header said pattern: values are 1 */
    int is_complex;         /* the file holds complex numbers, the matrix is in
                               real form; entries and zeros count pairs */
};

/* Frees the arrays of a struct that the library filled, and zeroes it. */
LCL_API void lcl_csr_finish(struct lcl_csr *A);
LCL_API void lcl_bsr_finish(struct lcl_bsr *A);
LCL_API void lcl_dense_finish(struct lcl_dense *X);
LCL_API void lcl_rows_finish(struct lcl_rows *R);

/* Replaces the numbers of X by pairs with imaginary parts 0: vectors of a
 * complex system. Returns LCL_OK; LCL_EINVAL (NULL); LCL_ERANGE (2^31 rows);
 * LCL_ENOMEM. On error X is unchanged. */
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_to_complex(
    struct lcl_dense *X, const struct lcl_log *log);

/* Checks that A is a well-formed CSR matrix: counts, ascending row pointers,
 * ascending columns in range, finite values.
 * Returns LCL_OK, LCL_EINVAL (A or an array is NULL) or LCL_EFORMAT, and logs
 * the first offending row. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_check(const struct lcl_csr *A,
                                                    const struct lcl_log *log);

/* The same for blocks; also checks that block_size is valid, and that rows and
 * columns times block_size stay below 2^31. Messages give block rows and block
 * columns. Returns as above. */
LCL_NODISCARD LCL_API enum lcl_status lcl_bsr_check(const struct lcl_bsr *A,
                                                    const struct lcl_log *log);

/* The largest b from 1 to LCL_BLOCK_MAX for which A consists of full b x b
 * blocks, so that lcl_bsr_from_csr() adds no entry; b divides rows and columns,
 * and blocks start at multiples of b. 1 if there is no such b, if A has no
 * entries or if A is NULL. A must be well-formed (lcl_csr_check()) or NULL. */
LCL_API int lcl_csr_natural_block(const struct lcl_csr *A);

/* Copies the rows first .. first + rows - 1 of A, which is square. On success
 * the caller owns *out; on error *out is all zero. Returns LCL_OK; LCL_EINVAL
 * (NULL, rows outside of A, A not square); LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_rows_of_csr(
    struct lcl_rows *out, const struct lcl_csr *A, int64_t first, int64_t rows,
    const struct lcl_log *log);

/* Converts A to blocks: stores every block that holds an entry of A and pads
 * missing entries with zeros. A must be well-formed (lcl_csr_check()); it is
 * not changed. On success the caller owns *out; on error *out is all zero.
 * Returns LCL_OK; LCL_EINVAL (an argument is NULL, block_size is not from 1 to
 * LCL_BLOCK_MAX or does not divide the rows and the columns of A);
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_bsr_from_csr(
    struct lcl_bsr *out, const struct lcl_csr *A, int block_size,
    const struct lcl_log *log);

/* Reads a sparse matrix from a Matrix Market, PETSc binary, Rutherford-Boeing
 * or Harwell-Boeing file, from NAME/NAME.mtx or .rb in a tar archive, from the
 * first member .mtx or .rb in a zip archive, as scipy.sparse.save_npz() writes
 * it (csr, csc or coo), or from a MAT-file of MATLAB (version 5, which save()
 * writes up to -v7), plain or compressed by gzip or xz, or by zstd or bzip2 if
 * lcl_packages() has them; recognises all of these by content. Sums
 * duplicates. The path "-" is the standard input. `info` may be NULL. On
 * success the caller owns *A; on error *A is all zero.
 *
 * Matrix Market: coordinate format; real, complex, integer or pattern; general,
 * symmetric, skew-symmetric or Hermitian (expanded to both triangles; the
 * diagonal of a Hermitian matrix must be real). Source: Boisvert, Pozo,
 * Remington, "The Matrix Market exchange formats", NISTIR 5935 (1996).
 * PETSc: a sparse matrix with 32-bit indices and real values in double
 * precision, big-endian, as MatView() writes it. The columns of a row may be in
 * any order. Source: PETSc manual page of MatLoad().
 * Rutherford-Boeing: assembled; real, integer or pattern. Source: Duff, Grimes,
 * Lewis, RAL-TR-97-031 (1997).
 * MAT-file: the only sparse matrix or, of several, that of the name A; fields
 * of a struct, such as Problem.A, count, too. Source: The MathWorks, "MAT-File
 * Format".
 *
 * Returns LCL_OK; LCL_EIO (path, decompression); LCL_EFORMAT (the message names
 * file, line or byte, and the expected input); LCL_EUNSUPPORTED (array
 * format; complex Rutherford-Boeing, PETSc and MAT-files; in PETSc files a
 * dense matrix, other objects and 64-bit indices; a file of another program,
 * which the message names); LCL_ERANGE; LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_read(struct lcl_csr *A,
                                                   const char *path,
                                                   struct lcl_read_info *info,
                                                   const struct lcl_log *log);

/* Reads a dense matrix or vector: Matrix Market array format, or coordinate
 * format, where missing entries are zero; a PETSc vector, as one column, as
 * VecView() writes it; a NumPy array (.npy, or the only one of a .npz) of real,
 * complex or integer numbers and at most two dimensions; lines of as many
 * numbers as columns, separated by blanks, tabs, commas or semicolons, where #
 * and % begin comment lines; NAME/NAME_b.mtx in a tar archive, or a member
 * _b.mtx in a zip archive; or the only full matrix of a MAT-file or, of
 * several, that of the name b. Ownership and errors as above. */
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_read(struct lcl_dense *X,
                                                     const char *path,
                                                     struct lcl_read_info *info,
                                                     const struct lcl_log *log);

/* Reads what the file contains: a sparse matrix (coordinate format, PETSc
 * matrix, Rutherford-Boeing, archive) into *A, or a dense one (array format,
 * PETSc vector, NumPy array, columns) into *X. The other one is all
 * zero: A->row_ptr or X->val is NULL. Ownership and errors as above. */
LCL_NODISCARD LCL_API enum lcl_status lcl_file_read(struct lcl_csr *A,
                                                    struct lcl_dense *X,
                                                    const char *path,
                                                    struct lcl_read_info *info,
                                                    const struct lcl_log *log);

/* Reads a square matrix from three text files of numbers separated by white
 * space, plain or compressed: rows + 1 row pointers, the columns, the values.
 * Row pointers and columns are zero-based. The columns of a row may be in any
 * order; duplicates are summed. `info` may be NULL. Ownership and errors as
 * lcl_csr_read(). Source of the format: Gogusdere, "MMI713 Term Project - Phase
 * 3 Report" (METU 2025), V.B. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_read_text(
    struct lcl_csr *A, const char *row_ptr, const char *col_ind,
    const char *val, struct lcl_read_info *info, const struct lcl_log *log);

/* Reads all numbers of one such file as one column. */
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_read_text(
    struct lcl_dense *X, const char *path, const struct lcl_log *log);

/* Write a matrix to a file. Its suffix selects the format: ".petsc" a PETSc
 * binary file, any other one Matrix Market with 17 significant digits, real and
 * general; a further suffix ".gz" or ".xz" compresses. lcl_csr_write() writes
 * coordinate format or a PETSc matrix, lcl_dense_write() array format or a
 * PETSc vector of all values, by columns. A must be well-formed
 * (lcl_csr_check()). They write to a temporary file in the same folder and
 * rename it, so that no partial file is left. They keep the mode of an existing
 * file; they keep a symbolic link and replace the file it points to. "-" and
 * "/dev/stdout" mean standard output, "/dev/stderr" standard error, each as
 * Matrix Market, and "/dev/null" discards the matrix.
 * Return LCL_OK; LCL_EIO (also for any other device, a FIFO, a directory and a
 * link to a missing file); LCL_ERANGE (PETSc files count up to 2^31 - 1
 * entries); LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_write(const struct lcl_csr *A,
                                                    const char *path,
                                                    const struct lcl_log *log);
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_write(
    const struct lcl_dense *X, const char *path, const struct lcl_log *log);

/* The same for the real form of complex matrices: Matrix Market files are
 * complex, PETSc files have the real form. Return LCL_EFORMAT also if A does
 * not consist of blocks [[a, -b], [b, a]] or X has an odd number of rows. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_write_complex(
    const struct lcl_csr *A, const char *path, const struct lcl_log *log);
LCL_NODISCARD LCL_API enum lcl_status lcl_dense_write_complex(
    const struct lcl_dense *X, const char *path, const struct lcl_log *log);

/* Generates a built-in problem from its name: "lap3d:N", "lap3d:NXxNYxNZ", both
 * also with ",b=3", "parabolic", "q2:M", "kuhn:NX,NY,NZ,b", "rows:NxL,MxK", and
 * "laplacian1" to "laplacian5": those of Mehta et al., arXiv 2508.04917, which
 *     are "lap3d:128x128x128,b=3", and with 128x128x256, 256x256x128,
 *     256x256x256 and 256x512x256 cells;
 * "convdiff:NXxNYxNZ": -Laplace u + v grad u = f on a grid of spacing h with u
 *     = 0 around it, upwind differences, h v = (1, 0.5, 0.25); the diagonal is
 *     7.75, the neighbours at -x, -y, -z are -2, -1.5, -1.25, the others -1;
 * "convdiff:N,PE": -Laplace u + div(v u) by finite volumes on N^3 cells of the
 *     cube [-1, 1]^3, u = 0 around it, upwind, v recirculating; h |v| is at
 *     most 1.5 PE (mesh Peclet number);
 * "aniso:N,EPS": -u_xx - EPS (u_yy + u_zz), "jump:N,CONTRAST": -div(k grad u)
 *     with k = 1 and k = CONTRAST alternately in cubes of 8^3 cells, harmonic
 *     means on faces; both by finite volumes on N^3 cells, u = 0 around them;
 * "helmholtz:N,K": -Laplace u - K^2 u by finite volumes on N^3 cells of the
 *     unit cube, du/dn = i K u on its faces, which absorb waves that meet them
 *     at right angles; 2 pi N / K cells for each wavelength. Complex symmetric,
 *     in real form;
 * "q1:N": -Laplace u by trilinear elements on N^3 cubes, u = 0 around them:
 *     (N - 1)^3 unknowns; "elasticity:N": isotropic linear elasticity, Young's
 *     modulus 1, Poisson's ratio 0.3, on N^3 cubes, clamped at x = 0: the
 *     displacements along x, y and z of N (N + 1)^2 nodes, node by node;
 * "blackoil:N": a time step of three phases in N^3 cells of random
 *     permeability, linearised: the pressure and two saturations of each cell.
 * Ownership as lcl_csr_read.
 * Returns LCL_OK, LCL_EINVAL (unknown name, bad number), LCL_ERANGE or
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_problem(
    struct lcl_csr *A, const char *name, const struct lcl_log *log);

/* Whether the matrix of this name, of less than 256 bytes, is the real form of
 * a complex one. false for NULL and unknown names. */
LCL_API bool lcl_problem_is_complex(const char *name);

/* Coordinates of the nodes of "elasticity:N", one row per node, three columns,
 * in units of the side of a cube. Ownership and errors as above. */
LCL_NODISCARD LCL_API enum lcl_status lcl_problem_coordinates(
    struct lcl_dense *X, const char *name, const struct lcl_log *log);

/* The rigid body modes of nodes with displacements along d = 2 or 3 axes: X has
 * one row of d coordinates per node. On success *modes, which the caller owns,
 * has d rows per node (node by node, axis by axis) and d (d + 1) / 2 columns:
 * translations, then rotations about the mean of the coordinates, lengths
 * divided by the largest distance from it along an axis. Returns LCL_OK;
 * LCL_EINVAL (NULL; X without rows, with columns other than 2 or 3, with
 * coordinates that are not finite or whose differences overflow); LCL_ERANGE
 * (2^31 unknowns); LCL_ENOMEM. On error *modes is all zero. */
LCL_NODISCARD LCL_API enum lcl_status lcl_rigid_body_modes(
    struct lcl_dense *modes, const struct lcl_dense *X,
    const struct lcl_log *log);

/* The rows of rank `rank` of `size` ranks that share `total` rows: contiguous,
 * in the order of the ranks, in whole blocks of `block` rows, of which each
 * rank has as many as any other or one less. The last block may have fewer
 * rows. No rows if there is no such rank, no rows at all, or block is below 1;
 * first and rows may be NULL. */
LCL_API void lcl_rows_share(int64_t total, int block, int rank, int size,
                            int64_t *first, int64_t *rows);

/* The rows of a rank of a built-in problem, by lcl_rows_share(): the same as
 * those of lcl_csr_problem(), in whole nodes. Each rank generates its rows
 * only, so that the problem may have more than 2^31 rows; "q2" and "rows" are
 * generated as a whole and cut, in blocks of one row. Ownership as
 * lcl_rows_of_csr(). Returns as lcl_csr_problem(); LCL_EINVAL also if there are
 * more ranks than nodes or no such rank. */
LCL_NODISCARD LCL_API enum lcl_status lcl_rows_problem(
    struct lcl_rows *out, const char *name, int rank, int size,
    const struct lcl_log *log);

/* Reads the rows of a rank, by lcl_rows_share(), from a file as lcl_csr_read()
 * does, which holds a square matrix. Of a PETSc file each rank stores its rows
 * and reads the lengths of all rows, but columns and values of its own rows
 * only; of a compressed one it decompresses all before them. Of a Matrix Market
 * file each rank reads and stores the whole matrix until it has its rows. An
 * odd block of a complex matrix counts pairs.
 * Ownership as lcl_rows_of_csr(). Returns as lcl_csr_read(), of PETSc files by
 * the bytes that the rank reads; LCL_EINVAL also if there are more ranks than
 * blocks or no such rank, LCL_EFORMAT if the matrix is not square. */
LCL_NODISCARD LCL_API enum lcl_status lcl_rows_read(struct lcl_rows *out,
                                                    const char *path, int block,
                                                    int rank, int size,
                                                    const struct lcl_log *log);

/* y = A x in plain sequential C; x has cols, y has rows entries. NULL: no
 * effect. */
LCL_API void lcl_csr_multiply(const struct lcl_csr *A, const double *x,
                              double *y);

/* The same; x has cols * block_size, y has rows * block_size entries. */
LCL_API void lcl_bsr_multiply(const struct lcl_bsr *A, const double *x,
                              double *y);

LCL_END_DECLS

#endif
