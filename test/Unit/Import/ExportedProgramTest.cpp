//===----------------------------------------------------------------------===//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The JSON of exported programs.
//
//===----------------------------------------------------------------------===//

#include "coil/Import/ExportedProgram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <list>

using namespace coil::import;
using testing::HasSubstr;

namespace {

/// A program `relu(x)` over f32[s0, 4]; tests replace parts of its text.
const char *const program = R"json({
"graph_module": {"graph": {
  "inputs": [{"as_tensor": {"name": "x"}}],
  "outputs": [{"as_tensor": {"name": "relu"}}],
  "nodes": [{"target": "torch.ops.aten.relu.default",
    "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
    "outputs": [{"as_tensor": {"name": "relu"}}],
    "metadata": {"stack_trace": "File \"m.py\", line 7, in forward\n  x"},
    "is_hop_single_tensor_return": null, "name": "relu"}],
  "tensor_values": {"x": {"dtype": 7, "sizes": [
      {"as_expr": {"expr_str": "Symbol('s0')", "hint": {"as_int": 3}}},
      {"as_int": 4}], "requires_grad": false,
      "device": {"type": "cpu", "index": null},
      "strides": [{"as_int": 4}, {"as_int": 1}],
      "storage_offset": {"as_int": 0}, "layout": 7}},
  "sym_int_values": {"n": {"as_expr": {"expr_str": "Symbol('s0')",
                                       "hint": null}}},
  "sym_bool_values": {}, "is_single_tensor_return": false,
  "custom_obj_values": {}, "sym_float_values": {}},
 "signature": {
  "input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
  "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "relu"}}}}]},
 "module_call_graph": []},
"opset_version": {"aten": 10},
"range_constraints": {"s0": {"min_val": 2, "max_val": null}},
"schema_version": {"major": 8, "minor": 17}, "verifiers": ["TRAINING"],
"torch_version": "2.11.0", "guards_code": []})json";

std::string replaced(const std::string &from, const std::string &to) {
  std::string text = program;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string parseError(const std::string &text, const Limits &limits = {}) {
  ExportedProgram result;
  return llvm::toString(parseExportedProgram(text, limits, result));
}

TEST(ExportedProgram, Reads) {
  ExportedProgram result;
  llvm::Error error = parseExportedProgram(program, {}, result);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  EXPECT_EQ(result.schemaMinor, 17);
  ASSERT_EQ(result.nodes.size(), 1u);
  const Node &node = result.nodes[0];
  EXPECT_EQ(node.target, "torch.ops.aten.relu.default");
  EXPECT_EQ(node.name, "relu");
  EXPECT_EQ(node.source.file, "m.py");
  EXPECT_EQ(node.source.line, 7u);
  ASSERT_EQ(node.inputs.size(), 1u);
  EXPECT_EQ(node.inputs[0].value.kind, Argument::Kind::Tensor);
  EXPECT_EQ(node.inputs[0].value.strings[0], "x");
  const TensorMeta &meta = result.tensors["x"];
  EXPECT_EQ(meta.dtype, DType::Float32);
  ASSERT_EQ(meta.sizes.size(), 2u);
  EXPECT_EQ(meta.sizes[0].expr, "Symbol('s0')");
  EXPECT_EQ(meta.sizes[0].hint, 3);
  EXPECT_EQ(meta.sizes[1].value, 4);
  ASSERT_EQ(result.ranges.size(), 1u);
  EXPECT_EQ(result.ranges[0].min, 2);
  EXPECT_EQ(result.ranges[0].max, std::nullopt);
  EXPECT_EQ(result.inputs[0].kind, InputSpec::Kind::UserInput);
  EXPECT_EQ(result.symInts["n"].expr, "Symbol('s0')");
}

TEST(ExportedProgram, ReadsEveryArgumentKind) {
  // The arguments' strings are the programs' and the texts'.
  std::list<ExportedProgram> programs;
  std::list<std::string> texts;
  auto kindOf = [&](const std::string &arg) {
    ExportedProgram &result = programs.emplace_back();
    std::string &text = texts.emplace_back(replaced(
        R"({"as_tensor": {"name": "x"}}, "kind": 1)", arg + R"(, "kind": 2)"));
    llvm::Error error = parseExportedProgram(text, {}, result);
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
    return result.nodes.at(0).inputs.at(0).value;
  };
  using Kind = Argument::Kind;
  EXPECT_EQ(kindOf(R"({"as_none": true})").kind, Kind::None);
  EXPECT_EQ(kindOf(R"({"as_tensors": [{"name": "a"}, {"name": "b"}]})")
                .strings.size(),
            2u);
  EXPECT_EQ(kindOf(R"({"as_optional_tensors": [{"as_none": true},
                       {"as_tensor": {"name": "b"}}]})")
                .strings[0],
            "");
  EXPECT_EQ(kindOf(R"({"as_optional_tensor": {"as_none": true}})").kind,
            Kind::None);
  EXPECT_EQ(kindOf(R"({"as_int": -3})").ints[0], -3);
  EXPECT_EQ(kindOf(R"({"as_ints": [1, 2]})").ints.size(), 2u);
  EXPECT_EQ(kindOf(R"({"as_float": 0.5})").floats[0], 0.5);
  EXPECT_EQ(kindOf(R"({"as_float": "-Infinity"})").floats[0], -INFINITY);
  EXPECT_EQ(kindOf(R"({"as_floats": [1, 2.5]})").floats[1], 2.5);
  EXPECT_EQ(kindOf(R"({"as_string": "n\n"})").strings[0], "n\n");
  EXPECT_EQ(kindOf(R"({"as_strings": ["a"]})").strings[0], "a");
  EXPECT_EQ(kindOf(R"({"as_bool": true})").ints[0], 1);
  EXPECT_EQ(kindOf(R"({"as_bools": [true, false]})").ints[1], 0);
  EXPECT_EQ(kindOf(R"({"as_complex": {"real": 1, "imag": 2}})").floats[1], 2);
  EXPECT_EQ(kindOf(R"({"as_sym_int": {"as_name": "n"}})").symInts[0].name, "n");
  EXPECT_EQ(kindOf(R"({"as_sym_ints": [{"as_int": 4}, {"as_name": "n"}]})")
                .symInts[0]
                .value,
            4);
  EXPECT_EQ(kindOf(R"({"as_sym_bool": {"as_bool": true}})").symInts[0].value,
            1);
  EXPECT_EQ(kindOf(R"({"as_sym_float": {"as_float": 2}})").symFloats[0].value,
            2);
  EXPECT_EQ(kindOf(R"({"as_scalar_type": 13})").ints[0], 13);
  EXPECT_EQ(kindOf(R"({"as_memory_format": 2})").ints[0], 2);
  EXPECT_EQ(kindOf(R"({"as_layout": 7})").ints[0], 7);
  EXPECT_EQ(kindOf(R"({"as_device": {"type": "cuda", "index": 1}})").ints[0],
            1);
  EXPECT_EQ(kindOf(R"({"as_operator": "f"})").kind, Kind::Operator);
  Argument sub = kindOf(
      R"({"as_graph": {"name": "g", "graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [], "nodes": [], "tensor_values": {}}}})");
  EXPECT_EQ(sub.kind, Kind::Graph);
  EXPECT_EQ(sub.strings[0], "g");
  EXPECT_EQ(sub.graph->inputs[0].strings[0], "x");
}

TEST(ExportedProgram, ErrorsNameThePath) {
  EXPECT_EQ(parseError("[]"),
            "the document: expected an object but got an array");
  EXPECT_EQ(parseError(replaced(R"("major": 8)", R"("major": 9)")),
            "schema_version: schema version 9 is not supported, only version "
            "8 is");
  EXPECT_EQ(parseError(replaced(R"("as_tensor": {"name": "x"}}, "kind")",
                                R"("as_int": "x"}, "kind")")),
            "graph_module.graph.nodes[0].inputs[0].arg.as_int: expected an "
            "integer but got a string");
  EXPECT_EQ(
      parseError(replaced(R"("target": "torch.ops.aten.relu.default",)", "")),
      "graph_module.graph.nodes[0]: the member 'target' is missing");
  EXPECT_EQ(parseError(replaced(R"({"as_tensor": {"name": "x"}}, "kind")",
                                R"({}, "kind")")),
            "graph_module.graph.nodes[0].inputs[0].arg: expected a union with "
            "exactly one member but got 0");
  EXPECT_EQ(parseError(replaced(R"("dtype": 7)", R"("dtype": 99)")),
            "graph_module.graph.tensor_values.x: unknown element type 99");
  EXPECT_EQ(
      parseError(replaced(R"("strides": [{"as_int": 4}, )", R"("strides": [)")),
      "graph_module.graph.tensor_values.x: expected 2 strides but got "
      "1");
  EXPECT_EQ(parseError(replaced(R"({"as_int": 4}])", R"({"as_int": -4}])")),
            "graph_module.graph.tensor_values.x.sizes: a size is negative");
  EXPECT_EQ(parseError(replaced(R"("input_specs": [)",
                                R"("input_specs": [{"token": {}}, )")),
            "graph_module.graph.inputs: the graph has 1 inputs but the "
            "signature has 2");
  EXPECT_EQ(parseError(replaced(R"("min_val": 2, "max_val": null)",
                                R"("min_val": 2, "max_val": 1)")),
            "range_constraints.s0: the range is empty");
}

TEST(ExportedProgram, HasLimits) {
  Limits limits;
  limits.maxNodes = 0;
  EXPECT_THAT(parseError(program, limits), HasSubstr("see --max-nodes"));
  limits = {};
  limits.maxRank = 1;
  EXPECT_THAT(parseError(program, limits), HasSubstr("see --max-rank"));
  limits = {};
  limits.maxElements = 3;
  EXPECT_THAT(parseError(program, limits), HasSubstr("see --max-elements"));
}

TEST(ExportedProgram, FindsUserLine) {
  SourceLine line = findUserLine(
      "File \"a/model.py\", line 44, in forward\n    x = f(x)\n"
      "  File \"/x/site-packages/torch/nn/linear.py\", line 134, in forward");
  EXPECT_EQ(line.file, "a/model.py");
  EXPECT_EQ(line.line, 44u);
  line = findUserLine("File \"torch/fx/passes/x.py\", line 24, in insert");
  EXPECT_EQ(line.file, "torch/fx/passes/x.py");
  EXPECT_TRUE(findUserLine("nothing File \"x").file.empty());
  EXPECT_TRUE(findUserLine("").file.empty());
}

TEST(WeightsConfig, Reads) {
  llvm::BumpPtrAllocator storage;
  std::vector<WeightConfig> weights;
  llvm::Error error = parseWeightsConfig(
      R"({"config": {"a.w": {"path_name": "weight_0", "is_param": true,
          "use_pickle": false, "tensor_meta": {"dtype": 13,
          "sizes": [{"as_int": 2}], "requires_grad": true,
          "device": {"type": "cpu", "index": null},
          "strides": [{"as_int": 1}], "storage_offset": {"as_int": 5},
          "layout": 7}}}})",
      {}, storage, weights);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
  ASSERT_EQ(weights.size(), 1u);
  EXPECT_EQ(weights[0].fqn, "a.w");
  EXPECT_EQ(weights[0].path, "weight_0");
  EXPECT_EQ(weights[0].meta->storageOffset.value, 5);
}

} // namespace
