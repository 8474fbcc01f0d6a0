#!/usr/bin/env bash
# Checks Coil on a machine with an NVIDIA GPU; see --help.
set -u
cd "$(dirname "$0")/.."

usage() {
  cat <<'EOF'
usage: scripts/gpu_check.sh [option...]

Checks Coil on a machine with an NVIDIA GPU, from a checkout. Needs the driver
and, for the operators and the benchmarks, a Python with torch and NumPy; for
the sanitizer, the CUDA toolkit. Nothing is built: the tools come from the
archive of `make dist` or from a build folder.

  --coil PATH       archive, or folder with bin/ and lib/ (default: the newest
                    dist/coil-*.tar.xz, else build)
  --out DIR         where logs and summary.txt go (default: gpu-check)
  --python FILE     Python with torch (default: python3)
  --chip NAME       what to compile for (default: the chip of GPU 0)
  --steps LIST      of examples, families, sanitizer, fuzz, random, tf32, ops, database, corpus,
                    devices, gpus, separated by commas (default: all of them)
  --benchmarks LIST of kernels, models, host, partitions, or 'none' (default)
  --jobs N          processes at once (default: processors, 16 at most)
  --fuzz-count N    random programs for each process (default: 60)
  --seed N          of the first random program (default: 50000)
  --ops-sample N    every n-th operator only (default: 1, all of them)
  --timeout N       seconds for one process (default: 600)
  --database SHARD  for the step database, i/n: a part of the samples in one process for each
                    of --jobs, and results in database-i.jsonl, with which a later run goes on
  --seconds N       then, stop after so many seconds (default: 180)

Steps:
  examples   the example models against their recorded outputs
  families   test/gpu/*.mlir, a program for each family of kernels, against the
             reference interpreter; plain, and as CUDA graphs
  sanitizer  the same under compute-sanitizer's memcheck and racecheck
  fuzz       random programs against the reference interpreter, with writes at
             positions in their order
  random     random numbers against PyTorch's, bit for bit
  tf32       products and convolutions of f32 with and without TF32 against PyTorch in
             f64, by kernels of Coil's own and by libraries
  ops        each operator against PyTorch eager
  database   the samples of PyTorch's operator database against eager mode on the GPU
             (needs a build folder; some ten minutes on 16 processors)
  corpus     host programs with all buffers on the GPU against the interpreter: as
             emitted Python, with partitions as graphs of torch, as torch.fx
             graphs, and, with a C++ compiler, as C++ with graphs (needs a build folder)
  devices    exported programs that work on the GPU and on the host
  gpus       where there are two GPUs or more: exported programs on two of them, and
             collectives and side streams on all of them, against PyTorch

Exit status: 0 if everything that ran passed, 1 if something failed, 2 for a
wrong command line or nothing to run. Steps that lack a tool are skipped, which
the summary says.
EOF
}

die() {
  echo "gpu_check: error: $*" >&2
  exit 2
}

coil= out=gpu-check python=python3 chip= benchmarks=none
steps=examples,families,sanitizer,fuzz,random,tf32,ops,database,corpus,devices,gpus
jobs=$(nproc)
[ "$jobs" -le 16 ] || jobs=16
fuzz_count=60 seed=50000 ops_sample=1 limit=600 shard= seconds=180
while [ $# -gt 0 ]; do
  option=$1
  case $option in
  -h | --help) usage; exit 0 ;;
  --*=*) value=${option#*=} option=${option%%=*} ;;
  --*) [ $# -ge 2 ] || die "$option needs a value"; value=$2; shift ;;
  *) die "unexpected argument '$option'" ;;
  esac
  shift
  case $option in
  --coil) coil=$value ;;
  --out) out=$value ;;
  --python) python=$value ;;
  --chip) chip=$value ;;
  --steps) steps=$value ;;
  --benchmarks) benchmarks=$value ;;
  --database) shard=$value ;;
  --seconds) seconds=$value ;;
  --jobs) jobs=$value ;;
  --fuzz-count) fuzz_count=$value ;;
  --seed) seed=$value ;;
  --ops-sample) ops_sample=$value ;;
  --timeout) limit=$value ;;
  *) die "unknown option '$option'" ;;
  esac
done
for number in "$jobs" "$fuzz_count" "$seed" "$ops_sample" "$limit"; do
  case $number in '' | *[!0-9]*) die "expected a number but got '$number'" ;; esac
done
for step in ${steps//,/ }; do
  case $step in
  examples | families | sanitizer | fuzz | random | tf32 | ops | database | corpus | devices | gpus) ;;
  *) die "unknown step '$step'" ;;
  esac
done
for benchmark in ${benchmarks//,/ }; do
  case $benchmark in
  kernels | models | host | partitions | none) ;;
  *) die "unknown benchmark '$benchmark'" ;;
  esac
done

if [ -z "$coil" ]; then
  coil=$(ls -t dist/coil-*.tar.xz 2>/dev/null | head -n 1)
  [ -n "$coil" ] || [ ! -d build ] || coil=build
  [ -n "$coil" ] || die "neither dist/coil-*.tar.xz nor build is there; give --coil"
fi
[ -e "$coil" ] || die "there is no '$coil'"
mkdir -p "$out" || die "cannot make '$out'"
out=$(cd "$out" && pwd)
if [ -f "$coil" ]; then
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  tar xf "$coil" -C "$unpacked" || die "cannot unpack '$coil'"
  root=$(echo "$unpacked"/*)
else
  root=$(cd "$coil" && pwd)
fi
bin=$root/bin
[ -x "$bin/coil-run" ] || die "'$coil' has no bin/coil-run"
export PYTHONPATH=$PWD/python
[ -d "$root/python/coil" ] && PYTHONPATH=$root/python
for library in "$root"/lib/libCoilC.so.0 "$root"/lib/libCoilC.so; do
  [ -e "$library" ] && export COIL_C_LIBRARY=$library && break
done

nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader \
  > "$out/gpu.txt" 2>&1 || [ -n "${COIL_CUDA_DRIVER:-}" ] ||
  die "no NVIDIA GPU: $(head -n 1 "$out/gpu.txt")"
if [ -z "$chip" ]; then
  capability=$(head -n 1 "$out/gpu.txt" | sed 's/.*, *//; s/\.//')
  case $capability in
  '' | *[!0-9]*) die "cannot tell the chip; give --chip" ;;
  esac
  chip=sm_$capability
  [ "$capability" -lt 90 ] || chip=${chip}a
fi
target=cuda:$chip
# Without nvidia-smi it is the one that COIL_CUDA_DRIVER stands for.
gpus=$(grep -c , "$out/gpu.txt")

summary=$out/summary.txt
failed=0
say() { echo "$*" | tee -a "$summary"; }
: > "$summary"
say "$(date -u +%F) $(head -n 1 "$out/gpu.txt"); Coil of $coil, $target"

# Runs a command; one line in the summary, the rest in a log.
check() { # name command...
  local name=$1 begin=$SECONDS status
  shift
  timeout "$limit" "$@" > "$out/$name.log" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    say "pass  $name ($((SECONDS - begin)) s)"
  else
    failed=1
    say "FAIL  $name: status $status, $out/$name.log"
    grep -iE 'error|fail|mismatch|hazard' "$out/$name.log" | head -n 3 | cut -c1-200 | sed 's/^/      /' | tee -a "$summary"
  fi
}
wants() { [[ ,$steps, == *,$1,* ]]; }

models=examples/models
if wants examples; then
  for library in auto none; do
    check "digits-$library" "$bin/coil-run" $models/digits_cnn.pt2 --target="$target" \
      --library=$library --input=@$models/digits_images.npy \
      --expected-output=@$models/digits_logits.npy --atol=1e-4 --time --per-kernel --iterations=20
    check "char-gpt-$library" "$bin/coil-run" $models/char_gpt.pt2 --target="$target" \
      --library=$library --input=@$models/char_gpt_prompt.npy \
      --expected-output=@$models/char_gpt_logits.npy --atol=1e-3 --time --per-kernel --iterations=20
  done
fi

# An archive that was made without nvcc cannot sort.
has_cub() { [ -e "$root/lib/libcoil-cub.so" ] || [ -n "${COIL_CUB_LIBRARY:-}" ]; }

# Sets the options of a program of test/gpu, whose kernels are ours but for sorts, and whose tolerance
# the file states.
choose_options() { # file
  name=$(basename "$1" .mlir)
  local library=none
  grep -q -e '^// RUN:.*--library=cub' "test/gpu/$name.mlir" && library=cub
  program_options=(--random-inputs --reference=interp --library=$library --target="$target")
  local tolerance
  tolerance=$(sed -n 's/^\/\/ RUN:.*\(--atol=[^ ]*\).*/\1/p' "test/gpu/$name.mlir" | head -n 1)
  [ -z "$tolerance" ] || program_options+=("$tolerance")
  [ $library = none ] || has_cub || { say "skip  $name: no libcoil-cub.so"; return 1; }
}
if wants families; then
  for file in test/gpu/*.mlir; do
    choose_options "$file" || continue
    check "family-$name" "$bin/coil-run" "$file" "${program_options[@]}"
    check "family-$name-graph" "$bin/coil-run" "$file" "${program_options[@]}" \
      --cuda-graphs=4 --iterations=4
  done
fi

if wants sanitizer; then
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
  if [ -z "$sanitizer" ]; then
    say "skip  sanitizer: no compute-sanitizer"
  else
    for file in test/gpu/*.mlir; do
      choose_options "$file" || continue
      for tool in memcheck racecheck; do
        check "$tool-$name" "$sanitizer" --tool $tool \
          --error-exitcode=9 "$bin/coil-run" "$file" "${program_options[@]}"
      done
    done
  fi
fi

if wants fuzz; then
  begin=$SECONDS
  for ((i = 0; i < jobs; ++i)); do
    timeout "$limit" "$bin/coil-fuzz" --seed=$((seed + i * fuzz_count)) \
      --count="$fuzz_count" --run="target=$target deterministic=true" --max-failures=3 \
      > "$out/fuzz-$i.part" 2>&1 || echo "status $? with seed $((seed + i * fuzz_count))" >> "$out/fuzz-$i.part" &
  done
  wait
  cat "$out"/fuzz-*.part > "$out/fuzz.log"
  bad=$(grep -hE '^status [0-9]+ with seed' "$out"/fuzz-*.part | wc -l)
  rm "$out"/fuzz-*.part
  if [ "$bad" -eq 0 ]; then
    say "pass  fuzz: $((jobs * fuzz_count)) programs ($((SECONDS - begin)) s)"
  else
    failed=1
    say "FAIL  fuzz: $bad of $jobs processes, $out/fuzz.log"
    grep -h '^FAILED' "$out/fuzz.log" | head -n 5 | cut -c1-200 | sed 's/^/      /' | tee -a "$summary"
  fi
fi

has_torch() { "$python" -c 'import torch, numpy' > /dev/null 2>&1; }
if wants random; then
  if has_torch; then
    check random "$python" test/python/gpu_random.py
  else
    say "skip  random: '$python' has no torch and NumPy"
  fi
fi

if wants tf32; then
  if has_torch; then
    check tf32-loop "$python" test/gpu/tf32.py --paths loop
    check tf32-library "$python" test/gpu/tf32.py --paths library
  else
    say "skip  tf32: '$python' has no torch"
  fi
fi

if wants ops; then
  if has_torch; then
    without=()
    has_cub || { without=(--without sort); say "skip  ops of sorting: no libcoil-cub.so"; }
    check ops "$python" test/python/op_coverage/op_coverage.py --tools "$bin" "${without[@]}" \
      --sample "$ops_sample" --jobs "$jobs" --run-options=--target=cuda
  else
    say "skip  ops: '$python' has no torch and NumPy"
  fi
fi

if wants database; then
  if ! has_torch; then
    say "skip  database: '$python' has no torch and NumPy"
  elif [ ! -d "$root/python/coil" ]; then
    say "skip  database: '$root' is no build folder"
  elif [ -n "$shard" ]; then
    check "database-${shard%/*}" "$python" test/python/op_db/op_db.py --device cuda --build "$root" \
      --dtypes f32,bf16,f16,i64,bool,c64 --jobs "$jobs" --timeout 60 --shard "$shard" --seconds "$seconds" \
      --results "$out/database-${shard%/*}.jsonl" --verbose
  else
    for dtype in f32 bf16 f16 i64 bool c64; do
      check "database-$dtype" "$python" test/python/op_db/op_db.py --device cuda --build "$root" \
        --dtypes "$dtype" --jobs "$jobs" --timeout 60
    done
  fi
fi

if wants corpus; then
  if [ ! -e "$root/lib/coil-test-functions.so" ]; then
    say "skip  corpus: '$coil' has no lib/coil-test-functions.so, it is no build folder"
  elif has_torch; then
    all=("$python" test/Corpus/Inputs/run_all.py --bin="$bin" --device=cuda --gpus="$gpus"
         --capability="$(echo "$chip" | tr -cd 0-9)")
    check corpus-python "${all[@]}" --out="$out/corpus-python" --emitter=python --python="$python"
    check corpus-python-graphs "${all[@]}" --out="$out/corpus-graphs" --emitter=python \
      --python="$python" --graphs
    check corpus-fx "${all[@]}" --out="$out/corpus-fx" --emitter=fx --python="$python"
    if command -v c++ > /dev/null; then
      check corpus-cpp "${all[@]}" --out="$out/corpus-cpp" --emitter=cpp --cxx=c++ \
        --include="$PWD/include" --lib="$root/lib"
    else
      say "skip  corpus-cpp: no c++"
    fi
  else
    say "skip  corpus: '$python' has no torch and NumPy"
  fi
fi

if wants devices; then
  if has_torch; then
    check devices "$python" test/Import/Torch/F02_devices.py "$out/devices" --bin="$bin"
  else
    say "skip  devices: '$python' has no torch and NumPy"
  fi
fi

if wants gpus; then
  if [ "$gpus" -lt 2 ]; then
    say "skip  gpus: there is one GPU"
  elif has_torch; then
    check two-gpus "$python" test/gpu/two_gpus.py "$out/two-gpus"
    check collectives "$python" test/gpu/collectives.py
  else
    say "skip  gpus: '$python' has no torch and NumPy"
  fi
fi

for benchmark in ${benchmarks//,/ }; do
  [ "$benchmark" = none ] && continue
  if has_torch; then
    check "bench-$benchmark" "$python" benchmarks/gpu_"$benchmark".py --json "$out/$benchmark.json"
    cat "$out/bench-$benchmark.log"
  else
    say "skip  benchmark $benchmark: '$python' has no torch and NumPy"
  fi
done

if [ $failed -eq 0 ]; then say "everything that ran passed"; else say "something failed"; fi
exit $failed
