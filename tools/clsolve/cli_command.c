// SPDX-License-Identifier: BSD-3-Clause
// Prints a parsed command line: as a command, as key=value text, as C.
#include "tools/clsolve/cli_table.h"
#include "tools/clsolve/commands.h"
#include "tools/clsolve/terminal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- command

static bool is_printable(const char *word)
{
    return strcmp(terminal_text(word).text, word) == 0;
}

// As $'...', which bash, ksh and zsh read: any bytes by printable ASCII.
static void print_bytes(FILE *out, const char *word)
{
    fputs("$'", out);
    for (; *word; ++word) {
        const unsigned char c = (unsigned char)*word;
        if (c < 0x20 || c >= 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fprintf(out, c == '\'' || c == '\\' ? "\\%c" : "%c", c);
    }
    fputc('\'', out);
}

// In quotes if a shell would change it.
static void print_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_./,:=+@%";
    fputc(' ', out);
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    if (!is_printable(word)) {
        print_bytes(out, word);
        return;
    }
    fputc('\'', out);
    for (; *word; ++word)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static void print_own(FILE *out, const struct cli *cli,
                      const struct option *option)
{
    const char *const *value =
        (const char *const *)((const char *)cli + option->offset);
    const int most = option->kind == TEXT ? 1 : 4;
    char title[CLI_NAME];
    if (!*value)
        return;
    cli_option_title(title, option);
    print_word(out, title);
    for (int i = 0; i < most && value[i]; ++i)
        print_word(out, value[i]);
}

void cli_print_command(FILE *out, const struct cli *cli)
{
    const struct option *option;
    fputs("clsolve", out);
    if (cli->matrix)
        print_word(out, cli->matrix);
    for (int i = 0; (option = cli_option(i)); ++i)
        if ((option->takes & cmd_solve.takes) && option->kind != FLAG &&
            option->kind != OPTIONS_FILE)
            print_own(out, cli, option);
    for (int i = 0; i < CLI_KEYS; ++i) {
        char title[CLI_NAME + 2];
        if (!cli->given[i])
            continue;
        snprintf(title, sizeof title, "--%s", lcl_options_help(i)->key);
        print_word(out, title);
        print_word(out, cli->given[i]);
    }
}

void cli_print_given(FILE *out, const struct cli *cli)
{
    fputs("clsolve", out);
    for (char *const *word = cli->argv; *word && *++word;)
        print_word(out, *word);
}

char *cli_printed(const struct cli *cli,
                  void (*print)(FILE *out, const struct cli *cli))
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    print(out, cli);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void cli_print_pairs(FILE *out, const struct cli *cli)
{
    const char *before = "";
    for (int i = 0; i < CLI_KEYS; ++i) {
        if (!cli->given[i])
            continue;
        fprintf(out, "%s%s=%s", before, lcl_options_help(i)->key,
                terminal_text(cli->given[i]).text);
        before = " ";
    }
}

// ---------------------------------------------------------------- C

// "block-jacobi" as in LCL_PRECOND_BLOCK_JACOBI
static void print_constant(FILE *out, const struct lcl_option_help *help,
                           const char *word)
{
    fprintf(out, "options.%s = %s", help->field, help->constants);
    for (; *word && *word != ':'; ++word)
        fputc(*word == '-' ? '_' : toupper((unsigned char)*word), out);
    fputs(";", out);
}

// "64,64,32"
static void print_triple(FILE *out, const char *field, const char *value)
{
    for (int i = 0; i < 3; ++i) {
        const int length = (int)strcspn(value, ",");
        fprintf(out, "%soptions.%s[%d] = %.*s;", i ? "\n" : "", field, i,
                length, value);
        value += length + (value[length] == ',');
    }
}

static void print_partition(FILE *out, const struct lcl_option_help *help,
                            const char *value)
{
    const char *colon = strchr(value, ':');
    if (colon && strncmp(value, "file", 4) == 0) {
        fprintf(out, "// partition: lcl_labels_read() of \"%s\"",
                terminal_text(colon + 1).text);
        return;
    }
    print_constant(out, help, value);
    if (!colon)
        return;
    fputc('\n', out);
    print_triple(out, "precond.partition.box", colon + 1);
}

static void print_value(FILE *out, const struct lcl_option_help *help,
                        const char *value)
{
    const bool is_switch = strcmp(help->values, "on|off") == 0;
    if (is_switch)
        value = strcmp(value, "on") == 0 ? "true" : "false";
    fprintf(out, "options.%s = %s%s;", help->field, value,
            strcmp(help->key, "cpr-pressure") == 0 ? " - 1" : "");
}

static void print_line(FILE *out, const struct lcl_option_help *help,
                       const char *value)
{
    if (strcmp(help->key, "partition") == 0)
        print_partition(out, help, value);
    else if (help->constants)
        print_constant(out, help, value);
    else if (strchr(value, ','))
        print_triple(out, help->field, value);
    else
        print_value(out, help, value);
}

// `auto` is what the fields mean without a value.
void cli_print_c(FILE *out, const struct cli *cli)
{
    fputs("struct lcl_options options = LCL_OPTIONS_INIT;", out);
    for (int i = 0; i < CLI_KEYS; ++i) {
        if (!cli->given[i] || strcmp(cli->given[i], "auto") == 0)
            continue;
        fputc('\n', out);
        print_line(out, lcl_options_help(i), cli->given[i]);
    }
}
