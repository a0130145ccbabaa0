// SPDX-License-Identifier: BSD-3-Clause
// Operators on several devices of one process.
#include "lib/distributed/team_operator.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "host/runtime.h"
#include "lib/distributed/distributed.h"

#include <string.h>

void lcl_distribution_finish(struct lcl_distribution *D)
{
    lcl_free(D->first);
    lcl_free(D->perm);
    lcl_free(D->map);
    *D = (struct lcl_distribution){.size = 0};
}

// ------------------------------------------------------------------- vectors

// Elements of the first `row` rows of all stages.
static int64_t elements(const struct lcl_distribution *D, int64_t row)
{
    return row * D->block * D->stages;
}

int64_t lcl_team_first(const struct lcl_team_operator *T, int rank)
{
    return elements(&T->distribution, T->distribution.first[rank]);
}

static bool is_in_order(const struct lcl_distribution *D)
{
    return !D->perm && D->stages == 1;
}

// Copies the rows of a rank in one stage to or from a vector in the order of
// the ranks.
static void copy_stage(const struct lcl_distribution *D, int rank, int stage,
                       const double *from, double *to, bool spread)
{
    const int64_t first = D->first[rank], all = D->first[D->size];
    const int64_t rows = D->first[rank + 1] - first, b = D->block;
    const int64_t start = elements(D, first) + stage * rows * b;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t row = D->perm ? D->perm[first + i] : first + i;
        const int64_t of_rank = start + i * b;
        const int64_t of_caller = (stage * all + row) * b;
        const int64_t in = spread ? of_caller : of_rank;
        const int64_t out = spread ? of_rank : of_caller;
        for (int64_t c = 0; c < b; ++c)
            to[out + c] = from[in + c];
    }
}

static void copy(const struct lcl_distribution *D, const double *from,
                 double *to, bool spread)
{
    for (int r = 0; r < D->size; ++r)
        for (int j = 0; j < D->stages; ++j)
            copy_stage(D, r, j, from, to, spread);
}

const double *lcl_team_spread(const struct lcl_team_operator *T,
                              const double *x, double *spread)
{
    const struct lcl_distribution *D = &T->distribution;
    if (is_in_order(D))
        return x;
    copy(D, x, spread, true);
    return spread;
}

void lcl_team_collect(const struct lcl_team_operator *T, double *y)
{
    const struct lcl_distribution *D = &T->distribution;
    if (is_in_order(D))
        memcpy(y, T->out, (size_t)elements(D, D->first[D->size]) * sizeof *y);
    else
        copy(D, T->out, y, false);
}

struct application {
    const struct lcl_team_operator *T;
    lcl_operator *const *op;
    const double *x;
    double *y;
};

static enum lcl_status apply_part(void *arg, int rank)
{
    const struct application *a = arg;
    const int64_t first = lcl_team_first(a->T, rank);
    return lcl_apply_host(a->op[rank], a->x + first, a->y + first);
}

enum lcl_status lcl_team_apply(const struct lcl_team_operator *T,
                               lcl_operator *const *op, const double *x,
                               double *y)
{
    struct application a = {T, op, lcl_team_spread(T, x, T->in), T->out};
    const enum lcl_status st = lcl_team_run(T->team, apply_part, &a);
    if (st >= 0)
        lcl_team_collect(T, y);
    return st;
}

// ------------------------------------------------------------------- operator

enum lcl_status lcl_team_apply_host(lcl_operator *A, const double *x, double *y)
{
    const enum lcl_status st = lcl_team_apply(A->team, A->team->part, x, y);
    lcl_team_note_products(A);
    return st;
}

enum lcl_status lcl_team_refuse(lcl_operator *A, enum lcl_mode mode,
                                const struct lcl_operands *v)
{
    (void)mode, (void)v;
    return lcl_fail(lcl_context_log(A->range.ctx), LCL_EUNSUPPORTED,
                    "an operator on several devices takes vectors in host "
                    "memory only");
}

struct values {
    const struct lcl_team_operator *T;
    const double *val;
};

// Updates the part of one rank, whose values are known to be finite.
static enum lcl_status update_part(void *arg, int rank)
{
    const struct values *v = arg;
    lcl_operator *part = v->T->part[rank];
    return part->ops->update(part, v->val + v->T->entry[rank]);
}

struct order {
    const int64_t *map;
    const double *from;
    double *to;
    int64_t count, chunks;
};

static void order_chunk(void *arg, int64_t chunk)
{
    const struct order *o = arg;
    const int64_t end = lcl_chunk_start(o->count, o->chunks, chunk + 1);
    for (int64_t k = lcl_chunk_start(o->count, o->chunks, chunk); k < end; ++k)
        o->to[k] = o->from[o->map[k]];
}

// Reorders the caller's values by rank.
static const double *ordered(const lcl_operator *A, const double *val)
{
    const struct lcl_team_operator *T = A->team;
    const int64_t nnz = A->info.nnz;
    struct order o = {T->distribution.map, val, T->val, nnz, lcl_chunks(nnz)};
    if (!o.map)
        return val;
    lcl_parallel(o.chunks, order_chunk, &o);
    return T->val;
}

static enum lcl_status update(lcl_operator *A, const double *val)
{
    const struct lcl_team_operator *T = A->team;
    struct values v = {T, ordered(A, val)};
    const uint64_t before = T->part[0]->version;
    const enum lcl_status st = lcl_team_run(T->team, update_part, &v);
    if (st == LCL_OK && T->part[0]->version == before)
        return LCL_OK;
    A->looked = false;
    ++A->version;
    return st;
}

static enum lcl_status look_at_part(void *arg, int rank)
{
    const struct lcl_team_operator *T = arg;
    return lcl_operator_look(T->part[rank]);
}

static enum lcl_status look(lcl_operator *A)
{
    struct lcl_team_operator *T = A->team;
    const enum lcl_status st = lcl_team_run(T->team, look_at_part, T);
    A->look = T->part[0]->look;
    return st;
}

void lcl_team_finish(lcl_operator *A)
{
    struct lcl_team_operator *T = A->team;
    if (!T)
        return;
    for (int r = 0; T->part && r < T->distribution.size; ++r)
        lcl_operator_destroy(&T->part[r]);
    lcl_team_destroy(&T->team);
    lcl_distribution_finish(&T->distribution);
    lcl_free(T->part);
    lcl_free(T->entry);
    lcl_free(T->in);
    lcl_free(T->out);
    lcl_free(T->val);
    lcl_free(T);
    A->team = NULL;
}

static const struct lcl_operator_ops ops = {
    .apply = lcl_team_refuse,
    .apply_host = lcl_team_apply_host,
    .update = update,
    .look = look,
    .destroy = lcl_team_finish,
};

// ------------------------------------------------------------------- creation

struct creation {
    const struct lcl_team_operator *T;
    lcl_context *const *ctx;
    const struct lcl_csr *A;
    const struct lcl_operator_params *params;
};

// Creates the part of one rank; a single rank has no halo.
static enum lcl_status create_part(void *arg, int rank)
{
    const struct creation *c = arg;
    const struct lcl_team_operator *T = c->T;
    const int64_t *first = T->distribution.first;
    struct lcl_comm *comm = lcl_team_comm(T->team, rank);
    const struct lcl_view rows =
        lcl_view_of_part(c->A, first[rank], first[rank + 1] - first[rank]);
    return comm->size == 1 && !lcl_is_reproducible(c->params)
               ? lcl_operator_create(&T->part[rank], c->ctx[rank], c->A,
                                     c->params)
               : lcl_distributed_create(&T->part[rank], c->ctx[rank], comm,
                                        &rows, c->params);
}

static enum lcl_status create_team(struct lcl_team_operator *T,
                                   lcl_context *const *ctx)
{
    const int size = T->distribution.size;
    struct lcl_log *log = lcl_malloc((size_t)size, sizeof *log);
    if (!log)
        return lcl_fail_memory(lcl_context_log(ctx[0]), "a team");
    for (int r = 0; r < size; ++r)
        log[r] = *lcl_context_log(ctx[r]);
    const enum lcl_status st = lcl_team_create(&T->team, size, log);
    lcl_free(log);
    if (st == LCL_OK)
        lcl_team_set_contexts(T->team, ctx);
    return st;
}

// A kernel that waits on a CPU keeps other kernels from running.
static bool may_connect(const struct lcl_team_operator *T,
                        lcl_context *const *ctx, enum lcl_communication way)
{
    bool may = T->distribution.size > 1 && way <= LCL_COMMUNICATION_AHEAD;
    for (int r = 0; r < T->distribution.size && may; ++r)
        may = way == LCL_COMMUNICATION_AHEAD || !lcl_context_is_cpu(ctx[r]);
    return may;
}

static enum lcl_status connect(struct lcl_team_operator *T,
                               lcl_context *const *ctx,
                               enum lcl_communication way)
{
    enum lcl_status st = LCL_OK;
    if (!may_connect(T, ctx, way))
        return LCL_OK;
    st = lcl_team_connect(T->team, ctx, &T->ahead);
    return st < 0 || T->ahead || way != LCL_COMMUNICATION_AHEAD
               ? st
               : lcl_fail(lcl_context_log(ctx[0]), LCL_EUNSUPPORTED,
                          "communication 'ahead' failed in a trial: a device "
                          "and the host do not see what the other writes; use "
                          "'step'");
}

enum lcl_status lcl_team_init(lcl_operator *A, lcl_context *const *ctx,
                              struct lcl_distribution *D,
                              const struct lcl_operator_params *params)
{
    struct lcl_team_operator *T = A->team = lcl_calloc(1, sizeof *T);
    const struct lcl_log *log = lcl_context_log(ctx[0]);
    const size_t n = (size_t)elements(D, D->first[D->size]);
    if (!T)
        return lcl_fail_memory(log, "an operator on several devices");
    T->distribution = *D;
    *D = (struct lcl_distribution){.size = 0};
    const size_t size = (size_t)T->distribution.size;
    T->part = lcl_calloc(size, sizeof *T->part);
    T->in = lcl_malloc(is_in_order(&T->distribution) ? 0 : n, sizeof *T->in);
    T->out = lcl_malloc(n, sizeof *T->out);
    if (!T->part || !T->in || !T->out)
        return lcl_fail_memory(log, "an operator on several devices");
    const enum lcl_status st = create_team(T, ctx);
    return st < 0 ? st
                  : connect(T, ctx,
                            params ? params->communication
                                   : LCL_COMMUNICATION_DEFAULT);
}

void lcl_team_describe(lcl_operator *A, int64_t nnz)
{
    const struct lcl_team_operator *T = A->team;
    A->info = T->part[0]->info;
    A->info.rows = A->info.cols = A->range.n;
    A->info.nnz = nnz;
    A->info.devices = T->distribution.size;
    for (int r = 1; r < T->distribution.size; ++r)
        A->info.bytes += T->part[r]->info.bytes;
    for (int r = 0; r < T->distribution.size; ++r)
        if (T->part[r]->part)
            T->part[r]->part->share.perm = T->distribution.perm;
}

void lcl_team_note_products(lcl_operator *A)
{
    if (A->info.traffic != A->team->part[0]->info.traffic)
        lcl_team_describe(A, A->info.nnz);
}

// Finds the entries of each rank.
static enum lcl_status list_entries(struct lcl_team_operator *T,
                                    const struct lcl_csr *A,
                                    const struct lcl_log *log)
{
    const struct lcl_distribution *D = &T->distribution;
    T->entry = lcl_malloc((size_t)D->size, sizeof *T->entry);
    T->val = lcl_malloc(D->perm ? (size_t)A->nnz : 0, sizeof *T->val);
    if (!T->entry || !T->val)
        return lcl_fail_memory(log, "an operator on several devices");
    for (int r = 0; r < D->size; ++r)
        T->entry[r] = A->row_ptr[D->first[r]];
    return LCL_OK;
}

static enum lcl_status create(lcl_operator *A, lcl_context *const *ctx,
                              const struct lcl_csr *rows,
                              struct lcl_distribution *D,
                              const struct lcl_operator_params *params)
{
    enum lcl_status st = lcl_team_init(A, ctx, D, params);
    struct creation c = {A->team, ctx, rows, params};
    if (st < 0 ||
        (st = list_entries(A->team, rows, lcl_context_log(ctx[0]))) < 0 ||
        (st = lcl_team_run(A->team->team, create_part, &c)) < 0)
        return st;
    lcl_team_describe(A, rows->nnz);
    return LCL_OK;
}

enum lcl_status lcl_team_operator_create(
    lcl_operator **out, lcl_context *const *ctx, const struct lcl_csr *A,
    struct lcl_distribution *D, const struct lcl_operator_params *params)
{
    enum lcl_status st =
        lcl_operator_allocate(out, ctx[0], &ops, A->rows, A->cols, 1);
    if (st == LCL_OK)
        st = create(*out, ctx, A, D, params);
    lcl_distribution_finish(D);
    if (st < 0)
        lcl_operator_destroy(out);
    return st;
}
