// SPDX-License-Identifier: BSD-3-Clause
// Compares the parameters of a preconditioner on all ranks: numbers, but not
// arrays, which differ from rank to rank.
#include "lib/precond/precond.h"

enum lcl_status lcl_precond_expect_equal(const struct lcl_space *V,
                                         const struct lcl_precond_params *p)
{
    const struct lcl_common all[] = {
        {"type", p->type},
        {"trisolve", p->trisolve},
        {"elimination", p->elimination},
        {"partition.type", p->partition.type},
        {"partition.weights", p->partition.weights},
        {"partition.rows", (double)p->partition.rows},
        {"partition.box", (double)p->partition.box[0]},
        {"partition.box", (double)p->partition.box[1]},
        {"partition.box", (double)p->partition.box[2]},
        {"partition.grid", (double)p->partition.grid[0]},
        {"partition.grid", (double)p->partition.grid[1]},
        {"partition.grid", (double)p->partition.grid[2]},
        {"pivot", p->pivot},
        {"pivot_tol", p->pivot_tol},
        {"relax", p->relax},
        {"ilu_level", p->ilu_level},
        {"ilut_p", p->ilut_p},
        {"ilut_tol", p->ilut_tol},
        {"overlap", p->overlap},
        {"transversal", p->transversal},
        {"order", p->order},
        {"refresh", p->refresh},
        {"coarse", p->coarse},
        {"storage", p->storage},
        {"block_jacobi.max_rows", p->block_jacobi.max_rows},
        {"block_jacobi.extraction", p->block_jacobi.extraction},
        {"block_jacobi.apply", p->block_jacobi.apply},
        {"amg.coarsening", p->amg.coarsening},
        {"amg.smoother", p->amg.smoother},
        {"amg.refresh", p->amg.refresh},
        {"amg.storage", p->amg.storage},
        {"amg.theta", p->amg.theta},
        {"amg.levels", p->amg.levels},
        {"amg.coarse_rows", (double)p->amg.coarse_rows},
        {"cpr.pressure", p->cpr.pressure},
    };
    return lcl_space_expect_equal(V, "a preconditioner", all,
                                  sizeof all / sizeof *all);
}
