// SPDX-License-Identifier: BSD-3-Clause
// Operators on several devices of one process: one object for the caller, and a
// part on each rank of a team (lib/distributed/distributed.h). A call on the
// object runs on all parts at once, each on a thread of its own.
#pragma once

#include "lib/comm/team.h"
#include "lib/operator/operator.h"

// Distribution of rows: rank r has the rows first[r] .. first[r+1]-1 of a
// numbering in which row i is the caller's perm[i]. In vectors a row is `block`
// elements in each of `stages` stages, which follow each other, both in the
// whole vector and in the part of each rank.
struct lcl_distribution {
    int size, block, stages;
    int64_t *first;
    int32_t *perm; // NULL: the caller's numbering
    int64_t *map;  // with `perm`: entry k is the caller's entry map[k]
};
void lcl_distribution_finish(struct lcl_distribution *D);

struct lcl_team_operator {
    lcl_team *team;
    bool ahead; // sums and messages are enqueued (lib/comm/relay.h)
    struct lcl_distribution distribution;
    lcl_operator **part;
    double *out; // result in the order of the ranks
    double *in;  // vector in that order, unless the caller's is
    // Only of matrices:
    int64_t *entry; // first entry of each rank's rows
    double *val;    // with `perm`: values in the order of the ranks
};

// Creates an operator with a part on each context. A has its rows in the
// numbering of *D, which the function owns from then on, also on error. Returns
// as lcl_distributed_create(); on error *out is NULL.
enum lcl_status lcl_team_operator_create(
    lcl_operator **out, lcl_context *const *ctx, const struct lcl_csr *A,
    struct lcl_distribution *D, const struct lcl_operator_params *params);

// Creates the team of an operator on several devices, without parts; the team
// owns *D unless memory is short. Returns LCL_OK, LCL_ENOMEM or
// LCL_EUNSUPPORTED (the communication in params); on error the caller destroys
// the operator.
enum lcl_status lcl_team_init(lcl_operator *A, lcl_context *const *ctx,
                              struct lcl_distribution *D,
                              const struct lcl_operator_params *params);
// Fills A's info once its parts exist; `nnz` is the number of entries of the
// whole system.
void lcl_team_describe(lcl_operator *A, int64_t nnz);
// Updates A's info after the first use of its parts, which creates their
// products.
void lcl_team_note_products(lcl_operator *A);
void lcl_team_finish(lcl_operator *A); // allowed without a team

// Offset of a rank's part in a vector in the order of the ranks.
int64_t lcl_team_first(const struct lcl_team_operator *T, int rank);

// Reorders a vector of the caller by rank; returns x itself or the copy.
const double *lcl_team_spread(const struct lcl_team_operator *T,
                              const double *x, double *copy);
// Copies T->out to a vector of the caller, as the last step: a call that fails
// leaves the vector unchanged.
void lcl_team_collect(const struct lcl_team_operator *T, double *y);

// The `apply` of operators with parts on several devices, which have no vectors
// on a single device. Returns LCL_EUNSUPPORTED.
enum lcl_status lcl_team_refuse(lcl_operator *A, enum lcl_mode mode,
                                const struct lcl_operands *v);

// y = Op x on all ranks. Operator op[r] is in the caller's numbering of rank r;
// x and y are vectors of the caller.
enum lcl_status lcl_team_apply(const struct lcl_team_operator *T,
                               lcl_operator *const *op, const double *x,
                               double *y);

// The `apply_host` of operators on several devices.
enum lcl_status lcl_team_apply_host(lcl_operator *A, const double *x,
                                    double *y);
