// SPDX-License-Identifier: BSD-3-Clause
// What a kernel is specialised on. spec -> key -> #define lines is a pure
// function: equal specs give equal text, different specs different text.
#pragma once

#include <levelcl/context.h>

#include <stddef.h>

// Fields that a kernel does not use are zero and give no #define. Sizes,
// pointers and values are arguments, never part of a spec.
struct lcl_spec {
    const char *source; // "packed.cl"
    const char
        *kernel; // "packed"; not part of the key: one program, many kernels
    int width;   // lanes of a wave; 1: no barriers, one item a group
    enum lcl_exchange exchange;
    // how work-items add to one sum; 0: they do not
    enum lcl_atomic_add add;
    int group;   // work-items of a group
    int rows;    // rows of a subdomain held in local memory
    int sweeps;  // sweeps of a subdomain held in local memory; 0: read in place
    int ring;    // 1: slots pass through a ring in local memory
    int slots;   // entries of a row that are summed at once
    int lanes;   // lanes that share a row
    int vectors; // right-hand sides of one pass; 0 and 1: one
    int block;   // rows and columns of a block; 0 and 1: scalars
    int storage; // enum lcl_factor_storage
    int wide;    // 1: 64-bit row pointers or slots
    int pm;      // lanes that share a block, in bgje.cl.h; power of two
    int probe;   // what probe.cl tries
    int mode;    // variant of a kernel, named in its file
};

enum { LCL_SPEC_TEXT = 512 };

// The #define lines, which are also the key: "#define LCL_WIDTH 32\n...".
// Returns false where `size` is too small, or a field is negative.
bool lcl_spec_defines(char *text, size_t size, const struct lcl_spec *spec);
