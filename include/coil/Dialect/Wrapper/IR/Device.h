//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler knows about a device, as data, so that a device can be
// registered without touching the core.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_DEVICE_H
#define COIL_DIALECT_WRAPPER_IR_DEVICE_H

#include <cstdint>
#include <string>

namespace coil::wrapper {

/// What programs in Python say to a device: text of Python, with "{}" where the
/// number of the device belongs. Empty text is left out.
struct PythonWords {
  /// A line at the top of the module: "import torch_toy".
  std::string import;
  /// A context manager around all that a function does: a guard that makes the
  /// device the current one.
  std::string guard;
  /// The stream that the caller works on, as a number.
  std::string stream;
  /// A statement that waits for the device.
  std::string synchronize;
  /// \name Other streams than the caller's
  /// An expression that makes one, what makes one the current stream ("{}" is
  /// its name), an expression that makes an event of the current stream, and a
  /// function of an event that lets the current stream wait for it. Without,
  /// the order of the program is that of the device.
  /// @{
  std::string makeStream;
  std::string onStream;
  std::string recordEvent;
  std::string waitEvent;
  /// @}
  /// The function that makes tensors, like `torch.empty_strided`, which it is
  /// if this is empty.
  std::string allocate;
};

/// The names of the runtime functions with which a host program serves a
/// device. They have the signatures of the functions of the same purpose in
/// coil/Runtime/HostABI.h, Library.h and CUDA.h. An empty name means that the
/// device cannot do this.
struct DeviceInfo {
  /// The name in `#wrapper.device`.
  std::string kind;
  /// Value of `coil_tensor.device_type`.
  int32_t runtimeType = 0;
  std::string allocFunction;
  std::string freeFunction;
  std::string launchFunction;
  /// Whether a launch passes a grid (`coil_rt_launch_cuda`) and the address of
  /// an object that describes the kernel, in place of the number of points and
  /// the address of its function (`coil_rt_launch_cpu`).
  bool launchByGeometry = false;
  /// The same for user-defined kernels, with the addresses of what is passed
  /// (`coil_rt_launch_user_cuda`). Devices that launch by the number of points
  /// need no other function for them.
  std::string launchUserFunction;
  /// The device by whose conversions kernels get their code, for one that runs
  /// the instructions of another: "cpu". Empty: its own.
  std::string codeDevice;
  /// \name What has to happen around the work of a run, if anything
  /// The functions bind a run to a device by its number
  /// (`coil_run_set_cuda_device`), to the caller's stream
  /// (`coil_run_set_stream`), and wait for what it has started and report its
  /// failures (`coil_run_synchronize`).
  /// @{
  std::string guardFunction;
  std::string streamFunction;
  std::string synchronizeFunction;
  /// @}
  /// \name Other streams than the caller's, where there are any
  /// Make a stream the current one and take that back
  /// (`coil_rt_enter_stream_cuda`, `coil_rt_leave_stream_cuda`), make an event
  /// and let the current stream wait for one (`coil_rt_record_event_cuda`,
  /// `coil_rt_wait_event_cuda`). Empty: the order of the program is that of the
  /// device.
  /// @{
  std::string enterStreamFunction;
  std::string leaveStreamFunction;
  std::string recordEventFunction;
  std::string waitEventFunction;
  /// @}
  /// \name Memory of process groups (`coil_rt_comm_alloc`, `coil_rt_comm_free`)
  /// Empty: it is memory like any other.
  /// @{
  std::string commAllocFunction;
  std::string commFreeFunction;
  /// @}
  std::string contractionFunction;
  std::string convolutionFunction;
  std::string attentionFunction;
  std::string sortFunction;
  /// Gives an input's memory as kernels want it, at a multiple of so many bytes
  /// (`coil_rt_input_cuda`); empty takes it as it is.
  std::string inputFunction;
  /// Reads one element on the host (`coil_rt_item`).
  std::string itemFunction;
  /// Prints or saves a buffer (`coil_rt_debug_value`).
  std::string debugFunction;
  /// \name Only for devices whose memory the host cannot access
  /// @{
  std::string copyFunction;
  std::string fillFunction;
  std::string constantFunction;
  /// @}
  /// \name Only for devices that replay recordings
  /// @{
  /// Runs a function as a partition (`coil_rt_partition_cuda`); empty calls it.
  std::string partitionFunction;
  /// Makes a device current, and takes that back (`coil_rt_enter_device_cuda`,
  /// `coil_rt_leave_device_cuda`); empty: there is nothing to select.
  std::string enterFunction;
  std::string leaveFunction;
  /// @}
  /// What PyTorch calls the device, for programs in Python; empty: they cannot
  /// serve it.
  std::string torchDevice;
  PythonWords python;
  /// The pipeline options with which `coil_kernels_compile` makes code for the
  /// device: "target=cuda".
  std::string kernelOptions;
  /// What the addresses of allocations are multiples of, in bytes: kernels and
  /// libraries may rely on it. Buffers in a pool begin at multiples of it, and
  /// plans count memory in units of it.
  int64_t alignment = 64;
  /// Encodes the tensor map of a buffer (`coil_rt_tensor_map_cuda`), which
  /// user-defined kernels may take.
  std::string tensorMapFunction;
  /// Whether the host program may access the device's memory directly.
  bool hostAccessible = false;
  /// Whether memory on the stack of the host program serves as the device's.
  bool usesHostStack = false;
};

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_DEVICE_H
