// SPDX-License-Identifier: BSD-3-Clause
// What fits together on the command line of clsolve.
#include "tools/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_is_kron(const struct cli *cli)
{
    return cli->kron[0] ||
           (cli->problem && (strncmp(cli->problem, "kron", 4) == 0 ||
                             strncmp(cli->problem, "radau", 5) == 0));
}

static enum lcl_status check_matrix(const struct cli *cli,
                                    struct messages *messages)
{
    const bool text = cli->text[0] != NULL, kron = cli->kron[0] != NULL;
    const int given =
        (cli->matrix != NULL) + (cli->problem != NULL) + text + kron;
    if (cli->command == CLI_DEVICES && given > 0)
        return messages_fail(messages, LCL_EINVAL,
                             "clsolve devices takes no matrix");
    if (given > 1 && !text && !kron)
        return messages_fail(messages, LCL_EINVAL,
                             "give a matrix or --problem, not both");
    if (given > 1)
        return messages_fail(messages, LCL_EINVAL,
                             "give a matrix, --problem, --csr-text or --kron, "
                             "not two of them");
    if (cli->tau_text && !kron)
        return messages_fail(messages, LCL_EINVAL,
                             "--tau has a meaning only with --kron");
    if (cli->rhs && cli->text[3])
        return messages_fail(messages, LCL_EINVAL,
                             "give -b or a fourth file to --csr-text, not "
                             "both");
    if (cli->command != CLI_DEVICES && given == 0)
        return messages_fail(messages, LCL_EINVAL,
                             "no matrix given; clsolve --help says how");
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

enum lcl_status cli_check(struct cli *cli, struct messages *messages)
{
    const struct {
        const char *value, *dashed;
    } only_solve[] = {{cli->rhs, "-b"},
                      {cli->text[3], "a fourth file of --csr-text"},
                      {cli->output, "-o"},
                      {cli->history, "--history"}};
    if (cli->help || cli->version)
        return LCL_OK;
    for (int i = 0; i < (int)(sizeof only_solve / sizeof *only_solve); ++i)
        if (cli->command != CLI_SOLVE && only_solve[i].value)
            return messages_fail(messages, LCL_EINVAL,
                                 "%s has a meaning only where a system is "
                                 "solved",
                                 only_solve[i].dashed);
    const enum lcl_status st = check_matrix(cli, messages);
    return st < 0 ? st : read_tau(cli, messages);
}
