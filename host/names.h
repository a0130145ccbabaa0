// SPDX-License-Identifier: BSD-3-Clause
// Tables of the names used to print and parse enum values.
#pragma once

// name[value] for value = 0 .. count-1.
struct lcl_names {
    const char *const *name;
    int count;
};

// The table of an array of names.
// clang-format off
#define LCL_NAMES(list) {(list), (int)(sizeof(list) / sizeof *(list))}
// clang-format on

// "unknown" for values without a name.
const char *lcl_name_of(const struct lcl_names *names, int value);
