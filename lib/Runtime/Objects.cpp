//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects of classes that programs do not know: the registry of classes,
// owners, and names.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/Objects.h"

#include "Call.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

using namespace coil::rt;

namespace {
struct Class {
  std::string name;
  void (*destroy)(void *data, void *user);
  void *user;
};

struct ObjectRegistry {
  std::mutex mutex;
  /// Classes are only added, so what was found stays where it is.
  std::unordered_map<std::string, std::unique_ptr<Class>> classes;
  std::map<std::string, coil_object *> bound;
  std::atomic<int64_t> count{0};
};
} // namespace

struct coil_object {
  const Class *type;
  void *data;
  std::atomic<int64_t> owners{1};
};

/// Lives as long as the process: threads may let go of objects while it ends.
static ObjectRegistry &getRegistry() {
  static ObjectRegistry *registry = new ObjectRegistry;
  return *registry;
}

/// Binds a name in a map; returns the owner that is left over.
static coil_object *rebind(std::map<std::string, coil_object *> &names,
                           const char *name, coil_object *object) {
  coil_object *before = nullptr;
  if (auto found = names.find(name); found != names.end()) {
    before = found->second;
    if (!object)
      names.erase(found);
    else
      found->second = object;
  } else if (object) {
    names.emplace(name, object);
  }
  return before;
}

extern "C" {

int32_t coil_register_class(const coil_class *description) {
  return guarded([&]() -> int32_t {
    if (!description || description->struct_size < sizeof(coil_class) ||
        !description->name)
      return fail(COIL_INVALID_ARGUMENT, "a class needs its size and a name");
    if (!isFunctionName(description->name))
      return fail(COIL_INVALID_ARGUMENT,
                  "'%s' is no name of a class, expected 'namespace::name'",
                  description->name);
    auto made = std::make_unique<Class>(
        Class{description->name, description->destroy, description->user});
    ObjectRegistry &registry = getRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    if (!registry.classes.try_emplace(made->name, std::move(made)).second)
      return fail(COIL_INVALID_ARGUMENT, "the class '%s' is registered already",
                  description->name);
    return COIL_OK;
  });
}

static const Class *lookupClass(const char *name) {
  ObjectRegistry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto found = registry.classes.find(name);
  return found == registry.classes.end() ? nullptr : found->second.get();
}

int32_t coil_find_class(const char *name) {
  return guarded([&]() -> int32_t {
    if (lookupClass(name))
      return COIL_OK;
    return fail(COIL_UNAVAILABLE, "the class '%s' is not registered", name);
  });
}

int32_t coil_object_create(const char *class_name, void *data,
                           coil_object **object) {
  return guarded([&]() -> int32_t {
    *object = nullptr;
    if (int32_t status = coil_find_class(class_name))
      return status;
    *object = new coil_object{lookupClass(class_name), data};
    ++getRegistry().count;
    return COIL_OK;
  });
}

void coil_object_retain(coil_object *object) {
  if (object)
    object->owners.fetch_add(1, std::memory_order_relaxed);
}

void coil_object_release(coil_object *object) {
  if (!object || object->owners.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (object->type->destroy)
    object->type->destroy(object->data, object->type->user);
  delete object;
  --getRegistry().count;
}

void *coil_object_data(const coil_object *object) { return object->data; }

const char *coil_object_class(const coil_object *object) {
  return object->type->name.c_str();
}

int64_t coil_object_count(void) { return getRegistry().count; }

int32_t coil_bind_object(const char *name, coil_object *object) {
  return guarded([&]() -> int32_t {
    coil_object *before = nullptr;
    {
      ObjectRegistry &registry = getRegistry();
      std::lock_guard<std::mutex> lock(registry.mutex);
      before = rebind(registry.bound, name, object);
      coil_object_retain(object);
    }
    // Its end may run code that binds objects.
    coil_object_release(before);
    return COIL_OK;
  });
}

int32_t coil_run_bind_object(coil_run *run, const char *name,
                             coil_object *object) {
  return guarded([&]() -> int32_t {
    coil_object *before = rebind(run->objects, name, object);
    coil_object_retain(object);
    coil_object_release(before);
    return COIL_OK;
  });
}

int32_t coil_rt_bound_object(coil_run *run, const char *name,
                             const char *class_name, coil_object **object) {
  return guarded([&]() -> int32_t {
    *object = nullptr;
    run->held.reserve(run->held.size() + 1);
    coil_object *found = nullptr;
    if (auto it = run->objects.find(name); it != run->objects.end()) {
      found = it->second;
      coil_object_retain(found);
    } else {
      ObjectRegistry &registry = getRegistry();
      std::lock_guard<std::mutex> lock(registry.mutex);
      if (auto bound = registry.bound.find(name);
          bound != registry.bound.end()) {
        found = bound->second;
        coil_object_retain(found);
      }
    }
    if (!found)
      return fail(COIL_UNAVAILABLE, "no object is bound to the name '%s'",
                  name);
    if (found->type->name != class_name) {
      std::string given = found->type->name;
      coil_object_release(found);
      return fail(COIL_INVALID_ARGUMENT,
                  "the object '%s' is a '%s', but the program takes a '%s'",
                  name, given.c_str(), class_name);
    }
    run->held.push_back(found);
    *object = found;
    return COIL_OK;
  });
}

int32_t coil_rt_drop_object(coil_run *run, coil_object *object) {
  auto found = std::find(run->held.rbegin(), run->held.rend(), object);
  if (found == run->held.rend())
    return fail(COIL_INTERNAL, "the run does not hold the object");
  run->held.erase(std::next(found).base());
  coil_object_release(object);
  forgetCudaContext(run);
  return COIL_OK;
}

} // extern "C"

void coil::rt::endObjects(coil_run *run) {
  for (coil_object *object : run->held)
    coil_object_release(object);
  run->held.clear();
  for (auto &[name, object] : run->objects)
    coil_object_release(object);
  run->objects.clear();
}
