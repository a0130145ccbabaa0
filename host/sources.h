// SPDX-License-Identifier: BSD-3-Clause
// The embedded kernel sources, made at build time from cl/.
#pragma once

struct lcl_source {
    const char *name; // "packed.cl"
    const char *text; // starts with #line
};

// Shared headers in the order in which they are put before a kernel, and the
// kernel files; each list ends with a NULL name.
extern const struct lcl_source lcl_source_headers[];
extern const struct lcl_source lcl_source_kernels[];
