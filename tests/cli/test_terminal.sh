#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve on a terminal. The line about compilation: once that has taken a second,
# not with -q, not for kernels from a cache, unless reading it takes as long; erased
# before other output. The line of a solve, which fits the width; colours; the plot.
# Usage: test_terminal.sh CLSOLVE
set -u
runner=$(cd "$(dirname "$0")" && pwd)/terminal.py
. "$(dirname "$0")/checks.sh"
export LEVELCL_CACHE_DIR="$dir/cache"

command -v python3 >/dev/null || finish 77

# terminal ARGS...: runs clsolve on a terminal of $width columns, its output in
# $dir/screen and the live lines in $dir/live.
width=80
escape=$(printf '\033')
terminal()
{
    python3 "$runner" "$width" "$clsolve" "$@" </dev/null >"$dir/screen"
    code=$?
    tr '\r' '\n' <"$dir/screen" | sed -n "s/$escape\[K.*//p" >"$dir/live"
}

# fits FILE PATTERN: no line of the file that matches is as long as the terminal is
# wide, and there is one
fits()
{
    long=$(tr -d '\r' <"$dir/$1" | grep -e "$2" | awk -v width="$width" 'length($0) >= width')
    if [ -z "$long" ] && grep -q -e "$2" "$dir/$1"; then
        pass
    else
        flunk "$1, $width columns, '$2':"
        cat "$dir/$1"
    fi
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
cp "$dir/stdout" "$dir/devices"

terminal --problem lap3d:8 -q
shows_line no 'quiet and cold'
rm -rf "$dir/pocl" "$dir/cache"
mkdir -m 700 "$dir/pocl"
terminal --problem lap3d:8
if compiled '[01]'; then
    pass
else
    shows_line yes cold
    says screen 'compiling kernel [0-9].* for this device, once: [0-9]* s so far'
    ! grep -q 'Portable Computing Language' "$dir/devices" ||
        says screen 'compiling kernel [0-9]* of about [0-9]* for'
    says screen '^  compile .*   once; clsolve warm compiles ahead'
fi
erased=$(printf '\r\033[Kmatrix')
if grep -q '^matrix' "$dir/screen" || grep -qF "$erased" "$dir/screen"; then
    pass
else
    flunk 'the line is not erased'
fi
terminal --problem lap3d:8
if compiled 0; then shows_line no warm; else pass; fi
grep -q 'clsolve warm' "$dir/screen" && flunk 'advice without effect' || pass

# The line of a solve, with words where they fit; the table afterwards.
export TERM=xterm
solve='--problem lap3d:88 --solver cg --precond none --rtol 1e-6'
for width in 80 30; do
    terminal $solve --plot
    fits live '^'
    fits live '^opening the device$'
    fits screen '^ *[0-9.e+-]* |'
    says screen '^ iteration    residual'
done
fits live '^solve [0-9]* [0-9]e-[0-9]* 0\.[0-9]* [0-9]* s$'
width=80
terminal $solve
fits live '^solve  iteration [0-9]*  residual [0-9.e-]*  rate 0\.[0-9]*  [0-9.]* s, [0-9]* s left$'
says screen "^$escape\[32mconverged$escape\[0m: "
printf '%%%%MatrixMarket matrix array real general\n512 2\n' >b.mtx
awk 'BEGIN { for (i = 0; i < 1024; ++i) print i % 7 }' >>b.mtx
terminal --problem lap3d:8 -b b.mtx
fits live '^0 of 2 solved  iteration '
for option in -q --json -v; do
    terminal --problem lap3d:8 "$option"
    grep -q iteration "$dir/live" && flunk "a live line with $option" || pass
done

# Colours.
terminal --problem lap3d:8 --max-iters 2
says screen "^$escape\[31mnot converged$escape\[0m: "
says screen "^$escape\[1mto try$escape\[0m: "
for setting in NO_COLOR=1 TERM=dumb; do
    (export "${setting?}"; terminal --problem lap3d:8)
    grep -q "$escape\[[0-9]*m" "$dir/screen" && flunk "colours with $setting" || pass
done
clsolve --problem lap3d:8
grep -q "$escape" "$dir/stdout" "$dir/stderr" && flunk 'colours in a file' || pass
finish 0
