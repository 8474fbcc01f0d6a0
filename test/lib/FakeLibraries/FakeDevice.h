//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What libraries that only look like the vendor's share: work on a stream of
// the simulated device, done by the host, and elements of its memory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_FAKELIBRARIES_FAKEDEVICE_H
#define COIL_TEST_LIB_FAKELIBRARIES_FAKEDEVICE_H

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <memory>
#include <vector>

namespace coil::fake {

/// The simulated driver that this process has loaded.
struct SimDevice {
  int (*launchHostFunc)(void *stream, void (*callback)(void *),
                        void *data) = nullptr;
  void *(*access)(uint64_t address, uint64_t bytes, int write) = nullptr;
  /// Work that is asked until it is done, and whether the device has it still.
  int (*poll)(void *stream, int (*poll)(void *data, uint64_t *state),
              void *data) = nullptr;
  int (*holds)(const void *data) = nullptr;

  static const SimDevice &get() {
    static const SimDevice device = [] {
      SimDevice d;
      const char *file = getenv("COIL_CUDA_DRIVER");
      void *handle = file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
      if (handle) {
        d.launchHostFunc = reinterpret_cast<decltype(d.launchHostFunc)>(
            dlsym(handle, "cuLaunchHostFunc"));
        d.access = reinterpret_cast<decltype(d.access)>(
            dlsym(handle, "coil_cuda_sim_access"));
        d.poll = reinterpret_cast<decltype(d.poll)>(
            dlsym(handle, "coil_cuda_sim_poll"));
        d.holds = reinterpret_cast<decltype(d.holds)>(
            dlsym(handle, "coil_cuda_sim_holds"));
      }
      return d;
    }();
    return device;
  }

  explicit operator bool() const { return launchHostFunc && access; }

  /// Runs `work` in the order of a stream, or records it for every launch of a
  /// graph that the stream is captured for. Such work is never freed.
  bool enqueue(void *stream, std::function<void()> work) const {
    auto *kept = new std::function<void()>(std::move(work));
    return launchHostFunc(
               stream,
               [](void *data) {
                 (*static_cast<std::function<void()> *>(data))();
               },
               kept) == 0;
  }
};

inline float fromBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t toBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline uint16_t toBF16(float value) {
  uint32_t bits = toBits(value);
  if (value != value)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Rounded to 10 bits of mantissa, ties away from zero.
inline double toTF32(double value) {
  uint32_t bits = toBits(float(value));
  if (value != value || (bits & 0x7f800000) == 0x7f800000)
    return value;
  return double(fromBits((bits + 0x1000) & ~uint32_t(0x1fff)));
}

/// Element types that the fakes know.
enum class Type { F32, F64, F16, BF16, I32, Bool };

inline int64_t getBytes(Type type) {
  switch (type) {
  case Type::F64:
    return 8;
  case Type::F32:
  case Type::I32:
    return 4;
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::Bool:
    return 1;
  }
  return 0;
}

inline double load(Type type, const void *from) {
  switch (type) {
  case Type::F64: {
    double value;
    memcpy(&value, from, sizeof(value));
    return value;
  }
  case Type::F32: {
    float value;
    memcpy(&value, from, sizeof(value));
    return double(value);
  }
  case Type::F16: {
    _Float16 value;
    memcpy(&value, from, sizeof(value));
    return double(value);
  }
  case Type::BF16: {
    uint16_t bits;
    memcpy(&bits, from, sizeof(bits));
    return double(fromBits(uint32_t(bits) << 16));
  }
  case Type::I32: {
    int32_t value;
    memcpy(&value, from, sizeof(value));
    return value;
  }
  case Type::Bool:
    return *static_cast<const uint8_t *>(from) != 0;
  }
  return 0;
}

inline void store(Type type, void *to, double value) {
  switch (type) {
  case Type::F64:
    memcpy(to, &value, sizeof(value));
    return;
  case Type::F32: {
    float v = float(value);
    memcpy(to, &v, sizeof(v));
    return;
  }
  case Type::F16: {
    _Float16 v = _Float16(value);
    memcpy(to, &v, sizeof(v));
    return;
  }
  case Type::BF16: {
    uint16_t v = toBF16(float(value));
    memcpy(to, &v, sizeof(v));
    return;
  }
  case Type::I32: {
    int32_t v = int32_t(value);
    memcpy(to, &v, sizeof(v));
    return;
  }
  case Type::Bool:
    *static_cast<uint8_t *>(to) = value != 0;
    return;
  }
}

/// Rounds to an element type.
inline double roundTo(Type type, double value) {
  char buffer[8];
  store(type, buffer, value);
  return load(type, buffer);
}

/// Calls `body` with each index of a space, the last dimension fastest.
inline void forEach(const std::vector<int64_t> &sizes,
                    const std::function<void(const int64_t *)> &body) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<int64_t> index(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    body(index.data());
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
}

} // namespace coil::fake

#endif // COIL_TEST_LIB_FAKELIBRARIES_FAKEDEVICE_H
