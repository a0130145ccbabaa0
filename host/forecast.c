// SPDX-License-Identifier: BSD-3-Clause
// Kernels of default solves on PoCL.
#include "host/forecast.h"

#include <stddef.h>
#include <string.h>

// Kernels of some solves precede kernels of all solves, because helpers start
// at the end.
// clang-format off
const struct lcl_forecast lcl_forecasts[] = {
    // the self-test
    {.after = "solve.cl", .source = "solve.cl", .kernels = {
        "rounding", "diagonal_places", "invert_diagonal", "verify_norms",
        "scale_dot", "cg_p", "csr_dot", "cg_r", "keep_best", "judge"}},

    // multigrid
    {.after = "levels.cl", .source = "levels.cl", .kernels = {
        "lambda_start", "lambda_step", "lambda_finish", "largest_couplings",
        "find_strong", "start_rows", "near_keys", "choose_roots", "take_rows",
        "count_sizes", "join_rows", "mark_roots", "number_rows",
        "count_prolongator", "fill_prolongator", "count_columns", "place_rows",
        "sort_rows", "sort_long", "count_rows", "sum_lengths", "row_pointers",
        "fill_rows", "multiply_rows"}},
    {.after = "levels.cl", .source = "solve.cl", .kernels = {
        "sum_chunks", "scan_chunks", "gather", "product_sums"}},
    {.after = "levels.cl", .source = "levels.cl", .kernels = {
        "dense_scale", "dense_tile", "dense_panels", "dense_update"}},
    {.after = "levels.cl", .source = "cycle.cl", .storage = 2, .kernels = {
        "cycle_diagonal", "store_level", "store_upwards", "store_down",
        "cycle_spread", "cycle_scale", "cycle_enter", "cycle_first",
        "cycle_residual", "cycle_restrict", "cycle_dense", "cycle_prolong",
        "cycle_again", "cycle_last", "cycle_leave"}},
    {.after = "levels.cl", .source = "products.cl", .kernels = {
        "count_slots", "row_classes", "place_columns", "place_values",
        "sliced_plain"}},
    {.after = "levels.cl", .source = "adaptive.cl",
     .define = {"MATRIX_ORDER", 1}, .kernels = {"adaptive"}},
    {.after = "levels.cl", .source = "solve.cl", .kernels = {"csr_plain"}},

    // triangular factors
    {.after = "symbolic.cl", .source = "symbolic.cl", .kernels = {
        "invert", "census", "levels", "order", "row_pointers", "reorder_rows",
        "steps", "places", "stages", "slots", "find_mirrors"}},
    {.after = "symbolic.cl", .source = "solve.cl", .kernels = {"gather"}},
    {.after = "symbolic.cl", .source = "stored.cl", .storage = 2, .kernels = {
        "count_planes", "dilu", "packed"}},
    {.after = "symbolic.cl", .source = "products.cl", .kernels = {
        "count_slots", "row_classes", "place_columns", "place_values",
        "sliced_plain"}},
    {.after = "symbolic.cl", .source = "adaptive.cl",
     .define = {"MATRIX_ORDER", 1}, .kernels = {"adaptive"}},
    {.after = "symbolic.cl", .source = "solve.cl", .kernels = {
        "csr_plain", "bicgstab_p", "bicgstab_s", "csr_dot_norm", "bicgstab_x",
        "scatter"}},

    // the same of blocks
    {.after = "blocks.cl", .source = "blocks.cl", .power = 1, .kernels = {
        "count_blocks", "place_entries", "bsr_dot_norm"}},
    {.after = "blocks.cl", .source = "solve.cl", .kernels = {
        "sum_chunks", "scan_chunks", "invert_map", "bicgstab_p", "bicgstab_s",
        "bicgstab_x", "product_sums"}},
    {.after = "blocks.cl", .source = "blocks.cl", .power = 1, .kernels = {
        "invert", "census", "levels", "order", "row_pointers", "reorder_rows",
        "steps", "places", "stages", "slots"}},
    {.after = "blocks.cl", .source = "moves.cl", .power = 2, .kernels = {
        "gather", "gather_blocks"}},
    {.after = "blocks.cl", .source = "moves.cl", .power = 1, .kernels = {
        "gather_runs", "gather", "scatter"}},
    {.after = "blocks.cl", .source = "blocks.cl", .power = 1, .kernels = {
        "ildu0_block", "bsr_dot", "judge"}},
    {.after = "blocks.cl", .source = "stored_blocks.cl", .power = 1,
     .storage = 2, .kernels = {"store", "packed_block"}},
    {.after = NULL},
};
// clang-format on

enum { FORECASTS = sizeof lcl_forecasts / sizeof *lcl_forecasts - 1 };

static int count_kernels(const struct lcl_forecast *F)
{
    int count = 0;
    while (count < LCL_FORECAST_KERNELS && F->kernels[count])
        ++count;
    return count;
}

static bool exists(const struct lcl_forecast_entry *entry)
{
    return entry->part >= 0 && entry->part < FORECASTS && entry->kernel >= 0 &&
           entry->kernel < count_kernels(&lcl_forecasts[entry->part]) &&
           entry->block >= 1;
}

bool lcl_forecast_spec(struct lcl_spec *spec,
                       const struct lcl_forecast_entry *entry)
{
    if (!exists(entry))
        return false;
    const struct lcl_forecast *F = &lcl_forecasts[entry->part];
    *spec = (struct lcl_spec){
        .source = F->source,
        .kernel = F->kernels[entry->kernel],
        .width = 1,
        .exchange = LCL_EXCHANGE_NONE,
        .group = 1,
        .storage = F->storage,
        .defines = {F->define},
    };
    for (int p = 0; p < F->power; ++p)
        spec->block = p > 0 ? spec->block * entry->block : entry->block;
    return true;
}

bool lcl_forecast_begins(const struct lcl_spec *built)
{
    if (built->width != 1 || built->group != 1 || built->wide ||
        built->storage || built->add != LCL_ATOMIC_ADD_NONE ||
        built->defines[0].name)
        return false;
    for (int part = 0; part < FORECASTS; ++part)
        if (strcmp(lcl_forecasts[part].after, built->source) == 0)
            return true;
    return false;
}

// Whether an earlier part of this build has the same program.
static bool is_repeated(int part)
{
    const struct lcl_forecast *F = &lcl_forecasts[part];
    for (int p = 0; p < part; ++p) {
        const struct lcl_forecast *E = &lcl_forecasts[p];
        if (strcmp(E->after, F->after) == 0 && E->power == F->power &&
            strcmp(E->source, F->source) == 0)
            return true;
    }
    return false;
}

int lcl_forecast_count(const char *after)
{
    int count = 0;
    for (int part = 0; part < FORECASTS; ++part)
        if (strcmp(lcl_forecasts[part].after, after) == 0)
            count += count_kernels(&lcl_forecasts[part]) + !is_repeated(part);
    return count;
}

void lcl_forecast_each(const char *after, int block, lcl_forecast_fn *fn,
                       void *arg)
{
    struct lcl_forecast_entry entry = {.block = block > 1 ? block : 1};
    for (entry.part = FORECASTS - 1; entry.part >= 0; --entry.part) {
        const struct lcl_forecast *F = &lcl_forecasts[entry.part];
        if (strcmp(F->after, after) != 0)
            continue;
        for (entry.kernel = count_kernels(F) - 1; entry.kernel >= 0;
             --entry.kernel)
            if (!fn(arg, &entry))
                return;
    }
}
