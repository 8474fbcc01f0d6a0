// RUN: coil-opt %s --split-input-file --verify-diagnostics

!b = !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
wrapper.func @stream_c3_device(%x: !b, %y: !b) {
  wrapper.stream #wrapper.device<"cuda"> 1 {
    // expected-error@+1 {{'wrapper.copy' op works on another device than the stream, #wrapper.device<"cuda">}}
    wrapper.copy %x to %y : !b
    wrapper.yield
  }
  wrapper.return
}

// -----

wrapper.func @stream_c3_event() {
  wrapper.stream #wrapper.device<"cuda"> 1 {
    // expected-error@+1 {{'wrapper.record_event' op works on another device than the stream, #wrapper.device<"cuda">}}
    %e = wrapper.record_event #wrapper.device<"cuda", 1>
    wrapper.yield
  }
  wrapper.return
}
