// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes, also compressed ones, as a PETSc binary file. In
// addition to the checks of the sanitizers, accepted input must be well formed
// and a refusal must produce exactly one message.
#include "lib/io/petsc.h"
#include "tests/fuzz/checks.h"

#include <levelcl/matrix.h>

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const struct lcl_csr *A, const struct lcl_dense *X)
{
    require((A->row_ptr != NULL) + (X->val != NULL) == 1);
    if (A->row_ptr)
        require(lcl_csr_check(A, NULL) == LCL_OK);
    for (int64_t i = 0; X->val && i < X->rows; ++i)
        require(isfinite(X->val[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int errors = 0;
    const struct lcl_log log = {count, &errors, LCL_LOG_ERROR};
    struct lcl_csr A = {0};
    struct lcl_dense X = {0};
    struct lcl_read_info info = {0};
    lcl_stream *stream;
    enum lcl_status st =
        lcl_stream_open_memory(&stream, "fuzz", bytes, size, &log);
    if (st == LCL_OK)
        st = lcl_petsc_read(&A, &X, stream, &info);
    lcl_stream_close(&stream);
    if (st == LCL_OK)
        check(&A, &X);
    else
        require(!A.row_ptr && !A.col_ind && !A.val && !X.val);
    require(errors == (st != LCL_OK));
    lcl_csr_finish(&A);
    lcl_dense_finish(&X);
    return 0;
}
