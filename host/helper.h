// SPDX-License-Identifier: BSD-3-Clause
// Helper processes that compile kernels ahead of need (host/forecast.h) for
// PoCL, which compiles a kernel at its first launch, one at a time in a
// process, and shares what it has compiled with all processes of a user.
#pragma once

#include <stdbool.h>

typedef struct lcl_context lcl_context;
struct lcl_spec;

// Decides whether this context, now complete, may have helpers; starts none.
void lcl_helper_init(lcl_context *ctx, bool none);

// Announces to the helpers a program that is about to be built and the kernels
// that it predicts.
void lcl_helper_expect(lcl_context *ctx, const struct lcl_spec *built);

// Call these around the first launch of a kernel: if the driver compiled the
// kernel, the second one starts the helpers.
struct lcl_helper_look {
    long long changed; // when the driver's folder last changed; -1: unknown
};
struct lcl_helper_look lcl_helper_before(const lcl_context *ctx);
void lcl_helper_after(lcl_context *ctx, const struct lcl_helper_look *before);

// Ends the helpers within a third of a second.
void lcl_helper_finish(lcl_context *ctx);
