// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "flags/flag_value.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::flags {

struct Flag {
  std::string name;
  char shorthand = 0;  // 0: none
  FlagValue value;
  std::string usage;         // what it does; `word` in it names the value
  std::string without_text;  // its value when it is given without one; empty: it needs one
  std::string default_text;  // its value when it is not given, as text
  bool given = false;
};

// The flags of a program in sections, and its command line by the rules of Go's pflag: `--name text`, `--name=text`,
// `-n text`, `-ntext`, `-n=text`; flags and other arguments in any order until `--`; of a flag given twice the later
// one counts. Underscores in names are read as hyphens, as Kubernetes' programs do.
class FlagSet {
 public:
  struct Section {
    std::string name;
    std::vector<const Flag*> flags;  // sorted by name
  };

  // The flag with this name, which must be new, in this section. It may be completed until the set is parsed.
  Flag& Add(std::string_view section, std::string name, FlagValue value, std::string usage);

  // Sets the flags in order. Returns the other arguments, or pflag's message about the first mistake.
  Result<std::vector<std::string>> Parse(const std::vector<std::string>& arguments);

  const Flag* Find(std::string_view name) const;
  std::vector<Section> Sections() const;   // in the order in which they were first named
  std::vector<const Flag*> Flags() const;  // all, sorted by name

 private:
  class Parser;

  std::map<std::string, Flag, std::less<>> flags_;
  std::vector<std::pair<std::string, std::vector<std::string>>> sections_;  // with the names of their flags
};

}  // namespace berth::flags
