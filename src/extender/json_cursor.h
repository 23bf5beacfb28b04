// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::extender {

// Reads one JSON value from front to back without building anything of it, by the rules of Go's encoding/json, which
// extenders were written against: null stands for nothing, whatever is expected; bytes that are no UTF-8 are replaced;
// what follows the value is not looked at. The first problem ends the reading: everything reads as empty afterwards.
//
//   if (cursor.EnterMap()) {
//     while (const auto name = cursor.NextMember()) {
//       if (IsMember(*name, "Score")) score = cursor.Number(); else cursor.Skip();
//     }
//   }
class JsonCursor {
 public:
  // The text outlives this.
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // Why the text cannot be read; empty as long as it can.
  const std::string& problem() const { return problem_; }

  // Takes a null, if that is what comes next.
  bool TakeNull();
  // Whether a map was entered, of which each member is to be read or skipped until there is none. A null has none.
  bool EnterMap();
  // The name, until the next call.
  std::optional<std::string_view> NextMember();
  // The same with the items of a list.
  bool EnterList();
  bool NextItem();

  std::string Text();  // null: empty
  int64_t Number();    // an integer; null: 0
  void Skip();

 private:
  char Peek();  // at the next character that is no blank; 0: there is none
  bool Enter(char open, std::string_view expected);
  // Whether one more follows in what was entered, which `close` ends.
  bool Next(char close);
  // The string with its quotes removed and nothing replaced.
  std::string_view TakeString();
  std::string_view TakeKey();
  std::string_view TakeNumber();
  bool TakeDigits();
  bool TakeWord(std::string_view word);
  void SkipScalar();
  // Whether what was skipped last leaves another value to be skipped in what is open.
  bool SkipToNextValue(std::string& open);
  void Fail(std::string why);
  void FailUnexpected(std::string_view expected);

  std::string_view text_;
  size_t at_ = 0;
  bool first_ = false;    // nothing was read yet of what was entered last
  bool is_ascii_ = true;  // so is the string taken last
  bool escaped_ = false;  // the string taken last has escapes
  std::string name_;      // of the member read last, if it had escapes
  std::string problem_;
};

// As Go compares the names of members with those of fields: letters of either case are alike.
bool IsMember(std::string_view name, std::string_view field);

}  // namespace berth::extender
