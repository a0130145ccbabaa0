#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve with Kronecker systems. Usage: test_kron.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# array FILE ROWS COLS VALUES...: writes a dense matrix by columns
array()
{
    file=$1
    {
        echo '%%MatrixMarket matrix array real general'
        echo "$2 $3"
        shift 3
        printf '%s\n' "$@"
    } >"$file"
}

# A tridiagonal matrix of 8 rows with the given diagonal and off-diagonal values.
tridiagonal()
{
    for i in 1 2 3 4 5 6 7 8; do
        [ $i -gt 1 ] && echo "$i $((i - 1)) $2"
        echo "$i $i $1"
        [ $i -lt 8 ] && echo "$i $((i + 1)) $2"
    done
}

# near_one FILE COUNT: the last COUNT lines are 1 up to rounding
near_one()
{
    tail -n "$2" "$1" | awk '{ d = $1 - 1; if (d > 1e-6 || d < -1e-6) exit 1 }' &&
        pass || flunk "$1: not a vector of ones"
}

# ---------------------------------------------------------------- inputs

tridiagonal 4 1 | matrix M.mtx 8 8 22
tridiagonal 2 -1 | matrix L.mtx 8 8 22
printf '1 1 4\n2 2 3\n' | matrix M_small.mtx 2 2 2
printf '1 1 4\n2 2 3\n' | matrix M_wide.mtx 2 3 2
matrix M_empty.mtx 0 0 0 </dev/null
# full blocks of 4 and of 6; the largest common block size is 2
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    for j in 1 2 3 4 5 6 7 8 9 10 11 12; do
        v=1
        [ $i = $j ] && v=20
        [ $(((i - 1) / 4)) = $(((j - 1) / 4)) ] && echo "$i $j $v" >>four.txt
        [ $(((i - 1) / 6)) = $(((j - 1) / 6)) ] && echo "$i $j $v" >>six.txt
    done
done
matrix M_four.mtx 12 12 48 <four.txt
matrix L_six.mtx 12 12 72 <six.txt
array A.mtx 2 2 2 1 0 3
printf '1 1 1\n2 2 1\n1 2 -0.25\n' | matrix B.mtx 2 2 3
array A_one.mtx 1 1 1
array A_wide.mtx 2 3 1 2 3 4 5 6
array A_nan.mtx 2 2 1 2 nan 4
array B_three.mtx 3 3 1 0 0 0 1 0 0 0 1
array B_huge.mtx 2 2 1e200 0 0 1e200
matrix A_many.mtx 17 17 0 </dev/null
array F.mtx 8 2 9 10 10 10 10 10 10 9 5 6 6 6 6 6 6 5
array F_column.mtx 16 1 9 10 10 10 10 10 10 9 5 6 6 6 6 6 6 5
array F_turned.mtx 2 8 9 10 10 10 10 10 10 9 5 6 6 6 6 6 6 5
array F_short.mtx 8 1 9 10 10 10 10 10 10 9
printf '0\n0\n0\n0\n1\n1\n1\n1\n' >labels.txt
printf '0\n0\n1\n' >labels_short.txt

# ---------------------------------------------------------------- usage

system='--kron M.mtx L.mtx A.mtx B.mtx'
plain='--precond none --solver idr'

refused 2 'needs four files: M, L, A and B' --kron
refused 2 'needs four files' --kron M.mtx L.mtx A.mtx
refused 2 'needs four files' --kron M.mtx L.mtx A.mtx --tau 1
refused 2 'needs four files' --kron= M.mtx L.mtx A.mtx
refused 2 'not two of them' $system M.mtx
refused 2 'not two of them' $system --problem lap3d:4
refused 2 'not two of them' $system --csr-text M.mtx L.mtx A.mtx
refused 2 'kron does not apply to clsolve devices' devices $system
refused 2 'b does not apply to clsolve info' info $system -b F.mtx
refused 2 "bad value 'nan' for --tau" $system --tau nan
refused 2 "bad value 'inf' for --tau" $system --tau=inf
refused 2 "bad value '1e999' for --tau" $system --tau 1e999
refused 2 "bad value '1x' for --tau" $system --tau 1x
refused 2 'tau needs a value' $system --tau
refused 2 'only with --kron' M.mtx --tau 0.5
refused 2 'only with --kron' --problem kron:2,2,2,2 --tau 0.5
refused 2 'block size 3 does not divide the 8 rows of M.mtx' $system --block-size 3
refused 2 'jacobi does not support Kronecker systems; use block-jacobi' $system --precond jacobi
refused 2 'requires --factor-storage fp64 or fp32' $system --precond block-jacobi --factor-storage bf16
refused 2 'expected kron:S' --problem kron:0
refused 2 'expected kron:S' --problem kron:17
refused 2 'expected kron:S' --problem radau:10,4
refused 2 'expected kron:S' --problem radau:2,4x
refused 2 'expected kron:S' --problem stokes:2
refused 2 'expected N >= 3' --problem stokes:2,2
refused 2 'at most 2147483647 rows' --problem kron:2,99999999999,1,1

# ---------------------------------------------------------------- bad input

refused 3 'missing.mtx' --kron missing.mtx L.mtx A.mtx B.mtx
refused 3 'missing.mtx' --kron M.mtx missing.mtx A.mtx B.mtx
refused 3 'missing.mtx' --kron M.mtx L.mtx missing.mtx B.mtx
refused 3 'missing.mtx' --kron M.mtx L.mtx A.mtx missing.mtx
refused 3 'M_wide.mtx is 2 x 3: M and L must be square' --kron M_wide.mtx L.mtx A.mtx B.mtx
refused 3 'M_small.mtx has 2 rows, L.mtx has 8' --kron M_small.mtx L.mtx A.mtx B.mtx
refused 3 'M.mtx has 8 rows, M_small.mtx has 2' --kron M.mtx M_small.mtx A.mtx B.mtx
refused 3 'an empty matrix' --kron M_empty.mtx M_empty.mtx A.mtx B.mtx
refused 3 'A_wide.mtx is 2 x 3: A and B must be square' --kron M.mtx L.mtx A_wide.mtx B.mtx
refused 3 'A.mtx has 2 rows, B_three.mtx has 3' --kron M.mtx L.mtx A.mtx B_three.mtx
refused 3 'A_many.mtx has 17 rows: expected 1 to 16' --kron M.mtx L.mtx A_many.mtx A_many.mtx
refused 3 'A_nan.mtx:5: ' --kron M.mtx L.mtx A_nan.mtx B.mtx
refused 3 'tau B is not finite' --kron M.mtx L.mtx A.mtx B_huge.mtx --tau 1e200
for F in F_turned F_short; do
    refused 3 "$F.mtx is .*, but M.mtx needs a right-hand side of 8 x 2 or 16 x 1" \
        $system -b $F.mtx -o "$dir/out/x.mtx"
done
refused 3 '3 labels, but M.mtx has 8 rows' $system --partition file:labels_short.txt
refused 3 'cannot write' $system -o "$dir/nowhere/x.mtx"

# ---------------------------------------------------------------- a device

clsolve devices
if [ "$code" != 0 ]; then
    echo 'no OpenCL device: the rest is skipped'
    finish 77
fi

ends 0 $system $plain --tau 0.5 --rhs 'A*ones'
says stdout '^matrix  *M.mtx: A (x) M + tau B (x) L, 2 stages of 8 rows, tau 0.5$'
says stdout '^blocks  *of 1 x 1: 22 of M, 22 of L$'
says stdout 'right-hand side K \* ones'
says stdout '^error '
says stdout '^converged: '
says stdout '^product  *one_pass'
ends 0 $system $plain --rhs 'A*ones' -o "$dir/out/x.mtx" -q
[ ! -s "$dir/stdout" ] && [ ! -s "$dir/stderr" ] && pass || flunk '-q: not quiet'
[ "$(grep -v '^%' "$dir/out/x.mtx" | head -n 1)" = '8 2' ] && pass || flunk 'x is not 8 x 2'
near_one "$dir/out/x.mtx" 16

# With B = 0 x solves M X A^T = F; F is M times ones times the row sums of A.
array zero.mtx 2 2 0 0 0 0
array F_ones.mtx 8 2 10 12 12 12 12 12 12 10 20 24 24 24 24 24 24 20
ends 0 --kron M.mtx L.mtx A.mtx zero.mtx $plain -b F_ones.mtx -o "$dir/out/x.mtx"
[ "$(grep -v '^%' "$dir/out/x.mtx" | head -n 1)" = '8 2' ] && pass || flunk 'x is not 8 x 2'
near_one "$dir/out/x.mtx" 16
says stdout 'right-hand side F_ones.mtx'
ends 0 $system $plain -b F_column.mtx -o "$dir/out/x.mtx" --history "$dir/out/history.txt"
[ "$(grep -v '^%' "$dir/out/x.mtx" | head -n 1)" = '16 1' ] && pass || flunk 'x is not 16 x 1'
grep -q '^0 1' "$dir/out/history.txt" && pass || flunk '--history: no start'
cp "$dir/out/x.mtx" "$dir/column.mtx"
ends 0 $system $plain -b F.mtx -o "$dir/out/x.mtx"
tail -n 16 "$dir/column.mtx" >"$dir/column"
tail -n 16 "$dir/out/x.mtx" | cmp -s - "$dir/column" && pass || flunk 'F by columns is another F'

for product in one_pass okp cu; do
    ends 0 $system $plain --kron-product $product --json
    is_json "$dir/stdout" && pass || flunk "$product --json"
    says stdout '"matrix":{"name":"M.mtx".*"rows":16,"stages":2,"stage_rows":8,"tau":1,"block_size":1,'
    says stdout "\"kron_product\":\"$product\""
    says stdout "\"kron\":\"$product\""
done

ends 0 --kron M_four.mtx L_six.mtx A.mtx B.mtx $plain --json
says stdout '"block_size":2,"nnz_m":48,"nnz_l":72'
ends 0 --kron M_four.mtx L_six.mtx A_one.mtx A_one.mtx $plain --block-size 6 --rhs 'A*ones' -o "$dir/out/x.mtx"
says stdout '^blocks  *of 6 x 6: 4 of M, 2 of L$'
near_one "$dir/out/x.mtx" 12

ends 0 --problem kron:3,3,3,3 $plain --rhs 'A*ones' --rtol 1e-12 -o "$dir/out/x.mtx"
says stdout '3 stages of 108 rows, tau 0.125$'
near_one "$dir/out/x.mtx" 324
ends 0 --problem radau:2,4 $plain --rhs 'A*ones' --rtol 1e-12 -o "$dir/out/x.mtx"
near_one "$dir/out/x.mtx" 512
ends 0 --problem stokes:2,3 $plain --rhs 'A*ones' --rtol 1e-12 -o "$dir/out/x.mtx"
near_one "$dir/out/x.mtx" 216
ends 0 $system --solver idr --partition file:labels.txt
ends 1 --problem radau:2,6 $plain --max-iters 1 -q
says stderr '^clsolve: not converged: '

ends 0 info $system --precond none
says stdout '^blocks '
ends 0 info $system --precond none --json
is_json "$dir/stdout" && pass || flunk 'info --json'
says stdout '"stages":2'

finish 0
