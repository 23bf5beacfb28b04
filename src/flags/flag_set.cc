// SPDX-License-Identifier: Apache-2.0
#include "flags/flag_set.h"

#include "base/check.h"
#include "config/fields/field_errors.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::flags {
namespace {

std::string Normalised(std::string_view name) {
  std::string normalised(name);
  std::ranges::replace(normalised, '_', '-');
  return normalised;
}

Result<void> SetFlag(Flag& flag, std::string_view text) {
  if (const Result<void> set = flag.value.set(text); !set) {
    const std::string shorthand = flag.shorthand == 0 ? "" : fmt::format("-{}, ", flag.shorthand);
    return InvalidError(fmt::format("invalid argument {} for \"{}--{}\" flag: {}", config::Quoted(text), shorthand,
                                    flag.name, set.error().message));
  }
  flag.given = true;
  return {};
}

}  // namespace

// One pass over a command line.
class FlagSet::Parser {
 public:
  Parser(FlagSet& set, const std::vector<std::string>& arguments) : set_(set), arguments_(arguments) {}

  Result<std::vector<std::string>> Run() {
    std::vector<std::string> others;
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "--") {
        others.insert(others.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(next_), arguments_.end());
        break;
      }
      if (argument.size() < 2 || argument.front() != '-') {
        others.push_back(argument);
      } else if (argument[1] == '-') {
        BERTH_RETURN_IF_ERROR(Long(argument));
      } else {
        BERTH_RETURN_IF_ERROR(Short(argument));
      }
    }
    return others;
  }

 private:
  Result<void> Long(std::string_view argument) {
    const std::string_view word = argument.substr(2);
    if (word.front() == '-' || word.front() == '=') return InvalidError(fmt::format("bad flag syntax: {}", argument));
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto found = set_.flags_.find(Normalised(name));
    if (found == set_.flags_.end()) return InvalidError(fmt::format("unknown flag: --{}", name));
    Flag& flag = found->second;
    if (equals != std::string_view::npos) return SetFlag(flag, word.substr(equals + 1));
    if (!flag.without_text.empty()) return SetFlag(flag, flag.without_text);
    if (next_ < arguments_.size()) return SetFlag(flag, arguments_[next_++]);
    return InvalidError(fmt::format("flag needs an argument: --{}", name));
  }

  // One or several letters; all but the last need no value.
  Result<void> Short(std::string_view argument) {
    for (std::string_view letters = argument.substr(1); !letters.empty(); letters.remove_prefix(1)) {
      const auto found =
          std::ranges::find(set_.flags_, letters.front(), [](const auto& entry) { return entry.second.shorthand; });
      if (found == set_.flags_.end()) {
        return InvalidError(fmt::format("unknown shorthand flag: '{}' in -{}", letters.front(), letters));
      }
      Flag& flag = found->second;
      if (letters.size() > 2 && letters[1] == '=') return SetFlag(flag, letters.substr(2));
      if (flag.without_text.empty()) {
        if (letters.size() > 1) return SetFlag(flag, letters.substr(1));
        if (next_ < arguments_.size()) return SetFlag(flag, arguments_[next_++]);
        return InvalidError(fmt::format("flag needs an argument: '{}' in -{}", letters.front(), letters));
      }
      BERTH_RETURN_IF_ERROR(SetFlag(flag, flag.without_text));
    }
    return {};
  }

  FlagSet& set_;
  const std::vector<std::string>& arguments_;
  size_t next_ = 0;
};

Flag& FlagSet::Add(std::string_view section, std::string name, FlagValue value, std::string usage) {
  auto in = std::ranges::find(sections_, section, [](const auto& entry) { return entry.first; });
  if (in == sections_.end()) in = sections_.insert(in, {std::string(section), {}});
  in->second.push_back(name);
  const auto [at, is_new] = flags_.try_emplace(name);
  BERTH_CHECK(is_new);
  Flag& flag = at->second;
  flag.name = std::move(name);
  flag.default_text = value.text();
  flag.without_text = value.type == "bool" ? "true" : "";
  flag.value = std::move(value);
  flag.usage = std::move(usage);
  return flag;
}

Result<std::vector<std::string>> FlagSet::Parse(const std::vector<std::string>& arguments) {
  return Parser(*this, arguments).Run();
}

const Flag* FlagSet::Find(std::string_view name) const {
  const auto found = flags_.find(name);
  return found == flags_.end() ? nullptr : &found->second;
}

std::vector<FlagSet::Section> FlagSet::Sections() const {
  std::vector<Section> sections;
  for (const auto& [name, flags] : sections_) {
    Section& section = sections.emplace_back(Section{name, {}});
    for (const std::string& flag : flags) section.flags.push_back(Find(flag));
    std::ranges::sort(section.flags, {}, [](const Flag* flag) { return flag->name; });
  }
  return sections;
}

std::vector<const Flag*> FlagSet::Flags() const {
  std::vector<const Flag*> all;
  for (const auto& [name, flag] : flags_) all.push_back(&flag);
  return all;
}

}  // namespace berth::flags
