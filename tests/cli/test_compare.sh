#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve compare: medians of two methods and the interval of their ratio.
# Usage: test_compare.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

P='--problem lap3d:8'
refused 2 'clsolve compare needs --a or --b' compare $P
refused 2 "bad value '5' for --runs: expected an integer from 6" compare $P --a '--solver cg' --runs 5
refused 2 "bad value '7x' for --runs" compare $P --a '--solver cg' --runs 7x
refused 2 'a does not apply to a solve' $P --a '--solver cg'
refused 2 "'json' is no option of a method" compare $P --a '--json'
refused 2 "'cg' is no option of a method" compare $P --a 'cg'
refused 2 "unknown option '--solvr': did you mean '--solver'" compare $P --b '--solvr cg'
refused 2 'solver needs a value' compare $P --b '--solver'
refused 2 'idr-s has no effect with --solver cg' compare $P --a '--solver cg --idr-s 2'
refused 2 'symmetric preconditioner' compare $P --precond ras --b '--solver cg'

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }
ends 0 compare $P --rtol 1e-6 --runs 6 --a '--solver cg  --precond jacobi' --b '--solver=bicgstab'
says stdout '^a .* --solver cg  --precond jacobi$'
says stdout '^b .* --solver=bicgstab$'
says stdout '^confidence  96.9 %: .* number 1 and 6 of'
if awk '$1 == "ratio" { ratio = $2 + 0 }
    $1 == "confidence" { low = $5; high = $7 + 0 }
    END { exit !(low > 0 && low <= ratio && ratio <= high) }' "$dir/stdout"; then
    pass
else
    flunk 'the ratio is outside of its interval'
    cat "$dir/stdout"
fi

# More work takes longer: GMRES(1) without preconditioner against IC(0).
ends 0 compare --problem lap3d:30 --a '--solver gmres --restart 1 --precond none --stagnation 9999' \
    --b '--solver cg --precond ic0' --json
is_json "$dir/stdout" && pass || flunk 'compare --json'
says stdout '"runs":9,"a":{"options":"--solver gmres'
says stdout '"ratio":{"method":"order statistics of paired runs","median":0\.'
says stdout '"result":"b is faster"'

ends 1 compare $P --runs 6 --a '--max-iters 2'
says stdout 'not converged: '
ends 1 compare $P --runs 6 --a '--max-iters 2' -q
[ ! -s "$dir/stdout" ] && [ ! -s "$dir/stderr" ] && pass || flunk '-q: not quiet'
finish 0
