// SPDX-License-Identifier: Apache-2.0
#include "framework/extension_point.h"

namespace berth::framework {
namespace {

struct Names {
  std::string_view name;
  std::string_view key;
};

constexpr std::array<Names, kExtensionPoints.size()> kNames = {{{"PreEnqueue", "preEnqueue"},
                                                                {"QueueSort", "queueSort"},
                                                                {"PreFilter", "preFilter"},
                                                                {"Filter", "filter"},
                                                                {"PostFilter", "postFilter"},
                                                                {"PreScore", "preScore"},
                                                                {"Score", "score"},
                                                                {"Reserve", "reserve"},
                                                                {"Permit", "permit"},
                                                                {"PreBind", "preBind"},
                                                                {"Bind", "bind"},
                                                                {"PostBind", "postBind"}}};

}  // namespace

std::string_view PointName(ExtensionPoint point) { return kNames[static_cast<size_t>(point)].name; }
std::string_view PointKey(ExtensionPoint point) { return kNames[static_cast<size_t>(point)].key; }

}  // namespace berth::framework
