// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin_check {

// A rule of the contract that a plugin broke, how often, and the first time.
struct Finding {
  std::string_view rule;  // one of those below
  size_t count = 0;
  std::string example;
};

// What a plugin must keep. The comments of the extension points are the contract; these are its parts that can be seen
// from outside.
inline constexpr std::string_view kSameAnswer = "the same question has the same answer";
inline constexpr std::string_view kCodesHaveMeaning = "a code means something where it is given";
inline constexpr std::string_view kNothingFails = "nothing fails";
inline constexpr std::string_view kNodesExist = "only nodes that exist are named";
inline constexpr std::string_view kCandidatesOnly = "only nodes that are asked about are judged";
inline constexpr std::string_view kFiltersAgree = "FilterAll reaches the verdicts of Filter";
inline constexpr std::string_view kScoresAgree = "ScoreAll reaches the scores of Score";
inline constexpr std::string_view kScoresInRange = "scores end in [0, 100]";
inline constexpr std::string_view kHypotheticalPods = "hypothetical pods are followed (AddPod, RemovePod)";

// The lowest and the highest of scores.
struct Spread {
  int64_t lowest = 0;
  int64_t highest = 0;
};

// What a plugin said about one pod.
struct PodAnswer {
  std::string pod;                    // namespace/name
  std::string pre_filter = {};        // "skip" or why the pod was rejected; empty when it went on
  size_t passed = 0;                  // nodes
  size_t rejected = 0;                // nodes
  std::optional<Spread> scores = {};  // final ones, when it was asked
  std::string best_node = {};         // one with the highest
};

// What a plugin said about all pods, and what was wrong with it.
struct PluginReport {
  std::string plugin;
  std::string profile;
  std::vector<PodAnswer> pods = {};
  std::map<std::string, size_t> rejections = {};  // of nodes, by "Code: reasons"
  std::optional<Spread> raw_scores = {};          // before NormalizeScore
  std::optional<Spread> scores = {};              // at the end
  size_t hypothetical_questions = 0;              // nodes with a pod more or less
  std::vector<Finding> findings = {};

  void Note(std::string_view rule, std::string example);
};

// Widens a spread by a score.
void Include(std::optional<Spread>& spread, int64_t score);

}  // namespace berth::plugin_check
