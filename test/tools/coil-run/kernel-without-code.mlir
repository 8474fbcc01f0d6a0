// A kernel that has the geometry of a launch, but no code, is named.
//
// RUN: not coil-run %s 2>&1 | FileCheck %s
// CHECK: error: kernel 'k.module' has a geometry but no GPU module

wrapper.kernel @k() attributes {device = #wrapper.device<"cuda">,
    geometry = #wrapper.geometry<grid = [1, 1, 1], block = [32, 1, 1], shared = 0, errors = false>,
    input_strides = [], output_strides = [], symbols = []} {
}
wrapper.func @main() {
  wrapper.launch @k[]
  wrapper.return
}
