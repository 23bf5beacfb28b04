// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log/logger.h"
#include "serve/router.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::serve {

// Something that must be well for the process to be well. Asked on the serving thread, for every probe: it must not
// block.
struct HealthCheck {
  std::string name = {};
  std::function<std::string()> problem = {};  // empty: all is well
};

// The checks of kube-scheduler, by its names; those not given are left out.
struct SchedulerChecks {
  std::function<std::string()> leader_election = {};  // set when there is one: why the lease could not be renewed
  std::function<bool()> shutting_down = {};
  std::function<bool()> handlers_synced = {};   // all objects there were at the start have been handled
  std::function<std::string()> informers = {};  // of coordinated leader election
};
std::vector<HealthCheck> HealthzChecks(const SchedulerChecks& checks);
std::vector<HealthCheck> ReadyzChecks(const SchedulerChecks& checks);

// How checks went so far. One thread.
class HealthRecords {
 public:
  void Note(std::string_view check, std::string_view type, bool well);
  // In Prometheus' text format: kubernetes_healthcheck, kubernetes_healthchecks_total
  std::string Expose() const;
  void Reset();

 private:
  struct Record {
    bool well = false;
    uint64_t successes = 0;
    uint64_t errors = 0;
  };
  std::map<std::pair<std::string, std::string>, Record> records_;  // by check and type
};

// Serves `path` ("/readyz"), which asks all checks, and "/readyz/NAME" for each. Without any there is one that never
// fails, named ping. The records outlive the router.
void AddHealthRoutes(Router& router, const std::string& path, std::vector<HealthCheck> checks, HealthRecords& records,
                     log::Logger log = {});

}  // namespace berth::serve
