// SPDX-License-Identifier: Apache-2.0
#include "flags/flag_value.h"

#include <gtest/gtest.h>

namespace berth::flags {
namespace {

struct Case {
  std::vector<std::string> given;
  std::string text;     // of the value afterwards
  std::string problem;  // of the last one given; empty: it is accepted
};

template <typename T>
void Check(FlagValue (*value_of)(T&), const T& initial, const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    T variable = initial;
    const FlagValue value = value_of(variable);
    std::string problem;
    for (const std::string& given : test.given) {
      const Result<void> set = value.set(given);
      problem = set ? "" : set.error().message;
    }
    EXPECT_EQ(problem, test.problem) << ::testing::PrintToString(test.given);
    EXPECT_EQ(value.text(), test.text) << ::testing::PrintToString(test.given);
  }
}

TEST(FlagValueTest, BoolsAreReadAsGoDoes) {
  Check<bool>(BoolValue, false,
              {{{"true"}, "true", ""},
               {{"T"}, "true", ""},
               {{"1", "0"}, "false", ""},
               {{"yes"}, "false", "strconv.ParseBool: parsing \"yes\": invalid syntax"},
               {{""}, "false", "strconv.ParseBool: parsing \"\": invalid syntax"}});
}

TEST(FlagValueTest, NumbersMayNameTheirBase) {
  Check<int64_t>(
      IntValue, 7,
      {{{"10259"}, "10259", ""},
       {{"-1"}, "-1", ""},
       {{"+3"}, "3", ""},
       {{"0x1F"}, "31", ""},
       {{"017"}, "15", ""},
       {{"0b101"}, "5", ""},
       {{"0o17"}, "15", ""},
       {{"0"}, "0", ""},
       {{"0x_1_f"}, "31", ""},
       {{"-9223372036854775808"}, "-9223372036854775808", ""},
       {{"9223372036854775808"}, "7", "strconv.ParseInt: parsing \"9223372036854775808\": value out of range"},
       {{"1_000"}, "1000", ""},
       {{"1__0"}, "7", "strconv.ParseInt: parsing \"1__0\": invalid syntax"},
       {{"_1"}, "7", "strconv.ParseInt: parsing \"_1\": invalid syntax"},
       {{"1_"}, "7", "strconv.ParseInt: parsing \"1_\": invalid syntax"},
       {{"0x"}, "7", "strconv.ParseInt: parsing \"0x\": invalid syntax"},
       {{"08"}, "7", "strconv.ParseInt: parsing \"08\": invalid syntax"},
       {{"--1"}, "7", "strconv.ParseInt: parsing \"--1\": invalid syntax"},
       {{"1.5"}, "7", "strconv.ParseInt: parsing \"1.5\": invalid syntax"},
       {{""}, "7", "strconv.ParseInt: parsing \"\": invalid syntax"}});
  Check<int32_t>(Int32Value, 7,
                 {{{"2147483647"}, "2147483647", ""},
                  {{"2147483648"}, "7", "strconv.ParseInt: parsing \"2147483648\": value out of range"}});
  Check<float>(Float32Value, 50,
               {{{"0.5"}, "0.5", ""},
                {{"+2"}, "2", ""},
                {{"-1e2"}, "-100", ""},
                {{"many"}, "50", "strconv.ParseFloat: parsing \"many\": invalid syntax"},
                {{"+-2"}, "50", "strconv.ParseFloat: parsing \"+-2\": invalid syntax"},
                {{"1e99"}, "50", "strconv.ParseFloat: parsing \"1e99\": value out of range"}});
}

TEST(FlagValueTest, DurationsNeedAUnit) {
  Check<Duration>(DurationValue, std::chrono::seconds(15),
                  {{{"1m30s"}, "1m30s", ""},
                   {{"0"}, "0s", ""},
                   {{"-1.5h"}, "-1h30m0s", ""},
                   {{"10"}, "15s", "time: missing unit in duration \"10\""},
                   {{"1m30"}, "15s", "time: missing unit in duration \"1m30\""},
                   {{"1d"}, "15s", "time: unknown unit \"d\" in duration \"1d\""},
                   {{"1ss2m"}, "15s", "time: unknown unit \"ss\" in duration \"1ss2m\""},
                   {{"s"}, "15s", "time: invalid duration \"s\""},
                   {{"."}, "15s", "time: invalid duration \".\""},
                   {{"9999999h"}, "15s", "time: invalid duration \"9999999h\""},
                   {{""}, "15s", "time: invalid duration \"\""}});
}

TEST(FlagValueTest, AddressesAreOfEitherFamily) {
  Check<std::string>(AddressValue, "0.0.0.0",
                     {{{"127.0.0.1"}, "127.0.0.1", ""},
                      {{" ::1 "}, "::1", ""},
                      {{"2001:DB8:0::1"}, "2001:db8::1", ""},
                      {{"::ffff:10.0.0.1"}, "10.0.0.1", ""},
                      {{""}, "0.0.0.0", ""},
                      {{"127.0.0.01"}, "0.0.0.0", "failed to parse IP: \"127.0.0.01\""},
                      {{"localhost"}, "0.0.0.0", "failed to parse IP: \"localhost\""}});
}

TEST(FlagValueTest, ListsBeginAnewAndThenGrow) {
  Check<std::vector<std::string>>(
      StringsValue, {"x-remote-user"},
      {{{}, "[x-remote-user]", ""},
       {{"a,b"}, "[a,b]", ""},
       {{"a", "b,c"}, "[a,b,c]", ""},
       {{""}, "[]", ""},
       {{"a,"}, "[a,]", ""},
       {{"\"a,b\",c\"\""}, "[x-remote-user]", "parse error on line 1, column 8: bare \" in non-quoted-field"},
       {{"\"a,b\",\"say \"\"hi\"\"\""}, "[\"a,b\",\"say \"\"hi\"\"\"]", ""},
       {{"\"a\"b"}, "[x-remote-user]", "parse error on line 1, column 3: extraneous or missing \" in quoted-field"},
       {{"\"a\nb"},
        "[x-remote-user]",
        "record on line 1; parse error on line 2, column 2: extraneous or missing \" in quoted-field"},
       {{"a\nb"}, "[a]", ""},
       {{"\n"}, "[x-remote-user]", "EOF"}});
  Check<std::vector<int32_t>>(Int32sValue, {},
                              {{{}, "[]", ""},
                               {{"29", "23,0x18"}, "[29,23,24]", ""},
                               {{""}, "[]", "strconv.ParseInt: parsing \"\": invalid syntax"},
                               {{"1,x"}, "[]", "strconv.ParseInt: parsing \"x\": invalid syntax"}});
}

TEST(FlagValueTest, MapsMayHaveCommasInOneValue) {
  Check<std::map<std::string, std::string>>(StringMapValue, {},
                                            {{{}, "[]", ""},
                                             {{"m,l=v1,v2"}, "[\"m,l=v1,v2\"]", ""},
                                             {{"\"a=b\""}, "[a=b]", ""},
                                             {{"a=1,b=2", "a=3"}, "[a=3,b=2]", ""},
                                             {{"a"}, "[]", "a must be formatted as key=value"},
                                             {{"a=1,b=2,c"}, "[]", "c must be formatted as key=value"}});
}

}  // namespace
}  // namespace berth::flags
