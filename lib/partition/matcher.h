// SPDX-License-Identifier: BSD-3-Clause
// State and steps of the matching (match.h).
#pragma once

#include "host/launch.h"
#include "lib/storage/matrix.h"
#include "lib/vector/prefix_sum.h"

#include "cl/partition/match.cl.h"

enum lcl_match_kernel {
    LCL_MATCH_LIST_LONG,
    LCL_MATCH_ROOTS,
    LCL_MATCH_WEIGH,
    LCL_MATCH_COUNT_BOTH,
    LCL_MATCH_LIST_BOTH,
    LCL_MATCH_START,
    LCL_MATCH_PICK,
    LCL_MATCH_JOIN,
    LCL_MATCH_FIND_HUBS,
    LCL_MATCH_DRAW,
    LCL_MATCH_JOIN_DRAWN,
    LCL_MATCH_RATE_PAIRS,
    LCL_MATCH_CUT_PAIRS,
    LCL_MATCH_LABEL,
    LCL_MATCH_SINGLES,
    LCL_MATCH_MERGE,
    LCL_MATCH_MERGE_HASHED,
    LCL_MATCH_PACK,
    LCL_MATCH_PROJECT,
    LCL_MATCH_CHOOSE,
    LCL_MATCH_MOVE,
    LCL_MATCH_COUNT_UP,
    LCL_MATCH_COPY,
    LCL_MATCH_RENUMBER,
    LCL_MATCH_GATHER,
    LCL_MATCH_SCATTER_ROWS,
    LCL_MATCH_SORT_ROWS,
    LCL_MATCH_MOVE_PARTS,
    LCL_MATCH_KERNELS,
};

// Variants of a kernel: teams of few or of many lanes per row, one group per
// listed row. At width 1 there is only the first.
enum lcl_match_variant {
    LCL_MATCH_FEW,
    LCL_MATCH_MANY,
    LCL_MATCH_LISTED,
    LCL_MATCH_VARIANTS,
};

// Neighbours of vertex i are adj[ptr[i]] .. adj[ptr[i+1]-1], in any order.
// Entries of weight 0 are no edges.
struct lcl_match_graph {
    int64_t n, entries;
    int64_t longs;  // vertices of more than MATCH_LONG entries; 0 at width 1
    int64_t halves; // vertices of more than MATCH_LONG / 2 entries
    lcl_buffer *ptr, *adj; // NULL: those of the matrix
    const lcl_buffer *row_ptr, *col;
    lcl_buffer *weight, *size; // uint32: of the edges, rows of the vertices
    lcl_buffer *list;          // longs
};

// Buffers for levels of up to n vertices.
struct lcl_match_scratch {
    lcl_buffer *counts;                 // MATCH_WORDS
    lcl_buffer *mate, *picked, *open;   // pairs
    lcl_buffer *number;                 // n + 1: of the leaders
    lcl_buffer *members, *coarse_size;  // two vertices; rows
    lcl_buffer *length, *row_ptr;       // of coarse rows; n + 1
    lcl_buffer *list;                   // long coarse rows
    lcl_buffer *slot_adj, *slot_weight; // coarse rows before packing
    int64_t slots, listed;              // elements of the last three
};

struct lcl_matcher {
    lcl_context *ctx;
    const struct lcl_caps *caps;
    const struct lcl_log *log;
    const struct lcl_device_matrix *A;
    lcl_kernel *kernel[LCL_MATCH_KERNELS][LCL_MATCH_VARIANTS];
    struct lcl_match_scratch scratch;
    struct lcl_prefix_sum sum;
    int64_t launches;
};

enum lcl_status lcl_matcher_init(struct lcl_matcher *m, lcl_context *ctx,
                                 const struct lcl_device_matrix *A);
void lcl_matcher_finish(struct lcl_matcher *m);

// Launches `which`, with as many groups as fill the device.
enum lcl_status lcl_match_launch(struct lcl_matcher *m,
                                 enum lcl_match_kernel which,
                                 enum lcl_match_variant variant,
                                 const struct lcl_arg *args, int count);
#define LCL_MATCH_LAUNCH(m, which, variant, ...)                               \
 lcl_match_launch((m), (which), (variant),                                     \
                  (const struct lcl_arg[]){__VA_ARGS__},                       \
                  (int)(sizeof((const struct lcl_arg[]){__VA_ARGS__}) /        \
                        sizeof(struct lcl_arg)))

// The same for a kernel whose first two arguments are the number of rows and
// the list of long rows; a second launch handles the long rows.
enum lcl_status lcl_match_rows(struct lcl_matcher *m,
                               enum lcl_match_kernel which,
                               const struct lcl_match_graph *G,
                               const struct lcl_arg *args, int count);
#define LCL_MATCH_ROWS(m, which, G, ...)                                       \
 lcl_match_rows((m), (which), (G), (const struct lcl_arg[]){__VA_ARGS__},      \
                (int)(sizeof((const struct lcl_arg[]){__VA_ARGS__}) /          \
                      sizeof(struct lcl_arg)))

enum lcl_match_variant lcl_match_variant_of(const struct lcl_match_graph *G);

enum lcl_status lcl_match_buffer(struct lcl_matcher *m, lcl_buffer **out,
                                 int64_t count);

// out[] = prefix sums of n numbers, or of counts[n_of] if n_of >= 0; `kind`:
// LCL_SUM_NUMBERS, ...; the sum goes to counts[total].
struct lcl_match_scan {
    int64_t n;
    int n_of, kind, total;
    const lcl_buffer *in;
    lcl_buffer *out;
};
enum lcl_status lcl_match_scan(struct lcl_matcher *m,
                               const struct lcl_match_scan *scan);

// ------------------------------------------------------------------- graphs

// Bytes that a pass over G reads: row pointers, sizes, columns and weights.
static inline uint64_t lcl_match_graph_bytes(const struct lcl_match_graph *G)
{
    return sizeof(uint32_t) * 2 * (uint64_t)(G->n + G->entries);
}

enum lcl_status lcl_match_graph_init(struct lcl_match_graph *G,
                                     struct lcl_matcher *m, bool weighted);
void lcl_match_graph_finish(struct lcl_match_graph *G);
// Lists the long rows, unless the width is 1.
enum lcl_status lcl_match_list_long(struct lcl_match_graph *G,
                                    struct lcl_matcher *m);
// out[i] = first + i step, for i < n
enum lcl_status lcl_match_count_up(struct lcl_matcher *m, lcl_buffer *out,
                                   int64_t n, int first, int step);
// out[i] = value, and a copy. They launch kernels, because simulators treat
// memory that the driver fills or copies as uninitialised.
enum lcl_status lcl_match_fill(struct lcl_matcher *m, lcl_buffer *out,
                               int64_t n, int value);
enum lcl_status lcl_match_copy(struct lcl_matcher *m, lcl_buffer *to,
                               const lcl_buffer *from, int64_t n);
enum lcl_status lcl_match_clear_counts(struct lcl_matcher *m);

// Finds pairs of at most `limit` rows, stores them in mate[] of the scratch,
// and numbers their leaders.
struct lcl_match_pairing {
    uint32_t limit;
    bool leaves; // pair also vertices without free neighbours
};
enum lcl_status lcl_match_pairs(struct lcl_matcher *m,
                                const struct lcl_match_graph *G,
                                struct lcl_match_pairing how);
// Breaks the worst pairs so that `most` vertices remain; numbers the leaders.
enum lcl_status lcl_match_cut(struct lcl_matcher *m,
                              const struct lcl_match_graph *G, int64_t most);

// Builds C with one vertex per pair of the scratch; vertex coarse[i] contains
// vertex i.
enum lcl_status lcl_match_contract(struct lcl_match_graph *C,
                                   lcl_buffer *coarse, struct lcl_matcher *m,
                                   const struct lcl_match_graph *G);
// Builds C with n vertices; vertex c is vertex order[c] of G, with its
// neighbours replaced by their label[]; drops entries with the label of the
// vertex itself.
enum lcl_status lcl_match_relabel(struct lcl_match_graph *C,
                                  struct lcl_matcher *m,
                                  const struct lcl_match_graph *G,
                                  const lcl_buffer *order,
                                  const lcl_buffer *label);

// ------------------------------------------------------------------- parts

// Parts of the vertices of a level.
struct lcl_match_parts {
    int64_t count;
    lcl_buffer *part, *finer;   // of the vertices; of the next finer level
    lcl_buffer *rows, *next;    // of the parts, now and after the round
    lcl_buffer *demand, *after; // in this round and in the next
    lcl_buffer *to, *class;     // requested moves
};
// Makes each vertex of G, the last graph of a hierarchy over n rows, a part.
enum lcl_status lcl_match_parts_init(struct lcl_match_parts *P,
                                     struct lcl_matcher *m,
                                     const struct lcl_match_graph *G,
                                     int64_t n);
void lcl_match_parts_finish(struct lcl_match_parts *P);
// Assigns to the n vertices of a finer level the parts of their coarse
// vertices.
enum lcl_status lcl_match_project(struct lcl_match_parts *P,
                                  struct lcl_matcher *m, int64_t n,
                                  const lcl_buffer *coarse);
enum lcl_status lcl_match_refine(struct lcl_match_parts *P,
                                 struct lcl_matcher *m,
                                 const struct lcl_match_graph *G,
                                 uint32_t limit, uint32_t round);

// Contractions: coarse[l] maps the vertices of graph[l] to those of
// graph[l+1].
struct lcl_match_levels {
    struct lcl_match_graph graph[MATCH_LEVELS + 1];
    lcl_buffer *coarse[MATCH_LEVELS];
    int count;
};
// Contracts graph[0], of `rows` rows, until few pairs are found or `most`
// vertices are left.
enum lcl_status lcl_match_levels_fill(struct lcl_match_levels *L,
                                      struct lcl_matcher *m, uint32_t limit,
                                      int64_t most);
void lcl_match_levels_finish(struct lcl_match_levels *L);

// The parts along the tree of contractions; see struct lcl_match.
struct lcl_match_tree {
    int64_t parts, aggregates;
    lcl_buffer *perm;
    int64_t *part_ptr;
    int32_t *aggregate;
};

// Numbers the parts of the vertices of G, lists their rows and makes at most
// `most` aggregates. *T must be all zero; the caller frees its members, also on
// error.
enum lcl_status lcl_match_tree_init(struct lcl_match_tree *T,
                                    struct lcl_matcher *m,
                                    const struct lcl_match_parts *P,
                                    const struct lcl_match_graph *G,
                                    int64_t most);
