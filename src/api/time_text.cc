// SPDX-License-Identifier: Apache-2.0
#include "api/time_text.h"

#include <fmt/format.h>

namespace berth::api {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// Walks along a text of fixed form; one failure sticks.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  int Digits(size_t count) {
    int number = 0;
    for (size_t i = 0; i < count; ++i) number = number * 10 + Digit();
    return number;
  }

  int Digit() {
    const char c = Next();
    if (c < '0' || c > '9') ok_ = false;
    return c - '0';
  }

  void Expect(char wanted) {
    if (Next() != wanted) ok_ = false;
  }

  char Next() {
    if (rest_.empty()) {
      ok_ = false;
      return '0';
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  bool at(char c) const { return rest_.starts_with(c); }
  bool at_end() const { return rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

nanoseconds ParseFraction(Cursor& cursor) {
  if (!cursor.at('.')) return {};
  cursor.Next();
  nanoseconds fraction{};
  nanoseconds unit = std::chrono::milliseconds(100);
  do {
    fraction += cursor.Digit() * unit;
    unit /= 10;
  } while (cursor.at_digit());
  return fraction;
}

minutes ParseZone(Cursor& cursor) {
  const char sign = cursor.Next();
  if (sign == 'Z') return {};
  const int hour = cursor.Digits(2);
  cursor.Expect(':');
  const int minute = cursor.Digits(2);
  if ((sign != '+' && sign != '-') || hour > 23 || minute > 59) cursor.Expect('\0');
  return (sign == '-' ? -1 : 1) * (hours(hour) + minutes(minute));
}

}  // namespace

std::optional<Timestamp> ParseRfc3339(std::string_view text) {
  Cursor cursor(text);
  const int year = cursor.Digits(4);
  cursor.Expect('-');
  const int month = cursor.Digits(2);
  cursor.Expect('-');
  const int day = cursor.Digits(2);
  cursor.Expect('T');
  const int hour = cursor.Digits(2);
  cursor.Expect(':');
  const int minute = cursor.Digits(2);
  cursor.Expect(':');
  const int second = cursor.Digits(2);
  const nanoseconds fraction = ParseFraction(cursor);
  const minutes zone = ParseZone(cursor);
  if (!cursor.ok() || !cursor.at_end() || hour > 23 || minute > 59 || second > 59) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // 64-bit nanoseconds since 1970 reach from 1677 to 2262.
  if (!date.ok() || year < 1678 || year > 2261) return std::nullopt;
  return Timestamp(std::chrono::sys_days(date)) + hours(hour) + minutes(minute) + seconds(second) + fraction - zone;
}

std::string ToRfc3339(Timestamp time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string ToRfc3339Micro(Timestamp time) {
  std::string text = ToRfc3339(time);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time - std::chrono::floor<seconds>(time)).count();
  text.pop_back();  // the Z
  return fmt::format("{}.{:06}Z", text, micros);
}

}  // namespace berth::api
