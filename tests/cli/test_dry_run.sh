#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve --dry-run: the estimates agree with what a solve then reports, within a
# factor of 2; it writes nothing. Usage: test_dry_run.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

refused 2 'o has no effect: --dry-run solves nothing' --problem lap3d:4 --dry-run -o "$dir/out/x.mtx"
refused 2 'history has no effect' --problem lap3d:4 --dry-run --history "$dir/out/h"
refused 2 'plot has no effect' --problem lap3d:4 --dry-run --plot
refused 2 'report has no effect' --problem lap3d:4 --dry-run --report "$dir/out/r.html"
refused 2 'profile has no effect' --problem lap3d:4 --dry-run --profile
refused 2 'dry-run does not support Kronecker systems' --problem kron:2 --dry-run
refused 2 'dry-run does not apply to clsolve info' info --problem lap3d:4 --dry-run
refused 3 'missing.mtx' missing.mtx --dry-run

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }

# number FILE WORD: the first number of a member of a record
number()
{
    sed "s/.*\"$2\":\([0-9.e+]*\).*/\1/" "$1"
}

# within WHAT ESTIMATE TRUTH
within()
{
    awk -v e="$2" -v t="$3" 'BEGIN { exit !(t > 0 && e < 2 * t && t < 2 * e) }' &&
        pass || flunk "$1: $2 bytes estimated, $3 in use"
}

# estimates ARGS...: the same method as of the solve
estimates()
{
    ends 0 "$@" --dry-run --json
    sed 's/.*"estimates"/"estimates"/' "$dir/stdout" >estimate.json
    ends 0 info "$@" --json
    for word in solver precond; do
        sed "s/.*\"$word\":\"\([a-z0-9]*\)\".*/\1/" estimate.json >"$word.txt"
    done
    sed 's/.*"operator"/"operator"/' "$dir/stdout" >operator.json
    sed 's/.*"precond"/"precond"/' "$dir/stdout" >precond.json
    grep -q "^\"precond\":{\"type\":\"$(cat precond.txt)\"" precond.json && pass ||
        flunk "clsolve $*: another preconditioner than $(cat precond.txt)"
    sum=$(($(number estimate.json matrix) + $(number estimate.json product)))
    within "clsolve $*: matrix" $sum "$(number operator.json bytes)"
}

estimates --problem lap3d:40
within multigrid "$(number estimate.json multigrid)" "$(number precond.json amg_bytes)"
for args in 'lap3d:40 --precond ildu0 --solver bicgstab' 'lap3d:16,b=3 --precond ildu0' 'elasticity:12 --precond ic0' \
    'convdiff:24,5' 'q2:14 --factor-storage fp64' 'lap3d:24 --precond ras' \
    'lap3d:24 --precond iluk --ilu-level 1'; do
    # shellcheck disable=SC2086
    estimates --problem $args --spmv csr
    within "$args: factors" "$(number estimate.json factors)" "$(number precond.json factor_bytes)"
done
estimates --problem parabolic --coarse mult
within coarse "$(number estimate.json coarse)" "$(number precond.json coarse_bytes)"
[ "$(number estimate.json parts)" = "$(number precond.json parts)" ] && pass ||
    flunk "another number of subdomains: $(number precond.json parts)"

ends 0 --problem lap3d:12 --dry-run
says stdout '^memory  *matrix  *[0-9.]* MB$'
says stdout '^  *total  *[0-9.]* MB$'
says stdout '^iteration  *[0-9.]* MB at least$'
grep -q converged "$dir/stdout" && flunk 'it solves' || pass
ends 0 --problem lap3d:12 --dry-run -q
[ ! -s "$dir/stdout" ] && pass || flunk '-q: not quiet'
finish 0
