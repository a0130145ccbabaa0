// SPDX-License-Identifier: BSD-3-Clause
// levelbench idr: IDR(s) with scalar and block-Jacobi preconditioners, as in
// section 4.5 of Anzt et al. (2019): from the left, b random in [0, 1), a
// reduction by nine orders of magnitude, at most 50,000 products. The fastest
// setting has the least time for set-up and solve together.
#include "tools/levelbench/bench.h"

#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 50000, NAME = 32 };

// Maximum rows of a block; 1: the scalar preconditioner.
static const int bounds[] = {1, 4, 8, 12, 16, 24, 32};
enum { SETTINGS = sizeof bounds / sizeof *bounds };

struct figures {
    bool known;
    double setup;
    struct lcl_report report;
};

// Of two bounds a and b: problems that only a solves, that both solve and a
// faster, that both solve and b faster, that only b solves.
enum { ONLY_A, A_FASTER, B_FASTER, ONLY_B, DUELS };

struct tables {
    int problems, converged[SETTINGS], won[SETTINGS];
    int duel[SETTINGS][SETTINGS][DUELS];
};

static void name_setting(char name[NAME], int setting)
{
    if (bounds[setting] == 1)
        snprintf(name, NAME, "%s", lcl_precond_name(LCL_PRECOND_JACOBI));
    else
        snprintf(name, NAME, "%s(%d)",
                 lcl_precond_name(LCL_PRECOND_BLOCK_JACOBI), bounds[setting]);
}

static struct lcl_precond_params setting_params(const struct bench *B,
                                                int setting)
{
    struct lcl_precond_params params = B->options.precond;
    params.type =
        bounds[setting] == 1 ? LCL_PRECOND_JACOBI : LCL_PRECOND_BLOCK_JACOBI;
    params.block_jacobi.max_rows = bounds[setting] == 1 ? 0 : bounds[setting];
    return params;
}

// ------------------------------------------------------------------- figures

static enum lcl_status measure(struct bench *B, int setting, struct figures *f)
{
    const struct lcl_precond_params params = setting_params(B, setting);
    struct work w;
    struct setup setup;
    enum lcl_status st = bench_set_up_again(B, &w, &params, &setup);
    if (st == LCL_OK)
        st = bench_run_solver(B, &w, &f->report, NULL);
    bench_finish(&w);
    f->known = st == LCL_OK;
    f->setup = setup.seconds;
    return st;
}

static bool has_converged(const struct figures *f)
{
    return f->known && f->report.stop > 0;
}

static double total(const struct figures *f)
{
    return f->setup + f->report.seconds;
}

// The fastest setting that converged, or -1.
static int winner(const struct figures f[SETTINGS])
{
    int best = -1;
    for (int s = 0; s < SETTINGS; ++s)
        if (has_converged(&f[s]) &&
            (best < 0 || total(&f[s]) < total(&f[best])))
            best = s;
    return best;
}

static void add_duels(struct tables *idr, const struct figures f[SETTINGS])
{
    for (int a = 0; a < SETTINGS; ++a)
        for (int b = 0; b < SETTINGS; ++b) {
            int *const duel = idr->duel[a][b];
            const bool by_a = has_converged(&f[a]), by_b = has_converged(&f[b]);
            const bool first = by_a && by_b && total(&f[a]) <= total(&f[b]);
            duel[ONLY_A] += by_a && !by_b;
            duel[A_FASTER] += first;
            duel[B_FASTER] += by_a && by_b && !first;
            duel[ONLY_B] += by_b && !by_a;
        }
}

// ------------------------------------------------------------------- printing

static const char *short_name(const struct bench *B)
{
    const char *slash = strrchr(B->problem->name, '/');
    return slash ? slash + 1 : B->problem->name;
}

static void print_row(const struct bench *B, int setting,
                      const struct figures *f, bool won)
{
    char name[NAME];
    name_setting(name, setting);
    if (!B->tables) {
        cJSON *line = bench_line(B, "idr", name);
        cJSON_AddNumberToObject(line, "setup_ms", 1e3 * f->setup);
        cJSON_AddNumberToObject(line, "solve_ms", 1e3 * f->report.seconds);
        cJSON_AddNumberToObject(line, "iters", f->report.iterations);
        cJSON_AddNumberToObject(line, "relres", f->report.true_residual);
        cJSON_AddStringToObject(line, "stop", lcl_stop_name(f->report.stop));
        cJSON_AddBoolToObject(line, "won", won);
        bench_print(B, line);
        return;
    }
    printf("%-24.24s %-18s %10d %10.3f %10.3f  %9.2e  %s%s\n",
           setting == 0 ? short_name(B) : "", name, f->report.iterations,
           1e3 * f->setup, 1e3 * f->report.seconds, f->report.true_residual,
           lcl_stop_name(f->report.stop), won ? ", fastest" : "");
    fflush(stdout);
}

static void print_head(const struct bench *B)
{
    if (B->tables)
        printf("%-24s %-18s %10s %10s %10s  %9s  %s\n", "problem",
               "preconditioner", "iterations", "set-up ms", "solve ms",
               "residual", "end");
}

// Pairs of bounds; the scalar preconditioner is none.
static void print_duels(const struct tables *idr)
{
    printf("\nFigure 13: block-Jacobi(x) compared with block-Jacobi(y), number "
           "of problems\n%5s %5s %8s %10s %10s %8s\n",
           "x", "y", "only x", "x faster", "y faster", "only y");
    for (int a = 1; a < SETTINGS; ++a)
        for (int b = a + 1; b < SETTINGS; ++b) {
            const int *const duel = idr->duel[a][b];
            printf("%5d %5d %8d %10d %10d %8d\n", bounds[a], bounds[b],
                   duel[ONLY_A], duel[A_FASTER], duel[B_FASTER], duel[ONLY_B]);
        }
}

static void print_all(const struct tables *idr)
{
    printf("\nFigure 12: number of problems\n%-18s %10s %10s\n",
           "preconditioner", "converged", "fastest");
    for (int s = 0; s < SETTINGS; ++s) {
        char name[NAME];
        name_setting(name, s);
        printf("%-18s %7d/%-3d %9d\n", name, idr->converged[s], idr->problems,
               idr->won[s]);
    }
    print_duels(idr);
}

// ------------------------------------------------------------------- problems

static void set_rhs(const struct bench *B)
{
    bench_random_rhs(B->problem, 1);
    for (int64_t i = 0; i < B->problem->A.rows; ++i)
        B->problem->b[i] = (B->problem->b[i] + 1) / 2;
}

static struct lcl_solver_params solver_params(struct lcl_solver_params p)
{
    p.type = LCL_SOLVER_IDR;
    p.side = p.side == LCL_SIDE_DEFAULT ? LCL_SIDE_LEFT : p.side;
    p.rtol = p.rtol > 0 ? p.rtol : 1e-9;
    p.max_iters = p.max_iters > 0 ? p.max_iters : ITERATIONS;
    p.stagnation = p.stagnation > 0 ? p.stagnation : p.max_iters;
    return p;
}

// Omits settings that the device cannot run.
static enum lcl_status measure_all(struct bench *B, struct figures f[SETTINGS])
{
    enum lcl_status st = LCL_OK;
    for (int s = 0; s < SETTINGS && st >= 0; ++s) {
        st = measure(B, s, &f[s]);
        st = st == LCL_EUNSUPPORTED ? LCL_OK : st;
    }
    return st;
}

static enum lcl_status add_problem(void *state, struct bench *B)
{
    struct tables *idr = state;
    const struct lcl_solver_params asked = B->options.solver;
    struct figures f[SETTINGS] = {{.known = false}};
    B->options.solver = solver_params(asked);
    set_rhs(B);
    const enum lcl_status st = measure_all(B, f);
    B->options.solver = asked;
    if (st < 0)
        return st;
    const int best = winner(f);
    add_duels(idr, f);
    if (idr->problems++ == 0)
        print_head(B);
    for (int s = 0; s < SETTINGS; ++s) {
        idr->converged[s] += has_converged(&f[s]);
        idr->won[s] += s == best;
        if (f[s].known)
            print_row(B, s, &f[s], s == best);
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- life

static enum lcl_status finish(void *state, struct bench *B)
{
    if (B->tables)
        print_all(state);
    return LCL_OK;
}

const struct bench_tables bench_idr = {
    .name = "idr",
    .state_bytes = sizeof(struct tables),
    .needs_problem = true,
    .problem = add_problem,
    .finish = finish,
};
