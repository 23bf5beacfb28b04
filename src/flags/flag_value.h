// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::flags {

// How a flag reads and prints what it stands for.
struct FlagValue {
  std::string type;  // pflag's name of it, shown in the usage text
  std::function<Result<void>(std::string_view)> set;
  std::function<std::string()> text;
};

// The kinds of flags that pflag has. Each reads and prints the variable as pflag does, with the messages of its errors;
// the variable must outlive the value. Of a flag that is given several times the last one counts. Lists and maps begin
// anew with the first one given and grow with the others.
FlagValue BoolValue(bool& variable);
FlagValue StringValue(std::string& variable);
FlagValue IntValue(int64_t& variable);
FlagValue Int32Value(int32_t& variable);
FlagValue Float32Value(float& variable);
FlagValue DurationValue(Duration& variable);
FlagValue AddressValue(std::string& variable);  // an IP address, kept in its canonical form; empty leaves it as it is
FlagValue StringsValue(std::vector<std::string>& variable);              // comma-separated
FlagValue Int32sValue(std::vector<int32_t>& variable);                   // comma-separated
FlagValue StringMapValue(std::map<std::string, std::string>& variable);  // key=value, comma-separated

}  // namespace berth::flags
