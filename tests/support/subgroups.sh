#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Repeats the kernel tests with exchange through the device's own sub-groups.
# usage: subgroups.sh BUILD WIDTH
set -u
build=$1 width=$2
limit=600 # seconds for a test; the longest take 60
passed=0 failed=0
export LEVELCL_WIDTH="$width" LEVELCL_EXCHANGE=khr LEVELCL_TEST_SIZE=small
export LEVELCL_CACHE_DIR="$build/subgroups-cache"
for test in "$build"/tests/kernel/test_*; do
    [ -f "$test" ] || continue
    if said=$(timeout "$limit" "$test" 2>&1); then
        passed=$((passed + 1))
    else
        rc=$?
        failed=$((failed + 1))
        printf 'FAILED (%d) %s\n%s\n' "$rc" "$test" "$said"
    fi
done
echo "sub-groups of $width: $passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
