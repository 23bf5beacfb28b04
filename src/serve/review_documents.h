// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"
#include "kube/client/api_client.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::serve {

// What reviews, which are small documents sent back and forth, have in common.

// In JSON.
std::string ReviewText(std::string_view api_version, std::string_view kind, api::Value spec);
// The status that the server filled in. The error is the server's, or says why it is not understood.
Result<api::Value> ReviewStatus(const kube::ApiResponse& response);
// The document in the body.
Result<api::Value> DocumentIn(const kube::ApiResponse& response);

// Empty when there is no such member.
std::string TextAt(const api::Value& map, std::string_view key);
std::vector<std::string> TextsAt(const api::Value& map, std::string_view key);
std::vector<std::string> TextsOf(const api::Value& list);
bool IsTrueAt(const api::Value& map, std::string_view key);

api::Value ListOf(const std::vector<std::string>& texts);

}  // namespace berth::serve
