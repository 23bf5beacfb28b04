// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace berth::framework {

// The points of a pod's way through the scheduler where plugins take part, in the order a pod meets them.
enum class ExtensionPoint : uint8_t {
  PreEnqueue,
  QueueSort,
  PreFilter,
  Filter,
  PostFilter,
  PreScore,
  Score,
  Reserve,
  Permit,
  PreBind,
  Bind,
  PostBind,
};

inline constexpr std::array kExtensionPoints = {
    ExtensionPoint::PreEnqueue, ExtensionPoint::QueueSort, ExtensionPoint::PreFilter, ExtensionPoint::Filter,
    ExtensionPoint::PostFilter, ExtensionPoint::PreScore,  ExtensionPoint::Score,     ExtensionPoint::Reserve,
    ExtensionPoint::Permit,     ExtensionPoint::PreBind,   ExtensionPoint::Bind,      ExtensionPoint::PostBind};

// "PreFilter": as in messages and metrics.
std::string_view PointName(ExtensionPoint point);
// "preFilter": as in configuration.
std::string_view PointKey(ExtensionPoint point);

// A set of extension points.
class PointSet {
 public:
  constexpr PointSet() = default;
  constexpr PointSet(std::initializer_list<ExtensionPoint> points) {
    for (const ExtensionPoint point : points) Add(point);
  }
  constexpr void Add(ExtensionPoint point) {
    bits_ = static_cast<uint16_t>(bits_ | (1U << static_cast<unsigned>(point)));
  }
  constexpr bool Has(ExtensionPoint point) const { return ((bits_ >> static_cast<unsigned>(point)) & 1U) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  uint16_t bits_ = 0;
};

}  // namespace berth::framework
