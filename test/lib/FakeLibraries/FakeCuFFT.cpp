//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library that looks like cuFFT to the runtime: it checks plans and computes
// sums over the simulated device's memory, in double precision, as transforms
// are defined. As the library may, it destroys what a transform to real numbers
// is given. COIL_FAKE_CUFFT_TRACE prints plans; COIL_FAKE_CUFFT_FAIL=plan makes
// none, =execute fails to execute.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"

#include "../../../lib/Runtime/CUDA/CuFft.h"

#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

using namespace coil::fake;
using namespace coil::rt::cuda;

namespace {

constexpr int CUFFT_INVALID_PLAN = 1, CUFFT_INVALID_VALUE = 4,
              CUFFT_EXEC_FAILED = 6, CUFFT_INVALID_SIZE = 8;
constexpr size_t workspace = 128;

struct Plan {
  std::vector<int64_t> sizes;
  int64_t batch = 0;
  int type = 0;
  void *stream = nullptr, *work = nullptr;
  bool isAutomatic = true;
};

struct Plans {
  std::mutex mutex;
  std::map<int, Plan> plans;
  int next = 1;
};

Plans &all() {
  static auto *instance = new Plans;
  return *instance;
}

bool isSet(const char *variable, const char *value) {
  const char *text = getenv(variable);
  return text && std::string(text) == value;
}

using Complex = std::complex<double>;

/// exp(2 pi i k / n), exactly where that is a quarter of the circle.
Complex root(int64_t k, int64_t n) {
  constexpr Complex quarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  k = (k % n + n) % n;
  return 4 * k % n == 0 ? quarters[4 * k / n]
                        : std::polar(1.0, 2 * M_PI * double(k) / double(n));
}

/// Transforms dimension `d` of a dense tensor.
void transform(std::vector<Complex> &data, const std::vector<int64_t> &sizes,
               size_t d, int direction) {
  int64_t n = sizes[d], inner = 1;
  for (size_t i = d + 1; i < sizes.size(); ++i)
    inner *= sizes[i];
  std::vector<Complex> line(static_cast<size_t>(n));
  for (int64_t first = 0; first < int64_t(data.size()); ++first) {
    if (first / inner % n != 0)
      continue;
    for (int64_t k = 0; k < n; ++k) {
      line[size_t(k)] = 0;
      for (int64_t j = 0; j < n; ++j)
        line[size_t(k)] +=
            data[size_t(first + j * inner)] * root(direction * (j * k % n), n);
    }
    for (int64_t k = 0; k < n; ++k)
      data[size_t(first + k * inner)] = line[size_t(k)];
  }
}

template <typename T>
void compute(const Plan &plan, uint64_t in, uint64_t out, int direction) {
  int64_t full = plan.batch, half = plan.batch, last = plan.sizes.back();
  for (size_t d = 0; d < plan.sizes.size(); ++d) {
    full *= plan.sizes[d];
    half *= d + 1 < plan.sizes.size() ? plan.sizes[d] : last / 2 + 1;
  }
  bool fromReal = plan.type == CUFFT_R2C || plan.type == CUFFT_D2Z;
  bool toReal = plan.type == CUFFT_C2R || plan.type == CUFFT_Z2D;
  const SimDevice &device = SimDevice::get();
  int64_t numIn = fromReal ? full : 2 * (toReal ? half : full);
  int64_t numOut = toReal ? full : 2 * (fromReal ? half : full);
  auto *from =
      static_cast<T *>(device.access(in, uint64_t(numIn) * sizeof(T), toReal));
  if (!from)
    return;
  std::vector<int64_t> sizes(plan.sizes);
  sizes.insert(sizes.begin(), plan.batch);
  std::vector<Complex> data(static_cast<size_t>(full));
  if (toReal) {
    // The other half is conjugate; the other dimensions come first.
    std::vector<int64_t> halves(sizes);
    halves.back() = last / 2 + 1;
    std::vector<Complex> given;
    for (int64_t i = 0; i < half; ++i)
      given.push_back(Complex(from[2 * i], from[2 * i + 1]));
    for (size_t d = 1; d + 1 < halves.size(); ++d)
      transform(given, halves, d, direction);
    for (int64_t i = 0; i < full; ++i) {
      int64_t k = i % last, row = i / last;
      Complex value =
          given[size_t(row * halves.back() + std::min(k, last - k))];
      if (k == 0 || 2 * k == last)
        value = value.real();
      data[size_t(i)] = 2 * k > last ? std::conj(value) : value;
    }
    transform(data, sizes, sizes.size() - 1, direction);
    for (int64_t i = 0; i < numIn; ++i)
      from[i] = T(NAN);
  } else {
    for (int64_t i = 0; i < full; ++i)
      data[size_t(i)] =
          fromReal ? Complex(from[i]) : Complex(from[2 * i], from[2 * i + 1]);
    for (size_t d = 1; d < sizes.size(); ++d)
      transform(data, sizes, d, direction);
  }
  auto *to =
      static_cast<T *>(device.access(out, uint64_t(numOut) * sizeof(T), 1));
  if (!to)
    return;
  if (toReal) {
    for (int64_t i = 0; i < full; ++i)
      to[i] = T(data[size_t(i)].real());
    return;
  }
  int64_t kept = fromReal ? last / 2 + 1 : last;
  for (int64_t i = 0, k = 0; i < full; ++i)
    if (i % last < kept) {
      to[k++] = T(data[size_t(i)].real());
      to[k++] = T(data[size_t(i)].imag());
    }
}

cufftResult execute(cufftHandle handle, int type, void *in, void *out,
                    int direction) {
  if (isSet("COIL_FAKE_CUFFT_FAIL", "execute"))
    return CUFFT_EXEC_FAILED;
  Plans &state = all();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.plans.find(handle);
  if (found == state.plans.end() || found->second.type != type)
    return CUFFT_INVALID_PLAN;
  const Plan &plan = found->second;
  // Memory of the caller's.
  if (plan.isAutomatic ||
      !SimDevice::get().access(reinterpret_cast<uint64_t>(plan.work), workspace,
                               1))
    return CUFFT_INVALID_VALUE;
  auto from = reinterpret_cast<uint64_t>(in),
       to = reinterpret_cast<uint64_t>(out);
  bool isWide = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
  bool done = SimDevice::get().enqueue(plan.stream, [=, plan = plan] {
    if (isWide)
      compute<double>(plan, from, to, direction);
    else
      compute<float>(plan, from, to, direction);
  });
  return done ? int(CUFFT_SUCCESS) : CUFFT_EXEC_FAILED;
}

} // namespace

#define COIL_FAKE_API extern "C" __attribute__((visibility("default")))

COIL_FAKE_API cufftResult cufftCreate(cufftHandle *plan) {
  if (!SimDevice::get())
    return CUFFT_INVALID_PLAN;
  Plans &state = all();
  std::lock_guard<std::mutex> lock(state.mutex);
  *plan = state.next++;
  state.plans[*plan] = Plan();
  return CUFFT_SUCCESS;
}

COIL_FAKE_API cufftResult cufftDestroy(cufftHandle plan) {
  Plans &state = all();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.plans.erase(plan) ? int(CUFFT_SUCCESS) : CUFFT_INVALID_PLAN;
}

COIL_FAKE_API cufftResult cufftSetAutoAllocation(cufftHandle plan,
                                                 int automatic) {
  Plans &state = all();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.plans[plan].isAutomatic = automatic != 0;
  return CUFFT_SUCCESS;
}

COIL_FAKE_API cufftResult cufftMakePlanMany64(
    cufftHandle plan, int rank, long long *sizes, long long *inEmbed, long long,
    long long, long long *outEmbed, long long, long long, int type,
    long long batch, size_t *workBytes) {
  if (isSet("COIL_FAKE_CUFFT_FAIL", "plan"))
    return CUFFT_ALLOC_FAILED;
  if (rank < 1 || rank > 3 || inEmbed || outEmbed || batch < 1)
    return CUFFT_INVALID_VALUE;
  Plans &state = all();
  std::lock_guard<std::mutex> lock(state.mutex);
  Plan &made = state.plans[plan];
  for (int i = 0; i < rank; ++i) {
    if (sizes[i] < 1)
      return CUFFT_INVALID_SIZE;
    made.sizes.push_back(sizes[i]);
  }
  made.batch = batch;
  made.type = type;
  *workBytes = workspace;
  if (getenv("COIL_FAKE_CUFFT_TRACE")) {
    std::string text;
    for (int64_t size : made.sizes)
      text += (text.empty() ? "" : "x") + std::to_string(size);
    fprintf(stderr, "cufft: %02x of %s, %lld times\n", unsigned(type),
            text.c_str(), batch);
  }
  return CUFFT_SUCCESS;
}

COIL_FAKE_API cufftResult cufftSetStream(cufftHandle plan, CUstream stream) {
  Plans &state = all();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.plans[plan].stream = stream;
  return CUFFT_SUCCESS;
}

COIL_FAKE_API cufftResult cufftSetWorkArea(cufftHandle plan, void *work) {
  Plans &state = all();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.plans[plan].work = work;
  return CUFFT_SUCCESS;
}

COIL_FAKE_API cufftResult cufftExecC2C(cufftHandle plan, void *in, void *out,
                                       int direction) {
  return execute(plan, CUFFT_C2C, in, out, direction);
}
COIL_FAKE_API cufftResult cufftExecZ2Z(cufftHandle plan, void *in, void *out,
                                       int direction) {
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
COIL_FAKE_API cufftResult cufftExecR2C(cufftHandle plan, void *in, void *out) {
  return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
COIL_FAKE_API cufftResult cufftExecD2Z(cufftHandle plan, void *in, void *out) {
  return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
COIL_FAKE_API cufftResult cufftExecC2R(cufftHandle plan, void *in, void *out) {
  return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
COIL_FAKE_API cufftResult cufftExecZ2D(cufftHandle plan, void *in, void *out) {
  return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
