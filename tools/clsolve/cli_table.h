// SPDX-License-Identifier: BSD-3-Clause
// The options of clsolve that are not options of the library.
#pragma once

#include "tools/clsolve/cli.h"

#include <stddef.h>

enum kind { TEXT, FLAG, TIMES, CSR_TEXT, KRON, OPTIONS_FILE };

struct option {
    const char *name; // long name, NULL: none
    char letter;      // short name, '\0': none
    enum kind kind;
    size_t offset;  // of the field in struct cli
    unsigned takes; // only for commands that take this; 0: for all
    const char *values;
    const char *help;
};

enum { CLI_OPTIONS = 64 };

// Option number `index`, below CLI_OPTIONS; NULL past the end.
const struct option *cli_option(int index);

// The dashed name: "-b", "--rhs".
void cli_option_title(char title[CLI_NAME], const struct option *option);

// The number of an option of the library; -1: none.
int cli_find_key(const char *key);
