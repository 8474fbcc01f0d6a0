# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Imports an edited model: bad.sh <tool> <python> <model> <scratch file> edit...
# Prints what the tool says and its exit status.
tool=$1 python=$2 model=$3 scratch=$4
shift 4
"$python" "$(dirname "$0")/pt2.py" "$model" "$scratch" "$@" || exit 1
"$tool" "$scratch" -o /dev/null 2>&1
echo "status $?"
