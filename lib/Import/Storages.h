//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Memory and views of it. Tensors of an exported program share memory; values
// in the IR do not. A storage knows its tensors as a tree: the whole of it at
// the root, and below each node what a view operator makes of it.
//
// A write to a node gives it a new value, and so each node above it, by the
// inverse of the view operator: that of `slice` is `slice_scatter`. Nodes
// elsewhere in the tree become stale; their operators are applied again when
// they are next read. Internal to the import library.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_IMPORT_STORAGES_H
#define COIL_LIB_IMPORT_STORAGES_H

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Import/ExportedProgram.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <deque>
#include <functional>

namespace coil::import {

/// What becomes of a tensor under a view operator, by how it is undone.
enum class ViewKind : uint8_t {
  Identity,  ///< The tensor itself.
  Reshape,   ///< The same elements in the same order.
  Permute,   ///< Dimensions in another order.
  Slice,     ///< Some positions of one dimension.
  Select,    ///< One position of a dimension, which is gone.
  Diagonal,  ///< A diagonal of two dimensions.
  Expand,    ///< Elements several times.
  Bitcast,   ///< The same bits as elements of another type.
  Conjugate, ///< Conjugates of complex elements.
  Real,      ///< Real parts of complex elements.
  Imaginary, ///< Imaginary parts of complex elements.
  AsReal,    ///< Complex elements as pairs of real ones.
  AsComplex, ///< Pairs of real elements as complex ones.
  Gather,    ///< Any elements: undone by where each one comes from.
};

/// A view operator: `graph.aten` with one tensor operand.
struct ViewOp {
  ViewKind kind = ViewKind::Identity;
  mlir::StringAttr name;        ///< "aten.slice.Tensor"
  mlir::StringAttr operandName; ///< "self"
  mlir::DictionaryAttr arguments;
};

/// The attribute of a size, a number where it is known.
mlir::Attribute getSizeAttr(mlir::Builder &builder, sym::ExprAttr size);
/// Sizes as the argument of an operator.
mlir::Attribute getSizesAttr(mlir::Builder &builder,
                             mlir::RankedTensorType type);
/// Whether the file says the same strides of two tensors.
bool hasSameStrides(const TensorMeta &a, const TensorMeta &b);

struct Storage;

/// A node of the tree.
struct View {
  Storage *storage = nullptr;
  View *parent = nullptr; ///< Null for the root.
  ViewOp op;
  mlir::RankedTensorType type;
  unsigned depth = 0;
  /// The value, which counts while it has the generation of the storage.
  mlir::Value value;
  unsigned generation = 0;
  /// When the value is the result of writing `writer` into `unwritten`: a
  /// second write of the same view need not keep the first.
  View *writer = nullptr;
  mlir::Value unwritten;
};

struct Storage {
  enum class Owner : uint8_t {
    Program, ///< Nobody else sees it.
    Input,   ///< The caller, who receives what is written.
    Outside, ///< The graph around a branch or a loop.
  };
  Owner owner = Owner::Program;
  llvm::StringRef name; ///< Of the tensor that it was made for.
  View *root = nullptr;
  /// How the root lies in memory.
  const TensorMeta *meta = nullptr;
  /// How many writes there were.
  unsigned generation = 0;
  /// Storages that may be the same memory are in one set.
  unsigned aliasSet = 0;
  /// Variables that lie in it.
  llvm::SmallVector<unsigned, 1> variables;
};

/// All storages of a program.
class Storages {
public:
  /// Views of views of ... may not be deeper than this: a write to a view makes
  /// a value for each one above it.
  static constexpr unsigned kMaxDepth = 256;

  /// Where ops are made: in the block that \p builder is in. \p onMade is told
  /// of each value that is made out of another one.
  Storages(mlir::OpBuilder &builder,
           std::function<void(mlir::Value made, mlir::Value from)> onMade)
      : builder(builder), onMade(std::move(onMade)) {}

  /// A new storage whose root has \p value.
  View *create(mlir::Value value, Storage::Owner owner, llvm::StringRef name);
  /// What \p op makes of \p parent. \p value is its value now, or null.
  llvm::Expected<View *> getView(View *parent, const ViewOp &op,
                                 mlir::RankedTensorType type,
                                 mlir::Value value = {});
  /// The value now.
  mlir::Value read(View *view, mlir::Location loc);
  /// Gives \p view a value of its type, and its storage what follows.
  llvm::Error write(View *view, mlir::Value value, mlir::Location loc);
  bool isWritten() const { return numWrites != 0; }

  /// Notes that the storages may be the same memory.
  void join(Storage *a, Storage *b);
  /// The other storages that may be the same memory.
  llvm::SmallVector<Storage *> getOthers(const Storage *storage) const;
  /// Takes \p storage out of its set: the others are not used any more.
  void separate(Storage *storage);

  /// A call of an operator with one result. It is dropped when the program
  /// turns out not to need it.
  mlir::Value createAten(llvm::StringRef name, mlir::RankedTensorType type,
                         llvm::ArrayRef<mlir::Value> operands,
                         llvm::ArrayRef<llvm::StringRef> operandNames,
                         llvm::ArrayRef<mlir::NamedAttribute> arguments,
                         mlir::Location loc);
  /// Notes that \p op is needed only if its results are.
  void noteDroppable(mlir::Operation *op) { droppable.push_back(op); }
  /// Erases what nobody needs since values were written. \p onDropped is told
  /// of each value.
  void dropUnused(llvm::function_ref<void(mlir::Value)> onDropped);

private:
  mlir::Value apply(const ViewOp &op, mlir::RankedTensorType type,
                    mlir::Value value, mlir::Location loc);
  /// What \p view's parent becomes when \p view becomes \p value.
  llvm::Expected<mlir::Value> invert(View *view, mlir::Value value,
                                     mlir::Location loc);
  /// \p whole with \p value where the operators of \p views, in order, take
  /// elements from.
  mlir::Value put(llvm::ArrayRef<View *> views, mlir::Value whole,
                  mlir::Value value, mlir::Location loc);

  mlir::OpBuilder &builder;
  std::function<void(mlir::Value, mlir::Value)> onMade;
  std::deque<Storage> storages;
  std::deque<View> views;
  llvm::DenseMap<std::pair<View *, mlir::Attribute>, View *> known;
  std::vector<llvm::SmallVector<Storage *, 1>> aliasSets;
  std::vector<mlir::Operation *> droppable;
  unsigned numWrites = 0;
};

} // namespace coil::import

#endif // COIL_LIB_IMPORT_STORAGES_H
