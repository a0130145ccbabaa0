// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves of every test system compared with the reference.
#pragma once

#include "lib/trisolve/trisolve.h"
#include "tests/support/factors.h"

// Configuration of the method under test.
struct test_trisolve {
    enum lcl_trisolve name;
    enum lcl_precond_type type;
    int block; // rows and columns of an entry; 0: scalar
    // Gets kernels for groups of `group` work-items; NULL: uses the method's
    // own.
    void (*regroup)(struct lcl_trisolve_method *T, lcl_context *ctx, int group);
    int waves;        // per group
    int systems;      // number of systems, from the last; 0: all
    double tolerance; // 0: 1e-11
    bool unit_lower;  // the lower solve applies L, not L D
};

// Whether the device supports the method.
bool test_trisolve_supported(lcl_context *ctx, enum lcl_trisolve name);

// Fails unless apply() and, if it exists, lower() agree with the reference,
// twice, and leave x unchanged if the stopping flag is set. Skips if the method
// is not supported.
void test_trisolve_expect(lcl_context *ctx, const struct test_trisolve *want);

// Fails unless two applications are near the reference and bitwise equal, and
// leave x unchanged if the stopping flag is set.
void test_trisolve_apply(lcl_context *ctx, const struct test_factors *F,
                         const struct lcl_trisolve_method *T);

// The same for 2, 4 or 8 interleaved columns.
void test_trisolve_columns(lcl_context *ctx, const struct test_factors *F,
                           struct lcl_trisolve_method *T, int columns);

// Fails unless the method is refused with LCL_EUNSUPPORTED on a device like
// that of `ctx` with `caps`; skips at width 1, where every device is accepted.
void test_trisolve_refused(lcl_context *ctx, enum lcl_trisolve name,
                           const struct lcl_caps *caps);
