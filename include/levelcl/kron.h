/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems (A (x) M + tau B (x) L) x = f that are never formed. */
#ifndef LEVELCL_KRON_H
#define LEVELCL_KRON_H

#include <levelcl/precond.h>

LCL_BEGIN_DECLS

#define LCL_KRON_STAGES_MAX 16

/* The matrix of s stages of N = M->rows * M->block_size rows each, as implicit
 * Runge-Kutta and space-time methods have it. Its vectors have the stages one
 * after the other: x[j * N + i] is row i of stage j, an N x s array by columns.
 * A plain struct on the caller's arrays.
 * Source: Ma, Zhao, Le, Yuan, "A multi-GPU enabled solver in Kronecker product
 * form for multiphysics problems" (2025), equation 2. */
struct lcl_kron {
    int stages;              /* s, 1 to LCL_KRON_STAGES_MAX */
    const double *A;         /* s x s by rows */
    const double *B;         /* s x s by rows */
    double tau;              /* of B (x) L */
    const struct lcl_bsr *M; /* square */
    const struct lcl_bsr *L; /* as many block rows as M, of the same block size;
                                patterns may differ */
};

/* A system with the arrays that it needs; K points into the struct, which must
 * stay where it is. */
struct lcl_kron_data {
    struct lcl_kron K;
    struct lcl_bsr M, L;
    double A[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX]; /* s x s by rows */
    double B[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
};

#define LCL_KRON_DATA_INIT LCL_ZERO

/* Makes a built-in system from its name, with blocks of 4 rows:
 *   "kron:S", "kron:S,NX,NY,NZ": M and L of random blocks on a tetrahedral mesh
 *     as of "kuhn:NX,NY,NZ,4", 53 x 53 x 54 nodes where they are not given; A
 *     and B uniform in [0, 1), tau = 0.125; up to LCL_KRON_STAGES_MAX stages S;
 *   "radau:S,N": a step of the Radau IIA method of S stages, 1 to 9, for a
 *     diffusion-reaction system of four unknowns a node of an N x N x N grid:
 *     A = I, B its Butcher matrix, tau the step; M and L have one pattern.
 *     Source: Hairer and Wanner, "Solving Ordinary Differential Equations II",
 *     2nd ed. (1996), section IV.5.
 * On success the caller finishes *out; on error *out is all zero.
 * Returns LCL_OK, LCL_EINVAL (unknown name, bad number), LCL_ERANGE or
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_kron_problem(
    struct lcl_kron_data *out, const char *name, const struct lcl_log *log);

/* Frees the arrays of M and L, which the library filled, and zeroes *D; NULL is
 * allowed. */
LCL_API void lcl_kron_data_finish(struct lcl_kron_data *D);

/* Checks all of K: sizes that fit each other, well-formed M and L, finite
 * values, and s N below 2^31.
 * Returns LCL_OK, LCL_EINVAL (something is NULL), LCL_EFORMAT or LCL_ERANGE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_kron_check(const struct lcl_kron *K,
                                                     const struct lcl_log *log);

/* y = (A (x) M + tau B (x) L) x in plain sequential C; K is sound. Returns
 * LCL_OK or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_kron_multiply(
    const struct lcl_kron *K, const double *x, double *y);

/* As lcl_operator_create(), of params->kron alone; K need live only until the
 * call returns. Returns LCL_OK; LCL_EINVAL; LCL_EFORMAT; LCL_ERANGE;
 * LCL_EUNSUPPORTED (blocks of more rows than a wave of the device has lanes);
 * LCL_EDEVMEM; LCL_EDEVICE; LCL_EBUILD; LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_kron(
    lcl_operator **out, lcl_context *ctx, const struct lcl_kron *K,
    const struct lcl_operator_params *params);

/* The same patterns and number of stages with new values, A, B and tau.
 * Returns LCL_OK, LCL_EINVAL (not made of a lcl_kron), LCL_EFORMAT (patterns
 * differ, values), LCL_EDEVICE or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_kron(
    lcl_operator *P, const struct lcl_kron *K);

/* As lcl_precond_create() for
 *   NONE;
 *   BLOCK_JACOBI, the inverses of A (x) M_ii + tau B (x) L_ii for the diagonal
 *   blocks M_ii and L_ii, s * block_size up to LCL_DIAGONAL_BLOCK_MAX rows.
 *   Storage is FP64 or FP32, in which blocks are inverted, too. A block that
 *   has no inverse in it becomes the identity and is reported by its first row
 *   in the first stage;
 *   ILDU0, ILU0 and IC0, stage by stage: the factors of a_jj M + tau b_jj L on
 *   subdomains, the same for each stage, all stages in one launch. IC0 needs
 *   these to be symmetric. Labels, N or one a block row, are those of a stage.
 *   Without a coarse correction unless one is asked for by name.
 * params->spmv, block_size and block_jacobi have no meaning here. Rows in
 * messages and in the info are those of vectors; a warning names the stages of
 * pivots that were small, counted from 1 like rows.
 * Returns as lcl_precond_create(), and LCL_EUNSUPPORTED for other types and for
 * BLOCK_JACOBI with more rows or another storage. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_create_kron(
    lcl_precond **out, lcl_context *ctx, const struct lcl_kron *K,
    const struct lcl_precond_params *params);

/* The same patterns and number of stages with new values, A, B and tau.
 * Statuses as lcl_precond_update(), and LCL_EINVAL where the preconditioner was
 * not made of a lcl_kron, LCL_EFORMAT where patterns differ. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_update_kron(
    lcl_precond *P, const struct lcl_kron *K);

LCL_END_DECLS

#endif
