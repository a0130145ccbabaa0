#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Processes that compile ahead for PoCL: in a first start alone, gone at its end,
# and a program in their place that fails or does not end harms nothing.
# Usage: test_helper.sh CLSOLVE HELPER
set -u
helper=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
. "$(dirname "$0")/checks.sh"
export LEVELCL_CACHE_DIR="$dir/cache" POCL_CACHE_DIR="$dir/pocl"

# starts WORDS LEVELCL_HELPER: whether a solve says so
starts()
{
    LEVELCL_HELPER=$2 ends 0 --problem lap3d:6 -vv
    cp "$dir/stderr" log.txt
    says stdout '^converged'
    grep -q "$1" log.txt
}

first_start()
{
    rm -rf "$dir/pocl" "$dir/cache"
    mkdir -m 700 "$dir/pocl"
}

first_start
clsolve devices
[ "$code" = 0 ] && grep -q 'Portable Computing Language' "$dir/stdout" &&
    [ "$(nproc)" -gt 1 ] || { echo 'no PoCL, or one processor'; finish 77; }

# ---------------------------------------------------------------- when

first_start
starts 'compile ahead' "$helper" && pass || flunk 'no helper in a first start'
starts 'compile ahead' "$helper" && flunk 'a helper in a second start' || pass
for none in '' "$dir/none/x"; do
    first_start
    starts 'compile ahead' "$none" && flunk "a helper: '$none'" || pass
done
first_start
OMPI_COMM_WORLD_LOCAL_SIZE=2 starts 'compile ahead' "$helper" &&
    flunk 'a helper of a rank' || pass

# ---------------------------------------------------------------- its end

# A pipe ends with clsolve, and no process is left.
cat >wait.sh <<'END'
#!/bin/sh
echo $$ >>"$HELPER_LIST"
echo noise
echo noise >&2
trap '' TERM
while :; do sleep 0.1; done
END
cat >fail.sh <<'END'
#!/bin/sh
exit 3
END
chmod +x wait.sh fail.sh
export HELPER_LIST="$dir/in/list.txt"
first_start
LEVELCL_HELPER=$dir/in/wait.sh ends 0 --problem lap3d:6
says stdout '^converged'
grep -q noise "$dir/stdout" "$dir/stderr" && flunk 'output of a helper' || pass
[ -s list.txt ] && pass || flunk 'no helper'
while read -r child; do
    kill -0 "$child" 2>/dev/null && flunk "helper $child is left" || pass
done <list.txt
first_start
LEVELCL_HELPER=$dir/in/fail.sh ends 0 --problem lap3d:6
says stdout '^converged'
[ ! -s "$dir/stderr" ] && pass || flunk "stderr: $(cat "$dir/stderr")"
finish 0
