// SPDX-License-Identifier: Apache-2.0
// What a walk leaves out of a folder is what git check-ignore names there (GREP-03, FIND-03).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/real_files.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"
#include "engine/kernel/workspace.h"
#include "engine/tools/builtin/folder_walk.h"

namespace plumb::engine {
namespace {

using Paths = std::set<std::string>;

/// A folder with a git repository in it.
class Repository final {
 public:
  Repository() : workspace_(Workspace::create().value()) {
    run("git init -q . && : > .git/info/exclude");
  }

  void put(const std::string& path, const std::string& text) {
    const std::filesystem::path place(workspace_.path_of(path));
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place, std::ios::binary) << text;
  }

  /// What git does not ignore, folders included.
  Paths kept_by_git() {
    std::string list;
    Paths kept;
    const std::filesystem::path root(workspace_.path());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string path = entry.path().lexically_relative(root).string();
      if (path == ".git" || path.starts_with(".git/")) continue;
      kept.insert(path);
      list += path + '\0';
    }
    std::ofstream(workspace_.path_of(".git/list"), std::ios::binary) << list;
    const std::string ignored =
        run("git -c core.excludesFile=/dev/null check-ignore --no-index -z --stdin < .git/list; "
            "test $? -le 1");
    for (std::size_t at = 0; at < ignored.size();) {
      const auto end = ignored.find('\0', at);
      kept.erase(ignored.substr(at, end - at));
      at = end + 1;
    }
    return kept;
  }

  Paths kept_by_walk() {
    Paths kept;
    WalkOptions options;
    options.root = workspace_.path();
    options.outermost = options.root;
    options.needs_repository = true;
    RealFiles files(loop_);
    const auto done = loop_.run(walk(files, options, kept));
    EXPECT_TRUE(done);
    return kept;
  }

 private:
  static Task<void> walk(RealFiles& files, WalkOptions options, Paths& kept) {
    FolderWalk walk(files, std::move(options));
    const auto begun = co_await walk.begin();
    EXPECT_TRUE(begun);
    while (true) {
      const auto entry = co_await walk.next();
      if (!entry) break;
      if (entry->path != ".git" && !entry->path.starts_with(".git/")) kept.insert(entry->path);
    }
  }

  std::string run(const std::string& line) {
    RealProcesses processes(loop_);
    CollectingSink sink;
    ProcessSpec spec;
    spec.command = "cd '" + workspace_.path() + "' && " + line;
    spec.timeout_ms = 60'000;
    const auto exit = loop_.run(processes.run(std::move(spec), sink, AbortSignal()));
    EXPECT_TRUE(exit && exit->exit_code == 0) << line << ": " << sink.err;
    return sink.out;
  }

  RealLoop loop_;
  Workspace workspace_;
};

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> names{"a",  "b",  "ab",   "a.b", ".a", "a b",   "[a]",
                                              "#a", "!a", "a\\b", "A",   "-",  "{a,b}", "\xC3\xA4"};
  return names;
}

std::string some_path() {
  const auto names = *rc::gen::container<std::vector<std::string>>(
      *rc::gen::inRange<std::size_t>(1, 4), rc::gen::elementOf(part_names()));
  std::string path;
  for (const auto& name : names) path += (path.empty() ? "" : "/") + name;
  return path;
}

/// Made of what has a meaning, so that most lines match something.
std::string some_line() {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      *rc::gen::inRange<std::size_t>(1, 6),
      rc::gen::elementOf(std::vector<std::string>{
          "a",     "b", "a",    "/",        "/",     "*",     "**",   "**/",  "/**",
          "/**/",  "?", "[ab]", "[!a]",     "[^b]",  "[a-b]", "[]a]", "[a-]", "[[:alpha:]]",
          "[",     "]", "\\",   "\\a",      "\\*",   ".",     " ",    "#",    "!",
          "{a,b}", "-", "A",    "\xC3\xA4", "[\\]]", "[b-a]", "[a/]", "***"}));
  std::string line = *rc::gen::elementOf(std::vector<std::string>{"", "", "!", "/", "!/"});
  for (const auto& piece : pieces) line += piece;
  return line + *rc::gen::elementOf(std::vector<std::string>{"", "", "", "/", " ", "\\ ", "\r"});
}

std::string some_ignore_file() {
  std::string text;
  const int count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < count; ++i) text += some_line() + "\n";
  return text;
}

void put_some_files(Repository& repository) {
  Paths used;
  const int count = *rc::gen::inRange(5, 25);
  for (int i = 0; i < count; ++i) {
    const std::string path = some_path();
    const bool fits = std::ranges::none_of(used, [&](const std::string& other) {
      return other == path || other.starts_with(path + "/") || path.starts_with(other + "/");
    });
    if (!fits) continue;
    used.insert(path);
    repository.put(path, "");
  }
}

RC_GTEST_PROP(IgnoreProperties, AWalkKeepsWhatGitKeeps, ()) {
  Repository repository;
  put_some_files(repository);
  repository.put(".gitignore", some_ignore_file());
  repository.put("deep/.gitignore", some_ignore_file());
  repository.put("deep/a/x", "");
  repository.put(".git/info/exclude", some_ignore_file());

  RC_ASSERT(repository.kept_by_walk() == repository.kept_by_git());
}

TEST(IgnoreProperties, FixedLinesMeanWhatTheyMeanToGit) {
  for (const std::string text : {"*.log\n!keep.log\n",
                                 "/build\nout/\n",
                                 "doc/**/*.txt\n",
                                 "a/**\n!a/b\n",
                                 "**/x\n",
                                 "x/**/y\n",
                                 "*\n!*/\n!*.txt\n",
                                 "/*\n!/src\n",
                                 "src/*\n!src/a.txt\n",
                                 "\\#x\n\\!x\n",
                                 "trail \n",
                                 "trail\\ \n",
                                 "*.[oa]\n",
                                 "[!s]*\n",
                                 "**\n!src\n",
                                 "src/\n!src/a.txt\n",
                                 "**/\n",
                                 "***/x\n",
                                 "x**\n",
                                 "s**c\n",
                                 "/\n",
                                 "//\n",
                                 "src//\n",
                                 "a.txt\\\n",
                                 "[\n",
                                 "[[:space:]]*\n",
                                 "\xEF\xBB\xBF*.o\n",
                                 "*.o\r\n",
                                 "src/**/\n",
                                 "sr?\n",
                                 "s[r/]c\n"}) {
    Repository repository;
    for (const char* path : {"keep.log",       "a.log",   "build/x",   "src/build/x",
                             "out/x",          "src/out", "doc/a.txt", "doc/b/c.txt",
                             "a/b/x",          "x/y",     "x/1/2/y",   "src/a.txt",
                             "src/deep/a.txt", "#x",      "!x",        "trail",
                             "trail ",         "m.o",     "m.a",       " lead",
                             "src/x",          "a.txt"}) {
      repository.put(path, "");
    }
    repository.put(".gitignore", text);

    EXPECT_EQ(repository.kept_by_walk(), repository.kept_by_git()) << text;
  }
}

}  // namespace
}  // namespace plumb::engine
