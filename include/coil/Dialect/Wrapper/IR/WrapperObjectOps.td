//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect on objects of classes that programs do not know.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPEROBJECTOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPEROBJECTOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperRunOps.td"

def Wrapper_BoundObjectOp : Wrapper_Op<"bound_object", [
    MemoryEffects<[MemRead<Wrapper_OutsideResource>]>]> {
  let summary = "the object that is bound under a name";
  let description = [{
    Gives the object that whoever runs the program has bound under a name
    (`coil_bind_object`, `coil.bind_object`), and holds a reference to it until
    `wrapper.drop`, at the latest until the run ends. Fails when nothing is bound
    there, or an object of another class.

    (C1) The name is one line, and not empty.

    Example:
    ```mlir
    %q = wrapper.bound_object "queue" : !wrapper.object<"mylib::Queue">
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Wrapper_Object:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Wrapper_ObjectCallOp : Wrapper_RuntimeCallOp<"object_call", [
    Wrapper_GivesLayouts,
    DeclareOpInterfaceMethods<Wrapper_ComputeOpInterface, ["getComputeName"]>,
    DeclareOpInterfaceMethods<Wrapper_HostCallOpInterface,
        ["getArgumentNames"]>]> {
  let summary = "call a method of an object";
  let description = [{
    Calls a method of the first operand, which is a host function under the
    name of class and method: `push` of `mylib::Queue` is `mylib::Queue.push`.
    Its first argument is the object; the others, results and `mutates` are as
    in `wrapper.extern_call`. What it does to the object is not known, so calls
    keep their order.

    (C1) The first operand is an object, and the only one; the first argument
         stands for it.
    (C2) The method has a name without dots.
    (C3) There is a `unit` among the arguments for each operand, and a name for
         each argument if there are names. Integers mention symbols only.
    (C4) All buffers are on one device.
    (C5) `mutates` lists buffers among the operands, in ascending order.

    Example:
    ```mlir
    wrapper.object_call "push"(%q, %x, <s0>) mutates [] : (!wrapper.object<"mylib::Queue">, !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>) -> ()
    %0 = wrapper.object_call "pop"(%q) : (!wrapper.object<"mylib::Queue">) -> !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins StrAttr:$method, ArrayAttr:$arguments,
                       Variadic<AnyTypeOf<[Wrapper_Buffer, Wrapper_Object, I1, F64]>>:$inputs,
                       OptionalAttr<StrArrayAttr>:$names,
                       OptionalAttr<DenseI64ArrayAttr>:$mutates);
  let results = (outs Variadic<Wrapper_Buffer>:$results);
  let assemblyFormat = [{
    $method `` custom<CallArguments>($arguments, $inputs) (`names` $names^)?
    (`mutates` $mutates^)? attr-dict `:` functional-type($inputs, $results)
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPEROBJECTOPS_TD
