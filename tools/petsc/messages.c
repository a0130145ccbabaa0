// SPDX-License-Identifier: BSD-3-Clause
// Messages and statuses of the library as those of PETSc.
#include "tools/petsc/adapter.h"

static void print_message(void *user, enum lcl_log_level level,
                          const char *text)
{
    struct messages *M = user;
    if (level == LCL_LOG_ERROR)
        (void)PetscStrncpy(M->error, text, sizeof M->error);
    else
        (void)PetscInfo(NULL, "levelcl: %s\n", text);
}

struct lcl_log messages_log(struct messages *M)
{
    return (struct lcl_log){print_message, M, LCL_LOG_INFO};
}

static PetscErrorCode code_of(enum lcl_status st)
{
    switch ((int)st) {
    case LCL_EINVAL:
        return PETSC_ERR_ARG_WRONG;
    case LCL_ENOMEM:
    case LCL_EDEVMEM:
        return PETSC_ERR_MEM;
    case LCL_EUNSUPPORTED:
        return PETSC_ERR_SUP;
    case LCL_ERANGE:
        return PETSC_ERR_ARG_OUTOFRANGE;
    case LCL_EFORMAT:
        return PETSC_ERR_ARG_INCOMP;
    }
    return PETSC_ERR_LIB;
}

PetscErrorCode messages_check(const struct messages *M, enum lcl_status st)
{
    PetscFunctionBegin;
    PetscCheck(st >= 0, PETSC_COMM_SELF, code_of(st), "%s: %s",
               lcl_status_name(st),
               M->error[0] ? M->error : lcl_status_str(st));
    PetscFunctionReturn(0);
}
