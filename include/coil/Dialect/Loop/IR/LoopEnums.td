//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enums of the `loop` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_LOOPENUMS_TD
#define COIL_DIALECT_LOOP_IR_LOOPENUMS_TD

include "mlir/IR/EnumAttr.td"

def Loop_SpecialFunction
    : I32EnumAttr<"SpecialFunction", "function without an instruction", [
    I32EnumAttrCase<"LGamma", 0, "lgamma">,
    I32EnumAttrCase<"Digamma", 1, "digamma">,
    I32EnumAttrCase<"ErfInv", 2, "erfinv">,
    I32EnumAttrCase<"NextAfter", 3, "nextafter">,
    I32EnumAttrCase<"I0", 4, "i0">, I32EnumAttrCase<"I0e", 5, "i0e">,
    I32EnumAttrCase<"I1", 6, "i1">, I32EnumAttrCase<"I1e", 7, "i1e">,
    I32EnumAttrCase<"NdtrI", 8, "ndtri">,
    I32EnumAttrCase<"LogNdtr", 9, "log_ndtr">,
    I32EnumAttrCase<"IGamma", 10, "igamma">,
    I32EnumAttrCase<"IGammaC", 11, "igammac">,
    I32EnumAttrCase<"Zeta", 12, "zeta">,
    I32EnumAttrCase<"Erfcx", 13, "erfcx">,
    I32EnumAttrCase<"Trigamma", 14, "trigamma">,
    I32EnumAttrCase<"BesselJ0", 15, "bessel_j0">,
    I32EnumAttrCase<"BesselJ1", 16, "bessel_j1">,
    I32EnumAttrCase<"BesselY0", 17, "bessel_y0">,
    I32EnumAttrCase<"BesselY1", 18, "bessel_y1">,
    I32EnumAttrCase<"K0", 19, "k0">,
    I32EnumAttrCase<"K0e", 20, "k0e">,
    I32EnumAttrCase<"K1", 21, "k1">,
    I32EnumAttrCase<"K1e", 22, "k1e">,
    I32EnumAttrCase<"AiryAi", 23, "airy_ai">,
    I32EnumAttrCase<"ChebyshevT", 24, "chebyshev_t">,
    I32EnumAttrCase<"ChebyshevU", 25, "chebyshev_u">,
    I32EnumAttrCase<"ChebyshevV", 26, "chebyshev_v">,
    I32EnumAttrCase<"ChebyshevW", 27, "chebyshev_w">,
    I32EnumAttrCase<"ShiftedChebyshevT", 28, "shifted_chebyshev_t">,
    I32EnumAttrCase<"ShiftedChebyshevU", 29, "shifted_chebyshev_u">,
    I32EnumAttrCase<"ShiftedChebyshevV", 30, "shifted_chebyshev_v">,
    I32EnumAttrCase<"ShiftedChebyshevW", 31, "shifted_chebyshev_w">,
    I32EnumAttrCase<"HermiteH", 32, "hermite_h">,
    I32EnumAttrCase<"HermiteHe", 33, "hermite_he">,
    I32EnumAttrCase<"LaguerreL", 34, "laguerre_l">,
    I32EnumAttrCase<"LegendreP", 35, "legendre_p">]> {
  let cppNamespace = "::coil::loop";
}

def Loop_ReduceKind : I32EnumAttr<"ReduceKind", "combining operation", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"And", 7, "and">,
    I32EnumAttrCase<"Xor", 8, "xor">]> {
  let cppNamespace = "::coil::loop";
}

def Loop_ScanKind : I32EnumAttr<"ScanKind", "operation of a scan", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
    I32EnumAttrCase<"LogAddExp", 6, "logaddexp">]> {
  let cppNamespace = "::coil::loop";
}

def Loop_BoundsPolicy
    : I32EnumAttr<"BoundsPolicy", "treatment of an indirect index", [
    I32EnumAttrCase<"Trusted", 0, "trusted">,
    I32EnumAttrCase<"Check", 1, "check">,
    I32EnumAttrCase<"WrapCheck", 2, "wrap_check">,
    I32EnumAttrCase<"Clamp", 3, "clamp">]> {
  let cppNamespace = "::coil::loop";
}

def Loop_GPUStrategy
    : I32EnumAttr<"GPUStrategy", "shape of a GPU kernel", [
    I32EnumAttrCase<"Tile", 0, "tile">,
    I32EnumAttrCase<"Transpose", 1, "transpose">,
    I32EnumAttrCase<"Scan", 2, "scan">,
    I32EnumAttrCase<"Mma", 3, "mma">,
    I32EnumAttrCase<"Box", 4, "box">]> {
  let cppNamespace = "::coil::loop";
}

def Loop_MmaInstruction
    : I32EnumAttr<"MmaInstruction", "what multiplies tiles", [
    I32EnumAttrCase<"Fma", 0, "fma">,
    I32EnumAttrCase<"M16N8K16", 1, "m16n8k16">,
    I32EnumAttrCase<"M8N8K4", 2, "m8n8k4">,
    I32EnumAttrCase<"Wgmma", 3, "wgmma">,
    I32EnumAttrCase<"M16N8K8", 4, "m16n8k8">]> {
  let cppNamespace = "::coil::loop";
}

#endif // COIL_DIALECT_LOOP_IR_LOOPENUMS_TD
