// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes, split at '|', as the three text files of a
// matrix, and the first of them as a vector. In addition to the checks of the
// sanitizers, an accepted matrix must be well formed and a refusal must produce
// exactly one message.
#include "lib/io/text.h"
#include "tests/fuzz/checks.h"

#include <levelcl/matrix.h>

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// Opens the text before the next '|' and moves past it.
static enum lcl_status open_next(lcl_stream **stream, const uint8_t **bytes,
                                 size_t *size, const struct lcl_log *log)
{
    const uint8_t *from = *bytes;
    const uint8_t *cut = *size ? memchr(from, '|', *size) : NULL;
    const size_t length = cut ? (size_t)(cut - from) : *size;
    *bytes += length + (cut != NULL);
    *size -= length + (cut != NULL);
    return lcl_stream_open_memory(stream, "fuzz", from, length, log);
}

static void read_matrix(const uint8_t *bytes, size_t size)
{
    int errors = 0;
    const struct lcl_log log = {count, &errors, LCL_LOG_ERROR};
    lcl_stream *stream[3] = {NULL, NULL, NULL};
    struct lcl_csr A = {0};
    struct lcl_read_info info = {0};
    enum lcl_status st = LCL_OK;
    for (int f = 0; f < 3 && st == LCL_OK; ++f)
        st = open_next(&stream[f], &bytes, &size, &log);
    if (st == LCL_OK)
        st = lcl_csr_read_text_streams(&A, stream[0], stream[1], stream[2],
                                       &info);
    if (st == LCL_OK)
        require(lcl_csr_check(&A, NULL) == LCL_OK);
    else
        require(!A.row_ptr && !A.col_ind && !A.val);
    require(errors == (st != LCL_OK));
    lcl_csr_finish(&A);
    for (int f = 0; f < 3; ++f)
        lcl_stream_close(&stream[f]);
}

static void read_vector(const uint8_t *bytes, size_t size)
{
    int errors = 0;
    const struct lcl_log log = {count, &errors, LCL_LOG_ERROR};
    struct lcl_dense X = {0};
    lcl_stream *stream;
    enum lcl_status st = open_next(&stream, &bytes, &size, &log);
    if (st == LCL_OK)
        st = lcl_dense_read_text_stream(&X, stream);
    require((st == LCL_OK) == (X.val != NULL));
    require(errors == (st != LCL_OK));
    lcl_dense_finish(&X);
    lcl_stream_close(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    read_matrix(bytes, size);
    read_vector(bytes, size);
    return 0;
}
