//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Completion of command lines by shells: a script for each shell from the flags
// that a tool has registered.
//
//===----------------------------------------------------------------------===//

#include "Completion.h"

#include "OptionFlags.h"
#include "Tool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace coil;
namespace cl = llvm::cl;
using llvm::StringRef;

namespace {
struct Flag {
  std::string name;
  std::string description;
  bool takesValue;
  llvm::SmallVector<StringRef> values;
};
} // namespace

/// The flags that --help shows, in alphabetical order, passes among them.
static std::vector<Flag> getShownFlags() {
  std::vector<Flag> flags;
  for (auto &entry : cl::getRegisteredOptions()) {
    cl::Option *option = entry.second;
    if (option->getOptionHiddenFlag() != cl::NotHidden ||
        option->isPositional())
      continue;
    Flag flag;
    flag.name = entry.first.str();
    // The names of passes are values of one option, which describes none.
    flag.description = option->ArgStr == entry.first
                           ? option->HelpStr.split('\n').first.str()
                           : "";
    flag.takesValue = option->getValueExpectedFlag() == cl::ValueRequired;
    flag.values = getFlagValues(*option);
    flags.push_back(std::move(flag));
  }
  llvm::sort(flags,
             [](const Flag &a, const Flag &b) { return a.name < b.name; });
  return flags;
}

static std::vector<std::string> getCommands() {
  std::vector<std::string> commands;
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (!command->getName().empty())
      commands.push_back(command->getName().str());
  llvm::sort(commands);
  return commands;
}

static std::string getDashes(const Flag &flag) {
  return flag.name.size() == 1 ? "-" : "--";
}

/// Text between single quotes.
static std::string quote(StringRef text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

static std::string getFunctionName(StringRef tool) {
  std::string name = "_" + tool.str();
  llvm::replace(name, '-', '_');
  return name;
}

static void printBash(llvm::raw_ostream &os, StringRef tool) {
  std::vector<Flag> flags = getShownFlags();
  std::string function = getFunctionName(tool);
  // Readline ends words at '=', so a value is a word of its own.
  os << function << "() {\n"
     << "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" flag=\"\"\n"
        "  if [[ \"$cur\" == \"=\" ]]; then\n"
        "    flag=\"${COMP_WORDS[COMP_CWORD-1]}\" cur=\"\"\n"
        "  elif [[ \"${COMP_WORDS[COMP_CWORD-1]}\" == \"=\" ]]; then\n"
        "    flag=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
        "  fi\n"
        "  case \"$flag\" in\n";
  for (const Flag &flag : flags)
    if (!flag.values.empty())
      os << "  " << getDashes(flag) << flag.name << ") COMPREPLY=($(compgen -W "
         << quote(llvm::join(flag.values, " "))
         << " -- \"$cur\")); return ;;\n";
  os << "  ?*) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
        "  esac\n"
        "  if [[ \"$cur\" == -* ]]; then\n"
        "    COMPREPLY=($(compgen -W ";
  std::vector<std::string> words;
  for (const Flag &flag : flags)
    words.push_back(getDashes(flag) + flag.name +
                    (flag.takesValue && flag.name.size() > 1 ? "=" : ""));
  os << quote(llvm::join(words, " "))
     << " -- \"$cur\"))\n"
        "    [[ \"${COMPREPLY[0]}\" == *= ]] && compopt -o nospace "
        "2>/dev/null\n"
        "    return 0\n"
        "  fi\n"
        "  COMPREPLY=($(compgen -f -- \"$cur\")";
  if (std::vector<std::string> commands = getCommands(); !commands.empty())
    os << " $(compgen -W " << quote(llvm::join(commands, " "))
       << " -- \"$cur\")";
  os << ")\n}\ncomplete -o filenames -F " << function << ' ' << tool << '\n';
}

static void printZsh(llvm::raw_ostream &os, StringRef tool) {
  os << "#compdef " << tool << "\n_arguments";
  for (const Flag &flag : getShownFlags()) {
    std::string description = flag.description;
    for (StringRef special : {"[", "]", ":", "\\"})
      for (size_t at = 0;
           (at = description.find(special.front(), at)) != std::string::npos;
           at += 2)
        description.insert(at, "\\");
    std::string spec = getDashes(flag) + flag.name;
    if (flag.takesValue || !flag.values.empty())
      spec += flag.name.size() > 1 ? "=" : "+";
    spec += "[" + description + "]";
    if (!flag.values.empty())
      spec += ":value:(" + llvm::join(flag.values, " ") + ")";
    else if (flag.takesValue)
      spec += ":value:_files";
    os << " \\\n  " << quote(spec);
  }
  std::vector<std::string> commands = getCommands();
  os << " \\\n  "
     << quote(commands.empty()
                  ? "*:file:_files"
                  : "1:command:(" + llvm::join(commands, " ") + ")");
  if (!commands.empty())
    os << " \\\n  " << quote("*:file:_files");
  os << '\n';
}

static void printFish(llvm::raw_ostream &os, StringRef tool) {
  for (const Flag &flag : getShownFlags()) {
    os << "complete -c " << tool << (flag.name.size() == 1 ? " -s " : " -l ")
       << flag.name;
    if (!flag.values.empty())
      os << " -x -a " << quote(llvm::join(flag.values, " "));
    else if (flag.takesValue)
      os << " -r";
    if (!flag.description.empty())
      os << " -d " << quote(flag.description);
    os << '\n';
  }
  if (std::vector<std::string> commands = getCommands(); !commands.empty())
    os << "complete -c " << tool << " -n __fish_use_subcommand -a "
       << quote(llvm::join(commands, " ")) << '\n';
}

bool coil::printCompletion(llvm::raw_ostream &os, StringRef shell,
                           StringRef tool) {
  if (shell == "bash")
    printBash(os, tool);
  else if (shell == "zsh")
    printZsh(os, tool);
  else if (shell == "fish")
    printFish(os, tool);
  else
    return false;
  return true;
}
