# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes .pt2 archives without PyTorch, for tests that tamper with them.

As a program it writes a variant of a model:

    pt2.py in.pt2 out.pt2 edit...

where an edit is one of

    json:RECORD:PATH=VALUE   set what lies at PATH (keys and indices with '/')
                             in a JSON record to the JSON value VALUE
    insert:RECORD:PATH=VALUE insert VALUE into a list, in front of PATH
    del:RECORD:PATH          delete what lies at PATH
    text:RECORD:FROM=>TO     replace the first FROM in a record by TO
    set:RECORD=TEXT          replace a record's bytes; makes it if absent
    drop:RECORD              remove a record
    rename:RECORD=NAME       rename a record (NAME without the root folder)
    cut:BYTES                keep only the first BYTES bytes of the file
"""

import json
import struct
import sys
import zipfile
import zlib


def read(path):
    """The records of an archive as a list of (name, bytes)."""
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def write(records):
    """An archive the way PyTorch writes it: stored, aligned, with descriptors."""
    out = bytearray()
    central = bytearray()
    for name, data in records:
        encoded = name.encode() if isinstance(name, str) else name
        crc = zlib.crc32(data)
        offset = len(out)
        fill = -(offset + 30 + len(encoded) + 4) % 64
        out += struct.pack("<IHHHIIIIHH", 0x04034B50, 0, 0x0808, 0, 0, 0, 0, 0,
                           len(encoded), 4 + fill)
        out += encoded + b"FB" + struct.pack("<H", fill) + b"Z" * fill + data
        out += struct.pack("<IIII", 0x08074B50, crc, len(data), len(data))
        central += struct.pack("<IHHHHIIIIHHHHHII", 0x02014B50, 0, 0, 0x0808, 0, 0, crc,
                               len(data), len(data), len(encoded), 0, 0, 0, 0, 0, offset)
        central += encoded
    start, count = len(out), len(records)
    out += central
    end = len(out)
    out += struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count,
                       len(central), start)
    out += struct.pack("<IIQI", 0x07064B50, 0, end, 1)
    short = min(count, 0xFFFF)
    out += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, short, short, len(central), start, 0)
    return bytes(out)


def locate(value, path):
    """The container and key that PATH leads to."""
    *parents, last = path.split("/")
    for key in parents:
        value = value[int(key) if isinstance(value, list) else key]
    return value, int(last) if isinstance(value, list) else last


def edit(records, text):
    root = records[0][0].split("/")[0]
    kind, _, rest = text.partition(":")
    names = [name for name, _ in records]

    def index_of(record):
        return names.index(f"{root}/{record}")

    if kind in ("json", "insert", "del"):
        record, _, rest = rest.partition(":")
        at = index_of(record)
        document = json.loads(records[at][1])
        path, _, value = rest.partition("=")
        container, key = locate(document, path)
        if kind == "del":
            del container[key]
        elif kind == "insert":
            container.insert(key, json.loads(value))
        else:
            container[key] = json.loads(value)
        records[at] = (names[at], json.dumps(document).encode())
    elif kind == "text":
        record, _, rest = rest.partition(":")
        at = index_of(record)
        old, _, new = rest.partition("=>")
        assert old.encode() in records[at][1], f"{old!r} is not in {record}"
        records[at] = (names[at], records[at][1].replace(old.encode(), new.encode(), 1))
    elif kind == "set":
        record, _, new = rest.partition("=")
        name = f"{root}/{record}"
        if name in names:
            records[names.index(name)] = (name, new.encode())
        else:
            records.append((name, new.encode()))
    elif kind == "drop":
        del records[index_of(rest)]
    elif kind == "rename":
        record, _, new = rest.partition("=")
        at = index_of(record)
        records[at] = (f"{root}/{new}", records[at][1])
    else:
        raise ValueError(f"unknown edit {text!r}")


def main():
    source, target, *edits = sys.argv[1:]
    records = read(source)
    size = None
    for text in edits:
        if text.startswith("cut:"):
            size = int(text[4:])
        else:
            edit(records, text)
    with open(target, "wb") as file:
        file.write(write(records)[:size])


if __name__ == "__main__":
    main()
