/* SPDX-License-Identifier: BSD-3-Clause */
/* Interoperation: levelcl on the caller's own OpenCL objects. */
#ifndef LEVELCL_OPENCL_H
#define LEVELCL_OPENCL_H

#include <levelcl/layout.h>
#include <levelcl/solver.h>

#ifndef CL_TARGET_OPENCL_VERSION
# define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

LCL_BEGIN_DECLS

/* As lcl_context_create(), on the caller's context, device and in-order queue,
 * which the library retains until lcl_context_destroy(). The library enqueues
 * all work on `queue` and ignores params->device. Returns LCL_EINVAL also for
 * an out-of-order queue or a queue of another context or device. */
LCL_NODISCARD LCL_API enum lcl_status lcl_context_create_cl(
    lcl_context **out, cl_context context, cl_device_id device,
    cl_command_queue queue, const struct lcl_context_params *params);

/* As lcl_solver_solve() and lcl_precond_apply(), for buffers of n doubles in
 * the caller's numbering. Returns LCL_EINVAL for a buffer of another size or of
 * another OpenCL context than `queue`'s, and for a buffer whose
 * CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY flag forbids its use; so does
 * lcl_operator_apply_cl(). Queue order makes the call wait for work enqueued
 * earlier on the context's queue; the caller must wait for other queues. The
 * solve returns when it is done, the apply when its work is enqueued. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_solve_cl(
    lcl_solver *S, cl_mem b, cl_mem x, struct lcl_report *report);
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_apply_cl(lcl_precond *M,
                                                           cl_mem b, cl_mem x);

/* A matrix as struct lcl_csr, in buffers of the context, which may be larger
 * than needed. Without entries, col_ind and val may be NULL. */
struct lcl_csr_cl {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    cl_mem row_ptr; /* rows + 1 int64_t */
    cl_mem col_ind; /* nnz int32_t */
    cl_mem val;     /* nnz double */
};

/* As lcl_operator_create(), for a matrix on the device: checks, converts and
 * copies it there. Queue order makes the call wait for work enqueued earlier on
 * the context's queue; the caller must wait for other queues. The buffers need
 * live only until the call returns, and are not changed. Values for
 * lcl_operator_update() come in the same order. Returns as
 * lcl_operator_create(); LCL_EINVAL also for a missing or too small buffer, for
 * a buffer of another OpenCL context, and for CL_MEM_WRITE_ONLY buffers. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_cl(
    lcl_operator **out, lcl_context *ctx, const struct lcl_csr_cl *A,
    const struct lcl_operator_params *params);

/* As lcl_operator_update(), for a buffer of at least as many doubles as A has
 * values, in the order of A. Queue order makes the call wait for work enqueued
 * earlier on the context's queue; the caller must wait for other queues. Waits
 * until the values are checked, and returns when their copy is enqueued.
 * Returns as lcl_operator_update(); LCL_EINVAL also for a buffer that is too
 * small, CL_MEM_WRITE_ONLY or of another OpenCL context, and for an operator
 * that is distributed; LCL_EBUILD, LCL_EDEVMEM, LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_cl(lcl_operator *A,
                                                             cl_mem val);

/* As lcl_operator_update_ldu() in layout.h, for buffers. Waits and returns as
 * lcl_operator_update_cl(). */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_ldu_cl(
    lcl_operator *A, cl_mem diagonal, cl_mem upper, cl_mem lower);

/* Enqueues y = A x on `queue`, the context's, for buffers of `cols` and `rows`
 * doubles. Returns LCL_OK or a negative status, which ends the call that needed
 * the product. After a solve has stopped, a few more products may be enqueued,
 * whose results are not used. */
typedef enum lcl_status lcl_apply_cl_fn(void *user, cl_command_queue queue,
                                        cl_mem x, cl_mem y);

/* As lcl_operator_create_callback() and lcl_precond_create_callback(), with
 * vectors that stay on the device. They may be sub-buffers. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_callback_cl(
    lcl_operator **out, lcl_context *ctx, int64_t rows, int64_t cols,
    lcl_apply_cl_fn *apply, void *user);
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_create_callback_cl(
    lcl_precond **out, lcl_operator *A, lcl_apply_cl_fn *apply, void *user);

/* As lcl_operator_apply(), for buffers of at least cols and rows doubles;
 * returns when the work is enqueued. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply_cl(lcl_operator *A,
                                                            cl_mem x, cl_mem y);

LCL_END_DECLS

#endif
