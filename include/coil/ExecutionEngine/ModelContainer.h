//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code and weights that run together: a program with two sets of weights, of
// which one is in use. The other can be updated and prepared while calls run,
// and replaces the first one at once.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_EXECUTIONENGINE_MODELCONTAINER_H
#define COIL_EXECUTIONENGINE_MODELCONTAINER_H

#include "coil/ExecutionEngine/Engine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace coil {

/// A weight, and the memory that it is in.
struct NamedWeight {
  std::string name;
  coil_tensor tensor;
  /// Keeps the elements, which are used where they lie if they lie row by row.
  /// Null for those that are copied.
  std::shared_ptr<const void> owner;
  /// How much memory the tensor has, where that is known.
  std::optional<uint64_t> bytes;
};

struct UpdateOptions {
  /// Whether each weight of the program has to be given.
  bool complete = false;
  /// Whether names that the program does not have are left out, as those of
  /// other weights in a file.
  bool ignoreUnknown = false;
  /// Whether a weight with an owner that cannot be used where it lies is an
  /// error; it is copied otherwise.
  bool inPlace = false;
};

/// A state of the random generator as the tensor that programs take.
struct RandomTensor {
  explicit RandomTensor(RandomState state)
      : words{int64_t(state.seed), int64_t(state.offset)} {}
  coil_tensor getView() {
    static const int64_t size = 2, stride = 1;
    return {words, &size, &stride, 1, COIL_I64, COIL_CPU, 0};
  }
  int64_t words[2];
};

/// What there is in addition to the set in use.
enum class InactiveWeights {
  None,
  Previous, ///< The set before the last swap, to swap back to.
  Updated,  ///< A new set, from which nothing was computed yet.
  Prepared  ///< A new set that a swap takes as it is.
};

/// Code, two sets of weights and a state of the random generator. Any number of
/// threads may run it, and one of them may change its weights at the same time;
/// others that want to wait.
///
/// A set never changes: an update makes another one, which shares the weights
/// that it does not change. A run works with the set that was in use when it
/// began. So a failed update, preparation or swap leaves everything as it was.
class ModelContainer {
public:
  /// Gives the weight of a name.
  using WeightSource =
      llvm::function_ref<llvm::Expected<NamedWeight>(llvm::StringRef name)>;

  /// `prepareEngine` computes weights of weights alone, null if there are none:
  /// its result number n is the program's weight `<prepareName>:<n>`. They are
  /// computed here for the CPU, at the first run for a GPU.
  static llvm::Expected<std::unique_ptr<ModelContainer>>
  create(std::unique_ptr<Engine> engine, std::unique_ptr<Engine> prepareEngine,
         llvm::StringRef prepareName, WeightSource source);
  ~ModelContainer();

  const Engine &getEngine() const;
  /// Null if nothing is computed of weights.
  const Engine *getPrepareEngine() const;
  /// The number of the result that is a weight of this name.
  std::optional<size_t> getPrepared(llvm::StringRef name) const;
  /// How many weights it computes, and how long that took last on the CPU.
  size_t getNumPrepared() const;
  double getPrepareSeconds() const;

  /// The inputs that a caller passes: those of the engine that are neither
  /// weights nor the state of the random generator.
  llvm::ArrayRef<TensorSpec> getInputs() const;
  llvm::Error checkCount(size_t numInputs) const;
  /// Each input of the engine that is a weight: its type and layout.
  llvm::ArrayRef<coil_tensor> getPlaceholders() const;

  /// \name Runs
  /// @{
  /// Runs the program on its inputs; weights are added. A program for a GPU
  /// runs on that of its first input that is on one, or on `options.device`.
  llvm::Expected<RunResult> run(llvm::ArrayRef<coil_tensor> inputs,
                                const RunOptions &options = {}) const;

  /// Copies inputs to a GPU, for runs that shall not copy them.
  llvm::Expected<DeviceTensors> upload(llvm::ArrayRef<coil_tensor> inputs,
                                       int32_t device) const;

  /// Where the random numbers of the next run begin.
  RandomState getRandomState() const;
  void setRandomState(RandomState state);
  /// @}

  /// \name Weights
  /// @{
  size_t getNumWeights() const;
  const std::string &getWeightName(size_t number) const;
  /// A weight of the set that is in use, with the set as its owner: those that
  /// the program takes, then those that others are computed of. What a program
  /// updates on a GPU is copied from the GPU that the last run was on.
  llvm::Expected<NamedWeight> getWeight(size_t number) const;
  std::optional<size_t> findWeight(llvm::StringRef name) const;

  /// Makes the inactive set anew: of the weights that are given, and for others
  /// of what earlier updates since the last swap made, else of the set in use.
  llvm::Error update(llvm::ArrayRef<NamedWeight> weights,
                     const UpdateOptions &options = {});

  /// Computes what depends on the inactive set's weights alone, and brings them
  /// to the GPUs that the set in use is on. `swap` does it otherwise.
  llvm::Error prepare();

  /// Exchanges the two sets. Runs that have begun go on with the set that they
  /// have and are not waited for; its memory stays until `drop`, the next
  /// update or the last of them, whatever is later.
  llvm::Error swap();

  /// Frees the inactive set, once no run uses it.
  void drop();

  InactiveWeights getInactive() const;
  /// The number of the set in use: 0 for the first, and one more for each set
  /// that updates began.
  uint64_t getActiveNumber() const;
  /// How many sets there are, those of runs included.
  int64_t getNumSets() const;
  /// @}

private:
  struct Impl;
  explicit ModelContainer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace coil

#endif // COIL_EXECUTIONENGINE_MODELCONTAINER_H
