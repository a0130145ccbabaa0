// SPDX-License-Identifier: BSD-3-Clause
// levelbench: times the library's kernels on the device; prints one JSON line
// per figure, or published tables. Measures copy bandwidth first, as the
// reference of all figures; times are medians over batches of launches.
#include "host/alloc.h"
#include "tools/clsolve/terminal.h"
#include "tools/levelbench/bench.h"

#include <levelcl/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum lcl_status bench_apply(struct bench *B, struct work *w)
{
    struct times t;
    const enum lcl_status st = bench_time_apply(B, w, &t);
    if (st == LCL_OK)
        bench_print_apply(B, w, &t);
    return st;
}

// Adds the time of the solve to *seconds.
static enum lcl_status bench_solve(struct bench *B, const struct work *w,
                                   double *seconds)
{
    struct lcl_report report;
    const enum lcl_status st = bench_run_solver(B, w, &report, NULL);
    *seconds += report.seconds;
    if (st == LCL_OK)
        bench_print_solve(B, lcl_precond_name(lcl_precond_info(w->M)->type),
                          &report);
    return st;
}

// Solves with the problem's own right-hand side, then with random ones, one by
// one and together.
static enum lcl_status bench_solves(struct bench *B, const struct work *w)
{
    double seconds = 0;
    enum lcl_status st = bench_solve(B, w, &seconds);
    seconds = 0;
    for (B->seed = 1; B->seed <= B->random && st == LCL_OK; ++B->seed) {
        bench_random_rhs(B->problem, B->seed);
        st = bench_solve(B, w, &seconds);
    }
    B->seed = 0;
    return st < 0 || B->random < 2 ? st
                                   : bench_columns(B, w, seconds / B->random);
}

static bool has_subdomains(const lcl_precond *M)
{
    return lcl_precond_info(M)->factors.parts > 0;
}

static enum lcl_status bench_problem(struct bench *B)
{
    struct work w;
    struct setup setup;
    enum lcl_status st = bench_set_up(B, &w, &B->options.precond, &setup);
    if (st == LCL_OK)
        bench_print_setup(B, "phases", &setup);
    if (st == LCL_OK && (st = bench_apply(B, &w)) == LCL_OK &&
        (!has_subdomains(w.M) || (st = bench_reference(B)) == LCL_OK) &&
        (st = bench_spmv(B, &w)) == LCL_OK &&
        (st = bench_look(B, &w)) == LCL_OK &&
        (st = bench_refresh(B, &w)) == LCL_OK &&
        (st = bench_update(B, &w)) == LCL_OK &&
        (st = bench_solves(B, &w)) == LCL_OK)
        st = bench_enqueue(B, &w);
    bench_finish(&w);
    return st;
}

// ------------------------------------------------------------------- text

static void print_log(void *user, enum lcl_log_level level, const char *text)
{
    struct bench_messages *const m = user;
    if (m->kept && level == LCL_LOG_ERROR) {
        if (!*m->first)
            snprintf(m->first, sizeof m->first, "%s", text);
        return;
    }
    m->explained |= level == LCL_LOG_ERROR;
    fprintf(stderr, "levelbench: %s\n", terminal_text(text).text);
}

static void print_usage(FILE *out)
{
    fputs(
        "usage: levelbench [--device D] [--random N] [--KEY VALUE ...] "
        "PROBLEM ...\n"
        "       levelbench amg|dd|idr|gmres|cg|fill|grid [--json] [--device D] [--KEY VALUE ...] "
        "PROBLEM ...\n"
        "       levelbench hec [--json] [--device D] [--blocks N,...] [--KEY VALUE "
        "...] PROBLEM ...\n"
        "       levelbench kron [--json] [--device D] [--KEY VALUE ...] "
        "[kron:S | radau:S,N | stokes:S,N ...]\n"
        "       levelbench multi [--json] [--weak] [--profile] [--device D] "
        "[--KEY VALUE ...] PROBLEM ...\n"
        "       levelbench setup [--json] [--device D] [--repeat N] [--KEY VALUE "
        "...] PROBLEM ...\n"
        "       levelbench bgje [--json] [--device D] [--batch N] [--n ROWS] "
        "[batch:M,COUNT | PROBLEM ...]\n"
        "PROBLEM is the name of a built-in problem, A.mtx or A.mtx,b.mtx, or\n"
        "--csr-text ROWPTR,COLIND,VAL[,RHS], the text files of clsolve.\n"
        "KEY VALUE are the options of clsolve; they apply to the problems that\n"
        "follow.\n"
        "Without a subject, prints one JSON line per figure: copy, then for each\n"
        "problem setup, apply, spmv, look (from which auto chooses a method),\n"
        "refresh, update (values from a buffer), the solver by its name and\n"
        "enqueue, a solve that does not block. The solver also runs with N random\n"
        "right-hand sides, one by one and together, because a coarse correction\n"
        "is exact for A * ones, the right-hand side of a built-in problem. Up to\n"
        "65536 rows, prints the time of an iteration and its launches. The manual\n"
        "page levelbench(1) explains all fields.\n",
        out);
}

static void print_subjects(FILE *out)
{
    fputs(
        "The subjects print tables of publications for the device; with --json,\n"
        "their figures as lines.\n"
        "dd: the tables and figures of arXiv 2508.04917, one row per problem: lower\n"
        "solves and applications by published name, partitions, and solves, compared\n"
        "with ILU(0) of the whole matrix by hec_level in place of the vendor's\n"
        "library; Table 2.1 and the bandwidths from the least traffic; residuals by\n"
        "iteration. By default with the published subdomains: boxes of 8192 rows, or\n"
        "2048 blocks, of lap3d:... and laplacian1 to 5, METIS with 8192 rows for\n"
        "others, smaller where the device requires it. Ignores the options precond\n"
        "and trisolve.\n"
        "idr: IDR(s), s given by idr-s, with the diagonal or diagonal blocks of 4\n"
        "to 32 rows as in Anzt et al. (Parallel Computing 81, 2019). Defaults:\n"
        "b random, rtol 1e-9, at most 50000 products. The fastest setting is the\n"
        "one with the least time for set-up and solve together.\n"
        "gmres: the passes over the basis in a cycle of GMRES(m), m given by\n"
        "restart, stored as fp64 and as fp32, and the same orthogonalisation by\n"
        "CLBlast, if the build includes it; then solves by GMRES and FGMRES.\n"
        "b is random unless a file provides it.\n"
        "cg: the report on row-binned CG: rows in the two bins and the estimated\n"
        "condition number; the CG loop compared with one thread of plain C, in fp64\n"
        "and in fp32, with both kernels of the product and with each for all rows;\n"
        "products. b is random unless a file provides it. By default stops as the\n"
        "report does, at ||r|| < 1e-11 or after 10,000 iterations.\n"
        "hec: one application of block ILU(0) by hec_level of Chen, Liu and Yang,\n"
        "by hec_wait and packed, fp64 factors; options choose the subdomains. Then,\n"
        "for the numbers of subdomains of their tables or --blocks N,..., by\n"
        "METIS or with --partition natural consecutive rows, block ILU(0), block\n"
        "ILUT(p, tol) and restricted additive Schwarz, by hec_level and by\n"
        "packed or by --trisolve: one application and a solve by GMRES(20),\n"
        "compared with one core, which runs plain C with the same factors. b is\n"
        "random unless a file provides it; rtol is 1e-6 by default. Ignores the\n"
        "options solver and precond.\n"
        "fill: ILDU(0), ILU(1), ILU(2) and RAS with one and two layers of overlap,\n"
        "without coarse correction: set-up, solve, entries and memory of the\n"
        "factors. b is random unless a file provides it. Ignores the options\n"
        "precond, ilu-level, overlap and coarse.\n",
        out);
    fputs(
        "grid: the defaults of clsolve and about 40 methods on each problem, as by\n"
        "clsolve tune, each for at most 3 times as long as the fastest one before;\n"
        "set-up and the shortest of 3 solves. Then, for each problem, the defaults,\n"
        "the shortest solve, the shortest sum of set-up and solve, the ratios of the\n"
        "defaults to them and the geometric means of these ratios. With the options\n"
        "solver and precond, only methods with these types; the method of the\n"
        "defaults then has them, too. b is random unless a file provides it.\n"
        "kron: Kronecker operators of Ma et al. (2025): the speed of one_pass and\n"
        "of the published okp and cu, compared with the copy bandwidth of the\n"
        "device, the parts of a solve from the times of its kernels, by default\n"
        "without preconditioner and to 1e-6, and speed-ups over cu. If no problem\n"
        "is named: S = 2, 3, 4 and 8.\n"
        "For radau:S,N and stokes:S,N, the residuals of solves by each product\n"
        "with each preconditioner (Figure 16).\n"
        "multi: the system on 1, 2, 4, ... devices with the name of the first one:\n"
        "set-up, one application of the preconditioner on all of them (Figure 5.8\n"
        "of arXiv 2508.04917), the product of each with its own columns and the\n"
        "whole one with its exchange, one sum over all devices, the solve (by\n"
        "default CG with IC(0)); the time of an iteration that a model predicts\n"
        "from these figures. b is random unless a file provides it. With\n"
        "--profile also the set-up by task, each of the slowest device, and how\n"
        "long devices waited for each other; set-up and update are then slower,\n"
        "for host and device do not overlap.\n"
        "For Kronecker systems, the parts of a solve as in Ma et al. (2025), by\n"
        "default by GMRES without preconditioner and to 1e-6: transfers, product,\n"
        "messages, the Krylov method, others, all, each of the slowest device; by\n"
        "cu, okp and one_pass, which has messages for all stages or for each; and\n"
        "speed-ups over cu (Figure 13). With --weak the mesh of kron:S has NZ\n"
        "layers of nodes for each device.\n"
        "amg: the levels of algebraic multigrid, the steps of its cycle, its\n"
        "set-up by task.\n"
        "setup: the set-up of a preconditioner by task: time, least memory\n"
        "traffic, its share of copy bandwidth, launches. Prints the set-up with\n"
        "the median time of N (5), after one that compiles; its sum is without\n"
        "reading and upload.\n"
        "bgje: the speed of batched inversion of dense blocks, as in Figures 5\n"
        "and 6 of Anzt et al.: for up to N blocks of 32 and 16 rows, and for N\n"
        "blocks of 1 to 32 rows; N is 500000, on a CPU 20000; or only for COUNT\n"
        "blocks of M rows. Then, as in Figures 9 and 11, the speed of the set-up\n"
        "of block-Jacobi by each extraction on matrices of ROWS rows, 1000000 or\n"
        "on a CPU 100000, and of its application; for a PROBLEM, as in Figure\n"
        "10, the speed of its set-up. With only one of --batch and --n, omits the\n"
        "other part.\n",
        out);
}

static void print_help(FILE *out)
{
    print_usage(out);
    print_subjects(out);
}

// ------------------------------------------------------------------- command

struct command {
    struct bench bench;
    const struct bench_tables *tables; // NULL: lines
    void *state;                       // of the tables
    int first;                         // argument
    int32_t *labels;                   // --partition file:F
    struct lcl_log log;
    struct bench_messages messages;
};

static enum lcl_status refuse(struct command *c, const char *argument,
                              const char *why)
{
    fprintf(stderr, "levelbench: %s: %s\n", argument, why);
    c->messages.explained = true;
    return LCL_EINVAL;
}

// --partition file:F
static enum lcl_status set_labels(struct command *c, const char *path)
{
    struct lcl_partition_params *partition =
        &c->bench.options.precond.partition;
    if (!*path)
        return refuse(c, "--partition file:",
                      "expected the name of a file, as in file:labels.txt");
    lcl_labels_free(&c->labels);
    const enum lcl_status st =
        lcl_labels_read(&c->labels, &partition->labels_count, path, &c->log);
    partition->type = LCL_PARTITION_LABELS;
    partition->labels = c->labels;
    return st;
}

static enum lcl_status set_option(struct command *c, const char *key,
                                  const char *value)
{
    char text[256];
    if (strcmp(key, "partition") == 0 && strncmp(value, "file:", 5) == 0)
        return set_labels(c, value + 5);
    if (strcmp(value, "auto") == 0 &&
        (strcmp(key, "solver") == 0 || strcmp(key, "precond") == 0))
        return refuse(c, "auto", "levelbench times the method that is named");
    snprintf(text, sizeof text, "%s=%s", key, value);
    return lcl_options_parse(&c->bench.options, text, &c->log);
}

// Measures once, after the arguments have been checked.
static enum lcl_status measure_copy(struct command *c)
{
    struct bench *B = &c->bench;
    if (B->copy_gbps > 0)
        return LCL_OK;
    const enum lcl_status st = bench_copy(B);
    if (st >= 0 && B->tables)
        printf("%s, copy bandwidth %.1f GB/s\n", lcl_context_caps(B->ctx)->name,
               B->copy_gbps);
    return st;
}

typedef enum lcl_status load_fn(struct problem *P, char *text,
                                const struct lcl_log *log);

static enum lcl_status run_problem(struct command *c, load_fn *load, char *name)
{
    struct bench *B = &c->bench;
    struct problem P;
    enum lcl_status st = load(&P, name, &c->log);
    B->problem = &P;
    if (st == LCL_OK && (st = measure_copy(c)) == LCL_OK)
        st = c->tables ? c->tables->problem(c->state, B) : bench_problem(B);
    B->problem = NULL;
    bench_unload(&P);
    return st;
}

static enum lcl_status run_name(struct command *c, char *name)
{
    enum lcl_status st;
    if (c->tables && c->tables->run_named && (st = measure_copy(c)) < 0)
        return st;
    if (c->tables && c->tables->run_named &&
        c->tables->run_named(c->state, &c->bench, name, &st))
        return st;
    return run_problem(c, bench_load, name);
}

enum { REPEAT_MOST = 1000 };

// --repeat, for setup only.
static enum lcl_status set_repeat(struct command *c, const char *value)
{
    char *end;
    const long number = strtol(value, &end, 10);
    if (c->tables != &bench_setup)
        return refuse(c, "--repeat", "this option applies only to setup");
    if (*end || number < 1 || number > REPEAT_MOST)
        return refuse(c, "--repeat", "expected a number from 1 to 1000");
    c->bench.repeat = (int)number;
    return LCL_OK;
}

// --batch and --n, for bgje only.
static enum lcl_status set_number(struct command *c, const char *key,
                                  const char *value)
{
    int64_t *const number =
        strcmp(key, "--n") == 0 ? &c->bench.rows : &c->bench.batch;
    *number = atoll(value);
    if (c->tables != &bench_bgje)
        return refuse(c, key, "this option applies only to bgje");
    return *number > 0 ? LCL_OK : refuse(c, key, "expected a number >= 1");
}

// --blocks N,N,..., for hec only.
static enum lcl_status set_blocks(struct command *c, const char *value)
{
    struct bench *B = &c->bench;
    const char *const expected = "expected up to 16 numbers >= 1, as in 16,512";
    if (c->tables != &bench_hec)
        return refuse(c, "--blocks", "this option applies only to hec");
    for (B->blocks_count = 0;; ++value) {
        char *end;
        const long long number = strtoll(value, &end, 10);
        if (*value < '0' || *value > '9' || number < 1 || number > INT32_MAX ||
            B->blocks_count == BLOCKS_MAX || (*end && *end != ','))
            return refuse(c, "--blocks", expected);
        B->blocks[B->blocks_count++] = number;
        if (!*end)
            return LCL_OK;
        value = end;
    }
}

static bool is_number(const char *key)
{
    return strcmp(key, "--n") == 0 || strcmp(key, "--batch") == 0;
}

// Refuses an option that resembles one of these or of the library.
static enum lcl_status check_key(struct command *c, const char *key)
{
    static const char *const own[] = {"device", "json",   "csr-text", "random",
                                      "repeat", "blocks", "batch",    "n",
                                      "weak",   "profile"};
    enum { OWN = sizeof own / sizeof *own, KEYS = 64 };
    const char *names[OWN + KEYS];
    char why[128];
    int count = OWN;
    memcpy(names, own, sizeof own);
    for (int i = 0; i < KEYS && lcl_options_help(i); ++i)
        names[count++] = lcl_options_help(i)->key;
    for (int i = OWN; i < count; ++i)
        if (strcmp(key, names[i]) == 0)
            return LCL_OK;
    const char *nearest = lcl_nearest(key, names, count);
    if (!nearest)
        return LCL_OK; // the library refuses it
    if (strcmp(nearest, key) == 0)
        return refuse(c, key, "this option does not apply here");
    snprintf(why, sizeof why, "unknown option: did you mean '--%s'?", nearest);
    return refuse(c, key, why);
}

static enum lcl_status set_any(struct command *c, const char *key,
                               const char *value)
{
    if (strcmp(key, "--repeat") == 0)
        return set_repeat(c, value);
    if (strcmp(key, "--blocks") == 0)
        return set_blocks(c, value);
    if (is_number(key))
        return set_number(c, key, value);
    const enum lcl_status st = check_key(c, key + 2);
    return st < 0 ? st : set_option(c, key + 2, value);
}

// Options without a value.
static bool is_flag(const struct command *c, const char *key)
{
    return (c->tables && strcmp(key, "--json") == 0) ||
           (c->tables == &bench_multi &&
            (strcmp(key, "--weak") == 0 || strcmp(key, "--profile") == 0));
}

static enum lcl_status run_arguments(struct command *c, int argc, char **argv)
{
    enum lcl_status st = LCL_OK;
    for (int i = c->first; i < argc && st >= 0; ++i) {
        if (strncmp(argv[i], "--", 2) != 0)
            st = run_name(c, argv[i]);
        else if (is_flag(c, argv[i]))
            continue;
        else if (strcmp(argv[i], "--device") == 0)
            ++i;
        else if (strcmp(argv[i], "--csr-text") == 0)
            st = run_problem(c, bench_load_text, argv[++i]);
        else if (strcmp(argv[i], "--random") == 0)
            c->bench.random = atoi(argv[++i]);
        else {
            st = set_any(c, argv[i], argv[i + 1]);
            ++i;
        }
    }
    return st;
}

static enum lcl_status run(struct command *c, int argc, char **argv)
{
    struct bench *B = &c->bench;
    const struct lcl_context_params params = {
        .device = B->device,
        .log = c->log,
        .profile = c->tables && c->tables->profile,
    };
    enum lcl_status st;
    if ((st = lcl_context_create(&B->ctx, &params)) < 0 ||
        (st = run_arguments(c, argc, argv)) < 0 || (st = measure_copy(c)) < 0)
        return st;
    return !c->tables || !c->tables->finish ? st
                                            : c->tables->finish(c->state, B);
}

static const struct bench_tables *const subjects[] = {
    &bench_amg,  &bench_bgje,  &bench_cg,    &bench_dd,
    &bench_fill, &bench_gmres, &bench_grid,  &bench_hec,
    &bench_idr,  &bench_kron,  &bench_multi, &bench_setup};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const struct bench_tables *find_tables(const char *name)
{
    for (int i = 0; i < SUBJECTS; ++i)
        if (strcmp(name, subjects[i]->name) == 0)
            return subjects[i];
    return NULL;
}

// A word that is neither a subject nor the name of a file or a problem.
static enum lcl_status check_subject(struct command *c, const char *word)
{
    const char *names[SUBJECTS];
    char why[64];
    if (c->tables || word[strcspn(word, "-./:")] || access(word, F_OK) == 0)
        return LCL_OK;
    for (int i = 0; i < SUBJECTS; ++i)
        names[i] = subjects[i]->name;
    const char *nearest = lcl_nearest(word, names, SUBJECTS);
    if (!nearest)
        return LCL_OK;
    snprintf(why, sizeof why, "unknown subject: did you mean '%s'?", nearest);
    return refuse(c, word, why);
}

// Whether an option applies to all problems, at any position.
static bool holds_everywhere(const char *key)
{
    return strcmp(key, "--device") == 0 || strcmp(key, "--json") == 0;
}

// Checks that each option has a value, that a problem is given if one is
// needed, and that each option is followed by a problem, if there is any.
static enum lcl_status check_order(struct command *c, int argc, char **argv)
{
    const bool needs_problem = !c->tables || c->tables->needs_problem;
    const char *last = NULL; // last option not followed by a problem
    bool named = false;
    for (int i = c->first; i < argc; ++i) {
        const bool problem = strncmp(argv[i], "--", 2) != 0;
        if (problem && argv[i][0] == '-')
            return refuse(c, argv[i], "unknown option; --help lists all");
        if (is_flag(c, argv[i]))
            continue;
        if (!problem && i + 1 == argc)
            return refuse(c, argv[i], "a value is missing");
        if (problem || strcmp(argv[i], "--csr-text") == 0) {
            named = true;
            last = NULL;
        } else if (!holds_everywhere(argv[i]))
            last = argv[i];
        i += !problem;
    }
    if (!named && needs_problem)
        return refuse(c, argv[1], "name a problem; --help lists them");
    return named && last ? refuse(c, last,
                                  "options apply to the problems that follow, "
                                  "but none follows")
                         : LCL_OK;
}

static enum lcl_status open_tables(struct command *c)
{
    const struct bench_tables *T = c->tables;
    if (T->state_bytes > 0 && !(c->state = lcl_calloc(1, T->state_bytes)))
        return LCL_ENOMEM;
    if (T->create)
        T->create(c->state, &c->bench.options);
    return LCL_OK;
}

static void close_tables(struct command *c)
{
    if (c->state && c->tables->destroy)
        c->tables->destroy(c->state);
    lcl_free(c->state);
}

// Reads the arguments that must be known before the first one is processed.
static enum lcl_status look_ahead(struct command *c, int argc, char **argv)
{
    bool json = false;
    // the solver of all former versions, so that figures stay comparable
    c->bench.options.solver.type = LCL_SOLVER_BICGSTAB;
    c->bench.options.precond.type = LCL_PRECOND_ILDU0;
    c->tables = find_tables(argv[1]);
    c->first = c->tables ? 2 : 1;
    enum lcl_status st;
    if ((st = check_subject(c, argv[1])) < 0 ||
        (st = check_order(c, argc, argv)) < 0)
        return st;
    for (int i = c->first; i < argc; ++i) {
        json |= strcmp(argv[i], "--json") == 0;
        c->bench.weak |= strcmp(argv[i], "--weak") == 0;
        c->bench.profile |= strcmp(argv[i], "--profile") == 0;
        if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            c->bench.device = argv[i + 1];
    }
    c->bench.tables = c->tables && !json;
    return c->tables ? open_tables(c) : LCL_OK;
}

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

// Prints text if the command line requests nothing else; returns whether it
// does.
static bool print_text(int argc, char **argv)
{
    const bool help =
        has_word(argc, argv, "--help") || has_word(argc, argv, "-h");
    const bool version = has_word(argc, argv, "--version");
    if (argc < 2 || help)
        print_help(argc < 2 ? stderr : stdout);
    else if (version)
        printf("levelbench %s\n", lcl_version());
    return argc < 2 || help || version;
}

int main(int argc, char **argv)
{
    struct command c = {.log = {.fn = print_log, .level = LCL_LOG_WARN}};
    c.log.user = c.bench.messages = &c.messages;
    if (print_text(argc, argv))
        return argc < 2 ? 2 : 0;
    enum lcl_status st = look_ahead(&c, argc, argv);
    if (st == LCL_OK)
        st = run(&c, argc, argv);
    close_tables(&c);
    lcl_labels_free(&c.labels);
    lcl_context_destroy(&c.bench.ctx);
    if (st < 0 && !c.messages.explained)
        fprintf(stderr, "levelbench: %s\n", lcl_status_str(st));
    return st < 0 ? st == LCL_EINVAL ? 2 : 4 : 0;
}
