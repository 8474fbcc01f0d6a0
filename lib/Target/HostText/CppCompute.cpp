//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches and library calls of host programs as statements of C++.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// Parameters of a device's function that launches kernels.
static constexpr StringLiteral kLaunch =
    "coil_run *, coil_cpu_kernel, void **, const int64_t *, int64_t, int64_t";

void CppEmitter::noteCost(Operation &op) {
  if (auto cost = op.getAttrOfType<CostAttr>(kCostAttrName))
    out.line(printCall("coil_rt_note_cost",
                       {print(cost.getBytes()), print(cost.getFlops()),
                        cost.getMatrix() ? print(cost.getMatrix()) : "0"}));
}

LogicalResult CppEmitter::emit(LaunchOp op) {
  auto kernel = table.lookup<KernelOp>(op.getCallee());
  const DeviceInfo *device = getKernelDevice(op, kernel);
  if (!device)
    return failure();
  noteCost(*op);
  now.kernels.insert(kernel);
  if (device->launchByGeometry) {
    emitGridLaunch(op, kernel, *device);
    return success();
  }
  llvm::StringMap<ExprAttr> arguments;
  for (auto [name, e] :
       llvm::zip(kernel.getSymbols(), op.getSymbols().getDims()))
    arguments[cast<StringAttr>(name).getValue()] = e;
  ExprAttr total = sym::substitute(*kernel.getTotal(), [&](ExprAttr leaf) {
    return arguments.lookup(leaf.getName());
  });
  out.line(
      printCall(deviceFunction(device->launchFunction, kLaunch),
                {global(kernel.getName()).str(), addressList(op.getOperands()),
                 list(op.getSymbols().getDims()), print(total),
                 std::to_string(*kernel.getGrain())}));
  return success();
}

LogicalResult CppEmitter::emit(CheckLifetimeOp op) {
  out.line(printCall(
      "coil_rt_check_lifetime",
      {std::to_string(static_cast<int32_t>(op.getMode())),
       quote(currentFunction.getName()), quote(op.getStep()),
       std::to_string(op.getStorage().size()), quote(op.getNameList()),
       op.getStorage().empty() ? "nullptr" : addressList(op.getStorage())}));
  return success();
}

LogicalResult CppEmitter::emit(DebugMarkOp op) {
  out.line(printCall("coil_rt_debug_mark", {quote(op.getLabel())}));
  return success();
}

/// Parameters of a device's function that shows a value.
static constexpr StringLiteral kDebugValue =
    "coil_run *, int32_t, const char *, const void *, int32_t, int32_t, const "
    "int64_t *, const int64_t *";

LogicalResult CppEmitter::emit(DebugValueOp op) {
  BufferType t = type(op.getBuffer());
  const DeviceInfo *device = getDevice(op, t.getDevice());
  std::optional<int32_t> dtype = getDType(op, t.getElementType());
  if (!device || !dtype)
    return failure();
  if (device->debugFunction.empty())
    return op->emitOpError()
           << "values on device '" << device->kind << "' cannot be shown";
  out.line(printCall(deviceFunction(device->debugFunction, kDebugValue),
                     {std::to_string(static_cast<int32_t>(op.getAction())),
                      quote(op.getLabel()), address(op.getBuffer()),
                      std::to_string(*dtype), std::to_string(t.getRank()),
                      list(t.getSizes().getDims()),
                      list(t.getStrides().getDims())}));
  return success();
}

static std::string parameters(StringRef description, unsigned numInputs,
                              unsigned numOutputs = 1) {
  std::string text = ("coil_run *, const " + description + " *").str();
  for (unsigned i = 0; i < numInputs; ++i)
    text += ", const void *";
  for (unsigned i = 0; i < numOutputs; ++i)
    text += ", void *";
  return text;
}

LogicalResult CppEmitter::emit(ContractionOp op) {
  const DeviceInfo *device =
      requireLibrary(op, type(op.getC()).getDevice(),
                     &DeviceInfo::contractionFunction, "contractions");
  if (!device)
    return failure();
  auto a = dtypeName(op, type(op.getA()).getElementType()),
       b = dtypeName(op, type(op.getB()).getElementType()),
       c = dtypeName(op, type(op.getC()).getElementType());
  std::optional<std::string> bias = "0";
  if (op.getBias())
    bias = dtypeName(op, type(op.getBias()).getElementType());
  if (!a || !b || !c || !bias)
    return failure();
  noteCost(*op);
  ArrayRef<ExprAttr> dims = op.getDims().getDims();
  size_t batch = dims.size() - 3, m = batch, n = batch + 1, k = batch + 2;
  sym::ShapeAttr sa = op.getAStrides(), sb = op.getBStrides(),
                 sc = op.getCStrides();
  bool alongM = op.getBias() && !(*op.getBiasStrides())[m].isConstant(0);
  auto braces = [&](ArrayRef<ExprAttr> exprs) {
    return "{" + printList(exprs) + "}";
  };
  std::string d = getLocals().numbered("contraction");
  out.line("const coil_contraction " + d + " = {");
  out.indent();
  out.line("sizeof(coil_contraction), " + *a + ", " + *b + ", " + *bias + ", " +
           *c + ", /*batch_rank=*/" + Twine(batch) + ",");
  out.line(Twine(alongM ? "COIL_BIAS_ALONG_M" : "COIL_BIAS_ALONG_N") +
           ", static_cast<int32_t>(" +
           (op.getPost() == PostOp::None
                ? "COIL_POST_NONE"
                : "COIL_POST_" + stringifyPostOp(op.getPost()).upper()) +
           "), /*tf32=*/" + (op.getTf32() ? "1" : "0") + ", /*reserved=*/0,");
  out.line("/*m, n, k=*/" + printList(dims.drop_front(batch)) + ",");
  out.line(
      "/*a=*/" + braces({sa[m], sa[k]}) + ", /*b=*/" + braces({sb[k], sb[n]}) +
      ", /*c=*/" + braces({sc[m], sc[n]}) + ", /*bias=*/" +
      (op.getBias() ? print((*op.getBiasStrides())[alongM ? m : n]) : "0") +
      ",");
  out.line("/*batches=*/" + braces(dims.take_front(batch)) + ", " +
           braces(sa.getDims().take_front(batch)) + ", " +
           braces(sb.getDims().take_front(batch)) + ", " +
           braces(sc.getDims().take_front(batch)) + ", " + where(op) + "};");
  out.outdent();
  out.line(printCall(deviceFunction(device->contractionFunction,
                                    parameters("coil_contraction", 3)),
                     {"&" + d, elementAddress(op.getA(), op.getAOffsetAttr()),
                      elementAddress(op.getB(), op.getBOffsetAttr()),
                      op.getBias()
                          ? elementAddress(op.getBias(), op.getBiasOffsetAttr())
                          : "nullptr",
                      elementAddress(op.getC(), op.getCOffsetAttr())}));
  return success();
}

LogicalResult CppEmitter::emit(ConvolutionOp op) {
  BufferType x = type(op.getX()), w = type(op.getW()), y = type(op.getY());
  const DeviceInfo *device = requireLibrary(
      op, y.getDevice(), &DeviceInfo::convolutionFunction, "convolutions");
  if (!device)
    return failure();
  auto xType = dtypeName(op, x.getElementType()),
       wType = dtypeName(op, w.getElementType()),
       yType = dtypeName(op, y.getElementType());
  std::optional<std::string> bias = "0";
  if (op.getBias())
    bias = dtypeName(op, type(op.getBias()).getElementType());
  if (!xType || !wType || !yType || !bias)
    return failure();
  noteCost(*op);
  auto braces = [&](ArrayRef<ExprAttr> exprs) {
    return "{" + printList(exprs) + "}";
  };
  auto numbers = [](ArrayRef<int64_t> values) {
    SmallVector<std::string> parts;
    for (int64_t v : values)
      parts.push_back(std::to_string(v));
    return "{" + llvm::join(parts, ", ") + "}";
  };
  auto spatial = [](BufferType t) {
    return t.getSizes().getDims().drop_front(2);
  };
  std::string d = getLocals().numbered("convolution");
  out.line("const coil_convolution " + d + " = {");
  out.indent();
  out.line("sizeof(coil_convolution), " + *xType + ", " + *wType + ", " +
           *bias + ", " + *yType + ", /*spatial_rank=*/" +
           Twine(x.getRank() - 2) + ", /*transposed=*/0,");
  out.line("static_cast<int32_t>(" +
           (op.getPost() == PostOp::None
                ? "COIL_POST_NONE"
                : "COIL_POST_" + stringifyPostOp(op.getPost()).upper()) +
           "), /*tf32=*/" + (op.getTf32() ? "1" : "0") + ", /*reserved=*/0,");
  out.line("/*batch, channels, groups=*/" +
           printList({x.getSizes()[0], x.getSizes()[1], y.getSizes()[1]}) +
           ", " + Twine(op.getGroups()) + ",");
  out.line("/*bias=*/" +
           (op.getBias() ? print(type(op.getBias()).getStrides()[0])
                         : std::string("0")) +
           ", /*sizes=*/" + braces(spatial(x)) + ", " + braces(spatial(w)) +
           ", " + braces(spatial(y)) + ",");
  out.line("/*strides=*/" + numbers(op.getStride()) + ", /*padding=*/" +
           numbers(op.getPadding()) + ", " + numbers(op.getPadding()) +
           ", /*dilations=*/" + numbers(op.getDilation()) + ",");
  out.line("/*x, w, y=*/" + braces(x.getStrides().getDims()) + ", " +
           braces(w.getStrides().getDims()) + ", " +
           braces(y.getStrides().getDims()) + ", " + where(op) + "};");
  out.outdent();
  out.line(printCall(deviceFunction(device->convolutionFunction,
                                    parameters("coil_convolution", 3)),
                     {"&" + d, address(op.getX()), address(op.getW()),
                      op.getBias() ? address(op.getBias()) : "nullptr",
                      address(op.getY())}));
  return success();
}

LogicalResult CppEmitter::emit(AttentionOp op) {
  BufferType q = type(op.getQ()), k = type(op.getK()), v = type(op.getV()),
             o = type(op.getO());
  const DeviceInfo *device = requireLibrary(
      op, o.getDevice(), &DeviceInfo::attentionFunction, "attention");
  if (!device)
    return failure();
  auto dtype = dtypeName(op, o.getElementType());
  if (!dtype)
    return failure();
  noteCost(*op);
  auto strides = [&](BufferType t) {
    return "{" + printList(t.getStrides().getDims()) + "}";
  };
  std::string d = getLocals().numbered("attention");
  out.line("const coil_attention " + d + " = {");
  out.indent();
  out.line("sizeof(coil_attention), " + *dtype + ", /*causal=*/" +
           (op.getCausal() ? "1" : "0") + ", /*reserved=*/0, /*scale=*/" +
           printFloatLiteral(op.getScale().convertToDouble()) + ",");
  out.line("/*batch, heads, kv_heads, queries, keys, widths=*/" +
           printList({q.getSizes()[0], q.getSizes()[1], k.getSizes()[1],
                      q.getSizes()[2], k.getSizes()[2], q.getSizes()[3],
                      v.getSizes()[3]}) +
           ",");
  out.line("/*strides=*/" + strides(q) + ", " + strides(k) + ", " + strides(v) +
           ", " + strides(op.getMask() ? type(op.getMask()) : q) + ", " +
           strides(o) + ", " + where(op) + "};");
  out.outdent();
  out.line(printCall(
      deviceFunction(device->attentionFunction,
                     parameters("coil_attention", 4)),
      {"&" + d, address(op.getQ()), address(op.getK()), address(op.getV()),
       op.getMask() ? address(op.getMask()) : "nullptr", address(op.getO())}));
  return success();
}

LogicalResult CppEmitter::emit(SortOp op) {
  BufferType x = type(op.getX());
  const DeviceInfo *device =
      requireLibrary(op, x.getDevice(), &DeviceInfo::sortFunction, "sorting");
  if (!device)
    return failure();
  auto dtype = dtypeName(op, x.getElementType());
  if (!dtype)
    return failure();
  noteCost(*op);
  Value result = op.getValues() ? op.getValues() : op.getIndices();
  ArrayRef<ExprAttr> sizes = x.getSizes().getDims();
  size_t dim = op.getDim();
  MLIRContext *context = op.getContext();
  std::string d = getLocals().numbered("sort");
  out.line("const coil_sort " + d + " = {");
  out.indent();
  out.line("sizeof(coil_sort), " + *dtype + ", /*descending=*/" +
           (op.getDescending() ? "1" : "0") + ", /*unordered=*/" +
           (op.getUnordered() ? "1" : "0") + ",");
  out.line("/*outer, size, inner, count=*/" +
           printList({sym::product(context, sizes.take_front(dim)), sizes[dim],
                      sym::product(context, sizes.drop_front(dim + 1)),
                      type(result).getSizes()[dim]}) +
           ", " + where(op) + "};");
  out.outdent();
  out.line(printCall(
      deviceFunction(device->sortFunction,
                     "coil_run *, const coil_sort *, const void *, void *, "
                     "int64_t *"),
      {"&" + d, address(op.getX()),
       op.getValues() ? address(op.getValues()) : "nullptr",
       op.getIndices()
           ? "static_cast<int64_t *>(" + address(op.getIndices()) + ")"
           : "nullptr"}));
  return success();
}
