// SPDX-License-Identifier: BSD-3-Clause
// Writes the kernel specialisations that the library requests on GPUs of each
// kind, as their drivers receive them, for offline compilers. File names as
// compile.sh expects them: KERNEL.WIDTH.VARIANT-EXCHANGE.cl, without an
// exchange if the file is for every target.
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

// Sets the properties of a target: width, exchange, and groups of the given
// number of waves.
struct variant {
    const char *name;
    int waves;
    struct lcl_spec spec;
};

// The method of atomic addition of the target.
#define ANY LCL_ATOMIC_ADD_CAS

// clang-format off
static const struct variant variants[] = {
    {"lists",     6, {.source = "adaptive.cl"}},
    {"rows_wide", 6, {.source = "adaptive.cl", .mode = 1, .wide = 1}},
    {"four",      4, {.source = "bgje.cl", .block = 4, .pm = 4, .mode = 5}},
    {"rows_2",    4, {.source = "bgje.cl", .block = 16, .pm = 8, .mode = 5}},
    {"mixed",     4, {.source = "bgje.cl", .block = 31, .pm = 16}},
    {"single",    4, {.source = "bgje.cl", .block = 24, .pm = 16, .mode = 1,
                      .storage = 2}},
    {"local",     4, {.source = "bgje.cl", .block = 64, .pm = 16, .mode = 2}},
    {"plain",     4, {.source = "bicgstab.cl"}},
    {"plain",     4, {.source = "binned.cl"}},
    {"wide",      4, {.source = "binned.cl", .wide = 1}},
    {"slab",      4, {.source = "block_apply.cl", .lanes = 16, .slots = 8,
                      .storage = 1}},
    {"bf16",      4, {.source = "block_apply.cl", .lanes = 16, .slots = 6,
                      .storage = 3}},
    {"adaptive",  4, {.source = "block_apply.cl", .lanes = 64, .slots = 4,
                      .storage = 4}},
    {"cached",    1, {.source = "block_jacobi.cl", .block = 8, .pm = 16,
                      .rows = 1, .mode = 1}},
    {"shared",    1, {.source = "block_jacobi.cl", .block = 8, .pm = 8,
                      .rows = 3, .mode = 2}},
    {"bisect",    1, {.source = "block_jacobi.cl", .block = 8, .pm = 8,
                      .rows = 1, .mode = 3}},
    {"norms",     1, {.source = "block_jacobi.cl", .block = 16, .pm = 16,
                      .rows = 1, .wide = 1, .mode = 7}},
    {"large",     1, {.source = "block_jacobi.cl", .block = 32, .pm = 16,
                      .rows = 1, .mode = 3}},
    {"lane",      4, {.source = "bsr.cl", .block = 8, .lanes = 1}},
    {"row",       4, {.source = "bsr.cl", .block = 3, .lanes = 3}},
    {"row_wide",  4, {.source = "bsr.cl", .block = 7, .lanes = 7, .wide = 1}},
    {"entry",     4, {.source = "bsr.cl", .block = 3, .lanes = 9}},
    {"entry_5",   4, {.source = "bsr.cl", .block = 5, .lanes = 25}},
    {"lane",      4, {.source = "csr.cl", .lanes = 1}},
    {"lanes",     4, {.source = "csr.cl", .lanes = 8}},
    {"wide",      4, {.source = "csr.cl", .lanes = 4, .wide = 1}},
    {"columns",   4, {.source = "csr.cl", .lanes = 4, .vectors = 8}},
    {"columns",   4, {.source = "bsr.cl", .block = 3, .lanes = 9,
                      .vectors = 4}},
    {"plain",     8, {.source = "cg.cl"}},
    {"plain",     8, {.source = "cg_published.cl", .add = ANY}},
    {"plain",     4, {.source = "coarse.cl"}},
    {"blocks",    4, {.source = "coarse.cl", .block = 3}},
    {"plain",     4, {.source = "coarse_pattern.cl"}},
    {"plain",     1, {.source = "csr_factors.cl"}},
    {"block_3",   1, {.source = "csr_factors.cl", .block = 3}},
    {"block_8",   1, {.source = "csr_factors.cl", .block = 8}},
    {"global",    8, {.source = "dag_ec.cl", .add = ANY, .mode = 1}},
    {"local",     8, {.source = "dag_ec.cl", .add = ANY, .rows = 2048,
                      .mode = 2}},
    {"global_3",  8, {.source = "dag_ec.cl", .add = ANY, .mode = 1,
                      .block = 3}},
    {"local_3",   8, {.source = "dag_ec.cl", .add = ANY, .rows = 512,
                      .mode = 2, .block = 3}},
    {"local_8",   8, {.source = "dag_ec.cl", .add = ANY, .rows = 256,
                      .mode = 2, .block = 8}},
    {"wave",      1, {.source = "dag_vc_ILDU0_fused.cl", .rows = 512}},
    {"waves",     4, {.source = "dag_vc_ILDU0_fused.cl", .rows = 2048}},
    {"block_3",   8, {.source = "dag_vc_ILDU0_fused.cl", .rows = 512,
                      .block = 3}},
    {"block_8",   8, {.source = "dag_vc_ILDU0_fused.cl", .rows = 256,
                      .block = 8}},
    {"fp64",      1, {.source = "dilu.cl", .rows = 512, .slots = 3,
                      .storage = 1}},
    {"fp32",      4, {.source = "dilu.cl", .rows = 2048, .slots = 3,
                      .storage = 2}},
    {"bf16",      1, {.source = "dilu.cl", .rows = 512, .slots = 8,
                      .storage = 3}},
    {"c_8",       8, {.source = "gmres.cl", .slots = 8, .storage = 1}},
    {"c_16",      8, {.source = "gmres.cl", .slots = 16, .storage = 2}},
    {"c_32",      8, {.source = "gmres.cl", .slots = 32, .storage = 1}},
    {"fp64",      8, {.source = "gmres_step.cl", .storage = 1}},
    {"fp32",      8, {.source = "gmres_step.cl", .storage = 2}},
    {"s_4",       4, {.source = "idr.cl", .mode = 4}},
    {"s_8",       4, {.source = "idr.cl", .mode = 8}},
    {"s_4",       4, {.source = "idr_step.cl", .mode = 4}},
    {"s_8",       4, {.source = "idr_step.cl", .mode = 8}},
    {"waves",     4, {.source = "ildu0.cl"}},
    {"block_3",   1, {.source = "ildu0_block.cl", .block = 3}},
    {"block_5",   1, {.source = "ildu0_block.cl", .block = 5}},
    {"plain",     4, {.source = "dense.cl", .rows = 32}},
    {"single",    4, {.source = "dense.cl", .rows = 32, .storage = 2}},
    {"fp64",      8, {.source = "kron_blocks.cl", .block = 4, .vectors = 2,
                      .storage = 1}},
    {"fp32",      8, {.source = "kron_blocks.cl", .block = 4, .vectors = 8,
                      .storage = 2}},
    {"wave",      1, {.source = "layout.cl"}},
    {"waves",     4, {.source = "layout.cl"}},
    {"s_2",       8, {.source = "okp.cl", .block = 4, .vectors = 2}},
    {"s_2",       4, {.source = "one_pass.cl", .block = 4, .vectors = 2,
                      .slots = 2, .lanes = 16}},
    {"s_4",       4, {.source = "one_pass.cl", .block = 4, .vectors = 4,
                      .slots = 4, .lanes = 16}},
    {"s_8",       4, {.source = "one_pass.cl", .block = 4, .vectors = 8,
                      .slots = 4, .lanes = 16}},
    {"b_3",       4, {.source = "one_pass.cl", .block = 3, .vectors = 3,
                      .slots = 3, .lanes = 9, .wide = 1}},
    {"one",       4, {.source = "one_pass.cl", .block = 4, .vectors = 2,
                      .slots = 2, .lanes = 16, .mode = 1}},
    {"s_8",       4, {.source = "one_pass_mma.cl", .block = 4, .vectors = 8,
                      .exchange = LCL_EXCHANGE_NV_PTX}},
    {"s_16",      4, {.source = "one_pass_mma.cl", .block = 3, .vectors = 16,
                      .exchange = LCL_EXCHANGE_NV_PTX}},
    {"straight",  1, {.source = "packed.cl", .rows = 512, .sweeps = 64,
                      .slots = 3, .storage = 1}},
    {"ring",      1, {.source = "packed.cl", .rows = 512, .sweeps = 64,
                      .slots = 3, .storage = 1, .ring = 1}},
    {"long_rows", 1, {.source = "packed.cl", .rows = 512, .sweeps = 128,
                      .slots = 7, .storage = 1, .ring = 1}},
    {"shared",    1, {.source = "packed.cl", .rows = 512, .sweeps = 320,
                      .slots = 7, .lanes = 32, .storage = 1}},
    {"in_place",  2, {.source = "packed.cl", .rows = 1024, .slots = 4,
                      .storage = 1}},
    {"fp32",      1, {.source = "packed.cl", .rows = 512, .sweeps = 64,
                      .slots = 3, .storage = 2, .ring = 1}},
    {"bf16",      1, {.source = "packed.cl", .rows = 512, .sweeps = 64,
                      .slots = 3, .storage = 3}},
    {"fp64_3",    1, {.source = "packed_block.cl", .rows = 512, .sweeps = 64,
                      .block = 3, .storage = 1}},
    {"fp32_4",    1, {.source = "packed_block.cl", .rows = 256, .sweeps = 64,
                      .block = 4, .storage = 2}},
    {"bf16_3",    2, {.source = "packed_block.cl", .rows = 1024, .block = 3,
                      .storage = 3}},
    {"large",     1, {.source = "packed_block.cl", .rows = 256, .sweeps = 64,
                      .block = 8, .storage = 1}},
    {"exchange",  2, {.source = "probe.cl", .probe = 1}},
    {"local",     1, {.source = "probe.cl", .probe = 2, .rows = 4096}},
    {"progress",  2, {.source = "probe.cl", .probe = 3}},
    {"add",       2, {.source = "probe.cl", .probe = 4, .add = ANY}},
    {"queues",    1, {.source = "probe.cl", .probe = 5}},
    {"plain",     4, {.source = "product_sums.cl"}},
    {"wave",      1, {.source = "reorder.cl"}},
    {"waves",     4, {.source = "reorder.cl"}},
    {"plain",     4, {.source = "row_bins.cl"}},
    {"wide",      4, {.source = "row_bins.cl", .wide = 1}},
    {"few",       8, {.source = "sliced.cl", .slots = 4}},
    {"most",      8, {.source = "sliced.cl", .slots = 8}},
    {"block_3",   8, {.source = "sliced.cl", .slots = 4, .block = 3}},
    {"block_8",   8, {.source = "sliced.cl", .slots = 4, .block = 8}},
    {"columns",   8, {.source = "sliced.cl", .slots = 1, .vectors = 8}},
    {"columns_3", 8, {.source = "sliced.cl", .slots = 1, .block = 3,
                      .vectors = 4}},
    {"plain",     8, {.source = "slices.cl"}},
    {"wide",      8, {.source = "slices.cl", .block = 3, .wide = 1}},
    {"turns",     8, {.source = "spin_loop_lds.cl", .add = ANY, .rows = 2048,
                      .mode = 1}},
    {"free",      8, {.source = "spin_loop_lds.cl", .add = ANY, .rows = 2048,
                      .mode = 2}},
    {"turns_3",   8, {.source = "spin_loop_lds.cl", .add = ANY, .rows = 512,
                      .mode = 1, .block = 3}},
    {"free_3",    8, {.source = "spin_loop_lds.cl", .add = ANY, .rows = 512,
                      .mode = 2, .block = 3}},
    {"free_8",    8, {.source = "spin_loop_lds.cl", .add = ANY, .rows = 256,
                      .mode = 2, .block = 8}},
    {"fp32",      1, {.source = "store.cl", .block = 3, .storage = 2}},
    {"bf16",      4, {.source = "store.cl", .block = 1, .storage = 3}},
    {"plain",     8, {.source = "symmetry.cl"}},
    {"blocks",    8, {.source = "symmetry.cl", .block = 3, .wide = 1}},
    {"wave",      1, {.source = "symbolic.cl", .rows = 128}},
    {"waves",     4, {.source = "symbolic.cl", .rows = 2048}},
    {"blocks",    4, {.source = "symbolic.cl", .rows = 512, .block = 3}},
    {"plain",     4, {.source = "vector.cl"}},
    {"blocks",    4, {.source = "vector.cl", .block = 9}},
};
// clang-format on

static struct lcl_spec spec_of(const struct variant *v, const struct target *t)
{
    struct lcl_spec spec = v->spec;
    spec.width = t->width;
    spec.exchange = t->exchange;
    spec.group = v->waves * t->width;
    if (spec.add)
        spec.add = t->add;
    return spec;
}

// Whether the variant, which may name one exchange, is for the target.
static bool is_meant(const struct variant *v, const struct target *t)
{
    return !v->spec.exchange || v->spec.exchange == t->exchange;
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
            if (is_meant(&variants[v], &targets[t]) &&
                !dump(argv[1], &variants[v], &targets[t]))
                return 1;
    return 0;
}
