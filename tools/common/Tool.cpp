//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of a tool's main function.
//
//===----------------------------------------------------------------------===//

#include "Tool.h"

#include "Completion.h"

#include "coil/Plugins/Plugins.h"
#include "coil/Support/FatalErrors.h"
#include "coil/Support/Registration.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace coil;

/// Exits do not take arguments, and there is one tool in a process.
static const char *toolName = "coil";
static int failureStatus = 1, outputStatus = 1;

const char *coil::getToolName() { return toolName; }

/// --completion, which ends the tool as --help does. It is a flag of each
/// command of a tool that has commands.
static llvm::cl::opt<std::string> completion(
    "completion", llvm::cl::value_desc("bash|zsh|fish"),
    llvm::cl::sub(llvm::cl::SubCommand::getAll()),
    llvm::cl::desc("Print a script that completes the flags of this tool in a "
                   "shell"),
    llvm::cl::callback([](const std::string &shell) {
      if (printCompletion(llvm::outs(), shell, toolName))
        std::exit(EXIT_SUCCESS);
      llvm::WithColor::error(llvm::errs(), toolName)
          << "unknown shell '" << shell
          << "' of --completion, expected 'bash', 'zsh' or 'fish'\n";
      std::exit(outputStatus);
    }));

/// Prints without allocating, since there may be no memory.
static void print(llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(size_t(written));
  }
}

[[noreturn]] static void endWith(int status, llvm::StringRef reason) {
  print(toolName);
  print(": error: ");
  print(reason.split('\n').first);
  print("\n");
  // Temporary files are registered for removal.
  llvm::sys::RunInterruptHandlers();
  std::_Exit(status);
}

static void onFatalError(void *, const char *reason, bool) {
  endWith(failureStatus, reason);
}

static void onBadAlloc(void *, const char *, bool) {
  endWith(failureStatus, "out of memory");
}

/// The destructor of the standard output would report an error as fatal, after
/// the status has been decided.
static void checkStandardOutput() {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  std::error_code error = os.error();
  if (!error)
    return;
  os.clear_error();
  std::string message = "cannot write '<stdout>': " + error.message();
  endWith(outputStatus, message);
}

/// Leaves the options of LLVM, which are there when a library is loaded, to
/// --help-hidden. Options of ours are of a category "coil-...".
static void hideOptionsOfLLVM() {
  completion.addCategory(
      *llvm::cl::getRegisteredOptions()["version"]->Categories.front());
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    llvm::cl::Option *option = entry.second;
    bool isShown = llvm::any_of(
        option->Categories, [](const llvm::cl::OptionCategory *category) {
          return category->getName().starts_with("coil-") ||
                 category->getName() == "Generic Options";
        });
    if (!isShown && option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
  }
}

Tool::Tool(int &argc, char **&argv, const char *name, int failureStatus,
           int outputStatus)
    : init(argc, argv) {
  toolName = name;
  ::failureStatus = failureStatus;
  ::outputStatus = outputStatus;
  coil::setFatalErrorFallback(onFatalError);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
  // A write beyond the limit fails then.
  std::signal(SIGXFSZ, SIG_IGN);
  // What is constructed before is destroyed after.
  llvm::outs();
  std::atexit(checkStandardOutput);
  hideOptionsOfLLVM();
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "Coil version " COIL_VERSION_STRING "\n"
          "  LLVM version " LLVM_VERSION_STRING "\n"
          "  Host CPU: "
       << llvm::sys::getHostCPUName() << '\n';
  });
  // Passes of plugins become flags of coil-opt, their stages and emitters
  // values of flags: everything that a plugin offers is there before the
  // command line is read.
  if (llvm::Error error = loadPlugins()) {
    llvm::errs() << name
                 << ": error: COIL_PLUGINS: " << toString(std::move(error))
                 << '\n';
    std::exit(outputStatus);
  }
}

/// The command that the arguments name, if the tool has commands; drops its
/// name.
static llvm::cl::SubCommand *
takeCommand(llvm::ArrayRef<const char *> &arguments) {
  if (!arguments.empty())
    for (llvm::cl::SubCommand *command : llvm::cl::getRegisteredSubcommands())
      if (!command->getName().empty() &&
          command->getName() == arguments.front()) {
        arguments = arguments.drop_front();
        return command;
      }
  return &llvm::cl::SubCommand::getTopLevel();
}

/// Whether the parser takes a flag for flags of one letter in a row. That of
/// -h, which is not registered before it parses, prints the help and succeeds.
static bool isGroup(llvm::StringRef flag,
                    const llvm::StringMap<llvm::cl::Option *> &options) {
  return flag.size() > 1 &&
         (flag.starts_with("h") || options.contains(flag.take_front(1)));
}

void Tool::checkFlags(int argc, char **argv) const {
  // A file of flags (`@flags.txt`) stands for what it holds.
  llvm::BumpPtrAllocator storage;
  llvm::StringSaver saver(storage);
  llvm::SmallVector<const char *> expanded(argv + std::min(argc, 1),
                                           argv + argc);
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine,
                                expanded);
  llvm::ArrayRef<const char *> arguments(expanded);
  llvm::cl::SubCommand *command = takeCommand(arguments);
  llvm::StringMap<llvm::cl::Option *> options;
  llvm::SmallVector<llvm::StringRef> names;
  for (llvm::cl::SubCommand *each : {command, &llvm::cl::SubCommand::getAll()})
    for (auto &entry : llvm::cl::getRegisteredOptions(*each)) {
      options[entry.first] = entry.second;
      names.push_back(entry.first);
    }
  auto end = [](const llvm::Twine &message) {
    llvm::WithColor::error(llvm::errs(), toolName) << message << '\n';
    std::exit(outputStatus);
  };
  llvm::StringMap<llvm::StringRef> given;
  llvm::SmallVector<llvm::StringRef> positional;
  while (!arguments.empty()) {
    llvm::StringRef argument = arguments.front();
    arguments = arguments.drop_front();
    if (argument == "--") {
      positional.append(arguments.begin(), arguments.end());
      break;
    }
    llvm::StringRef flag = argument;
    if (flag == "-" ||
        (!flag.consume_front("--") && !flag.consume_front("-"))) {
      positional.push_back(argument);
      continue;
    }
    auto [name, value] = flag.split('=');
    auto found = options.find(name);
    if (found == options.end()) {
      if (!isGroup(name, options) || mlir::PassInfo::lookup(name) ||
          mlir::PassPipelineInfo::lookup(name))
        continue;
      end("Unknown command line argument '--" + name + "'" +
          suggestName(name, names));
    }
    llvm::cl::Option &option = *found->second;
    if (name.size() == flag.size() &&
        option.getValueExpectedFlag() == llvm::cl::ValueRequired &&
        !arguments.empty()) {
      value = arguments.front();
      arguments = arguments.drop_front();
    }
    if (option.getNumOccurrencesFlag() != llvm::cl::Optional &&
        option.getNumOccurrencesFlag() != llvm::cl::Required)
      continue;
    // The parser would take the last one.
    if (auto [first, isNew] = given.try_emplace(name, value);
        !isNew && first->second != value)
      end("the option '" + name + "' is given twice, as '" + first->second +
          "' and as '" + value + "'");
  }
  // Where the tool has registered what these are.
  const auto &places = command->PositionalOpts;
  if (!places.empty() && positional.size() > places.size() &&
      llvm::all_of(places, [](llvm::cl::Option *place) {
        return place->getNumOccurrencesFlag() == llvm::cl::Optional ||
               place->getNumOccurrencesFlag() == llvm::cl::Required;
      }))
    end("unexpected argument '" + positional[places.size()] + "', after '" +
        positional[places.size() - 1] + "'");
}
