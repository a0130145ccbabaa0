#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve with a sequence of systems: lists of files, reuse of the set-up, the
# table, names of outputs, errors in the middle.
# Usage: test_sequence.sh CLSOLVE SCHEMA
set -u
schema=$2 checker=$(cd "$(dirname "$0")" && pwd)/schema.py
. "$(dirname "$0")/checks.sh"

# tridiagonal FILE N DIAGONAL: -1, DIAGONAL, -1
tridiagonal()
{
    awk -v n="$2" -v d="$3" 'BEGIN { for (i = 1; i <= n; ++i) {
        if (i > 1) print i, i - 1, -1
        print i, i, d
        if (i < n) print i, i + 1, -1 } }' | matrix "$1" "$2" "$2" $((3 * $2 - 2))
}

# vector FILE N FACTOR: FACTOR, 2 FACTOR, ...
vector()
{
    {
        printf '%%%%MatrixMarket matrix array real general\n%d 1\n' "$2"
        awk -v n="$2" -v f="$3" 'BEGIN { for (i = 1; i <= n; ++i) print i * f }'
    } >"$1"
}

for k in 1 2 3; do
    tridiagonal A$k.mtx 60 "2.$k"
    vector b$k.mtx 60 "1.$k"
done
tridiagonal small.mtx 20 3
vector small_b.mtx 20 1
head -100 A2.mtx >cut.mtx
printf '1 1 1\n2 1 1\n' | matrix tall.mtx 2 1 2
mkdir list
printf '# systems\n../A1.mtx ../b1.mtx\n\n  ../A2.mtx\t../b2.mtx  # the second\n../A2.mtx\n' >list/steps.txt
printf 'A1.mtx b1.mtx x\n' >more.txt
printf 'A1.mtx\n- b1.mtx\n' >stdin.txt
printf '# nothing\n\n' >empty.txt
printf 'A1.mtx\0b1.mtx\n' >nul.txt

# ---------------------------------------------------------------- refused

refused 2 '3 matrices and 2 right-hand sides: a sequence needs as many of both' A1.mtx A2.mtx A3.mtx -b b1.mtx b2.mtx
refused 2 '2 matrices and 3 right-hand sides' A1.mtx A2.mtx -b b1.mtx b2.mtx b3.mtx
refused 3 'missing.mtx: cannot open: No such file' A1.mtx missing.mtx -o "$dir/out/x%d.mtx"
refused 3 'missing.mtx: cannot open: No such file' A1.mtx A2.mtx -b b1.mtx missing.mtx
refused 2 'is one file for all steps: name it with %d' A1.mtx A2.mtx -o "$dir/out/x.mtx"
for name in x%d%d x%s x%0d x%03 x% x%-3d x%%d -; do
    refused 2 'is one file for all steps' A1.mtx A2.mtx -o "$name"
    refused 2 'is one file for all steps' A1.mtx A2.mtx --history "$name"
done
refused 2 'it is an input' A1.mtx A2.mtx A3.mtx -o 'A%d.mtx'
refused 2 'it is an input' A1.mtx A2.mtx -b b2.mtx b3.mtx -o 'b%d.mtx'
refused 2 'it is an input' A1.mtx A2.mtx A3.mtx --history 'A%d.mtx'
ln A2.mtx linked1
refused 2 "cannot write 'linked1': it is an input" A1.mtx A2.mtx -o 'linked%d'
refused 2 'name the same file' A1.mtx A2.mtx -o "$dir/out/x%d" --history "$dir/out/x%d"
refused 3 'cannot write' A1.mtx A2.mtx -o "$dir/none/none/x%d.mtx"
refused 2 'not from the standard input' A1.mtx -
refused 2 'not from the standard input' A1.mtx A2.mtx -b b1.mtx -
for option in --dry-run --plot --profile '--report r.html'; do
    # shellcheck disable=SC2086
    refused 2 'applies to one system, not to a sequence' A1.mtx A2.mtx $option
done
refused 2 'update-every has no effect' A1.mtx --update-every 2
for value in 0 -1 x 1.5 12345678; do
    refused 2 "bad value '$value' for --update-every" A1.mtx A2.mtx --update-every $value
done
refused 2 'give it or a matrix, not both' A1.mtx --sequence list/steps.txt
refused 2 'give it or -b, not both' --sequence list/steps.txt -b b1.mtx
refused 2 'sequence does not apply to clsolve info' info --sequence list/steps.txt
refused 2 "unexpected argument 'A2.mtx'" info A1.mtx A2.mtx
refused 2 "unexpected argument 'b2.mtx'" tune A1.mtx -b b1.mtx b2.mtx
refused 3 'more.txt:1: expected a matrix and a right-hand side, or a matrix alone, found more' --sequence more.txt
refused 3 'stdin.txt:2: .* found the standard input' --sequence stdin.txt
refused 3 'empty.txt lists no systems' --sequence empty.txt
refused 3 'nul.txt: expected text' --sequence nul.txt
refused 3 'none.txt: No such file' --sequence none.txt
refused 3 'step 1 of 2: tall.mtx is 2 x 1' tall.mtx A1.mtx

# ---------------------------------------------------------------- solved

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }

# row STEP WORDS: a line of the table
row()
{
    says stdout "^ *$1  $2"
}

# near FILE FILE: the numbers of two arrays differ by the tolerance alone
near()
{
    paste "$1" "$2" | awk 'NR > 2 { d = $1 - $2; if (!(d * d <= 1e-10 * (1 + $1 * $1))) exit 1; ++n }
        END { exit !(n > 0) }' && pass || flunk "$1 and $2 differ"
}

ends 0 A1.mtx A2.mtx A3.mtx -b b1.mtx b2.mtx b3.mtx -o 'x%02d.mtx' --history 'h%d.txt' --precond jacobi
says stdout '^sequence  *3 systems'
row 1 'full .* converged$'
row 2 'values .* converged$'
row 3 'values .* converged$'
says stdout '^converged: all 3 systems$'
says stdout '^set-ups  *1 full; '
for k in 1 2 3; do
    ends 0 A$k.mtx -b b$k.mtx -o single.mtx --precond jacobi
    near x0$k.mtx single.mtx
    grep -q '^0 ' h$k.txt && pass || flunk "no history of step $k"
done

# Steps start from the solution before, unless that is farther away than zero.
ends 0 A1.mtx A1.mtx -b b1.mtx --rtol 1e-6
row 2 'none  *0.00  *0  '
ends 0 A1.mtx A1.mtx -b b1.mtx --rtol 1e-6 --x0 zero
row 2 'none  *0.00  *[1-9]'
ends 0 A1.mtx -b b1.mtx b2.mtx --x0 x01.mtx --json
says stdout '"start":"file".*"start":"previous"'
for factor in 1e-170 1e170; do
    vector scaled.mtx 60 $factor
    ends 0 A1.mtx A1.mtx -b scaled.mtx --rtol 1e-6 --json
    says stdout '"start":"zero".*"start":"previous"'
done
vector opposite.mtx 60 -1
ends 0 A1.mtx -b b1.mtx opposite.mtx --json
says stdout '"start":"zero".*"start":"zero"'

# The list file: names beside it, and the matrix of the line before.
ends 0 --sequence list/steps.txt --rhs ones --json
says stdout '"matrix":"list/../A1.mtx","rhs":"list/../b1.mtx","set_up":"full"'
says stdout '"set_up":"values".*"matrix":"list/../A2.mtx","set_up":"none"'

# When the preconditioner takes new values.
ends 0 A1.mtx A2.mtx A3.mtx A1.mtx --update-every 2
row 2 'operator '
row 3 'values '
row 4 'operator '
ends 0 A1.mtx A2.mtx A3.mtx --refresh on_slow
row 2 'operator '
row 3 'operator '

# Another pattern, also of another size, is set up in full.
ends 0 A1.mtx small.mtx A2.mtx -b b1.mtx small_b.mtx b2.mtx
says stdout '^step 2: small.mtx has another pattern, of 20 rows and 58 nonzeros: a full set-up$'
row 2 'full '
row 3 'full '

# The worst step decides; the sequence goes on after it, and gives advice.
vector zero.mtx 60 0
ends 1 A1.mtx -b zero.mtx b1.mtx zero.mtx --solver cg --precond none --max-iters 2 -o 'w%d.mtx'
row 2 '.* not converged: '
row 3 '.* converged$'
says stdout '^not converged: 1 of 3 systems; step 2: '
says stdout '^to try: '
says stdout '^  *clsolve A1.mtx -b b1.mtx '
[ -s w3.mtx ] && pass || flunk 'no file of the step after a failure'
ends 1 A1.mtx -b zero.mtx b1.mtx --solver cg --precond none --max-iters 2 -q
says stderr '^clsolve: not converged: step 2: '
[ -s "$dir/stdout" ] && flunk '-q prints' || pass

# kept WORDS ARGS...: an error in step 2 is one sentence, and step 1 stays
kept()
{
    words=$1
    shift
    rm -f y1.mtx y2.mtx
    ends 3 "$@" -o 'y%d.mtx'
    row 1 'full .* converged$'
    says stderr "^clsolve: step 2 of [23]: $words"
    [ "$(lines "$dir/stderr")" = 1 ] && [ -s y1.mtx ] && [ ! -e y2.mtx ] && pass || flunk "$*: files or sentences"
    ends 3 "$@" --json
    says stdout '"steps":\[{"step":1,.*"error":{"status":".*"message":"step 2 of .*"exit":3'
    is_json "$dir/stdout" && pass || flunk "$*: no record"
}
kept 'cut.mtx.*' A1.mtx cut.mtx A3.mtx
kept 'b1.mtx is 60 x 1, but small.mtx needs a right-hand side of 20 x 1' A1.mtx small.mtx -b b1.mtx
kept 'small_b.mtx is 20 x 1, but A2.mtx' A1.mtx A2.mtx A3.mtx -b b1.mtx small_b.mtx b3.mtx
kept 'tall.mtx is 2 x 1: a linear system needs a square matrix' A1.mtx tall.mtx
kept 'b1.mtx.*coordinate format' A1.mtx b1.mtx

# unwritten STEP WRITTEN RHS...: once the step reads its right-hand side, a folder
# takes the place of its output; the error names the step, which has no file, and
# WRITTEN files stay
unwritten()
{
    step=$1 written=$2
    shift 2
    for form in '' --json; do
        rm -rf u?.mtx pipe
        mkfifo pipe
        {
            exec >pipe
            mkdir "u$step.mtx"
            cat b1.mtx
        } &
        # shellcheck disable=SC2086
        ends 3 A1.mtx -b "$@" -o 'u%d.mtx' $form
        wait $!
        says stderr "^clsolve: step $step of 3: u$step.mtx: "
        [ -n "$form" ] || row "$step" '.* converged$'
    done
    is_json "$dir/stdout" && pass || flunk "no record of the error in step $step"
    says stdout "\"step\":$step,.*\"error\":{.*\"message\":\"step $step of 3: "
    [ "$(grep -o '"written":' "$dir/stdout" | grep -c .)" = "$written" ] && pass || flunk "not $written files"
    grep -q "\"written\":\"u$step" "$dir/stdout" && flunk "u$step.mtx counts as written" || pass
}
unwritten 1 0 pipe b2.mtx b3.mtx
unwritten 3 2 b1.mtx b2.mtx pipe

if command -v python3 >/dev/null; then
    for args in 'A1.mtx A2.mtx -b b1.mtx' 'A1.mtx cut.mtx' 'A1.mtx -b zero.mtx b1.mtx --max-iters 1 --solver cg --precond none -o v%d.mtx'; do
        # shellcheck disable=SC2086
        clsolve $args --json
        for task in check mutants; do
            wrong=$(python3 -B "$checker" $task "$schema" "$dir/stdout") && pass || flunk "$args, $task: $wrong"
        done
    done
fi

# A signal leaves the steps before in the report and their files.
LEVELCL_LOG=trace "$clsolve" A1.mtx -b zero.mtx b1.mtx b2.mtx -o 'z%d.mtx' --precond none $endless \
    >"$dir/stdout" 2>"$dir/stderr" &
child=$!
interrupt '  *1  full'
[ "$code" = 1 ] && [ -s z1.mtx ] && [ ! -e z3.mtx ] && pass || flunk 'a signal does not end the sequence in order'
says stdout '^not converged: 1 of 3 systems; step 2: '
finish 0
