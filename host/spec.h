// SPDX-License-Identifier: BSD-3-Clause
// Specialisation parameters of a kernel. spec -> key -> #define lines is a pure
// function: equal specs give equal text, different specs different text.
#pragma once

#include <levelcl/context.h>

#include <stddef.h>

// Unused fields are zero and give no #define. Sizes, pointers and values are
// kernel arguments, never part of a spec.
struct lcl_spec {
    const char *source; // "packed.cl"
    const char
        *kernel; // "packed"; not part of the key: one program, many kernels
    int width;   // lanes of a wave; 1: no barriers, one work-item per group
    enum lcl_exchange exchange;
    // how work-items add atomically to one sum; 0: unused
    enum lcl_atomic_add add;
    int group;   // work-group size
    int rows;    // rows of a subdomain held in local memory
    int sweeps;  // sweeps of a subdomain held in local memory; 0: read in place
    int ring;    // 1: slots are staged in a ring buffer in local memory
    int slots;   // entries of a row summed at once
    int lanes;   // lanes that share a row
    int vectors; // right-hand sides per pass; 0 and 1: one
    int block;   // rows and columns of a block; 0 and 1: scalars
    int storage; // enum lcl_factor_storage
    int wide;    // 1: 64-bit row pointers or slots
    int pm;      // lanes that share a block, in bgje.cl.h; power of two
    int probe;   // which test probe.cl runs
    int mode;    // variant of a kernel, named in its file
};

enum { LCL_SPEC_TEXT = 512 };

// Writes the #define lines "#define LCL_WIDTH 32\n...", which are also the key.
// Returns false if `size` is too small or a field is negative.
bool lcl_spec_defines(char *text, size_t size, const struct lcl_spec *spec);
