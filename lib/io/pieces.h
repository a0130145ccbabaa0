// SPDX-License-Identifier: BSD-3-Clause
// Parses the rest of a text file on all cores: cuts it into pieces of whole
// lines and keeps their order.
#pragma once

#include "lib/io/stream.h"

// The place of a parser in the text and in the array of elements.
struct lcl_cursor {
    const lcl_stream *stream; // of messages; NULL: report nothing
    char *p;                  // in a line that ends with a NUL
    void *to;                 // where to store the element
    int64_t index;            // of the element, if there is a stream
};

// Parses one element and moves at->p past it. Without a stream it must not look
// at other elements.
struct lcl_grammar;
typedef enum lcl_status lcl_parse_fn(const struct lcl_grammar *G,
                                     struct lcl_cursor *at);

// The elements of a file, separated by line ends or by white space.
struct lcl_grammar {
    size_t size;   // of an element
    bool is_words; // one element per word instead of per line
    int64_t least; // number of elements
    int64_t most;
    const void *user;
    lcl_parse_fn *parse;

    // Whether the elements from `first` on fit to those before; NULL: always.
    // If not, they are parsed again, with a stream.
    bool (*fits)(const void *elements, int64_t first, int64_t count);

    // Reports a surplus element at p, or if p is NULL the end of the file,
    // after `count` elements.
    enum lcl_status (*fail_count)(const struct lcl_grammar *G,
                                  const lcl_stream *stream, int64_t count,
                                  const char *p);
};

// Parses all text that is left. Memory is proportional to the data read.
// *elements is NULL and *count 0 on entry; the caller frees the array with
// lcl_free(), also on error. Threads use the locale of the caller. Returns
// LCL_OK, LCL_ENOMEM, the status of lcl_stream_line() or of the grammar, for
// the first error in the order of the file.
enum lcl_status lcl_pieces_read(const struct lcl_grammar *G, lcl_stream *stream,
                                void **elements, int64_t *count);
