// SPDX-License-Identifier: BSD-3-Clause
// Checks that a context may be used: only by the process that created it, and
// not by a callback of the caller that runs inside a call with the same
// context.
#pragma once

#include "host/guest.h"

#include <levelcl/context.h>

// Begin and end the call of a callback on this thread; pass the result of the
// begin to the end. No other thread may begin or end one meanwhile, but other
// threads may use the context.
struct lcl_guest lcl_guest_begin(lcl_context *ctx,
                                 enum lcl_guest_rights rights);
void lcl_guest_end(lcl_context *ctx, const struct lcl_guest *before);

// Whether a destroy function, called with the address of a pointer to an
// object of the context, may free the object, once a solve in the background
// has ended. If not: in a child process the pointer becomes NULL, in a function
// of the caller it stays and the reason is logged.
bool lcl_context_lets_go(lcl_context *ctx, void *object, const char *function);
