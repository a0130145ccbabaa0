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

# same_bits ARGS...: two processes find the bits that one finds
same_bits()
{
    ends 0 "$@" --devices 0 --communication reproducible -o alone.mtx
    solves 2 "$@" --communication reproducible -o x.mtx
    cmp -s x.mtx alone.mtx && pass || flunk "$* --communication reproducible"
}
same_bits --problem lap3d:8 --solver cg --precond ic0 --coarse mult \
    --partition geometric:8,4,2

# boxes of the whole grid, which the borders of three processes cut
ends 0 --problem lap3d:10 --solver cg --precond jacobi --rtol 1e-12 -o alone.mtx
for cells in '' '--grid 10,10,10'; do
    solves 3 --problem lap3d:10 --solver cg --precond ic0 --rtol 1e-12 \
        --partition geometric:5,4,4 $cells -o x.mtx
    says stdout '^dropped .* % of the couplings within a device, .* by weight; all between devices$'
    as_alone alone.mtx
done
ranks 3 --problem lap3d:10 --solver cg --precond ic0 \
    --partition geometric:5,4,4 --grid 10,10,9
fails 2 '1000 rows are not a multiple of 10 x 10 x 9 cells'

# files: slices of lines, PETSc by offset, others as a whole
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

# a complex file, of which ranks share pairs of rows of the real form
ends 0 convert --problem helmholtz:6,2 H.mtx
ends 0 H.mtx --rhs ones --rtol 1e-10 -o one.mtx
for input in H.mtx '--problem helmholtz:6,2'; do
    solves 3 $input --rhs ones --rtol 1e-10 -o x.mtx
    says stdout ': 216 complex rows, '
    paste x.mtx one.mtx | awk 'NR > 2 { d = $1 - $3; e = $2 - $4
        if (NF != 4 || d * d + e * e > 1e-14) exit 1 }' && pass ||
        flunk 'another complex solution than one process'
done
mkdir chain
cp chain.mtx chain
tar -cf chain.tar chain 2>/dev/null
solves 2 chain.tar -b b.mtx -o x.mtx
as_alone alone.mtx
# by columns: 4 1, 1 3
{
    printf '%-72s%-8s\n' 'Two rows' two
    printf '%14d%14d%14d%14d\n' 3 1 1 1
    printf 'rua           %14d%14d%14d%14d\n' 2 2 4 0
    printf '%-16s%-16s%-20s\n' '(3I2)' '(4I2)' '(4F4.1)'
    printf ' 1 3 5\n 1 2 1 2\n 4.0 1.0 1.0 3.0\n'
} >two.rb
ends 0 two.rb -o alone.mtx
solves 2 two.rb -o x.mtx
as_alone alone.mtx
printf 'MATLAB 5.0 MAT-file, Platform: GLNXA64' >A.mat
ranks 2 A.mat
fails 3 'A.mat: this is a MATLAB file: write a Matrix Market file'
ranks 2 chain.petsc --rhs 'A*ones' --max-iters 2 --solver cg --precond none
says stdout '^not converged'
says stdout 'error .* the largest'
[ "$code" = 1 ] && pass || flunk "exit $code instead of 1"
ranks 2 chain.mtx --mpi off
[ "$(grep -c '^converged' "$dir/stdout")" = 2 ] && pass ||
    flunk 'not one report of each process'

# ---------------------------------------------------------------- Kronecker

# iterations, as the last report has them
iterations()
{
    grep '^iterations' "$dir/stdout" | tr -dc '0-9'
}

# kron_as_alone N ARGS...: N processes need as many iterations as one, up to
# rounding, and find the same x
kron_as_alone()
{
    number=$1
    shift
    ends 0 "$@" -o alone.mtx
    alone=$(iterations)
    solves "$number" "$@" -o x.mtx
    says stdout '^converged: the true residual is within rtol'
    off=$(($(iterations) - alone))
    [ "$off" -ge -2 ] && [ "$off" -le 2 ] && pass ||
        flunk "$* $number ranks: $off more iterations"
    as_alone alone.mtx
}

# tridiagonal DIAGONAL BELOW ABOVE: 50 rows
tridiagonal()
{
    awk -v d="$1" -v b="$2" -v a="$3" 'BEGIN {
        for (i = 1; i <= 50; ++i) {
            if (i > 1)
                print i, i - 1, b
            print i, i, d
            if (i < 50)
                print i, i + 1, a
        }
    }'
}

# array FILE ROWS COLS: a dense matrix of the values of the standard input
array()
{
    {
        echo '%%MatrixMarket matrix array real general'
        echo "$2 $3"
        cat
    } >"$1"
}

tridiagonal 4 1 0.5 | matrix M.mtx 50 50 148
tridiagonal 2 -1 -1.5 | matrix L.mtx 50 50 148
printf '2\n1\n0\n3\n' | array A.mtx 2 2
printf '1 1 1\n2 2 1\n1 2 -0.25\n' | matrix B.mtx 2 2 3
awk 'BEGIN { for (i = 0; i < 100; ++i) print sin(1 + 7.3 * i) }' >values
array F.mtx 50 2 <values
array F_column.mtx 100 1 <values
system='--kron M.mtx L.mtx A.mtx B.mtx --tau 0.5 --block-size 2 --rtol 1e-10'
blocks='--solver bicgstab --precond block-jacobi'

kron_as_alone 2 --problem radau:2,4 --rhs ones --rtol 1e-12 $blocks
kron_as_alone 3 --problem kron:3,3,3,4 --rtol 1e-12 $blocks
kron_as_alone 3 $system -b F.mtx $blocks
[ "$(sed -n 2p x.mtx)" = '50 2' ] && pass || flunk 'not a column for each stage'
kron_as_alone 2 $system -b F_column.mtx --solver gmres --precond none
[ "$(sed -n 2p x.mtx)" = '100 1' ] && pass || flunk 'not one column'
# ranks find the size of blocks, which is that of one process
awk 'BEGIN {
    for (i = 1; i <= 60; ++i)
        for (j = 1; j <= 60; ++j) {
            away = int((i - 1) / 2) - int((j - 1) / 2)
            if (away * away <= 1)
                print i, j, i == j ? 8 : sin(i + 7.3 * j) / 2
        }
}' | matrix M2.mtx 60 60 352
ends 0 convert M2.mtx M2.petsc
kron_as_alone 3 --kron M2.mtx M2.petsc A.mtx B.mtx --rtol 1e-10 $blocks
says stdout '^blocks *of 2 x 2: 88 of M, 88 of L'
kron_as_alone 2 --kron M.mtx M.mtx A.mtx B.mtx --rtol 1e-10 $blocks
says stdout '^blocks *of 1 x 1: 148 of M, 148 of L'
solves 2 $system --rhs 'A*ones' $blocks -o x.mtx
awk 'NR > 2 { d = $1 - 1; if (d * d > 1e-10) exit 1 }' x.mtx && pass ||
    flunk 'not a vector of ones'
same_bits --problem kron:4,4,4,3 --rtol 1e-12 $blocks
for exchange in batched staged; do
    solves 2 $system $blocks --kron-exchange $exchange --json
    is_json "$dir/stdout" && pass || flunk 'not a JSON record'
    says stdout "\"kron_exchange\":\"$exchange\""
    says stdout '"ranks":2'
    says stdout '"rows":100,"stages":2,"stage_rows":50,'
done

ranks 2 --kron M.mtx - A.mtx B.mtx
fails 2 'the standard input needs one process'
ranks 2 --problem radau:2,1
fails 2 'radau:2,1: 2 processes for 1 blocks of rows'
ranks 2 --kron M.mtx missing.mtx A.mtx B.mtx
fails 3 'missing.mtx'
ranks 2 --kron M.mtx M2.mtx A.mtx B.mtx
fails 3 'M.mtx has 50 rows, M2.mtx has 60: M and L must have the same size'
ranks 2 --kron M.mtx L.mtx A.mtx B.mtx --block-size 4
fails 2 'block size 4 does not divide the 50 rows of M.mtx'
ranks 2 $system -b A.mtx
fails 3 'needs a right-hand side of 50 x 2 or 100 x 1'

# in_other FILE WORDS: a rank that has another file with the name fails
in_other()
{
    rm -rf other && mkdir other && cp M.mtx L.mtx A.mtx B.mtx other
    cat >"other/$1"
    mpirun --oversubscribe -n 1 "$clsolve" $system : \
        -n 1 -wdir other "$clsolve" $system >"$dir/stdout" 2>"$dir/stderr"
    code=$?
    fails 3 "$2"
}
sed '$s/50 50/50 99/' M.mtx >changed
in_other M.mtx 'M.mtx: ranks 0 and 1 have files that differ' <changed
sed '9s/.$/7/' L.mtx >changed
cmp -s L.mtx changed && flunk 'L.mtx did not change'
in_other L.mtx 'L.mtx: ranks 0 and 1 have files that differ' <changed
sed '5s/ [^ ]*$/ 7/' L.mtx >changed
in_other L.mtx \
    'L.mtx: the size of the file is [0-9]* on rank 0, but [0-9]* on rank 1' \
    <changed
sed 's/^3/4/' A.mtx >changed
in_other A.mtx \
    'the files of rank 1 hold another system than those of rank 0' <changed
printf '2\n' | array one.mtx 1 1
in_other A.mtx 'rank 1: A.mtx has 1 rows, B.mtx has 2' <one.mtx
rm -r other

# ---------------------------------------------------------------- errors

refused 2 "unknown value 'yes' for --mpi" chain.mtx --mpi yes
refused 2 'mpi does not apply' info chain.mtx --mpi on
printf '1 1 2\n2 2 2\n1 9 1\n' | matrix bad.mtx 2 2 3
ranks 2 bad.mtx
fails 3 'bad.mtx:5: expected a column from 1 to 2'
printf '1 1 2\n2 2 2\n' | matrix two.mtx 2 2 2
printf '1 1 2\n2 1 2\n' | matrix zero.mtx 3 3 2
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

# starts a solve in two processes that does not end by itself, and waits for it
start_endless()
{
    LEVELCL_LOG=trace mpirun --oversubscribe -n 2 "$clsolve" --problem lap3d:20 \
        $endless -o x.mtx >"$dir/stdout" 2>"$dir/stderr" &
    mpirun=$!
    solving method || flunk 'no solve in two processes'
}

# stopped SIGNAL: the signal to one of the processes ends the solve in both,
# which report and write as usual
stopped()
{
    kill "-$1" "$(child_of "$mpirun")"
    wait "$mpirun"
    code=$?
    [ "$code" = 1 ] && pass || flunk "a rank after signal $1: exit $code"
    says stdout '^not converged: the solve was cancelled$'
    [ "$(lines x.mtx)" = 8002 ] && pass || flunk "signal $1: x is not written"
    rm -f x.mtx
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

for signal in INT TERM; do
    start_endless
    stopped $signal
done
start_endless
ended KILL 'exited on signal 9'
export LEVELCL_RANK_TIMEOUT=3
start_endless
ended STOP '^clsolve: rank [01]: rank [01] did not answer for 3 seconds'
finish 0
