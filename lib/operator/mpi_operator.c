// SPDX-License-Identifier: BSD-3-Clause
// Operators whose rows are distributed among the ranks of MPI.
#include "host/log.h"
#include "host/runtime.h"
#include "lib/comm/agree.h"
#include "lib/comm/mpi.h"
#include "lib/operator/distributed.h"

#include <levelcl/mpi.h>

static enum lcl_status expect_equal(struct lcl_comm *C,
                                    const struct lcl_operator_params *p)
{
    const struct lcl_common all[] = {{"spmv", p->spmv},
                                     {"block_size", p->block_size},
                                     {"kron", p->kron},
                                     {"hec_width", p->hec_width}};
    return lcl_comm_expect_equal(C, "an operator", all,
                                 sizeof all / sizeof *all);
}

// Arguments that are wrong on one rank are refused on all.
enum lcl_status lcl_operator_create_mpi(
    lcl_operator **out, lcl_context *ctx, MPI_Comm comm,
    const struct lcl_rows *A, const struct lcl_operator_params *params)
{
    struct lcl_comm *C;
    enum lcl_status st = lcl_mpi_comm_create(&C, &comm, lcl_context_log(ctx));
    if (st < 0) {
        if (out)
            *out = NULL;
        return st;
    }
    st = lcl_operator_begin(out, ctx, A, "lcl_operator_create_mpi", &params);
    if ((st = lcl_comm_agree(C, st, "an operator")) < 0 ||
        (st = expect_equal(C, params)) < 0 ||
        (st = lcl_distributed_create(out, ctx, C, A, params)) < 0)
        lcl_mpi_comm_destroy(&C);
    else
        lcl_distributed_take(*out, C, lcl_mpi_comm_destroy);
    return st;
}
