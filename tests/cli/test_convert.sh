#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve convert, and PETSc files as input and output. Usage: test_convert.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

# same FILE FILE: both have the same bytes
same()
{
    cmp -s "$1" "$2" && pass || flunk "$1 and $2 differ"
}

# octal BYTES FILE: the file starts with these bytes, in octal
octal()
{
    head -c 8 "$2" | od -An -to1 | grep -q "^ *$1" && pass || flunk "$2 does not start with $1"
}

printf '2 1 1\n1 1 4\n1 2 1\n2 2 3\n' | matrix two.mtx 2 2 4
printf '1 1 4\n1 2 1\n2 1 1\n2 2 3\n' | matrix sorted.mtx 2 2 4
printf '%%%%MatrixMarket matrix array real general\n2 1\n5\n4\n' >b.mtx
printf '0\n2\n4\n' >ptr.txt
printf '0 1\n0 1\n' >col.txt
printf '4 1\n1 3\n' >val.txt

# ---------------------------------------------------------------- formats

ends 0 convert two.mtx two.petsc
says stdout '^matrix  *two.mtx: 2 rows, 4 nonzeros'
says stdout '^written  *two.petsc'
octal '000 022 173 120 000 000 000 002' two.petsc
[ "$(wc -c <two.petsc | tr -d ' ')" = 72 ] && pass || flunk 'two.petsc has a wrong size'
ends 0 convert two.petsc back.mtx
same back.mtx sorted.mtx
for suffix in petsc.gz petsc.xz mtx.gz mtx.xz; do
    ends 0 convert two.petsc "t.$suffix"
    ends 0 convert "t.$suffix" t.petsc
    same t.petsc two.petsc
done
gzip -dc t.petsc.gz >t && same t two.petsc
gzip -dc t.mtx.gz >t && same t sorted.mtx

ends 0 convert b.mtx b.petsc
says stdout '^vector  *b.mtx: 2 x 1'
octal '000 022 173 116 000 000 000 002' b.petsc
ends 0 convert b.petsc c.mtx
same c.mtx b.mtx

# ---------------------------------------------------------------- inputs

ends 0 convert --csr-text ptr.txt col.txt val.txt t.petsc
same t.petsc two.petsc
ends 0 convert t.petsc --csr-text ptr.txt col.txt val.txt
same t.petsc two.petsc
ends 0 convert --problem lap3d:3 -o t.mtx
says stdout '^matrix  *lap3d:3: 27 rows'
[ "$(lines t.mtx)" = 137 ] && pass || flunk 'lap3d:3 is not written'
"$clsolve" convert - - <two.petsc >t 2>"$dir/stderr"
same t sorted.mtx
says stderr '^written  *standard output'
ends 0 convert two.mtx t.petsc -q
[ ! -s "$dir/stdout" ] && pass || flunk 'convert -q: not quiet'
ends 0 convert two.mtx t.petsc --json
is_json "$dir/stdout" && pass || flunk 'convert --json is no JSON'
says stdout '"matrix":{"name":"two.mtx","rows":2,"cols":2,"nnz":4},"written":"t.petsc"'
ends 0 convert b.petsc t.mtx --json
says stdout '"vector":{"name":"b.petsc","rows":2,"cols":1},"written":"t.mtx"'

# ---------------------------------------------------------------- others

# Columns of text, and the archives of collections.
printf '# b\n5\n4\n' >b.txt
ends 0 convert b.txt t.mtx
same t.mtx b.mtx
printf '5,1\n4,2\n' >two.csv
ends 0 convert two.csv t.mtx
says stdout '^vector  *two.csv: 2 x 2'
mkdir two
cp two.mtx two/two.mtx
cp b.mtx two/two_b.mtx
tar -cf two.tar two 2>/dev/null && gzip -kf two.tar
for archive in two.tar two.tar.gz; do
    ends 0 convert "$archive" t.petsc
    same t.petsc two.petsc
done
# by columns: 4 1, 1 3
{
    printf '%-72s%-8s\n' 'Two rows' two
    printf '%14d%14d%14d%14d\n' 3 1 1 1
    printf 'rua           %14d%14d%14d%14d\n' 2 2 4 0
    printf '%-16s%-16s%-20s\n' '(3I2)' '(4I2)' '(4F4.1)'
    printf ' 1 3 5\n 1 2 1 2\n 4.0 1.0 1.0 3.0\n'
} >two.rb
ends 0 convert two.rb t.petsc
same t.petsc two.petsc
printf 'MATLAB 5.0 MAT-file, Platform: GLNXA64' >A.mat
bad_input 'A.mat: this is a MATLAB file: write a Matrix Market file' A.mat
bad_input "b.txt:1: expected '%%MatrixMarket', found '#'" b.txt
printf '1\n2\n3 4\n' >ragged.txt
refused 3 'ragged.txt:3: expected 1 number as in the lines before, found 2' convert ragged.txt "$dir/out/x"
tar -cf other.tar b.txt
bad_input 'other.tar: the tar archive has no matrix NAME/NAME.mtx' other.tar

# ---------------------------------------------------------------- refused

cp two.petsc "$dir/two.petsc"
refused 2 'convert needs the name of the file to write' convert
refused 2 'convert needs the name of the file to write' convert two.mtx
refused 2 "unexpected argument 'c'" convert two.mtx b c
refused 2 'no matrix given' convert -o "$dir/out/x"
refused 2 "cannot write 'two.petsc': it is an input" convert two.petsc two.petsc
refused 2 'convert does not support Kronecker systems' convert --problem kron:2 "$dir/out/x"
refused 2 'b does not apply to clsolve convert' convert two.mtx "$dir/out/x" -b b.mtx
refused 2 "did you mean 'convert'" convrt two.mtx "$dir/out/x"
refused 3 "cannot write '/dev/zero'" convert two.mtx /dev/zero
same two.petsc "$dir/two.petsc"
head -c 60 two.petsc >cut.petsc
refused 3 'cut.petsc: byte 60: expected values, found the end of the file' convert cut.petsc "$dir/out/x.mtx"
bad_input 'cut.petsc: byte 60: expected values' cut.petsc
bad_input 'b.petsc: byte 0: expected the PETSc class id of a matrix' b.petsc

# ---------------------------------------------------------------- a device

clsolve devices
if [ "$code" != 0 ]; then
    echo 'no OpenCL device: the rest is skipped'
    finish 77
fi

ends 0 two.petsc -b b.petsc -o x.petsc
octal '000 022 173 116 000 000 000 002' x.petsc
ends 0 convert x.petsc x.mtx
[ "$(lines x.mtx)" = 4 ] && pass || flunk 'the solution is no vector of two'
ends 0 two.petsc -b b.mtx -o y.mtx
same x.mtx y.mtx
ends 0 two.tar -b two.tar -o y.mtx
same x.mtx y.mtx
ends 0 two.rb -b b.txt -o y.mtx
same x.mtx y.mtx
ends 0 two.mtx -o x.mtx.gz
gzip -dc x.mtx.gz | grep -q '^%%MatrixMarket' && pass || flunk 'x.mtx.gz is not compressed'
# the stages one after the other, as -b accepts them
ends 0 --problem radau:2,3 -o u.petsc
ends 0 --problem radau:2,3 -b u.petsc
ends 0 info two.petsc

finish 0
