// SPDX-License-Identifier: BSD-3-Clause
// The commands of clsolve, one file cmd_NAME.c each.
#pragma once

#include <levelcl/status.h>

// All of them, in the order of --help; the word of the first one may be left
// out.
// clang-format off
#define COMMANDS(X) \
    X(solve) \
    X(info) \
    X(convert) \
    X(devices) \
    X(doctor) \
    X(tune) \
    X(compare) \
    X(warm)
// clang-format on

// What a command takes from the command line.
enum {
    TAKES_MATRIX = 1, // one, by file or --problem
    TAKES_METHOD = 2, // options of the library
    TAKES_RHS = 4,    // and what else belongs to a system to be solved
    TAKES_DEVICE = 8,
    TAKES_OUTPUT = 16,    // -o
    TAKES_HISTORY = 32,   // --history
    TAKES_PROFILE = 64,   // --profile
    TAKES_GOAL = 128,     // --for
    TAKES_PAIR = 256,     // --a, --b, --runs
    TAKES_DEVICES = 512,  // --devices
    TAKES_LINKS = 1024,   // --bandwidth
    TAKES_REPORT = 2048,  // --report
    TAKES_CLASSES = 4096, // --for, --to
    TAKES_SERIES = 8192,  // several systems
};

struct job;

struct command {
    const char *name;
    const char *usage; // arguments, one line for each way to give them
    const char *help;
    unsigned takes;
    // Returns LCL_OK, a positive status for a solve that did not converge, or
    // an error with its reason in the messages; sets job->failed if it reports
    // itself what is wrong.
    enum lcl_status (*run)(struct job *job);
};

#define DECLARE_COMMAND(name) extern const struct command cmd_##name;
COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND

// Command number `index`; NULL past the end.
const struct command *command_at(int index);

// NULL if the word is no command.
const struct command *command_find(const char *word);

// The command that a mistyped word resembles, or NULL.
const char *command_nearest(const char *word);

// How messages call it.
const char *command_title(const struct command *command, char text[64]);
