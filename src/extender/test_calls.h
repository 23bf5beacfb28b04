// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"
#include "api/object.h"
#include "base/check.h"
#include "extender/extenders.h"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::extender {

template <typename T>
std::shared_ptr<const T> ObjectFrom(std::string_view json) {
  api::DecodeErrors errors;
  T object = api::Decode<T>(api::ReadDocuments(json, "test").value().front().root, errors);
  BERTH_CHECK(errors.empty());
  object.document = std::make_shared<const std::string>(json);
  return std::make_shared<const T>(std::move(object));
}
inline api::PodPtr PodNamed(const std::string& name) {
  return ObjectFrom<api::Pod>(R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"uid-)" + name +
                              R"("},"spec":{"containers":null,"hostname":"not-read"},"status":{}})");
}
inline api::NodePtr NodeNamed(const std::string& name) {
  return ObjectFrom<api::Node>(R"({"metadata":{"name":")" + name + R"("},"spec":{},"status":{"phase":"not-read"}})");
}
inline std::vector<api::NodePtr> NodesNamed(const std::vector<std::string>& names) {
  std::vector<api::NodePtr> nodes;
  for (const std::string& name : names) nodes.push_back(NodeNamed(name));
  return nodes;
}

// Waits for an answer.
template <typename Answer>
class Awaited {
 public:
  std::function<void(Answer)> Taker() {
    return [promise = promise_](Answer answer) { promise->set_value(std::move(answer)); };
  }
  Answer Get() {
    BERTH_CHECK(future_.wait_for(std::chrono::minutes(1)) == std::future_status::ready);
    return future_.get();
  }

 private:
  std::shared_ptr<std::promise<Answer>> promise_ = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future_ = promise_->get_future();
};

// One extender and what asks it.
class CallBed {
 public:
  using Extender = framework::Extender;

  CallBed() {
    config.filter_verb = "filter";
    config.preempt_verb = "preempt";
    config.prioritize_verb = "prioritize";
    config.bind_verb = "bind";
    config.weight = 2;
    config.http_timeout = std::chrono::minutes(1);
  }

  void Start() { extenders = Extenders::Start({config}, options).value(); }
  Extender& extender() { return *extenders->list().front(); }
  Extender::FilterAnswer Filter(const std::vector<api::NodePtr>& nodes) {
    Awaited<Extender::FilterAnswer> answer;
    extender().Filter(PodNamed("p"), nodes, answer.Taker());
    return answer.Get();
  }
  Extender::PrioritizeAnswer Prioritize(const std::vector<api::NodePtr>& nodes) {
    Awaited<Extender::PrioritizeAnswer> answer;
    extender().Prioritize(PodNamed("p"), nodes, answer.Taker());
    return answer.Get();
  }
  Extender::PreemptAnswer Preempt(std::vector<Extender::Candidate> candidates) {
    Awaited<Extender::PreemptAnswer> answer;
    extender().Preempt(PodNamed("p"), std::move(candidates), answer.Taker());
    return answer.Get();
  }
  Extender::BindAnswer Bind(std::string_view node) {
    Awaited<Extender::BindAnswer> answer;
    extender().Bind(PodNamed("p"), node, answer.Taker());
    return answer.Get();
  }

  config::Extender config;
  ExtenderOptions options;
  std::unique_ptr<Extenders> extenders;
};

}  // namespace berth::extender
