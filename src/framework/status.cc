// SPDX-License-Identifier: Apache-2.0
#include "framework/status.h"

#include <utility>

#include <fmt/ranges.h>

namespace berth::framework {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::Success: return "Success";
    case Code::Error: return "Error";
    case Code::Unschedulable: return "Unschedulable";
    case Code::UnschedulableAndUnresolvable: return "UnschedulableAndUnresolvable";
    case Code::Wait: return "Wait";
    case Code::Skip: return "Skip";
    case Code::Pending: return "Pending";
  }
  return "Unknown";
}

Status::Status(Code code, std::vector<std::string> reasons)
    : rep_(std::make_shared<const Rep>(Rep{code, std::move(reasons), {}})) {}

Status::Status(const Rep& lasting) : rep_(std::shared_ptr<const Rep>(), &lasting) {}

// Most plugins skip most pods: these two are made once.
Status Status::Skip() {
  static const Rep kSkip{Code::Skip, {}, {}};
  return Status(kSkip);
}

Status Status::Wait() {
  static const Rep kWait{Code::Wait, {}, {}};
  return Status(kWait);
}

const std::vector<std::string>& Status::reasons() const {
  static const std::vector<std::string> kNone;
  return rep_ == nullptr ? kNone : rep_->reasons;
}

std::string Status::Message() const {
  std::string text;
  AppendMessage(text);
  return text;
}

void Status::AppendMessage(std::string& text) const {
  bool is_first = true;
  for (const std::string& reason : reasons()) {
    if (!std::exchange(is_first, false)) text += ", ";
    text += reason;
  }
}

Status Status::By(std::string_view plugin) const {
  if (rep_ == nullptr || rep_->plugin == plugin) return *this;
  Status named;
  named.rep_ = std::make_shared<const Rep>(Rep{rep_->code, rep_->reasons, std::string(plugin)});
  return named;
}

}  // namespace berth::framework
