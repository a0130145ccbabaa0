/* SPDX-License-Identifier: BSD-3-Clause */
/* Published variants, to compare with: methods of publications under their
 * published names, where another one is the default and serves users better.
 * Not part of <levelcl/levelcl.h>. Values of the enums of other headers, which
 * take them as any other value; docs/publications.md lists the tables and
 * figures that `levelbench` makes with them. */
#ifndef LEVELCL_PUBLISHED_H
#define LEVELCL_PUBLISHED_H

#include <levelcl/batch.h>
#include <levelcl/kron.h>
#include <levelcl/precond.h>
#include <levelcl/solver.h>

/* Values of enum lcl_trisolve, with the names of Mehta et al., arXiv
 * 2508.04917, except HEC_LEVEL; if the publication has only a lower solve, the
 * upper solve is a second launch of the same kind. Variants marked "LD U" apply
 * the factors of ILU0 and ILDU0 as L D and unit U; "L D U": ILDU0 only.
 * Variants with atomic sums (SPIN_LOOP and DAG_EC) are not bitwise reproducible
 * unless the width is 1. */

/* L D U: CSR, one row per work-item, one launch (sections 4.2.3 and 4.4) */
#define LCL_TRISOLVE_DAG_VC_ILDU0_FUSED ((enum lcl_trisolve)2)
/* LD U: one row per wave, which spins until the rows it needs are done
 * (Algorithm 4.1); only on devices that guarantee forward progress */
#define LCL_TRISOLVE_SPIN_LOOP_LDS ((enum lcl_trisolve)3)
/* LD U: one entry per work-item, vectors in global memory (section 4.2.4) */
#define LCL_TRISOLVE_DAG_EC_NO_LDS ((enum lcl_trisolve)4)
/* LD U: the same with vectors in local memory */
#define LCL_TRISOLVE_DAG_EC_LDS ((enum lcl_trisolve)5)
/* L D U: the same with unit diagonals, D in a separate launch (section 4.3) */
#define LCL_TRISOLVE_DAG_EC_LDS_UD ((enum lcl_trisolve)6)
/* LD U: the launches of DAG_EC_LDS */
#define LCL_TRISOLVE_DAG_EC_ILD_U0 ((enum lcl_trisolve)7)
/* L D U: one launch (section 4.4) */
#define LCL_TRISOLVE_DAG_EC_ILDU0_FUSED ((enum lcl_trisolve)8)
/* Rows of all subdomains sorted by level, in the HEC format, one launch for
 * each level; bitwise reproducible, scalar entries only, subdomains of any
 * size. Chen, Liu, Yang, "Parallel triangular solvers on GPU", Algorithm 2 */
#define LCL_TRISOLVE_HEC_LEVEL ((enum lcl_trisolve)9)

/* A value of enum lcl_solver_type: CG as in section IV.A of Gogusdere's report
 * on row-binned CG (METU, MMI713): scalars on the host, two blocking reads per
 * iteration, sums by atomic addition and hence not bitwise reproducible; no
 * preconditioner. The published listing divides by <p, A p> for beta; this code
 * uses the correct divisor, the previous <r, r>. */
#define LCL_SOLVER_CG_PUBLISHED ((enum lcl_solver_type)3)

/* Values of enum lcl_spmv_type. */

/* One work-item per row of up to 16 entries, one wave per longer row,
 * concurrently on two queues; scalar entries only. Source: Gogusdere, "MMI713
 * Term Project - Phase 3 Report" (METU 2025), IV.C */
#define LCL_SPMV_BINNED ((enum lcl_spmv_type)3)
/* One work-item per row; the first entries of each row in ELL, the others in
 * CSR. A second copy of the matrix; scalar entries only. Source: Chen, Liu,
 * Yang, "Parallel triangular solvers on GPU" */
#define LCL_SPMV_HEC ((enum lcl_spmv_type)5)

/* Values of enum lcl_kron_type, from Ma, Zhao, Le, Yuan, "A multi-GPU enabled
 * solver in Kronecker product form for multiphysics problems" (2025), sections
 * "OKP-Solver" and "CU-Solver". Both not for LCL_COMMUNICATION_REPRODUCIBLE. */

/* X A^T by columns (Algorithm 2), then M with one wave per block row (Algorithm
 * 3); the same for B and L. On several devices X A^T is exchanged while the
 * columns of the device itself are multiplied; those of others follow */
#define LCL_KRON_OKP ((enum lcl_kron_type)2)
/* s x s axpys, then s products with M (Algorithm 4); the same for B and L. On
 * several devices each column of X A^T goes to the host as a whole, and what
 * others need from there to them: s messages */
#define LCL_KRON_CU ((enum lcl_kron_type)3)

/* A value of enum lcl_kron_exchange_type, from the same paper, section
 * "Communication": a transfer and a message per neighbour for each stage
 * (Algorithm 4). The default with LCL_KRON_CU. */
#define LCL_KRON_EXCHANGE_STAGED ((enum lcl_kron_exchange_type)2)

/* Values of enum lcl_block_extraction, from Anzt, Dongarra, Flegar,
 * Quintana-Orti, "Variable-size batched Gauss-Jordan elimination for
 * block-Jacobi preconditioning on graphics processors", section 3.2. Those with
 * one block per wave pad it to 32 rows, as LCL_BATCH_KERNEL_BGJE does. At width
 * 1 they differ only in the search. */

/* one row per lane, one block per wave */
#define LCL_BLOCK_EXTRACTION_CACHED ((enum lcl_block_extraction)1)
/* one row per wave, the whole block through local memory, one block per wave */
#define LCL_BLOCK_EXTRACTION_SHARED_QUADRATIC ((enum lcl_block_extraction)2)
/* one row per wave, transposed through local memory, one block per wave */
#define LCL_BLOCK_EXTRACTION_SHARED ((enum lcl_block_extraction)3)
/* the same, several blocks per wave */
#define LCL_BLOCK_EXTRACTION_SHARED_MPW ((enum lcl_block_extraction)4)

/* Values of enum lcl_block_apply, from section 3.3 there. */

/* dense blocks, stored by rows: the lanes of a block read a row together and
 * add it up */
#define LCL_BLOCK_APPLY_SA_SPMV ((enum lcl_block_apply)2)
/* product with a sparse matrix; FP64 */
#define LCL_BLOCK_APPLY_SPMV ((enum lcl_block_apply)3)

/* Values of enum lcl_batch_kernel, from Anzt, Dongarra, Flegar, Quintana-Orti,
 * Parallel Computing 81 (2019), section 3.1, for blocks of up to
 * LCL_BATCH_PUBLISHED_ROWS_MAX rows. */
enum { LCL_BATCH_PUBLISHED_ROWS_MAX = 32 };

/* one block per wave, one row per lane, all padded to 32 rows, or to the lanes
 * of a narrower wave */
#define LCL_BATCH_KERNEL_BGJE ((enum lcl_batch_kernel)1)
/* as many of the largest blocks per wave as fit, one row per lane, all padded
 * to the largest */
#define LCL_BATCH_KERNEL_BGJE_MPW ((enum lcl_batch_kernel)2)

#endif
