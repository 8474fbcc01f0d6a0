#!/bin/sh
# Installs the Debian packages that building and testing Coil needs, and only
# those that are missing. Runs as root or through sudo; does nothing, quickly,
# when everything is there.
#
#   scripts/install-deps.sh [--check]
#
# --check only lists what is missing, and fails when something is.
set -eu

packages="
  clang-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  clang-format-22 clang-tidy-22 ccache ninja-build cmake make
  libgtest-dev libgmock-dev libdnnl-dev libopenblas0-openmp
  libdeflate-dev libcpp-httplib-dev zlib1g-dev libzstd-dev libxml2-dev libffi-dev libedit-dev
  python3 python3-dev python3-venv xz-utils patchelf ca-certificates
  qemu-user
"

say() { printf '%s\n' "install-deps: $*"; }
fail() { printf '%s\n' "install-deps: error: $*" >&2; exit 1; }

case "${1:-}" in
  ""|--check) ;;
  *) fail "unknown argument '$1' (usage: scripts/install-deps.sh [--check])" ;;
esac

command -v dpkg-query >/dev/null 2>&1 ||
  fail "this script knows Debian only; install the equivalents of:$(echo $packages | sed 's/^/ /')"

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done

if [ -z "$missing" ]; then
  say "everything is installed"
  exit 0
fi
say "missing:$missing"
if [ "${1:-}" = --check ]; then
  exit 1
fi

if [ "$(id -u)" -eq 0 ]; then
  sudo=""
elif command -v sudo >/dev/null 2>&1; then
  sudo="sudo"
else
  fail "run this as root (sudo is not installed)"
fi
apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get"

say "updating the package lists"
$apt update -q

# LLVM 22 came to Debian 12 through its security archive.
candidate=$(apt-cache policy libmlir-22-dev | sed -n 's/^ *Candidate: *//p')
case "$candidate" in
  ""|"(none)")
    fail "apt knows no libmlir-22-dev. On Debian 12, LLVM 22 is in the suite
'bookworm-security' (component main), which this machine's apt sources do not
list. Add it to /etc/apt/sources.list or /etc/apt/sources.list.d, then run this
script again." ;;
esac

say "installing; LLVM $candidate is about 2 GB once unpacked"
# shellcheck disable=SC2086  # one word for each package
$apt install -y --no-install-recommends -o Dpkg::Progress-Fancy=0 $missing
say "done"
