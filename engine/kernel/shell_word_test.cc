// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/shell_word.h"

#include <gtest/gtest.h>

#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"

namespace plumb::engine {
namespace {

TEST(ShellWord, LeavesPlainTextAlone) {
  EXPECT_EQ(shell_word("src/main_1.cc"), "src/main_1.cc");
  EXPECT_TRUE(is_plain_shell_word("a-b"));
  EXPECT_FALSE(is_plain_shell_word("-a"));
  EXPECT_FALSE(is_plain_shell_word("~/a"));
}

TEST(ShellWord, IsOneWordToAShell) {
  for (const std::string text : {"", "a b", "it's", "$HOME", "`x`", "a;b", "*", "~", "\\", "a\nb",
                                 "\"", "-n", "#", "!", "''"}) {
    RealLoop loop;
    RealProcesses processes(loop);
    CollectingSink sink;
    ProcessSpec spec;
    spec.command = "printf '%s|' " + shell_word(text);

    ASSERT_TRUE(loop.run(processes.run(spec, sink, AbortSignal())));

    EXPECT_EQ(sink.out, text + "|");
  }
}

}  // namespace
}  // namespace plumb::engine
