// SPDX-License-Identifier: Apache-2.0
#include "metrics/test_exposition.h"

#include <algorithm>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::metrics {
namespace {

const std::regex kLabel(R"re((\w+)="((?:[^"\\]|\\.)*)")re");

std::string_view NameOf(std::string_view sample) { return sample.substr(0, sample.find('{')); }

}  // namespace

Exposition Exposition::Parse(const std::string& text) {
  static const std::regex kHelp(R"(# HELP (\w+) (.+))");
  static const std::regex kType(R"(# TYPE (\w+) (counter|gauge|histogram))");
  static const std::regex kSample(R"((\w+(?:\{.*\})?) (\S+))");
  Exposition result;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kHelp)) {
      result.families[match[1]].help = match[2];
    } else if (std::regex_match(line, match, kType)) {
      result.families[match[1]].type = match[2];
    } else if (std::regex_match(line, match, kSample)) {
      const bool is_new = result.samples.emplace(match[1], std::stod(match[2])).second;
      EXPECT_TRUE(is_new) << "exposed twice: " << line;
    } else {
      ADD_FAILURE() << "no part of the format: " << line;
    }
  }
  return result;
}

double Exposition::Value(std::string_view sample) const {
  const auto found = samples.find(sample);
  if (found != samples.end()) return found->second;
  ADD_FAILURE() << "no sample " << sample;
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> Exposition::LabelsOf(std::string_view name) const {
  for (const auto& [sample, value] : samples) {
    if (NameOf(sample) != name) continue;
    std::vector<std::string> labels;
    for (std::sregex_iterator it(sample.begin(), sample.end(), kLabel), end; it != end; ++it) {
      labels.push_back((*it)[1]);
    }
    return labels;
  }
  ADD_FAILURE() << "no sample of " << name;
  return {};
}

std::vector<double> Exposition::BoundsOf(std::string_view histogram) const {
  std::set<double> bounds;
  for (const auto& [sample, value] : samples) {
    if (NameOf(sample) != std::string(histogram) + "_bucket") continue;
    for (std::sregex_iterator it(sample.begin(), sample.end(), kLabel), end; it != end; ++it) {
      if ((*it)[1] == "le") bounds.insert(std::stod((*it)[2]));
    }
  }
  return {bounds.begin(), bounds.end()};
}

}  // namespace berth::metrics
