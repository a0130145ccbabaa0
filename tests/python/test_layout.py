# SPDX-License-Identifier: BSD-3-Clause
"""The structs, constants and functions of levelcl.py are those of the headers,
as a C compiler sees them. usage: test_layout.py INCLUDE_DIR COMPILER..."""
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import levelcl  # skips the test where it cannot run

CONSTANTS = {
    "LCL_LOG_ERROR": 1, "LCL_LOG_TRACE": 5,
    "LCL_AMG_LEVELS": levelcl.AMG_LEVELS,
    "LCL_BLOCK_MAX": levelcl.BLOCK_MAX,
    **{f"LCL_{prefix}_{name.upper()}": value
       for prefix, names in (("LAYOUT", levelcl.Layout._arrays),
                             ("TRIANGLE", levelcl.Layout._triangles),
                             ("BLOCK_BY", levelcl.Layout._orders))
       for value, name in enumerate(names)},
    "LCL_PARTITION_LABELS": levelcl._PARTITION_LABELS,
    "LCL_SOVERSION": int(levelcl._SONAME.rsplit(".", 1)[1]),
    **{f"LCL_{status.name}": int(status) for status in levelcl.Status}}


def expected():
    """Yields (C expression, its value according to levelcl.py)."""
    for struct in levelcl._Struct.__subclasses__():
        c_name = f"struct {struct.__name__}"
        yield f"sizeof({c_name})", ctypes.sizeof(struct)
        for name, *_ in struct._fields_:
            field = getattr(struct, name)
            yield f"offsetof({c_name}, {name})", field.offset
            yield f"sizeof((({c_name} *)0)->{name})", field.size
    yield from CONSTANTS.items()


def bodies(include):
    """The text between the braces of each struct and enum, by its name."""
    text = "".join(path.read_text(encoding="ascii") for path in
                   sorted(pathlib.Path(include).glob("levelcl/*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return dict(re.findall(r"^(?:struct|enum) (\w+) \{\n(.*?)^\};", text,
                           flags=re.DOTALL | re.MULTILINE))


def members(body):
    """The names that the declarations of a struct declare, in order."""
    for declaration in body.split(";"):
        for part in re.sub(r"\)\(.*", "", declaration, flags=re.DOTALL
                           ).split(","):
            yield from re.findall(r"(\w+)(?:\[\w+\])*\s*$", part)


def program(expressions):
    calls = (f"    lcl_{name}({', '.join('0' for _ in arguments)});"
             for name, (_, *arguments) in levelcl._PROTOTYPES.items())
    prints = (f'    printf("%lld\\n", (long long)({expression}));'
              for expression in expressions)
    return "\n".join([
        "#include <levelcl/levelcl.h>", "#include <stdio.h>",
        "void calls(void);", "void calls(void)", "{", *calls, "}",
        "int main(void)", "{", *prints, "    return 0;", "}", ""])


def compiled(source, include, compiler):
    """The numbers that a program prints, of which only main() is linked."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "layout.c"
        path.write_text(source, encoding="ascii")
        subprocess.run([*compiler, "-w", f"-I{include}", "-fsyntax-only", path],
                       check=True)
        path.write_text(source.replace("    lcl_", "    //"), encoding="ascii")
        subprocess.run([*compiler, "-w", f"-I{include}", path, "-o",
                        path.with_suffix("")], check=True)
        shown = subprocess.run([path.with_suffix("")], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
    return [int(line) for line in shown.split()]


class Layout(unittest.TestCase):
    def test_layout__is_that_of_the_headers(self):
        wanted = dict(expected())
        found = compiled(program(wanted), sys.argv[1], sys.argv[2:])
        self.assertEqual(dict(zip(wanted, found)), wanted)
        self.assertGreater(len(wanted), 200)

    def test_layout__has_all_members(self):
        found = bodies(sys.argv[1])
        for struct in levelcl._Struct.__subclasses__():
            with self.subTest(struct.__name__):
                self.assertEqual([name for name, *_ in struct._fields_],
                                 list(members(found[struct.__name__])))
        self.assertEqual([status.name for status in levelcl.Status], re.findall(
            r"^ *LCL_(\w+)", found["lcl_status"], flags=re.MULTILINE))


unittest.main(argv=sys.argv[:1])
