#!/bin/sh
# Makes a Python environment with what `make docs` builds the site with. Nothing
# else needs it.
#
#   scripts/install-docs.sh [directory]      (default: .venv-docs in the project)
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=${1:-"$root/.venv-docs"}
requirements="$root/scripts/docs-requirements.txt"

# The environment is made again when the list changes.
if [ -x "$venv/bin/mkdocs" ] && cmp -s "$requirements" "$venv/requirements.txt"; then
  exit 0
fi
echo "install-docs: installing MkDocs into $venv"
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
cp "$requirements" "$venv/requirements.txt"
