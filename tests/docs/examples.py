#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of the documents as they are written: lines of blocks `sh`
and `console` that begin with clsolve or levelbench, and programs that are marked
as complete. Each page has a folder of its own, empty at first, in which its
blocks run in turn. Of a sample of output the words at the beginning of lines
have to be in the output, and of a program's all but the numbers. Options that a
page names exist.

A comment above a block says what is special about it:
  <!-- not run: REASON -->    for blocks of commands
  <!-- exit N -->             its commands end with this status
  <!-- complete: FILE -->     a program in C, C++ or Python, saved as FILE
  <!-- prints -->             a block `text`: the output of the program before it
usage: examples.py SOURCE_ROOT BUILD_ROOT LIBRARY CC CXX PAGE ..."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import pages

COMMAND = re.compile(r"^(clsolve|levelbench)\b")
SECONDS = 300
# of other programs: Conan, Meson, pip, pkg-config, Python, vcpkg
OTHERS = {"--build", "--cflags", "--libs", "--no-build-isolation", "--overlay-ports", "--prefix",
          "--system-site-packages", "--variable"}


class Fault(Exception):
    pass


def words(lines):
    """The words in the first column of a report."""
    found = (re.match(r"([a-z]+(?: [a-z]+)?)(?:  |: )", line) for line in lines)
    return {word[1] for word in found if word}


def without_numbers(lines):
    """Lines in which every number is the same."""
    text = "\n".join(line.rstrip() for line in lines).strip()
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "0", text)


class Runner:
    def __init__(self, root, build, library, compilers):
        self.include, self.library = root / "include", pathlib.Path(library).resolve()
        self.compilers = {"c": compilers[0], "cpp": compilers[1]}
        self.count, self.skipped, self.printed = 0, [], None
        self.env = dict(
            os.environ, LEVELCL_LIBRARY=str(self.library),
            PATH=f"{build / 'tools'}:{os.environ['PATH']}",
            PYTHONPATH=str(root / "tools/python"), PYTHONDONTWRITEBYTECODE="1")

    def run(self, command, folder, status=0):
        """The lines that a command prints."""
        said = subprocess.run(command, cwd=folder, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              shell=isinstance(command, str), timeout=SECONDS, check=False)
        self.count += 1
        if said.returncode != status:
            raise Fault(f"{command}: exit status {said.returncode}, not {status}\n{said.stdout}")
        return said.stdout.split("\n")

    def commands(self, block, folder):
        marks = dict(mark.partition(" ")[::2] for mark in block.marks)
        if any(mark.startswith("not run: ") for mark in block.marks):
            return
        prompt = "$ " if block.language == "console" else ""
        said, sample = [], []
        for line in block.lines:
            if not line.startswith(prompt):
                sample.append(line)
            elif COMMAND.match(line[len(prompt):]):
                said += self.run(line[len(prompt):], folder, int(marks.get("exit", 0)))
            elif prompt:
                raise Fault(f"{line}: not run, and without a reason")
        if prompt and not words(sample) <= words(said):
            raise Fault(f"no output has: {', '.join(words(sample) - words(said))}")

    def compiled(self, name, language, folder):
        compiler = shlex.split(self.compilers[language])
        standard = "-std=c11" if language == "c" else "-std=c++17"
        self.run([*compiler, standard, "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror", name,
                  "-o", "program", f"-I{self.include}", str(self.library), "-lm",
                  f"-Wl,-rpath,{self.library.parent}"], folder)
        return ["./program"]

    def program(self, block, name, folder):
        (folder / name).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        self.printed = None
        if block.language == "python":
            if subprocess.run([sys.executable, "-c", "import numpy, scipy"],
                              stderr=subprocess.DEVNULL, check=False).returncode:
                self.skipped.append(name)
                return
            command = [sys.executable, name]
        elif block.language == "cpp" and not self.compilers["cpp"]:
            self.skipped.append(name)
            return
        else:
            command = self.compiled(name, block.language, folder)
        self.printed = self.run(command, folder)

    def block(self, block, folder):
        complete = [mark.partition(": ")[2] for mark in block.marks if mark.startswith("complete: ")]
        if complete:
            self.program(block, complete[0], folder)
        elif "prints" in block.marks:
            if self.printed is not None and \
                    without_numbers(self.printed) != without_numbers(block.lines):
                raise Fault("the program printed:\n" + "\n".join(self.printed))
        elif block.language in ("sh", "console"):
            self.commands(block, folder)

    def page(self, page):
        with tempfile.TemporaryDirectory() as folder:
            for block in pages.split(page)[0]:
                try:
                    self.block(block, pathlib.Path(folder))
                except (Fault, subprocess.TimeoutExpired) as fault:
                    print(f"{page}:{block.line}: {fault}")
                    return False
        return True


def unknown_options(build, files):
    known = set(OTHERS)
    for name in ("clsolve", "levelbench"):
        said = subprocess.run([build / "tools" / name, "--help"], stdout=subprocess.PIPE,
                              text=True, check=True).stdout
        known.update(re.findall(r"--[a-z0-9][a-z0-9-]*", said))
    for file in files:
        text = file.read_text(encoding="utf-8")
        # the page about tests has the options of Meson
        if file.name != "debugging.md":
            for name in set(re.findall(r"(?<![\w-])--[a-z0-9][a-z0-9-]+", text)) - known:
                yield f"{file}: no program has {name}"


def main():
    root, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    runner = Runner(root, build, sys.argv[3], sys.argv[4:6])
    if subprocess.run([build / "tools/clsolve", "devices", "-q"], stdout=subprocess.DEVNULL,
                      check=False).returncode:
        return 77
    files = [pathlib.Path(page) for page in sys.argv[6:]]
    unknown = list(unknown_options(build, files))
    print("\n".join(unknown), end="\n" if unknown else "")
    good = [runner.page(file) for file in files]
    print(f"{runner.count} commands; skipped: {' '.join(runner.skipped) or 'none'}")
    return bool(unknown) or not all(good) or runner.count == 0


sys.exit(main())
