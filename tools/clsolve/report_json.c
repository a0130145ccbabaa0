// SPDX-License-Identifier: BSD-3-Clause
// The JSON records of clsolve, as tools/clsolve/clsolve.schema.json describes
// them. What differs from run to run is in members named "seconds".
#include "tools/clsolve/commands.h"
#include "tools/clsolve/json.h"
#include "tools/clsolve/memory.h"
#include "tools/clsolve/ranks.h"
#include "tools/clsolve/report.h"

#include <levelcl/published.h>

enum { REPAIRED_SHOWN = 8 };

// ---------------------------------------------------------------- parts

static void put_kron(cJSON *matrix, const struct job *job)
{
    const struct lcl_kron *K = &job->kron.K;
    const int values = K->M->block_size * K->M->block_size;
    const struct job_blocks blocks = job_blocks(job);
    json_put_count(matrix, "rows", job->unknowns);
    json_put_count(matrix, "stages", K->stages);
    json_put_count(matrix, "stage_rows", job_stage_rows(job));
    json_put_number(matrix, "tau", K->tau);
    json_put_count(matrix, "block_size", K->M->block_size);
    json_put_count(matrix, "nnz_m", blocks.M * values);
    json_put_count(matrix, "nnz_l", blocks.L * values);
}

static void put_facts(cJSON *matrix, const struct job *job)
{
    const struct facts *facts = &job->facts;
    if (job_parts(job) == 2)
        json_put_count(matrix, "complex_rows", job->A.rows / 2);
    json_put_count(matrix, "rows", job->A.rows);
    json_put_count(matrix, "cols", job->A.cols);
    json_put_count(matrix, "nnz", job->A.nnz);
    json_put_count(matrix, "row_min", facts->row_min);
    json_put_count(matrix, "row_max", facts->row_max);
    json_put_count(matrix, "zero_rows", facts->zero_rows);
    json_put_count(matrix, "missing_diagonals", facts->missing_diagonals);
    json_put_count(matrix, "positive_diagonals", facts->positive_diagonals);
    json_put_count(matrix, "negative_diagonals", facts->negative_diagonals);
}

cJSON *json_put_matrix(cJSON *record, const struct job *job)
{
    cJSON *matrix = cJSON_AddObjectToObject(record, "matrix");
    json_put_name(matrix, "name", job_title(job));
    json_put_count(matrix, "duplicates", job->read.duplicates);
    json_put_count(matrix, "explicit_zeros", job->read.explicit_zeros);
    if (cli_is_kron(&job->cli))
        put_kron(matrix, job);
    else
        put_facts(matrix, job);
    return matrix;
}

// Without queues_overlap, which depends on how busy a CPU is.
void json_put_device(cJSON *device, const struct lcl_caps *caps)
{
    json_put_text(device, "name", caps->name);
    json_put_text(device, "vendor", caps->vendor);
    json_put_text(device, "platform", caps->platform);
    json_put_text(device, "version", caps->version);
    json_put_text(device, "driver", caps->driver);
    json_put_text(device, "type", lcl_device_type_name(caps->type));
    json_put_count(device, "compute_units", caps->compute_units);
    json_put_count(device, "width", caps->width);
    json_put_count(device, "max_group_size", caps->max_group_size);
    json_put_count(device, "global_bytes", (int64_t)caps->global_bytes);
    json_put_count(device, "max_buffer_bytes", (int64_t)caps->max_buffer_bytes);
    json_put_count(device, "local_bytes", (int64_t)caps->local_bytes);
    json_put_bool(device, "fp64", caps->fp64);
    json_put_bool(device, "strict_rounding", caps->strict_rounding);
    json_put_bool(device, "int64_atomics", caps->int64_atomics);
    json_put_text(device, "exchange", lcl_exchange_name(caps->exchange));
    json_put_text(device, "local_add", lcl_atomic_add_name(caps->local_add));
    json_put_text(device, "progress", lcl_progress_name(caps->progress));
    json_put_text(device, "fence", lcl_fence_name(caps->fence));
    json_put_text(device, "cl_std", caps->cl_std);
    json_put_number(device, "timer_resolution", caps->timer_resolution);
    json_put_text(device, "pci", caps->pci);
    json_put_count(device, "numa_node", caps->numa_node);
}

// CU-Solver exchanges each stage by itself.
static enum lcl_kron_exchange_type kron_exchange(
    const struct lcl_operator_params *op)
{
    return op->kron == LCL_KRON_CU ? LCL_KRON_EXCHANGE_STAGED
                                   : op->kron_exchange;
}

static void put_method(cJSON *record, const struct job *job)
{
    const struct lcl_options *options = &job->cli.options;
    const struct lcl_precond_params *precond = &options->precond;
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    const struct lcl_solver_params *solver = &job->solver;
    cJSON *method = cJSON_AddObjectToObject(record, "method");
    json_put_text(method, "solver", lcl_solver_name(solver->type));
    json_put_number(method, "rtol", solver->rtol);
    json_put_number(method, "atol", solver->atol);
    json_put_text(method, "norm", lcl_norm_name(solver->norm));
    json_put_count(method, "max_iters", solver->max_iters);
    json_put_count(method, "stagnation", solver->stagnation);
    if (lcl_solver_facts(solver->type)->idr_s) {
        json_put_count(method, "idr_s", solver->idr_s);
        json_put_text(method, "side", lcl_side_name(solver->side));
    }
    if (job_has_basis(job)) {
        json_put_count(method, "restart", solver->restart);
        json_put_text(method, "basis", lcl_basis_storage_name(solver->basis));
        json_put_text(method, "orthogonalisation",
                      lcl_orthogonalisation_name(solver->orthogonalisation));
    }
    json_put_text(method, "precond",
                  lcl_precond_name(info ? info->type : precond->type));
    json_put_text(
        method, "trisolve",
        lcl_trisolve_name(info ? info->factors.trisolve : precond->trisolve));
    json_put_count(method, "block_size", options->op.block_size);
    json_put_text(method, "spmv", lcl_spmv_name(options->op.spmv));
    if (cli_is_kron(&job->cli))
        json_put_text(method, "kron_product", lcl_kron_name(options->op.kron));
    if (cli_is_kron(&job->cli) && (job->devices.count > 1 || job->ranks))
        json_put_text(method, "kron_exchange",
                      lcl_kron_exchange_name(kron_exchange(&options->op)));
    json_put_text(method, "partition",
                  lcl_partition_name(precond->partition.type));
    json_put_count(method, "subdomain_rows", precond->partition.rows);
    json_put_text(method, "pivot", lcl_pivot_name(job_pivot(job)));
    json_put_number(method, "pivot_tol",
                    precond->pivot_tol > 0 ? precond->pivot_tol : 1e-10);
    json_put_text(method, "coarse", lcl_coarse_name(precond->coarse));
    json_put_text(method, "factor_storage",
                  lcl_factor_storage_name(precond->storage));
    json_put_count(method, "max_block_size", precond->block_jacobi.max_rows);
    json_put_text(method, "block_extraction",
                  lcl_block_extraction_name(precond->block_jacobi.extraction));
    json_put_text(method, "block_apply",
                  lcl_block_apply_name(precond->block_jacobi.apply));
    json_put_name(method, "rhs", job_rhs_title(job));
    if (job->cli.x0)
        json_put_name(method, "x0", job_input_title(job->cli.x0));
    json_put_text(method, "reason", lcl_chain_reason(job->chain));
}

static void put_repaired(cJSON *object, const struct lcl_precond_info *info)
{
    cJSON *rows = cJSON_AddArrayToObject(object, "repaired_rows");
    json_put_count(object, "pivots_repaired", info->pivots_repaired);
    for (int i = 0; i < REPAIRED_SHOWN && i < info->pivots_repaired; ++i)
        cJSON_AddItemToArray(
            rows, cJSON_CreateNumber((double)info->repaired_rows[i] + 1));
}

static void put_diagonal(cJSON *object, const struct lcl_blocks_info *info)
{
    json_put_count(object, "diagonal_blocks", info->count);
    json_put_count(object, "diagonal_block_rows_max", info->rows_max);
    json_put_count(object, "diagonal_blocks_fp32", info->fp32);
    json_put_count(object, "diagonal_blocks_bf16", info->bf16);
    json_put_text(object, "extraction",
                  lcl_block_extraction_name(info->extraction));
    json_put_text(object, "block_apply", lcl_block_apply_name(info->apply));
}

static void put_levels(cJSON *object, const struct lcl_amg_info *info)
{
    json_put_text(object, "amg_coarsening",
                  lcl_amg_coarsening_name(info->coarsening));
    json_put_text(object, "amg_smoother",
                  lcl_amg_smoother_name(info->smoother));
    cJSON *levels = cJSON_AddArrayToObject(object, "amg_levels");
    for (int l = 0; l < info->levels; ++l) {
        cJSON *level = cJSON_CreateObject();
        json_put_count(level, "rows", info->rows[l]);
        json_put_count(level, "nnz", info->nnz[l]);
        json_put_number(level, "lambda", info->lambda_max[l]);
        json_put_text(level, "storage",
                      lcl_factor_storage_name(info->storage[l]));
        if (info->loss[l] != 0)
            json_put_number(level, "loss", info->loss[l]);
        if (info->plain[l])
            cJSON_AddTrueToObject(level, "plain");
        cJSON_AddItemToArray(levels, level);
    }
    json_put_number(object, "amg_complexity", info->complexity);
    json_put_count(object, "amg_bytes", (int64_t)info->bytes);
    json_put_count(object, "amg_traffic", (int64_t)info->traffic);
}

static void put_precond(cJSON *record, const struct job *job)
{
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    if (!info)
        return;
    const struct lcl_factors_info *factors = &info->factors;
    const struct lcl_coarse_info *coarse = &info->coarse;
    cJSON *object = cJSON_AddObjectToObject(record, "precond");
    json_put_text(object, "type", lcl_precond_name(info->type));
    json_put_text(object, "trisolve", lcl_trisolve_name(factors->trisolve));
    json_put_count(object, "block_size", info->block_size);
    json_put_count(object, "nnz_kept", info->nnz_kept);
    json_put_number(object, "dropped_share", factors->dropped_share);
    json_put_number(object, "dropped_weight", factors->dropped_weight);
    json_put_count(object, "ilu_level", factors->ilu_level);
    json_put_count(object, "ilut_p", factors->ilut_p);
    json_put_number(object, "ilut_tol", factors->ilut_tol);
    json_put_count(object, "overlap", factors->overlap);
    json_put_bool(object, "transversal", factors->transversal);
    json_put_text(object, "order", lcl_order_name(factors->order));
    json_put_count(object, "extended_rows", factors->rows);
    json_put_count(object, "factor_nnz", factors->nnz);
    json_put_count(object, "parts", factors->parts);
    json_put_count(object, "part_rows_min", factors->part_rows_min);
    json_put_count(object, "part_rows_max", factors->part_rows_max);
    json_put_count(object, "levels_max", factors->levels_max);
    json_put_number(object, "levels_mean", factors->levels_mean);
    json_put_count(object, "missing_diagonals", info->missing_diagonals);
    put_repaired(object, info);
    json_put_count(object, "factor_bytes", (int64_t)info->bytes);
    json_put_text(object, "storage", lcl_factor_storage_name(info->storage));
    if (info->blocks.count > 0)
        put_diagonal(object, &info->blocks);
    json_put_count(object, "launches", info->launches);
    json_put_count(object, "barriers", factors->barriers);
    json_put_count(object, "group_size", factors->group_size);
    json_put_text(object, "form", factors->form);
    json_put_text(object, "partition", lcl_partition_name(factors->partition));
    json_put_bool(object, "weighted", factors->weighted);
    json_put_text(object, "coarse", lcl_coarse_name(coarse->type));
    json_put_count(object, "coarse_rows", coarse->rows);
    json_put_count(object, "coarse_pinned", coarse->pinned);
    json_put_count(object, "coarse_bytes", (int64_t)coarse->bytes);
    if (info->amg.levels > 0)
        put_levels(object, &info->amg);
}

static void put_operator(cJSON *record, const struct job *job)
{
    const struct lcl_operator_info *info = lcl_operator_info(job->op);
    cJSON *object = cJSON_AddObjectToObject(record, "operator");
    if (info->kron)
        json_put_text(object, "kron", lcl_kron_name(info->kron));
    else
        json_put_text(object, "spmv", lcl_spmv_name(info->spmv));
    if (info->communication)
        json_put_text(object, "communication",
                      lcl_communication_name(info->communication));
    json_put_count(object, "bytes", (int64_t)info->bytes);
    json_put_count(object, "traffic", (int64_t)info->traffic);
}

static void put_memory(cJSON *record, const struct job *job)
{
    const struct memory memory = memory_in_use(job);
    const struct lcl_memory_info *all = &memory.all;
    cJSON *object = cJSON_AddObjectToObject(record, "memory");
    json_put_count(object, "operator_bytes", (int64_t)memory.op);
    json_put_count(object, "precond_bytes", (int64_t)memory.precond);
    json_put_count(object, "other_bytes", (int64_t)memory.other);
    json_put_count(object, "buffers", all->buffers);
    json_put_count(object, "buffer_bytes", (int64_t)all->buffer_bytes);
    json_put_count(object, "buffer_bytes_max", (int64_t)all->buffer_bytes_max);
    json_put_count(object, "device_bytes", (int64_t)all->device_bytes);
    json_put_count(object, "pinned_bytes", (int64_t)all->pinned_bytes);
}

static void put_times(cJSON *record, const struct job *job)
{
    const struct job_times times = job_times(job);
    const struct lcl_build_info builds = lcl_context_builds(job->ctx);
    cJSON *seconds = cJSON_AddObjectToObject(record, "seconds");
    for (int phase = 0; phase < LCL_PHASE_COUNT; ++phase)
        json_put_number(seconds, lcl_phase_name((enum lcl_phase)phase),
                        times.phase[phase]);
    json_put_number(seconds, "other", times.other);
    json_put_number(seconds, "total", times.total);
    cJSON *kernels = cJSON_AddObjectToObject(seconds, "kernels");
    json_put_count(kernels, "compiled", builds.compiled);
    json_put_count(kernels, "from_cache", builds.from_cache);
    if (!job->cli.profile)
        return;
    profile_add(cJSON_AddObjectToObject(seconds, "profile"), &job->profile);
}

void json_put_warnings(cJSON *record, const struct job *job)
{
    const struct messages *messages = &job->messages;
    cJSON *list = cJSON_AddArrayToObject(record, "warnings");
    for (int i = 0; i < messages->warnings && i < MESSAGES_KEPT; ++i)
        cJSON_AddItemToArray(list, cJSON_CreateString(messages->warning[i]));
}

void json_put_state(cJSON *record, const struct job *job)
{
    put_operator(record, job);
    put_precond(record, job);
    put_memory(record, job);
    put_times(record, job);
}

// ---------------------------------------------------------------- records

// Only if there are several.
void json_put_devices(cJSON *record, const struct devices *D)
{
    if (D->count < 2)
        return;
    cJSON *list = cJSON_AddArrayToObject(record, "devices");
    for (int k = 0; k < D->count; ++k) {
        cJSON *device = cJSON_CreateObject();
        json_put_device(device, lcl_context_caps(D->ctx[k]));
        cJSON_AddItemToArray(list, device);
    }
}

static void put_exchanges(cJSON *record, const struct exchanges *E)
{
    if (E->count == 0)
        return;
    cJSON *list = cJSON_AddArrayToObject(record, "exchange");
    for (int k = 0; k < E->count; ++k) {
        const struct lcl_exchange_info *info = &E->each[k];
        cJSON *object = cJSON_CreateObject();
        cJSON *seconds = cJSON_AddObjectToObject(object, "seconds");
        json_put_number(seconds, "own", exchanges_own_seconds(E, k));
        json_put_number(seconds, "halo", info->halo_seconds);
        json_put_number(seconds, "sums", info->sum_seconds);
        json_put_count(object, "exchanges", info->exchanges);
        json_put_count(object, "sums", info->sums);
        json_put_count(object, "sent_bytes", (int64_t)info->sent_bytes);
        json_put_count(object, "taken_bytes", (int64_t)info->taken_bytes);
        cJSON_AddItemToArray(list, object);
    }
}

bool json_solve(const struct job *job, int exit_code)
{
    cJSON *record = json_new("solve");
    json_put_matrix(record, job);
    json_put_device(cJSON_AddObjectToObject(record, "device"),
                    lcl_context_caps(job->ctx));
    json_put_devices(record, &job->devices);
    if (job->ranks)
        json_put_count(record, "ranks", job->ranks->size);
    put_method(record, job);
    json_put_result(record, job);
    json_put_state(record, job);
    put_exchanges(record, &job->exchanges);
    json_put_warnings(record, job);
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}

bool json_info(const struct job *job, int exit_code)
{
    cJSON *record = json_new("info");
    cJSON *matrix = json_put_matrix(record, job);
    if (!cli_is_kron(&job->cli)) {
        json_put_bool(matrix, "pattern_symmetric",
                      job->facts.pattern_symmetric);
        json_put_number(matrix, "asymmetry", job->facts.asymmetry);
    }
    json_put_device(cJSON_AddObjectToObject(record, "device"),
                    lcl_context_caps(job->ctx));
    json_put_state(record, job);
    json_put_warnings(record, job);
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}

bool json_convert(const struct job *job)
{
    const bool is_matrix = job->A.row_ptr != NULL;
    cJSON *record = json_new("convert");
    cJSON *object =
        cJSON_AddObjectToObject(record, is_matrix ? "matrix" : "vector");
    json_put_name(object, "name", job_title(job));
    if (job_parts(job) == 2)
        json_put_count(object, "complex_rows",
                       (is_matrix ? job->A.rows : job->rhs.rows) / 2);
    json_put_count(object, "rows", is_matrix ? job->A.rows : job->rhs.rows);
    json_put_count(object, "cols", is_matrix ? job->A.cols : job->rhs.cols);
    if (is_matrix)
        json_put_count(object, "nnz", job->A.nnz);
    json_put_name(record, "written", job->cli.output);
    json_put_count(record, "exit", 0);
    return json_print(record);
}

static void put_links(cJSON *record, const struct links *links)
{
    cJSON *list = cJSON_AddArrayToObject(record, "links");
    for (int from = 0; from < links->count; ++from)
        for (int to = 0; to < links->count; ++to) {
            const struct lcl_link *link = &links->link[from][to];
            if (from == to)
                continue;
            cJSON *object = cJSON_CreateObject();
            json_put_count(object, "from", links->device[from]);
            json_put_count(object, "to", links->device[to]);
            json_put_number(object, "latency", link->latency);
            json_put_number(object, "bandwidth", link->bandwidth);
            cJSON_AddItemToArray(list, object);
        }
}

bool json_devices(const struct lcl_caps *caps, int count,
                  const struct links *links)
{
    cJSON *record = json_new("devices");
    cJSON *list = cJSON_AddArrayToObject(record, "devices");
    for (int i = 0; i < count; ++i) {
        cJSON *device = cJSON_CreateObject();
        json_put_device(device, &caps[i]);
        json_put_bool(device, "queues_overlap", caps[i].queues_overlap);
        cJSON_AddItemToArray(list, device);
    }
    if (links)
        put_links(record, links);
    json_put_count(record, "exit", 0);
    return json_print(record);
}

bool json_doctor(const struct doctor *doctor, int exit_code)
{
    cJSON *record = json_new("doctor");
    cJSON *list = cJSON_AddArrayToObject(record, "checks");
    for (int i = 0; i < doctor->count; ++i) {
        const struct finding *finding = &doctor->finding[i];
        cJSON *object = cJSON_CreateObject();
        json_put_text(object, "check", finding->check);
        json_put_bool(object, "ok", finding->ok);
        json_put_text(object, "text", finding->text);
        if (!finding->ok)
            json_put_text(object, "to_do", finding->to_do);
        cJSON_AddItemToArray(list, object);
    }
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}

void json_put_error(cJSON *record, const struct job *job,
                    enum lcl_status status)
{
    cJSON *error = cJSON_AddObjectToObject(record, "error");
    json_put_text(error, "status", lcl_status_name(status));
    json_put_text(error, "message",
                  *job->messages.error ? job->messages.error
                                       : lcl_status_str(status));
}

bool json_error(const struct job *job, enum lcl_status status, int exit_code)
{
    cJSON *record = json_new(job->cli.command->name);
    json_put_error(record, job, status);
    json_put_count(record, "exit", exit_code);
    return json_print(record);
}
