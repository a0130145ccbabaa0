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

/* An array in a buffer of the caller, from entry `offset` on: doubles, where
 * nothing else is said. The buffer may be larger than needed, and a
 * sub-buffer. */
struct lcl_array_cl {
    cl_mem mem;
    int64_t offset;
};

/* What a call waits for and what tells that it is done. All zero, or a NULL
 * pointer to such a struct: nothing. Beside that, queue order makes a call wait
 * for work enqueued earlier on the context's queue; it has to be told of other
 * queues by `wait`.
 *
 * All functions of this header with arrays return LCL_EINVAL also for a wait
 * list without events, with an event that is not valid or of another OpenCL
 * context; for a buffer that is missing or too small, of another OpenCL
 * context, or whose CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY flag forbids its use;
 * and LCL_EDEVICE also if the work of an event in the wait list has failed:
 * nothing has changed then. */
struct lcl_events_cl {
    cl_uint count;        /* of `wait` */
    const cl_event *wait; /* of any queue of the same OpenCL context; the call
                             does nothing before they are complete */
    cl_event *done;       /* if not NULL, receives an event that the caller
                             releases; NULL after an error */
};

/* Right-hand sides and solutions of lcl_solver_solve_cl(). */
struct lcl_solve_cl {
    struct lcl_array_cl b; /* column j: n doubles from offset + j * ldb on */
    struct lcl_array_cl x; /* the same with ldx; the initial guess on entry */
    int64_t ldb, ldx;      /* at least n; not used for one column */
    int count;             /* of columns; 0: 1 */
    struct lcl_events_cl events;
};

/* As lcl_solver_solve_many() for buffers of the context in the caller's
 * numbering, which may not overlap if there are several columns; `reports` has
 * an entry for each column or is NULL. With one column it is
 * lcl_solver_solve(), and the history is valid until the next solve. Returns
 * when the solutions are enqueued on the context's queue; `done` completes with
 * them. Returns as lcl_solver_solve_many(); LCL_EUNSUPPORTED for operators on
 * several devices. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_solve_cl(
    lcl_solver *S, const struct lcl_solve_cl *solve,
    struct lcl_report *reports);

/* The same, but returns at once: the solve, also its wait list, is the work of
 * a thread of the library, which calls monitor, convergence test, callbacks
 * and the log. `done`, which must not be NULL, completes when the solutions
 * and the reports are there, whether they converged or not: the stop reasons
 * tell. If an error ended the solve, the execution status of the event is the
 * lcl_status, which is negative.
 * Before `done` is complete, `reports` must stay, and nothing made from the
 * context may be used: creations, updates, solves, applications, inversions and
 * measurements return LCL_EBUSY, and functions that destroy, or that free
 * memory, wait for the end of the solve.
 * lcl_solver_cancel() may be called. Work that the caller enqueues on the
 * context's queue meanwhile runs between kernels of the solve. `solve` and the
 * events of the wait list need live only until the call returns, the buffers
 * until `done` is complete.
 * Returns LCL_OK, or as lcl_solver_solve_cl() what can be told without a solve;
 * LCL_EBUSY; LCL_ENOMEM also if there is no thread; LCL_EUNSUPPORTED also for
 * ranks of MPI. */
LCL_NODISCARD LCL_API enum lcl_status lcl_solver_enqueue_cl(
    lcl_solver *S, const struct lcl_solve_cl *solve,
    struct lcl_report *reports);

/* As lcl_precond_apply(), for arrays of n doubles in the caller's numbering,
 * which may overlap. Returns when the work is enqueued; `done` completes with
 * it. An array with an offset, and a b that overlaps x, are copied first. */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_apply_cl(
    lcl_precond *M, const struct lcl_array_cl *b, const struct lcl_array_cl *x,
    const struct lcl_events_cl *events);
/* The same for x = M^-T b, as lcl_precond_apply_transpose(). */
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_apply_transpose_cl(
    lcl_precond *M, const struct lcl_array_cl *b, const struct lcl_array_cl *x,
    const struct lcl_events_cl *events);

/* A matrix as struct lcl_csr, in buffers of the context. Without entries,
 * col_ind and val may be missing. */
struct lcl_csr_cl {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    struct lcl_array_cl row_ptr; /* rows + 1 int64_t */
    struct lcl_array_cl col_ind; /* nnz int32_t */
    struct lcl_array_cl val;     /* nnz double */
};

/* As lcl_operator_create(), for a matrix on the device: checks, converts and
 * copies it there. The buffers need live only until the call returns, and are
 * not changed; `done` completes with what the call has enqueued. Values for
 * lcl_operator_update() come in the same order. Returns as
 * lcl_operator_create(). */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_cl(
    lcl_operator **out, lcl_context *ctx, const struct lcl_csr_cl *A,
    const struct lcl_operator_params *params,
    const struct lcl_events_cl *events);

/* As lcl_operator_update(), for as many doubles as A has values, in the order
 * of A. Waits until the values are checked, and returns when their copy is
 * enqueued; `done` completes with it. From the first call on, an operator that
 * no preconditioner has renumbered has a second buffer of values (in `bytes` of
 * its info). Returns as lcl_operator_update(); LCL_EINVAL also for an operator
 * that is distributed; LCL_EBUILD, LCL_EDEVMEM, LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_cl(
    lcl_operator *A, const struct lcl_array_cl *val,
    const struct lcl_events_cl *events);

/* As lcl_operator_update_ldu() in layout.h, for buffers. Waits and returns as
 * lcl_operator_update_cl(). */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_update_ldu_cl(
    lcl_operator *A, const struct lcl_array_cl *diagonal,
    const struct lcl_array_cl *upper, const struct lcl_array_cl *lower,
    const struct lcl_events_cl *events);

/* Enqueues y = A x on `queue`, the context's, for arrays of `cols` and `rows`
 * doubles, by its own means or, as a lcl_apply_fn, by other operators of the
 * context. Returns LCL_OK or a negative status, which ends the call that needed
 * the product. After a solve has stopped, a few more products may be enqueued,
 * whose results are not used. */
typedef enum lcl_status lcl_apply_cl_fn(void *user, cl_command_queue queue,
                                        const struct lcl_array_cl *x,
                                        const struct lcl_array_cl *y);

/* As lcl_operator_create_callback() and lcl_precond_create_callback(), with
 * vectors that stay on the device. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_create_callback_cl(
    lcl_operator **out, lcl_context *ctx, int64_t rows, int64_t cols,
    lcl_apply_cl_fn *apply, void *user);
LCL_NODISCARD LCL_API enum lcl_status lcl_precond_create_callback_cl(
    lcl_precond **out, lcl_operator *A, lcl_apply_cl_fn *apply, void *user);

/* As lcl_operator_apply(), for arrays of cols and rows doubles that do not
 * overlap. Returns when the work is enqueued; `done` completes with it. An
 * array with an offset is copied. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply_cl(
    lcl_operator *A, const struct lcl_array_cl *x, const struct lcl_array_cl *y,
    const struct lcl_events_cl *events);
/* The same for y = A^T x, as lcl_operator_apply_transpose(): x has rows, y has
 * cols doubles. */
LCL_NODISCARD LCL_API enum lcl_status lcl_operator_apply_transpose_cl(
    lcl_operator *A, const struct lcl_array_cl *x, const struct lcl_array_cl *y,
    const struct lcl_events_cl *events);

LCL_END_DECLS

#endif
