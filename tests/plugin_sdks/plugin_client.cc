// SPDX-License-Identifier: Apache-2.0
#include "plugin_sdks/plugin_client.h"

#include "base/check.h"
#include "remote/grpc_dialer.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::sdk {

PluginProgram::PluginProgram(std::vector<std::string> command) {
  auto launched = remote::LaunchedProgram::Launch({.plugin = "tested", .command = std::move(command)},
                                                  log::Logger(output_, "tests"));
  BERTH_CHECK(launched.has_value());
  program_ = std::move(*launched);
  auto dialer = remote::GrpcDialer::Make({.endpoint = program_->endpoint(), .patience = std::chrono::minutes(1)});
  BERTH_CHECK(dialer.has_value());
  dialer_ = std::move(*dialer);
}

wire::Welcome PluginClient::Greet(const std::string& args, uint32_t major) {
  wire::SchedulerMessage message;
  wire::Hello& hello = *message.mutable_hello();
  hello.set_major(major);
  hello.set_scheduler("berth tests");
  hello.set_plugin("Tested");
  hello.set_profile("default-scheduler");
  hello.set_args(args);
  Send(message);
  return Next().welcome();
}

void PluginClient::Tell(const std::vector<wire::Change>& changes) {
  wire::SchedulerMessage message;
  message.mutable_objects()->set_complete(true);
  for (const wire::Change& change : changes) *message.mutable_objects()->add_changes() = change;
  Send(message);
}

void PluginClient::Note(const wire::Note& note) {
  wire::SchedulerMessage message;
  *message.mutable_note() = note;
  Send(message);
}

uint64_t PluginClient::Begin(wire::Call call) {
  call.set_id(++last_call_);
  if (call.timeout_micros() == 0) call.set_timeout_micros(60'000'000);
  wire::SchedulerMessage message;
  *message.mutable_call() = std::move(call);
  Send(message);
  return last_call_;
}

wire::Answer PluginClient::AnswerTo(uint64_t id) {
  const MutexLock lock(mutex_);
  while (true) {
    for (size_t i = 0; i < answers_.size(); ++i) {
      if (answers_[i].id() != id) continue;
      wire::Answer answer = std::move(answers_[i]);
      answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
      return answer;
    }
    Wait();
  }
}

wire::PluginMessage PluginClient::Next() {
  const MutexLock lock(mutex_);
  while (others_.empty()) Wait();
  wire::PluginMessage message = std::move(others_.front());
  others_.pop_front();
  return message;
}

std::string PluginClient::Loss() {
  const MutexLock lock(mutex_);
  while (!lost_.has_value()) {
    BERTH_CHECK(changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::minutes(1)));
  }
  return *lost_;
}

void PluginClient::Wait() {
  if (lost_.has_value()) {
    std::cerr << *lost_ << "\n";
    BERTH_CHECK(!lost_.has_value());
  }
  BERTH_CHECK(changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::minutes(1)));
}

void PluginClient::Received(wire::PluginMessage message) {
  const MutexLock lock(mutex_);
  if (message.has_answer()) {
    answers_.push_back(std::move(*message.mutable_answer()));
  } else {
    others_.push_back(std::move(message));
  }
  changed_.NotifyAll();
}

void PluginClient::Lost(const std::string& why) {
  const MutexLock lock(mutex_);
  lost_ = why;
  changed_.NotifyAll();
}

wire::Change NodeChange(uint32_t id, const std::string& name, const std::string& document) {
  wire::Change change;
  change.mutable_node()->set_id(id);
  change.mutable_node()->set_name(name);
  change.mutable_node()->set_document(document);
  return change;
}

wire::Change PodChange(uint64_t id, const std::string& name, const std::string& document) {
  wire::Change change;
  wire::Pod& pod = *change.mutable_pod();
  pod.set_id(id);
  pod.set_uid("uid-" + name);
  pod.set_namespace_("default");
  pod.set_name(name);
  pod.set_document(document);
  return change;
}

wire::Change Placed(uint64_t pod, uint32_t node) {
  wire::Change change;
  change.mutable_placed()->set_pod(pod);
  change.mutable_placed()->set_node(node);
  return change;
}

wire::Change ObjectChange(const std::string& kind, const std::string& name, const std::string& document) {
  wire::Change change;
  wire::Object& object = *change.mutable_object();
  object.set_kind(kind);
  object.set_namespace_("default");
  object.set_name(name);
  object.set_document(document);
  return change;
}

std::string Labeled(const std::string& name, const std::string& labels) {
  return fmt::format(R"({{"metadata": {{"name": "{}", "labels": {{{}}}}}}})", name, labels);
}

wire::NodeSet Nodes(const std::vector<uint32_t>& ids) {
  std::string bits;
  for (const uint32_t id : ids) {
    if (id / 8 >= bits.size()) bits.resize(id / 8 + 1);
    bits[id / 8] = static_cast<char>(static_cast<unsigned char>(bits[id / 8]) | (1U << (id % 8)));
  }
  wire::NodeSet set;
  set.set_bits(bits);
  return set;
}

std::string Text(const wire::Status& status) {
  std::string text = wire::Code_Name(status.code());
  if (status.reasons_size() > 0) text += fmt::format(": {}", fmt::join(status.reasons(), ", "));
  return text;
}

wire::Call FilterCall(uint64_t pod, const std::vector<uint32_t>& nodes, uint64_t cycle) {
  wire::Call call;
  call.set_cycle(cycle);
  call.mutable_filter()->set_pod(pod);
  call.mutable_filter()->set_pre_filter(true);
  call.mutable_filter()->set_filter(true);
  *call.mutable_filter()->mutable_nodes() = Nodes(nodes);
  return call;
}

wire::Call ScoreCall(uint64_t pod, const std::vector<uint32_t>& nodes, uint64_t cycle) {
  wire::Call call;
  call.set_cycle(cycle);
  call.mutable_score()->set_pod(pod);
  call.mutable_score()->set_pre_score(true);
  call.mutable_score()->set_score(true);
  *call.mutable_score()->mutable_nodes() = Nodes(nodes);
  return call;
}

std::vector<std::string> Verdicts(const wire::Answer& answer, size_t nodes) {
  const wire::FilterAnswer& filter = answer.filter();
  if (!answer.error().empty()) return {answer.error()};
  if (filter.verdicts().empty()) return std::vector<std::string>(nodes, "ok");
  std::vector<std::string> texts;
  for (const uint32_t verdict : filter.verdicts()) {
    texts.push_back(verdict == 0 ? "ok" : Text(filter.reasons(static_cast<int>(verdict) - 1)));
  }
  return texts;
}

}  // namespace berth::sdk
