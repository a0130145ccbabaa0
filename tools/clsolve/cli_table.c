// SPDX-License-Identifier: BSD-3-Clause
// The options of clsolve and their help text.
#include "tools/clsolve/cli_table.h"
#include "tools/clsolve/commands.h"

#include <assert.h>
#include <string.h>

#define AT(member) offsetof(struct cli, member)

// clang-format off
static const struct option table[] = {
    {"problem", '\0', TEXT, AT(problem), TAKES_MATRIX, "NAME", "built-in: lap3d:N, aniso:N,EPS, elasticity:N, kron:S ...; see the manual"},
    {"csr-text", '\0', CSR_TEXT, AT(text), TAKES_MATRIX, "ROWPTR COLIND VAL [RHS]", "text files, indices from 0; RHS: right-hand side"},
    {"kron", '\0', KRON, AT(kron), TAKES_MATRIX, "M L A B", "Kronecker system (A (x) M + tau B (x) L) x = b from four files"},
    {"tau", '\0', TEXT, AT(tau_text), TAKES_MATRIX, "T", "tau of --kron (1)"},
    {NULL, 'b', TEXT, AT(rhs), TAKES_RHS, "FILE", "right-hand side, as --rhs FILE; several columns are solved in turn"},
    {"rhs", '\0', TEXT, AT(rhs_text), TAKES_RHS, "random[:SEED]|ones|A*ones|FILE", "right-hand side (random:1, uniform in [-1, 1))"},
    {"x0", '\0', TEXT, AT(x0), TAKES_RHS, "FILE|zero", "initial guess (zero; in a sequence, the step before)"},
    {"sequence", '\0', TEXT, AT(sequence), TAKES_SERIES, "FILE", "solve the systems that FILE lists: lines of a matrix and a right-hand side"},
    {"update-every", '\0', TEXT, AT(every_text), TAKES_SERIES, "N", "in a sequence: the preconditioner takes new values in every N-th step (1)"},
    {"coordinates", '\0', TEXT, AT(coordinates), TAKES_RHS, "FILE", "coordinates of nodes: amg reproduces their rigid body modes"},
    {"near-null", '\0', TEXT, AT(near_null), TAKES_RHS, "FILE", "near-null vectors of A, which amg reproduces"},
    {"nullspace", '\0', TEXT, AT(nullspace), TAKES_RHS, "constant|components|FILE", "vectors that A maps to 0: solve for the rest of b, keep those of x0"},
    {NULL, 'o', TEXT, AT(output), TAKES_OUTPUT, "FILE", "write x to FILE, as Matrix Market or .petsc; - is the standard output"},
    {"device", '\0', TEXT, AT(device), TAKES_DEVICE, "N|NAME", "number or part of the name of the device; clsolve devices lists them"},
    {"devices", '\0', TEXT, AT(devices), TAKES_DEVICES, "A,B,...", "solve on several devices at once, each with a part of the rows"},
    {"mpi", '\0', TEXT, AT(mpi_text), TAKES_DEVICES, "auto|on|off", "several processes solve together (auto: if mpirun starts them)"},
    {"for", '\0', TEXT, AT(goal_text), TAKES_GOAL | TAKES_CLASSES,
     "one|many|all|spd|kron|elasticity|blocks|nonsymmetric|blackoil|circuit|indefinite|columns",
     "tune for one solve, or for many with new values (one); warm: classes, as in spd,kron (all)"},
    {"to", '\0', TEXT, AT(to), TAKES_CLASSES, "store|FOLDER", "warm: compile for all users, into the store of the installation or FOLDER"},
    {"a", '\0', TEXT, AT(a_text), TAKES_PAIR, "OPTIONS", "compare: options of the first method, in quotes"},
    {"b", '\0', TEXT, AT(b_text), TAKES_PAIR, "OPTIONS", "compare: options of the second method"},
    {"runs", '\0', TEXT, AT(runs_text), TAKES_PAIR, "6..1000", "compare: runs of each (9)"},
    {"options", '\0', OPTIONS_FILE, AT(options_text), TAKES_METHOD, "FILE", "read options of the method from FILE: key=value lines, # comments"},
    {"json", '\0', FLAG, AT(json), 0, NULL, "print one JSON record instead of the report, also for errors"},
    {"history", '\0', TEXT, AT(history), TAKES_HISTORY, "FILE", "write the residual of every iteration to FILE"},
    {"dry-run", '\0', FLAG, AT(dry_run), TAKES_HISTORY, NULL, "estimate memory and traffic; solve nothing"},
    {"plot", '\0', FLAG, AT(plot), TAKES_HISTORY, NULL, "plot the residual in text"},
    {"bandwidth", '\0', FLAG, AT(bandwidth), TAKES_LINKS, NULL, "measure latency and bandwidth between each pair of devices"},
    {"report", '\0', TEXT, AT(report), TAKES_REPORT, "FILE", "write a report with pictures to FILE: one page of HTML"},
    {"profile", '\0', FLAG, AT(profile), TAKES_PROFILE, NULL, "print the times of set-up by task, and more details"},
    {NULL, 'q', FLAG, AT(quiet), 0, NULL, "print only errors"},
    {NULL, 'v', TIMES, AT(verbose), 0, NULL, "print choices; -vv also builds and sizes, -vvv also each OpenCL call"},
    {"help", 'h', FLAG, AT(help), 0, NULL, "print this text"},
    {"version", '\0', FLAG, AT(version), 0, NULL, "print the version"},
};
// clang-format on

#undef AT

enum { COUNT = sizeof table / sizeof *table };

const struct option *cli_option(int index)
{
    static_assert((int)COUNT <= (int)CLI_OPTIONS, "all options have a number");
    return index < COUNT ? &table[index] : NULL;
}

void cli_option_title(char title[CLI_NAME], const struct option *option)
{
    if (option->name)
        snprintf(title, CLI_NAME, "--%s", option->name);
    else
        snprintf(title, CLI_NAME, "-%c", option->letter);
}

int cli_find_key(const char *key)
{
    for (int i = 0; i < CLI_KEYS && lcl_options_help(i); ++i)
        if (strcmp(lcl_options_help(i)->key, key) == 0)
            return i;
    return -1;
}

bool cli_is_given(const struct cli *cli, const char *key)
{
    const int index = cli_find_key(key);
    return index >= 0 && cli->given[index];
}

// ---------------------------------------------------------------- help

static void print_option(FILE *out, const char *key, const char *values,
                         const char *help)
{
    fprintf(out, "  %s%s%s\n        %s\n", key, values ? " " : "",
            values ? values : "", help);
}

static void print_own_options(FILE *out)
{
    for (int i = 0; i < COUNT; ++i) {
        const struct option *option = &table[i];
        char title[CLI_NAME], key[2 * CLI_NAME];
        cli_option_title(title, option);
        if (option->name && option->letter)
            snprintf(key, sizeof key, "-%c, %s", option->letter, title);
        else
            snprintf(key, sizeof key, "%s", title);
        print_option(out, key, option->values, option->help);
    }
}

static void print_library_options(FILE *out)
{
    for (int i = 0; lcl_options_help(i); ++i) {
        const struct lcl_option_help *help = lcl_options_help(i);
        char key[CLI_NAME];
        snprintf(key, sizeof key, "--%s", help->key);
        print_option(out, key, help->values, help->help);
    }
}

// One line for each way to give the arguments.
static void print_usage(FILE *out)
{
    const struct command *command;
    const char *margin = "usage:";
    for (int i = 0; (command = command_at(i)); ++i)
        for (const char *at = command->usage; *at; margin = "      ") {
            const int length = (int)strcspn(at, "\n");
            fprintf(out, "%s clsolve %s%s%.*s\n", margin,
                    i > 0 ? command->name : "", i > 0 ? " " : "", length, at);
            at += length + (at[length] == '\n');
        }
}

static void print_commands(FILE *out)
{
    const struct command *command;
    for (int i = 1; (command = command_at(i)); ++i)
        print_option(out, command->name, NULL, command->help);
}

void cli_print_help(FILE *out)
{
    print_usage(out);
    fputs(
        "\n"
        "Solves A x = b on an OpenCL device. Reports whether the solve converged,\n"
        "how long each phase took and the reason for a failure. A is a sparse\n"
        "matrix in a Matrix Market, PETSc binary or Rutherford-Boeing file, plain\n"
        "or compressed by gzip or xz; - is the standard input. With --kron, or a\n"
        "built-in Kronecker system kron:S, radau:S,N or stokes:S,N, the matrix is\n"
        "A (x) M + tau B (x) L.\n"
        "\n"
        "Commands:\n",
        out);
    print_commands(out);
    fputs("\nInput and output:\n", out);
    print_own_options(out);
    fputs("\nMethod (defaults in brackets):\n", out);
    print_library_options(out);
    fputs(
        "\n"
        "Exit status: 0 converged, 1 not converged, 2 wrong usage, 3 bad input,\n"
        "4 no such device, device or build error, or insufficient memory.\n"
        "\n"
        "Examples:\n"
        "  clsolve --problem lap3d:64\n"
        "  clsolve A.mtx.gz -b b.mtx -o x.mtx --rtol 1e-10\n"
        "  clsolve A*.mtx -b b*.mtx -o x%03d.mtx\n"
        "  clsolve A.mtx --pivot shift --subdomain-rows 2048\n"
        "  clsolve --kron M.mtx L.mtx A.mtx B.mtx --tau 0.125 -b F.mtx\n"
        "  clsolve info A.mtx --json\n"
        "  clsolve convert A.petsc A.mtx.gz\n"
        "\n"
        "The manual page clsolve(1) has more details.\n",
        out);
}
