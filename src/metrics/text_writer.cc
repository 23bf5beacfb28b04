// SPDX-License-Identifier: Apache-2.0
#include "metrics/text_writer.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace berth::metrics {
namespace {

void AppendEscaped(std::string& text, std::string_view value) {
  for (const char c : value) {
    switch (c) {
      case '\\': text += "\\\\"; break;
      case '"': text += "\\\""; break;
      case '\n': text += "\\n"; break;
      default: text += c;
    }
  }
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

void TextWriter::Begin(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  fmt::format_to(std::back_inserter(text_), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void TextWriter::Sample(std::initializer_list<Label> labels, double value) {
  text_ += name_;
  std::string_view before = "{";
  for (const Label& label : labels) {
    text_ += before;
    text_ += label.name;
    text_ += "=\"";
    AppendEscaped(text_, label.value);
    text_ += '"';
    before = ",";
  }
  if (labels.size() != 0) text_ += '}';
  text_ += ' ';
  text_ += NumberText(value);
  text_ += '\n';
}

void TextWriter::Only(std::string_view name, std::string_view type, std::string_view help, double value) {
  Begin(name, type, help);
  Sample({}, value);
}

}  // namespace berth::metrics
