#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# levelbench prints one line per figure, and an error if there is nothing to
# measure. Usage: test_levelbench.sh LEVELBENCH TOOLS
set -u
bench=$1 tools=$2 page=$2/levelbench/levelbench.1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export LEVELCL_CACHE_DIR="${LEVELCL_CACHE_DIR-$dir/cache}"
failed=0

flunk()
{
    echo "FAILED $*"
    tail -n 20 "$dir/err"
    failed=$((failed + 1))
}

"$bench" --precond jacobi lap3d:6 --precond ildu0 lap3d:6 --solver cg --precond none lap3d:6 \
    --precond ic0 --coarse mult --subdomain-rows 64 lap3d:6 >"$dir/out" 2>"$dir/err"
code=$?
grep -q 'no OpenCL platform' "$dir/err" && exit 77
[ $code -eq 0 ] || flunk "exit $code"
[ "$(grep -c '^{"op":"copy".*"gbps":' "$dir/out")" = 1 ] || flunk 'one copy line'
for op in setup apply spmv look refresh bicgstab; do
    [ "$(grep -c "^{\"op\":\"$op\".*\"problem\":\"lap3d:6\".*\"ms\":" "$dir/out")" -ge 2 ] ||
        flunk "a line of $op for each preconditioner"
done
for line in update:device enqueue:jacobi; do
    grep -q "^{\"op\":\"${line%:*}\",\"variant\":\"${line#*:}\".*\"ms\":[0-9]" "$dir/out" ||
        flunk "a line of $line"
done
[ "$(grep -c '^{"op":"enqueue".*"stop":"rtol","call_us":[0-9.]*,"host_free":[01][.0-9]*,"process_cpu":' "$dir/out")" = 4 ] ||
    flunk 'solves that do not block converge'
for variant in none ic0; do
    grep -q "^{\"op\":\"cg\",\"variant\":\"$variant\".*\"ms_per_iter\":" "$dir/out" ||
        flunk "a line of cg with $variant"
done
[ "$(grep -c '^{"op":"iteration".*"launches":[1-9].*"us_per_launch":' "$dir/out")" -ge 3 ] ||
    flunk 'lines of an iteration'
grep -E '"op":"(bicgstab|cg)"' "$dir/out" | grep -vq '"stop":"rtol"' && flunk 'all solves converge'

# The published tables: each has a title, one row per problem, numeric cells.
"$bench" dd lap3d:6 --partition natural --subdomain-rows 64 lap3d:7 >"$dir/out" 2>"$dir/err" ||
    flunk 'dd succeeds'
for table in 'Figure 1.1:' 'Table 2.1:' 'Table 5.2:' 'Figure 5.2:' 'Table 5.3:' 'Figure 5.3:' 'Figure 5.4:' \
    'Write bandwidth' 'Table 5.4:' 'Table 5.5: BiCGSTAB with dag_ec_ILDU0_fused' \
    'Table 5.6: BiCGSTAB with dag_vc_ILDU0_fused' 'Figure 5.6:' 'Figure 5.7:'; do
    sed -n "/^$table/,/^\$/p" "$dir/out" | grep . >"$dir/table"
    [ -s "$dir/table" ] || flunk "$table is printed"
    for row in 6 7; do
        grep -Eq "^lap3d:$row .*[0-9]\.[0-9]" "$dir/table" || flunk "$table has lap3d:$row"
    done
    [ "$(sed 1d "$dir/table" | awk '{print length}' | sort -u | wc -l)" = 1 ] ||
        flunk "$table has aligned columns"
done
grep -A 3 '^Table 5.4:' "$dir/out" | grep -Eq '^lap3d:7 +CSR +natural +58 +6 +2107 +1543 +26\.77 ' ||
    flunk 'partitions are those asked for'
grep -A 3 '^Table 5.4:' "$dir/out" | grep -Eq '^lap3d:6 +CSR +geometric +216 +1 ' || flunk 'boxes are the default'
grep -A 3 '^Table 5.5:' "$dir/out" |
    awk '/^lap3d/ { if ($6 != sprintf("%.2f", $5 / $2) || $5 < $2) exit 1; ++n } END { exit n != 2 }' ||
    flunk 'iterations are compared with those of the whole matrix'
awk '/^Figure 1.1:/ { part = 1 } /^$/ { part = 0 } part && /^lap3d/ {
    d = $2 + $3 + $4 + $5 - 100; if (d * d > 0.09) exit 1; ++n } END { exit n != 2 }' "$dir/out" ||
    flunk 'shares of kernels add up'
[ "$(grep -c '^geometric mean  ' "$dir/out")" = 3 ] || flunk 'speed-ups have means'
grep -q '^{' "$dir/out" && flunk 'tables come without lines'

"$bench" dd --json --partition metis lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'dd --json succeeds'
for line in lower:dag_ec_no_lds lower:dag_ec_lds lower:dag_ec_lds_ud apply:dag_ec_ILD_U0 \
    apply:dag_ec_ILDU0_fused apply:dag_vc_ILDU0_fused apply:packed partition:metis \
    bicgstab:dag_ec_ILDU0_fused bicgstab:dag_vc_ILDU0_fused setup:packed 'lower:ILU0 whole' \
    'bicgstab:ILU0 whole' bandwidth:upper bandwidth:lower bandwidth:product bandwidth:packed; do
    grep -q "^{\"op\":\"${line%:*}\",\"variant\":\"${line#*:}\".*\"ms\":[0-9]" "$dir/out" ||
        flunk "a line of $line"
done
grep -q '^{"op":"phases","variant":"ILU0 whole".*"precond_ms":[0-9.]*,"product_ms":' "$dir/out" ||
    flunk 'a line of the kernels of a solve'
[ "$(grep -c '^{"op":"bandwidth".*"read_gbps":[0-9.e-]*,"write_gbps":[0-9.e-]*}$' "$dir/out")" -ge 8 ] ||
    flunk 'lines of bandwidths'
grep -q '^{"op":"residuals","variant":"ILU0 whole".*"residuals":\[1,0\.[0-9]' "$dir/out" || flunk 'a line of residuals'
grep -q '^Table' "$dir/out" && flunk 'lines come without tables'

# IDR(s): one row per setting, one of them the fastest, and consistent counts.
"$bench" idr --idr-s 2 lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'idr succeeds'
for setting in jacobi 'block-jacobi(4)' 'block-jacobi(32)'; do
    grep -Fq " $setting " "$dir/out" || flunk "a row of $setting"
    grep -F "$setting " "$dir/out" | grep -Eq ' 1/1 +[01]$' || flunk "$setting converges"
done
[ "$(grep -c ' rtol, fastest$' "$dir/out")" = 1 ] || flunk 'one setting is the fastest'
sed -n '/^Figure 13:/,$p' "$dir/out" |
    awk 'NR > 2 { if ($1 >= $2 || $3 || $6 || $4 + $5 != 1) exit 1; ++n } END { exit n != 15 }' ||
    flunk 'each bound is compared with each other one'
"$bench" idr --json --max-iters 3 lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'idr --json succeeds'
[ "$(grep -c '^{"op":"idr".*"iters":3,.*"stop":"max-iters","won":false' "$dir/out")" = 7 ] ||
    flunk 'lines of solves that do not converge'
# GMRES: the passes with both storage formats, and a solve by each method.
"$bench" gmres --restart 8 --precond jacobi lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'gmres succeeds'
for row in ' fp64 ' ' fp32 ' '^gmres(8) ' '^fgmres(8) '; do
    grep -q "$row" "$dir/out" || flunk "a row of $row"
done
"$bench" gmres --json --restart 8 --precond jacobi lap3d:6 >"$dir/out" 2>"$dir/err" ||
    flunk 'gmres --json succeeds'
for variant in fp64 fp32; do
    grep -q "^{\"op\":\"gmres_orthogonalise\",\"variant\":\"$variant\".*\"ms\":[0-9].*\"gbps\":" "$dir/out" ||
        flunk "a line of passes in $variant"
done
[ "$(grep -Ec '^{"op":"f?gmres","variant":"fp64".*"iters":[1-9].*"stop":"rtol"' "$dir/out")" = 2 ] ||
    flunk 'lines of solves'
"$bench" dd >/dev/null 2>&1
[ $? -eq 2 ] || flunk 'dd without a problem is wrong usage'

# The tables of the report on row-binned CG, also for a matrix in text files.
printf '0 2 5 7\n' >"$dir/ptr"
printf '0 1 2 1 0 1 2\n' >"$dir/col"
printf '4 -1 -1 4 -1 -1 4\n' >"$dir/val"
printf '3 2 3\n' >"$dir/rhs"
"$bench" cg rows:30x4,20x18 --csr-text "$dir/ptr,$dir/col,$dir/val,$dir/rhs" >"$dir/out" 2>"$dir/err" ||
    flunk 'cg succeeds'
for table in 'Table I:' 'Table II:' 'Table III:' 'Table III in fp64:'; do
    grep -A 3 "^$table" "$dir/out" >"$dir/table" || flunk "$table is printed"
    grep -Eq '^rows:30x4,20x18 .*[0-9]' "$dir/table" || flunk "$table has rows:30x4,20x18"
    [ "$(sed 1d "$dir/table" | awk '{print length}' | sort -u | wc -l)" = 1 ] ||
        flunk "$table has aligned columns"
done
grep -A 3 '^Table I:' "$dir/out" | grep -Eq '^rows:30x4,20x18 +50 +50 +480 +[1-9]\.[0-9]+e[+]0[0-9] +30 +20$' ||
    flunk 'rows in bins'
# CG finds both eigenvalues of the tridiagonal matrix of order 3: 4 - sqrt(2), 4 + sqrt(2).
grep -A 3 '^Table I:' "$dir/out" | grep -Eq "^$dir/ptr +3 +3 +7 +2\.09e[+]00 " || flunk 'the condition number'
# In fp32 the order of sums changes more.
for table in 'Table III:6' 'Table III in fp64:1'; do
    grep -A 3 "^${table%:*}:" "$dir/out" |
        awk -v most="${table#*:}" '/^rows/ {
                for (i = 7; i <= 9; ++i) if ($i < 30 || $2 - $i > most || $i - $2 > most) exit 1
                ++n } END { exit n != 1 }' ||
        flunk "iterations of ${table%:*} on the CPU are those of the device"
done
grep -A 3 '^Table II:' "$dir/out" | grep -q "^$dir/ptr .* atol\|^$dir/ptr .* rtol" || flunk 'text is solved'
"$bench" cg --json rows:30x4,20x18 >"$dir/out" 2>"$dir/err" || flunk 'cg --json succeeds'
for line in bins:binned cg:cpu 'cg:cpu fp32' cg:cg_published 'cg:cg_published fp32' cg:cg spmv:binned spmv:spmv_bin0 spmv:spmv_bin1 \
    spmv:adaptive; do
    grep -q "^{\"op\":\"${line%:*}\",\"variant\":\"${line#*:}\".*:[0-9]" "$dir/out" || flunk "a line of $line"
done
for product in binned spmv_bin0 spmv_bin1; do
    for variant in cg_published 'cg_published fp32'; do
        grep -q "^{\"op\":\"cg\",\"variant\":\"$variant\".*\"spmv\":\"$product\",\"ms\":[0-9]" "$dir/out" ||
            flunk "a loop of $variant with $product"
    done
done
"$bench" --csr-text "$dir/ptr,$dir/col" >/dev/null 2>&1
[ $? -eq 2 ] || flunk 'two text files are too few'

# hec_level and hec_wait beside packed, as a table and as lines, also for a matrix with blocks.
"$bench" hec --blocks 2 --partition natural --subdomain-rows 64 lap3d:6 lap3d:3,b=2 >"$dir/out" 2>"$dir/err" ||
    flunk 'hec succeeds'
for row in 'lap3d:6 +216 +4' 'lap3d:3,b=2 +54 +1'; do
    grep -Eq "^$row +[1-9][0-9]* +[1-9][0-9]*( +[0-9]+[.][0-9]+){3}$" "$dir/out" ||
        flunk "hec has a row of $row"
done
"$bench" hec --json --blocks 3,217 lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'hec --json succeeds'
for method in packed hec_wait hec_level; do
    grep -q "^{\"op\":\"apply\",\"variant\":\"$method\".*\"ms\":[0-9].*\"storage\":\"fp64\"" "$dir/out" ||
        flunk "hec has a line of $method"
done
side='[{]"apply_ms":[0-9.e-]+,"apply_p10":[0-9.e-]+,"apply_p90":[0-9.e-]+,"ms":[0-9.e-]+,"iters":[1-9][0-9]*,"relres":[0-9.]+e-0*[789],"stop":"rtol"[}]'
# as patterns
bilut='BILUT[(]7,0[.]1[)] BILUT[(]7,0[.]01[)] BILUT[(]14,0[.]01[)]'
for method in BILU $bilut RAS; do
    start="^[{]\"op\":\"blocks\",\"variant\":\"$method\",\"problem\":\"lap3d:6\",\"rows\":216,\"nnz\":1296"
    for trisolve in hec_level packed; do
        grep -Eq "$start,\"blocks\":3,\"trisolve\":\"$trisolve\",\"made\":3,\"restart\":20,\"rtol\":[0-9.e-]+,\"core\":$side,\"device\":$side,\"apply_speedup\":[0-9.e-]+,\"speedup\":[0-9.e-]+[}]\$" \
            "$dir/out" || flunk "hec has a line of $method by $trisolve"
    done
    grep -Eq "$start,\"blocks\":217,\"refused\":\"the matrix has 216 rows\"[}]\$" "$dir/out" ||
        flunk "hec has a line of $method for too many blocks"
done
grep -q '^Tables' "$dir/out" && flunk 'lines of hec come without tables'

# Preconditioners by number of subdomains: both sides take the same iterations.
"$bench" hec --partition natural --blocks 1,6,300 --restart 5 --rtol 1e-4 lap3d:6 >"$dir/out" 2>"$dir/err" ||
    flunk 'hec --blocks succeeds'
grep -A 26 '^Tables 1 to 3: .* by GMRES(5) to rtol 0.0001,' "$dir/out" | sed 1d >"$dir/table"
for method in BILU $bilut RAS; do
    for blocks in 1 6; do
        for trisolve in hec_level packed; do
            grep -Eq "^lap3d:6 +$method +$blocks +$trisolve +$blocks +[1-9].* rtol\$" "$dir/table" ||
                flunk "a row of $method by $trisolve with $blocks blocks"
        done
    done
    grep -Eq "^lap3d:6 +$method +300( +-){10}  the matrix has 216 rows\$" "$dir/table" ||
        flunk "a row of $method with the reason why it is not measured"
done
[ "$(grep -v 'the matrix' "$dir/table" | awk '{print length}' | sort -u | wc -l)" = 1 ] ||
    flunk 'rows of blocks have aligned columns'
awk '/hec_level|packed/ { ++rows; d = $6 - $7; if (d * d > 1) exit 1 } END { exit rows != 20 }' "$dir/table" ||
    flunk 'one core takes the iterations of the device'
# More rows than packed takes, which says so; the triangular solve asked for.
"$bench" hec --blocks 1 --partition natural --rtol 0.1 lap3d:41 >"$dir/out" 2>"$dir/err" || flunk 'hec takes a large subdomain'
for method in BILU $bilut RAS; do
    grep -Eq "^lap3d:41 +$method +1 +hec_level +1 .* rtol\$" "$dir/out" ||
        flunk "a row of $method for a large subdomain"
    grep -Eq "^lap3d:41 +$method +1 +packed( +-){9}  .*rows" "$dir/out" || flunk "packed takes no $method of 68,921 rows"
done
"$bench" hec --blocks 6 --trisolve hec_level lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'hec --trisolve succeeds'
[ "$(grep -c '6 *hec_level ' "$dir/out")" = 5 ] && ! grep -q '6 *packed ' "$dir/out" ||
    flunk 'rows by the triangular solve asked for only'

# More entries in the factors: one row per setting, a reason for what is not supported.
"$bench" fill --solver gmres --rtol 1e-5 --subdomain-rows 64 lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'fill succeeds'
grep -A 8 '^Solves by gmres to rtol 1e-05; ' "$dir/out" | sed 1d >"$dir/table"
[ "$(awk '{print length}' "$dir/table" | sort -u | wc -l)" = 1 ] || flunk 'fill has aligned columns'
for setting in ildu0 'iluk 1' 'iluk 2' ilut 'ras 1' 'ras 2' 'ras 1 ilut'; do
    grep -Eq "^lap3d:6 +$setting +[1-9][0-9]*( +[0-9]+[.][0-9]+){6} +[1-9][0-9]* +rtol\$" "$dir/table" ||
        flunk "fill has a row of $setting"
done
awk '/iluk/ { fill = $(NF - 3); if (fill <= last) exit 1; last = fill }' "$dir/table" || flunk 'entries grow with the level'
"$bench" fill --json --trisolve dag_ec_lds lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'fill --json succeeds'
grep -Eq '^[{]"op":"fill","variant":"ildu0","problem":"lap3d:6".*"iters":[1-9].*"setup_ms":[0-9.e-]+,"apply_ms":[0-9.e-]+,"ms":[0-9.e-]+,"factor_nnz":1296,"factor_bytes":[1-9].*"stop":"rtol"[}]$' \
    "$dir/out" || flunk 'fill has a line of ildu0'
[ "$(grep -Ec '^[{]"op":"fill","variant":"(iluk|ras) [12]".*"refused":"(iluk|ras) does not support the trisolve dag_ec_lds' \
    "$dir/out")" = 4 ] || flunk 'fill has lines with reasons'

# Many methods, here those of two types: ranked trials, the best ones, a mean.
"$bench" grid --solver cg --precond jacobi lap3d:6 lap3d:7 >"$dir/out" 2>"$dir/err" || flunk 'grid succeeds'
for problem in lap3d:6 lap3d:7; do
    grep -A 3 "^$problem, in seconds" "$dir/out" | grep -Eq '^ +[0-9.]+ .* [1-9][0-9]*  as given: [a-z]+' ||
        flunk "grid tries the defaults on $problem"
    [ "$(grep -Ec "^$problem +[0-9.]+ +[0-9.]+ +[1-9][0-9]* +[0-9.]+  (cg jacobi|--solver cg --precond jacobi)\$" \
        "$dir/out")" = 3 ] || flunk "grid has three rows of $problem"
done
awk '/^The method that/ { chosen = 1 } /^The shortest/ { chosen = 0 }
    /^lap3d:[67]  / { if (chosen ? $5 != "1.00" : $5 < 1) exit 1; ++rows } END { exit rows != 6 }' "$dir/out" ||
    flunk 'the best ones are no slower than the defaults'
[ "$(grep -c '^geometric mean of 2 ratios  [1-9]' "$dir/out")" = 2 ] || flunk 'grid has two means'
"$bench" grid --json --solver bicgstab --precond jacobi convdiff:6,1 >"$dir/out" 2>"$dir/err" ||
    flunk 'grid --json succeeds'
# on a busy machine the second one may take three times as long as the first
[ "$(grep -c '^{"op":"grid-trial","variant":"[^"]*","problem":"convdiff:6,1".*"end":"[a-z]' "$dir/out")" = 2 ] ||
    flunk 'grid has lines of trials'
grep -q '^{"op":"grid-trial".*"end":"converged"' "$dir/out" || flunk 'a trial converges'
grep -Eq '^[{]"op":"grid","variant":"bicgstab jacobi".*"default":[{].*"solve":[{].*"total":[{].*"ratio":[1-9]' \
    "$dir/out" || flunk 'grid has a line of the best ones'
for mean in solve total; do
    grep -Eq "^[{]\"op\":\"grid-mean\",\"variant\":\"$mean\",\"ratios\":1,\"mean\":[1-9]" "$dir/out" ||
        flunk "grid has a mean of $mean"
done
# No method solves a singular system; the next problem is tried.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 1\n2 2 2\n3 3 1\n2 1 1\n3 2 1\n' >"$dir/singular.mtx"
"$bench" grid --solver cg --precond jacobi "$dir/singular.mtx" lap3d:6 >"$dir/out" 2>"$dir/err" ||
    flunk 'grid survives a singular matrix'
[ "$(grep -c 'singular.mtx .* - .*  none converges$' "$dir/out")" = 3 ] || flunk 'grid says that none converges'
[ "$(grep -c '^geometric mean of 1 ratios' "$dir/out")" = 2 ] || flunk 'a mean of what converges'

# ILU(1) of an arrow is dense: its set-up is far too slow, and ILU(2) and ILU(3) are not tried.
awk -v n=900 'BEGIN {
    print "%%MatrixMarket matrix coordinate real general"
    print n, n, 3 * n - 2
    for (i = 1; i <= n; ++i) print i, i, n
    for (i = 2; i <= n; ++i) { print 1, i, 1; print i, 1, 2 } }' >"$dir/arrow.mtx"
"$bench" grid --json --solver bicgstab --coarse none "$dir/arrow.mtx" >"$dir/out" 2>"$dir/err" ||
    flunk 'grid of an arrow succeeds'
[ "$(grep -c '"variant":"[^"]*iluk --ilu-level [23]".*"end":"not tried","reason":"the set-up with less' "$dir/out")" = 2 ] ||
    flunk 'grid does not try more fill than what was too slow'

# Batched inversion: named problems, as tables and as lines.
"$bench" bgje batch:5,40 batch:1,3 >"$dir/out" 2>"$dir/err" || flunk 'bgje succeeds'
for precision in fp64 fp32; do
    grep -A 2 "^batch:5,40, $precision: GFLOP/s" "$dir/out" |
        grep -Eq '^ +5( +[0-9.]+){5} +[0-9]*[1-9][0-9.]*$|^ +5( +[0-9.]+){5} +0\.[0-9]*[1-9]' ||
        flunk "bgje has a row in $precision"
done
"$bench" bgje --json batch:5,40 >"$dir/out" 2>"$dir/err" || flunk 'bgje --json succeeds'
for kernel in bgje bgje_mpw bgje_sized bgje_mpw_sized bgje_mpw2 'lu core'; do
    [ "$(grep -c "^{\"op\":\"bgje\",\"variant\":\"$kernel\",\"problem\":\"batch:5,40\".*\"gflops\":[0-9]" \
        "$dir/out")" = 2 ] || flunk "two lines of $kernel"
done
for wrong in batch:0,4 batch:65,4 batch:4,0 batch:4 batch:4,4x lap3d:x '--batch 0' '--batch' \
    '--n 0' '--n 1' '--n' '--rtol 1'; do
    "$bench" bgje $wrong >/dev/null 2>&1
    [ $? -eq 2 ] || flunk "bgje $wrong is wrong usage"
done

# Block-Jacobi for a problem: one row per bound, one line per extraction.
"$bench" bgje lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'bgje succeeds for a problem'
for bound in 4 8 12 16 24 32; do
    grep -A 7 '^lap3d:6, set-up, ms' "$dir/out" |
        grep -Eq "^ +$bound( +[0-9.]+){5}\$" || flunk "a row of bound $bound"
done
"$bench" bgje --json lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'bgje --json succeeds for a problem'
for extraction in cached shared_quadratic shared shared_mpw bisect; do
    [ "$(grep -c "^{\"op\":\"block-setup\",\"variant\":\"$extraction\",\"problem\":\"lap3d:6\".*\"ms\":[0-9]" \
        "$dir/out")" = 6 ] || flunk "six lines of $extraction"
done

# Kronecker operators: one row per product, its share of a solve, solves of a
# time step.
"$bench" kron kron:2,4,4,4 radau:2,6 >"$dir/out" 2>"$dir/err" || flunk 'kron succeeds'
"$bench" kron stokes:2,3 >"$dir/stokes" 2>"$dir/err" || flunk 'kron stokes succeeds'
for table in '^Figure 9: ' '^Figure 16: '; do
    grep -A 4 "$table" "$dir/stokes" | grep -Eq '^stokes:2,3 +one_pass +.* rtol$' || flunk "$table has stokes"
done
for table in '^Products' '^Figure 9: .*, none'; do
    grep -A 4 "$table" "$dir/out" | sed 1d >"$dir/table"
    for product in cu okp one_pass; do
        grep -Eq "^kron:2,4,4,4 +$product +[0-9.]+" "$dir/table" || flunk "$table has $product"
    done
    [ "$(awk '{print length}' "$dir/table" | sort -u | wc -l)" = 1 ] || flunk "$table has aligned columns"
done
grep -A 4 '^Figure 13: ' "$dir/out" | grep -Eq '^kron:2,4,4,4 +okp( +[0-9]+\.[0-9]+){4}$' ||
    flunk 'speed-ups over cu'
# Where no line says otherwise, the parts are the whole within 5 %.
awk '/^Figure 9:/ { parts = 1 } /^Figure 13:/ { parts = 0 }
    / the phases are / { ++said } parts && / rtol$/ { if ($10 < 95 || $10 > 105) ++differ; ++rows
        d = $3 + $4 + $5 + $6 + $7 + $8 - $9 * $10 / 100; if (d * d > 1e-4 * $9 * $9) exit 1 }
    END { exit !(rows == 3 && said == differ) }' "$dir/out" || flunk 'parts of a solve add up, or a line says so'
grep -Eq '^kron:2,4,4,4 +cu .* 1\.00$' "$dir/out" || flunk 'cu is the baseline'
for product in cu okp one_pass; do
    grep -Eq "^radau:2,6 +$product +none +[0-9.]+ .* rtol\$" "$dir/out" || flunk 'a row of no preconditioner'
    for precond in block-jacobi ildu0; do
        grep -Eq "^radau:2,6 +$product(,? +$precond .* rtol|, $precond is unsupported)\$" "$dir/out" ||
            flunk "a row of $product with $precond"
    done
done
"$bench" kron --json kron:2,4,4,4 --solver bicgstab radau:2,6 >"$dir/out" 2>"$dir/err" || flunk 'kron --json succeeds'
for product in cu okp one_pass; do
    grep -q "^{\"op\":\"kron-product\",\"variant\":\"$product\".*\"over_cu\":[0-9]" "$dir/out" ||
        flunk "a line of $product"
    grep -q "^{\"op\":\"kron-solve\",\"variant\":\"$product\".*\"gn_ms\":[0-9].*\"between_ms\":[0-9].*\"measured\":[0-9].*\"stop\":\"[ra]tol\"" "$dir/out" ||
        flunk "a line of a solve with $product"
done
for product in cu okp one_pass; do
    grep -q "^{\"op\":\"kron-history\",\"variant\":\"none\".*\"product\":\"$product\",\"solver\":\"bicgstab\".*\"history\":\[1," \
        "$dir/out" || flunk "a line with a history of $product"
done
for wrong in lap3d:4 kron:0 radau:2 stokes:2,2 kron:2,4,4,4x '--rtol 3'; do
    "$bench" kron $wrong >/dev/null 2>&1
    [ $? -eq 2 ] || flunk "kron $wrong is wrong usage"
done

# Kronecker systems on several devices, of one mesh and of one that grows.
export POCL_DEVICES='pthread pthread'
"$bench" multi kron:2,4,4,4 >"$dir/out" 2>"$dir/err" || flunk 'multi kron succeeds'
awk '/^Figure 13: / { speed_ups = 1 } { if (speed_ups) print >"'"$dir"'/speed_ups"; else print >"'"$dir"'/rows" }' "$dir/out"
grep -q '^Figures 10 to 12: solves by gmres' "$dir/rows" || flunk 'a title'
for devices in 1 $(awk '$2 == 2 { print 2; exit }' "$dir/rows"); do
    for product in cu okp one_pass; do
        grep -Eq "^kron:2,4,4,4 +$devices +$product +(batched|staged) +[0-9.]+ .* [ra]tol +[0-9.]+\$" "$dir/rows" ||
            flunk "a row of $product on $devices devices"
    done
    for product in okp one_pass; do
        grep -Eq "^kron:2,4,4,4 +$devices +$product +batched( +([0-9]+\.[0-9]+|-)){5}\$" "$dir/speed_ups" ||
            flunk "speed-ups of $product on $devices devices"
    done
done
grep -Eq '^kron:2,4,4,4 +1 +cu +.* 1\.00$' "$dir/rows" || flunk 'a row of one device'
"$bench" multi --json --weak kron:2,4,4,4 >"$dir/out" 2>"$dir/err" || flunk 'multi --weak succeeds'
grep -q '^{"op":"multi-kron-weak","variant":"one_pass","problem":"kron:2,4,4,4".*"exchange":"batched".*"c_ms":[0-9]' "$dir/out" ||
    flunk 'a line of one device'
if grep -q '"devices":2' "$dir/out"; then
    for exchange in batched staged; do
        grep -q "^{.*\"problem\":\"kron:2,4,4,8\".*\"exchange\":\"$exchange\",\"devices\":2.*\"times\":[0-9]" \
            "$dir/out" || flunk "a line of two devices, $exchange"
    done
fi
# The set-up by task, of one device and of several.
"$bench" multi --profile --solver cg --precond amg lap3d:16 >"$dir/out" 2>"$dir/err" ||
    flunk 'multi --profile succeeds'
for task in aggregation prolongation galerkin ghosts gathering other '\(waits\)'; do
    grep -Eq "^  $task +[0-9.]+" "$dir/out" || flunk "multi: a row of $task"
done
unset POCL_DEVICES
for wrong in '--weak lap3d:4' '--profiles lap3d:4' '--weak radau:2,4' '--weak kron:2,4' 'kron:0'; do
    "$bench" multi $wrong >/dev/null 2>&1
    [ $? -eq 2 ] || flunk "multi $wrong is wrong usage"
done

# Set-up by task: a row per task, sums of the tasks.
"$bench" setup --repeat 1 --partition match --subdomain-rows 100 --coarse mult lap3d:12 lap3d:5,b=2 \
    >"$dir/out" 2>"$dir/err" || flunk 'setup succeeds'
for task in read upload blocks partition matching contraction refinement pattern schedule \
    coarse-pattern numeric coarse product; do
    [ "$(grep -Ec "^  $task +[0-9.]+ .* [0-9]+\$" "$dir/out")" = 2 ] || flunk "two rows of $task"
done
grep -Eq '^  compile ' "$dir/out" && flunk 'a set-up that is measured compiles nothing'
grep -Eq '^  blocks +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[1-9][0-9]*$' "$dir/out" || flunk 'traffic of the conversion'
sed '1,/^profile/d; /^lap3d:5/,$d' "$dir/out" | awk '
    $1 == "upload" { upload = $2 }
    $1 == "set-up" { setup = $2 }
    $1 == "with" { all = $3 }
    /^  / && $1 != "read" { sum += $2 }
    END { d = sum - all; e = all - upload - setup
          exit !(all > 0 && d * d < 1e-4 && e * e < 1e-4) }' || flunk 'tasks add up to the sums'
"$bench" amg --amg-coarse-rows 50 lap3d:12 >"$dir/out" 2>"$dir/err" || flunk 'amg succeeds'
[ "$(grep -c '^[012]  ' "$dir/out")" -ge 2 ] && grep -q '^cg: [0-9]* iterations' "$dir/out" ||
    flunk 'amg prints levels and a solve'
"$bench" amg --json lap3d:12 >"$dir/out" 2>"$dir/err" || flunk 'amg --json succeeds'
grep -q '"op":"amg".*"lambda":[12].*"last_us":[0-9].*"of_copy":[0-9].*"iters":[1-9].*"galerkin"' "$dir/out" ||
    flunk 'amg --json has times of levels, cycle, solve and set-up'
"$bench" setup --json --repeat 2 --partition match lap3d:6 >"$dir/out" 2>"$dir/err" || flunk 'setup --json succeeds'
grep '^{"op":"setup-tasks","variant":"ildu0","problem":"lap3d:6"' "$dir/out" |
    grep '"task":"matching","ms":[0-9.e-]*,"bytes":[0-9]*,"gbps":[0-9.e-]*,"of_copy":[0-9.e-]*,"launches":[1-9]' |
    grep -q '"other_ms":.*"setup_ms":.*"with_upload_ms":.*"copy_gbps":' || flunk 'a line of tasks'

# Labels from a file apply until another partition is selected.
seq 0 215 | awk '{print int($1 / 36)}' >"$dir/labels"
"$bench" dd --json --partition "file:$dir/labels" lap3d:6 --partition natural --subdomain-rows 108 lap3d:6 \
    >"$dir/out" 2>"$dir/err" || flunk 'labels from a file are taken'
[ "$(grep -o '"op":"partition","variant":"[a-z]*".*"parts":[0-9]*' "$dir/out" |
    sed 's/.*"variant":"\([a-z]*\)".*:/\1 /' | tr '\n' ' ')" = 'labels 6 natural 2 ' ] ||
    flunk 'partitions are those of the file and of --subdomain-rows'

"$bench" >"$dir/out" 2>"$dir/err"
[ $? -eq 2 ] || flunk 'no argument is wrong usage'
[ ! -s "$dir/out" ] && grep -q '^usage: levelbench' "$dir/err" || flunk 'usage goes to the error output'
"$bench" lap3d:x >/dev/null 2>"$dir/err" && flunk 'an unknown problem is an error'
grep -q 'lap3d:x' "$dir/err" || flunk 'the message names the problem'
# Wrong usage: one line that names the argument and the fault.
expect_refused()
{
    said=$1
    shift
    "$bench" "$@" >/dev/null 2>"$dir/err"
    [ $? -eq 2 ] || flunk "$* is wrong usage"
    { [ "$(wc -l <"$dir/err")" = 1 ] && grep -Fq -- "$said" "$dir/err"; } || flunk "$* is told \"$said\""
}
expect_refused rtol --rtol 2 lap3d:6
expect_refused '--restart: a value is missing' lap3d:6 --restart
expect_refused "unknown option 'nosuch'" --nosuch 3 lap3d:6
expect_refused "randm: unknown option: did you mean '--random'" --randm 3 lap3d:6
expect_refused "rtoll: unknown option: did you mean '--rtol'" dd --rtoll 1e-3 lap3d:6
expect_refused '-x: unknown option' -x lap3d:6
expect_refused 'weak: this option does not apply here' --weak 1 lap3d:6
expect_refused "gmrs: unknown subject: did you mean 'gmres'" gmrs lap3d:6
expect_refused "setpu: unknown subject: did you mean 'setup'" setpu
expect_refused 'gmres: name a problem' gmres
expect_refused 'grid: name a problem' grid
expect_refused '--rtol: name a problem' --rtol 1e-6
expect_refused '--solver: options apply to the problems that follow' lap3d:6 --solver idr
expect_refused '--rtol: options apply to the problems that follow' dd lap3d:6 --rtol 1e-6 --json
expect_refused '--rtol: options apply' --csr-text "$dir/ptr,$dir/col,$dir/val" --rtol 1e-6
expect_refused '--partition file:: expected the name of a file' --partition file: lap3d:6
expect_refused '--n: this option applies only to bgje' --n 4 lap3d:6
expect_refused '--n: expected a number' bgje --n 0
expect_refused '--repeat: this option applies only to setup' --repeat 2 lap3d:6
for wrong in 0 -1 2x 1001 ''; do
    expect_refused '--repeat: expected a number from 1 to 1000' setup --repeat "$wrong" lap3d:6
done
expect_refused '--repeat: a value is missing' setup lap3d:6 --repeat
expect_refused '--repeat: options apply to the problems that follow' setup lap3d:6 --repeat 2
expect_refused 'setup: name a problem' setup
expect_refused '--blocks: this option applies only to hec' --blocks 2 lap3d:6
for wrong in 0 '' 2, ,2 2x -1 +1 ' 1' 4294967296 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; do
    expect_refused '--blocks: expected up to 16 numbers >= 1' hec --blocks "$wrong" lap3d:6
done
[ "$("$bench" --version)" = "levelbench $("$bench" dd --version | sed 's/.* //')" ] ||
    flunk '--version prints the version'
"$bench" --version | grep -q '^levelbench [0-9][0-9.]*$' || flunk '--version prints the version'

# The manual page has each subject, option and field.
for word in $("$bench" --help | sed -n 's/^ *\(usage:\)* *levelbench \([a-z|]*\) .*/\2/p' | tr '|' ' '); do
    grep -q "^\.It Cm $word\$" "$page" || flunk "the manual page lacks the subject $word"
done
for option in device json csr-text random repeat blocks batch weak version; do
    grep -Eq "^\.It .*Fl (n Ar rows, Fl )?-$option( |\$)" "$page" || flunk "the manual page lacks --$option"
done
for field in $(cat "$tools"/levelbench/*.c "$tools"/levelbench/published/*.c "$tools"/clsolve/profile.c | tr '\n' ' ' |
    grep -oE 'cJSON_Add[A-Za-z]*\([a-z]+, *"[a-z0-9_]+"' | sed 's/.*"\(.*\)"/\1/' | sort -u); do
    grep -Eq "^\.(It )?Cm ([a-z0-9_]+ )*$field( |\$)" "$page" || flunk "the manual page lacks the field $field"
done
"$bench" kron --help | grep -q '^usage: levelbench' || flunk 'a subject has the help of all'
for help in -h --help; do
    "$bench" $help >"$dir/out" 2>"$dir/err" || flunk "$help succeeds"
    grep -q '^usage: levelbench' "$dir/out" || flunk "$help prints the usage"
    [ ! -s "$dir/err" ] || flunk "$help is no error"
done
[ $failed -eq 0 ]
