// SPDX-License-Identifier: Apache-2.0
#include "extender/answers.h"

#include "extender/json_cursor.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace berth::extender {
namespace {

using framework::Extender;

// The answer, unless its text could not be read.
template <typename Answer>
Result<Answer> Finished(const JsonCursor& cursor, Answer answer) {
  if (!cursor.problem().empty()) return InvalidError(cursor.problem());
  return answer;
}

std::vector<std::string> ReadTexts(JsonCursor& cursor) {
  std::vector<std::string> texts;
  if (!cursor.EnterList()) return texts;
  while (cursor.NextItem()) texts.push_back(cursor.Text());
  return texts;
}

// Adds to what is there: a member that comes twice is read twice.
void ReadTextsByName(JsonCursor& cursor, std::map<std::string, std::string>& texts) {
  if (!cursor.EnterMap()) return texts.clear();
  while (const auto name = cursor.NextMember()) {
    std::string key(*name);
    texts.insert_or_assign(std::move(key), cursor.Text());
  }
}

// metadata.name of a node.
std::string ReadNodeName(JsonCursor& cursor) {
  std::string name;
  if (!cursor.EnterMap()) return name;
  while (const auto member = cursor.NextMember()) {
    if (!IsMember(*member, "metadata")) {
      cursor.Skip();
    } else if (cursor.EnterMap()) {
      while (const auto inner = cursor.NextMember()) {
        if (IsMember(*inner, "name")) {
          name = cursor.Text();
        } else {
          cursor.Skip();
        }
      }
    }
  }
  return name;
}

// The names of a NodeList's items; none when there is no list.
std::optional<std::vector<std::string>> ReadNodeList(JsonCursor& cursor) {
  if (!cursor.EnterMap()) return std::nullopt;
  std::vector<std::string> names;
  while (const auto member = cursor.NextMember()) {
    if (!IsMember(*member, "items")) {
      cursor.Skip();
      continue;
    }
    names.clear();
    if (!cursor.EnterList()) continue;
    while (cursor.NextItem()) names.push_back(ReadNodeName(cursor));
  }
  return names;
}

Extender::HostScore ReadHostScore(JsonCursor& cursor) {
  Extender::HostScore score;
  if (!cursor.EnterMap()) return score;
  while (const auto member = cursor.NextMember()) {
    if (IsMember(*member, "Host")) {
      score.host = cursor.Text();
    } else if (IsMember(*member, "Score")) {
      score.score = cursor.Number();
    } else {
      cursor.Skip();
    }
  }
  return score;
}

std::string ReadUid(JsonCursor& cursor) {
  std::string uid;
  if (!cursor.EnterMap()) return uid;
  while (const auto member = cursor.NextMember()) {
    if (IsMember(*member, "UID")) {
      uid = cursor.Text();
    } else {
      cursor.Skip();
    }
  }
  return uid;
}

Extender::CandidateAnswer ReadVictims(JsonCursor& cursor) {
  Extender::CandidateAnswer victims;
  if (!cursor.EnterMap()) return victims;
  while (const auto member = cursor.NextMember()) {
    if (IsMember(*member, "Pods")) {
      victims.victim_uids.clear();
      if (!cursor.EnterList()) continue;
      while (cursor.NextItem()) victims.victim_uids.push_back(ReadUid(cursor));
    } else if (IsMember(*member, "NumPDBViolations")) {
      victims.budget_violations = cursor.Number();
    } else {
      cursor.Skip();
    }
  }
  return victims;
}

}  // namespace

Result<Extender::FilterAnswer> ReadFilterAnswer(std::string_view text, bool names_only) {
  JsonCursor cursor(text);
  Extender::FilterAnswer answer;
  std::optional<std::vector<std::string>> nodes;
  std::optional<std::vector<std::string>> names;
  if (cursor.EnterMap()) {
    while (const auto member = cursor.NextMember()) {
      if (IsMember(*member, "Nodes")) {
        nodes = ReadNodeList(cursor);
      } else if (IsMember(*member, "NodeNames")) {
        names = cursor.TakeNull() ? std::nullopt : std::optional(ReadTexts(cursor));
      } else if (IsMember(*member, "FailedNodes")) {
        ReadTextsByName(cursor, answer.failed);
      } else if (IsMember(*member, "FailedAndUnresolvableNodes")) {
        ReadTextsByName(cursor, answer.failed_unresolvable);
      } else if (IsMember(*member, "Error")) {
        answer.error = cursor.Text();
      } else {
        cursor.Skip();
      }
    }
  }
  auto& passed = names_only && names ? names : nodes;
  if (passed) answer.passed = *std::move(passed);
  return Finished(cursor, std::move(answer));
}

Result<Extender::PrioritizeAnswer> ReadPrioritizeAnswer(std::string_view text) {
  JsonCursor cursor(text);
  Extender::PrioritizeAnswer answer;
  if (cursor.EnterList()) {
    while (cursor.NextItem()) answer.scores.push_back(ReadHostScore(cursor));
  }
  return Finished(cursor, std::move(answer));
}

Result<Extender::PreemptAnswer> ReadPreemptAnswer(std::string_view text) {
  JsonCursor cursor(text);
  Extender::PreemptAnswer answer;
  if (cursor.EnterMap()) {
    while (const auto member = cursor.NextMember()) {
      if (!IsMember(*member, "NodeNameToMetaVictims")) {
        cursor.Skip();
      } else if (cursor.EnterMap()) {
        while (const auto node = cursor.NextMember()) {
          std::string name(*node);
          answer.candidates.insert_or_assign(std::move(name), ReadVictims(cursor));
        }
      }
    }
  }
  return Finished(cursor, std::move(answer));
}

Result<Extender::BindAnswer> ReadBindAnswer(std::string_view text) {
  JsonCursor cursor(text);
  Extender::BindAnswer answer;
  if (cursor.EnterMap()) {
    while (const auto member = cursor.NextMember()) {
      if (IsMember(*member, "Error")) {
        answer.error = cursor.Text();
      } else {
        cursor.Skip();
      }
    }
  }
  return Finished(cursor, std::move(answer));
}

const std::string* FindStranger(const std::vector<std::string>& names, std::span<const api::NodePtr> nodes) {
  // Most extenders leave nodes out and keep the order of the rest: then one look at each node is enough.
  size_t at = 0;
  const auto is_next = [&](const std::string& name) {
    while (at < nodes.size() && nodes[at]->meta.name != name) ++at;
    return at++ < nodes.size();
  };
  const auto first = std::ranges::find_if_not(names, is_next);
  if (first == names.end()) return nullptr;
  std::unordered_set<std::string_view> known;
  for (const api::NodePtr& node : nodes) known.insert(node->meta.name);
  const auto stranger =
      std::find_if(first, names.end(), [&](const std::string& name) { return !known.contains(name); });
  return stranger == names.end() ? nullptr : &*stranger;
}

}  // namespace berth::extender
