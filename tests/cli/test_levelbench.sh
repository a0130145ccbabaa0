#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# levelbench prints one line a figure, and an error where there is nothing to
# measure. Usage: test_levelbench.sh LEVELBENCH
set -u
bench=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export LEVELCL_CACHE_DIR="$dir/cache"
failed=0

flunk()
{
    echo "FAILED $*"
    failed=$((failed + 1))
}

"$bench" --precond jacobi lap3d:6 --precond ildu0 lap3d:6 >"$dir/out" 2>"$dir/err"
code=$?
grep -q 'no OpenCL platform' "$dir/err" && exit 77
[ $code -eq 0 ] || flunk "exit $code"
[ "$(grep -c '^{"op":"copy".*"gbps":' "$dir/out")" = 1 ] || flunk 'one copy line'
for op in setup apply spmv refresh bicgstab; do
    [ "$(grep -c "^{\"op\":\"$op\".*\"problem\":\"lap3d:6\".*\"ms\":" "$dir/out")" -ge 2 ] ||
        flunk "a line of $op for each preconditioner"
done
grep '"bicgstab"' "$dir/out" | grep -vq '"stop":"rtol"' && flunk 'both solves converge'

"$bench" >/dev/null 2>&1
[ $? -eq 2 ] || flunk 'no argument is wrong usage'
"$bench" lap3d:x >/dev/null 2>"$dir/err" && flunk 'an unknown problem is an error'
grep -q 'lap3d:x' "$dir/err" || flunk 'the message names the problem'
"$bench" --rtol 2 lap3d:6 >/dev/null 2>&1
[ $? -eq 2 ] || flunk 'a bad value is wrong usage'
[ $failed -eq 0 ]
