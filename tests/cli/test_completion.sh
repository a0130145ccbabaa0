#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The completions of bash and zsh offer every option, command and value of the
# help text, which comes from the tables of options.
# Usage: test_completion.sh CLSOLVE FOLDER
set -u
clsolve=$(realpath "$1") folder=$(realpath "$2")
failed=0

# expect WHAT EXPECTED GOT
expect()
{
    [ "$2" = "$3" ] && return
    printf 'FAILED %s: expected\n%s\ngot\n%s\n' "$1" "$2" "$3"
    failed=1
}

# The words of the help text, found in another way than the completions do.
help=$("$clsolve" --help)
options=$(grep -oE '^  (-[a-z], )?--?[a-z0-9-]+' <<<"$help" | tr -d ' ' | tr ',' '\n' | sort)
commands=$(sed -n 's/^\(usage:\|      \) clsolve \([a-z]*\) .*/\2/p' <<<"$help" | sort -u)
[ "$(wc -l <<<"$options")" -gt 50 ] || expect 'options' 'more than 50' "$options"

# ---------------------------------------------------------------- bash

# shellcheck source=/dev/null
. "$folder/clsolve.bash"

# complete_words WORD...: what completes the last one
complete_words()
{
    COMP_WORDS=("$clsolve" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _clsolve
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
touch matrix.mtx
expect 'bash: options' "$options" "$(complete_words -)$(
    [ -z "$(complete_words - | grep -vE '^-')" ] || echo 'no option')"
expect 'bash: commands and files' "$(printf '%s\nmatrix.mtx\n' "$commands" | sort)" "$(complete_words '')"
expect 'bash: a command' doctor "$(complete_words doc)"
expect 'bash: values' "$(printf 'ic0\nilu0\niluk\nilut\nildu0\n' | sort)" "$(complete_words matrix.mtx --precond i)"
expect 'bash: value after =' amg "$(complete_words --precond = am)"
expect 'bash: values after =' "$(printf 'off\non\n')" "$(complete_words --transversal =)"
expect 'bash: no placeholders' auto "$(complete_words --subdomain-rows '')"
expect 'bash: a file' '' "$(complete_words -b '' --history '')"

# ---------------------------------------------------------------- zsh

# Prints what the completion hands to _arguments.
if command -v zsh >/dev/null; then
    # shellcheck disable=SC2016
    specs=$(zsh -fc '_arguments() { print -l -- "$@" }; words=($1); run() { source $1 }; run $2' \
        zsh "$clsolve" "$folder/_clsolve")
    expect 'zsh: options' "$(grep -vx -e -h <<<"$options")" \
        "$(grep -oE '^--?[a-z0-9-]+' <<<"$specs" | grep -vx -e '-s' | sort)"
    expect 'zsh: values' '--transversal=[bring large entries to the diagonal before factors (off)]:value:(on off)' \
        "$(grep -e '--transversal' <<<"$specs")"
    for command in $commands; do
        grep -q "^1:.*[( ]$command[ )]" <<<"$specs" || expect 'zsh: commands' "$command" "$specs"
    done
fi

[ $failed = 0 ] && echo 'all as expected'
exit $failed
