// SPDX-License-Identifier: BSD-3-Clause
// The packed-level layout of a factor, shared by the kernels that make it and
// those that read it, and the host code that lays it out.
//
// The rows of a subdomain are numbered by level. A step is a run of at most
// LCL_GROUP rows of one level, lane after lane; plane k of a step holds one
// slot a row, so that lanes read neighbours: slot  first of the step + k * rows
// + lane of its subdomain. A step of L has a plane for each entry of its
// longest row; a step of U has a plane of -1/d first, whose column is the row
// itself, then those of the entries. Columns of a row ascend; shorter rows are
// filled up with slots whose column is the row itself and whose value is 0. The
// steps of L come in ascending order, those of U after them in descending
// order: the order in which they are read.
//
// Where the matrix is one of blocks with b rows and columns, rows are rows of
// blocks, a slot holds a block, and a plane holds its blocks entry by entry:
// the entry in row r and column c of the block on a lane of a plane of `rows`
// rows that starts at slot s0 is value  s0 * b * b + (r * b + c) * rows + lane.
// -1/d is the negative inverse of the diagonal block.
//
// Stored as float the values stand in the same places. As bf16, the upper half
// of a float, they share words of 32 bits with the columns: halfword 0 of a
// slot is its column, from 1 on follow its values, and one that is left over is
// 0; word k of the slot on a lane of a plane that starts at slot s0 is number
// s0 * words + k * rows + lane.
#pragma once

#include "types.cl.h"

struct lcl_step {
    lcl_u32 lower;              // first slot of L, from the subdomain's first
    lcl_u32 upper;              // first slot of U, likewise
    lcl_u16 first;              // row on lane 0, from the subdomain's first
    lcl_u16 rows;               // rows of the step
    lcl_u16 lower_planes;       // entries of the longest row of L
    lcl_u16 upper_planes;       // entries of the longest row of U, and -1/d
} __attribute__((aligned(16))); // one load

// What a group does between two barriers: a few planes of entries of one step.
// The sweeps of a subdomain stand in the order in which they are done, which is
// that of the slots: each starts where the one before it ends. Steps of L
// without entries have none. Where several lanes share the rows of a sweep,
// lane l works on row l % rows: its slots are l, l + rows * lanes, ... from the
// sweep's first.
struct lcl_sweep {
    lcl_u16 first; // row on lane 0, from the subdomain's first
    lcl_u16 rows;
    lcl_u16 planes; // with that of -1/d
    lcl_u8 flags;
    lcl_u8 lanes; // that share a row
} __attribute__((aligned(8)));

// Lanes share the rows of a step where they have more entries in L or in U.
#define LCL_SHORT_ROW 7

#define LCL_SWEEP_DIAGONAL 1 // the first of a step of U: plane 0 is -1/d

// Words of a slot of so many values in bf16.
#define LCL_BF16_WORDS(entries) (((entries) + 2) / 2)

// Subdomains start at a multiple of this, for vector loads.
#define LCL_SLOT_ALIGN 8

struct lcl_part {
    lcl_u64 slot;  // first slot of the subdomain
    lcl_u64 entry; // first entry of its rows in the matrix
    lcl_u32 row;   // first row
    lcl_u32 rows;
    lcl_u32 step; // first step
    lcl_u32 steps;
    lcl_u32 sweep; // first sweep
    lcl_u32 sweeps;
    lcl_u32 slots;
    lcl_u32 unused;
};
