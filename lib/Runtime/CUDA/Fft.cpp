//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of ../Fft.cpp on GPUs, by cuFFT. The library transforms up to
// three dimensions, of tensors in which they are the innermost ones, so others
// are moved there and back; what is dense and in order is transformed where it
// lies.
//
//===----------------------------------------------------------------------===//

#include "CuFft.h"

#include "../Call.h"
#include "../Error.h"
#include "../Fft.h"
#include "DeviceLinalg.h"
#include "VendorLibrary.h"

#include <algorithm>
#include <list>
#include <numeric>

using namespace coil::rt;
using namespace coil::rt::cuda;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static VendorLibrary &library() {
  static VendorLibrary *instance = new VendorLibrary(
      "cufft", "COIL_CUFFT_LIBRARY", {"libcufft.so.12", "libcufft.so.11"},
      {
#define COIL_NAME(name, params) #name,
          COIL_CUFFT_FUNCTIONS(COIL_NAME)
#undef COIL_NAME
      });
  return *instance;
}

const CuFft *CuFft::get() {
  // The structure is nothing but the functions in the order of their names.
  return reinterpret_cast<const CuFft *>(library().get());
}
bool CuFft::isPresent() { return library().isPresent(); }
void CuFft::setFile(const char *file) { library().setFile(file); }

int32_t coil::rt::cuda::checkCuFft(cufftResult result, const char *what) {
  switch (result) {
  case CUFFT_SUCCESS:
    return COIL_OK;
  case CUFFT_ALLOC_FAILED:
    return fail(COIL_OUT_OF_MEMORY, "out of memory in library 'cufft' (%s)",
                what);
  case CUFFT_NOT_SUPPORTED:
    return fail(COIL_UNSUPPORTED, "library 'cufft' has no %s on this device",
                what);
  default:
    return fail(COIL_INTERNAL, "library 'cufft' failed with status %d (%s)",
                result, what);
  }
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {

/// Dense transforms of the innermost dimensions.
struct Problem {
  int device = 0, type = 0;
  int64_t batch = 1;
  std::vector<int64_t> sizes; ///< Of what is real, where that differs.

  bool operator==(const Problem &other) const {
    return device == other.device && type == other.type &&
           batch == other.batch && sizes == other.sizes;
  }
};

struct Plan {
  Problem problem;
  cufftHandle handle = 0;
  size_t workBytes = 0;
};

/// Plans of a process, the last used first. A plan holds memory of its device,
/// for tables, so there is a limit to them.
struct Plans {
  static constexpr size_t most = 256;

  std::mutex mutex;
  const CuFft *library = nullptr;
  std::list<Plan> plans;
};

} // namespace

static Plans &plans() {
  static Plans *instance = new Plans;
  return *instance;
}

/// Finds or makes a plan. `state.mutex` is held.
static int32_t getPlan(Plans &state, const CuFft &lib, RunState &run,
                       const Problem &problem, Plan *&out) {
  if (state.library != &lib) {
    // Another file was chosen; what the old one made is of no use.
    state.plans.clear();
    state.library = &lib;
  }
  auto found =
      std::find_if(state.plans.begin(), state.plans.end(),
                   [&](const Plan &plan) { return plan.problem == problem; });
  if (found == state.plans.end()) {
    if (state.plans.size() >= Plans::most) {
      // Work that was given to it may still run.
      if (int32_t status = run.synchronize())
        return status;
      lib.cufftDestroy(state.plans.back().handle);
      state.plans.pop_back();
    }
    constexpr char what[] = "plan of a Fourier transform";
    Plan plan;
    plan.problem = problem;
    if (int32_t status = checkCuFft(lib.cufftCreate(&plan.handle), what))
      return status;
    std::vector<long long> sizes(problem.sizes.begin(), problem.sizes.end());
    cufftResult result = lib.cufftSetAutoAllocation(plan.handle, 0);
    if (result == CUFFT_SUCCESS)
      result = lib.cufftMakePlanMany64(
          plan.handle, int(sizes.size()), sizes.data(), nullptr, 1, 0, nullptr,
          1, 0, problem.type, problem.batch, &plan.workBytes);
    if (int32_t status = checkCuFft(result, what)) {
      lib.cufftDestroy(plan.handle);
      return status;
    }
    state.plans.push_front(std::move(plan));
  } else {
    state.plans.splice(state.plans.begin(), state.plans, found);
  }
  out = &state.plans.front();
  return COIL_OK;
}

/// Transforms dense memory; `in` may be destroyed where the result is real.
static int32_t execute(coil_call *call, RunState &run, int type,
                       std::vector<int64_t> sizes, int64_t batch, void *in,
                       void *out, int direction) {
  const CuFft *lib = CuFft::get();
  if (!lib)
    return COIL_UNAVAILABLE;
  Plans &state = plans();
  // A plan has one stream and one work area at a time: both are set and used
  // before another call may.
  std::lock_guard<std::mutex> lock(state.mutex);
  Plan *plan = nullptr;
  Problem problem{run.device.index, type, batch, std::move(sizes)};
  if (int32_t status = getPlan(state, *lib, run, problem, plan))
    return status;
  constexpr char what[] = "Fourier transform";
  void *work = nullptr;
  if (plan->workBytes)
    if (int32_t status =
            coil_call_scratch(call, int64_t(plan->workBytes), &work))
      return status;
  cufftResult result = lib->cufftSetStream(plan->handle, run.stream);
  if (result == CUFFT_SUCCESS && work)
    result = lib->cufftSetWorkArea(plan->handle, work);
  if (result != CUFFT_SUCCESS)
    return checkCuFft(result, what);
  switch (type) {
  case CUFFT_C2C:
    return checkCuFft(lib->cufftExecC2C(plan->handle, in, out, direction),
                      what);
  case CUFFT_Z2Z:
    return checkCuFft(lib->cufftExecZ2Z(plan->handle, in, out, direction),
                      what);
  case CUFFT_R2C:
    return checkCuFft(lib->cufftExecR2C(plan->handle, in, out), what);
  case CUFFT_D2Z:
    return checkCuFft(lib->cufftExecD2Z(plan->handle, in, out), what);
  case CUFFT_C2R:
    return checkCuFft(lib->cufftExecC2R(plan->handle, in, out), what);
  default:
    return checkCuFft(lib->cufftExecZ2D(plan->handle, in, out), what);
  }
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

namespace {

/// A tensor: sizes and strides in floats, without the dimension of parts.
struct View {
  char *data = nullptr;
  std::vector<int64_t> sizes, strides;
  int64_t part = 0; ///< From the real to the imaginary part; 0: real.

  static View of(const coil_tensor &tensor, bool isComplex) {
    View view;
    view.data = static_cast<char *>(tensor.data);
    int32_t rank = tensor.rank - (isComplex ? 1 : 0);
    view.sizes.assign(tensor.sizes, tensor.sizes + rank);
    view.strides.assign(tensor.strides, tensor.strides + rank);
    if (isComplex)
      view.part = tensor.strides[rank];
    return view;
  }

  int64_t count() const {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                           std::multiplies<int64_t>());
  }

  View permuted(const std::vector<size_t> &order) const {
    View view = *this;
    for (size_t d = 0; d < order.size(); ++d) {
      view.sizes[d] = sizes[order[d]];
      view.strides[d] = strides[order[d]];
    }
    return view;
  }

  bool isDense() const {
    int64_t step = part ? 2 : 1;
    if (part > 1)
      return false;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] != 1 && strides[d] != step)
        return false;
      step *= sizes[d];
    }
    return true;
  }

  /// Of a dense tensor of these sizes.
  void makeDense(char *memory) {
    data = memory;
    part = part ? 1 : 0;
    int64_t step = part ? 2 : 1;
    for (size_t d = sizes.size(); d-- > 0;) {
      strides[d] = step;
      step *= sizes[d];
    }
  }
};

/// One call: what all three functions take, and memory.
class FftCall : public FftArguments {
public:
  explicit FftCall(coil_call *call)
      : call(call), state(*getState(coil_call_get_run(call))) {}

  coil_call *call;
  RunState &state;
  int64_t element = 4;

  bool isWide() const { return element == 8; }

  int32_t read(bool isComplex);
  /// The dimensions in another order: first those that are not transformed.
  std::vector<size_t> getOrder(size_t rank,
                               const std::vector<int64_t> &transformed) const;
  int32_t copy(const View &from, const View &to);
  /// Memory for a dense tensor of a view's sizes.
  int32_t makeDense(View &view);
  /// Transforms complex dimensions, at most three at a time. `out` has a place;
  /// `in` stays as it is.
  int32_t transformComplex(const View &in, const View &out,
                           std::vector<int64_t> transformed, int direction);
  int32_t scaleResult(const View &view);
};

} // namespace

int32_t FftCall::read(bool isComplex) {
  if (int32_t status = readFftArguments(call, isComplex, *this))
    return status;
  element = self->dtype == COIL_F32 ? 4 : 8;
  return COIL_OK;
}

std::vector<size_t>
FftCall::getOrder(size_t rank, const std::vector<int64_t> &transformed) const {
  std::vector<size_t> order;
  for (size_t d = 0; d < rank; ++d)
    if (std::find(transformed.begin(), transformed.end(), int64_t(d)) ==
        transformed.end())
      order.push_back(d);
  for (int64_t dim : transformed)
    order.push_back(static_cast<size_t>(dim));
  return order;
}

int32_t FftCall::copy(const View &from, const View &to) {
  std::vector<int64_t> sizes(to.sizes), target(to.strides),
      strides(from.strides);
  if (to.part) {
    sizes.push_back(2);
    target.push_back(to.part);
    strides.push_back(from.part);
  }
  return copyElements(state, to.data, target, from.data, strides, sizes,
                      element);
}

int32_t FftCall::makeDense(View &view) {
  void *memory = nullptr;
  int64_t floats = view.count() * (view.part ? 2 : 1);
  if (int32_t status = coil_call_scratch(
          call, std::max<int64_t>(floats, 1) * element, &memory))
    return status;
  view.makeDense(static_cast<char *>(memory));
  return COIL_OK;
}

int32_t FftCall::scaleResult(const View &view) {
  if (scale == 1)
    return COIL_OK;
  return scaleElements(state, view.data, view.count() * (view.part ? 2 : 1),
                       element, scale);
}

int32_t FftCall::transformComplex(const View &in, const View &out,
                                  std::vector<int64_t> transformed,
                                  int direction) {
  if (out.count() == 0)
    return COIL_OK;
  View from = in;
  while (!transformed.empty()) {
    // The library takes three dimensions.
    size_t some = std::min<size_t>(transformed.size(), 3);
    std::vector<int64_t> now(transformed.end() - int64_t(some),
                             transformed.end());
    transformed.resize(transformed.size() - some);
    // Which order they have is up to us: that in which they lie.
    std::sort(now.begin(), now.end());
    std::vector<size_t> order = getOrder(out.sizes.size(), now);
    View source = from.permuted(order), target = out.permuted(order);
    if (!source.isDense()) {
      View dense = source;
      if (int32_t status = makeDense(dense))
        return status;
      if (int32_t status = copy(source, dense))
        return status;
      source = dense;
    }
    View result = target;
    if (!target.isDense())
      if (int32_t status = makeDense(result))
        return status;
    std::vector<int64_t> sizes(result.sizes.end() - int64_t(some),
                               result.sizes.end());
    int64_t batch = result.count();
    for (int64_t size : sizes)
      batch /= size;
    if (int32_t status =
            execute(call, state, isWide() ? CUFFT_Z2Z : CUFFT_C2C, sizes, batch,
                    source.data, result.data, direction))
      return status;
    if (transformed.empty())
      if (int32_t status = scaleResult(result))
        return status;
    if (!target.isDense())
      if (int32_t status = copy(result, target))
        return status;
    from = out;
  }
  return COIL_OK;
}

static int32_t c2c(coil_call *call, void *) {
  return guarded([&]() -> int32_t {
    FftCall c(call);
    if (int32_t status = c.read(/*isComplex=*/true))
      return status;
    const int64_t *inverse = coil_call_bool(call, 2);
    const coil_tensor *result;
    if (!inverse)
      return coil_call_fail(call, "the direction is missing");
    if (int32_t status = coil_call_result(call, 0, c.self->dtype, c.self->rank,
                                          c.self->sizes, &result))
      return status;
    return c.transformComplex(View::of(*c.self, /*isComplex=*/true),
                              View::of(*result, /*isComplex=*/true), c.dims,
                              *inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
  });
}

static int32_t r2c(coil_call *call, void *) {
  return guarded([&]() -> int32_t {
    FftCall c(call);
    if (int32_t status = c.read(/*isComplex=*/false))
      return status;
    const int64_t *onesided = coil_call_bool(call, 2);
    if (!onesided)
      return coil_call_fail(call, "whether half is wanted is missing");
    const coil_tensor *result;
    std::vector<int64_t> sizes(c.self->sizes, c.self->sizes + c.self->rank);
    int64_t &last = sizes[static_cast<size_t>(c.dims.back())];
    if (last < 1)
      return coil_call_fail(call, "a dimension to transform is empty");
    if (*onesided)
      last = last / 2 + 1;
    sizes.push_back(2);
    if (int32_t status = coil_call_result(call, 0, c.self->dtype,
                                          static_cast<int32_t>(sizes.size()),
                                          sizes.data(), &result))
      return status;
    View from = View::of(*c.self, /*isComplex=*/false),
         to = View::of(*result, /*isComplex=*/true);
    if (to.count() == 0)
      return COIL_OK;
    if (!*onesided) {
      // All of it: complex numbers without imaginary parts.
      View complex = to;
      if (int32_t status = c.makeDense(complex))
        return status;
      PackShape shape;
      shape.add(complex.count() * 2 * c.element / 8, 1);
      if (int32_t status = clear(c.state, complex.data, 8, shape))
        return status;
      View real = complex;
      real.part = 0;
      if (int32_t status = c.copy(from, real))
        return status;
      return c.transformComplex(complex, to, c.dims, CUFFT_FORWARD);
    }
    // The last dimension from real to complex, then the others.
    std::vector<int64_t> others(c.dims.begin(), c.dims.end() - 1);
    std::vector<size_t> order = c.getOrder(from.sizes.size(), {c.dims.back()});
    View source = from.permuted(order), target = to.permuted(order);
    if (!source.isDense()) {
      View dense = source;
      if (int32_t status = c.makeDense(dense))
        return status;
      if (int32_t status = c.copy(source, dense))
        return status;
      source = dense;
    }
    View result2 = target;
    if (!target.isDense())
      if (int32_t status = c.makeDense(result2))
        return status;
    int64_t length = source.sizes.back();
    if (int32_t status = execute(
            call, c.state, c.isWide() ? CUFFT_D2Z : CUFFT_R2C, {length},
            source.count() / length, source.data, result2.data, CUFFT_FORWARD))
      return status;
    if (others.empty())
      if (int32_t status = c.scaleResult(result2))
        return status;
    if (!target.isDense())
      if (int32_t status = c.copy(result2, target))
        return status;
    return c.transformComplex(to, to, others, CUFFT_FORWARD);
  });
}

static int32_t c2r(coil_call *call, void *) {
  return guarded([&]() -> int32_t {
    FftCall c(call);
    if (int32_t status = c.read(/*isComplex=*/true))
      return status;
    const int64_t *size = coil_call_int(call, 2);
    const coil_tensor *result;
    std::vector<int64_t> sizes(c.self->sizes, c.self->sizes + c.self->rank - 1);
    int64_t &last = sizes[static_cast<size_t>(c.dims.back())];
    if (!size || *size < 1 || last < *size / 2 + 1)
      return coil_call_fail(call, "there are fewer coefficients than the size "
                                  "of the result needs");
    last = *size;
    if (int32_t status = coil_call_result(call, 0, c.self->dtype,
                                          static_cast<int32_t>(sizes.size()),
                                          sizes.data(), &result))
      return status;
    View from = View::of(*c.self, /*isComplex=*/true),
         to = View::of(*result, /*isComplex=*/false);
    if (to.count() == 0)
      return COIL_OK;
    // The coefficients that count, in memory that the library may destroy.
    from.sizes[static_cast<size_t>(c.dims.back())] = *size / 2 + 1;
    std::vector<size_t> order = c.getOrder(from.sizes.size(), {c.dims.back()});
    View work = from.permuted(order);
    if (int32_t status = c.makeDense(work))
      return status;
    std::vector<int64_t> others(c.dims.begin(), c.dims.end() - 1);
    if (others.empty()) {
      if (int32_t status = c.copy(from.permuted(order), work))
        return status;
    } else {
      // Where the dimensions of `from` are in `work`.
      View unordered = from;
      for (size_t d = 0; d < order.size(); ++d)
        unordered.strides[order[d]] = work.strides[d];
      unordered.data = work.data;
      unordered.part = work.part;
      double factor = c.scale;
      c.scale = 1;
      if (int32_t status =
              c.transformComplex(from, unordered, others, CUFFT_INVERSE))
        return status;
      c.scale = factor;
    }
    View target = to.permuted(order), dense = target;
    if (!target.isDense())
      if (int32_t status = c.makeDense(dense))
        return status;
    if (int32_t status = execute(
            call, c.state, c.isWide() ? CUFFT_Z2D : CUFFT_C2R, {*size},
            dense.count() / *size, work.data, dense.data, CUFFT_INVERSE))
      return status;
    if (int32_t status = c.scaleResult(dense))
      return status;
    return target.isDense() ? int32_t(COIL_OK) : c.copy(dense, target);
  });
}

void coil::rt::cuda::registerFft() {
  registerAll({NamedFunction{"coil::fft_c2c", c2c},
               NamedFunction{"coil::fft_r2c", r2c},
               NamedFunction{"coil::fft_c2r", c2r}},
              COIL_CUDA);
}
