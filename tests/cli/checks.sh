# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of clsolve, which source this file with the program as
# their first argument: a temporary working folder, runs, checks.

clsolve=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$dir/in" "$dir/out" "$dir/none"
cd "$dir/in" || exit 1
export LEVELCL_CACHE_DIR="${LEVELCL_CACHE_DIR-$dir/cache}"
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
# status in $code. PoCL 3.1 now and then aborts where several devices compile: it
# counts the users of a kernel wrongly; LeakSanitizer now and then crashes itself
# while threads end.
clsolve()
{
    for _ in 1 2 3; do
        "$clsolve" "$@" >"$dir/stdout" 2>"$dir/stderr"
        code=$?
        grep -qE 'pocl_release_dlhandle_cache|LeakSanitizer has encountered a fatal' "$dir/stderr" || break
    done
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

# options of a solve that does not end by itself
endless='--solver gmres --rtol 1e-300 --stagnation 1000000000 --max-iters 1000000000'

# await COMMAND...: waits until the command succeeds, for two minutes at most
await()
{
    tries=0
    until "$@"; do
        [ $tries -lt 600 ] || return 1
        tries=$((tries + 1))
        sleep 0.2
    done
}

# The launches of a run with LEVELCL_LOG=trace; whether there are this many more
# of them than $before.
launches()
{
    grep -c clEnqueueNDRangeKernel "$dir/stderr"
}
launched()
{
    [ "$(launches)" -ge $((before + $1)) ]
}

# solving WORD: waits until a run with LEVELCL_LOG=trace has printed a line that
# starts with the word and then made launches: it takes signals now.
solving()
{
    await grep -q "^$1" "$dir/stdout" "$dir/stderr" || return 1
    before=$(launches)
    await launched 100
}

# Whether $child has ended.
gone()
{
    ! kill -0 "$child" 2>/dev/null
}

# interrupt WORD [SIGNAL]: once the run $child, started in the background, is
# solving, sends it the signal, INT by default. Sets $code; 137: it did not end.
interrupt()
{
    solving "$1" || flunk "no solve that could be interrupted"
    kill "-${2:-INT}" "$child"
    await gone || kill -KILL "$child"
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
