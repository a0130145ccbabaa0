#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A browser takes pictures of a report, on a screen and on a phone; they stay in
# FOLDER. Usage: test_report_picture.sh CLSOLVE FOLDER
set -u
folder=$2
. "$(dirname "$0")/checks.sh"
browser=
for name in chromium chromium-browser google-chrome firefox; do
    [ -z "$browser" ] && command -v "$name" >/dev/null && browser=$name
done
[ -n "$browser" ] || { echo 'no browser'; exit 77; }

# picture FILE WIDTH,HEIGHT
picture()
{
    rm -f "$1"
    case $browser in
    firefox)
        timeout 60 firefox --no-remote --profile "$dir/none" --headless \
            --window-size="$2" --screenshot "$1" "file://$folder/report.html"
        ;;
    *)
        timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
            --hide-scrollbars --user-data-dir="$dir/none" --window-size="$2" \
            --screenshot="$1" "file://$folder/report.html"
        ;;
    esac >"$dir/stdout" 2>"$dir/stderr"
    # an empty page takes a few thousand bytes
    [ -s "$1" ] && [ "$(wc -c <"$1")" -gt 40000 ] && pass ||
        { flunk "$browser shows nothing in $1"; cat "$dir/stderr"; }
}

clsolve devices
[ "$code" = 0 ] || { echo 'no OpenCL device'; exit 77; }
ends 0 --problem lap3d:16 --solver cg --precond ic0 --subdomain-rows 256 --report "$folder/report.html"
picture "$folder/report.png" 1100,1900
picture "$folder/report-phone.png" 390,3400
finish 0
