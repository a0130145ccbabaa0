// SPDX-License-Identifier: BSD-3-Clause
// The classes of clsolve warm, and the solution of their systems.
#include "tools/clsolve/warm.h"

#include "tools/clsolve/random.h"

#include <stdlib.h>
#include <string.h>

// Small systems do not get the methods of large ones, which are named; and what
// a measurement chooses may differ from run to run. Classes that share few
// kernels come first, since they run at the same time.
// clang-format off
static const struct warm_class table[WARM_CLASSES] = {
    {"spd", {{"lap3d:30", NULL, 0},
             {"lap3d:16", "precond=ic0", 0},
             {"lap3d:16", "precond=amg", 0},
             {"lap3d:6", NULL, 0},
             {"q1:10", NULL, 0},
             {"lap3d:10", "solver=cg precond=jacobi spmv=csr", 0},
             {"lap3d:10", "solver=cg precond=jacobi spmv=sliced", 0},
             {"lap3d:10", "solver=cg precond=jacobi spmv=adaptive", 0}}},
    {"kron", {{"kron:2,3,3,3", NULL, 0},
              {"kron:3,3,3,3", NULL, 0},
              {"kron:4,3,3,3", NULL, 0}}},
    {"elasticity", {{"elasticity:20", NULL, 0},
                    {"elasticity:12", NULL, 0},
                    {"elasticity:6", "precond=amg", 0}}},
    {"blocks", {{"lap3d:10,b=2", NULL, 0},
                {"lap3d:10,b=4", NULL, 0}}},
    {"nonsymmetric", {{"convdiff:32,1", NULL, 0},
                      {"convdiff:10,1", "precond=ildu0", 0},
                      {"convdiff:10,1", "precond=amg", 0},
                      {"convdiff:10,1", "solver=gmres", 0},
                      {"convdiff:10,1", "solver=idr", 0},
                      {"convdiff:10,1", "solver=bicgstab spmv=csr", 0},
                      {"convdiff:10,1", "solver=bicgstab spmv=sliced", 0},
                      {"convdiff:10,1", "solver=bicgstab spmv=adaptive", 0}}},
    {"blackoil", {{"blackoil:8", NULL, 0},
                  {"blackoil:8", "precond=cpr", 0}}},
    {"circuit", {{"convdiff:10,1", "precond=ilut transversal=on", 0},
                 {"convdiff:10,1", "precond=iluk", 0},
                 {"convdiff:10,1", "solver=idr precond=ras", 0}}},
    {"indefinite", {{"lap3d:10", "solver=minres", 0},
                    {"lap3d:10", "solver=bicgstab precond=ildu0", 0}}},
    {"columns", {{"lap3d:16", "precond=ic0", 8},
                 {"lap3d:16", "precond=jacobi", 8},
                 {"lap3d:30", NULL, 8}}},
};
// clang-format on

const struct warm_class *warm_class_at(int index)
{
    return index < WARM_CLASSES ? &table[index] : NULL;
}

static bool choose_one(bool wanted[WARM_CLASSES], const char *name,
                       size_t length)
{
    const bool all = length == 3 && memcmp(name, "all", 3) == 0;
    bool found = all;
    for (int k = 0; k < WARM_CLASSES; ++k) {
        const bool is_named = strlen(table[k].name) == length &&
                              memcmp(table[k].name, name, length) == 0;
        wanted[k] |= all || is_named;
        found |= is_named;
    }
    return found;
}

bool warm_choose(bool wanted[WARM_CLASSES], const char *list)
{
    memset(wanted, 0, WARM_CLASSES * sizeof *wanted);
    for (bool more = true; more; ++list) {
        const size_t length = strcspn(list, ",");
        if (!choose_one(wanted, list, length))
            return false;
        list += length;
        more = *list == ',';
    }
    return true;
}

// ---------------------------------------------------------------- a system

struct system {
    struct lcl_csr A;
    struct lcl_kron_data K;
    lcl_operator *op;
    lcl_chain *chain;
    double *b, *x;
};

static void finish(struct system *S)
{
    lcl_chain_destroy(&S->chain);
    lcl_operator_destroy(&S->op);
    lcl_csr_finish(&S->A);
    lcl_kron_data_finish(&S->K);
    free(S->b);
}

static enum lcl_status make_operator(struct system *S, struct job *job,
                                     const char *problem,
                                     const struct lcl_operator_params *params)
{
    const bool is_kron = strncmp(problem, "kron", 4) == 0;
    enum lcl_status st = is_kron ? lcl_kron_problem(&S->K, problem, &job->log)
                                 : lcl_csr_problem(&S->A, problem, &job->log);
    if (st < 0)
        return st;
    return is_kron ? lcl_operator_create_kron(&S->op, job->ctx, &S->K.K, params)
                   : lcl_operator_create(&S->op, job->ctx, &S->A, params);
}

static enum lcl_status solve(struct system *S, struct job *job, int count)
{
    const int64_t n = lcl_operator_info(S->op)->rows;
    S->b = calloc((size_t)(2 * n * count), sizeof *S->b);
    if (!S->b)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the vectors");
    random_fill(S->b, n * count, 1);
    return lcl_chain_solve_many(S->chain, S->b, n, S->b + n * count, n, count,
                                NULL);
}

// Pairs separated by blanks.
static enum lcl_status parse(struct lcl_options *options, const char *text,
                             const struct lcl_log *log)
{
    enum lcl_status st = LCL_OK;
    char pair[64];
    for (; text && *text && st == LCL_OK; text += strspn(text, " ")) {
        const size_t length = strcspn(text, " ");
        snprintf(pair, sizeof pair, "%.*s", (int)length, text);
        st = lcl_options_parse(options, pair, log);
        text += length;
    }
    return st;
}

static enum lcl_status solve_system(struct job *job,
                                    const struct warm_system *system)
{
    struct system S = {.op = NULL};
    struct lcl_options options = LCL_OPTIONS_INIT;
    enum lcl_status st = parse(&options, system->options, &job->log);
    if (st >= 0 &&
        (st = make_operator(&S, job, system->problem, &options.op)) >= 0 &&
        (st = lcl_chain_create(&S.chain, S.op, &options.precond,
                               &options.solver)) >= 0)
        st = solve(&S, job, system->columns > 0 ? system->columns : 1);
    finish(&S);
    return st;
}

enum lcl_status warm_solve(struct job *job, const struct warm_class *class)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < WARM_SYSTEMS && class->system[k].problem; ++k)
        if ((st = solve_system(job, &class->system[k])) < 0)
            return st;
    return LCL_OK;
}
