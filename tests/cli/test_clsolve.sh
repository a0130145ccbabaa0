#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve as users run it: exit codes, one line per error, valid JSON, no files
# left after errors. Usage: test_clsolve.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# ---------------------------------------------------------------- inputs

echo '1 1 4' | matrix one.mtx 1 1 1
printf '1 1 4\n1 2 1\n2 1 1\n2 2 3\n' | matrix two.mtx 2 2 4
printf '1 1 1\n2 2 1\n' | matrix wide.mtx 2 3 2
matrix empty.mtx 0 0 0 </dev/null
matrix no_entries.mtx 3 3 0 </dev/null
printf '1 2 1\n2 1 1\n2 2 1\n' | matrix no_diagonal.mtx 2 2 3
printf '1 1 4\n3 3 1\n' | matrix zero_row.mtx 3 3 2
printf '1 1 4\n2 2 0\n' | matrix zeros_row.mtx 2 2 2
printf '1 1 nan\n2 2 1\n' | matrix nan.mtx 2 2 2
printf '1 1 1\n2 2 inf\n' | matrix inf.mtx 2 2 2
printf '1 1 1\n2 2 1e999\n' | matrix overflow.mtx 2 2 2
printf '0 1 1\n2 2 1\n' | matrix index_0.mtx 2 2 2
printf '1 1 1\n3 2 1\n' | matrix row_past.mtx 2 2 2
printf '1 1 1\n2 3 1\n' | matrix col_past.mtx 2 2 2
printf '1 1 1\n2 -2 1\n' | matrix index_minus.mtx 2 2 2
echo '1 1 1' | matrix rows_minus.mtx -2 2 1
echo '1 1 1' | matrix nnz_minus.mtx 2 2 -1
echo '1 1 1' | matrix nnz_absurd.mtx 2 2 999999999999999999999
echo '1 1 1' | matrix rows_absurd.mtx 9223372036854775808 2 1
echo '1 1 5e-309' | matrix tiny.mtx 1 1 1
echo '1 1 1' | matrix nnz_large.mtx 2 2 1000000000000
echo '1 1 1' | matrix rows_1e12.mtx 1000000000000 1000000000000 1
printf '1 1 1\n' | matrix truncated.mtx 2 2 2
printf '1 1 1\n2 2' | matrix half_line.mtx 2 2 2
printf '1 1 1\n2 2 1x\n' | matrix rubbish_after.mtx 2 2 2
printf '1 1 1\n2 2 1\n1 2 1\n' | matrix surplus.mtx 2 2 2
printf '1 1 1\n2 2 1\0\n' | matrix nul.mtx 2 2 2
printf '1 1 4\n1 1 2\n1 1 1\n' | matrix thrice.mtx 1 1 3
printf '1 1 1e200\n2 2 1e200\n' | matrix large.mtx 2 2 2
printf '%%%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 1\n' >short_banner.mtx
printf '%%%%MatrixMarkt matrix coordinate real general\n1 1 1\n1 1 1\n' >banner.mtx
printf '%%%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n' >hermitian.mtx
printf '%%%%MatrixMarket matrix array real general\n1 1\n1\n' >array.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n' >banner_only.mtx
: >nothing.mtx
printf '\177ELF\0\1\2\377\376\33[31m\n' >binary.mtx
printf '\37\213\10\0rubbish rubbish' >rubbish.mtx.gz
printf '\3757zXZ\0rubbish rubbish' >rubbish.mtx.xz
printf '%%%%MatrixMarket matrix array real general\n2 1\n5\n4\n' >b.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 1 1\n2 1 7\n' >b_sparse.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n5\n4\n4\n' >b_long.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n5\nnan\n' >b_nan.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n5\n' >b_short.mtx
printf '0\n0\n' >labels.txt
printf '0\n0\n1\n' >labels_long.txt

printf '0\n2\n4\n' >ptr.txt
printf '1 0\n0 1\n' >col.txt
printf '1 4\n1 3\n' >val.txt
printf '5\n4\n' >rhs.txt
printf '5 4 3\n' >rhs_long.txt
printf '1 3 5\n' >ptr_one.txt

# ---------------------------------------------------------------- usage

refused 2 'no matrix given'
refused 2 "unknown option '--rtoll': did you mean '--rtol'" --rtoll 1e-6 two.mtx
refused 2 "unknown option '--jsno': did you mean '--json'" --jsno two.mtx
refused 2 "unknown option '--zzzzzzzz'" --zzzzzzzz two.mtx
refused 2 "unknown option '-z'" -z two.mtx
refused 2 "'idlu0' for precond: did you mean 'ildu0'" --precond idlu0 two.mtx
refused 2 "'ildu1' for precond: did you mean 'ildu0'" --precond=ildu1 two.mtx
refused 2 "did you mean 'metis'" --partition mets two.mtx
refused 2 "bad value 'nan' for rtol" --rtol nan two.mtx
refused 2 "bad value '2' for rtol" --rtol=2 two.mtx
refused 2 "bad value '0' for max-iters" --max-iters 0 two.mtx
refused 2 "bad value '9' for block-size" --block-size 9 two.mtx
refused 2 'geometric:16,16,8' --partition geometric two.mtx
refused 2 'needs a value' two.mtx --precond=
refused 2 'idr-s has no effect with --solver bicgstab: it requires --solver idr' two.mtx --solver bicgstab --idr-s 8
refused 2 'idr-s has no effect with --solver auto' two.mtx --idr-s 4
refused 2 'basis has no effect with --solver idr: it requires --solver gmres or fgmres' two.mtx --solver idr --basis fp64
refused 2 'subdomain-rows has no effect with --precond none' two.mtx --precond none --subdomain-rows 100
refused 2 'with --precond amg it requires --amg-smoother ildu0' two.mtx --precond amg --amg-smoother jacobi --subdomain-rows 9
refused 2 'hec-width has no effect: it requires --spmv hec' two.mtx --spmv csr --hec-width 3
refused 2 'weights has no effect: it requires --partition match or metis' two.mtx --partition natural --weights on
refused 2 'spmv has no effect: it does not apply to Kronecker' --problem kron:2 --spmv csr
refused 2 'precond does not apply to clsolve convert' convert two.mtx "$dir/out/x" --precond amg
refused 2 'profile does not apply to clsolve devices' devices --profile
refused 2 'takes no value' two.mtx --profile=1
refused 2 'belongs to the text report' two.mtx --plot -q
refused 2 'plot does not apply to clsolve info' info two.mtx --plot
refused 2 "bad value '0' for restart" --solver gmres --restart 0 two.mtx
refused 2 "bad value '2000' for restart" --solver gmres --restart 2000 two.mtx
refused 2 "unknown command 'infoo': did you mean 'info'" infoo two.mtx
refused 2 "unknown command 'infoo': did you mean 'info'" infoo --problem lap3d:4
refused 2 "unknown command 'devces': did you mean 'devices'" devces
refused 2 "unknown command 'sovle': did you mean 'solve'" sovle two.mtx
refused 2 "'bicg' for solver: did you mean 'bicgstab'" two.mtx --solver bicg
refused 2 "there is no file 'lap3d:4'; a built-in problem is an option: --problem lap3d:4" lap3d:4
refused 2 "a built-in problem is an option: --problem lap3d:4" info lap3d:4
ends 0 solve two.mtx
ends 0 help
cp "$dir/stdout" help.txt
ends 0 --help
cmp -s "$dir/stdout" help.txt && pass || flunk 'clsolve help prints the help'
ends 0 help tune
refused 2 'expected the name of a file, as in file:labels.txt' two.mtx --partition file:
refused 2 'expected the name of a file, as in file:labels.txt' two.mtx --partition=file
refused 2 'factor-storage adaptive requires --precond block-jacobi' two.mtx --factor-storage adaptive
refused 2 'cg_published requires --precond none' two.mtx --solver cg_published --precond jacobi
refused 2 'expected an integer after' two.mtx --rhs random:x
refused 2 'expected an integer after' two.mtx --rhs random:
refused 2 'expected an integer after' two.mtx --rhs random:99999999999999999999
refused 2 'not both' two.mtx --rhs ones -b two.mtx
refused 2 'rhs does not apply to clsolve info' info two.mtx --rhs ones
refused 2 'trisolve requires --factor-storage fp64' two.mtx --trisolve dag_ec_lds --factor-storage fp32
refused 2 'spmv requires --factor-storage fp64' two.mtx --precond block-jacobi --block-apply spmv --factor-storage bf16
refused 2 'kron-product has no effect: it applies only' two.mtx --kron-product one_pass
refused 2 'kron-product has no effect: it applies only' info two.mtx --kron-product okp
refused 2 'grid applies only' two.mtx --grid 2,1,1
refused 2 'grid applies only' two.mtx --grid 2,1,1 --partition geometric:1,1,1 --partition file:labels.txt
refused 2 'not both' two.mtx --problem lap3d:4
refused 2 'not two of them' two.mtx --csr-text ptr.txt col.txt val.txt
refused 2 'needs three files' --csr-text ptr.txt col.txt
refused 3 'matrix is stored in blocks' --problem lap3d:4,b=3 --spmv adaptive --block-size 3
refused 3 'hec_level requires block size 1' --problem lap3d:4,b=3 --trisolve hec_level --block-size 3
refused 3 'twisted elimination requires factors without fill' --problem lap3d:5 --precond iluk --elimination twisted
refused 3 'another trisolve than hec_wait' --problem lap3d:5 --trisolve hec_wait --elimination twisted
refused 2 'elimination has no effect' two.mtx --precond jacobi --elimination natural
refused 2 'an ELL part of 3 columns' two.mtx --spmv hec --hec-width 3 --block-size 1
refused 2 'not both' -b two.mtx --csr-text ptr.txt col.txt val.txt rhs.txt
refused 2 'only when clsolve solves a system' info --csr-text ptr.txt col.txt val.txt rhs.txt
refused 2 'unexpected argument' devices two.mtx
refused 2 'o does not apply to clsolve info' info two.mtx -o "$dir/out/x.mtx"
refused 2 'lap4d' --problem lap4d:4
refused 2 'lap3d' --problem lap3d:four
refused 2 'lap3d' --problem lap3d:0
refused 2 'lap3d' --problem lap3d:99999999999

ends 0 --help
says stdout '--precond'
ends 0 -h
ends 0 --version
says stdout '^clsolve [0-9]'
says stdout '^built with .*liblzma, METIS, .*zlib'
grep -q '^built with.*CLBlast' "$dir/stdout" || says stdout 'without CLBlast (libclblast-dev)'
grep -q '^built with.*MPI' "$dir/stdout" || says stdout 'without.* MPI (libopenmpi-dev)'

# ---------------------------------------------------------------- bad input

refused 3 'counted from 0' --csr-text ptr_one.txt col.txt val.txt
refused 3 'ptr.txt:2: expected a column from 0 to 1' --csr-text ptr.txt ptr.txt val.txt
refused 3 'rhs_long.txt is 3 x 1' --csr-text ptr.txt col.txt val.txt rhs_long.txt
bad_input 'missing.mtx' missing.mtx
bad_input 'directory' "$dir"
bad_input '2 x 3' wide.mtx
bad_input 'empty' empty.mtx
bad_input 'row 1 ' no_entries.mtx
bad_input 'row 2 ' zero_row.mtx
bad_input 'row 2 ' zeros_row.mtx
bad_input 'nan.mtx:3: ' nan.mtx
bad_input 'inf.mtx:4: ' inf.mtx
bad_input 'overflow.mtx:4: ' overflow.mtx
bad_input 'index_0.mtx:3: ' index_0.mtx
bad_input 'row_past.mtx:4: ' row_past.mtx
bad_input 'col_past.mtx:4: ' col_past.mtx
bad_input 'index_minus.mtx:4: ' index_minus.mtx
bad_input 'rows_minus.mtx:2: ' rows_minus.mtx
bad_input 'nnz_minus.mtx:2: ' nnz_minus.mtx
bad_input "nnz_absurd.mtx:2: .*found '999999999999999999999'" nnz_absurd.mtx
bad_input "rows_absurd.mtx:2: .*found '9223372036854775808'" rows_absurd.mtx
bad_input 'nnz_large.mtx:' nnz_large.mtx
bad_input 'rows_1e12.mtx:2: ' rows_1e12.mtx
bad_input 'truncated.mtx:' truncated.mtx
bad_input 'half_line.mtx:4: ' half_line.mtx
bad_input 'rubbish_after.mtx:4: ' rubbish_after.mtx
bad_input 'surplus.mtx:5: ' surplus.mtx
bad_input 'nul.mtx:4: expected text, found a NUL byte in column 6' nul.mtx
bad_input 'short_banner.mtx:1: ' short_banner.mtx
bad_input 'banner.mtx:1: ' banner.mtx
bad_input 'ermitian' hermitian.mtx
bad_input 'array' array.mtx
bad_input 'banner_only.mtx:' banner_only.mtx
bad_input 'nothing.mtx:' nothing.mtx
bad_input 'binary.mtx: this is a program' binary.mtx
bad_input 'rubbish.mtx.gz' rubbish.mtx.gz
bad_input 'rubbish.mtx.xz' rubbish.mtx.xz

refused 3 'missing.mtx' two.mtx -b missing.mtx
refused 3 'right-hand side of 2 x 1' two.mtx -b b_long.mtx
refused 3 'b_nan.mtx:4: ' two.mtx -b b_nan.mtx
refused 3 'b_short.mtx:' two.mtx -b b_short.mtx
refused 3 '3 labels' two.mtx --partition file:labels_long.txt
refused 3 'labels_none' two.mtx --partition file:labels_none.txt
refused 3 'cannot write' two.mtx -o "$dir/nowhere/x.mtx"
refused 3 'cannot write' two.mtx -o "$dir/out"
refused 3 'cannot write' two.mtx --history "$dir/nowhere/h.txt"

# ---------------------------------------------------------------- no device

OCL_ICD_VENDORS="$dir/none/"
export OCL_ICD_VENDORS
refused 4 '.' two.mtx -o "$dir/out/x.mtx"
refused 4 '.' devices
unset OCL_ICD_VENDORS

# ---------------------------------------------------------------- a device

clsolve devices
if [ "$code" != 0 ]; then
    echo 'no OpenCL device: the rest is skipped'
    finish 77
fi
ends 0 devices --json
is_json "$dir/stdout" && pass || flunk 'devices --json'

ends 0 --problem lap3d:8
says stdout '^converged: '
says stdout '^iterations '
says stdout '^method *cg, ic0 (packed), rtol 1e-08, right-hand side random$'
says stdout '^  *because the matrix is symmetric'
ends 0 --problem lap3d:32 --json
says stdout '"method":{"solver":"cg",.*"precond":"amg",.*"reason":"the matrix is symmetric'
says stdout '"attempts":\[{"solver":"cg","precond":"amg","variant":"","status":"ok","stop":"rtol",'
ends 0 --problem lap3d:18 --subdomain-rows 100
says stdout '^method *cg, ic0 (packed)'
ends 0 --problem convdiff:8,2 --solver auto --precond auto
says stdout '^method *bicgstab, ildu0 (packed)'
says stdout '^  *because the matrix is not symmetric'
ends 0 --problem convdiff:8,2 --solver idr
says stdout '^method *idr(4), ildu0'
ends 0 --problem lap3d:8 --precond ras
says stdout '^method *bicgstab, ras'

# What was tried is listed.
cycle_matrix cycle.mtx
ends 0 cycle.mtx
says stdout '^tried *bicgstab, ildu0: '
says stdout '^ *\(idr(8), ilut (p 20, tol 1e-4)\|gmres(100), lu\): converged, [0-9]* iterations, residual '
ends 0 cycle.mtx --precond ilut --transversal on
says stdout '^permuted '
ends 0 --problem lap3d:8 --transversal on
says stdout '^method *bicgstab, ildu0'
ends 1 cycle.mtx --precond ilut --transversal off
refused 2 'expected on|off' cycle.mtx --transversal maybe
refused 2 'transversal has no effect with --precond amg' cycle.mtx --precond amg --transversal on
ends 1 cycle.mtx --solver bicgstab
says stdout '^to try: no --solver: levelcl then chooses it'
ends 1 cycle.mtx --precond ildu0
says stdout '^to try: no --precond: levelcl then chooses it'
ends 1 cycle.mtx --solver bicgstab --precond ildu0
says stdout '^to try: no --solver and no --precond: '
ends 1 cycle.mtx --max-iters 1 --json
says stdout '"to_try":'

# The solution would be 2e308.
ends 1 tiny.mtx --rhs ones --solver cg --precond none
says stdout '^to try: another scale: .* beyond the largest number in fp64'

# More -v, more messages, also for kernels that were compiled before.
for more in -v -vv -vvv; do
    ends 0 --problem lap3d:8 $more
    lines "$dir/stderr"
done >counts.txt
[ "$(sort -n -u counts.txt)" = "$(cat counts.txt)" ] && [ "$(lines counts.txt)" = 3 ] && pass ||
    flunk "-v, -vv, -vvv print $(tr '\n' ' ' <counts.txt)lines"
ends 0 --problem lap3d:8 -v
grep -q 'on the device: operator' "$dir/stderr" && flunk '-v prints sizes' || pass
ends 0 --problem lap3d:8 -vv
says stderr '^clsolve: on the device: operator [1-9][0-9]* bytes, ic0 [1-9][0-9]* bytes'

# The environment asks for messages and sources, and for why a build fails.
LEVELCL_LOG=debug LEVELCL_DUMP="$dir/dump" ends 0 --problem lap3d:8 -q
says stderr '^levelcl: info: device '
says stderr '^levelcl: debug: on the device: operator '
grep -q '^levelcl: trace' "$dir/stderr" && flunk 'LEVELCL_LOG=debug traces' || pass
dumped=$(grep -l '^#line 1 "vector.cl"' "$dir"/dump/*-????????????????.cl) # or a bundle with it
head -n 1 $dumped | grep -q '^// levelcl [0-9]' && pass || flunk 'no source is dumped'
LEVELCL_DUMP=/dev/null/x ends 0 --problem lap3d:8
says stderr '^clsolve: warning: LEVELCL_DUMP: cannot write /dev/null/x/[a-z]*-.*: Not a directory'
LEVELCL_LOG=none ends 0 --problem lap3d:8
[ ! -s "$dir/stderr" ] && pass || flunk 'LEVELCL_LOG=none: not silent'
LEVELCL_LOG=loud refused 4 'LEVELCL_LOG=loud: expected none, error' --problem lap3d:8
for kind in intel amd; do # a driver has the shuffles of one vendor at most
    LEVELCL_WIDTH=4 LEVELCL_EXCHANGE=$kind clsolve --problem lap3d:4 --solver cg --precond jacobi
    [ "$code" = 0 ] || break
done
says stderr '^clsolve: .*\.cl does not compile on .*: .*error'
says stderr '^ > wave.cl.h:[0-9]*  '

# Right-hand sides.
ends 0 two.mtx --rhs ones -o "$dir/out/x.mtx"
ends 0 two.mtx --rhs 'A*ones'
says stdout '^error .*largest'
ends 0 two.mtx --rhs random -q -o "$dir/out/1.mtx"
ends 0 two.mtx --rhs random:1 -q -o "$dir/out/2.mtx"
ends 0 two.mtx --rhs random:7 -q -o "$dir/out/3.mtx"
cmp -s "$dir/out/1.mtx" "$dir/out/2.mtx" && pass || flunk 'random is not random:1'
cmp -s "$dir/out/1.mtx" "$dir/out/3.mtx" && flunk 'the seed has no effect' || pass
ends 0 two.mtx --rhs "$dir/out/1.mtx"
says stdout 'right-hand side .*1.mtx'
rm "$dir/out/"*
ends 0 --problem lap3d:8 --solver gmres --restart 5 --precond none
says stdout '^method .*gmres(5) in fp64, none'
says stdout '^iterations .* restarts'
ends 0 --problem lap3d:8 --solver gmres --restart 5 --orthogonalisation mgs --precond none
says stdout '^method .*gmres(5) by mgs in fp64, none'
ends 0 --problem lap3d:8 --solver fgmres --restart 20 --basis fp32 --orthogonalisation mgs --precond jacobi --json
is_json "$dir/stdout" && pass || flunk 'fgmres --json'
for word in '"solver":"fgmres"' '"restart":20' '"basis":"fp32"' '"orthogonalisation":"mgs"' '"exhausted":'; do
    says stdout "$word"
done
refused 2 'does not divide' --problem lap3d:3 --precond none --block-size 2
ends 0 --problem lap3d:4,b=3 --block-size 3
refused 4 '99' two.mtx --device 99 -o "$dir/out/x.mtx"

ends 0 one.mtx --rhs 'A*ones' -o "$dir/out/x.mtx"
[ "$(tail -n 1 "$dir/out/x.mtx")" = 1 ] && pass || flunk '1 x 1: x is not 1'
ends 0 two.mtx -b b.mtx -o "$dir/out/x.mtx" --history "$dir/out/history.txt"
[ "$(lines "$dir/out/x.mtx")" = 4 ] && pass || flunk '-o: not two entries'
grep -q '^0 1' "$dir/out/history.txt" && pass || flunk '--history: no start'
ends 0 two.mtx -b b_sparse.mtx
ends 0 thrice.mtx
says stdout '1 nonzeros (2 duplicates summed)'
ends 0 --problem lap3d:4 --grid 4,4,4 --partition geometric:2,2,2
ends 0 --csr-text ptr.txt col.txt val.txt rhs.txt -o "$dir/out/text.mtx" --spmv adaptive --block-size 1
says stdout "right-hand side rhs.txt"
ends 0 --csr-text=ptr.txt col.txt val.txt --spmv binned --precond jacobi --block-size 1
ends 0 --problem lap3d:5 --trisolve hec_level
ends 0 --problem lap3d:4,b=3 --trisolve hec_level --hec-width 2 --json
says stdout '"trisolve":"hec_level".*"block_size":1[,}]'
ends 0 --problem lap3d:4,b=3 --spmv hec --relax 1
ends 0 --problem lap3d:5 --trisolve hec_wait
ends 0 --problem lap3d:5 --elimination twisted --trisolve dag_ec_lds
ends 0 --problem lap3d:41 --trisolve hec_level --partition natural --subdomain-rows 70000
says stdout '^subdomains  1 of 68921'
for method in 'iluk --ilu-level 2' 'ilut --ilut-p 4' 'ras --overlap 2' 'as --solver cg'; do
    # shellcheck disable=SC2086
    ends 0 --problem lap3d:12 --trisolve hec_level --subdomain-rows 400 --precond $method
done
ends 0 --csr-text ptr.txt col.txt val.txt --spmv hec --hec-width 1 --block-size 1
ends 0 info --csr-text ptr.txt col.txt val.txt
ends 0 two.mtx --partition file:labels.txt
ends 0 --problem lap3d:8 --partition match --subdomain-rows 20
ends 0 --problem lap3d:4,b=3 --partition match --weights off
ends 0 --problem kron:2,4,4,4 --partition match
ends 0 two.mtx --spmv=csr --precond jacobi -q
[ ! -s "$dir/stdout" ] && [ ! -s "$dir/stderr" ] && pass || flunk '-q: not quiet'
ends 0 --problem lap3d:4,b=3 --precond jacobi
says stdout '^blocks  *of 3 x 3'
ends 0 --problem lap3d:4,b=3 --precond jacobi --block-size 2 --json
says stdout '"block_size":2'
ends 0 info two.mtx
says stdout '^symmetry '
ends 0 info two.mtx --json
is_json "$dir/stdout" && pass || flunk 'info --json'

# --profile: one row per task of the set-up, whose times add up to the sums.
profile='--problem lap3d:12 --partition match --subdomain-rows 100 --coarse mult --profile'
ends 0 $profile
for task in read upload blocks partition matching contraction refinement pattern schedule \
    coarse-pattern numeric coarse product compile; do
    says stdout "^  $task  *[0-9.]* .* [0-9]*\$"
done
says stdout '^copy bandwidth [0-9.]* GB/s'
grep -q '^  solve .*GB' "$dir/stdout" && flunk 'the solve is no set-up' || pass
if sed '1,/^profile/d' "$dir/stdout" | awk '
    $1 == "upload" { upload = $2 }
    $1 == "set-up" { setup = $2 }
    $1 == "with" { all = $3 }
    /^  / && $1 != "read" { sum += $2 }
    END { d = sum - all; e = all - upload - setup
          exit !(all > 0 && d * d < 1e-4 && e * e < 1e-4) }'; then
    pass
else
    flunk 'the tasks do not add up to the sums:'
    cat "$dir/stdout"
fi
ends 0 info $profile
says stdout '^  schedule .* [0-9]*$'
ends 0 $profile --json
is_json "$dir/stdout" && pass || flunk '--profile --json'
for word in '"profile":{"tasks":\[{"task":"read","ms":' '"task":"numeric","ms":[0-9.e-]*,"bytes":' \
    '"gbps":' '"of_copy":' '"launches":' '"other_ms":' '"setup_ms":' '"with_upload_ms":' '"copy_gbps":'; do
    says stdout "$word"
done
ends 0 --problem kron:2,4,4,4 --profile
says stdout '^  read .* -  *-  *-  *0$'
ends 0 two.mtx --json
grep -q '"profile"' "$dir/stdout" && flunk 'a profile that nobody asked for' || pass

rm "$dir/out/"*
ends 1 --problem lap3d:12 --max-iters 1 -o "$dir/out/x.mtx"
says stdout '^not converged: '
says stdout 'not a solution'
[ -s "$dir/out/x.mtx" ] && pass || flunk 'not converged: x is not written'
ends 1 --problem lap3d:12 --max-iters 1 -q
says stderr '^clsolve: not converged: '
ends 1 --problem lap3d:12 --max-iters 1 --json
is_json "$dir/stdout" && pass || flunk 'not converged --json'
says stdout '"exit":1'

# IC(0) of Kershaw's positive definite matrix, which has a negative pivot, with
# 2 x 2 blocks: scalar pivots are repaired; block pivots, which must be requested,
# are not.
awk 'BEGIN {
    split("3 -2 0 2 -2 3 -2 0 0 -2 3 -2 2 0 -2 3", k)
    for (i = 0; i < 8; ++i) for (j = 0; j < 8; ++j) {
        v = k[4 * int(i / 2) + int(j / 2) + 1]
        if (v) print i + 1, j + 1, i % 2 == j % 2 ? v : v / 4
    }
}' | matrix kershaw.mtx 8 8 48
ends 0 kershaw.mtx --solver cg --precond ic0
says stdout '^repaired .*pivot'
ends 1 kershaw.mtx --solver cg --precond ic0 --block-size 2
says stdout '^not converged: the preconditioner is not definite'
says stdout '^to try: no --solver, no --precond and no --block-size: '
ends 0 kershaw.mtx --block-size 2
ends 0 kershaw.mtx --solver cg --precond jacobi

clsolve no_diagonal.mtx
[ "$code" = 0 ] || [ "$code" = 1 ] && pass || flunk "no diagonal: exit $code"
says stderr '^clsolve: warning: .* without a diagonal .* row 1'
rm "$dir/out/"*
refused 3 '.' no_diagonal.mtx --pivot fail -o "$dir/out/x.mtx"
refused 3 'out of the range of bf16' large.mtx --factor-storage bf16

# Multigrid.
ends 0 --problem lap3d:14 --solver cg --precond amg --amg-coarse-rows 50 --amg-theta 0.1
says stdout '^multigrid   sa, chebyshev, [2-9] levels, complexity 1'
says stdout '0: 2744 rows'
ends 0 --problem lap3d:8 --solver cg --precond amg --amg-levels 1 --json
says stdout '"amg_levels":\[{"rows":512,'
ends 0 --problem lap3d:14 --solver cg --precond amg --amg-coarsening classical --amg-smoother jacobi --json
says stdout '"amg_coarsening":"classical","amg_smoother":"jacobi"'
ends 0 --problem lap3d:14 --solver cg --precond amg --amg-coarse-rows 50 --amg-storage bf16
says stdout '0: 2744 rows, .* lambda 1.9[0-9]*, bf16'
refused 2 'storage fp64 (1): expected fp32 or bf16' --problem lap3d:5 --precond amg --amg-storage fp64
refused 2 'with --precond auto: it requires --precond amg or cpr' --problem lap3d:5 --amg-levels 3
refused 2 'an integer from 1 to 12' --problem lap3d:5 --precond amg --amg-levels 13
ends 0 --problem lap3d:8,b=3 --solver cg --precond amg --amg-coarse-rows 50
refused 3 'classical coarsening requires block size 1' --problem lap3d:4,b=3 --precond amg --amg-coarsening classical --block-size 3

# Constrained pressure residual.
ends 0 --problem lap3d:8,b=3 --precond cpr --cpr-pressure 3 --amg-coarse-rows 50 --json
says stdout '"precond":"cpr".*"amg_levels"'
refused 2 'an integer from 1 to 8' --problem lap3d:8,b=3 --precond cpr --cpr-pressure 9
refused 2 'it requires --precond cpr' --problem lap3d:8,b=3 --cpr-pressure 2
refused 2 'symmetric preconditioner' --problem lap3d:8,b=3 --precond cpr --solver cg
refused 2 'symmetric preconditioner' --problem lap3d:8 --precond ras --solver minres
refused 2 'symmetric preconditioner' --problem lap3d:8 --precond ras --solver cg_pipelined
refused 2 'pressure 4: expected a number below the block size 3' --problem lap3d:8,b=3 --precond cpr --cpr-pressure 5
refused 3 'cpr requires several unknowns' --problem lap3d:8 --precond cpr

# Near-null vectors.
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n1\n-3\n3\n' >vectors.mtx
printf '%%%%MatrixMarket matrix array real general\n1 2\n0.5\n0.25\n' >nodes.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n0\n1' >long.mtx
ends 0 --problem elasticity:6 --coordinates elasticity:6 --solver cg --precond amg --amg-coarse-rows 100
ends 0 two.mtx --precond amg --near-null vectors.mtx
ends 0 two.mtx --precond amg --coordinates nodes.mtx
refused 2 'require --precond amg or auto' two.mtx --precond ic0 --coordinates nodes.mtx
# a grid of 68 x 68 cells, large enough for multigrid
awk 'BEGIN {
    n = 68
    for (i = 1; i <= n * n; ++i) {
        print i, i, 4
        if (i > n) print i, i - n, -1
        if (i <= n * n - n) print i, i + n, -1
        if (i % n != 1) print i, i - 1, -1
        if (i % n) print i, i + 1, -1
    }
}' | matrix grid.mtx 4624 4624 22848
{
    printf '%%%%MatrixMarket matrix array real general\n4624 1\n'
    yes 1 | head -n 4624
} >ones.mtx
ends 0 grid.mtx --near-null ones.mtx
says stdout '^  *because .*near-null vectors are given'
[ ! -s "$dir/stderr" ] && pass || flunk 'a warning about vectors that serve'
ends 0 two.mtx --near-null vectors.mtx --solver minres
says stderr 'warning: near-null vectors serve multigrid alone'
refused 2 'give it or --near-null' two.mtx --precond amg --coordinates nodes.mtx --near-null vectors.mtx
refused 2 'near-null does not apply to clsolve info' info two.mtx --near-null vectors.mtx
refused 3 'nodes.mtx is 1 x 2, but the vectors of two.mtx have 2 rows' two.mtx --precond amg --near-null nodes.mtx
refused 3 'vectors.mtx is 2 x 2: expected the coordinates' two.mtx --precond amg --coordinates vectors.mtx
refused 3 'long.mtx' two.mtx --precond amg --near-null long.mtx
refused 3 'cannot open' two.mtx --precond amg --coordinates none.mtx
refused 2 'it is an input' two.mtx --precond amg --near-null vectors.mtx -o vectors.mtx
refused 3 'amg .*symmetric' --problem convdiff:6x6x6 --precond amg --amg-smoother chebyshev
ends 0 --problem convdiff:12,5 --precond amg --amg-coarse-rows 50
says stdout '^multigrid   sa, jacobi'
ends 0 --problem convdiff:12,5 --precond amg --amg-coarse-rows 50 --amg-smoother ildu0
says stdout '^multigrid   sa, ildu0'

# Singular systems.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 1\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 1\n' >path.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n' >slope.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n2\n2\n2\n' >level.mtx
ends 0 path.mtx --nullspace constant -b slope.mtx
says stdout '^removed     3.464e+00 of b, ||b|| 1.414e+00 is left'
ends 0 path.mtx --nullspace level.mtx --rhs ones --json
says stdout '"norm_removed": *1.73205'
ends 1 path.mtx --rhs ones
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 4\n1 3 -1\n3 1 -1\n3 3 4\n' >gap.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n0\n1\n0\n' >free.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n3\n0\n3\n' >around.mtx
ends 0 gap.mtx -b around.mtx --nullspace free.mtx
refused 3 'row 2 of gap.mtx has no nonzero entry' gap.mtx -b around.mtx
refused 2 'null vector 0' path.mtx --nullspace slope.mtx
refused 2 'null vector 0' two.mtx --nullspace constant
refused 3 'level.mtx is 3 x 1, but the vectors of two.mtx have 2 rows' two.mtx --nullspace level.mtx
refused 2 'nullspace does not apply to clsolve info' info path.mtx --nullspace constant
refused 2 'it is an input' path.mtx --nullspace level.mtx -o level.mtx

# Limits.
ends 1 --problem lap3d:12 --time-limit 1e-9
refused 2 'time-limit' --problem lap3d:12 --time-limit -1
ends 1 --problem lap3d:12 --rtol 0 --max-iters 4
says stdout '^iterations  4'

# Fill and overlap.
ends 0 --problem lap3d:12 --subdomain-rows 200 --precond iluk --ilu-level 2
says stdout 'fill of level 2: '
ends 0 --problem lap3d:12 --subdomain-rows 200 --precond ras --overlap 2
says stdout 'overlap 2: .* rows per row'
ends 0 --problem lap3d:12 --subdomain-rows 200 --precond as --solver cg --json
says stdout '"overlap":1'
ends 0 --problem lap3d:12 --subdomain-rows 200 --precond ilut --ilut-p 4 --ilut-tol 0.01
says stdout 'ILUT(4, 0.01): '
ends 0 --problem lap3d:12 --subdomain-rows 200 --precond ras --ilut-p 5 --json
says stdout '"ilut_p":5'
ends 0 --problem lap3d:12 --relax 1 --solver cg --precond ic0
refused 2 "bad value '2' for relax" --problem lap3d:12 --relax 2
refused 2 'relax has no effect with --precond jacobi: it requires --precond ilu0' --problem lap3d:12 --relax 1 --precond jacobi
refused 3 'relax requires block size 1' --problem lap3d:4,b=3 --relax 1 --block-size 3
refused 2 'it requires --precond iluk, ilut, ras or as' --problem lap3d:12 --overlap 1
refused 2 'it requires --precond ilut or ras' --problem lap3d:12 --ilut-p 3
refused 2 'give one of them' --problem lap3d:12 --precond ras --ilut-p 3 --ilu-level 1
refused 2 "bad value '0' for ilut-p" --problem lap3d:12 --precond ilut --ilut-p 0
refused 2 "bad value '-1' for ilut-tol" --problem lap3d:12 --precond ilut --ilut-tol=-1
refused 2 '--precond as instead' --problem lap3d:12 --precond ras --solver cg
refused 2 'require --trisolve packed, hec_level or hec_wait' --problem lap3d:12 --precond iluk --trisolve dag_ec_lds
refused 2 'coarse has no effect with --precond ras: it requires --precond ilu0, ildu0 or ic0' --problem lap3d:12 --precond ras --coarse mult
refused 2 'an integer from 1' --problem lap3d:12 --precond ras --overlap -1
refused 2 "bad value '-1' for ilu-level" --problem lap3d:12 --precond iluk --ilu-level -1

if [ -c /dev/full ]; then
    "$clsolve" two.mtx >/dev/full 2>"$dir/stderr"
    [ $? = 3 ] && pass || flunk 'a full disk is not noticed'
fi

# ---------------------------------------------------------------- signals

for signal in INT TERM; do
    LEVELCL_LOG=trace "$clsolve" --problem lap3d:16 $endless -o "$signal.mtx" \
        >"$dir/stdout" 2>"$dir/stderr" &
    child=$!
    interrupt method $signal
    [ "$code" = 1 ] && pass || flunk "$signal does not end the solve in order: exit $code"
    says stdout '^not converged: the solve was cancelled$'
    says stdout '^residual .*e-.* true'
    says stdout "^written  *$signal.mtx: best iterate"
    grep -q '^to try' "$dir/stdout" && flunk 'advice after a signal' || pass
    [ "$(lines "$signal.mtx")" = 4098 ] && pass || flunk "$signal: x is not written"
done

# The second one ends the process: nobody reads the x of the first one.
# takes SIGNAL-NUMBER: whether $child has a handler for it
takes()
{
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$child/status")
    [ $((0x0$caught >> ($1 - 1) & 1)) = 1 ]
}
ignores()
{
    ! takes "$1"
}
mkfifo x.pipe
sleep 1000 <x.pipe &
reader=$!
LEVELCL_LOG=trace "$clsolve" --problem lap3d:20 $endless -o - \
    >x.pipe 2>"$dir/stderr" &
child=$!
: >"$dir/stdout"
solving method
takes 15 && pass || flunk 'no handler of SIGTERM in a solve'
kill -INT "$child"
await ignores 15 && pass || flunk 'the first signal keeps the handlers'
kill -TERM "$child"
await gone || kill -KILL "$child"
wait "$child"
code=$?
kill "$reader"
[ "$code" = 143 ] && pass || flunk "the second signal: exit $code, expected 143"

finish 0
