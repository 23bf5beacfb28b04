// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/preferences.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

const std::string kForm =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

api::PreferredSchedulingTerm Term(int32_t weight, std::vector<api::NodeSelectorRequirement> expressions) {
  return {weight, {std::move(expressions), {}}};
}

// Expectations are what upstream's NewPreferredSchedulingTerms says.
TEST(PreferencesProblem, SpeaksAsUpstream) {
  const std::string long_value(64, 'x');
  const std::string long_and_bad = std::string(63, 'x') + "-";
  const struct {
    std::vector<api::PreferredSchedulingTerm> terms;
    std::string problem;
  } cases[] = {
      {{Term(1, {{"cores", "Gt", {"3"}}, {"disk", "In", {"", "ssd"}}})}, ""},
      {{Term(0, {{"cores", "Gt", {"many"}}}), Term(1, {})}, ""},
      {{Term(1, {{"cores", "Gt", {"many"}}})},
       "[0].matchExpressions[0].values[0]: Invalid value: \"many\": for 'Gt', 'Lt' operators, the value must be an "
       "integer"},
      {{Term(1, {{"disk", "Exists", {}}, {"cores", "Lt", {"a b"}}})},
       "[[0].matchExpressions[1].values[0]: Invalid value: \"a b\": for 'Gt', 'Lt' operators, the value must be an "
       "integer, [0].matchExpressions[1].values[0][cores]: Invalid value: \"a b\": " +
           kForm + "]"},
      {{Term(1, {{"disk", "In", {"ssd"}}}), Term(5, {{"cores", "Gt", {"-3"}}})},
       "[1].matchExpressions[0].values[0][cores]: Invalid value: \"-3\": " + kForm},
      {{Term(1, {{"disk", "NotIn", {"ok", long_value, long_and_bad}}})},
       "[[0].matchExpressions[0].values[1][disk]: Invalid value: \"" + long_value +
           "\": must be no more than 63 bytes, [0].matchExpressions[0].values[2][disk]: Invalid value: \"" +
           long_and_bad + "\": must be no more than 63 bytes; " + kForm + "]"},
  };
  for (const auto& c : cases) EXPECT_EQ(PreferencesProblem(c.terms).value_or(""), c.problem);
}

}  // namespace
}  // namespace berth::plugins
