// SPDX-License-Identifier: BSD-3-Clause
// Parses the command line of clsolve: its own options here, all other options
// as key=value of the library.
#include "tools/clsolve/cli_table.h"
#include "tools/clsolve/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIR_BYTES = 8192 };

struct parser {
    struct cli *cli;
    struct messages *messages;
    struct lcl_log log;
    bool given[CLI_OPTIONS];
    char **next;            // next argument, NULL at the end
    bool only_files;        // "--" was seen
    bool after_rhs;         // words are further right-hand sides
    bool named;             // a command or a matrix was seen
    const char *first_word; // unless it is a command
};

// ---------------------------------------------------------------- values

static const struct option *find_long(const char *name, size_t length)
{
    const struct option *option;
    for (int i = 0; (option = cli_option(i)); ++i)
        if (option->name && strlen(option->name) == length &&
            memcmp(option->name, name, length) == 0)
            break;
    return option;
}

static const struct option *find_short(char letter)
{
    const struct option *option;
    for (int i = 0; (option = cli_option(i)); ++i)
        if (option->letter == letter)
            break;
    return option;
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

static enum lcl_status add_file(struct parser *parser, struct cli_files *files,
                                const char *path)
{
    const size_t count = (size_t)files->count + 1;
    const char **grown = realloc(files->path, count * sizeof *grown);
    if (!grown)
        return messages_fail(parser->messages, LCL_ENOMEM,
                             "out of memory: no room for the names of files");
    files->path = grown;
    files->path[files->count++] = path;
    return LCL_OK;
}

// ---------------------------------------------------------------- options

static enum lcl_status unknown_option(struct parser *parser, const char *name)
{
    const char *names[CLI_OPTIONS + CLI_KEYS];
    int count = 0;
    for (int i = 0; cli_option(i); ++i)
        if (cli_option(i)->name)
            names[count++] = cli_option(i)->name;
    for (int i = 0; i < CLI_KEYS && lcl_options_help(i); ++i)
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

// Whether the key belongs to an option of the library, present or planned.
static bool is_library_key(const char *key)
{
    if (cli_find_key(key) >= 0)
        return true;
    struct lcl_options unused = LCL_OPTIONS_INIT;
    char pair[CLI_NAME + 2];
    snprintf(pair, sizeof pair, "%s=", key);
    return lcl_options_parse(&unused, pair, NULL) == LCL_EUNSUPPORTED;
}

static enum lcl_status library_option(struct parser *parser, const char *name,
                                      const char *attached)
{
    char key[CLI_NAME];
    char dashed[CLI_NAME + 2];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(name, "="), name);
    snprintf(dashed, sizeof dashed, "--%s", key);
    if (!is_library_key(key))
        return unknown_option(parser, key);
    const char *value = take_value(parser, attached, dashed);
    if (!value)
        return LCL_EINVAL;
    if (cli_find_key(key) >= 0)
        parser->cli->given[cli_find_key(key)] = value;
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

// "key=value" of the library only; without '=', the value is the next argument.
static enum lcl_status method_option(struct parser *parser, const char *name)
{
    const size_t length = strcspn(name, "=");
    if (find_long(name, length))
        return messages_fail(parser->messages, LCL_EINVAL,
                             "'%.*s' is no option of a method", (int)length,
                             name);
    return library_option(parser, name,
                          name[length] ? name + length + 1 : NULL);
}

static enum lcl_status option_line(struct parser *parser, const char *text,
                                   const char *path, int line)
{
    char reason[MESSAGE_BYTES];
    const enum lcl_status st =
        strchr(text, '=')
            ? method_option(parser, text)
            : messages_fail(parser->messages, LCL_EINVAL,
                            "expected key=value, found '%s'", text);
    if (st >= 0)
        return st;
    memcpy(reason, parser->messages->error, sizeof reason);
    return messages_fail(parser->messages, st, "%s:%d: %s", path, line, reason);
}

static enum lcl_status options_file(struct parser *parser, const char *path)
{
    enum lcl_status st = LCL_OK;
    if (parser->cli->options_text)
        return messages_fail(parser->messages, LCL_EINVAL,
                             "give --options only once");
    char *rest = cli_read_options(path, &st, parser->messages), *text;
    int line = 0;
    parser->cli->options_text = rest;
    while (st >= 0 && (text = cli_next_line(&rest, &line)))
        if (*text)
            st = option_line(parser, text, path, line);
    return st;
}

// Words after a right-hand side are further ones if the matrices come before.
static void take_text(struct parser *parser, const struct option *option,
                      const char *value)
{
    struct cli *cli = parser->cli;
    const char **field = (const char **)((char *)cli + option->offset);
    *field = value;
    parser->after_rhs = cli->command == &cmd_solve && cli->matrix &&
                        (field == &cli->rhs || field == &cli->rhs_text);
}

static enum lcl_status long_option(struct parser *parser, const char *name)
{
    const size_t length = strcspn(name, "=");
    const char *attached = name[length] ? name + length + 1 : NULL;
    const struct option *option = find_long(name, length);
    if (!option)
        return library_option(parser, name, attached);
    parser->given[option - cli_option(0)] = true;
    char dashed[CLI_NAME];
    cli_option_title(dashed, option);
    if (option->kind == CSR_TEXT || option->kind == KRON)
        return take_files(parser, option, attached, dashed);
    if (option->kind != TEXT && option->kind != OPTIONS_FILE) {
        if (attached)
            return messages_fail(parser->messages, LCL_EINVAL,
                                 "%s takes no value", dashed);
        raise(parser->cli, option);
        return LCL_OK;
    }
    const char *value = take_value(parser, attached, dashed);
    if (!value)
        return LCL_EINVAL;
    if (option->kind == OPTIONS_FILE)
        return options_file(parser, value);
    take_text(parser, option, value);
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
        parser->given[option - cli_option(0)] = true;
        if (option->kind != TEXT) {
            raise(parser->cli, option);
            continue;
        }
        const char *rest = letters[1] ? letters + 1 : NULL;
        const char *value = take_value(parser, rest, dashed);
        if (!value)
            return LCL_EINVAL;
        take_text(parser, option, value);
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

// Whether the matrix is no file, but written as built-in problems are.
static bool is_problem(const char *matrix)
{
    return matrix && matrix[0] != ':' && strchr(matrix, ':') &&
           !strchr(matrix, '/') && access(matrix, F_OK) != 0;
}

static enum lcl_status check_command(struct parser *parser)
{
    const char *word = parser->first_word, *matrix = parser->cli->matrix;
    const char *meant = word ? meant_command(word) : NULL;
    if (is_problem(matrix))
        return messages_fail(parser->messages, LCL_EINVAL,
                             "there is no file '%s'; a built-in problem is an "
                             "option: --problem %s",
                             matrix, matrix);
    return meant ? messages_fail(parser->messages, LCL_EINVAL,
                                 "unknown command '%s': did you mean '%s'?",
                                 word, meant)
                 : LCL_OK;
}

// The first word may be a command, also after "help"; another one is the
// matrix, or the second file of a conversion.
static enum lcl_status word(struct parser *parser, const char *text)
{
    struct cli *cli = parser->cli;
    const bool first = !parser->named && !parser->only_files;
    if (first && !cli->help && strcmp(text, "help") == 0) {
        cli->help = true;
        return LCL_OK;
    }
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
    if (parser->after_rhs && !parser->only_files)
        return add_file(parser, &cli->rhss, text);
    if (cli->matrix && cli->command == &cmd_solve)
        return add_file(parser, &cli->matrices, text);
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
    parser->after_rhs = false;
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
    const struct option *option;
    for (int i = 0; (option = cli_option(i)); ++i) {
        char title[CLI_NAME], dashed[CLI_NAME];
        if (!parser->given[i] || !option->takes ||
            (option->takes & command->takes))
            continue;
        cli_option_title(dashed, option);
        return messages_fail(parser->messages, LCL_EINVAL,
                             "%s does not apply to %s", dashed,
                             command_title(command, title));
    }
    return LCL_OK;
}

// IC(0) of blocks does not check the signs of pivots: single entries, then.
static void name_block_size(struct cli *cli)
{
    struct lcl_options *options = &cli->options;
    if (!cli_is_cholesky(options->precond.type) || options->op.block_size > 0)
        return;
    options->op.block_size = 1;
    cli->given[cli_find_key("block-size")] = "1";
}

// Only options of the library.
static enum lcl_status vary(struct parser *parser)
{
    while (*parser->next) {
        const char *text = *parser->next++;
        const enum lcl_status st =
            strncmp(text, "--", 2) == 0
                ? method_option(parser, text + 2)
                : messages_fail(parser->messages, LCL_EINVAL,
                                "'%s' is no option of a method", text);
        if (st < 0)
            return st;
    }
    return LCL_OK;
}

enum lcl_status cli_vary(struct cli *cli, char *words,
                         struct messages *messages)
{
    char *word[2 * CLI_KEYS + 1] = {NULL}, *rest = words;
    int count = 0;
    while (count < 2 * CLI_KEYS && (word[count] = strtok_r(NULL, " ", &rest)))
        ++count;
    struct parser parser = {.cli = cli,
                            .messages = messages,
                            .log = messages_log(messages),
                            .next = word};
    const enum lcl_status st = vary(&parser);
    if (st < 0)
        return st;
    name_block_size(cli);
    return cli_check_method(cli, messages);
}

void cli_finish(struct cli *cli)
{
    free(cli->options_text);
    free(cli->matrices.path);
    free(cli->rhss.path);
}

enum lcl_status cli_parse(struct cli *cli, int argc, char **argv,
                          struct messages *messages)
{
    *cli = (struct cli){
        .command = &cmd_solve, .argv = argv, .json = wants_json(argv)};
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
    name_block_size(cli);
    return cli_check(cli, messages);
}
