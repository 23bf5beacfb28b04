// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include "bloom_column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <string>

namespace coarse {

using berth::Bitset;
using berth::NodeId;
using berth::api::Labels;

namespace {

// Labels that nodes have in practice: few values, or one for each node.
struct Kind {
  std::string_view key;
  size_t values;  // 0: one for each node
};
constexpr std::array<Kind, 14> kKinds = {{{"kubernetes.io/hostname", 0},
                                          {"kubernetes.io/os", 1},
                                          {"kubernetes.io/arch", 2},
                                          {"topology.kubernetes.io/region", 2},
                                          {"topology.kubernetes.io/zone", 6},
                                          {"node.kubernetes.io/instance-type", 16},
                                          {"example.com/rack", 100},
                                          {"example.com/pool", 25},
                                          {"example.com/team", 60},
                                          {"example.com/disk", 3},
                                          {"example.com/gpu", 8},
                                          {"example.com/kernel", 5},
                                          {"example.com/image", 9},
                                          {"example.com/lease", 0}}};
// What pods ask for: each pod some of these.
constexpr std::array<size_t, 5> kSelected = {6, 7, 8, 10, 5};

// Mixes two numbers; the same on every machine.
uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15U + b * 0xc2b2ae3d27d4eb4fU;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::string ValueOf(size_t node, size_t kind) {
  const size_t value = kKinds[kind].values == 0 ? node : Mix(node, kind) % kKinds[kind].values;
  return "v" + std::to_string(value);
}

Labels LabelsOf(size_t node) {
  Labels::Entries entries;
  for (size_t kind = 0; kind < kKinds.size(); ++kind) entries.emplace_back(kKinds[kind].key, ValueOf(node, kind));
  return Labels(std::move(entries));
}

// The first `count` labels of those that pods ask for, as some node has them.
Labels SelectorOf(size_t pod, size_t count, size_t nodes) {
  const size_t like = Mix(pod, 99) % nodes;
  Labels::Entries entries;
  for (size_t i = 0; i < count; ++i) {
    const size_t kind = kSelected[(pod + i) % kSelected.size()];
    entries.emplace_back(kKinds[kind].key, ValueOf(like, kind));
  }
  return Labels(std::move(entries));
}

bool Has(const Labels& labels, const Labels& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    const std::string* value = labels.Find(entry.first);
    return value != nullptr && *value == entry.second;
  });
}

struct Rate {
  size_t lacking = 0;  // nodes without one of the labels
  size_t left = 0;     // of them, those that were not dropped
  size_t lost = 0;     // nodes with all labels that were dropped: none may be
};

Rate RateOf(const BloomSize& size, size_t selected, const std::vector<Labels>& nodes) {
  constexpr size_t kPods = 200;
  BloomColumn column(size);
  column.Resize(nodes.size());
  for (NodeId node = 0; node < nodes.size(); ++node) column.Set(node, nodes[node]);
  Rate rate;
  for (size_t pod = 0; pod < kPods; ++pod) {
    const Labels selector = SelectorOf(pod, selected, nodes.size());
    std::vector<Label> labels;
    for (const auto& [key, value] : selector) labels.emplace_back(key, value);
    Bitset left(nodes.size(), true);
    column.DropLacking(labels, left);
    for (size_t node = 0; node < nodes.size(); ++node) {
      const bool has = Has(nodes[node], selector);
      rate.lacking += has ? 0 : 1;
      rate.left += !has && left.Test(node) ? 1 : 0;
      rate.lost += has && !left.Test(node) ? 1 : 0;
    }
  }
  return rate;
}

// The textbook's: for one label that the node lacks.
double Expected(const BloomSize& size) {
  const double unset = std::pow(1 - 1 / static_cast<double>(size.bits), size.hashes * kKinds.size());
  return std::pow(1 - unset, static_cast<double>(size.hashes));
}

}  // namespace

void PrintRates(size_t count, std::ostream& out) {
  std::vector<Labels> nodes;
  for (size_t node = 0; node < count; ++node) nodes.push_back(LabelsOf(node));
  out << count << " nodes with " << kKinds.size() << " labels each, 200 pods\n"
      << "left though lacking a label, by labels in the selector\n"
      << " BITS  HASHES    BYTES  1 LABEL  EXPECTED  2 LABELS  3 LABELS  LOST\n";
  for (const size_t bits : {64U, 128U, 256U, 512U, 1024U}) {
    for (const size_t hashes : {1U, 2U, 3U, 5U}) {
      const BloomSize size{bits, hashes};
      std::array<Rate, 3> rates;
      for (size_t i = 0; i < rates.size(); ++i) rates[i] = RateOf(size, i + 1, nodes);
      const auto percent = [&](double part) -> std::ostream& {
        return out << std::fixed << std::setprecision(part < 0.001 ? 4 : 2) << std::setw(7) << 100 * part << "%";
      };
      const auto measured = [](const Rate& rate) {
        return static_cast<double>(rate.left) / static_cast<double>(rate.lacking);
      };
      out << std::setw(5) << bits << std::setw(8) << hashes << std::setw(9) << bits / 8 * count << " ";
      percent(measured(rates[0])) << "  ";
      percent(Expected(size)) << "  ";
      percent(measured(rates[1])) << "  ";
      percent(measured(rates[2])) << std::setw(6) << rates[0].lost + rates[1].lost + rates[2].lost << '\n';
    }
  }
}

void PrintCluster(size_t nodes, std::ostream& out) {
  constexpr size_t kPods = 32;
  for (size_t node = 0; node < nodes; ++node) {
    out << "kind: Node\nmetadata: {name: n" << node << ", labels: {";
    for (const auto& [key, value] : LabelsOf(node)) out << key << ": " << value << ", ";
    out << "}}\nstatus: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}\n---\n";
  }
  for (size_t pod = 0; pod < kPods; ++pod) {
    out << "kind: Pod\nmetadata: {name: p" << pod << "}\nspec: {nodeSelector: {";
    for (const auto& [key, value] : SelectorOf(pod, 2, nodes)) out << key << ": " << value << ", ";
    out << "}, containers: [{name: c, resources: {requests: {cpu: '1'}}}]}\n---\n";
  }
}

}  // namespace coarse
