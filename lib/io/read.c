// SPDX-License-Identifier: BSD-3-Clause
// Reads matrices and vectors from files of any known format.
#include "lib/io/read.h"

#include "host/log.h"
#include "lib/io/formats.h"
#include "lib/io/mat.h"
#include "lib/io/mm.h"
#include "lib/io/npz.h"
#include "lib/io/number.h"
#include "lib/io/petsc.h"
#include "lib/io/suffix.h"

// Formats that hold a matrix alone or an array alone.
static enum lcl_status read_other(struct lcl_csr *A, struct lcl_dense *X,
                                  lcl_stream *stream,
                                  struct lcl_read_info *info, const char *bytes,
                                  size_t size)
{
    if (lcl_is_npy(bytes, size))
        return X ? lcl_npy_read(X, stream, info)
                 : lcl_stream_refuse(stream, LCL_EUNSUPPORTED,
                                     "expected a sparse matrix, found a NumPy "
                                     "array");
    if (lcl_is_rutherford_boeing(bytes, size))
        return A ? lcl_rutherford_boeing_read(A, stream, info)
                 : lcl_stream_refuse(
                       stream, LCL_EUNSUPPORTED,
                       "expected a vector, found a sparse matrix");
    return X && lcl_is_columns(bytes, size) ? lcl_columns_read(X, stream, info)
                                            : lcl_mm_read(A, X, stream, info);
}

static enum lcl_status read_member(struct lcl_csr *A, struct lcl_dense *X,
                                   lcl_stream *stream,
                                   struct lcl_read_info *info)
{
    const char *bytes;
    size_t size;
    const enum lcl_status st = lcl_stream_peek(stream, &bytes, &size);
    if (st < 0)
        return st;
    if (lcl_is_mat(bytes, size))
        return lcl_mat_read(A, X, stream, info);
    const char *foreign = lcl_foreign_format(bytes, size);
    if (foreign)
        return lcl_stream_refuse(stream, LCL_EUNSUPPORTED, "this is %s",
                                 foreign);
    return lcl_is_petsc(bytes, size)
               ? lcl_petsc_read(A, X, stream, info)
               : read_other(A, X, stream, info, bytes, size);
}

// ------------------------------------------------------------------- archives

static bool is_wanted(const char *name, bool rhs)
{
    const bool is_rhs = lcl_ends_with(name, "_b.mtx");
    return rhs ? is_rhs
               : !is_rhs && (lcl_ends_with(name, ".mtx") ||
                             lcl_ends_with(name, ".rb"));
}

static enum lcl_status read_zip_member(struct lcl_csr *A, struct lcl_dense *X,
                                       lcl_stream *zip,
                                       const struct lcl_zip_member *m,
                                       struct lcl_read_info *info)
{
    struct lcl_zip_file f;
    enum lcl_status st = lcl_zip_open(&f, m, zip);
    if (st == LCL_OK)
        st = read_member(A, X, f.stream, info);
    lcl_zip_close(&f);
    return st;
}

// The first member that is wanted, or all arrays of NumPy.
static enum lcl_status read_zip(struct lcl_csr *A, struct lcl_dense *X,
                                lcl_stream *zip, struct lcl_read_info *info)
{
    for (;;) {
        struct lcl_zip_member m;
        enum lcl_status st = lcl_zip_next(&m, zip);
        if (st < 0)
            return st;
        if (!*m.name)
            return lcl_stream_refuse(zip, LCL_EFORMAT,
                                     A ? "the zip archive has no matrix of the "
                                         "suffix .mtx or .rb"
                                       : "the zip archive has no right-hand "
                                         "side of the suffix _b.mtx");
        if (lcl_is_npz_member(&m))
            return lcl_npz_read(A, X, zip, &m, info);
        if (is_wanted(m.name, !A))
            return read_zip_member(A, X, zip, &m, info);
        if ((st = lcl_zip_skip(&m, zip)) < 0)
            return st;
    }
}

enum lcl_status lcl_read_stream(struct lcl_csr *A, struct lcl_dense *X,
                                lcl_stream *stream, struct lcl_read_info *info)
{
    const char *bytes;
    size_t size;
    enum lcl_status st = lcl_stream_peek(stream, &bytes, &size);
    if (st == LCL_OK && lcl_is_zip(bytes, size))
        return read_zip(A, X, stream, info);
    if (st == LCL_OK && lcl_is_tar(bytes, size))
        st = lcl_tar_enter(stream, !A);
    return st < 0 ? st : read_member(A, X, stream, info);
}

static enum lcl_status read_path(struct lcl_csr *A, struct lcl_dense *X,
                                 const char *path, struct lcl_read_info *info,
                                 const struct lcl_log *log)
{
    struct lcl_read_info seen = {0};
    struct lcl_c_locale locale;
    lcl_stream *stream;
    enum lcl_status st = lcl_stream_open(&stream, path, log);
    if (st < 0)
        return st;
    if (lcl_c_locale_enter(&locale)) {
        st = lcl_read_stream(A, X, stream, &seen);
        lcl_c_locale_leave(&locale);
    } else {
        st = lcl_fail_memory(log, "a locale");
    }
    lcl_stream_close(&stream);
    if (info)
        *info = seen;
    return st;
}

enum lcl_status lcl_csr_read(struct lcl_csr *A, const char *path,
                             struct lcl_read_info *info,
                             const struct lcl_log *log)
{
    if (!A)
        return lcl_misuse(log, "lcl_csr_read: the matrix is NULL");
    *A = (struct lcl_csr){0};
    if (!path)
        return lcl_misuse(log, "lcl_csr_read: the path is NULL");
    return read_path(A, NULL, path, info, log);
}

enum lcl_status lcl_dense_read(struct lcl_dense *X, const char *path,
                               struct lcl_read_info *info,
                               const struct lcl_log *log)
{
    if (!X)
        return lcl_misuse(log, "lcl_dense_read: the matrix is NULL");
    *X = (struct lcl_dense){0};
    if (!path)
        return lcl_misuse(log, "lcl_dense_read: the path is NULL");
    return read_path(NULL, X, path, info, log);
}

enum lcl_status lcl_file_read(struct lcl_csr *A, struct lcl_dense *X,
                              const char *path, struct lcl_read_info *info,
                              const struct lcl_log *log)
{
    if (!A || !X || !path)
        return lcl_misuse(log, "lcl_file_read: an argument is NULL");
    *A = (struct lcl_csr){0};
    *X = (struct lcl_dense){0};
    return read_path(A, X, path, info, log);
}
