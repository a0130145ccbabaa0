// SPDX-License-Identifier: BSD-3-Clause
// The tables of levelbench dd; those of the figures of the publication list the
// numbers that they draw.
#include "tools/levelbench/published/dd.h"
#include "tools/levelbench/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 128 };

static const char mean_name[] = "geometric mean";

static int problem_width(const struct dd_tables *dd)
{
    int width = bench_table_wider((int)strlen(mean_name), "problem");
    for (size_t r = 0; r < dd->count; ++r)
        width = bench_table_wider(width, dd->rows[r].problem);
    return width;
}

static void print_head(const struct dd_tables *dd, const char *title,
                       const char *const *heads)
{
    bench_table_head(problem_width(dd), title, heads);
}

static void print_problem(const struct dd_tables *dd, const struct dd_row *row)
{
    printf("%-*s", problem_width(dd), row->problem);
}

static void print_known(const char *head, bool known, const char *format,
                        double value)
{
    char text[32];
    snprintf(text, sizeof text, format, value);
    bench_table_cell(head, "%s", known ? text : "-");
}

// ------------------------------------------------------------------- columns

// The value of a variant in a table, in seconds or 10^9 bytes per second; 0:
// unknown.
typedef double value_fn(const struct dd_row *row, enum dd_variant v);

static double lower_seconds(const struct dd_row *row, enum dd_variant v)
{
    const struct dd_figures *f = &row->of[v];
    return f->known & DD_LOWER ? f->lower.median : 0;
}

static double apply_seconds(const struct dd_row *row, enum dd_variant v)
{
    const struct dd_figures *f = &row->of[v];
    return f->known & DD_APPLY ? f->apply.median : 0;
}

static bool converged(const struct dd_figures *f)
{
    return f->known & DD_SOLVE &&
           (f->report.stop == LCL_STOP_RTOL || f->report.stop == LCL_STOP_ATOL);
}

static double solve_seconds(const struct dd_row *row, enum dd_variant v)
{
    const struct dd_figures *f = &row->of[v];
    return converged(f) ? f->report.seconds : 0;
}

// Partitioning and the generation of the DAG.
static double overhead(const struct dd_figures *f)
{
    return f->setup.phase[LCL_PHASE_PARTITION] +
           f->setup.phase[LCL_PHASE_SYMBOLIC];
}

// The baseline has no such overhead.
static double total_seconds(const struct dd_row *row, enum dd_variant v)
{
    const double solve = solve_seconds(row, v);
    return v == DD_WHOLE || solve == 0 ? solve : solve + overhead(&row->of[v]);
}

static struct dd_traffic apply_gbps(const struct dd_figures *f)
{
    if (!(f->known & DD_APPLY))
        return (struct dd_traffic){0, 0};
    const struct dd_traffic bytes = dd_apply_traffic(&f->info);
    const double each = 1e-9 / f->apply.median;
    return (struct dd_traffic){each * bytes.read, each * bytes.write};
}

static double read_gbps(const struct dd_row *row, enum dd_variant v)
{
    return apply_gbps(&row->of[v]).read;
}

static double write_gbps(const struct dd_row *row, enum dd_variant v)
{
    return apply_gbps(&row->of[v]).write;
}

// A table with a column for each of `count` variants.
struct columns {
    const enum dd_variant *variant;
    int count;
};

static void print_values(const struct dd_tables *dd, const char *title,
                         const struct columns *c, value_fn *value,
                         double factor, const char *format)
{
    const char *heads[DD_VARIANTS + 1] = {NULL};
    for (int k = 0; k < c->count; ++k)
        heads[k] = dd_name(c->variant[k]);
    print_head(dd, title, heads);
    for (size_t r = 0; r < dd->count; ++r) {
        print_problem(dd, &dd->rows[r]);
        for (int k = 0; k < c->count; ++k) {
            const double x = value(&dd->rows[r], c->variant[k]);
            print_known(heads[k], x > 0, format, factor * x);
        }
        putchar('\n');
    }
}

static double speed_up(const struct dd_row *row, enum dd_variant v,
                       value_fn *value)
{
    const double base = value(row, DD_WHOLE), own = value(row, v);
    return base > 0 && own > 0 ? base / own : 0;
}

// A column of speed-ups.
struct speed_up {
    const char *head;
    enum dd_variant variant;
    value_fn *value;
};

static void print_means(const struct dd_tables *dd, const struct speed_up *c,
                        int count)
{
    printf("%-*s", problem_width(dd), mean_name);
    for (int k = 0; k < count; ++k) {
        double sum = 0;
        int known = 0;
        for (size_t r = 0; r < dd->count; ++r) {
            const double x = speed_up(&dd->rows[r], c[k].variant, c[k].value);
            sum += x > 0 ? log(x) : 0;
            known += x > 0;
        }
        print_known(c[k].head, known > 0, "%.3g", exp(sum / fmax(known, 1)));
    }
    putchar('\n');
}

static void print_speed_ups(const struct dd_tables *dd, const char *title,
                            const struct speed_up *c, int count)
{
    const char *heads[DD_VARIANTS + 1] = {NULL};
    for (int k = 0; k < count; ++k)
        heads[k] = c[k].head;
    print_head(dd, title, heads);
    for (size_t r = 0; r < dd->count; ++r) {
        print_problem(dd, &dd->rows[r]);
        for (int k = 0; k < count; ++k) {
            const double x = speed_up(&dd->rows[r], c[k].variant, c[k].value);
            print_known(heads[k], x > 0, "%.3g", x);
        }
        putchar('\n');
    }
    print_means(dd, c, count);
}

static void print_variant_speed_ups(const struct dd_tables *dd,
                                    const char *title, const struct columns *c,
                                    value_fn *value)
{
    struct speed_up all[DD_VARIANTS];
    for (int k = 0; k < c->count; ++k)
        all[k] =
            (struct speed_up){dd_name(c->variant[k]), c->variant[k], value};
    print_speed_ups(dd, title, all, c->count);
}

// ------------------------------------------------------------------- tables

static void print_kernels(const struct dd_tables *dd)
{
    static const char *const heads[] = {"kernel", "ms", "read GB/s",
                                        "write GB/s", NULL};
    print_head(dd,
               "Table 2.1: bandwidth, least traffic over time, of kernels of "
               "BiCGSTAB with ILU0 of the whole matrix",
               heads);
    for (size_t r = 0; r < dd->count; ++r)
        for (int k = 0; k < DD_KERNELS; ++k) {
            const struct dd_kernel *kernel = &dd->rows[r].kernel[k];
            if (!kernel->name)
                continue;
            const double each = 1e-9 / kernel->t.median;
            print_problem(dd, &dd->rows[r]);
            bench_table_cell(heads[0], "%s", kernel->name);
            bench_table_cell(heads[1], "%.4f", 1e3 * kernel->t.median);
            bench_table_cell(heads[2], "%.2f", each * kernel->traffic.read);
            bench_table_cell(heads[3], "%.2f", each * kernel->traffic.write);
            putchar('\n');
        }
}

static void print_shares(const struct dd_tables *dd)
{
    static const char *const heads[] = {"triangular", "product", "BiCGSTAB",
                                        "other", NULL};
    print_head(dd,
               "Figure 1.1: kernels of BiCGSTAB with ILU0 of the whole matrix, "
               "% of their time",
               heads);
    for (size_t r = 0; r < dd->count; ++r) {
        const struct phases *p = &dd->rows[r].phases;
        const double each[] = {p->precond, p->product, p->method, p->other};
        const double sum = phases_sum(p) - p->between - p->communication;
        print_problem(dd, &dd->rows[r]);
        for (int k = 0; k < 4; ++k)
            print_known(heads[k], sum > 0, "%.1f", 100 * each[k] / sum);
        putchar('\n');
    }
}

// Prints the partitions of the fused edge-centric variant; the other variants
// have the same, if their limits allow.
static void print_partitions(const struct dd_tables *dd)
{
    static const char *const heads[] = {
        "storage",    "algorithm", "rows per subdomain",
        "subdomains", "nonzeros",  "kept",
        "dropped %",  "seconds",   NULL};
    print_head(dd, "Table 5.4: impact of partitioning", heads);
    for (const struct dd_row *row = dd->rows; row < dd->rows + dd->count;
         ++row) {
        const struct dd_figures *f = &row->of[DD_EC_FUSED];
        const struct lcl_precond_info *info = &f->info;
        const double dropped = (double)(info->nnz - info->nnz_kept);
        if (!f->known)
            continue;
        print_problem(dd, row);
        if (row->block > 1)
            bench_table_cell(heads[0], "BSR %d", row->block);
        else
            bench_table_cell(heads[0], "CSR");
        bench_table_cell(heads[1], "%s",
                         lcl_partition_name(info->factors.partition));
        bench_table_cell(heads[2], "%lld",
                         (long long)info->factors.part_rows_max);
        bench_table_cell(heads[3], "%lld", (long long)info->factors.parts);
        bench_table_cell(heads[4], "%lld", (long long)info->nnz);
        bench_table_cell(heads[5], "%lld", (long long)info->nnz_kept);
        bench_table_cell(heads[6], "%.2f", 100 * dropped / (double)info->nnz);
        bench_table_cell(heads[7], "%.3f", f->setup.phase[LCL_PHASE_PARTITION]);
        putchar('\n');
    }
}

// Lists variants whose subdomains differ from those of Table 5.4.
static void print_other_subdomains(const struct dd_tables *dd)
{
    for (const struct dd_row *row = dd->rows; row < dd->rows + dd->count; ++row)
        for (int v = DD_SPIN_LOOP_LDS; v < DD_VARIANTS; ++v) {
            const struct dd_figures *f = &row->of[v];
            if (f->known && f->info.factors.part_rows_max !=
                                row->of[DD_EC_FUSED].info.factors.part_rows_max)
                printf("%s: %s has subdomains of %lld rows\n", row->problem,
                       dd_name((enum dd_variant)v),
                       (long long)f->info.factors.part_rows_max);
        }
}

static void print_solve(const char *const *heads, const struct dd_figures *base,
                        const struct dd_figures *f)
{
    const bool known = base->known & DD_SOLVE;
    const bool both = converged(base) && converged(f);
    const double ratio =
        (double)f->report.iterations / fmax((double)base->report.iterations, 1);
    print_known(heads[0], known, "%.0f", base->report.iterations);
    print_known(heads[1], known, "%.4f", base->report.seconds);
    bench_table_cell(heads[2], "%s",
                     known ? lcl_stop_name(base->report.stop) : "-");
    bench_table_cell(heads[3], "%d", f->report.iterations);
    print_known(heads[4], both, "%.2f", ratio);
    bench_table_cell(heads[5], "%.4f", overhead(f));
    bench_table_cell(heads[6], "%.4f", f->report.seconds);
    bench_table_cell(heads[7], "%s", lcl_stop_name(f->report.stop));
    bench_table_cell(heads[8], "%.2e", f->report.true_residual);
    bench_table_cell(heads[9], "%.4f", f->setup.phase[LCL_PHASE_NUMERIC]);
}

// A solve with the baseline, and a solve with the variant; the overhead is that
// of partitioning and of the levels.
static void print_solves(const struct dd_tables *dd, const char *number,
                         enum dd_variant v)
{
    static const char *const heads[] = {"base iters", "base s", "base stop",
                                        "iterations", "times",  "overhead s",
                                        "solve s",    "stop",   "residual",
                                        "factors s",  NULL};
    char title[TEXT];
    bool known = false;
    for (size_t r = 0; r < dd->count; ++r)
        known |= dd->rows[r].of[v].known & DD_SOLVE;
    if (!known)
        return;
    snprintf(title, sizeof title,
             "%sBiCGSTAB with %s, base: ILU0 of the whole matrix by hec_level",
             number, dd_name(v));
    print_head(dd, title, heads);
    for (size_t r = 0; r < dd->count; ++r) {
        const struct dd_row *row = &dd->rows[r];
        if (!(row->of[v].known & DD_SOLVE))
            continue;
        print_problem(dd, row);
        print_solve(heads, &row->of[DD_WHOLE], &row->of[v]);
        putchar('\n');
    }
}

// ------------------------------------------------------------------- residuals

enum { POINTS = 20 }; // of a curve

static void print_residual(const char *head, const struct dd_figures *f, int i)
{
    const bool known = f->known && i < f->report.history_count;
    print_known(head, known, "%.3e", known ? f->history[i] : 0);
}

static int longest_history(const struct dd_row *row, const struct columns *c)
{
    int longest = 0;
    for (int k = 0; k < c->count; ++k) {
        const struct dd_figures *f = &row->of[c->variant[k]];
        if (f->known && f->report.history_count > longest)
            longest = f->report.history_count;
    }
    return longest;
}

static void print_residuals(const struct dd_tables *dd)
{
    static const enum dd_variant curves[] = {DD_WHOLE, DD_EC_FUSED,
                                             DD_VC_FUSED};
    const struct columns c = {curves, 3};
    const char *heads[] = {"iteration", dd_name(curves[0]), dd_name(curves[1]),
                           dd_name(curves[2]), NULL};
    print_head(dd, "Figure 5.7: residual after some of the iterations", heads);
    for (size_t r = 0; r < dd->count; ++r) {
        const struct dd_row *row = &dd->rows[r];
        const int count = longest_history(row, &c);
        for (int i = 0; i < count; i += (count + POINTS - 1) / POINTS) {
            print_problem(dd, row);
            bench_table_cell(heads[0], "%d", i);
            for (int k = 0; k < c.count; ++k)
                print_residual(heads[k + 1], &row->of[curves[k]], i);
            putchar('\n');
        }
    }
}

// ------------------------------------------------------------------- all

static void print_lower_solves(const struct dd_tables *dd)
{
    static const enum dd_variant all[] = {
        DD_WHOLE, DD_SPIN_LOOP_LDS, DD_EC_NO_LDS, DD_EC_LDS, DD_EC_LDS_UD};
    print_values(dd, "Table 5.2: one lower triangular solve, ms",
                 &(struct columns){all, 5}, lower_seconds, 1e3, "%.4f");
    print_variant_speed_ups(
        dd,
        "Figure 5.2: speed-up of the lower solve over ILU0 of the whole "
        "matrix",
        &(struct columns){all + 1, 4}, lower_seconds);
}

static void print_applications(const struct dd_tables *dd)
{
    static const enum dd_variant all[] = {DD_WHOLE, DD_EC_ILD_U0, DD_VC_FUSED,
                                          DD_EC_FUSED, DD_PACKED};
    const struct columns columns = {all, 5};
    print_values(dd, "Table 5.3: one application of the preconditioner, ms",
                 &columns, apply_seconds, 1e3, "%.4f");
    print_variant_speed_ups(
        dd,
        "Figure 5.3: speed-up of the application over ILU0 of the whole "
        "matrix",
        &(struct columns){all + 1, 4}, apply_seconds);
    print_values(dd,
                 "Figure 5.4: read bandwidth of the application, GB/s, least "
                 "traffic over time",
                 &columns, read_gbps, 1, "%.2f");
    print_values(dd,
                 "Write bandwidth of the application, GB/s, least traffic over "
                 "time",
                 &columns, write_gbps, 1, "%.2f");
}

static void print_solver(const struct dd_tables *dd)
{
    static const struct speed_up all[] = {
        {"edge-centric", DD_EC_FUSED, solve_seconds},
        {"with overhead", DD_EC_FUSED, total_seconds},
        {"vertex-centric", DD_VC_FUSED, solve_seconds},
        {"with overhead", DD_VC_FUSED, total_seconds},
        {"packed", DD_PACKED, solve_seconds},
        {"with overhead", DD_PACKED, total_seconds}};
    print_solves(dd, "Table 5.5: ", DD_EC_FUSED);
    print_solves(dd, "Table 5.6: ", DD_VC_FUSED);
    print_solves(dd, "", DD_SPIN_LOOP_LDS);
    print_solves(dd, "", DD_PACKED);
    print_speed_ups(dd,
                    "Figure 5.6: speed-up of the solve over that with ILU0 of "
                    "the whole matrix",
                    all, 6);
    print_residuals(dd);
}

static void print_note(void)
{
    printf(
        "\nOn a device of width 1 one work-item solves a subdomain in order, "
        "without local\nmemory: dag_ec_lds and dag_ec_ILD_U0 are the code of "
        "dag_ec_no_lds, and other\ndifferences between published variants are "
        "mostly noise.\n");
}

void dd_print_tables(const struct dd_tables *dd)
{
    if (dd->serial)
        print_note();
    print_shares(dd);
    print_kernels(dd);
    print_lower_solves(dd);
    print_applications(dd);
    print_partitions(dd);
    print_other_subdomains(dd);
    print_solver(dd);
}
