#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve with several right-hand sides, and with an initial guess.
# Usage: test_columns.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# array FILE ROWS COLS: writes a dense matrix with the numbers of the standard
# input, by columns.
array()
{
    {
        echo '%%MatrixMarket matrix array real general'
        echo "$2 $3"
        cat
    } >"$1"
}

# numbers SEED COUNT: pseudo-random numbers in [-1, 1)
numbers()
{
    awk -v seed="$1" -v count="$2" 'BEGIN {
        for (i = 0; i < count; ++i) {
            seed = seed * 16807 % 2147483647
            printf "%.17g\n", seed / 1073741824 - 1
        }
    }'
}

# agrees WHAT FILE FILE: the numbers of two arrays differ by rounding alone
agrees()
{
    paste "$2" "$3" | awk 'NR == 2 && ($1 != $3 || $2 != $4) { exit 1 }
        NR > 2 { d = $1 - $2; if (!(d * d <= 1e-14)) exit 1 }' &&
        pass || flunk "$1: $2 and $3 differ"
}

P='--problem lap3d:6'
for c in 1 2 3; do
    numbers $c 216 | array b$c.mtx 216 1
done
for c in 1 2 3; do
    sed 1,2d b$c.mtx
done | array b.mtx 216 3
awk 'BEGIN { for (i = 0; i < 216; ++i) print 0 }' | array zero.mtx 216 1
{
    sed 1,2d b1.mtx
    sed 1,2d zero.mtx
} | array mixed.mtx 216 2
numbers 4 215 | array short.mtx 215 1
numbers 4 432 | array two.mtx 216 2
{ numbers 4 215; echo inf; } | array inf.mtx 216 1
array none.mtx 216 0 </dev/null

# ---------------------------------------------------------------- refused

refused 3 'short.mtx is 215 x 1, but lap3d:6 needs an initial guess of 216 x 1' $P --x0 short.mtx
refused 3 'expected at least one row and column' $P --x0 none.mtx
refused 3 'two.mtx has 2 initial guesses for 1 right-hand side' $P --x0 two.mtx
refused 3 'two.mtx has 2 initial guesses for 3 right-hand sides' $P -b b.mtx --x0 two.mtx
refused 3 'inf.mtx:218: ' $P --x0 inf.mtx
refused 3 'cannot open' $P --x0 missing.mtx
refused 3 'short.mtx is 215 x 1' $P -b short.mtx
refused 2 'x0 does not apply to clsolve info' info $P --x0 b1.mtx
refused 2 'it is an input' $P --x0 b1.mtx -o b1.mtx
refused 2 'only one file can be read from the standard input' $P --x0 - -b -
refused 2 'clsolve tune takes one right-hand side, but b.mtx has 3' tune $P -b b.mtx
refused 2 'clsolve compare takes one right-hand side' compare $P -b b.mtx --a '--solver cg'
for suffix in petsc petsc.gz petsc.xz; do
    refused 2 'a PETSc vector has one' $P -b b.mtx -o "$dir/out/x.$suffix"
done

# ---------------------------------------------------------------- solved

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }

for c in 1 2 3; do
    ends 0 $P -b b$c.mtx -o x$c.mtx
    sed 1,2d x$c.mtx
done >all.txt
array expected.mtx 216 3 <all.txt
ends 0 $P -b b.mtx -o x.mtx --history history.txt
agrees 'one after the other' x.mtx expected.mtx
says stdout '^method .*, 3 right-hand sides b.mtx$'
says stdout '^ *3  *[0-9]*  *[0-9.e-]*  *[0-9.]*  converged$'
says stdout '^converged: all 3 right-hand sides$'
says stdout '^residual .* true, the largest, of column [123]$'
says stdout '^age  *3 solves with the last factors$'
says stdout '^memory  *[0-9.]* MB on the device: [0-9.]* product, [0-9.]* preconditioner, [0-9.]* other; at most [0-9.]* MB$'
[ "$(grep -c '^# ' history.txt)" = 3 ] && [ "$(grep -c '^0 1$' history.txt)" = 3 ] &&
    pass || { flunk 'not three histories:'; cat history.txt; }

# The same from the solution: no iteration.
ends 0 $P -b b.mtx --x0 x.mtx --rtol 1e-6
says stdout ', initial guess x.mtx$'
says stdout '^iterations  0 in total$'
ends 0 $P -b b.mtx --x0 x1.mtx --rtol 1e-6
says stdout '^ *1  *0  '
says stdout '^ *2  *[1-9]'

# The exit status is that of the worst column.
ends 1 $P -b mixed.mtx --solver cg --precond none --max-iters 2 -o x.mtx
says stdout '^not converged: 1 of 2 right-hand sides; column 1: '
says stdout '^ *2  *0 .*  converged$'
says stdout '^to try: '
grep -q '^age' "$dir/stdout" && flunk 'no factors have no age' || pass
[ "$(lines x.mtx)" = 434 ] && pass || flunk 'x has not two columns'
ends 1 $P -b mixed.mtx --solver cg --precond none --max-iters 2 -q
says stderr '^clsolve: not converged: column 1: '
ends 1 $P -b mixed.mtx --solver cg --precond none --max-iters 2 --json
is_json "$dir/stdout" && pass || flunk 'columns in JSON'
for word in '"result":{"column":1,"converged":false,' '"columns":\[{"converged":false,' \
    '"converged":true,"status":"ok","stop":"zero-rhs"' '"exit":1'; do
    says stdout "$word"
done

# An interrupt leaves the other columns unsolved.
LEVELCL_LOG=trace "$clsolve" --problem lap3d:16 -b - -o x.mtx --precond none $endless \
    >"$dir/stdout" 2>"$dir/stderr" <<END &
%%MatrixMarket matrix coordinate real general
4096 2 2
1 1 1
1 2 1
END
child=$!
interrupt method
[ "$code" = 1 ] && pass || flunk 'an interrupt does not end the solves in order'
says stdout '^ *2  not solved$'
says stdout '^not converged: 2 of 2 right-hand sides; column 1: '

# Times with compilation are said to have it: those of a first start on PoCL.
before=${POCL_CACHE_DIR-}
export POCL_CACHE_DIR="$dir/pocl" # not kept: its kernels are compiled anew
ends 0 $P -b b.mtx --solver gmres --restart 5 --precond none
[ -n "$before" ] && POCL_CACHE_DIR=$before || unset POCL_CACHE_DIR
awk '/^ +[0-9]+ +[0-9]+ .*converged/ { if ($4 > longest) longest = $4 }
    /seconds include/ { said = 1 }
    /^  solve/ { solve = $2 }
    END { exit !(longest > 0 && (said || longest <= 1.6 * solve + 0.001) &&
        (!said || longest >= 1.4 * solve - 0.001)) }' "$dir/stdout" && pass ||
    flunk 'the table does not say what its times include'
! grep -q 'Portable Computing' "$dir/stdout" || says stdout '^ *the seconds include the compilation'

# A Kronecker system: as many columns as stages for each right-hand side.
numbers 5 432 | array f.mtx 108 4
numbers 5 432 | array f1.mtx 216 2
ends 0 --problem radau:2,3 -b f.mtx -o u.mtx
says stdout '^converged: all 2 right-hand sides$'
ends 0 --problem radau:2,3 -b f1.mtx -o u1.mtx
sed 1,2d u.mtx | cmp -s - "$(sed 1,2d u1.mtx >u1.txt; echo u1.txt)" && pass ||
    flunk 'a stage per column and all stages in one differ'
numbers 5 324 | array f3.mtx 108 3
refused 3 'needs a right-hand side of 108 x 2 or 216 x 1, or several of them' --problem radau:2,3 -b f3.mtx
finish 0
