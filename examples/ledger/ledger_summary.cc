// SPDX-License-Identifier: Apache-2.0
#include "ledger_summary.h"

#include <berth/plugin.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <optional>
#include <ostream>
#include <vector>

namespace ledger {

using berth::Result;
using berth::api::Value;

namespace {

std::string TextIn(const Value& record, std::string_view key) {
  const Value* value = record.Find(key);
  return value == nullptr ? "" : value->text();
}

double NumberIn(const Value& record, std::string_view key) { return std::strtod(TextIn(record, key).c_str(), nullptr); }

// The records of a ledger. A last line that was cut short, by a crash for instance, is left out.
std::optional<std::vector<Value>> Read(const std::string& file, std::ostream& err) {
  std::ifstream in(file);
  if (!in) {
    err << "ledger: cannot read " << file << '\n';
    return std::nullopt;
  }
  std::vector<Value> records;
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    Result<std::vector<berth::api::Document>> read = berth::api::ReadDocuments(line, file);
    if (read && read->size() == 1 && read->front().root.is_map()) {
      records.push_back(std::move(read->front().root));
    } else if (in.peek() != std::ifstream::traits_type::eof()) {
      err << "ledger: " << file << ":" << number << ": this is no record\n";
      return std::nullopt;
    }
  }
  return records;
}

struct Node {
  size_t pods = 0;
  double cost_per_hour = 0;
};

struct Totals {
  size_t bound = 0;
  size_t rejected = 0;  // decisions
  double cost_per_hour = 0;
  double waited = 0;
  double longest_wait = 0;
  std::map<std::string, Node> nodes;
  std::map<std::string, size_t> reasons;  // nodes that gave them
};

Totals Sum(const std::vector<Value>& records) {
  Totals totals;
  for (const Value& record : records) {
    const std::string event = TextIn(record, "event");
    if (event == "bound") {
      Node& node = totals.nodes[TextIn(record, "node")];
      ++node.pods;
      node.cost_per_hour += NumberIn(record, "costPerHour");
      ++totals.bound;
      totals.cost_per_hour += NumberIn(record, "costPerHour");
      totals.waited += NumberIn(record, "waitedSeconds");
      totals.longest_wait = std::max(totals.longest_wait, NumberIn(record, "waitedSeconds"));
    } else if (event == "rejected") {
      ++totals.rejected;
      const Value* reasons = record.Find("reasons");
      if (reasons == nullptr) continue;
      for (const Value::Member& reason : reasons->members()) {
        totals.reasons[reason.key] += static_cast<size_t>(std::strtoull(reason.value.text().c_str(), nullptr, 10));
      }
    }
  }
  return totals;
}

}  // namespace

int PrintSummary(const std::string& file, std::ostream& out, std::ostream& err) {
  const std::optional<std::vector<Value>> records = Read(file, err);
  if (!records) return 1;
  const Totals totals = Sum(*records);
  out << std::fixed << std::setprecision(2);
  out << "bound " << totals.bound << " pods, " << totals.cost_per_hour << " per hour";
  if (totals.bound > 0) {
    out << "; waited " << totals.waited / static_cast<double>(totals.bound) << "s on average, " << totals.longest_wait
        << "s at most";
  }
  out << '\n';
  for (const auto& [name, node] : totals.nodes) {
    out << "  " << name << ": " << node.pods << " pods, " << node.cost_per_hour << " per hour\n";
  }
  out << "rejected " << totals.rejected << " times\n";
  for (const auto& [reason, nodes] : totals.reasons) out << "  " << nodes << " nodes, " << reason << '\n';
  return 0;
}

int PrintPod(const std::string& file, const std::string& pod, std::ostream& out, std::ostream& err) {
  const std::optional<std::vector<Value>> records = Read(file, err);
  if (!records) return 1;
  bool found = false;
  for (const Value& record : *records) {
    if (TextIn(record, "pod") != pod) continue;
    found = true;
    out << berth::api::ToJson(record) << '\n';
  }
  if (!found) err << "ledger: nothing is known of " << pod << '\n';
  return found ? 0 : 3;
}

}  // namespace ledger
