// SPDX-License-Identifier: Apache-2.0
#include "cmd/demo_command.h"

#include "api/document.h"
#include "cmd/demo_cluster.h"
#include "cmd/explain_command.h"
#include "cmd/simulate_command.h"
#include "text/layout.h"
#include "text/painter.h"

#include <ostream>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

using text::Tone;

constexpr std::string_view kSource = "cluster.yaml";

// Prints what to look for, the command that shows it, and its output.
class Tour {
 public:
  Tour(const DemoOptions& options, const framework::Registry& registry, const Streams& streams)
      : options_(options), registry_(registry), streams_(streams), paint_(options.colour) {}

  Result<void> Load() {
    BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(DemoCluster(), kSource));
    BERTH_ASSIGN_OR_RETURN(manifests_, api::ParseManifests(std::move(documents)));
    return {};
  }

  bool Simulate(std::string_view what) {
    Announce(what, fmt::format("berth simulate -f {}", kSource));
    std::optional<LoadedCluster> cluster = LoadCluster(manifests_, {}, registry_, *streams_.err);
    if (!cluster) return false;
    SimulateOptions options;
    options.colour = options_.colour;
    return RunSimulate(*std::move(cluster), options, streams_) != kExitFailed;
  }

  bool Explain(std::string_view what, const std::string& pod, const std::string& node = {}) {
    Announce(what, fmt::format("berth explain {}{} -f {}", pod, node.empty() ? "" : " --node " + node, kSource));
    std::optional<LoadedCluster> cluster = LoadCluster(manifests_, {}, registry_, *streams_.err);
    if (!cluster) return false;
    ExplainOptions options;
    options.target = {pod};
    options.node = node;
    options.colour = options_.colour;
    return RunExplain(*cluster, options, streams_) != kExitFailed;
  }

  void Say(std::string_view text) { *streams_.out << text::Wrapped(text, 0, streams_.width); }
  void Command(std::string_view command) { *streams_.out << "  " << paint_(Tone::Heading, command) << '\n'; }

 private:
  void Announce(std::string_view what, std::string_view command) {
    *streams_.out << '\n';
    Say(what);
    *streams_.out << paint_(Tone::Heading, fmt::format("$ {}", command)) << '\n';
  }

  const DemoOptions& options_;
  const framework::Registry& registry_;
  const Streams& streams_;
  text::Painter paint_;
  api::Manifests manifests_;
};

}  // namespace

int RunDemo(const DemoOptions& options, const framework::Registry& registry, const Streams& streams) {
  if (options.print_cluster) {
    *streams.out << DemoCluster();
    return kExitOk;
  }
  Tour tour(options, registry, streams);
  if (const Result<void> loaded = tour.Load(); !loaded) {
    *streams.err << "berth: the sample cluster does not load: " << loaded.error().message << '\n';
    return kExitFailed;
  }
  tour.Say(
      "A sample cluster: ten nodes in three zones, some with GPUs or taints, nine running pods and fourteen that wait "
      "for a node. To follow the tour on your own, write it to a file first:");
  tour.Command(fmt::format("berth demo --cluster > {}", kSource));
  const bool fine =
      tour.Simulate(
          "Where would the waiting pods go? Each is decided as kube-scheduler would decide it, against the state the "
          "former left. One is important enough to evict another.") &&
      tour.Explain("Why does logs-1 stay pending? Every node is accounted for, and the smallest fix is named.",
                   "platform/logs-1") &&
      tour.Explain(
          "Whom would checkout-1 evict? Nodes are compared as upstream compares them: disruption budgets first, then "
          "the priority of the victims.",
          "shop/checkout-1") &&
      tour.Explain("Why is web-1 on its node, and would it be placed there again?", "shop/web-1") &&
      tour.Explain("Why not there? All that speaks against one node, not only the first objection.", "batch/train-1",
                   "infra-c1");
  if (!fine) return kExitFailed;
  *streams.out << '\n';
  tour.Say("Try next:");
  tour.Command("berth simulate -f cluster.yaml -o wide                      scores and every node");
  tour.Command("berth explain data/warehouse-0 -f cluster.yaml              larger than any node");
  tour.Command("berth explain shop/web-3 -f cluster.yaml -o json            the same as data");
  tour.Command("kubectl get nodes,pods,pdb,priorityclasses -A -o yaml | berth simulate -f -");
  tour.Command("berth config check my-scheduler-config.yaml                 then --config on any of the above");
  return kExitOk;
}

}  // namespace berth::cmd
