// SPDX-License-Identifier: BSD-3-Clause
// The packed levels of a factor, shared by the kernels that write and
// read it and the host code that plans it.
//
// The rows of a subdomain are numbered by level. A step is a run of at most
// LCL_GROUP rows of one level, one lane per row. Plane k of a step holds one
// slot per row, so that neighbouring lanes read neighbouring slots: slot
// first + k * rows + lane of the subdomain, `first` being the step's first. A
// step of L has as many planes as its longest row has entries; a step of U
// starts with a plane of -1/d, whose column is the row itself, followed by the
// planes of the entries. Columns of a row ascend; shorter rows are padded with
// slots whose column is the row itself and whose value is 0. Steps are stored
// in the order in which they are read: those of L ascending, then those of U
// descending.
//
// For a matrix of b x b blocks, rows are block rows, a slot holds a block, and
// a plane stores its blocks entry by entry: in a plane of `rows` rows that
// starts at slot s0, entry (r, c) of the block on a lane is value
// s0 * b * b + (r * b + c) * rows + lane.
// -1/d is the negative inverse of the diagonal block.
//
// Float values are in the same places. bf16 values share 32-bit words with the
// columns: halfword 0 of a slot is its column, its values follow from halfword
// 1 on, and an unused halfword is 0. In a plane that starts at slot s0, word k
// of the slot on a lane is word s0 * words + k * rows + lane.
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

// The work of a group between two barriers: a few planes of one step. The
// stages of a subdomain are stored in execution order, which is also the order
// of the slots: each starts where the previous one ends. Steps of L without
// entries have no stage. Where several lanes share a row of a stage, lane l
// works on row l % rows: its slots are l, l + rows * lanes, ... from the first
// of the stage.
struct lcl_stage {
    lcl_u16 first; // row on lane 0, from the subdomain's first
    lcl_u16 rows;
    lcl_u16 planes; // including that of -1/d
    lcl_u8 flags;
    lcl_u8 lanes; // per row
} __attribute__((aligned(8)));

// Several lanes share a row in steps whose rows have more entries in L or in U.
#define LCL_SHORT_ROW 7

#define LCL_STAGE_DIAGONAL 1 // first stage of a step of U: plane 0 is -1/d

// Words of a slot of `entries` bf16 values.
#define LCL_BF16_WORDS(entries) (((entries) + 2) / 2)

// The source of a slot is the entry of A that it starts from, or one of these:
// fill, which starts from 0, or no entry at all. A has fewer entries.
#define LCL_FILL    0xfffffffeu
#define LCL_PADDING 0xffffffffu

// Subdomains start at a multiple of this many slots, for vector loads.
#define LCL_SLOT_ALIGN 8

struct lcl_part {
    lcl_u64 slot;  // first slot of the subdomain
    lcl_u64 entry; // first entry of its rows in the reordered pattern
    lcl_u32 row;   // first row
    lcl_u32 rows;
    lcl_u32 step; // first step
    lcl_u32 steps;
    lcl_u32 stage; // first stage
    lcl_u32 stages;
    lcl_u32 slots;
    lcl_u32 unused;
};
