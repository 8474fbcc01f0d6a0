#!/bin/sh
# What a continuous integration of this project runs: build against an installed
# Coil, then the tests. The compiler has to be the one that Coil was built with,
# or one with the same ABI.
#
#   ci.sh <prefix of Coil> <build directory>
set -eu
source=$(cd "$(dirname "$0")" && pwd)
cmake -G Ninja -S "$source" -B "$2" -DCMAKE_BUILD_TYPE=Release \
  -DCoil_DIR="$1/lib/cmake/coil" ${CMAKE_ARGS:-}
cmake --build "$2" --target check
