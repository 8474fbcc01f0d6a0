"""Makes bad packages of a good one and prints what the tools say of each."""
import json
import os
import random
import sys
import zipfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))

import tools

good, folder, package_tool, run_tool = sys.argv[1:]
data = open(good, "rb").read()
bad = os.path.join(folder, "bad.coilpkg")


def ask(*command):
    return tools.run(command, timeout=60)


def attempt(what, content=None):
    """What running says, which loads all; checking must not crash either."""
    if content is not None:
        with open(bad, "wb") as file:
            file.write(content)
    checked = ask(package_tool, "verify", bad)
    assert checked.returncode in (0, 3), (what, checked)
    ran = ask(run_tool, bad, "--random-inputs")
    assert ran.returncode in (0, 3), (what, ran)
    text = ran.stderr.strip().splitlines()
    line = text[0].split("error: ", 1)[-1] if text else "no message"
    print(f"{what}: {ran.returncode} {line}")


def rewrite(what, change=None, manifest=None, drop=None, add=None):
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(bad, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == drop:
                continue
            if name == "manifest.json":
                if change:
                    value = json.loads(text)
                    change(value)
                    text = json.dumps(value).encode()
                text = manifest if manifest is not None else text
            new.writestr(name, text)
        if add:
            new.writestr(add, b"more")
    attempt(what)


def put(*path):
    *way, last, value = path

    def change(manifest):
        for key in way:
            manifest = manifest[key]
        manifest[last] = value

    return change


def symbolic(manifest):
    return manifest["main"]["signature"]["inputs"][-1]["sizes"]


attempt("cut to 0 bytes", b"")
attempt("cut to 1000 bytes", data[:1000])
with zipfile.ZipFile(bad, "w") as new:
    new.writestr("hello.txt", b"hello")
attempt("foreign")
rewrite("another binary interface", put("abi", 9))
rewrite("another format", put("format", 7))
rewrite("a processor's feature", put("main", "features", "+no-such-feature"))
rewrite("another triple", put("main", "triple", "riscv64-unknown-linux-gnu"))
size = {"text": "s9", "symbol": 9, "scale": 1, "offset": 0}
rewrite("a symbol that there is none of", lambda m: symbolic(m).__setitem__(0, size))
code = {"text": "s9", "code": [[0, 1], [7, 5]]}
rewrite("code of a size", lambda m: symbolic(m).__setitem__(0, code))
rewrite("sizes of a weight", lambda m: m["weights"][0]["sizes"].append(2))
rewrite("another weight", put("weights", 0, "name", "c1.other"))
rewrite("no such function", put("main", "entry", "coil_other"))
rewrite("fewer outputs", put("main", "signature", "outputs", []))
zero = {"text": "s0", "symbol": 0, "scale": 0, "offset": 0}
rewrite("a scale of zero", lambda m: symbolic(m).__setitem__(0, zero))
rewrite("an empty range of a symbol", put("main", "signature", "symbols", 0, "min", 2**62))
def variant(change):
    """A second variant: the first, changed."""

    def add(manifest):
        other = {key: json.loads(json.dumps(manifest[key]))
                 for key in ("main", "seal", "kernels_before_fusion", "launches", "library_calls")}
        change(other)
        manifest["others"] = [other]

    return add


rewrite("a variant of another program", variant(
    lambda m: symbolic(m).__setitem__(0, 7)))
rewrite("a variant without code", variant(lambda m: m.pop("main")))
rewrite("a record more", add="objects/more")
rewrite("a record less", drop="weights/0")
rewrite("no list", put("weights", 7))
rewrite("no JSON", manifest=b"{")
rewrite("deep JSON", manifest=b"[" * 100000)

with zipfile.ZipFile(good) as file:
    records = []
    for info in file.infolist():
        head = info.header_offset
        begin = head + 30 + sum(int.from_bytes(data[head + at : head + at + 2], "little") for at in (26, 28))
        records.append((begin, begin + info.file_size))
random.seed(1)
for _ in range(400):
    at = random.randrange(len(data))
    content = bytearray(data)
    content[at] ^= 1 << random.randrange(8)
    with open(bad, "wb") as file:
        file.write(content)
    result = ask(package_tool, "verify", bad)
    assert result.returncode in (0, 3), (at, result)
    if any(begin <= at < end for begin, end in records):
        assert result.returncode == 3, (at, result)
print("400 flipped bits: all in records found, nothing crashed")
