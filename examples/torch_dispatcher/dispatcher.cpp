// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator of PyTorch for programs in processes without Python: what a
// program calls and nobody has registered, PyTorch's dispatcher runs. Loaded
// with --functions= or coil_load_functions; README.md says how it is built.
//
// COIL_TORCH_LIBRARIES: libraries of operators to load, separated by colons.
// COIL_TORCH_FALLBACKS: 0 runs nothing; `report` says at the end of the process
// how often each operator ran.

#include "coil/Runtime/Functions.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>

namespace {

/// An operator that programs call; as long as the process.
struct Operator {
  c10::OperatorHandle handle;
  std::string name;
  std::atomic<int64_t> calls{0};
};

std::mutex lock;
std::map<std::pair<std::string, int32_t>, std::unique_ptr<Operator>> operators;

const c10::ScalarType kTypes[] = {
    c10::ScalarType::Bool,       c10::ScalarType::Char,
    c10::ScalarType::Byte,       c10::ScalarType::Short,
    c10::ScalarType::UInt16,     c10::ScalarType::Int,
    c10::ScalarType::UInt32,     c10::ScalarType::Long,
    c10::ScalarType::UInt64,     c10::ScalarType::Half,
    c10::ScalarType::BFloat16,   c10::ScalarType::Float,
    c10::ScalarType::Double,     c10::ScalarType::Float8_e4m3fn,
    c10::ScalarType::Float8_e5m2};

c10::ScalarType toTorch(int64_t dtype) {
  TORCH_CHECK(dtype >= 0 && dtype < int64_t(std::size(kTypes)),
              "there is no element type ", dtype, " in PyTorch");
  return kTypes[dtype];
}

int32_t fromTorch(c10::ScalarType type) {
  for (size_t i = 0; i < std::size(kTypes); ++i)
    if (kTypes[i] == type)
      return int32_t(i);
  TORCH_CHECK(false, "Coil has no element type for ", type);
}

/// The program's memory as a tensor.
at::Tensor view(const coil_tensor &tensor) {
  at::Device device(tensor.device_type == COIL_CPU ? at::kCPU : at::kCUDA,
                    tensor.device_type == COIL_CPU
                        ? c10::DeviceIndex(-1)
                        : c10::DeviceIndex(tensor.device_index));
  size_t rank = size_t(tensor.rank);
  return at::from_blob(
      tensor.data, at::IntArrayRef(tensor.sizes, rank),
      at::IntArrayRef(tensor.strides, rank), [](void *) {},
      at::TensorOptions(toTorch(tensor.dtype)).device(device), device);
}

/// One call of an operator.
class Call {
public:
  Call(coil_call *call, Operator &op) : call(call), op(op) {}
  void run();

private:
  c10::IValue toValue(const coil_argument &argument, c10::TypePtr type);
  void give(const c10::IValue &value);

  coil_call *call;
  Operator &op;
  /// Tensors that the operator must not write, with their versions.
  std::vector<std::pair<at::Tensor, uint32_t>> fixed;
  int32_t given = 0;
};

} // namespace

c10::IValue Call::toValue(const coil_argument &argument, c10::TypePtr type) {
  if (argument.kind == COIL_ARGUMENT_NONE)
    return {};
  if (auto optional = type->cast<c10::OptionalType>())
    type = optional->getElementType();
  switch (argument.kind) {
  case COIL_ARGUMENT_TENSOR: {
    at::Tensor tensor = view(*argument.value.tensor);
    if (!argument.is_mutable)
      fixed.emplace_back(tensor, tensor._version());
    return tensor;
  }
  case COIL_ARGUMENT_INT:
    if (type->kind() == c10::TypeKind::FloatType)
      return double(argument.value.integer);
    return argument.value.integer;
  case COIL_ARGUMENT_FLOAT:
    return argument.value.number;
  case COIL_ARGUMENT_BOOL:
    return argument.value.integer != 0;
  case COIL_ARGUMENT_STRING:
    if (type->kind() == c10::TypeKind::DeviceObjType)
      return c10::Device(argument.value.string);
    return std::string(argument.value.string);
  case COIL_ARGUMENT_DTYPE:
    return toTorch(argument.value.integer);
  case COIL_ARGUMENT_LIST: {
    auto list = type->cast<c10::ListType>();
    TORCH_CHECK(list, "a list is given for ", type->str());
    c10::impl::GenericList values(list->getElementType());
    for (int64_t i = 0; i < argument.count; ++i)
      values.push_back(
          toValue(argument.value.elements[i], list->getElementType()));
    return values;
  }
  }
  TORCH_CHECK(false, "an argument of kind ", argument.kind,
              " has no value in PyTorch");
}

/// Copies results to where the program wants them.
void Call::give(const c10::IValue &value) {
  if (value.isNone())
    return;
  if (value.isTuple()) {
    for (const c10::IValue &part : value.toTupleRef().elements())
      give(part);
    return;
  }
  if (value.isList()) {
    for (const c10::IValue &part : value.toListRef())
      give(part);
    return;
  }
  TORCH_CHECK(value.isTensor(), "a result is a ", value.tagKind());
  at::Tensor tensor = value.toTensor();
  const coil_tensor *place = nullptr;
  if (coil_call_result(call, given++, fromTorch(tensor.scalar_type()),
                       int32_t(tensor.dim()), tensor.sizes().data(), &place))
    throw std::runtime_error(coil_last_error());
  view(*place).copy_(tensor);
}

void Call::run() {
  at::NoGradGuard noGrad;
  const c10::FunctionSchema &schema = op.handle.schema();
  torch::jit::Stack stack;
  int32_t count = coil_call_num_arguments(call);
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument &argument = schema.arguments()[i];
    // Names where the program has them, and places where not.
    const coil_argument *found = coil_call_named(call, argument.name().c_str());
    if (!found && int32_t(i) < count &&
        !coil_call_argument_name(call, int32_t(i)))
      found = coil_call_argument(call, int32_t(i));
    if (found)
      stack.push_back(toValue(*found, argument.real_type()));
    else if (argument.default_value())
      stack.push_back(*argument.default_value());
    else
      TORCH_CHECK(argument.type()->kind() == c10::TypeKind::OptionalType,
                  "the argument '", argument.name(), "' is missing");
    if (stack.size() == i)
      stack.emplace_back();
  }
  // Work goes on the stream of the run.
  std::optional<c10::impl::VirtualGuardImpl> guard;
  std::optional<c10::Stream> before;
  if (coil_call_device_type(call) != COIL_CPU) {
    guard.emplace(at::kCUDA);
    c10::Device device(at::kCUDA,
                       c10::DeviceIndex(coil_call_device_index(call)));
    before = guard->exchangeStream(
        c10::Stream(c10::Stream::UNSAFE, device,
                    reinterpret_cast<intptr_t>(coil_call_stream(call))));
  }
  struct Restore {
    std::optional<c10::impl::VirtualGuardImpl> &guard;
    std::optional<c10::Stream> &before;
    ~Restore() {
      if (guard)
        guard->exchangeStream(*before);
    }
  } restore{guard, before};

  ++op.calls;
  op.handle.callBoxed(stack);
  for (const auto &[tensor, version] : fixed)
    TORCH_CHECK(tensor._version() == version,
                "the function wrote to a tensor that the program does not let "
                "it write");
  // An operator that works in place, or into `out`, gives what it changed.
  int32_t expected = coil_call_num_results(call);
  if (expected == 0)
    return;
  for (const c10::IValue &value : stack)
    give(value);
  TORCH_CHECK(given == expected, "the function gives ", given,
              " results, but the program expects ", expected);
}

static int32_t enter(coil_call *call, void *user) {
  try {
    Call(call, *static_cast<Operator *>(user)).run();
    return COIL_OK;
  } catch (const c10::Error &error) {
    return coil_call_fail(call, error.what_without_backtrace());
  } catch (const std::exception &error) {
    return coil_call_fail(call, error.what());
  }
}

/// Registers the operator of a name, if PyTorch has it.
static int32_t resolve(void *, const char *name, int32_t device) {
  std::string space(name, strcspn(name, ":"));
  if (space == "coil" || space == "_c10d_functional")
    return 0;
  std::string base = name, overload;
  size_t dot = base.find('.', base.find("::"));
  if (dot != std::string::npos) {
    overload = base.substr(dot + 1);
    base.resize(dot);
  }
  std::optional<c10::OperatorHandle> handle =
      c10::Dispatcher::singleton().findSchema({base, overload});
  if (!handle)
    return 0;
  std::lock_guard<std::mutex> guard(lock);
  std::unique_ptr<Operator> &op = operators[{name, device}];
  if (op)
    return 1;
  op.reset(new Operator{*handle, name});
  coil_function function = {
      sizeof(coil_function), 0, op->name.c_str(), device, 0, enter, op.get()};
  if (coil_register_function(&function))
    return 0;
  fprintf(stderr,
          "coil: the operator '%s' has no rule in Coil and is not registered: "
          "PyTorch's dispatcher runs it on %s\n",
          name, device == COIL_CPU ? "cpu" : "cuda");
  return 1;
}

static void report() {
  for (const auto &[key, op] : operators)
    fprintf(stderr, "coil: PyTorch's dispatcher ran '%s' %lld times\n",
            op->name.c_str(), static_cast<long long>(op->calls.load()));
}

extern "C" int32_t coil_register_functions(void) {
  const char *how = getenv("COIL_TORCH_FALLBACKS");
  if (how && strcmp(how, "0") == 0)
    return COIL_OK;
  if (how && strcmp(how, "report") == 0)
    atexit(report);
  if (const char *libraries = getenv("COIL_TORCH_LIBRARIES")) {
    std::stringstream list(libraries);
    for (std::string file; std::getline(list, file, ':');)
      if (!file.empty() && !dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "coil: error: %s\n", dlerror());
        return COIL_UNAVAILABLE;
      }
  }
  coil_set_function_resolver(resolve, nullptr);
  return COIL_OK;
}
