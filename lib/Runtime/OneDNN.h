//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// oneDNN, loaded at run time, and the primitives made with it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_ONEDNN_H
#define COIL_LIB_RUNTIME_ONEDNN_H

#include "Run.h"

#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.h>
#include <string>
#include <unordered_map>

namespace coil::rt {

/// The functions of oneDNN that the runtime calls.
#define COIL_ONEDNN_FUNCTIONS(X)                                               \
  X(dnnl_version)                                                              \
  X(dnnl_sgemm)                                                                \
  X(dnnl_engine_create)                                                        \
  X(dnnl_stream_create)                                                        \
  X(dnnl_stream_wait)                                                          \
  X(dnnl_stream_destroy)                                                       \
  X(dnnl_memory_desc_init_by_strides)                                          \
  X(dnnl_memory_desc_init_by_tag)                                              \
  X(dnnl_memory_desc_equal)                                                    \
  X(dnnl_memory_desc_get_size)                                                 \
  X(dnnl_memory_create)                                                        \
  X(dnnl_memory_destroy)                                                       \
  X(dnnl_matmul_desc_init)                                                     \
  X(dnnl_dilated_convolution_forward_desc_init)                                \
  X(dnnl_primitive_attr_create)                                                \
  X(dnnl_primitive_attr_destroy)                                               \
  X(dnnl_primitive_attr_set_scratchpad_mode)                                   \
  X(dnnl_primitive_attr_set_post_ops)                                          \
  X(dnnl_post_ops_create)                                                      \
  X(dnnl_post_ops_destroy)                                                     \
  X(dnnl_post_ops_append_eltwise)                                              \
  X(dnnl_primitive_desc_create)                                                \
  X(dnnl_primitive_desc_destroy)                                               \
  X(dnnl_primitive_desc_query_md)                                              \
  X(dnnl_reorder_primitive_desc_create)                                        \
  X(dnnl_primitive_create)                                                     \
  X(dnnl_primitive_destroy)                                                    \
  X(dnnl_primitive_execute)                                                    \
  X(dnnl_get_effective_cpu_isa)

/// A loaded oneDNN. Lives for ever once loaded.
struct OneDNN {
#define COIL_DECLARE(name) decltype(&::name) name;
  COIL_ONEDNN_FUNCTIONS(COIL_DECLARE)
#undef COIL_DECLARE
  dnnl_engine_t engine = nullptr;
  /// Whether the library has kernels of this processor for contractions and
  /// convolutions of bf16. It has none of f16.
  bool hasBF16 = false;

  /// Returns the library, loading it at the first call, or null with the error
  /// recorded.
  static const OneDNN *get();
};

/// Turns a status of oneDNN into ours. `what` names the request.
int32_t checkOneDNN(dnnl_status_t status, const char *what);

/// The stream of the calling thread, or null with the error recorded.
dnnl_stream_t threadStream(const OneDNN &dnnl);

/// oneDNN's name of a dtype, or undef.
dnnl_data_type_t dnnlType(int32_t dtype);

/// A primitive and the layouts it wants. Immutable; used by many threads.
class Primitive {
public:
  explicit Primitive(const OneDNN &dnnl) : dnnl(dnnl) {}
  Primitive(const Primitive &) = delete;
  Primitive &operator=(const Primitive &) = delete;
  ~Primitive();

  /// Makes the primitive for an operation descriptor, with a post-op.
  int32_t create(const void *opDesc, int32_t postOp, const char *what);
  /// Makes a primitive that copies between layouts.
  int32_t createReorder(const dnnl_memory_desc_t &from,
                        const dnnl_memory_desc_t &to);

  /// The layout of an argument (DNNL_ARG_SRC, …).
  dnnl_memory_desc_t layout(int argument) const;

  struct Argument {
    int index;
    const void *data;
  };
  /// Executes with these arguments; scratch memory comes from the run.
  int32_t execute(coil_run *run, const Argument *arguments, int count) const;

  /// Workspace that it asks for.
  int64_t getScratchBytes() const { return scratchBytes; }

private:
  int32_t finish(const char *what);

  const OneDNN &dnnl;
  dnnl_primitive_desc_t desc = nullptr;
  dnnl_primitive_t primitive = nullptr;
  int64_t scratchBytes = 0;
};

/// A bounded map from a descriptor's bytes to what was made for it; the least
/// recently used entry leaves first.
template <typename Value>
class Cache {
public:
  explicit Cache(size_t capacity) : capacity(capacity) {}

  /// Returns the entry for `key`, made by `make` (returning null on failure)
  /// when it is missing. Entries stay alive while someone holds them.
  template <typename Make>
  std::shared_ptr<const Value> get(const std::string &key, Make &&make) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = index.find(key);
      if (found != index.end()) {
        entries.splice(entries.begin(), entries, found->second);
        return entries.front().second;
      }
    }
    std::shared_ptr<const Value> value = make();
    if (!value)
      return nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    if (index.count(key))
      return value;
    entries.emplace_front(key, value);
    index[key] = entries.begin();
    if (entries.size() > capacity) {
      index.erase(entries.back().first);
      entries.pop_back();
    }
    return value;
  }

private:
  using Entry = std::pair<std::string, std::shared_ptr<const Value>>;
  size_t capacity;
  std::mutex mutex;
  std::list<Entry> entries;
  std::unordered_map<std::string, typename std::list<Entry>::iterator> index;
};

/// Appends the bytes of plain values to a cache key.
template <typename... Values>
void appendKey(std::string &key, const Values &...values) {
  (key.append(reinterpret_cast<const char *>(&values), sizeof(values)), ...);
}

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_ONEDNN_H
