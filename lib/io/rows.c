// SPDX-License-Identifier: BSD-3-Clause
// Reads the rows of one rank from files of any known format.
#include "lib/matrix/rows.h"

#include "host/log.h"
#include "lib/io/number.h"
#include "lib/io/petsc.h"
#include "lib/io/read.h"
#include "lib/matrix/pairs.h"

static enum lcl_status read_whole(struct lcl_rows *R, lcl_stream *stream,
                                  const struct lcl_share *share)
{
    struct lcl_read_info info = {0};
    struct lcl_csr A = {0};
    enum lcl_status st = lcl_read_stream(&A, NULL, stream, &info);
    struct lcl_share shared = *share;
    if (info.is_complex)
        shared.block = lcl_block_of_pairs(share->block);
    if (st == LCL_OK)
        st = lcl_rows_of_rank(R, &A, &shared, lcl_stream_log(stream));
    R->is_complex = info.is_complex;
    lcl_csr_finish(&A);
    return st;
}

static enum lcl_status read_stream(struct lcl_rows *R, lcl_stream *stream,
                                   const struct lcl_share *share)
{
    const char *bytes;
    size_t size;
    const enum lcl_status st = lcl_stream_peek(stream, &bytes, &size);
    if (st < 0)
        return st;
    return lcl_is_petsc(bytes, size) ? lcl_petsc_read_rows(R, stream, share)
                                     : read_whole(R, stream, share);
}

static enum lcl_status read_path(struct lcl_rows *R, const char *path,
                                 const struct lcl_share *share,
                                 const struct lcl_log *log)
{
    struct lcl_c_locale locale;
    lcl_stream *stream;
    enum lcl_status st = lcl_stream_open(&stream, path, log);
    if (st < 0)
        return st;
    if (lcl_c_locale_enter(&locale)) {
        st = read_stream(R, stream, share);
        lcl_c_locale_leave(&locale);
    } else {
        st = lcl_fail_memory(log, "a locale");
    }
    lcl_stream_close(&stream);
    return st;
}

enum lcl_status lcl_rows_read(struct lcl_rows *out, const char *path, int block,
                              int rank, int size, const struct lcl_log *log)
{
    const struct lcl_share share = {block, rank, size};
    if (!out || !path)
        return lcl_misuse(log, "lcl_rows_read: an argument is NULL");
    *out = (struct lcl_rows){0};
    enum lcl_status st = lcl_share_check(&share, log);
    if (st == LCL_OK)
        st = read_path(out, path, &share, log);
    if (st < 0)
        lcl_rows_finish(out);
    return st;
}
