// SPDX-License-Identifier: Apache-2.0
#include "serve/debug_pages.h"

#include "serve/answers.h"

#include <utility>

namespace berth::serve {
namespace {

constexpr const char* kNoProfiles =
    "Berth is no Go program and has no Go profiles. Profile the process with perf, or read its metrics at /metrics";

net::ServerResponse PlainAnswer(int status, const std::string& text) {
  return {status, {{"content-type", "text/plain"}, {"x-content-type-options", "nosniff"}}, text + "\n"};
}

net::ServerResponse FlagsIndex() {
  return {
      200,
      {{"content-type", "text/html; charset=utf-8"}},
      "<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n/debug/flags/<br>\n<br>\nflags:<br>\n<table>\n"
      "<tr>v<br>\n</table>\n<br>\nfull flags configurable<br>\n</body>\n</html>\n"};
}

}  // namespace

void AddDebugPages(Router& router, const PageOptions& options) {
  router.Add({.path = "/debug/pprof", .handler = [](const Call&, const Reply& reply) {
                reply({302,
                       {{"content-type", "text/html; charset=utf-8"}, {"location", "/debug/pprof/"}},
                       "<a href=\"/debug/pprof/\">Found</a>.\n\n"});
              }});
  router.Add({.path = "/debug/pprof/",
              .handler = [](const Call&, const Reply& reply) { reply(ErrorAnswer(404, kNoProfiles)); }});
  if (!options.set_verbosity) return;
  const auto index = [](const Call&, const Reply& reply) { reply(FlagsIndex()); };
  router.Add({.path = "/debug/flags", .handler = index});
  router.Add({.path = "/debug/flags/", .handler = index});
  router.Add({.path = "/debug/flags/v", .handler = [set = options.set_verbosity](const Call& call, const Reply& reply) {
                if (call.request.method != "PUT") return reply(PlainAnswer(406, "unsupported http method"));
                const Result<std::string> done = set(call.request.body);
                reply(done ? PlainAnswer(200, *done) : PlainAnswer(400, done.error().message));
              }});
}

}  // namespace berth::serve
