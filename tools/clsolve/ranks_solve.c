// SPDX-License-Identifier: BSD-3-Clause
// Runs in several processes: all ranks take the same steps; after each they
// agree on its status, and rank 0 reports.
#include "tools/clsolve/ranks.h"

#include "tools/clsolve/random.h"

#include <inttypes.h>
#include <stdlib.h>

static enum lcl_status no_memory(struct job *job, const char *what)
{
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for %s", what);
}

// ---------------------------------------------------------------- checks

static enum lcl_status compare_options(struct job *job)
{
    const int other = ranks_find_other(job, ranks_hash_options(&job->cli));
    job->phase = JOB_USAGE;
    return other == job->ranks->size
               ? LCL_OK
               : messages_fail(&job->messages, LCL_EINVAL,
                               "rank %d has other options than rank 0", other);
}

static bool reads_stdin(const struct cli *cli)
{
    bool found = cli_is_stdin(cli->matrix);
    for (int k = 0; k < 4 && cli->kron[0]; ++k)
        found = found || cli_is_stdin(cli->kron[k]);
    return found;
}

static enum lcl_status check_options(struct job *job)
{
    const struct cli *cli = &job->cli;
    const struct {
        bool given;
        const char *name;
    } rules[] = {
        {cli->text[0] != NULL, "--csr-text"},
        {cli->labels != NULL, "--partition file"},
        {cli->coordinates != NULL, "--coordinates"},
        {cli->near_null != NULL, "--near-null"},
        {cli_null_file(cli) != NULL, "--nullspace file"},
        {cli_has_components(cli), "--nullspace components"},
        {cli->x0 != NULL, "--x0"},
        {cli->dry_run, "--dry-run"},
        {cli->report != NULL, "--report"},
        {reads_stdin(cli), "the standard input"},
    };
    job->phase = JOB_USAGE;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k)
        if (rules[k].given)
            return messages_fail(&job->messages, LCL_EINVAL,
                                 "%s needs one process, not the %d of MPI",
                                 rules[k].name, job->ranks->size);
    return LCL_OK;
}

// ---------------------------------------------------------------- matrix

static enum lcl_status read_rows(struct job *job)
{
    struct ranks *R = job->ranks;
    const int block = job->cli.options.op.block_size;
    if (job->cli.problem) {
        job->phase = JOB_USAGE;
        return lcl_rows_problem(&R->rows, job->cli.problem, R->rank, R->size,
                                &job->log);
    }
    job->phase = JOB_INPUT;
    return lcl_ranks_read_rows(&R->rows, job->mpi, job->cli.matrix,
                               block > 0 ? block : 1, &job->log);
}

static int64_t to_global(int64_t row, int64_t first)
{
    return row > 0 ? first + row : INT64_MAX;
}

static void reduce_facts(struct job *job)
{
    const struct lcl_rows *R = &job->ranks->rows;
    struct facts *f = &job->facts;
    int64_t sums[] = {f->zero_rows, f->missing_diagonals, f->negative_diagonals,
                      f->positive_diagonals, R->row_ptr[R->rows]};
    int64_t least[] = {f->row_min, to_global(f->first_zero_row, R->first),
                       to_global(f->first_missing_diagonal, R->first)};
    ranks_combine(job, sums, 5, ranks_sum);
    ranks_combine(job, least, 3, ranks_least);
    ranks_combine(job, &f->row_max, 1, ranks_most);
    *f = (struct facts){
        .row_min = least[0],
        .row_max = f->row_max,
        .zero_rows = sums[0],
        .first_zero_row = sums[0] > 0 ? least[1] : 0,
        .missing_diagonals = sums[1],
        .first_missing_diagonal = sums[1] > 0 ? least[2] : 0,
        .negative_diagonals = sums[2],
        .positive_diagonals = sums[3],
    };
    // what reports tell of the matrix; its arrays are those of the ranks
    job->A =
        (struct lcl_csr){.rows = R->total, .cols = R->total, .nnz = sums[4]};
    job->unknowns = R->total;
    job->read.is_complex = R->is_complex;
}

static enum lcl_status read_matrix(struct job *job)
{
    enum lcl_status st = ranks_agree(job, read_rows(job));
    if (st == LCL_OK)
        st = ranks_agree(job, ranks_facts(job));
    if (st < 0)
        return st;
    reduce_facts(job);
    return ranks_agree(job, job_check_rows(job));
}

static enum lcl_status compare_systems(struct job *job)
{
    const int other = ranks_find_other(job, ranks_hash_kron(&job->kron.K));
    return other == job->ranks->size
               ? LCL_OK
               : messages_fail(&job->messages, LCL_EFORMAT,
                               "the files of rank %d hold another system than "
                               "those of rank 0",
                               other);
}

// The rank's rows of the file; those of a block of `cut` stay together.
static enum lcl_status read_part(struct job *job, struct lcl_rows *R,
                                 const char *path, int cut)
{
    lcl_rows_finish(R);
    return ranks_agree(job,
                       lcl_ranks_read_rows(R, job->mpi, path, cut, &job->log));
}

// Unless the block size is known, M is read again, once its size is.
static enum lcl_status read_parts(struct job *job, struct lcl_rows *M,
                                  struct lcl_rows *L)
{
    const char *const *path = job->cli.kron;
    const int asked = job->cli.options.op.block_size;
    int cut = asked ? asked : 1;
    enum lcl_status st = read_part(job, M, path[0], cut);
    if (st == LCL_OK && !asked)
        cut = ranks_common_cut(M->total, job->ranks->size);
    if (st == LCL_OK && !asked && cut > 1)
        st = read_part(job, M, path[0], cut);
    return st < 0 ? st : read_part(job, L, path[1], cut);
}

// The largest block size that suits all ranks.
static int find_block(const struct job *job, const struct lcl_csr *M,
                      const struct lcl_csr *L)
{
    const int own = job_common_block(M, L);
    int64_t suits = 0;
    int b = LCL_BLOCK_MAX;
    for (int k = 1; k <= LCL_BLOCK_MAX; ++k)
        suits |= (int64_t)(M->nnz + L->nnz == 0 || own % k == 0) << k;
    ranks_combine(job, &suits, 1, ranks_common_bits);
    while (b > 1 && !(suits >> b & 1))
        --b;
    return b;
}

static enum lcl_status take_parts(struct job *job, const struct lcl_rows *M,
                                  const struct lcl_rows *L)
{
    struct ranks *R = job->ranks;
    struct lcl_csr own_m = {0}, own_l = {0};
    enum lcl_status st = ranks_csr_of(job, &own_m, M);
    if (st == LCL_OK)
        st = ranks_csr_of(job, &own_l, L);
    if ((st = ranks_agree(job, st)) == LCL_OK) {
        const int asked = job->cli.options.op.block_size;
        const int b = asked ? asked : find_block(job, &own_m, &own_l);
        st = ranks_agree(job, job_into_blocks(job, &own_m, &own_l, b));
    }
    free(own_m.col_ind);
    free(own_l.col_ind);
    if (st < 0)
        return st;
    int64_t blocks[] = {job->kron.M.nnz, job->kron.L.nnz};
    ranks_combine(job, blocks, 2, ranks_sum);
    R->blocks = (struct job_blocks){blocks[0], blocks[1]};
    R->stages = job->kron.K.stages;
    R->rows = (struct lcl_rows){
        .first = M->first, .rows = M->rows, .total = M->total};
    job->unknowns = R->stages * M->total;
    return LCL_OK;
}

static enum lcl_status read_kron_files(struct job *job)
{
    struct lcl_rows M = LCL_ROWS_INIT, L = LCL_ROWS_INIT;
    enum lcl_status st = ranks_agree(job, job_read_stages(job));
    if (st == LCL_OK &&
        (st = ranks_agree(job, compare_systems(job))) == LCL_OK &&
        (st = read_parts(job, &M, &L)) == LCL_OK)
        st = take_parts(job, &M, &L);
    lcl_rows_finish(&M);
    lcl_rows_finish(&L);
    return st;
}

static enum lcl_status read_kron(struct job *job)
{
    if (job->cli.kron[0])
        return read_kron_files(job);
    const enum lcl_status st = ranks_agree(job, job_read_kron(job));
    return st < 0 ? st : ranks_agree(job, ranks_share_kron(job));
}

// ---------------------------------------------------------------- vectors

static struct lcl_ranks_rows rows_of(const struct ranks *R)
{
    return (struct lcl_ranks_rows){.first = R->rows.first,
                                   .rows = R->rows.rows,
                                   .total = R->rows.total,
                                   .columns = R->stages};
}

// The right-hand side of a file, on rank 0.
static enum lcl_status read_rhs(struct job *job)
{
    job->phase = JOB_INPUT;
    return job->ranks->rank == 0 ? job_read_rhs(job) : LCL_OK;
}

static void multiply_ones(const struct job *job, double *b)
{
    const struct lcl_rows *R = &job->ranks->rows;
    for (int64_t i = 0; i < R->rows; ++i) {
        b[i] = 0;
        for (int64_t k = R->row_ptr[i]; k < R->row_ptr[i + 1]; ++k)
            b[i] += R->val[k] * job_one(job, R->col[k]);
    }
}

// The seed goes through the whole vector, stage by stage.
static void make_random(const struct ranks *R, uint64_t seed, double *b)
{
    const int64_t n = R->rows.rows;
    for (int j = 0; j < R->stages; ++j)
        random_fill(b + j * n, n,
                    random_skip(seed, j * R->rows.total + R->rows.first));
}

static void make_rhs(struct job *job)
{
    const struct ranks *R = job->ranks;
    double *b = job->made_rhs;
    switch (job->cli.made) {
    case CLI_RHS_A_ONES:
        if (cli_is_kron(&job->cli))
            ranks_multiply_ones_kron(R, &job->kron.K, b);
        else
            multiply_ones(job, b);
        break;
    case CLI_RHS_RANDOM:
        make_random(R, job->cli.seed, b);
        break;
    case CLI_RHS_ONES:
        for (int64_t i = 0; i < R->stages * R->rows.rows; ++i)
            b[i] = job_one(job, i);
    }
}

static enum lcl_status prepare_vectors(struct job *job)
{
    const struct ranks *R = job->ranks;
    const size_t n = (size_t)(R->stages * R->rows.rows);
    job->x = calloc(n, sizeof *job->x);
    job->made_rhs = calloc(n, sizeof *job->made_rhs);
    job->columns = 1;
    job->column = calloc(1, sizeof *job->column);
    enum lcl_status st = job->x && job->made_rhs && job->column
                             ? LCL_OK
                             : no_memory(job, "the solution");
    if (st == LCL_OK && job_rhs(job))
        st = read_rhs(job);
    if ((st = ranks_agree(job, st)) < 0)
        return st;
    const struct lcl_ranks_rows rows = rows_of(R);
    if (job_rhs(job))
        ranks_must(job, lcl_ranks_scatter_rows(job->mpi, &rows, job->rhs.val,
                                               job->made_rhs));
    else
        make_rhs(job);
    job->b = job->made_rhs;
    return LCL_OK;
}

// x as a whole on rank 0, if it is written or compared.
static enum lcl_status collect(struct job *job, bool wanted)
{
    const struct ranks *R = job->ranks;
    double *whole = NULL;
    if (!wanted)
        return LCL_OK;
    if (R->rank == 0)
        whole = malloc((size_t)job->unknowns * sizeof *whole);
    const enum lcl_status st = ranks_agree(
        job, R->rank > 0 || whole ? LCL_OK : no_memory(job, "the solution"));
    const struct lcl_ranks_rows rows = rows_of(R);
    if (st == LCL_OK)
        ranks_must(job, lcl_ranks_gather_rows(job->mpi, &rows, job->x, whole));
    if (st == LCL_OK && R->rank == 0) {
        free(job->x);
        job->x = whole;
        whole = NULL;
    }
    free(whole);
    return st;
}

// ---------------------------------------------------------------- solve

static enum lcl_status make_kron(struct job *job)
{
    struct ranks_kron part;
    enum lcl_status st = ranks_agree(job, ranks_cut_kron(job, &part));
    if (st == LCL_OK)
        st = lcl_operator_create_kron_ranks(&job->op, job->ctx, job->mpi,
                                            &part.K, &job->cli.options.op);
    ranks_finish_kron(&part);
    return st;
}

enum lcl_status ranks_make_operator(struct job *job)
{
    if (cli_is_kron(&job->cli))
        return make_kron(job);
    return lcl_operator_create_ranks(&job->op, job->ctx, job->mpi,
                                     &job->ranks->rows, &job->cli.options.op);
}

static enum lcl_status check(struct job *job)
{
    enum lcl_status st = ranks_agree(job, compare_options(job));
    if (st < 0)
        return st;
    if ((st = check_options(job)) == LCL_OK && job->ranks->rank == 0 &&
        (st = job_check_paths(job)) == LCL_OK)
        st = job_reserve_stdout(job);
    return ranks_agree(job, st);
}

static enum lcl_status read_all(struct job *job)
{
    const double start = job_clock();
    enum lcl_status st =
        cli_is_kron(&job->cli) ? read_kron(job) : read_matrix(job);
    if (st == LCL_OK)
        st = prepare_vectors(job);
    job->read_seconds += job_clock() - start;
    return st;
}

static enum lcl_status open_device(struct job *job)
{
    enum lcl_status st = ranks_choose_device(job);
    if (st == LCL_OK)
        st = job_open_device(job);
    return ranks_agree(job, st);
}

static enum lcl_status report_result(struct job *job,
                                     const struct ranks_report *report)
{
    enum lcl_status st = LCL_OK;
    job->phase = JOB_OUTPUT;
    if (job->ranks->rank == 0 && (st = job_write(job)) == LCL_OK)
        st = report->print_result(job);
    return ranks_agree(job, st);
}

enum lcl_status ranks_solve(struct job *job, const struct ranks_report *report)
{
    const bool is_first = job->ranks->rank == 0;
    int64_t wanted = is_first && job->cli.output;
    enum lcl_status st;
    if ((st = check(job)) < 0 || (st = read_all(job)) < 0 ||
        (st = open_device(job)) < 0)
        return st;
    if (is_first)
        report->print_header(job);
    if ((st = ranks_agree(job, job_set_up(job))) < 0)
        return st;
    if (is_first)
        report->print_method(job);
    ranks_combine(job, &wanted, 1, ranks_most);
    if ((st = ranks_agree(job, exchanges_begin(job))) < 0 ||
        (st = ranks_agree(job, job_solve(job))) < 0 ||
        (st = ranks_agree(job, exchanges_end(job))) < 0 ||
        (st = collect(job, wanted || job_knows_solution(job))) < 0 ||
        (st = report_result(job, report)) < 0)
        return st;
    return job->outcome;
}
