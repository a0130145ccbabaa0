#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Looks for what a new kernel file may lack: its line in cl/README.md, in the
table of its folder, its specialisations for offline compilers, and that each
line and specialisation has a file.
usage: kernels.py SOURCE_ROOT DUMP_SPECS"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADING = re.compile(r"\| ([\w/]+)/ \|")
SERIAL = {"packed_serial"}  # for waves of one lane, which no GPU has


def listed(text):
    """(folder, file) of the rows of the tables."""
    folder, files = None, set()
    for line in text.splitlines():
        heading = HEADING.match(line)
        folder = heading.group(1) if heading else folder if line.startswith("|") else None
        if folder and not heading:
            files |= {(folder, name) for name in re.findall(r"`([^`]+)`", line.split("|")[1])}
    return files


def dumped(program):
    """Sources of the specialisations that the program writes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True)
        return {path.name.split(".W")[0] for path in pathlib.Path(folder).iterdir()}


def compare(what, wanted, found):
    return [f"{what} lacks {name}" for name in sorted(wanted - found)] + \
        [f"{what} has {name}, which does not exist" for name in sorted(found - wanted)]


def main():
    root = pathlib.Path(sys.argv[1]) / "cl"
    files = {(path.parent.relative_to(root).as_posix(), path.name)
             for path in root.rglob("*.cl*") if path.parent.name != "bundles"}
    kernels = {name.removesuffix(".cl") for _, name in files if name.endswith(".cl")} - SERIAL
    faults = compare("cl/README.md", files, listed((root / "README.md").read_text(encoding="utf-8")))
    faults += compare("dump_specs", kernels, dumped(sys.argv[2]))
    print("\n".join(map(str, faults)) or f"{len(files)} files")
    return bool(faults)


sys.exit(main())
