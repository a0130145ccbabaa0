// SPDX-License-Identifier: BSD-3-Clause
// levelcl as a preconditioner and a solver of PETSc, without a change to the
// program:
//   PROGRAM -dll_append PREFIX/lib/liblevelcl_petsc.so -pc_type levelcl
//   PROGRAM -dll_append ... -ksp_type levelcl -pc_type levelcl
// With -pc_type alone PETSc's solver works on the host and M on the device:
// each application copies two vectors. With both the solve stays on the device.
// -ksp_type levelcl works with -pc_type levelcl only.
//
// KSPLEVELCL solves by a chain: the method that the matrix suggests and, where
// that fails, the next one; -ksp_view lists those of the last solve. One that
// -ksp_levelcl_solver or -pc_levelcl_precond names is the only one, with the
// other half of it chosen to suit. Where Amat is not Pmat there is one method,
// of -pc_levelcl_precond and -ksp_levelcl_solver or what suits these: M is of
// Pmat, and CG serves an Amat with MAT_SPD. New values that the preconditioner
// cannot take, such as those that are not symmetric any more, choose it anew
// unless it is named.
//
// Matrices: AIJ, and BAIJ, SBAIJ and others that PETSc converts to AIJ. On
// several ranks one preconditioner or solver of all of them, with a device
// each; with -pc_levelcl_local or a levelcl without MPI one preconditioner for
// the rows of each rank. New values with the same pattern are factored again
// without further analysis.
//
// Options: those of clsolve and lcl_options_parse() with '_' instead of '-', as
// -pc_levelcl_precond iluk -pc_levelcl_ilu_level 2, -ksp_levelcl_solver cg;
// -pc_levelcl_device NAME; -help lists them. KSPLEVELCL takes tolerances and
// the maximum of iterations, which methods of a chain share, from
// KSPSetTolerances(); its norm is that of b - A x. So does dtol, the factor by
// which the first residual may grow, if it is not 1e4, PETSc's default, or if
// -ksp_divtol is there: else that is 2^52, for residuals that grow by more than
// 1e4 may still converge. -ksp_levelcl_divergence comes before dtol. A method
// of a chain that diverges is followed by the next one; of the last one, the
// reason is KSP_DIVERGED_DTOL. Monitors are called after the solve, for all its
// iterations. Below a solver of PETSc PCLEVELCL is by default what the matrix
// suggests for any solver, symmetric if the matrix is. KSPLEVELCL removes the
// null spaces that MatSetNullSpace() and MatSetTransposeNullSpace() attach,
// from b, too. Multigrid reproduces the near-null vectors of
// MatSetNearNullSpace(), or the rigid body modes of the nodes that
// PCSetCoordinates() tells.
#include "tools/petsc/adapter.h"

PetscErrorCode PetscDLLibraryRegister_levelcl_petsc(void)
{
    PetscFunctionBegin;
    PetscCall(PCRegister(LEVELCL, PCCreate_LEVELCL));
    PetscCall(KSPRegister(LEVELCL, KSPCreate_LEVELCL));
    PetscFunctionReturn(0);
}
