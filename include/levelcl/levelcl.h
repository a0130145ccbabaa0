/* SPDX-License-Identifier: BSD-3-Clause */
/* levelcl: large sparse linear systems on any OpenCL device.
 *
 * Tiers; each needs only the tiers listed above it:
 *   0  status.h, log.h          results and text
 *   1  context.h, memory.h      devices and contexts; memory
 *   2  matrix.h, batch.h        matrices: read, make, check; batches of
 *                               dense blocks: invert
 *      operator.h               operators: matrices or functions
 *      layout.h                 matrices as other programs hold them
 *   3  precond.h                partition, factor, apply
 *      kron.h                   systems in Kronecker form
 *      ranks.h                  processes that MPI connects
 *   4  solver.h, options.h      solve; options as text
 *      chain.h                  solve by the method that suits the matrix, then
 *                               by others
 *      estimate.h               memory and traffic, before they are needed
 * Callers with their own cl_context include opencl.h separately, and those who
 * compare published variants published.h. */
#ifndef LEVELCL_H
#define LEVELCL_H

#include <levelcl/batch.h>
#include <levelcl/chain.h>
#include <levelcl/context.h>
#include <levelcl/estimate.h>
#include <levelcl/kron.h>
#include <levelcl/layout.h>
#include <levelcl/log.h>
#include <levelcl/matrix.h>
#include <levelcl/memory.h>
#include <levelcl/operator.h>
#include <levelcl/options.h>
#include <levelcl/precond.h>
#include <levelcl/ranks.h>
#include <levelcl/solver.h>
#include <levelcl/status.h>
#include <levelcl/version.h>

#endif
