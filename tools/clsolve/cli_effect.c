// SPDX-License-Identifier: BSD-3-Clause
// Refuses options of the library that have no effect on the chosen method.
#include "tools/clsolve/cli.h"
#include "tools/clsolve/commands.h"
#include "tools/clsolve/ranks.h"

#include <levelcl/published.h>

#include <string.h>

enum { LIST_BYTES = 256 };

// Sets of types; `auto` is in those of its first method.
#define S(name) (1u << LCL_SOLVER_##name)
#define P(name) (1u << LCL_PRECOND_##name)

#define BASIS (S(GMRES) | S(FGMRES))

#define PLAIN_FACTORS (P(DEFAULT) | P(ILU0) | P(ILDU0) | P(IC0))
#define OVERLAPPING   (P(ILUK) | P(ILUT) | P(RAS) | P(AS))
#define FACTORS       (PLAIN_FACTORS | OVERLAPPING)
#define ON_SUBDOMAINS (FACTORS | P(CPR))
#define MULTIGRID     (P(AMG) | P(CPR))

struct effect {
    const char *key;
    unsigned types;
};

static const struct effect on_solver[] = {
    {"idr-s", S(IDR)}, {"restart", BASIS},
    {"basis", BASIS},  {"orthogonalisation", BASIS},
    {"side", S(IDR)},
};

static const struct effect on_precond[] = {
    {"transversal", FACTORS & ~(P(IC0) | P(AS))},
    {"order", FACTORS},
    {"relax", FACTORS},
    {"ilu-level", P(ILUK) | P(RAS) | P(AS)},
    {"ilut-p", P(ILUT) | P(RAS)},
    {"ilut-tol", P(ILUT) | P(RAS)},
    {"overlap", OVERLAPPING},
    {"amg-coarsening", MULTIGRID},
    {"amg-smoother", MULTIGRID},
    {"amg-refresh", MULTIGRID},
    {"amg-storage", MULTIGRID},
    {"amg-theta", MULTIGRID},
    {"amg-levels", MULTIGRID},
    {"amg-coarse-rows", MULTIGRID},
    {"cpr-pressure", P(CPR)},
    {"trisolve", ON_SUBDOMAINS},
    {"elimination", FACTORS},
    {"pivot", ON_SUBDOMAINS | P(BLOCK_JACOBI)},
    {"pivot-tol", ON_SUBDOMAINS},
    {"factor-storage", ON_SUBDOMAINS | P(BLOCK_JACOBI)},
    {"max-block-size", P(BLOCK_JACOBI)},
    {"block-extraction", P(BLOCK_JACOBI)},
    {"block-apply", P(BLOCK_JACOBI)},
    {"coarse", PLAIN_FACTORS},
    {"partition", ON_SUBDOMAINS},
    {"subdomain-rows", ON_SUBDOMAINS | P(AMG)},
    {"weights", ON_SUBDOMAINS},
    {"grid", ON_SUBDOMAINS},
};

// An enum of types as numbers.
struct family {
    const char *option;
    int type; // in use
    const char *(*name)(int type);
    const struct effect *effects;
    int effects_count;
};

static const char *solver_name(int type)
{
    return lcl_solver_name((enum lcl_solver_type)type);
}

static const char *precond_name(int type)
{
    return lcl_precond_name((enum lcl_precond_type)type);
}

static int highest(unsigned types)
{
    int type = 0;
    while (types >>= 1)
        ++type;
    return type;
}

// "iluk, ras or as", without auto.
static void list_types(char list[LIST_BYTES], const struct family *family,
                       unsigned types)
{
    const int last = highest(types);
    size_t at = 0;
    types &= ~1u;
    for (int type = 1; type <= last && at < LIST_BYTES; ++type) {
        if (!(types & 1u << type))
            continue;
        const char *before = at == 0 ? "" : type == last ? " or " : ", ";
        at += (size_t)snprintf(list + at, LIST_BYTES - at, "%s%s", before,
                               family->name(type));
    }
}

static enum lcl_status check_family(const struct cli *cli,
                                    const struct family *family,
                                    struct messages *messages)
{
    for (int i = 0; i < family->effects_count; ++i) {
        const struct effect *effect = &family->effects[i];
        char list[LIST_BYTES];
        if (!cli_is_given(cli, effect->key) ||
            (effect->types & 1u << family->type))
            continue;
        list_types(list, family, effect->types);
        return messages_fail(messages, LCL_EINVAL,
                             "--%s has no effect with %s %s: it requires %s %s",
                             effect->key, family->option,
                             family->name(family->type), family->option, list);
    }
    return LCL_OK;
}

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static enum lcl_status check_families(const struct cli *cli,
                                      struct messages *messages)
{
    const struct lcl_options *options = &cli->options;
    const struct family solver = {"--solver", (int)options->solver.type,
                                  solver_name, on_solver, COUNT(on_solver)};
    const struct family precond = {"--precond", (int)options->precond.type,
                                   precond_name, on_precond, COUNT(on_precond)};
    const enum lcl_status st = check_family(cli, &solver, messages);
    return st < 0 ? st : check_family(cli, &precond, messages);
}

// ---------------------------------------------------------------- others

static bool has_edge_weights(const struct cli *cli)
{
    const enum lcl_partition_type type = cli->options.precond.partition.type;
    return !cli->labels &&
           (type == LCL_PARTITION_DEFAULT || type == LCL_PARTITION_MATCH ||
            type == LCL_PARTITION_METIS);
}

static enum lcl_status check_values(const struct cli *cli,
                                    struct messages *messages)
{
    const struct lcl_precond_params *precond = &cli->options.precond;
    const enum lcl_amg_smoother smoother = precond->amg.smoother;
    const bool kron = cli_is_kron(cli);
    const struct {
        const char *key;
        bool wrong;
        const char *why;
    } rules[] = {
        {"kron-product", !kron, "it applies only to Kronecker systems"},
        {"kron-exchange", !kron || !(cli->devices || ranks_are_wanted(cli)),
         "it applies only to Kronecker systems on several devices"},
        {"spmv", kron, "it does not apply to Kronecker systems"},
        {"hec-width",
         cli->options.op.spmv != LCL_SPMV_HEC &&
             !cli_takes_levels(precond->trisolve),
         "it requires --spmv hec or --trisolve hec_level or hec_wait"},
        {"communication", !(cli->devices || ranks_are_wanted(cli)),
         "it requires --devices or mpirun"},
        {"weights", !has_edge_weights(cli),
         "it requires --partition match or metis"},
        {"subdomain-rows",
         precond->type == LCL_PRECOND_AMG &&
             (smoother == LCL_AMG_CHEBYSHEV || smoother == LCL_AMG_JACOBI),
         "with --precond amg it requires --amg-smoother ildu0"},
    };
    for (int i = 0; i < COUNT(rules); ++i)
        if (rules[i].wrong && cli_is_given(cli, rules[i].key))
            return messages_fail(messages, LCL_EINVAL, "--%s has no effect: %s",
                                 rules[i].key, rules[i].why);
    return LCL_OK;
}

// Commands that compute nothing take no options of the library.
static enum lcl_status check_any(const struct cli *cli,
                                 struct messages *messages)
{
    char title[64];
    for (int i = 0; i < CLI_KEYS && lcl_options_help(i); ++i)
        if (cli->given[i])
            return messages_fail(
                messages, LCL_EINVAL, "--%s does not apply to %s",
                lcl_options_help(i)->key, command_title(cli->command, title));
    return LCL_OK;
}

enum lcl_status cli_check_effect(const struct cli *cli,
                                 struct messages *messages)
{
    if (!(cli->command->takes & TAKES_METHOD))
        return check_any(cli, messages);
    const enum lcl_status st = check_families(cli, messages);
    return st < 0 ? st : check_values(cli, messages);
}
