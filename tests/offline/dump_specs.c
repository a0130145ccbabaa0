// SPDX-License-Identifier: BSD-3-Clause
// Writes the kernel specialisations that the library requests on GPUs of each
// kind, as their drivers receive them, for offline compilers. File names as
// compile.sh expects them: KERNEL.WIDTH.VARIANT-EXCHANGE.cl, without an
// exchange if the file is for every target.
// usage: dump_specs FOLDER
#include "host/alloc.h"
#include "host/program.h"
#include "host/source.h"
#include "lib/krylov/methods.h"

#include "cl/dense/block_jacobi.cl.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------- what

struct target {
    const char *suffix;
    int width;
    enum lcl_exchange exchange;
    enum lcl_atomic_add add;
};

// The largest work-group that AMD's drivers admit by default.
enum { AMD_GROUP = 256 };

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

// The method of atomic addition of the target, or that of gfx90a.
#define ANY LCL_ATOMIC_ADD_CAS
#define OWN LCL_ATOMIC_ADD_AMD

// The subdomains of Mehta et al. on AMD: 8,192 rows fill 64 KiB, 2,048 blocks
// of 3 rows 48 KiB. ptxas allows 48 KiB at most, less what it needs itself.
#define FULL .exchange = LCL_EXCHANGE_AMD, .defines = {{"SUBDOMAIN_ROWS", 8192}}
#define FULL_3                                                                 \
 .exchange = LCL_EXCHANGE_AMD, .defines = {{"SUBDOMAIN_ROWS", 2048}}

// clang-format off
static const struct variant variants[] = {
    {"lists",     6, {.source = "adaptive.cl"}},
    {"rows_wide", 6, {.source = "adaptive.cl", .wide = 1,
                      .defines = {{"MATRIX_ORDER", 1}}}},
    {"lanes",     8, {.source = "aggregate.cl",
                      .defines = {{"LANES_PER_ROW", 8}}}},
    {"wide",      8, {.source = "aggregate.cl", .wide = 1,
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"four",      4, {.source = "bgje.cl", .block = 4,
                      .defines = {{"LANES_PER_BLOCK", 4}, {"EQUAL_BLOCKS", 1},
                                  {"CONSECUTIVE_BLOCKS", 1}}}},
    {"rows_2",    4, {.source = "bgje.cl", .block = 16,
                      .defines = {{"LANES_PER_BLOCK", 8}, {"EQUAL_BLOCKS", 1},
                                  {"CONSECUTIVE_BLOCKS", 1}}}},
    {"mixed",     4, {.source = "bgje.cl", .block = 31,
                      .defines = {{"LANES_PER_BLOCK", 16}}}},
    {"padded",    4, {.source = "bgje.cl", .block = 32,
                      .defines = {{"LANES_PER_BLOCK", 16}}}},
    {"single",    4, {.source = "bgje.cl", .block = 24, .storage = 2,
                      .defines = {{"LANES_PER_BLOCK", 16},
                                  {"EQUAL_BLOCKS", 1}}}},
    {"local",     4, {.source = "bgje.cl", .block = 64,
                      .defines = {{"LANES_PER_BLOCK", 16},
                                  {"BLOCK_PER_GROUP", 1}}}},
    {"plain",     4, {.source = "binned.cl"}},
    {"wide",      4, {.source = "binned.cl", .wide = 1}},
    {"fp32",      4, {.source = "binned.cl", .single = 1}},
    {"slab",      4, {.source = "block_apply.cl", .storage = 1,
                      .defines = {{"SLAB_LANES", 16}, {"VALUES_AT_ONCE", 8}}}},
    {"bf16",      4, {.source = "block_apply.cl", .storage = 3,
                      .defines = {{"SLAB_LANES", 16}, {"VALUES_AT_ONCE", 6}}}},
    {"adaptive",  4, {.source = "block_apply.cl", .storage = 4,
                      .defines = {{"SLAB_LANES", 64}, {"VALUES_AT_ONCE", 4}}}},
    {"rows",      4, {.source = "block_apply.cl", .block = 12, .storage = 1,
                      .defines = {{"SLAB_LANES", 16}, {"BY_ROWS", 1}}}},
    {"rows_mix",  4, {.source = "block_apply.cl", .block = 32, .storage = 4,
                      .defines = {{"SLAB_LANES", 16}, {"BY_ROWS", 1}}}},
    {"cached",    1, {.source = "block_jacobi.cl", .block = 32,
                      .defines = {{"LANES_PER_BLOCK", 16}, {"MATRIX_BLOCK", 1},
                                  {"ROWS_MAX", 8},
                                  {"EXTRACTION", LCL_EXTRACTION_CACHED}}}},
    {"shared",    1, {.source = "block_jacobi.cl", .block = 8,
                      .defines = {{"LANES_PER_BLOCK", 8}, {"MATRIX_BLOCK", 3},
                                  {"EXTRACTION", LCL_EXTRACTION_SHARED}}}},
    {"padded",    1, {.source = "block_jacobi.cl", .block = 32,
                      .defines = {{"LANES_PER_BLOCK", 16}, {"MATRIX_BLOCK", 1},
                                  {"ROWS_MAX", 12},
                                  {"EXTRACTION", LCL_EXTRACTION_SHARED}}}},
    {"whole",     1, {.source = "block_jacobi.cl", .block = 32,
                      .defines = {{"LANES_PER_BLOCK", 16}, {"MATRIX_BLOCK", 1},
                                  {"ROWS_MAX", 12},
                                  {"EXTRACTION",
                                   LCL_EXTRACTION_SHARED_QUADRATIC}}}},
    {"bisect",    1, {.source = "block_jacobi.cl", .block = 8,
                      .defines = {{"LANES_PER_BLOCK", 8}, {"MATRIX_BLOCK", 1},
                                  {"EXTRACTION", LCL_EXTRACTION_BISECT}}}},
    {"norms",     1, {.source = "block_jacobi.cl", .block = 16, .wide = 1,
                      .defines = {{"LANES_PER_BLOCK", 16}, {"MATRIX_BLOCK", 1},
                                  {"EXTRACTION", LCL_EXTRACTION_BISECT},
                                  {"NORMS", 1}}}},
    {"large",     1, {.source = "block_jacobi.cl", .block = 32,
                      .defines = {{"LANES_PER_BLOCK", 16}, {"MATRIX_BLOCK", 1},
                                  {"EXTRACTION", LCL_EXTRACTION_BISECT}}}},
    {"lane",      4, {.source = "bsr.cl", .block = 8,
                      .defines = {{"LANES_PER_ROW", 1}}}},
    {"row",       4, {.source = "bsr.cl", .block = 3,
                      .defines = {{"LANES_PER_ROW", 3}}}},
    {"row_wide",  4, {.source = "bsr.cl", .block = 7, .wide = 1,
                      .defines = {{"LANES_PER_ROW", 7}}}},
    {"entry",     4, {.source = "bsr.cl", .block = 3,
                      .defines = {{"LANES_PER_ROW", 9}}}},
    {"entry_5",   4, {.source = "bsr.cl", .block = 5,
                      .defines = {{"LANES_PER_ROW", 25}}}},
    {"plain",     8, {.source = "check_csr.cl"}},
    {"wide",      8, {.source = "check_csr.cl", .wide = true}},
    {"lane",      4, {.source = "csr.cl", .defines = {{"LANES_PER_ROW", 1}}}},
    {"lanes",     4, {.source = "csr.cl", .defines = {{"LANES_PER_ROW", 8}}}},
    {"wide",      4, {.source = "csr.cl", .wide = 1,
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"columns",   4, {.source = "csr.cl",
                      .defines = {{"LANES_PER_ROW", 4}, {"VECTORS", 8}}}},
    {"columns",   4, {.source = "bsr.cl", .block = 3,
                      .defines = {{"LANES_PER_ROW", 9}, {"VECTORS", 4}}}},
    {"plain",     8, {.source = "relay.cl"}},
    {"system_fence", 8, {.source = "relay.cl", .exchange = LCL_EXCHANGE_NV_PTX,
                         .defines = {{"FENCE", LCL_FENCE_NV_PTX}}}},
    {"system_fence", 8, {.source = "relay.cl", .exchange = LCL_EXCHANGE_AMD,
                         .defines = {{"FENCE", LCL_FENCE_AMD}}}},
    {"devices_fence", 8, {.source = "relay.cl", .exchange = LCL_EXCHANGE_KHR,
                          .defines = {{"FENCE", LCL_FENCE_DEVICES}}}},
    {"plain",     8, {.source = "cg_published.cl", .add = ANY}},
    {"fp32",      8, {.source = "cg_published.cl",
                      .add = LCL_ATOMIC_ADD_CAS, .single = 1}},
    {"fp32",      8, {.source = "cg_published.cl", .single = 1,
                      .exchange = LCL_EXCHANGE_NV_PTX,
                      .add = LCL_ATOMIC_ADD_NV_PTX}},
    {"plain",     4, {.source = "coarse.cl"}},
    {"blocks",    4, {.source = "coarse.cl", .block = 3}},
    {"fp64",      8, {.source = "coarse_columns.cl",
                      .defines = {{"COLUMNS", 8}}}},
    {"fp32",      8, {.source = "coarse_columns.cl", .storage = 2,
                      .defines = {{"COLUMNS", 4}}}},
    {"plain",     4, {.source = "coarse_pattern.cl"}},
    {"two",       8, {.source = "columns.cl", .defines = {{"COLUMNS", 2}}}},
    {"eight",     8, {.source = "columns.cl", .defines = {{"COLUMNS", 8}}}},
    {"plain",     8, {.source = "bicgstab_pairs.cl"}},
    {"eight",     8, {.source = "cg_columns.cl", .defines = {{"COLUMNS", 8}}}},
    {"two",       8, {.source = "csr_columns.cl", .wide = 1,
                      .defines = {{"COLUMNS", 2}}}},
    {"eight",     8, {.source = "csr_columns.cl",
                      .defines = {{"COLUMNS", 8}}}},
    {"few",       1, {.source = "contract.cl", .defines = {{"LANES_PER_ROW", 8}}}},
    {"many",      1, {.source = "contract.cl", .defines = {{"LANES_PER_ROW", 16}}}},
    {"listed",    8, {.source = "contract.cl", .defines = {{"LONG_ROWS", 1}}}},
    {"plain",     1, {.source = "csr_factors.cl"}},
    {"block_3",   1, {.source = "csr_factors.cl", .block = 3}},
    {"block_8",   1, {.source = "csr_factors.cl", .block = 8}},
    {"global",    8, {.source = "dag_ec.cl", .add = ANY,
                      .defines = {{"GLOBAL_VECTOR", 1}}}},
    {"local",     8, {.source = "dag_ec.cl", .add = ANY,
                      .defines = {{"SUBDOMAIN_ROWS", 2048}}}},
    {"global_3",  8, {.source = "dag_ec.cl", .add = ANY, .block = 3,
                      .defines = {{"GLOBAL_VECTOR", 1}}}},
    {"local_3",   8, {.source = "dag_ec.cl", .add = ANY, .block = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512}}}},
    {"local_8",   8, {.source = "dag_ec.cl", .add = ANY, .block = 8,
                      .defines = {{"SUBDOMAIN_ROWS", 256}}}},
    {"full",      8, {.source = "dag_ec.cl", .add = ANY, FULL}},
    {"full_3",    8, {.source = "dag_ec.cl", .add = ANY, .block = 3, FULL_3}},
    {"full_add",  8, {.source = "dag_ec.cl", .add = OWN, FULL}},
    {"full_add_3", 8, {.source = "dag_ec.cl", .add = OWN, .block = 3, FULL_3}},
    {"wave",      1, {.source = "dag_vc_ILDU0_fused.cl",
                      .defines = {{"SUBDOMAIN_ROWS", 512}}}},
    {"waves",     4, {.source = "dag_vc_ILDU0_fused.cl",
                      .defines = {{"SUBDOMAIN_ROWS", 2048}}}},
    {"block_3",   8, {.source = "dag_vc_ILDU0_fused.cl", .block = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512}}}},
    {"block_8",   8, {.source = "dag_vc_ILDU0_fused.cl", .block = 8,
                      .defines = {{"SUBDOMAIN_ROWS", 256}}}},
    {"full",      8, {.source = "dag_vc_ILDU0_fused.cl", FULL}},
    {"full_3",    8, {.source = "dag_vc_ILDU0_fused.cl", .block = 3, FULL_3}},
    {"fp64",      1, {.source = "dilu.cl", .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 512},
                                  {"ROW_ENTRIES", 3}}}},
    {"fp32",      4, {.source = "dilu.cl", .storage = 2,
                      .defines = {{"SUBDOMAIN_ROWS", 2048},
                                  {"ROW_ENTRIES", 3}}}},
    {"bf16",      1, {.source = "dilu.cl", .storage = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512},
                                  {"ROW_ENTRIES", 8}}}},
    {"c_8",       8, {.source = "gmres.cl", .storage = 1,
                      .defines = {{"CHUNK", 8}}}},
    {"c_16",      8, {.source = "gmres.cl", .storage = 2,
                      .defines = {{"CHUNK", 16}}}},
    {"c_32",      8, {.source = "gmres.cl", .storage = 1,
                      .defines = {{"CHUNK", 32}}}},
    {"plain",     8, {.source = "diagonal.cl"}},
    {"wide_3",    8, {.source = "diagonal.cl", .block = 3, .wide = 1}},
    {"fp64",      8, {.source = "gmres_step.cl", .storage = 1}},
    {"fp32",      8, {.source = "gmres_step.cl", .storage = 2}},
    {"fp64",      8, {.source = "gmres_modified.cl", .storage = 1}},
    {"fp32",      8, {.source = "gmres_modified.cl", .storage = 2}},
    {"lanes_1",   8, {.source = "cycle.cl"}},
    {"bf16",      8, {.source = "cycle.cl", .storage = 3,
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"lanes_4",   8, {.source = "cycle.cl",
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"lanes_4",   1, {.source = "prolongator.cl",
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"plain",     1, {.source = "spgemm.cl"}},
    {"wide",      1, {.source = "spgemm.cl", .wide = 1,
                      .defines = {{"WIDE_B", 1}, {"WIDE_C", 1}}}},
    {"plain",     1, {.source = "spgemm_serial.cl"}},
    {"plain",     8, {.source = "spgemm_long.cl"}},
    {"wide",      8, {.source = "spgemm_long.cl", .wide = 1,
                      .defines = {{"WIDE_B", 1}, {"WIDE_C", 1}}}},
    {"plain",     1, {.source = "transpose.cl"}},
    {"long",      8, {.source = "transpose.cl", .defines = {{"LONG_ROWS", 1}}}},
    {"lanes",     1, {.source = "extended.cl",
                      .defines = {{"LANES_PER_ROW", 8}}}},
    {"wide",      1, {.source = "extended.cl", .wide = 1,
                      .defines = {{"LANES_PER_ROW", 8}}}},
    {"lane",      8, {.source = "halo.cl"}},
    {"lanes",     8, {.source = "halo.cl",
                      .defines = {{"LANES_PER_ROW", 8}}}},
    {"plain",     8, {.source = "hec.cl"}},
    {"wide",      8, {.source = "hec.cl", .wide = 1}},
    {"level",     8, {.source = "hec_level.cl"}},
    {"wide",      8, {.source = "hec_level.cl", .wide = 1,
                      .defines = {{"ATOMIC_WAITS", 1}}}},
    {"s_4",       4, {.source = "idr.cl", .defines = {{"IDR_S", 4}}}},
    {"s_8",       4, {.source = "idr.cl", .defines = {{"IDR_S", 8}}}},
    {"s_4",       4, {.source = "idr_step.cl", .defines = {{"IDR_S", 4}}}},
    {"s_8",       4, {.source = "idr_step.cl", .defines = {{"IDR_S", 8}}}},
    {"waves",     4, {.source = "ildu0.cl"}},
    {"waves",     4, {.source = "ildu0_team.cl",
                      .defines = {{"ROW_ENTRIES", 64}}}},
    {"block_3",   4, {.source = "ildu0_block_team.cl", .block = 3}},
    {"block_6",   1, {.source = "ildu0_block_team.cl", .block = 6}},
    {"lanes",     4, {.source = "ildu0_team.cl",
                      .defines = {{"LANES_PER_ROW", 8},
                                  {"ROW_ENTRIES", 16}}}},
    {"plain",     8, {.source = "level_ildu0.cl"}},
    {"block_3",   1, {.source = "ildu0_block.cl", .block = 3}},
    {"block_5",   1, {.source = "ildu0_block.cl", .block = 5}},
    {"plain",     8, {.source = "dense.cl", .defines = {{"TILE", 32}}}},
    {"single",    8, {.source = "dense.cl", .storage = 2,
                      .defines = {{"TILE", 32}}}},
    {"fp64",      8, {.source = "kron_blocks.cl", .block = 4, .storage = 1,
                      .defines = {{"STAGES", 2}}}},
    {"fp32",      8, {.source = "kron_blocks.cl", .block = 4, .storage = 2,
                      .defines = {{"STAGES", 8}}}},
    {"plain",     8, {.source = "judge.cl"}},
    {"blocks",    8, {.source = "judge.cl", .block = 3,
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"listed",    8, {.source = "judge.cl",
                      .defines = {{"LANES_PER_ROW", 8}, {"LISTED", 1}}}},
    {"s_1",       8, {.source = "kron_halo.cl"}},
    {"s_1",       8, {.source = "kron_judge.cl"}},
    {"s_4_b_4",   8, {.source = "kron_judge.cl", .block = 4, .wide = 1,
                      .defines = {{"STAGES", 4}, {"LISTED", 1}}}},
    {"s_4_b_4",   8, {.source = "kron_halo.cl", .block = 4,
                      .defines = {{"STAGES", 4}, {"LANES_PER_ROW", 8}}}},
    {"plain",     8, {.source = "kron_values.cl"}},
    {"few",       8, {.source = "match.cl", .defines = {{"LANES_PER_ROW", 8}}}},
    {"blocks",    8, {.source = "match.cl", .block = 3,
                      .defines = {{"LONG_ROWS", 1}}}},
    {"plain",     8, {.source = "number.cl"}},
    {"block_4",   8, {.source = "kron_values.cl", .block = 4}},
    {"plain",     8, {.source = "natural_block.cl"}},
    {"sum",       8, {.source = "norm.cl"}},
    {"max",       8, {.source = "norm.cl", .defines = {{"NORM_MAX", 1}}}},
    {"constant",  8, {.source = "projection.cl", .defines = {{"CONSTANT", 1}}}},
    {"vectors",   8, {.source = "projection.cl", .defines = {{"VECTORS", 6}}}},
    {"wide",      8, {.source = "natural_block.cl", .wide = 1}},
    {"s_2",       8, {.source = "okp.cl", .block = 4,
                      .defines = {{"STAGES", 2}}}},
    {"s_2",       4, {.source = "one_pass.cl", .block = 4,
                      .defines = {{"STAGES", 2}, {"STAGES_PER_LANE", 2},
                                  {"LANES_PER_ROW", 16}}}},
    {"s_4",       4, {.source = "one_pass.cl", .block = 4,
                      .defines = {{"STAGES", 4}, {"STAGES_PER_LANE", 4},
                                  {"LANES_PER_ROW", 16}}}},
    {"s_8",       4, {.source = "one_pass.cl", .block = 4,
                      .defines = {{"STAGES", 8}, {"STAGES_PER_LANE", 4},
                                  {"LANES_PER_ROW", 16}}}},
    {"b_3",       4, {.source = "one_pass.cl", .block = 3, .wide = 1,
                      .defines = {{"STAGES", 3}, {"STAGES_PER_LANE", 3},
                                  {"LANES_PER_ROW", 9}}}},
    {"one",       4, {.source = "one_pass.cl", .block = 4,
                      .defines = {{"STAGES", 2}, {"STAGES_PER_LANE", 2},
                                  {"LANES_PER_ROW", 16}, {"ONE_TERM", 1}}}},
    {"s_8",       4, {.source = "one_pass_mma.cl", .block = 4,
                      .exchange = LCL_EXCHANGE_NV_PTX,
                      .defines = {{"STAGES", 8}}}},
    {"s_16",      4, {.source = "one_pass_mma.cl", .block = 3,
                      .exchange = LCL_EXCHANGE_NV_PTX,
                      .defines = {{"STAGES", 16}}}},
    {"straight",  1, {.source = "packed.cl", .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"LOCAL_STAGES", 64},
                                  {"STAGE_ENTRIES", 3}}}},
    {"ring",      1, {.source = "packed.cl", .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"LOCAL_STAGES", 64},
                                  {"STAGE_ENTRIES", 3}, {"RING", 1}}}},
    {"long_rows", 1, {.source = "packed.cl", .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 512},
                                  {"LOCAL_STAGES", 128}, {"STAGE_ENTRIES", 7},
                                  {"RING", 1}}}},
    {"shared",    1, {.source = "packed.cl", .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 512},
                                  {"LOCAL_STAGES", 320}, {"STAGE_ENTRIES", 7},
                                  {"SHARED_ROWS", 1}}}},
    {"in_place",  2, {.source = "packed.cl", .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 1024},
                                  {"STAGE_ENTRIES", 4}}}},
    {"fp32",      1, {.source = "packed.cl", .storage = 2,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"LOCAL_STAGES", 64},
                                  {"STAGE_ENTRIES", 3}, {"RING", 1}}}},
    {"bf16",      1, {.source = "packed.cl", .storage = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"LOCAL_STAGES", 64},
                                  {"STAGE_ENTRIES", 3}}}},
    {"fp64",      8, {.source = "packed_columns.cl", .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"COLUMNS", 8},
                                  {"LOCAL_STAGES", 64}, {"LANE_SLOTS", 16},
                                  {"STAGE_LANES", 32}}}},
    {"fp32",      8, {.source = "packed_columns.cl", .storage = 2,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"COLUMNS", 8},
                                  {"LOCAL_STAGES", 64}, {"LANE_SLOTS", 16},
                                  {"STAGE_LANES", 32}}}},
    {"bf16",      4, {.source = "packed_columns.cl", .storage = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"COLUMNS", 4},
                                  {"LOCAL_STAGES", 64}, {"LANE_SLOTS", 16},
                                  {"STAGE_LANES", 32}}}},
    {"fp64_3",    1, {.source = "packed_block.cl", .block = 3, .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 512},
                                  {"LOCAL_STAGES", 64}}}},
    {"fp32_4",    1, {.source = "packed_block.cl", .block = 4, .storage = 2,
                      .defines = {{"SUBDOMAIN_ROWS", 256},
                                  {"LOCAL_STAGES", 64}}}},
    {"bf16_3",    2, {.source = "packed_block.cl", .block = 3, .storage = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 1024}}}},
    {"large",     1, {.source = "packed_block.cl", .block = 8, .storage = 1,
                      .defines = {{"SUBDOMAIN_ROWS", 256},
                                  {"LOCAL_STAGES", 64}}}},
    {"same",      1, {.source = "segment_dots.cl"}},
    {"placed",    1, {.source = "segment_dots.cl", .block = 3,
                      .defines = {{"PLACED", 1}}}},
    {"stages",    1, {.source = "segment_dots.cl",
                      .defines = {{"STAGES", 4}}}},
    {"exchange",  2, {.source = "probe.cl", .defines = {{"PROBE", 1}}}},
    {"local",     1, {.source = "probe.cl",
                      .defines = {{"PROBE", 2}, {"LOCAL_DOUBLES", 4096}}}},
    {"waits",     2, {.source = "probe.cl", .defines = {{"PROBE", 3}}}},
    {"plain",     2, {.source = "rounding.cl"}},
    {"loose",     2, {.source = "rounding.cl", .loose = 1}},
    {"add",       2, {.source = "probe.cl", .add = ANY,
                      .defines = {{"PROBE", 4}}}},
    {"plain",     4, {.source = "product_sums.cl"}},
    {"plain",     4, {.source = "row_bins.cl"}},
    {"wide",      4, {.source = "row_bins.cl", .wide = 1}},
    {"plain",     4, {.source = "schwarz.cl"}},
    {"block_3",   4, {.source = "schwarz.cl", .block = 3}},
    {"few",       8, {.source = "sliced.cl",
                      .defines = {{"SLOTS_AT_ONCE", 4}}}},
    {"most",      8, {.source = "sliced.cl",
                      .defines = {{"SLOTS_AT_ONCE", 8}}}},
    {"block_3",   8, {.source = "sliced.cl", .block = 3,
                      .defines = {{"SLOTS_AT_ONCE", 4}}}},
    {"block_8",   8, {.source = "sliced.cl", .block = 8,
                      .defines = {{"SLOTS_AT_ONCE", 4}}}},
    {"columns",   8, {.source = "sliced.cl",
                      .defines = {{"SLOTS_AT_ONCE", 1}, {"VECTORS", 8}}}},
    {"columns_3", 8, {.source = "sliced.cl", .block = 3,
                      .defines = {{"SLOTS_AT_ONCE", 1}, {"VECTORS", 4}}}},
    {"plain",     8, {.source = "slices.cl"}},
    {"wide",      8, {.source = "slices.cl", .block = 3, .wide = 1}},
    {"plain",     4, {.source = "value_sources.cl"}},
    {"blocks",    4, {.source = "value_sources.cl", .block = 9}},
    {"signs",     4, {.source = "value_sources.cl",
                      .defines = {{"SIGNED_SOURCES", 1}}}},
    {"turns",     8, {.source = "spin_loop_lds.cl", .add = ANY,
                      .defines = {{"SUBDOMAIN_ROWS", 2048}}}},
    {"free",      8, {.source = "spin_loop_lds.cl", .add = ANY,
                      .defines = {{"SUBDOMAIN_ROWS", 2048},
                                  {"FREE_TURNS", 1}}}},
    {"turns_3",   8, {.source = "spin_loop_lds.cl", .add = ANY, .block = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512}}}},
    {"free_3",    8, {.source = "spin_loop_lds.cl", .add = ANY, .block = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"FREE_TURNS", 1}}}},
    {"free_8",    8, {.source = "spin_loop_lds.cl", .add = ANY, .block = 8,
                      .defines = {{"SUBDOMAIN_ROWS", 256}, {"FREE_TURNS", 1}}}},
    {"full",      8, {.source = "spin_loop_lds.cl", .add = ANY, FULL}},
    {"full_3",    8, {.source = "spin_loop_lds.cl", .add = ANY, .block = 3,
                      FULL_3}},
    {"fp32",      1, {.source = "store.cl", .block = 3, .storage = 2}},
    {"bf16",      4, {.source = "store.cl", .block = 1, .storage = 3}},
    {"lanes",     8, {.source = "splitting.cl",
                      .defines = {{"LANES_PER_ROW", 8}}}},
    {"wide",      8, {.source = "splitting.cl", .wide = 1,
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"lanes",     8, {.source = "strength.cl",
                      .defines = {{"LANES_PER_ROW", 8}}}},
    {"wide",      8, {.source = "strength.cl", .wide = 1,
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"lanes",     8, {.source = "properties.cl", .defines = {{"LANES_PER_ROW", 8}}}},
    {"blocks",    8, {.source = "properties.cl", .block = 3, .wide = 1,
                      .defines = {{"LANES_PER_ROW", 4}}}},
    {"block_3",   8, {.source = "to_blocks.cl", .block = 3}},
    {"block_8",   8, {.source = "to_blocks.cl", .block = 8, .wide = 1}},
    {"block_3",   4, {.source = "transpose_values.cl", .block = 3}},
    {"pairs",     8, {.source = "transpose_values.cl", .block = 4,
                      .defines = {{"NUMBERS", 2}}}},
    {"block_3",   1, {.source = "to_entries.cl", .block = 3}},
    {"block_3",   8, {.source = "cpr.cl", .block = 3,
                      .defines = {{"PRESSURE", 1}}}},
    {"block_3",   8, {.source = "nodes.cl", .block = 3}},
    {"plain",     8, {.source = "row_union.cl"}},
    {"plain",     8, {.source = "lone.cl"}},
    {"wide",      8, {.source = "lone.cl", .wide = 1}},
    {"plain",     8, {.source = "ghost_rows.cl"}},
    {"plain",     8, {.source = "ghosts.cl"}},
    {"plain",     8, {.source = "power.cl"}},
    {"plain",     8, {.source = "relaxation.cl"}},
    {"rigid",     1, {.source = "tentative.cl", .block = 3,
                      .defines = {{"VECTORS", 6}}}},
    {"coarse",    1, {.source = "tentative.cl", .block = 6,
                      .defines = {{"VECTORS", 6}}}},
    {"wave",      1, {.source = "symbolic.cl",
                      .defines = {{"SUBDOMAIN_ROWS", 128}}}},
    {"waves",     4, {.source = "symbolic.cl",
                      .defines = {{"SUBDOMAIN_ROWS", 2048}}}},
    {"blocks",    4, {.source = "symbolic.cl", .block = 3,
                      .defines = {{"SUBDOMAIN_ROWS", 512}}}},
    {"global",    4, {.source = "symbolic.cl",
                      .defines = {{"GLOBAL_ROWS", 1}}}},
    {"overlap",   4, {.source = "symbolic.cl",
                      .defines = {{"SUBDOMAIN_ROWS", 512}, {"SOURCES", 1}}}},
    {"pattern",   4, {.source = "symbolic.cl",
                      .defines = {{"SUBDOMAIN_ROWS", 512},
                                  {"PATTERN_ONLY", 1}}}},
    {"plain",     4, {.source = "vector.cl"}},
    {"norm_2",    8, {.source = "verify.cl"}},
    {"norm_1",    8, {.source = "verify.cl", .defines = {{"POWER", 1}}}},
    {"blocks",    4, {.source = "vector.cl", .block = 9}},
};
// clang-format on

static struct lcl_spec spec_of(const struct variant *v, const struct target *t)
{
    struct lcl_spec spec = v->spec;
    spec.width = t->width;
    spec.exchange = t->exchange;
    spec.group = v->waves * t->width;
    if (t->exchange == LCL_EXCHANGE_AMD && spec.group > AMD_GROUP)
        spec.group = AMD_GROUP;
    if (spec.add && spec.add != OWN)
        spec.add = t->add;
    return spec;
}

// Whether the variant, which may name one exchange, is for the target; gfx90a
// has waves of 64 only.
static bool is_meant(const struct variant *v, const struct target *t)
{
    return (!v->spec.exchange || v->spec.exchange == t->exchange) &&
           (v->spec.add != OWN || t->width == 64);
}

// ------------------------------------------------------------------- where to

static bool write_source(const char *path, const struct lcl_spec *spec)
{
    const char *unknown = lcl_program_unknown(spec);
    if (unknown)
        fprintf(stderr, "%s has no parameter %s\n", spec->source, unknown);
    char *text = unknown ? NULL : lcl_program_source(spec);
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

// The kernels of a Krylov method, which have no parameters.
static bool dump_method(const char *folder, enum lcl_solver_type type,
                        const struct target *t)
{
    const char *source = lcl_krylov_method(type)->source;
    const struct variant plain = {"plain", 8, {.source = source}};
    return !source || dump(folder, &plain, t);
}

static bool dump_target(const char *folder, const struct target *t)
{
    for (size_t v = 0; v < sizeof variants / sizeof *variants; ++v)
        if (is_meant(&variants[v], t) && !dump(folder, &variants[v], t))
            return false;
    for (int type = LCL_SOLVER_DEFAULT + 1; type < LCL_SOLVER_COUNT; ++type)
        if (!dump_method(folder, (enum lcl_solver_type)type, t))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: dump_specs FOLDER\n");
        return 2;
    }
    for (size_t t = 0; t < sizeof targets / sizeof *targets; ++t)
        if (!dump_target(argv[1], &targets[t]))
            return 1;
    return 0;
}
