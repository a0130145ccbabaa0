#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every relative link of the documents leads to a file, and to a heading if it
names one; every page of docs/ is linked from docs/index.md and listed in
docs/mkdocs.yml and docs/meson.build; every function, type and constant that a
page names is in a header or a source; the README is short.
usage: links.py SOURCE_ROOT"""
import pathlib
import re
import sys

import pages

LONGEST_README = 149


def faults_of(root, page, found):
    for number, target in pages.links(found[page]):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        where = f"{page.relative_to(root)}:{number}: {target}"
        if not file.is_file() or root not in file.parents:
            yield f"{where}: no such file"
        elif anchor and anchor not in pages.anchors(found.get(file) or pages.split(file)[1]):
            yield f"{where}: no such heading, or one whose anchor depends on the program"


def unlisted(root, documents, found):
    index = root / "docs/index.md"
    linked = {(index.parent / target.partition("#")[0]).resolve()
              for _, target in pages.links(found[index])}
    listed = (root / "docs/mkdocs.yml").read_text(encoding="utf-8")
    built = (root / "docs/meson.build").read_text(encoding="utf-8")
    for page in documents:
        if page != index and page not in linked:
            yield f"docs/index.md has no link to {page.name}"
        if f" docs/{page.name}\n" not in listed:
            yield f"docs/mkdocs.yml does not list {page.name}"
        if f"'{page.name}'" not in built:
            yield f"docs/meson.build does not list {page.name}"


def unknown_names(root, page_list):
    """Names with lcl_ or LCL_ on pages for users that no source has; NEWS has
    old ones."""
    files = (file for folder in ("include", "host", "lib", "cl", "tools", "tests")
             for file in (root / folder).rglob("*") if file.suffix in (".c", ".h", ".cl", ".f90", ".hpp"))
    known = set()
    for file in files:
        known.update(re.findall(r"\blcl_\w+|\bLCL_\w+", file.read_text(encoding="utf-8")))
    for page in page_list:
        for name in set(re.findall(r"\b(?:lcl|LCL)_\w+", page.read_text(encoding="utf-8"))):
            if name not in known and not name.endswith("_"):
                yield f"{page.relative_to(root)}: no source has {name}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    documents = sorted((root / "docs").glob("*.md"))
    found = {page: pages.split(page)[1]
             for page in [*sorted(root.glob("*.md")), root / "cl/README.md", *documents]}
    faults = [fault for page in found for fault in faults_of(root, page, found)]
    faults += unlisted(root, documents, found)
    faults += unknown_names(root, [root / "README.md", *documents])
    length = len((root / "README.md").read_text(encoding="utf-8").split("\n")) - 1
    if length > LONGEST_README:
        faults.append(f"README.md has {length} lines, more than {LONGEST_README}")
    count = sum(1 for others in found.values() for _ in pages.links(others))
    print("\n".join(faults) or f"{count} links of {len(found)} pages")
    return bool(faults) or count == 0


sys.exit(main())
