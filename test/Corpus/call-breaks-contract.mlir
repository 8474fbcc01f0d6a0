// RUN: %corpus %s
// Functions that do not do what they must: each is an error, and no memory is lost.
// CASE: 4xf32=1 2 3 4; i64=0 -> error: result 0 has the sizes [3], but the program expects [4]
// CASE: 4xf32=1 2 3 4; i64=1 -> error: it gives no result 0
// CASE: 4xf32=1 2 3 4; i64=2 -> error: result 0 is i8 [4], but the program expects f32 of rank 1
// CASE: 4xf32=1 2 3 4; i64=3 -> error: result 0 is given twice
// CASE: 4xf32=1 2 3 4; i64=4 -> error: argument 0 is a tensor, expected an integer
// CASE: 4xf32=1 2 3 4; i64=5 -> error: argument 0 is not the function's to write

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>

wrapper.func @main(%x: !b, %i: !i) -> !b attributes {sym.symbols = {n = #sym.range<0, 9>}} {
  wrapper.item "n" = %i : !i
  %0 = wrapper.alloc : !b
  %1 = wrapper.compare <n> eq <0>
  %p0 = wrapper.compare <n> eq <0>
  wrapper.if %p0 : i1 {
    wrapper.extern_call_out "test::wrong"(%x, "size") outs(%0 : !b) : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p1 = wrapper.compare <n> eq <1>
  wrapper.if %p1 : i1 {
    wrapper.extern_call_out "test::wrong"(%x, "none") outs(%0 : !b) : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p2 = wrapper.compare <n> eq <2>
  wrapper.if %p2 : i1 {
    wrapper.extern_call_out "test::wrong"(%x, "type") outs(%0 : !b) : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p3 = wrapper.compare <n> eq <3>
  wrapper.if %p3 : i1 {
    wrapper.extern_call_out "test::wrong"(%x, "twice") outs(%0 : !b) : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p4 = wrapper.compare <n> eq <4>
  wrapper.if %p4 : i1 {
    wrapper.extern_call_out "test::wrong"(%x, "kind") outs(%0 : !b) : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  %p5 = wrapper.compare <n> eq <5>
  wrapper.if %p5 : i1 {
    wrapper.extern_call_out "test::wrong"(%x, "write") outs(%0 : !b) : !b
    wrapper.yield
  } else {
    wrapper.yield
  }
  wrapper.copy %x to %0 : !b
  wrapper.return %0 : !b
}
