// SPDX-License-Identifier: Apache-2.0
// What changes of the cluster cost: many nodes go at once, and their pods after them, as when a zone is lost.
#include "cluster/cluster_state.h"
#include "framework/pod_classes.h"
#include "report.h"
#include "workloads.h"

#include <chrono>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

using std::chrono::steady_clock;

double MicrosEach(steady_clock::duration duration, size_t count) {
  return std::chrono::duration<double, std::micro>(duration).count() / static_cast<double>(count);
}

// The time per node and per pod must not depend on how many go.
void LoseNodes(size_t nodes, size_t pods_per_node, std::vector<Figure>& figures) {
  framework::ResourceNames names;
  framework::PodClasses classes(names);
  cluster::ClusterState cluster(names);
  std::vector<std::string> node_names;
  for (size_t i = 0; i < nodes; ++i) {
    const api::NodePtr node = MakeNode(i);
    node_names.push_back(node->meta.name);
    cluster.SetNode(node);
  }
  Workload workload("basic");
  std::vector<std::string> uids;
  for (size_t i = 0; i < nodes * pods_per_node; ++i) {
    const api::PodPtr pod = workload.Next();
    uids.emplace_back(framework::PodUid(*pod));
    cluster.PlacePod(classes.InfoOf(pod), node_names[i % nodes]);
  }
  const auto start = steady_clock::now();
  for (const std::string& name : node_names) cluster.RemoveNode(name);
  const auto removed = steady_clock::now();
  for (const std::string& uid : uids) cluster.RemovePod(uid);
  const auto done = steady_clock::now();
  figures.push_back({"lost nodes", nodes, "us/node", MicrosEach(removed - start, nodes)});
  figures.push_back({"pods of lost nodes", nodes, "us/pod", MicrosEach(done - removed, uids.size())});
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  CLI::App app{"Times changes of the cluster"};
  std::vector<size_t> nodes = {100, 300, 1000, 3000};
  size_t pods_per_node = 30;
  std::string json;
  app.add_option("--nodes", nodes, "How many nodes are lost");
  app.add_option("--pods-per-node", pods_per_node, "Pods on each of them");
  app.add_option("--json", json, "Also write one JSON line per figure to this file");
  CLI11_PARSE(app, argc, argv);
  std::vector<berth::bench::Figure> figures;
  for (const size_t count : nodes) berth::bench::LoseNodes(count, pods_per_node, figures);
  berth::bench::PrintTable(figures);
  if (!json.empty() && !berth::bench::WriteJson(figures, json)) {
    fmt::print(stderr, "bench_cluster: cannot write {}\n", json);
    return 1;
  }
  return 0;
}
