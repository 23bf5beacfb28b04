// SPDX-License-Identifier: Apache-2.0
#include "extender/questions.h"

#include "api/whole_document.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace berth::extender {
namespace {

using framework::Extender;

// Names and UIDs are plain text in every cluster; whatever else they hold must not break the question.
bool IsPlain(char c) { return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20; }

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  if (std::ranges::all_of(text, IsPlain)) {
    out += text;
  } else {
    for (const char c : text) {
      if (IsPlain(c)) {
        out += c;
      } else {
        out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      }
    }
  }
  out += '"';
}

// The items between brackets, with commas between them.
void AppendList(std::string& out, const auto& items, const auto& append) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    append(item);
  }
  out += ']';
}

void AppendNodeList(std::string& out, std::span<const api::NodePtr> nodes) {
  std::vector<std::shared_ptr<const std::string>> documents;
  documents.reserve(nodes.size());
  size_t size = 0;
  for (const api::NodePtr& node : nodes) {
    documents.push_back(api::WholeDocument(node));
    size += documents.back()->size() + 1;
  }
  out.reserve(out.size() + size + 64);
  out += R"({"metadata":{},"items":)";
  AppendList(out, documents, [&](const auto& document) { out += *document; });
  out += '}';
}

}  // namespace

std::string NodesQuestion(const api::PodPtr& pod, std::span<const api::NodePtr> nodes, bool names_only) {
  std::string out = R"({"Pod":)";
  out += *api::WholeDocument(pod);
  if (names_only) {
    out += R"(,"Nodes":null,"NodeNames":)";
    AppendList(out, nodes, [&](const api::NodePtr& node) { AppendQuoted(out, node->meta.name); });
  } else {
    out += R"(,"Nodes":)";
    AppendNodeList(out, nodes);
    out += R"(,"NodeNames":null)";
  }
  out += '}';
  return out;
}

std::string PreemptQuestion(const api::PodPtr& pod, std::span<const Extender::Candidate> candidates, bool uids_only) {
  // In the order in which Go writes maps.
  std::vector<const Extender::Candidate*> ordered;
  for (const Extender::Candidate& candidate : candidates) ordered.push_back(&candidate);
  std::ranges::sort(ordered, {}, &Extender::Candidate::node);
  std::string out = R"({"Pod":)";
  out += *api::WholeDocument(pod);
  out += uids_only ? R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{)" : R"(,"NodeNameToVictims":{)";
  for (const Extender::Candidate* candidate : ordered) {
    if (candidate != ordered.front()) out += ',';
    AppendQuoted(out, candidate->node);
    out += R"(:{"Pods":)";
    AppendList(out, candidate->victims, [&](const api::PodPtr& victim) {
      if (!uids_only) {
        out += *api::WholeDocument(victim);
        return;
      }
      out += R"({"UID":)";
      AppendQuoted(out, victim->meta.uid);
      out += '}';
    });
    out += fmt::format(R"(,"NumPDBViolations":{}}})", candidate->budget_violations);
  }
  out += uids_only ? "}}" : R"(},"NodeNameToMetaVictims":null})";
  return out;
}

std::string BindQuestion(const api::Pod& pod, std::string_view node) {
  std::string out = R"({"PodName":)";
  AppendQuoted(out, pod.meta.name);
  out += R"(,"PodNamespace":)";
  AppendQuoted(out, pod.meta.namespace_);
  out += R"(,"PodUID":)";
  AppendQuoted(out, pod.meta.uid);
  out += R"(,"Node":)";
  AppendQuoted(out, node);
  out += '}';
  return out;
}

}  // namespace berth::extender
