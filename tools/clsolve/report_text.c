// SPDX-License-Identifier: BSD-3-Clause
// The text report of clsolve.
#include "tools/clsolve/folder.h"
#include "tools/clsolve/hints.h"
#include "tools/clsolve/memory.h"
#include "tools/clsolve/method.h"
#include "tools/clsolve/plot.h"
#include "tools/clsolve/ranks.h"
#include "tools/clsolve/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { REPAIRED_SHOWN = 8 };

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static void line(const char *label)
{
    printf("%-12s", label);
}

// ---------------------------------------------------------------- header

static void duplicates(const struct job *job)
{
    if (job->read.duplicates > 0)
        printf(" (%" PRId64 " duplicate%s summed)", job->read.duplicates,
               plural(job->read.duplicates));
    putchar('\n');
}

static void system_in_kronecker_form(const struct job *job)
{
    const struct lcl_kron *K = &job->kron.K;
    const int b = K->M->block_size;
    const struct job_blocks blocks = job_blocks(job);
    line("matrix");
    printf("%s: A (x) M + tau B (x) L, %d stage%s of %" PRId64
           " rows, tau %g\n",
           terminal_text(job_title(job)).text, K->stages, plural(K->stages),
           job_stage_rows(job), K->tau);
    line("blocks");
    printf("of %d x %d: %" PRId64 " of M, %" PRId64 " of L", b, b, blocks.M,
           blocks.L);
    duplicates(job);
}

static const char *symmetry(int of_file)
{
    return of_file < 0   ? "skew-symmetric"
           : of_file > 1 ? "Hermitian"
                         : "symmetric";
}

void text_matrix(const struct job *job)
{
    const struct lcl_csr *A = &job->A;
    if (cli_is_kron(&job->cli)) {
        system_in_kronecker_form(job);
        return;
    }
    const int parts = job_parts(job);
    line("matrix");
    printf("%s: %" PRId64 "%s rows", terminal_text(job_title(job)).text,
           A->rows / parts, parts == 2 ? " complex" : "");
    if (A->rows != A->cols)
        printf(", %" PRId64 " columns", A->cols / parts);
    printf(", %" PRId64 " nonzeros", A->nnz / (parts * parts));
    if (job->read.symmetric)
        printf(" (%s file)", symmetry(job->read.symmetric));
    duplicates(job);
    if (parts == 2) {
        line("real form");
        printf("%" PRId64 " rows, pairs of real and imaginary parts, which are "
               "counted below\n",
               A->rows);
    }
}

void text_ranks(const struct job *job)
{
    if (!job->ranks)
        return;
    line("ranks");
    printf("%d processes; what follows about devices and preconditioners is of "
           "rank 0\n",
           job->ranks->size);
}

static void rows_with(const char *label, int64_t count, int64_t first)
{
    line(label);
    printf("%" PRId64, count);
    if (count > 0)
        printf(", the first is row %" PRId64, first);
    putchar('\n');
}

void text_facts(const struct job *job)
{
    const struct lcl_csr *A = &job->A;
    const struct facts *facts = &job->facts;
    line("row length");
    printf("%" PRId64 " to %" PRId64 " entries, %.1f on average\n",
           facts->row_min, facts->row_max,
           A->rows > 0 ? (double)A->nnz / (double)A->rows : 0.0);
    rows_with("zero rows", facts->zero_rows, facts->first_zero_row);
    rows_with("no diagonal", facts->missing_diagonals,
              facts->first_missing_diagonal);
    line("diagonal");
    printf("%" PRId64 " positive, %" PRId64 " negative\n",
           facts->positive_diagonals, facts->negative_diagonals);
    if (A->rows != A->cols)
        return;
    line("symmetry");
    printf("pattern %s, values ", facts->pattern_symmetric ? "yes" : "no");
    if (facts->asymmetry == 0)
        puts("yes");
    else
        printf("no: max |a_ij - a_ji| = %.1e max |a_ij|\n", facts->asymmetry);
}

void text_device(const struct lcl_caps *caps)
{
    line("device");
    printf("%s (%s, %s)\n", terminal_text(caps->name).text,
           lcl_device_type_name(caps->type),
           terminal_text(caps->platform).text);
}

static void method(const struct job *job)
{
    char solver[METHOD_TITLE], precond[METHOD_TITLE];
    line("method");
    printf("%s, %s", method_solver(solver, job), method_precond(precond, job));
}

static void reason(const struct job *job)
{
    const char *why = lcl_chain_reason(job->chain);
    if (job->one_method) {
        line("");
        puts("alone, because the matrix is singular and no x solves for b");
    }
    if (!*why)
        return;
    line("");
    printf("because %s\n", why);
}

void text_method(const struct job *job)
{
    const struct lcl_solver_params *solver = &job->solver;
    method(job);
    printf(", rtol %g", solver->rtol);
    if (solver->atol > 0)
        printf(", atol %g", solver->atol);
    if (job->columns > 1)
        printf(", %d right-hand sides %s", job->columns,
               terminal_text(job_rhs_title(job)).text);
    else
        printf(", right-hand side %s", terminal_text(job_rhs_title(job)).text);
    if (job->cli.x0)
        printf(", initial guess %s",
               terminal_text(job_input_title(job->cli.x0)).text);
    putchar('\n');
    reason(job);
}

void text_choice(const struct job *job)
{
    method(job);
    putchar('\n');
    reason(job);
}

static void attempt(const struct lcl_attempt *a, const char *label)
{
    char title[METHOD_TITLE];
    line(label);
    printf("%s: %s", method_attempt(title, a), method_outcome(a));
    if (a->stop)
        printf(", %d iterations, residual %.1e", a->iterations,
               a->true_residual);
    printf(", %.3f s\n", a->setup_seconds + a->solve_seconds);
}

// All methods, if the first one failed.
static void attempts(const struct job *job)
{
    for (int c = 0; c < job->columns; ++c) {
        const struct column *column = &job->column[c];
        char label[32] = "tried";
        if (job->columns > 1)
            snprintf(label, sizeof label, "column %d", c + 1);
        for (int k = 0; k < column->attempts && column->attempts > 1; ++k)
            attempt(&column->attempt[k], k == 0 ? label : "");
    }
}

// ---------------------------------------------------------------- precond

static void blocks(const struct lcl_precond_info *info)
{
    line("blocks");
    printf("of %d x %d\n", info->block_size, info->block_size);
}

// Factors without overlap are those of the rows and columns of one device.
static void dropped(const struct lcl_factors_info *F, bool alone)
{
    line("dropped");
    printf("%.1f %% of the couplings%s, %.1f %% by weight%s\n",
           100 * F->dropped_share, alone ? " within a device" : "",
           100 * F->dropped_weight, alone ? "; all between devices" : "");
}

static void subdomains(const struct lcl_precond_info *info, int devices)
{
    const struct lcl_factors_info *F = &info->factors;
    line("subdomains");
    printf("%" PRId64 " of ", F->parts);
    if (F->part_rows_min < F->part_rows_max)
        printf("%" PRId64 " to ", F->part_rows_min);
    printf("%" PRId64 " rows, by %s%s\n", F->part_rows_max,
           lcl_partition_name(F->partition),
           F->weighted ? " with edge weights" : "");
    if (F->overlap > 0) {
        line("");
        printf("overlap %d: %.2f rows per row\n", F->overlap,
               (double)F->rows / (double)info->rows);
    }
    const double fill = (double)F->nnz / (double)info->nnz_kept;
    if (F->ilu_level > 0) {
        line("");
        printf("fill of level %d: %.2f values per value kept\n", F->ilu_level,
               fill);
    }
    if (F->ilut_p > 0) {
        line("");
        printf("ILUT(%d, %g): %.2f values per value kept\n", F->ilut_p,
               F->ilut_tol, fill);
    }
    line("levels");
    printf("at most %" PRId64 ", %.1f on average\n", F->levels_max,
           F->levels_mean);
    dropped(F, devices > 1 && F->overlap == 0);
    line("factors");
    printf("%.*f MB on the device, %s\n", memory_decimals(info->bytes),
           1e-6 * (double)info->bytes, lcl_factor_storage_name(info->storage));
}

static void diagonal_blocks(const struct lcl_precond_info *info)
{
    const struct lcl_blocks_info *B = &info->blocks;
    line("diagonal");
    printf("%" PRId64 " blocks of at most %d rows, %s\n", B->count, B->rows_max,
           lcl_block_extraction_name(B->extraction));
    line("inverses");
    printf("%.*f MB on the device, %s", memory_decimals(info->bytes),
           1e-6 * (double)info->bytes, lcl_factor_storage_name(info->storage));
    if (info->storage == LCL_FACTOR_STORAGE_ADAPTIVE)
        printf(" (%" PRId64 " fp32, %" PRId64 " bf16)", B->fp32, B->bf16);
    printf(", %s\n", lcl_block_apply_name(B->apply));
}

// Of a level: if it is not what levels have by default.
static void level_storage(const struct lcl_amg_info *info, int l)
{
    if (info->storage[l] == LCL_FACTOR_STORAGE_BF16)
        printf(", bf16");
    else if (info->loss[l] != 0)
        printf(", fp32 (in bf16 a row loses %.3g of its diagonal)",
               info->loss[l]);
}

static void whole_factors(const struct lcl_precond_info *info)
{
    line("factors");
    printf("of the whole matrix, on the host: %.2f values per value of it\n",
           (double)info->factors.nnz / (double)info->nnz);
}

static void multigrid(const struct lcl_amg_info *info)
{
    line("multigrid");
    printf("%s, %s, %d level%s, complexity %.2f, %.*f MB on the device\n",
           lcl_amg_coarsening_name(info->coarsening),
           lcl_amg_smoother_name(info->smoother), info->levels,
           plural(info->levels), info->complexity, memory_decimals(info->bytes),
           1e-6 * (double)info->bytes);
    for (int l = 0; l < info->levels; ++l) {
        line("");
        printf("%d: %" PRId64 " rows, %" PRId64 " nonzeros", l, info->rows[l],
               info->nnz[l]);
        if (info->lambda_max[l] > 0)
            printf(", lambda %.3f", info->lambda_max[l]);
        if (info->plain[l])
            printf(", plain aggregation");
        level_storage(info, l);
        putchar('\n');
    }
}

static void coarse(const struct lcl_coarse_info *info)
{
    line("coarse");
    printf("%s, %" PRId64 " unknowns", lcl_coarse_name(info->type), info->rows);
    if (info->pinned > 0)
        printf(", %" PRId64 " of them pinned", info->pinned);
    printf(", %.*f MB on the device\n", memory_decimals(info->bytes),
           1e-6 * (double)info->bytes);
}

static void repaired(const struct lcl_precond_info *info)
{
    line("repaired");
    printf("%" PRId64 " pivot%s, row%s", info->pivots_repaired,
           plural(info->pivots_repaired), plural(info->pivots_repaired));
    for (int i = 0; i < REPAIRED_SHOWN && i < info->pivots_repaired; ++i)
        printf("%s %" PRId64, i ? "," : "", info->repaired_rows[i] + 1);
    puts(info->pivots_repaired > REPAIRED_SHOWN ? ", ..." : "");
}

static void application(const struct lcl_precond_info *info)
{
    const struct lcl_factors_info *F = &info->factors;
    line("apply");
    printf("%d launch%s, at most %d barriers, groups of %d%s%s\n",
           info->launches, info->launches == 1 ? "" : "es", F->barriers,
           F->group_size, *F->form ? ", autotuned: " : "", F->form);
}

static void product(const struct lcl_operator_info *info)
{
    line("product");
    printf("%s, %.*f MB on the device%s\n",
           info->kron ? lcl_kron_name(info->kron) : lcl_spmv_name(info->spmv),
           memory_decimals(info->bytes), 1e-6 * (double)info->bytes,
           info->devices > 0 ? "s" : "");
    if (info->communication) {
        line("devices");
        printf("%d, communication %s\n", info->devices,
               lcl_communication_name(info->communication));
    }
}

static void in_use(const struct job *job)
{
    const struct memory memory = memory_in_use(job);
    const int d = memory_decimals(memory.all.buffer_bytes);
    line("memory");
    printf("%.*f MB on the device%s: %.*f product, %.*f preconditioner, %.*f "
           "other; at most %.*f MB\n",
           d, 1e-6 * (double)memory.all.buffer_bytes,
           job->devices.count > 1 ? "s" : "", d, 1e-6 * (double)memory.op, d,
           1e-6 * (double)memory.precond, d, 1e-6 * (double)memory.other, d,
           1e-6 * (double)memory.all.buffer_bytes_max);
}

static void of_precond(const struct job *job,
                       const struct lcl_precond_info *info)
{
    if (info->block_size > 1 && !cli_is_kron(&job->cli))
        blocks(info);
    if (info->factors.transversal) {
        line("permuted");
        puts(
            "columns, so that the largest entries are on the diagonal, scaled");
    }
    if (info->factors.order > LCL_ORDER_NONE) {
        line("order");
        printf("%s, of the rows before factors\n",
               lcl_order_name(info->factors.order));
    }
    if (job_has_subdomains(job))
        subdomains(info, lcl_operator_info(job->op)->devices);
    if (info->blocks.count > 0)
        diagonal_blocks(info);
    if (info->type == LCL_PRECOND_LU)
        whole_factors(info);
    if (info->amg.levels > 0)
        multigrid(&info->amg);
    if (info->coarse.rows > 0)
        coarse(&info->coarse);
    if (info->pivots_repaired > 0)
        repaired(info);
    if (job->cli.profile || *info->factors.form)
        application(info);
}

void text_precond(const struct job *job)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    if (info)
        of_precond(job, info);
    product(lcl_operator_info(job->op));
    in_use(job);
}

// ---------------------------------------------------------------- result

static void table(const struct job *job)
{
    const struct lcl_report *report = &job->report;
    if (job->columns > 1) {
        text_columns(job);
        return;
    }
    if (report->history_count == 0)
        return;
    puts("\n iteration    residual");
    for (int i = 0; i < report->history_count; i = job_next_sample(job, i))
        printf("%10d   %9.3e\n", i, report->history[i]);
}

static void written(const struct job *job, const char *remark)
{
    line("written");
    printf("%s%s\n",
           cli_is_stdout(job->cli.output) ? "standard output"
                                          : terminal_text(job->cli.output).text,
           remark);
}

void text_hint(const struct hint *hint)
{
    printf("%sto try%s: %s\n", terminal_colour(stdout, COLOUR_NOTE),
           terminal_colour(stdout, COLOUR_NONE),
           terminal_text(hint->text).text);
    if (!hint->has_command)
        return;
    line("");
    cli_print_command(stdout, &hint->cli);
    putchar('\n');
}

static void advice(const struct job *job)
{
    struct hint hint;
    if (hint_find(&hint, job))
        text_hint(&hint);
}

// Backward errors so many times above rtol: ||b|| hides rows.
#define HIDDEN_ROWS 1e6

static const char *remark_on_rows(const struct job *job)
{
    const struct lcl_report *report = &job->report;
    if (report->norm == LCL_NORM_ROWS)
        return ", which decides: --norm rows";
    return report->stop > 0 &&
                   report->backward_error > HIDDEN_ROWS * job->solver.rtol
               ? ": ||b|| hides rows that are not solved; see --norm rows"
               : "";
}

static void of_solve(const struct job *job)
{
    const struct lcl_report *report = &job->report;
    line("iterations");
    printf("%d", report->iterations);
    if (report->restarts > 0)
        printf(", %d restart%s", report->restarts, plural(report->restarts));
    if (report->exhausted)
        printf(", the Krylov space is exhausted");
    putchar('\n');
    if (report->x_iteration != report->iterations) {
        line("x");
        printf("best iterate, of iteration %d\n", report->x_iteration);
    }
    line("residual");
    printf("%.3e true, %.3e by the recurrence\n", report->true_residual,
           report->residual);
    line("backward");
    printf("%.3e, componentwise backward error%s\n", report->backward_error,
           remark_on_rows(job));
    if (job->cli.nullspace) {
        line("removed");
        printf("%.3e of b, ||b|| %.3e is left\n", report->norm_removed,
               report->norm_b);
    }
    if (job_knows_solution(job)) {
        line("error");
        printf("%.3e, the largest |x_i - 1|\n", job_error(job));
    }
}

void text_verdict(bool converged, const char *why)
{
    printf("\n%s%s%s: %s\n",
           terminal_colour(stdout, converged ? COLOUR_GOOD : COLOUR_BAD),
           converged ? "converged" : "not converged",
           terminal_colour(stdout, COLOUR_NONE), why);
}

static void outcome(const struct job *job)
{
    const bool many = job->columns > 1;
    if (many)
        text_columns_outcome(job);
    else
        text_verdict(job->outcome == LCL_OK, lcl_stop_str(job->report.stop));
    advice(job);
    attempts(job);
    if (many)
        text_columns_sums(job);
    else
        of_solve(job);
    if (job->cli.output)
        written(job,
                job->outcome == LCL_OK ? "" : ": best iterate, not a solution");
}

void text_convert(const struct job *job)
{
    if (job->A.row_ptr) {
        text_matrix(job);
    } else {
        line("vector");
        printf("%s: %" PRId64 " x %" PRId64 "%s\n",
               terminal_text(job_title(job)).text,
               job->rhs.rows / job_parts(job), job->rhs.cols,
               job_parts(job) == 2 ? ", complex" : "");
    }
    written(job, "");
}

static void share(const char *label, double seconds, double total)
{
    printf("  %-10s%10.3f s%7.1f %%", label, seconds, 100 * seconds / total);
}

static void detail(const struct job *job, int phase)
{
    const struct lcl_build_info builds = lcl_context_builds(job->ctx);
    const struct column_sums sums = columns_sum(job->column, job->columns);
    if (phase == LCL_PHASE_COMPILE)
        printf("   %d compiled, %d from the cache", builds.compiled,
               builds.from_cache);
    if (phase == LCL_PHASE_SOLVE && sums.iterations > 0)
        printf("   %.4f ms and %d launches per iteration",
               1e3 * sums.seconds / (double)sums.iterations,
               job->report.launches);
    if (phase == LCL_PHASE_READ && job->read.bytes > 0)
        printf("   %.1f MB of text", 1e-6 * (double)job->read.bytes);
}

static bool is_kept_anew(const struct job *job)
{
    char folder[FOLDER_BYTES];
    const size_t length = lcl_context_folder(job->ctx, folder, sizeof folder);
    if (length == 0 || length >= sizeof folder)
        return false;
    if (!folder_is_of_driver(folder, job->store))
        return lcl_context_builds(job->ctx).compiled > 0;
    return folder_new_kernels(folder, job_clock() - job->started) > 0;
}

// A first run mostly compiles.
static void remark(const struct job *job, const struct job_times *times,
                   int phase)
{
    const double seconds = times->phase[phase];
    if (phase != LCL_PHASE_COMPILE || seconds < 2 ||
        seconds < 0.5 * times->total)
        return;
    if (is_kept_anew(job))
        printf("   once; clsolve warm compiles ahead");
    else if (!lcl_context_builds(job->ctx).kept)
        printf("   not kept: each run compiles");
}

void text_times(const struct job *job)
{
    const struct job_times times = job_times(job);
    printf("time        %10.3f s\n", times.total);
    for (int phase = 0; phase < LCL_PHASE_COUNT; ++phase) {
        share(lcl_phase_name((enum lcl_phase)phase), times.phase[phase],
              times.total);
        if (job->cli.profile)
            detail(job, phase);
        else
            remark(job, &times, phase);
        putchar('\n');
    }
    share("other", times.other, times.total);
    putchar('\n');
}

// Where the time of a solve went, by device or process.
static void exchanged(const struct job *job)
{
    const struct exchanges *E = &job->exchanges;
    for (int k = 0; k < E->count; ++k) {
        const struct lcl_exchange_info *info = &E->each[k];
        line(k == 0 ? "exchange" : "");
        printf("%s %d: %.3f s own work, %.3f s halo, %.3f s sums, %.2f MB "
               "sent\n",
               job->ranks ? "rank" : "device", k, exchanges_own_seconds(E, k),
               info->halo_seconds, info->sum_seconds,
               1e-6 * (double)info->sent_bytes);
    }
}

void text_profile(const struct job *job)
{
    if (!job->cli.profile)
        return;
    profile_print(&job->profile);
}

static void plot(const struct job *job)
{
    const struct lcl_report *report = &job->report;
    if (!job->cli.plot)
        return;
    putchar('\n');
    if (job->columns > 1)
        printf("residual of column %d\n", job->worst + 1);
    plot_history(stdout, report->history, report->history_count,
                 terminal_width(STDOUT_FILENO) - 1);
}

void text_result(const struct job *job)
{
    table(job);
    plot(job);
    outcome(job);
    text_precond(job);
    exchanged(job);
    text_times(job);
    text_profile(job);
}

// ---------------------------------------------------------------- doctor

void text_finding(const struct finding *finding)
{
    line(finding->check);
    printf("%s%s\n", finding->ok ? "ok: " : "",
           terminal_text(finding->text).text);
    if (!finding->ok) {
        line("");
        printf("%sto do%s: %s\n", terminal_colour(stdout, COLOUR_BAD),
               terminal_colour(stdout, COLOUR_NONE), finding->to_do);
    }
    fflush(stdout);
}

// ---------------------------------------------------------------- devices

static void memory(const char *label, uint64_t bytes, const char *end)
{
    if (bytes >= (uint64_t)1 << 30)
        printf("%s %.1f GiB%s", label, (double)bytes / (1 << 30), end);
    else
        printf("%s %.0f KiB%s", label, (double)bytes / 1024, end);
}

static void probed(const struct lcl_caps *caps)
{
    printf("   width %d, exchange %s, fp64 local sum %s, forward progress %s\n",
           caps->width, lcl_exchange_name(caps->exchange),
           lcl_atomic_add_name(caps->local_add),
           lcl_progress_name(caps->progress));
    printf("   queues %s, fence %s, timer %.0f ns, %s\n",
           caps->queues_overlap ? "overlap" : "do not overlap",
           lcl_fence_name(caps->fence), 1e9 * caps->timer_resolution,
           caps->cl_std);
}

static void place(const struct lcl_caps *caps)
{
    if (!*caps->pci)
        return;
    printf("   PCI %s", terminal_text(caps->pci).text);
    if (caps->numa_node >= 0)
        printf(", NUMA node %d", caps->numa_node);
    putchar('\n');
}

void text_links(const struct links *links)
{
    if (links->count < 2)
        puts("one device: nothing to measure");
    for (int from = 0; from < links->count; ++from)
        for (int to = 0; to < links->count; ++to)
            if (from != to)
                printf("from %d to %d: %.1f us, %.2f GB/s\n",
                       links->device[from], links->device[to],
                       1e6 * links->link[from][to].latency,
                       1e-9 * links->link[from][to].bandwidth);
}

void text_device_entry(const struct lcl_caps *caps, int index)
{
    if (index >= 0)
        printf("%d  ", index);
    printf("%s (%s)\n", terminal_text(caps->name).text,
           lcl_device_type_name(caps->type));
    printf("   %s; %s; driver %s\n", terminal_text(caps->platform).text,
           terminal_text(caps->version).text, terminal_text(caps->driver).text);
    printf("   %d compute unit%s, groups of %d, fp64 %s, 64-bit atomics %s\n",
           caps->compute_units, plural(caps->compute_units),
           caps->max_group_size, caps->fp64 ? "yes" : "no",
           caps->int64_atomics ? "yes" : "no");
    memory("   memory", caps->global_bytes, "");
    memory(", buffers up to", caps->max_buffer_bytes, "");
    memory(", local", caps->local_bytes, "\n");
    place(caps);
    if (index < 0)
        probed(caps);
}
