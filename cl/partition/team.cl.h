// SPDX-License-Identifier: BSD-3-Clause
// Teams of lanes, each with one row of a graph at a time. Rows with more than
// MATCH_LONG entries are left to a launch of the same kernel with LONG_ROWS, in
// which a whole group has one of the listed rows. Width 1: one item per row.
#pragma once

#include "match.cl.h"
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // divides LCL_WIDTH
#endif
#ifndef LONG_ROWS
# define LONG_ROWS 0 // 1: rows from a list, one group per row
#endif

#if LONG_ROWS
# define TEAM LCL_GROUP
#else
# define TEAM LANES_PER_ROW
#endif
#define TEAMS (LCL_GROUP / TEAM)

// for (TEAM_RANGE(at, rows)): all work-items of a group loop together; their
// teams have the rows at .. at + TEAMS - 1.
#define TEAM_RANGE(at, rows) GROUP_RANGE(at, rows, TEAMS)

// Row of the team: that number, or its element of `list`; -1: none.
static inline int team_row(long at, long rows, global const int *list)
{
    const long t = at + get_local_id(0) / TEAM;
    if (t >= rows)
        return -1;
    return LONG_ROWS ? list[t] : (int)t;
}

// Entries of a row; `row` is -1 if the launch leaves it out.
struct run {
    int row;
    uint from, to;
};

#if LCL_WIDTH > 1 && !LONG_ROWS
# define ENTRIES_MOST MATCH_LONG
#else
# define ENTRIES_MOST 0xffffffffu
#endif

static inline bool is_left_out(uint entries)
{
    return entries > ENTRIES_MOST;
}

static inline struct run run_of(int row, global const uint *ptr)
{
    struct run r = {row, 0, 0};
    if (row < 0)
        return r;
    r.from = ptr[row];
    r.to = ptr[row + 1];
    if (is_left_out(r.to - r.from)) {
        r.row = -1;
        r.to = r.from;
    }
    return r;
}
