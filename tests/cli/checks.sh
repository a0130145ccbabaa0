# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of clsolve, which source this file with the program as
# their first argument: a temporary working folder, runs, checks.

clsolve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$dir/in" "$dir/out" "$dir/none"
cd "$dir/in" || exit 1
export LEVELCL_CACHE_DIR="$dir/cache"
passed=0
failed=0

# ---------------------------------------------------------------- checks

pass()
{
    passed=$((passed + 1))
}

flunk()
{
    failed=$((failed + 1))
    echo "FAILED $*"
}

# Runs clsolve; stores its output in $dir/stdout and $dir/stderr and its exit
# status in $code.
clsolve()
{
    "$clsolve" "$@" >"$dir/stdout" 2>"$dir/stderr"
    code=$?
}

lines()
{
    wc -l <"$1" | tr -d ' '
}

is_json()
{
    [ "$(lines "$1")" = 1 ] || return 1
    if command -v python3 >/dev/null 2>&1; then
        python3 -c 'import json, sys
def no(name): raise ValueError(name)
json.load(open(sys.argv[1]), parse_constant=no)' "$1" 2>/dev/null
    else
        grep -q '^{.*}$' "$1"
    fi
}

nothing_left()
{
    [ -z "$(ls -A "$dir/out")" ]
}

# refused CODE WORDS ARGS...: expects the exit status, one line on stderr that
# contains the words, and no new file; with --json the same in one record.
refused()
{
    want=$1 words=$2
    shift 2
    clsolve "$@"
    if [ "$code" = "$want" ] && [ "$(lines "$dir/stderr")" = 1 ] &&
        grep -q "^clsolve: .*$words" "$dir/stderr" && nothing_left; then
        pass
    else
        flunk "clsolve $*: exit $code, expected $want and '$words':"
        cat "$dir/stderr"
    fi
    clsolve "$@" --json
    if [ "$code" = "$want" ] && [ "$(lines "$dir/stderr")" = 1 ] &&
        is_json "$dir/stdout" && grep -q '"error":' "$dir/stdout" &&
        grep -q "\"exit\":$want" "$dir/stdout" && nothing_left; then
        pass
    else
        flunk "clsolve $* --json: exit $code, expected $want:"
        cat "$dir/stdout" "$dir/stderr"
    fi
    rm -rf "$dir/out" && mkdir "$dir/out"
}

# bad_input WORDS FILE: a bad matrix file is refused
bad_input()
{
    refused 3 "$1" "$2" -o "$dir/out/x.mtx"
}

# ends CODE ARGS...: expects the exit status
ends()
{
    want=$1
    shift
    clsolve "$@"
    if [ "$code" = "$want" ]; then
        pass
    else
        flunk "clsolve $*: exit $code, expected $want:"
        cat "$dir/stderr"
    fi
}

says()
{
    if grep -q -e "$2" "$dir/$1"; then
        pass
    else
        flunk "$1 lacks '$2':"
        cat "$dir/$1"
    fi
}

# matrix FILE ROWS COLS NNZ: writes a matrix with the entries of the standard
# input
matrix()
{
    {
        echo '%%MatrixMarket matrix coordinate real general'
        echo "$2 $3 $4"
        cat
    } >"$1"
}

# interrupt WORD: once clsolve, started in the background as $child, has printed a
# line that starts with the word, interrupts it. Sets $code; 137: it did not end.
# The shell starts it with the signal ignored, so that one before the solve has no
# effect.
interrupt()
{
    tries=0
    while ! grep -q "^$1" "$dir/stdout" && [ $tries -lt 60 ]; do
        sleep 1
        tries=$((tries + 1))
    done
    sleep 1
    kill -INT "$child"
    while kill -0 "$child" 2>/dev/null && [ $tries -lt 120 ]; do
        sleep 1
        tries=$((tries + 1))
    done
    kill -KILL "$child" 2>/dev/null
    wait "$child"
    code=$?
}

# cycle_matrix FILE: writes a matrix whose factors overflow, so that the methods
# that are tried first fail
cycle_matrix()
{
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "$i $i 1e-40"
        echo "$i $((i % 9 + 1)) 1"
    done | matrix "$1" 9 9 18
}

# finish CODE: prints the totals; exits with CODE if nothing failed
finish()
{
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] || exit 1
    exit "$1"
}
