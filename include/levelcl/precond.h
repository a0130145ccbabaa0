/* SPDX-License-Identifier: BSD-3-Clause */
/* Preconditioners: create (analysis) -> update (values) -> apply. */
#ifndef LEVELCL_PRECOND_H
#define LEVELCL_PRECOND_H

#include <levelcl/context.h>
#include <levelcl/matrix.h>
#include <levelcl/operator.h>

LCL_BEGIN_DECLS

enum lcl_precond_type {
    LCL_PRECOND_DEFAULT = 0, /* ILDU0; lcl_chain_create() chooses */
    LCL_PRECOND_NONE,
    /* The diagonal; entries that are missing, 0 or not finite are replaced by
     * 1. For MINRES its absolute values: an entry below 0.01 of another one of
     * its row is replaced by the diagonal of the Schur complement of a saddle
     * point, the sum over all other j of a_ij^2 / |a_jj|, without the a_jj
     * below 0.01 |a_ij|, if that is larger. */
    LCL_PRECOND_JACOBI,
    LCL_PRECOND_ILU0,  /* L U on each subdomain */
    LCL_PRECOND_ILDU0, /* L D U on each subdomain, both factors unit */
    LCL_PRECOND_IC0,   /* L D L^T on each subdomain of a symmetric matrix, with
                          the signs of the diagonal of A in D: the factors of
                          ILDU0 if all pivots have them
                          (Meijerink and van der Vorst, Math. Comp. 31 (1977)).
                          Pivots of a definite matrix that is not an M-matrix
                          may have the other sign (Kershaw, J. Comput. Phys. 26
                          (1978)) and are then treated as small. Block pivots
                          are not checked, and CG may end with
                          LCL_STOP_INDEFINITE_PRECOND: give the operator
                          block_size 1, or try LCL_PIVOT_SHIFT or
                          LCL_PRECOND_JACOBI */
    LCL_PRECOND_BLOCK_JACOBI, /* inverses of dense diagonal blocks */
    LCL_PRECOND_ILUK, /* ILDU0 with fill up to level ilu_level (Saad, Iterative
                         Methods for Sparse Linear Systems, section 10.3.3) */
    LCL_PRECOND_ILUT, /* the pattern of ILUT(ilut_p, ilut_tol) of the values
                         at creation (section 10.4.1 there; of blocks: of their
                         norms, couplings negative), with the ILDU0 of the
                         current values on this pattern: (L D U)_ij = a_ij */
    LCL_PRECOND_RAS,  /* restricted additive Schwarz: ILDU0, ILUK or ILUT on
                         subdomains that overlap; y takes each row from the
                         subdomain that  owns it (Cai and Sarkis, SIAM J. Sci.
                         Comput. 21  (1999)). Not symmetric, so not for CG.
                         Those of several devices or ranks overlap, too, if all
                         have blocks of the same size */
    LCL_PRECOND_AS,   /* additive Schwarz: the same with factors L D L^T as for
                         IC0 and the sum over the subdomains; symmetric */
    LCL_PRECOND_AMG,  /* algebraic multigrid by smoothed aggregation (Vanek,
                         Mandel, Brezina, Computing 56 (1996)) or classical
                         coarsening: a V-cycle in fp32, set up on the device;
                         symmetric for symmetric matrices. On several devices
                         or ranks, aggregates consist of rows of one; levels of
                         at most 50 times coarse_rows (50,000 by default) are
                         the same on all; CLASSICAL for no more rows than
                         these */
    LCL_PRECOND_CPR,  /* constrained pressure residual, for several unknowns per
                         cell with a pressure among them: AMG for a matrix of
                         the pressures, then ILDU0 for all unknowns (Wallis
                         1983; Lacroix, Vassilevski, Wheeler, Numer. Linear
                         Algebra Appl. 8 (2001)). Not symmetric, so not for
                         CG */
    LCL_PRECOND_LU,   /* M = A: LU factors of the whole matrix on the host, one
                         thread, by KLU of SuiteSparse (Davis, Palamadai
                         Natarajan, ACM TOMS 37 (2010)). One device; a library
                         built without it refuses with LCL_EUNSUPPORTED. A
                         singular matrix: LCL_EPIVOT. Set-ups by the limit of
                         time end before or after the factors, not within */
    LCL_PRECOND_CALLBACK, /* in lcl_precond_info only: made of a callback */
    LCL_PRECOND_COUNT,
};

/* How kernels apply L, D and U on the subdomains; <levelcl/published.h> has
 * other values. */
enum lcl_trisolve {
    LCL_TRISOLVE_DEFAULT = 0,   /* packed */
    LCL_TRISOLVE_PACKED = 1,    /* level-packed slabs, no atomics, bitwise
                                   reproducible */
    LCL_TRISOLVE_HEC_WAIT = 10, /* the rows of all subdomains sorted by level,
                                   in the HEC format (Chen, Liu, Yang, "Parallel
                                   triangular solvers on GPU"); one launch for a
                                   triangle, in which each row waits for those
                                   that it needs (Liu et al., Euro-Par 2016), on
                                   devices where a work-item may wait for
                                   earlier ones; elsewhere, as on CPUs, one for
                                   each level of many rows and for consecutive
                                   levels of few; bitwise reproducible, scalar
                                   entries only, subdomains of any size */
    LCL_TRISOLVE_COUNT = 11,
};

/* The order in which the rows of a subdomain are eliminated. */
enum lcl_elimination {
    LCL_ELIMINATION_DEFAULT = 0, /* TWISTED for PACKED without fill on a device
                                    with several lanes, else NATURAL */
    LCL_ELIMINATION_NATURAL,     /* the order of the matrix, as published */
    LCL_ELIMINATION_TWISTED,     /* from the first and the last row at once to
                                    the middle: half the levels on grids, with
                                    factors of another order and about as many
                                    iterations (van der Vorst 1987). Factors
                                    without fill, not of HEC_LEVEL and
                                    HEC_WAIT */
    LCL_ELIMINATION_COUNT,
};

/* The order of all rows from which partition and factors begin. */
enum lcl_order {
    LCL_ORDER_DEFAULT = 0, /* NONE; lcl_chain_create() chooses */
    LCL_ORDER_NONE,        /* that of the matrix */
    LCL_ORDER_RCM,         /* reverse Cuthill-McKee: couplings close to the
                              diagonal, so that the fill that is dropped is
                              small (George and Liu 1981, section 4.3) */
    LCL_ORDER_ND,          /* nested dissection by METIS: little fill, few
                              levels */
    LCL_ORDER_COUNT,
};

enum lcl_partition_type {
    LCL_PARTITION_DEFAULT =
        0,                   /* MATCH; on a CPU METIS, which is faster there */
    LCL_PARTITION_METIS,     /* graph partition, equal parts */
    LCL_PARTITION_GEOMETRIC, /* boxes of a Cartesian grid (Algorithm 3.1); on
                                several devices or ranks the rows of a box that
                                one of them has */
    LCL_PARTITION_NATURAL,   /* chunks of consecutive rows */
    LCL_PARTITION_LABELS,    /* the caller's labels */
    LCL_PARTITION_MATCH,     /* weighted matching on the device: the same
                                subdomains on every device, in milliseconds */
    LCL_PARTITION_COUNT,
};

/* METIS edge weights 1 + 1000 |a_ij| / sqrt(|a_ii a_jj|), and similar ones of
 * MATCH. */
enum lcl_weights {
    LCL_WEIGHTS_AUTO = 0, /* on if the couplings differ much in strength; MATCH:
                             on */
    LCL_WEIGHTS_ON,
    LCL_WEIGHTS_OFF,
    LCL_WEIGHTS_COUNT,
};

/* Handling of a pivot smaller than pivot_tol times the largest entry of its row
 * or, for IC0 and AS of single entries, times its diagonal entry, so that the
 * factors of D A D are those of A, scaled. Every policy but FAIL continues and
 * reports the row. */
enum lcl_pivot {
    LCL_PIVOT_DEFAULT = 0, /* BOOST; SHIFT for IC0 */
    LCL_PIVOT_FAIL,        /* stop with LCL_EPIVOT */
    LCL_PIVOT_BOOST,       /* pivot_tol times that entry, sign kept */
    LCL_PIVOT_REPLACE,     /* that entry itself, sign kept */
    LCL_PIVOT_SHIFT,       /* factor the subdomain again with a shifted
                              diagonal (Manteuffel) until no pivot is small */
    LCL_PIVOT_COUNT,
};

/* Storage format of the factor values. Factorisation, sums and vectors always
 * use fp64. With FP32 and BF16, create and update return LCL_ERANGE if a value
 * is out of range: beyond 3.4e38, or not 0 and below 1.2e-38. */
enum lcl_factor_storage {
    LCL_FACTOR_STORAGE_DEFAULT = 0, /* FP32 with PACKED, switching to FP64 at
                                       the first values that do not fit; FP64
                                       with any other trisolve. See
                                       lcl_precond_info */
    LCL_FACTOR_STORAGE_FP64,
    LCL_FACTOR_STORAGE_FP32,
    LCL_FACTOR_STORAGE_BF16, /* the upper half of fp32: its range, 8 significant
                                bits; stored next to the column */
    /* BLOCK_JACOBI only: each group of blocks that one wave multiplies with
     * uses the shortest of the three formats that its worst conditioned block
     * admits. A format with unit roundoff u is admitted if u ||D|| ||D^-1|| <
     * 0.1 and its range holds ||D^-1|| and u ||D^-1|| (Anzt, Dongarra, Flegar,
     * Higham, Quintana-Orti, "Adaptive precision in block-Jacobi
     * preconditioning for iterative sparse linear system solvers", 2019). Norms
     * are maximum norms; with SHARED and SHARED_MPW, 1-norms. */
    LCL_FACTOR_STORAGE_ADAPTIVE,
    LCL_FACTOR_STORAGE_COUNT,
};

/* How kernels extract the diagonal blocks of BLOCK_JACOBI from the matrix;
 * <levelcl/published.h> has other values. */
enum lcl_block_extraction {
    LCL_BLOCK_EXTRACTION_DEFAULT = 0, /* BISECT */
    LCL_BLOCK_EXTRACTION_BISECT = 5,  /* one row per lane, which finds the block
                                         in it by bisection; several blocks per
                                         wave */
    LCL_BLOCK_EXTRACTION_COUNT = 6,
};

/* How kernels apply BLOCK_JACOBI; <levelcl/published.h> has other values. */
enum lcl_block_apply {
    LCL_BLOCK_APPLY_DEFAULT = 0, /* SLAB */
    LCL_BLOCK_APPLY_SLAB = 1, /* dense blocks, as many per wave as fit, stored
                                 by columns: one row per lane */
    LCL_BLOCK_APPLY_COUNT = 4,
};

#define LCL_DIAGONAL_BLOCK_MAX 32

/* Diagonal blocks are inverted by Gauss-Jordan elimination with pivoting. A
 * block without a finite inverse gives LCL_EPIVOT with LCL_PIVOT_FAIL; every
 * other policy replaces it by its diagonal, zeros replaced by 1, and reports
 * the row where the elimination failed. */
struct lcl_block_jacobi_params {
    /* Maximum rows of a block, 1 to LCL_DIAGONAL_BLOCK_MAX; 0: 8, at which the
     * inverse is not larger than a matrix with 6 entries per row. Consecutive
     * rows with the same columns stay together if they fit (supervariable
     * blocking); then neighbours are merged. */
    int max_rows;
    /* Or explicit blocks: block p starts at row block_ptr[p] and ends before
     * row block_ptr[p + 1]. The array has `pointers` entries, strictly
     * ascending from 0 to the rows of the matrix, at most
     * LCL_DIAGONAL_BLOCK_MAX apart. NULL: blocks are found as above. */
    const int64_t *block_ptr;
    int64_t pointers;
    enum lcl_block_extraction extraction;
    enum lcl_block_apply apply;
};

/* Coarse correction of the ILU preconditioners by constants on the subdomains.
 * It propagates information between subdomains as the dropped couplings would:
 * e = E^-1 Z^T r, where the columns of Z are the indicator vectors of the
 * subdomains and E = Z^T A Z. It is likely to pay off from 8 subdomains and
 * 4096 rows on if nine tenths of the off-diagonal entries have the sign
 * opposite to the diagonal. CG applies MULT in its symmetric form A-DEF2 (Tang
 * et al., J Sci Comput 39, 2009), but as ADD if M was made from another
 * operator than A or from older values. Several devices or ranks have one
 * correction together, with as many unknowns as one device; with a transversal
 * each has its own. */
enum lcl_coarse {
    LCL_COARSE_AUTO = 0, /* MULT if likely to pay off, else NONE */
    LCL_COARSE_NONE,
    LCL_COARSE_ADD,  /* x = M^-1 r + Z e */
    LCL_COARSE_MULT, /* x = Z e + M^-1 (r - A Z e) */
    LCL_COARSE_COUNT,
};

/* If the matrix is stored in blocks, rows mean block rows and cells mean
 * blocks. */
struct lcl_partition_params {
    enum lcl_partition_type type;
    enum lcl_weights weights;
    int64_t rows;    /* maximum rows of a subdomain; 0: chosen for the device.
                        Those of a trisolve whose local memory holds fewer have
                        fewer; a warning tells how many */
    int64_t box[3];  /* GEOMETRIC: cells of a subdomain along x, y, z */
    int64_t grid[3]; /* GEOMETRIC: cells of the grid of the whole matrix; 0:
                        derived from a 7-point pattern, by all ranks together,
                        whose blocks must be of one size */
    const int32_t *labels; /* LABELS: n labels >= 0, equal within a block, or
                              one per block row */
    int64_t labels_count;  /* their number, checked against n */
};

/* Reads labels from a file with one integer >= 0 per line, the format of METIS
 * partition files. On success the caller owns the *count numbers of *labels and
 * frees them with lcl_labels_free(); on error *labels is NULL.
 * Returns LCL_OK; LCL_EINVAL (an argument is NULL); LCL_EIO (path); LCL_EFORMAT
 * (the message names file and line; also an empty file); LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_labels_read(
    int32_t **labels, int64_t *count, const char *path,
    const struct lcl_log *log);

/* Frees *labels and sets it to NULL; NULL is allowed. */
LCL_API void lcl_labels_free(int32_t **labels);

/* How AMG finds the unknowns of the next level. */
enum lcl_amg_coarsening {
    LCL_AMG_COARSENING_DEFAULT, /* SA */
    LCL_AMG_SA, /* smoothed aggregation (Vanek, Mandel, Brezina, Computing
                   56 (1996)) of rows or, if the matrix is stored in blocks,
                   of block rows, coupled by the Frobenius norms of the
                   blocks; see lcl_operator_set_near_nullspace() */
    LCL_AMG_CLASSICAL, /* for single entries only: a subset of the unknowns by
                          PMIS (De Sterck, Yang, Heys, SIAM J. Matrix Anal.
                          Appl. 27 (2006)), extended+i interpolation with at
                          most 4 entries a row (De Sterck, Falgout, Nolting,
                          Yang, Numer. Linear Algebra Appl. 15 (2008)): fewer
                          iterations where couplings of one sign differ by
                          orders of magnitude, a larger hierarchy, whose set-up
                          takes longer */
    LCL_AMG_COARSENING_COUNT,
};

enum lcl_amg_smoother {
    LCL_AMG_SMOOTHER_DEFAULT, /* CHEBYSHEV; if A is not symmetric JACOBI, or
                                 ILDU0 if in 1 % of the rows the couplings add
                                 up to more than 1.5 times the diagonal */
    LCL_AMG_CHEBYSHEV, /* two steps of the Chebyshev iteration of the fourth
                          kind (Lottes, Numer. Linear Algebra Appl. 30 (2023))
                          before and after the coarse correction */
    LCL_AMG_JACOBI,    /* one sweep of Jacobi, damped by 4 / (3 lambda): half
                          of the products, more iterations */
    LCL_AMG_ILDU0,     /* one sweep with the ILDU(0) factors of subdomains, as
                          for LCL_PRECOND_ILDU0, before and after, damped by 1.5
                          / lambda_max(M^-1 A) if that is below 1. On every
                          level; for any matrix */
    LCL_AMG_SMOOTHER_COUNT,
};

/* When a preconditioner takes new values of its operator. */
enum lcl_refresh {
    LCL_REFRESH_ON_REQUEST = 0, /* only in lcl_precond_update() */
    LCL_REFRESH_ON_SLOW, /* also before a solve if the values are new and the
                            last solve failed or took more than 1.5 times the
                            iterations, and one more, that it would have taken
                            at the rate of the first one that converged with the
                            factors in use: as by lcl_precond_update() */
    LCL_REFRESH_COUNT,
};

/* What lcl_precond_update() does with AMG. */
enum lcl_amg_refresh {
    LCL_AMG_REFRESH_AUTO = 0, /* FULL if the last solve failed or took more than
                                 1.5 times the iterations, and one more, that it
                                 would have taken at the rate of the first solve
                                 after the last full set-up, and AMG had the
                                 values of that solve, or if A is symmetric no
                                 more, or again; else VALUES */
    LCL_AMG_REFRESH_VALUES,   /* keeps the prolongations: new coarse matrices.
                                 FULL if A is symmetric no more, or again, and
                                 the smoother is DEFAULT */
    LCL_AMG_REFRESH_FULL,     /* sets up everything again, beside what is in use
                                 until then */
    LCL_AMG_REFRESH_COUNT,
};

/* AMG; all zero is the default. */
struct lcl_amg_params {
    enum lcl_amg_coarsening coarsening;
    enum lcl_amg_smoother smoother;
    enum lcl_amg_refresh refresh;
    /* Of the matrices of the levels in the cycle: FP32 (also DEFAULT) or BF16.
     * What rounding to BF16 takes from a row sum is added to the diagonal, in
     * FP32. Levels whose rows lose more than 1/16 of their diagonal by rounding
     * are stored in FP32 until the next full set-up. Prolongations, vectors and
     * factors of ILDU0 do not change. */
    enum lcl_factor_storage storage;
    double theta; /* SA: aggregates grow along a_ij if |a_ij| > theta sqrt(m_i
                     m_j), where m_i is the largest coupling of row i, and row
                     i is interpolated from row j also if |a_ij| > theta m_i;
                     halved on each further level. CLASSICAL: a_ij counts if
                     its sign is not that of a_ii and |a_ij| >= theta times the
                     largest such coupling of row i. 0: 0.25 */
    int levels;   /* maximum, at most LCL_AMG_LEVELS; 0: that */
    int64_t coarse_rows; /* a level of at most so many rows is the last one and
                            is solved by a dense inverse, at most 8192; 0:
                            1000, on a CPU 400 */
};

/* CPR. The equations of cell i are added up with weights w_i, B_i^T w_i = e_p,
 * so that the pressure equation does not contain the other unknowns of the cell
 * (Cao, Tchelepi, Wallis, Yardumian, SPE 96809 (2005)). */
struct lcl_cpr_params {
    int pressure; /* its number among the unknowns of a cell, from 0 */
    const double
        *blocks; /* the B_i, b b values each by rows: true-IMPES if they
                    are the derivatives of the accumulation terms. Read
                    by lcl_precond_create() and lcl_precond_update().
                    NULL: the diagonal blocks of A (quasi-IMPES) */
};

#define LCL_AMG_LEVELS 12

/* All zero is the default. */
struct lcl_precond_params {
    enum lcl_precond_type type;
    enum lcl_trisolve trisolve;
    enum lcl_elimination elimination;
    struct lcl_partition_params partition;
    enum lcl_pivot pivot;
    double pivot_tol; /* 0: 1e-10 */
    double relax;     /* 0 to 1: share of the dropped fill inside a subdomain
                         that is added to the diagonal; 1: modified ILU,
                         with the row sums of the subdomain's matrix
                         (Gustafsson, BIT 18 (1978)). Scalar entries only */
    int ilu_level;    /* ILUK, RAS, AS: maximum level of fill; 0: ILUK 1, the
                         others none */
    int ilut_p;       /* ILUT, RAS: maximum entries of a row of L and of U; 0:
                            ILUT 10, RAS none */
    double ilut_tol; /* ILUT, RAS: entries of L D and U below ilut_tol times the
                        2-norm of their row of A are dropped; 0: 1e-3 */
    int overlap; /* ILUK, ILUT, RAS, AS: layers of rows that a subdomain adds,
                    each the columns that its rows store; 0: none, RAS and AS 1
                  */
    /* ILU0, ILDU0, ILUK, ILUT, RAS: before, the columns are permuted and rows
     * and columns scaled by powers of two so that the product of the diagonal
     * entries is as large as possible (Duff and Koster, SIAM J. Matrix Anal.
     * Appl. 22 (2001); option 5 of MC64): for zero and small diagonals. On the
     * host, at creation; new values keep permutation and scalings and pass
     * through the host. Block size 1; not for CG. LCL_EPIVOT: the matrix is
     * singular whatever its nonzero values are. */
    bool transversal;
    /* Types with factors: before them, after the transversal. On the host, at
     * creation; new values pass through the host. Block size 1; of a rank, its
     * rows. Not with the partitions GEOMETRIC and LABELS. */
    enum lcl_order order;
    enum lcl_refresh refresh;
    enum lcl_coarse coarse;
    enum lcl_factor_storage storage;
    struct lcl_block_jacobi_params block_jacobi;
    struct lcl_amg_params amg; /* AMG, CPR */
    struct lcl_cpr_params cpr;
};

#define LCL_PRECOND_PARAMS_INIT LCL_ZERO

/* The parts of struct lcl_precond_info. */

/* Factors on subdomains or, of LU, of the whole matrix; also those of the
 * second stage of CPR. */
struct lcl_factors_info {
    enum lcl_trisolve trisolve;
    enum lcl_elimination elimination;  /* on subdomains */
    enum lcl_order order;              /* never DEFAULT */
    bool transversal;                  /* the columns are permuted */
    enum lcl_partition_type partition; /* of the subdomains, never DEFAULT */
    bool weighted;                     /* METIS or MATCH used edge weights */
    int64_t parts;                     /* subdomains; 0: none */
    int64_t part_rows_min;
    int64_t part_rows_max;
    int overlap;   /* layers */
    int64_t rows;  /* of all subdomains; with overlap more than of A */
    int64_t nnz;   /* values, with fill and overlap */
    int ilu_level; /* maximum level of fill */
    int ilut_p;    /* of ILUT; 0: it was not used */
    double ilut_tol;
    double dropped_share;  /* dropped entries over off-diagonal entries, with
                              those that ILUT drops */
    double dropped_weight; /* the same by absolute value */
    int64_t levels_max;    /* levels of one sweep of one subdomain */
    double levels_mean;
    int barriers; /* per application, the maximum over subdomains */
    int group_size;
    const char *form; /* autotuned variant of the kernel that applies the
                         factors; "" if there is only one */
};

/* BLOCK_JACOBI. */
struct lcl_blocks_info {
    enum lcl_block_extraction extraction;
    enum lcl_block_apply apply;
    int64_t count; /* diagonal blocks; 0: none */
    int64_t fp32;  /* of these, stored in FP32 */
    int64_t bf16;
    int rows_max;
};

/* The coarse correction. */
struct lcl_coarse_info {
    enum lcl_coarse type; /* NONE, ADD or MULT; also NONE if the coarse matrix
                             could not be inverted */
    int64_t rows;   /* unknowns; of a rank of MPI, those of its rows; 0: none */
    int64_t pinned; /* of these, left out because the coarse matrix is
                       singular */
    uint64_t bytes; /* on the device */
};

/* AMG, also that of the pressures of CPR. Arrays have an entry for each level;
 * rows and entries are those of all devices or ranks. */
struct lcl_amg_info {
    enum lcl_amg_coarsening coarsening; /* in use, never DEFAULT */
    enum lcl_amg_smoother smoother;
    int levels; /* 0: none */
    int64_t rows[LCL_AMG_LEVELS];
    int64_t nnz[LCL_AMG_LEVELS];
    /* The prolongation is not smoothed, because that would make
     * more than twice as many couplings on the next level, as in power-law
     * graphs. */
    bool plain[LCL_AMG_LEVELS];
    /* Estimated largest eigenvalues of D^-1 A; 0 where a level needs none. */
    double lambda_max[LCL_AMG_LEVELS];
    /* Of the matrix in the cycle; FP64: a dense inverse. The largest sum of
     * absolute rounding errors of a row in BF16, over its diagonal; 0 where
     * BF16 was not tried. */
    enum lcl_factor_storage storage[LCL_AMG_LEVELS];
    double loss[LCL_AMG_LEVELS];
    double complexity; /* entries of all matrices over those of A */
    uint64_t bytes;    /* on the device */
    uint64_t traffic;  /* bytes that one application moves at least */
    int setups;        /* full set-ups, the first one included */
};

/* Properties of a preconditioner. A part that its method does not have is all
 * zero, but for names; CPR has factors and amg. */
struct lcl_precond_info {
    enum lcl_precond_type type;
    int64_t rows;
    int64_t nnz;      /* values of the matrix as given */
    int64_t nnz_kept; /* inside subdomains or diagonal blocks */
    int block_size;   /* block size of what the method takes: that in which
                         the matrix is stored, or 1, see lcl_precond_create() */
    enum lcl_factor_storage storage; /* in use, never DEFAULT with ILU */
    uint64_t bytes; /* factors, inverses and multigrid on the device, without
                       coarse.bytes */
    int launches;   /* per application */
    int64_t missing_diagonals;
    int64_t pivots_repaired;
    int64_t repaired_rows[8]; /* the first of them, in the caller's numbering */
    /* Iterations of the first solve that converged, of AMG since its last full
     * set-up, and of the last solve; 0: none. */
    int first_iterations, last_iterations;
    struct lcl_factors_info factors;
    struct lcl_blocks_info blocks;
    struct lcl_coarse_info coarse;
    struct lcl_amg_info amg;
};

/* Thread-safety: that of its context. */
typedef struct lcl_precond lcl_precond;

/* Partitions, reorders, finds levels, factors the values that A has now. A must
 * be square and must outlive M. NULL params mean the defaults. A preconditioner
 * on subdomains renumbers the vectors of A on the device; while A has another
 * preconditioner or a solver, M takes a copy of the matrix in a numbering of
 * its own instead, and each application permutes twice. Methods for single
 * entries only (HEC_LEVEL, HEC_WAIT, relax, a transversal, an order, CLASSICAL
 * on one device) take the natural blocks of a matrix given without block size
 * entry by entry, in such a copy; they refuse declared blocks. Operators made
 * of a lcl_kron take NONE, BLOCK_JACOBI, ILDU0, ILU0 and IC0, see kron.h; those
 * made of a callback only NONE. METIS seeds and uses rand() and so changes the
 * rand() sequence of the process; the partition is the same from run to run
 * unless another thread uses rand() at the same time. The library does not call
 * METIS if memory for it is short; if other threads take that memory meanwhile,
 * METIS writes to stderr before the call returns LCL_ENOMEM. Returns LCL_OK;
 * LCL_PIVOTS_REPAIRED (usable, see the info); LCL_EINVAL (parameters);
 * LCL_EUNSUPPORTED (the type with this operator; a method for single entries
 * with declared blocks, or for the factors of CPR; trisolve or apply does not
 * support the storage, or needs atomic sums, local memory or progress between
 * groups that the device lacks; IC0 or AS with A not symmetric; factors on
 * subdomains with 2^32 - 1024 entries or more; ILUK, ILUT, RAS and AS with a
 * coarse correction or another trisolve than PACKED, HEC_LEVEL and HEC_WAIT);
 * LCL_EFORMAT (A not square); LCL_EPIVOT; LCL_ERANGE (a subdomain does not fit
 * local memory; values of the factors do not fit storage); LCL_EDEVMEM;
 * LCL_EDEVICE; LCL_ESELFTEST (the device computed impossible levels);
 * LCL_EBUILD; LCL_ENOMEM. On error *out is NULL.
 */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_create(
    lcl_precond **out, lcl_operator *A,
    const struct lcl_precond_params *params);

/* A preconditioner for A whose application y = M^-1 x is a function of the
 * caller, as for lcl_operator_create_callback(); opencl.h has the same for
 * vectors on the device. For CG it must be symmetric positive definite.
 * Returns LCL_OK, LCL_EINVAL, LCL_EFORMAT (A not square) or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_create_callback(
    lcl_precond **out, lcl_operator *A, lcl_apply_fn *apply, void *user);

/* Factors the values that A has now, without partitioning, symbolic work,
 * compilation or allocation, except when the default storage switches from FP32
 * to FP64; if M has factored them, only what amg.refresh asks for is done, and
 * the status is that of before. Between an update of A and this call M keeps
 * its old factors, which is valid. Statuses as lcl_precond_create(); after an
 * error results are undefined until an update succeeds. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_update(lcl_precond *M);

/* x = M^-1 b for host vectors of n doubles in the caller's numbering. Blocking.
 * Returns LCL_OK, LCL_EINVAL, LCL_EDEVMEM, LCL_EDEVICE, LCL_ENOMEM or what a
 * callback returned. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_apply(lcl_precond *M,
                                                        const double *b,
                                                        double *x);

/* x = M^-T b, as above. The first call, and the first one after
 * lcl_precond_update(), factors the transpose of A on the same subdomains or
 * diagonal blocks: these are the transposed factors, but for rounding, which
 * is that of the factor storage. Returns as lcl_precond_apply(); also
 * LCL_EUNSUPPORTED (other types than NONE, JACOBI, BLOCK_JACOBI, ILU0, ILDU0
 * and IC0; a transversal, an order, a coarse correction, a trisolve other than
 * PACKED, relax; Kronecker systems and several devices; repaired pivots),
 * LCL_EINVAL (A has new values that M has not taken, and there are no factors
 * of the transpose), LCL_EBUILD and LCL_ERANGE as lcl_precond_create(). */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_apply_transpose(
    lcl_precond *M, const double *b, double *x);

/* Where factors on subdomains have the rows of A, in the caller's numbering:
 * part[i], from 0 to parts - 1, is the subdomain of row i, with overlap the one
 * that owns it or, for AS, one that has it; level[i], from 0 to levels_max - 1,
 * is its level. The rows of one level of a subdomain do not depend on each
 * other. Both arrays have `rows` entries. Blocking. Returns LCL_OK; LCL_EINVAL;
 * LCL_EUNSUPPORTED (other preconditioners, Kronecker systems, several devices);
 * LCL_ESELFTEST (the device computed impossible levels); LCL_EDEVICE;
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_locate(const lcl_precond *M,
                                                         int32_t *part,
                                                         int32_t *level);

LCL_API const struct lcl_precond_info *lcl_precond_info(const lcl_precond *M);
LCL_API void lcl_precond_destroy(lcl_precond **M);

/* Names used in output and accepted as input: "ildu0", "packed", "metis",
 * "boost", "fp32"; "auto" for the default storage. */
LCL_API const char *lcl_precond_name(enum lcl_precond_type type);
LCL_API const char *lcl_trisolve_name(enum lcl_trisolve trisolve);
LCL_API const char *lcl_partition_name(enum lcl_partition_type type);
LCL_API const char *lcl_pivot_name(enum lcl_pivot pivot);
LCL_API const char *lcl_factor_storage_name(enum lcl_factor_storage storage);
LCL_API const char *lcl_coarse_name(enum lcl_coarse coarse);
LCL_API const char *lcl_amg_coarsening_name(enum lcl_amg_coarsening coarsening);
LCL_API const char *lcl_amg_smoother_name(enum lcl_amg_smoother smoother);
LCL_API const char *lcl_amg_refresh_name(enum lcl_amg_refresh refresh);
LCL_API const char *lcl_refresh_name(enum lcl_refresh refresh);
LCL_API const char *lcl_elimination_name(enum lcl_elimination elimination);
LCL_API const char *lcl_order_name(enum lcl_order order);
LCL_API const char *lcl_block_extraction_name(
    enum lcl_block_extraction extraction);
LCL_API const char *lcl_block_apply_name(enum lcl_block_apply apply);

LCL_END_DECLS

#endif
