//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions through oneDNN's primitives. The batch is cut into chunks whose
// images stay in cache between the change of layout, the convolution and the
// change back. One primitive serves all chunks and at most 64 serve all batch
// sizes, so that a model with a dynamic batch does not fill the cache. Where
// the library has no kernel for floats of 16 bits, chunks are extended to f32
// and their results rounded once.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "ExtendFloat.h"
#include "OneDNN.h"
#include "StridedCopy.h"
#include "Threads.h"

#include "coil/Runtime/Library.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <numeric>

using namespace coil::rt;

namespace {

constexpr int maxRank = 3 + COIL_MAX_SPATIAL_RANK; // groups, co, ci, spatial

/// One tensor of a convolution.
struct Operand {
  int rank = 0;
  int32_t dtype = 0;
  std::array<int64_t, maxRank> sizes = {};
  std::array<int64_t, maxRank> strides = {};
  const char *data = nullptr;

  int64_t elements() const {
    return std::accumulate(sizes.begin(), sizes.begin() + rank, int64_t(1),
                           std::multiplies<int64_t>());
  }
  int64_t bytes() const { return elements() * coil_dtype_size(dtype); }

  /// Gives dimensions of size 1 the stride that they have in a dense tensor,
  /// so that equal layouts compare equal.
  void normalise() {
    for (int d = rank; d-- > 0;)
      if (sizes[d] == 1)
        strides[d] = d + 1 < rank ? strides[d + 1] * sizes[d + 1] : 1;
  }

  bool hasStrides(const std::array<int64_t, maxRank> &expected) const {
    for (int d = 0; d < rank; ++d)
      if (sizes[d] != 1 && strides[d] != expected[d])
        return false;
    return true;
  }
  bool isContiguous() const {
    std::array<int64_t, maxRank> expected;
    contiguousStrides(rank, sizes.data(), expected.data());
    return hasStrides(expected);
  }
  /// Dense with the channels (dimension 1) innermost.
  bool isChannelsLast() const {
    std::array<int64_t, maxRank> expected;
    expected[1] = 1;
    int64_t stride = sizes[1];
    for (int d = rank; d-- > 0;) {
      if (d == 1)
        continue;
      expected[d] = stride;
      stride *= sizes[d];
    }
    return hasStrides(expected);
  }
  /// Whether each element has an address of its own.
  bool isInjective() const {
    std::array<int, maxRank> order;
    int used = 0;
    for (int d = 0; d < rank; ++d)
      if (sizes[d] != 1)
        order[used++] = d;
    std::sort(order.begin(), order.begin() + used,
              [&](int a, int b) { return strides[a] < strides[b]; });
    int64_t extent = 1;
    for (int i = 0; i < used; ++i) {
      if (strides[order[i]] < extent)
        return false;
      extent = strides[order[i]] * sizes[order[i]];
    }
    return true;
  }
  void makeContiguous() {
    contiguousStrides(rank, sizes.data(), strides.data());
  }
};

/// The primitives for one chunk of the batch.
struct Plan {
  explicit Plan(const OneDNN &dnnl)
      : convolution(dnnl), reorderX(dnnl), reorderW(dnnl), reorderY(dnnl) {}

  Primitive convolution, reorderX, reorderW, reorderY;
  /// Bytes of the library's own layout, or 0 when the caller's is used.
  int64_t xBytes = 0, wBytes = 0, yBytes = 0;
};

/// The problem in the terms of oneDNN.
struct Problem {
  const OneDNN &dnnl;
  const coil_convolution &d;
  Operand x, w, bias, y;
  bool hasBias;
  /// Tensors of 16 bits whose chunks `x` and `y`, of f32, stand for. Those of
  /// rank 0 do not exist.
  Operand smallX, smallY;
};

} // namespace

static int32_t describe(const OneDNN &dnnl, const Operand &operand,
                        dnnl_memory_desc_t &md) {
  return checkOneDNN(dnnl.dnnl_memory_desc_init_by_strides(
                         &md, operand.rank, operand.sizes.data(),
                         dnnlType(operand.dtype), operand.strides.data()),
                     "convolution");
}

static int32_t describeAny(const OneDNN &dnnl, const Operand &operand,
                           dnnl_memory_desc_t &md) {
  return checkOneDNN(dnnl.dnnl_memory_desc_init_by_tag(
                         &md, operand.rank, operand.sizes.data(),
                         dnnlType(operand.dtype), dnnl_format_tag_any),
                     "convolution");
}

/// Makes a reorder when the layouts differ and says how much memory it needs.
static int32_t makeReorder(const OneDNN &dnnl, Primitive &reorder,
                           int64_t &bytes, const dnnl_memory_desc_t &user,
                           const dnnl_memory_desc_t &own, bool fromUser) {
  if (dnnl.dnnl_memory_desc_equal(&user, &own))
    return COIL_OK;
  bytes = int64_t(dnnl.dnnl_memory_desc_get_size(&own));
  return fromUser ? reorder.createReorder(user, own)
                  : reorder.createReorder(own, user);
}

static int32_t makePlan(const Problem &p, Plan &plan) {
  const OneDNN &dnnl = p.dnnl;
  const coil_convolution &d = p.d;
  dnnl_memory_desc_t userX, userW, userY, x, w, y, bias;
  for (auto [operand, md] : {std::pair(&p.x, &userX), std::pair(&p.w, &userW),
                             std::pair(&p.y, &userY)})
    if (int32_t status = describe(dnnl, *operand, *md))
      return status;
  if (int32_t status = describeAny(dnnl, p.w, w))
    return status;
  // Channels-last layouts have the best kernels. With few input channels the
  // library reads the dense channels-first layout directly. Else it chooses.
  bool channelsLast = p.x.isChannelsLast() && p.y.isChannelsLast();
  bool fewChannels = d.in_channels <= 4 && d.groups == 1 && p.x.isContiguous();
  x = userX;
  if (!channelsLast && !fewChannels)
    if (int32_t status = describeAny(dnnl, p.x, x))
      return status;
  y = userY;
  if (!channelsLast)
    if (int32_t status = describeAny(dnnl, p.y, y))
      return status;
  if (p.hasBias)
    if (int32_t status = describe(dnnl, p.bias, bias))
      return status;

  int64_t dilations[COIL_MAX_SPATIAL_RANK];
  for (int i = 0; i < d.spatial_rank; ++i)
    dilations[i] = d.dilations[i] - 1;
  dnnl_convolution_desc_t op;
  if (int32_t status =
          checkOneDNN(dnnl.dnnl_dilated_convolution_forward_desc_init(
                          &op, dnnl_forward_inference, dnnl_convolution_direct,
                          &x, &w, p.hasBias ? &bias : nullptr, &y, d.strides,
                          dilations, d.padding_lo, d.padding_hi),
                      "convolution"))
    return status;
  if (int32_t status = plan.convolution.create(&op, d.post_op, "convolution"))
    return status;
  if (int32_t status = makeReorder(dnnl, plan.reorderX, plan.xBytes, userX,
                                   plan.convolution.layout(DNNL_ARG_SRC), true))
    return status;
  if (int32_t status =
          makeReorder(dnnl, plan.reorderW, plan.wBytes, userW,
                      plan.convolution.layout(DNNL_ARG_WEIGHTS), true))
    return status;
  return makeReorder(dnnl, plan.reorderY, plan.yBytes, userY,
                     plan.convolution.layout(DNNL_ARG_DST), false);
}

/// Finds or makes the plan for p.x.sizes[0] images.
static std::shared_ptr<const Plan> getPlan(const Problem &p, int32_t &status) {
  static Cache<Plan> cache(128);
  std::string key;
  const OneDNN *library = &p.dnnl;
  // Primitives are laid out for a number of threads.
  int32_t threads = coil_get_num_threads();
  appendKey(key, library, threads, p.d.spatial_rank, p.d.post_op, p.hasBias,
            p.d.groups);
  for (int i = 0; i < p.d.spatial_rank; ++i)
    appendKey(key, p.d.strides[i], p.d.padding_lo[i], p.d.padding_hi[i],
              p.d.dilations[i]);
  for (const Operand *operand : {&p.x, &p.w, &p.bias, &p.y}) {
    appendKey(key, operand->rank, operand->dtype);
    for (int d = 0; d < operand->rank; ++d)
      appendKey(key, operand->sizes[d], operand->strides[d]);
  }
  status = COIL_OK;
  return cache.get(key, [&]() -> std::shared_ptr<const Plan> {
    ThreadCountScope threadScope;
    auto plan = std::make_shared<Plan>(p.dnnl);
    status = makePlan(p, *plan);
    return status ? nullptr : plan;
  });
}

/// Images per chunk: as many as fit in the processor's caches with their
/// results, less when that leaves the last chunk fuller.
static int64_t chunkSize(const Problem &p) {
  constexpr int64_t cacheBytes = int64_t(3) << 19;
  int64_t batch = p.x.sizes[0];
  int64_t perImage = (p.x.bytes() + p.y.bytes()) / batch;
  int64_t images = 1;
  while (images < 64 && images * 2 * perImage <= cacheBytes)
    images *= 2;
  int64_t chunks = (batch + images - 1) / images;
  return chunks < 8 ? (batch + chunks - 1) / chunks : images;
}

/// The layout of a chunk in f32, in the order in which the operand lies.
static void describeExtended(Operand &operand) {
  operand.dtype = COIL_F32;
  std::array<int64_t, maxRank> strides = operand.strides;
  denseStridesLike(operand.rank, operand.sizes.data(), strides.data(),
                   operand.strides.data());
}

/// Describes a chunk and finds its plan.
static std::shared_ptr<const Plan> prepareChunk(Problem &p, int64_t chunk,
                                                int32_t &status) {
  p.x.sizes[0] = p.y.sizes[0] = chunk;
  Operand &smallX = p.smallX, &smallY = p.smallY;
  if (smallX.rank) {
    smallX.sizes[0] = chunk;
    describeExtended(p.x);
  }
  if (smallY.rank) {
    smallY.sizes[0] = chunk;
    describeExtended(p.y);
  }
  p.x.normalise();
  p.y.normalise();
  return getPlan(p, status);
}

static int32_t runChunk(coil_run *run, const Problem &p, const Plan &plan,
                        int64_t batch, int64_t chunk);

/// Runs a convolution in chunks of the batch: smaller ones where the usual ones
/// need more workspace than there is.
static int32_t runChunks(coil_run *run, const Problem &problem) {
  int64_t batch = problem.x.sizes[0];
  for (int64_t chunk = chunkSize(problem);; chunk = (chunk + 1) / 2) {
    Problem p = problem;
    int32_t status;
    std::shared_ptr<const Plan> plan = prepareChunk(p, chunk, status);
    if (!plan)
      return status;
    int64_t bytes = plan->xBytes + plan->yBytes + plan->wBytes +
                    (p.smallX.rank ? p.x.bytes() : 0) +
                    (p.smallY.rank ? p.y.bytes() : 0) +
                    plan->convolution.getScratchBytes();
    if (chunk == 1 || hasWorkspace(run, bytes))
      return runChunk(run, p, *plan, batch, chunk);
  }
}

static int32_t runChunk(coil_run *run, const Problem &p, const Plan &plan,
                        int64_t batch, int64_t chunk) {
  const Operand &smallX = p.smallX, &smallY = p.smallY;
  int32_t status;
  Scratch scratch(run);
  auto reserve = [&](int64_t bytes) -> const char * {
    return static_cast<const char *>(scratch.allocate(bytes));
  };
  const char *xOwn = nullptr, *yOwn = nullptr, *w = p.w.data;
  const char *extendedX = nullptr, *extendedY = nullptr;
  if ((smallX.rank && !(extendedX = reserve(p.x.bytes()))) ||
      (smallY.rank && !(extendedY = reserve(p.y.bytes()))))
    return COIL_OUT_OF_MEMORY;
  if ((plan.xBytes && !(xOwn = reserve(plan.xBytes))) ||
      (plan.yBytes && !(yOwn = reserve(plan.yBytes))) ||
      (plan.wBytes && !(w = reserve(plan.wBytes))))
    return COIL_OUT_OF_MEMORY;
  if (plan.wBytes) {
    Primitive::Argument arguments[] = {{DNNL_ARG_FROM, p.w.data},
                                       {DNNL_ARG_TO, w}};
    if ((status = plan.reorderW.execute(run, arguments, 2)))
      return status;
  }
  int64_t xStep = p.d.x_strides[0] *
                  coil_dtype_size(smallX.rank ? smallX.dtype : p.x.dtype);
  int64_t yStep = p.d.y_strides[0] *
                  coil_dtype_size(smallY.rank ? smallY.dtype : p.y.dtype);
  for (int64_t done = 0; done < batch; done += chunk) {
    // The last chunk overlaps the one before: it computes the same values
    // again, and one primitive fits all.
    int64_t first = std::min(done, batch - chunk);
    const char *x = p.x.data + first * xStep, *y = p.y.data + first * yStep;
    const char *wholeY = y;
    if (smallX.rank) {
      extendToF32(smallX.dtype, smallX.rank, smallX.sizes.data(), x,
                  smallX.strides.data(),
                  reinterpret_cast<float *>(const_cast<char *>(extendedX)),
                  p.x.strides.data());
      x = extendedX;
    }
    if (smallY.rank)
      y = extendedY;
    if (xOwn) {
      Primitive::Argument arguments[] = {{DNNL_ARG_FROM, x},
                                         {DNNL_ARG_TO, xOwn}};
      if ((status = plan.reorderX.execute(run, arguments, 2)))
        return status;
    }
    Primitive::Argument arguments[] = {{DNNL_ARG_SRC, xOwn ? xOwn : x},
                                       {DNNL_ARG_WEIGHTS, w},
                                       {DNNL_ARG_DST, yOwn ? yOwn : y},
                                       {DNNL_ARG_BIAS, p.bias.data}};
    if ((status = plan.convolution.execute(run, arguments, p.hasBias ? 4 : 3)))
      return status;
    if (yOwn) {
      Primitive::Argument back[] = {{DNNL_ARG_FROM, yOwn}, {DNNL_ARG_TO, y}};
      if ((status = plan.reorderY.execute(run, back, 2)))
        return status;
    }
    if (smallY.rank)
      roundFromF32(smallY.dtype, smallY.rank, smallY.sizes.data(),
                   reinterpret_cast<const float *>(extendedY),
                   p.y.strides.data(), const_cast<char *>(wholeY),
                   smallY.strides.data());
  }
  return COIL_OK;
}

/// Results that no input element reaches: the bias, or zero.
static int32_t fillWithBias(coil_run *run, const Problem &p, void *y) {
  Scratch scratch(run);
  int64_t channels = p.d.out_channels;
  auto *values =
      static_cast<float *>(scratch.allocate(channels * int64_t(sizeof(float))));
  if (!values)
    return COIL_OUT_OF_MEMORY;
  std::fill(values, values + channels, 0.f);
  const int64_t one = 1;
  if (p.hasBias && p.bias.dtype == COIL_F32)
    copyStrided(sizeof(float), 1, &channels, p.bias.data, &one, values, &one);
  else if (p.hasBias)
    extendToF32(p.bias.dtype, 1, &channels, p.bias.data, &one, values, &one);
  applyEpilogue(values, 1, channels, channels, nullptr, 0, nullptr,
                p.d.post_op);
  std::array<int64_t, maxRank> strides = {0, 1};
  if (p.y.dtype != COIL_F32)
    roundFromF32(p.y.dtype, p.y.rank, p.y.sizes.data(), values, strides.data(),
                 y, p.y.strides.data());
  else
    copyStrided(sizeof(float), p.y.rank, p.y.sizes.data(), values,
                strides.data(), y, p.y.strides.data());
  return COIL_OK;
}

/// Replaces an input by a copy of f32, in the order in which it lies.
static int32_t extend(Scratch &scratch, Operand &operand) {
  if (operand.dtype == COIL_F32)
    return COIL_OK;
  Operand target = operand;
  describeExtended(target);
  void *copy = scratch.allocate(target.bytes());
  if (!copy)
    return COIL_OUT_OF_MEMORY;
  target.data = static_cast<const char *>(copy);
  extendToF32(operand.dtype, operand.rank, operand.sizes.data(), operand.data,
              operand.strides.data(), static_cast<float *>(copy),
              target.strides.data());
  operand = target;
  return COIL_OK;
}

/// Replaces an input by a contiguous copy when elements share addresses or lie
/// in descending order.
static int32_t makeInjective(Scratch &scratch, Operand &operand) {
  if (operand.isInjective()) {
    operand.normalise();
    return COIL_OK;
  }
  void *copy = scratch.allocate(operand.bytes());
  if (!copy)
    return COIL_OUT_OF_MEMORY;
  Operand target = operand;
  target.makeContiguous();
  target.data = static_cast<const char *>(copy);
  copyStrided(coil_dtype_size(operand.dtype), operand.rank,
              operand.sizes.data(), operand.data, operand.strides.data(), copy,
              target.strides.data());
  operand = target;
  return COIL_OK;
}

static int32_t verify(const coil_convolution *desc, bool hasBias) {
  if (desc->struct_size != sizeof(coil_convolution))
    return fail(COIL_INVALID_ARGUMENT,
                "convolution: expected a descriptor of %zu bytes but got %u",
                sizeof(coil_convolution), desc->struct_size);
  const coil_convolution &d = *desc;
  if (d.spatial_rank < 1 || d.spatial_rank > COIL_MAX_SPATIAL_RANK)
    return fail(COIL_INVALID_ARGUMENT,
                "convolution: expected 1 to %d spatial dimensions but got %d",
                COIL_MAX_SPATIAL_RANK, d.spatial_rank);
  if (d.transposed)
    return fail(COIL_UNSUPPORTED,
                "transposed convolution is not supported by the runtime");
  if (d.batch < 0 || d.in_channels < 0 || d.out_channels < 0 || d.groups < 1 ||
      d.in_channels % d.groups || d.out_channels % d.groups)
    return fail(COIL_INVALID_ARGUMENT,
                "convolution: %" PRId64 " input and %" PRId64
                " output channels do not divide into %" PRId64 " groups",
                d.in_channels, d.out_channels, d.groups);
  if (d.post_op < COIL_POST_NONE || d.post_op > COIL_POST_GELU_TANH)
    return fail(COIL_INVALID_ARGUMENT, "convolution: unknown post-op %d",
                d.post_op);
  for (int i = 0; i < d.spatial_rank; ++i) {
    if (d.in_sizes[i] < 0 || d.kernel_sizes[i] < 1 || d.strides[i] < 1 ||
        d.dilations[i] < 1 || d.padding_lo[i] < 0 || d.padding_hi[i] < 0)
      return fail(COIL_INVALID_ARGUMENT,
                  "convolution: bad size, stride, padding or dilation in "
                  "spatial dimension %d",
                  i);
    int64_t room = d.in_sizes[i] + d.padding_lo[i] + d.padding_hi[i] -
                   (d.kernel_sizes[i] - 1) * d.dilations[i] - 1;
    int64_t expected = room < 0 ? 0 : room / d.strides[i] + 1;
    if (d.out_sizes[i] != expected)
      return fail(COIL_INVALID_ARGUMENT,
                  "convolution: expected output size %" PRId64
                  " in spatial dimension %d but got %" PRId64,
                  expected, i, d.out_sizes[i]);
  }
  bool isF32 = d.x_dtype == COIL_F32 && d.w_dtype == COIL_F32 &&
               d.y_dtype == COIL_F32 && (!hasBias || d.bias_dtype == COIL_F32);
  bool isSmall =
      (d.x_dtype == COIL_BF16 || d.x_dtype == COIL_F16) &&
      d.w_dtype == d.x_dtype &&
      (d.y_dtype == d.x_dtype || d.y_dtype == COIL_F32) &&
      (!hasBias || d.bias_dtype == d.x_dtype || d.bias_dtype == COIL_F32);
  if (!isF32 && !isSmall) {
    const char *x = coil_dtype_name(d.x_dtype), *y = coil_dtype_name(d.y_dtype);
    return fail(COIL_UNSUPPORTED,
                "library 'onednn' has no convolution of %s to %s", x ? x : "?",
                y ? y : "?");
  }
  return COIL_OK;
}

static int32_t convolve(coil_run *run, const coil_convolution *desc,
                        const void *x, const void *w, const void *bias,
                        void *y) {
  if (int32_t status = verify(desc, bias != nullptr))
    return status;
  const OneDNN *dnnl = OneDNN::get();
  if (!dnnl)
    return COIL_UNAVAILABLE;
  const coil_convolution &d = *desc;
  Problem p{*dnnl, d, {}, {}, {}, {}, bias != nullptr, {}, {}};
  int spatial = d.spatial_rank;
  auto set = [](Operand &operand, int32_t dtype, const void *data, int rank) {
    operand.rank = rank;
    operand.dtype = dtype;
    operand.data = static_cast<const char *>(data);
  };
  set(p.x, d.x_dtype, x, 2 + spatial);
  set(p.y, d.y_dtype, y, 2 + spatial);
  p.x.sizes = {d.batch, d.in_channels};
  p.y.sizes = {d.batch, d.out_channels};
  std::copy(d.in_sizes, d.in_sizes + spatial, p.x.sizes.begin() + 2);
  std::copy(d.out_sizes, d.out_sizes + spatial, p.y.sizes.begin() + 2);
  std::copy(d.x_strides, d.x_strides + 2 + spatial, p.x.strides.begin());
  std::copy(d.y_strides, d.y_strides + 2 + spatial, p.y.strides.begin());
  int grouped = d.groups > 1;
  set(p.w, d.w_dtype, w, 2 + grouped + spatial);
  int64_t perGroup = d.out_channels / d.groups;
  p.w.sizes[0] = d.groups;
  p.w.strides[0] = perGroup * d.w_strides[0];
  p.w.sizes[grouped] = perGroup;
  p.w.strides[grouped] = d.w_strides[0];
  p.w.sizes[grouped + 1] = d.in_channels / d.groups;
  p.w.strides[grouped + 1] = d.w_strides[1];
  std::copy(d.kernel_sizes, d.kernel_sizes + spatial,
            p.w.sizes.begin() + grouped + 2);
  std::copy(d.w_strides + 2, d.w_strides + 2 + spatial,
            p.w.strides.begin() + grouped + 2);
  Scratch scratch(run);
  if (bias) {
    set(p.bias, d.bias_dtype, bias, 1);
    p.bias.sizes[0] = d.out_channels;
    p.bias.strides[0] = d.bias_stride;
  }
  if (p.y.elements() == 0)
    return COIL_OK;
  // The bias must be dense; an injective stride is not enough.
  if (bias && d.bias_stride != 1 && d.out_channels > 1) {
    p.bias.strides[0] = d.bias_stride;
    void *copy = scratch.allocate(p.bias.bytes());
    if (!copy)
      return COIL_OUT_OF_MEMORY;
    int64_t one = 1;
    copyStrided(coil_dtype_size(d.bias_dtype), 1, p.bias.sizes.data(), bias,
                p.bias.strides.data(), copy, &one);
    p.bias.data = static_cast<const char *>(copy);
  }
  p.bias.strides[0] = 1;
  if (p.x.elements() == 0)
    return fillWithBias(run, p, y);
  if (int32_t status = makeInjective(scratch, p.x))
    return status;
  if (int32_t status = makeInjective(scratch, p.w))
    return status;

  // Chunks step through what the primitives see, so the steps are theirs.
  coil_convolution steps = d;
  steps.x_strides[0] = p.x.strides[0];
  Operand target = p.y;
  bool copyBack = !p.y.isInjective();
  if (copyBack) {
    p.y.makeContiguous();
    p.y.data = static_cast<const char *>(scratch.allocate(p.y.bytes()));
    if (!p.y.data)
      return COIL_OUT_OF_MEMORY;
  } else {
    p.y.normalise();
  }
  steps.y_strides[0] = p.y.strides[0];
  Problem inner{*dnnl, steps, p.x, p.w, p.bias, p.y, p.hasBias, {}, {}};
  if (d.x_dtype == COIL_F16 || (d.x_dtype == COIL_BF16 && !dnnl->hasBF16)) {
    inner.smallX = inner.x;
    if (inner.y.dtype != COIL_F32)
      inner.smallY = inner.y;
    if (int32_t status = extend(scratch, inner.w))
      return status;
    inner.w.normalise();
    if (bias)
      if (int32_t status = extend(scratch, inner.bias))
        return status;
  }
  if (int32_t status = runChunks(run, inner))
    return status;
  if (copyBack)
    copyStrided(coil_dtype_size(target.dtype), target.rank, target.sizes.data(),
                p.y.data, p.y.strides.data(), y, target.strides.data());
  return COIL_OK;
}

extern "C" int32_t coil_rt_convolution(coil_run *run,
                                       const coil_convolution *desc,
                                       const void *x, const void *w,
                                       const void *bias, void *y) {
  TraceStep step(run, COIL_TRACE_LIBRARY, "convolution");
  ++run->stats.library_calls;
  int32_t status = guarded([&] { return convolve(run, desc, x, w, bias, y); });
  return step.finish(nameFailure(status, "convolution", desc->where), y, 0);
}
