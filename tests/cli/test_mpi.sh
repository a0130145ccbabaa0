#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve in several processes that mpirun starts. Usage: test_mpi.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"
command -v mpirun >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # MPI's own

# ranks N ARGS...: as clsolve(), in N processes
ranks()
{
    number=$1
    shift
    mpirun --oversubscribe -n "$number" "$clsolve" "$@" \
        >"$dir/stdout" 2>"$dir/stderr"
    code=$?
}

# solves N ARGS...: expects success
solves()
{
    ranks "$@"
    [ "$code" = 0 ] && pass && return
    flunk "$* ranks: exit $code:"
    cat "$dir/stderr"
}

# fails CODE WORDS: expects the exit status of the last run, and one sentence
fails()
{
    if [ "$code" = "$1" ] && [ "$(grep -c '^clsolve: ' "$dir/stderr")" = 1 ] &&
        grep -q "^clsolve: .*$2" "$dir/stderr"; then
        pass
    else
        flunk "exit $code, expected $1 and one '$2':"
        cat "$dir/stderr"
    fi
}

# as_alone FILE: x.mtx is close to FILE
as_alone()
{
    paste x.mtx "$1" |
        awk 'NR > 2 { d = $1 - $2; if (d * d > 1e-10) exit 1 }' && pass ||
        flunk 'another solution than one process'
}

# ---------------------------------------------------------------- solves

ends 0 --problem jump:9,100 --solver cg --precond jacobi -o alone.mtx
solves 1 --problem jump:9,100 --solver cg --precond jacobi -o x.mtx
cmp -s x.mtx alone.mtx && pass || flunk 'one process of MPI differs'
solves 3 --problem jump:9,100 --solver cg --precond jacobi -o x.mtx
[ "$(grep -c '^converged' "$dir/stdout")" = 1 ] && pass ||
    flunk 'not one report'
as_alone alone.mtx
solves 2 --problem jump:9,100 --solver cg_pipelined --precond jacobi --json \
    -o x.mtx
is_json "$dir/stdout" && pass || flunk 'not a JSON record'
says stdout '"ranks":2'
[ "$(grep -o '"sent_bytes":[1-9]' "$dir/stdout" | grep -c .)" = 2 ] && pass ||
    flunk 'not the bytes of two ranks'
as_alone alone.mtx

# files: slices of lines, PETSc by offset
awk 'BEGIN {
    n = 300
    print "%%MatrixMarket matrix coordinate real symmetric"
    print n, n, 2 * n - 1
    for (i = n; i > 0; --i) {
        print i, i, 2.5 + i % 3
        if (i > 1)
            print i, i - 1, -1
    }
}' >chain.mtx
ends 0 convert chain.mtx chain.petsc
awk 'BEGIN {
    print "%%MatrixMarket matrix array real general"
    print 300, 1
    for (i = 1; i <= 300; ++i)
        print i % 7 - 3
}' >b.mtx
ends 0 chain.mtx -b b.mtx -o alone.mtx
solves 3 chain.mtx -b b.mtx -o x.mtx
as_alone alone.mtx
ranks 2 chain.petsc --rhs 'A*ones' --max-iters 2 --solver cg --precond none
says stdout '^not converged'
says stdout 'error .* the largest'
[ "$code" = 1 ] && pass || flunk "exit $code instead of 1"
ranks 2 chain.mtx --mpi off
[ "$(grep -c '^converged' "$dir/stdout")" = 2 ] && pass ||
    flunk 'not one report of each process'

# ---------------------------------------------------------------- errors

refused 2 "unknown value 'yes' for --mpi" chain.mtx --mpi yes
refused 2 'mpi does not apply' info chain.mtx --mpi on
printf '1 1 2\n2 2 2\n1 9 1\n' | matrix bad.mtx 2 2 3
ranks 2 bad.mtx
fails 3 'bad.mtx:5: expected a column from 1 to 2'
printf '1 1 2\n2 2 2\n' | matrix two.mtx 2 2 2
printf '1 1 2\n2 1 2\n' | matrix zero.mtx 3 3 2
ranks 2 --problem kron:2
fails 2 'Kronecker form needs one process'
ranks 2 chain.mtx --x0 chain.mtx
fails 2 'x0 needs one process'
ranks 2 chain.mtx --dry-run
fails 2 'dry-run needs one process'
ranks 2 chain.mtx --report "$dir/out/r.html"
fails 2 '--report needs one process'
ranks 2 chain.mtx -b two.mtx
fails 3 'needs a right-hand side of 300 x 1'
ranks 2 zero.mtx --json
fails 3 'row 3 of zero.mtx has no nonzero entry'
says stdout '"exit":3'

# apart ARGS -- ARGS: two processes with arguments of their own
apart()
{
    mpirun --oversubscribe -n 1 "$clsolve" "$1" --rtol "$2" : \
        -n 1 "$clsolve" "$3" --rtol "$4" >"$dir/stdout" 2>"$dir/stderr"
    code=$?
}
apart chain.mtx 1e-8 chain.mtx 1e-3
fails 2 'rank 1 has other options than rank 0'
mkdir other
sed 's/2.5/2.75/' chain.mtx >other/chain.mtx
mpirun --oversubscribe -n 1 "$clsolve" chain.mtx : \
    -n 1 -wdir other "$clsolve" chain.mtx >"$dir/stdout" 2>"$dir/stderr"
code=$?
fails 3 'chain.mtx: the size of the file is'

# child_of PROCESS: one of its children
child_of()
{
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v parent="$1" '$4 == parent { child = $1 } END { print child }'
}

# starts a solve in two processes that does not end by itself
start_endless()
{
    mpirun --oversubscribe -n 2 "$clsolve" --problem lap3d:80 --solver cg \
        --precond none --rtol 1e-300 --stagnation 100000000 \
        --max-iters 100000000 >"$dir/stdout" 2>"$dir/stderr" &
    mpirun=$!
    for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 1
        grep -q '^method' "$dir/stdout" && break
    done
}

# ended SIGNAL WORDS: sends a rank the signal, which ends all with the words
ended()
{
    kill "-$1" "$(child_of "$mpirun")"
    before=$(date +%s)
    wait "$mpirun"
    code=$?
    [ "$code" != 0 ] && [ $(($(date +%s) - before)) -le 30 ] &&
        grep -q "$2" "$dir/stderr" && pass && return
    flunk "a rank after signal $1: exit $code"
    cat "$dir/stderr"
}

start_endless
ended KILL 'exited on signal 9'
export LEVELCL_RANK_TIMEOUT=3
start_endless
ended STOP '^clsolve: rank [01]: rank [01] did not answer for 3 seconds'
finish 0
