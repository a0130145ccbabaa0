// SPDX-License-Identifier: BSD-3-Clause
// The example of the README: solves a 32 x 32 x 32 grid on any device.
#include <levelcl/levelcl.h>
#include <stdio.h>

int main(void)
{
    static double b[32 * 32 * 32] = {1}, x[32 * 32 * 32];
    static struct lcl_context_params params;
    struct lcl_csr A = LCL_CSR_INIT;
    lcl_context *ctx = NULL;
    lcl_operator *op = NULL;
    lcl_chain *C = NULL;
    struct lcl_report report = LCL_REPORT_INIT;
    params.log.fn = lcl_log_stderr;
    params.log.level = LCL_LOG_WARN;
    if (lcl_csr_problem(&A, "lap3d:32", &params.log) == LCL_OK &&
        lcl_context_create(&ctx, &params) == LCL_OK &&
        lcl_operator_create(&op, ctx, &A, NULL) == LCL_OK &&
        lcl_chain_create(&C, op, NULL, NULL) >= LCL_OK &&
        lcl_chain_solve(C, b, x, &report) == LCL_OK)
        printf("x[0] = %.6f, %d iterations\n", x[0], report.iterations);
    lcl_chain_destroy(&C);
    lcl_operator_destroy(&op);
    lcl_context_destroy(&ctx);
    lcl_csr_finish(&A);
    return report.stop > 0 ? 0 : 1;
}
