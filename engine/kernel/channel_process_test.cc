// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/channel_process.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

using ChildPtr = std::unique_ptr<ChannelProcess>;

ChildPtr started(std::string command, ChannelLimits limits = ChannelLimits()) {
  ProcessSpec spec;
  spec.command = std::move(command);
  auto process = ChannelProcess::start(spec, limits);
  EXPECT_TRUE(process) << process.error().message;
  return process ? *std::move(process) : nullptr;
}

/// Long enough for a busy machine; nothing waits for it to pass.
WallDeadline soon() {
  return WallDeadline(30'000);
}

/// The next line with its kind, or why there is none.
std::string heard(ChannelProcess& process, WallDeadline deadline = soon()) {
  const auto line = process.hear(deadline);
  if (!line) return "error: " + line.error().message;
  if (!*line) return "nothing";
  return ((*line)->kind == HeardKind::question ? "question: " : "message: ") + (*line)->text;
}

TEST(ChannelProcess, CarriesMessagesBothWays) {
  const auto process = started("read line <&3; echo \"got $line\" >&4; read line <&3");

  ASSERT_TRUE(process->send("one", soon()));

  EXPECT_EQ(heard(*process), "message: got one");
}

TEST(ChannelProcess, DeliversAQuestionAfterTheMessagesBeforeIt) {
  const auto process =
      started("echo a >&4; echo b >&4; echo why >&5; read x <&6; echo \"$x\" >&4; read x <&3");

  EXPECT_EQ(heard(*process), "message: a");
  EXPECT_EQ(heard(*process), "message: b");
  EXPECT_EQ(heard(*process), "question: why");
  ASSERT_TRUE(process->answer("because", soon()));
  EXPECT_EQ(heard(*process), "message: because");
}

TEST(ChannelProcess, KeepsWhatIsPrintedApart) {
  const auto process = started("echo shown; echo wrong >&2; echo done >&4; read x <&3");

  EXPECT_EQ(heard(*process), "message: done");

  EXPECT_EQ(process->take_output(OutputStream::out), "shown\n");
  EXPECT_EQ(process->take_output(OutputStream::err), "wrong\n");
  EXPECT_EQ(process->take_output(OutputStream::out), "");
}

TEST(ChannelProcess, SaysHowItEnded) {
  const auto exited = started("echo last >&4; exit 7");
  const auto killed = started("kill -9 $$");

  EXPECT_EQ(heard(*exited), "message: last");
  EXPECT_EQ(heard(*exited), "error: exited with code 7");
  EXPECT_EQ(heard(*killed), "error: was ended by signal 9");
  EXPECT_FALSE(killed->send("one", soon()));
}

TEST(ChannelProcess, GivesUpAtTheDeadline) {
  const auto process = started("read x <&6");

  EXPECT_EQ(heard(*process, WallDeadline(1)), "nothing");
  const auto sent = process->send(std::string(4 << 20, 'x'), WallDeadline(1));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::timeout);
}

TEST(ChannelProcess, WritesToAChildThatWritesMeanwhile) {
  const auto process = started("head -c 1000000 /dev/zero | tr '\\0' y >&4; echo >&4; cat <&3 >&4");

  ASSERT_TRUE(process->send(std::string(1'000'000, 'x'), soon()));

  EXPECT_EQ(heard(*process), "message: " + std::string(1'000'000, 'y'));
  EXPECT_EQ(heard(*process), "message: " + std::string(1'000'000, 'x'));
}

TEST(ChannelProcess, RefusesALineWithoutEndAndCutsWhatIsPrinted) {
  ChannelLimits limits;
  limits.line_bytes_max = 100'000;
  limits.output_bytes_kept = 10;
  const auto process = started("echo 0123456789abcdef; echo done >&4; cat /dev/zero >&4", limits);

  EXPECT_EQ(heard(*process), "message: done");
  EXPECT_EQ(heard(*process), "error: wrote a line of more than 100000 bytes");
  EXPECT_EQ(process->take_output(OutputStream::out), "0123456789\n[7 more bytes]");
}

TEST(ChannelProcess, HoldsTheChildToItsLimits) {
  ChannelLimits limits;
  limits.child.open_files = 64;
  // The limits are set once it runs: it waits for us.
  const auto process = started("read x <&3; ulimit -n >&4; ulimit -c >&4; read x <&3", limits);

  ASSERT_TRUE(process->send("go", soon()));

  EXPECT_EQ(heard(*process), "message: 64");
  EXPECT_EQ(heard(*process), "message: 0");
}

}  // namespace
}  // namespace plumb::engine
