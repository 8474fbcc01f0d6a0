// RUN: %corpus %s
// Elements of every integer type, with their signs.
// CASE: i8=-1; u8=255; i16=-300; u16=65535; i32=-70000; u32=4294967295; i64=-5; u64=7 -> 8xi64=-1 255 -300 65535 -70000 4294967295 -5 7
// CASE: i8=0; u8=0; i16=0; u16=0; i32=0; u32=0; i64=0; u64=18446744073709551615 -> error: the element that symbol 's7' is read from does not fit

!i8 = !wrapper.buffer<[], i8, #wrapper.device<"cpu">>
!ui8 = !wrapper.buffer<[], ui8, #wrapper.device<"cpu">>
!i16 = !wrapper.buffer<[], i16, #wrapper.device<"cpu">>
!ui16 = !wrapper.buffer<[], ui16, #wrapper.device<"cpu">>
!i32 = !wrapper.buffer<[], i32, #wrapper.device<"cpu">>
!ui32 = !wrapper.buffer<[], ui32, #wrapper.device<"cpu">>
!i64 = !wrapper.buffer<[], i64, #wrapper.device<"cpu">>
!ui64 = !wrapper.buffer<[], ui64, #wrapper.device<"cpu">>
!r = !wrapper.buffer<[8], i64, #wrapper.device<"cpu">>
!o = !wrapper.buffer<[1], i64, #wrapper.device<"cpu">>

wrapper.kernel @number() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["k"]} {
  %0 = loop.kernel "number" [1] () : () -> tensor<1xi64> {
    %m = loop.index <d0 + k>
    loop.store %m, 0 [d0] : i64
  }
  wrapper.yield %0 : tensor<1xi64>
}

wrapper.func @main(%a0: !i8, %a1: !ui8, %a2: !i16, %a3: !ui16, %a4: !i32, %a5: !ui32, %a6: !i64, %a7: !ui64) -> !r attributes {sym.symbols = {s0 = #sym.range<-128, 127>, s2 = #sym.range<-32768, 32767>, s4 = #sym.range<-2147483648, 2147483647>, s6 = #sym.range<-1000, 1000>}} {
  %r = wrapper.alloc : !r
  wrapper.item "s0" = %a0 : !i8
  %0 = wrapper.reinterpret %r at <0> : !r to !o
  wrapper.launch @number[s0] outs(%0 : !o)
  wrapper.item "s1" = %a1 : !ui8
  %1 = wrapper.reinterpret %r at <1> : !r to !o
  wrapper.launch @number[s1] outs(%1 : !o)
  wrapper.item "s2" = %a2 : !i16
  %2 = wrapper.reinterpret %r at <2> : !r to !o
  wrapper.launch @number[s2] outs(%2 : !o)
  wrapper.item "s3" = %a3 : !ui16
  %3 = wrapper.reinterpret %r at <3> : !r to !o
  wrapper.launch @number[s3] outs(%3 : !o)
  wrapper.item "s4" = %a4 : !i32
  %4 = wrapper.reinterpret %r at <4> : !r to !o
  wrapper.launch @number[s4] outs(%4 : !o)
  wrapper.item "s5" = %a5 : !ui32
  %5 = wrapper.reinterpret %r at <5> : !r to !o
  wrapper.launch @number[s5] outs(%5 : !o)
  wrapper.item "s6" = %a6 : !i64
  %6 = wrapper.reinterpret %r at <6> : !r to !o
  wrapper.launch @number[s6] outs(%6 : !o)
  wrapper.item "s7" = %a7 : !ui64
  %7 = wrapper.reinterpret %r at <7> : !r to !o
  wrapper.launch @number[s7] outs(%7 : !o)
  wrapper.return %r : !r
}
