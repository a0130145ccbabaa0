// SPDX-License-Identifier: BSD-3-Clause
// Checks which options of clsolve can be combined.
#include "tools/clsolve/cli.h"
#include "tools/clsolve/commands.h"
#include "tools/clsolve/devices.h"
#include "tools/clsolve/kron_name.h"
#include "tools/clsolve/warm.h"

#include <levelcl/published.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_is_stdout(const char *path)
{
    return path && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

bool cli_is_stdin(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

bool cli_is_kron(const struct cli *cli)
{
    return cli->kron[0] || (cli->problem && is_kron_name(cli->problem));
}

// Without a file to read, the file to write is the only word, or the word that
// looks like the fourth file of --csr-text.
static enum lcl_status check_convert(struct cli *cli, struct messages *messages)
{
    const char **word = cli->text[3] ? &cli->text[3] : &cli->matrix;
    if (cli->command != &cmd_convert)
        return LCL_OK;
    if (cli_is_kron(cli))
        return messages_fail(
            messages, LCL_EINVAL,
            "clsolve convert does not support Kronecker systems");
    if (!cli->output && (cli->problem || cli->text[0])) {
        cli->output = *word;
        *word = NULL;
    }
    return cli->output
               ? LCL_OK
               : messages_fail(messages, LCL_EINVAL,
                               "clsolve convert needs the name of the file to "
                               "write, as in clsolve convert IN OUT");
}

static enum lcl_status check_matrix(const struct cli *cli,
                                    struct messages *messages)
{
    const bool text = cli->text[0] != NULL, kron = cli->kron[0] != NULL;
    const int given =
        (cli->matrix != NULL) + (cli->problem != NULL) + text + kron;
    const bool wanted = cli->command->takes & TAKES_MATRIX;
    if (cli->text[3] && !(cli->command->takes & TAKES_RHS))
        return messages_fail(messages, LCL_EINVAL,
                             "a fourth file of --csr-text applies only when "
                             "clsolve solves a system");
    if (cli->devices && cli->device)
        return messages_fail(messages, LCL_EINVAL,
                             "give --device or --devices, not both");
    if (cli->bandwidth && cli->device)
        return messages_fail(messages, LCL_EINVAL,
                             "give --device or --bandwidth, not both");
    if (cli->devices && devices_fault(cli->devices))
        return messages_fail(messages, LCL_EINVAL, "--devices %s: %s",
                             cli->devices, devices_fault(cli->devices));
    if (given > 1 && !text && !kron)
        return messages_fail(messages, LCL_EINVAL,
                             "give a matrix or --problem, not both");
    if (given > 1)
        return messages_fail(messages, LCL_EINVAL,
                             "give a matrix, --problem, --csr-text or --kron, "
                             "not two of them");
    if (cli->tau_text && !kron)
        return messages_fail(messages, LCL_EINVAL,
                             "--tau applies only with --kron");
    if (cli->rhs && cli->text[3])
        return messages_fail(messages, LCL_EINVAL,
                             "give -b or a fourth file to --csr-text, not "
                             "both");
    if (cli->sequence && (given > 0 || cli->rhs))
        return messages_fail(messages, LCL_EINVAL,
                             "--sequence lists the matrices and the right-hand "
                             "sides: give it or %s, not both",
                             given > 0 ? "a matrix" : "-b");
    if (wanted && given == 0 && !cli->sequence)
        return messages_fail(messages, LCL_EINVAL,
                             "no matrix given; see clsolve --help");
    return LCL_OK;
}

bool cli_has_components(const struct cli *cli)
{
    return cli->nullspace && strcmp(cli->nullspace, "components") == 0;
}

const char *cli_null_file(const struct cli *cli)
{
    const char *text = cli->nullspace;
    return text && strcmp(text, "constant") != 0 && !cli_has_components(cli)
               ? text
               : NULL;
}

void cli_list_inputs(const char *input[CLI_INPUTS], const struct cli *cli)
{
    const char *const files[CLI_INPUTS] = {
        cli->matrix,      cli->rhs,       cli->x0,           cli->labels,
        cli->text[0],     cli->text[1],   cli->text[2],      cli->text[3],
        cli->kron[0],     cli->kron[1],   cli->kron[2],      cli->kron[3],
        cli->coordinates, cli->near_null, cli_null_file(cli)};
    memcpy(input, files, sizeof files);
}

// Without a solve, nothing is written and measured.
static enum lcl_status check_dry_run(const struct cli *cli,
                                     struct messages *messages)
{
    const struct {
        bool given;
        const char *option;
    } useless[] = {{cli->output, "-o"},
                   {cli->history, "--history"},
                   {cli->plot, "--plot"},
                   {cli->report, "--report"},
                   {cli->profile, "--profile"}};
    if (!cli->dry_run)
        return LCL_OK;
    if (cli_is_kron(cli))
        return messages_fail(messages, LCL_EUNSUPPORTED,
                             "--dry-run does not support Kronecker systems");
    for (size_t i = 0; i < sizeof useless / sizeof *useless; ++i)
        if (useless[i].given)
            return messages_fail(messages, LCL_EINVAL,
                                 "%s has no effect: --dry-run solves nothing",
                                 useless[i].option);
    return LCL_OK;
}

static enum lcl_status check_streams(const struct cli *cli,
                                     struct messages *messages)
{
    const char *input[CLI_INPUTS];
    int from_stdin = 0;
    cli_list_inputs(input, cli);
    for (int i = 0; i < CLI_INPUTS; ++i)
        from_stdin += cli_is_stdin(input[i]);
    if (from_stdin > 1)
        return messages_fail(messages, LCL_EINVAL,
                             "only one file can be read from the standard "
                             "input");
    if (cli->plot && (cli->json || cli->quiet))
        return messages_fail(messages, LCL_EINVAL,
                             "--plot belongs to the text report: give it or "
                             "%s, not both",
                             cli->json ? "--json" : "-q");
    if (cli_is_stdout(cli->output) + cli_is_stdout(cli->history) +
            cli_is_stdout(cli->report) + cli->json >
        1)
        return messages_fail(messages, LCL_EINVAL,
                             "only one of -o, --history, --report and --json "
                             "can write to the standard output");
    return LCL_OK;
}

// Refuses options that would be ignored.
static enum lcl_status check_meaning(const struct cli *cli,
                                     struct messages *messages)
{
    const struct lcl_precond_params *precond = &cli->options.precond;
    const bool geometric =
        precond->partition.type == LCL_PARTITION_GEOMETRIC && !cli->labels;
    if (precond->partition.grid[0] > 0 && !geometric)
        return messages_fail(messages, LCL_EINVAL,
                             "--grid applies only with --partition geometric");
    return LCL_OK;
}

bool cli_has_factors(enum lcl_precond_type type)
{
    switch (type) {
    case LCL_PRECOND_DEFAULT:
    case LCL_PRECOND_ILU0:
    case LCL_PRECOND_ILDU0:
    case LCL_PRECOND_IC0:
    case LCL_PRECOND_ILUK:
    case LCL_PRECOND_ILUT:
    case LCL_PRECOND_RAS:
    case LCL_PRECOND_AS:
        return true;
    case LCL_PRECOND_NONE:
    case LCL_PRECOND_JACOBI:
    case LCL_PRECOND_BLOCK_JACOBI:
    case LCL_PRECOND_AMG:
    case LCL_PRECOND_CPR:
    case LCL_PRECOND_LU:
    case LCL_PRECOND_CALLBACK:
    case LCL_PRECOND_COUNT:
        break;
    }
    return false;
}

bool cli_is_cholesky(enum lcl_precond_type type)
{
    return type == LCL_PRECOND_IC0 || type == LCL_PRECOND_AS;
}

bool cli_takes_levels(enum lcl_trisolve trisolve)
{
    return trisolve == LCL_TRISOLVE_HEC_LEVEL ||
           trisolve == LCL_TRISOLVE_HEC_WAIT;
}

// ---------------------------------------------------------------- sequences

bool cli_is_sequence(const struct cli *cli)
{
    return cli->sequence || cli->matrices.count > 0 || cli->rhss.count > 0;
}

static bool is_stdin_listed(const struct cli_files *files)
{
    for (int i = 0; i < files->count; ++i)
        if (cli_is_stdin(files->path[i]))
            return true;
    return false;
}

// One of one kind serves all of the other.
static enum lcl_status check_counts(const struct cli *cli,
                                    struct messages *messages)
{
    const int matrices = cli->matrices.count + 1, rhss = cli->rhss.count + 1;
    if (cli_is_stdin(cli->matrix) || cli_is_stdin(cli->rhs) ||
        is_stdin_listed(&cli->matrices) || is_stdin_listed(&cli->rhss))
        return messages_fail(messages, LCL_EINVAL,
                             "a sequence is read from files, not from the "
                             "standard input");
    if (cli->rhss.count > 0 && !cli->rhs)
        return messages_fail(messages, LCL_EINVAL,
                             "'%s' is no file of right-hand sides, but others "
                             "follow it",
                             cli->rhs_text);
    return matrices == rhss || matrices == 1 || rhss == 1
               ? LCL_OK
               : messages_fail(messages, LCL_EINVAL,
                               "%d matrices and %d right-hand sides: a "
                               "sequence needs as many of both, or one of one "
                               "kind",
                               matrices, rhss);
}

static enum lcl_status check_written(const struct cli *cli,
                                     struct messages *messages)
{
    const char *const written[] = {cli->output, cli->history};
    char name[CLI_PATH];
    for (int i = 0; i < 2; ++i)
        if (written[i] && !cli_step_name(name, written[i], 1))
            return messages_fail(messages, LCL_EINVAL,
                                 "'%s' is one file for all steps: name it with "
                                 "%%d, the number of the step, as in x%%d.mtx "
                                 "or x%%03d.mtx",
                                 written[i]);
    return LCL_OK;
}

// What describes one system.
static enum lcl_status check_single(const struct cli *cli,
                                    struct messages *messages)
{
    const struct {
        bool given;
        const char *option;
    } single[] = {{cli->dry_run, "--dry-run"},
                  {cli->plot, "--plot"},
                  {cli->report, "--report"},
                  {cli->profile, "--profile"}};
    for (size_t i = 0; i < sizeof single / sizeof *single; ++i)
        if (single[i].given)
            return messages_fail(messages, LCL_EINVAL,
                                 "%s applies to one system, not to a sequence",
                                 single[i].option);
    return LCL_OK;
}

static enum lcl_status read_every(struct cli *cli, struct messages *messages)
{
    const char *text = cli->every_text;
    if (!text)
        return LCL_OK;
    if (!cli_is_sequence(cli))
        return messages_fail(messages, LCL_EINVAL,
                             "--update-every has no effect: it applies only to "
                             "a sequence of systems");
    const bool digits = text[strspn(text, "0123456789")] == '\0';
    cli->every = digits && strlen(text) < 8 ? atoi(text) : 0;
    return cli->every > 0
               ? LCL_OK
               : messages_fail(messages, LCL_EINVAL,
                               "bad value '%s' for --update-every: expected an "
                               "integer from 1 to 9999999",
                               text);
}

static enum lcl_status check_sequence(struct cli *cli,
                                      struct messages *messages)
{
    enum lcl_status st = read_every(cli, messages);
    if (cli->x0 && strcmp(cli->x0, "zero") == 0) {
        cli->from_zero = true;
        cli->x0 = NULL;
    }
    if (st < 0 || !cli_is_sequence(cli))
        return st;
    if (!cli->sequence && (st = check_counts(cli, messages)) < 0)
        return st;
    st = check_single(cli, messages);
    return st < 0 ? st : check_written(cli, messages);
}

static bool has_fp64_storage(const struct lcl_precond_params *precond)
{
    return precond->storage == LCL_FACTOR_STORAGE_DEFAULT ||
           precond->storage == LCL_FACTOR_STORAGE_FP64;
}

// Refuses combinations of values that the library refuses for every matrix.
static enum lcl_status check_methods(const struct cli *cli,
                                     struct messages *messages)
{
    const struct lcl_precond_params *precond = &cli->options.precond;
    const enum lcl_precond_type type = precond->type;
    const bool blocks = type == LCL_PRECOND_BLOCK_JACOBI;
    const bool factors = cli_has_factors(type);
    const bool extended = type == LCL_PRECOND_ILUK ||
                          type == LCL_PRECOND_ILUT || type == LCL_PRECOND_RAS ||
                          type == LCL_PRECOND_AS;
    const bool solves = cli->command->takes & TAKES_RHS;
    const bool ilut = precond->ilut_p > 0 || precond->ilut_tol > 0;
    const struct lcl_solver_facts *facts =
        lcl_solver_facts(cli->options.solver.type);
    const bool symmetric = facts->symmetric && !facts->no_precond;
    const struct {
        bool wrong;
        const char *message;
    } rules[] = {
        {precond->storage == LCL_FACTOR_STORAGE_ADAPTIVE && !blocks,
         "--factor-storage adaptive requires --precond block-jacobi"},
        {blocks && precond->block_jacobi.apply == LCL_BLOCK_APPLY_SPMV &&
             !has_fp64_storage(precond),
         "--block-apply spmv requires --factor-storage fp64"},
        {factors && precond->trisolve > LCL_TRISOLVE_PACKED &&
             !has_fp64_storage(precond),
         "a published --trisolve requires --factor-storage fp64"},
        {precond->ilu_level > 0 && ilut,
         "--ilu-level limits the fill of iluk, --ilut-p that of ilut: give "
         "one of them"},
        {extended && precond->trisolve > LCL_TRISOLVE_PACKED &&
             !cli_takes_levels(precond->trisolve),
         "--precond iluk, ilut, ras and as require --trisolve packed, "
         "hec_level or hec_wait"},
        {type && type != LCL_PRECOND_AMG &&
             (cli->coordinates || cli->near_null),
         "--coordinates and --near-null require --precond amg or auto"},
        {cli->coordinates && cli->near_null,
         "--coordinates makes near-null vectors: give it or --near-null, not "
         "both"},
        {cli_is_kron(cli) && cli_has_components(cli),
         "--nullspace components does not support systems in Kronecker form"},
        {cli_is_kron(cli) && type == LCL_PRECOND_CPR,
         "--precond cpr does not support systems in Kronecker form"},
        {solves && type == LCL_PRECOND_CPR && symmetric,
         "--solver cg and minres need a symmetric preconditioner: --precond "
         "amg instead of cpr"},
        {cli_is_kron(cli) && type == LCL_PRECOND_AMG,
         "--precond amg does not support systems in Kronecker form"},
        {cli_is_kron(cli) && extended,
         "--precond iluk, ilut, ras and as do not support systems in Kronecker form"},
        {solves && type == LCL_PRECOND_RAS && symmetric,
         "--solver cg and minres need a symmetric preconditioner: --precond as "
         "instead of ras"},
        {cli_is_kron(cli) && type == LCL_PRECOND_JACOBI,
         "--precond jacobi does not support Kronecker systems; use "
         "block-jacobi"},
        {cli_is_kron(cli) && blocks &&
             precond->storage > LCL_FACTOR_STORAGE_FP32,
         "--precond block-jacobi of a Kronecker system requires "
         "--factor-storage fp64 or fp32"},
        {solves && type > LCL_PRECOND_NONE && facts->no_precond,
         "--solver cg_published requires --precond none"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
        if (rules[i].wrong)
            return messages_fail(messages, LCL_EINVAL, "%s", rules[i].message);
    return LCL_OK;
}

// "random", "random:SEED", "ones", "A*ones"; everything else is a file.
static enum lcl_status read_rhs(struct cli *cli, struct messages *messages)
{
    const char *text = cli->rhs_text;
    cli->seed = 1;
    if (!text)
        return LCL_OK;
    if (cli->rhs || cli->text[3])
        return messages_fail(messages, LCL_EINVAL,
                             "give --rhs or a file with the right-hand side, "
                             "not both");
    if (strcmp(text, "ones") == 0) {
        cli->made = CLI_RHS_ONES;
    } else if (strcmp(text, "A*ones") == 0) {
        cli->made = CLI_RHS_A_ONES;
    } else if (strncmp(text, "random:", 7) == 0) {
        char *end;
        const bool digits =
            text[7] && text[7 + strspn(text + 7, "0123456789")] == '\0';
        errno = 0;
        cli->seed = digits ? strtoull(text + 7, &end, 10) : 0;
        if (!digits || errno)
            return messages_fail(messages, LCL_EINVAL,
                                 "bad value '%s' for --rhs: expected an "
                                 "integer after 'random:'",
                                 text);
    } else if (strcmp(text, "random") != 0) {
        cli->rhs = text;
        cli->rhs_text = NULL;
    }
    return LCL_OK;
}

static enum lcl_status read_tau(struct cli *cli, struct messages *messages)
{
    char *end;
    cli->tau = 1;
    if (!cli->tau_text)
        return LCL_OK;
    cli->tau = strtod(cli->tau_text, &end);
    if (*end || !isfinite(cli->tau))
        return messages_fail(messages, LCL_EINVAL,
                             "bad value '%s' for --tau: expected a finite "
                             "number",
                             cli->tau_text);
    return LCL_OK;
}

static enum lcl_status read_classes(const struct cli *cli,
                                    struct messages *messages)
{
    char names[256] = "all";
    bool wanted[WARM_CLASSES];
    const struct warm_class *class;
    if (!cli->goal_text || warm_choose(wanted, cli->goal_text))
        return LCL_OK;
    for (int k = 0; (class = warm_class_at(k)); ++k) {
        strcat(names, warm_class_at(k + 1) ? ", " : " or ");
        strcat(names, class->name);
    }
    return messages_fail(messages, LCL_EINVAL,
                         "unknown value '%s' for --for: expected %s",
                         cli->goal_text, names);
}

static enum lcl_status read_goal(struct cli *cli, struct messages *messages)
{
    const char *text = cli->goal_text;
    if (cli->command->takes & TAKES_CLASSES)
        return read_classes(cli, messages);
    cli->many = text && strcmp(text, "many") == 0;
    return !text || cli->many || strcmp(text, "one") == 0
               ? LCL_OK
               : messages_fail(messages, LCL_EINVAL,
                               "unknown value '%s' for --for: expected one or "
                               "many",
                               text);
}

static enum lcl_status read_mpi(struct cli *cli, struct messages *messages)
{
    static const char *const words[] = {"auto", "on", "off"};
    for (int k = 0; cli->mpi_text && k < 3; ++k)
        if (strcmp(cli->mpi_text, words[k]) == 0) {
            cli->mpi = (enum cli_mpi)k;
            return LCL_OK;
        }
    return cli->mpi_text ? messages_fail(messages, LCL_EINVAL,
                                         "unknown value '%s' for --mpi: "
                                         "expected auto, on or off",
                                         cli->mpi_text)
                         : LCL_OK;
}

// With fewer runs, no interval of order statistics has 95 % confidence.
static enum lcl_status read_runs(struct cli *cli, struct messages *messages)
{
    const char *text = cli->runs_text;
    cli->runs = 9;
    if ((cli->command->takes & TAKES_PAIR) && !cli->a_text && !cli->b_text)
        return messages_fail(messages, LCL_EINVAL,
                             "clsolve %s needs --a or --b, such as --a "
                             "\"--solver idr\"",
                             cli->command->name);
    if (!text)
        return LCL_OK;
    const bool digits = text[strspn(text, "0123456789")] == '\0';
    cli->runs = digits && strlen(text) < 5 ? atoi(text) : 0;
    return cli->runs >= 6 && cli->runs <= 1000
               ? LCL_OK
               : messages_fail(messages, LCL_EINVAL,
                               "bad value '%s' for --runs: expected an integer "
                               "from 6 to 1000",
                               text);
}

enum lcl_status cli_check_method(const struct cli *cli,
                                 struct messages *messages)
{
    enum lcl_status st;
    if ((st = check_meaning(cli, messages)) < 0 ||
        (st = cli_check_effect(cli, messages)) < 0)
        return st;
    return check_methods(cli, messages);
}

enum lcl_status cli_check(struct cli *cli, struct messages *messages)
{
    enum lcl_status st;
    if ((st = check_convert(cli, messages)) < 0 ||
        (st = read_rhs(cli, messages)) < 0 ||
        (st = check_matrix(cli, messages)) < 0 ||
        (st = read_mpi(cli, messages)) < 0 ||
        (st = check_sequence(cli, messages)) < 0 ||
        (st = check_streams(cli, messages)) < 0 ||
        (st = check_dry_run(cli, messages)) < 0 ||
        (st = cli_check_method(cli, messages)) < 0 ||
        (st = read_goal(cli, messages)) < 0 ||
        (st = read_runs(cli, messages)) < 0)
        return st;
    return read_tau(cli, messages);
}
