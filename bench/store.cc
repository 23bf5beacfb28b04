// SPDX-License-Identifier: Apache-2.0
// The cost of the memory store: CPU time per write, list and delivered change, memory per pod.
#include "base/clock.h"
#include "live_bytes.h"
#include "report.h"
#include "store/memory/memory_store.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

constexpr size_t kPerCommit = 1000;

// CPU time of this thread alone, so that neither other work on the machine nor the watchers count.
double ThreadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// One store full of pods, each bound once while watchers follow.
class Bench {
 public:
  Bench(size_t pods, size_t batch, size_t watchers, std::vector<Figure>& figures)
      : name_(fmt::format("by {}, {} watches", batch, watchers)),
        pods_(pods),
        batch_(batch),
        watchers_(watchers),
        figures_(figures) {}

  void Run() {
    const int64_t empty = LiveBytes();
    Note("create, ns", Time([&] { CreatePods(); }));
    const store::Stats full = store_.GetStats();
    Note("bytes/pod", static_cast<double>(LiveBytes() - empty) / static_cast<double>(pods_));
    store::Page page;
    Note("list, ns", Time([&] { page = store_.List({}).value(); }));
    const std::vector<store::Binding> bindings = Shuffled(page);

    std::vector<double> told(watchers_);
    std::vector<std::thread> threads;
    for (double& seconds : told) threads.emplace_back([&] { seconds = FollowBindings(full.head); });
    Note("bind, ns", Time([&] {
           for (size_t i = 0; i < bindings.size(); i += batch_) {
             const std::span portion = std::span(bindings).subspan(i, std::min(batch_, bindings.size() - i));
             static_cast<void>(store_.Bind(portion, std::nullopt).value());
           }
         }));
    for (std::thread& thread : threads) thread.join();
    if (!told.empty()) Note("told, ns", *std::ranges::max_element(told));
  }

 private:
  void CreatePods() {
    for (size_t i = 0; i < pods_;) {
      store::Transaction transaction;
      for (; i < pods_ && transaction.operations.size() < kPerCommit; ++i) {
        transaction.operations.push_back(
            {.type = store::Operation::Type::Create,
             .key = {"Pod", "some-namespace", fmt::format("some-deployment-5d4f8c7b9d-{:06}", i * 7919 % pods_)},
             .uid = fmt::format("1b671a64-40d5-491e-99b0-{:012x}", i),
             .value = std::string(1024, 'x'),
             .fields = {"", "Pending", "default-scheduler"}});
      }
      static_cast<void>(store_.Commit(std::move(transaction)).value());
    }
  }

  std::vector<store::Binding> Shuffled(const store::Page& page) const {
    std::vector<store::Binding> bindings;
    for (size_t i = 0; i < page.objects.size(); ++i) {
      const store::Record& pod = *page.objects[i * 104729 % page.objects.size()];
      bindings.push_back({pod.key, pod.uid, fmt::format("node-{}", i % 5000), pod.modified, 0});
    }
    return bindings;
  }

  double FollowBindings(store::Revision after) {
    const auto watch = store_.OpenWatch({.selection = {.kinds = {"Pod"}}, .after = after}).value();
    const double start = ThreadSeconds();
    for (size_t told = 0; told < pods_;) {
      const store::WatchItem item = watch->Next(std::chrono::seconds(10));
      if (item.kind == store::WatchItem::Kind::Expired) break;
      told += item.events.size();
    }
    return ThreadSeconds() - start;
  }

  template <typename Call>
  double Time(const Call& call) {
    const double start = ThreadSeconds();
    call();
    return ThreadSeconds() - start;
  }
  void Note(const std::string& metric, double value) {
    const bool is_time = metric.ends_with(", ns");
    figures_.push_back({name_, pods_, metric, is_time ? value * 1e9 / static_cast<double>(pods_) : value});
  }

  const std::string name_;
  const size_t pods_;
  const size_t batch_;
  const size_t watchers_;
  std::vector<Figure>& figures_;
  SystemClock clock_;
  store::MemoryStore store_{clock_, store::Limits{}};
};

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth::bench;
  CLI::App app{"Times the store in memory, per pod; columns are pods"};
  std::string json;
  std::vector<size_t> sizes = {10'000, 100'000};
  app.add_option("--json", json, "Also write one JSON line per figure to this file");
  app.add_option("--pods", sizes, "How many pods to store")->delimiter(',')->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::vector<Figure> figures;
  for (const size_t size : sizes) {
    for (const size_t batch : {size_t{1000}, size_t{100}, size_t{1}}) Bench(size, batch, 1, figures).Run();
    Bench(size, 1000, 10, figures).Run();
  }
  PrintTable(figures);
  if (!json.empty() && !WriteJson(figures, json)) {
    fmt::print(stderr, "bench_store: cannot write {}\n", json);
    return 1;
  }
  return 0;
}
