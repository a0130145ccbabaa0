# SPDX-License-Identifier: BSD-3-Clause
"""What tests need of Markdown pages: blocks of code with their marks, headings,
links."""
import collections
import re

FENCE = re.compile(r"^```([\w+]*)$")
MARK = re.compile(r"^<!-- (.*) -->$")

# lines: those between the fences; line: the number of the opening fence; marks:
# the comments right above it
Block = collections.namedtuple("Block", "language lines line marks")


def split(path):
    """The blocks of a page, and its other lines with their numbers."""
    blocks, others, marks, block = [], [], (), None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        fence = FENCE.match(line)
        if block is not None:
            if line == "```":
                blocks.append(block)
                block, marks = None, ()
            else:
                block.lines.append(line)
        elif fence:
            block = Block(fence[1], [], number, marks)
        elif line.startswith("```"):
            raise SystemExit(f"{path}:{number}: a fence is ``` and one word")
        else:
            mark = MARK.match(line)
            marks = (*marks, mark[1]) if mark else ()
            others.append((number, line))
    if block is not None:
        raise SystemExit(f"{path}:{block.line}: the block has no end")
    return blocks, others


def headings(others):
    for _, line in others:
        heading = re.match(r"^#{1,6} +(.*?) *$", line)
        if heading:
            yield re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading[1])


def anchors(others):
    """Those that GitHub and Python-Markdown both give."""
    github, markdown = {}, {}
    both = set()
    for text in headings(others):
        one = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        two = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())
        if one == two and one not in github and two not in markdown:
            both.add(one)
        github[one] = markdown[two] = True
    return both


def links(others):
    """Targets of links and pictures outside code, with line numbers."""
    for number, line in others:
        plain = re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line)
        for target in re.findall(r"\]\(([^()\s]+)\)", plain):
            yield number, target
