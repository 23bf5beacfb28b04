// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_serve_command.h"

#include "cmd/signals.h"
#include "plugin_host/grpc_server.h"
#include "plugin_host/plugin_session.h"

#include <chrono>
#include <cstdlib>
#include <ostream>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

int Fail(const Streams& streams, const std::string& why) {
  *streams.err << "berth plugin serve: " << why << '\n';
  return kExitFailed;
}

}  // namespace

int RunPluginServe(const PluginServeOptions& options, const framework::Registry& registry, const Streams& streams) {
  if (registry.Find(options.plugin) == nullptr) {
    return Fail(streams,
                fmt::format("there is no plugin \"{}\"; berth config defaults shows those there are", options.plugin));
  }
  plugin_host::GrpcServerOptions server_options{.endpoint = options.endpoint, .tls = options.tls};
  if (const char* named = std::getenv("BERTH_PLUGIN_ENDPOINT"); options.endpoint.empty() && named != nullptr) {
    server_options.endpoint = named;
  }
  if (server_options.endpoint.empty()) {
    return Fail(streams, "--endpoint is required: nobody has launched this process as a plugin's program");
  }
  const Signals signals;
  const auto server = plugin_host::GrpcServer::Listen(
      server_options,
      plugin_host::Serving({.registry = &registry, .plugin = options.plugin, .log = options.log.Named("plugin")}),
      options.log.Named("server"));
  if (!server) return Fail(streams, server.error().message);
  *streams.out << fmt::format("serves {} at {}\n", options.plugin, (*server)->endpoint()) << std::flush;
  while (true) {
    const std::optional<int> signal = signals.Wait(std::chrono::hours(1));
    if (signal == SIGTERM || signal == SIGINT) return kExitOk;
  }
}

}  // namespace berth::cmd
