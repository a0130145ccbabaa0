// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes, also compressed ones, through both readers. In
// addition to the checks of the sanitizers, an accepted matrix must be well
// formed and a refusal must produce exactly one message.
#include "lib/io/read.h"
#include "tests/fuzz/checks.h"

#include <levelcl/matrix.h>

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static enum lcl_status read_csr(lcl_stream *stream)
{
    struct lcl_csr A = {0};
    struct lcl_read_info info = {0};
    const enum lcl_status st = lcl_read_stream(&A, NULL, stream, &info);
    if (st == LCL_OK)
        require(lcl_csr_check(&A, NULL) == LCL_OK);
    else
        require(!A.row_ptr && !A.col_ind && !A.val);
    lcl_csr_finish(&A);
    return st;
}

static enum lcl_status read_dense(lcl_stream *stream)
{
    struct lcl_dense X = {0};
    struct lcl_read_info info = {0};
    const enum lcl_status st = lcl_read_stream(NULL, &X, stream, &info);
    require((st == LCL_OK) == (X.val != NULL));
    lcl_dense_finish(&X);
    return st;
}

static void read_with(enum lcl_status (*read)(lcl_stream *),
                      const uint8_t *bytes, size_t size)
{
    int errors = 0;
    const struct lcl_log log = {count, &errors, LCL_LOG_ERROR};
    lcl_stream *stream;
    enum lcl_status st =
        lcl_stream_open_memory(&stream, "fuzz", bytes, size, &log);
    if (st == LCL_OK)
        st = read(stream);
    lcl_stream_close(&stream);
    require(errors == (st != LCL_OK));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    read_with(read_csr, bytes, size);
    read_with(read_dense, bytes, size);
    return 0;
}
