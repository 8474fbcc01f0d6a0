//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frequencies of Fourier transforms. (Transforms with complex operands or
// results are rewritten before, in ComplexFft.cpp.)
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The frequencies of a transform of n samples at a distance d: 0, 1, ... and
/// then negative ones, over n d. Of real samples there are no negative ones.
static AtenHandler frequencies(bool real) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    ExprAttr n = c.getExpr("n");
    Type type = getAccumulationType(c.resultElementType());
    if (!n || !isa<FloatType>(type))
      return c.fail("its size is missing or its elements are no floats");
    Type i64 = b.getBuilder().getI64Type();
    ExprAttr half = sym::floorDiv(n, b.size(2));
    Value i = b.iota(0, 1, real ? sym::add(half, 1) : n);
    if (!real) {
      Value isNegative =
          b.compare(ComparePredicate::Ge, i, b.expr(sym::sub(n, half), i64));
      i = b.select(isNegative, b.sub(i, b.expr(n, i64)), i);
    }
    Value span = b.mul(b.expr(n, type), b.scalar(c.floatOr("d", 1), type));
    return c.replace(b.mul(b.convert(i, type), b.unary<ReciprocalOp>(span)));
  };
}

void graph::populateFftLegalizations(AtenLegalizations &t) {
  t.add("fft_fftfreq", frequencies(/*real=*/false));
  t.add("fft_rfftfreq", frequencies(/*real=*/true));
  populateRealTransforms(t);
}
