#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sums up runs of meson test as "N passed, M failed, K skipped".
# usage: tally.sh TESTLOG.json...
# Quotes inside the strings of a log are escaped, so this matches keys only.
cat "$@" | grep -o '"result": "[A-Z]*"' | awk -F'"' '
    $4 == "OK" || $4 == "EXPECTEDFAIL" {passed++; next}
    $4 == "SKIP" {skipped++; next}
    {failed++}
    END {printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped}'
