// SPDX-License-Identifier: Apache-2.0
#include "config/fields/base64.h"
#include "config/fields/qualified_name.h"
#include "config/first_document.h"
#include "config/known_plugins.h"
#include "config/suggest.h"

#include <gtest/gtest.h>

namespace berth::config {
namespace {

TEST(Base64, RoundTrips) {
  for (const std::string text : {"", "a", "ab", "abc", "harbour", "\x01\xff\x80"}) {
    EXPECT_EQ(DecodeBase64(EncodeBase64(text)), text);
  }
  EXPECT_EQ(DecodeBase64("aGFy\nYm91cg=="), "harbour");
  for (const char* bad : {"a", "ab", "a===", "=aaa", "ab=c", "a b=", "????"}) EXPECT_FALSE(DecodeBase64(bad)) << bad;
}

TEST(FirstDocument, EndsAtTheNextMarker) {
  struct Case {
    const char* text;
    const char* want;
  };
  const Case cases[] = {{"a: 1\n---\nb: [", "a: 1\n"},
                        {"---\na: 1\n--- \nb", "---\na: 1\n"},
                        {"# only words\n---\na: 1\n", "# only words\n---\na: 1\n"},
                        {"%YAML 1.1\n---\na: 1\n...\nrest", "%YAML 1.1\n---\na: 1\n"},
                        {"---\n---\na: 1\n", "---\n"},
                        {"a: ---\nb: 2", "a: ---\nb: 2"},
                        {"{\"a\": 1}\n---\n", "{\"a\": 1}\n---\n"},
                        {"", ""}};
  for (const Case& c : cases) EXPECT_EQ(FirstDocument(c.text), c.want) << c.text;
}

TEST(QualifiedName, Judges) {
  for (const char* good : {"cpu", "acme.example/slot", "a_b.C-d", "x"}) {
    EXPECT_TRUE(QualifiedNameProblems(good).empty()) << good;
  }
  for (const char* bad : {"", "/x", "a/", "a/b/c", "big slot", "-a", "Acme.example/slot", "a..b/c"}) {
    EXPECT_FALSE(QualifiedNameProblems(bad).empty()) << bad;
  }
  EXPECT_FALSE(QualifiedNameProblems(std::string(64, 'a')).empty());
  EXPECT_TRUE(IsExtendedResourceName("acme.example/slot"));
  for (const char* other : {"cpu", "kubernetes.io/slot", "requests.acme.example/slot"}) {
    EXPECT_FALSE(IsExtendedResourceName(other)) << other;
  }
}

TEST(Suggest, FindsNearNamesOnly) {
  std::vector<std::string> names;
  for (const PluginRef& plugin : DefaultMultiPoint()) names.push_back(plugin.name);
  EXPECT_EQ(Nearest("NodeResourceFit", names), "NodeResourcesFit");
  EXPECT_EQ(Nearest("nodeaffinity", names), "NodeAffinity");
  EXPECT_EQ(Nearest("TaintTolerations", names), "TaintToleration");
  EXPECT_EQ(Nearest("MoonPhase", names), "");
  EXPECT_EQ(Nearest("*", names), "");
  EXPECT_EQ(Nearest(std::string(10'000, 'N'), names), "");
}

}  // namespace
}  // namespace berth::config
