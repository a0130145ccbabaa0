// SPDX-License-Identifier: BSD-3-Clause
// Shared by the subjects of levelbench.
#pragma once

#include "host/buffer.h"

#include "tools/clsolve/profile.h"

#include <levelcl/levelcl.h>

#include <cjson/cJSON.h>

// A figure is the median over this many batches.
enum { BATCHES = 15 };

struct problem {
    const char *name, *rhs; // built-in problem or file; file or NULL
    bool has_rhs;           // b is not A * 1
    struct lcl_csr A;
    const struct lcl_kron *K; // or this; then A has only sizes
    double *b, *x;
    struct lcl_read_info read;
    double read_seconds;
};

// Errors of the library. While `kept` is set, only the first one is stored;
// otherwise all are printed.
struct bench_messages {
    bool explained; // an error was printed
    bool kept;
    char first[256];
};

enum { BLOCKS_MAX = 16 };

struct bench {
    lcl_context *ctx;
    struct bench_messages *messages;
    struct lcl_options options;
    const char *device;
    const struct problem *problem;
    double copy_gbps;
    bool tables;   // prints tables, no lines
    bool weak;     // problems grow with the devices
    bool profile;  // prints the set-up by task
    int random;    // number of additional random right-hand sides
    int seed;      // of the current right-hand side; 0: the problem's own
    int64_t batch; // requested blocks, and rows; 0: as published
    int64_t rows;
    int repeat;                 // set-ups to measure; 0: the default
    int64_t blocks[BLOCKS_MAX]; // requested numbers of subdomains
    int blocks_count;           // 0: as published
};

// ------------------------------------------------------------------- problems

// Loads "NAME" or "A.mtx" or "A.mtx,b.mtx"; overwrites the comma. Without b the
// right-hand side is A * 1. On error *P is fit for bench_unload().
enum lcl_status bench_load(struct problem *P, char *text,
                           const struct lcl_log *log);
// The same for the text files "ROWPTR,COLIND,VAL" or "ROWPTR,COLIND,VAL,RHS";
// overwrites the commas.
enum lcl_status bench_load_text(struct problem *P, char *text,
                                const struct lcl_log *log);
void bench_unload(struct problem *P);

// Fills b with numbers between -1 and 1, the same for the same seed.
void bench_random_rhs(const struct problem *P, int seed);

// ------------------------------------------------------------------- timing

struct times {
    double median, p10, p90; // seconds
};

typedef enum lcl_status (*launch_fn)(void *arg);

// Sorts the seconds.
struct times bench_summary(double seconds[BATCHES]);

// Times the work that `launch` enqueues, in batches that are long enough for
// the timer.
enum lcl_status bench_measure(struct bench *B, launch_fn launch, void *arg,
                              struct times *t);

// ------------------------------------------------------------------- output

// Creates a line of one figure. bench_print() frees it, and prints it unless
// B->tables is set.
cJSON *bench_line(const struct bench *B, const char *op, const char *variant);
// `bytes`: the minimum memory traffic; 0: unknown.
void bench_add_times(cJSON *line, const struct bench *B, const struct times *t,
                     double bytes);
void bench_print(const struct bench *B, cJSON *line);

// ------------------------------------------------------------------- subjects

// An operator, a preconditioner and vectors in their numbering; b holds the
// right-hand side.
struct work {
    lcl_operator *A;
    lcl_precond *M;
    lcl_buffer *b, *x;
};

struct setup {
    double seconds; // of all
    double phase[LCL_PHASE_COUNT];
    struct profile profile;
};

// Creates w->A and w->M from the options, then the vectors. On error *w is fit
// for bench_finish().
enum lcl_status bench_set_up(struct bench *B, struct work *w,
                             const struct lcl_precond_params *params,
                             struct setup *setup);
// The same, executed twice: the second run compiles nothing.
enum lcl_status bench_set_up_again(struct bench *B, struct work *w,
                                   const struct lcl_precond_params *params,
                                   struct setup *setup);
void bench_finish(struct work *w);
// As bench_set_up(). If the method does not support this problem
// (bench_is_refusal()), the reason is in B->messages->first and is not printed.
enum lcl_status bench_try_set_up(struct bench *B, struct work *w,
                                 const struct lcl_precond_params *params,
                                 struct setup *setup);
bool bench_is_refusal(enum lcl_status st);
void bench_print_setup(const struct bench *B, const char *variant,
                       const struct setup *setup);

enum lcl_status bench_time_apply(struct bench *B, struct work *w,
                                 struct times *t);
void bench_print_apply(const struct bench *B, const struct work *w,
                       const struct times *t);

// Reports the second of two solves from x = 0, or the first if it does not
// converge, which is not an error.
enum lcl_status bench_solve_twice(const struct problem *P, lcl_solver *S,
                                  struct lcl_report *report);
// The same; the caller frees *history, report->history_count residuals, with
// lcl_free(). `history` may be NULL.
enum lcl_status bench_run_solver(struct bench *B, const struct work *w,
                                 struct lcl_report *report, double **history);
// Creates the line of a solve. The caller may extend it, and prints it.
cJSON *bench_solve_line(const struct bench *B, const char *variant,
                        const struct lcl_report *report);
void bench_print_solve(const struct bench *B, const char *variant,
                       const struct lcl_report *report);

// Solves the B->random >= 2 random right-hand sides together and prints the
// time beside `one`, the seconds of one of them alone.
enum lcl_status bench_columns(struct bench *B, const struct work *w,
                              double one);

// Measure and print.
enum lcl_status bench_copy(struct bench *B);
enum lcl_status bench_spmv(struct bench *B, struct work *w);
// The inspection of a matrix on which the choice of a method rests, compared
// with a product of host vectors.
enum lcl_status bench_look(struct bench *B, struct work *w);
// A product with the operator alone.
enum lcl_status bench_time_product(struct bench *B, struct work *w,
                                   struct times *t);
enum lcl_status bench_refresh(struct bench *B, struct work *w);
enum lcl_status bench_reference(struct bench *B);
// New values from a device buffer; nothing for a Kronecker system.
enum lcl_status bench_update(struct bench *B, struct work *w);
// A solve that does not block.
enum lcl_status bench_enqueue(struct bench *B, const struct work *w);

// ------------------------------------------------------------------- tables

// The tables of a publication for this device. Problems are added one by one,
// with the options that are set at that time; their names outlive the tables.
struct bench_tables {
    const char *name;
    bool needs_problem;
    bool profile;       // of the context
    size_t state_bytes; // of the state, which is zero at first; 0: no state
    // Completes the state; may set the options to those of the publication.
    // May be NULL.
    void (*create)(void *state, struct lcl_options *options);
    enum lcl_status (*problem)(void *state, struct bench *B);
    // Measures `name` if it is a problem of these tables only; returns whether
    // it is. May be NULL.
    bool (*run_named)(void *state, struct bench *B, const char *name,
                      enum lcl_status *st);
    // Called after the last problem. May be NULL.
    enum lcl_status (*finish)(void *state, struct bench *B);
    // Frees the objects in the state. May be NULL.
    void (*destroy)(void *state);
};

// Mehta et al., arXiv 2508.04917.
extern const struct bench_tables bench_dd;
// Anzt et al.: IDR(s) with scalar and block-Jacobi preconditioners; prints the
// rows of each problem after measuring it, and the counts at the end.
extern const struct bench_tables bench_idr;
// GMRES and FGMRES: the passes over their basis, compared with CLBlast, and
// solves.
extern const struct bench_tables bench_gmres;
// Chen, Liu, Yang: applications of block ILU(0) by hec_level, hec_wait, packed;
// preconditioners by number of subdomains, compared with one core.
extern const struct bench_tables bench_hec;
// Gogusdere's report on row-binned CG.
extern const struct bench_tables bench_cg;
// Anzt et al.: batched inversion, `batch:ROWS,COUNT` by name or as many blocks
// as published; set-up of block-Jacobi by extraction, and its application.
extern const struct bench_tables bench_bgje;

// Ma et al.: products with Kronecker operators and the parts of a solve for
// `kron:S`, by name or as published and with more stages; for `radau:S,N`
// solves without and with each preconditioner.
extern const struct bench_tables bench_kron;

// Levels of algebraic multigrid, its cycle by step, set-up by task.
extern const struct bench_tables bench_amg;

// Preconditioners with more and more entries in their factors.
extern const struct bench_tables bench_fill;

// Many methods on each problem, compared with the one that the library chooses.
extern const struct bench_tables bench_grid;

// The same system on 1, 2, 4, ... devices of one kind.
extern const struct bench_tables bench_multi;

// Set-ups by task.
extern const struct bench_tables bench_setup;

// Part of bench_hec: prints the table of the problem row by row.
enum lcl_status bench_blocks(struct bench *B);

// Part of bench_bgje: set-up and application for matrices of n rows (0: as many
// as published, fewer on a CPU); set-up for the problem by extraction and
// bound.
enum lcl_status bench_block_jacobi(struct bench *B, int64_t n);
enum lcl_status bench_block_jacobi_problem(struct bench *B);
