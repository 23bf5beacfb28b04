// SPDX-License-Identifier: Apache-2.0
#include "serve/pages.h"

#include "serve/answers.h"
#include "serve/debug_pages.h"
#include "serve/zpages.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace berth::serve {
namespace {

double Seconds(Timestamp time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); }

net::ServerResponse MetricsAnswer(std::string text, Timestamp started) {
  return {200,
          {{"content-type", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"},
           {"process-start-time-unix", fmt::format("{:.0f}", std::floor(Seconds(started)))}},
          std::move(text)};
}

// Other methods than DELETE count as GET, as kube-scheduler has it.
void AddMetricsRoute(Router& router, const std::string& path, MetricsSource source, std::function<void()> reset,
                     Timestamp started, SideThread& side) {
  const auto handler = [source = std::move(source), reset = std::move(reset), started, &side](const Call& call,
                                                                                              const Reply& reply) {
    if (call.request.method == "DELETE") {
      if (!reset) return reply(ErrorAnswer(405, "these metrics cannot be reset"));
      reset();
      return reply(TextAnswer(200, "metrics reset\n"));
    }
    side.Post([source, started, reply] {
      std::string text;
      source(text);
      reply(MetricsAnswer(std::move(text), started));
    });
  };
  router.Add({.path = path, .listed = true, .handler = handler});
}

void AddSlisRoute(Router& router, HealthRecords& records, Timestamp started) {
  router.Add(
      {.path = "/metrics/slis", .listed = true, .handler = [&records, started](const Call& call, const Reply& reply) {
         if (call.request.method == "DELETE") {
           records.Reset();
           return reply(TextAnswer(200, "metrics reset\n"));
         }
         reply(MetricsAnswer(
             records.Expose() +
                 fmt::format("# HELP process_start_time_seconds [ALPHA] Start time of the process since unix "
                             "epoch in seconds.\n"
                             "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds {:.2f}\n",
                             Seconds(started)),
             started));
       }});
}

}  // namespace

void AddPages(Router& router, const PageOptions& options, HealthRecords& records, SideThread& side, const Clock& clock,
              const log::Logger& log) {
  AddHealthRoutes(router, "/healthz", options.healthz, records, log);
  AddHealthRoutes(router, "/livez", options.livez, records, log);
  AddHealthRoutes(router, "/readyz", options.readyz, records, log);
  if (options.metrics) {
    AddMetricsRoute(router, "/metrics", options.metrics, options.reset_metrics, options.started, side);
  }
  if (options.resource_metrics) {
    AddMetricsRoute(
        router, "/metrics/resources", options.resource_metrics, [] {}, options.started, side);
  }
  AddSlisRoute(router, records, options.started);
  if (options.configz) {
    router.Add(
        {.path = "/configz", .listed = true, .handler = [configz = options.configz](const Call&, const Reply& reply) {
           reply({200,
                  {{"content-type", "application/json"}, {"x-content-type-options", "nosniff"}},
                  fmt::format("{{\"componentconfig\":{}}}", configz())});
         }});
  }
  if (options.profiling) AddDebugPages(router, options);
  if (options.flagz && options.flags) AddFlagz(router, options);
  if (options.statusz) AddStatusz(router, options, clock);
}

}  // namespace berth::serve
