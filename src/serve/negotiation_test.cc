// SPDX-License-Identifier: Apache-2.0
#include "serve/negotiation.h"

#include <array>

#include <gtest/gtest.h>

namespace berth::serve {
namespace {

std::string Order(std::string_view header) {
  std::string text;
  for (const AcceptClause& clause : ParseAccept(header)) {
    text += (text.empty() ? "" : " ") + clause.type + "/" + clause.subtype;
    for (const auto& [name, value] : clause.parameters) text += ";" + name + "=" + value;
  }
  return text;
}

TEST(ParseAccept, TheBestComesFirst) {
  EXPECT_EQ(Order("text/plain;q=0.5, application/json"), "application/json text/plain");
  EXPECT_EQ(Order("*/*, text/*, text/plain"), "text/plain text/* */*");
  EXPECT_EQ(Order("a/1, b/2, c/3"), "a/1 b/2 c/3");
  EXPECT_EQ(Order("*"), "*/*");
}

TEST(ParseAccept, WhatIsNotUnderstoodIsPassedOver) {
  EXPECT_EQ(Order(""), "");
  EXPECT_EQ(Order("text, a/b/c, /, a/b"), "a/b");
  EXPECT_EQ(Order("a/b; x = 1 ;y;z=1=2;w=3="), "a/b;w=3;x=1");
  EXPECT_EQ(Order("a/b;q=x, c/d;q=0.1"), "c/d a/b");
}

class NegotiateTest : public testing::Test {
 protected:
  std::string Agreed(std::string_view header) const {
    const auto agreed = Negotiate(header, offers_);
    if (!agreed.has_value()) return "nothing";
    return agreed->media_type + (agreed->kind.has_value() ? " " + agreed->kind->version : "") +
           (agreed->pretty ? " pretty" : "");
  }
  const std::vector<WantedKind> kinds_ = {{"g", "v1alpha1", "K"}, {"g", "v1", "K"}};
  const std::array<Offer, 3> offers_ = {Offer{"application/json", kinds_}, Offer{"application/yaml", kinds_},
                                        Offer{"text/plain"}};
};

TEST_F(NegotiateTest, KindsAreAskedForWhole) {
  EXPECT_EQ(Agreed(""), "application/json");
  EXPECT_EQ(Agreed("text/plain"), "text/plain");
  EXPECT_EQ(Agreed("*/*"), "text/plain");
  EXPECT_EQ(Agreed("application/json"), "nothing");
  EXPECT_EQ(Agreed("application/xml"), "nothing");
  EXPECT_EQ(Agreed("application/json;v=v1;g=g"), "nothing");
  EXPECT_EQ(Agreed("application/json;v=v1;g=g;as=K"), "application/json v1");
  EXPECT_EQ(Agreed("application/*;v=v1;g=g;as=K;pretty=1"), "application/json v1 pretty");
  EXPECT_EQ(Agreed("application/yaml;v=v1alpha1;g=g;as=K, */*"), "application/yaml v1alpha1");
  EXPECT_EQ(Agreed("application/json;v=v2;g=g;as=K,*/*"), "text/plain");
  EXPECT_EQ(Agreed("text/plain;v=v1;g=g;as=K"), "nothing");
  EXPECT_EQ(Agreed("text/plain;stream=watch"), "nothing");
  EXPECT_EQ(Agreed("application/json;v=v1alpha1;g=g;as=K,application/json;v=v1;g=g;as=K"), "application/json v1alpha1");
}

}  // namespace
}  // namespace berth::serve
