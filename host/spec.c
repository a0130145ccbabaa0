// SPDX-License-Identifier: BSD-3-Clause
// spec -> #define lines.
#include "host/spec.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const exchange_define[LCL_EXCHANGE_COUNT] = {
    [LCL_EXCHANGE_AUTO] = "NONE",   [LCL_EXCHANGE_NONE] = "NONE",
    [LCL_EXCHANGE_LOCAL] = "LOCAL", [LCL_EXCHANGE_KHR] = "KHR",
    [LCL_EXCHANGE_INTEL] = "INTEL", [LCL_EXCHANGE_NV_PTX] = "NV_PTX",
    [LCL_EXCHANGE_AMD] = "AMD",
};

// Index of a parameter in the list, or of the end of the list.
static int find_define(const struct lcl_spec *spec, const char *name)
{
    int i = 0;
    while (i < LCL_SPEC_DEFINES && spec->defines[i].name &&
           strcmp(spec->defines[i].name, name) != 0)
        ++i;
    return i;
}

void lcl_spec_set(struct lcl_spec *spec, const char *name, int value)
{
    const int i = find_define(spec, name);
    assert(i < LCL_SPEC_DEFINES);
    spec->defines[i] = (struct lcl_define){name, value};
}

static bool is_parameter(const char *name)
{
    const size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return name[length] == '\0' && length >= 2 && name[0] >= 'A' &&
           name[0] <= 'Z' && strncmp(name, "LCL_", 4) != 0;
}

// Appends a line at *at; returns false if it does not fit.
static bool add_line(char *text, size_t size, size_t *at, const char *prefix,
                     const struct lcl_define *define)
{
    if (define->value < 0)
        return false;
    if (define->value > 0)
        *at += (size_t)snprintf(text + *at, size - *at, "#define %s%s %d\n",
                                prefix, define->name, define->value);
    return *at < size;
}

bool lcl_spec_defines(char *text, size_t size, const struct lcl_spec *spec)
{
    const struct lcl_define shared[] = {
        {"WIDTH", spec->width}, {"GROUP", spec->group},
        {"BLOCK", spec->block}, {"STORAGE", spec->storage},
        {"WIDE", spec->wide},   {"ADD", (int)spec->add},
        {"LOOSE", spec->loose}, {"SINGLE", spec->single},
    };
    size_t at = 0;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; ++i)
        if (!add_line(text, size, &at, "LCL_", &shared[i]))
            return false;
    for (int i = 0; i < LCL_SPEC_DEFINES && spec->defines[i].name; ++i)
        if (!is_parameter(spec->defines[i].name) ||
            find_define(spec, spec->defines[i].name) != i ||
            !add_line(text, size, &at, "", &spec->defines[i]))
            return false;
    at += (size_t)snprintf(text + at, size - at, "#define LCL_EXCHANGE_%s\n",
                           exchange_define[spec->exchange]);
    return at < size;
}
