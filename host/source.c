// SPDX-License-Identifier: BSD-3-Clause
// Sources of programs.
#include "host/source.h"

#include "host/alloc.h"
#include "host/kernel_sources.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct lcl_source *find_source(const char *name)
{
    for (const struct lcl_source *s = lcl_sources; s->name; ++s)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static const char *const *find_parts(const char *name)
{
    const struct lcl_source *source = find_source(name);
    return source ? source->parts : NULL;
}

const char *lcl_source_name(const char *name)
{
    const struct lcl_source *source = find_source(name);
    return source ? source->name : NULL;
}

// The end of the first `length` bytes of `text` in the source; NULL: not there.
static const char *find_text(const char *const *parts, char *text, int length)
{
    const char *at = NULL;
    const char next = text[length];
    text[length] = '\0';
    while (*parts && !(at = strstr(*parts, text)))
        ++parts;
    text[length] = next;
    return at ? at + length : NULL;
}

static bool has_default(const char *const *parts, const char *name)
{
    char line[64];
    const int length = snprintf(line, sizeof line, "\n#ifndef %s\n", name);
    return find_text(parts, line, length) != NULL;
}

const char *lcl_program_unknown(const struct lcl_spec *spec)
{
    const char *const *parts = find_parts(spec->source);
    for (int i = 0; i < LCL_SPEC_DEFINES && spec->defines[i].name; ++i)
        if (spec->defines[i].value > 0 &&
            !has_default(parts, spec->defines[i].name))
            return spec->defines[i].name;
    return NULL;
}

// Whether "#ifndef NAME", "# define NAME value", "#endif" are the first lines
// of the source with this parameter, so that setting it changes nothing.
static bool is_default(const char *const *parts,
                       const struct lcl_define *define)
{
    char text[160];
    const int asked =
        snprintf(text, sizeof text, "\n#ifndef %s\n", define->name);
    const int length =
        asked + snprintf(text + asked, sizeof text - (size_t)asked,
                         "# define %s %d", define->name, define->value);
    const char *end = find_text(parts, text, asked);
    if (!end || strncmp(end - asked, text, (size_t)length) != 0)
        return false;
    end += length - asked;
    return (*end == ' ' || *end == '\n') &&
           strncmp(strchr(end, '\n'), "\n#endif\n", 8) == 0;
}

void lcl_source_drop_defaults(struct lcl_spec *spec)
{
    const char *const *parts = find_parts(spec->source);
    int kept = 0;
    for (int i = 0; i < LCL_SPEC_DEFINES && spec->defines[i].name; ++i)
        if (spec->defines[i].value != 0 &&
            !is_default(parts, &spec->defines[i]))
            spec->defines[kept++] = spec->defines[i];
    if (kept < LCL_SPEC_DEFINES)
        spec->defines[kept] = (struct lcl_define){.name = NULL};
}

// ------------------------------------------------------------------- bundles

// Bundles: for specs with or without blocks, with or without a storage.
static const struct bundle {
    const char *name;
    bool blocks, stored;
} bundles[] = {
    {"solve.cl", false, false},    {"levels.cl", false, false},
    {"blocks.cl", true, false},    {"moves.cl", true, false},
    {"stored.cl", false, true},    {"stored_blocks.cl", true, true},
    {"products.cl", false, false},
};

static bool has_part(const char *const *parts, const char *part)
{
    while (*parts && *parts != part)
        ++parts;
    return *parts != NULL;
}

static const char *bundle_of(const struct lcl_spec *spec)
{
    const char *const *own = find_parts(spec->source);
    while (own[1])
        ++own;
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; ++i)
        if (bundles[i].blocks == (spec->block > 1) &&
            bundles[i].stored == (spec->storage > 0) &&
            has_part(find_parts(bundles[i].name), *own))
            return bundles[i].name;
    return NULL;
}

void lcl_source_bundle(struct lcl_spec *spec)
{
    const bool plain = spec->width == 1 && spec->group == 1 &&
                       spec->wide == 0 && spec->add == LCL_ATOMIC_ADD_NONE &&
                       !spec->defines[0].name;
    const char *bundle = plain ? bundle_of(spec) : NULL;
    if (!bundle)
        return;
    spec->source = bundle;
    if (spec->block == 1)
        spec->block = 0;
}

// ------------------------------------------------------------------- text

char *lcl_program_source(const struct lcl_spec *spec)
{
    char defines[LCL_SPEC_TEXT];
    const char *const *parts = find_parts(spec->source);
    if (!parts || !lcl_spec_defines(defines, sizeof defines, spec))
        return NULL;
    size_t bytes = strlen(defines) + 1;
    for (const char *const *part = parts; *part; ++part)
        bytes += strlen(*part);
    char *text = lcl_malloc(bytes, 1);
    if (!text)
        return NULL;
    char *at = text + sprintf(text, "%s", defines);
    for (const char *const *part = parts; *part; ++part)
        at += sprintf(at, "%s", *part);
    return text;
}
