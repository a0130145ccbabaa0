// SPDX-License-Identifier: BSD-3-Clause
// The table of the commands of clsolve.
#include "tools/clsolve/commands.h"

#include <levelcl/options.h>

#include <stdio.h>
#include <string.h>

#define ADDRESS(name) &cmd_##name,
static const struct command *const table[] = {COMMANDS(ADDRESS)};
#undef ADDRESS

enum { COUNT = sizeof table / sizeof *table };

const struct command *command_at(int index)
{
    return index < COUNT ? table[index] : NULL;
}

const struct command *command_find(const char *word)
{
    for (int i = 0; i < COUNT; ++i)
        if (strcmp(word, table[i]->name) == 0)
            return table[i];
    return NULL;
}

const char *command_nearest(const char *word)
{
    const char *names[COUNT];
    for (int i = 0; i < COUNT; ++i)
        names[i] = table[i]->name;
    return lcl_nearest(word, names, COUNT);
}

const char *command_title(const struct command *command, char text[64])
{
    if (command == table[0])
        return "a solve";
    snprintf(text, 64, "clsolve %s", command->name);
    return text;
}
