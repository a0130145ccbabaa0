#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Advice of clsolve after failures: whoever follows it, three times at most, gets
# the solution in 8 of these 10 cases; it never repeats what was tried.
# Usage: test_hints.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device'; finish 77; }

# Factors of a cycle overflow.
{
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "$i $i 1e-40"
        echo "$i $((i % 9 + 1)) 1"
    done
} | matrix cycle.mtx 9 9 18
# Positive definite; IC(0) with 2 x 2 blocks is not (Kershaw).
awk 'BEGIN {
    split("3 -2 0 2 -2 3 -2 0 0 -2 3 -2 2 0 -2 3", k)
    for (i = 0; i < 8; ++i) for (j = 0; j < 8; ++j) {
        v = k[4 * int(i / 2) + int(j / 2) + 1]
        if (v) print i + 1, j + 1, i % 2 == j % 2 ? v : v / 4
    }
}' | matrix kershaw.mtx 8 8 48
# Symmetric and indefinite.
awk 'BEGIN {
    n = 200
    for (i = 1; i <= n; ++i) {
        print i, i, 1.3
        if (i > 1) print i, i - 1, -1
        if (i < n) print i, i + 1, -1
    }
}' | matrix indefinite.mtx 200 200 598
# Singular; the right-hand side is not in its range.
printf '1 1 1\n2 2 2\n3 3 1\n1 2 1\n2 1 1\n2 3 1\n3 2 1\n' | matrix singular.mtx 3 3 7

solved=0
cases=0

# follow ARGS...: runs clsolve, then up to three times what it advises; counts the
# cases and those solved. The first run must fail.
follow()
{
    cases=$((cases + 1))
    clsolve "$@"
    [ "$code" = 1 ] && pass || flunk "clsolve $*: exit $code, expected a failure"
    seen="
clsolve $*
"
    for step in 1 2 3; do
        says stdout '^to try: '
        advice=$(sed -n '/^to try: /{n;s/^  *clsolve /clsolve /p;}' "$dir/stdout")
        [ -n "$advice" ] || return
        case $seen in
        *"
$advice
"*) flunk "clsolve $*: the advice repeats '$advice'" ;;
        *) pass ;;
        esac
        seen="$seen$advice
"
        eval "$advice"
        [ "$code" = 0 ] && solved=$((solved + 1)) && return
        [ "$code" = 1 ] || flunk "$advice: exit $code"
    done
    echo "not solved: $seen"
}

follow --problem convdiff:12,50 --solver gmres --restart 2 --max-iters 12
says stdout '^converged: '
follow --problem lap3d:12 --max-iters 3
follow --problem lap3d:16 --solver cg --precond none --max-iters 10
follow --problem jump:12,1e6 --precond none --max-iters 60
follow --problem elasticity:5 --solver bicgstab --precond jacobi --max-iters 5
follow --problem lap3d:8 --rtol 1e-17
follow cycle.mtx --solver bicgstab --precond ildu0 --factor-storage fp64
follow indefinite.mtx --solver cg --precond jacobi
follow kershaw.mtx --solver cg --precond ic0 --block-size 2
follow singular.mtx
says stdout '^to try: another right-hand side, or --nullspace FILE with the null vectors of the matrix'
[ $cases = 10 ] && [ $solved -ge 8 ] && pass || flunk "$solved of $cases cases are solved"
echo "$solved of $cases cases are solved by following the advice"

# Constants that no A x has.
awk 'BEGIN {
    n = 40
    for (i = 1; i <= n; ++i) {
        print i, i, (i > 1) + (i < n)
        if (i > 1) print i, i - 1, -1
        if (i < n) print i, i + 1, -1
    }
}' | matrix constants.mtx 40 40 118
ends 1 constants.mtx
says stdout '^  *alone, because the matrix is singular and no x solves for b$'
says stdout '^to try: --nullspace constant: the rows and columns of the matrix add up to 0, .* [0-9.e-]* ||b||$'
says stdout '^  *clsolve constants.mtx --nullspace constant$'
ends 0 constants.mtx --nullspace constant

# Two such parts, and a regular one.
awk 'BEGIN {
    for (p = 0; p < 3; ++p) for (i = 1; i <= 20; ++i) {
        print 20 * p + i, 20 * p + i, (i > 1) + (i < 20) + (p == 2)
        if (i > 1) print 20 * p + i, 20 * p + i - 1, -1
        if (i < 20) print 20 * p + i, 20 * p + i + 1, -1
    }
}' | matrix parts.mtx 60 60 174
ends 1 parts.mtx
says stdout '^  *alone, because the matrix is singular and no x solves for b$'
says stdout '^to try: --nullspace components: the matrix has 2 parts without couplings to others whose rows'
says stdout '^  *clsolve parts.mtx --nullspace components$'
grep -q '^tried' "$dir/stdout" && flunk 'several methods for a system without solution' || pass
ends 0 parts.mtx --nullspace components
ends 0 parts.mtx parts.mtx --nullspace components
refused 2 'nullspace constant: right null vector 0: ||A v|| is [0-9.e-]*, expected at most [0-9.e-]* of a null vector' \
    parts.mtx --nullspace constant
ends 0 parts.mtx --rhs 'A*ones'
refused 3 'nullspace components: of 1 component of lap3d:4, none has rows' --problem lap3d:4 --nullspace components
awk 'BEGIN { for (i = 1; i < 20; i += 2) print i, i, 1 "\n" i, i + 1, -1 "\n" i + 1, i, -1 "\n" i + 1, i + 1, 1 }' |
    matrix pairs.mtx 20 20 40
ends 1 pairs.mtx
says stdout '^to try: each part of the matrix alone: it has 10 parts'
refused 3 'of 10 components of pairs.mtx add up to 0, at most 8' pairs.mtx --nullspace components
refused 2 'components does not support systems in Kronecker form' --problem kron:2,2,2,2 --nullspace components

# Options of the method go with it, limits stay.
ends 1 cycle.mtx --solver bicgstab --precond ildu0 --factor-storage fp64 --rtol 1e-6
says stdout '^to try: no --solver, no --precond and no --factor-storage: levelcl then chooses them'
says stdout '^  *clsolve cycle.mtx --rtol 1e-6$'
ends 1 cycle.mtx --solver bicgstab --json
is_json "$dir/stdout" && pass || flunk 'advice in JSON'
says stdout '"to_try":"no --solver: .*","to_try_command":"clsolve cycle.mtx"'
finish 0
