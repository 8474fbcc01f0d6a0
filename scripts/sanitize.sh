#!/usr/bin/env bash
# Runs what has threads, or takes files from elsewhere, under a sanitizer: the
# runtime, containers, importers, packages, serving, and the corpus.
#
#   scripts/sanitize.sh [thread|address] [--quick|--full]
#
# Builds build-tsan or build-asan (which has undefined behaviour, too), which takes
# long at first. --quick takes what needs no LLVM, and builds in a minute: the
# runtime and the exchange of weights. --full takes the whole corpus and every test.
# Exit status 1 if anything failed or was reported.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-thread}
full= quick=
case "${2:-}" in
  "") ;;
  --full) full=1 ;;
  --quick) quick=1 ;;
  *) kind=unknown ;;
esac
case "$kind" in
  thread) preset=tsan ;;
  address) preset=asan ;;
  *) echo "usage: scripts/sanitize.sh [thread|address] [--quick|--full]" >&2; exit 2 ;;
esac
build=build-$preset
export CCACHE_SLOPPINESS=pch_defines,time_macros
export COIL_MODELS=$PWD/examples/models
# Reports go to files, so that no test that expects a failure hides one.
logs=$PWD/$build/sanitize
rm -rf "$logs"
mkdir -p "$logs"
export TSAN_OPTIONS="suppressions=$PWD/test/tsan.supp:log_path=$logs/report"
# Debian's LLVM is built without the sanitizer: docs/howto/Testing.md.
export ASAN_OPTIONS="allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0:use_sigaltstack=0:log_path=$logs/report"
export UBSAN_OPTIONS="print_stacktrace=1:log_path=$logs/report"

[ -f "$build/build.ninja" ] || cmake --preset "$preset" > "$logs/cmake.log"
targets=(CoilRuntimeTests CoilSwitchedPointerTests)
[ "$quick" ] ||
  targets+=(CoilDriverTests CoilImportTests coil-opt coil-run coil-compile coil-serve coil-test-functions)
ninja -C "$build" "${targets[@]}" > "$logs/ninja.log" || { tail -20 "$logs/ninja.log" >&2; exit 1; }

failures=0
# Names a step, runs it, and says what came of it.
step() {
  local name=$1 begin=$SECONDS
  shift
  if "$@" > "$logs/output" 2>&1; then
    echo "pass: $name ($((SECONDS - begin)) s)"
  else
    echo "FAIL: $name"
    tail -20 "$logs/output"
    failures=$((failures + 1))
  fi
}
# Compiles to a package. LLVM and its threads are not instrumented.
compile() {
  TSAN_OPTIONS=report_bugs=0 "$build/bin/coil-compile" "$1" -o "$2"
}
corpus() {
  python3 - "$build/bin" "$logs" "$full" << 'END'
import glob, os, subprocess, sys

sys.path.insert(0, "test/Corpus/Inputs")
from cases import is_for_gpu, read_cases

bin, logs, full = sys.argv[1:]
package = os.path.join(logs, "program.coilpkg")
programs = sorted(p for p in glob.glob("test/Corpus/*.mlir") if not is_for_gpu(open(p).read()))
count = 0
for program in programs if full else programs[::6]:
    quiet = dict(os.environ, TSAN_OPTIONS="report_bugs=0")
    expanded = os.path.join(logs, "program.mlir")
    subprocess.run([bin + "/coil-opt", program, "-o", expanded,
                    "--pass-pipeline=builtin.module(wrapper.func(wrapper-expand-workspaces,wrapper-expand-resizes))"],
                   check=True, env=quiet)
    subprocess.run([bin + "/coil-compile", expanded, "-o", package], check=True, env=quiet)
    source = open(program).read()
    functions = ["--functions=" + bin + "/../lib/coil-test-functions.so"] if "test::" in source else []
    for case in read_cases(source):
        count += 1
        done = subprocess.run(
            [bin + "/coil-run", package, *functions, *("--input=" + text for text in case["inputs"]),
             *("--expected-output=" + text for text in case["outputs"])],
            capture_output=True, text=True)
        if (done.returncode != 0) != (case["error"] is not None):
            sys.exit(f"{program}: status {done.returncode}\n{done.stderr}")
print(count, "cases")
END
}

# Tests that take long and show little here, unless all is wanted.
filter='-*EverySequenceLength*'
[ "$full" ] && filter='*'
unit=$build/test/Unit
step "runtime" "$unit/Runtime/CoilRuntimeTests"
step "exchange of weights" "$unit/ExecutionEngine/CoilSwitchedPointerTests"
if [ ! "$quick" ]; then
  step "programs and containers" "$unit/Driver/CoilDriverTests" "--gtest_filter=$filter"
  step "import" "$unit/Import/CoilImportTests"
  step "packages" compile examples/models/digits_cnn.pt2 "$logs/digits.coilpkg"
  step "serving" "$build/bin/coil-serve" "$logs/digits.coilpkg" \
    examples/models/digits_images.npy 4 2
  step "corpus" corpus
fi

if ls "$logs"/report.* > /dev/null 2>&1; then
  echo "FAIL: reports, $logs/report.*:"
  cat "$logs"/report.* | head -60
  failures=$((failures + 1))
fi
exit $((failures > 0))
