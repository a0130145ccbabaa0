/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: where the library gets it on the host, how much it has on a device.
 */
#ifndef LEVELCL_MEMORY_H
#define LEVELCL_MEMORY_H

#include <levelcl/context.h>

LCL_BEGIN_DECLS

/* Functions like malloc(), realloc() and free(); `bytes` is at least 1. NULL
 * means that memory ran out: the call of the library ends with LCL_ENOMEM, and
 * nothing is lost. Several threads may call them at once. */
struct lcl_allocator {
    void *(*allocate)(void *user, size_t bytes);
    void *(*reallocate)(void *user, void *memory, size_t bytes);
    void (*release)(void *user, void *memory); /* never NULL */
    void *user;
};

/* From now on the library takes its host memory from `allocator`, of which it
 * keeps a copy; NULL: from malloc(), as at the start. It is one for the
 * process, since matrices belong to no context. Not included are the OpenCL
 * driver, CLBlast, METIS, MPI and the C library. Call it while
 * the library has no memory: no context, object, matrix or array that it made
 * exists, and no other thread uses it. Returns LCL_OK; LCL_EINVAL (a function
 * is NULL; the library has memory, the message says how much). */
LCL_NODISCARD LCL_API enum lcl_status lcl_set_allocator(
    const struct lcl_allocator *allocator, const struct lcl_log *log);

/* What a context has, in bytes. The `bytes` of struct lcl_operator_info and
 * struct lcl_precond_info are parts of buffer_bytes. */
struct lcl_memory_info {
    int64_t buffers;           /* their number */
    uint64_t buffer_bytes;     /* on the device */
    uint64_t buffer_bytes_max; /* the largest buffer_bytes so far */
    uint64_t device_bytes;     /* taken from the driver: buffers and what is
                                  kept for later ones */
    uint64_t pinned_bytes;     /* host memory for transfers */
};

/* All zero for NULL. */
LCL_API struct lcl_memory_info lcl_context_memory(const lcl_context *ctx);

LCL_END_DECLS

#endif
