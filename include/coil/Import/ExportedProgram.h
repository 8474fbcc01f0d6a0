//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The exported program as torch.export.save writes it (schema major version 8),
// as plain C++ structures. Only what the compiler needs is kept: a node's
// metadata shrinks to one source location.
//
// Strings point into the JSON text or into the program's own storage.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_IMPORT_EXPORTEDPROGRAM_H
#define COIL_IMPORT_EXPORTEDPROGRAM_H

#include "coil/Import/JSON.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include <complex>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace coil::import {

/// Element types by their number in the schema. (c10::ScalarType numbers them
/// differently.)
enum class DType : uint8_t {
  UInt8 = 1,
  Int8 = 2,
  Int16 = 3,
  Int32 = 4,
  Int64 = 5,
  Float16 = 6,
  Float32 = 7,
  Float64 = 8,
  ComplexFloat16 = 9,
  ComplexFloat32 = 10,
  ComplexFloat64 = 11,
  Bool = 12,
  BFloat16 = 13,
  UInt16 = 28,
  Float8E4M3FN = 29,
  Float8E5M2 = 30,
  Float8E4M3FNUZ = 31,
  Float8E5M2FNUZ = 32,
};

/// The element type of that number, or none.
std::optional<DType> getDType(int64_t number);
/// Bytes of one element.
unsigned getByteSize(DType dtype);
/// "f32", "bf16", "i64", ... as in error messages.
llvm::StringRef getName(DType dtype);

enum class MemoryFormat : uint8_t {
  Contiguous = 1,
  ChannelsLast = 2,
  ChannelsLast3D = 3,
  Preserve = 4,
};

/// The layout number of ordinary (strided) tensors.
constexpr int64_t stridedLayout = 7;

/// A size: a number, or the text of a symbolic expression.
struct SymInt {
  int64_t value = 0;
  llvm::StringRef expr; ///< Empty when the size is a number.
  std::optional<int64_t> hint;
  bool isSymbolic() const { return !expr.empty(); }
};

struct Device {
  llvm::StringRef type;
  std::optional<int64_t> index;
};

struct TensorMeta {
  DType dtype = DType::Float32;
  llvm::SmallVector<SymInt, 4> sizes;
  llvm::SmallVector<SymInt, 4> strides;
  SymInt storageOffset;
  Device device;
  int64_t layout = stridedLayout;
};

/// A symbolic number in an argument: a value by name or a constant.
template <typename T>
struct SymRef {
  llvm::StringRef name; ///< Empty for a constant.
  T value = {};
};

/// The value of a node's input or output.
struct Argument {
  enum class Kind : uint8_t {
    None,
    Tensor,       ///< strings[0] is the name
    Tensors,      ///< strings; an empty one is an absent tensor
    Int,          ///< ints
    Ints,         ///< ints
    Float,        ///< floats
    Floats,       ///< floats
    Bool,         ///< ints
    Bools,        ///< ints
    String,       ///< strings
    Strings,      ///< strings
    Complex,      ///< floats, real and imaginary part
    SymInt,       ///< symInts
    SymInts,      ///< symInts
    SymFloat,     ///< symFloats
    SymFloats,    ///< symFloats
    SymBool,      ///< symInts
    SymBools,     ///< symInts
    ScalarType,   ///< ints[0] is a DType
    MemoryFormat, ///< ints[0] is a MemoryFormat
    Layout,       ///< ints
    Device,       ///< strings[0] is the type, ints the index if there is one
    Graph,        ///< graph; strings[0] is its name
    Operator,     ///< strings[0] is its name, "torch.ops.mylib.foo.default"
    Other,        ///< strings[0] is the tag, which the compiler does not know;
                  ///< of an object (as_custom_obj) its name and class follow
  };

  Kind kind = Kind::None;
  llvm::SmallVector<llvm::StringRef, 1> strings;
  llvm::SmallVector<int64_t, 0> ints;
  llvm::SmallVector<double, 0> floats;
  llvm::SmallVector<SymRef<int64_t>, 0> symInts;
  llvm::SmallVector<SymRef<double>, 0> symFloats;
  std::shared_ptr<const struct Graph> graph;
};

/// An input of a node.
struct NamedArgument {
  llvm::StringRef name; ///< The schema's name; empty for higher-order ops.
  Argument value;
  bool isKeyword = false;
};

/// A line of the Python program that made a node.
struct SourceLine {
  llvm::StringRef file; ///< Empty when unknown.
  unsigned line = 0;
};

struct Node {
  llvm::StringRef target;
  llvm::StringRef name;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  SourceLine source;
};

/// Nodes and what their names stand for: the program's, or those of a branch or
/// loop, which has names of its own.
struct Graph {
  std::vector<Argument> inputs, outputs; ///< Of subgraphs only.
  std::vector<Node> nodes;
  llvm::StringMap<TensorMeta> tensors;
  llvm::StringMap<SymInt> symInts;
  llvm::StringMap<SymInt> symFloats; ///< Expressions of floating-point values.
  llvm::StringMap<SymInt> symBools;
};

/// An input of the program.
struct InputSpec {
  enum class Kind : uint8_t {
    UserInput,
    Parameter,
    Buffer,
    TensorConstant,
    ConstantInput,
    Other, ///< custom_obj, token
  };
  Kind kind = Kind::UserInput;
  Argument arg;             ///< Of the value inside the graph.
  llvm::StringRef fqn;      ///< Of the weight.
  bool isPersistent = true; ///< For buffers.
  llvm::StringRef tag;      ///< Key in the JSON.
};

/// An output of the program.
struct OutputSpec {
  enum class Kind : uint8_t {
    UserOutput,
    BufferMutation,
    ParameterMutation,
    UserInputMutation,
    GradientToParameter,
    GradientToUserInput,
    Other, ///< Tokens.
  };
  Kind kind = Kind::UserOutput;

  bool isMutation() const {
    return kind == Kind::BufferMutation || kind == Kind::ParameterMutation ||
           kind == Kind::UserInputMutation;
  }

  Argument arg;
  /// The weight or input that gets the value, or that it is the gradient of.
  llvm::StringRef target;
  llvm::StringRef tag; ///< Key in the JSON.
};

/// The bounds of a symbol; none means unbounded.
struct SymbolRange {
  llvm::StringRef symbol;
  std::optional<int64_t> min, max;
  /// Whether whoever calls the program makes sure that sizes are in the range.
  bool isGuarded = false;
};

/// A weight as one of the weight configurations describes it.
struct WeightConfig {
  llvm::StringRef fqn;
  llvm::StringRef path; ///< Record that holds the storage.
  bool usesPickle = false;
  std::optional<TensorMeta> meta;
};

/// An exported program.
struct ExportedProgram : Graph {
  int64_t schemaMinor = 0;
  llvm::StringRef torchVersion;
  /// Whether operators may change their operands: the program is as exported,
  /// without run_decompositions().
  bool isTraining = false;
  std::vector<SymbolRange> ranges;
  /// Conditions on the inputs, in Python, that export assumed.
  std::vector<llvm::StringRef> guards;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;

  /// Keeps strings that differ from the JSON text.
  llvm::BumpPtrAllocator storage;
};

/// Reads a `models/<name>.json` record into \p program. Errors name the path
/// inside the document.
llvm::Error readExportedProgram(llvm::StringRef text, const Limits &limits,
                                ExportedProgram &program);

/// The same in the form that the importer takes: regions are inlined and shapes
/// corrected.
llvm::Error parseExportedProgram(llvm::StringRef text, const Limits &limits,
                                 ExportedProgram &program);

/// Puts the nodes of regions that run once, such as `wrap_with_autocast`, where
/// they stand, in \p graph and its subgraphs; new names go to \p storage. One
/// that is not of the known form stays.
void inlineRegions(Graph &graph, llvm::BumpPtrAllocator &storage);

/// Mends shapes of \p graph's tensors that PyTorch declares wrongly; new texts
/// of sizes go to \p storage.
void correctShapes(Graph &graph, llvm::BumpPtrAllocator &storage);

/// The same for the last states of LSTMs and what follows from them. Fails
/// where the sizes of what follows are not known.
llvm::Error correctRecurrentShapes(Graph &graph,
                                   llvm::BumpPtrAllocator &storage);

/// Reads a weights or constants configuration; strings go to \p storage.
llvm::Error parseWeightsConfig(llvm::StringRef text, const Limits &limits,
                               llvm::BumpPtrAllocator &storage,
                               std::vector<WeightConfig> &weights);

/// The innermost line of \p stackTrace that is not part of an installed
/// package.
SourceLine findUserLine(llvm::StringRef stackTrace);

} // namespace coil::import

#endif // COIL_IMPORT_EXPORTEDPROGRAM_H
