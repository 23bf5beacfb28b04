// SPDX-License-Identifier: Apache-2.0
#include "cmd/pod_target.h"

#include "config/suggest.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

using framework::PodInfoPtr;
using simulator::DescribedCluster;

bool IsPodWord(std::string_view word) { return word == "pod" || word == "pods" || word == "po"; }

std::vector<std::string> SplitAtSlashes(const std::string& text) {
  std::vector<std::string> parts;
  size_t start = 0;
  for (size_t slash = text.find('/'); slash != std::string::npos; slash = text.find('/', start)) {
    parts.push_back(text.substr(start, slash - start));
    start = slash + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

// Names close to the given one, or containing it: what the user may have meant.
std::string Suggestion(const std::string& asked, const std::vector<std::string>& known) {
  if (const std::string near = config::Nearest(asked, known); !near.empty()) {
    return fmt::format("; did you mean {}?", near);
  }
  const std::string name = asked.substr(asked.rfind('/') + 1);
  std::vector<std::string> close;
  for (const std::string& one : known) {
    const std::string own = one.substr(one.rfind('/') + 1);
    const bool similar = own == name || own.find(name) != std::string::npos || name.find(own) != std::string::npos;
    if (similar && close.size() < 5) close.push_back(one);
  }
  if (!close.empty()) return fmt::format("; did you mean {}?", fmt::join(close, ", "));
  return "";
}

}  // namespace

Result<std::string> PodKeyFrom(const std::vector<std::string>& words) {
  const auto malformed = [&] {
    return InvalidError(
        fmt::format("\"{}\" names no pod: write pod/NAMESPACE/NAME, NAMESPACE/NAME or NAME", fmt::join(words, " ")));
  };
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    for (std::string& part : SplitAtSlashes(word)) parts.push_back(std::move(part));
  }
  if (parts.size() > 1 && IsPodWord(parts.front()) && (words.size() > 1 || parts.size() == 3)) {
    parts.erase(parts.begin());
  } else if (parts.size() == 2 && words.size() == 1 && IsPodWord(parts.front())) {
    parts.erase(parts.begin());  // pod/NAME; a namespace called "pod" needs pod/pod/NAME
  }
  const bool empty = std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
  if (empty || parts.empty() || parts.size() > 2) return malformed();
  return parts.size() == 1 ? "default/" + parts.front() : fmt::format("{}/{}", parts[0], parts[1]);
}

Result<PodInfoPtr> FindPod(const DescribedCluster& cluster, const std::string& key) {
  std::vector<std::string> known;
  for (const std::vector<PodInfoPtr>* pods : {&cluster.pending(), &cluster.running()}) {
    for (const PodInfoPtr& pod : *pods) {
      known.push_back((*pod)->meta.Key());
      if (known.back() == key) return pod;
    }
  }
  for (const simulator::IgnoredPod& pod : cluster.ignored()) {
    if (pod.pod == key) return InvalidError(fmt::format("pod {} takes no part in scheduling: {}", key, pod.reason));
  }
  return NotFoundError(fmt::format("pod {} is in none of the files{}", key, Suggestion(key, known)));
}

Result<void> CheckNode(const DescribedCluster& cluster, const std::string& name) {
  if (cluster.cluster().FindNode(name) != framework::kNoNode) return {};
  std::vector<std::string> known;
  cluster.cluster().live_nodes().ForEach(
      [&](size_t slot) { known.push_back(cluster.cluster().node(static_cast<framework::NodeId>(slot)).name()); });
  return NotFoundError(fmt::format("node {} is in none of the files{}", name, Suggestion(name, known)));
}

}  // namespace berth::cmd
