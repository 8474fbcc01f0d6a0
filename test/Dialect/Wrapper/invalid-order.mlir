// RUN: coil-opt %s --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c1(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected a group with a name without line feeds}}
  %t = wrapper.collective all_reduce sum %x to %y group "" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c2_reduce(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{'all_reduce' has to say how elements are combined}}
  %t = wrapper.collective all_reduce %x to %y group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c2_gather(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{'all_gather' does not say how elements are combined}}
  %t = wrapper.collective all_gather sum %x to %y group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c2_root(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{'broadcast' needs a root that is not negative}}
  %t = wrapper.collective broadcast %x to %y root -1 group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c2_no_root(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{'all_gather' has no root}}
  %t = wrapper.collective all_gather %x to %y root 0 group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c2_splits(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{'all_gather' has no splits}}
  %t = wrapper.collective all_gather %x to %y splits [4] to [4] group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c3_type(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected contiguous buffers of one element type on one device}}
  %t = wrapper.collective all_gather %x to %i group "0" : !b to !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c3_strides(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected contiguous buffers of one element type on one device}}
  %t = wrapper.collective all_gather %s to %y group "0" : !s to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c3_device(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected contiguous buffers of one element type on one device}}
  %t = wrapper.collective all_gather %g to %y group "0" : !g to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c4(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{'all_reduce' takes sizes that are equal, and has}}
  %t = wrapper.collective all_reduce sum %x to %l group "0" : !b to !l
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c4_first(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{'all_gather' takes sizes that are equal but for the first, and has}}
  %t = wrapper.collective all_gather %x to %m group "0" : !b to !m
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c5_count(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected as many splits of the source as of the target, at least one}}
  %t = wrapper.collective all_to_all %x to %y splits [4] to [2, 2] group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c5_negative(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{has a split of -1 rows}}
  %t = wrapper.collective all_to_all %x to %y splits [-1, 5] to [2, 2] group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c5_dim(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expression 'd0' mentions a dimension}}
  %t = wrapper.collective all_to_all %x to %y splits [d0] to [4] group "0" : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c6(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{cannot combine bools}}
  %t = wrapper.collective all_reduce max %p to %p group "0" : !p to !p
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @collective_c6_avg(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{takes no average of elements of type 'i32'}}
  %t = wrapper.collective all_reduce avg %i to %i group "0" : !i to !i
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @comm_alloc_c1(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected a group with a name without line feeds}}
  %c = wrapper.comm_alloc symmetric group "a\0Ab" : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @comm_alloc_c3(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected a contiguous buffer}}
  %c = wrapper.comm_alloc symmetric group "0" : !s
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @comm_free_c1(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{operand is not the result of 'wrapper.comm_alloc'}}
  wrapper.comm_free %x : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @record_event_c1(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected a stream from 1 to 31 but got 32}}
  %e = wrapper.record_event #wrapper.device<"cpu"> stream 32
  wrapper.return
}

// -----

!n = !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
wrapper.func @comm_alloc_c2(%x: !n) attributes {sym.symbols = {s0 = #sym.range<0, 64>}} {
  wrapper.input_symbol "s0" = size 0 of %x : !n
  // expected-error@+1 {{allocates 's0 * 4' bytes, which is not a constant}}
  %c = wrapper.comm_alloc symmetric group "0" : !n
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @wait_c1(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-note@+1 {{the collective is here}}
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-error@+1 {{expected the token of a 'wrapper.collective', and its buffers}}
  wrapper.wait %t of %y to %x : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @wait_event_c1(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  %t = wrapper.collective all_gather %x to %y group "0" : !b to !b
  // expected-error@+1 {{expected the token of a 'wrapper.record_event'}}
  wrapper.wait_event %t
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @wait_event_c2(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  %e = wrapper.record_event #wrapper.device<"cuda">
  // expected-error@+1 {{names a buffer on #wrapper.device<"cpu"> for an event of #wrapper.device<"cuda">}}
  wrapper.wait_event %e uses(%x : !b)
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @free_c3(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  %c = wrapper.comm_alloc symmetric group "0" : !b
  // expected-error@+1 {{operand is a communication buffer; 'wrapper.comm_free' ends its life}}
  wrapper.free %c : !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @reuse_c4(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  %c = wrapper.comm_alloc symmetric group "0" : !b
  // expected-error@+1 {{transfers the ownership of a communication buffer}}
  %d = wrapper.reuse %c : !b to !b
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @stream_c1(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected a region without arguments that yields nothing}}
  wrapper.stream #wrapper.device<"cpu"> 1 {
    wrapper.yield symbols [1]
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @stream_c2(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-error@+1 {{expected a stream from 1 to 31 but got 0}}
  wrapper.stream #wrapper.device<"cpu"> 0 {
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @stream_c3(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  // expected-note@+1 {{the stream is here}}
  wrapper.stream #wrapper.device<"cpu"> 1 {
    // expected-error@+1 {{is not started on a stream}}
    %a = wrapper.alloc : !b
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @stream_c3_device(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  wrapper.stream #wrapper.device<"cpu"> 1 {
    // expected-error@+1 {{works on another device than the stream}}
    wrapper.fill %g bytes 0 : !g
    wrapper.yield
  }
  wrapper.return
}

// -----

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
!i = !wrapper.buffer<[4], i32, #wrapper.device<"cpu">>
!p = !wrapper.buffer<[4], i1, #wrapper.device<"cpu">>
!s = !wrapper.buffer<[4], strides = [2], f32, #wrapper.device<"cpu">>
!l = !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
!m = !wrapper.buffer<[4, 2], f32, #wrapper.device<"cpu">>
!g = !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
wrapper.func @record_event_c1_inside(%x: !b, %y: !b, %i: !i, %p: !p, %s: !s, %l: !l, %m: !m, %g: !g) {
  wrapper.stream #wrapper.device<"cpu"> 1 {
    // expected-error@+1 {{names a stream inside of another one}}
    %e = wrapper.record_event #wrapper.device<"cpu"> stream 2
    wrapper.yield
  }
  wrapper.return
}

// -----

// A token stays in its function.
// expected-error @below {{'wrapper.func' op expected buffers in the signature but got '!wrapper.token'}}
wrapper.func private @token_argument(%t: !wrapper.token) {
  wrapper.return
}

// -----

// No region yields a token.
wrapper.func @token_yield() {
  // expected-error @below {{'wrapper.profile_range' op result #0 must be variadic of buffer or 1-bit signless integer or 64-bit float, but got '!wrapper.token'}}
  %0 = wrapper.profile_range "r" -> (!wrapper.token) {
    %e = wrapper.record_event #wrapper.device<"cpu">
    wrapper.yield %e : !wrapper.token
  }
  wrapper.return
}
