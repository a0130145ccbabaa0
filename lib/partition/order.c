// SPDX-License-Identifier: BSD-3-Clause
// Orders of elimination.
#include "lib/partition/order.h"

#include "host/log.h"
#include "lib/partition/graph.h"

static enum lcl_status order_graph(int32_t *perm, const struct lcl_graph *G,
                                   enum lcl_order order,
                                   const struct lcl_log *log)
{
    return order == LCL_ORDER_RCM ? lcl_order_rcm(perm, G, log)
                                  : lcl_order_nested(perm, G, log);
}

enum lcl_status lcl_order_find(int32_t *perm, const struct lcl_csr *A,
                               enum lcl_order order, const struct lcl_log *log)
{
    const struct lcl_weighing unweighted = {0};
    struct lcl_graph G;
    enum lcl_status st;
    if (order <= LCL_ORDER_NONE) {
        for (int64_t i = 0; i < A->rows; ++i)
            perm[i] = (int32_t)i;
        return LCL_OK;
    }
    if (A->nnz > IDX_MAX / 2)
        return lcl_fail(log, LCL_ERANGE,
                        "an order of rows takes at most %lld entries, the "
                        "matrix has %lld",
                        (long long)(IDX_MAX / 2), (long long)A->nnz);
    if ((st = lcl_graph_create(&G, A, 0, A->rows, &unweighted, log)) < 0)
        return st;
    st = order_graph(perm, &G, order, log);
    lcl_graph_finish(&G);
    return st;
}
