// SPDX-License-Identifier: BSD-3-Clause
// Kronecker operators whose rows are distributed among the ranks of MPI.
#include "lib/distributed/ranks_operator.h"
#include "lib/kron/distributed.h"

enum lcl_status lcl_operator_create_kron_ranks(
    lcl_operator **out, lcl_context *ctx, const lcl_ranks *ranks,
    const struct lcl_kron_rows *K, const struct lcl_operator_params *params)
{
    static const char function[] = "lcl_operator_create_kron_ranks";
    struct lcl_comm *C;
    enum lcl_status st =
        lcl_ranks_operator_begin(&C, out, ctx, ranks, K, function, &params);
    if (st < 0)
        return st;
    st = lcl_kron_check_ranks(params, &C->log);
    if (st == LCL_OK)
        st = lcl_kron_distributed_create(out, ctx, C, K, params);
    return lcl_ranks_operator_end(*out, C, st);
}
