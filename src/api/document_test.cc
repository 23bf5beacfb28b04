// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace berth::api {
namespace {

// All documents as compact JSON, one per line, or the error.
std::string Read(std::string_view text, const ReadLimits& limits = {}) {
  const Result<std::vector<Document>> documents = ReadDocuments(text, "f", limits);
  if (!documents) return "error: " + documents.error().message;
  std::string lines;
  for (const Document& document : *documents) lines += ToJson(document.root) + "\n";
  return lines;
}

bool Fails(std::string_view text, std::string_view part, const ReadLimits& limits = {}) {
  const std::string outcome = Read(text, limits);
  const bool fails = outcome.starts_with("error: f:") && outcome.find(part) != std::string::npos;
  if (!fails) ADD_FAILURE() << "expected an error with \"" << part << "\", got " << outcome;
  return fails;
}

TEST(ReadDocuments, ReadsJson) {
  EXPECT_EQ(Read(R"({"a":[1,-2.50,1e3,"x\n\u00e9\"",true,false,null,{}],"b":{"c":[]}})"),
            "{\"a\":[1,-2.50,1e3,\"x\\né\\\"\",true,false,null,{}],\"b\":{\"c\":[]}}\n");
  EXPECT_EQ(Read("{\"a\":1}\n{\"b\":2}\r\n\n[3] 4\n\"five\"\n{}"), "{\"a\":1}\n{\"b\":2}\n[3]\n4\n\"five\"\n{}\n");
  EXPECT_EQ(Read("[123456789012345678901234567890, -0, 12345678901234567890]"),
            "[123456789012345678901234567890,-0,12345678901234567890]\n");
  EXPECT_EQ(Read("\xEF\xBB\xBF {\"a\" : 1 }"), "{\"a\":1}\n");
}

TEST(ReadDocuments, RefusesMalformedJson) {
  Fails("{\"a\":1,\n \"b\":2,\n \"a\":3}", "f:3:2: key \"a\" already set in map");
  Fails("[{\"a\":\n", "f:2:1: invalid JSON");
  Fails("{\"a\":\"unterminated\n\"}", "f:1:19: invalid JSON");
  Fails("{\"a\":1}\n{\"b\":}", "f:2:6: invalid JSON");
  Fails("{\"a\":1} trailing", "f:1:11: invalid JSON");
  Fails("{'a':1}", "f:1:2: invalid JSON");
  Fails("[01]", "invalid JSON");
  Fails("[1e999]", "");
  Fails("[\"\\ud800\"]", "invalid JSON");
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i) + "\":1,\n";
  Fails(many + "\"k7\":1,\"k3\":2}", "f:101:1: key \"k7\" already set in map");
}

TEST(ReadDocuments, ReadsYaml) {
  struct Case {
    const char* yaml;
    const char* json;
  };
  const Case cases[] = {
      {"", ""},
      {"# only a comment\n", ""},
      {"---\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n", "{\"a\":1}\n{\"b\":2}\n"},
      {"- a\n...\nb: c\n", "[\"a\"]\n{\"b\":\"c\"}\n"},
      {"--- a\n--- b\n", "\"a\"\n\"b\"\n"},
      {"a: b\r\nc:\r\n- d\r\n- e\r\n", "{\"a\":\"b\",\"c\":[\"d\",\"e\"]}\n"},
      {"a: &x {b: 1}\nc: *x\n", "{\"a\":{\"b\":1},\"c\":{\"b\":1}}\n"},
      {"a: &x k\n*x : v\n", "{\"a\":\"k\",\"k\":\"v\"}\n"},
      {"x: &x {a: 1, b: 2}\nw:\n  <<: *x\n  c: 3\n", "{\"x\":{\"a\":1,\"b\":2},\"w\":{\"a\":1,\"b\":2,\"c\":3}}\n"},
      {"x: &x {a: 1}\nz: &z {b: 2}\nw:\n  <<: [*x, *z]\n",
       "{\"x\":{\"a\":1},\"z\":{\"b\":2},\"w\":{\"a\":1,\"b\":2}}\n"},
      {"\"<<\": 1\n", "{\"<<\":1}\n"},
      {"1: a\ntrue: b\n0x10: c\n1.5: d\n", "{\"1\":\"a\",\"true\":\"b\",\"16\":\"c\",\"1.5\":\"d\"}\n"},
      {"a: |\n  x\n  y\nb: >-\n  x\n  y\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\"}\n"},
      {"a: \"1\"\nb: '2'\nc: !!str 3\nd: !!int \"4\"\ne: !!float 5\nf: !own x\n",
       "{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\",\"d\":4,\"e\":5,\"f\":\"x\"}\n"},
      {"a:\n", "{\"a\":null}\n"},
      {"a: ''\n", "{\"a\":\"\"}\n"},
      {"é: ü\n", "{\"é\":\"ü\"}\n"},
      {"{\"a\": [1, 2]}\n", "{\"a\":[1,2]}\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(Read(c.yaml), c.json) << c.yaml;
}

TEST(ReadDocuments, ResolvesPlainScalarsAsYaml11) {
  struct Case {
    const char* plain;
    const char* json;
  };
  const Case cases[] = {
      {"yes", "true"},
      {"Y", "true"},
      {"on", "true"},
      {"True", "true"},
      {"no", "false"},
      {"n", "false"},
      {"OFF", "false"},
      {"~", "null"},
      {"Null", "null"},
      {"tRUE", "\"tRUE\""},
      {"12", "12"},
      {"+12", "12"},
      {"-12", "-12"},
      {"1_000", "1000"},
      {"0x1F", "31"},
      {"-0x10", "-16"},
      {"0o17", "15"},
      {"017", "15"},
      {"08", "8"},
      {"0b101", "5"},
      {"0x", "\"0x\""},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709552000"},
      {"1.50", "1.5"},
      {"1.0", "1"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1e3", "1000"},
      {"1e21", "1e+21"},
      {"1e-7", "1e-7"},
      {"0.000001", "0.000001"},
      {"-0.0", "-0"},
      {"1e999", "\"1e999\""},
      {"2001-01-01", "\"2001-01-01\""},
      {"2001-12-14T21:59:43Z", "\"2001-12-14T21:59:43Z\""},
      {"12:30", "\"12:30\""},
      {"1.2.3", "\"1.2.3\""},
      {"500m", "\"500m\""},
      {"-", "[null]"},
      {"=", "\"=\""},
  };
  for (const Case& c : cases) {
    if (std::string_view(c.plain) == "-") continue;
    EXPECT_EQ(Read(std::string("k: ") + c.plain + "\n"), std::string("{\"k\":") + c.json + "}\n") << c.plain;
  }
}

TEST(ReadDocuments, RefusesMalformedYaml) {
  Fails("a: 1\nparallelism: 16\nparallelism: 8\n", "f:3:1: key \"parallelism\" already set in map");
  Fails("x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n", "f:4:3: key \"a\" already set in map");
  Fails("x: &x {a: 1}\ny:\n  a: 2\n  <<: *x\n", "f:4:3: key \"a\" already set in map");
  Fails("a: &a [*a]\n", "f:1:8: the alias stands inside the node it refers to");
  Fails("a: &a {b: {c: *a}}\n", "the alias stands inside");
  Fails("a: *nobody\n", "f:1:4: invalid YAML");
  Fails("a: [1, 2\n", "invalid YAML");
  Fails("a: \"open\nb: 1\n", "f:3:1: invalid YAML: the text ends too early");
  Fails("a: 'open\n", "f:2:1: invalid YAML: the text ends too early");
  Fails("a: \"open", "f:1:9: invalid YAML");
  Fails("a: b: c\n", "f:1:5: invalid YAML");
  Fails("\ta: 1\n", "invalid YAML");
  Fails("a: 1\n  b: 2\n", "f:2:");
  Fails("\"x\", y\n", "f:1:4: invalid YAML: unexpected text after the end of the document");
  Fails("- a\n---\n[b] [c]\n", "f:3:5: invalid YAML: unexpected text");
  Fails("a: .inf\n", "f:1:4: .inf is not a number that JSON can hold");
  Fails("a: !!int x\n", "f:1:4: cannot decode `x` as a !!int");
  Fails("a: !!binary aGk=\n", "!!binary");
  Fails("? [a]\n: b\n", "f:1:3: a list cannot be a key");
  Fails("? {a: b}\n: b\n", "a map cannot be a key");
  Fails("~: b\n", "f:1:1: a null cannot be a key");
  Fails("a:\n  <<: 1\n", "f:2:7: a merge needs a map");
  Fails("a:\n  <<: [1]\n", "a merge needs a map");
}

TEST(ReadDocuments, HoldsToItsLimits) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", " : "") + before;
    bomb += "]\n";
  }
  Fails(bomb, "aliases add more than 100000 nodes");

  std::string nested;
  for (int i = 0; i < 200; ++i) nested += "[&a" + std::to_string(i) + " ";
  Fails("x: " + nested + "[]" + std::string(200, ']'), "aliases add more than 1000 nodes", {.max_alias_nodes = 1000});

  Fails(std::string(300, '[') + std::string(300, ']'), "f:1:257: nested more than 256 levels deep");
  Fails("a: " + std::string(300, '[') + std::string(300, ']'), "nested more than 256 levels deep");
  Fails(std::string(100000, '['), "nested more than 256 levels deep");
  Fails("a: " + std::string(100000, '['), "");
  Fails("a: " + std::string(100000, '{'), "");
  std::string block;
  for (size_t i = 0; i < 300; ++i) block += std::string(i, ' ') + "a:\n";
  Fails(block, "nested more than 256 levels deep");
  EXPECT_EQ(Read(std::string(256, '[') + std::string(256, ']')).substr(0, 5), "[[[[[");
  Fails("a: &a [[[1]]]\nb: [[*a]]\n", "f:2:6: nested more than 5 levels deep", {.max_depth = 5});
  EXPECT_EQ(Read("a: 1", {.max_bytes = 3}), "error: f: larger than 3 bytes");
}

TEST(ReadDocuments, RefusesWhatIsNotText) {
  Fails(std::string_view("a: 1\nb\0c: 2\n", 12), "f:2:2: input is not text: it holds a NUL byte");
  Fails("a: 1\nb: \xff\n", "f:2:4: input is not text: invalid UTF-8");
  Fails("{\"a\": \"0123456789 \xc3(\"}", "f:1:19: input is not text");
  Fails("\xed\xa0\x80", "f:1:1:");
  Fails("\xf4\x90\x80\x80", "f:1:1:");
  Fails("\xc0\x80", "f:1:1:");
  Fails("a: \xe2\x82", "f:1:4:");
}

TEST(ReadDocuments, KnowsPositions) {
  const auto at = [](const Value& value) { return std::pair(value.position().line, value.position().column); };
  using P = std::pair<uint32_t, uint32_t>;
  const auto json = ReadDocuments("{\n  \"a\" : [ 12 , \"x\\\\\\\"y\" ,\n true, null ],\n  \"b\": -1.5e3}\n{}", "f");
  ASSERT_TRUE(json.has_value());
  const Value& root = (*json)[0].root;
  EXPECT_EQ(at(root), P(1, 1));
  EXPECT_EQ(root.members()[0].key_position.column, 3U);
  EXPECT_EQ(at(*root.Find("a")), P(2, 9));
  EXPECT_EQ(at(root.Find("a")->items()[0]), P(2, 11));
  EXPECT_EQ(at(root.Find("a")->items()[1]), P(2, 16));
  EXPECT_EQ(at(root.Find("a")->items()[2]), P(3, 2));
  EXPECT_EQ(at(root.Find("a")->items()[3]), P(3, 8));
  EXPECT_EQ(at(*root.Find("b")), P(4, 8));
  EXPECT_EQ(root.Find("b")->text(), "-1.5e3");
  EXPECT_EQ(at((*json)[1].root), P(5, 1));

  const auto yaml = ReadDocuments("---\na:\n  - b: 1\n    c: [x, 'y']\n", "f");
  ASSERT_TRUE(yaml.has_value());
  const Value& item = (*yaml)[0].root.Find("a")->items()[0];
  EXPECT_EQ(at(*item.Find("b")), P(3, 8));
  EXPECT_EQ(at(item.Find("c")->items()[1]), P(4, 12));
  EXPECT_EQ(item.members()[1].key_position.column, 5U);
}

TEST(ReadDocuments, ReadsFiles) {
  const std::string path = ::testing::TempDir() + "berth_document_test.yaml";
  std::ofstream(path) << "a: 1\n---\nb: 2\n";
  const auto documents = ReadDocumentsFromFile(path);
  ASSERT_TRUE(documents.has_value());
  EXPECT_EQ(documents->size(), 2U);
  EXPECT_EQ((*documents)[1].source, path);
  std::remove(path.c_str());
  EXPECT_EQ(ReadDocumentsFromFile(path).error().code, ErrorCode::NotFound);
  EXPECT_FALSE(ReadDocumentsFromFile(::testing::TempDir()).has_value());
}

TEST(WriteDocuments, RoundTrips) {
  const char* texts[] = {
      R"({"kind":"Pod","x-unknown":{"deep":[{"a":null,"b":[[],[1,[2]],{}]},"- x","a: b","#c","yes","1","0x1F","",
          " lead","trail ","multi\nline\ttab","é\u0001\"\\","~","null","a#b","a:b","a: ","-","? x","!t","&a","*a","%",
          "@x","`x`","{x}","[x]","x,y","12:30","<<","=",".inf","1e3","2Gi","a  b","\u2028","key: |"]},
          "":"empty key","yes":1,"1":2,"a b":3,"- d":4,"big":18446744073709551615,"neg":-5,"f":0.25,"t":true})",
      "[]",
      "[[[]],{},[{}],[[{\"a\":[]}]]]",
  };
  for (const char* text : texts) {
    const auto first = ReadDocuments(text, "f");
    ASSERT_TRUE(first.has_value()) << first.error().message;
    const Value& root = (*first)[0].root;
    const std::string json = ToJson(root);
    EXPECT_EQ(Read(json), json + "\n");
    EXPECT_EQ(Read(ToJson(root, 2)), json + "\n");
    EXPECT_EQ(Read(ToYaml(root)), json + "\n") << ToYaml(root);
  }
  const std::string long_key(2000, 'k');
  Value map;
  map.Set(long_key, Value::Map({{"a", Value::Int(1), {}}}));
  EXPECT_EQ(Read(ToYaml(map)), ToJson(map) + "\n");
}

TEST(WriteDocuments, WritesAsPeopleDo) {
  const auto documents = ReadDocuments(R"({"a":{"b":[{"c":1,"d":[2]},"x y"],"e":{},"f":"1"}})", "f");
  ASSERT_TRUE(documents.has_value());
  EXPECT_EQ(ToYaml((*documents)[0].root), "a:\n  b:\n  - c: 1\n    d:\n    - 2\n  - x y\n  e: {}\n  f: \"1\"\n");
  EXPECT_EQ(ToJson((*documents)[0].root, 2),
            "{\n  \"a\": {\n    \"b\": [\n      {\n        \"c\": 1,\n        \"d\": [\n          2\n        ]\n"
            "      },\n      \"x y\"\n    ],\n    \"e\": {},\n    \"f\": \"1\"\n  }\n}");
}

}  // namespace
}  // namespace berth::api
