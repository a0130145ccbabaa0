// SPDX-License-Identifier: BSD-3-Clause
// Figures of levelbench dd, and their tables.
#pragma once

#include "tools/levelbench/phases.h"

enum dd_variant {
    DD_WHOLE, // the baseline: the whole matrix, level by level
    DD_SPIN_LOOP_LDS,
    DD_EC_NO_LDS,
    DD_EC_LDS,
    DD_EC_LDS_UD,
    DD_EC_ILD_U0,
    DD_VC_FUSED,
    DD_EC_FUSED,
    DD_PACKED,
    DD_VARIANTS
};

// Measurements of a variant, as bits.
enum { DD_LOWER = 1, DD_APPLY = 2, DD_SOLVE = 4 };

// The least bytes that a launch reads and writes.
struct dd_traffic {
    double read, write;
};

// A kernel of Table 2.1.
enum { DD_KERNELS = 5 };
struct dd_kernel {
    const char *name; // NULL: not measured
    struct times t;
    struct dd_traffic traffic;
};

struct dd_figures {
    int known; // DD_LOWER, DD_APPLY, DD_SOLVE
    struct lcl_precond_info info;
    struct times lower, apply;
    struct setup setup;
    struct lcl_report report;
    double *history; // report.history_count residuals
};

struct dd_row {
    const char *problem;
    int block;
    struct lcl_partition_params partition; // of all but the baseline
    struct dd_kernel kernel[DD_KERNELS];
    struct phases phases; // of a solve with the baseline; all 0: unknown
    struct dd_figures of[DD_VARIANTS];
};

struct dd_tables {
    struct dd_row *rows;
    size_t count;
    bool serial; // the device has width 1
};

const char *dd_name(enum dd_variant v);

// The traffic of one application of the factors.
struct dd_traffic dd_apply_traffic(const struct lcl_precond_info *info);

// Times the kernels of Table 2.1 and prints their lines; `w` is that of the
// baseline. The device may lack some.
enum lcl_status dd_time_kernels(struct bench *B, const struct work *w,
                                struct dd_kernel kernel[DD_KERNELS]);
void dd_print_bandwidth(const struct bench *B, const char *variant,
                        const struct times *t,
                        const struct dd_traffic *traffic);

void dd_print_tables(const struct dd_tables *dd);
