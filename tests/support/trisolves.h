// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves of every test system against the reference.
#pragma once

#include "lib/trisolve/trisolve.h"
#include "tests/support/factors.h"

// A method as a test wants it.
struct test_trisolve {
    enum lcl_trisolve name;
    enum lcl_precond_type type;
    int block; // rows and columns of an entry; 0: scalars
    // Takes kernels for groups of so many work-items; NULL: those it has.
    void (*regroup)(struct lcl_trisolve_method *T, lcl_context *ctx, int group);
    int waves;        // of such a group
    int systems;      // so many, from the last; 0: all
    double tolerance; // 0: 1e-11
    bool unit_lower;  // the lower solve is that of L, not of L D
};

// Whether the device has what the method needs.
bool test_trisolve_supported(lcl_context *ctx, enum lcl_trisolve name);

// Fails unless apply() and, where there is one, lower() give what the reference
// gives, twice, and leave x alone where the caller has stopped. Skips where the
// method is not supported.
void test_trisolve_expect(lcl_context *ctx, const struct test_trisolve *want);

// Fails unless two applications are near the reference and equal bit for bit,
// and x is left alone where the caller has stopped.
void test_trisolve_apply(lcl_context *ctx, const struct test_factors *F,
                         const struct lcl_trisolve_method *T);

// Fails unless the method is refused, with LCL_EUNSUPPORTED, on a device that
// is like that of `ctx` but for `caps`; skips at width 1, where none is.
void test_trisolve_refused(lcl_context *ctx, enum lcl_trisolve name,
                           const struct lcl_caps *caps);
