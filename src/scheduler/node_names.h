// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace berth::scheduler {

// The names of nodes by their number. Copies share what has not changed since, so that every record of a decision can
// have the names of its moment, however often nodes come and go. One owner writes; copies are only read, by any thread.
class NodeNames {
 public:
  // The numbers below this may have names.
  size_t size() const { return pages_.size() * kPage; }
  // Empty where there is no node.
  const std::string& operator[](size_t node) const {
    static const std::string kNone;
    const auto& page = pages_[node / kPage];
    return page == nullptr ? kNone : (*page)[node % kPage];
  }
  void Set(framework::NodeId node, const std::string& name) {
    if (node >= size()) pages_.resize(node / kPage + 1);
    std::shared_ptr<const Page>& page = pages_[node / kPage];
    auto changed = page == nullptr ? std::make_shared<Page>() : std::make_shared<Page>(*page);
    (*changed)[node % kPage] = name;
    page = std::move(changed);
  }

 private:
  static constexpr size_t kPage = 64;
  using Page = std::array<std::string, kPage>;
  std::vector<std::shared_ptr<const Page>> pages_;
};

}  // namespace berth::scheduler
