//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of the `sym` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_SYMATTRIBUTES_TD
#define COIL_DIALECT_SYM_IR_SYMATTRIBUTES_TD

include "coil/Dialect/Sym/IR/SymDialect.td"
include "mlir/IR/TensorEncoding.td"

class Sym_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Sym_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Sym_ExprAttr : Sym_Attr<"Expr", "expr"> {
  let summary = "integer expression over dimensions, indirect indices and symbols";
  let description = [{
    A normalised integer expression. Leaves are constants, dimensions of an
    iteration space (`d0`, `d1`, …), indirect indices (`t0`, `t1`, …: operands
    of the op that holds the expression) and symbols (any other identifier).
    Operators are `+ - * floordiv ceildiv mod` and `min(a, b)`, `max(a, b)`.

    Normal form: a sum of products with constant coefficients, in a fixed
    order; products are distributed over sums; `ceildiv` is rewritten to
    `floordiv`; exact parts are taken out of `floordiv` and `mod`. Equal
    polynomials are therefore the same attribute. Divisors are assumed to be
    positive.

    Example:
    ```mlir
    #sym.expr<s0 * 4 + d0 mod 8>
    ```
  }];
  let parameters = (ins
    "::coil::sym::ExprKind":$kind,
    "int64_t":$value,
    StringRefParameter<"symbol name">:$name,
    ArrayRefParameter<"::coil::sym::ExprAttr">:$operands);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isConstant() const { return getKind() == ExprKind::Constant; }
    bool isConstant(int64_t v) const { return isConstant() && getValue() == v; }
    bool isSymbol() const { return getKind() == ExprKind::Symbol; }
    bool isDim() const { return getKind() == ExprKind::Dim; }
    /// The constant value, if this is a constant.
    std::optional<int64_t> getConstant() const {
      return isConstant() ? std::optional<int64_t>(getValue()) : std::nullopt;
    }
    /// Prints the expression without the attribute wrapper.
    void printExpr(::llvm::raw_ostream &os) const;
    std::string str() const;
  }];
}

def Sym_ShapeAttr : Sym_Attr<"Shape", "shape", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "list of expressions: the sizes or strides of a tensor";
  let description = [{
    As the encoding of a ranked tensor type it gives every dimension an
    expression.

    (C1) As an encoding, the number of expressions is the rank.
    (C2) As an encoding, a static dimension has the equal constant and a
         dynamic dimension has an expression that is not constant.

    Example:
    ```mlir
    tensor<?x4xf32, #sym.shape<[s0, 4]>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::coil::sym::ExprAttr">:$dims);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    size_t size() const { return getDims().size(); }
    ExprAttr operator[](size_t i) const { return getDims()[i]; }
  }];
}

def Sym_RangeAttr : Sym_Attr<"Range", "range"> {
  let summary = "inclusive range of a symbol, with an example value";
  let description = [{
    The values that a symbol can take, and the example value (hint) that
    size-dependent decisions use. An unbounded end is `*`.

    (C1) The lower end is not above the upper end.
    (C2) The hint lies in the range.

    Example:
    ```mlir
    #sym.range<2, 256, hint = 32>
    ```
  }];
  let parameters = (ins "int64_t":$min, "int64_t":$max,
                        "std::optional<int64_t>":$hint);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr int64_t kInf = INT64_MAX;
    /// The hint, or a value inside the range near 64 when there is none.
    int64_t getHintOrDefault() const;
  }];
}

#endif // COIL_DIALECT_SYM_IR_SYMATTRIBUTES_TD
