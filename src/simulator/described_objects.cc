// SPDX-License-Identifier: Apache-2.0
#include "simulator/described_objects.h"

#include "base/string_map.h"
#include "cluster/cluster_objects.h"
#include "simulator/map_in.h"
#include "simulator/missing_objects.h"
#include "simulator/pod_priority.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::simulator {
namespace {

using api::Manifest;
using api::Value;

Timestamp LatestMoment(const api::Manifests& manifests) {
  Timestamp latest{};
  const auto see = [&](const std::optional<Timestamp>& moment) {
    if (moment) latest = std::max(latest, *moment);
  };
  for (const Manifest& manifest : manifests.objects) {
    const api::ObjectMeta& meta = api::MetaOf(manifest.object);
    see(meta.created);
    see(meta.deleted);
    if (const auto* pod = std::get_if<api::PodPtr>(&manifest.object)) see((*pod)->status->start_time);
  }
  return latest;
}

bool ComesBefore(const Manifest& a, const Manifest& b) {
  const api::ObjectMeta& left = api::MetaOf(a.object);
  const api::ObjectMeta& right = api::MetaOf(b.object);
  return std::tie(left.namespace_, left.name) < std::tie(right.namespace_, right.name);
}

// Classifies objects, and adds to pods what an API server would have added.
class Sorting {
 public:
  Sorting(DescribedObjects& objects, std::span<const config::ProfilePlan> profiles)
      : objects_(objects), profiles_(profiles) {}

  void Take(api::Manifests manifests) {
    // Pods come last: their priorities need the priority classes.
    std::vector<Manifest> pods;
    for (Manifest& manifest : manifests.objects) {
      if (std::holds_alternative<api::NodePtr>(manifest.object)) {
        objects_.nodes.push_back(std::move(manifest));
      } else if (std::holds_alternative<api::PodPtr>(manifest.object)) {
        pods.push_back(std::move(manifest));
      } else {
        table_.Set(manifest.object);
        objects_.others.push_back(std::move(manifest));
      }
    }
    for (Manifest& pod : pods) TakePod(std::move(pod));
    std::sort(objects_.nodes.begin(), objects_.nodes.end(), ComesBefore);
    std::sort(objects_.running.begin(), objects_.running.end(), ComesBefore);
  }
  const framework::Lister& lister() const { return table_; }

 private:
  void TakePod(Manifest manifest) {
    if (std::optional<std::string> reason = WhyIgnored(*PodOf(manifest))) {
      objects_.ignored.push_back({PodOf(manifest)->meta.Key(), *std::move(reason)});
      return;
    }
    Prioritise(manifest);
    Identify(manifest);
    (PodOf(manifest)->node_name.empty() ? objects_.pending : objects_.running).push_back(std::move(manifest));
  }

  std::optional<std::string> WhyIgnored(const api::Pod& pod) const {
    if (pod.is_finished()) return fmt::format("finished ({})", pod.status->phase);
    if (!pod.node_name.empty()) return std::nullopt;
    std::vector<std::string_view> known;
    for (const config::ProfilePlan& profile : profiles_) known.emplace_back(profile.scheduler_name);
    const std::string& scheduler = pod.spec->scheduler_name;
    if (std::ranges::find(known, scheduler) == known.end()) {
      return fmt::format("scheduler {} is none of the profiles ({})", scheduler, fmt::join(known, ", "));
    }
    if (pod.is_terminating()) return "being deleted";
    return std::nullopt;
  }

  void Prioritise(Manifest& manifest) {
    std::string warning;
    const api::PodPtr given = WithPriority(PodOf(manifest), table_, warning);
    if (!warning.empty()) objects_.warnings.push_back(std::move(warning));
    if (given == PodOf(manifest)) return;
    Value& spec = MapIn(manifest.document, "spec");
    spec.Set("priority", Value::Int(given->priority()));
    const std::string& policy = given->spec->preemption_policy;
    if (!policy.empty()) spec.Set("preemptionPolicy", Value::String(policy));
    manifest.object = given;
  }

  void Identify(Manifest& manifest) {
    const api::ObjectMeta& meta = PodOf(manifest)->meta;
    const bool is_taken = !meta.uid.empty() && !uids_.insert(meta.uid).second;
    if (is_taken) {
      objects_.warnings.push_back(
          fmt::format("pod {} has uid {}, which another pod has, too: it gets one of its own", meta.Key(), meta.uid));
    }
    if (!meta.uid.empty() && !is_taken) return;
    auto copy = std::make_shared<api::Pod>(*PodOf(manifest));
    copy->meta.uid = meta.Key();
    while (!uids_.insert(copy->meta.uid).second) copy->meta.uid += '+';
    MapIn(manifest.document, "metadata").Set("uid", Value::String(copy->meta.uid));
    manifest.object = api::PodPtr(std::move(copy));
  }

  DescribedObjects& objects_;
  const std::span<const config::ProfilePlan> profiles_;
  cluster::ClusterObjects table_;  // of the others
  StringSet uids_;
};

}  // namespace

DescribedObjects DescribedObjects::From(api::Manifests manifests, std::span<const config::ProfilePlan> profiles) {
  DescribedObjects objects;
  objects.latest = LatestMoment(manifests);
  Sorting sorting(objects, profiles);
  sorting.Take(std::move(manifests));
  for (std::string& sentence : MissingObjects(objects, sorting.lister())) {
    objects.warnings.push_back(std::move(sentence));
  }
  return objects;
}

}  // namespace berth::simulator
