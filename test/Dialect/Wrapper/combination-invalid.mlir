// RUN: coil-opt %s --split-input-file --verify-diagnostics

// combination_c1: two parts at least, with a list of symbols each.
wrapper.kernel @k() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
}
// expected-error @+1 {{has 1 parts and 1 lists of symbols, expected two or more of each}}
wrapper.combination @c of [@k] symbols [array<i64>]

// -----

wrapper.kernel @k() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = []} {
}
// expected-error @+1 {{has 2 parts and 1 lists of symbols, expected two or more of each}}
wrapper.combination @c of [@k, @k] symbols [array<i64>]

// -----

// combination_c2: parts are kernels with as many symbols.
// expected-error @+1 {{'lost' is not a kernel}}
wrapper.combination @c of [@lost, @lost] symbols [array<i64>, array<i64>]

// -----

wrapper.kernel @k() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
}
// expected-error @+1 {{has 2 symbols for 'k', which has 1}}
wrapper.combination @c of [@k, @k] symbols [array<i64: 0>, array<i64: 0, 1>]

// -----

// combination_c3: symbols are numbered by their first uses.
wrapper.kernel @k() attributes {input_strides = [], output_strides = [#sym.shape<[1]>], symbols = ["n"]} {
}
// expected-error @+1 {{uses symbol 2 before symbol 1}}
wrapper.combination @c of [@k, @k] symbols [array<i64: 0>, array<i64: 2>]

// -----

// Launches alone are parts of combinations.
// expected-error @+1 {{'wrapper.combination' is the combination of a launch}}
wrapper.func @main() attributes {wrapper.combination = @c} {
  wrapper.return
}
