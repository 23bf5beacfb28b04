// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace berth::extender {

inline constexpr const char* kShuttingDown = "the scheduler is shutting down";

template <typename Answer>
Answer Failure(std::string why) {
  Answer answer;
  answer.error = std::move(why);
  return answer;
}

// Whoever asked, who is told exactly once: that the scheduler ends, when this goes and nobody has answered.
template <typename Answer>
class Asker {
 public:
  explicit Asker(std::function<void(Answer)> answered) : answered_(std::move(answered)) {}
  ~Asker() {
    if (answered_) Tell(Failure<Answer>(kShuttingDown));
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  // At most once.
  void Tell(Answer answer) { std::exchange(answered_, nullptr)(std::move(answer)); }

 private:
  std::function<void(Answer)> answered_;
};

}  // namespace berth::extender
