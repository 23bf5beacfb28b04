// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/extender.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace berth::test {

// An extender that says what a test tells it to, and writes down what it was asked. While it `holds`, answers wait for
// AnswerNext.
struct FakeExtender final : framework::Extender {
  explicit FakeExtender(std::string its_name) : name_(std::move(its_name)) {}

  std::string_view name() const override { return name_; }
  bool is_ignorable() const override { return ignorable; }
  bool filters() const override { return filter != nullptr; }
  bool prioritizes() const override { return prioritize != nullptr; }
  bool preempts() const override { return preempt != nullptr; }
  bool binds() const override { return bind != nullptr; }
  int64_t weight() const override { return its_weight; }
  bool IsInterested(const api::PodSpec& spec) const override { return !interested || interested(spec); }

  void Filter(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
              std::function<void(FilterAnswer)> answered) override {
    const std::vector<std::string> names = Note("filter", *pod, nodes);
    Give([this, names, answered = std::move(answered)] { answered(filter(names)); });
  }
  void Prioritize(const api::PodPtr& pod, std::span<const api::NodePtr> nodes,
                  std::function<void(PrioritizeAnswer)> answered) override {
    const std::vector<std::string> names = Note("prioritize", *pod, nodes);
    Give([this, names, answered = std::move(answered)] { answered(prioritize(names)); });
  }
  void Preempt(const api::PodPtr& pod, std::vector<Candidate> candidates,
               std::function<void(PreemptAnswer)> answered) override {
    asked.push_back("preempt " + pod->meta.name);
    Give([this, candidates = std::move(candidates), answered = std::move(answered)] { answered(preempt(candidates)); });
  }
  void Bind(const api::PodPtr& pod, std::string_view node, std::function<void(BindAnswer)> answered) override {
    asked.push_back("bind " + pod->meta.name + " " + std::string(node));
    Give([this, pod = pod->meta.name, node = std::string(node), answered = std::move(answered)] {
      answered(bind(pod, node));
    });
  }

  // Says whether there was an answer to give.
  bool AnswerNext() {
    if (held.empty()) return false;
    const std::function<void()> answer = std::move(held.front());
    held.pop_front();
    answer();
    return true;
  }

  std::function<FilterAnswer(const std::vector<std::string>& nodes)> filter;
  std::function<PrioritizeAnswer(const std::vector<std::string>& nodes)> prioritize;
  std::function<PreemptAnswer(const std::vector<Candidate>& candidates)> preempt;
  std::function<BindAnswer(const std::string& pod, const std::string& node)> bind;
  std::function<bool(const api::PodSpec& spec)> interested;
  bool ignorable = false;
  bool holds = false;
  int64_t its_weight = 1;
  std::vector<std::string> asked;  // "filter web a b c"
  std::deque<std::function<void()>> held;

 private:
  std::vector<std::string> Note(const char* verb, const api::Pod& pod, std::span<const api::NodePtr> nodes) {
    std::vector<std::string> names;
    std::string text = std::string(verb) + " " + pod.meta.name;
    for (const api::NodePtr& node : nodes) {
      names.push_back(node->meta.name);
      text += " " + node->meta.name;
    }
    asked.push_back(text);
    return names;
  }
  void Give(std::function<void()> answer) {
    held.push_back(std::move(answer));
    if (!holds) AnswerNext();
  }

  std::string name_;
};

// Lets these nodes pass, and says why the others do not.
inline auto PassOnly(std::set<std::string> good, std::string why = "not good") {
  return [good = std::move(good), why = std::move(why)](const std::vector<std::string>& nodes) {
    framework::Extender::FilterAnswer answer;
    for (const std::string& node : nodes) {
      if (good.contains(node)) {
        answer.passed.push_back(node);
      } else {
        answer.failed.emplace(node, why);
      }
    }
    return answer;
  };
}

struct FakeExtenders final : framework::Extenders {
  explicit FakeExtenders(std::vector<framework::Extender*> all) : all_(std::move(all)) {}
  std::span<framework::Extender* const> list() const override { return all_; }

 private:
  std::vector<framework::Extender*> all_;
};

}  // namespace berth::test
