# assemble.sh <coil-compile> <coil-translate> <output> <chip>... -- <file>...:
# compiles each file for each chip, and has ptxas assemble its kernels for that
# chip. Prints the number of kernels of each chip.
set -e
compile=$1 translate=$2 output=$3
shift 3
chips=
while [ "$1" != -- ]; do
  chips="$chips $1"
  shift
done
shift
for chip in $chips; do
  kernels=0
  for file in "$@"; do
    "$compile" "$file" --target=cuda:$chip --library=none --to=native -o "$output"
    "$translate" --kernels-to-resources --ptx-assembler=ptxas "$output" > "$output.txt"
    kernels=$((kernels + $(grep -c registers "$output.txt")))
  done
  echo "$chip: $kernels kernels"
done
