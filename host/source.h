// SPDX-License-Identifier: BSD-3-Clause
// Sources of programs: parameters, bundles and text.
#pragma once

#include "host/spec.h"

// The name of a source, which lives forever; NULL: it does not exist.
const char *lcl_source_name(const char *name);

// Source text of a spec as passed to the driver, without a device: defines, the
// included headers, kernel. Freed with lcl_free(); NULL if memory runs out, the
// source does not exist, or lcl_spec_defines() refuses the spec.
char *lcl_program_source(const struct lcl_spec *spec);

// The first parameter of a spec that its source has no default for, so that
// setting it would change nothing; NULL if there is none. The source must
// exist.
const char *lcl_program_unknown(const struct lcl_spec *spec);

// Leaves out the parameters that have the source's defaults.
void lcl_source_drop_defaults(struct lcl_spec *spec);

// Replaces the source by the bundle that contains it, for a spec without
// parameters at width 1. This is for PoCL, which needs a fifth of a second for
// its own headers in front of every source, and compiles a kernel when it is
// first launched.
void lcl_source_bundle(struct lcl_spec *spec);
