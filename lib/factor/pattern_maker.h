// SPDX-License-Identifier: BSD-3-Clause
// Patterns of incomplete factors on subdomains, row by row (IKJ), with the set
// of the columns of a row; several threads make consecutive parts. A rule
// decides which fill to keep.
#pragma once

#include "host/limit.h"
#include "lib/factor/column_set.h"
#include "lib/factor/pattern.h"
#include "lib/partition/subdomains.h"

#include "cl/factor/factor.cl.h"

struct lcl_pattern_maker;

struct lcl_candidate {
    double size;
    int32_t column;
};

// Changes the set of row i, which has the entries of A: eliminates the columns
// j < i with the rows of U made so far, and drops columns.
typedef void lcl_pattern_rule(struct lcl_pattern_maker *m, int32_t i);

// The state of one thread. H has the entries of its parts and shares row_ptr,
// counted from the first of them, with the other threads. Rows and columns are
// numbered within the part.
struct lcl_pattern_maker {
    const struct lcl_csr *A;
    const struct lcl_subdomains *P;
    lcl_pattern_rule *rule;
    const void *params; // of the rule
    const double *val;  // of A's entries, the numbers of the columns; NULL: 0
    const struct lcl_limit *limit; // NULL: none
    atomic_llong *spent;           // operations of all threads
    int64_t work;                  // of this one, not yet in *spent
    int64_t first_part, end_part;
    enum lcl_status status;
    struct lcl_host_pattern H;
    int32_t *number; // A->rows: of a row of A in the part; -1: not in it
    // The part:
    int32_t rows;
    int64_t first_row, first_entry; // in H
    int64_t *upper;                 // of a row, the first entry of U in H
    double *entry;                  // the numbers of its entries
    int64_t entry_capacity;
    // The row. A rule is free to use value[] of columns that are not in the
    // set; diagonal[i] and candidate[] are for the rule.
    struct lcl_column_set set;
    double *value, *diagonal;
    uint32_t *source;
    struct lcl_candidate *candidate;
    int32_t length; // of the set
};

// Adds column c, as fill with the given number, if it is not there. Returns
// whether it was. In the innermost loop of all patterns.
static inline bool lcl_pattern_visit(struct lcl_pattern_maker *m, int32_t c,
                                     double number)
{
    if (lcl_column_set_has(&m->set, c))
        return true;
    lcl_column_set_add(&m->set, c);
    m->value[c] = number;
    m->source[c] = LCL_FILL;
    ++m->length;
    return false;
}

void lcl_pattern_drop(struct lcl_pattern_maker *m, int32_t c);

// Looks at the limit: false and m->status = LCL_ECANCELLED if it is reached.
bool lcl_pattern_look(struct lcl_pattern_maker *m);

// Counts operations. Whether to go on; otherwise the rule returns at once.
enum { LCL_PATTERN_OPERATIONS = 100000 }; // between looks
static inline bool lcl_pattern_goes_on(struct lcl_pattern_maker *m,
                                       int64_t operations)
{
    m->work += operations;
    return m->work < LCL_PATTERN_OPERATIONS || lcl_pattern_look(m);
}

// for (LCL_COLUMNS(c, m, from, end)): the columns from .. end-1, ascending.
#define LCL_COLUMNS(c, m, from, end)                                           \
 int32_t c = lcl_column_set_from(&(m)->set, from);                             \
 c < (end);                                                                    \
 c = lcl_column_set_from(&(m)->set, c + 1)

// Entries of row j of U, without the diagonal: end is after the last.
int64_t lcl_pattern_upper_end(const struct lcl_pattern_maker *m, int32_t j);

// Makes the pattern of all parts of model->P by model->rule; the other members
// that `model` sets are A, params, val, limit and H.most. Statuses as
// lcl_ilu_pattern().
enum lcl_status lcl_pattern_make(struct lcl_host_pattern *H,
                                 const struct lcl_pattern_maker *model,
                                 const struct lcl_log *log);
