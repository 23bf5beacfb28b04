// SPDX-License-Identifier: Apache-2.0
#include "metrics/process_use.h"

#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace berth::metrics {
namespace {

std::string FileText(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> Words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<double> NumberIn(std::string_view word) {
  if (word == "unlimited") return static_cast<double>(std::numeric_limits<uint64_t>::max());
  double number = 0;
  const char* const end = word.data() + word.size();
  const auto [read, problem] = std::from_chars(word.data(), end, number);
  if (problem != std::errc() || read != end) return std::nullopt;
  return number;
}

std::optional<double> NumberAt(const std::vector<std::string>& words, size_t index) {
  return index < words.size() ? NumberIn(words[index]) : std::nullopt;
}

std::optional<double> Times(std::optional<double> number, double factor) {
  if (number) *number *= factor;
  return number;
}

// What follows a text at the beginning of a line.
std::string_view LineAfter(std::string_view text, std::string_view start) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
    if (line.starts_with(start)) return line.substr(start.size());
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return {};
}

double SecondsOf(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// When the machine was started. Computed once: a process does not start again because a clock was corrected.
double BootTime() {
  static const double boot = SecondsOf(CLOCK_REALTIME) - SecondsOf(CLOCK_BOOTTIME);
  return boot;
}

// The name of a program may contain blanks and parentheses; after it come single words, the third of the file first.
void ReadStat(const std::string& proc, ProcessUse& use) {
  constexpr size_t kUserTime = 11;
  constexpr size_t kSystemTime = 12;
  constexpr size_t kStartTime = 19;
  constexpr size_t kVirtualMemory = 20;
  constexpr size_t kResidentPages = 21;
  const std::string stat = FileText(proc + "/self/stat");
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return;
  const std::vector<std::string> words = Words(std::string_view(stat).substr(name_end + 1));
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::optional<double> user = NumberAt(words, kUserTime);
  const std::optional<double> system = NumberAt(words, kSystemTime);
  if (user && system) use.cpu_seconds = (*user + *system) * tick;
  use.virtual_memory_bytes = NumberAt(words, kVirtualMemory);
  use.resident_memory_bytes = Times(NumberAt(words, kResidentPages), static_cast<double>(sysconf(_SC_PAGESIZE)));
  const std::optional<double> since_boot = Times(NumberAt(words, kStartTime), tick);
  std::optional<double> boot = NumberAt(Words(LineAfter(FileText(proc + "/stat"), "btime ")), 0);
  if (!boot) boot = BootTime();  // a sandbox that shows only processes hides it
  if (since_boot) use.start_time_seconds = *boot + *since_boot;
}

void ReadNetwork(const std::string& proc, ProcessUse& use) {
  const std::string text = FileText(proc + "/self/net/netstat");
  constexpr std::string_view kKind = "IpExt:";
  const std::string_view names_line = LineAfter(text, kKind);
  if (names_line.empty()) return;
  const size_t names_end = static_cast<size_t>(names_line.data() - text.data()) + names_line.size();
  const std::vector<std::string> names = Words(names_line);
  const std::vector<std::string> values = Words(LineAfter(std::string_view(text).substr(names_end), kKind));
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "InOctets") use.received_bytes = NumberAt(values, i);
    if (names[i] == "OutOctets") use.sent_bytes = NumberAt(values, i);
  }
}

std::optional<double> OpenFiles(const std::string& proc) {
  std::error_code problem;
  double count = 0;
  for (std::filesystem::directory_iterator it(proc + "/self/fd", problem), end; !problem && it != end;
       it.increment(problem)) {
    ++count;
  }
  return problem ? std::nullopt : std::optional(count);
}

}  // namespace

ProcessUse ReadProcessUse(const std::string& proc) {
  ProcessUse use;
  ReadStat(proc, use);
  ReadNetwork(proc, use);
  use.open_files = OpenFiles(proc);
  const std::string limits = FileText(proc + "/self/limits");
  use.max_open_files = NumberAt(Words(LineAfter(limits, "Max open files ")), 0);
  use.max_virtual_memory_bytes = NumberAt(Words(LineAfter(limits, "Max address space ")), 0);
  return use;
}

}  // namespace berth::metrics
