// Which drop-in a program gets: the one whose MPI has the binary interface of the program's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "options.hpp"

namespace runner {

/// A program that cannot run with a drop-in; the text says why, and what to do.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Choice {
  std::string program;  ///< its file
  std::string preload;  ///< for LD_PRELOAD
  std::string mpi;      ///< the file of the program's MPI; empty if only --abi says which it is
  std::string library;  ///< the name of the MPI's library
};

/// Throws Refused.
Choice choose(const Options &options);

}  // namespace runner
