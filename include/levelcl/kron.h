/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems (A (x) M + tau B (x) L) x = f; the matrix is never formed. */
#ifndef LEVELCL_KRON_H
#define LEVELCL_KRON_H

#include <levelcl/precond.h>

LCL_BEGIN_DECLS

#define LCL_KRON_STAGES_MAX 16

/* A matrix of s stages with N = M->rows * M->block_size rows each, from
 * implicit Runge-Kutta and space-time methods. Vectors hold one stage after the
 * other: x[j * N + i] is row i of stage j, a column-major N x s array. A plain
 * struct that points to the caller's arrays. Source: Ma, Zhao, Le, Yuan, "A
 * multi-GPU enabled solver in Kronecker product form for multiphysics problems"
 * (2025), equation 2. */
struct lcl_kron {
    int stages;              /* s, 1 to LCL_KRON_STAGES_MAX */
    const double *A;         /* s x s by rows */
    const double *B;         /* s x s by rows */
    double tau;              /* factor of B (x) L */
    const struct lcl_bsr *M; /* square */
    const struct lcl_bsr *L; /* same block rows and block size as M; the
                                patterns may differ */
};

/* The part of such a system that one rank of several has: block rows of M and
 * L. Stages, A, B, tau and the block size are the same on all ranks. A plain
 * struct, as above. */
struct lcl_kron_rows {
    int stages;
    const double *A, *B;
    double tau;
    int block_size;           /* of M and L, 1 to LCL_BLOCK_MAX */
    const struct lcl_rows *M; /* block rows, with block columns of the whole
                                 matrix; val holds block_size * block_size
                                 values of each block, by rows */
    const struct lcl_rows *L; /* the same block rows */
};

/* A system with its arrays; K points into the struct, so the struct must
 * not move. */
struct lcl_kron_data {
    struct lcl_kron K;
    struct lcl_bsr M, L;
    double A[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX]; /* s x s by rows */
    double B[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX];
};

#define LCL_KRON_DATA_INIT LCL_ZERO

/* Generates a built-in system from its name, with blocks of 4 rows:
 *   "kron:S", "kron:S,NX,NY,NZ": M and L have random blocks on the tetrahedral
 *     mesh of "kuhn:NX,NY,NZ,4", by default 53 x 53 x 54 nodes; A and B uniform
 *     in [0, 1), tau = 0.125; up to LCL_KRON_STAGES_MAX stages S;
 *   "radau:S,N": one step of the Radau IIA method with S stages, 1 to 9, for a
 *     diffusion-reaction system with four unknowns per node of an N x N x N
 *     grid: A = I, B the Butcher matrix, tau the step; M and L have the same
 *     pattern. Source: Hairer and Wanner, "Solving Ordinary Differential
 *     Equations II", 2nd ed. (1996), section IV.5;
 *   "stokes:S,N": the same for unsteady Stokes flow through a cube, N >= 3:
 * three velocities and the pressure, all linear on the tetrahedra of a mesh of
 *     N x N x N nodes, the pressure stabilised; tau = 0.125. M has no mass of
 *     the pressure. Source: Bochev, Dohrmann, Gunzburger, "Stabilization of
 *     low-order mixed finite elements for the Stokes equations", SIAM J. Numer.
 *     Anal. 44 (2006).
 * On success the caller frees *out with lcl_kron_data_finish(); on error *out
 * is all zero.
 * Returns LCL_OK, LCL_EINVAL (unknown name, bad number), LCL_ERANGE or
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_kron_problem(
    struct lcl_kron_data *out, const char *name, const struct lcl_log *log);

/* Frees the arrays of M and L, which the library filled, and zeroes *D; NULL is
 * allowed. */
LCL_API void lcl_kron_data_finish(struct lcl_kron_data *D);

/* Checks K completely: matching sizes, well-formed M and L, finite values, and
 * s N below 2^31.
 * Returns LCL_OK, LCL_EINVAL (a pointer is NULL), LCL_EFORMAT or LCL_ERANGE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_kron_check(const struct lcl_kron *K,
                                                     const struct lcl_log *log);

/* y = (A (x) M + tau B (x) L) x in plain sequential C; K must pass
 * lcl_kron_check(). Returns LCL_OK, LCL_EINVAL (an argument is NULL) or
 * LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_kron_multiply(
    const struct lcl_kron *K, const double *x, double *y);

/* As lcl_operator_create(), but uses params->kron only; K need live only until
 * the call returns. Returns LCL_OK; LCL_EINVAL; LCL_EFORMAT; LCL_ERANGE;
 * LCL_EUNSUPPORTED (blocks have more rows than a wave of the device has lanes);
 * LCL_EDEVMEM; LCL_EDEVICE; LCL_EBUILD; LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_kron(
    lcl_operator **out, lcl_context *ctx, const struct lcl_kron *K,
    const struct lcl_operator_params *params);

/* As lcl_operator_create_distributed(), for a Kronecker system: all stages of a
 * block row are on the same device. Blocks are not split, and METIS may order
 * block rows by the union of the patterns of M and L. Returns as
 * lcl_operator_create_kron(); LCL_EINVAL also for a context named twice or more
 * contexts than block rows. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_kron_distributed(
    lcl_operator **out, lcl_context *const *contexts, int count,
    const struct lcl_kron *K, const struct lcl_operator_params *params);

/* Takes new values, A, B and tau for the same patterns and number of stages, on
 * one device or several; lcl_precond_update() brings them to a preconditioner.
 * Returns LCL_OK, LCL_EINVAL (A was not created from a lcl_kron), LCL_EFORMAT
 * (patterns differ, values), LCL_EDEVICE or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_kron(
    lcl_operator *A, const struct lcl_kron *K);

/* The same for an operator of lcl_operator_create_kron_ranks(), ranks.h: on all
 * ranks, each with its rows. An error on one rank is an error on all. Returns
 * also LCL_EINVAL for another operator, and for A, B or tau that differ between
 * ranks. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_kron_rows(
    lcl_operator *A, const struct lcl_kron_rows *K);

/* lcl_precond_create() for such an operator:
 *   NONE;
 *   BLOCK_JACOBI: inverses of A (x) M_ii + tau B (x) L_ii for the diagonal
 *   blocks M_ii and L_ii, with s * block_size up to LCL_DIAGONAL_BLOCK_MAX
 *   rows. Storage is FP64 or FP32; the blocks are inverted in the same format.
 *   A block without an inverse in that format becomes the identity and is
 *   reported by its first row in the first stage;
 *   ILDU0, ILU0 and IC0: for each stage j the factors of a_jj M + tau b_jj L on
 *   subdomains, which all stages share; one launch covers all stages. IC0 needs
 *   these matrices to be symmetric. Labels, N or one per block row, are those
 *   of one stage. Coarse correction only if requested by name.
 * params->block_jacobi is ignored. Row numbers in messages and in the info
 * refer to the vectors; a warning about small pivots names their stages,
 * counted from 1 like rows. LCL_EUNSUPPORTED for other types and for
 * BLOCK_JACOBI with more rows or another storage. */

LCL_END_DECLS

#endif
