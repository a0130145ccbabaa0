// SPDX-License-Identifier: BSD-3-Clause
// clsolve warm: classes of systems, whose small examples need the kernels that
// large systems of the class need.
#pragma once

#include "tools/clsolve/folder.h"
#include "tools/clsolve/job.h"

#include <stdbool.h>

enum { WARM_SYSTEMS = 9, WARM_CLASSES = 9, WARM_MESSAGE = 512 };

struct warm_system {
    const char *problem; // built-in
    const char *options; // key=value text; NULL: those that levelcl chooses
    int columns;         // right-hand sides; 0: one
};

struct warm_class {
    const char *name;
    struct warm_system system[WARM_SYSTEMS];
};

// What came of a class.
struct warm_result {
    const struct warm_class *class;
    struct lcl_build_info builds;
    double seconds;
    int exit_code;              // 0: all is compiled
    char message[WARM_MESSAGE]; // why it is not
};

struct warming {
    struct warm_result result[WARM_CLASSES]; // in the order of their ends
    int count, wanted;
    struct lcl_build_info opening; // of the device, before the processes
    char store[FOLDER_BYTES];      // the folder of --to, or ""
    char folder[FOLDER_BYTES];     // that keeps what is compiled
    bool by_driver;  // the driver keeps kernels, not telling what it compiles
    int64_t kernels; // then: those that are new
    double seconds;
};

// The classes that a list "A,B" or "all" names; false: a name is unknown.
bool warm_choose(bool wanted[WARM_CLASSES], const char *list);

// Class number `index`; NULL past the end.
const struct warm_class *warm_class_at(int index);

// Solves the systems of a class on the device of the job. A method that does
// not converge is no error.
enum lcl_status warm_solve(struct job *job, const struct warm_class *class);

// Solves each class in a process of its own, as many at once as there are
// processors. Calls `done` as each ends. Returns LCL_OK, also if a process
// fails, or LCL_ENOMEM, LCL_EIO: no process could be started.
typedef void warm_done_fn(struct warming *warming, struct job *job);
enum lcl_status warm_in_processes(struct warming *warming, struct job *job,
                                  const bool wanted[WARM_CLASSES],
                                  warm_done_fn *done);

// Sums over the classes and the opening of the device.
struct lcl_build_info warm_sum(const struct warming *warming);

// ---------------------------------------------------------------- reports

// The line of the class that ended last; the sums.
void text_warm_class(const struct warming *warming);
void text_warm_sum(const struct warming *warming);
bool json_warm(const struct warming *warming, int exit_code);
