// SPDX-License-Identifier: BSD-3-Clause
// Operators whose rows are distributed among the ranks of MPI.
#include "lib/distributed/ranks_operator.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/comm/consistency.h"
#include "lib/comm/mpi.h"
#include "lib/comm/ranks.h"
#include "lib/distributed/distributed.h"

static enum lcl_status refuse_ahead(const struct lcl_operator_params *params,
                                    const struct lcl_log *log)
{
    return params->communication == LCL_COMMUNICATION_AHEAD
               ? lcl_fail(log, LCL_EUNSUPPORTED,
                          "communication 'ahead' is for devices of one "
                          "process; ranks of MPI need 'step'")
               : LCL_OK;
}

static enum lcl_status expect_equal(struct lcl_comm *C,
                                    const struct lcl_operator_params *p)
{
    const struct lcl_common all[] = {
        {"spmv", p->spmv},           {"block_size", p->block_size},
        {"kron", p->kron},           {"kron_exchange", p->kron_exchange},
        {"hec_width", p->hec_width}, {"communication", p->communication},
    };
    return lcl_comm_expect_equal(C, "an operator", all,
                                 sizeof all / sizeof *all);
}

enum lcl_status lcl_ranks_operator_begin(
    struct lcl_comm **comm, lcl_operator **out, lcl_context *ctx,
    const lcl_ranks *ranks, const void *A, const char *function,
    const struct lcl_operator_params **params)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st = LCL_OK;
    *comm = NULL;
    if (out)
        *out = NULL;
    if (ctx && (st = lcl_context_expect_collective(ctx, function)) < 0)
        return st;
    if (!ranks)
        return lcl_misuse(log, "%s: ranks is NULL", function);
    if ((st = lcl_mpi_comm_create(comm, lcl_ranks_mpi(ranks), log)) < 0)
        return st;
    if ((st = lcl_operator_begin(out, ctx, A, function, params)) == LCL_OK)
        st = refuse_ahead(*params, log);
    if ((st = lcl_comm_agree(*comm, st, "an operator")) < 0 ||
        (st = expect_equal(*comm, *params)) < 0)
        lcl_mpi_comm_destroy(comm);
    return st;
}

enum lcl_status lcl_ranks_operator_end(lcl_operator *A, struct lcl_comm *C,
                                       enum lcl_status st)
{
    if (st < 0)
        lcl_mpi_comm_destroy(&C);
    else {
        A->comm = C;
        A->end_comm = lcl_mpi_comm_destroy;
    }
    return st;
}

enum lcl_status lcl_operator_create_ranks(
    lcl_operator **out, lcl_context *ctx, const lcl_ranks *ranks,
    const struct lcl_rows *A, const struct lcl_operator_params *params)
{
    static const char function[] = "lcl_operator_create_ranks";
    struct lcl_comm *C;
    enum lcl_status st =
        lcl_ranks_operator_begin(&C, out, ctx, ranks, A, function, &params);
    if (st < 0)
        return st;
    const struct lcl_view rows = lcl_view_of_rows(A, 1);
    st = lcl_distributed_create(out, ctx, C, &rows, params);
    return lcl_ranks_operator_end(*out, C, st);
}
