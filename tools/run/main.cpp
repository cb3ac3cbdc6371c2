// halocline-run: finds the MPI that a program uses, and the drop-in with the same binary interface. It becomes the program with LD_PRELOAD
// set, or a launcher that starts halocline-run in each rank.
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "choice.hpp"
#include "launcher.hpp"
#include "options.hpp"

#include <common/printed.hpp>

namespace {

using namespace runner;

constexpr int kRefused = 2;

void show(const Options &options, const Choice &choice, const std::vector<std::string> &words) {
  if (!options.launches()) std::printf("LD_PRELOAD=%s ", choice.preload.c_str());
  for (const std::string &word : words) std::printf("%s%s", &word == &words.front() ? "" : " ", word.c_str());
  std::printf("\n");
}

void set_environment(const Options &options, const Choice &choice) {
  setenv("LD_PRELOAD", choice.preload.c_str(), 1);
  if (options.strict) setenv("HALOCLINE_MPI_STRICT", "1", 1);
  if (options.info) setenv("HALOCLINE_LOG", "info", 1);
}

[[noreturn]] void become(const std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (const std::string &word : words) pointers.push_back(const_cast<char *>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  throw Refused("can't run " + words.front() + ": " + std::strerror(errno));
}

int run(const Options &options) {
  const Choice choice = choose(options);
  const std::vector<std::string> words = options.launches() ? launch_command(options, choice) : options.command;
  if (options.show) return show(options, choice, words), 0;
  if (!options.launches()) set_environment(options, choice);
  become(words);
}

}  // namespace

int main(int argc, char **argv) {
  Options options;
  std::string text;
  if (const int status = parse(argc, argv, options, text); status >= 0) {
    std::fputs(text.c_str(), status == 0 ? stdout : stderr);
    return common::end_of_output("halocline-run", status);
  }
  try {
    return common::end_of_output("halocline-run", run(options));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "halocline-run: %s\n", error.what());
    return kRefused;
  }
}
