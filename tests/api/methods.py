#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the methods of auto and of chains, as documents list them, with the
tables of the code, and looks for places that do not know a Krylov method: the
public header, the manual page, the news, the tests of its kernels.
usage: methods.py SOURCE_ROOT PRINT_METHODS"""
import difflib
import pathlib
import re
import subprocess
import sys


def plain(text):
    """Without markup, in lower case."""
    text = re.sub(r"^\.Cm ", "", text, flags=re.MULTILINE)
    return " ".join(text.replace("`", "").replace("*", "").split()).lower().replace(" ,", ",")


def between(text, begin, end):
    return text.split(begin, 1)[1].split(end, 1)[0]


def manual(text, before):
    """Items of the list after a line."""
    return [plain(item) for item in between(between(text, before, ".El"), ".It\n", "\0").split(".It\n")]


def header(text, before):
    """Paragraphs of a comment with a hanging indentation of two."""
    block = between(text, before, "\n *\n").lstrip("\n")
    return [plain(item) for item in re.split(r"^ \*   (?! )", block, flags=re.MULTILINE)[1:]]


def krylov_faults(root, program, page):
    """What of the table of Krylov methods other files lack."""
    methods = [line.split() for line in plain_lines(program, "krylov", keep=True)]
    names = [method[0] for method in methods]
    section = between(page, ".It Fl -solver Cm ", "\n.It Fl ")
    choices, text = section.split("\n", 1)
    about = text[text.index("\nThe methods:\n"):]
    headers = "".join((root / "include/levelcl" / name).read_text(encoding="utf-8")
                      for name in ("solver.h", "published.h"))
    news = (root / "NEWS.md").read_text(encoding="utf-8")
    tests = "".join(path.read_text(encoding="utf-8") for path in (root / "tests/kernel").glob("*.c"))
    faults = [] if choices.split(" | ") == ["auto", *names] else [f"clsolve.1: --solver {choices}"]
    for name, constant, source, *kernels in methods:
        if f"\n.It Cm {name}\n" not in about:
            faults.append(f"clsolve.1, --solver: nothing about {name}")
        if not re.search(rf"\b{constant}\b", headers):
            faults.append(f"solver.h, published.h: no {constant}")
        if not re.search(rf"\b({constant}|{name})\b", news, flags=re.IGNORECASE):
            faults.append(f"NEWS.md: neither {constant} nor {name}")
        faults += [f"tests/kernel: no test of {kernel} of {source}" for kernel in kernels if f'"{kernel}"' not in tests]
    return faults


def numbered(text, before):
    """Items of a numbered list of Markdown."""
    block = between(text, before, "\n\n")
    return [plain(item) for item in block.split("\n1. ")]


def main():
    root, program = map(pathlib.Path, sys.argv[1:3])
    table = {kind: plain_lines(program, kind) for kind in ("rules", "later")}
    page = (root / "tools/clsolve/clsolve.1").read_text(encoding="utf-8")
    methods = (root / "docs/methods.md").read_text(encoding="utf-8")
    comment = (root / "include/levelcl/chain.h").read_text(encoding="utf-8")
    lists = [
        ("clsolve.1, rules", table["rules"], manual(page, "The first rule that holds decides:\n")),
        ("clsolve.1, later", table["later"], manual(page, "those of these that apply, in this order:\n")),
        ("chain.h, rules", table["rules"], header(comment, "the first rule that holds decides on M:\n")),
        ("chain.h, later", table["later"], header(comment, "those of these that apply, in this order:\n")),
        ("docs/methods.md, rules", table["rules"], numbered(methods, "`jacobi` or `none`, else `bicgstab`.\n\n1. ")),
        ("docs/methods.md, later", table["later"], numbered(methods, "of these that apply, in this order:\n\n1. ")),
    ]
    faults = [line for name, code, document in lists
              for line in difflib.unified_diff(code, document, "code", name, lineterm="")]
    faults += krylov_faults(root, program, page)
    print("\n".join(faults) or f"{len(table['rules'])} rules, {len(table['later'])} later methods")
    return bool(faults)


def plain_lines(program, kind, keep=False):
    output = subprocess.run([program, kind], check=True, capture_output=True, text=True).stdout
    return [line if keep else plain(line) for line in output.strip().split("\n")]


sys.exit(main())
