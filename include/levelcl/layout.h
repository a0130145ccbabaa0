/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices as other programs hold them: unsorted rows, lists of entries, one
 * triangle of a symmetric matrix, faces between cells, blocks by columns. The
 * library finds out once where each value of the caller belongs; new values
 * then take one pass over the matrix on the device.
 *
 * OpenFOAM's matrix of a mesh with `cells` cells and `faces` internal faces:
 *
 *     const struct lcl_layout layout = {
 *         .type = LCL_LAYOUT_LDU,
 *         .rows = cells,
 *         .nnz = faces,
 *         .row = owner,         // lowerAddr()
 *         .col = neighbour,     // upperAddr()
 *         .val = diagonal,      // diag()
 *         .upper = upper,       // upper()
 *         .lower = lower,       // lower(); NULL for a symmetric matrix
 *     };
 *     lcl_operator_create_layout(&A, ctx, &layout, NULL);
 *     lcl_operator_update_ldu(A, diagonal, upper, lower); // next time step
 */
#ifndef LEVELCL_LAYOUT_H
#define LEVELCL_LAYOUT_H

#include <levelcl/operator.h>

LCL_BEGIN_DECLS

/* Where the entries of a matrix are. */
enum lcl_layout_type {
    LCL_LAYOUT_CSR = 0, /* row by row; the columns of a row in any order */
    LCL_LAYOUT_COO,     /* a list of rows and columns in any order */
    LCL_LAYOUT_LDU,     /* the diagonal, and two entries for each face between
                           two cells: `upper` in the row of its owner and the
                           column of its neighbour, and `lower` at the mirrored
                           position */
    LCL_LAYOUT_COUNT,
};

/* Which entries of the matrix are stored. */
enum lcl_triangle {
    LCL_TRIANGLE_BOTH = 0, /* all */
    LCL_TRIANGLE_LOWER,    /* of a symmetric matrix, the diagonal and below */
    LCL_TRIANGLE_UPPER,    /* of a symmetric matrix, the diagonal and above */
    LCL_TRIANGLE_COUNT,
};

/* How the values of blocks lie in an array of `count` blocks of b x b values:
 * the place of entry (r, c) of block k. */
enum lcl_block_order {
    LCL_BLOCK_BY_ROWS = 0,   /* (k * b + r) * b + c */
    LCL_BLOCK_BY_COLUMNS,    /* (k * b + c) * b + r */
    LCL_BLOCK_BY_COMPONENTS, /* (r * b + c) * count + k */
    LCL_BLOCK_ORDER_COUNT,
};

/* A matrix in arrays of the caller. rows, cols and nnz count blocks. Entries
 * at the same position are summed in the order of the arrays, of LDU first
 * `upper`, then `lower`; such a sum may overflow. Of one triangle, blocks on
 * the diagonal are whole, and mirrored blocks are transposed.
 *
 * Of a complex matrix, all values are pairs of doubles, the real before the
 * imaginary part, as double _Complex and std::complex<double> are. It becomes
 * its real form (matrix.h) in blocks of 2 b x 2 b; products and solvers take
 * vectors of pairs. Of BY_COMPONENTS, pairs lie together. */
struct lcl_layout {
    enum lcl_layout_type type;
    enum lcl_triangle triangle; /* of CSR and COO */
    enum lcl_block_order order;
    int block_size; /* rows and columns of a block, 1 to LCL_BLOCK_MAX, or to
                       half of that if complex; 0: 1 */
    int base;       /* the number of the first row, column and entry: 0 or 1 */
    int64_t rows;
    int64_t cols; /* 0: as rows */
    int64_t nnz;  /* stored blocks; of LDU the faces */
    /* CSR: one of both, rows + 1 */
    const int64_t *row_ptr;
    const int32_t *row_ptr32;
    const int32_t *row; /* COO: nnz rows; LDU: the owner of each face */
    const int32_t *col; /* nnz columns; LDU: the neighbour of each face, with
                           a larger number than its owner */
    const double *val;  /* nnz blocks; LDU: the diagonal, rows blocks */
    /* LDU: nnz blocks each */
    const double *upper;
    const double *lower; /* NULL: the mirrored blocks of `upper` */
    bool is_complex;     /* values are pairs */
    bool hermitian;      /* if complex: mirrored blocks are conjugated, too */
};

#define LCL_LAYOUT_INIT LCL_ZERO

/* Converts L to CSR, for functions without layouts, such as
 * lcl_operator_create_distributed(). On success the caller owns *A; on error
 * *A is all zero. Returns LCL_OK; LCL_EINVAL (an argument or array is NULL, an
 * enum, block size or base is out of range, not square where that is needed,
 * `hermitian` of a real matrix);
 * LCL_EFORMAT (counts, row pointers, rows or columns out of range, an entry in
 * the other triangle, a face whose owner is not below its neighbour, a value
 * that is not finite); LCL_ERANGE (2^31 - 1 blocks, or 2^32 - 1 values and
 * sums, or more; of complex matrices 2^31 - 1 values of the real form);
 * LCL_ENOMEM. Nobody checks that blocks on the diagonal are Hermitian. */
LCL_NODISCARD LCL_API enum lcl_status lcl_csr_from_layout(
    struct lcl_csr *A, const struct lcl_layout *L, const struct lcl_log *log);

/* As lcl_operator_create(), for a matrix in any layout. With blocks,
 * params->block_size is 0 or that of L, of the real
 * form if L is complex. lcl_operator_update() and
 * lcl_operator_update_cl() take values in the layout of L->val; of LDU an array
 * with the diagonal, `upper` and, unless it was NULL, `lower` one after the
 * other. Returns as lcl_operator_create() and lcl_csr_from_layout(). */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_layout(
    lcl_operator **out, lcl_context *ctx, const struct lcl_layout *L,
    const struct lcl_operator_params *params);

/* As lcl_operator_update(), for an operator of type LDU with its three arrays;
 * `lower` is NULL if it was NULL at creation, `upper` may be without faces.
 * Returns as lcl_operator_update(); LCL_EINVAL also for another operator. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_ldu(
    lcl_operator *A, const double *diagonal, const double *upper,
    const double *lower);

LCL_END_DECLS

#endif
