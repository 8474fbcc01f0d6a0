// B32: debug values show what the variant that runs has read and written, under its own name.
// RUN: coil-run %s --library=none --size-variants --debug-values=print --input=2x8xf32=1 --output= 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: coil-run %s --library=none --size-variants --debug-values=print --input=3x1000xf32=1 --output= 2>&1 | FileCheck %s --check-prefix=BASE
// RUN: coil-run %s --library=none --size-variants --debug-values=print --input=1x9000xf32=1 --output= 2>&1 | FileCheck %s --check-prefix=LARGE
// SMALL:     before reduce_sum_0_small:[[N:[0-9]+]] - in0: f32[2, 8]
// SMALL:     after reduce_sum_0_small:[[N]] - out0: f32[2, 1], 2 elements, 8 bytes, min 8, max 8
// SMALL-NOT: before reduce_sum_0
// BASE:      before reduce_sum_0:[[N:[0-9]+]] - in0: f32[3, 1000]
// BASE:      after reduce_sum_0:[[N]] - out0: f32[3, 1], 3 elements, 12 bytes, min 1000, max 1000
// LARGE:     before reduce_sum_0_large:[[N:[0-9]+]] - in0: f32[1, 9000]
// LARGE:     after reduce_sum_0_large:[[N]] - out0: f32[1, 1], 1 element{{s?}}, 4 bytes, min 9000, max 9000
!t = tensor<?x?xf32, #sym.shape<[s0, s1]>>
!r = tensor<?x1xf32, #sym.shape<[s0, 1]>>
func.func @main(%x: !t {coil.name = "x"}) -> !r
    attributes {sym.symbols = {s0 = #sym.range<1, 1048576, hint = 64>, s1 = #sym.range<1, 65536, hint = 1024>}} {
  %s = graph.reduce sum, %x dims [1] keepdims : (!t) -> !r
  return %s : !r
}
