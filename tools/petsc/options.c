// SPDX-License-Identifier: BSD-3-Clause
// Options of the library by PETSc's names: ilu-level is -pc_levelcl_ilu_level.
#include "tools/petsc/adapter.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 128, TEXT = 512 };

static void spell(char *name, const char *prefix, const char *key)
{
    snprintf(name, WORD, "%s%s", prefix, key);
    for (char *c = name + strlen(prefix); *c; ++c)
        *c = *c == '-' ? '_' : *c;
}

static PetscErrorCode read_one(PetscOptionItems *PetscOptionsObject,
                               const char *prefix,
                               const struct lcl_option_help *help,
                               struct lcl_options *options)
{
    char name[WORD], text[TEXT], value[TEXT], pair[TEXT + WORD];
    PetscBool set;
    PetscFunctionBegin;
    spell(name, prefix, help->key);
    snprintf(text, sizeof text, "%s: %s", help->values, help->help);
    PetscCall(PetscOptionsString(name, text, "levelcl/options.h", "auto", value,
                                 sizeof value, &set));
    if (!set)
        PetscFunctionReturn(0);
    struct messages messages = {0};
    const struct lcl_log log = messages_log(&messages);
    snprintf(pair, sizeof pair, "%s=%s", help->key, value);
    PetscCall(
        messages_check(&messages, lcl_options_parse(options, pair, &log)));
    PetscFunctionReturn(0);
}

PetscErrorCode options_read(PetscOptionItems *PetscOptionsObject,
                            const char *prefix, const char *fields,
                            struct lcl_options *options)
{
    const struct lcl_option_help *help;
    PetscFunctionBegin;
    for (int i = 0; (help = lcl_options_help(i)); ++i)
        if (strncmp(help->field, fields, strlen(fields)) == 0)
            PetscCall(read_one(PetscOptionsObject, prefix, help, options));
    PetscFunctionReturn(0);
}
