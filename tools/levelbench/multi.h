// SPDX-License-Identifier: BSD-3-Clause
// Shared by the subjects with systems on 1, 2, 4, ... devices.
#pragma once

#include "tools/levelbench/bench.h"

#include "lib/precond/precond.h"

enum { MULTI_DEVICES = 8 };

struct multi_devices {
    lcl_context *ctx[MULTI_DEVICES];
    int count;
};

// Figures that are timed on all ranks at once: the preconditioner, the product
// with own columns, the whole product, one sum over the devices.
enum multi_figure {
    MULTI_APPLY,
    MULTI_OWN,
    MULTI_PRODUCT,
    MULTI_SUM,
    MULTI_FIGURES
};

// Seconds of each; products are in `mode`.
enum lcl_status bench_multi_time(double seconds[MULTI_FIGURES],
                                 const lcl_operator *A, const lcl_precond *M,
                                 enum lcl_mode mode);

// A Kronecker system by name: the breakdown of a solve by both exchanges. With
// B->weak its mesh grows with the devices.
enum lcl_status bench_multi_kron(struct bench *B, const struct multi_devices *D,
                                 const char *name);
