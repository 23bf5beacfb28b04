// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/frame_splitter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube::proto {
namespace {

using Frames = std::vector<std::string>;

std::string Framed(const std::string& frame) {
  const auto byte = [&](unsigned shift) { return static_cast<char>((frame.size() >> shift) & 0xFFU); };
  return std::string{byte(24), byte(16), byte(8), byte(0)} + frame;
}

const Frames& Sample() {
  static const Frames kFrames = {"first", "", std::string(300, 'x'), "last"};
  return kFrames;
}
std::string SampleStream() {
  std::string stream;
  for (const std::string& frame : Sample()) stream += Framed(frame);
  return stream;
}

// The frames of a stream that comes in these pieces.
Frames Split(const std::vector<std::string>& pieces) {
  FrameSplitter splitter;
  Frames frames;
  for (const std::string& piece : pieces) {
    const Result<void> taken = splitter.Take(piece, [&](std::string_view frame) {
      frames.emplace_back(frame);
      return Result<void>();
    });
    EXPECT_TRUE(taken.has_value());
  }
  EXPECT_TRUE(splitter.at_boundary());
  return frames;
}

TEST(FrameSplitterTest, TheStreamMayBeCutAnywhere) {
  const std::string stream = SampleStream();
  EXPECT_EQ(Split({stream}), Sample());
  for (size_t at = 0; at <= stream.size(); ++at) {
    ASSERT_EQ(Split({stream.substr(0, at), stream.substr(at)}), Sample()) << "cut at " << at;
    ASSERT_EQ(Split({stream.substr(0, at), "", stream.substr(at)}), Sample()) << "cut at " << at;
  }
}

TEST(FrameSplitterTest, PiecesMayBeOfAnySize) {
  const std::string stream = SampleStream();
  for (size_t size = 1; size <= stream.size(); ++size) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < stream.size(); at += size) pieces.push_back(stream.substr(at, size));
    ASSERT_EQ(Split(pieces), Sample()) << "pieces of " << size;
  }
}

TEST(FrameSplitterTest, WholeFramesAreNotCopied) {
  const std::string stream = SampleStream();
  FrameSplitter splitter;
  ASSERT_TRUE(splitter
                  .Take(stream,
                        [&](std::string_view frame) {
                          EXPECT_GE(frame.data(), stream.data());
                          EXPECT_LE(frame.data() + frame.size(), stream.data() + stream.size());
                          return Result<void>();
                        })
                  .has_value());
}

TEST(FrameSplitterTest, KnowsWhetherTheStreamEndedWithinAFrame) {
  FrameSplitter splitter;
  const auto ignore = [](std::string_view) { return Result<void>(); };
  EXPECT_TRUE(splitter.at_boundary());
  ASSERT_TRUE(splitter.Take(Framed("a"), ignore).has_value());
  EXPECT_TRUE(splitter.at_boundary());
  ASSERT_TRUE(splitter.Take(std::string(1, '\0'), ignore).has_value());
  EXPECT_FALSE(splitter.at_boundary());
}

TEST(FrameSplitterTest, RefusesFramesThatAreTooLong) {
  const auto ignore = [](std::string_view) { return Result<void>(); };
  FrameSplitter splitter(5);
  EXPECT_TRUE(splitter.Take(Framed("12345"), ignore).has_value());
  EXPECT_EQ(splitter.Take(Framed("123456"), ignore).error().message, "a frame of 6 bytes; at most 5 are accepted");
  FrameSplitter in_pieces(5);
  EXPECT_TRUE(in_pieces.Take("\xff\xff", ignore).has_value());
  EXPECT_EQ(in_pieces.Take("\xff\xff", ignore).error().message, "a frame of 4294967295 bytes; at most 5 are accepted");
}

TEST(FrameSplitterTest, StopsAtTheFirstErrorOfTheCaller) {
  FrameSplitter splitter;
  size_t frames = 0;
  const Result<void> taken = splitter.Take(SampleStream(), [&](std::string_view) {
    ++frames;
    return Result<void>(InvalidError("no"));
  });
  EXPECT_EQ(taken.error().message, "no");
  EXPECT_EQ(frames, 1U);
}

}  // namespace
}  // namespace berth::kube::proto
