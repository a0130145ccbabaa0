#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The line about compilation on a terminal: once that has taken a second, not with
# -q, not for kernels from a cache, unless reading it takes as long; erased before
# other output.
# Usage: test_terminal.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

command -v python3 >/dev/null || finish 77

# terminal ARGS...: runs clsolve on a terminal, its output in $dir/screen.
terminal()
{
    python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
        "$clsolve" "$@" </dev/null >"$dir/screen"
    code=$?
}

# compiled PATTERN: whether the seconds of compilation, or of reading the driver's
# cache, start with PATTERN.
compiled()
{
    grep -q "^  compile  *$1\." "$dir/screen"
}

# shows_line yes|no WHAT
shows_line()
{
    shown=no
    grep -q 'compiling kernel [0-9]' "$dir/screen" && shown=yes
    if [ "$code" = 0 ] && [ $shown = "$1" ]; then
        pass
    else
        flunk "$2: exit status $code, line shown: $shown"
    fi
}

export POCL_CACHE_DIR="$dir/pocl"
mkdir "$dir/pocl"
chmod 700 "$dir/pocl"
clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device'; finish 77; }

terminal --problem lap3d:8 -q
shows_line no 'quiet and cold'
rm -rf "$dir/pocl" "$dir/cache"
mkdir -m 700 "$dir/pocl"
terminal --problem lap3d:8
if compiled '[01]'; then pass; else shows_line yes cold; fi
erased=$(printf '\r\033[Kmatrix')
if grep -q '^matrix' "$dir/screen" || grep -qF "$erased" "$dir/screen"; then
    pass
else
    flunk 'the line is not erased'
fi
terminal --problem lap3d:8
if compiled 0; then shows_line no warm; else pass; fi
finish 0
