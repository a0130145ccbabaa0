/* SPDX-License-Identifier: BSD-3-Clause */
/* Interoperation: levelcl on the caller's own OpenCL objects. */
#ifndef LEVELCL_OPENCL_H
#define LEVELCL_OPENCL_H

#include <levelcl/solver.h>

#ifndef CL_TARGET_OPENCL_VERSION
# define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

LCL_BEGIN_DECLS

/* As lcl_context_create(), on a context, device and in-order queue of the
 * caller, which are retained until the context is destroyed. All work is
 * enqueued on `queue`; params->device is ignored. Returns LCL_EINVAL, too, for
 * a queue that may run out of order or that belongs to another context or
 * device. */
LCL_NODISCARD LCL_API enum lcl_status lcl_context_create_cl(
    lcl_context **out, cl_context context, cl_device_id device,
    cl_command_queue queue, const struct lcl_context_params *params);

/* As lcl_solver_solve() and lcl_precond_apply(), for buffers of n doubles in
 * A's numbering. Returns LCL_EINVAL for a buffer of another size or of another
 * OpenCL context than `queue`'s, and for one whose CL_MEM_READ_ONLY or
 * CL_MEM_WRITE_ONLY forbids its use; so does lcl_operator_apply_cl(). Work
 * enqueued earlier on the context's queue is waited for by queue order; for
 * other queues the caller waits. Returns after the solve; after an apply when
 * the work is enqueued. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_solve_cl(
    lcl_solver *S, cl_mem b, cl_mem x, struct lcl_report *report);
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_apply_cl(lcl_precond *M,
                                                           cl_mem b, cl_mem x);

/* As lcl_operator_apply(), for two buffers of at least cols and rows doubles;
 * enqueued. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply_cl(lcl_operator *A,
                                                            cl_mem x, cl_mem y);

LCL_END_DECLS

#endif
