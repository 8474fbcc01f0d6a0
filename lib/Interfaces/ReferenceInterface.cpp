//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definitions of the reference interfaces.
//
//===----------------------------------------------------------------------===//

#include "coil/Interfaces/ReferenceInterface.h"

#include "coil/Interfaces/ReferenceInterface.cpp.inc"
