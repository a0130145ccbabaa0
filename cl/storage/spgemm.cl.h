// SPDX-License-Identifier: BSD-3-Clause
// Sparse products C = A B: sizes that kernels and host share.
#pragma once

// counts[]: rows that do not fit the tables of the teams, rows that do not fit
// that of a whole wave; both are lengths of lists of rows
enum { SPGEMM_LONG, SPGEMM_LONGEST, SPGEMM_COUNTS };

// Slots of the hash tables, and entries of the rows, that a wave has in local
// memory; its teams share them evenly.
#define SPGEMM_SLOTS(width) ((width) > 32 ? 16u * (width) : 512u)
#define SPGEMM_KEYS(width)  (SPGEMM_SLOTS(width) / 4 * 3)
// Columns that a table of 2^bits slots holds. The lanes of a team stop after
// one column more each: at most an eighth of the slots.
#define SPGEMM_LIMIT(bits) (3u << (bits) >> 2)
