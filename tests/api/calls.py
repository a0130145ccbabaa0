#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes a table of calls of all public functions of the headers, in which each
# pointer can be NULL. Usage: calls.py OUTPUT HEADER...
# A parameter that it does not know is an error: it needs a line in VALUES.
import re
import sys

# A value for a parameter "function.name", else "type name", else "type", of the
# struct calls of tests/device/test_calls.c. "=" marks a pointer that may be NULL.
VALUES = {
    # objects
    'lcl_context *': 'F->ctx',
    'const lcl_context *': 'F->ctx',
    'lcl_context *const *': '&F->ctx',
    'lcl_operator *': 'F->op',
    'const lcl_operator *': 'F->op',
    'lcl_precond *': 'F->M',
    'const lcl_precond *': 'F->M',
    'lcl_solver *': 'F->S',
    'const lcl_solver *': 'F->S',
    'lcl_chain *': 'F->C',
    'const lcl_chain *': 'F->C',
    'lcl_context **': '&F->made.ctx',
    'lcl_operator **': '&F->made.op',
    'lcl_precond **': '&F->made.M',
    'lcl_solver **': '&F->made.S',
    'lcl_chain **': '&F->made.C',
    'lcl_solver_create.M': '=F->M',
    'lcl_operator_update_kron.A': 'F->kron',
    'lcl_operator_update_ldu.A': 'F->ldu',
    'lcl_operator_update_ldu_cl.A': 'F->ldu',
    # matrices
    'const struct lcl_csr *': '&F->A',
    'const struct lcl_bsr *': '&F->blocks',
    'const struct lcl_rows *': '&F->rows',
    'const struct lcl_kron *': '&F->K.K',
    'const struct lcl_kron_rows *': '&F->kron_rows',
    'const struct lcl_layout *': '&F->layout',
    'const struct lcl_dense *': '&F->nodes',
    'lcl_operator_set_near_nullspace.B': '=&F->column',
    'const struct lcl_nullspace *': '=&F->null',
    'const struct lcl_csr_cl *': '&F->csr_cl',
    'struct lcl_csr *': '&F->made.A',
    'struct lcl_bsr *': '&F->made.blocks',
    'struct lcl_dense *': '&F->made.X',
    'struct lcl_rows *': '&F->made.rows',
    'struct lcl_kron_data *': '&F->made.K',
    # vectors
    'double *': 'F->y',
    'const double *': 'F->x',
    'lcl_operator_update.val': 'F->A.val',
    'lcl_operator_update_ldu.diagonal': 'F->layout.val',
    'lcl_operator_update_ldu.upper': 'F->layout.upper',
    'lcl_operator_update_ldu.lower': 'F->layout.lower',
    'lcl_batch_invert.blocks': 'F->A.val',
    'lcl_batch_invert.info': '=F->labels',
    'const int64_t *': 'F->block_ptr',
    'int32_t *': 'F->labels',
    'int32_t **': '&F->made.labels',
    'int64_t *': '&F->number',
    'int *': '&F->count',
    'const struct lcl_array_cl *': '&F->array',
    'const struct lcl_array_cl * b': '&F->from',
    'const struct lcl_array_cl * x': '&F->from',
    'const struct lcl_array_cl * y': '&F->to',
    'lcl_precond_apply_cl.x': '&F->to',
    'lcl_precond_apply_transpose_cl.x': '&F->to',
    'const struct lcl_events_cl *': '=&F->events',
    'const struct lcl_solve_cl *': '&F->solve',
    # the caller's OpenCL objects, functions and MPI
    'cl_context': 'F->context',
    'cl_device_id': 'F->device',
    'cl_command_queue': 'F->queue',
    'lcl_apply_fn *': 'F->apply',
    'lcl_apply_cl_fn *': 'F->apply_cl',
    'void *': '=F',
    'lcl_ranks *': 'F->ranks',
    'const lcl_ranks *': 'F->ranks',
    'lcl_ranks **': '&F->ranks',
    'const struct lcl_ranks_rows *': '&F->ranks_rows',
    'struct lcl_ranks_failure *': '&F->failure',
    'const void *': 'F->b',
    # parameters and results
    'const struct lcl_allocator *': '=&F->allocator',
    'const struct lcl_batch_params *': '=&F->batch',
    'const struct lcl_context_params *': '=&F->context_params',
    'const struct lcl_log *': '=&F->log',
    'const struct lcl_operator_params *': '=&F->options.op',
    'const struct lcl_precond_params *': '=&F->options.precond',
    'const struct lcl_solver_params *': '=&F->options.solver',
    'const struct lcl_options *': '=&F->options',
    'struct lcl_options *': '&F->options',
    'struct lcl_precond_params *': '&F->made.precond',
    'struct lcl_solver_params *': '=&F->made.solver',
    'struct lcl_report *': '=&F->report',
    'struct lcl_read_info *': '=&F->read_info',
    'struct lcl_exchange_info *': '&F->exchanged',
    'struct lcl_link *': '&F->link',
    'struct lcl_caps *': '&F->caps',
    'const struct lcl_caps *': '&F->caps',
    'struct lcl_estimate *': '&F->estimate',
    # text
    'const char *': 'F->path',
    'lcl_options_parse.text': '"rtol=1e-6"',
    'lcl_csr_problem.name': '"lap3d:2"',
    'lcl_rows_problem.name': '"lap3d:2"',
    'lcl_problem_coordinates.name': '"elasticity:1"',
    'lcl_kron_problem.name': '"radau:1,2"',
    'lcl_csr_write.path': '"/dev/null"',
    'lcl_csr_write_complex.A': '&F->pairs',
    'lcl_csr_write_complex.path': '"/dev/null"',
    'lcl_dense_write.path': '"/dev/null"',
    'lcl_dense_write_complex.path': '"/dev/null"',
    'lcl_dense_read.path': 'F->dense_path',
    'lcl_csr_read_text.row_ptr': 'F->text[0]',
    'lcl_csr_read_text.col_ind': 'F->text[1]',
    'lcl_csr_read_text.val': 'F->text[2]',
    'lcl_dense_read_text.path': 'F->text[2]',
    'lcl_labels_read.path': 'F->text[1]',
    'lcl_nearest.word': '"amg"',
    'const char *const *': 'F->names',
    'char *': '=F->line',
    # numbers
    'lcl_cache_folder.size': 'sizeof F->line',
    'lcl_store_folder.size': 'sizeof F->line',
    'lcl_context_folder.size': 'sizeof F->line',
    'lcl_printable.size': 'sizeof F->line',
    'double': '1e-8',
    'int64_t': '8',
    'lcl_rows_of_csr.first': '0',
    'lcl_operator_apply_many.vectors': '1',
    'int': '1',
    'lcl_estimate_solve.devices': '1',
    'int rank': '0',
    'int index': '0',
    'int device': '0',
}
# What each of these needs at least to touch a device.
OBJECTS = re.compile(r'lcl_(context|operator|precond|solver|chain) \*')
OPENERS = ('lcl_context_create', 'lcl_context_create_cl', 'lcl_device_count',
           'lcl_device_caps')
# It starts MPI: tests/mpi/test_mpi_ranks.c.
SKIPPED = ('lcl_ranks_create',)


def declarations(path):
    """(result, name, [(type, name)]) of each function."""
    text = re.sub(r'/\*.*?\*/', '', open(path).read(), flags=re.S)
    text = re.sub(r'^\s*#.*$', '', text, flags=re.M)
    for d in re.findall(r'LCL_API\s+([^;{]*\))\s*;', text):
        d = re.sub(r'\s+', ' ', d)
        head, args = re.match(r'(.*?)\((.*)\)$', d).groups()
        result, name = re.match(r'(.*?)(\w+)$', head).groups()
        pairs = [re.match(r'(.*?)(\w+)$', a.strip()).groups()
                 for a in args.split(',') if a.strip() != 'void']
        yield result.strip(), name, [(t.strip(), n) for t, n in pairs]


def value(function, kind, name):
    for key in (f'{function}.{name}', f'{kind} {name}', kind):
        if key in VALUES:
            return VALUES[key]
    if kind.startswith('enum ') or kind == 'size_t':
        return '0'
    sys.exit(f'calls.py: no value for {function}(... {kind} {name} ...)')


def is_pointer(kind):
    return kind.endswith('*') or kind.startswith('cl_')


def write(out, result, name, args):
    pointers, optional, texts = [], 0, []
    for kind, arg in args:
        text = value(name, kind, arg)
        if is_pointer(kind):
            optional |= text.startswith('=') << len(pointers)
            text = f'without == {len(pointers)} ? NULL : {text.lstrip("=")}'
            pointers.append(arg)
        texts.append(text)
    status = result == 'enum lcl_status'
    device = status and (name in OPENERS or any(
        OBJECTS.match(kind.removeprefix('const ')) and not kind.endswith('**')
        for kind, _ in args))
    call = f'{name}({", ".join(texts)})'
    out.append(f'static enum lcl_status call_{name}(struct calls *F, int without)\n'
               '{\n    (void)F, (void)without;\n    '
               + (f'return {call};' if status and args and 'lcl_stop_status' != name
                  else f'(void){call};\n    return LCL_OK;') + '\n}\n')
    return (f'    {{"{name}", call_{name}, {len(pointers)}, {optional:#x}, '
            f'{str(status and name != "lcl_stop_status").lower()}, '
            f'{str(device).lower()}, {str(name in OPENERS).lower()}}},')


def main():
    out, rows = [], []
    for header in sys.argv[2:]:
        for result, name, args in declarations(header):
            if name not in SKIPPED:
                rows.append(write(out, result, name, args))
    with open(sys.argv[1], 'w') as f:
        f.write('\n'.join(out) + '\nstatic const struct call calls[] = {\n'
                + '\n'.join(rows) + '\n};\n')


main()
