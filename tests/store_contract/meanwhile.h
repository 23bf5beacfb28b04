// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>
#include <utility>

namespace berth::store::contract {

// Runs `work` again and again on another thread, as long as it lives.
class Meanwhile {
 public:
  template <typename Work>
  explicit Meanwhile(Work work)
      : thread_([this, work = std::move(work)]() mutable {
          while (!done_.load()) work();
        }) {}
  ~Meanwhile() {
    done_.store(true);
    thread_.join();
  }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace berth::store::contract
