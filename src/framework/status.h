// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::framework {

// The seven verdicts of the framework, numbered as upstream numbers them.
enum class Code : uint8_t {
  Success = 0,
  Error = 1,                         // something broke; the pod is retried by backoff alone
  Unschedulable = 2,                 // rejected, and evicting pods may help
  UnschedulableAndUnresolvable = 3,  // rejected, and evicting pods cannot help on this node
  Wait = 4,                          // Permit, PreBind and Bind only
  Skip = 5,                          // PreFilter, PreScore, PreBindPreFlight and Bind only
  Pending = 6,                       // rejected until something outside the cluster happens
};

std::string_view CodeName(Code code);

// A plugin's verdict: a code, its reasons, and the plugin that gave it. A rejection is not an Error of the program:
// see base/result.h for those. Immutable; success is a null pointer, so that a pass over many nodes allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;  // Success
  Status(Code code, std::vector<std::string> reasons);

  static Status Success() { return {}; }
  static Status Unschedulable(std::string reason) { return {Code::Unschedulable, {std::move(reason)}}; }
  static Status Unresolvable(std::string reason) { return {Code::UnschedulableAndUnresolvable, {std::move(reason)}}; }
  static Status Skip();
  static Status Wait();
  static Status Pending(std::string reason) { return {Code::Pending, {std::move(reason)}}; }
  static Status FromError(std::string message) { return {Code::Error, {std::move(message)}}; }
  static Status FromError(const berth::Error& error) { return FromError(error.message); }

  Code code() const { return rep_ == nullptr ? Code::Success : rep_->code; }
  bool ok() const { return rep_ == nullptr || rep_->code == Code::Success; }
  bool is_skip() const { return code() == Code::Skip; }
  bool is_rejected() const {
    return code() == Code::Unschedulable || code() == Code::UnschedulableAndUnresolvable || code() == Code::Pending;
  }
  const std::vector<std::string>& reasons() const;
  // Reasons joined with ", ".
  std::string Message() const;
  void AppendMessage(std::string& text) const;
  // The plugin that gave the verdict; empty until the runtime has filled it in.
  std::string_view plugin() const { return rep_ == nullptr ? std::string_view() : std::string_view(rep_->plugin); }
  // The same verdict, given by `plugin`.
  Status By(std::string_view plugin) const;

 private:
  struct Rep {
    Code code;
    std::vector<std::string> reasons;
    std::string plugin;
  };
  explicit Status(const Rep& lasting);  // refers to it without owning it
  std::shared_ptr<const Rep> rep_;
};

}  // namespace berth::framework
