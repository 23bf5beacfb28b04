// SPDX-License-Identifier: Apache-2.0
#include "cluster/carried_terms.h"

#include "support/dice.h"
#include "support/rounds.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::cluster {
namespace {

using framework::AffinityTerm;
using framework::CarriedTerm;

AffinityTerm Term(const std::string& selector, const std::string& key = "zone") {
  return {*api::Selector::Parse(selector), {"default"}, {}, key};
}

std::multiset<std::string> Texts(const std::vector<const CarriedTerm*>& terms) {
  std::multiset<std::string> texts;
  for (const CarriedTerm* carried : terms) {
    texts.insert(
        fmt::format("{} {} {}", carried->weight, carried->term.topology_key, carried->term.selector.ToString()));
  }
  return texts;
}

std::vector<const CarriedTerm*> ForLabels(CarriedTerms& terms, const api::Labels& labels) {
  std::vector<const CarriedTerm*> found;
  terms.FindForLabels(labels, found);
  return found;
}

TEST(CarriedTerms, LooksOnlyAtTermsThatAskForALabelOfThePod) {
  CarriedTerms terms;
  for (int i = 0; i < 1000; ++i) terms.Count(Term(fmt::format("team=a,app=app-{}", i)), 0, 0, +1);
  terms.Count(Term("app in (app-5,app-6),tier=web"), 0, 0, +1);
  terms.Count(Term("app!=app-5"), 0, 0, +1);
  EXPECT_EQ(Texts(ForLabels(terms, {{"team", "a"}, {"app", "app-5"}})).size(), 2U);
  EXPECT_EQ(Texts(ForLabels(terms, {{"tier", "web"}, {"app", "app-5"}})).size(), 3U);
  EXPECT_EQ(Texts(ForLabels(terms, {{"team", "a"}, {"app", "app-7"}})).size(), 2U);
  EXPECT_EQ(Texts(ForLabels(terms, {})), Texts({ForLabels(terms, {{"x", "y"}})})) << "those that ask for no label";
}

TEST(CarriedTerms, ATermWithoutCarriersIsForgotten) {
  CarriedTerms terms;
  terms.Count(Term("app=a"), 0, 1, +1);
  terms.Count(Term("app=a"), 0, 2, +1);
  ASSERT_EQ(terms.all().size(), 1U);
  EXPECT_EQ(terms.all()[0]->carriers.total(), 2);
  terms.Count(Term("app=a"), 0, 1, -1);
  EXPECT_EQ(ForLabels(terms, {{"app", "a"}}).size(), 1U);
  terms.Count(Term("app=a"), 0, 2, -1);
  EXPECT_TRUE(terms.all().empty());
  EXPECT_TRUE(ForLabels(terms, {{"app", "a"}}).empty());
}

TEST(CarriedTerms, ATermThatSelectsNothingConcernsNobody) {
  CarriedTerms terms;
  terms.Count({api::Selector::Nothing(), {"default"}, {}, "zone"}, 0, 0, +1);
  EXPECT_EQ(terms.all().size(), 1U);
  EXPECT_TRUE(ForLabels(terms, {{"app", "a"}}).empty());
}

TEST(CarriedTerms, CopiesStandAlone) {
  CarriedTerms terms;
  terms.Count(Term("app=a"), 0, 0, +1);
  CarriedTerms copy = terms;
  copy.Count(Term("app=b"), 0, 0, +1);
  copy.Count(Term("app=a"), 0, 0, -1);
  EXPECT_EQ(ForLabels(terms, {{"app", "a"}}).size(), 1U);
  EXPECT_TRUE(ForLabels(terms, {{"app", "b"}}).empty());
  EXPECT_TRUE(ForLabels(copy, {{"app", "a"}}).empty());
}

TEST(CarriedTerms, FindsEveryTermThatMatches) {
  const std::vector<std::string> selectors = {"",
                                              "app=a",
                                              "app=b",
                                              "app in (a,b)",
                                              "app=a,x=1",
                                              "x in (1,2)",
                                              "app",
                                              "!app",
                                              "app!=a",
                                              "x notin (1)",
                                              "app=a,!x",
                                              "app in (a,c),x in (1,3)",
                                              "x=1,y in (1)",
                                              "y",
                                              "app=c",
                                              "y=1"};
  for (uint64_t seed = 0; seed < test::Rounds(20); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    test::Dice dice(seed);
    CarriedTerms terms;
    std::map<std::tuple<std::string, std::string, int32_t>, std::map<framework::NodeId, int32_t>> model;
    for (size_t step = 0; step < 500; ++step) {
      const std::string& selector = selectors[dice.Below(selectors.size())];
      const std::string key = dice.Chance(0.5) ? "zone" : "host";
      const auto weight = static_cast<int32_t>(dice.Below(3));
      const auto node = static_cast<framework::NodeId>(dice.Below(3));
      std::map<framework::NodeId, int32_t>& carriers = model[{selector, key, weight}];
      const int32_t change = carriers[node] > 0 && dice.Chance(0.6) ? -1 : +1;
      carriers[node] += change;
      terms.Count(Term(selector, key), weight, node, change);

      api::Labels labels;
      for (const char* label : {"app", "x", "y"}) {
        if (dice.Chance(0.6)) labels.Set(label, label == std::string_view("app") ? "a" : "1");
      }
      std::multiset<std::string> expected;
      std::multiset<std::string> carried;
      for (const auto& [identity, counts] : model) {
        int32_t total = 0;
        for (const auto& [id, count] : counts) total += count;
        if (total == 0) continue;
        const AffinityTerm term = Term(std::get<0>(identity), std::get<1>(identity));
        const std::string text =
            fmt::format("{} {} {}", std::get<2>(identity), term.topology_key, term.selector.ToString());
        carried.insert(text);
        if (term.selector.Matches(labels)) expected.insert(text);
      }
      ASSERT_EQ(Texts(terms.all()), carried);
      std::vector<const CarriedTerm*> found = ForLabels(terms, labels);
      const std::multiset<std::string> candidates = Texts(found);
      ASSERT_TRUE(std::ranges::includes(carried, candidates)) << "none twice, none that is gone";
      std::erase_if(found, [&](const CarriedTerm* term) { return !term->term.selector.Matches(labels); });
      ASSERT_EQ(Texts(found), expected);
    }
  }
}

}  // namespace
}  // namespace berth::cluster
