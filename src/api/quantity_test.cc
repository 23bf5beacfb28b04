// SPDX-License-Identifier: Apache-2.0
#include "api/quantity.h"

#include <limits>

#include <gtest/gtest.h>

namespace berth::api {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Quantity Q(std::string_view text) {
  Result<Quantity> quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity ? *quantity : Quantity();
}

TEST(Quantity, Parses) {
  struct Case {
    const char* text;
    int64_t value;
    int64_t milli;
    const char* canonical;
  };
  const Case cases[] = {
      {"0", 0, 0, "0"},
      {"00", 0, 0, "0"},
      {"-0", 0, 0, "0"},
      {"0.000", 0, 0, "0"},
      {"1", 1, 1000, "1"},
      {"+1", 1, 1000, "1"},
      {"-1", -1, -1000, "-1"},
      {"1.", 1, 1000, "1"},
      {".5", 1, 500, "500m"},
      {"0.5", 1, 500, "500m"},
      {"1500m", 2, 1500, "1500m"},
      {"-1500m", -2, -1500, "-1500m"},
      {"100m", 1, 100, "100m"},
      {"1n", 1, 1, "1n"},
      {"1000001n", 1, 2, "1000001n"},
      {"1u", 1, 1, "1u"},
      {"1k", 1000, 1'000'000, "1k"},
      {"1000", 1000, 1'000'000, "1k"},
      {"1M", 1'000'000, 1'000'000'000, "1M"},
      {"1G", 1'000'000'000, 1'000'000'000'000, "1G"},
      {"1T", 1'000'000'000'000, 1'000'000'000'000'000, "1T"},
      {"1P", 1'000'000'000'000'000, 1'000'000'000'000'000'000, "1P"},
      {"1E", 1'000'000'000'000'000'000, kMax, "1E"},
      {"1Ki", 1024, 1'024'000, "1024"},
      {"1Mi", 1 << 20, (int64_t{1} << 20) * 1000, "1048576"},
      {"2Gi", int64_t{2} << 30, (int64_t{2} << 30) * 1000, "2147483648"},
      {"1Ti", int64_t{1} << 40, (int64_t{1} << 40) * 1000, "1099511627776"},
      {"1Pi", int64_t{1} << 50, (int64_t{1} << 50) * 1000, "1125899906842624"},
      {"1Ei", int64_t{1} << 60, kMax, "1152921504606846976"},
      {"0.5Mi", 1 << 19, (int64_t{1} << 19) * 1000, "524288"},
      {"1.5Gi", int64_t{3} << 29, (int64_t{3} << 29) * 1000, "1610612736"},
      {"0.1Ki", 103, 102'400, "102400m"},
      {"1e3", 1000, 1'000'000, "1k"},
      {"1E3", 1000, 1'000'000, "1k"},
      {"1e+3", 1000, 1'000'000, "1k"},
      {"12e-1", 2, 1200, "1200m"},
      {"1e-3", 1, 1, "1m"},
      // Finer than a nano: away from zero.
      {"0.1n", 1, 1, "1n"},
      {"-0.1n", -1, -1, "-1n"},
      {"1e-20", 1, 1, "1n"},
      {"0.0000000011", 1, 1, "2n"},
      {"1.0000000001", 2, 1001, "1000000001n"},
      {"0.00000000000000000001Ki", 1, 1, "1n"},
      // Beyond int64: capped.
      {"9223372036854775807", kMax, kMax, "9223372036854775807"},
      {"9223372036854775808", kMax, kMax, "9223372036854775807"},
      {"-9223372036854775808", -kMax, -kMax, "-9223372036854775807"},
      {"10E", kMax, kMax, "9223372036854775807"},
      {"8Ei", kMax, kMax, "9223372036854775807"},
      {"1e1000000", kMax, kMax, "9223372036854775807"},
      {"0e1000000", 0, 0, "0"},
      {"99999999999999999999999999999999999999999999Ei", kMax, kMax, "9223372036854775807"},
      {"0.00000000000000000000000000000000000000000000001E", 1, 1, "1n"},
      // Upstream reads these as zero, too.
      {"m", 0, 0, "0"},
      {".", 0, 0, "0"},
      {"-", 0, 0, "0"},
      {"Ki", 0, 0, "0"},
  };
  for (const Case& c : cases) {
    const Quantity quantity = Q(c.text);
    EXPECT_EQ(quantity.Value(), c.value) << c.text;
    EXPECT_EQ(quantity.MilliValue(), c.milli) << c.text;
    EXPECT_EQ(quantity.ToString(), c.canonical) << c.text;
  }
}

TEST(Quantity, Refuses) {
  for (const char* text :
       {"",    " ",   "1 ",     " 1",      "a",   "1a",   "1.1.M", "1+1.0M", "0.1mi", "0.1am", "aoeu",
        ".5i", "1i",  "-3.01i", "-3.01e-", "1e",  "1e+",  "1e1.5", "1Ki5",   "1KI",   "1ki",   "1mm",
        "--1", "+-1", "1K",     "1B",      "1GB", "0x10", "1,000", "1_000",  "Pi",    "e-10",  "1e99999999999999999999",
        "\t1", "1\n"}) {
    EXPECT_FALSE(Quantity::Parse(text).has_value()) << text;
  }
  EXPECT_EQ(Quantity::Parse("2GB").error().message, "\"2GB\" is not a quantity: unknown suffix \"GB\"");
}

TEST(Quantity, AddsAndCompares) {
  EXPECT_EQ(Q("500m") + Q("1.5"), Q("2"));
  EXPECT_EQ(Q("1Ki") - Q("1"), Q("1023"));
  EXPECT_LT(Q("999m"), Q("1"));
  EXPECT_LT(Q("-1"), Q("1n"));
  EXPECT_GT(Q("1Gi"), Q("1G"));
  EXPECT_EQ(Q("1e3"), Q("1k"));
  EXPECT_EQ(Quantity::FromInt(3), Q("3"));
  EXPECT_EQ(Quantity::FromMilli(2500), Q("2.5"));
  EXPECT_TRUE(Quantity().IsZero());
  EXPECT_EQ((Q("8Ei") + Q("8Ei")).Value(), kMax);
}

TEST(Quantity, RoundsToMilli) {
  EXPECT_EQ(Q("1n").RoundedToMilli(), Q("1m"));
  EXPECT_EQ(Q("-1n").RoundedToMilli(), Q("-1m"));
  EXPECT_EQ(Q("1500u").RoundedToMilli(), Q("2m"));
  EXPECT_EQ(Q("7m").RoundedToMilli(), Q("7m"));
  EXPECT_EQ(Q("8Ei").RoundedToMilli(), Q("8Ei"));
}

}  // namespace
}  // namespace berth::api
