// SPDX-License-Identifier: BSD-3-Clause
// Contexts, which the objects of the process share: each would load its kernels
// again.
#include "tools/petsc/adapter.h"

// PETSc is used by one thread; so are these.
static struct device *devices;

static PetscErrorCode destroy_all(void)
{
    PetscFunctionBegin;
    while (devices) {
        struct device *next = devices->next;
        lcl_context_destroy(&devices->ctx);
        PetscCall(PetscFree(devices));
        devices = next;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode create(const char *name, struct device **out)
{
    struct lcl_context_params params = LCL_CONTEXT_PARAMS_INIT;
    struct device *D;
    PetscFunctionBegin;
    PetscCall(PetscNew(&D));
    PetscCall(PetscStrncpy(D->name, name, sizeof D->name));
    params.device = name[0] ? name : NULL;
    params.log = messages_log(&D->messages);
    const enum lcl_status st = lcl_context_create(&D->ctx, &params);
    const PetscErrorCode error = messages_check(&D->messages, st);
    if (error)
        PetscCall(PetscFree(D));
    PetscCall(error);
    if (!devices)
        PetscCall(PetscRegisterFinalize(destroy_all));
    D->next = devices;
    *out = devices = D;
    PetscFunctionReturn(0);
}

PetscErrorCode device_of(const char *name, struct device **out)
{
    PetscBool same = PETSC_FALSE;
    PetscFunctionBegin;
    for (struct device *D = devices; D && !same; D = D->next) {
        PetscCall(PetscStrcmp(D->name, name, &same));
        *out = D;
    }
    if (!same)
        PetscCall(create(name, out));
    PetscFunctionReturn(0);
}
