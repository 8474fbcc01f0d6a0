// RUN: coil-opt %s --convert-loop-to-wrapper=device=cuda --split-input-file | FileCheck %s
// RUN: coil-opt %s --convert-loop-to-wrapper=device=cuda --split-input-file --remarks-filter=convert-loop-to-wrapper 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: coil-opt %s --convert-loop-to-wrapper --split-input-file | FileCheck %s --check-prefix=CPU

// An argument that is on the host is moved once, in front of everything; a result
// that has to be there, behind. The attribute is part of the types then.
// REMARK: argument 0 is on 'cpu' and moved to 'cuda': s0 * 4 bytes
// REMARK: result 0 is on 'cpu' and moved there: s0 * 4 bytes
// CHECK-LABEL: wrapper.func @moves
// CHECK-SAME: (%[[X:.+]]: !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">> {coil.name = "x"}, %[[Y:.+]]: !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>)
// CHECK-SAME: -> (!wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>)
// CHECK: wrapper.input_symbol "s0" = size 0 of %[[X]]
// CHECK: %[[A:.+]] = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
// CHECK: wrapper.transfer %[[X]] to %[[A]]
// CHECK: %[[R:.+]] = wrapper.alloc
// CHECK: wrapper.launch @{{.+}} ins(%[[A]], %[[Y]]
// CHECK-SAME: outs(%[[R]]
// CHECK: %[[H:.+]] = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
// CHECK: wrapper.transfer %[[R]] to %[[H]]
// CHECK: wrapper.return %[[H]], %[[R]]
// CPU-LABEL: wrapper.func @moves
// CPU-NOT: wrapper.transfer
// CPU-NOT: coil.device
// CPU: wrapper.return
!x = tensor<?xf32, #sym.shape<[s0]>>
func.func @moves(%x: !x {coil.device = "cpu", coil.name = "x"}, %y: !x) -> (!x {coil.device = "cpu"}, !x)
    attributes {sym.symbols = {s0 = #sym.range<1, 64>}} {
  %0 = loop.kernel "add" [s0] (%a = %x, %b = %y) : (!x, !x) -> !x {
    %v = loop.load %a[d0] : !x -> f32
    %w = loop.load %b[d0] : !x -> f32
    %m = arith.addf %v, %w : f32
    loop.store %m, 0 [d0] : f32
  }
  return %0, %0 : !x, !x
}

// -----

// What the host alone reads stays there, and no device is waited for.
// CHECK-LABEL: wrapper.func @reads
// CHECK-SAME: (%[[N:.+]]: !wrapper.buffer<[], i64, #wrapper.device<"cpu">>,
// CHECK-NOT: wrapper.transfer
// CHECK: wrapper.item "u0" = %[[N]]
// CHECK-NOT: wrapper.transfer
// CHECK: wrapper.return
!x = tensor<8xf32>
!u = tensor<?xf32, #sym.shape<[u0]>>
func.func @reads(%n: tensor<i64> {coil.device = "cpu"}, %x: !x) -> !u
    attributes {sym.symbols = {u0 = #sym.range<1, 8>}} {
  graph.item "u0" = %n : tensor<i64>
  %0 = loop.kernel "take" [u0] (%a = %x) : (!x) -> !u {
    %v = loop.load %a[d0] : !x -> f32
    loop.store %v, 0 [d0] : f32
  }
  return %0 : !u
}

// -----

// A layout that is not row by row is made on the device, and moved as one row.
// CHECK-LABEL: wrapper.func @layout
// CHECK: wrapper.launch {{.*}} outs(%[[R:.+]] : !wrapper.buffer<[2, 3], strides = [1, 2], f32, #wrapper.device<"cuda">>)
// CHECK: %[[H:.+]] = wrapper.alloc : !wrapper.buffer<[2, 3], strides = [1, 2], f32, #wrapper.device<"cpu">>
// CHECK: %[[F:.+]] = wrapper.reinterpret %[[R]] at <0> : {{.+}} to !wrapper.buffer<[6], f32, #wrapper.device<"cuda">>
// CHECK: %[[T:.+]] = wrapper.reinterpret %[[H]] at <0> : {{.+}} to !wrapper.buffer<[6], f32, #wrapper.device<"cpu">>
// CHECK: wrapper.transfer %[[F]] to %[[T]]
// CHECK: wrapper.return %[[H]]
!x = tensor<2x3xf32>
func.func @layout(%x: !x) -> (!x {coil.device = "cpu", coil.strides = #sym.shape<[1, 2]>}) {
  %0 = loop.kernel "double" [2, 3] (%a = %x) : (!x) -> !x {
    %v = loop.load %a[d0, d1] : !x -> f32
    %m = arith.addf %v, %v : f32
    loop.store %m, 0 [d0, d1] : f32
  }
  return %0 : !x
}
