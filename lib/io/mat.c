// SPDX-License-Identifier: BSD-3-Clause
// Variables of MAT-files: sparse matrices, full ones of numbers, and structs of
// these.
#include "lib/io/mat.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/finish.h"
#include "lib/io/mat_element.h"
#include "lib/io/mm.h"
#include "lib/matrix/entries.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    HEADER = 128,
    ENDIAN = 124, // version and mark of the order of bytes
    STRUCT = 2,
    SPARSE = 5,
    DOUBLE = 6,
    UINT64 = 15,
    COMPLEX = 0x800,
    NAME = 128,
    NAMES = 256,
};

bool lcl_is_mat(const char *bytes, size_t size)
{
    return size >= HEADER && (memcmp(bytes + ENDIAN, "\x00\x01IM", 4) == 0 ||
                              memcmp(bytes + ENDIAN, "\x01\x00MI", 4) == 0);
}

// A variable, or a field of one.
struct variable {
    char name[NAME];
    int class;
    bool complex;
    int64_t rows, cols, elements;
    struct lcl_mat_view rest; // what follows its name
};

// The variables of a sort, sparse or full.
struct sort {
    const char *preferred; // the last part of a name
    char names[NAMES];
    int count, favourites;
};

struct reading {
    lcl_stream *stream;
    struct lcl_read_info *info;
    struct lcl_csr *A;
    struct lcl_dense *X;
    struct sort sparse, full;
};

static enum lcl_status malformed(const struct reading *R,
                                 const struct variable *v, const char *what)
{
    return lcl_stream_refuse(R->stream, LCL_EFORMAT,
                             "expected %s of variable '%s', found other data",
                             what, v->name);
}

static bool is_size(double x)
{
    return x >= 1 && x <= INT32_MAX;
}

// ------------------------------------------------------------------- sparse

// Row indices, column pointers, values.
struct columns {
    struct lcl_mat_element row, ptr, val;
    int64_t nnz;
};

static bool are_columns(const struct columns *C, const struct variable *v)
{
    if (!lcl_mat_are_integers(&C->row) || !lcl_mat_are_integers(&C->ptr) ||
        lcl_mat_count(&C->ptr) != v->cols + 1 ||
        lcl_mat_number(&C->ptr, 0) != 0)
        return false;
    for (int64_t j = 0; j < v->cols; ++j)
        if (lcl_mat_number(&C->ptr, j) > lcl_mat_number(&C->ptr, j + 1))
            return false;
    const double nnz = lcl_mat_number(&C->ptr, v->cols);
    if (nnz > (double)lcl_mat_count(&C->row) ||
        nnz > (double)lcl_mat_count(&C->val))
        return false;
    for (int64_t k = 0; k < (int64_t)nnz; ++k)
        if (!(lcl_mat_number(&C->row, k) >= 0 &&
              lcl_mat_number(&C->row, k) < (double)v->rows))
            return false;
    return true;
}

static enum lcl_status take_columns(struct columns *C, struct variable *v,
                                    const struct reading *R)
{
    if (!is_size((double)v->rows) || !is_size((double)v->cols) ||
        !lcl_mat_take(&C->row, &v->rest) || !lcl_mat_take(&C->ptr, &v->rest) ||
        !lcl_mat_take(&C->val, &v->rest) || !are_columns(C, v))
        return malformed(R, v, "a sparse matrix by columns");
    C->nnz = (int64_t)lcl_mat_number(&C->ptr, v->cols);
    for (int64_t k = 0; k < C->nnz; ++k)
        if (!isfinite(lcl_mat_number(&C->val, k)))
            return malformed(R, v, "finite values");
    const struct lcl_mm_header sizes = {
        .rows = v->rows, .cols = v->cols, .entries = C->nnz};
    return lcl_mm_check_sparse(&sizes, R->stream);
}

static void put_entries(struct lcl_entry *at, const struct columns *C,
                        int64_t cols)
{
    for (int64_t j = 0; j < cols; ++j) {
        const int64_t end = (int64_t)lcl_mat_number(&C->ptr, j + 1);
        for (int64_t k = (int64_t)lcl_mat_number(&C->ptr, j); k < end; ++k)
            at[k] = (struct lcl_entry){(int32_t)lcl_mat_number(&C->row, k),
                                       (int32_t)j, lcl_mat_number(&C->val, k)};
    }
}

static enum lcl_status build(struct lcl_csr *A, const struct columns *C,
                             const struct variable *v, struct reading *R)
{
    const struct lcl_log *log = lcl_stream_log(R->stream);
    struct lcl_entries E = {.at = lcl_malloc((size_t)C->nnz, sizeof *E.at),
                            .count = C->nnz};
    if (!E.at)
        return lcl_fail_memory(log, "the entries of the file");
    put_entries(E.at, C, v->cols);
    A->rows = v->rows;
    A->cols = v->cols;
    enum lcl_status st =
        lcl_csr_from_entries(A, &E, LCL_GENERAL, &R->info->duplicates, log);
    if (st == LCL_OK)
        st = lcl_io_finish_csr(A, 0, 1, R->stream, R->info);
    lcl_entries_finish(&E);
    R->info->entries = C->nnz;
    return st;
}

static enum lcl_status read_sparse(struct reading *R, struct variable *v)
{
    struct columns C;
    const enum lcl_status st = take_columns(&C, v, R);
    lcl_csr_finish(R->A);
    return st < 0 ? st : build(R->A, &C, v, R);
}

// ------------------------------------------------------------------- full

static enum lcl_status read_full(struct reading *R, struct variable *v)
{
    struct lcl_mat_element val;
    if (!lcl_mat_take(&val, &v->rest) ||
        lcl_mat_count(&val) != v->rows * v->cols)
        return malformed(R, v, "a number for each element");
    lcl_dense_finish(R->X);
    double *x = lcl_malloc((size_t)(v->rows * v->cols), sizeof *x);
    if (!x)
        return lcl_fail_memory(lcl_stream_log(R->stream), "an array");
    *R->X = (struct lcl_dense){v->rows, v->cols, x};
    for (int64_t k = 0; k < v->rows * v->cols; ++k)
        if (!isfinite(x[k] = lcl_mat_number(&val, k)))
            return malformed(R, v, "finite values");
    R->info->entries = v->rows * v->cols;
    return LCL_OK;
}

// ------------------------------------------------------------------- variables

static bool is_favourite(const struct sort *S, const char *name)
{
    const char *dot = strrchr(name, '.');
    return strcmp(dot ? dot + 1 : name, S->preferred) == 0;
}

// Whether this variable is the best one of its sort so far.
static bool note(struct sort *S, const struct variable *v)
{
    const size_t length = strlen(S->names);
    const bool favourite = is_favourite(S, v->name);
    snprintf(S->names + length, sizeof S->names - length, "%s%s",
             S->count ? ", " : "", v->name);
    ++S->count;
    S->favourites += favourite;
    return S->count == 1 || (favourite && S->favourites == 1);
}

static enum lcl_status refuse_complex(const struct reading *R,
                                      const struct variable *v)
{
    return lcl_stream_refuse(R->stream, LCL_EUNSUPPORTED,
                             "variable '%s' is complex: expected real numbers",
                             v->name);
}

// A matrix that is wanted.
static enum lcl_status read_matrix(struct reading *R, struct variable *v)
{
    const bool sparse = v->class == SPARSE;
    if (!note(sparse ? &R->sparse : &R->full, v) ||
        !(sparse ? R->A != NULL : R->X != NULL))
        return LCL_OK;
    if (v->complex)
        return refuse_complex(R, v);
    return sparse ? read_sparse(R, v) : read_full(R, v);
}

// Flags, sizes and name of a matrix; `name` instead of its own one if given.
static bool take_variable(struct variable *v, struct lcl_mat_view V,
                          const char *name)
{
    struct lcl_mat_element flags, sizes, text;
    if (!lcl_mat_take(&flags, &V) || flags.type != LCL_MAT_UINT32 ||
        lcl_mat_count(&flags) < 1 || !lcl_mat_take(&sizes, &V) ||
        sizes.type != LCL_MAT_INT32 || lcl_mat_count(&sizes) < 2 ||
        !lcl_mat_take(&text, &V) || text.type != LCL_MAT_INT8)
        return false;
    const uint32_t word = (uint32_t)lcl_mat_number(&flags, 0);
    v->class = (int)(word & 0xff);
    v->complex = word & COMPLEX;
    v->rows = (int64_t)lcl_mat_number(&sizes, 0);
    v->cols = (int64_t)lcl_mat_number(&sizes, 1);
    v->elements = lcl_mat_count(&sizes) == 2 ? v->rows * v->cols : 0;
    v->rest = V;
    snprintf(v->name, sizeof v->name, "%.*s",
             name ? NAME : (int)(text.size < NAME ? text.size : NAME),
             name ? name : (const char *)text.bytes);
    return v->rows >= 0 && v->cols >= 0;
}

static bool is_matrix(const struct variable *v)
{
    return v->elements > 0 &&
           (v->class == SPARSE || (v->class >= DOUBLE && v->class <= UINT64));
}

static enum lcl_status read_fields(struct reading *R, struct variable *s)
{
    struct lcl_mat_element length, names, field;
    if (!lcl_mat_take(&length, &s->rest) || length.type != LCL_MAT_INT32 ||
        lcl_mat_count(&length) != 1 || !lcl_mat_take(&names, &s->rest) ||
        lcl_mat_number(&length, 0) < 1)
        return malformed(R, s, "names of fields");
    const int64_t width = (int64_t)lcl_mat_number(&length, 0);
    for (int64_t k = 0; (k + 1) * width <= names.size; ++k) {
        const char *label = (const char *)names.bytes + k * width;
        const int most = (int)(width < NAME ? width : NAME);
        char name[2 * NAME];
        struct variable v;
        if (!lcl_mat_take(&field, &s->rest))
            return malformed(R, s, "a value for each field");
        snprintf(name, sizeof name, "%s.%.*s", s->name, most, label);
        const struct lcl_mat_view V = {field.bytes, field.bytes + field.size,
                                       field.big};
        if (field.type != LCL_MAT_MATRIX || !take_variable(&v, V, name) ||
            !is_matrix(&v))
            continue;
        const enum lcl_status st = read_matrix(R, &v);
        if (st < 0)
            return st;
    }
    return LCL_OK;
}

// One element of the file.
static enum lcl_status read_element(struct reading *R, struct lcl_mat_view V)
{
    struct lcl_mat_element E;
    struct variable v;
    if (!lcl_mat_take(&E, &V))
        return lcl_stream_refuse(R->stream, LCL_EFORMAT,
                                 "expected an element of a MATLAB file, found "
                                 "other data");
    const struct lcl_mat_view inside = {E.bytes, E.bytes + E.size, E.big};
    if (E.type != LCL_MAT_MATRIX || !take_variable(&v, inside, NULL))
        return LCL_OK;
    if (v.class == STRUCT && v.elements == 1)
        return read_fields(R, &v);
    return is_matrix(&v) ? read_matrix(R, &v) : LCL_OK;
}

// ------------------------------------------------------------------- all

static enum lcl_status read_elements(struct reading *R)
{
    unsigned char header[HEADER];
    enum lcl_status st = lcl_stream_copy_all(R->stream, header, HEADER, LCL_EIO,
                                             "the MATLAB file is truncated");
    const bool big = header[ENDIAN + 2] == 'M';
    for (unsigned char *bytes = header; st == LCL_OK && bytes;) {
        struct lcl_mat_view V = {NULL, NULL, big};
        st = lcl_mat_next(&bytes, &V, R->stream);
        if (st == LCL_OK && bytes)
            st = read_element(R, V);
        lcl_free(bytes);
    }
    return st;
}

static enum lcl_status check_choice(const struct reading *R,
                                    const struct sort *S, const char *what)
{
    if (S->count == 1 || S->favourites == 1)
        return LCL_OK;
    return lcl_stream_refuse(R->stream, LCL_EUNSUPPORTED,
                             "the MATLAB file has several %s: %s; save() one, "
                             "or name it %s",
                             what, S->names, S->preferred);
}

// Keeps what is wanted of both.
static enum lcl_status choose(struct reading *R)
{
    if (R->A && R->sparse.count > 0) {
        if (R->X)
            lcl_dense_finish(R->X);
        return check_choice(R, &R->sparse, "sparse matrices");
    }
    if (R->X && R->full.count > 0)
        return check_choice(R, &R->full, "full matrices");
    const struct sort *other = R->A ? &R->full : &R->sparse;
    return lcl_stream_refuse(R->stream, LCL_EUNSUPPORTED,
                             "the MATLAB file has no %s%s%s",
                             R->A ? "sparse matrix" : "full matrix of numbers",
                             other->count ? R->A ? "; sparse() makes one of "
                                                 : "; full() makes one of "
                                          : "",
                             other->count ? other->names : "");
}

enum lcl_status lcl_mat_read(struct lcl_csr *A, struct lcl_dense *X,
                             lcl_stream *stream, struct lcl_read_info *info)
{
    struct reading R = {.stream = stream,
                        .info = info,
                        .A = A,
                        .X = X,
                        .sparse = {.preferred = "A"},
                        .full = {.preferred = "b"}};
    enum lcl_status st = read_elements(&R);
    if (st == LCL_OK)
        st = choose(&R);
    info->bytes = lcl_stream_bytes(stream);
    if (st < 0 && A)
        lcl_csr_finish(A);
    if (st < 0 && X)
        lcl_dense_finish(X);
    return st;
}
