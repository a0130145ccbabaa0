// SPDX-License-Identifier: BSD-3-Clause
// A program with an OpenCL context and queue of its own: implicit time steps of
// the heat equation whose conductivity changes. Its kernels compute matrix and
// right-hand side, levelcl solves; nothing passes through the host, which
// checks the end by steps with a direct solver. usage: ./a.out timesteps.cl
//
//     cc timesteps.c $(pkg-config --cflags --libs levelcl OpenCL) -lm
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
# define CL_USE_DEPRECATED_OPENCL_1_2_APIS 1 // clCreateCommandQueue()
#endif
#include <levelcl/opencl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    N = 32, // inner points along x and y
    ROWS = N * N,
    ENTRIES = 5 * ROWS - 4 * N,
    STEPS = 6,
    NO_DEVICE = 77,
};

static const cl_int points = N;
static const double dt = 0.02;

// Ends the program if something went wrong.
static void need(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "timesteps: failed to %s\n", what);
    exit(1);
}

// -------------------------------------------------------------------- OpenCL

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel values, right_hand_side;
};

// The first device with double precision; NULL: none.
static cl_device_id find_device(void)
{
    enum { MOST = 16 };
    cl_platform_id platforms[MOST];
    cl_uint count = 0;
    clGetPlatformIDs(MOST, platforms, &count);
    for (cl_uint p = 0; p < count && p < MOST; ++p) {
        cl_device_id device;
        cl_device_fp_config fp64 = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device,
                           NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64,
                            &fp64, NULL) == CL_SUCCESS &&
            fp64 != 0)
            return device;
    }
    return NULL;
}

static cl_program build(const struct opencl *cl, const char *path)
{
    static char text[1 << 14];
    const char *source = text;
    cl_int code;
    FILE *file = fopen(path, "r");
    need(file != NULL, "open the kernels");
    const size_t length = fread(text, 1, sizeof text, file);
    need(feof(file) && fclose(file) == 0, "read the kernels");
    cl_program program =
        clCreateProgramWithSource(cl->context, 1, &source, &length, &code);
    need(code == CL_SUCCESS && clBuildProgram(program, 1, &cl->device, "", NULL,
                                              NULL) == CL_SUCCESS,
         "build the kernels");
    return program;
}

static void open_opencl(struct opencl *cl, const char *path)
{
    cl_int code, code2;
    cl->device = find_device();
    if (!cl->device)
        exit(NO_DEVICE);
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, &code);
    need(code == CL_SUCCESS, "create a context");
    cl->queue = clCreateCommandQueue(cl->context, cl->device, 0, &code);
    need(code == CL_SUCCESS, "create a queue");
    cl->program = build(cl, path);
    cl->values = clCreateKernel(cl->program, "values", &code);
    cl->right_hand_side =
        clCreateKernel(cl->program, "right_hand_side", &code2);
    need(code == CL_SUCCESS && code2 == CL_SUCCESS, "create the kernels");
}

static void close_opencl(const struct opencl *cl)
{
    clReleaseKernel(cl->right_hand_side);
    clReleaseKernel(cl->values);
    clReleaseProgram(cl->program);
    clReleaseCommandQueue(cl->queue);
    clReleaseContext(cl->context);
}

// A buffer with a copy of `data`; NULL: with zeros.
static cl_mem buffer(const struct opencl *cl, size_t bytes, const void *data)
{
    static const char zeros[ENTRIES * sizeof(double)];
    cl_int code;
    cl_mem mem =
        clCreateBuffer(cl->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    need(code == CL_SUCCESS &&
             clEnqueueWriteBuffer(cl->queue, mem, CL_TRUE, 0, bytes,
                                  data ? data : zeros, 0, NULL,
                                  NULL) == CL_SUCCESS,
         "create a buffer");
    return mem;
}

// --------------------------------------------------------------------- steps

struct heat {
    struct lcl_csr_cl matrix;
    cl_mem u, b;
};

static void create_heat(struct heat *H, const struct opencl *cl)
{
    static int64_t row_ptr[ROWS + 1];
    static int32_t col_ind[ENTRIES];
    int64_t k = 0;
    for (int32_t row = 0; row < ROWS; ++row) {
        const int32_t offset[] = {-N, -1, 0, 1, N};
        const bool inside[] = {row >= N, row % N > 0, true, row % N < N - 1,
                               row < ROWS - N};
        for (int side = 0; side < 5; ++side)
            if (inside[side])
                col_ind[k++] = row + offset[side];
        row_ptr[row + 1] = k;
    }
    H->matrix = (struct lcl_csr_cl){
        .rows = ROWS,
        .cols = ROWS,
        .nnz = ENTRIES,
        .row_ptr.mem = buffer(cl, sizeof row_ptr, row_ptr),
        .col_ind.mem = buffer(cl, sizeof col_ind, col_ind),
        .val.mem = buffer(cl, ENTRIES * sizeof(double), NULL),
    };
    H->u = buffer(cl, ROWS * sizeof(double), NULL);
    H->b = buffer(cl, ROWS * sizeof(double), NULL);
}

static void destroy_heat(const struct heat *H)
{
    clReleaseMemObject(H->matrix.row_ptr.mem);
    clReleaseMemObject(H->matrix.col_ind.mem);
    clReleaseMemObject(H->matrix.val.mem);
    clReleaseMemObject(H->u);
    clReleaseMemObject(H->b);
}

static void launch(const struct opencl *cl, cl_kernel kernel)
{
    const size_t rows = ROWS;
    need(clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &rows, NULL, 0,
                                NULL, NULL) == CL_SUCCESS,
         "launch a kernel");
}

static void set(cl_kernel kernel, cl_uint at, size_t size, const void *value)
{
    need(clSetKernelArg(kernel, at, size, value) == CL_SUCCESS,
         "set an argument");
}

static void compute_values(const struct opencl *cl, const struct heat *H,
                           double t)
{
    set(cl->values, 0, sizeof points, &points);
    set(cl->values, 1, sizeof dt, &dt);
    set(cl->values, 2, sizeof t, &t);
    set(cl->values, 3, sizeof(cl_mem), &H->matrix.row_ptr.mem);
    set(cl->values, 4, sizeof(cl_mem), &H->matrix.val.mem);
    launch(cl, cl->values);
}

static void compute_right_hand_side(const struct opencl *cl,
                                    const struct heat *H)
{
    set(cl->right_hand_side, 0, sizeof points, &points);
    set(cl->right_hand_side, 1, sizeof dt, &dt);
    set(cl->right_hand_side, 2, sizeof(cl_mem), &H->u);
    set(cl->right_hand_side, 3, sizeof(cl_mem), &H->b);
    launch(cl, cl->right_hand_side);
}

// All on the caller's queue, whose order is that of the calls.
static void step(const struct opencl *cl, const struct heat *H, lcl_operator *A,
                 lcl_precond *M, lcl_solver *S, double t)
{
    const struct lcl_solve_cl system = {.b = {H->b, 0}, .x = {H->u, 0}};
    struct lcl_report report = LCL_REPORT_INIT;
    compute_values(cl, H, t);
    compute_right_hand_side(cl, H);
    need(lcl_operator_update_cl(A, &H->matrix.val, NULL) == LCL_OK &&
             lcl_precond_update(M) == LCL_OK,
         "take the values");
    need(lcl_solver_solve_cl(S, &system, &report) == LCL_OK, "solve");
    printf("t = %.2f: %d iterations, residual %.1e\n", t, report.iterations,
           report.true_residual);
}

static void run(const struct opencl *cl, const struct heat *H)
{
    const struct lcl_context_params context = {
        .log = {.fn = lcl_log_stderr, .level = LCL_LOG_WARN}};
    const struct lcl_precond_params precond = {.type = LCL_PRECOND_IC0};
    const struct lcl_solver_params solver = {.type = LCL_SOLVER_CG,
                                             .rtol = 1e-10};
    lcl_context *ctx = NULL;
    lcl_operator *A = NULL;
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    need(lcl_context_create_cl(&ctx, cl->context, cl->device, cl->queue,
                               &context) == LCL_OK,
         "open levelcl");
    compute_values(cl, H, dt);
    need(lcl_operator_create_cl(&A, ctx, &H->matrix, NULL, NULL) == LCL_OK &&
             lcl_precond_create(&M, A, &precond) == LCL_OK &&
             lcl_solver_create(&S, A, M, &solver) == LCL_OK,
         "create the solver");
    for (int k = 1; k <= STEPS; ++k)
        step(cl, H, A, M, S, k * dt);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&A);
    lcl_context_destroy(&ctx);
}

// --------------------------------------------------------------------- check

// The lower band of a symmetric matrix: entry (i, j) is band[i][i - j].
static double band[ROWS][N + 1];

static double conductivity(double x, double y, double t)
{
    return 1 + 0.9 * sin(6 * x + 4 * t) * cos(5 * y - 3 * t);
}

static void fill_band(double t)
{
    const double h = 1.0 / (N + 1), scale = dt / (h * h);
    for (int row = 0; row < ROWS; ++row) {
        const double x = (row % N + 1) * h, y = (row / N + 1) * h;
        const double south = scale * conductivity(x, y - h / 2, t);
        const double west = scale * conductivity(x - h / 2, y, t);
        for (int d = 0; d <= N; ++d)
            band[row][d] = 0;
        band[row][0] = 1 + south + west +
                       scale * conductivity(x + h / 2, y, t) +
                       scale * conductivity(x, y + h / 2, t);
        if (row % N > 0)
            band[row][1] = -west;
        if (row >= N)
            band[row][N] = -south;
    }
}

// A = L L^T in place.
static void factor_band(void)
{
    for (int i = 0; i < ROWS; ++i)
        for (int j = i < N ? 0 : i - N; j <= i; ++j) {
            double sum = band[i][i - j];
            for (int k = i < N ? 0 : i - N; k < j; ++k)
                sum -= band[i][i - k] * band[j][j - k];
            band[i][i - j] = i == j ? sqrt(sum) : sum / band[j][0];
        }
}

// Solves L L^T x = b, x holds b on entry.
static void solve_band(double *x)
{
    for (int i = 0; i < ROWS; ++i) {
        for (int j = i < N ? 0 : i - N; j < i; ++j)
            x[i] -= band[i][i - j] * x[j];
        x[i] /= band[i][0];
    }
    for (int i = ROWS - 1; i >= 0; --i) {
        x[i] /= band[i][0];
        for (int j = i < N ? 0 : i - N; j < i; ++j)
            x[j] -= band[i][i - j] * x[i];
    }
}

// The same steps with a direct solver.
static void run_on_host(double *u)
{
    const double h = 1.0 / (N + 1);
    for (int row = 0; row < ROWS; ++row)
        u[row] = 0;
    for (int k = 1; k <= STEPS; ++k) {
        for (int row = 0; row < ROWS; ++row)
            u[row] += dt * (row % N + 1) * h * (1 - (row / N + 1) * h);
        fill_band(k * dt);
        factor_band();
        solve_band(u);
    }
}

static double largest_difference(const double *x, const double *y)
{
    double difference = 0, largest = 0;
    for (int row = 0; row < ROWS; ++row) {
        difference = fmax(difference, fabs(x[row] - y[row]));
        largest = fmax(largest, fabs(y[row]));
    }
    return difference / largest;
}

int main(int argc, char **argv)
{
    static double u[ROWS], expected[ROWS];
    struct opencl cl;
    struct heat H;
    need(argc == 2, "find the argument timesteps.cl");
    open_opencl(&cl, argv[1]);
    create_heat(&H, &cl);
    run(&cl, &H);
    need(clEnqueueReadBuffer(cl.queue, H.u, CL_TRUE, 0, sizeof u, u, 0, NULL,
                             NULL) == CL_SUCCESS,
         "read the temperature");
    destroy_heat(&H);
    close_opencl(&cl);
    run_on_host(expected);
    const double difference = largest_difference(u, expected);
    printf("largest difference from a direct solver: %.1e\n", difference);
    return difference < 1e-8 ? 0 : 1;
}
