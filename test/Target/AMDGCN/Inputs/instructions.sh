# instructions.sh <LLVM's tools> <coil-compile> <coil-opt> <coil-translate> <output> <file>...:
# compiles the kernels of each file to instructions of an AMD GPU, makes a code
# object of each, and prints how many there are.
set -e
llvm=$1 compile=$2 opt=$3 translate=$4 output=$5
shift 5
kernels=0
for file in "$@"; do
  "$compile" "$file" --target=rocm:gfx942 --library=none --to=wrapper -o "$output.mlir"
  "$opt" "$output.mlir" --coil-kernel-pipeline=target=rocm:gfx942 -o "$output.kernels.mlir"
  "$translate" --kernels-to-amdgcn "$output.kernels.mlir" > "$output.s"
  # Each kernel has labels of its own.
  rm -f "$output".part*
  awk -v output="$output" '/\.amdgcn_target/ { n++ } { print > (output ".part" n ".s") }' "$output.s"
  for part in "$output".part*.s; do
    "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj "$part" -o "$output.o"
    "$llvm/ld.lld" -shared "$output.o" -o "$output.hsaco"
    # A kernel's descriptor is what a runtime looks for.
    kernels=$((kernels + $("$llvm/llvm-readelf" --dyn-syms "$output.hsaco" | grep -c '\.kd$')))
  done
done
echo "$kernels kernels"
