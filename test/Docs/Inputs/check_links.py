# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the links of all Markdown files of the tree, and the paths of pages that
other files mention.

    check_links.py root-of-the-sources

A link has to lead to a file of the tree, and its fragment to a heading of that file.
"""
import os
import pathlib
import re
import sys

SKIPPED = {"build", ".git", ".venv", "dist", "shared", "node_modules"}
TEXT = {".md", ".td", ".h", ".cpp", ".c", ".py", ".sh", ".test", ".mlir", ".txt", ".def", ".cmake", ".yml", ".in"}


def files(root: pathlib.Path):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in SKIPPED and not f.startswith("build")]
        for name in names:
            path = pathlib.Path(folder, name)
            if path.suffix in TEXT or name == "Makefile":
                yield path


def without_code(text: str) -> str:
    """The text with fenced and indented blocks and code spans blanked out."""
    text = re.sub(r"^(```+).*?^\1\s*$", "", text, flags=re.M | re.S)
    text = re.sub(r"^ {4,}(?![*-]).*$", "", text, flags=re.M)
    return re.sub(r"`[^`\n]*`", "``", text)


def anchors(text: str) -> set[str]:
    """Fragments of a page's headings, as GitHub and the site's generator make them."""
    seen: dict[str, int] = {}
    result = set()
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^(```+).*?^\1\s*$", "", text, flags=re.M | re.S), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", "")).replace(" ", "-")
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        result.add(f"{slug}-{number}" if number else slug)
    return result


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    problems, links, pages = [], 0, {}
    for path in sorted(files(root)):
        text = path.read_text(errors="replace")
        name = path.relative_to(root)
        if path.suffix == ".md":
            # Links of a page that is generated are checked like others.
            for target in re.findall(r"(?<!!)\[[^]]*\]\(([^)\s]+)\)", without_code(text)):
                if re.match(r"[a-z]+:", target):
                    continue
                links += 1
                file, _, fragment = target.partition("#")
                found = (path.parent / file).resolve() if file else path
                if not found.exists():
                    problems.append(f"{name}: '{target}' does not exist")
                elif fragment and found.suffix == ".md":
                    if found not in pages:
                        pages[found] = anchors(found.read_text())
                    if fragment not in pages[found]:
                        problems.append(f"{name}: '{target}': no such heading")
        for mentioned in set(re.findall(r"\bdocs/[\w/]+\.md\b", text)):
            if not (root / mentioned).exists():
                problems.append(f"{name} mentions '{mentioned}', which does not exist")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(f"{links} links")
    return 0


if __name__ == "__main__":
    sys.exit(main())
