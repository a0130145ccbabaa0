// SPDX-License-Identifier: BSD-3-Clause
// Runs in several processes: what MPI does for them. All ranks take the same
// steps; after each they agree on its status, and rank 0 reports.
#include "tools/ranks.h"

#include "tools/random.h"

#include <levelcl/mpi.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 1, PIECE = 1 << 26 }; // numbers of a message
// In seconds: without an error; after that of another rank.
enum { PATIENCE = 25, GRACE = 4 };

static const MPI_Comm world = MPI_COMM_WORLD;

static enum lcl_status no_memory(struct job *job, const char *what)
{
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for %s", what);
}

// ---------------------------------------------------------------- waiting

// For how long a rank waits for the others.
static double patience(void)
{
    const char *limit = getenv("LEVELCL_RANK_TIMEOUT");
    const double seconds = limit && *limit ? strtod(limit, NULL) : PATIENCE;
    return seconds > 0 ? seconds : INFINITY;
}

static bool completes(MPI_Request *request, double seconds)
{
    const double until = job_clock() + seconds;
    const struct timespec pause = {.tv_nsec = 1000000};
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           !done && job_clock() < until)
        nanosleep(&pause, NULL);
    return done;
}

// Without the other ranks the run ends here.
static void end_all(const struct job *job, const char *text)
{
    fprintf(stderr, "clsolve: rank %d: %s\n", job->ranks->rank,
            terminal_text(text).text);
    MPI_Abort(world, job_exit_code(job, LCL_EDEVICE));
}

static void await(const struct job *job, MPI_Request request)
{
    if (!completes(&request, patience()))
        end_all(job, "another rank does not answer");
}

static void broadcast(const struct job *job, void *data, int count,
                      MPI_Datatype type, int root)
{
    MPI_Request request;
    MPI_Ibcast(data, count, type, root, world, &request);
    await(job, request);
}

static void reduce(const struct job *job, void *values, int count,
                   MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, world, &request);
    await(job, request);
}

// ---------------------------------------------------------------- agreement

struct outcome {
    int status, phase, has_message;
};

// The rank whose error counts: the first that says why, else the first; -1: all
// are well.
static int find_failure(const struct outcome *all, int size)
{
    int found = -1;
    for (int r = size - 1; r >= 0; --r)
        if (all[r].status < 0 &&
            (all[r].has_message || found < 0 || !all[found].has_message))
            found = r;
    return found;
}

static enum lcl_status take_failure(struct job *job, const struct outcome *all,
                                    int rank)
{
    char text[MESSAGE_BYTES];
    snprintf(text, sizeof text, "%s", job->messages.error);
    broadcast(job, text, sizeof text, MPI_CHAR, rank);
    job->phase = (enum job_phase)all[rank].phase;
    if (!all[rank].has_message)
        snprintf(text, sizeof text, "%s",
                 lcl_status_str((enum lcl_status)all[rank].status));
    return rank == 0
               ? messages_fail(&job->messages,
                               (enum lcl_status)all[rank].status, "%s", text)
               : messages_fail(&job->messages,
                               (enum lcl_status)all[rank].status, "rank %d: %s",
                               rank, text);
}

// How long a rank waits for the others. After an error these have theirs, too;
// of several ranks that can tell why, the first one ends the run.
static double patience_after(const struct job *job, const struct outcome *own)
{
    if (own->status < 0)
        return own->has_message ? 1 + fmin(0.1 * job->ranks->rank, 1) : GRACE;
    // files may take any time
    return own->phase == JOB_INPUT || own->phase == JOB_OUTPUT ? INFINITY
                                                               : patience();
}

static void gather_outcomes(struct job *job, const struct outcome *own,
                            struct outcome *all)
{
    const char *text = own->status < 0 ? job->messages.error : "";
    MPI_Request request;
    MPI_Iallgather(own, 3, MPI_INT, all, 3, MPI_INT, world, &request);
    if (!completes(&request, patience_after(job, own)))
        end_all(job, *text ? text : "another rank does not answer");
}

// The error of one rank on all, with its message.
static enum lcl_status agree(struct job *job, enum lcl_status st)
{
    const struct outcome own = {st, (int)job->phase, *job->messages.error != 0};
    const int size = job->ranks->size;
    struct outcome *all = malloc((size_t)size * sizeof *all);
    if (!all)
        MPI_Abort(world, job_exit_code(job, LCL_ENOMEM));
    gather_outcomes(job, &own, all);
    const int rank = find_failure(all, size);
    if (rank >= 0)
        st = take_failure(job, all, rank);
    free(all);
    return st;
}

// ---------------------------------------------------------------- begin, end

// Once all ranks are there: the call itself waits without limit.
static int local_rank(const struct job *job)
{
    MPI_Comm host;
    MPI_Request request;
    int rank;
    MPI_Ibarrier(world, &request);
    await(job, request);
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    return rank;
}

static void be_silent(struct job *job)
{
    job->silent = true;
    job->cli.quiet = true;
    job->line.live = false;
    job->cli.output = job->cli.history = NULL;
    job->messages.verbose = 0;
    job->log = messages_log(&job->messages);
}

enum lcl_status ranks_begin(struct job *job)
{
    int size, level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return messages_fail(&job->messages, LCL_EDEVICE, "MPI does not start");
    MPI_Comm_size(world, &size);
    if (size == 1)
        return LCL_OK;
    struct ranks *R = job->ranks = calloc(1, sizeof *R);
    if (!R)
        MPI_Abort(world, job_exit_code(job, LCL_ENOMEM));
    R->size = size;
    R->stages = 1;
    MPI_Comm_rank(world, &R->rank);
    R->local = local_rank(job);
    if (R->rank > 0)
        be_silent(job);
    return LCL_OK;
}

// Where a rank has failed, messages may be under way that nobody receives: MPI
// would wait for them.
void ranks_end(enum lcl_status status, int code)
{
    int begun;
    MPI_Initialized(&begun);
    if (begun && status == LCL_EDEVICE)
        MPI_Abort(world, code);
    if (begun)
        MPI_Finalize();
}

// ---------------------------------------------------------------- checks

// The first rank whose hash is not that of rank 0; `size`: all have the same.
static int find_other(const struct job *job, uint64_t own)
{
    const struct ranks *R = job->ranks;
    uint64_t first = own;
    broadcast(job, &first, 1, MPI_UINT64_T, 0);
    int other = own != first ? R->rank : R->size;
    reduce(job, &other, 1, MPI_INT, MPI_MIN);
    return other;
}

static enum lcl_status compare_options(struct job *job)
{
    const int other = find_other(job, ranks_hash_options(&job->cli));
    job->phase = JOB_USAGE;
    return other == job->ranks->size
               ? LCL_OK
               : messages_fail(&job->messages, LCL_EINVAL,
                               "rank %d has other options than rank 0", other);
}

static bool reads_stdin(const struct cli *cli)
{
    bool found = cli->matrix && strcmp(cli->matrix, "-") == 0;
    for (int k = 0; k < 4 && cli->kron[0]; ++k)
        found = found || strcmp(cli->kron[k], "-") == 0;
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
    return lcl_rows_read_mpi(&R->rows, world, job->cli.matrix,
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
    reduce(job, sums, 5, MPI_INT64_T, MPI_SUM);
    reduce(job, least, 3, MPI_INT64_T, MPI_MIN);
    reduce(job, &f->row_max, 1, MPI_INT64_T, MPI_MAX);
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
}

static enum lcl_status read_matrix(struct job *job)
{
    enum lcl_status st = agree(job, read_rows(job));
    if (st == LCL_OK)
        st = agree(job, ranks_facts(job));
    if (st < 0)
        return st;
    reduce_facts(job);
    return agree(job, job_check_rows(job));
}

static enum lcl_status compare_systems(struct job *job)
{
    const int other = find_other(job, ranks_hash_kron(&job->kron.K));
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
    return agree(job, lcl_rows_read_mpi(R, world, path, cut, &job->log));
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
    int suits = 0, b = LCL_BLOCK_MAX;
    for (int k = 1; k <= LCL_BLOCK_MAX; ++k)
        suits |= (M->nnz + L->nnz == 0 || own % k == 0) << k;
    reduce(job, &suits, 1, MPI_INT, MPI_BAND);
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
    if ((st = agree(job, st)) == LCL_OK) {
        const int asked = job->cli.options.op.block_size;
        const int b = asked ? asked : find_block(job, &own_m, &own_l);
        st = agree(job, job_into_blocks(job, &own_m, &own_l, b));
    }
    free(own_m.col_ind);
    free(own_l.col_ind);
    if (st < 0)
        return st;
    int64_t blocks[] = {job->kron.M.nnz, job->kron.L.nnz};
    reduce(job, blocks, 2, MPI_INT64_T, MPI_SUM);
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
    enum lcl_status st = agree(job, job_read_stages(job));
    if (st == LCL_OK && (st = agree(job, compare_systems(job))) == LCL_OK &&
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
    const enum lcl_status st = agree(job, job_read_kron(job));
    return st < 0 ? st : agree(job, ranks_share_kron(job));
}

// ---------------------------------------------------------------- vectors

static void move_piece(const struct job *job, void *x, int count,
                       MPI_Datatype type, int peer, bool sends)
{
    MPI_Request request;
    if (sends)
        MPI_Isend(x, count, type, peer, TAG, world, &request);
    else
        MPI_Irecv(x, count, type, peer, TAG, world, &request);
    await(job, request);
}

// Sends or receives `count` numbers in pieces.
static void move(const struct job *job, double *x, int64_t count, int peer,
                 bool sends)
{
    for (int64_t at = 0; at < count; at += PIECE) {
        const int piece = (int)(count - at < PIECE ? count - at : PIECE);
        move_piece(job, x + at, piece, MPI_DOUBLE, peer, sends);
    }
}

// Of each stage of the whole vector of rank 0, rows first .. first + rows - 1.
static void move_whole(const struct job *job, double *whole, int peer,
                       bool sends)
{
    const struct ranks *R = job->ranks;
    int64_t place[2];
    move_piece(job, place, 2, MPI_INT64_T, peer, false);
    for (int j = 0; j < R->stages; ++j)
        move(job, whole + j * R->rows.total + place[0], place[1], peer, sends);
}

static void move_part(const struct job *job, double *part, bool sends)
{
    const struct ranks *R = job->ranks;
    int64_t place[2] = {R->rows.first, R->rows.rows};
    move_piece(job, place, 2, MPI_INT64_T, 0, true);
    for (int j = 0; j < R->stages; ++j)
        move(job, part + j * place[1], place[1], 0, sends);
}

static void copy_part(const struct ranks *R, double *whole, double *part,
                      bool spreads)
{
    const int64_t rows = R->rows.rows;
    for (int j = 0; j < R->stages; ++j) {
        double *const own = part + j * rows;
        double *const its = whole + j * R->rows.total + R->rows.first;
        memcpy(spreads ? own : its, spreads ? its : own,
               (size_t)rows * sizeof *own);
    }
}

// Between the whole vector of rank 0 and the parts of all, in rank order.
static void move_parts(const struct job *job, double *whole, double *part,
                       bool spreads)
{
    const struct ranks *R = job->ranks;
    if (R->rank > 0) {
        move_part(job, part, !spreads);
        return;
    }
    copy_part(R, whole, part, spreads);
    for (int r = 1; r < R->size; ++r)
        move_whole(job, whole, r, spreads);
}

// The right-hand side of a file, on rank 0.
static enum lcl_status read_rhs(struct job *job)
{
    job->phase = JOB_INPUT;
    return job->ranks->rank == 0 ? job_read_rhs(job) : LCL_OK;
}

static void multiply_ones(const struct lcl_rows *R, double *b)
{
    for (int64_t i = 0; i < R->rows; ++i) {
        b[i] = 0;
        for (int64_t k = R->row_ptr[i]; k < R->row_ptr[i + 1]; ++k)
            b[i] += R->val[k];
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
            multiply_ones(&R->rows, b);
        break;
    case CLI_RHS_RANDOM:
        make_random(R, job->cli.seed, b);
        break;
    case CLI_RHS_ONES:
        for (int64_t i = 0; i < R->stages * R->rows.rows; ++i)
            b[i] = 1;
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
    if ((st = agree(job, st)) < 0)
        return st;
    if (job_rhs(job))
        move_parts(job, job->rhs.val, job->made_rhs, true);
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
    const enum lcl_status st = agree(
        job, R->rank > 0 || whole ? LCL_OK : no_memory(job, "the solution"));
    if (st == LCL_OK)
        move_parts(job, whole, job->x, false);
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
    enum lcl_status st = agree(job, ranks_cut_kron(job, &part));
    if (st == LCL_OK)
        st = lcl_operator_create_kron_mpi(&job->op, job->ctx, world, &part.K,
                                          &job->cli.options.op);
    ranks_finish_kron(&part);
    return st;
}

enum lcl_status ranks_make_operator(struct job *job)
{
    if (cli_is_kron(&job->cli))
        return make_kron(job);
    return lcl_operator_create_mpi(&job->op, job->ctx, world, &job->ranks->rows,
                                   &job->cli.options.op);
}

void ranks_gather(const struct job *job, void *each, size_t bytes)
{
    const struct ranks *R = job->ranks;
    char *own = (char *)each + (size_t)R->rank * bytes;
    MPI_Request request;
    MPI_Igather(R->rank == 0 ? MPI_IN_PLACE : own, (int)bytes, MPI_BYTE, each,
                (int)bytes, MPI_BYTE, 0, world, &request);
    await(job, request);
}

static enum lcl_status check(struct job *job)
{
    enum lcl_status st = agree(job, compare_options(job));
    if (st < 0)
        return st;
    if ((st = check_options(job)) == LCL_OK && job->ranks->rank == 0 &&
        (st = job_check_paths(job)) == LCL_OK)
        st = job_reserve_stdout(job);
    return agree(job, st);
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
    return agree(job, st);
}

static enum lcl_status report_result(struct job *job,
                                     const struct ranks_report *report)
{
    enum lcl_status st = LCL_OK;
    job->phase = JOB_OUTPUT;
    if (job->ranks->rank == 0 && (st = job_write(job)) == LCL_OK)
        st = report->print_result(job);
    return agree(job, st);
}

enum lcl_status ranks_solve(struct job *job, const struct ranks_report *report)
{
    const bool is_first = job->ranks->rank == 0;
    int wanted = is_first && job->cli.output;
    enum lcl_status st;
    if ((st = check(job)) < 0 || (st = read_all(job)) < 0 ||
        (st = open_device(job)) < 0)
        return st;
    if (is_first)
        report->print_header(job);
    if ((st = agree(job, job_set_up(job))) < 0)
        return st;
    if (is_first)
        report->print_method(job);
    broadcast(job, &wanted, 1, MPI_INT, 0);
    if ((st = agree(job, exchanges_begin(job))) < 0 ||
        (st = agree(job, job_solve(job))) < 0 ||
        (st = agree(job, exchanges_end(job))) < 0 ||
        (st = collect(job, wanted || job_knows_solution(job))) < 0 ||
        (st = report_result(job, report)) < 0)
        return st;
    return job->outcome;
}
