//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes and types of the `wrapper` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERTYPES_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERTYPES_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Wrapper/IR/WrapperDialect.td"
include "coil/Dialect/Wrapper/IR/WrapperEnums.td"

def Wrapper_DeviceAttr : Wrapper_Attr<"Device", "device"> {
  let summary = "device that holds a buffer";
  let description = [{
    A kind of device, by the name under which it was registered in the dialect,
    and the number of the device among those of its kind. An unknown name is
    valid IR; whoever needs to know the device says that it is not registered.

    Example:
    ```mlir
    #wrapper.device<"cpu">
    #wrapper.device<"toy", 1>
    ```
  }];
  let parameters = (ins StringRefParameter<"kind">:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$index);
  let hasCustomAssemblyFormat = 1;
}

def Wrapper_GeometryAttr : Wrapper_Attr<"Geometry", "geometry"> {
  let summary = "how a kernel is launched on a GPU";
  let description = [{
    What the launch of a kernel needs beyond its arguments, set by the
    conversion for the device.

    * `grid`: blocks along x, y and z, over the kernel's symbols; zero where
      there is nothing to compute, and then nothing is launched.
    * `block`: threads of a block along x, y and z.
    * `shared`: bytes of dynamic shared memory.
    * `errors`: whether the kernel takes the run's error word as its last
      argument, because an index can be out of range.
    * `scratch`: bytes of memory for each block, all of it zero at the start,
      that the kernel takes a pointer to as its argument before the error word;
      0 for no such argument. A multiple of 16.

    (C1) `grid` and `block` have three entries.
    (C2) `grid` mentions symbols only.
    (C3) A block has one to 1024 threads, and `shared` is not negative.
    (C4) `scratch` is a multiple of 16 and not negative.

    Example:
    ```mlir
    #wrapper.geometry<grid = [s0 floordiv 256, 1, 1], block = [256, 1, 1], shared = 0, errors = false>
    ```
  }];
  let parameters = (ins "::coil::sym::ShapeAttr":$grid,
                        ArrayRefParameter<"int64_t">:$block,
                        "int64_t":$shared, "bool":$errors,
                        DefaultValuedParameter<"int64_t", "0">:$scratch);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Wrapper_CostAttr : Wrapper_Attr<"Cost", "cost"> {
  let summary = "what a step has to do at least";
  let description = [{
    The least that any implementation of a step of a host program moves and
    computes. Reports put measured times next to it. `wrapper-annotate-costs`
    attaches it to launches and library calls as `wrapper.cost`; without it
    nothing is reported and nothing is spent.

    * `bytes`: of memory read and written, each element once.
    * `flops`: operations on floats.
    * `matrix`: those of them that are in matrix multiplications of floats of 16
      bits, which GPUs have units of their own for; none if absent.

    (C1) The expressions mention symbols only.
    (C2) `wrapper.cost` is on a launch or a library call.

    Example:
    ```mlir
    #wrapper.cost<bytes = <s0 * 8>, flops = <s0>>
    #wrapper.cost<bytes = <12288>, flops = <262144>, matrix = <262144>>
    ```
  }];
  let parameters = (ins "::coil::sym::ExprAttr":$bytes,
                        "::coil::sym::ExprAttr":$flops,
                        OptionalParameter<"::coil::sym::ExprAttr">:$matrix);
  let assemblyFormat = [{
    `<` `bytes` `=` $bytes `,` `flops` `=` $flops (`,` `matrix` `=` $matrix^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Wrapper_KeyAttr : Wrapper_Attr<"Key", "key"> {
  let summary = "step of a path to a number";
  let description = [{
    What `wrapper.bind_symbol` does to get nearer to a number: the `size` or the
    `stride` of a dimension, or division by a number (`divide_by`).

    Example:
    ```mlir
    #wrapper.key<size, 0>
    #wrapper.key<divide_by, 4>
    ```
  }];
  let parameters = (ins EnumParameter<Wrapper_KeyKind>:$kind,
                        "int64_t":$value);
  let assemblyFormat = "`<` $kind `,` $value `>`";
}

def Wrapper_BufferType : Wrapper_Type<"Buffer", "buffer"> {
  let summary = "reference to elements in memory";
  let description = [{
    Refers to elements in memory that is allocated and freed explicitly:
    element `[i0, i1, ...]` is `i0 * strides[0] + i1 * strides[1] + ...`
    elements after the first. Strides are left out when the buffer is row-major
    and contiguous.

    (C1) There is one stride for each size.
    (C2) Sizes and strides mention symbols only.
    (C3) The element type is an integer or a float of whole bytes, or `i1`,
         which takes a byte.

    Example:
    ```mlir
    !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
    !wrapper.buffer<[s0, 4], strides = [1, s0], f32, #wrapper.device<"cpu">>
    ```
  }];
  let parameters = (ins "::coil::sym::ShapeAttr":$sizes,
                        "::coil::sym::ShapeAttr":$strides,
                        "::mlir::Type":$elementType,
                        "::coil::wrapper::DeviceAttr":$device);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The buffer of a tensor; `strides` may be empty for a contiguous one.
    static BufferType get(::mlir::RankedTensorType tensor,
                          ::llvm::ArrayRef<sym::ExprAttr> strides,
                          DeviceAttr device);
    unsigned getRank() const { return static_cast<unsigned>(getSizes().size()); }
    bool isContiguous() const;
    /// The tensor of the same sizes and element type.
    ::mlir::RankedTensorType getTensorType() const;
    /// Bytes of one element.
    int64_t getElementBytes() const;
    /// Bytes from the first element to the end of the last, for strides that
    /// are not negative; an upper bound when a size is zero.
    sym::ExprAttr getStorageBytes() const;
  }];
}

def Wrapper_Buffer : Type<
    CPred<"::llvm::isa<::coil::wrapper::BufferType>($_self)">, "buffer">;

def Wrapper_PoolType : Wrapper_Type<"Pool", "pool"> {
  let summary = "memory that buffers are carved from";
  let description = [{
    A piece of a device's memory, allocated once. `wrapper.pool_alloc` carves
    buffers from it; buffers that are alive at different times may have the same
    bytes.

    Example:
    ```mlir
    !wrapper.pool<#wrapper.device<"cpu">>
    ```
  }];
  let parameters = (ins "::coil::wrapper::DeviceAttr":$device);
  let assemblyFormat = "`<` qualified($device) `>`";
}

def Wrapper_Pool : Type<
    CPred<"::llvm::isa<::coil::wrapper::PoolType>($_self)">, "pool">;

def Wrapper_ObjectType : Wrapper_Type<"Object", "object"> {
  let summary = "object of a class that the program does not know";
  let description = [{
    An object whose class was registered with the runtime, by the name of that
    class. A program passes it to the class's methods and to nothing else
    (`wrapper.object_call`). Its owner is whoever bound it; a program holds a
    reference while it uses it.

    (C1) The class has a name of the form `namespace::name`.

    Example:
    ```mlir
    !wrapper.object<"mylib::Queue">
    ```
  }];
  let parameters = (ins StringRefParameter<"class">:$className);
  let assemblyFormat = "`<` $className `>`";
  let genVerifyDecl = 1;
}

def Wrapper_Object : Type<
    CPred<"::llvm::isa<::coil::wrapper::ObjectType>($_self)">, "object">;

def Wrapper_TokenType : Wrapper_Type<"Token", "token"> {
  let summary = "work that has been started";
  let description = [{
    Stands for work that the program has started and not waited for: a collective,
    or what a stream was given before an event. One op uses it up, on every path.
    A token stays in its function, and no region yields one.

    Example:
    ```mlir
    !wrapper.token
    ```
  }];
}

def Wrapper_Token : Type<
    CPred<"::llvm::isa<::coil::wrapper::TokenType>($_self)">, "token">,
  BuildableType<"$_builder.getType<::coil::wrapper::TokenType>()">;

def Wrapper_TMADescriptorType : Wrapper_Type<"TMADescriptor", "tma_descriptor"> {
  let summary = "tensor map of a buffer";
  let description = [{
    What a GPU's unit for copies of tiles (TMA) is told of a buffer: 128 bytes
    that `wrapper.tma_descriptor` makes and a kernel takes by value. It owns no
    memory, so nothing frees it. A descriptor stays in its function, and no
    region yields one.

    Example:
    ```mlir
    !wrapper.tma_descriptor
    ```
  }];
}

def Wrapper_TMADescriptor : Type<
    CPred<"::llvm::isa<::coil::wrapper::TMADescriptorType>($_self)">,
    "TMA descriptor">,
  BuildableType<"$_builder.getType<::coil::wrapper::TMADescriptorType>()">;

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERTYPES_TD
