//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that looks like cuDNN 9 to the runtime: it checks how descriptors
// are made and executes graphs of operations on the simulated device's memory.
// COIL_FAKE_CUDNN_TRACE prints what is executed; COIL_FAKE_CUDNN_FAIL=engine
// finds no engine, =execute fails to execute, =epilogue has no engine for a
// convolution with something behind it, =workspace wants far too much memory.
// Convolutions of f32 have three engines: one that rounds to f16, one that
// rounds to TF32 and one that rounds nothing, in this order.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

#include "../../../lib/Runtime/CUDA/CuDnn.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>

using namespace coil::fake;
using namespace coil::rt::cuda;

namespace {

enum : int {
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED = 2004,
  CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN = 3001,
  CUDNN_STATUS_EXECUTION_FAILED = 5000
};

std::string lastError;

int fail(int status, const std::string &message) {
  lastError = message;
  return status;
}

struct Attribute {
  int type = 0;
  int64_t count = 0;
  std::vector<char> bytes;
};

/// What an engine makes of factors of f32.
enum class Engine { Plain, TF32, Half };

struct Descriptor {
  int type = 0;
  Engine engine = Engine::Plain;
  bool finalized = false;
  std::map<int, Attribute> attributes;
  /// Of heuristics, configurations and plans: what they are for.
  Descriptor *graph = nullptr;
  int64_t workspace = 0;

  template <typename T>
  T get(int name, size_t index = 0) const {
    T value = {};
    auto it = attributes.find(name);
    if (it != attributes.end() &&
        (index + 1) * sizeof(T) <= it->second.bytes.size())
      memcpy(&value, it->second.bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  bool has(int name) const { return attributes.count(name) != 0; }
  int64_t count(int name) const {
    auto it = attributes.find(name);
    return it == attributes.end() ? 0 : it->second.count;
  }
  template <typename T>
  std::vector<T> list(int name) const {
    std::vector<T> result;
    for (int64_t i = 0; i < count(name); ++i)
      result.push_back(get<T>(name, size_t(i)));
    return result;
  }
  Descriptor *ref(int name) const {
    return static_cast<Descriptor *>(get<void *>(name));
  }
};

bool isSet(const char *variable, const char *value) {
  const char *text = getenv(variable);
  return text && !strcmp(text, value);
}

size_t getSize(int type) {
  switch (type) {
  case CUDNN_TYPE_BOOLEAN:
    return 1;
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_VOID_PTR:
  case CUDNN_TYPE_BACKEND_DESCRIPTOR:
  case CUDNN_TYPE_HANDLE:
    return 8;
  default:
    return 4;
  }
}

bool getType(int number, Type &type) {
  switch (number) {
  case CUDNN_DATA_FLOAT:
    type = Type::F32;
    return true;
  case CUDNN_DATA_DOUBLE:
    type = Type::F64;
    return true;
  case CUDNN_DATA_HALF:
    type = Type::F16;
    return true;
  case CUDNN_DATA_BFLOAT16:
    type = Type::BF16;
    return true;
  case CUDNN_DATA_INT32:
    type = Type::I32;
    return true;
  case CUDNN_DATA_BOOLEAN:
    type = Type::Bool;
    return true;
  default:
    return false;
  }
}

/// What has to be set before a descriptor is finalized.
std::vector<int> getRequired(int type) {
  switch (type) {
  case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    return {CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_ATTR_TENSOR_DIMENSIONS,
            CUDNN_ATTR_TENSOR_STRIDES, CUDNN_ATTR_TENSOR_UNIQUE_ID,
            CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT};
  case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
    return {CUDNN_ATTR_CONVOLUTION_COMP_TYPE,
            CUDNN_ATTR_CONVOLUTION_CONV_MODE,
            CUDNN_ATTR_CONVOLUTION_DILATIONS,
            CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
            CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
            CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
            CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS};
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  case CUDNN_BACKEND_POINTWISE_DESCRIPTOR:
    return {CUDNN_ATTR_POINTWISE_MODE, CUDNN_ATTR_POINTWISE_MATH_PREC};
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
            CUDNN_ATTR_OPERATION_POINTWISE_YDESC};
  case CUDNN_BACKEND_MATMUL_DESCRIPTOR:
    return {CUDNN_ATTR_MATMUL_COMP_TYPE};
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_ATTR_OPERATION_MATMUL_ADESC,
            CUDNN_ATTR_OPERATION_MATMUL_BDESC,
            CUDNN_ATTR_OPERATION_MATMUL_CDESC};
  case CUDNN_BACKEND_REDUCTION_DESCRIPTOR:
    return {CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_ATTR_REDUCTION_COMP_TYPE};
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATION_REDUCTION_DESC,
            CUDNN_ATTR_OPERATION_REDUCTION_XDESC,
            CUDNN_ATTR_OPERATION_REDUCTION_YDESC};
  case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
    return {CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_ATTR_OPERATIONGRAPH_OPS};
  case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    return {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINEHEUR_MODE};
  case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
    return {CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
            CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG};
  case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
    return {CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
            CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
            CUDNN_ATTR_VARIANT_PACK_WORKSPACE};
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// A tensor of a graph and its elements, dense.
struct Values {
  Type type = Type::F32;
  std::vector<int64_t> sizes, strides;
  int64_t number = 0;
  bool isVirtual = false, isByValue = false;
  const void *data = nullptr;
  float given = 0; ///< By value.
  std::vector<double> elements;

  int64_t getExtent() const {
    int64_t last = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      last += (sizes[i] - 1) * strides[i];
    return last + 1;
  }
  /// The element at an index, where sizes of one broadcast.
  double at(const int64_t *index) const {
    int64_t position = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      position = position * sizes[i] + (sizes[i] == 1 ? 0 : index[i]);
    return elements[size_t(position)];
  }
};

/// One operation, with the numbers of its operands.
struct Step {
  int type = 0;
  int mode = 0;
  int64_t axis = -1;
  int x = -1, b = -1, t = -1, y = -1;
  std::vector<int64_t> strides, low, high, dilations;
};

struct Program {
  std::vector<Values> tensors;
  std::vector<Step> steps;
  std::map<void *, int> byDescriptor;
  Engine engine = Engine::Plain;

  double round(double factor) const {
    return engine == Engine::TF32   ? toTF32(factor)
           : engine == Engine::Half ? roundTo(Type::F16, factor)
                                    : factor;
  }

  int add(Descriptor *d) {
    if (!d)
      return -1;
    auto it = byDescriptor.find(d);
    if (it != byDescriptor.end())
      return it->second;
    Values v;
    getType(d->get<int>(CUDNN_ATTR_TENSOR_DATA_TYPE), v.type);
    v.sizes = d->list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
    v.strides = d->list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
    v.number = d->get<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
    v.isVirtual = d->get<char>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0;
    v.isByValue = d->get<char>(CUDNN_ATTR_TENSOR_IS_BY_VALUE) != 0;
    tensors.push_back(v);
    return byDescriptor[d] = int(tensors.size()) - 1;
  }

  void addStep(Descriptor *op);
  void run();
  double compute(const Step &step, const int64_t *index) const;
};

} // namespace

void Program::addStep(Descriptor *op) {
  Step s;
  s.type = op->type;
  switch (op->type) {
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: {
    Descriptor *c = op->ref(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    s.strides = c->list<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
    s.low = c->list<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
    s.high = c->list<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    s.dilations = c->list<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
    s.x = add(op->ref(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X));
    s.b = add(op->ref(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W));
    s.y = add(op->ref(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y));
    break;
  }
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: {
    Descriptor *p = op->ref(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    s.mode = p->get<int>(CUDNN_ATTR_POINTWISE_MODE);
    s.axis = p->has(CUDNN_ATTR_POINTWISE_AXIS)
                 ? p->get<int64_t>(CUDNN_ATTR_POINTWISE_AXIS)
                 : -1;
    s.x = add(op->ref(CUDNN_ATTR_OPERATION_POINTWISE_XDESC));
    s.b = add(op->ref(CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
    s.t = add(op->ref(CUDNN_ATTR_OPERATION_POINTWISE_TDESC));
    s.y = add(op->ref(CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
    break;
  }
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    s.x = add(op->ref(CUDNN_ATTR_OPERATION_MATMUL_ADESC));
    s.b = add(op->ref(CUDNN_ATTR_OPERATION_MATMUL_BDESC));
    s.y = add(op->ref(CUDNN_ATTR_OPERATION_MATMUL_CDESC));
    break;
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    s.mode = op->ref(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
                 ->get<int>(CUDNN_ATTR_REDUCTION_OPERATOR);
    s.x = add(op->ref(CUDNN_ATTR_OPERATION_REDUCTION_XDESC));
    s.y = add(op->ref(CUDNN_ATTR_OPERATION_REDUCTION_YDESC));
    break;
  }
  steps.push_back(s);
}

double Program::compute(const Step &s, const int64_t *index) const {
  const Values &x = tensors[size_t(s.x)];
  std::vector<int64_t> at(index, index + x.sizes.size());
  switch (s.type) {
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: {
    const Values &w = tensors[size_t(s.b)], &y = tensors[size_t(s.y)];
    int64_t channels = w.sizes[1], groups = x.sizes[1] / channels;
    int64_t group = index[1] / (y.sizes[1] / groups);
    double sum = 0;
    std::vector<int64_t> space(w.sizes.begin() + 1, w.sizes.end());
    forEach(space, [&](const int64_t *k) {
      std::vector<int64_t> from{index[0], group * channels + k[0]},
          weight{index[1], k[0]};
      for (size_t i = 0; i + 2 < x.sizes.size(); ++i) {
        int64_t position =
            index[2 + i] * s.strides[i] + k[1 + i] * s.dilations[i] - s.low[i];
        if (position < 0 || position >= x.sizes[2 + i])
          return;
        from.push_back(position);
        weight.push_back(k[1 + i]);
      }
      sum += round(x.at(from.data())) * round(w.at(weight.data()));
    });
    return sum;
  }
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR: {
    const Values &b = tensors[size_t(s.b)], &c = tensors[size_t(s.y)];
    double sum = 0;
    size_t rank = x.sizes.size();
    std::vector<int64_t> bat(at);
    // Batches of fewer matrices serve several each.
    for (size_t i = 0; i + 2 < rank; ++i) {
      at[i] = index[i] / (c.sizes[i] / x.sizes[i]);
      bat[i] = index[i] / (c.sizes[i] / b.sizes[i]);
    }
    bat[rank - 1] = index[rank - 1];
    for (int64_t k = 0; k < x.sizes[rank - 1]; ++k) {
      at[rank - 1] = bat[rank - 2] = k;
      sum += x.at(at.data()) * b.at(bat.data());
    }
    return sum;
  }
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: {
    const Values &y = tensors[size_t(s.y)];
    std::vector<int64_t> space;
    for (size_t i = 0; i < x.sizes.size(); ++i)
      space.push_back(y.sizes[i] == 1 ? x.sizes[i] : 1);
    bool isMax = s.mode == CUDNN_REDUCE_TENSOR_MAX;
    double result = isMax ? -HUGE_VAL : 0;
    forEach(space, [&](const int64_t *k) {
      for (size_t i = 0; i < at.size(); ++i)
        at[i] = y.sizes[i] == 1 ? k[i] : index[i];
      double v = x.at(at.data());
      result = isMax ? std::max(result, v) : result + v;
    });
    return result;
  }
  default:
    break;
  }
  double a = x.at(index), b = s.b < 0 ? 0 : tensors[size_t(s.b)].at(index);
  switch (s.mode) {
  case CUDNN_POINTWISE_ADD:
    return a + b;
  case CUDNN_POINTWISE_MUL:
    return a * b;
  case CUDNN_POINTWISE_DIV:
    return a / b;
  case CUDNN_POINTWISE_SUB:
    return a - b;
  case CUDNN_POINTWISE_EXP:
    return std::exp(a);
  case CUDNN_POINTWISE_LOG:
    return std::log(a);
  case CUDNN_POINTWISE_RELU_FWD:
    return a != a ? a : std::max(a, 0.0);
  case CUDNN_POINTWISE_CMP_GE:
    return a >= b;
  case CUDNN_POINTWISE_GEN_INDEX:
    return double(index[s.axis]);
  case CUDNN_POINTWISE_BINARY_SELECT:
    return tensors[size_t(s.t)].at(index) != 0 ? a : b;
  default:
    return std::numeric_limits<double>::quiet_NaN();
  }
}

void Program::run() {
  const SimDevice &device = SimDevice::get();
  auto access = [&](Values &v, bool write) -> char * {
    int64_t bytes = v.getExtent() * getBytes(v.type);
    return static_cast<char *>(device.access(
        uint64_t(reinterpret_cast<uintptr_t>(v.data)), uint64_t(bytes), write));
  };
  auto position = [](const Values &v, const int64_t *index) {
    int64_t at = 0;
    for (size_t i = 0; i < v.sizes.size(); ++i)
      at += index[i] * v.strides[i];
    return at * getBytes(v.type);
  };
  std::vector<bool> known(tensors.size(), false);
  for (const Step &s : steps) {
    for (int operand : {s.x, s.b, s.t}) {
      if (operand < 0 || known[size_t(operand)])
        continue;
      Values &v = tensors[size_t(operand)];
      known[size_t(operand)] = true;
      v.elements.clear();
      if (v.isByValue) {
        v.elements.push_back(double(v.given));
        continue;
      }
      const char *from = access(v, false);
      if (!from) {
        fprintf(stderr, "fake cudnn: operand %lld is not in memory\n",
                static_cast<long long>(v.number));
        abort();
      }
      forEach(v.sizes, [&](const int64_t *index) {
        v.elements.push_back(load(v.type, from + position(v, index)));
      });
    }
    Values &y = tensors[size_t(s.y)];
    std::vector<double> elements;
    forEach(y.sizes, [&](const int64_t *index) {
      elements.push_back(roundTo(y.type, compute(s, index)));
    });
    y.elements = std::move(elements);
    known[size_t(s.y)] = true;
    if (y.isVirtual)
      continue;
    char *to = access(y, true);
    if (!to) {
      fprintf(stderr, "fake cudnn: result %lld is not in memory\n",
              static_cast<long long>(y.number));
      abort();
    }
    size_t i = 0;
    forEach(y.sizes, [&](const int64_t *index) {
      store(y.type, to + position(y, index), y.elements[i++]);
    });
  }
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

namespace coil::rt::cuda {
struct cudnnContext {
  CUstream stream = nullptr;
};
} // namespace coil::rt::cuda

static std::string print(const std::vector<int64_t> &list) {
  std::string text;
  for (int64_t i : list)
    text += (text.empty() ? "" : ", ") + std::to_string(i);
  return "[" + text + "]";
}

static void trace(const Program &program) {
  if (!getenv("COIL_FAKE_CUDNN_TRACE"))
    return;
  fprintf(stderr, "fake cudnn: %zu operations%s\n", program.steps.size(),
          program.engine == Engine::TF32   ? ", tf32"
          : program.engine == Engine::Half ? ", f16"
                                           : "");
  for (const Values &v : program.tensors)
    if (!v.isVirtual && !v.isByValue)
      fprintf(stderr, "fake cudnn:   tensor %lld %s strides %s\n",
              static_cast<long long>(v.number), print(v.sizes).c_str(),
              print(v.strides).c_str());
}

extern "C" {

__attribute__((visibility("default"))) int cudnnCreate(cudnnHandle_t *handle) {
  if (!SimDevice::get())
    return fail(CUDNN_STATUS_BAD_PARAM, "the simulated driver is not loaded");
  *handle = new cudnnContext;
  return CUDNN_STATUS_SUCCESS;
}

__attribute__((visibility("default"))) int cudnnSetStream(cudnnHandle_t handle,
                                                          CUstream stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

__attribute__((visibility("default"))) void
cudnnGetLastErrorString(char *text, size_t size) {
  snprintf(text, size, "%s", lastError.c_str());
}

__attribute__((visibility("default"))) int
cudnnBackendCreateDescriptor(int type, cudnnBackendDescriptor_t *descriptor) {
  auto *d = new Descriptor;
  d->type = type;
  *descriptor = d;
  return CUDNN_STATUS_SUCCESS;
}

__attribute__((visibility("default"))) int
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete static_cast<Descriptor *>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

__attribute__((visibility("default"))) int
cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, int name,
                         int type, int64_t count, const void *elements) {
  auto *d = static_cast<Descriptor *>(descriptor);
  if (!d || d->finalized || count < 0 || (count && !elements))
    return fail(CUDNN_STATUS_BAD_PARAM,
                "attribute " + std::to_string(name) + " cannot be set");
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    for (int64_t i = 0; i < count; ++i) {
      auto *other = static_cast<void *const *>(elements)[i];
      if (!other || !static_cast<Descriptor *>(other)->finalized)
        return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                    "attribute " + std::to_string(name) +
                        " is a descriptor that is not finalized");
    }
  Attribute &a = d->attributes[name];
  a.type = type;
  a.count = count;
  auto *bytes = static_cast<const char *>(elements);
  a.bytes.assign(bytes, bytes + size_t(count) * getSize(type));
  return CUDNN_STATUS_SUCCESS;
}

__attribute__((visibility("default"))) int
cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  auto *d = static_cast<Descriptor *>(descriptor);
  if (!d || d->finalized)
    return fail(CUDNN_STATUS_BAD_PARAM, "descriptor is finalized twice");
  for (int name : getRequired(d->type))
    if (!d->has(name))
      return fail(CUDNN_STATUS_BAD_PARAM,
                  "attribute " + std::to_string(name) + " is missing");
  switch (d->type) {
  case CUDNN_BACKEND_TENSOR_DESCRIPTOR: {
    Type type;
    auto sizes = d->list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
         strides = d->list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
    if (sizes.size() < 3 || sizes.size() > 8 ||
        sizes.size() != strides.size() ||
        !getType(d->get<int>(CUDNN_ATTR_TENSOR_DATA_TYPE), type) ||
        std::any_of(sizes.begin(), sizes.end(),
                    [](int64_t size) { return size < 1; }) ||
        std::any_of(strides.begin(), strides.end(),
                    [](int64_t stride) { return stride < 1; }))
      return fail(CUDNN_STATUS_BAD_PARAM, "a tensor of sizes " + print(sizes) +
                                              " and strides " + print(strides));
    break;
  }
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: {
    auto get = [&](int name) {
      return d->ref(name)->list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
    };
    Descriptor *c = d->ref(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    auto x = get(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
         w = get(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
         y = get(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
    bool fits = x.size() >= 4 && x.size() == w.size() && x.size() == y.size() &&
                x[0] == y[0] && x[1] % w[1] == 0 && w[0] == y[1];
    for (size_t i = 0; fits && i + 2 < x.size(); ++i)
      fits =
          y[i + 2] ==
          (x[i + 2] + c->get<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, i) +
           c->get<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, i) -
           (w[i + 2] - 1) *
               c->get<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS, i) -
           1) / c->get<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, i) +
              1;
    if (!fits)
      return fail(CUDNN_STATUS_BAD_PARAM, "a convolution of " + print(x) +
                                              " and " + print(w) + " to " +
                                              print(y));
    break;
  }
  case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
    d->graph = d->ref(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    break;
  case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
    d->graph = d->ref(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)->graph;
    d->engine = d->ref(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)->engine;
    d->workspace =
        isSet("COIL_FAKE_CUDNN_FAIL", "workspace") ? int64_t(1) << 40 : 1024;
    break;
  default:
    break;
  }
  d->finalized = true;
  return CUDNN_STATUS_SUCCESS;
}

__attribute__((visibility("default"))) int
cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, int name,
                         int type, int64_t requested, int64_t *count,
                         void *elements) {
  auto *d = static_cast<Descriptor *>(descriptor);
  if (!d || !d->finalized)
    return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                "a descriptor that is not finalized is read");
  *count = 0;
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
    size_t operations = size_t(d->graph->count(CUDNN_ATTR_OPERATIONGRAPH_OPS));
    if (isSet("COIL_FAKE_CUDNN_FAIL", "engine") ||
        (isSet("COIL_FAKE_CUDNN_FAIL", "epilogue") && operations > 1))
      return fail(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                  "no engine was found");
    if (requested < 1)
      return CUDNN_STATUS_SUCCESS;
    std::vector<Engine> engines{Engine::Plain};
    auto *first = static_cast<Descriptor *>(
        d->graph->get<void *>(CUDNN_ATTR_OPERATIONGRAPH_OPS));
    if (first->type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
        first->ref(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X)
                ->get<int>(CUDNN_ATTR_TENSOR_DATA_TYPE) == CUDNN_DATA_FLOAT)
      engines = {Engine::Half, Engine::TF32, Engine::Plain};
    for (; *count < requested && size_t(*count) < engines.size(); ++*count) {
      auto *config =
          static_cast<Descriptor *>(static_cast<void **>(elements)[*count]);
      config->graph = d->graph;
      config->engine = engines[size_t(*count)];
      config->finalized = true;
    }
    return CUDNN_STATUS_SUCCESS;
  }
  if (name == CUDNN_ATTR_ENGINECFG_ENGINE && requested == 1) {
    auto *engine = static_cast<Descriptor *>(static_cast<void **>(elements)[0]);
    engine->engine = d->engine;
    engine->finalized = true;
    *count = 1;
    return CUDNN_STATUS_SUCCESS;
  }
  if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) {
    auto note = [&](int value) {
      if (*count < requested)
        static_cast<int *>(elements)[(*count)++] = value;
    };
    if (d->engine != Engine::Plain)
      note(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
    if (d->engine == Engine::Half)
      note(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
    return CUDNN_STATUS_SUCCESS;
  }
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE &&
      type == CUDNN_TYPE_INT64 && requested == 1) {
    *static_cast<int64_t *>(elements) = d->workspace;
    *count = 1;
    return CUDNN_STATUS_SUCCESS;
  }
  return fail(CUDNN_STATUS_BAD_PARAM,
              "attribute " + std::to_string(name) + " cannot be read");
}

__attribute__((visibility("default"))) int
cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                    cudnnBackendDescriptor_t variantPack) {
  auto *p = static_cast<Descriptor *>(plan),
       *pack = static_cast<Descriptor *>(variantPack);
  if (!p || !p->finalized || !pack || !pack->finalized)
    return fail(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                "what is executed is not finalized");
  if (isSet("COIL_FAKE_CUDNN_FAIL", "execute"))
    return fail(CUDNN_STATUS_EXECUTION_FAILED, "it was asked to fail");
  if (p->workspace && !pack->get<void *>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE))
    return fail(CUDNN_STATUS_BAD_PARAM, "there is no workspace");
  auto program = std::make_shared<Program>();
  program->engine = p->engine;
  for (int64_t i = 0; i < p->graph->count(CUDNN_ATTR_OPERATIONGRAPH_OPS); ++i)
    program->addStep(static_cast<Descriptor *>(
        p->graph->get<void *>(CUDNN_ATTR_OPERATIONGRAPH_OPS, size_t(i))));
  for (Values &v : program->tensors) {
    if (v.isVirtual)
      continue;
    for (int64_t i = 0; i < pack->count(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
         ++i)
      if (pack->get<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, size_t(i)) ==
          v.number)
        v.data = pack->get<const void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                                         size_t(i));
    if (!v.data)
      return fail(CUDNN_STATUS_BAD_PARAM,
                  "tensor " + std::to_string(v.number) + " is not bound");
    if (v.isByValue)
      memcpy(&v.given, v.data, sizeof(v.given));
  }
  trace(*program);
  if (!SimDevice::get().enqueue(handle->stream, [program] { program->run(); }))
    return fail(CUDNN_STATUS_EXECUTION_FAILED, "the stream failed");
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
