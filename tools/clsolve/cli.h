// SPDX-License-Identifier: BSD-3-Clause
// The command line of clsolve.
#pragma once

#include "tools/clsolve/messages.h"

#include <levelcl/options.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Numbers of options of the library; bytes of the name of an option; files that
// are read.
enum { CLI_KEYS = 64, CLI_NAME = 64, CLI_INPUTS = 15 };

struct command;

// A right-hand side without a file.
enum cli_rhs {
    CLI_RHS_RANDOM = 0, // uniform in [-1, 1)
    CLI_RHS_ONES,
    CLI_RHS_A_ONES, // A times a vector of ones
};

// --mpi
enum cli_mpi { CLI_MPI_AUTO = 0, CLI_MPI_ON, CLI_MPI_OFF };

// Further files of a sequence, after the first one.
struct cli_files {
    const char **path;
    int count;
};

// The parsed command line; text options that were not given are NULL.
struct cli {
    const struct command *command;
    struct lcl_options options;
    // Their text, by the numbers of lcl_options_help(); NULL: not given.
    const char *given[CLI_KEYS];
    const char *matrix;
    const char *problem;
    // --csr-text: row pointers, columns, values, right-hand side or NULL
    const char *text[4];
    // --kron: M, L, A, B
    const char *kron[4];
    const char *tau_text;
    double tau;           // of --kron
    const char *rhs;      // file, or NULL:
    enum cli_rhs made;    // made by this rule
    const char *rhs_text; // of --rhs
    uint64_t seed;        // of CLI_RHS_RANDOM
    const char *x0;       // file of the initial guess, or NULL
    const char *output;
    const char *labels; // --partition file:F
    const char *device;
    const char *devices;  // several of them, separated by commas
    const char *mpi_text; // of --mpi
    enum cli_mpi mpi;
    const char *history;
    const char *report;          // of --report
    const char *goal_text;       // of --for
    const char *to;              // folder of warm
    bool many;                   // solves with new values
    const char *a_text, *b_text; // of --a and --b
    const char *runs_text;
    int runs; // of --runs
    const char *coordinates;
    const char *near_null;
    const char *nullspace;
    char *const *argv;  // the command line, from the program's name on
    char *options_text; // of the file of --options, to which `given` points
    bool json;
    bool plot;
    bool dry_run;
    bool profile;
    bool bandwidth;
    bool quiet;
    bool help;
    bool version;
    int verbose;

    // Sequences
    struct cli_files matrices, rhss; // after `matrix` and `rhs`
    const char *sequence;            // file that lists the systems
    const char *every_text;          // of --update-every
    int every;                       // its value; 0: not given
    bool from_zero;                  // --x0 zero
};

// Parses the command line. The texts of *cli, which needs cli_finish() in any
// case, point into argv. Returns LCL_OK,
// or LCL_EINVAL or LCL_EUNSUPPORTED with the reason in `messages`; cli->json is
// valid even then.
enum lcl_status cli_parse(struct cli *cli, int argc, char **argv,
                          struct messages *messages);

void cli_finish(struct cli *cli);

// Reads a file of options, which the caller frees; NULL: the reason is in the
// messages, LCL_EIO or LCL_ENOMEM in *status.
char *cli_read_options(const char *path, enum lcl_status *status,
                       struct messages *messages);

// Cuts the next line off *rest, without comment and outer blanks; NULL at the
// end. Counts lines.
char *cli_next_line(char **rest, int *line);

// Called at the end of cli_parse(): refuses options that cannot be combined and
// parses cli->tau and cli->rhs_text.
enum lcl_status cli_check(struct cli *cli, struct messages *messages);

// Adds options of the library, as on the command line, to a copy of a parsed
// one: words separated by blanks, which must outlive *cli and are cut apart.
enum lcl_status cli_vary(struct cli *cli, char *words,
                         struct messages *messages);

// Refuses options of the library that cannot be combined or have no effect on
// the chosen method; cli_check() calls the first one, which calls the other.
enum lcl_status cli_check_method(const struct cli *cli,
                                 struct messages *messages);
enum lcl_status cli_check_effect(const struct cli *cli,
                                 struct messages *messages);

// Prints the command that solves the system of *cli, with its options of the
// library; these alone as key=value text; as lines of C. Without end of line.
void cli_print_command(FILE *out, const struct cli *cli);
void cli_print_pairs(FILE *out, const struct cli *cli);
void cli_print_c(FILE *out, const struct cli *cli);

// Prints the command line as it was given.
void cli_print_given(FILE *out, const struct cli *cli);

// What `print` prints, which the caller frees; NULL: out of memory.
char *cli_printed(const struct cli *cli,
                  void (*print)(FILE *out, const struct cli *cli));

// Whether the command line has the option of the library.
bool cli_is_given(const struct cli *cli, const char *key);

// Whether --nullspace requests the indicator vectors of components.
bool cli_has_components(const struct cli *cli);

// The file of --nullspace; NULL: none.
const char *cli_null_file(const struct cli *cli);

// The files that are read, with NULL for those that are not given.
void cli_list_inputs(const char *input[CLI_INPUTS], const struct cli *cli);

// Whether `path`, which may be NULL, names the standard input or output.
bool cli_is_stdin(const char *path);
bool cli_is_stdout(const char *path);

// Whether several systems are solved, one after the other.
bool cli_is_sequence(const struct cli *cli);

// Whether the input is a Kronecker system.
bool cli_is_kron(const struct cli *cli);

// Whether the preconditioner has incomplete factors on subdomains.
bool cli_has_factors(enum lcl_precond_type type);

// Whether its pivots must have the sign of the diagonal.
bool cli_is_cholesky(enum lcl_precond_type type);

// Whether the triangular solve takes subdomains of any size, of single entries.
bool cli_takes_levels(enum lcl_trisolve trisolve);

// The name of the file of a step, counted from 1: `pattern` with the number in
// the place of its %d, or %0Nd for at least N digits; %% is a percent sign.
// False if there is not one such place or the name is too long.
enum { CLI_PATH = 4096 };
bool cli_step_name(char name[CLI_PATH], const char *pattern, int step);

void cli_print_help(FILE *out);
