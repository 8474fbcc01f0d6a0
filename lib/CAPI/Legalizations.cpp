//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of ATen legalizations that are written in another language.
//
//===----------------------------------------------------------------------===//

#include "coil-c/IR.h"

#include "Result.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "coil/Dialect/Graph/Transforms/AtenRegistry.h"
#include "coil/Support/Registration.h"
#include "mlir/CAPI/IR.h"

#include <algorithm>
#include <mutex>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using coil::capi::fail;
using coil::capi::finish;

static AtenCall *unwrap(coil_ir_aten_call *call) {
  return reinterpret_cast<AtenCall *>(call);
}

int32_t coil_ir_aten_legalization_register(const char *names,
                                           coil_ir_legalize_fn fn, void *user,
                                           char **error) {
  if (!names || !fn || getOverloads(names).empty())
    return fail(COIL_API_USAGE, "expected names of operators and a function",
                error);
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::string &overload : getOverloads(names)) {
    bool isOwn = hasOwnLegalization(overload);
    if (isOwn || hasRegisteredLegalization(overload))
      return fail(COIL_API_USAGE,
                  "the operator '" + overload + "' has a legalization already" +
                      (isOwn ? ", Coil's own; a pass at the extension point "
                               "'before-legalization' can rewrite it"
                             : ""),
                  error);
  }
  registerAtenLegalization(names, [fn, user](AtenCall &call) {
    call.reason.clear();
    if (fn(reinterpret_cast<coil_ir_aten_call *>(&call), user) == 0)
      return success();
    if (call.reason.empty())
      return call.fail("its legalization gives no reason");
    return LogicalResult(failure());
  });
  return finish(llvm::Error::success(), COIL_API_OK, error);
}

MlirOperation coil_ir_aten_call_operation(coil_ir_aten_call *call) {
  return wrap(unwrap(call)->op.getOperation());
}

intptr_t coil_ir_aten_call_num_tensors(coil_ir_aten_call *call,
                                       const char *name) {
  return intptr_t(unwrap(call)->tensors(name).size());
}

MlirValue coil_ir_aten_call_get_tensor(coil_ir_aten_call *call,
                                       const char *name, intptr_t index) {
  SmallVector<Value> all = unwrap(call)->tensors(name);
  if (index < 0 || size_t(index) >= all.size())
    return wrap(Value());
  // Notes that the argument was read.
  if (all.size() == 1)
    return wrap(unwrap(call)->tensor(name));
  return wrap(all[size_t(index)]);
}

MlirValue coil_ir_aten_call_operand(coil_ir_aten_call *call, const char *name,
                                    MlirType element_type) {
  return wrap(unwrap(call)->operand(name, unwrap(element_type)));
}

MlirAttribute coil_ir_aten_call_argument(coil_ir_aten_call *call,
                                         const char *name) {
  return wrap(unwrap(call)->op.getArgument(name));
}

int32_t coil_ir_aten_call_int(coil_ir_aten_call *call, const char *name,
                              int64_t *value) {
  std::optional<int64_t> constant = unwrap(call)->getInt(name);
  if (constant)
    *value = *constant;
  return constant.has_value();
}

int32_t coil_ir_aten_call_float(coil_ir_aten_call *call, const char *name,
                                double *value) {
  std::optional<double> constant = unwrap(call)->getFloat(name);
  if (constant)
    *value = *constant;
  return constant.has_value();
}

intptr_t coil_ir_aten_call_ints(coil_ir_aten_call *call, const char *name,
                                int64_t *values, intptr_t capacity) {
  std::optional<SmallVector<int64_t>> all = unwrap(call)->getInts(name);
  if (!all)
    return -1;
  intptr_t size = intptr_t(all->size());
  std::copy_n(all->begin(), std::min(size, capacity), values);
  return size;
}

int32_t coil_ir_aten_call_replace(coil_ir_aten_call *call,
                                  const MlirValue *values,
                                  intptr_t num_values) {
  AtenCall &aten = *unwrap(call);
  auto refuse = [&](const Twine &why) {
    (void)aten.fail(why);
    return COIL_API_USAGE;
  };
  if (size_t(num_values) != aten.op->getNumResults())
    return refuse("its legalization gives " + Twine(num_values) +
                  " values, expected " + Twine(aten.op->getNumResults()));
  SmallVector<Value> replacements;
  for (intptr_t i = 0; i < num_values; ++i) {
    Value value = unwrap(values[i]);
    replacements.push_back(value);
    if (!value)
      continue;
    Type expected = aten.resultType(unsigned(i));
    if (hasSizes(value.getType()) &&
        cast<RankedTensorType>(value.getType()).getElementType() ==
            cast<RankedTensorType>(expected).getElementType())
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "its legalization gives a value of type " << value.getType()
        << " for result " << i << ", expected " << expected;
    return refuse(text);
  }
  return succeeded(aten.replace(replacements)) ? COIL_API_OK : COIL_API_USAGE;
}

void coil_ir_aten_call_fail(coil_ir_aten_call *call, const char *reason) {
  (void)unwrap(call)->fail(reason);
}
