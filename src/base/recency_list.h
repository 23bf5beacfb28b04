// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/check.h"

#include <cstdint>
#include <vector>

namespace berth {

// Small dense numbers in the order of their last use. Every operation takes constant time; memory is that of the
// largest number.
class RecencyList {
 public:
  using Number = uint32_t;

  RecencyList() : links_(1) {}

  bool empty() const { return links_[kEnds].next == kEnds; }
  // The number that has not been used for the longest time.
  Number oldest() const {
    BERTH_CHECK(!empty());
    return links_[kEnds].next - 1;
  }
  // Makes the number the latest one; it may be new.
  void Use(Number number) {
    const size_t place = size_t{number} + 1;
    if (place >= links_.size()) links_.resize(place + 1);
    Unlink(place);
    Link& ends = links_[kEnds];
    links_[place] = {ends.previous, kEnds};
    links_[ends.previous].next = static_cast<uint32_t>(place);
    ends.previous = static_cast<uint32_t>(place);
  }
  // Does nothing if the number is not in the list.
  void Erase(Number number) {
    if (const size_t place = size_t{number} + 1; place < links_.size()) Unlink(place);
  }

 private:
  static constexpr uint32_t kEnds = 0;  // the place before the first and after the last
  // Both are kEnds for a place that is not in the list, and for the only one in it.
  struct Link {
    uint32_t previous = 0;
    uint32_t next = 0;
  };

  void Unlink(size_t place) {
    const Link link = links_[place];
    if (link.next == kEnds && link.previous == kEnds && links_[kEnds].next != place) return;
    links_[link.previous].next = link.next;
    links_[link.next].previous = link.previous;
    links_[place] = {};
  }

  std::vector<Link> links_;
};

}  // namespace berth
