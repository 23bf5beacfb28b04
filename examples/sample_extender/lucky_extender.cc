// SPDX-License-Identifier: Apache-2.0
#include "lucky_extender.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sample_extender {
namespace {

using nlohmann::json;

constexpr const char* kUnlucky = "Well, you're not lucky";
constexpr int64_t kMaxScore = 10;

std::string NameOf(const json& object) {
  const json meta = object.value("metadata", json::object());
  const std::string space = meta.value("namespace", "");
  return (space.empty() ? "" : space + "/") + meta.value("name", "");
}

// What ExtenderArgs asks about: the nodes by name, and whole unless the scheduler knows that names are enough
// (nodeCacheCapable).
struct Question {
  std::string pod;
  std::vector<std::string> names;
  json nodes;  // null, or the objects in the order of their names
};

std::optional<Question> Read(std::string_view text) {
  try {
    json args = json::parse(text);
    Question question;
    question.pod = NameOf(args.at("Pod"));
    if (const auto names = args.find("NodeNames"); names != args.end() && !names->is_null()) {
      question.names = names->get<std::vector<std::string>>();
      return question;
    }
    json& list = args.at("Nodes");
    if (list.is_null()) return std::nullopt;
    question.nodes = json::array();
    if (const auto items = list.find("items"); items != list.end() && items->is_array()) {
      question.nodes = std::move(*items);
    }
    for (const json& node : question.nodes) question.names.push_back(NameOf(node));
    return question;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

LuckyExtender::LuckyExtender(uint64_t seed, std::function<void(std::string_view line)> say)
    : chance_(seed), say_(std::move(say)) {}

// The library's distributions differ between compilers, plain remainders do not.
bool LuckyExtender::IsLucky() { return chance_() % 2 == 0; }
int64_t LuckyExtender::Score() { return static_cast<int64_t>(chance_() % (kMaxScore + 1)); }

std::optional<std::string> LuckyExtender::Filter(std::string_view text) {
  std::optional<Question> question = Read(text);
  if (!question) return std::nullopt;
  json passed_names = json::array();
  json passed_nodes = json::array();
  json failed = json::object();
  for (size_t i = 0; i < question->names.size(); ++i) {
    const std::string& name = question->names[i];
    const bool lucky = IsLucky();
    say_(fmt::format("filter pod: {}, node: {}, {}", question->pod, name, lucky ? "lucky" : "not lucky"));
    if (!lucky) {
      failed[name] = kUnlucky;
      continue;
    }
    passed_names.push_back(name);
    if (!question->nodes.is_null()) passed_nodes.push_back(std::move(question->nodes[i]));
  }
  json answer = {{"FailedNodes", std::move(failed)}, {"Error", ""}};
  if (question->nodes.is_null()) {
    answer["NodeNames"] = std::move(passed_names);
  } else {
    answer["Nodes"] = {{"metadata", json::object()}, {"items", std::move(passed_nodes)}};
  }
  return answer.dump();
}

std::optional<std::string> LuckyExtender::Prioritize(std::string_view text) {
  const std::optional<Question> question = Read(text);
  if (!question) return std::nullopt;
  json answer = json::array();
  for (const std::string& name : question->names) {
    const int64_t score = Score();
    say_(fmt::format("prioritize pod: {}, node: {}, score: {}", question->pod, name, score));
    answer.push_back({{"Host", name}, {"Score", score}});
  }
  return answer.dump();
}

}  // namespace sample_extender
