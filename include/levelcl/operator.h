/* SPDX-License-Identifier: BSD-3-Clause */
/* Products y = A x on the device. */
#ifndef LEVELCL_OPERATOR_H
#define LEVELCL_OPERATOR_H

#include <levelcl/context.h>
#include <levelcl/matrix.h>

LCL_BEGIN_DECLS

/* How a matrix is multiplied by a vector. */
enum lcl_spmv_type {
    LCL_SPMV_DEFAULT = 0, /* the fastest for the device and the pattern:
                             measured once, then remembered on disk; CSR below
                             10,000 rows or 100,000 entries */
    LCL_SPMV_CSR,         /* as stored, CSR or BSR: so many lanes share a row as
                             are fastest near its mean length */
    LCL_SPMV_SLICED,      /* slices of as many rows as run together, in ELL with
                             16-bit columns near the diagonal: a second copy of
                             the matrix; not for rows of very unequal length.
                             After Monakov, Lokhmotov, Avetisyan, "Automatically
                             tuning sparse matrix-vector multiplication for GPU
                             architectures", HiPEAC 2010 (sliced ELLPACK) */
    LCL_SPMV_BINNED,      /* rows of up to 16 entries one work-item each, others
                             one wave each, side by side on two queues; single
                             entries only. Source: Gogusdere, "MMI713 Term
                             Project - Phase 3 Report" (METU 2025), IV.C */
    LCL_SPMV_ADAPTIVE,    /* as many lanes a row as fit its own length, in one
                             launch, and several groups for very long rows;
                             single entries only */
    LCL_SPMV_COUNT,
};

/* How (A (x) M + tau B (x) L) is multiplied by a vector, kron.h. OKP and CU are
 * those of Ma, Zhao, Le, Yuan, "A multi-GPU enabled solver in Kronecker product
 * form for multiphysics problems" (2025), sections "OKP-Solver" and
 * "CU-Solver".
 */
enum lcl_kron_type {
    LCL_KRON_DEFAULT = 0, /* ONE_PASS */
    LCL_KRON_ONE_PASS,    /* values of M and L next to each other, all stages of
                             an unknown together, A and B applied to the sums of
                             a row; two passes where the patterns of M and L
                             differ in more than a tenth */
    LCL_KRON_OKP,         /* X A^T by columns (Algorithm 2), then M with a wave
                             a block row (Algorithm 3); the same for B and L */
    LCL_KRON_CU,          /* s x s axpys, then s products with M (Algorithm 4);
                             the same for B and L */
    LCL_KRON_COUNT,
};

/* All zero is the default. */
struct lcl_operator_params {
    enum lcl_spmv_type spmv;
    /* The matrix is stored in blocks of so many rows and columns, 1 to
     * LCL_BLOCK_MAX, missing entries of a block as zeros; 0: its natural block,
     * see lcl_csr_natural_block(). */
    int block_size;
    enum lcl_kron_type kron; /* of lcl_operator_create_kron() */
};

#define LCL_OPERATOR_PARAMS_INIT LCL_ZERO

/* What an operator is made of. */
struct lcl_operator_info {
    enum lcl_spmv_type spmv; /* that was chosen; DEFAULT with a lcl_kron */
    enum lcl_kron_type kron; /* the same; DEFAULT without one */
    int stages;              /* of a lcl_kron, else 1 */
    int64_t rows;
    int64_t cols;
    int64_t nnz; /* values of the matrix as it was given */
    int block_size;
    uint64_t bytes;   /* of the matrix on the device, in all forms */
    uint64_t traffic; /* bytes of the matrix that one product reads */
};

/* A matrix on the device, to multiply by. Thread-safety: that of its context.
 */
typedef struct lcl_operator lcl_operator;

/* Uploads A, which may be rectangular or without entries and need live only
 * until the call returns. NULL params are the defaults. On error *out is NULL.
 * Returns LCL_OK; LCL_EINVAL (parameters; block_size does not divide rows and
 * columns of A); LCL_EFORMAT (A malformed, no rows or no columns);
 * LCL_EUNSUPPORTED (spmv with this matrix); LCL_ERANGE; LCL_EDEVMEM;
 * LCL_EDEVICE; LCL_EBUILD; LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create(
    lcl_operator **out, lcl_context *ctx, const struct lcl_csr *A,
    const struct lcl_operator_params *params);

/* The same for a matrix in blocks. params->block_size is 0 or that of A. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_bsr(
    lcl_operator **out, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_operator_params *params);

/* Takes new values for the same pattern: as many finite doubles as A had, in
 * the order in which A had them. Returns LCL_OK, LCL_EINVAL, LCL_EFORMAT (a
 * value is not finite, nothing has changed) or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update(lcl_operator *A,
                                                          const double *val);

/* y = A x for host vectors; x has cols, y has rows entries. Blocks. Where x
 * holds Inf or NaN, so may any entry of y.
 * Returns LCL_OK, LCL_EINVAL, LCL_EDEVMEM, LCL_ENOMEM or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply(lcl_operator *A,
                                                         const double *x,
                                                         double *y);

/* Y = A X for `vectors` columns at once, up to 8 in one pass over the matrix:
 * column j starts at x[j * ldx] and y[j * ldy], ldx >= cols and ldy >= rows.
 * What lies between columns of Y stays as it is. 0 columns are a success.
 * Returns as above, LCL_EINVAL also where a leading dimension is too small,
 * LCL_ERANGE, and LCL_EBUILD (the first call builds kernels). */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply_many(
    lcl_operator *A, const double *x, int64_t ldx, double *y, int64_t ldy,
    int64_t vectors);

/* NULL for NULL; lives as long as the operator. */
LCL_API const struct lcl_operator_info *lcl_operator_info(
    const lcl_operator *A);

/* Frees *A and sets it to NULL; NULL is allowed. */
LCL_API void lcl_operator_destroy(lcl_operator **A);

/* The name as it is printed and parsed: "auto", "csr", "sliced". */
LCL_API const char *lcl_spmv_name(enum lcl_spmv_type type);
/* "one_pass", "okp", "cu". */
LCL_API const char *lcl_kron_name(enum lcl_kron_type type);

LCL_END_DECLS

#endif
