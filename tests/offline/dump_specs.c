// SPDX-License-Identifier: BSD-3-Clause
// Writes the kernel specialisations that the library asks for on GPUs of each
// kind, as their drivers get them, for compilers of GPUs that are not here.
// Names are as compile.sh wants them: KERNEL.WIDTH.VARIANT-EXCHANGE.cl, without
// an exchange where every target is meant.
// usage: dump_specs FOLDER
#include "host/alloc.h"
#include "host/program.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------- what

struct target {
    const char *suffix;
    int width;
    enum lcl_exchange exchange;
    enum lcl_atomic_add add;
};

static const struct target targets[] = {
    {"-amd", 64, LCL_EXCHANGE_AMD, LCL_ATOMIC_ADD_CAS},
    {"-amd", 32, LCL_EXCHANGE_AMD, LCL_ATOMIC_ADD_CAS},
    {"-nv_ptx", 32, LCL_EXCHANGE_NV_PTX, LCL_ATOMIC_ADD_NV_PTX},
    {"-khr", 32, LCL_EXCHANGE_KHR, LCL_ATOMIC_ADD_CAS},
    {"-intel", 16, LCL_EXCHANGE_INTEL, LCL_ATOMIC_ADD_CAS},
    {"", 32, LCL_EXCHANGE_LOCAL, LCL_ATOMIC_ADD_CAS},
};

// What a target makes of it: width, exchange, and a group of so many waves.
struct variant {
    const char *name;
    int waves;
    struct lcl_spec spec;
};

enum { PROBE_ADD = 4 };

// clang-format off
static const struct variant variants[] = {
    {"plain",     4, {.source = "bicgstab.cl"}},
    {"lane",      4, {.source = "csr.cl", .lanes = 1}},
    {"lanes",     4, {.source = "csr.cl", .lanes = 8}},
    {"wide",      4, {.source = "csr.cl", .lanes = 4, .wide = 1}},
    {"wave",      1, {.source = "dag_vc_ILDU0_fused.cl", .rows = 512}},
    {"waves",     4, {.source = "dag_vc_ILDU0_fused.cl", .rows = 2048}},
    {"lu",        1, {.source = "ildu0.cl", .mode = 1}},
    {"ldu",       4, {.source = "ildu0.cl", .mode = 2}},
    {"lu",        1, {.source = "packed.cl", .rows = 512, .sweeps = 64,
                      .slots = 3, .mode = 1}},
    {"ldu",       1, {.source = "packed.cl", .rows = 512, .sweeps = 64,
                      .slots = 3, .mode = 2}},
    {"long_rows", 1, {.source = "packed.cl", .rows = 512, .sweeps = 128,
                      .slots = 7, .mode = 2}},
    {"in_place",  2, {.source = "packed.cl", .rows = 1024, .slots = 4,
                      .mode = 2}},
    {"exchange",  2, {.source = "probe.cl", .probe = 1}},
    {"local",     1, {.source = "probe.cl", .probe = 2, .rows = 4096}},
    {"progress",  2, {.source = "probe.cl", .probe = 3}},
    {"add",       2, {.source = "probe.cl", .probe = PROBE_ADD}},
    {"queues",    1, {.source = "probe.cl", .probe = 5}},
    {"wave",      1, {.source = "symbolic.cl", .rows = 128}},
    {"waves",     4, {.source = "symbolic.cl", .rows = 2048}},
    {"blocks",    4, {.source = "symbolic.cl", .rows = 512, .block = 3}},
    {"plain",     4, {.source = "vector.cl"}},
};
// clang-format on

static struct lcl_spec spec_of(const struct variant *v, const struct target *t)
{
    struct lcl_spec spec = v->spec;
    spec.width = t->width;
    spec.exchange = t->exchange;
    spec.group = v->waves * t->width;
    if (spec.probe == PROBE_ADD)
        spec.mode = (int)t->add;
    return spec;
}

// ------------------------------------------------------------------- where to

static bool write_source(const char *path, const struct lcl_spec *spec)
{
    char *text = lcl_program_source(spec);
    FILE *file = text ? fopen(path, "w") : NULL;
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    lcl_free(text);
    return written;
}

static bool dump(const char *folder, const struct variant *v,
                 const struct target *t)
{
    const struct lcl_spec spec = spec_of(v, t);
    const int stem = (int)(strlen(spec.source) - strlen(".cl"));
    char path[1024];
    const int length =
        snprintf(path, sizeof path, "%s/%.*s.W%d.%s%s.cl", folder, stem,
                 spec.source, t->width, v->name, t->suffix);
    if (length >= (int)sizeof path || !write_source(path, &spec)) {
        fprintf(stderr, "%s cannot be written\n", path);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: dump_specs FOLDER\n");
        return 2;
    }
    for (size_t t = 0; t < sizeof targets / sizeof *targets; ++t)
        for (size_t v = 0; v < sizeof variants / sizeof *variants; ++v)
            if (!dump(argv[1], &variants[v], &targets[t]))
                return 1;
    return 0;
}
