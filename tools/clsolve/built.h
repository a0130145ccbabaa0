// SPDX-License-Identifier: BSD-3-Clause
// The packages with which clsolve and the library were built.
#pragma once

#include <stdbool.h>

enum { BUILT_BYTES = 256 };

// Their names with commas between, as "METIS, MPI"; with `missing`, those
// without which they were built, and the packages of Debian that have them.
// Returns whether there are any.
bool built_list(char text[BUILT_BYTES], bool missing);
