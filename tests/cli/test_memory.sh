#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve out of memory: one line and exit status 4, for any limit.
# Usage: test_memory.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# Sanitizers reserve more address space than the limits here allow.
(ulimit -v 2000000 && "$clsolve" --version) >/dev/null 2>&1 || finish 77

# meets_limits ARGS...: the run ends in an orderly way with every limit up to the
# first sufficient one, and at least one limit is too low for its data
meets_limits()
{
    # first without a limit, since the compiler needs memory
    clsolve "$@" -q
    [ "$code" = 0 ] || { echo 'no OpenCL device'; finish 77; }
    short=0
    limit=200000
    code=4
    while [ $code != 0 ] && [ $limit -le 16000000 ]; do
        (
            ulimit -v $limit
            exec "$clsolve" "$@" -q
        ) >"$dir/stdout" 2>"$dir/stderr"
        code=$?
        # PoCL 6 aborts where it cannot start its threads, before any call of ours
        if [ $code = 0 ] || grep -q pthread_scheduler_init "$dir/stderr" ||
            { [ $code = 4 ] && [ "$(lines "$dir/stderr")" = 1 ] && grep -q '^clsolve: ' "$dir/stderr"; }; then
            pass
        else
            flunk "$* in $limit KiB: exit $code:"
            cat "$dir/stderr"
        fi
        grep -q 'out of memory: no room for' "$dir/stderr" && short=$((short + 1))
        limit=$((limit + limit / 10))
    done
    [ $short -gt 0 ] && pass || flunk "$*: no limit left a run without memory"
}

ulimit -c 0
meets_limits --problem lap3d:64 --partition natural
meets_limits --problem lap3d:80 --partition metis --precond ilu0 --solver bicgstab

finish 0
