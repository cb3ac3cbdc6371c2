// The command line of halocline-run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace runner {

struct Options {
  bool mpi = false, strict = false, info = false, show = false;
  int ranks = 0;                       ///< 0: no launch of its own
  std::string launcher, abi;
  std::vector<std::string> libraries;  ///< drop-ins beside the installed ones
  std::vector<std::string> command;    ///< the program and its arguments

  bool launches() const { return ranks > 0 || !launcher.empty(); }
};

/// Fills options. Returns -1, or the status to exit with after help or a complaint, whose text is then in `text`.
int parse(int argc, char **argv, Options &options, std::string &text);

}  // namespace runner
