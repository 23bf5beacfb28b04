// SPDX-License-Identifier: Apache-2.0
#include "text/amount.h"

#include "api/resources.h"

#include <array>

#include <fmt/format.h>

namespace berth::text {
namespace {

struct Unit {
  int64_t bytes;
  std::string_view suffix;
};
constexpr std::array kUnits = {Unit{int64_t{1} << 60, "Ei"},
                               Unit{int64_t{1} << 50, "Pi"},
                               Unit{int64_t{1} << 40, "Ti"},
                               Unit{int64_t{1} << 30, "Gi"},
                               Unit{int64_t{1} << 20, "Mi"},
                               Unit{int64_t{1} << 10, "Ki"},
                               Unit{1, ""}};

bool IsBytes(std::string_view resource) {
  return resource == api::kResourceMemory || resource == api::kResourceEphemeralStorage ||
         resource == api::kResourceStorage || api::IsHugePagesResource(resource);
}

uint64_t Magnitude(int64_t amount) {
  return amount < 0 ? uint64_t{0} - static_cast<uint64_t>(amount) : static_cast<uint64_t>(amount);
}

std::string Millis(int64_t milli) {
  return milli % 1000 == 0 ? fmt::format("{}", milli / 1000) : fmt::format("{}m", milli);
}

}  // namespace

std::string ExactAmount(std::string_view resource, int64_t amount) {
  if (resource == api::kResourceCpu) return Millis(amount);
  if (!IsBytes(resource) || amount == 0) return fmt::format("{}", amount);
  for (const Unit& unit : kUnits) {
    if (amount % unit.bytes == 0) return fmt::format("{}{}", amount / unit.bytes, unit.suffix);
  }
  return fmt::format("{}", amount);
}

std::string AmountText(std::string_view resource, int64_t amount) {
  if (!IsBytes(resource)) return ExactAmount(resource, amount);
  const uint64_t magnitude = Magnitude(amount);
  for (const Unit& unit : kUnits) {
    const auto bytes = static_cast<uint64_t>(unit.bytes);
    if (magnitude < bytes || bytes == 1) continue;
    std::string text = fmt::format("{:.1f}", static_cast<double>(amount) / static_cast<double>(bytes));
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text + std::string(unit.suffix);
  }
  return fmt::format("{}", amount);
}

std::string PercentText(int64_t part, int64_t whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.0f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace berth::text
