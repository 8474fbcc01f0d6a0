#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Makes a failing program small: fewer results, statements, inputs, and smaller sizes."""

import copy
import re

import programs
from programs import NAME, definition

TRIES = 250


class Reducer:
    """`fails` says whether a program still fails in the same way."""

    def __init__(self, form, fails):
        self.form, self.fails, self.tries = form, fails, 0

    def attempt(self, form):
        if self.tries >= TRIES:
            return False
        form = drop_unused(form)
        if form == self.form or not form["results"]:
            return False
        self.tries += 1
        if self.fails(form):
            self.form = form
            return True
        return False

    def reduce(self):
        self.form = drop_unused(self.form)
        before = None
        while before != self.form and self.tries < TRIES:
            before = copy.deepcopy(self.form)
            self.reduce_results()
            self.cut_statements()
            self.simplify_inputs()
        return self.form

    def reduce_results(self):
        for name in list(self.form["results"]):
            if len(self.form["results"]) > 1 and self.attempt({**self.form, "results": [name]}):
                return
        for name in list(self.form["results"]):
            rest = [n for n in self.form["results"] if n != name]
            if rest:
                self.attempt({**self.form, "results": rest})
        # What is computed earlier may fail already.
        if len(self.form["results"]) == 1:
            for statement in list(self.form["statements"]):
                for name in NAME.findall(definition(statement)):
                    if name not in self.form["results"] and self.attempt({**self.form, "results": [name]}):
                        return

    def cut_statements(self):
        """Leaves statements out, or has inputs in place of what they define."""
        count = len(self.form["statements"])
        for size in (max(count // 2, 1), max(count // 4, 1), 1):
            i = 0
            while i < len(self.form["statements"]):
                if not (self.attempt(self.without(i, size, False)) or self.attempt(self.without(i, size, True))):
                    i += size

    def without(self, first, size, replace):
        form = copy.deepcopy(self.form)
        gone = form["statements"][first:first + size]
        del form["statements"][first:first + size]
        names = [n for s in gone for n in NAME.findall(definition(s))]
        if replace:
            program = programs.Program.load(self.form)
            try:
                program.start()
            except Exception:  # pylint: disable=broad-except
                return form
            for name in names:
                t = program.values[name]
                kind = ", 'special'" if t.is_floating_point() and not bool(t.isfinite().all()) else ""
                form["inputs"].append([name, f"data({tuple(t.shape)}, {t.dtype}, 1{kind}, device=DEVICE)", False])
        form["results"] = [n for n in form["results"] if replace or n not in names]
        return form

    def simplify_inputs(self):
        for i in range(len(self.form["inputs"])):
            for change in (as_user, without_layout, without_kind, *(smaller(d, s) for d in range(4) for s in (1, 2))):
                if i < len(self.form["inputs"]):
                    form = copy.deepcopy(self.form)
                    form["inputs"][i] = change(form["inputs"][i])
                    self.attempt(form)


def as_user(entry):
    return [entry[0], entry[1], False]


def without_layout(entry):
    match = re.match(r"(data\(.*DEVICE\))[.\[].*", entry[1])
    return [entry[0], match.group(1), entry[2]] if match else entry


def without_kind(entry):
    return [entry[0], entry[1].replace(", 'special'", "").replace(", 'unit'", ""), entry[2]]


def smaller(dim, size):
    def change(entry):
        match = re.match(r"data\(\(([\d, ]*)\), ", entry[1])
        sizes = [int(s) for s in match.group(1).split(",") if s.strip()] if match else []
        if dim >= len(sizes) or sizes[dim] <= size:
            return entry
        sizes[dim] = size
        return [entry[0], f"data({tuple(sizes)}, " + entry[1][match.end():], entry[2]]
    return change


def drop_unused(form):
    """Without statements that define what nobody reads, and inputs likewise. Statements that write
    in place stay."""
    form = copy.deepcopy(form)
    while True:
        read = set(form["results"])
        for s in form["statements"]:
            read.update(NAME.findall(s[len(definition(s)):]))
        kept = [s for s in form["statements"]
                if not definition(s) or read & set(NAME.findall(definition(s))) or re.search(r"_\.|_\(|out=|_out", s)]
        if len(kept) == len(form["statements"]):
            break
        form["statements"] = kept
    # Writes to what nobody else reads.
    form["inputs"] = [list(i) for i in form["inputs"] if i[0] in read]
    return form
