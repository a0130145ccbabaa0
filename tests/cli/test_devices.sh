#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve on several devices: those of PoCL, of which there are as many as it is
# told. Usage: test_devices.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# ---------------------------------------------------------------- options

refused 2 'a device is named twice' --problem lap3d:4 --devices 0,0
refused 2 'expected numbers or names' --problem lap3d:4 --devices 0,
refused 2 'expected numbers or names' --problem lap3d:4 --devices 0,,1
refused 2 'more than 16 devices' --problem lap3d:4 \
    --devices 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
refused 2 'not both' --problem lap3d:4 --device 0 --devices 0
refused 4 'no device' --problem lap3d:4 --devices 0,none-such

# ---------------------------------------------------------------- solves

export POCL_DEVICES='pthread pthread pthread'
# LeakSanitizer crashes now and then where the threads of several such devices
# end; other tests look for leaks
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
clsolve devices
[ "$(grep -c '^[0-9]' "$dir/stdout")" -ge 3 ] ||
    { echo "fewer than three devices: $passed passed"; exit 77; }

ends 0 devices --bandwidth
says stdout '^from 2 to 0: [0-9.]* us, [0-9.]* GB/s$'
[ "$(grep -c '^from' "$dir/stdout")" -ge 6 ] && pass || flunk 'not all links'
ends 0 devices --bandwidth --json
is_json "$dir/stdout" && pass || flunk 'devices --bandwidth --json'
says stdout '"links":\[{"from":0,"to":1,"latency":'
refused 2 'give --device or --bandwidth, not both' devices --bandwidth --device 0
refused 2 'bandwidth does not apply' --problem lap3d:4 --bandwidth

ends 0 --problem lap3d:12 --devices 0,1 --solver cg --precond ic0
grep -q '^product  *auto' "$dir/stdout" && flunk 'the product that was chosen is named' || pass
says stdout 'converged'
says stdout '^  *device 1: [0-9.]* s own work, [0-9.]* s halo, [0-9.]* s sums, '
[ "$(grep -c '^device  ' "$dir/stdout")" = 2 ] && pass || flunk 'not two devices'
ends 0 --problem convdiff:12,5 --devices 0,1,2 --solver bicgstab \
    --precond ildu0 --json
is_json "$dir/stdout" && pass || flunk 'not a JSON record'
says stdout '"devices":\['
says stdout '"exchange":\[{"seconds":{"own":[0-9.e-]*,"halo":[0-9.e-]*,"sums":'
says stdout '"sent_bytes":[1-9]'
ends 0 --problem lap3d:8,b=3 --devices 2,0
ends 1 --problem lap3d:12 --devices 0,1 --max-iters 2 --solver cg

# boxes of the whole grid, in whatever order the devices have its rows
for problem in lap3d:13 'lap3d:13,b=2 --block-size 2'; do
    for cells in '' '--grid 13,13,13'; do
        ends 0 --problem $problem --devices 0,1,2 --solver cg --precond ic0 \
            --partition geometric:5,4,4 $cells
        says stdout '^subdomains .* to 80 rows, by geometric$'
    done
done

# twice the same answer, to the bit
for run in 1 2; do
    ends 0 --problem jump:10,1000 --devices 0,1,2 -o "$run.mtx"
done
cmp -s 1.mtx 2.mtx && pass || flunk 'two runs differ'

# a matrix without order: METIS finds one
awk 'BEGIN {
    n = 400
    for (i = 0; i < n; ++i) {
        a = i * 171 % n + 1
        b = (i + 1) % n * 171 % n + 1
        print a, a, 4
        print a, b, -1
        print b, a, -1
    }
}' | matrix ring.mtx 400 400 1200
ends 0 ring.mtx --devices 0,1 --solver cg --precond jacobi -o x.mtx
refused 2 'the pattern is not a 7-point stencil; give the grid sizes' ring.mtx \
    --devices 0,1 --solver cg --precond ic0 --partition geometric:2,2,2
ends 0 ring.mtx --solver cg --precond jacobi -o y.mtx
paste x.mtx y.mtx | awk 'NR > 2 { d = $1 - $2; if (d * d > 1e-10) exit 1 }' &&
    pass || flunk 'one and two devices differ'

# Kronecker systems: the same solution as on one device
ends 0 --problem radau:2,4 --rtol 1e-12 -o one.mtx
for exchange in batched staged; do
    ends 0 --problem radau:2,4 --devices 0,1 --rtol 1e-12 -o two.mtx \
        --kron-exchange $exchange --json
    is_json "$dir/stdout" && pass || flunk 'not a JSON record'
    says stdout "\"kron_exchange\":\"$exchange\""
    paste one.mtx two.mtx |
        awk 'NR > 2 { d = $1 - $2; if (d * d > 1e-10) exit 1 }' &&
        pass || flunk "one and two devices differ: $exchange"
done
for product in okp cu; do
    ends 0 --problem radau:2,4 --devices 0,1 --rtol 1e-12 -o two.mtx \
        --kron-product $product --json
    says stdout "\"kron_product\":\"$product\""
    [ $product = cu ] && says stdout '"kron_exchange":"staged"'
    paste one.mtx two.mtx |
        awk 'NR > 2 { d = $1 - $2; if (d * d > 1e-10) exit 1 }' &&
        pass || flunk "one and two devices differ: $product"
done
refused 3 "'cu' of a Kronecker system exchanges each stage" --problem radau:2,4 \
    --devices 0,1 --kron-product cu --kron-exchange batched
refused 2 'kron-exchange has no effect' --problem radau:2,4 --kron-exchange staged
refused 2 'kron-exchange has no effect' --problem lap3d:4 --devices 0,1 \
    --kron-exchange batched
refused 2 '3 devices for 1 blocks' --problem radau:2,1 --devices 0,1,2

# more devices than rows
printf '1 1 2\n2 2 2\n' | matrix two.mtx 2 2 2
refused 2 '3 devices for 2 blocks' two.mtx --devices 0,1,2
finish 0
