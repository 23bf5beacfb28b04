// SPDX-License-Identifier: Apache-2.0
// The cost of reading one pod from protobuf: a rich one of about 4 kB, as in a watch.
#include "api/document.h"
#include "api/object.h"
#include "kube/proto/envelope.h"
#include "kube/proto/pod_spec.h"
#include "kube/proto/read_proto.h"
#include "live_bytes.h"
#include "report.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

using Steady = std::chrono::steady_clock;

// The fastest of many batches, as other work on the machine can only slow it down.
template <typename Call>
void Time(const std::string& name, std::vector<Figure>& figures, const Call& call) {
  constexpr int kBatches = 1'000;
  constexpr int kCalls = 10;
  const uint64_t before = Allocations();
  call();
  const uint64_t allocations = Allocations() - before;
  Duration best = Duration::max();
  for (int batch = 0; batch < kBatches; ++batch) {
    const Steady::time_point start = Steady::now();
    for (int i = 0; i < kCalls; ++i) call();
    best = std::min(best, std::chrono::duration_cast<Duration>(Steady::now() - start));
  }
  figures.push_back({name, 0, "ns/pod", static_cast<double>(best.count()) / kCalls});
  figures.push_back({name, 0, "allocations", static_cast<double>(allocations)});
}

std::vector<Figure> Measure(std::string_view enveloped) {
  namespace proto = kube::proto;
  std::vector<Figure> figures;
  const std::string_view pod = proto::OpenEnvelope(enveloped)->message;
  figures.push_back({"the pod", 0, "bytes", static_cast<double>(pod.size())});
  const auto decode = [](const api::Value& document) {
    api::DecodeErrors errors;
    static_cast<void>(api::DecodeStoredPod(document, errors));
  };
  Time("envelope", figures, [&] { static_cast<void>(proto::OpenEnvelope(enveloped)); });
  Time("find the spec", figures, [&] { static_cast<void>(proto::FindPodSpec(pod)); });
  Time("document", figures, [&] { static_cast<void>(proto::ReadProto(pod, proto::MessageOf<api::Pod>())); });
  Time("document and pod", figures, [&] { decode(*proto::ReadProto(pod, proto::MessageOf<api::Pod>())); });
  Time("the same apart from the spec", figures, [&] { decode(*proto::ReadProto(pod, proto::PodApartFromSpec())); });
  return figures;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  CLI::App app{"Times reading a pod from protobuf"};
  std::string json;
  app.add_option("--json", json, "Also write one JSON line per figure to this file");
  CLI11_PARSE(app, argc, argv);
  const auto input = berth::api::ReadText(BERTH_SOURCE_DIR "/tests/fuzz/corpus/proto/enveloped_pod");
  if (!input) {
    fmt::print(stderr, "bench_proto: {}\n", input.error().message);
    return 1;
  }
  // The first byte is for the fuzzer.
  const std::vector<berth::bench::Figure> figures = berth::bench::Measure(std::string_view(*input).substr(1));
  berth::bench::PrintTable(figures);
  if (!json.empty() && !berth::bench::WriteJson(figures, json)) {
    fmt::print(stderr, "bench_proto: cannot write {}\n", json);
    return 1;
  }
  return 0;
}
