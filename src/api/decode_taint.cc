// SPDX-License-Identifier: Apache-2.0
#include "api/decode_taint.h"

#include <fmt/format.h>

namespace berth::api {
namespace {

TaintEffect DecodeEffect(FieldReader& reader) {
  const std::string text = reader.String("effect");
  if (text.empty()) return TaintEffect::None;
  if (text == "NoSchedule") return TaintEffect::NoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::PreferNoSchedule;
  if (text == "NoExecute") return TaintEffect::NoExecute;
  reader.Fail("effect", fmt::format("\"{}\" is not a taint effect", text));
  return TaintEffect::None;
}

}  // namespace

Taint DecodeTaint(FieldReader& reader) {
  return {reader.String("key"), reader.String("value"), DecodeEffect(reader), reader.Time("timeAdded")};
}

Toleration DecodeToleration(FieldReader& reader) {
  return {reader.String("key"), reader.String("operator"), reader.String("value"), DecodeEffect(reader)};
}

}  // namespace berth::api
