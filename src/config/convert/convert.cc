// SPDX-License-Identifier: Apache-2.0
#include "config/convert/convert.h"
namespace berth::config {
bool IsOlderVersion(std::string_view, std::string_view) { return false; }
Converted ConvertToV1(const api::Value& root, api::DecodeErrors&) { return {root, {}}; }
}  // namespace berth::config
