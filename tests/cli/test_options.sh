#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clsolve --options FILE: key=value lines, comments, errors with file and line.
# Usage: test_options.sh CLSOLVE
set -u
. "$(dirname "$0")/checks.sh"

P='--problem lap3d:6'
cat >good.txt <<'END'
# a comment
solver=idr

  idr-s=2	# another one
precond=ildu0
rtol=1e-6
END
printf 'solver=cg\r\nprecond=jacobi' >dos.txt
printf 'solver=cg\n\nslover=cg\n' >unknown.txt
printf '\n\n# x\nrtol=2\n' >value.txt
printf 'solver cg\n' >pair.txt
printf 'json=1\n' >own.txt
printf 'rtol=\n' >empty_value.txt
printf 'partition=file:none.txt\n' >labels.txt
printf 'idr-s=2\n' >effect.txt
printf 'solver=cg\n\0\n' >nul.txt
: >empty.txt

refused 2 "unknown.txt:3: unknown option '--slover': did you mean '--solver'" $P --options unknown.txt
refused 2 "value.txt:4: bad value '2' for rtol" $P --options value.txt
refused 2 "pair.txt:1: expected key=value, found 'solver cg'" $P --options=pair.txt
refused 2 "own.txt:1: 'json' is no option of a method" $P --options own.txt
refused 2 'empty_value.txt:1: --rtol needs a value' $P --options empty_value.txt
refused 2 'give --options only once' $P --options good.txt --options good.txt
refused 2 'options needs a value' $P --options=
refused 2 'idr-s has no effect with --solver auto' $P --options effect.txt
refused 2 'options does not apply to clsolve devices' devices --options good.txt
refused 3 'nul.txt: expected text, found a NUL byte' $P --options nul.txt
refused 3 'missing.txt: No such file' $P --options missing.txt
refused 3 'in: ' $P --options "$dir/in"
refused 3 'none.txt' $P --options labels.txt

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device: the rest is skipped'; finish 77; }
ends 0 $P --options good.txt
says stdout '^method *idr(2), ildu0 (packed), rtol 1e-06'
ends 0 $P --options good.txt --idr-s 3
says stdout '^method *idr(3)'
ends 0 $P --idr-s 3 --options good.txt
says stdout '^method *idr(2)'
ends 0 $P --options dos.txt
says stdout '^method *cg, jacobi'
ends 0 $P --options empty.txt
finish 0
