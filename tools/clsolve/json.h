// SPDX-License-Identifier: BSD-3-Clause
// Members of the JSON records of clsolve. NaN and Inf become null.
#pragma once

#include "tools/clsolve/job.h"

#include <cjson/cJSON.h>

// The number of the form of the records; it changes with every change that a
// program which reads them has to know.
enum { JSON_SCHEMA = 1 };

// A record of a command, by its name.
cJSON *json_new(const char *command);

// Bytes that are not UTF-8 become "\\xe4".
void json_put_text(cJSON *object, const char *key, const char *text);
// The same of a name of a file; if that is not UTF-8, also KEY_hex, its bytes.
void json_put_name(cJSON *object, const char *key, const char *name);
void json_put_number(cJSON *object, const char *key, double number);
void json_put_count(cJSON *object, const char *key, int64_t count);
void json_put_bool(cJSON *object, const char *key, bool value);

// A member with what `write` prints; false if memory ran out.
bool json_put_printed(cJSON *object, const char *key, const struct cli *cli,
                      void (*write)(FILE *out, const struct cli *cli));

// The matrix and its facts; returns the new member.
cJSON *json_put_matrix(cJSON *record, const struct job *job);
void json_put_result(cJSON *record, const struct job *job);
void json_put_device(cJSON *device, const struct lcl_caps *caps);
// All devices, only if there are several.
void json_put_devices(cJSON *record, const struct devices *D);
// Operator, preconditioner, memory and times.
void json_put_state(cJSON *record, const struct job *job);
void json_put_warnings(cJSON *record, const struct job *job);
void json_put_error(cJSON *record, const struct job *job,
                    enum lcl_status status);

// Prints and frees the record, what lcl_printable() does not show as \u
// escapes; false if memory or the standard output failed.
bool json_print(cJSON *record);
