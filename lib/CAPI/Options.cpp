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

#include "coil-c/Coil.h"
#include "coil/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

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
  if (error)
    *error = nullptr;
  llvm::Error failure =
      name && value ? checkOption(name, value)
                    : llvm::Error(makeError(
                          "expected the name of an option and a value"));
  if (!failure)
    return COIL_API_OK;
  std::string message = toString(std::move(failure));
  if (error)
    *error = strdup(message.c_str());
  return COIL_API_USAGE;
}
