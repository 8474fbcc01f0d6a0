# instructions.sh <coil-compile> <coil-opt> <coil-translate> <output> <file>...:
# compiles the kernels of each file to instructions of an AMD GPU, and prints how
# many there are.
set -e
compile=$1 opt=$2 translate=$3 output=$4
shift 4
kernels=0
for file in "$@"; do
  "$compile" "$file" --target=rocm:gfx942 --library=none --to=wrapper -o "$output.mlir"
  "$opt" "$output.mlir" --coil-kernel-pipeline=target=rocm:gfx942 -o "$output.kernels.mlir"
  "$translate" --kernels-to-amdgcn "$output.kernels.mlir" > "$output.s"
  kernels=$((kernels + $(grep -c '^[[:space:]]*\.amdhsa_kernel' "$output.s")))
done
echo "$kernels kernels"
