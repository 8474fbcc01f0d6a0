# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What MkDocs has to know of this tree (hooks of mkdocs.yml).

Pages of the site that are outside of docs/ are added: the measurements in
benchmarks/results, CONTRIBUTING.md and READMEs of examples. Links between pages are
those of the source tree, and become links of the site; a link to a source file, which
the site does not have, becomes its path. Words behind the language of a fence
(docs/index.md, "How the documentation is made") are not for the site.
"""
import os
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTSIDE = ["CONTRIBUTING.md", "benchmarks/results/*.md", "examples/*/README.md"]


def sources() -> dict[str, str]:
    """Pages outside of docs/: their path in the tree and their path in the site."""
    paths = [path for pattern in OUTSIDE for path in sorted(ROOT.glob(pattern))]
    names = [str(path.relative_to(ROOT)) for path in paths]
    # An index.html of a folder is what MkDocs makes of a README.
    return {name: name.replace("README.md", "Readme.md") for name in names}


def on_files(files, config):
    for name, uri in sources().items():
        files.append(File.generated(config, uri, content=(ROOT / name).read_text()))
    return files


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    outside = sources()
    by_uri = {value: key for key, value in outside.items()}
    source = by_uri.get(uri, "docs/" + uri)  # The path in the tree.
    folder = os.path.dirname(source)

    def link(match):
        text, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, fragment = target.partition("#")
        path = os.path.normpath(os.path.join(folder, path))
        if path.startswith("docs/"):
            found = path[len("docs/"):]
        elif path in outside:
            found = outside[path]
        elif path == "README.md":
            found = "index.md"
        else:
            return text if text.strip("`") == path else f"{text} (`{path}`)"
        relative = os.path.relpath(found, os.path.dirname(uri) or ".")
        return f"[{text}]({relative}{'#' + fragment if fragment else ''})"

    result, fenced, previous = [], False, ""
    for line in markdown.splitlines():
        if re.match(r" *```", line):
            fenced = not fenced
            line = re.sub(r"^( *```[\w+]+) .*", r"\1", line)
            if fenced and previous.strip() and not line.startswith(" "):
                result.append("")
        elif not fenced:
            # Code spans may hold what looks like a link.
            line = re.sub(r"\]\((?=[^)]* )", r"\](", line)  # No link: a call after a bracket.
            pieces = re.split(r"(`[^`]*`(?!\]))", line)
            line = "".join(p if p.startswith("`") else re.sub(r"\[([^]]*)\]\(([^)\s]+)\)", link, p) for p in pieces)
            # A list may follow a paragraph directly, as in CommonMark.
            if re.match(r"(\* |- |\d+\. )", line) and previous.strip() and not re.match(r"(\* |- |\d+\. | )", previous):
                result.append("")
        result.append(line)
        previous = line
    return "\n".join(result)
