# SPDX-License-Identifier: BSD-3-Clause
"""Ends a test with 77, skipped, where it cannot run; imported first."""
import sys

try:
    import levelcl
except ModuleNotFoundError as missing:
    print(missing)
    sys.exit(77)


def need_device():
    try:
        levelcl.default_context()
    except levelcl.LevelclError as error:
        if error.status != levelcl.Status.ENODEVICE:
            raise
        print(error)
        sys.exit(77)
