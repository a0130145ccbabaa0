/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators: everything that can do y = A x. */
#ifndef LEVELCL_OPERATOR_H
#define LEVELCL_OPERATOR_H

#include <levelcl/context.h>
#include <levelcl/matrix.h>

LCL_BEGIN_DECLS

/* How a matrix is multiplied by a vector; <levelcl/published.h> has other
 * values. */
enum lcl_spmv_type {
    LCL_SPMV_DEFAULT = 0, /* the fastest for the device and the pattern:
                             measured once, result cached on disk; CSR below
                             10,000 rows or 100,000 entries */
    LCL_SPMV_CSR,         /* as stored, CSR or BSR; lanes per row autotuned near
                             the mean row length */
    LCL_SPMV_SLICED,      /* sliced ELLPACK, one row per lane of a wave, with
                             16-bit columns near the diagonal. A second copy of
                             the matrix; unsuitable for very unequal row
                             lengths. After Monakov, Lokhmotov, Avetisyan,
                             "Automatically tuning sparse matrix-vector
                             multiplication for GPU architectures", HiPEAC
                             2010 */
    LCL_SPMV_ADAPTIVE = 4, /* lanes per row chosen from the length of each row,
                             in one launch; several work-groups per very long
                             row; scalar entries only */
    LCL_SPMV_COUNT = 6,
};

/* How (A (x) M + tau B (x) L) is multiplied by a vector, kron.h;
 * <levelcl/published.h> has other values. */
enum lcl_kron_type {
    LCL_KRON_DEFAULT = 0,  /* ONE_PASS */
    LCL_KRON_ONE_PASS = 1, /* values of M and L adjacent, all stages of an
                              unknown together, A and B applied to the row sums;
                              two passes if the patterns of M and L differ in
                              more than a tenth */
    LCL_KRON_COUNT = 4,
};

/* How the devices of a distributed operator wait for each other. */
enum lcl_communication {
    LCL_COMMUNICATION_DEFAULT = 0, /* ahead between GPUs of one process that
                                      have a fence (enum lcl_fence), if a trial
                                      of sums and messages succeeds; else
                                      step */
    LCL_COMMUNICATION_AHEAD, /* sums and messages are enqueued: kernels wait for
                                them, a thread of each device carries them */
    LCL_COMMUNICATION_STEP,  /* the host waits for each device, then writes to
                                the others */
    LCL_COMMUNICATION_REPRODUCIBLE, /* in step, with the same bits on any number
                                       of devices of one model, one included:
                                       products keep the order of entries,
                                       inner products are those of 1024
                                       segments of rows, of all their stages.
                                       Slower. For all solvers but CG_PIPELINED
                                       and CG_PUBLISHED; jacobi, block-jacobi
                                       and factors on subdomains that the
                                       borders of devices do not cut. A coarse
                                       correction has the aggregates of one
                                       device; AUTO is NONE, and Kronecker
                                       systems have none. Not for NORM_1, and
                                       null vectors must be constant */
    LCL_COMMUNICATION_COUNT
};

/* How ranks exchange the stages of a Kronecker system; <levelcl/published.h>
 * has another way. Ma, Zhao, Le, Yuan, "A multi-GPU enabled solver in Kronecker
 * product form for multiphysics problems" (2025), section "Communication". */
enum lcl_kron_exchange_type {
    LCL_KRON_EXCHANGE_DEFAULT = 0, /* BATCHED, except for a published product */
    LCL_KRON_EXCHANGE_BATCHED = 1, /* all stages in one message per neighbour,
                                      gathered and scattered by maps made once
                                      (Algorithms 5 and 6) */
    LCL_KRON_EXCHANGE_COUNT = 3,
};

/* All zero is the default. */
struct lcl_operator_params {
    enum lcl_spmv_type spmv;
    /* Rows and columns of the blocks in which the matrix is stored, 1 to
     * LCL_BLOCK_MAX; missing entries of a block are padded with zeros. 0: the
     * natural block size, see lcl_csr_natural_block(), or 1 with an spmv for
     * scalar entries only. Preconditioners for scalar entries only accept
     * natural blocks, but not declared ones; see lcl_precond_create(). */
    int block_size;
    enum lcl_kron_type kron; /* for lcl_operator_create_kron() */
    /* for lcl_operator_create_kron_distributed() and _kron_ranks() */
    enum lcl_kron_exchange_type kron_exchange;
    /* LCL_SPMV_HEC: columns of the ELL part, at most the entries of the longest
     * row. Also, as far as their rows have entries, of the triangles of
     * LCL_TRISOLVE_HEC_LEVEL and HEC_WAIT. 0: as many as a third of the rows
     * have entries for; the publication of the format has no rule. */
    int hec_width;
    /* For distributed operators. */
    enum lcl_communication communication;
    /* For lcl_operator_create(): A is the real form of a complex matrix
     * (matrix.h), and new values are, too. BiCGSTAB then takes complex inner
     * products, on one device and with blocks of an even size, which natural
     * ones nearly always have. */
    bool is_complex;
};

#define LCL_OPERATOR_PARAMS_INIT LCL_ZERO

/* Properties of an operator. */
struct lcl_operator_info {
    enum lcl_spmv_type spmv; /* the chosen type; DEFAULT before the first
                                product or solver, and without a matrix */
    enum lcl_kron_type kron; /* the chosen type; DEFAULT without a lcl_kron */
    int stages;              /* of a lcl_kron, else 1 */
    int64_t rows;
    int64_t cols;
    int64_t nnz; /* values of the matrix as given, of a complex layout two an
                    entry; 0 for a callback */
    int block_size;
    uint64_t bytes;   /* device memory: the matrix, its copies for the product,
                         and what brings new values and vectors into it */
    uint64_t traffic; /* matrix bytes that one product reads; 0 before the
                         first product */
    bool callback;    /* made of a callback */
    bool is_complex;  /* declared to be, or made of a complex layout: rows and
                         columns count parts of complex numbers */
    int devices;      /* among which the rows are distributed; 0: one */
    enum lcl_communication communication; /* the chosen way; DEFAULT: the rows
                                             are not distributed */
};

/* An operator on the device. An operator must outlive the preconditioners and
 * solvers made from it. Thread-safety: that of its context. */
typedef struct lcl_operator lcl_operator;

/* Uploads A, which may be rectangular or have no entries and need live only
 * until the call returns. NULL params mean the defaults. On error *out is NULL.
 * Returns LCL_OK; LCL_EINVAL (parameters; block_size does not divide rows and
 * columns of A); LCL_EFORMAT (A malformed, no rows or no columns, not the real
 * form that it is declared to be);
 * LCL_EUNSUPPORTED (spmv with this matrix); LCL_ERANGE; LCL_EDEVMEM;
 * LCL_EDEVICE; LCL_EBUILD; LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create(
    lcl_operator **out, lcl_context *ctx, const struct lcl_csr *A,
    const struct lcl_operator_params *params);

/* The same for a block matrix. params->block_size is 0 or that of A. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_bsr(
    lcl_operator **out, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_operator_params *params);

/* Distributes the rows of A, which is square, among `count` contexts, best one
 * for each device: consecutive rows with about as many entries each, or in the
 * ratio of the copy bandwidths of devices of different models, in the order of
 * A or, if that needs much less exchange, in the order of parts that METIS
 * finds. Everything made from the operator then works on all devices at once,
 * on a thread each that the library starts for the time of a call; vectors are
 * whole vectors in host memory. A preconditioner consists of one for each
 * device, for the rows and columns of that device, but a coarse correction is
 * one of all devices. Results repeat for the same number of contexts. The
 * contexts must outlive the operator and must not be used during calls; their
 * loggers are called from those threads; the monitor of a solver is called from
 * the caller's. Returns as lcl_operator_create(), the error of the first device
 * that fails; LCL_EINVAL also for a context named twice or more contexts than
 * rows or blocks. Design: Mehta et al., arXiv 2508.04917, section 4.5. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_distributed(
    lcl_operator **out, lcl_context *const *contexts, int count,
    const struct lcl_csr *A, const struct lcl_operator_params *params);

/* What a device or process has exchanged since the operator was made: wall
 * times of the threads that carry messages, which mostly wait for others. The
 * device may compute meanwhile. */
struct lcl_exchange_info {
    double halo_seconds;  /* entries of x for products, from when the device can
                             send its own */
    double sum_seconds;   /* sums and agreements */
    int64_t exchanges;    /* of entries of x */
    int64_t sums;         /* and agreements */
    uint64_t sent_bytes;  /* of entries of x */
    uint64_t taken_bytes; /* from others */
};

/* Of device number `device` of an operator on several devices, in the order of
 * their contexts; of the calling process if the rows are distributed by MPI,
 * and zeros of another operator: then `device` is 0. Not during a call with the
 * operator. Returns LCL_OK, LCL_EINVAL, LCL_EBUSY or LCL_EPROCESS. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_exchange_info(
    const lcl_operator *A, int device, struct lcl_exchange_info *info);

/* y = A x for host vectors of `cols` and `rows` doubles. Returns LCL_OK or a
 * negative status, which ends the call that needed the product. It may do what
 * a monitor may (struct lcl_solver_params), so compute products with other
 * operators of the context; with its own one it gets LCL_EBUSY. */
typedef enum lcl_status lcl_apply_fn(void *user, const double *x, double *y);

/* A matrix-free operator: `apply`, called with `user`, computes its products.
 * During a solve the library calls it from the thread of the solve, with
 * vectors in host memory; lcl_operator_create_callback_cl() in opencl.h keeps
 * them on the device. CG takes such an operator to be symmetric. Returns
 * LCL_OK; LCL_EINVAL (an argument is NULL, rows or cols below 1); LCL_ERANGE
 * (2^31 rows or columns or more); LCL_ENOMEM. On error *out is NULL. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_callback(
    lcl_operator **out, lcl_context *ctx, int64_t rows, int64_t cols,
    lcl_apply_fn *apply, void *user);

/* Replaces the values; the pattern stays. Preconditioners made from A keep
 * their factors until lcl_precond_update(). `val` holds as many finite doubles
 * as A had, in the order of A. Values that equal those of A bit by bit are not
 * taken, so that the call costs a comparison and lcl_precond_update() after it
 * nothing; on ranks, if that holds on all of them. Returns LCL_OK, LCL_EINVAL
 * (also for an operator made of a lcl_kron or a callback), LCL_EFORMAT (a value
 * is not finite; the operator is unchanged), LCL_EDEVMEM or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update(lcl_operator *A,
                                                          const double *val);

/* Gives A near-null vectors: columns of B, one row for each row of A, that A
 * maps to almost nothing, such as lcl_rigid_body_modes() for elasticity.
 * Smoothed aggregation made from now on reproduces them; without them, it
 * reproduces constants, one for each component of a block. They may depend on
 * each other. Keeps a copy of B. NULL or 0 columns: no vectors again. Returns
 * LCL_OK; LCL_EINVAL (A is NULL, has no matrix or is not square; B has other
 * rows than A, more than LCL_BLOCK_MAX columns, or a number that is not finite)
 * or LCL_ENOMEM; on error A keeps its vectors. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_set_near_nullspace(
    lcl_operator *A, const struct lcl_dense *B);

/* The null space of a singular operator; all zero is that of a matrix whose
 * rows add up to 0, such as a Laplacian without boundary values. */
struct lcl_nullspace {
    /* Columns v with A v = 0, at most LCL_BLOCK_MAX, that do not depend on each
     * other. NULL: the vector of ones. */
    const struct lcl_dense *right;
    const struct lcl_dense *left; /* w with A^T w = 0, as many. NULL: `right`,
                                     which suits symmetric matrices */
    bool unchecked;               /* take the vectors without a product with A
                                   */
};

#define LCL_NULLSPACE_INIT LCL_ZERO

/* Tells solvers that are made from now on that A, any square operator, is
 * singular. They remove from b the component that no A x can have, the one
 * along `left`, and report its size (`norm_removed` of struct lcl_report); they
 * solve for the rest, by which they also judge. They remove the components
 * along `right` from the results of the preconditioner; x keeps those of the
 * initial guess. Keeps an orthonormal basis of its own, also for new values.
 * NULL: A is regular again. On MPI's ranks each gives its own rows of the
 * vectors; collective. Returns LCL_OK; LCL_EINVAL (A is NULL or not square;
 * other rows, no columns or too many; a number that is not finite; a vector
 * that is zero or depends on those before it; unless `unchecked`,
 * ||A v|| or |<w, A u>| above 1e-8 ||v|| or ||w|| times ||A u|| / ||u|| for
 * pseudo-random u: the log names the vector); LCL_ENOMEM; or a status of
 * lcl_operator_apply(). On error A keeps what it had. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_set_nullspace(
    lcl_operator *A, const struct lcl_nullspace *N);

/* y = A x for host vectors; x has cols, y has rows entries. Blocking. If x
 * holds Inf or NaN, any entry of y may be Inf or NaN. The first product chooses
 * and builds its kernels, unless a solver has done so.
 * Returns LCL_OK, LCL_EINVAL, LCL_EDEVMEM, LCL_ENOMEM, LCL_EBUILD, LCL_EDEVICE
 * or the status of a callback. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply(lcl_operator *A,
                                                         const double *x,
                                                         double *y);

/* y = A^T x for host vectors; x has rows, y has cols entries. Blocking. The
 * first call makes a transpose of the matrix, or of both matrices of a
 * Kronecker system, on the device, later ones renew its values if those of A
 * have changed. The order of sums is fixed. Returns LCL_OK, LCL_EINVAL,
 * LCL_EUNSUPPORTED (callbacks, several devices; 2^32 entries or more),
 * LCL_EDEVMEM, LCL_ENOMEM, LCL_EBUILD or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply_transpose(
    lcl_operator *A, const double *x, double *y);

/* Y = A X for `vectors` columns at once, up to 8 in one pass over the matrix:
 * column j starts at x[j * ldx] and y[j * ldy], ldx >= cols and ldy >= rows.
 * The gaps between columns of Y are not written. 0 columns are valid.
 * Returns as above, LCL_EINVAL also if a leading dimension is too small,
 * LCL_ERANGE, and LCL_EBUILD (the first call builds kernels). */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply_many(
    lcl_operator *A, const double *x, int64_t ldx, double *y, int64_t ldy,
    int64_t vectors);

/* C = A B for operators with matrices of block size 1, as an operator of its
 * own in the caller's numbering: A and B may be changed or destroyed
 * afterwards. Its values for lcl_operator_update() are in the order of rows,
 * then columns; it stores every position that a product of entries contributes
 * to, also if they cancel. The sum over k of a_ik b_kj is in ascending order of
 * k, by fma(), on every device; it may overflow. Enqueued, except for one wait
 * for the size of C and the copy of an operator that a preconditioner has
 * renumbered. On error *out is NULL. Returns LCL_OK; LCL_EINVAL (an argument is
 * NULL, no matrix, different contexts, the columns of A are not as many as the
 * rows of B); LCL_EUNSUPPORTED (blocks); LCL_ESELFTEST (impossible counts: the
 * device is faulty); LCL_EDEVMEM; LCL_EDEVICE; LCL_EBUILD; LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_multiply(lcl_operator **out,
                                                            lcl_operator *A,
                                                            lcl_operator *B);

/* NULL for NULL; lives as long as the operator. */
LCL_API const struct lcl_operator_info *lcl_operator_info(
    const lcl_operator *A);

/* Frees *A and sets it to NULL; NULL is allowed. */
LCL_API void lcl_operator_destroy(lcl_operator **A);

/* The name used in output and accepted as input: "auto", "csr", "sliced". */
LCL_API const char *lcl_spmv_name(enum lcl_spmv_type type);
/* "one_pass", "okp", "cu". */
LCL_API const char *lcl_kron_name(enum lcl_kron_type type);
LCL_API const char *lcl_communication_name(enum lcl_communication way);
/* "batched", "staged". */
LCL_API const char *lcl_kron_exchange_name(enum lcl_kron_exchange_type type);

LCL_END_DECLS

#endif
