"""The binary interface of the runtime and the loader, as data.

  abi.py layout RECORD CC INCLUDE   compares structures with the record
  abi.py symbols LIBRARY READELF SYMBOLS NEEDED [--may-have-more]
  abi.py stub SYMBOLS NODE CC OUT   makes a library with those symbols alone
  abi.py write RECORD CC INCLUDE    writes the record of the headers

`layout` finds the offset of every recorded field and the size of every
structure with the C compiler. A structure that begins with `struct_size` may
have grown, others must not. `stub` is the library of the release that was
recorded, to link a program against: it has nothing that came later.
"""

import os
import re
import subprocess
import sys

HEADERS = [
    "coil-c/Program.h", "coil-c/Coil.h", "coil/Runtime/CUDA.h", "coil/Runtime/Collectives.h", "coil/Runtime/Functions.h",
    "coil/Runtime/HostABI.h", "coil/Runtime/Library.h", "coil/Runtime/Objects.h", "coil/Runtime/RunContext.h",
    "coil/Runtime/Runtime.h"
]
SOURCE = "".join(f'#include "{header}"\n' for header in HEADERS) + "#include <stddef.h>\n#include <stdio.h>\n"


def find_structures(include):
    """The structures of the headers with their fields, as (name, [field])."""
    for header in HEADERS:
        text = open(os.path.join(include, header)).read()
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
        text = re.sub(r"union \{[^{}]*\} (\w+);", r"int \1;", text)  # By the name of the whole.
        for body, name in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, flags=re.S):
            fields = []
            for declaration in body.split(";"):
                function = re.search(r"\(\*(\w+)\)\s*\(", declaration)
                if function:
                    fields.append(function.group(1))
                elif declaration.strip():
                    fields += re.findall(r"(\w+)(?:\[\w+\])*\s*(?:,|$)", declaration.strip())
            yield name, fields


def measure(structures, compiler, include):
    """The lines of a record: what the compiler says of the structures."""
    body = ""
    for name, fields in structures:
        body += f'printf("{name} size %zu\\n", sizeof({name}));\n'
        for field in fields:
            body += f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));\n'
    program = SOURCE + "int main(void) {\n" + body + "return 0;\n}\n"
    file = f"/tmp/coil-abi-{os.getpid()}"
    try:
        subprocess.run([compiler, "-x", "c", "-", "-I", include, "-o", file], input=program, text=True, check=True)
        return subprocess.run([file], capture_output=True, text=True, check=True).stdout
    finally:
        if os.path.exists(file):
            os.unlink(file)


def compare_layout(record, compiler, include):
    recorded = open(record).read().splitlines()
    structures = {}
    for line in recorded:
        name = line.split()[0]
        if "." in name:
            structures[name.split(".")[0]].append(name.split(".")[1])
        else:
            structures[name] = []
    now = dict(line.rsplit(" ", 1) for line in measure(structures.items(), compiler, include).splitlines())
    wrong = 0
    for line in recorded:
        key, value = line.rsplit(" ", 1)
        may_grow = key.endswith(" size") and key.split()[0] + ".struct_size 0" in recorded
        if not (int(now[key]) >= int(value) if may_grow else now[key] == value):
            print(f"{key}: the record has {value}, the headers {now[key]}")
            wrong += 1
    print(f"{len(structures)} structures compared, {wrong} differences")
    return wrong != 0


def compare_symbols(library, readelf, symbols, needed, may_have_more):
    text = subprocess.run([readelf, "--dyn-syms", "-W", library], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in text.splitlines():
        parts = line.split()
        if len(parts) < 8 or not parts[0].endswith(":") or parts[6] == "UND" or parts[4] == "LOCAL":
            continue
        name, _, version = parts[7].partition("@@")
        if parts[3] == "OBJECT" and parts[6] == "ABS":
            continue  # The name of a version.
        found.add(f"{name} {version}")
    recorded = set(open(symbols).read().splitlines())
    for what, names in [("missing", recorded - found), ("not recorded", set() if may_have_more else found - recorded),
                        ("not of the C interface", {name for name in found if not name.startswith("coil_")})]:
        for name in sorted(names):
            print(f"{what}: {name}")
    text = subprocess.run([readelf, "-d", library], capture_output=True, text=True, check=True).stdout
    libraries = sorted(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
    print(f"{len(recorded)} symbols are promised")
    if libraries != open(needed).read().split():
        print("needs:", *libraries)
    else:
        print("needs what it is to need")


def make_stub(symbols, node, compiler, out):
    names = [line.split()[0] for line in open(symbols).read().splitlines() if line.endswith(" " + node)]
    script = out + ".map"
    with open(script, "w") as file:
        file.write(f"{node} {{ global: {' '.join(name + ';' for name in names)} local: *; }};\n")
    source = "".join(f"void {name}(void) {{}}\n" for name in names)
    subprocess.run(
        [compiler, "-x", "c", "-", "-shared", "-fPIC", f"-Wl,--version-script={script}", "-Wl,-soname",
         "-Wl," + os.path.basename(out), "-o", out],
        input=source, text=True, check=True)


def main():
    command, *arguments = sys.argv[1:]
    if command == "layout":
        return compare_layout(*arguments)
    if command == "symbols":
        more = "--may-have-more" in arguments
        compare_symbols(*[each for each in arguments if not each.startswith("--")], may_have_more=more)
        return 0
    if command == "stub":
        make_stub(*arguments)
        return 0
    record, compiler, include = arguments
    with open(record, "w") as file:
        file.write(measure(find_structures(include), compiler, include))
    return 0


if __name__ == "__main__":
    sys.exit(main())
