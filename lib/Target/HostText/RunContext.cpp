//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is around a program in each language: inputs that are let go, comments,
// ranges, objects.
//
//===----------------------------------------------------------------------===//

#include "CppEmitter.h"
#include "FXEmitter.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

BlockArgument HostEmitter::getResized(ResizeStorageOp op) {
  BlockArgument arg = getCallersArgument(op.getSource());
  if (!arg)
    op.emitOpError("works on storage of the function: 'wrapper-expand-resizes' "
                   "allocates it anew");
  return arg;
}

//===----------------------------------------------------------------------===//
// Python
//===----------------------------------------------------------------------===//

LogicalResult PythonEmitter::emit(DropOp op) {
  if (isa<ObjectType>(op.getSource().getType())) {
    markDead(op.getSource());
    emitDelete({name(op.getSource())});
  } else {
    endStorage(op.getSource());
  }
  return success();
}

LogicalResult PythonEmitter::emit(CommentOp op) {
  size_t before = out.getNumLines();
  out.line((getComment() + " " + cleanComment(op.getText())).str());
  numComments += out.getNumLines() - before;
  return success();
}

LogicalResult PythonEmitter::emit(ProfileRangeOp op) {
  return emitInside("host.profile_range(" + quote(op.getName()) + ")", op);
}

LogicalResult PythonEmitter::emit(BoundObjectOp op) {
  auto type = cast<ObjectType>(op.getType());
  std::string text = "host.bound_object(" + quote(op.getName()) + ", " +
                     quote(type.getClassName()) + ")";
  out.line(defineBuffer(op) + " = " + text);
  return success();
}

LogicalResult PythonEmitter::emit(ResizeStorageOp op) {
  if (!getResized(op))
    return failure();
  auto to = cast<BufferType>(op.getType());
  std::string text = "host.resize_storage(" + name(op.getSource()) + ", " +
                     print(to.getStorageBytes()) + ", " +
                     tuple(to.getSizes().getDims()) + ", " +
                     tuple(to.getStrides().getDims()) + ")";
  out.line(defineBuffer(op) + " = " + text);
  endStorage(op.getSource());
  return success();
}

LogicalResult PythonEmitter::emit(SetStorageOp op) {
  out.line("host.set_storage(" + name(op.getTarget()) + ", " +
           name(op.getSource()) + ")");
  endStorage(op.getTarget());
  return success();
}

//===----------------------------------------------------------------------===//
// FX
//===----------------------------------------------------------------------===//

LogicalResult FXEmitter::emit(ProfileRangeOp op) {
  emitCall("host.begin_range", quote(op.getName()));
  if (failed(emitInPlace(op)))
    return failure();
  out.line(graph + ".check(host.end_range)");
  return success();
}

void FXEmitter::emitObject(Value object) {
  auto op = object.getDefiningOp<BoundObjectOp>();
  auto type = cast<ObjectType>(op.getType());
  out.line(define(op) + " = " + graph + ".call(host.bound_object, " +
           quote(op.getName()) + ", " + quote(type.getClassName()) +
           ", val=None)");
  objects[op] = graph;
}

LogicalResult FXEmitter::emit(BoundObjectOp op) {
  emitObject(op);
  return success();
}

LogicalResult FXEmitter::emit(ResizeStorageOp op) {
  auto to = cast<BufferType>(op.getType());
  auto value = fake(op, to);
  if (!getResized(op) || !value)
    return failure();
  std::string bytes = print(to.getStorageBytes()),
              sizes = tuple(to.getSizes().getDims()),
              strides = tuple(to.getStrides().getDims());
  out.line(define(op) + " = " +
           call("host.resize_storage", name(op.getSource()) + ", " + bytes +
                                           ", " + sizes + ", " + strides +
                                           ", val=" + *value));
  return success();
}

LogicalResult FXEmitter::emit(SetStorageOp op) {
  emitCall("host.set_storage",
           name(op.getTarget()) + ", " + name(op.getSource()));
  return success();
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

LogicalResult CppEmitter::emit(DropOp op) {
  if (isa<ObjectType>(op.getSource().getType())) {
    out.line("COIL_TRY(coil::dropObject(run, " + name(op.getSource()) + "));");
    return success();
  }
  unsigned number = getCallersArgument(op.getSource()).getArgNumber(); // (C1)
  out.line(printCall("coil_rt_drop_input", {std::to_string(number)}));
  return success();
}

LogicalResult CppEmitter::emit(CommentOp op) {
  out.line((getComment() + " " + cleanComment(op.getText())).str());
  return success();
}

LogicalResult CppEmitter::emit(ProfileRangeOp op) {
  std::string range = getLocals().numbered("range");
  out.line("coil::Range " + range + "(run);");
  out.line("COIL_TRY(" + range + ".begin(" + quote(op.getName()) + "));");
  if (failed(emitInPlace(op)))
    return failure();
  out.line("COIL_TRY(" + range + ".end());");
  return success();
}

LogicalResult CppEmitter::emit(BoundObjectOp op) {
  std::string variable = defineAddress(op);
  if (!isInFrame())
    out.line(variable + " = nullptr;");
  auto type = cast<ObjectType>(op.getType());
  out.line("COIL_TRY(coil::boundObject(run, " + quote(op.getName()) + ", " +
           quote(type.getClassName()) + ", " + name(op) + "));");
  return success();
}

LogicalResult CppEmitter::emit(ResizeStorageOp op) {
  BlockArgument arg = getResized(op);
  if (!arg)
    return failure();
  std::string bytes = print(cast<BufferType>(op.getType()).getStorageBytes());
  std::string variable = defineAddress(op);
  if (!isInFrame())
    out.line(variable + " = nullptr;");
  out.line(printCall("coil_rt_resize_input",
                     {std::to_string(arg.getArgNumber()),
                      quote(inputName(currentFunction, arg.getArgNumber())),
                      bytes, "&" + name(op)}));
  return success();
}

LogicalResult CppEmitter::emit(SetStorageOp op) {
  unsigned to = cast<BlockArgument>(op.getTarget()).getArgNumber(), // (C1)
      from = cast<BlockArgument>(op.getSource()).getArgNumber();
  out.line(printCall("coil_rt_set_input",
                     {std::to_string(to), quote(inputName(currentFunction, to)),
                      std::to_string(from)}));
  return success();
}
