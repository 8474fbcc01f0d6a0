//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of kernels that users supply: parameters, cases of grids.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERUSERATTRIBUTES_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERUSERATTRIBUTES_TD

include "coil/Dialect/Wrapper/IR/WrapperTypes.td"

def Wrapper_ParamAttr : Wrapper_Attr<"Param", "param"> {
  let summary = "parameter of a user's kernel";
  let description = [{
    What a user-defined kernel takes as one of its parameters:

    * `read`, `write`, `update`: the address of a buffer of elements of a type,
      which the kernel reads, writes without reading it, or both; with
      `!wrapper.tma_descriptor` for the type its tensor map, by value;
    * `value`: a number, `i32`, `i64`, `f32` or `f64`;
    * `one`: an integer for which the kernel was made and that is 1, so that it is
      not passed;
    * `constexpr`: what the kernel was made for, which is not passed.

    (C1) A parameter has a name.
    (C2) Buffers and numbers have a type: what a buffer can have elements of (or
         `!wrapper.tma_descriptor`), or a number as above; a `constexpr` has none.

    Example:
    ```mlir
    #wrapper.param<"x", read, f32>
    #wrapper.param<"tiles", read, !wrapper.tma_descriptor>
    #wrapper.param<"n", value, i32>
    #wrapper.param<"BLOCK", constexpr>
    ```
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
                        EnumParameter<Wrapper_ParamKind>:$kind,
                        OptionalParameter<"::mlir::Type">:$type);
  let assemblyFormat = "`<` $name `,` $kind (`,` $type^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isBuffer() const {
      return getKind() == ParamKind::Read || getKind() == ParamKind::Write ||
             getKind() == ParamKind::Update;
    }
    /// Whether a buffer is passed as its tensor map.
    bool isTensorMap() const;
    /// Whether a launch passes it.
    bool isPassed() const {
      return isBuffer() || getKind() == ParamKind::Value;
    }
  }];
}

def Wrapper_NullAttr : Wrapper_Attr<"Null", "null"> {
  let summary = "address of zero";
  let description = [{
    The argument of a user's kernel for a buffer that is not there.

    Example:
    ```mlir
    #wrapper.null
    ```
  }];
}

def Wrapper_GridCaseAttr : Wrapper_Attr<"GridCase", "grid_case"> {
  let summary = "grid of the configurations with some keywords";
  let description = [{
    For configurations that have these keywords with these values: the number of
    blocks along x, y and z. No keywords stand for all configurations.

    (C1) There are three sizes, over symbols only.
    (C2) Keywords have integers, bools or strings for values.

    Example:
    ```mlir
    #wrapper.grid_case<{BLOCK = 128 : i64}, <[(n + 127) floordiv 128, 1, 1]>>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$keywords,
                        "::coil::sym::ShapeAttr":$sizes);
  let assemblyFormat = "`<` $keywords `,` $sizes `>`";
  let genVerifyDecl = 1;
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERUSERATTRIBUTES_TD
