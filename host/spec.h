// SPDX-License-Identifier: BSD-3-Clause
// Specialisation parameters of a kernel. spec -> key -> #define lines is a pure
// function: equal specs give equal text, different specs different text.
#pragma once

#include <levelcl/context.h>

#include <stddef.h>

enum {
    LCL_SPEC_DEFINES = 8,
    LCL_SPEC_TEXT = 1024,
};

// A parameter that a kernel source names itself: "#define NAME value". The name
// is an upper-case C identifier of two or more letters without the prefix LCL_;
// the source has its default, "#ifndef NAME". Value 0: the default holds.
struct lcl_define {
    const char *name;
    int value;
};

// Fields that are zero give no #define: the default in the source holds. Sizes,
// pointers and values are kernel arguments, never part of a spec.
struct lcl_spec {
    const char *source; // "packed.cl"
    const char
        *kernel; // "packed"; not part of the key: one program, many kernels
    // Parameters of all sources
    int width; // lanes of a wave; 1: no barriers, one work-item per group
    enum lcl_exchange exchange;
    // Method of atomic addition of work-items to one sum; 0: unused
    enum lcl_atomic_add add;
    int group;   // work-group size
    int block;   // rows and columns of a block; 0 and 1: scalars
    int storage; // enum lcl_factor_storage
    int wide;    // 1: 64-bit row pointers or slots
    int loose;   // 1: fma() and conversions may not round correctly
    int single;  // 1: the type `real` of the sources is fp32, otherwise fp64
    // The source's own parameters (cl/README.md), up to the first name NULL
    struct lcl_define defines[LCL_SPEC_DEFINES];
};

// Sets or adds a parameter of the source.
void lcl_spec_set(struct lcl_spec *spec, const char *name, int value);

// Writes the #define lines "#define LCL_WIDTH 32\n...", which are also the key.
// Returns false if `size` is too small, a value is negative, or a name is not
// as described above or occurs twice.
bool lcl_spec_defines(char *text, size_t size, const struct lcl_spec *spec);
