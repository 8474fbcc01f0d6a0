#!/usr/bin/env bash
# Makes one relocatable archive of the tools, the C API and the Python module
# that runs on x86-64 Linux with glibc 2.36 or newer (Debian 12, Ubuntu 24.04)
# and no LLVM: dist/coil-<version>-linux-x86_64.tar.xz, at most 60 MB.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${DIST_BUILD:-build-dist}
limit=$((60 * 1000 * 1000))
export CCACHE_SLOPPINESS=pch_defines,time_macros

echo "make-dist: building without tests, LLVM linked statically"
cmake --preset release -B "$build" -DCOIL_STATIC_LLVM=ON -DCOIL_INCLUDE_TESTS=OFF \
  > "$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
rm -f "$build.log"
ninja -C "$build"

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name="coil-$version-linux-x86_64"
root="dist/$name"
rm -rf "$root" "$root.tar.xz"
mkdir -p "$root"
cmake --install "$build" --prefix "$root" --strip > /dev/null

# Headers of the compiler need those of LLVM, which the archive does not have;
# the C interface stays.
find "$root/include/coil" -mindepth 1 -maxdepth 1 ! -name Runtime -exec rm -rf {} +
rm -rf "$root/lib/cmake" "$root/lib/CoilPlugin.so"

# Libraries that a minimal system may lack, with their licences.
mkdir -p "$root/licenses"
cp LICENSE "$root/licenses/coil.txt"
cp README.md "$root/"
for pair in libdnnl.so.2:libdnnl2 libgomp.so.1:libgomp1 libOpenCL.so.1:ocl-icd-libopencl1 libz.so.1:zlib1g libzstd.so.1:libzstd1; do
  library=${pair%%:*} package=${pair##*:}
  file=$(ldconfig -p | sed -n "s/^[[:space:]]*$library (.*x86-64) => //p" | head -n 1)
  [ -n "$file" ] || { echo "make-dist: error: $library is not installed" >&2; exit 1; }
  cp -L "$file" "$root/lib/$library"
  chmod u+w "$root/lib/$library"
  patchelf --set-rpath '$ORIGIN' "$root/lib/$library"
  cp "/usr/share/doc/$package/copyright" "$root/licenses/$package.txt"
done
cp /usr/share/doc/libdeflate0/copyright "$root/licenses/libdeflate.txt"
cp /usr/share/doc/libmlir-22-dev/copyright "$root/licenses/llvm.txt"
if [ -e "$root/lib/libcoil-cub.so" ]; then
  # CUB has its licence in front of each header.
  toolkit=$(dirname "$(dirname "$(sed -n 's/^COIL_NVCC:FILEPATH=//p' "$build/CMakeCache.txt")")")
  header=$(find -L "$toolkit/include" -path '*cub/block/block_radix_sort.cuh' | head -n 1)
  [ -n "$header" ] || { echo "make-dist: error: CUB's headers are not in $toolkit/include" >&2; exit 1; }
  sed -n '1,/\*\*\//p' "$header" > "$root/licenses/cub.txt"
else
  echo "make-dist: there is no nvcc: programs for GPUs cannot sort"
fi

# Nothing outside glibc and libstdc++ may come from the system.
bad=$(for file in "$root"/bin/* "$root"/lib/*.so*; do
  env -i PATH=/usr/bin:/bin ldd "$file"
done | grep '=>' | grep -v "$PWD/$root" |
  grep -vE 'lib(c|m|mvec|dl|pthread|rt|stdc\+\+|gcc_s)\.so\.' || true)
if [ -n "$bad" ]; then
  printf 'make-dist: error: these come from outside the archive:\n%s\n' "$bad" >&2
  exit 1
fi
"$root/bin/coil-run" examples/models/digits_cnn.pt2 --input=@examples/models/digits_images.npy \
  --expected-output=@examples/models/digits_logits.npy --atol=1e-4

echo "make-dist: compressing"
tar -C dist -c "$name" | xz -T0 -9 > "$root.tar.xz"
size=$(stat -c %s "$root.tar.xz")
echo "make-dist: $root.tar.xz, $((size / 1000000)) MB"
[ "$size" -le "$limit" ] || { echo "make-dist: error: over $limit bytes" >&2; exit 1; }
