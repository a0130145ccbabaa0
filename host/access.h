// SPDX-License-Identifier: BSD-3-Clause
// Who may use a context: the process that made it, and no function of the
// caller that a call with the context is calling.
#pragma once

#include "host/guest.h"

#include <levelcl/context.h>

// Brackets the call of a function of the caller on this thread; the end takes
// what the begin returned. No other thread may begin or end meanwhile, but
// others may use the context.
struct lcl_guest lcl_guest_begin(lcl_context *ctx,
                                 enum lcl_guest_rights rights);
void lcl_guest_end(lcl_context *ctx, const struct lcl_guest *before);

// Whether a destroy function, called with the address of a pointer to an
// object of the context, may free the object, once a solve in the background
// has ended. If not: in a child process the pointer becomes NULL, in a function
// of the caller it stays and the reason is logged.
bool lcl_context_lets_go(lcl_context *ctx, void *object, const char *function);
