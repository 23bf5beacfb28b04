// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "log/field.h"

#include <string>

namespace berth::log {

enum class Severity : uint8_t { Info, Warning, Error };

// One message to be written. Borrows everything.
struct Record {
  Severity severity = Severity::Info;
  int verbosity = 0;  // for Info only
  Timestamp time;
  int64_t process = 0;
  std::string_view module;
  std::string_view message;
  Fields fields;
};

// The record as klog writes it, without the newline:
//   I1116 08:44:01.123456   12345 queue] "Pod is ready" pod="shop/web-1" attempts=2
std::string TextLine(const Record& record);

// What is said, without when and by whom: Pod is ready pod="shop/web-1" attempts=2
std::string MessageText(std::string_view message, Fields fields);

// The record as one JSON object, without the newline:
//   {"ts":1763282641123.456,"severity":"info","v":0,"logger":"queue","msg":"Pod is ready","pod":{…},"attempts":2}
std::string JsonLine(const Record& record);

}  // namespace berth::log
