//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions by cuDNN.
//
//===----------------------------------------------------------------------===//

#include "CuDnn.h"
#include "Graph.h"
#include "Pack.h"

#include "coil/Runtime/Library.h"

#include <algorithm>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace {

/// Sizes in the order n (or output channels), channels, space.
using Sizes = std::vector<int64_t>;

class Convolution {
public:
  Convolution(RunState &state, const coil_convolution &desc)
      : state(state), d(desc) {}
  ~Convolution() {
    for (DeviceBlock *block : scratch)
      state.free(block);
  }

  int32_t run(const CuDnn &lib, const void *x, const void *w, const void *bias,
              void *y);

private:
  int32_t prepare(const void *&data, const Sizes &sizes, const int64_t *strides,
                  bool channelsLast);

  RunState &state;
  const coil_convolution &d;
  std::vector<DeviceBlock *> scratch;
};

} // namespace

/// The order of a dense tensor's dimensions, outermost first.
static Sizes getOrder(size_t rank, bool channelsLast) {
  Sizes order{0};
  if (!channelsLast)
    order.push_back(1);
  for (size_t i = 2; i < rank; ++i)
    order.push_back(int64_t(i));
  if (channelsLast)
    order.push_back(1);
  return order;
}

static Sizes getDenseStrides(const Sizes &sizes, bool channelsLast) {
  Sizes order = getOrder(sizes.size(), channelsLast), strides(sizes.size());
  int64_t next = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[size_t(order[i])] = next;
    next *= sizes[size_t(order[i])];
  }
  return strides;
}

/// Whether a tensor is dense in that order.
static bool isDense(const Sizes &sizes, const int64_t *strides,
                    bool channelsLast) {
  Sizes dense = getDenseStrides(sizes, channelsLast);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && strides[i] != dense[i])
      return false;
  return true;
}

static int64_t countElements(const Sizes &sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

/// Copies an operand that is not dense in the order of the result.
int32_t Convolution::prepare(const void *&data, const Sizes &sizes,
                             const int64_t *strides, bool channelsLast) {
  if (isDense(sizes, strides, channelsLast))
    return COIL_OK;
  PackShape shape;
  for (int64_t i : getOrder(sizes.size(), channelsLast))
    shape.add(sizes[size_t(i)], strides[i]);
  int64_t element = coil_dtype_size(d.x_dtype);
  DeviceBlock *block = nullptr;
  if (int32_t status = state.allocate(countElements(sizes) * element, block))
    return status;
  scratch.push_back(block);
  if (int32_t status =
          pack(state, toPointer(block->address), data, element, shape))
    return status;
  data = toPointer(block->address);
  return COIL_OK;
}

int32_t Convolution::run(const CuDnn &lib, const void *x, const void *w,
                         const void *bias, void *y) {
  constexpr const char *what = "convolution";
  int type = getDnnType(d.x_dtype);
  if (d.transposed || type < 0 || type == CUDNN_DATA_DOUBLE ||
      d.w_dtype != d.x_dtype || d.y_dtype != d.x_dtype ||
      (bias && d.bias_dtype != d.x_dtype))
    return fail(COIL_UNSUPPORTED,
                "library 'cudnn' has no convolution of %s and %s to %s",
                coil_dtype_name(d.x_dtype), coil_dtype_name(d.w_dtype),
                coil_dtype_name(d.y_dtype));
  if (d.post_op != COIL_POST_NONE && d.post_op != COIL_POST_RELU)
    return fail(COIL_UNSUPPORTED,
                "library 'cudnn' has no function number %d after a "
                "convolution",
                d.post_op);
  if (bias && d.bias_stride != 1 && d.out_channels != 1)
    return fail(COIL_UNSUPPORTED, "library 'cudnn' needs a dense bias");
  if (d.spatial_rank < 1 || d.spatial_rank > COIL_MAX_SPATIAL_RANK)
    return fail(COIL_INVALID_ARGUMENT, "convolution over %d dimensions",
                d.spatial_rank);

  // One dimension of space becomes two.
  int64_t pad = d.spatial_rank == 1, spatial = d.spatial_rank + pad;
  Sizes xs{d.batch, d.in_channels},
      ws{d.out_channels, d.in_channels / std::max<int64_t>(d.groups, 1)},
      ys{d.batch, d.out_channels};
  Sizes strides, low, high, dilations;
  Sizes xStrides(d.x_strides, d.x_strides + 2),
      wStrides(d.w_strides, d.w_strides + 2),
      yStrides(d.y_strides, d.y_strides + 2);
  for (int64_t i = -pad; i < d.spatial_rank; ++i) {
    bool real = i >= 0;
    xs.push_back(real ? d.in_sizes[i] : 1);
    ws.push_back(real ? d.kernel_sizes[i] : 1);
    ys.push_back(real ? d.out_sizes[i] : 1);
    xStrides.push_back(real ? d.x_strides[2 + i] : 0);
    wStrides.push_back(real ? d.w_strides[2 + i] : 0);
    yStrides.push_back(real ? d.y_strides[2 + i] : 0);
    strides.push_back(real ? d.strides[i] : 1);
    low.push_back(real ? d.padding_lo[i] : 0);
    high.push_back(real ? d.padding_hi[i] : 0);
    dilations.push_back(real ? d.dilations[i] : 1);
  }
  if (countElements(ys) == 0)
    return COIL_OK;
  if (countElements(xs) == 0 || countElements(ws) == 0)
    return fail(COIL_UNSUPPORTED,
                "library 'cudnn' has no convolution of nothing");

  // The result decides whether channels are innermost. Where it may be either,
  // the order that needs fewer copies is taken.
  auto getCost = [&](bool last) {
    if (!isDense(ys, yStrides.data(), last))
      return int64_t(-1);
    return (isDense(xs, xStrides.data(), last) ? 0 : countElements(xs)) +
           (isDense(ws, wStrides.data(), last) ? 0 : countElements(ws));
  };
  int64_t first = getCost(false), last = getCost(true);
  if (first < 0 && last < 0)
    return fail(COIL_UNSUPPORTED, "library 'cudnn' needs a dense result");
  bool channelsLast = first < 0 || (last >= 0 && last < first);
  int32_t status = prepare(x, xs, xStrides.data(), channelsLast);
  if (!status)
    status = prepare(w, ws, wStrides.data(), channelsLast);
  if (status)
    return status;

  DnnTensor xt =
      DnnTensor::real(type, x, xs, getDenseStrides(xs, channelsLast));
  DnnTensor wt =
      DnnTensor::real(type, w, ws, getDenseStrides(ws, channelsLast));
  DnnTensor yt =
      DnnTensor::real(type, y, ys, getDenseStrides(ys, channelsLast));
  Sizes bs(ys.size(), 1);
  bs[1] = d.out_channels;
  DnnTensor bt =
      bias ? DnnTensor::real(type, bias, bs, getDenseStrides(bs, channelsLast))
           : DnnTensor();
  // Between the operations values are as wide as the sums.
  DnnTensor wide;
  wide.sizes = ys;
  wide.strides = yt.strides;

  std::vector<int64_t> key{'c', d.post_op, bias != nullptr, spatial};
  for (const DnnTensor *tensor : {&xt, &wt, &yt, &bt})
    tensor->describe(key);
  for (const Sizes *list : {&strides, &low, &high, &dilations})
    key.insert(key.end(), list->begin(), list->end());
  bool relu = d.post_op == COIL_POST_RELU;
  std::vector<DnnBinding> bindings{{1, x}, {2, w}, {3, y}};
  if (bias)
    bindings.push_back({4, bias});
  DnnPrecision precision = type != CUDNN_DATA_FLOAT ? DnnPrecision::Narrow
                           : d.tf32                 ? DnnPrecision::TF32
                                                    : DnnPrecision::Exact;
  return runDnn(
      state, lib, what, std::move(key), precision,
      [&](DnnGraph &graph) {
        DnnGraph::Tensor tx = graph.add(xt), tw = graph.add(wt),
                         ty = graph.add(yt);
        DnnGraph::Tensor tb = bias ? graph.add(bt) : nullptr;
        DnnGraph::Tensor sum = bias || relu ? graph.add(wide) : ty;
        graph.addConvolution(tx, tw, sum, spatial, strides.data(), low.data(),
                             high.data(), dilations.data());
        if (bias) {
          DnnGraph::Tensor biased = relu ? graph.add(wide) : ty;
          graph.addPointwise(CUDNN_POINTWISE_ADD, CUDNN_DATA_FLOAT, sum, tb,
                             nullptr, biased);
          sum = biased;
        }
        if (relu)
          graph.addPointwise(CUDNN_POINTWISE_RELU_FWD, CUDNN_DATA_FLOAT, sum,
                             nullptr, nullptr, ty);
      },
      bindings);
}

extern "C" int32_t coil_rt_convolution_cuda(coil_run *run,
                                            const coil_convolution *desc,
                                            const void *x, const void *w,
                                            const void *bias, void *y) {
  return guarded([&]() -> int32_t {
    TraceStep step(run, COIL_TRACE_LIBRARY, "convolution");
    ++run->stats.library_calls;
    RunState *state = getState(run);
    if (!state)
      return COIL_INVALID_ARGUMENT;
    if (desc->struct_size != sizeof(coil_convolution))
      return fail(COIL_INVALID_ARGUMENT,
                  "a convolution was compiled for another version of the "
                  "runtime");
    int32_t status = state->prepare();
    const CuDnn *lib = status ? nullptr : CuDnn::get();
    if (!lib)
      return step.finish(nameFailure(status ? status : COIL_UNAVAILABLE,
                                     "convolution", desc->where),
                         y, 0);
    // The library's kernels keep addresses where nobody can patch them.
    if (state->recording)
      for (const void *pointer : {x, w, bias, (const void *)y})
        state->recording->pin(toDevice(pointer));
    ContextGuard guard(state->device);
    StepTimer timer(*state, nullptr, "convolution");
    status = Convolution(*state, *desc).run(*lib, x, w, bias, y);
    return step.finish(nameFailure(status, "convolution", desc->where), y, 0);
  });
}
