/* SPDX-License-Identifier: BSD-3-Clause */
/* The one status type: 0 is success, negative values are errors, positive
 * values are results worth knowing; all objects stay valid. */
#ifndef LEVELCL_STATUS_H
#define LEVELCL_STATUS_H

#include <levelcl/export.h>

LCL_BEGIN_DECLS

enum lcl_status {
    LCL_OK = 0,

    /* Results worth knowing: the object is intact, x holds the best iterate
       seen. */
    LCL_ITERATION_LIMIT = 1, /* max_iters reached before the tolerance */
    LCL_STAGNATION = 2,      /* the true residual stopped falling */
    LCL_BREAKDOWN =
        3, /* a recurrence coefficient vanished, even after restarts */
    LCL_NOT_FINITE = 4, /* NaN or Inf appeared in the iteration */
    LCL_PIVOTS_REPAIRED =
        5, /* the factorisation repaired pivots; see lcl_precond_info */
    LCL_DIVERGED = 6, /* the residual grew beyond use */

    /* Errors: nothing is created, outputs are unchanged. */
    LCL_EINVAL = -1,       /* an argument or option is wrong */
    LCL_ENOMEM = -2,       /* host memory ran out */
    LCL_EIO = -3,          /* a file cannot be opened, read or written */
    LCL_EFORMAT = -4,      /* a file or matrix is malformed */
    LCL_EUNSUPPORTED = -5, /* well formed, but not supported */
    LCL_ERANGE = -6,     /* a size does not fit the index types or the device */
    LCL_ENODEVICE = -7,  /* no OpenCL platform, or no matching device */
    LCL_EDEVICE = -8,    /* an OpenCL call failed */
    LCL_EDEVMEM = -9,    /* device memory ran out, or an array exceeds the
                            maximum buffer size of the device */
    LCL_EBUILD = -10,    /* a kernel did not compile on this device */
    LCL_ESELFTEST = -11, /* the device computes wrong results */
    LCL_EPIVOT = -12,    /* a zero or tiny pivot with the policy FAIL */
    LCL_EBUSY = -13,     /* another call still uses the context: that which is
                            calling this function, lcl_solver_enqueue_cl() */
    LCL_ECANCELLED = -14, /* a set-up was cancelled or reached its limit */
    LCL_EPROCESS = -15,   /* in a child of fork(): the object is the parent's,
                             or the parent has used OpenCL */
};

/* The name and the meaning of a status, for every value of the enum; "unknown
 * status" for any other. Static storage, never NULL. */
LCL_API const char *lcl_status_name(enum lcl_status status);
LCL_API const char *lcl_status_str(enum lcl_status status);

LCL_END_DECLS

#endif
