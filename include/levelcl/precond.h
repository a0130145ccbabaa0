/* SPDX-License-Identifier: BSD-3-Clause */
/* Preconditioners: create (analysis) -> update (values) -> apply. */
#ifndef LEVELCL_PRECOND_H
#define LEVELCL_PRECOND_H

#include <levelcl/context.h>
#include <levelcl/matrix.h>
#include <levelcl/operator.h>

LCL_BEGIN_DECLS

enum lcl_precond_type {
    LCL_PRECOND_DEFAULT = 0, /* ILDU0 */
    LCL_PRECOND_NONE,
    LCL_PRECOND_JACOBI,
    LCL_PRECOND_ILU0,  /* L U on each subdomain */
    LCL_PRECOND_ILDU0, /* L D U on each subdomain, both factors unit */
    LCL_PRECOND_IC0,   /* L D L^T on each subdomain of a symmetric matrix, with
                          D > 0: the factors of ILDU0 if all pivots are positive
                          (Meijerink and van der Vorst, Math. Comp. 31 (1977)).
                          Pivots of a positive definite matrix that is not an
                          M-matrix may be negative (Kershaw, J. Comput. Phys. 26
                          (1978)): negative pivots are treated as small ones.
                          Pivots that are blocks are not checked, and CG may end
                          with LCL_STOP_INDEFINITE_PRECOND: try block_size 1,
                          LCL_PIVOT_SHIFT or LCL_PRECOND_JACOBI */
    LCL_PRECOND_BLOCK_JACOBI, /* the inverses of dense diagonal blocks */
    LCL_PRECOND_COUNT,
};

/* How L, D and U are applied on the subdomains. Published names are those of
 * Mehta et al., arXiv 2508.04917; where the publication has a lower solve alone
 * the upper solve is a launch of the same kind. Those with "LD U" apply the
 * factors of ILU0 and of ILDU0 as L D and unit U; "L D U": ILDU0 only. Those
 * with an atomic sum (SPIN_LOOP and DAG_EC) are not bitwise reproducible where
 * the width is not 1. */
enum lcl_trisolve {
    LCL_TRISOLVE_DEFAULT = 0,        /* packed */
    LCL_TRISOLVE_PACKED,             /* level-packed slabs, no atomics, bitwise
                                        reproducible */
    LCL_TRISOLVE_DAG_VC_ILDU0_FUSED, /* L D U: CSR, a row a work-item, one
                                        launch (sections 4.2.3 and 4.4) */
    LCL_TRISOLVE_SPIN_LOOP_LDS,      /* LD U: a row a wave, which waits for the
                                        rows it needs (Algorithm 4.1); only on
                                        devices that make progress meanwhile */
    LCL_TRISOLVE_DAG_EC_NO_LDS,      /* LD U: an entry a work-item, vectors in
                                        global memory (section 4.2.4) */
    LCL_TRISOLVE_DAG_EC_LDS,         /* LD U: the same in local memory */
    LCL_TRISOLVE_DAG_EC_LDS_UD,      /* L D U: the same with unit diagonals,
                                        D a launch of its own (section 4.3) */
    LCL_TRISOLVE_DAG_EC_ILD_U0,      /* LD U: the launches of DAG_EC_LDS */
    LCL_TRISOLVE_DAG_EC_ILDU0_FUSED, /* L D U: one launch (section 4.4) */
    LCL_TRISOLVE_COUNT,
};

enum lcl_partition_type {
    LCL_PARTITION_DEFAULT = 0, /* METIS */
    LCL_PARTITION_METIS,       /* graph partition, equal parts */
    LCL_PARTITION_GEOMETRIC,   /* boxes of a Cartesian grid (Algorithm 3.1) */
    LCL_PARTITION_NATURAL,     /* chunks of consecutive rows */
    LCL_PARTITION_LABELS,      /* the caller's labels */
    LCL_PARTITION_COUNT,
};

/* METIS edge weights 1 + 1000 |a_ij| / sqrt(|a_ii a_jj|). */
enum lcl_weights {
    LCL_WEIGHTS_AUTO = 0, /* where the couplings differ much in strength */
    LCL_WEIGHTS_ON,
    LCL_WEIGHTS_OFF,
    LCL_WEIGHTS_COUNT,
};

/* What becomes of a pivot smaller than pivot_tol times the largest entry of
 * its row. Every policy but FAIL continues and reports the row. */
enum lcl_pivot {
    LCL_PIVOT_DEFAULT = 0, /* BOOST; of IC0 SHIFT */
    LCL_PIVOT_FAIL,        /* stop with LCL_EPIVOT */
    LCL_PIVOT_BOOST,       /* pivot_tol times the largest entry, sign kept */
    LCL_PIVOT_REPLACE,     /* the largest entry itself, sign kept */
    LCL_PIVOT_SHIFT,       /* factor the subdomain again with a shifted
                              diagonal (Manteuffel) until no pivot is small */
    LCL_PIVOT_COUNT,
};

/* How the values of the factors are stored for their application. Factors are
 * computed, and sums and vectors kept, in fp64 always. FP32 and BF16 are
 * refused with LCL_ERANGE, at create or update, where values would lose their
 * meaning: beyond 3.4e38, or not 0 and below 1.2e-38. */
enum lcl_factor_storage {
    LCL_FACTOR_STORAGE_DEFAULT = 0, /* FP32 with PACKED, and FP64 from the first
                                       values on that do not fit; FP64 with any
                                       other trisolve. The info tells */
    LCL_FACTOR_STORAGE_FP64,
    LCL_FACTOR_STORAGE_FP32,
    LCL_FACTOR_STORAGE_BF16, /* the upper half of fp32: its range, 8
                                significant bits; the column beside it */
    /* BLOCK_JACOBI only: for each group of blocks that a wave multiplies with
     * the shortest of the three that the worst conditioned of them admits.
     * One of unit roundoff u is admitted where ||D|| ||D^-1|| u < 0.1 and its
     * range holds ||D^-1|| and u ||D^-1|| (Anzt, Dongarra, Flegar, Higham,
     * Quintana-Orti, "Adaptive precision in block-Jacobi preconditioning for
     * iterative sparse linear system solvers", 2019). Norms are maximum norms,
     * with the SHARED extractions 1-norms. */
    LCL_FACTOR_STORAGE_ADAPTIVE,
    LCL_FACTOR_STORAGE_COUNT,
};

/* How the diagonal blocks of BLOCK_JACOBI come out of the matrix. The first
 * three are those of Anzt, Dongarra, Flegar, Quintana-Orti, "Variable-size
 * batched Gauss-Jordan elimination for block-Jacobi preconditioning on graphics
 * processors", section 3.2. At width 1 all are the same but for the search. */
enum lcl_block_extraction {
    LCL_BLOCK_EXTRACTION_DEFAULT = 0, /* BISECT */
    LCL_BLOCK_EXTRACTION_CACHED,      /* a row a lane, a block a wave */
    LCL_BLOCK_EXTRACTION_SHARED,      /* a row a wave, through local memory and
                                         transposed, a block a wave */
    LCL_BLOCK_EXTRACTION_SHARED_MPW,  /* the same, several blocks a wave */
    LCL_BLOCK_EXTRACTION_BISECT, /* a row a lane, in which the block is found by
                                    bisection; several blocks a wave */
    LCL_BLOCK_EXTRACTION_COUNT,
};

/* How BLOCK_JACOBI is applied; names as in that publication, section 3.3. */
enum lcl_block_apply {
    LCL_BLOCK_APPLY_DEFAULT = 0, /* SA_SPMV */
    LCL_BLOCK_APPLY_SA_SPMV,     /* batched products with dense blocks, the
                                    vector in registers */
    LCL_BLOCK_APPLY_SPMV,        /* the product with a sparse matrix; FP64 */
    LCL_BLOCK_APPLY_COUNT,
};

#define LCL_DIAGONAL_BLOCK_MAX 32

/* Diagonal blocks are inverted by Gauss-Jordan elimination with pivoting. One
 * that has no finite inverse is LCL_EPIVOT with LCL_PIVOT_FAIL; every other
 * policy replaces it by its diagonal, in which 1 stands for entries that are
 * zero, and reports the row at which that was seen. */
struct lcl_block_jacobi_params {
    /* Rows of a block at most, 1 to LCL_DIAGONAL_BLOCK_MAX; 0: 8, with which
     * the inverse is not larger than a matrix of 6 entries a row. Rows that
     * follow each other and have the same columns stay together where they fit
     * (supervariable blocking); then neighbours are joined. */
    int max_rows;
    /* Or the blocks: block p has rows block_ptr[p] .. block_ptr[p + 1] - 1.
     * `pointers` of them, strictly ascending from 0 to the rows of the matrix,
     * at most LCL_DIAGONAL_BLOCK_MAX apart. NULL: they are found. */
    const int64_t *block_ptr;
    int64_t pointers;
    enum lcl_block_extraction extraction;
    enum lcl_block_apply apply;
};

/* Correction of the ILU preconditioners by constants on the subdomains, which
 * carries over what couplings between subdomains would: e = E^-1 Z^T r with the
 * indicators of the subdomains as columns of Z and E = Z^T A Z. It is likely to
 * pay from 8 subdomains and 4096 rows on, where nine tenths of the couplings
 * have the sign that the diagonal has not. */
enum lcl_coarse {
    LCL_COARSE_AUTO = 0, /* MULT where likely to pay, else NONE */
    LCL_COARSE_NONE,
    LCL_COARSE_ADD,  /* x = M^-1 r + Z e */
    LCL_COARSE_MULT, /* x = Z e + M^-1 (r - A Z e) */
    LCL_COARSE_COUNT,
};

/* Rows are rows of blocks, and cells are blocks, where the matrix is stored in
 * blocks. */
struct lcl_partition_params {
    enum lcl_partition_type type;
    enum lcl_weights weights;
    int64_t rows;    /* rows of a subdomain at most; 0: chosen for the device */
    int64_t box[3];  /* GEOMETRIC: cells of a subdomain along x, y, z */
    int64_t grid[3]; /* GEOMETRIC: cells of the grid; 0: read off a 7-point
                        pattern */
    const int32_t *labels; /* LABELS: n labels >= 0, those of a block equal, or
                              one a block row */
    int64_t labels_count;  /* their number, checked against n */
};

/* Reads labels from a file of one integer >= 0 a line, the format in which
 * METIS writes a partition. On success the caller owns *labels, *count numbers,
 * and frees them with lcl_labels_free(); on error *labels is NULL.
 * Returns LCL_OK; LCL_EINVAL (an argument is NULL); LCL_EIO (path); LCL_EFORMAT
 * (the message names file and line; an empty file too); LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_labels_read(
    int32_t **labels, int64_t *count, const char *path,
    const struct lcl_log *log);

/* Frees *labels and sets it to NULL; NULL is allowed. */
LCL_API void lcl_labels_free(int32_t **labels);

/* All zero is the default. */
struct lcl_precond_params {
    enum lcl_precond_type type;
    enum lcl_trisolve trisolve;
    struct lcl_partition_params partition;
    enum lcl_pivot pivot;
    double pivot_tol; /* 0: 1e-10 */
    enum lcl_coarse coarse;
    enum lcl_factor_storage storage;
    struct lcl_block_jacobi_params block_jacobi;
    /* The matrix is stored in blocks of so many rows and columns, 1 to
     * LCL_BLOCK_MAX, missing entries of a block as zeros; 0: its natural block,
     * see lcl_csr_natural_block(), of IC0 1. ILU then factors blocks. */
    int block_size;
    enum lcl_spmv_type spmv; /* how the solver multiplies by the matrix */
    enum lcl_kron_type kron; /* the same for lcl_precond_create_kron() */
};

#define LCL_PRECOND_PARAMS_INIT LCL_ZERO

/* What a preconditioner is made of. */
struct lcl_precond_info {
    enum lcl_precond_type type;
    enum lcl_trisolve trisolve;
    int64_t rows;
    int64_t nnz;           /* values of the matrix as it was given */
    int64_t nnz_kept;      /* inside subdomains or diagonal blocks */
    double dropped_share;  /* dropped entries over off-diagonal entries */
    double dropped_weight; /* the same by absolute value */
    int64_t parts;         /* subdomains */
    int64_t part_rows_min;
    int64_t part_rows_max;
    int64_t levels_max; /* of one sweep of one subdomain */
    double levels_mean;
    int64_t missing_diagonals;
    int64_t pivots_repaired;
    int64_t repaired_rows[8]; /* the first of them, in the caller's numbering */
    uint64_t factor_bytes;    /* on the device */
    int launches;             /* of one application */
    int barriers; /* of one application, the most in one subdomain */
    int group_size;
    const char *form; /* of the kernel that applies the factors, the faster one
                         in a measurement; "" where there is one form alone */
    int block_size;   /* that the matrix is stored in */
    bool weighted;    /* METIS saw edge weights */
    enum lcl_factor_storage storage; /* in use, never DEFAULT with ILU */
    /* Of BLOCK_JACOBI: */
    enum lcl_block_extraction extraction;
    enum lcl_block_apply block_apply;
    int64_t diagonal_blocks;
    int64_t diagonal_blocks_fp32; /* of them stored so */
    int64_t diagonal_blocks_bf16;
    int diagonal_block_rows_max;
    enum lcl_coarse coarse;  /* NONE, ADD or MULT; NONE, too, where its matrix
                                could not be inverted */
    int64_t coarse_rows;     /* unknowns of the correction */
    int64_t coarse_pinned;   /* of them left out, the matrix being singular */
    uint64_t coarse_bytes;   /* on the device */
    enum lcl_spmv_type spmv; /* how the matrix is multiplied, DEFAULT only with
                                a lcl_kron */
    enum lcl_kron_type kron; /* the same; DEFAULT without one */
    int stages;              /* of a lcl_kron, else 1 */
    uint64_t spmv_bytes;     /* on the device for that, beside the matrix */
};

/* Thread-safety: that of its context. */
typedef struct lcl_precond lcl_precond;

/* Partitions, reorders, finds levels, factors. A is square with finite values
 * and need live only until the call returns: the device keeps a copy. NULL
 * params are the defaults. METIS seeds and draws from rand(), so that the
 * sequence of rand() in the process is another afterwards; the partition is the
 * same from run to run unless another thread uses rand() at the same time.
 * METIS is not called where there is no memory for it; if other threads take
 * that meanwhile, it writes lines of its own to stderr before LCL_ENOMEM.
 * Returns LCL_OK; LCL_PIVOTS_REPAIRED (usable, see the info);
 * LCL_EINVAL (parameters; block_size does not divide the rows of A);
 * LCL_EUNSUPPORTED (trisolve or apply with storage, or where it needs
 * atomic sums, local memory or progress between groups that this device has
 * not; IC0 where A is not symmetric; factors on subdomains of 2^32 - 1024
 * entries or more); LCL_EFORMAT (A malformed, not square, empty); LCL_EPIVOT;
 * LCL_ERANGE (a subdomain does not fit local memory; values of the factors do
 * not fit storage); LCL_EDEVMEM; LCL_EDEVICE; LCL_ESELFTEST (the device gave
 * levels that cannot be); LCL_EBUILD; LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_create(
    lcl_precond **out, lcl_context *ctx, const struct lcl_csr *A,
    const struct lcl_precond_params *params);

/* The same for a matrix in blocks. params->block_size is 0 or that of A.
 * Returns as above, LCL_EINVAL also where the block sizes differ. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_create_bsr(
    lcl_precond **out, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_precond_params *params);

/* Takes new values for the pattern that was analysed (as many doubles as A had,
 * in the order in which A had them) and refactors; no partition, symbolic work,
 * compilation or allocation, but when the default storage goes over from FP32
 * to FP64. Statuses as above; after an error results are undefined until an
 * update succeeds. A solver that uses the preconditioner sees the new matrix
 * from its next solve. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_update(lcl_precond *M,
                                                         const double *val);

/* x = M^-1 b for host vectors of n doubles in A's numbering. Blocks.
 * Returns LCL_OK, LCL_EINVAL or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_apply(lcl_precond *M,
                                                        const double *b,
                                                        double *x);

LCL_API const struct lcl_precond_info *lcl_precond_info(const lcl_precond *M);
LCL_API void lcl_precond_destroy(lcl_precond **M);

/* Names as they are printed and parsed: "ildu0", "packed", "metis", "boost",
 * "fp32"; "auto" for the default storage. */
LCL_API const char *lcl_precond_name(enum lcl_precond_type type);
LCL_API const char *lcl_trisolve_name(enum lcl_trisolve trisolve);
LCL_API const char *lcl_partition_name(enum lcl_partition_type type);
LCL_API const char *lcl_pivot_name(enum lcl_pivot pivot);
LCL_API const char *lcl_factor_storage_name(enum lcl_factor_storage storage);
LCL_API const char *lcl_coarse_name(enum lcl_coarse coarse);
LCL_API const char *lcl_block_extraction_name(
    enum lcl_block_extraction extraction);
LCL_API const char *lcl_block_apply_name(enum lcl_block_apply apply);

LCL_END_DECLS

#endif
