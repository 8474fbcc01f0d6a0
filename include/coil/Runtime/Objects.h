//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects that programs pass to methods and know nothing of: queues, caches,
// tokenizers. A class is registered under a name; a method is a host function
// under the name of the class and its own, "mylib::Queue.push", whose first
// argument is the object (coil_call_object). Objects count their owners; a
// program finds them by the names that they are bound to.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_OBJECTS_H
#define COIL_RUNTIME_OBJECTS_H

#include "coil/Runtime/Functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A class to register.
typedef struct coil_class {
  uint32_t struct_size; ///< sizeof(coil_class)
  uint32_t reserved;    ///< 0
  const char *name;     ///< "mylib::Queue"
  /// Ends what an object holds, once, on whatever thread its last owner
  /// releases of it. May be NULL.
  void (*destroy)(void *data, void *user);
  void *user; ///< What `destroy` gets; alive as long as the process.
} coil_class;

/// Registers a class for all programs of the process, for good.
COIL_RT_API int32_t coil_register_class(const coil_class *description);

/// COIL_OK for a class that is registered, else COIL_UNAVAILABLE.
COIL_RT_API int32_t coil_find_class(const char *name);

/// Makes an object of a class, with one owner, the caller. If that fails `data`
/// is still the caller's.
COIL_RT_API int32_t coil_object_create(const char *class_name, void *data,
                                       coil_object **object);

/// One owner more, and one less; the last destroys the object. Any thread.
/// @{
COIL_RT_API void coil_object_retain(coil_object *object);
COIL_RT_API void coil_object_release(coil_object *object);
/// @}

COIL_RT_API void *coil_object_data(const coil_object *object);
COIL_RT_API const char *coil_object_class(const coil_object *object);

/// How many objects there are in the process, for tests of leaks.
COIL_RT_API int64_t coil_object_count(void);

/// \name Objects by name
/// For all runs of the process, or for one run, which looks at its own first. A
/// name is bound to another object by binding it again, to none by NULL. The
/// binding is an owner.
/// @{
COIL_RT_API int32_t coil_bind_object(const char *name, coil_object *object);
COIL_RT_API int32_t coil_run_bind_object(coil_run *run, const char *name,
                                         coil_object *object);
/// @}

/// \name For compiled programs
/// @{

/// `wrapper.bound_object`: the object that is bound to a name. The run is an
/// owner until coil_rt_drop_object, or until it is destroyed. Fails with
/// COIL_UNAVAILABLE for a name that nothing is bound to, and with
/// COIL_INVALID_ARGUMENT for an object of another class.
COIL_RT_API int32_t coil_rt_bound_object(coil_run *run, const char *name,
                                         const char *class_name,
                                         coil_object **object);
COIL_RT_API int32_t coil_rt_drop_object(coil_run *run, coil_object *object);
/// @}

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_OBJECTS_H
