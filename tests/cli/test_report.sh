#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve --report: the page, its numbers, its file. Usage: test_report.sh CLSOLVE
set -u
check=$(cd "$(dirname "$0")" && pwd)/check_report.py
. "$(dirname "$0")/checks.sh"
command -v python3 >/dev/null 2>&1 || { echo 'no python3'; exit 77; }

page=$dir/page.html

# reports CODE ARGS...: a run with --json and --report; the page is well-formed
# and has the numbers of the record
reports()
{
    want=$1
    shift
    rm -f "$page"
    ends "$want" "$@" --json --report "$page"
    if "$check" "$page" "$dir/stdout" >"$dir/faults" 2>&1; then
        pass
    else
        flunk "report of clsolve $*:"
        cat "$dir/faults"
    fi
}

# shows TEXT: the page has the text
shows()
{
    grep -qF -e "$1" "$page" && pass || flunk "no '$1' in the page"
}

shows_not()
{
    grep -qF -e "$1" "$page" && flunk "'$1' in the page" || pass
}

printf '1 1 4\n1 2 1\n2 1 1\n2 2 3\n' | matrix two.mtx 2 2 4
cp two.mtx "$dir/two.mtx"
cp two.mtx 'a<b>&"c".mtx'
printf '1 1 4\n' | matrix one.mtx 1 1 1
printf '1 1 1e200\n1 2 1e200\n2 2 1e-200\n2 3 1\n3 1 1\n' | matrix overflow.mtx 3 3 5
printf '%%%%MatrixMarket matrix array real general\n2 1\n0\n0\n' >zero.mtx
awk 'BEGIN { print "%%MatrixMarket matrix array real general\n216 2"
    for (i = 0; i < 432; ++i) print i < 216 ? 0 : 1 + i * i % 7 }' >sides.mtx
for i in 1 2 3 4 5 6; do echo "$((2 * i))"; done >sparse_labels.txt
for i in 1 2 3 4 5 6; do echo "$i $i 2"; done | matrix six.mtx 6 6 6

# ---------------------------------------------------------------- files

refused 3 "cannot write '$dir/nowhere/r.html'" two.mtx --report "$dir/nowhere/r.html"
refused 3 "cannot write '$dir/none': it is not a regular file" two.mtx --report "$dir/none"
refused 3 "cannot write '/dev/full': it is not a regular file" two.mtx --report /dev/full
refused 3 'cannot write' info two.mtx --report "$dir/nowhere/r.html"
refused 2 "cannot write 'two.mtx': it is an input" two.mtx --report two.mtx
cmp -s two.mtx "$dir/two.mtx" && pass || flunk 'an input has changed'
refused 2 'name the same file' two.mtx -o "$dir/out/x" --report "$dir/out/x"
refused 2 'name the same file' two.mtx --history "$dir/out/x" --report "$dir/out/x"
ends 2 two.mtx --report
says stderr '--report needs a value'
refused 2 '--report does not apply to clsolve devices' devices --report "$dir/out/r.html"
clsolve two.mtx --report - --json
[ "$code" = 2 ] && pass || flunk '--report - with --json is accepted'

clsolve devices
if [ "$code" != 0 ]; then
    echo 'no OpenCL device: the rest is skipped'
    finish 77
fi

ends 0 two.mtx --report -
"$check" "$dir/stdout" && pass || flunk '--report -'
says stderr '^converged: '
echo old >"$page"
chmod 640 "$page"
ends 0 two.mtx --report "$page" -q
[ ! -s "$dir/stdout" ] && pass || flunk '--report -q: not quiet'
[ "$(stat -c %a "$page")" = 640 ] && pass || flunk 'the mode has changed'
shows_not old

# A full disk: files of at most 4000 blocks, which is enough for kernels, and a
# page with a long command. The solution is written and told.
long=$(awk 'BEGIN { for (i = 0; i < 100000; ++i) printf "&" }')
full_disk()
{
    (
        trap '' XFSZ
        ulimit -f 4000
        exec "$clsolve" two.mtx -o "$long" -o "$long" -o "$long" -o "$long" \
            -o "$long" -o "$long" -o "$long" -o "$long" -o "$long" \
            -o "$dir/x.mtx" --report "$page" "$@" >"$dir/stdout" 2>"$dir/stderr"
    )
    code=$?
    [ "$code" = 3 ] && [ "$(grep -c 'cannot write' "$dir/stderr")" = 1 ] &&
        grep -q "^clsolve: cannot write '$page': " "$dir/stderr" && pass ||
        { flunk "a full disk: exit $code"; cat "$dir/stderr"; }
    [ -f "$dir/x.mtx" ] && [ "$(lines "$dir/x.mtx")" = 4 ] && pass || flunk 'the solution is lost'
}
full_disk
says stdout '^converged: '
full_disk --json
is_json "$dir/stdout" && says stdout '"converged":true.*"exit":3}'

rm "$page"
ends 0 two.mtx -o "$long" -o "$dir/x.mtx" --report "$page"
[ "$(wc -c <"$page")" -gt 500000 ] && pass || flunk 'the command is cut'

# ---------------------------------------------------------------- pages

reports 0 'a<b>&"c".mtx'
shows 'a&lt;b&gt;&amp;&quot;c&quot;.mtx'
shows "<span>&#39;a&lt;b&gt;&amp;&quot;c&quot;.mtx&#39;</span>"
shows 'Converged in '
shows '>the matrix is symmetric'
reports 0 two.mtx -b zero.mtx
shows 'Converged in 0 iterations'
reports 0 one.mtx
shows '1 row'
shows 'A residual of 0 is at the lower end.'
reports 1 overflow.mtx --solver bicgstab --precond none
shows 'Not converged: NaN or Inf appeared'
shows 'bicgstab without preconditioner'
shows '<p>To try: '
reports 1 --problem lap3d:6 --max-iters 1
shows 'Not converged: '
reports 0 six.mtx --precond ildu0 --solver bicgstab --partition file:sparse_labels.txt
shows 'Entries by the subdomains of row and column, 6 subdomains'
reports 0 --problem lap3d:8 --solver cg --precond ic0 --subdomain-rows 128 --profile
shows 'grid of 8 x 8 x 8 cells'
shows 'class="border"'
shows '% of copy'
shows 'moves '
reports 0 info --problem lap3d:8 --precond ildu0
shows 'Nothing was solved.'
shows 'Rows of all subdomains by their level'
shows_not 'Methods tried'
reports 0 --kron two.mtx two.mtx one.mtx one.mtx
shows 'blocks of M are'

# Several right-hand sides, of which the second one is described.
printf '%%%%MatrixMarket matrix array real general\n2 3\n0\n0\n1\n2\n0\n0\n' >three.mtx
reports 0 two.mtx -b three.mtx --x0 three.mtx
shows 'Converged: 3 right-hand sides'
shows 'column 2 of 3 of three.mtx'
shows 'initial guess'
reports 1 --problem lap3d:6 --max-iters 1 -b sides.mtx
shows 'Not converged: 1 of 2 right-hand sides. This page describes column 2: '

# Several methods.
cycle_matrix cycle.mtx
reports 0 cycle.mtx
last='\(gmres(100) in fp64 with lu,\|idr(8) with ilut (\)' # with KLU or without
grep -q "methods, the last of them $last" "$page" && pass || flunk 'no last method in the page'
shows 'reason for the first'
shows 'class="k1"'
shows 'class="k2"'

finish 0
