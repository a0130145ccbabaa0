// SPDX-License-Identifier: BSD-3-Clause
// No preconditioner: M = I, in the caller's numbering.
#include "lib/precond/precond.h"

static enum lcl_status create(struct lcl_precond *M, const struct lcl_bsr *A,
                              const struct lcl_precond_params *params)
{
    (void)params;
    return lcl_system_init(&M->system, M->ctx, A, NULL, NULL);
}

static enum lcl_status update(struct lcl_precond *M)
{
    (void)M;
    return LCL_OK;
}

static enum lcl_status apply(struct lcl_precond *M, const lcl_buffer *b,
                             lcl_buffer *x, const lcl_buffer *stop, int at)
{
    // harmless if the solve has stopped: only kernels that check the stopping
    // flag read x
    (void)M, (void)stop, (void)at;
    return lcl_buffer_copy(x, b);
}

static void destroy(struct lcl_precond *M)
{
    (void)M;
}

const struct lcl_precond_ops lcl_precond_none = {
    .create = create,
    .update = update,
    .apply = apply,
    .destroy = destroy,
    .identity = true,
};
