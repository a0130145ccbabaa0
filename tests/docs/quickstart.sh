#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The C example of the README is a piece of the quickstart, which the tests build
# and run, and that of docs/interfaces.md is all of it.
# usage: quickstart.sh README.md interfaces.md quickstart.c
set -u

# shown FILE: the first block between ```c and ```
shown()
{
    awk '/^```$/ && on { exit } on; /^```c$/ { on = 1 }' "$1"
}

piece=$(shown "$1")
whole=$(shown "$2")
built=$(tail -n +3 "$3") # without the lines about the file
rc=0
case $piece in
'') false ;;
*) case $built in *"$piece"*) true ;; *) false ;; esac ;;
esac || { echo "the example in $1 is not in $3" && rc=1; }
[ -n "$whole" ] && [ "$whole" = "$built" ] || { echo "the example in $2 is not $3" && rc=1; }
exit $rc
