//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbolic shape inference of `graph` operators.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "coil/Dialect/Graph/IR/Graph.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

bool graph::hasSizes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (tensor.hasStaticShape() ||
                    isa_and_nonnull<sym::ShapeAttr>(tensor.getEncoding()));
}

Sizes graph::getSizes(Value tensor) {
  return sym::getSizes(cast<RankedTensorType>(tensor.getType()));
}

bool graph::hasNoElements(Value tensor) {
  return llvm::any_of(getSizes(tensor),
                      [](ExprAttr size) { return size.isConstant(0); });
}

Type graph::getElementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

bool graph::provablyDiffer(ExprAttr a, ExprAttr b) {
  if (a == b)
    return false;
  std::optional<int64_t> difference = sym::sub(a, b).getConstant();
  return difference && *difference != 0;
}

std::string graph::toString(SizesRef sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  sym::printExprList(os, sizes);
  return text;
}

/// Fails with a message built by `message(diagnostic)`.
template <typename Fn>
static LogicalResult fail(EmitError emitError, Fn message) {
  if (emitError) {
    InFlightDiagnostic diagnostic = emitError();
    message(diagnostic);
  }
  return failure();
}

LogicalResult graph::verifySizes(Type type, SizesRef expected,
                                 EmitError emitError) {
  Sizes actual = sym::getSizes(cast<RankedTensorType>(type));
  if (SizesRef(actual) == expected)
    return success();
  return fail(emitError, [&](InFlightDiagnostic &d) {
    d << "expected result sizes " << toString(expected) << " but got "
      << toString(actual);
  });
}

FailureOr<Sizes> graph::broadcastSizes(ArrayRef<Sizes> shapes,
                                       EmitError emitError) {
  Sizes result;
  for (const Sizes &shape : shapes) {
    if (shape.size() > result.size()) {
      size_t missing = shape.size() - result.size();
      result.insert(result.begin(), shape.begin(), shape.begin() + missing);
    }
    size_t offset = result.size() - shape.size();
    for (auto [i, size] : llvm::enumerate(shape)) {
      ExprAttr &out = result[offset + i];
      if (size == out || size.isConstant(1))
        continue;
      if (out.isConstant(1)) {
        out = size;
        continue;
      }
      if (provablyDiffer(size, out))
        return fail(emitError,
                    [&, &out = out, &size = size](InFlightDiagnostic &d) {
                      d << "sizes '" << out.str() << "' and '" << size.str()
                        << "' do not broadcast";
                    });
      if (size.isConstant())
        out = size;
    }
  }
  return result;
}

LogicalResult graph::verifyBroadcast(SizesRef from, SizesRef to,
                                     EmitError emitError) {
  bool ok = from.size() <= to.size();
  if (ok)
    for (auto [a, b] : llvm::zip(from, to.take_back(from.size())))
      ok &= a == b || a.isConstant(1);
  if (ok)
    return success();
  return fail(emitError, [&](InFlightDiagnostic &d) {
    d << "sizes " << toString(from) << " do not broadcast to the result's "
      << toString(to);
  });
}

FailureOr<Sizes> graph::inferReduce(SizesRef input, ArrayRef<int64_t> dims,
                                    bool keepdims, EmitError emitError) {
  int64_t rank = input.size();
  llvm::SmallBitVector reduced(rank);
  int64_t previous = -1;
  for (int64_t d : dims) {
    if (d <= previous || d >= rank)
      return fail(emitError, [&](InFlightDiagnostic &diag) {
        diag << "expected sorted, distinct dimensions below " << rank
             << " but got " << d
             << (previous >= 0 ? " after " + std::to_string(previous) : "");
      });
    previous = d;
    reduced.set(d);
  }
  Sizes result;
  for (auto [i, size] : llvm::enumerate(input)) {
    if (!reduced.test(i))
      result.push_back(size);
    else if (keepdims)
      result.push_back(sym::constant(size.getContext(), 1));
  }
  return result;
}

FailureOr<Sizes> graph::inferMatmul(SizesRef lhs, SizesRef rhs,
                                    EmitError emitError) {
  size_t rank = lhs.size();
  if (rank < 2 || rhs.size() != rank) // (C1)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      d << "expected operands of one rank of at least 2 but got ranks " << rank
        << " and " << rhs.size();
    });
  if (lhs[rank - 1] != rhs[rank - 2]) // (C2)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      d << "contracted sizes '" << lhs[rank - 1].str() << "' and '"
        << rhs[rank - 2].str() << "' differ";
    });
  Sizes result;
  for (size_t i = 0; i + 2 < rank; ++i) { // (C3)
    if (lhs[i] != rhs[i] && !lhs[i].isConstant(1) && !rhs[i].isConstant(1))
      return fail(emitError, [&](InFlightDiagnostic &d) {
        d << "batch sizes '" << lhs[i].str() << "' and '" << rhs[i].str()
          << "' differ";
      });
    result.push_back(lhs[i].isConstant(1) ? rhs[i] : lhs[i]);
  }
  result.push_back(lhs[rank - 2]);
  result.push_back(rhs[rank - 1]);
  return result;
}

ExprAttr graph::inferWindowCount(ExprAttr size, int64_t kernel, int64_t stride,
                                 int64_t padding, int64_t dilation,
                                 bool ceilMode) {
  MLIRContext *ctx = size.getContext();
  // How far the first element of a window can move.
  ExprAttr room = sym::add(size, 2 * padding - dilation * (kernel - 1) - 1);
  ExprAttr strideExpr = sym::constant(ctx, stride);
  if (!ceilMode)
    return sym::add(sym::floorDiv(room, strideExpr), 1);
  ExprAttr count = sym::add(sym::ceilDiv(room, strideExpr), 1);
  ExprAttr starting = sym::ceilDiv(sym::add(size, padding), strideExpr);
  return sym::min(count, starting);
}

FailureOr<Sizes> graph::inferConv(SizesRef input, SizesRef weight,
                                  const Window &window, int64_t groups,
                                  EmitError emitError) {
  size_t rank = input.size();
  if (rank < 3 || rank > 5 || weight.size() != rank) // (C1)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      d << "expected input and weight of one rank from 3 to 5 but got ranks "
        << rank << " and " << weight.size();
    });
  size_t spatial = rank - 2;
  // Libraries count in 32 bits.
  auto atLeast = [](int64_t bound) {
    return [=](int64_t v) {
      return v >= bound && v <= std::numeric_limits<int32_t>::max();
    };
  };
  if (window.stride.size() != spatial || window.padding.size() != spatial ||
      window.dilation.size() != spatial ||
      !llvm::all_of(window.stride, atLeast(1)) ||
      !llvm::all_of(window.dilation, atLeast(1)) ||
      !llvm::all_of(window.padding, atLeast(0))) // (C2)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      d << "expected " << spatial
        << " positive strides and dilations and paddings that are not "
           "negative, all below 2^31";
    });
  ExprAttr groupsExpr = sym::constant(input[0].getContext(), groups);
  if (!atLeast(1)(groups) || sym::mul(weight[1], groupsExpr) != input[1] ||
      !sym::mod(weight[0], groupsExpr).isConstant(0)) // (C3)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      d << "weight " << toString(weight) << " does not fit " << input[1].str()
        << " channels in " << groups << " groups";
    });
  Sizes result = {input[0], weight[0]};
  for (size_t i = 0; i < spatial; ++i) {
    std::optional<int64_t> kernel = weight[i + 2].getConstant();
    if (!kernel)
      return fail(emitError, [&](InFlightDiagnostic &d) {
        d << "kernel size '" << weight[i + 2].str() << "' is not constant";
      });
    result.push_back(inferWindowCount(input[i + 2], *kernel, window.stride[i],
                                      window.padding[i], window.dilation[i],
                                      /*ceilMode=*/false));
  }
  return result;
}

FailureOr<Sizes> graph::inferPermute(SizesRef input,
                                     ArrayRef<int64_t> permutation,
                                     EmitError emitError) {
  int64_t rank = input.size();
  llvm::SmallBitVector seen(rank);
  Sizes result;
  for (int64_t d : permutation) {
    if (d < 0 || d >= rank || seen.test(d))
      break;
    seen.set(d);
    result.push_back(input[d]);
  }
  if (result.size() == input.size() && permutation.size() == input.size())
    return result;
  return fail(emitError, [&](InFlightDiagnostic &d) {
    d << "expected a permutation of " << rank << " dimensions";
  });
}

FailureOr<Sizes> graph::inferCat(ArrayRef<Sizes> inputs, int64_t dim,
                                 EmitError emitError) {
  if (inputs.empty() || dim < 0 ||
      dim >= static_cast<int64_t>(inputs.front().size())) // (C1)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      if (inputs.empty())
        d << "expected an operand";
      else
        d << "dimension " << dim << " is outside rank "
          << inputs.front().size();
    });
  Sizes result = inputs.front();
  for (const Sizes &input : inputs.drop_front()) {
    if (input.size() != result.size()) // (C1)
      return fail(emitError, [&](InFlightDiagnostic &d) {
        d << "operands have ranks " << result.size() << " and " << input.size();
      });
    for (auto [i, size] : llvm::enumerate(input)) {
      if (static_cast<int64_t>(i) == dim)
        result[i] = sym::add(result[i], size);
      else if (size != result[i]) // (C2)
        return fail(emitError,
                    [&, &i = i, &size = size](InFlightDiagnostic &d) {
                      d << "sizes '" << result[i].str() << "' and '"
                        << size.str() << "' of dimension " << i << " differ";
                    });
    }
  }
  return result;
}

FailureOr<Sizes> graph::inferPad(SizesRef input, ArrayRef<int64_t> low,
                                 ArrayRef<int64_t> high, EmitError emitError) {
  if (low.size() != input.size() || high.size() != input.size()) // (C1)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      d << "expected " << input.size() << " amounts of padding but got "
        << low.size() << " and " << high.size();
    });
  Sizes result;
  for (auto [i, size] : llvm::enumerate(input))
    result.push_back(sym::add(size, low[i] + high[i]));
  return result;
}

FailureOr<Sizes> graph::inferIndex(SizesRef input, ArrayRef<Sizes> indices,
                                   ArrayRef<int64_t> dims,
                                   EmitError emitError) {
  int64_t rank = input.size();
  if (indices.size() != dims.size() || dims.empty()) // (C1)
    return fail(emitError, [&](InFlightDiagnostic &d) {
      d << "expected one index for each of " << dims.size()
        << " dimensions but got " << indices.size();
    });
  int64_t previous = -1;
  for (int64_t d : dims) { // (C1)
    if (d <= previous || d >= rank)
      return fail(emitError, [&](InFlightDiagnostic &diag) {
        diag << "expected sorted, distinct dimensions below " << rank;
      });
    previous = d;
  }
  FailureOr<Sizes> broadcast = broadcastSizes(indices, emitError); // (C2)
  if (failed(broadcast))
    return failure();
  bool adjacent =
      dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
  Sizes result;
  if (!adjacent)
    llvm::append_range(result, *broadcast);
  for (int64_t i = 0; i < rank; ++i) {
    if (adjacent && i == dims.front())
      llvm::append_range(result, *broadcast);
    if (!llvm::is_contained(dims, i))
      result.push_back(input[i]);
  }
  return result;
}
