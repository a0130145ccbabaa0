// SPDX-License-Identifier: BSD-3-Clause
// spec -> #define lines.
#include "host/spec.h"

#include <stdio.h>

static const char *const exchange_define[LCL_EXCHANGE_COUNT] = {
    [LCL_EXCHANGE_AUTO] = "NONE",   [LCL_EXCHANGE_NONE] = "NONE",
    [LCL_EXCHANGE_LOCAL] = "LOCAL", [LCL_EXCHANGE_KHR] = "KHR",
    [LCL_EXCHANGE_INTEL] = "INTEL", [LCL_EXCHANGE_NV_PTX] = "NV_PTX",
    [LCL_EXCHANGE_AMD] = "AMD",
};

bool lcl_spec_defines(char *text, size_t size, const struct lcl_spec *spec)
{
    const struct {
        const char *name;
        int value;
    } fields[] = {
        {"WIDTH", spec->width},     {"GROUP", spec->group},
        {"ROWS", spec->rows},       {"SWEEPS", spec->sweeps},
        {"RING", spec->ring},       {"SLOTS", spec->slots},
        {"LANES", spec->lanes},     {"BLOCK", spec->block},
        {"VECTORS", spec->vectors}, {"STORAGE", spec->storage},
        {"WIDE", spec->wide},       {"PM", spec->pm},
        {"PROBE", spec->probe},     {"MODE", spec->mode},
        {"ADD", (int)spec->add},
    };
    size_t at = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        if (fields[i].value < 0)
            return false;
        if (fields[i].value == 0)
            continue;
        at += (size_t)snprintf(text + at, size - at, "#define LCL_%s %d\n",
                               fields[i].name, fields[i].value);
        if (at >= size)
            return false;
    }
    at += (size_t)snprintf(text + at, size - at, "#define LCL_EXCHANGE_%s\n",
                           exchange_define[spec->exchange]);
    return at < size;
}
