// SPDX-License-Identifier: BSD-3-Clause
// Parses the command line of clsolve: its own options here, all other options
// as key=value of the library.
#include "tools/cli.h"
#include "tools/commands.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

enum { NAMES = 64, PAIR_BYTES = 8192 };

enum kind { TEXT, FLAG, TIMES, CSR_TEXT, KRON };

struct option {
    const char *name; // long name, NULL: none
    char letter;      // short name, '\0': none
    enum kind kind;
    size_t offset;  // of the field in struct cli
    unsigned takes; // only for commands that take this; 0: for all
    const char *values;
    const char *help;
};

#define AT(member) offsetof(struct cli, member)

// clang-format off
static const struct option table[] = {
    {"problem", '\0', TEXT, AT(problem), TAKES_MATRIX, "NAME", "built-in: lap3d:N, aniso:N,EPS, elasticity:N, kron:S ...; see the manual"},
    {"csr-text", '\0', CSR_TEXT, AT(text), TAKES_MATRIX, "ROWPTR COLIND VAL [RHS]", "text files, indices from 0; RHS: right-hand side"},
    {"kron", '\0', KRON, AT(kron), TAKES_MATRIX, "M L A B", "Kronecker system (A (x) M + tau B (x) L) x = b from four files"},
    {"tau", '\0', TEXT, AT(tau_text), TAKES_MATRIX, "T", "tau of --kron (1)"},
    {NULL, 'b', TEXT, AT(rhs), TAKES_RHS, "FILE", "right-hand side, as --rhs FILE"},
    {"rhs", '\0', TEXT, AT(rhs_text), TAKES_RHS, "random[:SEED]|ones|A*ones|FILE", "right-hand side (random:1, uniform in [-1, 1))"},
    {"coordinates", '\0', TEXT, AT(coordinates), TAKES_RHS, "FILE", "coordinates of nodes: amg reproduces their rigid body modes"},
    {"near-null", '\0', TEXT, AT(near_null), TAKES_RHS, "FILE", "near-null vectors of A, which amg reproduces"},
    {NULL, 'o', TEXT, AT(output), TAKES_OUTPUT, "FILE", "write x to FILE, as Matrix Market or .petsc; - is the standard output"},
    {"device", '\0', TEXT, AT(device), TAKES_DEVICE, "N|NAME", "number or part of the name of the device; clsolve devices lists them"},
    {"json", '\0', FLAG, AT(json), 0, NULL, "print one JSON record instead of the report, also for errors"},
    {"history", '\0', TEXT, AT(history), TAKES_HISTORY, "FILE", "write the residual of every iteration to FILE"},
    {"profile", '\0', FLAG, AT(profile), TAKES_PROFILE, NULL, "print the times of set-up by task, and more details"},
    {NULL, 'q', FLAG, AT(quiet), 0, NULL, "print only errors"},
    {NULL, 'v', TIMES, AT(verbose), 0, NULL, "print choices; -vv also builds and sizes, -vvv also each OpenCL call"},
    {"help", 'h', FLAG, AT(help), 0, NULL, "print this text"},
    {"version", '\0', FLAG, AT(version), 0, NULL, "print the version"},
};
// clang-format on

struct parser {
    struct cli *cli;
    struct messages *messages;
    struct lcl_log log;
    bool given[COUNT(table)];
    char **next;            // next argument, NULL at the end
    bool only_files;        // "--" was seen
    bool named;             // a command or a matrix was seen
    const char *first_word; // unless it is a command
};

// ---------------------------------------------------------------- values

static const struct option *find_long(const char *name, size_t length)
{
    for (int i = 0; i < COUNT(table); ++i)
        if (table[i].name && strlen(table[i].name) == length &&
            memcmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

static const struct option *find_short(char letter)
{
    for (int i = 0; i < COUNT(table); ++i)
        if (table[i].letter == letter)
            return &table[i];
    return NULL;
}

static void raise(struct cli *cli, const struct option *option)
{
    void *field = (char *)cli + option->offset;
    if (option->kind == TIMES)
        ++*(int *)field;
    else
        *(bool *)field = true;
}

// The value of an option: the text after its '=', else the next argument.
static const char *take_value(struct parser *parser, const char *attached,
                              const char *dashed)
{
    const char *value = attached ? attached : *parser->next;
    if (!attached && value)
        ++parser->next;
    if (!value || !*value) {
        messages_fail(parser->messages, LCL_EINVAL, "%s needs a value", dashed);
        return NULL;
    }
    return value;
}

// ---------------------------------------------------------------- options

static enum lcl_status unknown_option(struct parser *parser, const char *name)
{
    const char *names[NAMES];
    int count = 0;
    for (int i = 0; i < COUNT(table); ++i)
        if (table[i].name)
            names[count++] = table[i].name;
    for (int i = 0; count < NAMES && lcl_options_help(i); ++i)
        names[count++] = lcl_options_help(i)->key;
    const char *nearest = lcl_nearest(name, names, count);
    if (!nearest)
        return messages_fail(parser->messages, LCL_EINVAL,
                             "unknown option '--%s'; clsolve --help lists all",
                             name);
    return messages_fail(parser->messages, LCL_EINVAL,
                         "unknown option '--%s': did you mean '--%s'?", name,
                         nearest);
}

// The number of an option of the library; -1: none.
static int find_key(const char *key)
{
    for (int i = 0; i < CLI_KEYS && lcl_options_help(i); ++i)
        if (strcmp(lcl_options_help(i)->key, key) == 0)
            return i;
    return -1;
}

bool cli_is_given(const struct cli *cli, const char *key)
{
    const int index = find_key(key);
    return index >= 0 && cli->given[index];
}

// Whether the key belongs to an option of the library, present or planned.
static bool is_library_key(const char *key)
{
    if (find_key(key) >= 0)
        return true;
    struct lcl_options unused = LCL_OPTIONS_INIT;
    char pair[NAMES + 2];
    snprintf(pair, sizeof pair, "%s=", key);
    return lcl_options_parse(&unused, pair, NULL) == LCL_EUNSUPPORTED;
}

static enum lcl_status library_option(struct parser *parser, const char *name,
                                      const char *attached)
{
    char key[NAMES];
    char dashed[NAMES + 2];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(name, "="), name);
    snprintf(dashed, sizeof dashed, "--%s", key);
    if (!is_library_key(key))
        return unknown_option(parser, key);
    const char *value = take_value(parser, attached, dashed);
    if (!value)
        return LCL_EINVAL;
    if (find_key(key) >= 0)
        parser->cli->given[find_key(key)] = true;
    if (strcmp(key, "partition") == 0) {
        const bool file = strncmp(value, "file:", 5) == 0;
        parser->cli->labels = file ? value + 5 : NULL;
        if (file && value[5])
            return LCL_OK;
        if (file || strcmp(value, "file") == 0)
            return messages_fail(parser->messages, LCL_EINVAL,
                                 "bad value '%s' for --partition: expected the "
                                 "name of a file, as in file:labels.txt",
                                 value);
    }
    char pair[PAIR_BYTES];
    snprintf(pair, sizeof pair, "%s=%s", key, value);
    return lcl_options_parse(&parser->cli->options, pair, &parser->log);
}

// The next argument; NULL if it is an option or missing.
static const char *next_file(struct parser *parser)
{
    const char *next = *parser->next;
    if (!next || (*next == '-' && next[1]))
        return NULL;
    ++parser->next;
    return next;
}

// Takes the files that the option needs; --csr-text may have one more.
static enum lcl_status take_files(struct parser *parser,
                                  const struct option *option,
                                  const char *attached, const char *dashed)
{
    const bool is_kron = option->kind == KRON;
    const char **file = (const char **)((char *)parser->cli + option->offset);
    const int needed = is_kron ? 4 : 3;
    for (int f = 0; f < needed; ++f) {
        file[f] = f == 0 && attached ? attached : next_file(parser);
        if (!file[f] || !*file[f])
            return messages_fail(parser->messages, LCL_EINVAL, "%s needs %s",
                                 dashed,
                                 is_kron ? "four files: M, L, A and B"
                                         : "three files: row pointers, columns "
                                           "and values");
    }
    if (!is_kron)
        file[needed] = next_file(parser);
    return LCL_OK;
}

static enum lcl_status long_option(struct parser *parser, const char *name)
{
    const size_t length = strcspn(name, "=");
    const char *attached = name[length] ? name + length + 1 : NULL;
    const struct option *option = find_long(name, length);
    if (!option)
        return library_option(parser, name, attached);
    parser->given[option - table] = true;
    char dashed[NAMES];
    snprintf(dashed, sizeof dashed, "--%s", option->name);
    if (option->kind == CSR_TEXT || option->kind == KRON)
        return take_files(parser, option, attached, dashed);
    if (option->kind != TEXT) {
        if (attached)
            return messages_fail(parser->messages, LCL_EINVAL,
                                 "%s takes no value", dashed);
        raise(parser->cli, option);
        return LCL_OK;
    }
    const char *value = take_value(parser, attached, dashed);
    if (!value)
        return LCL_EINVAL;
    *(const char **)((char *)parser->cli + option->offset) = value;
    return LCL_OK;
}

// A group of short options, of which the last may have a value: "-qv",
// "-ox.mtx".
static enum lcl_status short_options(struct parser *parser, const char *letters)
{
    for (; *letters; ++letters) {
        const struct option *option = find_short(*letters);
        const char dashed[] = {'-', *letters, '\0'};
        if (!option)
            return messages_fail(parser->messages, LCL_EINVAL,
                                 "unknown option '%s'; clsolve --help lists "
                                 "all",
                                 dashed);
        parser->given[option - table] = true;
        if (option->kind != TEXT) {
            raise(parser->cli, option);
            continue;
        }
        const char *rest = letters[1] ? letters + 1 : NULL;
        const char *value = take_value(parser, rest, dashed);
        if (!value)
            return LCL_EINVAL;
        *(const char **)((char *)parser->cli + option->offset) = value;
        return LCL_OK;
    }
    return LCL_OK;
}

// ---------------------------------------------------------------- words

// The command that a mistyped word resembles; NULL if a file of that name
// exists or the word looks like a file name.
static const char *meant_command(const char *word)
{
    if (word[strcspn(word, "./")] != '\0' || access(word, F_OK) == 0)
        return NULL;
    return command_nearest(word);
}

static enum lcl_status check_command(struct parser *parser)
{
    const char *word = parser->first_word;
    const char *meant = word ? meant_command(word) : NULL;
    return meant ? messages_fail(parser->messages, LCL_EINVAL,
                                 "unknown command '%s': did you mean '%s'?",
                                 word, meant)
                 : LCL_OK;
}

// The first word may be a command; another one is the matrix, or the second
// file of a conversion.
static enum lcl_status word(struct parser *parser, const char *text)
{
    struct cli *cli = parser->cli;
    const bool first = !parser->named && !parser->only_files;
    parser->named = true;
    const struct command *command = first ? command_find(text) : NULL;
    if (command) {
        cli->command = command;
        return LCL_OK;
    }
    if (cli->command == &cmd_convert && cli->matrix && !cli->output) {
        cli->output = text;
        return LCL_OK;
    }
    if (cli->matrix || !(cli->command->takes & TAKES_MATRIX))
        return check_command(parser) < 0
                   ? LCL_EINVAL
                   : messages_fail(parser->messages, LCL_EINVAL,
                                   "unexpected argument '%s'", text);
    if (first)
        parser->first_word = text;
    cli->matrix = text;
    return LCL_OK;
}

static enum lcl_status argument(struct parser *parser, const char *text)
{
    if (parser->only_files || text[0] != '-' || text[1] == '\0')
        return word(parser, text);
    if (text[1] != '-')
        return short_options(parser, text + 1);
    if (text[2] != '\0')
        return long_option(parser, text + 2);
    parser->only_files = true;
    return LCL_OK;
}

// ---------------------------------------------------------------- the whole

// Searched first, so that an error in an earlier option is reported as JSON
// too.
static bool wants_json(char **argv)
{
    for (; *argv; ++argv)
        if (strcmp(*argv, "--json") == 0)
            return true;
    return false;
}

// Options of other commands are not ignored.
static enum lcl_status check_own_options(struct parser *parser)
{
    const struct command *command = parser->cli->command;
    for (int i = 0; i < COUNT(table); ++i) {
        const struct option *option = &table[i];
        char title[NAMES];
        if (!parser->given[i] || !option->takes ||
            (option->takes & command->takes))
            continue;
        return messages_fail(
            parser->messages, LCL_EINVAL, "%s%.*s does not apply to %s",
            option->name ? "--" : "-", option->name ? NAMES : 1,
            option->name ? option->name : &option->letter,
            command_title(command, title));
    }
    return LCL_OK;
}

// IC(0) of blocks does not check the signs of pivots: single entries, then.
static void name_block_size(struct lcl_options *options)
{
    if (cli_is_cholesky(options->precond.type) && options->op.block_size == 0)
        options->op.block_size = 1;
}

enum lcl_status cli_parse(struct cli *cli, int argc, char **argv,
                          struct messages *messages)
{
    *cli = (struct cli){.command = &cmd_solve, .json = wants_json(argv)};
    struct parser parser = {
        .cli = cli,
        .messages = messages,
        .log = messages_log(messages),
        .next = argv + (argc > 0),
    };
    while (*parser.next) {
        const enum lcl_status st = argument(&parser, *parser.next++);
        if (st < 0)
            return st;
    }
    if (cli->help || cli->version)
        return LCL_OK;
    if (check_command(&parser) < 0 || check_own_options(&parser) < 0)
        return LCL_EINVAL;
    name_block_size(&cli->options);
    return cli_check(cli, messages);
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
    for (int i = 0; i < COUNT(table); ++i) {
        const struct option *option = &table[i];
        char key[NAMES];
        if (!option->name)
            snprintf(key, sizeof key, "-%c", option->letter);
        else if (option->letter)
            snprintf(key, sizeof key, "-%c, --%s", option->letter,
                     option->name);
        else
            snprintf(key, sizeof key, "--%s", option->name);
        print_option(out, key, option->values, option->help);
    }
}

static void print_library_options(FILE *out)
{
    for (int i = 0; lcl_options_help(i); ++i) {
        const struct lcl_option_help *help = lcl_options_help(i);
        char key[NAMES];
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
        "matrix in a Matrix Market or PETSc binary file, plain or compressed by\n"
        "gzip or xz; - is the standard input. With --kron, or a built-in Kronecker\n"
        "system kron:S or radau:S,N, the matrix is A (x) M + tau B (x) L.\n"
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
        "  clsolve A.mtx --pivot shift --subdomain-rows 2048\n"
        "  clsolve --kron M.mtx L.mtx A.mtx B.mtx --tau 0.125 -b F.mtx\n"
        "  clsolve info A.mtx --json\n"
        "  clsolve convert A.petsc A.mtx.gz\n"
        "\n"
        "The manual page clsolve(1) has more details.\n",
        out);
}
