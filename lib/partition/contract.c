// SPDX-License-Identifier: BSD-3-Clause
// Contraction of a graph.
#include "lib/partition/matcher.h"

#include "host/runtime.h"

// Slots of the entries of a row before packing: as many as entries, or twice as
// many if some rows are hashed.
static uint32_t stride_of(const struct lcl_matcher *m,
                          const struct lcl_match_graph *G)
{
    return m->caps->width == 1 || G->halves > 0 ? 2 : 1;
}

static enum lcl_status replace(struct lcl_matcher *m, lcl_buffer **buffer,
                               int64_t count)
{
    lcl_buffer_destroy(buffer);
    return lcl_match_buffer(m, buffer, count);
}

static enum lcl_status reserve(struct lcl_matcher *m,
                               const struct lcl_match_graph *G)
{
    struct lcl_match_scratch *s = &m->scratch;
    const int64_t slots = stride_of(m, G) * G->entries;
    const int64_t listed = G->entries / MATCH_LONG + 1;
    enum lcl_status st;
    if (s->slots < slots) {
        s->slots = 0;
        if ((st = replace(m, &s->slot_adj, slots)) < 0 ||
            (st = replace(m, &s->slot_weight, slots)) < 0)
            return st;
        s->slots = slots;
    }
    if (s->listed < listed) {
        s->listed = 0;
        if ((st = replace(m, &s->list, listed)) < 0)
            return st;
        s->listed = listed;
    }
    return LCL_OK;
}

static enum lcl_status merge_hashed(struct lcl_matcher *m,
                                    enum lcl_match_variant variant,
                                    const struct lcl_match_graph *G,
                                    const lcl_buffer *label)
{
    const struct lcl_match_scratch *s = &m->scratch;
    return LCL_MATCH_LAUNCH(
        m, LCL_MATCH_MERGE_HASHED, variant, lcl_arg_buffer(s->counts),
        lcl_arg_buffer(s->list), lcl_arg_buffer(s->members),
        lcl_arg_buffer(label), lcl_arg_buffer(G->row_ptr),
        lcl_arg_buffer(G->col), lcl_arg_buffer(G->weight),
        lcl_arg_buffer(s->slot_adj), lcl_arg_buffer(s->slot_weight),
        lcl_arg_buffer(s->length));
}

static enum lcl_status merge(struct lcl_matcher *m,
                             const struct lcl_match_graph *G,
                             const lcl_buffer *label)
{
    const struct lcl_match_scratch *s = &m->scratch;
    const uint32_t stride = stride_of(m, G);
    enum lcl_status st;
    if (m->caps->width == 1)
        return merge_hashed(m, LCL_MATCH_FEW, G, label);
    if ((st = LCL_MATCH_LAUNCH(
             m, LCL_MATCH_MERGE, lcl_match_variant_of(G),
             lcl_arg_buffer(s->counts), lcl_arg_buffer(s->members),
             lcl_arg_buffer(label), lcl_arg_int((int32_t)stride),
             lcl_arg_buffer(G->row_ptr), lcl_arg_buffer(G->col),
             lcl_arg_buffer(G->weight), lcl_arg_buffer(s->slot_adj),
             lcl_arg_buffer(s->slot_weight), lcl_arg_buffer(s->length))) < 0)
        return st;
    return stride > 1 ? merge_hashed(m, LCL_MATCH_LISTED, G, label) : LCL_OK;
}

static enum lcl_status pack(struct lcl_match_graph *C, struct lcl_matcher *m,
                            enum lcl_match_variant variant,
                            const struct lcl_match_graph *G)
{
    const struct lcl_match_scratch *s = &m->scratch;
    return LCL_MATCH_LAUNCH(
        m, LCL_MATCH_PACK, variant, lcl_arg_buffer(s->counts),
        lcl_arg_buffer(s->list), lcl_arg_buffer(s->members),
        lcl_arg_int((int32_t)stride_of(m, G)), lcl_arg_buffer(G->row_ptr),
        lcl_arg_buffer(s->slot_adj), lcl_arg_buffer(s->slot_weight),
        lcl_arg_buffer(s->row_ptr), lcl_arg_buffer(s->coarse_size),
        lcl_arg_buffer(C->ptr), lcl_arg_buffer(C->size), lcl_arg_buffer(C->adj),
        lcl_arg_buffer(C->weight));
}

static enum lcl_status allocate(struct lcl_match_graph *C,
                                struct lcl_matcher *m)
{
    uint32_t counts[MATCH_WORDS];
    enum lcl_status st =
        lcl_buffer_read(m->scratch.counts, counts, sizeof counts);
    if (st < 0)
        return st;
    const bool wide = m->caps->width > 1;
    *C = (struct lcl_match_graph){
        .n = counts[MATCH_COUNT],
        .entries = counts[MATCH_ENTRIES],
        .longs = wide ? counts[MATCH_LONGS] : 0,
        .halves = wide ? counts[MATCH_HALVES] : 0,
    };
    lcl_task_bytes(m->ctx, lcl_match_graph_bytes(C));
    if ((st = lcl_match_buffer(m, &C->ptr, C->n + 1)) < 0 ||
        (st = lcl_match_buffer(m, &C->adj, C->entries)) < 0 ||
        (st = lcl_match_buffer(m, &C->weight, C->entries)) < 0)
        return st;
    C->row_ptr = C->ptr;
    C->col = C->adj;
    return lcl_match_buffer(m, &C->size, C->n);
}

// Builds C from the members in the scratch.
static enum lcl_status make(struct lcl_match_graph *C, struct lcl_matcher *m,
                            const struct lcl_match_graph *G,
                            const lcl_buffer *label)
{
    const struct lcl_match_scratch *s = &m->scratch;
    const struct lcl_match_scan scan = {
        0, MATCH_COUNT, LCL_SUM_NUMBERS, MATCH_ENTRIES, s->length, s->row_ptr};
    enum lcl_status st;
    if ((st = merge(m, G, label)) < 0 || (st = lcl_match_scan(m, &scan)) < 0 ||
        (st = allocate(C, m)) < 0 ||
        (st = pack(C, m, lcl_match_variant_of(G), G)) < 0 ||
        (G->halves > 0 && (st = pack(C, m, LCL_MATCH_LISTED, G)) < 0))
        return st;
    return C->longs > 0 ? lcl_match_list_long(C, m) : LCL_OK;
}

enum lcl_status lcl_match_contract(struct lcl_match_graph *C,
                                   lcl_buffer *coarse, struct lcl_matcher *m,
                                   const struct lcl_match_graph *G)
{
    const struct lcl_match_scratch *s = &m->scratch;
    enum lcl_status st = reserve(m, G);
    if (st < 0 ||
        (st = LCL_MATCH_LAUNCH(
             m, LCL_MATCH_LABEL, lcl_match_variant_of(G), lcl_arg_long(G->n),
             lcl_arg_buffer(s->mate), lcl_arg_buffer(s->number),
             lcl_arg_buffer(G->size), lcl_arg_buffer(G->row_ptr),
             lcl_arg_buffer(coarse), lcl_arg_buffer(s->members),
             lcl_arg_buffer(s->coarse_size), lcl_arg_buffer(s->list),
             lcl_arg_buffer(s->counts))) < 0)
        return st;
    return make(C, m, G, coarse);
}

enum lcl_status lcl_match_relabel(struct lcl_match_graph *C,
                                  struct lcl_matcher *m,
                                  const struct lcl_match_graph *G,
                                  const lcl_buffer *order,
                                  const lcl_buffer *label)
{
    const struct lcl_match_scratch *s = &m->scratch;
    enum lcl_status st;
    if ((st = reserve(m, G)) < 0 || (st = lcl_match_clear_counts(m)) < 0 ||
        (st = LCL_MATCH_LAUNCH(
             m, LCL_MATCH_SINGLES, lcl_match_variant_of(G), lcl_arg_long(G->n),
             lcl_arg_buffer(order), lcl_arg_buffer(G->row_ptr),
             lcl_arg_buffer(s->members), lcl_arg_buffer(s->coarse_size),
             lcl_arg_buffer(s->list), lcl_arg_buffer(s->counts))) < 0)
        return st;
    return make(C, m, G, label);
}
