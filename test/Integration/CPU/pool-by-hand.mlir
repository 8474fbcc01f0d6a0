// RUN: coil-interpret %s --function=main "--input=3xf32=1 2 3" | FileCheck %s --check-prefix=INTERP
// RUN: coil-opt %s --wrapper-plan-memory=mode=none --wrapper-verify-memory -o %t.none.mlir
// RUN: coil-opt %s --wrapper-plan-memory=mode=pool --wrapper-verify-memory -o %t.pool.mlir
// RUN: coil-run %t.none.mlir "--input=3xf32=1 2 3" "--expected-output=3xf32=6 5 4" --reference=interp
// RUN: coil-run %t.pool.mlir "--input=3xf32=1 2 3" "--expected-output=3xf32=6 5 4" --reference=interp
// RUN: coil-run %t.pool.mlir "--input=40xf32=1" "--expected-output=40xf32=4" --reference=interp
// RUN: FileCheck %s --input-file=%t.none.mlir
// RUN: FileCheck %s --input-file=%t.pool.mlir

// A program that comes with a pool; plans keep it, and end what it leaves open.
// INTERP: [6, 5, 4] : 3xf32
// CHECK: %[[P:.+]] = wrapper.pool
// CHECK-COUNT-2: wrapper.pool_release
// CHECK: wrapper.pool_free %[[P]]
// CHECK-NEXT: wrapper.return

!s = !wrapper.buffer<[s], f32, #wrapper.device<"cpu">>
!p = !wrapper.pool<#wrapper.device<"cpu">>

wrapper.kernel @inc(%x0: tensor<?xf32, #sym.shape<[n]>>) attributes {input_strides = [#sym.shape<[1]>],
    output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
  %0 = loop.kernel "inc" [n] (%a0 = %x0) : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, #sym.shape<[n]>> {
    %v0 = loop.load %a0[n - 1 - d0] : tensor<?xf32, #sym.shape<[n]>> -> f32
    %c = arith.constant 1.0 : f32
    %m = arith.addf %v0, %c : f32
    loop.store %m, 0 [d0] : f32
  }
  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>
}

wrapper.func @main(%x: !s) -> !s attributes {sym.symbols = {s = #sym.range<1, 64, hint = 8>}} {
  wrapper.input_symbol "s" = size 0 of %x : !s
  %p = wrapper.pool <s * 1024> : !p
  %a = wrapper.pool_alloc %p at <0> : !p to !s
  wrapper.launch @inc[s] ins(%x : !s) outs(%a : !s)
  %b = wrapper.pool_alloc %p at <s * 512> : !p to !s
  wrapper.launch @inc[s] ins(%a : !s) outs(%b : !s)
  %v = wrapper.reinterpret %b at <0> : !s to !s
  %c = wrapper.alloc : !s
  wrapper.launch @inc[s] ins(%v : !s) outs(%c : !s)
  wrapper.return %c : !s
}
