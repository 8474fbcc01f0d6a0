//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API over the table of options.
//
//===----------------------------------------------------------------------===//

#include "coil/Pipelines/Options.h"

#include "Result.h"
#include "coil-c/Coil.h"
#include "coil/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;

const char *coil_options_json(void) {
  static const std::string *text = [] {
    auto *made = new std::string;
    llvm::raw_string_ostream os(*made);
    printOptionsJSON(os);
    return made;
  }();
  return text->c_str();
}

int32_t coil_option_check(const char *name, const char *value, char **error) {
  llvm::Error failure =
      name && value ? checkOption(name, value)
                    : llvm::Error(makeError(
                          "expected the name of an option and a value"));
  return coil::capi::finish(std::move(failure), COIL_API_USAGE, error);
}
