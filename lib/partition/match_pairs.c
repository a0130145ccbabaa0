// SPDX-License-Identifier: BSD-3-Clause
// Pairs of vertices.
#include "lib/partition/matcher.h"

static enum lcl_status match_round(struct lcl_matcher *m,
                                   const struct lcl_match_graph *G,
                                   uint32_t limit, int32_t round)
{
    const struct lcl_match_scratch *s = &m->scratch;
    const enum lcl_status st = LCL_MATCH_ROWS(
        m, LCL_MATCH_PICK, G, lcl_arg_int((int32_t)limit), lcl_arg_int(round),
        lcl_arg_buffer(G->row_ptr), lcl_arg_buffer(G->col),
        lcl_arg_buffer(G->weight), lcl_arg_buffer(s->open),
        lcl_arg_buffer(s->picked), lcl_arg_buffer(s->counts));
    if (st < 0)
        return st;
    return LCL_MATCH_LAUNCH(m, LCL_MATCH_JOIN, lcl_match_variant_of(G),
                            lcl_arg_long(G->n), lcl_arg_int(round),
                            lcl_arg_buffer(s->picked), lcl_arg_buffer(s->mate),
                            lcl_arg_buffer(s->open), lcl_arg_buffer(s->counts));
}

// ------------------------------------------------------------------- leaves

// Hubs and the slots that their vertices draw (match.cl).
struct drawing {
    int64_t hubs;
    lcl_buffer *slots, *first; // hubs + 1: number of each hub, prefix sums
    lcl_buffer *low, *high;    // vertices that drew a slot
};

static enum lcl_status count_slots(struct drawing *D, struct lcl_matcher *m,
                                   const struct lcl_match_graph *G)
{
    const struct lcl_match_scratch *s = &m->scratch;
    enum lcl_status st;
    if ((st = lcl_match_buffer(m, &D->slots, D->hubs)) < 0 ||
        (st = lcl_match_buffer(m, &D->first, D->hubs + 1)) < 0 ||
        (st = lcl_match_buffer(m, &D->low, G->n)) < 0 ||
        (st = lcl_match_buffer(m, &D->high, G->n)) < 0 ||
        (st = lcl_match_fill(m, D->slots, D->hubs, 0)) < 0 ||
        (st = LCL_MATCH_ROWS(m, LCL_MATCH_FIND_HUBS, G, lcl_arg_long(G->n),
                             lcl_arg_buffer(G->row_ptr), lcl_arg_buffer(G->col),
                             lcl_arg_buffer(G->weight), lcl_arg_buffer(s->mate),
                             lcl_arg_buffer(s->picked),
                             lcl_arg_buffer(D->slots))) < 0)
        return st;
    const struct lcl_match_scan scan = {
        D->hubs, -1, LCL_SUM_NUMBERS, MATCH_ENTRIES, D->slots, D->first};
    return lcl_match_scan(m, &scan);
}

static enum lcl_status draw(const struct drawing *D, struct lcl_matcher *m,
                            const struct lcl_match_graph *G, uint32_t limit,
                            int32_t round)
{
    const struct lcl_match_scratch *s = &m->scratch;
    const enum lcl_match_variant variant = lcl_match_variant_of(G);
    enum lcl_status st;
    if ((st = lcl_match_fill(m, D->low, G->n, -1)) < 0 ||
        (st = lcl_match_fill(m, D->high, G->n, -1)) < 0 ||
        (st = LCL_MATCH_LAUNCH(m, LCL_MATCH_DRAW, variant, lcl_arg_long(G->n),
                               lcl_arg_int(round), lcl_arg_buffer(s->mate),
                               lcl_arg_buffer(s->picked),
                               lcl_arg_buffer(D->first), lcl_arg_buffer(D->low),
                               lcl_arg_buffer(D->high))) < 0)
        return st;
    return LCL_MATCH_LAUNCH(m, LCL_MATCH_JOIN_DRAWN, variant,
                            lcl_arg_long(G->n), lcl_arg_int((int32_t)limit),
                            lcl_arg_buffer(G->size), lcl_arg_buffer(D->low),
                            lcl_arg_buffer(D->high), lcl_arg_buffer(s->mate));
}

static enum lcl_status pair_leaves(struct lcl_matcher *m,
                                   const struct lcl_match_graph *G,
                                   uint32_t limit)
{
    struct drawing D = {.hubs = G->n + G->n / MATCH_VICINITY + 1};
    enum lcl_status st = count_slots(&D, m, G);
    for (int32_t round = 0; round < MATCH_DRAWINGS && st == LCL_OK; ++round)
        st = draw(&D, m, G, limit, round);
    lcl_buffer_destroy(&D.high);
    lcl_buffer_destroy(&D.low);
    lcl_buffer_destroy(&D.first);
    lcl_buffer_destroy(&D.slots);
    return st;
}

// ------------------------------------------------------------------- pairs

// Numbers the leaders of the pairs.
static enum lcl_status number_leaders(struct lcl_matcher *m, int64_t n)
{
    const struct lcl_match_scan scan = {n,
                                        -1,
                                        LCL_SUM_LEADERS,
                                        MATCH_COUNT,
                                        m->scratch.mate,
                                        m->scratch.number};
    return lcl_match_scan(m, &scan);
}

enum lcl_status lcl_match_pairs(struct lcl_matcher *m,
                                const struct lcl_match_graph *G,
                                struct lcl_match_pairing how)
{
    const struct lcl_match_scratch *s = &m->scratch;
    enum lcl_status st = LCL_MATCH_LAUNCH(
        m, LCL_MATCH_START, lcl_match_variant_of(G), lcl_arg_long(G->n),
        lcl_arg_buffer(G->size), lcl_arg_buffer(s->mate),
        lcl_arg_buffer(s->open), lcl_arg_buffer(s->counts));
    for (int32_t round = 0; round < MATCH_ROUNDS && st == LCL_OK; ++round)
        st = match_round(m, G, how.limit, round);
    if (st == LCL_OK && how.leaves)
        st = pair_leaves(m, G, how.limit);
    return st < 0 ? st : number_leaders(m, G->n);
}

enum lcl_status lcl_match_cut(struct lcl_matcher *m,
                              const struct lcl_match_graph *G, int64_t most)
{
    const struct lcl_match_scratch *s = &m->scratch;
    lcl_buffer *rating;
    enum lcl_status st =
        lcl_buffer_create(&rating, m->ctx, G->n, sizeof(uint64_t), "matching");
    if (st < 0)
        return st;
    if ((st = LCL_MATCH_ROWS(m, LCL_MATCH_RATE_PAIRS, G,
                             lcl_arg_buffer(G->row_ptr), lcl_arg_buffer(G->col),
                             lcl_arg_buffer(G->weight), lcl_arg_buffer(G->size),
                             lcl_arg_buffer(s->mate),
                             lcl_arg_buffer(rating))) == LCL_OK)
        st = LCL_MATCH_LAUNCH(m, LCL_MATCH_CUT_PAIRS, lcl_match_variant_of(G),
                              lcl_arg_long(G->n),
                              lcl_arg_int((int32_t)(G->n - most)),
                              lcl_arg_buffer(rating), lcl_arg_buffer(s->mate));
    lcl_buffer_destroy(&rating);
    return st < 0 ? st : number_leaders(m, G->n);
}
