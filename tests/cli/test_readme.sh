#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The C example of the README equals the quickstart, which the tests build and
# run.
# Usage: test_readme.sh README.md quickstart.c
set -u

# the block between ```c and ```, and the file without its first two lines
shown=$(awk '/^```$/ { on = 0 } on; /^```c$/ { on = 1 }' "$1")
built=$(tail -n +3 "$2")
[ -n "$shown" ] && [ "$shown" = "$built" ] && exit 0
echo "the example in $1 is not that of $2"
exit 1
