// RUN: coil-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics | FileCheck %s

// Equal polynomials are one attribute: sums and products are expanded, sorted
// and collected; exact parts leave divisions.

// CHECK: "test.a"() {e = #sym.expr<s0 * 4>}
"test.a"() {e = #sym.expr<s0 + s0 * 2 + s0>} : () -> ()
// CHECK: "test.b"() {e = #sym.expr<s0 + d0 * s1 + 2>}
"test.b"() {e = #sym.expr<2 + d0 * s1 + s0>} : () -> ()
// CHECK: "test.c"() {e = #sym.expr<s0 + d0 floordiv 4 + 2>}
"test.c"() {e = #sym.expr<(8 + 4 * s0 + d0) floordiv 4>} : () -> ()
// CHECK: "test.d"() {e = #sym.expr<d0 mod 4>}
"test.d"() {e = #sym.expr<(8 + 4 * s0 + d0) mod 4>} : () -> ()
// CHECK: "test.e"() {e = #sym.expr<d0 + t0 floordiv s0>}
"test.e"() {e = #sym.expr<(d0 * s0 + t0) floordiv s0>} : () -> ()
// CHECK: "test.f"() {e = #sym.expr<(s0 + 3) floordiv 4>}
"test.f"() {e = #sym.expr<s0 ceildiv 4>} : () -> ()
// CHECK: "test.g"() {e = #sym.expr<d0 - d1 - 7>}
"test.g"() {e = #sym.expr<d0 - (d1 + 7)>} : () -> ()
// CHECK: "test.h"() {e = #sym.expr<min(s0, s1)>}
"test.h"() {e = #sym.expr<min(s1, s0)>} : () -> ()
// CHECK: "test.i"() {r = #sym.range<2, *, hint = 32>}
"test.i"() {r = #sym.range<2, *, hint = 32>} : () -> ()
// CHECK: "test.j"() {t = tensor<?x4xf32, #sym.shape<[s0, 4]>>}
"test.j"() {t = tensor<?x4xf32, #sym.shape<[s0, 4]>>} : () -> ()
// CHECK: sym.assert <s0 mod 8> eq <0>, "the batch is a multiple of 8"
sym.assert <s0 mod 8> eq <0>, "the batch is a multiple of 8"

// -----

// expected-error@+1 {{shape encoding has 1 sizes but the tensor has rank 2}}
func.func private @shape_c1(tensor<?x4xf32, #sym.shape<[s0]>>)

// -----

// expected-error@+1 {{shape encoding gives dimension 1 the size '5' but the type says 4}}
func.func private @shape_c2(tensor<?x4xf32, #sym.shape<[s0, 5]>>)

// -----

// expected-error@+1 {{range has a lower end 3 above its upper end 2}}
"test.range_c1"() {r = #sym.range<3, 2>} : () -> ()

// -----

// expected-error@+1 {{hint 9 is outside the range}}
"test.range_c2"() {r = #sym.range<3, 4, hint = 9>} : () -> ()

// -----

// expected-error@+1 {{expected a positive divisor}}
"test.divisor"() {e = #sym.expr<s0 floordiv 0>} : () -> ()

// -----

// expected-error@+1 {{'sym.assert' op expression 'd0' mentions a dimension or an indirect index}}
sym.assert <d0> eq <0>, "assert_c1"

// -----

// expected-error@+1 {{'sym.assert' op never holds: 1 eq 0}}
sym.assert <1> eq <0>, "assert_c2"

// -----

// expected-error@+1 {{symbolic expression is nested more than 128 deep}}
"test.depth"() {e = #sym.expr<((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((s0))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))>} : () -> ()

// -----

// expected-error@+1 {{expected a symbolic expression}}
"test.operand"() {e = #sym.expr<s0 + >} : () -> ()
