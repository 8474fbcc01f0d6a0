# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the fenced shell blocks of Markdown pages, and compares what they print.

    run_blocks.py --root=SOURCES --build=BUILD [--have=torch,...] [--python=PYTHON]
                  [--out=DIR] [--jobs=N] PAGE-OR-FOLDER...

Each page has a directory of its own that looks like the root of the sources (links),
with `build` in it and the tools on the path. Blocks run there in order, by bash, in
one environment for each page:

* ```sh is a script, which has to succeed.
* ```console holds commands after `$ `, which may go on in lines after a backslash,
  each followed by what it prints (both streams). `...` in the text shown stands for any
  text of a line, and a line of `...` for any lines. A block without text shown for a
  command compares nothing.
* ```LANG file=NAME, of any language, is written to that file.

Words after the language say what a block needs: `requires=torch,cuda`. A block is
skipped where one of these is not given by --have. `status=N` is the exit status of a
block's last command. A comment `<!-- setup: COMMAND -->` runs a command that the page
does not show.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

# What a block may require. The first three are features of a machine; 'network' fetches from elsewhere, 'install'
# changes the machine, 'long' takes minutes, 'display' opens a window.
KNOWN = {"torch", "cuda", "onednn", "ptxas", "mkdocs", "network", "install", "long", "display"}
LANGUAGES = {"sh", "console"}
BLOCK = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]+)\n(?P<body>.*?)^(?P=indent)```\s*$|<!-- setup: (?P<setup>.*?) -->",
                   re.M | re.S)


class Failure(Exception):
    pass


def parse_info(info: str) -> tuple[str, dict[str, str]]:
    language, *words = info.split()
    options = {}
    for word in words:
        name, separator, value = word.partition("=")
        if not separator or name not in ("requires", "file", "status"):
            raise Failure(f"'{word}' of '```{info}' is none of requires=, file=, status=")
        options[name] = value
    return language, options


def commands(body: str) -> list[tuple[str, list[str]]]:
    """Commands of a console block, each with the lines that it should print."""
    result: list[tuple[str, list[str]]] = []
    more = False
    for line in body.splitlines():
        if more:
            command, shown = result[-1]
            result[-1] = (command + "\n" + line, shown)
        elif line.startswith("$ "):
            result.append((line[2:], []))
        elif not result:
            raise Failure("a console block begins with a command after '$ '")
        else:
            result[-1][1].append(line.rstrip())
            continue
        more = line.endswith("\\")
    return result


def line_matches(shown: str, line: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in shown.split("..."))
    return re.fullmatch(pattern, line) is not None


def lines_match(shown: list[str], lines: list[str]) -> bool:
    if not shown:
        return not lines
    if shown[0].strip() == "...":
        return any(lines_match(shown[1:], lines[n:]) for n in range(len(lines) + 1))
    return bool(lines) and line_matches(shown[0], lines[0]) and lines_match(shown[1:], lines[1:])


class Page:
    def __init__(self, args: argparse.Namespace, path: pathlib.Path):
        self.args, self.path = args, path
        self.name = str(path.relative_to(args.root))
        self.directory = args.out / re.sub(r"\W", "-", self.name)
        self.ran = self.compared = 0
        self.skipped: dict[str, int] = {}
        self.environment = dict(os.environ)
        self.environment["PYTHONPATH"] = str(args.build / "python")
        self.environment["HOME"] = str(self.directory)  # What a block writes to ~ stays here.

    def prepare(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        for entry in self.args.root.iterdir():
            if not entry.name.startswith((".", "build")):
                (self.directory / entry.name).symlink_to(entry)
        (self.directory / "build").symlink_to(self.args.build)
        programs = self.directory / ".programs"
        programs.mkdir()
        for name in ("python", "python3"):
            (programs / name).write_text(f'#!/bin/sh\nexec "{self.args.python}" "$@"\n')
            (programs / name).chmod(0o755)
        self.environment["PATH"] = os.pathsep.join(
            [str(programs), str(self.args.build / "bin"), *self.args.path, os.environ["PATH"]])

    def run(self, script: str, status: int = 0) -> str:
        """Runs a script in the environment that the ones before it have left."""
        state = self.directory / ".environment"
        text = (f"{'. ./.environment; ' if state.exists() else ''}set -e -o pipefail\n"
                f"trap 'coil_status=$?; export -p > .environment; exit $coil_status' EXIT\n{script}\n")
        with subprocess.Popen(["bash", "-c", text], cwd=self.directory, env=self.environment, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                output, _ = process.communicate(timeout=self.args.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise Failure(f"takes longer than {self.args.timeout} s: {script}") from None
        if process.returncode != status:
            raise Failure(f"ends with status {process.returncode}, not {status}:\n{script}\n{output}")
        return output

    def run_block(self, language: str, options: dict[str, str], body: str) -> None:
        status = int(options.get("status", "0"))
        if language == "sh":
            self.run(body, status)
        else:
            for number, (command, shown) in enumerate(parsed := commands(body)):
                output = self.run(command, status if number + 1 == len(parsed) else 0)
                lines = [line.rstrip() for line in output.rstrip().splitlines()]
                while shown and not shown[-1]:
                    shown.pop()
                if shown and not lines_match(shown, lines):
                    raise Failure(f"'{command}' prints\n{output}\nwhich is not what the page shows:\n" + "\n".join(shown))
                self.compared += bool(shown)
        self.ran += 1

    def run_all(self) -> "Page":
        text = self.path.read_text()
        prepared = False
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            try:
                if match["setup"]:
                    language, options, body = "setup", {}, match["setup"]
                else:
                    language, options = parse_info(match["info"])
                    body = re.sub(rf"^{match['indent']}", "", match["body"], flags=re.M)
                if language not in LANGUAGES | {"setup"} and "file" not in options:
                    continue
                needs = {word for word in options.get("requires", "").split(",") if word}
                if unknown := needs - KNOWN:
                    raise Failure(f"unknown requirement '{min(unknown)}'; known are {', '.join(sorted(KNOWN))}")
                if missing := needs - self.args.have:
                    for word in missing:
                        self.skipped[word] = self.skipped.get(word, 0) + 1
                    continue
                if not prepared:
                    self.prepare()
                    prepared = True
                if language == "setup":
                    self.run(body)
                elif "file" in options:
                    (self.directory / options["file"]).parent.mkdir(parents=True, exist_ok=True)
                    (self.directory / options["file"]).write_text(body)
                else:
                    self.run_block(language, options, body)
            except Failure as failure:
                raise Failure(f"{self.name}:{line}: {failure}") from None
        return self


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--build", type=lambda p: pathlib.Path(p).resolve(), required=True)
    parser.add_argument("--out", type=lambda p: pathlib.Path(p).resolve(), default=pathlib.Path("blocks").resolve())
    parser.add_argument("--have", type=lambda text: set(text.split(",")) - {""}, default=set())
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--path", action="append", default=[], help="another directory of programs")
    parser.add_argument("--timeout", type=int, default=300, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("pages", nargs="+", type=lambda p: pathlib.Path(p).resolve())
    args = parser.parse_args()
    pages = [page for path in args.pages for page in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]
    failed = False
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for future in [pool.submit(Page(args, page).run_all) for page in pages]:
            try:
                page = future.result()
            except Failure as failure:
                print(failure, file=sys.stderr)
                failed = True
                continue
            if page.ran or page.skipped:
                skipped = "".join(f", {n} need {what}" for what, n in sorted(page.skipped.items()))
                print(f"{page.name}: {page.ran} blocks ran, {page.compared} outputs compared{skipped}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
