//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that make tensor maps.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERTENSORMAPOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERTENSORMAPOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_TMADescriptorOp : Wrapper_Op<"tma_descriptor", [Pure]> {
  let summary = "tensor map of a buffer";
  let description = [{
    Makes the 128 bytes that a GPU's unit for copies of tiles (TMA) takes: the
    address of the buffer, its sizes and strides, and what one copy moves, a `box`
    of elements. All lists are in the order of the buffer's dimensions, the
    innermost last.

    * `strides`: of how many elements along each dimension a copy takes one; all
      of them if it is absent.
    * `interleave`: channels in pieces of 16 or 32 bytes.
    * `swizzle`: how chunks of 16 bytes are exchanged in shared memory, within
      rows of 32, 64 or 128 bytes.
    * `promotion`: how many bytes the L2 cache fetches at once.
    * `fill`: what is read out of bounds. Nothing is written there.

    The op looks at the address and the layout, not at elements, and has no
    effect; a launch that takes the map has the buffer among its operands. Sizes
    and strides that are data-dependent are checked when it makes the map. A stride
    along a dimension of size 1 says nothing.

    (C1) The buffer is on a device that has tensor maps, if it is registered.
    (C2) The buffer has one to five dimensions.
    (C3) Its elements are integers of 8 to 64 bits, bools, or floats of 8, 16, 32
         or 64 bits.
    (C4) The innermost stride is 1.
    (C5) Every other stride is positive, a multiple of 16 bytes (32 with
         `interleave = b32`) and less than 2^40 bytes, where it is constant.
    (C6) Every size is 1 to 2^32, where it is constant.
    (C7) The box has a size from 1 to 256 for each dimension.
    (C8) `strides` has a number from 1 to 8 for each dimension.
    (C9) The innermost size of the box is a multiple of 16 bytes, unless channels
         are interleaved, and no longer than a row that is swizzled.
    (C10) Interleaved are buffers of three dimensions or more; pieces of 32 bytes
          are swizzled in rows of 32.
    (C11) NaNs fill floats of 16 bits or more.

    Example:
    ```mlir
    %d = wrapper.tma_descriptor %x box [64, 64] swizzle b128 : !wrapper.buffer<[s0, 64], bf16, #wrapper.device<"cuda">>
    ```
  }];
  let arguments = (ins
    Wrapper_Buffer:$source, DenseI64ArrayAttr:$box,
    OptionalAttr<DenseI64ArrayAttr>:$strides,
    DefaultValuedAttr<Wrapper_TensorMapInterleave,
                      "::coil::wrapper::TensorMapInterleave::None">:$interleave,
    DefaultValuedAttr<Wrapper_TensorMapSwizzle,
                      "::coil::wrapper::TensorMapSwizzle::None">:$swizzle,
    DefaultValuedAttr<Wrapper_TensorMapPromotion,
                      "::coil::wrapper::TensorMapPromotion::None">:$promotion,
    DefaultValuedAttr<Wrapper_TensorMapFill,
                      "::coil::wrapper::TensorMapFill::Zero">:$fill);
  let results = (outs Wrapper_TMADescriptor:$result);
  let assemblyFormat = [{
    $source `box` $box (`strides` $strides^)? (`interleave` $interleave^)?
    (`swizzle` $swizzle^)? (`promotion` $promotion^)? (`fill` $fill^)?
    attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    BufferType getBufferType() {
      return ::llvm::cast<BufferType>(getSource().getType());
    }
    /// `strides`, or ones where it is absent.
    ::llvm::SmallVector<int64_t> getElementStrides();
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERTENSORMAPOPS_TD
