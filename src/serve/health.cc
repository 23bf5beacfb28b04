// SPDX-License-Identifier: Apache-2.0
#include "serve/health.h"

#include "net/request_target.h"
#include "serve/answers.h"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

// What `?exclude=NAME` and `?verbose` say.
struct HealthQuery {
  std::set<std::string> excluded = {};
  bool verbose = false;
};

HealthQuery ReadHealthQuery(const net::ServerRequest& request) {
  HealthQuery query;
  for (auto& [name, value] : net::QueryParameters(request.query)) {
    if (name == "exclude") query.excluded.insert(std::move(value));
    if (name == "verbose") query.verbose = true;
  }
  return query;
}

// Asks all checks of one path.
class HealthPage {
 public:
  HealthPage(std::string type, std::vector<HealthCheck> checks, HealthRecords& records, log::Logger log)
      : type_(std::move(type)), checks_(std::move(checks)), records_(records), log_(std::move(log)) {}

  net::ServerResponse Answer(const net::ServerRequest& request) const {
    const HealthQuery query = ReadHealthQuery(request);
    std::string lines;
    std::string failed;
    std::set<std::string> unknown = query.excluded;
    for (const HealthCheck& check : checks_) {
      if (query.excluded.contains(check.name)) {
        unknown.erase(check.name);
        lines += fmt::format("[+]{} excluded: ok\n", check.name);
        continue;
      }
      const std::string problem = check.problem();
      records_.Note(check.name, type_, problem.empty());
      if (problem.empty()) {
        lines += fmt::format("[+]{} ok\n", check.name);
        continue;
      }
      // Everyone may ask this; only those who may ask for the single check learn why.
      lines += fmt::format("[-]{} failed: reason withheld\n", check.name);
      failed += fmt::format("{}{}: {}", failed.empty() ? "" : "; ", check.name, problem);
    }
    if (!unknown.empty()) lines += Unknown(unknown);
    if (!failed.empty()) {
      log_.V(2).Info("Health check failed", {{"type", type_}, {"failed", failed}});
      return ErrorAnswer(500, fmt::format("{}{} check failed", lines, type_));
    }
    net::ServerResponse answer =
        TextAnswer(200, query.verbose ? fmt::format("{}{} check passed\n", lines, type_) : "ok");
    answer.headers.emplace_back("x-content-type-options", "nosniff");
    return answer;
  }

 private:
  static std::string Unknown(const std::set<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += fmt::format("{}{}", list.empty() ? "" : ",", GoQuoted(name));
    return fmt::format("warn: some health checks cannot be excluded: no matches for {}\n", list);
  }

  const std::string type_;
  const std::vector<HealthCheck> checks_;
  HealthRecords& records_;
  const log::Logger log_;
};

net::ServerResponse AnswerOf(const HealthCheck& check) {
  const std::string problem = check.problem();
  if (problem.empty()) return TextAnswer(200, "ok");
  return ErrorAnswer(500, fmt::format("internal server error: {}", problem));
}

HealthCheck YesOrNo(std::string name, std::function<bool()> well, std::string problem) {
  return {std::move(name),
          [well = std::move(well), problem = std::move(problem)] { return well() ? std::string() : problem; }};
}

}  // namespace

std::vector<HealthCheck> HealthzChecks(const SchedulerChecks& checks) {
  std::vector<HealthCheck> list;
  if (checks.leader_election) list.push_back({"leaderElection", checks.leader_election});
  return list;
}

std::vector<HealthCheck> ReadyzChecks(const SchedulerChecks& checks) {
  std::vector<HealthCheck> list = HealthzChecks(checks);
  if (checks.shutting_down) {
    list.push_back(YesOrNo(
        "shutdown", [leaving = checks.shutting_down] { return !leaving(); }, "process is shutting down"));
  }
  if (checks.handlers_synced) {
    list.push_back(YesOrNo("sched-handler-sync", checks.handlers_synced, "handlers are not fully synchronized"));
  }
  if (checks.informers) list.push_back({"informer-sync", checks.informers});
  return list;
}

void HealthRecords::Note(std::string_view check, std::string_view type, bool well) {
  Record& record = records_[{std::string(check), std::string(type)}];
  record.well = well;
  ++(well ? record.successes : record.errors);
}

void HealthRecords::Reset() { records_.clear(); }

std::string HealthRecords::Expose() const {
  if (records_.empty()) return {};
  std::string text =
      "# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.\n"
      "# TYPE kubernetes_healthcheck gauge\n";
  for (const auto& [key, record] : records_) {
    text += fmt::format("kubernetes_healthcheck{{name=\"{}\",type=\"{}\"}} {}\n", key.first, key.second,
                        record.well ? 1 : 0);
  }
  text +=
      "# HELP kubernetes_healthchecks_total [STABLE] This metric records the results of all healthcheck.\n"
      "# TYPE kubernetes_healthchecks_total counter\n";
  const auto add = [&](const auto& key, std::string_view status, uint64_t count) {
    if (count == 0) return;
    text += fmt::format("kubernetes_healthchecks_total{{name=\"{}\",status=\"{}\",type=\"{}\"}} {}\n", key.first,
                        status, key.second, count);
  };
  for (const auto& [key, record] : records_) {
    add(key, "error", record.errors);
    add(key, "success", record.successes);
  }
  return text;
}

void AddHealthRoutes(Router& router, const std::string& path, std::vector<HealthCheck> checks, HealthRecords& records,
                     log::Logger log) {
  if (checks.empty()) checks.push_back({"ping", [] { return std::string(); }});
  for (const HealthCheck& check : checks) {
    router.Add({.path = path + "/" + check.name, .listed = true, .handler = [check](const Call&, const Reply& reply) {
                  reply(AnswerOf(check));
                }});
  }
  const auto page = std::make_shared<HealthPage>(path.substr(1), std::move(checks), records, std::move(log));
  router.Add({.path = path, .listed = true, .handler = [page](const Call& call, const Reply& reply) {
                reply(page->Answer(call.request));
              }});
}

}  // namespace berth::serve
