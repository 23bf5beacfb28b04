// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/store.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::bench {

// Objects as an API server would return them, ready to be written to a store.
store::Operation CreateNode(size_t i);
// A pod of one of the workloads of workloads.h, or "labelled": it fits only the node labelled wanted=<i>. With a node,
// the pod is already bound.
store::Operation CreatePod(std::string_view workload, size_t i, std::string_view node = {});
// The document of node i with one more label.
std::string LabelledNode(size_t i, std::string_view label, std::string_view value);

// Writes `count` operations made by `make(i)` in transactions of a thousand.
template <typename F>
void CreateAll(store::Store& store, size_t count, F&& make) {
  constexpr size_t kBatch = 1'000;
  for (size_t done = 0; done < count;) {
    store::Transaction transaction;
    for (; done < count && transaction.operations.size() < kBatch; ++done) transaction.operations.push_back(make(done));
    BERTH_CHECK(store.Commit(std::move(transaction)).value().committed);
  }
}

}  // namespace berth::bench
