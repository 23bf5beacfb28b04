// SPDX-License-Identifier: Apache-2.0
#include "flags/go_csv.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::flags {
namespace {

// Reads one record, keeping track of where it is for the messages.
class Record {
 public:
  explicit Record(std::string_view text) : rest_(text) {}

  Result<std::vector<std::string>> Read() {
    while (rest_.starts_with('\n') || rest_.starts_with("\r\n")) NextLine();
    if (rest_.empty()) return InvalidError("EOF");
    start_ = line_;
    std::vector<std::string> fields;
    do {
      if (!fields.empty()) Skip(1);  // the comma
      BERTH_ASSIGN_OR_RETURN(std::string field, rest_.starts_with('"') ? QuotedField() : PlainField());
      fields.push_back(std::move(field));
    } while (rest_.starts_with(','));
    return fields;
  }

 private:
  Result<std::string> PlainField() {
    const std::string_view field = rest_.substr(0, rest_.find_first_of(",\n"));
    if (const size_t quote = field.find('"'); quote != std::string_view::npos) {
      Skip(quote);
      return Problem("bare \" in non-quoted-field");
    }
    Skip(field.size());
    const bool ends_line = rest_.empty() || rest_.front() == '\n';
    return std::string(ends_line && field.ends_with('\r') ? field.substr(0, field.size() - 1) : field);
  }

  Result<std::string> QuotedField() {
    Skip(1);
    std::string field;
    while (!rest_.empty()) {
      if (rest_.starts_with("\"\"")) {
        field += '"';
        Skip(2);
      } else if (rest_.starts_with('"')) {
        Skip(1);
        if (rest_.empty() || rest_.starts_with(',') || rest_.starts_with('\n') || rest_.starts_with("\r\n")) {
          return field;
        }
        --column_;  // Go blames the quote
        return Problem("extraneous or missing \" in quoted-field");
      } else if (rest_.starts_with('\n')) {
        field += '\n';
        NextLine();
      } else {
        field += rest_.front();
        Skip(1);
      }
    }
    return Problem("extraneous or missing \" in quoted-field");
  }

  void Skip(size_t count) {
    rest_.remove_prefix(count);
    column_ += count;
  }

  void NextLine() {
    rest_.remove_prefix(rest_.find('\n') + 1);
    ++line_;
    column_ = 1;
  }

  Error Problem(std::string_view what) const {
    const std::string record = start_ == line_ ? "" : fmt::format("record on line {}; ", start_);
    return InvalidError(fmt::format("{}parse error on line {}, column {}: {}", record, line_, column_, what));
  }

  std::string_view rest_;
  size_t start_ = 1;
  size_t line_ = 1;
  size_t column_ = 1;
};

std::string CsvField(const std::string& field) {
  const bool plain = field != "\\." && !field.starts_with(' ') && !field.starts_with('\t') &&
                     field.find_first_of(",\"\r\n") == std::string::npos;
  if (plain) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

Result<std::vector<std::string>> ParseGoCsv(std::string_view text) { return Record(text).Read(); }

std::string FormatGoCsv(const std::vector<std::string>& fields) {
  std::vector<std::string> texts(fields.size());
  std::ranges::transform(fields, texts.begin(), CsvField);
  return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace berth::flags
