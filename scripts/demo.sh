#!/usr/bin/env bash
# Compiles and runs both example models. An argument is the text to continue.
set -euo pipefail
cd "$(dirname "$0")/.."
exec "${BUILD:-build}/bin/coil-demo" examples/models "$@"
