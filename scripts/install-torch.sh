#!/bin/sh
# Makes a Python environment with the pinned PyTorch that some tests compare
# with. Coil itself needs neither PyTorch nor this environment.
#
#   scripts/install-torch.sh [directory]      (default: .venv in the project)
#
# The environment takes about 5 GB. When the package index cannot be reached
# the script says so and succeeds, and those tests are skipped; with CI=true it
# fails instead.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=${1:-"$root/.venv"}
python=${PYTHON:-python3}

say() { printf '%s\n' "install-torch: $*"; }

works() {
  [ -x "$venv/bin/python" ] && "$venv/bin/python" - 2>/dev/null <<'PYTHON'
import numpy, sys, torch
sys.exit(torch.__version__.split("+")[0] != "2.11.0")
PYTHON
}

give_up() {
  if [ "${CI:-}" = true ]; then
    printf '%s\n' "install-torch: error: $*" >&2
    exit 1
  fi
  say "$*; the tests that compare with PyTorch will be skipped"
  exit 0
}

if works; then
  say "PyTorch is ready in $venv"
  exit 0
fi

say "installing PyTorch 2.11.0 into $venv (about 5 GB)"
"$python" -m venv "$venv" || give_up "'$python -m venv' failed"
"$venv/bin/python" -m pip install --disable-pip-version-check \
  --progress-bar off -r "$root/scripts/torch-requirements.txt" ||
  give_up "pip could not install PyTorch"
works || give_up "the installed PyTorch does not import"
say "PyTorch is ready in $venv"
