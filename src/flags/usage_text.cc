// SPDX-License-Identifier: Apache-2.0
#include "flags/usage_text.h"

#include "config/fields/field_errors.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace berth::flags {
namespace {

constexpr size_t kBlockIndent = 16;  // where texts begin when they stand below the names
constexpr size_t kNarrowest = 24;    // less room than this is none
constexpr size_t kSlack = 5;         // by so much a line may be longer, lest a short word stands alone

// What the value is called and the text about the flag, in which a word in backquotes may name the value.
std::pair<std::string, std::string> NameAndUsage(const Flag& flag) {
  const size_t open = flag.usage.find('`');
  const size_t close = open == std::string::npos ? open : flag.usage.find('`', open + 1);
  if (close != std::string::npos) {
    const std::string name = flag.usage.substr(open + 1, close - open - 1);
    return {name, flag.usage.substr(0, open) + name + flag.usage.substr(close + 1)};
  }
  if (flag.value.type == "bool") return {"", flag.usage};
  if (flag.value.type == "stringSlice") return {"strings", flag.usage};
  return {flag.value.type, flag.usage};
}

bool DefaultIsSaid(const Flag& flag) {
  const std::string& text = flag.default_text;
  if (flag.value.type == "stringSlice" && text == "[]") return false;
  if (flag.value.type == "duration" && text == "0s") return false;
  return !text.empty() && text != "false" && text != "0" && text != "<nil>";
}

struct Entry {
  std::string names;
  std::string usage;
};

Entry EntryOf(const Flag& flag) {
  auto [name, usage] = NameAndUsage(flag);
  Entry entry;
  entry.names = flag.shorthand == 0 ? fmt::format("      --{}", flag.name)
                                    : fmt::format("  -{}, --{}", flag.shorthand, flag.name);
  if (!name.empty()) entry.names += " " + name;
  if (!flag.without_text.empty() && flag.value.type != "bool") entry.names += fmt::format("[={}]", flag.without_text);
  entry.usage = std::move(usage);
  if (DefaultIsSaid(flag)) {
    const bool quoted = flag.value.type == "string";
    entry.usage += fmt::format(" (default {})", quoted ? config::Quoted(flag.default_text) : flag.default_text);
  }
  return entry;
}

// Takes a line of about `room` characters from the front of the text: up to the last line break in it, or else the last
// blank.
std::string TakeLine(std::string& text, size_t room) {
  if (room + kSlack > text.size()) return std::exchange(text, "");
  const std::string_view front = std::string_view(text).substr(0, room);
  size_t end = front.rfind('\n');
  if (end == std::string_view::npos) end = front.find_last_of(" \t");
  if (end == std::string_view::npos || end == 0) return std::exchange(text, "");
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

std::string Indented(const std::string& text, size_t indent) {
  std::string indented;
  for (const char c : text) {
    indented += c;
    if (c == '\n') indented.append(indent, ' ');
  }
  return indented;
}

std::string Wrapped(std::string text, size_t room, size_t indent) {
  std::string wrapped = TakeLine(text, room);
  while (!text.empty()) wrapped += "\n" + TakeLine(text, room);
  return Indented(wrapped, indent);
}

std::string Section(const std::vector<Entry>& entries, size_t columns) {
  std::string text;
  if (columns >= kBlockIndent + kNarrowest) {
    for (const Entry& entry : entries) {
      text += fmt::format("{}\n{:{}}{}\n", entry.names, "", kBlockIndent,
                          Wrapped(entry.usage, columns - kBlockIndent - kSlack, kBlockIndent));
    }
    return text;
  }
  size_t names = 0;
  for (const Entry& entry : entries) names = std::max(names, entry.names.size());
  for (const Entry& entry : entries) {
    text += fmt::format("{:{}}   {}\n", entry.names, names, Indented(entry.usage, names + 3));
  }
  return text;
}

}  // namespace

std::string UsageText(const FlagSet& flags, size_t columns) {
  std::string text;
  for (const FlagSet::Section& section : flags.Sections()) {
    std::string title = section.name;
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    text += fmt::format("\n{} flags:\n\n", title);
    std::vector<Entry> entries;
    for (const Flag* flag : section.flags) entries.push_back(EntryOf(*flag));
    text += Section(entries, columns);
  }
  return text;
}

}  // namespace berth::flags
