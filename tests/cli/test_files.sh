#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Files that clsolve reads and writes: standard streams, links, devices, modes,
# inputs. Usage: test_files.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# ---------------------------------------------------------------- checks

# is_solution FILE: the file contains a vector of two ones and nothing else
is_solution()
{
    [ "$(head -n 2 "$1")" = "$(printf '%%%%MatrixMarket matrix array real general\n2 1')" ] &&
        awk 'NR > 2 && ($1 < 1 - 1e-8 || $1 > 1 + 1e-8) { wrong = 1 }
            END { exit wrong || NR != 4 }' "$1" && pass || { flunk "$1 is not the solution:"; cat "$1"; }
}

is_history()
{
    [ "$(head -n 1 "$1")" = '# iteration residual' ] && ! sed 1d "$1" | grep -qv '^[0-9]* [0-9]' &&
        pass || { flunk "$1 is not a history:"; cat "$1"; }
}

# unchanged FILE: a refused run has not changed the file
unchanged()
{
    cmp -s "$1" "$dir/two.mtx" && pass || flunk "$1 has changed"
}

# ---------------------------------------------------------------- inputs

printf '1 1 4\n1 2 1\n2 1 1\n2 2 3\n' | matrix two.mtx 2 2 4
cp two.mtx "$dir/two.mtx"
ln -s two.mtx link.mtx
ln -s missing.mtx dangling.mtx
mkfifo pipe
gzip -c two.mtx >two.mtx.gz
printf '0\n0\n' >labels.txt
printf '0\n2\n4\n' >ptr.txt
printf '0 1\n0 1\n' >col.txt
printf '4 1\n1 3\n' >val.txt
printf '%%%%MatrixMarket matrix array real general\n2 1\n5\n4\n' >b.mtx
printf '1 1 1\n' | matrix A.mtx 1 1 1

# ---------------------------------------------------------------- refused

for target in pipe /dev/zero "$dir/none" dangling.mtx; do
    refused 3 "cannot write '$target': it is " two.mtx -o "$target"
    refused 3 "cannot write '$target': it is " two.mtx --history "$target"
done
[ -p pipe ] && pass || flunk 'the FIFO is gone'
[ -L dangling.mtx ] && pass || flunk 'the dangling link is gone'

for option in -o --history; do
    for target in two.mtx ./two.mtx "$dir/in/two.mtx" link.mtx; do
        refused 2 "cannot write '$target': it is an input" two.mtx "$option" "$target"
        refused 2 "cannot write '$target': it is an input" link.mtx "$option" "$target"
    done
    refused 2 "'b.mtx': it is an input" two.mtx -b b.mtx "$option" b.mtx
    refused 2 "'labels.txt': it is an input" two.mtx --partition file:labels.txt "$option" labels.txt
    refused 2 "'val.txt': it is an input" --csr-text ptr.txt col.txt val.txt "$option" val.txt
    refused 2 "'A.mtx': it is an input" --kron two.mtx two.mtx A.mtx A.mtx "$option" A.mtx
done
clsolve - -o two.mtx <two.mtx
[ "$code" = 2 ] && pass || flunk 'the standard input is overwritten'
unchanged two.mtx
refused 2 'name the same file' two.mtx -o "$dir/out/x" --history "$dir/out/x"
refused 2 'only one file can be read from the standard input' - -b -
refused 2 'only one file can be read from the standard input' --kron - - A.mtx A.mtx
refused 2 'only one of -o, --history, --report and --json' two.mtx -o - --history /dev/stdout
clsolve two.mtx -o - --json
[ "$code" = 2 ] && pass || flunk '-o - with --json is accepted'

# ---------------------------------------------------------------- a device

clsolve devices
if [ "$code" != 0 ]; then
    echo 'no OpenCL device: the rest is skipped'
    finish 77
fi

ones='--rhs=A*ones'
for target in - /dev/stdout; do
    ends 0 two.mtx "$ones" --solver bicgstab -o "$target"
    is_solution "$dir/stdout"
    says stderr '^converged: '
    says stderr '^written  *standard output'
    ends 0 two.mtx --history "$target"
    is_history "$dir/stdout"
    says stderr '^converged: '
done
ends 0 two.mtx "$ones" --solver bicgstab -o - -q
is_solution "$dir/stdout"
[ ! -s "$dir/stderr" ] && pass || flunk '-o - -q: not quiet'
ends 1 --problem lap3d:8 --max-iters 1 -o -
[ "$(lines "$dir/stdout")" = 514 ] && pass || flunk '-o -: not all of the last iterate'
ends 0 two.mtx "$ones" --solver bicgstab -o /dev/stderr --history "$dir/out/h"
says stdout '^converged: '
is_solution "$dir/stderr"
is_history "$dir/out/h"
ends 0 two.mtx -o /dev/null --history /dev/null
[ -c /dev/null ] && pass || flunk '/dev/null is no device any more'
if [ -c /dev/full ]; then
    "$clsolve" two.mtx -q -o - >/dev/full 2>"$dir/stderr"
    [ $? = 3 ] && [ "$(lines "$dir/stderr")" = 1 ] && pass || flunk 'a full disk is not noticed'
fi
# earlier data of a pipe stay first
{ echo first; "$clsolve" two.mtx -q -o -; } >"$dir/stdout" 2>/dev/null
[ "$(head -n 1 "$dir/stdout")" = first ] && pass || flunk '-o - overwrites'

for input in two.mtx two.mtx.gz; do
    clsolve - "$ones" --solver bicgstab -o "$dir/out/x.mtx" <"$input"
    is_solution "$dir/out/x.mtx"
    says stdout '^matrix  *standard input: 2 rows'
    "$clsolve" - "$ones" --solver bicgstab -q -o - <"$input" >"$dir/stdout"
    is_solution "$dir/stdout"
done
gzip -dc two.mtx.gz | "$clsolve" - "$ones" --solver bicgstab -q -o "$dir/out/x.mtx"
is_solution "$dir/out/x.mtx"
"$clsolve" two.mtx -b - --solver bicgstab -q -o - <b.mtx >"$dir/stdout"
is_solution "$dir/stdout"
"$clsolve" --csr-text ptr.txt - val.txt "$ones" --solver bicgstab -q -o - <col.txt >"$dir/stdout"
is_solution "$dir/stdout"
echo rubbish | "$clsolve" - 2>"$dir/stderr" >"$dir/stdout"
says stderr '^clsolve: standard input:1: expected '

# a link and the mode of its target are kept
echo old >"$dir/out/file"
chmod 604 "$dir/out/file"
ln -s file "$dir/out/link"
ends 0 two.mtx "$ones" --solver bicgstab -o "$dir/out/link"
[ -L "$dir/out/link" ] && pass || flunk 'the link is replaced'
[ -L "$dir/out/file" ] && flunk 'the file is a link' || pass
is_solution "$dir/out/file"
ls -l "$dir/out/file" | grep -q '^-rw----r--' && pass || flunk 'the mode has changed'

# What a name does to a terminal: colours, C1 controls, another direction of text,
# bytes that are not UTF-8. JSON keeps it.
raw=$(printf '\033\\|\302\233\\|\342\200\256\\|\377')
evil=$(printf 'e\033[31m\302\233\342\200\256\303\244.mtx')
worse=$(printf 'w\377.mtx')
cp two.mtx "$evil"
cp two.mtx "$worse"

# is_tame ARGS...: no such byte is in the output
is_tame()
{
    clsolve "$@"
    cat "$dir/stdout" "$dir/stderr" | LC_ALL=C grep -q -e "$raw" &&
        flunk "clsolve $*: bytes that a terminal obeys" || pass
}

is_tame "$evil" -b "none-$evil"
says stderr 'x1b\[31m\\u009b\\u202e'
is_tame "$evil" -o "$dir/out/$evil" --report r.html
says stdout '^matrix  *e\\x1b\[31m\\u009b\\u202eä.mtx: 2 rows'
says stdout '^written  *.*x1b'
LC_ALL=C grep -q -e "$raw" r.html && flunk 'the page has such bytes' || pass
grep -q '<h1>.*\\x1b' r.html && pass || flunk 'the page lacks the name'
is_tame "$worse" --x0 "$evil"
is_tame "$worse" --max-iters 1 --solver cg --precond jacobi
for command in info tune compare convert --dry-run; do
    is_tame "$command" "$worse" "$dir/out/$evil.petsc"
    is_tame "$command" "$evil"
done
is_tame "$evil" --json
printf '%s' '"name":"e\u001b[31m\u009b\u202eä.mtx"' >name
grep -q -F -f name "$dir/stdout" && pass || flunk 'JSON has another name'
is_tame "$worse" --json
says stdout '"name":"w\\\\xff.mtx","name_hex":"77ff2e6d7478"'
is_json "$dir/stdout" && pass || flunk 'a name breaks JSON'
for argument in --precond --partition --rhs --device --tau --unknown; do
    is_tame two.mtx "$argument" "$evil"
    is_tame two.mtx "$argument=$worse"
done
is_tame "$evil$worse"

# A file and a folder without write permission, for a user other than root.
nobody=
[ "$(id -u)" = 0 ] && nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod 755 "$dir" "$dir/in"
rm -rf "$dir/out" "$dir/closed"
mkdir -m 777 "$dir/out"
mkdir -m 555 "$dir/closed"
echo old >"$dir/out/file"
chmod 444 "$dir/out/file"
if $nobody "$clsolve" --version >/dev/null 2>&1; then
    for target in "$dir/out/file" "$dir/closed/x.mtx"; do
        $nobody "$clsolve" two.mtx -o "$target" >"$dir/stdout" 2>"$dir/stderr"
        [ $? = 3 ] && pass || flunk "$target is written"
        says stderr "cannot write '$target': Permission denied"
    done
    [ "$(cat "$dir/out/file")" = old ] && pass || flunk 'a read-only file is overwritten'
else
    echo 'others than root cannot run clsolve here: read-only targets are left out'
fi

finish 0
