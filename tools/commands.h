// SPDX-License-Identifier: BSD-3-Clause
// The commands of clsolve. Each returns LCL_OK, a positive status for a solve
// that did not converge, or an error with its reason in the messages.
#pragma once

#include "tools/job.h"

enum lcl_status cmd_solve(struct job *job);
enum lcl_status cmd_convert(struct job *job);
enum lcl_status cmd_info(struct job *job);
enum lcl_status cmd_devices(struct job *job);
