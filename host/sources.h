// SPDX-License-Identifier: BSD-3-Clause
// The embedded kernel sources, made at build time from cl/.
#pragma once

struct lcl_source {
    const char *name;         // "packed.cl"
    const char *const *parts; // headers, then the kernel's own text, each from
                              // a #line on; NULL ends them
};

// The kernel files; a NULL name ends them.
extern const struct lcl_source lcl_sources[];
