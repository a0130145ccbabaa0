// SPDX-License-Identifier: BSD-3-Clause
// Options as text: one table of keys with their fields and parsers.
#include <levelcl/options.h>

#include "host/log.h"
#include "lib/api/names.h"
#include "lib/krylov/methods.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define refuse(log, ...) lcl_fail((log), LCL_EINVAL, __VA_ARGS__)

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

enum { WORD = 64 };

struct option {
    struct lcl_option_help help;
    enum lcl_status (*set)(struct lcl_options *options,
                           const struct option *option, const char *value,
                           const struct lcl_log *log);
    size_t offset;                 // of the field in struct lcl_options
    const struct lcl_names *names; // for enums
};

static void *field(struct lcl_options *options, const struct option *option)
{
    return (char *)options + option->offset;
}

// ---------------------------------------------------------------- words

static enum lcl_status not_yet(const char *key, const char *value,
                               const struct lcl_log *log)
{
    lcl_log_msg(log, LCL_LOG_ERROR, "%s=%s is not implemented yet", key, value);
    return LCL_EUNSUPPORTED;
}

static enum lcl_status unknown_value(const struct option *option,
                                     const char *value, const char *nearest,
                                     const struct lcl_log *log)
{
    if (nearest)
        return refuse(log, "unknown value '%s' for %s: did you mean '%s'?",
                      value, option->help.key, nearest);
    return refuse(log, "unknown value '%s' for %s: expected %s", value,
                  option->help.key, option->help.values);
}

static int find(const struct lcl_names *names, const char *word)
{
    for (int value = names->count - 1; value >= 0; --value)
        if (strcmp(names->name[value], word) == 0)
            return value;
    return -1;
}

static enum lcl_status set_enum(struct lcl_options *options,
                                const struct option *option, const char *value,
                                const struct lcl_log *log)
{
    static_assert(sizeof(enum lcl_pivot) == sizeof(int), "enums are ints");
    const int number = find(option->names, value);
    if (number >= 0) {
        memcpy(field(options, option), &number, sizeof number);
        return LCL_OK;
    }
    const char *nearest =
        lcl_nearest(value, option->names->name, option->names->count);
    return unknown_value(option, value, nearest, log);
}

// ---------------------------------------------------------------- numbers

static enum lcl_status bad_number(const struct option *option,
                                  const char *value, const char *expected,
                                  const struct lcl_log *log)
{
    return refuse(log, "bad value '%s' for %s: expected %s", value,
                  option->help.key, expected);
}

// strtod() with a decimal point in any locale of the process.
static double plain_strtod(const char *text, char **end)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return strtod(text, end);
    locale_t before = uselocale(plain);
    const double value = strtod(text, end);
    uselocale(before);
    freelocale(plain);
    return value;
}

// Accepts a finite decimal number only: no blanks, no hexadecimal.
static bool parse_real(const char *text, double *value)
{
    if (*text == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    char *end;
    *value = plain_strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

// Reads the digits of a number in 1 .. max; *text moves past them.
static bool parse_count(const char **text, int64_t max, int64_t *count)
{
    int64_t value = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        const int digit = **text - '0';
        value = 10 * value + digit;
        if (value > max)
            return false;
    }
    *count = value;
    return value > 0;
}

// "NX,NY,NZ"
static bool parse_triple(const char *text, int64_t triple[3])
{
    for (int i = 0; i < 3; ++i) {
        if (!parse_count(&text, INT32_MAX, &triple[i]))
            return false;
        if (*text != (i < 2 ? ',' : '\0'))
            return false;
        ++text;
    }
    return true;
}

static enum lcl_status set_fraction(struct lcl_options *options,
                                    const struct option *option,
                                    const char *value,
                                    const struct lcl_log *log)
{
    double number;
    if (!parse_real(value, &number) || number <= 0 || number >= 1)
        return bad_number(option, value, "a number > 0 and < 1", log);
    *(double *)field(options, option) = number;
    return LCL_OK;
}

// What is not zero may be below the smallest number.
static bool is_zero(const char *value)
{
    return strcspn(value, "123456789") >= strcspn(value, "eE");
}

// A tolerance; 0 is meant.
static enum lcl_status set_rtol(struct lcl_options *options,
                                const struct option *option, const char *value,
                                const struct lcl_log *log)
{
    double number;
    if (!parse_real(value, &number) || !(number >= 0 && number < 1) ||
        (number == 0 && !is_zero(value)))
        return bad_number(option, value, "a number >= 0 and < 1", log);
    options->solver.rtol = number;
    options->solver.rtol_may_be_zero = number == 0;
    return LCL_OK;
}

static enum lcl_status set_share(struct lcl_options *options,
                                 const struct option *option, const char *value,
                                 const struct lcl_log *log)
{
    double number;
    if (!parse_real(value, &number) || !(number >= 0 && number <= 1))
        return bad_number(option, value, "a number from 0 to 1", log);
    *(double *)field(options, option) = number;
    return LCL_OK;
}

static enum lcl_status set_switch(struct lcl_options *options,
                                  const struct option *option,
                                  const char *value, const struct lcl_log *log)
{
    const bool on = strcmp(value, "on") == 0;
    if (!on && strcmp(value, "off") != 0)
        return unknown_value(option, value, NULL, log);
    *(bool *)field(options, option) = on;
    return LCL_OK;
}

static enum lcl_status set_magnitude(struct lcl_options *options,
                                     const struct option *option,
                                     const char *value,
                                     const struct lcl_log *log)
{
    double number;
    if (!parse_real(value, &number) || number < 0)
        return bad_number(option, value, "a number >= 0", log);
    *(double *)field(options, option) = number;
    return LCL_OK;
}

static enum lcl_status set_int(struct lcl_options *options,
                               const struct option *option, const char *value,
                               const struct lcl_log *log)
{
    const char *end = value;
    int64_t number;
    if (!parse_count(&end, INT_MAX, &number) || *end != '\0')
        return bad_number(option, value, "an integer >= 1", log);
    *(int *)field(options, option) = (int)number;
    return LCL_OK;
}

static enum lcl_status set_rows(struct lcl_options *options,
                                const struct option *option, const char *value,
                                const struct lcl_log *log)
{
    const char *end = value;
    int64_t number = 0;
    if (strcmp(value, "auto") != 0 &&
        (!parse_count(&end, INT32_MAX, &number) || *end != '\0'))
        return bad_number(option, value, "an integer >= 1, or auto", log);
    *(int64_t *)field(options, option) = number;
    return LCL_OK;
}

static enum lcl_status set_block(struct lcl_options *options,
                                 const struct option *option, const char *value,
                                 const struct lcl_log *log)
{
    const char *end = value;
    int64_t number = 0;
    if (strcmp(value, "auto") != 0 &&
        (!parse_count(&end, LCL_BLOCK_MAX, &number) || *end != '\0'))
        return bad_number(option, value, "an integer from 1 to 8, or auto",
                          log);
    *(int *)field(options, option) = (int)number;
    return LCL_OK;
}

static enum lcl_status set_up_to(struct lcl_options *options,
                                 const struct option *option, const char *value,
                                 int max, const struct lcl_log *log)
{
    const char *end = value;
    char expected[WORD];
    int64_t number;
    snprintf(expected, sizeof expected, "an integer from 1 to %d", max);
    if (!parse_count(&end, max, &number) || *end != '\0')
        return bad_number(option, value, expected, log);
    *(int *)field(options, option) = (int)number;
    return LCL_OK;
}

static enum lcl_status set_idr_s(struct lcl_options *options,
                                 const struct option *option, const char *value,
                                 const struct lcl_log *log)
{
    return set_up_to(options, option, value, LCL_IDR_MAX_S, log);
}

static enum lcl_status set_restart(struct lcl_options *options,
                                   const struct option *option,
                                   const char *value, const struct lcl_log *log)
{
    return set_up_to(options, option, value, LCL_GMRES_MAX_RESTART, log);
}

// The library counts from 0.
static enum lcl_status set_cpr_pressure(struct lcl_options *options,
                                        const struct option *option,
                                        const char *value,
                                        const struct lcl_log *log)
{
    const enum lcl_status st =
        set_up_to(options, option, value, LCL_BLOCK_MAX, log);
    if (st == LCL_OK)
        --options->precond.cpr.pressure;
    return st;
}

static enum lcl_status set_amg_levels(struct lcl_options *options,
                                      const struct option *option,
                                      const char *value,
                                      const struct lcl_log *log)
{
    return set_up_to(options, option, value, LCL_AMG_LEVELS, log);
}

static enum lcl_status set_layers(struct lcl_options *options,
                                  const struct option *option,
                                  const char *value, const struct lcl_log *log)
{
    return set_up_to(options, option, value, INT_MAX, log);
}

static enum lcl_status set_block_rows(struct lcl_options *options,
                                      const struct option *option,
                                      const char *value,
                                      const struct lcl_log *log)
{
    return set_up_to(options, option, value, LCL_DIAGONAL_BLOCK_MAX, log);
}

static enum lcl_status set_triple(struct lcl_options *options,
                                  const struct option *option,
                                  const char *value, const struct lcl_log *log)
{
    if (!parse_triple(value, field(options, option)))
        return bad_number(option, value, "three integers, as in 64,64,32", log);
    return LCL_OK;
}

// ---------------------------------------------------------------- partition

static enum lcl_status set_geometric(struct lcl_options *options,
                                     const struct option *option,
                                     const char *value,
                                     const struct lcl_log *log)
{
    const char *box = value + strlen("geometric");
    if (*box != ':' || !parse_triple(box + 1, options->precond.partition.box))
        return bad_number(option, value,
                          "the cells of a subdomain, as in geometric:16,16,8",
                          log);
    options->precond.partition.type = LCL_PARTITION_GEOMETRIC;
    return LCL_OK;
}

static enum lcl_status set_partition(struct lcl_options *options,
                                     const struct option *option,
                                     const char *value,
                                     const struct lcl_log *log)
{
    static const char *const words[] = {"auto",    "match",     "metis",
                                        "natural", "geometric", "file"};
    char word[WORD];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(value, ":"), value);
    if (strcmp(word, "geometric") == 0)
        return set_geometric(options, option, value, log);
    if (strcmp(word, "file") == 0)
        return refuse(log,
                      "partition=%s: lcl_options_parse() reads no labels; use "
                      "lcl_labels_read()",
                      value);
    if (strcmp(value, "auto") != 0 && strcmp(value, "match") != 0 &&
        strcmp(value, "metis") != 0 && strcmp(value, "natural") != 0)
        return unknown_value(option, value,
                             lcl_nearest(word, words, COUNT(words)), log);
    return set_enum(options, option, value, log);
}

// ---------------------------------------------------------------- tables

#define AT(member)         offsetof(struct lcl_options, member)
#define FIELD(member)      #member
#define CHOICE(type, name) "|" #name

// clang-format off
static const struct option table[] = {
    {{"solver", "auto" LCL_KRYLOV_METHODS(CHOICE), "Krylov method (auto: by the matrix)",
      FIELD(solver.type), "LCL_SOLVER_"},
     set_enum, AT(solver.type), &lcl_solver_names},
    {{"rtol", "R", "stop at ||b - A x|| <= R ||b|| (1e-8; 0: only at atol)",
      FIELD(solver.rtol), NULL},
     set_rtol, AT(solver.rtol), NULL},
    {{"atol", "R", "also stop at ||b - A x|| <= R (0: off)",
      FIELD(solver.atol), NULL},
     set_magnitude, AT(solver.atol), NULL},
    {{"norm", "auto|2|1|max|rows", "norm of b - A x and b, or success by rows (auto)",
      FIELD(solver.norm), "LCL_NORM_"},
     set_enum, AT(solver.norm), &lcl_norm_names},
    {{"max-iters", "N", "maximum number of iterations (10000)",
      FIELD(solver.max_iters), NULL},
     set_int, AT(solver.max_iters), NULL},
    {{"stagnation", "N", "stop after N iterations without progress (2000)",
      FIELD(solver.stagnation), NULL},
     set_int, AT(solver.stagnation), NULL},
    {{"divergence", "F", "stop once the residual has grown F times (0: 2^52)",
      FIELD(solver.divergence), NULL},
     set_magnitude, AT(solver.divergence), NULL},
    {{"time-limit", "S", "stop after S seconds, set-ups of later methods included (0: never)",
      FIELD(solver.time_limit), NULL},
     set_magnitude, AT(solver.time_limit), NULL},
    {{"idr-s", "1..8", "shadow vectors of idr (4)",
      FIELD(solver.idr_s), NULL},
     set_idr_s, AT(solver.idr_s), NULL},
    {{"restart", "1..1024", "basis vectors of gmres and fgmres (30)",
      FIELD(solver.restart), NULL},
     set_restart, AT(solver.restart), NULL},
    {{"basis", "fp64|fp32", "storage format of the basis vectors (fp64)",
      FIELD(solver.basis), "LCL_BASIS_"},
     set_enum, AT(solver.basis), &lcl_basis_storage_names},
    {{"orthogonalisation", "cgs2|mgs", "Gram-Schmidt of gmres and fgmres: classical twice, modified (cgs2)",
      FIELD(solver.orthogonalisation), "LCL_ORTHOGONALISATION_"},
     set_enum, AT(solver.orthogonalisation), &lcl_orthogonalisation_names},
    {{"side", "right|left", "side on which idr preconditions (right)",
      FIELD(solver.side), "LCL_SIDE_"},
     set_enum, AT(solver.side), &lcl_side_names},
    {{"precond", "auto|none|jacobi|block-jacobi|ilu0|ildu0|ic0|iluk|ilut|ras|as|amg|cpr|lu", "preconditioner (auto: by the matrix)",
      FIELD(precond.type), "LCL_PRECOND_"},
     set_enum, AT(precond.type), &lcl_precond_names},
    {{"transversal", "on|off", "bring large entries to the diagonal before factors (off)",
      FIELD(precond.transversal), NULL},
     set_switch, AT(precond.transversal), NULL},
    {{"order", "auto|none|rcm|nd", "order of the rows before factors (auto)",
      FIELD(precond.order), "LCL_ORDER_"},
     set_enum, AT(precond.order), &lcl_order_names},
    {{"relax", "0..1", "share of the dropped fill that is added to the diagonal (0)",
      FIELD(precond.relax), NULL},
     set_share, AT(precond.relax), NULL},
    {{"ilu-level", "N", "level of fill of iluk, ras and as (1; ras and as: 0)",
      FIELD(precond.ilu_level), NULL},
     set_layers, AT(precond.ilu_level), NULL},
    {{"ilut-p", "N", "entries of a row of L and of U in ilut and ras (10; ras: none)",
      FIELD(precond.ilut_p), NULL},
     set_layers, AT(precond.ilut_p), NULL},
    {{"ilut-tol", "R", "ilut drops entries below R times the norm of their row (1e-3)",
      FIELD(precond.ilut_tol), NULL},
     set_fraction, AT(precond.ilut_tol), NULL},
    {{"overlap", "N", "layers of overlap of iluk, ilut, ras and as (0; ras and as: 1)",
      FIELD(precond.overlap), NULL},
     set_layers, AT(precond.overlap), NULL},
    {{"refresh", "on_request|on_slow", "when the preconditioner takes new values (on_request)",
      FIELD(precond.refresh), "LCL_REFRESH_"},
     set_enum, AT(precond.refresh), &lcl_refresh_names},
    {{"amg-coarsening", "auto|sa|classical", "coarsening of amg: smoothed aggregation or PMIS (auto)",
      FIELD(precond.amg.coarsening), "LCL_AMG_"},
     set_enum, AT(precond.amg.coarsening), &lcl_amg_coarsening_names},
    {{"amg-smoother", "auto|chebyshev|jacobi|ildu0", "smoother of amg (chebyshev; ildu0 for unsymmetric A)",
      FIELD(precond.amg.smoother), "LCL_AMG_"},
     set_enum, AT(precond.amg.smoother), &lcl_amg_smoother_names},
    {{"amg-refresh", "auto|values|full", "what new values make of amg (auto: full after slow solves)",
      FIELD(precond.amg.refresh), "LCL_AMG_REFRESH_"},
     set_enum, AT(precond.amg.refresh), &lcl_amg_refresh_names},
    {{"amg-storage", "auto|fp32|bf16", "format of the matrices in the cycle of amg (fp32)",
      FIELD(precond.amg.storage), "LCL_FACTOR_STORAGE_"},
     set_enum, AT(precond.amg.storage), &lcl_factor_storage_names},
    {{"amg-theta", "R", "amg: weaker couplings than R times the largest do not count (auto)",
      FIELD(precond.amg.theta), NULL},
     set_fraction, AT(precond.amg.theta), NULL},
    {{"amg-levels", "1..12", "maximum number of levels of amg (12)",
      FIELD(precond.amg.levels), NULL},
     set_amg_levels, AT(precond.amg.levels), NULL},
    {{"cpr-pressure", "1..8", "number of the pressure among the unknowns of a cell (1)",
      FIELD(precond.cpr.pressure), NULL},
     set_cpr_pressure, AT(precond.cpr.pressure), NULL},
    {{"amg-coarse-rows", "N|auto", "rows of the last level of amg (1000, on a CPU 400)",
      FIELD(precond.amg.coarse_rows), NULL},
     set_rows, AT(precond.amg.coarse_rows), NULL},
    {{"trisolve", "packed|spin_loop_lds|dag_ec_no_lds|dag_ec_lds|dag_ec_lds_ud|dag_ec_ILD_U0|dag_vc_ILDU0_fused|dag_ec_ILDU0_fused|hec_level|hec_wait",
      "method of the triangular solves (packed)",
      FIELD(precond.trisolve), "LCL_TRISOLVE_"},
     set_enum, AT(precond.trisolve), &lcl_trisolve_names},
    {{"elimination", "auto|natural|twisted", "order of the rows of a subdomain in the factors (auto)",
      FIELD(precond.elimination), "LCL_ELIMINATION_"},
     set_enum, AT(precond.elimination), &lcl_elimination_names},
    {{"pivot", "fail|boost|replace|shift", "handling of zero and tiny pivots (boost; ic0: shift)",
      FIELD(precond.pivot), "LCL_PIVOT_"},
     set_enum, AT(precond.pivot), &lcl_pivot_names},
    {{"pivot-tol", "R", "a pivot is tiny if below R times the largest entry of its row (1e-10)",
      FIELD(precond.pivot_tol), NULL},
     set_fraction, AT(precond.pivot_tol), NULL},
    {{"factor-storage", "fp64|fp32|bf16|auto|adaptive", "storage format of the factor values (auto)",
      FIELD(precond.storage), "LCL_FACTOR_STORAGE_"},
     set_enum, AT(precond.storage), &lcl_factor_storage_names},
    {{"max-block-size", "1..32", "maximum rows of a diagonal block of block-jacobi (8)",
      FIELD(precond.block_jacobi.max_rows), NULL},
     set_block_rows, AT(precond.block_jacobi.max_rows), NULL},
    {{"block-extraction", "cached|shared_quadratic|shared|shared_mpw|bisect", "method of extracting these blocks from the matrix (bisect)",
      FIELD(precond.block_jacobi.extraction), "LCL_BLOCK_EXTRACTION_"},
     set_enum, AT(precond.block_jacobi.extraction), &lcl_block_extraction_names},
    {{"block-apply", "slab|sa_spmv|spmv", "apply their inverses as dense blocks or as a sparse matrix (slab)",
      FIELD(precond.block_jacobi.apply), "LCL_BLOCK_APPLY_"},
     set_enum, AT(precond.block_jacobi.apply), &lcl_block_apply_names},
    {{"block-size", "1..8|auto", "rows of the blocks in which the matrix is stored (auto)",
      FIELD(op.block_size), NULL},
     set_block, AT(op.block_size), NULL},
    {{"kron-product", "one_pass|okp|cu", "method of the product with a Kronecker system (one_pass)",
      FIELD(op.kron), "LCL_KRON_"},
     set_enum, AT(op.kron), &lcl_kron_names},
    {{"kron-exchange", "batched|staged", "messages of a Kronecker system: for all stages, or each (batched)",
      FIELD(op.kron_exchange), "LCL_KRON_EXCHANGE_"},
     set_enum, AT(op.kron_exchange), &lcl_kron_exchange_names},
    {{"spmv", "auto|csr|sliced|binned|adaptive|hec", "method of the product with the matrix (auto)",
      FIELD(op.spmv), "LCL_SPMV_"},
     set_enum, AT(op.spmv), &lcl_spmv_names},
    {{"hec-width", "N", "entries of a row in ELL, of hec, hec_level, hec_wait (by row length)",
      FIELD(op.hec_width), NULL},
     set_int, AT(op.hec_width), NULL},
    {{"communication", "auto|ahead|step|reproducible", "how several devices wait for each other (auto)",
      FIELD(op.communication), "LCL_COMMUNICATION_"},
     set_enum, AT(op.communication), &lcl_communication_names},
    {{"coarse", "none|add|mult|auto", "coarse correction, constant on subdomains (auto)",
      FIELD(precond.coarse), "LCL_COARSE_"},
     set_enum, AT(precond.coarse), &lcl_coarse_names},
    {{"partition", "auto|match|metis|natural|geometric:BX,BY,BZ|file:F", "partition of the rows into subdomains (auto)",
      FIELD(precond.partition.type), "LCL_PARTITION_"},
     set_partition, AT(precond.partition.type), &lcl_partition_names},
    {{"subdomain-rows", "N|auto", "maximum rows of a subdomain (auto)",
      FIELD(precond.partition.rows), NULL},
     set_rows, AT(precond.partition.rows), NULL},
    {{"weights", "auto|on|off", "edge weights: METIS and match keep strong couplings together (auto)",
      FIELD(precond.partition.weights), "LCL_WEIGHTS_"},
     set_enum, AT(precond.partition.weights), &lcl_weights_names},
    {{"grid", "NX,NY,NZ", "cells of the grid of partition geometric (derived from the matrix)",
      FIELD(precond.partition.grid), NULL},
     set_triple, AT(precond.partition.grid), NULL},
};

// clang-format on

// Keys of later releases.
static const char *const later_keys[] = {"csr-text", "devices", "kron"};

static enum lcl_status unknown_key(const char *key, const struct lcl_log *log)
{
    const char *keys[COUNT(table)];
    for (int i = 0; i < COUNT(table); ++i)
        keys[i] = table[i].help.key;
    const char *nearest = lcl_nearest(key, keys, COUNT(table));
    if (nearest)
        return refuse(log, "unknown option '%s': did you mean '%s'?", key,
                      nearest);
    return refuse(log, "unknown option '%s'", key);
}

static enum lcl_status set_by_key(struct lcl_options *options, const char *key,
                                  const char *value, const struct lcl_log *log)
{
    for (int i = 0; i < COUNT(table); ++i)
        if (strcmp(key, table[i].help.key) == 0)
            return table[i].set(options, &table[i], value, log);
    for (int i = 0; i < COUNT(later_keys); ++i)
        if (strcmp(key, later_keys[i]) == 0)
            return not_yet(key, value, log);
    return unknown_key(key, log);
}

enum lcl_status lcl_options_parse(struct lcl_options *options, const char *text,
                                  const struct lcl_log *log)
{
    if (!options || !text)
        return lcl_misuse(log, "lcl_options_parse: an argument is NULL");
    const char *equals = strchr(text, '=');
    if (!equals)
        return refuse(log, "expected key=value, found '%s'", text);
    char key[WORD];
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    struct lcl_options next = *options;
    const enum lcl_status st = set_by_key(&next, key, equals + 1, log);
    if (st == LCL_OK)
        *options = next;
    return st;
}

const struct lcl_option_help *lcl_options_help(int index)
{
    if (index < 0 || index >= COUNT(table))
        return NULL;
    return &table[index].help;
}
