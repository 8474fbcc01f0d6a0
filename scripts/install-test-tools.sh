#!/bin/sh
# Makes a Python environment with the tools of others that some tests run: tlparse, which reads structured traces, and mypy, at the
# versions that trace-requirements.txt and typing-requirements.txt name. The tests find it without being told.
#
#   scripts/install-test-tools.sh [directory]      (default: ~/.cache/coil/test-tools)
#
# When the package index cannot be reached the script says so and succeeds, and those tests are skipped; with CI=true it fails
# instead.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=${1:-"${XDG_CACHE_HOME:-$HOME/.cache}/coil/test-tools"}
python=${PYTHON:-python3}

say() { printf '%s\n' "install-test-tools: $*"; }

version() { sed -n "s/^$1==//p" "$root"/scripts/*-requirements.txt; }

works() {
  "$venv/bin/tlparse" --version 2>/dev/null | grep -qx "tlparse $(version tlparse)" &&
    "$venv/bin/python" -m mypy --version 2>/dev/null | grep -q "^mypy $(version mypy) "
}

give_up() {
  if [ "${CI:-}" = true ]; then
    say "error: $*" >&2
    exit 1
  fi
  say "$*; the tests that run tlparse and mypy will be skipped"
  exit 0
}

if works; then
  say "tlparse and mypy are ready in $venv"
  exit 0
fi

say "installing tlparse and mypy into $venv"
"$python" -m venv "$venv" || give_up "'$python -m venv' failed"
"$venv/bin/python" -m pip install --disable-pip-version-check --progress-bar off --quiet --retries 1 --timeout 15 \
  -r "$root/scripts/trace-requirements.txt" -r "$root/scripts/typing-requirements.txt" ||
  give_up "pip could not install them"
works || give_up "what was installed has other versions"
say "tlparse and mypy are ready in $venv"
