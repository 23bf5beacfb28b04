// SPDX-License-Identifier: Apache-2.0
// A scheduler extender that filters and ranks nodes by chance.
#include "http_service.h"
#include "lucky_extender.h"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace {

constexpr const char* kUsage =
    "Usage: sample_extender [--port N] [--address A] [--seed N]\n"
    "\n"
    "A scheduler extender for kube-scheduler or Berth: POST /filter lets a node pass by chance,\n"
    "POST /prioritize scores the nodes from 0 to 10 by chance.\n"
    "\n"
    "  --port N      where it listens (8888); 0: any free port, which is printed\n"
    "  --address A   on which address (127.0.0.1)\n"
    "  --seed N      makes the answers follow from the questions\n";

struct Options {
  uint16_t port = 8888;
  std::string address = "127.0.0.1";
  uint64_t seed = 0;
};

template <typename T>
bool ReadNumber(std::string_view text, T& number) {
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc{} && stopped == text.data() + text.size();
}

// None: the command line makes no sense.
std::optional<Options> ReadOptions(int argc, char** argv) {
  Options options;
  options.seed = std::random_device()();
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    std::string_view value;
    if (const size_t sign = name.find('='); sign != std::string_view::npos) {
      value = name.substr(sign + 1);
      name = name.substr(0, sign);
    } else if (++i < argc) {
      value = argv[i];
    } else {
      return std::nullopt;
    }
    const bool understood = name == "--port"   ? ReadNumber(value, options.port)
                            : name == "--seed" ? ReadNumber(value, options.seed)
                                               : name == "--address";
    if (!understood) return std::nullopt;
    if (name == "--address") options.address = value;
  }
  return options;
}

// Lines are seen at once, also through a pipe.
void Say(std::string_view line) {
  std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  using sample_extender::Verb;
  const std::optional<Options> options = ReadOptions(argc, argv);
  if (!options) {
    const bool asked = argc == 2 && std::string_view(argv[1]) == "--help";
    std::fputs(kUsage, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  sample_extender::LuckyExtender extender(options->seed, Say);
  sample_extender::HttpService service([&](std::string_view path) -> Verb {
    if (path == "/filter") return [&](std::string_view question) { return extender.Filter(question); };
    if (path == "/prioritize") return [&](std::string_view question) { return extender.Prioritize(question); };
    return nullptr;
  });
  std::string problem;
  const std::optional<uint16_t> port = service.Listen(options->address, options->port, problem);
  if (!port) {
    std::fprintf(stderr, "sample_extender: cannot listen on %s, port %u: %s\n", options->address.c_str(),
                 static_cast<unsigned>(options->port), problem.c_str());
    return 1;
  }
  Say("listens on port " + std::to_string(*port));
  service.Run();
  return 0;
}
